/* SPDX-License-Identifier: Apache-2.0 */

/* The flat views of joulie/v1alpha1.h: a table of paths each. */

#include <joulie/v1alpha1.h>

#include "kinds/workload_profile.h"
#include "object/view.h"

/* A row: type, member, the bit of the member behind _HAS_, its path behind the name of the kind; of
 * a word also its vocabulary. */
#define TWIN_SPEC(TYPE, member, BIT, PATH)                                                 \
    TYPE(joulie_v1alpha1_node_twin_spec, member, JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_##BIT, \
         JOULIE_V1ALPHA1_NODE_TWIN_SPEC_##PATH)
#define TWIN_SPEC_WORD(member, BIT, PATH, WORDS)                                           \
    WORD(joulie_v1alpha1_node_twin_spec, member, JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_##BIT, \
         JOULIE_V1ALPHA1_NODE_TWIN_SPEC_##PATH, JOULIE_VOCABULARY_##WORDS)
#define TWIN_STATUS(TYPE, member, BIT, PATH)                                                   \
    TYPE(joulie_v1alpha1_node_twin_status, member, JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_##BIT, \
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_##PATH)
#define TWIN_STATUS_WORD(member, BIT, PATH, WORDS)                                             \
    WORD(joulie_v1alpha1_node_twin_status, member, JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_##BIT, \
         JOULIE_V1ALPHA1_NODE_TWIN_STATUS_##PATH, JOULIE_VOCABULARY_##WORDS)
#define HARDWARE(TYPE, member, BIT, PATH)                                                \
    TYPE(joulie_v1alpha1_node_hardware, member, JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_##BIT, \
         JOULIE_V1ALPHA1_NODE_HARDWARE_##PATH)
#define WORKLOAD(TYPE, member, BIT, PATH)                                                      \
    TYPE(joulie_v1alpha1_workload_profile, member, JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_##BIT, \
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_##PATH)
#define WORKLOAD_WORD(member, BIT, PATH, WORDS)                                                \
    WORD(joulie_v1alpha1_workload_profile, member, JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_##BIT, \
         JOULIE_V1ALPHA1_WORKLOAD_PROFILE_##PATH, JOULIE_VOCABULARY_##WORDS)

static const struct jl_view_row node_twin_spec_rows[] = {
    TWIN_SPEC(TEXT, node_name, NODE_NAME, NODE_NAME),
    TWIN_SPEC(TEXT, policy_name, POLICY_NAME, POLICY_NAME),
    TWIN_SPEC(TEXT, gpu_cap_scope, GPU_CAP_SCOPE, GPU_POWER_CAP_SCOPE),
    TWIN_SPEC(NUMBER, cpu_cap_w, CPU_CAP_W, CPU_PACKAGE_POWER_CAP_WATTS),
    TWIN_SPEC(NUMBER, cpu_cap_pct, CPU_CAP_PCT, CPU_PACKAGE_POWER_CAP_PCT_OF_MAX),
    TWIN_SPEC(NUMBER, gpu_cap_w, GPU_CAP_W, GPU_POWER_CAP_CAP_WATTS_PER_GPU),
    TWIN_SPEC(NUMBER, gpu_cap_pct, GPU_CAP_PCT, GPU_POWER_CAP_CAP_PCT_OF_MAX),
    TWIN_SPEC_WORD(profile, PROFILE, PROFILE, PROFILE),
    TWIN_SPEC_WORD(reschedulable_pressure, RESCHEDULABLE_PRESSURE, POLICY_RESCHEDULABLE_PRESSURE,
                   LEVEL),
    TWIN_SPEC(BOOL, is_draining, IS_DRAINING, SCHEDULING_DRAINING),
};
static const struct jl_view_row node_twin_status_rows[] = {
    TWIN_STATUS(NUMBER, measured_node_power_w, MEASURED_NODE_POWER_W,
                POWER_MEASUREMENT_MEASURED_NODE_POWER_W),
    TWIN_STATUS(NUMBER, cpu_capped_power_w, CPU_CAPPED_POWER_W,
                POWER_MEASUREMENT_CPU_CAPPED_POWER_W),
    TWIN_STATUS(NUMBER, gpu_capped_power_w, GPU_CAPPED_POWER_W,
                POWER_MEASUREMENT_GPU_CAPPED_POWER_W),
    TWIN_STATUS(NUMBER, node_capped_power_w, NODE_CAPPED_POWER_W,
                POWER_MEASUREMENT_NODE_CAPPED_POWER_W),
    TWIN_STATUS(NUMBER, cpu_tdp_w, CPU_TDP_W, POWER_MEASUREMENT_CPU_TDP_W),
    TWIN_STATUS(NUMBER, gpu_tdp_w, GPU_TDP_W, POWER_MEASUREMENT_GPU_TDP_W),
    TWIN_STATUS(NUMBER, node_tdp_w, NODE_TDP_W, POWER_MEASUREMENT_NODE_TDP_W),
    TWIN_STATUS(NUMBER, power_trend_w_per_min, POWER_TREND_W_PER_MIN,
                POWER_MEASUREMENT_POWER_TREND_W_PER_MIN),
    TWIN_STATUS(NUMBER, power_headroom_score, POWER_HEADROOM_SCORE, PREDICTED_POWER_HEADROOM_SCORE),
    TWIN_STATUS(NUMBER, cooling_stress_score, COOLING_STRESS_SCORE, PREDICTED_COOLING_STRESS_SCORE),
    TWIN_STATUS(NUMBER, psu_stress_score, PSU_STRESS_SCORE, PREDICTED_PSU_STRESS_SCORE),
    TWIN_STATUS(NUMBER, cpu_effective_pct, CPU_EFFECTIVE_PCT, EFFECTIVE_CAP_STATE_CPU_PCT),
    TWIN_STATUS(NUMBER, gpu_effective_pct, GPU_EFFECTIVE_PCT, EFFECTIVE_CAP_STATE_GPU_PCT),
    TWIN_STATUS(NUMBER, hardware_density_score, HARDWARE_DENSITY_SCORE, HARDWARE_DENSITY_SCORE),
    TWIN_STATUS(NUMBER, estimated_pue, ESTIMATED_PUE, ESTIMATED_PUE),
    TWIN_STATUS(NUMBER, slicing_gain_pct, SLICING_GAIN_PCT,
                GPU_SLICING_RECOMMENDATION_ESTIMATED_UTILIZATION_GAIN),
    TWIN_STATUS(NUMBER, slicing_confidence_frac, SLICING_CONFIDENCE_FRAC,
                GPU_SLICING_RECOMMENDATION_CONFIDENCE),
    TWIN_STATUS(INTEGER, slices_per_gpu, SLICES_PER_GPU, GPU_SLICING_RECOMMENDATION_SLICES_PER_GPU),
    TWIN_STATUS(INTEGER, total_slices, TOTAL_SLICES, GPU_SLICING_RECOMMENDATION_TOTAL_SLICES),
    TWIN_STATUS(TIME, last_updated_ms, LAST_UPDATED_MS, LAST_UPDATED),
    TWIN_STATUS(TIME, cpu_control_updated_ms, CPU_CONTROL_UPDATED_MS,
                CONTROL_STATUS_CPU_UPDATED_AT),
    TWIN_STATUS(TIME, gpu_control_updated_ms, GPU_CONTROL_UPDATED_MS,
                CONTROL_STATUS_GPU_UPDATED_AT),
    TWIN_STATUS(TEXT, slice_type, SLICE_TYPE, GPU_SLICING_RECOMMENDATION_SLICE_TYPE),
    TWIN_STATUS(TEXT, slicing_reason, SLICING_REASON, GPU_SLICING_RECOMMENDATION_REASON),
    TWIN_STATUS(TEXT, cpu_control_backend, CPU_CONTROL_BACKEND, CONTROL_STATUS_CPU_BACKEND),
    TWIN_STATUS(TEXT, cpu_control_message, CPU_CONTROL_MESSAGE, CONTROL_STATUS_CPU_MESSAGE),
    TWIN_STATUS(TEXT, gpu_control_backend, GPU_CONTROL_BACKEND, CONTROL_STATUS_GPU_BACKEND),
    TWIN_STATUS(TEXT, gpu_control_message, GPU_CONTROL_MESSAGE, CONTROL_STATUS_GPU_MESSAGE),
    TWIN_STATUS_WORD(schedulable_class, SCHEDULABLE_CLASS, SCHEDULABLE_CLASS, NODE_CLASS),
    TWIN_STATUS_WORD(power_source, POWER_SOURCE, POWER_MEASUREMENT_SOURCE, POWER_SOURCE),
    TWIN_STATUS_WORD(slicing_mode, SLICING_MODE, GPU_SLICING_RECOMMENDATION_MODE, SLICING),
    TWIN_STATUS_WORD(cpu_control_result, CPU_CONTROL_RESULT, CONTROL_STATUS_CPU_RESULT,
                     CONTROL_RESULT),
    TWIN_STATUS_WORD(gpu_control_result, GPU_CONTROL_RESULT, CONTROL_STATUS_GPU_RESULT,
                     CONTROL_RESULT),
};
static const struct jl_view_row node_hardware_rows[] = {
    HARDWARE(TEXT, node_name, NODE_NAME, SPEC_NODE_NAME),
    HARDWARE(TEXT, cpu_raw_model, CPU_RAW_MODEL, STATUS_CPU_RAW_MODEL),
    HARDWARE(TEXT, cpu_model, CPU_MODEL, STATUS_CPU_MODEL),
    HARDWARE(TEXT, cpu_vendor, CPU_VENDOR, STATUS_CPU_VENDOR),
    HARDWARE(TEXT, cpu_driver_family, CPU_DRIVER_FAMILY, STATUS_CPU_DRIVER_FAMILY),
    HARDWARE(TEXT, cpu_cap_range_type, CPU_CAP_RANGE_TYPE, STATUS_CPU_CAP_RANGE_TYPE),
    HARDWARE(TEXT, gpu_raw_model, GPU_RAW_MODEL, STATUS_GPU_RAW_MODEL),
    HARDWARE(TEXT, gpu_model, GPU_MODEL, STATUS_GPU_MODEL),
    HARDWARE(TEXT, gpu_vendor, GPU_VENDOR, STATUS_GPU_VENDOR),
    HARDWARE(TEXT, link_class, LINK_CLASS, STATUS_NETWORK_LINK_CLASS),
    HARDWARE(TEXT, cpu_catalog_key, CPU_CATALOG_KEY,
             STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY_CPU),
    HARDWARE(TEXT, gpu_catalog_key, GPU_CATALOG_KEY,
             STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY_GPU),
    HARDWARE(TEXT, cpu_exactness, CPU_EXACTNESS, STATUS_INVENTORY_RESOLUTION_EXACTNESS_CPU),
    HARDWARE(TEXT, gpu_exactness, GPU_EXACTNESS, STATUS_INVENTORY_RESOLUTION_EXACTNESS_GPU),
    HARDWARE(TEXT, quality, QUALITY, STATUS_QUALITY_OVERALL),
    HARDWARE(NUMBER, cpu_min_cap_w, CPU_MIN_CAP_W, STATUS_CPU_CAP_RANGE_MIN_WATTS_PER_SOCKET),
    HARDWARE(NUMBER, cpu_max_cap_w, CPU_MAX_CAP_W, STATUS_CPU_CAP_RANGE_MAX_WATTS_PER_SOCKET),
    HARDWARE(NUMBER, cpu_min_freq_mhz, CPU_MIN_FREQ_MHZ, STATUS_CPU_LANDMARKS_MIN_FREQ_MHZ),
    HARDWARE(NUMBER, cpu_nominal_freq_mhz, CPU_NOMINAL_FREQ_MHZ,
             STATUS_CPU_LANDMARKS_NOMINAL_FREQ_MHZ),
    HARDWARE(NUMBER, cpu_max_boost_mhz, CPU_MAX_BOOST_MHZ, STATUS_CPU_LANDMARKS_MAX_BOOST_MHZ),
    HARDWARE(NUMBER, cpu_lowest_nonlinear_freq_mhz, CPU_LOWEST_NONLINEAR_FREQ_MHZ,
             STATUS_CPU_LANDMARKS_LOWEST_NONLINEAR_FREQ_MHZ),
    HARDWARE(NUMBER, gpu_min_cap_w, GPU_MIN_CAP_W, STATUS_GPU_CAP_RANGE_PER_GPU_MIN_WATTS),
    HARDWARE(NUMBER, gpu_max_cap_w, GPU_MAX_CAP_W, STATUS_GPU_CAP_RANGE_PER_GPU_MAX_WATTS),
    HARDWARE(NUMBER, gpu_default_cap_w, GPU_DEFAULT_CAP_W,
             STATUS_GPU_CAP_RANGE_PER_GPU_DEFAULT_WATTS),
    HARDWARE(NUMBER, gpu_current_cap_w, GPU_CURRENT_CAP_W, STATUS_GPU_CURRENT_CAP_WATTS),
    HARDWARE(INTEGER, cpu_sockets, CPU_SOCKETS, STATUS_CPU_SOCKETS),
    HARDWARE(INTEGER, cpu_total_cores, CPU_TOTAL_CORES, STATUS_CPU_TOTAL_CORES),
    HARDWARE(INTEGER, cpu_cores_per_socket, CPU_CORES_PER_SOCKET, STATUS_CPU_CORES_PER_SOCKET),
    HARDWARE(INTEGER, cpu_logical_cpus, CPU_LOGICAL_CPUS, STATUS_CPU_LOGICAL_CPUS),
    HARDWARE(INTEGER, cpu_physical_cores, CPU_PHYSICAL_CORES, STATUS_CPU_PHYSICAL_CORES),
    HARDWARE(INTEGER, gpu_count, GPU_COUNT, STATUS_GPU_COUNT),
    HARDWARE(INTEGER, memory_bytes, MEMORY_BYTES, STATUS_MEMORY_TOTAL_BYTES),
    HARDWARE(TIME, updated_ms, UPDATED_MS, STATUS_UPDATED_AT),
    HARDWARE(BOOL, has_gpus, HAS_GPUS, STATUS_GPU_PRESENT),
    HARDWARE(BOOL, gpu_can_slice, GPU_CAN_SLICE, STATUS_GPU_SLICING_SUPPORTED),
    HARDWARE(BOOL, cpu_can_control, CPU_CAN_CONTROL, STATUS_CPU_CONTROL_AVAILABLE),
    HARDWARE(BOOL, cpu_can_read, CPU_CAN_READ, STATUS_CPU_TELEMETRY_AVAILABLE),
    HARDWARE(BOOL, gpu_can_control, GPU_CAN_CONTROL, STATUS_GPU_CONTROL_AVAILABLE),
    HARDWARE(BOOL, gpu_can_read, GPU_CAN_READ, STATUS_GPU_TELEMETRY_AVAILABLE),
    HARDWARE(BOOL, node_can_control_cpu, NODE_CAN_CONTROL_CPU, STATUS_CAPABILITIES_CPU_CONTROL),
    HARDWARE(BOOL, node_can_control_gpu, NODE_CAN_CONTROL_GPU, STATUS_CAPABILITIES_GPU_CONTROL),
    HARDWARE(BOOL, node_can_read_cpu, NODE_CAN_READ_CPU, STATUS_CAPABILITIES_CPU_TELEMETRY),
    HARDWARE(BOOL, node_can_read_gpu, NODE_CAN_READ_GPU, STATUS_CAPABILITIES_GPU_TELEMETRY),
};
static const struct jl_view_row workload_profile_rows[] = {
    WORKLOAD(TEXT, node_name, NODE_NAME, SPEC_NODE_NAME),
    WORKLOAD(TEXT, workload_kind, WORKLOAD_KIND, SPEC_WORKLOAD_REF_KIND),
    WORKLOAD(TEXT, workload_namespace, WORKLOAD_NAMESPACE, SPEC_WORKLOAD_REF_NAMESPACE),
    WORKLOAD(TEXT, workload_name, WORKLOAD_NAME, SPEC_WORKLOAD_REF_NAME),
    WORKLOAD(TEXT, reschedule_reason, RESCHEDULE_REASON, STATUS_RESCHEDULE_REASON),
    WORKLOAD(TEXT, classification_reason, CLASSIFICATION_REASON, STATUS_CLASSIFICATION_REASON),
    WORKLOAD(NUMBER, cpu_utilization_pct, CPU_UTILIZATION_PCT, STATUS_CPU_AVG_UTILIZATION_PCT),
    WORKLOAD(NUMBER, gpu_utilization_pct, GPU_UTILIZATION_PCT, STATUS_GPU_AVG_UTILIZATION_PCT),
    WORKLOAD(NUMBER, confidence_frac, CONFIDENCE_FRAC, STATUS_CONFIDENCE),
    WORKLOAD(TIME, last_updated_ms, LAST_UPDATED_MS, STATUS_LAST_UPDATED),
    WORKLOAD_WORD(criticality, CRITICALITY, STATUS_CRITICALITY_CLASS, WORKLOAD_CLASS),
    WORKLOAD_WORD(cpu_intensity, CPU_INTENSITY, STATUS_CPU_INTENSITY, LEVEL),
    WORKLOAD_WORD(cpu_bound, CPU_BOUND, STATUS_CPU_BOUND, BOUND),
    WORKLOAD_WORD(cpu_cap_sensitivity, CPU_CAP_SENSITIVITY, STATUS_CPU_CAP_SENSITIVITY, LEVEL),
    WORKLOAD_WORD(gpu_intensity, GPU_INTENSITY, STATUS_GPU_INTENSITY, LEVEL),
    WORKLOAD_WORD(gpu_bound, GPU_BOUND, STATUS_GPU_BOUND, BOUND),
    WORKLOAD_WORD(gpu_cap_sensitivity, GPU_CAP_SENSITIVITY, STATUS_GPU_CAP_SENSITIVITY, LEVEL),
    WORKLOAD(BOOL, is_reschedulable, IS_RESCHEDULABLE, STATUS_MIGRATABILITY_RESCHEDULABLE),
    WORKLOAD(BOOL, should_reschedule, SHOULD_RESCHEDULE, STATUS_RESCHEDULE_RECOMMENDED),
};
static const struct jl_view node_twin_spec =
    JL_VIEW(JOULIE_V1ALPHA1_API_VERSION, JOULIE_V1ALPHA1_KIND_NODE_TWIN, NULL, node_twin_spec_rows);
static const struct jl_view node_twin_status = JL_VIEW(
    JOULIE_V1ALPHA1_API_VERSION, JOULIE_V1ALPHA1_KIND_NODE_TWIN, NULL, node_twin_status_rows);
static const struct jl_view node_hardware = JL_VIEW(
    JOULIE_V1ALPHA1_API_VERSION, JOULIE_V1ALPHA1_KIND_NODE_HARDWARE, NULL, node_hardware_rows);
static const struct jl_view workload_profile =
    JL_VIEW(JOULIE_V1ALPHA1_API_VERSION, JOULIE_V1ALPHA1_KIND_WORKLOAD_PROFILE, NULL,
            workload_profile_rows);

/* Both words have the same value as a class of work. */
_Static_assert((int)JL_CRITICALITY_PERFORMANCE == (int)JOULIE_WORKLOAD_PERFORMANCE, "criticality");
_Static_assert((int)JL_CRITICALITY_STANDARD == (int)JOULIE_WORKLOAD_STANDARD, "criticality");

int joulie_v1alpha1_get_node_twin_spec(const struct joulie_object *object,
                                       struct joulie_v1alpha1_node_twin_spec *out,
                                       struct joulie_error *err)
{
    struct joulie_v1alpha1_node_twin_spec ours = { 0 };
    return jl_view_read(object, &node_twin_spec, &ours, sizeof ours, out, err);
}

int joulie_v1alpha1_get_node_twin_status(const struct joulie_object *object,
                                         struct joulie_v1alpha1_node_twin_status *out,
                                         struct joulie_error *err)
{
    struct joulie_v1alpha1_node_twin_status ours = { 0 };
    return jl_view_read(object, &node_twin_status, &ours, sizeof ours, out, err);
}

int joulie_v1alpha1_get_node_hardware(const struct joulie_object *object,
                                      struct joulie_v1alpha1_node_hardware *out,
                                      struct joulie_error *err)
{
    struct joulie_v1alpha1_node_hardware ours = { 0 };
    return jl_view_read(object, &node_hardware, &ours, sizeof ours, out, err);
}

int joulie_v1alpha1_get_workload_profile(const struct joulie_object *object,
                                         struct joulie_v1alpha1_workload_profile *out,
                                         struct joulie_error *err)
{
    struct joulie_v1alpha1_workload_profile ours = { 0 };
    return jl_view_read(object, &workload_profile, &ours, sizeof ours, out, err);
}
