/* SPDX-License-Identifier: Apache-2.0 */
/* physics.lag and physics.thermal: one first-order step (joulie-simulator.md §5). */
#include "ask/ask.h"
#include "physics/physics.h"

struct lag_in {
    uint64_t has;
    double value;
    double target;
    double tau_s;
    double dt_s;
};

enum { LAG_VALUE, LAG_TARGET, LAG_TAU, LAG_DT };

static const struct jl_row lag_in_rows[] = {
    [LAG_VALUE] =
        JL_NUMBER(lag_in, value, "value", .flags = JL_REQUIRED, .doc = "Value before the step."),
    [LAG_TARGET] =
        JL_NUMBER(lag_in, target, "target", .flags = JL_REQUIRED, .doc = "Value it moves to."),
    [LAG_TAU] = JL_NUMBER(lag_in, tau_s, "tauS", .flags = JL_REQUIRED,
                          .doc = "Time constant, s; 0 or less jumps to the target."),
    [LAG_DT] = JL_NUMBER(lag_in, dt_s, "dtS", .flags = JL_REQUIRED,
                         .doc = "Step, s; 0 or less changes nothing."),
};
static const struct jl_table lag_in_table = JL_TABLE(lag_in, lag_in_rows);

struct lag_out {
    uint64_t has;
    double value;
};

enum { LAG_OUT_VALUE };

static const struct jl_row lag_out_rows[] = {
    [LAG_OUT_VALUE] = JL_NUMBER(lag_out, value, "value", .doc = "Value after the step."),
};
static const struct jl_table lag_out_table = JL_TABLE(lag_out, lag_out_rows);

static int answer_lag(struct jl_ask *ask, const void *in, void *out)
{
    (void)ask;
    const struct lag_in *input = in;
    struct lag_out *result = out;
    JL_PUT(result, LAG_OUT_VALUE, value,
           jl_lag_step(input->value, input->target, input->tau_s, input->dt_s));
    return 0;
}

const struct jl_question jl_question_physics_lag = {
    .name = "physics.lag",
    .summary = "One step of a first-order lag",
    .in = &lag_in_table,
    .out = &lag_out_table,
    .answer = answer_lag,
};

struct thermal_in {
    uint64_t has;
    double temp_c;
    double power_w;
    double ambient_c;
    double watts_per_c;
    double tau_s;
    double dt_s;
    double start_c;
    double full_c;
};

enum {
    THERMAL_TEMP,
    THERMAL_POWER,
    THERMAL_AMBIENT,
    THERMAL_WATTS_PER_C,
    THERMAL_TAU,
    THERMAL_DT,
    THERMAL_START,
    THERMAL_FULL,
};

#define REQUIRED .flags = JL_REQUIRED

static const struct jl_row thermal_in_rows[] = {
    [THERMAL_TEMP] = JL_NUMBER(thermal_in, temp_c, "tempC", REQUIRED,
                               .doc = "Temperature before the step, degrees Celsius."),
    [THERMAL_POWER] = JL_NUMBER(thermal_in, power_w, "powerW", REQUIRED, .doc = "Power, W."),
    [THERMAL_AMBIENT] = JL_NUMBER(thermal_in, ambient_c, "ambientC", REQUIRED,
                                  .doc = "Temperature at 0 W, degrees Celsius."),
    [THERMAL_WATTS_PER_C] = JL_NUMBER(thermal_in, watts_per_c, "wattsPerDeltaC",
                                      .flags = JL_REQUIRED | JL_HAS_MIN | JL_EXCLUSIVE_MIN,
                                      .doc = "Watts per degree over ambient."),
    [THERMAL_TAU] = JL_NUMBER(thermal_in, tau_s, "tauS", REQUIRED, .doc = "Time constant, s."),
    [THERMAL_DT] = JL_NUMBER(thermal_in, dt_s, "dtS", REQUIRED, .doc = "Step, s."),
    [THERMAL_START] = JL_NUMBER(thermal_in, start_c, "throttleStartC", REQUIRED,
                                .doc = "Temperature where throttling starts."),
    [THERMAL_FULL] = JL_NUMBER(thermal_in, full_c, "throttleFullC", REQUIRED,
                               .doc = "Temperature of full throttling."),
};
static const struct jl_table thermal_in_table = JL_TABLE(thermal_in, thermal_in_rows);

struct thermal_out {
    uint64_t has;
    double temp_c;
    double throttle;
};

enum { THERMAL_OUT_TEMP, THERMAL_OUT_THROTTLE };

static const struct jl_row thermal_out_rows[] = {
    [THERMAL_OUT_TEMP] = JL_NUMBER(thermal_out, temp_c, "tempC",
                                   .doc = "Temperature after the step, degrees Celsius."),
    [THERMAL_OUT_THROTTLE] =
        JL_NUMBER(thermal_out, throttle, "throttle", .doc = "Throttle fraction, 0..1."),
};
static const struct jl_table thermal_out_table = JL_TABLE(thermal_out, thermal_out_rows);

static int answer_thermal(struct jl_ask *ask, const void *in, void *out)
{
    (void)ask;
    const struct thermal_in *input = in;
    struct thermal_out *result = out;
    const double target_c =
        jl_thermal_target_c(input->ambient_c, input->power_w, input->watts_per_c);
    const double temp_c = jl_lag_step(input->temp_c, target_c, input->tau_s, input->dt_s);
    JL_PUT(result, THERMAL_OUT_TEMP, temp_c, temp_c);
    JL_PUT(result, THERMAL_OUT_THROTTLE, throttle,
           jl_thermal_throttle(temp_c, input->start_c, input->full_c));
    return 0;
}

const struct jl_question jl_question_physics_thermal = {
    .name = "physics.thermal",
    .summary = "Temperature and thermal throttling after one step",
    .in = &thermal_in_table,
    .out = &thermal_out_table,
    .answer = answer_thermal,
};
