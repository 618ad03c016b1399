/* SPDX-License-Identifier: Apache-2.0 */

/* Watts that a pod would add to a node (joulie-scheduler.md §5.2, §5.3). */

#include "base/number.h"
#include "place/place.h"

#define BYTES_PER_GIB 1073741824.0
#define MEMORY_FACTOR_PER_GIB 0.01
#define MEMORY_FACTOR_MAX 1.3
#define CPU_W_PER_CORE 3.5 /* when the node's maximum is unknown */
#define CPU_MIN_W 150.0    /* and at least this */
#define GPU_W_NVIDIA 350.0
#define GPU_W_AMD 400.0
#define GPU_W_GENERIC 350.0

static double fallback_gpu_w(enum jl_gpu_vendor vendor)
{
    switch (vendor) {
    case JL_GPU_NVIDIA:
        return GPU_W_NVIDIA;
    case JL_GPU_AMD:
        return GPU_W_AMD;
    case JL_GPU_INTEL:
    case JL_GPU_VENDOR_UNKNOWN:
        break;
    }
    return GPU_W_GENERIC;
}

double jl_place_marginal_w(const struct jl_place_config *config, const struct jl_pod_view *pod,
                           const struct jl_place_node *node)
{
    const struct jl_pod_demand *demand = &pod->demand;
    if (config->rules != JL_PLACE_CURRENT && !JL_HAS(node, JL_PLACE_HARDWARE))
        return 0;
    const double cpu_max_w =
        node->cpu_max_w > 0 ? node->cpu_max_w : jl_max(CPU_MIN_W, node->cpu_cores * CPU_W_PER_CORE);
    const double cores = node->cpu_cores > 0 ? node->cpu_cores : 1;
    const double share = jl_clamp(demand->cpu_cores / cores, 0, 1);
    const double memory_factor = jl_clamp(
        1 + demand->memory_bytes / BYTES_PER_GIB * MEMORY_FACTOR_PER_GIB, 1, MEMORY_FACTOR_MAX);
    const double cpu_w = cpu_max_w * config->cpu_util_coeff * share * memory_factor;
    if (!(demand->gpu_count > 0) || !node->has_gpu)
        return cpu_w;
    const double gpu_max_w =
        node->gpu_max_w > 0 ? node->gpu_max_w : fallback_gpu_w(demand->gpu_vendor);
    const double coeff = pod->class_ == JL_POD_PERFORMANCE ? config->gpu_util_coeff_performance
                                                           : config->gpu_util_coeff_standard;
    return cpu_w + demand->gpu_count * gpu_max_w * coeff;
}
