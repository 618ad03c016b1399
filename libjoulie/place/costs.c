/* SPDX-License-Identifier: Apache-2.0 */

/* Watts that a pod would add to a node (docs/rules/placement.md#marginal-power), what the caps of
 * the node cost a pod that minds them (docs/rules/placement.md#cap-points), and the part of the
 * pod's cost that is the same everywhere (docs/rules/placement.md#efficiency). */

#include "physics/physics.h"
#include "place/row_rules.h"

#define BYTES_PER_GIB 1073741824.0
#define MEMORY_FACTOR_PER_GIB 0.01
#define MEMORY_FACTOR_MAX 1.3
#define GPU_W_NVIDIA 350.0
#define GPU_W_AMD 400.0
#define GPU_W_GENERIC 350.0

static double fallback_gpu_w(enum joulie_gpu_vendor vendor)
{
    switch (vendor) {
    case JOULIE_GPU_VENDOR_NVIDIA:
        return GPU_W_NVIDIA;
    case JOULIE_GPU_VENDOR_AMD:
        return GPU_W_AMD;
    case JOULIE_GPU_VENDOR_INTEL:
    case JOULIE_GPU_VENDOR_UNKNOWN:
        break;
    }
    return GPU_W_GENERIC;
}

void jl_request_watts(const struct joulie_place_config *config, const struct joulie_work *pod,
                      struct jl_place_request *out)
{
    out->cores = pod->cpu_cores;
    out->memory_factor = jl_clamp(1 + pod->memory_bytes / BYTES_PER_GIB * MEMORY_FACTOR_PER_GIB, 1,
                                  MEMORY_FACTOR_MAX);
    out->cpu_util_coeff = config->cpu_util_coeff;
    out->gpu_count = pod->gpu_count;
    out->gpu_fallback_w = fallback_gpu_w(pod->gpu_vendor);
    out->gpu_coeff = pod->workload_class == JOULIE_WORKLOAD_PERFORMANCE
                         ? config->gpu_util_coeff_performance
                         : config->gpu_util_coeff_standard;
}

struct jl_place_watts jl_place_marginal(const struct joulie_place_config *config,
                                        const struct joulie_work *pod,
                                        const struct jl_place_node *node)
{
    struct jl_place_request request = { 0 };
    const struct jl_place_row row = jl_row_of(node);
    jl_request_freshness(config, 0, &request);
    jl_request_watts(config, pod, &request);
    return jl_row_marginal(&request, &row);
}

double jl_place_marginal_w(const struct joulie_place_config *config, const struct joulie_work *pod,
                           const struct jl_place_node *node)
{
    const struct jl_place_watts watts = jl_place_marginal(config, pod, node);
    return watts.cpu_w + watts.gpu_w;
}

static double factor_of(enum joulie_level sensitivity)
{
    switch (sensitivity) {
    case JOULIE_LEVEL_HIGH:
        return 1.0;
    case JOULIE_LEVEL_MEDIUM:
        return 0.5;
    case JOULIE_LEVEL_LOW:
        return 0.25; /* the simulator's slowdown of a low sensitivity against a high one */
    case JOULIE_LEVEL_NONE:
    case JOULIE_LEVEL_UNKNOWN:
        break;
    }
    return 0;
}

void jl_request_caps(const struct joulie_place_config *config, const struct joulie_work *pod,
                     struct jl_place_request *out)
{
    const bool has_gpus = pod->gpu_count > 0;
    out->cpu_cap_points = config->cpu_cap_points * factor_of(pod->cpu_sensitivity);
    out->gpu_cap_points = has_gpus ? config->gpu_cap_points * factor_of(pod->gpu_sensitivity) : 0;
    out->cap_points_max = config->cap_points_max;
}

#define GPU_CORES 10 /* that a GPU's time is worth */
#define UTIL_WITHOUT_PROFILE 0.75

/* Natural power is idle power and a part of the range above it that depends on the work alone: that
 * of a device of 0 to 1 W. */
static double gpu_load_of(const struct joulie_work *pod)
{
    static const struct jl_gpu_profile unit = { .max_w = 1 };
    const struct jl_gpu_mix mix = jl_gpu_mix_of_bound(pod->gpu_bound);
    const bool has_util = (pod->has & JOULIE_WORK_HAS_GPU_UTIL) != 0;
    struct jl_gpu_weights weights;
    jl_gpu_weights(&mix, &weights);
    return jl_gpu_natural_w(&unit, &weights, has_util ? pod->gpu_util : UTIL_WITHOUT_PROFILE);
}

void jl_request_cost(const struct joulie_place_config *config, const struct joulie_work *pod,
                     struct jl_place_request *out)
{
    const bool asks_gpus = pod->gpu_count > 0;
    out->is_efficiency = 1;
    out->asks_gpus = asks_gpus;
    out->needed = JOULIE_PLACE_HAS_CPU_SLOPE | (asks_gpus ? JOULIE_PLACE_HAS_GPU_IDLE : 0);
    out->gpu_load = asks_gpus ? gpu_load_of(pod) : 0;
    out->time_w =
        config->time_w_per_core * (asks_gpus ? GPU_CORES * pod->gpu_count : pod->cpu_cores);
    out->idle_weight = config->idle_weight;
}
