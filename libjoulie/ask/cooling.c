/* SPDX-License-Identifier: Apache-2.0 */

/*
 * cooling.model, facility.pue and physics.ambient: stress, PUE and watts of cooling, and the
 * temperature outside (docs/rules/cooling.md).
 */

#include <joulie/sim.h>

#include "ask/ask.h"
#include "twin/twin.h"

/* cooling.model: stress, PUE and watts of a cooling model (docs/rules/cooling.md#common-rules). */

#define RECORD cooling_model_in
#define MEMBERS                                                                                 \
    ENUM(type, "type", joulie_cooling, jl_cooling_words, "Model of cooling stress and PUE.",    \
         REQUIRED)                                                                              \
    NUMBER(power_w, "powerW", "Power of the node in watts; dx does not need it.", NOT_NEGATIVE) \
    NUMBER(node_tdp_w, "nodeTdpW", "Design power of the node in watts.", NOT_NEGATIVE)          \
    NUMBER(outside_c, "outsideTempC", "Outside temperature in degrees Celsius; default 20.")    \
    NUMBER(reference_w, "referenceW",                                                           \
           "Power of full stress in watts; default 4000 (linear) or nodeTdpW.", NOT_NEGATIVE)   \
    NUMBER(design_it_w, "designItW",                                                            \
           "IT power that a dx plant is built for, in watts; default 1e6.", OVER(0))            \
    NUMBER(cluster_w, "clusterTotalPowerW", "IT power of the cluster in watts; dx needs it.",   \
           NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD cooling_model_out
#define MEMBERS                                                                           \
    NUMBER(stress, "stress", "Cooling stress, 0 to 100; absent = unknown.")               \
    NUMBER(cooling_w, "coolingW", "Power of the cooling plant in watts.")                 \
    NUMBER(pue, "pue", "Power usage effectiveness.")                                      \
    NUMBER(cop, "cop", "Heat moved per watt of the plant; dx: of the whole system.")      \
    NUMBER(indoor_c, "indoorTempC", "Indoor temperature in degrees Celsius.")             \
    INTEGER(mode, "mode", "dx: 1 outside air, 2 both, 3 mechanical.")                     \
    NUMBER(free_fraction, "freeFraction", "dx: share of outside air.")                    \
    NUMBER(free_w, "freeW", "dx: heat that outside air can carry away, in watts.")        \
    NUMBER(mechanical_w, "mechanicalW", "dx: heat that the coil carries away, in watts.") \
    NUMBER(unit_cop, "unitCop", "dx: heat moved per watt of the compressor.")             \
    NUMBER(compressor_w, "compressorW", "dx: compressor, in watts.")                      \
    NUMBER(fan_w, "fanW", "dx: fan, in watts.")
#include "schema/record.h"

static double outside_of(const struct cooling_model_in *in)
{
    return JL_GIVEN_OR(in, outside_c, JL_ASSUMED_OUTSIDE_C);
}

static double design_of(const struct cooling_model_in *in)
{
    return JL_GIVEN_OR(in, design_it_w, JL_DX_DESIGN_IT_W);
}

static void put_prediction(const struct jl_ask *ask, const struct cooling_model_in *in,
                           struct cooling_model_out *out)
{
    const struct jl_cooling_input model = {
        .model = in->type,
        .is_current = jl_is_current(ask),
        .power_w = in->power_w,
        .node_tdp_w = in->node_tdp_w,
        .has_outside = in->given.outside_c,
        .outside_c = in->outside_c,
        .has_reference = in->given.reference_w,
        .reference_w = in->reference_w,
        .cluster_w = in->cluster_w,
        .design_it_w = design_of(in),
    };
    struct jl_cooling cooling;
    jl_cooling_predict(&model, &cooling);
    JL_SET_IF(out, stress, cooling.has_stress, cooling.stress);
    JL_SET_IF(out, pue, cooling.has_pue, cooling.pue);
}

static void put_dx(const struct cooling_model_in *in, struct cooling_model_out *out)
{
    struct jl_dx dx;
    jl_cooling_dx(in->cluster_w, outside_of(in), JL_DX_INDOOR_C, design_of(in), &dx);
    JL_SET(out, cooling_w, dx.cooling_w);
    JL_SET(out, cop, dx.system_cop);
    JL_SET(out, mode, dx.mode);
    JL_SET(out, free_fraction, dx.free_fraction);
    JL_SET(out, free_w, dx.free_w);
    JL_SET(out, mechanical_w, dx.mechanical_w);
    JL_SET(out, unit_cop, dx.unit_cop);
    JL_SET(out, compressor_w, dx.compressor_w);
    JL_SET(out, fan_w, dx.fan_w);
}

static void put_plant(const struct cooling_model_in *in, struct cooling_model_out *out)
{
    struct jl_cooling_plant plant;
    if (!jl_cooling_parametric(in->type, in->power_w, outside_of(in), &plant))
        return;
    JL_SET(out, cooling_w, plant.cooling_w);
    JL_SET(out, cop, plant.cop);
    JL_SET(out, indoor_c, plant.indoor_c);
}

static int answer_cooling_model(struct jl_ask *ask, const struct cooling_model_in *in,
                                struct cooling_model_out *out)
{
    const bool is_dx = in->type == JOULIE_COOLING_DX;
    if (is_dx && !in->given.cluster_w)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "clusterTotalPowerW", "the model dx needs it");
    if (!is_dx && !in->given.power_w)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "powerW", "the model needs it");

    put_prediction(ask, in, out);
    if (is_dx)
        put_dx(in, out);
    else
        put_plant(in, out);
    return 0;
}

JL_QUESTION(cooling_model, "cooling.model", "cooling stress, PUE and watts of a cooling model",
            JL_MODELS("current", "v0.1.1"));

/*
 * facility.pue: from measured powers, or of the simulated plant
 * (docs/rules/cooling.md#facility-pue).
 */

#define RECORD facility_pue_in
#define MEMBERS                                                                      \
    NUMBER(it_w, "itPowerW", "IT power in watts; with coolingPowerW.", NOT_NEGATIVE) \
    NUMBER(cooling_w, "coolingPowerW", "Cooling power in watts.", NOT_NEGATIVE)      \
    NUMBER(outside_c, "outsideTempC",                                                \
           "Outside temperature of the simulated plant in degrees Celsius.")         \
    NUMBER(load, "load", "IT power relative to the design, 0 to 1.", BETWEEN(0, 1))
#include "schema/record.h"

#define RECORD facility_pue_out
#define MEMBERS NUMBER(pue, "pue", "Power usage effectiveness; absent without IT power.")
#include "schema/record.h"

static int measured(struct jl_ask *ask, const struct facility_pue_in *in,
                    struct facility_pue_out *out)
{
    double pue;
    const int rc =
        jl_ask_require(ask, &facility_pue_in_table, in,
                       JL_ASK_ROW(facility_pue_in, it_w) | JL_ASK_ROW(facility_pue_in, cooling_w));
    if (rc == 0 && jl_facility_pue(in->it_w, in->cooling_w, &pue))
        JL_SET(out, pue, pue);
    return rc;
}

static int simulated(struct jl_ask *ask, const struct facility_pue_in *in,
                     struct facility_pue_out *out)
{
    const bool is_old = jl_is_model(ask, "v0.1.0");
    const int rc = jl_ask_require(ask, &facility_pue_in_table, in,
                                  JL_ASK_ROW(facility_pue_in, outside_c) |
                                      (is_old ? 0 : JL_ASK_ROW(facility_pue_in, load)));
    if (rc < 0)
        return rc;
    JL_SET(out, pue,
           is_old ? jl_facility_simulated_pue_v0_1_0(in->outside_c)
                  : joulie_facility_simulated_pue(in->outside_c, in->load));
    return 0;
}

static int answer_facility_pue(struct jl_ask *ask, const struct facility_pue_in *in,
                               struct facility_pue_out *output)
{
    const bool is_simulated = in->given.outside_c || in->given.load;
    if (!is_simulated)
        return measured(ask, in, output);
    if (in->given.it_w || in->given.cooling_w)
        return jl_ask_fail(ask, JOULIE_E_CONFLICT, in->given.outside_c ? "outsideTempC" : "load",
                           "give either measured powers or a temperature and a load");
    return simulated(ask, in, output);
}

JL_QUESTION(facility_pue, "facility.pue", "PUE of a facility, measured or simulated",
            JL_MODELS("current", "v0.1.1", "v0.1.0"));

/*
 * physics.ambient: outside temperature of a simulated day
 * (docs/rules/cooling.md#outside-temperature-of-a-simulation).
 */

#define RECORD physics_ambient_in
#define MEMBERS                                                                            \
    NUMBER(base_c, "baseC", "Mean temperature in degrees Celsius; default 20.")            \
    NUMBER(amplitude_c, "amplitudeC", "Swing in degrees Celsius; default 5.")              \
    NUMBER(period_s, "periodS", "Period in seconds; 0 and below, and the default: a day.") \
    NUMBER(elapsed_s, "elapsedS", "Seconds since the start.", REQUIRED)
#include "schema/record.h"

#define RECORD physics_ambient_out
#define MEMBERS NUMBER(outside_c, "outsideTempC", "Outside temperature in degrees Celsius.")
#include "schema/record.h"

#define DEFAULT_AMBIENT_C 20
#define DEFAULT_AMPLITUDE_C 5

static int answer_physics_ambient(struct jl_ask *ask, const struct physics_ambient_in *in,
                                  struct physics_ambient_out *out)
{
    (void)ask;
    JL_SET(out, outside_c,
           joulie_facility_ambient_c(JL_GIVEN_OR(in, base_c, DEFAULT_AMBIENT_C),
                                     JL_GIVEN_OR(in, amplitude_c, DEFAULT_AMPLITUDE_C),
                                     in->period_s, in->elapsed_s));
    return 0;
}

JL_QUESTION(physics_ambient, "physics.ambient", "outside temperature of a simulated day");
