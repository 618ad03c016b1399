/* SPDX-License-Identifier: Apache-2.0 */

/* Which agents are alive, by their pods and their Leases (docs/rules/twin.md#silent-agents): a cap
 * of one that is gone is not in force. upsert.c and pods.c hand both in, a step asks before it
 * predicts. */

#include "base/error.h"
#include "base/text.h"
#include "base/time.h"
#include "cluster/call.h"
#include "cluster/state.h"
#include "schema/decode.h"

#define RECORD lease_meta
#define MEMBERS STRING(name, "name", "Name of the Lease.")
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

#define RECORD lease_spec
#define MEMBERS                                                                 \
    STRING(holder, "holderIdentity", "Name of the node whose agent renews it.") \
    TIME(renewed_ms, "renewTime", "When it was last renewed.")                  \
    INTEGER(duration_s, "leaseDurationSeconds", "For so long it counts, s.", NOT_NEGATIVE)
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

#define RECORD lease
#define MEMBERS                                    \
    OBJECT(meta, "metadata", lease_meta, "Names.") \
    OBJECT(spec, "spec", lease_spec, "Who renews it, when.")
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

/* Other Leases of the namespace are somebody else's. */
static bool is_of_agent(const struct lease *lease)
{
    return lease->meta.name != NULL && jl_starts_with(lease->meta.name, JL_AGENT_LEASE) &&
           !jl_is_empty(lease->spec.holder) && lease->spec.given.renewed_ms &&
           lease->spec.given.duration_s;
}

/* Without a change of what it means a renewal costs no prediction. */
static void renew(struct joulie_cluster *cluster, struct cluster_node *node, int64_t silent_ms)
{
    node->has_lease = true;
    node->silent_ms = silent_ms;
    if (silent_ms < cluster->agents_due_ms)
        cluster->agents_due_ms = silent_ms;
    if (node->is_silent)
        cluster->agents_due_ms = INT64_MIN;
}

int jl_cluster_put_lease(struct joulie_cluster *cluster, struct jl_decode *decode,
                         struct joulie_error *err)
{
    struct lease lease;
    const int rc = jl_decode_document(decode, &lease_table, &lease);
    if (rc < 0 || !is_of_agent(&lease))
        return rc;
    struct cluster_node *node = jl_cluster_node_of(cluster, lease.spec.holder);
    if (node == NULL)
        return jl_fail_memory(err);
    jl_stamp_see(&node->stamps.lease, lease.spec.renewed_ms, &cluster->wall);
    renew(cluster, node, jl_agent_silent_ms(node->stamps.lease.at_ms, lease.spec.duration_s));
    return 0;
}

/* ---- pods ---- */

static bool is_of_daemon_set(const struct jl_pod *pod)
{
    for (size_t i = 0; i < pod->meta.owners.count; i++) {
        if (jl_same(JL_ITEM(pod->meta.owners, jl_owner, i)->kind, "DaemonSet"))
            return true;
    }
    return false;
}

static bool is_ready(const struct jl_pod *pod)
{
    for (size_t i = 0; i < pod->status.conditions.count; i++) {
        const struct jl_pod_condition *one = JL_ITEM(pod->status.conditions, jl_pod_condition, i);
        if (jl_same(one->type, "Ready"))
            return jl_same(one->status, "True");
    }
    return false;
}

enum jl_agent_pod jl_agent_pod_of(const struct jl_agent_rule *rule, const struct jl_pod *pod)
{
    if (jl_is_empty(pod->spec.node_name) || !jl_same(pod->meta.name_space, rule->name_space) ||
        !is_of_daemon_set(pod) || !jl_selector_matches(rule->selector, &pod->meta.labels))
        return JL_AGENT_POD_NONE;
    return is_ready(pod) ? JL_AGENT_POD_READY : JL_AGENT_POD_AWAY;
}

void jl_cluster_agent_moved(struct joulie_cluster *cluster, const struct cluster_pod *pod)
{
    if (pod->agent != JL_AGENT_POD_NONE)
        cluster->agents_due_ms = INT64_MIN;
}

/* Pods are asked first: what the kubelet says of them is younger than a Lease. */
static bool is_silent(const struct cluster_node *node, int64_t now_ms)
{
    bool has_pod = false;
    for (const struct cluster_pod *pod = node->pods; pod != NULL; pod = pod->next) {
        if (pod->agent == JL_AGENT_POD_READY)
            return false;
        has_pod = has_pod || pod->agent != JL_AGENT_POD_NONE;
    }
    return has_pod || (node->has_lease && now_ms > node->silent_ms);
}

void jl_cluster_check_agents(struct joulie_cluster *cluster, int64_t now_ms)
{
    if (now_ms <= cluster->agents_due_ms && now_ms >= cluster->step_ms)
        return;
    cluster->agents_due_ms = INT64_MAX;
    for (size_t i = 0; i < cluster->order.known_count; i++) {
        struct cluster_node *node = cluster->order.known[i];
        const bool was_silent = node->is_silent;
        node->is_silent = is_silent(node, now_ms);
        if (node->is_silent != was_silent)
            jl_cluster_changed(cluster, node, EVENT_AGENT);
        if (node->has_lease && now_ms <= node->silent_ms &&
            node->silent_ms < cluster->agents_due_ms)
            cluster->agents_due_ms = node->silent_ms;
    }
}
