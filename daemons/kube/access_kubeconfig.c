/* SPDX-License-Identifier: Apache-2.0 */

/* kubeconfig files (docs/rules/clients.md#kubeconfig), for access.c: which files, their merge, and
 * cluster, user and context of the current one. */

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include <joulie/object.h>

#include "base/error.h"
#include "base/memory.h"
#include "kube/access_parts.h"
#include "runtime/json.h"

#define PLACE_BYTES 256
#define MOST_FILES 64

struct file {
    char *path;
    struct json_object *root;
};

struct files {
    struct file items[MOST_FILES];
    size_t count;
};

/* An object in a file, and how to find it again by eye. */
struct spot {
    const struct file *file;
    struct json_object *object; /* NULL = empty */
    char place[PLACE_BYTES];
};

static void files_clear(struct files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        jl_free(files->items[i].path);
        json_object_put(files->items[i].root);
    }
    files->count = 0;
}

static int fail_at(const struct spot *spot, const char *key, int code, const char *message,
                   struct joulie_error *err)
{
    char where[2 * PLACE_BYTES];
    snprintf(where, sizeof where, "%s: %s%s%s", spot->file->path, spot->place,
             spot->place[0] != '\0' && key ? "." : "", key ? key : "");
    return jl_fail(err, code, where, "%s: %s", where, message);
}

/* ---- values ---- */

static struct json_object *value_of(const struct spot *spot, const char *key)
{
    struct json_object *value = NULL;
    json_object_object_get_ex(spot->object, key, &value);
    return value;
}

/* *out = NULL when it is absent or empty. */
static int get_text(const struct spot *spot, const char *key, const char **out,
                    struct joulie_error *err)
{
    struct json_object *const value = value_of(spot, key);
    *out = NULL;
    if (!value)
        return 0;
    if (json_object_get_type(value) != json_type_string)
        return fail_at(spot, key, JOULIE_E_TYPE, "it has to be a string (in quotes?)", err);
    const char *const text = json_object_get_string(value);
    if (strlen(text) != (size_t)json_object_get_string_len(value))
        return fail_at(spot, key, JOULIE_E_PARSE, "a NUL byte is no text", err);
    *out = text[0] != '\0' ? text : NULL;
    return 0;
}

/* A copy. */
static int take_text(const struct spot *spot, const char *key, char **out, struct joulie_error *err)
{
    const char *text = NULL;
    const int rc = get_text(spot, key, &text, err);
    if (rc != 0 || !text)
        return rc;
    *out = jl_strdup(text);
    return *out ? 0 : jl_fail_memory(err);
}

static int get_bool(const struct spot *spot, const char *key, bool *out, struct joulie_error *err)
{
    struct json_object *const value = value_of(spot, key);
    if (value && json_object_get_type(value) != json_type_boolean)
        return fail_at(spot, key, JOULIE_E_TYPE, "it has to be true or false", err);
    *out = json_object_get_boolean(value);
    return 0;
}

/* ---- files ---- */

static int parse(struct file *file, const char *text, struct joulie_error *err)
{
    struct joulie_error problem = JOULIE_INIT(struct joulie_error);
    char *line = NULL;
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
    joulie_free(line);
    if (tree_rc != 0)
        return tree_rc;
    if (json_object_get_type(file->root) != json_type_object)
        return jl_fail(err, JOULIE_E_TYPE, file->path, "%s: this is no kubeconfig", file->path);
    const struct spot top = { .file = file, .object = file->root };
    const char *kind = NULL;
    const int kind_rc = get_text(&top, "kind", &kind, err);
    if (kind_rc == 0 && kind && !jl_same(kind, "Config"))
        return fail_at(&top, "kind", JOULIE_E_PARSE, "it is not Config", err);
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

static int add_file(struct files *files, struct jl_text path, bool may_be_missing,
                    struct joulie_error *err)
{
    struct joulie_error problem = JOULIE_INIT(struct joulie_error);
    struct jl_buffer name = { 0 };
    char *text = NULL;
    if (files->count == MOST_FILES)
        return jl_fail(err, JOULIE_E_LIMIT, "KUBECONFIG", "more than %d files", MOST_FILES);
    jl_put(&name, path.ptr, path.len);
    if (jl_buffer_code(&name) != 0)
        return jl_fail_memory(err);
    struct file *const file = &files->items[files->count++];
    *file = (struct file){ .path = jl_buffer_take(&name) };
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
    jl_free(text);
    return rc;
}

static int read_files(struct files *files, const char *list, bool is_explicit,
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

struct part { /* of a kubeconfig */
    const char *list;
    const char *member;
};

static const struct part contexts = { "contexts", "context" };
static const struct part clusters = { "clusters", "cluster" };
static const struct part users = { "users", "user" };

/* 1 = found, 0 = not in this file, or a code. */
static int find_in_file(const struct file *file, const struct part *part, const char *name,
                        struct spot *out, struct joulie_error *err)
{
    const struct spot top = { .file = file, .object = file->root };
    struct json_object *const list = value_of(&top, part->list);
    int found = 0;
    if (list && json_object_get_type(list) != json_type_array)
        return fail_at(&top, part->list, JOULIE_E_TYPE, "it has to be a list", err);
    for (size_t i = 0; list && i < json_object_array_length(list); i++) {
        struct spot item = { .file = file, .object = json_object_array_get_idx(list, i) };
        const char *item_name = NULL;
        snprintf(item.place, sizeof item.place, "%s[%zu]", part->list, i);
        if (json_object_get_type(item.object) != json_type_object)
            return fail_at(&item, NULL, JOULIE_E_TYPE, "it has to be an object", err);
        const int rc = get_text(&item, "name", &item_name, err);
        if (rc != 0)
            return rc;
        if (!jl_same(item_name, name))
            continue;
        if (found++ > 0)
            return fail_at(&item, "name", JOULIE_E_CONFLICT, "this name is there twice", err);
        *out = (struct spot){ .file = file, .object = value_of(&item, part->member) };
        snprintf(out->place, sizeof out->place, "%s[%zu].%s", part->list, i, part->member);
        if (out->object && json_object_get_type(out->object) != json_type_object)
            return fail_at(out, NULL, JOULIE_E_TYPE, "it has to be an object", err);
    }
    return found;
}

static int find(const struct files *files, const struct part *part, const char *name,
                struct spot *out, struct joulie_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < files->count && rc == 0; i++)
        rc = find_in_file(&files->items[i], part, name, out, err);
    if (rc == 0)
        return jl_fail(err, JOULIE_E_REQUIRED, files->items[0].path,
                       "%s: there is no %s \"%.200s\"", files->items[0].path, part->member, name);
    return rc > 0 ? 0 : rc;
}

/* ---- certificates ---- */

/* A path of a file is relative to that file's directory. */
static char *path_of(const struct file *file, const char *path)
{
    struct jl_buffer whole = { 0 };
    const char *const slash = strrchr(file->path, '/');
    if (path[0] != '/' && slash)
        jl_put(&whole, file->path, (size_t)(slash - file->path) + 1);
    jl_put_string(&whole, path);
    char *const text = jl_buffer_take(&whole);
    jl_buffer_clear(&whole);
    return text;
}

/* The text KEY-data, else that of the file KEY, whose path goes to *out_file (may be NULL). */
static int get_pem(const struct spot *spot, const char *key, char **out, char **out_file,
                   struct joulie_error *err)
{
    char data_key[64];
    const char *data = NULL;
    const char *file = NULL;
    snprintf(data_key, sizeof data_key, "%s-data", key);
    int rc = get_text(spot, data_key, &data, err);
    if (rc == 0)
        rc = get_text(spot, key, &file, err);
    if (rc != 0 || (!data && !file))
        return rc;
    if (data) {
        rc = jd_access_decode(data, strlen(data), out);
        if (rc == JOULIE_E_NOMEM)
            return jl_fail_memory(err);
        return rc == 0 && jd_access_is_pem(*out)
                   ? 0
                   : fail_at(spot, data_key, JOULIE_E_PARSE, "it is no base64 of PEM", err);
    }
    char *const path = path_of(spot->file, file);
    if (!path)
        return jl_fail_memory(err);
    rc = jd_access_read_file(path, out, err);
    if (rc == 0 && !jd_access_is_pem(*out))
        rc = fail_at(spot, key, JOULIE_E_PARSE, "there is no PEM in the file", err);
    if (rc == 0 && out_file)
        *out_file = path;
    else
        jl_free(path);
    return rc;
}

/* ---- the three parts ---- */

static int take_proxy(struct jd_access *access, const struct spot *cluster,
                      struct joulie_error *err)
{
    const int rc = take_text(cluster, "proxy-url", &access->proxy, err);
    if (rc != 0 || !access->proxy || jl_starts_with(access->proxy, "http://") ||
        jl_starts_with(access->proxy, "https://") || jl_starts_with(access->proxy, "socks5://"))
        return rc;
    return fail_at(cluster, "proxy-url", JOULIE_E_PARSE, "it is no http, https or socks5 URL", err);
}

static int take_cluster(struct jd_access *access, const struct spot *cluster, const char *name,
                        struct joulie_error *err)
{
    int rc = take_text(cluster, "server", &access->server, err);
    if (rc == 0)
        rc = take_text(cluster, "tls-server-name", &access->server_name, err);
    if (rc == 0)
        rc = get_bool(cluster, "insecure-skip-tls-verify", &access->tls.is_unverified, err);
    if (rc == 0)
        rc = get_pem(cluster, "certificate-authority", &access->ca, &access->ca_file, err);
    if (rc == 0)
        rc = take_proxy(access, cluster, err);
    if (rc != 0)
        return rc;
    if (!access->server)
        return jl_fail(err, JOULIE_E_REQUIRED, cluster->file->path,
                       "%s: the cluster \"%.200s\" has no server", cluster->file->path, name);
    if (access->tls.is_unverified && access->ca)
        return fail_at(cluster, "insecure-skip-tls-verify", JOULIE_E_CONFLICT,
                       "there is a certificate-authority too", err);
    return 0;
}

/* What we do not do; each says what would help. */
static int refuse_plugins(const struct spot *user, const char *name, struct joulie_error *err)
{
    static const char *const keys[] = { "auth-provider", "exec" };
    struct spot plugin[2];
    const char *text[3] = { NULL, NULL, NULL }; /* auth-provider's name, command, installHint */
    int rc = 0;
    for (size_t i = 0; i < JL_COUNT(keys); i++) {
        plugin[i] = (struct spot){ .file = user->file, .object = value_of(user, keys[i]) };
        snprintf(plugin[i].place, sizeof plugin[i].place, "%.*s.%s", PLACE_BYTES / 2, user->place,
                 keys[i]);
        if (plugin[i].object && json_object_get_type(plugin[i].object) != json_type_object)
            return fail_at(&plugin[i], NULL, JOULIE_E_TYPE, "it has to be an object", err);
    }
    rc = get_text(&plugin[0], "name", &text[0], err);
    if (rc == 0)
        rc = get_text(&plugin[1], "command", &text[1], err);
    if (rc == 0)
        rc = get_text(&plugin[1], "installHint", &text[2], err);
    if (rc != 0)
        return rc;
    if (plugin[0].object)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, user->file->path,
                       "kubeconfig user \"%.100s\": auth-provider \"%.100s\" is not supported; use "
                       "an exec plugin or a token",
                       name, text[0] ? text[0] : "");
    if (plugin[1].object)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, user->file->path,
                       "kubeconfig user \"%.100s\": the exec plugin \"%.100s\" is not supported; "
                       "use a token or a client certificate%s%.200s",
                       name, text[1] ? text[1] : "", text[2] ? "; its installHint: " : "",
                       text[2] ? text[2] : "");
    return 0;
}

static int take_token(struct jd_access *access, const struct spot *user, struct joulie_error *err)
{
    const char *token = NULL;
    const char *file = NULL;
    int rc = get_text(user, "token", &token, err);
    if (rc == 0)
        rc = get_text(user, "tokenFile", &file, err);
    if (rc != 0)
        return rc;
    if (file) {
        access->token_file = path_of(user->file, file);
        return access->token_file ? jd_access_read_token(access->token_file, &access->token, err)
                                  : jl_fail_memory(err);
    }
    if (!token)
        return 0;
    if (!jd_access_is_token(token))
        return fail_at(user, "token", JOULIE_E_PARSE, "this is no token", err);
    access->token = jl_strdup(token);
    return access->token ? 0 : jl_fail_memory(err);
}

static int take_basic(struct jd_access *access, const struct spot *user, struct joulie_error *err)
{
    const char *name = NULL;
    const char *password = NULL;
    int rc = get_text(user, "username", &name, err);
    if (rc == 0)
        rc = get_text(user, "password", &password, err);
    if (rc != 0 || (!name && !password))
        return rc;
    if (access->token)
        return fail_at(user, NULL, JOULIE_E_CONFLICT,
                       "a token and a password: only one can be used", err);
    rc = jd_access_authorize_basic(access, name ? name : "", password ? password : "");
    return rc == 0 ? 0 : jl_fail_memory(err);
}

static int take_certificate(struct jd_access *access, const struct spot *user,
                            struct joulie_error *err)
{
    int rc = get_pem(user, "client-certificate", &access->certificate, NULL, err);
    if (rc == 0)
        rc = get_pem(user, "client-key", &access->key, NULL, err);
    if (rc == 0 && !access->certificate != !access->key)
        return fail_at(user, access->key ? "client-certificate" : "client-key", JOULIE_E_REQUIRED,
                       "certificate and key belong together", err);
    return rc;
}

/* ---- impersonation ---- */

static int add_header(struct jd_access *access, const char *name, const char *value,
                      struct joulie_error *err)
{
    struct jl_buffer line = { 0 };
    jl_put_string(&line, name);
    jl_put_string(&line, ": ");
    jl_put_string(&line, value);
    return jd_access_add_header(access, &line) == 0 ? 0 : jl_fail_memory(err);
}

static bool is_header_value(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    }
    return true;
}

/* Each string of a list; key for messages. */
static int add_headers(struct jd_access *access, const struct spot *spot, const char *key,
                       struct json_object *list, const char *name, struct joulie_error *err)
{
    if (list && json_object_get_type(list) != json_type_array)
        return fail_at(spot, key, JOULIE_E_TYPE, "it has to be a list of strings", err);
    for (size_t i = 0; list && i < json_object_array_length(list); i++) {
        struct json_object *const value = json_object_array_get_idx(list, i);
        if (json_object_get_type(value) != json_type_string ||
            !is_header_value(json_object_get_string(value)))
            return fail_at(spot, key, JOULIE_E_TYPE, "it has to be a list of strings", err);
        const int rc = add_header(access, name, json_object_get_string(value), err);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* Bytes that a header name cannot have are percent-encoded, as the API server expects. */
static void put_header_name(struct jl_buffer *out, const char *key)
{
    static const char marks[] = "!#$&'*+-.^_`|~";
    for (; *key; key++) {
        const char one[] = { *key, '\0' };
        const char low = jl_lower(*key);
        if ((low >= 'a' && low <= 'z') || jl_is_digit(low) || strchr(marks, *key))
            jl_put_char(out, *key);
        else
            jd_put_url(out, one);
    }
}

static int add_extra(struct jd_access *access, const struct spot *user, struct joulie_error *err)
{
    struct json_object *const extra = value_of(user, "as-user-extra");
    if (extra && json_object_get_type(extra) != json_type_object)
        return fail_at(user, "as-user-extra", JOULIE_E_TYPE, "it has to be an object of lists",
                       err);
    int rc = 0;
    if (!extra)
        return 0;
    json_object_object_foreach(extra, key, list)
    {
        struct jl_buffer name = { 0 };
        jl_put_string(&name, "Impersonate-Extra-");
        put_header_name(&name, key);
        if (rc == 0)
            rc = jl_buffer_code(&name) == 0
                     ? add_headers(access, user, "as-user-extra", list, name.data, err)
                     : jl_fail_memory(err);
        jl_buffer_clear(&name);
    }
    return rc;
}

static int take_impersonation(struct jd_access *access, const struct spot *user,
                              struct joulie_error *err)
{
    const char *as = NULL;
    const char *uid = NULL;
    int rc = get_text(user, "as", &as, err);
    if (rc == 0)
        rc = get_text(user, "as-uid", &uid, err);
    if (rc != 0)
        return rc;
    if ((as && !is_header_value(as)) || (uid && !is_header_value(uid)))
        return fail_at(user, "as", JOULIE_E_PARSE, "a header cannot hold it", err);
    if (as)
        rc = add_header(access, "Impersonate-User", as, err);
    if (rc == 0 && uid)
        rc = add_header(access, "Impersonate-Uid", uid, err);
    if (rc == 0)
        rc = add_headers(access, user, "as-groups", value_of(user, "as-groups"),
                         "Impersonate-Group", err);
    if (rc == 0)
        rc = add_extra(access, user, err);
    if (rc == 0 && !as && access->impersonation_count > 0)
        return fail_at(user, "as", JOULIE_E_REQUIRED, "as-uid, as-groups and as-user-extra need it",
                       err);
    return rc;
}

static int take_user(struct jd_access *access, const struct spot *user, const char *name,
                     struct joulie_error *err)
{
    int rc = refuse_plugins(user, name, err);
    if (rc == 0)
        rc = take_token(access, user, err);
    if (rc == 0)
        rc = take_basic(access, user, err);
    if (rc == 0)
        rc = take_certificate(access, user, err);
    return rc == 0 ? take_impersonation(access, user, err) : rc;
}

/* ---- all together ---- */

static int choose_context(const struct files *files, const char *given, const char **out,
                          struct joulie_error *err)
{
    *out = jl_is_empty(given) ? NULL : given;
    for (size_t i = 0; i < files->count && !*out; i++) {
        const struct spot top = { .file = &files->items[i], .object = files->items[i].root };
        const int rc = get_text(&top, "current-context", out, err);
        if (rc != 0)
            return rc;
    }
    return *out ? 0
                : jl_fail(err, JOULIE_E_REQUIRED, files->items[0].path,
                          "%s: no context is chosen: there is no current-context",
                          files->items[0].path);
}

static int resolve(struct jd_access *access, const struct files *files,
                   const struct jd_access_options *options, struct joulie_error *err)
{
    struct spot context = { 0 };
    struct spot cluster = { 0 };
    struct spot user = { 0 };
    const char *name = NULL;
    const char *cluster_name = NULL;
    const char *user_name = NULL;
    int rc = choose_context(files, options->context, &name, err);
    if (rc == 0)
        rc = find(files, &contexts, name, &context, err);
    if (rc == 0)
        rc = get_text(&context, "cluster", &cluster_name, err);
    if (rc == 0)
        rc = get_text(&context, "user", &user_name, err);
    if (rc != 0)
        return rc;
    if (!cluster_name || !user_name)
        return jl_fail(err, JOULIE_E_REQUIRED, context.file->path,
                       "%s: the context \"%.200s\" names no %s", context.file->path, name,
                       cluster_name ? "user" : "cluster");
    access->context = jl_strdup(name);
    rc = access->context ? take_text(&context, "namespace", &access->name_space, err)
                         : jl_fail_memory(err);
    if (rc == 0)
        rc = find(files, &clusters, cluster_name, &cluster, err);
    if (rc == 0)
        rc = take_cluster(access, &cluster, cluster_name, err);
    if (rc == 0)
        rc = find(files, &users, user_name, &user, err);
    return rc == 0 ? take_user(access, &user, user_name, err) : rc;
}

int jd_access_read_kubeconfig(struct jd_access *access, const struct jd_access_options *options,
                              const char *list, bool is_explicit, struct joulie_error *err)
{
    struct files *const files = jl_calloc(1, sizeof *files);
    if (!files)
        return jl_fail_memory(err);
    int rc = read_files(files, list, is_explicit, err);
    if (rc == 0)
        rc = resolve(access, files, options, err);
    files_clear(files);
    jl_free(files);
    return rc;
}
