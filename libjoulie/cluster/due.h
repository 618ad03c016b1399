/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Events of a model, and what each makes due. A file that changes something reports the event; what
 * follows from it stands in one table (due.c), and the step does what is due.
 */

#include <stddef.h>
#include <stdint.h>

struct joulie_cluster;
struct cluster_node;
struct order;

enum cluster_event {
    EVENT_NONE,       /* nothing follows */
    EVENT_NODES,      /* a node is new or gone, or its Node object is */
    EVENT_SCOPE,      /* a node is managed, kept or left out, other than before */
    EVENT_HARDWARE,   /* density or family of a node */
    EVENT_RACK,       /* a node left a rack, or joined one */
    EVENT_FACTS,      /* Node, NodeHardware or machine of a node were stored */
    EVENT_TWIN,       /* the NodeTwin that counts for a node */
    EVENT_RENEWED,    /* lastUpdated of that NodeTwin alone, and the stress of its supply */
    EVENT_NAMES,      /* an object name was taken or given back */
    EVENT_READING,    /* a sample that may change a prediction */
    EVENT_FACILITY,   /* outside temperature or IT power, of the cluster */
    EVENT_ZONE,       /* outside temperature of the node's zone */
    EVENT_PODS,       /* pods of a node, for the ledger */
    EVENT_FREED,      /* a pod left a node, or holds less of it */
    EVENT_ALLOCATION, /* pods of a node that nobody reads */
    EVENT_BLOCKERS,   /* number of pods that keep a node from saving power */
    EVENT_PROFILES,   /* texts of advice about pods of a node */
    EVENT_WORK,       /* pods of a node with a profile, or what these say */
    EVENT_DECISION,   /* profile or caps of a node */
    EVENT_SHARE,      /* what a node draws of its rack's supply */
    EVENT_STRESS,     /* the stress of a node's rack may be worth a write */
    EVENT_ADVISED,    /* advice about a node was made anew */
    EVENT_POWER,      /* a node that was switched off came or went */
    EVENT_RECORD,     /* the power record of a node is to be written */
    EVENT_AGENT,      /* the agent of a node fell silent, or is heard again */
    EVENT_IN_THE_WAY, /* the twin of a node has the name of another node */
};

/* Of one node; the consumer clears the bit. */
#define DUE_CAPS (1U << 0)       /* caps are resolved again, whatever the profile is */
#define DUE_SPEC (1U << 1)       /* the stored spec is compared with the decided one */
#define DUE_PREDICTION (1U << 2) /* the twin is predicted again */
#define DUE_ADVICE (1U << 3)     /* advice is made again */
#define DUE_STATUS (1U << 4)     /* the stored status is compared with the predicted one */
#define DUE_LIMIT (1U << 5)      /* the GPU cap that its work allows is searched again */
/* Of one node, done at once. */
#define DUE_VISIT (1U << 8)   /* the next step visits it */
#define DUE_PLAN (1U << 9)    /* the plan's row of it follows its twin and its pods */
#define DUE_LEDGER (1U << 10) /* its part of the ledger is summed again */
#define DUE_SUM (1U << 11)    /* its rack is summed again */
/* Of the model. */
#define DUE_ORDER \
    (1U << 16) /* the orders over the nodes are made again, and every node is visited */
#define DUE_NAMES (1U << 17) /* twins under names of other nodes are looked for */
#define DUE_POWER (1U << 19) /* a node that was switched off has something to be confirmed */
#define DUE_WAKE (1U << 20)  /* work came while nodes were off */
#define DUE_HELD (1U << 21)  /* an agent says that a looser cap is in force */
#define DUE_QUEUE (1U << 18) /* work that waits may have room that it had not */

/* Something happened to the node. */
void jl_cluster_changed(struct joulie_cluster *cluster, struct cluster_node *node,
                        enum cluster_event event);
/* Something happened to every node and every rack. */
void jl_cluster_all_changed(struct joulie_cluster *cluster, enum cluster_event event);
/* The next step visits every node, as time went back. */
void jl_cluster_visit_all(struct order *order);
/* The plan's row of a node as it is now; the order is fresh. */
void jl_cluster_set_plan_row(struct joulie_cluster *cluster, struct cluster_node *node);
/* The nodes that a step visits now, by name, in order->visits. */
size_t jl_cluster_find_due(const struct order *order, int64_t now_ms);
