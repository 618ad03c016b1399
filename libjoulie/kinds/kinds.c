/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds/kinds.h"

#include "kinds/node.h"
#include "kinds/node_hardware.h"
#include "kinds/node_power_profile.h"
#include "kinds/node_twin.h"
#include "kinds/pod.h"
#include "kinds/telemetry_profile.h"
#include "kinds/workload_profile.h"

const struct jl_table *const jl_kinds[] = {
    &jl_node_hardware_table,
    &jl_node_twin_table,
    &jl_workload_profile_table,
    &jl_node_power_profile_table,
    &jl_telemetry_profile_table,
    &jl_pod_table,
    &jl_node_table,
};
const size_t jl_kind_count = JL_COUNT(jl_kinds);

const struct jl_table *jl_kind_find(const char *api_version, const char *kind)
{
    for (size_t i = 0; i < jl_kind_count; i++) {
        const struct jl_kind *known = jl_kinds[i]->kind;
        if (jl_same(known->api_version, api_version) && jl_same(known->kind, kind))
            return jl_kinds[i];
    }
    return NULL;
}

const struct jl_table *jl_kind_by_word(const char *word)
{
    const struct jl_text text = jl_text(word);
    for (size_t i = 0; i < jl_kind_count; i++) {
        const struct jl_kind *known = jl_kinds[i]->kind;
        if (jl_same_nocase(text, known->singular) || jl_same_nocase(text, known->plural) ||
            jl_same_nocase(text, known->short_name))
            return jl_kinds[i];
    }
    return NULL;
}
