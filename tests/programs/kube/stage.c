/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */
#include "kube/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/test.h"

/* ---- identity ---- */

const char *jd_access_server(const struct jd_access *access)
{
    return access->server;
}

const char *jd_access_proxy(const struct jd_access *access)
{
    (void)access;
    return NULL;
}

const char *jd_access_note(const struct jd_access *access)
{
    return access->note ? access->note : "";
}

const struct jd_tls *jd_access_tls(const struct jd_access *access)
{
    (void)access;
    return NULL;
}

enum jd_identity jd_access_identity(struct jd_access *access, int64_t now_ms, const char **out_why)
{
    (void)now_ms;
    *out_why = access->missing;
    return access->is_coming ? JD_IDENTITY_COMING
           : access->missing ? JD_IDENTITY_MISSING
                             : JD_IDENTITY_THERE;
}

void jd_access_hear(struct jd_access *access, void (*changed)(void *user), void *user)
{
    access->changed = changed;
    access->changed_user = user;
}

const char *const *jd_access_headers(struct jd_access *access, int64_t now_ms,
                                     const char **out_problem)
{
    (void)now_ms;
    *out_problem = access->problem;
    access->header_lines[0] = access->token;
    access->header_lines[1] = NULL;
    return access->header_lines;
}

bool jd_access_refused(struct jd_access *access, int64_t started_ms, int64_t now_ms)
{
    (void)started_ms;
    (void)now_ms;
    access->refused++;
    if (access->newer_tokens == 0)
        return false;
    access->newer_tokens--;
    snprintf(access->token, sizeof access->token, "Authorization: Bearer %d", access->refused + 1);
    return true;
}

bool jd_access_distrusted(struct jd_access *access, int64_t now_ms)
{
    (void)access;
    (void)now_ms;
    return false;
}

bool jd_access_unidentified(struct jd_access *access, int64_t now_ms)
{
    (void)access;
    (void)now_ms;
    return false;
}

/* ---- the stage ---- */

static int64_t wait_on(void *user, int64_t wait_ms)
{
    struct stage *stage = user;

    const struct {
        int64_t least_ms;
        int64_t most_ms;
        int64_t real_ms;
    } kinds[] = {
        { 60000, 60000, stage->minute_ms },     { 150000, 150000, stage->dead_ms },
        { 360000, 360000, stage->idle_ms },     { 330000, 630000, stage->deadline_ms },
        { 1620000, 1980000, stage->safety_ms },
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (wait_ms >= kinds[i].least_ms && wait_ms <= kinds[i].most_ms)
            return kinds[i].real_ms > 0 ? kinds[i].real_ms : wait_ms;
    }
    if (wait_ms > 75000)
        return wait_ms;
    stage->waits++;
    stage->waited_ms += wait_ms;
    if (wait_ms < stage->shortest_ms)
        stage->shortest_ms = wait_ms;
    if (wait_ms > stage->longest_ms)
        stage->longest_ms = wait_ms;
    return 0;
}

void stage_forget_waits(struct stage *stage)
{
    stage->waits = stage->waited_ms = stage->longest_ms = 0;
    stage->shortest_ms = INT64_MAX;
}

struct stage *stage_open(double qps, double burst,
                         void (*handle)(void *user, struct talk *talk, const char *request),
                         void *user)
{
    struct stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    assert_int_equal(jd_loop_open(&stage->loop, 0, NULL, 0, &err), 0);
    assert_int_equal(jd_http_open(&stage->loop, "joulie-test", &stage->http, &err), 0);
    peer_open(&stage->peer, &stage->loop, handle, user);
    stage->access =
        (struct jd_access){ .server = stage->peer.url, .token = "Authorization: Bearer 1" };
    const int fd = memfd_create("log", MFD_CLOEXEC);
    assert_true(fd >= 0);
    stage->log = jd_log_new(fd, "info", "text");
    stage->metrics = jd_metrics_new();
    stage_forget_waits(stage);
    const struct jd_kube_options options = {
        .access = &stage->access,
        .component = "joulie-test",
        .qps = qps,
        .burst = burst,
        .seed = 7,
        .wait = wait_on,
        .user = stage,
        .log = &stage->log,
        .metrics = stage->metrics,
    };
    assert_int_equal(jd_kube_open(&stage->loop, stage->http, &options, &stage->kube, &err), 0);
    return stage;
}

void stage_close(struct stage *stage)
{
    jd_kube_close(stage->kube);
    jd_http_close(stage->http);
    peer_close(&stage->peer);
    jd_loop_close(&stage->loop);
    jd_metrics_free(stage->metrics);
    close(stage->log.fd);
    free(stage);
}

void stage_run(struct stage *stage)
{
    stage->is_done = false;
    assert_true(run_until(&stage->loop, &stage->is_done));
}

char *stage_log(const struct stage *stage)
{
    const off_t len = lseek(stage->log.fd, 0, SEEK_CUR);
    char *text = calloc((size_t)len + 1, 1);
    assert_non_null(text);
    assert_int_equal(pread(stage->log.fd, text, (size_t)len, 0), len);
    return text;
}

size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

void talk_status(struct talk *talk, int code, const char *reason, const char *headers,
                 const char *details)
{
    char body[1024];
    char line[64];
    snprintf(line, sizeof line, "%d %s", code, reason);
    snprintf(body, sizeof body,
             "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
             "\"message\":\"played\",\"reason\":\"%s\",\"details\":%s,\"code\":%d}",
             reason, details ? details : "{}", code);
    talk_reply(talk, line, headers, body);
}
