/* SPDX-License-Identifier: Apache-2.0 */
/* Policy time: alarms on the wall clock, and in lockstep with a simulator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/clock_parts.h"
#include "runtime/peer.h"
#include "support/test.h"

#define NOON_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

struct scene {
    struct jd_loop loop;
    struct jd_http *http;
    struct jd_clock *clock;
    struct peer peer;
    struct jd_log log;
    struct jl_buffer fired; /* names of alarms */
    struct jl_buffer polls; /* request targets, one per line */
    struct talk *waiting;   /* the poll that has no answer yet */
    bool has_poll;
    bool is_started;
    bool is_fired;
    int64_t started_ms;
    int64_t fired_ms;
    const char *reached; /* the resourceVersion that the caches have; NULL = any */
    bool was_asked;
    int ends;
    bool is_ended;
};

struct bell {
    struct jd_alarm alarm;
    struct scene *scene;
    const char *name;
    struct bell *sets; /* anew, in its fire() */
    int64_t sets_in_ms;
    bool holds;
};

static int64_t wall_moved_ms; /* by a test */

static int64_t moved_wall_ms(void)
{
    return jd_clock_wall_ms() + wall_moved_ms;
}

static void on_poll(void *user, struct talk *talk, const char *request)
{
    struct scene *const scene = user;
    const char *const end = strstr(request, " HTTP/1.1");
    assert_true(strncmp(request, "GET ", 4) == 0 && end);
    jl_put(&scene->polls, request + 4, (size_t)(end - request) - 4);
    jl_put_char(&scene->polls, '\n');
    scene->waiting = talk;
    scene->has_poll = true;
}

static void ring(void *user, int64_t now_ms)
{
    struct bell *const bell = user;
    struct scene *const scene = bell->scene;
    jl_put_string(&scene->fired, bell->name);
    scene->fired_ms = now_ms;
    scene->is_fired = true;
    assert_false(bell->alarm.is_set);
    if (bell->holds)
        jd_clock_hold(scene->clock);
    if (bell->sets)
        jd_alarm_set(scene->clock, &bell->sets->alarm, now_ms + bell->sets_in_ms);
}

static struct bell bell_of(struct scene *scene, const char *name)
{
    return (struct bell){ .scene = scene, .name = name };
}

static void set(struct bell *bell, int64_t at_ms)
{
    bell->alarm.fire = ring;
    bell->alarm.user = bell;
    jd_alarm_set(bell->scene->clock, &bell->alarm, at_ms);
}

static void on_started(void *user, int64_t now_ms)
{
    struct scene *const scene = user;
    assert_false(scene->is_started);
    scene->is_started = true;
    scene->started_ms = now_ms;
}

static void on_end(void *user)
{
    struct scene *const scene = user;
    scene->ends++;
    scene->is_ended = true;
}

static bool has_reached(void *user, const char *version)
{
    struct scene *const scene = user;
    scene->was_asked = true;
    return !scene->reached || strcmp(scene->reached, version) == 0;
}

static void open_scene(void **state, bool is_simulated)
{
    struct scene *const scene = calloc(1, sizeof *scene);
    char name[] = "/tmp/test_clock_XXXXXX";
    assert_non_null(scene);
    assert_int_equal(jd_loop_open(&scene->loop, 0, NULL, 0, NULL), 0);
    assert_int_equal(jd_http_open(&scene->loop, "joulie-test", &scene->http, NULL), 0);
    peer_open(&scene->peer, &scene->loop, on_poll, scene);
    scene->log = jd_log_new(mkstemp(name), "info", "text");
    assert_true(scene->log.fd >= 0);
    unlink(name);
    const struct jd_clock_options options = {
        .url = is_simulated ? scene->peer.url : NULL,
        .who = "agent/1",
        .order = JD_ORDER_AGENT,
        .has_reached = has_reached,
        .on_end = on_end,
        .user = scene,
        .log = &scene->log,
        .wall_ms = moved_wall_ms,
    };
    wall_moved_ms = 0;
    assert_int_equal(jd_clock_open(&scene->loop, scene->http, &options, &scene->clock, NULL), 0);
    *state = scene;
}

static int with_wall(void **state)
{
    open_scene(state, false);
    return 0;
}

static int with_simulator(void **state)
{
    open_scene(state, true);
    return 0;
}

static int tear_down(void **state)
{
    struct scene *const scene = *state;
    jd_clock_close(scene->clock);
    jd_http_close(scene->http);
    peer_close(&scene->peer);
    jd_loop_close(&scene->loop);
    close(scene->log.fd);
    jl_buffer_clear(&scene->fired);
    jl_buffer_clear(&scene->polls);
    free(scene);
    return 0;
}

static void await(struct scene *scene, bool *flag)
{
    assert_true(run_until(&scene->loop, flag));
    *flag = false;
}

static const char *text_of(const struct jl_buffer *buffer)
{
    return buffer->data ? buffer->data : "";
}

static void answer(struct scene *scene, const char *status, const char *body)
{
    await(scene, &scene->has_poll);
    talk_reply(scene->waiting, status, "", body);
}

/* Milliseconds after noon. */
static void say_time(struct scene *scene, int after_ms, const char *version)
{
    char body[160];
    snprintf(body, sizeof body,
             "{\"now\":\"2026-03-13T12:%02d:%02d.%03dZ\",\"resourceVersion\":\"%s\",\"end\":false}",
             after_ms / 60000, after_ms / 1000 % 60, after_ms % 1000, version);
    answer(scene, "200 OK", body);
}

static void assert_logged(const struct scene *scene, const char *expected)
{
    char text[4096] = "";
    const ssize_t got = pread(scene->log.fd, text, sizeof text - 1, 0);
    assert_true(got >= 0);
    char *at = NULL;
    while ((at = strstr(text, scene->peer.url))) {
        memmove(at + 3, at + strlen(scene->peer.url), strlen(at + strlen(scene->peer.url)) + 1);
        memcpy(at, "URL", 3);
    }
    assert_string_equal(text, expected);
}

/* ---- the wall clock ---- */

static void alarms_ring_by_time_and_then_by_the_order_of_setting(void **state)
{
    struct scene *const scene = *state;
    struct bell bells[] = { bell_of(scene, "a"), bell_of(scene, "b"), bell_of(scene, "c"),
                            bell_of(scene, "d"), bell_of(scene, "e") };
    const int64_t now_ms = jd_clock_wall_ms();
    set(&bells[0], now_ms - 10);
    set(&bells[1], now_ms - 20);
    set(&bells[2], now_ms - 10);
    set(&bells[3], INT64_MIN);
    set(&bells[4], now_ms - 30);
    jd_alarm_stop(scene->clock, &bells[4].alarm);
    set(&bells[0], now_ms - 10); /* anew: behind c */
    await(scene, &scene->is_fired);
    assert_string_equal(text_of(&scene->fired), "dbca");
    assert_true(scene->fired_ms >= now_ms);
}

static void an_alarm_does_not_ring_before_its_time(void **state)
{
    struct scene *const scene = *state;
    struct bell soon = bell_of(scene, "s");
    struct bell never = bell_of(scene, "n");
    const int64_t at_ms = jd_clock_wall_ms() + 30;
    set(&never, INT64_MAX);
    set(&soon, at_ms);
    await(scene, &scene->is_fired);
    assert_string_equal(text_of(&scene->fired), "s");
    assert_true(scene->fired_ms >= at_ms);
    assert_true(never.alarm.is_set);
    jd_alarm_stop(scene->clock, &never.alarm);
    assert_false(never.alarm.is_set);
}

static void an_alarm_rings_in_time_whatever_becomes_of_the_wall(void **state)
{
    static const int64_t moves_ms[] = { -3600000, 864000000 }; /* an hour back, ten days on */
    struct scene *const scene = *state;
    for (size_t i = 0; i < sizeof moves_ms / sizeof moves_ms[0]; i++) {
        struct bell soon = bell_of(scene, "s");
        struct bell later = bell_of(scene, "l");
        const int64_t begin_ms = jd_clock_ms();
        set(&soon, jd_policy_now_ms(scene->clock) + 30);
        set(&later, jd_policy_now_ms(scene->clock) + 600000);
        wall_moved_ms += moves_ms[i];
        scene->fired.len = 0;
        await(scene, &scene->is_fired);
        assert_string_equal(text_of(&scene->fired), "s");
        assert_true(jd_clock_ms() - begin_ms >= 30);
        assert_near((double)jd_clock_stamp_ms(scene->clock, scene->fired_ms),
                    (double)moved_wall_ms(), 5000);
        assert_near((double)later.alarm.due_ms,
                    (double)(jd_policy_now_ms(scene->clock) + 600000 - 30), 5000);
        jd_alarm_stop(scene->clock, &later.alarm);
    }
}

static void a_repeated_alarm_leaves_out_what_is_over(void **state)
{
    struct scene *const scene = *state;
    struct bell bell = bell_of(scene, "b");
    set(&bell, jd_policy_now_ms(scene->clock) - 100);
    await(scene, &scene->is_fired);
    const int64_t due_ms = bell.alarm.due_ms;
    jd_alarm_repeat(scene->clock, &bell.alarm, 600000);
    assert_int_equal(bell.alarm.due_ms, due_ms + 600000); /* without drift */
    jd_alarm_repeat(scene->clock, &bell.alarm, 600000);
    assert_int_equal(bell.alarm.due_ms, due_ms + 1200000);
    bell.alarm.due_ms = due_ms - 600000;
    const int64_t now_ms = jd_policy_now_ms(scene->clock);
    jd_alarm_repeat(scene->clock, &bell.alarm, 1000);
    assert_true(bell.alarm.due_ms >= now_ms + 1000 && bell.alarm.due_ms <= now_ms + 5000);
    jd_alarm_stop(scene->clock, &bell.alarm);
}

static void what_an_alarm_sets_for_now_lets_others_have_their_turn(void **state)
{
    struct scene *const scene = *state;
    struct bell first = bell_of(scene, "1");
    struct bell second = bell_of(scene, "2");
    struct bell again = bell_of(scene, "3");
    again.alarm.fire = ring;
    again.alarm.user = &again;
    first.sets = &again;
    first.sets_in_ms = -100; /* before the second one */
    const int64_t now_ms = jd_clock_wall_ms();
    set(&first, now_ms - 2);
    set(&second, now_ms - 1);
    await(scene, &scene->is_fired);
    while (again.alarm.is_set || scene->fired.len < 3)
        await(scene, &scene->is_fired);
    assert_string_equal(text_of(&scene->fired), "123");
}

static void the_wall_clock_starts_at_once_but_from_the_loop(void **state)
{
    struct scene *const scene = *state;
    assert_false(jd_clock_is_simulated(scene->clock));
    jd_clock_when_started(scene->clock, on_started, scene);
    assert_false(scene->is_started);
    assert_true(run_until(&scene->loop, &scene->is_started));
    assert_true(jd_policy_now_ms(scene->clock) >= scene->started_ms);
    assert_true(scene->started_ms > NOON_MS - INT64_C(315360000000));
    jd_clock_hold(scene->clock); /* nothing to hold */
    jd_clock_release(scene->clock);
    jd_clock_release(scene->clock);
    jd_clock_check(scene->clock);
}

/* ---- lockstep ---- */

static void a_poll_says_who_and_each_next_one_acknowledges(void **state)
{
    struct scene *const scene = *state;
    struct bell bell = bell_of(scene, "x");
    assert_true(jd_clock_is_simulated(scene->clock));
    assert_int_equal(jd_policy_now_ms(scene->clock), 0);
    jd_clock_when_started(scene->clock, on_started, scene);
    say_time(scene, 0, "7");
    await(scene, &scene->has_poll);
    assert_int_equal(scene->started_ms, NOON_MS);
    assert_int_equal(jd_policy_now_ms(scene->clock), NOON_MS);
    set(&bell, NOON_MS + 20250); /* earlier than announced: it asks again */
    say_time(scene, 20250, "9");
    await(scene, &scene->has_poll);
    assert_string_equal(text_of(&scene->fired), "x");
    assert_int_equal(scene->fired_ms, NOON_MS + 20250);
    assert_string_equal(text_of(&scene->polls),
                        "/clock?who=agent%2F1&order=30\n"
                        "/clock?who=agent%2F1&order=30&after=2026-03-13T12%3A00%3A00.000Z\n"
                        "/clock?who=agent%2F1&order=30&after=2026-03-13T12%3A00%3A00.000Z"
                        "&due=2026-03-13T12%3A00%3A20.250Z\n"
                        "/clock?who=agent%2F1&order=30&after=2026-03-13T12%3A00%3A20.250Z\n");
}

static void alarms_of_the_start_ring_in_the_first_step(void **state)
{
    struct scene *const scene = *state;
    struct bell now = bell_of(scene, "n");
    struct bell later = bell_of(scene, "l");
    set(&later, NOON_MS + 1);
    set(&now, NOON_MS);
    say_time(scene, 0, "7");
    await(scene, &scene->has_poll);
    assert_string_equal(text_of(&scene->fired), "n");
    assert_non_null(strstr(text_of(&scene->polls), "&due=2026-03-13T12%3A00%3A00.001Z\n"));
    jd_alarm_stop(scene->clock, &later.alarm); /* it ends before the clock does */
}

static void a_step_waits_for_the_caches(void **state)
{
    struct scene *const scene = *state;
    struct bell bell = bell_of(scene, "x");
    set(&bell, NOON_MS);
    scene->reached = "6";
    say_time(scene, 0, "7");
    await(scene, &scene->was_asked);
    assert_int_equal(jd_policy_now_ms(scene->clock), 0);
    assert_string_equal(text_of(&scene->fired), "");
    jd_clock_check(scene->clock); /* moved, but not far enough */
    await(scene, &scene->was_asked);
    assert_string_equal(text_of(&scene->fired), "");
    scene->reached = "7";
    jd_clock_check(scene->clock);
    assert_string_equal(text_of(&scene->fired), ""); /* not from within the cache */
    await(scene, &scene->has_poll);
    assert_string_equal(text_of(&scene->fired), "x");
}

static void a_step_is_not_over_before_its_holds_are(void **state)
{
    struct scene *const scene = *state;
    struct bell bell = bell_of(scene, "x");
    struct bell second = bell_of(scene, "y");
    bell.holds = true;
    bell.sets = &second;
    second.alarm.fire = ring;
    second.alarm.user = &second;
    set(&bell, NOON_MS);
    say_time(scene, 0, "");
    await(scene, &scene->is_fired);
    jd_clock_hold(scene->clock);
    jd_clock_release(scene->clock);
    jd_clock_check(scene->clock);
    assert_int_equal(scene->peer.requests, 1);
    assert_int_equal(scene->clock->holds, 1);
    jd_clock_release(scene->clock);
    await(scene, &scene->has_poll);
    assert_string_equal(text_of(&scene->fired), "xy"); /* y was due in the same step */
    assert_int_equal(scene->peer.requests, 2);
}

static void the_end_is_reported_once_and_asks_no_more(void **state)
{
    struct scene *const scene = *state;
    say_time(scene, 0, "1");
    answer(scene, "200 OK", "{\"end\":true}");
    await(scene, &scene->is_ended);
    jd_clock_check(scene->clock);
    jd_clock_release(scene->clock);
    assert_int_equal(scene->ends, 1);
    assert_int_equal(jd_http_active(scene->http), 0);
    assert_int_equal(scene->peer.requests, 2);
    assert_logged(scene, "");
}

/* That it waits as long as it should after that many failures, and not really. */
static void expect_wait(struct scene *scene, double least_s)
{
    struct jd_timer *const timer = &scene->clock->timer;
    const int64_t begin_ms = jd_clock_ms();
    const bool one_turn = true;
    while (scene->clock->lockstep.state != JD_LOCKSTEP_WAITING &&
           jd_clock_ms() < begin_ms + DEADLINE_MS)
        run_until(&scene->loop, &one_turn);
    assert_false(scene->has_poll);
    /* it was set some time between the two, however long that took */
    assert_true(timer->at_ms - begin_ms > (int64_t)(least_s * 1000) - 500);
    assert_true(timer->at_ms - jd_clock_ms() <= (int64_t)(least_s * 2000));
    jd_timer_set(&scene->loop, timer, jd_clock_ms());
}

static void a_simulator_that_answers_nonsense_is_reported_once_and_left_alone(void **state)
{
    struct scene *const scene = *state;
    static const char *const nonsense[] = {
        "", "[]", "{}", "{\"now\":12}", "{\"now\":\"tomorrow\"}", "{\"now\":\"2026-03-13\"}",
    };
    say_time(scene, 0, "1");
    double least_s = 0.8;
    for (size_t i = 0; i < JL_COUNT(nonsense); i++) {
        answer(scene, "200 OK", nonsense[i]);
        expect_wait(scene, least_s);
        least_s = least_s * 2 < 30 ? least_s * 2 : 30;
    }
    answer(scene, "500 Internal Server Error", "");
    expect_wait(scene, 30);
    answer(scene, "200 OK", "{\"now\":\"2026-03-13T12:00:00Z\",\"end\":false}"); /* not after */
    expect_wait(scene, 30);
    assert_int_equal(scene->clock->now_ms, NOON_MS);
    say_time(scene, 5, "2");
    await(scene, &scene->has_poll);
    assert_logged(scene, "level=warn component=clock msg=\"URL: its answer is no time\"\n"
                         "level=info component=clock msg=\"URL answers again\"\n");
}

static void a_simulator_that_is_away_is_reported_once(void **state)
{
    struct scene *const scene = *state;
    say_time(scene, 0, "1");
    await(scene, &scene->has_poll);
    talk_text(scene->waiting, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
    talk_end(scene->waiting);
    expect_wait(scene, 0.8);
    await(scene, &scene->has_poll);
    talk_reset(scene->waiting);
    expect_wait(scene, 1.6);
    say_time(scene, 5, "2");
    await(scene, &scene->has_poll);
    char text[512] = "";
    assert_true(pread(scene->log.fd, text, sizeof text - 1, 0) > 0);
    assert_int_equal(strncmp(text, "level=warn component=clock msg=\"http://127", 42), 0);
    const char *const second = strchr(text, '\n') + 1;
    assert_int_equal(strncmp(second, "level=info ", 11), 0);
    assert_string_equal(strchr(second, '\n'), "\n");
}

#define WALL(name) cmocka_unit_test_setup_teardown(name, with_wall, tear_down)
#define SIMULATOR(name) cmocka_unit_test_setup_teardown(name, with_simulator, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WALL(alarms_ring_by_time_and_then_by_the_order_of_setting),
        WALL(an_alarm_does_not_ring_before_its_time),
        WALL(an_alarm_rings_in_time_whatever_becomes_of_the_wall),
        WALL(a_repeated_alarm_leaves_out_what_is_over),
        WALL(what_an_alarm_sets_for_now_lets_others_have_their_turn),
        WALL(the_wall_clock_starts_at_once_but_from_the_loop),
        SIMULATOR(a_poll_says_who_and_each_next_one_acknowledges),
        SIMULATOR(alarms_of_the_start_ring_in_the_first_step),
        SIMULATOR(a_step_waits_for_the_caches),
        SIMULATOR(a_step_is_not_over_before_its_holds_are),
        SIMULATOR(the_end_is_reported_once_and_asks_no_more),
        SIMULATOR(a_simulator_that_answers_nonsense_is_reported_once_and_left_alone),
        SIMULATOR(a_simulator_that_is_away_is_reported_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
