/* SPDX-License-Identifier: Apache-2.0 */

/* Nodes that nobody reads: their power follows from the pods on them
 * (docs/rules/twin.md#node-power). */

#include <stdio.h>

#include "cluster/objects.h"

#define TOLERANCE 1e-9

/* Idle watts of two EPYC 9654 by their curve, and of eight H100. */
#define CPU_IDLE_W 128.0
#define GPU_IDLE_W (8 * 100.0)
#define TDP_W (2 * 360.0 + 8 * 700.0)

static void put_gpu_node(struct joulie_cluster *cluster, const char *name, const char *gpu_model)
{
    put(cluster,
        "{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s','labels':{'joulie.io/"
        "managed':'true'}},'status':{'allocatable':{'cpu':'192','nvidia.com/gpu':'8'}}}",
        name);
    put(cluster,
        "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeHardware','metadata':{'name':'%s'},"
        "'spec':{'nodeName':'%s'},'status':{'cpu':{'model':'AMD_EPYC_9654','sockets':2,"
        "'totalCores':192},'gpu':{'present':true,'count':8,'model':'%s'}}}",
        name, name, gpu_model);
}

static void put_work(struct joulie_cluster *cluster, const char *name, const char *node,
                     const char *phase)
{
    put(cluster,
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':'default'},'spec':"
        "{'nodeName':'%s','containers':[{'name':'c','resources':{'requests':{'cpu':'48',"
        "'nvidia.com/gpu':'2'}}}]},'status':{'phase':'%s'}}",
        name, node, phase);
}

static struct joulie_cluster *of_one_class(void)
{
    struct jl_cluster_config config = { 0 };
    JL_SET(&config.policy, static_hp_frac, 1);
    config.given.policy = true;
    return new_cluster(&config);
}

static const struct jl_twin_status *status_of(struct joulie_cluster *cluster)
{
    return explain(cluster, "a").status;
}

static void an_unread_node_without_pods_is_idle_not_full_and_hot(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = of_one_class();
    put_gpu_node(cluster, "a", "NVIDIA_H100_SXM");
    settle(cluster, NOW_MS);
    const struct jl_twin_status *status = status_of(cluster);
    assert_int_equal(status->power.source, JOULIE_POWER_SOURCE_ALLOCATION);
    assert_near(status->power.measured_node_power_w, CPU_IDLE_W + GPU_IDLE_W, TOLERANCE);
    assert_near(status->power_headroom_score, 100 * (1 - (CPU_IDLE_W + GPU_IDLE_W) / TDP_W),
                TOLERANCE);
    assert_near(status->cooling_stress_score, 100 * (CPU_IDLE_W + GPU_IDLE_W) / TDP_W, TOLERANCE);
    assert_false(status->power.given.power_trend_w_per_min);
    joulie_cluster_free(cluster);
}

/* 720 W by 0.7 by a quarter of the cores, and two GPUs of 700 W by 0.65. */
static void pods_add_what_they_ask_for_until_they_end(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = of_one_class();
    put_gpu_node(cluster, "a", "NVIDIA_H100_SXM");
    settle(cluster, NOW_MS);
    put_work(cluster, "w", "a", "Pending"); /* bound: its image is being pulled */
    assert_int_equal(settle(cluster, NOW_MS), 1);
    assert_near(status_of(cluster)->power.measured_node_power_w,
                CPU_IDLE_W + 126 + GPU_IDLE_W + 910, TOLERANCE);
    put_work(cluster, "x", "a", "Running");
    settle(cluster, NOW_MS);
    assert_near(status_of(cluster)->power.measured_node_power_w,
                CPU_IDLE_W + 2 * 126 + GPU_IDLE_W + 2 * 910, TOLERANCE);
    put_work(cluster, "x", "a", "Succeeded");
    take_away(cluster, "Pod", "w");
    settle(cluster, NOW_MS);
    assert_near(status_of(cluster)->power.measured_node_power_w, CPU_IDLE_W + GPU_IDLE_W,
                TOLERANCE);
    joulie_cluster_free(cluster);
}

static void no_part_draws_more_than_its_cap_allows(void **state)
{
    (void)state;
    struct jl_cluster_config config = { 0 };
    JL_SET(&config.policy, static_hp_frac, 0);
    config.given.policy = true;
    struct joulie_cluster *cluster = new_cluster(&config);
    put_gpu_node(cluster, "a", "NVIDIA_H100_SXM");
    for (int i = 0; i < 4; i++) { /* 800 + 4 × 910 W are more than 60 % of 5600 */
        char name[16];
        snprintf(name, sizeof name, "w%d", i);
        put_work(cluster, name, "a", "Running");
    }
    settle(cluster, NOW_MS);
    const struct jl_twin_status *status = status_of(cluster);
    assert_int_equal(status->schedulable_class, JOULIE_NODE_CLASS_ECO);
    assert_near(status->power.measured_node_power_w, CPU_IDLE_W + 4 * 126 + 0.6 * 5600, TOLERANCE);
    joulie_cluster_free(cluster);
}

static void a_reading_counts_before_the_pods_while_it_is_young(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = of_one_class();
    put_gpu_node(cluster, "a", "NVIDIA_H100_SXM");
    measure(cluster, "a", NOW_MS, 2000);
    settle(cluster, NOW_MS);
    assert_int_equal(status_of(cluster)->power.source, JOULIE_POWER_SOURCE_PROMETHEUS);
    put_work(cluster, "w", "a", "Running");
    assert_int_equal(settle(cluster, NOW_MS), 0);
    settle(cluster, NOW_MS + 5 * MINUTE + SECOND);
    assert_int_equal(status_of(cluster)->power.source, JOULIE_POWER_SOURCE_ALLOCATION);
    assert_near(status_of(cluster)->power.measured_node_power_w,
                CPU_IDLE_W + 126 + GPU_IDLE_W + 910, TOLERANCE);
    joulie_cluster_free(cluster);
}

/* Where only the CPUs' utilisation is read, the GPUs are judged by the pods that hold them. */
static void gpus_that_nobody_reads_are_not_taken_to_be_busy(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = of_one_class();
    struct joulie_cluster_sample sample = { .struct_size = sizeof sample, .at_ms = NOW_MS };
    put_gpu_node(cluster, "a", "NVIDIA_H100_SXM");
    put_work(cluster, "w", "a", "Running");
    sample.has = JOULIE_CLUSTER_SAMPLE_HAS_CPU_UTIL;
    sample.cpu_util_pct = 50;
    assert_int_equal(joulie_cluster_put_sample(cluster, "a", &sample, NULL), 0);
    settle(cluster, NOW_MS);
    assert_int_equal(status_of(cluster)->power.source, JOULIE_POWER_SOURCE_UTILIZATION);
    assert_near(status_of(cluster)->power.measured_node_power_w, 410 + GPU_IDLE_W + 910, TOLERANCE);
    joulie_cluster_free(cluster);
}

/* What its GPUs draw at most is not known: a share of it is not either. */
static void an_unread_node_with_gpus_of_unknown_power_has_no_score(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = of_one_class();
    put_gpu_node(cluster, "a", "GPU of nobody");
    settle(cluster, NOW_MS);
    const struct jl_twin_status *status = status_of(cluster);
    assert_false(status->given.power_headroom_score);
    assert_false(status->given.cooling_stress_score);
    assert_false(status->given.estimated_pue);
    assert_false(status->power.given.measured_node_power_w);
    measure(cluster, "a", NOW_MS, 500);
    settle(cluster, NOW_MS);
    assert_true(status_of(cluster)->given.power_headroom_score);
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unread_node_without_pods_is_idle_not_full_and_hot),
        cmocka_unit_test(pods_add_what_they_ask_for_until_they_end),
        cmocka_unit_test(no_part_draws_more_than_its_cap_allows),
        cmocka_unit_test(a_reading_counts_before_the_pods_while_it_is_young),
        cmocka_unit_test(gpus_that_nobody_reads_are_not_taken_to_be_busy),
        cmocka_unit_test(an_unread_node_with_gpus_of_unknown_power_has_no_score),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
