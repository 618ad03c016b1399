/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What an object was before its conversion, in its annotation
 * (docs/rules/conversion.md#annotation).
 */

#include "tensor_fusion/convert_store.h"

#include <string.h>

#include "base/error.h"

#define BLOCK "autoScalingConfig"
#define MOST_ANNOTATION_BYTES 262144 /* keys and values of an object, to API servers */

/* A text of ours as a tree; NULL = it is none. */
static struct json_object *parse(struct jl_conversion *c, const char *text)
{
    struct jl_decode decode = {
        .arena = c->arena, .text = text, .len = strlen(text), .flags = JL_KEEP_DIGITS
    };
    const struct jl_raw whole = { .text = text, .len = decode.len };
    struct json_object *tree = NULL;
    int rc = jl_check_json(&decode);
    if (rc == 0)
        rc = jl_tree_from_raw(&decode, &whole, NULL, &tree);
    if (rc == JOULIE_E_NOMEM)
        jl_convert_fail_memory(c);
    return tree;
}

static bool is_object_or_absent(struct json_object *tree, const char *key)
{
    struct json_object *value = jl_fusion_member(tree, key);
    return !value || json_object_get_type(value) == json_type_object;
}

static enum jl_dialect stored_dialect(struct json_object *tree)
{
    const char *word = json_object_get_string(jl_fusion_member(tree, "dialect"));
    const int value = jl_word_value(&jl_dialect_words, jl_text(word));
    const bool is_one = value == JL_DIALECT_A || value == JL_DIALECT_B || value == JL_DIALECT_C;
    return is_one ? (enum jl_dialect)value : JL_DIALECT_NEUTRAL;
}

void jl_store_read(struct jl_conversion *c, struct json_object *object, struct jl_store *out)
{
    struct json_object *metadata = jl_convert_object(c, object, "", "metadata");
    struct json_object *annotations = jl_convert_object(c, metadata, "metadata", "annotations");
    const char *text =
        jl_convert_text(c, annotations, "metadata.annotations", JL_CONVERT_ANNOTATION);
    *out = (struct jl_store){ .state = JL_STORE_NONE };
    if (!text)
        return;
    out->tree = parse(c, text);
    out->dialect = stored_dialect(out->tree);
    out->state = out->dialect != JL_DIALECT_NEUTRAL && is_object_or_absent(out->tree, BLOCK) &&
                         is_object_or_absent(out->tree, "spec")
                     ? JL_STORE_READ
                     : JL_STORE_BROKEN;
}

struct json_object *jl_store_restore(struct jl_conversion *c, const struct jl_store *store,
                                     struct json_object *spec)
{
    struct json_object *block = NULL;
    struct json_object *others = jl_fusion_member(store->tree, "spec");
    struct json_object *out = jl_convert_copy(c, spec);
    if (!out)
        return NULL;
    if (json_object_object_get_ex(store->tree, BLOCK, &block))
        jl_convert_share(c, out, BLOCK, block);
    else
        json_object_object_del(out, BLOCK);
    if (others) {
        json_object_object_foreach(others, key, value) jl_convert_share(c, out, key, value);
    }
    if (c->code == 0)
        return out;
    json_object_put(out);
    return NULL;
}

static bool is_field_of_c(const char *key)
{
    for (const char *const *field = jl_fusion_c_fields; *field; field++) {
        if (jl_same(key, *field))
            return true;
    }
    return false;
}

/* Whether a member that C alone has is kept although the result has it too: one that is not in the
 * annotation came later. */
static bool is_foreign(enum jl_dialect dialect, const char *key, struct json_object *value)
{
    if (dialect == JL_DIALECT_C)
        return false;
    if (jl_same(key, "resources"))
        return jl_has_percents(value);
    return is_field_of_c(key) && !jl_dialect_has_field(dialect, key);
}

/* The other members of the source that the result has not, or has otherwise. */
static struct json_object *other_members(struct jl_conversion *c, enum jl_dialect dialect,
                                         struct json_object *source, struct json_object *result)
{
    struct json_object *out = jl_convert_new(c);
    if (!out)
        return NULL;
    json_object_object_foreach(source, key, value)
    {
        struct json_object *kept = NULL;
        const bool is_kept = json_object_object_get_ex(result, key, &kept) &&
                             jl_tree_equal(value, kept) && !is_foreign(dialect, key, value);
        if (!is_kept && !jl_same(key, BLOCK))
            jl_convert_share(c, out, key, value);
    }
    return out;
}

const char *jl_store_text(struct jl_conversion *c, enum jl_dialect dialect,
                          struct json_object *source, struct json_object *result)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *tree = jl_convert_new(c);
    JL_CLEANUP(jl_tree_clear)
    struct json_object *others = other_members(c, dialect, source, result);
    struct json_object *block = NULL;
    struct jl_raw text;
    jl_convert_put_text(c, tree, "dialect", jl_word_of(&jl_dialect_words, (int)dialect));
    if (json_object_object_get_ex(source, BLOCK, &block))
        jl_convert_share(c, tree, BLOCK, block);
    if (others && json_object_object_length(others) > 0)
        jl_convert_share(c, tree, "spec", others);
    if (c->code < 0)
        return NULL;
    if (jl_tree_print(tree, c->arena, &text) == 0)
        return text.text;
    jl_convert_fail_memory(c);
    return NULL;
}

static void doubt_size(struct jl_conversion *c, struct json_object *annotations)
{
    size_t bytes = 0;
    json_object_object_foreach(annotations, key, value)
    {
        bytes += strlen(key) + (size_t)json_object_get_string_len(value);
    }
    if (bytes > MOST_ANNOTATION_BYTES)
        jl_convert_warn(c, "NotRepresentable", JL_STORE_PATH, NULL,
                        "with it the annotations are larger than 256 KiB, and API servers refuse "
                        "the object");
}

/* Metadata with the annotation or without; parts that become empty go. */
static struct json_object *annotated(struct jl_conversion *c, struct json_object *object,
                                     const char *text)
{
    struct json_object *given = jl_fusion_member(object, "metadata");
    JL_CLEANUP(jl_tree_clear) struct json_object *metadata = jl_convert_copy(c, given);
    JL_CLEANUP(jl_tree_clear)
    struct json_object *annotations = jl_convert_copy(c, jl_fusion_member(given, "annotations"));
    if (c->code < 0)
        return NULL;
    if (text) {
        jl_convert_put_text(c, annotations, JL_CONVERT_ANNOTATION, text);
        doubt_size(c, annotations);
    } else {
        json_object_object_del(annotations, JL_CONVERT_ANNOTATION);
    }
    if (json_object_object_length(annotations) > 0)
        jl_convert_share(c, metadata, "annotations", annotations);
    else
        json_object_object_del(metadata, "annotations");
    return c->code == 0 && json_object_object_length(metadata) > 0 ? json_object_get(metadata)
                                                                   : NULL;
}

struct json_object *jl_store_put(struct jl_conversion *c, struct json_object *object,
                                 struct json_object *spec, const char *text)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *out = jl_convert_copy(c, object);
    struct json_object *annotations =
        jl_fusion_member(jl_fusion_member(object, "metadata"), "annotations");
    if (text || jl_fusion_member(annotations, JL_CONVERT_ANNOTATION)) {
        struct json_object *metadata = annotated(c, object, text);
        if (metadata)
            jl_convert_put(c, out, "metadata", metadata);
        else if (c->code == 0)
            json_object_object_del(out, "metadata");
    }
    if (spec)
        jl_convert_share(c, out, "spec", spec);
    return c->code == 0 ? json_object_get(out) : NULL;
}

/*
 * What came to an object of C after its conversion from A or B: defaults of the API server, zeros
 * of Go writers, and fields that were set since (docs/rules/conversion.md#fields-of-c-alone).
 */

/* Empty values, and the defaults of an API server. */
static bool is_default(const char *key, struct json_object *value)
{
    return jl_convert_is_nothing(value) ||
           (jl_same(key, "isolation") && jl_same(json_object_get_string(value), "soft"));
}

/* Whether a member of the spec that C has was not there before. */
static bool is_later(const struct jl_store *store, struct json_object *present, const char *key)
{
    return store->dialect != JL_DIALECT_C && !jl_dialect_has_field(store->dialect, key) &&
           json_object_object_get_ex(present, key, NULL) &&
           !json_object_object_get_ex(jl_fusion_member(store->tree, "spec"), key, NULL);
}

bool jl_store_has_later(const struct jl_store *store, struct json_object *present)
{
    for (const char *const *key = jl_fusion_c_fields; *key; key++) {
        if (is_later(store, present, *key) && !is_default(*key, jl_fusion_member(present, *key)))
            return true;
    }
    return false;
}

void jl_store_drop_defaults(const struct jl_store *store, struct json_object *restored)
{
    for (const char *const *key = jl_fusion_c_fields; *key; key++) {
        if (is_later(store, restored, *key) && is_default(*key, jl_fusion_member(restored, *key)))
            json_object_object_del(restored, *key);
    }
}

void jl_store_settle_percents(struct jl_conversion *c, const struct jl_store *store,
                              struct json_object *restored, enum jl_dialect to)
{
    struct json_object *resources = jl_convert_object(c, restored, "spec", "resources");
    if (store->dialect == JL_DIALECT_C || to == JL_DIALECT_C || !jl_has_percents(resources) ||
        jl_fusion_member(jl_fusion_member(store->tree, "spec"), "resources"))
        return;
    struct json_object *settled = jl_convert_resources(c, resources, "spec.resources", to);
    if (settled)
        jl_convert_put(c, restored, "resources", settled);
}
