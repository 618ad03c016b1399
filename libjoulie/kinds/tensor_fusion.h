/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * WorkloadProfile and TensorFusionWorkload of tensor-fusion.ai/v1
 * (docs/rules/tensor-fusion.md#spec), which share their spec. Three shapes of it, "dialects", go
 * under one apiVersion: A (the seed), B and C (what today's clusters run). The tables are their
 * union; which members one object may have is judged by tensor_fusion/validate.h. Members of B and
 * C have the property LATER.
 *
 * Quantities are text as it stands in the document; zero means unset.
 */

#include <joulie/tensor_fusion_v1.h>

#include "kinds/meta.h"
#include "kinds/node_affinity.h"

#define JL_FUSION_GROUP "tensor-fusion.ai"
#define JL_FUSION_API_VERSION JL_FUSION_GROUP "/v1"

enum jl_fusion_gang_mode { JL_FUSION_GANG_MODE_UNKNOWN, JL_FUSION_GANG_MODE_STRICT };

extern const struct jl_words jl_fusion_qos_words;
extern const struct jl_words jl_fusion_isolation_words;
extern const struct jl_words jl_fusion_target_words; /* of texts that are no enum in the CRD */
extern const struct jl_words jl_fusion_gang_mode_words;

extern const struct jl_kind jl_fusion_profile_kind;
extern const struct jl_kind jl_fusion_workload_kind;

#ifdef JL_TENSOR_FUSION_TABLES
#define RECORD_TABLES
#endif

/* of one GPU of one worker */
#define RECORD jl_fusion_amounts
#define MEMBERS                                                                               \
    QUANTITY(tflops, "tflops", "FP16 TFLOPS of one worker on one GPU; 0 is unset.", REQUIRED, \
             NOT_NEGATIVE)                                                                    \
    QUANTITY(vram, "vram", "Bytes of video memory of one worker on one GPU; 0 is unset.",     \
             REQUIRED, NOT_NEGATIVE)                                                          \
    QUANTITY(compute, "compute", "Percent of one GPU, instead of tflops; dialect C.", LATER,  \
             BETWEEN(0, 100))
#include "schema/shared_record.h"

#define RECORD jl_fusion_resources
#define MEMBERS                                                                             \
    OBJECT(limits, "limits", jl_fusion_amounts, "What a worker may use at most.", REQUIRED) \
    OBJECT(requests, "requests", jl_fusion_amounts, "What a worker is promised.", REQUIRED)
#include "schema/shared_record.h"

#define RECORD jl_fusion_prediction
#define MEMBERS                                                          \
    BOOLEAN(enable, "enable", "Whether the layer looks ahead.")          \
    STRING(history_data_period, "historyDataPeriod",                     \
           "Duration of the history that the model sees, at most 720h.") \
    STRING(model, "model", "Name of the model; absent is auto.")         \
    STRING(prediction_period, "predictionPeriod", "Duration to look ahead.")
#include "schema/shared_record.h"

/* dialect A; texts are durations and ratios (docs/rules/tensor-fusion.md#ratios) */
#define RECORD jl_fusion_auto_limits
#define MEMBERS                                                                          \
    BOOLEAN(enable, "enable", "Whether limits follow the usage.")                        \
    STRING(evaluation_period, "evaluationPeriod",                                        \
           "Duration between two evaluations, such as 10s.")                             \
    STRING(extra_tflops_buffer_ratio, "extraTFlopsBufferRatio",                          \
           "Fraction added to the usage, such as 20%.")                                  \
    STRING(ignored_delta_range, "ignoredDeltaRange",                                     \
           "Relative change that is not worth an update, such as 5%.")                   \
    STRING(max_ratio_to_requests, "maxRatioToRequests",                                  \
           "Multiple of the requests that limits stay below, such as 5.0.")              \
    OBJECT(prediction, "prediction", jl_fusion_prediction, "How the layer looks ahead.") \
    STRING(scale_up_step, "scaleUpStep",                                                 \
           "Growth of a saturated limit, such as 200%, which doubles it.")               \
    STRING(target_resource, "targetResource", "tflops, vram or all; absent is all.")
#include "schema/shared_record.h"

/* A, B */
#define RECORD jl_fusion_auto_replicas
#define MEMBERS                                                                       \
    BOOLEAN(enable, "enable", "Whether the number of workers follows the usage.")     \
    STRING(evaluation_period, "evaluationPeriod",                                     \
           "Duration between two evaluations, such as 30s.")                          \
    STRING(scale_down_cool_down_time, "scaleDownCoolDownTime",                        \
           "Duration without a change before workers go, such as 5m.")                \
    STRING(scale_down_step, "scaleDownStep",                                          \
           "Workers that go at most: a fraction such as 10%, or a number of them.")   \
    STRING(scale_up_cool_down_time, "scaleUpCoolDownTime",                            \
           "Duration without a change before workers come, such as 1m.")              \
    STRING(scale_up_step, "scaleUpStep",                                              \
           "Workers that come at most: a fraction such as 30%, or a number of them.") \
    STRING(target_tflops_of_limits, "targetTFlopsOfLimits",                           \
           "Fraction of the limits that the usage should have, such as 95%.")
#include "schema/shared_record.h"

/* A */
#define RECORD jl_fusion_auto_requests
#define MEMBERS                                                                              \
    STRING(aggregation_period, "aggregationPeriod",                                          \
           "Duration of the usage that counts, such as 7d.")                                 \
    BOOLEAN(enable, "enable", "Whether requests follow the usage.")                          \
    STRING(evaluation_period, "evaluationPeriod",                                            \
           "Duration between two evaluations, such as 30m.")                                 \
    STRING(extra_buffer_ratio, "extraBufferRatio",                                           \
           "What the usage is raised by: 10% or a multiple such as 1.1.")                    \
    STRING(percentile, "percentileForAutoRequests", "Percentile of the usage, such as 90%.") \
    OBJECT(prediction, "prediction", jl_fusion_prediction, "How the layer looks ahead.")     \
    STRING(target_resource, "targetResource", "tflops, vram or all; absent is all.")
#include "schema/shared_record.h"

/* C and B; decimals */
#define RECORD jl_fusion_auto_resources
#define MEMBERS                                                                                 \
    BOOLEAN(enable, "enable", "Whether requests and limits follow the usage.", LATER)           \
    STRING(target_resource, "targetResource",                                                   \
           "compute, vram or all; a cluster of dialect C applies nothing without it.", LATER)   \
    /* C alone, down to interval */                                                             \
    STRING(target_compute_percentile, "targetComputePercentile",                                \
           "Percentile of the TFLOPS for the request, 0.95 when absent.", LATER)                \
    STRING(lower_bound_compute_percentile, "lowerBoundComputePercentile",                       \
           "Percentile of a low TFLOPS request, 0.5 when absent.", LATER)                       \
    STRING(upper_bound_compute_percentile, "upperBoundComputePercentile",                       \
           "Percentile of the TFLOPS limit, 0.99 when absent.", LATER)                          \
    STRING(target_vram_percentile, "targetVRAMPercentile",                                      \
           "Percentile of the VRAM for the request, 0.98 when absent.", LATER)                  \
    STRING(lower_bound_vram_percentile, "lowerBoundVRAMPercentile",                             \
           "Percentile of a low VRAM request, 0.5 when absent.", LATER)                         \
    STRING(upper_bound_vram_percentile, "upperBoundVRAMPercentile",                             \
           "Percentile of the VRAM limit, 0.99 when absent.", LATER)                            \
    STRING(margin_fraction, "marginFraction",                                                   \
           "Fraction added to every percentile, 0.15 when absent.", LATER)                      \
    STRING(update_threshold, "updateThreshold",                                                 \
           "Relative change that is worth an update, 0.1 when absent; at most marginFraction.", \
           LATER)                                                                               \
    STRING(history_data_period, "historyDataPeriod",                                            \
           "Go duration of the usage that counts, 2h when absent, at most 720h.", LATER)        \
    STRING(min_vram_resources_ratio, "minVRAMResourcesRatio",                                   \
           "Least VRAM request, as a multiple of the original one; 0.2 when absent.", LATER)    \
    STRING(max_vram_resources_ratio, "maxVRAMResourcesRatio",                                   \
           "Largest VRAM limit, as a multiple of the original one; 5 when absent.", LATER)      \
    STRING(min_compute_resources_ratio, "minComputeResourcesRatio",                             \
           "Least TFLOPS request, as a multiple of the original one; 0.1 when absent.", LATER)  \
    STRING(max_compute_resources_ratio, "maxComputeResourcesRatio",                             \
           "Largest TFLOPS limit, as a multiple of the original one; 10 when absent.", LATER)   \
    STRING(initial_delay_period, "initialDelayPeriod",                                          \
           "Go duration before the first evaluation, 30m when absent.", LATER)                  \
    STRING(interval, "interval",                                                                \
           "Go duration between two evaluations; the cluster's own when absent.", LATER)        \
    /* B alone, down to the end */                                                              \
    STRING(b_target_tflops_percentile, "targettflopspercentile",                                \
           "Dialect B: percentile of the TFLOPS for the request, 0.9 when absent.", LATER)      \
    STRING(b_lower_bound_tflops_percentile, "lowerboundtflopspercentile",                       \
           "Dialect B: percentile of a low TFLOPS request, 0.5 when absent.", LATER)            \
    STRING(b_upper_bound_tflops_percentile, "upperboundtflopspercentile",                       \
           "Dialect B: percentile of the limit, 0.95 when absent.", LATER)                      \
    STRING(b_target_vram_percentile, "targetvrampercentile",                                    \
           "Dialect B: percentile of the VRAM for the request, 0.9 when absent.", LATER)        \
    STRING(b_lower_bound_vram_percentile, "lowerboundvrampercentile",                           \
           "Dialect B: percentile of a low VRAM request, 0.5 when absent.", LATER)              \
    STRING(b_upper_bound_vram_percentile, "upperboundvrampercentile",                           \
           "Dialect B: percentile of the VRAM limit, 0.95 when absent.", LATER)                 \
    STRING(b_request_margin_fraction, "requestMarginFraction",                                  \
           "Dialect B: fraction added to every percentile, 0.15 when absent.", LATER)           \
    STRING(b_confidence_interval, "confidenceInterval",                                         \
           "Dialect B: Go duration of history that is trusted fully, 24h when absent.", LATER)  \
    STRING(b_history_length, "historyLength",                                                   \
           "Dialect B: duration of the history; never read by its operator.", LATER)            \
    STRING(b_history_resolution, "historyResolution",                                           \
           "Dialect B: duration of one point of history; never read by its operator.", LATER)
#include "schema/shared_record.h"

/* B, C */
#define RECORD jl_fusion_cron_rule
#define MEMBERS                                                                     \
    BOOLEAN(enable, "enable", "Whether the rule counts.", LATER)                    \
    STRING(name, "name", "Name of the rule; one without it does not count.", LATER) \
    STRING(start, "start", "Cron expression of when it begins.", LATER)             \
    STRING(end, "end", "Cron expression of when it ends.", LATER)                   \
    OBJECT(desired_resources, "desiredResources", jl_fusion_resources,              \
           "Requests and limits in between.", LATER)                                \
    INTEGER(desired_replicas, "desiredReplicas",                                    \
            "Dialect B: workers in between; never read by its operator.", LATER, AS_INT32)
#include "schema/shared_record.h"

#define RECORD jl_fusion_secret_ref
#define MEMBERS                                        \
    STRING(name, "name", "Name of the Secret.", LATER) \
    STRING(name_space, "namespace", "Namespace of the Secret.", LATER)
#define ABOUT .flags = JL_ATOMIC_MAP
#include "schema/shared_record.h"

/* C */
#define RECORD jl_fusion_external
#define MEMBERS                                                               \
    BOOLEAN(enable, "enable", "Whether it is asked.", LATER)                  \
    STRING(url, "url", "Address that is asked for a recommendation.", LATER)  \
    STRING(initial_delay_period, "initialDelayPeriod",                        \
           "Go duration before it is asked, 30m when absent.", LATER)         \
    STRING(interval, "interval", "Go duration between two questions.", LATER) \
    OBJECT(api_key_secret_ref, "apiKeySecretRef", jl_fusion_secret_ref,       \
           "Secret with the key that is sent along.", LATER)
#include "schema/shared_record.h"

#define RECORD jl_fusion_autoscaling
#define MEMBERS                                                                                   \
    OBJECT(limits, "autoSetLimits", jl_fusion_auto_limits,                                        \
           "Limits follow short bursts on the card, dialect A.")                                  \
    OBJECT(replicas, "autoSetReplicas", jl_fusion_auto_replicas,                                  \
           "Workers come and go once limits are at their maximum, dialects A and B.")             \
    OBJECT(requests, "autoSetRequests", jl_fusion_auto_requests,                                  \
           "Requests follow the usage of days, dialect A.")                                       \
    OBJECT(resources, "autoSetResources", jl_fusion_auto_resources,                               \
           "Requests and limits at once, dialects B and C.", LATER)                               \
    LIST(cron_rules, "cronScalingRules", jl_fusion_cron_rule,                                     \
         "Resources by the clock, dialects B and C.", LATER)                                      \
    OBJECT(external, "externalScaler", jl_fusion_external, "A recommender elsewhere, dialect C.", \
           LATER)
#include "schema/shared_record.h"

/* C */
#define RECORD jl_fusion_gang
#define MEMBERS                                                                                    \
    INTEGER(min_members, "minMembers",                                                             \
            "Workers that start together: 0 (no gang) or 2 and more, not more than replicas.",     \
            LATER, AS_INT32, AT_LEAST(0))                                                          \
    ENUM(mode, "mode", jl_fusion_gang_mode, jl_fusion_gang_mode_words, "How strictly they do so.", \
         LATER)                                                                                    \
    STRING(timeout, "timeout", "Duration to wait for all of them; 0s or absent is forever.", LATER)
#include "schema/shared_record.h"

#define RECORD jl_fusion_spec
#define MEMBERS                                                                                    \
    OBJECT(autoscaling, "autoScalingConfig", jl_fusion_autoscaling,                                \
           "What the autoscaler may change, instead of the pool's configuration.")                 \
    INTEGER(gpu_count, "gpuCount",                                                                 \
            "GPUs of one worker; 0 or absent is 1, dialect C takes 1 to 128.", AS_INT32,           \
            NOT_NEGATIVE)                                                                          \
    STRING(gpu_model, "gpuModel", "Model that the GPUs must have, such as A100.")                  \
    BOOLEAN(is_local_gpu, "isLocalGPU", "Whether the workload runs on the GPU server itself.")     \
    OBJECT(node_affinity, "nodeAffinity", jl_profile_affinity,                                     \
           "Nodes that the workers must or should be on.")                                         \
    STRING(pool_name, "poolName", "Name of the GPUPool.")                                          \
    ENUM(qos, "qos", joulie_tensor_fusion_qos, jl_fusion_qos_words,                                \
         "Class of service; absent is given by the admission.")                                    \
    INTEGER(replicas, "replicas",                                                                  \
            "Workers; absent follows the pending pods, a local GPU ignores it.", AS_INT32,         \
            NOT_NEGATIVE)                                                                          \
    OBJECT(resources, "resources", jl_fusion_resources,                                            \
           "Requests and limits of one worker on one GPU.")                                        \
    /* C alone, from here on */                                                                    \
    BOOLEAN(sidecar_worker, "sidecarWorker",                                                       \
            "Whether the worker is a sidecar, which implies a local GPU; dialect C.", LATER)       \
    ENUM(isolation, "isolation", joulie_tensor_fusion_isolation, jl_fusion_isolation_words,        \
         "How workers on one GPU are kept apart; dialect C.", LATER)                               \
    STRING(partition_template_id, "partitionTemplateId",                                           \
           "Hardware partition, with isolation partitioned; dialect C.", LATER)                    \
    NUMBERS(gpu_indices, "gpuIndices", "Indices of the node's GPUs to use; dialect C.", LATER,     \
            AS_INT32, NOT_NEGATIVE)                                                                \
    STRING(vendor, "vendor", "Vendor that the GPUs must have; dialect C.", LATER)                  \
    RAW(worker_pod_template, "workerPodTemplate", "Template of remote workers; dialect C.", LATER, \
        ANY_MEMBERS)                                                                               \
    OBJECT(gang, "gangScheduling", jl_fusion_gang,                                                 \
           "Workers that start together or not at all; dialect C.", LATER)
#include "schema/shared_record.h"

struct jl_fusion_no_status { /* a WorkloadProfile's is empty */
    uint64_t has;
};
extern const struct jl_table jl_fusion_no_status_table;

/* bits: JL_ROOT_* */
#define RECORD jl_fusion_profile
#define MEMBERS                                                               \
    JL_ROOT_MEMBERS()                                                         \
    OBJECT(spec, "spec", jl_fusion_spec, "What workers of this profile get.") \
    OBJECT(status, "status", jl_fusion_no_status, "Empty: a profile is only a preset.")
#define ABOUT                                                                         \
    .kind = &jl_fusion_profile_kind,                                                  \
    .doc = "A named preset of vGPU workloads: GPUs, resources, class of service and " \
           "autoscaling."
#include "schema/shared_record.h"

#define RECORD jl_fusion_condition
#define MEMBERS                                                                         \
    STRING(type, "type", "What it is about: ResourceUpdate or RecommendationProvided.") \
    STRING(status, "status", "True, False or Unknown.")                                 \
    STRING(reason, "reason", "One word, why.")                                          \
    STRING(message, "message", "The same for a person.")
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

/* what the autoscaler writes and reads */
#define RECORD jl_fusion_workload_status
#define MEMBERS                                                                                    \
    OBJECT(recommendation, "recommendation", jl_fusion_resources,                                  \
           "What the autoscaler recommends.")                                                      \
    INTEGER(applied_recommended_replicas, "appliedRecommendedReplicas",                            \
            "Workers that have what is recommended.", AS_INT32)                                    \
    STRING(active_cron_scaling_rule, "activeCronScalingRule", "Name of the rule that is active.")  \
    LIST(conditions, "conditions", jl_fusion_condition, "What became of the last recommendation.") \
    INTEGER(worker_count, "workerCount", "Workers that there are.", AS_INT32)
#define ABOUT .flags = JL_OPEN
#include "schema/shared_record.h"

/* bits: JL_ROOT_*; begins as a jl_fusion_profile does */
#define RECORD jl_fusion_workload
#define MEMBERS                                                                            \
    JL_ROOT_MEMBERS()                                                                      \
    OBJECT(spec, "spec", jl_fusion_spec, "What the workers get, as in a WorkloadProfile.") \
    OBJECT(status, "status", jl_fusion_workload_status, "What the autoscaler has made of it.")
#define ABOUT                         \
    .kind = &jl_fusion_workload_kind, \
    .doc = "A workload of vGPU workers; of its status the members that decisions read."
#include "schema/shared_record.h"

#undef RECORD_TABLES

struct jl_fusion_unread_rule {
    uint64_t has;
};

/*
 * The table of a profile, a workload or an autoScalingConfig, in the arena, with cron rules that
 * may be any objects: an autoscaler disables a bad rule by itself
 * (docs/rules/autoscaling-triggers.md#cron-rules). Nobody may read the rules of what it decodes.
 * NULL when memory ran out.
 */
const struct jl_table *jl_fusion_rules_unread(const struct jl_table *table, struct jl_arena *arena);
