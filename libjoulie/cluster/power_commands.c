/* SPDX-License-Identifier: Apache-2.0 */

/* The commands that power records ask for, as an actuator takes them
 * (docs/rules/reconcile.md#switching-nodes-off): joulie_cluster_command_at() and what became of
 * them. */

#include "base/error.h"
#include "base/sized.h"
#include "cluster/call.h"
#include "cluster/state.h"

_Static_assert(sizeof(enum joulie_power_command) == 4 &&
                   sizeof(struct joulie_cluster_command) ==
                       offsetof(struct joulie_cluster_command, command) + 2 * sizeof(uint32_t),
               "no padding");

static enum joulie_power_command kind_of(enum jl_power_action action)
{
    switch (action) {
    case JL_POWER_SWITCH_OFF:
        return JOULIE_POWER_COMMAND_SWITCH_OFF;
    case JL_POWER_WAKE:
        return JOULIE_POWER_COMMAND_POWER_ON;
    case JL_POWER_GIVE_UP:
    case JL_POWER_NOTHING:
        break;
    }
    return JOULIE_POWER_COMMAND_NONE;
}

/* A machine that was still on when it was told to go on heard nothing of it. */
static bool is_missed(const struct node_power *power)
{
    const struct node_command *command = &power->command;
    return command->kind == JOULIE_POWER_COMMAND_POWER_ON && command->progress == JL_POWER_DONE &&
           command->was_ready && power->report.readiness == JOULIE_READINESS_NOT_READY;
}

void jl_cluster_give_command(struct joulie_cluster *cluster, struct cluster_node *node,
                             int64_t now_ms)
{
    struct node_power *power = &node->power;
    const struct jl_power_case now = jl_cluster_power_case(cluster, node, now_ms);
    const enum joulie_power_command kind = kind_of(jl_power_command(&now));
    if (kind == JOULIE_POWER_COMMAND_NONE || node->is_paused || power->has_next ||
        (power->command.kind != JOULIE_POWER_COMMAND_NONE && !is_missed(power)))
        return;
    power->command = (struct node_command){
        .kind = kind,
        .progress = JL_POWER_GIVEN,
        .id = cluster->power.next_id++,
        .was_ready = power->report.readiness == JOULIE_READINESS_READY,
    };
}

/* Only while it still may be run: work that came meanwhile, or a person, stops it. */
static bool is_listed(const struct joulie_cluster *cluster, const struct cluster_node *node)
{
    const int64_t drained_ms = node->power.record.since_ms + JL_POWER_DRAIN_MS;
    const struct jl_power_case now = jl_cluster_power_case(cluster, node, drained_ms);
    return now.progress == JL_POWER_GIVEN && !node->is_paused &&
           jl_power_command(&now) != JL_POWER_NOTHING;
}

static const struct cluster_node *find_listed(const struct joulie_cluster *cluster, size_t index)
{
    if (cluster->power.recorded == 0)
        return NULL;
    for (size_t i = 0; i < cluster->order.known_count; i++) {
        const struct cluster_node *node = cluster->order.known[i];
        if (is_listed(cluster, node) && index-- == 0)
            return node;
    }
    return NULL;
}

int joulie_cluster_command_at(struct joulie_cluster *cluster, size_t index,
                              struct joulie_cluster_command *out, struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (jl_cluster_refresh_order(cluster) < 0)
        return jl_fail_memory(err);
    const struct cluster_node *node = find_listed(cluster, index);
    if (node == NULL)
        return jl_fail(err, JOULIE_E_RANGE, "index", "there are fewer commands");
    const char *reason = jl_word_of(&jl_power_reason_words, (int)node->power.record.reason);
    const struct joulie_cluster_command ours = {
        .id = node->power.command.id,
        .node_name = node->name,
        .reason = reason != NULL ? reason : "",
        .command = node->power.command.kind,
    };
    jl_sized_write(out, &ours, sizeof ours);
    return JOULIE_OK;
}

int joulie_cluster_command_done(struct joulie_cluster *cluster, uint64_t id,
                                enum joulie_action_outcome outcome, struct joulie_error *err)
{
    if (outcome != JOULIE_OUTCOME_APPLIED && outcome != JOULIE_OUTCOME_FAILED)
        return jl_fail(err, JOULIE_E_ENUM, "outcome", "a command is done or failed");
    const struct jl_index *nodes = &cluster->store.nodes;
    for (size_t i = 0; i < nodes->capacity; i++) {
        struct cluster_node *node = jl_cluster_slot(nodes, i);
        if (node == NULL || node->power.command.progress != JL_POWER_GIVEN ||
            node->power.command.id != id)
            continue;
        node->power.command.progress =
            outcome == JOULIE_OUTCOME_APPLIED ? JL_POWER_DONE : JL_POWER_FAILED;
        if (outcome == JOULIE_OUTCOME_APPLIED) /* a failure waits for its turn */
            jl_cluster_changed(cluster, node, EVENT_POWER);
        return JOULIE_OK;
    }
    return jl_fail(err, JOULIE_E_NOT_FOUND, "id", "there is no such command any more");
}
