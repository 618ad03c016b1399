/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds/node_power_profile.h"

#include "kinds/root.h"

/* Source of every row: joulie-control.md §2.1. */

static const struct jl_row policy_rows[] = {
    [JL_POWER_PROFILE_POLICY_NAME] = JL_STRING(jl_power_profile_policy, name, "name",
                                               .doc = "Name of the policy that chose the profile."),
};
static const struct jl_table policy_table = JL_TABLE(jl_power_profile_policy, policy_rows);

static const struct jl_row spec_rows[] = {
    [JL_POWER_PROFILE_NODE_NAME] =
        JL_STRING(jl_power_profile_spec, node_name, "nodeName", .flags = JL_REQUIRED,
                  .doc = "Name of the node; readers match on this, never on the object name."),
    [JL_POWER_PROFILE_PROFILE] =
        JL_ENUM(jl_power_profile_spec, profile, "profile", &jl_profile_words, .flags = JL_REQUIRED,
                .doc = "Desired state of the node."),
    [JL_POWER_PROFILE_CPU] = JL_OBJECT(jl_power_profile_spec, cpu, "cpu", &jl_cpu_intent_table,
                                       .doc = "Intended caps of the CPU packages."),
    [JL_POWER_PROFILE_GPU] = JL_OBJECT(jl_power_profile_spec, gpu, "gpu", &jl_gpu_intent_table,
                                       .doc = "Intended caps of the GPUs."),
    [JL_POWER_PROFILE_POLICY] = JL_OBJECT(jl_power_profile_spec, policy, "policy", &policy_table,
                                          .doc = "Where the desired state came from."),
};
static const struct jl_table spec_table = JL_TABLE(jl_power_profile_spec, spec_rows);

static const struct jl_column columns[] = {
    { "Node", ".spec.nodeName", "string" },
    { "Profile", ".spec.profile", "string" },
    { "CPU-Watts", ".spec.cpu.packagePowerCapWatts", "number" },
    { "GPU-Watts", ".spec.gpu.powerCap.capWattsPerGpu", "number" },
    { "GPU-Pct", ".spec.gpu.powerCap.capPctOfMax", "number" },
};

static const struct jl_kind node_power_profile_kind = {
    .api_version = JL_API_VERSION,
    .kind = "NodePowerProfile",
    .plural = "nodepowerprofiles",
    .singular = "nodepowerprofile",
    .short_name = "npp",
    .scope = "Cluster",
    .is_legacy = true,
    .columns = columns,
    .column_count = JL_COUNT(columns),
};

static const struct jl_row node_power_profile_rows[] = {
    JL_ROOT_ROWS(jl_node_power_profile, 0),
    [JL_ROOT_SPEC] = JL_OBJECT(jl_node_power_profile, spec, "spec", &spec_table,
                               .doc = "Desired state of the node."),
};

const struct jl_table jl_node_power_profile_table =
    JL_TABLE(jl_node_power_profile, node_power_profile_rows, .kind = &node_power_profile_kind,
             .doc = "Desired power state of one node before NodeTwin replaced it.");
