/* SPDX-License-Identifier: Apache-2.0 */

/* The formula of v0.1.0 (joulie-scheduler.md §6.1). */

#include "base/number.h"
#include "place/place.h"

#define WEIGHT_HEADROOM 0.4
#define WEIGHT_COOLING 0.3
#define WEIGHT_PSU 0.3
#define WEIGHT_PRESSURE 0.3
#define BONUS_PERFORMANCE 15.0
#define BONUS_ECO 10.0
#define IDLE_GPU_FLAT 30.0 /* CPU pod on a GPU node with marginal scoring off */
#define EVICTED 25.0

#define REFERENCE_NODE_W 4000.0 /* MARGINAL_REF_NODE_POWER_W */
#define REFERENCE_STRESS 80.0   /* stress at that power */
#define REFERENCE_RACK_W 50000.0
#define POWER_W_PER_POINT 20.0
#define COOLING_WEIGHT 0.6
#define PSU_DELTA_WEIGHT 0.4
#define POWER_MAX 20.0
#define COOLING_MAX 20.0
#define PSU_MAX 15.0
#define IDLE_GPU_W 60.0 /* per device */
#define IDLE_GPU_W_MAX 300.0
#define IDLE_GPU_W_PER_POINT 10.0
#define IDLE_GPU_MAX 20.0

void jl_place_legacy_penalty(double marginal_w, double pod_gpus, double node_gpus, double pue,
                             struct jl_legacy_penalty *out)
{
    const double facility_w = pue > 1 ? marginal_w * pue : marginal_w;
    const double cooling_delta = jl_clamp(marginal_w / REFERENCE_NODE_W * REFERENCE_STRESS, 0, 100);
    const double psu_delta = jl_clamp(marginal_w / REFERENCE_RACK_W * 100, 0, 100);
    out->power = jl_clamp(facility_w / POWER_W_PER_POINT, 0, POWER_MAX);
    out->cooling = jl_clamp(COOLING_WEIGHT * cooling_delta, 0, COOLING_MAX);
    out->psu = jl_clamp(PSU_DELTA_WEIGHT * psu_delta, 0, PSU_MAX);
    out->idle_gpu = 0;
    if (!(pod_gpus > 0) && node_gpus > 0) {
        const double idle_w = jl_min(IDLE_GPU_W * node_gpus, IDLE_GPU_W_MAX);
        out->idle_gpu = jl_clamp(idle_w / IDLE_GPU_W_PER_POINT, 0, IDLE_GPU_MAX);
    }
    out->total = out->power + out->cooling + out->psu + out->idle_gpu;
}

void jl_place_legacy_context(const struct jl_place_config *config, const struct jl_pod_view *pod,
                             const struct jl_place_node *node, struct jl_score_context *context)
{
    const double pod_gpus = pod->demand.gpu_count;
    const double node_gpus = node->has_gpu ? node->gpu_count : 0;
    struct jl_legacy_penalty penalty = { 0 };
    if (!JL_HAS(node, JL_PLACE_HARDWARE))
        return;
    if (config->is_marginal_scoring) {
        jl_place_legacy_penalty(context->marginal_w, pod_gpus, node_gpus, node->pue, &penalty);
        context->marginal_penalty = penalty.total;
    } else if (node->has_gpu && !(pod_gpus > 0)) {
        context->idle_gpu_penalty = IDLE_GPU_FLAT;
    }
}

void jl_place_legacy_formula(const struct jl_score_context *context,
                             const struct jl_place_node *node, struct jl_place_score *out)
{
    const bool is_standard = context->pod_class == JL_POD_STANDARD;
    const bool is_on_performance = node->class_ == JL_CLASS_PERFORMANCE;
    struct jl_place_terms terms = {
        .headroom = WEIGHT_HEADROOM * node->headroom,
        .cooling = WEIGHT_COOLING * (100 - node->cooling),
        .psu = WEIGHT_PSU * (100 - node->psu),
        .marginal_penalty = -context->marginal_penalty,
        .idle_gpu = -context->idle_gpu_penalty,
        .eviction = context->is_evicted ? -EVICTED : 0,
    };
    if (context->pod_class == JL_POD_PERFORMANCE && is_on_performance)
        terms.profile_bonus = BONUS_PERFORMANCE;
    if (is_standard && node->class_ == JL_CLASS_ECO)
        terms.profile_bonus = BONUS_ECO;
    if (is_standard && is_on_performance)
        terms.pressure = -WEIGHT_PRESSURE * context->cluster.perf_pressure;

    const double raw = terms.headroom + terms.cooling + terms.psu + terms.profile_bonus +
                       terms.pressure + terms.marginal_penalty + terms.idle_gpu + terms.eviction;
    *out = (struct jl_place_score){
        .basis = JL_BASIS_FRESH,
        .score = jl_place_whole_score(raw),
        .projected_headroom = node->headroom,
        .marginal_w = context->marginal_w,
        .raw = raw,
        .terms = terms,
    };
}
