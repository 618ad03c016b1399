/* SPDX-License-Identifier: Apache-2.0 */

/* What the caps of a node cost a pod that minds them (joulie-scheduler.md §7 rule 4). */

#include "base/number.h"
#include "place/place.h"

#define CPU_POINTS 25.0
#define GPU_POINTS 50.0
#define POINTS_MAX 40.0

static double factor_of(enum jl_level sensitivity)
{
    switch (sensitivity) {
    case JL_LEVEL_HIGH:
        return 1.0;
    case JL_LEVEL_MEDIUM:
        return 0.5;
    case JL_LEVEL_LOW:
        return 0.25; /* the simulator's slowdown of a low sensitivity against a high one */
    case JL_LEVEL_NONE:
    case JL_LEVEL_UNKNOWN:
        break;
    }
    return 0;
}

/* Part of the power that a cap takes away, 0…1; a percentage that is absent or 0 is no cap. */
static double share_withheld(double cap_pct)
{
    return cap_pct > 0 ? (100 - jl_min(cap_pct, 100)) / 100 : 0;
}

double jl_place_sensitivity(const struct jl_pod_view *pod, const struct jl_place_node *node)
{
    double points = CPU_POINTS * factor_of(pod->cpu_sensitivity) * share_withheld(node->cpu_pct);
    if (pod->demand.gpu_count > 0 && node->has_gpu)
        points += GPU_POINTS * factor_of(pod->gpu_sensitivity) * share_withheld(node->gpu_pct);
    return jl_min(points, POINTS_MAX);
}
