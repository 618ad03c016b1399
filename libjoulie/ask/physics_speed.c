/* SPDX-License-Identifier: Apache-2.0 */
/* physics.speed: throughput of a CPU at a frequency (joulie-simulator.md §3.1, §3.2). */
#include "ask/physics_input.h"

struct speed_in {
    uint64_t has;
    const char *class_;
    double memory;
    double io;
    double freq;
    double knee;
    double thermal;
};

enum { IN_CLASS, IN_MEMORY, IN_IO, IN_FREQ, IN_KNEE, IN_THERMAL };

#define UNIT .flags = JL_HAS_MIN | JL_HAS_MAX, .min = 0, .max = 1

static const struct jl_row in_rows[] = {
    [IN_CLASS] = JL_STRING(speed_in, class_, "workloadClass",
                           .doc = "CPU class of the workload; any other word counts as cpu.mixed."),
    [IN_MEMORY] =
        JL_NUMBER(speed_in, memory, "memoryIntensity", UNIT, .doc = "Memory intensity, 0..1."),
    [IN_IO] = JL_NUMBER(speed_in, io, "ioIntensity", UNIT, .doc = "I/O intensity, 0..1."),
    [IN_FREQ] = JL_NUMBER(speed_in, freq, "freqScale", UNIT,
                          .doc = "Frequency as a share of the highest, 0..1; default 1."),
    [IN_KNEE] = JL_NUMBER(speed_in, knee, "knee", UNIT,
                          .doc = "Frequency share below which memory suffers; default 0.7."),
    [IN_THERMAL] = JL_NUMBER(speed_in, thermal, "thermalThrottle", UNIT,
                             .doc = "Thermal throttle fraction, 0..1; default 0."),
};
static const struct jl_table in_table = JL_TABLE(speed_in, in_rows);

struct speed_weights {
    uint64_t has;
    double compute;
    double memory;
    double io;
};

enum { WEIGHT_COMPUTE, WEIGHT_MEMORY, WEIGHT_IO };

static const struct jl_row weight_rows[] = {
    [WEIGHT_COMPUTE] =
        JL_NUMBER(speed_weights, compute, "compute", .doc = "Share bound by the frequency."),
    [WEIGHT_MEMORY] = JL_NUMBER(speed_weights, memory, "memory", .doc = "Share bound by memory."),
    [WEIGHT_IO] = JL_NUMBER(speed_weights, io, "io", .doc = "Share bound by I/O."),
};
static const struct jl_table weight_table = JL_TABLE(speed_weights, weight_rows);

struct speed_out {
    uint64_t has;
    double multiplier;
    struct speed_weights weights;
};

enum { OUT_MULTIPLIER, OUT_WEIGHTS };

static const struct jl_row out_rows[] = {
    [OUT_MULTIPLIER] = JL_NUMBER(speed_out, multiplier, "multiplier",
                                 .doc = "Throughput relative to full frequency, 0..1."),
    [OUT_WEIGHTS] = JL_OBJECT(speed_out, weights, "weights", &weight_table,
                              .doc = "What the throughput depends on, sum 1."),
};
static const struct jl_table out_table = JL_TABLE(speed_out, out_rows);

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    (void)ask;
    const struct speed_in *input = in;
    struct speed_out *result = out;
    const struct jl_cpu_mix mix = { jl_ask_cpu_class(input->class_), input->memory, input->io };
    const double freq = JL_HAS(input, IN_FREQ) ? input->freq : 1;
    const double knee = JL_HAS(input, IN_KNEE) ? input->knee : JL_KNEE_UNSET;

    struct jl_cpu_weights weights;
    jl_cpu_weights(&mix, &weights);
    JL_PUT(result, OUT_MULTIPLIER, multiplier, jl_cpu_speed(&weights, freq, knee, input->thermal));
    JL_PUT(&result->weights, WEIGHT_COMPUTE, compute, weights.compute);
    JL_PUT(&result->weights, WEIGHT_MEMORY, memory, weights.memory);
    JL_PUT(&result->weights, WEIGHT_IO, io, weights.io);
    JL_MARK(result, OUT_WEIGHTS);
    return 0;
}

const struct jl_question jl_question_physics_speed = {
    .name = "physics.speed",
    .summary = "Throughput of a CPU at a frequency",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
