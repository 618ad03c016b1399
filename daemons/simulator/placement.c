/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Calls of the scheduler extender for one pod at a time, and what its answers mean
 * (docs/rules/simulator-contract.md#placement). Called by world.c.
 */

#include "simulator/placement.h"

#include <json-c/json.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/clock.h"
#include "runtime/json.h"

#define MOST_SCORE 100
#define AGAIN_MS 1000
#define REPLY_BYTES ((size_t)64 << 20)

void jd_placement_clear(struct jd_placement *placement)
{
    jd_http_cancel(placement->transfer);
    if (placement->loop)
        jd_timer_stop(placement->loop, &placement->timer);
    jl_buffer_clear(&placement->pod);
    jl_free(placement->passed);
    jl_free(placement->wire);
    *placement = (struct jd_placement){ .url = NULL };
}

static void on_timer(void *user)
{
    struct jd_placement *placement = user;
    placement->later(placement);
}

static void do_later(struct jd_placement *placement, void (*later)(struct jd_placement *),
                     int64_t wait_ms)
{
    placement->later = later;
    placement->timer.fire = on_timer;
    placement->timer.user = placement;
    jd_timer_set(placement->loop, &placement->timer, jd_clock_ms() + wait_ms);
}

/* ---- results ---- */

static void answer(struct jd_placement *placement, const int32_t *wire)
{
    placement->on_answer(placement->user, placement->passed, wire, placement->count);
}

static void answer_without_scores(struct jd_placement *placement)
{
    answer(placement, NULL);
}

static const char *result_of(const struct jd_reply *reply)
{
    return reply->end == JD_HTTP_TIMED_OUT ? "timeout" : "error";
}

static void report(struct jd_placement *placement, const char *verb, const struct jd_reply *reply)
{
    placement->on_call(placement->user, verb, reply ? result_of(reply) : "ok");
    if (!reply == !placement->is_failing)
        return;
    placement->is_failing = reply != NULL;
    JL_CLEANUP(jl_freep) char *shown = jd_shown_url(placement->url);
    const char *const who = shown ? shown : "the extender";
    if (!reply)
        jd_log(placement->log, JOULIE_LOG_LEVEL_INFO, "placement", "%s answers again", who);
    else if (reply->end != JD_HTTP_WHOLE)
        jd_log(placement->log, JOULIE_LOG_LEVEL_WARN, "placement", "%s/%s: %s", who, verb,
               reply->message);
    else
        jd_log(placement->log, JOULIE_LOG_LEVEL_WARN, "placement",
               "%s/%s: status %d, or no answer of an extender", who, verb, reply->status);
}

/* Keys in any case, as Go reads them. */
static struct json_object *member(struct json_object *object, const char *key)
{
    if (json_object_get_type(object) != json_type_object)
        return NULL;
    json_object_object_foreach(object, name, value)
    {
        if (strcasecmp(name, key) == 0)
            return value;
    }
    return NULL;
}

static struct json_object *parse(struct jd_placement *placement, const char *verb,
                                 const struct jd_reply *reply)
{
    jd_log(placement->log, JOULIE_LOG_LEVEL_DEBUG, "placement", "%.*s: %s: %s",
           (int)strcspn(placement->pod.data, "}"), placement->pod.data, verb, reply->body);
    const bool is_good =
        reply->end == JD_HTTP_WHOLE && reply->status == 200 && reply->len < REPLY_BYTES;
    return is_good ? jd_json_parse(reply->body, reply->len) : NULL;
}

/* Answers name the candidates in the order in which they were asked about, as a rule: the search
 * goes on from the last find. */
static size_t candidate_of(struct jd_placement *placement, const char *name)
{
    for (size_t i = 0; i < placement->count; i++) {
        const size_t at = (placement->cursor + i) % placement->count;
        if (jl_same(placement->candidates[at], name)) {
            placement->cursor = at + 1;
            return at;
        }
    }
    return placement->count;
}

static const char *string_of(struct json_object *value)
{
    return json_object_get_type(value) == json_type_string ? json_object_get_string(value) : NULL;
}

/* ---- calls ---- */

/* One POST to the extender about the nodes that have passed so far. */
static int start(struct jd_placement *placement, const char *verb,
                 void (*on_done)(void *user, const struct jd_reply *reply))
{
    static const char *const headers[] = { "Content-Type: application/json", NULL };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer url = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    size_t len = strlen(placement->url);
    while (len > 0 && placement->url[len - 1] == '/')
        len--;
    jd_put_format(&url, "%.*s/%s", (int)len, placement->url, verb);
    jd_put_format(&body, "{\"Pod\":%s,\"Nodes\":null,\"NodeNames\":[", placement->pod.data);
    for (size_t i = 0, written = 0; i < placement->count; i++) {
        if (!placement->passed[i])
            continue;
        jl_put_string(&body, written++ > 0 ? "," : "");
        jl_put_json_string(&body, placement->candidates[i], strlen(placement->candidates[i]));
    }
    jl_put_string(&body, "]}");
    if (url.is_failed || body.is_failed)
        return JOULIE_E_NOMEM;
    const struct jd_http_request request = {
        .method = "POST",
        .url = url.data,
        .headers = headers,
        .body = body.data,
        .len = body.len,
        .timeout_ms = placement->timeout_ms,
        .connect_ms = placement->timeout_ms,
        .limit_bytes = REPLY_BYTES,
        .on_done = on_done,
        .user = placement,
    };
    return jd_http_start(placement->http, &request, &placement->transfer, &err);
}

static void on_scores(void *user, const struct jd_reply *reply)
{
    struct jd_placement *placement = user;
    JL_CLEANUP(jd_json_freep) struct json_object *list = parse(placement, "prioritize", reply);
    bool is_good = json_object_get_type(list) == json_type_array;
    placement->transfer = NULL;
    memset(placement->wire, 0, placement->count * sizeof *placement->wire);
    for (size_t i = 0; is_good && i < json_object_array_length(list); i++) {
        struct json_object *entry = json_object_array_get_idx(list, i);
        const char *host = string_of(member(entry, "Host"));
        struct json_object *score = member(entry, "Score");
        const size_t at = host ? candidate_of(placement, host) : placement->count;
        is_good = at < placement->count && json_object_get_type(score) == json_type_int &&
                  json_object_get_int64(score) >= 0 && json_object_get_int64(score) <= MOST_SCORE;
        if (is_good)
            placement->wire[at] = json_object_get_int(score);
    }
    report(placement, "prioritize", is_good ? NULL : reply);
    answer(placement, is_good ? placement->wire : NULL);
}

/* Scores decide nothing when one node is left, and a sample asks for none. */
static void prioritize(struct jd_placement *placement)
{
    size_t passed = 0;
    for (size_t i = 0; i < placement->count; i++)
        passed += placement->passed[i] != 0;
    const bool is_wanted = placement->has_scores && !placement->is_sample && passed > 1;
    if (!is_wanted || start(placement, "prioritize", on_scores) != 0)
        answer(placement, NULL);
}

/* false = it is no answer of an extender, or it says that it failed. */
static bool take_filter(struct jd_placement *placement, struct json_object *root)
{
    const char *error = string_of(member(root, "Error"));
    struct json_object *names = member(root, "NodeNames");
    if (json_object_get_type(root) != json_type_object || !jl_is_empty(error))
        return false;
    memset(placement->passed, 0, placement->count);
    if (!names)
        return true; /* no node fits */
    if (json_object_get_type(names) != json_type_array)
        return false;
    for (size_t i = 0; i < json_object_array_length(names); i++) {
        const char *name = string_of(json_object_array_get_idx(names, i));
        const size_t at = name ? candidate_of(placement, name) : placement->count;
        if (at == placement->count)
            return false;
        placement->passed[at] = 1;
    }
    return true;
}

static void filter(struct jd_placement *placement);

static void on_filter(void *user, const struct jd_reply *reply)
{
    struct jd_placement *placement = user;
    JL_CLEANUP(jd_json_freep) struct json_object *root = parse(placement, "filter", reply);
    const bool is_good = take_filter(placement, root);
    placement->transfer = NULL;
    report(placement, "filter", is_good ? NULL : reply);
    if (is_good) {
        prioritize(placement);
    } else if (placement->is_ignorable) {
        placement->skipped++;
        memset(placement->passed, 1, placement->count);
        /* An extender whose filter was skipped is still asked for scores. */
        prioritize(placement);
    } else {
        do_later(placement, filter, AGAIN_MS);
    }
}

static void filter(struct jd_placement *placement)
{
    memset(placement->passed, 1, placement->count);
    if (start(placement, "filter", on_filter) == 0)
        return;
    placement->skipped++;
    do_later(placement, answer_without_scores, 0);
}

/* ---- a question ---- */

/* Go leaves apiVersion and kind out. */
static void take_pod(struct jd_placement *placement, const char *text)
{
    static const char head[] = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",";
    const bool has_head = jl_starts_with(text, head);
    jl_buffer_reset(&placement->pod);
    if (has_head)
        jl_put_char(&placement->pod, '{');
    jl_put_string(&placement->pod, has_head ? text + sizeof head - 1 : text);
}

static bool make_room(struct jd_placement *placement, size_t count)
{
    if (count <= placement->capacity)
        return true;
    uint8_t *passed = jl_realloc_array(placement->passed, count, sizeof *passed);
    if (passed)
        placement->passed = passed;
    int32_t *wire = jl_realloc_array(placement->wire, count, sizeof *wire);
    if (wire)
        placement->wire = wire;
    if (!passed || !wire)
        return false;
    placement->capacity = count;
    return true;
}

int jd_placement_ask(struct jd_placement *placement, const struct joulie_sim_event *event)
{
    if (!make_room(placement, event->candidate_count))
        return JOULIE_E_NOMEM;
    take_pod(placement, event->text);
    if (placement->pod.is_failed)
        return JOULIE_E_NOMEM;
    placement->candidates = event->candidates;
    placement->count = event->candidate_count;
    placement->cursor = 0;
    placement->is_sample = event->is_sample != 0;
    memset(placement->passed, 1, placement->count);
    if (placement->url)
        filter(placement);
    else
        do_later(placement, answer_without_scores, 0);
    return 0;
}
