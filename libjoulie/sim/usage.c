/* SPDX-License-Identifier: Apache-2.0 */

/* Processor time and energy of each job (docs/rules/simulation.md#use-of-a-pod). Called by node.c
 * whenever a node's power or jobs change, and for joulie_sim_pod_at(). */

#include "sim/usage.h"

#include "base/number.h"

/* Of the power that a job adds to its node's CPUs this part is the memory's: from refresh alone to
 * nearly half where memory is all that it waits for. So the class of a job's work can be read from
 * its energies. */
#define DRAM_LEAST 0.10
#define DRAM_PER_INTENSITY 0.45

/* Cores that it keeps busy; 0 = it has no work for them. */
static double busy_cores(const struct jl_sim_fleet *fleet, size_t job)
{
    const struct jl_trace_job *trace = fleet->workload->tasks[job].job;
    const bool is_busy = fleet->jobs[job].cpu.left > 0 && jl_sim_gang_is_ready(fleet, job);
    return is_busy ? trace->cpu_cores * trace->work.cpu_util : 0;
}

static bool has_gpu_work(const struct jl_sim_fleet *fleet, size_t job)
{
    return fleet->jobs[job].gpu.left > 0 && fleet->workload->tasks[job].job->gpu_count > 0 &&
           jl_sim_gang_is_ready(fleet, job);
}

struct jl_sim_usage jl_sim_usage_at(const struct jl_sim_fleet *fleet, size_t job, double at_s)
{
    struct jl_sim_usage usage = fleet->usages[job];
    const double seconds = at_s - usage.since_s;
    usage.cpu_s += usage.cores * seconds;
    usage.package_j += usage.package_w * seconds;
    usage.dram_j += usage.dram_w * seconds;
    usage.gpu_j += usage.gpu_w * seconds;
    usage.since_s = at_s;
    return usage;
}

struct jl_sim_gpu_use jl_sim_gpu_use(const struct jl_sim_fleet *fleet, size_t job)
{
    const struct jl_work *work = &fleet->workload->tasks[job].job->work;
    if (!has_gpu_work(fleet, job))
        return (struct jl_sim_gpu_use){ .util = 0 };
    return (struct jl_sim_gpu_use){ work->gpu_util, jl_min(work->gpu_util, work->memory) };
}

static void set_rates(const struct jl_sim_fleet *fleet, const struct jl_sim_node *node, size_t job,
                      double cpu_w, double gpu_cap_w, struct jl_sim_usage *usage)
{
    const struct jl_trace_job *trace = fleet->workload->tasks[job].job;
    const struct jl_gpu_profile *gpu = &node->machine->family->profile.gpu;
    const double gpu_w = jl_gpu_power_w(gpu, fleet->jobs[job].natural_w, gpu_cap_w);
    usage->dram_w = cpu_w * (DRAM_LEAST + DRAM_PER_INTENSITY * trace->work.memory);
    usage->package_w = cpu_w - usage->dram_w;
    usage->gpu_w = has_gpu_work(fleet, job) ? (double)trace->gpu_count * gpu_w : 0;
}

void jl_sim_usage_update(struct jl_sim_fleet *fleet, size_t index, const struct jl_node_load *load,
                         double gpu_cap_w)
{
    const struct jl_sim_node *node = &fleet->nodes[index];
    const double added_w = jl_max(0, node->cpu.power_w - node->cpu.idle_w);
    double cores = 0;
    if (!fleet->usages)
        return;
    for (size_t i = 0; i < node->job_count; i++)
        cores += busy_cores(fleet, node->jobs[i]);
    for (size_t i = 0; i < node->job_count; i++) {
        const size_t job = node->jobs[i];
        const double busy = busy_cores(fleet, job);
        struct jl_sim_usage usage = jl_sim_usage_at(fleet, job, fleet->now_s);
        usage.cores = busy * load->cpu_share;
        set_rates(fleet, node, job, cores > 0 ? added_w * busy / cores : 0, gpu_cap_w, &usage);
        fleet->usages[job] = usage;
    }
}
