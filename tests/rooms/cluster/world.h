/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A small random cluster that a test keeps beside the model: from it a second model can be built
 * from nothing. Names are few, so that objects collide. */

#include "base/random.h"
#include "cluster/objects.h"

#define WORLD_NODES 8
#define WORLD_HARDWARE 8
#define WORLD_TWINS 24
#define WORLD_PODS 14
#define WORLD_PROFILES 6
#define WORLD_SETS 3       /* groups of pods that have one owner */
#define WORLD_OWNERS 3     /* kinds of owners */
#define WORLD_REFERENCES 4 /* kinds of what a profile is about */
#define WORLD_ZONES 2
#define WORLD_SAMPLES 160
#define WORLD_TEXT 4096

extern const char *const world_names[WORLD_NODES + 1]; /* of the nodes; the last is never one */

struct world_node {
    bool exists;
    bool is_managed; /* label of the selector */
    bool is_paused;
    bool is_reserved;
    bool is_cordoned;
    int rack;      /* 0 = none */
    int zone;      /* 0 = none */
    int label;     /* of the power profile: 0 none, 1 performance, 2 eco, 3 nobody's word */
    bool has_gpus; /* allocatable ones */
    struct joulie_cluster_sample samples[WORLD_SAMPLES];
    size_t sample_count;
};

struct world_hardware { /* a NodeHardware, named by its place */
    int variant;        /* 0 = none */
    int node;
    bool has_known_gpus;
};

struct world_twin {
    char name[64];         /* of the object */
    char node[64];         /* that its spec names */
    char text[WORLD_TEXT]; /* JSON of the stored NodeTwin, "" = none */
};

struct world_pod {
    bool exists;
    int node;           /* -1 = not bound; WORLD_NODES = a node that nobody knows */
    int class_;         /* 0 none, 1 performance, 2 standard, 3 invalid */
    int phase;          /* 0 Pending, 1 Running, 2 Succeeded */
    int owner;          /* 0 none, else a kind of owner and a set of pods */
    int movable;        /* annotation: 0 none, 1 true, 2 false */
    int64_t started_ms; /* 0 = nobody says */
    int gpus;
    int64_t created_ms; /* 0 = nobody says */
};

struct world_profile {
    bool exists;
    bool is_performance;
    bool is_sure;  /* confidence above the gate */
    int reference; /* kind of what it is about, and which */
    int intensity; /* 0 none, 1 high, 2 low */
    int movable;   /* 0 not said, 1 true, 2 false */
    int bound;     /* of GPUs: 0 not said, 1 compute, 2 mixed, 3 memory, 4 none */
    int util_pct;  /* of them; below 0: not said */
    int64_t updated_ms;
};

struct world {
    struct jl_random random;
    const uint8_t *bytes; /* choices are taken from here instead, NULL = from random */
    size_t byte_count;
    size_t byte_at;
    enum jl_policy_type policy; /* under efficiency_v1 pods have GPUs, and profiles speak of them */
    int64_t now_ms;
    struct world_node nodes[WORLD_NODES];
    struct world_hardware hardware[WORLD_HARDWARE];
    struct world_twin twins[WORLD_TWINS];
    struct world_pod pods[WORLD_PODS];
    struct world_profile profiles[WORLD_PROFILES];
    struct joulie_cluster_facility facility;
    struct joulie_cluster_facility zones[WORLD_ZONES];
    int64_t heartbeat_ms;
};

void world_start(struct world *world, enum jl_policy_type policy, uint64_t seed);
/* The choices are these bytes, which must outlive the world; when they have run out, the lowest. */
void world_start_bytes(struct world *world, const uint8_t *bytes, size_t count);
int world_pick(struct world *world, int low, int high); /* both ends included */

/* Changes one thing in the world and changes the model, or asks the model something. */
void world_event(struct world *world, struct joulie_cluster *cluster);
/* Reads the power of every node, which mostly is what it was. */
void world_read_all(struct world *world, struct joulie_cluster *cluster);
/* Says of each action what came of it, and lets things happen in between. */
void world_settle(struct world *world, struct joulie_cluster *cluster,
                  const struct actions *actions);
/* Takes away everything but the twins, whose deletion is the model's task. */
void world_end(struct world *world, struct joulie_cluster *cluster);
/* Takes away the twins that are left: those of nobody's policy. */
void world_end_twins(struct world *world, struct joulie_cluster *cluster);

/* Puts an object into the model as it is now, or removes it. */
void world_tell_node(const struct world *world, struct joulie_cluster *cluster, int i);
void world_tell_hardware(const struct world *world, struct joulie_cluster *cluster, int i);
void world_tell_twin(const struct world *world, struct joulie_cluster *cluster, int i);
void world_tell_pod(const struct world *world, struct joulie_cluster *cluster, int i);
void world_tell_profile(const struct world *world, struct joulie_cluster *cluster, int i);
void world_tell_zone(const struct world *world, struct joulie_cluster *cluster, int i);
/* Puts everything into a new model, in an order that the seed decides. */
void world_tell(const struct world *world, struct joulie_cluster *cluster, uint64_t order_seed);
/* The document of the question `plan`; to be freed with joulie_free. */
char *world_plan_document(const struct world *world, const struct jl_plan_state *state);
