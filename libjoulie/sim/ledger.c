/* SPDX-License-Identifier: Apache-2.0 */

/* Sums over a run. */

#include "sim/ledger.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/sort.h"

#define PERCENTILE 0.99

double jl_sim_it_energy_j(const struct jl_sim_fleet *fleet)
{
    double sum = 0;
    for (size_t i = 0; i < fleet->node_count; i++)
        sum += jl_sim_energy_j(&fleet->nodes[i].cpu, fleet->now_s) +
               jl_sim_energy_j(&fleet->nodes[i].gpu, fleet->now_s);
    return sum;
}

double jl_sim_it_power_w(const struct jl_sim_fleet *fleet)
{
    double sum = 0;
    for (size_t i = 0; i < fleet->node_count; i++)
        sum += fleet->nodes[i].cpu.power_w + fleet->nodes[i].gpu.power_w;
    return sum;
}

struct jl_sim_units jl_sim_units_done(const struct jl_sim_fleet *fleet)
{
    struct jl_sim_units sum = { 0, 0 };
    for (size_t i = 0; i < fleet->submitted; i++) {
        sum.cpu += jl_sim_done(&fleet->jobs[i].cpu, fleet->now_s);
        sum.gpu += jl_sim_done(&fleet->jobs[i].gpu, fleet->now_s);
    }
    return sum;
}

static void free_array(struct jl_sim_over **array)
{
    jl_free(*array);
}

static int compare_over(const void *a, const void *b, void *user)
{
    const double left = ((const struct jl_sim_over *)a)->pct;
    const double right = ((const struct jl_sim_over *)b)->pct;
    (void)user;
    return (left > right) - (left < right);
}

/* The intervals that are closed and those that the nodes are in; zero overshoot only counts in
 * *out_seconds. */
static size_t gather(const struct jl_sim_fleet *fleet, struct jl_sim_over *out, double *out_seconds)
{
    size_t count = 0;
    double seconds = fleet->over.capped_s;
    for (size_t i = 0; i < fleet->over.count; i++)
        out[count++] = fleet->over.items[i];
    for (size_t i = 0; i < fleet->node_count; i++) {
        const struct jl_sim_node *node = &fleet->nodes[i];
        const double open_s = fleet->now_s - node->over_since_s;
        if (node->over_pct < 0 || open_s <= 0)
            continue;
        seconds += open_s;
        if (node->over_pct > 0)
            out[count++] = (struct jl_sim_over){ node->over_pct, open_s };
    }
    *out_seconds = seconds;
    return count;
}

/* From the largest overshoot down, until more than one percent of the node-seconds are passed. */
int jl_sim_overshoot_p99(const struct jl_sim_fleet *fleet, double *out_pct)
{
    double seconds;
    JL_CLEANUP(free_array)
    struct jl_sim_over *over = jl_calloc(fleet->over.count + fleet->node_count + 1, sizeof *over);
    if (!over)
        return JOULIE_E_NOMEM;
    const size_t count = gather(fleet, over, &seconds);
    if (seconds <= 0)
        return 0;
    if (jl_sort(over, count, sizeof *over, compare_over, NULL) < 0)
        return JOULIE_E_NOMEM;
    double above = 0; /* node-seconds at or above this entry */
    *out_pct = 0;
    for (size_t i = count; i-- > 0;) {
        above += over[i].seconds;
        if (above > (1 - PERCENTILE) * seconds) {
            *out_pct = over[i].pct;
            break;
        }
    }
    return 1;
}
