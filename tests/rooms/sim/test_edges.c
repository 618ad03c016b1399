/* SPDX-License-Identifier: Apache-2.0 */

/* Traces that are absurd, and runs that get stuck. */

#include <stdio.h>
#include <string.h>

#include "sim/emit.h"
#include "sim/summary.h"
#include "sim/world.h"

#define ONE_NODE "nodes: [{node_name: n, cpu_cores: 16, memory_gib: 64}]"
#define JOB(id, more) "{'type':'job','jobId':'" id "'" more "}\n"
#define CORES(cpu) ",'podTemplate':{'requests':{'cpu':'" cpu "'}}"
#define MEMBER(id, at, cpu) \
    JOB(id, ",'workloadId':'w','gang':true,'submitTimeOffsetSec':" at CORES(cpu))

static void cores_beyond_every_number_fit_nowhere(void **state)
{
    struct world world;
    (void)state;
    world_open(&world,
               &(struct world_options){ .inventory = ONE_NODE, .trace = JOB("j", CORES("9E")) });
    world_finish(&world);
    assert_int_equal(world_job(&world, &world.controlled.fleet, "j")->state, JL_JOB_UNPLACED);
    assert_int_equal(world_job(&world, &world.uncontrolled.fleet, "j")->state, JL_JOB_UNPLACED);
    world_close(&world);
}

/* A job that would take longer than the universe is as old ends with its run, undone. */
static void a_run_is_no_longer_than_ten_years(void **state)
{
    struct world world;
    (void)state;
    world_open(&world, &(struct world_options){ .inventory = ONE_NODE,
                                                .trace = JOB("j", ",'work':{'cpuUnits':1e308}") });
    /* Nobody takes five million steps that change nothing. */
    world.controlled.controller.ops->free(world.controlled.controller.self);
    world.controlled.controller = world.uncontrolled.controller;
    world_finish(&world);
    assert_true(world.controlled.fleet.now_s == JL_SIM_LONGEST_S);
    assert_true(world.uncontrolled.fleet.now_s == JL_SIM_LONGEST_S);
    assert_int_equal(world.uncontrolled.fleet.completed, 0);
    assert_true(jl_sim_it_energy_j(&world.uncontrolled.fleet) > 0);
    const struct jl_sim_pair pair = world_pair(&world);
    double saved_pct;
    assert_non_null(jl_sim_saving(&pair, &saved_pct));
    world_close(&world);
}

static void no_job_comes_after_ten_years(void **state)
{
    static const char *const bad[] = { "1e18", "1e308", "315576001" };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct jl_trace trace;
        char text[128];
        snprintf(text, sizeof text,
                 "{\"type\":\"job\",\"jobId\":\"j\",\"submitTimeOffsetSec\":%s}\n", bad[i]);
        assert_int_equal(jl_trace_read(text, strlen(text), false, &trace, &err), JOULIE_E_RANGE);
        assert_string_equal(err.where, "line 1: submitTimeOffsetSec");
    }
}

/* Where one member fits nowhere none can make progress, so none takes room from others:
 * w-0 would hold the node until the end, and j, which comes later, could not run. */
static void a_gang_with_a_member_that_fits_nowhere_is_unplaced(void **state)
{
    struct world world;
    (void)state;
    world_open(&world, &(struct world_options){
                           .inventory = ONE_NODE,
                           .trace = MEMBER("w-0", "0", "16") MEMBER("w-1", "50", "17") JOB(
                               "j", ",'submitTimeOffsetSec':10,'work':{'cpuUnits':16}" CORES("16")),
                           .policy = "{'staticHpFrac':1}",
                       });
    world_finish(&world);
    const struct jl_sim_fleet *runs[] = { &world.controlled.fleet, &world.uncontrolled.fleet };
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(world_job(&world, runs[i], "w-0")->state, JL_JOB_UNPLACED);
        assert_int_equal(world_job(&world, runs[i], "w-1")->state, JL_JOB_UNPLACED);
        assert_int_equal(world_job(&world, runs[i], "j")->state, JL_JOB_COMPLETED);
        assert_true(world_job(&world, runs[i], "j")->start_s == 10);
        assert_true(runs[i]->now_s == 50);
    }
    world_close(&world);
}

/* A/A of a run that gets stuck: a gang of two whole nodes on one node. Both runs wait for as long
 * before they give up, so that control that changes nothing still saves nothing. */
static void a_stuck_run_costs_both_the_same(void **state)
{
    struct world world;
    double saved_pct = 1;
    (void)state;
    world_open(&world, &(struct world_options){
                           .inventory = ONE_NODE,
                           .trace = MEMBER("w-0", "20", "16") MEMBER("w-1", "20", "16") JOB(
                               "j", ",'submitTimeOffsetSec':0,'work':{'cpuUnits':16}" CORES("16")),
                           .policy = "{'staticHpFrac':1}",
                           .placement = WORLD_LEAST_ALLOCATED,
                       });
    world_finish(&world);
    assert_int_equal(world_job(&world, &world.controlled.fleet, "w-0")->state, JL_JOB_FAILED);
    assert_int_equal(world_job(&world, &world.uncontrolled.fleet, "w-0")->state, JL_JOB_FAILED);
    assert_true(world.controlled.fleet.now_s == world.uncontrolled.fleet.now_s);
    const struct jl_sim_pair pair = world_pair(&world);
    assert_null(jl_sim_saving(&pair, &saved_pct));
    assert_true(saved_pct == 0);
    world_close(&world);
}

/* Jobs are placed by what they ask for: each pair below asks for something else, or the same. */
static void jobs_that_ask_for_the_same_have_one_shape(void **state)
{
#define ASK(cpu, memory, more) \
    "'podTemplate':{'requests':{'cpu':'" cpu "','memory':'" memory "'" more "}}"
#define GPUS(count) ",'nvidia.com/gpu':'" count "'"

    static const struct {
        const char *one;
        const char *other;
        size_t shapes;
    } rows[] = {
        { ASK("2", "1Gi", ""), ASK("2000m", "1024Mi", ""), 1 },
        { ASK("2", "1Gi", ""), ASK("2001m", "1Gi", ""), 2 },
        { ASK("2", "1Gi", ""), ASK("2016m", "1Gi", ""), 2 },
        { ASK("2", "1024", ""), ASK("2", "1025", ""), 2 },
        { ASK("2", "1024", ""), ASK("2", "1152921504606848000", ""), 2 },
        { ASK("2", "1Gi", GPUS("2")), ASK("2", "1Gi", GPUS("3")), 2 },
        { ASK("2", "1Gi", GPUS("2")), ASK("2", "1Gi", GPUS("2")), 1 },
        { ASK("2", "1Gi", GPUS("2")), ASK("2", "1Gi", ",'amd.com/gpu':'2'"), 2 },
    };

#undef ASK
#undef GPUS
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        char text[600];
        struct world world;
        snprintf(text, sizeof text,
                 "{'type':'job','jobId':'a',%s}\n{'type':'job','jobId':'b',%s}\n", rows[i].one,
                 rows[i].other);
        world_open(&world, &(struct world_options){ .inventory = ONE_NODE, .trace = text });
        assert_int_equal(world.workload.shape_count, rows[i].shapes);
        world_close(&world);
    }
}

/* What went wrong is said, and that memory ran out where nothing else was. */
static void a_text_that_fails_says_why(void **state)
{
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *text = NULL;
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct jl_buffer buffer = { 0 };
        jl_put_string(&buffer, "half of it");
        detail.code = i == 2 ? JOULIE_E_RANGE : 0;
        strcpy(detail.message, i == 2 ? "too far" : "");
        assert_int_equal(jl_sim_hand_out(&buffer, i == 2 ? JOULIE_E_RANGE : JOULIE_E_NOMEM,
                                         i == 0 ? NULL : &detail, &text, &err),
                         i == 2 ? JOULIE_E_RANGE : JOULIE_E_NOMEM);
        assert_int_equal(err.code, i == 2 ? JOULIE_E_RANGE : JOULIE_E_NOMEM);
        if (i == 2)
            assert_string_equal(err.message, "too far");
        else
            assert_true(err.message[0] != '\0');
        assert_null(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_beyond_every_number_fit_nowhere),
        cmocka_unit_test(jobs_that_ask_for_the_same_have_one_shape),
        cmocka_unit_test(a_run_is_no_longer_than_ten_years),
        cmocka_unit_test(no_job_comes_after_ten_years),
        cmocka_unit_test(a_gang_with_a_member_that_fits_nowhere_is_unplaced),
        cmocka_unit_test(a_stuck_run_costs_both_the_same),
        cmocka_unit_test(a_text_that_fails_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
