/* SPDX-License-Identifier: Apache-2.0 */

/* Keeps an earlier value while the measurement is near the threshold that it would have to pass
 * (docs/rules/classification.md#hysteresis). */

#include "base/number.h"
#include "classify/rules.h"
#include "kinds/effective.h"

struct wanted {
    uint64_t members; /* JOULIE_CLASSIFY_KEPT_*: differ from the previous result and may be kept */
    struct jl_triple cpu; /* the previous values */
    struct jl_triple gpu;
};

static bool is_same_pair(const struct jl_triple *a, const struct jl_triple *b)
{
    return a->bound == b->bound && a->sensitivity == b->sensitivity;
}

static bool has_pair(const struct jl_triple *previous)
{
    return previous->bound != JOULIE_BOUND_UNKNOWN && previous->sensitivity != JOULIE_LEVEL_UNKNOWN;
}

static void want_cpu(const struct jl_triple *fresh, struct wanted *out)
{
    if (out->cpu.intensity != JOULIE_LEVEL_UNKNOWN && out->cpu.intensity != fresh->intensity)
        out->members |= JOULIE_CLASSIFY_KEPT_CPU_INTENSITY;
    if (has_pair(&out->cpu) && !is_same_pair(&out->cpu, fresh))
        out->members |= JOULIE_CLASSIFY_KEPT_CPU_BOUND;
}

/* Never between GPU none and any: a pod that got or lost its GPU is another pod. */
static void want_gpu(const struct jl_triple *fresh, struct wanted *out)
{
    if (fresh->intensity == JOULIE_LEVEL_NONE)
        return;
    if (out->gpu.intensity != JOULIE_LEVEL_UNKNOWN && out->gpu.intensity != JOULIE_LEVEL_NONE &&
        out->gpu.intensity != fresh->intensity)
        out->members |= JOULIE_CLASSIFY_KEPT_GPU_INTENSITY;
    if (has_pair(&out->gpu) && out->gpu.bound != JOULIE_BOUND_NONE &&
        !is_same_pair(&out->gpu, fresh))
        out->members |= JOULIE_CLASSIFY_KEPT_GPU_BOUND;
}

static uint64_t members_reached(const struct wanted *wanted, const struct jl_verdict *at)
{
    return (at->cpu.intensity == wanted->cpu.intensity ? JOULIE_CLASSIFY_KEPT_CPU_INTENSITY : 0) |
           (is_same_pair(&at->cpu, &wanted->cpu) ? JOULIE_CLASSIFY_KEPT_CPU_BOUND : 0) |
           (at->gpu.intensity == wanted->gpu.intensity ? JOULIE_CLASSIFY_KEPT_GPU_INTENSITY : 0) |
           (is_same_pair(&at->gpu, &wanted->gpu) ? JOULIE_CLASSIFY_KEPT_GPU_BOUND : 0);
}

/* Where one signal may stand: itself, and moved either way as far as that is another value. */
struct points {
    double at_pct[3];
    int count;
};

static struct points points_of(double value_pct, double margin_pct)
{
    struct points points = { .at_pct = { jl_clamp(value_pct, 0, 100) }, .count = 1 };
    const double down_pct = jl_clamp(value_pct - margin_pct, 0, 100);
    const double up_pct = jl_clamp(value_pct + margin_pct, 0, 100);
    if (down_pct != points.at_pct[0])
        points.at_pct[points.count++] = down_pct;
    if (up_pct != points.at_pct[0])
        points.at_pct[points.count++] = up_pct;
    return points;
}

/* The 27 points, less those that are the same; at one of them a member has its previous value
 * or it has not, in whatever order they are tried. */
static uint64_t reach(const struct joulie_classify_input *window, const struct jl_signals *signals,
                      const struct jl_ratios *ratios, const struct wanted *wanted,
                      double margin_pct)
{
    const struct points cpu = points_of(signals->cpu_util_pct, margin_pct);
    const struct points gpu = points_of(signals->gpu_util_pct, margin_pct);
    const struct points mem = points_of(signals->mem_pressure_pct, margin_pct);
    struct jl_signals near = *signals;
    uint64_t kept = 0;
    for (int point = 0; point < cpu.count * gpu.count * mem.count && kept != wanted->members;
         point++) {
        struct jl_verdict at;
        near.cpu_util_pct = cpu.at_pct[point % cpu.count];
        near.gpu_util_pct = gpu.at_pct[point / cpu.count % gpu.count];
        near.mem_pressure_pct = mem.at_pct[point / cpu.count / gpu.count];
        jl_verdict_near(window, &near, ratios, &at);
        kept |= members_reached(wanted, &at) & wanted->members;
    }
    return kept;
}

uint64_t jl_hysteresis(const struct joulie_classify_input *in,
                       const struct joulie_classify_input *window, const struct jl_signals *signals,
                       const struct jl_verdict *fresh)
{
    const double margin_pct =
        JL_CLASSIFY_HAS(in, HYSTERESIS) ? in->hysteresis_pct : JL_CLASSIFY_HYSTERESIS_PCT;
    if (jl_classify_is_source(in) || !(margin_pct > 0) || !JL_CLASSIFY_HAS(in, PREVIOUS) ||
        in->previous_confidence < JL_PROFILE_MIN_CONFIDENCE)
        return 0;

    struct wanted wanted = {
        .cpu = { in->previous_cpu_intensity, in->previous_cpu_bound, in->previous_cpu_sensitivity },
        .gpu = { in->previous_gpu_intensity, in->previous_gpu_bound, in->previous_gpu_sensitivity },
    };
    if (signals->is_cpu_known)
        want_cpu(&fresh->cpu, &wanted);
    want_gpu(&fresh->gpu, &wanted);
    return wanted.members != 0 ? reach(window, signals, &fresh->ratios, &wanted, margin_pct) : 0;
}
