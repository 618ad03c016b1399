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
                                                    "write label of", "write power of", "delete" };
/* Apart, or they would be one series of Events. */
static const char *const would_words[JD_WRITES] = { "WriteSpec", "WriteStatus", "WriteLabel",
                                                    "WritePower", "DeleteTwin" };

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

static void put(const struct jd_reporter *reporter, const struct jd_event *event, int64_t now_ms)
{
    const struct jd_shared *shared = reporter->shared;
    jd_recorder_put(shared->recorder, event, jd_clock_stamp_ms(shared->clock, now_ms));
}

static void put_node_event(struct jd_reporter *reporter, const char *node_name, bool is_warning,
                           const char *reason, const char *action, const char *note, int64_t now_ms)
{
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    if (joulie_cluster_node_by_name(reporter->shared->cluster, node_name, &node, NULL) < 0)
        return;
    const struct jd_event event = {
        .is_warning = is_warning,
        .reason = reason,
        .action = action,
        .note = note,
        .kind = "Node",
        .api_version = "v1",
        .name = node_name,
        .uid = node.uid[0] ? node.uid : NULL,
    };
    put(reporter, &event, now_ms);
}

static void put_event(struct jd_reporter *reporter, const char *node_name, const char *reason,
                      const char *action, const char *note, int64_t now_ms)
{
    put_node_event(reporter, node_name, false, reason, action, note, now_ms);
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
    const struct jd_shared *shared = reporter->shared;
    const bool is_by_node = jd_node_metrics_of(shared->values->node_metrics) != JD_NODE_NONE;
    jd_metric_add(shared->metrics, &jd_transitions,
                  JD_LABELS(is_by_node ? node_name : "", from, to, result), 1);
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

/* ---- switched off and woken ---- */

void jd_power_change_of(struct joulie_cluster *cluster, const char *node_name,
                        struct jd_power_change *out)
{
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    *out = (struct jd_power_change){ JOULIE_POWER_STATE_UNKNOWN, 0 };
    if (joulie_cluster_node_by_name(cluster, node_name, &node, NULL) == 0)
        *out = (struct jd_power_change){ node.power_state, node.power_failures };
}

static bool has_failed(const struct joulie_cluster_node *node, const struct jd_power_change *change)
{
    return node->power_failures > change->old_failures;
}

/* Reason of the Event about the state that a node is in now. */
static const char *power_reason(const struct joulie_cluster_node *node,
                                const struct jd_power_change *change)
{
    switch (node->power_state) {
    case JOULIE_POWER_STATE_STOPPING:
        return "PoweringOff";
    case JOULIE_POWER_STATE_OFF:
        return "PoweredOff";
    case JOULIE_POWER_STATE_BOOTING:
        return has_failed(node, change) ? "PowerOffFailed" : "WakingUp";
    case JOULIE_POWER_STATE_LEFT_ALONE:
        return change->old_state == JOULIE_POWER_STATE_LEFT_ALONE ? "TakesPods" : "LeftAlone";
    case JOULIE_POWER_STATE_ON:
        return change->old_state == JOULIE_POWER_STATE_STOPPING ? "KeptOn" : "WokenUp";
    case JOULIE_POWER_STATE_UNKNOWN:
        break;
    }
    return NULL;
}

/* Of one that is on, and told to the autoscaler: NULL unless it may be taken, or could be before.
 */
static const char *hold_reason(struct jd_reporter *reporter, const struct joulie_cluster_node *node)
{
    struct jd_note *note = jd_note_of(reporter->shared->notes, node->name);
    const bool is_given_up = node->power_action == JOULIE_POWER_ACTION_SWITCH_OFF;
    const bool was_given_up = note && note->power_advice == JOULIE_POWER_ACTION_SWITCH_OFF;
    if (note)
        note->power_advice = node->power_action;
    return is_given_up ? "ScaleDownAllowed" : was_given_up ? "ScaleDownDisabled" : NULL;
}

void jd_report_power(struct jd_reporter *reporter, const struct joulie_cluster_action *action,
                     const struct jd_power_change *change, int64_t now_ms)
{
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    char note[NOTE_BYTES];
    if (joulie_cluster_node_by_name(reporter->shared->cluster, action->node_name, &node, NULL) < 0)
        return;
    const bool is_held = reporter->shared->values->power_off_by_autoscaler;
    const char *reason = is_held ? hold_reason(reporter, &node) : power_reason(&node, change);
    const bool is_failure = has_failed(&node, change);
    if (!reason)
        return;
    snprintf(note, sizeof note, "%.500s", action->reason);
    if (is_failure) {
        jd_count_power_failure(reporter->shared->metrics, node.power_reason);
        snprintf(note, sizeof note, "%.500s (failure %lld in a row)", action->reason,
                 (long long)node.power_failures);
    }
    jd_log(reporter->shared->log, is_failure ? JOULIE_LOG_LEVEL_WARN : JOULIE_LOG_LEVEL_INFO,
           "power", "node %s: %s: %s", action->node_name, reason, note);
    put_node_event(reporter, action->node_name, is_failure, reason, "SwitchPower", note, now_ms);
}

void jd_report_command(struct jd_reporter *reporter, const struct jd_switched *switched,
                       int64_t now_ms)
{
    char note[NOTE_BYTES];
    snprintf(note, sizeof note, "the command to switch it %s failed: %s (%s)",
             jd_switch_words[switched->what], switched->message,
             jd_switch_end_words[switched->end]);
    jd_log(reporter->shared->log, JOULIE_LOG_LEVEL_WARN, "power", "node %s: %s",
           switched->node_name, note);
    put_node_event(reporter, switched->node_name, true, "PowerOffFailed", "RunCommand", note,
                   now_ms);
}

void jd_report_advice(struct jd_reporter *reporter, const struct joulie_cluster_node *node,
                      int64_t now_ms)
{
    static const char *const reasons[] = {
        [JOULIE_POWER_ACTION_SWITCH_OFF] = "WouldPowerOff",
        [JOULIE_POWER_ACTION_WAKE] = "WouldWakeUp",
        [JOULIE_POWER_ACTION_GIVE_UP] = "WouldLeaveAlone",
    };
    char note[NOTE_BYTES];
    if (node->power_action >= JL_COUNT(reasons) || !reasons[node->power_action])
        return;
    snprintf(note, sizeof note, "%s (%.100s); nothing is done without POWER_OFF_COMMAND",
             joulie_word(JOULIE_VOCABULARY_POWER_ACTION, (int)node->power_action),
             node->power_reason);
    jd_log(reporter->shared->log, JOULIE_LOG_LEVEL_INFO, "power", "node %s: %s: %s", node->name,
           reasons[node->power_action], note);
    put_event(reporter, node->name, reasons[node->power_action], "Advise", note, now_ms);
}

/* ---- writes ---- */

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

void jd_report_writer(void *user, const char *node_name, const char *twin, const char *who)
{
    struct jd_reporter *reporter = user;
    char note[NOTE_BYTES];
    snprintf(note, sizeof note,
             "%.100s writes the spec of NodeTwin %.260s: nothing is written for this node until it "
             "gives the fields back, or the NodeTwin has joulie.io/adopt: \"true\"",
             who, twin);
    put_node_event(reporter, node_name, true, "ForeignWriter", "StopWriting", note,
                   jd_policy_now_ms(reporter->shared->clock));
    if (reporter->writers++ < MOST_REPORTED)
        jd_log(reporter->shared->log, JOULIE_LOG_LEVEL_WARN, "coexist", "node %s: %s", node_name,
               note);
}

void jd_report_rest_of_writers(struct jd_reporter *reporter)
{
    if (reporter->writers > MOST_REPORTED)
        jd_log(reporter->shared->log, JOULIE_LOG_LEVEL_WARN, "coexist",
               "and %zu other nodes have another writer", reporter->writers - MOST_REPORTED);
    reporter->writers = 0;
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
        .name = JD_HEARTBEAT_LEASE,
        .name_space = reporter->shared->values->name_space,
    };
    put(reporter, &event, now_ms);
}
