/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What may be written to a control whoever asks for it (docs/rules/enforcement.md#bounds). The
 * state of the ramp is kept by key.
 */

#include "enforce/control_file.h"
#include "enforce/wire.h"

#define JL_BOUNDS_LIMITS 256 /* a machine has one or two for each package */

struct jl_bounds_step { /* of a ramp */
    char key[JL_WIRE_KEY_BYTES];
    uint64_t from; /* it began there */
    int64_t since_ms;
};

struct jl_bounds {
    double floor_pct; /* of the reference; 0 = none */
    bool ramps;       /* a package limit is lowered step by step */
    struct jl_bounds_step steps[JL_BOUNDS_LIMITS];
    size_t count;
};

/* Makes of a value the one that may be written; the file was read and has a number. has_first: what
 * the journal has of it as found. False: none may, because neither a maximum of the zone nor a
 * limit that was found is known. */
bool jl_bounds_keep(struct jl_bounds *bounds, const struct jl_control_file *file, bool has_first,
                    uint64_t first, int64_t monotonic_ms, uint64_t *value);
