/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The questions physics.*: power, speed and settling of simulated machines (docs/rules/physics.md).
 */

#define JL_PHYSICS_TABLES
#include "physics/physics.h"

#include "ask/ask.h"
#include "base/error.h"

/* What they share: the rule set, and errors with the path of the input. */

static enum jl_physics_rules rules_of(const struct jl_ask *ask)
{
    return jl_is_current(ask) ? JL_PHYSICS_CURRENT : JL_PHYSICS_V0_1_1;
}

static int report_problem(struct jl_ask *ask, const char *member, const char *path)
{
    if (!path)
        return 0;
    return jl_ask_fail(ask, JOULIE_E_RANGE, jl_ask_path(ask, "%s.%s", member, path),
                       "outside the bounds of a hardware profile");
}

static int read_gpu(struct jl_ask *ask, const struct jl_gpu_profile *settings,
                    struct jl_gpu_profile *out)
{
    if (jl_gpu_resolve(settings, rules_of(ask), out) < 0)
        return jl_ask_fail(ask, JOULIE_E_ENUM, "gpu.model", "the catalog has no GPU \"%.64s\"",
                           settings->model);
    return report_problem(ask, "gpu", jl_gpu_problem(out));
}

static enum jl_cpu_class cpu_class_of(const char *word)
{
    return (enum jl_cpu_class)jl_word_value(&jl_cpu_class_words, jl_text(word));
}

static enum jl_gpu_class gpu_class_of(const char *word)
{
    return (enum jl_gpu_class)jl_word_value(&jl_gpu_class_words, jl_text(word));
}

/* physics.profile: hardware profile of a simulated node (docs/rules/physics.md#profile). */

#define RECORD physics_profile_in
#define MEMBERS                                                                \
    OBJECT_BY(base, "base", jl_physics_profile, jl_physics_settings_table,     \
              "Keys that are set explicitly.")                                 \
    STRING(cpu_model, "cpuModel", "CPU model as the node reports it.")         \
    STRING(gpu_model, "gpuModel", "GPU model as the node reports it.")         \
    INTEGER(sockets, "cpuSockets", "CPU packages; 0 = unknown.", NOT_NEGATIVE) \
    INTEGER(gpu_count, "gpuCount", "GPUs of the node.", NOT_NEGATIVE)
#include "schema/record.h"

static int answer_physics_profile(struct jl_ask *ask, const struct physics_profile_in *input,
                                  struct jl_physics_profile *profile)
{
    const enum jl_physics_rules rules = rules_of(ask);
    const struct jl_physics_hardware hardware = {
        .cpu_model = input->cpu_model,
        .gpu_model = input->gpu_model,
        .sockets = input->sockets,
        .gpu_count = input->gpu_count,
    };
    jl_physics_resolve(&input->base, &hardware, rules, profile);
    return rules == JL_PHYSICS_CURRENT ? report_problem(ask, "base", jl_physics_problem(profile))
                                       : 0;
}

JL_QUESTION_OF(physics_profile, physics_profile_in, jl_physics_profile, "physics.profile",
               "Hardware profile of a simulated node", JL_MODELS("current", "v0.1.1"),
               .flags = JL_SOURCE_UNCHECKED);

/* physics.cpu: power and frequency of a CPU node under a cap (docs/rules/physics.md#cpu-power). */

#define UNIT BETWEEN(0, 1)

#define RECORD physics_cpu_in
#define MEMBERS                                                                                \
    OBJECT_BY(model, "model", jl_physics_profile, jl_physics_curve_settings_table,             \
              "Keys of the hardware profile that differ from the base.")                       \
    NUMBER(util, "util", "Utilisation, 0..1.", UNIT)                                           \
    NUMBER(freq, "freqScale", "Frequency before the cap, 0..1; default 1.", UNIT)              \
    NUMBER(memory, "memoryIntensity", "Memory intensity, 0..1.", UNIT)                         \
    NUMBER(io, "ioIntensity", "I/O intensity, 0..1.", UNIT)                                    \
    STRING(class_, "workloadClass",                                                            \
           "CPU class of the workload; any other word counts as cpu.mixed. Curves only.")      \
    NUMBER(cap_w, "capW", "Cap of the node's CPUs, W; absent = the profile's default cap.",    \
           NOT_NEGATIVE)                                                                       \
    NUMBER(base, "base",                                                                       \
           "How much of the work depends on the CPU's speed, 0..1; default from util and the " \
           "intensities. Curves only, not in v0.1.1.",                                         \
           UNIT)                                                                               \
    NUMBER(target_throttle_pct, "targetThrottlePct", "Requested throttling, %; default 0.",    \
           BETWEEN(0, 100))                                                                    \
    NUMBER(thermal, "thermalThrottle", "Thermal throttle fraction, 0..1; default 0.", UNIT)
#include "schema/record.h"

#define RECORD physics_cpu_out
#define MEMBERS                                                 \
    NUMBER(power_w, "powerW", "Power of the node's CPUs, W.")   \
    NUMBER(freq, "freqScale", "Frequency under the cap, 0..1.") \
    BOOLEAN(is_saturated, "saturated", "Whether the lowest frequency exceeds the cap.")
#include "schema/record.h"

static int resolve(struct jl_ask *ask, const struct jl_physics_profile *settings,
                   enum jl_physics_rules rules, struct jl_physics_profile *out)
{
    const struct jl_physics_hardware hardware = { 0 };
    jl_physics_resolve(settings, &hardware, rules, out);
    if (rules == JL_PHYSICS_CURRENT && jl_physics_problem(out))
        return report_problem(ask, "model", jl_physics_problem(out));
    if (!settings->curve)
        return 0;
    if (!jl_physics_use_curve(out, jl_catalog_cpu(settings->curve), rules))
        return jl_ask_fail(ask, JOULIE_E_ENUM, "model.curve",
                           "the catalog has no power curve \"%.64s\"", settings->curve);
    return 0;
}

static int answer_physics_cpu(struct jl_ask *ask, const struct physics_cpu_in *input,
                              struct physics_cpu_out *result)
{
    const enum jl_physics_rules rules = rules_of(ask);
    struct jl_physics_profile profile;
    const int rc = resolve(ask, &input->model, rules, &profile);
    if (rc < 0)
        return rc;

    const struct jl_cpu_mix mix = { cpu_class_of(input->class_), input->memory, input->io };
    struct jl_cpu_load load;
    struct jl_cpu_state state;
    jl_cpu_load_of(&mix, input->util, &load);
    load.base = JL_GIVEN_OR(input, base, load.base);
    load.thermal = input->thermal;
    load.freq = JL_GIVEN_OR(input, freq, 1);
    load.cap_w = JL_GIVEN_OR(input, cap_w, profile.default_cap_w);
    load.target_throttle_pct = input->target_throttle_pct;
    jl_cpu_power(&profile, &load, rules, &state);
    JL_SET(result, power_w, state.power_w);
    JL_SET(result, freq, state.freq);
    JL_SET(result, is_saturated, state.is_saturated);
    return 0;
}

JL_QUESTION(physics_cpu, "physics.cpu", "Power and frequency of a CPU node under a cap",
            JL_MODELS("current", "v0.1.1"), .flags = JL_SOURCE_UNCHECKED);

/* physics.speed: throughput of a CPU at a frequency (docs/rules/physics.md#cpu-speed). */

#define RECORD physics_speed_in
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

#define RECORD physics_speed_out
#define MEMBERS                                                                      \
    NUMBER(multiplier, "multiplier", "Throughput relative to full frequency, 0..1.") \
    OBJECT(weights, "weights", speed_weights, "What the throughput depends on, sum 1.")
#include "schema/record.h"

static int answer_physics_speed(struct jl_ask *ask, const struct physics_speed_in *input,
                                struct physics_speed_out *result)
{
    (void)ask;
    const struct jl_cpu_mix mix = { cpu_class_of(input->class_), input->memory, input->io };
    const double freq = JL_GIVEN_OR(input, freq, 1);
    const double knee = JL_GIVEN_OR(input, knee, JL_KNEE_UNSET);

    struct jl_cpu_weights weights;
    jl_cpu_weights(&mix, &weights);
    JL_SET(result, multiplier, jl_cpu_speed(&weights, freq, knee, input->thermal));
    JL_SET(&result->weights, compute, weights.compute);
    JL_SET(&result->weights, memory, weights.memory);
    JL_SET(&result->weights, io, weights.io);
    result->given.weights = true;
    return 0;
}

JL_QUESTION(physics_speed, "physics.speed", "Throughput of a CPU at a frequency");

/* physics.gpu: power and throughput of one GPU under a cap (docs/rules/physics.md#gpu). */

#define RECORD physics_gpu_in
#define MEMBERS                                                                              \
    OBJECT_BY(gpu, "gpu", jl_gpu_profile, jl_gpu_profile_table,                              \
              "Catalog key, or watts and exponents that differ from the base.")              \
    STRING(class_, "workloadClass",                                                          \
           "GPU class of the workload; any other word counts as gpu.mixed.")                 \
    NUMBER(memory, "memoryIntensity", "Memory intensity, 0..1.", UNIT)                       \
    NUMBER(feed, "cpuFeedIntensity", "How much the CPU has to feed the GPU, 0..1.", UNIT)    \
    NUMBER(util, "util", "Utilisation of the device, 0..1.", UNIT)                           \
    NUMBER(cap_w, "capW", "Power cap of the device, W; absent = its maximum.", NOT_NEGATIVE) \
    NUMBER(thermal, "thermalThrottle", "Thermal throttle fraction, 0..1; default 0.", UNIT)
#include "schema/record.h"

#define RECORD gpu_weights
#define MEMBERS                                                      \
    NUMBER(compute, "compute", "Share bound by the device's clock.") \
    NUMBER(memory, "memory", "Share bound by memory.")
#include "schema/record.h"

#define RECORD physics_gpu_out
#define MEMBERS                                                              \
    NUMBER(natural_w, "naturalW", "Power without a cap, W.")                 \
    NUMBER(power_w, "powerW", "Power under the cap, W.")                     \
    NUMBER(cap_w, "capW", "The cap in the device's range, W.")               \
    NUMBER(throughput, "throughput", "Throughput relative to no cap, 0..1.") \
    OBJECT(weights, "weights", gpu_weights, "What the throughput depends on, sum 1.")
#include "schema/record.h"

static int answer_physics_gpu(struct jl_ask *ask, const struct physics_gpu_in *input,
                              struct physics_gpu_out *result)
{
    struct jl_gpu_profile gpu;
    const int rc = read_gpu(ask, &input->gpu, &gpu);
    if (rc < 0)
        return rc;

    const struct jl_gpu_mix mix = { gpu_class_of(input->class_), input->memory, input->feed };
    struct jl_gpu_weights weights;
    jl_gpu_weights(&mix, &weights);
    const double natural_w = jl_gpu_natural_w(&gpu, &weights, input->util);
    const double cap_w = jl_gpu_cap_w(&gpu, input->cap_w);
    JL_SET(result, natural_w, natural_w);
    JL_SET(result, power_w, jl_gpu_power_w(&gpu, natural_w, cap_w));
    JL_SET(result, cap_w, cap_w);
    JL_SET(result, throughput,
           jl_gpu_throughput(&gpu, &weights, natural_w, cap_w, input->thermal, rules_of(ask)));
    JL_SET(&result->weights, compute, weights.compute);
    JL_SET(&result->weights, memory, weights.memory);
    result->given.weights = true;
    return 0;
}

JL_QUESTION(physics_gpu, "physics.gpu", "Power and throughput of a GPU under a cap",
            JL_MODELS("current", "v0.1.1"));

/* physics.spread: a node's GPU utilisation on its devices, as the source has it
 * (docs/rules/physics.md#gpu). */

#define MOST_DEVICES 1024

#define RECORD physics_spread_in
#define MEMBERS                                                                                \
    NUMBER(util, "util", "Average utilisation of the devices, 0..1.", REQUIRED, BETWEEN(0, 1)) \
    INTEGER(count, "count", "Devices of the node.", REQUIRED, BETWEEN(0, MOST_DEVICES))
#include "schema/record.h"

#define RECORD physics_spread_out
#define MEMBERS                                     \
    INTEGER(active, "active", "Devices that work.") \
    NUMBERS(utils, "utils", "Utilisation of each device, 0..1.")
#include "schema/record.h"

static int answer_physics_spread(struct jl_ask *ask, const struct physics_spread_in *input,
                                 struct physics_spread_out *result)
{
    const size_t count = (size_t)input->count;
    double *utils = JL_NEW_LIST(ask, result, utils, count, double);
    if (!utils)
        return jl_fail_memory(ask->err);

    struct jl_gpu_spread spread;
    jl_gpu_spread(input->util, count, &spread);
    for (size_t i = 0; i < spread.active; i++)
        utils[i] = spread.util;
    JL_SET(result, active, (int64_t)spread.active);
    return 0;
}

JL_QUESTION(physics_spread, "physics.spread", "Utilisation of each GPU of a node",
            JL_MODELS("v0.1.1"));

/* physics.job: how fast a job goes on a node (docs/rules/physics.md#jobs). */

#define RECORD physics_job_in
#define MEMBERS                                                                         \
    OBJECT(job, "job", jl_work, "The job.", REQUIRED)                                   \
    NUMBER(freq, "freqScale", "Frequency of the node, 0..1; default 1.", BETWEEN(0, 1)) \
    NUMBER(knee, "knee", "Frequency share below which memory suffers; default 0.7.",    \
           BETWEEN(0, 1))                                                               \
    OBJECT_BY(gpu, "gpu", jl_gpu_profile, jl_gpu_profile_table,                         \
              "GPU of the node; absent = a CPU job.")                                   \
    NUMBER(cap_w, "capW", "Power cap of a GPU, W; absent = its maximum.", NOT_NEGATIVE) \
    NUMBER(relative_speed, "relativeSpeed",                                             \
           "Speed of a core, of an AMD EPYC 9654 = 1; default 1.", OVER(0))
#include "schema/record.h"

#define RECORD physics_job_out
#define MEMBERS                                                                           \
    NUMBER(multiplier, "multiplier", "Throughput of the CPU at this frequency, 0..1.")    \
    NUMBER(base, "base", "How much the job depends on it, 0..1.")                         \
    NUMBER(cpu_factor, "cpuFactor", "Speed of the CPU part, 0..1.")                       \
    NUMBER(gpu_multiplier, "gpuMultiplier", "Throughput of the GPU under its cap, 0..1.") \
    NUMBER(feed_factor, "feedFactor", "What a slower CPU leaves of it, 0..1.")            \
    NUMBER(cap_impact, "capImpact", "Second charge of the cap; only in v0.1.1.")          \
    NUMBER(gpu_factor, "gpuFactor", "Speed of the GPU part, 0..1.")                       \
    NUMBER(cpu_speed, "cpuUnitsPerCoreS", "Units of CPU work in a second of a core.")     \
    NUMBER(gpu_speed, "gpuUnitsPerGpuS", "Units of GPU work in a second of a GPU.")
#include "schema/record.h"

static int answer_gpu_job(struct jl_ask *ask, const struct physics_job_in *input,
                          const struct jl_work *work, const struct jl_work_traits *traits,
                          struct physics_job_out *out)
{
    const enum jl_physics_rules rules = rules_of(ask);
    struct jl_gpu_profile gpu;
    const int rc = read_gpu(ask, &input->gpu, &gpu);
    if (rc < 0)
        return rc;
    const struct jl_gpu_now now = {
        .natural_w = jl_gpu_natural_w(&gpu, &traits->gpu, work->gpu_util),
        .cap_w = jl_gpu_cap_w(&gpu, input->cap_w),
    };
    struct jl_gpu_progress progress;
    jl_gpu_progress(work, traits, &gpu, &now, out->multiplier, rules, &progress);
    JL_SET(out, gpu_multiplier, progress.multiplier);
    JL_SET(out, feed_factor, progress.feed_factor);
    JL_SET_IF(out, cap_impact, rules == JL_PHYSICS_V0_1_1, progress.cap_impact);
    JL_SET(out, gpu_factor, progress.factor);
    JL_SET(out, gpu_speed, gpu.relative_speed * progress.factor);
    return 0;
}

static int answer_physics_job(struct jl_ask *ask, const struct physics_job_in *input,
                              struct physics_job_out *result)
{
    const bool has_gpu = input->given.gpu != 0;
    struct jl_work work = input->job;
    jl_work_fill(&work, has_gpu);

    struct jl_work_traits traits;
    struct jl_cpu_progress progress;
    jl_work_traits(&work, &traits);
    jl_cpu_progress(&work, &traits, JL_GIVEN_OR(input, freq, 1),
                    JL_GIVEN_OR(input, knee, JL_KNEE_UNSET), 0, &progress);
    JL_SET(result, multiplier, progress.multiplier);
    JL_SET(result, base, traits.base);
    JL_SET(result, cpu_factor, progress.factor);
    JL_SET(result, cpu_speed, JL_GIVEN_OR(input, relative_speed, 1) * progress.factor);
    return has_gpu ? answer_gpu_job(ask, input, &work, &traits, result) : 0;
}

JL_QUESTION(physics_job, "physics.job", "How fast a job goes on a node",
            JL_MODELS("current", "v0.1.1"));

/* physics.lag and physics.thermal: one first-order step, and what heat does to a GPU's speed. */

#define RECORD physics_lag_in
#define MEMBERS                                                                         \
    NUMBER(value, "value", "Value before the step.", REQUIRED)                          \
    NUMBER(target, "target", "Value it moves to.", REQUIRED)                            \
    NUMBER(tau_s, "tauS", "Time constant, s; 0 or less jumps to the target.", REQUIRED) \
    NUMBER(dt_s, "dtS", "Step, s; 0 or less changes nothing.", REQUIRED)
#include "schema/record.h"

#define RECORD physics_lag_out
#define MEMBERS NUMBER(value, "value", "Value after the step.")
#include "schema/record.h"

static int answer_physics_lag(struct jl_ask *ask, const struct physics_lag_in *in,
                              struct physics_lag_out *out)
{
    (void)ask;
    JL_SET(out, value, jl_lag_step(in->value, in->target, in->tau_s, in->dt_s));
    return 0;
}

JL_QUESTION(physics_lag, "physics.lag", "One step of a first-order lag");

#define RECORD physics_thermal_in
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

#define RECORD physics_thermal_out
#define MEMBERS                                                             \
    NUMBER(temp_c, "tempC", "Temperature after the step, degrees Celsius.") \
    NUMBER(throttle, "throttle", "Throttle fraction, 0..1.")
#include "schema/record.h"

static int answer_physics_thermal(struct jl_ask *ask, const struct physics_thermal_in *in,
                                  struct physics_thermal_out *out)
{
    (void)ask;
    const double target_c = jl_thermal_target_c(in->ambient_c, in->power_w, in->watts_per_c);
    JL_SET(out, temp_c, jl_lag_step(in->temp_c, target_c, in->tau_s, in->dt_s));
    JL_SET(out, throttle, jl_thermal_throttle(out->temp_c, in->start_c, in->full_c));
    return 0;
}

JL_QUESTION(physics_thermal, "physics.thermal",
            "Temperature and thermal throttling after one step");
