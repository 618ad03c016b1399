/* SPDX-License-Identifier: Apache-2.0 */

/* When `joulie-operator --wake-all` ends, and how (docs/rules/programs.md#wake-all). Called by
 * operator.c. */

#include "operator/wake.h"

#define COMPONENT "wake-all"
#define MOST_NAMED 20

enum rest { REST_NONE, REST_ASLEEP, REST_LEFT_ALONE };

static enum rest rest_of(const struct joulie_cluster_node *node)
{
    switch (node->power_state) {
    case JOULIE_POWER_STATE_STOPPING:
    case JOULIE_POWER_STATE_OFF:
    case JOULIE_POWER_STATE_BOOTING:
        return REST_ASLEEP;
    case JOULIE_POWER_STATE_LEFT_ALONE:
        return REST_LEFT_ALONE;
    case JOULIE_POWER_STATE_ON:
    case JOULIE_POWER_STATE_UNKNOWN:
        break;
    }
    return REST_NONE;
}

static size_t count(struct jd_wake *wake, enum rest rest)
{
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    size_t found = 0;
    for (size_t i = 0; joulie_cluster_node_at(wake->shared->cluster, i, &node, NULL) == 0; i++)
        found += rest_of(&node) == rest;
    return found;
}

static void name(struct jd_wake *wake, enum rest rest, const char *what)
{
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    size_t named = 0;
    for (size_t i = 0;
         named < MOST_NAMED && joulie_cluster_node_at(wake->shared->cluster, i, &node, NULL) == 0;
         i++) {
        if (rest_of(&node) != rest)
            continue;
        named++;
        jd_log(wake->shared->log, JOULIE_LOG_LEVEL_WARN, COMPONENT, "node %s %s", node.name, what);
    }
}

static void end(struct jd_wake *wake)
{
    const size_t asleep = count(wake, REST_ASLEEP);
    const size_t left = count(wake, REST_LEFT_ALONE);
    const bool is_good = asleep + left == 0;
    name(wake, REST_ASLEEP, "did not come back in time");
    name(wake, REST_LEFT_ALONE, "is left alone, as it failed too often: somebody has to see to it");
    if (is_good)
        jd_log(wake->shared->log, JOULIE_LOG_LEVEL_INFO, COMPONENT, "every node is back");
    else
        jd_log(wake->shared->log, JOULIE_LOG_LEVEL_ERROR, COMPONENT,
               "%zu nodes are not back, %zu are left alone", asleep, left);
    wake->on_end(wake->user, is_good);
}

static void on_limit(void *user, int64_t now_ms)
{
    (void)now_ms;
    end(user);
}

void jd_wake_begin(struct jd_wake *wake, int64_t now_ms)
{
    const struct jd_operator_values *values = wake->shared->values;
    wake->limit = (struct jd_alarm){ .fire = on_limit, .user = wake };
    jd_alarm_set(wake->shared->clock, &wake->limit,
                 now_ms + values->power_off_boot_timeout_ms + values->power_off_timeout_ms);
}

void jd_wake_check(struct jd_wake *wake)
{
    if (count(wake, REST_ASLEEP) > 0)
        return;
    jd_alarm_stop(wake->shared->clock, &wake->limit);
    end(wake);
}
