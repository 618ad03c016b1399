/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP client against peers that do what they should, and against others. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/version.h>

#include "runtime/clock.h"
#include "runtime/http_client.h"
#include "runtime/peer.h"
#include "support/test.h"

/* What became of a request. */
struct result {
    bool is_done;
    int times;
    int status;
    enum jd_http_end end;
    int64_t retry_after_s;
    uint64_t bytes;
    char message[256];
    char warning[64];
    char content_type[64];
    struct jl_buffer body;
    struct jl_buffer pieces; /* of a stream */
    struct jd_transfer *transfer;
    struct jd_transfer *other;
    struct scene *scene;
    bool stops_stream;
    bool cancels;
};

#ifdef __x86_64__
#define MACHINE "amd64"
#else
#define MACHINE "arm64"
#endif

struct scene {
    struct jd_loop loop;
    struct jd_http *http;
    struct peer peer;
    struct jl_buffer request; /* the last one that the peer saw */
    const char *script;       /* what the peer does */
    struct jd_timer timer;
    struct talk *slow;
    int left;
};

static size_t threads(void)
{
    size_t count = 0;
    DIR *const dir = opendir("/proc/self/task");
    assert_non_null(dir);
    for (const struct dirent *entry = NULL; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void say_slowly(void *user)
{
    struct scene *const scene = user;
    if (scene->left-- > 0) {
        talk_text(scene->slow, "1\r\nx\r\n");
        jd_timer_set(&scene->loop, &scene->timer, jd_clock_ms() + 5);
    } else {
        talk_text(scene->slow, "0\r\n\r\n");
    }
}

static void say_much(struct talk *talk, size_t megabytes)
{
    static char block[1 << 20];
    memset(block, 'a', sizeof block);
    for (size_t i = 0; i < megabytes; i++)
        jl_put(&talk->out, block, sizeof block);
    talk_text(talk, "");
}

static void play(void *user, struct talk *talk, const char *request)
{
    struct scene *const scene = user;
    const char *const script = scene->script;
    jl_buffer_reset(&scene->request);
    jl_put_string(&scene->request, request);
    if (strcmp(script, "ok") == 0) {
        talk_reply(talk, "200 OK", "Content-Type: text/plain\r\n", "hello");
    } else if (strcmp(script, "limits") == 0) {
        talk_reply(talk, "429 Too Many Requests",
                   "Retry-After: 7\r\nWarning: 299 - \"old\"\r\nWarning: 299 - \"second\"\r\n",
                   "Too many");
    } else if (strcmp(script, "empty") == 0) {
        talk_text(talk, "HTTP/1.1 204 No Content\r\n\r\n");
    } else if (strcmp(script, "moved") == 0) {
        talk_reply(talk, "302 Found", "Location: /elsewhere\r\n", "");
    } else if (strcmp(script, "garbage") == 0) {
        talk_text(talk, "\x01\x02garbage\r\n\r\nmore\r\n");
        talk_end(talk);
    } else if (strcmp(script, "silence") == 0) {
        return;
    } else if (strcmp(script, "half") == 0) {
        talk_text(talk, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
        talk_end(talk);
    } else if (strcmp(script, "half chunk") == 0) {
        talk_text(talk, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
        talk_end(talk);
    } else if (strcmp(script, "reset") == 0) {
        talk_reset(talk);
    } else if (strcmp(script, "nothing") == 0) {
        talk_end(talk);
    } else if (strcmp(script, "long") == 0) {
        talk_text(talk, "HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n");
        say_much(talk, 100);
    } else if (strcmp(script, "endless") == 0) {
        talk_text(talk, "HTTP/1.1 200 OK\r\n\r\n");
        say_much(talk, 100);
    } else if (strcmp(script, "headers") == 0) {
        talk_text(talk, "HTTP/1.1 200 OK\r\n");
        for (int i = 0; i < 5000; i++)
            talk_text(talk,
                      "X-Header: 0123456789012345678901234567890123456789012345678901234\r\n");
        talk_text(talk, "\r\n");
    } else if (strcmp(script, "slow") == 0) {
        talk_text(talk, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        scene->slow = talk;
        say_slowly(scene);
    } else if (strcmp(script, "stream") == 0) {
        talk_text(talk, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "5\r\n{\"a\":\r\n3\r\n1}\n\r\n");
        talk_text(talk, "0\r\n\r\n");
    } else if (strcmp(script, "stuck stream") == 0) {
        talk_text(talk, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
    } else if (strcmp(script, "refused stream") == 0) {
        talk_reply(talk, "410 Gone", "", "gone");
    } else if (strcmp(script, "lost") == 0) { /* only what comes over a used connection */
        if (scene->peer.requests == 2)
            talk_reset(talk);
        else
            talk_reply(talk, "200 OK", "", "again");
    } else if (strcmp(script, "silent first") == 0) {
        if (talk->number > 0)
            talk_reply(talk, "200 OK", "", "second");
    } else {
        fail_msg("there is no script %s", script);
    }
}

static int set_up(void **state)
{
    struct scene *const scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    assert_int_equal(jd_loop_open(&scene->loop, 0, NULL, 0, NULL), 0);
    assert_int_equal(jd_http_open(&scene->loop, "joulie-test", &scene->http, NULL), 0);
    peer_open(&scene->peer, &scene->loop, play, scene);
    scene->script = "ok";
    scene->timer = (struct jd_timer){ .fire = say_slowly, .user = scene };
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *const scene = *state;
    assert_int_equal(threads(), 1);
    jd_timer_stop(&scene->loop, &scene->timer);
    jd_http_close(scene->http);
    peer_close(&scene->peer);
    jd_loop_close(&scene->loop);
    jl_buffer_clear(&scene->request);
    free(scene);
    return 0;
}

static void on_done(void *user, const struct jd_reply *reply)
{
    struct result *const result = user;
    result->times++;
    result->is_done = true;
    result->status = reply->status;
    result->end = reply->end;
    result->retry_after_s = reply->retry_after_s;
    result->bytes = reply->bytes;
    snprintf(result->message, sizeof result->message, "%s", reply->message);
    snprintf(result->warning, sizeof result->warning, "%s", reply->warning);
    snprintf(result->content_type, sizeof result->content_type, "%s", reply->content_type);
    assert_int_equal(reply->body[reply->len], '\0');
    jl_put(&result->body, reply->body, reply->len);
    if (result->cancels)
        jd_http_cancel(result->transfer);
    jd_http_cancel(result->other);
    result->other = NULL;
}

static const char *body_of(const struct result *result)
{
    return result->body.data ? result->body.data : "";
}

static void clear(struct result *result)
{
    jl_buffer_clear(&result->body);
    jl_buffer_clear(&result->pieces);
    *result = (struct result){ 0 };
}

static void start(struct scene *scene, struct jd_http_request *request, struct result *result)
{
    if (!request->url)
        request->url = scene->peer.url;
    request->on_done = on_done;
    request->user = result;
    result->scene = scene;
    assert_int_equal(jd_http_start(scene->http, request, &result->transfer, NULL), 0);
    assert_false(result->is_done); /* nothing comes from within jd_http_start() */
}

static void fetch(struct scene *scene, struct jd_http_request request, struct result *result)
{
    start(scene, &request, result);
    assert_true(run_until(&scene->loop, &result->is_done));
    assert_int_equal(result->times, 1);
    assert_int_equal(jd_http_active(scene->http), 0);
    assert_int_equal(threads(), 1);
}

static void expect_end(struct scene *scene, const char *script, enum jd_http_end end)
{
    struct result result = { 0 };
    scene->script = script;
    fetch(scene, (struct jd_http_request){ .timeout_ms = 5000 }, &result);
    if (result.end != end)
        fail_msg("%s: ended as %d (%s), not %d", script, result.end, result.message, end);
    assert_true(end == JD_HTTP_WHOLE || result.message[0] != '\0');
    clear(&result);
}

static void an_answer_has_status_body_and_type(void **state)
{
    struct result result = { 0 };
    fetch(*state, (struct jd_http_request){ 0 }, &result);
    assert_int_equal(result.end, JD_HTTP_WHOLE);
    assert_int_equal(result.status, 200);
    assert_string_equal(body_of(&result), "hello");
    assert_string_equal(result.content_type, "text/plain");
    assert_string_equal(result.message, "");
    assert_string_equal(result.warning, "");
    assert_int_equal(result.retry_after_s, -1);
    assert_int_equal(result.bytes, 5);
    clear(&result);
}

static void a_request_says_what_was_given_and_nothing_else(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    const char *const headers[] = { "Accept: application/json", "Authorization: Bearer x", NULL };
    char url[128];
    char expected[256];
    snprintf(url, sizeof url, "%s/a/b?c=d", scene->peer.url);
    fetch(scene, (struct jd_http_request){ .url = url, .headers = headers }, &result);
    snprintf(expected, sizeof expected,
             "GET /a/b?c=d HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUser-Agent: "
             "joulie-test/%s (linux/%s) libjoulie/%s\r\n"
             "Accept: application/json\r\nAuthorization: Bearer x\r\n\r\n",
             scene->peer.port, joulie_version(), MACHINE, joulie_version());
    assert_string_equal(scene->request.data, expected);
    clear(&result);
}

static void a_body_goes_out_with_its_length_and_without_expect(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    const size_t len = (size_t)2 << 20; /* libcurl would add Expect: above 1 MiB */
    char *const body = malloc(len);
    assert_non_null(body);
    memset(body, 'b', len);
    const char *const headers[] = { "Content-Type: application/merge-patch+json", NULL };
    struct jd_http_request request = {
        .method = "PATCH", .headers = headers, .body = body, .len = len
    };
    start(scene, &request, &result);
    free(body); /* borrowed for the call only */
    assert_true(run_until(&scene->loop, &result.is_done));
    assert_int_equal(result.status, 200);
    assert_true(strncmp(scene->request.data, "PATCH / HTTP/1.1\r\n", 18) == 0);
    assert_non_null(strstr(scene->request.data, "Content-Length: 2097152\r\n"));
    assert_non_null(strstr(scene->request.data, "Content-Type: application/merge-patch+json\r\n"));
    assert_null(strstr(scene->request.data, "Expect"));
    assert_null(strstr(scene->request.data, "urlencoded"));
    clear(&result);
}

static void methods_without_a_body_are_sent_as_such(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    fetch(scene, (struct jd_http_request){ .method = "DELETE" }, &result);
    assert_true(strncmp(scene->request.data, "DELETE / HTTP/1.1\r\n", 19) == 0);
    assert_null(strstr(scene->request.data, "Content-Type"));
    clear(&result);
    fetch(scene, (struct jd_http_request){ .method = "POST" }, &result);
    assert_non_null(strstr(scene->request.data, "Content-Length: 0\r\n"));
    clear(&result);
}

static void a_status_is_an_answer_whatever_it_is(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    scene->script = "limits";
    fetch(scene, (struct jd_http_request){ 0 }, &result);
    assert_int_equal(result.end, JD_HTTP_WHOLE);
    assert_int_equal(result.status, 429);
    assert_int_equal(result.retry_after_s, 7);
    assert_string_equal(result.warning, "299 - \"old\"");
    assert_string_equal(body_of(&result), "Too many");
    clear(&result);
    scene->script = "empty";
    fetch(scene, (struct jd_http_request){ 0 }, &result);
    assert_int_equal(result.status, 204);
    assert_string_equal(body_of(&result), "");
    clear(&result);
    scene->script = "moved"; /* no redirect is followed */
    fetch(scene, (struct jd_http_request){ 0 }, &result);
    assert_int_equal(result.status, 302);
    clear(&result);
}

static void a_connection_is_used_again_unless_it_is_its_own(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    for (int i = 0; i < 3; i++) {
        fetch(scene, (struct jd_http_request){ 0 }, &result);
        clear(&result);
    }
    assert_int_equal(scene->peer.connections, 1);
    fetch(scene, (struct jd_http_request){ .is_own_connection = true }, &result);
    clear(&result);
    assert_int_equal(scene->peer.connections, 2);
    fetch(scene, (struct jd_http_request){ 0 }, &result);
    clear(&result);
    assert_int_equal(scene->peer.connections, 2);
}

/* One after another over one handle: nothing of a URL is left in the next one. */
static void each_request_goes_where_its_url_says(void **state)
{
    struct scene *const scene = *state;

    static const struct {
        const char *path;
        const char *sent;
    } cases[] = {
        { "/a/n-1", "/a/n-1" },
        { "/a/n2.b_c~d", "/a/n2.b_c~d" },
        { "/a?b=/c", "/a?b=/c" },
        { "/", "/" },
        { "/plain", "/plain" },
        { "/a/../b", "/b" },
        { "/next", "/next" },
        { "/a/./b", "/a/b" },
        { "/more", "/more" },
        { "?a=/b", "/?a=/b" },
        { "?a=/c", "/?a=/c" },
        { "/c", "/c" },
        { "#f/g", "/" },
        { "#f/h", "/" },
        { "/d", "/d" },
        { "/x/%C3/y", "/x/%C3/y" },
        { "/e", "/e" },
        { "", "/" },
        { "/f", "/f" },
        { "/last#part", "/last" },
        { "/very/last", "/very/last" },
        { "/?", "/?" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct result result = { 0 };
        char url[128];
        char expected[128];
        snprintf(url, sizeof url, "%s%s", scene->peer.url, cases[i].path);
        fetch(scene, (struct jd_http_request){ .url = url }, &result);
        assert_int_equal(result.status, 200);
        clear(&result);
        const int len = snprintf(expected, sizeof expected, "GET %s HTTP/1.1\r\n", cases[i].sent);
        if (strncmp(scene->request.data, expected, (size_t)len) != 0)
            fail_msg("%s: %.60s", url, scene->request.data);
    }
    assert_int_equal(scene->peer.connections, 1);
}

/* The path is the same, the peer is another. */
static void a_handle_follows_the_origin_of_its_url(void **state)
{
    struct scene *const scene = *state;
    struct peer other = { 0 };
    peer_open(&other, &scene->loop, play, scene);
    for (int i = 0; i < 4; i++) {
        struct result result = { 0 };
        char url[128];
        snprintf(url, sizeof url, "%s/same", i % 2 == 0 ? scene->peer.url : other.url);
        fetch(scene, (struct jd_http_request){ .url = url }, &result);
        assert_int_equal(result.status, 200);
        clear(&result);
        assert_int_equal(scene->peer.requests, i / 2 + 1);
        assert_int_equal(other.requests, (i + 1) / 2);
    }
    peer_close(&other);
}

/* Descriptors that the loop waits for. */
static int watched(const struct scene *scene)
{
    char path[64];
    char line[256];
    int count = 0;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", scene->loop.epoll_fd);
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        count += strncmp(line, "tfd:", 4) == 0;
    fclose(file);
    return count;
}

static void is_over(void *user)
{
    *(bool *)user = true;
}

/* Each change of what the loop waits for is a system call: two for each request of thousands. */
static void a_connection_that_rests_is_watched_until_it_ends(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    bool is_done = false;
    struct jd_timer timer = { .fire = is_over, .user = &is_done };
    const int none = watched(scene);
    fetch(scene, (struct jd_http_request){ 0 }, &result);
    clear(&result);
    assert_int_equal(watched(scene), none + 2); /* its two ends */
    talk_end(scene->peer.talks);
    jd_timer_set(&scene->loop, &timer, jd_clock_ms() + 20);
    assert_true(run_until(&scene->loop, &is_done));
    assert_int_equal(watched(scene), none);
    fetch(scene, (struct jd_http_request){ 0 }, &result);
    assert_int_equal(result.end, JD_HTTP_WHOLE);
    clear(&result);
    assert_int_equal(scene->peer.connections, 2);
    assert_int_equal(watched(scene), none + 2);
}

static void a_write_that_may_have_been_done_is_not_sent_again(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    scene->script = "lost";
    fetch(scene, (struct jd_http_request){ 0 }, &result);
    clear(&result);
    fetch(scene, (struct jd_http_request){ .method = "POST" }, &result);
    assert_int_equal(result.end, JD_HTTP_BROKEN);
    assert_int_equal(scene->peer.requests, 2);
    clear(&result);
    scene->peer.requests = 0;
    fetch(scene, (struct jd_http_request){ 0 }, &result);
    clear(&result);
    fetch(scene, (struct jd_http_request){ 0 }, &result); /* a read is */
    assert_int_equal(result.end, JD_HTTP_WHOLE);
    assert_string_equal(body_of(&result), "again");
    assert_int_equal(scene->peer.requests, 3);
    clear(&result);
}

static void bad_answers_end_as_what_they_are(void **state)
{
    expect_end(*state, "garbage", JD_HTTP_FAILED);
    expect_end(*state, "half", JD_HTTP_BROKEN);
    expect_end(*state, "half chunk", JD_HTTP_BROKEN);
    expect_end(*state, "reset", JD_HTTP_BROKEN);
    expect_end(*state, "nothing", JD_HTTP_BROKEN);
    expect_end(*state, "headers", JD_HTTP_TOO_LONG);
    expect_end(*state, "ok", JD_HTTP_WHOLE); /* the next one is none the worse */
}

static void a_hundred_megabytes_are_not_kept(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    scene->script = "long";
    fetch(scene, (struct jd_http_request){ 0 }, &result);
    assert_int_equal(result.end, JD_HTTP_TOO_LONG);
    assert_string_equal(result.message, "the answer is too long");
    assert_true(result.bytes <= 65536); /* its announced length was enough */
    clear(&result);
    scene->script = "endless";
    fetch(scene, (struct jd_http_request){ .limit_bytes = 1000000 }, &result);
    assert_int_equal(result.end, JD_HTTP_TOO_LONG);
    assert_true(result.body.len <= 1000000);
    clear(&result);
}

static void the_limit_is_the_last_length_that_fits(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    fetch(scene, (struct jd_http_request){ .limit_bytes = 5 }, &result);
    assert_int_equal(result.end, JD_HTTP_WHOLE);
    clear(&result);
    fetch(scene, (struct jd_http_request){ .limit_bytes = 4 }, &result);
    assert_int_equal(result.end, JD_HTTP_TOO_LONG);
    clear(&result);
}

static void silence_ends_at_the_deadline(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    scene->script = "silence";
    fetch(scene, (struct jd_http_request){ .timeout_ms = 30 }, &result);
    assert_int_equal(result.end, JD_HTTP_TIMED_OUT);
    assert_int_equal(result.status, 0);
    clear(&result);
    fetch(scene, (struct jd_http_request){ .idle_ms = 30 }, &result);
    assert_int_equal(result.end, JD_HTTP_TIMED_OUT);
    assert_string_equal(result.message, "nothing was heard for too long");
    clear(&result);
}

static bool on_data(void *user, const char *bytes, size_t len)
{
    struct result *const result = user;
    jl_put(&result->pieces, bytes, len);
    if (result->cancels) {
        jd_http_cancel(result->transfer);
        result->transfer = NULL;
    }
    jd_http_cancel(result->other);
    result->other = NULL;
    return !result->stops_stream;
}

static void slow_bytes_are_no_silence(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    scene->script = "slow";
    scene->left = 20;
    fetch(scene, (struct jd_http_request){ .idle_ms = 3000 }, &result);
    assert_int_equal(result.end, JD_HTTP_WHOLE);
    assert_string_equal(body_of(&result), "xxxxxxxxxxxxxxxxxxxx");
    clear(&result);
}

static void a_stream_comes_in_pieces(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    scene->script = "stream";
    fetch(scene, (struct jd_http_request){ .on_data = on_data, .limit_bytes = 1 }, &result);
    assert_int_equal(result.end, JD_HTTP_WHOLE);
    assert_string_equal(result.pieces.data, "{\"a\":1}\n");
    assert_string_equal(body_of(&result), "");
    assert_int_equal(result.bytes, 8);
    clear(&result);
    scene->script = "refused stream"; /* another status is a body */
    fetch(scene, (struct jd_http_request){ .on_data = on_data }, &result);
    assert_int_equal(result.status, 410);
    assert_null(result.pieces.data);
    assert_string_equal(body_of(&result), "gone");
    clear(&result);
}

static void a_stream_ends_when_it_is_enough_or_silent(void **state)
{
    struct scene *const scene = *state;
    struct result result = { .stops_stream = true };
    scene->script = "stuck stream";
    fetch(scene, (struct jd_http_request){ .on_data = on_data }, &result);
    assert_int_equal(result.end, JD_HTTP_TOO_LONG);
    clear(&result);
    fetch(scene, (struct jd_http_request){ .on_data = on_data, .idle_ms = 30 }, &result);
    assert_int_equal(result.end, JD_HTTP_TIMED_OUT);
    assert_int_equal(result.status, 200);
    assert_string_equal(result.pieces.data, "a");
    clear(&result);
}

static void a_cancelled_request_is_not_heard_of_again(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    struct result last = { 0 };
    struct jd_http_request request = { 0 };
    start(scene, &request, &result); /* before it has begun */
    jd_http_cancel(result.transfer);
    jd_http_cancel(NULL);
    scene->script = "silent first";
    start(scene, &request, &result); /* on its way */
    start(scene, &request, &last);
    assert_true(run_until(&scene->loop, &last.is_done));
    assert_string_equal(body_of(&last), "second");
    jd_http_cancel(result.transfer);
    assert_int_equal(jd_http_active(scene->http), 0);
    clear(&last);
    fetch(scene, (struct jd_http_request){ 0 }, &last);
    assert_int_equal(result.times, 0);
    clear(&last);
}

static void a_request_may_be_cancelled_from_any_callback(void **state)
{
    struct scene *const scene = *state;
    struct result silent = { 0 };
    struct result stream = { .cancels = true };
    struct result last = { 0 };
    struct jd_http_request request = { .on_data = on_data };
    scene->script = "silence";
    start(scene, &request, &silent);
    stream.other = silent.transfer; /* another one and itself, while libcurl is at work */
    scene->script = "stuck stream";
    start(scene, &request, &stream);
    last.stops_stream = true;
    start(scene, &request, &last);
    assert_true(run_until(&scene->loop, &last.is_done));
    clear(&last);
    while (jd_http_active(scene->http) > 0) { /* the cancelled stream may come last */
        start(scene, &request, &last);
        last.stops_stream = true;
        assert_true(run_until(&scene->loop, &last.is_done));
        clear(&last);
    }
    assert_int_equal(stream.times, 0);
    assert_int_equal(silent.times, 0);
    scene->script = "ok";
    last.cancels = true; /* itself, in its on_done() */
    fetch(scene, (struct jd_http_request){ 0 }, &last);
    clear(&stream);
    clear(&silent);
    clear(&last);
}

static void nobody_there_is_unreachable(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    peer_close(&scene->peer);
    fetch(scene, (struct jd_http_request){ 0 }, &result);
    assert_int_equal(result.end, JD_HTTP_UNREACHABLE);
    assert_int_equal(result.status, 0);
    clear(&result);
    peer_open(&scene->peer, &scene->loop, play, scene);
}

static void names_need_no_thread(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    char url[128];
    snprintf(url, sizeof url, "http://localhost:%d/", scene->peer.port);
    fetch(scene, (struct jd_http_request){ .url = url }, &result);
    assert_int_equal(result.status, 200);
    clear(&result);
    fetch(scene,
          (struct jd_http_request){ .url = "http://no-such-host.invalid/", .connect_ms = 500 },
          &result);
    assert_int_equal(result.end, JD_HTTP_UNREACHABLE);
    assert_non_null(strstr(result.message, "no-such-host.invalid")
                        ?: strstr(result.message, "no address"));
    clear(&result);
}

static void what_is_no_request_is_refused_at_once(void **state)
{
    struct scene *const scene = *state;
    struct joulie_error err = { .struct_size = sizeof err };
    struct jd_transfer *transfer = NULL;
    static const char *const urls[] = { "",          "ftp://host/", "file:///etc/passwd",
                                        "http://",   "http://a b/", "http://h\xc3\xb6st/",
                                        "gopher://a" };
    for (size_t i = 0; i < JL_COUNT(urls); i++) {
        const struct jd_http_request request = { .url = urls[i] };
        assert_int_equal(jd_http_start(scene->http, &request, &transfer, &err), JOULIE_E_PARSE);
        assert_true(err.message[0] != '\0');
    }
    const char *const headers[] = { "Authorization: Bearer a\r\nX-Evil: 1", NULL };
    const struct jd_http_request split = { .url = scene->peer.url, .headers = headers };
    assert_int_equal(jd_http_start(scene->http, &split, &transfer, &err), JOULIE_E_PARSE);
    assert_null(strstr(err.message, "Bearer"));
    const struct jd_http_request proxy = { .url = scene->peer.url, .proxy = "ftp://p:1" };
    assert_int_equal(jd_http_start(scene->http, &proxy, &transfer, &err), JOULIE_E_PARSE);
    const struct jd_http_request secret = { .url = scene->peer.url, .proxy = "ftp://me:pw@p:1" };
    assert_int_equal(jd_http_start(scene->http, &secret, &transfer, &err), JOULIE_E_PARSE);
    assert_null(strstr(err.message, "pw"));
    assert_non_null(strstr(err.message, "@p:1"));
    assert_null(transfer);
    assert_int_equal(jd_http_active(scene->http), 0);
}

static void only_a_proxy_that_was_named_is_asked(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("no_proxy", "*", 1);
    fetch(scene, (struct jd_http_request){ 0 }, &result);
    assert_int_equal(result.status, 200);
    clear(&result);
    fetch(scene,
          (struct jd_http_request){ .url = "http://somewhere.invalid/x", .proxy = scene->peer.url },
          &result);
    assert_int_equal(result.status, 200);
    assert_true(strncmp(scene->request.data, "GET http://somewhere.invalid/x ", 31) == 0);
    clear(&result);
    unsetenv("http_proxy");
    unsetenv("no_proxy");
}

static void many_requests_run_at_once(void **state)
{
    enum { MANY = 200 };
    struct scene *const scene = *state;
    static struct result results[MANY];
    struct jd_http_request request = { 0 };
    for (int i = 0; i < MANY; i++)
        start(scene, &request, &results[i]);
    assert_int_equal(jd_http_active(scene->http), MANY);
    for (int i = 0; i < MANY; i++) {
        assert_true(run_until(&scene->loop, &results[i].is_done));
        assert_int_equal(results[i].status, 200);
        clear(&results[i]);
    }
    assert_int_equal(scene->peer.requests, MANY);
}

static void closing_ends_what_is_on_its_way(void **state)
{
    struct scene *const scene = *state;
    struct result result = { 0 };
    struct jd_http_request request = { 0 };
    struct result named = { 0 };
    struct jd_http_request slow_name = { .url = "http://no-such-host.invalid/" };
    scene->script = "silence";
    start(scene, &request, &result);
    start(scene, &slow_name, &named);
    jd_http_close(scene->http);
    assert_int_equal(result.times, 0);
    assert_int_equal(jd_http_open(&scene->loop, "joulie-test", &scene->http, NULL), 0);
}

static void a_url_part_is_percent_encoded(void **state)
{
    struct jl_buffer out = { 0 };
    (void)state;
    jd_put_url(&out, "metadata.name=node-a/\xc3\xa9 ~_");
    assert_string_equal(out.data, "metadata.name%3Dnode-a%2F%C3%A9%20~_");
    jl_buffer_clear(&out);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_answer_has_status_body_and_type),
        TEST(a_request_says_what_was_given_and_nothing_else),
        TEST(a_body_goes_out_with_its_length_and_without_expect),
        TEST(methods_without_a_body_are_sent_as_such),
        TEST(a_status_is_an_answer_whatever_it_is),
        TEST(a_connection_is_used_again_unless_it_is_its_own),
        TEST(each_request_goes_where_its_url_says),
        TEST(a_handle_follows_the_origin_of_its_url),
        TEST(a_connection_that_rests_is_watched_until_it_ends),
        TEST(a_write_that_may_have_been_done_is_not_sent_again),
        TEST(bad_answers_end_as_what_they_are),
        TEST(a_hundred_megabytes_are_not_kept),
        TEST(the_limit_is_the_last_length_that_fits),
        TEST(silence_ends_at_the_deadline),
        TEST(slow_bytes_are_no_silence),
        TEST(a_stream_comes_in_pieces),
        TEST(a_stream_ends_when_it_is_enough_or_silent),
        TEST(a_cancelled_request_is_not_heard_of_again),
        TEST(a_request_may_be_cancelled_from_any_callback),
        TEST(nobody_there_is_unreachable),
        TEST(names_need_no_thread),
        TEST(what_is_no_request_is_refused_at_once),
        TEST(only_a_proxy_that_was_named_is_asked),
        TEST(many_requests_run_at_once),
        TEST(closing_ends_what_is_on_its_way),
        cmocka_unit_test(a_url_part_is_percent_encoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
