/* SPDX-License-Identifier: Apache-2.0 */

/*
 * physics.ambient: outside temperature of a simulated day
 * (docs/rules/cooling.md#outside-temperature-of-a-simulation).
 */

#include "ask/ask.h"
#include "twin/twin.h"

#define RECORD ambient_in
#define MEMBERS                                                                            \
    NUMBER(base_c, "baseC", "Mean temperature in degrees Celsius; default 20.")            \
    NUMBER(amplitude_c, "amplitudeC", "Swing in degrees Celsius; default 5.")              \
    NUMBER(period_s, "periodS", "Period in seconds; 0 and below, and the default: a day.") \
    NUMBER(elapsed_s, "elapsedS", "Seconds since the start.", REQUIRED)
#include "schema/record.h"

#define RECORD ambient_out
#define MEMBERS NUMBER(outside_c, "outsideTempC", "Outside temperature in degrees Celsius.")
#include "schema/record.h"

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    (void)ask;
    const struct ambient_in *in = input;
    struct ambient_out *out = output;
    struct jl_ambient ambient = jl_ambient_default;
    if (in->given.base_c)
        ambient.base_c = in->base_c;
    if (in->given.amplitude_c)
        ambient.amplitude_c = in->amplitude_c;
    if (in->given.period_s)
        ambient.period_s = in->period_s;
    JL_SET(out, outside_c, jl_ambient_c(&ambient, in->elapsed_s));
    return 0;
}

const struct jl_question jl_question_physics_ambient = {
    .name = "physics.ambient",
    .summary = "outside temperature of a simulated day",
    .in = &ambient_in_table,
    .out = &ambient_out_table,
    .answer = answer,
};
