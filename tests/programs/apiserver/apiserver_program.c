/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The embedded API server alone, for tests and for people who want a Kubernetes API to play with:
 * apiserver_program [--address A] [--kubeconfig-out FILE] [--ring N] [--bookmark-ms N]
 * Prints its URL. Besides the API, for tests: POST /test/put, /test/merge, /test/delete,
 * /test/bookmark, /test/now; GET /test/counts, /test/writes.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apiserver/api.h"
#include "base/text.h"
#include "runtime/clock.h"

struct program {
    struct jd_loop loop;
    struct jd_api *api;
    int64_t now_ms; /* 0 = the wall clock */
    struct jl_buffer writes;
};

static int64_t now_ms(void *user)
{
    const struct program *program = user;
    return program->now_ms > 0 ? program->now_ms : jd_clock_wall_ms();
}

static void on_signal(void *user, int signal)
{
    struct program *program = user;
    (void)signal;
    jd_loop_stop(&program->loop);
}

static void put_text(struct jl_buffer *out, const char *key, const char *text)
{
    jl_put_string(out, key);
    if (text)
        jl_put_json_string(out, text, strlen(text));
    else
        jl_put_string(out, "null");
}

static void on_write(void *user, const struct jd_api_write *write)
{
    struct program *program = user;
    struct jl_buffer *out = &program->writes;
    put_text(out, "{\"verb\":", write->verb);
    put_text(out, ",\"resource\":", write->resource);
    put_text(out, ",\"subresource\":", write->subresource);
    put_text(out, ",\"namespace\":", write->name_space);
    put_text(out, ",\"name\":", write->name);
    put_text(out, ",\"client\":", write->client);
    jl_put_string(out, ",\"old\":");
    jl_put_string(out, write->old_text ? write->old_text : "null");
    jl_put_string(out, ",\"new\":");
    jl_put_string(out, write->new_text ? write->new_text : "null");
    jl_put_string(out, "}\n");
}

static void put_count(void *user, const char *client, const char *verb, const char *resource,
                      int code, uint64_t count)
{
    struct jl_buffer *out = user;
    put_text(out, out->data && out->data[out->len - 1] == '}' ? ",{\"client\":" : "{\"client\":",
             client);
    put_text(out, ",\"verb\":", verb);
    put_text(out, ",\"resource\":", resource);
    jl_put_string(out, ",\"code\":");
    jl_put_i64(out, code);
    jl_put_string(out, ",\"count\":");
    jl_put_u64(out, count);
    jl_put_char(out, '}');
}

static void reply_counts(const struct program *program, struct jd_exchange *exchange)
{
    struct jl_buffer text = { 0 };
    struct jd_api_counts counts;
    jd_api_counts(program->api, &counts);
    jl_put_string(&text, "{\"calls\":");
    jl_put_u64(&text, counts.calls);
    jl_put_string(&text, ",\"watches\":");
    jl_put_u64(&text, counts.watches);
    jl_put_string(&text, ",\"openWatches\":");
    jl_put_u64(&text, counts.open_watches);
    jl_put_string(&text, ",\"events\":");
    jl_put_u64(&text, counts.events);
    jl_put_string(&text, ",\"bookmarks\":");
    jl_put_u64(&text, counts.bookmarks);
    jl_put_string(&text, ",\"expired\":");
    jl_put_u64(&text, counts.expired);
    put_text(&text, ",\"version\":", jd_api_version(program->api));
    jl_put_string(&text, ",\"rows\":[");
    jd_api_each_count(program->api, put_count, &text);
    jl_put_string(&text, "]}");
    jd_exchange_reply(exchange, 200, "application/json", text.data, text.len);
    jl_buffer_clear(&text);
}

static void reply_code(struct jd_exchange *exchange, int code, const struct joulie_error *err)
{
    char text[700];
    snprintf(text, sizeof text, "%d %s\n", code, code < 0 ? err->message : "");
    jd_exchange_text(exchange, 200, text);
}

static bool other(void *user, struct jd_exchange *exchange)
{
    struct program *program = user;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *path = jd_exchange_path(exchange);
    const char *resource = jd_exchange_query(exchange, "resource");
    const char *space = jd_exchange_query(exchange, "namespace");
    const char *name = jd_exchange_query(exchange, "name");
    size_t len = 0;
    const char *body = jd_exchange_body(exchange, &len);
    if (jl_same(path, "/test/counts")) {
        reply_counts(program, exchange);
    } else if (jl_same(path, "/test/writes")) {
        jd_exchange_reply(exchange, 200, "application/json",
                          program->writes.data ? program->writes.data : "", program->writes.len);
        jl_buffer_reset(&program->writes);
    } else if (jl_same(path, "/test/put")) {
        const int rc = jd_api_put(program->api, body, len, &err);
        reply_code(exchange, rc, &err);
    } else if (jl_same(path, "/test/merge")) {
        const int rc = jd_api_merge(program->api, resource, space, name, body, len, &err);
        reply_code(exchange, rc, &err);
    } else if (jl_same(path, "/test/delete")) {
        reply_code(exchange, jd_api_delete(program->api, resource, space, name), &err);
    } else if (jl_same(path, "/test/bookmark")) {
        jd_api_bookmark(program->api);
        jd_exchange_text(exchange, 200, jd_api_version(program->api));
    } else if (jl_same(path, "/test/now")) {
        program->now_ms = len > 0 ? strtoll(body, NULL, 10) : 0;
        jd_exchange_text(exchange, 200, "ok");
    } else {
        return false;
    }
    return true;
}

static int write_kubeconfig(const struct program *program, const char *path)
{
    struct jl_buffer text = { 0 };
    FILE *file = fopen(path, "w");
    jd_api_put_kubeconfig(program->api, &text);
    const bool is_good =
        file && !text.is_failed && fwrite(text.data, 1, text.len, file) == text.len;
    const bool is_closed = file && fclose(file) == 0;
    jl_buffer_clear(&text);
    return is_good && is_closed ? 0 : -1;
}

int main(int argc, char **argv)
{
    static const int signals[] = { SIGINT, SIGTERM };
    static struct program program;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jd_api_options options = { .address = "127.0.0.1:0",
                                      .now_ms = now_ms,
                                      .on_write = on_write,
                                      .other = other,
                                      .user = &program };
    const char *kubeconfig = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (jl_same(argv[i], "--address"))
            options.address = argv[i + 1];
        else if (jl_same(argv[i], "--kubeconfig-out"))
            kubeconfig = argv[i + 1];
        else if (jl_same(argv[i], "--ring"))
            options.ring_events = (size_t)strtoull(argv[i + 1], NULL, 10);
        else if (jl_same(argv[i], "--bookmark-ms"))
            options.bookmark_ms = strtoll(argv[i + 1], NULL, 10);
    }
    jd_signals_hold(signals, 2);
    program.loop.user = &program;
    program.loop.on_signal = on_signal;
    if (jd_loop_open(&program.loop, 0, signals, 2, &err) < 0 ||
        jd_api_open(&program.loop, &options, &program.api, &err) < 0 ||
        (kubeconfig && write_kubeconfig(&program, kubeconfig) < 0)) {
        fprintf(stderr, "apiserver_program: %s: %s\n", err.where, err.message);
        return 2;
    }
    printf("%s\n", jd_api_url(program.api));
    fflush(stdout);
    const int rc = jd_loop_run(&program.loop, &err);
    jd_api_close(program.api);
    jd_loop_close(&program.loop);
    jl_buffer_clear(&program.writes);
    return rc < 0 ? 1 : 0;
}
