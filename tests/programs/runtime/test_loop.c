/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop: periods do not drift, late ones are counted, signals wait for the loop, timers
 * fire in order. */
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "runtime/clock.h"
#include "runtime/loop.h"
#include "support/test.h"

static const int held[] = { SIGTERM };

struct story {
    struct jd_loop loop;
    int periods;
    int most_periods;
    uint64_t intervals;
    int64_t busy_ms; /* that the first period takes */
    int signal;
    int reads;
    int fd;
};

static void pause_ms(int64_t ms)
{
    const struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
    nanosleep(&pause, NULL);
}

static void on_period(void *user, uint64_t intervals)
{
    struct story *story = user;
    story->intervals += intervals;
    if (story->periods++ == 0)
        pause_ms(story->busy_ms);
    if (story->periods == story->most_periods)
        jd_loop_stop(&story->loop);
}

static void on_signal(void *user, int signal)
{
    struct story *story = user;
    story->signal = signal;
    jd_loop_stop(&story->loop);
}

static void start(struct story *story, int64_t period_ms)
{
    story->loop.user = story;
    story->loop.on_period = on_period;
    story->loop.on_signal = on_signal;
    jd_signals_hold(held, 1);
    assert_int_equal(jd_loop_open(&story->loop, period_ms, held, 1, NULL), 0);
}

static void periods_are_counted_from_the_first_one(void **state)
{
    struct story story = { .most_periods = 10 };
    (void)state;
    const int64_t start_ms = jd_clock_ms();
    start(&story, 10);
    assert_int_equal(jd_loop_run(&story.loop, NULL), 0);
    assert_true(jd_clock_ms() - start_ms >= (int64_t)(10 * story.intervals));
    assert_true(story.intervals >= 10);
    jd_loop_close(&story.loop);
}

static void intervals_that_passed_unused_are_counted(void **state)
{
    struct story story = { .most_periods = 2, .busy_ms = 55 };
    (void)state;
    start(&story, 10);
    assert_int_equal(jd_loop_run(&story.loop, NULL), 0);
    assert_true(story.intervals >= 6);
    jd_loop_close(&story.loop);
}

static void a_signal_before_the_loop_is_not_lost(void **state)
{
    struct story story = { 0 };
    (void)state;
    jd_signals_hold(held, 1);
    raise(SIGTERM);
    start(&story, 60000);
    assert_int_equal(jd_loop_run(&story.loop, NULL), 0);
    assert_int_equal(story.signal, SIGTERM);
    jd_loop_close(&story.loop);
}

static void on_byte(void *user)
{
    struct story *story = user;
    char byte;
    story->reads += (int)read(story->fd, &byte, 1);
    jd_loop_stop(&story->loop);
}

static void a_descriptor_that_is_ready_is_called(void **state)
{
    struct story story = { 0 };
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    start(&story, 60000);
    story.fd = ends[0];
    struct jd_watch watch = { .fd = ends[0], .ready = on_byte, .user = &story };
    assert_int_equal(jd_loop_add(&story.loop, &watch, NULL), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(jd_loop_run(&story.loop, NULL), 0);
    assert_int_equal(story.reads, 1);
    jd_loop_remove(&story.loop, &watch);
    jd_loop_close(&story.loop);
    close(ends[0]);
    close(ends[1]);
}

struct fired {
    struct jd_timer timer;
    struct story *story;
    int name;
    int again;              /* so many times at once */
    struct jd_timer *other; /* is stopped */
};

static int fired_names[64];
static int fired_count;

static void on_fire(void *user)
{
    struct fired *fired = user;
    fired_names[fired_count++] = fired->name;
    if (fired->other)
        jd_timer_stop(&fired->story->loop, fired->other);
    if (fired->again-- > 0)
        jd_timer_set(&fired->story->loop, &fired->timer, 0);
    if (fired->name == 99)
        jd_loop_stop(&fired->story->loop);
}

static void set_timer(struct story *story, struct fired *fired, int name, int64_t at_ms)
{
    *fired =
        (struct fired){ .timer = { .fire = on_fire, .user = fired }, .story = story, .name = name };
    assert_int_equal(jd_timer_set(&story->loop, &fired->timer, at_ms), 0);
}

static void run_timers(struct story *story, const int *expected, int count)
{
    fired_count = 0;
    assert_int_equal(jd_loop_run(&story->loop, NULL), 0);
    assert_int_equal(fired_count, count);
    assert_memory_equal(fired_names, expected, (size_t)count * sizeof *expected);
    jd_loop_close(&story->loop);
}

static void timers_fire_in_the_order_of_their_times(void **state)
{
    struct story story = { 0 };
    struct fired timers[40];
    int expected[40];
    (void)state;
    start(&story, 0);
    const int64_t now_ms = jd_clock_ms();
    for (int i = 0; i < 40; i++) { /* 7 and 40 have no common divisor: each once, mixed */
        set_timer(&story, &timers[i], i * 7 % 40, now_ms + i * 7 % 40);
        expected[i] = i;
    }
    timers[17].name = 99; /* 17 * 7 % 40 = 39 is the last */
    expected[39] = 99;
    run_timers(&story, expected, 40);
    assert_true(jd_clock_ms() >= now_ms + 39);
}

static void timers_of_one_time_fire_in_the_order_of_setting(void **state)
{
    static const int expected[] = { 1, 2, 3, 99 };
    struct story story = { 0 };
    struct fired timers[4];
    (void)state;
    start(&story, 0);
    for (int i = 0; i < 4; i++)
        set_timer(&story, &timers[i], expected[i], 1);
    run_timers(&story, expected, 4);
}

static void a_timer_is_stopped_moved_and_set_again_from_its_own_call(void **state)
{
    static const int expected[] = { 1, 4, 1, 1, 99 };
    struct story story = { 0 };
    struct fired timers[5];
    (void)state;
    start(&story, 0);
    const int64_t now_ms = jd_clock_ms();
    set_timer(&story, &timers[0], 1, 0);
    set_timer(&story, &timers[1], 2, 1);
    set_timer(&story, &timers[2], 3, 0);
    set_timer(&story, &timers[3], 4, now_ms + 60000);
    set_timer(&story, &timers[4], 99, now_ms + 20);
    timers[0].again = 2;
    timers[0].other = &timers[1].timer;
    jd_timer_stop(&story.loop, &timers[2].timer);
    jd_timer_stop(&story.loop, &timers[2].timer);
    assert_int_equal(jd_timer_set(&story.loop, &timers[3].timer, 2), 0);
    run_timers(&story, expected, 5);
}

static void a_timer_that_is_always_due_leaves_descriptors_their_turn(void **state)
{
    struct story story = { 0 };
    struct fired timer;
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    start(&story, 0);
    story.fd = ends[0];
    struct jd_watch watch = { .fd = ends[0], .ready = on_byte, .user = &story };
    assert_int_equal(jd_loop_add(&story.loop, &watch, NULL), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    set_timer(&story, &timer, 1, 0);
    timer.again = 1000;
    fired_count = 0;
    assert_int_equal(jd_loop_run(&story.loop, NULL), 0);
    assert_int_equal(story.reads, 1);
    jd_loop_close(&story.loop);
    close(ends[0]);
    close(ends[1]);
}

struct pair {
    struct jd_loop *loop;
    struct jd_watch watches[2];
    int calls;
};

static void remove_both(void *user)
{
    struct pair *pair = user;
    pair->calls++;
    for (int i = 0; i < 2; i++)
        jd_loop_remove(pair->loop, &pair->watches[i]);
}

static void stop_loop(void *user)
{
    jd_loop_stop(user);
}

static void a_watch_that_a_callback_removes_is_not_called(void **state)
{
    struct story story = { 0 };
    struct pair pair = { .loop = &story.loop };
    int ends[2][2];
    (void)state;
    start(&story, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pipe(ends[i]), 0);
        pair.watches[i] =
            (struct jd_watch){ .fd = ends[i][0], .ready = remove_both, .user = &pair };
        assert_int_equal(jd_loop_add(&story.loop, &pair.watches[i], NULL), 0);
        assert_int_equal(write(ends[i][1], "x", 1), 1);
    }
    struct jd_timer end = { .fire = stop_loop, .user = &story.loop };
    assert_int_equal(jd_timer_set(&story.loop, &end, jd_clock_ms() + 20), 0);
    assert_int_equal(jd_loop_run(&story.loop, NULL), 0);
    assert_int_equal(pair.calls, 1);
    jd_loop_close(&story.loop);
    for (int i = 0; i < 2; i++) {
        close(ends[i][0]);
        close(ends[i][1]);
    }
}

static void note_events(void *user)
{
    struct pair *pair = user;
    pair->calls = (int)pair->watches[0].seen;
    jd_loop_stop(pair->loop);
}

static void a_watch_waits_for_the_events_it_names(void **state)
{
    struct story story = { 0 };
    struct pair pair = { .loop = &story.loop };
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    start(&story, 0);
    pair.watches[0] =
        (struct jd_watch){ .fd = ends[1], .events = EPOLLIN, .ready = note_events, .user = &pair };
    assert_int_equal(jd_loop_add(&story.loop, &pair.watches[0], NULL), 0);
    pair.watches[0].events = EPOLLOUT;
    assert_int_equal(jd_loop_change(&story.loop, &pair.watches[0], NULL), 0);
    assert_int_equal(jd_loop_run(&story.loop, NULL), 0);
    assert_int_equal(pair.calls, EPOLLOUT);
    jd_loop_close(&story.loop);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods_are_counted_from_the_first_one),
        cmocka_unit_test(intervals_that_passed_unused_are_counted),
        cmocka_unit_test(a_signal_before_the_loop_is_not_lost),
        cmocka_unit_test(a_descriptor_that_is_ready_is_called),
        cmocka_unit_test(timers_fire_in_the_order_of_their_times),
        cmocka_unit_test(timers_of_one_time_fire_in_the_order_of_setting),
        cmocka_unit_test(a_timer_is_stopped_moved_and_set_again_from_its_own_call),
        cmocka_unit_test(a_timer_that_is_always_due_leaves_descriptors_their_turn),
        cmocka_unit_test(a_watch_that_a_callback_removes_is_not_called),
        cmocka_unit_test(a_watch_waits_for_the_events_it_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
