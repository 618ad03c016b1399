/* SPDX-License-Identifier: Apache-2.0 */

/* autoscale: one evaluation of a workload's autoscaler (docs/rules/autoscaling.md#step). */

#include "ask/ask.h"
#include "ask/autoscale_input.h"
#include "autoscale/state_text.h"
#include "base/error.h"

/* ---- the answer ---- */

#define RECORD autoscale_decision
#define MEMBERS                                                                                   \
    STRING(layer, "layer", "requests, limits, percentile, cron or external.")                     \
    STRING(resource, "resource", "tflops or vram; of cron and external with the side before it.") \
    STRING(from, "from", "Amount before, as a quantity.")                                         \
    STRING(to, "to", "Amount after.")                                                             \
    STRING(reason, "reason", "The step that ended it.")
#include "schema/record.h"

#define RECORD autoscale_replicas
#define MEMBERS                                                       \
    INTEGER(from, "from", "Workers now.")                             \
    INTEGER(to, "to", "Workers after, with cool-downs.")              \
    INTEGER(desired, "desired", "Workers wanted, before cool-downs.") \
    NUMBER(ratio, "ratio", "Mean use of the limit over its target.")  \
    STRING(reason, "reason", "Why.")
#include "schema/record.h"

#define RECORD autoscale_condition
#define MEMBERS                                            \
    STRING(reason, "reason", "One word of a closed set.")  \
    STRING(where, "where", "Path from the document root.") \
    STRING(message, "message", "A sentence for a person.")
#include "schema/record.h"

#define RECORD autoscale_out
#define MEMBERS                                                                       \
    LIST(decisions, "decisions", autoscale_decision,                                  \
         "One per evaluated layer and resource, kept ones too.")                      \
    OBJECT(resources, "resources", jl_ask_amounts, "The recommendation, complete.")   \
    OBJECT(replicas, "replicas", autoscale_replicas,                                  \
           "Number of workers; absent when its layer did not run.")                   \
    LIST(conditions, "conditions", autoscale_condition, "What somebody should know.") \
    RAW(state, "state", "What has to be remembered until the next call; opaque.")
#include "schema/record.h"

/* ---- filling it ---- */

static int put_decisions(struct jl_ask *ask, const struct jl_autoscale_input *input,
                         const struct jl_scale_result *result, struct autoscale_out *out)
{
    struct autoscale_decision *items =
        JL_NEW_ARRAY(ask->arena, result->decision_count + 1, struct autoscale_decision);
    if (items == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < result->decision_count; i++) {
        const struct jl_scale_decision *one = &result->decisions[i];
        const bool is_limit = one->field == JL_FIELD_LIMIT;
        const char *from =
            jl_amount_text(&input->texts, ask->arena, one->usage, is_limit, one->from);
        const char *to = jl_amount_text(&input->texts, ask->arena, one->usage, is_limit, one->to);
        const char *reason = jl_word_of(&jl_scale_reason_words, (int)one->reason);
        JL_SET(&items[i], layer, jl_word_of(&jl_scale_layer_words, (int)one->layer));
        JL_SET(&items[i], resource, jl_scale_resource_of(one));
        if (from != NULL)
            JL_SET(&items[i], from, from);
        if (to != NULL)
            JL_SET(&items[i], to, to);
        if (reason != NULL)
            JL_SET(&items[i], reason, reason);
    }
    JL_SET(out, decisions, ((struct jl_list){ items, result->decision_count }));
    return 0;
}

static void put_replicas(const struct jl_scale_result *result, struct autoscale_out *out)
{
    const struct jl_replicas_decision *one = &result->replicas;
    struct autoscale_replicas *replicas = &out->replicas;
    JL_SET(replicas, from, one->from);
    JL_SET(replicas, to, one->to);
    JL_SET(replicas, desired, one->desired);
    if (one->has_ratio)
        JL_SET(replicas, ratio, one->ratio);
    JL_SET(replicas, reason, jl_word_of(&jl_scale_reason_words, (int)one->reason));
    out->given.replicas = true;
}

static int put_conditions(struct jl_ask *ask, const struct jl_scale_result *result,
                          struct autoscale_out *out)
{
    struct autoscale_condition *items =
        JL_NEW_ARRAY(ask->arena, result->condition_count + 1, struct autoscale_condition);
    if (items == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < result->condition_count; i++) {
        const struct jl_scale_condition *one = &result->conditions[i];
        JL_SET(&items[i], reason, jl_word_of(&jl_scale_reason_words, (int)one->reason));
        JL_SET(&items[i], where, one->where);
        JL_SET(&items[i], message, one->message);
    }
    JL_SET(out, conditions, ((struct jl_list){ items, result->condition_count }));
    return 0;
}

static int put_state(struct jl_ask *ask, const struct jl_scale_engine *scaler,
                     struct autoscale_out *out)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer buffer = { 0 };
    const int rc = jl_autoscale_state_put(scaler, &buffer, ask->err);
    if (rc < 0)
        return rc;
    const char *text = jl_arena_copy(ask->arena, buffer.data, buffer.len);
    if (text == NULL)
        return jl_fail_memory(ask->err);
    JL_SET(out, state, ((struct jl_raw){ .text = text, .len = buffer.len }));
    return 0;
}

/* ---- the question ---- */

static void clear(struct jl_scale_engine **scaler)
{
    jl_scale_engine_free(*scaler);
}

static int evaluate(struct jl_ask *ask, struct jl_autoscale_input *input,
                    struct jl_scale_engine *scaler, struct autoscale_out *out)
{
    struct jl_scale_result result;
    int rc =
        jl_scale_engine_step(scaler, &input->config, &input->step, ask->arena, &result, ask->err);
    if (rc == 0)
        rc = put_decisions(ask, input, &result, out);
    if (rc == 0)
        rc = put_conditions(ask, &result, out);
    if (rc == 0)
        rc = put_state(ask, scaler, out);
    if (rc < 0)
        return rc;
    if (result.has_replicas)
        put_replicas(&result, out);
    jl_ask_put_amounts(ask, input, &result.amounts, &out->resources);
    out->given.resources = true;
    return 0;
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    JL_CLEANUP(clear) struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_autoscale_input input;
    if (scaler == NULL)
        return jl_fail_memory(ask->err);
    const int rc = jl_autoscale_input_read(ask, in, &input, scaler);
    return rc < 0 ? rc : evaluate(ask, &input, scaler, out);
}

static const char *const models[] = { "current", "v2.17.1", NULL };

const struct jl_question jl_question_autoscale = {
    .name = "autoscale",
    .summary = "One evaluation of a TensorFusion workload's autoscaler",
    .in = &autoscale_in_table,
    .out = &autoscale_out_table,
    .models = models,
    .answer = answer,
};
