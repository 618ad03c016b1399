/* SPDX-License-Identifier: Apache-2.0 */

/* What a run came to and what control saved (docs/rules/simulation.md#outcome). Called by
 * sim_read.c and summary.c. */

#include <math.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "sim/power.h"
#include "sim/summary.h"

#define PERCENTILE 0.99
#define EQUAL_WORK 0.01 /* more difference than this and a saving says nothing */

/* ---- power over a cap ---- */

static int compare_over(const void *a, const void *b, void *user)
{
    const double left = ((const struct jl_sim_over *)a)->pct;
    const double right = ((const struct jl_sim_over *)b)->pct;
    (void)user;
    return JL_ORDER(left, right);
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
    JL_CLEANUP(jl_freep)
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

/* ---- outcome ---- */

/* The makespan is from the first submission to the last end. */
static void add_times(const struct jl_sim_fleet *fleet, struct joulie_sim_outcome *out)
{
    double waited_s = 0;
    double last_end_s = 0;
    size_t started = 0;
    bool has_ended = false;
    for (size_t i = 0; i < fleet->submitted; i++) {
        const struct jl_sim_job *job = &fleet->jobs[i];
        double wait_s;
        if (jl_sim_measure(fleet, i, JOULIE_SIM_MEASURE_WAIT, &wait_s)) {
            started++;
            waited_s += wait_s;
        }
        has_ended = has_ended || job->state > JL_JOB_RUNNING;
        if (job->state > JL_JOB_RUNNING)
            last_end_s = jl_max(last_end_s, job->end_s);
    }
    if (started > 0) {
        out->has |= JOULIE_SIM_OUTCOME_HAS_MEAN_WAIT;
        out->mean_wait_s = waited_s / (double)started;
    }
    if (has_ended) {
        out->has |= JOULIE_SIM_OUTCOME_HAS_MAKESPAN;
        out->makespan_s = jl_max(0, last_end_s - fleet->workload->tasks[0].job->submit_s);
    }
}

static void add_power(const struct jl_sim_fleet *fleet, struct joulie_sim_outcome *out)
{
    const struct jl_sim_supply *all = &fleet->supplies[0];
    out->power_w = jl_sim_it_power_w(fleet);
    out->peak_power_w = jl_sim_supply_peak_w(all, fleet->now_s);
    if (all->limit_w > 0) {
        out->has |= JOULIE_SIM_OUTCOME_HAS_OVER_LIMIT;
        out->over_limit_s = jl_sim_supply_over_s(all, fleet->now_s);
    }
    for (size_t i = 1; i < fleet->supply_count; i++) {
        const struct jl_sim_supply *rack = &fleet->supplies[i];
        out->has |= JOULIE_SIM_OUTCOME_HAS_PEAK_RACK_POWER;
        out->peak_rack_power_w =
            jl_max(out->peak_rack_power_w, jl_sim_supply_peak_w(rack, fleet->now_s));
        if (rack->limit_w > 0) {
            out->has |= JOULIE_SIM_OUTCOME_HAS_RACK_OVER_LIMIT;
            out->rack_over_limit_s += jl_sim_supply_over_s(rack, fleet->now_s);
        }
    }
}

double jl_sim_window_s(const struct jl_sim_pair *pair)
{
    return pair->uncontrolled ? jl_max(pair->controlled->now_s, pair->uncontrolled->now_s)
                              : pair->controlled->now_s;
}

static double off_s(const struct jl_sim_fleet *fleet)
{
    double sum = 0;
    for (size_t i = 0; i < fleet->node_count; i++)
        sum += jl_sim_node_off_s(&fleet->nodes[i], fleet->now_s);
    return sum;
}

void jl_sim_outcome_of(const struct jl_sim_pair *pair, bool is_uncontrolled,
                       struct joulie_sim_outcome *out)
{
    const struct jl_sim_fleet *fleet = is_uncontrolled ? pair->uncontrolled : pair->controlled;
    const struct jl_sim_units units = jl_sim_units_done(fleet);
    const double until_s = jl_sim_window_s(pair);
    struct jl_sim_energy energy;
    jl_sim_energy_of(fleet, until_s, &energy);
    *out = (struct joulie_sim_outcome){
        .struct_size = sizeof *out,
        .jobs = (int64_t)fleet->workload->count,
        .completed = (int64_t)fleet->completed,
        .failed = (int64_t)fleet->failed,
        .unplaced = (int64_t)fleet->unplaced,
        .boots = (int64_t)fleet->boots,
        .off_s = off_s(fleet),
        .cpu_units = units.cpu,
        .gpu_units = units.gpu,
        .energy_j = jl_sim_it_energy_j(fleet),
        .time_s = fleet->now_s,
        .window_s = until_s,
        .window_energy_j = jl_sim_sum_j(energy.cpu_j) + jl_sim_sum_j(energy.gpu_j),
        .cpu_idle_busy_j = energy.cpu_j[JL_ENERGY_IDLE_BUSY],
        .cpu_idle_empty_j = energy.cpu_j[JL_ENERGY_IDLE_EMPTY],
        .cpu_dynamic_j = energy.cpu_j[JL_ENERGY_DYNAMIC],
        .cpu_off_j = energy.cpu_j[JL_ENERGY_OFF],
        .gpu_idle_busy_j = energy.gpu_j[JL_ENERGY_IDLE_BUSY],
        .gpu_idle_empty_j = energy.gpu_j[JL_ENERGY_IDLE_EMPTY],
        .gpu_dynamic_j = energy.gpu_j[JL_ENERGY_DYNAMIC],
        .gpu_off_j = energy.gpu_j[JL_ENERGY_OFF],
    };
    add_times(fleet, out);
    add_power(fleet, out);
}

/* ---- saving ---- */

static bool is_complete(const struct joulie_sim_outcome *outcome)
{
    return outcome->completed + outcome->failed + outcome->unplaced == outcome->jobs;
}

static bool differs(double a, double b)
{
    return fabs(a - b) > EQUAL_WORK * jl_max(fabs(a), fabs(b));
}

/* In the order in which a reader would look for the reason. */
const char *jl_sim_no_saving(const struct joulie_sim_outcome *controlled,
                             const struct joulie_sim_outcome *uncontrolled)
{
    if (!is_complete(controlled) || !is_complete(uncontrolled))
        return "a run ended before every job had";
    if (differs(controlled->cpu_units, uncontrolled->cpu_units))
        return "the runs delivered different CPU work (by more than 1 %)";
    if (differs(controlled->gpu_units, uncontrolled->gpu_units))
        return "the runs delivered different GPU work (by more than 1 %)";
    if (uncontrolled->energy_j <= 0)
        return "the uncontrolled run used no energy";
    return NULL;
}

/* What a saving is counted by: over the same time for both runs, so that a last job that ends late
 * by chance is not charged with idle machines that the other run has as well. */
static double charged_j(const struct jl_sim_pair *pair, const struct joulie_sim_outcome *outcome)
{
    return pair->controlled->physics == JL_PHYSICS_V0_1_1 ? outcome->energy_j
                                                          : outcome->window_energy_j;
}

const char *jl_sim_saving(const struct jl_sim_pair *pair, double *out_pct)
{
    struct joulie_sim_outcome controlled;
    struct joulie_sim_outcome uncontrolled;
    if (!pair->uncontrolled)
        return "there is no uncontrolled run";
    jl_sim_outcome_of(pair, false, &controlled);
    jl_sim_outcome_of(pair, true, &uncontrolled);
    const char *reason = jl_sim_no_saving(&controlled, &uncontrolled);
    if (!reason)
        *out_pct = 100 * (1 - charged_j(pair, &controlled) / charged_j(pair, &uncontrolled));
    return reason;
}
