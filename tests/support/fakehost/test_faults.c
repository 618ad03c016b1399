/* SPDX-License-Identifier: Apache-2.0 */
/* What can be made to fail, and how it shows through the table of system calls. */

#include <errno.h>
#include <string.h>

#include "fakehost/hosts.h"

#define RAPL "sys/devices/virtual/powercap/intel-rapl/"
#define LIMIT0 RAPL "intel-rapl:0/constraint_0_power_limit_uw"
#define LIMIT1 RAPL "intel-rapl:1/constraint_0_power_limit_uw"
#define ENERGY0 RAPL "intel-rapl:0/energy_uj"

static struct fk *fk;
static struct jl_os os;

static int intel(void **state)
{
    (void)state;
    fk = fk_load_host("intel-2s");
    os = fk_os(fk);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fk_free(fk);
    return 0;
}

static int open_it(const char *path, unsigned flags)
{
    return os.open(os.user, -1, path, flags);
}

static int64_t write_as(const char *path, const char *text)
{
    const int fd = open_it(path, JL_OS_WRITE);
    if (fd < 0)
        return fd;
    const int64_t done = os.pwrite(os.user, fd, text, strlen(text), 0);
    assert_int_equal(os.close(os.user, fd), 0);
    return done;
}

static int64_t read_as(const char *path)
{
    char text[64];
    const int fd = open_it(path, JL_OS_READ);
    if (fd < 0)
        return fd;
    const int64_t done = os.pread(os.user, fd, text, sizeof text, 0);
    assert_int_equal(os.close(os.user, fd), 0);
    return done;
}

static void fault(const char *line)
{
    if (fk_fault(fk, line) != 0)
        fail_msg("%s", fk_message(fk));
}

static void a_write_fails_so_many_times(void **state)
{
    (void)state;
    fault("write *intel-rapl:1/constraint_0_power_limit_uw EINVAL 2");
    assert_int_equal(write_as(LIMIT1, "100000000"), -EINVAL);
    assert_int_equal(write_as(LIMIT0, "100000000"), 9);
    assert_int_equal(write_as(LIMIT1, "100000000"), -EINVAL);
    assert_int_equal(fk_number(fk, LIMIT1), 205000000);
    assert_int_equal(write_as(LIMIT1, "100000000"), 9);
    assert_int_equal(fk_number(fk, LIMIT1), 100000000);
    assert_int_equal(fk_writes(fk, LIMIT1), 3);
}

static void every_error_can_be_had_for_ever(void **state)
{
    static const struct {
        const char *line;
        int error;
    } rows[] = {
        { "read " ENERGY0 " EINVAL", EINVAL },     { "read " ENERGY0 " EACCES", EACCES },
        { "read " ENERGY0 " EIO", EIO },           { "read " ENERGY0 " ENODATA", ENODATA },
        { "read *energy_uj EROFS", EROFS },        { "open *energy_uj EACCES", EACCES },
        { "open " RAPL "*:0/energy_uj EIO", EIO },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fault(rows[i].line);
        for (int turn = 0; turn < 3; turn++)
            assert_int_equal(read_as(ENERGY0), -rows[i].error);
        fault("clear");
        assert_int_equal(read_as(ENERGY0), 13);
    }
}

static void an_ignored_write_looks_like_a_good_one(void **state)
{
    (void)state;
    fault("ignore *_power_limit_uw");
    assert_int_equal(write_as(LIMIT0, "100000000"), 9);
    assert_int_equal(fk_number(fk, LIMIT0), 205000000);
}

static void another_power_unit_rounds_otherwise(void **state)
{
    (void)state;
    fault("round *intel-rapl:0/* 1000000");
    assert_int_equal(write_as(LIMIT0, "100900000"), 9);
    assert_int_equal(fk_number(fk, LIMIT0), 100000000);
    assert_int_equal(write_as(LIMIT1, "100900000"), 9);
    assert_int_equal(fk_number(fk, LIMIT1), 100875000);
}

static void another_program_writes_after_so_many_reads(void **state)
{
    (void)state;
    fault("drift " LIMIT0 " 150000000 2");
    assert_int_equal(write_as(LIMIT0, "100000000"), 9);
    const int fd = open_it(LIMIT0, JL_OS_READ);
    char text[32] = { 0 };
    for (int i = 0; i < 2; i++) {
        assert_int_equal(os.pread(os.user, fd, text, sizeof text, 0), 10);
        assert_string_equal(text, "100000000\n");
    }
    assert_int_equal(os.pread(os.user, fd, text, sizeof text, 0), 10);
    assert_string_equal(text, "150000000\n");
    assert_int_equal(os.close(os.user, fd), 0);
}

static void a_read_only_tree_is_opened_for_reading_only(void **state)
{
    (void)state;
    fault("readonly sys/*");
    assert_int_equal(write_as(LIMIT0, "1"), -EROFS);
    assert_int_equal(read_as(LIMIT0), 10);
}

static void a_zone_vanishes_and_comes_back_with_another_number(void **state)
{
    char text[32] = { 0 };
    (void)state;
    const int fd = open_it(RAPL "intel-rapl:1/energy_uj", JL_OS_READ);
    fk_advance_ms(fk, 1000);
    const uint64_t before = fk_number(fk, RAPL "intel-rapl:1/energy_uj");
    fault("vanish " RAPL "intel-rapl:1");
    assert_int_equal(os.pread(os.user, fd, text, sizeof text, 0), -ENODEV);
    assert_int_equal(open_it(RAPL "intel-rapl:1/energy_uj", JL_OS_READ), -ENOENT);
    assert_int_equal(open_it("sys/class/powercap/intel-rapl:1/name", JL_OS_READ), -ENOENT);
    assert_null(fk_text(fk, LIMIT1));
    fk_advance_ms(fk, 1000);

    fault("return " RAPL "intel-rapl:1 intel-rapl:2");
    assert_int_equal(os.pread(os.user, fd, text, sizeof text, 0), -ENODEV);
    assert_int_equal(open_it(LIMIT1, JL_OS_READ), -ENOENT);
    assert_string_equal(fk_text(fk, RAPL "intel-rapl:2/name"), "package-1\n");
    assert_string_equal(fk_text(fk, RAPL "intel-rapl:2/intel-rapl:2:0/name"), "dram\n");
    assert_int_equal(read_as("sys/class/powercap/intel-rapl:2:0/name"), 5);
    assert_true(fk_number(fk, RAPL "intel-rapl:2/energy_uj") > before);
    assert_int_equal(fk_number(fk, RAPL "intel-rapl:2/enabled"), 0);
    assert_int_equal(os.close(os.user, fd), 0);
}

static void a_zone_that_is_gone_limits_nothing(void **state)
{
    (void)state;
    fk_set_lag_ms(fk, 0);
    fk_set_delay_ms(fk, 0);
    fk_set_demand_w(fk, 1, 300);
    assert_near(fk_power_w(fk, 1), 205, 0);
    fault("vanish " RAPL "intel-rapl:1");
    assert_near(fk_power_w(fk, 1), 300, 0);
    fault("return " RAPL "intel-rapl:1 intel-rapl:1 enabled");
    assert_near(fk_power_w(fk, 1), 205, 0);
}

static void a_line_that_is_no_rule_is_explained(void **state)
{
    static const char *const bad[] = {
        "",        "explode *",          "write",     "write *",        "write * EWHAT",
        "space",   "write * EIO x",      "drift * 5", "vanish nothing", "return a b",
        "round *", "write * EIO 1 more", "round * 0", "clear all",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(fk_fault(fk, bad[i]), -EINVAL);
        assert_non_null(strstr(fk_message(fk), "fault \""));
    }
    assert_string_equal(fk_text(fk, "fake/fault"), "");
}

static void the_control_file_takes_the_same_lines_and_lists_them(void **state)
{
    (void)state;
    assert_int_equal(
        fk_write_text(fk, "fake/fault", "write *a EIO 3\nround *b 500000\n\nspace 7\n"), 0);
    assert_string_equal(fk_text(fk, "fake/fault"), "write *a EIO 3\nround *b 500000\nspace 7\n");
    assert_int_equal(fk_write_text(fk, "fake/fault", "clear\n"), 0);
    assert_string_equal(fk_text(fk, "fake/fault"), "");
    assert_int_equal(fk_write_text(fk, "fake/fault", "nonsense\n"), -EINVAL);
}

static void links_are_followed_in_between_but_never_at_the_end(void **state)
{
    struct jl_os_file file;
    (void)state;
    assert_int_equal(open_it("sys/class/powercap/intel-rapl:0", JL_OS_READ), -ELOOP);
    assert_int_equal(open_it("sys/class/powercap/intel-rapl:0", JL_OS_FOLDER_FD), -ENOTDIR);
    assert_int_equal(os.stat(os.user, -1, "sys/class/powercap/intel-rapl:0", &file), 0);
    assert_int_equal(file.kind, JL_OS_LINK);
    assert_int_equal(os.stat(os.user, -1, "sys/class/powercap/intel-rapl:0/name", &file), 0);
    assert_int_equal(file.kind, JL_OS_FILE);
    assert_int_equal(file.size_bytes, 4096);
    assert_int_equal(os.stat(os.user, -1, "proc/stat", &file), 0);
    assert_int_equal(file.size_bytes, 0);
}

static void kernel_folders_take_no_files(void **state)
{
    (void)state;
    assert_int_equal(open_it("sys/new", JL_OS_WRITE | JL_OS_CREATE), -EACCES);
    assert_int_equal(os.mkdir(os.user, -1, "sys/new"), -EPERM);
    assert_int_equal(os.unlink(os.user, -1, LIMIT0), -EPERM);
    assert_int_equal(os.rename(os.user, -1, LIMIT0, -1, "etc/x"), -EPERM);
    assert_int_equal(open_it(RAPL "intel-rapl:0", JL_OS_WRITE), -EISDIR);
}

static void a_folder_is_listed_in_pieces(void **state)
{
    char names[16];
    size_t count = 0;
    int64_t got;
    (void)state;
    const int fd = open_it(RAPL, JL_OS_FOLDER_FD);
    assert_true(fd >= 0);
    while ((got = os.list(os.user, fd, names, sizeof names)) > 0) {
        for (const char *name = names; name < names + got; name += strlen(name) + 1)
            count++;
    }
    assert_int_equal(got, 0);
    assert_int_equal(count, 7); /* . .. enabled uevent subsystem intel-rapl:0 intel-rapl:1 */
    assert_int_equal(os.close(os.user, fd), 0);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, intel, end)
    const struct CMUnitTest tests[] = {
        TEST(a_write_fails_so_many_times),
        TEST(every_error_can_be_had_for_ever),
        TEST(an_ignored_write_looks_like_a_good_one),
        TEST(another_power_unit_rounds_otherwise),
        TEST(another_program_writes_after_so_many_reads),
        TEST(a_read_only_tree_is_opened_for_reading_only),
        TEST(a_zone_vanishes_and_comes_back_with_another_number),
        TEST(a_zone_that_is_gone_limits_nothing),
        TEST(a_line_that_is_no_rule_is_explained),
        TEST(the_control_file_takes_the_same_lines_and_lists_them),
        TEST(links_are_followed_in_between_but_never_at_the_end),
        TEST(kernel_folders_take_no_files),
        TEST(a_folder_is_listed_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
