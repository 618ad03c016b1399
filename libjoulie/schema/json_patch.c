/* SPDX-License-Identifier: Apache-2.0 */

/* JSON patches, operation by operation (docs/rules/documents.md#patches). */

#include "schema/json_patch.h"

#include <string.h>

#include <joulie/error.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/number.h"
#include "schema/tree.h"

#define MOST_OPERATIONS 10000 /* docs/rules/documents.md#patches */

struct patching {
    struct json_object **root;
    size_t copied_bytes;
    struct jl_json_patch_problem *problem;
    struct jl_arena arena; /* parts of pointers, of one operation */
};

/* A place: the root when parent is NULL, else a member or an item of it. */
struct place {
    struct json_object *parent;
    const char *key; /* of an object */
    size_t index;    /* of a list; its length = behind the last item */
    size_t depth;    /* objects and lists around it */
};

static int fail(struct patching *patching, int code, const char *member, const char *message)
{
    patching->problem->member = member;
    patching->problem->message = message;
    return code;
}

/* Undoes ~1 and ~0; anything else behind a ~ is no pointer. */
static int unescape(struct patching *patching, struct jl_text part, const char **out)
{
    char *text = jl_arena_copy(&patching->arena, part.ptr, part.len);
    size_t len = 0;
    if (!text)
        return fail(patching, JOULIE_E_NOMEM, "", "out of memory");
    for (size_t i = 0; i < part.len; i++) {
        if (part.ptr[i] != '~') {
            text[len++] = part.ptr[i];
            continue;
        }
        i++;
        if (i >= part.len || (part.ptr[i] != '0' && part.ptr[i] != '1'))
            return fail(patching, JOULIE_E_PARSE, "path", "not a JSON pointer");
        text[len++] = part.ptr[i] == '0' ? '~' : '/';
    }
    text[len] = '\0';
    *out = text;
    return 0;
}

/* RFC 6901: no sign, no leading zero; "-" is the end of the list. */
static bool read_index(const char *text, size_t count, size_t *out)
{
    uint64_t index;
    const size_t len = strlen(text);
    if (jl_same(text, "-")) {
        *out = count;
        return true;
    }
    if (len == 0 || !jl_is_digit(text[0]) || (len > 1 && text[0] == '0') ||
        jl_parse_u64(text, len, &index) < 0 || index > count)
        return false;
    *out = (size_t)index;
    return true;
}

static bool descend(struct json_object *parent, const char *key, struct place *out)
{
    *out = (struct place){ .parent = parent, .key = key, .depth = out->depth + 1 };
    if (json_object_is_type(parent, json_type_object))
        return true;
    return json_object_is_type(parent, json_type_array) &&
           read_index(key, json_object_array_length(parent), &out->index);
}

/* false = there is nothing. */
static bool look(struct patching *patching, const struct place *place, struct json_object **out)
{
    if (!place->parent) {
        *out = *patching->root;
        return true;
    }
    if (json_object_is_type(place->parent, json_type_object))
        return json_object_object_get_ex(place->parent, place->key, out);
    if (place->index >= json_object_array_length(place->parent))
        return false;
    *out = json_object_array_get_idx(place->parent, place->index);
    return true;
}

static int find(struct patching *patching, const char *pointer, struct place *out)
{
    struct jl_text rest = jl_text(pointer);
    *out = (struct place){ 0 };
    if (rest.len == 0)
        return 0;
    if (rest.ptr[0] != '/')
        return fail(patching, JOULIE_E_PARSE, "path", "not a JSON pointer");
    rest = (struct jl_text){ rest.ptr + 1, rest.len - 1 };
    for (bool is_last = false; !is_last;) {
        struct json_object *parent;
        const char *key;
        is_last = jl_text_find(rest, '/') == rest.len;
        const int rc = unescape(patching, jl_text_cut(&rest, '/'), &key);
        if (rc < 0)
            return rc;
        if (!look(patching, out, &parent) || !descend(parent, key, out))
            return fail(patching, JOULIE_E_CONFLICT, "", "the place does not exist");
    }
    return 0;
}

/* Copies into copies would nest without end. */
static size_t nesting(struct json_object *value)
{
    size_t most = 0;
    if (json_object_is_type(value, json_type_object)) {
        json_object_object_foreach(value, key, inner)
        {
            const size_t depth = nesting(inner);
            (void)key;
            most = depth > most ? depth : most;
        }
        return most + 1;
    }
    if (!json_object_is_type(value, json_type_array))
        return 0;
    for (size_t i = 0; i < json_object_array_length(value); i++) {
        const size_t depth = nesting(json_object_array_get_idx(value, i));
        most = depth > most ? depth : most;
    }
    return most + 1;
}

/* Takes over value. An item of a list moves what is behind it, unless it is replaced. */
static int put(struct patching *patching, const struct place *place, struct json_object *value,
               bool is_replaced)
{
    int rc;
    if (place->depth + nesting(value) > JL_LIMIT_NESTING) {
        json_object_put(value);
        return fail(patching, JOULIE_E_LIMIT, "", "nested too deep");
    }
    if (!place->parent) {
        json_object_put(*patching->root);
        *patching->root = value;
        return 0;
    }
    if (json_object_is_type(place->parent, json_type_object))
        rc = jl_tree_add(place->parent, place->key, value);
    else if (is_replaced)
        rc = json_object_array_put_idx(place->parent, place->index, value);
    else
        rc = json_object_array_add(place->parent, value);
    if (rc != 0) {
        json_object_put(value);
        return fail(patching, JOULIE_E_NOMEM, "", "out of memory");
    }
    if (is_replaced || json_object_is_type(place->parent, json_type_object))
        return 0;
    /* put_idx lets go of what it replaces: each is held once more while it moves. */
    for (size_t at = json_object_array_length(place->parent) - 1; at > place->index; at--) {
        struct json_object *before = json_object_array_get_idx(place->parent, at - 1);
        json_object_get(value);
        json_object_array_put_idx(place->parent, at, json_object_get(before));
        json_object_array_put_idx(place->parent, at - 1, value);
    }
    return 0;
}

static void drop(struct patching *patching, const struct place *place)
{
    if (!place->parent) {
        json_object_put(*patching->root);
        *patching->root = NULL;
    } else if (json_object_is_type(place->parent, json_type_object)) {
        json_object_object_del(place->parent, place->key);
    } else {
        json_object_array_del_idx(place->parent, place->index, 1);
    }
}

static int existing(struct patching *patching, const char *pointer, struct place *place,
                    struct json_object **out)
{
    const int rc = find(patching, pointer, place);
    if (rc < 0)
        return rc;
    if (!look(patching, place, out))
        return fail(patching, JOULIE_E_CONFLICT, "", "the place does not exist");
    return 0;
}

static int copy_of(struct patching *patching, struct json_object *value, struct json_object **out)
{
    size_t len = 0;
    *out = NULL;
    if (!value)
        return 0;
    if (!json_object_to_json_string_length(value, JSON_C_TO_STRING_PLAIN, &len) ||
        json_object_deep_copy(value, out, NULL) != 0)
        return fail(patching, JOULIE_E_NOMEM, "", "out of memory");
    patching->copied_bytes += len;
    if (patching->copied_bytes <= JL_LIMIT_OBJECT_BYTES)
        return 0;
    json_object_put(*out);
    return fail(patching, JOULIE_E_LIMIT, "", "copies above 16 MiB");
}

static int member(struct patching *patching, struct json_object *operation, const char *name,
                  const char **out)
{
    struct json_object *value;
    if (!json_object_object_get_ex(operation, name, &value))
        return fail(patching, JOULIE_E_REQUIRED, name, "the member is missing");
    if (!json_object_is_type(value, json_type_string))
        return fail(patching, JOULIE_E_TYPE, name, "the member is no string");
    *out = json_object_get_string(value);
    return 0;
}

static int put_at(struct patching *patching, const char *path, struct json_object *value)
{
    struct place to;
    const int rc = find(patching, path, &to);
    if (rc < 0) {
        json_object_put(value);
        return rc;
    }
    return put(patching, &to, value, false);
}

static int copy(struct patching *patching, const char *from, const char *path)
{
    struct place place;
    struct json_object *value;
    struct json_object *fresh;
    int rc = existing(patching, from, &place, &value);
    if (rc == 0)
        rc = copy_of(patching, value, &fresh);
    return rc < 0 ? rc : put_at(patching, path, fresh);
}

static int move(struct patching *patching, const char *from, const char *path)
{
    struct place place;
    struct json_object *value;
    const size_t len = strlen(from);
    if (jl_starts_with(path, from) && path[len] == '/')
        return fail(patching, JOULIE_E_CONFLICT, "", "a place cannot move into itself");
    const int rc = existing(patching, from, &place, &value);
    if (rc < 0)
        return rc;
    if (jl_same(from, path))
        return 0;
    json_object_get(value);
    drop(patching, &place);
    return put_at(patching, path, value);
}

static int change(struct patching *patching, const char *word, struct json_object *operation,
                  const char *path)
{
    struct place place;
    struct json_object *old;
    struct json_object *value;
    struct json_object *fresh;
    if (!json_object_object_get_ex(operation, "value", &value))
        return fail(patching, JOULIE_E_REQUIRED, "value", "the member is missing");
    int rc = jl_same(word, "add") ? find(patching, path, &place)
                                  : existing(patching, path, &place, &old);
    if (rc < 0)
        return rc;
    if (jl_same(word, "test")) {
        return jl_tree_equal(old, value) ? 0
                                         : fail(patching, JOULIE_E_CONFLICT, "", "the test fails");
    }
    rc = copy_of(patching, value, &fresh);
    return rc < 0 ? rc : put(patching, &place, fresh, jl_same(word, "replace"));
}

static int apply(struct patching *patching, struct json_object *operation)
{
    struct place place;
    struct json_object *old;
    const char *word;
    const char *path;
    const char *from;
    int rc = member(patching, operation, "op", &word);
    const bool is_transfer = rc == 0 && (jl_same(word, "copy") || jl_same(word, "move"));
    const bool is_removal = rc == 0 && jl_same(word, "remove");
    if (rc == 0 && !is_transfer && !is_removal && !jl_same(word, "add") &&
        !jl_same(word, "replace") && !jl_same(word, "test"))
        rc = fail(patching, JOULIE_E_ENUM, "op",
                  "not one of add, remove, replace, move, copy, test");
    if (rc == 0)
        rc = member(patching, operation, "path", &path);
    if (rc == 0 && is_transfer)
        rc = member(patching, operation, "from", &from);
    if (rc < 0)
        return rc;
    if (is_transfer)
        return jl_same(word, "copy") ? copy(patching, from, path) : move(patching, from, path);
    if (!is_removal)
        return change(patching, word, operation, path);
    rc = existing(patching, path, &place, &old);
    if (rc == 0)
        drop(patching, &place);
    return rc;
}

int jl_json_patch(struct json_object **target, struct json_object *patch,
                  struct jl_json_patch_problem *out)
{
    struct patching patching = { .root = target, .problem = out };
    *out = (struct jl_json_patch_problem){ .member = "" };
    if (!json_object_is_type(patch, json_type_array))
        return fail(&patching, JOULIE_E_TYPE, "", "a JSON patch is a list of operations");
    const size_t count = json_object_array_length(patch);
    if (count > MOST_OPERATIONS)
        return fail(&patching, JOULIE_E_LIMIT, "", "more than 10000 operations");

    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct json_object *operation = json_object_array_get_idx(patch, i);
        out->index = i;
        jl_arena_reset(&patching.arena);
        rc = json_object_is_type(operation, json_type_object)
                 ? apply(&patching, operation)
                 : fail(&patching, JOULIE_E_TYPE, "", "an operation is an object");
    }
    jl_arena_clear(&patching.arena);
    return rc;
}

int jl_json_patch_fail(const struct jl_json_patch_problem *problem, int code,
                       struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer where = { 0 };
    if (code == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    jl_put_string(&where, "patch[");
    jl_put_u64(&where, problem->index);
    jl_put_string(&where, problem->member[0] ? "]." : "]");
    jl_put_string(&where, problem->member);
    return where.is_failed ? jl_fail_memory(err)
                           : jl_fail(err, code, where.data, "%s", problem->message);
}
