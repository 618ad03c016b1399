/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_TENSOR_FUSION_V1_H
#define JOULIE_TENSOR_FUSION_V1_H
#pragma once

/**
 * @file
 * Kinds of tensor-fusion.ai/v1, another project's: WorkloadProfile, a named preset of vGPU
 * workloads, and TensorFusionWorkload, which has the same spec. Their names, the paths of their
 * members, and a flat view of the spec.
 *
 * Joulie has a WorkloadProfile of its own (<joulie/v1alpha1.h>), with the same plural name.
 * Programs have to say which one they mean: joulie_object_parse() goes by the document's
 * apiVersion, and where a kind is given by name, this one is "workloadprofile.tensor-fusion.ai".
 *
 * Three shapes of the spec have been released under this one apiVersion. They differ below
 * spec.autoScalingConfig: A has autoSetLimits, autoSetReplicas and autoSetRequests; B has
 * autoSetResources with keys in lower case; C has autoSetResources, cronScalingRules and
 * externalScaler, and more members of spec. A cluster serves one of them and drops the members of
 * the others without a word, unless they are sent with fieldValidation=Strict. Reading takes all
 * of them; joulie_object_validate() refuses members that the object's own dialect does not have.
 *
 * A member without its bit in `has` is 0 or NULL, and unknown. One that has its bit and an enum
 * value of 0 stands in the document with a word that this library does not know. A quantity that
 * cannot be read has the bit of its text only.
 */

#include <joulie/object.h>
#include <joulie/words.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JOULIE_TENSOR_FUSION_V1_GROUP "tensor-fusion.ai"
#define JOULIE_TENSOR_FUSION_V1_API_VERSION "tensor-fusion.ai/v1"

#define JOULIE_TENSOR_FUSION_V1_KIND_WORKLOAD_PROFILE "WorkloadProfile"
#define JOULIE_TENSOR_FUSION_V1_KIND_TENSOR_FUSION_WORKLOAD "TensorFusionWorkload"

/** How important a worker is to the others on its GPU, in rising order (spec.qos). */
enum joulie_tensor_fusion_qos {
    JOULIE_TENSOR_FUSION_QOS_UNKNOWN = 0,
    JOULIE_TENSOR_FUSION_QOS_LOW = 1,
    JOULIE_TENSOR_FUSION_QOS_MEDIUM = 2,
    JOULIE_TENSOR_FUSION_QOS_HIGH = 3,
    JOULIE_TENSOR_FUSION_QOS_CRITICAL = 4
};

/** How workers on one GPU are kept apart (spec.isolation of dialect C). */
enum joulie_tensor_fusion_isolation {
    JOULIE_TENSOR_FUSION_ISOLATION_UNKNOWN = 0,
    JOULIE_TENSOR_FUSION_ISOLATION_SHARED = 1,     /**< no limits, time slices */
    JOULIE_TENSOR_FUSION_ISOLATION_SOFT = 2,       /**< controlled time slices, the default */
    JOULIE_TENSOR_FUSION_ISOLATION_HARD = 3,       /**< multiprocessors of its own */
    JOULIE_TENSOR_FUSION_ISOLATION_PARTITIONED = 4 /**< a slice of the hardware */
};

/** What an autoscaling layer changes (targetResource). */
enum joulie_tensor_fusion_target {
    JOULIE_TENSOR_FUSION_TARGET_UNKNOWN = 0,
    JOULIE_TENSOR_FUSION_TARGET_ALL = 1,
    JOULIE_TENSOR_FUSION_TARGET_TFLOPS = 2,
    JOULIE_TENSOR_FUSION_TARGET_VRAM = 3,
    JOULIE_TENSOR_FUSION_TARGET_COMPUTE = 4 /**< the word of dialect C for TFLOPS */
};

/* Paths of both kinds; below a list follow an index and the member: [0].… Members of
 * autoScalingConfig go without its name. Those of status are a workload's. */
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SCALING_CONFIG "spec.autoScalingConfig"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS "spec.autoScalingConfig.autoSetLimits"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_ENABLE \
    "spec.autoScalingConfig.autoSetLimits.enable"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_EVALUATION_PERIOD \
    "spec.autoScalingConfig.autoSetLimits.evaluationPeriod"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_EXTRA_TFLOPS_BUFFER_RATIO \
    "spec.autoScalingConfig.autoSetLimits.extraTFlopsBufferRatio"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_IGNORED_DELTA_RANGE \
    "spec.autoScalingConfig.autoSetLimits.ignoredDeltaRange"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_MAX_RATIO_TO_REQUESTS \
    "spec.autoScalingConfig.autoSetLimits.maxRatioToRequests"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION \
    "spec.autoScalingConfig.autoSetLimits.prediction"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION_ENABLE \
    "spec.autoScalingConfig.autoSetLimits.prediction.enable"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION_HISTORY_DATA_PERIOD \
    "spec.autoScalingConfig.autoSetLimits.prediction.historyDataPeriod"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION_MODEL \
    "spec.autoScalingConfig.autoSetLimits.prediction.model"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION_PREDICTION_PERIOD \
    "spec.autoScalingConfig.autoSetLimits.prediction.predictionPeriod"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_SCALE_UP_STEP \
    "spec.autoScalingConfig.autoSetLimits.scaleUpStep"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_TARGET_RESOURCE \
    "spec.autoScalingConfig.autoSetLimits.targetResource"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS "spec.autoScalingConfig.autoSetReplicas"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_ENABLE \
    "spec.autoScalingConfig.autoSetReplicas.enable"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_EVALUATION_PERIOD \
    "spec.autoScalingConfig.autoSetReplicas.evaluationPeriod"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_SCALE_DOWN_COOL_DOWN_TIME \
    "spec.autoScalingConfig.autoSetReplicas.scaleDownCoolDownTime"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_SCALE_DOWN_STEP \
    "spec.autoScalingConfig.autoSetReplicas.scaleDownStep"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_SCALE_UP_COOL_DOWN_TIME \
    "spec.autoScalingConfig.autoSetReplicas.scaleUpCoolDownTime"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_SCALE_UP_STEP \
    "spec.autoScalingConfig.autoSetReplicas.scaleUpStep"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_TARGET_TFLOPS_OF_LIMITS \
    "spec.autoScalingConfig.autoSetReplicas.targetTFlopsOfLimits"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS "spec.autoScalingConfig.autoSetRequests"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_AGGREGATION_PERIOD \
    "spec.autoScalingConfig.autoSetRequests.aggregationPeriod"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_ENABLE \
    "spec.autoScalingConfig.autoSetRequests.enable"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_EVALUATION_PERIOD \
    "spec.autoScalingConfig.autoSetRequests.evaluationPeriod"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_EXTRA_BUFFER_RATIO \
    "spec.autoScalingConfig.autoSetRequests.extraBufferRatio"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PERCENTILE_FOR_AUTO_REQUESTS \
    "spec.autoScalingConfig.autoSetRequests.percentileForAutoRequests"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION \
    "spec.autoScalingConfig.autoSetRequests.prediction"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION_ENABLE \
    "spec.autoScalingConfig.autoSetRequests.prediction.enable"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION_HISTORY_DATA_PERIOD \
    "spec.autoScalingConfig.autoSetRequests.prediction.historyDataPeriod"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION_MODEL \
    "spec.autoScalingConfig.autoSetRequests.prediction.model"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION_PREDICTION_PERIOD \
    "spec.autoScalingConfig.autoSetRequests.prediction.predictionPeriod"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_TARGET_RESOURCE \
    "spec.autoScalingConfig.autoSetRequests.targetResource"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES "spec.autoScalingConfig.autoSetResources"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_ENABLE \
    "spec.autoScalingConfig.autoSetResources.enable"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGET_RESOURCE \
    "spec.autoScalingConfig.autoSetResources.targetResource"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGET_COMPUTE_PERCENTILE \
    "spec.autoScalingConfig.autoSetResources.targetComputePercentile"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_LOWER_BOUND_COMPUTE_PERCENTILE \
    "spec.autoScalingConfig.autoSetResources.lowerBoundComputePercentile"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPPER_BOUND_COMPUTE_PERCENTILE \
    "spec.autoScalingConfig.autoSetResources.upperBoundComputePercentile"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGET_VRAM_PERCENTILE \
    "spec.autoScalingConfig.autoSetResources.targetVRAMPercentile"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_LOWER_BOUND_VRAM_PERCENTILE \
    "spec.autoScalingConfig.autoSetResources.lowerBoundVRAMPercentile"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPPER_BOUND_VRAM_PERCENTILE \
    "spec.autoScalingConfig.autoSetResources.upperBoundVRAMPercentile"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MARGIN_FRACTION \
    "spec.autoScalingConfig.autoSetResources.marginFraction"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPDATE_THRESHOLD \
    "spec.autoScalingConfig.autoSetResources.updateThreshold"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_HISTORY_DATA_PERIOD \
    "spec.autoScalingConfig.autoSetResources.historyDataPeriod"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MIN_VRAM_RESOURCES_RATIO \
    "spec.autoScalingConfig.autoSetResources.minVRAMResourcesRatio"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MAX_VRAM_RESOURCES_RATIO \
    "spec.autoScalingConfig.autoSetResources.maxVRAMResourcesRatio"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MIN_COMPUTE_RESOURCES_RATIO \
    "spec.autoScalingConfig.autoSetResources.minComputeResourcesRatio"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MAX_COMPUTE_RESOURCES_RATIO \
    "spec.autoScalingConfig.autoSetResources.maxComputeResourcesRatio"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_INITIAL_DELAY_PERIOD \
    "spec.autoScalingConfig.autoSetResources.initialDelayPeriod"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_INTERVAL \
    "spec.autoScalingConfig.autoSetResources.interval"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGETTFLOPSPERCENTILE \
    "spec.autoScalingConfig.autoSetResources.targettflopspercentile"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_LOWERBOUNDTFLOPSPERCENTILE \
    "spec.autoScalingConfig.autoSetResources.lowerboundtflopspercentile"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPPERBOUNDTFLOPSPERCENTILE \
    "spec.autoScalingConfig.autoSetResources.upperboundtflopspercentile"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGETVRAMPERCENTILE \
    "spec.autoScalingConfig.autoSetResources.targetvrampercentile"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_LOWERBOUNDVRAMPERCENTILE \
    "spec.autoScalingConfig.autoSetResources.lowerboundvrampercentile"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPPERBOUNDVRAMPERCENTILE \
    "spec.autoScalingConfig.autoSetResources.upperboundvrampercentile"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_REQUEST_MARGIN_FRACTION \
    "spec.autoScalingConfig.autoSetResources.requestMarginFraction"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_CONFIDENCE_INTERVAL \
    "spec.autoScalingConfig.autoSetResources.confidenceInterval"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_HISTORY_LENGTH \
    "spec.autoScalingConfig.autoSetResources.historyLength"
#define JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_HISTORY_RESOLUTION \
    "spec.autoScalingConfig.autoSetResources.historyResolution"
#define JOULIE_TENSOR_FUSION_V1_SPEC_CRON_SCALING_RULES "spec.autoScalingConfig.cronScalingRules"
#define JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER "spec.autoScalingConfig.externalScaler"
#define JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_ENABLE \
    "spec.autoScalingConfig.externalScaler.enable"
#define JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_URL "spec.autoScalingConfig.externalScaler.url"
#define JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_INITIAL_DELAY_PERIOD \
    "spec.autoScalingConfig.externalScaler.initialDelayPeriod"
#define JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_INTERVAL \
    "spec.autoScalingConfig.externalScaler.interval"
#define JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_API_KEY_SECRET_REF \
    "spec.autoScalingConfig.externalScaler.apiKeySecretRef"
#define JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_API_KEY_SECRET_REF_NAME \
    "spec.autoScalingConfig.externalScaler.apiKeySecretRef.name"
#define JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_API_KEY_SECRET_REF_NAMESPACE \
    "spec.autoScalingConfig.externalScaler.apiKeySecretRef.namespace"
#define JOULIE_TENSOR_FUSION_V1_SPEC_GPU_COUNT "spec.gpuCount"
#define JOULIE_TENSOR_FUSION_V1_SPEC_GPU_MODEL "spec.gpuModel"
#define JOULIE_TENSOR_FUSION_V1_SPEC_IS_LOCAL_GPU "spec.isLocalGPU"
#define JOULIE_TENSOR_FUSION_V1_SPEC_NODE_AFFINITY "spec.nodeAffinity"
#define JOULIE_TENSOR_FUSION_V1_SPEC_NODE_AFFINITY_PREFERRED_DURING_SCHEDULING_IGNORED_DURING_EXECUTION \
    "spec.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution"
#define JOULIE_TENSOR_FUSION_V1_SPEC_NODE_AFFINITY_REQUIRED_DURING_SCHEDULING_IGNORED_DURING_EXECUTION \
    "spec.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
#define JOULIE_TENSOR_FUSION_V1_SPEC_NODE_AFFINITY_REQUIRED_DURING_SCHEDULING_IGNORED_DURING_EXECUTION_NODE_SELECTOR_TERMS \
    "spec.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
#define JOULIE_TENSOR_FUSION_V1_SPEC_POOL_NAME "spec.poolName"
#define JOULIE_TENSOR_FUSION_V1_SPEC_QOS "spec.qos"
#define JOULIE_TENSOR_FUSION_V1_SPEC_REPLICAS "spec.replicas"
#define JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES "spec.resources"
#define JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_LIMITS "spec.resources.limits"
#define JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_LIMITS_TFLOPS "spec.resources.limits.tflops"
#define JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_LIMITS_VRAM "spec.resources.limits.vram"
#define JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_LIMITS_COMPUTE "spec.resources.limits.compute"
#define JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_REQUESTS "spec.resources.requests"
#define JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_REQUESTS_TFLOPS "spec.resources.requests.tflops"
#define JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_REQUESTS_VRAM "spec.resources.requests.vram"
#define JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_REQUESTS_COMPUTE "spec.resources.requests.compute"
#define JOULIE_TENSOR_FUSION_V1_SPEC_SIDECAR_WORKER "spec.sidecarWorker"
#define JOULIE_TENSOR_FUSION_V1_SPEC_ISOLATION "spec.isolation"
#define JOULIE_TENSOR_FUSION_V1_SPEC_PARTITION_TEMPLATE_ID "spec.partitionTemplateId"
#define JOULIE_TENSOR_FUSION_V1_SPEC_GPU_INDICES "spec.gpuIndices"
#define JOULIE_TENSOR_FUSION_V1_SPEC_VENDOR "spec.vendor"
#define JOULIE_TENSOR_FUSION_V1_SPEC_WORKER_POD_TEMPLATE "spec.workerPodTemplate"
#define JOULIE_TENSOR_FUSION_V1_SPEC_GANG_SCHEDULING "spec.gangScheduling"
#define JOULIE_TENSOR_FUSION_V1_SPEC_GANG_SCHEDULING_MIN_MEMBERS "spec.gangScheduling.minMembers"
#define JOULIE_TENSOR_FUSION_V1_SPEC_GANG_SCHEDULING_MODE "spec.gangScheduling.mode"
#define JOULIE_TENSOR_FUSION_V1_SPEC_GANG_SCHEDULING_TIMEOUT "spec.gangScheduling.timeout"
#define JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION "status.recommendation"
#define JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_LIMITS "status.recommendation.limits"
#define JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_LIMITS_TFLOPS \
    "status.recommendation.limits.tflops"
#define JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_LIMITS_VRAM \
    "status.recommendation.limits.vram"
#define JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_LIMITS_COMPUTE \
    "status.recommendation.limits.compute"
#define JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_REQUESTS "status.recommendation.requests"
#define JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_REQUESTS_TFLOPS \
    "status.recommendation.requests.tflops"
#define JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_REQUESTS_VRAM \
    "status.recommendation.requests.vram"
#define JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_REQUESTS_COMPUTE \
    "status.recommendation.requests.compute"
#define JOULIE_TENSOR_FUSION_V1_STATUS_APPLIED_RECOMMENDED_REPLICAS \
    "status.appliedRecommendedReplicas"
#define JOULIE_TENSOR_FUSION_V1_STATUS_ACTIVE_CRON_SCALING_RULE "status.activeCronScalingRule"
#define JOULIE_TENSOR_FUSION_V1_STATUS_CONDITIONS "status.conditions"
#define JOULIE_TENSOR_FUSION_V1_STATUS_WORKER_COUNT "status.workerCount"

/** Bits of joulie_tensor_fusion_v1_profile::has. */
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_POOL_NAME (1ULL << 0)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_GPU_MODEL (1ULL << 1)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_VENDOR (1ULL << 2)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_PARTITION_TEMPLATE_ID (1ULL << 3)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMIT_TFLOPS_TEXT (1ULL << 4)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMIT_VRAM_TEXT (1ULL << 5)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMIT_COMPUTE_TEXT (1ULL << 6)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUEST_TFLOPS_TEXT (1ULL << 7)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUEST_VRAM_TEXT (1ULL << 8)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUEST_COMPUTE_TEXT (1ULL << 9)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMIT_TFLOPS (1ULL << 10)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMIT_VRAM_BYTES (1ULL << 11)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMIT_COMPUTE_PCT (1ULL << 12)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUEST_TFLOPS (1ULL << 13)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUEST_VRAM_BYTES (1ULL << 14)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUEST_COMPUTE_PCT (1ULL << 15)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_GPU_COUNT (1ULL << 16)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REPLICAS (1ULL << 17)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_GANG_MIN_MEMBERS (1ULL << 18)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_QOS (1ULL << 19)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_ISOLATION (1ULL << 20)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMITS_TARGET (1ULL << 21)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUESTS_TARGET (1ULL << 22)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_RESOURCES_TARGET (1ULL << 23)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_IS_LOCAL_GPU (1ULL << 24)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_IS_SIDECAR_WORKER (1ULL << 25)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMITS_ENABLED (1ULL << 26)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REPLICAS_ENABLED (1ULL << 27)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUESTS_ENABLED (1ULL << 28)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_RESOURCES_ENABLED (1ULL << 29)
#define JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_EXTERNAL_ENABLED (1ULL << 30)

/** The spec of a WorkloadProfile or TensorFusionWorkload; start with
 * JOULIE_INIT(struct joulie_tensor_fusion_v1_profile). Bit order. */
struct joulie_tensor_fusion_v1_profile {
    size_t struct_size;                /**< as the caller compiled it */
    uint64_t has;                      /**< JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_* */
    const char *pool_name;             /**< name of the GPUPool */
    const char *gpu_model;             /**< model that the GPUs must have */
    const char *vendor;                /**< vendor that the GPUs must have */
    const char *partition_template_id; /**< hardware partition */
    const char *limit_tflops_text;     /**< the quantities as they stand in the document */
    const char *limit_vram_text;
    const char *limit_compute_text;
    const char *request_tflops_text;
    const char *request_vram_text;
    const char *request_compute_text;
    double limit_tflops;               /**< FP16 TFLOPS of one worker on one GPU; 0 is unset */
    double limit_vram_bytes;           /**< bytes of one worker on one GPU; 0 is unset */
    double limit_compute_pct;          /**< percent of one GPU, instead of TFLOPS */
    double request_tflops;             /**< FP16 TFLOPS of one worker on one GPU; 0 is unset */
    double request_vram_bytes;         /**< bytes of one worker on one GPU; 0 is unset */
    double request_compute_pct;        /**< percent of one GPU, instead of TFLOPS */
    int64_t gpu_count;                 /**< of one worker; 0 or absent is 1 */
    int64_t replicas;                  /**< workers; absent follows the pending pods */
    int64_t gang_min_members;          /**< workers that start together; 0 is no gang */
    enum joulie_tensor_fusion_qos qos; /**< class of service */
    enum joulie_tensor_fusion_isolation isolation;     /**< how workers on one GPU are kept apart */
    enum joulie_tensor_fusion_target limits_target;    /**< of autoSetLimits; absent is all */
    enum joulie_tensor_fusion_target requests_target;  /**< of autoSetRequests; absent is all */
    enum joulie_tensor_fusion_target resources_target; /**< of autoSetResources */
    int32_t is_local_gpu;                              /**< runs on the GPU server itself */
    int32_t is_sidecar_worker;                         /**< the worker is a sidecar */
    int32_t limits_enabled;                            /**< autoSetLimits, dialect A */
    int32_t replicas_enabled;                          /**< autoSetReplicas, dialects A and B */
    int32_t requests_enabled;                          /**< autoSetRequests, dialect A */
    int32_t resources_enabled;                         /**< autoSetResources, dialects B and C */
    int32_t external_enabled;                          /**< externalScaler, dialect C */
};

/**
 * Reads the spec of a WorkloadProfile or TensorFusionWorkload of TensorFusion, in any dialect.
 *
 * Lists (nodeAffinity, cronScalingRules, gpuIndices) and the settings of the autoscaling layers are
 * read by path with the getters of <joulie/object.h>. Bounds are not checked: after a lenient parse
 * the numbers are those of the document. Costs up to a microsecond for each member, without
 * allocation.
 *
 * @param object  a WorkloadProfile or TensorFusionWorkload of tensor-fusion.ai/v1
 * @param out     caller's storage, written only on success; struct_size must be set. Texts are
 *                UTF-8 and live until the object is changed or freed
 * @param err     details on failure, may be NULL; `where` is the path
 * @retval JOULIE_OK             out is filled
 * @retval JOULIE_E_UNSUPPORTED  the object is of another kind, or of another group's
 * @retval JOULIE_E_TYPE         the document has a value of another type there
 * @retval JOULIE_E_RANGE        an integer does not fit 64 bits
 * @retval JOULIE_E_ABI          struct_size is impossible
 * @threads the object's
 * @since 0.2
 */
JOULIE_API int joulie_tensor_fusion_v1_get_profile(const struct joulie_object *object,
                                                   struct joulie_tensor_fusion_v1_profile *out,
                                                   struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
