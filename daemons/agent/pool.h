/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Nodes that are driven over HTTP: those of a pool's shard, or one
 * (docs/rules/node-agent.md#shards). Node number i of n, in the order of their names and whoever
 * drives them, steps i/n of RECONCILE_INTERVAL after each multiple of it.
 */

#include "agent/cluster.h"
#include "agent/feedback.h"
#include "agent/publish.h"
#include "agent/remote.h"
#include "base/map.h"

struct jd_pool;

struct jd_pool_text { /* of an object; not yet handed over while it is there */
    char *object_name;
    char *text;
    size_t len;
    bool is_new;
};

struct jd_pool_node {
    struct jd_pool *pool;
    char *name;
    char *uid;
    char *facts; /* the parts of the Node that say what it is made of */
    bool is_selected;
    bool is_owned; /* by this shard */
    bool is_leaving;
    unsigned leave_count; /* steps that should have given back */
    struct jd_pool_text twin;
    struct jd_pool_text hardware;
    struct jd_remote *remote;
    struct jd_feedback feedback;
    struct jd_publish publish;
    struct jd_alarm alarm;
    int64_t last_ms;           /* step */
    bool is_stepping;          /* or waits for its turn */
    bool is_late;              /* another step is due already */
    unsigned open;             /* requests after the step */
    bool is_logged;            /* a twin or hardware that cannot be used */
    struct jd_pool_node *next; /* that waits for its turn */
};

struct jd_pool {
    struct jd_cluster *cluster;
    const struct jd_agent_values *values;
    struct jd_log *log;
    bool enforces;
    bool is_started; /* policy time is known */
    bool is_held;    /* the clock waits for the caches */
    bool is_ending;
    void (*ended)(void *user); /* after jd_pool_end() */
    void *user;
    struct jd_pool_node **nodes; /* by name */
    size_t count;
    size_t capacity;
    struct jl_index twins;      /* object names to struct jd_pool_node * */
    struct jl_index hardware;   /* the same */
    bool is_unplanned;          /* the selection has changed */
    struct jd_pool_node *first; /* waiting */
    struct jd_pool_node *last;
    size_t in_flight; /* steps */
    size_t busy;      /* those, and reports of them that are on their way */
    size_t lost;      /* nodes whose caps could not be given back */
    struct jd_timer deadline;
};

/* Whether the shard is good: 0, or a code with err->message that names the setting. */
int jd_pool_check(const struct jd_agent_values *values, struct joulie_error *err);
/* The cluster is open; its caches are opened here. */
int jd_pool_open(struct jd_pool *pool, struct jd_cluster *cluster, bool enforces,
                 struct joulie_error *err);
/* Gives every cap back, then calls ended, at the latest after some time. */
void jd_pool_end(struct jd_pool *pool, void (*ended)(void *user), void *user);
size_t jd_pool_held(const struct jd_pool *pool); /* nodes with a cap of ours, lost ones too */
void jd_pool_close(struct jd_pool *pool);

/* pool_nodes.c */
bool jd_pool_owns(const struct jd_pool *pool, const char *name);
struct jd_pool_node *jd_pool_find(const struct jd_pool *pool, const char *name); /* or NULL */
/* The node of this name, a new one for a name that is new; NULL = memory ran out. */
struct jd_pool_node *jd_pool_node(struct jd_pool *pool, const char *name);
void jd_pool_free_node(struct jd_pool_node *node);
void jd_pool_clear_text(struct jd_pool_text *text);
/* Forgets the nodes of which nothing is left. */
void jd_pool_prune(struct jd_pool *pool);

/* pool_objects.c: what the caches hold. */
extern const struct jd_cache_handlers jd_pool_handlers[];

/* pool_step.c */
void jd_pool_plan(struct jd_pool *pool);
/* A step now, or as soon as it is its turn. */
void jd_pool_step(struct jd_pool_node *node);
/* Gives its caps back and lets it go. */
void jd_pool_leave(struct jd_pool_node *node);
