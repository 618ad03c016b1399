/* SPDX-License-Identifier: Apache-2.0 */

/* The states of one control: what is written next, and what a write makes of the state
 * (docs/rules/enforcement.md#states). Called by enforce/ for each control in each interval. */

#include "node/cap_life.h"

#include "base/backoff.h"
#include "caps/ramp.h"
#include "power/rapl.h"

#define UW_PER_W 1e6

/* State and reason change together: a reason of another state would explain nothing. */
static void become(struct jl_cap_life *life, enum jl_device_state state, enum jl_cap_reason reason)
{
    life->state = state;
    life->reason = reason;
}

static void forget_old_reasserts(struct jl_cap_life *life, int64_t now_ms)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < life->reasserts; i++) {
        if (now_ms - life->reassert_ms[i] < JL_REASSERT_WINDOW_MS)
            life->reassert_ms[kept++] = life->reassert_ms[i];
    }
    life->reasserts = kept;
}

bool jl_cap_life_is_waiting(const struct jl_cap_life *life, int64_t now_ms)
{
    switch (life->state) {
    case JL_DEVICE_MONITOR:
    case JL_DEVICE_FAILED:
    case JL_DEVICE_CONTESTED:
        return now_ms < life->not_before_ms;
    case JL_DEVICE_UNKNOWN:
    case JL_DEVICE_WORD_UNKNOWN:
    case JL_DEVICE_IDLE:
    case JL_DEVICE_APPLYING:
    case JL_DEVICE_CAPPED:
    case JL_DEVICE_DRIFTED:
    case JL_DEVICE_RESTORING:
        break;
    }
    return false;
}

/* ---- what to write next ---- */

/* Lowering in steps keeps a machine responsive; raising needs no care. */
static uint64_t with_ramp(const struct jl_cap_life_view *view)
{
    if (!view->ramps || view->target >= view->value || !(view->reference_w > 0))
        return view->target;
    const double next_w = joulie_caps_next_w(view->reference_w, (double)view->value / UW_PER_W,
                                             (double)view->target / UW_PER_W);
    const uint64_t unit = view->unit > 0 ? view->unit : 1;
    const uint64_t next = (uint64_t)(next_w * UW_PER_W) / unit * unit;
    return next > view->target ? next : view->target;
}

/* What we hold is as it should be, up to what others did to it. true = leave it alone. */
static bool has_settled(struct jl_cap_life *life, const struct jl_cap_life_view *view)
{
    if (!life->has_written)
        return false;
    /* of a request less may have been in force when it was read back, and more of it later */
    const bool is_above = view->is_request && life->requested > life->written;
    const struct jl_drift drift = jl_cap_drift(
        life->state == JL_DEVICE_DRIFTED ? JL_DEVICE_DRIFTED : JL_DEVICE_CAPPED,
        is_above ? life->requested : life->written, view->value, view->unit, life->reasserts);
    if (drift.state == JL_DEVICE_CONTESTED) {
        become(life, JL_DEVICE_CONTESTED, JL_CAP_REASON_CONTESTED);
        life->not_before_ms = view->now_ms + JL_CONTESTED_MS;
        life->has_written = false; /* it is theirs now */
        return true;
    }
    if (drift.write) {
        become(life, JL_DEVICE_DRIFTED, JL_CAP_REASON_DRIFTED);
        return false;
    }
    if (drift.reason == JL_CAP_REASON_LIMITED_BY_OTHER) {
        const bool is_lower = !view->is_request && view->target >= view->value;
        if (is_lower || view->target == life->requested) {
            become(life, JL_DEVICE_CAPPED, JL_CAP_REASON_LIMITED_BY_OTHER);
            return true;
        }
        return false;
    }
    if (view->target == life->requested) {
        become(life, JL_DEVICE_CAPPED, JL_CAP_REASON_NONE);
        return true;
    }
    return false;
}

/* Order matters: a device that is gone, then a pause, then what we hold already, then what is there
 * by chance, then the ramp. */
static bool next_cap(struct jl_cap_life *life, const struct jl_cap_life_view *view,
                     uint64_t *out_value)
{
    if (!view->has_value) {
        become(life, JL_DEVICE_UNKNOWN, JL_CAP_REASON_DEVICE_LOST);
        return false;
    }
    if (jl_cap_life_is_waiting(life, view->now_ms))
        return false;
    forget_old_reasserts(life, view->now_ms);
    if (has_settled(life, view))
        return false;
    const bool is_drift = life->state == JL_DEVICE_DRIFTED;
    if (!is_drift && !view->is_request && jl_rapl_agrees(view->target, view->value, view->unit)) {
        life->has_written = true;
        life->requested = view->target;
        life->written = view->value;
        life->since_ms = view->now_ms; /* as seen from here */
        become(life, JL_DEVICE_CAPPED, JL_CAP_REASON_NONE);
        return false;
    }
    if (life->state == JL_DEVICE_APPLYING && life->reason == JL_CAP_REASON_RAMPING &&
        view->now_ms < life->not_before_ms && view->target < view->value)
        return false;
    *out_value = is_drift ? life->requested : with_ramp(view);
    return true;
}

bool jl_cap_life_next(struct jl_cap_life *life, const struct jl_cap_life_view *view,
                      uint64_t *out_value)
{
    switch (view->goal) {
    case JL_GOAL_CAP:
        return next_cap(life, view, out_value);
    case JL_GOAL_RESTORE:
        if (life->state != JL_DEVICE_CONTESTED && jl_cap_life_is_waiting(life, view->now_ms))
            return false;
        become(life, JL_DEVICE_RESTORING, JL_CAP_REASON_NONE);
        *out_value = view->target;
        return true;
    case JL_GOAL_NONE:
        break;
    }
    *life = (struct jl_cap_life){ .state = view->has_value ? JL_DEVICE_IDLE : JL_DEVICE_UNKNOWN };
    return false;
}

/* ---- what came of it ---- */

static void pause(struct jl_cap_life *life, int64_t now_ms)
{
    const double pause_s = jl_backoff_s(&jl_backoff_probe, life->probes);
    life->not_before_ms = now_ms + (int64_t)(pause_s * 1e3);
    life->probes++;
}

/* Tried again at once while it may be a slip, then in pauses that double. */
static void fail(struct jl_cap_life *life, enum jl_cap_reason reason, int64_t now_ms)
{
    become(life, JL_DEVICE_FAILED, reason);
    life->has_written = false;
    life->failures++;
    life->not_before_ms = now_ms; /* at once again, then in longer and longer pauses */
    if (life->failures >= JL_FAILURES_MAX)
        pause(life, now_ms);
}

/* A write that was proven ends every pause; on a ramp the next one begins. */
static void succeed(struct jl_cap_life *life, const struct jl_cap_life_view *view, uint64_t value,
                    uint64_t read_back)
{
    if (life->state == JL_DEVICE_DRIFTED && life->reasserts < JL_REASSERT_MAX)
        life->reassert_ms[life->reasserts++] = view->now_ms;
    life->failures = 0;
    life->probes = 0;
    life->has_written = true;
    life->requested = value;
    life->written = read_back;
    life->since_ms = view->now_ms;
    if (view->goal == JL_GOAL_RESTORE) {
        *life = (struct jl_cap_life){ .state = JL_DEVICE_IDLE };
    } else if (value == view->target) {
        become(life, JL_DEVICE_CAPPED, JL_CAP_REASON_NONE);
    } else {
        become(life, JL_DEVICE_APPLYING, JL_CAP_REASON_RAMPING);
        life->not_before_ms = view->now_ms + JL_RAMP_STEP_MS;
    }
}

void jl_cap_life_wrote(struct jl_cap_life *life, const struct jl_cap_life_view *view,
                       enum jl_wrote wrote, uint64_t value, uint64_t read_back)
{
    const int64_t now_ms = view->now_ms;
    switch (wrote) {
    case JL_WROTE_VERIFIED:
        succeed(life, view, value, read_back);
        break;
    case JL_WROTE_DISAGREES:
        fail(life, JL_CAP_REASON_REFUSED, now_ms);
        if (life->failures < JL_FAILURES_MAX && view->goal == JL_GOAL_CAP)
            become(life, JL_DEVICE_APPLYING, JL_CAP_REASON_REFUSED);
        break;
    case JL_WROTE_LOCKED:
        fail(life, JL_CAP_REASON_LOCKED, now_ms);
        life->state = JL_DEVICE_MONITOR;
        pause(life, now_ms);
        break;
    case JL_WROTE_REFUSED:
        fail(life, JL_CAP_REASON_REFUSED, now_ms);
        break;
    case JL_WROTE_DENIED:
        fail(life, JL_CAP_REASON_NO_PERMISSION, now_ms);
        break;
    case JL_WROTE_LOST:
        become(life, JL_DEVICE_UNKNOWN, JL_CAP_REASON_DEVICE_LOST);
        life->has_written = false;
        break;
    case JL_WROTE_FAILED:
        fail(life, JL_CAP_REASON_NONE, now_ms);
        break;
    case JL_WROTE_REVERTED:
        become(life, JL_DEVICE_APPLYING, JL_CAP_REASON_NONE); /* waits for the others */
        life->has_written = false;
        break;
    case JL_WROTE_UNBOUNDED:
        fail(life, JL_CAP_REASON_UNBOUNDED, now_ms);
        life->state = JL_DEVICE_MONITOR;
        pause(life, now_ms);
        break;
    }
}

/* ---- limiter ---- */

#define NEAR_FRAC 0.95 /* of a limit: power this close to it is held by it */

const struct jl_words jl_limiter_words = JL_WORDS({
    { JL_LIMITER_NONE, "none" },
    { JL_LIMITER_MSR, "msr" },
    { JL_LIMITER_THERMAL, "thermal" },
    { JL_LIMITER_MMIO, "mmio" },
    { JL_LIMITER_OUT_OF_BAND, "out-of-band" },
    { JL_LIMITER_FIRMWARE, "firmware" },
});

enum jl_limiter jl_limiter(const struct jl_limiter_view *view)
{
    if (view->is_off || view->reason == JL_CAP_REASON_LOCKED)
        return JL_LIMITER_FIRMWARE;
    if (view->reason == JL_CAP_REASON_LIMITED_BY_OTHER)
        return JL_LIMITER_OUT_OF_BAND;
    if (view->has_other && view->other_w < view->limit_w)
        return JL_LIMITER_MMIO;
    if (view->is_hot)
        return JL_LIMITER_THERMAL;
    const bool is_near =
        view->has_watts && view->limit_w > 0 && view->watts >= NEAR_FRAC * view->limit_w;
    return is_near ? JL_LIMITER_MSR : JL_LIMITER_NONE;
}
