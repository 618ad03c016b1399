/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The step of <joulie/autoscale.h> and what comes out of it: decisions, conditions, the state as
 * text.
 */

#include "autoscale/autoscaler.h"
#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"

#define KNOWN_BITS (JOULIE_AUTOSCALE_HAS_MAX_REPLICAS * 2 - 1)

/* ---- in ---- */

struct given {
    const char *name;
    uint64_t bit;
    double value;
    double *to;
};

static int read_amounts(const struct joulie_autoscale_input *in, struct jl_scale_step *step,
                        struct joulie_error *err)
{
    struct jl_amount_pair *tflops = &step->current.of[JL_USAGE_TFLOPS];
    struct jl_amount_pair *vram = &step->current.of[JL_USAGE_VRAM];
    const struct given all[] = {
        { "request_tflops", JOULIE_AUTOSCALE_HAS_REQUEST_TFLOPS, in->request_tflops,
          &tflops->request },
        { "request_vram_bytes", JOULIE_AUTOSCALE_HAS_REQUEST_VRAM, in->request_vram_bytes,
          &vram->request },
        { "limit_tflops", JOULIE_AUTOSCALE_HAS_LIMIT_TFLOPS, in->limit_tflops, &tflops->limit },
        { "limit_vram_bytes", JOULIE_AUTOSCALE_HAS_LIMIT_VRAM, in->limit_vram_bytes, &vram->limit },
        { "gpu_tflops", JOULIE_AUTOSCALE_HAS_GPU_TFLOPS, in->gpu_tflops,
          &step->gpu.of[JL_USAGE_TFLOPS] },
        { "gpu_vram_bytes", JOULIE_AUTOSCALE_HAS_GPU_VRAM, in->gpu_vram_bytes,
          &step->gpu.of[JL_USAGE_VRAM] },
        { "allowed_tflops", JOULIE_AUTOSCALE_HAS_ALLOWED_TFLOPS, in->allowed_tflops,
          &step->max_allowed.of[JL_USAGE_TFLOPS] },
        { "allowed_vram_bytes", JOULIE_AUTOSCALE_HAS_ALLOWED_VRAM, in->allowed_vram_bytes,
          &step->max_allowed.of[JL_USAGE_VRAM] },
    };
    for (size_t i = 0; i < JL_COUNT(all); i++) {
        if ((in->has & all[i].bit) == 0)
            continue;
        if (!(all[i].value >= 0) || !jl_is_finite(all[i].value))
            return jl_fail(err, JOULIE_E_RANGE, all[i].name, "negative or not finite");
        if (all[i].value > 0)
            *all[i].to = all[i].value; /* 0 = unset: that of the profile */
    }
    for (unsigned u = 0; u < JL_USAGES; u++)
        step->gpu.has |= (uint64_t)(step->gpu.of[u] > 0) << u;
    /* 0 of these is known: nothing is left to grow into. */
    if ((in->has & JOULIE_AUTOSCALE_HAS_ALLOWED_TFLOPS) != 0)
        step->max_allowed.has |= UINT64_C(1) << JL_USAGE_TFLOPS;
    if ((in->has & JOULIE_AUTOSCALE_HAS_ALLOWED_VRAM) != 0)
        step->max_allowed.has |= UINT64_C(1) << JL_USAGE_VRAM;
    return 0;
}

static int read_counts(const struct joulie_autoscale_input *in, struct jl_scale_step *step,
                       struct joulie_error *err)
{
    const struct {
        const char *name;
        uint64_t bit;
        int64_t value;
        int64_t *to;
    } all[] = {
        { "replicas", JOULIE_AUTOSCALE_HAS_REPLICAS, in->replicas, &step->replicas },
        { "min_replicas", JOULIE_AUTOSCALE_HAS_MIN_REPLICAS, in->min_replicas,
          &step->min_replicas },
        { "max_replicas", JOULIE_AUTOSCALE_HAS_MAX_REPLICAS, in->max_replicas,
          &step->max_replicas },
    };

    for (size_t i = 0; i < JL_COUNT(all); i++) {
        if ((in->has & all[i].bit) == 0)
            continue;
        if (all[i].value < 0 || (all[i].to == &step->max_replicas && all[i].value == 0))
            return jl_fail(err, JOULIE_E_RANGE, all[i].name, "too small");
        if (all[i].to == &step->replicas && all[i].value > JL_REPLICAS_MAX)
            return jl_fail(err, JOULIE_E_RANGE, all[i].name, "too large");
        *all[i].to = all[i].value;
    }
    return 0;
}

static int read_step(const struct joulie_autoscaler *scaler, int64_t now_ms,
                     const struct joulie_autoscale_input *in, struct jl_scale_step *out,
                     struct joulie_error *err)
{
    if (now_ms > JL_AUTOSCALER_MOST_MS || now_ms < -JL_AUTOSCALER_MOST_MS)
        return jl_fail(err, JOULIE_E_RANGE, "now_ms", "outside the years 1824 to 2115");
    *out = (struct jl_scale_step){
        .now_ns = now_ms * JL_NS_PER_MS,
        .current = scaler->config.original,
        .workers = scaler->workers,
        .worker_count = scaler->worker_count,
        .has_workers = scaler->has_workers,
        .samples = scaler->samples,
        .sample_count = scaler->sample_count,
        .reply = scaler->has_reply ? &scaler->reply : NULL,
    };
    const int rc = read_amounts(in, out, err);
    return rc < 0 ? rc : read_counts(in, out, err);
}

/* ---- out ---- */

static struct joulie_autoscale_output output_of(const struct jl_scale_result *result)
{
    const struct jl_amount_pair *tflops = &result->amounts.of[JL_USAGE_TFLOPS];
    const struct jl_amount_pair *vram = &result->amounts.of[JL_USAGE_VRAM];
    struct joulie_autoscale_output out = {
        .struct_size = sizeof out,
        .request_tflops = tflops->request,
        .request_vram_bytes = vram->request,
        .limit_tflops = tflops->limit,
        .limit_vram_bytes = vram->limit,
        .decision_count = result->decision_count,
        .condition_count = result->condition_count,
        .dropped_samples = result->dropped,
    };
    if (result->has_replicas) {
        out.has |= JOULIE_AUTOSCALE_OUT_REPLICAS;
        out.replicas_from = result->replicas.from;
        out.replicas_desired = result->replicas.desired;
        out.replicas_to = result->replicas.to;
        out.replicas_reason = jl_word_of(&jl_scale_reason_words, (int)result->replicas.reason);
    }
    if (result->has_replicas && result->replicas.has_ratio) {
        out.has |= JOULIE_AUTOSCALE_OUT_RATIO;
        out.replicas_ratio = result->replicas.ratio;
    }
    if (result->next_due_ns != INT64_MAX) {
        out.has |= JOULIE_AUTOSCALE_OUT_NEXT_DUE;
        out.next_due_ms = result->next_due_ns / JL_NS_PER_MS +
                          (result->next_due_ns % JL_NS_PER_MS > 0 ? 1 : 0); /* never too early */
    }
    return out;
}

/* What waited was used. Conditions may point to texts of the reply: those live on with the step. */
static void publish(struct joulie_autoscaler *scaler, struct jl_arena *arena,
                    const struct jl_scale_result *result)
{
    jl_arena_clear(&scaler->step_arena);
    scaler->step_arena = *arena;
    if (result->is_untouched) { /* what waits goes on waiting */
        scaler->result = *result;
        return;
    }
    jl_arena_clear(&scaler->used_arena);
    scaler->used_arena = scaler->waiting_arena;
    scaler->waiting_arena = (struct jl_arena){ 0 };
    scaler->result = *result;
    scaler->sample_count = 0;
    scaler->has_reply = false;
}

int joulie_autoscaler_step(struct joulie_autoscaler *scaler, int64_t now_ms,
                           const struct joulie_autoscale_input *in,
                           struct joulie_autoscale_output *out, struct joulie_error *err)
{
    struct joulie_autoscale_input ours = JOULIE_INIT(struct joulie_autoscale_input);
    struct jl_arena arena = { 0 };
    struct jl_scale_step step;
    struct jl_scale_result result;
    if (jl_sized_check(out, sizeof *out) < 0 || (in != NULL && JL_SIZED_READ(&ours, in) < 0) ||
        (ours.has & ~KNOWN_BITS) != 0)
        return jl_fail_abi(err, "");
    if (scaler->profile == NULL)
        return jl_fail(err, JOULIE_E_CONFLICT, "profile", "no profile was put");
    int rc = read_step(scaler, now_ms, &ours, &step, err);
    if (rc < 0)
        return rc;
    rc = jl_scale_engine_step(scaler->engine, &scaler->config, &step, &arena, &result, err);
    if (rc < 0) {
        jl_arena_clear(&arena);
        return rc;
    }
    const struct joulie_autoscale_output answer = output_of(&result);
    publish(scaler, &arena, &result);
    jl_sized_write(out, &answer, sizeof answer);
    return JOULIE_OK;
}

/* ---- getters ---- */

int joulie_autoscaler_get_decision(const struct joulie_autoscaler *scaler, size_t index,
                                   struct joulie_autoscale_decision *out, struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (index >= scaler->result.decision_count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "there is no such decision");
    const struct jl_scale_decision *one = &scaler->result.decisions[index];
    const struct joulie_autoscale_decision answer = {
        .struct_size = sizeof answer,
        .layer = jl_word_of(&jl_scale_layer_words, (int)one->layer),
        .resource = jl_scale_resource_of(one),
        .before = one->from,
        .after = one->to,
        .reason = jl_word_of(&jl_scale_reason_words, (int)one->reason),
    };
    jl_sized_write(out, &answer, sizeof answer);
    return JOULIE_OK;
}

int joulie_autoscaler_get_condition(const struct joulie_autoscaler *scaler, size_t index,
                                    struct joulie_autoscale_condition *out,
                                    struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (index >= scaler->result.condition_count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "there is no such condition");
    const struct jl_scale_condition *one = &scaler->result.conditions[index];
    const struct joulie_autoscale_condition answer = {
        .struct_size = sizeof answer,
        .reason = jl_word_of(&jl_scale_reason_words, (int)one->reason),
        .where = one->where,
        .message = one->message,
    };
    jl_sized_write(out, &answer, sizeof answer);
    return JOULIE_OK;
}

/* ---- state ---- */

int joulie_autoscaler_save(const struct joulie_autoscaler *scaler, char **out,
                           struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer buffer = { 0 };
    const int rc = jl_autoscale_state_put(scaler->engine, &buffer, err);
    return rc < 0 ? rc : jl_hand_out(&buffer, out, err);
}

int joulie_autoscaler_restore(struct joulie_autoscaler *scaler, const char *text, size_t len,
                              struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_decode decode = { .arena = &arena, .text = text, .len = len, .err = err };
    const struct jl_raw raw = { .text = text, .len = len };
    int rc = jl_check_json(&decode);
    if (rc == 0)
        rc = jl_autoscale_state_get(&decode, &raw, NULL, scaler->engine);
    if (rc == 0)
        scaler->result = (struct jl_scale_result){ 0 };
    return rc;
}
