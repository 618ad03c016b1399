/* SPDX-License-Identifier: Apache-2.0 */

/* The records of a generated trace as JSON lines: a workload, and its jobs
 * (docs/rules/workloads.md#trace-line). Called by both generators. */

#include <math.h>

#include "sim/emit.h"
#include "sim/generate.h"

#define SHARE_STEPS 10000 /* utilisations and intensities carry four decimals */

double jl_generate_round(double value, double per_unit)
{
    return floor(value * per_unit + 0.5) / per_unit;
}

static void put_share(struct jl_buffer *out, const char *key, double value)
{
    jl_emit_number(out, key, jl_generate_round(value, SHARE_STEPS));
}

static void put_quoted_count(struct jl_buffer *out, const char *key, int64_t count,
                             const char *unit)
{
    jl_emit_key(out, key);
    jl_put_char(out, '"');
    jl_put_i64(out, count);
    jl_put_string(out, unit);
    jl_put_char(out, '"');
}

static void put_workload_id(struct jl_buffer *out, const struct jl_draft_workload *workload)
{
    jl_put_string(out, "wl-");
    jl_put_i64(out, workload->number);
}

static void put_requests(struct jl_buffer *out, const struct jl_draft_workload *workload,
                         const struct jl_draft *draft)
{
    jl_emit_key(out, "requests");
    jl_put_char(out, '{');
    put_quoted_count(out, "cpu", draft->cores, "");
    put_quoted_count(out, "memory", draft->memory_gib, "Gi");
    if (draft->gpus > 0)
        put_quoted_count(out, workload->is_amd ? "amd.com/gpu" : "nvidia.com/gpu", draft->gpus, "");
    jl_put_char(out, '}');
}

static void put_class(struct jl_buffer *out, const struct jl_draft_workload *workload,
                      bool has_gpus)
{
    jl_emit_key(out, "workloadClass");
    jl_put_char(out, '{');
    jl_emit_text(out, "cpu", jl_word_of(&jl_cpu_class_words, (int)workload->cpu_class));
    if (has_gpus)
        jl_emit_text(out, "gpu", jl_word_of(&jl_gpu_class_words, (int)workload->gpu_class));
    jl_put_char(out, '}');
}

/* Not the eco nodes: what performance pods ask the scheduler for. */
static const char eco_affinity[] =
    "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
    "\"nodeSelectorTerms\":["
    "{\"matchExpressions\":[{\"key\":\"joulie.io/"
    "power-profile\",\"operator\":\"NotIn\",\"values\":[\"eco\"]}]}]}}}";

static void put_template(struct jl_buffer *out, const struct jl_draft_workload *workload,
                         const struct jl_draft *draft)
{
    jl_emit_key(out, "podTemplate");
    jl_put_char(out, '{');
    if (workload->is_performance)
        jl_put_string(out, eco_affinity);
    put_requests(out, workload, draft);
    jl_put_char(out, '}');
}

static void put_profile(struct jl_buffer *out, const struct jl_work *work)
{
    jl_emit_key(out, "workloadProfile");
    jl_put_char(out, '{');
    put_share(out, "cpuUtilization", work->cpu_util);
    if (work->given.gpu_util)
        put_share(out, "gpuUtilization", work->gpu_util);
    put_share(out, "memoryIntensity", work->memory);
    put_share(out, "ioIntensity", work->io);
    if (work->given.feed)
        put_share(out, "cpuFeedIntensityGpu", work->feed);
    jl_put_char(out, '}');
}

static void put_job(struct jl_generator *generator, const struct jl_draft_workload *workload,
                    const struct jl_draft *draft)
{
    struct jl_buffer *out = generator->out;
    jl_put_string(out, "{\"type\":\"job\",\"schemaVersion\":\"v2\",\"jobId\":\"");
    put_workload_id(out, workload);
    jl_put_char(out, '-');
    jl_put_string(out, draft->role);
    jl_put_string(out, draft->index < 10 ? "-0" : "-");
    jl_put_i64(out, draft->index);
    jl_put_string(out, "\",\"workloadId\":\"");
    put_workload_id(out, workload);
    jl_put_char(out, '"');
    jl_emit_text(out, "workloadType", workload->type);
    jl_emit_text(out, "podRole", draft->role);
    jl_emit_bool(out, "gang", draft->is_gang);
    jl_emit_number(out, "submitTimeOffsetSec", workload->submit_s);
    jl_emit_text(out, "namespace", generator->options->name_space);
    jl_emit_text(out, "intentClass", workload->is_performance ? "performance" : "standard");
    put_template(out, workload, draft);
    jl_emit_key(out, "work");
    jl_put_char(out, '{');
    jl_emit_number(out, "cpuUnits", jl_generate_round(draft->cpu_units, 1000));
    jl_emit_number(out, "gpuUnits", jl_generate_round(draft->gpu_units, 1000));
    jl_put_string(out, "},\"sensitivity\":{\"cpu\":1,\"gpu\":1}");
    put_class(out, workload, draft->gpus > 0);
    put_profile(out, &draft->work);
    jl_put_string(out, "}\n");
    generator->jobs++;
}

/* Pods of one role stand next to each other and are alike: one entry with replicas. */
static void put_workload(struct jl_generator *generator, const struct jl_draft_workload *workload,
                         const struct jl_draft *drafts, size_t count)
{
    struct jl_buffer *out = generator->out;
    jl_put_string(out, "{\"type\":\"workload\",\"schemaVersion\":\"v2\",\"workloadId\":\"");
    put_workload_id(out, workload);
    jl_put_char(out, '"');
    jl_emit_number(out, "submitTimeOffsetSec", workload->submit_s);
    jl_emit_text(out, "namespace", generator->options->name_space);
    jl_emit_text(out, "workloadType", workload->type);
    jl_emit_bool(out, "gang", workload->is_gang);
    jl_emit_number(out, "durationSec", workload->duration_s);
    jl_emit_text(out, "intentClass", workload->is_performance ? "performance" : "standard");
    put_class(out, workload, workload->gpu_class != JL_GPU_UNKNOWN);
    jl_put_string(out, ",\"pods\":[");
    for (size_t i = 0; i < count; i++) {
        size_t replicas = 1;
        while (i + replicas < count && jl_same(drafts[i + replicas].role, drafts[i].role))
            replicas++;
        jl_put_char(out, '{');
        jl_emit_text(out, "role", drafts[i].role);
        jl_emit_integer(out, "replicas", (int64_t)replicas);
        put_requests(out, workload, &drafts[i]);
        jl_emit_bool(out, "gang", drafts[i].is_gang);
        jl_put_char(out, '}');
        i += replicas - 1;
        if (i + 1 < count)
            jl_put_char(out, ',');
    }
    jl_put_string(out, "]}\n");
}

void jl_generate_write(struct jl_generator *generator, const struct jl_draft_workload *workload,
                       const struct jl_draft *drafts, size_t count)
{
    if (generator->options->has_records)
        put_workload(generator, workload, drafts, count);
    for (size_t i = 0; i < count; i++)
        put_job(generator, workload, &drafts[i]);
}
