/* SPDX-License-Identifier: Apache-2.0 */

/* JSON of any shape as a json-c tree, read and printed by our own reader and writer. */

#include "schema/tree.h"

#include <string.h>

#include "base/limits.h"
#include "base/number.h"
#include "schema/json.h"

/*
 * What json-c allocates for a value, however little is in it: a table of 16 members, a list of 32
 * items.
 */
#define OBJECT_BYTES 800
#define ARRAY_BYTES 350
#define SCALAR_BYTES 64

struct build {
    struct jl_decode *decode;
    struct jl_json json;
    size_t base; /* offset of json.text in decode->text */
    size_t left; /* bytes that the tree may still take */
};

static int build_value(struct build *build, const struct jl_path *at, struct json_object **out);

static int fail(struct build *build, const struct jl_path *at, int code, const char *message)
{
    return jl_decode_fail(build->decode, code, at, build->base + build->json.pos, "%s", message);
}

static int fail_json(struct build *build, const struct jl_path *at, int code)
{
    return fail(build, at, code,
                build->json.problem ? build->json.problem : "the value cannot be read");
}

static int fail_memory(struct build *build, const struct jl_path *at)
{
    return fail(build, at, JOULIE_E_NOMEM, "out of memory");
}

static int build_text(struct build *build, const struct jl_path *at,
                      const struct jl_json_string *string, const char **out, size_t *out_len)
{
    int code = 0;
    *out = jl_json_value(string, build->decode->arena, out_len, &code);
    if (*out)
        return 0;
    return fail(build, at, code,
                code == JOULIE_E_PARSE ? "a string may not hold \\u0000" : "out of memory");
}

static int build_string(struct build *build, const struct jl_path *at, struct json_object **out)
{
    struct jl_json_string string;
    const char *text;
    size_t len;
    int rc = jl_json_string(&build->json, &string);
    if (rc < 0)
        return fail_json(build, at, rc);
    rc = build_text(build, at, &string, &text, &len);
    if (rc < 0)
        return rc;
    if (len > INT32_MAX)
        return fail(build, at, JOULIE_E_LIMIT, "the string is too long");
    *out = json_object_new_string_len(text, (int)len);
    return *out ? 0 : fail_memory(build, at);
}

/* json-c keeps a text beside the number and copies it with the number. */
static int build_digits(struct build *build, const struct jl_path *at, struct jl_text text,
                        struct json_object **out)
{
    double number;
    const int rc = jl_parse_double(text.ptr, text.len, &number);
    if (rc < 0)
        return fail(build, at, rc, "the number is outside the range of a double");
    const char *kept = jl_arena_copy(build->decode->arena, text.ptr, text.len);
    *out = kept ? json_object_new_double_s(number, kept) : NULL;
    return *out ? 0 : fail_memory(build, at);
}

static int build_number(struct build *build, const struct jl_path *at, struct json_object **out)
{
    struct jl_text text;
    bool is_integer;
    int rc = jl_json_number(&build->json, &text, &is_integer);
    if (rc < 0)
        return fail_json(build, at, rc);

    const bool keeps = (build->decode->flags & JL_KEEP_DIGITS) != 0;
    int64_t negative;
    uint64_t positive;
    double number;
    if (keeps && jl_text_is(text, "-0"))
        return build_digits(build, at, text, out);
    if (is_integer && jl_parse_i64(text.ptr, text.len, &negative) == 0) {
        *out = json_object_new_int64(negative);
    } else if (is_integer && jl_parse_u64(text.ptr, text.len, &positive) == 0) {
        *out = json_object_new_uint64(positive);
    } else if (keeps) {
        return build_digits(build, at, text, out);
    } else {
        rc = jl_parse_double(text.ptr, text.len, &number);
        if (rc < 0)
            return fail(build, at, rc, "the number is outside the range of a double");
        *out = json_object_new_double(number);
    }
    return *out ? 0 : fail_memory(build, at);
}

/* A full table grows here: json-c loses the key when that fails while it adds a member. */
int jl_tree_add(struct json_object *object, const char *key, struct json_object *value)
{
    struct lh_table *table = json_object_get_object(object);
    if (table->count >= table->size * LH_LOAD_FACTOR &&
        lh_table_resize(table, table->size * 2) != 0)
        return JOULIE_E_NOMEM;
    return json_object_object_add(object, key, value) == 0 ? 0 : JOULIE_E_NOMEM;
}

static int build_member(struct build *build, const struct jl_path *at,
                        const struct jl_json_string *string, struct json_object *object)
{
    const char *key;
    size_t len;
    int rc = build_text(build, at, string, &key, &len);
    if (rc < 0)
        return rc;
    const struct jl_path member_at = { .up = at, .key = { key, len } };
    if (json_object_object_get_ex(object, key, NULL) && !(build->decode->flags & JL_LENIENT))
        return fail(build, &member_at, JOULIE_E_PARSE, "the member is given twice");

    JL_CLEANUP(jl_tree_clear) struct json_object *value = NULL;
    rc = build_value(build, &member_at, &value);
    if (rc < 0)
        return rc;
    if (jl_tree_add(object, key, value) < 0)
        return fail_memory(build, &member_at);
    value = NULL; /* the object owns it now */
    return 0;
}

static int build_object(struct build *build, const struct jl_path *at, struct json_object **out)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *object = json_object_new_object();
    if (!object)
        return fail_memory(build, at);
    int rc = jl_json_open(&build->json);
    if (rc < 0)
        return fail_json(build, at, rc);
    for (bool is_first = true;; is_first = false) {
        struct jl_json_string key;
        bool more;
        rc = jl_json_member(&build->json, is_first, &key, &more);
        if (rc < 0)
            return fail_json(build, at, rc);
        if (!more)
            break;
        rc = build_member(build, at, &key, object);
        if (rc < 0)
            return rc;
    }
    *out = json_object_get(object);
    return 0;
}

static int build_array(struct build *build, const struct jl_path *at, struct json_object **out)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *array = json_object_new_array();
    if (!array)
        return fail_memory(build, at);
    int rc = jl_json_open(&build->json);
    if (rc < 0)
        return fail_json(build, at, rc);
    for (size_t i = 0;; i++) {
        bool more;
        rc = jl_json_item(&build->json, i == 0, &more);
        if (rc < 0)
            return fail_json(build, at, rc);
        if (!more)
            break;
        const struct jl_path item_at = { .up = at, .index = i };
        JL_CLEANUP(jl_tree_clear) struct json_object *item = NULL;
        rc = build_value(build, &item_at, &item);
        if (rc < 0)
            return rc;
        if (json_object_array_add(array, item) != 0)
            return fail_memory(build, &item_at);
        item = NULL;
    }
    *out = json_object_get(array);
    return 0;
}

static int build_literal(struct build *build, const struct jl_path *at, enum jl_json_kind kind,
                         struct json_object **out)
{
    const int rc = jl_json_literal(&build->json);
    if (rc < 0)
        return fail_json(build, at, rc);
    if (kind == JL_JSON_NULL)
        return 0;
    *out = json_object_new_boolean(kind == JL_JSON_TRUE);
    return *out ? 0 : fail_memory(build, at);
}

static int build_value(struct build *build, const struct jl_path *at, struct json_object **out)
{
    const enum jl_json_kind kind = jl_json_peek(&build->json);
    const size_t bytes = kind == JL_JSON_OBJECT  ? OBJECT_BYTES
                         : kind == JL_JSON_ARRAY ? ARRAY_BYTES
                                                 : SCALAR_BYTES;
    *out = NULL;
    if (bytes > build->left)
        return fail(build, at, JOULIE_E_LIMIT, "the document decodes into too much memory");
    build->left -= bytes;
    switch (kind) {
    case JL_JSON_OBJECT:
        return build_object(build, at, out);
    case JL_JSON_ARRAY:
        return build_array(build, at, out);
    case JL_JSON_STRING:
        return build_string(build, at, out);
    case JL_JSON_NUMBER:
        return build_number(build, at, out);
    case JL_JSON_TRUE:
    case JL_JSON_FALSE:
    case JL_JSON_NULL:
        return build_literal(build, at, kind, out);
    case JL_JSON_END:
    case JL_JSON_BAD:
        break;
    }
    return fail(build, at, JOULIE_E_PARSE, "a value was expected");
}

int jl_tree_from_raw(struct jl_decode *decode, const struct jl_raw *raw, const struct jl_path *at,
                     struct json_object **out)
{
    struct build build = { .decode = decode,
                           .json = { .text = raw->text, .len = raw->len },
                           .base = raw->offset,
                           .left = raw->len * JL_LIMIT_TREE_FACTOR + JL_LIMIT_DECODED_EXTRA };
    struct json_object *tree = NULL;
    if (raw->len > JL_LIMIT_OBJECT_BYTES)
        return fail(&build, at, JOULIE_E_LIMIT, "the object is larger than 16 MiB");
    const int rc = build_value(&build, at, &tree);
    if (rc == 0)
        *out = tree;
    return rc;
}

static void put_integer(struct jl_buffer *out, struct json_object *number)
{
    const int64_t value = json_object_get_int64(number);
    if (value < INT64_MAX)
        jl_put_i64(out, value);
    else
        jl_put_u64(out, json_object_get_uint64(number));
}

static void put_double(struct jl_buffer *out, struct json_object *number)
{
    const char *kept = json_object_get_userdata(number);
    if (kept)
        jl_put_string(out, kept);
    else
        jl_put_double(out, json_object_get_double(number));
}

static void put_object(struct jl_buffer *out, struct json_object *object)
{
    bool is_first = true;
    jl_put_char(out, '{');
    json_object_object_foreach(object, key, value)
    {
        if (!is_first)
            jl_put_char(out, ',');
        is_first = false;
        jl_put_json_string(out, key, strlen(key));
        jl_put_char(out, ':');
        jl_tree_put(out, value);
    }
    jl_put_char(out, '}');
}

static void put_array(struct jl_buffer *out, struct json_object *array)
{
    jl_put_char(out, '[');
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        if (i > 0)
            jl_put_char(out, ',');
        jl_tree_put(out, json_object_array_get_idx(array, i));
    }
    jl_put_char(out, ']');
}

void jl_tree_put(struct jl_buffer *out, struct json_object *tree)
{
    switch (json_object_get_type(tree)) {
    case json_type_null:
        jl_put_string(out, "null");
        return;
    case json_type_boolean:
        jl_put_string(out, json_object_get_boolean(tree) ? "true" : "false");
        return;
    case json_type_double:
        put_double(out, tree);
        return;
    case json_type_int:
        put_integer(out, tree);
        return;
    case json_type_string:
        jl_put_json_string(out, json_object_get_string(tree),
                           (size_t)json_object_get_string_len(tree));
        return;
    case json_type_object:
        put_object(out, tree);
        return;
    case json_type_array:
        put_array(out, tree);
        return;
    }
}

int jl_tree_print(struct json_object *tree, struct jl_arena *arena, struct jl_raw *out)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer buffer = { 0 };
    jl_tree_put(&buffer, tree);
    const char *text = buffer.is_failed ? NULL : jl_arena_copy(arena, buffer.data, buffer.len);
    if (!text)
        return JOULIE_E_NOMEM;
    *out = (struct jl_raw){ .text = text, .len = buffer.len };
    return 0;
}

static bool equal_objects(struct json_object *a, struct json_object *b)
{
    if (json_object_object_length(a) != json_object_object_length(b))
        return false;
    json_object_object_foreach(a, key, value)
    {
        struct json_object *other;
        if (!json_object_object_get_ex(b, key, &other) || !jl_tree_equal(value, other))
            return false;
    }
    return true;
}

static bool equal_arrays(struct json_object *a, struct json_object *b)
{
    const size_t count = json_object_array_length(a);
    if (count != json_object_array_length(b))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!jl_tree_equal(json_object_array_get_idx(a, i), json_object_array_get_idx(b, i)))
            return false;
    }
    return true;
}

static bool equal_integers(struct json_object *a, struct json_object *b)
{
    /* Above INT64_MAX the signed reading saturates, below zero the unsigned one does. */
    return json_object_get_int64(a) == json_object_get_int64(b) &&
           json_object_get_uint64(a) == json_object_get_uint64(b);
}

/* Exactly: 9007199254740993 is not 9007199254740992.0. */
static bool equal_mixed(struct json_object *integer, double number)
{
    if (!(number >= -0x1p63 && number < 0x1p64))
        return false;
    if (number < 0)
        return (double)(int64_t)number == number &&
               json_object_get_int64(integer) == (int64_t)number;
    return (double)(uint64_t)number == number && json_object_get_int64(integer) >= 0 &&
           json_object_get_uint64(integer) == (uint64_t)number;
}

bool jl_tree_equal(struct json_object *a, struct json_object *b)
{
    const enum json_type type = json_object_get_type(a);
    const enum json_type other = json_object_get_type(b);
    if (type == json_type_int && other == json_type_double)
        return equal_mixed(a, json_object_get_double(b));
    if (type == json_type_double && other == json_type_int)
        return equal_mixed(b, json_object_get_double(a));
    if (type != other)
        return false;

    switch (type) {
    case json_type_null:
        return true;
    case json_type_boolean:
        return json_object_get_boolean(a) == json_object_get_boolean(b);
    case json_type_double:
        return json_object_get_double(a) == json_object_get_double(b);
    case json_type_int:
        return equal_integers(a, b);
    case json_type_string:
        return strcmp(json_object_get_string(a), json_object_get_string(b)) == 0;
    case json_type_object:
        return equal_objects(a, b);
    case json_type_array:
        return equal_arrays(a, b);
    }
    return false;
}

void jl_tree_clear(struct json_object **tree)
{
    json_object_put(*tree);
    *tree = NULL;
}
