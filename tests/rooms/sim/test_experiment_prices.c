/* SPDX-License-Identifier: Apache-2.0 */

/* What a trace needs at least on machines of which there are only so many: worked out by hand where
 * one schedule is the best. Whole traces are compared with a second model in tests/vectors/model.
 */

#include "sim/experiment_prices.h"
#include "support/test.h"

#define END_S 14400 /* slots of 100 s */

/* Prices come near the least from below. */
static void expect_least(const struct jl_priced_family *families, size_t family_count,
                         const struct jl_priced_job *jobs, size_t count, double expected_j)
{
    double found_j = -1;
    assert_int_equal(jl_priced_least_j(families, family_count, jobs, count, END_S, &found_j), 0);
    if (!(found_j <= expected_j * (1 + 1e-12) && found_j >= expected_j * (1 - 5e-3)))
        fail_msg("%.17g is not the least of %.17g", found_j, expected_j);
}

static void a_job_alone_takes_its_best_way(void **state)
{
    const struct jl_priced_family families[] = { { 2, 10, 4, 0 }, { 2, 10, 4, 0 } };
    const struct jl_priced_way ways[] = { { 0, 700, 50 }, { 1, 500, 80 }, { 1, 600, 60 } };
    const struct jl_priced_job job = { 0, 60, 4, 10, ways, 3 };
    const struct jl_priced_job none = { 0, 60, 4, 10, ways, 0 };
    (void)state;
    expect_least(families, 2, &job, 1, 500);
    expect_least(families, 2, &none, 1, 0);
    expect_least(families, 2, NULL, 0, 0);
}

/* Two jobs at once, each of all GPUs of a machine: the second has the dear family, or waits. */
static void who_comes_at_once_needs_the_dear_machines_too(void **state)
{
    const struct jl_priced_family families[] = { { 1, 10, 4, 0 }, { 1, 10, 4, 0 } };
    const struct jl_priced_way ways[] = { { 0, 1000, 1000 }, { 1, 3000, 1000 } };
    struct jl_priced_job jobs[] = { { 500, 0, 4, 1, ways, 2 }, { 500, 0, 4, 1, ways, 2 } };
    (void)state;
    expect_least(families, 2, jobs, 2, 4000);
    jobs[1].submit_s = 1500; /* when the other has ended */
    expect_least(families, 2, jobs, 2, 2000);
    jobs[1].submit_s = 1000; /* each is run in one place, parts of it too */
    expect_least(families, 2, jobs, 2, 4000);
    jobs[1].wait_s = 400; /* all of one slot */
    expect_least(families, 2, jobs, 2, 4000);
    jobs[1].wait_s = 500;
    expect_least(families, 2, jobs, 2, 2000);
    jobs[0].submit_s = 0; /* the other one may be first */
    jobs[0].wait_s = 2000;
    jobs[1].wait_s = 0;
    expect_least(families, 2, jobs, 2, 2000);
}

static void cores_are_held_as_gpus_are(void **state)
{
    const struct jl_priced_family families[] = { { 2, 10, 0, 0 }, { 9, 10, 0, 0 } };
    const struct jl_priced_way ways[] = { { 0, 1000, 1000 }, { 1, 1500, 1000 } };
    const struct jl_priced_job jobs[] = {
        { 0, 0, 0, 10, ways, 2 },
        { 0, 0, 0, 10, ways, 2 },
        { 0, 0, 0, 10, ways, 2 },
    };
    (void)state;
    expect_least(families, 2, jobs, 2, 2000);
    expect_least(families, 2, jobs, 3, 3500);
}

/* A machine that is on takes 7 W for every second of it, shared by those that run there. */
static void a_machine_that_is_on_is_paid_for(void **state)
{
    const struct jl_priced_family one = { 3, 10, 4, 7 };
    const struct jl_priced_way way = { 0, 1000, 1000 };
    const struct jl_priced_job jobs[] = {
        { 100, 0, 4, 1, &way, 1 },
        { 100, 0, 2, 1, &way, 1 },
        { 100, 0, 0, 4, &way, 1 },
    };
    const struct jl_priced_family cpus = { 3, 8, 0, 7 };
    (void)state;
    expect_least(&one, 1, jobs, 1, 1000 + 7000);
    expect_least(&one, 1, jobs, 2, 2000 + 1.5 * 7000);
    expect_least(&one, 1, &jobs[1], 1, 1000 + 0.5 * 7000);
    expect_least(&cpus, 1, &jobs[2], 1, 1000 + 0.5 * 7000);
    /* one machine has GPUs for the one and cores for the other */
    expect_least(&one, 1, &jobs[1], 2, 2000 + 0.5 * 7000);
}

/* The longer way is the cheaper one by itself, and the dearer one with its machine. */
static void a_way_is_chosen_with_the_machine_that_it_holds(void **state)
{
    const struct jl_priced_family one = { 3, 10, 4, 7 };
    const struct jl_priced_way ways[] = { { 0, 1000, 1000 }, { 0, 900, 1100 } };
    const struct jl_priced_job job = { 100, 0, 4, 1, ways, 2 };
    const struct jl_priced_family free = { 3, 10, 4, 0 };
    (void)state;
    expect_least(&one, 1, &job, 1, 8000);
    expect_least(&free, 1, &job, 1, 900);
}

/* What is behind the end costs nothing, and what never ends nothing more. */
static void time_is_up_to_the_end(void **state)
{
    const struct jl_priced_family one = { 1, 10, 4, 7 };
    const struct jl_priced_way way = { 0, 1000, 5000 };
    const struct jl_priced_job late = { END_S - 1000, 0, 4, 1, &way, 1 };
    const struct jl_priced_job later = { END_S + 1000, 0, 4, 1, &way, 1 };
    (void)state;
    expect_least(&one, 1, &late, 1, 1000 + 7000);
    expect_least(&one, 1, &later, 1, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_alone_takes_its_best_way),
        cmocka_unit_test(who_comes_at_once_needs_the_dear_machines_too),
        cmocka_unit_test(cores_are_held_as_gpus_are),
        cmocka_unit_test(a_machine_that_is_on_is_paid_for),
        cmocka_unit_test(a_way_is_chosen_with_the_machine_that_it_holds),
        cmocka_unit_test(time_is_up_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
