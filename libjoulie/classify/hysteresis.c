/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "classify/rules.h"
#include "kinds/effective.h"

#define POINTS 27 /* three signals, each moved by -m, 0 or +m */

struct wanted {
    uint32_t members;     /* enum jl_kept that differ from the previous profile and may be kept */
    struct jl_triple cpu; /* the previous values */
    struct jl_triple gpu;
};

static struct jl_triple triple_of(const struct jl_profile_part *part)
{
    return (struct jl_triple){ part->intensity, part->bound, part->cap_sensitivity };
}

static bool is_same_pair(const struct jl_triple *a, const struct jl_triple *b)
{
    return a->bound == b->bound && a->sensitivity == b->sensitivity;
}

static bool has_pair(const struct jl_profile_part *part)
{
    return JL_HAS(part, JL_PART_BOUND) && JL_HAS(part, JL_PART_SENSITIVITY);
}

static void want_cpu(const struct jl_profile_part *previous, const struct jl_triple *fresh,
                     struct wanted *out)
{
    out->cpu = triple_of(previous);
    if (JL_HAS(previous, JL_PART_INTENSITY) && out->cpu.intensity != fresh->intensity)
        out->members |= JL_KEPT_CPU_INTENSITY;
    if (has_pair(previous) && !is_same_pair(&out->cpu, fresh))
        out->members |= JL_KEPT_CPU_BOUND;
}

/* Never between GPU none and any: a pod that got or lost its GPU is another pod. */
static void want_gpu(const struct jl_profile_part *previous, const struct jl_triple *fresh,
                     struct wanted *out)
{
    out->gpu = triple_of(previous);
    if (fresh->intensity == JL_LEVEL_NONE)
        return;
    if (JL_HAS(previous, JL_PART_INTENSITY) && out->gpu.intensity != JL_LEVEL_NONE &&
        out->gpu.intensity != fresh->intensity)
        out->members |= JL_KEPT_GPU_INTENSITY;
    if (has_pair(previous) && out->gpu.bound != JL_BOUND_NONE && !is_same_pair(&out->gpu, fresh))
        out->members |= JL_KEPT_GPU_BOUND;
}

static uint32_t members_reached(const struct wanted *wanted, const struct jl_verdict *at)
{
    return (at->cpu.intensity == wanted->cpu.intensity ? (uint32_t)JL_KEPT_CPU_INTENSITY : 0U) |
           (is_same_pair(&at->cpu, &wanted->cpu) ? (uint32_t)JL_KEPT_CPU_BOUND : 0U) |
           (at->gpu.intensity == wanted->gpu.intensity ? (uint32_t)JL_KEPT_GPU_INTENSITY : 0U) |
           (is_same_pair(&at->gpu, &wanted->gpu) ? (uint32_t)JL_KEPT_GPU_BOUND : 0U);
}

/* The digit of place (1, 3 or 9) of the point's number in base 3 is the direction of its signal. */
static double moved(double value_pct, int point, int place, double margin_pct)
{
    return jl_clamp(value_pct + (point / place % 3 - 1) * margin_pct, 0, 100);
}

uint32_t jl_hysteresis(const struct jl_classify_input *in,
                       const struct jl_classify_metrics *metrics, const struct jl_signals *signals,
                       const struct jl_verdict *fresh)
{
    const struct jl_profile_status *previous = in->previous;
    const double margin_pct = in->config.hysteresis_pct;
    if (in->config.rules != JL_CLASSIFY_CURRENT || !(margin_pct > 0) || !previous)
        return 0;
    if (!JL_HAS(previous, JL_PROFILE_STATUS_CONFIDENCE) ||
        previous->confidence < JL_PROFILE_MIN_CONFIDENCE)
        return 0;

    struct wanted wanted = { 0 };
    if (JL_HAS(previous, JL_PROFILE_STATUS_CPU) && signals->is_cpu_known)
        want_cpu(&previous->cpu, &fresh->cpu, &wanted);
    if (JL_HAS(previous, JL_PROFILE_STATUS_GPU))
        want_gpu(&previous->gpu, &fresh->gpu, &wanted);

    uint32_t kept = 0;
    for (int point = 0; point < POINTS && kept != wanted.members; point++) {
        struct jl_signals near = *signals;
        near.cpu_util_pct = moved(signals->cpu_util_pct, point, 1, margin_pct);
        near.gpu_util_pct = moved(signals->gpu_util_pct, point, 3, margin_pct);
        near.mem_pressure_pct = moved(signals->mem_pressure_pct, point, 9, margin_pct);
        struct jl_verdict at;
        jl_verdict_at(metrics, &near, in->config.rules, &at);
        kept |= members_reached(&wanted, &at) & wanted.members;
    }
    return kept;
}
