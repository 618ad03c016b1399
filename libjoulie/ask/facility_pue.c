/* SPDX-License-Identifier: Apache-2.0 */

/* facility.pue: from measured powers, or of the simulated plant (joulie-control.md §4.13;
 * joulie-simulator.md §7.1). */

#include "ask/ask.h"
#include "twin/twin.h"

struct pue_in {
    uint64_t has;
    double it_w;
    double cooling_w;
    double outside_c;
    double load;
};

enum { IN_IT, IN_COOLING, IN_OUTSIDE, IN_LOAD };

static const struct jl_row in_rows[] = {
    [IN_IT] = JL_NUMBER(pue_in, it_w, "itPowerW", .flags = JL_NOT_NEGATIVE,
                        .doc = "IT power in watts; with coolingPowerW."),
    [IN_COOLING] = JL_NUMBER(pue_in, cooling_w, "coolingPowerW", .flags = JL_NOT_NEGATIVE,
                             .doc = "Cooling power in watts."),
    [IN_OUTSIDE] =
        JL_NUMBER(pue_in, outside_c, "outsideTempC",
                  .doc = "Outside temperature of the simulated plant in degrees Celsius."),
    [IN_LOAD] = JL_NUMBER(pue_in, load, "load", .flags = JL_HAS_MIN | JL_HAS_MAX, .min = 0,
                          .max = 1, .doc = "IT power relative to the design, 0 to 1."),
};
static const struct jl_table in_table = JL_TABLE(pue_in, in_rows);

struct pue_out {
    uint64_t has;
    double pue;
};

enum { OUT_PUE };

static const struct jl_row out_rows[] = {
    [OUT_PUE] = JL_NUMBER(pue_out, pue, "pue",
                          .doc = "Power usage effectiveness; absent without IT power."),
};
static const struct jl_table out_table = JL_TABLE(pue_out, out_rows);

static int measured(struct jl_ask *ask, const struct pue_in *in, struct pue_out *out)
{
    double pue;
    if (!JL_HAS(in, IN_IT))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "itPowerW", "the member is required");
    if (!JL_HAS(in, IN_COOLING))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "coolingPowerW", "the member is required");
    if (jl_facility_pue(in->it_w, in->cooling_w, &pue))
        JL_PUT(out, OUT_PUE, pue, pue);
    return 0;
}

static int simulated(struct jl_ask *ask, const struct pue_in *in, struct pue_out *out)
{
    const bool is_old = jl_is_model(ask, "v0.1.0");
    if (!JL_HAS(in, IN_OUTSIDE))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "outsideTempC", "the member is required");
    if (!JL_HAS(in, IN_LOAD) && !is_old)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "load", "the member is required");
    JL_PUT(out, OUT_PUE, pue,
           is_old ? jl_facility_simulated_pue_v0_1_0(in->outside_c)
                  : jl_facility_simulated_pue(in->outside_c, in->load));
    return 0;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct pue_in *in = input;
    const bool is_simulated = JL_HAS(in, IN_OUTSIDE) || JL_HAS(in, IN_LOAD);
    if (!is_simulated)
        return measured(ask, in, output);
    if (JL_HAS(in, IN_IT) || JL_HAS(in, IN_COOLING))
        return jl_ask_fail(ask, JOULIE_E_CONFLICT, JL_HAS(in, IN_OUTSIDE) ? "outsideTempC" : "load",
                           "give either measured powers or a temperature and a load");
    return simulated(ask, in, output);
}

static const char *const models[] = { "current", "v0.1.1", "v0.1.0", NULL };

const struct jl_question jl_question_facility_pue = {
    .name = "facility.pue",
    .summary = "PUE of a facility, measured or simulated",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
