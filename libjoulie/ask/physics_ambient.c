/* SPDX-License-Identifier: Apache-2.0 */

/* physics.ambient: outside temperature of a simulated day (joulie-simulator.md §7.1). */

#include "ask/ask.h"
#include "twin/twin.h"

struct ambient_in {
    uint64_t has;
    double base_c;
    double amplitude_c;
    double period_s;
    double elapsed_s;
};

enum { IN_BASE, IN_AMPLITUDE, IN_PERIOD, IN_ELAPSED };

static const struct jl_row in_rows[] = {
    [IN_BASE] = JL_NUMBER(ambient_in, base_c, "baseC",
                          .doc = "Mean temperature in degrees Celsius; default 20."),
    [IN_AMPLITUDE] = JL_NUMBER(ambient_in, amplitude_c, "amplitudeC",
                               .doc = "Swing in degrees Celsius; default 5."),
    [IN_PERIOD] = JL_NUMBER(ambient_in, period_s, "periodS",
                            .doc = "Period in seconds; 0 and below, and the default: a day."),
    [IN_ELAPSED] = JL_NUMBER(ambient_in, elapsed_s, "elapsedS", .flags = JL_REQUIRED,
                             .doc = "Seconds since the start."),
};
static const struct jl_table in_table = JL_TABLE(ambient_in, in_rows);

struct ambient_out {
    uint64_t has;
    double outside_c;
};

enum { OUT_OUTSIDE };

static const struct jl_row out_rows[] = {
    [OUT_OUTSIDE] = JL_NUMBER(ambient_out, outside_c, "outsideTempC",
                              .doc = "Outside temperature in degrees Celsius."),
};
static const struct jl_table out_table = JL_TABLE(ambient_out, out_rows);

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    (void)ask;
    const struct ambient_in *in = input;
    struct ambient_out *out = output;
    struct jl_ambient ambient = jl_ambient_default;
    if (JL_HAS(in, IN_BASE))
        ambient.base_c = in->base_c;
    if (JL_HAS(in, IN_AMPLITUDE))
        ambient.amplitude_c = in->amplitude_c;
    if (JL_HAS(in, IN_PERIOD))
        ambient.period_s = in->period_s;
    JL_PUT(out, OUT_OUTSIDE, outside_c, jl_ambient_c(&ambient, in->elapsed_s));
    return 0;
}

const struct jl_question jl_question_physics_ambient = {
    .name = "physics.ambient",
    .summary = "outside temperature of a simulated day",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
