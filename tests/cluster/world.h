/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A small random cluster that a test keeps beside the model: from it a second model can be built
 * from nothing. */

#include "base/random.h"
#include "cluster/objects.h"

#define WORLD_NODES 8
#define WORLD_PODS 14
#define WORLD_PROFILES 4
#define WORLD_SAMPLES 64
#define WORLD_TEXT 4096

struct world_node {
    bool exists;
    bool is_managed; /* label of the selector */
    bool is_reserved;
    bool is_cordoned;
    int rack;            /* 0 = none */
    int label;           /* of the power profile: 0 none, 1 performance, 2 eco */
    bool has_gpus;       /* allocatable ones */
    int hardware;        /* 0 = no NodeHardware, else a variant */
    bool has_known_gpus; /* in the NodeHardware */
    char twin_name[64];
    char twin[WORLD_TEXT]; /* JSON of the stored NodeTwin, "" = none */
    struct jl_cluster_sample samples[WORLD_SAMPLES];
    size_t sample_count;
};

struct world_pod {
    bool exists;
    int node;    /* -1 = not bound; WORLD_NODES = a node that nobody knows */
    int class_;  /* 0 none, 1 performance, 2 standard, 3 invalid */
    int phase;   /* 0 Pending, 1 Running, 2 Succeeded */
    int owner;   /* 0 none, else the StatefulSet of that profile */
    int movable; /* annotation: 0 none, 1 true, 2 false */
};

struct world_profile {
    bool exists;
    bool is_performance;
    int intensity; /* 0 none, 1 high, 2 low */
    int movable;   /* 0 not said, 1 true, 2 false */
    int64_t updated_ms;
};

struct world {
    struct jl_random random;
    int64_t now_ms;
    struct world_node nodes[WORLD_NODES];
    struct world_pod pods[WORLD_PODS];
    struct world_profile profiles[WORLD_PROFILES];
    struct jl_cluster_facility facility;
    int64_t heartbeat_ms;
};

void world_start(struct world *world, uint64_t seed);
/* Changes one thing in the world and tells the model. */
void world_event(struct world *world, struct jl_cluster *cluster);
/* Tells a new model everything, in an order that the seed decides. */
void world_tell(const struct world *world, struct jl_cluster *cluster, uint64_t order_seed);
/* Takes over what an action wrote. */
void world_applied(struct world *world, const struct jl_cluster_action *action);
/* The document of the question `plan`; to be freed with joulie_free. */
char *world_plan_document(const struct world *world, const struct jl_plan_state *state);
