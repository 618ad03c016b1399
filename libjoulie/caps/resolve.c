/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_caps_resolve(): from a request to the limit of each package or GPU
 * (docs/rules/caps.md#resolution). The step of a node and the question cap.resolve ask the same
 * rules for one device or for an array. resolve_v0_1_1.c has the rules of the source. */

#include "caps/resolve.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "caps/caps.h"

#define KNOWN_BITS (JOULIE_CAPS_HAS_CAP_W | JOULIE_CAPS_HAS_CAP_PCT | JOULIE_CAPS_HAS_FLOOR)

_Static_assert(sizeof(struct joulie_caps_intent) == 8 + 8 + 3 * 8 + 2 * 4, "no padding");
_Static_assert(sizeof(struct joulie_caps_limits) == 8 + 3 * 16, "no padding");
_Static_assert(sizeof(struct joulie_caps_out) == 8 + 9 * 16, "no padding");

/* ---- one device ---- */

struct jl_cap jl_cap_resolve(const struct joulie_caps_intent *intent,
                             const struct jl_cap_limits *limits, double floor_pct)
{
    const bool asks_watts = jl_cap_asks_watts(intent);
    if (!asks_watts && !jl_cap_asks_pct(intent))
        return (struct jl_cap){ .block = JOULIE_CAP_BLOCK_NO_INTENT };
    const bool has_max = limits->max_w > 0;
    if (!asks_watts && !has_max)
        return (struct jl_cap){ .block = JOULIE_CAP_BLOCK_NO_MAX };

    struct jl_cap cap = { .has_requested = true };
    cap.requested_w = asks_watts ? intent->cap_w : intent->cap_pct / 100 * limits->max_w;
    const double floor_w = has_max ? floor_pct / 100 * limits->max_w : 0;
    const double lower_w = jl_max(limits->min_w, floor_w);
    cap.cap_w = cap.requested_w;
    if (cap.cap_w < lower_w) {
        cap.cap_w = lower_w;
        cap.clamp = floor_w > limits->min_w ? JOULIE_CAP_CLAMP_FLOOR : JOULIE_CAP_CLAMP_MIN;
    }
    if (has_max && cap.cap_w > limits->max_w) {
        cap.cap_w = limits->max_w;
        cap.clamp = cap.requested_w == limits->max_w ? JOULIE_CAP_CLAMP_NONE : JOULIE_CAP_CLAMP_MAX;
    }
    cap.power_limit_uw = jl_cap_power_limit_uw(cap.cap_w, limits->power_unit_w);
    return cap;
}

/* ---- all devices of a node ---- */

/* What is the same for all devices: the floor, and in v0.1.1 the one cap of all. */
struct plan {
    const struct joulie_caps_intent *intent;
    double floor_pct;
    bool is_common;
    struct jl_cap common;
};

static struct plan plan_of(const struct joulie_caps_intent *intent,
                           const struct joulie_caps_limits *limits, size_t count)
{
    const bool has_floor = (intent->has & JOULIE_CAPS_HAS_FLOOR) != 0;
    const bool is_package = intent->device == JOULIE_CAP_DEVICE_PACKAGE;
    struct plan plan = { .intent = intent };
    if (is_package)
        plan.floor_pct = has_floor ? intent->floor_pct : JL_CAP_FLOOR_PCT;
    plan.is_common = intent->rules == JOULIE_CAPS_RULES_V0_1_1;
    if (plan.is_common)
        plan.common = jl_cap_v0_1_1(intent, limits, count);
    return plan;
}

static struct jl_cap cap_of(const struct plan *plan, const struct jl_cap_limits *limits)
{
    return plan->is_common ? jl_cap_of_device_v0_1_1(plan->intent, &plan->common, limits)
                           : jl_cap_resolve(plan->intent, limits, plan->floor_pct);
}

void jl_caps_resolve(const struct joulie_caps_intent *intent, const struct jl_cap_limits *limits,
                     size_t count, struct jl_cap *out)
{
    const int64_t stride = sizeof *limits;
    struct joulie_caps_limits table = JOULIE_INIT(struct joulie_caps_limits);
    if (count > 0) {
        table.min_w = (struct joulie_column){ &limits->min_w, stride };
        table.max_w = (struct joulie_column){ &limits->max_w, stride };
        table.unit_w = (struct joulie_column){ &limits->power_unit_w, stride };
    }
    const struct plan plan = plan_of(intent, &table, count);
    for (size_t i = 0; i < count; i++)
        out[i] = cap_of(&plan, &limits[i]);
}

/* ---- the exported function ---- */

static int check_intent(const struct joulie_caps_intent *intent, struct joulie_error *err)
{
    if ((unsigned)intent->rules > JOULIE_CAPS_RULES_V0_1_1)
        return jl_fail(err, JOULIE_E_ENUM, "intent.rules", "not a rule set of this build");
    if (intent->device != JOULIE_CAP_DEVICE_PACKAGE && intent->device != JOULIE_CAP_DEVICE_GPU)
        return jl_fail(err, JOULIE_E_ENUM, "intent.device", "not a device of this build");
    if ((intent->has & JOULIE_CAPS_HAS_CAP_W) != 0 && !jl_is_finite(intent->cap_w))
        return jl_fail(err, JOULIE_E_RANGE, "intent.cap_w", "not a finite number");
    if ((intent->has & JOULIE_CAPS_HAS_CAP_PCT) != 0 && !jl_is_finite(intent->cap_pct))
        return jl_fail(err, JOULIE_E_RANGE, "intent.cap_pct", "not a finite number");
    if ((intent->has & JOULIE_CAPS_HAS_FLOOR) != 0 &&
        !(intent->floor_pct >= 0 && intent->floor_pct <= 100))
        return jl_fail(err, JOULIE_E_RANGE, "intent.floor_pct", "not a number from 0 to 100");
    return 0;
}

static int check_outputs(const struct joulie_caps_out *out, struct joulie_error *err)
{
    static const char *const names[] = {
        "out.code",
        "out.block",
        "out.clamp",
        "out.requested_w",
        "out.cap_w",
        "out.limit_uw",
        "out.limit_milliwatts",
        "out.bound_w",
        "out.culprit",
    };
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        struct joulie_column_out column; /* all kinds of columns are a pointer and a stride */
        memcpy(&column,
               (const char *)out + offsetof(struct joulie_caps_out, code) + i * sizeof column,
               sizeof column);
        if (column.at != NULL && column.stride == 0)
            return jl_fail(err, JOULIE_E_RANGE, names[i], "stride 0 of an output");
    }
    return 0;
}

static void put_number(const struct joulie_column_out *column, size_t i, double value)
{
    if (column->at != NULL)
        memcpy((char *)column->at + (int64_t)i * column->stride, &value, sizeof value);
}

static void put_int(const struct joulie_column_int_out *column, size_t i, int32_t value)
{
    if (column->at != NULL)
        memcpy((char *)column->at + (int64_t)i * column->stride, &value, sizeof value);
}

static void put_cap(const struct joulie_caps_out *out, size_t i, int code, const struct jl_cap *cap)
{
    const bool is_resolved = code == JOULIE_OK && cap->block == JOULIE_CAP_BLOCK_NONE;
    put_int(&out->code, i, code);
    put_int(&out->block, i, (int32_t)cap->block);
    put_int(&out->clamp, i, (int32_t)cap->clamp);
    put_number(&out->requested_w, i, cap->has_requested ? cap->requested_w : 0);
    put_number(&out->cap_w, i, is_resolved ? cap->cap_w : 0);
    put_number(&out->limit_uw, i, is_resolved ? (double)cap->power_limit_uw : 0);
    put_number(&out->limit_milliwatts, i,
               is_resolved ? (double)jl_cap_power_limit_mw(cap->cap_w) : 0);
    put_number(&out->bound_w, i, cap->bound_w);
    put_int(&out->culprit, i, (int32_t)cap->culprit);
}

int joulie_caps_resolve(const struct joulie_caps_intent *intent,
                        const struct joulie_caps_limits *limits, size_t count,
                        const struct joulie_caps_out *out, size_t *out_failed,
                        struct joulie_error *err)
{
    static const struct jl_cap none = { .block = JOULIE_CAP_BLOCK_NONE };
    struct joulie_caps_intent our_intent;
    struct joulie_caps_limits ours;
    struct joulie_caps_out our_out;
    size_t failed = 0;
    if (JL_SIZED_READ(&our_intent, intent) < 0 || (our_intent.has & ~KNOWN_BITS) != 0)
        return jl_fail_abi(err, "intent");
    if (JL_SIZED_READ(&ours, limits) < 0)
        return jl_fail_abi(err, "limits");
    if (JL_SIZED_READ(&our_out, out) < 0)
        return jl_fail_abi(err, "out");
    int rc = check_intent(&our_intent, err);
    if (rc == 0)
        rc = check_outputs(&our_out, err);
    if (rc < 0)
        return rc;
    const struct plan plan = plan_of(&our_intent, &ours, count);
    for (size_t i = 0; i < count; i++) {
        bool is_bad = false;
        const struct jl_cap_limits device = jl_cap_limits_at(&ours, i, &is_bad);
        const struct jl_cap cap = is_bad ? none : cap_of(&plan, &device);
        put_cap(&our_out, i, is_bad ? JOULIE_E_RANGE : JOULIE_OK, &cap);
        failed += is_bad;
    }
    if (out_failed != NULL)
        *out_failed = failed;
    return JOULIE_OK;
}
