/* SPDX-License-Identifier: Apache-2.0 */

/* physics.cpu: power and frequency of a CPU node under a cap (docs/rules/physics.md#cpu-power). */
#include "ask/physics_input.h"

#define UNIT AT_LEAST(0), AT_MOST(1)

#define RECORD cpu_in
#define MEMBERS                                                                             \
    OBJECT_BY(model, "model", jl_physics_profile, jl_physics_curve_settings_table,          \
              "Keys of the hardware profile that differ from the base.")                    \
    NUMBER(util, "util", "Utilisation, 0..1.", UNIT)                                        \
    NUMBER(freq, "freqScale", "Frequency before the cap, 0..1; default 1.", UNIT)           \
    NUMBER(memory, "memoryIntensity", "Memory intensity, 0..1.", UNIT)                      \
    NUMBER(io, "ioIntensity", "I/O intensity, 0..1.", UNIT)                                 \
    STRING(class_, "workloadClass",                                                         \
           "CPU class of the workload; any other word counts as cpu.mixed. Curves only.")   \
    NUMBER(cap_w, "capW", "Cap of the node's CPUs, W; absent = the profile's default cap.", \
           NOT_NEGATIVE)                                                                    \
    NUMBER(target_throttle_pct, "targetThrottlePct", "Requested throttling, %; default 0.", \
           AT_LEAST(0), AT_MOST(100))                                                       \
    NUMBER(thermal, "thermalThrottle", "Thermal throttle fraction, 0..1; default 0.", UNIT)
#include "schema/record.h"

#define RECORD cpu_out
#define MEMBERS                                                 \
    NUMBER(power_w, "powerW", "Power of the node's CPUs, W.")   \
    NUMBER(freq, "freqScale", "Frequency under the cap, 0..1.") \
    BOOLEAN(is_saturated, "saturated", "Whether the lowest frequency exceeds the cap.")
#include "schema/record.h"

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
        .freq = input->given.freq ? input->freq : 1,
        .cap_w = input->given.cap_w ? input->cap_w : profile.default_cap_w,
        .target_throttle_pct = input->target_throttle_pct,
    };
    struct jl_cpu_state state;
    jl_cpu_power(&profile, &load, rules, &state);
    JL_SET(result, power_w, state.power_w);
    JL_SET(result, freq, state.freq);
    JL_SET(result, is_saturated, state.is_saturated);
    return 0;
}

const struct jl_question jl_question_physics_cpu = {
    .name = "physics.cpu",
    .summary = "Power and frequency of a CPU node under a cap",
    .in = &cpu_in_table,
    .out = &cpu_out_table,
    .models = models,
    .flags = JL_SOURCE_UNCHECKED,
    .answer = answer,
};
