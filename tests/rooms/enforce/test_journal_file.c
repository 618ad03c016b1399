/* SPDX-License-Identifier: Apache-2.0 */

/* The journal in a folder of this machine (docs/rules/enforcement.md#journal). */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "base/text.h"
#include "enforce/journal_file.h"
#include "support/test.h"

#define NOON_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define BOOT "0e5f5c4a-9ad0-4f0e-8d3b-1c5f1e0a7b11"
#define OTHER_BOOT "11111111-2222-3333-4444-555555555555"
#define JOURNAL "caps-" BOOT
#define V1_JOURNAL "journal-" BOOT
#define OTHER_JOURNAL "caps-" OTHER_BOOT
#define PACKAGE "rapl/package-0/long_term"

struct world {
    char path[64];
    int fd;
    struct joulie_error err;
};

static int set_up(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    *state = world;
    if (world == NULL)
        return -1;
    strcpy(world->path, "/tmp/joulie-journal-XXXXXX");
    if (mkdtemp(world->path) == NULL)
        return -1;
    world->fd = jl_os_open_folder(world->path);
    world->err = (struct joulie_error){ .struct_size = sizeof world->err };
    return world->fd < 0 ? -1 : 0;
}

static void empty_folder(int folder)
{
    DIR *dir = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    assert_non_null(dir);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        const int below =
            openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (below >= 0) {
            empty_folder(below);
            close(below);
        }
        assert_int_equal(unlinkat(folder, entry->d_name, below >= 0 ? AT_REMOVEDIR : 0), 0);
    }
    closedir(dir);
}

static int tear_down(void **state)
{
    struct world *world = *state;
    empty_folder(world->fd);
    close(world->fd);
    rmdir(world->path);
    free(world);
    return 0;
}

/* ---- files ---- */

static void put_file(const struct world *world, const char *name, const char *text)
{
    const int fd = openat(world->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_true(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static struct jl_buffer get_file(const struct world *world, const char *name)
{
    struct jl_buffer text = { 0 };
    char chunk[4096];
    const int fd = openat(world->fd, name, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    jl_put(&text, "", 0);
    for (ssize_t got = 1; got > 0;) {
        got = read(fd, chunk, sizeof chunk);
        assert_true(got >= 0);
        jl_put(&text, chunk, (size_t)got);
    }
    close(fd);
    return text;
}

static void assert_file(const struct world *world, const char *name, const char *expected)
{
    struct jl_buffer text = get_file(world, name);
    assert_string_equal(text.data, expected);
    jl_buffer_clear(&text);
}

static bool is_there(const struct world *world, const char *name)
{
    struct stat found;
    return fstatat(world->fd, name, &found, AT_SYMLINK_NOFOLLOW) == 0;
}

static uint64_t inode_of(const struct world *world, const char *name)
{
    struct stat found;
    assert_int_equal(fstatat(world->fd, name, &found, AT_SYMLINK_NOFOLLOW), 0);
    return found.st_ino;
}

/* ---- journals ---- */

static struct jl_journal_setup setup_of(const struct world *world, const char *boot_id,
                                        bool is_writer)
{
    return (struct jl_journal_setup){ .os = jl_os_linux(NULL),
                                      .folder_fd = world->fd,
                                      .folder = world->path,
                                      .boot_id = boot_id,
                                      .is_writer = is_writer,
                                      .pid = 4711,
                                      .uid = geteuid() };
}

static struct jl_journal_file *open_as(struct world *world, const char *boot_id, bool is_writer)
{
    const struct jl_journal_setup setup = setup_of(world, boot_id, is_writer);
    struct jl_journal_file *file = NULL;
    if (jl_journal_open(&setup, &file, &world->err) != 0)
        fail_msg("%s: %s", world->err.where, world->err.message);
    return file;
}

static struct jl_journal_file *open_writer(struct world *world)
{
    return open_as(world, BOOT, true);
}

static struct jl_journal_record baseline_of(const char *key, uint64_t value)
{
    return (struct jl_journal_record){ .op = JL_JOURNAL_BASELINE,
                                       .key = key,
                                       .value = value,
                                       .unit = JL_UNIT_UW,
                                       .has_enabled = true,
                                       .enabled = true,
                                       .owner = "api",
                                       .at_ms = NOON_MS };
}

static struct jl_journal_record write_of(const char *key, uint64_t value, uint64_t baseline)
{
    return (struct jl_journal_record){ .op = JL_JOURNAL_WRITE,
                                       .key = key,
                                       .value = value,
                                       .baseline = baseline,
                                       .unit = JL_UNIT_UW,
                                       .has_enabled = true,
                                       .enabled = true,
                                       .owner = "api",
                                       .at_ms = NOON_MS };
}

static struct jl_journal_record restored(const char *key)
{
    return (struct jl_journal_record){ .op = JL_JOURNAL_RESTORED, .key = key, .at_ms = NOON_MS };
}

static void append(struct world *world, struct jl_journal_file *file,
                   struct jl_journal_record record)
{
    if (jl_journal_append(file, &record, 1, record.op == JL_JOURNAL_BASELINE, &world->err) != 0)
        fail_msg("%s: %s", world->err.where, world->err.message);
}

/* A journal of a boot with one open key, and its writer gone. */
static void leave_open(struct world *world, const char *boot_id, uint64_t value, uint64_t written)
{
    struct jl_journal_file *file = open_as(world, boot_id, true);
    append(world, file, baseline_of(PACKAGE, value));
    append(world, file, write_of(PACKAGE, written, value));
    jl_journal_close(file);
}

/* Checksums are not ours: zlib.crc32() in Python. */
#define HEAD "joulie-journal 2\n"
#define BASELINE_LINE "42a20866 baseline rapl/package-0/long_term 205000000 uW 1 api 1773403200"
#define WRITE_LINE "757c615c write rapl/package-0/long_term 120000000 - - - 1773403200"
#define RESTORED_LINE "511cc094 restored rapl/package-0/long_term - - - - 1773403200"

static void a_journal_holds_its_version_and_each_baseline_twice_and_before_each_write(void **state)
{
    struct world *world = *state;
    struct jl_journal_file *file = open_writer(world);
    struct stat found;
    assert_false(is_there(world, JOURNAL));
    append(world, file, baseline_of(PACKAGE, 205000000));
    append(world, file, write_of(PACKAGE, 120000000, 205000000));
    assert_file(world, JOURNAL,
                HEAD BASELINE_LINE "\n" BASELINE_LINE "\n" BASELINE_LINE "\n" WRITE_LINE "\n");
    assert_int_equal(fstatat(world->fd, JOURNAL, &found, 0), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    append(world, file, restored(PACKAGE));
    assert_file(world, JOURNAL,
                HEAD BASELINE_LINE "\n" BASELINE_LINE "\n" BASELINE_LINE "\n" WRITE_LINE
                                   "\n" RESTORED_LINE "\n");
    assert_int_equal(jl_journal_now(file)->open_count, 0);
    jl_journal_close(file);
}

static void a_journal_opened_again_says_what_its_writer_said(void **state)
{
    struct world *world = *state;
    struct jl_journal_file *file = open_writer(world);
    const struct jl_journal_record both[] = { baseline_of("cpufreq/policy0/max", 3500000),
                                              baseline_of(PACKAGE, UINT64_MAX) };
    assert_int_equal(jl_journal_append(file, both, 2, true, &world->err), 0);
    append(world, file, write_of(PACKAGE, 90000000, UINT64_MAX));
    for (int round = 0; round < 2; round++) {
        const struct jl_journal *now = jl_journal_now(file);
        assert_int_equal(now->open_count, 2);
        assert_string_equal(now->open[0].key, PACKAGE);
        assert_true(now->open[0].value == UINT64_MAX && now->open[0].written == 90000000);
        assert_string_equal(now->open[0].owner, "api");
        assert_true(now->open[0].since_ms == NOON_MS);
        assert_ptr_equal(jl_journal_find(file, "cpufreq/policy0/max"), &now->open[1]);
        assert_null(jl_journal_find(file, "gpu/GPU-1"));
        jl_journal_close(file);
        file = open_writer(world);
    }
    jl_journal_close(file);
}

static void a_value_that_is_open_is_never_overwritten(void **state)
{
    struct world *world = *state;
    struct jl_journal_file *file = open_writer(world);
    append(world, file, baseline_of(PACKAGE, 205000000));
    append(world, file, baseline_of(PACKAGE, 120000000)); /* what a crashed writer would find */
    assert_true(jl_journal_find(file, PACKAGE)->value == 205000000);
    jl_journal_close(file);
    file = open_writer(world);
    assert_true(jl_journal_find(file, PACKAGE)->value == 205000000);
    jl_journal_close(file);
}

static void the_second_writer_gets_the_pid_of_the_first(void **state)
{
    struct world *world = *state;
    struct jl_journal_file *first = open_writer(world);
    struct jl_journal_file *second = NULL;
    struct jl_journal_setup setup = setup_of(world, BOOT, true);
    setup.pid = 12;
    assert_int_equal(jl_journal_open(&setup, &second, &world->err), JOULIE_E_CONFLICT);
    assert_null(second);
    assert_non_null(strstr(world->err.message, "4711"));
    assert_string_equal(world->err.where, "writer.lock");
    assert_file(world, "writer.lock", "4711\n");
    jl_journal_close(first);
    assert_int_equal(jl_journal_open(&setup, &second, &world->err), 0);
    assert_file(world, "writer.lock", "12\n");
    jl_journal_close(second);
}

static void a_lock_without_a_pid_is_a_lock(void **state)
{
    struct world *world = *state;
    struct jl_journal_file *first = open_writer(world);
    struct jl_journal_file *second = NULL;
    const struct jl_journal_setup setup = setup_of(world, BOOT, true);
    put_file(world, "writer.lock", "");
    assert_int_equal(jl_journal_open(&setup, &second, &world->err), JOULIE_E_CONFLICT);
    put_file(world, "writer.lock", "not a number\n");
    assert_int_equal(jl_journal_open(&setup, &second, &world->err), JOULIE_E_CONFLICT);
    jl_journal_close(first);
}

/* ---- the machine ---- */

#define CPUS "machine/sys/devices/system/cpu"
#define ZONES "machine/sys/devices/virtual/powercap"

static void make_folders(const struct world *world, const char *path)
{
    char name[128] = "";
    for (size_t i = 0; i <= strlen(path); i++) {
        if (i > 0 && (path[i] == '/' || path[i] == '\0'))
            (void)mkdirat(world->fd, name, 0700);
        name[i] = path[i];
    }
}

static int folder_in(const struct world *world, const char *name)
{
    const int fd = openat(world->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

/* Two writers, each with a state folder of its own; the second's code. */
static int open_two(struct world *world, bool is_second_writer)
{
    struct jl_journal_file *first = NULL;
    struct jl_journal_file *second = NULL;
    make_folders(world, "machine");
    make_folders(world, "first");
    make_folders(world, "second");
    const struct jl_root machine = { jl_os_linux(NULL), folder_in(world, "machine") };
    struct jl_journal_setup setup = setup_of(world, BOOT, true);
    setup.machine = &machine;
    setup.folder_fd = folder_in(world, "first");
    assert_int_equal(jl_journal_open(&setup, &first, &world->err), 0);
    struct jl_journal_setup other = setup;
    other.folder_fd = folder_in(world, "second");
    other.is_writer = is_second_writer;
    const int rc = jl_journal_open(&other, &second, &world->err);
    jl_journal_close(second);
    jl_journal_close(first);
    if (rc != 0) { /* it can be had when the first one is gone */
        second = NULL;
        assert_int_equal(jl_journal_open(&other, &second, NULL), 0);
        jl_journal_close(second);
    }
    close(setup.folder_fd);
    close(other.folder_fd);
    close(machine.fd);
    return rc;
}

static void a_machine_has_one_writer_whatever_its_state_folder(void **state)
{
    struct world *world = *state;
    make_folders(world, CPUS);
    make_folders(world, ZONES);
    assert_int_equal(open_two(world, true), JOULIE_E_CONFLICT);
    assert_string_equal(world->err.where, "sys/devices/system/cpu");
    assert_string_equal(world->err.message,
                        "another process writes this machine, with another state folder");
    assert_int_equal(open_two(world, false), 0);
}

static void who_writes_a_machine_is_named_where_the_kernel_says_it(void **state)
{
    struct world *world = *state;
    char text[512];
    make_folders(world, CPUS);
    make_folders(world, "machine/proc");
    struct stat cpus;
    assert_int_equal(fstatat(world->fd, CPUS, &cpus, AT_SYMLINK_NOFOLLOW), 0);
    snprintf(text, sizeof text,
             "1: POSIX  ADVISORY  READ 7 00:19:1 128 128\n"
             "2: FLOCK  ADVISORY  WRITE 8 %02x:%02x:%llu 0 EOF\n"
             "3: FLOCK  ADVISORY  WRITE 9 %02x:%02x:%llu 0 EOF\n" /* the same inode elsewhere */
             "4: FLOCK  ADVISORY  WRITE 4712 %02x:%02x:%llu 0 EOF\n",
             major(cpus.st_dev), minor(cpus.st_dev), (unsigned long long)cpus.st_ino + 1,
             major(cpus.st_dev) + 1, minor(cpus.st_dev), (unsigned long long)cpus.st_ino,
             major(cpus.st_dev), minor(cpus.st_dev), (unsigned long long)cpus.st_ino);
    put_file(world, "machine/proc/locks", text);
    assert_int_equal(open_two(world, true), JOULIE_E_CONFLICT);
    assert_string_equal(world->err.message,
                        "process 4712 writes this machine, with another state folder");
    put_file(world, "machine/proc/locks", "1: FLOCK\n\n::: \n 00:16:\n");
    assert_int_equal(open_two(world, true), JOULIE_E_CONFLICT);
    assert_non_null(strstr(world->err.message, "another process"));
}

static void where_only_the_zones_can_be_seen_they_are_locked(void **state)
{
    struct world *world = *state;
    make_folders(world, ZONES);
    assert_int_equal(open_two(world, true), JOULIE_E_CONFLICT);
    assert_string_equal(world->err.where, "sys/devices/virtual/powercap");
}

static void a_machine_without_anything_to_write_keeps_nobody_out(void **state)
{
    assert_int_equal(open_two(*state, true), 0);
}

static void a_reader_sees_the_journal_of_a_living_writer(void **state)
{
    struct world *world = *state;
    struct jl_journal_file *writer = open_writer(world);
    append(world, writer, baseline_of(PACKAGE, 205000000));
    struct jl_journal_file *reader = open_as(world, BOOT, false);
    assert_true(jl_journal_find(reader, PACKAGE)->value == 205000000);
    jl_journal_close(reader);
    jl_journal_close(writer);
}

static void a_reader_makes_changes_to_nothing(void **state)
{
    struct world *world = *state;
    struct jl_journal_file *reader = open_as(world, BOOT, false);
    const struct jl_journal_record record = baseline_of(PACKAGE, 1);
    assert_int_equal(jl_journal_now(reader)->open_count, 0);
    assert_int_equal(jl_journal_append(reader, &record, 1, true, &world->err), JOULIE_E_IO);
    assert_int_equal(jl_journal_compact(reader, &world->err), JOULIE_E_IO);
    assert_int_equal(jl_journal_put_others_away(reader, &world->err), JOULIE_E_IO);
    jl_journal_close(reader);
    assert_false(is_there(world, "writer.lock") || is_there(world, JOURNAL));

    put_file(world, OTHER_JOURNAL, HEAD BASELINE_LINE "\n" RESTORED_LINE "\n");
    put_file(world, JOURNAL ".new", "x");
    put_file(world, JOURNAL, HEAD BASELINE_LINE "\ntorn");
    reader = open_as(world, BOOT, false);
    assert_int_equal(jl_journal_now(reader)->open_count, 1);
    assert_int_equal(jl_journal_now(reader)->skipped, 1);
    jl_journal_close(reader);
    assert_file(world, OTHER_JOURNAL, HEAD BASELINE_LINE "\n" RESTORED_LINE "\n");
    assert_file(world, JOURNAL ".new", "x");
    assert_file(world, JOURNAL, HEAD BASELINE_LINE "\ntorn");
    assert_false(is_there(world, "writer.lock") || is_there(world, "old"));
}

static void a_boot_id_that_is_no_name_is_unknown(void **state)
{
    static const char *const bad[] = {
        NULL,
        "",
        " \n",
        "a/b",
        "../../etc/passwd",
        ".",
        "..",
        "a b",
        "a.new",
        "\xc3\xa4",
        "0123456789012345678901234567890123456789012345678901234567890123456789",
    };
    struct world *world = *state;
    for (size_t i = 0; i < JL_COUNT(bad); i++) {
        struct jl_journal_file *file = open_as(world, bad[i], true);
        append(world, file, baseline_of(PACKAGE, i));
        assert_true(is_there(world, "caps-unknown"));
        jl_journal_close(file);
        assert_int_equal(unlinkat(world->fd, "caps-unknown", 0), 0);
    }
    struct jl_journal_file *file = open_as(world, BOOT "\n", true);
    append(world, file, baseline_of(PACKAGE, 1));
    assert_true(is_there(world, JOURNAL));
    jl_journal_close(file);
}

static void a_torn_line_costs_no_other_line(void **state)
{
    struct world *world = *state;
    put_file(world, JOURNAL, HEAD BASELINE_LINE "\n" WRITE_LINE "\n6a043739 restor");
    struct jl_journal_file *file = open_writer(world);
    assert_int_equal(jl_journal_now(file)->skipped, 1);
    append(world, file, write_of(PACKAGE, 90000000, 205000000));
    append(world, file, baseline_of("gpu/GPU-1", 700000));
    assert_int_equal(jl_journal_now(file)->open_count, 2);
    jl_journal_close(file);
    file = open_writer(world);
    assert_int_equal(jl_journal_now(file)->open_count, 2);
    assert_int_equal(jl_journal_now(file)->skipped, 1);
    assert_true(jl_journal_find(file, PACKAGE)->written == 90000000);
    jl_journal_close(file);
}

/* The line was not reported as written; what came after the crash is built on that. */
static void a_line_that_lacks_only_its_end_does_not_count_later(void **state)
{
    struct world *world = *state;
    put_file(world, JOURNAL, HEAD BASELINE_LINE "\n" WRITE_LINE "\n" RESTORED_LINE);
    struct jl_journal_file *file = open_writer(world);
    append(world, file, baseline_of("gpu/GPU-1", 700000));
    jl_journal_close(file);
    file = open_writer(world);
    assert_true(jl_journal_find(file, PACKAGE)->value == 205000000);
    jl_journal_close(file);

    put_file(world, JOURNAL, HEAD BASELINE_LINE);
    file = open_writer(world);
    assert_null(jl_journal_find(file, PACKAGE));
    append(world, file, baseline_of(PACKAGE, 200000000)); /* someone changed it in between */
    jl_journal_close(file);
    file = open_writer(world);
    assert_true(jl_journal_find(file, PACKAGE)->value == 200000000);
    jl_journal_close(file);
}

static void a_journal_without_an_open_key_is_replaced_by_an_empty_one(void **state)
{
    struct world *world = *state;
    struct jl_journal_file *file = open_writer(world);
    assert_int_equal(jl_journal_compact(file, &world->err), 0);
    assert_false(is_there(world, JOURNAL)); /* nothing to replace */
    append(world, file, baseline_of(PACKAGE, 205000000));
    const uint64_t inode = inode_of(world, JOURNAL);
    assert_int_equal(jl_journal_compact(file, &world->err), 0);
    assert_true(inode_of(world, JOURNAL) == inode); /* short, and a key is open */
    append(world, file, restored(PACKAGE));
    assert_int_equal(jl_journal_compact(file, &world->err), 0);
    assert_file(world, JOURNAL, HEAD);
    assert_false(is_there(world, JOURNAL ".new"));
    append(world, file, baseline_of(PACKAGE, 205000000));
    assert_file(world, JOURNAL, HEAD BASELINE_LINE "\n" BASELINE_LINE "\n");
    jl_journal_close(file);
}

static void a_journal_past_1_mib_keeps_what_is_open(void **state)
{
    struct world *world = *state;
    struct jl_journal_file *file = open_writer(world);
    struct jl_journal_record writes[100];
    struct stat found = { 0 };
    append(world, file, baseline_of(PACKAGE, 205000000));
    append(world, file, baseline_of("gpu/GPU-1", 700000));
    append(world, file, restored("gpu/GPU-1"));
    for (uint64_t round = 0; round < 110; round++) {
        for (uint64_t i = 0; i < JL_COUNT(writes); i++)
            writes[i] = write_of(PACKAGE, round * 1000 + i, 205000000);
        assert_int_equal(jl_journal_append(file, writes, JL_COUNT(writes), false, &world->err), 0);
        assert_int_equal(fstatat(world->fd, JOURNAL, &found, 0), 0);
        const bool is_long = found.st_size > 1 << 20;
        assert_int_equal(jl_journal_compact(file, &world->err), 0);
        assert_int_equal(fstatat(world->fd, JOURNAL, &found, 0), 0);
        assert_true(is_long ? found.st_size < 1000 : found.st_size > 10000);
        assert_true(jl_journal_find(file, PACKAGE)->written == round * 1000 + 99);
    }
    jl_journal_close(file);
    file = open_writer(world);
    assert_int_equal(jl_journal_now(file)->open_count, 1);
    assert_true(jl_journal_find(file, PACKAGE)->value == 205000000);
    assert_true(jl_journal_find(file, PACKAGE)->written == 109099);
    assert_string_equal(jl_journal_find(file, PACKAGE)->owner, "api");
    jl_journal_close(file);
}

static void junk_goes_with_the_replacement(void **state)
{
    struct world *world = *state;
    put_file(world, JOURNAL, HEAD "junk\n" BASELINE_LINE "\n" RESTORED_LINE "\nmore");
    struct jl_journal_file *file = open_writer(world);
    assert_int_equal(jl_journal_now(file)->skipped, 2);
    assert_int_equal(jl_journal_compact(file, &world->err), 0);
    assert_int_equal(jl_journal_now(file)->skipped, 0);
    assert_file(world, JOURNAL, HEAD);
    jl_journal_close(file);
}

static void a_journal_that_someone_removed_is_written_anew(void **state)
{
    struct world *world = *state;
    struct jl_journal_file *file = open_writer(world);
    append(world, file, baseline_of(PACKAGE, 205000000));
    assert_int_equal(unlinkat(world->fd, JOURNAL, 0), 0);
    append(world, file, baseline_of("gpu/GPU-1", 700000));
    put_file(world, "other", "x");
    assert_int_equal(renameat(world->fd, "other", world->fd, JOURNAL), 0);
    append(world, file, baseline_of("gpu/GPU-2", 700000));
    jl_journal_close(file);
    file = open_writer(world);
    assert_int_equal(jl_journal_now(file)->open_count, 3);
    assert_true(jl_journal_find(file, PACKAGE)->value == 205000000);
    jl_journal_close(file);
}

static void records_that_no_reader_would_take_are_refused(void **state)
{
    struct world *world = *state;
    struct jl_journal_file *file = open_writer(world);
    const struct jl_journal_record good = baseline_of(PACKAGE, 205000000);
    struct jl_journal_record bad[] = {
        baseline_of("", 1),
        baseline_of("rapl/\xff/long_term", 1),
        baseline_of(PACKAGE, 1),
        baseline_of(PACKAGE, 1),
    };
    bad[2].at_ms = INT64_MAX;
    bad[3].op = JL_JOURNAL_UNKNOWN;
    append(world, file, good);
    for (size_t i = 0; i < JL_COUNT(bad); i++) {
        const struct jl_journal_record both[] = { baseline_of("gpu/GPU-1", 5), bad[i] };
        assert_int_equal(jl_journal_append(file, both, 2, true, &world->err), JOULIE_E_PARSE);
        assert_file(world, JOURNAL, HEAD BASELINE_LINE "\n" BASELINE_LINE "\n");
        assert_int_equal(jl_journal_now(file)->open_count, 1);
    }
    jl_journal_close(file);
}

/* ---- other boots ---- */

static void a_closed_journal_of_another_boot_goes_to_old(void **state)
{
    struct world *world = *state;
    put_file(world, OTHER_JOURNAL, HEAD BASELINE_LINE "\n" RESTORED_LINE "\n");
    struct jl_journal_file *file = open_writer(world);
    assert_int_equal(jl_journal_others(file)->open_count, 0);
    assert_false(is_there(world, OTHER_JOURNAL));
    assert_file(world, "old/" OTHER_JOURNAL, HEAD BASELINE_LINE "\n" RESTORED_LINE "\n");
    jl_journal_close(file);
}

static void open_keys_of_other_boots_are_offered_until_they_are_put_away(void **state)
{
    struct world *world = *state;
    leave_open(world, OTHER_BOOT, 205000000, 120000000);
    for (int start = 0; start < 3; start++) { /* as after crashes */
        struct jl_journal_file *file = open_as(world, BOOT, start != 1);
        const struct jl_journal *others = jl_journal_others(file);
        assert_int_equal(jl_journal_now(file)->open_count, 0);
        assert_int_equal(others->open_count, 1);
        assert_string_equal(others->open[0].key, PACKAGE);
        assert_true(others->open[0].value == 205000000 && others->open[0].written == 120000000);
        assert_true(is_there(world, OTHER_JOURNAL));
        if (start == 2)
            assert_int_equal(jl_journal_put_others_away(file, &world->err), 0);
        jl_journal_close(file);
    }
    assert_false(is_there(world, OTHER_JOURNAL));
    assert_true(is_there(world, "old/" OTHER_JOURNAL));
    struct jl_journal_file *file = open_writer(world);
    assert_int_equal(jl_journal_others(file)->open_count, 0);
    assert_int_equal(jl_journal_put_others_away(file, &world->err), 0);
    jl_journal_close(file);
}

static void the_journal_that_was_changed_last_is_offered_first(void **state)
{
    struct world *world = *state;

    static const struct {
        const char *boot_id;
        const char *name;
        uint64_t value;
        time_t at_s;
    } boots[] = {
        { "a", "caps-a", 1, 2000 },
        { "b", "caps-b", 2, 3000 },
        { "c", "caps-c", 3, 1000 },
    };

    for (size_t i = 0; i < JL_COUNT(boots); i++) {
        const struct timespec times[2] = { { .tv_sec = boots[i].at_s },
                                           { .tv_sec = boots[i].at_s } };
        leave_open(world, boots[i].boot_id, boots[i].value, 7);
        assert_int_equal(utimensat(world->fd, boots[i].name, times, 0), 0);
    }
    struct jl_journal_file *file = open_writer(world);
    const struct jl_journal *others = jl_journal_others(file);
    assert_int_equal(others->open_count, 3);
    assert_true(others->open[0].value == 2);
    assert_true(others->open[1].value == 1);
    assert_true(others->open[2].value == 3);
    jl_journal_close(file);
}

static void a_name_that_old_has_already_does_not_cost_a_journal(void **state)
{
    struct world *world = *state;
    for (char mark = 'a'; mark < 'd'; mark++) {
        const char text[] = { mark, '\n', '\0' };
        put_file(world, OTHER_JOURNAL, text);
        jl_journal_close(open_writer(world));
    }
    assert_file(world, "old/" OTHER_JOURNAL, "a\n");
    assert_file(world, "old/" OTHER_JOURNAL ".1", "b\n");
    assert_file(world, "old/" OTHER_JOURNAL ".2", "c\n");
}

static void what_is_no_journal_is_left_alone(void **state)
{
    struct world *world = *state;
    put_file(world, "status.json", "{}");
    put_file(world, "my-journal-x", "x");
    put_file(world, JOURNAL ".new", "half a replac");
    put_file(world, OTHER_JOURNAL ".new", "half a replac");
    assert_int_equal(mkdirat(world->fd, "caps-folder", 0700), 0);
    assert_int_equal(symlinkat("status.json", world->fd, "caps-link"), 0);
    assert_int_equal(mkfifoat(world->fd, "caps-pipe", 0600), 0);
    struct jl_journal_file *file = open_writer(world);
    assert_int_equal(jl_journal_others(file)->open_count, 0);
    jl_journal_close(file);
    assert_true(is_there(world, "status.json") && is_there(world, "my-journal-x"));
    assert_true(is_there(world, "caps-folder") && is_there(world, "caps-pipe"));
    assert_true(is_there(world, "caps-link") && !is_there(world, "old"));
    assert_false(is_there(world, JOURNAL ".new") || is_there(world, OTHER_JOURNAL ".new"));
}

/* ---- hostile folders ---- */

static void links_are_refused(void **state)
{
    static const char *const names[] = { "writer.lock", JOURNAL };
    struct world *world = *state;
    const struct jl_journal_setup setup = setup_of(world, BOOT, true);
    put_file(world, "target", BASELINE_LINE "\n");
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        struct jl_journal_file *file = NULL;
        assert_int_equal(symlinkat("target", world->fd, names[i]), 0);
        assert_int_equal(jl_journal_open(&setup, &file, &world->err), JOULIE_E_IO);
        assert_int_equal(world->err.sys_errno, ELOOP);
        assert_string_equal(world->err.where, names[i]);
        assert_int_equal(unlinkat(world->fd, names[i], 0), 0);
    }
    assert_file(world, "target", BASELINE_LINE "\n");
}

static void a_link_named_old_costs_no_journal(void **state)
{
    struct world *world = *state;
    assert_int_equal(mkdirat(world->fd, "target", 0700), 0);
    assert_int_equal(symlinkat("target", world->fd, "old"), 0);
    put_file(world, OTHER_JOURNAL, HEAD RESTORED_LINE "\n");
    leave_open(world, "a", 1, 2);
    struct jl_journal_file *file = open_writer(world);
    assert_int_equal(jl_journal_put_others_away(file, &world->err), JOULIE_E_IO);
    assert_int_equal(jl_journal_others(file)->open_count, 1);
    assert_true(is_there(world, OTHER_JOURNAL) && is_there(world, "caps-a"));
    jl_journal_close(file);
}

static void make_huge(const struct world *world, const char *name)
{
    put_file(world, name, BASELINE_LINE "\n");
    const int fd = openat(world->fd, name, O_WRONLY | O_CLOEXEC);
    assert_int_equal(ftruncate(fd, (off_t)JL_LIMIT_JOURNAL_BYTES + 1), 0);
    close(fd);
}

static void a_journal_of_more_than_64_mib_is_refused(void **state)
{
    struct world *world = *state;
    const struct jl_journal_setup setup = setup_of(world, BOOT, true);
    struct jl_journal_file *file = NULL;
    make_huge(world, JOURNAL);
    assert_int_equal(jl_journal_open(&setup, &file, &world->err), JOULIE_E_LIMIT);
    assert_int_equal(unlinkat(world->fd, JOURNAL, 0), 0);
    make_huge(world, OTHER_JOURNAL); /* of another boot: it does not keep us from our own */
    file = open_writer(world);
    assert_int_equal(jl_journal_others(file)->open_count, 0);
    assert_int_equal(jl_journal_put_others_away(file, &world->err), 0);
    assert_true(is_there(world, OTHER_JOURNAL));
    jl_journal_close(file);
}

/* ---- whose it is ---- */

static int try_open(struct world *world, bool is_writer)
{
    const struct jl_journal_setup setup = setup_of(world, BOOT, is_writer);
    struct jl_journal_file *file = NULL;
    const int rc = jl_journal_open(&setup, &file, &world->err);
    jl_journal_close(file);
    return rc;
}

static void what_others_may_write_is_refused_with_its_owner_and_mode(void **state)
{
    static const mode_t modes[] = { 0620, 0602, 0666, 0622 };
    struct world *world = *state;
    char expected[160];
    put_file(world, JOURNAL, HEAD BASELINE_LINE "\n");
    for (size_t i = 0; i < JL_COUNT(modes); i++) {
        for (int is_writer = 0; is_writer < 2; is_writer++) {
            snprintf(
                expected, sizeof expected,
                "user %u owns it, its mode is 0%o: it must belong to user %u and nobody else may "
                "write it",
                geteuid(), modes[i], geteuid());
            assert_int_equal(fchmodat(world->fd, JOURNAL, modes[i], 0), 0);
            assert_int_equal(try_open(world, is_writer), JOULIE_E_IO);
            assert_string_equal(world->err.where, JOURNAL);
            assert_string_equal(world->err.message, expected);
            assert_int_equal(world->err.sys_errno, EPERM);
        }
    }
    assert_int_equal(fchmodat(world->fd, JOURNAL, 0644, 0), 0); /* others may read it */
    assert_int_equal(try_open(world, true), 0);
    assert_int_equal(fchmod(world->fd, 0770), 0);
    assert_int_equal(try_open(world, true), JOULIE_E_IO);
    assert_string_equal(world->err.where, world->path);
    assert_non_null(strstr(world->err.message, "mode is 0770"));
    assert_int_equal(fchmod(world->fd, 0755), 0);
    assert_int_equal(try_open(world, true), 0);
}

static void what_belongs_to_somebody_else_is_refused_but_a_reader_believes_root(void **state)
{
    struct world *world = *state;
    struct jl_journal_file *file = NULL;
    put_file(world, JOURNAL, HEAD BASELINE_LINE "\n");
    struct jl_journal_setup setup = setup_of(world, BOOT, true);
    setup.uid = geteuid() + 1;
    assert_int_equal(jl_journal_open(&setup, &file, &world->err), JOULIE_E_IO);
    assert_string_equal(world->err.where, world->path);
    assert_false(is_there(world, "writer.lock"));
    setup.is_writer = false;
    assert_int_equal(jl_journal_open(&setup, &file, &world->err), geteuid() == 0 ? 0 : JOULIE_E_IO);
    jl_journal_close(file);
    if (geteuid() != 0)
        return;
    assert_int_equal(fchownat(world->fd, JOURNAL, 1000, 1000, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(try_open(world, true), JOULIE_E_IO);
    assert_string_equal(world->err.where, JOURNAL);
    assert_int_equal(try_open(world, false), JOULIE_E_IO);
}

static void a_forged_journal_of_another_boot_is_not_offered(void **state)
{
    struct world *world = *state;
    leave_open(world, OTHER_BOOT, 205000000, 120000000);
    assert_int_equal(fchmodat(world->fd, OTHER_JOURNAL, 0666, 0), 0);
    struct jl_journal_file *file = open_writer(world);
    assert_int_equal(jl_journal_others(file)->open_count, 0);
    jl_journal_close(file);
    assert_true(is_there(world, OTHER_JOURNAL));
}

/* ---- other versions ---- */

static void a_newer_version_is_refused_and_its_journal_is_left_as_it_was(void **state)
{
    static const char *const texts[] = {
        "joulie-journal 3\n",
        HEAD BASELINE_LINE "\n"
                           "95a8b494 forget rapl/package-0/long_term - - - - 1773403200\n",
    };
    struct world *world = *state;
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        put_file(world, JOURNAL, texts[i]);
        for (int is_writer = 0; is_writer < 2; is_writer++) {
            assert_int_equal(try_open(world, is_writer), JOULIE_E_UNSUPPORTED);
            assert_string_equal(world->err.where, JOURNAL);
            assert_non_null(strstr(world->err.message, "this version does not know its"));
        }
        assert_file(world, JOURNAL, texts[i]);
    }
}

static void a_journal_of_version_0_2_with_something_in_it_stops_everybody(void **state)
{
    struct world *world = *state;
    put_file(world, V1_JOURNAL, ""); /* it closed its last key */
    assert_int_equal(try_open(world, true), 0);
    put_file(world, V1_JOURNAL ".new", "half a");
    assert_int_equal(try_open(world, true), 0);
    put_file(world, "journal-another-boot", "x\n");
    for (int is_writer = 0; is_writer < 2; is_writer++) {
        assert_int_equal(try_open(world, is_writer), JOULIE_E_UNSUPPORTED);
        assert_string_equal(world->err.where, "journal-another-boot");
        assert_string_equal(world->err.message,
                            "version 0.2 left caps here: joulie-rescue --from-v1 gives them back");
    }
    struct jl_journal_setup setup = setup_of(world, BOOT, true);
    struct jl_journal_file *file = NULL;
    setup.may_have_v1 = true;
    assert_int_equal(jl_journal_open(&setup, &file, &world->err), 0);
    jl_journal_close(file);
    assert_file(world, "journal-another-boot", "x\n");
}

static void a_journal_that_has_lost_its_first_line_gets_it_back(void **state)
{
    static const char *const heads[] = { "", "joulie-jour\n", "joulie-journal 2",
                                         "joulie-journal 2#\n" };
    struct world *world = *state;
    for (size_t i = 0; i < JL_COUNT(heads); i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", heads[i], i == 2 ? "" : "junk\n" BASELINE_LINE "\n");
        put_file(world, JOURNAL, text);
        struct jl_journal_file *file = open_writer(world);
        append(world, file, baseline_of("gpu/GPU-1", 700000));
        jl_journal_close(file);
        struct jl_buffer now = get_file(world, JOURNAL);
        assert_true(jl_starts_with(now.data, HEAD));
        jl_buffer_clear(&now);
        file = open_writer(world);
        assert_int_equal(jl_journal_now(file)->skipped, 0);
        assert_int_equal(jl_journal_now(file)->open_count, i == 2 ? 1 : 2);
        jl_journal_close(file);
    }
}

static void closing_nothing_does_nothing(void **state)
{
    (void)state;
    jl_journal_close(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_journal_holds_its_version_and_each_baseline_twice_and_before_each_write),
        TEST(a_journal_opened_again_says_what_its_writer_said),
        TEST(a_value_that_is_open_is_never_overwritten),
        TEST(the_second_writer_gets_the_pid_of_the_first),
        TEST(a_lock_without_a_pid_is_a_lock),
        TEST(a_machine_has_one_writer_whatever_its_state_folder),
        TEST(who_writes_a_machine_is_named_where_the_kernel_says_it),
        TEST(where_only_the_zones_can_be_seen_they_are_locked),
        TEST(a_machine_without_anything_to_write_keeps_nobody_out),
        TEST(a_reader_sees_the_journal_of_a_living_writer),
        TEST(a_reader_makes_changes_to_nothing),
        TEST(a_boot_id_that_is_no_name_is_unknown),
        TEST(a_torn_line_costs_no_other_line),
        TEST(a_line_that_lacks_only_its_end_does_not_count_later),
        TEST(a_journal_without_an_open_key_is_replaced_by_an_empty_one),
        TEST(a_journal_past_1_mib_keeps_what_is_open),
        TEST(junk_goes_with_the_replacement),
        TEST(a_journal_that_someone_removed_is_written_anew),
        TEST(records_that_no_reader_would_take_are_refused),
        TEST(a_closed_journal_of_another_boot_goes_to_old),
        TEST(open_keys_of_other_boots_are_offered_until_they_are_put_away),
        TEST(the_journal_that_was_changed_last_is_offered_first),
        TEST(a_name_that_old_has_already_does_not_cost_a_journal),
        TEST(what_is_no_journal_is_left_alone),
        TEST(links_are_refused),
        TEST(a_link_named_old_costs_no_journal),
        TEST(a_journal_of_more_than_64_mib_is_refused),
        TEST(what_others_may_write_is_refused_with_its_owner_and_mode),
        TEST(what_belongs_to_somebody_else_is_refused_but_a_reader_believes_root),
        TEST(a_forged_journal_of_another_boot_is_not_offered),
        TEST(a_newer_version_is_refused_and_its_journal_is_left_as_it_was),
        TEST(a_journal_of_version_0_2_with_something_in_it_stops_everybody),
        TEST(a_journal_that_has_lost_its_first_line_gets_it_back),
        cmocka_unit_test(closing_nothing_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
