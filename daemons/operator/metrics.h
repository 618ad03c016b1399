/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the operator counts (docs/rules/programs.md#events-and-counters). */

#include <joulie/cluster.h>

#include "operator/actuator.h"
#include "operator/notes.h"
#include "runtime/metrics.h"

extern const struct jd_family jd_transitions; /* node, from_state, to_state, result */
extern const struct jd_family jd_step_seconds;
extern const struct jd_family jd_facility_value; /* name */
extern const struct jd_family jd_reads;          /* result */
extern const struct jd_family jd_skipped_steps;
extern const struct jd_family jd_steps;
extern const struct jd_family jd_blocked;
extern const struct jd_family jd_foreign_nodes;
extern const struct jd_family jd_queue_depth;
extern const struct jd_family jd_dry_run;

/* Reasons of jd_count_error(). */
#define JD_ERROR_API "api"
#define JD_ERROR_POWER "power"
#define JD_ERROR_FACILITY "facility"
#define JD_ERROR_CLASSIFIER "classifier"
#define JD_ERROR_CONFLICT "conflict"
#define JD_ERROR_INTERNAL "internal"

void jd_count_error(struct jd_metrics *metrics, const char *reason);
void jd_count_errors(struct jd_metrics *metrics, const char *reason, size_t count);
/* A write that was decided, and those that a step asks for. */
void jd_count_action(struct jd_metrics *metrics, enum jd_write write, enum joulie_action_verb verb,
                     const char *outcome);
void jd_set_planned(struct jd_metrics *metrics, const double counts[JD_WRITES]);
void jd_count_command(struct jd_metrics *metrics, const struct jd_switched *switched);
void jd_count_power_failure(struct jd_metrics *metrics, const char *reason);

/* Which series /metrics has of each node; those of all nodes together are always there. */
enum jd_node_metrics { JD_NODE_NONE, JD_NODE_SCORES, JD_NODE_ALL };

extern const char *const jd_node_metrics_words[]; /* of NODE_METRICS */
enum jd_node_metrics jd_node_metrics_of(const char *word);

/* What the model knows and nobody counts, before /metrics. */
void jd_measure_nodes(struct jd_metrics *metrics, struct joulie_cluster *cluster,
                      enum jd_node_metrics which);
void jd_measure_demand(struct jd_metrics *metrics, struct joulie_cluster *cluster);

/* The word of a state, "" = none. */
const char *jd_state_word(enum joulie_node_state state);
