/* SPDX-License-Identifier: Apache-2.0 */

/* A watch: one connection, a stream of frames (docs/rules/clients.md#watches), for reflector.c. */

#include "kube/watch.h"

#include "base/error.h"
#include "base/number.h"
#include "base/words.h"
#include "runtime/clock.h"

/* docs/rules/clients.md#watches */
#define LEAST_TIMEOUT_S 300
#define TIMEOUT_SPREAD_S 300
#define GRACE_S 30
#define DEAD_S 150 /* bookmarks come every minute */

static const struct jl_words type_words = JL_WORDS({
    { JL_EVENT_ADDED, "ADDED" },
    { JL_EVENT_MODIFIED, "MODIFIED" },
    { JL_EVENT_DELETED, "DELETED" },
    { JL_EVENT_BOOKMARK, "BOOKMARK" },
    { JL_EVENT_ERROR, "ERROR" },
});

/* ---- what comes ---- */

static bool take_frame(void *user, struct jl_text line)
{
    struct jd_kube_watch *watch = user;
    struct jd_frame frame;
    jl_arena_reset(&watch->arena);
    if (jd_frame_read(line, &watch->arena, &frame) < 0)
        watch->problem = "broken";
    else
        watch->problem =
            watch->frame(watch->user, (enum jl_event_type)jl_word_value(&type_words, frame.type),
                         frame.object, &watch->arena);
    return watch->problem == NULL;
}

static bool on_data(void *user, const char *bytes, size_t len)
{
    struct jd_kube_watch *watch = user;
    const enum jd_frames_result result =
        jd_frames_feed(&watch->frames, bytes, len, take_frame, watch);
    if (result == JD_FRAMES_TOO_LONG)
        watch->problem = "too-long";
    else if (result == JD_FRAMES_NOMEM)
        watch->problem = "memory";
    watch->fed(watch->user);
    return result == JD_FRAMES_MORE;
}

/* ---- the end ---- */

static void start(struct jd_kube_watch *watch);

static void on_end(void *user, const struct jd_reply *reply)
{
    struct jd_kube_watch *watch = user;
    struct jd_kube *kube = watch->selection->kube;
    const struct jd_kube_watch_end end = {
        .reply = reply,
        .problem = watch->problem,
        .lived_s = (double)(jd_clock_ms() - watch->started_ms) / 1000,
    };
    watch->transfer = NULL;
    jd_frames_clear(&watch->frames);
    jd_kube_count(kube, "watch", watch->selection->resource, reply->status);
    if (!end.problem && jd_kube_renew(kube, &watch->renewal, reply, watch->started_ms)) {
        start(watch);
        return;
    }
    if (reply->status == 200)
        watch->renewal = (struct jd_renewal){ 0 };
    watch->done(watch->user, &end);
}

/* ---- the start ---- */

static void put_path(const struct jd_kube_watch *watch, int64_t timeout_s, struct jl_buffer *out)
{
    const struct jd_list_selection *selection = watch->selection;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer query = { 0 };
    char seconds[JL_DOUBLE_TEXT];
    jl_format_i64(timeout_s, seconds);
    jd_put_parameter(&query, "watch", "1");
    jd_put_parameter(&query, "resourceVersion", watch->version.len > 0 ? watch->version.data : "");
    jd_put_parameter(&query, "allowWatchBookmarks", "true");
    jd_put_parameter(&query, "timeoutSeconds", seconds);
    jd_put_selectors(&query, selection);
    jd_put_path(out, selection->resource, selection->name_space, NULL, NULL);
    jl_put(out, query.data, query.len);
    out->is_failed |= query.is_failed || watch->version.is_failed;
}

static void start(struct jd_kube_watch *watch)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer path = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jd_kube *kube = watch->selection->kube;
    const int64_t timeout_s = LEAST_TIMEOUT_S + (int64_t)(jd_kube_chance(kube) * TIMEOUT_SPREAD_S);
    put_path(watch, timeout_s, &path);
    watch->started_ms = jd_clock_ms();
    watch->problem = NULL;
    watch->watches++;
    struct jd_http_request request = {
        .timeout_ms = jd_kube_wait_ms(kube, (double)(timeout_s + GRACE_S)),
        .idle_ms = jd_kube_wait_ms(kube, DEAD_S),
        .is_own_connection = true,
        .on_data = on_data,
        .on_done = on_end,
        .user = watch,
    };
    const int rc = path.is_failed
                       ? jl_fail_memory(&err)
                       : jd_kube_transfer(kube, &request, path.data, NULL, &watch->transfer, &err);
    if (rc == 0)
        return;
    const struct jd_reply none = {
        .end = JD_HTTP_UNREACHABLE, .message = err.message, .retry_after_s = -1, .body = ""
    };
    watch->done(watch->user, &(struct jd_kube_watch_end){ .reply = &none });
}

void jd_kube_watch_start(struct jd_kube_watch *watch, const char *version)
{
    jl_buffer_reset(&watch->version);
    jl_put_string(&watch->version, version);
    start(watch);
}

void jd_kube_watch_stop(struct jd_kube_watch *watch)
{
    jd_http_cancel(watch->transfer);
    watch->transfer = NULL;
    jd_frames_clear(&watch->frames);
}

void jd_kube_watch_clear(struct jd_kube_watch *watch)
{
    jd_kube_watch_stop(watch);
    jl_buffer_clear(&watch->version);
    jl_arena_clear(&watch->arena);
}
