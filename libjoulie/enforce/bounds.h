/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What may be written to a control whoever asks for it (docs/rules/enforcement.md#bounds). The
 * state of the ramp is kept by key.
 */

#include "enforce/control_file.h"

struct jl_bounds_step;

struct jl_bounds {
    double floor_pct; /* of the reference; 0 = none */
    bool ramps;       /* a package limit is lowered step by step */
    struct jl_bounds_step *steps;
    size_t count, room;
};

/* The value that is written instead; the file was read and has a number. has_first: what the
 * journal has of it as found. */
uint64_t jl_bounds_value(struct jl_bounds *bounds, const struct jl_control_file *file,
                         bool has_first, uint64_t first, uint64_t value, int64_t monotonic_ms);
void jl_bounds_clear(struct jl_bounds *bounds);
