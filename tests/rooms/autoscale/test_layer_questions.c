/* SPDX-License-Identifier: Apache-2.0 */

/* What the questions about layers, replicas and merges refuse, and the answers that have no vector.
 */

#include <stdio.h>
#include <string.h>

#include "ask/ask_tests.h"

#define LIMITS "{\"layer\":\"limits\",\"resource\":\"tflops\","
#define REQUESTS "{\"layer\":\"requests\",\"resource\":\"tflops\","
#define SOURCE "{\"options\":{\"model\":\"v2.17.1\"},\"layer\":\"percentile\","

static void a_layer_needs_its_resource_and_its_model(void **state)
{
    (void)state;
    refuses("autoscale.layer", "{}", JOULIE_E_REQUIRED, "layer");
    refuses("autoscale.layer", "{\"layer\":\"limits\"}", JOULIE_E_REQUIRED, "resource");
    refuses("autoscale.layer", "{\"layer\":\"limit\",\"resource\":\"vram\"}", JOULIE_E_ENUM,
            "layer");
    refuses("autoscale.layer", "{\"layer\":\"percentile\",\"percentiles\":{}}",
            JOULIE_E_UNSUPPORTED, "options.model");
    refuses("autoscale.layer",
            "{\"options\":{\"model\":\"v2.17.1\"},\"layer\":\"limits\",\"resource\":\"vram\"}",
            JOULIE_E_UNSUPPORTED, "layer");
    refuses("autoscale.layer", SOURCE "\"qos\":\"low\"}", JOULIE_E_REQUIRED, "percentiles");
}

static void members_whose_type_depends_on_the_layer_are_checked(void **state)
{
    (void)state;
    refuses("autoscale.layer", LIMITS "\"current\":{}}", JOULIE_E_TYPE, "current");
    refuses("autoscale.layer", LIMITS "\"current\":\"20\"}", JOULIE_E_TYPE, "current");
    refuses("autoscale.layer", LIMITS "\"current\":-1}", JOULIE_E_RANGE, "current");
    refuses("autoscale.layer", LIMITS "\"current\":1e19}", JOULIE_E_RANGE, "current");
    refuses("autoscale.layer", REQUESTS "\"maxAllowed\":true}", JOULIE_E_TYPE, "maxAllowed");
    refuses("autoscale.layer", REQUESTS "\"percentiles\":{\"lower\":-1}}", JOULIE_E_RANGE,
            "percentiles.lower");
    refuses("autoscale.layer", REQUESTS "\"percentiles\":{\"p\":1}}", JOULIE_E_UNKNOWN_MEMBER,
            "percentiles.p");
    refuses("autoscale.layer", SOURCE "\"percentiles\":5}", JOULIE_E_TYPE, "percentiles");
    refuses("autoscale.layer",
            SOURCE "\"percentiles\":{},\"current\":{\"limits\":{\"vram\":\"1Gi\"}}}", JOULIE_E_TYPE,
            "current.limits.vram");
}

static void amounts_outside_what_can_be_are_refused(void **state)
{
    (void)state;
    refuses("autoscale.layer", LIMITS "\"p99\":-1}", JOULIE_E_RANGE, "p99");
    refuses("autoscale.layer", LIMITS "\"peak\":1e400}", JOULIE_E_RANGE, "peak");
    refuses("autoscale.layer", LIMITS "\"evaluationPeriodS\":0}", JOULIE_E_RANGE,
            "evaluationPeriodS");
    refuses("autoscale.layer", LIMITS "\"samples\":1.5}", JOULIE_E_TYPE, "samples");
    refuses("autoscale.layer", LIMITS "\"p99\":9e18,\"request\":9e18}", JOULIE_E_RANGE, "current");
}

static void what_is_unknown_is_absent(void **state)
{
    (void)state;
    answers("autoscale.layer", LIMITS "\"current\":20,\"request\":10}",
            "{\"value\":20,\"reason\":\"LowConfidence\"}");
    answers("autoscale.layer", LIMITS "\"current\":20,\"p99\":10}",
            "{\"target\":12,\"lower\":0,\"value\":12,\"text\":\"12\",\"reason\":\"ScaledDown\"}");
    answers("autoscale.layer", REQUESTS "\"current\":20}",
            "{\"value\":20,\"reason\":\"LowConfidence\"}");
    answers("autoscale.layer",
            "{\"options\":{\"model\":\"v1.45.0\"},\"layer\":\"percentile\",\"confidence\":0}",
            "{}");
}

/* 1.15 * 1.4 / 1.15 and its like lie a hair beside the bound. */
static void a_limit_at_its_request_is_at_its_minimum(void **state)
{
    (void)state;
    for (int milli = 100; milli < 3000; milli++) {
        char text[200];
        snprintf(text, sizeof text,
                 LIMITS "\"current\":%d.%03d,\"request\":%d.%03d,\"p99\":0.01,\"peak\":0.01}",
                 milli / 1000, milli % 1000, milli / 1000, milli % 1000);
        char *answer = answer_of("autoscale.layer", text);
        if (strstr(answer, "\"AtMinimum\"") == NULL)
            fail_msg("%s: %s", text, answer);
        joulie_free(answer);
    }
}

static void replicas_are_checked_where_they_are_given(void **state)
{
    (void)state;
    refuses("autoscale.replicas", "{\"steps\":[]}", JOULIE_E_REQUIRED, "replicas");
    refuses("autoscale.replicas", "{\"replicas\":-1,\"steps\":[]}", JOULIE_E_RANGE, "replicas");
    refuses("autoscale.replicas", "{\"replicas\":1,\"target\":0,\"steps\":[]}", JOULIE_E_RANGE,
            "target");
    refuses("autoscale.replicas", "{\"replicas\":1,\"scaleUpStep\":\"-1\",\"steps\":[]}",
            JOULIE_E_PARSE, "scaleUpStep");
    refuses("autoscale.replicas", "{\"replicas\":1,\"scaleDownStep\":\"0%\",\"steps\":[]}",
            JOULIE_E_RANGE, "scaleDownStep");
    refuses("autoscale.replicas",
            "{\"replicas\":1,\"minReplicas\":3,\"maxReplicas\":2,\"steps\":[]}", JOULIE_E_RANGE,
            "maxReplicas");
    refuses("autoscale.replicas",
            "{\"replicas\":1,\"steps\":[{\"t\":0,\"utilization\":[1]},{\"t\":1,\"utilization\":"
            "[-1]}]}",
            JOULIE_E_RANGE, "steps[1].utilization");
    refuses("autoscale.replicas", "{\"replicas\":1,\"steps\":[{}]}", JOULIE_E_REQUIRED,
            "steps[0].t");
    answers("autoscale.replicas", "{\"replicas\":0,\"steps\":[{\"t\":0,\"utilizationAll\":1}]}",
            "{\"steps\":[{\"from\":0,\"desired\":0,\"to\":0,\"reason\":\"NoMetrics\"}]}");
}

static void a_step_of_one_number_grows_with_the_replicas(void **state)
{
    (void)state;
    answers("autoscale.replicas",
            "{\"replicas\":100000,\"scaleUpStep\":\"200%\",\"steps\":[{\"t\":0,\"utilizationAll\":"
            "1},{\"t\":60,\"utilizationAll\":1}],\"target\":0.5}",
            "{\"steps\":[{\"from\":100000,\"ratio\":2,\"desired\":100000,\"to\":100000,\"reason\":"
            "\"Saturated\"},{\"from\":100000,\"ratio\":2,\"desired\":100000,\"to\":100000,"
            "\"reason\":\"Saturated\"}]}");
}

static void quantities_of_a_merge_are_checked_where_they_are_given(void **state)
{
    (void)state;
    refuses("autoscale.merge", "{\"proposals\":[]}", JOULIE_E_REQUIRED, "current");
    refuses("autoscale.merge",
            "{\"current\":{\"requests\":{\"tflops\":\"1e1.5\"}},\"proposals\":[]}", JOULIE_E_PARSE,
            "current.requests.tflops");
    refuses("autoscale.merge",
            "{\"current\":{},\"proposals\":[{},{\"limits\":{\"vram\":\"-1Gi\"}}]}", JOULIE_E_RANGE,
            "proposals[1].limits.vram");
    refuses("autoscale.merge", "{\"current\":{},\"proposals\":[],\"gpu\":{\"vram\":\"9Ei\"}}",
            JOULIE_E_RANGE, "gpu.vram");
    refuses("autoscale.merge", "{\"current\":{},\"proposals\":[],\"maxRatioToRequests\":0.5}",
            JOULIE_E_RANGE, "maxRatioToRequests");
}

static void an_amount_that_nobody_computed_keeps_its_text(void **state)
{
    (void)state;
    answers("autoscale.merge",
            "{\"current\":{\"requests\":{\"tflops\":\"1.50\",\"vram\":\"4096Mi\"},\"limits\":{"
            "\"tflops\":\"3.0\",\"vram\":\"4096Mi\"}},\"proposals\":[{\"requests\":{\"tflops\":"
            "\"2.50\",\"vram\":\"4Gi\"},\"limits\":{\"tflops\":\"90.0\",\"vram\":\"4Gi\"}}],"
            "\"maxRatioToRequests\":5}",
            "{\"resources\":{\"requests\":{\"tflops\":\"2.50\",\"vram\":\"4096Mi\"},\"limits\":{"
            "\"tflops\":\"12500m\",\"vram\":\"4096Mi\"}}}");
    answers("autoscale.merge", "{\"current\":{},\"proposals\":[]}",
            "{\"resources\":{\"requests\":{},\"limits\":{}}}");
}

/* As joulie autoscale reads pool.gpu and pool.maxAllowed. */
static void a_capacity_of_0_is_unknown_and_an_allowance_of_0_is_known(void **state)
{
    (void)state;
    static const char now[] = "{\"requests\":{\"tflops\":\"5\",\"vram\":\"4Gi\"},\"limits\":{"
                              "\"tflops\":\"8\",\"vram\":\"8Gi\"}}";
    static const char more[] = "{\"requests\":{\"tflops\":\"6\",\"vram\":\"4Gi\"},\"limits\":{"
                               "\"tflops\":\"20\",\"vram\":\"9Gi\"}}";
    char text[600];
    snprintf(text, sizeof text,
             "{\"current\":%s,\"proposals\":[%s],\"gpu\":{\"tflops\":\"10\",\"vram\":\"0\"},"
             "\"maxAllowed\":{\"tflops\":\"0\"}}",
             now, more);
    answers("autoscale.merge", text,
            "{\"resources\":{\"requests\":{\"tflops\":\"5\",\"vram\":\"4Gi\"},\"limits\":{"
            "\"tflops\":\"10\",\"vram\":\"9Gi\"}}}");
}

#define SAMPLE(t) "{\"worker\":\"w\",\"t\":\"2026-03-13T" t "Z\",\"tflops\":12,\"vram\":\"2Gi\"}"
#define BLOCK_OF(model, block)                                                                   \
    "{\"options\":{\"model\":\"" model                                                           \
    "\"},\"profile\":{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\","      \
    "\"metadata\":{\"name\":\"p\",\"namespace\":\"ml\"},\"spec\":{\"autoScalingConfig\":{" block \
    "},\"resources\":{\"limits\":{\"tflops\":\"20\",\"vram\":\"4Gi\"},\"requests\":{\"tflops\":" \
    "\"10\",\"vram\":\"1Gi\"}}}},\"workers\":[{\"name\":\"w\",\"created\":"                      \
    "\"2026-03-13T11:00:00Z\"}],\"samples\":[" SAMPLE("11:59:40") "," SAMPLE(                    \
        "11:59:50") "," SAMPLE("12:00:00") "],\"now\":\"2026-03-13T12:00:00Z\"}"
#define OURS(target) \
    BLOCK_OF("current", "\"autoSetLimits\":{\"enable\":true,\"targetResource\":\"" target "\"}")
#define SOURCES(target)                                                                           \
    BLOCK_OF("v2.17.1", "\"autoSetResources\":{\"enable\":true,\"targetResource\":\"" target "\"" \
                        "}")

/* Whether the autoscaler decides anything about a resource. */
static bool decides(const char *text, const char *resource)
{
    char *answer = answer_of("autoscale", text);
    char *end = strstr(answer, "\"resources\"");
    assert_non_null(end);
    *end = '\0';
    const bool is_decided = strstr(answer, resource) != NULL;
    joulie_free(answer);
    return is_decided;
}

static void source_weakness_an_empty_target_is_all_and_tflops_is_compute(void **state)
{
    (void)state;
    assert_true(decides(OURS(""), "tflops") && decides(OURS(""), "vram"));
    assert_true(decides(OURS("tflops"), "tflops") && !decides(OURS("tflops"), "vram"));
    assert_true(decides(OURS("compute"), "tflops") && !decides(OURS("compute"), "vram"));
    /* the source: all when it says so, nothing when it says nothing, and tflops is unknown to it */
    assert_true(decides(SOURCES("all"), "tflops"));
    assert_false(decides(SOURCES(""), "tflops") || decides(SOURCES(""), "vram"));
    assert_false(decides(SOURCES("tflops"), "tflops"));
    assert_true(decides(SOURCES("compute"), "tflops"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layer_needs_its_resource_and_its_model),
        cmocka_unit_test(members_whose_type_depends_on_the_layer_are_checked),
        cmocka_unit_test(amounts_outside_what_can_be_are_refused),
        cmocka_unit_test(what_is_unknown_is_absent),
        cmocka_unit_test(a_limit_at_its_request_is_at_its_minimum),
        cmocka_unit_test(replicas_are_checked_where_they_are_given),
        cmocka_unit_test(a_step_of_one_number_grows_with_the_replicas),
        cmocka_unit_test(quantities_of_a_merge_are_checked_where_they_are_given),
        cmocka_unit_test(an_amount_that_nobody_computed_keeps_its_text),
        cmocka_unit_test(a_capacity_of_0_is_unknown_and_an_allowance_of_0_is_known),
        cmocka_unit_test(source_weakness_an_empty_target_is_all_and_tflops_is_compute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
