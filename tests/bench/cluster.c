/* SPDX-License-Identifier: Apache-2.0 */

/* A step over 5,000 nodes: every node reports a new power, and 1 % of them change class. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/bench.h"
#include "cluster/model.h"

#define NODES 5000
#define CHANGED 50
#define START_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define STEP_MS INT64_C(60000)

struct stepper {
    struct jl_cluster *cluster;
    struct jl_random random;
    int64_t now_ms;
    int round;
    char names[NODES][16];
    char pods[CHANGED][16];
    size_t writes;
};

static void check(int rc, const struct joulie_error *err)
{
    if (rc == 0)
        return;
    fprintf(stderr, "bench: %s: %s\n", err->where, err->message);
    exit(1);
}

static void put_node(struct stepper *stepper, size_t i, struct joulie_error *err)
{
    static const struct jl_pair labels[] = { { "joulie.io/managed", "true" },
                                             { "joulie.io/rack", "r1" } };
    struct jl_node node = { 0 };
    struct jl_node_hardware hardware = { 0 };
    const char *name = stepper->names[i];
    JL_MARK(&node, JL_ROOT_META);
    JL_PUT(&node.meta, JL_META_NAME, name, name);
    JL_PUT(&node.meta, JL_META_LABELS, labels, ((struct jl_map){ labels, 2 }));
    check(jl_cluster_put_node(stepper->cluster, &node, err), err);

    struct jl_hw_cpu *cpu = &hardware.status.cpu;
    JL_MARK(&hardware, JL_ROOT_META);
    JL_MARK(&hardware, JL_ROOT_SPEC);
    JL_MARK(&hardware, JL_ROOT_STATUS);
    JL_PUT(&hardware.meta, JL_META_NAME, name, name);
    JL_PUT(&hardware.spec, JL_HARDWARE_SPEC_NODE_NAME, node_name, name);
    JL_MARK(&hardware.status, JL_HARDWARE_CPU);
    JL_PUT(cpu, JL_HW_CPU_RAW_MODEL, raw_model, "AMD EPYC 9654 96-Core Processor");
    JL_PUT(cpu, JL_HW_CPU_SOCKETS, sockets, 2);
    JL_PUT(cpu, JL_HW_CPU_TOTAL_CORES, total_cores, 192);
    JL_MARK(cpu, JL_HW_CPU_CAP_RANGE);
    JL_PUT(&cpu->cap_range, JL_CAP_RANGE_MAX, max_w, 360);
    check(jl_cluster_put_hardware(stepper->cluster, &hardware, err), err);
}

/* Performance pods come and go on nodes that are planned eco: those nodes start or stop draining.
 */
static void move_pods(struct stepper *stepper, struct joulie_error *err)
{
    static const struct jl_pair performance[] = { { "joulie.io/workload-class", "performance" } };
    for (size_t i = 0; i < CHANGED; i++) {
        struct jl_pod pod = { 0 };
        if (stepper->round % 2 == 1) {
            check(jl_cluster_remove(stepper->cluster, "Pod", "d", stepper->pods[i], err), err);
            continue;
        }
        JL_MARK(&pod, JL_ROOT_META);
        JL_MARK(&pod, JL_ROOT_SPEC);
        JL_MARK(&pod, JL_ROOT_STATUS);
        JL_PUT(&pod.meta, JL_META_NAME, name, stepper->pods[i]);
        JL_PUT(&pod.meta, JL_META_NAMESPACE, name_space, "d");
        JL_PUT(&pod.meta, JL_META_ANNOTATIONS, annotations, ((struct jl_map){ performance, 1 }));
        JL_PUT(&pod.spec, JL_POD_SPEC_NODE_NAME, node_name, stepper->names[NODES - 1 - i]);
        JL_PUT(&pod.status, JL_POD_STATUS_PHASE, phase, "Running");
        check(jl_cluster_put_pod(stepper->cluster, &pod, err), err);
    }
}

static void measure(struct stepper *stepper, struct joulie_error *err)
{
    for (size_t i = 0; i < NODES; i++) {
        struct jl_cluster_sample sample = { 0 };
        sample.at_ms = stepper->now_ms;
        JL_PUT(&sample, JL_SAMPLE_POWER, node_power_w, jl_random_range(&stepper->random, 300, 303));
        JL_PUT(&sample, JL_SAMPLE_SOURCE, source, JL_SOURCE_HTTP);
        check(jl_cluster_sample(stepper->cluster, stepper->names[i], &sample, err), err);
    }
}

static void step(struct stepper *stepper)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jl_cluster_action *actions;
    size_t count;
    stepper->now_ms += STEP_MS;
    stepper->round++;
    move_pods(stepper, &err);
    measure(stepper, &err);
    jl_cluster_heartbeat(stepper->cluster, stepper->now_ms);
    check(jl_cluster_step(stepper->cluster, stepper->now_ms, &actions, &count, &err), &err);
    stepper->writes = count;
    for (size_t i = 0; i < count; i++)
        check(jl_cluster_done(stepper->cluster, actions[i].id, JL_ACTION_APPLIED, &err), &err);
}

static uint64_t run_step(void *state)
{
    struct stepper *stepper = state;
    step(stepper);
    return stepper->writes;
}

int bench_cluster(const struct bench_options *options)
{
    static struct stepper stepper = { .random = { .state = 3 }, .now_ms = START_MS };
    struct jl_cluster_config config;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    jl_cluster_defaults(&config);
    config.policy.type = JL_POLICY_STATIC;
    config.policy.node_selector = "";
    check(jl_cluster_new(&config, &stepper.cluster, &err), &err);
    for (size_t i = 0; i < NODES; i++) {
        snprintf(stepper.names[i], sizeof stepper.names[i], "node-%04zu", i);
        put_node(&stepper, i, &err);
    }
    for (size_t i = 0; i < CHANGED; i++)
        snprintf(stepper.pods[i], sizeof stepper.pods[i], "pod-%zu", i);
    for (int i = 0; i < 3; i++) /* the first steps write everything */
        step(&stepper);
    if (stepper.writes < CHANGED || stepper.writes > 10 * CHANGED) {
        fprintf(stderr, "bench: %zu writes in a step, about %d were meant\n", stepper.writes,
                2 * CHANGED);
        return 1;
    }

    const struct bench_figure figure = {
        "cluster.step.5000", "ms", 1e6, 1, &stepper, { "ours", run_step }, { NULL, NULL },
    };
    const int failed = bench_measure(&figure, options);
    jl_cluster_free(stepper.cluster);
    return failed;
}
