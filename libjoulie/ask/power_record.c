/* SPDX-License-Identifier: Apache-2.0 */

/* policy.power-record: what a Node says of being switched off, what follows from that, and what has
 * to be run for it (docs/rules/policy.md#power-records). */

#include "policy/power_record.h"

#include "ask/ask.h"
#include "base/error.h"
#include "base/time.h"
#include "policy/power_off.h"

#define RECORD policy_power_record_in
#define MEMBERS                                                                            \
    OBJECT(power_off, "powerOff", jl_power_off_config, "Settings.")                        \
    OBJECT(node, "node", jl_node, "The Node.", REQUIRED)                                   \
    ENUM(progress, "command", jl_power_progress, jl_power_progress_words,                  \
         "What became of the command for its record; absent: it was not given.")           \
    BOOLEAN(has_work, "hasPods", "Whether pods that count are on it; false.")              \
    BOOLEAN(is_managed, "managed", "Whether it may be switched; true.")                    \
    BOOLEAN(is_silent, "isSilent",                                                         \
            "Whether it is known that no command was given for its record before; false.") \
    ENUM(action, "action", jl_power_action, jl_power_action_words,                         \
         "What power_off_v1 chose; absent: nothing.")                                      \
    ENUM(reason, "reason", jl_power_reason, jl_power_reason_words, "Why it chose that.")   \
    TIME(now_ms, "now", "Instant of the decision.", REQUIRED)
#include "schema/record.h"

#define RECORD power_record_view
#define MEMBERS                                                                              \
    ENUM(state, "state", jl_power_state, jl_power_state_words, "State; absent: unreadable.") \
    STRING(since, "since", "Since when; not of one that is on.")                             \
    ENUM(reason, "reason", jl_power_reason, jl_power_reason_words, "Why.")                   \
    INTEGER(failures, "failures", "Failures in a row.")                                      \
    BOOLEAN(is_drained, "drained", "Whether it is cordoned, with our taint.")                \
    STRING(boot_id, "bootID", "Boot when it was switched off.")                              \
    STRING(fault, "fault", "What cannot be read.")
#include "schema/record.h"

#define RECORD power_record_condition
#define MEMBERS                                         \
    STRING(status, "status", "True, False or Unknown.") \
    STRING(reason, "reason", "Why, in one word.")       \
    STRING(message, "message", "Why, for a person.")
#include "schema/record.h"

#define RECORD policy_power_record_out
#define MEMBERS                                                                                \
    OBJECT(record, "record", power_record_view, "As the Node has it.")                         \
    OBJECT(condition, "condition", power_record_condition, "PoweredOff, as its twin says it.") \
    OBJECT(next, "next", power_record_view, "What follows; absent: it stays.")                 \
    ENUM(command, "run", jl_power_action, jl_power_action_words,                               \
         "What has to be run for the record as it is; absent: nothing (yet).")
#include "schema/record.h"

static int put_view(struct jl_ask *ask, const struct jl_power_record *record,
                    struct power_record_view *out)
{
    char since[JL_TIME_TEXT];
    if (record->fault != NULL) {
        JL_SET(out, fault, record->fault);
        return 0;
    }
    JL_SET(out, state, record->state);
    JL_SET(out, failures, record->failures);
    JL_SET(out, is_drained, record->is_drained);
    if (record->state == JL_POWER_ON)
        return 0;
    jl_format_time(record->since_ms, since);
    JL_SET(out, since, jl_arena_string(ask->arena, since));
    if (record->reason != JL_POWER_NO_REASON)
        JL_SET(out, reason, record->reason);
    if (record->boot_id != NULL)
        JL_SET(out, boot_id, record->boot_id);
    return out->since != NULL ? 0 : JOULIE_E_NOMEM;
}

/* As a model does it: what follows by itself, and then what was chosen. */
static bool follow(const struct policy_power_record_in *in, struct jl_power_case *now,
                   struct jl_power_record *out)
{
    const struct jl_power_choice choice = { in->action, in->reason };
    const bool is_settled = jl_power_settle(now, out);
    if (choice.action == JL_POWER_NOTHING)
        return is_settled;
    if (is_settled)
        now->record = *out;
    jl_power_follow(now, &choice, out);
    return true;
}

static int answer_policy_power_record(struct jl_ask *ask, const struct policy_power_record_in *in,
                                      struct policy_power_record_out *out)
{
    struct jl_power_off_config config = in->power_off;
    struct jl_power_case now = {
        .config = &config,
        .progress = in->progress,
        .has_work = in->has_work,
        .is_managed = JL_GIVEN_OR(in, is_managed, true),
        .is_silent = in->is_silent,
        .now_ms = in->now_ms,
    };
    struct jl_power_record next;
    jl_power_off_defaults(&config);
    jl_power_record_of(&in->node, &now.record);
    jl_power_report_of(&in->node, &now.report);
    out->given.record = true;
    if (put_view(ask, &now.record, &out->record) < 0)
        return jl_fail_memory(ask->err);
    const struct jl_judgement condition = jl_power_condition_of(&now.record);
    out->given.condition = true;
    JL_SET(&out->condition, status, condition.status);
    JL_SET(&out->condition, reason, condition.reason);
    JL_SET(&out->condition, message, condition.message);
    const enum jl_power_action command = jl_power_command(&now);
    if (command != JL_POWER_NOTHING)
        JL_SET(out, command, command);
    if (!follow(in, &now, &next))
        return 0;
    out->given.next = true;
    return put_view(ask, &next, &out->next) < 0 ? jl_fail_memory(ask->err) : 0;
}

JL_QUESTION(policy_power_record, "policy.power-record",
            "what a node that is switched off becomes, and what is run for it");
