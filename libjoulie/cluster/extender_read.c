/* SPDX-License-Identifier: Apache-2.0 */

/* Reads a request of kube-scheduler's extender protocol in one pass: names and objects of nodes
 * stay where they stand in the text. */

#include <joulie/error.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "cluster/extender.h"
#include "cluster/state.h"
#include "schema/json.h"

struct reader {
    struct jl_decode *decode;
    struct jl_json json;
    const struct joulie_cluster *cluster;
    const char *label_key;
    struct jl_extender_request *request;
};

/* ---- failures ---- */

static int fail_text(struct reader *reader, int code)
{
    return jl_decode_fail(reader->decode, code, NULL, reader->json.pos, "%s", reader->json.problem);
}

/* What stands here is not what the protocol has here; text that is no JSON is a parse error. */
static int fail_type(struct reader *reader, const struct jl_path *at, const char *expected)
{
    const enum jl_json_kind kind = jl_json_peek(&reader->json);
    if (kind == JL_JSON_END || kind == JL_JSON_BAD) {
        reader->json.problem = "a value was expected";
        return fail_text(reader, JOULIE_E_PARSE);
    }
    return jl_decode_fail(reader->decode, JOULIE_E_TYPE, at, reader->json.pos, "%s was expected",
                          expected);
}

static int skip(struct reader *reader)
{
    const int rc = jl_json_skip(&reader->json);
    return rc < 0 ? fail_text(reader, rc) : 0;
}

/* ---- texts ---- */

/* The string's bytes: where they stand, or in the arena when they have escapes. */
static int text_of(struct reader *reader, const struct jl_json_string *string, struct jl_text *out)
{
    int code = 0;
    *out = string->raw;
    if (!string->has_escapes)
        return 0;
    out->ptr = jl_json_value(string, reader->decode->arena, &out->len, &code);
    if (out->ptr != NULL)
        return 0;
    reader->json.problem = code == JOULIE_E_PARSE ? "a string may not hold \\u0000"
                                                  : "the request decodes into too much memory";
    return code == JOULIE_E_NOMEM ? jl_fail_memory(reader->decode->err) : fail_text(reader, code);
}

static int read_string(struct reader *reader, const struct jl_path *at, struct jl_json_string *out)
{
    if (jl_json_peek(&reader->json) != JL_JSON_STRING)
        return fail_type(reader, at, "a string");
    const int rc = jl_json_string(&reader->json, out);
    return rc < 0 ? fail_text(reader, rc) : 0;
}

/* ---- the members of an object and the items of an array, one after another ---- */

typedef int read_member_fn(struct reader *reader, const struct jl_path *at, struct jl_text key,
                           void *out);
typedef int read_item_fn(struct reader *reader, const struct jl_path *at);

static int read_members(struct reader *reader, const struct jl_path *at, read_member_fn *read,
                        void *out)
{
    if (jl_json_peek(&reader->json) != JL_JSON_OBJECT)
        return fail_type(reader, at, "an object");
    int rc = jl_json_open(&reader->json);
    if (rc < 0)
        return fail_text(reader, rc);
    for (bool is_first = true;; is_first = false) {
        struct jl_json_string key;
        struct jl_text text;
        bool more = false;
        rc = jl_json_member(&reader->json, is_first, &key, &more);
        if (rc < 0)
            return fail_text(reader, rc);
        if (!more)
            return 0;
        rc = text_of(reader, &key, &text);
        if (rc == 0)
            rc = read(reader, at, text, out);
        if (rc < 0)
            return rc;
    }
}

static int read_items(struct reader *reader, const struct jl_path *at, read_item_fn *read)
{
    if (jl_json_peek(&reader->json) != JL_JSON_ARRAY)
        return fail_type(reader, at, "an array");
    int rc = jl_json_open(&reader->json);
    if (rc < 0)
        return fail_text(reader, rc);
    for (size_t i = 0;; i++) {
        bool more = false;
        rc = jl_json_item(&reader->json, i == 0, &more);
        if (rc < 0)
            return fail_text(reader, rc);
        if (!more)
            return 0;
        const struct jl_path item = { .up = at, .index = i };
        rc = read(reader, &item);
        if (rc < 0)
            return rc;
    }
}

/* ---- one node ---- */

static int add(struct reader *reader, const struct jl_path *at, struct jl_candidate **out)
{
    struct jl_extender_request *request = reader->request;
    if (request->count == JL_LIMIT_CANDIDATES)
        return jl_decode_fail(reader->decode, JOULIE_E_LIMIT, at, reader->json.pos,
                              "more than %zu nodes", JL_LIMIT_CANDIDATES);
    if (JL_GROW(&request->candidates, &request->capacity, request->count + 1) < 0)
        return jl_fail_memory(reader->decode->err);
    *out = &request->candidates[request->count++];
    **out = (struct jl_candidate){ .node = &jl_unknown_row };
    return 0;
}

static int set_name(struct reader *reader, const struct jl_json_string *string,
                    struct jl_candidate *candidate)
{
    struct jl_text name;
    const int rc = text_of(reader, string, &name);
    if (rc < 0)
        return rc;
    candidate->name = (struct jl_text){ string->raw.ptr - 1, string->raw.len + 2 };
    if (reader->cluster != NULL)
        candidate->node = jl_cluster_row_of(&reader->cluster->rows, name);
    return 0;
}

static int read_name(struct reader *reader, const struct jl_path *at)
{
    struct jl_candidate *candidate = NULL;
    struct jl_json_string string;
    int rc = read_string(reader, at, &string);
    if (rc == 0)
        rc = add(reader, at, &candidate);
    return rc == 0 ? set_name(reader, &string, candidate) : rc;
}

static int read_label(struct reader *reader, const struct jl_path *at, struct jl_text key,
                      void *out)
{
    struct jl_candidate *candidate = out;
    const struct jl_path here = { .up = at, .key = key };
    struct jl_json_string string;
    struct jl_text value;
    if (!jl_text_is(key, reader->label_key))
        return skip(reader);
    int rc = read_string(reader, &here, &string);
    if (rc == 0)
        rc = text_of(reader, &string, &value);
    if (rc == 0)
        candidate->label = jl_place_label_of(value);
    return rc;
}

static int read_meta(struct reader *reader, const struct jl_path *at, struct jl_text key, void *out)
{
    const struct jl_path here = { .up = at, .key = key };
    struct jl_json_string string;
    if (jl_text_is(key, "labels") && jl_json_peek(&reader->json) != JL_JSON_NULL)
        return read_members(reader, &here, read_label, out);
    if (!jl_text_is(key, "name"))
        return skip(reader);
    const int rc = read_string(reader, &here, &string);
    return rc == 0 ? set_name(reader, &string, out) : rc;
}

static int read_node_member(struct reader *reader, const struct jl_path *at, struct jl_text key,
                            void *out)
{
    const struct jl_path here = { .up = at, .key = key };
    return jl_text_is(key, "metadata") ? read_members(reader, &here, read_meta, out) : skip(reader);
}

static int read_node(struct reader *reader, const struct jl_path *at)
{
    struct jl_candidate *candidate = NULL;
    jl_json_peek(&reader->json);
    const size_t start = reader->json.pos;
    int rc = add(reader, at, &candidate);
    if (rc == 0)
        rc = read_members(reader, at, read_node_member, candidate);
    if (rc < 0)
        return rc;
    candidate->object = (struct jl_text){ reader->json.text + start, reader->json.pos - start };
    if (candidate->name.ptr != NULL)
        return 0;
    const struct jl_path meta = { .up = at, .key = jl_text("metadata") };
    const struct jl_path name = { .up = &meta, .key = jl_text("name") };
    return jl_decode_fail(reader->decode, JOULIE_E_TYPE, &name, start, "a Node needs a name");
}

/* ---- the request ---- */

static int read_list_member(struct reader *reader, const struct jl_path *at, struct jl_text key,
                            void *out)
{
    const struct jl_path here = { .up = at, .key = key };
    (void)out;
    if (!jl_text_is(key, "items") || jl_json_peek(&reader->json) == JL_JSON_NULL)
        return skip(reader);
    reader->request->count = 0;
    return read_items(reader, &here, read_node);
}

/* Of a list that is given twice the last one counts, as in Go; null takes it back. */
static int read_list(struct reader *reader, const struct jl_path *at, enum jl_extender_form form)
{
    struct jl_extender_request *request = reader->request;
    if (request->form == JL_FORM_NODES && form == JL_FORM_NAMES)
        return skip(reader); /* full Nodes say more than their names */
    if (jl_json_peek(&reader->json) == JL_JSON_NULL) {
        if (request->form == form) {
            request->form = JL_FORM_NEITHER;
            request->count = 0;
        }
        return skip(reader);
    }
    request->form = form;
    request->count = 0;
    return form == JL_FORM_NAMES ? read_items(reader, at, read_name)
                                 : read_members(reader, at, read_list_member, NULL);
}

static int read_pod(struct reader *reader)
{
    const bool is_null = jl_json_peek(&reader->json) == JL_JSON_NULL;
    const size_t start = reader->json.pos;
    const int rc = skip(reader);
    reader->request->pod = (struct jl_raw){ 0 };
    if (rc == 0 && !is_null)
        reader->request->pod =
            (struct jl_raw){ reader->json.text + start, reader->json.pos - start, start };
    return rc;
}

static int read_argument(struct reader *reader, const struct jl_path *at, struct jl_text key,
                         void *out)
{
    const struct jl_path here = { .up = at, .key = key };
    (void)out;
    if (jl_same_nocase(key, "Pod"))
        return read_pod(reader);
    if (jl_same_nocase(key, "Nodes"))
        return read_list(reader, &here, JL_FORM_NODES);
    if (jl_same_nocase(key, "NodeNames"))
        return read_list(reader, &here, JL_FORM_NAMES);
    return skip(reader);
}

void jl_extender_clear(struct jl_extender_request *request)
{
    jl_free(request->candidates);
    *request = (struct jl_extender_request){ 0 };
}

int jl_extender_read(struct jl_decode *decode, const struct joulie_cluster *cluster,
                     const char *label_key, struct jl_extender_request *out)
{
    struct reader reader = {
        .decode = decode,
        .json = { .text = decode->text, .len = decode->len, .is_range_free = true },
        .cluster = cluster,
        .label_key = label_key,
        .request = out,
    };
    int rc = read_members(&reader, NULL, read_argument, NULL);
    if (rc == 0 && jl_json_finish(&reader.json) < 0)
        rc = fail_text(&reader, JOULIE_E_PARSE);
    return rc;
}
