/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Towards performance the cap goes first: class and label follow when the node's agent says that
 * the looser cap is in force, or after one control period (docs/rules/reconcile.md#held-classes).
 * Decided from what is stored alone, so an operator that was started anew goes on with it.
 */

#include <string.h>

#include "base/time.h"
#include "cluster/state.h"

/* By what is stored, schedulers keep performance pods off it because of caps that are, or were, in
 * force; a node that drains under performance caps has none. */
static bool is_kept_off(const struct joulie_cluster *cluster, const struct cluster_node *node)
{
    const struct jl_twin_status *status = &jl_cluster_twin_of(node)->status;
    const enum joulie_node_class class_ =
        JL_GIVEN_OR(status, schedulable_class, JOULIE_NODE_CLASS_WORD_UNKNOWN);
    if (class_ == JOULIE_NODE_CLASS_DRAINING)
        return cluster->config.policy.drain_caps == JOULIE_PROFILE_ECO;
    return class_ == JOULIE_NODE_CLASS_ECO || node->stored_label == JOULIE_PROFILE_ECO;
}

/* A report of after the change, in the second of it too if it came later. */
static bool is_after(const struct jl_stamp *report, const struct jl_stamp *change)
{
    return report->at_ms > change->at_ms ||
           (report->at_ms == change->at_ms && report->seen_ms >= change->seen_ms);
}

static bool is_in_force(const char *result)
{
    switch ((enum joulie_control_result)jl_word_value(&jl_control_result_words, jl_text(result))) {
    case JOULIE_CONTROL_APPLIED:
    case JOULIE_CONTROL_NONE:
    case JOULIE_CONTROL_BLOCKED: /* nothing limits it, now or before */
        return true;
    case JOULIE_CONTROL_PENDING:
    case JOULIE_CONTROL_ERROR:
    case JOULIE_CONTROL_UNKNOWN:
        break;
    }
    return false;
}

/* Both parts, as far as somebody reports them; one of them at least. */
static bool is_reported(const struct cluster_node *node)
{
    const struct jl_control_status *control = &jl_cluster_twin_of(node)->status.control;
    const struct jl_control_part *parts[] = { &control->cpu, &control->gpu };
    bool is_any = false;
    for (size_t i = 0; i < JL_COUNT(parts); i++) {
        if (jl_is_empty(parts[i]->result))
            continue;
        if (!node->stamps.control[i].is_set || !is_in_force(parts[i]->result) ||
            !is_after(&node->stamps.control[i], &node->stamps.since))
            return false;
        is_any = true;
    }
    return is_any;
}

void jl_cluster_see_reports(struct joulie_cluster *cluster, struct cluster_node *node)
{
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    if (twin == NULL)
        return;
    const struct jl_control_status *control = &twin->status.control;
    const char *times[] = { control->cpu.updated_at, control->gpu.updated_at };
    for (size_t i = 0; i < JL_COUNT(times); i++) {
        int64_t at_ms = 0;
        if (times[i] != NULL && jl_parse_time(times[i], strlen(times[i]), &at_ms) == 0)
            jl_stamp_see(&node->stamps.control[i], at_ms, &cluster->wall);
        else
            node->stamps.control[i] = (struct jl_stamp){ .is_set = false };
    }
    if (node->is_held && is_reported(node))
        cluster->due |= DUE_HELD;
}

bool jl_cluster_is_held(const struct joulie_cluster *cluster, const struct cluster_node *node,
                        int64_t now_ms)
{
    const int64_t period_ms = cluster->control_period_ms;
    if (period_ms <= 0 || node->scope != SCOPE_MANAGED || node->is_paused || node->twins == NULL ||
        !node->has_wanted || node->guard.profile != JOULIE_PROFILE_PERFORMANCE ||
        node->guard.is_draining || !is_kept_off(cluster, node))
        return false;
    if (node->past.profile != JOULIE_PROFILE_PERFORMANCE) /* the cap is still to be raised */
        return true;
    return node->past.has_since && now_ms < node->past.since_ms + period_ms && !is_reported(node);
}
