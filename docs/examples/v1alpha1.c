/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/v1alpha1.h>: one version of the API: names, paths, and views that read a whole object. */

#include <stdio.h>
#include <string.h>

#include <joulie/v1alpha1.h>

static const char twin[] = "apiVersion: joulie.io/v1alpha1\n"
                           "kind: NodeTwin\n"
                           "metadata: {name: n1}\n"
                           "spec: {nodeName: n1, profile: eco}\n"
                           "status: {schedulableClass: eco, predictedPowerHeadroomScore: 28.2,\n"
                           "         powerMeasurement: {source: http, measuredNodePowerW: 310}}\n";

int main(void)
{
    struct joulie_v1alpha1_node_twin_status status =
        JOULIE_INIT(struct joulie_v1alpha1_node_twin_status);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_object *object = NULL;
    int64_t count = 0;

    int rc = joulie_object_parse(twin, strlen(twin), NULL, 0, &object, &err);
    if (rc == JOULIE_OK)
        rc = joulie_object_set_number(
            object, JOULIE_V1ALPHA1_NODE_TWIN_SPEC_CPU_PACKAGE_POWER_CAP_PCT_OF_MAX, 60, &err);
    if (rc == JOULIE_OK)
        rc = joulie_v1alpha1_get_node_twin_status(object, &status, &err);
    if (rc != JOULIE_OK) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
        joulie_object_free(object);
        return 1;
    }
    printf("class %s\n", joulie_word(JOULIE_VOCABULARY_NODE_CLASS, (int)status.schedulable_class));
    if (status.has & JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_MEASURED_NODE_POWER_W)
        printf("power %.0f W\n", status.measured_node_power_w);
    if (!(status.has & JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_COOLING_STRESS_SCORE))
        puts("cooling stress unknown");
    if (joulie_object_get_integer(object, "status.gpuSlicingRecommendation.totalSlices", &count,
                                  NULL) == 0)
        puts("no slices");
    joulie_object_free(object);
    return 0;
}
