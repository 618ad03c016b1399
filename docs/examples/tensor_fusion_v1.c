/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/tensor_fusion_v1.h>: a preset of vGPU workloads, read whole, checked and changed. */

#include <stdio.h>
#include <string.h>

#include <joulie/tensor_fusion_v1.h>

static const char profile[] =
    "apiVersion: tensor-fusion.ai/v1\n"
    "kind: WorkloadProfile\n"
    "metadata: {name: chat, namespace: ml}\n"
    "spec:\n"
    "  qos: high\n"
    "  resources: {requests: {tflops: 10500m, vram: 4Gi}, limits: {tflops: 20, vram: 8Gi}}\n"
    "  autoScalingConfig: {autoSetLimits: {enable: true, targetResource: tflops}}\n";

int main(void)
{
    struct joulie_tensor_fusion_v1_profile view =
        JOULIE_INIT(struct joulie_tensor_fusion_v1_profile);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_object *object = NULL;

    int rc = joulie_object_parse(profile, strlen(profile), NULL, 0, &object, &err);
    if (rc == JOULIE_OK)
        rc = joulie_tensor_fusion_v1_get_profile(object, &view, &err);
    if (rc != JOULIE_OK) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
        joulie_object_free(object);
        return 1;
    }
    printf("qos %s\n", joulie_word(JOULIE_VOCABULARY_TENSOR_FUSION_QOS, (int)view.qos));
    printf("request %s is %.1f TFLOPS\n", view.request_tflops_text, view.request_tflops);
    printf("limit %.0f MiB\n", view.limit_vram_bytes / (1 << 20));
    if (!(view.has & JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REPLICAS))
        puts("replicas follow the pods");

    rc = joulie_object_set_text(object, JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_LIMITS_TFLOPS, "5",
                                &err);
    if (rc == JOULIE_OK)
        rc = joulie_object_validate(object, &err);
    printf("%s: %s\n", err.where, err.message);
    joulie_object_free(object);
    return rc == JOULIE_E_CONFLICT ? 0 : 1;
}
