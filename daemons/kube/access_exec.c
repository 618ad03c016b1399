/* SPDX-License-Identifier: Apache-2.0 */

/* The exec plugin of a user of a kubeconfig (docs/rules/clients.md#exec-plugins), for
 * access_kubeconfig.c: what is to be run, with what. plugin.c runs it. */

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/memory.h"
#include "kube/access_parts.h"
#include "kube/kubeconfig.h"
#include "runtime/child.h"
#include "runtime/json.h"

#define GROUP "client.authentication.k8s.io/"
#define INFO "KUBERNETES_EXEC_INFO"
#define INFO_EXTENSION "client.authentication.k8s.io/exec"
#define MOST_TEXTS 4096 /* arguments, and variables */

struct texts { /* each of its own memory, NULL-terminated */
    char **items;
    size_t count;
    size_t capacity;
};

static void texts_clear(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        jl_free(texts->items[i]);
    jl_free(texts->items);
    *texts = (struct texts){ 0 };
}

/* Takes over the text. */
static int add_text(struct texts *texts, char *text)
{
    if (!text || JL_GROW(&texts->items, &texts->capacity, texts->count + 2) < 0) {
        jl_free(text);
        return JOULIE_E_NOMEM;
    }
    texts->items[texts->count++] = text;
    texts->items[texts->count] = NULL;
    return 0;
}

static int add_line(struct texts *texts, struct jl_buffer *line)
{
    return add_text(texts, jl_buffer_take(line));
}

/* ---- what is run ---- */

/* The directory of a path, in front of a name. */
static char *beside(const char *folder, size_t len, const char *name)
{
    struct jl_buffer path = { 0 };
    jl_put(&path, folder, len);
    jl_put_char(&path, '/');
    jl_put_string(&path, name);
    return jl_buffer_take(&path);
}

/* The first file of that name below PATH that may be run; NULL = none. Entries that are relative
 * are left out: what is run does not depend on the working directory. */
static char *search(char **environment, const char *command)
{
    struct jl_text rest = jl_text(jd_access_variable(environment, "PATH"));
    while (rest.len > 0) {
        const struct jl_text folder = jl_text_cut(&rest, ':');
        char *path =
            folder.len > 0 && folder.ptr[0] == '/' ? beside(folder.ptr, folder.len, command) : NULL;
        if (path && jd_child_check(path, NULL) == 0)
            return path;
        jl_free(path);
    }
    return NULL;
}

/* One with a slash is relative to its file, another is searched for. */
static char *find(const struct jd_spot *exec, char **environment, const char *command)
{
    char folder[4096];
    if (!strchr(command, '/'))
        return search(environment, command);
    char *path = jd_kubeconfig_path(exec->file, command);
    if (!path || path[0] == '/' || !getcwd(folder, sizeof folder))
        return path;
    char *whole = beside(folder, strlen(folder), path);
    jl_free(path);
    return whole;
}

/* Whether nobody but root can put another file there: it, and each folder on the way, belongs to
 * root, and others may write at most into folders where they cannot touch what is not theirs. */
static bool is_of_root(const char *path)
{
    char *real = realpath(path, NULL);
    bool is_safe = real != NULL;
    for (size_t len = real ? strlen(real) : 0; is_safe && len > 0;) {
        struct stat facts;
        is_safe = stat(real, &facts) == 0 && facts.st_uid == 0 &&
                  ((facts.st_mode & (S_IWGRP | S_IWOTH)) == 0 ||
                   (S_ISDIR(facts.st_mode) && (facts.st_mode & S_ISVTX) != 0));
        while (len > 0 && real[len - 1] != '/')
            len--;
        len -= len > 0; /* the slash */
        real[len] = '\0';
    }
    free(real);
    return is_safe;
}

/* A plugin runs as who we are: where that is more than the person who wrote the files, it does not
 * run. */
static int check_trust(const struct jd_spot *exec, const char *path, struct joulie_error *err)
{
    if (getauxval(AT_SECURE) != 0)
        return jd_spot_fail(exec, "command", JOULIE_E_UNSUPPORTED,
                            "a program with more rights than its user runs no plugin", err);
    if (geteuid() != 0)
        return 0;
    if (!is_of_root(exec->file->path))
        return jd_spot_fail(exec, "command", JOULIE_E_UNSUPPORTED,
                            "root runs no plugin of a kubeconfig that others may change", err);
    if (!is_of_root(path))
        return jd_spot_fail(exec, "command", JOULIE_E_UNSUPPORTED,
                            "root runs no plugin that others may change", err);
    return 0;
}

static int fail_command(const struct jd_spot *exec, const char *command, const char *problem,
                        const char *hint, struct joulie_error *err)
{
    char message[400];
    snprintf(message, sizeof message, "\"%.100s\": %.100s%s%.150s", command, problem,
             hint ? "; its installHint: " : "", hint ? hint : "");
    return jd_spot_fail(exec, "command", JOULIE_E_IO, message, err);
}

static int take_command(const struct jd_spot *exec, char **environment, char **out_path,
                        struct texts *arguments, struct joulie_error *err)
{
    struct joulie_error problem = JOULIE_INIT(struct joulie_error);
    const char *command = NULL;
    const char *hint = NULL;
    int rc = jd_spot_text(exec, "command", &command, err);
    if (rc == 0)
        rc = jd_spot_text(exec, "installHint", &hint, err);
    if (rc != 0)
        return rc;
    if (!command)
        return jd_spot_fail(exec, "command", JOULIE_E_REQUIRED, "it has to be there", err);
    *out_path = find(exec, environment, command);
    if (!*out_path)
        return fail_command(exec, command, "there is no such program in PATH", hint, err);
    if (jd_child_check(*out_path, &problem) < 0)
        return fail_command(exec, command, problem.message, hint, err);
    if (add_text(arguments, jl_strdup(command)) < 0)
        return jl_fail_memory(err);
    return check_trust(exec, *out_path, err);
}

/* ---- with what ---- */

/* The list KEY, or NULL. */
static int get_list(const struct jd_spot *exec, const char *key, struct json_object **out,
                    struct joulie_error *err)
{
    *out = jd_spot_value(exec, key);
    if (*out && json_object_get_type(*out) != json_type_array)
        return jd_spot_fail(exec, key, JOULIE_E_TYPE, "it has to be a list", err);
    if (*out && json_object_array_length(*out) > MOST_TEXTS)
        return jd_spot_fail(exec, key, JOULIE_E_LIMIT, "it has too many items", err);
    return 0;
}

static int take_arguments(const struct jd_spot *exec, struct texts *arguments,
                          struct joulie_error *err)
{
    struct json_object *list = NULL;
    int rc = get_list(exec, "args", &list, err);
    for (size_t i = 0; rc == 0 && list && i < json_object_array_length(list); i++) {
        struct json_object *item = json_object_array_get_idx(list, i);
        char key[32];
        snprintf(key, sizeof key, "args[%zu]", i);
        if (json_object_get_type(item) != json_type_string ||
            strlen(json_object_get_string(item)) != (size_t)json_object_get_string_len(item))
            return jd_spot_fail(exec, key, JOULIE_E_TYPE, "it has to be a string (in quotes?)",
                                err);
        if (add_text(arguments, jl_strdup(json_object_get_string(item))) < 0)
            rc = jl_fail_memory(err);
    }
    return rc;
}

static bool is_variable(const char *line, const char *name)
{
    const size_t len = strlen(name);
    return strncmp(line, name, len) == 0 && line[len] == '=';
}

/* In the place of one of that name. */
static int set_variable(struct texts *variables, const char *name, const char *value)
{
    struct jl_buffer line = { 0 };
    jd_put_format(&line, "%s=%s", name, value);
    for (size_t i = 0; i < variables->count; i++) {
        if (!is_variable(variables->items[i], name))
            continue;
        char *text = jl_buffer_take(&line);
        if (!text)
            return JOULIE_E_NOMEM;
        jl_free(variables->items[i]);
        variables->items[i] = text;
        return 0;
    }
    return add_line(variables, &line);
}

static int take_variable(const struct jd_spot *exec, struct json_object *item, size_t i,
                         struct texts *variables, struct joulie_error *err)
{
    struct jd_spot spot = { .file = exec->file, .object = item };
    const char *name = NULL;
    const char *value = NULL;
    snprintf(spot.place, sizeof spot.place, "%.*s.env[%zu]", JD_PLACE_BYTES - 32, exec->place, i);
    if (json_object_get_type(item) != json_type_object)
        return jd_spot_fail(&spot, NULL, JOULIE_E_TYPE, "it has to be an object", err);
    int rc = jd_spot_text(&spot, "name", &name, err);
    if (rc == 0)
        rc = jd_spot_text(&spot, "value", &value, err);
    if (rc != 0)
        return rc;
    if (!name || strchr(name, '='))
        return jd_spot_fail(&spot, "name", JOULIE_E_REQUIRED, "it has to be the name of a variable",
                            err);
    return set_variable(variables, name, value ? value : "") == 0 ? 0 : jl_fail_memory(err);
}

/* Ours, then those of the kubeconfig. */
static int take_environment(const struct jd_spot *exec, char **environment, struct texts *variables,
                            struct joulie_error *err)
{
    struct json_object *list = NULL;
    int rc = get_list(exec, "env", &list, err);
    for (; rc == 0 && environment && *environment; environment++) {
        if (add_text(variables, jl_strdup(*environment)) < 0)
            rc = jl_fail_memory(err);
    }
    for (size_t i = 0; rc == 0 && list && i < json_object_array_length(list); i++)
        rc = take_variable(exec, json_object_array_get_idx(list, i), i, variables, err);
    return rc;
}

/* ---- what it is told ---- */

/* What the cluster has for plugins. */
static struct json_object *extension_of(const struct jd_spot *cluster)
{
    struct json_object *const list = jd_spot_value(cluster, "extensions");
    for (size_t i = 0; i < jd_json_count(list); i++) {
        struct json_object *const item = json_object_array_get_idx(list, i);
        if (jl_same(jd_json_text(item, "name"), INFO_EXTENSION))
            return jd_json_at(item, "extension");
    }
    return NULL;
}

/* As the kubeconfig has it, with the text of the CA in the place of its file. */
static struct json_object *cluster_info(const struct jd_access *access,
                                        const struct jd_spot *cluster)
{
    static const char *const keys[] = { "server", "tls-server-name", "insecure-skip-tls-verify",
                                        "proxy-url", "disable-compression" };
    struct json_object *info = json_object_new_object();
    for (size_t i = 0; info && i < JL_COUNT(keys); i++) {
        struct json_object *value = jd_spot_value(cluster, keys[i]);
        if (value)
            json_object_object_add(info, keys[i], json_object_get(value));
    }
    struct json_object *extension = extension_of(cluster);
    if (info && extension)
        json_object_object_add(info, "config", json_object_get(extension));
    if (info && access->ca) {
        JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
        jl_put_base64(&text, access->ca, strlen(access->ca));
        json_object_object_add(info, "certificate-authority-data",
                               json_object_new_string(text.data ? text.data : ""));
    }
    return info;
}

static int put_info(const struct jd_access *access, const struct jd_spot *exec,
                    const struct jd_spot *cluster, const char *api_version, struct texts *variables,
                    struct joulie_error *err)
{
    bool wants_cluster = false;
    const int rc = jd_spot_bool(exec, "provideClusterInfo", &wants_cluster, err);
    if (rc != 0)
        return rc;
    JL_CLEANUP(jd_json_freep) struct json_object *info = json_object_new_object();
    struct json_object *spec = json_object_new_object();
    if (!info || !spec) {
        json_object_put(spec);
        return jl_fail_memory(err);
    }
    json_object_object_add(info, "kind", json_object_new_string("ExecCredential"));
    json_object_object_add(info, "apiVersion", json_object_new_string(api_version));
    json_object_object_add(info, "spec", spec);
    json_object_object_add(spec, "interactive", json_object_new_boolean(0));
    if (wants_cluster)
        json_object_object_add(spec, "cluster", cluster_info(access, cluster));
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    jd_json_put_tree(&text, info);
    return jl_buffer_code(&text) == 0 && set_variable(variables, INFO, text.data) == 0
               ? 0
               : jl_fail_memory(err);
}

/* ---- what comes of it ---- */

/* In the place of what it gave before; user is the access. */
static int take_credential(void *user, const struct jd_credential *credential)
{
    struct jd_access *const access = user;
    struct jd_pair pair = { .certificate = jl_strdup(credential->certificate),
                            .key = jl_strdup(credential->key) };
    char *const token = jl_strdup(credential->token);
    if (!pair.certificate != !credential->certificate || !pair.key != !credential->key ||
        !token != !credential->token) {
        jd_pair_clear(&pair);
        jl_free(token);
        return JOULIE_E_NOMEM;
    }
    jl_free(access->token);
    access->token = token;
    jl_free(access->authorization);
    access->authorization = NULL;
    if (!jl_same(pair.certificate, access->pair.certificate) ||
        !jl_same(pair.key, access->pair.key))
        jd_access_show(access, &pair);
    jd_pair_clear(&access->pair_before); /* a plugin gives whole pairs */
    jd_pair_clear(&pair);
    return token ? jd_access_authorize(access) : 0;
}

/* ---- all together ---- */

static int take_version(const struct jd_spot *exec, const char **out, struct joulie_error *err)
{
    const int rc = jd_spot_text(exec, "apiVersion", out, err);
    if (rc != 0)
        return rc;
    if (!*out)
        return jd_spot_fail(exec, "apiVersion", JOULIE_E_REQUIRED, "it has to be there", err);
    return jl_same(*out, GROUP "v1") || jl_same(*out, GROUP "v1beta1")
               ? 0
               : jd_spot_fail(exec, "apiVersion", JOULIE_E_UNSUPPORTED,
                              "it is neither " GROUP "v1 nor " GROUP "v1beta1", err);
}

/* A plugin never gets the terminal, so that one that needs it is not run. */
static int check_mode(const struct jd_spot *exec, const char *api_version, struct joulie_error *err)
{
    const char *mode = NULL;
    const int rc = jd_spot_text(exec, "interactiveMode", &mode, err);
    if (rc != 0)
        return rc;
    if (!mode)
        return jl_same(api_version, GROUP "v1")
                   ? jd_spot_fail(exec, "interactiveMode", JOULIE_E_REQUIRED,
                                  "it has to be Never, IfAvailable or Always", err)
                   : 0;
    if (jl_same(mode, "Always"))
        return jd_spot_fail(exec, "interactiveMode", JOULIE_E_UNSUPPORTED,
                            "a plugin that needs a terminal is not run", err);
    return jl_same(mode, "Never") || jl_same(mode, "IfAvailable")
               ? 0
               : jd_spot_fail(exec, "interactiveMode", JOULIE_E_PARSE,
                              "it is none of Never, IfAvailable and Always", err);
}

static int refuse_others(const struct jd_access *access, const struct jd_spot *user,
                         struct joulie_error *err)
{
    return access->token || access->token_file || access->authorization || access->pair.certificate
               ? jd_spot_fail(user, "exec", JOULIE_E_CONFLICT,
                              "a plugin beside a token, a password or a certificate: only one can "
                              "be used",
                              err)
               : 0;
}

static int open_plugin(struct jd_access *access, const struct jd_spot *exec,
                       const char *api_version, const char *path, const struct texts *arguments,
                       const struct texts *variables, struct joulie_error *err)
{
    char place[2 * JD_PLACE_BYTES];
    if (!access->loop)
        return jd_spot_fail(exec, NULL, JOULIE_E_UNSUPPORTED, "this program runs no plugin", err);
    snprintf(place, sizeof place, "%.*s: %s.command", JD_PLACE_BYTES - 16, exec->file->path,
             exec->place);
    const struct jd_plugin_options options = {
        .loop = access->loop,
        .place = place,
        .api_version = api_version,
        .path = path,
        .arguments = (const char *const *)arguments->items,
        .environment = (const char *const *)variables->items,
        .take = take_credential,
        .user = access,
    };
    return jd_plugin_open(&options, &access->plugin, err);
}

int jd_access_take_exec(struct jd_access *access, const struct jd_spot *user,
                        const struct jd_spot *cluster, char **environment, struct joulie_error *err)
{
    struct jd_spot exec = { .file = user->file, .object = jd_spot_value(user, "exec") };
    JL_CLEANUP(texts_clear) struct texts arguments = { 0 };
    JL_CLEANUP(texts_clear) struct texts variables = { 0 };
    JL_CLEANUP(jl_freep) char *path = NULL;
    const char *api_version = NULL;
    if (!exec.object)
        return 0;
    snprintf(exec.place, sizeof exec.place, "%.*s.exec", JD_PLACE_BYTES / 2, user->place);
    if (json_object_get_type(exec.object) != json_type_object)
        return jd_spot_fail(&exec, NULL, JOULIE_E_TYPE, "it has to be an object", err);
    int rc = refuse_others(access, user, err);
    if (rc == 0)
        rc = take_version(&exec, &api_version, err);
    if (rc == 0)
        rc = check_mode(&exec, api_version, err);
    if (rc == 0)
        rc = take_command(&exec, environment, &path, &arguments, err);
    if (rc == 0)
        rc = take_arguments(&exec, &arguments, err);
    if (rc == 0)
        rc = take_environment(&exec, environment, &variables, err);
    if (rc == 0)
        rc = put_info(access, &exec, cluster, api_version, &variables, err);
    return rc == 0 ? open_plugin(access, &exec, api_version, path, &arguments, &variables, err)
                   : rc;
}
