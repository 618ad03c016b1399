/* SPDX-License-Identifier: Apache-2.0 */

/* The settings of a policy as a document has them, and their defaults
 * (docs/rules/policy.md#settings). */

#include "kinds/effective.h"
#define JL_POLICY_TABLES
#include "policy/policy.h"
#include "schema/copy.h"

/* docs/rules/policy.md#settings */
static const struct jl_policy_config defaults = {
    .type = JL_POLICY_STATIC,
    .static_hp_frac = 0.50,
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
    .gpu_slowdown_standard_pct = 10,
    .gpu_slowdown_performance_pct = 0,
    .gpu_slowdown_insensitive_pct = 20,
    .gpu_cap_dwell_s = 300,
};

/* The source keeps nodes at full power whether anybody needs them or not. */
#define SOURCE_QUEUE_HP_BASE_FRAC 0.60
#define SOURCE_QUEUE_HP_MIN 1

void jl_policy_defaults(struct jl_policy_config *config, enum jl_policy_rules rules)
{
    const struct jl_policy_config given = *config;
    *config = defaults;
    if (rules != JL_POLICY_CURRENT) {
        config->queue_hp_base_frac = SOURCE_QUEUE_HP_BASE_FRAC;
        config->queue_hp_min = SOURCE_QUEUE_HP_MIN;
    }
    config->has = given.has;
    config->power_profile_label =
        given.power_profile_label != NULL ? given.power_profile_label : JL_LABEL_POWER_PROFILE;
    jl_copy_given(&jl_policy_config_table, &given, config);
}
