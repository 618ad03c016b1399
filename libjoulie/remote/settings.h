/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Where an agent reads power and sends caps (docs/rules/endpoints.md#settings): what its
 * environment says, else the TelemetryProfile of its node, else one that selects its labels, else
 * the one of the cluster, else the host.
 */

#include <joulie/remote.h>

#include "base/arena.h"
#include "kinds/telemetry_profile.h"

#define JL_REMOTE_ROLES (JOULIE_REMOTE_ROLE_GPU_CONTROL + 1) /* roles are indexes; 0 is none */

/* As struct joulie_remote_endpoint, before endpoint and query become one URL. */
struct jl_endpoint {
    enum joulie_remote_type type;
    const char *endpoint; /* of http and prometheus, with the node's name in it */
    const char *query;    /* of prometheus, likewise; NULL = the built-in one */
    const char *mode;     /* of http controls; NULL = auto */
    int64_t timeout_s;    /* of http and prometheus */
};

struct jl_remote_input {
    const char *node_name;
    const struct joulie_remote_settings *env;
    const struct jl_map *labels;                 /* of the node; NULL = unknown */
    const struct jl_telemetry_profile *profiles; /* in any order */
    size_t profile_count;
    bool is_chosen; /* the first of them speaks for the node; paths begin at its spec */
    bool is_source; /* the rules of v0.1.1: unknown words are the host, profiles are not read */
};

/* How near a profile is to a node: by its name, by its labels, as one of the cluster; none is for
 * another one, or says of no node that it is for it. */
enum jl_profile_reach { JL_REACH_NONE, JL_REACH_CLUSTER, JL_REACH_LABELS, JL_REACH_NAME };

/* labels: NULL = unknown. 0, or the codes of jl_parse_selector(). */
int jl_profile_reaches(const struct jl_telemetry_profile *profile, const char *node_name,
                       const struct jl_map *labels, struct jl_arena *arena,
                       enum jl_profile_reach *out);

/*
 * 0; JOULIE_E_ENUM (a word that nobody knows), JOULIE_E_REQUIRED (a remote backend without an
 * endpoint), JOULIE_E_PARSE, JOULIE_E_RANGE, JOULIE_E_LIMIT: err->where is "env.VARIABLE",
 * "profiles[i].spec…", "spec…" or "node"; JOULIE_E_NOMEM. Texts live in the arena or are borrowed.
 */
int jl_remote_resolve(const struct jl_remote_input *in, struct jl_arena *arena,
                      struct jl_endpoint out[JL_REMOTE_ROLES], struct joulie_error *err);

/* One of them for a caller. JOULIE_E_ENUM: there is no such role. */
int jl_remote_give(const struct jl_remote_input *in, struct jl_arena *arena,
                   enum joulie_remote_role role, struct joulie_remote_endpoint *out,
                   struct joulie_error *err);
