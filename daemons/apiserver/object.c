/* SPDX-License-Identifier: Apache-2.0 */

/* One state of one object: its text, and the little of it that lists and watches select by. */

#include <string.h>

#include "apiserver/parts.h"
#include "base/memory.h"

static const char *const first_members[] = { "apiVersion", "kind", "metadata" };
/* What stands before resourceVersion holds no text of a client that could look like it. */
static const char *const first_metadata[] = {
    "name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp"
};

/* A tree with some members first; shares the values. */
static struct json_object *ordered(struct json_object *tree, const char *const *first, size_t count)
{
    struct json_object *result = json_object_new_object();
    for (size_t i = 0; result && i < count; i++) {
        struct json_object *value;
        if (json_object_object_get_ex(tree, first[i], &value))
            json_object_object_add(result, first[i], json_object_get(value));
    }
    json_object_object_foreach(tree, key, value)
    {
        if (result && !json_object_object_get_ex(result, key, NULL))
            json_object_object_add(result, key, json_object_get(value));
    }
    return result;
}

static struct json_object *in_order(struct json_object *tree)
{
    struct json_object *result = ordered(tree, first_members, JL_COUNT(first_members));
    struct json_object *metadata = jd_json_at(tree, "metadata");
    if (result && metadata)
        json_object_object_add(result, "metadata",
                               ordered(metadata, first_metadata, JL_COUNT(first_metadata)));
    return result;
}

static const char *copied(struct jd_object *object, const char *text)
{
    return jl_arena_string(&object->arena, text ? text : "");
}

static void add_labels(struct jd_object *object, struct json_object *labels)
{
    if (!jd_tree_is_object(labels))
        return;
    struct jl_pair *items =
        JL_NEW_ARRAY(&object->arena, (size_t)json_object_object_length(labels) + 1, struct jl_pair);
    if (!items)
        return;
    json_object_object_foreach(labels, key, value)
    {
        items[object->labels.count].key = copied(object, key);
        items[object->labels.count++].value = copied(object, json_object_get_string(value));
    }
    object->labels.items = items;
}

/* A field that is absent selects as "" and a boolean as false. */
static const char *field_value(struct jd_object *object, struct json_object *tree, const char *path)
{
    struct json_object *value = jd_json_at(tree, path);
    if (!value && (jl_ends_with(path, ".unschedulable") || jl_ends_with(path, ".hostNetwork")))
        return "false";
    return copied(object, value ? json_object_get_string(value) : "");
}

/* An event is asked for by the names of both of its forms. */
static const char *core_name(struct jd_object *object, const char *path)
{
    if (jl_same(path, "reportingController"))
        return "reportingComponent";
    if (!jl_starts_with(path, "regarding."))
        return NULL;
    return JL_JOIN(&object->arena, "involvedObject.", path + strlen("regarding."));
}

static void add_fields(struct jd_object *object, struct json_object *tree)
{
    size_t count = 2;
    for (size_t i = 0; object->kind->fields[i]; i++)
        count += 2;
    struct jl_pair *items = JL_NEW_ARRAY(&object->arena, count, struct jl_pair);
    if (!items)
        return;
    size_t used = 0;
    items[used++] = (struct jl_pair){ "metadata.name", object->name };
    items[used++] = (struct jl_pair){ "metadata.namespace", object->name_space };
    for (size_t i = 0; object->kind->fields[i]; i++) {
        const char *path = object->kind->fields[i];
        const char *other = core_name(object, path);
        const char *value = field_value(object, tree, path);
        items[used++] = (struct jl_pair){ path, value };
        if (other)
            items[used++] = (struct jl_pair){ other, value };
    }
    object->fields = (struct jl_map){ items, used };
}

static bool set_text(struct jd_object *object, struct json_object *tree)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    JL_CLEANUP(jd_json_freep) struct json_object *good = in_order(tree);
    static const char key[] = "\"resourceVersion\":\"";
    if (!good)
        return false;
    jd_json_put_tree(&text, good);
    if (text.is_failed)
        return false;
    object->arena.first = text.len + 1024; /* one block for nearly every object */
    object->text = jl_arena_copy(&object->arena, text.data, text.len);
    object->len = text.len;
    if (!object->text)
        return false;
    const char *metadata = strstr(object->text, "\"metadata\":");
    const char *version = metadata ? strstr(metadata, key) : NULL;
    if (!version)
        return false;
    object->metadata_at = (size_t)(metadata - object->text);
    object->version_at = (size_t)(version - object->text) + strlen(key);
    while (jl_is_digit(object->text[object->version_at + object->version_len]))
        object->version_len++;
    return true;
}

struct jd_object *jd_object_new(const struct jd_kind *kind, struct json_object *tree,
                                uint64_t version)
{
    struct jd_object *object = jl_calloc(1, sizeof *object);
    if (!object)
        return NULL;
    object->refs = 1;
    object->kind = kind;
    object->version = version;
    if (set_text(object, tree)) {
        object->name_space = copied(object, jd_json_text(tree, "metadata.namespace"));
        object->name = copied(object, jd_json_text(tree, "metadata.name"));
        object->uid = copied(object, jd_json_text(tree, "metadata.uid"));
        add_labels(object, jd_json_at(tree, "metadata.labels"));
        add_fields(object, tree);
    }
    if (object->version_len > 0 && object->uid && object->fields.items)
        return object;
    jd_object_release(object);
    return NULL;
}

struct jd_object *jd_object_hold(struct jd_object *object)
{
    if (object)
        object->refs++;
    return object;
}

void jd_object_release(struct jd_object *object)
{
    if (!object || --object->refs > 0)
        return;
    jl_arena_clear(&object->arena);
    jl_free(object);
}

void jd_object_put(struct jl_buffer *out, const struct jd_object *object, uint64_t version)
{
    if (version == object->version) {
        jl_put(out, object->text, object->len);
        return;
    }
    const size_t rest = object->version_at + object->version_len;
    jl_put(out, object->text, object->version_at);
    jl_put_u64(out, version);
    jl_put(out, object->text + rest, object->len - rest);
}

struct json_object *jd_object_tree(const struct jd_object *object)
{
    struct json_object *tree = NULL;
    jd_tree_read(object->text, object->len, &tree, NULL);
    return tree;
}
