/* SPDX-License-Identifier: Apache-2.0 */
/* The state folder: files as a journal needs them, full disks, crashes and power losses. */

#include <errno.h>
#include <string.h>

#include "fakehost/hosts.h"

#define STATE "var/lib/joulie"
#define JOURNAL STATE "/journal"
#define LIMIT "sys/devices/virtual/powercap/intel-rapl/intel-rapl:0/constraint_0_power_limit_uw"
#define BOOT_ID "proc/sys/kernel/random/boot_id"

static struct fk *fk;
static struct jl_os os;
static int folder;

static int intel(void **state)
{
    (void)state;
    fk = fk_load_host("intel-2s");
    os = fk_os(fk);
    assert_int_equal(os.mkdir(os.user, -1, STATE), 0);
    folder = os.open(os.user, -1, STATE, JL_OS_FOLDER_FD);
    const int above = os.open(os.user, -1, "var/lib", JL_OS_FOLDER_FD);
    assert_int_equal(os.sync(os.user, above), 0);
    assert_int_equal(os.close(os.user, above), 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fk_free(fk);
    return 0;
}

static int create(const char *name)
{
    const int fd =
        os.open(os.user, folder, name, JL_OS_WRITE | JL_OS_CREATE | JL_OS_EXCLUSIVE | JL_OS_APPEND);
    assert_true(fd >= 0);
    return fd;
}

static int64_t append(int fd, const char *text)
{
    return os.append(os.user, fd, text, strlen(text));
}

static void fault(const char *line)
{
    if (fk_fault(fk, line) != 0)
        fail_msg("%s", fk_message(fk));
}

static void records_are_appended_and_read_back(void **state)
{
    char text[16] = { 0 };
    struct jl_os_file file;
    (void)state;
    const int fd = create("journal");
    assert_int_equal(append(fd, "one\n"), 4);
    assert_int_equal(append(fd, "two\n"), 4);
    assert_int_equal(os.pread(os.user, fd, text, sizeof text, 4), 4);
    assert_string_equal(text, "two\n");
    assert_int_equal(os.fstat(os.user, fd, &file), 0);
    assert_int_equal(file.size_bytes, 8);
    assert_int_equal(os.truncate(os.user, fd, 4), 0);
    assert_string_equal(fk_text(fk, JOURNAL), "one\n");
    assert_int_equal(
        os.open(os.user, folder, "journal", JL_OS_WRITE | JL_OS_CREATE | JL_OS_EXCLUSIVE), -EEXIST);
}

static void a_rename_replaces_and_an_unlinked_file_lives_while_it_is_open(void **state)
{
    char text[8] = { 0 };
    (void)state;
    const int old = create("journal");
    const int fresh = create("journal.new");
    assert_int_equal(append(old, "old"), 3);
    assert_int_equal(append(fresh, "new"), 3);
    assert_int_equal(os.rename(os.user, folder, "journal.new", folder, "journal"), 0);
    assert_string_equal(fk_text(fk, JOURNAL), "new");
    assert_int_equal(os.pread(os.user, old, text, sizeof text, 0), 3);
    assert_string_equal(text, "old");
    assert_int_equal(os.unlink(os.user, folder, "journal"), 0);
    assert_int_equal(os.unlink(os.user, folder, "journal"), -ENOENT);
    assert_int_equal(os.pread(os.user, fresh, text, sizeof text, 0), 3);
}

static void a_journal_moves_to_another_folder(void **state)
{
    (void)state;
    const int fd = create("journal-a");
    assert_int_equal(append(fd, "x"), 1);
    assert_int_equal(os.mkdir(os.user, folder, "old"), 0);
    assert_int_equal(os.mkdir(os.user, folder, "old"), -EEXIST);
    const int old = os.open(os.user, folder, "old", JL_OS_FOLDER_FD);
    assert_int_equal(os.rename(os.user, folder, "journal-a", old, "journal-a"), 0);
    assert_string_equal(fk_text(fk, STATE "/old/journal-a"), "x");
    assert_int_equal(os.rename(os.user, folder, "old", old, "deeper"), -EINVAL);
    assert_int_equal(os.unlink(os.user, folder, "old"), -EISDIR);
    assert_int_equal(os.rename(os.user, old, "journal-a", folder, "old"),
                     -ENOTEMPTY); /* it is in it */
}

static void one_descriptor_holds_the_lock(void **state)
{
    (void)state;
    const int one = create("writer.lock");
    const int two = os.open(os.user, folder, "writer.lock", JL_OS_WRITE);
    assert_int_equal(os.lock(os.user, one), 0);
    assert_int_equal(os.lock(os.user, one), 0);
    assert_int_equal(os.lock(os.user, two), -EWOULDBLOCK);
    assert_int_equal(os.close(os.user, one), 0);
    assert_int_equal(os.lock(os.user, two), 0);
}

static void a_full_disk_takes_what_fits(void **state)
{
    (void)state;
    const int fd = create("journal");
    fault("space 6");
    assert_int_equal(append(fd, "four"), 4);
    assert_int_equal(append(fd, "more"), 2);
    assert_int_equal(append(fd, "none"), -ENOSPC);
    assert_int_equal(os.pwrite(os.user, fd, "", 0, 0), 0);
    assert_string_equal(fk_text(fk, JOURNAL), "fourmo");
    fault("space all");
    assert_int_equal(append(fd, "none"), 4);
}

static void writes_are_short_and_syncs_fail_on_demand(void **state)
{
    (void)state;
    const int fd = create("journal");
    fault("short " STATE "/* 3 1");
    fault("sync " JOURNAL " EIO 1");
    assert_int_equal(append(fd, "12345"), 3);
    assert_int_equal(append(fd, "45"), 2);
    assert_int_equal(os.sync(os.user, fd), -EIO);
    assert_int_equal(os.sync(os.user, fd), 0);
}

static void a_read_only_state_folder_refuses_everything(void **state)
{
    (void)state;
    const int fd = create("journal");
    fault("readonly var/*");
    assert_int_equal(os.open(os.user, folder, "journal", JL_OS_WRITE), -EROFS);
    assert_int_equal(os.open(os.user, folder, "other", JL_OS_WRITE | JL_OS_CREATE), -EROFS);
    assert_int_equal(os.mkdir(os.user, folder, "old"), -EROFS);
    assert_int_equal(os.unlink(os.user, folder, "journal"), -EROFS);
    assert_int_equal(os.rename(os.user, folder, "journal", folder, "b"), -EROFS);
    assert_int_equal(os.truncate(os.user, fd, 0), -EROFS);
    assert_true(os.open(os.user, folder, "journal", JL_OS_READ) >= 0);
}

/* ---- power loss ---- */

static void only_what_was_synced_survives_a_power_loss(void **state)
{
    (void)state;
    const int fd = create("journal");
    assert_int_equal(append(fd, "kept"), 4);
    assert_int_equal(os.sync(os.user, fd), 0);
    assert_int_equal(os.sync(os.user, folder), 0);
    assert_int_equal(append(fd, "lost"), 4);
    fk_power_loss(fk, 0);
    assert_string_equal(fk_text(fk, JOURNAL), "kept");
    assert_int_equal(os.pread(os.user, fd, NULL, 0, 0), -EBADF);
}

static void a_name_survives_by_the_sync_of_its_folder(void **state)
{
    (void)state;
    const int fd = create("journal");
    assert_int_equal(append(fd, "text"), 4);
    assert_int_equal(os.sync(os.user, fd), 0);
    fk_power_loss(fk, 0);
    assert_null(fk_text(fk, JOURNAL));
}

static void bytes_survive_by_the_sync_of_their_file(void **state)
{
    (void)state;
    const int fd = create("journal");
    assert_int_equal(append(fd, "text"), 4);
    assert_int_equal(os.sync(os.user, folder), 0);
    fk_power_loss(fk, 0);
    assert_string_equal(fk_text(fk, JOURNAL), "");
}

static void a_part_of_what_was_appended_may_survive(void **state)
{
    (void)state;
    const int fd = create("journal");
    assert_int_equal(append(fd, "kept"), 4);
    assert_int_equal(os.sync(os.user, fd), 0);
    assert_int_equal(os.sync(os.user, folder), 0);
    assert_int_equal(append(fd, "torn"), 4);
    fk_power_loss(fk, 2);
    assert_string_equal(fk_text(fk, JOURNAL), "keptto");
}

static void a_rename_without_a_sync_of_the_folder_is_undone(void **state)
{
    (void)state;
    const int old = create("journal");
    assert_int_equal(append(old, "old"), 3);
    assert_int_equal(os.sync(os.user, old), 0);
    assert_int_equal(os.sync(os.user, folder), 0);
    const int fresh = create("journal.new");
    assert_int_equal(append(fresh, "new"), 3);
    assert_int_equal(os.sync(os.user, fresh), 0);
    assert_int_equal(os.rename(os.user, folder, "journal.new", folder, "journal"), 0);
    fk_power_loss(fk, 0);
    assert_string_equal(fk_text(fk, JOURNAL), "old");
    assert_null(fk_text(fk, STATE "/journal.new"));
}

static void a_power_loss_is_another_boot_with_the_limits_of_the_firmware(void **state)
{
    char before[64];
    (void)state;
    snprintf(before, sizeof before, "%s", fk_text(fk, BOOT_ID));
    assert_int_equal(fk_write_text(fk, LIMIT, "90000000"), 0);
    fk_power_loss(fk, 0);
    assert_int_equal(fk_number(fk, LIMIT), 205000000);
    assert_string_not_equal(fk_text(fk, BOOT_ID), before);
    assert_int_equal(strlen(fk_text(fk, BOOT_ID)), strlen(before));
}

/* ---- the end of a process ---- */

static void count_up(void *user)
{
    ++*(int *)user;
}

static void a_process_stops_before_any_call(void **state)
{
    int stops = 0;
    (void)state;
    const int fd = create("journal");
    assert_int_equal(os.lock(os.user, fd), 0);
    fk_stop_at(fk, 2, count_up, &stops);
    assert_int_equal(append(fd, "a"), 1);
    assert_int_equal(append(fd, "b"), -EIO);
    assert_true(fk_is_stopped(fk));
    assert_int_equal(os.close(os.user, fd), -EIO);
    assert_int_equal(stops, 1);

    fk_reboot_process(fk);
    assert_string_equal(fk_text(fk, JOURNAL), "a"); /* a process that dies loses no bytes */
    assert_int_equal(append(fd, "c"), -EBADF);
    const int next = os.open(os.user, -1, JOURNAL, JL_OS_WRITE);
    assert_int_equal(os.lock(os.user, next), 0);
}

static void calls_are_counted(void **state)
{
    (void)state;
    const struct jl_os_counts before = fk_counts(fk);
    const int fd = create("journal");
    assert_int_equal(append(fd, "a"), 1);
    assert_int_equal(os.sync(os.user, fd), 0);
    assert_int_equal(os.close(os.user, fd), 0);
    const struct jl_os_counts after = fk_counts(fk);
    assert_int_equal(after.calls - before.calls, 4);
    assert_int_equal(after.writes - before.writes, 1);
    assert_int_equal(after.syncs - before.syncs, 1);
}

static void a_test_damages_files_behind_the_back(void **state)
{
    (void)state;
    assert_int_equal(fk_write_bytes(fk, STATE "/old/journal-x", "a\0b", 3), 0);
    const int fd = os.open(os.user, -1, STATE "/old/journal-x", JL_OS_READ);
    char bytes[8];
    assert_int_equal(os.pread(os.user, fd, bytes, sizeof bytes, 0), 3);
    assert_memory_equal(bytes, "a\0b", 3);
    fk_power_loss(fk, 0);
    assert_non_null(fk_text(fk, STATE "/old/journal-x"));
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, intel, end)
    const struct CMUnitTest tests[] = {
        TEST(records_are_appended_and_read_back),
        TEST(a_rename_replaces_and_an_unlinked_file_lives_while_it_is_open),
        TEST(a_journal_moves_to_another_folder),
        TEST(one_descriptor_holds_the_lock),
        TEST(a_full_disk_takes_what_fits),
        TEST(writes_are_short_and_syncs_fail_on_demand),
        TEST(a_read_only_state_folder_refuses_everything),
        TEST(only_what_was_synced_survives_a_power_loss),
        TEST(a_name_survives_by_the_sync_of_its_folder),
        TEST(bytes_survive_by_the_sync_of_their_file),
        TEST(a_part_of_what_was_appended_may_survive),
        TEST(a_rename_without_a_sync_of_the_folder_is_undone),
        TEST(a_power_loss_is_another_boot_with_the_limits_of_the_firmware),
        TEST(a_process_stops_before_any_call),
        TEST(calls_are_counted),
        TEST(a_test_damages_files_behind_the_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
