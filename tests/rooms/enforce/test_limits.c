/* SPDX-License-Identifier: Apache-2.0 */

/* Package limits on machines that do not do what is written (docs/rules/enforcement.md). */

#include <stdio.h>
#include <string.h>

#include "enforce/rig.h"

#define ORIGINAL UINT64_C(205000000)
#define CAP UINT64_C(120000000)

static struct rig capped(const char *host, double watts)
{
    struct rig rig = rig_new(host);
    rig_open(&rig);
    rig_cap_w(&rig, watts);
    rig_tick(&rig);
    return rig;
}

static void a_cap_is_written_to_every_package_read_back_and_given_back(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120);

    assert_number(&rig, LIMIT_0, CAP);
    assert_number(&rig, LIMIT_1, CAP);
    rig_pass_s(&rig, 5);
    assert_word(&rig, "cpu.backend", "rapl");
    assert_word(&rig, "cpu.result", "applied");
    assert_near(rig_value(&rig, "cpu.observed.packages.1.limitWatts"), 120, 0);
    assert_string_equal(rig_state(&rig, 0), "capped");
    assert_int_equal(rig_open_keys(&rig), 2);

    assert_int_equal(rig_restore(&rig), 0);
    assert_number(&rig, LIMIT_0, ORIGINAL);
    assert_number(&rig, LIMIT_1, ORIGINAL);
    assert_int_equal(rig_open_keys(&rig), 0);
    rig_free(&rig);
}

static void a_spec_without_intent_gives_the_cap_back(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120);

    rig_cap_none(&rig);
    rig_pass_s(&rig, 1);

    assert_number(&rig, LIMIT_0, ORIGINAL);
    assert_number(&rig, LIMIT_1, ORIGINAL);
    assert_word(&rig, "cpu.result", "none");
    assert_int_equal(rig_open_keys(&rig), 0);
    rig_free(&rig);
}

static void only_long_term_of_packages_is_ever_written(void **state)
{
    (void)state;
    static const char *const hosts[] = { "intel-2s",  "psys-middle", "swapped", "multi-die",
                                         "mmio-twin", "percent",     "client",  "hex-id" };
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        struct rig rig = rig_new(hosts[i]);
        rig_open(&rig);
        rig_cap_pct(&rig, 60);
        rig_pass_s(&rig, 3);
        assert_true(fk_writes(rig.fk, RAPL "*/constraint_0_power_limit_uw") > 0);
        assert_int_equal(fk_writes(rig.fk, RAPL "*:*:*"), 0); /* no dram, core, uncore */
        assert_int_equal(fk_writes(rig.fk, "*constraint_1*"), 0);
        assert_int_equal(fk_writes(rig.fk, "*time_window*"), 0);
        assert_int_equal(fk_writes(rig.fk, "*/enabled"), 0);
        assert_int_equal(fk_writes(rig.fk, "*intel-rapl-mmio*"), 0);
        assert_int_equal(fk_writes(rig.fk, "*cpufreq*"), 0);
        rig_free(&rig);
    }
}

static void psys_is_never_written(void **state)
{
    (void)state;
    struct rig rig = capped("psys-middle", 120);

    assert_int_equal(fk_writes(rig.fk, RAPL "intel-rapl:1/*"), 0);
    assert_number(&rig, RAPL "intel-rapl:2/constraint_0_power_limit_uw", CAP);
    rig_free(&rig);
}

static void a_percentage_is_of_each_package_own_maximum(void **state)
{
    (void)state;
    struct rig rig = rig_new("percent");
    rig_open(&rig);
    rig_cap_pct(&rig, 60);
    rig_tick(&rig);

    assert_number(&rig, LIMIT_0, 162000000);
    assert_number(&rig, LIMIT_1, 135000000);
    rig_free(&rig);
}

static void an_equal_limit_is_not_written_again(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120);

    const uint64_t before = fk_writes(rig.fk, ALL_LIMITS);
    rig_pass_s(&rig, 60);

    assert_int_equal(before, 2);
    assert_int_equal(fk_writes(rig.fk, ALL_LIMITS), before);
    rig_free(&rig);
}

static void a_limit_is_floored_to_the_power_unit(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120.3);

    assert_number(&rig, LIMIT_0, 120250000);
    rig_pass_s(&rig, 5);
    assert_word(&rig, "cpu.result", "applied");
    rig_free(&rig);
}

static void a_coarser_power_unit_is_learned_from_what_reads_back(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_fault(&rig, "round " RAPL "intel-rapl:* 1000000");
    rig_open(&rig);
    rig_cap_w(&rig, 120.3);
    rig_pass_s(&rig, 5);

    assert_number(&rig, LIMIT_0, CAP);
    assert_word(&rig, "cpu.result", "applied");
    assert_true(fk_writes(rig.fk, ALL_LIMITS) <= 4);
    rig_free(&rig);
}

static void a_write_that_is_ignored_fails_after_three_tries_and_the_others_go_back(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_fault(&rig, "ignore " LIMIT_1);
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 3);

    assert_string_equal(rig_state(&rig, 1), "failed");
    assert_word(&rig, "cpu.result", "error");
    assert_number(&rig, LIMIT_0, ORIGINAL);
    assert_number(&rig, LIMIT_1, ORIGINAL);

    const uint64_t tried = fk_writes(rig.fk, LIMIT_1);
    rig_pass_s(&rig, 50);
    assert_int_equal(tried, 3);
    assert_int_equal(fk_writes(rig.fk, LIMIT_1), tried); /* it waits 60 s before the next try */
    rig_free(&rig);
}

static void when_the_second_package_refuses_the_first_gets_its_value_back(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_fault(&rig, "write " LIMIT_1 " EIO 1");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);

    assert_number(&rig, LIMIT_0, ORIGINAL);
    assert_number(&rig, LIMIT_1, ORIGINAL);
    assert_word(&rig, "cpu.result", "error");

    rig_pass_s(&rig, 120);
    assert_number(&rig, LIMIT_0, CAP);
    assert_number(&rig, LIMIT_1, CAP);
    assert_word(&rig, "cpu.result", "applied");
    rig_free(&rig);
}

static void a_group_goes_back_to_the_cap_it_had_not_to_the_baseline(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120);

    rig_fault(&rig, "write " LIMIT_1 " EIO");
    rig_cap_w(&rig, 90);
    rig_pass_s(&rig, 1);

    assert_number(&rig, LIMIT_0, CAP);
    assert_number(&rig, LIMIT_1, CAP);
    assert_word(&rig, "cpu.result", "error");
    rig_fault(&rig, "clear");
    assert_int_equal(rig_restore(&rig), 0);
    assert_number(&rig, LIMIT_0, ORIGINAL);
    rig_free(&rig);
}

static void a_limit_that_the_firmware_locked_is_only_monitored(void **state)
{
    (void)state;
    struct rig rig = rig_new("locked");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);

    assert_word(&rig, "cpu.result", "blocked");
    assert_reason(&rig, "cpu.message", "locked");
    assert_string_equal(rig_state(&rig, 0), "monitor");
    assert_number(&rig, LIMIT_0, ORIGINAL);
    rig_free(&rig);
}

static void what_the_firmware_locked_is_held_by_frequency(void **state)
{
    (void)state;
    struct rig rig = rig_new("locked");
    fk_set_demand_w(rig.fk, 0, 200);
    fk_set_demand_w(rig.fk, 1, 200);
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 30);

    assert_word(&rig, "cpu.backend", "dvfs");
    assert_word(&rig, "cpu.result", "applied");
    assert_reason(&rig, "cpu.message", "locked");
    assert_string_equal(rig_state(&rig, 0), "monitor");
    assert_number(&rig, LIMIT_0, ORIGINAL);
    assert_true(fk_power_w(rig.fk, 0) <= 126 && fk_power_w(rig.fk, 1) <= 126);
    assert_int_equal(rig_restore(&rig), 0);
    assert_number(&rig, MAX_FREQ("0"), 3500000);
    rig_free(&rig);
}

static void a_limit_that_is_switched_off_is_written_and_reported_as_not_enforced(void **state)
{
    (void)state;
    struct rig rig = capped("no-enable", 120);
    rig_pass_s(&rig, 5);

    assert_number(&rig, LIMIT_0, CAP);
    assert_word(&rig, "cpu.result", "blocked");
    assert_reason(&rig, "cpu.message", "notEnforced");
    assert_int_equal(fk_writes(rig.fk, "*/enabled"), 0);
    rig_free(&rig);
}

static void a_limit_is_switched_on_only_with_the_option_and_switched_off_again(void **state)
{
    (void)state;
    struct rig rig = rig_new("no-enable");
    rig.options.may_enable = 1;
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 5);

    assert_number(&rig, RAPL "intel-rapl:0/enabled", 1);
    assert_number(&rig, RAPL "intel-rapl:1/enabled", 1);
    assert_word(&rig, "cpu.result", "applied");
    assert_int_equal(rig_restore(&rig), 0);
    assert_number(&rig, RAPL "intel-rapl:0/enabled", 0);
    assert_number(&rig, LIMIT_0, ORIGINAL);
    rig_free(&rig);
}

static void a_lower_limit_of_somebody_else_is_accepted(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120);
    rig_pass_s(&rig, 2);

    fk_write_text(rig.fk, LIMIT_0, "80000000");
    rig_pass_s(&rig, 10);

    assert_number(&rig, LIMIT_0, 80000000);
    assert_word(&rig, "cpu.result", "applied");
    assert_reason(&rig, "cpu.message", "limitedByOther");
    assert_int_equal(fk_writes(rig.fk, ALL_LIMITS), 2);
    rig_free(&rig);
}

static void a_higher_limit_of_somebody_else_is_corrected_three_times_then_contested(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120);
    for (int i = 0; i < 3; i++) {
        fk_write_text(rig.fk, LIMIT_0, "190000000");
        rig_pass_s(&rig, 1);
        assert_number(&rig, LIMIT_0, CAP);
    }

    fk_write_text(rig.fk, LIMIT_0, "190000000");
    rig_pass_s(&rig, 60);

    assert_number(&rig, LIMIT_0, 190000000);
    assert_string_equal(rig_state(&rig, 0), "contested");
    assert_word(&rig, "cpu.result", "blocked");
    assert_reason(&rig, "cpu.message", "contested");
    rig_pass_s(&rig, 600);
    assert_number(&rig, LIMIT_0, CAP); /* after 10 min it is tried again */
    rig_free(&rig);
}

static void a_lower_limit_behind_mmio_is_named_as_the_limiter(void **state)
{
    (void)state;
    struct rig rig = capped("mmio-twin", 120);
    rig_pass_s(&rig, 3);

    assert_number(&rig, LIMIT_0, CAP);
    assert_word(&rig, "cpu.observed.limiter", "mmio");
    assert_reason(&rig, "cpu.message", "limitedByOther");
    rig_free(&rig);
}

static void short_term_follows_a_raise_only_up_to_its_baseline(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 90);
    assert_number(&rig, SHORT_0, 246000000);
    fk_write_text(rig.fk, SHORT_0, "100000000"); /* by somebody else, after we saw 246 W */

    rig_cap_w(&rig, 150);
    rig_pass_s(&rig, 2);

    assert_number(&rig, LIMIT_0, 150000000);
    assert_true(fk_number(rig.fk, SHORT_0) >= 150000000);
    assert_true(fk_number(rig.fk, SHORT_0) <= 246000000);
    rig_free(&rig);
}

static void short_term_that_was_low_before_us_stays_as_it_was(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    fk_write_text(rig.fk, SHORT_0, "100000000");
    rig_open(&rig);
    rig_cap_w(&rig, 90);
    rig_tick(&rig);
    rig_cap_w(&rig, 150);
    rig_pass_s(&rig, 2);

    assert_number(&rig, SHORT_0, 100000000);
    assert_int_equal(rig_restore(&rig), 0);
    assert_number(&rig, SHORT_0, 100000000);
    assert_number(&rig, LIMIT_0, ORIGINAL);
    rig_free(&rig);
}

static void a_ramp_lowers_by_a_fifth_of_the_maximum_each_five_seconds(void **state)
{
    (void)state;
    static const uint64_t expected[] = { 164000000, 123000000,
                                         90000000 }; /* docs/rules/caps.md#ramp */
    struct rig rig = rig_new("intel-2s");
    rig.options.ramps = 1;
    rig_open(&rig);
    rig_cap_w(&rig, 90);
    rig_tick(&rig);
    for (size_t i = 0; i < 3; i++) {
        assert_number(&rig, LIMIT_0, expected[i]);
        assert_number(&rig, LIMIT_1, expected[i]);
        assert_word(&rig, "cpu.result", i < 2 ? "pending" : rig_word(&rig, "cpu.result"));
        rig_pass_s(&rig, 4);
        assert_number(&rig, LIMIT_0, expected[i]);
        rig_pass_s(&rig, 1);
    }
    assert_int_equal(rig_restore(&rig), 0); /* at once */
    assert_number(&rig, LIMIT_0, ORIGINAL);
    rig_free(&rig);
}

static void power_above_the_cap_after_thirty_seconds_is_blocked_as_ineffective(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    fk_set_delay_ms(rig.fk, INT64_C(3600) * 1000); /* the limit never takes effect */
    fk_set_demand_w(rig.fk, 0, 200);
    fk_set_demand_w(rig.fk, 1, 200);
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 40);

    assert_number(&rig, LIMIT_0, CAP); /* the value stays written */
    assert_word(&rig, "cpu.result", "blocked");
    assert_reason(&rig, "cpu.message", "ineffective");
    rig_free(&rig);
}

static void telemetry_goes_on_when_control_fails(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_fault(&rig, "write " ALL_LIMITS " EIO");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 5);

    assert_word(&rig, "cpu.result", "error");
    assert_near(rig_zone(&rig, "package-0").power_w, 123, 1); /* 60 % of 205 W */
    rig_free(&rig);
}

static void control_goes_on_when_telemetry_fails(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_fault(&rig, "read *energy_uj EINVAL");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 2);

    assert_number(&rig, LIMIT_0, CAP);
    assert_int_equal(rig_zone(&rig, "package-0").has & JOULIE_HOST_ZONE_HAS_POWER, 0);
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cap_is_written_to_every_package_read_back_and_given_back),
        cmocka_unit_test(a_spec_without_intent_gives_the_cap_back),
        cmocka_unit_test(only_long_term_of_packages_is_ever_written),
        cmocka_unit_test(psys_is_never_written),
        cmocka_unit_test(a_percentage_is_of_each_package_own_maximum),
        cmocka_unit_test(an_equal_limit_is_not_written_again),
        cmocka_unit_test(a_limit_is_floored_to_the_power_unit),
        cmocka_unit_test(a_coarser_power_unit_is_learned_from_what_reads_back),
        cmocka_unit_test(a_write_that_is_ignored_fails_after_three_tries_and_the_others_go_back),
        cmocka_unit_test(when_the_second_package_refuses_the_first_gets_its_value_back),
        cmocka_unit_test(a_group_goes_back_to_the_cap_it_had_not_to_the_baseline),
        cmocka_unit_test(a_limit_that_the_firmware_locked_is_only_monitored),
        cmocka_unit_test(what_the_firmware_locked_is_held_by_frequency),
        cmocka_unit_test(a_limit_that_is_switched_off_is_written_and_reported_as_not_enforced),
        cmocka_unit_test(a_limit_is_switched_on_only_with_the_option_and_switched_off_again),
        cmocka_unit_test(a_lower_limit_of_somebody_else_is_accepted),
        cmocka_unit_test(a_higher_limit_of_somebody_else_is_corrected_three_times_then_contested),
        cmocka_unit_test(a_lower_limit_behind_mmio_is_named_as_the_limiter),
        cmocka_unit_test(short_term_follows_a_raise_only_up_to_its_baseline),
        cmocka_unit_test(short_term_that_was_low_before_us_stays_as_it_was),
        cmocka_unit_test(a_ramp_lowers_by_a_fifth_of_the_maximum_each_five_seconds),
        cmocka_unit_test(power_above_the_cap_after_thirty_seconds_is_blocked_as_ineffective),
        cmocka_unit_test(telemetry_goes_on_when_control_fails),
        cmocka_unit_test(control_goes_on_when_telemetry_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
