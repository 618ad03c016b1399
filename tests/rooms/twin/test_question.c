/* SPDX-License-Identifier: Apache-2.0 */

/* The question predict from end to end: what the vectors do not show. */

#include <string.h>

#include <joulie/ask.h>

#include "base/text.h"
#include "support/test.h"

static char *ask(const char *text)
{
    char *answer = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_ask("predict", text, strlen(text), NULL, &answer, &err) != 0)
        fail_msg("%s: %s", err.where, err.message);
    return answer;
}

static void assert_fails(const char *text, int code, const char *where)
{
    char *answer = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    assert_int_equal(joulie_ask("predict", text, strlen(text), NULL, &answer, &err), code);
    assert_string_equal(err.where, where);
    assert_null(answer);
}

/* The API server writes 60.0 as 60; both are read, and give the same bytes. */
static void whole_numbers_are_numbers(void **state)
{
    (void)state;
    char *whole =
        ask("{\"hardware\":{\"cpu\":{\"sockets\":2,\"totalCores\":64,"
            "\"capRange\":{\"maxWattsPerSocket\":350}}},\"spec\":{\"nodeName\":\"n1\",\"profile\":"
            "\"eco\","
            "\"cpu\":{\"packagePowerCapPctOfMax\":60}},\"controlStatus\":{\"cpu\":{\"result\":"
            "\"pending\"}},"
            "\"previous\":{\"effectiveCapState\":{\"cpuPct\":80}},\"measuredNodePowerW\":350}");
    char *floating =
        ask("{\"hardware\":{\"cpu\":{\"sockets\":2.0,\"totalCores\":6.4e1,"
            "\"capRange\":{\"maxWattsPerSocket\":350.0}}},\"spec\":{\"nodeName\":\"n1\","
            "\"profile\":\"eco\","
            "\"cpu\":{\"packagePowerCapPctOfMax\":60.0}},\"controlStatus\":{\"cpu\":{\"result\":"
            "\"pending\"}},"
            "\"previous\":{\"effectiveCapState\":{\"cpuPct\":8e1}},\"measuredNodePowerW\":350.0}");
    assert_string_equal(whole, floating);
    assert_non_null(strstr(whole, "\"predictedPowerHeadroomScore\":37.5"));
    joulie_free(whole);
    joulie_free(floating);
}

static void members_come_in_the_order_of_the_spec(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "\"schedulableClass\"",
        "\"powerMeasurement\"",
        "\"predictedPowerHeadroomScore\"",
        "\"predictedCoolingStressScore\"",
        "\"predictedPsuStressScore\"",
        "\"effectiveCapState\"",
        "\"hardwareDensityScore\"",
        "\"estimatedPUE\"",
        "\"rescheduleRecommendations\"",
        "\"gpuSlicingRecommendation\"",
        "\"lastUpdated\"",
        "\"provenance\"",
    };
    char *answer = ask(
        "{\"hardware\":{\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":2,\"totalCores\":192},"
        "\"gpu\":{\"model\":\"NVIDIA_H100_SXM\",\"count\":8,\"slicing\":{\"supported\":true}}},"
        "\"spec\":{\"nodeName\":\"n1\",\"profile\":\"eco\"},\"profiles\":[],\"rackTotalPowerW\":1,"
        "\"now\":\"2026-03-13T12:00:00Z\"}");
    const char *from = answer;
    for (size_t i = 0; i < JL_COUNT(keys); i++) {
        from = strstr(from, keys[i]);
        assert_non_null(from);
    }
    assert_null(strstr(answer, "controlStatus"));
    joulie_free(answer);
}

/* With a version word only the spec goes unchecked. */
static void version_words_do_not_switch_every_check_off(void **state)
{
    (void)state;
    assert_fails("{\"options\":{\"model\":\"v0.1.1\"}}", JOULIE_E_REQUIRED, "spec");
    assert_fails("{\"options\":{\"model\":\"v0.1.1\"},\"spec\":{},\"powerSource\":\"ipmi\"}",
                 JOULIE_E_ENUM, "powerSource");
    assert_fails(
        "{\"options\":{\"model\":\"v0.1.1\"},\"spec\":{},\"coolingModel\":{\"type\":\"fmi\"}}",
        JOULIE_E_ENUM, "coolingModel.type");
    assert_fails("{\"options\":{\"model\":\"v0.1.0\"},\"spec\":{},\"coolingModel\":{}}",
                 JOULIE_E_REQUIRED, "coolingModel.type");
    assert_fails("{\"options\":{\"model\":\"v0.1.1\"},\"spec\":{},\"measuredNodePowerW\":-1}",
                 JOULIE_E_RANGE, "measuredNodePowerW");
    assert_fails("{\"options\":{\"model\":\"v0.0.5\"},\"spec\":{}}", JOULIE_E_UNSUPPORTED,
                 "options.model");
}

#define TWIN                                                                                       \
    "{\"spec\":{\"apiVersion\":\"joulie.io/"                                                       \
    "v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"n1\"},"                             \
    "\"spec\":{\"nodeName\":\"n1\",\"profile\":\"eco\",\"cpu\":{\"packagePowerCapPctOfMax\":60}}," \
    "\"status\":{\"controlStatus\":{\"cpu\":{\"result\":\"blocked\"}}}}"

/* A whole NodeTwin supplies controlStatus; the member of that name wins. */
static void the_member_control_status_wins(void **state)
{
    (void)state;
    char *own = ask(TWIN "}");
    assert_non_null(strstr(own, "\"cpuPct\":100"));
    char *given = ask(TWIN ",\"controlStatus\":{\"cpu\":{\"result\":\"applied\"}}}");
    assert_non_null(strstr(given, "\"cpuPct\":60"));
    joulie_free(own);
    joulie_free(given);
}

#define NODE                                                                           \
    "\"hardware\":{\"cpu\":{\"sockets\":2,\"totalCores\":64,\"capRange\":"             \
    "{\"maxWattsPerSocket\":350}}},\"spec\":{\"nodeName\":\"n1\",\"profile\":\"eco\"," \
    "\"cpu\":{\"packagePowerCapPctOfMax\":60}},\"measuredNodePowerW\":350"

/* 45 °C outside, 35 °C at the plant of the zone. */
static void the_zone_of_a_node_wins_over_the_site(void **state)
{
    (void)state;
    char *zone = ask("{" NODE ",\"outsideTempC\":45,\"zoneTempC\":35}");
    assert_non_null(strstr(zone, "\"predictedCoolingStressScore\":71.42857142857"));
    assert_non_null(strstr(zone, "\"outsideTempC\":\"zone\""));
    joulie_free(zone);
    char *source =
        ask("{\"options\":{\"model\":\"v0.1.1\"}," NODE ",\"outsideTempC\":45,\"zoneTempC\":35}");
    assert_non_null(strstr(source, "\"predictedCoolingStressScore\":100"));
    assert_non_null(strstr(source, "\"outsideTempC\":\"given\""));
    joulie_free(source);
    assert_fails("{" NODE ",\"zoneTotalPowerW\":-1}", JOULIE_E_RANGE, "zoneTotalPowerW");
}

static void psu_stress_says_whose_it_is(void **state)
{
    (void)state;
    char *rack = ask("{" NODE ",\"rackTotalPowerW\":10000}");
    assert_non_null(strstr(rack, "\"predictedPsuStressScore\":\"rack\",\"capacityW\":\"assumed\""));
    joulie_free(rack);
    char *cluster = ask("{" NODE ",\"clusterTotalPowerW\":40000,\"clusterCapacityW\":200000}");
    assert_non_null(
        strstr(cluster, "\"predictedPsuStressScore\":\"cluster\",\"capacityW\":\"given\""));
    joulie_free(cluster);
    char *unknown = ask("{" NODE ",\"clusterTotalPowerW\":40000}");
    assert_null(strstr(unknown, "\"capacityW\""));
    joulie_free(unknown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_numbers),
        cmocka_unit_test(members_come_in_the_order_of_the_spec),
        cmocka_unit_test(version_words_do_not_switch_every_check_off),
        cmocka_unit_test(the_member_control_status_wins),
        cmocka_unit_test(the_zone_of_a_node_wins_over_the_site),
        cmocka_unit_test(psu_stress_says_whose_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
