/* SPDX-License-Identifier: Apache-2.0 */

/* What an autoscaler reads out of a profile and its pool, in any dialect, and what it reports. */

#include <stdio.h>
#include <string.h>

#include "ask/ask_tests.h"

#define AMOUNTS                                                         \
    "\"resources\":{\"requests\":{\"tflops\":\"10\",\"vram\":\"4Gi\"}," \
    "\"limits\":{\"tflops\":\"20\",\"vram\":\"4Gi\"}}"
#define MARKED(annotations, block)                                                        \
    "{\"profile\":{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\","  \
    "\"metadata\":{\"name\":\"p\",\"annotations\":{" annotations "}},\"spec\":{"          \
    "\"autoScalingConfig\":" block "," AMOUNTS "}},\"now\":\"2026-03-13T12:00:00Z\","     \
    "\"workers\":[{\"name\":\"w-0\",\"created\":\"2026-03-13T11:00:00Z\"},"               \
    "{\"name\":\"w-1\",\"created\":\"2026-03-13T11:00:00Z\"}],\"samples\":["              \
    "{\"worker\":\"w-0\",\"t\":\"2026-03-13T11:59:30Z\",\"tflops\":20,\"vram\":\"2Gi\"}," \
    "{\"worker\":\"w-1\",\"t\":\"2026-03-13T11:59:40Z\",\"tflops\":20,\"vram\":\"2Gi\"}," \
    "{\"worker\":\"w-0\",\"t\":\"2026-03-13T11:59:50Z\",\"tflops\":20,\"vram\":\"2Gi\"}]"
#define PROFILE(block) MARKED("", block)
#define CURRENT "}"
#define SOURCE ",\"options\":{\"model\":\"v2.17.1\"}}"
#define BLOCK_PATH "profile.spec.autoScalingConfig."
#define REPORTS(reason, path) "{\"reason\":\"" reason "\",\"where\":\"" path "\""

static void holds(const char *document, const char *part)
{
    char *answer = answer_of("autoscale", document);
    if (strstr(answer, part) == NULL)
        fail_msg("no %s in %.1200s", part, answer);
    joulie_free(answer);
}

static void lacks(const char *document, const char *part)
{
    char *answer = answer_of("autoscale", document);
    if (strstr(answer, part) != NULL)
        fail_msg("%s in %.1200s", part, answer);
    joulie_free(answer);
}

/* ---- mixed dialects ---- */

static void a_mixed_profile_is_the_union_of_its_dialects(void **state)
{
    (void)state;
    static const char limits_of_c[] =
        PROFILE("{\"autoSetRequests\":{\"enable\":false},\"autoSetResources\":{\"enable\":true,"
                "\"targetResource\":\"compute\",\"interval\":\"10s\"}}") CURRENT;
    holds(limits_of_c, "{\"layer\":\"limits\",\"resource\":\"tflops\",\"from\":\"20\","
                       "\"to\":\"40\",\"reason\":\"ScaledUp\"}");
    lacks(limits_of_c, "\"layer\":\"requests\"");
    holds(limits_of_c, REPORTS("MixedDialect", "profile.spec.autoScalingConfig"));
}

/* Members without a value are what Go writes where nobody wrote. */
static void an_empty_layer_of_a_mixed_profile_is_left_out(void **state)
{
    (void)state;
    static const char document[] = PROFILE(
        "{\"autoSetLimits\":{},\"autoSetReplicas\":{},\"autoSetRequests\":{\"prediction\":{}},"
        "\"autoSetResources\":{\"enable\":true,\"targetResource\":\"all\",\"interval\":"
        "\"2h\"}}") CURRENT;
    holds(document, "{\"layer\":\"limits\",\"resource\":\"tflops\"");
    holds(document, REPORTS("Capped", BLOCK_PATH "autoSetResources.interval"));
}

static void a_layer_that_a_mixed_profile_writes_in_dialect_a_counts_as_written(void **state)
{
    (void)state;
    holds(PROFILE("{\"autoSetLimits\":{\"enable\":true,\"targetResource\":\"tflops\","
                  "\"scaleUpStep\":\"300%\"},\"autoSetResources\":{\"enable\":true,"
                  "\"targetResource\":\"all\",\"interval\":\"10s\"}}") CURRENT,
          "{\"layer\":\"limits\",\"resource\":\"tflops\",\"from\":\"20\",\"to\":\"50\"");
}

static void a_mixed_profile_without_resources_gives_v2_17_1_the_layers_of_dialect_a(void **state)
{
    (void)state;
    static const char document[] =
        PROFILE("{\"autoSetLimits\":{\"enable\":true,\"targetResource\":\"tflops\"},"
                "\"cronScalingRules\":[]}") SOURCE;
    holds(document, "\"layer\":\"percentile\",\"resource\":\"tflops\"");
}

/* A margin of a million is one; what is above counts as that and is reported. */
static void a_decimal_is_at_most_a_million(void **state)
{
    (void)state;
#define MARGIN(text)                                                                   \
    PROFILE("{\"autoSetResources\":{\"enable\":true,\"targetResource\":\"all\","       \
            "\"marginFraction\":\"" text "\"},\"externalScaler\":{\"enable\":false}}") \
    SOURCE
    static const char capped[] = REPORTS("Capped", BLOCK_PATH "autoSetResources.marginFraction");
    lacks(MARGIN("1000000"), capped);
    holds(MARGIN("1000001"), capped);
    holds(MARGIN("-1"), REPORTS("InvalidField", BLOCK_PATH "autoSetResources.marginFraction"));
#undef MARGIN
}

/* ---- replicas ---- */

static void a_maximum_of_replicas_is_never_raised(void **state)
{
    (void)state;
    static const char document[] = MARKED("\"joulie.io/autoscale-min-replicas\":\"5\","
                                          "\"joulie.io/autoscale-max-replicas\":\"3\"",
                                          "{\"autoSetReplicas\":{\"enable\":true}}") CURRENT;
    holds(document, "\"desired\":3");
    holds(document,
          REPORTS("InvalidField", "profile.metadata.annotations.joulie.io/autoscale-min-replicas"));
}

static void a_bound_of_replicas_is_a_whole_number(void **state)
{
#define MOST(text)                                              \
    MARKED("\"joulie.io/autoscale-max-replicas\":\"" text "\"", \
           "{\"autoSetReplicas\":{\"enable\":true}}")           \
    CURRENT
    static const char invalid[] =
        REPORTS("InvalidField", "profile.metadata.annotations.joulie.io/autoscale-max-replicas");
    (void)state;
    lacks(MOST("1"), invalid);
    holds(MOST("1"), "\"desired\":1");
    lacks(MOST("2147483647"), invalid);
    holds(MOST("2147483648"), invalid);
    holds(MOST("0"), invalid);
    holds(MOST("1.5"), invalid);
#undef MOST
}

/* ---- rules ---- */

#define RULE(members)                                                                      \
    PROFILE("{\"cronScalingRules\":[{" members ",\"desiredResources\":{\"requests\":"      \
            "{\"tflops\":\"30\",\"vram\":\"4Gi\"},\"limits\":{\"tflops\":\"30\",\"vram\":" \
            "\"4Gi\"}}}]}")                                                                \
    CURRENT
#define RULE_PATH BLOCK_PATH "cronScalingRules[0]."

static void a_rule_with_a_member_of_a_wrong_type_is_reported(void **state)
{
    (void)state;
    holds(RULE("\"enable\":\"true\",\"name\":\"a\",\"start\":\"0 9 * * *\",\"end\":\"0 18 * * *\""),
          REPORTS("InvalidField", RULE_PATH "enable"));
    holds(RULE("\"enable\":1,\"name\":\"a\",\"start\":\"0 9 * * *\",\"end\":\"0 18 * * *\""),
          REPORTS("InvalidField", RULE_PATH "enable"));
    holds(RULE("\"enable\":true,\"name\":7,\"start\":\"0 9 * * *\",\"end\":\"0 18 * * *\""),
          REPORTS("InvalidField", RULE_PATH "name"));
    holds(RULE("\"enable\":true,\"name\":\"a\",\"start\":5,\"end\":\"0 18 * * *\""),
          REPORTS("InvalidField", RULE_PATH "start"));
    holds(RULE("\"enable\":true,\"name\":\"a\",\"start\":\"0 9 * * *\",\"end\":[\"0 18 * * *\"]"),
          REPORTS("InvalidField", RULE_PATH "end"));
}

static void a_rule_that_is_disabled_or_lacks_a_text_is_skipped_in_silence(void **state)
{
    (void)state;
    lacks(RULE("\"enable\":false,\"name\":7,\"start\":5"), "InvalidField");
    lacks(RULE("\"name\":\"a\",\"start\":5"), "InvalidField");
    lacks(RULE("\"enable\":true,\"name\":\"\",\"start\":\"0 9 * * *\""), "InvalidField");
    lacks(RULE("\"enable\":true,\"name\":null,\"start\":\"0 9 * * *\""), "InvalidField");
}

#define PERCENT_SIDE(percent) "{\"tflops\":\"0\",\"vram\":\"4Gi\",\"compute\":" percent "}"
#define PERCENT_RULE(percent)                                                                 \
    PROFILE("{\"cronScalingRules\":[{\"enable\":true,\"name\":\"a\",\"start\":\"0 1 * * *\"," \
            "\"end\":\"0 2 * * *\",\"desiredResources\":{\"requests\":" PERCENT_SIDE(         \
                percent) ",\"limits\":" PERCENT_SIDE(percent) "}}]}")                         \
    CURRENT

static void a_percent_above_100_in_a_rule_is_reported(void **state)
{
    (void)state;
    holds(PERCENT_RULE("\"101\""),
          REPORTS("InvalidField", RULE_PATH "desiredResources.requests.compute"));
    lacks(PERCENT_RULE("\"100\""), "InvalidField");
}

/* ---- what a conversion reports ---- */

#define LATER(members) \
    "{\"autoSetResources\":{\"enable\":true,\"targetResource\":\"all\"," members "}}"

static void what_our_layers_cannot_say_of_dialect_c_is_reported(void **state)
{
    (void)state;
    static const char *const keys[] = { "targetVRAMPercentile", "minVRAMResourcesRatio",
                                        "lowerBoundComputePercentile", "initialDelayPeriod" };
    static const char document[] =
        PROFILE(LATER("\"targetComputePercentile\":\"0.9\",\"targetVRAMPercentile\":\"0.5\","
                      "\"minVRAMResourcesRatio\":\"0.1\",\"lowerBoundComputePercentile\":\"0.4\","
                      "\"initialDelayPeriod\":\"5m\"")) CURRENT;
    for (size_t i = 0; i < JL_COUNT(keys); i++) {
        char part[160];
        snprintf(part, sizeof part, REPORTS("NotRepresentable", BLOCK_PATH "autoSetResources.%s"),
                 keys[i]);
        holds(document, part);
    }
}

static void rules_and_scalers_of_dialect_c_count_and_are_not_reported(void **state)
{
    (void)state;
    lacks(PROFILE("{\"cronScalingRules\":[{\"enable\":true,\"name\":\"a\",\"start\":"
                  "\"0 1 * * *\",\"end\":\"0 2 * * *\",\"desiredResources\":{\"requests\":"
                  "{\"tflops\":\"30\",\"vram\":\"4Gi\"},\"limits\":{\"tflops\":\"30\",\"vram\":"
                  "\"4Gi\"}}}],\"externalScaler\":{\"enable\":true,\"url\":\"https://x\"}}")
              CURRENT,
          "NotRepresentable");
}

static void v2_17_1_reports_what_is_wrong_with_a_profile_of_dialect_a(void **state)
{
    (void)state;
    static const char document[] =
        PROFILE("{\"autoSetRequests\":{\"enable\":true,\"percentileForAutoRequests\":\"9O%\","
                "\"aggregationPeriod\":\"1 day\"}}") SOURCE;
    holds(document,
          REPORTS("InvalidField", BLOCK_PATH "autoSetRequests.percentileForAutoRequests"));
    holds(document, REPORTS("InvalidField", BLOCK_PATH "autoSetRequests.aggregationPeriod"));
}

static void v2_17_1_reports_what_it_rounds_as_rounded(void **state)
{
    (void)state;
    static const char rounded[] = PROFILE("{\"autoSetRequests\":{\"enable\":true,"
                                          "\"extraBufferRatio\":\"12.34567%\"}}") SOURCE;
    static const char lost[] = PROFILE("{\"autoSetLimits\":{\"enable\":true,\"scaleUpStep\":"
                                       "\"50%\"}}") SOURCE;
    holds(rounded, "autoSetRequests.extraBufferRatio\",\"message\":\"it is rounded to four "
                   "decimals");
    lacks(rounded, "it does not count");
    holds(lost, "autoSetLimits.scaleUpStep\",\"message\":\"the rules that run cannot say it: it "
                "does not count");
}

static void v2_17_1_says_nothing_of_a_conversion_that_it_does_not_need(void **state)
{
    (void)state;
    lacks(PROFILE(LATER("\"marginFraction\":\"1e3\"")) SOURCE, "the field is left out");
    lacks(PROFILE(LATER("\"marginFraction\":\"0.2\",\"initialDelayPeriod\":\"5m\"")) SOURCE,
          "NotRepresentable");
}

#define POOL(block) ",\"pool\":{\"autoScalingConfig\":" block "}}"

static void a_bad_field_of_a_pool_of_dialect_c_has_the_path_of_the_pool(void **state)
{
    (void)state;
    holds(PROFILE("{}") POOL(LATER("\"marginFraction\":\"x\"")),
          REPORTS("InvalidField", "pool.autoScalingConfig.autoSetResources.marginFraction"));
}

/* ---- fields ---- */

static void the_shared_interval_of_dialect_c_is_capped_for_no_layer_when_one_takes_it(void **state)
{
    (void)state;
    lacks(PROFILE(LATER("\"interval\":\"10s\"")) CURRENT, "Capped");
    holds(PROFILE(LATER("\"interval\":\"2h\"")) CURRENT,
          REPORTS("Capped", BLOCK_PATH "autoSetResources.interval"));
    holds(PROFILE("{\"autoSetRequests\":{\"enable\":true,\"evaluationPeriod\":\"10s\"}}") CURRENT,
          REPORTS("Capped", BLOCK_PATH "autoSetRequests.evaluationPeriod"));
}

static void
a_buffer_within_the_ignored_range_is_reported_by_the_names_that_were_written(void **state)
{
    (void)state;
    holds(PROFILE("{\"autoSetLimits\":{\"enable\":true,\"extraTFlopsBufferRatio\":\"5%\"}}")
              CURRENT,
          "\"extraTFlopsBufferRatio is not above ignoredDeltaRange: a TFLOPS limit that is used up "
          "may stay where it is\"");
    holds(PROFILE(LATER("\"marginFraction\":\"0.1\",\"updateThreshold\":\"0.1\"")) CURRENT,
          "\"marginFraction is not above updateThreshold: ");
}

static void an_empty_text_of_the_profile_does_not_hide_the_pool(void **state)
{
    (void)state;
    static const char empty[] =
        PROFILE("{\"autoSetLimits\":{\"enable\":true,\"scaleUpStep\":\"\"}}")
            POOL("{\"autoSetLimits\":{\"scaleUpStep\":\"50%\"}}");
    holds(empty, "\"resource\":\"tflops\",\"from\":\"20\",\"to\":\"30\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mixed_profile_is_the_union_of_its_dialects),
        cmocka_unit_test(an_empty_layer_of_a_mixed_profile_is_left_out),
        cmocka_unit_test(a_layer_that_a_mixed_profile_writes_in_dialect_a_counts_as_written),
        cmocka_unit_test(a_mixed_profile_without_resources_gives_v2_17_1_the_layers_of_dialect_a),
        cmocka_unit_test(a_decimal_is_at_most_a_million),
        cmocka_unit_test(a_maximum_of_replicas_is_never_raised),
        cmocka_unit_test(a_bound_of_replicas_is_a_whole_number),
        cmocka_unit_test(a_rule_with_a_member_of_a_wrong_type_is_reported),
        cmocka_unit_test(a_rule_that_is_disabled_or_lacks_a_text_is_skipped_in_silence),
        cmocka_unit_test(a_percent_above_100_in_a_rule_is_reported),
        cmocka_unit_test(what_our_layers_cannot_say_of_dialect_c_is_reported),
        cmocka_unit_test(rules_and_scalers_of_dialect_c_count_and_are_not_reported),
        cmocka_unit_test(v2_17_1_reports_what_is_wrong_with_a_profile_of_dialect_a),
        cmocka_unit_test(v2_17_1_reports_what_it_rounds_as_rounded),
        cmocka_unit_test(v2_17_1_says_nothing_of_a_conversion_that_it_does_not_need),
        cmocka_unit_test(a_bad_field_of_a_pool_of_dialect_c_has_the_path_of_the_pool),
        cmocka_unit_test(the_shared_interval_of_dialect_c_is_capped_for_no_layer_when_one_takes_it),
        cmocka_unit_test(
            a_buffer_within_the_ignored_range_is_reported_by_the_names_that_were_written),
        cmocka_unit_test(an_empty_text_of_the_profile_does_not_hide_the_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
