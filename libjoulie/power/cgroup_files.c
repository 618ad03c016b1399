/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The files cpu.stat and cpu.max of a control group. Called by the question `reading`. Implements
 * docs/rules/energy.md#files.
 */

#include <joulie/error.h>

#include "base/number.h"
#include "power/cgroup.h"

static const char *const stat_keys[JL_CPU_STAT_COUNT] = {
    [JL_CPU_STAT_USAGE_US] = "usage_usec",    [JL_CPU_STAT_USER_US] = "user_usec",
    [JL_CPU_STAT_SYSTEM_US] = "system_usec",  [JL_CPU_STAT_PERIODS] = "nr_periods",
    [JL_CPU_STAT_THROTTLED] = "nr_throttled", [JL_CPU_STAT_THROTTLED_US] = "throttled_usec",
};

static int read_stat(struct jl_text key, struct jl_text value, struct jl_cpu_stat *out)
{
    for (size_t i = 0; i < JL_CPU_STAT_COUNT; i++) {
        if (!jl_text_is(key, stat_keys[i]))
            continue;
        if ((out->has >> i & 1) != 0)
            return JOULIE_E_PARSE;
        out->has |= UINT64_C(1) << i;
        return jl_parse_u64(value.ptr, value.len, &out->value[i]);
    }
    return 0;
}

int jl_cpu_stat_parse(struct jl_text text, struct jl_cpu_stat *out)
{
    struct jl_cpu_stat stat = { 0 };
    if (text.len == 0)
        return JOULIE_E_PARSE;
    while (text.len > 0) {
        struct jl_text value = jl_text_cut(&text, '\n');
        const struct jl_text key = jl_text_cut(&value, ' ');
        const int rc = key.len > 0 && value.len > 0 ? read_stat(key, value, &stat) : JOULIE_E_PARSE;
        if (rc < 0)
            return rc;
    }
    *out = stat;
    return 0;
}

int jl_cpu_max_parse(struct jl_text text, struct jl_cpu_max *out)
{
    struct jl_cpu_max max = { 0 };
    struct jl_text period = jl_text_cut(&text, '\n');
    const struct jl_text quota = jl_text_cut(&period, ' ');
    int rc = text.len > 0 ? JOULIE_E_PARSE : 0;
    max.is_unlimited = jl_text_is(quota, "max");
    if (rc == 0 && !max.is_unlimited)
        rc = jl_parse_u64(quota.ptr, quota.len, &max.quota_us);
    if (rc == 0)
        rc = jl_parse_u64(period.ptr, period.len, &max.period_us);
    if (rc == 0 && max.period_us == 0)
        rc = JOULIE_E_RANGE;
    if (rc == 0)
        *out = max;
    return rc;
}
