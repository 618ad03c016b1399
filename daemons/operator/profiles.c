/* SPDX-License-Identifier: Apache-2.0 */

/* TelemetryProfiles as the operator sees them (docs/rules/endpoints.md#telemetryprofiles). The feed
 * hands them over, operator.c says when conditions may be written, telemetry.c asks for sources. */

#include "operator/profiles.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "kube/client.h"
#include "runtime/json.h"

#define COMPONENT "profiles"
#define CONDITION "Accepted"
#define MOST_WRITES 8 /* at a time */

int jd_profiles_open(struct jd_profiles *profiles, struct joulie_error *err)
{
    return joulie_remote_profiles_new(&profiles->good, err);
}

static void drop(struct jd_judged *judged)
{
    json_object_put(judged->said);
    jl_free(judged->name);
    jl_free(judged);
}

void jd_profiles_close(struct jd_profiles *profiles)
{
    for (size_t i = 0; i < profiles->count; i++) {
        if (profiles->judged[i]->is_busy)
            jd_kube_cancel(profiles->shared->kube, profiles->judged[i]);
        drop(profiles->judged[i]);
    }
    jl_free(profiles->judged);
    joulie_remote_profiles_free(profiles->good);
    *profiles = (struct jd_profiles){ 0 };
}

/* ---- as they come and go ---- */

static struct jd_judged *find(const struct jd_profiles *profiles, const char *name)
{
    for (size_t i = 0; i < profiles->count; i++) {
        if (!profiles->judged[i]->is_gone && jl_same(profiles->judged[i]->name, name))
            return profiles->judged[i];
    }
    return NULL;
}

static struct jd_judged *judged_of(struct jd_profiles *profiles, const char *name)
{
    struct jd_judged *judged = find(profiles, name);
    if (judged)
        return judged;
    if (JL_GROW(&profiles->judged, &profiles->capacity, profiles->count + 1) < 0)
        return NULL;
    judged = jl_calloc(1, sizeof *judged);
    if (!judged)
        return NULL;
    judged->name = jl_strdup(name);
    if (!judged->name) {
        jl_free(judged);
        return NULL;
    }
    judged->profiles = profiles;
    profiles->judged[profiles->count++] = judged;
    return judged;
}

static struct json_object *condition_in(struct json_object *conditions)
{
    for (size_t i = 0; i < jd_json_count(conditions); i++) {
        struct json_object *condition = json_object_array_get_idx(conditions, i);
        if (jl_same(jd_json_text(condition, "type"), CONDITION))
            return condition;
    }
    return NULL;
}

static int64_t generation_at(struct json_object *object, const char *path)
{
    double number = 0;
    return jd_json_number(object, path, &number) ? (int64_t)number : 0;
}

static const char *status_word(const struct jd_judged *judged)
{
    return judged->is_accepted ? "True" : "False";
}

static bool says_so(const struct jd_judged *judged, struct json_object *object)
{
    struct json_object *condition = condition_in(judged->said);
    return jl_same(jd_json_text(condition, "status"), status_word(judged)) &&
           jl_same(jd_json_word(condition, "message"), judged->message) &&
           generation_at(object, "status.observedGeneration") == judged->generation;
}

/* A line for each thing that is wrong, and one when nothing is any more. */
static void report(const struct jd_profiles *profiles, const struct jd_judged *judged,
                   const char *before)
{
    struct jd_log *log = profiles->shared->log;
    if (!judged->is_accepted && !jl_same(before, judged->message))
        jd_log(log, JOULIE_LOG_LEVEL_WARN, COMPONENT,
               "TelemetryProfile %.253s does not count, what it was before does: %s", judged->name,
               judged->message);
    else if (judged->is_accepted && before[0])
        jd_log(log, JOULIE_LOG_LEVEL_INFO, COMPONENT, "TelemetryProfile %.253s counts again",
               judged->name);
}

/* What memory ran out for is not judged. */
static int judge(struct jd_profiles *profiles, struct jd_judged *judged, const char *text,
                 size_t len)
{
    struct joulie_error why = JOULIE_INIT(struct joulie_error);
    char before[sizeof judged->message];
    const int rc = joulie_remote_profiles_put(profiles->good, text, len, &why);
    if (rc == JOULIE_E_NOMEM)
        return rc;
    memcpy(before, judged->message, sizeof before);
    judged->is_accepted = rc == JOULIE_OK;
    snprintf(judged->message, sizeof judged->message, "%s%s%s",
             judged->is_accepted ? "" : why.where, judged->is_accepted ? "" : ": ",
             judged->is_accepted ? "" : why.message);
    judged->message[jl_utf8_cut(judged->message, strlen(judged->message),
                                sizeof judged->message - 1)] = '\0';
    report(profiles, judged, before);
    return 0;
}

int jd_profiles_put(struct jd_profiles *profiles, const char *text, size_t len,
                    struct joulie_error *err)
{
    JL_CLEANUP(jd_json_freep) struct json_object *object = jd_json_parse(text, len);
    const char *name = jd_json_text(object, "metadata.name");
    struct jd_judged *judged = name ? judged_of(profiles, name) : NULL;
    if (!judged)
        return name ? jl_fail_memory(err)
                    : jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "is missing");
    if (judge(profiles, judged, text, len) < 0)
        return jl_fail_memory(err);
    judged->generation = generation_at(object, "metadata.generation");
    json_object_put(judged->said);
    struct json_object *conditions = jd_json_at(object, "status.conditions");
    judged->said = conditions ? json_object_get(conditions) : NULL;
    judged->is_said = says_so(judged, object);
    judged->has_failed = false;
    return 0;
}

static void forget(struct jd_profiles *profiles, struct jd_judged *judged)
{
    size_t i = 0;
    judged->is_gone = true;
    while (i < profiles->count && profiles->judged[i] != judged)
        i++;
    if (judged->is_busy || i == profiles->count)
        return;
    profiles->judged[i] = profiles->judged[--profiles->count];
    drop(judged);
}

void jd_profiles_remove(struct jd_profiles *profiles, const char *name)
{
    struct jd_judged *judged = find(profiles, name);
    (void)joulie_remote_profiles_remove(profiles->good, name, NULL);
    if (judged)
        forget(profiles, judged);
}

/* ---- what is said of them ---- */

static void on_said(void *user, const struct jd_answer *answer)
{
    struct jd_judged *judged = user;
    struct jd_profiles *profiles = judged->profiles;
    const bool is_good = jd_answer_is_good(answer) || answer->code == 404; /* it is gone */
    profiles->in_flight--;
    judged->is_busy = false;
    judged->has_failed = !is_good;
    jd_clock_release(profiles->shared->clock);
    if (!is_good && profiles->logged_code != answer->code)
        jd_log(profiles->shared->log, JOULIE_LOG_LEVEL_WARN, COMPONENT,
               "the status of TelemetryProfile %.253s cannot be written: %d %.200s", judged->name,
               answer->code, answer->message);
    profiles->logged_code = is_good ? 0 : answer->code;
    if (judged->is_gone)
        forget(profiles, judged);
    else
        jd_profiles_say(profiles, false);
}

/* Since when it is what it is. */
static void put_since(const struct jd_profiles *profiles, const struct jd_judged *judged,
                      struct jl_buffer *out)
{
    struct jd_clock *clock = profiles->shared->clock;
    struct json_object *before = condition_in(judged->said);
    const char *since = jd_json_text(before, "lastTransitionTime");
    if (since && jl_same(jd_json_text(before, "status"), status_word(judged)))
        jd_json_put_text(out, "lastTransitionTime", since);
    else
        jd_json_put_time(out, "lastTransitionTime",
                         jd_clock_stamp_ms(clock, jd_policy_now_ms(clock)));
}

static void put_generation(const struct jd_judged *judged, struct jl_buffer *out)
{
    if (judged->generation == 0)
        return;
    jd_json_put_key(out, "observedGeneration");
    jl_put_i64(out, judged->generation);
}

/* Conditions of others stay. */
static void put_status(const struct jd_profiles *profiles, const struct jd_judged *judged,
                       struct jl_buffer *out)
{
    jl_put_string(out, "{\"status\":{\"conditions\":[");
    for (size_t i = 0; i < jd_json_count(judged->said); i++) {
        struct json_object *condition = json_object_array_get_idx(judged->said, i);
        if (jl_same(jd_json_text(condition, "type"), CONDITION))
            continue;
        jd_json_put_tree(out, condition);
        jl_put_char(out, ',');
    }
    jl_put_char(out, '{');
    jd_json_put_text(out, "type", CONDITION);
    jd_json_put_text(out, "status", status_word(judged));
    jd_json_put_text(out, "reason", judged->is_accepted ? "Accepted" : "Invalid");
    jd_json_put_text(out, "message", judged->message);
    put_since(profiles, judged, out);
    put_generation(judged, out);
    jl_put_string(out, "}]");
    put_generation(judged, out);
    jl_put_string(out, "}}");
}

static bool say(struct jd_profiles *profiles, struct jd_judged *judged)
{
    const struct jd_shared *shared = profiles->shared;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    put_status(profiles, judged, &body);
    const struct jd_kube_call call = {
        .method = "PATCH",
        .resource = &jd_telemetry_profiles,
        .name = judged->name,
        .subresource = "status",
        .patch = JD_PATCH_MERGE,
        .body = body.data,
        .len = body.len,
        .priority = JD_PRIORITY_STATUS,
        .on_done = on_said,
        .user = judged,
    };
    if (body.is_failed || jd_kube_start(shared->kube, &call, NULL) < 0)
        return false;
    judged->is_said = true; /* until its watch says otherwise */
    judged->is_busy = true;
    profiles->in_flight++;
    jd_clock_hold(shared->clock);
    return true;
}

void jd_profiles_say(struct jd_profiles *profiles, bool is_step)
{
    for (size_t i = 0; i < profiles->count && profiles->in_flight < MOST_WRITES; i++) {
        struct jd_judged *judged = profiles->judged[i];
        const bool is_due = judged->has_failed ? is_step : !judged->is_said;
        if (is_due && !judged->is_busy && !say(profiles, judged))
            return;
    }
}

/* ---- where power is read ---- */

int jd_profiles_source(const struct jd_profiles *profiles, const char *node_name,
                       struct joulie_remote_endpoint *out)
{
    static const struct joulie_remote_settings none = { .struct_size = sizeof none };
    JL_CLEANUP(jl_freep) char *labels = NULL;
    *out = JOULIE_INIT(struct joulie_remote_endpoint);
    if (profiles->count == 0)
        return JOULIE_OK;
    const int rc = joulie_cluster_node_labels(profiles->shared->cluster, node_name, &labels, NULL);
    return rc < 0 ? rc
                  : joulie_remote_profiles_resolve(profiles->good, &none, node_name, labels,
                                                   strlen(labels), JOULIE_REMOTE_ROLE_CPU_SOURCE,
                                                   out, NULL);
}
