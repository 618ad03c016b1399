/* SPDX-License-Identifier: Apache-2.0 */

/*
 * cap.step: single rules of a cap's life: the way to a new limit, what it is measured against, and
 * what a reading makes of its state (docs/rules/caps.md#ramp, docs/rules/enforcement.md#states).
 */

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "caps/caps.h"
#include "caps/ramp.h"
#include "caps/state.h"
#include "power/rapl.h"

#define STEPS_MAX 1000 /* a sane way has five */

#define COUNT NOT_NEGATIVE

#define RECORD gpu_range
#define MEMBERS                                       \
    NUMBER(min_w, "minW", "Lowest limit, W.", COUNT)  \
    NUMBER(max_w, "maxW", "Highest limit, W.", COUNT) \
    NUMBER(default_w, "defaultW", "Limit after power-on, W.", COUNT)
#include "schema/record.h"

#define RECORD cap_step_in
#define MEMBERS                                                                                   \
    NUMBER(reference_w, "referenceW", "What a step is a fifth of, W; 0 or absent = unknown.",     \
           COUNT)                                                                                 \
    NUMBER(current_w, "currentW", "Limit in force, W; with targetW.", COUNT)                      \
    NUMBER(target_w, "targetW", "Limit to reach, W.", COUNT)                                      \
    BOOLEAN(restoring, "restoring",                                                               \
            "Whether the target is what was found: it is given back at once.")                    \
    INTEGER(first_uw, "firstPl1Uw", "Limit found at first sight, microwatts.", COUNT)             \
    INTEGER(max_power_uw, "maxPowerUw", "The constraint's own maximum, microwatts.", COUNT)       \
    OBJECT(gpu, "gpu", gpu_range, "Range of a GPU.")                                              \
    NUMBER(requested_w, "requestedW", "Cap asked of the GPU, W.", COUNT)                          \
    BOOLEAN(allow_above_default, "allowAboveDefault",                                             \
            "Whether the GPU may pass its default limit (true).")                                 \
    /* words */                                                                                   \
    STRINGS(states, "states",                                                                     \
            "States of several devices: unknown, monitor, idle, applying, capped, drifted, "      \
            "contested, restoring, failed.")                                                      \
    STRING(state, "state", "State of one device.")                                                \
    INTEGER(written_uw, "writtenUw", "Limit that was written, microwatts; with state, readUw.",   \
            COUNT)                                                                                \
    INTEGER(read_uw, "readUw", "Limit that reads back, microwatts.", COUNT)                       \
    INTEGER(unit_uw, "powerUnitUw", "Smallest step of the limit, microwatts (125000).", COUNT)    \
    INTEGER(reasserted, "reasserted", "Times that it was written again in 10 minutes (0).",       \
            BETWEEN(0, UINT32_MAX))                                                               \
    NUMBER(cap_w, "capW", "Cap in force, W; with state, measuredW, loadPct, sinceWriteS.", COUNT) \
    NUMBER(measured_w, "measuredW", "Power that is drawn, W.", COUNT)                             \
    NUMBER(load_pct, "loadPct", "Load of the device, %.", COUNT)                                  \
    NUMBER(since_write_s, "sinceWriteS", "Time since the cap was written, s.", COUNT)
#include "schema/record.h"

#define RECORD cap_step_out
#define MEMBERS                                                                                   \
    NUMBERS(steps, "steps", "Limits on the way, W.")                                              \
    NUMBER(step_s, "stepS", "Time between the steps, s.")                                         \
    NUMBER(reference_w, "referenceW", "What floor, ceiling and steps are measured against, W.")   \
    NUMBER(cap_w, "capW", "Cap of the GPU, W.")                                                   \
    ENUM(clamp, "clamp", joulie_cap_clamp, jl_cap_clamp_words, "Bound that changed the request.") \
    ENUM(result, "result", joulie_control_result, jl_control_result_words,                        \
         "What is reported; of several states the worst.")                                        \
    ENUM(state, "state", jl_device_state, jl_device_state_words, "State after the reading.")      \
    ENUM(reason, "reason", jl_cap_reason, jl_cap_reason_words, "Why it is so.")                   \
    BOOLEAN(write, "write", "Whether to write our limit again.")
#include "schema/record.h"

/* ---- the rules that can be asked ---- */

static int answer_ramp(struct jl_ask *ask, const struct cap_step_in *in, struct cap_step_out *out)
{
    double *steps = JL_NEW_ARRAY(ask->arena, STEPS_MAX, double);
    double limit_w = in->current_w;
    size_t count = 0;
    if (steps == NULL)
        return jl_fail_memory(ask->err);
    if (!in->given.current_w)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "currentW", "targetW needs currentW");
    while (limit_w != in->target_w) {
        if (count == STEPS_MAX)
            return jl_ask_fail(ask, JOULIE_E_LIMIT, "referenceW", "more than %d steps", STEPS_MAX);
        limit_w = in->restoring ? in->target_w
                                : joulie_caps_next_w(in->reference_w, limit_w, in->target_w);
        steps[count++] = limit_w;
    }
    JL_SET(out, steps, ((struct jl_list){ steps, count }));
    JL_SET_IF(out, step_s, !in->restoring, (double)JL_RAMP_STEP_MS / 1000);
    return 0;
}

static int answer_reference(const struct cap_step_in *in, struct cap_step_out *out)
{
    const double reference_w =
        jl_cap_reference_w(in->given.max_power_uw, (uint64_t)in->max_power_uw, in->given.first_uw,
                           (uint64_t)in->first_uw);
    JL_SET_IF(out, reference_w, reference_w > 0, reference_w);
    return 0;
}

static int answer_gpu(struct jl_ask *ask, const struct cap_step_in *in, struct cap_step_out *out)
{
    const bool may_pass = JL_GIVEN_OR(in, allow_above_default, true);
    const struct gpu_range *gpu = &in->gpu;
    const struct jl_cap_limits limits = {
        .min_w = gpu->min_w, .max_w = jl_gpu_ceiling_w(gpu->max_w, gpu->default_w, may_pass)
    };
    const struct joulie_caps_intent intent = { .has = JOULIE_CAPS_HAS_CAP_W,
                                               .cap_w = in->requested_w };
    const struct jl_cap cap = jl_cap_resolve(&intent, &limits, 0);
    if (cap.block != JOULIE_CAP_BLOCK_NONE)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "requestedW", "gpu needs requestedW above 0");
    JL_SET(out, cap_w, cap.cap_w);
    JL_SET_IF(out, clamp, cap.clamp != JOULIE_CAP_CLAMP_NONE, cap.clamp);
    return 0;
}

static int state_of(struct jl_ask *ask, const char *word, const char *where,
                    enum jl_device_state *out)
{
    *out = (enum jl_device_state)jl_word_value(&jl_device_state_words, jl_text(word));
    if (*out == JL_DEVICE_UNKNOWN && !jl_same(word, "unknown"))
        return jl_ask_fail(ask, JOULIE_E_ENUM, where, "\"%.64s\" is not the word of a state", word);
    return 0;
}

static int answer_states(struct jl_ask *ask, const struct cap_step_in *in, struct cap_step_out *out)
{
    const size_t count = in->states.count;
    enum joulie_control_result *results =
        JL_NEW_ARRAY(ask->arena, count, enum joulie_control_result);
    if (results == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        enum jl_device_state state;
        const int rc = state_of(ask, JL_STRING_ITEM(in->states, i),
                                jl_ask_path(ask, "states[%zu]", i), &state);
        if (rc < 0)
            return rc;
        results[i] = jl_device_result(state);
    }
    JL_SET(out, result, jl_cap_worst(results, count));
    return 0;
}

static int answer_drift(const struct cap_step_in *in, enum jl_device_state state,
                        struct cap_step_out *out)
{
    const uint64_t unit_uw = in->given.unit_uw ? (uint64_t)in->unit_uw : JL_RAPL_UNIT_UW;
    const struct jl_drift drift = jl_cap_drift(
        state, (uint64_t)in->written_uw, (uint64_t)in->read_uw, unit_uw, (uint32_t)in->reasserted);
    JL_SET(out, state, drift.state);
    JL_SET(out, result, jl_device_result(drift.state));
    JL_SET(out, write, drift.write);
    JL_SET_IF(out, reason, drift.reason != JL_CAP_REASON_NONE, drift.reason);
    return 0;
}

static int answer_effect(const struct cap_step_in *in, enum jl_device_state state,
                         struct cap_step_out *out)
{
    const struct jl_effect effect = { .cap_w = in->cap_w,
                                      .measured_w = in->measured_w,
                                      .load_pct = in->load_pct,
                                      .since_write_s = in->since_write_s };
    JL_SET(out, state, state);
    JL_SET(out, result, jl_cap_effect_result(state, &effect));
    JL_SET_IF(out, reason, jl_cap_is_ineffective(&effect), JL_CAP_REASON_INEFFECTIVE);
    return 0;
}

static bool has_all(const struct cap_step_in *in, uint64_t bits)
{
    return (in->has & bits) == bits;
}

static int answer_state(struct jl_ask *ask, const struct cap_step_in *in, struct cap_step_out *out)
{
    enum jl_device_state state;
    const int rc = state_of(ask, in->state, "state", &state);
    if (rc < 0)
        return rc;
    if (has_all(in, JL_ASK_ROW(cap_step_in, written_uw) | JL_ASK_ROW(cap_step_in, read_uw)))
        return answer_drift(in, state, out);
    if (has_all(in, JL_ASK_ROW(cap_step_in, cap_w) | JL_ASK_ROW(cap_step_in, measured_w) |
                        JL_ASK_ROW(cap_step_in, load_pct) | JL_ASK_ROW(cap_step_in, since_write_s)))
        return answer_effect(in, state, out);
    return jl_ask_fail(ask, JOULIE_E_REQUIRED, "readUw",
                       "state needs writtenUw and readUw, or capW, measuredW, loadPct and "
                       "sinceWriteS");
}

static int answer_cap_step(struct jl_ask *ask, const struct cap_step_in *in,
                           struct cap_step_out *output)
{
    if (in->given.target_w)
        return answer_ramp(ask, in, output);
    if (in->given.first_uw || in->given.max_power_uw)
        return answer_reference(in, output);
    if (in->given.gpu)
        return answer_gpu(ask, in, output);
    if (in->given.states)
        return answer_states(ask, in, output);
    if (in->given.state)
        return answer_state(ask, in, output);
    return jl_ask_fail(ask, JOULIE_E_REQUIRED, "targetW",
                       "one of targetW, firstPl1Uw, maxPowerUw, gpu, states, state is required");
}

JL_QUESTION(cap_step, "cap.step",
            "One rule of a cap's life: ramp, reference, ceiling, drift, effect or result");
