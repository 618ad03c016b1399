/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The rule set "current" for the rows of a source (docs/rules/twin.md).
 *
 * Whoever includes it defines before what a source is: jl_source_has(), jl_knows() and
 * jl_known_or() for one number, JL_NUMBER_OF() for its value whether known or not, jl_may_know()
 * for what no row has, jl_cpu_feedback() and jl_gpu_feedback().
 */

#include "twin/budget.h"
#include "twin/caps_in_force.h"
#include "twin/cooling_air.h"
#include "twin/numbers.h"
#include "twin/power_tiers.h"
#include "twin/psu.h"
#include "twin/scores.h"

/* The members of struct joulie_twin_output. */
struct jl_prediction {
    jl_bits has;
#define JL_MEMBER(member, is_lean) jl_real member;
    JL_TWIN_OUTPUTS(JL_MEMBER)
#undef JL_MEMBER
#define JL_MEMBER(member) jl_int member;
    JL_TWIN_OUTPUT_WORDS(JL_MEMBER)
#undef JL_MEMBER
};

/* Facts of the rows that several rules use. */
struct jl_current {
    jl_bits has;
    jl_mask has_gpu;
    jl_real gpu_count;
    jl_real gpu_max_w;
    struct jl_budget budget;
    jl_mask is_hardware_known; /* the node has a TDP */
    jl_mask is_measured;       /* first tier of the node's power */
    jl_mask is_cap_estimate;   /* last tier */
    jl_mask is_scored;         /* hardware and power are known */
};

#define JL_KNOWS(source, now, member) jl_knows(source, (now)->has, JL_TWIN_IN_BIT(member))
#define JL_OR(source, now, member, otherwise) \
    jl_known_or(source, (now)->has, JL_TWIN_IN(member), otherwise)

/* GIVEN or ASSUMED where a number counts. */
JL_LANE jl_int jl_given_if(jl_mask is_given, jl_mask counts)
{
    return jl_pick_int(
        jl_both(counts, is_given), JOULIE_PROVENANCE_GIVEN,
        jl_pick_int(counts, JOULIE_PROVENANCE_ASSUMED, jl_int_of(JOULIE_PROVENANCE_UNKNOWN)));
}

/* Whether a node has GPUs that could be capped. Of a node that nobody described it is taken to have
 * them: a cap that was asked for is not reported as 100. */
JL_LANE jl_mask jl_may_have_gpu(const jl_source *source, const struct jl_current *now,
                                jl_mask is_asked)
{
    if (!jl_any(jl_both(is_asked, jl_not(now->has_gpu))))
        return now->has_gpu;
    const jl_mask has_cpu =
        jl_either(JL_KNOWS(source, now, cpu_sockets),
                  jl_either(JL_KNOWS(source, now, cpu_cores), JL_KNOWS(source, now, cpu_max_w)));
    return jl_either(now->has_gpu, jl_not(has_cpu));
}

/* A part without a device is at 100. */
JL_LANE void jl_put_caps(const jl_source *source, const struct jl_current *now, jl_real cpu_max_w,
                         struct jl_prediction *out)
{
    struct jl_cap_request cpu = {
        .has_pct = JL_KNOWS(source, now, cpu_cap_pct),
        .pct = JL_NUMBER_OF(source, cpu_cap_pct),
        .has_w = jl_mask_of(false),
        .max_w = cpu_max_w,
    };
    const jl_mask has_gpu_pct = JL_KNOWS(source, now, gpu_cap_pct);
    struct jl_cap_request gpu = {
        .has_pct = jl_both(jl_may_have_gpu(source, now, has_gpu_pct), has_gpu_pct),
        .pct = JL_NUMBER_OF(source, gpu_cap_pct),
        .has_w = jl_mask_of(false),
        .max_w = now->gpu_max_w,
    };
    if (jl_is_cap_plain(source)) {
        out->cpu_effective_pct = jl_cap_asked_pct(&cpu, &out->cpu_cap_state);
        out->gpu_effective_pct = jl_cap_asked_pct(&gpu, &out->gpu_cap_state);
        return;
    }
    cpu.has_w = JL_KNOWS(source, now, cpu_cap_w);
    cpu.w = JL_NUMBER_OF(source, cpu_cap_w);
    cpu.feedback = jl_cpu_feedback(source);
    cpu.has_previous = JL_KNOWS(source, now, previous_cpu_cap_pct);
    cpu.previous_pct = JL_NUMBER_OF(source, previous_cpu_cap_pct);
    const jl_mask has_gpu_w = JL_KNOWS(source, now, gpu_cap_w);
    gpu.has_w = jl_both(jl_may_have_gpu(source, now, has_gpu_w), has_gpu_w);
    gpu.w = JL_NUMBER_OF(source, gpu_cap_w);
    gpu.feedback = jl_gpu_feedback(source);
    gpu.has_previous = JL_KNOWS(source, now, previous_gpu_cap_pct);
    gpu.previous_pct = JL_NUMBER_OF(source, previous_gpu_cap_pct);
    out->cpu_effective_pct = jl_cap_in_force_pct(&cpu, &out->cpu_cap_state);
    out->gpu_effective_pct = jl_cap_in_force_pct(&gpu, &out->gpu_cap_state);
}

JL_LANE void jl_put_budget(const jl_source *source, const struct jl_current *now,
                           struct jl_prediction *out)
{
    const struct jl_budget *budget = &now->budget;
    const jl_mask is_known = now->is_hardware_known;
    const jl_mask is_cpu_known = jl_both(is_known, jl_is_above_0(budget->cpu_tdp_w));
    const jl_mask is_gpu_known =
        jl_both(is_known, jl_either(jl_not(now->has_gpu), jl_is_above_0(budget->gpu_tdp_w)));
    out->cpu_tdp_w = jl_or_0(is_cpu_known, budget->cpu_tdp_w);
    out->cpu_capped_w = jl_or_0(is_cpu_known, budget->cpu_capped_w);
    out->gpu_tdp_w = jl_or_0(is_gpu_known, budget->gpu_tdp_w);
    out->gpu_capped_w = jl_or_0(is_gpu_known, budget->gpu_capped_w);
    out->node_tdp_w = jl_or_0(is_known, budget->node_tdp_w);
    out->node_capped_w = jl_or_0(is_known, budget->node_capped_w);
    out->has |= jl_bits_if(is_cpu_known, JOULIE_TWIN_OUT_CPU_TDP | JOULIE_TWIN_OUT_CPU_CAPPED) |
                jl_bits_if(is_gpu_known, JOULIE_TWIN_OUT_GPU_TDP | JOULIE_TWIN_OUT_GPU_CAPPED) |
                jl_bits_if(is_known, JOULIE_TWIN_OUT_NODE_TDP | JOULIE_TWIN_OUT_NODE_CAPPED);
    out->cpu_tdp_provenance = jl_given_if(JL_KNOWS(source, now, cpu_sockets), is_cpu_known);
    out->gpu_tdp_provenance =
        jl_pick_int(jl_both(is_gpu_known, now->has_gpu), JOULIE_PROVENANCE_GIVEN,
                    jl_int_of(JOULIE_PROVENANCE_UNKNOWN));
}

/* Of rows with a utilisation of the CPUs or with pods. */
JL_LANE void jl_put_estimate(const jl_source *source, const struct jl_current *now,
                             jl_mask is_estimate, struct jl_prediction *out)
{
    const jl_mask has_util = JL_KNOWS(source, now, cpu_util_pct);
    const jl_mask has_idle = JL_KNOWS(source, now, gpu_idle_w);
    const struct jl_power_estimate estimate = {
        .cpu_tdp_w = now->budget.cpu_tdp_w,
        .cpu_capped_w = now->budget.cpu_capped_w,
        .has_cpu_util = has_util,
        .cpu_util_pct = JL_NUMBER_OF(source, cpu_util_pct),
        .cpu_allocated_w = JL_OR(source, now, cpu_allocated_w, 0),
        .has_cpu_curve = JL_KNOWS(source, now, cpu_curve_w),
        .cpu_curve_w = JL_NUMBER_OF(source, cpu_curve_w),
        .gpu_count = now->gpu_count,
        .gpu_max_w = now->gpu_max_w,
        .gpu_idle_w = jl_or_0(has_idle, JL_NUMBER_OF(source, gpu_idle_w)),
        .gpu_capped_w = now->budget.gpu_capped_w,
        .has_gpu_util = JL_KNOWS(source, now, gpu_util_pct),
        .gpu_util_pct = JL_NUMBER_OF(source, gpu_util_pct),
        .has_gpu_allocated = JL_KNOWS(source, now, gpu_allocated_w),
        .gpu_allocated_w = JL_OR(source, now, gpu_allocated_w, 0),
    };
    const jl_mask is_given =
        jl_both(jl_both(has_util, estimate.has_cpu_curve),
                jl_either(jl_not(jl_is_above_0(now->gpu_count)),
                          jl_both(estimate.has_gpu_util, jl_is_above_0(estimate.gpu_idle_w))));
    out->node_power_w = jl_pick(is_estimate, jl_power_estimate_w(&estimate), out->node_power_w);
    out->power_tier = jl_pick_int(is_estimate, JOULIE_POWER_TIER_ALLOCATION, out->power_tier);
    out->power_tier =
        jl_pick_int(jl_both(is_estimate, has_util), JOULIE_POWER_TIER_UTILIZATION, out->power_tier);
    out->estimate_provenance = jl_given_if(is_given, is_estimate);
}

/* A measurement, else an estimate from utilisation, else one from the pods on the node, else the
 * watts that the caps allow; all but the first need hardware, and what its GPUs draw at most. */
JL_LANE void jl_put_power(const jl_source *source, struct jl_current *now,
                          struct jl_prediction *out)
{
    const jl_mask is_measured = now->is_measured;
    out->node_power_w = jl_or_0(is_measured, JL_NUMBER_OF(source, measured_node_power_w));
    out->power_tier =
        jl_pick_int(is_measured, JOULIE_POWER_TIER_MEASURED, jl_int_of(JOULIE_POWER_TIER_UNKNOWN));
    out->estimate_provenance = jl_int_of(JOULIE_PROVENANCE_UNKNOWN);
    now->is_cap_estimate = jl_mask_of(false);
    now->is_scored = now->is_hardware_known;
    out->has |= jl_bits_if(is_measured, JOULIE_TWIN_OUT_NODE_POWER);
    const jl_mask is_unmeasured = jl_both(now->is_hardware_known, jl_not(is_measured));
    if (!jl_any(is_unmeasured))
        return;
    const jl_mask is_blind = jl_both(jl_is_above_0(now->gpu_count), /* 0 W is no maximum */
                                     jl_not(jl_is_above_0(now->gpu_max_w)));
    const jl_mask is_open = jl_both(is_unmeasured, jl_not(is_blind));
    now->is_scored = jl_either(jl_both(now->is_hardware_known, is_measured), is_open);
    out->has |= jl_bits_if(is_open, JOULIE_TWIN_OUT_NODE_POWER);
    const jl_mask has_basis =
        jl_either(JL_KNOWS(source, now, cpu_util_pct), JL_KNOWS(source, now, cpu_allocated_w));
    const jl_mask is_estimate = jl_both(is_open, has_basis);
    if (jl_any(is_estimate))
        jl_put_estimate(source, now, is_estimate, out);
    now->is_cap_estimate = jl_both(is_open, jl_not(has_basis));
    out->node_power_w = jl_pick(now->is_cap_estimate, now->budget.node_capped_w, out->node_power_w);
    out->power_tier =
        jl_pick_int(now->is_cap_estimate, JOULIE_POWER_TIER_CAP_ESTIMATE, out->power_tier);
}

/* What is not computed here has stress 0 and no bit. */
JL_LANE void jl_put_cooling(const jl_source *source, const struct jl_current *now,
                            enum joulie_cooling model, struct jl_prediction *out)
{
    const jl_mask is_known = now->is_scored;
    const jl_mask has_zone = JL_KNOWS(source, now, zone_temp_c);
    jl_real outside_c = JL_OR(source, now, outside_temp_c, JL_ASSUMED_OUTSIDE_C);
    if (jl_may_know(source, JOULIE_TWIN_HAS_ZONE_TEMP))
        outside_c = jl_pick(has_zone, JL_NUMBER_OF(source, zone_temp_c), outside_c);
    const jl_mask is_linear = model == JOULIE_COOLING_UNKNOWN
                                  ? now->is_cap_estimate
                                  : jl_both(is_known, jl_mask_of(model == JOULIE_COOLING_LINEAR));
    jl_real stress =
        jl_ratio_stress(out->node_power_w, now->budget.node_tdp_w, jl_ratio_factor(outside_c));
    jl_int used =
        jl_pick_int(is_known, JOULIE_COOLING_TDP_RATIO, jl_int_of(JOULIE_COOLING_UNKNOWN));
    out->cooling_reference_provenance = jl_int_of(JOULIE_PROVENANCE_UNKNOWN);
    if (jl_any(is_linear)) {
        const jl_real reference_w = JL_OR(source, now, cooling_reference_w, 0);
        stress =
            jl_pick(is_linear, jl_linear_stress(out->node_power_w, reference_w, outside_c), stress);
        used = jl_pick_int(is_linear, JOULIE_COOLING_LINEAR, used);
        out->cooling_reference_provenance = jl_given_if(jl_is_above_0(reference_w), is_linear);
    }
    out->cooling_model = used;
    out->cooling_stress_score = jl_or_0(is_known, stress);
    out->estimated_pue = jl_or_0(is_known, jl_pue_from_stress(stress));
    out->outside_temp_provenance =
        jl_pick_int(jl_both(is_known, has_zone), JOULIE_PROVENANCE_ZONE,
                    jl_given_if(JL_KNOWS(source, now, outside_temp_c), is_known));
    out->has |= jl_bits_if(is_known, JOULIE_TWIN_OUT_COOLING | JOULIE_TWIN_OUT_PUE);
}

/* Without a known maximum there is no headroom, rather than one of 100. */
JL_LANE void jl_put_headroom(const struct jl_current *now, jl_mask has_cooling,
                             struct jl_prediction *out)
{
    const struct jl_budget *budget = &now->budget;
    const jl_mask from_caps = jl_both(now->is_cap_estimate, has_cooling);
    const jl_mask is_measured = jl_both(jl_both(now->is_scored, jl_not(now->is_cap_estimate)),
                                        jl_is_above_0(budget->node_capped_w));
    jl_real headroom =
        jl_or_0(is_measured, jl_headroom_measured(budget->node_capped_w, out->node_power_w));
    if (jl_any(from_caps))
        headroom = jl_pick(from_caps,
                           jl_headroom_from_caps(out->cpu_effective_pct, out->gpu_effective_pct,
                                                 out->cooling_stress_score),
                           headroom);
    out->power_headroom_score = headroom;
    out->has |= jl_bits_if(jl_either(is_measured, from_caps), JOULIE_TWIN_OUT_HEADROOM);
}

JL_LANE void jl_put_psu(const jl_source *source, const struct jl_current *now,
                        struct jl_prediction *out)
{
    const jl_mask has_capacity = JL_KNOWS(source, now, rack_capacity_w);
    const struct jl_supplies supplies = {
        .rack.power_w = JL_OR(source, now, rack_total_power_w, 0),
        .rack.capacity_w = JL_OR(source, now, rack_capacity_w, JL_RACK_CAPACITY_W),
        .cluster.power_w = JL_OR(source, now, cluster_total_power_w, 0),
        .cluster.capacity_w = JL_OR(source, now, cluster_capacity_w, 0),
    };
    const struct jl_supply supply = jl_supply_of(&supplies);
    const jl_mask is_known = jl_either(supply.is_of_rack, supply.is_of_cluster);
    out->psu_stress_score = supply.stress;
    out->psu_supply = jl_pick_int(
        supply.is_of_rack, JOULIE_SUPPLY_RACK,
        jl_pick_int(supply.is_of_cluster, JOULIE_SUPPLY_CLUSTER, jl_int_of(JOULIE_SUPPLY_UNKNOWN)));
    out->psu_capacity_provenance =
        jl_given_if(jl_either(has_capacity, supply.is_of_cluster), is_known);
    out->has |= jl_bits_if(is_known, JOULIE_TWIN_OUT_PSU);
}

JL_LANE void jl_put_density(const jl_source *source, const struct jl_current *now,
                            struct jl_prediction *out)
{
    const jl_real cores = JL_OR(source, now, cpu_cores, 0);
    const jl_mask has_cores = jl_is_above_0(cores);
    const jl_mask has_gpus = jl_is_above_0(now->gpu_count);
    const jl_mask is_known = jl_either(has_cores, has_gpus);
    out->hardware_density_score =
        jl_or_0(is_known, jl_density_score(cores, has_gpus, now->gpu_count));
    out->density_provenance = jl_given_if(has_cores, is_known);
    out->has |= jl_bits_if(is_known, JOULIE_TWIN_OUT_DENSITY);
}

/* Caps, and what the node may draw. */
JL_LANE void jl_current_begin(const jl_source *source, struct jl_current *now,
                              struct jl_prediction *out)
{
    now->has = jl_source_has(source);
    now->has_gpu = JL_KNOWS(source, now, gpu_count);
    now->gpu_count = JL_OR(source, now, gpu_count, 0);
    now->gpu_max_w = JL_OR(source, now, gpu_max_w, 0);
    now->is_measured = JL_KNOWS(source, now, measured_node_power_w);
    out->has = jl_bits_if(jl_mask_of(false), 1);
    const jl_real cpu_max_w = JL_OR(source, now, cpu_max_w, 0);
    jl_put_caps(source, now, cpu_max_w, out);
    now->budget = jl_budget_of(JL_OR(source, now, cpu_sockets, 1) * cpu_max_w,
                               now->gpu_count * now->gpu_max_w, out->cpu_effective_pct,
                               out->gpu_effective_pct);
    now->is_hardware_known = jl_is_above_0(now->budget.node_tdp_w);
}

JL_LANE void jl_current_end(const jl_source *source, struct jl_current *now,
                            enum joulie_cooling model, struct jl_prediction *out)
{
    jl_put_budget(source, now, out);
    jl_put_power(source, now, out);
    jl_put_cooling(source, now, model, out);
    jl_put_headroom(now, jl_mask_of(true), out);
    jl_put_psu(source, now, out);
    jl_put_density(source, now, out);
}

/* With a model UNKNOWN, TDP_RATIO or LINEAR. The usual case, a measured node of known hardware, is
 * compiled by itself. */
JL_LANE void jl_predict_current(const jl_source *source, enum joulie_cooling model,
                                struct jl_prediction *out)
{
    struct jl_current now;
    jl_current_begin(source, &now, out);
    if (jl_any(jl_not(jl_both(now.is_hardware_known, now.is_measured)))) {
        jl_current_end(source, &now, model, out);
        return;
    }
    now.is_hardware_known = jl_mask_of(true);
    now.is_measured = jl_mask_of(true);
    jl_current_end(source, &now, model, out);
}

/* Whether no number left the range of a double; the others lie between bounds. 0 times a number is
 * 0 unless that is infinite or no number; a sum may leave the range without any of its terms. */
JL_LANE jl_mask jl_is_in_range(const struct jl_prediction *out)
{
    const jl_real zero = jl_real_of(0);
    const jl_real sum =
        (out->power_headroom_score + out->node_power_w) + (out->node_tdp_w + out->node_capped_w);
    const jl_mask is_finite = jl_is_same(zero * sum, zero);
    if (!jl_any(jl_not(is_finite)))
        return is_finite;
    return jl_is_same((zero * out->power_headroom_score + zero * out->node_power_w) +
                          (zero * out->node_tdp_w + zero * out->node_capped_w),
                      zero);
}
