/* SPDX-License-Identifier: Apache-2.0 */

/*
 * joulie_workload_generate(): options of generated traces with their defaults and bounds, and their
 * seeds. Jobs are drawn in generate_default.c and generate_diurnal.c
 * (docs/rules/workloads.md#generators).
 */

#include "sim/generate.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "sim/emit.h"
#include "sim/generate_load.h"

#define MOST_JOBS 100000000
#define MOST_HOURS 87660 /* ten years */
#define MOST_NODES 1000000
#define MOST_LOAD 2
#define MOST_RATE 1e9 /* per minute */
#define HALVINGS 24
#define MOST_MISFITS 10000 /* jobs in a row that no machine takes; the rarest kind is one of 50 */

struct option {
    const char *name; /* as the command line has it */
    uint64_t bit;     /* of has */
    size_t offset;    /* of its member */
    bool is_whole;    /* int64_t, not double */
    double low;
    double high;
    double by_default; /* default mode */
    double in_diurnal; /* diurnal mode */
};

#define OPTION(bit_name, member) \
    JOULIE_WORKLOAD_HAS_##bit_name, offsetof(struct joulie_workload_options, member)
#define SHARE(name, bit_name, member, value)                      \
    {                                                             \
        name, OPTION(bit_name, member), false, 0, 1, value, value \
    }

static const struct option options[] = {
    { "jobs", OPTION(JOBS, jobs), true, 0, MOST_JOBS, 50, 0 },
    { "hours", OPTION(HOURS, hours), false, 0, MOST_HOURS, 0, 48 },
    { "max-duration", OPTION(MAX_DURATION, max_duration_s), false, 0, 3600.0 * MOST_HOURS, 0, 0 },
    SHARE("perf-ratio", PERF_RATIO, perf_ratio, 0.30),
    SHARE("gpu-ratio", GPU_RATIO, gpu_ratio, 0.80),
    SHARE("amd-gpu-ratio", AMD_RATIO, amd_ratio, 0),
    { "mean-inter-arrival", OPTION(MEAN_INTER_ARRIVAL, mean_inter_arrival_s), false, 0,
      3600.0 * MOST_HOURS, 5, 5 },
    { "peak-rate", OPTION(PEAK_RATE, peak_rate_per_min), false, 0, MOST_RATE, 80, 80 },
    SHARE("burst-prob", BURST_PROB, burst_prob, 0.10),
    { "burst-min", OPTION(BURST_MIN, burst_min), true, 1, MOST_JOBS, 20, 20 },
    { "burst-max", OPTION(BURST_MAX, burst_max), true, 1, MOST_JOBS, 80, 80 },
    { "min-gpu-request", OPTION(MIN_GPUS, min_gpus), true, 0, 1024, 0, 0 },
    { "base-speed", OPTION(BASE_SPEED, base_speed), false, 0, 1e9, 2, 2 },
    { "work-scale", OPTION(WORK_SCALE, work_scale), false, 0, 1e9, 1, 1 },
    SHARE("training-perf-ratio", TRAINING_PERF_RATIO, training_perf_ratio, 1),
    { "nodes", OPTION(NODES, nodes), true, 0, MOST_NODES, 0, 0 },
    { "load", OPTION(LOAD, load), false, 0, MOST_LOAD, 0, 0 },
};

static int fail_bounds(const char *name, struct joulie_error *err)
{
    return jl_fail(err, JOULIE_E_RANGE, name, "%s is outside its bounds", name);
}

/* The default of an option that has no bit, else its bounds. */
static int take_option(const struct option *option, bool is_diurnal,
                       struct joulie_workload_options *mine, struct joulie_error *err)
{
    void *member = (char *)mine + option->offset;
    double value = is_diurnal ? option->in_diurnal : option->by_default;
    if ((mine->has & option->bit) != 0)
        value = option->is_whole ? (double)*(int64_t *)member : *(double *)member;
    else if (option->is_whole)
        *(int64_t *)member = (int64_t)value;
    else
        *(double *)member = value;
    if (value >= option->low && value <= option->high)
        return 0;
    return fail_bounds(option->name, err);
}

static int check_load(const struct joulie_workload_options *mine, struct joulie_error *err)
{
    if ((mine->has & JOULIE_WORKLOAD_HAS_LOAD) == 0)
        return 0;
    if (mine->load <= 0)
        return fail_bounds("load", err);
    if (!mine->inventory)
        return jl_fail(err, JOULIE_E_REQUIRED, "inventory", "a load is one of an inventory");
    if ((mine->has & JOULIE_WORKLOAD_HAS_PEAK_RATE) != 0)
        return jl_fail(err, JOULIE_E_CONFLICT, "load", "a load and a peak rate are both given");
    return 0;
}

static int take_options(struct joulie_workload_options *mine, bool is_diurnal,
                        struct joulie_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < JL_COUNT(options) && rc == 0; i++)
        rc = take_option(&options[i], is_diurnal, mine, err);
    if (rc < 0)
        return rc;
    if (mine->burst_max < mine->burst_min)
        return fail_bounds("burst-max", err);
    if (!is_diurnal && mine->jobs == 0)
        return jl_fail(err, JOULIE_E_REQUIRED, "jobs", "the default mode needs a number of jobs");
    if (is_diurnal && mine->hours <= 0)
        return jl_fail(err, JOULIE_E_REQUIRED, "hours", "the diurnal mode needs a number of hours");
    if (!is_diurnal && mine->inventory)
        return jl_fail(err, JOULIE_E_CONFLICT, "inventory", "an inventory is for the diurnal mode");
    rc = check_load(mine, err);
    if (rc < 0)
        return rc;
    if (!(mine->has & JOULIE_WORKLOAD_HAS_SEED))
        mine->seed = 1;
    if (!(mine->has & JOULIE_WORKLOAD_HAS_RECORDS))
        mine->has_records = 1;
    if (!mine->name_space)
        mine->name_space = "default";
    return 0;
}

/* Arrivals have a stream of their own, so that another rate changes no job. */
static struct jl_generator generator_of(const struct joulie_workload_options *mine,
                                        const struct jl_generate_machines *machines)
{
    struct jl_random seeds = { mine->seed };
    struct jl_generator generator = { .options = mine, .machines = machines };
    generator.arrivals.state = jl_random_next(&seeds);
    generator.draws.state = jl_random_next(&seeds);
    return generator;
}

/* Traces of one seed at several rates. */
struct rates {
    struct joulie_workload_options options; /* with the rate that is tried */
    const struct jl_generate_machines *machines;
    struct jl_generator generator;
    struct jl_generate_drawn drawn;
    struct jl_generate_demand demand; /* at that rate */
};

static double load_at(struct rates *rates, double rate_per_min)
{
    struct jl_generator *generator = &rates->generator;
    rates->options.peak_rate_per_min = rate_per_min;
    rates->demand = (struct jl_generate_demand){ .machines = rates->machines,
                                                 .end_s = rates->options.hours * 3600 };
    generator->jobs = 0;
    jl_generate_diurnal(generator);
    return jl_generate_load(&rates->demand);
}

/* Whether higher rates are worth a trial. */
static int check_jobs(const struct rates *rates, struct joulie_error *err)
{
    double used = 0;
    if (rates->drawn.is_failed)
        return jl_fail_memory(err);
    for (int i = 0; i < JL_GENERATE_RESOURCES; i++)
        used += rates->demand.used[i];
    if (rates->generator.jobs >= MOST_MISFITS && used <= 0)
        return jl_fail(err, JOULIE_E_RANGE, "load",
                       "no machine takes any of %d jobs, or they have no work", MOST_MISFITS);
    if (rates->generator.jobs >= MOST_JOBS || rates->options.peak_rate_per_min > MOST_RATE)
        return jl_fail(err, JOULIE_E_RANGE, "load", "no rate of arrivals comes to this load");
    return 0;
}

/* A rate that comes to less than the load, and one that comes to it or to more. */
static int bracket_rate(struct rates *rates, double load, double *low, double *high,
                        struct joulie_error *err)
{
    int rc = 0;
    *low = 0;
    *high = 1.0 / MOST_HOURS;
    while (rc == 0 && load_at(rates, *high) < load) {
        rc = check_jobs(rates, err);
        *low = *high;
        *high *= 2;
    }
    return rc;
}

/*
 * The peak rate whose jobs come to the load: the jobs are the same at every rate, a higher one
 * brings more of them into the hours. So the load of the very trace is met, not that of a mean one.
 */
static int find_rate(struct joulie_workload_options *mine, struct rates *rates,
                     struct joulie_error *err)
{
    double low;
    double high;
    int rc = bracket_rate(rates, mine->load, &low, &high, err);
    for (int i = 0; i < HALVINGS && rc == 0; i++) {
        const double middle = low + (high - low) / 2;
        if (load_at(rates, middle) < mine->load)
            low = middle;
        else
            high = middle;
    }
    mine->peak_rate_per_min = high;
    return rc == 0 && rates->drawn.is_failed ? jl_fail_memory(err) : rc;
}

static int meet_load(struct joulie_workload_options *mine,
                     const struct jl_generate_machines *machines, struct joulie_error *err)
{
    struct rates rates = { .options = *mine, .machines = machines };
    rates.generator = generator_of(&rates.options, machines);
    rates.generator.demand = &rates.demand;
    rates.generator.drawn = &rates.drawn;
    const int rc = find_rate(mine, &rates, err);
    jl_free(rates.drawn.arrivals);
    jl_free(rates.drawn.asks);
    return rc;
}

static int generate(struct joulie_workload_options *mine, bool is_diurnal, struct jl_buffer *out,
                    struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_generate_machines_clear) struct jl_generate_machines machines = { 0 };
    int rc = mine->inventory ? jl_generate_machines_read(&machines, mine, err) : 0;
    if (rc == 0 && mine->load > 0)
        rc = meet_load(mine, &machines, err);
    if (rc < 0)
        return rc;
    struct jl_generator generator = generator_of(mine, mine->inventory ? &machines : NULL);
    generator.out = out;
    rc = jl_sim_no_eco_affinity(&arena, &generator.no_eco);
    if (rc == 0 && is_diurnal)
        jl_generate_diurnal(&generator);
    else if (rc == 0)
        rc = jl_generate_default(&generator, &arena);
    return rc < 0 || out->is_failed ? jl_fail_memory(err) : 0;
}

static int take_all(struct joulie_workload_options *mine, bool *out_is_diurnal,
                    struct joulie_error *err)
{
    const char *mode = mine->mode ? mine->mode : "default";
    *out_is_diurnal = jl_same(mode, "diurnal");
    if (!*out_is_diurnal && !jl_same(mode, "default"))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "mode", "there is no mode \"%.64s\"", mode);
    return take_options(mine, *out_is_diurnal, err);
}

int jl_generate_check(const struct joulie_workload_options *from, struct joulie_error *err)
{
    struct joulie_workload_options mine = *from;
    bool is_diurnal;
    return take_all(&mine, &is_diurnal, err);
}

int joulie_workload_generate(const struct joulie_workload_options *from, char **trace,
                             struct joulie_error *err)
{
    struct jl_buffer buffer = { 0 };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    struct joulie_workload_options mine;
    if (jl_sized_check(from, sizeof *from) < 0 || jl_sized_read(&mine, sizeof mine, from) < 0 ||
        mine.reserved != 0)
        return jl_fail(err, JOULIE_E_ABI, "", "struct joulie_workload_options of another release");
    bool is_diurnal;
    int rc = take_all(&mine, &is_diurnal, &detail);
    if (rc == 0)
        rc = generate(&mine, is_diurnal, &buffer, &detail);
    return jl_sim_hand_out(&buffer, rc, &detail, trace, err);
}
