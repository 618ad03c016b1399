/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What came out of a run, as text (cli.md §5). */

#include "base/buffer.h"
#include "sim/run.h"

struct jl_sim_pair { /* uncontrolled NULL = not compared */
    const struct jl_sim_run *controlled;
    const struct jl_sim_run *uncontrolled;
    uint64_t seed;
};

/* Each appends its text and returns 0 or JOULIE_E_NOMEM. */
int jl_sim_put_summary(struct jl_buffer *out, const struct jl_sim_pair *pair);
int jl_sim_put_nodes(struct jl_buffer *out, const struct jl_sim_pair *pair);
int jl_sim_put_jobs(struct jl_buffer *out, const struct jl_sim_pair *pair);
int jl_sim_put_models(struct jl_buffer *out, const struct jl_inventory *inventory);
