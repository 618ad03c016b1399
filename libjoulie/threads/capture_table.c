/* SPDX-License-Identifier: Apache-2.0 */

/* The tables that perfetto's trace processor prints: slices of CPUs, and wake-ups
 * (docs/rules/threads-training.md#tables). Called by capture.c. */

#include "threads/capture_table.h"

#include <string.h>

#include "base/number.h"
#include "base/words.h"

enum member { NO_MEMBER, TS, DUR, CPU, TID, COMM, END_STATE, STATE, WAKER, IRQ, MEMBERS };

static const struct jl_words member_words = JL_WORDS({
    { TS, "ts" },
    { DUR, "dur" },
    { CPU, "cpu" },
    { TID, "tid" },
    { COMM, "comm" },
    { END_STATE, "end_state" },
    { STATE, "state" },
    { WAKER, "waker_tid" },
    { IRQ, "irq_context" },
});

/* The next field, without its quotes; a quote inside is written twice and stays so. */
static bool take_field(struct jl_text *rest, struct jl_text *out)
{
    size_t end = 0;
    if (rest->ptr == NULL)
        return false;
    if (rest->len > 0 && rest->ptr[0] == '"') {
        for (end = 1; end < rest->len; end++) {
            if (rest->ptr[end] == '"' && (end + 1 == rest->len || rest->ptr[end + 1] != '"'))
                break;
            end += rest->ptr[end] == '"';
        }
        if (end >= rest->len || (end + 1 < rest->len && rest->ptr[end + 1] != ','))
            return false;
        *out = (struct jl_text){ rest->ptr + 1, end - 1 };
        end++;
    } else {
        end = jl_text_find_far(*rest, ',');
        *out = jl_text_trim((struct jl_text){ rest->ptr, end });
    }
    *rest = end < rest->len ? (struct jl_text){ rest->ptr + end + 1, rest->len - end - 1 }
                            : (struct jl_text){ NULL, 0 };
    return true;
}

bool jl_table_read_head(struct jl_text line, struct jl_table_head *out)
{
    struct jl_table_head head = { .count = 0 };
    bool has[MEMBERS] = { false };
    struct jl_text field;
    while (head.count < JL_TABLE_COLUMNS && take_field(&line, &field)) {
        const int member = jl_word_value(&member_words, field);
        has[member] = true;
        head.members[head.count++] = (unsigned char)member;
    }
    head.is_wakes = has[STATE] && has[WAKER];
    if (!has[TS] || !has[TID] || !(head.is_wakes || (has[DUR] && has[CPU] && has[END_STATE])))
        return false;
    *out = head;
    return true;
}

static bool is_null(struct jl_text field)
{
    return field.len == 0 || jl_text_is(field, "[NULL]") || jl_text_is(field, "NULL");
}

static bool read_integer(struct jl_text field, int64_t least, int64_t most, int64_t *out)
{
    return jl_parse_i64(field.ptr, field.len, out) == 0 && *out >= least && *out <= most;
}

/* A name of 15 bytes at most, as the kernel has them. */
static void put_name(struct jl_text field, char out[JL_COMM])
{
    size_t len = 0;
    for (size_t i = 0; i < field.len && len + 1 < JL_COMM; i++) {
        out[len++] = field.ptr[i];
        i += field.ptr[i] == '"'; /* the second of two quotes */
    }
}

#define MOST_NS INT64_C(4000000000000000000)
#define MOST_TID INT32_MAX

static int read_slice(const struct jl_text *fields, struct jl_event out[2])
{
    int64_t ts, dur, cpu, tid;
    if (!read_integer(fields[TS], 0, MOST_NS, &ts) ||
        !read_integer(fields[DUR], -1, MOST_NS, &dur) ||
        !read_integer(fields[CPU], 0, JL_REPLAY_MOST_CPUS - 1, &cpu) ||
        !read_integer(fields[TID], 0, MOST_TID, &tid))
        return -1;
    out[0] = (struct jl_event){
        .ns = ts, .tid = (uint32_t)tid, .cpu = (uint16_t)cpu, .kind = JL_EVENT_IN
    };
    put_name(fields[COMM], out[0].comm);
    out[1] = out[0];
    if (dur < 0 || is_null(fields[END_STATE]))
        return 1; /* it ran until the end */
    out[1].kind = JL_EVENT_OUT;
    out[1].ns = ts + dur;
    out[1].state = fields[END_STATE].ptr[0];
    return 2;
}

static int read_wake(const struct jl_text *fields, struct jl_event *out)
{
    int64_t ts, tid;
    int64_t waker = 0;
    if (!read_integer(fields[TS], 0, MOST_NS, &ts) ||
        !read_integer(fields[TID], 0, MOST_TID, &tid) ||
        (!is_null(fields[WAKER]) && !read_integer(fields[WAKER], 0, MOST_TID, &waker)))
        return -1;
    *out = (struct jl_event){ .ns = ts,
                              .tid = (uint32_t)waker,
                              .other = (uint32_t)tid,
                              .kind = JL_EVENT_WAKE,
                              .is_irq = jl_text_is(fields[IRQ], "1") };
    return jl_text_is(fields[STATE], "R") ? 1 : 0; /* R+ was preempted */
}

int jl_table_read_row(const struct jl_table_head *head, struct jl_text line, struct jl_event out[2])
{
    struct jl_text fields[MEMBERS] = { { NULL, 0 } };
    struct jl_text field;
    for (size_t i = 0; i < head->count; i++) {
        if (!take_field(&line, &field))
            return -1;
        fields[head->members[i]] = field;
    }
    return head->is_wakes ? read_wake(fields, out) : read_slice(fields, out);
}
