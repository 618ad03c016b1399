/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What people are told of nodes: Events, counters of transitions, and with --dry-run what would be
 * written (joulie-control.md §4.16; kubernetes.md §12). */

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
/* The spec of a node was written: Events and counters of edges (W15). */
void jd_tell_change(struct jd_operator *op, const char *node_name, const struct jd_change *change,
                    int64_t now_ms);
/* A write that --dry-run leaves out; told once until it is another one. */
void jd_tell_would(struct jd_operator *op, const struct joulie_cluster_action *action,
                   enum jd_write write, int64_t now_ms);
/* A write that failed; code is that of HTTP. Told once per node, kind of write and code, and at
 * most JD_MOST_TOLD of a step by name. */
#define JD_MOST_TOLD 5
void jd_tell_failed(struct jd_operator *op, const struct joulie_cluster_action *action,
                    enum jd_write write, int code, const char *message);
void jd_tell_written(struct jd_operator *op, const struct joulie_cluster_action *action,
                     enum jd_write write);
void jd_tell_foreign(struct jd_operator *op, const char *problem, int64_t now_ms);
