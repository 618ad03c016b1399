/* SPDX-License-Identifier: Apache-2.0 */

/* Which agents are alive, by their Leases (docs/rules/twin.md#silent-agents): a cap of one that is
 * gone is not in force. upsert.c hands Leases in, a step asks before it predicts. */

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

void jl_cluster_check_agents(struct joulie_cluster *cluster, int64_t now_ms)
{
    if (now_ms <= cluster->agents_due_ms && now_ms >= cluster->step_ms)
        return;
    cluster->agents_due_ms = INT64_MAX;
    for (size_t i = 0; i < cluster->order.known_count; i++) {
        struct cluster_node *node = cluster->order.known[i];
        const bool is_silent = node->has_lease && now_ms > node->silent_ms;
        if (is_silent != node->is_silent)
            jl_cluster_changed(cluster, node, EVENT_AGENT);
        node->is_silent = is_silent;
        if (node->has_lease && !is_silent && node->silent_ms < cluster->agents_due_ms)
            cluster->agents_due_ms = node->silent_ms;
    }
}
