/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The baseline of `simulate.5000`: the same machines, trace and power and speed formulas in a
 * straight loop with fixed steps, LeastAllocated by a scan over all nodes, no operator, no agents,
 * no lags, no event queue.
 */

#include "sim/inventory.h"
#include "sim/trace.h"

struct straight_result {
    size_t completed;
    double energy_j;
    double end_s;
};

void straight_run(const struct jl_inventory *inventory, const struct jl_trace *trace, double step_s,
                  struct straight_result *out);
