/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is reported of nodes: Events, counters of transitions, and with --dry-run what would be
 * written (docs/rules/programs.md#events-and-counters). */

#include "operator/actuator.h"
#include "operator/shared.h"

struct jd_reporter {
    const struct jd_shared *shared;
    size_t failures; /* of this step that are news */
    size_t writers;  /* of this step, too */
};

/* A node before and after a decision; words are constants of the library. */
struct jd_change {
    const char *old_state; /* "" = there was no twin */
    const char *state;
};

/* The same of switching it off. */
struct jd_power_change {
    enum joulie_power_state old_state;
    int64_t old_failures;
};

void jd_change_of(struct joulie_cluster *cluster, const char *node_name, struct jd_change *out);
/* The spec of a node was written: Events and counters of edges. */
void jd_report_change(struct jd_reporter *reporter, const char *node_name,
                      const struct jd_change *change, int64_t now_ms);
void jd_power_change_of(struct joulie_cluster *cluster, const char *node_name,
                        struct jd_power_change *out);
/* That it is switched off or woken was written. */
void jd_report_power(struct jd_reporter *reporter, const struct joulie_cluster_action *action,
                     const struct jd_power_change *change, int64_t now_ms);
/* A command that switches a node did not end well. */
void jd_report_command(struct jd_reporter *reporter, const struct jd_switched *switched,
                       int64_t now_ms);
/* What would be done with a node if there were an actuator. */
void jd_report_advice(struct jd_reporter *reporter, const struct joulie_cluster_node *node,
                      int64_t now_ms);
/* A write that --dry-run leaves out; reported once until it is another one. */
void jd_report_would(struct jd_reporter *reporter, const struct joulie_cluster_action *action,
                     enum jd_write write, int64_t now_ms);
/* A write that failed; code is that of HTTP. Logged once per node, kind of write and code, and at
 * most five of a step by name. */
void jd_report_failed(struct jd_reporter *reporter, const struct joulie_cluster_action *action,
                      enum jd_write write, int code, const char *message);
void jd_report_written(struct jd_reporter *reporter, const struct joulie_cluster_action *action,
                       enum jd_write write);
/* The end of a step: how many failures were not logged by name. */
void jd_report_rest(struct jd_reporter *reporter);
/* Somebody else writes the twin of a node: an Event, and a line for each of the first few. user is
 * the reporter. */
void jd_report_writer(void *user, const char *node_name, const char *twin, const char *who);
/* The end of that: how many had no line. */
void jd_report_rest_of_writers(struct jd_reporter *reporter);
/* An Event about another operator. */
void jd_report_foreign(struct jd_reporter *reporter, const char *problem, int64_t now_ms);
