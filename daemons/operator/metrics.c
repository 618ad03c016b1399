/* SPDX-License-Identifier: Apache-2.0 */

/* The families of the operator's metrics, and those that are worked out when /metrics is read. */

#include "operator/metrics.h"

#include "base/text.h"
#include "operator/action.h"

static JD_FAMILY(node_state, JD_GAUGE, "joulie_operator_node_state",
                 "1 for the state that was decided for the node; the others are absent.", "node",
                 "state");
static JD_FAMILY(node_label, JD_GAUGE, "joulie_operator_node_profile_label",
                 "1 for the profile that the label of the node says; others are absent. With "
                 "NODE_METRICS=all.",
                 "node", "profile");
static JD_FAMILY(node_density, JD_GAUGE, "joulie_operator_node_compute_density",
                 "Compute density by which nodes are ordered; cpu_normalized is not used for that. "
                 "With NODE_METRICS=all.",
                 "node", "component");
static JD_FAMILY(node_score, JD_GAUGE, "joulie_operator_node_score",
                 "Predicted score of the node; absent when unknown.", "node", "score");
static JD_FAMILY(state_nodes, JD_GAUGE, "joulie_operator_state_nodes",
                 "Nodes in scope by the state that was decided.", "state");
static JD_FAMILY(label_nodes, JD_GAUGE, "joulie_operator_profile_label_nodes",
                 "Nodes in scope by the profile that their label says; empty: none.", "profile");
static JD_FAMILY(
    score_nodes, JD_GAUGE, "joulie_operator_score_nodes",
    "Nodes in scope by the band that a score lies in: from the first number up to, and "
    "without, the second.",
    "score", "band");
static JD_FAMILY(demand_pods, JD_GAUGE, "joulie_operator_demand_pods",
                 "Pods that count as demand, by class.", "class");
JD_FAMILY(jd_queue_depth, JD_GAUGE, "joulie_operator_queue_depth",
          "Requests without their answer.");
static JD_FAMILY(paused_nodes, JD_GAUGE, "joulie_operator_paused_nodes",
                 "Nodes whose annotation joulie.io/paused keeps their spec and label as they are.");
static JD_FAMILY(nodes_in_scope, JD_GAUGE, "joulie_operator_nodes",
                 "Nodes by what the policy may do with them.", "scope");
JD_FAMILY(jd_dry_run, JD_GAUGE, "joulie_operator_dry_run", "1: nothing is written.");

JD_FAMILY(jd_transitions, JD_COUNTER, "joulie_operator_state_transitions_total",
          "Changes of state of nodes; deferred: a downgrade that pods keep back, once.", "node",
          "from_state", "to_state", "result");
const struct jd_family jd_step_seconds = {
    .name = "joulie_operator_reconcile_duration_seconds",
    .help = "Time from the start of a step to its last answer.",
    .type = JD_HISTOGRAM,
    .buckets = jd_seconds_buckets,
};
static JD_FAMILY(step_errors, JD_COUNTER, "joulie_operator_reconcile_errors_total",
                 "What did not work, by reason.", "reason");
static JD_FAMILY(actions, JD_COUNTER, "joulie_operator_actions_total",
                 "Writes that were decided, and what became of them.", "kind", "verb", "outcome");
static JD_FAMILY(planned_writes, JD_GAUGE, "joulie_operator_planned_writes",
                 "Writes that the last step asked for.", "kind");
JD_FAMILY(jd_facility_value, JD_GAUGE, "joulie_operator_facility_value",
          "What the building says; absent when unknown.", "name");
JD_FAMILY(jd_reads, JD_COUNTER, "joulie_operator_power_reads_total",
          "Reads of the power of a node, by result.", "result");
JD_FAMILY(jd_skipped_steps, JD_COUNTER, "joulie_operator_skipped_intervals_total",
          "Intervals that passed while the step before was still at work.");
JD_FAMILY(jd_steps, JD_COUNTER, "joulie_operator_steps_total", "Steps that were decided.");
JD_FAMILY(jd_blocked, JD_GAUGE, "joulie_operator_foreign_operator",
          "1: another operator is at work, and nothing is written.");
JD_FAMILY(jd_foreign_nodes, JD_GAUGE, "joulie_operator_foreign_writer_nodes",
          "Nodes whose NodeTwin somebody else writes, and that are left alone.");

static JD_FAMILY(power_nodes, JD_GAUGE, "joulie_operator_power_nodes",
                 "Nodes in scope by where they stand between on and off.", "state");
static JD_FAMILY(node_power, JD_GAUGE, "joulie_operator_node_power_state",
                 "1 for the state of a node that is not simply on; the others are absent.", "node",
                 "state");
static JD_FAMILY(power_decided, JD_GAUGE, "joulie_operator_power_decided_nodes",
                 "Nodes by what the last step decided about switching them; without a command it "
                 "is advice.",
                 "action");
static JD_FAMILY(power_commands, JD_COUNTER, "joulie_operator_power_commands_total",
                 "Commands that switch nodes, by how they ended.", "action", "result");
static JD_FAMILY(power_failures, JD_COUNTER, "joulie_operator_power_failures_total",
                 "Switches of nodes that failed, by reason.", "reason");

const char *const jd_node_metrics_words[] = { "none", "scores", "all", NULL };

void jd_count_errors(struct jd_metrics *metrics, const char *reason, size_t count)
{
    jd_metric_add(metrics, &step_errors, JD_LABELS(reason), (double)count);
}

void jd_count_error(struct jd_metrics *metrics, const char *reason)
{
    jd_count_errors(metrics, reason, 1);
}

/* Label kind of a write. */
static const char *const write_kinds[JD_WRITES] = { "spec", "status", "label", "power", "twin" };

void jd_count_action(struct jd_metrics *metrics, enum jd_write write, enum joulie_action_verb verb,
                     const char *outcome)
{
    jd_metric_add(metrics, &actions, JD_LABELS(write_kinds[write], jd_verb_word(verb), outcome), 1);
}

void jd_set_planned(struct jd_metrics *metrics, const double counts[JD_WRITES])
{
    for (size_t i = 0; i < JD_WRITES; i++)
        jd_metric_set(metrics, &planned_writes, JD_LABELS(write_kinds[i]), counts[i]);
}

void jd_count_command(struct jd_metrics *metrics, const struct jd_switched *switched)
{
    jd_metric_add(metrics, &power_commands,
                  JD_LABELS(jd_switch_words[switched->what], jd_switch_end_words[switched->end]),
                  1);
}

void jd_count_power_failure(struct jd_metrics *metrics, const char *reason)
{
    jd_metric_add(metrics, &power_failures, JD_LABELS(reason), 1);
}

/* The word that holds; the others would be most of a page of many nodes. */
static void put_word(struct jd_metrics *metrics, const struct jd_family *family, const char *node,
                     const char *word)
{
    if (!jl_is_empty(word))
        jd_metric_set(metrics, family, JD_LABELS(node, word), 1);
}

static void put_if(struct jd_metrics *metrics, const struct jd_family *family,
                   const struct joulie_cluster_node *node, uint64_t bit, const char *word,
                   double value)
{
    if (node->has & bit)
        jd_metric_set(metrics, family, JD_LABELS(node->name, word), value);
}

static void put_scores(struct jd_metrics *metrics, const struct joulie_cluster_node *node)
{
    put_word(metrics, &node_state, node->name, jd_state_word(node->state));
    put_if(metrics, &node_score, node, JOULIE_CLUSTER_NODE_HAS_HEADROOM, "headroom",
           node->headroom_score);
    put_if(metrics, &node_score, node, JOULIE_CLUSTER_NODE_HAS_COOLING, "cooling",
           node->cooling_stress_score);
    put_if(metrics, &node_score, node, JOULIE_CLUSTER_NODE_HAS_PSU, "psu", node->psu_stress_score);
}

/* Of the few that are not simply on: alerts leave them out. */
static void put_power_state(struct jd_metrics *metrics, const struct joulie_cluster_node *node)
{
    if (node->power_state != JOULIE_POWER_STATE_ON)
        put_word(metrics, &node_power, node->name,
                 joulie_word(JOULIE_VOCABULARY_POWER_STATE, (int)node->power_state));
}

/* What follows from the label and the hardware of a node. */
static void put_facts(struct jd_metrics *metrics, const struct joulie_cluster_node *node)
{
    put_word(metrics, &node_label, node->name, node->label);
    put_if(metrics, &node_density, node, JOULIE_CLUSTER_NODE_HAS_CPU_DENSITY, "cpu",
           node->cpu_density);
    put_if(metrics, &node_density, node, JOULIE_CLUSTER_NODE_HAS_GPU_DENSITY, "gpu",
           node->gpu_density);
    put_if(metrics, &node_density, node, JOULIE_CLUSTER_NODE_HAS_CPU_DENSITY, "cpu_normalized",
           node->cpu_density_normalized);
}

/* ---- nodes by what is said of them ---- */

enum { BAND_UNKNOWN, BAND_BELOW_0, BAND_0, BAND_25, BAND_50, BAND_75, BANDS };

static const char *const band_words[BANDS] = { "unknown", "below-0", "0-25",
                                               "25-50",   "50-75",   "75-100" };
static const char *const score_words[] = { "headroom", "cooling", "psu" };
static const char *const label_words[] = { "performance", "eco", "" };

#define NODE_STATES (JOULIE_NODE_STATE_WORD_UNKNOWN + 1)

struct node_counts {
    double states[NODE_STATES];
    double labels[JL_COUNT(label_words)];
    double scores[JL_COUNT(score_words)][BANDS];
};

static size_t band_of(const struct joulie_cluster_node *node, uint64_t bit, double score)
{
    if (!(node->has & bit))
        return BAND_UNKNOWN;
    return score < 0    ? BAND_BELOW_0
           : score < 25 ? BAND_0
           : score < 50 ? BAND_25
           : score < 75 ? BAND_50
                        : BAND_75;
}

static void count_node(struct node_counts *counts, const struct joulie_cluster_node *node)
{
    size_t label = 0;
    while (label + 1 < JL_COUNT(label_words) && !jl_same(label_words[label], node->label))
        label++;
    counts->labels[label]++;
    if (node->state == JOULIE_NODE_STATE_UNKNOWN) /* nothing was decided yet */
        counts->states[JOULIE_NODE_STATE_WORD_UNKNOWN]++;
    else if ((int)node->state < NODE_STATES)
        counts->states[node->state]++;
    counts->scores[0][band_of(node, JOULIE_CLUSTER_NODE_HAS_HEADROOM, node->headroom_score)]++;
    counts->scores[1][band_of(node, JOULIE_CLUSTER_NODE_HAS_COOLING, node->cooling_stress_score)]++;
    counts->scores[2][band_of(node, JOULIE_CLUSTER_NODE_HAS_PSU, node->psu_stress_score)]++;
}

static void put_counts(struct jd_metrics *metrics, const struct node_counts *counts)
{
    for (int i = 1; i < NODE_STATES; i++)
        jd_metric_set(metrics, &state_nodes, JD_LABELS(jd_state_word((enum joulie_node_state)i)),
                      counts->states[i]);
    for (size_t i = 0; i < JL_COUNT(label_words); i++)
        jd_metric_set(metrics, &label_nodes, JD_LABELS(label_words[i]), counts->labels[i]);
    for (size_t i = 0; i < JL_COUNT(score_words); i++) {
        for (size_t band = 0; band < BANDS; band++)
            jd_metric_set(metrics, &score_nodes, JD_LABELS(score_words[i], band_words[band]),
                          counts->scores[i][band]);
    }
}

/* ---- nodes that can be switched off ---- */

/* The words of the vocabularies begin at 1; 0 is what cannot be said. */
#define POWER_STATES (JOULIE_POWER_STATE_LEFT_ALONE + 1)
#define POWER_ACTIONS (JOULIE_POWER_ACTION_GIVE_UP + 1)

struct power_counts {
    double states[POWER_STATES];
    double actions[POWER_ACTIONS];
};

static void put_power(struct jd_metrics *metrics, const struct power_counts *counts)
{
    for (int i = 0; i < POWER_STATES; i++) {
        const char *word = joulie_word(JOULIE_VOCABULARY_POWER_STATE, i);
        jd_metric_set(metrics, &power_nodes, JD_LABELS(word ? word : "unknown"), counts->states[i]);
    }
    for (int i = JOULIE_POWER_ACTION_SWITCH_OFF; i < POWER_ACTIONS; i++)
        jd_metric_set(metrics, &power_decided,
                      JD_LABELS(joulie_word(JOULIE_VOCABULARY_POWER_ACTION, i)),
                      counts->actions[i]);
}

static void count_power(struct power_counts *counts, const struct joulie_cluster_node *node)
{
    if ((int)node->power_state < POWER_STATES)
        counts->states[node->power_state]++;
    if ((int)node->power_action < POWER_ACTIONS)
        counts->actions[node->power_action]++;
}

/* Nodes that left the scope lose their series with those that are gone. */
void jd_measure_nodes(struct jd_metrics *metrics, struct joulie_cluster *cluster,
                      enum jd_node_metrics which)
{
    static const char *const scopes[] = { "managed", "unschedulable", "reserved", "selector" };
    double counts[JL_COUNT(scopes)] = { 0 };
    double paused = 0;
    struct power_counts power = { 0 };
    struct node_counts nodes = { 0 };
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    jd_metrics_clear(metrics, &node_state);
    jd_metrics_clear(metrics, &node_label);
    jd_metrics_clear(metrics, &node_power);
    jd_metrics_clear(metrics, &node_density);
    jd_metrics_clear(metrics, &node_score);
    for (size_t i = 0; joulie_cluster_node_at(cluster, i, &node, NULL) == 0; i++) {
        for (size_t s = 0; s < JL_COUNT(scopes); s++)
            counts[s] += jl_same(scopes[s], node.scope);
        paused += node.is_paused;
        if (jl_same(node.scope, "selector"))
            continue;
        put_power_state(metrics, &node);
        if (which >= JD_NODE_SCORES)
            put_scores(metrics, &node);
        if (which >= JD_NODE_ALL)
            put_facts(metrics, &node);
        count_node(&nodes, &node);
        count_power(&power, &node);
    }
    put_counts(metrics, &nodes);
    put_power(metrics, &power);
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

enum jd_node_metrics jd_node_metrics_of(const char *word)
{
    enum jd_node_metrics which = JD_NODE_NONE;
    while (jd_node_metrics_words[which + 1] && !jl_same(jd_node_metrics_words[which], word))
        which++;
    return which;
}

const char *jd_state_word(enum joulie_node_state state)
{
    const char *word = joulie_word(JOULIE_VOCABULARY_NODE_STATE, (int)state);
    return word ? word : "";
}
