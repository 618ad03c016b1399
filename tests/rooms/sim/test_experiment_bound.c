/* SPDX-License-Identifier: Apache-2.0 */

/* What any schedule needs at least: worked out by hand for machines whose power is simple. Whole
 * traces are compared with a second model in tests/vectors/model. */

#include <math.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_is_loaded_as_is_best_for_it),
        cmocka_unit_test(the_cheapest_machines_are_filled_first),
        cmocka_unit_test(work_that_may_wait_is_spread_over_time),
        cmocka_unit_test(work_is_not_done_before_it_comes),
        cmocka_unit_test(a_faster_core_costs_less_where_it_takes_less_for_the_same_work),
        cmocka_unit_test(a_share_is_of_the_bound_for_what_the_policy_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
