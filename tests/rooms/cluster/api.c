/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/api.h"

#include <string.h>

struct joulie_cluster *make(const char *settings)
{
    struct joulie_cluster *cluster = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_cluster_new(settings, settings != NULL ? strlen(settings) : 0, &cluster, &err) !=
        JOULIE_OK)
        fail_msg("%s: %s", err.where, err.message);
    return cluster;
}

void upsert(struct joulie_cluster *cluster, const char *text)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_cluster_put_object(cluster, text, strlen(text), &err) != JOULIE_OK)
        fail_msg("%s: %s: %s", text, err.where, err.message);
}

struct joulie_cluster_machine cpu_machine(const char *name)
{
    struct joulie_cluster_machine machine = JOULIE_INIT(struct joulie_cluster_machine);
    machine.name = name;
    machine.cpu_model = "AMD EPYC 9654 96-Core Processor";
    machine.has = JOULIE_CLUSTER_MACHINE_HAS_CPU_SOCKETS | JOULIE_CLUSTER_MACHINE_HAS_CPU_CORES;
    machine.cpu_sockets = 2;
    machine.cpu_cores = 192;
    return machine;
}

void put_machine(struct joulie_cluster *cluster, const struct joulie_cluster_machine *machine)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_cluster_put_machine(cluster, machine, &err) != JOULIE_OK)
        fail_msg("%s: %s", err.where, err.message);
}

void put_named(struct joulie_cluster *cluster, const char *name)
{
    const struct joulie_cluster_machine machine = cpu_machine(name);
    put_machine(cluster, &machine);
}

void measure(struct joulie_cluster *cluster, const char *name, int64_t at_ms, double watts)
{
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    sample.has = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
    sample.at_ms = at_ms;
    sample.node_power_w = watts;
    assert_int_equal(joulie_cluster_put_sample(cluster, name, &sample, NULL), JOULIE_OK);
}

size_t step(struct joulie_cluster *cluster, int64_t now_ms)
{
    size_t count = 0;
    assert_int_equal(joulie_cluster_step(cluster, now_ms, &count, NULL), JOULIE_OK);
    return count;
}

struct joulie_cluster_action action_at(struct joulie_cluster *cluster, size_t index)
{
    struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
    assert_int_equal(joulie_cluster_action_at(cluster, index, &action, NULL), JOULIE_OK);
    return action;
}

const char *body_at(struct joulie_cluster *cluster, size_t index)
{
    const char *body = NULL;
    assert_int_equal(joulie_cluster_action_body(cluster, action_at(cluster, index).id, &body, NULL),
                     JOULIE_OK);
    return body;
}

void apply_all(struct joulie_cluster *cluster, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(joulie_cluster_action_done(cluster, action_at(cluster, i).id,
                                                    JOULIE_OUTCOME_APPLIED, NULL),
                         JOULIE_OK);
}

void settle(struct joulie_cluster *cluster, int64_t now_ms)
{
    for (size_t count = step(cluster, now_ms); count > 0; count = step(cluster, now_ms))
        apply_all(cluster, count);
}

struct joulie_cluster_node node_of(struct joulie_cluster *cluster, const char *name)
{
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    assert_int_equal(joulie_cluster_node_by_name(cluster, name, &node, NULL), JOULIE_OK);
    return node;
}
