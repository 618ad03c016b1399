/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Readings as they are kept: the newest, the one before, and those that the trend rests on
 * (docs/rules/reconcile.md#readings). What counts of them at a time is decided in predict.c.
 *
 * Where every node is read at one time, most show what they showed before. A node whose prediction
 * such a repeat cannot change takes none: it rides on the times of the repeats, and catches up when
 * something is to be read from its samples. So a beat over a large cluster costs what changed.
 * Results are those of taking each sample at once.
 */

#include <math.h>
#include <string.h>

#include <joulie/error.h>

#include "base/memory.h"
#include "cluster/state.h"

#define MS_PER_MIN 60000.0
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

/* ---- the trend of a model that takes over: docs/rules/twin.md#trend ---- */

#define RECALLED 5 /* samples, so far apart; one that ran on would have about as many */
#define RECALLED_EVERY_MS (JL_TREND_WINDOW_MS / RECALLED)

/* Measured power and its trend, as the status says; what was estimated has no samples. */
static bool has_stored_trend(const struct jl_power_measurement *power)
{
    const bool is_measured = power->source == JOULIE_POWER_SOURCE_HTTP ||
                             power->source == JOULIE_POWER_SOURCE_PROMETHEUS ||
                             power->source == JOULIE_POWER_SOURCE_KEPLER;
    return power->given.source && is_measured && power->given.measured_node_power_w &&
           power->given.power_trend_w_per_min;
}

int jl_cluster_recall_trend(const struct joulie_cluster *cluster, struct cluster_node *node,
                            int64_t at_ms)
{
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    const int64_t updated_ms = node->has_updated ? node->updated_ms : NEVER_MS;
    const int64_t end_ms = updated_ms > cluster->resumed_ms ? updated_ms : cluster->resumed_ms;
    if (!cluster->has_resumed || node->reading.at_ms != INT64_MIN || twin == NULL ||
        end_ms == NEVER_MS || end_ms > at_ms || at_ms - end_ms >= JL_TREND_WINDOW_MS ||
        !has_stored_trend(&twin->status.power))
        return 0;
    const struct jl_power_measurement *power = &twin->status.power;
    for (int64_t back = RECALLED - 1; back >= 0; back--) {
        const int64_t t_ms = end_ms - back * RECALLED_EVERY_MS;
        const double w = power->measured_node_power_w - power->power_trend_w_per_min *
                                                            (double)(back * RECALLED_EVERY_MS) /
                                                            MS_PER_MIN;
        if (t_ms < at_ms && w >= 0 && add_sample(node, t_ms, w) < 0)
            return JOULIE_E_NOMEM;
    }
    return 0;
}

/* ---- what counts ---- */

/* Only a step knows the time, and whether the newest is ahead of it: beside that one stays what it
 * took the place of, or what came after it. */
static void keep_reading(struct cluster_node *node, const struct reading *reading)
{
    const bool is_newest = reading->at_ms >= node->reading.at_ms;
    node->earlier = is_newest ? node->reading : *reading;
    if (is_newest)
        node->reading = *reading;
}

int jl_cluster_take_reading(struct cluster_node *node, const struct reading *reading)
{
    if ((reading->has & JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER) != 0 &&
        add_sample(node, reading->at_ms, reading->node_power_w) < 0)
        return JOULIE_E_NOMEM;
    keep_reading(node, reading);
    return 0;
}

/* ---- nodes that ride ---- */

static int64_t time_of(const struct repeats *repeats, uint64_t number)
{
    return repeats->at_ms[number % JL_COUNT(repeats->at_ms)];
}

/* Of what it has still to take, those that are not old beside the last two: one that is would be
 * dropped by them, and so is every sample from before it rode (make_room()). */
static uint64_t first_to_take(const struct repeats *repeats, uint64_t taken)
{
    if (repeats->count < taken + 2)
        return taken;
    uint64_t first = repeats->count - 2;
    const int64_t late_ms = time_of(repeats, first) < time_of(repeats, first + 1)
                                ? time_of(repeats, first)
                                : time_of(repeats, first + 1);
    while (first > taken && late_ms - time_of(repeats, first - 1) < JL_TREND_WINDOW_MS)
        first--;
    return first;
}

int jl_cluster_catch_up(struct joulie_cluster *cluster, struct cluster_node *node)
{
    const struct repeats *repeats = &cluster->repeats;
    struct reading reading = node->reading;
    if (!node->is_riding)
        return 0;
    for (uint64_t i = first_to_take(repeats, node->repeats_taken); i < repeats->count; i++) {
        reading.at_ms = time_of(repeats, i);
        if (jl_cluster_take_reading(node, &reading) < 0)
            return JOULIE_E_NOMEM;
        node->repeats_taken = i + 1;
    }
    return 0;
}

static bool rides(const struct joulie_cluster *cluster, size_t row)
{
    return !isnan(cluster->order.ridden_w[row]);
}

void jl_cluster_set_rider(struct joulie_cluster *cluster, struct cluster_node *node)
{
    const struct repeats *repeats = &cluster->repeats;
    const struct reading *reading = &node->reading;
    node->is_riding = node->is_steady && repeats->count > 0 &&
                      reading->at_ms == time_of(repeats, repeats->count - 1) &&
                      reading->has == JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER &&
                      reading->source == JOULIE_POWER_SOURCE_HTTP;
    node->repeats_taken = repeats->count;
    cluster->order.ridden_w[node->row] = node->is_riding ? reading->node_power_w : JL_NO_RIDER;
}

/* It takes what it rode past, and the next step predicts it again. */
int jl_cluster_alight(struct joulie_cluster *cluster, struct cluster_node *node)
{
    if (!node->is_riding)
        return 0;
    if (jl_cluster_catch_up(cluster, node) < 0)
        return JOULIE_E_NOMEM;
    node->is_riding = false;
    if ((cluster->due & DUE_ORDER) == 0)
        cluster->order.ridden_w[node->row] = JL_NO_RIDER;
    jl_cluster_changed(cluster, node, EVENT_READING);
    return 0;
}

static int alight_all(struct joulie_cluster *cluster)
{
    for (size_t i = 0; i < cluster->order.known_count; i++) {
        if (rides(cluster, i) && jl_cluster_alight(cluster, cluster->order.known[i]) < 0)
            return JOULIE_E_NOMEM;
    }
    return 0;
}

/* Whether a node that took the same power at each repeat has a trend now, and a fresh reading. */
static bool carries(const struct joulie_cluster *cluster, int64_t now_ms)
{
    const struct repeats *repeats = &cluster->repeats;
    const uint64_t kept =
        repeats->count < JL_COUNT(repeats->at_ms) ? repeats->count : JL_COUNT(repeats->at_ms);
    const int64_t last_ms = time_of(repeats, repeats->count - 1);
    if (last_ms > now_ms || now_ms - last_ms > cluster->place_config.staleness_ms)
        return false;
    for (uint64_t back = 2; back <= kept; back++) {
        const int64_t at_ms = time_of(repeats, repeats->count - back);
        if (now_ms - at_ms >= JL_TREND_WINDOW_MS)
            return false;
        if (last_ms - at_ms >= JL_TREND_LEAST_MS)
            return true;
    }
    return false;
}

int jl_cluster_check_riders(struct joulie_cluster *cluster, int64_t now_ms)
{
    const bool goes_back = now_ms < cluster->step_ms;
    if (cluster->repeats.count == 0 || (!goes_back && carries(cluster, now_ms)))
        return 0;
    return alight_all(cluster);
}

/* The oldest gives its place away when nobody has still to take it. */
int jl_cluster_open_repeat(struct joulie_cluster *cluster)
{
    const struct repeats *repeats = &cluster->repeats;
    const bool is_full = repeats->count % JL_COUNT(repeats->at_ms) == 0;
    for (size_t i = 0; i < cluster->order.known_count && is_full; i++) {
        if (rides(cluster, i) && jl_cluster_catch_up(cluster, cluster->order.known[i]) < 0)
            return JOULIE_E_NOMEM;
    }
    return 0;
}

void jl_cluster_close_repeat(struct joulie_cluster *cluster, int64_t at_ms)
{
    struct repeats *repeats = &cluster->repeats;
    repeats->at_ms[repeats->count++ % JL_COUNT(repeats->at_ms)] = at_ms;
}
