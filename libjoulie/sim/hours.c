/* SPDX-License-Identifier: Apache-2.0 */

/* Records the nodes of a run at the end of each hour. Called by run.c before time goes on; read by
 * csv.c. */

#include "sim/hours.h"

#include <joulie/error.h>

#include "base/memory.h"

static int keep_hour(struct jl_sim_hours *hours, const struct jl_sim_fleet *fleet,
                     const struct jl_sim_decisions *decisions)
{
    const size_t count = hours->count * fleet->node_count;
    if (JL_GROW(&hours->items, &hours->capacity, count + fleet->node_count) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < fleet->node_count; i++) {
        const struct jl_sim_node *node = &fleet->nodes[i];
        hours->items[count + i] = (struct jl_sim_hour){
            .cpu_j = jl_sim_energy_j(&node->cpu, hours->next_s),
            .gpu_j = jl_sim_energy_j(&node->gpu, hours->next_s),
            .running = (uint32_t)node->job_count,
            .state = jl_sim_state(decisions, i),
        };
    }
    hours->count++;
    hours->next_s += JL_SIM_HOUR_S;
    return 0;
}

int jl_sim_hours_keep(struct jl_sim_hours *hours, const struct jl_sim_fleet *fleet,
                      const struct jl_sim_decisions *decisions, double until_s)
{
    int rc = 0;
    while (rc == 0 && hours->next_s <= until_s)
        rc = keep_hour(hours, fleet, decisions);
    return rc;
}
