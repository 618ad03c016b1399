/* SPDX-License-Identifier: Apache-2.0 */

/* Requests of kube-scheduler (docs/rules/extender.md#requests), answered from memory. */

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/text.h"
#include "scheduler/scheduler.h"

#define JSON_TYPE "application/json"

static const struct {
    const char *route;
    enum joulie_extender_verb verb;
} verbs[] = {
    { "/filter", JOULIE_EXTENDER_FILTER },
    { "/prioritize", JOULIE_EXTENDER_PRIORITIZE },
};

static enum joulie_extender_verb verb_of(const char *route)
{
    for (size_t i = 0; i < JL_COUNT(verbs); i++) {
        if (jl_same(route, verbs[i].route))
            return verbs[i].verb;
    }
    return JOULIE_EXTENDER_UNKNOWN;
}

static void refuse(struct jd_exchange *exchange, int code, const struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    if (code == JOULIE_E_NOMEM) {
        jd_exchange_text(exchange, 503, "memory ran out\n");
        return;
    }
    jl_put_string(&text, "decode error: ");
    jl_put_string(&text, err->where);
    jl_put_string(&text, err->where[0] ? ": " : "");
    jl_put_string(&text, err->message);
    if (err->line > 0) {
        jl_put_string(&text, " (line ");
        jl_put_u64(&text, err->line);
        jl_put_string(&text, ", column ");
        jl_put_u64(&text, err->column);
        jl_put_char(&text, ')');
    }
    jl_put_char(&text, '\n');
    jd_exchange_text(exchange, 400, text.is_failed ? "decode error\n" : text.data);
}

static void extend(struct jd_scheduler *scheduler, struct jd_exchange *exchange,
                   enum joulie_extender_verb verb)
{
    struct joulie_extender_options options = JOULIE_INIT(struct joulie_extender_options);
    struct joulie_extender_result result = JOULIE_INIT(struct joulie_extender_result);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *reply = NULL;
    size_t len = 0;
    const char *const body = jd_exchange_body(exchange, &len);
    options.now_ms = jd_policy_now_ms(scheduler->edges.clock);
    options.verb = verb;
    options.score_range = jl_same(scheduler->values.score_range, "100") ? 100 : 10;
    options.is_short = scheduler->values.short_replies;
    options.is_filled = scheduler->feed.has_synced && options.now_ms > 0;
    const int rc = joulie_cluster_extend(scheduler->cluster, body ? body : "", len, &options,
                                         &reply, &result, &err);
    if (rc < 0) {
        refuse(exchange, rc, &err);
        return;
    }
    jd_metrics_of(scheduler, verb, &result);
    jd_exchange_set_user(exchange, (void *)(uintptr_t)result.workload_class);
    jd_exchange_reply(exchange, 200, JSON_TYPE, reply, strlen(reply));
}

static void handle_verb(struct jd_scheduler *scheduler, struct jd_exchange *exchange,
                        enum joulie_extender_verb verb)
{
    if (!jl_same(jd_exchange_method(exchange), "POST")) {
        jd_exchange_put_header(exchange, "Allow", "POST");
        jd_exchange_text(exchange, 405, "method not allowed\n");
    } else if (jd_exchange_want_json(exchange)) {
        extend(scheduler, exchange, verb);
    }
}

/* ---- every term of every score (docs/rules/extender.md#debugging) ---- */

static const char *pod_of(const struct jd_exchange *exchange, size_t *out_len)
{
    const char *pod = NULL;
    *out_len = 0;
    if (jl_same(jd_exchange_method(exchange), "POST"))
        return jd_exchange_body(exchange, out_len);
    pod = jd_exchange_query(exchange, "pod");
    *out_len = pod ? strlen(pod) : 0;
    return pod;
}

static void debug_scoring(struct jd_scheduler *scheduler, struct jd_exchange *exchange)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *json = NULL;
    size_t len = 0;
    jd_exchange_route(exchange, "/debug/scoring");
    if (!jl_same(jd_exchange_method(exchange), "GET") &&
        !jl_same(jd_exchange_method(exchange), "POST")) {
        jd_exchange_put_header(exchange, "Allow", "GET, HEAD, POST");
        jd_exchange_text(exchange, 405, "method not allowed\n");
        return;
    }
    if (jl_same(jd_exchange_method(exchange), "POST") && !jd_exchange_want_json(exchange))
        return;
    const char *const pod = pod_of(exchange, &len);
    const int rc = joulie_cluster_scoring(scheduler->cluster, len > 0 ? pod : NULL, len,
                                          jd_policy_now_ms(scheduler->edges.clock), &json, &err);
    if (rc == 0)
        jd_exchange_reply(exchange, 200, "application/json", json, strlen(json));
    else
        refuse(exchange, rc, &err);
}

/* ---- requests and their answers ---- */

void jd_extender_handle(void *user, struct jd_exchange *exchange)
{
    struct jd_scheduler *const scheduler = user;
    const char *const path = jd_exchange_path(exchange);
    for (size_t i = 0; i < JL_COUNT(verbs); i++) {
        if (!jl_same(path, verbs[i].route))
            continue;
        jd_exchange_route(exchange, verbs[i].route);
        handle_verb(scheduler, exchange, verbs[i].verb);
        return;
    }
    if (scheduler->values.debug_scoring && jl_same(path, "/debug/scoring"))
        debug_scoring(scheduler, exchange);
    else if (jl_same(path, "/metrics") || !jd_health_handle(&scheduler->edges.health, exchange))
        jd_exchange_text(exchange, 404, "not found\n");
}

void jd_extender_answered(void *user, const struct jd_exchange *exchange, int status,
                          double seconds)
{
    struct jd_scheduler *const scheduler = user;
    const char *const route = jd_exchange_routed(exchange);
    const enum joulie_extender_verb verb = verb_of(route ? route : "");
    const char *const workload_class = jd_exchange_user(exchange);
    char code[16];
    if (status == 200 && verb != JOULIE_EXTENDER_UNKNOWN && workload_class)
        jd_metrics_took(scheduler, verb, workload_class, seconds);
    if (status < 400 || (route && verb == JOULIE_EXTENDER_UNKNOWN))
        return;
    snprintf(code, sizeof code, "%d", status);
    jd_metric_add(scheduler->edges.metrics, &jd_bad_requests, JD_LABELS(code), 1);
}
