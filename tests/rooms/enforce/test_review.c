/* SPDX-License-Identifier: Apache-2.0 */

/* Corners of caps: refusals that repeat, devices that go, words that were not true. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "enforce/host.h"
#include "enforce/rig.h"
#include "host/tree.h"
#include "node/cap_life.h"

#define ORIGINAL UINT64_C(205000000)
#define CAP UINT64_C(120000000)
#define BOOT_ID "proc/sys/kernel/random/boot_id"
#define ENABLED_0 RAPL "intel-rapl:0/enabled"

static struct rig capped(const char *host, double watts)
{
    struct rig rig = rig_new(host);
    rig_open(&rig);
    rig_cap_w(&rig, watts);
    rig_tick(&rig);
    return rig;
}

static void disturb(struct rig *rig, const char *verb, const char *path, const char *rest)
{
    char line[256];
    snprintf(line, sizeof line, "%s %s%s", verb, path, rest);
    rig_fault(rig, line);
}

/* ---- answers between ticks ---- */

static void a_report_after_a_new_spec_is_still_of_the_last_tick(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120);
    char *json = NULL;

    rig_cap_w(&rig, 90);
    rig_cap_w(&rig, 80);
    assert_int_equal(joulie_host_report(rig.host, &json, NULL), 0);
    assert_non_null(strstr(json, "\"capWatts\":120"));
    joulie_free(json);
    rig_free(&rig);
}

static void writes_are_reported_after_a_device_came_back(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120);

    rig_fault(&rig, "vanish " RAPL "intel-rapl:1");
    rig_pass_s(&rig, 3);
    rig_fault(&rig, "return " RAPL "intel-rapl:1 intel-rapl:2 enabled");
    rig_pass_s(&rig, 10);
    assert_string_equal(rig_state(&rig, 1), "capped"); /* reads joulie_host_outcome() */
    rig_free(&rig);
}

static void a_plan_says_blocked_where_watts_cannot_be_watched(void **state)
{
    (void)state;
    struct rig rig = rig_new("arm");
    char *json = NULL;
    rig_open(&rig);
    rig_cap_w(&rig, 60);
    assert_int_equal(joulie_host_plan(rig.host, rig_now_ms(&rig), &json, NULL), 0);
    assert_non_null(strstr(json, "\"result\":\"blocked\""));
    joulie_free(json);
    rig_cap_pct(&rig, 50);
    assert_int_equal(joulie_host_plan(rig.host, rig_now_ms(&rig), &json, NULL), 0);
    assert_non_null(strstr(json, "\"result\":\"applied\""));
    joulie_free(json);
    rig_free(&rig);
}

static void a_plan_names_the_short_term_limit_that_a_raise_needs(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 100);
    char *json = NULL;
    fk_write_text(rig.fk, SHORT_0, "110000000");
    rig_cap_w(&rig, 150);
    assert_int_equal(joulie_host_plan(rig.host, rig_now_ms(&rig), &json, NULL), 0);
    const char *small = strstr(json, "package-0/short_term");
    assert_non_null(small);
    assert_non_null(strstr(small, "package-0/long_term"));
    joulie_free(json);
    assert_number(&rig, SHORT_0, 110000000);
    rig_free(&rig);
}

static void an_enforcing_agent_that_owns_nothing_says_so(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    assert_int_equal(rig_try_open(&rig, &err), 0);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    assert_word(&rig, "cpu.result", "blocked");
    assert_non_null(strstr(rig_word(&rig, "cpu.message"), "not the writer"));
    rig_free(&rig);
}

static void control_without_a_meter_reading_ends_as_blocked(void **state)
{
    (void)state;
    struct rig rig = rig_new("amd-epyc");
    rig_open(&rig);
    rig_cap_w(&rig, 150);
    rig_pass_s(&rig, 3);
    rig_fault(&rig, "read " RAPL "*energy_uj EIO");
    rig_pass_s(&rig, 5);
    assert_word(&rig, "cpu.result", "pending");
    rig_pass_s(&rig, 30);
    assert_word(&rig, "cpu.result", "blocked");
    rig_free(&rig);
}

static void a_time_that_no_clock_shows_is_refused(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120);
    static const int64_t bad[] = { INT64_MIN, -1, INT64_MAX };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct joulie_host_time time = JOULIE_INIT(struct joulie_host_time);
        time.now_ms = rig_now_ms(&rig);
        time.monotonic_us = bad[i];
        assert_int_equal(joulie_host_tick(rig.host, &time, NULL, NULL), JOULIE_E_RANGE);
        time.monotonic_us = 1;
        time.boottime_us = bad[i];
        assert_int_equal(joulie_host_tick(rig.host, &time, NULL, NULL), JOULIE_E_RANGE);
    }
    rig_free(&rig);
}

static void a_limit_that_moves_is_news_also_under_the_same_word(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    fk_set_demand_w(rig.fk, 0, 50);
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 30);
    assert_int_equal(rig.tick.is_news, 0);

    fk_write_text(rig.fk, LIMIT_0, "80000000");
    rig_pass_s(&rig, 1);
    assert_int_equal(rig.tick.is_news, 1);
    fk_write_text(rig.fk, LIMIT_0, "110000000"); /* still more than is drawn */
    rig_pass_s(&rig, 1);
    assert_int_equal(rig.tick.is_news, 1);
    rig_free(&rig);
}

/* ---- refusals ---- */

static void a_lock_is_not_tried_again_and_again(void **state)
{
    (void)state;
    struct rig rig = rig_new("client"); /* one package, and frequencies to fall back to */
    fk_write_text(rig.fk, ENABLED_0, "0");
    rig_fault(&rig, "write " ALL_LIMITS " ENODATA");
    rig_open(&rig);
    rig_cap_w(&rig, 10);
    rig_pass_s(&rig, 50);

    assert_true(fk_writes(rig.fk, ALL_LIMITS) <= 2);
    assert_string_equal(rig_state(&rig, 0), "monitor");
    assert_word(&rig, "cpu.backend", "dvfs");
    rig_free(&rig);
}

static void without_a_journal_it_stays_an_error_and_is_not_tried_each_second(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    rig_fault(&rig, "sync var/lib/joulie/caps* EIO");
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    const uint64_t before = fk_counts(rig.fk).syncs;

    for (int i = 0; i < 40; i++) {
        rig_pass_s(&rig, 1);
        assert_word(&rig, "cpu.result", "error");
    }
    assert_true(fk_counts(rig.fk).syncs - before < 12);
    assert_int_equal(fk_writes(rig.fk, ALL_LIMITS), 0);
    rig_free(&rig);
}

static void a_short_term_limit_that_cannot_follow_is_an_error(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 100);
    fk_write_text(rig.fk, SHORT_0, "110000000");
    rig_fault(&rig, "write " SHORT_0 " ENODATA");
    rig_cap_w(&rig, 150);
    rig_pass_s(&rig, 30);

    assert_word(&rig, "cpu.result", "error");
    assert_true(fk_writes(rig.fk, SHORT_0) <= 3);
    assert_number(&rig, LIMIT_0, 100000000);
    assert_number(&rig, LIMIT_1, 100000000);

    rig_fault(&rig, "clear");
    rig_pass_s(&rig, 60);
    assert_word(&rig, "cpu.result", "applied");
    assert_number(&rig, LIMIT_0, 150000000);
    rig_free(&rig);
}

/* The fake kernel behind a table whose reading fails once, after so many writes. */
struct blind {
    struct jl_os real;
    unsigned writes_left; /* until reading fails */
    bool is_blind;
};

static struct blind blind;

static int64_t pwrite_of_fake(void *user, int fd, const void *bytes, size_t len, uint64_t offset)
{
    const int64_t done = blind.real.pwrite(user, fd, bytes, len, offset);
    blind.is_blind = blind.writes_left > 0 && --blind.writes_left == 0;
    return done;
}

static int64_t pread_of_fake(void *user, int fd, void *bytes, size_t len, uint64_t offset)
{
    const bool is_blind = blind.is_blind;
    blind.is_blind = false;
    return is_blind ? -EIO : blind.real.pread(user, fd, bytes, len, offset);
}

static void a_write_that_cannot_be_read_back_is_taken_back_with_the_others(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    blind = (struct blind){ .real = fk_os(rig.fk) };
    struct jl_os os = blind.real;
    os.pwrite = pwrite_of_fake;
    os.pread = pread_of_fake;
    assert_int_equal(jl_host_open_over(os, &rig.options, &rig.host, &err), 0);
    assert_int_equal(rig_try_claim(&rig, &err), 0);
    rig_cap_w(&rig, 120);
    blind.writes_left = 2; /* one for each package */
    rig_tick(&rig);

    assert_word(&rig, "cpu.result", "error");
    assert_number(&rig, LIMIT_0, ORIGINAL);
    assert_number(&rig, LIMIT_1, ORIGINAL);
    rig_free(&rig);
}

static void a_package_that_goes_back_is_switched_off_again(void **state)
{
    (void)state;
    struct rig rig = rig_new("no-enable");
    rig.options.may_enable = 1;
    rig_fault(&rig, "write " LIMIT_1 " EIO");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);

    assert_number(&rig, LIMIT_0, ORIGINAL);
    assert_number(&rig, ENABLED_0, 0);
    rig_free(&rig);
}

static void a_limit_that_is_there_already_is_switched_on_with_the_option(void **state)
{
    (void)state;
    struct rig rig = rig_new("no-enable");
    rig.options.may_enable = 1;
    fk_write_text(rig.fk, LIMIT_0, "120000000");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 3);

    assert_number(&rig, ENABLED_0, 1);
    assert_word(&rig, "cpu.result", "applied");
    assert_int_equal(rig_restore(&rig), 0);
    assert_number(&rig, ENABLED_0, 0);
    assert_number(&rig, LIMIT_0, CAP);
    rig_free(&rig);
}

static void a_switch_that_does_not_stay_on_is_not_turned_each_second(void **state)
{
    (void)state;
    struct rig rig = rig_new("no-enable");
    rig.options.may_enable = 1;
    rig_fault(&rig, "ignore " RAPL "*/enabled");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 50);

    assert_word(&rig, "cpu.result", "blocked");
    assert_reason(&rig, "cpu.message", "notEnforced");
    assert_true(fk_writes(rig.fk, "*/enabled") <= 2);
    rig_free(&rig);
}

/* ---- giving back ---- */

static void a_switch_that_stays_on_is_not_given_back(void **state)
{
    (void)state;
    struct rig rig = rig_new("no-enable");
    rig.options.may_enable = 1;
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 2);

    rig_fault(&rig, "ignore " ENABLED_0);
    assert_int_equal(rig_restore(&rig), JOULIE_E_IO);
    assert_int_equal(rig_open_keys(&rig), 1);
    rig_fault(&rig, "clear");
    assert_int_equal(rig_restore(&rig), 0);
    assert_number(&rig, ENABLED_0, 0);
    rig_free(&rig);
}

static void a_cap_that_a_late_lock_keeps_is_an_error_and_not_tried_each_second(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120);
    fk_write_text(rig.fk, ENABLED_0, "0");
    rig_fault(&rig, "write " LIMIT_0 " ENODATA");
    rig_cap_none(&rig);
    rig_pass_s(&rig, 50);

    assert_number(&rig, LIMIT_0, CAP);
    assert_word(&rig, "cpu.result", "error");
    assert_true(fk_writes(rig.fk, LIMIT_0) <= 5);
    assert_int_equal(rig_open_keys(&rig), 1);
    rig_free(&rig);
}

static void nothing_is_closed_when_the_journal_does_not_take_it(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120);
    rig_fault(&rig, "write var/lib/joulie/caps* EIO");

    assert_int_equal(rig_restore(&rig), JOULIE_E_IO);
    assert_number(&rig, LIMIT_0, ORIGINAL);
    rig_fault(&rig, "clear");
    assert_int_equal(rig_restore(&rig), 0);
    assert_int_equal(rig_open_keys(&rig), 0);
    rig_free(&rig);
}

#ifndef RIG_KEEPER
static void a_cap_of_another_boot_that_stays_is_not_tried_each_second(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120);
    rig_close(&rig);
    fk_reboot_process(rig.fk);
    fk_set_text(rig.fk, BOOT_ID, "11111111-2222-3333-4444-555555555555\n");
    rig_fault(&rig, "write " ALL_LIMITS " EIO");
    const uint64_t before = fk_writes(rig.fk, LIMIT_0);
    rig_open(&rig);
    rig_twin(&rig, NULL);
    rig_pass_s(&rig, 50);

    assert_true(fk_writes(rig.fk, LIMIT_0) - before <= 4);
    assert_word(&rig, "cpu.result", "error");
    rig_fault(&rig, "clear");
    rig_pass_s(&rig, 60);
    assert_number(&rig, LIMIT_0, ORIGINAL);
    rig_free(&rig);
}
#endif

static void a_switch_of_another_boot_is_put_back_too(void **state)
{
    (void)state;
    struct rig rig = rig_new("no-enable");
    rig.options.may_enable = 1;
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 1);
    rig_close(&rig);
    fk_reboot_process(rig.fk);
    fk_set_text(rig.fk, BOOT_ID, "11111111-2222-3333-4444-555555555555\n");
    rig_open(&rig);
    rig_twin(&rig, NULL);
    rig_pass_s(&rig, 1);

    assert_number(&rig, LIMIT_0, ORIGINAL);
    assert_number(&rig, ENABLED_0, 0);
    rig_free(&rig);
}

static void a_clock_that_is_set_back_does_not_keep_a_cap(void **state)
{
    (void)state;
    struct rig rig = capped("intel-2s", 120);
    struct joulie_host_time time = JOULIE_INIT(struct joulie_host_time);
    joulie_host_set_twin_unread(rig.host, 1);
    rig_pass_s(&rig, 1);
    for (int minute = 0; minute < 7; minute++) {
        fk_advance_ms(rig.fk, 60000);
        time.now_ms = rig_now_ms(&rig) - INT64_C(36000000);
        time.monotonic_us = time.boottime_us = 1000 * fk_now_ms(rig.fk);
        assert_int_equal(joulie_host_tick(rig.host, &time, NULL, NULL), 0);
    }
    assert_number(&rig, LIMIT_0, ORIGINAL);
    rig_free(&rig);
}

/* ---- frequencies ---- */

static void watts_that_nothing_can_watch_do_not_keep_a_throttle(void **state)
{
    (void)state;
    struct rig rig = rig_new("arm");
    rig_open(&rig);
    rig_cap_pct(&rig, 50);
    rig_pass_s(&rig, 2);
    assert_word(&rig, "cpu.result", "applied");
    assert_true(rig_open_keys(&rig) > 0);

    rig_cap_w(&rig, 60);
    rig_pass_s(&rig, 2);
    assert_word(&rig, "cpu.result", "blocked");
    assert_int_equal(rig_open_keys(&rig), 0);
    rig_free(&rig);
}

static void a_policy_that_goes_offline_does_not_block_the_cap_of_the_others(void **state)
{
    (void)state;
    struct rig rig = rig_new("amd-epyc");
    fk_set_demand_w(rig.fk, 0, 120);
    rig_open(&rig);
    rig_cap_w(&rig, 150);
    rig_pass_s(&rig, 5);
    assert_word(&rig, "cpu.result", "applied");

    disturb(&rig, "read", MAX_FREQ("0"), " ENODEV");
    disturb(&rig, "open", MAX_FREQ("0"), " ENOENT");
    rig_pass_s(&rig, 5);
    assert_word(&rig, "cpu.result", "applied");
    rig_free(&rig);
}

static void a_hundred_percent_without_a_meter_is_applied_and_touches_nothing(void **state)
{
    (void)state;
    struct rig rig = rig_new("arm");
    rig_open(&rig);
    rig_cap_none(&rig);
    rig_pass_s(&rig, 2);
    rig_cap_pct(&rig, 100);
    rig_pass_s(&rig, 2);
    assert_word(&rig, "cpu.result", "applied");
    assert_int_equal(fk_writes(rig.fk, ALL_MAX_FREQS), 0);
    rig_free(&rig);
}

static void control_for_weeks_does_not_fill_the_disk(void **state)
{
    (void)state;
    struct rig rig = rig_new("amd-pstate");
    char path[128];
    size_t largest = 0;
    snprintf(path, sizeof path, "var/lib/joulie/caps-%.36s", fk_text(rig.fk, BOOT_ID));
    rig_open(&rig);
    for (int i = 0; i < 6000; i++) {
        rig_cap_w(&rig, i % 2 == 0 ? 70 : 120);
        fk_advance_ms(rig.fk, 1000);
        assert_int_equal(rig_try_tick(&rig), 0);
        const char *text = i % 50 == 0 ? fk_text(rig.fk, path) : NULL;
        const size_t len = text != NULL ? strlen(text) : 0;
        largest = len > largest ? len : largest;
    }
    assert_true(largest > (UINT64_C(1) << 19)); /* it does grow */
    assert_true(largest < (UINT64_C(1) << 20) + (UINT64_C(1) << 17));
    rig_free(&rig);
}

/* Divided by 2.45 GHz and multiplied again these lose a kHz. */
static void a_loop_that_goes_on_does_not_lose_a_step(void **state)
{
    (void)state;
    static const char *const found[] = { "1600000", "1850000" };
    static const char *const policies[] = { MAX_FREQ("0"), MAX_FREQ("2"), MAX_FREQ("4"),
                                            MAX_FREQ("6") };
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        struct rig rig = rig_new("amd-pstate");
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
            fk_write_text(rig.fk, policies[p], found[i]);
        rig_open(&rig);
        rig_cap_w(&rig, 150);
        rig_tick(&rig);
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
            assert_number(&rig, policies[p], strtoul(found[i], NULL, 10));
        rig_free(&rig);
    }
}

static void control_that_goes_on_is_not_settled(void **state)
{
    (void)state;
    struct rig rig = rig_new("amd-epyc");
    rig_open(&rig);
    rig_cap_w(&rig, 100);
    rig_tick(&rig);
    assert_word(&rig, "cpu.result", "pending");
    assert_int_equal(rig.tick.is_settled, 0);
    rig_free(&rig);
}

/* What the hardware gave less of for a while is not what others raised. */
static void a_frequency_that_heat_held_down_is_not_drift_when_it_cools(void **state)
{
    (void)state;
    struct jl_cap_life life = { 0 };
    struct jl_cap_life_view view = { .goal = JL_GOAL_CAP,
                                     .target = 2000000,
                                     .has_value = true,
                                     .value = 1500000,
                                     .unit = 1,
                                     .is_request = true };
    uint64_t value = 0;
    assert_true(jl_cap_life_next(&life, &view, &value));
    jl_cap_life_wrote(&life, &view, JL_WROTE_VERIFIED, 2000000, 1500000);
    for (int i = 0; i < 10; i++) {
        view.now_ms += 1000;
        view.value = i % 2 == 0 ? 2000000 : 1500000;
        assert_false(jl_cap_life_next(&life, &view, &value));
        assert_int_equal(life.state, JL_DEVICE_CAPPED);
    }
    view.value = 3500000;
    assert_true(jl_cap_life_next(&life, &view, &value));
    assert_int_equal(life.state, JL_DEVICE_DRIFTED);
}

/* ---- effect ---- */

static void a_short_burst_does_not_make_a_cap_ineffective(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    fk_set_demand_w(rig.fk, 0, 60);
    fk_set_demand_w(rig.fk, 1, 60);
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 60);
    fk_write_text(rig.fk, ENABLED_0, "1");
    fk_set_delay_ms(rig.fk, 10000); /* the mean over a window may be above the limit for so long */
    fk_write_text(rig.fk, LIMIT_0, "205000000");
    fk_advance_ms(rig.fk, 11000);
    fk_write_text(rig.fk, LIMIT_0, "120000000");
    fk_set_demand_w(rig.fk, 0, 200);
    for (int i = 0; i < 15; i++) {
        rig_pass_s(&rig, 1);
        assert_word(&rig, "cpu.result", "applied");
    }
    rig_free(&rig);
}

static void a_machine_that_could_not_be_read_loses_no_journal(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    rig_close(&rig);
    rig_fault(&rig, "open proc* EIO");
    rig_fault(&rig, "open sys/devices/system/cpu/* EIO");
    rig_fault(&rig, "open sys/devices/virtual/powercap/* EIO");
    rig_fault(&rig, "list sys* EIO");
    rig_open(&rig);
    assert_int_equal(rig_restore(&rig), 0);
    rig_close(&rig);
    rig_fault(&rig, "clear");
    assert_number(&rig, LIMIT_0, 120000000);

    rig_open(&rig);
    assert_int_equal(rig_restore(&rig), 0);

    assert_number(&rig, LIMIT_0, ORIGINAL);
    assert_number(&rig, LIMIT_1, ORIGINAL);
    rig_free(&rig);
}

/* ---- what was found, and how much it may be ---- */

static void a_baseline_below_the_maximum_is_doubted_while_it_is_open(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    fk_write_text(rig.fk, LIMIT_0, "150000000");
    rig_open(&rig);
    rig_cap_none(&rig);
    rig_tick(&rig);
    assert_word(&rig, "cpu.baseline", "");
    rig_cap_w(&rig, 120);
    rig_tick(&rig);

    assert_word(&rig, "cpu.result", "applied");
    assert_word(&rig, "cpu.baseline", "doubted");

    assert_int_equal(rig_restore(&rig), 0);
    assert_number(&rig, LIMIT_0, 150000000);
    rig_tick(&rig);
    assert_word(&rig, "cpu.baseline", "doubted"); /* the tick capped again */
    rig_free(&rig);
}

static void the_maximum_of_the_zone_is_given_back_instead_by_wish(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig.options.gives_back_maximum = 1;
    fk_write_text(rig.fk, LIMIT_0, "150000000");
    fk_write_text(rig.fk, LIMIT_1, "250000000"); /* lifted by the board: left as it is */
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    assert_word(&rig, "cpu.result", "applied");
    assert_word(&rig, "cpu.baseline", "");
    rig_close(&rig);

    rig.options.gives_back_maximum = 0; /* the journal says it */
    rig_open(&rig);
    assert_int_equal(rig_restore(&rig), 0);
    assert_number(&rig, LIMIT_0, ORIGINAL);
    assert_number(&rig, LIMIT_1, 250000000);
    rig_free(&rig);
}

/* A zone that was found at 0 and says no maximum is no backend; joulie-capd refuses it too
 * (tests/programs/capd). */
static void without_any_bound_no_limit_is_written(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    fk_write_text(rig.fk, RAPL "intel-rapl:0/constraint_0_max_power_uw", "0");
    fk_write_text(rig.fk, LIMIT_0, "0");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    assert_word(&rig, "cpu.result", "blocked");
    assert_number(&rig, LIMIT_0, 0);
    fk_write_text(rig.fk, LIMIT_0, "150000000"); /* not what was found */
    rig_pass_s(&rig, 2);
    assert_word(&rig, "cpu.result", "blocked");
    assert_number(&rig, LIMIT_0, 150000000);
    rig_free(&rig);
}

static void a_limit_that_cannot_be_read_says_why(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    rig_fault(&rig, "read " LIMIT_1 " EIO");
    rig_pass_s(&rig, 1);

    assert_word(&rig, "cpu.result", "blocked");
    assert_word(&rig, "cpu.message",
                "deviceLost: package-1: its limit cannot be read: Input/output error");
    rig_free(&rig);
}

#ifndef RIG_KEEPER
static void what_another_boot_left_is_among_the_restored(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    char *json = NULL;
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    rig_close(&rig);
    fk_power_loss(rig.fk, 0);
    fk_write_text(rig.fk, LIMIT_0, "120000000"); /* no real boot: kexec */
    rig_open(&rig);

    assert_int_equal(joulie_host_restore(rig.host, rig_now_ms(&rig), &json, NULL), 0);

    assert_string_equal(json, "{\"restored\":[{\"key\":\"rapl/package-0/long_term\",\"unit\":"
                              "\"uW\",\"value\":205000000}],\"failed\":[]}");
    joulie_free(json);
    rig_free(&rig);
}
#endif

static void a_plan_and_its_outcome_are_structs_too(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    struct joulie_host_package package = JOULIE_INIT(struct joulie_host_package);
    struct joulie_host_write write = JOULIE_INIT(struct joulie_host_write);
    char *json = NULL;
    rig_open(&rig);
    assert_int_equal(joulie_host_package_at(rig.host, 0, &package, NULL), JOULIE_E_CONFLICT);
    rig_cap_w(&rig, 120);
    assert_int_equal(joulie_host_plan(rig.host, rig_now_ms(&rig), &json, NULL), 0);
    joulie_free(json);

    assert_int_equal(joulie_host_package_at(rig.host, 1, &package, NULL), 0);
    assert_int_equal(package.has, JOULIE_HOST_PACKAGE_HAS_REQUESTED | JOULIE_HOST_PACKAGE_HAS_CAP |
                                      JOULIE_HOST_PACKAGE_HAS_LIMIT);
    assert_int_equal(package.index, 1);
    assert_true(package.requested_w == 120 && package.cap_w == 120 && package.limit_w == 205);
    assert_int_equal(package.power_limit_uw, 120000000);
    assert_int_equal(package.result, JOULIE_CONTROL_APPLIED);
    assert_null(package.state);
    assert_int_equal(joulie_host_write_at(rig.host, 1, &write, NULL), 0);
    assert_string_equal(write.key, "rapl/package-1/long_term");
    assert_true(write.has == JOULIE_HOST_WRITE_HAS_OLD_VALUE && write.old_value == 205000000);
    assert_true(write.new_value == 120000000 && write.result == NULL);
    assert_int_equal(joulie_host_write_at(rig.host, 2, &write, NULL), JOULIE_E_RANGE);
    assert_int_equal(joulie_host_package_at(rig.host, 2, &package, NULL), JOULIE_E_RANGE);

    rig_tick(&rig);
    assert_int_equal(joulie_host_package_at(rig.host, 0, &package, NULL), 0);
    assert_string_equal(package.state, "capped");
    assert_true(package.limit_w == 120);
    assert_int_equal(joulie_host_write_at(rig.host, 0, &write, NULL), 0);
    assert_string_equal(write.result, "verified");
    assert_int_equal(write.has, JOULIE_HOST_WRITE_HAS_OLD_VALUE | JOULIE_HOST_WRITE_HAS_READ_BACK);
    assert_int_equal(write.read_back, 120000000);
    assert_int_equal(joulie_host_restore(rig.host, rig_now_ms(&rig), NULL, NULL), 0);
    assert_int_equal(joulie_host_write_at(rig.host, 3, &write, NULL), 0);
    assert_int_equal(write.new_value, 205000000);
    rig_free(&rig);
}

static void a_limit_that_holds_the_largest_number_is_shown_exactly(void **state)
{
    (void)state;
    static const char twin[] = "{\"nodeName\":\"n1\",\"profile\":\"eco\","
                               "\"cpu\":{\"packagePowerCapWatts\":1e13}}";
    struct tree tree;
    struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
    struct joulie_host_package package = JOULIE_INIT(struct joulie_host_package);
    struct joulie_host_write write = JOULIE_INIT(struct joulie_host_write);
    struct joulie_host *host = NULL;
    char *json = NULL;
    tree_new(&tree);
    tree_intel_2s(&tree);
    tree_put(&tree, "proc/cpuinfo", "processor\t: 0\nmodel name\t: of nobody\n\n");
    tree_put(&tree, ZONES "/intel-rapl:0/constraint_0_max_power_uw", "0\n");
    tree_put(&tree, ZONES "/intel-rapl:0/constraint_0_power_limit_uw", "18446744073709551615\n");
    options.root = tree.path;
    options.has_backed_twin = 1;
    assert_int_equal(joulie_host_open(&options, &host, NULL), 0);
    assert_int_equal(joulie_host_put_twin(host, twin, strlen(twin), NULL), 0);

    assert_int_equal(joulie_host_plan(host, INT64_C(1700000000000), &json, NULL), 0);

    assert_non_null(strstr(json, "\"from\":18446744073709551615,\"to\":4095875000}"));
    joulie_free(json);
    assert_int_equal(joulie_host_package_at(host, 0, &package, NULL), 0);
    assert_int_equal(package.power_limit_uw, UINT64_C(4095875000));
    assert_int_equal(joulie_host_write_at(host, 0, &write, NULL), 0);
    assert_int_equal(write.old_value, UINT64_MAX);
    assert_int_equal(write.new_value, UINT64_C(4095875000));
    joulie_host_free(host);
    tree_free(&tree);
}

static void a_plan_says_when_a_limit_would_hold_nothing(void **state)
{
    (void)state;
    struct rig rig = rig_new("no-enable");
    char *json = NULL;
    rig_open(&rig);
    rig_cap_w(&rig, 120);

    assert_int_equal(joulie_host_plan(rig.host, rig_now_ms(&rig), &json, NULL), 0);

    assert_non_null(strstr(json, "\"result\":\"blocked\",\"message\":\"notEnforced: package-0: "));
    assert_null(strstr(json, "\"result\":\"applied\""));
    joulie_free(json);
    rig_free(&rig);
}

static void limits_are_lowered_before_others_are_raised(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    char *json = NULL;
    fk_write_text(rig.fk, LIMIT_0, "80000000");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);

    assert_int_equal(joulie_host_outcome(rig.host, &json, NULL), 0);

    const char *lowered = strstr(json, "{\"key\":\"rapl/package-1/long_term\"");
    const char *raised = strstr(json, "{\"key\":\"rapl/package-0/long_term\"");
    assert_non_null(lowered);
    assert_non_null(raised);
    assert_true(lowered < raised);
    joulie_free(json);
    rig_free(&rig);
}

static void the_dies_of_a_package_share_its_cap(void **state)
{
    (void)state;
    struct rig rig = rig_new("multi-die");
    rig_open(&rig);
    rig_cap_w(&rig, 200);
    rig_tick(&rig);

    assert_number(&rig, LIMIT_0, 100000000);
    assert_number(&rig, LIMIT_1, 100000000);
    assert_near(rig_value(&rig, "cpu.observed.packages.0.limitWatts"), 200, 1e-9);
    rig_free(&rig);
}

static void a_counter_that_stands_still_is_no_reading_of_0_watts(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    for (size_t package = 0; package < 2; package++) {
        fk_set_idle_w(rig.fk, package, 0);
        fk_set_demand_w(rig.fk, package, 0);
    }
    fk_advance_ms(rig.fk, 10000);
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_pass_s(&rig, 15);

    assert_false(rig_zone(&rig, "package-0").has & JOULIE_HOST_ZONE_HAS_POWER);
    rig_free(&rig);
}

static void whatever_stands_where_the_kill_switch_is_switches_off(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    fk_write_text(rig.fk, "etc/joulie", "a file where a folder should be");
    rig_pass_s(&rig, 1);

    assert_true(rig.tick.is_disabled);
    assert_number(&rig, LIMIT_0, ORIGINAL);
    rig_free(&rig);
}

static void a_zone_that_is_another_one_now_is_not_written(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    fk_set_text(rig.fk, RAPL "intel-rapl:0/name", "psys\n");
    rig_cap_w(&rig, 90);
    rig_tick(&rig);

    assert_number(&rig, LIMIT_0, 120000000);
    rig_free(&rig);
}

static void legacy_compares_the_node_with_the_caps_of_its_packages(void **state)
{
    (void)state;
    struct rig rig = rig_new("amd-pstate");
    rig.options.dvfs_controller = "legacy";
    fk_set_demand_w(rig.fk, 0, 150);
    fk_set_demand_w(rig.fk, 1, 150);
    rig_open(&rig);
    rig_cap_w(&rig, 200); /* 300 W of 400 W */
    rig_pass_s(&rig, 60);

    assert_word(&rig, "cpu.result", "applied");
    assert_near(rig_value(&rig, "cpu.observed.throttlePct"), 0, 1e-9);
    rig_free(&rig);
}

static void a_minimum_above_the_new_maximum_goes_first_and_comes_back(void **state)
{
    (void)state;
    const char *minimum = "sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq";
    struct rig rig = rig_new("amd-pstate");
    fk_write_text(rig.fk, minimum, "2300000");
    fk_set_demand_w(rig.fk, 0, 350);
    fk_set_demand_w(rig.fk, 1, 350);
    rig_open(&rig);
    rig_cap_w(&rig, 150);
    rig_pass_s(&rig, 30);

    const uint64_t lowered = fk_writes(rig.fk, minimum);
    assert_true(lowered > 0);
    assert_int_equal(rig_restore(&rig), 0);
    assert_int_equal(fk_writes(rig.fk, minimum), lowered + 1);
    assert_number(&rig, minimum, 2300000);
    rig_free(&rig);
}

static void a_percentage_is_of_what_was_found_not_of_our_own_cap(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    rig_fault(&rig, "read " RAPL "intel-rapl:0/constraint_0_max_power_uw ENODATA");
    rig_open(&rig);
    rig_cap_pct(&rig, 50);
    rig_tick(&rig);
    assert_number(&rig, LIMIT_0, 102500000);
    rig_close(&rig);

    rig_open(&rig);
    rig_cap_pct(&rig, 50);
    rig_tick(&rig);

    assert_number(&rig, LIMIT_0, 102500000);
    rig_free(&rig);
}

static void a_value_that_could_not_be_read_before_a_write_is_not_reported_as_0(void **state)
{
    (void)state;
    struct rig rig = rig_new("intel-2s");
    char *json = NULL;
    rig_open(&rig);
    rig_cap_w(&rig, 120);
    rig_tick(&rig);
    rig_fault(&rig, "read " LIMIT_0 " EIO 1");
    assert_int_equal(rig_restore(&rig), 0);
    assert_number(&rig, LIMIT_0, ORIGINAL);

    assert_int_equal(joulie_host_outcome(rig.host, &json, NULL), 0);

    assert_null(strstr(json, "\"from\":0,"));
    assert_non_null(strstr(json, "\"to\":205000000,\"readBack\":205000000"));
    joulie_free(json);
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_that_could_not_be_read_before_a_write_is_not_reported_as_0),
        cmocka_unit_test(a_minimum_above_the_new_maximum_goes_first_and_comes_back),
        cmocka_unit_test(a_percentage_is_of_what_was_found_not_of_our_own_cap),
        cmocka_unit_test(limits_are_lowered_before_others_are_raised),
        cmocka_unit_test(the_dies_of_a_package_share_its_cap),
        cmocka_unit_test(a_counter_that_stands_still_is_no_reading_of_0_watts),
        cmocka_unit_test(whatever_stands_where_the_kill_switch_is_switches_off),
        cmocka_unit_test(a_zone_that_is_another_one_now_is_not_written),
        cmocka_unit_test(legacy_compares_the_node_with_the_caps_of_its_packages),
        cmocka_unit_test(a_plan_and_its_outcome_are_structs_too),
        cmocka_unit_test(a_limit_that_holds_the_largest_number_is_shown_exactly),
        cmocka_unit_test(a_plan_says_when_a_limit_would_hold_nothing),
        cmocka_unit_test(a_machine_that_could_not_be_read_loses_no_journal),
        cmocka_unit_test(a_baseline_below_the_maximum_is_doubted_while_it_is_open),
        cmocka_unit_test(the_maximum_of_the_zone_is_given_back_instead_by_wish),
        cmocka_unit_test(without_any_bound_no_limit_is_written),
        cmocka_unit_test(a_limit_that_cannot_be_read_says_why),
        cmocka_unit_test(a_report_after_a_new_spec_is_still_of_the_last_tick),
        cmocka_unit_test(writes_are_reported_after_a_device_came_back),
        cmocka_unit_test(a_plan_says_blocked_where_watts_cannot_be_watched),
        cmocka_unit_test(a_plan_names_the_short_term_limit_that_a_raise_needs),
        cmocka_unit_test(an_enforcing_agent_that_owns_nothing_says_so),
        cmocka_unit_test(control_without_a_meter_reading_ends_as_blocked),
        cmocka_unit_test(a_time_that_no_clock_shows_is_refused),
        cmocka_unit_test(a_limit_that_moves_is_news_also_under_the_same_word),
        cmocka_unit_test(a_lock_is_not_tried_again_and_again),
        cmocka_unit_test(without_a_journal_it_stays_an_error_and_is_not_tried_each_second),
        cmocka_unit_test(a_short_term_limit_that_cannot_follow_is_an_error),
        cmocka_unit_test(a_write_that_cannot_be_read_back_is_taken_back_with_the_others),
        cmocka_unit_test(a_package_that_goes_back_is_switched_off_again),
        cmocka_unit_test(a_limit_that_is_there_already_is_switched_on_with_the_option),
        cmocka_unit_test(a_switch_that_does_not_stay_on_is_not_turned_each_second),
        cmocka_unit_test(a_switch_that_stays_on_is_not_given_back),
        cmocka_unit_test(a_cap_that_a_late_lock_keeps_is_an_error_and_not_tried_each_second),
        cmocka_unit_test(nothing_is_closed_when_the_journal_does_not_take_it),
        cmocka_unit_test(a_switch_of_another_boot_is_put_back_too),
        cmocka_unit_test(a_clock_that_is_set_back_does_not_keep_a_cap),
        cmocka_unit_test(watts_that_nothing_can_watch_do_not_keep_a_throttle),
        cmocka_unit_test(a_policy_that_goes_offline_does_not_block_the_cap_of_the_others),
        cmocka_unit_test(a_hundred_percent_without_a_meter_is_applied_and_touches_nothing),
        cmocka_unit_test(control_for_weeks_does_not_fill_the_disk),
        cmocka_unit_test(a_loop_that_goes_on_does_not_lose_a_step),
        cmocka_unit_test(control_that_goes_on_is_not_settled),
        cmocka_unit_test(a_frequency_that_heat_held_down_is_not_drift_when_it_cools),
        cmocka_unit_test(a_short_burst_does_not_make_a_cap_ineffective),
#ifndef RIG_KEEPER /* which gives back what other boots left by itself, unseen by the host */
        cmocka_unit_test(what_another_boot_left_is_among_the_restored),
        cmocka_unit_test(a_cap_of_another_boot_that_stays_is_not_tried_each_second),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
