/* SPDX-License-Identifier: Apache-2.0 */

/* A stored classification is kept through an outage, with less and less confidence, and is written
 * again only for a change that readers see (docs/rules/classification.md#what-is-written). */

#include "classify/keep.h"

#include <math.h>

#include "base/number.h"
#include "classify/rules.h"

#define STEPS 20.0    /* of confidence: what is written of a fall, and what is a change */
#define UTIL_PCT 10.0 /* points of utilisation that are one */
#define SLACK 1e-9
#define HIGHEST 0.85 /* confidence that measurements and annotations come to */

static double confidence_of(const struct jl_profile_status *status)
{
    return JL_GIVEN_OR(status, confidence, 0);
}

/* ---- is it another one? ---- */

static bool is_far(bool has_a, double a, bool has_b, double b, double most)
{
    return has_a != has_b || (has_a && fabs(a - b) >= most - SLACK);
}

static bool is_other_part(bool has_a, const struct jl_profile_part *a, bool has_b,
                          const struct jl_profile_part *b)
{
    if (has_a != has_b || !has_a)
        return has_a != has_b;
    return a->intensity != b->intensity || a->bound != b->bound ||
           a->cap_sensitivity != b->cap_sensitivity ||
           is_far(a->given.avg_utilization_pct, a->avg_utilization_pct,
                  b->given.avg_utilization_pct, b->avg_utilization_pct, UTIL_PCT);
}

static bool is_other_intent(const struct jl_profile_status *a, const struct jl_profile_status *b)
{
    return a->criticality.class_ != b->criticality.class_ ||
           a->given.migratability != b->given.migratability ||
           a->migratability.reschedulable != b->migratability.reschedulable;
}

static bool is_other(const struct jl_profile_status *a, const struct jl_profile_status *b)
{
    return is_other_intent(a, b) || is_other_part(a->given.cpu, &a->cpu, b->given.cpu, &b->cpu) ||
           is_other_part(a->given.gpu, &a->gpu, b->given.gpu, &b->gpu) ||
           is_far(a->given.confidence, a->confidence, b->given.confidence, b->confidence,
                  1 / STEPS);
}

/* ---- what is kept ---- */

/* From what the best is worth down to what readers just use, in steps. */
static double ceiling(const struct jl_keep_case *now)
{
    if (now->age_ms <= now->fall_ms || now->hold_ms <= now->fall_ms)
        return 1;
    const double part =
        (double)(now->age_ms - now->fall_ms) / (double)(now->hold_ms - now->fall_ms);
    const double confidence = HIGHEST - jl_max(0, HIGHEST - now->min_confidence) * jl_unit(part);
    return jl_max(now->min_confidence, ceil(confidence * STEPS - SLACK) / STEPS);
}

/* The word of the pods needs no measurement. */
static void take_hints(const struct jl_keep_case *now, struct jl_profile_status *out)
{
    struct jl_hints hints;
    jl_hints_read(now->in, &hints);
    *out = *now->stored;
    if (hints.class_ != JL_CRITICALITY_UNKNOWN)
        JL_TAKE(out, criticality, now->fresh, criticality);
    if (hints.reschedulable >= 0)
        JL_TAKE(out, migratability, now->fresh, migratability);
    if (hints.cpu_sensitivity != JOULIE_LEVEL_UNKNOWN)
        JL_SET(&out->cpu, cap_sensitivity, hints.cpu_sensitivity);
    if (hints.gpu_sensitivity != JOULIE_LEVEL_UNKNOWN)
        JL_SET(&out->gpu, cap_sensitivity, hints.gpu_sensitivity);
}

bool jl_keep(const struct jl_keep_case *now, struct jl_profile_status *out)
{
    const struct jl_profile_status *stored = now->stored;
    const bool is_kept = now->is_partial && stored != NULL && now->has_age &&
                         now->age_ms <= now->hold_ms &&
                         confidence_of(stored) >= now->min_confidence - SLACK;
    if (!is_kept) {
        *out = *now->fresh;
        return stored == NULL || is_other(now->fresh, stored) || !now->has_age ||
               (now->age_ms >= now->refresh_ms && !now->is_partial);
    }
    take_hints(now, out);
    JL_SET(out, confidence, jl_min(confidence_of(stored), ceiling(now)));
    return is_other(out, stored);
}
