/* SPDX-License-Identifier: Apache-2.0 */

/* Events, counters and log lines about nodes (docs/rules/programs.md#events-and-counters), at the
 * edges of what is written. */

#include "operator/report.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "operator/metrics.h"
#include "runtime/json.h"

#define NOTE_BYTES 1024
#define MOST_BLOCKERS 5 /* that a note names */
#define MOST_REPORTED 5 /* failures of a step that are logged by name */

static const char performance[] = "ActivePerformance";
static const char draining[] = "DrainingPerformance";
static const char eco[] = "ActiveEco";

/* In logs and notes. */
static const char *const write_words[JD_WRITES] = { "write spec of", "write status of",
                                                    "write label of", "delete" };
/* Apart, or they would be one series of Events. */
static const char *const would_words[JD_WRITES] = { "WriteSpec", "WriteStatus", "WriteLabel",
                                                    "DeleteTwin" };

static bool is_node(struct joulie_cluster *cluster, const char *node_name)
{
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    return joulie_cluster_node_by_name(cluster, node_name, &node, NULL) == 0;
}

void jd_change_of(struct joulie_cluster *cluster, const char *node_name, struct jd_change *out)
{
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    *out = (struct jd_change){ "", "" };
    if (joulie_cluster_node_by_name(cluster, node_name, &node, NULL) == 0)
        *out = (struct jd_change){ node.old_state, jd_state_word(node.state) };
}

static void put_event(struct jd_reporter *reporter, const char *node_name, const char *reason,
                      const char *action, const char *note, int64_t now_ms)
{
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    if (joulie_cluster_node_by_name(reporter->shared->cluster, node_name, &node, NULL) < 0)
        return;
    const struct jd_event event = {
        .reason = reason,
        .action = action,
        .note = note,
        .kind = "Node",
        .api_version = "v1",
        .name = node_name,
        .uid = node.uid[0] ? node.uid : NULL,
    };
    jd_recorder_put(reporter->shared->recorder, &event, now_ms);
}

/* "a downgrade to eco waits for pods d/p, d/q and 3 more" */
static void put_blockers(struct jd_reporter *reporter, const char *node_name, char out[NOTE_BYTES])
{
    JL_CLEANUP(jl_freep) char *why = NULL;
    int len = snprintf(out, NOTE_BYTES, "the downgrade to eco waits for pods");
    if (joulie_cluster_explain(reporter->shared->cluster, node_name, &why, NULL) < 0)
        return;
    JL_CLEANUP(jd_json_freep) struct json_object *root = jd_json_parse(why, strlen(why));
    struct json_object *blockers = jd_json_at(root, "blockers");
    const size_t count = jd_json_count(blockers);
    for (size_t i = 0; i < count && i < MOST_BLOCKERS && len < NOTE_BYTES - 200; i++) {
        struct json_object *pod = json_object_array_get_idx(blockers, i);
        const char *name_space = jd_json_text(pod, "namespace");
        const char *name = jd_json_text(pod, "name");
        len += snprintf(out + len, (size_t)(NOTE_BYTES - len), "%s %.63s/%.63s", i > 0 ? "," : "",
                        name_space ? name_space : "", name ? name : "");
    }
    if (count > MOST_BLOCKERS && len < NOTE_BYTES)
        snprintf(out + len, (size_t)(NOTE_BYTES - len), " and %zu more", count - MOST_BLOCKERS);
}

static void count(struct jd_reporter *reporter, const char *node_name, const char *from,
                  const char *to, const char *result)
{
    jd_metric_add(reporter->shared->metrics, &jd_transitions,
                  JD_LABELS(node_name, from, to, result), 1);
}

static bool is_active(const char *state)
{
    return jl_same(state, performance) || jl_same(state, draining) || jl_same(state, eco);
}

void jd_report_change(struct jd_reporter *reporter, const char *node_name,
                      const struct jd_change *change, int64_t now_ms)
{
    char note[NOTE_BYTES];
    if (jl_same(change->old_state, change->state) || !is_active(change->old_state) ||
        !is_active(change->state) || !is_node(reporter->shared->cluster, node_name))
        return; /* a node that is gone has no series any more */
    count(reporter, node_name, change->old_state, change->state, "applied");
    jd_log(reporter->shared->log, JOULIE_LOG_LEVEL_INFO, "plan", "node %s: %s, was %s", node_name,
           change->state, change->old_state);
    if (jl_same(change->state, draining)) {
        count(reporter, node_name, performance, eco, "deferred");
        put_blockers(reporter, node_name, note);
        put_event(reporter, node_name, "DrainingStarted", "DeferDowngrade", note, now_ms);
        return;
    }
    snprintf(note, sizeof note, "%s, was %s", change->state, change->old_state);
    put_event(reporter, node_name,
              jl_same(change->old_state, draining) ? "DrainingFinished" : "ProfileChanged",
              "SetProfile", note, now_ms);
}

/* Of what would be written, without its time stamp. */
static uint64_t hash_of(const char *body)
{
    const char *spec = strstr(body, "\"spec\":");
    const char *from = spec ? spec : body;
    return jl_hash(from, strlen(from)) | 1;
}

void jd_report_would(struct jd_reporter *reporter, const struct joulie_cluster_action *action,
                     enum jd_write write, int64_t now_ms)
{
    char text[NOTE_BYTES];
    struct jd_note *note = jd_note_of(reporter->shared->notes, action->node_name);
    const char *body = "";
    (void)joulie_cluster_action_body(reporter->shared->cluster, action->id, &body,
                                     NULL); /* "" without memory */
    const uint64_t hash = hash_of(body);
    jd_count_action(reporter->shared->metrics, write, action->verb, "dry-run");
    /* a status carries the time: it is another one in each step */
    if (write == JD_WRITE_STATUS || !note || note->would_write[write] == hash)
        return;
    note->would_write[write] = hash;
    snprintf(text, sizeof text, "would %s %s %.100s (%.100s): %.500s", write_words[write],
             action->kind, action->name, action->reason, body);
    text[jl_utf8_cut(text, strlen(text), sizeof text - 1)] = '\0';
    jd_log_line(reporter->shared->log, JOULIE_LOG_LEVEL_INFO, "dry-run", text);
    put_event(reporter, action->node_name, "WouldChange", would_words[write], text, now_ms);
}

void jd_report_failed(struct jd_reporter *reporter, const struct joulie_cluster_action *action,
                      enum jd_write write, int code, const char *message)
{
    struct jd_note *note = jd_note_of(reporter->shared->notes, action->node_name);
    const int shown = code != 0 ? code : -1;
    if (!note || note->write_code[write] == shown)
        return;
    note->write_code[write] = shown;
    if (reporter->failures++ >= MOST_REPORTED)
        return;
    jd_log(reporter->shared->log, JOULIE_LOG_LEVEL_WARN, "apply", "cannot %s %s %s: %d %s",
           write_words[write], action->kind, action->name, code, message);
}

void jd_report_written(struct jd_reporter *reporter, const struct joulie_cluster_action *action,
                       enum jd_write write)
{
    struct jd_note *note = jd_note_find(reporter->shared->notes, action->node_name);
    if (note && note->write_code[write] != 0)
        jd_log(reporter->shared->log, JOULIE_LOG_LEVEL_INFO, "apply", "can %s %s %s again",
               write_words[write], action->kind, action->name);
    if (note)
        note->write_code[write] = 0;
    if (!is_node(reporter->shared->cluster,
                 action->node_name)) /* its twin was all that was left of it */
        jd_notes_forget(reporter->shared->notes, action->node_name);
}

void jd_report_rest(struct jd_reporter *reporter)
{
    if (reporter->failures > MOST_REPORTED)
        jd_log(reporter->shared->log, JOULIE_LOG_LEVEL_WARN, "apply",
               "and %zu other writes of this step failed", reporter->failures - MOST_REPORTED);
    reporter->failures = 0;
}

void jd_report_foreign(struct jd_reporter *reporter, const char *problem, int64_t now_ms)
{
    char note[NOTE_BYTES];
    snprintf(note, sizeof note, "nothing is written: %s", problem);
    const struct jd_event event = {
        .is_warning = true,
        .reason = "ForeignOperator",
        .action = "StopWriting",
        .note = note,
        .kind = "Lease",
        .api_version = "coordination.k8s.io/v1",
        .name = "joulie-heartbeat",
        .name_space = reporter->shared->values->name_space,
    };
    jd_recorder_put(reporter->shared->recorder, &event, now_ms);
}
