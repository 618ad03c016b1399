/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Calls of <joulie/cluster.h> that tests make again and again; every failure ends the test. */

#include <joulie/cluster.h>

#include "support/test.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

/* A model with these settings, NULL = all defaults. */
struct joulie_cluster *make(const char *settings);
void upsert(struct joulie_cluster *cluster, const char *text);

/* 2 x AMD EPYC 9654, 192 logical CPUs. */
struct joulie_cluster_machine cpu_machine(const char *name);
void put_machine(struct joulie_cluster *cluster, const struct joulie_cluster_machine *machine);
void put_named(struct joulie_cluster *cluster, const char *name);
void measure(struct joulie_cluster *cluster, const char *name, int64_t at_ms, double watts);

/* Returns the number of actions. */
size_t step(struct joulie_cluster *cluster, int64_t now_ms);
struct joulie_cluster_action action_at(struct joulie_cluster *cluster, size_t index);
const char *body_at(struct joulie_cluster *cluster, size_t index);
void apply_all(struct joulie_cluster *cluster, size_t count);
/* Steps and applies until a step has nothing to do. */
void settle(struct joulie_cluster *cluster, int64_t now_ms);
struct joulie_cluster_node node_of(struct joulie_cluster *cluster, const char *name);
