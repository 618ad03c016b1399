/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Lines of ftrace and perf script (docs/rules/threads-training.md#text-lines). Called by capture.c
 * for every line of a trace, so nothing is copied but names, and nothing is read twice.
 *
 *     comm-TID (TGID) [CPU] flags seconds.fraction: event: body        ftrace
 *     comm PID/TID [CPU] seconds.fraction: sched:event: body           perf script
 */

#include "threads/capture_text.h"

#include <string.h>

#include "base/digits.h"

#define MOST_HEAD 96            /* bytes before the CPU: a name, numbers, blanks */
#define MOST_SECONDS 9000000000 /* of a time that 64 bits of nanoseconds hold */
#define NS_DIGITS 9
#define NS_PER_S 1000000000

/* lengths of literals are constants where it is called */
#define INLINE static inline __attribute__((always_inline))

struct cursor {
    const char *at;
    const char *end;
};

static inline bool is_digit_at(const struct cursor *in)
{
    return in->at < in->end && (unsigned char)(*in->at - '0') < 10;
}

INLINE bool take_bytes(struct cursor *in, const char *literal, size_t len)
{
    if ((size_t)(in->end - in->at) < len || memcmp(in->at, literal, len) != 0)
        return false;
    in->at += len;
    return true;
}

#define TAKE(in, literal) take_bytes((in), (literal), sizeof(literal) - 1)

static inline void skip_blanks(struct cursor *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t'))
        in->at++;
}

/* Of at most nine digits, so that it fits. */
static inline bool take_number(struct cursor *in, uint32_t *out)
{
    const char *start = in->at;
    uint32_t value = 0;
    while (is_digit_at(in) && in->at - start < NS_DIGITS)
        value = value * 10 + (uint32_t)(*in->at++ - '0');
    *out = value;
    return in->at > start && !is_digit_at(in);
}

static inline bool skip_integer(struct cursor *in)
{
    uint32_t value;
    if (in->at < in->end && *in->at == '-')
        in->at++;
    return take_number(in, &value);
}

/* seconds.fraction in nanoseconds; a short fraction has zeros behind it. */
static bool take_time(struct cursor *in, int64_t *out)
{
    static const int64_t scales[] = { 1000000000, 100000000, 10000000, 1000000, 100000,
                                      10000,      1000,      100,      10,      1 };
    uint64_t seconds = 0;
    uint64_t fraction = 0;
    const char *start = in->at;
    in->at += jl_read_digits(in->at, 0, (size_t)(in->end - in->at), &seconds);
    const size_t whole = (size_t)(in->at - start);
    if (whole == 0 || whole > 10 || seconds > MOST_SECONDS || !TAKE(in, "."))
        return false;
    start = in->at;
    in->at += jl_read_digits(in->at, 0, (size_t)(in->end - in->at), &fraction);
    const size_t decimals = (size_t)(in->at - start);
    if (decimals == 0 || decimals > NS_DIGITS)
        return false;
    *out = (int64_t)seconds * NS_PER_S + (int64_t)fraction * scales[decimals];
    return true;
}

/* ---- names ---- */

/* The kernel's names have 15 bytes at most; behind one stands a body that is longer than that. */
static inline void put_name(char out[JL_COMM], const char *text, size_t len, const char *end)
{
    if (end - text < JL_COMM) {
        memset(out, 0, JL_COMM);
        for (size_t i = 0; i < len; i++)
            out[i] = text[i];
        return;
    }
    uint64_t words[2];
    memcpy(words, text, sizeof words);
    if (len < 8) {
        words[0] &= (UINT64_C(1) << 8 * len) - 1;
        words[1] = 0;
    } else {
        words[1] &= (UINT64_C(1) << 8 * (len - 8)) - 1;
    }
    memcpy(out, words, sizeof words);
}

/*
 * A name, a literal and a number behind it, then what has to follow. A name may hold anything, the
 * literal too: it ends at the first place where all of that fits.
 */
INLINE bool take_name(struct cursor *in, const char *literal, size_t literal_len,
                      const char *follows, size_t follows_len, char out[JL_COMM], uint32_t *out_tid)
{
    const char *start = in->at;
    for (size_t len = 0; len < JL_COMM && start + len < in->end; len++) {
        struct cursor rest = { start + len, in->end };
        if (*rest.at == *literal && take_bytes(&rest, literal, literal_len) &&
            take_number(&rest, out_tid) && take_bytes(&rest, follows, follows_len)) {
            put_name(out, start, len, in->end);
            in->at = rest.at;
            return true;
        }
    }
    return false;
}

#define TAKE_NAME(in, literal, follows, out, out_tid)                                      \
    take_name((in), (literal), sizeof(literal) - 1, (follows), sizeof(follows) - 1, (out), \
              (out_tid))

/* ---- bodies ---- */

/* The first letter says enough: R and R+ are runnable, D waits for a device. */
static inline bool take_state(struct cursor *in, char *out)
{
    static const char letters[] = "RSDTtXZPI";
    const char *start = in->at;
    while (in->at < in->end && *in->at != ' ')
        in->at++;
    *out = in->at > start ? *start : '\0';
    for (size_t i = 0; i < sizeof letters - 1; i++) {
        if (*out == letters[i])
            return true;
    }
    return false;
}

static bool take_switch(struct cursor *in, struct jl_event *out)
{
    out->kind = JL_EVENT_SWITCH;
    return TAKE(in, "prev_comm=") &&
           TAKE_NAME(in, " prev_pid=", " prev_prio=", out->comm, &out->tid) && skip_integer(in) &&
           TAKE(in, " prev_state=") && take_state(in, &out->state) && TAKE(in, " ==> next_comm=") &&
           TAKE_NAME(in, " next_pid=", " next_prio=", out->other_comm, &out->other) &&
           skip_integer(in);
}

static bool take_wake(struct cursor *in, struct jl_event *out)
{
    out->kind = JL_EVENT_WAKE;
    return TAKE(in, "comm=") && TAKE_NAME(in, " pid=", " prio=", out->other_comm, &out->other) &&
           skip_integer(in);
}

/* How perf prints where it has a plugin for the event: name:TID [priority]. */
static bool take_short_switch(struct cursor *in, struct jl_event *out)
{
    out->kind = JL_EVENT_SWITCH;
    return TAKE_NAME(in, ":", " [", out->comm, &out->tid) && skip_integer(in) && TAKE(in, "] ") &&
           take_state(in, &out->state) && TAKE(in, " ==> ") &&
           TAKE_NAME(in, ":", " [", out->other_comm, &out->other) && skip_integer(in) &&
           TAKE(in, "]");
}

static bool take_short_wake(struct cursor *in, struct jl_event *out)
{
    out->kind = JL_EVENT_WAKE;
    return TAKE_NAME(in, ":", " [", out->other_comm, &out->other) && skip_integer(in) &&
           TAKE(in, "]");
}

static bool take_fork(struct cursor *in, struct jl_event *out)
{
    out->kind = JL_EVENT_FORK;
    return TAKE(in, "comm=") && TAKE_NAME(in, " pid=", " child_comm=", out->comm, &out->tid) &&
           TAKE_NAME(in, " child_pid=", "", out->other_comm, &out->other);
}

static bool take_rename(struct cursor *in, struct jl_event *out)
{
    struct cursor rest;
    uint32_t score;
    out->kind = JL_EVENT_RENAME;
    if (!TAKE(in, "pid=") || !take_number(in, &out->tid) || !TAKE(in, " oldcomm="))
        return false;
    for (size_t len = 0; len < JL_COMM && in->at + len < in->end; len++) {
        rest = (struct cursor){ in->at + len, in->end };
        if (TAKE(&rest, " newcomm=") && TAKE_NAME(&rest, " oom_score_adj=", "", out->comm, &score))
            return true;
    }
    return false;
}

/* Two ways to print one body: the second is tried where the first does not fit. */
static bool take_either(struct cursor *in, bool (*first)(struct cursor *, struct jl_event *),
                        bool (*second)(struct cursor *, struct jl_event *), struct jl_event *out)
{
    const struct cursor start = *in;
    if (first(in, out))
        return true;
    *in = start;
    return second(in, out);
}

static bool take_body(struct cursor *in, struct jl_event *out)
{
    const char *start = in->at;
    if (TAKE(in, "sched_switch: "))
        return take_either(in, take_switch, take_short_switch, out);
    if (TAKE(in, "sched_waking: ") || TAKE(in, "sched_wakeup_new: "))
        return take_either(in, take_wake, take_short_wake, out);
    if (TAKE(in, "sched_process_fork: "))
        return take_fork(in, out);
    if (TAKE(in, "task_rename: "))
        return take_rename(in, out);
    if (TAKE(in, "PERF_RECORD_LOST lost ")) {
        out->kind = JL_EVENT_LOST;
        return take_number(in, &out->count);
    }
    while (in->at < in->end && *in->at != ':' && *in->at != ' ')
        in->at++;
    return in->at > start && in->at < in->end && *in->at == ':'; /* another event */
}

/* ---- heads ---- */

/* "CPU:3 [LOST 12 EVENTS]" of ftrace, "overrun: 12" of its statistics. */
static bool take_lost(struct cursor *in, struct jl_event *out)
{
    uint32_t cpu;
    out->kind = JL_EVENT_LOST;
    if (TAKE(in, "overrun: "))
        return take_number(in, &out->count);
    if (!TAKE(in, "CPU:") || !take_number(in, &cpu) || !TAKE(in, " [LOST "))
        return false;
    out->count = 1;
    return TAKE(in, "EVENTS]") || (take_number(in, &out->count) && TAKE(in, " EVENTS]"));
}

/* What stands before the CPU: reads backwards from there to the thread. */
static enum jl_capture_format read_thread(const char *start, const char *at, uint32_t *out_tid)
{
    while (at > start && at[-1] == ' ')
        at--;
    if (at > start && at[-1] == ')') { /* the process, which may be unknown */
        while (at > start && at[-1] != '(')
            at--;
        at -= at > start;
        while (at > start && at[-1] == ' ')
            at--;
    }
    struct cursor digits = { at, at };
    while (digits.at > start && (unsigned char)(digits.at[-1] - '0') < 10)
        digits.at--;
    const char *before = digits.at;
    if (before == start || !take_number(&digits, out_tid))
        return JL_CAPTURE_UNKNOWN;
    if (before[-1] == '-')
        return before - start > 1 ? JL_CAPTURE_FTRACE : JL_CAPTURE_UNKNOWN;
    if (before[-1] == '/') { /* the process, then the thread */
        const char *slash = --before;
        while (before > start && (unsigned char)(before[-1] - '0') < 10)
            before--;
        if (before == slash || before == start)
            return JL_CAPTURE_UNKNOWN;
    }
    return before[-1] == ' ' ? JL_CAPTURE_PERF : JL_CAPTURE_UNKNOWN;
}

/* Behind the CPU's bracket. */
static bool take_rest(struct cursor *in, enum jl_capture_format format, struct jl_event *out)
{
    if (format == JL_CAPTURE_FTRACE) {
        const char *flags = in->at;
        while (in->at < in->end && *in->at != ' ')
            in->at++;
        const size_t len = (size_t)(in->at - flags);
        if (len < 4 || len > 6)
            return false;
        const char context = flags[2];
        out->is_irq =
            context == 'h' || context == 'H' || context == 's' || context == 'z' || context == 'Z';
    }
    skip_blanks(in);
    if (!take_time(in, &out->ns) || !TAKE(in, ":"))
        return false;
    skip_blanks(in);
    if (format == JL_CAPTURE_PERF && !TAKE(in, "sched:"))
        TAKE(in, "task:");
    return take_body(in, out);
}

/* A name may hold brackets: the CPU is where everything else fits. */
enum jl_capture_format jl_capture_line(struct jl_text line, struct jl_event *out)
{
    struct cursor in = { line.ptr, line.ptr + line.len };
    skip_blanks(&in);
    const char *start = in.at;
    const char *last = in.end - start > MOST_HEAD ? start + MOST_HEAD : in.end;
    for (; in.at < last; in.at++) {
        if (*in.at != '[')
            continue;
        struct cursor rest = { in.at + 1, in.end };
        uint32_t cpu;
        *out = (struct jl_event){ .kind = JL_EVENT_NONE };
        if (in.at == start || in.at[-1] != ' ' || !take_number(&rest, &cpu) ||
            cpu >= JL_REPLAY_MOST_CPUS || !TAKE(&rest, "] "))
            continue;
        const enum jl_capture_format format = read_thread(start, in.at, &out->tid);
        out->cpu = (uint16_t)cpu;
        if (format != JL_CAPTURE_UNKNOWN && take_rest(&rest, format, out))
            return format;
    }
    in.at = start;
    *out = (struct jl_event){ .kind = JL_EVENT_NONE };
    return take_lost(&in, out) ? JL_CAPTURE_FTRACE : JL_CAPTURE_UNKNOWN;
}
