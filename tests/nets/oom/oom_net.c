/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A daemon's network: a server, and in the same loop a client of the API server that follows it.
 * Whichever allocation fails: the cache is right in the end, each request has one end, and
 * everything is released (see life.h). What has no other try may be missing: an event, a page.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "kube/events.h"
#include "kube/reflector.h"
#include "oom/allocator.h"
#include "oom/life.h"
#include "runtime/clock.h"
#include "runtime/health.h"

#define DEADLINE_MS 120000 /* a busy machine is slow, and no fault */
#define JSON "application/json"
#define OBJECT(name, version, value)                                                             \
    "{\"metadata\":{\"name\":\"" name "\",\"uid\":\"u-" name "\",\"resourceVersion\":\"" version \
    "\"},\"value\":" value "}"
#define FRAME(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"

static const struct jd_family mark = { .name = "joulie_mark",
                                       .help = "On each page.",
                                       .type = JD_GAUGE };

struct net {
    struct jd_loop loop;
    struct jd_health health; /* and the server */
    struct jd_check check;
    struct jd_metrics *metrics;
    struct jd_http *http;
    struct jd_access *access;
    struct jd_kube *kube;
    struct jd_reflector *reflector;
    struct jd_recorder *recorder;
    struct jd_log log;
    struct jd_timer look;
    int64_t until_ms;
    bool has_changed; /* what is followed: a watch has reported it */
    bool has_a;
    bool has_b;
    bool is_new; /* a, behind the change */
    int events;
    int answers;
    int pages;
    bool is_cut; /* a page without its families */
};

/* ---- the server ---- */

/* "" = the list has nothing to add. */
static const char *frames_behind(const char *version)
{
    static const char second[] = FRAME("MODIFIED", OBJECT("a", "12", "2"));
    static const char both[] =
        FRAME("DELETED", OBJECT("b", "11", "1")) FRAME("MODIFIED", OBJECT("a", "12", "2"));
    return jl_same(version, "10") ? both : jl_same(version, "11") ? second : "";
}

static void handle(void *user, struct jd_exchange *exchange)
{
    struct net *net = user;
    static const char old[] = "{\"kind\":\"NodeList\",\"metadata\":{\"resourceVersion\":\"10\"},"
                              "\"items\":[" OBJECT("a", "9", "1") "," OBJECT("b", "8", "1") "]}";
    static const char new[] = "{\"kind\":\"NodeList\",\"metadata\":{\"resourceVersion\":\"12\"},"
                              "\"items\":[" OBJECT("a", "12", "2") "]}";
    if (jd_health_handle(&net->health, exchange))
        return;
    if (jl_same(jd_exchange_method(exchange), "POST")) {
        net->events++;
        jd_exchange_reply(exchange, 201, JSON, "{}", 2);
    } else if (jd_exchange_query(exchange, "watch")) {
        const char *frames = frames_behind(jd_exchange_query(exchange, "resourceVersion"));
        net->has_changed = true;
        jd_exchange_stream(exchange, 200, JSON);
        jd_stream_put(exchange, frames, strlen(frames));
    } else if (jl_same(jd_exchange_path(exchange), "/api/v1/nodes")) {
        const char *list = net->has_changed ? new : old;
        jd_exchange_reply(exchange, 200, JSON, list, strlen(list));
    } else {
        jd_exchange_reply(exchange, 200, JSON, "{}", 2);
    }
}

/* ---- the cache ---- */

static int upsert(void *user, const char *text, size_t len, struct joulie_error *err)
{
    struct net *net = user;
    (void)len;
    (void)err;
    if (strstr(text, "\"name\":\"a\""))
        net->has_a = true;
    else
        net->has_b = true;
    net->is_new = net->is_new || strstr(text, "\"value\":2");
    return 0;
}

static void take_away(void *user, const char *name_space, const char *name)
{
    struct net *net = user;
    (void)name_space;
    if (jl_same(name, "a"))
        net->has_a = false;
    else
        net->has_b = false;
}

/* ---- requests ---- */

static void on_answer(void *user, const struct jd_answer *answer)
{
    (void)answer;
    ((struct net *)user)->answers++;
}

static void on_page(void *user, const struct jd_reply *reply)
{
    struct net *net = user;
    const bool is_counted = jd_metric_get(net->metrics, &mark, JD_NO_LABELS) > 0;
    net->is_cut |= reply->end == JD_HTTP_WHOLE && reply->status == 200 && is_counted &&
                   !strstr(reply->body, "joulie_mark 1\n");
    net->pages++;
}

static int ask_for_node(struct net *net)
{
    const struct jd_kube_call call = { .method = "GET",
                                       .resource = &jd_nodes,
                                       .name = "a",
                                       .priority = JD_PRIORITY_READ,
                                       .on_done = on_answer,
                                       .user = net };
    return jd_kube_start(net->kube, &call, NULL);
}

static int ask_for_page(struct net *net)
{
    char url[128];
    snprintf(url, sizeof url, "%s/metrics", jd_server_url(net->health.server));
    const struct jd_http_request request = { .url = url, .on_done = on_page, .user = net };
    return jd_http_start(net->http, &request, NULL, NULL);
}

static void tell_event(struct net *net)
{
    const struct jd_event event = { .reason = "CapApplied",
                                    .action = "ApplyCap",
                                    .note = "a note",
                                    .kind = "Node",
                                    .api_version = "v1",
                                    .name = "a" };
    jd_recorder_put(net->recorder, &event, 1000);
}

/* ---- a life ---- */

static int64_t no_wait(void *user, int64_t wait_ms)
{
    (void)user;
    return wait_ms > 100000 ? wait_ms : 0;
}

static bool is_over(const struct net *net)
{
    return net->has_a && !net->has_b && net->is_new && net->answers > 0 && net->pages > 0 &&
           jd_reflector_has_reached(net->reflector, "12") &&
           net->events + (int)jd_recorder_dropped(net->recorder) > 0;
}

static void look(void *user)
{
    struct net *net = user;
    if (is_over(net) || jd_clock_ms() > net->until_ms)
        jd_loop_stop(&net->loop);
    else
        jd_timer_set(&net->loop, &net->look, jd_clock_ms() + 1);
}

/* Any code will do: libraries do not say why. */
static bool again(struct oom_life *life, int rc)
{
    return oom_again(life, rc < 0 ? JOULIE_E_NOMEM : 0);
}

static int open_kube(struct net *net)
{
    const struct jd_kube_options options = { .access = net->access,
                                             .component = "joulie-test",
                                             .wait = no_wait,
                                             .log = &net->log,
                                             .metrics = net->metrics };
    return jd_kube_open(&net->loop, net->http, &options, &net->kube, NULL);
}

static int open_server(struct net *net)
{
    const struct jd_server_options options = { .address = "127.0.0.1:0",
                                               .handle = handle,
                                               .user = net };
    return jd_server_open(&net->loop, &options, &net->health.server, NULL);
}

static int open_metrics(struct net *net)
{
    net->metrics = jd_metrics_new();
    net->health.metrics = net->metrics;
    if (!net->metrics)
        return JOULIE_E_NOMEM;
    jd_metric_set(net->metrics, &mark, JD_NO_LABELS, 1);
    return 0;
}

static int open_access(struct net *net)
{
    const struct jd_access_options options = { .server = jd_server_url(net->health.server) };
    return jd_access_open(&options, &net->access, NULL);
}

static int open_reflector(struct net *net)
{
    const struct jd_reflector_options options = {
        .resource = &jd_nodes, .upsert = upsert, .remove = take_away, .user = net
    };
    return jd_reflector_open(net->kube, &options, &net->reflector, NULL);
}

static int open_recorder(struct net *net)
{
    return jd_recorder_open(net->kube, "joulie.io/test", "test-1", &net->recorder, NULL);
}

static void live_once(struct oom_life *life)
{
    static int (*const steps[])(struct net * net) = { open_metrics, open_server,    open_access,
                                                      open_kube,    open_reflector, open_recorder,
                                                      ask_for_node, ask_for_page };
    struct net net = { .until_ms = jd_clock_ms() + DEADLINE_MS };
    const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    net.log = jd_log_new(fd, "info", "text");
    net.look = (struct jd_timer){ .fire = look, .user = &net };
    if (jd_loop_open(&net.loop, 0, NULL, 0, NULL) < 0)
        abort();
    while (again(life, jd_timer_set(&net.loop, &net.look, 0)))
        ;
    while (again(life, jd_http_open(&net.loop, "joulie-test", &net.http, NULL)))
        ;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        while (again(life, steps[i](&net)))
            ;
    }
    tell_event(&net);
    if (jd_loop_run(&net.loop, NULL) < 0)
        abort();
    oom_note(life, is_over(&net) ? "it is as it should be" : "it is not over");
    oom_note(life, net.answers == 1 && net.pages == 1 ? "one end each" : "more than one end");
    oom_note(life, net.is_cut ? "a page was cut" : "whole pages");
    jd_recorder_close(net.recorder);
    jd_reflector_close(net.reflector);
    jd_kube_close(net.kube);
    jd_access_close(net.access);
    jd_http_close(net.http);
    jd_server_close(net.health.server);
    jd_metrics_free(net.metrics);
    jd_loop_close(&net.loop);
    close(fd);
}

int main(void)
{
    static struct oom_life first; /* what libraries keep for ever is there from now on */
    oom_is_own_only = true;
    live_once(&first);
    return oom_lives("a network's", live_once);
}
