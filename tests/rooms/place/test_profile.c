/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <joulie/ask.h>

#include "place/place_tests.h"
#include "place/profile.h"

/* Weights and thresholds of the score are a document with bounds
 * (docs/rules/placement.md#scoring-profile). */

static char *ask(const char *question, const char *text)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    if (joulie_ask(question, text, strlen(text), NULL, &answer, &err) != 0)
        fail_msg("%s: %s", err.where, err.message);
    return answer;
}

static void an_empty_profile_is_the_constants_of_the_formula(void **state)
{
    (void)state;
    char *answer = ask("score.profile", "{}");
    assert_string_equal(
        answer, "{\"version\":1,\"profileName\":\"current\",\"spread\":\"none\","
                "\"headroomWeight\":0.7,\"coolingWeight\":0.15,\"pressureWeight\":0.3,"
                "\"ecoPoints\":10,\"trendMaxPoints\":25,\"steadyWPerPoint\":6,\"burstWPerPoint\":2,"
                "\"burstWPerMin\":500,\"unknownScore\":25,\"cpuCapPoints\":25,\"gpuCapPoints\":50,"
                "\"capPointsMax\":40,\"maxProjectedPct\":0,\"marginalCpuUtilCoeff\":0.7,"
                "\"marginalGpuUtilCoeffStandard\":0.65,\"marginalGpuUtilCoeffPerformance\":0.85,"
                "\"timeWPerCore\":0,"
                "\"idleWeight\":0,\"psuWeight\":0.05}");
    joulie_free(answer);
}

static void what_a_profile_says_is_kept_member_by_member(void **state)
{
    (void)state;
    static const char text[] =
        "{\"version\":1,\"profileName\":\"v0.1.1\",\"spread\":\"rank\",\"headroomWeight\":1,"
        "\"coolingWeight\":2,\"pressureWeight\":3,\"ecoPoints\":4,\"trendMaxPoints\":5,"
        "\"steadyWPerPoint\":7,\"burstWPerPoint\":8,\"burstWPerMin\":9,\"unknownScore\":10,"
        "\"cpuCapPoints\":11,\"gpuCapPoints\":12,\"capPointsMax\":13,\"maxProjectedPct\":14,"
        "\"marginalCpuUtilCoeff\":0.5,\"marginalGpuUtilCoeffStandard\":0.25,"
        "\"marginalGpuUtilCoeffPerformance\":0.125,\"timeWPerCore\":2,\"idleWeight\":1,"
        "\"psuWeight\":0.75}";
    char *answer = ask("score.profile", text);
    assert_string_equal(answer, text);
    joulie_free(answer);
}

static void a_profile_out_of_its_bounds_is_refused_at_its_place(void **state)
{
    (void)state;

    static const struct {
        const char *text;
        int code;
        const char *where;
    } bad[] = {
        { "{\"version\":2}", JOULIE_E_UNSUPPORTED, "version" },
        { "{\"unknownScore\":26}", JOULIE_E_RANGE, "unknownScore" },
        { "{\"headroomWeight\":-0.1}", JOULIE_E_RANGE, "headroomWeight" },
        { "{\"burstWPerPoint\":0}", JOULIE_E_RANGE, "burstWPerPoint" },
        { "{\"maxProjectedPct\":1001}", JOULIE_E_RANGE, "maxProjectedPct" },
        { "{\"spread\":\"wide\"}", JOULIE_E_ENUM, "spread" },
        { "{\"headroomweight\":1}", JOULIE_E_UNKNOWN_MEMBER, "headroomweight" },
        { "{\"ecoPoints\":\"10\"}", JOULIE_E_TYPE, "ecoPoints" },
    };

    for (size_t i = 0; i < JL_COUNT(bad); i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        char *answer = NULL;
        assert_int_equal(
            joulie_ask("score.profile", bad[i].text, strlen(bad[i].text), NULL, &answer, &err),
            bad[i].code);
        assert_string_equal(err.where, bad[i].where);
        assert_null(answer);
    }
}

static void the_rules_of_a_profile_leave_the_rest_of_a_request(void **state)
{
    (void)state;
    struct jl_scoring_profile profile = { 0 };
    struct joulie_place_config config;
    jl_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT);
    config.staleness_ms = 7;
    config.stale_grace_ms = 8;
    config.fail_policy = JOULIE_FAIL_CLOSED;
    JL_SET(&profile, rules, JOULIE_PLACE_RULES_V0_1_0);
    jl_scoring_profile_apply(&profile, &config);
    assert_int_equal(config.rules, JOULIE_PLACE_RULES_V0_1_0);
    assert_int_equal(config.staleness_ms, 7);
    assert_int_equal(config.stale_grace_ms, 8);
    assert_int_equal(config.fail_policy, JOULIE_FAIL_CLOSED);
}

#define NODE(name, headroom, cooling)                                                    \
    "{\"name\":\"" name                                                                  \
    "\",\"twin\":{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\","          \
    "\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"nodeName\":\"" name                \
    "\",\"profile\":\"eco\"},"                                                           \
    "\"status\":{\"schedulableClass\":\"eco\",\"predictedPowerHeadroomScore\":" headroom \
    ",\"predictedCoolingStressScore\":" cooling ",\"lastUpdated\":\"2026-03-13T12:00:00Z\"}}}"
#define REQUEST(scoring)                                                                        \
    "{\"pod\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{" \
    "\"containers\":[]}},\"now\":\"2026-03-13T12:00:00Z\",\"nodes\":[" NODE(                    \
        "a", "80", "0") "," NODE("b", "40", "0") "," NODE("c", "20", "0") "]" scoring "}"

static void assert_says(const char *request, const char *part)
{
    char *answer = ask("score", request);
    if (strstr(answer, part) == NULL)
        fail_msg("%s is not in %s", part, answer);
    joulie_free(answer);
}

/* A dry run is a question: 0.7·80 + 15 + 10 = 81 by default; 0.5·80 + 0 + 20 = 60 with weights. */
static void a_dry_run_shows_what_weights_do(void **state)
{
    (void)state;
    assert_says(REQUEST(""), "\"node\":\"a\",\"score\":81,\"wire\":8,\"raw\":81");
    assert_says(REQUEST(",\"scoring\":{\"headroomWeight\":0.5,\"coolingWeight\":0,"
                        "\"ecoPoints\":20}"),
                "\"node\":\"a\",\"score\":60,\"wire\":6,\"raw\":60");
}

/* raw 81, 53 and 39: (53 - 39) / 42 · 10 = 3.33 */
static void rank_is_asked_for_by_the_profile(void **state)
{
    (void)state;
    static const char request[] = REQUEST(",\"scoring\":{\"spread\":\"rank\"}");
    assert_says(request, "\"node\":\"a\",\"score\":81,\"wire\":10");
    assert_says(request, "\"node\":\"b\",\"score\":53,\"wire\":3");
    assert_says(request, "\"node\":\"c\",\"score\":39,\"wire\":0");
}

static void two_rule_sets_in_one_request_are_a_conflict(void **state)
{
    (void)state;
    static const char request[] =
        REQUEST(",\"profileName\":\"v0.1.1\",\"scoring\":{\"profileName\":\"current\"}");
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    assert_int_equal(joulie_ask("score", request, sizeof request - 1, NULL, &answer, &err),
                     JOULIE_E_CONFLICT);
    assert_string_equal(err.where, "scoring.profileName");
}

/* The pod's 0.25 cores on an unknown machine add 26.25 W to 980 of 1000 W. */
static void the_power_limit_is_asked_for_by_the_profile(void **state)
{
    (void)state;
    static const char request[] =
        "{\"pod\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{"
        "\"containers\":[]}},\"now\":\"2026-03-13T12:00:00Z\",\"scoring\":{\"maxProjectedPct\":100}"
        ","
        "\"nodes\":[{\"name\":\"a\",\"twin\":{\"apiVersion\":\"joulie.io/v1alpha1\","
        "\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":\"a\","
        "\"profile\":\"eco\"},\"status\":{\"schedulableClass\":\"eco\","
        "\"powerMeasurement\":{\"measuredNodePowerW\":980,\"nodeCappedPowerW\":1000},"
        "\"lastUpdated\":\"2026-03-13T12:00:00Z\"}}}]}";
    assert_says(request,
                "\"passed\":[],\"failed\":{\"a\":\"joulie: projected power above the limit "
                "of the node\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_profile_is_the_constants_of_the_formula),
        cmocka_unit_test(what_a_profile_says_is_kept_member_by_member),
        cmocka_unit_test(a_profile_out_of_its_bounds_is_refused_at_its_place),
        cmocka_unit_test(the_rules_of_a_profile_leave_the_rest_of_a_request),
        cmocka_unit_test(a_dry_run_shows_what_weights_do),
        cmocka_unit_test(rank_is_asked_for_by_the_profile),
        cmocka_unit_test(two_rule_sets_in_one_request_are_a_conflict),
        cmocka_unit_test(the_power_limit_is_asked_for_by_the_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
