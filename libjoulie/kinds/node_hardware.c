/* SPDX-License-Identifier: Apache-2.0 */

/* Names, columns and tables of NodeHardware (docs/rules/objects.md#nodehardware). */

#define JL_NODE_HARDWARE_TABLES
#include "kinds/node_hardware.h"

static const struct jl_column node_hardware_columns[] = {
    { "Node", ".spec.nodeName", "string" },
    { "CPU", ".status.cpu.model", "string" },
    { "GPU", ".status.gpu.model", "string" },
    { "GPUCount", ".status.gpu.count", "integer" },
    { "Quality", ".status.quality.overall", "string" },
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
