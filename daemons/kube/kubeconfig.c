/* SPDX-License-Identifier: Apache-2.0 */

/* kubeconfig files as trees (docs/rules/clients.md#kubeconfig), for access_kubeconfig.c: which
 * files, their merge, and what stands where in them. */

#include "kube/kubeconfig.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include <joulie/object.h>

#include "base/error.h"
#include "base/memory.h"
#include "kube/access_parts.h"
#include "runtime/json.h"

void jd_kubeconfig_clear(struct jd_kubeconfig *files)
{
    for (size_t i = 0; i < files->count; i++) {
        jl_free(files->items[i].path);
        json_object_put(files->items[i].root);
    }
    files->count = 0;
}

int jd_spot_fail(const struct jd_spot *spot, const char *key, int code, const char *message,
                 struct joulie_error *err)
{
    char where[2 * JD_PLACE_BYTES];
    snprintf(where, sizeof where, "%s: %s%s%s", spot->file->path, spot->place,
             spot->place[0] != '\0' && key ? "." : "", key ? key : "");
    return jl_fail(err, code, where, "%s: %s", where, message);
}

/* ---- values ---- */

struct json_object *jd_spot_value(const struct jd_spot *spot, const char *key)
{
    struct json_object *value = NULL;
    json_object_object_get_ex(spot->object, key, &value);
    return value;
}

/* *out = NULL when it is absent or empty. */
int jd_spot_text(const struct jd_spot *spot, const char *key, const char **out,
                 struct joulie_error *err)
{
    struct json_object *const value = jd_spot_value(spot, key);
    *out = NULL;
    if (!value)
        return 0;
    if (json_object_get_type(value) != json_type_string)
        return jd_spot_fail(spot, key, JOULIE_E_TYPE, "it has to be a string (in quotes?)", err);
    const char *const text = json_object_get_string(value);
    if (strlen(text) != (size_t)json_object_get_string_len(value))
        return jd_spot_fail(spot, key, JOULIE_E_PARSE, "a NUL byte is no text", err);
    *out = text[0] != '\0' ? text : NULL;
    return 0;
}

/* A copy. */
int jd_spot_copy(const struct jd_spot *spot, const char *key, char **out, struct joulie_error *err)
{
    const char *text = NULL;
    const int rc = jd_spot_text(spot, key, &text, err);
    if (rc != 0 || !text)
        return rc;
    *out = jl_strdup(text);
    return *out ? 0 : jl_fail_memory(err);
}

int jd_spot_bool(const struct jd_spot *spot, const char *key, bool *out, struct joulie_error *err)
{
    struct json_object *const value = jd_spot_value(spot, key);
    if (value && json_object_get_type(value) != json_type_boolean)
        return jd_spot_fail(spot, key, JOULIE_E_TYPE, "it has to be true or false", err);
    *out = json_object_get_boolean(value);
    return 0;
}

/* ---- files ---- */

static int parse(struct jd_kubeconfig_file *file, const char *text, struct joulie_error *err)
{
    struct joulie_error problem = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *line = NULL;
    const int rc = joulie_format(text, strlen(text), JOULIE_FORM_LINE, &line, &problem);
    if (rc != 0) {
        jl_fail(err, rc, file->path, "%s:%u: %s", file->path, (unsigned)problem.line,
                problem.message);
        if (err) {
            err->line = problem.line;
            err->column = problem.column;
        }
        return rc;
    }
    const int tree_rc = jd_json_read(line, strlen(line), &file->root, err);
    if (tree_rc != 0)
        return tree_rc;
    if (json_object_get_type(file->root) != json_type_object)
        return jl_fail(err, JOULIE_E_TYPE, file->path, "%s: this is no kubeconfig", file->path);
    const struct jd_spot top = { .file = file, .object = file->root };
    const char *kind = NULL;
    const int kind_rc = jd_spot_text(&top, "kind", &kind, err);
    if (kind_rc == 0 && kind && !jl_same(kind, "Config"))
        return jd_spot_fail(&top, "kind", JOULIE_E_PARSE, "it is not Config", err);
    return kind_rc;
}

/* Only blanks and comments are an empty configuration. */
static bool is_blank(const char *text)
{
    struct jl_text rest = jl_text(text);
    while (rest.len > 0) {
        const struct jl_text line = jl_text_trim(jl_text_cut(&rest, '\n'));
        if (line.len > 0 && line.ptr[0] != '#' && !jl_text_is(line, "---"))
            return false;
    }
    return true;
}

static int add_file(struct jd_kubeconfig *files, struct jl_text path, bool may_be_missing,
                    struct joulie_error *err)
{
    struct joulie_error problem = JOULIE_INIT(struct joulie_error);
    struct jl_buffer name = { 0 };
    JL_CLEANUP(jl_freep) char *text = NULL;
    if (files->count == JD_KUBECONFIG_MOST_FILES)
        return jl_fail(err, JOULIE_E_LIMIT, "KUBECONFIG", "more than %d files",
                       JD_KUBECONFIG_MOST_FILES);
    jl_put(&name, path.ptr, path.len);
    if (jl_buffer_code(&name) != 0)
        return jl_fail_memory(err);
    struct jd_kubeconfig_file *const file = &files->items[files->count++];
    *file = (struct jd_kubeconfig_file){ .path = jl_buffer_take(&name) };
    int rc = jd_access_read_file(file->path, &text, &problem);
    if ((rc == JOULIE_E_IO && problem.sys_errno == ENOENT && may_be_missing) ||
        (rc == 0 && is_blank(text))) {
        rc = 0;
        jl_free(file->path);
        files->count--;
    } else if (rc != 0 && err) {
        jl_error_export(&problem, err);
    } else if (rc == 0) {
        rc = parse(file, text, err);
    }
    return rc;
}

int jd_kubeconfig_read(struct jd_kubeconfig *files, const char *list, bool is_explicit,
                       struct joulie_error *err)
{
    struct jl_text rest = jl_text(list);
    int rc = 0;
    if (is_explicit)
        rc = add_file(files, rest, false, err);
    while (!is_explicit && rc == 0 && rest.len > 0) {
        const struct jl_text path = jl_text_cut(&rest, ':');
        if (path.len > 0)
            rc = add_file(files, path, true, err);
    }
    if (rc == 0 && files->count == 0)
        return jl_fail(err, JOULIE_E_REQUIRED, is_explicit ? list : "KUBECONFIG",
                       "%s: there is no kubeconfig in it", list);
    return rc;
}

/* ---- named things: the first file that has a name wins ---- */

const struct jd_kubeconfig_part jd_kubeconfig_contexts = { "contexts", "context" };
const struct jd_kubeconfig_part jd_kubeconfig_clusters = { "clusters", "cluster" };
const struct jd_kubeconfig_part jd_kubeconfig_users = { "users", "user" };

/* 1 = found, 0 = not in this file, or a code. */
static int find_in_file(const struct jd_kubeconfig_file *file,
                        const struct jd_kubeconfig_part *part, const char *name,
                        struct jd_spot *out, struct joulie_error *err)
{
    const struct jd_spot top = { .file = file, .object = file->root };
    struct json_object *const list = jd_spot_value(&top, part->list);
    int found = 0;
    if (list && json_object_get_type(list) != json_type_array)
        return jd_spot_fail(&top, part->list, JOULIE_E_TYPE, "it has to be a list", err);
    for (size_t i = 0; list && i < json_object_array_length(list); i++) {
        struct jd_spot item = { .file = file, .object = json_object_array_get_idx(list, i) };
        const char *item_name = NULL;
        snprintf(item.place, sizeof item.place, "%s[%zu]", part->list, i);
        if (json_object_get_type(item.object) != json_type_object)
            return jd_spot_fail(&item, NULL, JOULIE_E_TYPE, "it has to be an object", err);
        const int rc = jd_spot_text(&item, "name", &item_name, err);
        if (rc != 0)
            return rc;
        if (!jl_same(item_name, name))
            continue;
        if (found++ > 0)
            return jd_spot_fail(&item, "name", JOULIE_E_CONFLICT, "this name is there twice", err);
        *out = (struct jd_spot){ .file = file, .object = jd_spot_value(&item, part->member) };
        snprintf(out->place, sizeof out->place, "%s[%zu].%s", part->list, i, part->member);
        if (out->object && json_object_get_type(out->object) != json_type_object)
            return jd_spot_fail(out, NULL, JOULIE_E_TYPE, "it has to be an object", err);
    }
    return found;
}

int jd_kubeconfig_find(const struct jd_kubeconfig *files, const struct jd_kubeconfig_part *part,
                       const char *name, struct jd_spot *out, struct joulie_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < files->count && rc == 0; i++)
        rc = find_in_file(&files->items[i], part, name, out, err);
    if (rc == 0)
        return jl_fail(err, JOULIE_E_REQUIRED, files->items[0].path,
                       "%s: there is no %s \"%.200s\"", files->items[0].path, part->member, name);
    return rc > 0 ? 0 : rc;
}

int jd_kubeconfig_context(const struct jd_kubeconfig *files, const char *given, const char **out,
                          struct joulie_error *err)
{
    *out = jl_is_empty(given) ? NULL : given;
    for (size_t i = 0; i < files->count && !*out; i++) {
        const struct jd_spot top = { .file = &files->items[i], .object = files->items[i].root };
        const int rc = jd_spot_text(&top, "current-context", out, err);
        if (rc != 0)
            return rc;
    }
    return *out ? 0
                : jl_fail(err, JOULIE_E_REQUIRED, files->items[0].path,
                          "%s: no context is chosen: there is no current-context",
                          files->items[0].path);
}

/* A path of a file is relative to that file's directory. */
char *jd_kubeconfig_path(const struct jd_kubeconfig_file *file, const char *path)
{
    struct jl_buffer whole = { 0 };
    const char *const slash = strrchr(file->path, '/');
    if (path[0] != '/' && slash)
        jl_put(&whole, file->path, (size_t)(slash - file->path) + 1);
    jl_put_string(&whole, path);
    return jl_buffer_take(&whole);
}
