/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The flat views of joulie/v1alpha1.h and joulie/tensor_fusion_v1.h: a table of paths each, which
 * one function walks. Implements docs/rules/kubernetes-objects.md#views.
 */

#include <string.h>

#include <joulie/tensor_fusion_v1.h>
#include <joulie/v1alpha1.h>
#include <joulie/words.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/time.h"
#include "kinds/workload_profile.h"
#include "kubernetes/quantity.h"
#include "object/object.h"

enum view_type {
    VIEW_TEXT,     /* const char * */
    VIEW_NUMBER,   /* double */
    VIEW_INTEGER,  /* int64_t */
    VIEW_BOOL,     /* int32_t */
    VIEW_WORD,     /* an enum with a vocabulary */
    VIEW_TIME,     /* int64_t ms of RFC 3339; another text is absent */
    VIEW_QUANTITY, /* double of a quantity; another text is absent */
};

struct view_row { /* row i has bit i of `has` */
    const char *path;
    uint32_t offset;
    enum view_type type;
    enum joulie_vocabulary vocabulary; /* WORD */
};

struct view { /* of a struct that begins with its size and has */
    const char *api_version;
    const char *kind;
    const char *other_kind; /* of the same version, whose objects are taken too, or NULL */
    const struct view_row *rows;
    size_t count;
};

/* A row: the member of the struct VIEW, its path behind the name of the kind, PATH(), and of a word
 * its vocabulary. It does not compile when the member has another C type. */
#define ROW(member, c_type, view_type, path)                                                  \
    {                                                                                         \
        PATH(path),                                                                           \
            offsetof(struct VIEW, member) + _Generic(((struct VIEW *)0)->member, c_type : 0), \
            view_type, 0                                                                      \
    }
#define TEXT(member, path) ROW(member, const char *, VIEW_TEXT, path)
#define NUMBER(member, path) ROW(member, double, VIEW_NUMBER, path)
#define INTEGER(member, path) ROW(member, int64_t, VIEW_INTEGER, path)
#define BOOL(member, path) ROW(member, int32_t, VIEW_BOOL, path)
#define TIME(member, path) ROW(member, int64_t, VIEW_TIME, path)
#define QUANTITY(member, path) ROW(member, double, VIEW_QUANTITY, path)
#define WORD(member, path, words)                                                       \
    {                                                                                   \
        PATH(path), offsetof(struct VIEW, member), VIEW_WORD, JOULIE_VOCABULARY_##words \
    }

#define VIEW joulie_v1alpha1_node_twin_spec
#define PATH(path) JOULIE_V1ALPHA1_NODE_TWIN_SPEC_##path

static const struct view_row node_twin_spec_rows[] = {
    TEXT(node_name, NODE_NAME),
    TEXT(policy_name, POLICY_NAME),
    TEXT(gpu_cap_scope, GPU_POWER_CAP_SCOPE),
    NUMBER(cpu_cap_w, CPU_PACKAGE_POWER_CAP_WATTS),
    NUMBER(cpu_cap_pct, CPU_PACKAGE_POWER_CAP_PCT_OF_MAX),
    NUMBER(gpu_cap_w, GPU_POWER_CAP_CAP_WATTS_PER_GPU),
    NUMBER(gpu_cap_pct, GPU_POWER_CAP_CAP_PCT_OF_MAX),
    WORD(profile, PROFILE, PROFILE),
    WORD(reschedulable_pressure, POLICY_RESCHEDULABLE_PRESSURE, LEVEL),
    BOOL(is_draining, SCHEDULING_DRAINING),
};

#undef VIEW
#undef PATH

#define VIEW joulie_v1alpha1_node_twin_status
#define PATH(path) JOULIE_V1ALPHA1_NODE_TWIN_STATUS_##path

static const struct view_row node_twin_status_rows[] = {
    NUMBER(measured_node_power_w, POWER_MEASUREMENT_MEASURED_NODE_POWER_W),
    NUMBER(cpu_capped_power_w, POWER_MEASUREMENT_CPU_CAPPED_POWER_W),
    NUMBER(gpu_capped_power_w, POWER_MEASUREMENT_GPU_CAPPED_POWER_W),
    NUMBER(node_capped_power_w, POWER_MEASUREMENT_NODE_CAPPED_POWER_W),
    NUMBER(cpu_tdp_w, POWER_MEASUREMENT_CPU_TDP_W),
    NUMBER(gpu_tdp_w, POWER_MEASUREMENT_GPU_TDP_W),
    NUMBER(node_tdp_w, POWER_MEASUREMENT_NODE_TDP_W),
    NUMBER(power_trend_w_per_min, POWER_MEASUREMENT_POWER_TREND_W_PER_MIN),
    NUMBER(power_headroom_score, PREDICTED_POWER_HEADROOM_SCORE),
    NUMBER(cooling_stress_score, PREDICTED_COOLING_STRESS_SCORE),
    NUMBER(psu_stress_score, PREDICTED_PSU_STRESS_SCORE),
    NUMBER(cpu_effective_pct, EFFECTIVE_CAP_STATE_CPU_PCT),
    NUMBER(gpu_effective_pct, EFFECTIVE_CAP_STATE_GPU_PCT),
    NUMBER(hardware_density_score, HARDWARE_DENSITY_SCORE),
    NUMBER(estimated_pue, ESTIMATED_PUE),
    NUMBER(slicing_gain_pct, GPU_SLICING_RECOMMENDATION_ESTIMATED_UTILIZATION_GAIN),
    NUMBER(slicing_confidence_frac, GPU_SLICING_RECOMMENDATION_CONFIDENCE),
    INTEGER(slices_per_gpu, GPU_SLICING_RECOMMENDATION_SLICES_PER_GPU),
    INTEGER(total_slices, GPU_SLICING_RECOMMENDATION_TOTAL_SLICES),
    TIME(last_updated_ms, LAST_UPDATED),
    TIME(cpu_control_updated_ms, CONTROL_STATUS_CPU_UPDATED_AT),
    TIME(gpu_control_updated_ms, CONTROL_STATUS_GPU_UPDATED_AT),
    TEXT(slice_type, GPU_SLICING_RECOMMENDATION_SLICE_TYPE),
    TEXT(slicing_reason, GPU_SLICING_RECOMMENDATION_REASON),
    TEXT(cpu_control_backend, CONTROL_STATUS_CPU_BACKEND),
    TEXT(cpu_control_message, CONTROL_STATUS_CPU_MESSAGE),
    TEXT(gpu_control_backend, CONTROL_STATUS_GPU_BACKEND),
    TEXT(gpu_control_message, CONTROL_STATUS_GPU_MESSAGE),
    WORD(schedulable_class, SCHEDULABLE_CLASS, NODE_CLASS),
    WORD(power_source, POWER_MEASUREMENT_SOURCE, POWER_SOURCE),
    WORD(slicing_mode, GPU_SLICING_RECOMMENDATION_MODE, SLICING),
    WORD(cpu_control_result, CONTROL_STATUS_CPU_RESULT, CONTROL_RESULT),
    WORD(gpu_control_result, CONTROL_STATUS_GPU_RESULT, CONTROL_RESULT),
};

#undef VIEW
#undef PATH

#define VIEW joulie_v1alpha1_node_hardware
#define PATH(path) JOULIE_V1ALPHA1_NODE_HARDWARE_##path

static const struct view_row node_hardware_rows[] = {
    TEXT(node_name, SPEC_NODE_NAME),
    TEXT(cpu_raw_model, STATUS_CPU_RAW_MODEL),
    TEXT(cpu_model, STATUS_CPU_MODEL),
    TEXT(cpu_vendor, STATUS_CPU_VENDOR),
    TEXT(cpu_driver_family, STATUS_CPU_DRIVER_FAMILY),
    TEXT(cpu_cap_range_type, STATUS_CPU_CAP_RANGE_TYPE),
    TEXT(gpu_raw_model, STATUS_GPU_RAW_MODEL),
    TEXT(gpu_model, STATUS_GPU_MODEL),
    TEXT(gpu_vendor, STATUS_GPU_VENDOR),
    TEXT(link_class, STATUS_NETWORK_LINK_CLASS),
    TEXT(cpu_catalog_key, STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY_CPU),
    TEXT(gpu_catalog_key, STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY_GPU),
    TEXT(cpu_exactness, STATUS_INVENTORY_RESOLUTION_EXACTNESS_CPU),
    TEXT(gpu_exactness, STATUS_INVENTORY_RESOLUTION_EXACTNESS_GPU),
    TEXT(quality, STATUS_QUALITY_OVERALL),
    NUMBER(cpu_min_cap_w, STATUS_CPU_CAP_RANGE_MIN_WATTS_PER_SOCKET),
    NUMBER(cpu_max_cap_w, STATUS_CPU_CAP_RANGE_MAX_WATTS_PER_SOCKET),
    NUMBER(cpu_min_freq_mhz, STATUS_CPU_LANDMARKS_MIN_FREQ_MHZ),
    NUMBER(cpu_nominal_freq_mhz, STATUS_CPU_LANDMARKS_NOMINAL_FREQ_MHZ),
    NUMBER(cpu_max_boost_mhz, STATUS_CPU_LANDMARKS_MAX_BOOST_MHZ),
    NUMBER(cpu_lowest_nonlinear_freq_mhz, STATUS_CPU_LANDMARKS_LOWEST_NONLINEAR_FREQ_MHZ),
    NUMBER(gpu_min_cap_w, STATUS_GPU_CAP_RANGE_PER_GPU_MIN_WATTS),
    NUMBER(gpu_max_cap_w, STATUS_GPU_CAP_RANGE_PER_GPU_MAX_WATTS),
    NUMBER(gpu_default_cap_w, STATUS_GPU_CAP_RANGE_PER_GPU_DEFAULT_WATTS),
    NUMBER(gpu_current_cap_w, STATUS_GPU_CURRENT_CAP_WATTS),
    INTEGER(cpu_sockets, STATUS_CPU_SOCKETS),
    INTEGER(cpu_total_cores, STATUS_CPU_TOTAL_CORES),
    INTEGER(cpu_cores_per_socket, STATUS_CPU_CORES_PER_SOCKET),
    INTEGER(cpu_logical_cpus, STATUS_CPU_LOGICAL_CPUS),
    INTEGER(cpu_physical_cores, STATUS_CPU_PHYSICAL_CORES),
    INTEGER(gpu_count, STATUS_GPU_COUNT),
    INTEGER(memory_bytes, STATUS_MEMORY_TOTAL_BYTES),
    TIME(updated_ms, STATUS_UPDATED_AT),
    BOOL(has_gpus, STATUS_GPU_PRESENT),
    BOOL(gpu_can_slice, STATUS_GPU_SLICING_SUPPORTED),
    BOOL(cpu_can_control, STATUS_CPU_CONTROL_AVAILABLE),
    BOOL(cpu_can_read, STATUS_CPU_TELEMETRY_AVAILABLE),
    BOOL(gpu_can_control, STATUS_GPU_CONTROL_AVAILABLE),
    BOOL(gpu_can_read, STATUS_GPU_TELEMETRY_AVAILABLE),
    BOOL(node_can_control_cpu, STATUS_CAPABILITIES_CPU_CONTROL),
    BOOL(node_can_control_gpu, STATUS_CAPABILITIES_GPU_CONTROL),
    BOOL(node_can_read_cpu, STATUS_CAPABILITIES_CPU_TELEMETRY),
    BOOL(node_can_read_gpu, STATUS_CAPABILITIES_GPU_TELEMETRY),
};

#undef VIEW
#undef PATH

#define VIEW joulie_v1alpha1_workload_profile
#define PATH(path) JOULIE_V1ALPHA1_WORKLOAD_PROFILE_##path

static const struct view_row workload_profile_rows[] = {
    TEXT(node_name, SPEC_NODE_NAME),
    TEXT(workload_kind, SPEC_WORKLOAD_REF_KIND),
    TEXT(workload_namespace, SPEC_WORKLOAD_REF_NAMESPACE),
    TEXT(workload_name, SPEC_WORKLOAD_REF_NAME),
    TEXT(reschedule_reason, STATUS_RESCHEDULE_REASON),
    TEXT(classification_reason, STATUS_CLASSIFICATION_REASON),
    NUMBER(cpu_utilization_pct, STATUS_CPU_AVG_UTILIZATION_PCT),
    NUMBER(gpu_utilization_pct, STATUS_GPU_AVG_UTILIZATION_PCT),
    NUMBER(confidence_frac, STATUS_CONFIDENCE),
    TIME(last_updated_ms, STATUS_LAST_UPDATED),
    WORD(criticality, STATUS_CRITICALITY_CLASS, WORKLOAD_CLASS),
    WORD(cpu_intensity, STATUS_CPU_INTENSITY, LEVEL),
    WORD(cpu_bound, STATUS_CPU_BOUND, BOUND),
    WORD(cpu_cap_sensitivity, STATUS_CPU_CAP_SENSITIVITY, LEVEL),
    WORD(gpu_intensity, STATUS_GPU_INTENSITY, LEVEL),
    WORD(gpu_bound, STATUS_GPU_BOUND, BOUND),
    WORD(gpu_cap_sensitivity, STATUS_GPU_CAP_SENSITIVITY, LEVEL),
    BOOL(is_reschedulable, STATUS_MIGRATABILITY_RESCHEDULABLE),
    BOOL(should_reschedule, STATUS_RESCHEDULE_RECOMMENDED),
};

#undef VIEW
#undef PATH

#define VIEW joulie_tensor_fusion_v1_profile
#define PATH(path) JOULIE_TENSOR_FUSION_V1_##path

static const struct view_row tensor_fusion_profile_rows[] = {
    TEXT(pool_name, SPEC_POOL_NAME),
    TEXT(gpu_model, SPEC_GPU_MODEL),
    TEXT(vendor, SPEC_VENDOR),
    TEXT(partition_template_id, SPEC_PARTITION_TEMPLATE_ID),
    TEXT(limit_tflops_text, SPEC_RESOURCES_LIMITS_TFLOPS),
    TEXT(limit_vram_text, SPEC_RESOURCES_LIMITS_VRAM),
    TEXT(limit_compute_text, SPEC_RESOURCES_LIMITS_COMPUTE),
    TEXT(request_tflops_text, SPEC_RESOURCES_REQUESTS_TFLOPS),
    TEXT(request_vram_text, SPEC_RESOURCES_REQUESTS_VRAM),
    TEXT(request_compute_text, SPEC_RESOURCES_REQUESTS_COMPUTE),
    QUANTITY(limit_tflops, SPEC_RESOURCES_LIMITS_TFLOPS),
    QUANTITY(limit_vram_bytes, SPEC_RESOURCES_LIMITS_VRAM),
    QUANTITY(limit_compute_pct, SPEC_RESOURCES_LIMITS_COMPUTE),
    QUANTITY(request_tflops, SPEC_RESOURCES_REQUESTS_TFLOPS),
    QUANTITY(request_vram_bytes, SPEC_RESOURCES_REQUESTS_VRAM),
    QUANTITY(request_compute_pct, SPEC_RESOURCES_REQUESTS_COMPUTE),
    INTEGER(gpu_count, SPEC_GPU_COUNT),
    INTEGER(replicas, SPEC_REPLICAS),
    INTEGER(gang_min_members, SPEC_GANG_SCHEDULING_MIN_MEMBERS),
    WORD(qos, SPEC_QOS, TENSOR_FUSION_QOS),
    WORD(isolation, SPEC_ISOLATION, TENSOR_FUSION_ISOLATION),
    WORD(limits_target, SPEC_AUTO_SET_LIMITS_TARGET_RESOURCE, TENSOR_FUSION_TARGET),
    WORD(requests_target, SPEC_AUTO_SET_REQUESTS_TARGET_RESOURCE, TENSOR_FUSION_TARGET),
    WORD(resources_target, SPEC_AUTO_SET_RESOURCES_TARGET_RESOURCE, TENSOR_FUSION_TARGET),
    BOOL(is_local_gpu, SPEC_IS_LOCAL_GPU),
    BOOL(is_sidecar_worker, SPEC_SIDECAR_WORKER),
    BOOL(limits_enabled, SPEC_AUTO_SET_LIMITS_ENABLE),
    BOOL(replicas_enabled, SPEC_AUTO_SET_REPLICAS_ENABLE),
    BOOL(requests_enabled, SPEC_AUTO_SET_REQUESTS_ENABLE),
    BOOL(resources_enabled, SPEC_AUTO_SET_RESOURCES_ENABLE),
    BOOL(external_enabled, SPEC_EXTERNAL_SCALER_ENABLE),
};

#undef VIEW
#undef PATH

static int read_quantity(const char *text, double *out)
{
    struct jl_quantity quantity;
    const int rc = jl_parse_quantity(text, strlen(text), &quantity);
    if (rc == 0)
        *out = jl_quantity_to_double(&quantity);
    return rc;
}

/* A word that has no value is 0, UNKNOWN, and counts as present: the document has something there.
 */
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
        *(int *)member = joulie_word_value(row->vocabulary, text);
    else if (row->type == VIEW_QUANTITY)
        return read_quantity(text, member) < 0 ? 0 : 1;
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
    case VIEW_QUANTITY:
        break;
    }
    return read_text(object, row, member, err);
}

/* Two projects have a WorkloadProfile: the version distinguishes them. */
static bool is_kind_of(const struct view *view, const struct jl_kind *kind)
{
    return jl_same(kind->api_version, view->api_version) &&
           (jl_same(kind->kind, view->kind) ||
            (view->other_kind && jl_same(kind->kind, view->other_kind)));
}

/* A row whose value is absent leaves the zero of ours and its bit clear; has stands behind
 * struct_size in every view. */
static int read_rows(const struct joulie_object *object, const struct view *view, void *ours,
                     struct joulie_error *err)
{
    uint64_t has = 0;
    if (!is_kind_of(view, object->table->kind))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "kind", "a %s of %s was expected, this is a %s",
                       view->kind, view->api_version, joulie_object_kind(object));
    for (size_t i = 0; i < view->count; i++) {
        const struct view_row *row = &view->rows[i];
        const int rc = read_row(object, row, (char *)ours + row->offset, err);
        if (rc < 0)
            return rc;
        has |= (uint64_t)(rc == 1) << i;
    }
    memcpy((char *)ours + sizeof(size_t), &has, sizeof has);
    return 0;
}

/* Fills ours, a zeroed struct of this release, and publishes it to the caller's. */
static int read_view(const struct joulie_object *object, const struct view *view, void *ours,
                     size_t ours_size, void *out, struct joulie_error *err)
{
    if (jl_sized_check(out, ours_size) < 0)
        return jl_fail_abi(err, "");
    const int rc = read_rows(object, view, ours, err);
    if (rc == 0)
        jl_sized_write(out, ours, ours_size);
    return rc;
}

/* ---- the views ---- */

#define V1ALPHA1(name, kind_name)                                          \
    {                                                                      \
        JOULIE_V1ALPHA1_API_VERSION, kind_name, NULL, name, JL_COUNT(name) \
    }

/* Both words have the same value as a class of work. */
_Static_assert((int)JL_CRITICALITY_PERFORMANCE == (int)JOULIE_WORKLOAD_PERFORMANCE, "criticality");
_Static_assert((int)JL_CRITICALITY_STANDARD == (int)JOULIE_WORKLOAD_STANDARD, "criticality");

int joulie_v1alpha1_get_node_twin_spec(const struct joulie_object *object,
                                       struct joulie_v1alpha1_node_twin_spec *out,
                                       struct joulie_error *err)
{
    static const struct view view = V1ALPHA1(node_twin_spec_rows, JOULIE_V1ALPHA1_KIND_NODE_TWIN);
    struct joulie_v1alpha1_node_twin_spec ours = { 0 };
    return read_view(object, &view, &ours, sizeof ours, out, err);
}

int joulie_v1alpha1_get_node_twin_status(const struct joulie_object *object,
                                         struct joulie_v1alpha1_node_twin_status *out,
                                         struct joulie_error *err)
{
    static const struct view view = V1ALPHA1(node_twin_status_rows, JOULIE_V1ALPHA1_KIND_NODE_TWIN);
    struct joulie_v1alpha1_node_twin_status ours = { 0 };
    return read_view(object, &view, &ours, sizeof ours, out, err);
}

int joulie_v1alpha1_get_node_hardware(const struct joulie_object *object,
                                      struct joulie_v1alpha1_node_hardware *out,
                                      struct joulie_error *err)
{
    static const struct view view =
        V1ALPHA1(node_hardware_rows, JOULIE_V1ALPHA1_KIND_NODE_HARDWARE);
    struct joulie_v1alpha1_node_hardware ours = { 0 };
    return read_view(object, &view, &ours, sizeof ours, out, err);
}

int joulie_v1alpha1_get_workload_profile(const struct joulie_object *object,
                                         struct joulie_v1alpha1_workload_profile *out,
                                         struct joulie_error *err)
{
    static const struct view view =
        V1ALPHA1(workload_profile_rows, JOULIE_V1ALPHA1_KIND_WORKLOAD_PROFILE);
    struct joulie_v1alpha1_workload_profile ours = { 0 };
    return read_view(object, &view, &ours, sizeof ours, out, err);
}

int joulie_tensor_fusion_v1_get_profile(const struct joulie_object *object,
                                        struct joulie_tensor_fusion_v1_profile *out,
                                        struct joulie_error *err)
{
    static const struct view view = {
        JOULIE_TENSOR_FUSION_V1_API_VERSION,
        JOULIE_TENSOR_FUSION_V1_KIND_WORKLOAD_PROFILE,
        JOULIE_TENSOR_FUSION_V1_KIND_TENSOR_FUSION_WORKLOAD,
        tensor_fusion_profile_rows,
        JL_COUNT(tensor_fusion_profile_rows),
    };
    struct joulie_tensor_fusion_v1_profile ours = { 0 };
    return read_view(object, &view, &ours, sizeof ours, out, err);
}
