/* SPDX-License-Identifier: Apache-2.0 */

/* Words, names, columns and tables of TensorFusion's kinds (docs/rules/tensor-fusion.md#object). */

#define JL_TENSOR_FUSION_TABLES
#include "kinds/tensor_fusion.h"

const struct jl_words jl_fusion_qos_words = JL_WORDS({
    { JOULIE_TENSOR_FUSION_QOS_LOW, "low" },
    { JOULIE_TENSOR_FUSION_QOS_MEDIUM, "medium" },
    { JOULIE_TENSOR_FUSION_QOS_HIGH, "high" },
    { JOULIE_TENSOR_FUSION_QOS_CRITICAL, "critical" },
});

const struct jl_words jl_fusion_isolation_words = JL_WORDS({
    { JOULIE_TENSOR_FUSION_ISOLATION_SHARED, "shared" },
    { JOULIE_TENSOR_FUSION_ISOLATION_SOFT, "soft" },
    { JOULIE_TENSOR_FUSION_ISOLATION_HARD, "hard" },
    { JOULIE_TENSOR_FUSION_ISOLATION_PARTITIONED, "partitioned" },
});

const struct jl_words jl_fusion_target_words = JL_WORDS({
    { JOULIE_TENSOR_FUSION_TARGET_ALL, "all" },
    { JOULIE_TENSOR_FUSION_TARGET_TFLOPS, "tflops" },
    { JOULIE_TENSOR_FUSION_TARGET_VRAM, "vram" },
    { JOULIE_TENSOR_FUSION_TARGET_COMPUTE, "compute" },
});

const struct jl_words jl_fusion_gang_mode_words = JL_WORDS({
    { JL_FUSION_GANG_MODE_STRICT, "Strict" },
});

const struct jl_table jl_fusion_no_status_table = { .name = "jl_fusion_no_status",
                                                    .size = sizeof(struct jl_fusion_no_status) };

static const struct jl_column profile_columns[] = {
    { "Pool Name", ".spec.poolName", "string" },      { "QoS", ".spec.qos", "string" },
    { "Is Local GPU", ".spec.isLocalGPU", "string" }, { "GPU Number", ".spec.gpuCount", "string" },
    { "Replicas", ".spec.replicas", "string" },
};

const struct jl_kind jl_fusion_profile_kind = {
    .api_version = JL_FUSION_API_VERSION,
    .kind = "WorkloadProfile",
    .plural = "workloadprofiles",
    .singular = "workloadprofile",
    .scope = "Namespaced",
    .has_status = true,
    .is_foreign = true,
    .columns = profile_columns,
    .column_count = JL_COUNT(profile_columns),
};

const struct jl_kind jl_fusion_workload_kind = {
    .api_version = JL_FUSION_API_VERSION,
    .kind = "TensorFusionWorkload",
    .plural = "tensorfusionworkloads",
    .singular = "tensorfusionworkload",
    .scope = "Namespaced",
    .has_status = true,
    .is_foreign = true,
    .is_partial = true,
};

/* ---- rules that are judged one by one ---- */

/* Any object. */
static const struct jl_table unread_rule_table = { .name = "jl_fusion_unread_rule",
                                                   .size = sizeof(struct jl_fusion_unread_rule),
                                                   .flags = JL_OPEN };

const struct jl_table *jl_fusion_rules_unread(const struct jl_table *table, struct jl_arena *arena)
{
    struct jl_table *copy = JL_NEW(arena, struct jl_table);
    struct jl_row *rows = JL_NEW_ARRAY(arena, table->count, struct jl_row);
    if (copy == NULL || rows == NULL)
        return NULL;
    *copy = *table;
    copy->rows = rows;
    for (uint32_t i = 0; i < table->count; i++) {
        rows[i] = table->rows[i];
        if (rows[i].child == &jl_fusion_cron_rule_table)
            rows[i].child = &unread_rule_table;
        else if (rows[i].child == &jl_fusion_spec_table ||
                 rows[i].child == &jl_fusion_autoscaling_table)
            rows[i].child = jl_fusion_rules_unread(rows[i].child, arena);
        if (table->rows[i].child != NULL && rows[i].child == NULL)
            return NULL;
    }
    return copy;
}
