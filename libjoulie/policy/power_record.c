/* SPDX-License-Identifier: Apache-2.0 */

/* The record of a node that is switched off, its confirmation by the node's own status, and when a
 * command may be run (docs/rules/policy.md#power-records). Called by the cluster model and the
 * question `policy.power-record`. */

#include "policy/power_record.h"

#include <string.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/time.h"
#include "policy/policy.h"

const struct jl_words jl_power_progress_words = JL_WORDS({
    { JL_POWER_GIVEN, "given" },
    { JL_POWER_DONE, "done" },
    { JL_POWER_FAILED, "failed" },
});

/* ---- reading ---- */

static bool has_our_taint(const struct jl_node *node)
{
    for (size_t i = 0; i < node->spec.taints.count; i++) {
        if (jl_same(JL_ITEM(node->spec.taints, jl_taint, i)->key, JL_TAINT_POWERED_OFF))
            return true;
    }
    return false;
}

static bool read_failures(const char *text, int64_t *out)
{
    *out = 0;
    return text == NULL || (jl_parse_i64(text, strlen(text), out) == 0 && *out >= 0);
}

/* Both of our annotations, as we write them. One that somebody changed or took away is his. */
static enum jl_power_hold read_hold(const struct jl_meta *meta)
{
    const char *scale_down = jl_annotation(meta, JL_ANNOTATION_SCALE_DOWN);
    const bool is_ours = jl_annotation(meta, JL_ANNOTATION_HOLD) != NULL;
    if (scale_down == NULL && !is_ours)
        return JL_HOLD_NONE;
    return is_ours && jl_same(scale_down, "true") ? JL_HOLD_OURS : JL_HOLD_FOREIGN;
}

/* A record that is only half there is none of ours: nothing is done by it. */
static const char *read_record(const struct jl_meta *meta, struct jl_power_record *out)
{
    const char *state = jl_annotation(meta, JL_ANNOTATION_POWER_STATE);
    const char *since = jl_annotation(meta, JL_ANNOTATION_POWER_SINCE);
    const char *reason = jl_annotation(meta, JL_ANNOTATION_POWER_REASON);
    if (!read_failures(jl_annotation(meta, JL_ANNOTATION_POWER_FAILURES), &out->failures))
        return "the annotation " JL_ANNOTATION_POWER_FAILURES " is no count";
    out->state = JL_POWER_ON;
    if (state == NULL)
        return NULL;
    out->state = (enum jl_power_state)jl_word_value(&jl_power_state_words, jl_text(state));
    if (out->state == JL_POWER_UNKNOWN || out->state == JL_POWER_ON)
        return "the annotation " JL_ANNOTATION_POWER_STATE " has none of its words";
    if (since == NULL || jl_parse_time(since, strlen(since), &out->since_ms) < 0)
        return "the annotation " JL_ANNOTATION_POWER_SINCE " is missing or no time";
    out->reason = (enum jl_power_reason)jl_word_value(&jl_power_reason_words, jl_text(reason));
    out->boot_id = jl_annotation(meta, JL_ANNOTATION_POWER_BOOT_ID);
    return NULL;
}

void jl_power_record_of(const struct jl_node *node, struct jl_power_record *out)
{
    struct jl_power_record record = { .state = JL_POWER_UNKNOWN };
    const char *fault = read_record(&node->meta, &record);
    *out = (struct jl_power_record){ .fault = fault, .hold = read_hold(&node->meta) };
    if (fault != NULL)
        return;
    record.hold = out->hold;
    *out = record;
    out->is_drained =
        record.state != JL_POWER_ON && node->spec.unschedulable && has_our_taint(node);
}

int jl_power_foreign_taints(const struct jl_list *taints, struct jl_arena *arena,
                            struct jl_list *out)
{
    struct jl_taint *kept = JL_NEW_ARRAY(arena, taints->count, struct jl_taint);
    size_t count = 0;
    if (kept == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < taints->count; i++) {
        const struct jl_taint *taint = JL_ITEM(*taints, jl_taint, i);
        if (!jl_same(taint->key, JL_TAINT_POWERED_OFF))
            kept[count++] = *taint;
    }
    *out = (struct jl_list){ kept, count };
    return 0;
}

void jl_power_report_of(const struct jl_node *node, struct jl_power_report *out)
{
    const struct jl_list *conditions = &node->status.conditions;
    *out = (struct jl_power_report){ .boot_id = node->status.info.boot_id };
    for (size_t i = 0; i < conditions->count; i++) {
        const struct jl_node_condition *one = JL_ITEM(*conditions, jl_node_condition, i);
        const char *since = one->last_transition_time;
        if (!jl_same(one->type, "Ready"))
            continue;
        out->readiness =
            jl_same(one->status, "True") ? JOULIE_READINESS_READY : JOULIE_READINESS_NOT_READY;
        out->has_since = since != NULL && jl_parse_time(since, strlen(since), &out->since_ms) == 0;
    }
}

/* ---- what follows ---- */

static struct jl_power_record moved(const struct jl_power_case *in, enum jl_power_state state,
                                    enum jl_power_reason reason)
{
    struct jl_power_record next = in->record;
    next.state = state;
    next.reason = reason;
    next.since_ms = in->now_ms;
    return next;
}

/* Its failures stay unless it went through all of it. */
static struct jl_power_record turned_on(const struct jl_power_case *in, bool is_proven)
{
    return (struct jl_power_record){ .state = JL_POWER_ON,
                                     .failures = is_proven ? 0 : in->record.failures };
}

/* A command that was not given yet need not be made good. */
static struct jl_power_record taken_back(const struct jl_power_case *in,
                                         enum jl_power_reason reason)
{
    return in->record.state == JL_POWER_STOPPING && in->is_silent &&
                   in->progress == JL_POWER_NOT_GIVEN
               ? turned_on(in, false)
               : moved(in, JL_POWER_BOOTING, reason);
}

static struct jl_power_record failed(const struct jl_power_case *in, enum jl_power_reason reason)
{
    const bool is_last = in->record.failures + 1 >= in->config->most_failures;
    struct jl_power_record next = moved(in, is_last ? JL_POWER_LEFT : JL_POWER_BOOTING, reason);
    next.failures++;
    return next;
}

/* Why a node that was to stay off is wanted after all; JL_POWER_NO_REASON = it is not. */
static enum jl_power_reason recalled_by(const struct jl_power_case *in)
{
    if (in->has_work)
        return JL_POWER_PODS;
    if (!in->record.is_drained)
        return JL_POWER_UNCORDONED;
    return in->is_managed ? JL_POWER_NO_REASON : JL_POWER_DISABLED;
}

/* It became ready after it was woken: by another boot, else by a clock that may be its own. */
static bool is_back(const struct jl_power_case *in)
{
    const char *before = in->record.boot_id;
    const char *now = in->report.boot_id;
    if (in->report.readiness == JOULIE_READINESS_UNKNOWN)
        return in->progress == JL_POWER_DONE;
    if (in->report.readiness != JOULIE_READINESS_READY)
        return false;
    if (before != NULL && now != NULL && !jl_same(before, now))
        return true;
    return in->report.has_since && in->report.since_ms > in->record.since_ms;
}

/* One that was woken while it stopped may be ready once more before it goes down. When the time for
 * that is over, it never went. */
static bool has_stayed(const struct jl_power_case *in)
{
    const double wait_s = jl_min(in->config->stop_timeout_s, in->config->boot_timeout_s);
    return in->report.readiness == JOULIE_READINESS_READY &&
           in->now_ms - in->record.since_ms >= jl_seconds_ms(wait_s);
}

static bool settle_stopping(const struct jl_power_case *in, struct jl_power_record *out)
{
    const enum jl_power_reason recall = recalled_by(in);
    if (in->progress == JL_POWER_FAILED) {
        *out = failed(in, JL_POWER_COMMAND_FAILED);
        return true;
    }
    if (recall != JL_POWER_NO_REASON) {
        *out = taken_back(in, recall);
        return true;
    }
    if (in->progress != JL_POWER_DONE || in->report.readiness == JOULIE_READINESS_READY)
        return false;
    *out = moved(in, JL_POWER_OFF, in->record.reason);
    out->failures = 0;
    return true;
}

static bool settle_off(const struct jl_power_case *in, struct jl_power_record *out)
{
    const enum jl_power_reason recall = recalled_by(in);
    if (in->report.readiness == JOULIE_READINESS_READY)
        *out = turned_on(in, true);
    else if (recall != JL_POWER_NO_REASON)
        *out = moved(in, JL_POWER_BOOTING, recall);
    else
        return false;
    return true;
}

static bool settle_booting(const struct jl_power_case *in, struct jl_power_record *out)
{
    const bool is_proven = is_back(in);
    if (is_proven || has_stayed(in))
        *out = turned_on(in, is_proven);
    else if (in->progress == JL_POWER_FAILED)
        *out = failed(in, JL_POWER_COMMAND_FAILED);
    else
        return false;
    return true;
}

/* One that works takes pods again; only a person makes it one of ours. */
static bool settle_left(const struct jl_power_case *in, struct jl_power_record *out)
{
    if (!in->record.is_drained || in->report.readiness != JOULIE_READINESS_READY)
        return false;
    *out = in->record;
    out->is_drained = false;
    return true;
}

bool jl_power_settle(const struct jl_power_case *in, struct jl_power_record *out)
{
    switch (in->record.state) {
    case JL_POWER_STOPPING:
        return settle_stopping(in, out);
    case JL_POWER_OFF:
        return settle_off(in, out);
    case JL_POWER_BOOTING:
        return settle_booting(in, out);
    case JL_POWER_LEFT:
        return settle_left(in, out);
    case JL_POWER_ON:
    case JL_POWER_UNKNOWN:
        break;
    }
    return false;
}

void jl_power_follow(const struct jl_power_case *in, const struct jl_power_choice *choice,
                     struct jl_power_record *out)
{
    const bool is_failure =
        choice->reason == JL_POWER_STOP_TIMEOUT || choice->reason == JL_POWER_BOOT_TIMEOUT;
    switch (choice->action) {
    case JL_POWER_SWITCH_OFF:
        *out = moved(in, JL_POWER_STOPPING, choice->reason);
        out->is_drained = true;
        out->boot_id = in->report.boot_id;
        return;
    case JL_POWER_WAKE:
    case JL_POWER_GIVE_UP:
        *out = is_failure ? failed(in, choice->reason) : taken_back(in, choice->reason);
        return;
    case JL_POWER_NOTHING:
        *out = in->record;
        return;
    }
}

enum jl_power_action jl_power_command(const struct jl_power_case *in)
{
    const struct jl_power_record *record = &in->record;
    if (record->state == JL_POWER_BOOTING)
        return JL_POWER_WAKE;
    if (record->state != JL_POWER_STOPPING || recalled_by(in) != JL_POWER_NO_REASON)
        return JL_POWER_NOTHING;
    return in->now_ms - record->since_ms >= JL_POWER_DRAIN_MS ? JL_POWER_SWITCH_OFF
                                                              : JL_POWER_NOTHING;
}

/* ---- writing ---- */

void jl_power_annotations(const struct jl_power_record *record, const char *since,
                          const char *failures, struct jl_pair out[JL_POWER_ANNOTATIONS])
{
    const bool is_on = record->state == JL_POWER_ON;
    const char *reason = jl_word_of(&jl_power_reason_words, (int)record->reason);
    const struct jl_pair pairs[JL_POWER_ANNOTATIONS] = {
        { JL_ANNOTATION_POWER_STATE,
          is_on ? NULL : jl_word_of(&jl_power_state_words, (int)record->state) },
        { JL_ANNOTATION_POWER_SINCE, is_on ? NULL : since },
        { JL_ANNOTATION_POWER_REASON, is_on ? NULL : reason },
        { JL_ANNOTATION_POWER_FAILURES, record->failures > 0 ? failures : NULL },
        { JL_ANNOTATION_POWER_BOOT_ID, is_on ? NULL : record->boot_id },
    };
    memcpy(out, pairs, sizeof pairs);
}

/* ---- what an autoscaler is told ---- */

enum jl_power_hold jl_power_hold_after(const struct jl_hold_case *in)
{
    const enum jl_power_hold now = in->record->hold;
    if (now == JL_HOLD_FOREIGN || in->record->state != JL_POWER_ON)
        return now;
    if (!in->config->enabled || !in->config->by_autoscaler || in->is_out)
        return JL_HOLD_NONE;
    if (!in->is_managed)
        return now;
    return in->is_given_up || in->readiness == JOULIE_READINESS_NOT_READY ? JL_HOLD_NONE
                                                                          : JL_HOLD_OURS;
}

void jl_power_hold_annotations(enum jl_power_hold hold, struct jl_pair out[JL_HOLD_ANNOTATIONS])
{
    const char *value = hold == JL_HOLD_OURS ? "true" : NULL;
    out[0] = (struct jl_pair){ JL_ANNOTATION_SCALE_DOWN, value };
    out[1] = (struct jl_pair){ JL_ANNOTATION_HOLD, value };
}

/* ---- for a person ---- */

static const char *const wake_texts[] = {
    [JL_POWER_NO_REASON] = "the node is woken",
    [JL_POWER_IDLE] = "the node is woken",
    [JL_POWER_PODS] = "pods need the node",
    [JL_POWER_RESERVE] = "too little is free on the nodes that are on",
    [JL_POWER_STOP_TIMEOUT] = "the node did not stop in time",
    [JL_POWER_BOOT_TIMEOUT] = "the node did not come back in time",
    [JL_POWER_DISABLED] = "the node is not to be switched off any more",
    [JL_POWER_COMMAND_FAILED] = "the command for the node failed",
    [JL_POWER_UNCORDONED] = "somebody took the cordon away",
};

const char *jl_power_text(const struct jl_power_record *before, const struct jl_power_record *after)
{
    switch (after->state) {
    case JL_POWER_STOPPING:
        return "nothing runs on the node, and there is room enough without it";
    case JL_POWER_OFF:
        return "the node is off";
    case JL_POWER_BOOTING:
        return wake_texts[after->reason];
    case JL_POWER_LEFT:
        return after->is_drained ? "the node failed too often and is left alone"
                                 : "the node works and takes pods again";
    case JL_POWER_ON:
        if (after->reason == JL_POWER_IDLE)
            return "nothing runs on the node, and there is room enough without it";
        if (after->hold != before->hold)
            return after->hold == JL_HOLD_OURS ? "the autoscaler has to keep the node"
                                               : "the autoscaler may do with the node what it does";
        return before->state == JL_POWER_STOPPING ? "the node is needed and stays on"
                                                  : "the node is on again";
    case JL_POWER_UNKNOWN:
        break;
    }
    return "";
}

struct jl_judgement jl_power_condition_of(const struct jl_power_record *record)
{
    switch (record->state) {
    case JL_POWER_ON:
        return (struct jl_judgement){ "False", "On", "The node is on." };
    case JL_POWER_STOPPING:
        return (struct jl_judgement){ "False", "Stopping",
                                            "The node is drained and about to be switched off." };
    case JL_POWER_OFF:
        return (struct jl_judgement){ "True", "Off",
                                            "The node is switched off, as nothing needs it." };
    case JL_POWER_BOOTING:
        return (struct jl_judgement){ "False", "Booting",
                                            "The node was woken and is not back yet." };
    case JL_POWER_LEFT:
        return (struct jl_judgement){ "Unknown", "LeftAlone",
                                            "The node failed too often and is left alone." };
    case JL_POWER_UNKNOWN:
        break;
    }
    return (struct jl_judgement){ "Unknown", "Unreadable", record->fault };
}
