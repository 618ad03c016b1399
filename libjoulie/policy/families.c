/* SPDX-License-Identifier: Apache-2.0 */

/* The hardware family of a node (docs/rules/policy.md#families). */

#include "policy/policy.h"

static const char *first_text(const char *a, const char *b, const char *c)
{
    if (!jl_is_empty(a))
        return a;
    return !jl_is_empty(b) ? b : c;
}

/* The catalog's key stands for every spelling of one model. */
const char *jl_family_name(struct jl_arena *arena, const struct jl_hardware *hardware,
                           const char *node_name)
{
    const char *parts[2] = { "unknown:", node_name };
    if (hardware->is_known && hardware->gpu_count > 0) {
        parts[0] = "gpu:";
        parts[1] = first_text(hardware->gpu_model != NULL ? hardware->gpu_model->key : NULL,
                              hardware->gpu_name, "unknown-gpu");
    } else if (hardware->is_known) {
        parts[0] = "cpu:";
        parts[1] = first_text(hardware->cpu_model != NULL ? hardware->cpu_model->key : NULL,
                              hardware->cpu_name, "unknown-cpu");
    }
    return jl_arena_join(arena, parts, JL_COUNT(parts));
}
