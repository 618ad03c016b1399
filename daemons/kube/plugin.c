/* SPDX-License-Identifier: Apache-2.0 */

/* Runs of an exec plugin (docs/rules/clients.md#exec-plugins), for access.c: when one is due, what
 * its answer means. The answer is a secret: no message has a part of it. */

#include "kube/plugin.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/time.h"
#include "kube/access_parts.h"
#include "runtime/child.h"
#include "runtime/clock.h"
#include "runtime/json.h"

#define TIMEOUT_MS 60000 /* of a run: a person may have to log in */
#define GRACE_MS 2000
#define LEAST_MS 5000    /* between two runs that gave something */
#define MARGIN_MS 10000  /* before the end of a credential the next one is fetched */
#define SLOWEST_MS 32000 /* between two runs that failed, after some of them */
#define MOST_ANSWER_BYTES (256 << 10)
#define REASON_BYTES 512

struct jd_plugin {
    struct jd_loop *loop;
    char *place;
    char *api_version;
    char *path;
    char **arguments;
    char **environment;
    int (*take)(void *user, const struct jd_credential *credential);
    void *user;
    void (*changed)(void *user);
    void *changed_user;

    struct jd_child child;
    char *answer; /* while it runs */
    bool has_credential;
    bool is_refused; /* by the server */
    bool has_expiry;
    int64_t expires_ms;         /* wall clock */
    int64_t came_ms;            /* the credential, CLOCK_MONOTONIC */
    int64_t next_ms;            /* no run before it, CLOCK_MONOTONIC */
    int64_t failures;           /* in a row */
    char problem[REASON_BYTES]; /* of the last run; "" = none */
    char why[REASON_BYTES];     /* what jd_plugin_identity() said */
};

/* ---- opening and closing ---- */

static void free_texts(char **texts)
{
    for (size_t i = 0; texts && texts[i]; i++)
        jl_free(texts[i]);
    jl_free(texts);
}

static char **copy_texts(const char *const *texts)
{
    size_t count = 0;
    while (texts[count])
        count++;
    char **copies = jl_calloc(count + 1, sizeof *copies);
    for (size_t i = 0; copies && i < count; i++) {
        copies[i] = jl_strdup(texts[i]);
        if (copies[i])
            continue;
        free_texts(copies);
        return NULL;
    }
    return copies;
}

int jd_plugin_open(const struct jd_plugin_options *options, struct jd_plugin **out,
                   struct joulie_error *err)
{
    struct jd_plugin *plugin = jl_calloc(1, sizeof *plugin);
    if (!plugin)
        return jl_fail_memory(err);
    plugin->loop = options->loop;
    plugin->place = jl_strdup(options->place);
    plugin->api_version = jl_strdup(options->api_version);
    plugin->path = jl_strdup(options->path);
    plugin->arguments = copy_texts(options->arguments);
    plugin->environment = copy_texts(options->environment);
    plugin->take = options->take;
    plugin->user = options->user;
    if (plugin->place && plugin->api_version && plugin->path && plugin->arguments &&
        plugin->environment) {
        *out = plugin;
        return 0;
    }
    jd_plugin_close(plugin);
    return jl_fail_memory(err);
}

static void drop_answer(struct jd_plugin *plugin)
{
    if (plugin->answer)
        explicit_bzero(plugin->answer, MOST_ANSWER_BYTES);
    jl_free(plugin->answer);
    plugin->answer = NULL;
}

void jd_plugin_close(struct jd_plugin *plugin)
{
    if (!plugin)
        return;
    if (jd_child_runs(&plugin->child))
        jd_child_close(&plugin->child);
    drop_answer(plugin);
    free_texts(plugin->arguments);
    free_texts(plugin->environment);
    jl_free(plugin->place);
    jl_free(plugin->api_version);
    jl_free(plugin->path);
    jl_free(plugin);
}

void jd_plugin_hear(struct jd_plugin *plugin, void (*changed)(void *user), void *user)
{
    plugin->changed = changed;
    plugin->changed_user = user;
}

const char *jd_plugin_problem(const struct jd_plugin *plugin)
{
    return plugin->problem[0] != '\0' ? plugin->problem : NULL;
}

/* ---- the answer ---- */

static const char *text_at(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    if (!json_object_object_get_ex(object, key, &value) ||
        !json_object_is_type(value, json_type_string))
        return NULL;
    const char *text = json_object_get_string(value);
    return strlen(text) == (size_t)json_object_get_string_len(value) && *text ? text : NULL;
}

static int fail(const struct jd_plugin *plugin, int code, const char *message,
                struct joulie_error *err)
{
    return jl_fail(err, code, plugin->place, "%s", message);
}

static int read_expiry(struct jd_plugin *plugin, struct json_object *status,
                       struct joulie_error *err)
{
    struct json_object *value = NULL;
    int64_t expires_ms = 0;
    const char *text = text_at(status, "expirationTimestamp");
    if (!text && json_object_object_get_ex(status, "expirationTimestamp", &value) && value)
        return fail(plugin, JOULIE_E_PARSE, "status.expirationTimestamp of its answer is no text",
                    err);
    if (text && jl_parse_time(text, strlen(text), &expires_ms) < 0)
        return fail(plugin, JOULIE_E_PARSE,
                    "status.expirationTimestamp of its answer is no time of RFC 3339", err);
    plugin->has_expiry = text != NULL;
    plugin->expires_ms = expires_ms;
    return 0;
}

static int take_status(struct jd_plugin *plugin, struct json_object *status,
                       struct joulie_error *err)
{
    const struct jd_credential credential = {
        .token = text_at(status, "token"),
        .certificate = text_at(status, "clientCertificateData"),
        .key = text_at(status, "clientKeyData"),
    };
    if (!credential.certificate != !credential.key)
        return fail(plugin, JOULIE_E_REQUIRED,
                    "its answer has one of status.clientCertificateData and status.clientKeyData",
                    err);
    if (!credential.token && !credential.certificate)
        return fail(plugin, JOULIE_E_REQUIRED,
                    "its answer has neither status.token nor status.clientCertificateData", err);
    if (credential.token && !jd_access_is_token(credential.token))
        return fail(plugin, JOULIE_E_PARSE, "status.token of its answer is no token", err);
    if (credential.certificate &&
        (!jd_access_is_pem(credential.certificate) || !jd_access_is_pem(credential.key)))
        return fail(plugin, JOULIE_E_PARSE,
                    "status.clientCertificateData or clientKeyData of its answer is no PEM", err);
    const int rc = read_expiry(plugin, status, err);
    if (rc < 0)
        return rc;
    return plugin->take(plugin->user, &credential) == 0 ? 0 : jl_fail_memory(err);
}

static int take_answer(struct jd_plugin *plugin, const struct jd_child_result *result,
                       struct joulie_error *err)
{
    char message[128];
    struct json_object *status = NULL;
    if (result->dropped > 0)
        return fail(plugin, JOULIE_E_LIMIT, "its answer is longer than 256 KiB", err);
    JL_CLEANUP(jd_json_freep)
    struct json_object *answer = jd_json_parse(result->output, result->len);
    if (!json_object_is_type(answer, json_type_object) ||
        !jl_same(text_at(answer, "kind"), "ExecCredential"))
        return fail(plugin, JOULIE_E_PARSE, "its answer is no ExecCredential", err);
    if (!jl_same(text_at(answer, "apiVersion"), plugin->api_version)) {
        snprintf(message, sizeof message, "its answer is not of %s, which the kubeconfig asks for",
                 plugin->api_version);
        return fail(plugin, JOULIE_E_PARSE, message, err);
    }
    if (!json_object_object_get_ex(answer, "status", &status) ||
        !json_object_is_type(status, json_type_object))
        return fail(plugin, JOULIE_E_REQUIRED, "its answer has no status", err);
    return take_status(plugin, status, err);
}

static int take_result(struct jd_plugin *plugin, const struct jd_child_result *result,
                       struct joulie_error *err)
{
    char message[64];
    switch (result->end) {
    case JD_CHILD_TIMED_OUT:
        return fail(plugin, JOULIE_E_IO, "no answer within 60 s", err);
    case JD_CHILD_SIGNALLED:
        snprintf(message, sizeof message, "it was ended by signal %d", result->number);
        return fail(plugin, JOULIE_E_IO, message, err);
    case JD_CHILD_EXITED:
        break;
    }
    snprintf(message, sizeof message, "it ended with exit status %d", result->number);
    return result->number == 0 ? take_answer(plugin, result, err)
                               : fail(plugin, JOULIE_E_IO, message, err);
}

/* ---- runs ---- */

static int64_t wait_after(int64_t failures)
{
    const int64_t wait_ms = INT64_C(1000) << (failures < 5 ? failures : 5);
    return wait_ms < SLOWEST_MS ? wait_ms : SLOWEST_MS;
}

static void note_failure(struct jd_plugin *plugin, const struct joulie_error *err)
{
    snprintf(plugin->problem, sizeof plugin->problem, "%.250s: %.200s", plugin->place,
             err->message);
    plugin->next_ms = jd_clock_ms() + wait_after(plugin->failures++);
}

static void note_success(struct jd_plugin *plugin)
{
    plugin->problem[0] = '\0';
    plugin->failures = 0;
    plugin->has_credential = true;
    plugin->is_refused = false;
    plugin->came_ms = jd_clock_ms();
    plugin->next_ms = plugin->came_ms + LEAST_MS;
}

static void on_done(void *user, const struct jd_child_result *result)
{
    struct jd_plugin *plugin = user;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (take_result(plugin, result, &err) == 0)
        note_success(plugin);
    else
        note_failure(plugin, &err);
    drop_answer(plugin);
    if (plugin->changed)
        plugin->changed(plugin->changed_user);
}

static void start(struct jd_plugin *plugin)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jd_child_options options = {
        .path = plugin->path,
        .arguments = (const char *const *)plugin->arguments,
        .environment = (const char *const *)plugin->environment,
        .timeout_ms = TIMEOUT_MS,
        .grace_ms = GRACE_MS,
        .is_error_shown = true,
        .output = jl_calloc(MOST_ANSWER_BYTES, 1),
        .output_bytes = MOST_ANSWER_BYTES,
        .on_done = on_done,
        .user = plugin,
    };
    plugin->answer = options.output;
    const int rc = options.output ? jd_child_start(&plugin->child, plugin->loop, &options, &err)
                                  : jl_fail_memory(&err);
    if (rc == 0)
        return;
    note_failure(plugin, &err);
    drop_answer(plugin);
}

/* ---- what is asked of it ---- */

static bool ends_within(const struct jd_plugin *plugin, int64_t wait_ms)
{
    return plugin->has_expiry && jd_clock_wall_ms() >= plugin->expires_ms - wait_ms;
}

/* One that had expired when it came is used for a while: the clock of this machine may be wrong,
 * and the server decides. */
static bool is_usable(const struct jd_plugin *plugin, int64_t now_ms)
{
    return plugin->has_credential && !plugin->is_refused &&
           (!ends_within(plugin, 0) || now_ms - plugin->came_ms < LEAST_MS);
}

static bool is_due(const struct jd_plugin *plugin, int64_t now_ms)
{
    return !jd_child_runs(&plugin->child) && now_ms >= plugin->next_ms &&
           (!plugin->has_credential || plugin->is_refused || ends_within(plugin, MARGIN_MS));
}

enum jd_identity jd_plugin_identity(struct jd_plugin *plugin, int64_t now_ms, const char **out_why)
{
    if (is_due(plugin, now_ms))
        start(plugin);
    if (is_usable(plugin, now_ms))
        return JD_IDENTITY_THERE;
    const bool is_coming = jd_child_runs(&plugin->child);
    snprintf(plugin->why, sizeof plugin->why, "%.470s%s",
             is_coming ? plugin->place : plugin->problem,
             is_coming ? ": it has not answered yet" : "");
    *out_why = plugin->why;
    return is_coming ? JD_IDENTITY_COMING : JD_IDENTITY_MISSING;
}

bool jd_plugin_refused(struct jd_plugin *plugin, int64_t started_ms, int64_t now_ms)
{
    const char *why = NULL;
    if (plugin->has_credential && plugin->came_ms > started_ms)
        return true;
    if (!jd_child_runs(&plugin->child) && now_ms < plugin->next_ms)
        return false;
    plugin->is_refused = true;
    return jd_plugin_identity(plugin, now_ms, &why) == JD_IDENTITY_COMING;
}
