/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The agent in a cluster, whatever drives its nodes: which nodes there are and what is desired of
 * them (objects.c, nodes.c), when they step and what follows a step (step.c).
 *
 * A pool drives the nodes of its shard (docs/rules/node-agent.md#shards): number i of n, in the
 * order of their names and whoever drives them, steps i/n of RECONCILE_INTERVAL after each multiple
 * of it. A local node steps each CONTROL_INTERVAL from the start.
 */

#include "agent/backend.h"
#include "agent/feedback.h"
#include "agent/publish.h"
#include "agent/shared.h"
#include "base/map.h"
#include "kube/feed.h"
#include "kube/lease.h"
#include "runtime/health.h"

struct jd_core;

struct jd_node_text { /* of an object; not yet handed over while it is new */
    char *object_name;
    char *text;
    size_t len;
    bool is_new;
};

struct jd_node {
    struct jd_core *core;
    char *name;
    char *uid;
    char *facts; /* the parts of the Node that say what it is made of */
    bool is_selected;
    bool is_owned; /* by this shard */
    bool is_leaving;
    unsigned leave_count; /* steps that should have given back */
    struct jd_node_text twin;
    struct jd_node_text hardware;
    void *driven; /* of the backend; NULL = not driven */
    struct jd_feedback feedback;
    struct jd_publish publish;
    bool is_unsaid; /* the last report is not known to the API server */
    struct jd_alarm alarm;
    int64_t last_ms;       /* step */
    bool is_stepping;      /* or waits for its turn */
    bool is_late;          /* another step is due already */
    bool is_held;          /* the clock, by a step or by what follows it */
    unsigned open;         /* requests to the API server */
    bool is_logged;        /* a twin or hardware that cannot be used */
    bool is_unwired;       /* what it is wired to may have changed */
    bool is_wiring_logged; /* a wiring that cannot be used */
    struct jd_node *next;  /* that waits for its turn */
};

/* profiles: where a backend can be wired by them */
enum jd_source_index { JD_NODES, JD_TWINS, JD_HARDWARE, JD_HEARTBEAT, JD_PROFILES, JD_SOURCES };

struct jd_core { /* zeroed at the start */
    const struct jd_agent_shared *shared;
    const struct jd_backend *backend;
    void *maker;       /* first argument of its drive() */
    char *object_name; /* of the objects of the only node; NULL = a pool */
    char *lease_name;
    char *selector; /* metadata.name=object_name */
    char *node_selector;
    struct jd_feed_source sources[JD_SOURCES];
    struct jd_feed feed;
    bool has_heartbeat;
    int64_t heartbeat_ms; /* of the operator */
    bool is_started;      /* policy time is known */
    bool has_synced;      /* every cache was listed once */
    bool is_held;         /* the clock waits for the caches */
    bool is_foreign;      /* the twin under our node's name is another node's */
    char bad_profile[512]; /* why the last TelemetryProfile did not count; "" = it did */
    bool is_ending;
    void (*ended)(void *user); /* after jd_core_end() */
    void *user;
    struct jd_node **nodes; /* by name */
    size_t count;
    size_t capacity;
    struct jl_index twins;    /* object names to struct jd_node * */
    struct jl_index hardware; /* the same */
    bool is_unplanned;        /* the selection has changed */
    struct jd_node *first;    /* waiting */
    struct jd_node *last;
    size_t in_flight; /* steps of the backend */
    size_t busy;      /* nodes that step, or whose reports are on their way */
    size_t lost;      /* nodes whose caps could not be given back */
    struct jd_timer deadline;
    struct jd_steps steps;
    struct jd_lease lease; /* of a machine: that its agent is alive */
    struct jd_timer lease_timer;
};

/* Whether the shard is good: 0, or a code with err->message that names the setting. */
int jd_core_check(const struct jd_agent_values *values, struct joulie_error *err);
/* The caches are opened here. */
int jd_core_open(struct jd_core *core, const struct jd_agent_shared *shared,
                 const struct jd_backend *backend, void *maker, struct joulie_error *err);
/* Why no step ends although one is due; NULL = steps end. */
const char *jd_core_problem(const struct jd_core *core);
/* Gives every cap back and reports it, then calls ended, at the latest after some time. */
void jd_core_end(struct jd_core *core, void (*ended)(void *user), void *user);
size_t jd_core_held(const struct jd_core *core); /* nodes with a cap of ours, lost ones too */
void jd_core_close(struct jd_core *core);

/* nodes.c */
struct jd_node *jd_core_find(const struct jd_core *core, const char *name); /* or NULL */
/* The node of this name, a new one for a name that is new; NULL = memory ran out. */
struct jd_node *jd_core_node(struct jd_core *core, const char *name);
/* Forgets the nodes of which nothing is left. */
void jd_core_prune(struct jd_core *core);
void jd_core_clear_text(struct jd_node_text *text);
void jd_node_free(struct jd_node *node);

/* objects.c: what the caches hold. */
int jd_core_watch(struct jd_core *core, struct joulie_error *err);

/* step.c */
void jd_core_plan(struct jd_core *core);
void jd_core_start(struct jd_core *core, int64_t now_ms); /* policy time is known */
/* Has the backend begin with it. */
int jd_node_drive(struct jd_node *node, struct joulie_error *err);
/* Gives its caps back and lets it go. */
void jd_node_leave(struct jd_node *node);
