/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/straight.h"

#include <stdlib.h>
#include <string.h>

#include "physics/physics.h"

#define JOBS_PER_NODE 110

struct node {
    const struct jl_sim_family *family;
    double cores_free;
    double memory_free;
    int64_t gpus_free;
    size_t jobs[JOBS_PER_NODE];
    size_t job_count;
    double idle_w;
};

struct job {
    double cpu_left;
    double gpu_left;
    double natural_w; /* of each GPU, in the last step */
};

struct loop {
    const struct jl_trace *trace;
    struct node *nodes;
    size_t node_count;
    struct job *jobs;
    size_t *queue;
    size_t queue_count;
};

static double node_power_w(const struct loop *loop, const struct node *node, double *out_freq)
{
    const struct jl_physics_profile *profile = &node->family->profile;
    struct jl_cpu_load cpu = { .freq = 1, .cap_w = profile->default_cap_w };
    double memory = 0;
    double io = 0;
    double cores = 0;
    double gpus = 0;
    double gpu_w = 0;
    for (size_t i = 0; i < node->job_count; i++) {
        const struct jl_trace_job *job = &loop->trace->jobs[node->jobs[i]];
        const double job_cores = loop->jobs[node->jobs[i]].cpu_left > 0 ? job->cpu_cores : 0;
        const double job_gpus = loop->jobs[node->jobs[i]].gpu_left > 0 ? (double)job->gpu_count : 0;
        cpu.util += job_cores * job->work.cpu_util / (double)node->family->cores;
        memory += job_cores * job->work.memory;
        io += job_cores * job->work.io;
        cores += job_cores;
        gpus += job_gpus;
        if (job_gpus > 0) {
            const struct jl_gpu_mix mix = { job->work.gpu_class, job->work.memory, job->work.feed };
            struct jl_gpu_weights weights;
            jl_gpu_weights(&mix, &weights);
            gpu_w += job_gpus * (loop->jobs[node->jobs[i]].natural_w =
                                     jl_gpu_natural_w(&profile->gpu, &weights, job->work.gpu_util));
        }
    }
    if (cores > 0)
        cpu.activity = jl_cpu_activity(memory / cores, io / cores);
    struct jl_cpu_state state;
    jl_cpu_power(profile, &cpu, JL_PHYSICS_CURRENT, &state);
    *out_freq = state.freq;
    return state.power_w + gpu_w + ((double)node->family->gpus - gpus) * profile->gpu.idle_w;
}

static int has_room(const struct node *node, const struct jl_trace_job *job)
{
    return node->job_count < JOBS_PER_NODE && node->cores_free >= job->cpu_cores &&
           node->memory_free >= (double)job->memory_bytes && node->gpus_free >= job->gpu_count &&
           (job->gpu_count == 0 || !job->gpu_vendor ||
            strcmp(job->gpu_vendor, node->family->gpu_vendor) == 0);
}

static struct node *find_node(const struct loop *loop, const struct jl_trace_job *job)
{
    struct node *best = NULL;
    double best_free = -1;
    for (size_t i = 0; i < loop->node_count; i++) {
        struct node *node = &loop->nodes[i];
        if (!has_room(node, job))
            continue;
        const double free = node->cores_free / (double)node->family->cores +
                            node->memory_free / (double)node->family->memory_bytes;
        if (free > best_free) {
            best_free = free;
            best = node;
        }
    }
    return best;
}

static void place(struct loop *loop)
{
    size_t kept = 0;
    for (size_t i = 0; i < loop->queue_count; i++) {
        const size_t index = loop->queue[i];
        const struct jl_trace_job *job = &loop->trace->jobs[index];
        struct node *node = find_node(loop, job);
        if (!node) {
            loop->queue[kept++] = index;
            continue;
        }
        node->cores_free -= job->cpu_cores;
        node->memory_free -= (double)job->memory_bytes;
        node->gpus_free -= job->gpu_count;
        node->jobs[node->job_count++] = index;
    }
    loop->queue_count = kept;
}

static size_t progress(struct loop *loop, struct node *node, double freq, double step_s)
{
    const struct jl_physics_profile *profile = &node->family->profile;
    size_t kept = 0;
    size_t ended = 0;
    for (size_t i = 0; i < node->job_count; i++) {
        const size_t index = node->jobs[i];
        const struct jl_trace_job *trace = &loop->trace->jobs[index];
        struct job *job = &loop->jobs[index];
        struct jl_work_traits traits;
        struct jl_cpu_progress cpu;
        struct jl_gpu_progress gpu;
        jl_work_traits(&trace->work, &traits);
        jl_cpu_progress(&trace->work, &traits, freq, profile->knee, 0, &cpu);
        job->cpu_left -= trace->cpu_cores * profile->relative_speed * cpu.factor * step_s;
        if (trace->gpu_count > 0) {
            const struct jl_gpu_now now = {
                .natural_w = job->natural_w,
                .cap_w = profile->gpu.max_w,
            };
            jl_gpu_progress(&trace->work, &traits, &profile->gpu, &now, cpu.multiplier,
                            JL_PHYSICS_CURRENT, &gpu);
            job->gpu_left -=
                (double)trace->gpu_count * profile->gpu.relative_speed * gpu.factor * step_s;
        }
        if (job->cpu_left > 0 || job->gpu_left > 0) {
            node->jobs[kept++] = index;
            continue;
        }
        node->cores_free += trace->cpu_cores;
        node->memory_free += (double)trace->memory_bytes;
        node->gpus_free += trace->gpu_count;
        ended++;
    }
    node->job_count = kept;
    return ended;
}

static size_t step(struct loop *loop, double step_s, double *energy_j)
{
    size_t ended = 0;
    for (size_t i = 0; i < loop->node_count; i++) {
        struct node *node = &loop->nodes[i];
        double freq;
        if (node->job_count == 0) {
            *energy_j += node->idle_w * step_s;
            continue;
        }
        *energy_j += node_power_w(loop, node, &freq) * step_s;
        ended += progress(loop, node, freq, step_s);
    }
    return ended;
}

static void start(struct loop *loop, const struct jl_inventory *inventory)
{
    double freq;
    for (size_t i = 0; i < loop->node_count; i++) {
        struct node *node = &loop->nodes[i];
        node->family = inventory->machines[i].family;
        node->cores_free = (double)node->family->cores;
        node->memory_free = (double)node->family->memory_bytes;
        node->gpus_free = node->family->gpus;
        node->idle_w = node_power_w(loop, node, &freq);
    }
    for (size_t i = 0; i < loop->trace->count; i++)
        loop->jobs[i] =
            (struct job){ loop->trace->jobs[i].cpu_units, loop->trace->jobs[i].gpu_units, 0 };
}

void straight_run(const struct jl_inventory *inventory, const struct jl_trace *trace, double step_s,
                  struct straight_result *out)
{
    struct loop loop = { .trace = trace, .node_count = inventory->count };
    loop.nodes = calloc(inventory->count, sizeof *loop.nodes);
    loop.jobs = calloc(trace->count, sizeof *loop.jobs);
    loop.queue = calloc(trace->count, sizeof *loop.queue);
    if (!loop.nodes || !loop.jobs || !loop.queue)
        abort();
    start(&loop, inventory);

    *out = (struct straight_result){ 0 };
    size_t arrived = 0;
    while (out->completed < trace->count) {
        while (arrived < trace->count && trace->jobs[arrived].submit_s <= out->end_s)
            loop.queue[loop.queue_count++] = arrived++;
        place(&loop);
        out->completed += step(&loop, step_s, &out->energy_j);
        out->end_s += step_s;
    }
    free(loop.nodes);
    free(loop.jobs);
    free(loop.queue);
}
