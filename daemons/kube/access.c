/* SPDX-License-Identifier: Apache-2.0 */

/* Which API server, and as whom (docs/rules/clients.md#which-api-server): the choice among the
 * ways, tokens that are read again, CAs that change. access_kubeconfig.c is one of the ways. */

#include "kube/access.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "kube/access_parts.h"
#include "runtime/clock.h"
#include "runtime/json.h"
#include "runtime/loop.h"

#define POD_DIRECTORY "/var/run/secrets/kubernetes.io/serviceaccount"
#define PATH_BYTES 4096
#define WAITING_MS 1000 /* between two readings of a file that is waited for */
#define REREAD_MS 50000 /* 60 s kept, of which 10 s are left: docs/rules/clients.md#credentials */

/* ---- the service account of a pod (docs/rules/clients.md#in-a-pod) ---- */

static char *url_of(const char *host, const char *port)
{
    struct jl_buffer url = { 0 };
    const bool is_six = strchr(host, ':') != NULL && host[0] != '[';
    jd_put_format(&url, "https://%s%s%s:%s", is_six ? "[" : "", host, is_six ? "]" : "", port);
    return jl_buffer_take(&url);
}

/* Without a CA the system's are trusted, which is worth a word. */
static int read_ca(struct jd_access *access, const char *path, struct joulie_error *err)
{
    struct joulie_error problem = JOULIE_INIT(struct joulie_error);
    const int rc = jd_access_read_file(path, &access->ca, &problem);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    access->ca_file = jl_strdup(path);
    if (!access->ca_file)
        return jl_fail_memory(err);
    if (rc == 0 && !jd_access_is_pem(access->ca))
        return jl_fail(err, JOULIE_E_PARSE, path, "%s: there is no PEM in it", path);
    if (rc != 0)
        snprintf(access->note, sizeof access->note, "%.180s; the CAs of the system are trusted",
                 problem.message);
    return 0;
}

int jd_access_read_pod(struct jd_access *access, char **environment, const char *directory,
                       struct joulie_error *err)
{
    char path[PATH_BYTES];
    const char *const host = jd_access_variable(environment, "KUBERNETES_SERVICE_HOST");
    const char *const port = jd_access_variable(environment, "KUBERNETES_SERVICE_PORT");
    if (!host || !port)
        return jl_fail(err, JOULIE_E_REQUIRED, "", "not in a cluster");
    snprintf(path, sizeof path, "%s/token", directory);
    access->token_file = jl_strdup(path);
    access->server = url_of(host, port);
    if (!access->token_file || !access->server)
        return jl_fail_memory(err);
    int rc = jd_access_begin_token(access, err);
    if (rc != 0)
        return rc;
    snprintf(path, sizeof path, "%s/ca.crt", directory);
    rc = read_ca(access, path, err);
    if (rc != 0)
        return rc;
    snprintf(path, sizeof path, "%s/namespace", directory);
    /* absent: the default one */
    return jd_access_read_token(path, &access->name_space, NULL) == JOULIE_E_NOMEM
               ? jl_fail_memory(err)
               : 0;
}

/* ---- opening ---- */

static int take_text(char **out, const char *text)
{
    jl_free(*out);
    *out = jl_strdup(text);
    return *out ? 0 : JOULIE_E_NOMEM;
}

static bool is_missing(const char *path)
{
    struct stat facts;
    return stat(path, &facts) != 0 && errno == ENOENT;
}

static int read_home(struct jd_access *access, const struct jd_access_options *options,
                     struct joulie_error *err)
{
    const char *const home = jd_access_variable(options->environment, "HOME");
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer path = { 0 };
    jd_put_format(&path, "%s/.kube/config", home ? home : "");
    int rc = jl_buffer_code(&path);
    if (rc != 0)
        jl_fail_memory(err);
    else if (!home || is_missing(path.data))
        rc = jl_fail(err, JOULIE_E_REQUIRED, "",
                     "no API server: give a server or a kubeconfig, set KUBECONFIG, or run in a "
                     "cluster");
    else
        rc = jd_access_read_kubeconfig(access, options, path.data, true, err);
    return rc;
}

static int read_source(struct jd_access *access, const struct jd_access_options *options,
                       struct joulie_error *err)
{
    char **const environment = options->environment;
    const char *const named = jd_access_variable(environment, "KUBECONFIG");
    if (!jl_is_empty(options->kubeconfig))
        return jd_access_read_kubeconfig(access, options, options->kubeconfig, true, err);
    if (!jl_is_empty(options->server))
        return 0;
    if (named)
        return jd_access_read_kubeconfig(access, options, named, false, err);
    if (jd_access_variable(environment, "KUBERNETES_SERVICE_HOST") &&
        jd_access_variable(environment, "KUBERNETES_SERVICE_PORT"))
        return jd_access_read_pod(access, environment, POD_DIRECTORY, err);
    return read_home(access, options, err);
}

/* What options say over what was found. */
static int put_options(struct jd_access *access, const struct jd_access_options *options,
                       struct joulie_error *err)
{
    int rc = 0;
    if (!jl_is_empty(options->server))
        rc = take_text(&access->server, options->server);
    if (rc == 0 && !jl_is_empty(options->name_space))
        rc = take_text(&access->name_space, options->name_space);
    else if (rc == 0 && jl_is_empty(access->name_space))
        rc = take_text(&access->name_space, "default");
    if (rc != 0)
        return jl_fail_memory(err);
    if (jl_is_empty(options->token_file))
        return 0;
    jl_free(access->token);
    access->token = NULL;
    jd_plugin_close(access->plugin);
    access->plugin = NULL;
    return take_text(&access->token_file, options->token_file) == 0
               ? jd_access_begin_token(access, err)
               : jl_fail_memory(err);
}

static int complete(struct jd_access *access, struct joulie_error *err)
{
    const int rc = jd_access_complete_server(access, err);
    if (rc != 0)
        return rc;
    if (access->token && jd_access_authorize(access) != 0)
        return jl_fail_memory(err);
    access->tls.ca = access->ca;
    access->tls.certificate = access->pair.certificate;
    access->tls.key = access->pair.key;
    access->tls.server_name = access->server_name;
    access->headers = jl_calloc(access->impersonation_count + 2, sizeof *access->headers);
    return access->headers ? 0 : jl_fail_memory(err);
}

int jd_access_open(const struct jd_access_options *options, struct jd_access **out,
                   struct joulie_error *err)
{
    struct jd_access *const access = jl_calloc(1, sizeof *access);
    if (!access)
        return jl_fail_memory(err);
    access->loop = options->loop;
    access->is_patient = options->is_patient;
    int rc = read_source(access, options, err);
    if (rc == 0)
        rc = put_options(access, options, err);
    if (rc == 0)
        rc = complete(access, err);
    if (rc == 0 && !options->is_plain_allowed)
        rc = jd_access_check_plain(access, err);
    if (rc != 0) {
        jd_access_close(access);
        return rc;
    }
    *out = access;
    return 0;
}

void jd_access_close(struct jd_access *access)
{
    if (!access)
        return;
    char *const texts[] = {
        access->server,      access->shown,   access->name_space,       access->proxy,
        access->ca,          access->ca_file, access->certificate_file, access->key_file,
        access->server_name, access->token,   access->token_file,       access->authorization
    };
    jd_plugin_close(access->plugin);
    jd_pair_clear(&access->pair);
    jd_pair_clear(&access->pair_before);
    for (size_t i = 0; i < JL_COUNT(texts); i++)
        jl_free(texts[i]);
    for (size_t i = 0; i < access->impersonation_count; i++)
        jl_free(access->impersonation[i]);
    jl_free(access->impersonation);
    jl_free(access->headers);
    jl_free(access);
}

/* ---- what is asked of it ---- */

const char *jd_access_server(const struct jd_access *access)
{
    return access->server;
}

const char *jd_access_shown(const struct jd_access *access)
{
    return access->shown;
}

const char *jd_access_namespace(const struct jd_access *access)
{
    return access->name_space;
}

const char *jd_access_proxy(const struct jd_access *access)
{
    return access->proxy;
}

const struct jd_tls *jd_access_tls(const struct jd_access *access)
{
    return access->has_tls ? &access->tls : NULL;
}

const char *jd_access_note(const struct jd_access *access)
{
    return access->note;
}

/* A token that cannot be read any more stays the last good one. */
static void read_token(struct jd_access *access, int64_t now_ms)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *token = NULL;
    access->tried_ms = now_ms;
    if (jd_access_read_token(access->token_file, &token, &err) != 0) {
        jd_access_note_problem(access, &err);
        return;
    }
    const bool is_same = jl_same(token, access->token);
    char *const old = access->token;
    access->token = token;
    if (!is_same && jd_access_authorize(access) != 0) {
        access->token = old;
        jl_free(token);
        return;
    }
    jl_free(old);
    access->problem[0] = '\0';
    access->was_read = true;
    access->read_ms = now_ms;
    if (!is_same)
        access->changed_ms = now_ms;
}

/* ---- whether it is there ---- */

enum jd_identity jd_access_identity(struct jd_access *access, int64_t now_ms, const char **out_why)
{
    if (access->plugin)
        return jd_plugin_identity(access->plugin, now_ms, out_why);
    if (!access->token_file || access->token)
        return JD_IDENTITY_THERE;
    if (now_ms - access->tried_ms >= WAITING_MS)
        read_token(access, now_ms);
    *out_why = access->problem;
    return access->token ? JD_IDENTITY_THERE : JD_IDENTITY_MISSING;
}

void jd_access_hear(struct jd_access *access, void (*changed)(void *user), void *user)
{
    if (access->plugin)
        jd_plugin_hear(access->plugin, changed, user);
}

static void stop_loop(void *user)
{
    jd_loop_stop(user);
}

int jd_access_await(struct jd_access *access, struct joulie_error *err)
{
    const char *why = NULL;
    int rc = 0;
    jd_access_hear(access, stop_loop, access->loop);
    enum jd_identity identity = jd_access_identity(access, jd_clock_ms(), &why);
    while (rc == 0 && identity == JD_IDENTITY_COMING) {
        access->loop->is_stopped = false;
        rc = jd_loop_run(access->loop, err);
        identity = jd_access_identity(access, jd_clock_ms(), &why);
    }
    return rc < 0 || identity == JD_IDENTITY_THERE ? rc
                                                   : jl_fail(err, JOULIE_E_REQUIRED, "", "%s", why);
}

/* What was read at the start is not read twice. */
static void read_files(struct jd_access *access, int64_t now_ms)
{
    if (access->has_files_ms && now_ms - access->files_ms < REREAD_MS)
        return;
    if (access->has_files_ms)
        jd_access_read_certificates(access);
    access->has_files_ms = true;
    access->files_ms = now_ms;
}

const char *const *jd_access_headers(struct jd_access *access, int64_t now_ms,
                                     const char **out_problem)
{
    size_t count = 0;
    const char *problem = NULL;
    read_files(access, now_ms);
    if (access->token_file && (!access->was_read || now_ms - access->read_ms >= REREAD_MS))
        read_token(access, now_ms);
    if (access->authorization)
        access->headers[count++] = access->authorization;
    for (size_t i = 0; i < access->impersonation_count; i++)
        access->headers[count++] = access->impersonation[i];
    access->headers[count] = NULL;
    if (access->plugin)
        problem = jd_plugin_problem(access->plugin);
    else if (access->problem[0] != '\0')
        problem = access->problem;
    if (!problem && access->file_problem[0] != '\0')
        problem = access->file_problem;
    if (out_problem)
        *out_problem = problem;
    return access->headers;
}

static bool is_token_newer(struct jd_access *access, int64_t started_ms, int64_t now_ms)
{
    if (!access->token_file)
        return false;
    const int64_t changed_ms = access->changed_ms;
    if (access->was_read && access->read_ms > started_ms) /* the request had an older one */
        return changed_ms > started_ms;
    char *const before = jl_strdup(access->token);
    read_token(access, now_ms);
    const bool is_newer = before && !jl_same(before, access->token);
    jl_free(before);
    return is_newer;
}

bool jd_access_refused(struct jd_access *access, int64_t started_ms, int64_t now_ms)
{
    if (access->plugin)
        return jd_plugin_refused(access->plugin, started_ms, now_ms);
    const bool is_newer = is_token_newer(access, started_ms, now_ms);
    return jd_access_read_certificates(access) || is_newer;
}
