/* SPDX-License-Identifier: Apache-2.0 */

/* What the questions physics.* share: the rule set, and errors with the path of the input. */

#include "ask/physics_input.h"

enum jl_physics_rules jl_ask_physics_rules(const struct jl_ask *ask)
{
    return jl_is_current(ask) ? JL_PHYSICS_CURRENT : JL_PHYSICS_V0_1_1;
}

int jl_ask_physics_problem(struct jl_ask *ask, const char *member, const char *path)
{
    if (!path)
        return 0;
    const char *const parts[] = { member, ".", path };
    const char *where = jl_arena_join(ask->arena, parts, JL_COUNT(parts));
    if (!where)
        return jl_ask_fail(ask, jl_arena_code(ask->arena), "", "out of memory");
    return jl_ask_fail(ask, JOULIE_E_RANGE, where, "outside the bounds of a hardware profile");
}

int jl_ask_gpu(struct jl_ask *ask, const struct jl_gpu_profile *settings,
               struct jl_gpu_profile *out)
{
    if (jl_gpu_resolve(settings, out) < 0)
        return jl_ask_fail(ask, JOULIE_E_ENUM, "gpu.model", "the catalog has no GPU \"%.64s\"",
                           settings->model);
    return jl_ask_physics_problem(ask, "gpu", jl_gpu_problem(out));
}

enum jl_cpu_class jl_ask_cpu_class(const char *word)
{
    return (enum jl_cpu_class)jl_word_value(&jl_cpu_class_words, jl_text(word));
}

enum jl_gpu_class jl_ask_gpu_class(const char *word)
{
    return (enum jl_gpu_class)jl_word_value(&jl_gpu_class_words, jl_text(word));
}
