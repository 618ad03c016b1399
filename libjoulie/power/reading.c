/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Numbers of DCGM and NVML that mean something else than they seem. Called by the question
 * `reading`. Implements docs/rules/energy.md#gpu-readings.
 */

#include "power/reading.h"

#include "base/number.h"

#define DCGM_BLANK 2147483632.0 /* the smallest of the blanks of 32, 64 bits and doubles */

static const char *const throttle_words[JL_THROTTLE_WORDS] = {
    "idle",      "applicationClocks", "swPowerCap",   "hwSlowdown", "syncBoost",
    "swThermal", "hwThermal",         "hwPowerBrake", "display",
};

bool jl_dcgm_is_missing(double value)
{
    return !jl_is_finite(value) || value >= DCGM_BLANK;
}

size_t jl_throttle_words(uint64_t bits, const char *out[JL_THROTTLE_WORDS])
{
    size_t count = 0;
    for (size_t i = 0; i < JL_THROTTLE_WORDS; i++) {
        if (bits >> i & 1)
            out[count++] = throttle_words[i];
    }
    return count;
}
