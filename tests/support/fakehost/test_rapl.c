/* SPDX-License-Identifier: Apache-2.0 */
/* The fake kernel obeys the tables of docs/rules/rapl.md: the expected values stand
 * there.
 */

#include <errno.h>
#include <string.h>

#include "fakehost/hosts.h"

#define RAPL "sys/devices/virtual/powercap/intel-rapl/"
#define PACKAGE RAPL "intel-rapl:0/"
#define LIMIT PACKAGE "constraint_0_power_limit_uw"
#define WINDOW PACKAGE "constraint_0_time_window_us"

static struct fk *fk;

static int intel(void **state)
{
    (void)state;
    fk = fk_load_host("intel-2s");
    return 0;
}

static int end(void **state)
{
    (void)state;
    fk_free(fk);
    return 0;
}

/* As a program does: open, one write, close. */
static int64_t write_as(const char *path, const char *text)
{
    const struct jl_os os = fk_os(fk);
    const int fd = os.open(os.user, -1, path, JL_OS_WRITE_ONLY);
    if (fd < 0)
        return fd;
    const int64_t done = os.pwrite(os.user, fd, text, strlen(text), 0);
    assert_int_equal(os.close(os.user, fd), 0);
    return done;
}

static int64_t read_as(const char *path)
{
    const struct jl_os os = fk_os(fk);
    char text[64];
    const int fd = os.open(os.user, -1, path, JL_OS_READ);
    if (fd < 0)
        return fd;
    const int64_t done = os.pread(os.user, fd, text, sizeof text, 0);
    assert_int_equal(os.close(os.user, fd), 0);
    return done;
}

static void a_limit_is_floored_to_its_unit_and_cut_to_15_bits(void **state)
{
    static const struct {
        const char *written;
        uint64_t read_uw;
    } rows[] = { /* power limits */
                 { "205000000", 205000000 },
                 { "205100000", 205000000 },
                 { "64100000", 64000000 },
                 { "125000", 125000 },
                 { "124999", 0 },
                 { "0", 0 },
                 { "4095875000", 4095875000 },
                 { "4096000000", 0 },
                 { "5000000000", 904000000 }
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(write_as(LIMIT, rows[i].written), strlen(rows[i].written));
        assert_int_equal(fk_number(fk, LIMIT), rows[i].read_uw);
    }
}

static void a_time_window_is_cut_to_the_next_lower_code(void **state)
{
    static const struct {
        const char *written;
        uint64_t read_us;
    } rows[] = { /* time windows */
                 { "500", 976 },           { "976", 976 },           { "2440", 1952 },
                 { "7808", 7808 },         { "999424", 999424 },     { "1000000", 999424 },
                 { "10000000", 9994240 },  { "27983872", 27983872 }, { "28000000", 27983872 },
                 { "31981568", 31981568 }, { "55967744", 55967744 }
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(write_as(WINDOW, rows[i].written), strlen(rows[i].written));
        assert_int_equal(fk_number(fk, WINDOW), rows[i].read_us);
    }
}

static void a_limit_is_one_unsigned_decimal(void **state)
{
    static const char *const bad[] = { "-5", "1e6",  "1.5",   "\n",   " 1",
                                       "1 ", "0x10", "1\n\n", "watts" };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(write_as(LIMIT, bad[i]), -EINVAL);
    assert_int_equal(fk_number(fk, LIMIT), 205000000);
    assert_int_equal(write_as(LIMIT, "100000000\n"), 10);
    assert_int_equal(fk_number(fk, LIMIT), 100000000);
}

static void enabled_takes_booleans_and_the_control_type_nothing(void **state)
{
    (void)state;
    assert_int_equal(write_as(PACKAGE "enabled", "maybe"), -EINVAL);
    assert_int_equal(write_as(PACKAGE "enabled", "0"), 1);
    assert_int_equal(fk_number(fk, PACKAGE "enabled"), 0);
    assert_int_equal(write_as(PACKAGE "enabled", "on\n"), 3);
    assert_int_equal(fk_number(fk, PACKAGE "enabled"), 1);
    assert_int_equal(fk_number(fk, RAPL "enabled"), 1);
    assert_int_equal(write_as(RAPL "enabled", "0"), -ENOSYS);
}

static void a_limit_is_written_without_being_enabled(void **state)
{
    (void)state;
    assert_int_equal(write_as(PACKAGE "enabled", "0"), 1);
    assert_int_equal(write_as(LIMIT, "90000000"), 8);
    assert_int_equal(fk_number(fk, PACKAGE "enabled"), 0);
    assert_int_equal(fk_number(fk, LIMIT), 90000000);
}

static void names_and_counters_cannot_be_written(void **state)
{
    (void)state;
    assert_int_equal(write_as(PACKAGE "name", "x"), -EACCES);
    assert_int_equal(write_as(PACKAGE "energy_uj", "0"), -EACCES);
    assert_int_equal(write_as(PACKAGE "constraint_0_max_power_uw", "1"), -EACCES);
}

static void only_root_reads_the_counter_and_writes_limits(void **state)
{
    (void)state;
    fk_set_root(fk, false);
    assert_int_equal(read_as(PACKAGE "energy_uj"), -EACCES);
    assert_int_equal(write_as(LIMIT, "1"), -EACCES);
    assert_int_equal(read_as(LIMIT), 10);
}

static void a_maximum_without_a_register_is_enodata(void **state)
{
    (void)state;
    fk_free(fk);
    fk = fk_load_host("client");
    assert_int_equal(read_as(PACKAGE "intel-rapl:0:0/constraint_0_max_power_uw"), -ENODATA);
    assert_int_equal(read_as(RAPL "intel-rapl:1/constraint_0_max_power_uw"), -ENODATA);
    assert_int_equal(write_as(PACKAGE "constraint_2_time_window_us", "976"), -ENODATA);
}

static void a_locked_limit_is_enodata_and_its_switch_enosys(void **state)
{
    (void)state;
    fk_free(fk);
    fk = fk_load_host("locked");
    assert_int_equal(write_as(LIMIT, "100000000"), -ENODATA);
    assert_int_equal(fk_number(fk, LIMIT), 205000000);
    assert_int_equal(write_as(PACKAGE "enabled", "1"), -ENOSYS);
    assert_int_equal(fk_writes(fk, "*enabled"), 1);
}

static void the_amd_switch_is_counted_when_it_is_touched(void **state)
{
    (void)state;
    fk_free(fk);
    fk = fk_load_host("amd-epyc");
    assert_int_equal(fk_writes(fk, "*/enabled"), 0);
    assert_int_equal(write_as(PACKAGE "enabled", "1"), -ENOSYS);
    assert_int_equal(fk_writes(fk, "*/enabled"), 1);
}

static void counters_advance_with_the_power(void **state)
{
    (void)state;
    fk_set_lag_ms(fk, 0);
    fk_set_demand_w(fk, 0, 100);
    fk_set_demand_w(fk, 1, 60);
    fk_advance_ms(fk, 2500);
    assert_int_equal(fk_number(fk, PACKAGE "energy_uj"), 120000000000 + 250000000);
    assert_int_equal(fk_number(fk, RAPL "intel-rapl:1/energy_uj"), 120000000000 + 150000000);
    /* 12 % of the package (model.h) */
    assert_int_equal(fk_number(fk, PACKAGE "intel-rapl:0:0/energy_uj"), 30000000000 + 30000000);
}

static void a_counter_wraps_at_its_range(void **state)
{
    (void)state;
    fk_set_lag_ms(fk, 0);
    fk_set_demand_w(fk, 0, 205);
    /* 262143.328850 J - 120000 J at 205 W */
    const double wrap_s = (262143.328850 - 120000) / 205;
    fk_advance_ms(fk, (int64_t)(wrap_s * 1000) - 1000);
    const uint64_t before = fk_number(fk, PACKAGE "energy_uj");
    fk_advance_ms(fk, 2000);
    const uint64_t after = fk_number(fk, PACKAGE "energy_uj");
    assert_true(before < 262143328850 && after < before);
    assert_near((double)(262143328850 - before + after), 410e6, 2);
}

static void the_mmio_twin_has_the_same_counter_and_the_lower_limit_wins(void **state)
{
    (void)state;
    fk_free(fk);
    fk = fk_load_host("mmio-twin");
    assert_near(fk_limit_w(fk, 0), 45, 0);
    assert_near(fk_limit_w(fk, 1), 205, 0);
    fk_advance_ms(fk, 1234);
    assert_int_equal(
        fk_number(fk, PACKAGE "energy_uj"),
        fk_number(fk, "sys/devices/virtual/powercap/intel-rapl-mmio/intel-rapl-mmio:0/energy_uj"));
}

static void psys_counts_everything_and_ten_watts(void **state)
{
    (void)state;
    fk_free(fk);
    fk = fk_load_host("psys-middle");
    fk_set_lag_ms(fk, 0);
    fk_set_demand_w(fk, 0, 100);
    fk_set_demand_w(fk, 1, 50);
    fk_advance_ms(fk, 1000);
    assert_int_equal(fk_number(fk, RAPL "intel-rapl:1/energy_uj"), 250000000000 + 178000000);
    assert_int_equal(fk_packages(fk), 2);
}

static void packages_are_known_by_name(void **state)
{
    (void)state;
    fk_free(fk);
    fk = fk_load_host("swapped");
    fk_set_lag_ms(fk, 0);
    fk_set_demand_w(fk, 0, 40);
    fk_set_demand_w(fk, 1, 150);
    fk_advance_ms(fk, 1000);
    assert_int_equal(fk_number(fk, PACKAGE "energy_uj"), 120000000000 + 150000000);
}

static void dies_are_units_of_their_own(void **state)
{
    (void)state;
    fk_free(fk);
    fk = fk_load_host("multi-die");
    assert_int_equal(fk_packages(fk), 2);
    fk_set_delay_ms(fk, 0);
    assert_int_equal(write_as(RAPL "intel-rapl:1/constraint_0_power_limit_uw", "80000000"), 8);
    assert_near(fk_limit_w(fk, 0), 205, 0);
    assert_near(fk_limit_w(fk, 1), 80, 0);
}

static void the_class_folder_leads_to_the_zones(void **state)
{
    (void)state;
    assert_int_equal(read_as("sys/class/powercap/intel-rapl:0/name"), 10);
    assert_int_equal(
        write_as("sys/class/powercap/intel-rapl:0:0/constraint_0_power_limit_uw", "125000"), 6);
    assert_int_equal(fk_number(fk, PACKAGE "intel-rapl:0:0/constraint_0_power_limit_uw"), 125000);
}

int main(void)
{
#define WITH_INTEL(test) cmocka_unit_test_setup_teardown(test, intel, end)
    const struct CMUnitTest tests[] = {
        WITH_INTEL(a_limit_is_floored_to_its_unit_and_cut_to_15_bits),
        WITH_INTEL(a_time_window_is_cut_to_the_next_lower_code),
        WITH_INTEL(a_limit_is_one_unsigned_decimal),
        WITH_INTEL(enabled_takes_booleans_and_the_control_type_nothing),
        WITH_INTEL(a_limit_is_written_without_being_enabled),
        WITH_INTEL(names_and_counters_cannot_be_written),
        WITH_INTEL(only_root_reads_the_counter_and_writes_limits),
        WITH_INTEL(a_maximum_without_a_register_is_enodata),
        WITH_INTEL(a_locked_limit_is_enodata_and_its_switch_enosys),
        WITH_INTEL(the_amd_switch_is_counted_when_it_is_touched),
        WITH_INTEL(counters_advance_with_the_power),
        WITH_INTEL(a_counter_wraps_at_its_range),
        WITH_INTEL(the_mmio_twin_has_the_same_counter_and_the_lower_limit_wins),
        WITH_INTEL(psys_counts_everything_and_ten_watts),
        WITH_INTEL(packages_are_known_by_name),
        WITH_INTEL(dies_are_units_of_their_own),
        WITH_INTEL(the_class_folder_leads_to_the_zones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
