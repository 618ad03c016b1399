/* SPDX-License-Identifier: Apache-2.0 */

/* Traces that come in pieces, out of order, damaged or too large
 * (docs/rules/threads-training.md#traces); their numbers are vectors. */

#include <stdio.h>
#include <string.h>

#include <joulie/error.h>

#include "base/buffer.h"
#include "support/test.h"
#include "threads/capture.h"
#include "threads/replay.h"

struct reading {
    struct jl_arena arena;
    struct jl_thread_analysis analysis;
    struct joulie_error err;
    int rc;
};

/* In pieces of so many bytes. */
static struct reading read_pieces(const char *text, size_t len, size_t piece)
{
    struct reading reading = { .err = JOULIE_INIT(struct joulie_error) };
    struct joulie_thread_trace *capture = NULL;
    assert_int_equal(joulie_thread_trace_new(&capture, &reading.err), 0);
    for (size_t at = 0; reading.rc == 0 && at < len; at += piece)
        reading.rc = joulie_thread_trace_feed(capture, text + at,
                                              len - at < piece ? len - at : piece, &reading.err);
    if (reading.rc == 0)
        reading.rc = jl_capture_end(capture, &reading.arena, 42, &reading.analysis, &reading.err);
    joulie_thread_trace_free(capture);
    return reading;
}

static struct reading read_text(const char *text)
{
    return read_pieces(text, strlen(text), SIZE_MAX / 2);
}

static void put_switch(struct jl_buffer *out, uint64_t us, unsigned cpu, unsigned prev,
                       unsigned next)
{
    char line[256];
    const int len = snprintf(
        line, sizeof line,
        "w-%u [%03u] d..2. %llu.%06llu: sched_switch: prev_comm=w prev_pid=%u prev_prio=120 "
        "prev_state=S ==> next_comm=w next_pid=%u next_prio=120\n",
        prev, cpu, (unsigned long long)(us / 1000000), (unsigned long long)(us % 1000000), prev,
        next);
    jl_put(out, line, (size_t)len);
}

/* Threads 1 and 2 take turns, a millisecond each. */
static void put_turns(struct jl_buffer *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_switch(out, 1000000 + 1000 * i, 0, 1 + i % 2, 2 - i % 2);
}

static const struct jl_thread_features *thread_of(const struct reading *reading, int64_t tid)
{
    for (size_t i = 0; i < reading->analysis.threads.count; i++) {
        const struct jl_thread_features *thread =
            JL_ITEM(reading->analysis.threads, jl_thread_features, i);
        if (thread->tid == tid)
            return thread;
    }
    fail_msg("thread %lld is not there", (long long)tid);
    return NULL;
}

static void pieces_of_any_size_read_the_same(void **state)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    (void)state;
    put_turns(&text, 40);
    struct reading whole = read_text(text.data);
    assert_int_equal(whole.rc, 0);
    assert_near(thread_of(&whole, 1)->run_us, 19000, 1e-9);
    for (size_t piece = 1; piece < 300; piece++) {
        struct reading again = read_pieces(text.data, text.len, piece);
        assert_int_equal(again.rc, 0);
        assert_int_equal(again.analysis.switches, 40);
        assert_near(thread_of(&again, 1)->run_us, thread_of(&whole, 1)->run_us, 0);
        assert_near(thread_of(&again, 2)->rate, thread_of(&whole, 2)->rate, 0);
        jl_arena_clear(&again.arena);
    }
    jl_arena_clear(&whole.arena);
}

static void chrome_in_pieces_reads_the_same(void **state)
{
    static const char text[] =
        "{\"otherData\":{\"systemTraceEvents\":\"no\"},\"traceEvents\":[{\"args\":\"\\\\\\\"\"}],"
        "\"systemTraceEvents\":\"# tracer: nop\\n w\\u00e9-1 [000] d... 1.0: sched_switch: "
        "prev_comm=w\\u00e9 prev_pid=1 prev_prio=1 prev_state=S ==> next_comm=v next_pid=2 "
        "next_prio=1\\n w-2 [000] d... 2.0: sched_switch: prev_comm=v prev_pid=2 prev_prio=1 "
        "prev_state=S ==> next_comm=w\\u00e9 next_pid=1 next_prio=1\\n\"}";
    (void)state;
    for (size_t piece = 1; piece < sizeof text; piece += piece < 20 ? 1 : 37) {
        struct reading reading = read_pieces(text, sizeof text - 1, piece);
        assert_int_equal(reading.rc, 0);
        assert_string_equal(reading.analysis.format, "chrome");
        assert_string_equal(thread_of(&reading, 1)->comm, "w\xc3\xa9");
        assert_near(thread_of(&reading, 2)->run_us, 1000000, 0);
        jl_arena_clear(&reading.arena);
    }
}

static void a_little_disorder_is_put_in_order(void **state)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer ordered = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer late = { 0 };
    (void)state;
    put_turns(&ordered, JL_CAPTURE_WINDOW);
    for (size_t i = 1; i < JL_CAPTURE_WINDOW; i++)
        put_switch(&late, 1000000 + 1000 * i, 0, 1 + i % 2, 2 - i % 2);
    put_switch(&late, 1000000, 0, 1, 2); /* the first, at the end */
    struct reading reading = read_text(late.data);
    assert_int_equal(reading.rc, 0);
    assert_near(reading.analysis.coverage, 1, 0);
    struct reading expected = read_text(ordered.data);
    assert_near(thread_of(&reading, 1)->run_us, thread_of(&expected, 1)->run_us, 0);
    jl_arena_clear(&reading.arena);
    jl_arena_clear(&expected.arena);
}

static void more_disorder_is_an_error_that_names_the_line(void **state)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    (void)state;
    put_turns(&text, JL_CAPTURE_WINDOW + 1);
    put_switch(&text, 999999, 0, 1, 2);
    struct reading reading = read_text(text.data);
    assert_int_equal(reading.rc, JOULIE_E_PARSE);
    assert_non_null(strstr(reading.err.message, "line 1026 "));
    jl_arena_clear(&reading.arena);
}

static void one_bad_line_in_twenty_is_too_much(void **state)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    (void)state;
    put_turns(&text, 19);
    jl_put_string(&text, "hello\n");
    struct reading good = read_text(text.data);
    assert_int_equal(good.rc, 0);
    jl_put_string(&text, "hello\n");
    struct reading bad = read_text(text.data);
    assert_int_equal(bad.rc, JOULIE_E_PARSE);
    assert_string_equal(bad.err.where, "trace");
    assert_non_null(strstr(bad.err.message, "2 of 21 lines are no events, line 20 is the first"));
    jl_arena_clear(&good.arena);
    jl_arena_clear(&bad.arena);
}

static void a_line_without_end_takes_no_more_memory(void **state)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    (void)state;
    put_turns(&text, 40);
    for (size_t i = 0; i < 100000; i++)
        jl_put_char(&text, 'x');
    for (size_t piece = 1000; piece < 300000; piece *= 17) {
        struct reading reading = read_pieces(text.data, text.len, piece);
        assert_int_equal(reading.rc, 0);
        assert_int_equal(reading.analysis.switches, 40);
        jl_arena_clear(&reading.arena);
    }
}

static void threads_that_never_end_are_refused(void **state)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_thread_trace *capture = NULL;
    assert_int_equal(joulie_thread_trace_new(&capture, &err), 0);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    int rc = 0;
    (void)state;
    for (unsigned tid = 1; rc == 0 && tid < 2 * JL_REPLAY_MOST_THREADS; tid++) {
        jl_buffer_reset(&text);
        put_switch(&text, 1000000 + tid, 0, tid, tid + 1);
        rc = joulie_thread_trace_feed(capture, text.data, text.len, &err);
    }
    assert_int_equal(rc, JOULIE_E_LIMIT);
    assert_string_equal(err.where, "trace");
    joulie_thread_trace_free(capture);
}

static void a_lossy_trace_says_how_much_it_has(void **state)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    (void)state;
    for (size_t i = 0; i < 10; i++)
        put_switch(&text, 1000000 + 1000 * i, 0, i < 5 ? 1 + i % 2 : 3, i < 5 ? 2 - i % 2 : 4);
    struct reading reading = read_text(text.data); /* five of ten do not fit */
    assert_int_equal(reading.rc, JOULIE_E_CONFLICT);
    assert_non_null(strstr(reading.err.message, "E_TRACE_LOSSY: coverage 0.500 "));
    jl_arena_clear(&reading.arena);
}

static void a_fork_of_the_workload_belongs_to_it(void **state)
{
    static const char text[] =
        "a-1 [000] d... 1.0: sched_process_fork: comm=a pid=1 child_comm=a child_pid=5\n"
        "a-1 [000] d... 1.1: sched_wakeup_new: comm=a pid=5 prio=120 target_cpu=000\n"
        "a-1 [000] d... 1.2: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> "
        "next_comm=a next_pid=5 next_prio=120\n"
        "a-5 [000] d... 1.3: task_rename: pid=5 oldcomm=a newcomm=worker 5 oom_score_adj=0\n"
        "a-5 [000] d... 1.4: sched_switch: prev_comm=worker 5 prev_pid=5 prev_prio=120 "
        "prev_state=S ==> next_comm=b next_pid=9 next_prio=120\n";
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct reading reading = { .rc = 0 };
    struct joulie_thread_trace *capture = NULL;
    (void)state;
    assert_int_equal(joulie_thread_trace_new(&capture, &err), 0);
    assert_int_equal(joulie_thread_trace_add_thread(capture, 1, &err), 0);
    assert_int_equal(joulie_thread_trace_feed(capture, text, sizeof text - 1, &err), 0);
    assert_int_equal(jl_capture_end(capture, &reading.arena, 42, &reading.analysis, &err), 0);
    assert_string_equal(thread_of(&reading, 5)->comm, "worker 5");
    assert_true(thread_of(&reading, 5)->given.role);
    assert_false(thread_of(&reading, 9)->given.role);
    assert_near(thread_of(&reading, 5)->p50, 200000, 1e-6);
    joulie_thread_trace_free(capture);
    jl_arena_clear(&reading.arena);
}

static void threads_without_names_are_there(void **state)
{
    static const char text[] = "ts,dur,cpu,tid,end_state\n1000,500,0,7,S\n1500,250,0,8,S\n";
    struct reading reading = read_text(text);
    (void)state;
    assert_int_equal(reading.rc, 0);
    assert_int_equal(reading.analysis.threads.count, 2);
    assert_string_equal(thread_of(&reading, 7)->comm, "");
    assert_near(thread_of(&reading, 8)->run_us, 0.25, 1e-12);
    jl_arena_clear(&reading.arena);
}

static void a_thread_that_is_named_and_never_seen_is_not_there(void **state)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct reading reading = { .rc = 0 };
    struct joulie_thread_trace *capture = NULL;
    (void)state;
    put_turns(&text, 40);
    assert_int_equal(joulie_thread_trace_new(&capture, &err), 0);
    assert_int_equal(joulie_thread_trace_add_thread(capture, 1, &err), 0);
    assert_int_equal(joulie_thread_trace_add_thread(capture, 77, &err), 0);
    assert_int_equal(joulie_thread_trace_feed(capture, text.data, text.len, &err), 0);
    assert_int_equal(jl_capture_end(capture, &reading.arena, 42, &reading.analysis, &err), 0);
    assert_int_equal(reading.analysis.threads.count, 2);
    assert_true(thread_of(&reading, 1)->given.role);
    assert_false(thread_of(&reading, 2)->given.role);
    joulie_thread_trace_free(capture);
    jl_arena_clear(&reading.arena);
}

static void a_name_that_is_no_utf_8_is_printed_with_marks(void **state)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    (void)state;
    put_turns(&text, 40);
    jl_put_string(&text, "w-1 [001] d... 5.0: sched_waking: comm=a\xff\xc3z pid=7 prio=120 x\n");
    struct reading reading = read_text(text.data);
    assert_int_equal(reading.rc, 0);
    assert_string_equal(thread_of(&reading, 7)->comm, "a\xef\xbf\xbd\xef\xbf\xbdz");
    jl_arena_clear(&reading.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_any_size_read_the_same),
        cmocka_unit_test(chrome_in_pieces_reads_the_same),
        cmocka_unit_test(a_little_disorder_is_put_in_order),
        cmocka_unit_test(more_disorder_is_an_error_that_names_the_line),
        cmocka_unit_test(one_bad_line_in_twenty_is_too_much),
        cmocka_unit_test(a_line_without_end_takes_no_more_memory),
        cmocka_unit_test(threads_that_never_end_are_refused),
        cmocka_unit_test(a_lossy_trace_says_how_much_it_has),
        cmocka_unit_test(a_fork_of_the_workload_belongs_to_it),
        cmocka_unit_test(threads_without_names_are_there),
        cmocka_unit_test(a_thread_that_is_named_and_never_seen_is_not_there),
        cmocka_unit_test(a_name_that_is_no_utf_8_is_printed_with_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
