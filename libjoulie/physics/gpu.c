/* SPDX-License-Identifier: Apache-2.0 */

/* Power and throughput of one GPU under a cap. Called by the simulator, slowdown.c, job.c and
 * questions. */

#include <math.h>

#include "base/elementary.h"
#include "base/number.h"
#include "physics/physics.h"

/* docs/rules/physics.md#gpu */
#define FEED_WEIGHT 0.10
#define BLEND_CLASS 0.60
#define BLEND_INTENSITY 0.40
#define COMPUTE_EXPONENT 1.02
#define MEMORY_ROOT_SHARE 0.35
#define MEMORY_LINEAR_SHARE 0.30
#define DEFAULT_COMPUTE_GAMMA 1.0
#define DEFAULT_MEMORY_EPSILON 0.2
#define DEFAULT_MEMORY_GAMMA 1.1
#define UNKNOWN_FEED 0.45
#define ROUNDING 1e-9 /* a product such as 0.3·10 must not wake a device more */

static struct jl_gpu_weights class_weights(enum jl_gpu_class class_)
{
    switch (class_) {
    case JL_GPU_COMPUTE:
        return (struct jl_gpu_weights){ 0.8, 0.2 };
    case JL_GPU_MEMORY:
    case JL_GPU_BANDWIDTH:
        return (struct jl_gpu_weights){ 0.2, 0.8 };
    case JL_GPU_UNKNOWN:
    case JL_GPU_MIXED:
        break;
    }
    return (struct jl_gpu_weights){ 0.5, 0.5 };
}

void jl_gpu_weights(const struct jl_gpu_mix *mix, struct jl_gpu_weights *out)
{
    const struct jl_gpu_weights base = class_weights(mix->class_);
    const double fed = jl_unit(base.compute + FEED_WEIGHT * mix->feed);
    const double compute = jl_unit(BLEND_CLASS * fed + BLEND_INTENSITY * (1 - mix->memory));
    const double memory = jl_unit(BLEND_CLASS * base.memory + BLEND_INTENSITY * mix->memory);
    const double sum = compute + memory; /* at least 0.12 */
    *out = (struct jl_gpu_weights){ compute / sum, memory / sum };
}

struct jl_gpu_mix jl_gpu_mix_of_bound(enum joulie_bound bound)
{
    switch (bound) {
    case JOULIE_BOUND_MEMORY:
        return (struct jl_gpu_mix){ JL_GPU_MEMORY, 0.85, UNKNOWN_FEED };
    case JOULIE_BOUND_MIXED:
        return (struct jl_gpu_mix){ JL_GPU_MIXED, 0.6, UNKNOWN_FEED };
    case JOULIE_BOUND_COMPUTE:
    case JOULIE_BOUND_IO:
    case JOULIE_BOUND_NONE:
    case JOULIE_BOUND_UNKNOWN:
        break;
    }
    return (struct jl_gpu_mix){ JL_GPU_COMPUTE, 0.3, UNKNOWN_FEED };
}

double jl_gpu_natural_w(const struct jl_gpu_profile *gpu, const struct jl_gpu_weights *weights,
                        double util)
{
    const double range = jl_max(0, gpu->max_w - gpu->idle_w);
    const double compute_w = gpu->idle_w + range * jl_pow(util, COMPUTE_EXPONENT);
    const double memory_w =
        gpu->idle_w + range * (MEMORY_ROOT_SHARE * sqrt(util) + MEMORY_LINEAR_SHARE * util);
    return weights->compute * compute_w + weights->memory * memory_w;
}

double jl_gpu_cap_w(const struct jl_gpu_profile *gpu, double cap_w)
{
    if (cap_w <= 0)
        return gpu->max_w;
    return jl_min(jl_max(cap_w, gpu->min_cap_w), gpu->max_w);
}

double jl_gpu_power_w(const struct jl_gpu_profile *gpu, double natural_w, double cap_w)
{
    return jl_max(gpu->idle_w, jl_min(natural_w, cap_w));
}

double jl_gpu_throughput(const struct jl_gpu_profile *gpu, const struct jl_gpu_weights *weights,
                         double natural_w, double cap_w, double thermal,
                         enum jl_physics_rules rules)
{
    if (cap_w >= natural_w)
        return rules == JL_PHYSICS_CURRENT ? jl_unit(1 - thermal) : 1;

    const double gamma = gpu->compute_gamma > 0 ? gpu->compute_gamma : DEFAULT_COMPUTE_GAMMA;
    const double epsilon = gpu->memory_epsilon > 0 ? gpu->memory_epsilon : DEFAULT_MEMORY_EPSILON;
    const double memory_gamma = gpu->memory_gamma > 0 ? gpu->memory_gamma : DEFAULT_MEMORY_GAMMA;
    const double ratio = cap_w / natural_w;
    const double compute = jl_pow(ratio, gamma);
    const double memory = 1 - epsilon * jl_pow(1 - ratio, memory_gamma);
    return jl_unit(weights->compute * compute + weights->memory * memory) * (1 - thermal);
}

void jl_gpu_spread(double util, size_t count, struct jl_gpu_spread *out)
{
    const double work = jl_unit(util) * (double)count;
    const double active = jl_min((double)count, ceil(work - ROUNDING));
    if (active < 1) {
        *out = (struct jl_gpu_spread){ 0 };
        return;
    }
    *out = (struct jl_gpu_spread){ .active = (size_t)active, .util = jl_unit(work / active) };
}
