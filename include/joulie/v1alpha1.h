/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_V1ALPHA1_H
#define JOULIE_V1ALPHA1_H
#pragma once

/**
 * @file
 * Kinds of version joulie.io/v1alpha1: their names, the paths of their members, and flat views that
 * read the single values of an object at once.
 *
 * The views copy numbers and words; lists (packages, devices, warnings, recommendations) are read
 * with joulie_object_count() and the getters of <joulie/object.h>. The words of every enum are in
 * <joulie/words.h>. NodePowerProfile and TelemetryProfile are kinds of v0.0.x, before NodeTwin:
 * they are read and written by path, without constants.
 *
 * A member without its bit in `has` is 0 or NULL, and unknown. One that has its bit and an enum
 * value of 0 stands in the document with a word that this library does not know. Times are
 * milliseconds since 1970; one that is not RFC 3339 has no bit.
 */

#include <joulie/object.h>
#include <joulie/words.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JOULIE_V1ALPHA1_API_VERSION "joulie.io/v1alpha1"

#define JOULIE_V1ALPHA1_KIND_NODE_TWIN "NodeTwin"
#define JOULIE_V1ALPHA1_KIND_NODE_HARDWARE "NodeHardware"
#define JOULIE_V1ALPHA1_KIND_WORKLOAD_PROFILE "WorkloadProfile"
#define JOULIE_V1ALPHA1_KIND_NODE_POWER_PROFILE "NodePowerProfile"
#define JOULIE_V1ALPHA1_KIND_TELEMETRY_PROFILE "TelemetryProfile"

/* Paths of NodeTwin; below a list follow an index and the member: [0].… */
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_NODE_NAME "spec.nodeName"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_PROFILE "spec.profile"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_CPU "spec.cpu"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_CPU_PACKAGE_POWER_CAP_WATTS "spec.cpu.packagePowerCapWatts"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_CPU_PACKAGE_POWER_CAP_PCT_OF_MAX \
    "spec.cpu.packagePowerCapPctOfMax"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU "spec.gpu"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP "spec.gpu.powerCap"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP_SCOPE "spec.gpu.powerCap.scope"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP_CAP_WATTS_PER_GPU \
    "spec.gpu.powerCap.capWattsPerGpu"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP_CAP_PCT_OF_MAX "spec.gpu.powerCap.capPctOfMax"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_POLICY "spec.policy"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_POLICY_NAME "spec.policy.name"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_POLICY_RESCHEDULABLE_PRESSURE \
    "spec.policy.reschedulablePressure"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_SCHEDULING "spec.scheduling"
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_SCHEDULING_DRAINING "spec.scheduling.draining"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_SCHEDULABLE_CLASS "status.schedulableClass"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT "status.powerMeasurement"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_SOURCE "status.powerMeasurement.source"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_MEASURED_NODE_POWER_W \
    "status.powerMeasurement.measuredNodePowerW"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_CPU_CAPPED_POWER_W \
    "status.powerMeasurement.cpuCappedPowerW"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_GPU_CAPPED_POWER_W \
    "status.powerMeasurement.gpuCappedPowerW"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_NODE_CAPPED_POWER_W \
    "status.powerMeasurement.nodeCappedPowerW"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_CPU_TDP_W \
    "status.powerMeasurement.cpuTdpW"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_GPU_TDP_W \
    "status.powerMeasurement.gpuTdpW"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_NODE_TDP_W \
    "status.powerMeasurement.nodeTdpW"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_POWER_TREND_W_PER_MIN \
    "status.powerMeasurement.powerTrendWPerMin"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_PREDICTED_POWER_HEADROOM_SCORE \
    "status.predictedPowerHeadroomScore"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_PREDICTED_COOLING_STRESS_SCORE \
    "status.predictedCoolingStressScore"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_PREDICTED_PSU_STRESS_SCORE "status.predictedPsuStressScore"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_EFFECTIVE_CAP_STATE "status.effectiveCapState"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_EFFECTIVE_CAP_STATE_CPU_PCT \
    "status.effectiveCapState.cpuPct"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_EFFECTIVE_CAP_STATE_GPU_PCT \
    "status.effectiveCapState.gpuPct"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HARDWARE_DENSITY_SCORE "status.hardwareDensityScore"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_ESTIMATED_PUE "status.estimatedPUE"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_RESCHEDULE_RECOMMENDATIONS \
    "status.rescheduleRecommendations"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION \
    "status.gpuSlicingRecommendation"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_MODE \
    "status.gpuSlicingRecommendation.mode"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_SLICE_TYPE \
    "status.gpuSlicingRecommendation.sliceType"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_SLICES_PER_GPU \
    "status.gpuSlicingRecommendation.slicesPerGPU"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_TOTAL_SLICES \
    "status.gpuSlicingRecommendation.totalSlices"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_REASON \
    "status.gpuSlicingRecommendation.reason"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_ESTIMATED_UTILIZATION_GAIN \
    "status.gpuSlicingRecommendation.estimatedUtilizationGain"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_CONFIDENCE \
    "status.gpuSlicingRecommendation.confidence"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS "status.controlStatus"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU "status.controlStatus.cpu"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_BACKEND \
    "status.controlStatus.cpu.backend"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_RESULT "status.controlStatus.cpu.result"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_MESSAGE \
    "status.controlStatus.cpu.message"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_UPDATED_AT \
    "status.controlStatus.cpu.updatedAt"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_OBSERVED \
    "status.controlStatus.cpu.observed"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_BASELINE \
    "status.controlStatus.cpu.baseline"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU "status.controlStatus.gpu"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_BACKEND \
    "status.controlStatus.gpu.backend"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_RESULT "status.controlStatus.gpu.result"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_MESSAGE \
    "status.controlStatus.gpu.message"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_UPDATED_AT \
    "status.controlStatus.gpu.updatedAt"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_OBSERVED \
    "status.controlStatus.gpu.observed"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_BASELINE \
    "status.controlStatus.gpu.baseline"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_LAST_UPDATED "status.lastUpdated"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_OBSERVED_GENERATION "status.observedGeneration"
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONDITIONS "status.conditions"

/* Paths of NodeHardware; below a list follow an index and the member: [0].… */
#define JOULIE_V1ALPHA1_NODE_HARDWARE_SPEC_NODE_NAME "spec.nodeName"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU "status.cpu"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_RAW_MODEL "status.cpu.rawModel"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_MODEL "status.cpu.model"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_VENDOR "status.cpu.vendor"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_SOCKETS "status.cpu.sockets"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_TOTAL_CORES "status.cpu.totalCores"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CORES_PER_SOCKET "status.cpu.coresPerSocket"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_DRIVER_FAMILY "status.cpu.driverFamily"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE "status.cpu.capRange"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE_TYPE "status.cpu.capRange.type"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE_MIN_WATTS_PER_SOCKET \
    "status.cpu.capRange.minWattsPerSocket"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE_MAX_WATTS_PER_SOCKET \
    "status.cpu.capRange.maxWattsPerSocket"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS "status.cpu.landmarks"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_MIN_FREQ_MHZ \
    "status.cpu.landmarks.minFreqMHz"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_NOMINAL_FREQ_MHZ \
    "status.cpu.landmarks.nominalFreqMHz"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_MAX_BOOST_MHZ \
    "status.cpu.landmarks.maxBoostMHz"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_LOWEST_NONLINEAR_FREQ_MHZ \
    "status.cpu.landmarks.lowestNonlinearFreqMHz"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CONTROL_AVAILABLE "status.cpu.controlAvailable"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_TELEMETRY_AVAILABLE "status.cpu.telemetryAvailable"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_WARNINGS "status.cpu.warnings"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_PACKAGES "status.cpu.packages"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LOGICAL_CPUS "status.cpu.logicalCpus"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_PHYSICAL_CORES "status.cpu.physicalCores"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU "status.gpu"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_PRESENT "status.gpu.present"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_RAW_MODEL "status.gpu.rawModel"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_MODEL "status.gpu.model"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_VENDOR "status.gpu.vendor"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_COUNT "status.gpu.count"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU "status.gpu.capRangePerGpu"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU_MIN_WATTS \
    "status.gpu.capRangePerGpu.minWatts"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU_MAX_WATTS \
    "status.gpu.capRangePerGpu.maxWatts"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU_DEFAULT_WATTS \
    "status.gpu.capRangePerGpu.defaultWatts"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CURRENT_CAP_WATTS "status.gpu.currentCapWatts"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_SLICING "status.gpu.slicing"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_SLICING_SUPPORTED "status.gpu.slicing.supported"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_SLICING_MODES "status.gpu.slicing.modes"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CONTROL_AVAILABLE "status.gpu.controlAvailable"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_TELEMETRY_AVAILABLE "status.gpu.telemetryAvailable"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_WARNINGS "status.gpu.warnings"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_DEVICES "status.gpu.devices"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_MEMORY "status.memory"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_MEMORY_TOTAL_BYTES "status.memory.totalBytes"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_NETWORK "status.network"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_NETWORK_LINK_CLASS "status.network.linkClass"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION "status.inventoryResolution"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY \
    "status.inventoryResolution.hardwareCatalogKey"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY_CPU \
    "status.inventoryResolution.hardwareCatalogKey.cpu"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY_GPU \
    "status.inventoryResolution.hardwareCatalogKey.gpu"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_EXACTNESS \
    "status.inventoryResolution.exactness"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_EXACTNESS_CPU \
    "status.inventoryResolution.exactness.cpu"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_EXACTNESS_GPU \
    "status.inventoryResolution.exactness.gpu"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES "status.capabilities"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_CPU_CONTROL \
    "status.capabilities.cpuControl"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_GPU_CONTROL \
    "status.capabilities.gpuControl"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_CPU_TELEMETRY \
    "status.capabilities.cpuTelemetry"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_GPU_TELEMETRY \
    "status.capabilities.gpuTelemetry"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_QUALITY "status.quality"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_QUALITY_OVERALL "status.quality.overall"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_QUALITY_WARNINGS "status.quality.warnings"
#define JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_UPDATED_AT "status.updatedAt"

/* Paths of WorkloadProfile; below a list follow an index and the member: [0].… */
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_NODE_NAME "spec.nodeName"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF "spec.workloadRef"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF_KIND "spec.workloadRef.kind"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF_NAMESPACE "spec.workloadRef.namespace"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF_NAME "spec.workloadRef.name"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CRITICALITY "status.criticality"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CRITICALITY_CLASS "status.criticality.class"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_MIGRATABILITY "status.migratability"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_MIGRATABILITY_RESCHEDULABLE \
    "status.migratability.reschedulable"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU "status.cpu"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_INTENSITY "status.cpu.intensity"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_BOUND "status.cpu.bound"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_AVG_UTILIZATION_PCT \
    "status.cpu.avgUtilizationPct"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_CAP_SENSITIVITY "status.cpu.capSensitivity"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU "status.gpu"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_INTENSITY "status.gpu.intensity"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_BOUND "status.gpu.bound"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_AVG_UTILIZATION_PCT \
    "status.gpu.avgUtilizationPct"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_CAP_SENSITIVITY "status.gpu.capSensitivity"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_RESCHEDULE_RECOMMENDED \
    "status.rescheduleRecommended"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_RESCHEDULE_REASON "status.rescheduleReason"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CLASSIFICATION_REASON "status.classificationReason"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CONFIDENCE "status.confidence"
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_LAST_UPDATED "status.lastUpdated"

/** Bits of joulie_v1alpha1_node_twin_spec::has. */
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_NODE_NAME (1ULL << 0)
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_POLICY_NAME (1ULL << 1)
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_GPU_CAP_SCOPE (1ULL << 2)
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_CPU_CAP_W (1ULL << 3)
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_CPU_CAP_PCT (1ULL << 4)
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_GPU_CAP_W (1ULL << 5)
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_GPU_CAP_PCT (1ULL << 6)
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_PROFILE (1ULL << 7)
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_RESCHEDULABLE_PRESSURE (1ULL << 8)
#define JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_IS_DRAINING (1ULL << 9)

/** Desired state of a node: spec of a NodeTwin; start with JOULIE_INIT(struct
 * joulie_v1alpha1_node_twin_spec). Bit order. */
struct joulie_v1alpha1_node_twin_spec {
    size_t struct_size;          /**< as the caller compiled it */
    uint64_t has;                /**< JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_* */
    const char *node_name;       /**< the node; readers match on this, never on metadata.name */
    const char *policy_name;     /**< the policy that chose the profile */
    const char *gpu_cap_scope;   /**< "perGpu" */
    double cpu_cap_w;            /**< W per package; wins over cpu_cap_pct */
    double cpu_cap_pct;          /**< percent of the package maximum, (0,100] */
    double gpu_cap_w;            /**< W per GPU; wins over gpu_cap_pct */
    double gpu_cap_pct;          /**< percent of the GPU maximum, (0,100] */
    enum joulie_profile profile; /**< desired state */
    enum joulie_level reschedulable_pressure; /**< of v0.1.0 only */
    int32_t is_draining;                      /**< waits for work that needs power to end */
    uint32_t reserved;                        /**< 0 */
};

/** Bits of joulie_v1alpha1_node_twin_status::has. */
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_MEASURED_NODE_POWER_W (1ULL << 0)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CAPPED_POWER_W (1ULL << 1)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CAPPED_POWER_W (1ULL << 2)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_NODE_CAPPED_POWER_W (1ULL << 3)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_TDP_W (1ULL << 4)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_TDP_W (1ULL << 5)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_NODE_TDP_W (1ULL << 6)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_POWER_TREND_W_PER_MIN (1ULL << 7)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_POWER_HEADROOM_SCORE (1ULL << 8)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_COOLING_STRESS_SCORE (1ULL << 9)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_PSU_STRESS_SCORE (1ULL << 10)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_EFFECTIVE_PCT (1ULL << 11)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_EFFECTIVE_PCT (1ULL << 12)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_HARDWARE_DENSITY_SCORE (1ULL << 13)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_ESTIMATED_PUE (1ULL << 14)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICING_GAIN_PCT (1ULL << 15)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICING_CONFIDENCE_FRAC (1ULL << 16)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICES_PER_GPU (1ULL << 17)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_TOTAL_SLICES (1ULL << 18)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_LAST_UPDATED_MS (1ULL << 19)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_UPDATED_MS (1ULL << 20)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CONTROL_UPDATED_MS (1ULL << 21)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICE_TYPE (1ULL << 22)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICING_REASON (1ULL << 23)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_BACKEND (1ULL << 24)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_MESSAGE (1ULL << 25)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CONTROL_BACKEND (1ULL << 26)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CONTROL_MESSAGE (1ULL << 27)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SCHEDULABLE_CLASS (1ULL << 28)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_POWER_SOURCE (1ULL << 29)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICING_MODE (1ULL << 30)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_RESULT (1ULL << 31)
#define JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CONTROL_RESULT (1ULL << 32)

/** What the twin predicts and the agent reports: status of a NodeTwin; start with
 * JOULIE_INIT(struct joulie_v1alpha1_node_twin_status). Bit order. */
struct joulie_v1alpha1_node_twin_status {
    size_t struct_size;             /**< as the caller compiled it */
    uint64_t has;                   /**< JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_* */
    double measured_node_power_w;   /**< W at the node; 0 is a measurement */
    double cpu_capped_power_w;      /**< W of all packages at their caps */
    double gpu_capped_power_w;      /**< W of all GPUs at their caps */
    double node_capped_power_w;     /**< W of the node at its caps */
    double cpu_tdp_w;               /**< W of all packages without caps */
    double gpu_tdp_w;               /**< W of all GPUs without caps */
    double node_tdp_w;              /**< W of the node without caps */
    double power_trend_w_per_min;   /**< W per minute; negative when power falls */
    double power_headroom_score;    /**< at most 100; negative above the caps */
    double cooling_stress_score;    /**< 0..100, higher is worse */
    double psu_stress_score;        /**< 0..100, higher is worse */
    double cpu_effective_pct;       /**< cap that the prediction used, percent */
    double gpu_effective_pct;       /**< of the GPUs, as cpu_effective_pct */
    double hardware_density_score;  /**< 0..100 */
    double estimated_pue;           /**< 1 or more */
    double slicing_gain_pct;        /**< expected gain of GPU utilisation, percent */
    double slicing_confidence_frac; /**< 0..1 */
    int64_t slices_per_gpu;
    int64_t total_slices;           /**< of the whole node */
    int64_t last_updated_ms;        /**< when the prediction last changed */
    int64_t cpu_control_updated_ms; /**< when the agent reported */
    int64_t gpu_control_updated_ms;
    const char *slice_type;                        /**< such as a MIG profile */
    const char *slicing_reason;                    /**< for a person */
    const char *cpu_control_backend;               /**< what wrote the CPU caps */
    const char *cpu_control_message;               /**< for a person */
    const char *gpu_control_backend;               /**< what wrote the GPU caps */
    const char *gpu_control_message;               /**< for a person */
    enum joulie_node_class schedulable_class;      /**< what the node is for schedulers */
    enum joulie_power_source power_source;         /**< of measured_node_power_w */
    enum joulie_slicing slicing_mode;              /**< how the GPUs should be shared */
    enum joulie_control_result cpu_control_result; /**< what became of the CPU caps */
    enum joulie_control_result gpu_control_result; /**< what became of the GPU caps */
    uint32_t reserved;                             /**< 0 */
};

/** Bits of joulie_v1alpha1_node_hardware::has. */
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_NAME (1ULL << 0)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_RAW_MODEL (1ULL << 1)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MODEL (1ULL << 2)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_VENDOR (1ULL << 3)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_DRIVER_FAMILY (1ULL << 4)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CAP_RANGE_TYPE (1ULL << 5)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_RAW_MODEL (1ULL << 6)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_MODEL (1ULL << 7)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_VENDOR (1ULL << 8)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_LINK_CLASS (1ULL << 9)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CATALOG_KEY (1ULL << 10)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CATALOG_KEY (1ULL << 11)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_EXACTNESS (1ULL << 12)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_EXACTNESS (1ULL << 13)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_QUALITY (1ULL << 14)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MIN_CAP_W (1ULL << 15)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MAX_CAP_W (1ULL << 16)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MIN_FREQ_MHZ (1ULL << 17)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_NOMINAL_FREQ_MHZ (1ULL << 18)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MAX_BOOST_MHZ (1ULL << 19)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_LOWEST_NONLINEAR_FREQ_MHZ (1ULL << 20)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_MIN_CAP_W (1ULL << 21)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_MAX_CAP_W (1ULL << 22)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_DEFAULT_CAP_W (1ULL << 23)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CURRENT_CAP_W (1ULL << 24)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_SOCKETS (1ULL << 25)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_TOTAL_CORES (1ULL << 26)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CORES_PER_SOCKET (1ULL << 27)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_LOGICAL_CPUS (1ULL << 28)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_PHYSICAL_CORES (1ULL << 29)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_COUNT (1ULL << 30)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_MEMORY_BYTES (1ULL << 31)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_UPDATED_MS (1ULL << 32)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_HAS_GPUS (1ULL << 33)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CAN_SLICE (1ULL << 34)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CAN_CONTROL (1ULL << 35)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CAN_READ (1ULL << 36)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CAN_CONTROL (1ULL << 37)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CAN_READ (1ULL << 38)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_CAN_CONTROL_CPU (1ULL << 39)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_CAN_CONTROL_GPU (1ULL << 40)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_CAN_READ_CPU (1ULL << 41)
#define JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_CAN_READ_GPU (1ULL << 42)

/** What a node is made of: spec and status of a NodeHardware; start with JOULIE_INIT(struct
 * joulie_v1alpha1_node_hardware). Bit order. */
struct joulie_v1alpha1_node_hardware {
    size_t struct_size;             /**< as the caller compiled it */
    uint64_t has;                   /**< JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_* */
    const char *node_name;          /**< the node; readers match on this, never on metadata.name */
    const char *cpu_raw_model;      /**< as the machine or its labels give it */
    const char *cpu_model;          /**< key in the hardware catalog; empty when unknown */
    const char *cpu_vendor;         /**< such as "AuthenticAMD" */
    const char *cpu_driver_family;  /**< driver that scales the frequency */
    const char *cpu_cap_range_type; /**< such as "package" */
    const char *gpu_raw_model;      /**< as the machine or its labels give it */
    const char *gpu_model;          /**< key in the hardware catalog; empty when unknown */
    const char *gpu_vendor;         /**< as the document has it */
    const char *link_class;         /**< of the network link */
    const char *cpu_catalog_key;    /**< entry that was found */
    const char *gpu_catalog_key;    /**< entry that was found */
    const char *cpu_exactness;      /**< "exact", "proxy" or "generic" */
    const char *gpu_exactness;      /**< "exact", "proxy" or "generic" */
    const char *quality;            /**< "exact", "heuristic" or "unavailable" */
    double cpu_min_cap_w;           /**< W, lowest cap that every package takes */
    double cpu_max_cap_w;           /**< W, highest cap that every package takes */
    double cpu_min_freq_mhz;
    double cpu_nominal_freq_mhz;
    double cpu_max_boost_mhz;
    double cpu_lowest_nonlinear_freq_mhz; /**< below it, lowering the frequency saves less */
    double gpu_min_cap_w;                 /**< W per GPU */
    double gpu_max_cap_w;                 /**< W per GPU */
    double gpu_default_cap_w;             /**< W per GPU */
    double gpu_current_cap_w;             /**< W per GPU, in force */
    int64_t cpu_sockets;                  /**< packages of the node */
    int64_t cpu_total_cores;              /**< logical CPUs of the node */
    int64_t cpu_cores_per_socket;         /**< logical CPUs of each package */
    int64_t cpu_logical_cpus;             /**< cpu_total_cores under its right name */
    int64_t cpu_physical_cores;
    int64_t gpu_count;
    int64_t memory_bytes;
    int64_t updated_ms; /**< when the facts were last read */
    int32_t has_gpus;
    int32_t gpu_can_slice;        /**< the GPUs can be divided */
    int32_t cpu_can_control;      /**< CPU power can be capped */
    int32_t cpu_can_read;         /**< CPU power can be read */
    int32_t gpu_can_control;      /**< GPU power can be capped */
    int32_t gpu_can_read;         /**< GPU power can be read */
    int32_t node_can_control_cpu; /**< of the whole node */
    int32_t node_can_control_gpu;
    int32_t node_can_read_cpu;
    int32_t node_can_read_gpu;
};

/** Bits of joulie_v1alpha1_workload_profile::has. */
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_NODE_NAME (1ULL << 0)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_WORKLOAD_KIND (1ULL << 1)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_WORKLOAD_NAMESPACE (1ULL << 2)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_WORKLOAD_NAME (1ULL << 3)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_RESCHEDULE_REASON (1ULL << 4)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CLASSIFICATION_REASON (1ULL << 5)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CPU_UTILIZATION_PCT (1ULL << 6)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_GPU_UTILIZATION_PCT (1ULL << 7)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CONFIDENCE_FRAC (1ULL << 8)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_LAST_UPDATED_MS (1ULL << 9)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CRITICALITY (1ULL << 10)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CPU_INTENSITY (1ULL << 11)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CPU_BOUND (1ULL << 12)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CPU_CAP_SENSITIVITY (1ULL << 13)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_GPU_INTENSITY (1ULL << 14)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_GPU_BOUND (1ULL << 15)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_GPU_CAP_SENSITIVITY (1ULL << 16)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_IS_RESCHEDULABLE (1ULL << 17)
#define JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_SHOULD_RESCHEDULE (1ULL << 18)

/** How a workload uses power: spec and status of a WorkloadProfile; start with JOULIE_INIT(struct
 * joulie_v1alpha1_workload_profile). Bit order. */
struct joulie_v1alpha1_workload_profile {
    size_t struct_size;    /**< as the caller compiled it */
    uint64_t has;          /**< JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_* */
    const char *node_name; /**< node that it runs on */
    const char *workload_kind;
    const char *workload_namespace;
    const char *workload_name;
    const char *reschedule_reason;          /**< for a person */
    const char *classification_reason;      /**< for a person */
    double cpu_utilization_pct;             /**< percent */
    double gpu_utilization_pct;             /**< percent */
    double confidence_frac;                 /**< 0..1 */
    int64_t last_updated_ms;                /**< when it was classified */
    enum joulie_workload_class criticality; /**< how much it suffers from less power */
    enum joulie_level cpu_intensity;
    enum joulie_bound cpu_bound;           /**< what limits it on the CPU */
    enum joulie_level cpu_cap_sensitivity; /**< how much a cap slows it down */
    enum joulie_level gpu_intensity;
    enum joulie_bound gpu_bound;
    enum joulie_level gpu_cap_sensitivity;
    int32_t is_reschedulable; /**< may be moved to another node */
    int32_t should_reschedule;
    uint32_t reserved; /**< 0 */
};

/**
 * Reads the spec of a NodeTwin. All views follow this one.
 *
 * Bounds are not checked: after a lenient parse the numbers are those of the document. Costs up to
 * a microsecond for each member of the view, without allocation.
 *
 * @param object  a NodeTwin
 * @param out     caller's storage, written only on success; struct_size must be set. Texts are
 *                UTF-8 and live until the object is changed or freed
 * @param err     details on failure, may be NULL; `where` is the path
 * @retval JOULIE_OK             out is filled
 * @retval JOULIE_E_UNSUPPORTED  the object is of another kind
 * @retval JOULIE_E_TYPE         the document has a value of another type there
 * @retval JOULIE_E_RANGE        an integer does not fit 64 bits
 * @retval JOULIE_E_ABI          struct_size is impossible
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_v1alpha1_get_node_twin_spec(const struct joulie_object *object,
                                                  struct joulie_v1alpha1_node_twin_spec *out,
                                                  struct joulie_error *err);

/**
 * Reads the status of a NodeTwin. As joulie_v1alpha1_get_node_twin_spec().
 *
 * @retval JOULIE_OK, JOULIE_E_UNSUPPORTED, JOULIE_E_TYPE, JOULIE_E_RANGE, JOULIE_E_ABI  as there
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_v1alpha1_get_node_twin_status(const struct joulie_object *object,
                                                    struct joulie_v1alpha1_node_twin_status *out,
                                                    struct joulie_error *err);

/**
 * Reads a NodeHardware. As joulie_v1alpha1_get_node_twin_spec().
 *
 * @retval JOULIE_OK, JOULIE_E_UNSUPPORTED, JOULIE_E_TYPE, JOULIE_E_RANGE, JOULIE_E_ABI  as there
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_v1alpha1_get_node_hardware(const struct joulie_object *object,
                                                 struct joulie_v1alpha1_node_hardware *out,
                                                 struct joulie_error *err);

/**
 * Reads a WorkloadProfile. As joulie_v1alpha1_get_node_twin_spec().
 *
 * @retval JOULIE_OK, JOULIE_E_UNSUPPORTED, JOULIE_E_TYPE, JOULIE_E_RANGE, JOULIE_E_ABI  as there
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_v1alpha1_get_workload_profile(const struct joulie_object *object,
                                                    struct joulie_v1alpha1_workload_profile *out,
                                                    struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
