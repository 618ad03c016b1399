/* SPDX-License-Identifier: Apache-2.0 */

/* The caps that are written for a profile (docs/rules/policy.md#caps). Called for each node whose
 * profile or hardware changed. */

#include "base/number.h"
#include "policy/policy.h"

#define CATALOG_FLOOR_FRAC \
    0.55 /* docs/rules/policy.md#caps: lowest CPU cap as a share of the catalog's TDP */

static const struct jl_gpu_model_caps *configured_caps(const struct jl_intent_input *in)
{
    const struct jl_dict *dict = &in->config->gpu_model_caps;
    const char *product = jl_gpu_product(in->node, &in->config->gpu_product_label_keys);
    for (size_t i = 0; product != NULL && i < dict->count; i++) {
        const struct jl_gpu_model_caps *caps = &((const struct jl_gpu_model_caps *)dict->items)[i];
        if (jl_same(dict->keys[i], product) && caps->max_w > 0)
            return caps;
    }
    return NULL;
}

/* The range of one GPU from the first of NodeHardware, catalog and settings that knows it. */
static bool gpu_range(const struct jl_intent_input *in, enum jl_policy_rules rules, double *out_min,
                      double *out_max)
{
    struct jl_hardware hardware = *in->hardware;
    if (rules != JL_POLICY_CURRENT) /* the source does not read that of NodeHardware */
        hardware.gpu_max_source = JL_FACT_UNKNOWN;
    if (jl_gpu_cap_range(&hardware, out_min, out_max))
        return true;
    const struct jl_gpu_model_caps *caps = configured_caps(in);
    if (caps == NULL)
        return false;
    *out_min = caps->min_w > 0 ? caps->min_w : 1;
    *out_max = caps->max_w;
    return true;
}

static void gpu_intent(const struct jl_intent_input *in, enum jl_policy_rules rules, double pct,
                       struct jl_twin_spec *out)
{
    const struct jl_policy_config *config = in->config;
    struct jl_gpu_power_cap *cap = &out->gpu.power_cap;
    if (!(in->allocatable_gpus > 0) || !(pct > 0))
        return;
    out->given.gpu = true;
    out->gpu.given.power_cap = true;
    JL_SET(cap, scope, JL_CAP_SCOPE_PER_GPU);
    JL_SET(cap, cap_pct, pct);
    double min_w = 0;
    double max_w = 0;
    if (config->gpu_write_absolute && gpu_range(in, rules, &min_w, &max_w))
        JL_SET(cap, cap_w, jl_clamp(max_w * pct / 100, min_w, max_w));
}

/* Watts per package within the known range, else within the catalog's. */
static double package_cap_w(const struct jl_hardware *hardware, double target_w)
{
    if (hardware->cpu_max_source == JL_FACT_HARDWARE)
        return jl_min(jl_max(target_w, hardware->cpu_min_w), hardware->cpu_max_w);
    if (hardware->cpu_model == NULL)
        return target_w;
    const double tdp_w = hardware->cpu_model->tdp_w;
    return jl_max(jl_min(target_w, tdp_w), CATALOG_FLOOR_FRAC * tdp_w);
}

/* The source's figure is one of the whole node. */
static double source_cap_w(const struct jl_hardware *hardware, double target_w)
{
    if (hardware->cpu_model == NULL)
        return target_w;
    const double max_w =
        hardware->cpu_model->tdp_w * (hardware->sockets > 0 ? hardware->sockets : 1);
    return jl_max(jl_min(target_w, max_w), CATALOG_FLOOR_FRAC * max_w);
}

static void cpu_watts(double cap_w, struct jl_twin_spec *out)
{
    out->given.cpu = true;
    JL_SET_IF(&out->cpu, cap_w, cap_w > 0, cap_w);
}

static void cpu_intent(const struct jl_intent_input *in, enum jl_policy_rules rules,
                       struct jl_twin_spec *out)
{
    const struct jl_policy_config *config = in->config;
    const bool is_eco = in->caps == JOULIE_PROFILE_ECO;
    const double target_w = is_eco ? config->eco_cap_w : config->performance_cap_w;
    const bool is_gpu_node = in->allocatable_gpus > 0;
    if (rules == JL_POLICY_V0_0_2) {
        cpu_watts(target_w, out);
    } else if (is_gpu_node && rules == JL_POLICY_CURRENT) {
        return;
    } else if (is_gpu_node && !config->cpu_write_absolute) {
        cpu_watts(target_w, out); /* the percent is left out, the plan's watts are not */
    } else if (config->cpu_write_absolute) {
        cpu_watts(rules == JL_POLICY_CURRENT ? package_cap_w(in->hardware, target_w)
                                             : source_cap_w(in->hardware, target_w),
                  out);
    } else {
        out->given.cpu = true;
        JL_SET(&out->cpu, cap_pct, is_eco ? config->cpu_eco_pct : config->cpu_performance_pct);
    }
}

static void no_intent(struct jl_twin_spec *out)
{
    out->cpu = (struct jl_cpu_intent){ 0 };
    out->gpu = (struct jl_gpu_intent){ 0 };
    out->given.cpu = false;
    out->given.gpu = false;
}

void jl_profile_caps(const struct jl_intent_input *in, enum jl_policy_rules rules,
                     struct jl_twin_spec *out)
{
    const struct jl_policy_config *config = in->config;
    const bool is_eco = in->caps == JOULIE_PROFILE_ECO;
    no_intent(out);
    if (in->caps == JOULIE_PROFILE_UNKNOWN)
        return;
    cpu_intent(in, rules, out);
    if (rules != JL_POLICY_V0_0_2) /* GPU caps came with v0.0.5 */
        gpu_intent(in, rules, is_eco ? config->gpu_eco_pct : config->gpu_performance_pct, out);
}

void jl_limited_caps(const struct jl_intent_input *in, enum jl_policy_rules rules,
                     struct jl_twin_spec *out)
{
    no_intent(out);
    gpu_intent(in, rules, in->gpu_limit_pct, out);
}
