/* SPDX-License-Identifier: Apache-2.0 */

/* Words, names, columns and tables of WorkloadProfile (docs/rules/objects.md#workloadprofile). */

#define JL_WORKLOAD_PROFILE_TABLES
#include "kinds/workload_profile.h"

const struct jl_words jl_criticality_words = JL_WORDS({
    { JL_CRITICALITY_PERFORMANCE, "performance" },
    { JL_CRITICALITY_STANDARD, "standard" },
});

const struct jl_words jl_cpu_bound_words = JL_WORDS({
    { JOULIE_BOUND_COMPUTE, "compute" },
    { JOULIE_BOUND_MEMORY, "memory" },
    { JOULIE_BOUND_IO, "io" },
    { JOULIE_BOUND_MIXED, "mixed" },
});

const struct jl_words jl_gpu_bound_words = JL_WORDS({
    { JOULIE_BOUND_COMPUTE, "compute" },
    { JOULIE_BOUND_MEMORY, "memory" },
    { JOULIE_BOUND_MIXED, "mixed" },
    { JOULIE_BOUND_NONE, "none" },
});

static const struct jl_column workload_profile_columns[] = {
    { "Node", ".spec.nodeName", "string" },
    { "Criticality", ".status.criticality.class", "string" },
    { "CPU-Bound", ".status.cpu.bound", "string" },
    { "GPU-Bound", ".status.gpu.bound", "string" },
    { "Reschedulable", ".status.migratability.reschedulable", "boolean" },
    JL_AGE_COLUMN,
};

const struct jl_kind jl_workload_profile_kind = {
    .api_version = JL_API_VERSION,
    .kind = "WorkloadProfile",
    .plural = "workloadprofiles",
    .singular = "workloadprofile",
    .short_name = "wp",
    .scope = "Namespaced",
    .has_status = true,
    .columns = workload_profile_columns,
    .column_count = JL_COUNT(workload_profile_columns),
};
