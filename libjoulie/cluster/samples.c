/* SPDX-License-Identifier: Apache-2.0 */

/* Readings of nodes: the newest, the one before, and those that the trend rests on
 * (docs/rules/reconcile.md#readings). What counts of them at a time is decided in predict.c. */

#include <string.h>

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "cluster/call.h"
#include "cluster/state.h"

#define MAX_SAMPLES 1024 /* of one node within the trend's window; the oldest goes first */

static void drop_old_samples(struct cluster_node *node, int64_t newest_ms)
{
    size_t kept = 0;
    for (size_t i = 0; i < node->sample_count; i++) {
        if (newest_ms - node->samples[i].t_ms < JL_TREND_WINDOW_MS)
            node->samples[kept++] = node->samples[i];
    }
    node->sample_count = kept;
}

/* One sample alone makes no other old, as its clock may be ahead: two have to be that late. Nor
 * does the first of the array tell alone whether there are old ones. */
static void make_room(struct cluster_node *node, int64_t at_ms)
{
    const int64_t newest_ms = node->reading.at_ms;
    const int64_t late_ms = at_ms < newest_ms ? at_ms : newest_ms;
    if (node->sample_count == 0 || newest_ms == INT64_MIN)
        return;
    if (late_ms - node->samples[0].t_ms >= JL_TREND_WINDOW_MS ||
        late_ms - node->samples[node->sample_count / 2].t_ms >= JL_TREND_WINDOW_MS)
        drop_old_samples(node, late_ms);
}

static int add_sample(struct cluster_node *node, int64_t at_ms, double power_w)
{
    make_room(node, at_ms);
    if (node->sample_count == MAX_SAMPLES)
        memmove(node->samples, node->samples + 1, --node->sample_count * sizeof *node->samples);
    if (JL_GROW(&node->samples, &node->sample_capacity, node->sample_count + 1) < 0)
        return JOULIE_E_NOMEM;
    struct jl_power_sample *sample = &node->samples[node->sample_count++];
    *sample = (struct jl_power_sample){ .t_ms = at_ms, .w = power_w };
    sample->given.t_ms = true;
    sample->given.w = true;
    return 0;
}

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

/* Only a step knows the time, and whether the newest is ahead of it: beside that one stays what it
 * took the place of, or what came after it. */
static void keep_reading(struct cluster_node *node, const struct reading *reading)
{
    const bool is_newest = reading->at_ms >= node->reading.at_ms;
    node->earlier = is_newest ? node->reading : *reading;
    if (is_newest)
        node->reading = *reading;
}

static int keep(struct joulie_cluster *cluster, struct cluster_node *node,
                const struct reading *reading, struct joulie_error *err)
{
    if ((reading->has & JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER) != 0 &&
        add_sample(node, reading->at_ms, reading->node_power_w) < 0)
        return jl_fail_memory(err);
    if (!node->is_steady || !is_same_reading(&node->reading, reading) || !has_trend(node))
        jl_cluster_changed(cluster, node, EVENT_READING);
    keep_reading(node, reading);
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

int joulie_cluster_put_sample(struct joulie_cluster *cluster, const char *node_name,
                              const struct joulie_cluster_sample *theirs, struct joulie_error *err)
{
    struct joulie_cluster_sample ours;
    struct reading reading;
    if (JL_SIZED_READ(&ours, theirs) < 0 || (ours.has & ~SAMPLE_BITS) != 0 || ours.reserved != 0)
        return jl_fail_abi(err, "");
    struct cluster_node *node = jl_cluster_find(&cluster->store.nodes, node_name);
    if (node == NULL || !node->is_known)
        return jl_fail(err, JOULIE_E_NOT_FOUND, "node", "there is no such node");
    const int rc = read_sample(&ours, &reading, err);
    return rc < 0 ? rc : keep(cluster, node, &reading, err);
}

int jl_cluster_sample_all(struct joulie_cluster *cluster,
                          const struct joulie_cluster_sample *samples, size_t count,
                          struct joulie_error *err)
{
    struct reading reading;
    if (jl_cluster_refresh_order(cluster) < 0)
        return jl_fail_memory(err);
    const struct order *order = &cluster->order;
    if (count != order->known_count)
        return jl_fail(err, JOULIE_E_REQUIRED, "node", "%zu samples for %zu nodes", count,
                       order->known_count);
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (i + AHEAD < count)
            jl_cluster_prefetch(order->known[i + AHEAD], offsetof(struct cluster_node, hardware));
        rc = read_sample(&samples[i], &reading, err);
        if (rc == 0)
            rc = keep(cluster, order->known[i], &reading, err);
    }
    return rc;
}
