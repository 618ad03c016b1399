/* SPDX-License-Identifier: Apache-2.0 */

/* Nodes and sums as numbers: for metrics and for schedulers, which read many nodes at once. */

#include "base/error.h"
#include "base/sized.h"
#include "cluster/call.h"
#include "cluster/state.h"
#include "schema/encode.h"

_Static_assert(sizeof(struct joulie_cluster_node) ==
                   offsetof(struct joulie_cluster_node, cooling_zone) + sizeof(char *),
               "no padding");
_Static_assert((int)JL_FACT_HARDWARE == (int)JOULIE_TDP_SOURCE_GIVEN &&
                   (int)JL_FACT_CATALOG == (int)JOULIE_TDP_SOURCE_CATALOG &&
                   (int)JL_FACT_CORES == (int)JOULIE_TDP_SOURCE_CORES,
               "inside and outside the same values");

static const char *word(const struct jl_words *words, int value)
{
    const char *text = value != 0 ? jl_word_of(words, value) : NULL;
    return text != NULL ? text : "";
}

/* A density of 0 means that the catalog has no such model (docs/rules/policy.md#density). */
static void put_density(struct joulie_cluster_node *out, const struct jl_density *density)
{
    out->cpu_density = density->cpu;
    out->gpu_density = density->gpu;
    out->cpu_density_normalized = density->cpu_normalized;
    if (density->cpu > 0)
        out->has |= JOULIE_CLUSTER_NODE_HAS_CPU_DENSITY;
    if (density->gpu > 0)
        out->has |= JOULIE_CLUSTER_NODE_HAS_GPU_DENSITY;
}

static void put_number(struct joulie_cluster_node *out, bool is_known, uint64_t bit, double *member,
                       double value)
{
    if (!is_known)
        return;
    out->has |= bit;
    *member = value;
}

/* The number of a record, if it has it. */
#define PUT(bit, member, from, other) \
    put_number(out, (from)->given.other, JOULIE_CLUSTER_NODE_HAS_##bit, &out->member, (from)->other)

static void put_caps(struct joulie_cluster_node *out, const struct jl_twin_spec *spec)
{
    PUT(CPU_CAP_PCT, cpu_cap_pct, &spec->cpu, cap_pct);
    PUT(CPU_CAP_W, cpu_cap_w, &spec->cpu, cap_w);
    PUT(GPU_CAP_PCT, gpu_cap_pct, &spec->gpu.power_cap, cap_pct);
    PUT(GPU_CAP_W, gpu_cap_w, &spec->gpu.power_cap, cap_w);
}

static void put_status(struct joulie_cluster_node *out, const struct jl_twin_status *status)
{
    const struct jl_power_measurement *power = &status->power;
    out->node_class = status->schedulable_class;
    PUT(NODE_POWER, node_power_w, power, measured_node_power_w);
    PUT(NODE_CAPPED, node_capped_w, power, node_capped_power_w);
    PUT(NODE_TDP, node_tdp_w, power, node_tdp_w);
    PUT(TREND, power_trend_w_per_min, power, power_trend_w_per_min);
    PUT(HEADROOM, headroom_score, status, power_headroom_score);
    PUT(COOLING, cooling_stress_score, status, cooling_stress_score);
    PUT(PSU, psu_stress_score, status, psu_stress_score);
}

/* An estimate from caps is not in a status as measured power. */
static enum joulie_power_tier tier_of(const struct jl_twin_status *status)
{
    const struct jl_power_measurement *power = &status->power;
    if (!power->given.measured_node_power_w)
        return power->given.node_capped_power_w ? JOULIE_POWER_TIER_CAP_ESTIMATE
                                                : JOULIE_POWER_TIER_UNKNOWN;
    if (power->source == JOULIE_POWER_SOURCE_STANDBY)
        return JOULIE_POWER_TIER_STANDBY;
    if (power->source == JOULIE_POWER_SOURCE_ALLOCATION)
        return JOULIE_POWER_TIER_ALLOCATION;
    return power->source == JOULIE_POWER_SOURCE_UTILIZATION ? JOULIE_POWER_TIER_UTILIZATION
                                                            : JOULIE_POWER_TIER_MEASURED;
}

static const char *scope_of(const struct cluster_node *node)
{
    const char *scope = word(&jl_exclusion_words, (int)node->exclusion);
    return node->scope == SCOPE_MANAGED || scope[0] == '\0' ? "managed" : scope;
}

static void put_decision(struct joulie_cluster_node *out, const struct cluster_node *node)
{
    const struct jl_guard_output *guard = &node->guard;
    if (!node->has_wanted)
        return;
    out->profile = guard->profile;
    out->state = guard->state;
    out->is_draining = guard->is_draining;
    put_caps(out, &node->wanted);
}

static const char *power_reason_of(const struct node_power *power)
{
    if (power->record.fault != NULL)
        return power->record.fault;
    const bool is_decided = power->has_next || power->is_given_up;
    const struct jl_power_record *record = is_decided ? &power->next : &power->record;
    return word(&jl_power_reason_words, (int)record->reason);
}

static void put_power(struct joulie_cluster_node *out, const struct node_power *power)
{
    const struct jl_power_record *record = &power->record;
    out->power_state = (enum joulie_power_state)record->state;
    out->power_action = (enum joulie_power_action)jl_cluster_power_action(power);
    out->power_reason = power_reason_of(power);
    out->power_failures = record->failures;
    if (record->state == JL_POWER_ON || record->state == JL_POWER_UNKNOWN)
        return;
    out->has |= JOULIE_CLUSTER_NODE_HAS_POWER_SINCE;
    out->power_since_ms = record->since_ms;
}

static void hand_out(const struct joulie_cluster *cluster, struct cluster_node *node,
                     struct joulie_cluster_node *theirs)
{
    const struct cluster_rack *rack = node->rack;
    const struct jl_twin_status *status = node->has_status ? jl_cluster_status_of(node) : NULL;
    const enum joulie_node_state old_state =
        node->twins != NULL ? jl_state_of(node->past.profile, node->past.is_draining)
                            : JOULIE_NODE_STATE_UNKNOWN;
    struct joulie_cluster_node ours = {
        .name = node->name,
        .uid = node->value.meta.given.uid ? node->value.meta.uid : "",
        .scope = scope_of(node),
        .label = word(&jl_profile_words, (int)node->stored_label),
        .old_state = word(&jl_node_state_words, (int)old_state),
        .is_paused = node->is_paused,
        .ledger_w = jl_cluster_ledger_of(cluster, node).watts,
        .power_tier = status != NULL ? tier_of(status) : JOULIE_POWER_TIER_UNKNOWN,
        .cpu_tdp_source = (enum joulie_tdp_source)node->hardware.cpu_max_source,
        .gpu_tdp_source = (enum joulie_tdp_source)node->hardware.gpu_max_source,
    };
    ours.rack = rack->name != NULL ? rack->name : "";
    ours.cooling_zone = node->zone != NULL ? node->zone->name : "";
    put_decision(&ours, node);
    put_power(&ours, &node->power);
    if (status != NULL)
        put_status(&ours, status);
    put_number(&ours, rack->name != NULL && rack->power_w > 0, JOULIE_CLUSTER_NODE_HAS_RACK_POWER,
               &ours.rack_power_w, rack->power_w);
    put_density(&ours, &node->density);
    jl_sized_write(theirs, &ours, sizeof ours);
}

int joulie_cluster_node_at(struct joulie_cluster *cluster, size_t index,
                           struct joulie_cluster_node *out, struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (jl_cluster_refresh_order(cluster) < 0)
        return jl_fail_memory(err);
    if (index >= cluster->order.known_count)
        return jl_fail(err, JOULIE_E_RANGE, "node", "there is no such node");
    hand_out(cluster, cluster->order.known[index], out);
    return JOULIE_OK;
}

int joulie_cluster_node_by_name(struct joulie_cluster *cluster, const char *node_name,
                                struct joulie_cluster_node *out, struct joulie_error *err)
{
    struct cluster_node *node = jl_cluster_find(&cluster->store.nodes, node_name);
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (node == NULL || !node->is_known)
        return jl_fail(err, JOULIE_E_NOT_FOUND, "node", "there is no such node");
    hand_out(cluster, node, out);
    return JOULIE_OK;
}

#define RECORD node_labels
#define MEMBERS MAP(labels, "labels", "Labels of its Node object.")
#include "schema/record.h"

int joulie_cluster_node_labels(const struct joulie_cluster *cluster, const char *node_name,
                               char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const struct cluster_node *node = jl_cluster_find(&cluster->store.nodes, node_name);
    struct node_labels out = { 0 };
    if (node == NULL || !node->is_known)
        return jl_fail(err, JOULIE_E_NOT_FOUND, "node", "there is no such node");
    JL_SET(&out, labels, node->value.meta.labels);
    jl_encode(&text, &node_labels_table, &out);
    return jl_hand_out(&text, json, err);
}

/* Without memory for the order the ledger reads as empty. */
int joulie_cluster_get_totals(struct joulie_cluster *cluster, struct joulie_cluster_totals *out,
                              struct joulie_error *err)
{
    const struct demand *demand = &cluster->plan.demand;
    struct ledger_part ledger = { 0 };
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (cluster->config.has_ledger && jl_cluster_refresh_order(cluster) == 0)
        ledger = jl_cluster_ledger_total(cluster);
    const struct joulie_cluster_totals ours = {
        .pods_performance = demand->pods[JL_DEMAND_PERFORMANCE],
        .pods_eco = demand->pods[JL_DEMAND_ECO],
        .pods_general = demand->pods[JL_DEMAND_GENERAL],
        .pods_unknown = demand->pods[JL_DEMAND_UNKNOWN],
        .weighted_demand = demand->weighted,
        .performance_nodes = demand->hp,
        .ledger_entries = ledger.entries,
        .ledger_w = ledger.watts,
    };
    jl_sized_write(out, &ours, sizeof ours);
    return 0;
}
