/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_workload_inspect(): counts, classes, work and span of a trace as JSON. */

#include <joulie/sim.h>

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "sim/emit.h"
#include "sim/trace.h"

/* Words are borrowed from the trace, which outlives the tally. */
struct tally { /* how often each word occurs */
    struct jl_index index;

    struct tally_word {
        const char *word;
        int64_t count;
    } * words;

    size_t count;
    size_t capacity;
};

static void tally_clear(struct tally *tally)
{
    jl_index_clear(&tally->index);
    jl_free(tally->words);
}

static int tally_add(struct tally *tally, const char *word)
{
    size_t at;
    if (!word)
        return 0;
    if (!jl_index_get(&tally->index, word, &at)) {
        at = tally->count;
        if (JL_GROW(&tally->words, &tally->capacity, at + 1) < 0 ||
            jl_index_set(&tally->index, word, at) < 0)
            return JOULIE_E_NOMEM;
        tally->words[at] = (struct tally_word){ word, 0 };
        tally->count++;
    }
    tally->words[at].count++;
    return 0;
}

static int compare_words(const void *a, const void *b, void *user)
{
    (void)user;
    return jl_compare(((const struct tally_word *)a)->word, ((const struct tally_word *)b)->word);
}

/* What is counted by word, with the keys of the answer. */
static const char *const tally_keys[] = { "classes", "workloadTypes", "cpuClasses", "gpuClasses",
                                          "gpuVendors" };
#define TALLIES JL_COUNT(tally_keys)

struct totals {
    struct tally workloads;
    struct tally tallies[TALLIES];
    int64_t gang_jobs;
    int64_t gpu_jobs;
    double gpus;
    double cores;
    double cpu_units;
    double gpu_units;
    double first_s;
    double last_s;
};

static void totals_clear(struct totals *totals)
{
    tally_clear(&totals->workloads);
    for (size_t i = 0; i < TALLIES; i++)
        tally_clear(&totals->tallies[i]);
}

static int count_words(struct totals *totals, const struct jl_trace_job *job)
{
    const bool has_gpus = job->gpu_count > 0;
    const char *const words[TALLIES] = {
        job->is_performance ? "performance" : "standard",
        job->workload_type,
        jl_word_of(&jl_cpu_class_words, (int)job->work.cpu_class),
        has_gpus ? jl_word_of(&jl_gpu_class_words, (int)job->work.gpu_class) : NULL,
        !has_gpus         ? NULL
        : job->gpu_vendor ? job->gpu_vendor
                          : "any",
    };
    int rc = tally_add(&totals->workloads, job->workload_id);
    for (size_t i = 0; i < TALLIES && rc == 0; i++)
        rc = tally_add(&totals->tallies[i], words[i]);
    return rc;
}

static int count(const struct jl_trace *trace, struct totals *totals)
{
    for (size_t i = 0; i < trace->count; i++) {
        const struct jl_trace_job *job = &trace->jobs[i];
        totals->gang_jobs += job->is_gang;
        totals->gpu_jobs += job->gpu_count > 0;
        totals->gpus += (double)job->gpu_count;
        totals->cores += job->cpu_cores;
        totals->cpu_units += job->cpu_units;
        totals->gpu_units += job->gpu_units;
        totals->first_s = i == 0 ? job->submit_s : jl_min(totals->first_s, job->submit_s);
        totals->last_s = jl_max(totals->last_s, job->submit_s);
        const int rc = count_words(totals, job);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* Sorted by word, so that the order of the trace's lines does not show. */
static int put_tally(struct jl_buffer *out, const char *key, const struct tally *tally)
{
    if (jl_sort(tally->words, tally->count, sizeof *tally->words, compare_words, NULL) < 0)
        return JOULIE_E_NOMEM;
    jl_emit_key(out, key);
    jl_put_char(out, '{');
    for (size_t i = 0; i < tally->count; i++)
        jl_emit_integer(out, tally->words[i].word, tally->words[i].count);
    jl_put_char(out, '}');
    return 0;
}

static int put_totals(struct jl_buffer *out, const struct jl_trace *trace,
                      const struct totals *totals)
{
    jl_put_char(out, '{');
    jl_emit_integer(out, "jobs", (int64_t)trace->count);
    jl_emit_integer(out, "lines", (int64_t)trace->lines);
    jl_emit_integer(out, "workloadRecords", (int64_t)trace->workload_records);
    jl_emit_integer(out, "skippedLines", (int64_t)trace->skipped_lines);
    jl_emit_integer(out, "badLines", (int64_t)trace->bad_lines);
    jl_emit_integer(out, "ignoredGpuRequests", (int64_t)trace->ignored_gpu_requests);
    jl_emit_integer(out, "workloads", (int64_t)totals->workloads.count);
    jl_emit_integer(out, "gangJobs", totals->gang_jobs);
    jl_emit_integer(out, "gpuJobs", totals->gpu_jobs);
    jl_emit_number(out, "gpusRequested", totals->gpus);
    jl_emit_number(out, "coresRequested", totals->cores);
    int rc = 0;
    for (size_t i = 0; i < TALLIES && rc == 0; i++)
        rc = put_tally(out, tally_keys[i], &totals->tallies[i]);
    jl_emit_number(out, "cpuUnits", totals->cpu_units);
    jl_emit_number(out, "gpuUnits", totals->gpu_units);
    if (trace->count > 0) {
        jl_emit_number(out, "firstSubmitS", totals->first_s);
        jl_emit_number(out, "lastSubmitS", totals->last_s);
        jl_emit_number(out, "spanS", totals->last_s - totals->first_s);
    }
    jl_put_char(out, '}');
    return rc == 0 ? jl_buffer_code(out) : rc;
}

static int inspect(const struct jl_trace *trace, struct jl_buffer *out)
{
    JL_CLEANUP(totals_clear) struct totals totals = { 0 };
    const int rc = count(trace, &totals);
    return rc < 0 ? rc : put_totals(out, trace, &totals);
}

int joulie_workload_inspect(const char *trace, size_t len, int32_t is_lenient, char **json,
                            struct joulie_error *err)
{
    struct jl_buffer buffer = { 0 };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    struct jl_trace read = { 0 };
    int rc = jl_trace_read(trace, len, is_lenient != 0, &read, &detail);
    if (rc == 0)
        rc = inspect(&read, &buffer);
    jl_trace_clear(&read);
    return jl_sim_hand_out(&buffer, rc, &detail, json, err);
}
