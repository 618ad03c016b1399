/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The default mode against the tables of docs/rules/workloads.md#default-mode: this file draws
 * every workload itself, from the same seed in the same order, so that a number of the tables that
 * is 1 % off gives another trace. The order of draws is part of the promise that a seed is a trace.
 */

#include <math.h>
#include <string.h>

#include <joulie/sim.h>

#include "base/random.h"
#include "sim/trace.h"
#include "support/test.h"

#define JOBS 3000
#define SEEDS 6 /* the first with the usual rate; days with bursts and dips among the others */
#define MOST_PODS 16
#define GIB 1073741824.0

struct log_normal {
    double median, sigma, low, high;
};

struct family {
    const char *type;
    const char *role;
    double cpu_util[2], memory[2], io[2], feed[2];
    struct log_normal duration_s, cores, gib;
    double gpu_util_less;
    bool is_compute;
};

static const struct family cpu_families[] = {
    { "cpu_preprocess",
      "task",
      { .5, .75 },
      { .7, .92 },
      { .1, .3 },
      { 0 },
      { 900, .8, 120, 28800 },
      { 16, .45, 4, 64 },
      { 6, .45, 1, 64 },
      0,
      false },
    { "cpu_analytics",
      "task",
      { .75, .95 },
      { .2, .45 },
      { .05, .25 },
      { 0 },
      { 1800, .9, 300, 86400 },
      { 32, .5, 8, 128 },
      { 10, .5, 2, 128 },
      0,
      true },
};

static const struct family gpu_families[] = {
    { "debug_eval",
      "eval",
      { .2, .4 },
      { .55, .85 },
      { .05, .2 },
      { .15, .35 },
      { 206, 1, 30, 1000 },
      { 2, .35, 1, 16 },
      { 4, .35, 2, 32 },
      .1,
      false },
    { "single_gpu_training",
      "trainer",
      { .2, .45 },
      { .3, .6 },
      { .05, .25 },
      { .25, .55 },
      { 7200, 1, 900, 604800 },
      { 4, .35, 1, 16 },
      { 10, .35, 2, 32 },
      0,
      true },
    { "distributed_training",
      "worker",
      { .15, .35 },
      { .45, .75 },
      { .05, .25 },
      { .35, .7 },
      { 14400, 1.2, 1200, 1209600 },
      { 4, .35, 1, 16 },
      { 12, .35, 2, 32 },
      .08,
      true },
    { "parameter_server_training",
      "worker",
      { .2, .4 },
      { .7, .92 },
      { .05, .25 },
      { .4, .75 },
      { 10800, 1.1, 900, 604800 },
      { 5, .35, 1, 16 },
      { 14, .35, 2, 32 },
      .1,
      true },
    { "hpo_experiment",
      "trial",
      { .15, .35 },
      { .35, .7 },
      { .05, .25 },
      { .2, .45 },
      { 7200, 1, 1200, 259200 },
      { 2, .35, 1, 16 },
      { 6, .35, 2, 32 },
      .05,
      false },
};

enum { DISTRIBUTED = 2, SERVERS = 3, TRIALS = 4 };

static const double hours[24] = { .15, .12, .10, .10, .12, .20, .40, .65, .85, 1,   1,   .95,
                                  .80, .85, 1,   1,   .95, .85, .65, .50, .40, .30, .22, .18 };

struct pod {
    const char *role;
    double cores, gib, cpu_units, gpu_units;
    int64_t gpus;
};

struct workload {
    const struct family *family;
    bool is_gang, is_performance;
    double submit_s, cpu_util, memory, io, feed, gpu_util;
    struct pod pods[MOST_PODS];
    size_t count;
};

struct maker {
    struct jl_random arrivals, draws;
    double now_s;
    double mean_s; /* between two arrivals at the usual rate */
    int64_t day;
    double multiplier[24];
};

static double limited(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

static size_t pick(struct jl_random *random, const double *shares, size_t count)
{
    double left = jl_random_unit(random);
    for (size_t i = 0; i + 1 < count; i++) {
        if (left < shares[i])
            return i;
        left -= shares[i];
    }
    return count - 1;
}

static double log_normal(struct jl_random *random, const struct log_normal *from)
{
    return limited(from->median * exp(from->sigma * jl_random_normal(random)), from->low,
                   from->high);
}

static double uniform(struct jl_random *random, const double range[2])
{
    return range[0] + (range[1] - range[0]) * jl_random_unit(random);
}

/* ---- arrivals ---- */

static void start_day(struct maker *maker, int64_t day)
{
    static const size_t bursts[] = { 10, 11, 14, 15, 16 };
    static const size_t dips[] = { 3, 4, 5, 19, 20, 21 };
    maker->day = day;
    memcpy(maker->multiplier, hours, sizeof hours);
    if (jl_random_unit(&maker->arrivals) < .25) {
        double *hour = &maker->multiplier[bursts[jl_random_int(&maker->arrivals, 0, 4)]];
        *hour = 2 * *hour + 8.0 / 16;
    }
    if (jl_random_unit(&maker->arrivals) < .30)
        maker->multiplier[dips[jl_random_int(&maker->arrivals, 0, 5)]] *= .08;
    for (size_t i = 0; i < 24; i++)
        maker->multiplier[i] = fmax(maker->multiplier[i], .05);
}

static double arrive(struct maker *maker)
{
    const int64_t hour = (int64_t)(maker->now_s / 3600);
    if (hour / 24 != maker->day)
        start_day(maker, hour / 24);
    maker->now_s +=
        maker->mean_s * jl_random_exponential(&maker->arrivals) / maker->multiplier[hour % 24];
    return maker->now_s;
}

/* ---- pods ---- */

struct shape {
    double duration_s, cores, gib;
    int64_t gpus;
};

static double whole(double value, double low, double high)
{
    return limited(floor(value + .5), low, high);
}

static void add(struct workload *out, const struct shape *shape, struct pod pod, double cpu_share,
                double gpu_share)
{
    pod.cpu_units = shape->duration_s * pod.cores * fmax(.1, out->cpu_util) * cpu_share;
    pod.gpu_units = shape->duration_s * (double)shape->gpus * fmax(.1, out->gpu_util) * gpu_share;
    out->pods[out->count++] = pod;
}

static void add_workers(struct workload *out, const struct shape *shape, int64_t count,
                        double cpu_share, double gpu_share)
{
    const struct log_normal *cores = &out->family->cores;
    const struct pod worker = { .role = out->family->role,
                                .cores = whole(shape->cores, cores->low, cores->high),
                                .gib = whole(2 + shape->gib, 1, 4096),
                                .gpus = 1 };
    for (int64_t i = 0; i < count; i++)
        add(out, shape, worker, cpu_share / (double)count, gpu_share / (double)count);
}

static void add_pods(struct maker *maker, struct workload *out, const struct shape *shape,
                     size_t kind)
{
    const int servers = shape->gpus >= 4 ? 2 : 1;
    if (shape->gpus > 0 && kind == DISTRIBUTED) {
        const struct pod launcher = { .role = "launcher",
                                      .cores = whole(.5 * shape->cores, 1, 4),
                                      .gib = whole(.4 * shape->gib, 1, 8) };
        add(out, shape, launcher, .25, 0);
        add_workers(out, shape, shape->gpus, .9, 1);
        out->is_gang = true;
    } else if (shape->gpus > 0 && kind == SERVERS) {
        const struct pod server = { .role = "ps",
                                    .cores = whole(.75 * shape->cores, 1, 6),
                                    .gib = whole(shape->gib, 2, 16) };
        for (int i = 0; i < servers; i++)
            add(out, shape, server, .35 / servers, 0);
        add_workers(out, shape, shape->gpus, .85, 1);
        out->is_gang = true;
    } else if (shape->gpus > 0 && kind == TRIALS) {
        const int64_t trials = shape->gpus >= 4 ? 8 : jl_random_int(&maker->draws, 2, 4);
        add(out, shape, (struct pod){ .role = "controller", .cores = 1, .gib = 1 }, .1, 0);
        add_workers(out, shape, trials, .9, .9);
    } else {
        const double gib = shape->gpus > 0 ? 2 + (double)shape->gpus * shape->gib : shape->gib;
        const struct log_normal *cores = &out->family->cores;
        add(out, shape,
            (struct pod){ .role = out->family->role,
                          .cores = whole(shape->cores, cores->low, cores->high),
                          .gib = whole(gib, 1, 4096),
                          .gpus = shape->gpus },
            1, 1);
    }
}

static double mean_gpu_util(int64_t gpus)
{
    return gpus == 1 ? .5238 : gpus == 2 ? .5 : gpus == 4 ? .4518 : .5899;
}

static void draw(struct maker *maker, struct workload *out)
{
    static const double gpu_shares[] = { .45, .25, .14, .07, .09 };
    static const double cpu_shares[] = { .75, .25 };
    static const double count_shares[] = { .8, .1, .07, .03 };
    struct jl_random *draws = &maker->draws;
    struct shape shape = { 0 };
    *out = (struct workload){ .submit_s = arrive(maker) };
    const bool is_gpu = jl_random_unit(draws) < .80;
    const size_t kind = is_gpu ? pick(draws, gpu_shares, 5) : pick(draws, cpu_shares, 2);
    const struct family *family = is_gpu ? &gpu_families[kind] : &cpu_families[kind];
    out->family = family;
    if (is_gpu)
        shape.gpus = 1 << pick(draws, count_shares, 4);
    shape.duration_s = log_normal(draws, &family->duration_s);
    if (is_gpu && kind == DISTRIBUTED && shape.gpus >= 4)
        shape.duration_s = fmin(1.2 * shape.duration_s, family->duration_s.high);
    shape.cores = log_normal(draws, &family->cores);
    shape.gib = log_normal(draws, &family->gib);
    out->cpu_util = uniform(draws, family->cpu_util);
    out->memory = uniform(draws, family->memory);
    out->io = uniform(draws, family->io);
    if (is_gpu) {
        const double spread = shape.gpus >= 4 ? .16 : .12;
        out->feed = uniform(draws, family->feed);
        out->gpu_util = limited(mean_gpu_util(shape.gpus) - family->gpu_util_less +
                                    uniform(draws, (const double[]){ -spread, spread }),
                                0, 1);
    }
    add_pods(maker, out, &shape, kind);
    out->is_performance = jl_random_unit(draws) < fmin(1, .30 * (family->is_compute ? 3.5 : 1));
    if (is_gpu)
        (void)jl_random_unit(draws); /* whose GPUs: none are AMD's */
}

/* ---- the trace ---- */

/* Work has three decimals, shares four; a duration of three was behind the work. */
static void check_units(double units, double expected)
{
    assert_near(units, expected, .002 + 1e-5 * expected);
}

static void check_job(const struct jl_trace_job *job, const struct workload *workload,
                      const struct pod *pod)
{
    assert_string_equal(job->workload_type, workload->family->type);
    assert_string_equal(job->pod_role, pod->role);
    assert_int_equal(job->is_gang, workload->is_gang);
    assert_int_equal(job->is_performance, workload->is_performance);
    assert_near(job->submit_s, workload->submit_s, .00051);
    assert_near(job->cpu_cores, pod->cores, 0);
    assert_near((double)job->memory_bytes, pod->gib * GIB, 0);
    assert_int_equal(job->gpu_count, pod->gpus);
    assert_near(job->work.cpu_util, workload->cpu_util, .000051);
    assert_near(job->work.memory, workload->memory, .000051);
    assert_near(job->work.io, workload->io, .000051);
    if (pod->gpus > 0) {
        assert_near(job->work.feed, workload->feed, .000051);
        assert_near(job->work.gpu_util, workload->gpu_util, .000051);
    }
    check_units(job->cpu_units, pod->cpu_units);
    check_units(job->gpu_units, pod->gpu_units);
}

static void check_trace(uint64_t seed, double mean_s)
{
    struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_random seeds = { seed };
    struct maker maker = { .day = -1, .mean_s = mean_s };
    struct workload workload;
    struct jl_trace trace;
    char *text = NULL;
    maker.arrivals.state = jl_random_next(&seeds);
    maker.draws.state = jl_random_next(&seeds);
    options.has = JOULIE_WORKLOAD_HAS_JOBS | JOULIE_WORKLOAD_HAS_SEED;
    options.jobs = JOBS;
    options.seed = seed;
    if (mean_s != 5) {
        options.has |= JOULIE_WORKLOAD_HAS_MEAN_INTER_ARRIVAL;
        options.mean_inter_arrival_s = mean_s;
    }
    assert_int_equal(joulie_workload_generate(&options, &text, &err), 0);
    assert_int_equal(jl_trace_read(text, strlen(text), false, &trace, &err), 0);
    assert_int_equal(trace.count, JOBS);
    for (size_t i = 0; i + MOST_PODS < trace.count; i += workload.count) {
        draw(&maker, &workload);
        for (size_t pod = 0; pod < workload.count; pod++)
            check_job(&trace.jobs[i + pod], &workload, &workload.pods[pod]);
    }
    jl_trace_clear(&trace);
    joulie_free(text);
}

static void a_trace_is_what_the_tables_say(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        check_trace(seed, seed == 1 ? 5 : 180); /* 180 s: some six days */
}

/* The bounds of the options, and the value just outside of each. */
static void options_end_where_they_should(void **state)
{
    static const struct {
        const char *option;
        double last;
        double outside;
    } ends[] = { { "hours", 87660, 87661 }, { "burst-prob", 1, 1.001 } };

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        for (int is_outside = 0; is_outside < 2; is_outside++) {
            struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
            struct joulie_error err = JOULIE_INIT(struct joulie_error);
            char *text = NULL;
            const double value = is_outside ? ends[i].outside : ends[i].last;
            options.has = JOULIE_WORKLOAD_HAS_JOBS |
                          (i == 0 ? JOULIE_WORKLOAD_HAS_HOURS : JOULIE_WORKLOAD_HAS_BURST_PROB);
            options.jobs = 1;
            options.hours = value;
            options.burst_prob = value;
            assert_int_equal(joulie_workload_generate(&options, &text, &err),
                             is_outside ? JOULIE_E_RANGE : 0);
            assert_string_equal(err.where, is_outside ? ends[i].option : "");
            joulie_free(text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_is_what_the_tables_say),
        cmocka_unit_test(options_end_where_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
