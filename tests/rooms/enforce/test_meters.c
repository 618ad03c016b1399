/* SPDX-License-Identifier: Apache-2.0 */

/* Power and energy over counters that wrap, are set back and go away (docs/rules/energy.md). */

#include <string.h>

#include "enforce/rig.h"

#define PACKAGE_W 123.0 /* default demand of the fake: 60 % of 205 W */

static struct rig watching(const char *host)
{
    struct rig rig = rig_new(host);
    rig_open(&rig);
    rig_tick(&rig);
    return rig;
}

static void a_counter_that_wraps_loses_no_joule(void **state)
{
    (void)state;
    struct rig rig = watching("intel-2s");
    const uint64_t start = fk_number(rig.fk, RAPL "intel-rapl:0/energy_uj");

    rig_pass_s(&rig, 1300); /* 142 kJ are left to the wrap: 1156 s */

    assert_true(fk_number(rig.fk, RAPL "intel-rapl:0/energy_uj") < start);
    const struct joulie_host_zone zone = rig_zone(&rig, "package-0");
    assert_near((double)zone.energy_j, 1300 * PACKAGE_W, 1 + PACKAGE_W);
    assert_near(zone.power_w, PACKAGE_W, 0.5);
    assert_int_equal(zone.resets, 0);
    rig_free(&rig);
}

static void a_counter_that_was_set_back_is_dropped_and_counted(void **state)
{
    (void)state;
    struct rig rig = watching("intel-2s");
    rig_pass_s(&rig, 10);
    const uint64_t before = rig_zone(&rig, "package-0").energy_j;

    assert_int_equal(fk_set_text(rig.fk, RAPL "intel-rapl:0/energy_uj", "5"), 0);
    rig_pass_s(&rig, 1);

    struct joulie_host_zone zone = rig_zone(&rig, "package-0");
    assert_int_equal(zone.resets, 1);
    assert_true(zone.energy_j >= before);
    assert_near((double)zone.energy_j, (double)before, PACKAGE_W + 1);
    rig_pass_s(&rig, 3);
    zone = rig_zone(&rig, "package-0");
    assert_near(zone.power_w, PACKAGE_W, 0.5);
    rig_free(&rig);
}

static void energy_of_a_sleep_is_not_taken_for_power(void **state)
{
    (void)state;
    struct rig rig = watching("intel-2s");
    rig_pass_s(&rig, 5);
    const uint64_t before = rig_zone(&rig, "package-0").energy_j;

    rig.slept_ms += INT64_C(3600) * 1000;
    rig_pass_s(&rig, 1);

    struct joulie_host_zone zone = rig_zone(&rig, "package-0");
    assert_int_equal(zone.has & JOULIE_HOST_ZONE_HAS_POWER, 0);
    assert_true(zone.energy_j <= before + 124);
    rig_pass_s(&rig, 3);
    zone = rig_zone(&rig, "package-0");
    assert_near(zone.power_w, PACKAGE_W, 0.5);
    rig_free(&rig);
}

static void limits_that_the_firmware_raised_in_a_sleep_are_set_again(void **state)
{
    (void)state;
    struct rig rig = watching("intel-2s");
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 2);

    rig.slept_ms += INT64_C(3600) * 1000;
    fk_write_text(rig.fk, LIMIT_0, "205000000");
    rig_pass_s(&rig, 1);

    assert_number(&rig, LIMIT_0, 120000000);
    rig_free(&rig);
}

static void a_zone_that_comes_back_under_another_number_keeps_its_name_and_its_joules(void **state)
{
    (void)state;
    struct rig rig = watching("intel-2s");
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 10);
    uint64_t last_j = rig_zone(&rig, "package-1").energy_j;

    rig_fault(&rig, "vanish " RAPL "intel-rapl:1");
    rig_pass_s(&rig, 5);
    assert_true(rig_zone(&rig, "package-1").energy_j >= last_j);
    assert_number(&rig, LIMIT_0, 120000000);

    rig_fault(&rig, "return " RAPL "intel-rapl:1 intel-rapl:2 enabled");
    for (int i = 0; i < 120; i++) {
        rig_pass_s(&rig, 1);
        const uint64_t now_j = rig_zone(&rig, "package-1").energy_j;
        assert_true(now_j >= last_j);
        last_j = now_j;
    }
    assert_number(&rig, RAPL "intel-rapl:2/constraint_0_power_limit_uw", 120000000);
    assert_word(&rig, "cpu.result", "applied");

    assert_int_equal(rig_restore(&rig), 0);
    assert_number(&rig, RAPL "intel-rapl:2/constraint_0_power_limit_uw", 205000000);
    assert_number(&rig, LIMIT_0, 205000000);
    rig_free(&rig);
}

static void a_zone_that_is_gone_is_reported_as_lost_and_the_other_stays_capped(void **state)
{
    (void)state;
    struct rig rig = watching("intel-2s");
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 2);

    rig_fault(&rig, "vanish " RAPL "intel-rapl:1");
    rig_pass_s(&rig, 3);

    assert_number(&rig, LIMIT_0, 120000000);
    assert_word(&rig, "cpu.result", "blocked"); /* of unknown, the worst */
    assert_reason(&rig, "cpu.message", "deviceLost");
    rig_free(&rig);
}

static void packages_add_up_and_the_platform_is_never_added(void **state)
{
    (void)state;
    struct rig rig = watching("psys-middle");
    rig_cap_w(&rig, 200);
    rig_pass_s(&rig, 3);

    assert_near(rig_value(&rig, "cpu.observed.watts"), 2 * PACKAGE_W, 1);
    assert_int_equal(rig_zone(&rig, "psys").kind, JOULIE_HOST_ZONE_KIND_PSYS);
    rig_free(&rig);
}

static void a_counter_behind_two_paths_counts_once(void **state)
{
    (void)state;
    struct rig rig = watching("mmio-twin");
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 10);
    const double one = rig_zone(&rig, "package-0").power_w;
    const double other = rig_zone(&rig, "package-1").power_w;

    assert_near(rig_value(&rig, "cpu.observed.watts"), one + other, 1);
    rig_free(&rig);
}

static void joules_move_at_most_once_a_second_and_never_back(void **state)
{
    (void)state;
    struct rig rig = watching("intel-2s");
    rig_pass_s(&rig, 2);
    uint64_t last_j = rig_zone(&rig, "package-0").energy_j;
    int moves = 0;
    for (int i = 0; i < 100; i++) { /* 10 s */
        fk_advance_ms(rig.fk, 100);
        rig_tick(&rig);
        const uint64_t now_j = rig_zone(&rig, "package-0").energy_j;
        assert_true(now_j >= last_j);
        moves += now_j > last_j;
        last_j = now_j;
    }
    assert_in_range(moves, 8, 10);
    rig_free(&rig);
}

/* ---- what a frequency loop reports ---- */

static struct joulie_host_dvfs dvfs_of(struct rig *rig)
{
    struct joulie_host_dvfs dvfs = JOULIE_INIT(struct joulie_host_dvfs);
    assert_int_equal(joulie_host_get_dvfs(rig->host, &dvfs, NULL), 0);
    return dvfs;
}

static void the_source_controller_reports_its_mean_its_trips_and_its_steps(void **state)
{
    (void)state;
    struct rig rig = rig_new("amd-pstate");
    rig.options.dvfs_controller = "legacy";
    rig_open(&rig);
    rig_cap_w(&rig, 50);
    fk_set_demand_w(rig.fk, 0, 100);
    rig_tick(&rig);
    assert_int_equal(dvfs_of(&rig).has & JOULIE_HOST_DVFS_HAS_EMA, 0); /* no sample yet */

    rig_pass_s(&rig, 1);
    struct joulie_host_dvfs dvfs = dvfs_of(&rig);
    assert_int_equal(dvfs.has, JOULIE_HOST_DVFS_HAS_POWER | JOULIE_HOST_DVFS_HAS_EMA |
                                   JOULIE_HOST_DVFS_HAS_TRIPS);
    assert_near(dvfs.ema_w, dvfs.power_w, 1e-9); /* the first sample is the mean */
    assert_int_equal(dvfs.above_trips, 1);
    assert_int_equal(dvfs.ups, 0);

    rig_pass_s(&rig, 1); /* twice above: a step, and the count begins anew */
    dvfs = dvfs_of(&rig);
    assert_int_equal(dvfs.above_trips, 0);
    assert_int_equal(dvfs.below_trips, 0);
    assert_int_equal(dvfs.ups, 1);
    assert_int_equal(dvfs.downs, 0);

    rig_cap_none(&rig);
    rig_pass_s(&rig, 1);
    dvfs = dvfs_of(&rig);
    assert_int_equal(dvfs.has, 0);
    assert_int_equal(dvfs.ups, 1);
    rig_free(&rig);
}

static void power_that_is_not_read_any_more_is_not_reported(void **state)
{
    (void)state;
    struct rig rig = rig_new("amd-pstate");
    rig_open(&rig);
    rig_cap_w(&rig, 50);
    rig_pass_s(&rig, 3);
    struct joulie_host_dvfs dvfs = dvfs_of(&rig);
    assert_int_equal(dvfs.has, JOULIE_HOST_DVFS_HAS_POWER); /* ours has no mean and no trips */
    assert_true(dvfs.ups > 0);

    rig_fault(&rig, "read sys/devices/virtual/powercap/*energy_uj EIO");
    rig_pass_s(&rig, 2);
    assert_int_equal(dvfs_of(&rig).has, 0);
    rig_free(&rig);
}

static void a_policy_reports_what_it_runs_at_and_what_it_may(void **state)
{
    (void)state;
    struct rig rig = watching("amd-pstate");
    struct joulie_host_policy policy = JOULIE_INIT(struct joulie_host_policy);
    assert_int_equal(joulie_host_policy_at(rig.host, 1, &policy, NULL), 0);
    assert_int_equal(policy.number, 2); /* two CPUs share one */
    assert_int_equal(policy.has, JOULIE_HOST_POLICY_HAS_NOW | JOULIE_HOST_POLICY_HAS_MAX);
    assert_int_equal(policy.max_khz, fk_number(rig.fk, MAX_FREQ("2")));
    assert_int_equal(policy.now_khz,
                     fk_number(rig.fk, "sys/devices/system/cpu/cpufreq/policy2/scaling_cur_freq"));

    rig_fault(&rig, "read sys/devices/system/cpu/cpufreq/policy2/scaling_cur_freq EIO");
    assert_int_equal(joulie_host_policy_at(rig.host, 1, &policy, NULL), 0);
    assert_int_equal(policy.has, JOULIE_HOST_POLICY_HAS_MAX);
    assert_int_equal(joulie_host_policy_at(rig.host, 4096, &policy, NULL), JOULIE_E_RANGE);
    rig_free(&rig);
}

static void what_is_given_back_is_counted(void **state)
{
    (void)state;
    struct rig rig = watching("intel-2s");
    struct joulie_host_counts counts = JOULIE_INIT(struct joulie_host_counts);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 1);
    assert_int_equal(joulie_host_get_counts(rig.host, &counts, NULL), 0);
    assert_int_equal(counts.restores, 0);
    rig_cap_none(&rig);
    rig_pass_s(&rig, 1);
    assert_int_equal(joulie_host_get_counts(rig.host, &counts, NULL), 0);
    assert_int_equal(counts.restores, 2); /* the long-term limit of each package */
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_that_wraps_loses_no_joule),
        cmocka_unit_test(a_counter_that_was_set_back_is_dropped_and_counted),
        cmocka_unit_test(energy_of_a_sleep_is_not_taken_for_power),
        cmocka_unit_test(limits_that_the_firmware_raised_in_a_sleep_are_set_again),
        cmocka_unit_test(a_zone_that_comes_back_under_another_number_keeps_its_name_and_its_joules),
        cmocka_unit_test(a_zone_that_is_gone_is_reported_as_lost_and_the_other_stays_capped),
        cmocka_unit_test(packages_add_up_and_the_platform_is_never_added),
        cmocka_unit_test(a_counter_behind_two_paths_counts_once),
        cmocka_unit_test(joules_move_at_most_once_a_second_and_never_back),
        cmocka_unit_test(the_source_controller_reports_its_mean_its_trips_and_its_steps),
        cmocka_unit_test(power_that_is_not_read_any_more_is_not_reported),
        cmocka_unit_test(a_policy_reports_what_it_runs_at_and_what_it_may),
        cmocka_unit_test(what_is_given_back_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
