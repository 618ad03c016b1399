/* SPDX-License-Identifier: Apache-2.0 */

/* cpufreq.cap: the frequency of a throttle, the order of two writes, and what to give back
 * (docs/rules/frequencies.md#policies). */

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "caps/dvfs.h"
#include "power/cpufreq.h"

#define COUNT NOT_NEGATIVE
#define NEEDED NOT_NEGATIVE, REQUIRED

#define RECORD cpufreq_cap_in
#define MEMBERS                                                                                   \
    INTEGER(min_khz, "cpuinfoMinKhz", "Lowest frequency of the policy's hardware, kHz.", NEEDED)  \
    INTEGER(max_khz, "cpuinfoMaxKhz", "Highest frequency of the policy's hardware, kHz.", NEEDED) \
    NUMBER(throttle_pct, "throttlePct", "0 = full speed, 100 = the floor.", BETWEEN(0, 100))      \
    INTEGER(floor_khz, "floorKhz", "Frequency of 100 % throttle, kHz (1500000).", COUNT)          \
    INTEGER(current_min_khz, "currentMinKhz", "scaling_min_freq now, kHz; with the other three.", \
            COUNT)                                                                                \
    INTEGER(current_max_khz, "currentMaxKhz", "scaling_max_freq now, kHz.", COUNT)                \
    INTEGER(target_min_khz, "targetMinKhz", "scaling_min_freq to reach, kHz.", COUNT)             \
    INTEGER(target_max_khz, "targetMaxKhz", "scaling_max_freq to reach, kHz.", COUNT)             \
    INTEGER(read_min_khz, "readMinKhz", "scaling_min_freq at first sight, kHz.", COUNT)           \
    INTEGER(read_max_khz, "readMaxKhz", "scaling_max_freq at first sight, kHz.", COUNT)
#include "schema/record.h"

#define RECORD write_out
#define MEMBERS                                                   \
    STRING(file, "file", "scaling_min_freq or scaling_max_freq.") \
    INTEGER(khz, "value", "What is written, kHz.")
#include "schema/record.h"

#define RECORD cpufreq_cap_out
#define MEMBERS                                                                                    \
    INTEGER(max_khz, "maxKhz", "scaling_max_freq to write, kHz.")                                  \
    LIST(writes, "writes", write_out, "Writes in an order in which the bounds never cross.")       \
    INTEGER(restore_min_khz, "restoreMinKhz", "What gives the minimum back, kHz; 0 = no request.") \
    INTEGER(restore_max_khz, "restoreMaxKhz",                                                      \
            "What gives the maximum back, kHz; 2147483647 = no request.")
#include "schema/record.h"

static int answer_throttle(const struct cpufreq_cap_in *in, struct jl_freq_range range,
                           struct cpufreq_cap_out *out)
{
    struct jl_dvfs_params params;
    jl_dvfs_params_default(&params);
    const uint64_t floor_khz = in->given.floor_khz ? (uint64_t)in->floor_khz : params.floor_khz;
    JL_SET(out, max_khz, (int64_t)jl_cpufreq_throttled_khz(range, in->throttle_pct, floor_khz));
    return 0;
}

static int answer_order(struct jl_ask *ask, const struct cpufreq_cap_in *in,
                        struct cpufreq_cap_out *out)
{
    const struct jl_freq_range current = { (uint64_t)in->current_min_khz,
                                           (uint64_t)in->current_max_khz };
    const struct jl_freq_range target = { (uint64_t)in->target_min_khz,
                                          (uint64_t)in->target_max_khz };
    struct jl_cpufreq_write writes[2];
    const size_t count = jl_cpufreq_order(current, target, writes);
    struct write_out *items = JL_NEW_LIST(ask, out, writes, count, struct write_out);
    if (items == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        JL_SET(&items[i], file, writes[i].is_max ? "scaling_max_freq" : "scaling_min_freq");
        JL_SET(&items[i], khz, (int64_t)writes[i].khz);
    }
    return 0;
}

static int answer_baseline(const struct cpufreq_cap_in *in, struct jl_freq_range range,
                           struct cpufreq_cap_out *out)
{
    if (in->given.read_min_khz)
        JL_SET(out, restore_min_khz,
               (int64_t)jl_cpufreq_baseline_min_khz(range, (uint64_t)in->read_min_khz));
    if (in->given.read_max_khz)
        JL_SET(out, restore_max_khz,
               (int64_t)jl_cpufreq_baseline_max_khz(range, (uint64_t)in->read_max_khz));
    return 0;
}

static int answer_cpufreq_cap(struct jl_ask *ask, const struct cpufreq_cap_in *in,
                              struct cpufreq_cap_out *output)
{
    const struct jl_freq_range range = { (uint64_t)in->min_khz, (uint64_t)in->max_khz };
    if (range.min_khz > range.max_khz)
        return jl_ask_fail(ask, JOULIE_E_CONFLICT, "cpuinfoMinKhz", "is above cpuinfoMaxKhz");
    if (in->given.throttle_pct)
        return answer_throttle(in, range, output);
    if (in->given.current_min_khz && in->given.current_max_khz && in->given.target_min_khz &&
        in->given.target_max_khz)
        return answer_order(ask, in, output);
    if (in->given.read_min_khz || in->given.read_max_khz)
        return answer_baseline(in, range, output);
    return jl_ask_fail(ask, JOULIE_E_REQUIRED, "throttlePct",
                       "throttlePct, or current and target bounds, or readMinKhz and readMaxKhz");
}

JL_QUESTION(cpufreq_cap, "cpufreq.cap",
            "Frequency bounds of a throttle, the order of their writes, and what to give back");
