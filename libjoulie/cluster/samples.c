/* SPDX-License-Identifier: Apache-2.0 */

/* Samples of nodes as callers hand them in, and what is due after them
 * (docs/rules/reconcile.md#readings); readings.c keeps them. */

#include <joulie/error.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "cluster/call.h"
#include "cluster/state.h"

static bool is_same_reading(const struct reading *a, const struct reading *b)
{
    return a->has == b->has && a->node_power_w == b->node_power_w && a->source == b->source &&
           a->cpu_util_pct == b->cpu_util_pct && a->gpu_util_pct == b->gpu_util_pct;
}

/* The last two samples alone give a trend, whatever was dropped before them. */
static bool has_trend(const struct cluster_node *node)
{
    const size_t count = node->sample_count;
    return count >= 2 &&
           node->samples[count - 1].t_ms - node->samples[count - 2].t_ms >= JL_TREND_LEAST_MS;
}

static int keep(struct joulie_cluster *cluster, struct cluster_node *node,
                const struct reading *reading, struct joulie_error *err)
{
    if (jl_cluster_alight(cluster, node) < 0)
        return jl_fail_memory(err);
    if (jl_cluster_recall_trend(cluster, node, reading->at_ms) < 0)
        return jl_fail_memory(err);
    const bool is_repeat = node->is_steady && is_same_reading(&node->reading, reading);
    if (jl_cluster_take_reading(node, reading) < 0)
        return jl_fail_memory(err);
    if (!is_repeat || !has_trend(node))
        jl_cluster_changed(cluster, node, EVENT_READING);
    return 0;
}

/* ---- samples of callers ---- */

#define SAMPLE_BITS                                                              \
    (JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER | JOULIE_CLUSTER_SAMPLE_HAS_CPU_UTIL | \
     JOULIE_CLUSTER_SAMPLE_HAS_GPU_UTIL)

/* A number without its bit becomes 0, so that equal readings have equal bytes. */
static int read_number(uint64_t has, uint64_t bit, double value, const char *name, double *out,
                       struct joulie_error *err)
{
    *out = 0;
    if ((has & bit) == 0)
        return 0;
    if (!jl_is_finite(value) || value < 0)
        return jl_fail(err, JOULIE_E_RANGE, name, "a reading is negative or not finite");
    *out = value;
    return 0;
}

static int read_sample(const struct joulie_cluster_sample *sample, struct reading *out,
                       struct joulie_error *err)
{
    *out = (struct reading){ .at_ms = sample->at_ms, .has = sample->has, .source = sample->source };
    int rc = 0;
    if ((unsigned)sample->source > JOULIE_POWER_SOURCE_PROMETHEUS_NO_DATA)
        rc = jl_fail(err, JOULIE_E_ENUM, "source", "there is no such source");
    if (rc == 0)
        rc = read_number(out->has, JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER, sample->node_power_w,
                         "node_power_w", &out->node_power_w, err);
    if (rc == 0)
        rc = read_number(out->has, JOULIE_CLUSTER_SAMPLE_HAS_CPU_UTIL, sample->cpu_util_pct,
                         "cpu_util_pct", &out->cpu_util_pct, err);
    if (rc == 0)
        rc = read_number(out->has, JOULIE_CLUSTER_SAMPLE_HAS_GPU_UTIL, sample->gpu_util_pct,
                         "gpu_util_pct", &out->gpu_util_pct, err);
    if (rc == 0 && !jl_is_instant(sample->at_ms))
        rc = jl_fail(err, JOULIE_E_RANGE, "at_ms", "no clock shows the time of the reading");
    return rc;
}

static int keep_sample(struct joulie_cluster *cluster, struct cluster_node *node,
                       const struct joulie_cluster_sample *sample, struct joulie_error *err)
{
    struct reading reading;
    const int rc = read_sample(sample, &reading, err);
    return rc < 0 ? rc : keep(cluster, node, &reading, err);
}

int joulie_cluster_put_sample(struct joulie_cluster *cluster, const char *node_name,
                              const struct joulie_cluster_sample *theirs, struct joulie_error *err)
{
    struct joulie_cluster_sample ours;
    if (JL_SIZED_READ(&ours, theirs) < 0 || (ours.has & ~SAMPLE_BITS) != 0 || ours.reserved != 0)
        return jl_fail_abi(err, "");
    struct cluster_node *node = jl_cluster_find(&cluster->store.nodes, node_name);
    if (node == NULL || !node->is_known)
        return jl_fail(err, JOULIE_E_NOT_FOUND, "node", "there is no such node");
    return keep_sample(cluster, node, &ours, err);
}

/* ---- of every node at one time ---- */

static int read_node(struct joulie_cluster *cluster, struct cluster_node *node, int64_t at_ms,
                     double power_w, struct joulie_error *err)
{
    const struct joulie_cluster_sample sample = {
        .struct_size = sizeof sample,
        .has = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER,
        .at_ms = at_ms,
        .node_power_w = power_w,
        .source = JOULIE_POWER_SOURCE_HTTP,
    };
    return keep_sample(cluster, node, &sample, err);
}

int jl_cluster_sample_all(struct joulie_cluster *cluster, int64_t at_ms, const double *power_w,
                          size_t count, struct joulie_error *err)
{
    const struct order *order = &cluster->order;
    if (jl_cluster_refresh_order(cluster) < 0)
        return jl_fail_memory(err);
    if (count != order->known_count)
        return jl_fail(err, JOULIE_E_REQUIRED, "node", "%zu samples for %zu nodes", count,
                       order->known_count);
    if (!jl_is_instant(at_ms))
        return jl_fail(err, JOULIE_E_RANGE, "at_ms", "no clock shows the time of the reading");
    int rc = jl_cluster_open_repeat(cluster) < 0 ? jl_fail_memory(err) : 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (power_w[i] != order->ridden_w[i])
            rc = read_node(cluster, order->known[i], at_ms, power_w[i], err);
    }
    if (rc == 0)
        jl_cluster_close_repeat(cluster, at_ms);
    return rc;
}
