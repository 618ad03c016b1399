/* SPDX-License-Identifier: Apache-2.0 */

/*
 * cap.step: single rules of a cap's life (linux-power.md §14, §15): the way to a new limit, what it
 * is measured against, and what a reading makes of its state.
 */

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "caps/caps.h"
#include "caps/ramp.h"
#include "caps/state.h"
#include "power/rapl.h"

#define STEPS_MAX 1000 /* a sane way has five */

struct gpu_range {
    uint64_t has;
    double min_w;
    double max_w;
    double default_w;
};

enum { GPU_MIN, GPU_MAX, GPU_DEFAULT };

#define COUNT .flags = JL_NOT_NEGATIVE

static const struct jl_row gpu_rows[] = {
    [GPU_MIN] = JL_NUMBER(gpu_range, min_w, "minW", COUNT, .doc = "Lowest limit, W."),
    [GPU_MAX] = JL_NUMBER(gpu_range, max_w, "maxW", COUNT, .doc = "Highest limit, W."),
    [GPU_DEFAULT] =
        JL_NUMBER(gpu_range, default_w, "defaultW", COUNT, .doc = "Limit after power-on, W."),
};
static const struct jl_table gpu_table = JL_TABLE(gpu_range, gpu_rows);

struct step_in {
    uint64_t has;
    double reference_w;
    double current_w;
    double target_w;
    bool restoring;
    int64_t first_uw;
    int64_t max_power_uw;
    struct gpu_range gpu;
    double requested_w;
    bool allow_above_default;
    struct jl_list states; /* words */
    const char *state;
    int64_t written_uw;
    int64_t read_uw;
    int64_t unit_uw;
    int64_t reasserted;
    double cap_w;
    double measured_w;
    double load_pct;
    double since_write_s;
};

enum {
    IN_REFERENCE,
    IN_CURRENT,
    IN_TARGET,
    IN_RESTORING,
    IN_FIRST,
    IN_MAX_POWER,
    IN_GPU,
    IN_REQUESTED,
    IN_ALLOW,
    IN_STATES,
    IN_STATE,
    IN_WRITTEN,
    IN_READ,
    IN_UNIT,
    IN_REASSERTED,
    IN_CAP,
    IN_MEASURED,
    IN_LOAD,
    IN_SINCE,
};

static const struct jl_row in_rows[] = {
    [IN_REFERENCE] = JL_NUMBER(step_in, reference_w, "referenceW", COUNT,
                               .doc = "What a step is a fifth of, W; 0 or absent = unknown."),
    [IN_CURRENT] =
        JL_NUMBER(step_in, current_w, "currentW", COUNT, .doc = "Limit in force, W; with targetW."),
    [IN_TARGET] = JL_NUMBER(step_in, target_w, "targetW", COUNT, .doc = "Limit to reach, W."),
    [IN_RESTORING] = JL_BOOLEAN(step_in, restoring, "restoring",
                                .doc = "Whether the target is what was found: it is given back at "
                                       "once."),
    [IN_FIRST] = JL_INTEGER(step_in, first_uw, "firstPl1Uw", COUNT,
                            .doc = "Limit found at first sight, microwatts."),
    [IN_MAX_POWER] = JL_INTEGER(step_in, max_power_uw, "maxPowerUw", COUNT,
                                .doc = "The constraint's own maximum, microwatts."),
    [IN_GPU] = JL_OBJECT(step_in, gpu, "gpu", &gpu_table, .doc = "Range of a GPU."),
    [IN_REQUESTED] =
        JL_NUMBER(step_in, requested_w, "requestedW", COUNT, .doc = "Cap asked of the GPU, W."),
    [IN_ALLOW] = JL_BOOLEAN(step_in, allow_above_default, "allowAboveDefault",
                            .doc = "Whether the GPU may pass its default limit (true)."),
    [IN_STATES] =
        JL_STRINGS(step_in, states, "states",
                   .doc = "States of several devices: unknown, monitor, idle, applying, capped, "
                          "drifted, contested, restoring, failed."),
    [IN_STATE] = JL_STRING(step_in, state, "state", .doc = "State of one device."),
    [IN_WRITTEN] = JL_INTEGER(step_in, written_uw, "writtenUw", COUNT,
                              .doc = "Limit that was written, microwatts; with state, readUw."),
    [IN_READ] =
        JL_INTEGER(step_in, read_uw, "readUw", COUNT, .doc = "Limit that reads back, microwatts."),
    [IN_UNIT] = JL_INTEGER(step_in, unit_uw, "powerUnitUw", COUNT,
                           .doc = "Smallest step of the limit, microwatts (125000)."),
    [IN_REASSERTED] =
        JL_INTEGER(step_in, reasserted, "reasserted", .flags = JL_HAS_MIN | JL_HAS_MAX,
                   .max = UINT32_MAX, .doc = "Times that it was written again in 10 minutes (0)."),
    [IN_CAP] = JL_NUMBER(step_in, cap_w, "capW", COUNT,
                         .doc = "Cap in force, W; with state, measuredW, loadPct, sinceWriteS."),
    [IN_MEASURED] =
        JL_NUMBER(step_in, measured_w, "measuredW", COUNT, .doc = "Power that is drawn, W."),
    [IN_LOAD] = JL_NUMBER(step_in, load_pct, "loadPct", COUNT, .doc = "Load of the device, %."),
    [IN_SINCE] = JL_NUMBER(step_in, since_write_s, "sinceWriteS", COUNT,
                           .doc = "Time since the cap was written, s."),
};
static const struct jl_table in_table = JL_TABLE(step_in, in_rows);

struct step_out {
    uint64_t has;
    struct jl_list steps; /* doubles */
    double step_s;
    double reference_w;
    double cap_w;
    enum joulie_cap_clamp clamp;
    enum joulie_control_result result;
    enum jl_cap_state state;
    enum jl_cap_reason reason;
    bool write;
};

enum {
    OUT_STEPS,
    OUT_STEP_TIME,
    OUT_REFERENCE,
    OUT_CAP,
    OUT_CLAMP,
    OUT_RESULT,
    OUT_STATE,
    OUT_REASON,
    OUT_WRITE,
};

static const struct jl_row out_rows[] = {
    [OUT_STEPS] = JL_NUMBERS(step_out, steps, "steps", .doc = "Limits on the way, W."),
    [OUT_STEP_TIME] = JL_NUMBER(step_out, step_s, "stepS", .doc = "Time between the steps, s."),
    [OUT_REFERENCE] = JL_NUMBER(step_out, reference_w, "referenceW",
                                .doc = "What floor, ceiling and steps are measured against, W."),
    [OUT_CAP] = JL_NUMBER(step_out, cap_w, "capW", .doc = "Cap of the GPU, W."),
    [OUT_CLAMP] = JL_ENUM(step_out, clamp, "clamp", &jl_cap_clamp_words,
                          .doc = "Bound that changed the request."),
    [OUT_RESULT] = JL_ENUM(step_out, result, "result", &jl_control_result_words,
                           .doc = "What is reported; of several states the worst."),
    [OUT_STATE] = JL_ENUM(step_out, state, "state", &jl_cap_device_state_words,
                          .doc = "State after the reading."),
    [OUT_REASON] =
        JL_ENUM(step_out, reason, "reason", &jl_cap_reason_words, .doc = "Why it is so."),
    [OUT_WRITE] = JL_BOOLEAN(step_out, write, "write", .doc = "Whether to write our limit again."),
};
static const struct jl_table out_table = JL_TABLE(step_out, out_rows);

/* ---- the rules that can be asked ---- */

static int answer_ramp(struct jl_ask *ask, const struct step_in *in, struct step_out *out)
{
    double *steps = JL_NEW_ARRAY(ask->arena, STEPS_MAX, double);
    double limit_w = in->current_w;
    size_t count = 0;
    if (steps == NULL)
        return jl_fail_memory(ask->err);
    if (!JL_HAS(in, IN_CURRENT))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "currentW", "targetW needs currentW");
    while (limit_w != in->target_w) {
        if (count == STEPS_MAX)
            return jl_ask_fail(ask, JOULIE_E_LIMIT, "referenceW", "more than %d steps", STEPS_MAX);
        limit_w = in->restoring ? in->target_w
                                : joulie_caps_next_w(in->reference_w, limit_w, in->target_w);
        steps[count++] = limit_w;
    }
    JL_PUT(out, OUT_STEPS, steps, ((struct jl_list){ steps, count }));
    if (!in->restoring)
        JL_PUT(out, OUT_STEP_TIME, step_s, (double)JL_RAMP_STEP_MS / 1000);
    return 0;
}

static int answer_reference(const struct step_in *in, struct step_out *out)
{
    const double reference_w =
        jl_cap_reference_w(JL_HAS(in, IN_MAX_POWER), (uint64_t)in->max_power_uw,
                           JL_HAS(in, IN_FIRST), (uint64_t)in->first_uw);
    if (reference_w > 0)
        JL_PUT(out, OUT_REFERENCE, reference_w, reference_w);
    return 0;
}

static int answer_gpu(struct jl_ask *ask, const struct step_in *in, struct step_out *out)
{
    const bool may_pass = JL_HAS(in, IN_ALLOW) ? in->allow_above_default : true;
    const struct gpu_range *gpu = &in->gpu;
    const struct jl_cap_limits limits = {
        .min_w = gpu->min_w, .max_w = jl_gpu_ceiling_w(gpu->max_w, gpu->default_w, may_pass)
    };
    const struct joulie_caps_intent intent = { .has = JOULIE_CAPS_HAS_CAP_W,
                                               .cap_w = in->requested_w };
    const struct jl_cap cap = jl_cap_resolve(&intent, &limits, 0);
    if (cap.block != JOULIE_CAP_BLOCK_NONE)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "requestedW", "gpu needs requestedW above 0");
    JL_PUT(out, OUT_CAP, cap_w, cap.cap_w);
    if (cap.clamp != JOULIE_CAP_CLAMP_NONE)
        JL_PUT(out, OUT_CLAMP, clamp, cap.clamp);
    return 0;
}

static int state_of(struct jl_ask *ask, const char *word, const struct jl_path *at,
                    enum jl_cap_state *out)
{
    *out = (enum jl_cap_state)jl_word_value(&jl_cap_device_state_words, jl_text(word));
    if (*out == JL_CAP_STATE_UNKNOWN && !jl_same(word, "unknown"))
        return jl_decode_fail(ask->decode, JOULIE_E_ENUM, at, SIZE_MAX,
                              "\"%.64s\" is not the word of a state", word);
    return 0;
}

static int answer_states(struct jl_ask *ask, const struct step_in *in, struct step_out *out)
{
    const struct jl_path states = { .key = jl_text("states") };
    const size_t count = in->states.count;
    enum joulie_control_result *results =
        JL_NEW_ARRAY(ask->arena, count, enum joulie_control_result);
    if (results == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        const struct jl_path at = { .up = &states, .index = i };
        enum jl_cap_state state;
        const int rc = state_of(ask, JL_STRING_ITEM(in->states, i), &at, &state);
        if (rc < 0)
            return rc;
        results[i] = jl_cap_state_result(state);
    }
    JL_PUT(out, OUT_RESULT, result, jl_cap_worst(results, count));
    return 0;
}

static int answer_drift(const struct step_in *in, enum jl_cap_state state, struct step_out *out)
{
    const uint64_t unit_uw = JL_HAS(in, IN_UNIT) ? (uint64_t)in->unit_uw : JL_RAPL_UNIT_UW;
    const struct jl_drift drift = jl_cap_drift(
        state, (uint64_t)in->written_uw, (uint64_t)in->read_uw, unit_uw, (uint32_t)in->reasserted);
    JL_PUT(out, OUT_STATE, state, drift.state);
    JL_PUT(out, OUT_RESULT, result, jl_cap_state_result(drift.state));
    JL_PUT(out, OUT_WRITE, write, drift.write);
    if (drift.reason != JL_CAP_REASON_NONE)
        JL_PUT(out, OUT_REASON, reason, drift.reason);
    return 0;
}

static int answer_effect(const struct step_in *in, enum jl_cap_state state, struct step_out *out)
{
    const struct jl_effect effect = { .cap_w = in->cap_w,
                                      .measured_w = in->measured_w,
                                      .load_pct = in->load_pct,
                                      .since_write_s = in->since_write_s };
    JL_PUT(out, OUT_STATE, state, state);
    JL_PUT(out, OUT_RESULT, result, jl_cap_effect_result(state, &effect));
    if (jl_cap_is_ineffective(&effect))
        JL_PUT(out, OUT_REASON, reason, JL_CAP_REASON_INEFFECTIVE);
    return 0;
}

static bool has_all(const struct step_in *in, uint64_t bits)
{
    return (in->has & bits) == bits;
}

#define BIT(row) (UINT64_C(1) << (row))

static int answer_state(struct jl_ask *ask, const struct step_in *in, struct step_out *out)
{
    const struct jl_path at = { .key = jl_text("state") };
    enum jl_cap_state state;
    const int rc = state_of(ask, in->state, &at, &state);
    if (rc < 0)
        return rc;
    if (has_all(in, BIT(IN_WRITTEN) | BIT(IN_READ)))
        return answer_drift(in, state, out);
    if (has_all(in, BIT(IN_CAP) | BIT(IN_MEASURED) | BIT(IN_LOAD) | BIT(IN_SINCE)))
        return answer_effect(in, state, out);
    return jl_ask_fail(ask, JOULIE_E_REQUIRED, "readUw",
                       "state needs writtenUw and readUw, or capW, measuredW, loadPct and "
                       "sinceWriteS");
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct step_in *in = input;
    if (JL_HAS(in, IN_TARGET))
        return answer_ramp(ask, in, output);
    if (JL_HAS(in, IN_FIRST) || JL_HAS(in, IN_MAX_POWER))
        return answer_reference(in, output);
    if (JL_HAS(in, IN_GPU))
        return answer_gpu(ask, in, output);
    if (JL_HAS(in, IN_STATES))
        return answer_states(ask, in, output);
    if (JL_HAS(in, IN_STATE))
        return answer_state(ask, in, output);
    return jl_ask_fail(ask, JOULIE_E_REQUIRED, "targetW",
                       "one of targetW, firstPl1Uw, maxPowerUw, gpu, states, state is required");
}

const struct jl_question jl_question_cap_step = {
    .name = "cap.step",
    .summary = "One rule of a cap's life: ramp, reference, ceiling, drift, effect or result",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
