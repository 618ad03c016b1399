/* SPDX-License-Identifier: Apache-2.0 */

/* Words, names, columns and tables of TelemetryProfile (docs/rules/objects.md#legacy-kinds). */

#define JL_TELEMETRY_PROFILE_TABLES
#include "kinds/telemetry_profile.h"

const struct jl_words jl_telemetry_scope_words = JL_WORDS({
    { JL_TELEMETRY_SCOPE_NODE, "node" },
    { JL_TELEMETRY_SCOPE_CLUSTER, "cluster" },
});

const struct jl_words jl_source_type_words = JL_WORDS({
    { JOULIE_REMOTE_TYPE_NONE, "none" },
    { JOULIE_REMOTE_TYPE_HOST, "host" },
    { JOULIE_REMOTE_TYPE_HTTP, "http" },
    { JOULIE_REMOTE_TYPE_PROMETHEUS, "prometheus" },
});

const struct jl_words jl_control_type_words = JL_WORDS({
    { JOULIE_REMOTE_TYPE_NONE, "none" },
    { JOULIE_REMOTE_TYPE_HOST, "host" },
    { JOULIE_REMOTE_TYPE_HTTP, "http" },
});

const struct jl_words jl_cpu_control_mode_words = JL_WORDS({
    { JOULIE_REMOTE_MODE_AUTO, "auto" },
    { JOULIE_REMOTE_MODE_RAPL, "rapl" },
    { JOULIE_REMOTE_MODE_DVFS, "dvfs" },
});

const struct jl_words jl_gpu_control_mode_words = JL_WORDS({
    { JOULIE_REMOTE_MODE_AUTO, "auto" },
    { JOULIE_REMOTE_MODE_POWERCAP, "powercap" },
    { JOULIE_REMOTE_MODE_CLOCKS, "clocks" },
});

const struct jl_words jl_telemetry_result_words = JL_WORDS({
    { JOULIE_CONTROL_APPLIED, "applied" },
    { JOULIE_CONTROL_BLOCKED, "blocked" },
    { JOULIE_CONTROL_ERROR, "error" },
    { JOULIE_CONTROL_NONE, "none" },
});

static const struct jl_column columns[] = {
    { "Scope", ".spec.target.scope", "string" },
    { "Node", ".spec.target.nodeName", "string" },
    { "CPU Source", ".spec.sources.cpu.type", "string" },
    { "CPU Control", ".spec.controls.cpu.type", "string" },
};

const struct jl_kind jl_telemetry_profile_kind = {
    .api_version = JL_API_VERSION,
    .kind = "TelemetryProfile",
    .plural = "telemetryprofiles",
    .singular = "telemetryprofile",
    .short_name = "tp",
    .scope = "Cluster",
    .has_status = true,
    .is_legacy = true,
    .columns = columns,
    .column_count = JL_COUNT(columns),
};
