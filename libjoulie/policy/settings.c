/* SPDX-License-Identifier: Apache-2.0 */

/* The settings of a policy as a document has them, and their defaults
 * (docs/rules/policy.md#settings). */

#include "kinds/effective.h"
#include "policy/policy.h"

#define ROW(kind, member, name, ...) kind(jl_policy_config, member, name, __VA_ARGS__)
/* What a NodeTwin accepts as packagePowerCapPctOfMax: (0,100]. */
#define CPU_PCT .flags = JL_HAS_MIN | JL_EXCLUSIVE_MIN | JL_HAS_MAX, .min = 0, .max = 100
/* What a NodeTwin accepts as packagePowerCapWatts. */
#define CAP_W .flags = JL_HAS_MIN, .min = 1
/* 0 and below mean "no GPU intent". */
#define GPU_PCT .flags = JL_HAS_MAX, .max = 100

static const struct jl_row model_caps_rows[] = {
    [JL_MODEL_CAPS_MIN] = JL_NUMBER(jl_gpu_model_caps, min_w, "minCapWatts",
                                    .doc = "Lowest cap of one GPU, W; 0 or less reads as 1."),
    [JL_MODEL_CAPS_MAX] =
        JL_NUMBER(jl_gpu_model_caps, max_w, "maxCapWatts",
                  .doc = "Highest cap of one GPU, W; 0 or less: the entry is ignored."),
};

static const struct jl_table model_caps_table =
    JL_TABLE(jl_gpu_model_caps, model_caps_rows, .doc = "Power limits of one GPU product.");

static const struct jl_row rows[] = {
    [JL_POLICY_TYPE] = ROW(JL_ENUM, type, "type", &jl_policy_type_words, .doc = "POLICY_TYPE."),
    [JL_POLICY_STATIC_HP_FRAC] = ROW(JL_NUMBER, static_hp_frac, "staticHpFrac",
                                     .doc = "Share of performance nodes, limited to 0-1."),
    [JL_POLICY_QUEUE_HP_BASE_FRAC] =
        ROW(JL_NUMBER, queue_hp_base_frac, "queueHpBaseFrac",
            .doc = "Share of performance nodes without demand, limited to 0-1."),
    [JL_POLICY_QUEUE_HP_MIN] =
        ROW(JL_INTEGER, queue_hp_min, "queueHpMin", .doc = "Fewest performance nodes."),
    [JL_POLICY_QUEUE_HP_MAX] = ROW(JL_INTEGER, queue_hp_max, "queueHpMax",
                                   .doc = "Most performance nodes; 0 or less: all nodes."),
    [JL_POLICY_QUEUE_PERF_PER_HP_NODE] =
        ROW(JL_INTEGER, queue_perf_per_hp_node, "queuePerfPerHpNode",
            .doc = "Weighted demand that one performance node serves; 0 or less reads as 1."),
    [JL_POLICY_CPU_PERFORMANCE_PCT] =
        ROW(JL_NUMBER, cpu_performance_pct, "cpuPerformanceCapPctOfMax", CPU_PCT,
            .doc = "CPU cap of performance nodes, percent of the package maximum."),
    [JL_POLICY_CPU_ECO_PCT] = ROW(JL_NUMBER, cpu_eco_pct, "cpuEcoCapPctOfMax", CPU_PCT,
                                  .doc = "CPU cap of eco nodes, percent of the package maximum."),
    [JL_POLICY_GPU_PERFORMANCE_PCT] = ROW(
        JL_NUMBER, gpu_performance_pct, "gpuPerformanceCapPctOfMax", GPU_PCT,
        .doc =
            "GPU cap of performance nodes, percent of the GPU maximum; 0 or less: no GPU intent."),
    [JL_POLICY_GPU_ECO_PCT] =
        ROW(JL_NUMBER, gpu_eco_pct, "gpuEcoCapPctOfMax", GPU_PCT,
            .doc = "GPU cap of eco nodes, percent of the GPU maximum; 0 or less: no GPU intent."),
    [JL_POLICY_PERFORMANCE_CAP_W] =
        ROW(JL_NUMBER, performance_cap_w, "performanceCapWatts", CAP_W,
            .doc = "Absolute CPU cap of performance nodes, W per package."),
    [JL_POLICY_ECO_CAP_W] = ROW(JL_NUMBER, eco_cap_w, "ecoCapWatts", CAP_W,
                                .doc = "Absolute CPU cap of eco nodes, W per package."),
    [JL_POLICY_CPU_WRITE_ABSOLUTE] = ROW(JL_BOOLEAN, cpu_write_absolute, "cpuWriteAbsoluteCaps",
                                         .doc = "Write CPU caps in watts instead of percent."),
    [JL_POLICY_GPU_WRITE_ABSOLUTE] = ROW(JL_BOOLEAN, gpu_write_absolute, "gpuWriteAbsoluteCaps",
                                         .doc = "Write GPU caps in watts beside percent."),
    [JL_POLICY_GPU_MODEL_CAPS] =
        ROW(JL_DICT, gpu_model_caps, "gpuModelCaps", &model_caps_table,
            .doc = "Power limits by GPU product label, for GPUs that nothing else knows."),
    [JL_POLICY_GPU_PRODUCT_LABEL_KEYS] =
        ROW(JL_STRINGS, gpu_product_label_keys, "gpuProductLabelKeys",
            .doc = "Node labels that name the GPU product; the first that is not empty wins."),
    [JL_POLICY_RECONCILE_INTERVAL] =
        ROW(JL_NUMBER, reconcile_interval_s, "reconcileIntervalS",
            .doc = "Seconds of one phase of rule_swap_v1; less than one second reads as 60."),
    [JL_POLICY_DRAIN_CAPS] = ROW(JL_ENUM, drain_caps, "drainCaps", &jl_profile_words,
                                 .doc = "Whose caps a draining node has."),
    [JL_POLICY_NODE_SELECTOR] =
        ROW(JL_STRING, node_selector, "nodeSelector",
            .doc = "Label selector of the nodes in scope; empty: every node."),
    [JL_POLICY_RESERVED_LABEL_KEY] =
        ROW(JL_STRING, reserved_label_key, "reservedLabelKey",
            .doc = "Node label that takes a node out of the policy when it is \"true\"."),
    [JL_POLICY_SCALE_DOWN_DELAY] =
        ROW(JL_NUMBER, queue_scale_down_delay_s, "queueScaleDownDelayS", .flags = JL_NOT_NEGATIVE,
            .doc = "Seconds of lower demand before performance nodes are given up."),
    [JL_POLICY_MIN_DWELL] =
        ROW(JL_NUMBER, min_profile_dwell_s, "minProfileDwellS", .flags = JL_NOT_NEGATIVE,
            .doc = "Seconds that a node keeps a profile before it may go to eco."),
};

const struct jl_table jl_policy_table =
    JL_TABLE(jl_policy_config, rows, .doc = "Settings of the power policy.");

/* docs/rules/policy.md#settings */
static const struct jl_policy_config defaults = {
    .type = JL_POLICY_STATIC,
    .static_hp_frac = 0.50,
    .queue_hp_base_frac = 0.60,
    .queue_hp_min = 1,
    .queue_hp_max = 1000000,
    .queue_perf_per_hp_node = 10,
    .cpu_performance_pct = 100,
    .cpu_eco_pct = 60,
    .gpu_performance_pct = 100,
    .gpu_eco_pct = 60,
    .performance_cap_w = 5000,
    .eco_cap_w = 120,
    .reconcile_interval_s = 60,
    .drain_caps = JOULIE_PROFILE_PERFORMANCE,
    .node_selector = "",
    .reserved_label_key = JL_LABEL_RESERVED,
    .queue_scale_down_delay_s = 300,
    .min_profile_dwell_s = 120,
};

void jl_policy_defaults(struct jl_policy_config *config)
{
    const struct jl_policy_config given = *config;
    *config = defaults;
    config->has = given.has;
    config->power_profile_label =
        given.power_profile_label != NULL ? given.power_profile_label : JL_LABEL_POWER_PROFILE;
#define KEEP(bit, member)    \
    if (JL_HAS(&given, bit)) \
    config->member = given.member
    KEEP(JL_POLICY_TYPE, type);
    KEEP(JL_POLICY_STATIC_HP_FRAC, static_hp_frac);
    KEEP(JL_POLICY_QUEUE_HP_BASE_FRAC, queue_hp_base_frac);
    KEEP(JL_POLICY_QUEUE_HP_MIN, queue_hp_min);
    KEEP(JL_POLICY_QUEUE_HP_MAX, queue_hp_max);
    KEEP(JL_POLICY_QUEUE_PERF_PER_HP_NODE, queue_perf_per_hp_node);
    KEEP(JL_POLICY_CPU_PERFORMANCE_PCT, cpu_performance_pct);
    KEEP(JL_POLICY_CPU_ECO_PCT, cpu_eco_pct);
    KEEP(JL_POLICY_GPU_PERFORMANCE_PCT, gpu_performance_pct);
    KEEP(JL_POLICY_GPU_ECO_PCT, gpu_eco_pct);
    KEEP(JL_POLICY_PERFORMANCE_CAP_W, performance_cap_w);
    KEEP(JL_POLICY_ECO_CAP_W, eco_cap_w);
    KEEP(JL_POLICY_CPU_WRITE_ABSOLUTE, cpu_write_absolute);
    KEEP(JL_POLICY_GPU_WRITE_ABSOLUTE, gpu_write_absolute);
    KEEP(JL_POLICY_GPU_MODEL_CAPS, gpu_model_caps);
    KEEP(JL_POLICY_GPU_PRODUCT_LABEL_KEYS, gpu_product_label_keys);
    KEEP(JL_POLICY_RECONCILE_INTERVAL, reconcile_interval_s);
    KEEP(JL_POLICY_DRAIN_CAPS, drain_caps);
    KEEP(JL_POLICY_NODE_SELECTOR, node_selector);
    KEEP(JL_POLICY_RESERVED_LABEL_KEY, reserved_label_key);
    KEEP(JL_POLICY_SCALE_DOWN_DELAY, queue_scale_down_delay_s);
    KEEP(JL_POLICY_MIN_DWELL, min_profile_dwell_s);
#undef KEEP
}
