/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Two readings of an energy counter to joules and watts, or the reason why they are none
 * (docs/rules/energy.md#deltas), and energy divided among pods (docs/rules/energy.md#attribution).
 * Called by enforce/ for every sample, and by the questions `energy.delta` and `energy.attribute`.
 */

#include "power/energy.h"

#include <math.h>
#include <stddef.h>

#include <joulie/error.h>

#include "base/number.h"
#include "power/rapl.h"

#define UJ_PER_J UINT64_C(1000000)
#define SLEEP_S 1.0          /* a jump that is longer is a suspend */
#define RESET_TDPS 3         /* above it the counter was set back */
#define RESET_UNKNOWN_W 2000 /* in its place where the TDP is unknown */
#define LARGEST_UJ 9.2e18    /* below 2^63 */

static bool slept(const struct jl_energy_step *step)
{
    return !(fabs(step->sleep_s) <= SLEEP_S);
}

static bool may_have_wrapped_twice(const struct jl_energy_step *step)
{
    return step->range_uj > 0 && step->max_w > 0 &&
           step->seconds > jl_rapl_wrap_s(step->range_uj, step->max_w);
}

/* Modulo the range; false when the range cannot explain that the counter fell. */
static bool difference(const struct jl_energy_step *step, uint64_t *out_uj)
{
    if (step->now_uj >= step->last_uj) {
        *out_uj = step->now_uj - step->last_uj;
        return true;
    }
    const uint64_t fallen_uj = step->last_uj - step->now_uj;
    if (fallen_uj > step->range_uj)
        return false;
    *out_uj = step->range_uj - fallen_uj;
    return true;
}

static enum jl_energy_drop drop_before(const struct jl_energy_step *step)
{
    if (!step->has_last)
        return JL_ENERGY_FIRST;
    if (slept(step))
        return JL_ENERGY_SUSPEND;
    if (!(step->seconds > 0) || !jl_is_finite(step->seconds))
        return JL_ENERGY_NO_TIME;
    return may_have_wrapped_twice(step) ? JL_ENERGY_GAP : JL_ENERGY_KEPT;
}

struct jl_energy_delta jl_energy_delta(const struct jl_energy_step *step)
{
    struct jl_energy_delta delta = { .drop = drop_before(step) };
    if (delta.drop != JL_ENERGY_KEPT)
        return delta;
    uint64_t delta_uj = 0;
    if (!difference(step, &delta_uj)) {
        delta.drop = JL_ENERGY_RANGE;
        return delta;
    }
    const double watts = (double)delta_uj / (double)UJ_PER_J / step->seconds;
    const double largest_w = step->tdp_w > 0 ? RESET_TDPS * step->tdp_w : RESET_UNKNOWN_W;
    if (watts > largest_w || !jl_is_finite(watts)) {
        delta.drop = JL_ENERGY_RESET;
        return delta;
    }
    delta.delta_uj = delta_uj;
    delta.watts = watts;
    return delta;
}

const char *jl_energy_drop_word(enum jl_energy_drop drop)
{
    switch (drop) {
    case JL_ENERGY_RANGE:
        return "range";
    case JL_ENERGY_RESET:
        return "reset";
    case JL_ENERGY_GAP:
        return "gap";
    case JL_ENERGY_SUSPEND:
        return "suspend";
    case JL_ENERGY_KEPT:
    case JL_ENERGY_FIRST:
    case JL_ENERGY_NO_TIME:
        break;
    }
    return NULL;
}

uint64_t jl_energy_of_count_uj(uint64_t count, double scale_j)
{
    const double energy_uj = jl_round_half_away((double)count * scale_j * (double)UJ_PER_J);
    return energy_uj > 0 ? (uint64_t)jl_min(energy_uj, LARGEST_UJ) : 0;
}

uint64_t jl_energy_published_j(uint64_t energy_uj)
{
    return energy_uj / UJ_PER_J;
}

/* ---- shares of pods ---- */

int jl_energy_attribute(const struct jl_energy_window *window, const double *cpu_s, size_t count,
                        struct jl_energy_share *out)
{
    const double idle_j = jl_min(window->idle_j, window->package_j); /* an estimate may be high */
    const double dynamic_j = window->package_j - idle_j;
    double total_s = 0;
    for (size_t i = 0; i < count; i++)
        total_s += cpu_s[i];
    if (!jl_is_finite(total_s))
        return JOULIE_E_RANGE;

    for (size_t i = 0; i < count; i++) {
        const double share = cpu_s[i] > 0 ? cpu_s[i] / total_s : 0;
        out[i].dynamic_j = dynamic_j * share;
        out[i].idle_j = window->is_full ? idle_j * share : 0;
        out[i].total_j = out[i].dynamic_j + out[i].idle_j;
    }
    return 0;
}
