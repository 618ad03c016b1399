/* SPDX-License-Identifier: Apache-2.0 */

/* Answers: objects as they are, and Status objects about what did not work
 * (docs/rules/apiserver.md#failures). */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "apiserver/parts.h"
#include "base/memory.h"

#define MOST_CLIENTS 64

/* NULL: memory ran out. */
__attribute__((format(printf, 2, 0))) static char *formatted(struct jl_arena *arena,
                                                             const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    const int len = vsnprintf(NULL, 0, format, list);
    char *text = len < 0 ? NULL : jl_arena_alloc(arena, (size_t)len + 1);
    if (text) {
        vsnprintf(text, (size_t)len + 1, format, again);
        text[jl_utf8_keep(text, (size_t)len)] = '\0';
    }
    va_end(again);
    return text;
}

const char *jd_text(struct jl_arena *arena, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const char *text = formatted(arena, format, list);
    va_end(list);
    return text ? text : "";
}

/* ---- counting ---- */

static const char *client_name(struct jd_api *api, const char *client)
{
    for (size_t i = 0; i < api->client_count; i++) {
        if (jl_same(api->clients[i], client))
            return api->clients[i];
    }
    char *copy = api->client_count < MOST_CLIENTS ? jl_arena_string(&api->texts, client) : NULL;
    if (!copy || JL_GROW(&api->clients, &api->client_capacity, api->client_count + 1) < 0)
        return "other";
    api->clients[api->client_count++] = copy;
    return copy;
}

static struct jd_count_row *find_row(struct jd_api *api, const struct jd_count_row *wanted)
{
    for (size_t i = 0; i < api->row_count; i++) {
        struct jd_count_row *row = &api->rows[i];
        if (row->code == wanted->code && row->client == wanted->client &&
            jl_same(row->verb, wanted->verb) && jl_same(row->resource, wanted->resource))
            return row;
    }
    if (JL_GROW(&api->rows, &api->row_capacity, api->row_count + 1) < 0)
        return NULL;
    api->rows[api->row_count] = *wanted;
    return &api->rows[api->row_count++];
}

/* By client, verb, resource and code; a client is the first word of its User-Agent. */
void jd_count(struct jd_request *request, int code)
{
    const struct jd_count_row wanted = {
        .client = client_name(request->api, request->client),
        .verb = request->verb,
        .resource = request->kind ? request->kind->plural : "",
        .code = code,
    };
    struct jd_count_row *row = find_row(request->api, &wanted);
    if (row)
        row->count++;
    if (jl_same(request->verb, "watch"))
        request->api->counts.watches++;
    else
        request->api->counts.calls++;
}

/* ---- answers ---- */

void jd_reply(struct jd_request *request, int code, const char *text, size_t len)
{
    jd_reply_as(request, code, "application/json", text, len);
}

void jd_reply_as(struct jd_request *request, int code, const char *type, const char *text,
                 size_t len)
{
    struct jd_trickle *trickle = NULL;
    jd_count(request, code);
    if (jd_fault(request->api, JD_FAULT_SLOW_BYTES))
        trickle = jd_trickle_new(request->api, request->exchange);
    if (!trickle) {
        jd_exchange_reply(request->exchange, code, type, text, len);
        return;
    }
    jd_exchange_stream(request->exchange, code, type);
    jd_trickle_put(trickle, text, len);
    jd_trickle_end(trickle);
}

void jd_reply_buffer(struct jd_request *request, int code, const struct jl_buffer *text)
{
    if (text->is_failed)
        jd_fail_memory(request);
    else
        jd_reply(request, code, text->data, text->len);
}

void jd_reply_object(struct jd_request *request, int code, const struct jd_object *object)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    jd_view_put(&text, &request->view, object, object->version, true, jd_api_now_ms(request->api));
    jd_reply_buffer(request, code, &text);
}

/* ---- Status ---- */

struct status {
    int code;
    const char *reason;
    const char *message;
    const char *name;
    const char *group;
    const char *kind;
    const char *uid;
    const struct jd_causes *causes;
    int retry_after_s;      /* 0 = none */
    const char *proceed_at; /* continue of the metadata, NULL = none */
};

static void put_causes(struct jl_buffer *out, const struct jd_causes *causes)
{
    if (!causes || causes->count == 0)
        return;
    jd_json_put_key(out, "causes");
    for (size_t i = 0; i < causes->count; i++) {
        jl_put_string(out, i > 0 ? ",{" : "[{");
        jd_json_put_some(out, "reason", causes->items[i].reason);
        jd_json_put_some(out, "message", causes->items[i].message);
        jd_json_put_some(out, "field", causes->items[i].field);
        jl_put_char(out, '}');
    }
    jl_put_char(out, ']');
}

static void put_details(struct jl_buffer *out, const struct status *status)
{
    jl_put_string(out, ",\"details\":{");
    jd_json_put_some(out, "name", status->name);
    jd_json_put_some(out, "group", status->group);
    jd_json_put_some(out, "kind", status->kind);
    jd_json_put_some(out, "uid", status->uid);
    put_causes(out, status->causes);
    if (status->retry_after_s > 0)
        jd_json_put_number(out, "retryAfterSeconds", status->retry_after_s);
    jl_put_char(out, '}');
}

static void put_status(struct jl_buffer *out, const struct status *status)
{
    jl_put_string(out, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{");
    jd_json_put_some(out, "continue", status->proceed_at);
    jl_put_char(out, '}');
    jd_json_put_text(out, "status", status->code < 300 ? "Success" : "Failure");
    jd_json_put_some(out, "message", status->message);
    jd_json_put_some(out, "reason", status->reason);
    if (status->name || status->kind || status->causes || status->retry_after_s > 0)
        put_details(out, status);
    if (status->code >= 300)
        jd_json_put_number(out, "code", status->code);
    jl_put_char(out, '}');
}

/* false, for those that fail. */
static bool reply_status(struct jd_request *request, const struct status *status)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    put_status(&text, status);
    if (status->retry_after_s > 0)
        jd_exchange_put_header(request->exchange, "Retry-After",
                               jd_text(&request->arena, "%d", status->retry_after_s));
    if (text.is_failed) {
        jd_count(request, 500);
        jd_exchange_text(request->exchange, 500, "out of memory\n");
    } else {
        jd_reply(request, status->code, text.data, text.len);
    }
    return false;
}

static struct status about(const struct jd_request *request, int code, const char *reason,
                           const char *message)
{
    struct status status = { .code = code, .reason = reason, .message = message };
    if (request->kind) {
        status.name = request->name;
        status.group = request->kind->group;
        status.kind = request->kind->plural;
    }
    return status;
}

void jd_put_status(struct jl_buffer *out, int code, const char *reason, const char *message)
{
    put_status(out, &(struct status){ .code = code, .reason = reason, .message = message });
}

bool jd_fail(struct jd_request *request, int code, const char *reason, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const char *message = formatted(&request->arena, format, list);
    va_end(list);
    struct status status = about(request, code, reason, message);
    if (code == 429 || jl_same(reason, "ServerTimeout") || jl_same(reason, "Timeout"))
        status.retry_after_s = 1;
    struct jd_cause too_new = { .reason = "ResourceVersionTooLarge",
                                .message = "Too large resource version" };
    const struct jd_causes causes = { .items = &too_new, .count = 1 };
    if (code == 504)
        status.causes = &causes;
    return reply_status(request, &status);
}

bool jd_fail_memory(struct jd_request *request)
{
    return jd_fail(request, 500, "InternalError", "memory ran out");
}

static const char *qualified(struct jd_request *request, const char *word)
{
    const char *group = request->kind->group;
    return group[0] ? jd_text(&request->arena, "%s.%s", word, group) : word;
}

bool jd_fail_not_found(struct jd_request *request)
{
    return jd_fail(request, 404, "NotFound", "%s \"%s\" not found",
                   qualified(request, request->kind->plural), request->name ? request->name : "");
}

/* *at = the token that goes on without one version for all pages; "" = none. */
void jd_fail_expired(struct jd_request *request, const char *token)
{
    struct status status =
        about(request, 410, "Expired",
              "The provided continue parameter is too old to display a consistent list result. You "
              "can start a new list without the continue parameter, or use the continue token in "
              "this response to retrieve the remainder of the results. Continuing with the "
              "provided token results in an inconsistent list - objects that were created, "
              "modified, or deleted between the time the first chunk was returned and now may "
              "show up in the list.");
    status.proceed_at = token;
    request->api->counts.expired++;
    reply_status(request, &status);
}

bool jd_fail_invalid(struct jd_request *request, const char *name, const struct jd_causes *causes)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    if (causes->is_failed)
        return jd_fail_memory(request);
    jd_put_format(&text, "%s \"%s\" is invalid: %s", qualified(request, request->kind->kind),
                  name ? name : "", causes->count > 1 ? "[" : "");
    for (size_t i = 0; i < causes->count; i++)
        jd_put_format(&text, "%s%s: %s", i > 0 ? ", " : "", causes->items[i].field,
                      causes->items[i].message);
    jl_put_string(&text, causes->count > 1 ? "]" : "");
    struct status status = about(request, 422, "Invalid", text.is_failed ? NULL : text.data);
    status.kind = request->kind->kind;
    status.name = name;
    status.causes = causes;
    return reply_status(request, &status);
}

void jd_succeed(struct jd_request *request, const char *name, const char *uid)
{
    struct status status = about(request, 200, NULL, NULL);
    status.name = name;
    status.uid = uid;
    if (jl_same(request->method, "POST"))
        status.code = 201;
    reply_status(request, &status);
}

void jd_cause(struct jd_causes *causes, const char *reason, const char *field, const char *format,
              ...)
{
    va_list list;
    if (causes->count >= JD_API_MOST_CAUSES)
        return;
    va_start(list, format);
    const char *message = formatted(causes->arena, format, list);
    va_end(list);
    if (!message || JL_GROW(&causes->items, &causes->capacity, causes->count + 1) < 0) {
        causes->is_failed = true;
        return;
    }
    causes->items[causes->count++] = (struct jd_cause){
        .reason = reason, .message = message, .field = jl_arena_string(causes->arena, field)
    };
}
