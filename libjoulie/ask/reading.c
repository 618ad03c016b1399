/* SPDX-License-Identifier: Apache-2.0 */

/*
 * reading: what a text of the kernel or a number of an exporter says, or that it says nothing
 * (docs/rules/energy.md#numbers-in-files).
 */

#include "power/reading.h"

#include <math.h>

#include "ask/ask.h"
#include "base/error.h"
#include "base/number.h"
#include "power/cgroup.h"
#include "twin/twin.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53: larger doubles do not hold every bit */

enum reading_kind {
    KIND_UNKNOWN,
    KIND_NUMBER,
    KIND_PSI,
    KIND_CPU_STAT,
    KIND_CPU_MAX,
    KIND_PID_STAT,
    KIND_PROMETHEUS,
    KIND_DCGM,
    KIND_THROTTLE,
};

static const struct jl_words kind_words = JL_WORDS({
    { KIND_NUMBER, "number" },
    { KIND_PSI, "psi" },
    { KIND_CPU_STAT, "cpu.stat" },
    { KIND_CPU_MAX, "cpu.max" },
    { KIND_PID_STAT, "pid.stat" },
    { KIND_PROMETHEUS, "prometheus" },
    { KIND_DCGM, "dcgm" },
    { KIND_THROTTLE, "nvmlThrottle" },
});

#define RECORD reading_in
#define MEMBERS                                                              \
    ENUM(kind, "kind", reading_kind, kind_words, "What was read.", REQUIRED) \
    STRING(text, "text", "The text; dcgm and nvmlThrottle have none.")       \
    NUMBER(value, "value", "The number of dcgm and nvmlThrottle.")
#include "schema/record.h"

#define RECORD reading_pressure
#define MEMBERS                                                \
    NUMBER(avg10_pct, "avg10", "Average of 10 s, percent.")    \
    NUMBER(avg60_pct, "avg60", "Average of 60 s, percent.")    \
    NUMBER(avg300_pct, "avg300", "Average of 300 s, percent.") \
    INTEGER(total_us, "total", "Stalled since boot, µs.")
#include "schema/record.h"

#define RECORD reading_out
#define MEMBERS                                                                                  \
    HOLDS(int64_t, stat[JL_CPU_STAT_COUNT])                                                      \
    BOOLEAN(missing, "missing", "Whether it stands for no data (number, dcgm, prometheus).")     \
    NUMBER(value, "value", "The value (dcgm, prometheus).")                                      \
    STRING(text, "text", "The exact decimal (number).")                                          \
    OBJECT(some, "some", reading_pressure, "Some tasks were stalled (psi).")                     \
    OBJECT(full, "full", reading_pressure, "All tasks were stalled (psi).")                      \
    INTEGER_OF(stat_usage_us, stat[JL_CPU_STAT_USAGE_US], "usageUs", "CPU time, µs (cpu.stat).") \
    INTEGER_OF(stat_user_us, stat[JL_CPU_STAT_USER_US], "userUs",                                \
               "CPU time in programs, µs (cpu.stat).")                                           \
    INTEGER_OF(stat_system_us, stat[JL_CPU_STAT_SYSTEM_US], "systemUs",                          \
               "CPU time in the kernel, µs (cpu.stat).")                                         \
    INTEGER_OF(stat_periods, stat[JL_CPU_STAT_PERIODS], "periods",                               \
               "Periods of the limit that were used (cpu.stat).")                                \
    INTEGER_OF(stat_throttled, stat[JL_CPU_STAT_THROTTLED], "throttled",                         \
               "Periods that ran into the limit (cpu.stat).")                                    \
    INTEGER_OF(stat_throttled_us, stat[JL_CPU_STAT_THROTTLED_US], "throttledUs",                 \
               "Time held back by the limit, µs (cpu.stat).")                                    \
    INTEGER(quota_us, "quotaUs", "CPU time of a period, µs; absent: no limit (cpu.max).")        \
    INTEGER(period_us, "periodUs", "Length of a period, µs (cpu.max).")                          \
    NUMBER(cores, "cores", "The limit in cores (cpu.max).")                                      \
    BOOLEAN(unlimited, "unlimited", "Whether there is no limit (cpu.max).")                      \
    INTEGER(pid, "pid", "Number of the thread (pid.stat).")                                      \
    STRING(comm, "comm", "Name of the thread (pid.stat).")                                       \
    STRING(state, "state", "State letter (pid.stat).")                                           \
    STRINGS(words, "words", "What holds the clocks back, in bit order (nvmlThrottle).")          \
    BOOLEAN(capped, "capped", "Whether the power cap does (nvmlThrottle).")
#include "schema/record.h"

static int read_number(struct jl_ask *ask, struct jl_text text, struct reading_out *out)
{
    uint64_t value = 0;
    char digits[JL_DOUBLE_TEXT];
    const int rc = jl_parse_number_file(text.ptr, text.len, &value);
    if (rc < 0)
        return rc;
    const char *copy = jl_arena_copy(ask->arena, digits, jl_format_u64(value, digits));
    if (copy == NULL)
        return JOULIE_E_NOMEM;
    JL_SET(out, missing, false);
    JL_SET(out, text, copy);
    return 0;
}

/* Answers have integers of 63 bits. */
static int put_count(uint64_t count, int64_t *out)
{
    if (count > INT64_MAX)
        return JOULIE_E_RANGE;
    *out = (int64_t)count;
    return 0;
}

static int put_pressure(const struct jl_pressure *pressure, struct reading_pressure *out)
{
    JL_SET(out, avg10_pct, pressure->avg10_pct);
    JL_SET(out, avg60_pct, pressure->avg60_pct);
    JL_SET(out, avg300_pct, pressure->avg300_pct);
    out->given.total_us = true;
    return put_count(pressure->total_us, &out->total_us);
}

static int read_psi(struct jl_text text, struct reading_out *out)
{
    struct jl_psi psi;
    int rc = jl_psi_parse(text, &psi);
    if (rc == 0 && psi.some.is_known) {
        out->given.some = true;
        rc = put_pressure(&psi.some, &out->some);
    }
    if (rc == 0 && psi.full.is_known) {
        out->given.full = true;
        rc = put_pressure(&psi.full, &out->full);
    }
    return rc;
}

static int read_cpu_stat(struct jl_text text, struct reading_out *out)
{
    struct jl_cpu_stat stat;
    int rc = jl_cpu_stat_parse(text, &stat);
    for (unsigned i = 0; rc == 0 && i < JL_CPU_STAT_COUNT; i++) {
        if ((stat.has >> i & 1) == 0)
            continue;
        JL_MARK(out, JL_INDEX(reading_out, stat_usage_us) + i);
        rc = put_count(stat.value[i], &out->stat[i]);
    }
    return rc;
}

static int read_cpu_max(struct jl_text text, struct reading_out *out)
{
    struct jl_cpu_max max;
    int rc = jl_cpu_max_parse(text, &max);
    if (rc < 0)
        return rc;
    JL_SET(out, unlimited, max.is_unlimited);
    out->given.period_us = true;
    rc = put_count(max.period_us, &out->period_us);
    if (rc < 0 || max.is_unlimited)
        return rc;
    out->given.quota_us = true;
    JL_SET(out, cores, (double)max.quota_us / (double)max.period_us);
    return put_count(max.quota_us, &out->quota_us);
}

static int read_pid_stat(struct jl_ask *ask, struct jl_text text, struct reading_out *out)
{
    struct jl_pid_stat stat;
    const int rc = jl_pid_stat_parse(text, &stat);
    if (rc < 0)
        return rc;
    const char *comm = jl_arena_copy(ask->arena, stat.comm.ptr, stat.comm.len);
    const char *state = jl_arena_copy(ask->arena, &stat.state, 1);
    if (comm == NULL || state == NULL)
        return JOULIE_E_NOMEM;
    JL_SET(out, pid, stat.pid);
    JL_SET(out, comm, comm);
    JL_SET(out, state, state);
    return 0;
}

static void put_value(bool is_missing, double value, struct reading_out *out)
{
    JL_SET(out, missing, is_missing);
    JL_SET_IF(out, value, !is_missing, value);
}

static int read_prometheus(struct jl_text text, struct reading_out *out)
{
    bool is_missing;
    double value = 0;
    const int rc = jl_prometheus_number(text, &is_missing, &value);
    if (rc == 0)
        put_value(is_missing, value, out);
    return rc;
}

static int read_throttle(struct jl_ask *ask, double value, struct reading_out *out)
{
    const char **words = JL_NEW_ARRAY(ask->arena, JL_THROTTLE_WORDS, const char *);
    if (words == NULL)
        return jl_fail_memory(ask->err);
    if (value < 0 || value > EXACT_MAX)
        return jl_ask_fail(ask, JOULIE_E_RANGE, "value", "throttle bits are 0 to 2^53");
    if (value != floor(value))
        return jl_ask_fail(ask, JOULIE_E_TYPE, "value", "throttle bits are a whole number");
    const uint64_t bits = (uint64_t)value;
    JL_SET(out, words, ((struct jl_list){ words, jl_throttle_words(bits, words) }));
    JL_SET(out, capped, (bits & JL_THROTTLE_POWER_CAP) != 0);
    return 0;
}

static int read_text(struct jl_ask *ask, enum reading_kind kind, struct jl_text text,
                     struct reading_out *out)
{
    switch (kind) {
    case KIND_NUMBER:
        return read_number(ask, text, out);
    case KIND_PSI:
        return read_psi(text, out);
    case KIND_CPU_STAT:
        return read_cpu_stat(text, out);
    case KIND_CPU_MAX:
        return read_cpu_max(text, out);
    case KIND_PID_STAT:
        return read_pid_stat(ask, text, out);
    case KIND_PROMETHEUS:
        return read_prometheus(text, out);
    case KIND_DCGM:
    case KIND_THROTTLE:
    case KIND_UNKNOWN:
        break;
    }
    return JOULIE_E_INTERNAL;
}

static const char *problem_of(int code)
{
    if (code == JOULIE_E_RANGE)
        return "a number of the text is out of range";
    return code == JOULIE_E_LIMIT ? "the text is too long for one number"
                                  : "the text is not what its kind asks for";
}

static int answer_reading(struct jl_ask *ask, const struct reading_in *in, struct reading_out *out)
{
    const bool is_value = in->kind == KIND_DCGM || in->kind == KIND_THROTTLE;
    int rc =
        jl_ask_require(ask, &reading_in_table, in,
                       is_value ? JL_ASK_ROW(reading_in, value) : JL_ASK_ROW(reading_in, text));
    if (rc < 0)
        return rc;
    if (in->kind == KIND_THROTTLE)
        return read_throttle(ask, in->value, out);
    if (in->kind == KIND_DCGM) {
        put_value(jl_dcgm_is_missing(in->value), in->value, out);
        return 0;
    }
    rc = read_text(ask, in->kind, jl_text(in->text), out);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(ask->err);
    return rc < 0 ? jl_ask_fail(ask, rc, "text", "%s", problem_of(rc)) : 0;
}

JL_QUESTION(reading, "reading", "what a text of the kernel or a number of an exporter says");
