/* SPDX-License-Identifier: Apache-2.0 */

/* Runs under efficiency_v1: what its profiles say of the jobs, and what its caps save. */

#include <string.h>

#include "sim/pod.h"
#include "sim/world.h"

static const char inventory[] =
    "nodes:\n"
    "  - {node_name_prefix: g, replicas: 2, product: NVIDIA H100 80GB HBM3, cpu: AMD EPYC 9654,"
    " cpu_cores: 192, gpu_count: 8}\n"
    "  - {node_name: c, cpu: AMD EPYC 9654, cpu_cores: 192}\n";

#define GPU_JOB(id, at, gpus, class_, util)                                                 \
    "{'type':'job','jobId':'" id "','submitTimeOffsetSec':" at ",'work':{'cpuUnits':100,"   \
    "'gpuUnits':40000},'podTemplate':{'requests':{'cpu':'8','nvidia.com/gpu':'" gpus "'}}," \
    "'workloadClass':{'gpu':'gpu." class_ "'},'workloadProfile':{'gpuUtilization':" util "}}\n"
#define CPU_JOB(id, at)                                                                      \
    "{'type':'job','jobId':'" id "','submitTimeOffsetSec':" at ",'work':{'cpuUnits':90000}," \
    "'podTemplate':{'requests':{'cpu':'64'}}}\n"

/* Nodes that share kinds of work, and nodes that idle; nothing has to wait. */
static const char trace[] =
    GPU_JOB("a", "0", "4", "memory_bound", "0.7") GPU_JOB("b", "30", "4", "compute_bound", "0.95")
        CPU_JOB("c", "60") GPU_JOB("d", "400", "6", "memory_bound", "0.8") CPU_JOB("e", "900")
            GPU_JOB("f", "2000", "2", "mixed", "0.6");

static void run(struct world *world, const char *policy)
{
    world_open(world, &(struct world_options){ .inventory = inventory,
                                               .trace = trace,
                                               .policy = policy,
                                               .placement = WORLD_EFFICIENCY });
    world_finish(world);
}

static const char no_slowdown[] =
    "{'type':'efficiency_v1','gpuSlowdownStandardPct':0,'gpuSlowdownInsensitivePct':0}";
static const char every_node[] = "{'type':'static_partition','staticHpFrac':1}";

static void work_that_may_not_be_slowed_saves_nothing(void **state)
{
    struct world limited;
    struct world full;
    (void)state;
    run(&limited, no_slowdown);
    run(&full, every_node);
    const struct jl_sim_fleet *a = &limited.controlled.fleet;
    const struct jl_sim_fleet *b = &full.controlled.fleet;
    assert_true(jl_sim_it_energy_j(a) == jl_sim_it_energy_j(b)); /* to the last bit */
    assert_true(a->now_s == b->now_s);
    for (size_t i = 0; i < limited.workload.count; i++) {
        assert_int_equal(a->jobs[i].node, b->jobs[i].node);
        assert_true(a->jobs[i].start_s == b->jobs[i].start_s);
        assert_true(a->jobs[i].end_s == b->jobs[i].end_s);
    }
    world_close(&limited);
    world_close(&full);
}

/* Of three nodes with two EPYC 9654 at 128 W, and of 16 H100 SXM at 100 W: with few jobs they take
 * more in the time that these take longer than caps save. */
#define IDLE_W (3 * 128 + 16 * 100)

static double of_work_j(const struct jl_sim_fleet *fleet)
{
    return jl_sim_it_energy_j(fleet) - IDLE_W * fleet->now_s;
}

/* No job takes longer than its limit allows. */
static void caps_save_energy_within_the_limit(void **state)
{
    struct world capped;
    struct world full;
    bool is_slowed = false;
    (void)state;
    run(&capped, "{'type':'efficiency_v1'}");
    run(&full, every_node);
    const struct jl_sim_fleet *a = &capped.controlled.fleet;
    const struct jl_sim_fleet *b = &full.controlled.fleet;
    assert_true(of_work_j(a) < 0.96 * of_work_j(b));
    assert_true(jl_sim_units_done(a).gpu == jl_sim_units_done(b).gpu);
    for (size_t i = 0; i < capped.workload.count; i++) {
        const double took_s = a->jobs[i].end_s - a->jobs[i].start_s;
        const double natural_s = b->jobs[i].end_s - b->jobs[i].start_s;
        assert_true(a->jobs[i].start_s == b->jobs[i].start_s);
        assert_true(took_s >= natural_s);
        assert_true(took_s <= 1.1 * natural_s);
        is_slowed = is_slowed || took_s > natural_s;
    }
    assert_true(is_slowed);
    world_close(&capped);
    world_close(&full);
}

/* ---- profiles ---- */

static struct jl_trace_job some_job(void)
{
    struct jl_trace_job job = { .job_id = "j", .name_space = "ns", .gpu_count = 2 };
    job.work.gpu_class = JL_GPU_COMPUTE;
    job.work.cpu_class = JL_CPU_COMPUTE;
    job.work.cpu_util = 0.25;
    job.work.gpu_util = 0.625;
    job.work.feed = 0.45;
    job.work.sensitivity_cpu = 1;
    job.work.sensitivity_gpu = 1;
    return job;
}

static void assert_words(const struct jl_trace_job *job, enum joulie_bound cpu,
                         enum joulie_bound gpu)
{
    struct jl_arena arena = { 0 };
    struct jl_workload_profile profile;
    assert_int_equal(jl_sim_profile_object(job, "2026-03-13T12:00:00Z", &arena, &profile), 0);
    assert_int_equal(profile.status.cpu.bound, cpu);
    assert_int_equal(profile.status.gpu.bound, gpu);
    jl_arena_clear(&arena);
}

/* By tests/vectors/model/reference/physics.py: the word with the nearest weight of memory. */
static void the_word_is_that_of_the_nearest_work(void **state)
{
    static const struct {
        enum jl_gpu_class class_;
        double memory;
        enum joulie_bound word;
    } rows[] = {
        { JL_GPU_COMPUTE, 0.67, JOULIE_BOUND_COMPUTE },
        { JL_GPU_COMPUTE, 0.68, JOULIE_BOUND_MIXED },
        { JL_GPU_MIXED, 0.22, JOULIE_BOUND_COMPUTE },
        { JL_GPU_MIXED, 0.23, JOULIE_BOUND_MIXED },
        { JL_GPU_MIXED, 0.94, JOULIE_BOUND_MIXED },
        { JL_GPU_MIXED, 0.95, JOULIE_BOUND_MEMORY },
        { JL_GPU_MEMORY, 0.49, JOULIE_BOUND_MIXED },
        { JL_GPU_MEMORY, 0.5, JOULIE_BOUND_MEMORY },
        { JL_GPU_BANDWIDTH, 1, JOULIE_BOUND_MEMORY },
    };

    static const struct {
        enum jl_cpu_class class_;
        enum joulie_bound word;
    } cpus[] = {
        { JL_CPU_COMPUTE, JOULIE_BOUND_COMPUTE }, { JL_CPU_MEMORY, JOULIE_BOUND_MEMORY },
        { JL_CPU_IO, JOULIE_BOUND_IO },           { JL_CPU_MIXED, JOULIE_BOUND_MIXED },
        { JL_CPU_UNKNOWN, JOULIE_BOUND_MIXED },
    };

    (void)state;
    struct jl_trace_job job = some_job();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        job.work.gpu_class = rows[i].class_;
        job.work.memory = rows[i].memory;
        assert_words(&job, JOULIE_BOUND_COMPUTE, rows[i].word);
    }
    job = some_job();
    job.gpu_count = 0;
    for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
        job.work.cpu_class = cpus[i].class_;
        assert_words(&job, cpus[i].word, JOULIE_BOUND_UNKNOWN);
    }
}

static void sensitivities_are_the_nearest_words(void **state)
{
    static const struct {
        double value;
        enum joulie_level word;
    } rows[] = { { 1, JOULIE_LEVEL_HIGH },        { 0.75, JOULIE_LEVEL_HIGH },
                 { 0.7499, JOULIE_LEVEL_MEDIUM }, { 0.375, JOULIE_LEVEL_MEDIUM },
                 { 0.3749, JOULIE_LEVEL_LOW },    { 0, JOULIE_LEVEL_LOW } };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct jl_arena arena = { 0 };
        struct jl_workload_profile profile;
        struct jl_trace_job job = some_job();
        job.work.sensitivity_cpu = rows[i].value;
        job.work.sensitivity_gpu = 1 - rows[i].value;
        assert_int_equal(jl_sim_profile_object(&job, "now", &arena, &profile), 0);
        assert_int_equal(profile.status.cpu.cap_sensitivity, rows[i].word);
        job.work.sensitivity_gpu = rows[i].value;
        assert_int_equal(jl_sim_profile_object(&job, "now", &arena, &profile), 0);
        assert_int_equal(profile.status.gpu.cap_sensitivity, rows[i].word);
        jl_arena_clear(&arena);
    }
}

static void a_profile_names_its_pod_and_counts(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_workload_profile profile;
    char now[] = "2026-03-13T12:00:00Z";
    (void)state;
    struct jl_trace_job job = some_job();
    assert_int_equal(jl_sim_profile_object(&job, now, &arena, &profile), 0);
    memset(now, 'x', sizeof now - 1); /* the text was copied */
    assert_string_equal(profile.kind, "WorkloadProfile");
    assert_string_equal(profile.meta.name, "j");
    assert_string_equal(profile.meta.name_space, "ns");
    assert_string_equal(profile.spec.workload_ref.kind, "Pod");
    assert_string_equal(profile.spec.workload_ref.name, "j");
    assert_string_equal(profile.status.last_updated, "2026-03-13T12:00:00Z");
    assert_near(profile.status.confidence, 1, 0);
    assert_near(profile.status.cpu.avg_utilization_pct, 25, 0);
    assert_near(profile.status.gpu.avg_utilization_pct, 62.5, 0);
    assert_true(profile.status.given.gpu);
    job.gpu_count = 0;
    assert_int_equal(jl_sim_profile_object(&job, "now", &arena, &profile), 0);
    assert_false(profile.status.given.gpu);
    jl_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_that_may_not_be_slowed_saves_nothing),
        cmocka_unit_test(caps_save_energy_within_the_limit),
        cmocka_unit_test(the_word_is_that_of_the_nearest_work),
        cmocka_unit_test(sensitivities_are_the_nearest_words),
        cmocka_unit_test(a_profile_names_its_pod_and_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
