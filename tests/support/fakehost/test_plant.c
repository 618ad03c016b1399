/* SPDX-License-Identifier: Apache-2.0 */
/* Power under limits and frequencies: the plant of model.h, cpufreq of
 * docs/rules/frequencies.md#policies. */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "fakehost/hosts.h"

#define RAPL "sys/devices/virtual/powercap/intel-rapl/"
#define LIMIT RAPL "intel-rapl:0/constraint_0_power_limit_uw"
#define SHORT RAPL "intel-rapl:0/constraint_1_power_limit_uw"
#define POLICY(n) "sys/devices/system/cpu/cpufreq/policy" #n "/"

static struct fk *fk;

static int start(const char *host)
{
    fk = fk_load_host(host);
    fk_set_lag_ms(fk, 0);
    return 0;
}

static int intel(void **state)
{
    (void)state;
    return start("intel-2s");
}

static int amd(void **state)
{
    (void)state;
    return start("amd-epyc");
}

static int end(void **state)
{
    (void)state;
    fk_free(fk);
    return 0;
}

static void put(const char *path, const char *text)
{
    assert_int_equal(fk_write_text(fk, path, text), 0);
}

static uint64_t max_khz(void)
{
    return fk_number(fk, POLICY(0) "scaling_max_freq");
}

static uint64_t min_khz(void)
{
    return fk_number(fk, POLICY(0) "scaling_min_freq");
}

static void power_is_the_lower_of_demand_and_limit(void **state)
{
    (void)state;
    fk_set_demand_w(fk, 0, 150);
    assert_near(fk_power_w(fk, 0), 150, 0);
    put(LIMIT, "100000000");
    fk_advance_ms(fk, 200);
    assert_near(fk_power_w(fk, 0), 100, 0);
    fk_set_demand_w(fk, 0, 80);
    assert_near(fk_power_w(fk, 0), 80, 0);
}

static void a_limit_takes_effect_after_the_delay(void **state)
{
    (void)state;
    fk_set_delay_ms(fk, 1000);
    fk_set_demand_w(fk, 0, 200);
    put(LIMIT, "100000000");
    fk_advance_ms(fk, 999);
    assert_near(fk_power_w(fk, 0), 200, 0);
    assert_near(fk_limit_w(fk, 0), 205, 0);
    fk_advance_ms(fk, 1);
    assert_near(fk_power_w(fk, 0), 100, 0);
    assert_near(fk_limit_w(fk, 0), 100, 0);
    /* The counter saw both parts, also when nobody looked in between. */
    fk_advance_ms(fk, 1000);
    assert_int_equal(fk_number(fk, RAPL "intel-rapl:0/energy_uj"), 120000000000 + 300000000);
}

static void limits_take_effect_in_the_order_of_their_writes(void **state)
{
    (void)state;
    fk_set_delay_ms(fk, 1000);
    fk_set_demand_w(fk, 0, 200);
    put(LIMIT, "100000000");
    fk_advance_ms(fk, 500);
    put(LIMIT, "150000000");
    fk_advance_ms(fk, 500);
    assert_near(fk_power_w(fk, 0), 100, 0);
    fk_advance_ms(fk, 500);
    assert_near(fk_power_w(fk, 0), 150, 0);
}

static void power_follows_with_a_first_order_lag(void **state)
{
    (void)state;
    fk_set_demand_w(fk, 0, 50);
    fk_advance_ms(fk, 1);
    fk_set_lag_ms(fk, 1000);
    fk_set_demand_w(fk, 0, 150);
    fk_advance_ms(fk, 1000);
    assert_near(fk_power_w(fk, 0), 150 - 100 * exp(-1), 1e-9);
    fk_advance_ms(fk, 1000);
    assert_near(fk_power_w(fk, 0), 150 - 100 * exp(-2), 1e-9);
}

static void the_size_of_the_steps_does_not_matter(void **state)
{
    (void)state;
    struct fk *other = fk_load_host("intel-2s");
    fk_set_lag_ms(fk, 100);
    assert_int_equal(fk_write_text(other, LIMIT, "100000000"), 0);
    put(LIMIT, "100000000");
    for (int i = 0; i < 5000; i++)
        fk_advance_ms(fk, 1);
    fk_advance_ms(other, 5000);
    const double many = (double)fk_number(fk, RAPL "intel-rapl:0/energy_uj");
    const double one = (double)fk_number(other, RAPL "intel-rapl:0/energy_uj");
    assert_near(many, one, 10);
    fk_free(other);
}

static void a_limit_that_is_not_enabled_does_nothing(void **state)
{
    (void)state;
    fk_set_delay_ms(fk, 0);
    fk_set_demand_w(fk, 0, 200);
    put(RAPL "intel-rapl:0/enabled", "0");
    put(LIMIT, "100000000");
    assert_near(fk_power_w(fk, 0), 200, 0);
    put(RAPL "intel-rapl:0/enabled", "1");
    assert_near(fk_power_w(fk, 0), 100, 0);
}

static void the_short_term_limit_bounds_at_once(void **state)
{
    (void)state;
    fk_set_delay_ms(fk, 60000);
    fk_set_demand_w(fk, 0, 200);
    put(SHORT, "120000000");
    assert_near(fk_power_w(fk, 0), 120, 0);
}

static void no_limit_goes_below_idle(void **state)
{
    (void)state;
    fk_set_delay_ms(fk, 0);
    fk_set_idle_w(fk, 0, 30);
    fk_set_demand_w(fk, 0, 200);
    put(LIMIT, "0");
    assert_near(fk_power_w(fk, 0), 30, 0);
    fk_set_demand_w(fk, 0, 20);
    assert_near(fk_power_w(fk, 0), 20, 0);
}

static void a_frequency_is_a_request_and_reading_gives_what_counts(void **state)
{
    (void)state;
    put(POLICY(0) "scaling_max_freq", "1");
    assert_int_equal(max_khz(), 800000);
    put(POLICY(0) "scaling_max_freq", "2100000");
    assert_int_equal(max_khz(), 2100000);
    put(POLICY(0) "scaling_max_freq", "2147483647");
    assert_int_equal(max_khz(), 3500000);
    put(POLICY(0) "scaling_min_freq", "0");
    assert_int_equal(min_khz(), 800000);
    assert_int_equal(fk_number(fk, POLICY(1) "scaling_max_freq"), 3500000);
}

static void frequencies_beyond_31_bits_are_refused_or_cut(void **state)
{
    (void)state;
    assert_int_equal(fk_write_text(fk, POLICY(0) "scaling_max_freq", "2147483648"), -EINVAL);
    assert_int_equal(fk_write_text(fk, POLICY(0) "scaling_max_freq", "4294967295"), -EINVAL);
    assert_int_equal(max_khz(), 3500000);
    put(POLICY(0) "scaling_max_freq", "4295967296"); /* 2^32 + 1 000 000 */
    assert_int_equal(max_khz(), 1000000);
}

static void a_frequency_that_is_no_number_is_refused(void **state)
{
    static const char *const bad[] = { "fast", "\n", "1.5", "-1", " 1", "1 2" };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(fk_write_text(fk, POLICY(0) "scaling_max_freq", bad[i]), -EINVAL);
    assert_int_equal(max_khz(), 3500000);
}

static void the_maximum_wins_over_the_minimum(void **state)
{
    (void)state;
    put(POLICY(0) "scaling_min_freq", "2000000");
    put(POLICY(0) "scaling_max_freq", "1500000");
    assert_int_equal(max_khz(), 1500000);
    assert_int_equal(min_khz(), 1500000);
    put(POLICY(0) "scaling_max_freq", "3000000"); /* the request for the minimum is still there */
    assert_int_equal(min_khz(), 2000000);
}

static void table_drivers_round(void **state)
{
    (void)state;
    put(POLICY(0) "scaling_max_freq", "2449999");
    assert_int_equal(max_khz(), 2000000);
    put(POLICY(0) "scaling_max_freq", "2000000");
    assert_int_equal(max_khz(), 2000000);
    put(POLICY(0) "scaling_max_freq", "1");
    assert_int_equal(max_khz(), 1500000);
    put(POLICY(0) "scaling_max_freq", "2147483647");
    put(POLICY(0) "scaling_min_freq", "1500001");
    assert_int_equal(min_khz(), 2000000);
}

static void a_lower_frequency_takes_less_power(void **state)
{
    (void)state;
    fk_set_idle_w(fk, 0, 60);
    fk_set_demand_w(fk, 0, 360);
    assert_near(fk_power_w(fk, 0), 360, 0);
    put(POLICY(0) "scaling_max_freq", "1500000");
    put(POLICY(2) "scaling_max_freq", "1500000");
    assert_near(fk_power_w(fk, 0), 60 + 300 * pow(1500.0 / 2450, 2.4), 1e-9);
    /* One of two policies: the mean. */
    put(POLICY(2) "scaling_max_freq", "2450000");
    assert_near(fk_power_w(fk, 0), 60 + 300 * (1 + pow(1500.0 / 2450, 2.4)) / 2, 1e-9);
    /* The other package has its own policies. */
    assert_near(fk_power_w(fk, 1), 0.6 * 360, 1e-9);
}

static void a_power_limit_lowers_the_frequency_that_runs(void **state)
{
    (void)state;
    fk_set_delay_ms(fk, 0);
    fk_set_idle_w(fk, 0, 30);
    fk_set_demand_w(fk, 0, 205);
    assert_int_equal(fk_number(fk, POLICY(0) "scaling_cur_freq"), 3500000);
    put(LIMIT, "100000000");
    assert_near((double)fk_number(fk, POLICY(0) "scaling_cur_freq"),
                3500000 * pow(70.0 / 175, 1 / 2.4), 1);
    fk_set_demand_w(fk, 0, 10);
    assert_int_equal(fk_number(fk, POLICY(0) "scaling_cur_freq"), 800000);
}

static void proc_stat_shows_the_load(void **state)
{
    unsigned long long user;
    unsigned long long idle;
    (void)state;
    /* One package at its TDP, the other idle: 2 of 4 CPUs. */
    fk_set_demand_w(fk, 0, 205);
    fk_set_demand_w(fk, 1, 10);
    fk_advance_ms(fk, 10000);
    assert_int_equal(sscanf(fk_text(fk, "proc/stat"), "cpu  %llu 0 0 %llu", &user, &idle), 2);
    assert_int_equal(user, 48000 + 2000);
    assert_int_equal(idle, 1440000 + 2000);
    const char *line = strstr(fk_text(fk, "proc/stat"), "cpu3 ");
    assert_int_equal(sscanf(line, "cpu3 %llu 0 0 %llu", &user, &idle), 2);
    assert_int_equal(user, 12000);
    assert_int_equal(idle, 360000 + 1000);
}

static void a_governor_is_one_of_those_that_are_there(void **state)
{
    (void)state;
    put(POLICY(0) "scaling_governor", "performance");
    assert_string_equal(fk_text(fk, POLICY(0) "scaling_governor"), "performance\n");
    assert_int_equal(fk_write_text(fk, POLICY(0) "scaling_governor", "ondemand"), -EINVAL);
    assert_int_equal(fk_write_text(fk, POLICY(0) "scaling_setspeed", "1"), -EINVAL);
}

static void every_host_has_power(void **state)
{
    static const char *const hosts[] = { "vm-none", "arm", "masked", "hex-id", "client" };
    static const size_t packages[] = { 1, 1, 2, 12, 1 };
    (void)state;
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        fk_free(fk);
        fk = fk_load_host(hosts[i]);
        assert_int_equal(fk_packages(fk), packages[i]);
        assert_true(fk_power_w(fk, 0) > 0);
    }
}

static void control_files_do_what_the_functions_do(void **state)
{
    (void)state;
    put("fake/demand_w", "120 90");
    assert_string_equal(fk_text(fk, "fake/power_w"), "120.000 90.000\n");
    put("fake/demand_w", "70.5\n");
    assert_string_equal(fk_text(fk, "fake/demand_w"), "70.500 70.500\n");
    assert_int_equal(fk_write_text(fk, "fake/demand_w", "1 2 3"), -EINVAL);
    assert_int_equal(fk_write_text(fk, "fake/demand_w", "-1"), -EINVAL);
    put("fake/delay_ms", "0");
    put(LIMIT, "60000000");
    assert_string_equal(fk_text(fk, "fake/limit_w"), "60.000 205.000\n");
    put("fake/time_s", "+2.5");
    assert_string_equal(fk_text(fk, "fake/time_s"), "2.500\n");
    assert_int_equal(fk_now_ms(fk), 2500);
}

int main(void)
{
#define ON(host, test) cmocka_unit_test_setup_teardown(test, host, end)
    const struct CMUnitTest tests[] = {
        ON(intel, power_is_the_lower_of_demand_and_limit),
        ON(intel, a_limit_takes_effect_after_the_delay),
        ON(intel, limits_take_effect_in_the_order_of_their_writes),
        ON(intel, power_follows_with_a_first_order_lag),
        ON(intel, the_size_of_the_steps_does_not_matter),
        ON(intel, a_limit_that_is_not_enabled_does_nothing),
        ON(intel, the_short_term_limit_bounds_at_once),
        ON(intel, no_limit_goes_below_idle),
        ON(intel, a_frequency_is_a_request_and_reading_gives_what_counts),
        ON(intel, frequencies_beyond_31_bits_are_refused_or_cut),
        ON(intel, a_frequency_that_is_no_number_is_refused),
        ON(intel, the_maximum_wins_over_the_minimum),
        ON(amd, table_drivers_round),
        ON(amd, a_lower_frequency_takes_less_power),
        ON(intel, a_power_limit_lowers_the_frequency_that_runs),
        ON(intel, proc_stat_shows_the_load),
        ON(intel, a_governor_is_one_of_those_that_are_there),
        ON(intel, every_host_has_power),
        ON(intel, control_files_do_what_the_functions_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
