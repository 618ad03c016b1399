/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Pressure stall information: the files cpu, memory, io and irq below /proc/pressure, and those of
 * a cgroup. Rules: docs/rules/energy.md#pressure. */

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct jl_pressure {
    bool is_known; /* cpu of older kernels has no line full, irq none some */
    double avg10_pct;
    double avg60_pct;
    double avg300_pct;
    uint64_t total_us;
};

struct jl_psi {
    struct jl_pressure some;
    struct jl_pressure full;
};

/* 0, JOULIE_E_PARSE or JOULIE_E_RANGE (a total above 64 bits); out is untouched on failure. */
int jl_psi_parse(struct jl_text text, struct jl_psi *out);
