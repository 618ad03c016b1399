/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The list of kinds, and how one is found by apiVersion and kind or by the word that a person
 * types; names, columns and tables of those that have nothing else.
 */

#define JL_NODE_HARDWARE_TABLES
#define JL_NODE_POWER_PROFILE_TABLES
#include "kinds/kinds.h"

#include <string.h>

#include "kinds/node.h"
#include "kinds/node_hardware.h"
#include "kinds/node_power_profile.h"
#include "kinds/node_twin.h"
#include "kinds/pod.h"
#include "kinds/telemetry_profile.h"
#include "kinds/tensor_fusion.h"
#include "kinds/workload_profile.h"

/* docs/rules/objects.md#nodehardware */
static const struct jl_column node_hardware_columns[] = {
    { "Node", ".spec.nodeName", "string" },
    { "CPU", ".status.cpu.model", "string" },
    { "GPU", ".status.gpu.model", "string" },
    { "GPUCount", ".status.gpu.count", "integer" },
    { "Quality", ".status.quality.overall", "string" },
    JL_AGE_COLUMN,
};

const struct jl_kind jl_node_hardware_kind = {
    .api_version = JL_API_VERSION,
    .kind = "NodeHardware",
    .plural = "nodehardwares",
    .singular = "nodehardware",
    .short_name = "nhw",
    .scope = "Cluster",
    .has_status = true,
    .columns = node_hardware_columns,
    .column_count = JL_COUNT(node_hardware_columns),
};

/* docs/rules/objects.md#legacy-kinds */
static const struct jl_column power_profile_columns[] = {
    { "Node", ".spec.nodeName", "string" },
    { "Profile", ".spec.profile", "string" },
    { "CPU-Watts", ".spec.cpu.packagePowerCapWatts", "number" },
    { "GPU-Watts", ".spec.gpu.powerCap.capWattsPerGpu", "number" },
    { "GPU-Pct", ".spec.gpu.powerCap.capPctOfMax", "number" },
};

const struct jl_kind jl_node_power_profile_kind = {
    .api_version = JL_API_VERSION,
    .kind = "NodePowerProfile",
    .plural = "nodepowerprofiles",
    .singular = "nodepowerprofile",
    .short_name = "npp",
    .scope = "Cluster",
    .is_legacy = true,
    .columns = power_profile_columns,
    .column_count = JL_COUNT(power_profile_columns),
};

const struct jl_table *const jl_kinds[] = {
    &jl_node_hardware_table,
    &jl_node_twin_table,
    &jl_workload_profile_table,
    &jl_node_power_profile_table,
    &jl_telemetry_profile_table,
    &jl_pod_table,
    &jl_node_table,
    &jl_fusion_profile_table,
    &jl_fusion_workload_table,
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

/* The group of a kind: what stands before the slash of its apiVersion; core kinds have none. */
static struct jl_text group_of(const struct jl_kind *kind)
{
    const char *slash = strchr(kind->api_version, '/');
    return (struct jl_text){ kind->api_version, slash ? (size_t)(slash - kind->api_version) : 0 };
}

/* Whether a word without a group means the kind: those of other projects share names with ours. */
static bool is_named(const struct jl_kind *kind, struct jl_text name, bool has_group)
{
    return jl_same_nocase(name, kind->singular) || jl_same_nocase(name, kind->plural) ||
           (!has_group && kind->short_name && jl_same_nocase(name, kind->short_name));
}

const struct jl_table *jl_kind_by_word(const char *word)
{
    struct jl_text group = jl_text(word);
    const bool has_group = jl_text_find(group, '.') < group.len;
    const struct jl_text name = jl_text_cut(&group, '.');
    for (size_t i = 0; i < jl_kind_count; i++) {
        const struct jl_kind *known = jl_kinds[i]->kind;
        const bool is_candidate =
            has_group ? jl_compare_text(group_of(known), group) == 0 : !known->is_foreign;
        if (is_candidate && is_named(known, name, has_group))
            return jl_kinds[i];
    }
    return NULL;
}
