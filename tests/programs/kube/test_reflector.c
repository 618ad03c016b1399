/* SPDX-License-Identifier: Apache-2.0 */
/* A cache follows a server that does everything that servers and networks do
 * (docs/rules/clients.md#caches): at the end both hold the same, and the number of requests is
 * bounded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "kube/frames.h"
#include "kube/world.h"
#include "support/test.h"

#define BEHIND                                                                                     \
    "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Timeout\",\"code\":504,\"details\":" \
    "{"                                                                                            \
    "\"causes\":[{\"reason\":\"ResourceVersionTooLarge\",\"message\":\"Too large resource "        \
    "version\"}]}}"
#define EXPIRED                                                                                   \
    "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"too old\",\"reason\":\"Expired\"," \
    "\"code\":410}"

static struct world *open_world(int items)
{
    struct world *world = world_open();
    for (int i = 0; i < items; i++) {
        char name[32];
        snprintf(name, sizeof name, "n%d", i);
        world_put(world, name, i);
    }
    return world;
}

static struct jd_reflector_counts counts_of(const struct world *world)
{
    struct jd_reflector_counts counts;
    jd_reflector_counts(world->reflector, &counts);
    return counts;
}

static bool has_reached(struct world *world)
{
    char version[32];
    snprintf(version, sizeof version, "%lld", (long long)world->version);
    return jd_reflector_has_reached(world->reflector, version);
}

static bool is_watched(struct world *world)
{
    return world_open_watches(world) == 1;
}

static bool has_problem(struct world *world)
{
    return jd_reflector_problem(world->reflector) != NULL;
}

/* ---- what it should do ---- */

static void a_list_in_pages_then_a_watch(void **state)
{
    (void)state;
    struct world *world = open_world(7);
    world_follow(world, &(struct jd_reflector_options){ .page = 3, .label_selector = "a=b,c" });
    assert_false(jd_reflector_has_synced(world->reflector));
    assert_string_equal(jd_reflector_version(world->reflector), "");
    world_run(world, world_is_followed);
    assert_int_equal(world->pages, 3);
    assert_int_equal(world->lists, 1);
    assert_non_null(strstr(world->last_list, "GET /api/v1/nodes?limit=3&resourceVersion=0"
                                             "&labelSelector=a%3Db%2Cc HTTP"));
    assert_non_null(strstr(world->last_page, "limit=3&continue=c6-107&labelSelector"));
    assert_null(strstr(world->last_page, "resourceVersion"));
    assert_non_null(strstr(world->last_watch,
                           "watch=1&resourceVersion=107&allowWatchBookmarks=true&timeoutSeconds="));
    assert_null(strstr(world->last_watch, "Accept-Encoding"));
    world_put(world, "n3", 33);
    world_put(world, "new", 1);
    world_remove(world, "n0");
    world_run(world, world_is_followed);
    assert_int_equal(world->watches, 1);
    assert_int_equal(world->stage->waits, 0);
    assert_int_equal(world->cache.upserts, 9);
    world_require_clean(world);
    world_close(world);
}

static void an_empty_collection_is_synced_too(void **state)
{
    (void)state;
    struct world *world = open_world(0);
    world_follow(world, NULL);
    world_run(world, world_is_followed);
    world_put(world, "a", 1);
    world_run(world, world_is_followed);
    world_close(world);
}

static void a_bookmark_moves_the_version_and_wakes_who_waits(void **state)
{
    (void)state;
    struct world *world = open_world(1);
    world_follow(world, NULL);
    world_run(world, world_is_followed);
    world->version = 1000; /* other kinds have changed */
    assert_false(has_reached(world));
    const int moves = world->cache.moves;
    world_bookmark(world);
    world_run(world, has_reached);
    assert_true(world->cache.moves > moves);
    assert_true(jd_reflector_has_reached(world->reflector, "999"));
    assert_true(jd_reflector_has_reached(world->reflector, "1000"));
    assert_false(jd_reflector_has_reached(world->reflector, "1001"));
    assert_false(jd_reflector_has_reached(world->reflector, "abc"));
    assert_int_equal(world->cache.upserts, 1);
    assert_int_equal(counts_of(world).bookmarks, 1);
    assert_int_equal(counts_of(world).events, 0);
    world_close(world);
}

static void a_clean_end_is_followed_by_the_next_watch_at_once(void **state)
{
    (void)state;
    struct world *world = open_world(2);
    world_follow(world, NULL);
    world_run(world, world_is_followed);
    world_put(world, "n1", 5);
    world_run(world, world_is_followed);
    world_end(world);
    world_run(world, is_watched);
    assert_int_equal(world->watches, 2);
    assert_int_equal(world->lists, 1);
    assert_int_equal(world->stage->waits, 0);
    assert_non_null(strstr(world->last_watch, "resourceVersion=103"));
    world_require_clean(world);
    world_close(world);
}

/* ---- streams that break ---- */

static size_t cut_at;
static size_t whole_len;

/* Three frames of which cut_at bytes go out, counted from the first byte of the answer. */
static bool cut_stream(struct world *world, struct talk *talk, const char *request)
{
    char text[4096] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    char frame[1024];
    (void)request;
    if (world->watches > 1)
        return false;
    world_put(world, "n0", 50);
    world_remove(world, "n1");
    world_put(world, "new", 7);
    for (size_t i = world->change_count - 3; i < world->change_count; i++) {
        const size_t len = frame_of(&world->changes[i], frame, sizeof frame);
        const size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%zx\r\n%s\n\r\n", len + 1, frame);
    }
    whole_len = strlen(text);
    talk_say(talk, text, cut_at < whole_len ? cut_at : whole_len);
    talk_end(talk);
    return true;
}

static void a_stream_may_be_cut_at_any_byte(void **state)
{
    (void)state;
    for (cut_at = 0; cut_at <= whole_len; cut_at++) {
        struct world *world = open_world(2);
        world->spoil_watch = cut_stream;
        world_follow(world, NULL);
        world_run(world, world_is_followed);
        assert_int_equal(world->watches, 2);
        assert_int_equal(world->lists, 1);
        assert_int_equal(world->stage->waits, 1);
        assert_in_range(world->stage->waited_ms, 800, 1600);
        world_require_clean(world);
        world_close(world);
    }
    assert_true(whole_len > 300);
}

static bool say_slowly(struct world *world, struct talk *talk, const char *request);

struct slow {
    struct jd_timer timer;
    struct world *world;
    struct talk *talk;
    char text[2048];
    size_t at;
};

static struct slow slow;

static void say_byte(void *user)
{
    (void)user;
    if (slow.at == strlen(slow.text))
        return;
    talk_say(slow.talk, slow.text + slow.at++, 1);
    jd_timer_set(&slow.world->stage->loop, &slow.timer, 0);
}

static bool say_slowly(struct world *world, struct talk *talk, const char *request)
{
    (void)request;
    char frame[1024];
    slow = (struct slow){ .timer = { .fire = say_byte }, .world = world, .talk = talk };
    snprintf(slow.text, sizeof slow.text, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    world_put(world, "n0", 9);
    world_put(world, "n2", 9);
    for (size_t i = world->change_count - 2; i < world->change_count; i++) {
        const size_t len = frame_of(&world->changes[i], frame, sizeof frame);
        const size_t at = strlen(slow.text);
        snprintf(slow.text + at, sizeof slow.text - at, "%zx\r\n%s\n\r\n", len + 1, frame);
    }
    jd_timer_set(&world->stage->loop, &slow.timer, 0);
    return true;
}

static bool is_seen_by_a_watch(struct world *world)
{
    return world->watches > 0 && world_is_seen(world);
}

static void bytes_that_come_one_by_one_are_frames_in_the_end(void **state)
{
    (void)state;
    struct world *world = open_world(2);
    world->spoil_watch = say_slowly;
    world_follow(world, NULL);
    world_run(world, is_seen_by_a_watch);
    assert_int_equal(world->watches, 1);
    world_require_clean(world);
    jd_timer_stop(&world->stage->loop, &slow.timer);
    world_close(world);
}

/* ---- 410 ---- */

static void changes_that_were_compacted_are_listed(void **state)
{
    (void)state;
    struct world *world = open_world(4);
    world_follow(world, NULL);
    world_run(world, world_is_followed);
    world_cut(world);
    world_remove(world, "n0");
    world_replace(world, "n1", 11);
    world_put(world, "n2", 22);
    world_put(world, "new", 1);
    world_compact(world);
    world_run(world, world_is_followed);
    assert_int_equal(world->lists, 2);
    assert_non_null(
        strstr(world->last_list, "resourceVersion=104&resourceVersionMatch=NotOlderThan"));
    assert_int_equal(counts_of(world).expired, 1);
    assert_int_equal(world->cache.upserts, 4 + 3); /* n3 has not changed */
    assert_int_equal(world->cache.removes, 2);
    assert_int_equal(world->stage->waits, 1); /* of the cut, none of the 410 */
    world_require_clean(world);
    world_close(world);
}

static bool expire_by_status(struct world *world, struct talk *talk, const char *request)
{
    (void)request;
    if (world->watches != 1)
        return false;
    talk_reply(talk, "410 Gone", "", EXPIRED);
    return true;
}

static void a_watch_that_is_answered_410_is_followed_by_a_list(void **state)
{
    (void)state;
    struct world *world = open_world(1);
    world->spoil_watch = expire_by_status;
    world_follow(world, NULL);
    world_run(world, world_is_followed);
    assert_int_equal(world->lists, 2);
    assert_int_equal(world->watches, 2);
    assert_int_equal(counts_of(world).expired, 1);
    world_close(world);
}

static bool be_behind(struct world *world, struct talk *talk, const char *request)
{
    (void)request;
    if (world->watches != 1)
        return false;
    talk_reply(talk, "504 Gateway Timeout", "", BEHIND);
    return true;
}

static void a_watch_from_a_version_to_come_is_followed_by_a_list_without_one(void **state)
{
    (void)state;
    struct world *world = open_world(1);
    world->spoil_watch = be_behind;
    world_follow(world, NULL);
    world_run(world, world_is_followed);
    assert_int_equal(world->lists, 2);
    assert_null(strstr(world->last_list, "resourceVersion"));
    assert_int_equal(world->stage->waits, 1);
    world_require_clean(world);
    world_close(world);
}

static bool expire_second_page(struct world *world, struct talk *talk, const char *request)
{
    char text[64];
    if (!query_of(request, "continue", text, sizeof text) || world->times > 0)
        return false;
    world->times++;
    world_remove(world, "n0"); /* was on the first page */
    talk_reply(talk, "410 Gone", "", EXPIRED);
    return true;
}

static void a_token_that_expires_makes_one_list_without_pages(void **state)
{
    (void)state;
    struct world *world = open_world(7);
    world->spoil_list = expire_second_page;
    world_follow(world, &(struct jd_reflector_options){ .page = 3 });
    world_run(world, world_is_followed);
    assert_int_equal(world->lists, 2);
    assert_null(strstr(world->last_list, "limit"));
    assert_non_null(strstr(world->last_list, "resourceVersion=0"));
    assert_int_equal(world->cache.removes, 1);
    assert_int_equal(world->stage->waits, 0);
    world_require_clean(world);
    world_close(world);
}

static bool expire_with_version(struct world *world, struct talk *talk, const char *request)
{
    char text[64];
    if (!query_of(request, "resourceVersion", text, sizeof text) || strcmp(text, "0") == 0)
        return false;
    if (world->number)
        talk_status(talk, 504, "Timeout", "Retry-After: 1\r\n",
                    "{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\"}],"
                    "\"retryAfterSeconds\":1}");
    else
        talk_reply(talk, "410 Gone", "", EXPIRED);
    return true;
}

static void a_list_at_a_version_that_is_gone_is_asked_without_one(void **state)
{
    (void)state;
    for (int is_too_large = 0; is_too_large < 2; is_too_large++) {
        struct world *world = open_world(2);
        world->spoil_list = expire_with_version;
        world->number = is_too_large;
        world_follow(world, NULL);
        world_run(world, world_is_followed);
        world_cut(world);
        world_put(world, "n1", 3);
        world_compact(world);
        stage_forget_waits(world->stage);
        world_run(world, world_is_followed);
        assert_int_equal(world->lists, 3);
        assert_null(strstr(world->last_list, "resourceVersion"));
        assert_non_null(strstr(world->last_list, "limit=500"));
        assert_int_equal(world->stage->waits, 1); /* of the cut */
        world_require_clean(world);
        world_close(world);
    }
}

static bool say_error(struct world *world, struct talk *talk, const char *request)
{
    char frame[512];
    (void)request;
    if (world->watches != 1)
        return false;
    snprintf(frame, sizeof frame,
             "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"status\":\"Failure\","
             "\"message\":\"m\",\"reason\":\"\",\"code\":%d}}",
             world->number);
    talk_stream(talk);
    talk_chunk(talk, frame);
    return true; /* and stays open: the client ends it */
}

static void an_error_in_the_stream_is_followed_by_what_it_says(void **state)
{
    static const struct {
        int code;
        const char *list; /* NULL = no list */
    } cases[] = { { 410, "resourceVersion=101&" },
                  { 504, "limit=500 " },
                  { 500, "resourceVersion=101&" },
                  { 503, NULL },
                  { 401, NULL } }; /* the token was good enough to open it */

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world *world = open_world(1);
        world->spoil_watch = say_error;
        world->number = cases[i].code;
        world_follow(world, NULL);
        world_run(world, world_is_followed);
        assert_int_equal(world->watches, 2);
        assert_int_equal(world->lists, cases[i].list ? 2 : 1);
        if (cases[i].list)
            assert_non_null(strstr(world->last_list, cases[i].list));
        assert_int_equal(world->stage->waits, cases[i].list ? 0 : 1);
        world_close(world);
    }
}

/* ---- statuses at connect ---- */

static bool refuse_watch(struct world *world, struct talk *talk, const char *request)
{
    (void)request;
    if (world->watches > 3)
        return false;
    if (world->number > 0)
        talk_status(talk, world->number, "Played", "Retry-After: 5\r\n", NULL);
    else
        talk_reset(talk);
    return true;
}

static void a_watch_that_is_refused_is_tried_again_without_a_list(void **state)
{
    static const int codes[] = { 429, 500, 503, 504, 400, 0 };
    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        struct world *world = open_world(1);
        world->spoil_watch = refuse_watch;
        world->number = codes[i];
        world_follow(world, NULL);
        world_run(world, is_watched);
        assert_int_equal(world->lists, 1);
        assert_int_equal(world->watches, 4);
        assert_int_equal(world->stage->waits, 3);
        if (codes[i] > 0)
            assert_true(world->stage->shortest_ms >= 5000); /* Retry-After */
        else
            assert_in_range(world->stage->waited_ms, 800 + 1600 + 3200, 1600 + 3200 + 6400);
        world_close(world);
    }
}

static void a_forbidden_kind_is_a_problem_and_asked_for_again_within_10_s(void **state)
{
    (void)state;
    struct world *world = open_world(1);
    world->spoil_watch = refuse_watch;
    world->number = 403;
    world_follow(world, NULL);
    world_run(world, has_problem);
    assert_string_equal(jd_reflector_problem(world->reflector), "nodes: 403 played");
    world_run(world, is_watched);
    assert_true(world->stage->shortest_ms >= 800 && world->stage->longest_ms < 10000);
    world_put(world, "n0", 2);
    world_run(world, world_is_followed);
    assert_null(jd_reflector_problem(world->reflector)); /* it was heard */
    char *log = stage_log(world->stage);
    assert_int_equal(count_of(log, "403"), 1);
    assert_int_equal(count_of(log, "followed again"), 1);
    free(log);
    world_close(world);
}

static bool refuse_token(struct world *world, struct talk *talk, const char *request)
{
    (void)request;
    if (world->watches > 1 && world->number == 0)
        return false;
    talk_status(talk, 401, "Unauthorized", "", NULL);
    return true;
}

static void a_refused_watch_gets_a_new_token_once(void **state)
{
    (void)state;
    struct world *world = open_world(1);
    world->spoil_watch = refuse_token;
    world->stage->access.newer_tokens = 1;
    world_follow(world, NULL);
    world_run(world, is_watched);
    assert_int_equal(world->watches, 2);
    assert_int_equal(world->stage->waits, 0);
    assert_non_null(strstr(world->last_watch, "Authorization: Bearer 2\r\n"));
    world_close(world);
}

static bool refuse_the_first_token(struct world *world, struct talk *talk, const char *request)
{
    if (strstr(request, "Authorization: Bearer 1\r\n")) {
        talk_status(talk, 401, "Unauthorized", "", NULL);
        /* the next one is written after the second refusal */
        world->stage->access.newer_tokens = world->watches == 2;
        return true;
    }
    return false;
}

static void each_refusal_asks_whether_there_is_a_new_token(void **state)
{
    (void)state;
    struct world *world = open_world(1);
    world->spoil_watch = refuse_the_first_token;
    world_follow(world, NULL);
    world_run(world, is_watched);
    assert_int_equal(world->watches, 3);
    assert_int_equal(world->stage->waits, 2); /* at once again only after the first refusal */
    world_close(world);
}

static bool has_waited_often(struct world *world)
{
    return world->stage->waits >= 8;
}

static void tokens_that_are_all_refused_are_not_tried_in_a_loop(void **state)
{
    (void)state;
    struct world *world = open_world(1);
    world->spoil_watch = refuse_token;
    world->number = 1;
    world->stage->access.newer_tokens = 1000;
    world_follow(world, NULL);
    world_run(world, has_waited_often);
    assert_true(world->watches <= world->stage->waits + 2);
    assert_true(world->stage->shortest_ms >= 800 && world->stage->longest_ms < 10000);
    world_close(world);
}

/* ---- kinds that are missing ---- */

static bool is_not_installed(struct world *world, struct talk *talk, const char *request)
{
    (void)request;
    if (world->times == 0)
        return false;
    talk_reply(talk, "404 Not Found", "Content-Type: text/plain\r\n", "404 page not found\n");
    return true;
}

static bool is_synced(struct world *world)
{
    return jd_reflector_has_synced(world->reflector);
}

static bool has_waited_twice(struct world *world)
{
    return world->stage->waits >= 2;
}

static void an_optional_kind_that_is_missing_is_empty_and_may_come(void **state)
{
    (void)state;
    struct world *world = open_world(3);
    world->spoil_list = world->spoil_watch = is_not_installed;
    world->times = 1;
    world_follow(world, &(struct jd_reflector_options){ .is_optional = true });
    world_run(world, is_synced);
    assert_int_equal(jd_reflector_count(world->reflector), 0);
    assert_null(jd_reflector_problem(world->reflector));
    assert_true(jd_reflector_has_reached(world->reflector, "99999"));
    world_run(world, has_waited_twice);
    assert_true(world->stage->shortest_ms >= 30000);
    world->times = 0; /* it is installed */
    world_run(world, world_is_followed);
    world->times = 1; /* and goes again, with all that was there */
    world_cut(world);
    world->count = 0;
    world_run(world, world_is_seen);
    assert_null(jd_reflector_problem(world->reflector));
    world_close(world);
}

static void a_kind_that_must_be_there_is_a_problem_when_it_is_not(void **state)
{
    (void)state;
    struct world *world = open_world(1);
    world->spoil_list = world->spoil_watch = is_not_installed;
    world->times = 1;
    world_follow(world, NULL);
    world_run(world, has_waited_twice);
    assert_false(jd_reflector_has_synced(world->reflector));
    assert_false(jd_reflector_has_reached(world->reflector, "1"));
    assert_string_equal(jd_reflector_problem(world->reflector), "nodes: 404 404 page not found");
    assert_true(world->stage->shortest_ms >= 800 && world->stage->longest_ms < 10000);
    world->times = 0;
    world_run(world, world_is_followed);
    assert_null(jd_reflector_problem(world->reflector));
    world_close(world);
}

/* ---- frames that are none ---- */

static const char *bad_frame;

static bool say_bad_frame(struct world *world, struct talk *talk, const char *request)
{
    (void)request;
    if (world->watches != 1)
        return false;
    world_put(world, "n0", 77); /* lost with the stream */
    talk_stream(talk);
    talk_chunk(talk, bad_frame);
    return true;
}

static void a_frame_that_cannot_be_read_makes_a_list(void **state)
{
    static const char *const frames[] = {
        "garbage",
        "{",
        "{}",
        "[]",
        "null",
        "{\"type\":\"ADDED\"}",
        "{\"type\":7,\"object\":{}}",
        "{\"type\":\"ADDED\",\"object\":7}",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"\\ud800\"}}}",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"\xff\"}}}",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{]}}}",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"x\"}}} trailing",
    };
    (void)state;
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        struct world *world = open_world(1);
        world->spoil_watch = say_bad_frame;
        bad_frame = frames[i];
        world_follow(world, NULL);
        world_run(world, world_is_followed);
        assert_int_equal(world->lists, 2);
        assert_int_equal(world->watches, 2);
        assert_int_equal(world->stage->waits, 1);
        world_require_clean(world);
        world_close(world);
    }
}

static bool say_huge_frame(struct world *world, struct talk *talk, const char *request)
{
    (void)request;
    if (world->watches != 1)
        return false;
    world_put(world, "n0", 78);
    const size_t size = (size_t)9 << 20;
    char *frame = malloc(size + 1);
    assert_non_null(frame);
    memset(frame, 'x', size);
    memcpy(frame, "{\"type\":\"", 9);
    frame[size] = '\0';
    talk_stream(talk);
    talk_chunk(talk, frame);
    free(frame);
    return true;
}

static void a_frame_of_9_mib_makes_a_list(void **state)
{
    (void)state;
    struct world *world = open_world(1);
    world->spoil_watch = say_huge_frame;
    world_follow(world, NULL);
    world_run(world, world_is_followed);
    assert_int_equal(counts_of(world).too_long, 1);
    assert_int_equal(world->lists, 2);
    struct jl_buffer out = { 0 };
    jd_metrics_put(world->stage->metrics, false, &out);
    assert_non_null(strstr(out.data, "joulie_kube_watch_failures_total{component=\"joulie-test\","
                                     "resource=\"nodes\",reason=\"too-long\"} 1\n"));
    jl_buffer_clear(&out);
    world_close(world);
}

static bool say_odd_frames(struct world *world, struct talk *talk, const char *request)
{
    (void)request;
    if (world->watches != 1)
        return false;
    talk_stream(talk);
    talk_chunk(talk, "");
    talk_chunk(talk, "{\"type\":\"WHATEVER\",\"object\":{}}\r\n\r\n");
    talk_chunk(talk, " {\"object\":{\"metadata\":{\"name\":\"\\u006e0\",\"uid\":\"u1\","
                     "\"resourceVersion\":\"900\",\"namespace\":null},\"spec\":{\"value\":4},"
                     "\"kind\":\"Node\",\"apiVersion\":\"v1\"},\"type\":\"MODIFIED\",\"x\":[{}]} ");
    talk_chunk(talk, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":"
                     "\"901\",\"name\":\"\"}}}");
    talk_chunk(talk, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":"
                     "\"902\",\"name\":\"a/b\"}}}");
    talk_chunk(talk, "{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"resourceVersion\":"
                     "\"903\",\"name\":\"never-seen\"}}}");
    return true;
}

static bool is_at_903(struct world *world)
{
    return jd_reflector_has_reached(world->reflector, "903");
}

static void odd_frames_do_what_they_say_and_no_more(void **state)
{
    (void)state;
    struct world *world = open_world(1);
    world->spoil_watch = say_odd_frames;
    world_follow(world, NULL);
    world_run(world, is_at_903);
    assert_string_equal(jd_reflector_version(world->reflector), "903");
    assert_int_equal(world->cache.count, 1);
    assert_int_equal(world->cache.items[0].value, 4);
    assert_int_equal(world->cache.removes, 0);
    assert_int_equal(counts_of(world).refused, 2);
    assert_int_equal(world->watches, 1);
    world_close(world);
}

static void another_uid_in_the_stream_is_another_object(void **state)
{
    (void)state;
    struct world *world = open_world(2);
    world_follow(world, NULL);
    world_run(world, world_is_followed);
    world_replace(world, "n1", 5);
    world_run(world, world_is_followed);
    assert_int_equal(world->cache.removes, 1);
    assert_int_equal(world->cache.upserts, 3);
    world_require_clean(world);
    world_close(world);
}

/* ---- servers that went back, and silence ---- */

static bool has_watched_twice(struct world *world)
{
    return world->watches >= 2 && world_open_watches(world) >= 1;
}

static void a_silent_watch_is_dead_after_a_time(void **state)
{
    (void)state;
    struct world *world = open_world(1);
    world->stage->dead_ms = 60;
    world_follow(world, NULL);
    world_run(world, has_watched_twice);
    assert_true(counts_of(world).broken >= 1);
    world_close(world);
}

static void a_watch_that_the_server_never_ends_is_ended_here(void **state)
{
    (void)state;
    struct world *world = open_world(1);
    world->stage->deadline_ms = 60;
    world_follow(world, NULL);
    world_run(world, has_watched_twice);
    world_close(world);
}

static void a_server_that_was_restored_from_a_backup_is_found_out(void **state)
{
    (void)state;
    struct world *world = open_world(3);
    world->version = 5000;
    world_follow(world, NULL);
    world_run(world, world_is_followed);
    /* the server is an older one now, and the watch says nothing, for ever */
    world_cut(world);
    world->version = 50;
    world->change_count = 0;
    world->count = 1;
    world->items[0].version = 49;
    world->stage->safety_ms = 200;
    jd_reflector_close(world->reflector);
    world->cache = (struct cache){ 0 };
    world->version = 5000;
    world_follow(world, NULL);
    world_run(world, world_is_followed);
    world->version = 50;
    world->items[0].version = 48;
    world_run(world, world_is_followed);
    assert_string_equal(jd_reflector_version(world->reflector), "50");
    assert_null(strstr(world->last_list, "resourceVersion"));
    char *log = stage_log(world->stage);
    assert_int_equal(count_of(log, "resourceVersion went back from 5000 to 50"), 1);
    free(log);
    world_put(world, "after", 1);
    world_run(world, world_is_followed);
    world_close(world);
}

static bool has_listed_4_times(struct world *world)
{
    return world->lists >= 4 && world_open_watches(world) >= 1;
}

static void a_safety_list_hands_nothing_over_again(void **state)
{
    (void)state;
    struct world *world = open_world(20);
    world->stage->safety_ms = 20;
    world_follow(world, NULL);
    world_run(world, has_listed_4_times);
    assert_int_equal(world->cache.upserts, 20);
    assert_int_equal(world->cache.removes, 0);
    assert_int_equal(world->stage->waits, 0);
    world_require_clean(world);
    world_close(world);
}

/* ---- lists that are none ---- */

static const char *bad_list;

static bool say_bad_list(struct world *world, struct talk *talk, const char *request)
{
    (void)request;
    if (world->lists != 1)
        return false;
    talk_reply(talk, "200 OK", "", bad_list);
    return true;
}

static void a_list_that_cannot_be_read_is_asked_for_again(void **state)
{
    static const char *const lists[] = {
        "",
        "null",
        "{}",
        "{\"items\":[]}",
        "{\"metadata\":{\"resourceVersion\":\"\"},\"items\":[]}",
        "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":null}",
        "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[1]}",
        "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{}",
        "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{}]}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct world *world = open_world(2);
        world->spoil_list = say_bad_list;
        bad_list = lists[i];
        world_follow(world, NULL);
        world_run(world, world_is_followed);
        assert_int_equal(world->lists, 2);
        assert_int_equal(world->stage->waits, 1);
        world_require_clean(world);
        world_close(world);
    }
}

static bool say_endless_pages(struct world *world, struct talk *talk, const char *request)
{
    char body[256];
    (void)request;
    snprintf(body, sizeof body,
             "{\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"%d\"},\"items\":[]}",
             world->number ? world->pages : 1);
    talk_reply(talk, "200 OK", "", body);
    return true;
}

static void pages_without_an_end_are_left(void **state)
{
    (void)state;
    for (int is_new_token = 0; is_new_token < 2; is_new_token++) {
        struct world *world = open_world(0);
        world->spoil_list = say_endless_pages;
        world->number = is_new_token;
        world_follow(world, NULL);
        world_run(world, has_waited_twice);
        assert_true(world->pages <= (world->stage->waits + 1) * 102);
        assert_false(jd_reflector_has_synced(world->reflector));
        world_close(world);
    }
}

static void what_the_cache_does_not_take_is_counted_and_the_rest_goes_on(void **state)
{
    (void)state;
    struct world *world = open_world(0);
    world->cache.is_choosy = true;
    world_put(world, "bad", -1);
    world_put(world, "worse", -2);
    world_put(world, "good", 1);
    world_follow(world, NULL);
    world_run(world, is_watched);
    assert_int_equal(world->cache.count, 1);
    assert_int_equal(counts_of(world).refused, 2);
    char *log = stage_log(world->stage);
    assert_int_equal(count_of(log, "negative"), 1);
    free(log);
    world_put(world, "bad", 3);
    world_remove(world, "worse");
    world_run(world, world_is_followed);
    world_close(world);
}

/* ---- no hot loop ---- */

static bool end_at_once(struct world *world, struct talk *talk, const char *request)
{
    (void)world;
    (void)request;
    talk_stream(talk);
    talk_last_chunk(talk);
    return true;
}

static bool end_after_bookmark(struct world *world, struct talk *talk, const char *request)
{
    char frame[128];
    (void)request;
    world->version += world->number; /* new ones, or always the same */
    snprintf(frame, sizeof frame,
             "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"%lld\"}}}",
             (long long)world->version);
    talk_stream(talk);
    talk_chunk(talk, frame);
    talk_last_chunk(talk);
    return true;
}

static bool expire_always(struct world *world, struct talk *talk, const char *request)
{
    (void)world;
    (void)request;
    talk_stream(talk);
    talk_chunk(talk, "{\"type\":\"ERROR\",\"object\":" EXPIRED "}");
    talk_last_chunk(talk);
    return true;
}

static bool gone_always(struct world *world, struct talk *talk, const char *request)
{
    (void)world;
    (void)request;
    talk_reply(talk, "410 Gone", "", EXPIRED);
    return true;
}

static bool break_always(struct world *world, struct talk *talk, const char *request)
{
    (void)world;
    (void)request;
    talk_reset(talk);
    return true;
}

static bool error_500_always(struct world *world, struct talk *talk, const char *request)
{
    (void)world;
    (void)request;
    talk_stream(talk);
    talk_chunk(talk, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":500,"
                     "\"reason\":\"InternalError\"}}");
    return true;
}

static bool garbage_always(struct world *world, struct talk *talk, const char *request)
{
    (void)world;
    (void)request;
    talk_stream(talk);
    talk_chunk(talk, "<html>");
    return true;
}

static bool fail_500(struct world *world, struct talk *talk, const char *request)
{
    (void)world;
    (void)request;
    talk_status(talk, 500, "InternalError", "Retry-After: 0\r\n", NULL);
    return true;
}

typedef bool (*spoiler)(struct world *world, struct talk *talk, const char *request);

static void a_server_that_is_always_wrong_is_asked_as_the_backoff_allows(void **state)
{
    static const struct {
        spoiler list;
        spoiler watch;
        int number;
    } cases[] = {
        { NULL, end_at_once, 0 },        { NULL, end_after_bookmark, 0 },
        { NULL, end_after_bookmark, 1 }, { NULL, expire_always, 0 },
        { NULL, gone_always, 0 },        { NULL, break_always, 0 },
        { NULL, error_500_always, 0 },   { NULL, garbage_always, 0 },
        { NULL, fail_500, 0 },           { fail_500, NULL, 0 },
        { gone_always, NULL, 0 },        { break_always, NULL, 0 },
        { gone_always, gone_always, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world *world = open_world(1);
        world->spoil_list = cases[i].list;
        world->spoil_watch = cases[i].watch;
        world->number = cases[i].number;
        world_follow(world, NULL);
        world_run(world, has_waited_often);
        /* every wait allows a list and a watch; the first few come without one */
        const int requests = world->pages + world->watches;
        if (requests > 2 * (int)world->stage->waits + 8)
            fail_msg("case %zu: %d requests, %d waits", i, requests, (int)world->stage->waits);
        /* 0.8 + 1.6 + … + 25.6 + 30 s, rounded; of a server that may be starting 0.8 + … + 5 s */
        const int64_t least_ms = cases[i].list == break_always ? 30590 : 80635;
        assert_true(world->stage->waited_ms >= least_ms);
        world_close(world);
    }
}

/* ---- everything at once ---- */

static struct jl_random chance;

static bool spoil_any_list(struct world *world, struct talk *talk, const char *request)
{
    if (world->times == 0)
        return false;
    switch (jl_random_int(&chance, 0, 9)) {
    case 0:
        world->times--;
        return fail_500(world, talk, request);
    case 1:
        world->times--;
        return break_always(world, talk, request);
    case 2:
        world->times--;
        return gone_always(world, talk, request);
    case 3:
        world->times--;
        talk_text(talk, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{\"items\":[{");
        talk_end(talk);
        return true;
    default:
        return false;
    }
}

static bool spoil_any_watch(struct world *world, struct talk *talk, const char *request)
{
    static const spoiler spoilers[] = { end_at_once,     expire_always,  gone_always,
                                        break_always,    garbage_always, fail_500,
                                        error_500_always };
    if (world->times == 0 || jl_random_int(&chance, 0, 1) == 0)
        return false;
    world->times--;
    return spoilers[jl_random_int(&chance, 0, 6)](world, talk, request);
}

static void change_something(struct world *world)
{
    char name[32];
    snprintf(name, sizeof name, "n%d", (int)jl_random_int(&chance, 0, 20));
    switch (jl_random_int(&chance, 0, 9)) {
    case 0:
    case 1:
        world_remove(world, name);
        break;
    case 2:
        world_replace(world, name, (int)jl_random_int(&chance, 0, 99));
        break;
    case 3:
        world_compact(world);
        break;
    case 4:
        world_cut(world);
        break;
    case 5:
        world_end(world);
        break;
    case 6:
        world_bookmark(world);
        break;
    default:
        world_put(world, name, (int)jl_random_int(&chance, 0, 99));
        break;
    }
}

static bool change_and_stop(struct world *world)
{
    for (int64_t i = jl_random_int(&chance, 0, 3); i > 0; i--)
        change_something(world);
    return --world->number <= 0;
}

static void after_any_faults_both_hold_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        chance.state = seed;
        struct world *world = open_world((int)jl_random_int(&chance, 0, 20));
        world->spoil_list = spoil_any_list;
        world->spoil_watch = spoil_any_watch;
        world->times = 30;
        world->number = 100;
        world_follow(world, &(struct jd_reflector_options){ .page = jl_random_int(&chance, 1, 8) });
        world_run(world, change_and_stop);
        world->times = 0; /* from here on the server works */
        world_run(world, world_is_followed);
        const struct jd_reflector_counts counts = counts_of(world);
        world_require_clean(world);
        assert_true(counts.lists + counts.watches <= 2 * counts.waits + 2 * counts.expired + 600);
        world_close(world);
    }
}

static void a_reflector_can_be_closed_at_any_moment(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        chance.state = (uint64_t)i;
        struct world *world = open_world(9);
        world->spoil_list = spoil_any_list;
        world->spoil_watch = spoil_any_watch;
        world->times = 30;
        world->number = i;
        world_follow(world, &(struct jd_reflector_options){ .page = 2 });
        world_run(world, change_and_stop);
        world_close(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_in_pages_then_a_watch),
        cmocka_unit_test(an_empty_collection_is_synced_too),
        cmocka_unit_test(a_bookmark_moves_the_version_and_wakes_who_waits),
        cmocka_unit_test(a_clean_end_is_followed_by_the_next_watch_at_once),
        cmocka_unit_test(a_stream_may_be_cut_at_any_byte),
        cmocka_unit_test(bytes_that_come_one_by_one_are_frames_in_the_end),
        cmocka_unit_test(changes_that_were_compacted_are_listed),
        cmocka_unit_test(a_watch_that_is_answered_410_is_followed_by_a_list),
        cmocka_unit_test(a_watch_from_a_version_to_come_is_followed_by_a_list_without_one),
        cmocka_unit_test(a_token_that_expires_makes_one_list_without_pages),
        cmocka_unit_test(a_list_at_a_version_that_is_gone_is_asked_without_one),
        cmocka_unit_test(an_error_in_the_stream_is_followed_by_what_it_says),
        cmocka_unit_test(a_watch_that_is_refused_is_tried_again_without_a_list),
        cmocka_unit_test(a_forbidden_kind_is_a_problem_and_asked_for_again_within_10_s),
        cmocka_unit_test(a_refused_watch_gets_a_new_token_once),
        cmocka_unit_test(each_refusal_asks_whether_there_is_a_new_token),
        cmocka_unit_test(tokens_that_are_all_refused_are_not_tried_in_a_loop),
        cmocka_unit_test(an_optional_kind_that_is_missing_is_empty_and_may_come),
        cmocka_unit_test(a_kind_that_must_be_there_is_a_problem_when_it_is_not),
        cmocka_unit_test(a_frame_that_cannot_be_read_makes_a_list),
        cmocka_unit_test(a_frame_of_9_mib_makes_a_list),
        cmocka_unit_test(odd_frames_do_what_they_say_and_no_more),
        cmocka_unit_test(another_uid_in_the_stream_is_another_object),
        cmocka_unit_test(a_silent_watch_is_dead_after_a_time),
        cmocka_unit_test(a_watch_that_the_server_never_ends_is_ended_here),
        cmocka_unit_test(a_server_that_was_restored_from_a_backup_is_found_out),
        cmocka_unit_test(a_safety_list_hands_nothing_over_again),
        cmocka_unit_test(a_list_that_cannot_be_read_is_asked_for_again),
        cmocka_unit_test(pages_without_an_end_are_left),
        cmocka_unit_test(what_the_cache_does_not_take_is_counted_and_the_rest_goes_on),
        cmocka_unit_test(a_server_that_is_always_wrong_is_asked_as_the_backoff_allows),
        cmocka_unit_test(after_any_faults_both_hold_the_same),
        cmocka_unit_test(a_reflector_can_be_closed_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
