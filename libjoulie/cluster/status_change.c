/* SPDX-License-Identifier: Apache-2.0 */

/* Which differences between the stored and the predicted status are worth a write
 * (docs/rules/reconcile.md#status-writes). */

#include "base/number.h"
#include "cluster/state.h"

static const char known_reason[] = "a value became known or unknown";
static const char score_reason[] = "a score moved";

struct compare {
    double score_band; /* points */
    double watt_band; /* W; < 0 = the node's maximum is unknown, then a share of the stored value */
    double frac;      /* STATUS_DEADBAND_PCT as a fraction */
};

static bool moves(double from, double to, double band)
{
    const double gap = from < to ? to - from : from - to;
    return gap > 0 && gap >= band;
}

static double share_of(double value, double frac)
{
    return (value < 0 ? -value : value) * frac;
}

static bool watts_move(const struct compare *compare, double from, double to)
{
    return moves(from, to,
                 compare->watt_band >= 0 ? compare->watt_band : share_of(from, compare->frac));
}

static bool is_power_moved(const struct compare *compare, const struct jl_power_measurement *from,
                           const struct jl_power_measurement *to)
{
    return watts_move(compare, from->measured_node_power_w, to->measured_node_power_w) ||
           watts_move(compare, from->cpu_capped_power_w, to->cpu_capped_power_w) ||
           watts_move(compare, from->gpu_capped_power_w, to->gpu_capped_power_w) ||
           watts_move(compare, from->node_capped_power_w, to->node_capped_power_w) ||
           watts_move(compare, from->cpu_tdp_w, to->cpu_tdp_w) ||
           watts_move(compare, from->gpu_tdp_w, to->gpu_tdp_w) ||
           watts_move(compare, from->node_tdp_w, to->node_tdp_w) ||
           (to->given.power_trend_w_per_min &&
            watts_move(compare, from->power_trend_w_per_min, to->power_trend_w_per_min));
}

/* A trend is unknown for two samples after each start of the operator: that is no news. */
static bool is_power_as_known(const struct jl_power_measurement *from,
                              const struct jl_power_measurement *to)
{
    struct jl_power_measurement known = { .has = from->has };
    if (!to->given.power_trend_w_per_min)
        known.given.power_trend_w_per_min = false;
    return known.has == to->has;
}

static bool is_score_moved(const struct compare *compare, const struct jl_twin_status *from,
                           const struct jl_twin_status *to)
{
    return moves(from->power_headroom_score, to->power_headroom_score, compare->score_band) ||
           moves(from->cooling_stress_score, to->cooling_stress_score, compare->score_band) ||
           moves(from->hardware_density_score, to->hardware_density_score, compare->score_band) ||
           moves(from->estimated_pue, to->estimated_pue,
                 share_of(from->estimated_pue, compare->frac));
}

/* The texts of the reasons carry scores: they follow with the next write, they cause none. */
static bool is_advice_same(const struct jl_list *from, const struct jl_list *to)
{
    if (from->count != to->count)
        return false;
    for (size_t i = 0; i < from->count; i++) {
        const struct jl_workload_ref *left = &JL_ITEM(*from, jl_reschedule_advice, i)->workload_ref;
        const struct jl_workload_ref *right = &JL_ITEM(*to, jl_reschedule_advice, i)->workload_ref;
        if (!jl_same(left->kind, right->kind) || !jl_same(left->name_space, right->name_space) ||
            !jl_same(left->name, right->name))
            return false;
    }
    return true;
}

static bool is_slicing_same(const struct jl_slicing_advice *from,
                            const struct jl_slicing_advice *to)
{
    return from->mode == to->mode && jl_same(from->slice_type, to->slice_type) &&
           from->slices_per_gpu == to->slices_per_gpu && from->total_slices == to->total_slices;
}

/* Members that are compared here; the others belong to the agent, carry the time, or are the PSU
 * stress, or conditions and their generation (conditions.c). */
static uint64_t members_of(const struct jl_twin_status *status)
{
    struct jl_twin_status written = { .has = status->has };
    written.given.control = false;
    written.given.last_updated = false;
    written.given.psu_stress_score = false;
    written.given.conditions = false;
    written.given.observed_generation = false;
    return written.has;
}

static double known_tdp_w(const struct jl_twin_status *status)
{
    return status->power.given.node_tdp_w ? status->power.node_tdp_w : -1;
}

const char *jl_cluster_status_change(const struct jl_cluster_config *config,
                                     const struct jl_twin_status *stored,
                                     const struct jl_twin_status *next)
{
    const double frac = config->deadband_pct / 100;
    const double tdp_w = known_tdp_w(next);
    const struct compare compare = {
        .score_band = config->deadband_score,
        .watt_band = tdp_w > 0 ? tdp_w * frac : -1,
        .frac = frac,
    };
    if (stored == NULL || members_of(stored) == 0)
        return "first status";
    if (stored->schedulable_class != next->schedulable_class)
        return "class changed";
    if (members_of(stored) != members_of(next) ||
        !is_power_as_known(&stored->power, &next->power) ||
        stored->effective_caps.has != next->effective_caps.has)
        return known_reason;
    if (stored->power.source != next->power.source)
        return "power source changed";
    if (stored->effective_caps.cpu_pct != next->effective_caps.cpu_pct ||
        stored->effective_caps.gpu_pct != next->effective_caps.gpu_pct)
        return "cap in force changed";
    if (!is_advice_same(&stored->reschedule, &next->reschedule) ||
        !is_slicing_same(&stored->slicing, &next->slicing))
        return "advice changed";
    if (is_score_moved(&compare, stored, next))
        return score_reason;
    return is_power_moved(&compare, &stored->power, &next->power) ? "power moved" : NULL;
}

const char *jl_cluster_psu_change(const struct jl_cluster_config *config,
                                  const struct cluster_node *node)
{
    const struct cluster_rack *rack = node->rack;
    if (rack->has_psu != node->has_stored_psu)
        return known_reason;
    return moves(node->stored_psu_stress, rack->psu_stress, config->deadband_score) ? score_reason
                                                                                    : NULL;
}
