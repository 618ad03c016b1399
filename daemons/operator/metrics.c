/* SPDX-License-Identifier: Apache-2.0 */

/* The families of the operator's metrics, and those that are worked out when /metrics is read. */

#include "operator/metrics.h"

#include "base/text.h"

static const struct jd_family node_state = {
    .name = "joulie_operator_node_state",
    .help = "1 for the state that was decided for the node.",
    .type = JD_GAUGE,
    .labels = { "node", "state" },
};
static const struct jd_family node_label = {
    .name = "joulie_operator_node_profile_label",
    .help = "1 for the profile that the label of the node says.",
    .type = JD_GAUGE,
    .labels = { "node", "profile" },
};
static const struct jd_family node_density = {
    .name = "joulie_operator_node_compute_density",
    .help = "Compute density by which nodes are ordered; cpu_normalized is not used for that.",
    .type = JD_GAUGE,
    .labels = { "node", "component" },
};
static const struct jd_family node_score = {
    .name = "joulie_operator_node_score",
    .help = "Predicted score of the node; absent when unknown.",
    .type = JD_GAUGE,
    .labels = { "node", "score" },
};
static const struct jd_family demand_pods = {
    .name = "joulie_operator_demand_pods",
    .help = "Pods that count as demand, by class.",
    .type = JD_GAUGE,
    .labels = { "class" },
};
const struct jd_family jd_queue_depth = {
    .name = "joulie_operator_queue_depth",
    .help = "Requests without their answer.",
    .type = JD_GAUGE,
};
static const struct jd_family paused_nodes = {
    .name = "joulie_operator_paused_nodes",
    .help = "Nodes whose annotation joulie.io/paused keeps their spec and label as they are.",
    .type = JD_GAUGE,
};
static const struct jd_family nodes_in_scope = {
    .name = "joulie_operator_nodes",
    .help = "Nodes by what the policy may do with them.",
    .type = JD_GAUGE,
    .labels = { "scope" },
};
const struct jd_family jd_dry_run = {
    .name = "joulie_operator_dry_run",
    .help = "1: nothing is written.",
    .type = JD_GAUGE,
};

const struct jd_family jd_transitions = {
    .name = "joulie_operator_state_transitions_total",
    .help = "Changes of state of nodes; deferred: a downgrade that pods keep back, once.",
    .type = JD_COUNTER,
    .labels = { "node", "from_state", "to_state", "result" },
};
const struct jd_family jd_step_seconds = {
    .name = "joulie_operator_reconcile_duration_seconds",
    .help = "Time from the start of a step to its last answer.",
    .type = JD_HISTOGRAM,
    .buckets = jd_seconds_buckets,
};
const struct jd_family jd_step_errors = {
    .name = "joulie_operator_reconcile_errors_total",
    .help = "What did not work, by reason.",
    .type = JD_COUNTER,
    .labels = { "reason" },
};
const struct jd_family jd_actions = {
    .name = "joulie_operator_actions_total",
    .help = "Writes that were decided, and what became of them.",
    .type = JD_COUNTER,
    .labels = { "kind", "verb", "outcome" },
};
const struct jd_family jd_planned = {
    .name = "joulie_operator_planned_writes",
    .help = "Writes that the last step asked for.",
    .type = JD_GAUGE,
    .labels = { "kind" },
};
const struct jd_family jd_facility_value = {
    .name = "joulie_operator_facility_value",
    .help = "What the building says; absent when unknown.",
    .type = JD_GAUGE,
    .labels = { "name" },
};
const struct jd_family jd_reads = {
    .name = "joulie_operator_power_reads_total",
    .help = "Reads of the power of a node, by result.",
    .type = JD_COUNTER,
    .labels = { "result" },
};
const struct jd_family jd_skipped_steps = {
    .name = "joulie_operator_skipped_intervals_total",
    .help = "Intervals that passed while the step before was still at work.",
    .type = JD_COUNTER,
};
const struct jd_family jd_steps = {
    .name = "joulie_operator_steps_total",
    .help = "Steps that were decided.",
    .type = JD_COUNTER,
};
const struct jd_family jd_blocked = {
    .name = "joulie_operator_foreign_operator",
    .help = "1: another operator is at work, and nothing is written.",
    .type = JD_GAUGE,
};

void jd_count_errors(struct jd_metrics *metrics, const char *reason, size_t count)
{
    jd_metric_add(metrics, &jd_step_errors, JD_LABELS(reason), (double)count);
}

void jd_count_error(struct jd_metrics *metrics, const char *reason)
{
    jd_count_errors(metrics, reason, 1);
}

static void put_one_of(struct jd_metrics *metrics, const struct jd_family *family, const char *node,
                       const char *const *words, size_t count, const char *current)
{
    for (size_t i = 0; i < count; i++)
        jd_metric_set(metrics, family, JD_LABELS(node, words[i]), jl_same(words[i], current));
}

static void put_if(struct jd_metrics *metrics, const struct jd_family *family,
                   const struct joulie_cluster_node *node, uint64_t bit, const char *word,
                   double value)
{
    if (node->has & bit)
        jd_metric_set(metrics, family, JD_LABELS(node->name, word), value);
}

static void put_node(struct jd_metrics *metrics, const struct joulie_cluster_node *node)
{
    static const char *const states[] = { "ActivePerformance", "DrainingPerformance", "ActiveEco" };
    static const char *const profiles[] = { "performance", "eco" };
    put_one_of(metrics, &node_state, node->name, states, JL_COUNT(states),
               jd_state_word(node->state));
    put_one_of(metrics, &node_label, node->name, profiles, JL_COUNT(profiles), node->label);
    put_if(metrics, &node_density, node, JOULIE_CLUSTER_NODE_HAS_CPU_DENSITY, "cpu",
           node->cpu_density);
    put_if(metrics, &node_density, node, JOULIE_CLUSTER_NODE_HAS_GPU_DENSITY, "gpu",
           node->gpu_density);
    put_if(metrics, &node_density, node, JOULIE_CLUSTER_NODE_HAS_CPU_DENSITY, "cpu_normalized",
           node->cpu_density_normalized);
    put_if(metrics, &node_score, node, JOULIE_CLUSTER_NODE_HAS_HEADROOM, "headroom",
           node->headroom_score);
    put_if(metrics, &node_score, node, JOULIE_CLUSTER_NODE_HAS_COOLING, "cooling",
           node->cooling_stress_score);
    put_if(metrics, &node_score, node, JOULIE_CLUSTER_NODE_HAS_PSU, "psu", node->psu_stress_score);
}

/* Nodes that left the scope lose their series with those that are gone. */
void jd_measure_nodes(struct jd_metrics *metrics, struct joulie_cluster *cluster)
{
    static const char *const scopes[] = { "managed", "unschedulable", "reserved", "selector" };
    double counts[JL_COUNT(scopes)] = { 0 };
    double paused = 0;
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    jd_metrics_clear(metrics, &node_state);
    jd_metrics_clear(metrics, &node_label);
    jd_metrics_clear(metrics, &node_density);
    jd_metrics_clear(metrics, &node_score);
    for (size_t i = 0; joulie_cluster_node_at(cluster, i, &node, NULL) == 0; i++) {
        for (size_t s = 0; s < JL_COUNT(scopes); s++)
            counts[s] += jl_same(scopes[s], node.scope);
        paused += node.is_paused;
        if (!jl_same(node.scope, "selector"))
            put_node(metrics, &node);
    }
    for (size_t s = 0; s < JL_COUNT(scopes); s++)
        jd_metric_set(metrics, &nodes_in_scope, JD_LABELS(scopes[s]), counts[s]);
    jd_metric_set(metrics, &paused_nodes, JD_NO_LABELS, paused);
}

void jd_measure_demand(struct jd_metrics *metrics, struct joulie_cluster *cluster)
{
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    if (joulie_cluster_get_totals(cluster, &totals, NULL) < 0)
        return;
    jd_metric_set(metrics, &demand_pods, JD_LABELS("performance-only"),
                  (double)totals.pods_performance);
    jd_metric_set(metrics, &demand_pods, JD_LABELS("eco-only"), (double)totals.pods_eco);
    jd_metric_set(metrics, &demand_pods, JD_LABELS("general"), (double)totals.pods_general);
    jd_metric_set(metrics, &demand_pods, JD_LABELS("unknown"), (double)totals.pods_unknown);
}

const char *jd_state_word(enum joulie_node_state state)
{
    const char *word = joulie_word(JOULIE_VOCABULARY_NODE_STATE, (int)state);
    return word ? word : "";
}
