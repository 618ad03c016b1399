/* SPDX-License-Identifier: Apache-2.0 */

/* What the extender counts (docs/rules/extender.md#counting): per request, and per node when
 * /metrics is read. */

#include "scheduler/metrics.h"

#include <json-c/json.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "runtime/json.h"
#include "scheduler/scheduler.h"

JD_FAMILY(jd_bad_requests, JD_COUNTER, "joulie_scheduler_bad_requests_total",
          "Requests that were refused, by status.", "code");

static const struct jd_family requests[] = {
    [JOULIE_EXTENDER_FILTER] = {
        .name = "joulie_scheduler_filter_requests_total",
        .help = "Filter calls.",
        .type = JD_COUNTER,
        .labels = { "workload_class" },
    },
    [JOULIE_EXTENDER_PRIORITIZE] = {
        .name = "joulie_scheduler_prioritize_requests_total",
        .help = "Prioritize calls.",
        .type = JD_COUNTER,
        .labels = { "workload_class" },
    },
};
static const struct jd_family durations[] = {
    [JOULIE_EXTENDER_FILTER] = {
        .name = "joulie_scheduler_filter_duration_seconds",
        .help = "Time of a filter call, from its first byte.",
        .type = JD_HISTOGRAM,
        .labels = { "workload_class" },
        .buckets = jd_seconds_buckets,
    },
    [JOULIE_EXTENDER_PRIORITIZE] = {
        .name = "joulie_scheduler_prioritize_duration_seconds",
        .help = "Time of a prioritize call, from its first byte.",
        .type = JD_HISTOGRAM,
        .labels = { "workload_class" },
        .buckets = jd_seconds_buckets,
    },
};
static JD_FAMILY(rejections, JD_COUNTER, "joulie_scheduler_rejections_total",
                 "Nodes that were rejected, by reason.", "reason");
static JD_FAMILY(invalid_annotations, JD_COUNTER, "joulie_invalid_annotations_total",
                 "Annotations of pods that say no word of theirs, by key.", "component", "key");
static JD_FAMILY(bad_quantities, JD_COUNTER, "joulie_scheduler_bad_quantities_total",
                 "Quantities of pods that could not be used and count as 0.");
static JD_FAMILY(node_score, JD_GAUGE, "joulie_scheduler_final_node_score",
                 "Score of the node for the last pod of the class, before truncation.", "node",
                 "workload_class");
static JD_FAMILY(node_headroom, JD_GAUGE, "joulie_scheduler_node_headroom_score",
                 "Headroom of the node with the last pod on it; may be negative.", "node");
static JD_FAMILY(stale_twin, JD_GAUGE, "joulie_scheduler_stale_twin_data",
                 "1: no fresh data of the node.", "node");
static JD_FAMILY(connections, JD_GAUGE, "joulie_scheduler_connections",
                 "Open connections to the extender.");
static JD_FAMILY(cut_connections, JD_GAUGE, "joulie_scheduler_cut_connections",
                 "Connections that were refused or cut since the start, by reason.", "reason");
static JD_FAMILY(profile_info, JD_GAUGE, "joulie_scheduler_scoring_profile_info",
                 "1: the scoring profile in force. Extenders of one digest decide alike.", "rules",
                 "source", "digest");
static JD_FAMILY(profile_reloads, JD_COUNTER, "joulie_scheduler_scoring_reloads_total",
                 "Changes of the profile's file that are in force.");
static JD_FAMILY(profile_failures, JD_COUNTER, "joulie_scheduler_scoring_reload_failures_total",
                 "Those that could not be used.");
static JD_FAMILY(tls_expiry, JD_GAUGE, "joulie_scheduler_tls_certificate_expiry_timestamp_seconds",
                 "When the certificate that is served expires.");
static JD_FAMILY(tls_reloads, JD_COUNTER, "joulie_scheduler_tls_reloads_total",
                 "Certificates, keys or CAs that were read anew and are in force.");
static JD_FAMILY(tls_failures, JD_COUNTER, "joulie_scheduler_tls_reload_failures_total",
                 "Those that changed and could not be used.");

/* ---- after each request ---- */

static const char *const classes[JD_POD_CLASSES] = { "performance", "standard", "other" };

static size_t class_index(const char *workload_class)
{
    size_t i = 0;
    while (i + 1 < JD_POD_CLASSES && !jl_same(workload_class, classes[i]))
        i++;
    return i;
}

static void reject(struct jd_scheduler *scheduler, const char *reason, int64_t count)
{
    if (count > 0)
        jd_metric_add(scheduler->edges.metrics, &rejections, JD_LABELS(reason), (double)count);
}

/* Counted each time, logged once per key. */
static void annotate(struct jd_scheduler *scheduler, const struct joulie_extender_result *result,
                     uint64_t bit, const char *key)
{
    const bool was_logged = (scheduler->recent.logged_annotations & bit) != 0;
    if (!(result->invalid_annotations & bit))
        return;
    jd_metric_add(scheduler->edges.metrics, &invalid_annotations, JD_LABELS(JD_COMPONENT, key), 1);
    scheduler->recent.logged_annotations |= bit;
    if (!was_logged)
        jd_log(&scheduler->edges.log, JOULIE_LOG_LEVEL_WARN, "extender",
               "a pod's annotation %s says no word of it and is ignored; others are only counted",
               key);
}

static void keep_pod(struct jd_scheduler *scheduler, const struct joulie_extender_result *result)
{
    struct jl_buffer *pod = &scheduler->recent.pods[class_index(result->workload_class)];
    jl_buffer_reset(pod);
    jl_put(pod, result->pod, (size_t)result->pod_len);
}

void jd_metrics_of(struct jd_scheduler *scheduler, enum joulie_extender_verb verb,
                   const struct joulie_extender_result *result)
{
    reject(scheduler, "eco", result->rejected_eco);
    reject(scheduler, "draining", result->rejected_draining);
    reject(scheduler, "label", result->rejected_label);
    reject(scheduler, "no-data", result->rejected_no_data);
    if (verb == JOULIE_EXTENDER_PRIORITIZE) {
        keep_pod(scheduler, result);
        return; /* the pod was checked when its nodes were filtered */
    }
    annotate(scheduler, result, JOULIE_INVALID_WORKLOAD_CLASS, "joulie.io/workload-class");
    annotate(scheduler, result, JOULIE_INVALID_CPU_SENSITIVITY, "joulie.io/cpu-sensitivity");
    annotate(scheduler, result, JOULIE_INVALID_GPU_SENSITIVITY, "joulie.io/gpu-sensitivity");
    if (result->bad_quantities > 0)
        jd_metric_add(scheduler->edges.metrics, &bad_quantities, JD_NO_LABELS,
                      (double)result->bad_quantities);
}

void jd_metrics_took(struct jd_scheduler *scheduler, enum joulie_extender_verb verb,
                     const char *workload_class, double seconds)
{
    jd_metric_add(scheduler->edges.metrics, &requests[verb], JD_LABELS(workload_class), 1);
    jd_metric_observe(scheduler->edges.metrics, &durations[verb], JD_LABELS(workload_class),
                      seconds);
}

/* ---- what is worked out when somebody reads it ---- */

static double number_of(struct json_object *node, const char *key)
{
    return json_object_get_double(json_object_object_get(node, key));
}

static void put_node(struct jd_metrics *metrics, struct json_object *node,
                     const char *workload_class)
{
    const char *name = json_object_get_string(json_object_object_get(node, "node"));
    const bool is_known = json_object_get_boolean(json_object_object_get(node, "known"));
    const double score =
        is_known ? jl_clamp(number_of(node, "raw"), 0, 100) : number_of(node, "score");
    jd_metric_set(metrics, &stale_twin, JD_LABELS(name), is_known ? 0 : 1);
    if (!workload_class)
        return;
    jd_metric_set(metrics, &node_score, JD_LABELS(name, workload_class), score);
    if (is_known)
        jd_metric_set(metrics, &node_headroom, JD_LABELS(name), number_of(node, "headroom"));
}

static void put_scores(struct jd_scheduler *scheduler, const char *pod, size_t len,
                       const char *workload_class)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    if (joulie_cluster_score(scheduler->cluster, pod, len, jd_policy_now_ms(scheduler->edges.clock),
                             &json, NULL) < 0)
        return;
    JL_CLEANUP(jd_json_freep) struct json_object *root = jd_json_parse(json, strlen(json));
    struct json_object *const scores = jd_json_at(root, "scores");
    for (size_t i = 0; i < jd_json_count(scores); i++)
        put_node(scheduler->edges.metrics, json_object_array_get_idx(scores, i), workload_class);
}

/* Nodes that are gone take their series with them. */
static void put_nodes(struct jd_scheduler *scheduler)
{
    static const char nobody[] = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}";
    bool has_any = false;
    jd_metrics_clear(scheduler->edges.metrics, &node_score);
    jd_metrics_clear(scheduler->edges.metrics, &node_headroom);
    jd_metrics_clear(scheduler->edges.metrics, &stale_twin);
    for (size_t i = 0; i < JD_POD_CLASSES; i++) {
        const struct jl_buffer *pod = &scheduler->recent.pods[i];
        if (pod->len == 0 || pod->is_failed)
            continue;
        put_scores(scheduler, pod->data, pod->len, classes[i]);
        has_any = true;
    }
    if (!has_any)
        put_scores(scheduler, nobody, strlen(nobody), NULL);
}

static void put_scoring(const struct jd_scheduler *scheduler)
{
    const struct jd_scoring *const scoring = &scheduler->scoring;
    struct jd_metrics *const metrics = scheduler->edges.metrics;
    jd_metrics_clear(metrics, &profile_info);
    jd_metric_set(metrics, &profile_info, JD_LABELS(scoring->rules, scoring->name, scoring->digest),
                  1);
    jd_metric_set(metrics, &profile_reloads, JD_NO_LABELS, (double)scoring->reloads);
    jd_metric_set(metrics, &profile_failures, JD_NO_LABELS, (double)scoring->failures);
}

static void put_tls(const struct jd_scheduler *scheduler)
{
    struct jd_metrics *const metrics = scheduler->edges.metrics;
    struct jd_tls_facts facts;
    if (!scheduler->tls)
        return;
    jd_server_tls_facts(scheduler->tls, &facts);
    jd_metric_set(metrics, &tls_expiry, JD_NO_LABELS, (double)facts.expires_s);
    jd_metric_set(metrics, &tls_reloads, JD_NO_LABELS, (double)facts.reloads);
    jd_metric_set(metrics, &tls_failures, JD_NO_LABELS, (double)facts.failures);
}

void jd_metrics_refresh(void *user)
{
    struct jd_scheduler *scheduler = user;
    struct jd_server_counts counts = { 0 };
    jd_feed_measure(&scheduler->feed);
    if (scheduler->feed.has_synced)
        put_nodes(scheduler);
    put_scoring(scheduler);
    put_tls(scheduler);
    if (!scheduler->server)
        return;
    jd_server_counts(scheduler->server, &counts);
    jd_metric_set(scheduler->edges.metrics, &connections, JD_NO_LABELS, (double)counts.open);
    jd_metric_set(scheduler->edges.metrics, &cut_connections, JD_LABELS("refused"),
                  (double)counts.refused);
    jd_metric_set(scheduler->edges.metrics, &cut_connections, JD_LABELS("slow"),
                  (double)counts.cut);
    jd_metric_set(scheduler->edges.metrics, &cut_connections, JD_LABELS("too-large"),
                  (double)counts.too_large);
}

void jd_metrics_clear_recent(struct jd_recent *recent)
{
    for (size_t i = 0; i < JD_POD_CLASSES; i++)
        jl_buffer_clear(&recent->pods[i]);
}
