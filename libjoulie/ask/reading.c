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
#include "power/pid_stat.h"
#include "power/psi.h"
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

static const struct jl_word kind_items[] = {
    { KIND_NUMBER, "number" },     { KIND_PSI, "psi" },
    { KIND_CPU_STAT, "cpu.stat" }, { KIND_CPU_MAX, "cpu.max" },
    { KIND_PID_STAT, "pid.stat" }, { KIND_PROMETHEUS, "prometheus" },
    { KIND_DCGM, "dcgm" },         { KIND_THROTTLE, "nvmlThrottle" },
};
static const struct jl_words kind_words = JL_WORDS(kind_items);

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

struct reading_out {
    uint64_t has;
    bool missing;
    double value;
    const char *text;
    struct reading_pressure some;
    struct reading_pressure full;
    int64_t stat[JL_CPU_STAT_COUNT];
    int64_t quota_us;
    int64_t period_us;
    double cores;
    bool unlimited;
    int64_t pid;
    const char *comm;
    const char *state;
    struct jl_list words;
    bool capped;
};

enum {
    OUT_MISSING,
    OUT_VALUE,
    OUT_TEXT,
    OUT_SOME,
    OUT_FULL,
    OUT_STAT, /* the first of JL_CPU_STAT_COUNT */
    OUT_QUOTA = OUT_STAT + JL_CPU_STAT_COUNT,
    OUT_PERIOD,
    OUT_CORES,
    OUT_UNLIMITED,
    OUT_PID,
    OUT_COMM,
    OUT_STATE,
    OUT_WORDS,
    OUT_CAPPED,
};

#define STAT_ROW(key, name, text)    \
    [OUT_STAT + JL_CPU_STAT_##key] = \
        JL_INTEGER(reading_out, stat[JL_CPU_STAT_##key], name, .doc = (text))

static const struct jl_row out_rows[] = {
    [OUT_MISSING] = JL_BOOLEAN(reading_out, missing, "missing",
                               .doc = "Whether it stands for no data (number, dcgm, prometheus)."),
    [OUT_VALUE] = JL_NUMBER(reading_out, value, "value", .doc = "The value (dcgm, prometheus)."),
    [OUT_TEXT] = JL_STRING(reading_out, text, "text", .doc = "The exact decimal (number)."),
    [OUT_SOME] = JL_OBJECT(reading_out, some, "some", &reading_pressure_table,
                           .doc = "Some tasks were stalled (psi)."),
    [OUT_FULL] = JL_OBJECT(reading_out, full, "full", &reading_pressure_table,
                           .doc = "All tasks were stalled (psi)."),
    STAT_ROW(USAGE_US, "usageUs", "CPU time, µs (cpu.stat)."),
    STAT_ROW(USER_US, "userUs", "CPU time in programs, µs (cpu.stat)."),
    STAT_ROW(SYSTEM_US, "systemUs", "CPU time in the kernel, µs (cpu.stat)."),
    STAT_ROW(PERIODS, "periods", "Periods of the limit that were used (cpu.stat)."),
    STAT_ROW(THROTTLED, "throttled", "Periods that ran into the limit (cpu.stat)."),
    STAT_ROW(THROTTLED_US, "throttledUs", "Time held back by the limit, µs (cpu.stat)."),
    [OUT_QUOTA] = JL_INTEGER(reading_out, quota_us, "quotaUs",
                             .doc = "CPU time of a period, µs; absent: no limit (cpu.max)."),
    [OUT_PERIOD] =
        JL_INTEGER(reading_out, period_us, "periodUs", .doc = "Length of a period, µs (cpu.max)."),
    [OUT_CORES] = JL_NUMBER(reading_out, cores, "cores", .doc = "The limit in cores (cpu.max)."),
    [OUT_UNLIMITED] = JL_BOOLEAN(reading_out, unlimited, "unlimited",
                                 .doc = "Whether there is no limit (cpu.max)."),
    [OUT_PID] = JL_INTEGER(reading_out, pid, "pid", .doc = "Number of the thread (pid.stat)."),
    [OUT_COMM] = JL_STRING(reading_out, comm, "comm", .doc = "Name of the thread (pid.stat)."),
    [OUT_STATE] = JL_STRING(reading_out, state, "state", .doc = "State letter (pid.stat)."),
    [OUT_WORDS] = JL_STRINGS(reading_out, words, "words",
                             .doc = "What holds the clocks back, in bit order (nvmlThrottle)."),
    [OUT_CAPPED] = JL_BOOLEAN(reading_out, capped, "capped",
                              .doc = "Whether the power cap does (nvmlThrottle)."),
};
static const struct jl_table out_table = JL_TABLE(reading_out, out_rows);

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
    JL_PUT(out, OUT_MISSING, missing, false);
    JL_PUT(out, OUT_TEXT, text, copy);
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
        JL_MARK(out, OUT_SOME);
        rc = put_pressure(&psi.some, &out->some);
    }
    if (rc == 0 && psi.full.is_known) {
        JL_MARK(out, OUT_FULL);
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
        JL_MARK(out, OUT_STAT + i);
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
    JL_PUT(out, OUT_UNLIMITED, unlimited, max.is_unlimited);
    JL_MARK(out, OUT_PERIOD);
    rc = put_count(max.period_us, &out->period_us);
    if (rc < 0 || max.is_unlimited)
        return rc;
    JL_MARK(out, OUT_QUOTA);
    JL_PUT(out, OUT_CORES, cores, (double)max.quota_us / (double)max.period_us);
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
    JL_PUT(out, OUT_PID, pid, stat.pid);
    JL_PUT(out, OUT_COMM, comm, comm);
    JL_PUT(out, OUT_STATE, state, state);
    return 0;
}

static void put_value(bool is_missing, double value, struct reading_out *out)
{
    JL_PUT(out, OUT_MISSING, missing, is_missing);
    if (!is_missing)
        JL_PUT(out, OUT_VALUE, value, value);
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
    JL_PUT(out, OUT_WORDS, words, ((struct jl_list){ words, jl_throttle_words(bits, words) }));
    JL_PUT(out, OUT_CAPPED, capped, (bits & JL_THROTTLE_POWER_CAP) != 0);
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

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct reading_in *in = input;
    struct reading_out *out = output;
    const bool is_value = in->kind == KIND_DCGM || in->kind == KIND_THROTTLE;
    int rc = jl_ask_require(ask, &reading_in_table, in,
                            is_value ? JL_INDEX(reading_in, value) : JL_INDEX(reading_in, text));
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

const struct jl_question jl_question_reading = {
    .name = "reading",
    .summary = "what a text of the kernel or a number of an exporter says",
    .in = &reading_in_table,
    .out = &out_table,
    .answer = answer,
};
