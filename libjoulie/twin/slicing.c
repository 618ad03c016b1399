/* SPDX-License-Identifier: Apache-2.0 */

/* Advice to share the GPUs of a node (docs/rules/twin.md#gpu-slicing-advice). Called by compose.c.
 */

#include "base/number.h"
#include "twin/twin.h"

struct slicing_rule {
    enum joulie_slicing mode;
    const char *slice_type;
    int64_t slices_per_gpu;
    double gain_pct;
    const char *reason;
};

/* docs/rules/twin.md#gpu-slicing-advice */
static const struct slicing_rule no_workloads = { JOULIE_SLICING_TIME, "", 4, 10,
                                                  "no GPU workload is known" };
static const struct slicing_rule mostly_low = { JOULIE_SLICING_MIG, "1g.10gb", 7, 40,
                                                "most GPU workloads are light" };
static const struct slicing_rule mostly_medium = { JOULIE_SLICING_MIG, "3g.40gb", 2, 25,
                                                   "GPU workloads are of medium load" };
static const struct slicing_rule mostly_high = { JOULIE_SLICING_NONE, "", 1, 0,
                                                 "GPU workloads need whole GPUs" };

#define CONFIDENCE_NO_WORKLOADS 0.3
#define CONFIDENT_WORKLOADS 10.0 /* this many give full confidence */

struct load_counts {
    size_t low;
    size_t medium;
    size_t high;
};

static struct load_counts count_loads(const struct jl_workload_profile *const *profiles,
                                      size_t profile_count)
{
    struct load_counts counts = { 0 };
    for (size_t i = 0; i < profile_count; i++) {
        switch (profiles[i]->status.gpu.intensity) {
        case JOULIE_LEVEL_LOW:
            counts.low++;
            break;
        case JOULIE_LEVEL_MEDIUM:
            counts.medium++;
            break;
        case JOULIE_LEVEL_HIGH:
            counts.high++;
            break;
        case JOULIE_LEVEL_NONE:
        case JOULIE_LEVEL_UNKNOWN:
            break;
        }
    }
    return counts;
}

static const struct slicing_rule *rule_of(const struct load_counts *counts)
{
    if (counts->low + counts->medium + counts->high == 0)
        return &no_workloads;
    if (counts->low > counts->medium && counts->low > counts->high)
        return &mostly_low;
    return counts->medium >= counts->high ? &mostly_medium : &mostly_high;
}

bool jl_slicing_advice(const struct jl_hardware *hardware,
                       const struct jl_workload_profile *const *profiles, size_t profile_count,
                       struct jl_slicing_advice *out)
{
    if (!hardware->gpu_present || !(hardware->gpu_count > 0) || !hardware->is_gpu_slicing_supported)
        return false;
    const struct load_counts counts = count_loads(profiles, profile_count);
    const struct slicing_rule *rule = rule_of(&counts);
    const double known = (double)(counts.low + counts.medium + counts.high);

    *out = (struct jl_slicing_advice){ 0 };
    JL_SET(out, mode, rule->mode);
    JL_SET(out, slice_type, rule->slice_type);
    JL_SET(out, slices_per_gpu, rule->slices_per_gpu);
    JL_SET(out, total_slices, (int64_t)((double)rule->slices_per_gpu * hardware->gpu_count));
    JL_SET(out, reason, rule->reason);
    JL_SET(out, estimated_utilization_gain, rule->gain_pct);
    JL_SET(out, confidence,
           rule == &no_workloads ? CONFIDENCE_NO_WORKLOADS
                                 : jl_min(1, known / CONFIDENT_WORKLOADS));
    return true;
}
