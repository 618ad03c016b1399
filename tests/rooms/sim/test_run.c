/* SPDX-License-Identifier: Apache-2.0 */

/* What has to hold for every run. */

#include <stdlib.h>
#include <string.h>

#include <joulie/sim.h>

#include "base/buffer.h"
#include "sim/summary.h"
#include "sim/world.h"

#define MIXED                                                                                      \
    "nodes:\n"                                                                                     \
    "  - {node_name_prefix: h100, replicas: 4, vendor: nvidia, product: NVIDIA H100 NVL, cpu: "    \
    "AMD EPYC 9654,"                                                                               \
    " cpu_cores: 192, memory_gib: 1536, gpu_count: 8}\n"                                           \
    "  - {node_name_prefix: w7900, replicas: 2, vendor: amd, product: AMD Radeon PRO W7900, cpu: " \
    "AMD EPYC 9534,"                                                                               \
    " cpu_cores: 128, memory_gib: 770, gpu_count: 4}\n"                                            \
    "  - {node_name_prefix: intel, replicas: 3, cpu: 'INTEL(R) XEON(R) GOLD 6530', cpu_cores: "    \
    "64, memory_gib: 256}\n"                                                                       \
    "  - {node_name_prefix: big, replicas: 3, cpu: AMD EPYC 9965, cpu_cores: 384, memory_gib: "    \
    "1536}\n"

#define QUEUE_POLICY "{'type':'queue_aware_v1','queueHpBaseFrac':0.25,'queuePerfPerHpNode':6}"

#define JOB(id, more) "{'type':'job','jobId':'" id "','submitTimeOffsetSec':0" more "}\n"

static char *make_trace(int64_t jobs, double hours, uint64_t seed)
{
    struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
    char *trace = NULL;
    options.has = JOULIE_WORKLOAD_HAS_JOBS | JOULIE_WORKLOAD_HAS_HOURS | JOULIE_WORKLOAD_HAS_SEED |
                  JOULIE_WORKLOAD_HAS_GPU_RATIO | JOULIE_WORKLOAD_HAS_AMD_RATIO |
                  JOULIE_WORKLOAD_HAS_MAX_DURATION;
    options.jobs = jobs;
    options.hours = hours;
    options.seed = seed;
    options.gpu_ratio = 0.5;
    options.amd_ratio = 0.2;
    options.max_duration_s = 3600;
    assert_int_equal(joulie_workload_generate(&options, &trace, NULL), 0);
    return trace;
}

static struct world_options mixed(const char *trace)
{
    return (struct world_options){ .inventory = MIXED, .trace = trace, .policy = QUEUE_POLICY };
}

/* ---- conservation ---- */

static void check_rooms(const struct jl_sim_fleet *run)
{
    for (size_t i = 0; i < run->node_count; i++) {
        const struct jl_sim_node *node = &run->nodes[i];
        const struct jl_sim_family *family = node->machine->family;
        int64_t millicores = 0;
        int64_t bytes = 0;
        int64_t gpus = 0;
        for (size_t k = 0; k < node->job_count; k++) {
            const struct jl_sim_task *task = &run->workload->tasks[node->jobs[k]];
            const struct jl_sim_shape *shape = &run->workload->shapes[task->shape];
            millicores += shape->millicores;
            bytes += shape->memory_bytes;
            gpus += shape->gpus;
            assert_true(shape->gpus == 0 || shape->gpu_vendor == JOULIE_GPU_VENDOR_UNKNOWN ||
                        shape->gpu_vendor == jl_sim_vendor(family->gpu_vendor));
        }
        assert_true(millicores <= family->cores * 1000 &&
                    millicores == run->rooms[i].used_millicores);
        assert_true(bytes <= family->memory_bytes && bytes == run->rooms[i].used_memory_bytes);
        assert_true(gpus <= family->gpus && gpus == family->gpus - run->rooms[i].free_gpus);
    }
}

/* What a node can draw at most, and what it draws without a job: the same in
 * both runs, at once. */
static void check_powers(const struct jl_sim_fleet *run)
{
    for (size_t i = 0; i < run->node_count; i++) {
        const struct jl_sim_node *node = &run->nodes[i];
        const struct jl_physics_profile *profile = &node->machine->family->profile;
        const double gpus = (double)node->machine->family->gpus;
        const double idle_w =
            profile->curve_model ? jl_physics_curve_w(profile, 0) : profile->idle_w;
        assert_true(node->cpu.power_w <= profile->peak_w + 1e-9);
        assert_true(node->gpu.power_w <= gpus * profile->gpu.max_w + 1e-9);
        assert_true(node->gpu.power_w >= gpus * profile->gpu.idle_w - 1e-9);
        if (node->job_count == 0) {
            assert_true(node->cpu_util == 0 && node->gpu_util == 0);
            assert_true(node->cpu.power_w == idle_w);
            assert_true(node->gpu.power_w == gpus * profile->gpu.idle_w);
        }
    }
}

static void no_node_is_ever_above_its_capacity(void **state)
{
    struct world world;
    char *trace = make_trace(400, 4, 11);
    const struct world_options options = mixed(trace);
    (void)state;
    world_open(&world, &options);
    for (double at_s = 0; !world.controlled.is_finished || !world.uncontrolled.is_finished;
         at_s += 37) {
        world_run(&world, at_s);
        check_rooms(&world.controlled.fleet);
        check_rooms(&world.uncontrolled.fleet);
        check_powers(&world.controlled.fleet);
        check_powers(&world.uncontrolled.fleet);
    }
    world_close(&world);
    joulie_free(trace);
}

/*
 * The load of the plant is against its design, not against the highest power seen so
 * far (docs/rules/simulation.md#hardware-model). MIXED at its most: 4 · (817 + 8·400) + 2 ·
 * (817·280/360 + 4·295) + 3 · 420 + 3 · 800 W.
 */
static void the_load_is_against_the_design(void **state)
{
    struct world world;
    const struct world_options options = mixed(JOB("j", ""));
    (void)state;
    world_open(&world, &options);
    const double design_w =
        4 * (817 + 3200) + 2 * (817.0 * 280 / 360 + 1180) + 3 * (629.0 * 270 / 350) + 3 * 800;
    assert_near(jl_sim_design_it_w(&world.inventory), design_w, 1e-6);
    world_finish(&world);
    assert_true(jl_sim_it_power_w(&world.uncontrolled.fleet) < 0.35 * design_w);
    world_close(&world);
}

/* The energy is the integral of the power that was reported: seen often enough, the sum of power
 * times time comes to it. */
static void energy_is_the_integral_of_power(void **state)
{
    struct world world;
    char *trace = make_trace(150, 2, 12);
    const struct world_options options = mixed(trace);
    const double step_s = 0.25;
    double sum_j = 0;
    (void)state;
    world_open(&world, &options);
    world_run(&world, 0);
    for (double at_s = step_s; !world.controlled.is_finished; at_s += step_s) {
        const double before_w = jl_sim_it_power_w(&world.controlled.fleet);
        const double before_j = jl_sim_it_energy_j(&world.controlled.fleet);
        const double before_s = world.controlled.fleet.now_s;
        const double event_s = world.controlled.event_s;
        world_run(&world, at_s);
        const double seconds = world.controlled.fleet.now_s - before_s;
        sum_j += before_w * seconds;
        if (world.controlled.event_s == event_s) /* nothing happened: power times time, on a grid */
            assert_near(jl_sim_it_energy_j(&world.controlled.fleet) - before_j, before_w * seconds,
                        0.01);
    }
    const double energy_j = jl_sim_it_energy_j(&world.controlled.fleet);
    assert_near(sum_j / energy_j, 1, 1e-5);
    world_close(&world);
    joulie_free(trace);
}

/* All the work of the trace is done in both runs, and not more. */
static void every_unit_is_done_once(void **state)
{
    struct world world;
    char *trace = make_trace(300, 3, 13);
    const struct world_options options = mixed(trace);
    double cpu = 0;
    double gpu = 0;
    (void)state;
    world_open(&world, &options);
    world_finish(&world);
    for (size_t i = 0; i < world.workload.count; i++) {
        cpu += world.workload.tasks[i].job->cpu_units;
        gpu += world.workload.tasks[i].job->gpu_units;
    }
    const struct jl_sim_fleet *runs[] = { &world.controlled.fleet, &world.uncontrolled.fleet };
    for (size_t i = 0; i < 2; i++) {
        const struct jl_sim_units done = jl_sim_units_done(runs[i]);
        assert_int_equal(runs[i]->completed, world.workload.count);
        assert_true(done.cpu == cpu && done.gpu == gpu);
    }
    world_close(&world);
    joulie_free(trace);
}

/* ---- equal inputs, equal bytes ---- */

struct texts {
    char *summary;
    char *jobs;
    char *nodes;
};

static struct texts simulate(const char *trace, const char *policy, const char *placement,
                             double step_s)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    struct joulie_sim *sim;
    struct texts texts;
    options.inventory = MIXED;
    options.inventory_len = strlen(MIXED);
    options.trace = trace;
    options.trace_len = strlen(trace);
    options.policy = policy;
    options.policy_len = strlen(policy);
    options.placement = placement;
    options.compare = 1;
    options.keeps_hours = 1;
    options.seed = 7;
    assert_int_equal(joulie_sim_new(&options, &sim, &err), 0);
    for (double at_s = step_s; !view.is_finished; at_s += step_s) {
        assert_int_equal(joulie_sim_run_until(sim, at_s, &err), 0);
        assert_int_equal(joulie_sim_get_view(sim, &view, NULL), 0);
        assert_int_equal(view.nodes_performance + view.nodes_eco + view.nodes_draining +
                             view.nodes_undecided,
                         view.nodes);
    }
    assert_int_equal(joulie_sim_summary(sim, &texts.summary, &err), 0);
    assert_int_equal(joulie_sim_csv(sim, "jobs", &texts.jobs, &err), 0);
    assert_int_equal(joulie_sim_csv(sim, "nodes", &texts.nodes, &err), 0);
    assert_int_equal(joulie_sim_csv(sim, "no such table", &texts.nodes, &err),
                     JOULIE_E_UNSUPPORTED);
    joulie_sim_free(sim);
    return texts;
}

static void texts_free(struct texts *texts)
{
    joulie_free(texts->summary);
    joulie_free(texts->jobs);
    joulie_free(texts->nodes);
}

/* Neither a second run nor how often it is read changes a byte. */
static void equal_inputs_give_equal_bytes(void **state)
{
    static const char policy[] =
        "{\"type\":\"queue_aware_v1\",\"queueHpBaseFrac\":0.25,\"queuePerfPerHpNode\":6}";
    const double steps_s[] = { (double)INFINITY, (double)INFINITY, 3600, 61.7 };
    char *trace = make_trace(300, 3, 14);
    struct texts first = simulate(trace, policy, "joulie", steps_s[0]);
    (void)state;
    for (size_t i = 1; i < sizeof steps_s / sizeof steps_s[0]; i++) {
        struct texts again = simulate(trace, policy, "joulie", steps_s[i]);
        assert_string_equal(again.summary, first.summary);
        assert_string_equal(again.jobs, first.jobs);
        assert_string_equal(again.nodes, first.nodes);
        texts_free(&again);
    }
    texts_free(&first);
    joulie_free(trace);
}

/*
 * A/A: where every node is a performance node and the scoring is the same, control changes nothing,
 * to the last bit: energy, work, starts and ends. (The agents do set caps, of 100 %, and look at
 * the nodes at other times than the jobs do.)
 */
static void control_that_does_nothing_costs_nothing(void **state)
{
    struct world world;
    char *trace = make_trace(400, 4, 15);
    struct world_options options = mixed(trace);
    (void)state;
    options.policy = "{'type':'static_partition','staticHpFrac':1}";
    options.placement = WORLD_LEAST_ALLOCATED;
    world_open(&world, &options);
    world_finish(&world);
    const struct jl_sim_fleet *a = &world.controlled.fleet;
    const struct jl_sim_fleet *b = &world.uncontrolled.fleet;
    const struct jl_sim_units units_a = jl_sim_units_done(a);
    const struct jl_sim_units units_b = jl_sim_units_done(b);
    assert_true(a->nodes[0].has_cpu_cap && !b->nodes[0].has_cpu_cap);
    assert_true(jl_sim_it_energy_j(a) == jl_sim_it_energy_j(b));
    assert_true(units_a.cpu == units_b.cpu && units_a.gpu == units_b.gpu);
    assert_true(a->now_s == b->now_s);
    for (size_t i = 0; i < world.workload.count; i++) {
        assert_int_equal(a->jobs[i].state, b->jobs[i].state);
        assert_int_equal(a->jobs[i].node, b->jobs[i].node);
        assert_true(a->jobs[i].start_s == b->jobs[i].start_s &&
                    a->jobs[i].end_s == b->jobs[i].end_s);
    }
    for (size_t i = 0; i < a->node_count; i++)
        assert_true(jl_sim_energy_j(&a->nodes[i].cpu, a->now_s) ==
                    jl_sim_energy_j(&b->nodes[i].cpu, b->now_s));
    world_close(&world);
    joulie_free(trace);
}

/* ---- what cannot be done ---- */

#define ONE_NODE "nodes: [{node_name: n, cpu_cores: 16, memory_gib: 64}]"

/* What never ran is not completed. Cores, memory, vendor: each by itself keeps a pod
 * out. */
static void what_fits_nowhere_ends_as_unplaced(void **state)
{
    static const char *const traces[] = {
        JOB("j", ",'podTemplate':{'requests':{'cpu':'17'}}"),
        JOB("j", ",'podTemplate':{'requests':{'cpu':'1','memory':'65Gi'}}"),
        JOB("j", ",'podTemplate':{'requests':{'cpu':'1','nvidia.com/gpu':'1'}}"),
    };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct world world;
        world_open(&world, &(struct world_options){ .inventory = ONE_NODE, .trace = traces[i] });
        world_finish(&world);
        assert_int_equal(world_job(&world, &world.controlled.fleet, "j")->state, JL_JOB_UNPLACED);
        assert_int_equal(world_job(&world, &world.uncontrolled.fleet, "j")->state, JL_JOB_UNPLACED);
        assert_int_equal(world.controlled.fleet.completed, 0);
        world_close(&world);
    }
}

/* An nvidia pod does not run on amd devices, however free they are. */
static void the_vendor_of_a_gpu_counts(void **state)
{
    struct world world;
    (void)state;
    world_open(&world, &(struct world_options){
                           .inventory = "nodes:\n  - {node_name: a, vendor: amd, product: MI300X, "
                                        "cpu_cores: 128, gpu_count: 8}\n"
                                        "  - {node_name: b, vendor: nvidia, product: NVIDIA L40S, "
                                        "cpu_cores: 16, gpu_count: 1}\n",
                           .trace = JOB("j", ",'work':{'gpuUnits':10},'podTemplate':{'requests':{'"
                                             "cpu':'1','nvidia.com/gpu':'1'}}")
                               JOB("k", ",'work':{'gpuUnits':10},'podTemplate':{'requests':{'cpu':'"
                                        "1','nvidia.com/gpu':'2'}}"),
                       });
    world_finish(&world);
    assert_string_equal(
        world_node_of(&world.controlled.fleet, world_job(&world, &world.controlled.fleet, "j")),
        "b");
    assert_int_equal(world_job(&world, &world.controlled.fleet, "k")->state, JL_JOB_UNPLACED);
    world_close(&world);
}

/* A job that makes no progress for two minutes fails; GPU work without a GPU makes none. */
static void a_stalled_job_fails(void **state)
{
    struct world world;
    (void)state;
    world_open(&world, &(struct world_options){
                           .inventory = ONE_NODE,
                           .trace = JOB("j", ",'work':{'cpuUnits':10,'gpuUnits':10}")
                               JOB("k", ",'work':{'cpuUnits':10}"),
                       });
    world_finish(&world);
    const struct jl_sim_job *job = world_job(&world, &world.controlled.fleet, "j");
    assert_int_equal(job->state, JL_JOB_FAILED);
    assert_true(job->end_s == 130); /* its 10 CPU units take 10 s, then it stalls for 120 s */
    assert_int_equal(world_job(&world, &world.controlled.fleet, "k")->state, JL_JOB_COMPLETED);
    assert_true(jl_sim_units_done(&world.controlled.fleet).cpu == 20 &&
                jl_sim_units_done(&world.controlled.fleet).gpu == 0);
    world_close(&world);
}

/* Two gangs of two on two nodes with room for one each, taken alternately: neither could ever
 * start. The last one gives way. */
static void gangs_that_block_each_other_give_way(void **state)
{
#define MEMBER(id, gang, at)                                                                       \
    "{'type':'job','jobId':'" id "','workloadId':'" gang "','gang':true,'submitTimeOffsetSec':" at \
    ",'work':{'cpuUnits':160},'podTemplate':{'requests':{'cpu':'16'}}}\n"
    struct world world;
    (void)state;
    world_open(&world,
               &(struct world_options){
                   .inventory = "nodes: [{node_name_prefix: n, replicas: 2, cpu_cores: 16}]",
                   .trace = MEMBER("a-0", "a", "0") MEMBER("b-0", "b", "1") MEMBER("a-1", "a", "2")
                       MEMBER("b-1", "b", "3"),
                   .policy = "{'staticHpFrac':1}",
               });
    world_finish(&world);
    const struct jl_sim_fleet *runs[] = { &world.controlled.fleet, &world.uncontrolled.fleet };
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(world_job(&world, runs[i], "a-0")->state, JL_JOB_COMPLETED);
        assert_int_equal(world_job(&world, runs[i], "a-1")->state, JL_JOB_COMPLETED);
        assert_int_equal(world_job(&world, runs[i], "b-0")->state, JL_JOB_FAILED);
        assert_int_equal(world_job(&world, runs[i], "b-1")->state, JL_JOB_FAILED);
    }
    world_close(&world);
}

/* A saving is only reported where the work is the same. */
static void a_saving_needs_equal_work(void **state)
{
    struct world world;
    struct jl_buffer text = { 0 };
    char *trace = make_trace(100, 2, 16);
    struct world_options options = mixed(trace);
    (void)state;
    options.hours = 0.5;
    world_open(&world, &options);
    world_finish(&world);
    const struct jl_sim_pair pair = world_pair(&world);
    assert_int_equal(jl_sim_put_summary(&text, &pair), 0);
    assert_true(world.controlled.fleet.now_s == 1800);
    assert_null(strstr(text.data, "\"savedPct\""));
    assert_non_null(strstr(text.data, "\"savedPctReason\""));
    jl_buffer_clear(&text);
    world_close(&world);
    joulie_free(trace);
}

/* Performance pods that wait raise the number of performance nodes, and none of them
 * starves. */
static void waiting_performance_pods_are_demand(void **state)
{
    struct world world;
    struct jl_sim_counts counts;
    (void)state;
#define PERFORMANCE(id)                                                                \
    "{'type':'job','jobId':'" id                                                       \
    "','submitTimeOffsetSec':0,'intentClass':'performance','work':{'cpuUnits':16000}," \
    "'podTemplate':{'requests':{'cpu':'16'}}}\n"
    world_open(&world,
               &(struct world_options){
                   .inventory = "nodes: [{node_name_prefix: n, replicas: 4, cpu_cores: 16}]",
                   .trace = PERFORMANCE("a") PERFORMANCE("b") PERFORMANCE("c"),
                   .policy = "{'type':'queue_aware_v1','queueHpBaseFrac':0,'queueHpMin':0,'"
                             "queuePerfPerHpNode':1}",
               });
    world_run(&world, 0);
    jl_sim_count(&world.controlled.decisions, &counts);
    assert_int_equal(counts.performance, 3);
    assert_int_equal(world.controlled.fleet.running, 3);
    assert_int_equal(world.controlled.queue.count, 0);
    world_finish(&world);
    assert_int_equal(world.controlled.fleet.completed, 3);
    world_close(&world);
}

/* v0.1.1's thermal model, whose curves run hot, comes to rest instead of swinging, and all jobs
 * end. */
static void hot_nodes_come_to_rest(void **state)
{
    struct world world;
    (void)state;
    world_open(
        &world,
        &(struct world_options){
            .inventory = "nodes: [{node_name: n, cpu: AMD EPYC 9654, cpu_cores: 192}]",
            .trace =
                "{'type':'job','jobId':'j','submitTimeOffsetSec':0,'work':{'cpuUnits':192000},"
                "'podTemplate':{'requests':{'cpu':'192'}},'workloadProfile':{'cpuUtilization':1}}",
            .physics = JL_PHYSICS_V0_1_1,
        });
    world_run(&world, 100);
    const double power_w = world.uncontrolled.fleet.nodes[0].cpu.power_w;
    assert_true(power_w > 488 && power_w < 584); /* between start and full throttling */
    world_run(&world, 200);
    assert_near(world.uncontrolled.fleet.nodes[0].cpu.power_w, power_w, 2);
    world_finish(&world);
    assert_int_equal(world.uncontrolled.fleet.completed, 1);
    assert_true(world.uncontrolled.fleet.now_s > 1000);
    world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_node_is_ever_above_its_capacity),
        cmocka_unit_test(the_load_is_against_the_design),
        cmocka_unit_test(energy_is_the_integral_of_power),
        cmocka_unit_test(every_unit_is_done_once),
        cmocka_unit_test(equal_inputs_give_equal_bytes),
        cmocka_unit_test(control_that_does_nothing_costs_nothing),
        cmocka_unit_test(what_fits_nowhere_ends_as_unplaced),
        cmocka_unit_test(the_vendor_of_a_gpu_counts),
        cmocka_unit_test(a_stalled_job_fails),
        cmocka_unit_test(gangs_that_block_each_other_give_way),
        cmocka_unit_test(a_saving_needs_equal_work),
        cmocka_unit_test(waiting_performance_pods_are_demand),
        cmocka_unit_test(hot_nodes_come_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
