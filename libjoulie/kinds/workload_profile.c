/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds/workload_profile.h"

#include "kinds/root.h"

/* Source of every row: joulie-control.md §2.5. */

static const struct jl_word criticality_words[] = {
    { JL_CRITICALITY_PERFORMANCE, "performance" },
    { JL_CRITICALITY_STANDARD, "standard" },
};
const struct jl_words jl_criticality_words = JL_WORDS(criticality_words);

static const struct jl_word cpu_bound_words[] = {
    { JOULIE_BOUND_COMPUTE, "compute" },
    { JOULIE_BOUND_MEMORY, "memory" },
    { JOULIE_BOUND_IO, "io" },
    { JOULIE_BOUND_MIXED, "mixed" },
};
const struct jl_words jl_cpu_bound_words = JL_WORDS(cpu_bound_words);

static const struct jl_word gpu_bound_words[] = {
    { JOULIE_BOUND_COMPUTE, "compute" },
    { JOULIE_BOUND_MEMORY, "memory" },
    { JOULIE_BOUND_MIXED, "mixed" },
    { JOULIE_BOUND_NONE, "none" },
};
const struct jl_words jl_gpu_bound_words = JL_WORDS(gpu_bound_words);

static const struct jl_row profile_ref_rows[] = {
    [JL_INDEX(jl_workload_ref, kind)] = JL_STRING(
        jl_workload_ref, kind, "kind", .flags = JL_REQUIRED, .doc = "Kind of the workload."),
    [JL_INDEX(jl_workload_ref, name_space)] =
        JL_STRING(jl_workload_ref, name_space, "namespace", .doc = "Namespace of the workload."),
    [JL_INDEX(jl_workload_ref, name)] = JL_STRING(
        jl_workload_ref, name, "name", .flags = JL_REQUIRED, .doc = "Name of the workload."),
};
static const struct jl_table profile_ref_table = JL_TABLE(jl_workload_ref, profile_ref_rows);

static const struct jl_row criticality_rows[] = {
    [JL_CRITICALITY_CLASS] = JL_ENUM(jl_profile_criticality, class_, "class", &jl_criticality_words,
                                     .doc = "How much the workload suffers from less power."),
};
static const struct jl_table criticality_table = JL_TABLE(jl_profile_criticality, criticality_rows);

static const struct jl_row migratability_rows[] = {
    [JL_MIGRATABILITY_RESCHEDULABLE] =
        JL_BOOLEAN(jl_profile_migratability, reschedulable, "reschedulable",
                   .doc = "Whether the workload may be moved to another node."),
};
const struct jl_table jl_profile_migratability_table =
    JL_TABLE(jl_profile_migratability, migratability_rows);

static const struct jl_row cpu_part_rows[] = {
    [JL_PART_INTENSITY] = JL_ENUM(jl_profile_part, intensity, "intensity", &jl_level_words,
                                  .doc = "How hard the CPU is used."),
    [JL_PART_BOUND] = JL_ENUM(jl_profile_part, bound, "bound", &jl_cpu_bound_words,
                              .doc = "What limits the workload on the CPU."),
    [JL_PART_UTILIZATION] = JL_NUMBER(jl_profile_part, avg_utilization_pct, "avgUtilizationPct",
                                      .doc = "Average CPU utilisation, in percent."),
    [JL_PART_SENSITIVITY] =
        JL_ENUM(jl_profile_part, cap_sensitivity, "capSensitivity", &jl_level_words,
                .doc = "How much a CPU power cap slows the workload down."),
};
const struct jl_table jl_profile_cpu_table = JL_TABLE(jl_profile_part, cpu_part_rows);

static const struct jl_row gpu_part_rows[] = {
    [JL_PART_INTENSITY] = JL_ENUM(jl_profile_part, intensity, "intensity", &jl_level_none_words,
                                  .doc = "How hard the GPU is used."),
    [JL_PART_BOUND] = JL_ENUM(jl_profile_part, bound, "bound", &jl_gpu_bound_words,
                              .doc = "What limits the workload on the GPU."),
    [JL_PART_UTILIZATION] = JL_NUMBER(jl_profile_part, avg_utilization_pct, "avgUtilizationPct",
                                      .doc = "Average GPU utilisation, in percent."),
    [JL_PART_SENSITIVITY] =
        JL_ENUM(jl_profile_part, cap_sensitivity, "capSensitivity", &jl_level_none_words,
                .doc = "How much a GPU power cap slows the workload down."),
};
const struct jl_table jl_profile_gpu_table = JL_TABLE(jl_profile_part, gpu_part_rows);

static const struct jl_row profile_spec_rows[] = {
    [JL_PROFILE_SPEC_NODE_NAME] =
        JL_STRING(jl_profile_spec, node_name, "nodeName", .doc = "Node that the workload runs on."),
    [JL_PROFILE_SPEC_REF] = JL_OBJECT(jl_profile_spec, workload_ref, "workloadRef",
                                      &profile_ref_table, .doc = "The workload."),
};
static const struct jl_table profile_spec_table = JL_TABLE(jl_profile_spec, profile_spec_rows);

static const struct jl_row profile_status_rows[] = {
    [JL_PROFILE_STATUS_CRITICALITY] =
        JL_OBJECT(jl_profile_status, criticality, "criticality", &criticality_table,
                  .doc = "How critical the workload is."),
    [JL_PROFILE_STATUS_MIGRATABILITY] =
        JL_OBJECT(jl_profile_status, migratability, "migratability",
                  &jl_profile_migratability_table, .doc = "Whether the workload can move."),
    [JL_PROFILE_STATUS_CPU] = JL_OBJECT(jl_profile_status, cpu, "cpu", &jl_profile_cpu_table,
                                        .doc = "How the workload uses the CPU."),
    [JL_PROFILE_STATUS_GPU] = JL_OBJECT(jl_profile_status, gpu, "gpu", &jl_profile_gpu_table,
                                        .doc = "How the workload uses the GPU."),
    [JL_PROFILE_STATUS_RESCHEDULE_RECOMMENDED] =
        JL_BOOLEAN(jl_profile_status, reschedule_recommended, "rescheduleRecommended",
                   .doc = "Whether the workload should move; written only when true."),
    [JL_PROFILE_STATUS_RESCHEDULE_REASON] = JL_STRING(
        jl_profile_status, reschedule_reason, "rescheduleReason", .doc = "Why it should move."),
    [JL_PROFILE_STATUS_REASON] =
        JL_STRING(jl_profile_status, classification_reason, "classificationReason",
                  .doc = "Why it was classified so, for a person."),
    [JL_PROFILE_STATUS_CONFIDENCE] = JL_NUMBER(jl_profile_status, confidence, "confidence",
                                               .doc = "Confidence in the classification, 0 to 1."),
    [JL_PROFILE_STATUS_LAST_UPDATED] =
        JL_STRING(jl_profile_status, last_updated, "lastUpdated",
                  .doc = "When the workload was classified, RFC 3339 in UTC."),
};
const struct jl_table jl_profile_status_table = JL_TABLE(jl_profile_status, profile_status_rows);

static const struct jl_column workload_profile_columns[] = {
    { "Node", ".spec.nodeName", "string" },
    { "Criticality", ".status.criticality.class", "string" },
    { "CPU-Bound", ".status.cpu.bound", "string" },
    { "GPU-Bound", ".status.gpu.bound", "string" },
    { "Reschedulable", ".status.migratability.reschedulable", "boolean" },
};

static const struct jl_kind workload_profile_kind = {
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

static const struct jl_row workload_profile_rows[] = {
    JL_ROOT_ROWS(jl_workload_profile, 0),
    [JL_ROOT_SPEC] = JL_OBJECT(jl_workload_profile, spec, "spec", &profile_spec_table,
                               .doc = "Which workload this is about."),
    [JL_ROOT_STATUS] = JL_OBJECT(jl_workload_profile, status, "status", &jl_profile_status_table,
                                 .doc = "What the classifier found out."),
};

const struct jl_table jl_workload_profile_table =
    JL_TABLE(jl_workload_profile, workload_profile_rows, .kind = &workload_profile_kind,
             .doc = "How one workload uses power, and how a power cap would hurt it.");
