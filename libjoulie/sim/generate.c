/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Options, bounds and records of generated traces; the jobs themselves are drawn in
 * generate_default.c and generate_diurnal.c (docs/rules/workloads.md#generators).
 */

#include "sim/generate.h"

#include <math.h>

#include "base/error.h"
#include "base/number.h"

#define MOST_JOBS 100000000
#define MOST_HOURS 87660  /* ten years */
#define SHARE_STEPS 10000 /* utilisations and intensities carry four decimals */

void jl_generate_defaults(enum jl_generate_mode mode, struct jl_generate_options *out)
{
    *out = (struct jl_generate_options){
        .mode = mode,
        .seed = 1,
        .jobs = mode == JL_GENERATE_DEFAULT ? 50 : 0,
        .hours = mode == JL_GENERATE_DEFAULT ? 0 : 48,
        .name_space = "default",
        .perf_ratio = 0.30,
        .gpu_ratio = 0.80,
        .has_workload_records = true,
        .mean_inter_arrival_s = 5,
        .compute_perf_boost = 3.5,
        .burst_day_prob = 0.25,
        .burst_mean_jobs = 8,
        .burst_multiplier = 2,
        .dip_day_prob = 0.30,
        .dip_multiplier = 0.08,
        .cpu_rate = 1,
        .gpu_rate = 1,
        .peak_rate_per_min = 80,
        .burst_prob = 0.10,
        .burst_min = 20,
        .burst_max = 80,
        .base_speed = 2,
        .work_scale = 1,
    };
}

size_t jl_generate_pick(struct jl_generator *generator, const double *weights, size_t count)
{
    const double drawn = jl_random_unit(&generator->draws);
    double sum = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        sum += weights[i];
        if (drawn < sum)
            return i;
    }
    return count - 1;
}

double jl_generate_round(double value, double per_unit)
{
    return floor(value * per_unit + 0.5) / per_unit;
}

/* ---- writing ---- */

static void put_key(struct jl_buffer *out, const char *key)
{
    jl_put_char(out, ',');
    jl_put_json_string(out, key, jl_text(key).len);
    jl_put_char(out, ':');
}

static void put_text(struct jl_buffer *out, const char *key, const char *value)
{
    put_key(out, key);
    jl_put_json_string(out, value, jl_text(value).len);
}

static void put_number(struct jl_buffer *out, const char *key, double value)
{
    put_key(out, key);
    jl_put_double(out, value);
}

static void put_share(struct jl_buffer *out, const char *key, double value)
{
    put_number(out, key, jl_generate_round(value, SHARE_STEPS));
}

static void put_quoted_count(struct jl_buffer *out, const char *key, int64_t count,
                             const char *unit)
{
    jl_put_json_string(out, key, jl_text(key).len);
    jl_put_string(out, ":\"");
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
    jl_put_string(out, "\"requests\":{");
    put_quoted_count(out, "cpu", draft->cores, "");
    jl_put_char(out, ',');
    put_quoted_count(out, "memory", draft->memory_gib, "Gi");
    if (draft->gpus > 0) {
        jl_put_char(out, ',');
        put_quoted_count(out, workload->is_amd ? "amd.com/gpu" : "nvidia.com/gpu", draft->gpus, "");
    }
    jl_put_char(out, '}');
}

static void put_class(struct jl_buffer *out, const struct jl_draft_workload *workload,
                      bool has_gpus)
{
    jl_put_string(out, ",\"workloadClass\":{\"cpu\":\"");
    jl_put_string(out, jl_word_of(&jl_cpu_class_words, (int)workload->cpu_class));
    if (has_gpus) {
        jl_put_string(out, "\",\"gpu\":\"");
        jl_put_string(out, jl_word_of(&jl_gpu_class_words, (int)workload->gpu_class));
    }
    jl_put_string(out, "\"}");
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
    jl_put_string(out, ",\"podTemplate\":{");
    if (workload->is_performance) {
        jl_put_string(out, eco_affinity);
        jl_put_char(out, ',');
    }
    put_requests(out, workload, draft);
    jl_put_char(out, '}');
}

static void put_profile(struct jl_buffer *out, const struct jl_work *work)
{
    jl_put_string(out, ",\"workloadProfile\":{\"cpuUtilization\":");
    jl_put_double(out, jl_generate_round(work->cpu_util, SHARE_STEPS));
    if (JL_HAS(work, JL_WORK_GPU_UTIL))
        put_share(out, "gpuUtilization", work->gpu_util);
    put_share(out, "memoryIntensity", work->memory);
    put_share(out, "ioIntensity", work->io);
    if (JL_HAS(work, JL_WORK_FEED))
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
    put_text(out, "workloadType", workload->type);
    put_text(out, "podRole", draft->role);
    jl_put_string(out, draft->is_gang ? ",\"gang\":true" : ",\"gang\":false");
    put_number(out, "submitTimeOffsetSec", workload->submit_s);
    put_text(out, "namespace", generator->options->name_space);
    put_text(out, "intentClass", workload->is_performance ? "performance" : "standard");
    put_template(out, workload, draft);
    jl_put_string(out, ",\"work\":{\"cpuUnits\":");
    jl_put_double(out, jl_generate_round(draft->cpu_units, 1000));
    put_number(out, "gpuUnits", jl_generate_round(draft->gpu_units, 1000));
    jl_put_string(out, "},\"sensitivity\":{\"cpu\":1,\"gpu\":1}");
    put_class(out, workload, draft->gpus > 0);
    put_profile(out, &draft->work);
    jl_put_string(out, "}\n");
    generator->jobs++;
}

static void put_workload(struct jl_generator *generator, const struct jl_draft_workload *workload,
                         const struct jl_draft *drafts, size_t count)
{
    struct jl_buffer *out = generator->out;
    jl_put_string(out, "{\"type\":\"workload\",\"schemaVersion\":\"v2\",\"workloadId\":\"");
    put_workload_id(out, workload);
    jl_put_char(out, '"');
    put_number(out, "submitTimeOffsetSec", workload->submit_s);
    put_text(out, "namespace", generator->options->name_space);
    put_text(out, "workloadType", workload->type);
    jl_put_string(out, workload->is_gang ? ",\"gang\":true" : ",\"gang\":false");
    put_number(out, "durationSec", workload->duration_s);
    put_text(out, "intentClass", workload->is_performance ? "performance" : "standard");
    put_class(out, workload, workload->gpu_class != JL_GPU_UNKNOWN);
    jl_put_string(out, ",\"pods\":[");
    for (size_t i = 0; i < count; i++) {
        size_t replicas = 1;
        while (i + replicas < count && jl_same(drafts[i + replicas].role, drafts[i].role))
            replicas++;
        jl_put_string(out, "{\"role\":\"");
        jl_put_string(out, drafts[i].role);
        jl_put_char(out, '"');
        put_number(out, "replicas", (double)replicas);
        jl_put_char(out, ',');
        put_requests(out, workload, &drafts[i]);
        jl_put_string(out, drafts[i].is_gang ? ",\"gang\":true}" : ",\"gang\":false}");
        i += replicas - 1;
        if (i + 1 < count)
            jl_put_char(out, ',');
    }
    jl_put_string(out, "]}\n");
}

void jl_generate_write(struct jl_generator *generator, const struct jl_draft_workload *workload,
                       const struct jl_draft *drafts, size_t count)
{
    if (generator->options->has_workload_records)
        put_workload(generator, workload, drafts, count);
    for (size_t i = 0; i < count; i++)
        put_job(generator, workload, &drafts[i]);
}

/* ---- options ---- */

struct bound {
    const char *option;
    double value;
    double low;
    double high;
};

static int check(const struct jl_generate_options *options, struct joulie_error *err)
{
    const struct bound bounds[] = {
        { "jobs", (double)options->jobs, 0, MOST_JOBS },
        { "hours", options->hours, 0, MOST_HOURS },
        { "max-duration", options->max_duration_s, 0, 3600.0 * MOST_HOURS },
        { "perf-ratio", options->perf_ratio, 0, 1 },
        { "gpu-ratio", options->gpu_ratio, 0, 1 },
        { "amd-gpu-ratio", options->amd_ratio, 0, 1 },
        { "mean-inter-arrival", options->mean_inter_arrival_s, 0, 3600.0 * MOST_HOURS },
        { "compute-bound-perf-boost", options->compute_perf_boost, 0, 1e6 },
        { "burst-day-prob", options->burst_day_prob, 0, 1 },
        { "burst-mean-jobs", options->burst_mean_jobs, 0, 1e9 },
        { "burst-multiplier", options->burst_multiplier, 0, 1e6 },
        { "dip-day-prob", options->dip_day_prob, 0, 1 },
        { "dip-multiplier", options->dip_multiplier, 0, 1e6 },
        { "cpu-work-rate", options->cpu_rate, 0, 1e9 },
        { "gpu-work-rate", options->gpu_rate, 0, 1e9 },
        { "peak-rate", options->peak_rate_per_min, 0, 1e9 },
        { "burst-prob", options->burst_prob, 0, 1 },
        { "burst-min", (double)options->burst_min, 1, MOST_JOBS },
        { "burst-max", (double)options->burst_max, (double)options->burst_min, MOST_JOBS },
        { "min-gpu-request", (double)options->min_gpus, 0, 1024 },
        { "base-speed", options->base_speed, 0, 1e9 },
        { "work-scale", options->work_scale, 0, 1e9 },
    };
    for (size_t i = 0; i < JL_COUNT(bounds); i++) {
        const struct bound *bound = &bounds[i];
        if (!(bound->value >= bound->low && bound->value <= bound->high))
            return jl_fail(err, JOULIE_E_RANGE, bound->option, "%s is outside its bounds",
                           bound->option);
    }
    if (options->mode == JL_GENERATE_DEFAULT && options->jobs == 0)
        return jl_fail(err, JOULIE_E_REQUIRED, "jobs", "the default mode needs a number of jobs");
    if (options->mode == JL_GENERATE_DIURNAL && options->hours <= 0)
        return jl_fail(err, JOULIE_E_REQUIRED, "hours", "the diurnal mode needs a number of hours");
    return 0;
}

int jl_generate(const struct jl_generate_options *options, struct jl_buffer *out,
                struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    int rc = check(options, err);
    if (rc < 0)
        return rc;
    struct jl_random seeds = { options->seed };
    struct jl_generator generator = { .options = options, .out = out };
    generator.arrivals.state = jl_random_next(&seeds);
    generator.draws.state = jl_random_next(&seeds);
    if (options->mode == JL_GENERATE_DIURNAL)
        jl_generate_diurnal(&generator);
    else
        jl_generate_default(&generator, &arena, err, &rc);
    if (rc == 0 && out->is_failed)
        rc = jl_fail_memory(err);
    return rc;
}
