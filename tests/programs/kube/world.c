/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kube/meta.h"
#include "runtime/clock.h"
#include "support/test.h"

/* ---- answers ---- */

bool query_of(const char *request, const char *name, char *out, size_t size)
{
    char part[64];
    const char *end = strstr(request, " HTTP/");
    snprintf(part, sizeof part, "%s=", name);
    for (const char *at = strstr(request, part); at && at < end; at = strstr(at + 1, part)) {
        if (at[-1] != '?' && at[-1] != '&')
            continue;
        at += strlen(part);
        snprintf(out, size, "%.*s", (int)strcspn(at, "& "), at);
        return true;
    }
    out[0] = '\0';
    return false;
}

static size_t item_text(const struct item *item, bool is_typed, char *out, size_t size)
{
    return (size_t)snprintf(out, size,
                            "{%s\"metadata\":{\"name\":\"%s\",\"uid\":\"u%d\",\"resourceVersion\":"
                            "\"%lld\"},\"spec\":{\"value\":%d}}",
                            is_typed ? "\"apiVersion\":\"v1\",\"kind\":\"Node\"," : "", item->name,
                            item->uid, (long long)item->version, item->value);
}

size_t frame_of(const struct change *change, char *out, size_t size)
{
    char object[512];
    item_text(&change->item, true, object, sizeof object);
    return (size_t)snprintf(out, size, "{\"type\":\"%s\",\"object\":%s}", change->type, object);
}

void talk_stream(struct talk *talk)
{
    talk_text(talk, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
}

void talk_chunk(struct talk *talk, const char *text)
{
    char head[32];
    snprintf(head, sizeof head, "%zx\r\n", strlen(text) + 1);
    jl_put_string(&talk->out, head);
    jl_put_string(&talk->out, text);
    talk_text(talk, "\n\r\n");
}

void talk_last_chunk(struct talk *talk)
{
    talk_text(talk, "0\r\n\r\n");
}

/* ---- watches ---- */

static bool is_open(const struct world *world, const struct follower *follower)
{
    for (const struct talk *talk = world->stage->peer.talks; talk; talk = talk->next) {
        if (talk == follower->talk && talk->number == follower->number)
            return true;
    }
    return false;
}

static void catch_up(struct world *world, struct follower *follower)
{
    char frame[1024];
    for (size_t i = 0; i < world->change_count; i++) {
        const struct change *change = &world->changes[i];
        if (change->version <= follower->version)
            continue;
        frame_of(change, frame, sizeof frame);
        talk_chunk(follower->talk, frame);
        follower->version = change->version;
    }
}

static void each_watch(struct world *world,
                       void (*act)(struct world *world, struct follower *follower))
{
    for (size_t i = 0; i < WORLD_WATCHES; i++) {
        struct follower *follower = &world->followers[i];
        if (!follower->talk)
            continue;
        if (is_open(world, follower))
            act(world, follower);
        else
            follower->talk = NULL;
    }
}

static void say_bookmark(struct world *world, struct follower *follower)
{
    char frame[256];
    snprintf(frame, sizeof frame,
             "{\"type\":\"BOOKMARK\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Node\","
             "\"metadata\":{\"resourceVersion\":\"%lld\"}}}",
             (long long)world->version);
    talk_chunk(follower->talk, frame);
}

static void cut(struct world *world, struct follower *follower)
{
    (void)world;
    talk_end(follower->talk);
    follower->talk = NULL;
}

static void end(struct world *world, struct follower *follower)
{
    (void)world;
    talk_last_chunk(follower->talk);
    follower->talk = NULL;
}

void world_bookmark(struct world *world)
{
    each_watch(world, say_bookmark);
}

void world_cut(struct world *world)
{
    each_watch(world, cut);
}

void world_end(struct world *world)
{
    each_watch(world, end);
}

static size_t counted;

static void count(struct world *world, struct follower *follower)
{
    (void)world;
    (void)follower;
    counted++;
}

size_t world_open_watches(struct world *world)
{
    counted = 0;
    each_watch(world, count);
    return counted;
}

static void start_watch(struct world *world, struct talk *talk, const char *request)
{
    char text[64];
    query_of(request, "resourceVersion", text, sizeof text);
    const int64_t version = strtoll(text, NULL, 10);
    talk_stream(talk);
    if (version < world->compacted) {
        talk_chunk(talk, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"status\":"
                         "\"Failure\",\"message\":\"too old resource version\",\"reason\":"
                         "\"Expired\",\"code\":410}}");
        talk_last_chunk(talk);
        return;
    }
    for (size_t i = 0; i < WORLD_WATCHES; i++) {
        struct follower *follower = &world->followers[i];
        if (follower->talk && is_open(world, follower))
            continue;
        *follower = (struct follower){ talk, talk->number, version };
        catch_up(world, follower); /* a version of the future: nothing, for ever */
        return;
    }
    fail_msg("too many watches");
}

/* ---- lists ---- */

static void say_list(struct world *world, struct talk *talk, const char *request)
{
    char text[64];
    char item[512];
    query_of(request, "limit", text, sizeof text);
    int64_t limit = *text ? strtoll(text, NULL, 10) : INT64_MAX;
    query_of(request, "continue", text, sizeof text);
    char *rest = text;
    const size_t from = *text ? (size_t)strtoll(text + 1, &rest, 10) : 0; /* "c12-107" */
    if (*rest && strtoll(rest + 1, NULL, 10) != world->version) {         /* it keeps no old ones */
        talk_status(talk, 410, "Expired", "", NULL);
        return;
    }
    if (world->limit_of_server > 0 && limit != INT64_MAX && limit > world->limit_of_server)
        limit = world->limit_of_server;
    struct jl_buffer body = { 0 };
    size_t at = from;
    jl_put_string(&body, "{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"items\":[");
    for (; at < world->count && (int64_t)(at - from) < limit; at++) {
        item_text(&world->items[at], false, item, sizeof item);
        if (at > from)
            jl_put_char(&body, ',');
        jl_put_string(&body, item);
    }
    jl_put_string(&body, "],\"metadata\":{\"resourceVersion\":\"");
    jl_put_i64(&body, world->version);
    jl_put_string(&body, "\",\"continue\":\"");
    if (at < world->count) {
        jl_put_char(&body, 'c');
        jl_put_i64(&body, (int64_t)at);
        jl_put_char(&body, '-');
        jl_put_i64(&body, world->version);
    }
    jl_put_string(&body, "\"}}\n");
    talk_reply(talk, "200 OK", "Content-Type: application/json\r\n", body.data);
    jl_buffer_clear(&body);
}

static void handle(void *user, struct talk *talk, const char *request)
{
    struct world *world = user;
    char text[64];
    if (query_of(request, "watch", text, sizeof text)) {
        world->watches++;
        snprintf(world->last_watch, sizeof world->last_watch, "%s", request);
        if (!world->spoil_watch || !world->spoil_watch(world, talk, request))
            start_watch(world, talk, request);
        return;
    }
    world->pages++;
    snprintf(world->last_page, sizeof world->last_page, "%s", request);
    if (!query_of(request, "continue", text, sizeof text)) {
        world->lists++;
        snprintf(world->last_list, sizeof world->last_list, "%s", request);
    }
    if (!world->spoil_list || !world->spoil_list(world, talk, request))
        say_list(world, talk, request);
}

/* ---- changes ---- */

static struct item *find(struct item *items, size_t item_count, const char *name)
{
    for (size_t i = 0; i < item_count; i++) {
        if (strcmp(items[i].name, name) == 0)
            return &items[i];
    }
    return NULL;
}

static void note(struct world *world, const char *type, const struct item *item)
{
    assert_true(world->change_count < WORLD_CHANGES);
    world->changes[world->change_count++] =
        (struct change){ .version = world->version, .type = type, .item = *item };
    each_watch(world, catch_up);
}

void world_put(struct world *world, const char *name, int value)
{
    struct item *item = find(world->items, world->count, name);
    const char *type = item ? "MODIFIED" : "ADDED";
    if (!item) {
        assert_true(world->count < WORLD_ITEMS);
        item = &world->items[world->count++];
        snprintf(item->name, sizeof item->name, "%s", name);
        item->uid = ++world->next_uid;
    }
    item->value = value;
    item->version = ++world->version;
    note(world, type, item);
}

void world_remove(struct world *world, const char *name)
{
    struct item *item = find(world->items, world->count, name);
    if (!item)
        return;
    struct item gone = *item;
    gone.version = ++world->version;
    *item = world->items[--world->count];
    note(world, "DELETED", &gone);
}

void world_replace(struct world *world, const char *name, int value)
{
    struct item *item = find(world->items, world->count, name);
    if (!item)
        return;
    item->uid = ++world->next_uid;
    item->value = value;
    item->version = ++world->version;
    note(world, "MODIFIED", item); /* the server left the two others out */
}

void world_compact(struct world *world)
{
    world->compacted = ++world->version;
}

/* ---- the cache ---- */

static int take(void *user, const char *text, size_t len, struct joulie_error *err)
{
    struct world *world = user;
    struct cache *cache = &world->cache;
    struct jl_arena arena = { 0 };
    struct jd_meta meta;
    assert_int_equal(text[len], '\0');
    assert_int_equal(jd_meta_read((struct jl_text){ text, len }, &arena, &meta), 0);
    struct item item = { .version = strtoll(meta.version.ptr, NULL, 10),
                         .uid = (int)strtol(meta.uid.ptr + 1, NULL, 10),
                         .value = (int)strtol(strstr(text, "\"value\":") + 8, NULL, 10) };
    snprintf(item.name, sizeof item.name, "%.*s", (int)meta.name.len, meta.name.ptr);
    cache->upserts++;
    cache->untyped +=
        count_of(text, "\"apiVersion\":\"v1\"") != 1 || count_of(text, "\"kind\":\"Node\"") != 1;
    jl_arena_clear(&arena);
    if (cache->is_choosy && item.value < 0) {
        err->code = JOULIE_E_RANGE;
        snprintf(err->message, sizeof err->message, "negative");
        return JOULIE_E_RANGE;
    }
    struct item *old = find(cache->items, cache->count, item.name);
    if (old) {
        cache->again += old->uid == item.uid && old->version == item.version;
        cache->mixed += old->uid != item.uid;
        *old = item;
    } else {
        assert_true(cache->count < WORLD_ITEMS);
        cache->items[cache->count++] = item;
    }
    return 0;
}

static void drop(void *user, const char *name_space, const char *name)
{
    struct world *world = user;
    struct cache *cache = &world->cache;
    struct item *old = find(cache->items, cache->count, name);
    assert_string_equal(name_space, "");
    cache->removes++;
    if (old)
        *old = cache->items[--cache->count];
}

static void moved(void *user)
{
    struct world *world = user;
    world->cache.moves++;
}

bool world_is_seen(struct world *world)
{
    if (world->count != world->cache.count || !world->reflector ||
        !jd_reflector_has_synced(world->reflector))
        return false;
    for (size_t i = 0; i < world->count; i++) {
        const struct item *mine = &world->items[i];
        const struct item *theirs = find(world->cache.items, world->cache.count, mine->name);
        if (!theirs || theirs->uid != mine->uid || theirs->version != mine->version ||
            theirs->value != mine->value)
            return false;
    }
    return jd_reflector_count(world->reflector) == world->count;
}

bool world_is_followed(struct world *world)
{
    return world_is_seen(world) && world_open_watches(world) == 1;
}

void world_require_clean(const struct world *world)
{
    assert_int_equal(world->cache.again, 0);
    assert_int_equal(world->cache.mixed, 0);
    assert_int_equal(world->cache.untyped, 0);
}

/* ---- the whole ---- */

static void look(void *user)
{
    struct world *world = user;
    if (world->is_enough && world->is_enough(world))
        world->stage->is_done = true;
    jd_timer_set(&world->stage->loop, &world->look, jd_clock_ms() + 1);
}

struct world *world_open(void)
{
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->version = 100;
    world->stage = stage_open(0, 0, handle, world);
    world->look = (struct jd_timer){ .fire = look, .user = world };
    jd_timer_set(&world->stage->loop, &world->look, 0);
    return world;
}

void world_close(struct world *world)
{
    jd_reflector_close(world->reflector);
    jd_timer_stop(&world->stage->loop, &world->look);
    stage_close(world->stage);
    free(world);
}

void world_follow(struct world *world, const struct jd_reflector_options *options)
{
    struct jd_reflector_options all = options ? *options : (struct jd_reflector_options){ 0 };
    if (!all.resource)
        all.resource = &jd_nodes;
    all.upsert = take;
    all.remove = drop;
    all.moved = moved;
    all.user = world;
    assert_int_equal(jd_reflector_open(world->stage->kube, &all, &world->reflector, NULL), 0);
}

void world_run(struct world *world, bool (*is_enough)(struct world *world))
{
    world->is_enough = is_enough;
    stage_run(world->stage);
    world->is_enough = NULL;
}
