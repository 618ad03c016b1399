/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Energy of a package among the pods that used it. Rules: docs/rules/energy.md#attribution. */

#include <stdbool.h>
#include <stddef.h>

struct jl_energy_window {
    double package_j; /* measured over the window */
    double idle_j;    /* that the package would have taken with nothing to do */
    bool is_full;     /* idle energy is divided too */
};

struct jl_energy_share {
    double dynamic_j;
    double idle_j; /* 0 unless is_full */
    double total_j;
};

/*
 * Divides by CPU seconds; a pod that used none has no share, and the shares never add up to more
 * than the package. out has room for count. 0, or JOULIE_E_RANGE when the seconds do not add up to
 * a number.
 */
int jl_energy_attribute(const struct jl_energy_window *window, const double *cpu_s, size_t count,
                        struct jl_energy_share *out);
