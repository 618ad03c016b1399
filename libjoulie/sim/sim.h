/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is behind a simulation's handle; shared by the two files of its API. */

#include <joulie/sim.h>

#include "base/buffer.h"
#include "sim/outside.h"
#include "sim/run.h"

struct joulie_sim {
    struct jl_inventory inventory;
    struct jl_trace trace;
    struct jl_sim_workload workload;
    struct jl_sim_run controlled;
    struct jl_sim_run uncontrolled;
    struct jl_sim_outside *outside; /* of an external simulation, else NULL; the run frees it */
    bool is_compared;
    uint64_t seed;
    struct jl_sim_texts texts;
};

/* The machine of a name. 0 or JOULIE_E_REQUIRED. */
int jl_sim_find_machine(const struct joulie_sim *sim, const char *name, size_t *out,
                        struct joulie_error *err);
