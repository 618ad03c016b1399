/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The clock of the participants: their polls wait for their turn, and each given step for its
 * acknowledgement (docs/rules/simulator-contract.md#clock). Driven by world.c and contract.c.
 */

#include "simulator/clock_server.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "base/time.h"
#include "runtime/clock.h"
#include "runtime/json.h"

#define MS_PER_S 1000
#define MOST_PARTICIPANTS 4096
#define MOST_NAME 253

/*
 * A participant is PARKED while its poll waits, STEPPING from the answer until it polls again, AWAY
 * when its poll was cut before an answer, LATE when the deadline passed while it was stepping or
 * away. Time stands still while one that has been given a step at now_ms is STEPPING or AWAY; a
 * LATE one is left out until it polls.
 */
enum state {
    PARKED,   /* its poll waits for an answer */
    STEPPING, /* it was answered, and has not asked again */
    AWAY,     /* its poll was cut */
    LATE,     /* it was waited for in vain */
};

struct jd_participant {
    struct jd_participant *next;
    struct jd_clock_server *clock;
    struct jd_exchange *exchange; /* PARKED */
    enum state state;
    int64_t order;
    int64_t due_ms;
    int64_t stepped_ms; /* time of its last step; INT64_MIN = none yet */
    bool is_stale;      /* an extender that has not seen the last writes */
    bool wants_pods;    /* a step when a pod comes or goes */
    bool knows_end;     /* of the end */
    char name[];
};

/* ---- life ---- */

int jd_clock_server_init(struct jd_clock_server *clock, const char *names)
{
    size_t count = 0;
    clock->now_ms = JD_NO_TIME;
    clock->awaited = jl_calloc((names ? strlen(names) : 0) + 2, sizeof *clock->awaited);
    if (!clock->awaited)
        return JOULIE_E_NOMEM;
    while (names && *names) {
        names += strspn(names, ", ");
        const size_t len = strcspn(names, ", ");
        if (len > 0) {
            clock->awaited[count] = jl_calloc(len + 1, 1);
            if (!clock->awaited[count])
                return JOULIE_E_NOMEM;
            memcpy(clock->awaited[count++], names, len);
        }
        names += len;
    }
    return 0;
}

void jd_clock_server_clear(struct jd_clock_server *clock)
{
    while (clock->participants) {
        struct jd_participant *next = clock->participants->next;
        jl_free(clock->participants);
        clock->participants = next;
    }
    for (char **name = clock->awaited; name && *name; name++)
        jl_free(*name);
    jl_free(clock->awaited);
    clock->awaited = NULL;
    if (clock->loop)
        jd_timer_stop(clock->loop, &clock->deadline);
}

/* ---- participants ---- */

static struct jd_participant *find(const struct jd_clock_server *clock, const char *name)
{
    struct jd_participant *one = clock->participants;
    while (one && !jl_same(one->name, name))
        one = one->next;
    return one;
}

static struct jd_participant *find_or_add(struct jd_clock_server *clock, const char *name)
{
    struct jd_participant *one = find(clock, name);
    size_t count = 0;
    if (one)
        return one;
    for (one = clock->participants; one; one = one->next)
        count++;
    const size_t len = strlen(name);
    one =
        count < MOST_PARTICIPANTS && len <= MOST_NAME ? jl_calloc(1, sizeof *one + len + 1) : NULL;
    if (!one)
        return NULL;
    memcpy(one->name, name, len + 1);
    one->clock = clock;
    one->stepped_ms = INT64_MIN;
    one->due_ms = JD_NO_TIME;
    one->next = clock->participants;
    clock->participants = one;
    clock->on_new(clock->user, one->name);
    return one;
}

const char *jd_clock_server_missing(const struct jd_clock_server *clock)
{
    for (char **name = clock->awaited; name && *name; name++) {
        if (!find(clock, *name))
            return *name;
    }
    return NULL;
}

bool jd_clock_server_is_used(const struct jd_clock_server *clock)
{
    return clock->participants || (clock->awaited && clock->awaited[0]);
}

int64_t jd_clock_server_due(const struct jd_clock_server *clock)
{
    int64_t due_ms = JD_NO_TIME;
    for (const struct jd_participant *one = clock->participants; one; one = one->next) {
        if (one->state != LATE && one->due_ms < due_ms)
            due_ms = one->due_ms;
    }
    return due_ms;
}

/* ---- answers ---- */

static void answer_time(const struct jd_clock_server *clock, struct jd_exchange *exchange,
                        int64_t now_ms, bool is_end)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    char now[JL_TIME_TEXT];
    jd_clock_format(now_ms, now);
    jl_put_char(&body, '{');
    jd_json_put_text(&body, "now", now);
    jd_json_put_text(&body, "resourceVersion", clock->version(clock->user));
    jl_put_string(&body, is_end ? ",\"end\":true}" : ",\"end\":false}");
    if (body.is_failed)
        jd_exchange_text(exchange, 500, "out of memory\n");
    else
        jd_exchange_reply(exchange, 200, "application/json", body.data, body.len);
}

static void answer(struct jd_participant *one, int64_t now_ms, bool is_end)
{
    struct jd_exchange *exchange = one->exchange;
    one->exchange = NULL;
    one->state = STEPPING;
    one->knows_end = is_end;
    answer_time(one->clock, exchange, now_ms, is_end);
}

/* ---- steps ---- */

static void advance(struct jd_clock_server *clock);

static bool is_extender(const struct jd_participant *one)
{
    return one->order == JD_ORDER_SCHEDULER;
}

/* An extender steps, due or not, when what it decides by was written since its last step. */
static bool is_due(const struct jd_clock_server *clock, const struct jd_participant *one)
{
    if (one->state == LATE || one->stepped_ms >= clock->now_ms)
        return false;
    return one->due_ms <= clock->now_ms || (is_extender(one) && one->is_stale);
}

/* Its step of this time is not acknowledged. */
static bool is_awaited(const struct jd_clock_server *clock, const struct jd_participant *one)
{
    return one->state == STEPPING || (one->state == AWAY && one->stepped_ms == clock->now_ms);
}

static bool has_awaited(const struct jd_clock_server *clock)
{
    for (const struct jd_participant *one = clock->participants; one; one = one->next) {
        if (is_awaited(clock, one))
            return true;
    }
    return false;
}

/* Time goes on without those that are awaited. */
static void on_deadline(void *user)
{
    struct jd_clock_server *clock = user;
    for (struct jd_participant *one = clock->participants; one; one = one->next) {
        if (!is_awaited(clock, one))
            continue;
        one->state = LATE;
        clock->late++;
        clock->on_late(clock->user, one->name);
    }
    advance(clock);
}

static void wait_for_them(struct jd_clock_server *clock)
{
    clock->deadline.fire = on_deadline;
    clock->deadline.user = clock;
    jd_timer_set(clock->loop, &clock->deadline, jd_clock_ms() + clock->deadline_ms);
}

/* One whose poll was cut gets its answer when it polls again. */
static void give_step(struct jd_clock_server *clock, struct jd_participant *one)
{
    one->stepped_ms = clock->now_ms;
    one->due_ms = JD_NO_TIME;
    one->is_stale = false;
    if (one->exchange)
        answer(one, clock->now_ms, false);
}

/* The next ones of this time, when the ones before have done their step. */
static void advance(struct jd_clock_server *clock)
{
    int64_t order = INT64_MAX;
    if (!clock->is_stepping || has_awaited(clock))
        return;
    for (const struct jd_participant *one = clock->participants; one; one = one->next) {
        if (is_due(clock, one) && one->order < order)
            order = one->order;
    }
    if (order == INT64_MAX) {
        clock->is_stepping = false;
        jd_timer_stop(clock->loop, &clock->deadline);
        clock->on_done(clock->user);
        return;
    }
    for (struct jd_participant *one = clock->participants; one; one = one->next) {
        if (one->order == order && is_due(clock, one))
            give_step(clock, one);
    }
    wait_for_them(clock);
}

void jd_clock_server_begin(struct jd_clock_server *clock, int64_t now_ms)
{
    clock->now_ms = now_ms;
    clock->is_stepping = true;
    wait_for_them(clock); /* one that was answered between two steps is waited for too */
    advance(clock);
}

void jd_clock_server_stir(struct jd_clock_server *clock)
{
    for (struct jd_participant *one = clock->participants; one; one = one->next)
        one->is_stale = true;
}

bool jd_clock_server_pods_changed(struct jd_clock_server *clock, int64_t now_ms)
{
    bool is_wanted = false;
    for (struct jd_participant *one = clock->participants; one; one = one->next) {
        const int64_t due_ms = one->stepped_ms < now_ms ? now_ms : now_ms + 1;
        if (!one->wants_pods || one->state == LATE || one->due_ms <= due_ms)
            continue;
        one->due_ms = due_ms;
        is_wanted = true;
    }
    return is_wanted;
}

/* ---- polls ---- */

/* A poll that is replaced by another one of its participant is not its call any more. */
static void on_gone(void *user, struct jd_exchange *exchange)
{
    struct jd_participant *one = user;
    if (one->exchange != exchange)
        return;
    one->exchange = NULL;
    one->state = AWAY;
}

struct poll {
    const char *who;
    int64_t order;
    bool has_after;
    int64_t after_ms;
    int64_t due_ms;
    bool wants_pods;
};

static bool read_time(const char *text, int64_t *out)
{
    return jl_parse_time(text, strlen(text), out) == 0;
}

/* NULL, or what is wrong with it. */
static const char *read_poll(struct jd_exchange *exchange, struct poll *out)
{
    const char *order = jd_exchange_query(exchange, "order");
    const char *after = jd_exchange_query(exchange, "after");
    const char *due = jd_exchange_query(exchange, "due");
    const char *every = jd_exchange_query(exchange, "every");
    const char *on = jd_exchange_query(exchange, "on");
    double every_s = 0;
    *out = (struct poll){ .who = jd_exchange_query(exchange, "who"),
                          .order = JD_ORDER_AGENT,
                          .has_after = after != NULL,
                          .due_ms = JD_NO_TIME,
                          .wants_pods = on != NULL };
    if (jl_is_empty(out->who))
        return "who is missing\n";
    if (order && jl_parse_i64(order, strlen(order), &out->order) != 0)
        return "order is no number\n";
    if (after && !read_time(after, &out->after_ms))
        return "after is no time\n";
    if (due && !read_time(due, &out->due_ms))
        return "due is no time\n";
    if (every && (jl_parse_double(every, strlen(every), &every_s) != 0 || every_s <= 0 ||
                  every_s > INT32_MAX))
        return "every is no number of seconds\n";
    if (on && !jl_same(on, "pods"))
        return "on is not pods\n";
    if (!due && every && after)
        out->due_ms = out->after_ms + (int64_t)(every_s * MS_PER_S);
    return NULL;
}

/* A poll acknowledges the step at its `after`, and asks for the next. */
void jd_clock_server_handle(struct jd_clock_server *clock, struct jd_exchange *exchange,
                            int64_t now_ms)
{
    struct poll poll;
    if (!jd_exchange_query(exchange, "who") &&
        !jd_exchange_query(exchange, "after")) { /* only looks */
        answer_time(clock, exchange, now_ms, clock->has_ended);
        return;
    }
    const char *problem = read_poll(exchange, &poll);
    if (!problem && poll.has_after && poll.after_ms > now_ms)
        problem = "after is in the future\n";
    if (problem) {
        jd_exchange_text(exchange, 400, problem);
        return;
    }
    struct jd_participant *one = find_or_add(clock, poll.who);
    if (!one) {
        jd_exchange_text(exchange, 503, "too many participants, or their names are too long\n");
        return;
    }
    struct jd_exchange *before = one->exchange;
    one->exchange = exchange;
    one->order = poll.order;
    one->wants_pods = poll.wants_pods;
    jd_exchange_on_gone(exchange, on_gone, one);
    if (before)
        jd_exchange_text(before, 409, "another poll of this participant came\n");
    if (clock->has_ended) {
        answer(one, now_ms, true);
        return;
    }
    const bool is_new = !poll.has_after;
    const bool has_done = poll.has_after && poll.after_ms >= one->stepped_ms;
    if (clock->is_stepping && one->stepped_ms == clock->now_ms && !has_done) {
        answer(one, clock->now_ms, false); /* it never got the answer, or has been started anew */
        return;
    }
    one->state = PARKED;
    one->due_ms = is_new ? now_ms : poll.due_ms;
    if (is_new)
        one->stepped_ms = INT64_MIN;
    if (is_new && is_extender(one) && !clock->is_stepping && clock->now_ms != JD_NO_TIME) {
        one->due_ms = JD_NO_TIME;
        one->stepped_ms = now_ms;
        answer(one, now_ms, false); /* time may stand still until it can answer where a pod goes */
        return;
    }
    if (clock->is_stepping)
        advance(clock);
    else
        clock->on_change(clock->user);
}

/* ---- the end ---- */

void jd_clock_server_end(struct jd_clock_server *clock, int64_t now_ms)
{
    clock->has_ended = true;
    for (struct jd_participant *one = clock->participants; one; one = one->next) {
        if (one->exchange)
            answer(one, now_ms, true);
    }
}

bool jd_clock_server_all_know(const struct jd_clock_server *clock)
{
    for (const struct jd_participant *one = clock->participants; one; one = one->next) {
        if (!one->knows_end && (one->state == STEPPING || one->state == PARKED))
            return false;
    }
    return true;
}
