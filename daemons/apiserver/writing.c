/* SPDX-License-Identifier: Apache-2.0 */

/* What writes have in common: their options, their body as a tree, its checks
 * (docs/rules/apiserver.md#writes).
 */

#include "apiserver/writing.h"

#include <string.h>

#include <joulie/ask.h>
#include <joulie/object.h>

#include "base/error.h"
#include "base/memory.h"

#define MOST_MANAGER_BYTES 128

void jd_writing_clear(struct jd_writing *writing)
{
    json_object_put(writing->tree);
    jl_free(writing->causes.items);
    jl_free(writing->unknown.texts);
}

bool jd_read_dry_run(struct jd_request *request, const char *word)
{
    if (jl_is_empty(word))
        return true;
    if (!jl_same(word, "All"))
        return jd_fail(request, 422, "Invalid",
                       "dryRun: Unsupported value: \"%s\": supported values: \"All\"", word);
    request->is_dry_run = true;
    return true;
}

static bool read_options(struct jd_writing *writing)
{
    struct jd_request *request = writing->request;
    const char *fields = jd_exchange_query(request->exchange, "fieldValidation");
    const char *manager = jd_exchange_query(request->exchange, "fieldManager");
    if (jl_same(fields, "Ignore"))
        writing->fields = JD_FIELDS_IGNORE;
    else if (jl_same(fields, "Strict"))
        writing->fields = JD_FIELDS_STRICT;
    else if (!jl_is_empty(fields) && !jl_same(fields, "Warn"))
        return jd_fail(
            request, 422, "Invalid",
            "fieldValidation: Unsupported value: \"%s\": supported values: \"\", \"Ignore\", "
            "\"Strict\", \"Warn\"",
            fields);
    if (manager && strlen(manager) > MOST_MANAGER_BYTES)
        return jd_fail(request, 422, "Invalid",
                       "fieldManager: Too long: may not be more than %d bytes", MOST_MANAGER_BYTES);
    return jd_read_dry_run(request, jd_exchange_query(request->exchange, "dryRun"));
}

const char *jd_content_type(struct jd_request *request)
{
    const char *header = jd_exchange_header(request->exchange, "Content-Type");
    struct jl_text rest = jl_text(header ? header : "");
    const struct jl_text type = jl_text_trim(jl_text_cut(&rest, ';'));
    const char *copy = jl_arena_copy(&request->arena, type.ptr, type.len);
    return copy ? copy : "";
}

bool jd_check_size(struct jd_request *request, size_t len)
{
    if (len <= JD_API_MOST_BODY)
        return true;
    return jd_fail(request, 413, "RequestEntityTooLarge", "Request entity too large: limit is %zu",
                   JD_API_MOST_BODY);
}

bool jd_fail_body(struct jd_request *request, const struct joulie_error *err)
{
    return jd_fail(request, 400, "BadRequest",
                   "the object provided is unrecognized (must be of type %s): %s",
                   request->kind->kind, err->message);
}

/* A member that was given twice is reported, not refused. */
static int read_json(struct jd_writing *writing, const char *body, size_t len,
                     struct joulie_error *err)
{
    const int rc = jd_tree_read_body(body, len, false, &writing->tree, err);
    if (rc != JOULIE_E_PARSE || !strstr(err->message, "twice"))
        return rc;
    jd_note_unknown(&writing->unknown, &writing->request->arena, "duplicate field", err->where);
    return jd_tree_read_body(body, len, true, &writing->tree, err);
}

static int read_yaml(struct jd_writing *writing, const char *body, size_t len,
                     struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *text = NULL;
    int rc = joulie_format(body, len, JOULIE_FORM_LINE, &text, err);
    if (rc == 0)
        rc = jd_tree_read(text, strlen(text), &writing->tree, err);
    return rc;
}

bool jd_writing_read(struct jd_writing *writing)
{
    struct jd_request *request = writing->request;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *type = jd_content_type(request);
    size_t len = 0;
    const char *body = jd_exchange_body(request->exchange, &len);
    if (!jd_check_size(request, len))
        return false;
    const bool is_yaml = jl_same(type, "application/yaml");
    if (type[0] && !is_yaml && !jl_same(type, "application/json"))
        return jd_fail(
            request, 415, "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json, application/yaml");
    const int rc =
        is_yaml ? read_yaml(writing, body, len, &err) : read_json(writing, body, len, &err);
    if (rc == 0 && jd_tree_is_object(writing->tree))
        return true;
    if (rc == 0)
        jl_fail(&err, JOULIE_E_TYPE, "", "the document is no JSON object");
    return jd_fail_body(request, &err);
}

/* ---- the document itself ---- */

static const char *api_version_of(const struct jd_request *request)
{
    return request->view.is_core_event ? "v1" : request->kind->api_version;
}

/* Absent apiVersion and kind are filled in, others have to be those of the path. */
bool jd_writing_take_kind(struct jd_writing *writing)
{
    struct jd_request *request = writing->request;
    const char *version = jd_json_text(writing->tree, "apiVersion");
    const char *kind = jd_json_text(writing->tree, "kind");
    const char *wanted = api_version_of(request);
    if (version && !jl_same(version, wanted))
        return jd_fail(
            request, 400, "BadRequest",
            "the API version in the data (%s) does not match the expected API version (%s)",
            version, wanted);
    if (kind && !jl_same(kind, request->kind->kind))
        return jd_fail(request, 400, "BadRequest",
                       "the kind in the data (%s) does not match the expected kind (%s)", kind,
                       request->kind->kind);
    jd_tree_set(writing->tree, "kind", request->kind->kind);
    jd_tree_set(writing->tree, "apiVersion", wanted);
    if (request->view.is_core_event)
        jd_event_from_core(writing->tree);
    return true;
}

bool jd_writing_take_namespace(struct jd_writing *writing)
{
    struct jd_request *request = writing->request;
    struct json_object *metadata = jd_tree_child(writing->tree, "metadata");
    const char *space = jd_json_text(metadata, "namespace");
    if (!request->name_space) {
        json_object_object_del(metadata, "namespace");
        return true;
    }
    if (!jl_is_empty(space) && !jl_same(space, request->name_space))
        return jd_fail(
            request, 400, "BadRequest",
            "the namespace of the provided object does not match the namespace sent on the "
            "request");
    jd_tree_set(metadata, "namespace", request->name_space);
    return true;
}

static void put_warning(struct jd_request *request, const char *text)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer header = { 0 };
    jl_put_string(&header, "299 - ");
    jl_put_json_string(&header, text, strlen(text));
    if (!header.is_failed)
        jd_exchange_put_header(request->exchange, "Warning", header.data);
}

static bool report_unknown(struct jd_writing *writing)
{
    struct jd_request *request = writing->request;
    const struct jd_unknown *unknown = &writing->unknown;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer list = { 0 };
    if (writing->fields == JD_FIELDS_IGNORE || unknown->count == 0)
        return true;
    for (size_t i = 0; i < unknown->count; i++) {
        jl_put_string(&list, i > 0 ? ", " : "");
        jl_put_string(&list, unknown->texts[i]);
        if (writing->fields == JD_FIELDS_WARN)
            put_warning(request, unknown->texts[i]);
    }
    if (writing->fields == JD_FIELDS_WARN)
        return true;
    return jd_fail(request, 400, "BadRequest",
                   "%s in version \"%s\" cannot be handled as a %s: strict "
                   "decoding error: %s",
                   request->kind->kind, request->kind->version, request->kind->kind,
                   list.is_failed ? "" : list.data);
}

/* Schema, defaults, then rules: rules may rest on defaults. Unknown members fail before causes do.
 */
bool jd_writing_check(struct jd_writing *writing, struct json_object *before)
{
    struct jd_request *request = writing->request;
    const struct jd_kind *kind = request->kind;
    jd_check_schema(kind, writing->tree, &writing->causes, &writing->unknown);
    jd_default_object(kind, writing->tree);
    jd_check_object(kind, writing->tree, &writing->causes);
    if (before) {
        jd_default_object(kind, before); /* what the simulator put has none */
        jd_check_update(kind, before, writing->tree, &writing->causes);
    }
    if (!report_unknown(writing))
        return false;
    if (writing->causes.count == 0 && !writing->causes.is_failed)
        return true;
    return jd_fail_invalid(request, jd_json_text(writing->tree, "metadata.name"), &writing->causes);
}

bool jd_writing_begin(struct jd_writing *writing, struct jd_request *request)
{
    *writing = (struct jd_writing){ .request = request, .causes = { .arena = &request->arena } };
    return read_options(writing);
}

void jd_writing_reply_dry(struct jd_writing *writing, int code, const struct jd_object *before)
{
    struct jd_request *request = writing->request;
    struct json_object *metadata = jd_tree_child(writing->tree, "metadata");
    if (!before)
        jd_tree_set(metadata, "resourceVersion", "0");
    struct jd_object *object =
        jd_object_new(request->kind, writing->tree, before ? before->version : 0);
    if (object)
        jd_reply_object(request, code, object);
    else
        jd_fail_memory(request);
    jd_object_release(object);
}

/* ---- what is there ---- */

struct jd_object *jd_find_object(struct jd_request *request)
{
    return jd_store_get(&request->api->store, request->kind, request->name_space, request->name);
}

bool jd_fail_conflict(struct jd_request *request, const char *message)
{
    return jd_fail(request, 409, "Conflict", "Operation cannot be fulfilled on %s%s%s \"%s\": %s",
                   request->kind->plural, request->kind->group[0] ? "." : "", request->kind->group,
                   request->name ? request->name : "", message);
}

bool jd_check_uid(struct jd_request *request, const char *uid, const char *found)
{
    if (jl_is_empty(uid) || jl_same(uid, found))
        return true;
    return jd_fail_conflict(
        request, jd_text(&request->arena,
                         "Precondition failed: UID in precondition: %s, UID in object meta: %s",
                         uid, found ? found : ""));
}

void jd_done(struct jd_request *request, struct jd_object *before, struct jd_object *after,
             bool is_deletion)
{
    if (JL_GROW(&request->done, &request->done_capacity, request->done_count + 1) < 0)
        return;
    request->done[request->done_count++] = (struct jd_done){ .before = jd_object_hold(before),
                                                             .after = jd_object_hold(after),
                                                             .is_deletion = is_deletion };
}
