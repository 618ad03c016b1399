/* SPDX-License-Identifier: Apache-2.0 */

/*
 * facility.pue: from measured powers, or of the simulated plant
 * (docs/rules/cooling.md#facility-pue).
 */

#include "ask/ask.h"
#include "twin/twin.h"

#define RECORD pue_in
#define MEMBERS                                                                      \
    NUMBER(it_w, "itPowerW", "IT power in watts; with coolingPowerW.", NOT_NEGATIVE) \
    NUMBER(cooling_w, "coolingPowerW", "Cooling power in watts.", NOT_NEGATIVE)      \
    NUMBER(outside_c, "outsideTempC",                                                \
           "Outside temperature of the simulated plant in degrees Celsius.")         \
    NUMBER(load, "load", "IT power relative to the design, 0 to 1.", AT_LEAST(0), AT_MOST(1))
#include "schema/record.h"

#define RECORD pue_out
#define MEMBERS NUMBER(pue, "pue", "Power usage effectiveness; absent without IT power.")
#include "schema/record.h"

static int measured(struct jl_ask *ask, const struct pue_in *in, struct pue_out *out)
{
    double pue;
    if (!in->given.it_w)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "itPowerW", "the member is required");
    if (!in->given.cooling_w)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "coolingPowerW", "the member is required");
    if (jl_facility_pue(in->it_w, in->cooling_w, &pue))
        JL_SET(out, pue, pue);
    return 0;
}

static int simulated(struct jl_ask *ask, const struct pue_in *in, struct pue_out *out)
{
    const bool is_old = jl_is_model(ask, "v0.1.0");
    if (!in->given.outside_c)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "outsideTempC", "the member is required");
    if (!in->given.load && !is_old)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "load", "the member is required");
    JL_SET(out, pue,
           is_old ? jl_facility_simulated_pue_v0_1_0(in->outside_c)
                  : jl_facility_simulated_pue(in->outside_c, in->load));
    return 0;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct pue_in *in = input;
    const bool is_simulated = in->given.outside_c || in->given.load;
    if (!is_simulated)
        return measured(ask, in, output);
    if (in->given.it_w || in->given.cooling_w)
        return jl_ask_fail(ask, JOULIE_E_CONFLICT, in->given.outside_c ? "outsideTempC" : "load",
                           "give either measured powers or a temperature and a load");
    return simulated(ask, in, output);
}

static const char *const models[] = { "current", "v0.1.1", "v0.1.0", NULL };

const struct jl_question jl_question_facility_pue = {
    .name = "facility.pue",
    .summary = "PUE of a facility, measured or simulated",
    .in = &pue_in_table,
    .out = &pue_out_table,
    .models = models,
    .answer = answer,
};
