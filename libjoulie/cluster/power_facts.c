/* SPDX-License-Identifier: Apache-2.0 */

/* What the Nodes say of being switched off (docs/rules/policy.md#power-records), counted and as the
 * rules take it. */

#include <joulie/error.h>

#include "cluster/state.h"

_Static_assert((int)JL_POWER_ON == (int)JOULIE_POWER_STATE_ON &&
                   (int)JL_POWER_STOPPING == (int)JOULIE_POWER_STATE_STOPPING &&
                   (int)JL_POWER_OFF == (int)JOULIE_POWER_STATE_OFF &&
                   (int)JL_POWER_BOOTING == (int)JOULIE_POWER_STATE_BOOTING &&
                   (int)JL_POWER_LEFT == (int)JOULIE_POWER_STATE_LEFT_ALONE,
               "inside and outside the same values");
_Static_assert((int)JL_POWER_SWITCH_OFF == (int)JOULIE_POWER_ACTION_SWITCH_OFF &&
                   (int)JL_POWER_WAKE == (int)JOULIE_POWER_ACTION_WAKE &&
                   (int)JL_POWER_GIVE_UP == (int)JOULIE_POWER_ACTION_GIVE_UP,
               "inside and outside the same values");

static bool is_asleep(const struct jl_power_record *record)
{
    return record->state == JL_POWER_STOPPING || record->state == JL_POWER_OFF;
}

static void count_record(struct power *power, const struct jl_power_record *record, int sign)
{
    if (jl_power_is_recorded(record))
        power->recorded += sign;
    if (is_asleep(record))
        power->asleep += sign;
    if (record->hold == JL_HOLD_OURS)
        power->held += sign;
}

static bool is_news(const struct node_power *before, const struct node_power *after)
{
    return before->record.state != after->record.state ||
           before->record.is_drained != after->record.is_drained ||
           before->report.readiness != after->report.readiness ||
           !jl_same(before->report.boot_id, after->report.boot_id);
}

void jl_cluster_read_power(struct joulie_cluster *cluster, struct cluster_node *node)
{
    struct node_power *power = &node->power;
    const struct node_power before = *power; /* its texts are those of the Node before */
    jl_power_record_of(&node->value, &power->record);
    jl_power_report_of(&node->value, &power->report);
    if (jl_power_is_recorded(&power->record)) {
        jl_stamp_see(&node->stamps.power, power->record.since_ms, &cluster->wall);
        power->record.since_ms = node->stamps.power.at_ms;
    }
    count_record(&cluster->power, &before.record, -1);
    count_record(&cluster->power, &power->record, 1);
    if (!node->is_known) {
        power->seen_ms = NEVER_MS;
        power->empty_ms = NEVER_MS;
        power->is_own = false;
    }
    if (before.record.state != power->record.state ||
        before.record.since_ms != power->record.since_ms)
        power->command = (struct node_command){ .kind = JOULIE_POWER_COMMAND_NONE };
    if (jl_power_is_recorded(&power->record) && is_news(&before, power))
        jl_cluster_changed(cluster, node, EVENT_POWER);
    power->has_next = false;
}

struct jl_power_case jl_cluster_power_case(const struct joulie_cluster *cluster,
                                           const struct cluster_node *node, int64_t now_ms)
{
    const struct node_power *power = &node->power;
    return (struct jl_power_case){
        .config = &cluster->config.power_off,
        .record = power->record,
        .report = power->report,
        .progress = power->command.progress,
        .has_work = node->held.work > 0,
        .is_managed = node->scope == SCOPE_MANAGED,
        .is_silent = power->is_own && power->own_since_ms == power->record.since_ms,
        .now_ms = now_ms,
    };
}

bool jl_cluster_wakes_for(const struct joulie_cluster *cluster, const struct cluster_pod *pod)
{
    return cluster->config.power_off.enabled &&
           cluster->power.asleep + cluster->power.given_up > 0 &&
           (pod->is_counted || pod->is_dirty);
}

enum jl_power_action jl_cluster_power_action(const struct node_power *power)
{
    if (power->is_given_up)
        return JL_POWER_SWITCH_OFF;
    if (!power->has_next)
        return JL_POWER_NOTHING;
    switch (power->next.state) {
    case JL_POWER_STOPPING:
        return JL_POWER_SWITCH_OFF;
    case JL_POWER_BOOTING:
        return JL_POWER_WAKE;
    case JL_POWER_ON: /* back, unless it never went */
        return power->record.state == JL_POWER_STOPPING ? JL_POWER_WAKE : JL_POWER_NOTHING;
    case JL_POWER_LEFT:
        return power->record.state == JL_POWER_LEFT ? JL_POWER_NOTHING : JL_POWER_GIVE_UP;
    case JL_POWER_OFF:
    case JL_POWER_UNKNOWN:
        break;
    }
    return JL_POWER_NOTHING;
}
