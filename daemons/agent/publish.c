/* SPDX-License-Identifier: Apache-2.0 */

/* When a NodeHardware is written and what is written: only what changed, and never another
 * manager's object (docs/rules/node-agent.md#hardware-of-a-host). */

#include "agent/publish.h"

#include <string.h>

#include <joulie/object.h>

#include "agent/feedback.h"
#include "base/text.h"
#include "base/time.h"
#include "runtime/json.h"

#define MANAGED_BY "joulie.io/managed-by"
#define OURS "joulie-agent"
#define RETRY_MS 20000 /* after an attempt that came to nothing */
#define AGAIN_MS 5000  /* after one whose object was deleted: somebody may do that each time */
#define REPEAT_MS (INT64_C(30) * 60 * 1000)

void jd_publish_clear(struct jd_publish *publish)
{
    json_object_put(publish->known);
    json_object_put(publish->wanted);
    *publish = (struct jd_publish){ 0 };
}

void jd_publish_seen(struct jd_publish *publish, struct json_object *object)
{
    publish->is_deleted = publish->known && !object;
    json_object_put(publish->known);
    publish->known = object ? json_object_get(object) : NULL;
}

void jd_publish_renew(struct jd_publish *publish)
{
    json_object_put(publish->wanted);
    publish->wanted = NULL;
}

/* The label has a dot and a slash in its name: no path leads there. */
static const char *manager_of(struct json_object *object)
{
    struct json_object *labels = jd_json_at(object, "metadata.labels");
    return json_object_get_string(json_object_object_get(labels, MANAGED_BY));
}

static bool is_foreign(const struct jd_publish *publish)
{
    const char *manager = manager_of(publish->known);
    return manager && !jl_same(manager, OURS);
}

static bool is_old(const struct jd_publish *publish, int64_t now_ms)
{
    const char *updated = jd_json_text(publish->known, "status.updatedAt");
    const int64_t stamp_ms = jd_clock_stamp_ms(publish->shared->clock, now_ms);
    int64_t at_ms = 0;
    return !updated || jl_parse_time(updated, strlen(updated), &at_ms) < 0 ||
           stamp_ms - at_ms >= REPEAT_MS || stamp_ms < at_ms; /* the clock was set back */
}

bool jd_publish_is_due(const struct jd_publish *publish, int64_t now_ms)
{
    const int64_t wait_ms = publish->is_deleted ? AGAIN_MS : RETRY_MS;
    const bool is_early =
        publish->has_tried && now_ms >= publish->tried_ms && now_ms - publish->tried_ms < wait_ms;
    return !publish->is_busy && !is_early && !is_foreign(publish) &&
           (!publish->wanted || !publish->known || is_old(publish, now_ms));
}

static void put_label(struct jl_buffer *out)
{
    jl_put_string(out, "\"labels\":{\"" MANAGED_BY "\":\"" OURS "\"}");
}

static void log_answer(struct jd_publish *publish, const struct jd_answer *answer)
{
    jd_log_answer(publish->shared->log, "hardware", "a NodeHardware", &publish->is_logged, answer);
}

static void end(struct jd_publish *publish)
{
    publish->is_busy = false;
    publish->done(publish->user);
}

static void on_patched(void *user, const struct jd_answer *answer)
{
    struct jd_publish *publish = user;
    if (answer->code != 404) /* an object that is gone: its watch says so */
        log_answer(publish, answer);
    end(publish);
}

/* What the object says, without the time of it. */
static struct json_object *status_of(struct json_object *object)
{
    struct json_object *copy = jd_json_copy(json_object_object_get(object, "status"));
    if (copy)
        json_object_object_del(copy, "updatedAt");
    return copy;
}

/* An object of nothing but this status, to be compared; NULL = memory ran out. */
static struct joulie_object *bare(struct json_object *object)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct joulie_object *out = NULL;
    JL_CLEANUP(jd_json_freep) struct json_object *status = status_of(object);
    jl_put_string(&text, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\","
                         "\"metadata\":{\"name\":\"n\"},\"spec\":{\"nodeName\":\"n\"},\"status\":");
    if (status)
        jd_json_put_tree(&text, status);
    else
        jl_put_string(&text, "{}");
    jl_put_char(&text, '}');
    if (!text.is_failed)
        (void)joulie_object_parse(text.data, text.len, NULL, JOULIE_OBJECT_LENIENT, &out, NULL);
    return out;
}

/* The merge patch of the status from what is known to what is wanted; NULL = memory ran out. */
static struct json_object *compare(const struct jd_publish *publish, bool *out_changed)
{
    struct joulie_object *before = bare(publish->known);
    struct joulie_object *after = bare(publish->wanted);
    if (!before)
        before = bare(NULL); /* what stands there is no status: all of ours is written */
    struct json_object *patch = NULL;
    JL_CLEANUP(jl_freep) char *text = NULL;
    if (before && after && joulie_object_diff(before, after, &text, NULL) == JOULIE_OK) {
        JL_CLEANUP(jd_json_freep) struct json_object *whole = jd_json_parse(text, strlen(text));
        struct json_object *status = json_object_object_get(whole, "status");
        *out_changed = status != NULL;
        patch = status ? json_object_get(status) : json_object_new_object();
    }
    joulie_object_free(before);
    joulie_object_free(after);
    return patch;
}

/* POST makes the object, PATCH changes it. */
static bool send(struct jd_publish *publish, const char *method, const char *subresource,
                 const struct jl_buffer *body,
                 void (*done)(void *user, const struct jd_answer *answer))
{
    const bool is_new = jl_same(method, "POST");
    const struct jd_kube_call call = {
        .method = method,
        .resource = &jd_node_hardwares,
        .name = is_new ? NULL : jd_json_text(publish->wanted, "metadata.name"),
        .subresource = subresource,
        .patch = is_new ? JD_PATCH_NONE : JD_PATCH_MERGE,
        .body = body->data,
        .len = body->len,
        .priority = JD_PRIORITY_STATUS,
        .on_done = done,
        .user = publish,
    };
    return !body->is_failed && jd_kube_start(publish->shared->kube, &call, NULL) == 0;
}

static bool patch_status(struct jd_publish *publish, int64_t now_ms)
{
    bool is_changed = false;
    JL_CLEANUP(jd_json_freep) struct json_object *patch = compare(publish, &is_changed);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    char now[JL_TIME_TEXT];
    if (!patch)
        return false;
    jl_format_time(jd_clock_stamp_ms(publish->shared->clock, now_ms), now);
    json_object_object_add(patch, "updatedAt", json_object_new_string(now));
    jl_put_string(&body, "{\"status\":");
    jd_json_put_tree(&body, patch);
    jl_put_char(&body, '}');
    const bool is_due = is_changed || is_old(publish, now_ms);
    return is_due && send(publish, "PATCH", "status", &body, on_patched);
}

/* A new object, or one that is labelled as ours: its status is written next. */
static void on_made(void *user, const struct jd_answer *answer)
{
    struct jd_publish *publish = user;
    int64_t now_ms = jd_policy_now_ms(publish->shared->clock);
    if (jd_answer_is_good(answer)) {
        JL_CLEANUP(jd_json_freep)
        struct json_object *object = jd_json_parse(answer->body, answer->len);
        jd_publish_seen(publish, object);
        if (patch_status(publish, now_ms))
            return;
    } else if (!jl_same(answer->reason, "AlreadyExists")) { /* its watch will show it */
        log_answer(publish, answer);
    }
    end(publish);
}

static bool make(struct jd_publish *publish)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    jl_put_string(&body, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\","
                         "\"metadata\":{");
    jd_json_put_text(&body, "name", jd_json_text(publish->wanted, "metadata.name"));
    jl_put_char(&body, ',');
    put_label(&body);
    jl_put_string(&body, "},\"spec\":{");
    jd_json_put_text(&body, "nodeName", jd_json_text(publish->wanted, "spec.nodeName"));
    jl_put_string(&body, "}}");
    return send(publish, "POST", NULL, &body, on_made);
}

/* An object without a manager was made by hand or by an older agent: it becomes ours. */
static bool adopt(struct jd_publish *publish)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    jl_put_string(&body, "{\"metadata\":{");
    put_label(&body);
    jl_put_string(&body, "}}");
    return send(publish, "PATCH", NULL, &body, on_made);
}

static bool is_of_another_node(const struct jd_publish *publish)
{
    const char *name = jd_json_text(publish->known, "spec.nodeName");
    return name && !jl_same(name, jd_json_text(publish->wanted, "spec.nodeName"));
}

bool jd_publish_offer(struct jd_publish *publish, const char *object, int64_t now_ms)
{
    if (publish->is_busy)
        return false;
    publish->has_tried = true;
    publish->is_deleted = false;
    publish->tried_ms = now_ms;
    json_object_put(publish->wanted);
    publish->wanted = jd_json_parse(object, strlen(object));
    if (!publish->wanted)
        return false;
    if (is_foreign(publish) || is_of_another_node(publish)) {
        if (!publish->is_foreign_logged)
            jd_log(publish->shared->log, JOULIE_LOG_LEVEL_INFO, "hardware",
                   "NodeHardware %.253s is somebody else's: it stays as it is",
                   jd_json_text(publish->wanted, "metadata.name"));
        publish->is_foreign_logged = true;
        return false;
    }
    if (!publish->known)
        publish->is_busy = make(publish);
    else if (!manager_of(publish->known))
        publish->is_busy = adopt(publish);
    else
        publish->is_busy = patch_status(publish, now_ms);
    return publish->is_busy;
}
