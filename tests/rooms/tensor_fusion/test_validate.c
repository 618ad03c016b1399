/* SPDX-License-Identifier: Apache-2.0 */

/* What WorkloadProfiles of TensorFusion have to be (docs/rules/tensor-fusion.md#validation),
 * beyond the vectors. */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>
#include <joulie/object.h>

#include "support/test.h"

static bool is_lenient;
static char warnings[1024]; /* of the last question, a line each */

static void warn(void *user, const char *where, const char *message)
{
    const size_t used = strlen(warnings);
    (void)user;
    snprintf(warnings + used, sizeof warnings - used, "%s %s\n", where, message);
}

/* The answer of `validate`, to be freed, or NULL. */
static char *validate(const char *spec, struct joulie_error *err)
{
    static char text[4096];
    char *answer = NULL;
    struct joulie_ask_options options = JOULIE_INIT(struct joulie_ask_options);
    options.on_warning = warn;
    options.is_lenient = is_lenient;
    warnings[0] = '\0';
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\",\"spec\":%s}",
             spec);
    (void)joulie_ask("validate", text, strlen(text), &options, &answer, err);
    return answer;
}

static void refuses(const char *spec, int code, const char *where)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = validate(spec, &err);
    if (answer)
        fail_msg("%s is accepted: %s", spec, answer);
    if (err.code != code || strcmp(err.where, where) != 0)
        fail_msg("%s: %s at %s: %s", spec, joulie_code_word(err.code), err.where, err.message);
}

static void accepts(const char *spec)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = validate(spec, &err);
    if (!answer)
        fail_msg("%s: %s at %s: %s", spec, joulie_code_word(err.code), err.where, err.message);
    assert_string_equal(answer, "{}");
    assert_string_equal(warnings, "");
    joulie_free(answer);
}

/* Accepted, with one warning. */
static void doubts(const char *spec, const char *expected)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = validate(spec, &err);
    assert_non_null(answer);
    assert_string_equal(warnings, expected);
    joulie_free(answer);
}

#define BLOCK(name, members) "{\"autoScalingConfig\":{\"" name "\":{" members "}}}"
#define AT_BLOCK "spec.autoScalingConfig."

static void a_member_of_another_dialect_is_unknown(void **state)
{
    (void)state;
    refuses("{\"isolation\":\"soft\",\"autoScalingConfig\":{\"autoSetLimits\":{}}}",
            JOULIE_E_UNKNOWN_MEMBER, "spec.isolation");
    refuses("{\"resources\":{\"limits\":{\"tflops\":\"0\",\"vram\":\"1\",\"compute\":\"50\"},"
            "\"requests\":{\"tflops\":\"0\",\"vram\":\"1\"}},"
            "\"autoScalingConfig\":{\"autoSetRequests\":{}}}",
            JOULIE_E_UNKNOWN_MEMBER, "spec.resources.limits.compute");
    refuses("{\"vendor\":\"x\",\"autoScalingConfig\":{\"autoSetResources\":"
            "{\"historyLength\":\"1d\"}}}",
            JOULIE_E_UNKNOWN_MEMBER, "spec.vendor");
    refuses(BLOCK("autoSetResources", "\"historyLength\":\"1d\",\"interval\":\"10s\""),
            JOULIE_E_UNKNOWN_MEMBER, AT_BLOCK "autoSetResources.interval");
    refuses("{\"autoScalingConfig\":{\"cronScalingRules\":[{\"desiredReplicas\":1}],"
            "\"externalScaler\":{}}}",
            JOULIE_E_UNKNOWN_MEMBER, AT_BLOCK "externalScaler");
    refuses(BLOCK("autoSetResources", "\"targetTflopsPercentile\":\"0.9\""),
            JOULIE_E_UNKNOWN_MEMBER, AT_BLOCK "autoSetResources.targetTflopsPercentile");
}

static void a_lenient_question_skips_members_of_another_dialect(void **state)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    (void)state;
    is_lenient = true;
    char *answer = validate(
        "{\"vendor\":\"x\",\"gpuCuont\":1,\"autoScalingConfig\":{\"autoSetLimits\":{}}}", &err);
    is_lenient = false;
    assert_non_null(answer);
    assert_non_null(strstr(warnings, "spec.gpuCuont "));
    assert_non_null(strstr(warnings, "spec.vendor "));
    joulie_free(answer);
}

/* Two blocks whose names B and C share do not show which of the two an object is. */
static void what_b_and_c_share_is_taken_in_both(void **state)
{
    (void)state;
    doubts("{\"autoScalingConfig\":{\"autoSetResources\":{\"enable\":true,"
           "\"targetResource\":\"tflops\"},\"autoSetReplicas\":{\"enable\":true}}}",
           AT_BLOCK
           "autoSetReplicas InvalidField: clusters of dialect C drop it without a word\n" AT_BLOCK
           "autoSetResources.targetResource InvalidField: an operator of dialect C "
           "scales nothing with this word\n");
    accepts("{\"autoScalingConfig\":{\"autoSetResources\":{},\"autoSetReplicas\":{}}}");
    accepts("{\"sidecarWorker\":true,\"autoScalingConfig\":{\"autoSetResources\":"
            "{\"confidenceInterval\":\"24h\"}}}");
}

static void a_duration_that_its_operator_cannot_read_is_refused(void **state)
{
    (void)state;
    accepts(BLOCK("autoSetLimits", "\"evaluationPeriod\":\"1d12h\""));
    accepts(BLOCK("autoSetLimits", "\"evaluationPeriod\":\"\""));
    refuses(BLOCK("autoSetLimits", "\"evaluationPeriod\":\"90\""), JOULIE_E_PARSE,
            AT_BLOCK "autoSetLimits.evaluationPeriod");
    refuses(BLOCK("autoSetReplicas", "\"scaleUpCoolDownTime\":\"-5m\""), JOULIE_E_PARSE,
            AT_BLOCK "autoSetReplicas.scaleUpCoolDownTime");
    refuses(BLOCK("autoSetRequests", "\"aggregationPeriod\":\"293y\""), JOULIE_E_RANGE,
            AT_BLOCK "autoSetRequests.aggregationPeriod");
    refuses(BLOCK("autoSetRequests", "\"prediction\":{\"predictionPeriod\":\"1 h\"}"),
            JOULIE_E_PARSE, AT_BLOCK "autoSetRequests.prediction.predictionPeriod");
    refuses(BLOCK("autoSetResources", "\"interval\":\"10s\",\"historyDataPeriod\":\"7d\""),
            JOULIE_E_PARSE, AT_BLOCK "autoSetResources.historyDataPeriod");
    accepts(BLOCK("autoSetResources", "\"historyLength\":\"7d\""));
    refuses(BLOCK("externalScaler", "\"initialDelayPeriod\":\"soon\""), JOULIE_E_PARSE,
            AT_BLOCK "externalScaler.initialDelayPeriod");
    refuses("{\"gangScheduling\":{\"timeout\":\"1d\"}}", JOULIE_E_PARSE,
            "spec.gangScheduling.timeout");
}

static void a_ratio_is_within_the_bounds_of_its_field(void **state)
{
    (void)state;
    refuses(BLOCK("autoSetLimits", "\"extraTFlopsBufferRatio\":\"20 %\""), JOULIE_E_PARSE,
            AT_BLOCK "autoSetLimits.extraTFlopsBufferRatio");
    refuses(BLOCK("autoSetLimits", "\"ignoredDeltaRange\":\"100%\""), JOULIE_E_RANGE,
            AT_BLOCK "autoSetLimits.ignoredDeltaRange");
    refuses(BLOCK("autoSetLimits", "\"maxRatioToRequests\":\"0.5\""), JOULIE_E_RANGE,
            AT_BLOCK "autoSetLimits.maxRatioToRequests");
    refuses(BLOCK("autoSetLimits", "\"scaleUpStep\":\"0\""), JOULIE_E_RANGE,
            AT_BLOCK "autoSetLimits.scaleUpStep");
    refuses(BLOCK("autoSetReplicas", "\"scaleDownStep\":\"0%\""), JOULIE_E_RANGE,
            AT_BLOCK "autoSetReplicas.scaleDownStep");
    refuses(BLOCK("autoSetReplicas", "\"targetTFlopsOfLimits\":\"0\""), JOULIE_E_RANGE,
            AT_BLOCK "autoSetReplicas.targetTFlopsOfLimits");
    refuses(BLOCK("autoSetRequests", "\"percentileForAutoRequests\":\"101%\""), JOULIE_E_RANGE,
            AT_BLOCK "autoSetRequests.percentileForAutoRequests");
    accepts(BLOCK("autoSetRequests", "\"percentileForAutoRequests\":\"90\""));
}

static void a_decimal_of_later_dialects_has_no_percent_sign(void **state)
{
    (void)state;
    refuses(BLOCK("autoSetResources", "\"targetComputePercentile\":\"95%\""), JOULIE_E_PARSE,
            AT_BLOCK "autoSetResources.targetComputePercentile");
    refuses(BLOCK("autoSetResources", "\"targetVRAMPercentile\":\"95\""), JOULIE_E_RANGE,
            AT_BLOCK "autoSetResources.targetVRAMPercentile");
    refuses(BLOCK("autoSetResources", "\"upperboundvrampercentile\":\"0\""), JOULIE_E_RANGE,
            AT_BLOCK "autoSetResources.upperboundvrampercentile");
    refuses(BLOCK("autoSetResources", "\"maxVRAMResourcesRatio\":\"0\""), JOULIE_E_RANGE,
            AT_BLOCK "autoSetResources.maxVRAMResourcesRatio");
    accepts(BLOCK("autoSetResources", "\"marginFraction\":\"0\""));
    refuses(BLOCK("autoSetResources", "\"marginFraction\":\"0.05\",\"updateThreshold\":\"0.1\""),
            JOULIE_E_CONFLICT, AT_BLOCK "autoSetResources.updateThreshold");
}

static void a_target_is_one_of_the_words_of_any_dialect(void **state)
{
    (void)state;
    accepts(BLOCK("autoSetLimits", "\"targetResource\":\"Compute\""));
    accepts(BLOCK("autoSetLimits", "\"targetResource\":\"\""));
    refuses(BLOCK("autoSetLimits", "\"targetResource\":\"memory\""), JOULIE_E_ENUM,
            AT_BLOCK "autoSetLimits.targetResource");
}

/* An operator of C given tflops scales nothing, and one of B knows no compute. */
static void a_target_is_a_word_of_its_own_dialect(void **state)
{
    (void)state;
    refuses(BLOCK("autoSetResources", "\"interval\":\"10s\",\"targetResource\":\"TFLOPS\""),
            JOULIE_E_ENUM, AT_BLOCK "autoSetResources.targetResource");
    accepts(BLOCK("autoSetResources", "\"interval\":\"10s\",\"targetResource\":\"Compute\""));
    doubts(BLOCK("autoSetResources", "\"historyLength\":\"1d\",\"targetResource\":\"compute\""),
           AT_BLOCK "autoSetResources.targetResource InvalidField: operators of dialect B know no "
                    "such word; theirs is tflops\n");
    accepts(BLOCK("autoSetResources", "\"historyLength\":\"1d\",\"targetResource\":\"tflops\""));
}

/* A percent is said by C alone; zero says nothing. */
static void a_percent_makes_an_object_one_of_c(void **state)
{
    (void)state;
#define PERCENT_AND_TARGET(percent)                                                      \
    "{\"resources\":{\"requests\":{\"tflops\":\"0\",\"vram\":\"1\",\"compute\":" percent \
    "},\"limits\":{\"tflops\":\"0\",\"vram\":\"1\",\"compute\":" percent                 \
    "}},\"autoScalingConfig\":{\"autoSetResources\":{\"targetResource\":\"tflops\"}}}"
    refuses(PERCENT_AND_TARGET("\"50\""), JOULIE_E_ENUM,
            AT_BLOCK "autoSetResources.targetResource");
    doubts(PERCENT_AND_TARGET("\"0\""),
           AT_BLOCK "autoSetResources.targetResource InvalidField: an operator of dialect C scales "
                    "nothing with this word\n");
}

/* Its API server drops the block or refuses the object. */
static void an_object_of_c_has_no_replicas_layer(void **state)
{
    (void)state;
    refuses("{\"autoScalingConfig\":{\"externalScaler\":{\"enable\":true},"
            "\"autoSetReplicas\":{\"enable\":true}}}",
            JOULIE_E_UNKNOWN_MEMBER, AT_BLOCK "autoSetReplicas");
    refuses("{\"vendor\":\"AMD\",\"autoScalingConfig\":{\"autoSetResources\":{},"
            "\"autoSetReplicas\":{}}}",
            JOULIE_E_UNKNOWN_MEMBER, AT_BLOCK "autoSetReplicas");
}

static void bounds_and_percentiles_are_in_order(void **state)
{
    (void)state;
    refuses(BLOCK("autoSetResources", "\"lowerBoundComputePercentile\":\"0.99\","
                                      "\"targetComputePercentile\":\"0.5\","
                                      "\"upperBoundComputePercentile\":\"0.6\""),
            JOULIE_E_CONFLICT, AT_BLOCK "autoSetResources.targetComputePercentile");
    refuses(BLOCK("autoSetResources", "\"targetVRAMPercentile\":\"0.9\","
                                      "\"upperBoundVRAMPercentile\":\"0.8\""),
            JOULIE_E_CONFLICT, AT_BLOCK "autoSetResources.upperBoundVRAMPercentile");
    refuses(BLOCK("autoSetResources", "\"lowerBoundVRAMPercentile\":\"0.9\","
                                      "\"upperBoundVRAMPercentile\":\"0.8\""),
            JOULIE_E_CONFLICT, AT_BLOCK "autoSetResources.upperBoundVRAMPercentile");
    refuses(BLOCK("autoSetResources", "\"lowerboundtflopspercentile\":\"0.9\","
                                      "\"upperboundtflopspercentile\":\"0.8\""),
            JOULIE_E_CONFLICT, AT_BLOCK "autoSetResources.upperboundtflopspercentile");
    refuses(BLOCK("autoSetResources",
                  "\"minVRAMResourcesRatio\":\"2\",\"maxVRAMResourcesRatio\":\"1\""),
            JOULIE_E_CONFLICT, AT_BLOCK "autoSetResources.maxVRAMResourcesRatio");
    refuses(BLOCK("autoSetResources",
                  "\"minComputeResourcesRatio\":\"2\",\"maxComputeResourcesRatio\":\"1\""),
            JOULIE_E_CONFLICT, AT_BLOCK "autoSetResources.maxComputeResourcesRatio");
    accepts(BLOCK("autoSetResources", "\"lowerBoundComputePercentile\":\"0.5\","
                                      "\"targetComputePercentile\":\"0.5\","
                                      "\"upperBoundComputePercentile\":\"0.5\""));
}

/* An absent marginFraction is 0.15. */
static void a_threshold_is_not_above_the_default_margin(void **state)
{
    (void)state;
    refuses(BLOCK("autoSetResources", "\"updateThreshold\":\"0.5\""), JOULIE_E_CONFLICT,
            AT_BLOCK "autoSetResources.updateThreshold");
    accepts(BLOCK("autoSetResources", "\"updateThreshold\":\"0.15\""));
}

#define AMOUNTS(limits, requests) \
    "{\"resources\":{\"limits\":{" limits "},\"requests\":{" requests "}}}"

static void a_limit_is_not_below_its_request(void **state)
{
    (void)state;
    refuses(AMOUNTS("\"tflops\":\"999m\",\"vram\":\"1Gi\"", "\"tflops\":1,\"vram\":\"1Gi\""),
            JOULIE_E_CONFLICT, "spec.resources.limits.tflops");
    refuses(AMOUNTS("\"tflops\":\"1\",\"vram\":\"1G\"", "\"tflops\":1,\"vram\":\"1Gi\""),
            JOULIE_E_CONFLICT, "spec.resources.limits.vram");
    accepts(AMOUNTS("\"tflops\":\"0\",\"vram\":\"1024Mi\"",
                    "\"tflops\":\"1\",\"vram\":\"1Gi\"")); /* 0 is unset */
}

static void bounds_themselves_are_taken(void **state)
{
    (void)state;
    accepts("{\"isolation\":\"soft\",\"gpuCount\":128}");
    accepts("{\"isolation\":\"soft\",\"gpuCount\":1}");
    accepts("{\"gpuCount\":0,\"replicas\":0}");
    accepts("{\"gpuCount\":2147483647,\"replicas\":2147483647}");
    accepts("{\"nodeAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":["
            "{\"weight\":100,\"preference\":{}}]}}");
    refuses("{\"gpuIndices\":[0,-1]}", JOULIE_E_RANGE, "spec.gpuIndices[1]");
    refuses("{\"gpuIndices\":[0.5]}", JOULIE_E_TYPE, "spec.gpuIndices[0]");
}

static void tflops_and_compute_exclude_each_other(void **state)
{
    (void)state;
    refuses(AMOUNTS("\"tflops\":1,\"vram\":1,\"compute\":50", "\"tflops\":0,\"vram\":1"),
            JOULIE_E_CONFLICT, "spec.resources.limits.compute");
    accepts(AMOUNTS("\"tflops\":1,\"vram\":1,\"compute\":\"0\"", "\"tflops\":0,\"vram\":1"));
    refuses(AMOUNTS("\"tflops\":0,\"vram\":1,\"compute\":101", "\"tflops\":0,\"vram\":1"),
            JOULIE_E_RANGE, "spec.resources.limits.compute");
}

#define CRON(members) \
    "{\"autoScalingConfig\":{\"cronScalingRules\":[{\"name\":\"a\"," members "}]}}"
#define AT_CRON AT_BLOCK "cronScalingRules[0]."
#define REFUSED_BY_C                                                                              \
    " InvalidField: operators of dialect C refuse it, and with it the whole workload: Sunday is " \
    "0, and words such as @daily are written as five fields\n"

static void a_cron_rule_that_counts_can_be_read(void **state)
{
    (void)state;
    doubts(CRON("\"enable\":true,\"start\":\"@daily\",\"end\":\"0 6 * * 7\""),
           AT_CRON "start" REFUSED_BY_C AT_CRON "end" REFUSED_BY_C);
    accepts(CRON("\"enable\":true,\"start\":\"0 0 * * *\",\"end\":\"0 6 * * 0\""));
    refuses(CRON("\"enable\":true,\"start\":\"0 25 * * *\",\"end\":\"0 6 * * *\""), JOULIE_E_PARSE,
            AT_CRON "start");
    refuses(CRON("\"enable\":true,\"start\":\"0 5 * * *\",\"end\":\"TZ=\""), JOULIE_E_PARSE,
            AT_CRON "end");
    refuses(CRON("\"enable\":true,\"start\":\"0 5 * * *\",\"end\":\"0  5 * * *\""),
            JOULIE_E_CONFLICT, AT_CRON "end");
    accepts(CRON("\"enable\":false,\"start\":\"0 25 * * *\",\"end\":\"0 6 * * *\""));
    accepts(CRON("\"enable\":true,\"start\":\"0 25 * * *\""));
    refuses(CRON("\"desiredResources\":{\"limits\":{\"tflops\":1,\"vram\":1},"
                 "\"requests\":{\"tflops\":2,\"vram\":1}}"),
            JOULIE_E_CONFLICT, AT_CRON "desiredResources.limits.tflops");
}

static void what_is_accepted_with_a_doubt_is_reported(void **state)
{
    (void)state;
    doubts("{\"autoScalingConfig\":{\"autoSetLimits\":{},\"externalScaler\":{}}}",
           "spec.autoScalingConfig MixedDialect: no cluster reads members of dialect A and of a "
           "later one together\n");
    doubts(AMOUNTS("\"tflops\":2.5,\"vram\":1", "\"tflops\":1,\"vram\":1"),
           "spec.resources.limits.tflops InvalidField: API servers refuse this number: a quantity "
           "with a fraction is written as a string\n");
}

static void the_function_judges_an_object_as_the_question_does(void **state)
{
    static const char text[] =
        "{\"spec\":{\"gangScheduling\":{\"minMembers\":1}},\"kind\":\"WorkloadProfile\","
        "\"apiVersion\":\"tensor-fusion.ai/v1\"}";
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_object *object = NULL;
    (void)state;
    assert_int_equal(joulie_object_parse(text, strlen(text), NULL, 0, &object, &err),
                     JOULIE_E_RANGE);
    assert_string_equal(err.where, "spec.gangScheduling.minMembers");
    assert_int_equal(
        joulie_object_parse(text, strlen(text), NULL, JOULIE_OBJECT_LENIENT, &object, &err),
        JOULIE_OK);
    assert_int_equal(joulie_object_validate(object, &err), JOULIE_E_RANGE);
    joulie_object_free(object);
    /* the other project's kind of the same name */
    assert_int_equal(joulie_object_parse(text, strlen(text), "workloadprofile", 0, &object, &err),
                     JOULIE_E_UNKNOWN_MEMBER);
    assert_int_equal(
        joulie_object_parse("{}", 2, "workloadprofiles.tensor-fusion.ai", 0, &object, &err),
        JOULIE_OK);
    joulie_object_free(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_of_another_dialect_is_unknown),
        cmocka_unit_test(a_lenient_question_skips_members_of_another_dialect),
        cmocka_unit_test(what_b_and_c_share_is_taken_in_both),
        cmocka_unit_test(a_duration_that_its_operator_cannot_read_is_refused),
        cmocka_unit_test(a_ratio_is_within_the_bounds_of_its_field),
        cmocka_unit_test(a_decimal_of_later_dialects_has_no_percent_sign),
        cmocka_unit_test(a_target_is_one_of_the_words_of_any_dialect),
        cmocka_unit_test(a_target_is_a_word_of_its_own_dialect),
        cmocka_unit_test(a_percent_makes_an_object_one_of_c),
        cmocka_unit_test(an_object_of_c_has_no_replicas_layer),
        cmocka_unit_test(bounds_and_percentiles_are_in_order),
        cmocka_unit_test(a_threshold_is_not_above_the_default_margin),
        cmocka_unit_test(a_limit_is_not_below_its_request),
        cmocka_unit_test(bounds_themselves_are_taken),
        cmocka_unit_test(tflops_and_compute_exclude_each_other),
        cmocka_unit_test(a_cron_rule_that_counts_can_be_read),
        cmocka_unit_test(what_is_accepted_with_a_doubt_is_reported),
        cmocka_unit_test(the_function_judges_an_object_as_the_question_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
