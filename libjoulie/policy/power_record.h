/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a Node remembers of being switched off, and how that goes on
 * (docs/rules/policy.md#power-records): annotations, cordon and taint on one side, what its status
 * reports on the other. Pure; the caller writes the record that follows.
 */

#include "kinds/node.h"
#include "kinds/node_twin.h"
#include "policy/power_off.h"

#define JL_ANNOTATION_POWER_STATE "joulie.io/power-state"
#define JL_ANNOTATION_POWER_SINCE "joulie.io/power-since"
#define JL_ANNOTATION_POWER_REASON "joulie.io/power-reason"
#define JL_ANNOTATION_POWER_FAILURES "joulie.io/power-failures"
#define JL_ANNOTATION_POWER_BOOT_ID "joulie.io/power-boot-id"
#define JL_TAINT_POWERED_OFF "joulie.io/powered-off"
#define JL_ANNOTATION_SCALE_DOWN "cluster-autoscaler.kubernetes.io/scale-down-disabled"
#define JL_ANNOTATION_HOLD "joulie.io/scale-down-disabled" /* that the other one is ours */

#define JL_POWER_DRAIN_MS 5000 /* a pod that was bound just before the drain shows up within it */

/* Whether the autoscaler of the cluster is told to keep a node
 * (docs/rules/policy.md#nodes-that-an-autoscaler-takes-away). */
enum jl_power_hold {
    JL_HOLD_NONE,
    JL_HOLD_OURS,
    JL_HOLD_FOREIGN, /* somebody else says what it has to do */
};

/* The record of a Node. ON: it has none, but may have failures. */
struct jl_power_record {
    enum jl_power_state state; /* UNKNOWN: it cannot be read, see fault */
    enum jl_power_reason reason;
    bool is_drained; /* cordoned, with our taint */
    enum jl_power_hold hold;
    int64_t since_ms;
    int64_t failures;    /* in a row */
    const char *boot_id; /* when it was switched off; NULL = not known */
    const char *fault;   /* what cannot be read, for a person; NULL = nothing */
};

/* Texts are the node's. */
void jl_power_record_of(const struct jl_node *node, struct jl_power_record *out);

/* Whether there is one that can be read. */
static inline bool jl_power_is_recorded(const struct jl_power_record *record)
{
    return record->state != JL_POWER_ON && record->state != JL_POWER_UNKNOWN;
}

/* The taints of a node without ours; in the arena unless they are the node's own. 0 or
 * JOULIE_E_NOMEM. */
int jl_power_foreign_taints(const struct jl_list *taints, struct jl_arena *arena,
                            struct jl_list *out);

/* What the status of a node says of it. */
struct jl_power_report {
    enum joulie_readiness readiness;
    bool has_since;
    int64_t since_ms; /* of the readiness */
    const char *boot_id;
};

void jl_power_report_of(const struct jl_node *node, struct jl_power_report *out);

/* What has become of the command that a record asks for. */
enum jl_power_progress {
    JL_POWER_NOT_GIVEN,
    JL_POWER_GIVEN,
    JL_POWER_DONE,
    JL_POWER_FAILED,
};

extern const struct jl_words jl_power_progress_words;

struct jl_power_case {
    const struct jl_power_off_config *config; /* complete */
    struct jl_power_record record;
    struct jl_power_report report;
    enum jl_power_progress progress;
    bool has_work;   /* pods as they count */
    bool is_managed; /* in scope: it may be switched */
    bool is_silent;  /* the caller knows that no command for this record was ever given */
    int64_t now_ms;
};

/* What the record becomes before anything is decided: confirmed, taken back, or failed. False = it
 * stays, and out is not written. */
bool jl_power_settle(const struct jl_power_case *in, struct jl_power_record *out);
/* What it becomes by a choice that is not JL_POWER_NOTHING. */
void jl_power_follow(const struct jl_power_case *in, const struct jl_power_choice *choice,
                     struct jl_power_record *out);
/* What has to be run for it: SWITCH_OFF, WAKE, or NOTHING (yet). */
enum jl_power_action jl_power_command(const struct jl_power_case *in);

#define JL_POWER_ANNOTATIONS 5

/* The annotations of a record, each with NULL where it has to go; since and failures are texts of
 * the record's. */
void jl_power_annotations(const struct jl_power_record *record, const char *since,
                          const char *failures, struct jl_pair out[JL_POWER_ANNOTATIONS]);

/* What the autoscaler is told of a node from now on. `is_given_up`: it may be switched off now. */
struct jl_hold_case {
    const struct jl_power_off_config *config;
    const struct jl_power_record *record;
    enum joulie_readiness readiness;
    bool is_out;     /* not selected any more */
    bool is_managed; /* in scope */
    bool is_given_up;
};

enum jl_power_hold jl_power_hold_after(const struct jl_hold_case *in);

#define JL_HOLD_ANNOTATIONS 2

/* Its annotations, each with NULL where it has to go; not of JL_HOLD_FOREIGN. */
void jl_power_hold_annotations(enum jl_power_hold hold, struct jl_pair out[JL_HOLD_ANNOTATIONS]);

/* What the twin of a node says of its record; constants and texts of the record. */
struct jl_judgement jl_power_condition_of(const struct jl_power_record *record);
/* Why one record follows the other, for a person; a constant. */
const char *jl_power_text(const struct jl_power_record *before,
                          const struct jl_power_record *after);
