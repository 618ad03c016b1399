/* SPDX-License-Identifier: Apache-2.0 */

/* Filter and score of every node for one pod that comes as an object (docs/rules/placement.md):
 * joulie_cluster_filter(), joulie_cluster_score(), and what the simulator asks. */

#include <string.h>

#include "base/error.h"
#include "cluster/call.h"
#include "cluster/candidates.h"
#include "cluster/state.h"
#include "schema/document.h"

#define WIRE_RANGE 10 /* of kube-scheduler */

int jl_cluster_score_pod_on(struct joulie_cluster *cluster, const struct jl_pod *pod,
                            const uint32_t *nodes, size_t node_count, int64_t now_ms,
                            const struct jl_cluster_score **out, size_t *out_count,
                            struct joulie_error *err)
{
    struct jl_arena *arena = &cluster->answer_arena;
    const int rc = jl_cluster_check_now(now_ms, err);
    if (rc < 0)
        return rc;
    jl_arena_reset(arena);
    if (jl_cluster_refresh_order(cluster) < 0)
        return jl_fail_memory(err);
    const size_t count = cluster->order.known_count;
    struct jl_cluster_score *answers = JL_NEW_ARRAY(arena, count, struct jl_cluster_score);
    const size_t asked = nodes != NULL ? node_count : count;
    struct jl_candidate *candidates = JL_NEW_ARRAY(arena, asked, struct jl_candidate);
    if (answers == NULL || candidates == NULL)
        return jl_fail_memory(err);
    struct joulie_work view;
    if (jl_cluster_work_of_pod(cluster, pod, now_ms, &view, NULL, err) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < asked; i++)
        candidates[i].node = &cluster->rows.nodes[nodes != NULL ? nodes[i] : i];
    jl_cluster_score_candidates(cluster, &view, now_ms, WIRE_RANGE, candidates, asked);
    for (size_t i = 0; i < asked; i++) {
        const size_t row = nodes != NULL ? nodes[i] : i;
        answers[row] = (struct jl_cluster_score){
            .node_name = cluster->order.known[row]->name,
            .rejected = joulie_place_reject_text((int)candidates[i].point.reject),
            .score = candidates[i].point.score,
            .wire = candidates[i].wire,
            .is_known = candidates[i].point.basis == JOULIE_BASIS_FRESH,
            .raw = candidates[i].point.raw,
            .headroom = candidates[i].headroom,
        };
    }
    *out = answers;
    *out_count = count;
    return 0;
}

int jl_cluster_score_pod(struct joulie_cluster *cluster, const struct jl_pod *pod, int64_t now_ms,
                         const struct jl_cluster_score **out, size_t *out_count,
                         struct joulie_error *err)
{
    return jl_cluster_score_pod_on(cluster, pod, NULL, 0, now_ms, out, out_count, err);
}

/* The same of a pod as text; the scores live until the next answer. */
static int score_text(struct joulie_cluster *cluster, const char *pod, size_t len, int64_t now_ms,
                      const struct jl_cluster_score **out, size_t *out_count,
                      struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_pod object;
    const int rc = jl_document_record(pod, len, JL_LENIENT, &jl_pod_table, &arena, &object, err);
    return rc < 0 ? rc : jl_cluster_score_pod(cluster, &object, now_ms, out, out_count, err);
}

static void put_filter(struct jl_buffer *out, const struct jl_cluster_score *scores, size_t count)
{
    size_t written = 0;
    jl_put_string(out, "{\"passed\":[");
    for (size_t i = 0; i < count; i++) {
        if (scores[i].rejected != NULL)
            continue;
        jl_put_string(out, written++ > 0 ? "," : "");
        jl_cluster_put_text(out, scores[i].node_name);
    }
    jl_put_string(out, "],\"failed\":{");
    written = 0;
    for (size_t i = 0; i < count; i++) {
        if (scores[i].rejected == NULL)
            continue;
        jl_put_string(out, written++ > 0 ? "," : "");
        jl_cluster_put_text(out, scores[i].node_name);
        jl_put_char(out, ':');
        jl_cluster_put_text(out, scores[i].rejected);
    }
    jl_put_string(out, "}}");
}

static void put_scores(struct jl_buffer *out, const struct jl_cluster_score *scores, size_t count)
{
    jl_put_string(out, "{\"scores\":[");
    for (size_t i = 0; i < count; i++) {
        jl_put_string(out, i > 0 ? ",{\"node\":" : "{\"node\":");
        jl_cluster_put_text(out, scores[i].node_name);
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
    const struct jl_cluster_score *scores = NULL;
    size_t count = 0;
    int rc = score_text(cluster, pod, len, now_ms, &scores, &count, err);
    if (rc == 0) {
        put(&buffer, scores, count);
        rc = jl_hand_out(&buffer, json, err);
    }
    return rc;
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
