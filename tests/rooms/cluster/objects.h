/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Objects as people write them, into a model: JSON text in, every failure ends the test. */

#include "cluster/model.h"
#include "support/test.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)

/* A printf format with ' for ", one object of any kind that the model takes. */
void put(struct joulie_cluster *cluster, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void take_away(struct joulie_cluster *cluster, const char *kind, const char *name);

/* A managed node of 2 x AMD EPYC 9654 with its NodeHardware. */
void put_cpu_node(struct joulie_cluster *cluster, const char *name);
/* A pod on a node (NULL = none) with a class annotation (NULL = none) and a phase. */
void put_pod(struct joulie_cluster *cluster, const char *name, const char *node,
             const char *class_word, const char *phase);
void measure(struct joulie_cluster *cluster, const char *node, int64_t at_ms, double watts);

struct joulie_cluster *new_cluster(const struct jl_cluster_config *config);
struct jl_cluster_config
queue_config(void); /* queue_aware_v1, one pod per performance node, no floor of its own */

struct actions {
    const struct jl_cluster_write *items;
    size_t count;
};

struct actions step(struct joulie_cluster *cluster, int64_t now_ms);
void apply_all(struct joulie_cluster *cluster, const struct actions *actions);
/* Steps and applies until a step has nothing to do; returns the number of steps that had. */
int settle(struct joulie_cluster *cluster, int64_t now_ms);
const struct jl_cluster_write *find_action(const struct actions *actions, enum joulie_change kind,
                                           const char *node);
struct joulie_cluster_totals totals(struct joulie_cluster *cluster);
struct jl_cluster_reasons explain(struct joulie_cluster *cluster, const char *node);
/* What an operator that is started anew finds: nodes, hardware and twins, and nothing of the model
 * before, which is freed. */
struct joulie_cluster *started_anew(struct joulie_cluster *before,
                                    const struct jl_cluster_config *config);
