/* SPDX-License-Identifier: Apache-2.0 */

/* cooling.model: stress, PUE and watts of a cooling model (joulie-control.md §3.8, §3.12;
 * joulie-simulator.md §7). */

#include "ask/ask.h"
#include "twin/twin.h"

struct cooling_in {
    uint64_t has;
    enum joulie_cooling type;
    double power_w;
    double node_tdp_w;
    double outside_c;
    double reference_w;
    double design_it_w;
    double cluster_w;
};

enum { IN_TYPE, IN_POWER, IN_NODE_TDP, IN_OUTSIDE, IN_REFERENCE, IN_DESIGN_IT, IN_CLUSTER };

static const struct jl_row in_rows[] = {
    [IN_TYPE] = JL_ENUM(cooling_in, type, "type", &jl_cooling_words, .flags = JL_REQUIRED,
                        .doc = "Model of cooling stress and PUE."),
    [IN_POWER] = JL_NUMBER(cooling_in, power_w, "powerW", .flags = JL_NOT_NEGATIVE,
                           .doc = "Power of the node in watts; dx does not need it."),
    [IN_NODE_TDP] = JL_NUMBER(cooling_in, node_tdp_w, "nodeTdpW", .flags = JL_NOT_NEGATIVE,
                              .doc = "Design power of the node in watts."),
    [IN_OUTSIDE] = JL_NUMBER(cooling_in, outside_c, "outsideTempC",
                             .doc = "Outside temperature in degrees Celsius; default 20."),
    [IN_REFERENCE] =
        JL_NUMBER(cooling_in, reference_w, "referenceW", .flags = JL_NOT_NEGATIVE,
                  .doc = "Power of full stress in watts; default 4000 (linear) or nodeTdpW."),
    [IN_DESIGN_IT] =
        JL_NUMBER(cooling_in, design_it_w, "designItW", .flags = JL_HAS_MIN | JL_EXCLUSIVE_MIN,
                  .min = 0, .doc = "IT power that a dx plant is built for, in watts; default 1e6."),
    [IN_CLUSTER] = JL_NUMBER(cooling_in, cluster_w, "clusterTotalPowerW", .flags = JL_NOT_NEGATIVE,
                             .doc = "IT power of the cluster in watts; dx needs it."),
};
static const struct jl_table in_table = JL_TABLE(cooling_in, in_rows);

struct cooling_out {
    uint64_t has;
    double stress;
    double cooling_w;
    double pue;
    double cop;
    double indoor_c;
    int64_t mode;
    double free_fraction;
    double free_w;
    double mechanical_w;
    double unit_cop;
    double compressor_w;
    double fan_w;
};

enum {
    OUT_STRESS,
    OUT_COOLING,
    OUT_PUE,
    OUT_COP,
    OUT_INDOOR,
    OUT_MODE,
    OUT_FREE_FRACTION,
    OUT_FREE,
    OUT_MECHANICAL,
    OUT_UNIT_COP,
    OUT_COMPRESSOR,
    OUT_FAN,
};

static const struct jl_row out_rows[] = {
    [OUT_STRESS] = JL_NUMBER(cooling_out, stress, "stress",
                             .doc = "Cooling stress, 0 to 100; absent = unknown."),
    [OUT_COOLING] = JL_NUMBER(cooling_out, cooling_w, "coolingW",
                              .doc = "Power of the cooling plant in watts."),
    [OUT_PUE] = JL_NUMBER(cooling_out, pue, "pue", .doc = "Power usage effectiveness."),
    [OUT_COP] = JL_NUMBER(cooling_out, cop, "cop",
                          .doc = "Heat moved per watt of the plant; dx: of the whole system."),
    [OUT_INDOOR] = JL_NUMBER(cooling_out, indoor_c, "indoorTempC",
                             .doc = "Indoor temperature in degrees Celsius."),
    [OUT_MODE] =
        JL_INTEGER(cooling_out, mode, "mode", .doc = "dx: 1 outside air, 2 both, 3 mechanical."),
    [OUT_FREE_FRACTION] =
        JL_NUMBER(cooling_out, free_fraction, "freeFraction", .doc = "dx: share of outside air."),
    [OUT_FREE] = JL_NUMBER(cooling_out, free_w, "freeW",
                           .doc = "dx: heat that outside air can carry away, in watts."),
    [OUT_MECHANICAL] = JL_NUMBER(cooling_out, mechanical_w, "mechanicalW",
                                 .doc = "dx: heat that the coil carries away, in watts."),
    [OUT_UNIT_COP] = JL_NUMBER(cooling_out, unit_cop, "unitCop",
                               .doc = "dx: heat moved per watt of the compressor."),
    [OUT_COMPRESSOR] =
        JL_NUMBER(cooling_out, compressor_w, "compressorW", .doc = "dx: compressor, in watts."),
    [OUT_FAN] = JL_NUMBER(cooling_out, fan_w, "fanW", .doc = "dx: fan, in watts."),
};
static const struct jl_table out_table = JL_TABLE(cooling_out, out_rows);

static double outside_of(const struct cooling_in *in)
{
    return JL_HAS(in, IN_OUTSIDE) ? in->outside_c : JL_ASSUMED_OUTSIDE_C;
}

static double design_of(const struct cooling_in *in)
{
    return JL_HAS(in, IN_DESIGN_IT) ? in->design_it_w : JL_DX_DESIGN_IT_W;
}

static void put_prediction(const struct jl_ask *ask, const struct cooling_in *in,
                           struct cooling_out *out)
{
    const struct jl_cooling_input model = {
        .model = in->type,
        .is_current = jl_is_current(ask),
        .power_w = in->power_w,
        .node_tdp_w = in->node_tdp_w,
        .has_outside = JL_HAS(in, IN_OUTSIDE),
        .outside_c = in->outside_c,
        .has_reference = JL_HAS(in, IN_REFERENCE),
        .reference_w = in->reference_w,
        .cluster_w = in->cluster_w,
        .design_it_w = design_of(in),
    };
    struct jl_cooling cooling;
    jl_cooling_predict(&model, &cooling);
    if (cooling.has_stress)
        JL_PUT(out, OUT_STRESS, stress, cooling.stress);
    if (cooling.has_pue)
        JL_PUT(out, OUT_PUE, pue, cooling.pue);
}

static void put_dx(const struct cooling_in *in, struct cooling_out *out)
{
    struct jl_dx dx;
    jl_cooling_dx(in->cluster_w, outside_of(in), JL_DX_INDOOR_C, design_of(in), &dx);
    JL_PUT(out, OUT_COOLING, cooling_w, dx.cooling_w);
    JL_PUT(out, OUT_COP, cop, dx.system_cop);
    JL_PUT(out, OUT_MODE, mode, dx.mode);
    JL_PUT(out, OUT_FREE_FRACTION, free_fraction, dx.free_fraction);
    JL_PUT(out, OUT_FREE, free_w, dx.free_w);
    JL_PUT(out, OUT_MECHANICAL, mechanical_w, dx.mechanical_w);
    JL_PUT(out, OUT_UNIT_COP, unit_cop, dx.unit_cop);
    JL_PUT(out, OUT_COMPRESSOR, compressor_w, dx.compressor_w);
    JL_PUT(out, OUT_FAN, fan_w, dx.fan_w);
}

static void put_plant(const struct cooling_in *in, struct cooling_out *out)
{
    struct jl_cooling_plant plant;
    if (!jl_cooling_parametric(in->type, in->power_w, outside_of(in), &plant))
        return;
    JL_PUT(out, OUT_COOLING, cooling_w, plant.cooling_w);
    JL_PUT(out, OUT_COP, cop, plant.cop);
    JL_PUT(out, OUT_INDOOR, indoor_c, plant.indoor_c);
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct cooling_in *in = input;
    struct cooling_out *out = output;
    const bool is_dx = in->type == JOULIE_COOLING_DX;
    if (is_dx && !JL_HAS(in, IN_CLUSTER))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "clusterTotalPowerW", "the model dx needs it");
    if (!is_dx && !JL_HAS(in, IN_POWER))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "powerW", "the model needs it");

    put_prediction(ask, in, out);
    if (is_dx)
        put_dx(in, out);
    else
        put_plant(in, out);
    return 0;
}

static const char *const models[] = { "current", "v0.1.1", NULL };

const struct jl_question jl_question_cooling_model = {
    .name = "cooling.model",
    .summary = "cooling stress, PUE and watts of a cooling model",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
