/* SPDX-License-Identifier: Apache-2.0 */

/* Families of workloads with several pods each (docs/rules/workloads.md#default-mode). */

#include <math.h>

#include "base/elementary.h"
#include "base/number.h"
#include "sim/generate.h"

#define SECONDS_PER_HOUR 3600.0
#define HOURS_PER_DAY 24
#define MULTIPLIER_FLOOR 0.05
/* On some days one hour is busier, on some one is quieter. */
#define BURST_DAY_PROB 0.25
#define BURST_MULTIPLIER 2
#define BURST_MORE 0.5 /* 8 jobs, at 16 per unit of the multiplier */
#define DIP_DAY_PROB 0.30
#define DIP_MULTIPLIER 0.08
#define COMPUTE_PERF_BOOST 3.5 /* compute-bound workloads are performance so much more often */
#define MIN_UTIL 0.10

enum family_index { PREPROCESS, ANALYTICS, DEBUG, SINGLE, DISTRIBUTED, PARAMETER_SERVER, HPO };

struct log_normal { /* exp(N(ln median, sigma)) limited to [low, high] */
    double median;
    double sigma;
    double low;
    double high;
};

struct family {
    const char *type;
    const char *role; /* of the pods that do the work */
    enum jl_cpu_class cpu_class;
    enum jl_gpu_class gpu_class;
    double gpu_util_less; /* what the family's devices are used less than the average */
};

static const struct family families[] = {
    [PREPROCESS] = { "cpu_preprocess", "task", JL_CPU_MEMORY, JL_GPU_UNKNOWN, 0 },
    [ANALYTICS] = { "cpu_analytics", "task", JL_CPU_COMPUTE, JL_GPU_UNKNOWN, 0 },
    [DEBUG] = { "debug_eval", "eval", JL_CPU_MIXED, JL_GPU_MEMORY, 0.10 },
    [SINGLE] = { "single_gpu_training", "trainer", JL_CPU_MIXED, JL_GPU_COMPUTE, 0 },
    [DISTRIBUTED] = { "distributed_training", "worker", JL_CPU_MIXED, JL_GPU_COMPUTE, 0.08 },
    [PARAMETER_SERVER] = { "parameter_server_training", "worker", JL_CPU_MEMORY, JL_GPU_COMPUTE,
                           0.10 },
    [HPO] = { "hpo_experiment", "trial", JL_CPU_MIXED, JL_GPU_MIXED, 0.05 },
};

struct intensity { /* least and most */
    double cpu_util[2];
    double memory[2];
    double io[2];
    double feed[2];
};

static const struct intensity intensities[] = {
    [PREPROCESS] = { { 0.50, 0.75 }, { 0.70, 0.92 }, { 0.10, 0.30 }, { 0, 0 } },
    [ANALYTICS] = { { 0.75, 0.95 }, { 0.20, 0.45 }, { 0.05, 0.25 }, { 0, 0 } },
    [DEBUG] = { { 0.20, 0.40 }, { 0.55, 0.85 }, { 0.05, 0.20 }, { 0.15, 0.35 } },
    [SINGLE] = { { 0.20, 0.45 }, { 0.30, 0.60 }, { 0.05, 0.25 }, { 0.25, 0.55 } },
    [DISTRIBUTED] = { { 0.15, 0.35 }, { 0.45, 0.75 }, { 0.05, 0.25 }, { 0.35, 0.70 } },
    [PARAMETER_SERVER] = { { 0.20, 0.40 }, { 0.70, 0.92 }, { 0.05, 0.25 }, { 0.40, 0.75 } },
    [HPO] = { { 0.15, 0.35 }, { 0.35, 0.70 }, { 0.05, 0.25 }, { 0.20, 0.45 } },
};

struct size {
    struct log_normal duration_s;
    struct log_normal cores;
    struct log_normal memory_gib; /* of a GPU family: per GPU, over a base of 2 GiB */
};

#define DAY 86400

static const struct size sizes[] = {
    [PREPROCESS] = { { 900, 0.8, 120, 28800 }, { 16, 0.45, 4, 64 }, { 6, 0.45, 1, 64 } },
    [ANALYTICS] = { { 1800, 0.9, 300, DAY }, { 32, 0.5, 8, 128 }, { 10, 0.5, 2, 128 } },
    [DEBUG] = { { 206, 1, 30, 1000 }, { 2, 0.35, 1, 16 }, { 4, 0.35, 2, 32 } },
    [SINGLE] = { { 7200, 1, 900, 7 * DAY }, { 4, 0.35, 1, 16 }, { 10, 0.35, 2, 32 } },
    [DISTRIBUTED] = { { 14400, 1.2, 1200, 14 * DAY }, { 4, 0.35, 1, 16 }, { 12, 0.35, 2, 32 } },
    [PARAMETER_SERVER] = { { 10800, 1.1, 900, 7 * DAY }, { 5, 0.35, 1, 16 }, { 14, 0.35, 2, 32 } },
    [HPO] = { { 7200, 1, 1200, 3 * DAY }, { 2, 0.35, 1, 16 }, { 6, 0.35, 2, 32 } },
};

struct share { /* of what the shape has, limited to [low, high] */
    double of;
    double low;
    double high;
};

/* Families of several pods. Units of the workload are shared out over helpers and workers; together
 * they may do more than one pod would. */
struct team {
    const char *helper; /* role; NULL = the workload is one pod */
    bool is_gang;
    struct share cores; /* of a helper */
    struct share memory_gib;
    double helper_share; /* of the CPU work, all helpers together */
    double cpu_share;    /* of all workers together */
    double gpu_share;
};

static const struct team teams[] = {
    [DISTRIBUTED] = { "launcher", true, { 0.5, 1, 4 }, { 0.4, 1, 8 }, 0.25, 0.9, 1 },
    [PARAMETER_SERVER] = { "ps", true, { 0.75, 1, 6 }, { 1, 2, 16 }, 0.35, 0.85, 1 },
    [HPO] = { "controller", false, { 0, 1, 1 }, { 0, 1, 1 }, 0.10, 0.90, 0.90 },
};

/* Rate by hour of the day, relative to the busiest. */
static const double hour_multiplier[HOURS_PER_DAY] = {
    0.15, 0.12, 0.10, 0.10, 0.12, 0.20, 0.40, 0.65, 0.85, 1.00, 1.00, 0.95,
    0.80, 0.85, 1.00, 1.00, 0.95, 0.85, 0.65, 0.50, 0.40, 0.30, 0.22, 0.18,
};

/* ---- arrivals ---- */

struct calendar { /* multipliers of the day that the clock is in */
    int64_t day;
    double multiplier[HOURS_PER_DAY];
};

static void start_day(struct jl_generator *generator, int64_t day, struct calendar *out)
{
    static const int64_t burst_hours[] = { 10, 11, 14, 15, 16 };
    static const int64_t dip_hours[] = { 3, 4, 5, 19, 20, 21 };
    struct jl_random *random = &generator->arrivals;
    out->day = day;
    for (size_t i = 0; i < HOURS_PER_DAY; i++)
        out->multiplier[i] = hour_multiplier[i];
    if (jl_random_unit(random) < BURST_DAY_PROB) {
        double *hour =
            &out->multiplier[burst_hours[jl_random_int(random, 0, JL_COUNT(burst_hours) - 1)]];
        *hour = *hour * BURST_MULTIPLIER + BURST_MORE;
    }
    if (jl_random_unit(random) < DIP_DAY_PROB)
        out->multiplier[dip_hours[jl_random_int(random, 0, JL_COUNT(dip_hours) - 1)]] *=
            DIP_MULTIPLIER;
    for (size_t i = 0; i < HOURS_PER_DAY; i++)
        out->multiplier[i] = jl_max(MULTIPLIER_FLOOR, out->multiplier[i]);
}

/* The next gap at the rate of the present hour. */
static double next_arrival(struct jl_generator *generator, struct calendar *calendar, double now_s)
{
    const int64_t hour = (int64_t)floor(now_s / SECONDS_PER_HOUR);
    if (hour / HOURS_PER_DAY != calendar->day)
        start_day(generator, hour / HOURS_PER_DAY, calendar);
    const double multiplier = calendar->multiplier[hour % HOURS_PER_DAY];
    return now_s + jl_random_exponential(&generator->arrivals) *
                       generator->options->mean_inter_arrival_s / multiplier;
}

/*
 * A clock whose hours are as long as their multiplier, so that arrivals spread over a given time
 * keep the shape of the day: edges[i] is the share of the whole before hour i.
 */
static double *stretched_hours(struct jl_generator *generator, struct jl_arena *arena,
                               size_t *out_hours)
{
    const size_t hours = (size_t)ceil(generator->options->hours);
    double *edges = JL_NEW_ARRAY(arena, hours + 1, double);
    struct calendar calendar = { .day = -1 };
    double sum = 0;
    if (!edges)
        return NULL;
    for (size_t i = 0; i < hours; i++) {
        if ((int64_t)(i / HOURS_PER_DAY) != calendar.day)
            start_day(generator, (int64_t)(i / HOURS_PER_DAY), &calendar);
        edges[i] = sum;
        sum += calendar.multiplier[i % HOURS_PER_DAY] *
               jl_min(1, generator->options->hours - (double)i);
    }
    edges[hours] = sum;
    for (size_t i = 0; i <= hours; i++)
        edges[i] /= sum;
    *out_hours = hours;
    return edges;
}

/* The time at which a share of the stretched clock has passed; *hint only moves forward. */
static double time_at_share(const struct jl_generator *generator, const double *edges, size_t hours,
                            double share, size_t *hint)
{
    while (*hint + 1 < hours && edges[*hint + 1] <= share)
        (*hint)++;
    const double length = jl_min(1, generator->options->hours - (double)*hint);
    const double inside = (share - edges[*hint]) / (edges[*hint + 1] - edges[*hint]);
    return SECONDS_PER_HOUR * ((double)*hint + length * jl_unit(inside));
}

/* ---- one workload ---- */

struct shape { /* what the pods of a workload share */
    const struct family *family;
    const struct size *size;
    int64_t gpus;
    double duration_s;
    double cores;
    double memory_gib;
    struct jl_work work;
};

static double draw_log_normal(struct jl_generator *generator, const struct log_normal *from)
{
    const double drawn =
        jl_exp(jl_log(from->median) + from->sigma * jl_random_normal(&generator->draws));
    return jl_clamp(drawn, from->low, from->high);
}

/* Weights sum to 1. */
static size_t pick(struct jl_generator *generator, const double *weights, size_t count)
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

static double between(struct jl_generator *generator, const double range[2])
{
    return jl_random_range(&generator->draws, range[0], range[1]);
}

static double mean_gpu_util(int64_t gpus)
{
    if (gpus <= 1)
        return 0.5238;
    if (gpus == 2)
        return 0.50;
    if (gpus <= 4)
        return 0.4518;
    return gpus <= 8 ? 0.5899 : 0.4039;
}

static double draw_gpu_util(struct jl_generator *generator, const struct family *family,
                            int64_t gpus)
{
    const double spread = gpus >= 4 ? 0.16 : 0.12;
    const double middle = mean_gpu_util(gpus) - family->gpu_util_less;
    return jl_unit(middle + jl_random_range(&generator->draws, -spread, spread));
}

static enum family_index draw_family(struct jl_generator *generator)
{
    static const double gpu_shares[] = { 0.45, 0.25, 0.14, 0.07, 0.09 };
    static const double cpu_shares[] = { 0.75, 0.25 };
    if (jl_random_unit(&generator->draws) < generator->options->gpu_ratio)
        return (enum family_index)(DEBUG + pick(generator, gpu_shares, JL_COUNT(gpu_shares)));
    return (enum family_index)(PREPROCESS + pick(generator, cpu_shares, JL_COUNT(cpu_shares)));
}

static int64_t draw_gpus(struct jl_generator *generator, const struct family *family)
{
    static const double shares[] = { 0.80, 0.10, 0.07, 0.03 };
    static const int64_t counts[] = { 1, 2, 4, 8 };
    return family->gpu_class == JL_GPU_UNKNOWN ? 0
                                               : counts[pick(generator, shares, JL_COUNT(shares))];
}

/* The order of the draws is part of the trace: another order gives other jobs for the same seed. */
static void draw_shape(struct jl_generator *generator, enum family_index index, struct shape *out)
{
    const struct family *family = &families[index];
    const struct intensity *intensity = &intensities[index];
    const struct size *size = &sizes[index];
    *out = (struct shape){ .family = family, .size = size, .gpus = draw_gpus(generator, family) };
    out->duration_s = draw_log_normal(generator, &size->duration_s);
    if (index == DISTRIBUTED && out->gpus >= 4)
        out->duration_s = jl_min(out->duration_s * 1.2, size->duration_s.high);
    if (generator->options->max_duration_s > 0)
        out->duration_s = jl_min(out->duration_s, generator->options->max_duration_s);
    out->duration_s = jl_generate_round(out->duration_s, 1000);
    out->cores = draw_log_normal(generator, &size->cores);
    out->memory_gib = draw_log_normal(generator, &size->memory_gib);
    JL_SET(&out->work, cpu_util, between(generator, intensity->cpu_util));
    JL_SET(&out->work, memory, between(generator, intensity->memory));
    JL_SET(&out->work, io, between(generator, intensity->io));
    if (out->gpus > 0) {
        JL_SET(&out->work, feed, between(generator, intensity->feed));
        JL_SET(&out->work, gpu_util, draw_gpu_util(generator, family, out->gpus));
    }
}

struct pods {
    struct jl_draft drafts[JL_GENERATE_MOST_PODS];
    size_t count;
};

/* A pod that does cpu_share and gpu_share of the workload's units. */
static void add_pod(const struct shape *shape, struct pods *pods, const struct jl_draft *like,
                    double cpu_share, double gpu_share)
{
    struct jl_draft *draft = &pods->drafts[pods->count++];
    *draft = *like;
    draft->work = shape->work;
    if (draft->gpus == 0) {
        draft->work.given.feed = false;
        draft->work.given.gpu_util = false;
    }
    draft->cpu_units = shape->duration_s * (double)draft->cores *
                       jl_max(MIN_UTIL, shape->work.cpu_util) * cpu_share;
    draft->gpu_units = shape->duration_s * (double)shape->gpus *
                       jl_max(MIN_UTIL, shape->work.gpu_util) * gpu_share;
}

static int64_t whole(double value, double low, double high)
{
    return (int64_t)jl_clamp(floor(value + 0.5), low, high);
}

static int64_t share_of(const struct share *share, double whole_value)
{
    return whole(share->of * whole_value, share->low, share->high);
}

static struct jl_draft working_pod(const struct shape *shape, int64_t gpus, int index)
{
    const struct family *family = shape->family;
    const double memory_gib = family->gpu_class == JL_GPU_UNKNOWN
                                  ? shape->memory_gib
                                  : 2 + (double)gpus * shape->memory_gib;
    return (struct jl_draft){
        .role = family->role,
        .index = index,
        .cores = whole(shape->cores, shape->size->cores.low, shape->size->cores.high),
        .memory_gib = whole(memory_gib, 1, 4096),
        .gpus = gpus,
    };
}

/* One pod, or the helpers of a team and its workers, which have a GPU each. */
static void add_pods(struct jl_generator *generator, enum family_index index,
                     const struct shape *shape, struct pods *pods)
{
    const struct team *team = &teams[index];
    int64_t workers = shape->gpus;
    if (!team->helper) {
        const struct jl_draft only = working_pod(shape, shape->gpus, 0);
        add_pod(shape, pods, &only, 1, 1);
        return;
    }
    if (index == HPO)
        workers = shape->gpus >= 4 ? 8 : jl_random_int(&generator->draws, 2, 4);
    const int helpers = index == PARAMETER_SERVER && workers >= 4 ? 2 : 1;
    for (int i = 0; i < helpers; i++) {
        const struct jl_draft helper = {
            .role = team->helper,
            .index = i,
            .is_gang = team->is_gang,
            .cores = share_of(&team->cores, shape->cores),
            .memory_gib = share_of(&team->memory_gib, shape->memory_gib),
        };
        add_pod(shape, pods, &helper, team->helper_share / helpers, 0);
    }
    for (int i = 0; i < workers; i++) {
        struct jl_draft worker = working_pod(shape, 1, i);
        worker.is_gang = team->is_gang;
        add_pod(shape, pods, &worker, team->cpu_share / (double)workers,
                team->gpu_share / (double)workers);
    }
}

static bool draw_intent(struct jl_generator *generator, const struct family *family)
{
    const bool is_compute =
        family->cpu_class == JL_CPU_COMPUTE || family->gpu_class == JL_GPU_COMPUTE;
    const double boost = is_compute ? COMPUTE_PERF_BOOST : 1;
    return jl_random_unit(&generator->draws) < jl_min(1, generator->options->perf_ratio * boost);
}

/* The last workload gives way to a single pod when its pods would exceed the number of jobs that
 * was asked for. */
static void draw_workload(struct jl_generator *generator, double submit_s)
{
    const int64_t room = generator->options->jobs - generator->jobs;
    enum family_index index = draw_family(generator);
    struct shape shape;
    struct pods pods = { .count = 0 };
    draw_shape(generator, index, &shape);
    add_pods(generator, index, &shape, &pods);
    if ((int64_t)pods.count > room) {
        index = SINGLE;
        pods.count = 0;
        draw_shape(generator, index, &shape);
        add_pods(generator, index, &shape, &pods);
    }
    const struct jl_draft_workload workload = {
        .number = ++generator->workloads,
        .type = shape.family->type,
        .submit_s = jl_generate_round(submit_s, 1000),
        .duration_s = shape.duration_s,
        .is_performance = draw_intent(generator, shape.family),
        .is_amd =
            shape.gpus > 0 && jl_random_unit(&generator->draws) < generator->options->amd_ratio,
        .is_gang = pods.drafts[0].is_gang,
        .cpu_class = shape.family->cpu_class,
        .gpu_class = shape.family->gpu_class,
    };
    jl_generate_write(generator, &workload, pods.drafts, pods.count);
}

static bool is_full(const struct jl_generator *generator)
{
    return generator->out->is_failed || generator->jobs >= generator->options->jobs;
}

/* Jobs spread over a given time: the share of the jobs that came before is the share of the
 * stretched clock. */
static int spread_over_hours(struct jl_generator *generator, struct jl_arena *arena)
{
    size_t hours = 0;
    size_t hint = 0;
    const double *edges = stretched_hours(generator, arena, &hours);
    if (!edges)
        return JOULIE_E_NOMEM;
    const double step = 1.0 / (double)generator->options->jobs;
    while (!is_full(generator)) {
        const double jitter = jl_random_unit(&generator->arrivals);
        const double share = step * ((double)generator->jobs + jitter);
        draw_workload(generator, time_at_share(generator, edges, hours, share, &hint));
    }
    return 0;
}

int jl_generate_default(struct jl_generator *generator, struct jl_arena *arena)
{
    struct calendar calendar = { .day = -1 };
    double now_s = 0;
    if (generator->options->hours > 0)
        return spread_over_hours(generator, arena);
    while (!is_full(generator)) {
        now_s = next_arrival(generator, &calendar, now_s);
        draw_workload(generator, now_s);
    }
    return 0;
}
