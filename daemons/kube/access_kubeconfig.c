/* SPDX-License-Identifier: Apache-2.0 */

/* Cluster, user and context of a kubeconfig (docs/rules/clients.md#kubeconfig) as an access, for
 * access.c. kubeconfig.c reads the files. */

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "kube/access_parts.h"
#include "kube/kubeconfig.h"

/* ---- certificates ---- */

/* The text KEY-data, else that of the file KEY, whose path goes to *out_file. */
static int get_pem(const struct jd_spot *spot, const char *key, char **out, char **out_file,
                   struct joulie_error *err)
{
    char data_key[64];
    const char *data = NULL;
    const char *file = NULL;
    snprintf(data_key, sizeof data_key, "%s-data", key);
    int rc = jd_spot_text(spot, data_key, &data, err);
    if (rc == 0)
        rc = jd_spot_text(spot, key, &file, err);
    if (rc != 0 || (!data && !file))
        return rc;
    if (data) {
        rc = jd_access_decode(data, strlen(data), out);
        if (rc == JOULIE_E_NOMEM)
            return jl_fail_memory(err);
        return rc == 0 && jd_access_is_pem(*out)
                   ? 0
                   : jd_spot_fail(spot, data_key, JOULIE_E_PARSE, "it is no base64 of PEM", err);
    }
    char *const path = jd_kubeconfig_path(spot->file, file);
    if (!path)
        return jl_fail_memory(err);
    rc = jd_access_read_file(path, out, err);
    if (rc == 0 && !jd_access_is_pem(*out))
        rc = jd_spot_fail(spot, key, JOULIE_E_PARSE, "there is no PEM in the file", err);
    if (rc == 0)
        *out_file = path;
    else
        jl_free(path);
    return rc;
}

/* ---- the three parts ---- */

static int take_proxy(struct jd_access *access, const struct jd_spot *cluster,
                      struct joulie_error *err)
{
    const int rc = jd_spot_copy(cluster, "proxy-url", &access->proxy, err);
    if (rc != 0 || !access->proxy || jl_starts_with(access->proxy, "http://") ||
        jl_starts_with(access->proxy, "https://") || jl_starts_with(access->proxy, "socks5://"))
        return rc;
    return jd_spot_fail(cluster, "proxy-url", JOULIE_E_PARSE, "it is no http, https or socks5 URL",
                        err);
}

static int take_cluster(struct jd_access *access, const struct jd_spot *cluster, const char *name,
                        struct joulie_error *err)
{
    int rc = jd_spot_copy(cluster, "server", &access->server, err);
    if (rc == 0)
        rc = jd_spot_copy(cluster, "tls-server-name", &access->server_name, err);
    if (rc == 0)
        rc = jd_spot_bool(cluster, "insecure-skip-tls-verify", &access->tls.is_unverified, err);
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
        return jd_spot_fail(cluster, "insecure-skip-tls-verify", JOULIE_E_CONFLICT,
                            "there is a certificate-authority too", err);
    return 0;
}

/* What kubectl does not know any more either. */
static int refuse_provider(const struct jd_spot *user, const char *name, struct joulie_error *err)
{
    struct jd_spot provider = { .file = user->file,
                                .object = jd_spot_value(user, "auth-provider") };
    const char *text = NULL;
    if (!provider.object)
        return 0;
    snprintf(provider.place, sizeof provider.place, "%.*s.auth-provider", JD_PLACE_BYTES / 2,
             user->place);
    if (json_object_get_type(provider.object) != json_type_object)
        return jd_spot_fail(&provider, NULL, JOULIE_E_TYPE, "it has to be an object", err);
    const int rc = jd_spot_text(&provider, "name", &text, err);
    return rc != 0 ? rc
                   : jl_fail(err, JOULIE_E_UNSUPPORTED, user->file->path,
                             "kubeconfig user \"%.100s\": auth-provider \"%.100s\" is not "
                             "supported; use an exec plugin or a token",
                             name, text ? text : "");
}

static int take_token(struct jd_access *access, const struct jd_spot *user,
                      struct joulie_error *err)
{
    const char *token = NULL;
    const char *file = NULL;
    int rc = jd_spot_text(user, "token", &token, err);
    if (rc == 0)
        rc = jd_spot_text(user, "tokenFile", &file, err);
    if (rc != 0)
        return rc;
    if (file) {
        access->token_file = jd_kubeconfig_path(user->file, file);
        return access->token_file ? jd_access_begin_token(access, err) : jl_fail_memory(err);
    }
    if (!token)
        return 0;
    if (!jd_access_is_token(token))
        return jd_spot_fail(user, "token", JOULIE_E_PARSE, "this is no token", err);
    access->token = jl_strdup(token);
    return access->token ? 0 : jl_fail_memory(err);
}

static int take_basic(struct jd_access *access, const struct jd_spot *user,
                      struct joulie_error *err)
{
    const char *name = NULL;
    const char *password = NULL;
    int rc = jd_spot_text(user, "username", &name, err);
    if (rc == 0)
        rc = jd_spot_text(user, "password", &password, err);
    if (rc != 0 || (!name && !password))
        return rc;
    if (access->token || access->token_file)
        return jd_spot_fail(user, NULL, JOULIE_E_CONFLICT,
                            "a token and a password: only one can be used", err);
    rc = jd_access_authorize_basic(access, name ? name : "", password ? password : "");
    return rc == 0 ? 0 : jl_fail_memory(err);
}

static int take_certificate(struct jd_access *access, const struct jd_spot *user,
                            struct joulie_error *err)
{
    struct jd_pair *const pair = &access->pair;
    int rc =
        get_pem(user, "client-certificate", &pair->certificate, &access->certificate_file, err);
    if (rc == 0)
        rc = get_pem(user, "client-key", &pair->key, &access->key_file, err);
    if (rc == 0 && !pair->certificate != !pair->key)
        return jd_spot_fail(user, pair->key ? "client-certificate" : "client-key",
                            JOULIE_E_REQUIRED, "certificate and key belong together", err);
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
static int add_headers(struct jd_access *access, const struct jd_spot *spot, const char *key,
                       struct json_object *list, const char *name, struct joulie_error *err)
{
    if (list && json_object_get_type(list) != json_type_array)
        return jd_spot_fail(spot, key, JOULIE_E_TYPE, "it has to be a list of strings", err);
    for (size_t i = 0; list && i < json_object_array_length(list); i++) {
        struct json_object *const value = json_object_array_get_idx(list, i);
        if (json_object_get_type(value) != json_type_string ||
            !is_header_value(json_object_get_string(value)))
            return jd_spot_fail(spot, key, JOULIE_E_TYPE, "it has to be a list of strings", err);
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

static int add_extra(struct jd_access *access, const struct jd_spot *user, struct joulie_error *err)
{
    struct json_object *const extra = jd_spot_value(user, "as-user-extra");
    if (extra && json_object_get_type(extra) != json_type_object)
        return jd_spot_fail(user, "as-user-extra", JOULIE_E_TYPE, "it has to be an object of lists",
                            err);
    int rc = 0;
    if (!extra)
        return 0;
    json_object_object_foreach(extra, key, list)
    {
        JL_CLEANUP(jl_buffer_clear) struct jl_buffer name = { 0 };
        jl_put_string(&name, "Impersonate-Extra-");
        put_header_name(&name, key);
        if (rc == 0)
            rc = jl_buffer_code(&name) == 0
                     ? add_headers(access, user, "as-user-extra", list, name.data, err)
                     : jl_fail_memory(err);
    }
    return rc;
}

static int take_impersonation(struct jd_access *access, const struct jd_spot *user,
                              struct joulie_error *err)
{
    const char *as = NULL;
    const char *uid = NULL;
    int rc = jd_spot_text(user, "as", &as, err);
    if (rc == 0)
        rc = jd_spot_text(user, "as-uid", &uid, err);
    if (rc != 0)
        return rc;
    if ((as && !is_header_value(as)) || (uid && !is_header_value(uid)))
        return jd_spot_fail(user, "as", JOULIE_E_PARSE, "a header cannot hold it", err);
    if (as)
        rc = add_header(access, "Impersonate-User", as, err);
    if (rc == 0 && uid)
        rc = add_header(access, "Impersonate-Uid", uid, err);
    if (rc == 0)
        rc = add_headers(access, user, "as-groups", jd_spot_value(user, "as-groups"),
                         "Impersonate-Group", err);
    if (rc == 0)
        rc = add_extra(access, user, err);
    if (rc == 0 && !as && access->impersonation_count > 0)
        return jd_spot_fail(user, "as", JOULIE_E_REQUIRED,
                            "as-uid, as-groups and as-user-extra need it", err);
    return rc;
}

static int take_user(struct jd_access *access, const struct jd_spot *user, const char *name,
                     struct joulie_error *err)
{
    int rc = refuse_provider(user, name, err);
    if (rc == 0)
        rc = take_token(access, user, err);
    if (rc == 0)
        rc = take_basic(access, user, err);
    if (rc == 0)
        rc = take_certificate(access, user, err);
    return rc == 0 ? take_impersonation(access, user, err) : rc;
}

/* ---- all together ---- */

static int resolve(struct jd_access *access, const struct jd_kubeconfig *files,
                   const struct jd_access_options *options, struct joulie_error *err)
{
    struct jd_spot context = { 0 };
    struct jd_spot cluster = { 0 };
    struct jd_spot user = { 0 };
    const char *name = NULL;
    const char *cluster_name = NULL;
    const char *user_name = NULL;
    int rc = jd_kubeconfig_context(files, options->context, &name, err);
    if (rc == 0)
        rc = jd_kubeconfig_find(files, &jd_kubeconfig_contexts, name, &context, err);
    if (rc == 0)
        rc = jd_spot_text(&context, "cluster", &cluster_name, err);
    if (rc == 0)
        rc = jd_spot_text(&context, "user", &user_name, err);
    if (rc != 0)
        return rc;
    if (!cluster_name || !user_name)
        return jl_fail(err, JOULIE_E_REQUIRED, context.file->path,
                       "%s: the context \"%.200s\" names no %s", context.file->path, name,
                       cluster_name ? "user" : "cluster");
    rc = jd_spot_copy(&context, "namespace", &access->name_space, err);
    if (rc == 0)
        rc = jd_kubeconfig_find(files, &jd_kubeconfig_clusters, cluster_name, &cluster, err);
    if (rc == 0)
        rc = take_cluster(access, &cluster, cluster_name, err);
    if (rc == 0)
        rc = jd_kubeconfig_find(files, &jd_kubeconfig_users, user_name, &user, err);
    if (rc == 0)
        rc = take_user(access, &user, user_name, err);
    return rc == 0 ? jd_access_take_exec(access, &user, &cluster, options->environment, err) : rc;
}

int jd_access_read_kubeconfig(struct jd_access *access, const struct jd_access_options *options,
                              const char *list, bool is_explicit, struct joulie_error *err)
{
    struct jd_kubeconfig *const files = jl_calloc(1, sizeof *files);
    if (!files)
        return jl_fail_memory(err);
    int rc = jd_kubeconfig_read(files, list, is_explicit, err);
    if (rc == 0)
        rc = resolve(access, files, options, err);
    jd_kubeconfig_clear(files);
    jl_free(files);
    return rc;
}
