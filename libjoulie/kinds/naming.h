/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Names of the objects that we write (docs/rules/reconcile.md#object-names): one place for
 * operator, agent and simulator. Readers never use them: they find an object by spec.nodeName.
 * Results are in the arena; NULL = out of memory.
 */

#include <stdbool.h>

#include "base/arena.h"

#define JL_NAME_MAX 253 /* bytes of an object name */

/* spec.nodeName of the object that has this name, NULL when there is no such object. */
typedef const char *jl_name_owner_fn(const void *user, const char *object_name);

/*
 * Name of the NodeTwin and NodeHardware of a node; "" when no character of the node's name can
 * stand in one. A node whose name is its own sanitized form owns that name; any other node yields
 * to an object of a different node and gets a suffix. owner may be NULL: nothing exists yet.
 */
const char *jl_object_name(struct jl_arena *arena, const char *node_name, jl_name_owner_fn *owner,
                           const void *user);

/* Name of the WorkloadProfile of a top controller; kind as written, such as StatefulSet. */
const char *jl_profile_name(struct jl_arena *arena, const char *kind, const char *name_space,
                            const char *name);

/* The sources' names: operator and agent before this library, NodePowerProfile, and a pod's
 * WorkloadProfile (v0.1.0). */
const char *jl_sanitize_operator(struct jl_arena *arena, const char *node_name);
const char *jl_sanitize_agent(struct jl_arena *arena, const char *node_name);
const char *jl_power_profile_name(struct jl_arena *arena, const char *node_name);
const char *jl_pod_profile_name(struct jl_arena *arena, const char *name_space,
                                const char *pod_name);
