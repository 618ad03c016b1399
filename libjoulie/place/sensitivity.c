/* SPDX-License-Identifier: Apache-2.0 */

/* What the caps of a node cost a pod that minds them (docs/rules/placement.md#cap-points). */

#include "place/row_rules.h"

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

double jl_place_sensitivity(const struct joulie_place_config *config, const struct joulie_work *pod,
                            const struct jl_place_node *node)
{
    struct jl_place_request request = { 0 };
    const struct jl_place_row row = jl_row_of(node);
    jl_request_caps(config, pod, &request);
    return jl_row_sensitivity(&request, &row);
}
