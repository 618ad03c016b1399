/* SPDX-License-Identifier: Apache-2.0 */

/* The throttle that keeps a cap of a remote node (docs/rules/frequencies.md): the controllers of
 * caps/dvfs.h over readings that come over HTTP. An agent has one for each node. */

#include <joulie/remote.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "caps/dvfs.h"

#define PERCENT 100.0
#define OPTIONS_BITS ((JOULIE_THROTTLE_HAS_TRIP_COUNT << 1) - 1)

_Static_assert(sizeof(struct joulie_throttle_options) ==
                       offsetof(struct joulie_throttle_options, reserved) + sizeof(uint32_t) &&
                   sizeof(struct joulie_throttle_sample) ==
                       offsetof(struct joulie_throttle_sample, in_force_pct) + sizeof(double),
               "no tail padding");

struct joulie_throttle {
    bool is_legacy;
    struct jl_dvfs_params params;
    double cap_w; /* of the interval before; < 0 = there was none */
    struct jl_dvfs loop;
    struct jl_dvfs_legacy legacy;
};

/* The same bounds as of an agent on its own machine. */
static int take_options(struct joulie_throttle *throttle,
                        const struct joulie_throttle_options *options, struct joulie_error *err)
{
    struct jl_dvfs_params *params = &throttle->params;
    throttle->is_legacy = options->is_legacy != 0;
    jl_dvfs_params_default(params);
    if (options->has & JOULIE_THROTTLE_HAS_EMA_ALPHA)
        params->alpha = options->ema_alpha;
    if (options->has & JOULIE_THROTTLE_HAS_HIGH_MARGIN)
        params->high_margin_w = options->high_margin_w;
    if (options->has & JOULIE_THROTTLE_HAS_LOW_MARGIN)
        params->low_margin_w = options->low_margin_w;
    if (options->has & JOULIE_THROTTLE_HAS_STEP)
        params->step_pct = options->step_pct;
    if (options->has & JOULIE_THROTTLE_HAS_COOLDOWN)
        params->cooldown_ms = options->cooldown_ms;
    if (options->has & JOULIE_THROTTLE_HAS_TRIP_COUNT)
        params->trip_count = options->trip_count > 0 && options->trip_count <= INT32_MAX
                                 ? (uint32_t)options->trip_count
                                 : 0; /* which no controller works with */
    const char *fault = jl_dvfs_params_fault(params);
    return fault == NULL ? 0
                         : jl_fail(err, JOULIE_E_RANGE, fault,
                                   "outside the range that the controller works in");
}

int joulie_throttle_new(const struct joulie_throttle_options *options, struct joulie_throttle **out,
                        struct joulie_error *err)
{
    struct joulie_throttle_options ours = { .struct_size = sizeof ours };
    if (options != NULL && (JL_SIZED_READ(&ours, options) < 0 || (ours.has & ~OPTIONS_BITS) != 0 ||
                            ours.reserved != 0))
        return jl_fail_abi(err, "");
    struct joulie_throttle *throttle = jl_calloc(1, sizeof *throttle);
    if (throttle == NULL)
        return jl_fail_memory(err);
    throttle->cap_w = -1;
    const int rc = take_options(throttle, &ours, err);
    if (rc < 0)
        joulie_throttle_free(throttle);
    else
        *out = throttle;
    return rc;
}

void joulie_throttle_free(struct joulie_throttle *throttle)
{
    jl_free(throttle);
}

static bool is_watts(double watts)
{
    return jl_is_finite(watts) && watts >= 0;
}

/* A new cap goes on from the throttle in force. */
static void start(struct joulie_throttle *throttle, double cap_w, double in_force_pct)
{
    throttle->cap_w = cap_w;
    throttle->legacy = (struct jl_dvfs_legacy){ .throttle_pct = in_force_pct };
    jl_dvfs_init(&throttle->loop, jl_max(1 - in_force_pct / PERCENT, JL_DVFS_S_MIN));
}

/* Without power both controllers hold, and the throttle in force stays. */
int joulie_throttle_step(struct joulie_throttle *throttle,
                         const struct joulie_throttle_sample *sample, double *out_pct,
                         struct joulie_error *err)
{
    struct joulie_throttle_sample ours;
    if (JL_SIZED_READ(&ours, sample) < 0 || (ours.has & ~JOULIE_THROTTLE_HAS_POWER) != 0)
        return jl_fail_abi(err, "");
    const bool has_power = (ours.has & JOULIE_THROTTLE_HAS_POWER) != 0;
    if (!is_watts(ours.cap_w) || (has_power && !is_watts(ours.power_w)))
        return jl_fail(err, JOULIE_E_RANGE, is_watts(ours.cap_w) ? "power_w" : "cap_w",
                       "watts that are not negative were expected");
    if (!(ours.in_force_pct >= 0 && ours.in_force_pct <= PERCENT))
        return jl_fail(err, JOULIE_E_RANGE, "in_force_pct", "0 to 100 was expected");
    if (throttle->cap_w != ours.cap_w)
        start(throttle, ours.cap_w, ours.in_force_pct);
    if (throttle->is_legacy) {
        jl_dvfs_legacy_step(&throttle->params, &throttle->legacy, has_power, ours.power_w,
                            ours.cap_w, ours.at_ms);
        *out_pct = throttle->legacy.throttle_pct;
    } else {
        jl_dvfs_step(&throttle->loop, has_power, ours.power_w, ours.cap_w);
        *out_pct = jl_round_half_away(PERCENT * (1 - throttle->loop.s));
    }
    return JOULIE_OK;
}

double joulie_throttle_open_pct(double cap_pct)
{
    return jl_dvfs_open_throttle_pct(cap_pct);
}
