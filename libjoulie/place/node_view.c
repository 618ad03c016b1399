/* SPDX-License-Identifier: Apache-2.0 */

/* The flat view of a node that filter and score work on. */

#include <string.h>

#include "base/number.h"
#include "base/time.h"
#include "place/place.h"

/* Every bit before that of the hardware. */
#define TWIN_BITS (JOULIE_PLACE_HAS_HARDWARE - 1)

static double take(struct jl_place_node *node, unsigned bit, bool is_known, double value)
{
    if (!is_known || !(value >= -JL_PLACE_LARGEST && value <= JL_PLACE_LARGEST))
        return 0;
    JL_MARK(node, bit);
    return value;
}

void jl_place_set_twin(struct jl_place_node *node, const struct jl_twin_status *status)
{
    static const struct jl_twin_status none = { 0 };
    node->has &= ~TWIN_BITS;
    if (status != NULL)
        JL_MARK(node, JL_PLACE_TWIN);
    else
        status = &none;

    const struct jl_power_measurement *power = &status->power;
    const struct jl_effective_caps *caps = &status->effective_caps;
    const char *updated = status->last_updated;
    const bool has_capped = power->given.node_capped_power_w &&
                            power->node_capped_power_w >= JL_PLACE_SMALLEST_CAPPED_W;
    node->class_ = status->schedulable_class;
    if (node->class_ != JOULIE_NODE_CLASS_UNKNOWN)
        JL_MARK(node, JL_PLACE_CLASS);
    node->updated_ms = 0;
    if (updated != NULL && jl_parse_time(updated, strlen(updated), &node->updated_ms) == 0)
        JL_MARK(node, JL_PLACE_UPDATED);

    node->headroom = take(node, JL_PLACE_HEADROOM, status->given.power_headroom_score,
                          status->power_headroom_score);
    node->cooling = take(node, JL_PLACE_COOLING, status->given.cooling_stress_score,
                         status->cooling_stress_score);
    node->psu = take(node, JL_PLACE_PSU, status->given.psu_stress_score, status->psu_stress_score);
    node->pue = take(node, JL_PLACE_PUE, status->given.estimated_pue, status->estimated_pue);
    node->capped_w = take(node, JL_PLACE_CAPPED, has_capped, power->node_capped_power_w);
    node->measured_w = take(node, JL_PLACE_MEASURED, power->given.measured_node_power_w,
                            power->measured_node_power_w);
    node->trend_w_per_min = take(node, JL_PLACE_TREND, power->given.power_trend_w_per_min,
                                 power->power_trend_w_per_min);
    node->cpu_pct = take(node, JL_PLACE_CPU_CAP_PCT, caps->given.cpu_pct, caps->cpu_pct);
    node->gpu_pct = take(node, JL_PLACE_GPU_CAP_PCT, caps->given.gpu_pct, caps->gpu_pct);
}

enum joulie_node_label jl_place_label_of(struct jl_text power_profile)
{
    return jl_text_is(power_profile, "eco") ? JOULIE_NODE_LABEL_ECO : JOULIE_NODE_LABEL_OTHER;
}

void jl_place_set_label(struct jl_place_node *node, const char *power_profile)
{
    node->label = power_profile != NULL ? jl_place_label_of(jl_text(power_profile))
                                        : JOULIE_NODE_LABEL_UNKNOWN;
}

void jl_place_set_hardware(struct jl_place_node *node, const struct jl_hardware *hardware,
                           enum joulie_place_rules rules)
{
    JL_UNMARK(node, JL_PLACE_HARDWARE);
    if (hardware->is_known)
        JL_MARK(node, JL_PLACE_HARDWARE);
    node->cpu_cores = hardware->total_cores;
    /* a maximum that was guessed from cores is the twin's 5 W per core; here the one of
     * jl_row_marginal_w() applies instead */
    node->cpu_max_w = hardware->cpu_max_source == JL_FACT_CORES
                          ? 0
                          : hardware->cpu_max_w * jl_max(1, hardware->sockets);
    node->gpu_count = hardware->gpu_count;
    node->gpu_max_w = hardware->gpu_max_w;
    node->has_gpu =
        hardware->gpu_present || (rules != JOULIE_PLACE_RULES_CURRENT && hardware->gpu_count > 0);
}
