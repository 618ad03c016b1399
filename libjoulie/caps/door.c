/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_caps_resolve() and joulie_caps_next_w(): the public door. */

#include <string.h>

#include <joulie/caps.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "caps/caps.h"
#include "caps/ramp.h"

#define INTENT_SIZE_0_1 sizeof(struct joulie_caps_intent)
#define LIMITS_SIZE_0_1 sizeof(struct joulie_caps_limits)
#define OUT_SIZE_0_1 sizeof(struct joulie_caps_out)
#define KNOWN_BITS (JOULIE_CAPS_HAS_CAP_W | JOULIE_CAPS_HAS_CAP_PCT | JOULIE_CAPS_HAS_FLOOR)

_Static_assert(sizeof(struct joulie_caps_intent) == 8 + 8 + 3 * 8 + 2 * 4, "no padding");
_Static_assert(sizeof(struct joulie_caps_limits) == 8 + 3 * 16, "no padding");
_Static_assert(sizeof(struct joulie_caps_out) == 8 + 9 * 16, "no padding");
_Static_assert((int)JOULIE_CAP_BLOCK_GPU_ABOVE_MAX == (int)JL_CAP_GPU_ABOVE_MAX &&
                   (int)JOULIE_CAP_CLAMP_FLOOR == (int)JL_CLAMP_FLOOR,
               "one list of reasons and clamps");

static int fail_abi(struct joulie_error *err, const char *where)
{
    return jl_fail(err, JOULIE_E_ABI, where,
                   "struct_size is impossible, or a field of a newer release is set");
}

/* ---- check ---- */

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

/* ---- answer ---- */

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
    const bool is_resolved = code == JOULIE_OK && cap->block == JL_CAP_RESOLVED;
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

static void answer(const struct jl_cap_plan *plan, const struct joulie_caps_out *out,
                   size_t *out_failed)
{
    static const struct jl_cap none = { .block = JL_CAP_RESOLVED };
    size_t failed = 0;
    for (size_t i = 0; i < plan->table->count; i++) {
        bool is_bad = false;
        const struct jl_cap_limits limits = jl_cap_limits_at(plan->table, i, &is_bad);
        const struct jl_cap cap = is_bad ? none : jl_cap_of(plan, &limits);
        put_cap(out, i, is_bad ? JOULIE_E_RANGE : JOULIE_OK, &cap);
        failed += is_bad;
    }
    if (out_failed != NULL)
        *out_failed = failed;
}

/* ---- the call ---- */

static struct jl_cap_intent intent_of(const struct joulie_caps_intent *given)
{
    struct jl_cap_intent intent = { 0 };
    if ((given->has & JOULIE_CAPS_HAS_CAP_W) != 0)
        JL_PUT(&intent, JL_CAP_INTENT_WATTS, watts, given->cap_w);
    if ((given->has & JOULIE_CAPS_HAS_CAP_PCT) != 0)
        JL_PUT(&intent, JL_CAP_INTENT_PCT, pct, given->cap_pct);
    return intent;
}

static void plan_caps(const struct joulie_caps_intent *given, const struct jl_cap_table *table,
                      struct jl_cap_plan *out)
{
    const struct jl_cap_intent intent = intent_of(given);
    const bool has_floor = (given->has & JOULIE_CAPS_HAS_FLOOR) != 0;
    const enum jl_cap_rules rules =
        given->rules == JOULIE_CAPS_RULES_V0_1_1 ? JL_CAP_V0_1_1 : JL_CAP_CURRENT;
    if (given->device == JOULIE_CAP_DEVICE_GPU)
        jl_cap_plan_gpus(&intent, table, rules, out);
    else
        jl_cap_plan_packages(&intent, table, has_floor ? given->floor_pct : JL_CAP_FLOOR_PCT, rules,
                             out);
}

static int resolve(const struct joulie_caps_intent *intent, const struct joulie_caps_limits *limits,
                   size_t count, const struct joulie_caps_out *out, size_t *out_failed,
                   struct joulie_error *err)
{
    struct joulie_caps_intent our_intent;
    struct joulie_caps_limits ours;
    struct joulie_caps_out our_out;
    struct jl_cap_plan plan;
    if (jl_sized_check(intent, INTENT_SIZE_0_1) < 0 ||
        jl_sized_read(&our_intent, sizeof our_intent, intent) < 0 ||
        (our_intent.has & ~KNOWN_BITS) != 0)
        return fail_abi(err, "intent");
    if (jl_sized_check(limits, LIMITS_SIZE_0_1) < 0 ||
        jl_sized_read(&ours, sizeof ours, limits) < 0)
        return fail_abi(err, "limits");
    if (jl_sized_check(out, OUT_SIZE_0_1) < 0 || jl_sized_read(&our_out, sizeof our_out, out) < 0)
        return fail_abi(err, "out");
    int rc = check_intent(&our_intent, err);
    if (rc == 0)
        rc = check_outputs(&our_out, err);
    if (rc < 0)
        return rc;
    const struct jl_cap_table table = {
        .min_w = (const char *)ours.min_w.at,
        .max_w = (const char *)ours.max_w.at,
        .unit_w = (const char *)ours.unit_w.at,
        .min_stride = ours.min_w.stride,
        .max_stride = ours.max_w.stride,
        .unit_stride = ours.unit_w.stride,
        .count = count,
    };
    plan_caps(&our_intent, &table, &plan);
    answer(&plan, &our_out, out_failed);
    return JOULIE_OK;
}

int joulie_caps_resolve(const struct joulie_caps_intent *intent,
                        const struct joulie_caps_limits *limits, size_t count,
                        const struct joulie_caps_out *out, size_t *out_failed,
                        struct joulie_error *err)
{
    struct joulie_error full;
    full.struct_size = sizeof full; /* the rest is written by who fails */
    const int rc = resolve(intent, limits, count, out, out_failed, &full);
    if (rc < 0)
        jl_error_export(&full, err);
    return rc;
}

double joulie_caps_next_w(double reference_w, double current_w, double target_w)
{
    return jl_ramp_next_w(reference_w, current_w, target_w);
}
