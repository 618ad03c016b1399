/* SPDX-License-Identifier: Apache-2.0 */

/* Objects of our kinds against the schema of their CRD. */

#include "apiserver/writing.h"
#include "base/memory.h"

#define MOST_WARNING_BYTES 256

void jd_note_unknown(struct jd_unknown *unknown, struct jl_arena *arena, const char *what,
                     const char *path)
{
    if (unknown->count >= JD_API_MOST_CAUSES ||
        JL_GROW(&unknown->texts, &unknown->capacity, unknown->count + 1) < 0)
        return;
    unknown->texts[unknown->count++] =
        jd_text(arena, "%s \"%.*s\"", what, MOST_WARNING_BYTES, path);
}

struct walk {
    struct jd_causes *causes;
    struct jd_unknown *unknown;
};

static const char *below(struct walk *walk, const char *path, const char *key)
{
    return path[0] ? jd_text(walk->causes->arena, "%s.%s", path, key) : key;
}

static bool walk_value(struct walk *walk, struct json_object *schema, struct json_object **value,
                       const char *path);

static const char *type_word(struct json_object *value)
{
    const enum json_type type = json_object_get_type(value);
    if (type == json_type_int)
        return "integer";
    return type == json_type_double ? "number" : json_type_to_name(type);
}

static void note_unknown(struct walk *walk, const char *path)
{
    jd_note_unknown(walk->unknown, walk->causes->arena, "unknown field", path);
}

/* 1.0 of an integer is 1, 100.0 of a number is 100 as Go reads them. */
static void settle_number(struct json_object **value)
{
    if (!json_object_is_type(*value, json_type_double))
        return;
    const double number = json_object_get_double(*value);
    if (number < -9007199254740992.0 || number > 9007199254740992.0)
        return;
    const int64_t whole = (int64_t)number;
    if ((double)whole != number)
        return;
    struct json_object *fresh = json_object_new_int64(whole);
    if (fresh) {
        json_object_put(*value);
        *value = fresh;
    }
}

/* An integer is a number, too; the number is settled first, as 1.0 is an integer. */
static bool check_type(struct walk *walk, struct json_object *schema, struct json_object **value,
                       const char *path)
{
    const char *type = jd_json_text(schema, "type");
    const bool is_number = jl_same(type, "number");
    if (!type)
        return true;
    if (is_number || jl_same(type, "integer"))
        settle_number(value);
    const char *found = type_word(*value);
    if (jl_same(type, found) || (is_number && jl_same(found, "integer")))
        return true;
    jd_cause(walk->causes, JD_WRONG_TYPE, path, "Invalid value: \"%s\": must be of type %s: \"%s\"",
             found, type, found);
    return false;
}

static void check_enum(struct walk *walk, struct json_object *schema, struct json_object *value,
                       const char *path)
{
    struct json_object *words = jd_json_at(schema, "enum");
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer list = { 0 };
    if (!json_object_is_type(words, json_type_array) || jd_tree_has_item(words, value))
        return;
    for (size_t i = 0; i < json_object_array_length(words); i++) {
        jl_put_string(&list, i > 0 ? ", " : "");
        jd_json_put_tree(&list, json_object_array_get_idx(words, i));
    }
    jd_cause(walk->causes, JD_UNSUPPORTED, path, "Unsupported value: %s: supported values: %s",
             json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN |
                                                       JSON_C_TO_STRING_NOSLASHESCAPE),
             list.data ? list.data : "");
}

static void check_bounds(struct walk *walk, struct json_object *schema, struct json_object *value,
                         const char *path)
{
    struct json_object *least = jd_json_at(schema, "minimum");
    struct json_object *most = jd_json_at(schema, "maximum");
    const bool is_open = json_object_get_boolean(jd_json_at(schema, "exclusiveMinimum"));
    if (!json_object_is_type(value, json_type_int) && !json_object_is_type(value, json_type_double))
        return;
    const double number = json_object_get_double(value);
    const double low = json_object_get_double(least);
    if (least && (is_open ? number <= low : number < low))
        jd_cause(walk->causes, JD_INVALID, path, "Invalid value: %s: should be greater than %s%s",
                 json_object_get_string(value), is_open ? "" : "or equal to ",
                 json_object_get_string(least));
    if (most && number > json_object_get_double(most))
        jd_cause(walk->causes, JD_INVALID, path,
                 "Invalid value: %s: should be less than or equal to %s",
                 json_object_get_string(value), json_object_get_string(most));
}

/* Of the root, for every kind alike: it is checked elsewhere. */
static bool is_checked_elsewhere(const char *key)
{
    return jl_same(key, "metadata") || jl_same(key, "apiVersion") || jl_same(key, "kind");
}

/* Walks the members; what the schema does not have goes, and so does null. */
static void walk_members(struct walk *walk, struct json_object *schema, struct json_object *object,
                         const char *path)
{
    struct json_object *properties = jd_json_at(schema, "properties");
    struct json_object *others = jd_json_at(schema, "additionalProperties");
    const bool keeps =
        json_object_get_boolean(jd_json_at(schema, "x-kubernetes-preserve-unknown-fields"));
    json_object_object_foreach(object, key, member)
    {
        struct json_object *inner = NULL;
        const char *at = below(walk, path, key);
        if (!path[0] && is_checked_elsewhere(key))
            continue;
        if (properties)
            json_object_object_get_ex(properties, key, &inner);
        if (!inner && jd_tree_is_object(others))
            inner = others;
        if (!inner && keeps)
            continue;
        if (!inner) {
            note_unknown(walk, at);
            json_object_object_del(object, key);
            continue;
        }
        struct json_object *value = json_object_get(member);
        if (walk_value(walk, inner, &value, at))
            json_object_object_add(object, key, value); /* its owner now */
        else
            json_object_object_del(object, key);
    }
}

/* After the walk: a member that was null has gone, and counts as missing. */
static void check_required(struct walk *walk, struct json_object *schema,
                           struct json_object *object, const char *path)
{
    struct json_object *names = jd_json_at(schema, "required");
    const size_t count = jd_json_count(names);
    for (size_t i = 0; i < count; i++) {
        const char *name = json_object_get_string(json_object_array_get_idx(names, i));
        if (name && !json_object_object_get_ex(object, name, NULL))
            jd_cause(walk->causes, JD_REQUIRED, below(walk, path, name), "Required value");
    }
}

static void walk_items(struct walk *walk, struct json_object *schema, struct json_object *list,
                       const char *path)
{
    struct json_object *inner = jd_json_at(schema, "items");
    for (size_t i = 0; inner && i < json_object_array_length(list); i++) {
        struct json_object *value = json_object_get(json_object_array_get_idx(list, i));
        const char *at = jd_text(walk->causes->arena, "%s[%zu]", path, i);
        if (walk_value(walk, inner, &value, at))
            json_object_array_put_idx(list, i, value);
        else
            jd_cause(walk->causes, JD_WRONG_TYPE, at, "Invalid value: \"null\"");
    }
}

/* false = it is null, and goes (its reference is given back). */
static bool walk_value(struct walk *walk, struct json_object *schema, struct json_object **value,
                       const char *path)
{
    if (!*value)
        return false;
    if (walk->causes->count >= JD_API_MOST_CAUSES || !check_type(walk, schema, value, path))
        return true;
    check_enum(walk, schema, *value, path);
    check_bounds(walk, schema, *value, path);
    if (jd_tree_is_object(*value)) {
        walk_members(walk, schema, *value, path);
        check_required(walk, schema, *value, path);
    } else if (json_object_is_type(*value, json_type_array)) {
        walk_items(walk, schema, *value, path);
    }
    return true;
}

void jd_check_schema(const struct jd_kind *kind, struct json_object *tree, struct jd_causes *causes,
                     struct jd_unknown *unknown)
{
    struct walk walk = { causes, unknown };
    if (!jd_json_at(kind->schema, "properties"))
        return;
    walk_members(&walk, kind->schema, tree, "");
    check_required(&walk, kind->schema, tree, "");
}
