/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The ledger (docs/rules/reconcile.md#ledger): the watts of work that runs on a node, or is about
 * to, without being in what was read there. An entry is unfinished work that did not start yet, or
 * started after the node's twin was last written; the next twin takes over. Beside it the watts of
 * everything that is on a node that nobody reads.
 */

#include <string.h>

#include "base/number.h"
#include "base/time.h"
#include "cluster/state.h"

#define UW_PER_W 1e6
#define MOST_W 1e9 /* of one piece of work; keeps the sum inside an int64_t */

static bool is_over(const struct jl_pod *pod)
{
    return jl_same(pod->status.phase, "Succeeded") || jl_same(pod->status.phase, "Failed");
}

/* False: it did not start yet. */
static bool read_start(const struct cluster_pod *pod, int64_t *out_ms)
{
    const char *text = pod->value.status.start_time;
    if (pod->is_work) {
        *out_ms = pod->work.started_ms;
        return pod->work.has_started;
    }
    return text != NULL && jl_parse_time(text, strlen(text), out_ms) == 0;
}

/* A pod that runs without saying since when is taken for an old one. */
static bool is_entry(const struct cluster_pod *pod, int64_t updated_ms)
{
    int64_t started_ms = 0;
    if (is_over(&pod->value) || !jl_is_empty(pod->value.meta.deletion_timestamp))
        return false;
    if (read_start(pod, &started_ms))
        return started_ms > updated_ms;
    return pod->is_work || jl_same(pod->value.status.phase, "Pending");
}

/* By the pod's own words: what a profile says of it depends on the time of the question. */
static struct jl_place_watts marginal_of(const struct joulie_cluster *cluster,
                                         const struct cluster_pod *pod,
                                         enum joulie_place_rules rules,
                                         const struct jl_place_node *row)
{
    struct joulie_work work = pod->work.needs;
    if (!pod->is_work)
        jl_work_of_pod(&pod->value, NULL, rules, 0, &work, NULL);
    return jl_place_marginal(&cluster->place_config, &work, row);
}

/* Whole microwatts, so that the sum is the same in any order of the pods. */
struct ledger_part jl_cluster_ledger_of(const struct joulie_cluster *cluster,
                                        const struct cluster_node *node)
{
    struct jl_place_node row = { 0 };
    struct ledger_part part = { 0 };
    int64_t sum_uw = 0;
    if (!cluster->config.has_ledger || !node->has_updated || node->pods == NULL)
        return part;
    jl_cluster_read_row_hardware(cluster, node, &row);
    for (const struct cluster_pod *pod = node->pods; pod != NULL; pod = pod->next) {
        if (!is_entry(pod, node->updated_ms))
            continue;
        const struct jl_place_watts watts =
            marginal_of(cluster, pod, cluster->place_config.rules, &row);
        sum_uw += (int64_t)(jl_clamp(watts.cpu_w + watts.gpu_w, 0, MOST_W) * UW_PER_W);
        part.entries++;
    }
    part.watts = (double)sum_uw / UW_PER_W;
    return part;
}

static int64_t nearest_uw(double watts)
{
    return (int64_t)jl_round_half_away(jl_clamp(watts, 0, MOST_W) * UW_PER_W);
}

/* All that runs there, whenever it started; one that is being ended still draws. */
struct jl_place_watts jl_cluster_allocation_of(const struct joulie_cluster *cluster,
                                               const struct cluster_node *node)
{
    struct jl_place_node row = { 0 };
    int64_t cpu_uw = 0;
    int64_t gpu_uw = 0;
    jl_place_set_hardware(&row, &node->hardware, JOULIE_PLACE_RULES_CURRENT);
    for (const struct cluster_pod *pod = node->pods; pod != NULL; pod = pod->next) {
        if (is_over(&pod->value))
            continue;
        const struct jl_place_watts watts =
            marginal_of(cluster, pod, JOULIE_PLACE_RULES_CURRENT, &row);
        cpu_uw += nearest_uw(watts.cpu_w);
        gpu_uw += nearest_uw(watts.gpu_w);
    }
    return (struct jl_place_watts){ (double)cpu_uw / UW_PER_W, (double)gpu_uw / UW_PER_W };
}

void jl_cluster_refresh_ledger(struct joulie_cluster *cluster)
{
    struct rows *rows = &cluster->rows;
    const bool counts_load = cluster->place_config.rules == JOULIE_PLACE_RULES_EFFICIENCY;
    if ((!cluster->config.has_ledger && !counts_load) || !rows->is_ledger_due)
        return;
    for (size_t i = 0; i < cluster->order.count; i++) {
        if (!rows->is_part_due[i])
            continue;
        rows->ledger[i] = jl_cluster_ledger_of(cluster, rows->owners[i]);
        if (counts_load)
            jl_place_set_load(&rows->nodes[i], &rows->owners[i]->held);
        rows->is_part_due[i] = false;
    }
    rows->is_ledger_due = false;
}

/* ---- what work holds of its node ---- */

/* Of work that has not ended and could be elsewhere: DaemonSet and mirror pods are on any node. */
struct jl_place_load jl_cluster_load_of(const struct joulie_cluster *cluster,
                                        const struct cluster_pod *pod)
{
    struct joulie_work needs = pod->work.needs;
    const bool is_counted = cluster->place_config.rules == JOULIE_PLACE_RULES_EFFICIENCY ||
                            cluster->config.given.power_off ||
                            jl_cluster_reads(cluster) != JL_READS_NO_PODS;
    if (!is_counted || !jl_pod_is_demand(&pod->value, JL_POLICY_CURRENT))
        return (struct jl_place_load){ .work = 0 };
    if (!pod->is_work)
        jl_pod_request(&pod->value, &needs);
    else if ((needs.has & JOULIE_WORK_HAS_CPU) == 0)
        needs.cpu_cores = 0;
    return jl_place_load_of(&needs);
}

void jl_cluster_hold(struct cluster_node *node, const struct jl_place_load *load, int sign)
{
    jl_place_load_add(&node->held, load, sign);
    node->power.was_used = node->power.was_used || load->work > 0;
}

struct ledger_part jl_cluster_ledger_total(struct joulie_cluster *cluster)
{
    struct ledger_part total = { 0 };
    if (!cluster->config.has_ledger)
        return total;
    jl_cluster_refresh_ledger(cluster);
    for (size_t i = 0; i < cluster->order.count; i++) {
        total.entries += cluster->rows.ledger[i].entries;
        total.watts += cluster->rows.ledger[i].watts;
    }
    return total;
}

const struct jl_place_node *jl_cluster_loaded_row(const struct joulie_cluster *cluster,
                                                  const struct jl_place_node *row,
                                                  struct jl_place_node *room)
{
    if (!cluster->config.has_ledger || row == &jl_unknown_row)
        return row;
    const double watts = cluster->rows.ledger[row - cluster->rows.nodes].watts;
    if (!(watts > 0))
        return row;
    *room = *row;
    if (JL_HAS(row, JL_PLACE_MEASURED))
        room->measured_w += watts;
    else if (row->capped_w > 0)
        room->headroom -= watts / row->capped_w * 100;
    return room;
}
