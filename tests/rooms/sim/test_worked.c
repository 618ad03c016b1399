/* SPDX-License-Identifier: Apache-2.0 */

/* Runs small enough to be worked out on paper: the sums stand above each test. */

#include "sim/node.h"
#include "sim/world.h"

/* A job that is bound by the CPU clock alone: at full frequency it does as many units a second as
 * it has cores. */
#define COMPUTE                                    \
    "'workloadClass':{'cpu':'cpu.compute_bound'}," \
    "'workloadProfile':{'cpuUtilization':1,'memoryIntensity':0,'ioIntensity':0}"

#define WHOLE_NODE(id, at)                                                                  \
    "{'type':'job','jobId':'" id "','submitTimeOffsetSec':" at ",'work':{'cpuUnits':1600}," \
    "'podTemplate':{'requests':{'cpu':'16'}}," COMPUTE "}\n"

/*
 * One job on one node. 16 cores, 16,000 units: 1000 s at 16 units/s. Utilisation 1, activity 1: 420
 * W. 420 W · 1000 s = 420,000 J. It comes at 100 s, before it the node idles at 80 W for 8,000 J.
 */
static void one_job_on_one_node(void **state)
{
    struct world world;
    (void)state;
    world_open(
        &world,
        &(struct world_options){
            .inventory = "nodes: [{node_name: n, cpu_cores: 16, memory_gib: 64}]",
            .trace =
                "{'type':'job','jobId':'j','submitTimeOffsetSec':100,'work':{'cpuUnits':16000},"
                "'podTemplate':{'requests':{'cpu':'16','memory':'1Gi'}}," COMPUTE "}",
        });
    world_finish(&world);
    const struct jl_sim_fleet *runs[] = { &world.controlled.fleet, &world.uncontrolled.fleet };
    for (size_t i = 0; i < 2; i++) {
        const struct jl_sim_job *job = world_job(&world, runs[i], "j");
        assert_true(job->start_s == 100 && job->end_s == 1100);
        assert_true(runs[i]->now_s == 1100);
        assert_near(jl_sim_it_energy_j(runs[i]), 428000, 1e-6);
        assert_true(jl_sim_units_done(runs[i]).cpu == 16000);
    }
    world_close(&world);
}

/*
 * A cap that binds on a measured curve. Two nodes of 2 x EPYC 9654, one performance, one eco with
 * 60 %: 60 % of 408.5 W a package, 490.2 W a node. The curve reaches 442 W at 60 % and 498 W at 70
 * %, so the load falls to 60 + 10·48.2/56 = 68.607142857 %, and as the job is fully sensitive and
 * fully dependent (base 0.60 + 0.25 + 0.15 = 1) that is its speed. The agent of n-1 steps at 10 s
 * and sets the cap; the lag of 250 ms has its next event 10 s later, so for 20 s the job runs
 * at full speed and 817 W: 3,840 of its 192,000 units. The rest takes (192,000 −
 * 3,840)/(192·0.68607142857) = 1428.422696 s at 490.2 W. n-0 does its job in 1000 s at 817 W and
 * then idles at 128 W.
 */
static void a_cap_binds_on_a_curve(void **state)
{
    const double rest_s = (192000.0 - 3840.0) / (192.0 * (60 + 10 * 48.2 / 56) / 100);
    struct world world;
    (void)state;
    world_open(
        &world,
        &(struct world_options){
            .inventory =
                "nodes: [{node_name_prefix: n, replicas: 2, cpu: AMD EPYC 9654, cpu_cores: 192}]",
            .trace = "{'type':'job','jobId':'a','submitTimeOffsetSec':0,'work':{'cpuUnits':192000},"
                     "'podTemplate':{'requests':{'cpu':'192'}}," COMPUTE "}\n"
                     "{'type':'job','jobId':'b','submitTimeOffsetSec':0,'work':{'cpuUnits':192000},"
                     "'podTemplate':{'requests':{'cpu':'192'}}," COMPUTE "}\n",
            .policy = "{'type':'static_partition','staticHpFrac':0.5}",
            .placement = WORLD_LEAST_ALLOCATED,
        });
    world_run(&world, 500);
    assert_near(world.controlled.fleet.nodes[1].cpu.power_w, 490.2, 1e-6);
    world_finish(&world);
    const struct jl_sim_job *a = world_job(&world, &world.controlled.fleet, "a");
    const struct jl_sim_job *b = world_job(&world, &world.controlled.fleet, "b");
    assert_string_equal(world_node_of(&world.controlled.fleet, a), "n-0");
    assert_string_equal(world_node_of(&world.controlled.fleet, b), "n-1");
    assert_near(a->end_s, 1000, 1e-6);
    assert_near(b->end_s, 20 + rest_s, 1e-5);
    assert_near(20 + rest_s, 1448.422696, 1e-5);
    const double energy_j = 817.0 * 1000 + 128 * (20 + rest_s - 1000) + 817 * 20 + 490.2 * rest_s;
    assert_near(jl_sim_it_energy_j(&world.controlled.fleet), energy_j, 0.01);
    assert_near(jl_sim_it_energy_j(&world.uncontrolled.fleet), 2 * 817.0 * 1000, 1e-3);
    world_close(&world);
}

/*
 * A GPU job under a cap. Two nodes of 8 x H100 NVL (60 W idle, 400 W, 0.84 of an H100 SXM), the
 * second eco with 60 %: 240 W a device. The job uses all devices fully, compute-bound, memory 0.3,
 * fed with 0.45: natural power 372.190847 W, throughput at 240 W 0.6167. Its 8,000 GPU units take
 * 1000/0.84 = 1190.48 s without a cap. As above the cap bites after 20 s; the rest takes
 * 1170.48/0.6167 = 1897.97 s. The CPUs idle at 80 W: a node with GPUs gets no CPU cap, and the job
 * has no CPU work.
 */
static void a_gpu_job_under_a_cap(void **state)
{
    const double whole_s = 1000 / 0.84;
    struct world world;
    (void)state;
#define GPU_JOB(id)                                                    \
    "{'type':'job','jobId':'" id                                       \
    "','submitTimeOffsetSec':0,'work':{'cpuUnits':0,'gpuUnits':8000}," \
    "'podTemplate':{'requests':{'cpu':'8','nvidia.com/"                \
    "gpu':'8'}},'workloadClass':{'gpu':'gpu.compute_bound'},"          \
    "'workloadProfile':{'gpuUtilization':1,'memoryIntensity':0.3,'cpuFeedIntensityGpu':0.45}}\n"
    world_open(&world, &(struct world_options){
                           .inventory = "nodes: [{node_name_prefix: n, replicas: 2, vendor: "
                                        "nvidia, product: NVIDIA H100 NVL,"
                                        " cpu_cores: 64, gpu_count: 8}]",
                           .trace = GPU_JOB("a") GPU_JOB("b"),
                           .policy = "{'staticHpFrac':0.5,'gpuEcoCapPctOfMax':60}",
                           .placement = WORLD_LEAST_ALLOCATED,
                       });
    world_run(&world, 500);
    assert_near(world.controlled.fleet.nodes[0].gpu.power_w, 8 * 372.190847, 1e-4);
    assert_near(world.controlled.fleet.nodes[1].gpu.power_w, 8 * 240, 1e-9);
    assert_near(world.controlled.fleet.nodes[1].cpu.power_w, 80, 1e-9);
    assert_false(world.controlled.fleet.nodes[1].has_cpu_cap);
    world_finish(&world);
    assert_near(world_job(&world, &world.controlled.fleet, "a")->end_s, whole_s, 1e-6);
    assert_near(world_job(&world, &world.controlled.fleet, "b")->end_s,
                20 + (whole_s - 20) / 0.6167, 0.2);
    const double end_s = world.controlled.fleet.now_s;
    const double energy_j = 2 * 80 * end_s + 8 * 372.190847 * whole_s + 8 * 60 * (end_s - whole_s) +
                            8 * 372.190847 * 20 + 8 * 240 * (end_s - 20);
    assert_near(jl_sim_it_energy_j(&world.controlled.fleet), energy_j, 1);
    assert_near(jl_sim_it_energy_j(&world.uncontrolled.fleet), whole_s * 2 * (80 + 8 * 372.190847),
                0.1);
    world_close(&world);
}

#define SHARED_GPUS(id, count, class_, util, memory)                                 \
    "{'type':'job','jobId':'" id                                                     \
    "','submitTimeOffsetSec':0,'work':{'cpuUnits':0,'gpuUnits':80000},"              \
    "'podTemplate':{'requests':{'cpu':'8','nvidia.com/gpu':'" count "'}},"           \
    "'workloadClass':{'gpu':'" class_ "'},'workloadProfile':{'gpuUtilization':" util \
    ",'memoryIntensity':" memory ",'cpuFeedIntensityGpu':0.45}}\n"

/*
 * GPUs draw by the job that is on them. Of 8 x H100 NVL two compute-bound jobs use 4 at u 0.5
 * (220.06 W) and 2 at u 0.8 (311.45 W), the others idle at 60 W: 1623.1 W. By the mean of the node,
 * u 0.45 on 4 devices at 0.9, they would draw 1607 W, and a cap of 320 W would save power of
 * them although it lies above every job.
 */
static void gpus_draw_by_their_jobs(void **state)
{
    struct world world;
    (void)state;
    world_open(&world, &(struct world_options){
                           .inventory = "nodes: [{node_name: n, vendor: nvidia, product: NVIDIA "
                                        "H100 NVL, cpu_cores: 64, gpu_count: 8}]",
                           .trace = SHARED_GPUS("a", "4", "gpu.compute_bound", "0.5", "0.3")
                               SHARED_GPUS("b", "2", "gpu.compute_bound", "0.8", "0.3"),
                           .policy = "{'staticHpFrac':1}",
                           .placement = WORLD_LEAST_ALLOCATED,
                       });
    world_run(&world, 500);
    assert_near(world.controlled.fleet.nodes[0].gpu.power_w, 4 * 220.06 + 2 * 311.45 + 2 * 60, 0.1);
    world_close(&world);
}

/*
 * A GPU idles on a job that has no GPU work left, or whose gang is not complete. c has done its 84
 * units after 100 s and goes on with CPU work; d waits for its gang: e needs all 8 GPUs.
 */
static void gpus_idle_on_jobs_without_work_for_them(void **state)
{
    struct world world;
    (void)state;
#define OTHER_GPUS(id, count, gang, work)                                           \
    "{'type':'job','jobId':'" id "','workloadId':'w','submitTimeOffsetSec':0," gang \
    "'work':{" work "},'podTemplate':{'requests':{'cpu':'8','nvidia.com/gpu':'" count "'}}}\n"
    world_open(&world,
               &(struct world_options){
                   .inventory = "nodes: [{node_name: n, vendor: nvidia, product: NVIDIA H100 NVL, "
                                "cpu_cores: 64, gpu_count: 8}]",
                   .trace = SHARED_GPUS("a", "4", "gpu.compute_bound", "0.5", "0.3")
                       OTHER_GPUS("c", "1", "", "'cpuUnits':80000,'gpuUnits':84")
                           OTHER_GPUS("d", "1", "'gang':true,", "'gpuUnits':84")
                               OTHER_GPUS("e", "8", "'gang':true,", "'gpuUnits':84"),
                   .policy = "{'staticHpFrac':1}",
                   .placement = WORLD_LEAST_ALLOCATED,
               });
    world_run(&world, 50);
    const struct jl_sim_fleet *fleet = &world.controlled.fleet;
    assert_int_equal(fleet->nodes[0].job_count, 3);
    assert_true(fleet->nodes[0].gpu.power_w > 4 * 220.06 + 4 * 60 + 100);
    world_run(&world, 101);
    assert_int_equal(fleet->nodes[0].job_count, 3);
    assert_near(fleet->nodes[0].gpu.power_w, 4 * 220.06 + 4 * 60, 0.1);
    world_close(&world);
}

/*
 * A cap that binds nobody saves nothing: not a bit. The policy caps the GPUs to 80 % of 400 W,
 * 320 W, from 10 s on; the jobs draw 220.06 and 311.45 W.
 */
static void a_cap_above_every_job_saves_nothing(void **state)
{
    struct world world;
    (void)state;
    world_open(&world, &(struct world_options){
                           .inventory = "nodes: [{node_name: n, vendor: nvidia, product: NVIDIA "
                                        "H100 NVL, cpu_cores: 64, gpu_count: 8}]",
                           .trace = SHARED_GPUS("a", "4", "gpu.compute_bound", "0.5", "0.3")
                               SHARED_GPUS("b", "2", "gpu.compute_bound", "0.8", "0.3"),
                           .policy = "{'staticHpFrac':1,'gpuPerformanceCapPctOfMax':80}",
                           .placement = WORLD_LEAST_ALLOCATED,
                       });
    world_run(&world, 500);
    assert_near(world.controlled.fleet.nodes[0].gpu_cap.target, 320, 1e-9);
    assert_true(world.controlled.fleet.nodes[0].gpu.power_w ==
                world.uncontrolled.fleet.nodes[0].gpu.power_w);
    world_finish(&world);
    assert_true(jl_sim_it_energy_j(&world.controlled.fleet) ==
                jl_sim_it_energy_j(&world.uncontrolled.fleet));
    world_close(&world);
}

/*
 * Two kinds of work on a curve, at f 0.5 by a throttle of half. 2 x EPYC 9654, 192 cores, knee
 * 0.5625. a: 96 cores, u 1, compute-bound, no memory or I/O: base 1, weights of 1.89 in 189 parts
 * (0.8625, 0.11, 0.0275), M(0.5) = 0.8625 · 0.5 + 0.11 · 0.8975 + 0.0275 · 0.975 = 0.5567875.
 * b: 96 cores, u 0.5, memory 0.5: base 0.30 + 0.125 + 0.15 = 0.575, mixed weights
 * (0.4725, 0.4175, 0.11) of sum 1, M(0.5) = 0.23625 + 0.4175 · 0.8975 + 0.10725 = 0.71820625.
 * Load: (96 · 0.5567875 + 96 · 0.5 · (1 − 0.575 · (1 − 0.71820625)))/192 = 0.487887, which the
 * curve has at 378 + 32 · 0.878859 = 406.12 W. The mean of the node would be another number.
 */
static void the_load_of_a_curve_is_what_its_jobs_deliver(void **state)
{
    struct world world;
    (void)state;
#define HALF(id, class_, util, memory)                                                   \
    "{'type':'job','jobId':'" id "','submitTimeOffsetSec':0,'work':{'cpuUnits':192000}," \
    "'podTemplate':{'requests':{'cpu':'96'}},'workloadClass':{'cpu':'" class_ "'},"      \
    "'workloadProfile':{'cpuUtilization':" util ",'memoryIntensity':" memory             \
    ",'ioIntensity':0}}\n"
    world_open(&world, &(struct world_options){
                           .inventory = "nodes: [{node_name: n, cpu: AMD EPYC 9654, cpu_cores: "
                                        "192}]",
                           .trace = HALF("a", "cpu.compute_bound", "1", "0")
                               HALF("b", "cpu.mixed", "0.5", "0.5"),
                           .policy = "{'staticHpFrac':1}",
                           .placement = WORLD_LEAST_ALLOCATED,
                       });
    world_run(&world, 1);
    jl_sim_set_throttle(&world.controlled.fleet, 0, 50);
    world_run(&world, 500);
    assert_near(world.controlled.fleet.nodes[0].freq, 0.5, 1e-12);
    assert_near(world.controlled.fleet.nodes[0].cpu.power_w, 378 + 32 * 0.878859, 1e-3);
    assert_near(world_job(&world, &world.controlled.fleet, "a")->cpu.speed, 96 * 0.5567875, 1e-9);
    assert_near(world_job(&world, &world.controlled.fleet, "b")->cpu.speed,
                96 * (1 - 0.575 * (1 - 0.71820625)), 1e-9);
    world_close(&world);
}

/*
 * A core of an EPYC 9375F does 1.67 units a second, by its entry 2, one of no known model 1: 1,600
 * units on 16 cores take 59.88 s, 50 s and 100 s. In v0.1.1 all models are equally fast.
 */
static void models_are_not_equally_fast(void **state)
{
    static const struct {
        const char *inventory;
        double seconds;
        double source_seconds;
    } rows[] = {
        { "nodes: [{node_name: n, cpu: AMD EPYC 9375F, cpu_cores: 16}]", 100 / 1.67, 100 },
        { "nodes: [{node_name: n, cpu: AMD EPYC 9375F, cpu_cores: 16, cpu_relative_speed: 2}]", 50,
          50 },
        { "nodes: [{node_name: n, cpu: somebody's own, cpu_cores: 16}]", 100, 100 },
    };

    (void)state;
    for (size_t i = 0; i < 2 * JL_COUNT(rows); i++) {
        const bool is_source = i % 2 == 1;
        struct world world;
        world_open(&world, &(struct world_options){
                               .inventory = rows[i / 2].inventory,
                               .trace = WHOLE_NODE("a", "0"),
                               .physics = is_source ? JL_PHYSICS_V0_1_1 : JL_PHYSICS_CURRENT,
                           });
        world_finish(&world);
        assert_near(world_job(&world, &world.controlled.fleet, "a")->end_s,
                    is_source ? rows[i / 2].source_seconds : rows[i / 2].seconds, 1e-9);
        world_close(&world);
    }
}

/*
 * Where each scoring sends a pod. Of 5 cores and 1 GiB: LeastAllocated a (50 + 95)/2 = 72,
 * b (50 + 90)/2 = 70, c (0 + 90)/2 = 45; BalancedAllocation adds a 77, b 80, c 55; MostAllocated
 * has a 27, b 30, c 55. Of 1 core, 1 GiB and 1 GPU, where GPUs count five times: d (6 + 6 + 5 *
 * 12)/7 = 10, e (1 + 1 + 5 * 50)/7 = 36; without GPUs d would be ahead.
 */
static void each_scoring_sends_a_pod_elsewhere(void **state)
{
    static const struct {
        enum world_placement placement;
        const char *node;
        const char *gpu_node;
    } all[] = {
        { WORLD_LEAST_ALLOCATED, "a", "e" },
        { WORLD_KUBE, "b", "e" },
        { WORLD_MOST_ALLOCATED, "c", "e" },
    };

    (void)state;
#define SMALL_JOB(id, requests)                                                       \
    "{'type':'job','jobId':'" id "','submitTimeOffsetSec':0,'work':{'cpuUnits':100}," \
    "'podTemplate':{'requests':{" requests "}}}\n"
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct world world;
        world_open(&world, &(struct world_options){
                               .inventory = "nodes:\n"
                                            "  - {node_name: a, cpu_cores: 10, memory_gib: 20}\n"
                                            "  - {node_name: b, cpu_cores: 10, memory_gib: 10}\n"
                                            "  - {node_name: c, cpu_cores: 5, memory_gib: 10}\n",
                               .trace = SMALL_JOB("j", "'cpu':'5','memory':'1Gi'"),
                               .policy = "{'staticHpFrac':1}",
                               .placement = all[i].placement,
                               .baseline = all[i].placement,
                           });
        world_finish(&world);
        assert_string_equal(
            world_node_of(&world.controlled.fleet, world_job(&world, &world.controlled.fleet, "j")),
            all[i].node);
        assert_string_equal(world_node_of(&world.uncontrolled.fleet,
                                          world_job(&world, &world.uncontrolled.fleet, "j")),
                            all[i].node);
        world_close(&world);

        world_open(&world,
                   &(struct world_options){
                       .inventory = "nodes:\n"
                                    "  - {node_name: d, vendor: nvidia, product: NVIDIA L40S, "
                                    "cpu_cores: 16, memory_gib: 16, gpu_count: 8}\n"
                                    "  - {node_name: e, vendor: nvidia, product: NVIDIA L40S, "
                                    "cpu_cores: 64, memory_gib: 64, gpu_count: 2}\n",
                       .trace = SMALL_JOB("g", "'cpu':'1','memory':'1Gi','nvidia.com/gpu':'1'"),
                       .policy = "{'staticHpFrac':1}",
                       .placement = all[i].placement,
                       .baseline = all[i].placement,
                   });
        world_finish(&world);
        assert_string_equal(world_node_of(&world.uncontrolled.fleet,
                                          world_job(&world, &world.uncontrolled.fleet, "g")),
                            all[i].gpu_node);
        world_close(&world);
    }
}

/* By costs and by scores alike: of GPUs that the catalog does not know nothing can be said, so they
 * take a pod when no others are free, on the lower name first. */
static void an_unknown_machine_is_the_last(void **state)
{
    static const enum world_placement placements[] = { WORLD_EFFICIENCY, WORLD_COST };

    (void)state;
#define GPUS(name, product, count)                                                      \
    "  - {node_name: " name ", vendor: nvidia, product: " product ", gpu_count: " count \
    ", cpu_cores: 64}\n"
    for (size_t i = 0; i < JL_COUNT(placements); i++) {
        struct world world;
        world_open(&world, &(struct world_options){
                               .inventory = "nodes:\n" GPUS("a", "none of ours", "8")
                                   GPUS("b", "none of ours", "8") GPUS("c", "NVIDIA L40S", "4")
                                       GPUS("d", "NVIDIA L40S", "4"),
                               .trace = SMALL_JOB("j1", "'nvidia.com/gpu':'3'")
                                   SMALL_JOB("j2", "'nvidia.com/gpu':'4'")
                                       SMALL_JOB("j3", "'nvidia.com/gpu':'4'")
                                           SMALL_JOB("j4", "'nvidia.com/gpu':'8'"),
                               .policy = "{'type':'static_partition','staticHpFrac':1}",
                               .placement = placements[i],
                           });
        world_run(&world, 0);
        const struct jl_sim_fleet *fleet = &world.controlled.fleet;
        assert_string_equal(world_node_of(fleet, world_job(&world, fleet, "j1")), "c");
        assert_string_equal(world_node_of(fleet, world_job(&world, fleet, "j2")), "d");
        assert_string_equal(world_node_of(fleet, world_job(&world, fleet, "j3")), "a");
        assert_string_equal(world_node_of(fleet, world_job(&world, fleet, "j4")), "b");
        world_close(&world);
    }
}

/*
 * A queue of three pods. Each needs the whole node for 100 s (1,600 units, 16 cores); they come at
 * 0, 10 and 20 s. They start at 0, 100 and 200 s and wait 0, 90 and 180 s: 90 s on average. 300 s
 * at 420 W: 126,000 J.
 */
static void a_queue_of_three_pods(void **state)
{
    struct world world;
    (void)state;
    world_open(&world,
               &(struct world_options){
                   .inventory = "nodes: [{node_name: n, cpu_cores: 16}]",
                   .trace = WHOLE_NODE("c", "20") WHOLE_NODE("a", "0") WHOLE_NODE("b", "10"),
               });
    world_run(&world, 50);
    assert_int_equal(world.controlled.queue.count, 2);
    assert_int_equal(world.controlled.fleet.running, 1);
    world_finish(&world);
    const char *const ids[] = { "a", "b", "c" };
    for (size_t i = 0; i < 3; i++) {
        const struct jl_sim_job *job = world_job(&world, &world.controlled.fleet, ids[i]);
        assert_near(job->start_s, 100.0 * (double)i, 1e-9);
        assert_near(job->end_s, 100.0 * (double)i + 100, 1e-9);
    }
    assert_near(jl_sim_it_energy_j(&world.controlled.fleet), 126000, 1e-6);
    assert_near(jl_sim_it_energy_j(&world.uncontrolled.fleet), 126000, 1e-6);
    world_close(&world);
}

/*
 * Room for performance pods. Two generic nodes of 16 cores, queue_aware_v1. At 0 s come a (8 cores,
 * 2000 s), b (4 cores, 2000 s) and c (4 cores, 100 s), all performance: one node has room for all
 * of them, so n-0 alone is performance, though LeastAllocated would spread them. At 700 s d comes
 * (4 cores) and takes the place of c. At 710 s comes e (16 cores, 100 s), which has room on n-1
 * only: a step at once promotes it, 10 s after the one that d made. e ends at 810 s; the step at
 * 840 s needs one node again, and 300 s later n-1 is eco. No node is ever emptied, and caps are
 * left out.
 */
static void room_for_performance_pods(void **state)
{
    struct world world;
    struct jl_sim_counts counts;
    (void)state;
#define PERFORMANCE(id, at, cores, units)                                                      \
    "{'type':'job','jobId':'" id "','submitTimeOffsetSec':" at ",'intentClass':'performance'," \
    "'work':{'cpuUnits':" units "},'podTemplate':{'requests':{'cpu':'" cores "'}}," COMPUTE "}\n"
    world_open(&world,
               &(struct world_options){
                   .inventory = "nodes: [{node_name_prefix: n, replicas: 2, cpu_cores: 16}]",
                   .trace = PERFORMANCE("a", "0", "8", "16000") PERFORMANCE("b", "0", "4", "8000")
                       PERFORMANCE("c", "0", "4", "400") PERFORMANCE("d", "700", "4", "400")
                           PERFORMANCE("e", "710", "16", "1600"),
                   .policy = "{'type':'queue_aware_v1','cpuEcoCapPctOfMax':100}",
                   .placement = WORLD_LEAST_ALLOCATED,
               });
    world_run(&world, 705);
    jl_sim_count(&world.controlled.decisions, &counts);
    assert_int_equal(counts.performance, 1);
    const char *const first[] = { "a", "b", "c", "d" };
    for (size_t i = 0; i < 4; i++) {
        const struct jl_sim_job *job = world_job(&world, &world.controlled.fleet, first[i]);
        assert_string_equal(world_node_of(&world.controlled.fleet, job), "n-0");
        assert_near(job->start_s, i < 3 ? 0 : 700, 1e-9);
    }
    assert_string_equal(
        world_node_of(&world.uncontrolled.fleet, world_job(&world, &world.uncontrolled.fleet, "b")),
        "n-1");
    world_run(&world, 1130);
    const struct jl_sim_job *e = world_job(&world, &world.controlled.fleet, "e");
    assert_string_equal(world_node_of(&world.controlled.fleet, e), "n-1");
    assert_near(e->start_s, 710, 1e-9);
    assert_near(e->end_s, 810, 1e-6);
    assert_string_equal(jl_sim_state(&world.controlled.decisions, 1), "performance");
    world_run(&world, 1150);
    assert_string_equal(jl_sim_state(&world.controlled.decisions, 1), "eco");
    jl_sim_count(&world.controlled.decisions, &counts);
    assert_int_equal(counts.draining, 0);
    world_finish(&world);
    assert_near(world_job(&world, &world.controlled.fleet, "b")->end_s, 2000, 1e-6);
    world_close(&world);
}

/*
 * A gang of two, each of a whole node, on two nodes of which one is taken until 50 s (g of 800
 * units on 16 cores). w-0 gets n-1 at 0 s and waits; w-1 gets n-0 at 50 s, and both start to work:
 * 1,600 units, 100 s, until 150 s. While w-0 waits its node idles at 80 W: 420·50 + 420·100 on n-0,
 * 80·50 + 420·100 on n-1.
 */
static void a_gang_waits_for_its_last_member(void **state)
{
    struct world world;
    (void)state;
#define GANG(id, at)                                                                        \
    "{'type':'job','jobId':'" id "','workloadId':'w','gang':true,'submitTimeOffsetSec':" at \
    ",'work':{'cpuUnits':1600},'podTemplate':{'requests':{'cpu':'16'}}," COMPUTE "}\n"
    world_open(&world,
               &(struct world_options){
                   .inventory = "nodes: [{node_name_prefix: n, replicas: 2, cpu_cores: 16}]",
                   .trace =
                       "{'type':'job','jobId':'g','submitTimeOffsetSec':0,'work':{'cpuUnits':800},"
                       "'podTemplate':{'requests':{'cpu':'16'}}," COMPUTE "}\n" GANG("w-0", "0")
                           GANG("w-1", "0"),
                   .policy = "{'staticHpFrac':1}",
                   .placement = WORLD_LEAST_ALLOCATED,
               });
    world_finish(&world);
    const struct jl_sim_job *first = world_job(&world, &world.controlled.fleet, "w-0");
    const struct jl_sim_job *last = world_job(&world, &world.controlled.fleet, "w-1");
    assert_true(first->start_s == 0 && last->start_s == 50);
    assert_true(first->end_s == 150 && last->end_s == 150);
    assert_near(jl_sim_it_energy_j(&world.controlled.fleet), 420 * 150 + 80 * 50 + 420 * 100, 1e-6);
    world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_job_on_one_node),
        cmocka_unit_test(a_cap_binds_on_a_curve),
        cmocka_unit_test(a_gpu_job_under_a_cap),
        cmocka_unit_test(each_scoring_sends_a_pod_elsewhere),
        cmocka_unit_test(an_unknown_machine_is_the_last),
        cmocka_unit_test(gpus_draw_by_their_jobs),
        cmocka_unit_test(gpus_idle_on_jobs_without_work_for_them),
        cmocka_unit_test(a_cap_above_every_job_saves_nothing),
        cmocka_unit_test(the_load_of_a_curve_is_what_its_jobs_deliver),
        cmocka_unit_test(models_are_not_equally_fast),
        cmocka_unit_test(a_queue_of_three_pods),
        cmocka_unit_test(room_for_performance_pods),
        cmocka_unit_test(a_gang_waits_for_its_last_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
