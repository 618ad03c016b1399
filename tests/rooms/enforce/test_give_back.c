/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Finding a control by its key and giving back without a host (docs/rules/enforcement.md#rescue),
 * over the fake kernel and its faults.
 */

#include <stdio.h>
#include <string.h>

#include "enforce/give_back.h"
#include "enforce/host.h"
#include "enforce/rig.h"
#include "fakehost/hosts.h"

#define STATE "var/lib/joulie"
#define KEY_0 "rapl/package-0/long_term"
#define KEY_1 "rapl/package-1/long_term"
#define NOON_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define FOUND UINT64_C(205000000)
#define CAP UINT64_C(120000000)

/* ---- the same control as a host has ---- */

static void assert_same_fact(const struct jl_fact *a, const struct jl_fact *b)
{
    assert_int_equal(a->code, b->code);
    assert_true(a->value == b->value);
}

static void assert_same_files(const struct jl_root *root, const struct jl_control_file *of_host)
{
    struct jl_arena arena = { 0 };
    struct jl_control_file file;
    if (jl_control_file_find(root, of_host->key, &arena, &file) != 0)
        fail_msg("%s is not found", of_host->key);
    assert_int_equal(file.kind, of_host->kind);
    assert_string_equal(file.key, of_host->key);
    assert_string_equal(file.folder, of_host->folder);
    assert_string_equal(file.path, of_host->path);
    assert_true(jl_same(file.zone_name, of_host->zone_name));
    assert_true(file.unit == of_host->unit);
    assert_same_fact(&file.max, &of_host->max);
    assert_same_fact(&file.zone_max, &of_host->zone_max);
    assert_true(file.range.min_khz == of_host->range.min_khz);
    assert_true(file.range.max_khz == of_host->range.max_khz);
    jl_arena_clear(&arena);
}

static void every_control_of_every_machine_is_found_as_a_host_finds_it(void **state)
{
    static const char *const hosts[] = { "intel-2s", "psys-middle", "swapped",    "multi-die",
                                         "hex-id",   "client",      "mmio-twin",  "percent",
                                         "amd-epyc", "amd-unknown", "amd-pstate", "no-enable" };
    (void)state;
    size_t limits = 0;
    size_t frequencies = 0;
    for (size_t i = 0; i < JL_COUNT(hosts); i++) {
        struct rig rig = rig_new(hosts[i]);
        rig_open(&rig);
        for (size_t k = 0; k < rig.host->control_count; k++) {
            const struct jl_control_file *file = &rig.host->controls[k].file;
            assert_same_files(&rig.host->root, file);
            limits += jl_is_limit_kind(file->kind);
            frequencies += !jl_is_limit_kind(file->kind);
        }
        rig_free(&rig);
    }
    assert_true(limits >= 30 && frequencies >= 30);
}

/* ---- giving back ---- */

struct world {
    struct fk *fk;
    struct jl_root root;
    struct jl_arena memory;
    struct jl_arena control;
    struct jl_control_file file;
    struct jl_journal_file *journal;
    int state_fd;
    char said[512]; /* KEY WORD, … */
};

static struct jl_control_file *find(void *user, const char *key)
{
    struct world *world = user;
    jl_control_file_close(&world->root, &world->file);
    jl_arena_reset(&world->control);
    if (jl_control_file_find(&world->root, key, &world->control, &world->file) != 0)
        return NULL;
    jl_control_file_read(&world->root, &world->file, true);
    return &world->file;
}

static void tell(void *user, const struct jl_gift *gift)
{
    struct world *world = user;
    const size_t len = strlen(world->said);
    const char *word = gift->file == NULL ? "absent"
                       : gift->is_tried   ? jl_wrote_word(gift->wrote)
                                          : "back";
    snprintf(world->said + len, sizeof world->said - len, "%s%s %s", len > 0 ? ", " : "",
             gift->entry->key, word);
}

static void open_journal(struct world *world)
{
    const struct jl_journal_setup setup = { .os = world->root.os,
                                            .folder_fd = world->state_fd,
                                            .boot_id = "now",
                                            .is_writer = true,
                                            .uid = jl_os_uid() };
    assert_int_equal(jl_journal_open(&setup, &world->journal, NULL), 0);
}

static struct world capped(void)
{
    struct world world = { .fk = fk_load_host("intel-2s"),
                           .file = jl_control_file_new(JL_CONTROL_LONG) };
    const struct jl_journal_record records[] = {
        { .op = JL_JOURNAL_BASELINE, .key = KEY_0, .value = FOUND, .at_ms = NOON_MS },
        { .op = JL_JOURNAL_BASELINE, .key = KEY_1, .value = FOUND, .at_ms = NOON_MS },
        { .op = JL_JOURNAL_WRITE, .key = KEY_0, .value = CAP, .baseline = FOUND, .at_ms = NOON_MS },
        { .op = JL_JOURNAL_WRITE, .key = KEY_1, .value = CAP, .baseline = FOUND, .at_ms = NOON_MS },
    };
    world.root = fk_root(world.fk);
    world.state_fd = jl_journal_make_folder(&world.root, NULL);
    assert_true(world.state_fd >= 0);
    open_journal(&world);
    assert_int_equal(jl_journal_append(world.journal, records, JL_COUNT(records), true, NULL), 0);
    fk_write_text(world.fk, LIMIT_0, "120000000\n");
    fk_write_text(world.fk, LIMIT_1, "120000000\n");
    return world;
}

static size_t give(struct world *world, struct joulie_error *err)
{
    const struct jl_give_back how = {
        .root = &world->root,
        .journal = world->journal,
        .memory = &world->memory,
        .user = world,
        .find = find,
        .tell = tell,
    };
    world->said[0] = '\0';
    return jl_give_back(&how, jl_journal_now(world->journal), NOON_MS, err);
}

static void end(struct world *world)
{
    jl_control_file_close(&world->root, &world->file);
    jl_journal_close(world->journal);
    jl_arena_clear(&world->memory);
    jl_arena_clear(&world->control);
    fk_free(world->fk);
}

static void must_be_back(struct world *world)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    assert_int_equal(give(world, &err), 0);
    assert_true(fk_number(world->fk, LIMIT_0) == FOUND && fk_number(world->fk, LIMIT_1) == FOUND);
    assert_int_equal(jl_journal_now(world->journal)->open_count, 0);
}

static void both_limits_go_back_in_order_and_the_journal_is_closed(void **state)
{
    (void)state;
    struct world world = capped();
    must_be_back(&world);
    assert_string_equal(world.said, KEY_0 " verified, " KEY_1 " verified");
    assert_string_equal(fk_text(world.fk, STATE "/caps-now"), "joulie-journal 2\n");
    end(&world);
}

static void what_a_kernel_refuses_once_goes_back_with_the_next_attempt(void **state)
{
    static const struct {
        const char *fault;
        const char *word;
    } cases[] = {
        { "write " LIMIT_0 " EIO 1", "failed" },  { "write " LIMIT_0 " EBUSY 1", "refused" },
        { "write " LIMIT_0 " ENODEV 1", "lost" }, { "write " LIMIT_0 " EPERM 1", "denied" },
        { "ignore " LIMIT_0 " 1", "disagrees" },  { "open " LIMIT_0 " EROFS 1", "denied" },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(cases); i++) {
        struct world world = capped();
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        char expected[128];
        if (fk_fault(world.fk, cases[i].fault) != 0)
            fail_msg("%s: %s", cases[i].fault, fk_message(world.fk));
        snprintf(expected, sizeof expected, "%s %s, %s verified", KEY_0, cases[i].word, KEY_1);
        assert_int_equal(give(&world, &err), 1);
        assert_string_equal(world.said, expected);
        assert_int_equal(err.code, 0);
        assert_int_equal(jl_journal_now(world.journal)->open_count, 1);
        assert_string_equal(jl_journal_now(world.journal)->open[0].key, KEY_0);
        must_be_back(&world);
        assert_string_equal(world.said, KEY_0 " verified");
        end(&world);
    }
}

static void a_zone_that_goes_and_comes_back_elsewhere_is_given_back_there(void **state)
{
    (void)state;
    struct world world = capped();
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    assert_int_equal(fk_fault(world.fk, "vanish " RAPL "intel-rapl:0"), 0);
    assert_int_equal(give(&world, &err), 1);
    assert_string_equal(world.said, KEY_0 " absent, " KEY_1 " verified");
    assert_int_equal(fk_fault(world.fk, "return " RAPL "intel-rapl:0 intel-rapl:6"), 0);
    assert_int_equal(give(&world, &err), 0);
    assert_true(fk_number(world.fk, RAPL "intel-rapl:6/constraint_0_power_limit_uw") == FOUND);
    end(&world);
}

static void a_journal_that_takes_nothing_leaves_no_cap_and_stays_open(void **state)
{
    static const char *const faults[] = {
        "sync " STATE "/caps* EIO",
        "write " STATE "/caps* ENOSPC",
        "short " STATE "/caps* 7",
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(faults); i++) {
        struct world world = capped();
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        assert_int_equal(fk_fault(world.fk, faults[i]), 0);
        assert_int_equal(give(&world, &err), 2);
        assert_int_equal(err.code, JOULIE_E_IO);
        assert_true(fk_number(world.fk, LIMIT_0) == FOUND && fk_number(world.fk, LIMIT_1) == FOUND);
        assert_int_equal(jl_journal_now(world.journal)->open_count, 2);
        assert_int_equal(fk_fault(world.fk, "clear"), 0);
        const uint64_t writes = fk_writes(world.fk, ALL_LIMITS);
        must_be_back(&world);
        assert_string_equal(world.said, KEY_0 " back, " KEY_1 " back");
        assert_true(fk_writes(world.fk, ALL_LIMITS) == writes);
        end(&world);
    }
}

/* The process ends before each of its calls; the next one gives everything back. */
static void killed_before_any_call_it_can_be_run_again(void **state)
{
    (void)state;
    bool was_stopped = true;
    uint64_t call = 1;
    for (; was_stopped; call++) {
        struct world world = capped();
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        fk_stop_at(world.fk, call, NULL, NULL);
        (void)give(&world, &err);
        was_stopped = fk_is_stopped(world.fk);
        fk_reboot_process(world.fk);
        world.file = jl_control_file_new(JL_CONTROL_LONG); /* its descriptors are gone */
        jl_journal_close(world.journal);
        world.root = fk_root(world.fk);
        world.state_fd = jl_journal_open_folder(&world.root, NULL);
        open_journal(&world);
        must_be_back(&world);
        end(&world);
    }
    assert_true(call > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_control_of_every_machine_is_found_as_a_host_finds_it),
        cmocka_unit_test(both_limits_go_back_in_order_and_the_journal_is_closed),
        cmocka_unit_test(what_a_kernel_refuses_once_goes_back_with_the_next_attempt),
        cmocka_unit_test(a_zone_that_goes_and_comes_back_elsewhere_is_given_back_there),
        cmocka_unit_test(a_journal_that_takes_nothing_leaves_no_cap_and_stays_open),
        cmocka_unit_test(killed_before_any_call_it_can_be_run_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
