/* SPDX-License-Identifier: Apache-2.0 */

/*
 * autoscale: one evaluation of a workload's autoscaler (docs/rules/autoscaling.md#step). Its input
 * is read into the engine's own structs.
 */

#include "ask/ask.h"
#include "ask/zones.h"
#include "autoscale/engine.h"
#include "autoscale/external.h"
#include "autoscale/profile.h"
#include "base/error.h"
#include "kinds/tensor_fusion.h"
#include "kubernetes/quantity.h"
#include "schema/tree.h"

#define MOST_MS (JL_SCALE_MOST_NS / JL_NS_PER_MS)

/* ---- the question ---- */

/* {"requests":{"tflops","vram"},"limits":{"tflops","vram"}} */
#define RECORD autoscale_pair
#define MEMBERS                                        \
    QUANTITY(tflops, "tflops", "FP16 TFLOPS per GPU.") \
    QUANTITY(vram, "vram", "Bytes per GPU.")
#include "schema/record.h"

#define RECORD autoscale_amounts
#define MEMBERS                                                                  \
    OBJECT(requests, "requests", autoscale_pair, "What a worker is guaranteed.") \
    OBJECT(limits, "limits", autoscale_pair, "What a worker may use.")
#include "schema/record.h"

#define RECORD autoscale_current
#define MEMBERS                                                                      \
    OBJECT(requests, "requests", autoscale_pair, "What a worker is guaranteed now.") \
    OBJECT(limits, "limits", autoscale_pair, "What a worker may use now.")           \
    INTEGER(replicas, "replicas", "Workers now.", NOT_NEGATIVE, AT_MOST(JL_REPLICAS_MAX))
#include "schema/record.h"

#define RECORD autoscale_worker
#define MEMBERS                                                                   \
    STRING(name, "name", "Name of a ready worker.", REQUIRED, LIST_KEY)           \
    TIME(created_ms, "created", "When it was created; absent: its first sample.") \
    BOOLEAN(dedicated, "dedicated", "It owns its GPU and is never changed.")
#include "schema/record.h"

#define RECORD autoscale_sample
#define MEMBERS                                                                              \
    STRING(worker, "worker", "Name of the worker.", REQUIRED)                                \
    TIME(t_ms, "t", "When it was measured.", REQUIRED)                                       \
    NUMBER(tflops, "tflops", "TFLOPS that were used.", REQUIRED)                             \
    QUANTITY(vram, "vram", "Bytes that were allocated.", REQUIRED)                           \
    NUMBER(tflops_limit, "tflopsLimit", "The worker's limit then; absent: the present one.") \
    NUMBER(throttled_count, "throttledCount", "Counter that grows while it is throttled.")   \
    NUMBER(oom_count, "oomCount", "Counter that grows when it is killed for the memory of its GPU.")
#include "schema/record.h"

#define RECORD autoscale_pool
#define MEMBERS                                                                                 \
    RAW(auto_scaling_config, "autoScalingConfig", "What holds where the profile says nothing.") \
    OBJECT(gpu, "gpu", autoscale_pair, "Capacity of one GPU.")                                  \
    OBJECT(max_allowed, "maxAllowed", autoscale_pair, "What a worker's request may grow to.")   \
    INTEGER(max_replicas, "maxReplicas", "Workers at most.", AT_LEAST(1))
#include "schema/record.h"

#define RECORD autoscale_in
#define MEMBERS                                                                                   \
    RAW(profile, "profile", "WorkloadProfile or TensorFusionWorkload, any dialect.", REQUIRED)    \
    OBJECT(current, "current", autoscale_current,                                                 \
           "What workers have now; absent: what the profile says.")                               \
    LIST(workers, "workers", autoscale_worker, "Ready workers; absent: those that samples name.") \
    LIST(samples, "samples", autoscale_sample, "New samples, any order.")                         \
    OBJECT(pool, "pool", autoscale_pool, "What the pool allows.")                                 \
    RAW(external, "external", "Reply of an external scaler.")                                     \
    TIME(now_ms, "now", "Time of the evaluation.", REQUIRED)                                      \
    RAW(state, "state", "The state of an earlier answer.")
#include "schema/record.h"

/* What it is read into. */
struct autoscale_input {
    struct jl_autoscale_config config;
    struct jl_scale_step step;
    struct jl_scale_reply reply;
    struct jl_amount_texts texts;
};

/* ---- amounts ---- */

/* The decoder has read the text once. */
static double value_of(const char *text)
{
    struct jl_quantity quantity = { .nano = 0 };
    jl_parse_quantity(text, jl_text(text).len, &quantity);
    return jl_quantity_to_double(&quantity);
}

_Static_assert(JL_INDEX(autoscale_pair, tflops) == (int)JL_USAGE_TFLOPS &&
                   JL_INDEX(autoscale_pair, vram) == (int)JL_USAGE_VRAM,
               "one order of resources");

/* An amount of the pair at a path. */
static int read_amount(struct jl_ask *ask, const struct autoscale_pair *pair, unsigned usage,
                       const char *where, double *out)
{
    *out = value_of(usage == JL_USAGE_VRAM ? pair->vram : pair->tflops);
    if (*out >= 0)
        return 0;
    return jl_ask_fail(ask, JOULIE_E_RANGE,
                       jl_ask_path(ask, "%s.%s", where, autoscale_pair_table.rows[usage].key),
                       "an amount is not below 0");
}

/* Bounds of the pool. */
static int read_bounds(struct jl_ask *ask, const struct autoscale_pair *pair, const char *where,
                       jl_put_bound *put, struct jl_amount_bounds *out)
{
    for (unsigned u = 0; u < JL_USAGES; u++) {
        double value = 0;
        if (!JL_HAS(pair, u))
            continue;
        const int rc = read_amount(ask, pair, u, where, &value);
        if (rc < 0)
            return rc;
        put(out, (enum jl_usage)u, value);
    }
    return 0;
}

/* Present amounts. */
static int note_pair(struct jl_ask *ask, const struct autoscale_pair *pair, const char *where,
                     bool is_limit, struct jl_amounts *amounts, struct jl_amount_texts *texts)
{
    const char *const written[JL_USAGES] = { pair->tflops, pair->vram };
    for (unsigned u = 0; u < JL_USAGES; u++) {
        double value = 0;
        if (!JL_HAS(pair, u))
            continue;
        const int rc = read_amount(ask, pair, u, where, &value);
        if (rc < 0)
            return rc;
        if (!(value > 0))
            continue; /* zero = unset: that of the profile */
        *(is_limit ? &amounts->of[u].limit : &amounts->of[u].request) = value;
        if (jl_amount_note(texts, ask->arena, (enum jl_usage)u, is_limit, value, written[u]) < 0)
            return jl_fail_memory(ask->err);
    }
    return 0;
}

static int put_pair(struct jl_ask *ask, const struct autoscale_input *input,
                    const struct jl_amounts *amounts, bool is_limit, struct autoscale_pair *out)
{
    const char **const texts[JL_USAGES] = { &out->tflops, &out->vram };
    for (unsigned u = 0; u < JL_USAGES; u++) {
        const double value = is_limit ? amounts->of[u].limit : amounts->of[u].request;
        if (!(value > 0))
            continue;
        if (jl_amount_text(&input->texts, ask->arena, (enum jl_usage)u, is_limit, value, texts[u]) <
            0)
            return jl_fail_memory(ask->err);
        if (*texts[u] != NULL)
            JL_MARK(out, u);
    }
    return 0;
}

/* Unset amounts that nobody wrote stay away. */
static int put_amounts(struct jl_ask *ask, const struct autoscale_input *input,
                       const struct jl_amounts *amounts, struct autoscale_amounts *out)
{
    const int rc = put_pair(ask, input, amounts, false, &out->requests);
    out->given.requests = true;
    out->given.limits = true;
    return rc < 0 ? rc : put_pair(ask, input, amounts, true, &out->limits);
}

/* ---- workers and samples ---- */

static bool to_ns(int64_t ms, int64_t *out_ns)
{
    const bool is_inside = ms <= MOST_MS && ms >= -MOST_MS;
    if (is_inside)
        *out_ns = ms * JL_NS_PER_MS;
    return is_inside;
}

static int fail_time(struct jl_ask *ask, const char *where)
{
    return jl_ask_fail(ask, JOULIE_E_RANGE, where, "outside the years 1824 to 2115");
}

static int read_workers(struct jl_ask *ask, const struct autoscale_in *in,
                        struct jl_scale_step *out)
{
    struct jl_scale_worker *workers =
        JL_NEW_ARRAY(ask->arena, in->workers.count + 1, struct jl_scale_worker);
    if (workers == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < in->workers.count; i++) {
        const struct autoscale_worker *given = JL_ITEM(in->workers, autoscale_worker, i);
        workers[i] = (struct jl_scale_worker){
            .name = given->name,
            .has_created = given->given.created_ms,
            .is_dedicated = given->dedicated,
        };
        if (!to_ns(given->created_ms, &workers[i].created_ns))
            return fail_time(ask, jl_ask_path(ask, "workers[%zu].created", i));
    }
    out->has_workers = in->given.workers;
    out->workers = workers;
    out->worker_count = in->workers.count;
    return 0;
}

static int read_samples(struct jl_ask *ask, const struct autoscale_in *in,
                        struct jl_scale_step *out)
{
    struct jl_scale_sample *samples =
        JL_NEW_ARRAY(ask->arena, in->samples.count + 1, struct jl_scale_sample);
    if (samples == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < in->samples.count; i++) {
        const struct autoscale_sample *given = JL_ITEM(in->samples, autoscale_sample, i);
        samples[i] = (struct jl_scale_sample){
            .worker = given->worker,
            .tflops = given->tflops,
            .has_tflops = true,
            .vram_bytes = value_of(given->vram),
            .has_vram = true,
            .tflops_limit = given->tflops_limit,
            .has_limit = given->given.tflops_limit,
            .throttle_count = given->throttled_count,
            .has_throttle = given->given.throttled_count,
            .oom_count = given->oom_count,
            .has_oom = given->given.oom_count,
        };
        if (!to_ns(given->t_ms, &samples[i].at_ns))
            return fail_time(ask, jl_ask_path(ask, "samples[%zu].t", i));
    }
    out->samples = samples;
    out->sample_count = in->samples.count;
    return 0;
}

/* ---- the external reply ---- */

static int note_reply(struct jl_ask *ask, const struct jl_external_amounts *side, bool is_limit,
                      const struct jl_amounts *amounts, struct jl_amount_texts *texts)
{
    const char *const written[JL_USAGES] = { side->tflops, side->vram };
    for (unsigned u = 0; u < JL_USAGES; u++) {
        const struct jl_amount_pair *pair = &amounts->of[u];
        const double value = is_limit ? pair->limit : pair->request;
        if (written[u] != NULL && value > 0 &&
            jl_amount_note(texts, ask->arena, (enum jl_usage)u, is_limit, value, written[u]) < 0)
            return jl_fail_memory(ask->err);
    }
    return 0;
}

/* A reply that cannot be read is a failed call, not a bad question. */
static int read_external(struct jl_ask *ask, const struct autoscale_in *in,
                         struct autoscale_input *out)
{
    const struct jl_path at = { .key = jl_text("external") };
    struct joulie_error why = { .struct_size = sizeof why };
    struct jl_decode decode = *ask->decode;
    struct jl_external_reply given;
    if (!in->given.external)
        return 0;
    out->step.reply = &out->reply;
    decode.err = &why;
    int rc = jl_decode_raw(&decode, &in->external, &at, &jl_external_reply_table, &given);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(ask->err);
    if (rc < 0) {
        out->reply.problem = jl_arena_string(ask->arena, why.message);
        return out->reply.problem != NULL ? 0 : jl_fail_memory(ask->err);
    }
    jl_external_take(&given, &out->reply);
    if (out->reply.problem != NULL)
        return 0;
    rc = note_reply(ask, &given.resources.requests, false, &out->reply.amounts, &out->texts);
    if (rc == 0)
        rc = note_reply(ask, &given.resources.limits, true, &out->reply.amounts, &out->texts);
    return rc;
}

/* ---- the profile ---- */

static int read_config(struct jl_ask *ask, const struct autoscale_in *in,
                       struct autoscale_input *out)
{
    const struct jl_path profile_at = { .key = jl_text("profile") };
    const struct jl_path pool_up = { .key = jl_text("pool") };
    const struct jl_path pool_at = { .up = &pool_up, .key = jl_text("autoScalingConfig") };
    JL_CLEANUP(jl_tree_clear) struct json_object *profile = NULL;
    JL_CLEANUP(jl_tree_clear) struct json_object *pool = NULL;
    struct jl_ask_zones zones;
    jl_ask_zones_init(&zones, ask);
    const struct jl_zone_finder finder = { jl_ask_find_zone, &zones };
    int rc = jl_autoscale_object_read(ask->decode, &in->profile, &profile_at, NULL, &profile);
    if (rc == 0 && in->pool.given.auto_scaling_config)
        rc = jl_autoscale_object_read(ask->decode, &in->pool.auto_scaling_config, &pool_at,
                                      &jl_fusion_autoscaling_table, &pool);
    if (rc < 0)
        return rc;
    const bool has_gpu = (out->step.gpu.has >> JL_USAGE_TFLOPS & 1) != 0;
    const struct jl_autoscale_source source = {
        .profile = profile,
        .profile_path = "profile",
        .pool = pool,
        .pool_path = "pool.autoScalingConfig",
        .gpu_tflops = has_gpu ? out->step.gpu.of[JL_USAGE_TFLOPS] : 0,
        .zones = &finder,
    };
    return jl_autoscale_config_read(
        &source, jl_is_current(ask) ? JL_AUTOSCALE_CURRENT : JL_AUTOSCALE_V2_17_1, ask->arena,
        &out->config, &out->texts, ask->err);
}

/* ---- the whole ---- */

static int read_current(struct jl_ask *ask, const struct autoscale_in *in,
                        struct autoscale_input *out)
{
    struct jl_amount_texts after = out->texts; /* the profile's, which come behind */
    struct jl_amounts current = out->config.original;
    out->texts = (struct jl_amount_texts){ 0 };
    int rc =
        note_pair(ask, &in->current.requests, "current.requests", false, &current, &out->texts);
    if (rc == 0)
        rc = note_pair(ask, &in->current.limits, "current.limits", true, &current, &out->texts);
    if (rc < 0)
        return rc;
    if (out->texts.last != NULL)
        out->texts.last->next = after.first;
    else
        out->texts.first = after.first;
    if (after.last != NULL)
        out->texts.last = after.last;
    out->step.current = current;
    out->step.replicas = in->current.replicas;
    return 0;
}

/* Fills out and restores the state of the engine. */
static int read_input(struct jl_ask *ask, const struct autoscale_in *in,
                      struct autoscale_input *out, struct jl_scale_engine *scaler)
{
    const struct jl_path state_at = { .key = jl_text("state") };
    *out = (struct autoscale_input){ .step = { .max_replicas = in->pool.max_replicas } };
    if (!to_ns(in->now_ms, &out->step.now_ns))
        return fail_time(ask, "now");
    int rc = read_bounds(ask, &in->pool.gpu, "pool.gpu", jl_put_capacity, &out->step.gpu);
    if (rc == 0)
        rc = read_bounds(ask, &in->pool.max_allowed, "pool.maxAllowed", jl_put_allowance,
                         &out->step.max_allowed);
    if (rc == 0)
        rc = read_config(ask, in, out);
    if (rc == 0)
        rc = read_current(ask, in, out);
    if (rc == 0)
        rc = read_workers(ask, in, &out->step);
    if (rc == 0)
        rc = read_samples(ask, in, &out->step);
    if (rc == 0)
        rc = read_external(ask, in, out);
    if (rc == 0 && in->given.state)
        rc = jl_autoscale_state_get(ask->decode, &in->state, &state_at, scaler);
    return rc;
}

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
#define MEMBERS                                                                        \
    LIST(decisions, "decisions", autoscale_decision,                                   \
         "One per evaluated layer and resource, kept ones too.")                       \
    OBJECT(resources, "resources", autoscale_amounts, "The recommendation, complete.") \
    OBJECT(replicas, "replicas", autoscale_replicas,                                   \
           "Number of workers; absent when its layer did not run.")                    \
    LIST(conditions, "conditions", autoscale_condition, "What somebody should know.")  \
    RAW(state, "state", "What has to be remembered until the next call; opaque.")
#include "schema/record.h"

/* ---- filling it ---- */

static int put_decisions(struct jl_ask *ask, const struct autoscale_input *input,
                         const struct jl_scale_result *result, struct autoscale_out *out)
{
    struct autoscale_decision *items =
        JL_NEW_LIST(ask, out, decisions, result->decision_count, struct autoscale_decision);
    if (items == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < result->decision_count; i++) {
        const struct jl_scale_decision *one = &result->decisions[i];
        const bool is_limit = one->field == JL_FIELD_LIMIT;
        const char *from;
        const char *to;
        if (jl_amount_text(&input->texts, ask->arena, one->usage, is_limit, one->from, &from) < 0 ||
            jl_amount_text(&input->texts, ask->arena, one->usage, is_limit, one->to, &to) < 0)
            return jl_fail_memory(ask->err);
        const char *reason = jl_word_of(&jl_scale_reason_words, (int)one->reason);
        JL_SET(&items[i], layer, jl_word_of(&jl_scale_layer_words, (int)one->layer));
        JL_SET(&items[i], resource, jl_scale_resource_of(one));
        JL_SET_IF(&items[i], from, from != NULL, from);
        JL_SET_IF(&items[i], to, to != NULL, to);
        JL_SET_IF(&items[i], reason, reason != NULL, reason);
    }
    return 0;
}

static void put_replicas(const struct jl_scale_result *result, struct autoscale_out *out)
{
    const struct jl_replicas_decision *one = &result->replicas;
    struct autoscale_replicas *replicas = &out->replicas;
    JL_SET(replicas, from, one->from);
    JL_SET(replicas, to, one->to);
    JL_SET(replicas, desired, one->desired);
    JL_SET_IF(replicas, ratio, one->has_ratio, one->ratio);
    JL_SET(replicas, reason, jl_word_of(&jl_scale_reason_words, (int)one->reason));
    out->given.replicas = true;
}

static int put_conditions(struct jl_ask *ask, const struct jl_scale_result *result,
                          struct autoscale_out *out)
{
    struct autoscale_condition *items =
        JL_NEW_LIST(ask, out, conditions, result->condition_count, struct autoscale_condition);
    if (items == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < result->condition_count; i++) {
        const struct jl_scale_condition *one = &result->conditions[i];
        JL_SET(&items[i], reason, jl_word_of(&jl_scale_reason_words, (int)one->reason));
        JL_SET(&items[i], where, one->where);
        JL_SET(&items[i], message, one->message);
    }
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

/* ---- the evaluation ---- */

static void clear(struct jl_scale_engine **scaler)
{
    jl_scale_engine_free(*scaler);
}

static int evaluate(struct jl_ask *ask, struct autoscale_input *input,
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
    out->given.resources = true;
    return put_amounts(ask, input, &result.amounts, &out->resources);
}

static int answer_autoscale(struct jl_ask *ask, const struct autoscale_in *in,
                            struct autoscale_out *out)
{
    JL_CLEANUP(clear) struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct autoscale_input input;
    if (scaler == NULL)
        return jl_fail_memory(ask->err);
    const int rc = read_input(ask, in, &input, scaler);
    return rc < 0 ? rc : evaluate(ask, &input, scaler, out);
}

JL_QUESTION(autoscale, "autoscale", "One evaluation of a TensorFusion workload's autoscaler",
            JL_MODELS("current", "v2.17.1"));
