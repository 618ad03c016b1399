/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which nodes are switched off because nothing runs on them, and which are woken
 * (docs/rules/policy.md#power_off_v1). Pure: who calls it keeps the records of the nodes and does
 * what it answers, or only reports it.
 */

#include "base/words.h"
#include "policy/room.h"
#include "schema/row.h"

#ifdef JL_POWER_OFF_TABLES
#define RECORD_TABLES
#endif

#define JL_POWER_VENDORS (JOULIE_GPU_VENDOR_INTEL + 1)
#define JL_POWER_LONGEST_S 1e9
#define JL_POWER_MOST_ROOM 1e9 /* cores or GPUs of a reserve */

#define RECORD jl_power_off_config
#define MEMBERS                                                                                \
    BOOLEAN(enabled, "enabled", "Whether nodes are switched off; false: all are woken. True.") \
    BOOLEAN(by_autoscaler, "byAutoscaler",                                                     \
            "Whether the autoscaler of the cluster takes nodes away, and none is switched. "   \
            "False.")                                                                          \
    NUMBER(idle_s, "idleS", "Seconds without pods before a node is switched off; 1800.",       \
           BETWEEN(0, JL_POWER_LONGEST_S))                                                     \
    NUMBER(up_s, "upS", "Seconds that a node is on before it may be switched off; 1800.",      \
           BETWEEN(0, JL_POWER_LONGEST_S))                                                     \
    NUMBER(reserve_gpus, "reserveGpus", "Free GPUs of each vendor that stay awake; 16.",       \
           BETWEEN(0, JL_POWER_MOST_ROOM))                                                     \
    NUMBER(reserve_cores, "reserveCores", "Free cores that stay awake; 256.",                  \
           BETWEEN(0, JL_POWER_MOST_ROOM))                                                     \
    NUMBER(reserve_window_s, "reserveWindowS",                                                 \
           "A reserve is no larger than what the pods of so many seconds ask for; 0: it is "   \
           "fixed. 900.",                                                                      \
           BETWEEN(0, JL_POWER_LONGEST_S))                                                     \
    NUMBER(standby_w, "standbyWatts",                                                          \
           "Power of a node that is off, W; one with no more when idle stays on. 50.",         \
           NOT_NEGATIVE)                                                                       \
    NUMBER(stop_timeout_s, "stopTimeoutS", "Seconds after which a stop has failed; 600.",      \
           BETWEEN(0, JL_POWER_LONGEST_S))                                                     \
    NUMBER(boot_timeout_s, "bootTimeoutS", "Seconds after which a boot has failed; 1200.",     \
           BETWEEN(0, JL_POWER_LONGEST_S))                                                     \
    INTEGER(most_failures, "mostFailures",                                                     \
            "Failures in a row after which a node is left alone; 3.", AT_LEAST(1))
#define ABOUT .doc = "Settings of power_off_v1."
#include "schema/shared_record.h"

#undef RECORD_TABLES

/* Gives every member that is not given its default. A zeroed struct becomes the defaults. */
void jl_power_off_defaults(struct jl_power_off_config *config);

enum jl_power_state {
    JL_POWER_UNKNOWN,
    JL_POWER_ON,
    JL_POWER_STOPPING,
    JL_POWER_OFF,
    JL_POWER_BOOTING, /* also one that was woken while it stopped */
    JL_POWER_LEFT,    /* alone, after too many failures */
};

extern const struct jl_words jl_power_state_words;

struct jl_power_node {
    enum jl_power_state state;
    int64_t since_ms;       /* of the state */
    int64_t empty_since_ms; /* of a node without pods */
    int64_t failures;       /* actions for a timeout since it last was on */
    bool is_eco;            /* performance pods do not go there */
    bool is_kept;           /* not to be switched off; its room counts */
};

enum jl_power_action {
    JL_POWER_NOTHING,
    JL_POWER_SWITCH_OFF,
    JL_POWER_WAKE,
    JL_POWER_GIVE_UP, /* leave it alone, and report it */
};

extern const struct jl_words jl_power_action_words;

enum jl_power_reason {
    JL_POWER_NO_REASON,
    JL_POWER_IDLE,           /* off: nothing runs on it, and there is room enough without it */
    JL_POWER_PODS,           /* wake: pods wait that have room on it and on no node that is awake */
    JL_POWER_RESERVE,        /* wake: too little is free on those that are awake */
    JL_POWER_STOP_TIMEOUT,   /* wake or give up: it did not stop */
    JL_POWER_BOOT_TIMEOUT,   /* wake again or give up: it did not come back */
    JL_POWER_DISABLED,       /* wake: nodes are not switched off any more */
    JL_POWER_COMMAND_FAILED, /* wake or give up: the command was reported as failed */
    JL_POWER_UNCORDONED,     /* wake: somebody took the cordon away */
};

extern const struct jl_words jl_power_reason_words;

struct jl_power_choice { /* of one node */
    enum jl_power_action action;
    enum jl_power_reason reason;
};

/* What pods ask for that came within the window, and run or wait. */
struct jl_power_recent {
    int64_t millicores;
    int64_t micro_gpus[JL_POWER_VENDORS];
};

struct jl_power_input {
    const struct jl_power_off_config *config; /* complete */
    const struct jl_power_node *nodes;        /* by name */
    struct jl_room *rooms; /* as nodes; what pods that wait are given is taken of them */
    const size_t *order;   /* jl_power_order() of the rooms */
    size_t count;
    const struct jl_waiting_pod *waiting; /* in queue order */
    size_t waiting_count;
    struct jl_power_recent recent;
    int64_t now_ms;
};

/* Whether a pod of this age is of the window. */
bool jl_power_is_recent(const struct jl_power_off_config *config, int64_t created_ms,
                        int64_t now_ms);
void jl_power_add_recent(struct jl_power_recent *recent, const struct jl_waiting_pod *pod);
/* The same of a pod on a node or on none, if it is of the window: when it was created is a part of
 * it; one of which that is not known, or is to come, is recent. */
void jl_power_count_recent(const struct jl_power_off_config *config, const struct jl_pod *pod,
                           int64_t now_ms, struct jl_power_recent *recent);

/* The order in which nodes are switched off, ties as they come: the most watts for what they get
 * done. It depends on hardware alone. 0 or JOULIE_E_NOMEM; out has room for count. */
int jl_power_order(const struct jl_room *rooms, size_t count, size_t *out);

/* One choice per node. */
void jl_power_decide(const struct jl_power_input *in, struct jl_power_choice *out);
