/* SPDX-License-Identifier: Apache-2.0 */

/* NodeTwin.status from whole objects (docs/rules/twin.md#status-of-a-nodetwin). */

#include <string.h>

#include "twin/twin_tests.h"

#define TOLERANCE 1e-6

/* The watts that were written are the watts that the twin counts with. */
static void caps_in_watts_reach_the_budget(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    t.spec.cpu = (struct jl_cpu_intent){ 0 };
    JL_SET(&t.spec.cpu, cap_w, 105); /* per package, of 350 W */
    measure(&t, 105);
    composed(&t);
    assert_near(t.status.effective_caps.cpu_pct, 30, TOLERANCE);
    assert_near(t.status.power.cpu_capped_power_w, 210, TOLERANCE);
    assert_near(t.status.power_headroom_score, 50, TOLERANCE);

    t.readings.rules = JOULIE_TWIN_RULES_V0_1_1; /* there the twin believes 100 % */
    composed(&t);
    assert_near(t.status.effective_caps.cpu_pct, 100, 0);
    twinning_end(&t);
}

/* Without a meter the default twin of the source is constant; ours says what it rests on. */
static void a_node_without_a_meter_is_still_predicted(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    composed(&t);
    assert_int_equal(t.status.power.source, JOULIE_POWER_SOURCE_STATIC);
    assert_false(t.status.power.given.measured_node_power_w);
    assert_string_equal(t.provenance.measured_node_power, "cap-estimate");
    assert_near(t.status.power_headroom_score, 73.28, TOLERANCE);

    t.readings.has |= JOULIE_TWIN_HAS_CPU_UTIL;
    t.readings.cpu_util_pct = 25;
    composed(&t);
    assert_int_equal(t.status.power.source, JOULIE_POWER_SOURCE_UTILIZATION);
    assert_near(t.status.power.measured_node_power_w, 700 * 0.4, TOLERANCE);
    assert_string_equal(t.provenance.measured_node_power, "utilization");

    t.readings.rules = JOULIE_TWIN_RULES_V0_1_1;
    composed(&t);
    assert_near(t.status.power_headroom_score, 100, 0);
    twinning_end(&t);
}

/* 2 x 350 W and 8 x 700 W that no catalog knows: a fifth and a tenth of that when idle. */
static void a_node_without_a_meter_draws_what_its_pods_ask_for(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    add_gpus(&t, 8, 700, false);
    t.in.has_pods = true;
    composed(&t);
    assert_int_equal(t.status.power.source, JOULIE_POWER_SOURCE_ALLOCATION);
    assert_string_equal(t.provenance.measured_node_power, "allocation");
    assert_string_equal(t.provenance.cooling_model, "tdp-ratio");
    assert_near(t.status.power.measured_node_power_w, 140 + 560, TOLERANCE);
    assert_near(t.status.power_headroom_score, (6020 - 700) / 60.20, TOLERANCE);
    assert_near(t.status.cooling_stress_score, 700 / 63.0, TOLERANCE);
    t.in.pods_cpu_w = 100;
    t.in.pods_gpu_w = 910;
    composed(&t);
    assert_near(t.status.power.measured_node_power_w, 240 + 1470, TOLERANCE);
    t.in.pods_cpu_w = 1000; /* eco: 420 W */
    composed(&t);
    assert_near(t.status.power.measured_node_power_w, 420 + 1470, TOLERANCE);

    measure(&t, 999);
    composed(&t);
    assert_near(t.status.power.measured_node_power_w, 999, 0);
    twinning_end(&t);
}

/* Words of a failed read come with 0 W; that is no measurement. */
static void a_failed_read_falls_to_the_next_tier(void **state)
{
    (void)state;

    static const enum joulie_power_source failed[] = { JOULIE_POWER_SOURCE_HTTP_ERROR,
                                                       JOULIE_POWER_SOURCE_HTTP_NO_ENDPOINT,
                                                       JOULIE_POWER_SOURCE_PROMETHEUS_NO_DATA };

    for (size_t i = 0; i < JL_COUNT(failed); i++) {
        struct twinning t;
        twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
        measure(&t, 0);
        t.in.source = failed[i];
        composed(&t);
        assert_int_equal(t.status.power.source, JOULIE_POWER_SOURCE_STATIC);
        assert_true(t.status.power_headroom_score < 100);

        t.readings.rules = JOULIE_TWIN_RULES_V0_1_1;
        composed(&t);
        assert_int_equal(t.status.power.source, failed[i]);
        assert_near(t.status.power_headroom_score, 100, 0);
        twinning_end(&t);
    }
}

static void a_known_model_without_sockets_has_a_budget(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    t.facts = (struct jl_hardware_status){ 0 };
    JL_SET(&t.facts.cpu, model, "AMD_EPYC_9654");
    measure(&t, 108);
    composed(&t);
    assert_near(t.status.power.cpu_tdp_w, 360, 0);
    assert_near(t.status.power_headroom_score, 50, TOLERANCE);
    assert_string_equal(t.provenance.cpu_tdp, "catalog");

    t.readings.rules = JOULIE_TWIN_RULES_V0_1_1;
    composed(&t);
    assert_near(t.status.power.cpu_tdp_w, 0, 0);
    assert_near(t.status.power_headroom_score, 100, 0);
    twinning_end(&t);
}

static void unknown_hardware_gives_no_scores(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    t.facts = (struct jl_hardware_status){ 0 };
    measure(&t, 500);
    t.in.source = JOULIE_POWER_SOURCE_HTTP;
    t.in.has_trend = true;
    t.in.trend_w_per_min = -3;
    composed(&t);
    assert_int_equal(t.status.power.has,
                     1 << JL_INDEX(jl_power_measurement, source) |
                         1 << JL_INDEX(jl_power_measurement, measured_node_power_w) |
                         1 << JL_INDEX(jl_power_measurement, power_trend_w_per_min));
    assert_int_equal(t.status.has, 1 << JL_INDEX(jl_twin_status, schedulable_class) |
                                       1 << JL_INDEX(jl_twin_status, power) |
                                       1 << JL_INDEX(jl_twin_status, effective_caps) |
                                       1 << JL_INDEX(jl_twin_status, reschedule));
    assert_string_equal(t.provenance.cpu_tdp, "unknown");
    assert_string_equal(t.provenance.gpu_tdp, "unknown"); /* nobody knows that it has none */
    twinning_end(&t);
}

/* A GPU of unknown power is unknown, not 0 W; a node without GPU is 0 W. */
static void a_part_of_unknown_power_is_left_out(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    composed(&t);
    assert_true(t.status.power.given.gpu_tdp_w);
    assert_false(t.provenance.given.gpu_tdp);
    add_gpus(&t, 8, 0, false);
    composed(&t);
    assert_false(t.status.power.given.gpu_tdp_w);
    assert_false(t.status.power.given.gpu_capped_power_w);
    assert_string_equal(t.provenance.gpu_tdp, "unknown");
    twinning_end(&t);
}

static void a_cap_that_is_blocked_does_not_count(void **state)
{
    (void)state;

    static const struct {
        const char *result;
        double pct, headroom;
        const char *provenance;
    } rows[] = {
        { "applied", 60, 16.666666667, "requested" },
        { "pending", 60, 16.666666667, "requested" },
        { "blocked", 100, 50, "not-in-force" },
        { "error", 100, 50, "not-in-force" },
        { "none", 100, 50, "not-in-force" },
        { "a new word", 60, 16.666666667, "requested" },
    };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct twinning t;
        twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
        measure(&t, 350);
        report_cpu(&t, rows[i].result);
        composed(&t);
        assert_near(t.status.effective_caps.cpu_pct, rows[i].pct, 0);
        assert_near(t.status.power_headroom_score, rows[i].headroom, TOLERANCE);
        assert_string_equal(t.provenance.cpu_cap, rows[i].provenance);

        t.readings.rules = JOULIE_TWIN_RULES_V0_1_1; /* never reads it */
        composed(&t);
        assert_near(t.status.effective_caps.cpu_pct, 60, 0);
        twinning_end(&t);
    }
}

static void a_pending_cap_leaves_the_previous_one_in_force(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    report_cpu(&t, "pending");
    JL_SET(&t.previous, cpu_pct, 80);
    composed(&t);
    assert_near(t.status.effective_caps.cpu_pct, 80, 0);
    assert_string_equal(t.provenance.cpu_cap, "not-in-force");
    twinning_end(&t);
}

static void a_part_without_a_device_is_at_100(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    JL_SET(&t.spec.gpu.power_cap, cap_pct, 40);
    composed(&t);
    assert_near(t.status.effective_caps.gpu_pct, 100, 0);
    assert_string_equal(t.provenance.gpu_cap, "none");
    add_gpus(&t, 8, 700, false);
    composed(&t);
    assert_near(t.status.effective_caps.gpu_pct, 40, 0);
    assert_string_equal(t.provenance.gpu_cap, "requested");
    twinning_end(&t);
}

/* The catalog's curve is of two sockets, the GPU's idle power is the catalog's. */
static void the_catalog_knows_curves_and_idle_power(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    t.facts = (struct jl_hardware_status){ 0 };
    t.spec.cpu = (struct jl_cpu_intent){ 0 };
    JL_SET(&t.facts.cpu, model, "AMD_EPYC_9654");
    JL_SET(&t.facts.cpu, sockets, 1);
    t.readings.has |= JOULIE_TWIN_HAS_CPU_UTIL | JOULIE_TWIN_HAS_GPU_UTIL;
    t.readings.cpu_util_pct = 50;
    t.readings.gpu_util_pct = 50;
    composed(&t);
    assert_near(t.status.power.measured_node_power_w, 205, TOLERANCE);
    add_gpus(&t, 8, 0, false);
    JL_SET(&t.facts.gpu, model, "NVIDIA_H100_SXM");
    composed(&t);
    assert_near(t.status.power.measured_node_power_w, 205 + 3200, TOLERANCE);
    twinning_end(&t);
}

static void version_0_1_0_has_no_power_measurement(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_V0_1_0);
    measure(&t, 350);
    composed(&t);
    assert_false(t.status.given.power);
    assert_near(t.status.power_headroom_score, 73.28,
                TOLERANCE); /* the measurement is not looked at */
    twinning_end(&t);
}

static void the_instant_is_written_when_it_is_known(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    composed(&t);
    assert_false(t.status.given.last_updated);
    t.in.has_now = true;
    t.in.now_ms = INT64_C(1773403200000);
    composed(&t);
    assert_string_equal(t.status.last_updated, "2026-03-13T12:00:00Z");
    twinning_end(&t);
}

static void nothing_is_written_on_failure(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    t.in.has_now = true;
    t.arena.limit = 1;
    assert_int_equal(compose(&t), JOULIE_E_LIMIT);
    assert_int_equal(t.status.has, 0);
    measure(&t, -1);
    assert_int_equal(compose(&t), JOULIE_E_RANGE);
    assert_string_equal(t.err.where, "measuredNodePowerW");
    assert_int_equal(t.status.has, 0);
    twinning_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caps_in_watts_reach_the_budget),
        cmocka_unit_test(a_node_without_a_meter_is_still_predicted),
        cmocka_unit_test(a_node_without_a_meter_draws_what_its_pods_ask_for),
        cmocka_unit_test(a_failed_read_falls_to_the_next_tier),
        cmocka_unit_test(a_known_model_without_sockets_has_a_budget),
        cmocka_unit_test(unknown_hardware_gives_no_scores),
        cmocka_unit_test(a_part_of_unknown_power_is_left_out),
        cmocka_unit_test(a_cap_that_is_blocked_does_not_count),
        cmocka_unit_test(a_pending_cap_leaves_the_previous_one_in_force),
        cmocka_unit_test(a_part_without_a_device_is_at_100),
        cmocka_unit_test(the_catalog_knows_curves_and_idle_power),
        cmocka_unit_test(version_0_1_0_has_no_power_measurement),
        cmocka_unit_test(the_instant_is_written_when_it_is_known),
        cmocka_unit_test(nothing_is_written_on_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
