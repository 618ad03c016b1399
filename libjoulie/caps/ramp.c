/* SPDX-License-Identifier: Apache-2.0 */

/* How far and how fast a limit may move (docs/rules/caps.md#ramp). Called by the step of a node
 * and by enforce/. */

#include "caps/ramp.h"

#include "base/number.h"
#include "power/rapl.h"

#define UW_PER_W 1e6
#define REFERENCE_MIN_UW UINT64_C(5000000)
#define REFERENCE_MAX_UW UINT64_C(2000000000)
#define STEP_PCT 20.0 /* of the reference */

double jl_cap_reference_w(bool has_max, uint64_t max_power_uw, bool has_first, uint64_t first_uw)
{
    if (has_max && max_power_uw >= REFERENCE_MIN_UW && max_power_uw <= REFERENCE_MAX_UW)
        return (double)max_power_uw / UW_PER_W;
    return has_first ? (double)first_uw / UW_PER_W : 0;
}

double jl_cap_ceiling_w(double reference_w)
{
    return reference_w > 0 ? jl_min(reference_w, (double)JL_RAPL_LIMIT_MAX_UW / UW_PER_W) : 0;
}

double joulie_caps_next_w(double reference_w, double current_w, double target_w)
{
    if (!jl_is_finite(target_w))
        return current_w;
    if (!jl_is_finite(current_w) || !(reference_w > 0))
        return target_w;
    const double next_w = current_w - reference_w * STEP_PCT / 100;
    /* the first is false where the step is lost beside the limit */
    return next_w < current_w && next_w > target_w ? next_w : target_w;
}

double jl_gpu_ceiling_w(double max_w, double default_w, bool allow_above_default)
{
    const bool has_max = max_w > 0;
    if (allow_above_default || !(default_w > 0))
        return has_max ? max_w : 0;
    return has_max ? jl_min(max_w, default_w) : default_w;
}

bool jl_short_term_uw(uint64_t new_long_uw, uint64_t short_uw, uint64_t short_baseline_uw,
                      uint64_t *out_uw)
{
    const uint64_t wanted_uw = new_long_uw < short_baseline_uw ? new_long_uw : short_baseline_uw;
    if (wanted_uw <= short_uw)
        return false;
    *out_uw = wanted_uw;
    return true;
}
