/* SPDX-License-Identifier: Apache-2.0 */

/* Watches: streams that carry the changes of the ring (docs/rules/apiserver.md#watches). All of
 * them stand at api->pumped. */

#include <inttypes.h>

#include "apiserver/parts.h"
#include "base/memory.h"
#include "runtime/clock.h"

#define BOOKMARK_MS 60000
#define LEAST_TIMEOUT_S 1800 /* of a watch without timeoutSeconds; at most twice as much */

/*
 * Every watch has been sent the changes up to api->pumped that it asked for. A write wakes the
 * pump, which runs from the loop, so that a burst of writes goes out in one turn; what many watches
 * get is printed once. A watch leaves the list before its call ends: nothing is sent to a call that
 * is gone.
 */
enum frame { FRAME_ADDED, FRAME_MODIFIED, FRAME_DELETED, FRAME_COUNT };

static const char *const frame_words[FRAME_COUNT] = { "ADDED", "MODIFIED", "DELETED" };

struct jd_watcher {
    struct jd_api *api;
    struct jd_exchange *exchange;
    struct jd_view view;
    struct jd_filter filter;
    struct jl_arena arena;
    struct jd_trickle *trickle; /* NULL = bytes go out at once */
    uint64_t start;             /* changes up to it are not sent */
    uint64_t sent;              /* the version that its last frame said */
    bool wants_bookmarks;
    bool has_columns; /* were sent */
    bool is_dead;     /* the peer is gone, or too slow: gone() comes */
    int64_t end_ms;   /* CLOCK_MONOTONIC */
    int64_t bookmark_ms;
    struct jd_timer timer;
    struct jd_watcher *next;
    struct jd_watcher *before;
};

/* ---- the life of a watcher ---- */

/* Takes it out of the list of the API; its call is the server's. */
static void free_watcher(struct jd_watcher *watcher)
{
    struct jd_api *api = watcher->api;
    jd_timer_stop(api->loop, &watcher->timer);
    jd_trickle_free(watcher->trickle);
    if (watcher->next)
        watcher->next->before = watcher->before;
    if (watcher->before)
        watcher->before->next = watcher->next;
    else
        api->watchers = watcher->next;
    api->counts.open_watches--;
    jl_arena_clear(&watcher->arena);
    jl_free(watcher);
}

static void gone(void *user, struct jd_exchange *exchange)
{
    (void)exchange;
    free_watcher(user);
}

/* The stream ends as it should. */
static void finish(struct jd_watcher *watcher)
{
    struct jd_exchange *exchange = watcher->exchange;
    struct jd_trickle *trickle = watcher->trickle;
    watcher->trickle = NULL;
    jd_exchange_on_gone(exchange, NULL, NULL);
    free_watcher(watcher);
    if (trickle)
        jd_trickle_end(trickle);
    else
        jd_stream_end(exchange);
}

/* The connection ends at once: what a client sees when a server dies. */
static void cut(struct jd_watcher *watcher)
{
    struct jd_exchange *exchange = watcher->exchange;
    jd_exchange_on_gone(exchange, NULL, NULL);
    free_watcher(watcher);
    jd_exchange_abort(exchange);
}

/* A peer that leaves too much unread is dead from now on; the server then ends its call. */
static void put_bytes(struct jd_watcher *watcher, const char *bytes, size_t len)
{
    if (watcher->trickle)
        jd_trickle_put(watcher->trickle, bytes, len);
    else if (!watcher->is_dead)
        watcher->is_dead = !jd_stream_put(watcher->exchange, bytes, len);
}

/* ---- frames ---- */

static void frame_begin(struct jl_buffer *out, const char *type)
{
    jl_put_string(out, "{\"type\":\"");
    jl_put_string(out, type);
    jl_put_string(out, "\",\"object\":");
}

static void put_frame(struct jl_buffer *out, enum frame frame, const struct jd_view *view,
                      const struct jd_object *object, uint64_t version, bool with_columns,
                      int64_t now_ms)
{
    frame_begin(out, frame_words[frame]);
    jd_view_put(out, view, object, version, with_columns, now_ms);
    jl_put_string(out, "}\n");
}

/* The last frame of a watch whose version is not there any more. */
static void expire(struct jd_watcher *watcher, const char *message)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    frame_begin(&text, "ERROR");
    jd_put_status(&text, 410, "Expired", message);
    jl_put_string(&text, "}\n");
    if (!text.is_failed)
        put_bytes(watcher, text.data, text.len);
    finish(watcher);
}

static void put_bookmark(struct jl_buffer *out, const struct jd_view *view, uint64_t version,
                         bool ends_initial)
{
    const bool is_table = view->form == JD_FORM_TABLE;
    const char *kind = view->kind->kind;
    const char *api_version = view->is_core_event ? "v1" : view->kind->api_version;
    if (view->form != JD_FORM_PLAIN) {
        kind = is_table ? "Table" : "PartialObjectMetadata";
        api_version = "meta.k8s.io/v1";
    }
    frame_begin(out, "BOOKMARK");
    jd_put_format(
        out,
        "{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{\"resourceVersion\":\"%" PRIu64
        "\"%s%s}%s}}\n",
        kind, api_version, version, is_table ? "" : ",\"creationTimestamp\":null",
        ends_initial ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "",
        is_table ? ",\"columnDefinitions\":null,\"rows\":[]" : "");
}

static void send_bookmark(struct jd_watcher *watcher, bool ends_initial)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    put_bookmark(&text, &watcher->view, watcher->api->pumped, ends_initial);
    if (text.is_failed)
        return;
    put_bytes(watcher, text.data, text.len);
    watcher->sent = watcher->api->pumped;
    watcher->api->counts.bookmarks++;
}

/* Half of the frame, then nothing any more. */
static void cut_in_frame(struct jd_watcher *watcher, const struct jl_buffer *text)
{
    jd_trickle_free(watcher->trickle);
    watcher->trickle = NULL;
    put_bytes(watcher, text->data, text->len / 2);
    cut(watcher);
}

/* false = the watch is over. */
static bool send_frame(struct jd_watcher *watcher, const struct jl_buffer *text, uint64_t version)
{
    if (watcher->is_dead)
        return true;
    if (text->is_failed || jd_fault(watcher->api, JD_FAULT_CUT_STREAMS)) {
        if (text->is_failed)
            cut(watcher);
        else
            cut_in_frame(watcher, text);
        return false;
    }
    if (jd_fault(watcher->api, JD_FAULT_GONE)) {
        expire(watcher, "too old resource version: made to fail");
        return false;
    }
    put_bytes(watcher, text->data, text->len);
    watcher->sent = version;
    watcher->api->counts.events++;
    return true;
}

/* ---- from the ring to the watches ---- */

/* Frames of one change that many watches get. */
struct frames {
    const struct jd_change *change;
    struct jl_buffer plain[FRAME_COUNT];
    int64_t now_ms;
};

/* What a change is to one watch: FRAME_COUNT = nothing. */
static enum frame frame_of(const struct jd_watcher *watcher, const struct jd_change *change)
{
    const bool was = change->before && jd_filter_matches(&watcher->filter, change->before);
    const bool is = !change->is_deletion && jd_filter_matches(&watcher->filter, change->after);
    if (was && is)
        return FRAME_MODIFIED;
    if (is)
        return FRAME_ADDED;
    return was ? FRAME_DELETED : FRAME_COUNT;
}

static bool send_change(struct jd_watcher *watcher, struct frames *frames)
{
    const struct jd_change *change = frames->change;
    if (change->kind != watcher->view.kind || change->version <= watcher->start)
        return true;
    const enum frame frame = frame_of(watcher, change);
    if (frame == FRAME_COUNT)
        return true;
    /* What leaves a selector is shown as it was when it still was in it. */
    const struct jd_object *object =
        frame == FRAME_DELETED && !change->is_deletion ? change->before : change->after;
    if (watcher->view.form == JD_FORM_PLAIN && !watcher->view.is_core_event) {
        struct jl_buffer *shared = &frames->plain[frame];
        if (shared->len == 0)
            put_frame(shared, frame, &watcher->view, object, change->version, false,
                      frames->now_ms);
        return send_frame(watcher, shared, change->version);
    }
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer own = { 0 };
    put_frame(&own, frame, &watcher->view, object, change->version, !watcher->has_columns,
              frames->now_ms);
    watcher->has_columns = true;
    return send_frame(watcher, &own, change->version);
}

static void clear_frames(struct frames *frames)
{
    for (size_t i = 0; i < FRAME_COUNT; i++)
        jl_buffer_clear(&frames->plain[i]);
}

/* send_change() may end its own watch, never another one: the next is read before it. */
static void pump(void *user)
{
    struct jd_api *api = user;
    const int64_t now_ms = jd_api_now_ms(api);
    if (!api->watchers)
        api->pumped = api->store.version;
    api->pumped_bytes = api->store.ring_total;
    while (api->pumped < api->store.version) {
        struct frames frames = { .change = jd_store_change(&api->store, api->pumped + 1),
                                 .now_ms = now_ms };
        api->pumped++;
        for (struct jd_watcher *watcher = api->watchers; watcher;) {
            struct jd_watcher *next = watcher->next;
            send_change(watcher, &frames);
            watcher = next;
        }
        clear_frames(&frames);
    }
}

void jd_watches_wake(struct jd_api *api)
{
    /* Not so late that the ring would have forgotten. */
    if (api->store.version - api->pumped >= api->store.ring_capacity / 2 ||
        api->store.ring_total - api->pumped_bytes >= JD_API_RING_BYTES / 2)
        pump(api);
    else if (api->pump.index == 0 && api->watchers)
        jd_timer_set(api->loop, &api->pump, jd_clock_ms());
}

/* The simulator's clock waits for clients to reach a version: they do so by this bookmark. */
void jd_api_bookmark(struct jd_api *api)
{
    pump(api);
    api->announced = api->pumped;
    for (struct jd_watcher *watcher = api->watchers; watcher; watcher = watcher->next) {
        if (watcher->wants_bookmarks && watcher->sent < api->pumped)
            send_bookmark(watcher, false);
    }
}

/* ---- a new watch ---- */

static int64_t bookmark_ms(const struct jd_api *api)
{
    return api->options.bookmark_ms > 0 ? api->options.bookmark_ms : BOOKMARK_MS;
}

static void set_timer(struct jd_watcher *watcher)
{
    const int64_t at_ms =
        watcher->bookmark_ms < watcher->end_ms ? watcher->bookmark_ms : watcher->end_ms;
    jd_timer_set(watcher->api->loop, &watcher->timer, at_ms);
}

/* Bookmark or end of a watch, whichever its timer was set for. */
static void fire(void *user)
{
    struct jd_watcher *watcher = user;
    struct jd_api *api = watcher->api;
    const int64_t now_ms = jd_clock_ms();
    pump(api); /* its own turn comes here: it may be over */
    bool is_there = false;
    for (const struct jd_watcher *at = api->watchers; at && !is_there; at = at->next)
        is_there = at == watcher;
    if (!is_there)
        return;
    if (watcher->wants_bookmarks)
        send_bookmark(watcher, false);
    if (now_ms >= watcher->end_ms) {
        finish(watcher);
        return;
    }
    watcher->bookmark_ms = now_ms + bookmark_ms(api);
    set_timer(watcher);
}

struct asked {
    uint64_t version;
    uint64_t timeout_s;
    bool wants_initial; /* what is there, as ADDED, first */
    bool ends_initial;  /* and a bookmark behind it */
};

static bool read_asked(struct jd_request *request, struct asked *out)
{
    const char *initial = jd_exchange_query(request->exchange, "sendInitialEvents");
    const char *match = jd_exchange_query(request->exchange, "resourceVersionMatch");
    if (!jd_query_count(request, "resourceVersion", &out->version) ||
        !jd_query_count(request, "timeoutSeconds", &out->timeout_s))
        return false;
    if (match && !initial)
        return jd_fail(
            request, 422, "Invalid",
            "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: "
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    out->ends_initial = jl_same(initial, "true");
    out->wants_initial = out->ends_initial || (out->version == 0 && !initial);
    return true;
}

/* What is there now. false = the watch is over. */
static bool send_present(struct jd_watcher *watcher)
{
    struct jd_api *api = watcher->api;
    struct jd_collection *collection = jd_store_of(&api->store, watcher->view.kind);
    const int64_t now_ms = jd_api_now_ms(api);
    if (jd_collection_order(collection) < 0) {
        cut(watcher);
        return false;
    }
    for (size_t i = 0; i < collection->order_count; i++) {
        JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
        const struct jd_object *object = jd_collection_item(collection, i);
        if (!jd_filter_matches(&watcher->filter, object))
            continue;
        put_frame(&text, FRAME_ADDED, &watcher->view, object, object->version,
                  !watcher->has_columns, now_ms);
        watcher->has_columns = true;
        if (!send_frame(watcher, &text, object->version))
            return false;
    }
    watcher->sent = 0; /* in the order of names: none of them says how far it is */
    return true;
}

/* The changes behind a version that are in the ring already. */
static bool send_past(struct jd_watcher *watcher, uint64_t version)
{
    struct jd_api *api = watcher->api;
    const int64_t now_ms = jd_api_now_ms(api);
    for (uint64_t at = version + 1; at <= api->pumped; at++) {
        struct frames frames = { .change = jd_store_change(&api->store, at), .now_ms = now_ms };
        const bool is_open = send_change(watcher, &frames);
        clear_frames(&frames);
        if (!is_open)
            return false;
    }
    return true;
}

/* A version that the store does not reach back to, or does not have yet: it is another store than
 * the one that gave it. Real servers say nothing on the latter, for ever. */
static void refuse_version(struct jd_watcher *watcher, const char *problem, uint64_t version,
                           uint64_t bound)
{
    const char *message = jd_text(&watcher->arena, "%s resource version: %" PRIu64 " (%" PRIu64 ")",
                                  problem, version, bound);
    watcher->api->counts.expired++;
    expire(watcher, message);
}

static void begin(struct jd_watcher *watcher, const struct asked *asked)
{
    struct jd_api *api = watcher->api;
    if (asked->version > api->store.version) {
        refuse_version(watcher, "unknown", asked->version, api->store.version);
        return;
    }
    if (asked->version > 0 && !jd_store_has(&api->store, asked->version)) {
        refuse_version(watcher, "too old", asked->version, api->store.oldest - 1);
        return;
    }
    watcher->start = asked->version;
    watcher->sent = asked->version;
    if (asked->wants_initial ? !send_present(watcher) : !send_past(watcher, asked->version))
        return;
    if (asked->wants_initial && watcher->start < api->pumped)
        watcher->start = api->pumped;
    if (asked->ends_initial)
        send_bookmark(watcher, true);
    else if (watcher->wants_bookmarks && asked->version > 0 && watcher->sent < api->announced)
        send_bookmark(watcher, false); /* its client may wait for that version */
    set_timer(watcher);
}

static struct jd_watcher *new_watcher(struct jd_request *request, const struct asked *asked)
{
    struct jd_api *api = request->api;
    struct jd_watcher *watcher = jl_calloc(1, sizeof *watcher);
    const int64_t now_ms = jd_clock_ms();
    if (!watcher) {
        jd_fail_memory(request);
        return NULL;
    }
    watcher->api = api;
    watcher->exchange = request->exchange;
    watcher->view = request->view;
    /* A constant, or of the request: v1beta1 is nobody's any more. */
    watcher->view.table_version = jl_same(request->view.table_version, "v1") ? "v1" : "v1beta1";
    const char *bookmarks = jd_exchange_query(request->exchange, "allowWatchBookmarks");
    watcher->wants_bookmarks = jl_same(bookmarks, "true") || jl_same(bookmarks, "1");
    const int64_t timeout_s =
        asked->timeout_s > 0 && asked->timeout_s < INT32_MAX
            ? (int64_t)asked->timeout_s
            : jl_random_int(&api->names, LEAST_TIMEOUT_S, 2 * LEAST_TIMEOUT_S - 1);
    watcher->end_ms = now_ms + timeout_s * 1000;
    watcher->bookmark_ms = now_ms + bookmark_ms(api);
    watcher->timer.fire = fire;
    watcher->timer.user = watcher;
    watcher->next = api->watchers;
    if (watcher->next)
        watcher->next->before = watcher;
    api->watchers = watcher;
    api->counts.open_watches++;
    return watcher;
}

void jd_serve_watch(struct jd_request *request)
{
    struct asked asked;
    struct jd_api *api = request->api;
    if (!read_asked(request, &asked))
        return;
    if (jd_fault(api, JD_FAULT_GONE)) {
        jd_fail(request, 410, "Expired", "too old resource version: made to fail");
        return;
    }
    pump(api);
    struct jd_watcher *watcher = new_watcher(request, &asked);
    if (!watcher)
        return;
    if (!jd_filter_read(request, &watcher->filter, &watcher->arena)) {
        free_watcher(watcher);
        return;
    }
    jd_count(request, 200);
    if (jd_fault(api, JD_FAULT_SLOW_BYTES))
        watcher->trickle = jd_trickle_new(api, request->exchange);
    jd_exchange_on_gone(request->exchange, gone, watcher);
    jd_exchange_stream(request->exchange, 200, "application/json");
    begin(watcher, &asked);
}

void jd_watches_open(struct jd_api *api)
{
    api->pump.fire = pump;
    api->pump.user = api;
    api->pumped = api->store.version;
}

void jd_watches_close(struct jd_api *api)
{
    jd_timer_stop(api->loop, &api->pump);
    while (api->watchers)
        finish(api->watchers);
}
