/* SPDX-License-Identifier: Apache-2.0 */

/* The scoring profile of the model: at the start, and when its file changes
 * (docs/rules/extender.md#scoring-profile). */

#include "scheduler/scoring.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/clock.h"
#include "runtime/json.h"
#include "scheduler/options.h"

#define POLL_MS 2000

static bool is_word(const char *name)
{
    for (size_t i = 0; jd_scoring_words[i]; i++) {
        if (jl_same(name, jd_scoring_words[i]))
            return true;
    }
    return false;
}

/* ---- into the model ---- */

static void see_settings(struct jd_scoring *scoring)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    if (joulie_cluster_settings(scoring->cluster, &json, NULL) < 0)
        return;
    JL_CLEANUP(jd_json_freep) struct json_object *root = jd_json_parse(json, strlen(json));
    const char *const given = jd_json_text(root, "scoring.profileName");
    const char *const rules = given ? given : jd_json_text(root, "scoringProfile");
    snprintf(scoring->rules, sizeof scoring->rules, "%s", rules ? rules : "");
    snprintf(scoring->digest, sizeof scoring->digest, "%016llx",
             (unsigned long long)jl_hash(json, strlen(json)));
}

static int take(struct jd_scoring *scoring, struct joulie_error *err)
{
    const int rc =
        joulie_cluster_set_scoring(scoring->cluster, scoring->text.data, scoring->text.len, err);
    if (rc == 0)
        see_settings(scoring);
    return rc;
}

static int take_word(struct jd_scoring *scoring, struct joulie_error *err)
{
    jl_put_string(&scoring->text, "{\"profileName\":\"");
    jl_put_string(&scoring->text, scoring->name);
    jl_put_string(&scoring->text, "\"}");
    return scoring->text.is_failed ? jl_fail_memory(err) : take(scoring, err);
}

/* An empty file is a profile that leaves everything out. */
static int read_text(struct jd_scoring *scoring, struct jl_buffer *out, struct joulie_error *err)
{
    const int rc = jd_polled_read(&scoring->file, JL_LIMIT_OBJECT_BYTES, out, err);
    if (rc == 0 && out->len == 0)
        jl_put_string(out, "{}");
    return rc == 0 && out->is_failed ? jl_fail_memory(err) : rc;
}

/* ---- a file that changes ---- */

/* Each thing that is wrong once. */
static void log_bad(struct jd_scoring *scoring, const struct joulie_error *err)
{
    struct jl_buffer text = { 0 };
    jd_put_place(&text, scoring->file.path, err);
    if (!text.is_failed && !jl_same(text.data, scoring->problem.data)) {
        scoring->failures++;
        jd_log(scoring->log, JOULIE_LOG_LEVEL_ERROR, "scoring",
               "%s; the profile from before stays in force", text.data);
    }
    jl_buffer_clear(&scoring->problem);
    scoring->problem = text;
}

static void poll_file(void *user)
{
    struct jd_scoring *const scoring = user;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    jd_timer_set(scoring->loop, &scoring->timer, jd_clock_ms() + POLL_MS);
    if (!jd_polled_may_differ(&scoring->file))
        return;
    int rc = read_text(scoring, &text, &err);
    if (rc == 0 && jl_buffer_is_same(&text, &scoring->text) && !scoring->problem.data)
        return;
    if (rc == 0) {
        const struct jl_buffer before = scoring->text;
        scoring->text = text;
        text = before;
        rc = take(scoring, &err);
    }
    if (rc < 0) {
        log_bad(scoring, &err);
        return;
    }
    jl_buffer_clear(&scoring->problem);
    scoring->reloads++;
    jd_log(scoring->log, JOULIE_LOG_LEVEL_INFO, "scoring", "%s was read anew and is in force",
           scoring->file.path);
}

/* ---- opening ---- */

static int open_file(struct jd_scoring *scoring, struct joulie_error *err)
{
    struct joulie_error why = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    scoring->file.path = scoring->name;
    int rc = read_text(scoring, &scoring->text, &why);
    const bool is_read = rc == 0;
    if (is_read)
        rc = take(scoring, &why);
    if (rc == 0) {
        scoring->timer = (struct jd_timer){ .fire = poll_file, .user = scoring };
        return jd_timer_set(scoring->loop, &scoring->timer, jd_clock_ms() + POLL_MS) < 0
                   ? jl_fail_memory(err)
                   : 0;
    }
    jd_put_place(&text, scoring->name, &why);
    return jl_fail(err, rc, "", "%s%s", text.is_failed ? scoring->name : text.data,
                   is_read ? "" : "; words are current, v0.1.1, legacy and efficiency");
}

int jd_scoring_open(struct jd_scoring *scoring, const char *name, struct joulie_error *err)
{
    scoring->name = name;
    return is_word(name) ? take_word(scoring, err) : open_file(scoring, err);
}

bool jd_scoring_is_by_pods(const struct jd_scoring *scoring)
{
    return jl_same(scoring->rules, "efficiency");
}

void jd_scoring_close(struct jd_scoring *scoring)
{
    if (scoring->loop)
        jd_timer_stop(scoring->loop, &scoring->timer);
    jl_buffer_clear(&scoring->text);
    jl_buffer_clear(&scoring->problem);
}
