/* SPDX-License-Identifier: Apache-2.0 */
/* physics.cpu: power and frequency of a CPU node under a cap (joulie-simulator.md §3.3, SD3). */
#include "ask/physics_input.h"

struct cpu_in {
    uint64_t has;
    struct jl_physics_profile model;
    double util;
    double freq;
    double memory;
    double io;
    const char *class_;
    double cap_w;
    double target_throttle_pct;
    double thermal;
};

enum { IN_MODEL, IN_UTIL, IN_FREQ, IN_MEMORY, IN_IO, IN_CLASS, IN_CAP, IN_TARGET, IN_THERMAL };

#define UNIT .flags = JL_HAS_MIN | JL_HAS_MAX, .min = 0, .max = 1

static const struct jl_row in_rows[] = {
    [IN_MODEL] = JL_OBJECT(cpu_in, model, "model", &jl_physics_curve_settings_table,
                           .doc = "Keys of the hardware profile that differ from the base."),
    [IN_UTIL] = JL_NUMBER(cpu_in, util, "util", UNIT, .doc = "Utilisation, 0..1."),
    [IN_FREQ] = JL_NUMBER(cpu_in, freq, "freqScale", UNIT,
                          .doc = "Frequency before the cap, 0..1; default 1."),
    [IN_MEMORY] =
        JL_NUMBER(cpu_in, memory, "memoryIntensity", UNIT, .doc = "Memory intensity, 0..1."),
    [IN_IO] = JL_NUMBER(cpu_in, io, "ioIntensity", UNIT, .doc = "I/O intensity, 0..1."),
    [IN_CLASS] = JL_STRING(
        cpu_in, class_, "workloadClass",
        .doc = "CPU class of the workload; any other word counts as cpu.mixed. Curves only."),
    [IN_CAP] = JL_NUMBER(cpu_in, cap_w, "capW", .flags = JL_NOT_NEGATIVE,
                         .doc = "Cap of the node's CPUs, W; absent = the profile's default cap."),
    [IN_TARGET] = JL_NUMBER(cpu_in, target_throttle_pct, "targetThrottlePct",
                            .flags = JL_HAS_MIN | JL_HAS_MAX, .min = 0, .max = 100,
                            .doc = "Requested throttling, %; default 0."),
    [IN_THERMAL] = JL_NUMBER(cpu_in, thermal, "thermalThrottle", UNIT,
                             .doc = "Thermal throttle fraction, 0..1; default 0."),
};
static const struct jl_table in_table = JL_TABLE(cpu_in, in_rows);

struct cpu_out {
    uint64_t has;
    double power_w;
    double freq;
    bool is_saturated;
};

enum { OUT_POWER, OUT_FREQ, OUT_SATURATED };

static const struct jl_row out_rows[] = {
    [OUT_POWER] = JL_NUMBER(cpu_out, power_w, "powerW", .doc = "Power of the node's CPUs, W."),
    [OUT_FREQ] = JL_NUMBER(cpu_out, freq, "freqScale", .doc = "Frequency under the cap, 0..1."),
    [OUT_SATURATED] = JL_BOOLEAN(cpu_out, is_saturated, "saturated",
                                 .doc = "Whether the lowest frequency exceeds the cap."),
};
static const struct jl_table out_table = JL_TABLE(cpu_out, out_rows);

static const char *const models[] = { "current", "v0.1.1", NULL };

static int resolve(struct jl_ask *ask, const struct jl_physics_profile *settings,
                   enum jl_physics_rules rules, struct jl_physics_profile *out)
{
    const struct jl_physics_hardware hardware = { 0 };
    jl_physics_resolve(settings, &hardware, rules, out);
    if (rules == JL_PHYSICS_CURRENT && jl_physics_problem(out))
        return jl_ask_physics_problem(ask, "model", jl_physics_problem(out));
    if (!settings->curve)
        return 0;
    if (!jl_physics_use_curve(out, jl_catalog_cpu(settings->curve), rules))
        return jl_ask_fail(ask, JOULIE_E_ENUM, "model.curve",
                           "the catalog has no power curve \"%.64s\"", settings->curve);
    return 0;
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct cpu_in *input = in;
    struct cpu_out *result = out;
    const enum jl_physics_rules rules = jl_ask_physics_rules(ask);
    struct jl_physics_profile profile;
    const int rc = resolve(ask, &input->model, rules, &profile);
    if (rc < 0)
        return rc;

    const struct jl_cpu_load load = {
        .mix = { jl_ask_cpu_class(input->class_), input->memory, input->io },
        .util = input->util,
        .thermal = input->thermal,
        .freq = JL_HAS(input, IN_FREQ) ? input->freq : 1,
        .cap_w = JL_HAS(input, IN_CAP) ? input->cap_w : profile.default_cap_w,
        .target_throttle_pct = input->target_throttle_pct,
    };
    struct jl_cpu_state state;
    jl_cpu_power(&profile, &load, rules, &state);
    JL_PUT(result, OUT_POWER, power_w, state.power_w);
    JL_PUT(result, OUT_FREQ, freq, state.freq);
    JL_PUT(result, OUT_SATURATED, is_saturated, state.is_saturated);
    return 0;
}

const struct jl_question jl_question_physics_cpu = {
    .name = "physics.cpu",
    .summary = "Power and frequency of a CPU node under a cap",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .flags = JL_SOURCE_UNCHECKED,
    .answer = answer,
};
