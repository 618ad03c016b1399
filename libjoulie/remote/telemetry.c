/* SPDX-License-Identifier: Apache-2.0 */

/* Power, limits and age in the reply of a telemetry endpoint (docs/rules/endpoints.md#telemetry).
 */

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "remote/replies.h"
#include "schema/decode.h"

#define PERCENT 100.0
#define MS_PER_S 1000.0
#define MOST_AHEAD_MS 5000 /* as the cluster model allows (docs/rules/reconcile.md#readings) */
#define MOST_WATTS 1e300   /* any finite number */

const struct jl_words jl_remote_power_words = JL_WORDS({
    { JOULIE_REMOTE_POWER_OF_CPU, "cpu" },
    { JOULIE_REMOTE_POWER_OF_NODE, "node" },
});

const struct jl_words jl_remote_result_words = JL_WORDS({
    { JOULIE_REMOTE_RESULT_SAMPLE, "sample" },
    { JOULIE_REMOTE_RESULT_NO_SAMPLE, "no-sample" },
    { JOULIE_REMOTE_RESULT_ERROR, "error" },
    { JOULIE_REMOTE_RESULT_STALE, "stale" },
    { JOULIE_REMOTE_RESULT_AHEAD, "ahead" },
});

/* Producers send anything here: types are looked at one by one. */
#define RECORD reply_part /* the members `cpu` and `gpu` */
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                                                 \
    RAW(power, "packagePowerWatts", "Of all packages, W.")                      \
    RAW(present, "present", "Whether there are GPUs.")                          \
    RAW(utilization, "utilization", "Share, 0 to 1.")                           \
    RAW(limit, "targetCapWatts", "The limit that was asked for, W.")            \
    RAW(limit_now, "capWatts", "The limit in force, W.")                        \
    RAW(limit_per_gpu, "capWattsPerGpuTarget", "Asked for, of one GPU, W.")     \
    RAW(limit_per_gpu_now, "capWattsPerGpuApplied", "In force, of one GPU, W.") \
    RAW(total, "powerWattsTotal", "Of all GPUs, W.")                            \
    RAW(average_total, "avgPowerWattsTotal", "The same over a while, W.")       \
    RAW(throttle, "throttlePct", "How far the frequency was lowered, percent.")
#include "schema/record.h"

#define RECORD reply
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                                                    \
    RAW(power, "packagePowerWatts", "Of the node, or of its CPUs, W.")             \
    RAW(ts, "ts", "When it was read; no time stamp is not a bad one.", KEEPS_NULL) \
    OBJECT(cpu, "cpu", reply_part, "Of the CPUs.", ONLY_IF_OBJECT)                 \
    OBJECT(gpu, "gpu", reply_part, "Of the GPUs.", ONLY_IF_OBJECT)
#include "schema/record.h"

struct found {
    bool has_top;
    double top_w;
    bool has_cpu;
    double cpu_w;
    bool has_gpu; /* then the top level is the power of CPUs and GPUs */
};

/* A string is no number. */
static bool read_number(const struct jl_raw *raw, double *out)
{
    return jl_parse_double(raw->text, raw->len, out) == 0;
}

static int read_reply(const struct joulie_remote_reply *given, struct jl_arena *arena,
                      struct reply *out)
{
    struct jl_decode decode = {
        .arena = arena, .text = given->body, .len = given->len, .flags = JL_LENIENT
    };
    return jl_decode_document(&decode, &reply_table, out);
}

/* ---- power ---- */

static void put(struct joulie_remote_sample *out, uint64_t bit, double *member, double value)
{
    *member = value;
    out->has |= bit;
}

static void put_power(bool is_there, double watts, struct joulie_remote_sample *out)
{
    out->result = is_there ? JOULIE_REMOTE_RESULT_SAMPLE : JOULIE_REMOTE_RESULT_NO_SAMPLE;
    if (is_there)
        put(out, JOULIE_REMOTE_SAMPLE_HAS_POWER, &out->power_w, watts);
}

/* The top level may hold the GPUs too: it counts only where there are none. v0.1.1 takes it first.
 */
static void put_power_of_cpu(const struct found *found, bool is_source,
                             struct joulie_remote_sample *out)
{
    if (is_source)
        put_power(found->has_top || found->has_cpu, found->has_top ? found->top_w : found->cpu_w,
                  out);
    else if (found->has_cpu && found->cpu_w >= 0)
        put_power(true, found->cpu_w, out);
    else
        put_power(found->has_top && found->top_w >= 0 && !found->has_gpu, found->top_w, out);
}

/* 0 W of a node that answers is no measurement. */
static void put_power_of_node(const struct found *found, struct joulie_remote_sample *out)
{
    if (found->has_top && found->top_w > 0)
        put_power(true, found->top_w, out);
    else
        put_power(found->has_cpu && found->cpu_w > 0, found->cpu_w, out);
}

/* ---- what else it says ---- */

/* Of the first member that is a number: within bounds it is the value, else there is none. */
static bool read_within(const struct jl_raw *first, const struct jl_raw *second, double most,
                        double *out)
{
    double value = 0;
    if (!read_number(first, &value) && !(second && read_number(second, &value)))
        return false;
    if (!(value >= 0 && value <= most))
        return false;
    *out = value;
    return true;
}

static void put_util(const struct reply_part *part, uint64_t bit, double *member,
                     struct joulie_remote_sample *out)
{
    double share = 0;
    if (read_within(&part->utilization, NULL, 1, &share))
        put(out, bit, member, share * PERCENT);
}

static void put_within(const struct jl_raw *first, const struct jl_raw *second, double most,
                       uint64_t bit, double *member, struct joulie_remote_sample *out)
{
    double value = 0;
    if (read_within(first, second, most, &value))
        put(out, bit, member, value);
}

/* What the backend took as its target is its limit, as the register of a package is; what is in
 * force may follow slowly. */
static void put_more(const struct reply *reply, struct joulie_remote_sample *out)
{
    const struct reply_part *cpu = &reply->cpu;
    const struct reply_part *gpu = &reply->gpu;
    put_util(cpu, JOULIE_REMOTE_SAMPLE_HAS_CPU_UTIL, &out->cpu_util_pct, out);
    put_util(gpu, JOULIE_REMOTE_SAMPLE_HAS_GPU_UTIL, &out->gpu_util_pct, out);
    put_within(&gpu->total, &gpu->average_total, MOST_WATTS, JOULIE_REMOTE_SAMPLE_HAS_GPU_POWER,
               &out->gpu_power_w, out);
    put_within(&cpu->limit, &cpu->limit_now, MOST_WATTS, JOULIE_REMOTE_SAMPLE_HAS_CPU_LIMIT,
               &out->cpu_limit_w, out);
    put_within(&gpu->limit_per_gpu, &gpu->limit_per_gpu_now, MOST_WATTS,
               JOULIE_REMOTE_SAMPLE_HAS_GPU_LIMIT, &out->gpu_limit_w, out);
    put_within(&cpu->throttle, NULL, PERCENT, JOULIE_REMOTE_SAMPLE_HAS_THROTTLE, &out->throttle_pct,
               out);
}

/* ---- of when it is ---- */

/* Without a time stamp the reply is of now. One from the future is too, as clocks differ; that it
 * is far ahead is reported. */
static enum joulie_remote_result put_time(const struct joulie_remote_reply *given,
                                          const struct reply *reply,
                                          struct joulie_remote_sample *out)
{
    const struct jl_raw *ts = &reply->ts;
    int64_t at_ms = given->now_ms;
    if (reply->given.ts && (ts->len < 2 || ts->text[0] != '"' ||
                            jl_parse_time(ts->text + 1, ts->len - 2, &at_ms) != 0))
        return JOULIE_REMOTE_RESULT_ERROR;
    if (given->now_ms - at_ms > given->max_age_ms)
        return JOULIE_REMOTE_RESULT_STALE;
    put(out, JOULIE_REMOTE_SAMPLE_HAS_AGE, &out->age_s,
        jl_max(0, (double)(given->now_ms - at_ms) / MS_PER_S));
    return at_ms - given->now_ms > MOST_AHEAD_MS ? JOULIE_REMOTE_RESULT_AHEAD
                                                 : JOULIE_REMOTE_RESULT_UNKNOWN;
}

static void read_sample(const struct joulie_remote_reply *given, bool is_source,
                        const struct reply *reply, struct joulie_remote_sample *out)
{
    const struct jl_text present = { reply->gpu.present.text, reply->gpu.present.len };
    struct found found = { .has_gpu = jl_text_is(present, "true") };
    found.has_top = read_number(&reply->power, &found.top_w);
    found.has_cpu = read_number(&reply->cpu.power, &found.cpu_w);
    const enum joulie_remote_result of_time =
        !is_source && (given->has & JOULIE_REMOTE_REPLY_HAS_AGE) ? put_time(given, reply, out)
                                                                 : JOULIE_REMOTE_RESULT_UNKNOWN;
    out->result = of_time;
    if (of_time == JOULIE_REMOTE_RESULT_ERROR || of_time == JOULIE_REMOTE_RESULT_STALE)
        return;
    if (given->power_of == JOULIE_REMOTE_POWER_OF_CPU)
        put_power_of_cpu(&found, is_source, out);
    else
        put_power_of_node(&found, out);
    if (!is_source)
        put_more(reply, out);
    if (of_time == JOULIE_REMOTE_RESULT_AHEAD)
        out->result = of_time;
}

int jl_remote_read(const struct joulie_remote_reply *reply, bool is_source, struct jl_arena *arena,
                   struct joulie_remote_sample *out)
{
    struct reply said = { .has = 0 };
    const bool is_good = reply->http_status >= 200 && reply->http_status <= 299;
    const int rc = is_good ? read_reply(reply, arena, &said) : JOULIE_E_IO;
    if (rc == JOULIE_E_NOMEM)
        return rc;
    *out = (struct joulie_remote_sample){ .struct_size = sizeof *out,
                                          .result = JOULIE_REMOTE_RESULT_ERROR };
    if (rc == 0)
        read_sample(reply, is_source, &said, out);
    return 0;
}

/* ---- joulie_remote_read_telemetry() ---- */

static int check(const struct joulie_remote_reply *reply, struct joulie_error *err)
{
    if (reply->power_of != JOULIE_REMOTE_POWER_OF_CPU &&
        reply->power_of != JOULIE_REMOTE_POWER_OF_NODE)
        return jl_fail(err, JOULIE_E_ENUM, "power_of", "there is no such power");
    if (!(reply->has & JOULIE_REMOTE_REPLY_HAS_AGE))
        return 0;
    if (!jl_is_instant(reply->now_ms))
        return jl_fail(err, JOULIE_E_RANGE, "now_ms", "the year is not within 0 to 9999");
    return reply->max_age_ms >= 0
               ? 0
               : jl_fail(err, JOULIE_E_RANGE, "max_age_ms", "an age is not negative");
}

int joulie_remote_read_telemetry(const struct joulie_remote_reply *reply,
                                 struct joulie_remote_sample *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct joulie_remote_reply ours;
    struct joulie_remote_sample sample;
    if (JL_SIZED_READ(&ours, reply) < 0 || jl_sized_check(out, sizeof *out) < 0 ||
        (ours.has & ~JOULIE_REMOTE_REPLY_HAS_AGE) != 0)
        return jl_fail_abi(err, "");
    const int rc = check(&ours, err);
    if (rc < 0)
        return rc;
    if (jl_remote_read(&ours, false, &arena, &sample) < 0)
        return jl_fail_memory(err);
    jl_sized_write(out, &sample, sizeof sample);
    return JOULIE_OK;
}
