/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Where an agent reads power and sends caps (docs/rules/endpoints.md#settings): what its
 * environment says, else the TelemetryProfile of its node, else the one of the cluster, else the
 * host.
 */

#include <joulie/error.h>

#include "base/arena.h"
#include "kinds/telemetry_profile.h"

/* The variables TELEMETRY_*; a blank one is not set. Members are texts, in the order of the bits.
 */
struct jl_wiring_env {
    uint64_t has;
    const char *cpu_source;
    const char *cpu_endpoint;
    const char *cpu_control;
    const char *cpu_control_endpoint;
    const char *cpu_control_mode;
    const char *gpu_control;
    const char *gpu_control_endpoint;
    const char *gpu_control_mode;
    const char *timeout_s;
};

enum {
    JL_WIRING_CPU_SOURCE,
    JL_WIRING_CPU_ENDPOINT,
    JL_WIRING_CPU_CONTROL,
    JL_WIRING_CPU_CONTROL_ENDPOINT,
    JL_WIRING_CPU_CONTROL_MODE,
    JL_WIRING_GPU_CONTROL,
    JL_WIRING_GPU_CONTROL_ENDPOINT,
    JL_WIRING_GPU_CONTROL_MODE,
    JL_WIRING_TIMEOUT,
};

extern const struct jl_table jl_wiring_env_table; /* keys are the names of the variables */

struct jl_wire {
    enum jl_telemetry_type type;
    const char *endpoint; /* of http and prometheus, with the node's name in it */
    const char *query;    /* of prometheus, likewise; NULL = the built-in one */
    const char *mode;     /* of http controls; NULL = auto */
    int64_t timeout_s;    /* of http and prometheus */
};

struct jl_wiring {
    struct jl_wire cpu_source;
    struct jl_wire cpu_control;
    struct jl_wire gpu_control;
};

struct jl_wiring_input {
    const char *node_name;
    const struct jl_wiring_env *env;
    const struct jl_telemetry_profile *profiles; /* in any order */
    size_t profile_count;
    bool is_source; /* the rules of v0.1.1: unknown words are the host, profiles are not read */
};

/*
 * 0; JOULIE_E_ENUM (a word that nobody knows), JOULIE_E_REQUIRED (a remote backend without an
 * endpoint), JOULIE_E_PARSE, JOULIE_E_RANGE, JOULIE_E_LIMIT: err->where is "env.VARIABLE",
 * "profiles[i].spec…" or "node"; JOULIE_E_NOMEM. Texts live in the arena or are borrowed.
 */
int jl_wiring_resolve(const struct jl_wiring_input *in, struct jl_arena *arena,
                      struct jl_wiring *out, struct joulie_error *err);

/*
 * The profile that speaks for a node: of several the one with the lowest object name. node_name
 * NULL = the profiles of scope cluster. Returns its index, count when there is none.
 */
size_t jl_wiring_profile(const struct jl_telemetry_profile *profiles, size_t count,
                         const char *node_name);
