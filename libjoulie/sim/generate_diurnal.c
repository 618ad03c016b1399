/* SPDX-License-Identifier: Apache-2.0 */

/* Arrivals that follow the day, in bursts (docs/rules/workloads.md#diurnal-mode). */

#include <math.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/number.h"
#include "sim/generate_load.h"

#define SECONDS_PER_HOUR 3600.0
#define TWO_PI 6.283185307179586
#define QUIETEST_HOUR 4
#define MOST_CHOICES 4
#define MIN_UTIL 0.10
#define LEAST_RATE 0.001 /* per second */
#define PERF_WITHOUT_GPUS 0.20

struct kind {
    const char *role;
    int64_t cores[MOST_CHOICES]; /* as likely one as another; what is left is 0 */
    int64_t gpus[MOST_CHOICES];
    double perf; /* probability of the class performance */
    double cpu_util[2];
    double gpu_util[2];
    double duration_s[2];
};

enum kind_index { SMALL, MEDIUM, TRAINING, INFERENCE, LARGE };

static const struct kind kinds[] = {
    [SMALL] = { "task", { 1, 2, 4, 8 }, { 0 }, 0, { 0.3, 0.8 }, { 0, 0 }, { 60, 600 } },
    [MEDIUM] = { "task", { 16, 32, 48, 64 }, { 0 }, 0.3, { 0.4, 0.9 }, { 0, 0 }, { 300, 3600 } },
    [TRAINING] = { "trainer",
                   { 16, 32, 64 },
                   { 1, 2, 4, 8 },
                   0, /* training_perf_ratio */
                   { 0.3, 0.6 },
                   { 0.6, 0.95 },
                   { 3600, 28800 } },
    [INFERENCE] = { "server", { 4, 8, 16 }, { 1, 2 }, 0, { 0.3, 0.6 }, { 0.3, 0.7 }, { 60, 900 } },
    [LARGE] = { "task", { 64, 96 }, { 0 }, 1, { 0.5, 0.95 }, { 0, 0 }, { 1800, 7200 } },
};

static int64_t choose(struct jl_generator *generator, const int64_t choices[MOST_CHOICES])
{
    int64_t count = 1;
    while (count < MOST_CHOICES && choices[count] > 0)
        count++;
    return choices[jl_random_int(&generator->draws, 0, count - 1)];
}

static double between(struct jl_generator *generator, const double range[2])
{
    return jl_random_range(&generator->draws, range[0], range[1]);
}

static const char *type_of(enum kind_index kind, int64_t gpus)
{
    switch (kind) {
    case SMALL:
        return "cpu_preprocess";
    case TRAINING:
        return gpus >= 2 ? "distributed_training" : "single_gpu_training";
    case INFERENCE:
        return "debug_eval";
    case MEDIUM:
    case LARGE:
        break;
    }
    return "cpu_analytics";
}

/* The thresholds shrink with the share of GPUs; the source's share of GPU jobs is therefore not its
 * gpu-ratio (docs/rules/workloads.md#diurnal-mode). */
static enum kind_index draw_kind(struct jl_generator *generator)
{
    const double share = generator->options->gpu_ratio;
    const double drawn = jl_random_unit(&generator->draws);
    if (drawn < 0.35 * (1 - share))
        return SMALL;
    if (drawn < 0.55 * (1 - 0.3 * share))
        return MEDIUM;
    if (drawn < 0.80)
        return TRAINING;
    return drawn < 0.92 ? INFERENCE : LARGE;
}

static void draw_classes(struct jl_generator *generator, bool has_gpus,
                         struct jl_draft_workload *workload)
{
    static const enum jl_cpu_class cpu_classes[] = { JL_CPU_COMPUTE, JL_CPU_MEMORY, JL_CPU_MIXED };

    static const enum jl_gpu_class gpu_classes[] = { JL_GPU_COMPUTE, JL_GPU_MIXED, JL_GPU_MEMORY };

    const int64_t drawn = jl_random_int(&generator->draws, 0, 2);
    workload->cpu_class = has_gpus ? JL_CPU_MIXED : cpu_classes[drawn];
    workload->gpu_class = has_gpus ? gpu_classes[drawn] : JL_GPU_UNKNOWN;
}

/* By size, so that jobs of eight GPUs do not queue for the few machines of a vendor that take them.
 */
static double amd_share(const struct jl_generator *generator, int64_t gpus)
{
    const struct joulie_workload_options *options = generator->options;
    const bool is_given = (options->has & JOULIE_WORKLOAD_HAS_AMD_RATIO) != 0;
    return generator->machines && !is_given ? jl_generate_amd_share(generator->machines, gpus)
                                            : options->amd_ratio;
}

/* The order of the draws is part of the trace: another order gives other jobs for the same seed. */
static void draw_job(struct jl_generator *generator, struct jl_draft_workload *out_workload,
                     struct jl_draft *out_draft)
{
    const struct joulie_workload_options *options = generator->options;
    const enum kind_index index = draw_kind(generator);
    const struct kind *kind = &kinds[index];
    const bool has_gpus = kind->gpus[0] > 0 && options->gpu_ratio > 0;
    struct jl_draft draft = { .role = kind->role, .cores = choose(generator, kind->cores) };
    struct jl_draft_workload workload = { .number = ++generator->workloads };
    if (has_gpus)
        draft.gpus =
            (int64_t)jl_max((double)options->min_gpus, (double)choose(generator, kind->gpus));
    const double perf_of_kind = index == TRAINING ? options->training_perf_ratio : kind->perf;
    const double perf = options->gpu_ratio > 0 ? perf_of_kind : PERF_WITHOUT_GPUS;
    workload.is_performance = jl_random_unit(&generator->draws) < perf;
    workload.type = has_gpus || index == SMALL ? type_of(index, draft.gpus) : type_of(LARGE, 0);
    workload.is_amd =
        has_gpus && jl_random_unit(&generator->draws) < amd_share(generator, draft.gpus);
    draw_classes(generator, has_gpus, &workload);

    double duration_s = between(generator, kind->duration_s);
    if (options->max_duration_s > 0)
        duration_s = jl_min(duration_s, options->max_duration_s);
    workload.duration_s = jl_generate_round(duration_s, 1000);
    JL_SET(&draft.work, cpu_util, between(generator, kind->cpu_util));
    if (has_gpus)
        JL_SET(&draft.work, gpu_util, between(generator, kind->gpu_util));
    JL_SET(&draft.work, memory, jl_random_range(&generator->draws, 0.3, 0.9));
    JL_SET(&draft.work, io, jl_random_range(&generator->draws, 0.05, 0.30));
    draft.memory_gib =
        (int64_t)jl_max(1, floor((double)draft.cores * jl_random_range(&generator->draws, 0.5, 2)));
    const double speed = workload.duration_s * options->base_speed * options->work_scale;
    draft.cpu_units = speed * (double)draft.cores * jl_max(MIN_UTIL, draft.work.cpu_util);
    draft.gpu_units = speed * (double)draft.gpus * jl_max(MIN_UTIL, draft.work.gpu_util);
    *out_workload = workload;
    *out_draft = draft;
}

/* The next job, drawn unless another rate has drawn it. */
static void count_job(struct jl_generator *generator, double submit_s)
{
    struct jl_generate_drawn *drawn = generator->drawn;
    const size_t index = (size_t)generator->jobs++;
    if (index == drawn->ask_count) {
        struct jl_draft_workload workload;
        struct jl_draft draft;
        if (JL_GROW(&drawn->asks, &drawn->ask_capacity, index + 1) < 0) {
            drawn->is_failed = true;
            return;
        }
        draw_job(generator, &workload, &draft);
        drawn->asks[drawn->ask_count++] =
            jl_generate_ask_of(generator->machines, &workload, &draft);
    }
    jl_generate_add_demand(generator->demand, submit_s, &drawn->asks[index]);
}

static void put_job(struct jl_generator *generator, double submit_s)
{
    struct jl_draft_workload workload;
    struct jl_draft draft;
    if (generator->demand) {
        count_job(generator, submit_s);
        return;
    }
    draw_job(generator, &workload, &draft);
    workload.submit_s = submit_s;
    jl_generate_write(generator, &workload, &draft, 1);
}

static struct jl_generate_arrival draw_arrival(struct jl_generator *generator)
{
    const struct joulie_workload_options *options = generator->options;
    struct jl_generate_arrival out = { jl_random_exponential(&generator->arrivals), 1 };
    if (jl_random_unit(&generator->arrivals) < options->burst_prob)
        out.jobs = jl_random_int(&generator->arrivals, options->burst_min, options->burst_max);
    return out;
}

static struct jl_generate_arrival next_arrival(struct jl_generator *generator, size_t index)
{
    struct jl_generate_drawn *drawn = generator->drawn;
    if (!drawn)
        return draw_arrival(generator);
    if (index == drawn->arrival_count) {
        if (JL_GROW(&drawn->arrivals, &drawn->arrival_capacity, index + 1) < 0) {
            drawn->is_failed = true;
            return (struct jl_generate_arrival){ .jobs = 0 };
        }
        drawn->arrivals[drawn->arrival_count++] = draw_arrival(generator);
    }
    return drawn->arrivals[index];
}

/* Share of the peak rate at an hour of the day. */
static double day_rate(double hour)
{
    return 0.25 + 0.70 * (1 - jl_cos(TWO_PI * (hour - QUIETEST_HOUR) / 24)) / 2;
}

static bool is_full(const struct jl_generator *generator)
{
    return (generator->out && generator->out->is_failed) ||
           (generator->drawn && generator->drawn->is_failed) ||
           (generator->options->jobs > 0 && generator->jobs >= generator->options->jobs);
}

/* Arrivals are a Poisson process whose rate is that of the last arrival's hour. */
void jl_generate_diurnal(struct jl_generator *generator)
{
    const struct joulie_workload_options *options = generator->options;
    const double end_s = options->hours * SECONDS_PER_HOUR;
    const double least = options->load > 0 ? 0 : LEAST_RATE; /* few machines need few jobs */
    double now_s = 0;
    for (size_t i = 0; !is_full(generator); i++) {
        const struct jl_generate_arrival arrival = next_arrival(generator, i);
        const double hour = now_s / SECONDS_PER_HOUR;
        const double rate =
            day_rate(hour - 24 * floor(hour / 24)) * options->peak_rate_per_min / 60;
        now_s += arrival.gap / jl_max(least, rate);
        if (now_s >= end_s)
            return;
        for (int64_t job = 0; job < arrival.jobs && !is_full(generator); job++)
            put_job(generator, jl_generate_round(now_s, 1000));
    }
}
