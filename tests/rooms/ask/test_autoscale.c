/* SPDX-License-Identifier: Apache-2.0 */

/* The question autoscale: what it refuses, and what it says of amounts and samples. */

#include <string.h>

#include "ask/ask_tests.h"

#define SPEC(spec)                                                                       \
    "{\"profile\":{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\"," \
    "\"spec\":{" spec "}},\"now\":\"2026-03-13T12:00:00Z\""
#define AMOUNTS                                                         \
    "\"resources\":{\"requests\":{\"tflops\":\"10\",\"vram\":\"4Gi\"}," \
    "\"limits\":{\"tflops\":\"20\",\"vram\":\"4Gi\"}}"

static void amounts_below_0_are_refused_with_their_path(void **state)
{
    (void)state;
    refuses("autoscale", SPEC(AMOUNTS) ",\"current\":{\"limits\":{\"tflops\":\"-5\"}}}",
            JOULIE_E_RANGE, "current.limits.tflops");
    refuses("autoscale", SPEC(AMOUNTS) ",\"current\":{\"requests\":{\"vram\":\"-1Gi\"}}}",
            JOULIE_E_RANGE, "current.requests.vram");
    refuses("autoscale", SPEC(AMOUNTS) ",\"pool\":{\"gpu\":{\"vram\":\"-1\"}}}", JOULIE_E_RANGE,
            "pool.gpu.vram");
    refuses("autoscale", SPEC(AMOUNTS) ",\"pool\":{\"maxAllowed\":{\"tflops\":\"-1m\"}}}",
            JOULIE_E_RANGE, "pool.maxAllowed.tflops");
}

static void more_replicas_than_can_be_are_refused(void **state)
{
    (void)state;
    refuses("autoscale", SPEC(AMOUNTS) ",\"current\":{\"replicas\":1000000000000}}", JOULIE_E_RANGE,
            "current.replicas");
    refuses("autoscale", SPEC(AMOUNTS) ",\"current\":{\"replicas\":2147483648}}", JOULIE_E_RANGE,
            "current.replicas");
    joulie_free(answer_of("autoscale", SPEC(AMOUNTS) ",\"current\":{\"replicas\":2147483647}}"));
}

/* Every decision has its amount, and resources are complete. */
static void amounts_beyond_a_quantity_are_the_largest_one(void **state)
{
    (void)state;
    char *answer = answer_of(
        "autoscale",
        SPEC("\"autoScalingConfig\":{\"autoSetResources\":{\"enable\":true,\"targetResource\":"
             "\"all\",\"initialDelayPeriod\":\"0s\",\"minComputeResourcesRatio\":\"1e308\","
             "\"marginFraction\":\"1e300\"}}," AMOUNTS) ",\"options\":{\"model\":\"v2.17.1\"},"
                                                        "\"workers\":[{\"name\":\"w\",\"created\":"
                                                        "\"2026-03-13T11:00:00Z\"}],\"samples\":[{"
                                                        "\"worker\":\"w\",\"t\":"
                                                        "\"2026-03-13T12:00:00Z\",\"tflops\":12,"
                                                        "\"vram\":\"2Gi\"}]}");
    assert_non_null(strstr(answer, "\"resource\":\"tflops\",\"from\":\"10\",\"to\":"));
    assert_non_null(strstr(answer, "\"resources\":{\"requests\":{\"tflops\":"));
    assert_non_null(strstr(answer, "{\"reason\":\"Capped\",\"where\":\"profile.spec."
                                   "autoScalingConfig.autoSetResources.marginFraction\""));
    joulie_free(answer);
}

static void a_buffer_within_the_ignored_range_is_reported(void **state)
{
    (void)state;
    static const char limits[] = "\"where\":\"profile.spec.autoScalingConfig.autoSetLimits.";

    const struct {
        const char *document;
        const char *key;
    } cases[] = {
        { SPEC(
              "\"autoScalingConfig\":{\"autoSetLimits\":{\"enable\":true,\"extraTFlopsBufferRatio\""
              ":\"0\"}}," AMOUNTS) "}",
          "extraTFlopsBufferRatio" },
        { SPEC(
              "\"autoScalingConfig\":{\"autoSetLimits\":{\"enable\":true,\"extraTFlopsBufferRatio\""
              ":\"10%\",\"ignoredDeltaRange\":\"10%\"}}," AMOUNTS) "}",
          "extraTFlopsBufferRatio" },
        { SPEC("\"autoScalingConfig\":{\"autoSetLimits\":{\"enable\":true,\"ignoredDeltaRange\":"
               "\"15%\",\"targetResource\":\"vram\"}}," AMOUNTS) "}",
          "ignoredDeltaRange" },
    };

    for (size_t i = 0; i < JL_COUNT(cases); i++) {
        char *answer = answer_of("autoscale", cases[i].document);
        const char *at = strstr(answer, limits);
        assert_non_null(strstr(answer, "InvalidField"));
        assert_non_null(at);
        assert_memory_equal(at + sizeof limits - 1, cases[i].key, strlen(cases[i].key));
        joulie_free(answer);
    }
    char *answer =
        answer_of("autoscale", SPEC("\"autoScalingConfig\":{\"autoSetLimits\":{\"enable\":"
                                    "true,\"ignoredDeltaRange\":\"14%\"}}," AMOUNTS) "}");
    assert_null(strstr(answer, "InvalidField"));
    joulie_free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_below_0_are_refused_with_their_path),
        cmocka_unit_test(more_replicas_than_can_be_are_refused),
        cmocka_unit_test(amounts_beyond_a_quantity_are_the_largest_one),
        cmocka_unit_test(a_buffer_within_the_ignored_range_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
