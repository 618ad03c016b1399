/* SPDX-License-Identifier: Apache-2.0 */

/* One node: the load that its jobs add up to, where its lags are, when it steps next, and what is
 * counted of power over its cap (docs/rules/simulation.md#load, #caps-and-lags, #cap-overshoot). */

#include <math.h>
#include <stdio.h>

#include "sim/node.h"
#include "sim/world.h"

/* ---- load ---- */

#define MOST_JOBS 3

struct job_row {
    double cores;
    double cpu_util;
    double memory;
    double io;
    enum jl_cpu_class cpu_class;
    int64_t gpus;
    double gpu_util;
    double feed;
    enum jl_gpu_class gpu_class;
    bool is_gpu_only; /* its CPU work is done */
};

/* On a node of 16 cores and 4 GPUs, or none. */
static struct jl_node_load load_of(const struct job_row *rows, size_t count, int64_t gpus)
{
    struct jl_trace_job traces[MOST_JOBS] = { { .gpu_count = 0 } };
    struct jl_sim_task tasks[MOST_JOBS] = { { .gang = JL_NO_GANG } };
    struct jl_sim_job jobs[MOST_JOBS] = { { .node = 0 } };
    uint32_t indices[MOST_JOBS] = { 0 };
    for (size_t i = 0; i < count; i++) {
        traces[i].cpu_cores = rows[i].cores;
        traces[i].gpu_count = rows[i].gpus;
        traces[i].work.cpu_util = rows[i].cpu_util;
        traces[i].work.gpu_util = rows[i].gpu_util;
        traces[i].work.memory = rows[i].memory;
        traces[i].work.io = rows[i].io;
        traces[i].work.feed = rows[i].feed;
        traces[i].work.cpu_class = rows[i].cpu_class;
        traces[i].work.gpu_class = rows[i].gpu_class;
        tasks[i] = (struct jl_sim_task){ .job = &traces[i], .gang = JL_NO_GANG };
        jobs[i].cpu.left = !rows[i].is_gpu_only;
        jobs[i].gpu.left = rows[i].gpus > 0;
        indices[i] = (uint32_t)i;
    }
    const struct jl_sim_family family = { .cores = 16, .gpus = gpus };
    const struct jl_sim_machine machine = { .family = &family };
    const struct jl_sim_node node = { .machine = &machine, .jobs = indices, .job_count = count };
    const struct jl_sim_workload workload = { .tasks = tasks, .count = count };
    const struct jl_sim_fleet fleet = { .workload = &workload, .jobs = jobs };
    struct jl_node_load load;
    jl_sim_node_load(&fleet, &node, &load);
    return load;
}

static void a_node_without_work_has_no_load(void **state)
{
    (void)state;
    for (int64_t gpus = 0; gpus <= 4; gpus += 4) {
        const struct jl_node_load load = load_of(NULL, 0, gpus);
        assert_true(load.cpu_util == 0 && load.gpu_util == 0 && load.memory == 0 && load.io == 0);
        assert_true(load.feed == 0 && load.base == 0);
        assert_true(load.cpu_share == 1 && load.gpu_share == 1);
        assert_int_equal(load.cpu_class, JL_CPU_MIXED);
        assert_int_equal(load.gpu_class, JL_GPU_MIXED);
    }
}

/*
 * 0.05 cores weigh 0.1: utilisation (0.05 · 1 + 0.3 · 0.5)/16, memory 0.1 · 1/0.4, I/O 0.1 · 0.5/
 * 0.4; the other job has three quarters of the weight, so its class is the node's.
 */
static void a_small_job_weighs_a_tenth_of_a_core(void **state)
{
    const struct job_row rows[] = {
        { .cores = 0.05, .cpu_util = 1, .memory = 1, .io = 0.5, .cpu_class = JL_CPU_COMPUTE },
        { .cores = 0.3, .cpu_util = 0.5, .cpu_class = JL_CPU_MEMORY },
    };
    const struct jl_node_load load = load_of(rows, 2, 0);
    (void)state;
    assert_near(load.cpu_util, 0.2 / 16, 1e-15);
    assert_near(load.memory, 0.25, 1e-15);
    assert_near(load.io, 0.125, 1e-15);
    assert_int_equal(load.cpu_class, JL_CPU_MEMORY);
}

/* At 60 % of the weight, and below it; so of the GPUs. */
static void a_class_holds_three_fifths_of_the_weight(void **state)
{
    struct job_row rows[] = {
        { .cores = 3, .cpu_class = JL_CPU_IO, .gpus = 3, .gpu_class = JL_GPU_BANDWIDTH },
        { .cores = 2, .cpu_class = JL_CPU_COMPUTE, .gpus = 2, .gpu_class = JL_GPU_COMPUTE },
    };
    struct jl_node_load load = load_of(rows, 2, 4);
    (void)state;
    assert_int_equal(load.cpu_class, JL_CPU_IO);
    assert_int_equal(load.gpu_class, JL_GPU_BANDWIDTH);
    rows[0].cores = 5.97; /* 59.7 % */
    rows[1].cores = 4.03;
    rows[0].gpus = 1;
    rows[1].gpus = 1;
    load = load_of(rows, 2, 4);
    assert_int_equal(load.cpu_class, JL_CPU_MIXED);
    assert_int_equal(load.gpu_class, JL_GPU_MIXED);
}

/* 20 cores on 16 and 6 GPUs on 4: nobody gets all of it, and utilisation ends at 1. */
static void more_than_there_is_is_shared(void **state)
{
    const struct job_row rows[] = {
        { .cores = 12, .cpu_util = 1, .gpus = 4, .gpu_util = 1, .feed = 0.25 },
        { .cores = 8, .cpu_util = 1, .gpus = 2, .gpu_util = 0.5, .feed = 1 },
        { .cores = 16, .cpu_util = 1, .gpus = 0, .is_gpu_only = true }, /* has ended but for both */
    };
    const struct jl_node_load load = load_of(rows, 3, 4);
    (void)state;
    assert_true(load.cpu_util == 1 && load.gpu_util == 1);
    assert_near(load.cpu_share, 0.8, 1e-15);
    assert_near(load.gpu_share, 4.0 / 6, 1e-15);
    assert_near(load.feed, (4 * 0.25 + 2 * 1) / 6, 1e-15);
}

/* ---- lags ---- */

#define COMPUTE                                    \
    "'workloadClass':{'cpu':'cpu.compute_bound'}," \
    "'workloadProfile':{'cpuUtilization':1,'memoryIntensity':0,'ioIntensity':0}"

/* A generic machine (80 W idle, 420 W at most) with a job for 10,000 s. */
static void open_busy(struct world *world, enum jl_physics_rules physics)
{
    world_open(world, &(struct world_options){
                          .inventory = "nodes: [{node_name: n, cpu_cores: 16}]",
                          .trace = "{'type':'job','jobId':'j','work':{'cpuUnits':160000},"
                                   "'podTemplate':{'requests':{'cpu':'16'}}," COMPUTE "}\n",
                          .physics = physics,
                      });
}

/* From 400 W to 200 W with a time constant of 10 s: what is left, 200 e^(-t/10), is a thousandth of
 * the target at 69.08 s. */
static void a_lag_arrives_at_a_thousandth_of_its_target(void **state)
{
    struct world world;
    struct jl_sim_node_now now;
    (void)state;
    open_busy(&world, JL_PHYSICS_CURRENT);
    struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    fleet->nodes[0].cpu_cap = (struct jl_sim_lag){ .from = 400, .target = 200, .tau_s = 10 };
    fleet->now_s = 69;
    jl_sim_node_now(fleet, 0, &now);
    assert_near(now.cpu_cap_w, 200 + 200 * exp(-6.9), 1e-9);
    fleet->now_s = 69.15;
    jl_sim_node_now(fleet, 0, &now);
    assert_true(now.cpu_cap_w == 200);
    fleet->nodes[0].cpu_cap = (struct jl_sim_lag){ .from = 1001, .target = 1000, .tau_s = 1e9 };
    fleet->now_s = 0; /* a thousandth itself */
    jl_sim_node_now(fleet, 0, &now);
    assert_true(now.cpu_cap_w == 1000);
    world_close(&world);
}

/* A cap arrives with 250 ms on CPUs and 150 ms on GPUs where the profile does not say, never within
 * less than 10 ms, a frequency within less than 50 ms. */
static void lags_are_those_of_the_profile(void **state)
{
    static const struct {
        const char *physics;
        double cpu_s;
        double gpu_s;
        double freq_s;
    } rows[] = {
        { "", 0.25, 0.15, 0.5 },
        { "physics: {cpuCapApplyTauMs: 0, dvfsRampMs: 0, gpu: {capApplyTauMs: 0}}", 0.25, 0.15,
          0.05 },
        { "physics: {cpuCapApplyTauMs: 1, dvfsRampMs: 50, gpu: {capApplyTauMs: 1}}", 0.01, 0.01,
          0.05 },
        { "physics: {cpuCapApplyTauMs: 11, dvfsRampMs: 51, gpu: {capApplyTauMs: 12}}", 0.011, 0.012,
          0.051 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct world world;
        char inventory[200];
        snprintf(inventory, sizeof inventory, "nodes: [{node_name: n, cpu_cores: 16, %s}]",
                 rows[i].physics);
        world_open(&world, &(struct world_options){ .inventory = inventory, .trace = "" });
        const struct jl_sim_node *node = &world.uncontrolled.fleet.nodes[0];
        assert_near(node->cpu_cap.tau_s, rows[i].cpu_s, 1e-15);
        assert_near(node->gpu_cap.tau_s, rows[i].gpu_s, 1e-15);
        assert_near(node->freq_limit.tau_s, rows[i].freq_s, 1e-15);
        world_close(&world);
    }
}

/* 80 of 100 units are left at 10 s, 2 a second. */
static void work_is_done_at_its_speed(void **state)
{
    const struct jl_sim_part part = { 100, 80, 2, 10, 50 };
    (void)state;
    assert_near(jl_sim_done(&part, 10), 20, 0);
    assert_near(jl_sim_done(&part, 20), 40, 0);
    assert_near(jl_sim_done(&part, 49), 98, 0);
    assert_near(jl_sim_done(&part, 50), 100, 0);
    assert_near(jl_sim_done(&part, 60), 100, 0);
}

/* The highest cap is that of a machine without one. */
static void the_highest_cap_is_none(void **state)
{
    struct world world;
    (void)state;
    open_busy(&world, JL_PHYSICS_CURRENT);
    struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    const struct jl_physics_profile *profile = &fleet->nodes[0].machine->family->profile;

    const struct {
        double cap_w;
        double target_w;
        bool has_cap;
    } rows[] = {
        { profile->default_cap_w, profile->default_cap_w, false },
        { profile->default_cap_w - 1, profile->default_cap_w - 1, true },
        { profile->default_cap_w + 1, profile->default_cap_w, false },
        { profile->cap_min_w, profile->cap_min_w, true },
        { 1, profile->cap_min_w, true },
        { 0, profile->default_cap_w, false },
    };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        jl_sim_set_cpu_cap(fleet, 0, rows[i].cap_w);
        assert_true(fleet->nodes[0].cpu_cap.target == rows[i].target_w);
        assert_int_equal(fleet->nodes[0].has_cpu_cap, rows[i].has_cap);
    }
    world_close(&world);
}

/* While it can be throttled a node steps every eighth of its thermal time constant, within 0.01 s
 * and 10 s. */
static void a_hot_node_steps_by_its_time_constant(void **state)
{
    static const struct {
        int tau_ms;
        double step_s;
    } rows[] = { { 20000, 2.5 }, { 79200, 9.9 }, { 90000, 10 }, { 1000, 0.125 }, { 8, 0.01 } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct world world;
        char machine[200];
        snprintf(machine, sizeof machine,
                 "nodes: [{node_name: n, cpu: AMD EPYC 9654, cpu_cores: 192, physics: "
                 "{cpuThermalTauMs: %d}}]",
                 rows[i].tau_ms);
        world_open(&world, &(struct world_options){
                               .inventory = machine,
                               .trace = "{'type':'job','jobId':'j','submitTimeOffsetSec':0,"
                                        "'work':{'cpuUnits':192000},'podTemplate':{'requests':"
                                        "{'cpu':'192'}},'workloadProfile':{'cpuUtilization':1}}",
                               .physics = JL_PHYSICS_V0_1_1,
                           });
        world_run(&world, 0);
        assert_near(jl_event_queue_next(&world.uncontrolled.fleet.events), rows[i].step_s, 1e-9);
        world_close(&world);
    }
}

/* ---- power over the cap ---- */

/* The lowest cap is below what the machine takes at its lowest frequency. It settles at the event
 * after 10 s, so 990 of the 1000 s that it is wanted count, and all of them are over it. */
static void power_over_a_settled_cap_is_counted(void **state)
{
    struct world world;
    (void)state;
    open_busy(&world, JL_PHYSICS_CURRENT);
    struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    struct jl_sim_node *node = &fleet->nodes[0];
    world_run(&world, 100);
    assert_true(node->over_pct < 0 && fleet->over.capped_s == 0);
    world.inventory.families[0].profile.cap_min_w = 50;
    jl_sim_set_cpu_cap(fleet, 0, 50);
    world_run(&world, 1100);
    assert_near(node->cpu.power_w, 50 + node->machine->family->profile.cap_head_w, 1e-9);
    assert_near(node->over_pct, 100 * (node->cpu.power_w - 50) / 50, 1e-9);
    const double over_pct = node->over_pct;
    assert_near(node->over_since_s, 110, 1e-9);
    jl_sim_set_cpu_cap(fleet, 0, 300); /* which it can keep */
    world_run(&world, 1300);
    assert_near(fleet->over.capped_s, 990, 1e-9);
    assert_int_equal(fleet->over.count, 1);
    assert_near(fleet->over.items[0].pct, over_pct, 0);
    assert_near(fleet->over.items[0].seconds, 990, 1e-9);
    assert_near(node->over_pct, 0, 0);
    jl_sim_set_cpu_cap(fleet, 0, 0);
    world_run(&world, 1400); /* 1110 to 1300 s: kept, which counts as time */
    assert_near(fleet->over.capped_s, 990 + 190, 1e-9);
    assert_int_equal(fleet->over.count, 1);
    assert_true(node->over_pct < 0);
    world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_without_work_has_no_load),
        cmocka_unit_test(a_small_job_weighs_a_tenth_of_a_core),
        cmocka_unit_test(a_class_holds_three_fifths_of_the_weight),
        cmocka_unit_test(more_than_there_is_is_shared),
        cmocka_unit_test(a_lag_arrives_at_a_thousandth_of_its_target),
        cmocka_unit_test(lags_are_those_of_the_profile),
        cmocka_unit_test(work_is_done_at_its_speed),
        cmocka_unit_test(the_highest_cap_is_none),
        cmocka_unit_test(a_hot_node_steps_by_its_time_constant),
        cmocka_unit_test(power_over_a_settled_cap_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
