/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The agent of a simulated node: the library's own step, applied to the simulated hardware at once
 * (docs/rules/simulation.md#control-steps).
 */

#include "node/node.h"
#include "sim/fleet.h"

struct jl_sim_agent { /* what the agent sees of its NodeTwin */
    const struct jl_twin_spec *spec;
    const char *last_updated; /* RFC 3339 */
    int64_t heartbeat_ms;     /* the operator's last */
    int64_t now_ms;
};

/*
 * A step with an unchanged spec writes nothing, so a run takes one only when the spec has changed.
 * What the step would report (applied) is what the operator assumes without a report, so nothing is
 * reported.
 */
void jl_sim_agent_step(struct jl_sim_fleet *fleet, size_t node, const struct jl_sim_agent *agent);
