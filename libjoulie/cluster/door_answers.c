/* SPDX-License-Identifier: Apache-2.0 */

/* The public door, answers: who may run where, how well, and why. */

#include <string.h>

#include "base/error.h"
#include "cluster/door.h"
#include "schema/encode.h"

/* ---- placement ---- */

/* The pod's scores over every node; they live until the next answer. */
static int score_text(struct joulie_cluster *cluster, const char *pod, size_t len, int64_t now_ms,
                      const struct jl_cluster_score **out, size_t *out_count,
                      struct joulie_error *err)
{
    JL_CLEANUP(jl_cluster_door_close) struct door_document document = { 0 };
    int rc = jl_cluster_door_open(&document, pod, len, JL_LENIENT, err);
    const struct jl_pod *object =
        rc == 0 ? jl_cluster_door_read(&document, &jl_pod_table, &rc) : NULL;
    return object != NULL
               ? jl_cluster_score_pod(cluster->model, object, now_ms, out, out_count, err)
               : rc;
}

static int take_text(struct jl_buffer *buffer, char **json, struct joulie_error *err)
{
    char *text = jl_buffer_take(buffer);
    if (text == NULL)
        return jl_fail_memory(err);
    *json = text;
    return 0;
}

static void put_filter(struct jl_buffer *out, const struct jl_cluster_score *scores, size_t count)
{
    size_t written = 0;
    jl_put_string(out, "{\"passed\":[");
    for (size_t i = 0; i < count; i++) {
        if (scores[i].rejected != NULL)
            continue;
        jl_put_string(out, written++ > 0 ? "," : "");
        jl_cluster_door_put_text(out, scores[i].node_name);
    }
    jl_put_string(out, "],\"failed\":{");
    written = 0;
    for (size_t i = 0; i < count; i++) {
        if (scores[i].rejected == NULL)
            continue;
        jl_put_string(out, written++ > 0 ? "," : "");
        jl_cluster_door_put_text(out, scores[i].node_name);
        jl_put_char(out, ':');
        jl_cluster_door_put_text(out, scores[i].rejected);
    }
    jl_put_string(out, "}}");
}

static void put_scores(struct jl_buffer *out, const struct jl_cluster_score *scores, size_t count)
{
    jl_put_string(out, "{\"scores\":[");
    for (size_t i = 0; i < count; i++) {
        jl_put_string(out, i > 0 ? ",{\"node\":" : "{\"node\":");
        jl_cluster_door_put_text(out, scores[i].node_name);
        jl_put_string(out, ",\"score\":");
        jl_put_i64(out, scores[i].score);
        jl_put_string(out, ",\"wire\":");
        jl_put_i64(out, scores[i].wire);
        jl_put_string(out, scores[i].is_known ? ",\"known\":true" : ",\"known\":false}");
        if (!scores[i].is_known)
            continue;
        jl_put_string(out, ",\"raw\":");
        jl_put_double(out, scores[i].raw);
        jl_put_string(out, ",\"headroom\":");
        jl_put_double(out, scores[i].headroom);
        jl_put_char(out, '}');
    }
    jl_put_string(out, "]}");
}

static int answer(struct joulie_cluster *cluster, const char *pod, size_t len, int64_t now_ms,
                  void (*put)(struct jl_buffer *, const struct jl_cluster_score *, size_t),
                  char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer buffer = { 0 };
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    const struct jl_cluster_score *scores = NULL;
    size_t count = 0;
    int rc = score_text(cluster, pod, len, now_ms, &scores, &count, &full);
    if (rc == 0) {
        put(&buffer, scores, count);
        rc = take_text(&buffer, json, &full);
    }
    return jl_cluster_door_return(rc, &full, err);
}

int joulie_cluster_filter(struct joulie_cluster *cluster, const char *pod, size_t len,
                          int64_t now_ms, char **json, struct joulie_error *err)
{
    return answer(cluster, pod, len, now_ms, put_filter, json, err);
}

int joulie_cluster_score(struct joulie_cluster *cluster, const char *pod, size_t len,
                         int64_t now_ms, char **json, struct joulie_error *err)
{
    return answer(cluster, pod, len, now_ms, put_scores, json, err);
}

/* ---- why ---- */

struct why_blocker {
    uint64_t has;
    const char *name_space;
    const char *name;
    enum jl_blocker_why why;
};

enum { BLOCKER_NAMESPACE, BLOCKER_NAME, BLOCKER_WHY };

static const struct jl_row blocker_rows[] = {
    [BLOCKER_NAMESPACE] = JL_STRING(why_blocker, name_space, "namespace"),
    [BLOCKER_NAME] = JL_STRING(why_blocker, name, "name"),
    [BLOCKER_WHY] = JL_ENUM(why_blocker, why, "why", &jl_blocker_words),
};
static const struct jl_table blocker_table = JL_TABLE(why_blocker, blocker_rows);

struct why {
    uint64_t has;
    const char *node_name;
    const char *scope;
    bool paused;
    enum joulie_profile profile;
    bool draining;
    enum joulie_node_state state;
    struct jl_list reasons;
    double density;
    struct jl_list blockers;
    struct jl_twin_spec spec;
    struct jl_twin_status status;
    const char *rack;
    double rack_power_w;
};

enum {
    WHY_NODE_NAME,
    WHY_SCOPE,
    WHY_PAUSED,
    WHY_PROFILE,
    WHY_DRAINING,
    WHY_STATE,
    WHY_REASONS,
    WHY_DENSITY,
    WHY_BLOCKERS,
    WHY_SPEC,
    WHY_STATUS,
    WHY_RACK,
    WHY_RACK_POWER,
};

static const struct jl_row why_rows[] = {
    [WHY_NODE_NAME] = JL_STRING(why, node_name, "nodeName"),
    [WHY_SCOPE] = JL_STRING(why, scope, "scope"),
    [WHY_PAUSED] = JL_BOOLEAN(why, paused, "paused"),
    [WHY_PROFILE] = JL_ENUM(why, profile, "profile", &jl_profile_words),
    [WHY_DRAINING] = JL_BOOLEAN(why, draining, "draining"),
    [WHY_STATE] = JL_ENUM(why, state, "state", &jl_node_state_words),
    [WHY_REASONS] = JL_STRINGS(why, reasons, "reasons"),
    [WHY_DENSITY] = JL_NUMBER(why, density, "density"),
    [WHY_BLOCKERS] = JL_LIST(why, blockers, "blockers", &blocker_table),
    [WHY_SPEC] = JL_OBJECT(why, spec, "spec", &jl_twin_spec_table),
    [WHY_STATUS] = JL_OBJECT(why, status, "status", &jl_twin_status_table),
    [WHY_RACK] = JL_STRING(why, rack, "rack"),
    [WHY_RACK_POWER] = JL_NUMBER(why, rack_power_w, "rackPowerW"),
};
static const struct jl_table why_table = JL_TABLE(why, why_rows);

static const char *scope_word(const struct jl_cluster_explanation *node)
{
    const char *word = jl_word_of(&jl_exclusion_words, (int)node->exclusion);
    return word != NULL ? word : "managed";
}

static int put_why_lists(struct jl_arena *arena, const struct jl_cluster_explanation *node,
                         struct why *out)
{
    struct why_blocker *blockers = JL_NEW_ARRAY(arena, node->blocker_count, struct why_blocker);
    const char **reasons = JL_NEW(arena, const char *);
    if (blockers == NULL || reasons == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < node->blocker_count; i++) {
        if (node->blockers[i].name_space != NULL)
            JL_PUT(&blockers[i], BLOCKER_NAMESPACE, name_space, node->blockers[i].name_space);
        JL_PUT(&blockers[i], BLOCKER_NAME, name, node->blockers[i].name);
        JL_PUT(&blockers[i], BLOCKER_WHY, why, node->blockers[i].why);
    }
    reasons[0] = jl_plan_reason_text(node->reason);
    JL_PUT(out, WHY_REASONS, reasons, ((struct jl_list){ reasons, node->is_managed ? 1 : 0 }));
    JL_PUT(out, WHY_BLOCKERS, blockers, ((struct jl_list){ blockers, node->blocker_count }));
    return 0;
}

static void put_why(const struct jl_cluster_explanation *node, struct why *out)
{
    JL_PUT(out, WHY_NODE_NAME, node_name, node->node_name);
    JL_PUT(out, WHY_SCOPE, scope, scope_word(node));
    JL_PUT(out, WHY_DENSITY, density, node->density);
    if (node->is_paused)
        JL_PUT(out, WHY_PAUSED, paused, true);
    if (node->is_managed && node->wanted != NULL) {
        JL_PUT(out, WHY_PROFILE, profile, node->guard.profile);
        JL_PUT(out, WHY_DRAINING, draining, node->guard.is_draining);
        JL_PUT(out, WHY_STATE, state, node->guard.state);
        JL_PUT(out, WHY_SPEC, spec, *node->wanted);
    }
    if (node->status != NULL)
        JL_PUT(out, WHY_STATUS, status, *node->status);
    if (node->rack != NULL) {
        JL_PUT(out, WHY_RACK, rack, node->rack);
        JL_PUT(out, WHY_RACK_POWER, rack_power_w, node->rack_power_w);
    }
}

static int explain(struct joulie_cluster *cluster, const char *node_name, char **json,
                   struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer buffer = { 0 };
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_cluster_explanation node;
    struct why why = { 0 };
    const int rc = jl_cluster_explain(cluster->model, node_name, &node, err);
    if (rc < 0)
        return rc;
    put_why(&node, &why);
    if (put_why_lists(&arena, &node, &why) < 0)
        return jl_fail_memory(err);
    jl_encode(&buffer, &why_table, &why);
    return take_text(&buffer, json, err);
}

int joulie_cluster_explain(struct joulie_cluster *cluster, const char *node_name, char **json,
                           struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_cluster_door_return(explain(cluster, node_name, json, &full), &full, err);
}
