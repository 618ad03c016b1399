/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Reads traces (docs/rules/workloads.md#trace-line). Called by sim.c, inspect.c and the
 * question trace.line.
 */

#define JL_TRACE_TABLES
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "kinds/effective.h"
#include "kinds/pod.h"
#include "kubernetes/quantity.h"
#include "policy/policy.h"
#include "schema/decode.h"
#include "sim/trace_line.h"

/* Of what a trace leaves out (docs/rules/workloads.md#trace-line). */
#define DEFAULT_NAMESPACE "default"
#define DEFAULT_CORES 1
#define DEFAULT_MEMORY_BYTES (INT64_C(64) << 20)
#define DEFAULT_CPU_UNITS 1000

#define MILLI 1000
#define ROUNDING 1e-6 /* 0.3 cores are 300 millicores, not 301 */
#define MOST_MILLICORES 1e15

const struct jl_words jl_trace_version_words =
    JL_WORDS({ { JL_TRACE_V1, "v1" }, { JL_TRACE_V2, "v2" } });
const struct jl_words jl_trace_intent_words = JL_WORDS({
    { JL_TRACE_PERFORMANCE, "performance" },
    { JL_TRACE_STANDARD, "standard" },
});

static int fail_request(struct joulie_error *err, int code, const char *key)
{
    char where[64] = "podTemplate.requests.";
    const size_t used = strlen(where);
    const size_t len = strlen(key); /* one of our own keys */
    memcpy(where + used, key, len + 1);
    return jl_fail(err, code, where, "not a quantity that a pod can request");
}

static int read_quantity(const struct jl_map *requests, const char *key, struct joulie_error *err,
                         bool *out_is_given, struct jl_quantity *out)
{
    const char *text = jl_map_get(requests, key);
    *out_is_given = text != NULL;
    if (!text)
        return 0;
    int rc = jl_parse_quantity(text, strlen(text), out);
    if (rc == 0 && out->nano < 0)
        rc = JOULIE_E_RANGE;
    return rc < 0 ? fail_request(err, rc, key) : 0;
}

struct gpu_key {
    const char *key;
    const char *vendor;
};

/* A request that is no positive integer is ignored and counted, as the source does; two vendors are
 * a conflict, which it overlooks. */
static int read_gpus(const struct jl_map *requests, struct jl_trace_line *out,
                     struct joulie_error *err)
{
    static const struct gpu_key keys[] = { { "nvidia.com/gpu", "nvidia" },
                                           { "amd.com/gpu", "amd" },
                                           { "gpu", NULL } };
    for (size_t i = 0; i < JL_COUNT(keys); i++) {
        const char *text = jl_map_get(requests, keys[i].key);
        int64_t count = 0;
        if (!text)
            continue;
        if (jl_parse_i64(text, strlen(text), &count) < 0 || count <= 0) {
            out->is_gpu_ignored = true;
            continue;
        }
        if (out->job.gpu_count > 0)
            return fail_request(err, JOULIE_E_CONFLICT, keys[i].key);
        out->job.gpu_count = count;
        out->job.gpu_vendor = keys[i].vendor;
    }
    return 0;
}

static int read_requests(const struct jl_map *requests, struct jl_trace_line *out,
                         struct joulie_error *err)
{
    struct jl_trace_job *job = &out->job;
    struct jl_quantity quantity;
    bool is_given;
    job->cpu_cores = DEFAULT_CORES;
    job->memory_bytes = DEFAULT_MEMORY_BYTES;
    int rc = read_quantity(requests, "cpu", err, &is_given, &quantity);
    if (rc == 0 && is_given)
        job->cpu_cores = jl_quantity_to_double(&quantity);
    if (rc == 0)
        rc = read_quantity(requests, "memory", err, &is_given, &quantity);
    if (rc == 0 && is_given) {
        rc = jl_quantity_to_i64(&quantity, &job->memory_bytes);
        if (rc < 0)
            return fail_request(err, rc, "memory");
    }
    return rc == 0 ? read_gpus(requests, out, err) : rc;
}

/* Performance allowed and eco not, by the same mask that the operator reads affinities with. */
static bool asks_for_performance(const struct jl_trace_record *record)
{
    if (record->given.intent)
        return record->intent == JL_TRACE_PERFORMANCE;
    struct jl_pod pod = { .given.spec = true };
    JL_SET(&pod.spec, affinity, record->pod.affinity);
    struct jl_demand demand;
    jl_demand_of_pod(&pod, NULL, 0, JL_POLICY_CURRENT, &demand);
    return record->pod.given.affinity && demand.class_ == JL_DEMAND_PERFORMANCE;
}

/* What the line leaves out is filled by jl_work_fill(), by the classes that it gives. */
static void read_work(const struct jl_trace_record *record, struct jl_trace_job *job)
{
    struct jl_work *work = &job->work;
    JL_TAKE(work, cpu_class, &record->class_, cpu);
    JL_TAKE(work, gpu_class, &record->class_, gpu);
    JL_TAKE(work, cpu_util, &record->profile, cpu_util);
    JL_TAKE(work, gpu_util, &record->profile, gpu_util);
    JL_TAKE(work, memory, &record->profile, memory);
    JL_TAKE(work, io, &record->profile, io);
    JL_TAKE(work, feed, &record->profile, feed);
    JL_TAKE(work, sensitivity_cpu, &record->sensitivity, cpu);
    JL_TAKE(work, sensitivity_gpu, &record->sensitivity, gpu);
    jl_work_fill(work, job->gpu_count > 0);

    job->gpu_units = record->work.gpu;
    job->cpu_units = record->work.cpu;
    if (!record->work.given.cpu && job->gpu_units <= 0)
        job->cpu_units = DEFAULT_CPU_UNITS;
}

static int read_job(const struct jl_trace_record *record, struct jl_trace_line *out,
                    struct joulie_error *err)
{
    struct jl_trace_job *job = &out->job;
    if (jl_is_empty(record->job_id))
        return jl_fail(err, JOULIE_E_REQUIRED, "jobId", "a job needs a name");
    job->job_id = record->job_id;
    job->workload_id = record->workload_id;
    job->workload_type = record->workload_type;
    job->pod_role = record->pod_role;
    job->name_space = jl_is_empty(record->name_space) ? DEFAULT_NAMESPACE : record->name_space;
    job->is_gang = record->is_gang;
    job->submit_s = record->submit_s;
    const int rc = read_requests(&record->pod.requests, out, err);
    if (rc < 0)
        return rc;
    job->is_performance = asks_for_performance(record);
    read_work(record, job);
    return 0;
}

static bool is_blank(const char *text, size_t len)
{
    return jl_text_trim((struct jl_text){ text, len }).len == 0;
}

/* Whether the line is a job; type is a JSON string with its quotes. */
static bool is_type(const struct jl_raw *type, const char *word)
{
    return type->text && type->len == strlen(word) && memcmp(type->text, word, type->len) == 0;
}

/* The type first, leniently: records of other types may have any members. */
static int decode_line(struct jl_decode *decode, struct jl_trace_line *out)
{
    struct jl_raw type = { 0 };
    int rc = jl_check_json(decode);
    if (rc == 0)
        rc = jl_decode_member(decode, "type", &type);
    if (rc < 0)
        return rc;
    out->is_workload = is_type(&type, "\"workload\"");
    out->is_skipped = !is_type(&type, "\"job\"");
    if (out->is_skipped)
        return 0;
    struct jl_trace_record record;
    rc = jl_decode_document(decode, &jl_trace_record_table, &record);
    return rc < 0 ? rc : read_job(&record, out, decode->err);
}

int jl_trace_read_line(struct jl_arena *arena, const char *text, size_t len, uint32_t flags,
                       struct jl_trace_line *out, struct joulie_error *err)
{
    struct jl_decode decode = {
        .arena = arena, .text = text, .len = len, .flags = flags, .err = err
    };
    memset(out, 0, sizeof *out);
    out->is_skipped = true;
    if (is_blank(text, len))
        return 0;
    if (len > JL_LIMIT_TRACE_LINE_BYTES)
        return jl_fail(err, JOULIE_E_LIMIT, "line 1", "the line is longer than 1 MiB");
    const int rc = decode_line(&decode, out);
    if (rc < 0 && err && err->where[0] == '\0')
        memcpy(err->where, "line 1", sizeof "line 1");
    return rc;
}

void jl_trace_place_error(struct joulie_error *err, size_t line)
{
    char text[JL_DOUBLE_TEXT + 5] = "line ";
    jl_format_u64(line, text + 5);
    if (jl_starts_with(err->where, "line "))
        err->where[0] = '\0';
    jl_error_inside(err, text, ": ");
    err->line = (uint32_t)line;
}

/* The line's strings live in scratch; what the job keeps moves into the trace. */
static int keep_job(struct jl_trace *trace, struct jl_index *names, const struct jl_trace_job *from,
                    struct joulie_error *err)
{
    size_t other;
    if (jl_index_get(names, from->job_id, &other))
        return jl_fail(err, JOULIE_E_CONFLICT, "jobId", "\"%.64s\" is in the trace twice",
                       from->job_id);
    if (JL_GROW(&trace->jobs, &trace->capacity, trace->count + 1) < 0)
        return jl_fail_memory(err);
    struct jl_trace_job *job = &trace->jobs[trace->count];
    *job = *from;
    job->job_id = jl_arena_string(&trace->arena, from->job_id);
    job->workload_id = jl_arena_string(&trace->arena, from->workload_id);
    job->workload_type = jl_arena_string(&trace->arena, from->workload_type);
    job->pod_role = jl_arena_string(&trace->arena, from->pod_role);
    job->name_space = jl_arena_string(&trace->arena, from->name_space);
    if (trace->arena.is_failed || jl_index_set(names, job->job_id, trace->count) < 0)
        return jl_fail_memory(err);
    trace->count++;
    return 0;
}

static int read_line(struct jl_trace *trace, struct jl_arena *scratch, struct jl_index *names,
                     const char *text, size_t len, struct joulie_error *err)
{
    struct jl_trace_line line;
    jl_arena_reset(scratch);
    const int rc = jl_trace_read_line(scratch, text, len, 0, &line, err);
    if (rc < 0)
        return rc;
    trace->ignored_gpu_requests += line.is_gpu_ignored;
    if (line.is_workload)
        trace->workload_records++;
    else if (line.is_skipped)
        trace->skipped_lines++;
    return line.is_skipped ? 0 : keep_job(trace, names, &line.job, err);
}

/* One line at a time through a scratch arena: a trace of a million jobs keeps only what its jobs
 * need. */
int jl_trace_read(const char *text, size_t len, bool is_lenient, struct jl_trace *out,
                  struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena scratch = { 0 };
    JL_CLEANUP(jl_index_clear) struct jl_index names = { 0 };
    struct jl_trace trace = { 0 };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    int rc = 0;
    for (size_t start = 0; start < len && rc == 0;) {
        size_t line_len = 0;
        while (start + line_len < len && text[start + line_len] != '\n')
            line_len++;
        trace.lines++;
        rc = read_line(&trace, &scratch, &names, text + start, line_len, &detail);
        if (rc < 0 && rc != JOULIE_E_NOMEM && is_lenient) {
            trace.bad_lines++;
            rc = 0;
        }
        start += line_len + 1;
    }
    if (rc < 0) {
        jl_trace_place_error(&detail, trace.lines);
        jl_error_export(&detail, err);
        jl_trace_clear(&trace);
        return rc;
    }
    *out = trace;
    return 0;
}

int64_t jl_trace_millicores(const struct jl_trace_job *job)
{
    return (int64_t)jl_min(ceil(job->cpu_cores * MILLI - ROUNDING), MOST_MILLICORES);
}

void jl_trace_clear(struct jl_trace *trace)
{
    jl_arena_clear(&trace->arena);
    jl_free(trace->jobs);
    memset(trace, 0, sizeof *trace);
}
