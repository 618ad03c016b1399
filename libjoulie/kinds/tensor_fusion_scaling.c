/* SPDX-License-Identifier: Apache-2.0 */

/* spec.autoScalingConfig of the three dialects. Source: tensor-fusion.md §2.2 (A), §5.1 (C), §5.2
 * (B). */

#include "kinds/tensor_fusion.h"

static const struct jl_row prediction_rows[] = {
    [JL_FUSION_PREDICTION_ENABLE] =
        JL_BOOLEAN(jl_fusion_prediction, enable, "enable", .doc = "Whether the layer looks ahead."),
    [JL_FUSION_PREDICTION_HISTORY] =
        JL_STRING(jl_fusion_prediction, history_data_period, "historyDataPeriod",
                  .doc = "Duration of the history that the model sees, at most 720h."),
    [JL_FUSION_PREDICTION_MODEL] = JL_STRING(jl_fusion_prediction, model, "model",
                                             .doc = "Name of the model; absent is auto."),
    [JL_FUSION_PREDICTION_PERIOD] = JL_STRING(jl_fusion_prediction, prediction_period,
                                              "predictionPeriod", .doc = "Duration to look ahead."),
};
const struct jl_table jl_fusion_prediction_table = JL_TABLE(jl_fusion_prediction, prediction_rows);

static const struct jl_row limits_rows[] = {
    [JL_FUSION_LIMITS_ENABLE] = JL_BOOLEAN(jl_fusion_auto_limits, enable, "enable",
                                           .doc = "Whether limits follow the usage."),
    [JL_FUSION_LIMITS_PERIOD] =
        JL_STRING(jl_fusion_auto_limits, evaluation_period, "evaluationPeriod",
                  .doc = "Duration between two evaluations, such as 10s."),
    [JL_FUSION_LIMITS_BUFFER] =
        JL_STRING(jl_fusion_auto_limits, extra_tflops_buffer_ratio, "extraTFlopsBufferRatio",
                  .doc = "Fraction added to the usage, such as 20%."),
    [JL_FUSION_LIMITS_IGNORED] =
        JL_STRING(jl_fusion_auto_limits, ignored_delta_range, "ignoredDeltaRange",
                  .doc = "Relative change that is not worth an update, such as 5%."),
    [JL_FUSION_LIMITS_MAX_RATIO] =
        JL_STRING(jl_fusion_auto_limits, max_ratio_to_requests, "maxRatioToRequests",
                  .doc = "Multiple of the requests that limits stay below, such as 5.0."),
    [JL_FUSION_LIMITS_PREDICTION] =
        JL_OBJECT(jl_fusion_auto_limits, prediction, "prediction", &jl_fusion_prediction_table,
                  .doc = "How the layer looks ahead."),
    [JL_FUSION_LIMITS_STEP] =
        JL_STRING(jl_fusion_auto_limits, scale_up_step, "scaleUpStep",
                  .doc = "Growth of a saturated limit, such as 200%, which doubles it."),
    [JL_FUSION_LIMITS_TARGET] = JL_STRING(jl_fusion_auto_limits, target_resource, "targetResource",
                                          .doc = "tflops, vram or all; absent is all."),
};
static const struct jl_table limits_table = JL_TABLE(jl_fusion_auto_limits, limits_rows);

static const struct jl_row replicas_rows[] = {
    [JL_FUSION_REPLICAS_ENABLE] =
        JL_BOOLEAN(jl_fusion_auto_replicas, enable, "enable",
                   .doc = "Whether the number of workers follows the usage."),
    [JL_FUSION_REPLICAS_PERIOD] =
        JL_STRING(jl_fusion_auto_replicas, evaluation_period, "evaluationPeriod",
                  .doc = "Duration between two evaluations, such as 30s."),
    [JL_FUSION_REPLICAS_DOWN_COOL_DOWN] =
        JL_STRING(jl_fusion_auto_replicas, scale_down_cool_down_time, "scaleDownCoolDownTime",
                  .doc = "Duration without a change before workers go, such as 5m."),
    [JL_FUSION_REPLICAS_DOWN_STEP] =
        JL_STRING(jl_fusion_auto_replicas, scale_down_step, "scaleDownStep",
                  .doc = "Workers that go at most: a fraction such as 10%, or a number of them."),
    [JL_FUSION_REPLICAS_UP_COOL_DOWN] =
        JL_STRING(jl_fusion_auto_replicas, scale_up_cool_down_time, "scaleUpCoolDownTime",
                  .doc = "Duration without a change before workers come, such as 1m."),
    [JL_FUSION_REPLICAS_UP_STEP] =
        JL_STRING(jl_fusion_auto_replicas, scale_up_step, "scaleUpStep",
                  .doc = "Workers that come at most: a fraction such as 30%, or a number of them."),
    [JL_FUSION_REPLICAS_TARGET] =
        JL_STRING(jl_fusion_auto_replicas, target_tflops_of_limits, "targetTFlopsOfLimits",
                  .doc = "Fraction of the limits that the usage should have, such as 95%."),
};
static const struct jl_table replicas_table = JL_TABLE(jl_fusion_auto_replicas, replicas_rows);

static const struct jl_row requests_rows[] = {
    [JL_FUSION_REQUESTS_AGGREGATION] =
        JL_STRING(jl_fusion_auto_requests, aggregation_period, "aggregationPeriod",
                  .doc = "Duration of the usage that counts, such as 7d."),
    [JL_FUSION_REQUESTS_ENABLE] = JL_BOOLEAN(jl_fusion_auto_requests, enable, "enable",
                                             .doc = "Whether requests follow the usage."),
    [JL_FUSION_REQUESTS_PERIOD] =
        JL_STRING(jl_fusion_auto_requests, evaluation_period, "evaluationPeriod",
                  .doc = "Duration between two evaluations, such as 30m."),
    [JL_FUSION_REQUESTS_BUFFER] =
        JL_STRING(jl_fusion_auto_requests, extra_buffer_ratio, "extraBufferRatio",
                  .doc = "What the usage is raised by: 10% or a multiple such as 1.1."),
    [JL_FUSION_REQUESTS_PERCENTILE] =
        JL_STRING(jl_fusion_auto_requests, percentile, "percentileForAutoRequests",
                  .doc = "Percentile of the usage, such as 90%."),
    [JL_FUSION_REQUESTS_PREDICTION] =
        JL_OBJECT(jl_fusion_auto_requests, prediction, "prediction", &jl_fusion_prediction_table,
                  .doc = "How the layer looks ahead."),
    [JL_FUSION_REQUESTS_TARGET] =
        JL_STRING(jl_fusion_auto_requests, target_resource, "targetResource",
                  .doc = "tflops, vram or all; absent is all."),
};
static const struct jl_table requests_table = JL_TABLE(jl_fusion_auto_requests, requests_rows);

#define TEXT(bit, member, name, text) \
    [bit] = JL_STRING(jl_fusion_auto_resources, member, name, .flags = JL_LATER, .doc = text)

static const struct jl_row auto_resources_rows[] = {
    [JL_FUSION_RESOURCES_ENABLE] =
        JL_BOOLEAN(jl_fusion_auto_resources, enable, "enable", .flags = JL_LATER,
                   .doc = "Whether requests and limits follow the usage."),
    TEXT(JL_FUSION_RESOURCES_TARGET, target_resource, "targetResource",
         "compute, vram or all; a cluster of dialect C applies nothing without it."),
    TEXT(JL_FUSION_RESOURCES_TARGET_COMPUTE, target_compute_percentile, "targetComputePercentile",
         "Percentile of the TFLOPS for the request, 0.95 when absent."),
    TEXT(JL_FUSION_RESOURCES_LOWER_COMPUTE, lower_bound_compute_percentile,
         "lowerBoundComputePercentile", "Percentile of a low TFLOPS request, 0.5 when absent."),
    TEXT(JL_FUSION_RESOURCES_UPPER_COMPUTE, upper_bound_compute_percentile,
         "upperBoundComputePercentile", "Percentile of the TFLOPS limit, 0.99 when absent."),
    TEXT(JL_FUSION_RESOURCES_TARGET_VRAM, target_vram_percentile, "targetVRAMPercentile",
         "Percentile of the VRAM for the request, 0.98 when absent."),
    TEXT(JL_FUSION_RESOURCES_LOWER_VRAM, lower_bound_vram_percentile, "lowerBoundVRAMPercentile",
         "Percentile of a low VRAM request, 0.5 when absent."),
    TEXT(JL_FUSION_RESOURCES_UPPER_VRAM, upper_bound_vram_percentile, "upperBoundVRAMPercentile",
         "Percentile of the VRAM limit, 0.99 when absent."),
    TEXT(JL_FUSION_RESOURCES_MARGIN, margin_fraction, "marginFraction",
         "Fraction added to every percentile, 0.15 when absent."),
    TEXT(JL_FUSION_RESOURCES_THRESHOLD, update_threshold, "updateThreshold",
         "Relative change that is worth an update, 0.1 when absent; at most marginFraction."),
    TEXT(JL_FUSION_RESOURCES_HISTORY, history_data_period, "historyDataPeriod",
         "Go duration of the usage that counts, 2h when absent, at most 720h."),
    TEXT(JL_FUSION_RESOURCES_MIN_VRAM_RATIO, min_vram_resources_ratio, "minVRAMResourcesRatio",
         "Least VRAM request, as a multiple of the original one; 0.2 when absent."),
    TEXT(JL_FUSION_RESOURCES_MAX_VRAM_RATIO, max_vram_resources_ratio, "maxVRAMResourcesRatio",
         "Largest VRAM limit, as a multiple of the original one; 5 when absent."),
    TEXT(JL_FUSION_RESOURCES_MIN_COMPUTE_RATIO, min_compute_resources_ratio,
         "minComputeResourcesRatio",
         "Least TFLOPS request, as a multiple of the original one; 0.1 when absent."),
    TEXT(JL_FUSION_RESOURCES_MAX_COMPUTE_RATIO, max_compute_resources_ratio,
         "maxComputeResourcesRatio",
         "Largest TFLOPS limit, as a multiple of the original one; 10 when absent."),
    TEXT(JL_FUSION_RESOURCES_INITIAL_DELAY, initial_delay_period, "initialDelayPeriod",
         "Go duration before the first evaluation, 30m when absent."),
    TEXT(JL_FUSION_RESOURCES_INTERVAL, interval, "interval",
         "Go duration between two evaluations; the cluster's own when absent."),
    TEXT(JL_FUSION_RESOURCES_B_TARGET_TFLOPS, b_target_tflops_percentile, "targettflopspercentile",
         "Dialect B: percentile of the TFLOPS for the request, 0.9 when absent."),
    TEXT(JL_FUSION_RESOURCES_B_LOWER_TFLOPS, b_lower_bound_tflops_percentile,
         "lowerboundtflopspercentile",
         "Dialect B: percentile of a low TFLOPS request, 0.5 when absent."),
    TEXT(JL_FUSION_RESOURCES_B_UPPER_TFLOPS, b_upper_bound_tflops_percentile,
         "upperboundtflopspercentile", "Dialect B: percentile of the limit, 0.95 when absent."),
    TEXT(JL_FUSION_RESOURCES_B_TARGET_VRAM, b_target_vram_percentile, "targetvrampercentile",
         "Dialect B: percentile of the VRAM for the request, 0.9 when absent."),
    TEXT(JL_FUSION_RESOURCES_B_LOWER_VRAM, b_lower_bound_vram_percentile,
         "lowerboundvrampercentile",
         "Dialect B: percentile of a low VRAM request, 0.5 when absent."),
    TEXT(JL_FUSION_RESOURCES_B_UPPER_VRAM, b_upper_bound_vram_percentile,
         "upperboundvrampercentile", "Dialect B: percentile of the VRAM limit, 0.95 when absent."),
    TEXT(JL_FUSION_RESOURCES_B_MARGIN, b_request_margin_fraction, "requestMarginFraction",
         "Dialect B: fraction added to every percentile, 0.15 when absent."),
    TEXT(JL_FUSION_RESOURCES_B_CONFIDENCE, b_confidence_interval, "confidenceInterval",
         "Dialect B: Go duration of history that is trusted fully, 24h when absent."),
    TEXT(JL_FUSION_RESOURCES_B_HISTORY, b_history_length, "historyLength",
         "Dialect B: duration of the history; never read by its operator."),
    TEXT(JL_FUSION_RESOURCES_B_RESOLUTION, b_history_resolution, "historyResolution",
         "Dialect B: duration of one point of history; never read by its operator."),
};
static const struct jl_table auto_resources_table =
    JL_TABLE(jl_fusion_auto_resources, auto_resources_rows);

static const struct jl_row cron_rows[] = {
    [JL_FUSION_CRON_ENABLE] = JL_BOOLEAN(jl_fusion_cron_rule, enable, "enable", .flags = JL_LATER,
                                         .doc = "Whether the rule counts."),
    [JL_FUSION_CRON_NAME] = JL_STRING(jl_fusion_cron_rule, name, "name", .flags = JL_LATER,
                                      .doc = "Name of the rule; one without it does not count."),
    [JL_FUSION_CRON_START] = JL_STRING(jl_fusion_cron_rule, start, "start", .flags = JL_LATER,
                                       .doc = "Cron expression of when it begins."),
    [JL_FUSION_CRON_END] = JL_STRING(jl_fusion_cron_rule, end, "end", .flags = JL_LATER,
                                     .doc = "Cron expression of when it ends."),
    [JL_FUSION_CRON_RESOURCES] = JL_OBJECT(
        jl_fusion_cron_rule, desired_resources, "desiredResources", &jl_fusion_resources_table,
        .flags = JL_LATER, .doc = "Requests and limits in between."),
    [JL_FUSION_CRON_REPLICAS] = JL_INTEGER(
        jl_fusion_cron_rule, desired_replicas, "desiredReplicas", .flags = JL_LATER | JL_INT32,
        .doc = "Dialect B: workers in between; never read by its operator."),
};
const struct jl_table jl_fusion_cron_rule_table = JL_TABLE(jl_fusion_cron_rule, cron_rows);

static const struct jl_row secret_rows[] = {
    [JL_FUSION_SECRET_NAME] = JL_STRING(jl_fusion_secret_ref, name, "name", .flags = JL_LATER,
                                        .doc = "Name of the Secret."),
    [JL_FUSION_SECRET_NAMESPACE] = JL_STRING(jl_fusion_secret_ref, name_space, "namespace",
                                             .flags = JL_LATER, .doc = "Namespace of the Secret."),
};
static const struct jl_table secret_table =
    JL_TABLE(jl_fusion_secret_ref, secret_rows, .flags = JL_ATOMIC_MAP);

static const struct jl_row external_rows[] = {
    [JL_FUSION_EXTERNAL_ENABLE] = JL_BOOLEAN(jl_fusion_external, enable, "enable",
                                             .flags = JL_LATER, .doc = "Whether it is asked."),
    [JL_FUSION_EXTERNAL_URL] = JL_STRING(jl_fusion_external, url, "url", .flags = JL_LATER,
                                         .doc = "Address that is asked for a recommendation."),
    [JL_FUSION_EXTERNAL_INITIAL_DELAY] =
        JL_STRING(jl_fusion_external, initial_delay_period, "initialDelayPeriod", .flags = JL_LATER,
                  .doc = "Go duration before it is asked, 30m when absent."),
    [JL_FUSION_EXTERNAL_INTERVAL] =
        JL_STRING(jl_fusion_external, interval, "interval", .flags = JL_LATER,
                  .doc = "Go duration between two questions."),
    [JL_FUSION_EXTERNAL_SECRET] =
        JL_OBJECT(jl_fusion_external, api_key_secret_ref, "apiKeySecretRef", &secret_table,
                  .flags = JL_LATER, .doc = "Secret with the key that is sent along."),
};
static const struct jl_table external_table = JL_TABLE(jl_fusion_external, external_rows);

static const struct jl_row autoscaling_rows[] = {
    [JL_FUSION_AUTO_LIMITS] =
        JL_OBJECT(jl_fusion_autoscaling, limits, "autoSetLimits", &limits_table,
                  .doc = "Limits follow short bursts on the card, dialect A."),
    [JL_FUSION_AUTO_REPLICAS] =
        JL_OBJECT(jl_fusion_autoscaling, replicas, "autoSetReplicas", &replicas_table,
                  .doc = "Workers come and go once limits are at their maximum, dialects A and B."),
    [JL_FUSION_AUTO_REQUESTS] =
        JL_OBJECT(jl_fusion_autoscaling, requests, "autoSetRequests", &requests_table,
                  .doc = "Requests follow the usage of days, dialect A."),
    [JL_FUSION_AUTO_RESOURCES] =
        JL_OBJECT(jl_fusion_autoscaling, resources, "autoSetResources", &auto_resources_table,
                  .flags = JL_LATER, .doc = "Requests and limits at once, dialects B and C."),
    [JL_FUSION_AUTO_CRON_RULES] =
        JL_LIST(jl_fusion_autoscaling, cron_rules, "cronScalingRules", &jl_fusion_cron_rule_table,
                .flags = JL_LATER, .doc = "Resources by the clock, dialects B and C."),
    [JL_FUSION_AUTO_EXTERNAL] =
        JL_OBJECT(jl_fusion_autoscaling, external, "externalScaler", &external_table,
                  .flags = JL_LATER, .doc = "A recommender elsewhere, dialect C."),
};
const struct jl_table jl_fusion_autoscaling_table =
    JL_TABLE(jl_fusion_autoscaling, autoscaling_rows);

/* ---- rules that are judged one by one ---- */

/* Any object. */
static const struct jl_table unread_rule_table = { .name = "jl_fusion_unread_rule",
                                                   .size = sizeof(struct jl_fusion_unread_rule),
                                                   .flags = JL_OPEN };

const struct jl_table *jl_fusion_rules_unread(const struct jl_table *table, struct jl_arena *arena)
{
    struct jl_table *copy = JL_NEW(arena, struct jl_table);
    struct jl_row *rows = JL_NEW_ARRAY(arena, table->count, struct jl_row);
    if (copy == NULL || rows == NULL)
        return NULL;
    *copy = *table;
    copy->rows = rows;
    for (uint32_t i = 0; i < table->count; i++) {
        rows[i] = table->rows[i];
        if (rows[i].child == &jl_fusion_cron_rule_table)
            rows[i].child = &unread_rule_table;
        else if (rows[i].child == &jl_fusion_spec_table ||
                 rows[i].child == &jl_fusion_autoscaling_table)
            rows[i].child = jl_fusion_rules_unread(rows[i].child, arena);
        if (table->rows[i].child != NULL && rows[i].child == NULL)
            return NULL;
    }
    return copy;
}
