/* SPDX-License-Identifier: Apache-2.0 */

/* physics.lag and physics.thermal: one first-order step, and what heat does to a GPU's speed. */

#include "ask/ask.h"
#include "physics/physics.h"

#define RECORD lag_in
#define MEMBERS                                                                         \
    NUMBER(value, "value", "Value before the step.", REQUIRED)                          \
    NUMBER(target, "target", "Value it moves to.", REQUIRED)                            \
    NUMBER(tau_s, "tauS", "Time constant, s; 0 or less jumps to the target.", REQUIRED) \
    NUMBER(dt_s, "dtS", "Step, s; 0 or less changes nothing.", REQUIRED)
#include "schema/record.h"

#define RECORD lag_out
#define MEMBERS NUMBER(value, "value", "Value after the step.")
#include "schema/record.h"

static int answer_lag(struct jl_ask *ask, const void *input, void *output)
{
    (void)ask;
    const struct lag_in *in = input;
    struct lag_out *out = output;
    JL_SET(out, value, jl_lag_step(in->value, in->target, in->tau_s, in->dt_s));
    return 0;
}

const struct jl_question jl_question_physics_lag = {
    .name = "physics.lag",
    .summary = "One step of a first-order lag",
    .in = &lag_in_table,
    .out = &lag_out_table,
    .answer = answer_lag,
};

#define RECORD thermal_in
#define MEMBERS                                                                                \
    NUMBER(temp_c, "tempC", "Temperature before the step, degrees Celsius.", REQUIRED)         \
    NUMBER(power_w, "powerW", "Power, W.", REQUIRED)                                           \
    NUMBER(ambient_c, "ambientC", "Temperature at 0 W, degrees Celsius.", REQUIRED)            \
    NUMBER(watts_per_c, "wattsPerDeltaC", "Watts per degree over ambient.", REQUIRED, OVER(0)) \
    NUMBER(tau_s, "tauS", "Time constant, s.", REQUIRED)                                       \
    NUMBER(dt_s, "dtS", "Step, s.", REQUIRED)                                                  \
    NUMBER(start_c, "throttleStartC", "Temperature where throttling starts.", REQUIRED)        \
    NUMBER(full_c, "throttleFullC", "Temperature of full throttling.", REQUIRED)
#include "schema/record.h"

#define RECORD thermal_out
#define MEMBERS                                                             \
    NUMBER(temp_c, "tempC", "Temperature after the step, degrees Celsius.") \
    NUMBER(throttle, "throttle", "Throttle fraction, 0..1.")
#include "schema/record.h"

static int answer_thermal(struct jl_ask *ask, const void *input, void *output)
{
    (void)ask;
    const struct thermal_in *in = input;
    struct thermal_out *out = output;
    const double target_c = jl_thermal_target_c(in->ambient_c, in->power_w, in->watts_per_c);
    JL_SET(out, temp_c, jl_lag_step(in->temp_c, target_c, in->tau_s, in->dt_s));
    JL_SET(out, throttle, jl_thermal_throttle(out->temp_c, in->start_c, in->full_c));
    return 0;
}

const struct jl_question jl_question_physics_thermal = {
    .name = "physics.thermal",
    .summary = "Temperature and thermal throttling after one step",
    .in = &thermal_in_table,
    .out = &thermal_out_table,
    .answer = answer_thermal,
};
