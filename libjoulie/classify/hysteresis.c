/* SPDX-License-Identifier: Apache-2.0 */

/* Keeps an earlier value while the measurement is near the threshold that it would have to pass
 * (docs/rules/classification.md#hysteresis). */

#include "base/number.h"
#include "classify/rules.h"
#include "kinds/effective.h"

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
    return part->given.bound && part->given.cap_sensitivity;
}

static void want_cpu(const struct jl_profile_part *previous, const struct jl_triple *fresh,
                     struct wanted *out)
{
    out->cpu = triple_of(previous);
    if (previous->given.intensity && out->cpu.intensity != fresh->intensity)
        out->members |= JL_KEPT_CPU_INTENSITY;
    if (has_pair(previous) && !is_same_pair(&out->cpu, fresh))
        out->members |= JL_KEPT_CPU_BOUND;
}

/* Never between GPU none and any: a pod that got or lost its GPU is another pod. */
static void want_gpu(const struct jl_profile_part *previous, const struct jl_triple *fresh,
                     struct wanted *out)
{
    out->gpu = triple_of(previous);
    if (fresh->intensity == JOULIE_LEVEL_NONE)
        return;
    if (previous->given.intensity && out->gpu.intensity != JOULIE_LEVEL_NONE &&
        out->gpu.intensity != fresh->intensity)
        out->members |= JL_KEPT_GPU_INTENSITY;
    if (has_pair(previous) && out->gpu.bound != JOULIE_BOUND_NONE &&
        !is_same_pair(&out->gpu, fresh))
        out->members |= JL_KEPT_GPU_BOUND;
}

static uint32_t members_reached(const struct wanted *wanted, const struct jl_verdict *at)
{
    return (at->cpu.intensity == wanted->cpu.intensity ? (uint32_t)JL_KEPT_CPU_INTENSITY : 0U) |
           (is_same_pair(&at->cpu, &wanted->cpu) ? (uint32_t)JL_KEPT_CPU_BOUND : 0U) |
           (at->gpu.intensity == wanted->gpu.intensity ? (uint32_t)JL_KEPT_GPU_INTENSITY : 0U) |
           (is_same_pair(&at->gpu, &wanted->gpu) ? (uint32_t)JL_KEPT_GPU_BOUND : 0U);
}

/* Where one signal may stand: itself, and moved either way as far as that is another value. */
struct places {
    double at_pct[3];
    int count;
};

static struct places places_of(double value_pct, double margin_pct)
{
    struct places places = { .at_pct = { jl_clamp(value_pct, 0, 100) }, .count = 1 };
    const double down_pct = jl_clamp(value_pct - margin_pct, 0, 100);
    const double up_pct = jl_clamp(value_pct + margin_pct, 0, 100);
    if (down_pct != places.at_pct[0])
        places.at_pct[places.count++] = down_pct;
    if (up_pct != places.at_pct[0])
        places.at_pct[places.count++] = up_pct;
    return places;
}

/* The 27 points, less those that are the same; at one of them a member has its previous value
 * or it has not, in whatever order they are tried. */
static uint32_t reach(const struct jl_classify_metrics *metrics, const struct jl_signals *signals,
                      const struct jl_ratios *ratios, const struct wanted *wanted,
                      double margin_pct)
{
    const struct places cpu = places_of(signals->cpu_util_pct, margin_pct);
    const struct places gpu = places_of(signals->gpu_util_pct, margin_pct);
    const struct places mem = places_of(signals->mem_pressure_pct, margin_pct);
    struct jl_signals near = *signals;
    uint32_t kept = 0;
    for (int point = 0; point < cpu.count * gpu.count * mem.count && kept != wanted->members;
         point++) {
        struct jl_verdict at;
        near.cpu_util_pct = cpu.at_pct[point % cpu.count];
        near.gpu_util_pct = gpu.at_pct[point / cpu.count % gpu.count];
        near.mem_pressure_pct = mem.at_pct[point / cpu.count / gpu.count];
        jl_verdict_near(metrics, &near, ratios, &at);
        kept |= members_reached(wanted, &at) & wanted->members;
    }
    return kept;
}

uint32_t jl_hysteresis(const struct jl_classify_input *in,
                       const struct jl_classify_metrics *metrics, const struct jl_signals *signals,
                       const struct jl_verdict *fresh)
{
    const struct jl_profile_status *previous = in->previous;
    const double margin_pct = in->config.hysteresis_pct;
    if (in->config.rules != JL_CLASSIFY_CURRENT || !(margin_pct > 0) || !previous)
        return 0;
    if (!previous->given.confidence || previous->confidence < JL_PROFILE_MIN_CONFIDENCE)
        return 0;

    struct wanted wanted = { 0 };
    if (previous->given.cpu && signals->is_cpu_known)
        want_cpu(&previous->cpu, &fresh->cpu, &wanted);
    if (previous->given.gpu)
        want_gpu(&previous->gpu, &fresh->gpu, &wanted);

    return wanted.members != 0 ? reach(metrics, signals, &fresh->ratios, &wanted, margin_pct) : 0;
}
