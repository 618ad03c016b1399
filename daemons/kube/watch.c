/* SPDX-License-Identifier: Apache-2.0 */

/* The watch of a reflector: one connection, a stream of frames (docs/rules/clients.md#watches). */

#include <string.h>

#include "base/number.h"
#include "base/words.h"
#include "kube/client_parts.h"
#include "kube/follow.h"
#include "kube/status.h"
#include "kubernetes/retry.h"
#include "runtime/clock.h"

/* docs/rules/clients.md#watches */
#define LEAST_TIMEOUT_S 300
#define TIMEOUT_SPREAD_S 300
#define GRACE_S 30
#define DEAD_S 150 /* bookmarks come every minute */

/* How long a watch has to live to be worth another one at once, and to be worth another list. */
#define PROOF_WATCH_S 1.0
#define PROOF_LIST_S 30.0
#define MOST_QUICK 3

static const struct jl_word type_items[] = {
    { JL_EVENT_ADDED, "ADDED" },     { JL_EVENT_MODIFIED, "MODIFIED" },
    { JL_EVENT_DELETED, "DELETED" }, { JL_EVENT_BOOKMARK, "BOOKMARK" },
    { JL_EVENT_ERROR, "ERROR" },
};
static const struct jl_words type_words = JL_WORDS(type_items);

/* ---- frames ---- */

static struct jl_watch_state state_of(const struct jd_reflector *r)
{
    struct jl_watch_state state = jd_follow_state(r);
    state.is_synthetic = jl_is_empty(state.version) || jl_same(state.version, "0");
    return state;
}

static bool end_with(struct jd_reflector *r, const struct jl_watch_step *step)
{
    r->end = *step;
    r->is_ended = true;
    return false;
}

/* What came cannot be used: nobody knows what was in it, so all is listed again. */
static bool end_unusable(struct jd_reflector *r, const char *reason)
{
    const struct jl_watch_state state = jd_follow_state(r);
    struct jl_watch_step step =
        jl_watch_on_end(&state, &(struct jl_watch_end){ .kind = JL_END_HTTP, .code = 410 });
    step.is_backoff = true;
    jd_follow_count(r, reason);
    return end_with(r, &step);
}

static bool take_error(struct jd_reflector *r, struct jl_text object)
{
    struct jd_status status;
    const struct jl_watch_state state = state_of(r);
    jd_status_read(object.ptr, object.len, &status);
    const struct jl_watch_event event = {
        .type = JL_EVENT_ERROR,
        .code = status.code,
        .reason = status.reason,
        .is_version_too_large = status.is_version_too_large,
    };
    const struct jl_watch_step step = jl_watch_on_event(&state, &event);
    const bool is_expired =
        status.code == 410 || jl_same(status.reason, "Expired") || jl_same(status.reason, "Gone");
    r->counts.expired += is_expired;
    jd_follow_count(r, is_expired ? "expired" : "error");
    if (step.is_surface)
        jd_follow_problem(r, (int)status.code, status.message);
    return end_with(r, &step);
}

static bool take_event(struct jd_reflector *r, enum jl_event_type type, struct jl_text object)
{
    struct jd_meta meta;
    const struct jl_watch_state state = state_of(r);
    const int rc = jd_meta_read(object, &r->arena, &meta);
    const char *version =
        rc == 0 ? jl_arena_copy(&r->arena, meta.version.ptr, meta.version.len) : NULL;
    if (!version)
        return end_unusable(r, "broken");
    const struct jl_watch_step step =
        jl_watch_on_event(&state, &(struct jl_watch_event){ .type = type, .version = version });
    if (step.action == JL_WATCH_UPSERT)
        jd_apply_upsert(r, object, &meta); /* another uid: removes first */
    else if (step.action == JL_WATCH_REMOVE)
        jd_apply_remove(r, &meta);
    if (r->is_short)
        return end_unusable(r, "memory");
    if (step.action == JL_WATCH_ADVANCE)
        r->counts.bookmarks++;
    else if (step.action != JL_WATCH_IGNORE)
        r->counts.events++;
    r->events += step.action != JL_WATCH_IGNORE;
    if (!jl_same(step.version, state.version)) {
        r->has_advanced = true;
        if (!jd_follow_set_version(r, step.version))
            return end_unusable(r, "memory");
    }
    return true;
}

static bool take_frame(void *user, struct jl_text line)
{
    struct jd_reflector *r = user;
    struct jd_frame frame;
    jl_arena_reset(&r->arena);
    if (jd_frame_read(line, &r->arena, &frame) < 0) {
        r->counts.broken++;
        return end_unusable(r, "broken");
    }
    const enum jl_event_type type = (enum jl_event_type)jl_word_value(&type_words, frame.type);
    return type == JL_EVENT_ERROR ? take_error(r, frame.object) : take_event(r, type, frame.object);
}

static bool on_data(void *user, const char *bytes, size_t len)
{
    struct jd_reflector *r = user;
    const int64_t events = r->events;
    const enum jd_frames_result result = jd_frames_feed(&r->frames, bytes, len, take_frame, r);
    if (result == JD_FRAMES_TOO_LONG) {
        r->counts.too_long++;
        end_unusable(r, "too-long");
    } else if (result == JD_FRAMES_NOMEM) {
        end_unusable(r, "memory");
    }
    if (r->events > events) {
        jd_follow_heard(r);
        if (r->options.moved)
            r->options.moved(r->options.user);
    }
    return result == JD_FRAMES_MORE;
}

/* ---- the end ---- */

/* A server that ends every watch at once is not asked in a loop, whatever it says. */
static bool is_worth_it(struct jd_reflector *r, bool is_list, double lived_s)
{
    if (lived_s >= (is_list ? PROOF_LIST_S : PROOF_WATCH_S) ||
        (r->has_advanced && lived_s >= PROOF_WATCH_S)) {
        r->quick = 0;
        return true;
    }
    r->quick++;
    return r->quick == 1 || (r->has_advanced && r->quick <= MOST_QUICK);
}

static bool is_renewed(struct jd_reflector *r, const struct jd_reply *reply,
                       const struct jl_watch_step *step, int64_t now_ms)
{
    struct jd_access *access = jd_kube_access(r->kube);
    if (step->next == JL_NEXT_REFRESH && !r->is_refreshed) {
        r->is_refreshed = true;
        return jd_access_refused(access, r->started_ms, now_ms);
    }
    if (reply->end == JD_HTTP_UNTRUSTED && !r->is_distrusted) {
        r->is_distrusted = true;
        return jd_access_distrusted(access, now_ms);
    }
    return false;
}

static struct jl_watch_step step_of(struct jd_reflector *r, const struct jd_reply *reply,
                                    double lived_s)
{
    const struct jl_watch_state state = state_of(r);
    const bool is_whole = reply->end == JD_HTTP_WHOLE;
    const bool is_stream = reply->status == 200;
    const struct jl_watch_end end = {
        .kind = !is_whole   ? JL_END_CURL
                : is_stream ? JL_END_EOF
                            : JL_END_HTTP,
        .code = reply->status,
        .lived_s = lived_s,
        .events = r->events,
    };
    if (is_stream && !is_whole) {
        r->counts.broken++;
        jd_follow_count(r, "broken");
    }
    if (is_whole && reply->status == 410) {
        r->counts.expired++;
        jd_follow_count(r, "expired");
    }
    return jl_watch_on_end(&state, &end);
}

/* A kind that has gone is listed: perhaps it never comes back. */
static void list_if_gone(struct jd_reflector *r, const struct jd_reply *reply,
                         struct jl_watch_step *step)
{
    if (reply->end != JD_HTTP_WHOLE || reply->status != 404)
        return;
    const struct jl_watch_state state = state_of(r);
    const struct jl_watch_step start = jl_watch_on_start(&state);
    step->next = start.next;
    step->list_version = start.list_version;
}

static void report(struct jd_reflector *r, const struct jd_reply *reply,
                   const struct jl_watch_step *step)
{
    struct jd_status status;
    jd_status_read(reply->body, reply->len, &status);
    if (reply->status == 404 && r->options.is_optional)
        return; /* the list finds out */
    const bool is_whole = reply->end == JD_HTTP_WHOLE;
    const bool is_answer = is_whole && reply->status != 200;
    if (step->is_surface || (step->is_backoff && r->failures > 0))
        jd_follow_problem(r, is_answer ? reply->status : 0,
                          is_answer  ? status.message
                          : is_whole ? "the server ends each watch at once"
                                     : reply->message);
}

static void on_end(void *user, const struct jd_reply *reply)
{
    struct jd_reflector *r = user;
    const int64_t now_ms = jd_clock_ms();
    const double lived_s = (double)(now_ms - r->started_ms) / 1000;
    r->transfer = NULL;
    jd_frames_clear(&r->frames);
    jd_kube_count(r->kube, "watch", r->options.resource, reply->status);

    struct jl_watch_step step = r->is_ended ? r->end : step_of(r, reply, lived_s);
    const bool is_good = reply->status == 200;
    if (!r->is_ended && is_renewed(r, reply, &step, now_ms)) {
        jd_watch_start(r);
        return;
    }
    if (is_good)
        r->is_refreshed = r->is_distrusted = false;
    if (step.next == JL_NEXT_REFRESH) {
        step.next = JL_NEXT_WATCH;
        step.is_backoff = true;
    }
    if (!r->is_ended) {
        list_if_gone(r, reply, &step);
        report(r, reply, &step);
    }
    if (!step.is_backoff)
        step.is_backoff = !is_worth_it(r, step.next != JL_NEXT_WATCH, lived_s);
    r->go(r, &step, (double)reply->retry_after_s);
}

/* ---- the start ---- */

static void put_url(struct jd_reflector *r, int64_t timeout_s, struct jl_buffer *out)
{
    struct jl_buffer query = { 0 };
    char seconds[JL_DOUBLE_TEXT];
    jl_format_i64(timeout_s, seconds);
    jd_put_parameter(&query, "watch", "1");
    jd_put_parameter(&query, "resourceVersion", jd_follow_state(r).version);
    jd_put_parameter(&query, "allowWatchBookmarks", "true");
    jd_put_parameter(&query, "timeoutSeconds", seconds);
    jd_follow_put_selectors(r, &query);
    jl_put_string(out, jd_access_server(jd_kube_access(r->kube)));
    jd_put_path(out, r->options.resource, r->name_space, NULL, NULL);
    jl_put(out, query.data, query.len);
    out->is_failed |= query.is_failed;
    jl_buffer_clear(&query);
}

void jd_watch_start(struct jd_reflector *r)
{
    struct jl_buffer url = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jd_access *access = jd_kube_access(r->kube);
    const int64_t timeout_s =
        LEAST_TIMEOUT_S + (int64_t)(jd_kube_chance(r->kube) * TIMEOUT_SPREAD_S);
    put_url(r, timeout_s, &url);
    r->started_ms = jd_clock_ms();
    r->events = 0;
    r->has_advanced = r->is_ended = false;
    r->counts.watches++;
    const struct jd_http_request request = {
        .url = url.data,
        .headers = jd_kube_headers(r->kube, NULL, r->started_ms),
        .proxy = jd_access_proxy(access),
        .tls = jd_access_tls(access),
        .timeout_ms = jd_kube_wait_ms(r->kube, (double)(timeout_s + GRACE_S)),
        .idle_ms = jd_kube_wait_ms(r->kube, DEAD_S),
        .is_own_connection = true,
        .on_data = on_data,
        .on_done = on_end,
        .user = r,
    };
    const int rc = url.is_failed || !request.headers
                       ? JOULIE_E_NOMEM
                       : jd_http_start(jd_kube_http(r->kube), &request, &r->transfer, &err);
    jl_buffer_clear(&url);
    if (rc == 0)
        return;
    const struct jl_watch_state state = state_of(r);
    const struct jl_watch_step step =
        jl_watch_on_end(&state, &(struct jl_watch_end){ .kind = JL_END_CURL });
    jd_follow_problem(r, 0, err.message);
    r->go(r, &step, JL_NO_RETRY_AFTER);
}

void jd_watch_stop(struct jd_reflector *r)
{
    jd_http_cancel(r->transfer);
    r->transfer = NULL;
    jd_frames_clear(&r->frames);
}
