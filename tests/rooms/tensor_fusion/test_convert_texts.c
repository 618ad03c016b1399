/* SPDX-License-Identifier: Apache-2.0 */

/* The values of a conversion: what cannot be read, what cannot be said, what another dialect says
 * in other words (docs/rules/conversion.md). */

#include <stdio.h>
#include <string.h>

#include "convert_tests.h"
#include "support/test.h"

#define BLOCK "spec.autoScalingConfig."
#define RESOURCES(members) "{\"autoScalingConfig\":{\"autoSetResources\":{" members "}}}"
#define LIMITS(members) "{\"autoScalingConfig\":{\"autoSetLimits\":{\"enable\":true," members "}}}"
#define REQUESTS(members) \
    "{\"autoScalingConfig\":{\"autoSetRequests\":{\"enable\":true," members "}}}"

static size_t count(const struct conversion *conversion, const char *path)
{
    size_t found = 0;
    for (const struct jl_convert_warning *at = conversion->made.warnings; at; at = at->next)
        found += jl_same(at->path, path);
    return found;
}

/* A conversion with one warning about a path, after which a place of the result reads so; NULL =
 * there is nothing. reason NULL = nothing is reported at all. */
static void becomes(const char *spec, enum jl_dialect to, const char *reason, const char *reported,
                    const char *place, const char *wanted)
{
    struct conversion made;
    struct json_object *object = object_of(spec);
    convert(object, to, GPU_TFLOPS, &made);
    if (made.rc != 0)
        fail_msg("%s: %s: %s", spec, made.err.where, made.err.message);
    if (reason && (!has_warning(&made, reason, reported) || count(&made, reported) != 1))
        fail_msg("%s: no single %s about %s", spec, reason, reported);
    if (!reason && made.made.warnings)
        fail_msg("%s: %s at %s", spec, made.made.warnings->reason, made.made.warnings->path);
    struct json_object *found = value_at(made.made.object, place);
    if (wanted ? !jl_same(json_object_get_string(found), wanted) : found != NULL)
        fail_msg("%s: %s is %s", spec, place, text_of(found));
    clear(&made);
    json_object_put(object);
}

static void refused(const char *spec, enum jl_dialect to, const char *where)
{
    struct conversion made;
    struct json_object *object = object_of(spec);
    convert(object, to, GPU_TFLOPS, &made);
    assert_int_equal(made.rc, JOULIE_E_TYPE);
    assert_string_equal(made.err.where, where);
    clear(&made);
    json_object_put(object);
}

#define AT_RESOURCES BLOCK "autoSetResources."
#define AT_LIMITS BLOCK "autoSetLimits."
#define AT_REQUESTS BLOCK "autoSetRequests."

/* C replaces such a text by its default; A would take some of them at their word. */
static void a_text_that_c_cannot_read_does_not_become_one_of_a(void **state)
{
    (void)state;
    becomes(RESOURCES("\"interval\":\"10sec\""), JL_DIALECT_A, "InvalidField",
            AT_RESOURCES "interval", AT_LIMITS "evaluationPeriod", NULL);
    becomes(RESOURCES("\"interval\":\"-5h\""), JL_DIALECT_A, "InvalidField",
            AT_RESOURCES "interval", AT_REQUESTS "evaluationPeriod", NULL);
    becomes(RESOURCES("\"historyDataPeriod\":\"7d\""), JL_DIALECT_A, "InvalidField",
            AT_RESOURCES "historyDataPeriod", AT_REQUESTS "aggregationPeriod", NULL);
    becomes(RESOURCES("\"updateThreshold\":\"1\""), JL_DIALECT_A, "InvalidField",
            AT_RESOURCES "updateThreshold", AT_LIMITS "ignoredDeltaRange", NULL);
    becomes(RESOURCES("\"updateThreshold\":\"garbage\""), JL_DIALECT_A, "InvalidField",
            AT_RESOURCES "updateThreshold", AT_LIMITS "ignoredDeltaRange", NULL);
    becomes(RESOURCES("\"marginFraction\":\"20%\""), JL_DIALECT_A, "InvalidField",
            AT_RESOURCES "marginFraction", AT_LIMITS "extraTFlopsBufferRatio", NULL);
    becomes(RESOURCES("\"targetComputePercentile\":\"95\""), JL_DIALECT_A, "InvalidField",
            AT_RESOURCES "targetComputePercentile", AT_REQUESTS "percentileForAutoRequests", NULL);
    becomes(RESOURCES("\"targettflopspercentile\":\"99%\""), JL_DIALECT_A, "InvalidField",
            AT_RESOURCES "targettflopspercentile", AT_REQUESTS "percentileForAutoRequests", NULL);
    becomes(RESOURCES("\"historyLength\":\"soon\""), JL_DIALECT_A, "InvalidField",
            AT_RESOURCES "historyLength", AT_REQUESTS "aggregationPeriod", NULL);
    becomes(RESOURCES("\"historyLength\":\"1d\""), JL_DIALECT_A, NULL, NULL,
            AT_REQUESTS "aggregationPeriod", "1d");
}

/* It scales nothing there; all resources, which an absent target is, would be the opposite. */
static void a_target_that_is_no_resource_turns_the_layers_off(void **state)
{
    static const char spec[] = RESOURCES("\"enable\":true,\"targetResource\":\"disk\"");
    (void)state;
    becomes(spec, JL_DIALECT_A, "InvalidField", AT_RESOURCES "targetResource",
            AT_LIMITS "targetResource", NULL);
    becomes(spec, JL_DIALECT_A, "InvalidField", AT_RESOURCES "targetResource", AT_LIMITS "enable",
            "false");
    becomes(spec, JL_DIALECT_A, "InvalidField", AT_RESOURCES "targetResource", AT_REQUESTS "enable",
            "false");
}

static void the_case_of_a_target_does_not_matter(void **state)
{
    (void)state;
    becomes(RESOURCES("\"targettflopspercentile\":\"0.9\",\"targetResource\":\"TFLOPS\""),
            JL_DIALECT_C, NULL, NULL, AT_RESOURCES "targetResource", "compute");
    becomes(RESOURCES("\"targetResource\":\"Compute\""), JL_DIALECT_A, NULL, NULL,
            AT_LIMITS "targetResource", "tflops");
    becomes(RESOURCES("\"targetResource\":\"Compute\""), JL_DIALECT_B, NULL, NULL,
            AT_RESOURCES "targetResource", "tflops");
    becomes(RESOURCES("\"targetResource\":\"VRAM\""), JL_DIALECT_B, NULL, NULL,
            AT_RESOURCES "targetResource", "VRAM");
}

/* An object of C is unchanged, and its operator does not do what it says. */
static void what_an_operator_of_c_ignores_in_its_own_dialect_is_reported(void **state)
{
    (void)state;
    becomes(RESOURCES("\"enable\":true,\"targetResource\":\"tflops\""), JL_DIALECT_C,
            "InvalidField", AT_RESOURCES "targetResource", AT_RESOURCES "targetResource", "tflops");
    becomes("{\"autoScalingConfig\":{\"externalScaler\":{\"enable\":true},"
            "\"autoSetReplicas\":{\"enable\":true}}}",
            JL_DIALECT_C, "InvalidField", BLOCK "autoSetReplicas", BLOCK "autoSetReplicas.enable",
            "true");
    becomes("{\"gpuCount\":500,\"vendor\":\"x\"}", JL_DIALECT_C, "InvalidField", "spec.gpuCount",
            "spec.gpuCount", "500");
    becomes("{\"autoScalingConfig\":{\"autoSetResources\":{},\"autoSetReplicas\":{}}}",
            JL_DIALECT_C, NULL, NULL, BLOCK "autoSetReplicas.enable", NULL);
}

#define AT_START BLOCK "cronScalingRules[0].start"

static void a_schedule_is_rewritten_for_c(const char *text, const char *wanted)
{
    char spec[256];
    struct conversion made;
    snprintf(spec, sizeof spec,
             "{\"autoScalingConfig\":{\"cronScalingRules\":[{\"start\":\"%s\"}],"
             "\"autoSetResources\":{\"historyLength\":\"1d\"}}}",
             text);
    struct json_object *object = object_of(spec);
    convert(object, JL_DIALECT_C, 0, &made);
    assert_int_equal(made.rc, 0);
    assert_null(made.made.warnings);
    assert_string_equal(json_object_get_string(value_at(made.made.object, AT_START)), wanted);
    struct json_object *back = converted(made.made.object, JL_DIALECT_B);
    assert_string_equal(json_object_get_string(value_at(back, AT_START)), text);
    json_object_put(back);
    clear(&made);
    json_object_put(object);
}

/* 7 and words are errors there, and an error stops the whole workload. */
static void a_schedule_says_to_c_the_same_in_its_grammar(void **state)
{
    (void)state;
    a_schedule_is_rewritten_for_c("0 9 * * 7", "0 9 * * 0");
    a_schedule_is_rewritten_for_c("*/5 9 * * 5-7", "*/5 9 * * 0,5,6");
    a_schedule_is_rewritten_for_c("0 9 * * 0-7", "0 9 * * 0-6");
    a_schedule_is_rewritten_for_c("0 9 * * *,7", "0 9 * * *");
    a_schedule_is_rewritten_for_c("@daily", "0 0 * * *");
    a_schedule_is_rewritten_for_c("TZ=UTC @weekly", "TZ=UTC 0 0 * * 0");
    a_schedule_is_rewritten_for_c("CRON_TZ=Asia/Tokyo 0 9 1 jan 7",
                                  "CRON_TZ=Asia/Tokyo 0 9 1 jan 0");
    a_schedule_is_rewritten_for_c("0  9 * * 1-5", "0  9 * * 1-5");
    a_schedule_is_rewritten_for_c("every day", "every day");
}

static void a_schedule_that_c_refuses_is_reported(void **state)
{
    static const char spec[] =
        "{\"autoScalingConfig\":{\"externalScaler\":{},\"cronScalingRules\":[{\"enable\":true,"
        "\"name\":\"a\",\"start\":\"@daily\",\"end\":\"0 9 * * *\"}]}}";
    (void)state;
    becomes(spec, JL_DIALECT_C, "InvalidField", AT_START, AT_START, "@daily");
}

#define SIDES(limits)                                                                   \
    "{\"autoScalingConfig\":{\"externalScaler\":{}},\"resources\":{\"limits\":{" limits \
    "},\"requests\":{\"tflops\":\"1\",\"vram\":\"1\"}}}"
#define AT_SIDE "spec.resources.limits."

static void an_amount_that_cannot_be_read_is_reported_and_stays(void **state)
{
    (void)state;
    becomes(SIDES("\"tflops\":\"1_0\",\"compute\":\"50\""), JL_DIALECT_A, "InvalidField",
            AT_SIDE "tflops", AT_SIDE "tflops", "1_0");
    becomes("{\"autoScalingConfig\":{\"autoSetLimits\":{}},\"resources\":{\"limits\":"
            "{\"vram\":\"x\"}}}",
            JL_DIALECT_C, "InvalidField", AT_SIDE "vram", AT_SIDE "vram", "x");
    refused("{\"autoScalingConfig\":{\"autoSetLimits\":{}},\"resources\":{\"limits\":"
            "{\"tflops\":true}}}",
            JL_DIALECT_C, "spec.resources.limits.tflops");
    refused(SIDES("\"compute\":{}"), JL_DIALECT_B, "spec.resources.limits.compute");
}

/* Digits that a double has not are not lost, and 1e3 is a whole number. */
static void an_amount_that_is_a_number_keeps_its_digits(void **state)
{
    (void)state;
    becomes(SIDES("\"tflops\":9007199254740993.5"), JL_DIALECT_A, "InvalidField", AT_SIDE "tflops",
            AT_SIDE "tflops", "9007199254740993.5");
    becomes("{\"autoScalingConfig\":{\"autoSetLimits\":{}},\"resources\":{\"limits\":"
            "{\"vram\":1e3}}}",
            JL_DIALECT_C, NULL, NULL, AT_SIDE "vram", "1e3");
}

static void a_gpu_count_that_is_none_is_refused(void **state)
{
    (void)state;
    refused("{\"gpuCount\":\"0\",\"autoScalingConfig\":{\"autoSetLimits\":{}}}", JL_DIALECT_C,
            "spec.gpuCount");
    refused("{\"gpuCount\":1.5,\"autoScalingConfig\":{\"autoSetLimits\":{}}}", JL_DIALECT_B,
            "spec.gpuCount");
    refused("{\"gpuCount\":\"5\",\"vendor\":\"x\"}", JL_DIALECT_C, "spec.gpuCount");
    becomes("{\"gpuCount\":0,\"autoScalingConfig\":{\"autoSetLimits\":{}}}", JL_DIALECT_B, NULL,
            NULL, "spec.gpuCount", NULL);
    becomes("{\"gpuCount\":129,\"autoScalingConfig\":{\"autoSetLimits\":{}}}", JL_DIALECT_C,
            "InvalidField", "spec.gpuCount", "spec.gpuCount", "129");
    becomes("{\"gpuCount\":128,\"autoScalingConfig\":{\"autoSetLimits\":{}}}", JL_DIALECT_C, NULL,
            NULL, "spec.gpuCount", "128");
}

static void what_four_decimals_cannot_say_is_reported(void **state)
{
    (void)state;
    becomes(REQUESTS("\"percentileForAutoRequests\":\"99.999%\""), JL_DIALECT_C, "NotRepresentable",
            AT_REQUESTS "percentileForAutoRequests", AT_RESOURCES "targetComputePercentile", "1");
    becomes(REQUESTS("\"percentileForAutoRequests\":\"0.00001\""), JL_DIALECT_C, "NotRepresentable",
            AT_REQUESTS "percentileForAutoRequests", AT_RESOURCES "targetComputePercentile", NULL);
    becomes(REQUESTS("\"extraBufferRatio\":\"12345678901234567890\""), JL_DIALECT_C,
            "NotRepresentable", AT_REQUESTS "extraBufferRatio", AT_RESOURCES "marginFraction",
            NULL);
    becomes(LIMITS("\"extraTFlopsBufferRatio\":\"0.00001\""), JL_DIALECT_C, "NotRepresentable",
            AT_LIMITS "extraTFlopsBufferRatio", AT_RESOURCES "marginFraction", "0");
    becomes("{\"autoScalingConfig\":{\"autoSetLimits\":{\"enable\":true,\"maxRatioToRequests\":"
            "\"5\"}},\"resources\":{\"requests\":{\"tflops\":\"1\",\"vram\":\"1\"},"
            "\"limits\":{\"tflops\":\"1000000\",\"vram\":\"1\"}}}",
            JL_DIALECT_C, "NotRepresentable", AT_LIMITS "maxRatioToRequests",
            AT_RESOURCES "maxComputeResourcesRatio", NULL);
}

/* The usual upper percentile is 0.99; below the target it would let requests pass limits. */
static void an_upper_percentile_is_not_below_the_target(void **state)
{
    static const char spec[] = "{\"autoScalingConfig\":{\"autoSetLimits\":{\"enable\":true},"
                               "\"autoSetRequests\":{\"enable\":true,"
                               "\"percentileForAutoRequests\":\"99.9%\"}}}";
    (void)state;
    becomes(spec, JL_DIALECT_C, NULL, NULL, AT_RESOURCES "upperBoundComputePercentile", "0.999");
    becomes(spec, JL_DIALECT_B, NULL, NULL, AT_RESOURCES "upperboundvrampercentile", "0.999");
    becomes(LIMITS("\"extraTFlopsBufferRatio\":\"0\""), JL_DIALECT_C, NULL, NULL,
            AT_RESOURCES "upperBoundComputePercentile", "0.99");
}

static void a_value_that_is_cut_is_reported(void **state)
{
    (void)state;
    becomes(REQUESTS("\"aggregationPeriod\":\"60d\""), JL_DIALECT_C, "NotRepresentable",
            AT_REQUESTS "aggregationPeriod", AT_RESOURCES "historyDataPeriod", "720h");
    becomes(REQUESTS("\"aggregationPeriod\":\"30d\""), JL_DIALECT_C, NULL, NULL,
            AT_RESOURCES "historyDataPeriod", "720h");
    becomes(LIMITS("\"ignoredDeltaRange\":\"50%\",\"extraTFlopsBufferRatio\":\"0.2\""),
            JL_DIALECT_C, "NotRepresentable", AT_LIMITS "ignoredDeltaRange",
            AT_RESOURCES "updateThreshold", "0.2");
}

/* An absent marginFraction is 0.15 to the operator of C. */
static void a_threshold_does_not_exceed_the_default_margin(void **state)
{
    (void)state;
    becomes(LIMITS("\"ignoredDeltaRange\":\"50%\""), JL_DIALECT_C, "NotRepresentable",
            AT_LIMITS "ignoredDeltaRange", AT_RESOURCES "updateThreshold", "0.15");
    becomes(LIMITS("\"ignoredDeltaRange\":\"10%\""), JL_DIALECT_C, NULL, NULL,
            AT_RESOURCES "updateThreshold", "0.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_that_c_cannot_read_does_not_become_one_of_a),
        cmocka_unit_test(a_target_that_is_no_resource_turns_the_layers_off),
        cmocka_unit_test(the_case_of_a_target_does_not_matter),
        cmocka_unit_test(what_an_operator_of_c_ignores_in_its_own_dialect_is_reported),
        cmocka_unit_test(a_schedule_says_to_c_the_same_in_its_grammar),
        cmocka_unit_test(a_schedule_that_c_refuses_is_reported),
        cmocka_unit_test(an_amount_that_cannot_be_read_is_reported_and_stays),
        cmocka_unit_test(an_amount_that_is_a_number_keeps_its_digits),
        cmocka_unit_test(a_gpu_count_that_is_none_is_refused),
        cmocka_unit_test(what_four_decimals_cannot_say_is_reported),
        cmocka_unit_test(an_upper_percentile_is_not_below_the_target),
        cmocka_unit_test(a_value_that_is_cut_is_reported),
        cmocka_unit_test(a_threshold_does_not_exceed_the_default_margin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
