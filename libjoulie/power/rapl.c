/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Limits, time windows and energy units as RAPL encodes them. Called by node/, by the read-back of
 * enforce/ and by the question `rapl.encode`. Implements docs/rules/rapl.md#limits.
 */

#include "power/rapl.h"

#include <math.h>

#define LIMIT_FIELD UINT64_C(0x7FFF)       /* 15 bits */
#define QUARTER_TIME_UNIT_US UINT64_C(244) /* a time unit is 976 us: 1 s / 1024, truncated */
#define WINDOW_MULTIPLIER_MAX 31           /* Y has 5 bits */
#define WINDOW_CODE_MAX 0x7FU
#define NJ_PER_J UINT64_C(1000000000)
#define NJ_PER_UJ UINT64_C(1000)
#define UJ_PER_J 1e6
#define COUNTER_MAX UINT32_MAX /* the hardware counts 32 bits */

uint64_t jl_rapl_raw(uint64_t limit_uw, uint64_t unit_uw)
{
    return (limit_uw / unit_uw) & LIMIT_FIELD;
}

uint64_t jl_rapl_read_back_uw(uint64_t limit_uw, uint64_t unit_uw)
{
    return jl_rapl_raw(limit_uw, unit_uw) * unit_uw; /* never above limit_uw */
}

bool jl_rapl_agrees(uint64_t requested_uw, uint64_t read_uw, uint64_t unit_uw)
{
    return read_uw <= requested_uw && requested_uw - read_uw < unit_uw;
}

uint32_t jl_rapl_window_code(uint64_t window_us)
{
    const uint64_t units = window_us / (4 * QUARTER_TIME_UNIT_US);
    if (units == 0)
        return 0;
    uint32_t multiplier = 0;
    while (units >> multiplier > 1)
        multiplier++;
    if (multiplier > WINDOW_MULTIPLIER_MAX)
        return WINDOW_CODE_MAX;
    const uint64_t rest = units - (UINT64_C(1) << multiplier);
    const uint32_t quarters = (uint32_t)(4 * rest >> multiplier);
    return quarters << 5 | multiplier;
}

uint64_t jl_rapl_window_us(uint32_t code)
{
    const uint64_t quarters = 4 + (code >> 5 & 3);
    return (UINT64_C(1) << (code & WINDOW_MULTIPLIER_MAX)) * quarters * QUARTER_TIME_UNIT_US;
}

uint64_t jl_rapl_energy_unit_nj(uint32_t esu)
{
    return esu < 64 ? NJ_PER_J >> esu : 0;
}

uint64_t jl_rapl_energy_range_uj(uint64_t unit_nj)
{
    const unsigned __int128 range_uj = (unsigned __int128)COUNTER_MAX * unit_nj / NJ_PER_UJ;
    return range_uj > UINT64_MAX ? UINT64_MAX : (uint64_t)range_uj;
}

double jl_rapl_wrap_s(uint64_t range_uj, double watts)
{
    return watts > 0 ? (double)range_uj / UJ_PER_J / watts : HUGE_VAL;
}
