/* SPDX-License-Identifier: Apache-2.0 */
/* Calls to an API server that answers as docs/rules/clients.md#retries lists, and the bucket before
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kube/bucket.h"
#include "kube/stage.h"
#include "kube/status.h"
#include "runtime/clock.h"
#include "support/test.h"

#define MOST_SEEN 512

struct scene {
    struct stage *stage;
    /* what the server says to each request, and from which one on it says `later` */
    void (*answer)(struct scene *scene, struct talk *talk, int number);
    int number;
    char *requests[MOST_SEEN];
    struct talk *held; /* the request that is not answered yet */

    int done;
    int wanted;
    int codes[MOST_SEEN];
    struct jd_answer last;
    char reason[64];
    char message[512];
    char body[1024];
};

static void handle(void *user, struct talk *talk, const char *request)
{
    struct scene *scene = user;
    if (scene->number < MOST_SEEN)
        scene->requests[scene->number] = strdup(request);
    scene->number++;
    scene->answer(scene, talk, scene->number);
}

static struct scene *open_limited(double qps, double burst,
                                  void (*answer)(struct scene *scene, struct talk *talk,
                                                 int number))
{
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->answer = answer;
    scene->stage = stage_open(qps, burst, handle, scene);
    return scene;
}

static struct scene *open_scene(void (*answer)(struct scene *scene, struct talk *talk, int number))
{
    return open_limited(0, 0, answer);
}

static void close_scene(struct scene *scene)
{
    stage_close(scene->stage);
    for (int i = 0; i < scene->number && i < MOST_SEEN; i++)
        free(scene->requests[i]);
    free(scene);
}

static void on_done(void *user, const struct jd_answer *answer)
{
    struct scene *scene = user;
    scene->last = *answer;
    snprintf(scene->reason, sizeof scene->reason, "%s", answer->reason);
    snprintf(scene->message, sizeof scene->message, "%s", answer->message);
    snprintf(scene->body, sizeof scene->body, "%s", answer->body);
    scene->codes[scene->done++] = answer->code;
    scene->stage->is_done = scene->done == scene->wanted;
}

static struct jd_kube_call call_of(struct scene *scene, const char *method)
{
    const bool is_read = strcmp(method, "GET") == 0;
    return (struct jd_kube_call){ .method = method,
                                  .resource = &jd_node_twins,
                                  .name = "n1",
                                  .patch = is_read ? JD_PATCH_NONE : JD_PATCH_MERGE,
                                  .body = is_read ? NULL : "{}",
                                  .len = is_read ? 0 : 2,
                                  .priority = JD_PRIORITY_SPEC,
                                  .on_done = on_done,
                                  .user = scene };
}

static void ask(struct scene *scene, const char *method)
{
    const struct jd_kube_call call = call_of(scene, method);
    scene->done = 0;
    scene->wanted = 1;
    assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    stage_run(scene->stage);
    assert_int_equal(jd_kube_waiting(scene->stage->kube), 0);
}

/* ---- every row of the table ---- */

struct row {
    const char *method;
    int code;
    const char *reason;
    const char *headers;
    const char *details;
    int least_requests; /* when the server always says the same */
    int most_requests;
    int shortest_ms; /* waits between them */
    int longest_ms;
};

#define ONCE 1, 1, 0, 0
/* base/backoff.h: [0.8, 1.6), [1.6, 3.2), … within 30 s */
#define BACKOFF 4, 6, 800, 25600
/* 3 s and up to a quarter, within 30 s */
#define AFTER_3 9, 10, 3000, 3750

static const struct row rows[] = {
    { "GET", 400, "BadRequest", "", NULL, ONCE },
    { "PATCH", 400, "BadRequest", "", NULL, ONCE },
    { "GET", 401, "Unauthorized", "", NULL, ONCE },
    { "PATCH", 401, "Unauthorized", "", NULL, ONCE },
    { "GET", 403, "Forbidden", "", NULL, ONCE },
    { "PATCH", 403, "Forbidden", "", NULL, ONCE },
    { "GET", 404, "NotFound", "", "{\"name\":\"n1\"}", ONCE },
    { "PATCH", 404, "NotFound", "", NULL, ONCE },
    { "POST", 405, "MethodNotAllowed", "", NULL, ONCE },
    { "GET", 406, "NotAcceptable", "", NULL, ONCE },
    { "PATCH", 415, "UnsupportedMediaType", "", NULL, ONCE },
    { "POST", 409, "AlreadyExists", "", NULL, ONCE },
    { "PUT", 409, "Conflict", "", NULL, ONCE },
    { "GET", 410, "Expired", "", NULL, ONCE },
    { "GET", 410, "Gone", "", NULL, ONCE },
    { "POST", 413, "RequestEntityTooLarge", "", NULL, ONCE },
    { "PATCH", 422, "Invalid", "", NULL, ONCE },
    { "GET", 429, "TooManyRequests", "Retry-After: 3\r\n", NULL, AFTER_3 },
    { "PATCH", 429, "TooManyRequests", "Retry-After: 3\r\n", NULL, AFTER_3 },
    { "DELETE", 429, "TooManyRequests", "", NULL, BACKOFF },
    { "PATCH", 429, "TooManyRequests", "Retry-After: 1\r\n", NULL, 11, 11, 1000, 1250 },
    { "PATCH", 429, "TooManyRequests", "Retry-After: 0\r\n", NULL, BACKOFF },
    { "PATCH", 429, "TooManyRequests", "Retry-After: 999999999\r\n", NULL, ONCE },
    { "GET", 500, "InternalError", "", NULL, BACKOFF },
    { "GET", 500, "", "", NULL, BACKOFF },
    { "GET", 500, "StorageReadError", "", NULL, BACKOFF },
    { "PATCH", 500, "InternalError", "", NULL, ONCE },
    { "DELETE", 500, "InternalError", "", NULL, ONCE },
    { "PATCH", 500, "ServerTimeout", "Retry-After: 3\r\n", NULL, AFTER_3 },
    { "PATCH", 500, "ServerTimeout", "", "{\"retryAfterSeconds\":3}", AFTER_3 },
    { "GET", 503, "ServiceUnavailable", "", NULL, BACKOFF },
    { "PATCH", 503, "ServiceUnavailable", "", NULL, BACKOFF },
    { "GET", 504, "Timeout", "", NULL, BACKOFF },
    { "PATCH", 504, "Timeout", "", NULL, ONCE },
    { "POST", 504, "Timeout", "Retry-After: 1\r\n", NULL, ONCE },
    { "GET", 502, "", "", NULL, BACKOFF },
    { "PUT", 502, "", "", NULL, ONCE },
};

static const struct row *playing;

static void play_row(struct scene *scene, struct talk *talk, int number)
{
    (void)scene;
    (void)number;
    talk_status(talk, playing->code, playing->reason, playing->headers, playing->details);
}

static void every_answer_is_followed_by_what_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = playing = &rows[i];
        struct scene *scene = open_scene(play_row);
        ask(scene, row->method);
        if (scene->number < row->least_requests || scene->number > row->most_requests)
            fail_msg("%s %d %s: %d requests", row->method, row->code, row->reason, scene->number);
        assert_int_equal(scene->last.code, row->code);
        assert_string_equal(scene->reason, row->reason);
        assert_int_equal(scene->stage->waits, scene->number - 1);
        assert_true(scene->stage->waited_ms < 30000);
        if (scene->stage->waits > 0) {
            assert_true(scene->stage->shortest_ms >= row->shortest_ms);
            assert_true(scene->stage->longest_ms <= row->longest_ms);
        }
        assert_int_equal(jd_kube_requests(scene->stage->kube), scene->number);
        close_scene(scene);
    }
}

static void fail_then_work(struct scene *scene, struct talk *talk, int number)
{
    (void)scene;
    if (number <= 2)
        talk_status(talk, 503, "ServiceUnavailable", "", NULL);
    else
        talk_reply(talk, "200 OK", "", "{\"kind\":\"NodeTwin\"}");
}

static void a_server_that_comes_back_is_answered_in_the_same_call(void **state)
{
    (void)state;
    struct scene *scene = open_scene(fail_then_work);
    ask(scene, "PATCH");
    assert_int_equal(scene->last.code, 200);
    assert_int_equal(scene->number, 3);
    assert_string_equal(scene->body, "{\"kind\":\"NodeTwin\"}");
    assert_non_null(
        strstr(scene->requests[2],
               "PATCH /apis/joulie.io/v1alpha1/nodetwins/n1?fieldManager=joulie-test "));
    assert_non_null(strstr(scene->requests[2], "Content-Type: application/merge-patch+json\r\n"));
    assert_non_null(strstr(scene->requests[2], "Accept: application/json\r\n"));
    assert_non_null(strstr(scene->requests[2], "\r\n\r\n{}"));
    close_scene(scene);
}

/* ---- identity ---- */

static void refuse_first(struct scene *scene, struct talk *talk, int number)
{
    (void)scene;
    if (number == 1)
        talk_status(talk, 401, "Unauthorized", "", NULL);
    else
        talk_reply(talk, "200 OK", "", "{}");
}

static void a_refused_token_is_replaced_once_without_a_wait(void **state)
{
    (void)state;
    struct scene *scene = open_scene(refuse_first);
    scene->stage->access.newer_tokens = 5;
    ask(scene, "PATCH");
    assert_int_equal(scene->last.code, 200);
    assert_int_equal(scene->number, 2);
    assert_int_equal(scene->stage->waits, 0);
    assert_non_null(strstr(scene->requests[0], "Authorization: Bearer 1\r\n"));
    assert_non_null(strstr(scene->requests[1], "Authorization: Bearer 2\r\n"));
    close_scene(scene);
}

static void refuse_always(struct scene *scene, struct talk *talk, int number)
{
    (void)scene;
    (void)number;
    talk_status(talk, 401, "Unauthorized", "", NULL);
}

static void tokens_that_are_all_refused_are_not_tried_in_a_loop(void **state)
{
    (void)state;
    struct scene *scene = open_scene(refuse_always);
    scene->stage->access.newer_tokens = 1000;
    ask(scene, "GET");
    assert_int_equal(scene->last.code, 401);
    assert_int_equal(scene->number, 2);
    assert_int_equal(scene->stage->access.refused, 2);
    close_scene(scene);
}

static void refuse_late(struct scene *scene, struct talk *talk, int number)
{
    (void)scene;
    if (number <= 2)
        talk_status(talk, 503, "ServiceUnavailable", "", NULL);
    else if (number == 3)
        talk_status(talk, 401, "Unauthorized", "", NULL);
    else
        talk_reply(talk, "200 OK", "", "{}");
}

static void a_token_that_is_refused_after_other_tries_is_replaced_too(void **state)
{
    (void)state;
    struct scene *scene = open_scene(refuse_late);
    scene->stage->access.newer_tokens = 1;
    ask(scene, "GET");
    assert_int_equal(scene->last.code, 200);
    assert_int_equal(scene->number, 4);
    close_scene(scene);
}

/* ---- bodies that are no Status ---- */

static void say_no_page(struct scene *scene, struct talk *talk, int number)
{
    (void)scene;
    (void)number;
    talk_reply(talk, "404 Not Found", "Content-Type: text/plain\r\n", "404 page not found\n");
}

static void a_plain_404_says_that_the_kind_is_missing(void **state)
{
    (void)state;
    struct scene *scene = open_scene(say_no_page);
    ask(scene, "GET");
    assert_int_equal(scene->last.code, 404);
    assert_false(scene->last.has_object_name);
    assert_string_equal(scene->message, "404 page not found");
    close_scene(scene);
}

static void say_no_object(struct scene *scene, struct talk *talk, int number)
{
    (void)scene;
    (void)number;
    talk_status(talk, 404, "NotFound", "", "{\"name\":\"n1\",\"kind\":\"nodetwins\"}");
}

static void a_status_404_says_that_the_object_is_missing(void **state)
{
    (void)state;
    struct scene *scene = open_scene(say_no_object);
    ask(scene, "GET");
    assert_true(scene->last.has_object_name);
    assert_string_equal(scene->reason, "NotFound");
    close_scene(scene);
}

static void too_large_for_etcd(struct scene *scene, struct talk *talk, int number)
{
    (void)scene;
    (void)number;
    talk_reply(talk, "500 Internal Server Error", "Retry-After: 1\r\n",
               "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"etcdserver: request is "
               "too large\",\"code\":500}");
}

static void an_object_that_is_too_large_is_not_sent_again(void **state)
{
    (void)state;
    struct scene *scene = open_scene(too_large_for_etcd);
    ask(scene, "POST");
    assert_int_equal(scene->number, 1);
    assert_int_equal(scene->last.code, 500);
    close_scene(scene);
}

static void a_status_is_read_from_any_bytes(void **state)
{
    (void)state;

    static const struct {
        const char *body;
        const char *message;
        const char *reason;
        bool has_name;
        bool is_too_large;
    } cases[] = {
        { "", "", "", false, false },
        { " \n", "", "", false, false },
        { "{", "{", "", false, false },
        { "null", "null", "", false, false },
        { "[1]", "[1]", "", false, false },
        { "{\"kind\":\"Pod\"}", "{\"kind\":\"Pod\"}", "", false, false },
        { "a\x01\xff\nb", "a  b", "", false, false },
        { "{\"kind\":\"Status\"}", "", "", false, false },
        { "{\"kind\":\"Status\",\"reason\":7,\"message\":{},\"details\":[],\"code\":\"x\"}", "", "",
          false, false },
        { "{\"kind\":\"Status\",\"message\":\"m\",\"reason\":\"Timeout\",\"details\":{\"name\":"
          "\"x\",\"causes\":[{},7,{\"reason\":\"ResourceVersionTooLarge\"}]}}",
          "m", "Timeout", true, true },
        { "{\"kind\":\"Status\",\"message\":\"Too large resource version: 9, current: 1\"}",
          "Too large resource version: 9, current: 1", "", false, true },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jd_status status;
        jd_status_read(cases[i].body, strlen(cases[i].body), &status);
        assert_string_equal(status.message, cases[i].message);
        assert_string_equal(status.reason, cases[i].reason);
        assert_int_equal(status.has_object_name, cases[i].has_name);
        assert_int_equal(status.is_version_too_large, cases[i].is_too_large);
    }
}

/* ---- no answer ---- */

static void break_off(struct scene *scene, struct talk *talk, int number)
{
    (void)scene;
    (void)number;
    talk_reset(talk);
}

static void a_read_is_tried_again_after_a_broken_connection(void **state)
{
    (void)state;
    struct scene *scene = open_scene(break_off);
    ask(scene, "GET");
    assert_int_equal(scene->last.code, 0);
    assert_int_equal(scene->number, 11);
    assert_int_equal(scene->stage->shortest_ms, 1000);
    assert_true(scene->message[0] != '\0');
    close_scene(scene);
}

static void a_write_whose_answer_was_lost_is_not_sent_again(void **state)
{
    (void)state;
    struct scene *scene = open_scene(break_off);
    ask(scene, "PATCH");
    assert_int_equal(scene->last.code, 0);
    assert_int_equal(scene->number, 1);
    close_scene(scene);
}

static void nobody_listens_and_even_writes_are_tried_again(void **state)
{
    (void)state;
    struct scene *scene = open_scene(break_off);
    scene->stage->access.server = "http://127.0.0.1:1"; /* nothing is there */
    ask(scene, "PATCH");
    assert_int_equal(scene->last.code, 0);
    const uint64_t tries = jd_kube_requests(scene->stage->kube);
    assert_true(tries >= 4 && tries <= 6);
    assert_true(scene->stage->waited_ms < 30000);
    close_scene(scene);
}

static void say_nothing(struct scene *scene, struct talk *talk, int number)
{
    (void)number;
    scene->held = talk;
}

static void a_call_ends_at_its_deadline(void **state)
{
    (void)state;
    struct scene *scene = open_scene(say_nothing);
    struct jd_kube_call call = call_of(scene, "GET");
    call.deadline_ms = 150;
    scene->wanted = 1;
    assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    stage_run(scene->stage);
    assert_int_equal(scene->last.code, 0);
    assert_int_equal(scene->number, 1);
    close_scene(scene);
}

/* ---- warnings, metrics ---- */

static void warn(struct scene *scene, struct talk *talk, int number)
{
    (void)scene;
    char header[64];
    snprintf(header, sizeof header, "Warning: 299 - \"text %d\"\r\n", number % 2);
    talk_reply(talk, "200 OK", header, "{}");
}

static void what_the_access_has_to_say_is_logged_at_the_start(void **state)
{
    (void)state;
    struct scene *scene = open_scene(warn);
    struct stage *stage = scene->stage;
    struct jd_kube *kube = NULL;
    stage->access.note = "the CAs of the system are trusted";
    const struct jd_kube_options options = { .access = &stage->access, .log = &stage->log };
    assert_int_equal(jd_kube_open(&stage->loop, stage->http, &options, &kube, NULL), 0);
    jd_kube_close(kube);
    char *log = stage_log(stage);
    assert_int_equal(count_of(log, "the CAs of the system are trusted"), 1);
    free(log);
    close_scene(scene);
}

static void each_distinct_warning_is_logged_once_and_all_are_counted(void **state)
{
    (void)state;
    struct scene *scene = open_scene(warn);
    for (int i = 0; i < 6; i++)
        ask(scene, "PATCH");
    char *log = stage_log(scene->stage);
    assert_int_equal(count_of(log, "text 0"), 1);
    assert_int_equal(count_of(log, "text 1"), 1);
    free(log);
    struct jl_buffer out = { 0 };
    jd_metrics_put(scene->stage->metrics, false, &out);
    assert_non_null(strstr(out.data, "joulie_kube_warnings_total{component=\"joulie-test\"} 6\n"));
    assert_non_null(strstr(out.data,
                           "joulie_kube_requests_total{component=\"joulie-test\",verb=\"patch\","
                           "resource=\"nodetwins\",code=\"200\"} 6\n"));
    jl_buffer_clear(&out);
    close_scene(scene);
}

/* ---- bucket and priorities ---- */

static void a_bucket_gives_its_burst_and_then_its_rate(void **state)
{
    (void)state;
    struct jd_bucket bucket = jd_bucket_new(50, 100, 1000);
    int taken = 0;
    while (jd_bucket_take(&bucket, 1000))
        taken++;
    assert_int_equal(taken, 100);
    assert_int_equal(jd_bucket_wait_ms(&bucket, 1000), 21);
    assert_false(jd_bucket_take(&bucket, 1019));
    assert_true(jd_bucket_take(&bucket, 1021));
    for (int64_t now_ms = 1021; now_ms < 11021; now_ms++)
        taken += jd_bucket_take(&bucket, now_ms);
    assert_in_range(taken, 100 + 499, 100 + 501);
    struct jd_bucket unlimited = jd_bucket_new(0, 0, 0);
    for (int i = 0; i < 1000; i++)
        assert_true(jd_bucket_take(&unlimited, 0));
    struct jd_bucket small = jd_bucket_new(1, 0, 0);
    assert_true(jd_bucket_take(&small, 0)); /* never less than one */
    assert_false(jd_bucket_take(&small, 0));
    struct jd_bucket back = jd_bucket_new(10, 1, 5000);
    assert_true(jd_bucket_take(&back, 5000));
    assert_false(jd_bucket_take(&back, 4000)); /* a clock that went back gives nothing */
}

static void answer_well(struct scene *scene, struct talk *talk, int number)
{
    (void)scene;
    (void)number;
    talk_reply(talk, "200 OK", "", "{}");
}

static void those_who_wait_go_by_their_priority(void **state)
{
    static const struct {
        enum jd_priority priority;
        const char *name;
    } calls[] = { { JD_PRIORITY_EVENT, "event" },    { JD_PRIORITY_READ, "read" },
                  { JD_PRIORITY_LABEL, "label" },    { JD_PRIORITY_STATUS, "status" },
                  { JD_PRIORITY_STATUS, "status2" }, { JD_PRIORITY_SPEC, "spec" },
                  { JD_PRIORITY_LEASE, "lease" } };

    static const char *const order[] = { "first",   "lease", "spec", "status",
                                         "status2", "label", "read", "event" };
    (void)state;
    struct scene *scene = open_limited(20, 1, answer_well);
    struct jd_kube_call call = call_of(scene, "GET");
    scene->wanted = 8;
    call.name = "first"; /* takes the only token */
    assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    for (size_t i = 0; i < 7; i++) {
        call.priority = calls[i].priority;
        call.name = calls[i].name;
        assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    }
    assert_int_equal(jd_kube_waiting(scene->stage->kube), 8);
    stage_run(scene->stage);
    for (int i = 0; i < 8; i++) {
        char part[64];
        snprintf(part, sizeof part, "/nodetwins/%s ", order[i]);
        assert_non_null(strstr(scene->requests[i], part));
    }
    close_scene(scene);
}

static void an_exempt_call_does_not_wait_for_the_bucket(void **state)
{
    (void)state;
    struct scene *scene = open_limited(0.01, 1, answer_well);
    struct jd_kube_call call = call_of(scene, "GET");
    assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    call.name = "waits";
    assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    call.name = "exempt";
    call.is_exempt = true;
    assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    scene->wanted = 2;
    stage_run(scene->stage);
    assert_int_equal(scene->number, 2);
    assert_int_equal(jd_kube_waiting(scene->stage->kube), 1);
    close_scene(scene);
}

static void a_call_that_the_bucket_never_lets_pass_ends_at_its_deadline(void **state)
{
    (void)state;
    struct scene *scene = open_limited(0.01, 1, answer_well);
    struct jd_kube_call call = call_of(scene, "GET");
    scene->wanted = 2;
    assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    call.deadline_ms = 100;
    assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    stage_run(scene->stage);
    assert_int_equal(scene->number, 1);
    assert_int_equal(scene->codes[1], 0);
    close_scene(scene);
}

static void never_more_than_so_many_are_on_their_way(void **state)
{
    (void)state;
    struct scene *scene = open_scene(answer_well);
    struct jd_kube_call call = call_of(scene, "GET");
    scene->wanted = 500;
    for (int i = 0; i < 500; i++)
        assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    stage_run(scene->stage);
    assert_int_equal(scene->number, 500);
    assert_true(scene->stage->peer.connections <= 40);
    close_scene(scene);
}

static void hold_all(struct scene *scene, struct talk *talk, int number)
{
    (void)talk;
    scene->stage->is_done = number == 3;
}

static void cancelled_calls_are_not_answered(void **state)
{
    (void)state;
    struct scene *scene = open_scene(hold_all);
    struct scene other = { .stage = scene->stage };
    struct jd_kube_call call = call_of(scene, "GET");
    for (int i = 0; i < 2; i++)
        assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    call.user = &other;
    assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    stage_run(scene->stage);
    jd_kube_cancel(scene->stage->kube, scene);
    assert_int_equal(jd_kube_waiting(scene->stage->kube), 1);
    jd_kube_cancel(scene->stage->kube, &other);
    assert_int_equal(jd_kube_waiting(scene->stage->kube), 0);
    assert_int_equal(scene->done, 0);
    close_scene(scene);
}

static void close_in_answer(void *user, const struct jd_answer *answer)
{
    struct scene *scene = user;
    (void)answer;
    jd_kube_close(scene->stage->kube);
    scene->stage->kube = NULL;
    scene->stage->is_done = true;
}

static void a_client_can_be_closed_by_the_one_it_answers(void **state)
{
    (void)state;
    struct scene *scene = open_scene(answer_well);
    struct jd_kube_call call = call_of(scene, "GET");
    call.on_done = close_in_answer;
    for (int i = 0; i < 50; i++)
        assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    stage_run(scene->stage);
    close_scene(scene);
}

static void paths_and_queries_are_those_of_the_api(void **state)
{
    static const struct {
        const struct jd_resource *resource;
        const char *name_space;
        const char *name;
        const char *subresource;
        const char *path;
    } cases[] = {
        { &jd_node_twins, NULL, "n1", "status", "/apis/joulie.io/v1alpha1/nodetwins/n1/status" },
        { &jd_nodes, NULL, NULL, NULL, "/api/v1/nodes" },
        { &jd_pods, NULL, NULL, NULL, "/api/v1/pods" },
        { &jd_pods, "d", "a", "binding", "/api/v1/namespaces/d/pods/a/binding" },
        { &jd_leases, "kube-system", "l", "",
          "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/l" },
        { &jd_pods, "a/b", "..%", NULL, "/api/v1/namespaces/a%2Fb/pods/..%25" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jl_buffer out = { 0 };
        jd_put_path(&out, cases[i].resource, cases[i].name_space, cases[i].name,
                    cases[i].subresource);
        assert_string_equal(out.data, cases[i].path);
        jl_buffer_clear(&out);
    }
}

static void apply_is_forced_and_names_its_manager(void **state)
{
    (void)state;
    struct scene *scene = open_scene(answer_well);
    struct jd_kube_call call = call_of(scene, "PATCH");
    call.patch = JD_PATCH_APPLY;
    call.query = "dryRun=All";
    scene->wanted = 1;
    assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    stage_run(scene->stage);
    assert_non_null(strstr(scene->requests[0],
                           "nodetwins/n1?dryRun=All&fieldManager=joulie-test&force=true HTTP"));
    assert_non_null(strstr(scene->requests[0], "Content-Type: application/apply-patch+yaml\r\n"));
    close_scene(scene);
}

/* ---- a fence ---- */

static void start_write(struct scene *scene, bool is_unfenced)
{
    struct jd_kube_call call = call_of(scene, "PATCH");
    call.is_unfenced = is_unfenced;
    assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
}

static void a_write_behind_a_fence_is_not_sent(void **state)
{
    const struct jd_fence past = { jd_clock_boot_ms() };
    struct scene *scene = open_scene(answer_well);
    (void)state;
    jd_kube_set_fence(scene->stage->kube, &past);
    ask(scene, "PATCH");
    assert_int_equal(scene->number, 0);
    assert_int_equal(scene->codes[0], 0);
    assert_string_equal(scene->message, "it is not to be written any more");
    ask(scene, "GET"); /* who stands by reads on */
    assert_int_equal(scene->codes[0], 200);
    scene->done = 0;
    start_write(scene, true);
    stage_run(scene->stage);
    assert_int_equal(scene->codes[0], 200);
    assert_int_equal(scene->number, 2);
    close_scene(scene);
}

/* The fence falls between the start of a call and its connection. */
static void a_write_is_withheld_while_it_connects(void **state)
{
    struct jd_fence fence = { INT64_MAX };
    struct scene *scene = open_scene(answer_well);
    (void)state;
    jd_kube_set_fence(scene->stage->kube, &fence);
    start_write(scene, false);
    scene->wanted = 1;
    fence.until_ms = 0;
    stage_run(scene->stage);
    assert_int_equal(scene->codes[0], 0);
    assert_int_equal(scene->number, 0);
    close_scene(scene);
}

static void drop_the_fence(struct scene *scene, struct talk *talk, int number)
{
    (void)talk;
    if (number == 32) /* as many as may be on their way */
        jd_kube_end_writes(scene->stage->kube);
}

static void writes_that_wait_and_that_are_under_way_end_with_the_fence(void **state)
{
    struct jd_fence fence = { INT64_MAX };
    struct scene *scene = open_scene(drop_the_fence);
    (void)state;
    jd_kube_set_fence(scene->stage->kube, &fence);
    for (int i = 0; i < 40; i++)
        start_write(scene, false);
    scene->wanted = 40;
    stage_run(scene->stage);
    for (int i = 0; i < 40; i++)
        assert_int_equal(scene->codes[i], 0);
    assert_int_equal(scene->number, 32);
    assert_int_equal(jd_kube_waiting(scene->stage->kube), 0);
    close_scene(scene);
}

/* ---- identity ---- */

static void on_time(void *user)
{
    struct stage *stage = user;
    stage->access.is_coming = false;
    stage->access.changed(stage->access.changed_user);
}

/* Also those that wait for no rate limit. */
static void calls_wait_while_who_we_are_is_fetched(void **state)
{
    struct scene *scene = open_scene(answer_well);
    struct stage *stage = scene->stage;
    struct jd_timer timer = { .fire = on_time, .user = stage };
    struct jd_kube_call exempt = call_of(scene, "PATCH");
    const struct jd_kube_call usual = call_of(scene, "GET");
    (void)state;
    exempt.is_exempt = true;
    stage->access.is_coming = true;
    scene->wanted = 2;
    assert_int_equal(jd_kube_start(stage->kube, &usual, NULL), 0);
    assert_int_equal(jd_kube_start(stage->kube, &exempt, NULL), 0);
    assert_int_equal(jd_kube_requests(stage->kube), 0);
    assert_int_equal(jd_timer_set(&stage->loop, &timer, jd_clock_ms() + 50), 0);
    stage_run(stage);
    assert_int_equal(scene->number, 2);
    assert_int_equal(scene->codes[0], 200);
    assert_int_equal(scene->codes[1], 200);
    close_scene(scene);
}

static void without_an_identity_nothing_is_asked_and_the_reason_is_logged_once(void **state)
{
    struct scene *scene = open_scene(answer_well);
    (void)state;
    scene->stage->access.missing = "/token: the token is empty; it is waited for";
    ask(scene, "GET");
    ask(scene, "PATCH");
    assert_int_equal(scene->number, 0);
    assert_int_equal(scene->codes[0], 0);
    assert_string_equal(scene->message, "/token: the token is empty; it is waited for");
    char *log = stage_log(scene->stage);
    assert_int_equal(count_of(log, "the token is empty"), 1);
    free(log);
    scene->stage->access.missing = NULL;
    ask(scene, "GET");
    assert_int_equal(scene->codes[0], 200);
    close_scene(scene);
}

static void a_call_whose_time_ends_says_what_it_waited_for(void **state)
{
    struct scene *scene = open_scene(answer_well);
    struct jd_kube_call call = call_of(scene, "GET");
    (void)state;
    scene->stage->access.is_coming = true;
    scene->stage->access.missing = "plugin: it has not answered yet";
    call.deadline_ms = 20;
    scene->wanted = 1;
    assert_int_equal(jd_kube_start(scene->stage->kube, &call, NULL), 0);
    stage_run(scene->stage);
    assert_int_equal(scene->codes[0], 0);
    assert_string_equal(scene->message, "plugin: it has not answered yet");
    close_scene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer_is_followed_by_what_the_table_says),
        cmocka_unit_test(a_server_that_comes_back_is_answered_in_the_same_call),
        cmocka_unit_test(a_refused_token_is_replaced_once_without_a_wait),
        cmocka_unit_test(tokens_that_are_all_refused_are_not_tried_in_a_loop),
        cmocka_unit_test(a_token_that_is_refused_after_other_tries_is_replaced_too),
        cmocka_unit_test(a_plain_404_says_that_the_kind_is_missing),
        cmocka_unit_test(a_status_404_says_that_the_object_is_missing),
        cmocka_unit_test(an_object_that_is_too_large_is_not_sent_again),
        cmocka_unit_test(a_status_is_read_from_any_bytes),
        cmocka_unit_test(a_read_is_tried_again_after_a_broken_connection),
        cmocka_unit_test(a_write_whose_answer_was_lost_is_not_sent_again),
        cmocka_unit_test(nobody_listens_and_even_writes_are_tried_again),
        cmocka_unit_test(a_call_ends_at_its_deadline),
        cmocka_unit_test(what_the_access_has_to_say_is_logged_at_the_start),
        cmocka_unit_test(each_distinct_warning_is_logged_once_and_all_are_counted),
        cmocka_unit_test(a_bucket_gives_its_burst_and_then_its_rate),
        cmocka_unit_test(those_who_wait_go_by_their_priority),
        cmocka_unit_test(an_exempt_call_does_not_wait_for_the_bucket),
        cmocka_unit_test(a_call_that_the_bucket_never_lets_pass_ends_at_its_deadline),
        cmocka_unit_test(never_more_than_so_many_are_on_their_way),
        cmocka_unit_test(cancelled_calls_are_not_answered),
        cmocka_unit_test(a_client_can_be_closed_by_the_one_it_answers),
        cmocka_unit_test(paths_and_queries_are_those_of_the_api),
        cmocka_unit_test(apply_is_forced_and_names_its_manager),
        cmocka_unit_test(a_write_behind_a_fence_is_not_sent),
        cmocka_unit_test(a_write_is_withheld_while_it_connects),
        cmocka_unit_test(writes_that_wait_and_that_are_under_way_end_with_the_fence),
        cmocka_unit_test(calls_wait_while_who_we_are_is_fetched),
        cmocka_unit_test(without_an_identity_nothing_is_asked_and_the_reason_is_logged_once),
        cmocka_unit_test(a_call_whose_time_ends_says_what_it_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
