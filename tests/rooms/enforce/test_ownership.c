/* SPDX-License-Identifier: Apache-2.0 */

/* Whoever caps owns the way back: no journal, no write; after every crash each control is original
 * or under a cap that is asked for now (docs/rules/enforcement.md#restore). */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/rig.h"

#define ORIGINAL UINT64_C(205000000)
#define STATE "var/lib/joulie"
#define BOOT_ID "proc/sys/kernel/random/boot_id"
#define OTHER_BOOT "0b5c7d1e-6f44-4d8a-9a51-3f1f6d5f0c42"
#define UPDATED "2023-11-14T22:13:20Z" /* the rig's time 0 */

/* ---- no journal, no write ---- */

static struct rig starved(const char *fault)
{
    struct rig rig = rig_new("intel-2s");
    rig_fault(&rig, fault);
    return rig;
}

/* Opens and claims as far as the state folder lets it, then one tick under a cap. */
static bool try_to_cap(struct rig *rig)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    assert_int_equal(rig_try_open(rig, &err), 0);
    const bool is_ours = rig_try_claim(rig, &err) == 0;
    if (!is_ours)
        assert_int_equal(err.code, JOULIE_E_IO);
    rig_cap_w(rig, 120);
    rig_tick(rig);
    return is_ours;
}

static void must_be_given_back(struct rig *rig)
{
    rig_close(rig);
    fk_reboot_process(rig->fk);
    rig_fault(rig, "clear");
    rig_open(rig);
    assert_int_equal(rig_restore(rig), 0);
    assert_number(rig, LIMIT_0, ORIGINAL);
    assert_number(rig, LIMIT_1, ORIGINAL);
    assert_int_equal(rig_open_keys(rig), 0);
}

static void a_disk_that_is_full_after_any_byte_means_no_write_or_a_whole_baseline(void **state)
{
    (void)state;
    bool was_capped = false;
    for (int bytes = 0; !was_capped; bytes++) {
        char fault[64];
        snprintf(fault, sizeof fault, "space %d", bytes);
        struct rig rig = starved(fault);
        try_to_cap(&rig);
        was_capped = fk_number(rig.fk, LIMIT_0) != ORIGINAL;
        if (was_capped)
            assert_int_equal(rig_open_keys(&rig), 2);
        else
            assert_word(&rig, "cpu.result", "error");
        assert_int_equal(fk_number(rig.fk, LIMIT_1) != ORIGINAL, was_capped);
        must_be_given_back(&rig);
        rig_free(&rig);
        assert_true(bytes < 4000);
    }
}

static void a_journal_that_cannot_be_synced_means_no_write(void **state)
{
    (void)state;
    static const char *const faults[] = {
        "sync " STATE "/caps* EIO",  "sync " STATE " EIO",      "open " STATE "/caps* EROFS",
        "write " STATE "/caps* EIO", "short " STATE "/caps* 7", "write " STATE "/caps* ENOSPC",
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct rig rig = starved(faults[i]);
        try_to_cap(&rig);
        assert_int_equal(fk_writes(rig.fk, ALL_LIMITS), 0);
        assert_word(&rig, "cpu.result", "error");
        must_be_given_back(&rig);
        rig_free(&rig);
    }
}

static void a_state_folder_that_is_read_only_means_no_write(void **state)
{
    (void)state;
    struct rig rig = starved("readonly var/lib*");
    assert_false(try_to_cap(&rig));
    assert_int_equal(fk_writes(rig.fk, ALL_LIMITS), 0);
    must_be_given_back(&rig);
    rig_free(&rig);
}

static void observing_writes_nothing_at_all(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    rig.options.enforces = 0;
    assert_int_equal(rig_try_open(&rig, &err), 0);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 5);

    assert_word(&rig, "cpu.backend", "none");
    assert_word(&rig, "cpu.result", "none");
    assert_int_equal(fk_counts(rig.fk).writes, 0);
    assert_int_equal(fk_writes(rig.fk, "*"), 0);
    rig_free(&rig);
}

static void without_a_claim_nothing_is_written(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    assert_int_equal(rig_try_open(&rig, &err), 0);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 2);

    assert_int_equal(fk_writes(rig.fk, "*"), 0);
    rig_free(&rig);
}

static void the_second_of_two_is_refused(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    struct rig second = { .fk = rig.fk, .options = rig.options };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    assert_int_equal(rig_try_open(&second, &err), 0);
    assert_int_equal(rig_try_claim(&second, &err), JOULIE_E_CONFLICT);
    joulie_host_free(second.host);
    rig_free(&rig);
}

static void a_steady_tick_of_two_sockets_makes_few_calls(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 10);
    const struct jl_os_counts before = fk_counts(rig.fk);

    rig_pass_s(&rig, 60);

    const struct jl_os_counts after = fk_counts(rig.fk);
    assert_in_range(after.calls - before.calls, 1, 60 * 12);
    assert_int_equal(after.writes, before.writes);
    assert_int_equal(after.syncs, before.syncs);
    rig_free(&rig);
}

static void a_read_only_disk_does_not_keep_a_cap_from_being_given_back(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    rig_close(&rig);
    fk_reboot_process(rig.fk);
    rig_fault(&rig, "readonly var/lib*");

    rig_open(&rig);
    rig_cap_none(&rig);
    rig_tick(&rig);

    assert_number(&rig, LIMIT_0, ORIGINAL);
    assert_number(&rig, LIMIT_1, ORIGINAL);
    must_be_given_back(&rig);
    rig_free(&rig);
}

/* ---- a process that dies ---- */

struct story {
    const char *host;
    double first_w;
    double second_w;
    int seconds; /* under each cap */
    struct rig rig;
    int chapter; /* 0: before any cap, 1, 2: under one, 3: nothing is asked for any more */
};

/* Everything a process does to a machine; each call after the stop fails. */
static void live(struct story *story)
{
    struct rig *rig = &story->rig;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (rig_try_open(rig, &err) != 0)
        return;
    if (rig_try_claim(rig, &err) != 0)
        return;
    for (int i = 0; i < 3 * story->seconds && !fk_is_stopped(rig->fk); i++) {
        const int chapter = 1 + i / story->seconds;
        if (chapter != story->chapter) {
            story->chapter = chapter;
            if (chapter == 3)
                rig_cap_none(rig);
            else
                rig_cap_w(rig, chapter == 1 ? story->first_w : story->second_w);
        }
        (void)rig_try_tick(rig);
        fk_advance_ms(rig->fk, 1000);
    }
    story->chapter = 3;
    (void)rig_restore(rig);
}

static double current_w(const struct story *story)
{
    return story->chapter == 1 ? story->first_w : story->chapter == 2 ? story->second_w : 0;
}

static void say_cap(struct story *story)
{
    if (current_w(story) > 0)
        rig_cap_w(&story->rig, current_w(story));
    else
        rig_cap_none(&story->rig);
}

static void begin(struct story *story)
{
    story->chapter = 0;
    story->rig = rig_new(story->host);
    for (size_t p = 0; p < fk_packages(story->rig.fk); p++)
        fk_set_demand_w(story->rig.fk, p, 320);
}

static bool is_capped(struct story *story, const char *limit, uint64_t original)
{
    const uint64_t now = fk_number(story->rig.fk, limit);
    const double cap_w = current_w(story);
    return now == original || (cap_w > 0 && now == (uint64_t)(cap_w * 1e6));
}

static const char *const max_freqs[] = { MAX_FREQ("0"), MAX_FREQ("2"), MAX_FREQ("4"),
                                         MAX_FREQ("6") };

static void check_controls(struct story *story, bool must_be_original, uint64_t call)
{
    struct fk *fk = story->rig.fk;
    const bool has_limits = fk_number(fk, LIMIT_0) != UINT64_MAX;
    if (must_be_original)
        story->chapter = 3;
    if (has_limits &&
        (!is_capped(story, LIMIT_0, ORIGINAL) || !is_capped(story, LIMIT_1, ORIGINAL)))
        fail_msg("killed before call %llu: the limits are %llu and %llu", (unsigned long long)call,
                 (unsigned long long)fk_number(fk, LIMIT_0),
                 (unsigned long long)fk_number(fk, LIMIT_1));
    if (has_limits || current_w(story) > 0)
        return;
    for (size_t i = 0; i < sizeof max_freqs / sizeof *max_freqs; i++)
        if (fk_number(fk, max_freqs[i]) != 2450000)
            fail_msg("killed before call %llu: %s is %llu", (unsigned long long)call, max_freqs[i],
                     (unsigned long long)fk_number(fk, max_freqs[i]));
}

/* Starts again with the spec that is in force now, then gives everything back. */
static void go_on(struct story *story, uint64_t call)
{
    struct rig *rig = &story->rig;
    rig_open(rig);
    say_cap(story);
    rig_tick(rig);
    check_controls(story, false, call);
    assert_int_equal(rig_restore(rig), 0);
    check_controls(story, true, call);
    assert_int_equal(rig_open_keys(rig), 0);
}

enum end { KILL, KEXEC, POWER_LOSS }; /* of the process, the kernel, the machine */

static void end_it(struct rig *rig, enum end end, size_t kept_bytes)
{
    switch (end) {
    case KILL:
        fk_reboot_process(rig->fk);
        break;
    case KEXEC: /* the registers keep what they hold */
        fk_reboot_process(rig->fk);
        assert_int_equal(fk_set_text(rig->fk, BOOT_ID, OTHER_BOOT "\n"), 0);
        break;
    case POWER_LOSS:
        fk_power_loss(rig->fk, kept_bytes);
        break;
    }
}

/* One death before a call; false: the story ended before it. */
static bool die(struct story *story, uint64_t call, enum end end, size_t kept_bytes)
{
    begin(story);
    fk_stop_at(story->rig.fk, call, NULL, NULL);
    live(story);
    const bool has_died = fk_is_stopped(story->rig.fk);
    rig_close(&story->rig);
    fk_stop_at(story->rig.fk, 0, NULL, NULL);
    end_it(&story->rig, end, kept_bytes);
    go_on(story, call);
    rig_free(&story->rig);
    return has_died;
}

static void die_everywhere(struct story *story, enum end end, size_t kept_bytes)
{
    uint64_t calls = 0;
    while (die(story, calls + 1, end, kept_bytes))
        calls++;
    print_message("%llu calls, the end before each\n", (unsigned long long)calls);
    assert_true(calls > 100);
}

static void after_a_kill_before_any_call_all_is_original_or_capped_as_asked(void **state)
{
    (void)state;
    struct story story = { .host = "intel-2s", .first_w = 120, .second_w = 90, .seconds = 2 };
    die_everywhere(&story, KILL, 0);
}

static void the_same_with_frequencies(void **state)
{
    (void)state;
    struct story story = { .host = "amd-epyc", .first_w = 200, .second_w = 180, .seconds = 4 };
    die_everywhere(&story, KILL, 0);
}

static void the_same_when_another_kernel_takes_over_with_the_limits_in_force(void **state)
{
    (void)state;
    struct story story = { .host = "intel-2s", .first_w = 120, .second_w = 90, .seconds = 1 };
    die_everywhere(&story, KEXEC, 0);
}

static void after_a_power_loss_at_any_call_and_byte_the_journal_is_readable(void **state)
{
    (void)state;
    static const size_t kept[] = { 0, 9, 131, 100000 };
    struct story story = { .host = "intel-2s", .first_w = 120, .second_w = 90, .seconds = 1 };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        die_everywhere(&story, POWER_LOSS, kept[i]);
}

/* ---- ends of a cap ---- */

static void the_kill_switch_gives_back_and_only_watches(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 2);
    assert_number(&rig, LIMIT_0, 120000000);

    assert_int_equal(fk_write_text(rig.fk, "etc/joulie/disable", ""), 0);
    rig_pass_s(&rig, 1);
    assert_int_equal(rig.tick.is_disabled, 1);
    assert_number(&rig, LIMIT_0, ORIGINAL);
    assert_int_equal(rig_open_keys(&rig), 0);
    const uint64_t writes = fk_writes(rig.fk, ALL_LIMITS);
    rig_pass_s(&rig, 30);
    assert_int_equal(fk_writes(rig.fk, ALL_LIMITS), writes);
    assert_near(rig_zone(&rig, "package-0").power_w, 123, 1);

    assert_int_equal(joulie_host_set_disabled(rig.host, 0, NULL), 0);
    rig_pass_s(&rig, 1);
    assert_number(&rig, LIMIT_0, 120000000);
    rig_free(&rig);
}

static void a_kill_switch_that_cannot_be_set_says_why(void **state)
{
    (void)state;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    rig_fault(&rig, "readonly etc*");
    assert_int_equal(joulie_host_set_disabled(rig.host, 1, &err), JOULIE_E_IO);
    assert_string_equal(err.where, "etc/joulie/disable");
    assert_int_equal(err.sys_errno, EROFS);
    rig_free(&rig);
}

static void a_twin_that_nobody_renews_ends_after_its_time(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig.options.has_backed_twin = 0;
    rig_open(&rig);
    rig_twin(&rig, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":"
                   "{\"name\":\"n1\"},\"spec\":{\"nodeName\":\"n1\",\"profile\":\"eco\",\"cpu\":"
                   "{\"packagePowerCapWatts\":120}},\"status\":{\"lastUpdated\":\"" UPDATED "\"}}");
    rig_pass_s(&rig, 2);
    assert_number(&rig, LIMIT_0, 120000000);

    rig_pass_s(&rig, 9 * 60); /* stale since 5 min, believed for 5 min more */
    assert_number(&rig, LIMIT_0, 120000000);
    rig_pass_s(&rig, 2 * 60);

    assert_number(&rig, LIMIT_0, ORIGINAL);
    assert_word(&rig, "cpu.result", "none");
    assert_int_equal(rig_open_keys(&rig), 0);
    rig_free(&rig);
}

static void a_spec_that_cannot_be_read_is_believed_for_five_minutes(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 2);

    joulie_host_set_twin_unread(rig.host, 1);
    rig_pass_s(&rig, 290);
    assert_number(&rig, LIMIT_0, 120000000);
    rig_pass_s(&rig, 20);

    assert_number(&rig, LIMIT_0, ORIGINAL);
    rig_free(&rig);
}

static void after_a_crash_open_caps_stay_until_the_first_spec_but_not_for_ever(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    rig_close(&rig);
    fk_reboot_process(rig.fk);

    rig_open(&rig);
    joulie_host_set_twin_unread(rig.host, 1);
    rig_pass_s(&rig, 290);
    assert_number(&rig, LIMIT_0, 120000000);
    rig_pass_s(&rig, 20);

    assert_number(&rig, LIMIT_0, ORIGINAL);
    rig_free(&rig);
}

static void a_cap_is_taken_over_without_passing_through_its_baseline(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    rig_close(&rig);
    fk_reboot_process(rig.fk);
    const uint64_t before = fk_writes(rig.fk, ALL_LIMITS);

    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 3);
    assert_int_equal(fk_writes(rig.fk, ALL_LIMITS), before);
    rig_cap_w(&rig, 100);
    rig_pass_s(&rig, 1);
    assert_int_equal(fk_writes(rig.fk, ALL_LIMITS), before + 2);

    assert_int_equal(rig_restore(&rig), 0);
    assert_number(&rig, LIMIT_0, ORIGINAL);
    rig_free(&rig);
}

static void another_boot_is_not_replayed_unless_its_cap_is_still_in_force(void **state)
{
    (void)state;
    for (int is_kept = 0; is_kept < 2; is_kept++) {
        struct rig rig = rig_new("intel-2s");
        rig_open(&rig);
        rig_cap_w(&rig, 120);
        rig_tick(&rig);
        rig_close(&rig);
        fk_power_loss(rig.fk, 0);
        fk_write_text(rig.fk, LIMIT_0, is_kept ? "120000000" : "150000000");

        rig_open(&rig);
        rig_cap_none(&rig);
        rig_pass_s(&rig, 1);

        assert_number(&rig, LIMIT_0, is_kept ? ORIGINAL : 150000000);
        assert_number(&rig, LIMIT_1, ORIGINAL);
        rig_free(&rig);
    }
}

/* In a child: 0, or the number of the first call that was not refused. */
static int try_as_fork(struct rig *rig)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host_time time = JOULIE_INIT(struct joulie_host_time);
    time.now_ms = rig_now_ms(rig);
    if (joulie_host_tick(rig->host, &time, NULL, &err) != JOULIE_E_CONFLICT)
        return 1;
    if (!strstr(err.message, "not its fork"))
        return 2;
    if (joulie_host_claim(rig->host, time.now_ms, NULL) != JOULIE_E_CONFLICT)
        return 3;
    if (joulie_host_restore(rig->host, time.now_ms, NULL, NULL) != JOULIE_E_CONFLICT)
        return 4;
    return fk_number(rig->fk, LIMIT_0) == UINT64_C(120000000) ? 0 : 5;
}

static void a_fork_of_the_writer_writes_nothing(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    rig_cap_w(&rig, 150); /* what the next tick would write */
    const pid_t child = fork();
    if (child == 0)
        _exit(try_as_fork(&rig));
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    rig_tick(&rig); /* ours goes on */
    assert_number(&rig, LIMIT_0, UINT64_C(150000000));
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_that_is_full_after_any_byte_means_no_write_or_a_whole_baseline),
        cmocka_unit_test(a_journal_that_cannot_be_synced_means_no_write),
        cmocka_unit_test(a_state_folder_that_is_read_only_means_no_write),
        cmocka_unit_test(a_read_only_disk_does_not_keep_a_cap_from_being_given_back),
        cmocka_unit_test(a_steady_tick_of_two_sockets_makes_few_calls),
        cmocka_unit_test(observing_writes_nothing_at_all),
        cmocka_unit_test(without_a_claim_nothing_is_written),
        cmocka_unit_test(the_second_of_two_is_refused),
        cmocka_unit_test(a_fork_of_the_writer_writes_nothing),
        cmocka_unit_test(after_a_kill_before_any_call_all_is_original_or_capped_as_asked),
        cmocka_unit_test(the_same_with_frequencies),
        cmocka_unit_test(the_same_when_another_kernel_takes_over_with_the_limits_in_force),
        cmocka_unit_test(after_a_power_loss_at_any_call_and_byte_the_journal_is_readable),
        cmocka_unit_test(the_kill_switch_gives_back_and_only_watches),
        cmocka_unit_test(a_kill_switch_that_cannot_be_set_says_why),
        cmocka_unit_test(a_twin_that_nobody_renews_ends_after_its_time),
        cmocka_unit_test(a_spec_that_cannot_be_read_is_believed_for_five_minutes),
        cmocka_unit_test(after_a_crash_open_caps_stay_until_the_first_spec_but_not_for_ever),
        cmocka_unit_test(a_cap_is_taken_over_without_passing_through_its_baseline),
        cmocka_unit_test(another_boot_is_not_replayed_unless_its_cap_is_still_in_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
