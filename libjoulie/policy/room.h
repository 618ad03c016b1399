/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Whether a pod can run on a node, and what it costs there (docs/rules/policy.md#room). */

#include "place/place.h"

struct jl_waiting_pod { /* on no node */
    const struct jl_pod *pod;
    struct joulie_work needs;  /* for its cost */
    struct jl_place_load load; /* for the room that it takes */
    bool is_backlog;           /* for longer than a scheduler takes to place it */
};

/* The profile is the one that matches the pod, or NULL. */
void jl_waiting_pod_init(const struct jl_pod *pod, const struct jl_workload_profile *profile,
                         int64_t now_ms, struct jl_waiting_pod *out);
/* By priority, then age, then name. */
int jl_waiting_sort(struct jl_waiting_pod *pods, size_t count);

struct jl_room { /* a node, what it has and what is taken of it */
    const struct jl_node *node;
    struct jl_place_node row;
    struct jl_place_load offer;
    struct jl_place_load held;
    enum joulie_gpu_vendor vendor;
    bool has_cores; /* the Node says how many; so of has_memory */
    bool has_memory;
};

/* row: its hardware is set; held: by the pods on the node. */
void jl_room_init(const struct jl_node *node, const struct jl_place_node *row,
                  const struct jl_place_load *held, struct jl_room *out);
/* The same by the hardware, with the numbers that a cost is made of. */
void jl_room_open(const struct jl_node *node, const struct jl_hardware *hardware,
                  const struct jl_place_load *held, struct jl_room *out);
/* Instead of what the Node says: cores, bytes, GPUs and their vendor; has_: it is known. */
void jl_room_offer(struct jl_room *room, const struct joulie_work *offer, bool has_cores,
                   bool has_memory);
void jl_room_take(struct jl_room *room, const struct jl_place_load *load);

/* Cores, memory and GPUs beside what is held; what a Node does not say is not judged. */
bool jl_pod_fits(const struct jl_waiting_pod *pod, const struct jl_room *room,
                 const struct jl_place_load *held);

/* Whether the two ask for the same and are admitted alike, so that either fits where the other
 * does. False also where that is not seen at once. */
bool jl_waiting_alike(const struct jl_waiting_pod *a, const struct jl_waiting_pod *b);

/* Whether one that is backlog could run on the node if that were empty. */
bool jl_room_has_backlog(const struct jl_room *room, const struct jl_waiting_pod *waiting,
                         size_t count);

/* The index of the cheapest of those rooms that is marked and takes the pod, ties by index; count =
 * none. A node whose hardware is unknown is more expensive than any other. */
size_t jl_cheapest_room(const struct jl_waiting_pod *pod, const struct jl_room *rooms, size_t count,
                        bool (*is_candidate)(const void *user, size_t i), const void *user);
