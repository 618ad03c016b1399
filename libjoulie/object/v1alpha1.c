/* SPDX-License-Identifier: Apache-2.0 */

/* The flat views of joulie/v1alpha1.h: a table of paths each. */

#include <string.h>

#include <joulie/v1alpha1.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/time.h"
#include "kinds/workload_profile.h"
#include "object/object.h"

enum view_type { VIEW_TEXT, VIEW_NUMBER, VIEW_INTEGER, VIEW_BOOL, VIEW_WORD, VIEW_TIME };

struct view_row {
    const char *path;
    uint64_t bit;
    uint32_t offset;
    enum view_type type;
    enum joulie_vocabulary vocabulary; /* WORD */
};

struct view {
    const char *kind;
    const struct view_row *rows;
    size_t count;
};

#define ROW(tag, member, c_type, row_type, row_bit, row_path, ...)                  \
    {                                                                               \
        .path = (row_path), .bit = (row_bit), .offset = JL_AT(tag, member, c_type), \
        .type = (row_type), __VA_ARGS__                                             \
    }
#define TEXT(tag, member, bit, path) ROW(tag, member, const char *, VIEW_TEXT, bit, path)
#define NUMBER(tag, member, bit, path) ROW(tag, member, double, VIEW_NUMBER, bit, path)
#define INTEGER(tag, member, bit, path) ROW(tag, member, int64_t, VIEW_INTEGER, bit, path)
#define TIME(tag, member, bit, path) ROW(tag, member, int64_t, VIEW_TIME, bit, path)
#define BOOL(tag, member, bit, path) ROW(tag, member, int32_t, VIEW_BOOL, bit, path)
#define WORD(tag, member, row_bit, row_path, words)                              \
    {                                                                            \
        .path = (row_path), .bit = (row_bit), .offset = JL_AT_ENUM(tag, member), \
        .type = VIEW_WORD, .vocabulary = (words)                                 \
    }

static const struct view_row node_twin_spec_rows[] = {
    TEXT(joulie_v1alpha1_node_twin_spec, node_name, JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_NODE_NAME,
         JOULIE_V1ALPHA1_NODE_TWIN_SPEC_NODE_NAME),
    TEXT(joulie_v1alpha1_node_twin_spec, policy_name,
         JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_POLICY_NAME,
         JOULIE_V1ALPHA1_NODE_TWIN_SPEC_POLICY_NAME),
    TEXT(joulie_v1alpha1_node_twin_spec, gpu_cap_scope,
         JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_GPU_CAP_SCOPE,
         JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP_SCOPE),
    NUMBER(joulie_v1alpha1_node_twin_spec, cpu_cap_w, JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_CPU_CAP_W,
           JOULIE_V1ALPHA1_NODE_TWIN_SPEC_CPU_PACKAGE_POWER_CAP_WATTS),
    NUMBER(joulie_v1alpha1_node_twin_spec, cpu_cap_pct,
           JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_CPU_CAP_PCT,
           JOULIE_V1ALPHA1_NODE_TWIN_SPEC_CPU_PACKAGE_POWER_CAP_PCT_OF_MAX),
    NUMBER(joulie_v1alpha1_node_twin_spec, gpu_cap_w, JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_GPU_CAP_W,
           JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP_CAP_WATTS_PER_GPU),
    NUMBER(joulie_v1alpha1_node_twin_spec, gpu_cap_pct,
           JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_GPU_CAP_PCT,
           JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP_CAP_PCT_OF_MAX),
    WORD(joulie_v1alpha1_node_twin_spec, profile, JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_PROFILE,
         JOULIE_V1ALPHA1_NODE_TWIN_SPEC_PROFILE, JOULIE_VOCABULARY_PROFILE),
    WORD(joulie_v1alpha1_node_twin_spec, reschedulable_pressure,
         JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_RESCHEDULABLE_PRESSURE,
         JOULIE_V1ALPHA1_NODE_TWIN_SPEC_POLICY_RESCHEDULABLE_PRESSURE, JOULIE_VOCABULARY_LEVEL),
    BOOL(joulie_v1alpha1_node_twin_spec, is_draining,
         JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_IS_DRAINING,
         JOULIE_V1ALPHA1_NODE_TWIN_SPEC_SCHEDULING_DRAINING),
};
static const struct view_row node_twin_status_rows[] = {
    NUMBER(joulie_v1alpha1_node_twin_status, measured_node_power_w,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_MEASURED_NODE_POWER_W,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_MEASURED_NODE_POWER_W),
    NUMBER(joulie_v1alpha1_node_twin_status, cpu_capped_power_w,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CAPPED_POWER_W,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_CPU_CAPPED_POWER_W),
    NUMBER(joulie_v1alpha1_node_twin_status, gpu_capped_power_w,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CAPPED_POWER_W,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_GPU_CAPPED_POWER_W),
    NUMBER(joulie_v1alpha1_node_twin_status, node_capped_power_w,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_NODE_CAPPED_POWER_W,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_NODE_CAPPED_POWER_W),
    NUMBER(joulie_v1alpha1_node_twin_status, cpu_tdp_w,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_TDP_W,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_CPU_TDP_W),
    NUMBER(joulie_v1alpha1_node_twin_status, gpu_tdp_w,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_TDP_W,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_GPU_TDP_W),
    NUMBER(joulie_v1alpha1_node_twin_status, node_tdp_w,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_NODE_TDP_W,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_NODE_TDP_W),
    NUMBER(joulie_v1alpha1_node_twin_status, power_trend_w_per_min,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_POWER_TREND_W_PER_MIN,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_POWER_TREND_W_PER_MIN),
    NUMBER(joulie_v1alpha1_node_twin_status, power_headroom_score,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_POWER_HEADROOM_SCORE,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_PREDICTED_POWER_HEADROOM_SCORE),
    NUMBER(joulie_v1alpha1_node_twin_status, cooling_stress_score,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_COOLING_STRESS_SCORE,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_PREDICTED_COOLING_STRESS_SCORE),
    NUMBER(joulie_v1alpha1_node_twin_status, psu_stress_score,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_PSU_STRESS_SCORE,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_PREDICTED_PSU_STRESS_SCORE),
    NUMBER(joulie_v1alpha1_node_twin_status, cpu_effective_pct,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_EFFECTIVE_PCT,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_EFFECTIVE_CAP_STATE_CPU_PCT),
    NUMBER(joulie_v1alpha1_node_twin_status, gpu_effective_pct,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_EFFECTIVE_PCT,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_EFFECTIVE_CAP_STATE_GPU_PCT),
    NUMBER(joulie_v1alpha1_node_twin_status, hardware_density_score,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_HARDWARE_DENSITY_SCORE,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HARDWARE_DENSITY_SCORE),
    NUMBER(joulie_v1alpha1_node_twin_status, estimated_pue,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_ESTIMATED_PUE,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_ESTIMATED_PUE),
    NUMBER(joulie_v1alpha1_node_twin_status, slicing_gain_pct,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICING_GAIN_PCT,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_ESTIMATED_UTILIZATION_GAIN),
    NUMBER(joulie_v1alpha1_node_twin_status, slicing_confidence_frac,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICING_CONFIDENCE_FRAC,
           JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_CONFIDENCE),
    INTEGER(joulie_v1alpha1_node_twin_status, slices_per_gpu,
            JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICES_PER_GPU,
            JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_SLICES_PER_GPU),
    INTEGER(joulie_v1alpha1_node_twin_status, total_slices,
            JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_TOTAL_SLICES,
            JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_TOTAL_SLICES),
    TIME(joulie_v1alpha1_node_twin_status, last_updated_ms,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_LAST_UPDATED_MS,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_LAST_UPDATED),
    TIME(joulie_v1alpha1_node_twin_status, cpu_control_updated_ms,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_UPDATED_MS,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_UPDATED_AT),
    TIME(joulie_v1alpha1_node_twin_status, gpu_control_updated_ms,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CONTROL_UPDATED_MS,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_UPDATED_AT),
    TEXT(joulie_v1alpha1_node_twin_status, slice_type,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICE_TYPE,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_SLICE_TYPE),
    TEXT(joulie_v1alpha1_node_twin_status, slicing_reason,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICING_REASON,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_REASON),
    TEXT(joulie_v1alpha1_node_twin_status, cpu_control_backend,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_BACKEND,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_BACKEND),
    TEXT(joulie_v1alpha1_node_twin_status, cpu_control_message,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_MESSAGE,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_MESSAGE),
    TEXT(joulie_v1alpha1_node_twin_status, gpu_control_backend,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CONTROL_BACKEND,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_BACKEND),
    TEXT(joulie_v1alpha1_node_twin_status, gpu_control_message,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CONTROL_MESSAGE,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_MESSAGE),
    WORD(joulie_v1alpha1_node_twin_status, schedulable_class,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SCHEDULABLE_CLASS,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_SCHEDULABLE_CLASS, JOULIE_VOCABULARY_NODE_CLASS),
    WORD(joulie_v1alpha1_node_twin_status, power_source,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_POWER_SOURCE,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_SOURCE, JOULIE_VOCABULARY_POWER_SOURCE),
    WORD(joulie_v1alpha1_node_twin_status, slicing_mode,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICING_MODE,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_MODE,
         JOULIE_VOCABULARY_SLICING),
    WORD(joulie_v1alpha1_node_twin_status, cpu_control_result,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_RESULT,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_RESULT,
         JOULIE_VOCABULARY_CONTROL_RESULT),
    WORD(joulie_v1alpha1_node_twin_status, gpu_control_result,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CONTROL_RESULT,
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_RESULT,
         JOULIE_VOCABULARY_CONTROL_RESULT),
};
static const struct view_row node_hardware_rows[] = {
    TEXT(joulie_v1alpha1_node_hardware, node_name, JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_NAME,
         JOULIE_V1ALPHA1_NODE_HARDWARE_SPEC_NODE_NAME),
    TEXT(joulie_v1alpha1_node_hardware, cpu_raw_model,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_RAW_MODEL,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_RAW_MODEL),
    TEXT(joulie_v1alpha1_node_hardware, cpu_model, JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MODEL,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_MODEL),
    TEXT(joulie_v1alpha1_node_hardware, cpu_vendor, JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_VENDOR,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_VENDOR),
    TEXT(joulie_v1alpha1_node_hardware, cpu_driver_family,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_DRIVER_FAMILY,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_DRIVER_FAMILY),
    TEXT(joulie_v1alpha1_node_hardware, cpu_cap_range_type,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CAP_RANGE_TYPE,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE_TYPE),
    TEXT(joulie_v1alpha1_node_hardware, gpu_raw_model,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_RAW_MODEL,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_RAW_MODEL),
    TEXT(joulie_v1alpha1_node_hardware, gpu_model, JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_MODEL,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_MODEL),
    TEXT(joulie_v1alpha1_node_hardware, gpu_vendor, JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_VENDOR,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_VENDOR),
    TEXT(joulie_v1alpha1_node_hardware, link_class, JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_LINK_CLASS,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_NETWORK_LINK_CLASS),
    TEXT(joulie_v1alpha1_node_hardware, cpu_catalog_key,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CATALOG_KEY,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY_CPU),
    TEXT(joulie_v1alpha1_node_hardware, gpu_catalog_key,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CATALOG_KEY,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY_GPU),
    TEXT(joulie_v1alpha1_node_hardware, cpu_exactness,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_EXACTNESS,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_EXACTNESS_CPU),
    TEXT(joulie_v1alpha1_node_hardware, gpu_exactness,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_EXACTNESS,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_EXACTNESS_GPU),
    TEXT(joulie_v1alpha1_node_hardware, quality, JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_QUALITY,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_QUALITY_OVERALL),
    NUMBER(joulie_v1alpha1_node_hardware, cpu_min_cap_w,
           JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MIN_CAP_W,
           JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE_MIN_WATTS_PER_SOCKET),
    NUMBER(joulie_v1alpha1_node_hardware, cpu_max_cap_w,
           JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MAX_CAP_W,
           JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE_MAX_WATTS_PER_SOCKET),
    NUMBER(joulie_v1alpha1_node_hardware, cpu_min_freq_mhz,
           JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MIN_FREQ_MHZ,
           JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_MIN_FREQ_MHZ),
    NUMBER(joulie_v1alpha1_node_hardware, cpu_nominal_freq_mhz,
           JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_NOMINAL_FREQ_MHZ,
           JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_NOMINAL_FREQ_MHZ),
    NUMBER(joulie_v1alpha1_node_hardware, cpu_max_boost_mhz,
           JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MAX_BOOST_MHZ,
           JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_MAX_BOOST_MHZ),
    NUMBER(joulie_v1alpha1_node_hardware, cpu_lowest_nonlinear_freq_mhz,
           JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_LOWEST_NONLINEAR_FREQ_MHZ,
           JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_LOWEST_NONLINEAR_FREQ_MHZ),
    NUMBER(joulie_v1alpha1_node_hardware, gpu_min_cap_w,
           JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_MIN_CAP_W,
           JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU_MIN_WATTS),
    NUMBER(joulie_v1alpha1_node_hardware, gpu_max_cap_w,
           JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_MAX_CAP_W,
           JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU_MAX_WATTS),
    NUMBER(joulie_v1alpha1_node_hardware, gpu_default_cap_w,
           JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_DEFAULT_CAP_W,
           JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU_DEFAULT_WATTS),
    NUMBER(joulie_v1alpha1_node_hardware, gpu_current_cap_w,
           JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CURRENT_CAP_W,
           JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CURRENT_CAP_WATTS),
    INTEGER(joulie_v1alpha1_node_hardware, cpu_sockets,
            JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_SOCKETS,
            JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_SOCKETS),
    INTEGER(joulie_v1alpha1_node_hardware, cpu_total_cores,
            JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_TOTAL_CORES,
            JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_TOTAL_CORES),
    INTEGER(joulie_v1alpha1_node_hardware, cpu_cores_per_socket,
            JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CORES_PER_SOCKET,
            JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CORES_PER_SOCKET),
    INTEGER(joulie_v1alpha1_node_hardware, cpu_logical_cpus,
            JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_LOGICAL_CPUS,
            JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LOGICAL_CPUS),
    INTEGER(joulie_v1alpha1_node_hardware, cpu_physical_cores,
            JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_PHYSICAL_CORES,
            JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_PHYSICAL_CORES),
    INTEGER(joulie_v1alpha1_node_hardware, gpu_count, JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_COUNT,
            JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_COUNT),
    INTEGER(joulie_v1alpha1_node_hardware, memory_bytes,
            JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_MEMORY_BYTES,
            JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_MEMORY_TOTAL_BYTES),
    TIME(joulie_v1alpha1_node_hardware, updated_ms, JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_UPDATED_MS,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_UPDATED_AT),
    BOOL(joulie_v1alpha1_node_hardware, has_gpus, JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_HAS_GPUS,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_PRESENT),
    BOOL(joulie_v1alpha1_node_hardware, gpu_can_slice,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CAN_SLICE,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_SLICING_SUPPORTED),
    BOOL(joulie_v1alpha1_node_hardware, cpu_can_control,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CAN_CONTROL,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CONTROL_AVAILABLE),
    BOOL(joulie_v1alpha1_node_hardware, cpu_can_read,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CAN_READ,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_TELEMETRY_AVAILABLE),
    BOOL(joulie_v1alpha1_node_hardware, gpu_can_control,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CAN_CONTROL,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CONTROL_AVAILABLE),
    BOOL(joulie_v1alpha1_node_hardware, gpu_can_read,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CAN_READ,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_TELEMETRY_AVAILABLE),
    BOOL(joulie_v1alpha1_node_hardware, node_can_control_cpu,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_CAN_CONTROL_CPU,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_CPU_CONTROL),
    BOOL(joulie_v1alpha1_node_hardware, node_can_control_gpu,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_CAN_CONTROL_GPU,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_GPU_CONTROL),
    BOOL(joulie_v1alpha1_node_hardware, node_can_read_cpu,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_CAN_READ_CPU,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_CPU_TELEMETRY),
    BOOL(joulie_v1alpha1_node_hardware, node_can_read_gpu,
         JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_CAN_READ_GPU,
         JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_GPU_TELEMETRY),
};
static const struct view_row workload_profile_rows[] = {
    TEXT(joulie_v1alpha1_workload_profile, node_name,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_NODE_NAME,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_NODE_NAME),
    TEXT(joulie_v1alpha1_workload_profile, workload_kind,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_WORKLOAD_KIND,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF_KIND),
    TEXT(joulie_v1alpha1_workload_profile, workload_namespace,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_WORKLOAD_NAMESPACE,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF_NAMESPACE),
    TEXT(joulie_v1alpha1_workload_profile, workload_name,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_WORKLOAD_NAME,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF_NAME),
    TEXT(joulie_v1alpha1_workload_profile, reschedule_reason,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_RESCHEDULE_REASON,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_RESCHEDULE_REASON),
    TEXT(joulie_v1alpha1_workload_profile, classification_reason,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CLASSIFICATION_REASON,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CLASSIFICATION_REASON),
    NUMBER(joulie_v1alpha1_workload_profile, cpu_utilization_pct,
           JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CPU_UTILIZATION_PCT,
           JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_AVG_UTILIZATION_PCT),
    NUMBER(joulie_v1alpha1_workload_profile, gpu_utilization_pct,
           JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_GPU_UTILIZATION_PCT,
           JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_AVG_UTILIZATION_PCT),
    NUMBER(joulie_v1alpha1_workload_profile, confidence_frac,
           JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CONFIDENCE_FRAC,
           JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CONFIDENCE),
    TIME(joulie_v1alpha1_workload_profile, last_updated_ms,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_LAST_UPDATED_MS,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_LAST_UPDATED),
    WORD(joulie_v1alpha1_workload_profile, criticality,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CRITICALITY,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CRITICALITY_CLASS,
         JOULIE_VOCABULARY_WORKLOAD_CLASS),
    WORD(joulie_v1alpha1_workload_profile, cpu_intensity,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CPU_INTENSITY,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_INTENSITY, JOULIE_VOCABULARY_LEVEL),
    WORD(joulie_v1alpha1_workload_profile, cpu_bound,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CPU_BOUND,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_BOUND, JOULIE_VOCABULARY_BOUND),
    WORD(joulie_v1alpha1_workload_profile, cpu_cap_sensitivity,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CPU_CAP_SENSITIVITY,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_CAP_SENSITIVITY, JOULIE_VOCABULARY_LEVEL),
    WORD(joulie_v1alpha1_workload_profile, gpu_intensity,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_GPU_INTENSITY,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_INTENSITY, JOULIE_VOCABULARY_LEVEL),
    WORD(joulie_v1alpha1_workload_profile, gpu_bound,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_GPU_BOUND,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_BOUND, JOULIE_VOCABULARY_BOUND),
    WORD(joulie_v1alpha1_workload_profile, gpu_cap_sensitivity,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_GPU_CAP_SENSITIVITY,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_CAP_SENSITIVITY, JOULIE_VOCABULARY_LEVEL),
    BOOL(joulie_v1alpha1_workload_profile, is_reschedulable,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_IS_RESCHEDULABLE,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_MIGRATABILITY_RESCHEDULABLE),
    BOOL(joulie_v1alpha1_workload_profile, should_reschedule,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_SHOULD_RESCHEDULE,
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_RESCHEDULE_RECOMMENDED),
};
#define VIEW(kind_name, row_array)                                             \
    {                                                                          \
        .kind = (kind_name), .rows = (row_array), .count = JL_COUNT(row_array) \
    }
static const struct view node_twin_spec = VIEW(JOULIE_V1ALPHA1_KIND_NODE_TWIN, node_twin_spec_rows);
static const struct view node_twin_status =
    VIEW(JOULIE_V1ALPHA1_KIND_NODE_TWIN, node_twin_status_rows);
static const struct view node_hardware =
    VIEW(JOULIE_V1ALPHA1_KIND_NODE_HARDWARE, node_hardware_rows);
static const struct view workload_profile =
    VIEW(JOULIE_V1ALPHA1_KIND_WORKLOAD_PROFILE, workload_profile_rows);

/* Both words have the same value as a class of work. */
_Static_assert((int)JL_CRITICALITY_PERFORMANCE == (int)JOULIE_WORKLOAD_PERFORMANCE, "criticality");
_Static_assert((int)JL_CRITICALITY_STANDARD == (int)JOULIE_WORKLOAD_STANDARD, "criticality");

static int read_text(const struct joulie_object *object, const struct view_row *row, void *member,
                     struct joulie_error *err)
{
    const char *text = NULL;
    const int rc = joulie_object_get_text(object, row->path, &text, err);
    if (rc != 1)
        return rc;
    if (row->type == VIEW_TEXT)
        *(const char **)member = text;
    else if (row->type == VIEW_WORD)
        *(int *)member = joulie_word_value((int)row->vocabulary, text);
    else if (jl_parse_time(text, strlen(text), member) < 0)
        return 0;
    return 1;
}

static int read_row(const struct joulie_object *object, const struct view_row *row, void *member,
                    struct joulie_error *err)
{
    switch (row->type) {
    case VIEW_NUMBER:
        return joulie_object_get_number(object, row->path, member, err);
    case VIEW_INTEGER:
        return joulie_object_get_integer(object, row->path, member, err);
    case VIEW_BOOL:
        return joulie_object_get_bool(object, row->path, member, err);
    case VIEW_TEXT:
    case VIEW_WORD:
    case VIEW_TIME:
        break;
    }
    return read_text(object, row, member, err);
}

/* Fills a struct of ours, which begins with its size and has. */
static int read_rows(const struct joulie_object *object, const struct view *view, void *ours,
                     struct joulie_error *err)
{
    uint64_t has = 0;
    if (!jl_same(joulie_object_kind(object), view->kind))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "kind", "a %s was expected, this is a %s",
                       view->kind, joulie_object_kind(object));
    for (size_t i = 0; i < view->count; i++) {
        const struct view_row *row = &view->rows[i];
        const int rc = read_row(object, row, (char *)ours + row->offset, err);
        if (rc < 0)
            return rc;
        has |= rc == 1 ? row->bit : 0;
    }
    memcpy((char *)ours + sizeof(size_t), &has, sizeof has);
    return 0;
}

static int read_view(const struct joulie_object *object, const struct view *view, void *ours,
                     size_t ours_size, void *out, struct joulie_error *err)
{
    struct joulie_error local = { .struct_size = sizeof local };
    int rc = jl_sized_check(out, ours_size);
    if (rc < 0)
        jl_fail(&local, rc, "", "struct_size is impossible");
    else
        rc = read_rows(object, view, ours, &local);
    if (rc == 0)
        jl_sized_write(out, ours, ours_size);
    else
        jl_error_export(&local, err);
    return rc;
}

int joulie_v1alpha1_get_node_twin_spec(const struct joulie_object *object,
                                       struct joulie_v1alpha1_node_twin_spec *out,
                                       struct joulie_error *err)
{
    struct joulie_v1alpha1_node_twin_spec ours = { 0 };
    return read_view(object, &node_twin_spec, &ours, sizeof ours, out, err);
}

int joulie_v1alpha1_get_node_twin_status(const struct joulie_object *object,
                                         struct joulie_v1alpha1_node_twin_status *out,
                                         struct joulie_error *err)
{
    struct joulie_v1alpha1_node_twin_status ours = { 0 };
    return read_view(object, &node_twin_status, &ours, sizeof ours, out, err);
}

int joulie_v1alpha1_get_node_hardware(const struct joulie_object *object,
                                      struct joulie_v1alpha1_node_hardware *out,
                                      struct joulie_error *err)
{
    struct joulie_v1alpha1_node_hardware ours = { 0 };
    return read_view(object, &node_hardware, &ours, sizeof ours, out, err);
}

int joulie_v1alpha1_get_workload_profile(const struct joulie_object *object,
                                         struct joulie_v1alpha1_workload_profile *out,
                                         struct joulie_error *err)
{
    struct joulie_v1alpha1_workload_profile ours = { 0 };
    return read_view(object, &workload_profile, &ours, sizeof ours, out, err);
}
