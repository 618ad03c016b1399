/* SPDX-License-Identifier: Apache-2.0 */

/* Which reports are news, and the patch of a NodeTwin's status that carries them
 * (docs/rules/node-agent.md#report). */

#include "agent/feedback.h"

#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "runtime/json.h"

#define NEWS_FRAC 0.02                     /* of a watt figure */
#define POWER_MS (INT64_C(15) * 60 * 1000) /* between reports of nothing but measured power */
#define RETRY_MS 20000                     /* after a failure */
#define MEASURED "watts"
#define DVFS "dvfs" /* its message has numbers that move with every sample */

static bool is_number(struct json_object *value)
{
    return json_object_is_type(value, json_type_int) ||
           json_object_is_type(value, json_type_double);
}

static bool has_moved(struct json_object *old, struct json_object *now)
{
    const double before = json_object_get_double(old);
    const double after = json_object_get_double(now);
    const double moved = after > before ? after - before : before - after;
    return moved > 0 && moved >= NEWS_FRAC * (before > 0 ? before : -before);
}

static bool is_news(struct json_object *old, struct json_object *now, bool counts_power);

static bool is_news_of_list(struct json_object *old, struct json_object *now, bool counts_power)
{
    const size_t count = json_object_array_length(now);
    if (json_object_array_length(old) != count)
        return true;
    for (size_t i = 0; i < count; i++) {
        if (is_news(json_object_array_get_idx(old, i), json_object_array_get_idx(now, i),
                    counts_power))
            return true;
    }
    return false;
}

static bool is_news_of_object(struct json_object *old, struct json_object *now, bool counts_power)
{
    const bool is_dvfs = jl_same(jd_json_text(now, "backend"), DVFS);
    json_object_object_foreach(now, key, value)
    {
        if (jl_same(key, "updatedAt") || (jl_same(key, MEASURED) && !counts_power) ||
            (is_dvfs && jl_same(key, "message")))
            continue;
        if (is_news(json_object_object_get(old, key), value, counts_power))
            return true;
    }
    json_object_object_foreach(old, old_key, old_value)
    {
        (void)old_value;
        if (!json_object_object_get_ex(now, old_key, NULL) &&
            (counts_power || !jl_same(old_key, MEASURED)))
            return true;
    }
    return false;
}

/* A word is another one, or watts moved by 2 %. Measured power alone (every `watts`) is news after
 * some time only: it moves all the time. */
static bool is_news(struct json_object *old, struct json_object *now, bool counts_power)
{
    if (is_number(now))
        return !is_number(old) || has_moved(old, now);
    if (json_object_get_type(old) != json_object_get_type(now))
        return true;
    if (json_object_is_type(now, json_type_object))
        return is_news_of_object(old, now, counts_power);
    if (json_object_is_type(now, json_type_array))
        return is_news_of_list(old, now, counts_power);
    return !json_object_equal(old, now);
}

void jd_feedback_forget(struct jd_feedback *feedback)
{
    json_object_put(feedback->published);
    feedback->published = NULL;
    feedback->is_void = feedback->sent != NULL;
}

void jd_feedback_clear(struct jd_feedback *feedback)
{
    jd_feedback_forget(feedback);
    json_object_put(feedback->sent);
    feedback->sent = NULL;
}

void jd_feedback_seen(struct jd_feedback *feedback, struct json_object *twin)
{
    struct json_object *control = jd_json_at(twin, "status.controlStatus");
    const char *updated = jd_json_text(control, "cpu.updatedAt");
    if (feedback->published || !control)
        return;
    feedback->published = json_object_get(control);
    if (updated)
        jl_parse_time(updated, strlen(updated), &feedback->published_ms);
}

void jd_log_answer(struct jd_log *log, const char *component, const char *what, bool *is_logged,
                   const struct jd_answer *answer)
{
    const bool is_bad = !jd_answer_is_good(answer);
    if (is_bad && !*is_logged)
        jd_log(log, JOULIE_LOG_LEVEL_WARN, component, "%s could not be written: %d %.32s %.200s",
               what, answer->code, answer->reason, answer->message);
    else if (!is_bad && *is_logged)
        jd_log(log, JOULIE_LOG_LEVEL_INFO, component, "%s can be written again", what);
    *is_logged = is_bad;
}

static void on_answer(void *user, const struct jd_answer *answer)
{
    struct jd_feedback *feedback = user;
    struct json_object *sent = feedback->sent;
    feedback->sent = NULL;
    if (jd_answer_is_good(answer) && !feedback->is_void) {
        jd_feedback_forget(feedback);
        feedback->published = sent;
        feedback->published_ms = feedback->sent_ms;
    } else {
        json_object_put(sent);
    }
    if (answer->code != 404) /* an object that is gone: its watch says so */
        jd_log_answer(feedback->shared->log, "status", "a NodeTwin's status", &feedback->is_logged,
                      answer);
    feedback->done(feedback->user);
}

static void put_patch(struct json_object *report, struct jl_buffer *out)
{
    jl_put_string(out, "{\"status\":{\"controlStatus\":");
    jd_json_put_tree(out, report);
    jl_put_string(out, "}}");
}

bool jd_feedback_offer(struct jd_feedback *feedback, const char *twin_name,
                       struct json_object *report, int64_t now_ms)
{
    const bool counts_power =
        now_ms < feedback->published_ms || now_ms - feedback->published_ms >= POWER_MS;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    const bool is_early =
        feedback->is_logged && now_ms >= feedback->sent_ms && now_ms - feedback->sent_ms < RETRY_MS;
    if (!report || !twin_name || feedback->sent || is_early ||
        (feedback->published && !is_news(feedback->published, report, counts_power)))
        return false;
    put_patch(report, &body);
    const struct jd_kube_call call = {
        .method = "PATCH",
        .resource = &jd_node_twins,
        .name = twin_name,
        .subresource = "status",
        .patch = JD_PATCH_MERGE,
        .body = body.data,
        .len = body.len,
        .priority = JD_PRIORITY_STATUS,
        .on_done = on_answer,
        .user = feedback,
    };
    const bool is_sent = !body.is_failed && jd_kube_start(feedback->shared->kube, &call, NULL) == 0;
    if (!is_sent)
        return false;
    feedback->sent = jd_json_copy(report);
    feedback->sent_ms = now_ms;
    feedback->is_void = false;
    return true;
}
