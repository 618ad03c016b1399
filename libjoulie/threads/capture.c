/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Traces as they come, piece by piece (docs/rules/threads-training.md#traces): which format it is,
 * lines, the order of time, what is too much. Asked by threads.train.analyze.
 */

#include "threads/capture.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "schema/encode.h"
#include "threads/capture_json.h"
#include "threads/capture_table.h"
#include "threads/capture_text.h"
#include "threads/replay.h"

#define BAD_LINES_SHARE 20 /* one of so many may be no event */
#define JSON_BYTES 4096    /* of a string that are decoded at a time */

static const char *const format_names[] = {
    [JL_CAPTURE_UNKNOWN] = "",          [JL_CAPTURE_FTRACE] = "ftrace", [JL_CAPTURE_PERF] = "perf",
    [JL_CAPTURE_PERFETTO] = "perfetto", [JL_CAPTURE_CHROME] = "chrome",
};

struct joulie_thread_trace {
    struct jl_replay *replay;
    enum jl_capture_format format;
    bool has_begun;              /* a byte that is no blank was seen */
    struct jl_capture_json json; /* with JL_CAPTURE_CHROME */
    struct jl_table_head head;   /* with JL_CAPTURE_PERFETTO */
    struct jl_event *rows;       /* with it, all of them */
    size_t row_count;
    size_t row_capacity;

    char *line; /* the beginning of one that goes on in the next piece */
    size_t line_len;
    bool is_line_too_long;
    uint64_t lines; /* that are no comment */
    uint64_t bad_lines;
    uint64_t number; /* of the line, comments included */
    uint64_t first_bad;

    struct jl_event window[JL_CAPTURE_WINDOW]; /* in order, from first on, around the end */
    size_t first;
    size_t count;
    int64_t played_ns; /* of the newest event that has left the window */
};

int joulie_thread_trace_new(struct joulie_thread_trace **out, struct joulie_error *err)
{
    struct joulie_thread_trace *capture = jl_calloc(1, sizeof *capture);
    if (capture == NULL)
        return jl_fail_memory(err);
    capture->replay = jl_replay_new();
    capture->line = jl_calloc(1, JL_CAPTURE_LINE_BYTES);
    capture->played_ns = INT64_MIN;
    if (capture->replay == NULL || capture->line == NULL) {
        joulie_thread_trace_free(capture);
        return jl_fail_memory(err);
    }
    *out = capture;
    return 0;
}

void joulie_thread_trace_free(struct joulie_thread_trace *capture)
{
    if (capture == NULL)
        return;
    jl_replay_free(capture->replay);
    jl_free(capture->rows);
    jl_free(capture->line);
    jl_free(capture);
}

static int fail_event(int rc, struct joulie_error *err)
{
    if (rc == JOULIE_E_LIMIT)
        return jl_fail(err, rc, "trace", "more than %d threads are in it", JL_REPLAY_MOST_THREADS);
    return jl_fail_memory(err);
}

int joulie_thread_trace_add_thread(struct joulie_thread_trace *capture, uint32_t tid,
                                   struct joulie_error *err)
{
    const int rc = jl_replay_add_member(capture->replay, tid);
    return rc < 0 ? fail_event(rc, err) : 0;
}

/* ---- the order of time ---- */

static int play_first(struct joulie_thread_trace *capture, struct joulie_error *err)
{
    const struct jl_event *event = &capture->window[capture->first];
    const int rc = jl_replay_event(capture->replay, event);
    capture->played_ns = event->ns;
    capture->first = (capture->first + 1) % JL_CAPTURE_WINDOW;
    capture->count--;
    return rc < 0 ? fail_event(rc, err) : 0;
}

/* Behind all events that are not younger: equal times stay as they came. */
static int put_event(struct joulie_thread_trace *capture, const struct jl_event *event,
                     struct joulie_error *err)
{
    int rc = 0;
    if (event->ns < capture->played_ns)
        return jl_fail(err, JOULIE_E_PARSE, "trace",
                       "E_TRACE_FORMAT: line %llu is older than the %d events before it",
                       (unsigned long long)capture->number, JL_CAPTURE_WINDOW);
    if (capture->count == JL_CAPTURE_WINDOW)
        rc = play_first(capture, err);
    if (rc < 0)
        return rc;
    size_t at = capture->first + capture->count++;
    for (size_t i = capture->count - 1; i > 0; i--, at--) {
        const struct jl_event *before = &capture->window[(at - 1) % JL_CAPTURE_WINDOW];
        if (before->ns <= event->ns)
            break;
        capture->window[at % JL_CAPTURE_WINDOW] = *before;
    }
    capture->window[at % JL_CAPTURE_WINDOW] = *event;
    return 0;
}

/* ---- lines ---- */

static int put_rows(struct joulie_thread_trace *capture, const struct jl_event *events, int count,
                    struct joulie_error *err)
{
    if (capture->row_count + (size_t)count > JL_CAPTURE_TABLE_EVENTS)
        return jl_fail(err, JOULIE_E_LIMIT, "trace",
                       "the tables have too many rows: give less "
                       "time, or the text of the events");
    if (JL_GROW(&capture->rows, &capture->row_capacity, capture->row_count + (size_t)count) < 0)
        return jl_fail_memory(err);
    for (int i = 0; i < count; i++)
        capture->rows[capture->row_count++] = events[i];
    return 0;
}

static void put_bad_line(struct joulie_thread_trace *capture)
{
    if (capture->bad_lines++ == 0)
        capture->first_bad = capture->number;
}

static int take_row(struct joulie_thread_trace *capture, struct jl_text line,
                    struct joulie_error *err)
{
    struct jl_event events[2];
    if (!jl_is_digit(line.ptr[0]) && jl_table_read_head(line, &capture->head))
        return 0;
    const int count = jl_table_read_row(&capture->head, line, events);
    if (count >= 0)
        return put_rows(capture, events, count, err);
    put_bad_line(capture);
    return 0;
}

static int take_text(struct joulie_thread_trace *capture, struct jl_text line,
                     struct joulie_error *err)
{
    struct jl_event event;
    const enum jl_capture_format format = jl_capture_line(line, &event);
    const enum jl_capture_format wanted =
        capture->format == JL_CAPTURE_CHROME ? JL_CAPTURE_FTRACE : capture->format;
    if (event.kind == JL_EVENT_LOST && format != JL_CAPTURE_UNKNOWN) {
        const int rc = jl_replay_event(capture->replay, &event);
        return rc < 0 ? fail_event(rc, err) : 0;
    }
    if (format == JL_CAPTURE_UNKNOWN || (wanted != JL_CAPTURE_UNKNOWN && format != wanted)) {
        put_bad_line(capture);
        return 0;
    }
    if (capture->format == JL_CAPTURE_UNKNOWN) {
        capture->format = format;
        if (format == JL_CAPTURE_PERF)
            jl_replay_hide_interrupts(capture->replay);
    }
    return event.kind != JL_EVENT_NONE ? put_event(capture, &event, err) : 0;
}

static int take_line(struct joulie_thread_trace *capture, struct jl_text line,
                     struct joulie_error *err)
{
    static const char tracer[] = "# tracer:";
    capture->number++;
    while (line.len > 0 && jl_is_space(line.ptr[line.len - 1]))
        line.len--;
    if (line.len == 0)
        return 0;
    if (line.ptr[0] == '#') {
        if (capture->format == JL_CAPTURE_UNKNOWN && line.len >= sizeof tracer - 1 &&
            memcmp(line.ptr, tracer, sizeof tracer - 1) == 0)
            capture->format = JL_CAPTURE_FTRACE;
        return 0;
    }
    if (capture->format == JL_CAPTURE_UNKNOWN && jl_table_read_head(line, &capture->head)) {
        capture->format = JL_CAPTURE_PERFETTO;
        return 0;
    }
    capture->lines++;
    return capture->format == JL_CAPTURE_PERFETTO ? take_row(capture, line, err)
                                                  : take_text(capture, line, err);
}

/* ---- pieces ---- */

static void keep(struct joulie_thread_trace *capture, const char *text, size_t len)
{
    if (len > JL_CAPTURE_LINE_BYTES - capture->line_len) {
        capture->is_line_too_long = true;
        return;
    }
    memcpy(capture->line + capture->line_len, text, len);
    capture->line_len += len;
}

static int end_line(struct joulie_thread_trace *capture, struct joulie_error *err)
{
    const struct jl_text line = { capture->line, capture->line_len };
    capture->line_len = 0;
    if (!capture->is_line_too_long)
        return take_line(capture, line, err);
    capture->is_line_too_long = false;
    capture->number++;
    capture->lines++;
    put_bad_line(capture);
    return 0;
}

static int feed_lines(struct joulie_thread_trace *capture, struct jl_text text,
                      struct joulie_error *err)
{
    int rc = 0;
    while (rc == 0 && text.len > 0) {
        const size_t len = jl_text_find_far(text, '\n');
        const struct jl_text line = { text.ptr, len };
        if (len == text.len) {
            keep(capture, text.ptr, len);
            return 0;
        }
        if (capture->line_len == 0 && !capture->is_line_too_long) {
            rc = take_line(capture, line, err);
        } else {
            keep(capture, text.ptr, len);
            rc = end_line(capture, err);
        }
        text = (struct jl_text){ text.ptr + len + 1, text.len - len - 1 };
    }
    return rc;
}

static int feed_json(struct joulie_thread_trace *capture, struct jl_text text,
                     struct joulie_error *err)
{
    char decoded[JSON_BYTES];
    int rc = 0;
    while (rc == 0 && text.len > 0) {
        const size_t len = jl_capture_json_read(&capture->json, &text, decoded, sizeof decoded);
        rc = feed_lines(capture, (struct jl_text){ decoded, len }, err);
    }
    return rc;
}

int joulie_thread_trace_feed(struct joulie_thread_trace *capture, const char *bytes, size_t len,
                             struct joulie_error *err)
{
    struct jl_text text = { bytes, len };
    while (!capture->has_begun && text.len > 0 && jl_is_space(text.ptr[0]))
        text = (struct jl_text){ text.ptr + 1, text.len - 1 };
    if (!capture->has_begun && text.len > 0) {
        capture->has_begun = true;
        if (text.ptr[0] == '{')
            capture->format = JL_CAPTURE_CHROME;
    }
    return capture->format == JL_CAPTURE_CHROME ? feed_json(capture, text, err)
                                                : feed_lines(capture, text, err);
}

/* ---- the end ---- */

static int compare_times(const void *a, const void *b, void *user)
{
    const struct jl_event *left = a;
    const struct jl_event *right = b;
    (void)user;
    return JL_ORDER(left->ns, right->ns);
}

static int play_rest(struct joulie_thread_trace *capture, struct joulie_error *err)
{
    int rc = 0;
    while (rc == 0 && capture->count > 0)
        rc = play_first(capture, err);
    if (rc == 0 &&
        jl_sort(capture->rows, capture->row_count, sizeof *capture->rows, compare_times, NULL) < 0)
        rc = jl_fail_memory(err);
    for (size_t i = 0; rc == 0 && i < capture->row_count; i++) {
        rc = jl_replay_event(capture->replay, &capture->rows[i]);
        if (rc < 0)
            rc = fail_event(rc, err);
    }
    return rc;
}

static int check_lines(const struct joulie_thread_trace *capture, struct joulie_error *err)
{
    if (capture->lines == 0)
        return jl_fail(err, JOULIE_E_PARSE, "trace", "E_TRACE_FORMAT: there is no event in it");
    if (capture->bad_lines * BAD_LINES_SHARE > capture->lines)
        return jl_fail(err, JOULIE_E_PARSE, "trace",
                       "E_TRACE_FORMAT: %llu of %llu lines are no events, line %llu is the first",
                       (unsigned long long)capture->bad_lines, (unsigned long long)capture->lines,
                       (unsigned long long)capture->first_bad);
    return 0;
}

int jl_capture_end(struct joulie_thread_trace *capture, struct jl_arena *arena, uint64_t seed,
                   struct jl_thread_analysis *out, struct joulie_error *err)
{
    int rc = capture->line_len > 0 || capture->is_line_too_long ? end_line(capture, err) : 0;
    if (rc == 0)
        rc = check_lines(capture, err);
    if (rc == 0)
        rc = play_rest(capture, err);
    if (rc == 0)
        rc = jl_replay_end(capture->replay, arena, out, err);
    if (rc < 0)
        return rc;
    JL_SET(out, format, format_names[capture->format]);
    if (out->coverage < JL_CAPTURE_LEAST_COVERAGE) {
        const unsigned per_mille = (unsigned)(out->coverage * 1000);
        return jl_fail(err, JOULIE_E_CONFLICT, "trace",
                       "E_TRACE_LOSSY: coverage 0.%03u is below 0.80: events are missing in it",
                       per_mille);
    }
    const bool is_lossy = out->coverage < JL_CAPTURE_GOOD_COVERAGE;
    JL_SET_IF(out, is_lossy, is_lossy, is_lossy);
    return jl_thread_analyze(arena, seed, out, err);
}

int joulie_thread_trace_analyze(struct joulie_thread_trace *trace, uint64_t seed, char **json,
                                struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer out = { 0 };
    struct jl_thread_analysis analysis = { .has = 0 };
    const int rc = jl_capture_end(trace, &arena, seed, &analysis, err);
    if (rc < 0)
        return rc;
    jl_encode(&out, &jl_thread_analysis_table, &analysis);
    return jl_hand_out(&out, json, err);
}
