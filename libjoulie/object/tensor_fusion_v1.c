/* SPDX-License-Identifier: Apache-2.0 */

/* The flat view of joulie/tensor_fusion_v1.h. */

#include <joulie/tensor_fusion_v1.h>

#include "object/view.h"

/* A row: type, member, the bit of the member behind _HAS_, its path behind the name of the kind; of
 * a word also its vocabulary. */
#define PROFILE_ROW(TYPE, member, BIT, PATH)                                                 \
    TYPE(joulie_tensor_fusion_v1_profile, member, JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_##BIT, \
         JOULIE_TENSOR_FUSION_V1_##PATH)
#define PROFILE_ROW_WORD(member, BIT, PATH, WORDS)                                           \
    WORD(joulie_tensor_fusion_v1_profile, member, JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_##BIT, \
         JOULIE_TENSOR_FUSION_V1_##PATH, JOULIE_VOCABULARY_##WORDS)

static const struct jl_view_row profile_rows[] = {
    PROFILE_ROW(TEXT, pool_name, POOL_NAME, SPEC_POOL_NAME),
    PROFILE_ROW(TEXT, gpu_model, GPU_MODEL, SPEC_GPU_MODEL),
    PROFILE_ROW(TEXT, vendor, VENDOR, SPEC_VENDOR),
    PROFILE_ROW(TEXT, partition_template_id, PARTITION_TEMPLATE_ID, SPEC_PARTITION_TEMPLATE_ID),
    PROFILE_ROW(TEXT, limit_tflops_text, LIMIT_TFLOPS_TEXT, SPEC_RESOURCES_LIMITS_TFLOPS),
    PROFILE_ROW(TEXT, limit_vram_text, LIMIT_VRAM_TEXT, SPEC_RESOURCES_LIMITS_VRAM),
    PROFILE_ROW(TEXT, limit_compute_text, LIMIT_COMPUTE_TEXT, SPEC_RESOURCES_LIMITS_COMPUTE),
    PROFILE_ROW(TEXT, request_tflops_text, REQUEST_TFLOPS_TEXT, SPEC_RESOURCES_REQUESTS_TFLOPS),
    PROFILE_ROW(TEXT, request_vram_text, REQUEST_VRAM_TEXT, SPEC_RESOURCES_REQUESTS_VRAM),
    PROFILE_ROW(TEXT, request_compute_text, REQUEST_COMPUTE_TEXT, SPEC_RESOURCES_REQUESTS_COMPUTE),
    PROFILE_ROW(QUANTITY, limit_tflops, LIMIT_TFLOPS, SPEC_RESOURCES_LIMITS_TFLOPS),
    PROFILE_ROW(QUANTITY, limit_vram_bytes, LIMIT_VRAM_BYTES, SPEC_RESOURCES_LIMITS_VRAM),
    PROFILE_ROW(QUANTITY, limit_compute_pct, LIMIT_COMPUTE_PCT, SPEC_RESOURCES_LIMITS_COMPUTE),
    PROFILE_ROW(QUANTITY, request_tflops, REQUEST_TFLOPS, SPEC_RESOURCES_REQUESTS_TFLOPS),
    PROFILE_ROW(QUANTITY, request_vram_bytes, REQUEST_VRAM_BYTES, SPEC_RESOURCES_REQUESTS_VRAM),
    PROFILE_ROW(QUANTITY, request_compute_pct, REQUEST_COMPUTE_PCT,
                SPEC_RESOURCES_REQUESTS_COMPUTE),
    PROFILE_ROW(INTEGER, gpu_count, GPU_COUNT, SPEC_GPU_COUNT),
    PROFILE_ROW(INTEGER, replicas, REPLICAS, SPEC_REPLICAS),
    PROFILE_ROW(INTEGER, gang_min_members, GANG_MIN_MEMBERS, SPEC_GANG_SCHEDULING_MIN_MEMBERS),
    PROFILE_ROW_WORD(qos, QOS, SPEC_QOS, TENSOR_FUSION_QOS),
    PROFILE_ROW_WORD(isolation, ISOLATION, SPEC_ISOLATION, TENSOR_FUSION_ISOLATION),
    PROFILE_ROW_WORD(limits_target, LIMITS_TARGET, SPEC_AUTO_SET_LIMITS_TARGET_RESOURCE,
                     TENSOR_FUSION_TARGET),
    PROFILE_ROW_WORD(requests_target, REQUESTS_TARGET, SPEC_AUTO_SET_REQUESTS_TARGET_RESOURCE,
                     TENSOR_FUSION_TARGET),
    PROFILE_ROW_WORD(resources_target, RESOURCES_TARGET, SPEC_AUTO_SET_RESOURCES_TARGET_RESOURCE,
                     TENSOR_FUSION_TARGET),
    PROFILE_ROW(BOOL, is_local_gpu, IS_LOCAL_GPU, SPEC_IS_LOCAL_GPU),
    PROFILE_ROW(BOOL, is_sidecar_worker, IS_SIDECAR_WORKER, SPEC_SIDECAR_WORKER),
    PROFILE_ROW(BOOL, limits_enabled, LIMITS_ENABLED, SPEC_AUTO_SET_LIMITS_ENABLE),
    PROFILE_ROW(BOOL, replicas_enabled, REPLICAS_ENABLED, SPEC_AUTO_SET_REPLICAS_ENABLE),
    PROFILE_ROW(BOOL, requests_enabled, REQUESTS_ENABLED, SPEC_AUTO_SET_REQUESTS_ENABLE),
    PROFILE_ROW(BOOL, resources_enabled, RESOURCES_ENABLED, SPEC_AUTO_SET_RESOURCES_ENABLE),
    PROFILE_ROW(BOOL, external_enabled, EXTERNAL_ENABLED, SPEC_EXTERNAL_SCALER_ENABLE),
};
static const struct jl_view profile =
    JL_VIEW(JOULIE_TENSOR_FUSION_V1_API_VERSION, JOULIE_TENSOR_FUSION_V1_KIND_WORKLOAD_PROFILE,
            JOULIE_TENSOR_FUSION_V1_KIND_TENSOR_FUSION_WORKLOAD, profile_rows);

int joulie_tensor_fusion_v1_get_profile(const struct joulie_object *object,
                                        struct joulie_tensor_fusion_v1_profile *out,
                                        struct joulie_error *err)
{
    struct joulie_tensor_fusion_v1_profile ours = { 0 };
    return jl_view_read(object, &profile, &ours, sizeof ours, out, err);
}
