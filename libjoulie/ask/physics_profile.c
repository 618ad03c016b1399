/* SPDX-License-Identifier: Apache-2.0 */
/* physics.profile: hardware profile of a simulated node (joulie-simulator.md §2, SD5, SD6). */
#include "ask/physics_input.h"

struct profile_in {
    uint64_t has;
    struct jl_physics_profile base;
    const char *cpu_model;
    const char *gpu_model;
    int64_t sockets;
    int64_t gpu_count;
};

enum { IN_BASE, IN_CPU_MODEL, IN_GPU_MODEL, IN_SOCKETS, IN_GPU_COUNT };

static const struct jl_row in_rows[] = {
    [IN_BASE] = JL_OBJECT(profile_in, base, "base", &jl_physics_settings_table,
                          .doc = "Keys that are set explicitly."),
    [IN_CPU_MODEL] =
        JL_STRING(profile_in, cpu_model, "cpuModel", .doc = "CPU model as the node reports it."),
    [IN_GPU_MODEL] =
        JL_STRING(profile_in, gpu_model, "gpuModel", .doc = "GPU model as the node reports it."),
    [IN_SOCKETS] = JL_INTEGER(profile_in, sockets, "cpuSockets", .flags = JL_NOT_NEGATIVE,
                              .doc = "CPU packages; 0 = unknown."),
    [IN_GPU_COUNT] = JL_INTEGER(profile_in, gpu_count, "gpuCount", .flags = JL_NOT_NEGATIVE,
                                .doc = "GPUs of the node."),
};
static const struct jl_table in_table = JL_TABLE(profile_in, in_rows);

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
    .in = &in_table,
    .out = &jl_physics_profile_table,
    .models = models,
    .flags = JL_SOURCE_UNCHECKED,
    .answer = answer,
};
