/* SPDX-License-Identifier: Apache-2.0 */

/* The flat view of a node that filter and score work on. */

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/time.h"
#include "place/place.h"

#define MILLI 1e3
#define MICRO 1e6
#define MOST_HELD 1e9 /* cores or GPUs of one piece of work; keeps sums in 64 bits */
#define MOST_BYTES 1e15
#define ROUNDING 1e-6     /* a product that should be whole is not rounded up */
#define CURVE_SOCKETS 2   /* of the catalog's curves */
#define UNKNOWN_IDLE_W 80 /* of CPUs without a curve, as the simulator has it */
#define ENERGY_BITS                                                                       \
    (JOULIE_PLACE_HAS_CPU_IDLE | JOULIE_PLACE_HAS_CPU_SLOPE | JOULIE_PLACE_HAS_CPU_STEP | \
     JOULIE_PLACE_HAS_CPU_SPEED | JOULIE_PLACE_HAS_GPU_IDLE | JOULIE_PLACE_HAS_GPU_SPEED)
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

/* Power and speed of the CPUs; false = nothing is known that could be compared. */
static bool read_cpu(const struct jl_hardware *hardware, struct jl_place_node *node)
{
    const double sockets = jl_max(1, hardware->sockets);
    const double cores = hardware->total_cores;
    double idle_w = 0;
    double tenth_w = 0;
    double full_w = 0;
    if (!hardware->is_known || !(cores > 0))
        return false;
    if (jl_catalog_curve_w(hardware->cpu_model, 0, &idle_w) &&
        jl_catalog_curve_w(hardware->cpu_model, 10, &tenth_w) &&
        jl_catalog_curve_w(hardware->cpu_model, 100, &full_w)) {
        const double scale = sockets / CURVE_SOCKETS;
        node->cpu_idle_w = idle_w * scale;
        node->cpu_slope_w = jl_max(0, (full_w - tenth_w) * scale / 0.9 / cores);
        node->cpu_step_w = (tenth_w - idle_w) * scale - 0.1 * node->cpu_slope_w * cores;
        return true;
    }
    if (hardware->cpu_max_source != JL_FACT_HARDWARE && hardware->cpu_max_source != JL_FACT_CATALOG)
        return false;
    full_w = hardware->cpu_max_w * sockets;
    node->cpu_idle_w = jl_min(UNKNOWN_IDLE_W, full_w);
    node->cpu_slope_w = (full_w - node->cpu_idle_w) / cores;
    return true;
}

/* What the cost of work goes by; made once, not for every pod. */
static void set_energy(struct jl_place_node *node, const struct jl_hardware *hardware)
{
    node->has &= ~ENERGY_BITS;
    node->cpu_idle_w = 0;
    node->cpu_slope_w = 0;
    node->cpu_step_w = 0;
    node->cpu_speed = hardware->cpu_model != NULL ? hardware->cpu_model->relative_speed : 0;
    node->gpu_idle_w = 0;
    node->gpu_speed = hardware->gpu_model != NULL ? hardware->gpu_model->relative_speed : 0;
    if (read_cpu(hardware, node))
        node->has |=
            JOULIE_PLACE_HAS_CPU_IDLE | JOULIE_PLACE_HAS_CPU_SLOPE | JOULIE_PLACE_HAS_CPU_STEP;
    if (node->cpu_speed > 0)
        JL_MARK(node, JL_PLACE_CPU_SPEED);
    if (hardware->gpu_model == NULL || !(hardware->gpu_max_w > 0))
        return;
    node->gpu_idle_w = hardware->gpu_model->idle_w;
    JL_MARK(node, JL_PLACE_GPU_IDLE);
    if (node->gpu_speed > 0)
        JL_MARK(node, JL_PLACE_GPU_SPEED);
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
    node->has_gpu = hardware->gpu_present || (!jl_place_is_ours(rules) && hardware->gpu_count > 0);
    set_energy(node, hardware);
}

void jl_place_set_allocatable(struct jl_place_node *node, double cores)
{
    JL_UNMARK(node, JL_PLACE_ALLOCATABLE_CORES);
    node->allocatable_cores = take(node, JL_PLACE_ALLOCATABLE_CORES, cores > 0, cores);
}

struct jl_place_load jl_place_load_of(const struct joulie_work *needs)
{
    return (struct jl_place_load){
        .work = 1,
        .millicores = (int64_t)ceil(jl_min(needs->cpu_cores, MOST_HELD) * MILLI - ROUNDING),
        .micro_gpus = (int64_t)jl_round_half_away(jl_min(needs->gpu_count, MOST_HELD) * MICRO),
        .bytes = (int64_t)ceil(jl_min(needs->memory_bytes, MOST_BYTES)),
    };
}

void jl_place_load_add(struct jl_place_load *sum, const struct jl_place_load *part, int sign)
{
    sum->work += sign * part->work;
    sum->millicores += sign * part->millicores;
    sum->micro_gpus += sign * part->micro_gpus;
    sum->bytes += sign * part->bytes;
}

void jl_place_set_load(struct jl_place_node *node, const struct jl_place_load *load)
{
    node->requested_cores =
        take(node, JL_PLACE_REQUESTED_CORES, true, (double)load->millicores / MILLI);
    node->requested_gpus =
        take(node, JL_PLACE_REQUESTED_GPUS, true, (double)load->micro_gpus / MICRO);
    node->work_count = take(node, JL_PLACE_WORK_COUNT, true, (double)load->work);
}
