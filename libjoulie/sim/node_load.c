/* SPDX-License-Identifier: Apache-2.0 */

/* The load that the jobs of a node add up to (docs/rules/simulation.md#load). Called by node.c and
 * contract.c. */

#include "base/number.h"
#include "sim/node.h"

#define LEAST_WEIGHT 0.1
#define DOMINANT_SHARE 0.60
#define CPU_CLASSES (JL_CPU_MIXED + 1)
#define GPU_CLASSES (JL_GPU_MIXED + 1)

struct sums {
    double cores_used; /* Σ cores · utilisation */
    double cores;      /* Σ max(0.1, cores) */
    double gpus_used;
    double gpus;
    double gpu_weight;
    double memory;
    double io;
    double feed;
    double dependent;            /* Σ cores · utilisation · base */
    struct jl_cpu_weights of_it; /* Σ of the same, times the weights */
    double cpu_class[CPU_CLASSES];
    double gpu_class[GPU_CLASSES];
};

static void add_cpu(const struct jl_sim_task *task, struct sums *sums)
{
    const struct jl_trace_job *job = task->job;
    const struct jl_work_traits *traits = &task->traits;
    const double weight = jl_max(LEAST_WEIGHT, job->cpu_cores);
    const double used = job->cpu_cores * job->work.cpu_util;
    const double dependent = used * traits->base;
    sums->cores_used += used;
    sums->dependent += dependent;
    sums->of_it.compute += dependent * traits->cpu.compute;
    sums->of_it.memory += dependent * traits->cpu.memory;
    sums->of_it.io += dependent * traits->cpu.io;
    sums->cores += weight;
    sums->memory += weight * job->work.memory;
    sums->io += weight * job->work.io;
    sums->cpu_class[job->work.cpu_class] += weight;
}

static void add_gpu(const struct jl_trace_job *job, struct sums *sums)
{
    const double gpus = (double)job->gpu_count;
    const double weight = jl_max(LEAST_WEIGHT, gpus);
    sums->gpus_used += gpus * job->work.gpu_util;
    sums->gpus += gpus;
    sums->gpu_weight += weight;
    sums->memory += weight * job->work.memory;
    sums->feed += weight * job->work.feed;
    sums->gpu_class[job->work.gpu_class] += weight;
}

/* The class that holds most of the weight, if that is enough. */
static size_t dominant(const double *weights, size_t count, double total, size_t otherwise)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        if (weights[i] > weights[best])
            best = i;
    }
    return best > 0 && weights[best] >= DOMINANT_SHARE * total ? best : otherwise;
}

static double share_of(double available, double asked)
{
    return asked > available ? available / asked : 1;
}

void jl_sim_node_load(const struct jl_sim_fleet *fleet, const struct jl_sim_node *node,
                      struct jl_node_load *out)
{
    const struct jl_sim_family *family = node->machine->family;
    struct sums sums = { .cores = 0 };
    for (size_t i = 0; i < node->job_count; i++) {
        const size_t index = node->jobs[i];
        const struct jl_sim_job *job = &fleet->jobs[index];
        if (!jl_sim_gang_is_ready(fleet, index))
            continue;
        if (job->cpu.left > 0)
            add_cpu(&fleet->workload->tasks[index], &sums);
        if (job->gpu.left > 0)
            add_gpu(fleet->workload->tasks[index].job, &sums);
    }

    const double cores = (double)family->cores;
    const double gpus = (double)family->gpus;
    const double weight = sums.cores + sums.gpu_weight;
    *out = (struct jl_node_load){
        .cpu_util = jl_unit(sums.cores_used / cores),
        .gpu_util = gpus > 0 ? jl_unit(sums.gpus_used / gpus) : 0,
        .memory = weight > 0 ? sums.memory / weight : 0,
        .io = sums.cores > 0 ? sums.io / sums.cores : 0,
        .feed = sums.gpu_weight > 0 ? sums.feed / sums.gpu_weight : 0,
        .cpu_class =
            (enum jl_cpu_class)dominant(sums.cpu_class, CPU_CLASSES, sums.cores, JL_CPU_MIXED),
        .gpu_class =
            (enum jl_gpu_class)dominant(sums.gpu_class, GPU_CLASSES, sums.gpu_weight, JL_GPU_MIXED),
        .cpu_share = share_of(cores, sums.cores),
        .gpu_share = share_of(gpus, sums.gpus),
    };
    if (sums.dependent > 0) {
        out->base = sums.dependent / sums.cores_used;
        out->weights.compute = sums.of_it.compute / sums.dependent;
        out->weights.memory = sums.of_it.memory / sums.dependent;
        out->weights.io = sums.of_it.io / sums.dependent;
    }
}
