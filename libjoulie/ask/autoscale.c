/* SPDX-License-Identifier: Apache-2.0 */

/* autoscale: one evaluation of a workload's autoscaler (tensor-fusion.md §12.3). */

#include "ask/ask.h"
#include "ask/autoscale_input.h"
#include "autoscale/state_text.h"
#include "base/error.h"

/* ---- the answer ---- */

struct autoscale_decision {
    uint64_t has;
    const char *layer;
    const char *resource;
    const char *from;
    const char *to;
    const char *reason;
};

enum { DECISION_LAYER, DECISION_RESOURCE, DECISION_FROM, DECISION_TO, DECISION_REASON };

static const struct jl_row decision_rows[] = {
    [DECISION_LAYER] = JL_STRING(autoscale_decision, layer, "layer",
                                 .doc = "requests, limits, percentile, cron or external."),
    [DECISION_RESOURCE] =
        JL_STRING(autoscale_decision, resource, "resource",
                  .doc = "tflops or vram; of cron and external with the side before it."),
    [DECISION_FROM] =
        JL_STRING(autoscale_decision, from, "from", .doc = "Amount before, as a quantity."),
    [DECISION_TO] = JL_STRING(autoscale_decision, to, "to", .doc = "Amount after."),
    [DECISION_REASON] =
        JL_STRING(autoscale_decision, reason, "reason", .doc = "The step that ended it."),
};
static const struct jl_table decision_table = JL_TABLE(autoscale_decision, decision_rows);

struct autoscale_replicas {
    uint64_t has;
    int64_t from;
    int64_t to;
    int64_t desired;
    double ratio;
    const char *reason;
};

enum { REPLICAS_FROM, REPLICAS_TO, REPLICAS_DESIRED, REPLICAS_RATIO, REPLICAS_REASON };

static const struct jl_row replicas_rows[] = {
    [REPLICAS_FROM] = JL_INTEGER(autoscale_replicas, from, "from", .doc = "Workers now."),
    [REPLICAS_TO] =
        JL_INTEGER(autoscale_replicas, to, "to", .doc = "Workers after, with cool-downs."),
    [REPLICAS_DESIRED] = JL_INTEGER(autoscale_replicas, desired, "desired",
                                    .doc = "Workers wanted, before cool-downs."),
    [REPLICAS_RATIO] = JL_NUMBER(autoscale_replicas, ratio, "ratio",
                                 .doc = "Mean use of the limit over its target."),
    [REPLICAS_REASON] = JL_STRING(autoscale_replicas, reason, "reason", .doc = "Why."),
};
static const struct jl_table replicas_table = JL_TABLE(autoscale_replicas, replicas_rows);

struct autoscale_condition {
    uint64_t has;
    const char *reason;
    const char *where;
    const char *message;
};

enum { CONDITION_REASON, CONDITION_WHERE, CONDITION_MESSAGE };

static const struct jl_row condition_rows[] = {
    [CONDITION_REASON] =
        JL_STRING(autoscale_condition, reason, "reason", .doc = "One word of a closed set."),
    [CONDITION_WHERE] =
        JL_STRING(autoscale_condition, where, "where", .doc = "Path from the document root."),
    [CONDITION_MESSAGE] =
        JL_STRING(autoscale_condition, message, "message", .doc = "A sentence for a person."),
};
static const struct jl_table condition_table = JL_TABLE(autoscale_condition, condition_rows);

struct autoscale_out {
    uint64_t has;
    struct jl_list decisions;
    struct jl_ask_amounts resources;
    struct autoscale_replicas replicas;
    struct jl_list conditions;
    struct jl_raw state;
};

enum { OUT_DECISIONS, OUT_RESOURCES, OUT_REPLICAS, OUT_CONDITIONS, OUT_STATE };

static const struct jl_row out_rows[] = {
    [OUT_DECISIONS] = JL_LIST(autoscale_out, decisions, "decisions", &decision_table,
                              .doc = "One per evaluated layer and resource, kept ones too."),
    [OUT_RESOURCES] = JL_OBJECT(autoscale_out, resources, "resources", &jl_ask_amounts_table,
                                .doc = "The recommendation, complete."),
    [OUT_REPLICAS] = JL_OBJECT(autoscale_out, replicas, "replicas", &replicas_table,
                               .doc = "Number of workers; absent when its layer did not run."),
    [OUT_CONDITIONS] = JL_LIST(autoscale_out, conditions, "conditions", &condition_table,
                               .doc = "What somebody should know."),
    [OUT_STATE] = JL_RAW(autoscale_out, state, "state",
                         .doc = "What has to be remembered until the next call; opaque."),
};
static const struct jl_table out_table = JL_TABLE(autoscale_out, out_rows);

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
        JL_PUT(&items[i], DECISION_LAYER, layer,
               jl_word_of(&jl_scale_layer_words, (int)one->layer));
        JL_PUT(&items[i], DECISION_RESOURCE, resource, jl_scale_resource_of(one));
        if (from != NULL)
            JL_PUT(&items[i], DECISION_FROM, from, from);
        if (to != NULL)
            JL_PUT(&items[i], DECISION_TO, to, to);
        if (reason != NULL)
            JL_PUT(&items[i], DECISION_REASON, reason, reason);
    }
    JL_PUT(out, OUT_DECISIONS, decisions, ((struct jl_list){ items, result->decision_count }));
    return 0;
}

static void put_replicas(const struct jl_scale_result *result, struct autoscale_out *out)
{
    const struct jl_replicas_decision *one = &result->replicas;
    struct autoscale_replicas *replicas = &out->replicas;
    JL_PUT(replicas, REPLICAS_FROM, from, one->from);
    JL_PUT(replicas, REPLICAS_TO, to, one->to);
    JL_PUT(replicas, REPLICAS_DESIRED, desired, one->desired);
    if (one->has_ratio)
        JL_PUT(replicas, REPLICAS_RATIO, ratio, one->ratio);
    JL_PUT(replicas, REPLICAS_REASON, reason, jl_word_of(&jl_scale_reason_words, (int)one->reason));
    JL_MARK(out, OUT_REPLICAS);
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
        JL_PUT(&items[i], CONDITION_REASON, reason,
               jl_word_of(&jl_scale_reason_words, (int)one->reason));
        JL_PUT(&items[i], CONDITION_WHERE, where, one->where);
        JL_PUT(&items[i], CONDITION_MESSAGE, message, one->message);
    }
    JL_PUT(out, OUT_CONDITIONS, conditions, ((struct jl_list){ items, result->condition_count }));
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
    JL_PUT(out, OUT_STATE, state, ((struct jl_raw){ .text = text, .len = buffer.len }));
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
    JL_MARK(out, OUT_RESOURCES);
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
    .in = &jl_autoscale_in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
