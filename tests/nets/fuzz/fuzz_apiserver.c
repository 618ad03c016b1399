/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Requests to the embedded API server, without sockets and with a clock that stands still: every
 * one is answered once, and what is stored at the end is JSON that the library reads. A request is
 * lines "METHOD TARGET", Content-Type, Accept, and its body; 0x1E stands between requests.
 */

#include <string.h>

#include <joulie/object.h>

#include "apiserver/api.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "runtime/clock.h"
#include "runtime/http_target.h"

#define SEPARATOR 0x1E
#define MOST_REQUESTS 16

struct jd_exchange {
    struct jd_target target;
    const char *method;
    const char *type;
    const char *accept;
    struct jl_buffer body;
    int answers;
    bool is_open; /* a stream */
    void (*gone)(void *user, struct jd_exchange *exchange);
    void *user;
};

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

/* ---- the clocks, from which the server draws names: equal inputs are answered equally ---- */

int64_t jd_clock_ms(void)
{
    return NOW_MS;
}

int64_t jd_clock_wall_ms(void)
{
    return NOW_MS;
}

/* ---- the server that calls come from ---- */

struct jd_server {
    struct jd_server_options options;
};

static struct jd_server server;

int jd_server_open(struct jd_loop *loop, const struct jd_server_options *options,
                   struct jd_server **out, struct joulie_error *err)
{
    (void)loop;
    (void)err;
    server.options = *options;
    *out = &server;
    return 0;
}

void jd_server_close(struct jd_server *closed)
{
    (void)closed;
}

const char *jd_server_url(const struct jd_server *asked)
{
    (void)asked;
    return "http://127.0.0.1:1";
}

/* ---- calls ---- */

const char *jd_exchange_method(const struct jd_exchange *exchange)
{
    return exchange->method;
}

const char *jd_exchange_path(const struct jd_exchange *exchange)
{
    return exchange->target.path;
}

const char *jd_exchange_header(const struct jd_exchange *exchange, const char *name)
{
    if (jl_same(name, "Content-Type"))
        return exchange->type;
    return jl_same(name, "Accept") ? exchange->accept : "fuzz/1";
}

const char *jd_exchange_query(const struct jd_exchange *exchange, const char *name)
{
    for (size_t i = 0; i < exchange->target.query_count; i++) {
        if (jl_same(exchange->target.query[i].key, name))
            return exchange->target.query[i].value;
    }
    return NULL;
}

const char *jd_exchange_body(const struct jd_exchange *exchange, size_t *out_len)
{
    *out_len = exchange->body.len;
    return exchange->body.data ? exchange->body.data : "";
}

const char *jd_exchange_segment(const struct jd_exchange *exchange, size_t index)
{
    return index < exchange->target.segment_count ? exchange->target.segments[index] : NULL;
}

size_t jd_exchange_segments(const struct jd_exchange *exchange)
{
    return exchange->target.segment_count;
}

void jd_exchange_on_gone(struct jd_exchange *exchange,
                         void (*gone)(void *user, struct jd_exchange *exchange), void *user)
{
    exchange->gone = gone;
    exchange->user = user;
}

void jd_exchange_put_header(struct jd_exchange *exchange, const char *name, const char *value)
{
    FUZZ_REQUIRE(exchange->answers == 0 && name[0]);
    FUZZ_REQUIRE(!strpbrk(value, "\r\n") && jl_utf8_valid(value, strlen(value)));
}

static void require_json(const char *text, size_t len)
{
    char *line = NULL;
    FUZZ_REQUIRE(joulie_format(text, len, JOULIE_FORM_LINE, &line, NULL) == JOULIE_OK);
    joulie_free(line);
}

void jd_exchange_reply(struct jd_exchange *exchange, int status, const char *content_type,
                       const char *body, size_t len)
{
    FUZZ_REQUIRE(exchange->answers++ == 0 && status >= 200 && status < 600);
    if (jl_same(content_type, "application/json"))
        require_json(body, len);
}

void jd_exchange_text(struct jd_exchange *exchange, int status, const char *text)
{
    jd_exchange_reply(exchange, status, "text/plain", text, strlen(text));
}

void jd_exchange_stream(struct jd_exchange *exchange, int status, const char *content_type)
{
    (void)content_type;
    FUZZ_REQUIRE(exchange->answers++ == 0 && status == 200);
    exchange->is_open = true;
}

bool jd_stream_put(struct jd_exchange *exchange, const char *bytes, size_t len)
{
    FUZZ_REQUIRE(exchange->is_open);
    require_json(bytes, len);
    return true;
}

void jd_stream_end(struct jd_exchange *exchange)
{
    FUZZ_REQUIRE(exchange->is_open);
    exchange->is_open = false;
}

void jd_exchange_abort(struct jd_exchange *exchange)
{
    jd_stream_end(exchange);
}

/* ---- requests ---- */

static struct jl_text line(struct jl_text *rest)
{
    return jl_text_cut(rest, '\n');
}

static const char *copied(struct jl_text text)
{
    char *copy = calloc(1, text.len + 1);
    FUZZ_REQUIRE(copy != NULL);
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    return copy;
}

static void release(const char *text)
{
    free((void *)(uintptr_t)text);
}

/* false = a server would not have handed it on. */
static bool serve(struct jd_exchange *exchange, struct jl_text request)
{
    static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
    struct jl_text first = line(&request);
    const struct jl_text method = jl_text_cut(&first, ' ');
    const char *target = copied(first);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        exchange->method = jl_text_is(method, methods[i]) ? methods[i] : exchange->method;
    exchange->type = copied(line(&request));
    exchange->accept = copied(line(&request));
    jl_put(&exchange->body, request.ptr, request.len);
    const bool is_good = exchange->method && jd_target_parse(&exchange->target, target) == 0;
    if (is_good) {
        server.options.handle(server.options.user, exchange);
        FUZZ_REQUIRE(exchange->answers == 1);
    }
    release(target);
    return is_good;
}

static void forget(struct jd_exchange *exchange)
{
    if (exchange->is_open && exchange->gone)
        exchange->gone(exchange->user, exchange);
    release(exchange->type);
    release(exchange->accept);
    jd_target_clear(&exchange->target);
    jl_buffer_clear(&exchange->body);
}

static bool visit(void *user, const char *name_space, const char *name, const char *text,
                  size_t len)
{
    (void)user;
    (void)name_space;
    FUZZ_REQUIRE(name[0]);
    require_json(text, len);
    return true;
}

static struct jd_api *open_api(void)
{
    static struct jd_loop loop;
    const struct jd_api_options options = { .ring_events = 8 };
    struct jd_api *api = NULL;
    if (!loop.user) {
        FUZZ_REQUIRE(jd_loop_open(&loop, 0, NULL, 0, NULL) == 0);
        loop.user = &loop;
    }
    FUZZ_REQUIRE(jd_api_open(&loop, &options, &api, NULL) == 0);
    return api;
}

/* ---- one server for many inputs: to open one takes long ---- */

#define INPUTS 500 /* of one server */

static const char *const resources[] = { "pods",      "events",        "configmaps",
                                         "leases",    "nodes",         "namespaces",
                                         "nodetwins", "nodehardwares", "workloadprofiles" };

struct first {
    struct jl_buffer name_space;
    struct jl_buffer name;
};

static bool take_first(void *user, const char *name_space, const char *name, const char *text,
                       size_t len)
{
    struct first *first = user;
    (void)text;
    (void)len;
    jl_put_string(&first->name_space, name_space);
    jl_put_string(&first->name, name);
    return false;
}

static void remove_all(struct jd_api *api, const char *resource)
{
    bool is_empty;
    do {
        struct first first = { 0 };
        jd_api_each(api, resource, take_first, &first);
        is_empty = !first.name.data;
        FUZZ_REQUIRE(is_empty ||
                     jd_api_delete(api, resource, first.name_space.data, first.name.data));
        jl_buffer_clear(&first.name_space);
        jl_buffer_clear(&first.name);
    } while (!is_empty);
}

static void clean(struct jd_api *api)
{
    static const char space[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"default\"}}";
    const struct jd_api_faults none = { 0 };
    jd_api_set_faults(api, &none);
    for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++)
        remove_all(api, resources[i]);
    FUZZ_REQUIRE(jd_api_put(api, space, strlen(space), NULL) == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct jd_api *api;
    static unsigned inputs;
    struct jd_exchange calls[MOST_REQUESTS] = { 0 };
    struct jl_text rest = { (const char *)data, size };
    const bool is_last = ++inputs % INPUTS == 0;
    api = api ? api : open_api();
    for (size_t i = 0; i < MOST_REQUESTS && rest.len > 0; i++) {
        serve(&calls[i], jl_text_cut(&rest, SEPARATOR));
        jd_api_bookmark(api); /* what is new goes to the watches */
    }
    for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++)
        jd_api_each(api, resources[i], visit, NULL);
    if (is_last) { /* with its streams open */
        jd_api_close(api);
        api = NULL;
    }
    for (size_t i = 0; i < MOST_REQUESTS; i++)
        forget(&calls[i]);
    if (api)
        clean(api);
    return 0;
}
