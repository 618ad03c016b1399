/* SPDX-License-Identifier: Apache-2.0 */

/* What is made to fail: which requests are hit, and answers that go out byte by byte. */

#include <inttypes.h>

#include "apiserver/parts.h"
#include "base/memory.h"
#include "runtime/clock.h"

static const struct {
    const char *name;
    size_t offset; /* of the probability in struct jd_api_faults */
} faults_by_name[JD_FAULT_COUNT] = {
    [JD_FAULT_CUT_STREAMS] = { "cutStreams", offsetof(struct jd_api_faults, cut_streams) },
    [JD_FAULT_GONE] = { "gone", offsetof(struct jd_api_faults, gone) },
    [JD_FAULT_TOO_MANY] = { "tooMany", offsetof(struct jd_api_faults, too_many) },
    [JD_FAULT_INTERNAL] = { "internal", offsetof(struct jd_api_faults, internal) },
    [JD_FAULT_SLOW_BYTES] = { "slowBytes", offsetof(struct jd_api_faults, slow_bytes) },
};

static double *probability(struct jd_api_faults *faults, unsigned fault)
{
    return (double *)(void *)((char *)faults + faults_by_name[fault].offset);
}

void jd_api_set_faults(struct jd_api *api, const struct jd_api_faults *faults)
{
    api->options.faults = *faults;
    api->chance = (struct jl_random){ faults->seed };
    api->fault_count = 0;
}

bool jd_fault(struct jd_api *api, enum jd_api_fault fault)
{
    struct jd_api_faults *faults = &api->options.faults;
    const double chance = *probability(faults, fault);
    if (!(chance > 0) || (faults->limit > 0 && api->fault_count >= faults->limit))
        return false;
    if (jl_random_unit(&api->chance) >= chance)
        return false;
    api->fault_count++;
    api->counts.faults[fault]++;
    return true;
}

/* ---- /faults ---- */

static void reply_faults(struct jd_request *request)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct jd_api_faults *faults = &request->api->options.faults;
    jd_put_format(&text, "{\"seed\":%" PRIu64 ",\"limit\":%" PRIu64, faults->seed, faults->limit);
    for (unsigned i = 0; i < JD_FAULT_COUNT; i++) {
        jd_put_format(&text, ",\"%s\":", faults_by_name[i].name);
        jl_put_double(&text, *probability(faults, i));
    }
    jl_put_string(&text, ",\"counts\":{");
    for (unsigned i = 0; i < JD_FAULT_COUNT; i++)
        jd_put_format(&text, "%s\"%s\":%" PRIu64, i > 0 ? "," : "", faults_by_name[i].name,
                      request->api->counts.faults[i]);
    jl_put_string(&text, "}}\n");
    if (text.is_failed)
        jd_exchange_text(request->exchange, 500, "out of memory\n");
    else
        jd_exchange_reply(request->exchange, 200, "application/json", text.data, text.len);
}

/* NULL = good, else what is wrong. Members that are absent are off. */
static const char *read_faults(struct json_object *tree, struct jd_api_faults *out)
{
    *out = (struct jd_api_faults){ 0 };
    json_object_object_foreach(tree, key, value)
    {
        double *chance = NULL;
        for (unsigned i = 0; i < JD_FAULT_COUNT; i++)
            chance = jl_same(key, faults_by_name[i].name) ? probability(out, i) : chance;
        const bool is_number = json_object_is_type(value, json_type_int) ||
                               json_object_is_type(value, json_type_double);
        const bool is_count = json_object_is_type(value, json_type_int);
        if (chance && is_number)
            *chance = json_object_get_double(value);
        else if (jl_same(key, "seed") && is_count)
            out->seed = json_object_get_uint64(value);
        else if (jl_same(key, "limit") && is_count)
            out->limit = json_object_get_uint64(value);
        else
            return "unknown member, or no number: seed, limit, cutStreams, gone, tooMany, "
                   "internal, slowBytes\n";
        if (chance && !(*chance >= 0 && *chance <= 1))
            return "a probability is from 0 to 1\n";
    }
    return NULL;
}

void jd_serve_faults(struct jd_request *request)
{
    JL_CLEANUP(jd_json_freep) struct json_object *tree = NULL;
    struct jd_api_faults faults;
    size_t len = 0;
    const char *body = jd_exchange_body(request->exchange, &len);
    if (jl_same(request->method, "GET")) {
        reply_faults(request);
        return;
    }
    if (!jl_same(request->method, "POST")) {
        jd_exchange_text(request->exchange, 405, "GET or POST\n");
        return;
    }
    const char *problem = jd_tree_read(body, len, &tree, NULL) < 0 ? "not a JSON object\n"
                                                                   : read_faults(tree, &faults);
    if (problem) {
        jd_exchange_text(request->exchange, 400, problem);
        return;
    }
    jd_api_set_faults(request->api, &faults);
    reply_faults(request);
}

/* ---- bytes one by one ---- */

#define SINGLE_BYTES 1024 /* of one text that go out one by one; then in pieces */
#define PIECE_BYTES 997   /* a prime: borders fall anywhere */

struct jd_trickle {
    struct jd_api *api;
    struct jd_exchange *exchange;
    struct jl_buffer text;
    size_t sent;
    size_t single_end; /* up to here in single bytes */
    bool is_ended;     /* the call ends when all is out */
    struct jd_timer timer;
    struct jd_trickle *next;
    struct jd_trickle *before;
};

void jd_trickle_free(struct jd_trickle *trickle)
{
    if (!trickle)
        return;
    jd_timer_stop(trickle->api->loop, &trickle->timer);
    jl_buffer_clear(&trickle->text);
    if (trickle->next)
        trickle->next->before = trickle->before;
    if (trickle->before)
        trickle->before->next = trickle->next;
    else
        trickle->api->trickles = trickle->next;
    jl_free(trickle);
}

static void gone(void *user, struct jd_exchange *exchange)
{
    (void)exchange;
    jd_trickle_free(user);
}

static void finish(struct jd_trickle *trickle)
{
    struct jd_exchange *exchange = trickle->exchange;
    jd_trickle_free(trickle);
    jd_stream_end(exchange);
}

static void send_some(void *user)
{
    struct jd_trickle *trickle = user;
    const size_t left = trickle->text.len - trickle->sent;
    const size_t piece = trickle->sent < trickle->single_end ? 1 : PIECE_BYTES;
    const size_t len = left < piece ? left : piece;
    if (len > 0 && !jd_stream_put(trickle->exchange, trickle->text.data + trickle->sent, len))
        return; /* gone() comes */
    trickle->sent += len;
    if (trickle->sent < trickle->text.len) {
        jd_timer_set(trickle->api->loop, &trickle->timer, jd_clock_ms());
        return;
    }
    if (!trickle->text.is_failed) {
        jl_buffer_reset(&trickle->text);
        trickle->sent = 0;
        trickle->single_end = 0;
    }
    if (trickle->is_ended)
        finish(trickle);
}

struct jd_trickle *jd_trickle_new(struct jd_api *api, struct jd_exchange *exchange)
{
    struct jd_trickle *trickle = jl_calloc(1, sizeof *trickle);
    if (!trickle)
        return NULL;
    trickle->api = api;
    trickle->exchange = exchange;
    trickle->timer.fire = send_some;
    trickle->timer.user = trickle;
    trickle->next = api->trickles;
    if (trickle->next)
        trickle->next->before = trickle;
    api->trickles = trickle;
    return trickle;
}

void jd_trickle_put(struct jd_trickle *trickle, const char *bytes, size_t len)
{
    const size_t single = len < SINGLE_BYTES ? len : SINGLE_BYTES;
    trickle->single_end = trickle->text.len + single;
    jl_put(&trickle->text, bytes, len); /* without memory nothing comes behind what is there */
    if (trickle->timer.index == 0)
        jd_timer_set(trickle->api->loop, &trickle->timer, jd_clock_ms());
}

void jd_trickle_end(struct jd_trickle *trickle)
{
    trickle->is_ended = true;
    jd_exchange_on_gone(trickle->exchange, gone, trickle);
    if (trickle->sent == trickle->text.len)
        finish(trickle);
}

void jd_trickles_close(struct jd_api *api)
{
    while (api->trickles) {
        jd_exchange_on_gone(api->trickles->exchange, NULL, NULL); /* the server outlives it */
        jd_trickle_free(api->trickles);
    }
}
