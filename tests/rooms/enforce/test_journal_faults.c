/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The journal on disks that fill up, fail and lose their power, and in processes that die before
 * any of their calls (docs/rules/enforcement.md#journal).
 *
 * A story is a list of operations. A model says what counts after each of its records, so
 * that after any end the journal must say what it said after some record between the last one
 * that had to be there and the last one that was asked for.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "enforce/journal_file.h"
#include "fakehost/hosts.h"
#include "fakehost/model.h"
#include "support/test.h"

#define NOON_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define STATE "var/lib/joulie"
#define JOURNAL STATE "/caps-now"
#define OTHER_JOURNAL STATE "/caps-before"
#define OLD_JOURNAL STATE "/old/caps-before"
#define MOST_RECORDS 16
#define ALL_BYTES ((size_t)1 << 20)
#define LONG_OWNER_BYTES 300000

/* ---- stories ---- */

enum { GPU, PACKAGE_0, PACKAGE_1, KEYS }; /* in restore order */

static const char *const keys[KEYS] = { "gpu/GPU-1", "rapl/package-0/long_term",
                                        "rapl/package-1/long_term" };

enum deed { APPEND, COMPACT, PUT_AWAY };

struct act {
    enum deed deed;
    size_t count;

    struct {
        enum jl_journal_op op;
        size_t key;
        uint64_t value;
    } records[3];
};

static const struct act story[] = {
    { APPEND, 1, { { JL_JOURNAL_BASELINE, PACKAGE_0, 205 } } },
    { APPEND, 1, { { JL_JOURNAL_WRITE, PACKAGE_0, 120 } } },
    { APPEND, 2, { { JL_JOURNAL_BASELINE, GPU, 700 }, { JL_JOURNAL_BASELINE, PACKAGE_1, 206 } } },
    { APPEND, 2, { { JL_JOURNAL_WRITE, GPU, 400 }, { JL_JOURNAL_WRITE, PACKAGE_1, 121 } } },
    { APPEND, 1, { { JL_JOURNAL_RESTORED, GPU, 0 } } },
    { APPEND, 2, { { JL_JOURNAL_RESTORED, PACKAGE_0, 0 }, { JL_JOURNAL_RESTORED, PACKAGE_1, 0 } } },
    { COMPACT, 0, { { 0 } } },
    { APPEND, 1, { { JL_JOURNAL_BASELINE, PACKAGE_0, 200 } } },
    { APPEND, 1, { { JL_JOURNAL_WRITE, PACKAGE_0, 130 } } },
};

#define ACTS JL_COUNT(story)

struct round {
    bool is_open;
    uint64_t value;
    bool has_written;
    uint64_t written;
};

struct moment { /* what is open after a record */
    struct round rounds[KEYS];
};

struct model {
    struct moment moments[MOST_RECORDS + 1];
    size_t count; /* of records */
};

static uint64_t baseline_before(const struct model *model, size_t key)
{
    return model->moments[model->count].rounds[key].value;
}

static void take_record(struct model *model, enum jl_journal_op op, size_t key, uint64_t value)
{
    struct moment next = model->moments[model->count];
    struct round *round = &next.rounds[key];
    if (op == JL_JOURNAL_BASELINE)
        *round = (struct round){ true, value, false, 0 };
    else if (op == JL_JOURNAL_WRITE)
        *round = (struct round){ true, round->value, true, value };
    else
        *round = (struct round){ 0 };
    assert_true(model->count < MOST_RECORDS);
    model->moments[++model->count] = next;
}

/* ---- the world ---- */

struct world {
    struct fk *fk;
    int folder_fd;
    struct jl_journal_file *file;
    struct model model;
    size_t acknowledged; /* records whose append returned 0 */
    size_t durable;      /* records that power loss may not take */
    size_t asked;
    struct joulie_error err;
};

static void open_folder(struct world *world)
{
    world->folder_fd = fk_open_folder(world->fk, STATE);
    assert_true(world->folder_fd >= 0);
}

static int set_up(void **state)
{
    struct world *world = test_calloc(1, sizeof *world);
    *state = world;
    world->err = (struct joulie_error){ .struct_size = sizeof world->err };
    return 0;
}

static void start_world(struct world *world)
{
    world->fk = fk_load_host("vm-none");
    assert_int_equal(fk_write_text(world->fk, STATE "/README", ""), 0); /* makes the folder */
    open_folder(world);
    world->model = (struct model){ 0 };
    world->acknowledged = world->durable = world->asked = 0;
}

static void end_world(struct world *world)
{
    jl_journal_close(world->file);
    fk_free(world->fk);
    world->file = NULL;
    world->fk = NULL;
}

static int tear_down(void **state)
{
    struct world *world = *state;
    end_world(world);
    test_free(world);
    return 0;
}

static int try_open(struct world *world, const char *boot_id, bool is_writer,
                    struct jl_journal_file **out)
{
    const struct jl_journal_setup setup = { .os = fk_os(world->fk),
                                            .folder_fd = world->folder_fd,
                                            .boot_id = boot_id,
                                            .is_writer = is_writer,
                                            .pid = 1,
                                            .uid = jl_os_uid() };
    return jl_journal_open(&setup, out, &world->err);
}

static void open_writer(struct world *world, const char *boot_id)
{
    if (try_open(world, boot_id, true, &world->file) != 0)
        fail_msg("%s: %s", world->err.where, world->err.message);
}

static void close_writer(struct world *world)
{
    jl_journal_close(world->file);
    world->file = NULL;
}

static void fault(struct world *world, const char *line)
{
    if (fk_fault(world->fk, line) != 0)
        fail_msg("%s", fk_message(world->fk));
}

/* The code of the act; the model learns what was asked for. */
static int perform(struct world *world, const struct act *act)
{
    struct jl_journal_record records[JL_COUNT(act->records)] = { 0 };
    bool is_synced = false;
    if (act->deed == COMPACT)
        return jl_journal_compact(world->file, &world->err);
    if (act->deed == PUT_AWAY)
        return jl_journal_put_others_away(world->file, &world->err);
    for (size_t i = 0; i < act->count; i++) {
        records[i] = (struct jl_journal_record){
            .op = act->records[i].op,
            .key = keys[act->records[i].key],
            .value = act->records[i].value,
            .baseline = baseline_before(&world->model, act->records[i].key),
            .owner = "api",
            .at_ms = NOON_MS,
        };
        is_synced = is_synced || records[i].op == JL_JOURNAL_BASELINE;
        take_record(&world->model, act->records[i].op, act->records[i].key, act->records[i].value);
    }
    world->asked = world->model.count;
    const int rc = jl_journal_append(world->file, records, act->count, is_synced, &world->err);
    if (rc == 0) {
        world->acknowledged = world->asked;
        world->durable = is_synced ? world->acknowledged : world->durable;
    }
    return rc;
}

/* After a refusal nothing of it counts. */
static void forget(struct world *world)
{
    world->model.count = world->asked = world->acknowledged;
}

static bool is_moment(const struct jl_journal *journal, const struct moment *moment)
{
    size_t at = 0;
    for (size_t key = 0; key < KEYS; key++) {
        const struct round *round = &moment->rounds[key];
        if (!round->is_open)
            continue;
        if (at == journal->open_count)
            return false;
        const struct jl_journal_entry *entry = &journal->open[at++];
        if (!jl_same(entry->key, keys[key]) || entry->value != round->value ||
            entry->has_written != round->has_written ||
            (round->has_written && entry->written != round->written))
            return false;
    }
    return at == journal->open_count;
}

/* The record after which it said so, at least first. */
static size_t moment_of(const struct world *world, const struct jl_journal *journal, size_t first)
{
    for (size_t i = first; i <= world->asked; i++) {
        if (is_moment(journal, &world->model.moments[i]))
            return i;
    }
    fail_msg("%zu keys are open after no record from %zu to %zu", journal->open_count, first,
             world->asked);
    return 0;
}

static void assert_acknowledged(const struct world *world)
{
    assert_true(is_moment(jl_journal_now(world->file), &world->model.moments[world->acknowledged]));
}

/* What any other process reads. */
static size_t moment_on_disk(struct world *world, size_t first)
{
    struct jl_journal_file *reader = NULL;
    assert_int_equal(try_open(world, "now", false, &reader), 0);
    const size_t moment = moment_of(world, jl_journal_now(reader), first);
    jl_journal_close(reader);
    return moment;
}

/* ---- processes that die ---- */

/* Acts until the process is stopped before its n-th call; whether it was. */
static bool live_until(struct world *world, uint64_t n)
{
    int rc = 0;
    fk_stop_at(world->fk, n, NULL, NULL);
    if (try_open(world, "now", true, &world->file) == 0) {
        for (size_t i = 0; rc == 0 && i < ACTS; i++)
            rc = perform(world, &story[i]);
    }
    const bool is_stopped = fk_is_stopped(world->fk);
    assert_true(rc == 0 || (rc == JOULIE_E_IO && is_stopped));
    close_writer(world); /* memory only: its calls fail too */
    return is_stopped;
}

/* A writer that starts after the end can go on from any moment. */
static void go_on(struct world *world, size_t moment)
{
    const struct jl_journal_record more = {
        .op = JL_JOURNAL_BASELINE, .key = "cpufreq/policy0/max", .value = 7, .at_ms = NOON_MS
    };
    struct jl_journal_file *reader = NULL;
    assert_int_equal(jl_journal_append(world->file, &more, 1, true, &world->err), 0);
    assert_int_equal(try_open(world, "now", false, &reader), 0);
    const struct jl_journal_entry *entry = jl_journal_entry_of(jl_journal_now(reader), more.key);
    assert_non_null(entry);
    assert_true(entry->value == 7);
    struct jl_journal rest = *jl_journal_now(reader);
    rest.open_count--; /* cpufreq comes last */
    assert_true(is_moment(&rest, &world->model.moments[moment]));
    jl_journal_close(reader);
}

static void a_process_may_die_before_any_call(void **state)
{
    struct world *world = *state;
    bool is_stopped = true;
    uint64_t n = 1;
    for (; is_stopped; n++) {
        start_world(world);
        is_stopped = live_until(world, n);
        fk_reboot_process(world->fk);
        open_folder(world);
        open_writer(world, "now");
        const size_t moment = moment_of(world, jl_journal_now(world->file), world->acknowledged);
        go_on(world, moment);
        end_world(world);
    }
    assert_true(n > 30);
}

static void lose_power_at(struct world *world, uint64_t n, size_t kept_bytes, bool *is_stopped)
{
    start_world(world);
    *is_stopped = live_until(world, n);
    fk_power_loss(world->fk, kept_bytes);
    open_folder(world);
}

static void the_power_may_fail_before_any_call(void **state)
{
    static const size_t kept[] = { 0, 1, 40, 150, 400, ALL_BYTES };
    struct world *world = *state;
    for (size_t i = 0; i < JL_COUNT(kept); i++) {
        bool is_stopped = true;
        for (uint64_t n = 1; is_stopped; n++) {
            lose_power_at(world, n, kept[i], &is_stopped);
            open_writer(world, "now"); /* resumed from hibernation */
            const size_t moment = moment_of(world, jl_journal_now(world->file), world->durable);
            go_on(world, moment);
            end_world(world);
        }
    }
}

static void after_a_kexec_open_keys_are_offered_wherever_it_came(void **state)
{
    struct world *world = *state;
    bool is_stopped = true;
    for (uint64_t n = 1; is_stopped; n++) {
        lose_power_at(world, n, 0, &is_stopped);
        open_writer(world, "next");
        assert_int_equal(jl_journal_now(world->file)->open_count, 0);
        (void)moment_of(world, jl_journal_others(world->file), world->durable);
        end_world(world);
    }
}

/* ---- replacing a long journal ---- */

/* Past 1 MiB in a few calls: two closed rounds of an owner with a long name. */
static void make_long(struct world *world)
{
    char *owner = test_calloc(LONG_OWNER_BYTES + 1, 1);
    const struct jl_journal_record records[] = {
        { .op = JL_JOURNAL_BASELINE, .key = keys[GPU], .owner = owner, .at_ms = NOON_MS },
        { .op = JL_JOURNAL_RESTORED, .key = keys[GPU], .at_ms = NOON_MS },
    };
    memset(owner, 'a', LONG_OWNER_BYTES);
    assert_int_equal(perform(world, &story[0]), 0);
    assert_int_equal(perform(world, &story[1]), 0);
    for (int round = 0; round < 2; round++)
        assert_int_equal(jl_journal_append(world->file, records, 2, true, &world->err), 0);
    world->durable = world->acknowledged;
    test_free(owner);
}

static void a_replacement_may_be_cut_off_before_any_call(void **state)
{
    static const struct act acts[] = {
        { COMPACT, 0, { { 0 } } },
        { APPEND, 1, { { JL_JOURNAL_BASELINE, GPU, 700 } } },
        { APPEND, 1, { { JL_JOURNAL_WRITE, GPU, 400 } } },
    };
    struct world *world = *state;
    for (int is_process_only = 0; is_process_only < 2; is_process_only++) {
        bool is_stopped = true;
        uint64_t n = 1;
        for (; is_stopped; n++) {
            int rc = 0;
            start_world(world);
            open_writer(world, "now");
            make_long(world);
            fk_stop_at(world->fk, n, NULL, NULL);
            for (size_t i = 0; rc == 0 && i < JL_COUNT(acts); i++)
                rc = perform(world, &acts[i]);
            is_stopped = fk_is_stopped(world->fk);
            close_writer(world);
            if (is_process_only)
                fk_reboot_process(world->fk);
            else
                fk_power_loss(world->fk, 0);
            open_folder(world);
            open_writer(world, "now");
            const size_t moment = moment_of(world, jl_journal_now(world->file),
                                            is_process_only ? world->acknowledged : world->durable);
            go_on(world, moment);
            assert_true(is_stopped || strlen(fk_text(world->fk, JOURNAL)) < 2000);
            end_world(world);
        }
        assert_true(n > 8);
    }
}

/* ---- disks that fail ---- */

/* Acts the story once more from the act that was refused, now on a good disk. */
static void finish(struct world *world, size_t act)
{
    fault(world, "clear");
    for (; act < ACTS; act++) {
        if (perform(world, &story[act]) != 0)
            fail_msg("act %zu: %s: %s", act, world->err.where, world->err.message);
    }
    assert_acknowledged(world);
    assert_int_equal(moment_on_disk(world, world->acknowledged), world->acknowledged);
}

/* Performs the story until an act is refused, whose records must then count for nothing. */
static size_t act_until_refused(struct world *world)
{
    size_t act = 0;
    while (act < ACTS && perform(world, &story[act]) == 0)
        act++;
    if (act < ACTS) {
        assert_int_equal(world->err.code, JOULIE_E_IO);
        assert_true(world->err.sys_errno != 0);
        assert_acknowledged(world);
    }
    return act;
}

static void a_disk_may_fill_up_at_any_byte(void **state)
{
    struct world *world = *state;
    size_t act = 0;
    for (unsigned bytes = 0; act < ACTS; bytes++) {
        char line[64];
        start_world(world);
        open_writer(world, "now");
        snprintf(line, sizeof line, "space %u", bytes);
        fault(world, line);
        act = act_until_refused(world);
        forget(world);
        assert_int_equal(moment_on_disk(world, world->acknowledged), world->acknowledged);
        finish(world, act);
        end_world(world);
    }
}

/* A process that is refused and dies leaves a journal that can be read and written again. */
static void a_writer_may_die_on_a_full_disk(void **state)
{
    struct world *world = *state;
    size_t act = 0;
    for (unsigned bytes = 0; act < ACTS; bytes += 7) {
        char line[64];
        start_world(world);
        open_writer(world, "now");
        snprintf(line, sizeof line, "space %u", bytes);
        fault(world, line);
        act = act_until_refused(world);
        close_writer(world);
        fk_reboot_process(world->fk);
        open_folder(world);
        if (try_open(world, "now", true, &world->file) == 0) /* the disk is still full */
            (void)moment_of(world, jl_journal_now(world->file), world->acknowledged);
        close_writer(world);
        fault(world, "clear");
        open_writer(world, "now");
        go_on(world, moment_of(world, jl_journal_now(world->file), world->acknowledged));
        end_world(world);
    }
}

static const char *const faults[] = {
    "sync " STATE " EIO 1",
    "sync " JOURNAL "* EIO 1",
    "write " JOURNAL "* EIO 1",
    "write " JOURNAL "* ENOSPC 1",
    "short " JOURNAL "* 1 1",
    "short " JOURNAL "* 10 1",
    "short " JOURNAL "* 200 1",
    "open " JOURNAL "* EACCES 1",
    "open " JOURNAL "* EMFILE 1",
    "stat " STATE "* EIO 1",
    "rename * EIO 1",
    "rename * ENOSPC 1",
    "readonly " STATE "*",
};

/* Each fault during each act, alone and with a truncate that fails too. */
static void any_call_may_fail_and_the_next_one_mends_it(void **state)
{
    struct world *world = *state;
    size_t refused = 0;
    for (size_t i = 0; i < 2 * JL_COUNT(faults); i++) {
        for (size_t at = 0; at < ACTS; at++) {
            start_world(world);
            open_writer(world, "now");
            for (size_t act = 0; act < at; act++)
                assert_int_equal(perform(world, &story[act]), 0);
            fault(world, faults[i / 2]);
            if (i % 2 != 0)
                fault(world, "truncate * EIO");
            size_t next = at + 1;
            if (perform(world, &story[at]) != 0) {
                next = at;
                refused++;
                assert_acknowledged(world);
                assert_null(fk_text(world->fk, JOURNAL ".new"));
                (void)moment_on_disk(world, world->acknowledged);
                forget(world);
            }
            finish(world, next);
            end_world(world);
        }
    }
    assert_true(refused > 100);
}

static uint64_t inode_of(const struct world *world, const char *name)
{
    const struct jl_os os = fk_os(world->fk);
    struct jl_os_file found;
    assert_int_equal(os.stat(os.user, world->folder_fd, name, &found), 0);
    return found.inode;
}

/* A kernel drops the pages that it could not write, and calls the file clean. */
static void after_a_failed_sync_the_journal_is_written_anew(void **state)
{
    struct world *world = *state;
    start_world(world);
    open_writer(world, "now");
    assert_int_equal(perform(world, &story[0]), 0);
    assert_int_equal(perform(world, &story[1]), 0);
    const uint64_t inode = inode_of(world, "caps-now");
    fault(world, "sync " JOURNAL " EIO 1");
    assert_int_equal(perform(world, &story[2]), JOULIE_E_IO);
    forget(world);
    assert_true(inode_of(world, "caps-now") == inode);
    assert_int_equal(perform(world, &story[2]), 0);
    assert_true(inode_of(world, "caps-now") != inode);
    finish(world, 3);
}

static void what_is_left_of_a_failed_replacement_is_in_nobodys_way(void **state)
{
    struct world *world = *state;
    start_world(world);
    open_writer(world, "now");
    for (size_t act = 0; story[act].deed != COMPACT; act++)
        assert_int_equal(perform(world, &story[act]), 0);
    fault(world, "rename * EIO 1");
    fault(world, "unlink * EIO 1");
    const struct act compact = { .deed = COMPACT };
    assert_int_equal(perform(world, &compact), JOULIE_E_IO);
    assert_non_null(fk_text(world->fk, JOURNAL ".new"));
    assert_int_equal(perform(world, &compact), 0);
    assert_null(fk_text(world->fk, JOURNAL ".new"));
    assert_string_equal(fk_text(world->fk, JOURNAL), "joulie-journal 2\n");
}

static void a_read_only_disk_takes_no_record_and_reports_what_is_open(void **state)
{
    struct world *world = *state;
    start_world(world);
    open_writer(world, "now");
    assert_int_equal(perform(world, &story[0]), 0);
    close_writer(world);
    fault(world, "readonly " STATE "*");
    open_writer(world, "now");
    assert_acknowledged(world);
    assert_int_equal(perform(world, &story[1]), JOULIE_E_IO);
    assert_int_equal(world->err.sys_errno, EROFS);
    assert_int_equal(moment_on_disk(world, 1), 1);
    fault(world, "clear");
    assert_int_equal(perform(world, &story[1]), 0);
    assert_acknowledged(world);
}

static void a_folder_that_cannot_be_read_is_an_error(void **state)
{
    static const char *const lines[] = {
        "open " JOURNAL " EACCES",
        "open " STATE "/writer.lock EACCES",
        "read " JOURNAL " EIO",
        "list " STATE " EIO",
        "lock * EIO",
        "stat " JOURNAL " EIO",
    };
    struct world *world = *state;
    start_world(world);
    open_writer(world, "now");
    assert_int_equal(perform(world, &story[0]), 0);
    close_writer(world);
    for (size_t i = 0; i < JL_COUNT(lines); i++) {
        fault(world, lines[i]);
        if (try_open(world, "now", true, &world->file) != JOULIE_E_IO)
            fail_msg("opened: %s", lines[i]);
        assert_null(world->file);
        fault(world, "clear");
    }
    open_writer(world, "now"); /* nothing of them stays: no lock, no descriptor */
    assert_acknowledged(world);
}

/* ---- other boots ---- */

static void leave_other(struct world *world)
{
    start_world(world);
    open_writer(world, "before");
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(perform(world, &story[i]), 0);
    assert_int_equal(jl_journal_append(world->file, NULL, 0, true, &world->err), 0);
    close_writer(world);
}

/* What a controller does with what it finds: takes over one key, then puts all away. */
static int take_over(struct world *world)
{
    struct jl_journal_file *file = NULL;
    int rc = try_open(world, "now", true, &file);
    world->file = file;
    if (rc < 0)
        return rc;
    const struct jl_journal_entry *entry =
        jl_journal_entry_of(jl_journal_others(file), keys[PACKAGE_0]);
    if (entry != NULL && jl_journal_find(file, keys[PACKAGE_0]) == NULL) {
        const struct jl_journal_record record = {
            .op = JL_JOURNAL_BASELINE, .key = entry->key, .value = entry->value, .at_ms = NOON_MS
        };
        rc = jl_journal_append(file, &record, 1, true, &world->err);
    }
    return rc < 0 ? rc : jl_journal_put_others_away(file, &world->err);
}

static void a_key_of_another_boot_is_offered_or_taken_over_wherever_a_crash_comes(void **state)
{
    struct world *world = *state;
    for (int is_process_only = 0; is_process_only < 2; is_process_only++) {
        bool is_stopped = true;
        uint64_t n = 1;
        for (; is_stopped; n++) {
            leave_other(world);
            fk_stop_at(world->fk, n, NULL, NULL);
            (void)take_over(world);
            is_stopped = fk_is_stopped(world->fk);
            close_writer(world);
            if (is_process_only)
                fk_reboot_process(world->fk);
            else
                fk_power_loss(world->fk, 0);
            open_folder(world);
            const bool is_here = fk_text(world->fk, OTHER_JOURNAL) != NULL;
            const bool is_old = fk_text(world->fk, OLD_JOURNAL) != NULL;
            assert_true(is_here || is_old);
            open_writer(world, "now");
            const struct jl_journal_entry *own = jl_journal_find(world->file, keys[PACKAGE_0]);
            const struct jl_journal_entry *other =
                jl_journal_entry_of(jl_journal_others(world->file), keys[PACKAGE_0]);
            assert_true(own != NULL || other != NULL);
            assert_true(own == NULL || own->value == 205);
            assert_true(other == NULL || (other->value == 205 && other->written == 120));
            close_writer(world);
            assert_int_equal(take_over(world), 0);
            if (!is_here || !is_old) { /* of two names the fake kernel would take the wrong one */
                assert_null(fk_text(world->fk, OTHER_JOURNAL));
                assert_non_null(fk_text(world->fk, OLD_JOURNAL));
            }
            end_world(world);
        }
        assert_true(n > 15);
    }
}

static void a_journal_that_cannot_be_moved_or_read_stays(void **state)
{
    static const char *const moving[] = {
        "rename * EIO",       "mkdir * ENOSPC",          "sync " STATE "/old EIO",
        "sync " STATE " EIO", "stat " STATE "/old* EIO", "open " STATE "/old EACCES",
    };
    struct world *world = *state;
    for (size_t i = 0; i < JL_COUNT(moving); i++) {
        leave_other(world);
        open_writer(world, "now");
        fault(world, moving[i]);
        assert_int_equal(jl_journal_put_others_away(world->file, &world->err), JOULIE_E_IO);
        assert_true(jl_journal_others(world->file)->open_count == 3);
        fault(world, "clear");
        assert_int_equal(jl_journal_put_others_away(world->file, &world->err), 0);
        assert_non_null(fk_text(world->fk, OLD_JOURNAL));
        end_world(world);
    }
    leave_other(world);
    fault(world, "read " OTHER_JOURNAL " EIO");
    open_writer(world, "now");
    assert_int_equal(jl_journal_others(world->file)->open_count, 0);
    assert_int_equal(jl_journal_put_others_away(world->file, &world->err), 0);
    assert_non_null(fk_text(world->fk, OTHER_JOURNAL));
}

/* ---- two writers ---- */

static void the_lock_of_a_dead_writer_is_free(void **state)
{
    struct world *world = *state;
    struct jl_journal_file *second = NULL;
    start_world(world);
    open_writer(world, "now");
    assert_int_equal(perform(world, &story[0]), 0);
    assert_int_equal(try_open(world, "now", true, &second), JOULIE_E_CONFLICT);
    assert_non_null(strstr(world->err.message, "process 1 "));
    close_writer(world);
    fk_reboot_process(world->fk);
    open_folder(world);
    open_writer(world, "now");
    assert_acknowledged(world);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_process_may_die_before_any_call),
        TEST(the_power_may_fail_before_any_call),
        TEST(after_a_kexec_open_keys_are_offered_wherever_it_came),
        TEST(a_replacement_may_be_cut_off_before_any_call),
        TEST(a_disk_may_fill_up_at_any_byte),
        TEST(a_writer_may_die_on_a_full_disk),
        TEST(any_call_may_fail_and_the_next_one_mends_it),
        TEST(after_a_failed_sync_the_journal_is_written_anew),
        TEST(what_is_left_of_a_failed_replacement_is_in_nobodys_way),
        TEST(a_read_only_disk_takes_no_record_and_reports_what_is_open),
        TEST(a_folder_that_cannot_be_read_is_an_error),
        TEST(a_key_of_another_boot_is_offered_or_taken_over_wherever_a_crash_comes),
        TEST(a_journal_that_cannot_be_moved_or_read_stays),
        TEST(the_lock_of_a_dead_writer_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
