/* SPDX-License-Identifier: Apache-2.0 */

/* The states of one control: what is written next, and what a write makes of the state
 * (docs/rules/enforcement.md#states). Called by enforce/ for each control in each interval. */

#include "node/machine.h"

#include "base/backoff.h"
#include "caps/ramp.h"
#include "power/rapl.h"

#define UW_PER_W 1e6

/* State and reason change together: a reason of another state would explain nothing. */
static void become(struct jl_machine *machine, enum jl_device_state state,
                   enum jl_cap_reason reason)
{
    machine->state = state;
    machine->reason = reason;
}

static void forget_old_reasserts(struct jl_machine *machine, int64_t now_ms)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < machine->reasserts; i++) {
        if (now_ms - machine->reassert_ms[i] < JL_REASSERT_WINDOW_MS)
            machine->reassert_ms[kept++] = machine->reassert_ms[i];
    }
    machine->reasserts = kept;
}

bool jl_machine_is_waiting(const struct jl_machine *machine, int64_t now_ms)
{
    switch (machine->state) {
    case JL_DEVICE_MONITOR:
    case JL_DEVICE_FAILED:
    case JL_DEVICE_CONTESTED:
        return now_ms < machine->not_before_ms;
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
static uint64_t with_ramp(const struct jl_machine_view *view)
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
static bool has_settled(struct jl_machine *machine, const struct jl_machine_view *view)
{
    if (!machine->has_written)
        return false;
    /* of a request less may have been in force when it was read back, and more of it later */
    const bool is_above = view->is_request && machine->requested > machine->written;
    const struct jl_drift drift =
        jl_cap_drift(machine->state == JL_DEVICE_DRIFTED ? JL_DEVICE_DRIFTED : JL_DEVICE_CAPPED,
                     is_above ? machine->requested : machine->written, view->value, view->unit,
                     machine->reasserts);
    if (drift.state == JL_DEVICE_CONTESTED) {
        become(machine, JL_DEVICE_CONTESTED, JL_CAP_REASON_CONTESTED);
        machine->not_before_ms = view->now_ms + JL_CONTESTED_MS;
        machine->has_written = false; /* it is theirs now */
        return true;
    }
    if (drift.write) {
        become(machine, JL_DEVICE_DRIFTED, JL_CAP_REASON_DRIFTED);
        return false;
    }
    if (drift.reason == JL_CAP_REASON_LIMITED_BY_OTHER) {
        const bool is_lower = !view->is_request && view->target >= view->value;
        if (is_lower || view->target == machine->requested) {
            become(machine, JL_DEVICE_CAPPED, JL_CAP_REASON_LIMITED_BY_OTHER);
            return true;
        }
        return false;
    }
    if (view->target == machine->requested) {
        become(machine, JL_DEVICE_CAPPED, JL_CAP_REASON_NONE);
        return true;
    }
    return false;
}

/* Order matters: a device that is gone, then a pause, then what we hold already, then what is there
 * by chance, then the ramp. */
static bool next_cap(struct jl_machine *machine, const struct jl_machine_view *view,
                     uint64_t *out_value)
{
    if (!view->has_value) {
        become(machine, JL_DEVICE_UNKNOWN, JL_CAP_REASON_DEVICE_LOST);
        return false;
    }
    if (jl_machine_is_waiting(machine, view->now_ms))
        return false;
    forget_old_reasserts(machine, view->now_ms);
    if (has_settled(machine, view))
        return false;
    const bool is_drift = machine->state == JL_DEVICE_DRIFTED;
    if (!is_drift && !view->is_request && jl_rapl_agrees(view->target, view->value, view->unit)) {
        machine->has_written = true;
        machine->requested = view->target;
        machine->written = view->value;
        machine->since_ms = view->now_ms; /* as seen from here */
        become(machine, JL_DEVICE_CAPPED, JL_CAP_REASON_NONE);
        return false;
    }
    if (machine->state == JL_DEVICE_APPLYING && machine->reason == JL_CAP_REASON_RAMPING &&
        view->now_ms < machine->not_before_ms && view->target < view->value)
        return false;
    *out_value = is_drift ? machine->requested : with_ramp(view);
    return true;
}

bool jl_machine_next(struct jl_machine *machine, const struct jl_machine_view *view,
                     uint64_t *out_value)
{
    switch (view->goal) {
    case JL_GOAL_CAP:
        return next_cap(machine, view, out_value);
    case JL_GOAL_RESTORE:
        if (machine->state != JL_DEVICE_CONTESTED && jl_machine_is_waiting(machine, view->now_ms))
            return false;
        become(machine, JL_DEVICE_RESTORING, JL_CAP_REASON_NONE);
        *out_value = view->target;
        return true;
    case JL_GOAL_NONE:
        break;
    }
    *machine = (struct jl_machine){ .state = view->has_value ? JL_DEVICE_IDLE : JL_DEVICE_UNKNOWN };
    return false;
}

/* ---- what came of it ---- */

static void pause(struct jl_machine *machine, int64_t now_ms)
{
    const double pause_s = jl_backoff_s(&jl_backoff_probe, machine->probes);
    machine->not_before_ms = now_ms + (int64_t)(pause_s * 1e3);
    machine->probes++;
}

/* Tried again at once while it may be a slip, then in pauses that double. */
static void fail(struct jl_machine *machine, enum jl_cap_reason reason, int64_t now_ms)
{
    become(machine, JL_DEVICE_FAILED, reason);
    machine->has_written = false;
    machine->failures++;
    machine->not_before_ms = now_ms; /* at once again, then in longer and longer pauses */
    if (machine->failures >= JL_FAILURES_MAX)
        pause(machine, now_ms);
}

/* A write that was proven ends every pause; on a ramp the next one begins. */
static void succeed(struct jl_machine *machine, const struct jl_machine_view *view, uint64_t value,
                    uint64_t read_back)
{
    if (machine->state == JL_DEVICE_DRIFTED && machine->reasserts < JL_REASSERT_MAX)
        machine->reassert_ms[machine->reasserts++] = view->now_ms;
    machine->failures = 0;
    machine->probes = 0;
    machine->has_written = true;
    machine->requested = value;
    machine->written = read_back;
    machine->since_ms = view->now_ms;
    if (view->goal == JL_GOAL_RESTORE) {
        *machine = (struct jl_machine){ .state = JL_DEVICE_IDLE };
    } else if (value == view->target) {
        become(machine, JL_DEVICE_CAPPED, JL_CAP_REASON_NONE);
    } else {
        become(machine, JL_DEVICE_APPLYING, JL_CAP_REASON_RAMPING);
        machine->not_before_ms = view->now_ms + JL_RAMP_STEP_MS;
    }
}

void jl_machine_wrote(struct jl_machine *machine, const struct jl_machine_view *view,
                      enum jl_wrote wrote, uint64_t value, uint64_t read_back)
{
    const int64_t now_ms = view->now_ms;
    switch (wrote) {
    case JL_WROTE_VERIFIED:
        succeed(machine, view, value, read_back);
        break;
    case JL_WROTE_DISAGREES:
        fail(machine, JL_CAP_REASON_REFUSED, now_ms);
        if (machine->failures < JL_FAILURES_MAX && view->goal == JL_GOAL_CAP)
            become(machine, JL_DEVICE_APPLYING, JL_CAP_REASON_REFUSED);
        break;
    case JL_WROTE_LOCKED:
        fail(machine, JL_CAP_REASON_LOCKED, now_ms);
        machine->state = JL_DEVICE_MONITOR;
        pause(machine, now_ms);
        break;
    case JL_WROTE_REFUSED:
        fail(machine, JL_CAP_REASON_REFUSED, now_ms);
        break;
    case JL_WROTE_DENIED:
        fail(machine, JL_CAP_REASON_NO_PERMISSION, now_ms);
        break;
    case JL_WROTE_LOST:
        become(machine, JL_DEVICE_UNKNOWN, JL_CAP_REASON_DEVICE_LOST);
        machine->has_written = false;
        break;
    case JL_WROTE_FAILED:
        fail(machine, JL_CAP_REASON_NONE, now_ms);
        break;
    case JL_WROTE_REVERTED:
        become(machine, JL_DEVICE_APPLYING, JL_CAP_REASON_NONE); /* waits for the others */
        machine->has_written = false;
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
    if (view->is_off || view->state == JL_DEVICE_MONITOR || view->reason == JL_CAP_REASON_LOCKED)
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
