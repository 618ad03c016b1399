/* SPDX-License-Identifier: Apache-2.0 */

/* rapl.encode: what the RAPL registers make of limits, windows and energy (linux-power.md §2.3,
 * §2.5, §2.6). */

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/number.h"
#include "power/rapl.h"

struct encode_in {
    uint64_t has;
    int64_t power_uw;
    int64_t power_unit_uw;
    int64_t read_uw;
    int64_t window_us;
    int64_t esu;
    int64_t energy_unit_nj;
    int64_t range_uj;
    double watts;
};

enum {
    IN_POWER,
    IN_POWER_UNIT,
    IN_READ,
    IN_WINDOW,
    IN_ESU,
    IN_ENERGY_UNIT,
    IN_RANGE,
    IN_WATTS,
};

#define COUNT .flags = JL_NOT_NEGATIVE

static const struct jl_row in_rows[] = {
    [IN_POWER] = JL_INTEGER(encode_in, power_uw, "powerUw", COUNT,
                            .doc = "A limit that is written, microwatts."),
    [IN_POWER_UNIT] = JL_INTEGER(encode_in, power_unit_uw, "powerUnitUw", .flags = JL_HAS_MIN,
                                 .min = 1, .doc = "Smallest step of a limit, microwatts (125000)."),
    [IN_READ] = JL_INTEGER(encode_in, read_uw, "readUw", COUNT,
                           .doc = "What reads back after powerUw was written, microwatts."),
    [IN_WINDOW] = JL_INTEGER(encode_in, window_us, "timeWindowUs", COUNT,
                             .doc = "A time window that is written, microseconds."),
    [IN_ESU] = JL_INTEGER(encode_in, esu, "energyStatusUnit", .flags = JL_HAS_MIN | JL_HAS_MAX,
                          .max = 31, .doc = "Energy unit of the processor: 1 J / 2^n."),
    [IN_ENERGY_UNIT] =
        JL_INTEGER(encode_in, energy_unit_nj, "energyUnitNj", .flags = JL_HAS_MIN | JL_HAS_MAX,
                   .max = 1e12, .doc = "Energy of one count, nanojoules."),
    [IN_RANGE] = JL_INTEGER(encode_in, range_uj, "maxEnergyRangeUj", COUNT,
                            .doc = "Where the counter wraps, microjoules; with watts."),
    [IN_WATTS] = JL_NUMBER(encode_in, watts, "watts", .flags = JL_HAS_MIN | JL_EXCLUSIVE_MIN,
                           .doc = "Constant power, W."),
};
static const struct jl_table in_table = JL_TABLE(encode_in, in_rows);

struct encode_out {
    uint64_t has;
    int64_t raw;
    int64_t read_back_uw;
    bool agrees;
    int64_t window_code;
    int64_t read_back_us;
    int64_t energy_unit_nj;
    int64_t range_uj;
    double wrap_s;
};

enum {
    OUT_RAW,
    OUT_READ_BACK,
    OUT_AGREES,
    OUT_WINDOW_CODE,
    OUT_READ_BACK_WINDOW,
    OUT_ENERGY_UNIT,
    OUT_RANGE,
    OUT_WRAP,
};

static const struct jl_row out_rows[] = {
    [OUT_RAW] = JL_INTEGER(encode_out, raw, "raw", .doc = "The register's 15 bits."),
    [OUT_READ_BACK] =
        JL_INTEGER(encode_out, read_back_uw, "readBackUw",
                   .doc = "The limit that is in force, microwatts: floored to the unit, and "
                          "wrapped where 15 bits do not hold it."),
    [OUT_AGREES] = JL_BOOLEAN(encode_out, agrees, "agrees",
                              .doc = "Whether readUw is less than one unit below powerUw."),
    [OUT_WINDOW_CODE] =
        JL_INTEGER(encode_out, window_code, "windowCode", .doc = "The register's 7 bits, F:Y."),
    [OUT_READ_BACK_WINDOW] = JL_INTEGER(encode_out, read_back_us, "readBackUs",
                                        .doc = "The window that is in force, microseconds."),
    [OUT_ENERGY_UNIT] = JL_INTEGER(encode_out, energy_unit_nj, "energyUnitNj",
                                   .doc = "Energy of one count, nanojoules, rounded down."),
    [OUT_RANGE] = JL_INTEGER(encode_out, range_uj, "maxEnergyRangeUj",
                             .doc = "Where the counter wraps, microjoules."),
    [OUT_WRAP] = JL_NUMBER(encode_out, wrap_s, "wrapS",
                           .doc = "Seconds to a wrap at that power; absent: longer than a number "
                                  "can tell."),
};
static const struct jl_table out_table = JL_TABLE(encode_out, out_rows);

static void answer_limit(const struct encode_in *in, struct encode_out *out)
{
    const uint64_t unit_uw =
        JL_HAS(in, IN_POWER_UNIT) ? (uint64_t)in->power_unit_uw : JL_RAPL_UNIT_UW;
    const uint64_t power_uw = (uint64_t)in->power_uw;
    JL_PUT(out, OUT_RAW, raw, (int64_t)jl_rapl_raw(power_uw, unit_uw));
    JL_PUT(out, OUT_READ_BACK, read_back_uw, (int64_t)jl_rapl_read_back_uw(power_uw, unit_uw));
    if (JL_HAS(in, IN_READ))
        JL_PUT(out, OUT_AGREES, agrees, jl_rapl_agrees(power_uw, (uint64_t)in->read_uw, unit_uw));
}

static void answer_window(const struct encode_in *in, struct encode_out *out)
{
    const uint32_t code = jl_rapl_window_code((uint64_t)in->window_us);
    JL_PUT(out, OUT_WINDOW_CODE, window_code, code);
    JL_PUT(out, OUT_READ_BACK_WINDOW, read_back_us, (int64_t)jl_rapl_window_us(code));
}

static void answer_unit(uint64_t unit_nj, struct encode_out *out)
{
    JL_PUT(out, OUT_ENERGY_UNIT, energy_unit_nj, (int64_t)unit_nj);
    JL_PUT(out, OUT_RANGE, range_uj, (int64_t)jl_rapl_energy_range_uj(unit_nj));
}

static void answer_wrap(const struct encode_in *in, struct encode_out *out)
{
    const double wrap_s = jl_rapl_wrap_s((uint64_t)in->range_uj, in->watts);
    if (jl_is_finite(wrap_s))
        JL_PUT(out, OUT_WRAP, wrap_s, wrap_s);
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct encode_in *in = input;
    struct encode_out *out = output;
    if (JL_HAS(in, IN_POWER))
        answer_limit(in, out);
    else if (JL_HAS(in, IN_WINDOW))
        answer_window(in, out);
    else if (JL_HAS(in, IN_ESU))
        answer_unit(jl_rapl_energy_unit_nj((uint32_t)in->esu), out);
    else if (JL_HAS(in, IN_ENERGY_UNIT))
        answer_unit((uint64_t)in->energy_unit_nj, out);
    else if (JL_HAS(in, IN_RANGE) && JL_HAS(in, IN_WATTS))
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
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
