/* SPDX-License-Identifier: Apache-2.0 */

/* The twins of the nodes whose inputs changed, the sums of their racks, and the advice that follows
 * from both. */

#include <math.h>
#include <string.h>

#include <joulie/error.h>

#include "base/error.h"
#include "base/sort.h"
#include "cluster/state.h"

#define MOST_AHEAD_MS 5000 /* clocks of a fleet differ; the autoscaler allows as much */

/* A clock that is that far ahead of ours shows nothing that happened yet. */
static bool is_ahead(int64_t at_ms, int64_t now_ms)
{
    return at_ms > now_ms + MOST_AHEAD_MS;
}

static bool is_empty(const struct reading *reading)
{
    return reading->has == 0 && reading->source == JOULIE_POWER_SOURCE_UNKNOWN;
}

static bool has(const struct reading *reading, uint64_t bit)
{
    return (reading->has & bit) != 0;
}

/* A reading counts while it is young; its readings are taken as a whole. */
static const struct reading *reading_of(const struct joulie_cluster *cluster,
                                        const struct cluster_node *node, int64_t now_ms)
{
    static const struct reading none = { 0 };
    const struct reading *reading = &node->reading;
    if (is_ahead(reading->at_ms, now_ms))
        reading = &node->earlier;
    if (is_ahead(reading->at_ms, now_ms))
        return &none;
    if (is_empty(reading) || now_ms - reading->at_ms > cluster->place_config.staleness_ms)
        return &none;
    return reading;
}

/* Of a node that is off: what was read since, else what it is taken to draw. */
static const struct reading *reading_or_standby(const struct joulie_cluster *cluster,
                                                const struct cluster_node *node,
                                                const struct reading *reading,
                                                struct reading *standby)
{
    const struct jl_power_record *record = &node->power.record;
    if (record->state != JL_POWER_OFF ||
        (has(reading, JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER) && reading->at_ms >= record->since_ms))
        return reading;
    *standby = (struct reading){
        .at_ms = record->since_ms,
        .has = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER,
        .node_power_w = cluster->config.power_off.standby_w,
        .source = JOULIE_POWER_SOURCE_STANDBY,
    };
    return standby;
}

static void set(struct joulie_twin_input *input, uint64_t bit, double *member, bool is_known,
                double value)
{
    if (!is_known)
        return;
    input->has |= bit;
    *member = value;
}

/* Of a plant for all nodes whose power nobody reads now. */
static double unknown_stress(void *user, double node_power_w, double outside_temp_c)
{
    (void)user;
    (void)node_power_w;
    (void)outside_temp_c;
    return (double)NAN;
}

/* A node without a stress is still predicted. */
static void set_cooling(const struct jl_cooling_config *config, struct joulie_twin_input *out)
{
    out->cooling_model = config->type;
    set(out, JOULIE_TWIN_HAS_COOLING_REFERENCE, &out->cooling_reference_w,
        config->given.reference_w, config->reference_w);
    set(out, JOULIE_TWIN_HAS_COOLING_DESIGN_IT, &out->cooling_design_it_w,
        config->given.design_it_w, config->design_it_w);
    if (config->type != JOULIE_COOLING_DX || (out->has & JOULIE_TWIN_HAS_CLUSTER_POWER) != 0)
        return;
    out->cooling_model = JOULIE_COOLING_CUSTOM;
    out->cooling = unknown_stress;
}

/* Without what supplies can give: the stress of a node's supply is that of its rack (racks.c). */
static void read_inputs(const struct joulie_cluster *cluster, const struct cluster_node *node,
                        const struct reading *reading, struct joulie_twin_input *out)
{
    const struct joulie_cluster_facility *facility = &cluster->facility;
    bool is_outside_known = false;
    const double outside_c = jl_cluster_outside_c(facility, node, &is_outside_known);
    set(out, JOULIE_TWIN_HAS_NODE_POWER, &out->measured_node_power_w,
        has(reading, JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER), reading->node_power_w);
    set(out, JOULIE_TWIN_HAS_CPU_UTIL, &out->cpu_util_pct,
        has(reading, JOULIE_CLUSTER_SAMPLE_HAS_CPU_UTIL), reading->cpu_util_pct);
    set(out, JOULIE_TWIN_HAS_GPU_UTIL, &out->gpu_util_pct,
        has(reading, JOULIE_CLUSTER_SAMPLE_HAS_GPU_UTIL), reading->gpu_util_pct);
    set(out, JOULIE_TWIN_HAS_OUTSIDE_TEMP, &out->outside_temp_c, is_outside_known, outside_c);
    set(out, JOULIE_TWIN_HAS_CLUSTER_POWER, &out->cluster_total_power_w,
        (facility->has & JOULIE_CLUSTER_FACILITY_HAS_IT_POWER) != 0, facility->it_power_w);
    set(out, JOULIE_TWIN_HAS_GPU_IDLE, &out->gpu_idle_w,
        node->gpu_idle_w > 0 && node->hardware.gpu_present, node->gpu_idle_w);
    out->rules = JOULIE_TWIN_RULES_CURRENT;
    set_cooling(&cluster->config.cooling, out);
}

struct trace {
    const struct jl_power_sample *samples;
    size_t count;
};

static size_t count_ahead(const struct cluster_node *node, int64_t now_ms)
{
    size_t count = 0;
    for (size_t i = 0; i < node->sample_count; i++)
        count += is_ahead(node->samples[i].t_ms, now_ms);
    return count;
}

/* The samples that count now: mostly all of them, as they lie there. */
static int trace_of(struct joulie_cluster *cluster, const struct cluster_node *node, int64_t now_ms,
                    struct trace *out)
{
    *out = (struct trace){ node->samples, node->sample_count };
    if (count_ahead(node, now_ms) == 0)
        return 0;
    struct jl_power_sample *kept =
        JL_NEW_ARRAY(&cluster->step_arena, node->sample_count, struct jl_power_sample);
    if (kept == NULL)
        return JOULIE_E_NOMEM;
    *out = (struct trace){ .samples = kept };
    for (size_t i = 0; i < node->sample_count; i++) {
        if (!is_ahead(node->samples[i].t_ms, now_ms))
            kept[out->count++] = node->samples[i];
    }
    return 0;
}

static bool is_flat(const struct cluster_node *node)
{
    for (size_t i = 1; i < node->sample_count; i++) {
        if (node->samples[i].w != node->samples[0].w)
            return false;
    }
    return true;
}

/* Equal samples tell the same trend until the last that is old enough beside the newest one leaves
 * the window. */
static int64_t trend_end(const struct cluster_node *node)
{
    int64_t newest_ms = INT64_MIN;
    int64_t last_ms = INT64_MIN;
    for (size_t i = 0; i < node->sample_count; i++) {
        if (node->samples[i].t_ms > newest_ms)
            newest_ms = node->samples[i].t_ms;
    }
    for (size_t i = 0; i < node->sample_count; i++) {
        const int64_t t_ms = node->samples[i].t_ms;
        if (newest_ms - t_ms >= JL_TREND_LEAST_MS && t_ms > last_ms)
            last_ms = t_ms;
    }
    return last_ms + JL_TREND_WINDOW_MS;
}

static int64_t sooner(int64_t due_ms, int64_t at_ms, int64_t now_ms)
{
    return at_ms > now_ms && at_ms < due_ms ? at_ms : due_ms;
}

/* When time alone changes what was predicted: a sample leaves the window, the reading grows too
 * old, or the time of one comes. Whoever rides is told when the repeats end. */
static int64_t due_after(const struct joulie_cluster *cluster, const struct cluster_node *node,
                         int64_t now_ms)
{
    const struct reading *readings[] = { &node->reading, &node->earlier };
    if (node->is_riding)
        return INT64_MAX;
    int64_t due_ms = node->is_steady ? trend_end(node) : INT64_MAX;
    for (size_t i = 0; i < node->sample_count && !node->is_steady; i++) {
        const int64_t at_ms = node->samples[i].t_ms;
        due_ms = sooner(due_ms, at_ms - MOST_AHEAD_MS, now_ms);
        due_ms = sooner(due_ms, at_ms + JL_TREND_WINDOW_MS, now_ms);
    }
    for (size_t i = 0; i < JL_COUNT(readings); i++) {
        const int64_t at_ms = readings[i]->at_ms;
        if (at_ms == INT64_MIN) /* there is none */
            continue;
        due_ms = sooner(due_ms, at_ms - MOST_AHEAD_MS, now_ms);
        due_ms = sooner(due_ms, at_ms + cluster->place_config.staleness_ms + 1, now_ms);
    }
    return due_ms;
}

static void compare_status(const struct joulie_cluster *cluster, struct cluster_node *node)
{
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    node->base_reason = jl_cluster_status_change(
        &cluster->config, twin != NULL ? &twin->status : NULL, &node->status);
    if (node->base_reason == NULL)
        node->base_reason = jl_cluster_condition_change(node);
    node->due &= ~DUE_STATUS;
}

/* As it is stored. */
static void hold_class(struct cluster_node *node)
{
    const struct jl_twin_status *stored = &jl_cluster_twin_of(node)->status;
    if (stored->given.schedulable_class)
        JL_SET(&node->status, schedulable_class, stored->schedulable_class);
}

static int predict_node(struct joulie_cluster *cluster, struct cluster_node *node, int64_t now_ms,
                        struct joulie_error *err)
{
    static const struct jl_twin_spec no_spec = { 0 };
    static const struct jl_control_status silence = { .cpu.result = "none", .gpu.result = "none" };
    if (jl_cluster_catch_up(cluster, node) < 0)
        return jl_fail_memory(err);
    const struct jl_twin_spec *spec = jl_cluster_spec_of(node);
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    struct reading standby;
    const struct reading *reading =
        reading_or_standby(cluster, node, reading_of(cluster, node, now_ms), &standby);
    struct joulie_twin_input readings = JOULIE_INIT(struct joulie_twin_input);
    read_inputs(cluster, node, reading, &readings);
    struct jl_twin_case input = {
        .readings = &readings,
        .hardware = &node->hardware,
        .spec = spec != NULL ? spec : &no_spec,
        .control = spec != NULL && node->is_silent ? &silence
                   : spec != NULL && twin != NULL  ? &twin->status.control
                                                   : NULL,
        .previous = spec != NULL && twin != NULL ? &twin->status.effective_caps : NULL,
        .source = reading->source,
    };
    node->is_by_pods = !has(reading, JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER);
    if (node->is_by_pods) {
        const struct jl_place_watts pods = jl_cluster_allocation_of(cluster, node);
        input.has_pods = true;
        input.pods_cpu_w = pods.cpu_w;
        input.pods_gpu_w = pods.gpu_w;
    }
    struct trace trace;
    if (trace_of(cluster, node, now_ms, &trace) < 0)
        return jl_fail_memory(err);
    input.has_trend = trace.count > 0 && reading != &standby &&
                      jl_power_trend(trace.samples, trace.count, &now_ms, JOULIE_TWIN_RULES_CURRENT,
                                     &input.trend_w_per_min);
    node->is_held = jl_cluster_is_held(cluster, node, now_ms);
    node->is_steady = !node->is_held && !is_empty(reading) && reading == &node->reading &&
                      input.has_trend && trace.count == node->sample_count && is_flat(node);
    jl_cluster_set_rider(cluster, node);
    const int rc = jl_twin_compose(&input, &cluster->step_arena, &node->status, NULL, err);
    if (rc == JOULIE_E_NOMEM || rc == JOULIE_E_LIMIT)
        return rc;
    node->due &= ~DUE_PREDICTION;
    /* one node's impossible numbers are no concern of the others */
    node->has_status = rc == 0 && spec != NULL && node->scope != SCOPE_OUT;
    if (node->has_status && node->is_held)
        hold_class(node);
    node->has_share = rc == 0 && jl_status_rack_share_w(&node->status, &node->share_w);
    node->base_reason = NULL;
    node->due &= ~DUE_ADVICE;
    if (jl_cluster_gives_advice(node))
        node->due |= DUE_ADVICE;
    if (node->has_status) {
        JL_SET(&node->status, reschedule, ((struct jl_list){ 0 }));
        if ((node->due & DUE_ADVICE) == 0)
            compare_status(cluster, node);
    }
    node->computed_ms = now_ms;
    node->due_ms = due_after(cluster, node, now_ms);
    if (node->is_held && node->past.has_since)
        node->due_ms =
            sooner(node->due_ms, node->past.since_ms + cluster->control_period_ms, now_ms);
    return 0;
}

static bool is_due(const struct cluster_node *node, int64_t now_ms)
{
    return (node->due & DUE_PREDICTION) != 0 || now_ms >= node->due_ms ||
           now_ms < node->computed_ms;
}

const struct jl_twin_status *jl_cluster_status_of(struct cluster_node *node)
{
    node->status.given.psu_stress_score = false;
    node->status.psu_stress_score = node->rack->psu_stress;
    if (node->rack->has_psu)
        node->status.given.psu_stress_score = true;
    return &node->status;
}

/* ---- advice ---- */

static int by_profile(const void *a, const void *b, void *user)
{
    const struct jl_workload_profile *const *left = a;
    const struct jl_workload_profile *const *right = b;
    (void)user;
    const int order = jl_compare((*left)->meta.name_space, (*right)->meta.name_space);
    return order != 0 ? order : jl_compare((*left)->meta.name, (*right)->meta.name);
}

/* The profiles matched by the pods on the node, each once, by namespace and name. */
static int profiles_on(struct cluster_node *node, struct jl_arena *arena,
                       const struct jl_workload_profile ***out, size_t *out_count)
{
    const struct jl_workload_profile **profiles =
        JL_NEW_ARRAY(arena, (size_t)node->load.profile_pods, const struct jl_workload_profile *);
    size_t count = 0;
    size_t kept = 0;
    if (profiles == NULL)
        return JOULIE_E_NOMEM;
    for (const struct cluster_pod *pod = node->pods; pod != NULL; pod = pod->next) {
        if (pod->has_profile)
            profiles[count++] = pod->demand.profile;
    }
    if (jl_sort(profiles, count, sizeof *profiles, by_profile, NULL) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || profiles[kept - 1] != profiles[i])
            profiles[kept++] = profiles[i];
    }
    *out = profiles;
    *out_count = kept;
    return 0;
}

static int put_advice(struct joulie_cluster *cluster, struct cluster_node *node)
{
    struct jl_twin_status *status = &node->status;
    const struct jl_workload_profile **profiles = NULL;
    size_t count = 0;
    jl_arena_reset(&node->advice_arena);
    if (node->load.profile_pods > 0 &&
        profiles_on(node, &node->advice_arena, &profiles, &count) < 0)
        return JOULIE_E_NOMEM;
    const struct jl_advice_case advice = {
        .is_draining = jl_cluster_spec_of(node)->scheduling.draining,
        .has_cooling = status->given.cooling_stress_score,
        .cooling_stress = status->cooling_stress_score,
        .has_psu = node->rack->has_psu,
        .psu_stress = node->rack->psu_stress,
        .profiles = profiles,
        .profile_count = count,
    };
    const int rc = jl_reschedule_advice(&advice, &node->advice_arena, &status->reschedule);
    if (rc < 0)
        return rc;
    status->given.reschedule = true;
    status->given.slicing = false;
    if (jl_slicing_advice(&node->hardware, profiles, count, &status->slicing))
        status->given.slicing = true;
    node->due &= ~DUE_ADVICE;
    jl_cluster_changed(cluster, node, EVENT_ADVISED);
    return 0;
}

int jl_cluster_finish_node(struct joulie_cluster *cluster, struct cluster_node *node)
{
    if (!node->has_status)
        return 0;
    if ((node->due & DUE_ADVICE) != 0 && put_advice(cluster, node) < 0)
        return JOULIE_E_NOMEM;
    if ((node->due & DUE_STATUS) != 0)
        compare_status(cluster, node);
    node->status_reason = node->base_reason != NULL ? node->base_reason
                                                    : jl_cluster_psu_change(&cluster->config, node);
    return 0;
}

/* The first bytes of the nodes to come, and what is stored of them. */
static void look_ahead(struct cluster_node *const *nodes, size_t count, size_t i)
{
    if (i + 2 * AHEAD < count)
        jl_cluster_prefetch(nodes[i + 2 * AHEAD], offsetof(struct cluster_node, arena));
    if (i + AHEAD >= count)
        return;
    const struct cluster_node *node = nodes[i + AHEAD];
    if (node->twins != NULL)
        jl_cluster_prefetch(&node->twins->value.twin.status, sizeof(struct jl_twin_status));
    jl_cluster_prefetch(node->samples, node->sample_count * sizeof *node->samples);
}

static void share(struct joulie_cluster *cluster, struct cluster_node *node)
{
    double *share_w = &cluster->order.shares[node->member];
    const double now_w = node->has_share ? node->share_w : 0;
    if (*share_w == now_w)
        return;
    *share_w = now_w;
    jl_cluster_changed(cluster, node, EVENT_SHARE);
}

int jl_cluster_predict(struct joulie_cluster *cluster, int64_t now_ms, struct joulie_error *err)
{
    const size_t count = jl_cluster_find_due(&cluster->order, now_ms);
    for (size_t i = 0; i < count; i++) {
        struct cluster_node *node = cluster->order.visits[i];
        look_ahead(cluster->order.visits, count, i);
        if (!node->is_known || !is_due(node, now_ms))
            continue;
        const int rc = predict_node(cluster, node, now_ms, err);
        if (rc < 0)
            return rc;
        share(cluster, node);
    }
    jl_cluster_sum_racks(cluster);
    return 0;
}
