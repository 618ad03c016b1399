/* SPDX-License-Identifier: Apache-2.0 */

/*
 * rapl.encode: what the RAPL registers make of limits, windows and energy
 * (docs/rules/rapl.md#limits).
 */

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/number.h"
#include "power/rapl.h"

#define COUNT NOT_NEGATIVE

#define RECORD encode_in
#define MEMBERS                                                                                 \
    INTEGER(power_uw, "powerUw", "A limit that is written, microwatts.", COUNT)                 \
    INTEGER(power_unit_uw, "powerUnitUw", "Smallest step of a limit, microwatts (125000).",     \
            AT_LEAST(1))                                                                        \
    INTEGER(read_uw, "readUw", "What reads back after powerUw was written, microwatts.", COUNT) \
    INTEGER(window_us, "timeWindowUs", "A time window that is written, microseconds.", COUNT)   \
    INTEGER(esu, "energyStatusUnit", "Energy unit of the processor: 1 J / 2^n.", AT_LEAST(0),   \
            AT_MOST(31))                                                                        \
    INTEGER(energy_unit_nj, "energyUnitNj", "Energy of one count, nanojoules.", AT_LEAST(0),    \
            AT_MOST(1e12))                                                                      \
    INTEGER(range_uj, "maxEnergyRangeUj", "Where the counter wraps, microjoules; with watts.",  \
            COUNT)                                                                              \
    NUMBER(watts, "watts", "Constant power, W.", OVER(0))
#include "schema/record.h"

#define RECORD encode_out
#define MEMBERS                                                                                  \
    INTEGER(raw, "raw", "The register's 15 bits.")                                               \
    INTEGER(read_back_uw, "readBackUw",                                                          \
            "The limit that is in force, microwatts: floored to the unit, and wrapped where 15 " \
            "bits do not hold it.")                                                              \
    BOOLEAN(agrees, "agrees", "Whether readUw is less than one unit below powerUw.")             \
    INTEGER(window_code, "windowCode", "The register's 7 bits, F:Y.")                            \
    INTEGER(read_back_us, "readBackUs", "The window that is in force, microseconds.")            \
    INTEGER(energy_unit_nj, "energyUnitNj", "Energy of one count, nanojoules, rounded down.")    \
    INTEGER(range_uj, "maxEnergyRangeUj", "Where the counter wraps, microjoules.")               \
    NUMBER(wrap_s, "wrapS",                                                                      \
           "Seconds to a wrap at that power; absent: longer than a number can tell.")
#include "schema/record.h"

static void answer_limit(const struct encode_in *in, struct encode_out *out)
{
    const uint64_t unit_uw =
        in->given.power_unit_uw ? (uint64_t)in->power_unit_uw : JL_RAPL_UNIT_UW;
    const uint64_t power_uw = (uint64_t)in->power_uw;
    JL_SET(out, raw, (int64_t)jl_rapl_raw(power_uw, unit_uw));
    JL_SET(out, read_back_uw, (int64_t)jl_rapl_read_back_uw(power_uw, unit_uw));
    if (in->given.read_uw)
        JL_SET(out, agrees, jl_rapl_agrees(power_uw, (uint64_t)in->read_uw, unit_uw));
}

static void answer_window(const struct encode_in *in, struct encode_out *out)
{
    const uint32_t code = jl_rapl_window_code((uint64_t)in->window_us);
    JL_SET(out, window_code, code);
    JL_SET(out, read_back_us, (int64_t)jl_rapl_window_us(code));
}

static void answer_unit(uint64_t unit_nj, struct encode_out *out)
{
    JL_SET(out, energy_unit_nj, (int64_t)unit_nj);
    JL_SET(out, range_uj, (int64_t)jl_rapl_energy_range_uj(unit_nj));
}

static void answer_wrap(const struct encode_in *in, struct encode_out *out)
{
    const double wrap_s = jl_rapl_wrap_s((uint64_t)in->range_uj, in->watts);
    if (jl_is_finite(wrap_s))
        JL_SET(out, wrap_s, wrap_s);
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct encode_in *in = input;
    struct encode_out *out = output;
    if (in->given.power_uw)
        answer_limit(in, out);
    else if (in->given.window_us)
        answer_window(in, out);
    else if (in->given.esu)
        answer_unit(jl_rapl_energy_unit_nj((uint32_t)in->esu), out);
    else if (in->given.energy_unit_nj)
        answer_unit((uint64_t)in->energy_unit_nj, out);
    else if (in->given.range_uj && in->given.watts)
        answer_wrap(in, out);
    else
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "powerUw",
                           "one of powerUw, timeWindowUs, energyStatusUnit, energyUnitNj, or "
                           "maxEnergyRangeUj with watts is required");
    return 0;
}

const struct jl_question jl_question_rapl_encode = {
    .name = "rapl.encode",
    .summary = "What the RAPL registers make of a limit, a time window or an energy unit",
    .in = &encode_in_table,
    .out = &encode_out_table,
    .answer = answer,
};
