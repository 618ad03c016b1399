/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A profile and its pool as the numbers that the engine runs by: every field with its default and
 * its bounds (docs/rules/autoscaling.md#configuration). Called by the handle and the question
 * autoscale.
 */

#include "autoscale/profile.h"

#include <string.h>

#include "autoscale/layer.h"
#include "autoscale/profile_parts.h"
#include "base/error.h"
#include "base/number.h"
#include "kinds/tensor_fusion.h"
#include "schema/tree.h"
#include "tensor_fusion/convert.h"

#define MIN_REPLICAS "joulie.io/autoscale-min-replicas" /* an annotation of the profile */
#define MAX_REPLICAS "joulie.io/autoscale-max-replicas"

#define LEAST_REQUESTS_NS (60 * JL_NS_PER_S)

#define LIMITS "autoSetLimits"
#define REPLICAS "autoSetReplicas"
#define REQUESTS "autoSetRequests"
#define RESOURCES "autoSetResources"

static const char *profile_path(struct jl_scale_reader *reader, const char *below)
{
    return jl_scale_below(reader, reader->source->profile_path, below);
}

static bool is_enabled(struct jl_scale_reader *reader, const char *layer)
{
    return jl_scale_bool(reader, &(struct jl_scale_key){ layer, NULL, "enable" });
}

static struct jl_scale_text target_of(struct jl_scale_reader *reader, const char *layer)
{
    return jl_scale_text(reader, &(struct jl_scale_key){ layer, NULL, "targetResource" });
}

/* An unknown target switches the layer off. */
static void read_targets(struct jl_scale_reader *reader, const char *layer, unsigned *out,
                         bool *is_on)
{
    const struct jl_scale_text target = target_of(reader, layer);
    const struct jl_text word = jl_text(target.text);
    if (word.len == 0 || jl_same_nocase(word, "all")) {
        *out = JL_TARGETS_ALL;
    } else if (jl_same_nocase(word, "tflops") || jl_same_nocase(word, "compute")) {
        *out = JL_TARGETS(JL_USAGE_TFLOPS);
    } else if (jl_same_nocase(word, "vram")) {
        *out = JL_TARGETS(JL_USAGE_VRAM);
    } else {
        *is_on = false;
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, target.where,
                        "none of tflops, vram and all: the layer is off");
    }
}

/* ---- layers ---- */

/* The path of a field of the limits layer as it was written; NULL = absent. */
static const char *limits_path(struct jl_scale_reader *reader, const char *key)
{
    return jl_scale_field(reader, &(struct jl_scale_key){ LIMITS, NULL, key }).where;
}

/* The last key of the path of a written field. */
static const char *name_at(const char *path, const char *by_default)
{
    const char *dot = path != NULL ? strrchr(path, '.') : NULL;
    return dot != NULL ? dot + 1 : by_default;
}

/* At a limit that is used up the target is the limit and its buffer, unless usage is rounded up to
 * the end of a bucket: within the ignored range nothing changes. */
static void check_buffers(struct jl_scale_reader *reader, const struct jl_limits_layer *limits)
{
    const char *ignored = limits_path(reader, "ignoredDeltaRange");
    const char *buffer = limits_path(reader, "extraTFlopsBufferRatio");
    if ((limits->targets & JL_TARGETS(JL_USAGE_TFLOPS)) != 0 &&
        limits->buffer[JL_USAGE_TFLOPS] <= limits->ignored + JL_SCALE_SLACK)
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, buffer != NULL ? buffer : ignored,
                        JL_SCALE_JOIN(reader, name_at(buffer, "extraTFlopsBufferRatio"),
                                      " is not above ", name_at(ignored, "ignoredDeltaRange"),
                                      ": a TFLOPS limit that is used up may stay where it is"));
    if ((limits->targets & JL_TARGETS(JL_USAGE_VRAM)) != 0 &&
        limits->buffer[JL_USAGE_VRAM] <= limits->ignored + JL_SCALE_SLACK)
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, ignored,
                        "not below the 15 % that are added to VRAM: a VRAM limit that is used up "
                        "may stay where it is");
}

static void read_limits(struct jl_scale_reader *reader)
{
    struct jl_limits_layer *out = &reader->out->limits;
    out->is_on = is_enabled(reader, LIMITS);
    if (!out->is_on)
        return;
    read_targets(reader, LIMITS, &out->targets, &out->is_on);
    jl_scale_read_fields(reader, LIMITS, NULL);
    jl_scale_read_prediction(reader, LIMITS, &out->prediction);
    check_buffers(reader, out);
}

static void report_bound(struct jl_scale_reader *reader, const char *key, const char *message)
{
    jl_scale_report(reader, JL_REASON_INVALID_FIELD,
                    JL_SCALE_JOIN(reader, profile_path(reader, "metadata.annotations."), key),
                    message);
}

/* An annotation with a whole number from 1 on; absent or bad: *out stays. */
static void read_bound(struct jl_scale_reader *reader, const char *key, int64_t *out)
{
    struct json_object *meta = jl_fusion_member(reader->source->profile, "metadata");
    struct json_object *value = jl_fusion_member(jl_fusion_member(meta, "annotations"), key);
    int64_t count = 0;
    if (json_object_get_type(value) != json_type_string)
        return;
    const char *text = json_object_get_string(value);
    if (jl_parse_i64(text, jl_text(text).len, &count) == 0 && count >= 1 &&
        count <= JL_REPLICAS_MAX) {
        *out = count;
        return;
    }
    report_bound(reader, key, "not a whole number from 1 on: it does not count");
}

static void read_replicas(struct jl_scale_reader *reader)
{
    struct jl_replicas_layer *out = &reader->out->replicas;
    struct jl_replicas_config *config = &out->config;
    out->is_on = is_enabled(reader, REPLICAS);
    if (!out->is_on)
        return;
    jl_scale_read_fields(reader, REPLICAS, NULL);
    read_bound(reader, MIN_REPLICAS, &config->min);
    read_bound(reader, MAX_REPLICAS, &config->max);
    if (config->min > config->max) {
        report_bound(reader, MIN_REPLICAS, "above " MAX_REPLICAS ": the lower one counts");
        config->min = config->max;
    }
}

static void read_requests(struct jl_scale_reader *reader)
{
    struct jl_requests_layer *out = &reader->out->requests;
    out->is_on = is_enabled(reader, REQUESTS);
    if (!out->is_on)
        return;
    read_targets(reader, REQUESTS, &out->targets, &out->is_on);
    jl_scale_read_fields(reader, REQUESTS, NULL);
    if (out->period_ns < LEAST_REQUESTS_NS) /* an interval of C that the limits layer takes */
        out->period_ns = LEAST_REQUESTS_NS;
    jl_scale_read_prediction(reader, REQUESTS, &out->prediction);
}

/* ---- autoSetResources for v2.17.1 ---- */

/* An empty or unknown target, tflops too, changes nothing. */
static unsigned source_targets(struct jl_scale_reader *reader)
{
    const struct jl_text word = jl_text(target_of(reader, RESOURCES).text);
    if (jl_same_nocase(word, "all"))
        return JL_TARGETS_ALL;
    if (jl_same_nocase(word, "compute"))
        return JL_TARGETS(JL_USAGE_TFLOPS);
    return jl_same_nocase(word, "vram") ? JL_TARGETS(JL_USAGE_VRAM) : 0;
}

static void read_percentile(struct jl_scale_reader *reader)
{
    struct jl_percentile_layer *out = &reader->out->percentile;
    out->is_on = is_enabled(reader, RESOURCES);
    if (!out->is_on)
        return;
    out->targets = source_targets(reader);
    jl_scale_read_fields(reader, RESOURCES, NULL);
}

/* ---- the whole ---- */

static void set_blocks(struct jl_scale_reader *reader, const struct jl_scale_trees *trees)
{
    reader->blocks[0] = (struct jl_scale_block){
        .own = jl_scale_block_of(reader->source->profile),
        .members = jl_scale_block_of(trees->read),
        .path = profile_path(reader, "spec.autoScalingConfig"),
        .is_converted = trees->read != reader->source->profile,
    };
    reader->blocks[1] = (struct jl_scale_block){
        .own = reader->source->pool,
        .members = jl_scale_block_of(trees->pooled),
        .path = reader->source->pool_path != NULL ? reader->source->pool_path : "",
        .is_converted = trees->pooled != trees->pool,
    };
    if (jl_dialect_of(reader->source->profile) == JL_DIALECT_MIXED)
        jl_scale_report(reader, JL_REASON_MIXED_DIALECT, reader->blocks[0].path,
                        "marks of dialect A and of a later one");
}

/* With a local GPU requests and replicas do not run. */
static void read_spec(struct jl_scale_reader *reader, struct json_object *profile)
{
    struct jl_autoscale_config *out = reader->out;
    struct json_object *spec = jl_fusion_member(profile, "spec");
    struct json_object *replicas = jl_fusion_member(spec, "replicas");
    struct json_object *gpus = jl_fusion_member(spec, "gpuCount");
    struct json_object *qos = jl_fusion_member(spec, "qos");
    struct json_object *local = jl_fusion_member(spec, "isLocalGPU");
    if (json_object_get_type(replicas) == json_type_int)
        out->spec_replicas = json_object_get_int64(replicas);
    if (json_object_get_type(gpus) == json_type_int && json_object_get_int64(gpus) > 0 &&
        json_object_get_int64(gpus) <= INT32_MAX)
        out->gpu_count = (uint32_t)json_object_get_int64(gpus);
    if (json_object_get_type(qos) == json_type_string)
        out->percentile.qos = jl_scale_copy(reader, json_object_get_string(qos));
    jl_scale_amounts(reader, jl_fusion_member(spec, "resources"),
                     profile_path(reader, "spec.resources"), &out->original);
    if (json_object_get_type(local) != json_type_boolean || !json_object_get_boolean(local))
        return;
    if (out->requests.is_on)
        jl_scale_report(reader, JL_REASON_REQUESTS_IGNORED, profile_path(reader, "spec.isLocalGPU"),
                        "the requests layer is for remote GPUs");
    if (out->replicas.is_on)
        jl_scale_report(reader, JL_REASON_REPLICAS_IGNORED, profile_path(reader, "spec.isLocalGPU"),
                        "replicas of a workload with a local GPU follow its pods");
    out->requests.is_on = false;
    out->replicas.is_on = false;
}

static void read_all(struct jl_scale_reader *reader, const struct jl_scale_trees *trees)
{
    set_blocks(reader, trees);
    if (reader->out->model == JL_AUTOSCALE_V2_17_1) {
        read_percentile(reader);
    } else {
        read_requests(reader);
        read_limits(reader);
        read_replicas(reader);
    }
    read_spec(reader, trees->own);
    jl_scale_read_rules(reader);
    jl_scale_read_external(reader);
    jl_scale_put_conditions(reader);
}

/* NULL: the profile names none. */
static const char *gpu_model_of(struct json_object *profile)
{
    struct json_object *model = jl_fusion_member(jl_fusion_member(profile, "spec"), "gpuModel");
    return json_object_get_type(model) == json_type_string ? json_object_get_string(model) : NULL;
}

int jl_autoscale_config_read(const struct jl_autoscale_source *source,
                             enum jl_autoscale_model model, struct jl_arena *arena,
                             struct jl_autoscale_config *out, struct jl_amount_texts *texts,
                             struct joulie_error *err)
{
    struct joulie_error full = { .struct_size = sizeof full };
    struct jl_autoscale_config config;
    JL_CLEANUP(jl_scale_clear_trees) struct jl_scale_trees trees = { 0 };
    struct jl_scale_reader reader = {
        .source = source,
        .arena = arena,
        .out = &config,
        .texts = texts,
        .err = &full,
    };
    jl_autoscale_config_init(&config, model);
    reader.code = jl_convert_check(source->profile, reader.err);
    if (reader.code < 0) {
        jl_error_inside(&full, source->profile_path, ".");
        return jl_error_return(&full, reader.code, err);
    }
    reader.gpu_model = gpu_model_of(source->profile);
    jl_scale_make_trees(&reader, model == JL_AUTOSCALE_V2_17_1 ? JL_DIALECT_C : JL_DIALECT_A,
                        &trees);
    if (reader.code == 0)
        read_all(&reader, &trees);
    if (reader.code == 0)
        *out = config;
    return jl_error_return(&full, reader.code, err);
}

/* ---- the objects of a document ---- */

static int find_table(struct jl_decode *decode, const struct jl_raw *raw, const struct jl_path *at,
                      const struct jl_table **out)
{
    const char *kind;
    const int rc = jl_decode_kind(decode, raw, at, &kind);
    *out = rc == 0 && jl_same(kind, jl_fusion_workload_table.kind->kind) ? &jl_fusion_workload_table
                                                                         : &jl_fusion_profile_table;
    return rc;
}

int jl_autoscale_object_read(struct jl_decode *decode, const struct jl_raw *raw,
                             const struct jl_path *at, const struct jl_table *table,
                             struct json_object **out)
{
    int rc = table == NULL ? find_table(decode, raw, at, &table) : 0;
    if (rc < 0)
        return rc;
    table = jl_fusion_rules_unread(table, decode->arena);
    void *object = table != NULL ? jl_arena_alloc(decode->arena, table->size) : NULL;
    if (object == NULL)
        return jl_fail_memory(decode->err);
    rc = jl_decode_raw(decode, raw, at, table, object);
    return rc < 0 ? rc : jl_tree_from_raw(decode, raw, at, out);
}
