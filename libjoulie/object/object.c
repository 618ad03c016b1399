/* SPDX-License-Identifier: Apache-2.0 */

/* An object from its document, from nothing, and from another one: how a handle of joulie/object.h
 * begins and ends. Implements docs/rules/kubernetes-objects.md#objects. */

#include "object/object.h"

#include "base/error.h"
#include "base/memory.h"
#include "kinds/kinds.h"
#include "kinds/meta.h"
#include "schema/document.h"
#include "schema/tree.h"

/* Takes over the tree, also on failure. */
static int make(const struct jl_table *table, struct json_object *tree, struct joulie_object **out,
                struct joulie_error *err)
{
    struct joulie_object *object = jl_calloc(1, sizeof *object);
    if (!object) {
        json_object_put(tree);
        return jl_fail_memory(err);
    }
    *object = (struct joulie_object){ .table = table, .tree = tree };
    *out = object;
    return 0;
}

static struct json_object *member(struct json_object *tree, const char *key)
{
    struct json_object *value = NULL;
    json_object_object_get_ex(tree, key, &value);
    return value;
}

/* A member that has to be a text. */
static int read_text(struct json_object *tree, const char *key, const char **out,
                     struct joulie_error *err)
{
    struct json_object *value = member(tree, key);
    if (!value)
        return jl_fail(err, JOULIE_E_REQUIRED, key, "the member is required");
    if (!json_object_is_type(value, json_type_string))
        return jl_fail(err, JOULIE_E_TYPE, key, "a string was expected");
    *out = json_object_get_string(value);
    return 0;
}

int jl_object_check_kind(const struct jl_table *table, struct json_object *tree,
                         struct joulie_error *err)
{
    const struct jl_kind *expected = table->kind;
    const char *api_version;
    const char *kind;
    int rc = read_text(tree, "apiVersion", &api_version, err);
    if (rc == 0)
        rc = read_text(tree, "kind", &kind, err);
    if (rc < 0)
        return rc;
    if (!jl_same(kind, expected->kind))
        return jl_fail(err, JOULIE_E_ENUM, "kind", "a %s was expected, this is a %.64s",
                       expected->kind, kind);
    if (!jl_same(api_version, expected->api_version))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "apiVersion", "this build reads %s %s",
                       expected->kind, expected->api_version);
    return 0;
}

static int add_missing(struct json_object *tree, const char *key, const char *value,
                       struct joulie_error *err)
{
    if (member(tree, key))
        return 0;
    struct json_object *text = json_object_new_string(value);
    if (text && jl_tree_add(tree, key, text) == 0)
        return 0;
    json_object_put(text);
    return jl_fail_memory(err);
}

int jl_document_tree(struct jl_decode *decode, struct json_object **out)
{
    const struct jl_raw whole = { .text = decode->text, .len = decode->len };
    JL_CLEANUP(jl_tree_clear) struct json_object *tree = NULL;
    decode->flags |= JL_KEEP_DIGITS;
    int rc = jl_tree_from_raw(decode, &whole, NULL, &tree);
    if (rc == 0)
        rc = jl_check_json(decode); /* also what follows the value */
    if (rc < 0)
        return rc;
    *out = json_object_get(tree);
    return 0;
}

/* The kind that the document has, or the caller's for one that has none. */
static int find_table(const char *kind, struct json_object *tree, const struct jl_table **out,
                      struct joulie_error *err)
{
    if (kind) {
        *out = jl_kind_by_word(kind);
        return *out ? 0
                    : jl_fail(err, JOULIE_E_UNSUPPORTED, "kind", "this build has no kind %.64s",
                              kind);
    }
    const char *api_version;
    const char *word;
    int rc = read_text(tree, "apiVersion", &api_version, err);
    if (rc == 0)
        rc = read_text(tree, "kind", &word, err);
    return rc < 0 ? rc : jl_kind_of(api_version, word, out, err);
}

/* Rows that ask for apiVersion and kind shall see those of the caller. */
static bool is_checked_late(const struct jl_table *table, struct json_object *tree)
{
    return table->rows[JL_ROOT_KIND].is.required &&
           !(member(tree, "kind") && member(tree, "apiVersion"));
}

static int read_object(struct jl_decode *decode, const char *kind, const struct jl_table **table,
                       struct json_object **out)
{
    const bool is_lenient = (decode->flags & JL_LENIENT) != 0;
    JL_CLEANUP(jl_tree_clear) struct json_object *tree = NULL;
    int rc = jl_document_tree(decode, &tree);
    if (rc == 0 && !json_object_is_type(tree, json_type_object))
        rc = jl_fail(decode->err, JOULIE_E_TYPE, "", "an object was expected");
    if (rc == 0)
        rc = find_table(kind, tree, table, decode->err);
    if (rc < 0)
        return rc;

    const bool is_late = is_checked_late(*table, tree);
    if (!is_lenient && !is_late)
        rc = jl_document_check(decode, *table);
    if (rc == 0)
        rc = add_missing(tree, "apiVersion", (*table)->kind->api_version, decode->err);
    if (rc == 0)
        rc = add_missing(tree, "kind", (*table)->kind->kind, decode->err);
    if (rc == 0)
        rc = jl_object_check_kind(*table, tree, decode->err);
    if (rc == 0 && !is_lenient && is_late)
        rc = jl_object_check(*table, tree, false, decode->err);
    if (rc < 0)
        return rc;
    *out = json_object_get(tree);
    return 0;
}

int joulie_object_parse(const char *text, size_t len, const char *kind, uint32_t flags,
                        struct joulie_object **out, struct joulie_error *err)
{
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const struct jl_table *table = NULL;
    struct json_object *tree = NULL;
    if ((flags & ~JOULIE_OBJECT_LENIENT) != 0)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "flags", "there is no such flag");
    int rc = jl_document_read(&document, text, len, err);
    if (rc < 0)
        return rc;
    struct jl_decode decode = { .arena = &arena,
                                .text = document.text,
                                .len = document.len,
                                .flags = flags & JOULIE_OBJECT_LENIENT ? JL_LENIENT : 0,
                                .lines = document.lines,
                                .err = err };
    rc = read_object(&decode, kind, &table, &tree);
    return rc < 0 ? rc : make(table, tree, out, err);
}

int joulie_object_new(const char *api_version, const char *kind, struct joulie_object **out,
                      struct joulie_error *err)
{
    const struct jl_table *table = NULL;
    JL_CLEANUP(jl_tree_clear) struct json_object *tree = NULL;
    int rc = find_table(kind ? kind : "", NULL, &table, err);
    if (rc == 0 && api_version && !jl_same(api_version, table->kind->api_version))
        rc = jl_kind_of(api_version, table->kind->kind, &table, err);
    if (rc < 0)
        return rc;
    tree = json_object_new_object();
    rc =
        tree ? add_missing(tree, "apiVersion", table->kind->api_version, err) : jl_fail_memory(err);
    if (rc == 0)
        rc = add_missing(tree, "kind", table->kind->kind, err);
    if (rc == 0)
        rc = make(table, json_object_get(tree), out, err);
    return rc;
}

int joulie_object_copy(const struct joulie_object *object, struct joulie_object **out,
                       struct joulie_error *err)
{
    struct json_object *tree = NULL;
    return json_object_deep_copy(object->tree, &tree, NULL) == 0
               ? make(object->table, tree, out, err)
               : jl_fail_memory(err);
}

void joulie_object_free(struct joulie_object *object)
{
    if (!object)
        return;
    json_object_put(object->tree);
    jl_free(object);
}

const char *joulie_object_api_version(const struct joulie_object *object)
{
    return object->table->kind->api_version;
}

const char *joulie_object_kind(const struct joulie_object *object)
{
    return object->table->kind->kind;
}

/* NULL = no text */
static const char *meta_text(const struct joulie_object *object, const char *key)
{
    struct json_object *value = member(member(object->tree, "metadata"), key);
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

const char *joulie_object_name(const struct joulie_object *object)
{
    return meta_text(object, "name");
}

const char *joulie_object_namespace(const struct joulie_object *object)
{
    return meta_text(object, "namespace");
}
