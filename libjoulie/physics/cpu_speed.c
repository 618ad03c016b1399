/* SPDX-License-Identifier: Apache-2.0 */

/* How fast a CPU works at a frequency, and at which frequency it works that fast. Called by
 * cpu_power.c, job.c and the simulator. */

#include "base/number.h"
#include "physics/physics.h"

/* docs/rules/physics.md#cpu-speed */
#define ACTIVITY_PER_MEMORY 0.30
#define ACTIVITY_PER_IO 0.45
#define ACTIVITY_MIN 0.35
#define BLEND_CLASS 0.55
#define BLEND_INTENSITY 0.45

/* What a part loses per unit of frequency */
#define MEMORY_SLOPE 0.12
#define MEMORY_SLOPE_BELOW_KNEE 0.45
#define MEMORY_KNEE_MIN 0.1
#define IO_SLOPE 0.05

static const struct jl_cpu_weights mixed_weights = { 0.45, 0.35, 0.20 };

double jl_cpu_activity(double memory, double io)
{
    return jl_clamp(1 - ACTIVITY_PER_MEMORY * memory - ACTIVITY_PER_IO * io, ACTIVITY_MIN, 1);
}

static struct jl_cpu_weights class_weights(enum jl_cpu_class class_)
{
    switch (class_) {
    case JL_CPU_COMPUTE:
        return (struct jl_cpu_weights){ 0.75, 0.20, 0.05 };
    case JL_CPU_MEMORY:
        return (struct jl_cpu_weights){ 0.20, 0.75, 0.05 };
    case JL_CPU_IO:
        return (struct jl_cpu_weights){ 0.10, 0.10, 0.80 };
    case JL_CPU_UNKNOWN:
    case JL_CPU_MIXED:
        break;
    }
    return mixed_weights;
}

static double blend(double class_weight, double intensity)
{
    return jl_unit(BLEND_CLASS * class_weight + BLEND_INTENSITY * intensity);
}

void jl_cpu_weights(const struct jl_cpu_mix *mix, struct jl_cpu_weights *out)
{
    const struct jl_cpu_weights base = class_weights(mix->class_);
    const double compute = blend(base.compute, 1 - jl_max(mix->memory, mix->io));
    const double memory = blend(base.memory, mix->memory);
    const double io = blend(base.io, mix->io);
    const double sum = compute + memory + io;
    *out =
        sum > 0 ? (struct jl_cpu_weights){ compute / sum, memory / sum, io / sum } : mixed_weights;
}

static double memory_speed(double freq, double knee)
{
    if (freq >= knee)
        return 1 - MEMORY_SLOPE * (1 - freq);
    return 1 - MEMORY_SLOPE * (1 - knee) -
           MEMORY_SLOPE_BELOW_KNEE * (knee - freq) / jl_max(MEMORY_KNEE_MIN, knee);
}

/* Before the thermal factor: two straight lines that meet at the knee. */
static double raw_speed(const struct jl_cpu_weights *weights, double freq, double knee)
{
    return weights->compute * freq + weights->memory * memory_speed(freq, knee) +
           weights->io * (1 - IO_SLOPE * (1 - freq));
}

double jl_cpu_speed(const struct jl_cpu_weights *weights, double freq, double knee, double thermal)
{
    return jl_unit(jl_unit(raw_speed(weights, freq, knee)) * (1 - thermal));
}

double jl_cpu_freq_at_speed(const struct jl_cpu_weights *weights, double multiplier,
                            double min_freq, double knee, double thermal)
{
    if (multiplier >= jl_cpu_speed(weights, 1, knee, thermal))
        return 1;

    const double raw =
        multiplier / (1 - thermal); /* thermal = 1 has speed 0 everywhere and returned above */
    const double at_knee = raw_speed(weights, knee, knee);
    double freq;
    if (raw >= at_knee) {
        const double slope =
            weights->compute + MEMORY_SLOPE * weights->memory + IO_SLOPE * weights->io;
        freq = 1 - (raw_speed(weights, 1, knee) - raw) / slope;
    } else {
        const double slope =
            weights->compute +
            MEMORY_SLOPE_BELOW_KNEE / jl_max(MEMORY_KNEE_MIN, knee) * weights->memory +
            IO_SLOPE * weights->io;
        freq = knee - (at_knee - raw) / slope;
    }
    return jl_clamp(freq, min_freq, 1);
}
