/* SPDX-License-Identifier: Apache-2.0 */

/* The clock of a simulator, docs/rules/programs.md#time: a poll acknowledges the step before it.
 * clock.c hands over to it when a URL is given. */

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "base/time.h"
#include "kubernetes/wait.h"
#include "runtime/clock_parts.h"
#include "runtime/json.h"
#include "runtime/url.h"

#define POLL_MS 120000 /* then once more: nothing may be due for long */
#define ANSWER_BYTES 65536
#define MS_PER_S 1000
#define US_PER_MS 1000
#define MICRO_DIGITS 3 /* of six, that milliseconds do not have */

static void turn_now(struct jd_clock *clock)
{
    jd_timer_set(clock->loop, &clock->timer, jd_clock_ms());
}

/* ---- trouble ---- */

static void report(struct jd_clock *clock, enum jd_lockstep_trouble trouble, const char *message)
{
    if (clock->lockstep.trouble == trouble)
        return;
    clock->lockstep.trouble = trouble;
    if (!clock->options.log)
        return;
    JL_CLEANUP(jl_freep) char *shown = jd_shown_url(clock->url);
    const char *const who = shown ? shown : "the simulator";
    if (trouble == JD_TROUBLE_NONE)
        jd_log(clock->options.log, JOULIE_LOG_LEVEL_INFO, "clock", "%s answers again", who);
    else
        jd_log(clock->options.log, JOULIE_LOG_LEVEL_WARN, "clock", "%s: %s", who, message);
}

static void wait_after(struct jd_clock *clock, enum jd_lockstep_trouble trouble,
                       const char *message)
{
    struct jd_lockstep *const lockstep = &clock->lockstep;
    const struct jl_wait_range range = jl_reflector_wait(lockstep->failures++, 0);
    const double wait_s = jl_random_range(&lockstep->random, range.least_s, range.most_s);
    report(clock, trouble, message);
    lockstep->state = JD_LOCKSTEP_WAITING;
    jd_timer_set(clock->loop, &clock->timer, jd_clock_ms() + (int64_t)(wait_s * MS_PER_S));
}

/* ---- a poll and its answer ---- */

struct answer {
    int64_t now_ms;
    char *resource_version; /* NULL = none */
    bool is_end;
};

/* false = it is no answer of a clock. */
static bool read_answer(const struct jd_reply *reply, struct answer *out)
{
    JL_CLEANUP(jd_json_freep) struct json_object *root = jd_json_parse(reply->body, reply->len);
    const char *const now = jd_json_text(root, "now");
    const char *const version = jd_json_text(root, "resourceVersion");
    *out = (struct answer){ .is_end = json_object_get_boolean(jd_json_at(root, "end")) };
    const bool is_good = now && jl_parse_time(now, strlen(now), &out->now_ms) == 0;
    if (version)
        out->resource_version = jl_strdup(version);
    const bool has_memory = !version || out->resource_version;
    return (is_good && has_memory) || out->is_end;
}

static void take_answer(struct jd_clock *clock, struct answer *answer)
{
    struct jd_lockstep *const lockstep = &clock->lockstep;
    lockstep->failures = 0;
    report(clock, JD_TROUBLE_NONE, NULL);
    if (answer->is_end) {
        lockstep->state = JD_LOCKSTEP_ENDED;
        if (clock->options.on_end)
            clock->options.on_end(clock->options.user);
        return;
    }
    jl_free(lockstep->resource_version);
    lockstep->resource_version = answer->resource_version;
    answer->resource_version = NULL;
    lockstep->next_ms = answer->now_ms;
    lockstep->state = JD_LOCKSTEP_REACHING;
    turn_now(clock);
}

static void on_answer(void *user, const struct jd_reply *reply)
{
    struct jd_clock *const clock = user;
    struct answer answer = { 0 };
    char status[64];
    clock->lockstep.poll = NULL;
    snprintf(status, sizeof status, "it answered with status %d", reply->status);
    if (reply->end == JD_HTTP_TIMED_OUT) {
        clock->lockstep.state = JD_LOCKSTEP_WAITING;
        turn_now(clock);
    } else if (reply->end != JD_HTTP_WHOLE) {
        wait_after(clock, JD_TROUBLE_AWAY, reply->message);
    } else if (reply->status != 200) {
        wait_after(clock, JD_TROUBLE_ANSWER, status);
    } else if (!read_answer(reply, &answer)) {
        wait_after(clock, JD_TROUBLE_ANSWER, "its answer is no time");
    } else if (!answer.is_end && answer.now_ms <= clock->now_ms) {
        wait_after(clock, JD_TROUBLE_ANSWER, "it answered with a time that is over");
    } else {
        take_answer(clock, &answer);
    }
    jl_free(answer.resource_version);
}

void jd_clock_format(int64_t ms, char out[JL_TIME_TEXT])
{
    const size_t len = jl_format_time_us(ms * US_PER_MS, out);
    memcpy(out + len - 1 - MICRO_DIGITS, "Z", sizeof "Z");
}

static void put_time(struct jl_buffer *out, const char *name, int64_t ms)
{
    char text[JL_TIME_TEXT];
    jd_clock_format(ms, text);
    jl_put_char(out, '&');
    jl_put_string(out, name);
    jl_put_char(out, '=');
    jd_put_url(out, text);
}

/* The next due time as the simulator can serve it. */
static int64_t due_ms(const struct jd_clock *clock)
{
    if (!clock->first)
        return JD_NEVER_MS;
    return clock->first->due_ms > clock->now_ms ? clock->first->due_ms : clock->now_ms + 1;
}

static void put_poll_url(struct jl_buffer *out, const struct jd_clock *clock)
{
    size_t len = strlen(clock->url);
    while (len > 0 && clock->url[len - 1] == '/')
        len--;
    jl_put(out, clock->url, len);
    jl_put_string(out, "/clock?who=");
    jd_put_url(out, clock->who);
    if (clock->options.order > 0) {
        jl_put_string(out, "&order=");
        jl_put_i64(out, clock->options.order);
    }
    if (clock->options.wants_pods)
        jl_put_string(out, "&on=pods");
    if (clock->now_ms > 0)
        put_time(out, "after", clock->now_ms);
    if (clock->now_ms > 0 && jl_is_instant(due_ms(clock)))
        put_time(out, "due", due_ms(clock));
}

static void poll(struct jd_clock *clock)
{
    struct jd_lockstep *const lockstep = &clock->lockstep;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer url = { 0 };
    put_poll_url(&url, clock);
    const struct jd_http_request request = {
        .url = url.data,
        .timeout_ms = POLL_MS,
        .limit_bytes = ANSWER_BYTES,
        .on_done = on_answer,
        .user = clock,
    };
    lockstep->announced_ms = due_ms(clock);
    lockstep->state = JD_LOCKSTEP_POLLING;
    if (jl_buffer_code(&url) != 0 ||
        jd_http_start(clock->http, &request, &lockstep->poll, &err) != 0)
        wait_after(clock, JD_TROUBLE_AWAY, err.message);
}

/* ---- from step to step ---- */

static void reach(struct jd_clock *clock)
{
    struct jd_lockstep *const lockstep = &clock->lockstep;
    const struct jd_clock_options *const options = &clock->options;
    const char *const version = lockstep->resource_version ? lockstep->resource_version : "";
    if (options->has_reached && version[0] != '\0' && !options->has_reached(options->user, version))
        return; /* until jd_clock_check() */
    clock->now_ms = lockstep->next_ms;
    lockstep->state = JD_LOCKSTEP_STEPPING;
    jd_clock_report_started(clock, clock->now_ms);
    jd_clock_fire(clock, clock->now_ms);
    turn_now(clock);
}

static void step(struct jd_clock *clock)
{
    if (clock->holds > 0)
        return; /* until jd_clock_release() */
    if (clock->first && clock->first->due_ms <= clock->now_ms) {
        jd_clock_fire(clock, clock->now_ms);
        turn_now(clock);
        return;
    }
    poll(clock);
}

void jd_lockstep_turn(struct jd_clock *clock)
{
    struct jd_lockstep *const lockstep = &clock->lockstep;
    if (clock->now_ms > 0)
        jd_clock_report_started(clock, clock->now_ms);
    switch (lockstep->state) {
    case JD_LOCKSTEP_WAITING:
        poll(clock);
        break;
    case JD_LOCKSTEP_POLLING:
        if (due_ms(clock) < lockstep->announced_ms) { /* something is due earlier than was said */
            jd_http_cancel(lockstep->poll);
            lockstep->poll = NULL;
            poll(clock);
        }
        break;
    case JD_LOCKSTEP_REACHING:
        reach(clock);
        break;
    case JD_LOCKSTEP_STEPPING:
        step(clock);
        break;
    case JD_LOCKSTEP_ENDED:
        break;
    }
}

void jd_lockstep_alarmed(struct jd_clock *clock)
{
    const bool is_early = clock->lockstep.state == JD_LOCKSTEP_POLLING &&
                          due_ms(clock) < clock->lockstep.announced_ms;
    const bool is_late_start = clock->started && clock->now_ms > 0;
    if (clock->now_ms > 0 && (is_early || is_late_start))
        turn_now(clock);
}

void jd_lockstep_open(struct jd_clock *clock)
{
    clock->lockstep.state = JD_LOCKSTEP_WAITING;
    clock->lockstep.random.state =
        jl_hash(clock->who, strlen(clock->who)) ^ (uint64_t)jd_clock_now().monotonic_us;
    turn_now(clock);
}

void jd_lockstep_close(struct jd_clock *clock)
{
    jd_http_cancel(clock->lockstep.poll);
    jl_free(clock->lockstep.resource_version);
    clock->lockstep = (struct jd_lockstep){ 0 };
}
