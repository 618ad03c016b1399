/* SPDX-License-Identifier: Apache-2.0 */

/* physics.profile: hardware profile of a simulated node (docs/rules/physics.md#profile). */
#include "ask/physics_input.h"

#define RECORD profile_in
#define MEMBERS                                                                \
    OBJECT_BY(base, "base", jl_physics_profile, jl_physics_settings_table,     \
              "Keys that are set explicitly.")                                 \
    STRING(cpu_model, "cpuModel", "CPU model as the node reports it.")         \
    STRING(gpu_model, "gpuModel", "GPU model as the node reports it.")         \
    INTEGER(sockets, "cpuSockets", "CPU packages; 0 = unknown.", NOT_NEGATIVE) \
    INTEGER(gpu_count, "gpuCount", "GPUs of the node.", NOT_NEGATIVE)
#include "schema/record.h"

static const char *const models[] = { "current", "v0.1.1", NULL };

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct profile_in *input = in;
    const enum jl_physics_rules rules = jl_ask_physics_rules(ask);
    const struct jl_physics_hardware hardware = {
        .cpu_model = input->cpu_model,
        .gpu_model = input->gpu_model,
        .sockets = input->sockets,
        .gpu_count = input->gpu_count,
    };
    struct jl_physics_profile *profile = out;
    jl_physics_resolve(&input->base, &hardware, rules, profile);
    return rules == JL_PHYSICS_CURRENT
               ? jl_ask_physics_problem(ask, "base", jl_physics_problem(profile))
               : 0;
}

const struct jl_question jl_question_physics_profile = {
    .name = "physics.profile",
    .summary = "Hardware profile of a simulated node",
    .in = &profile_in_table,
    .out = &jl_physics_profile_table,
    .models = models,
    .flags = JL_SOURCE_UNCHECKED,
    .answer = answer,
};
