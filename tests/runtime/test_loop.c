/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop: periods do not drift, late ones are counted, signals wait for the loop. */
#include <signal.h>
#include <string.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods_are_counted_from_the_first_one),
        cmocka_unit_test(intervals_that_passed_unused_are_counted),
        cmocka_unit_test(a_signal_before_the_loop_is_not_lost),
        cmocka_unit_test(a_descriptor_that_is_ready_is_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
