/* SPDX-License-Identifier: Apache-2.0 */

/* How fast a job goes on a node, and what is assumed of a job that does not say. Called by the
 * simulator and the question physics.job. */

#include "base/number.h"
#include "physics/physics.h"

const struct jl_words jl_cpu_class_words = JL_WORDS({
    { JL_CPU_COMPUTE, "cpu.compute_bound" },
    { JL_CPU_MEMORY, "cpu.memory_bound" },
    { JL_CPU_IO, "cpu.io_bound" },
    { JL_CPU_MIXED, "cpu.mixed" },
});

const struct jl_words jl_gpu_class_words = JL_WORDS({
    { JL_GPU_COMPUTE, "gpu.compute_bound" },
    { JL_GPU_MEMORY, "gpu.memory_bound" },
    { JL_GPU_BANDWIDTH, "gpu.bandwidth_bound" },
    { JL_GPU_MIXED, "gpu.mixed" },
});

/* docs/rules/physics.md#jobs */
#define BASE_PER_UTIL 0.60
#define BASE_PER_COMPUTE 0.25
#define BASE_PER_CPU_WAIT 0.15

double jl_cpu_base(double util, double memory, double io)
{
    return jl_unit(BASE_PER_UTIL * util + BASE_PER_COMPUTE * (1 - memory) +
                   BASE_PER_CPU_WAIT * (1 - io));
}

void jl_work_traits(const struct jl_work *work, struct jl_work_traits *out)
{
    const struct jl_cpu_mix cpu = { work->cpu_class, work->memory, work->io };
    const struct jl_gpu_mix gpu = { work->gpu_class, work->memory, work->feed };
    jl_cpu_weights(&cpu, &out->cpu);
    jl_gpu_weights(&gpu, &out->gpu);
    out->base = jl_cpu_base(work->cpu_util, work->memory, work->io);
}

void jl_cpu_progress(const struct jl_work *work, const struct jl_work_traits *traits, double freq,
                     double knee, double thermal, struct jl_cpu_progress *out)
{
    out->multiplier = jl_cpu_speed(&traits->cpu, freq, knee, thermal);
    const double efficiency = 1 - traits->base * (1 - out->multiplier);
    out->factor = jl_unit(1 - work->sensitivity_cpu * (1 - efficiency));
}

void jl_gpu_progress(const struct jl_work *work, const struct jl_work_traits *traits,
                     const struct jl_gpu_profile *gpu, const struct jl_gpu_now *now,
                     double cpu_multiplier, enum jl_physics_rules rules,
                     struct jl_gpu_progress *out)
{
    out->multiplier =
        jl_gpu_throughput(gpu, &traits->gpu, now->natural_w, now->cap_w, now->thermal, rules);
    out->feed_factor = jl_unit(1 - (1 - cpu_multiplier) * work->feed * work->sensitivity_cpu);
    if (rules == JL_PHYSICS_V0_1_1) {
        out->cap_impact = 1 - (1 - now->cap_w / gpu->max_w) * work->sensitivity_gpu;
        out->factor = out->multiplier * out->feed_factor * out->cap_impact;
        return;
    }
    out->cap_impact = 1; /* the cap is charged once, through the multiplier */
    out->factor = jl_unit(1 - work->sensitivity_gpu * (1 - out->multiplier)) * out->feed_factor;
}

static double default_cpu_util(enum jl_cpu_class class_)
{
    switch (class_) {
    case JL_CPU_COMPUTE:
        return 0.95;
    case JL_CPU_MEMORY:
        return 0.60;
    case JL_CPU_IO:
        return 0.20;
    case JL_CPU_UNKNOWN:
    case JL_CPU_MIXED:
        break;
    }
    return 0.65;
}

static double default_gpu_util(enum jl_gpu_class class_, bool has_gpu)
{
    if (!has_gpu)
        return 0;
    switch (class_) {
    case JL_GPU_COMPUTE:
        return 0.95;
    case JL_GPU_MEMORY:
    case JL_GPU_BANDWIDTH:
        return 0.70;
    case JL_GPU_UNKNOWN:
    case JL_GPU_MIXED:
        break;
    }
    return 0.80;
}

static double default_memory(const struct jl_work *work)
{
    if (work->cpu_class == JL_CPU_MEMORY || work->gpu_class == JL_GPU_MEMORY ||
        work->gpu_class == JL_GPU_BANDWIDTH)
        return 0.85;
    return work->cpu_class == JL_CPU_IO ? 0.20 : 0.45;
}

void jl_work_fill(struct jl_work *work, bool has_gpu)
{
    if (!work->given.cpu_class)
        work->cpu_class = JL_CPU_MIXED;
    if (!work->given.gpu_class)
        work->gpu_class = has_gpu ? JL_GPU_MIXED : JL_GPU_UNKNOWN;
    if (!work->given.cpu_util)
        work->cpu_util = default_cpu_util(work->cpu_class);
    if (!work->given.gpu_util)
        work->gpu_util = default_gpu_util(work->gpu_class, has_gpu);
    if (!work->given.memory)
        work->memory = default_memory(work);
    if (!work->given.io)
        work->io = work->cpu_class == JL_CPU_IO ? 0.85 : 0.10;
    if (!work->given.feed)
        work->feed = has_gpu ? 0.45 : 0;
    if (!work->given.sensitivity_cpu)
        work->sensitivity_cpu = 1;
    if (!work->given.sensitivity_gpu)
        work->sensitivity_gpu = 1;
}
