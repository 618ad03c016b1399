/* SPDX-License-Identifier: Apache-2.0 */

/* physics.speed: throughput of a CPU at a frequency (docs/rules/physics.md#cpu-speed). */
#include "ask/physics_input.h"

#define UNIT AT_LEAST(0), AT_MOST(1)

#define RECORD speed_in
#define MEMBERS                                                                              \
    STRING(class_, "workloadClass",                                                          \
           "CPU class of the workload; any other word counts as cpu.mixed.")                 \
    NUMBER(memory, "memoryIntensity", "Memory intensity, 0..1.", UNIT)                       \
    NUMBER(io, "ioIntensity", "I/O intensity, 0..1.", UNIT)                                  \
    NUMBER(freq, "freqScale", "Frequency as a share of the highest, 0..1; default 1.", UNIT) \
    NUMBER(knee, "knee", "Frequency share below which memory suffers; default 0.7.", UNIT)   \
    NUMBER(thermal, "thermalThrottle", "Thermal throttle fraction, 0..1; default 0.", UNIT)
#include "schema/record.h"

#define RECORD speed_weights
#define MEMBERS                                                 \
    NUMBER(compute, "compute", "Share bound by the frequency.") \
    NUMBER(memory, "memory", "Share bound by memory.")          \
    NUMBER(io, "io", "Share bound by I/O.")
#include "schema/record.h"

#define RECORD speed_out
#define MEMBERS                                                                      \
    NUMBER(multiplier, "multiplier", "Throughput relative to full frequency, 0..1.") \
    OBJECT(weights, "weights", speed_weights, "What the throughput depends on, sum 1.")
#include "schema/record.h"

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    (void)ask;
    const struct speed_in *input = in;
    struct speed_out *result = out;
    const struct jl_cpu_mix mix = { jl_ask_cpu_class(input->class_), input->memory, input->io };
    const double freq = input->given.freq ? input->freq : 1;
    const double knee = input->given.knee ? input->knee : JL_KNEE_UNSET;

    struct jl_cpu_weights weights;
    jl_cpu_weights(&mix, &weights);
    JL_SET(result, multiplier, jl_cpu_speed(&weights, freq, knee, input->thermal));
    JL_SET(&result->weights, compute, weights.compute);
    JL_SET(&result->weights, memory, weights.memory);
    JL_SET(&result->weights, io, weights.io);
    result->given.weights = true;
    return 0;
}

const struct jl_question jl_question_physics_speed = {
    .name = "physics.speed",
    .summary = "Throughput of a CPU at a frequency",
    .in = &speed_in_table,
    .out = &speed_out_table,
    .answer = answer,
};
