/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Energy of a package divided among pods by CPU seconds. Called by the question
 * `energy.attribute`. Implements docs/rules/energy.md#attribution.
 */

#include "power/attribute.h"

#include <joulie/error.h>

#include "base/number.h"

int jl_energy_attribute(const struct jl_energy_window *window, const double *cpu_s, size_t count,
                        struct jl_energy_share *out)
{
    const double idle_j = jl_min(window->idle_j, window->package_j); /* an estimate may be high */
    const double dynamic_j = window->package_j - idle_j;
    double total_s = 0;
    for (size_t i = 0; i < count; i++)
        total_s += cpu_s[i];
    if (!jl_is_finite(total_s))
        return JOULIE_E_RANGE;

    for (size_t i = 0; i < count; i++) {
        const double share = cpu_s[i] > 0 ? cpu_s[i] / total_s : 0;
        out[i].dynamic_j = dynamic_j * share;
        out[i].idle_j = window->is_full ? idle_j * share : 0;
        out[i].total_j = out[i].dynamic_j + out[i].idle_j;
    }
    return 0;
}
