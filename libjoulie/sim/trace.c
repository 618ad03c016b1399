/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Reads traces (docs/rules/workloads.md#trace-line). Called by sim.c, workload_api.c and the
 * question trace.line.
 */

#include "sim/trace.h"

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

/* Of what a trace leaves out (docs/rules/workloads.md#trace-line). */
#define DEFAULT_NAMESPACE "default"
#define DEFAULT_CORES 1
#define DEFAULT_MEMORY_BYTES (INT64_C(64) << 20)
#define DEFAULT_CPU_UNITS 1000

#define MILLI 1000
#define ROUNDING 1e-6 /* 0.3 cores are 300 millicores, not 301 */
#define MOST_MILLICORES 1e15

enum schema_version { VERSION_UNKNOWN, VERSION_1, VERSION_2 };

enum intent { INTENT_UNKNOWN, INTENT_PERFORMANCE, INTENT_STANDARD };

static const struct jl_word version_words[] = { { VERSION_1, "v1" }, { VERSION_2, "v2" } };
static const struct jl_words versions = JL_WORDS(version_words);
static const struct jl_word intent_words[] = {
    { INTENT_PERFORMANCE, "performance" },
    { INTENT_STANDARD, "standard" },
};
static const struct jl_words intents = JL_WORDS(intent_words);

struct trace_template {
    uint64_t has;
    struct jl_affinity affinity;
    struct jl_map requests;
};

enum { TEMPLATE_AFFINITY, TEMPLATE_REQUESTS };

static const struct jl_row template_rows[] = {
    [TEMPLATE_AFFINITY] = JL_OBJECT(trace_template, affinity, "affinity", &jl_affinity_table,
                                    .doc = "Affinity of the pod."),
    [TEMPLATE_REQUESTS] =
        JL_MAP(trace_template, requests, "requests", .doc = "Requests: cpu, memory, GPUs."),
};
static const struct jl_table template_table = JL_TABLE(trace_template, template_rows);

struct trace_pair { /* a number for the CPU and one for the GPU */
    uint64_t has;
    double cpu;
    double gpu;
};

enum { PAIR_CPU, PAIR_GPU };

#define UNIT .flags = JL_HAS_MIN | JL_HAS_MAX, .min = 0, .max = 1

static const struct jl_row work_rows[] = {
    [PAIR_CPU] =
        JL_NUMBER(trace_pair, cpu, "cpuUnits", .flags = JL_NOT_NEGATIVE, .doc = "CPU work, units."),
    [PAIR_GPU] =
        JL_NUMBER(trace_pair, gpu, "gpuUnits", .flags = JL_NOT_NEGATIVE, .doc = "GPU work, units."),
};
static const struct jl_table work_table = JL_TABLE(trace_pair, work_rows);

static const struct jl_row sensitivity_rows[] = {
    [PAIR_CPU] = JL_NUMBER(trace_pair, cpu, "cpu", UNIT, .doc = "Sensitivity to CPU caps, 0..1."),
    [PAIR_GPU] = JL_NUMBER(trace_pair, gpu, "gpu", UNIT, .doc = "Sensitivity to GPU caps, 0..1."),
};
static const struct jl_table sensitivity_table = JL_TABLE(trace_pair, sensitivity_rows);

struct trace_class {
    uint64_t has;
    enum jl_cpu_class cpu;
    enum jl_gpu_class gpu;
};

static const struct jl_row class_rows[] = {
    [PAIR_CPU] = JL_ENUM(trace_class, cpu, "cpu", &jl_cpu_class_words, .doc = "CPU class."),
    [PAIR_GPU] = JL_ENUM(trace_class, gpu, "gpu", &jl_gpu_class_words, .doc = "GPU class."),
};
static const struct jl_table class_table = JL_TABLE(trace_class, class_rows);

struct trace_profile {
    uint64_t has;
    double cpu_util;
    double gpu_util;
    double memory;
    double io;
    double feed;
};

enum { PROFILE_CPU_UTIL, PROFILE_GPU_UTIL, PROFILE_MEMORY, PROFILE_IO, PROFILE_FEED };

static const struct jl_row profile_rows[] = {
    [PROFILE_CPU_UTIL] = JL_NUMBER(trace_profile, cpu_util, "cpuUtilization", UNIT,
                                   .doc = "Utilisation of its cores, 0..1."),
    [PROFILE_GPU_UTIL] = JL_NUMBER(trace_profile, gpu_util, "gpuUtilization", UNIT,
                                   .doc = "Utilisation of its GPUs, 0..1."),
    [PROFILE_MEMORY] =
        JL_NUMBER(trace_profile, memory, "memoryIntensity", UNIT, .doc = "Memory intensity, 0..1."),
    [PROFILE_IO] = JL_NUMBER(trace_profile, io, "ioIntensity", UNIT, .doc = "I/O intensity, 0..1."),
    [PROFILE_FEED] = JL_NUMBER(trace_profile, feed, "cpuFeedIntensityGpu", UNIT,
                               .doc = "How much the CPU has to feed the GPU, 0..1."),
};
static const struct jl_table profile_table = JL_TABLE(trace_profile, profile_rows);

struct record {
    uint64_t has;
    const char *type;
    enum schema_version version;
    const char *job_id;
    const char *workload_id;
    const char *workload_type;
    const char *pod_role;
    bool is_gang;
    double submit_s;
    const char *name_space;
    enum intent intent;
    struct trace_template pod;
    struct trace_pair work;
    struct trace_pair sensitivity;
    struct trace_class class_;
    struct trace_profile profile;
    struct jl_list tags;
};

enum {
    JOB_TYPE,
    JOB_VERSION,
    JOB_ID,
    JOB_WORKLOAD_ID,
    JOB_WORKLOAD_TYPE,
    JOB_POD_ROLE,
    JOB_GANG,
    JOB_SUBMIT,
    JOB_NAMESPACE,
    JOB_INTENT,
    JOB_TEMPLATE,
    JOB_WORK,
    JOB_SENSITIVITY,
    JOB_CLASS,
    JOB_PROFILE,
    JOB_TAGS,
};

static const struct jl_row record_rows[] = {
    [JOB_TYPE] = JL_STRING(record, type, "type", .doc = "job."),
    [JOB_VERSION] =
        JL_ENUM(record, version, "schemaVersion", &versions, .doc = "Version of the schema."),
    [JOB_ID] =
        JL_STRING(record, job_id, "jobId", .flags = JL_REQUIRED, .doc = "Name of the job, unique."),
    [JOB_WORKLOAD_ID] =
        JL_STRING(record, workload_id, "workloadId", .doc = "Workload it belongs to."),
    [JOB_WORKLOAD_TYPE] =
        JL_STRING(record, workload_type, "workloadType", .doc = "Kind of workload."),
    [JOB_POD_ROLE] = JL_STRING(record, pod_role, "podRole", .doc = "Role in the workload."),
    [JOB_GANG] =
        JL_BOOLEAN(record, is_gang, "gang", .doc = "Progresses only together with its workload."),
    [JOB_SUBMIT] =
        JL_NUMBER(record, submit_s, "submitTimeOffsetSec", .flags = JL_HAS_MIN | JL_HAS_MAX,
                  .min = 0, .max = JL_SIM_LONGEST_S, .doc = "Submission, seconds after the start."),
    [JOB_NAMESPACE] = JL_STRING(record, name_space, "namespace", .doc = "Namespace of the pod."),
    [JOB_INTENT] =
        JL_ENUM(record, intent, "intentClass", &intents, .doc = "Class; wins over the affinity."),
    [JOB_TEMPLATE] = JL_OBJECT(record, pod, "podTemplate", &template_table, .doc = "The pod."),
    [JOB_WORK] = JL_OBJECT(record, work, "work", &work_table, .doc = "Work to do."),
    [JOB_SENSITIVITY] = JL_OBJECT(record, sensitivity, "sensitivity", &sensitivity_table,
                                  .doc = "Sensitivity to caps."),
    [JOB_CLASS] = JL_OBJECT(record, class_, "workloadClass", &class_table,
                            .doc = "What the job is bound by."),
    [JOB_PROFILE] = JL_OBJECT(record, profile, "workloadProfile", &profile_table,
                              .doc = "Utilisation, intensity."),
    [JOB_TAGS] = JL_STRINGS(record, tags, "tags", .doc = "Free words."),
};
static const struct jl_table record_table = JL_TABLE(record, record_rows);

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
static bool asks_for_performance(const struct record *record)
{
    if (JL_HAS(record, JOB_INTENT))
        return record->intent == INTENT_PERFORMANCE;
    struct jl_pod pod = { .has = UINT64_C(1) << JL_ROOT_SPEC };
    JL_SET(&pod.spec, affinity, record->pod.affinity);
    struct jl_demand demand;
    jl_demand_of_pod(&pod, NULL, 0, JL_POLICY_CURRENT, &demand);
    return JL_HAS(&record->pod, TEMPLATE_AFFINITY) && demand.class_ == JL_DEMAND_PERFORMANCE;
}

static void read_work(const struct record *record, struct jl_trace_job *job)
{
    struct jl_work *work = &job->work;
    if (JL_HAS(&record->class_, PAIR_CPU))
        JL_PUT(work, JL_WORK_CPU_CLASS, cpu_class, record->class_.cpu);
    if (JL_HAS(&record->class_, PAIR_GPU))
        JL_PUT(work, JL_WORK_GPU_CLASS, gpu_class, record->class_.gpu);
    if (JL_HAS(&record->profile, PROFILE_CPU_UTIL))
        JL_PUT(work, JL_WORK_CPU_UTIL, cpu_util, record->profile.cpu_util);
    if (JL_HAS(&record->profile, PROFILE_GPU_UTIL))
        JL_PUT(work, JL_WORK_GPU_UTIL, gpu_util, record->profile.gpu_util);
    if (JL_HAS(&record->profile, PROFILE_MEMORY))
        JL_PUT(work, JL_WORK_MEMORY, memory, record->profile.memory);
    if (JL_HAS(&record->profile, PROFILE_IO))
        JL_PUT(work, JL_WORK_IO, io, record->profile.io);
    if (JL_HAS(&record->profile, PROFILE_FEED))
        JL_PUT(work, JL_WORK_FEED, feed, record->profile.feed);
    if (JL_HAS(&record->sensitivity, PAIR_CPU))
        JL_PUT(work, JL_WORK_SENSITIVITY_CPU, sensitivity_cpu, record->sensitivity.cpu);
    if (JL_HAS(&record->sensitivity, PAIR_GPU))
        JL_PUT(work, JL_WORK_SENSITIVITY_GPU, sensitivity_gpu, record->sensitivity.gpu);
    jl_work_fill(work, job->gpu_count > 0);

    job->gpu_units = record->work.gpu;
    job->cpu_units = record->work.cpu;
    if (!JL_HAS(&record->work, PAIR_CPU) && job->gpu_units <= 0)
        job->cpu_units = DEFAULT_CPU_UNITS;
}

static int read_job(const struct record *record, struct jl_trace_line *out,
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
    struct record record;
    rc = jl_decode_document(decode, &record_table, &record);
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
    char path[sizeof err->where];
    char number[JL_DOUBLE_TEXT];
    memcpy(path, err->where, sizeof path);
    const bool has_path = path[0] != '\0' && !jl_starts_with(path, "line ");
    const char *const parts[] = { "line ", number, has_path ? ": " : "", has_path ? path : "" };
    jl_format_i64((int64_t)line, number);

    size_t used = 0;
    for (size_t i = 0; i < JL_COUNT(parts); i++) {
        const size_t len = jl_utf8_cut(parts[i], strlen(parts[i]), sizeof err->where - 1 - used);
        memcpy(err->where + used, parts[i], len);
        used += len;
    }
    err->where[used] = '\0';
    err->line = (uint32_t)line;
}

static const char *copy(struct jl_trace *trace, const char *text, bool *is_failed)
{
    if (!text)
        return NULL;
    const char *mine = jl_arena_string(&trace->arena, text);
    *is_failed |= !mine;
    return mine;
}

/* The line's strings live in scratch; what the job keeps moves into the trace. */
static int keep_job(struct jl_trace *trace, struct jl_index *names, const struct jl_trace_job *from,
                    struct joulie_error *err)
{
    size_t other;
    if (jl_index_get(names, from->job_id, &other))
        return jl_fail(err, JOULIE_E_CONFLICT, "jobId", "\"%.64s\" is in the trace twice",
                       from->job_id);
    int rc =
        jl_grow((void **)&trace->jobs, &trace->capacity, trace->count + 1, sizeof *trace->jobs);
    if (rc < 0)
        return jl_fail_memory(err);
    struct jl_trace_job *job = &trace->jobs[trace->count];
    bool is_failed = false;
    *job = *from;
    job->job_id = copy(trace, from->job_id, &is_failed);
    job->workload_id = copy(trace, from->workload_id, &is_failed);
    job->workload_type = copy(trace, from->workload_type, &is_failed);
    job->pod_role = copy(trace, from->pod_role, &is_failed);
    job->name_space = copy(trace, from->name_space, &is_failed);
    if (is_failed || jl_index_set(names, job->job_id, trace->count) < 0)
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
