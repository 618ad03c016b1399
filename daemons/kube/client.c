/* SPDX-License-Identifier: Apache-2.0 */

/* Calls wait for the bucket in one queue per priority, are sent, perhaps wait for their next try,
 * and end with one answer. The rules (docs/rules/clients.md#retries) are in kubernetes/retry.h. */

#include "kube/client.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "kube/bucket.h"
#include "kube/client_parts.h"
#include "kube/status.h"
#include "kubernetes/retry.h"
#include "runtime/clock.h"

#define DEFAULT_DEADLINE_MS 30000
#define PRIORITIES (JD_PRIORITY_EVENT + 1)
#define MOST_ACTIVE 32    /* connections for calls that are not exempt */
#define MOST_WARNINGS 256 /* distinct texts that are remembered */
#define LOG_COMPONENT "kube"
#define NOT_TO_BE_SENT "it is not to be written any more"
#define TOO_LATE "its time was over before the rate limit let it pass"
#define WHY_BYTES 512

static const struct jd_family requests_family = {
    .name = "joulie_kube_requests_total",
    .help = "Requests to the API server.",
    .type = JD_COUNTER,
    .labels = { "component", "verb", "resource", "code" },
};

static const struct jd_family warnings_family = {
    .name = "joulie_kube_warnings_total",
    .help = "Answers of the API server with a warning.",
    .type = JD_COUNTER,
    .labels = { "component" },
};

struct link {
    struct link *before;
    struct link *after;
};

enum call_state { CALL_QUEUED, CALL_SENT, CALL_WAITING };

struct call {
    struct link link; /* first: in a queue, or among those that are not queued */
    struct jd_kube *kube;
    struct jd_kube_call what; /* texts are owned */
    char *path;               /* with the query */
    const char *verb;
    enum call_state state;
    struct jd_transfer *transfer;
    struct jd_timer timer; /* always set: deadline in the queue, the end of a wait, or never */
    int64_t deadline_ms;
    int64_t started_ms;
    char why[WHY_BYTES]; /* it could not be sent */
    int64_t attempt;
    int last_code;
    struct jd_renewal renewal;
};

struct jd_kube {
    struct jd_loop *loop;
    struct jd_http *http;
    struct jd_kube_options options;
    char *component;
    const struct jd_fence *fence; /* NULL = none */
    struct jd_bucket bucket;
    struct jl_random random;
    struct jd_timer pump;
    struct link queues[PRIORITIES];
    struct link others; /* sent or waiting */
    size_t active;      /* sent, not exempt */
    size_t waiting;
    uint64_t requests;
    struct jl_index warned;
    char *warnings[MOST_WARNINGS];
    const char **headers;
    size_t header_capacity;
    bool has_problem;
};

/* ---- lists ---- */

static void link_init(struct link *list)
{
    list->before = list->after = list;
}

static void link_remove(struct link *item)
{
    item->before->after = item->after;
    item->after->before = item->before;
    link_init(item);
}

static void link_append(struct link *list, struct link *item)
{
    item->before = list->before;
    item->after = list;
    list->before->after = item;
    list->before = item;
}

/* ---- small things ---- */

void jd_kube_count(struct jd_kube *kube, const char *verb, const struct jd_resource *resource,
                   int code)
{
    char text[JL_DOUBLE_TEXT] = "error"; /* no answer */
    if (code > 0)
        jl_format_i64(code, text);
    if (kube->options.metrics)
        jd_metric_add(kube->options.metrics, &requests_family,
                      JD_LABELS(kube->component, verb, resource->plural, text), 1);
    kube->requests++;
}

int64_t jd_kube_wait_ms(const struct jd_kube *kube, double wait_s)
{
    const int64_t wait_ms = (int64_t)(wait_s * 1000);
    return kube->options.wait ? kube->options.wait(kube->options.user, wait_ms) : wait_ms;
}

double jd_kube_chance(struct jd_kube *kube)
{
    return jl_random_unit(&kube->random);
}

bool jd_answer_is_good(const struct jd_answer *answer)
{
    return answer->code >= 200 && answer->code <= 299;
}

bool jd_answer_is_refusal(const struct jd_answer *answer)
{
    return answer->code == 401 || answer->code == 403 || answer->code == 404;
}

struct jd_loop *jd_kube_loop(const struct jd_kube *kube)
{
    return kube->loop;
}

size_t jd_kube_waiting(const struct jd_kube *kube)
{
    return kube->waiting;
}

uint64_t jd_kube_requests(const struct jd_kube *kube)
{
    return kube->requests;
}

const struct jd_kube_options *jd_kube_options(const struct jd_kube *kube)
{
    return &kube->options;
}

void jd_put_parameter(struct jl_buffer *query, const char *name, const char *value)
{
    if (!value)
        return;
    jl_put_char(query, query->len > 0 ? '&' : '?');
    jl_put_string(query, name);
    jl_put_char(query, '=');
    jd_put_url(query, value);
}

/* ---- headers ---- */

static void report_problem(struct jd_kube *kube, const char *problem)
{
    if (problem && !kube->has_problem)
        jd_log(kube->options.log, JOULIE_LOG_LEVEL_WARN, LOG_COMPONENT, "%s", problem);
    kube->has_problem = problem != NULL;
}

/* Valid until the next call; NULL = memory ran out. */
static const char *const *headers_of(struct jd_kube *kube, const char *content_type)
{
    const char *problem = NULL;
    const char *const *identity = jd_access_headers(kube->options.access, jd_clock_ms(), &problem);
    size_t count = 0;
    report_problem(kube, problem);
    while (identity && identity[count])
        count++;
    if (JL_GROW(&kube->headers, &kube->header_capacity, count + 3) < 0)
        return NULL;
    size_t at = 0;
    kube->headers[at++] = "Accept: application/json";
    if (content_type)
        kube->headers[at++] = content_type;
    for (size_t i = 0; i < count; i++)
        kube->headers[at++] = identity[i];
    kube->headers[at] = NULL;
    return kube->headers;
}

int jd_kube_transfer(struct jd_kube *kube, struct jd_http_request *request, const char *path,
                     const char *content_type, struct jd_transfer **out, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer url = { 0 };
    struct jd_access *access = kube->options.access;
    const char *why = NULL;
    const enum jd_identity identity = jd_access_identity(access, jd_clock_ms(), &why);
    if (identity == JD_IDENTITY_MISSING)
        report_problem(kube, why);
    if (identity != JD_IDENTITY_THERE)
        return jl_fail(err, JOULIE_E_REQUIRED, "", "%s", why);
    jl_put_string(&url, jd_access_server(access));
    jl_put_string(&url, path);
    request->url = url.data;
    request->headers = headers_of(kube, content_type);
    request->proxy = jd_access_proxy(access);
    request->tls = jd_access_tls(access);
    return url.is_failed || !request->headers ? jl_fail_memory(err)
                                              : jd_http_start(kube->http, request, out, err);
}

bool jd_kube_renew(struct jd_kube *kube, struct jd_renewal *renewal, const struct jd_reply *reply,
                   int64_t started_ms)
{
    struct jd_access *access = kube->options.access;
    if (reply->end == JD_HTTP_WHOLE && reply->status == 401) {
        const bool is_newer = jd_access_refused(access, started_ms, jd_clock_ms());
        const bool is_again = is_newer && !renewal->is_refreshed;
        renewal->is_refreshed = true;
        return is_again; /* else the next try, after its wait, has what is newer */
    }
    if (reply->end == JD_HTTP_UNIDENTIFIED && !renewal->is_unidentified) {
        renewal->is_unidentified = true;
        return jd_access_unidentified(access, jd_clock_ms());
    }
    if (reply->end != JD_HTTP_UNTRUSTED || renewal->is_distrusted)
        return false;
    renewal->is_distrusted = true;
    return jd_access_distrusted(access, jd_clock_ms());
}

static const char *content_type_of(const struct jd_kube_call *what)
{
    if (!what->body)
        return NULL;
    switch (what->patch) {
    case JD_PATCH_MERGE:
        return "Content-Type: application/merge-patch+json";
    case JD_PATCH_JSON:
        return "Content-Type: application/json-patch+json";
    case JD_PATCH_APPLY:
        return "Content-Type: application/apply-patch+yaml";
    case JD_PATCH_NONE:
        break;
    }
    return "Content-Type: application/json";
}

/* Each distinct text once; a server that makes up new ones is not followed for ever. */
static void report_warning(struct jd_kube *kube, const char *warning)
{
    size_t known = 0;
    if (jl_is_empty(warning))
        return;
    if (kube->options.metrics)
        jd_metric_add(kube->options.metrics, &warnings_family, JD_LABELS(kube->component), 1);
    if (kube->warned.count == MOST_WARNINGS || jl_index_get(&kube->warned, warning, &known))
        return;
    char *copy = jl_strdup(warning);
    if (!copy || jl_index_set(&kube->warned, copy, kube->warned.count) < 0) {
        jl_free(copy);
        return;
    }
    kube->warnings[kube->warned.count - 1] = copy;
    jd_log(kube->options.log, JOULIE_LOG_LEVEL_WARN, LOG_COMPONENT, "the API server warns: %s",
           copy);
}

/* ---- the end of a call ---- */

static void free_call(struct call *call)
{
    jl_free((char *)(uintptr_t)call->what.body);
    jl_free(call->path);
    jl_free(call);
}

static void drop_call(struct call *call)
{
    struct jd_kube *kube = call->kube;
    link_remove(&call->link);
    jd_timer_stop(kube->loop, &call->timer);
    if (call->state == CALL_SENT && !call->what.is_exempt)
        kube->active--;
    kube->waiting--;
    jd_http_cancel(call->transfer);
}

static void pump(struct jd_kube *kube);

/* The callback may close the client: nothing of it is touched afterwards. */
static void finish(struct call *call, const struct jd_answer *answer)
{
    struct jd_kube *kube = call->kube;
    call->transfer = NULL; /* it is over */
    drop_call(call);
    pump(kube);
    if (call->what.on_done)
        call->what.on_done(call->what.user, answer);
    free_call(call);
}

static void finish_without(struct call *call, const char *why)
{
    finish(call, &(struct jd_answer){ .code = call->last_code,
                                      .reason = "",
                                      .message = why,
                                      .body = "",
                                      .retry_after_s = JL_NO_RETRY_AFTER });
}

/* ---- the fence ---- */

static bool is_fenced(const struct call *call)
{
    return call->kube->fence && !call->what.is_unfenced && !jl_same(call->what.method, "GET");
}

/* Asked before a write is queued for the wire, and once more when its connection is there. */
static bool may_send(void *user)
{
    const struct call *call = user;
    return !is_fenced(call) || jd_clock_boot_ms() < call->kube->fence->until_ms;
}

/* ---- sending ---- */

static void on_reply(void *user, const struct jd_reply *reply);

static void fail_later(struct call *call, const char *why)
{
    call->state = CALL_WAITING;
    snprintf(call->why, sizeof call->why, "%s", why);
    call->deadline_ms = 0;
    jd_timer_set(call->kube->loop, &call->timer, jd_clock_ms());
}

static int start_transfer(struct call *call, int64_t left_ms, struct joulie_error *err)
{
    struct jd_http_request request = {
        .method = call->what.method,
        .body = call->what.body,
        .len = call->what.len,
        .timeout_ms = left_ms,
        .limit_bytes = call->what.limit_bytes,
        .may_send = is_fenced(call) ? may_send : NULL,
        .on_done = on_reply,
        .user = call,
    };
    return jd_kube_transfer(call->kube, &request, call->path, content_type_of(&call->what),
                            &call->transfer, err);
}

static void send_call(struct call *call)
{
    struct jd_kube *kube = call->kube;
    const int64_t now_ms = jd_clock_ms();
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    jd_timer_set(kube->loop, &call->timer, JD_NEVER_MS);
    link_remove(&call->link);
    link_append(&kube->others, &call->link);
    if (!may_send(call)) {
        fail_later(call, NOT_TO_BE_SENT);
        return;
    }
    if (now_ms >= call->deadline_ms) {
        fail_later(call, TOO_LATE);
        return;
    }
    if (start_transfer(call, call->deadline_ms - now_ms, &err) < 0) {
        fail_later(call, err.message);
        return;
    }
    call->state = CALL_SENT;
    call->started_ms = now_ms;
    if (!call->what.is_exempt)
        kube->active++;
}

static struct call *first_of(struct jd_kube *kube)
{
    for (size_t i = 0; i < PRIORITIES; i++) {
        if (kube->queues[i].after != &kube->queues[i])
            return (struct call *)kube->queues[i].after;
    }
    return NULL;
}

/* Who we are is being fetched: nothing is sent until jd_access_hear() reports. */
static bool is_held(const struct jd_kube *kube)
{
    const char *why = NULL;
    return jd_access_identity(kube->options.access, jd_clock_ms(), &why) == JD_IDENTITY_COMING;
}

/* Sends what may be sent now; the timer checks again when there is another token. */
static void pump(struct jd_kube *kube)
{
    for (struct call *call = first_of(kube); call && !is_held(kube); call = first_of(kube)) {
        const int64_t now_ms = jd_clock_ms();
        if (call->what.is_exempt) {
            send_call(call);
            continue;
        }
        if (kube->active >= MOST_ACTIVE)
            return;
        if (!jd_bucket_take(&kube->bucket, now_ms)) {
            jd_timer_set(kube->loop, &kube->pump,
                         now_ms + jd_bucket_wait_ms(&kube->bucket, now_ms));
            return;
        }
        send_call(call);
    }
}

static void on_identity(void *user)
{
    pump(user);
}

static void on_pump(void *user)
{
    struct jd_kube *kube = user;
    jd_timer_set(kube->loop, &kube->pump, JD_NEVER_MS);
    pump(kube);
}

/* Behind those of its priority that wait already. */
static void queue_call(struct call *call)
{
    struct jd_kube *kube = call->kube;
    link_remove(&call->link);
    if (call->what.is_exempt && !is_held(kube)) {
        send_call(call);
        return;
    }
    call->state = CALL_QUEUED;
    link_append(&kube->queues[call->what.priority], &call->link);
    jd_timer_set(kube->loop, &call->timer, call->deadline_ms);
    pump(kube);
}

static void on_timer(void *user)
{
    struct call *call = user;
    struct jd_kube *kube = call->kube;
    const char *why = TOO_LATE;
    jd_timer_set(kube->loop, &call->timer, JD_NEVER_MS);
    if (call->state == CALL_WAITING && call->deadline_ms > 0)
        queue_call(call);
    else if (call->state == CALL_WAITING)
        finish_without(call, call->why);
    else if (jd_access_identity(kube->options.access, jd_clock_ms(), &why) != JD_IDENTITY_THERE)
        finish_without(call, why);
    else
        finish_without(call, TOO_LATE);
}

/* ---- answers ---- */

struct outcome { /* of one try */
    struct jd_answer answer;
    struct jl_retry_case rule;
    struct jd_status status;
};

static void read_outcome(const struct call *call, const struct jd_reply *reply, struct outcome *out)
{
    const int code = reply->end == JD_HTTP_WHOLE ? reply->status : 0;
    const bool is_error = code >= 400;
    jd_status_read(is_error ? reply->body : "", is_error ? reply->len : 0, &out->status);
    out->answer = (struct jd_answer){
        .code = code,
        .reason = out->status.reason,
        .message = code == 0 ? reply->message : out->status.message,
        .has_object_name = out->status.has_object_name,
        .body = code == 0 ? "" : reply->body,
        .len = code == 0 ? 0 : reply->len,
        .retry_after_s =
            reply->retry_after_s >= 0 ? (double)reply->retry_after_s : out->status.retry_after_s,
    };
    out->rule = (struct jl_retry_case){
        .is_read = jl_same(call->what.method, "GET"),
        .code = code,
        .attempt = code == 401 ? 1 + call->renewal.is_refreshed : call->attempt,
        .retry_after_s = out->answer.retry_after_s,
        .has_object_name = out->status.has_object_name,
        .message = out->answer.message,
        .is_unsent = reply->end == JD_HTTP_UNREACHABLE || reply->end == JD_HTTP_UNTRUSTED ||
                     reply->end == JD_HTTP_UNIDENTIFIED,
    };
}

/* Waits for the next try, when it still comes in time. */
static bool is_put_off(struct call *call, const struct outcome *outcome, int64_t now_ms)
{
    const double wait_s = jl_retry_wait_s(&outcome->rule, jd_kube_chance(call->kube));
    const int64_t wait_ms = (int64_t)(wait_s * 1000);
    if (now_ms + wait_ms >= call->deadline_ms)
        return false;
    const int64_t real_ms = jd_kube_wait_ms(call->kube, wait_s);
    call->deadline_ms -= wait_ms - real_ms;
    call->attempt++;
    call->state = CALL_WAITING;
    jd_timer_set(call->kube->loop, &call->timer, now_ms + real_ms);
    return true;
}

static bool is_final(const struct call *call, const struct jd_reply *reply, enum jl_retry rule)
{
    return rule != JL_RETRY_YES || reply->end == JD_HTTP_TOO_LONG ||
           reply->end == JD_HTTP_UNTRUSTED ||
           (call->what.most_attempts > 0 && call->attempt >= call->what.most_attempts);
}

static void on_reply(void *user, const struct jd_reply *reply)
{
    struct call *call = user;
    struct jd_kube *kube = call->kube;
    const int64_t now_ms = jd_clock_ms();
    struct outcome outcome;
    read_outcome(call, reply, &outcome);
    call->transfer = NULL;
    call->last_code = outcome.answer.code;
    jd_kube_count(kube, call->verb, call->what.resource, outcome.answer.code);
    report_warning(kube, reply->warning);

    const enum jl_retry rule = jl_retry_step(&outcome.rule).retry;
    const bool is_again = jd_kube_renew(kube, &call->renewal, reply, call->started_ms);
    if (!is_again && (is_final(call, reply, rule) || !is_put_off(call, &outcome, now_ms))) {
        finish(call, &outcome.answer);
        return;
    }
    if (!call->what.is_exempt)
        kube->active--;
    if (is_again)
        queue_call(call);
    else
        pump(kube);
}

/* ---- starting ---- */

/* The method as a constant, and the verb that it counts as. */
static void take_method(struct call *call)
{
    static const struct {
        const char *method;
        const char *verb;
    } verbs[] = {
        { "POST", "create" }, { "PUT", "update" }, { "PATCH", "patch" }, { "DELETE", "delete" }
    };

    call->verb = call->what.name ? "get" : "list";
    for (size_t i = 0; i < JL_COUNT(verbs); i++) {
        if (!jl_same(call->what.method, verbs[i].method))
            continue;
        call->what.method = verbs[i].method;
        call->verb = verbs[i].verb;
        return;
    }
    call->what.method = "GET";
}

static char *path_of(const struct jd_kube *kube, const struct jd_kube_call *what)
{
    struct jl_buffer path = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer query = { 0 };
    const bool is_managed = !jl_same(what->method, "GET") && !jl_same(what->method, "DELETE");
    if (!jl_is_empty(what->query)) {
        jl_put_char(&query, '?');
        jl_put_string(&query, what->query);
    }
    if (is_managed && !(what->query && strstr(what->query, "fieldManager=")))
        jd_put_parameter(&query, "fieldManager", kube->component);
    if (what->patch == JD_PATCH_APPLY)
        jd_put_parameter(&query, "force", "true");
    jd_put_path(&path, what->resource, what->name_space, what->name, what->subresource);
    jl_put(&path, query.data, query.len);
    path.is_failed |= query.is_failed;
    return jl_buffer_take(&path);
}

static struct call *new_call(struct jd_kube *kube, const struct jd_kube_call *what)
{
    struct call *call = jl_calloc(1, sizeof *call);
    char *body = NULL;
    if (!call)
        return NULL;
    link_init(&call->link);
    call->kube = kube;
    call->what = *what;
    call->what.body = NULL;
    take_method(call);
    call->path = path_of(kube, what);
    call->attempt = 1;
    call->timer = (struct jd_timer){ .fire = on_timer, .user = call };
    if (what->body) {
        body = jl_calloc(what->len + 1, 1);
        if (body && what->len > 0)
            memcpy(body, what->body, what->len);
        call->what.body = body;
    }
    /* the texts of these are in the path now */
    call->what.name_space = call->what.name = call->what.subresource = call->what.query = NULL;
    if (call->path && (body || !what->body))
        return call;
    free_call(call);
    return NULL;
}

int jd_kube_start(struct jd_kube *kube, const struct jd_kube_call *what, struct joulie_error *err)
{
    struct call *call = new_call(kube, what);
    if (!call)
        return jl_fail_memory(err);
    call->deadline_ms =
        jd_clock_ms() + (what->deadline_ms > 0 ? what->deadline_ms : DEFAULT_DEADLINE_MS);
    if (jd_timer_set(kube->loop, &call->timer, call->deadline_ms) < 0) {
        free_call(call);
        return jl_fail_memory(err);
    }
    kube->waiting++;
    queue_call(call);
    return 0;
}

/* ---- opening and closing ---- */

int jd_kube_open(struct jd_loop *loop, struct jd_http *http, const struct jd_kube_options *options,
                 struct jd_kube **out, struct joulie_error *err)
{
    struct jd_kube *kube = jl_calloc(1, sizeof *kube);
    char *component = jl_strdup(options->component ? options->component : "joulie");
    if (kube)
        kube->pump = (struct jd_timer){ .fire = on_pump, .user = kube };
    if (!kube || !component || jd_timer_set(loop, &kube->pump, JD_NEVER_MS) < 0) {
        jl_free(kube);
        jl_free(component);
        return jl_fail_memory(err);
    }
    kube->loop = loop;
    kube->http = http;
    kube->options = *options;
    kube->options.component = kube->component = component;
    kube->bucket = jd_bucket_new(options->qps, options->burst, jd_clock_ms());
    kube->random.state = options->seed;
    for (size_t i = 0; i < PRIORITIES; i++)
        link_init(&kube->queues[i]);
    link_init(&kube->others);
    jd_access_hear(options->access, on_identity, kube);
    if (*jd_access_note(options->access))
        jd_log(options->log, JOULIE_LOG_LEVEL_WARN, LOG_COMPONENT, "%s",
               jd_access_note(options->access));
    *out = kube;
    return 0;
}

/* The calls of a list whose user it is; all of them when user is NULL. */
static void cancel_of(struct link *list, const void *user)
{
    for (struct link *at = list->after; at != list;) {
        struct call *call = (struct call *)at;
        at = at->after;
        if (user && call->what.user != user)
            continue;
        drop_call(call);
        free_call(call);
    }
}

void jd_kube_cancel(struct jd_kube *kube, const void *user)
{
    if (!user)
        return;
    for (size_t i = 0; i < PRIORITIES; i++)
        cancel_of(&kube->queues[i], user);
    cancel_of(&kube->others, user);
    pump(kube);
}

void jd_kube_set_fence(struct jd_kube *kube, const struct jd_fence *fence)
{
    kube->fence = fence;
}

static void end_writes_of(struct jd_kube *kube, struct link *list)
{
    for (struct link *at = list->after; at != list;) {
        struct call *call = (struct call *)at;
        at = at->after;
        if (!is_fenced(call) || (call->state == CALL_WAITING && call->deadline_ms == 0))
            continue;
        if (call->state == CALL_SENT && !call->what.is_exempt)
            kube->active--;
        jd_http_cancel(call->transfer);
        call->transfer = NULL;
        link_remove(&call->link);
        link_append(&kube->others, &call->link);
        fail_later(call, NOT_TO_BE_SENT);
    }
}

void jd_kube_end_writes(struct jd_kube *kube)
{
    end_writes_of(kube, &kube->others); /* first: the others come to its end */
    for (size_t i = 0; i < PRIORITIES; i++)
        end_writes_of(kube, &kube->queues[i]);
    pump(kube);
}

void jd_kube_close(struct jd_kube *kube)
{
    if (!kube)
        return;
    for (size_t i = 0; i < PRIORITIES; i++)
        cancel_of(&kube->queues[i], NULL);
    cancel_of(&kube->others, NULL);
    jd_access_hear(kube->options.access, NULL, NULL);
    jd_timer_stop(kube->loop, &kube->pump);
    for (size_t i = 0; i < kube->warned.count; i++)
        jl_free(kube->warnings[i]);
    jl_index_clear(&kube->warned);
    jl_free(kube->headers);
    jl_free(kube->component);
    jl_free(kube);
}
