/* SPDX-License-Identifier: Apache-2.0 */

/* Sums over the nodes and the jobs of a run, in their order (docs/rules/simulation.md#energy,
 * #times-of-jobs). Called by those who report of it. */

#include "sim/measures.h"

#include <math.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "sim/power.h"

#define SLOWDOWN_STEPS 1e6 /* the times that it is made of are rounded, too */

/* ---- energy and power ---- */

void jl_sim_add_energy(struct jl_sim_energy *sum, const struct jl_sim_node *node, double at_s)
{
    struct jl_sim_node then;
    if (node->power_until_s <= at_s) {
        then = *node;
        jl_sim_node_foresee(&then, at_s);
        node = &then;
    }
    for (int part = 0; part < JL_ENERGY_PARTS; part++) {
        sum->cpu_j[part] += jl_sim_part_j(&node->cpu, (enum jl_energy_part)part, at_s);
        sum->gpu_j[part] += jl_sim_part_j(&node->gpu, (enum jl_energy_part)part, at_s);
    }
}

double jl_sim_sum_j(const double parts_j[JL_ENERGY_PARTS])
{
    double sum = 0;
    for (int part = 0; part < JL_ENERGY_PARTS; part++)
        sum += parts_j[part];
    return sum;
}

void jl_sim_energy_of(const struct jl_sim_fleet *fleet, double at_s, struct jl_sim_energy *out)
{
    *out = (struct jl_sim_energy){ .cpu_j = { 0 } };
    for (size_t i = 0; i < fleet->node_count; i++)
        jl_sim_add_energy(out, &fleet->nodes[i], at_s);
}

void jl_sim_energy_by_family(const struct jl_sim_fleet *fleet, double at_s,
                             struct jl_sim_family_energy *out)
{
    for (size_t i = 0; i < fleet->node_count; i++) {
        const struct jl_sim_node *node = &fleet->nodes[i];
        struct jl_sim_family_energy *family =
            &out[node->machine->family - fleet->inventory->families];
        family->nodes++;
        jl_sim_add_energy(&family->energy, node, at_s);
    }
}

double jl_sim_it_energy_j(const struct jl_sim_fleet *fleet)
{
    struct jl_sim_energy energy;
    jl_sim_energy_of(fleet, fleet->now_s, &energy);
    return jl_sim_sum_j(energy.cpu_j) + jl_sim_sum_j(energy.gpu_j);
}

double jl_sim_it_power_w(const struct jl_sim_fleet *fleet)
{
    double sum = 0;
    for (size_t i = 0; i < fleet->node_count; i++)
        sum += fleet->nodes[i].cpu.power_w + fleet->nodes[i].gpu.power_w;
    return sum;
}

/* ---- work ---- */

struct jl_sim_units jl_sim_units_done(const struct jl_sim_fleet *fleet)
{
    struct jl_sim_units sum = { 0, 0 };
    for (size_t i = 0; i < fleet->submitted; i++) {
        sum.cpu += jl_sim_done(&fleet->jobs[i].cpu, fleet->now_s);
        sum.gpu += jl_sim_done(&fleet->jobs[i].gpu, fleet->now_s);
    }
    return sum;
}

/* ---- times of jobs ---- */

/* When a job could make progress: its gang has to be complete. */
static double ready_s(const struct jl_sim_fleet *fleet, size_t job)
{
    const size_t gang = fleet->workload->tasks[job].gang;
    double at_s = fleet->jobs[job].start_s;
    size_t member = gang == JL_NO_GANG ? JL_NO_GANG : fleet->workload->gangs[gang].first;
    for (; member != JL_NO_GANG; member = fleet->workload->tasks[member].gang_next)
        at_s = jl_max(at_s, fleet->jobs[member].start_s);
    return at_s;
}

/* The run time of a job by itself on its machine, at the highest frequency and without a cap. */
static double full_speed_s(const struct jl_sim_fleet *fleet, size_t job)
{
    const struct jl_sim_node *node = &fleet->nodes[fleet->jobs[job].node];
    const struct jl_physics_profile *profile = &node->machine->family->profile;
    const struct jl_trace_job *trace = fleet->workload->tasks[job].job;
    const double cpu_speed = trace->cpu_cores * profile->relative_speed;
    const double gpu_speed = (double)trace->gpu_count * profile->gpu.relative_speed;
    const double cpu_s = trace->cpu_units > 0 ? trace->cpu_units / cpu_speed : 0;
    const double gpu_s = trace->gpu_units > 0 ? trace->gpu_units / gpu_speed : 0;
    return jl_max(cpu_s, gpu_s);
}

bool jl_sim_measure(const struct jl_sim_fleet *fleet, size_t index, enum joulie_sim_measure measure,
                    double *out)
{
    const struct jl_sim_job *job = &fleet->jobs[index];
    const double submit_s = fleet->workload->tasks[index].job->submit_s;
    if (measure == JOULIE_SIM_MEASURE_WAIT) {
        *out = job->start_s - submit_s;
        return job->has_started;
    }
    if (job->state != JL_JOB_COMPLETED)
        return false;
    if (measure == JOULIE_SIM_MEASURE_JOB_TIME) {
        *out = job->end_s - submit_s;
        return true;
    }
    const double alone_s = full_speed_s(fleet, index);
    if (alone_s <= 0)
        return false;
    const double factor = (job->end_s - ready_s(fleet, index)) / alone_s;
    *out = floor(factor * SLOWDOWN_STEPS + 0.5) / SLOWDOWN_STEPS;
    return true;
}

struct sample {
    double value;
    bool is_of[JL_SIM_GROUPS];
};

static int compare_samples(const void *a, const void *b, void *user)
{
    const double left = ((const struct sample *)a)->value;
    const double right = ((const struct sample *)b)->value;
    (void)user;
    return JL_ORDER(left, right);
}

static size_t gather(const struct jl_sim_fleet *fleet, enum joulie_sim_measure measure,
                     struct sample *samples, struct joulie_sim_spread out[JL_SIM_GROUPS])
{
    size_t count = 0;
    for (size_t i = 0; i < fleet->submitted; i++) {
        const struct jl_trace_job *job = fleet->workload->tasks[i].job;
        struct sample *sample = &samples[count];
        if (!jl_sim_measure(fleet, i, measure, &sample->value))
            continue;
        sample->is_of[JOULIE_SIM_GROUP_ALL] = true;
        sample->is_of[JOULIE_SIM_GROUP_PERFORMANCE] = job->is_performance;
        sample->is_of[JOULIE_SIM_GROUP_STANDARD] = !job->is_performance;
        sample->is_of[JOULIE_SIM_GROUP_CPU] = job->gpu_count == 0;
        sample->is_of[JOULIE_SIM_GROUP_GPU] = job->gpu_count > 0;
        for (size_t group = 0; group < JL_SIM_GROUPS; group++) {
            out[group].jobs += sample->is_of[group];
            out[group].mean += sample->is_of[group] ? sample->value : 0; /* a sum until the end */
        }
        count++;
    }
    return count;
}

/* The value of rank ceil(pct/100 · jobs), from 1, is the first that is reached. */
static void take_ranks(struct joulie_sim_spread *spread, int64_t rank, double value)
{
    const struct {
        int64_t pct;
        double *out;
    } quantiles[] = { { 50, &spread->p50 }, { 95, &spread->p95 }, { 99, &spread->p99 } };

    for (size_t i = 0; i < JL_COUNT(quantiles); i++) {
        if (rank == (quantiles[i].pct * spread->jobs + 99) / 100)
            *quantiles[i].out = value;
    }
    spread->max = value;
}

int jl_sim_spread(const struct jl_sim_fleet *fleet, enum joulie_sim_measure measure,
                  struct joulie_sim_spread out[JL_SIM_GROUPS])
{
    int64_t ranks[JL_SIM_GROUPS] = { 0 };
    JL_CLEANUP(jl_freep)
    struct sample *samples = jl_calloc(fleet->submitted + 1, sizeof *samples);
    for (size_t group = 0; group < JL_SIM_GROUPS; group++)
        out[group] = JOULIE_INIT(struct joulie_sim_spread);
    if (!samples)
        return JOULIE_E_NOMEM;
    const size_t count = gather(fleet, measure, samples, out);
    if (jl_sort(samples, count, sizeof *samples, compare_samples, NULL) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        for (size_t group = 0; group < JL_SIM_GROUPS; group++) {
            if (samples[i].is_of[group])
                take_ranks(&out[group], ++ranks[group], samples[i].value);
        }
    }
    for (size_t group = 0; group < JL_SIM_GROUPS; group++)
        out[group].mean = out[group].jobs > 0 ? out[group].mean / (double)out[group].jobs : 0;
    return 0;
}
