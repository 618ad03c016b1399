/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Objects of v0.0.x into what v0.1.1 reads: NodePowerProfile becomes the spec of a NodeTwin,
 * TelemetryProfile the settings of an agent
 * (docs/rules/node-agent.md#migration).
 */

#include <joulie/error.h>

#include "kinds/node_power_profile.h"
#include "kinds/telemetry_profile.h"

struct jl_old_object { /* one of the two; the other is NULL */
    const struct jl_node_power_profile *power;
    const struct jl_telemetry_profile *telemetry;
};

struct jl_migrated_node {
    const char *node_name;
    bool has_twin;
    struct jl_node_twin twin;
    struct joulie_remote_settings env; /* without any text: no profile of this node sets anything */
};

struct jl_migration {
    struct jl_migrated_node *nodes; /* by name */
    size_t node_count;
    struct joulie_remote_settings cluster;
};

/*
 * 0; JOULIE_E_CONFLICT (two NodePowerProfiles of one node), JOULIE_E_REQUIRED (no name of a node),
 * JOULIE_E_PARSE (a name that no object can have): err->where is "objects[i].spec…";
 * JOULIE_E_NOMEM. Texts live in the arena or are borrowed from the objects.
 */
int jl_migrate(const struct jl_old_object *objects, size_t count, struct jl_arena *arena,
               struct jl_migration *out, struct joulie_error *err);
