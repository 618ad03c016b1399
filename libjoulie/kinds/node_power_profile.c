/* SPDX-License-Identifier: Apache-2.0 */

/* Names, columns and tables of NodePowerProfile (docs/rules/objects.md#legacy-kinds). */

#define JL_NODE_POWER_PROFILE_TABLES
#include "kinds/node_power_profile.h"

static const struct jl_column columns[] = {
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
    .columns = columns,
    .column_count = JL_COUNT(columns),
};
