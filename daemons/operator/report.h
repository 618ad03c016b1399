/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is reported of nodes: Events, counters of transitions, and with --dry-run what would be
 * written (docs/rules/programs.md#events-and-counters). */

#include <joulie/cluster.h>

#include "operator/notes.h"

struct jd_operator;

/* A node before and after a decision; words are constants of the library. */
struct jd_change {
    const char *old_state; /* "" = there was no twin */
    const char *state;
};

void jd_change_of(struct jd_operator *op, const char *node_name, struct jd_change *out);
/* Whether there is still a Node of this name: answers come in when it may be gone. */
bool jd_is_node(struct jd_operator *op, const char *node_name);
/* The spec of a node was written: Events and counters of edges. */
void jd_report_change(struct jd_operator *op, const char *node_name, const struct jd_change *change,
                      int64_t now_ms);
/* A write that --dry-run leaves out; reported once until it is another one. */
void jd_report_would(struct jd_operator *op, const struct joulie_cluster_action *action,
                     enum jd_write write, int64_t now_ms);
/* A write that failed; code is that of HTTP. Logged once per node, kind of write and code, and at
 * most JD_MOST_REPORTED of a step by name. */
#define JD_MOST_REPORTED 5
void jd_report_failed(struct jd_operator *op, const struct joulie_cluster_action *action,
                      enum jd_write write, int code, const char *message);
void jd_report_written(struct jd_operator *op, const struct joulie_cluster_action *action,
                       enum jd_write write);
void jd_report_foreign(struct jd_operator *op, const char *problem, int64_t now_ms);
