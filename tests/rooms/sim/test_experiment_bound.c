/* SPDX-License-Identifier: Apache-2.0 */

/* What any schedule needs at least: worked out by hand for machines whose power is simple. Whole
 * traces are compared with a second model in tests/vectors/model. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/experiment.h"
#include "sim/experiment_fluid.h"
#include "support/test.h"

#define END_S ((double)JL_FLUID_SLOTS) /* slots of a second */

/* Ten cores, power in proportion to the load. */
static struct jl_fluid_family straight(double full_w, double speed)
{
    struct jl_fluid_family family = { .machines = 1, .cores = 10, .speed = speed };
    for (int i = 0; i < JL_CURVE_POINTS; i++)
        family.curve_w[i] = 20 + full_w * i / (JL_CURVE_POINTS - 1);
    return family;
}

static struct jl_fluid_job job_of(double cores, double util, double seconds)
{
    return (struct jl_fluid_job){
        .util = util, .cores = cores, .work = cores * util * seconds, .fast = 1, .slow = 1
    };
}

static double least_j(const struct jl_fluid_job *given, size_t count,
                      const struct jl_fluid_family *families, size_t family_count, bool is_asleep)
{
    struct jl_fluid_job jobs[4];
    struct jl_fluid fluid;
    double found_j = -1;
    memcpy(jobs, given, count * sizeof *jobs);
    assert_int_equal(jl_fluid_init(&fluid, jobs, count, END_S), 0);
    assert_int_equal(jl_fluid_least_j(&fluid, families, family_count, is_asleep, &found_j), 0);
    jl_fluid_clear(&fluid);
    return found_j;
}

/* The curve of two sockets of a 9654, above idle 314 W at 60 %: no load takes less of a core.
 * Asleep 498 W at 70 % is what a core takes least at. */
static void a_machine_is_loaded_as_is_best_for_it(void **state)
{
    const struct jl_fluid_family family = {
        .machines = 40,
        .cores = 192,
        .speed = 1,
        .curve_w = { 128, 257, 300, 340, 378, 410, 442, 498, 577, 697, 817 },
    };
    const struct jl_fluid_job job = job_of(96, 0.3, 100);
    (void)state;
    const double loads = 96 * 0.3 / 192 * 100;
    assert_near(least_j(&job, 1, &family, 1, false), loads * 314 / 0.6, 1e-6);
    assert_near(least_j(&job, 1, &family, 1, true), loads * 498 / 0.7, 1e-6);
}

/* 10 J and 20 J for a second of a busy core. */
static void the_cheapest_machines_are_filled_first(void **state)
{
    const struct jl_fluid_family both[] = { straight(100, 1), straight(200, 1) };
    const struct jl_fluid_job busy = job_of(15, 1, 100);
    const struct jl_fluid_job lazy = job_of(15, 0.5, 100);
    const struct jl_fluid_job two[] = { job_of(10, 0.5, 100), job_of(10, 1, 100) };
    (void)state;
    assert_near(least_j(&busy, 1, both, 2, false), 1000 * 10 + 500 * 20, 1e-6);
    /* jobs hold their cores, busy or not */
    assert_near(least_j(&lazy, 1, both, 2, false), 500 * 10 + 250 * 20, 1e-6);
    /* the busiest cores go where they cost least */
    assert_near(least_j(two, 2, both, 2, false), 1000 * 10 + 500 * 20, 1e-6);
    /* 10 + 10 + 5 of 25 cores that are half busy */
    const struct jl_fluid_family three[] = { straight(100, 1), straight(200, 1), straight(300, 1) };
    const struct jl_fluid_job wide = job_of(25, 0.5, 100);
    assert_near(least_j(&wide, 1, three, 3, false), 500 * 10 + 500 * 20 + 250 * 30, 1e-6);
}

static void work_that_may_wait_is_spread_over_time(void **state)
{
    const struct jl_fluid_family both[] = { straight(100, 1), straight(200, 1) };
    struct jl_fluid_job job = job_of(15, 1, 100);
    (void)state;
    job.wait_s = 20; /* the cheap machine works until 120 s */
    assert_near(least_j(&job, 1, both, 2, false), 1200 * 10 + 300 * 20, 1e-6);
    job.wait_s = 1000; /* nobody works after the end */
    assert_near(least_j(&job, 1, both, 2, false), 1440 * 10 + 60 * 20, 1e-6);
    job.wait_s = 0;
    job.is_late = true;
    assert_near(least_j(&job, 1, both, 2, false), 1440 * 10 + 60 * 20, 1e-6);
}

/* Of two jobs at different times each has the cheap machine for itself. */
static void work_is_not_done_before_it_comes(void **state)
{
    const struct jl_fluid_family both[] = { straight(100, 1), straight(200, 1) };
    struct jl_fluid_job jobs[] = { job_of(10, 1, 50), job_of(10, 1, 50) };
    (void)state;
    assert_near(least_j(jobs, 2, both, 2, false), 500 * 10 + 500 * 20, 1e-6);
    jobs[1].submit_s = 50;
    assert_near(least_j(jobs, 2, both, 2, false), 1000 * 10, 1e-6);
    jobs[1].submit_s = 30;
    assert_near(least_j(jobs, 2, both, 2, false), 800 * 10 + 200 * 20, 1e-6);
}

/* At twice the speed a busy core costs 15 J for what one of the others does for 10 J. */
static void a_faster_core_costs_less_where_it_takes_less_for_the_same_work(void **state)
{
    const struct jl_fluid_family both[] = { straight(300, 2), straight(100, 1) };
    struct jl_fluid_job job = job_of(5, 1, 100);
    (void)state;
    job.fast = 2;
    assert_near(least_j(&job, 1, both, 2, false), 500 * 10, 1e-6);
    const struct jl_fluid_family cheap[] = { straight(150, 2), straight(100, 1) };
    assert_near(least_j(&job, 1, cheap, 2, false), 500 * 7.5, 1e-6);
}

/* Two jobs of ten cores overlap for a quarter of a second, in the middle of a slot. */
static void a_part_of_a_slot_counts_as_such(void **state)
{
    const struct jl_fluid_family both[] = { straight(100, 1), straight(200, 1) };
    struct jl_fluid_job jobs[] = { job_of(10, 1, 50.5), job_of(10, 1, 50) };
    (void)state;
    jobs[1].submit_s = 50.5;
    assert_near(least_j(jobs, 2, both, 2, false), 1005 * 10, 1e-6);
    jobs[1].submit_s = 50.25;
    assert_near(least_j(jobs, 2, both, 2, false), 1002.5 * 10 + 2.5 * 20, 1e-6);
}

/* Five busy cores of one job and five of the ten half busy ones of another fill the cheap machine.
 */
static void the_busiest_cores_fill_a_machine_first(void **state)
{
    const struct jl_fluid_family both[] = { straight(100, 1), straight(200, 1) };
    const struct jl_fluid_job jobs[] = { job_of(10, 0.5, 100), job_of(5, 1, 100) };
    (void)state;
    assert_near(least_j(jobs, 2, both, 2, false), 750 * 10 + 250 * 20, 1e-6);
}

/* The first machine takes 5 J for work up to half of its load and 50 J above, the second 20 J. */
static void a_machine_is_loaded_further_when_the_others_are_full(void **state)
{
    static const struct {
        double cores;
        double util;
        double work[3]; /* at 5, 20 and 50 J */
    } rows[] = {
        { 4, 1, { 400, 0, 0 } },
        { 15, 1, { 500, 1000, 0 } },
        { 18, 1, { 500, 1000, 300 } },
        /* half busy cores: five of ten in the first machine are half of its load */
        { 15, 0.5, { 500, 250, 0 } },
        { 25, 0.5, { 500, 500, 250 } },
    };

    struct jl_fluid_family both[] = { straight(0, 1), straight(200, 1) };
    (void)state;
    for (int i = 0; i < JL_CURVE_POINTS; i++)
        both[0].curve_w[i] = i <= 5 ? 20 + 5 * i : 45 + 50 * (i - 5);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_fluid_job job = job_of(rows[i].cores, rows[i].util, 100);
        assert_near(least_j(&job, 1, both, 2, false),
                    rows[i].work[0] * 5 + rows[i].work[1] * 20 + rows[i].work[2] * 50, 1e-6);
    }
}

/* ---- jobs of a trace ---- */

/* Ten cores in two machines, and as much at the double price. */
static void cpu_families(struct jl_sim_family families[2])
{
    for (int i = 0; i < 2; i++) {
        families[i] = (struct jl_sim_family){ .cores = 5, .gpus = 1 };
        families[i].profile.relative_speed = 1;
        for (int point = 0; point < JL_CURVE_POINTS; point++)
            families[i].profile.curve_w[point] = 20 + 5 * (i + 1) * point;
    }
}

/* Above idle, of one job up to END_S. */
static double dynamic_j(struct jl_sim_family *families, size_t family_count,
                        const struct jl_trace_job *job, const struct jl_experiment_bound *limits,
                        size_t gang)
{
    struct jl_sim_machine machines[8];
    struct jl_sim_task task = { .job = job, .gang = gang };
    struct jl_sim_shape shape = { .gpus = job->gpu_count, .memory_bytes = job->memory_bytes };
    struct jl_inventory inventory = { .families = families,
                                      .family_count = family_count,
                                      .machines = machines,
                                      .count = 2 * family_count };
    struct jl_sim_workload workload = { .tasks = &task, .count = 1, .shapes = &shape };
    struct jl_experiment_bound bound = *limits;
    bound.end_s = END_S;
    for (size_t i = 0; i < inventory.count; i++)
        machines[i] = (struct jl_sim_machine){ .family = &families[i / 2] };
    assert_int_equal(jl_experiment_bound(&inventory, &workload, &bound), 0);
    return bound.cpu_dynamic_j;
}

/* 100 s of 15 cores; ten of them are cheap, and work until the longest wait is over as well. */
static void a_job_waits_as_long_as_one_of_its_kind_did(void **state)
{
    static const struct {
        int64_t gpus;
        struct jl_experiment_bound limits;
        size_t gang;
        double cheap_s;
    } rows[] = {
        { 0, { .cpu_wait_s = 0 }, JL_NO_GANG, 100 },
        { 0, { .cpu_wait_s = 20, .gpu_wait_s = 7 }, JL_NO_GANG, 120 },
        { 1, { .cpu_wait_s = 20, .gpu_wait_s = 7 }, JL_NO_GANG, 107 },
        { 0,
          { .cpu_wait_s = 0 },
          0,
          END_S }, /* a member of a gang waits for the others, nobody knows how long */
    };

    struct jl_sim_family families[2];
    (void)state;
    cpu_families(families);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_trace_job job = {
            .cpu_cores = 15, .cpu_units = 1500, .gpu_count = rows[i].gpus, .work = { .cpu_util = 1 }
        };
        const double cheap = 10 * rows[i].cheap_s;
        assert_near(dynamic_j(families, 2, &job, &rows[i].limits, rows[i].gang),
                    cheap * 10 + (1500 - cheap) * 20, 1e-6);
    }
}

static void a_job_that_no_machine_works_on_takes_nothing(void **state)
{
    static const struct jl_experiment_bound none = { .cpu_wait_s = 0 };
    static const struct jl_trace_job jobs[] = {
        { .cpu_cores = 15, .cpu_units = 1500 }, /* without a busy core */
        { .cpu_cores = 15, .work = { .cpu_util = 1 } },
        { .cpu_units = 1500, .work = { .cpu_util = 1 } },
        { .cpu_cores = 15, .cpu_units = 1500, .memory_bytes = 1, .work = { .cpu_util = 1 } },
    };
    struct jl_sim_family families[2];
    (void)state;
    cpu_families(families);
    for (size_t i = 0; i < JL_COUNT(jobs); i++)
        assert_near(dynamic_j(families, 2, &jobs[i], &none, JL_NO_GANG), 0, 0);
}

/* The second family is twice as fast. On the first it costs 10 J a unit, on the second 5 J or 20.
 */
static void a_job_takes_its_time_on_the_machines_that_take_it(void **state)
{
    static const struct jl_experiment_bound none = { .cpu_wait_s = 0 };
    struct jl_trace_job job = { .cpu_cores = 15, .cpu_units = 1500, .work = { .cpu_util = 1 } };
    struct jl_sim_family families[3];
    (void)state;
    /* slow ones are cheap, and work for 100 s; a third one, that would take 1000 s, does not take
     * it */
    cpu_families(families);
    families[1].profile.relative_speed = 2;
    for (int i = 0; i < JL_CURVE_POINTS; i++)
        families[1].profile.curve_w[i] = 20 + 20 * i;
    families[2] = families[1];
    families[2].profile.relative_speed = 0.1;
    for (int i = 0; i < 2; i++)
        families[i].memory_bytes = 1;
    job.memory_bytes = 1;
    assert_near(dynamic_j(families, 3, &job, &none, JL_NO_GANG), 1000 * 10 + 500 * 20, 1e-6);
    /* fast ones are cheap: 50 s before the end 5 cores can still do 500 units */
    for (int i = 0; i < JL_CURVE_POINTS; i++)
        families[1].profile.curve_w[i] = 20 + 5 * i;
    job.cpu_cores = 5;
    job.cpu_units = 500;
    job.submit_s = END_S - 50;
    assert_near(dynamic_j(families, 3, &job, &none, JL_NO_GANG), 500 * 5, 1e-6);
    const struct jl_sim_family turned[] = { families[1], families[0], families[2] };
    memcpy(families, turned, sizeof turned); /* in whatever order they are listed */
    assert_near(dynamic_j(families, 3, &job, &none, JL_NO_GANG), 500 * 5, 1e-6);
    job.submit_s = END_S - 40; /* the rest takes five slow cores, if at all */
    assert_near(dynamic_j(families, 2, &job, &none, JL_NO_GANG), 400 * 5 + 100 * 10, 1e-6);
}

static void there_is_a_bound_where_every_curve_was_measured(void **state)
{
    struct jl_sim_family families[2];
    struct jl_sim_machine machines[] = { { .family = &families[0] }, { .family = &families[1] } };
    const struct jl_inventory inventory = { .machines = machines, .count = 2 };
    (void)state;
    cpu_families(families);
    const struct jl_cpu_model *model = jl_catalog_cpu("AMD EPYC 9654");
    assert_false(jl_experiment_has_bound(&inventory));
    families[1].profile.curve_model = model;
    assert_false(jl_experiment_has_bound(&inventory));
    families[0].profile.curve_model = model;
    assert_true(jl_experiment_has_bound(&inventory));
    families[1].profile.curve_model = NULL;
    assert_false(jl_experiment_has_bound(&inventory));
}

/* ---- jobs with GPUs ---- */

/*
 * Speed under a cap is the square root of cap / natural power, and so the energy of a second at
 * full speed (cap + more) / sqrt(cap / natural): least at the lowest cap, or with more power above
 * 0 at a cap that equals it. A GPU takes 25 to 400 W, capped from 50 W on, and a quarter of the
 * machine's idle CPUs is 100 W. The CPUs' power is in proportion to the load: 400 W above idle for
 * 100 cores of speed 2, so 2 J for a unit of work, and with the idle power of machines that are
 * full 4 J.
 */
static struct jl_sim_family gpu_family(void)
{
    struct jl_sim_family family = {
        .cores = 100,
        .gpus = 4,
        .memory_bytes = 1000,
        .profile = { .relative_speed = 2,
                     .gpu = { .idle_w = 25,
                              .max_w = 400,
                              .min_cap_w = 50,
                              .compute_gamma = 0.5,
                              .relative_speed = 2 } },
    };
    for (int i = 0; i < JL_CURVE_POINTS; i++)
        family.profile.curve_w[i] = 400 + 40 * i;
    return family;
}

/* 1000 s on the four GPUs of that family, whatever its CPU part needs. */
static struct jl_trace_job gpu_job(double cpu_units)
{
    return (struct jl_trace_job){
        .cpu_cores = 10,
        .cpu_units = cpu_units,
        .gpu_count = 4,
        .gpu_units = 4 * 2 * 1000,
        .work = { .cpu_util = 1,
                  .gpu_util = 1,
                  .feed = 0.5,
                  .sensitivity_cpu = 1,
                  .sensitivity_gpu = 1 },
    };
}

/* Two machines of each of the first families; memory: of every job. */
static struct jl_experiment_bound bound_of(struct jl_sim_family *families, size_t family_count,
                                           size_t with_machines, const struct jl_trace_job *jobs,
                                           size_t count, int64_t memory_bytes)
{
    struct jl_sim_machine machines[8];
    struct jl_sim_task tasks[4];
    struct jl_sim_shape shapes[4];
    struct jl_inventory inventory = { .families = families, .family_count = family_count };
    struct jl_sim_workload workload = { .tasks = tasks, .count = count, .shapes = shapes };
    struct jl_experiment_bound bound = { .end_s = 100 * END_S };
    inventory.machines = machines;
    for (size_t i = 0; i < 2 * with_machines; i++)
        machines[inventory.count++] = (struct jl_sim_machine){ .family = &families[i / 2] };
    for (size_t i = 0; i < count; i++) {
        tasks[i] = (struct jl_sim_task){
            .job = &jobs[i], .traits = { .gpu = { 1, 0 } }, .shape = i, .gang = JL_NO_GANG
        };
        shapes[i] =
            (struct jl_sim_shape){ .gpus = jobs[i].gpu_count, .memory_bytes = memory_bytes };
    }
    assert_int_equal(jl_experiment_bound(&inventory, &workload, &bound), 0);
    return bound;
}

/* From below, by a thousandth at most. */
static void expect_least(double found_j, double expected_j)
{
    if (!(found_j <= expected_j * (1 + 1e-6) && found_j >= expected_j * (1 - 1e-3)))
        fail_msg("%.17g is not the least of %.17g", found_j, expected_j);
}

#define GPU_S 4000 /* seconds of a GPU at full speed */

static void a_gpu_is_capped_as_far_as_its_job_may_be_slowed(void **state)
{
    struct jl_sim_family family = gpu_family();
    struct jl_trace_job job = gpu_job(0);
    (void)state;
    /* a cap that slows it is none, and a tenth slower is 400 W / 1.1 / 1.1 */
    struct jl_experiment_bound bound = bound_of(&family, 1, 1, &job, 1, 0);
    const double slowed_w = 400 / 1.21;
    assert_near(bound.cpu_dynamic_j, 0, 0);
    assert_near(bound.gpu_dynamic_j, GPU_S * (400.0 - 25), 1e-6);
    assert_near(bound.asleep_j, GPU_S * (400.0 + 100), 1e-6);
    expect_least(bound.gpu_dynamic_slowed_j, GPU_S * (slowed_w - 25) * 1.1);
    expect_least(bound.asleep_slowed_j, GPU_S * (slowed_w + 100) * 1.1);
    /* its CPU part needs 1250 s: 400 W * (1000 / 1250)^2, and for a tenth more * (1 / 1.1)^2 */
    job = gpu_job(1250.0 * 10 * 2);
    bound = bound_of(&family, 1, 1, &job, 1, 0);
    expect_least(bound.gpu_dynamic_j, GPU_S * (256.0 - 25) / 0.8);
    expect_least(bound.gpu_dynamic_slowed_j, GPU_S * (256.0 / 1.21 - 25) / (0.8 / 1.1));
    assert_near(bound.cpu_dynamic_j, 25000 * 2, 1e-6);
    assert_near(bound.cpu_asleep_j, 25000 * 4, 1e-6);
    expect_least(bound.asleep_j - bound.cpu_dynamic_j, GPU_S * (256.0 + 100) / 0.8);
    /* 4000 s: the lowest cap, and 100 W where the machine's share counts */
    job = gpu_job(4000.0 * 10 * 2);
    bound = bound_of(&family, 1, 1, &job, 1, 0);
    expect_least(bound.gpu_dynamic_j, GPU_S * (50 - 25) / sqrt(50.0 / 400));
    expect_least(bound.gpu_dynamic_slowed_j, GPU_S * (50 - 25) / sqrt(50.0 / 400));
    expect_least(bound.asleep_j - bound.cpu_dynamic_j, GPU_S * (100 + 100) / sqrt(100.0 / 400));
    struct jl_sim_family idle = gpu_family();
    idle.profile.gpu.min_cap_w = 25; /* a quarter of the speed at no more than its idle power */
    bound = bound_of(&idle, 1, 1, &job, 1, 0);
    assert_near(bound.gpu_dynamic_j, 0, 1e-6);
    job = gpu_job(0);
    job.work.sensitivity_gpu = 0; /* no cap slows it */
    bound = bound_of(&family, 1, 1, &job, 1, 0);
    expect_least(bound.gpu_dynamic_j, GPU_S * (50.0 - 25));
    expect_least(bound.asleep_j, GPU_S * (50.0 + 100));
    job = gpu_job(0);
    job.work.gpu_util = 0; /* draws its idle power, which is below the lowest cap */
    bound = bound_of(&family, 1, 1, &job, 1, 0);
    assert_near(bound.gpu_dynamic_j, 0, 1e-6);
    expect_least(bound.asleep_j, GPU_S * (25.0 + 100));
    job.gpu_units = 0;
    bound = bound_of(&family, 1, 1, &job, 1, 0);
    assert_near(bound.asleep_j, 0, 0);
    job.gpu_units = 8000;
    job.gpu_count = 0; /* nobody does that work */
    bound = bound_of(&family, 1, 1, &job, 1, 0);
    assert_near(bound.asleep_j, 0, 0);
}

/* CPUs with all of their power and the GPUs alone are more than the CPUs above idle and the GPUs
 * with their share of it, when there is much work for CPUs. */
static void the_larger_of_two_sums_is_needed_asleep(void **state)
{
    struct jl_sim_family family = gpu_family();
    const struct jl_trace_job jobs[] = {
        gpu_job(4000.0 * 10 * 2),
        gpu_job(0),
        { .cpu_cores = 100, .cpu_units = 1e6, .work = { .cpu_util = 1 } },
    };
    (void)state;
    const struct jl_experiment_bound bound = bound_of(&family, 1, 1, jobs, JL_COUNT(jobs), 0);
    assert_near(bound.cpu_dynamic_j, 1080000 * 2, 1e-3);
    assert_near(bound.cpu_asleep_j, 1080000 * 4, 1e-3);
    expect_least(bound.gpu_dynamic_j, GPU_S * (25 / sqrt(50.0 / 400) + 375));
    expect_least(bound.asleep_j - bound.cpu_asleep_j, GPU_S * (50 / sqrt(50.0 / 400) + 400));
    expect_least(bound.asleep_slowed_j - bound.cpu_asleep_j,
                 GPU_S * (50 / sqrt(50.0 / 400) + 400 / 1.1));
}

/* The second family is half as fast at half of the power: 175 W for twice the time is less than
 * 375 W, and 300 W with its share more than 500 W. */
static void a_job_has_the_best_of_the_machines_that_take_it(void **state)
{
    struct jl_sim_family families[] = { gpu_family(), gpu_family() };
    const struct jl_trace_job job = gpu_job(0);
    (void)state;
    families[1].profile.gpu.max_w = 200;
    families[1].profile.gpu.relative_speed = 1;
    families[1].profile.relative_speed = 1;
    families[1].memory_bytes = 2000;
    struct jl_experiment_bound bound = bound_of(families, 2, 2, &job, 1, 1000);
    expect_least(bound.gpu_dynamic_j, 2 * GPU_S * (200.0 - 25));
    expect_least(bound.asleep_j, GPU_S * (400.0 + 100));
    bound = bound_of(families, 2, 2, &job, 1, 1001); /* too much for the first */
    expect_least(bound.asleep_j, 2 * GPU_S * (200.0 + 100));
    bound = bound_of(families, 2, 1, &job, 1, 1000); /* of the second there is none */
    expect_least(bound.gpu_dynamic_j, GPU_S * (400.0 - 25));
}

/* ---- what a row says of it ---- */

#define TEXT                                                                            \
    "seeds: 1\nscenarios: [{name: s, inventory: {nodes: [{node_name: a, cpu_cores: 4, " \
    "cpu: AMD EPYC 9654}]}, workload: {hours: 1, gpuRatio: 0}}]\nbaselines: [kube]\n"   \
    "policies: [{name: ours}]\n"
#define OURS 1

static struct joulie_experiment *opened(void)
{
    struct joulie_experiment_options options = JOULIE_INIT(struct joulie_experiment_options);
    struct joulie_experiment *experiment = NULL;
    options.text = TEXT;
    options.len = strlen(TEXT);
    assert_int_equal(joulie_experiment_new(&options, &experiment, NULL), JOULIE_OK);
    for (size_t i = 0; i < experiment->run_count; i++) {
        experiment->runs[i].has_result = true;
        experiment->runs[i].result = (struct jl_experiment_result){
            .outcome = { .has = JOULIE_SIM_OUTCOME_HAS_MAKESPAN,
                         .makespan_s = 100,
                         .jobs = 1,
                         .completed = 1,
                         .energy_j = 1000,
                         .time_s = 10,
                         .cpu_dynamic_j = 250,
                         .gpu_dynamic_j = 150 },
            .slowdown = { .jobs = 1, .p95 = 1, .max = 1 },
        };
    }
    struct jl_experiment_result *kube = &experiment->runs[0].result;
    JL_SET(kube, bound,
           ((struct jl_experiment_bound){ .cpu_dynamic_j = 200,
                                          .gpu_dynamic_j = 100,
                                          .gpu_dynamic_slowed_j = 50,
                                          .asleep_j = 400,
                                          .asleep_slowed_j = 300 }));
    return experiment;
}

static struct jl_experiment_row row_of(const struct joulie_experiment *experiment)
{
    double room[JL_EXPERIMENT_ESTIMATES];
    struct jl_experiment_row row;
    jl_experiment_row_of(experiment, &experiment->cells[0], OURS, 0, room, &row);
    return row;
}

static void a_share_is_of_the_bound_for_what_the_policy_did(void **state)
{
    struct joulie_experiment *experiment = opened();
    struct jl_experiment_result *ours = &experiment->runs[OURS].result;
    (void)state;
    ours->outcome.energy_j = 950;
    struct jl_experiment_row row = row_of(experiment);
    assert_near(row.estimates[JL_EXPERIMENT_BOUND].mean, 10, 1e-9);
    assert_near(row.estimates[JL_EXPERIMENT_BOUND_SLOWED].mean, 15, 1e-9);
    assert_near(row.estimates[JL_EXPERIMENT_ASLEEP].mean, 60, 1e-9);
    assert_near(row.estimates[JL_EXPERIMENT_ASLEEP_SLOWED].mean, 70, 1e-9);
    assert_near(row.share_pct, 50, 1e-9);
    ours->slowdown.max = 1.05;
    assert_near(row_of(experiment).share_pct, 100.0 / 3, 1e-9);
    ours->outcome.cpu_off_j = 1;
    assert_near(row_of(experiment).share_pct, 500.0 / 70, 1e-9);
    ours->slowdown.max = 1;
    assert_near(row_of(experiment).share_pct, 500.0 / 60, 1e-9);
    ours->slowdown.p95 = 1.11; /* more than any bound is for */
    assert_true(isnan(row_of(experiment).share_pct));
    ours->slowdown.p95 = 1;
    ours->outcome.makespan_s = 102;
    assert_near(row_of(experiment).share_pct, 500.0 / 60, 1e-9);
    ours->outcome.makespan_s = 102.1;
    assert_true(isnan(row_of(experiment).share_pct));
    ours->outcome.makespan_s = 100;
    experiment->runs[0].result.given.bound = false;
    row = row_of(experiment);
    assert_false(row.has[JL_EXPERIMENT_BOUND]);
    assert_true(isnan(row.share_pct));
    joulie_experiment_free(experiment);
}

static void an_answer_names_the_bound_of_its_share(void **state)
{
    struct joulie_experiment *experiment = opened();
    char *text = NULL;
    (void)state;
    experiment->runs[OURS].result.outcome.energy_j = 950;
    assert_int_equal(joulie_experiment_report(experiment, &text, NULL), JOULIE_OK);
    const char *ours = strstr(text, "\"policy\":\"ours\"");
    const char *share = strstr(text, "\"sharePct\":");
    const char *share_of = strstr(text, ",\"shareOf\":\"boundPct\",");
    assert_non_null(ours);
    assert_true(share > ours); /* not of the baseline, against itself */
    char *end = NULL;
    assert_near(strtod(share + strlen("\"sharePct\":"), &end), 50, 1e-9);
    assert_ptr_equal(end, share_of);
    joulie_free(text);
    experiment->runs[0].result.given.bound = false;
    assert_int_equal(joulie_experiment_report(experiment, &text, NULL), JOULIE_OK);
    assert_null(strstr(text, "\"share"));
    joulie_free(text);
    joulie_experiment_free(experiment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_is_loaded_as_is_best_for_it),
        cmocka_unit_test(the_cheapest_machines_are_filled_first),
        cmocka_unit_test(work_that_may_wait_is_spread_over_time),
        cmocka_unit_test(work_is_not_done_before_it_comes),
        cmocka_unit_test(a_faster_core_costs_less_where_it_takes_less_for_the_same_work),
        cmocka_unit_test(a_part_of_a_slot_counts_as_such),
        cmocka_unit_test(the_busiest_cores_fill_a_machine_first),
        cmocka_unit_test(a_machine_is_loaded_further_when_the_others_are_full),
        cmocka_unit_test(a_job_waits_as_long_as_one_of_its_kind_did),
        cmocka_unit_test(a_job_that_no_machine_works_on_takes_nothing),
        cmocka_unit_test(a_job_takes_its_time_on_the_machines_that_take_it),
        cmocka_unit_test(there_is_a_bound_where_every_curve_was_measured),
        cmocka_unit_test(a_gpu_is_capped_as_far_as_its_job_may_be_slowed),
        cmocka_unit_test(the_larger_of_two_sums_is_needed_asleep),
        cmocka_unit_test(a_job_has_the_best_of_the_machines_that_take_it),
        cmocka_unit_test(a_share_is_of_the_bound_for_what_the_policy_did),
        cmocka_unit_test(an_answer_names_the_bound_of_its_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
