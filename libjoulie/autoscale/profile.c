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
#include "schema/tree.h"
#include "tensor_fusion/convert.h"

#define SECONDS(count) ((count)*JL_NS_PER_S)
#define MINUTES(count) SECONDS((count)*INT64_C(60))
#define HOURS(count) MINUTES((count)*INT64_C(60))

#define MIN_REPLICAS "joulie.io/autoscale-min-replicas" /* an annotation of the profile */
#define MAX_REPLICAS "joulie.io/autoscale-max-replicas"

#define LIMITS "autoSetLimits"
#define REPLICAS "autoSetReplicas"
#define REQUESTS "autoSetRequests"
#define RESOURCES "autoSetResources"

static const char *profile_path(struct jl_scale_reader *reader, const char *below)
{
    return jl_scale_below(reader, reader->source->profile_path, below);
}

static struct jl_scale_key key_of(const char *layer, const char *key)
{
    return (struct jl_scale_key){ layer, NULL, key };
}

/* ---- bounds ---- */

static const struct jl_scale_bounds limits_period = { SECONDS(1), HOURS(1) };
static const struct jl_scale_bounds replicas_period = { SECONDS(10), HOURS(1) };
static const struct jl_scale_bounds requests_period = { MINUTES(1), HOURS(24) };
static const struct jl_scale_bounds aggregation = { HOURS(1), HOURS(720) };
static const struct jl_scale_bounds cool_down = { 0, HOURS(720) };
static const struct jl_scale_bounds history = { SECONDS(1), HOURS(720) };
static const struct jl_scale_bounds delay = { 0, HOURS(720) };
static const struct jl_scale_bounds interval = { SECONDS(1), HOURS(24) };

static void read_duration(struct jl_scale_reader *reader, const char *layer, const char *key,
                          const struct jl_scale_bounds *bounds, int64_t *out_ns)
{
    const struct jl_scale_key at = key_of(layer, key);
    jl_scale_duration(reader, &at, bounds, out_ns);
}

static void read_ratio(struct jl_scale_reader *reader, const char *layer, const char *key,
                       enum jl_ratio_field field, double *out)
{
    const struct jl_scale_key at = key_of(layer, key);
    jl_scale_ratio(reader, &at, field, out, NULL);
}

/* An unknown target switches the layer off. */
static void read_targets(struct jl_scale_reader *reader, const char *layer, unsigned *out,
                         bool *is_on)
{
    const struct jl_scale_key at = key_of(layer, "targetResource");
    const char *where = NULL;
    const char *word = jl_scale_text(reader, &at, &where);
    if (word == NULL || jl_same_nocase(jl_text(word), "all")) {
        *out = JL_TARGETS_ALL;
    } else if (jl_same_nocase(jl_text(word), "tflops") ||
               jl_same_nocase(jl_text(word), "compute")) {
        *out = JL_TARGETS(JL_USAGE_TFLOPS);
    } else if (jl_same_nocase(jl_text(word), "vram")) {
        *out = JL_TARGETS(JL_USAGE_VRAM);
    } else {
        *is_on = false;
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, where,
                        "none of tflops, vram and all: the layer is off");
    }
}

static bool is_enabled(struct jl_scale_reader *reader, const char *layer)
{
    const struct jl_scale_key at = key_of(layer, "enable");
    return jl_scale_bool(reader, &at);
}

/* ---- layers ---- */

/* The path of a field as it was written; NULL = absent. */
static const char *path_of(struct jl_scale_reader *reader, const char *layer, const char *key)
{
    const struct jl_scale_key at = key_of(layer, key);
    const char *where = NULL;
    jl_scale_field(reader, &at, &where);
    return where;
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
    const char *ignored = path_of(reader, LIMITS, "ignoredDeltaRange");
    const char *buffer = path_of(reader, LIMITS, "extraTFlopsBufferRatio");
    const char *const tflops[] = { name_at(buffer, "extraTFlopsBufferRatio"), " is not above ",
                                   name_at(ignored, "ignoredDeltaRange"),
                                   ": a TFLOPS limit that is used up may stay where it is" };
    if ((limits->targets & JL_TARGETS(JL_USAGE_TFLOPS)) != 0 &&
        limits->buffer[JL_USAGE_TFLOPS] <= limits->ignored + JL_SCALE_SLACK)
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, buffer != NULL ? buffer : ignored,
                        jl_scale_join(reader, tflops, JL_COUNT(tflops)));
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
    read_duration(reader, LIMITS, "evaluationPeriod", &limits_period, &out->period_ns);
    read_ratio(reader, LIMITS, "extraTFlopsBufferRatio", JL_RATIO_EXTRA_TFLOPS_BUFFER,
               &out->buffer[JL_USAGE_TFLOPS]);
    read_ratio(reader, LIMITS, "ignoredDeltaRange", JL_RATIO_IGNORED_DELTA, &out->ignored);
    read_ratio(reader, LIMITS, "maxRatioToRequests", JL_RATIO_MAX_TO_REQUESTS, &out->max_ratio);
    read_ratio(reader, LIMITS, "scaleUpStep", JL_RATIO_LIMITS_STEP, &out->step);
    jl_scale_prediction(reader, LIMITS, &out->prediction);
    check_buffers(reader, out);
}

static void read_step(struct jl_scale_reader *reader, const char *key, enum jl_ratio_field field,
                      struct jl_replica_step *out)
{
    const struct jl_scale_key at = key_of(REPLICAS, key);
    enum jl_ratio_unit unit = out->is_pods ? JL_RATIO_PODS : JL_RATIO_FRACTION;
    jl_scale_ratio(reader, &at, field, &out->amount, &unit);
    out->is_pods = unit == JL_RATIO_PODS;
}

static void report_bound(struct jl_scale_reader *reader, const char *key, const char *message)
{
    const char *const parts[] = { profile_path(reader, "metadata.annotations."), key };
    jl_scale_report(reader, JL_REASON_INVALID_FIELD, jl_scale_join(reader, parts, JL_COUNT(parts)),
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
    read_duration(reader, REPLICAS, "evaluationPeriod", &replicas_period, &out->period_ns);
    read_duration(reader, REPLICAS, "scaleUpCoolDownTime", &cool_down, &config->up_cool_down_ns);
    read_duration(reader, REPLICAS, "scaleDownCoolDownTime", &cool_down,
                  &config->down_cool_down_ns);
    read_step(reader, "scaleUpStep", JL_RATIO_REPLICAS_STEP_UP, &config->up);
    read_step(reader, "scaleDownStep", JL_RATIO_REPLICAS_STEP_DOWN, &config->down);
    read_ratio(reader, REPLICAS, "targetTFlopsOfLimits", JL_RATIO_TARGET_OF_LIMITS,
               &config->target_frac);
    read_bound(reader, MIN_REPLICAS, &config->min);
    read_bound(reader, MAX_REPLICAS, &config->max);
    if (config->min > config->max) {
        report_bound(reader, MIN_REPLICAS, "above " MAX_REPLICAS ": the lower one counts");
        config->min = config->max;
    }
}

/* A short interval of C counts in full where it can, in the limits layer: it is not capped. */
static void read_requests_period(struct jl_scale_reader *reader, int64_t *out_ns)
{
    const struct jl_scale_key key = key_of(REQUESTS, "evaluationPeriod");
    struct jl_scale_bounds bounds = requests_period;
    if (jl_scale_is_shared(reader, &key) && is_enabled(reader, LIMITS))
        bounds.least_ns = limits_period.least_ns;
    jl_scale_duration(reader, &key, &bounds, out_ns);
    if (*out_ns < requests_period.least_ns)
        *out_ns = requests_period.least_ns;
}

static void read_requests(struct jl_scale_reader *reader)
{
    struct jl_requests_layer *out = &reader->out->requests;
    out->is_on = is_enabled(reader, REQUESTS);
    if (!out->is_on)
        return;
    read_targets(reader, REQUESTS, &out->targets, &out->is_on);
    read_requests_period(reader, &out->period_ns);
    read_duration(reader, REQUESTS, "aggregationPeriod", &aggregation, &out->aggregation_ns);
    read_ratio(reader, REQUESTS, "percentileForAutoRequests", JL_RATIO_PERCENTILE,
               &out->percentile);
    read_ratio(reader, REQUESTS, "extraBufferRatio", JL_RATIO_EXTRA_BUFFER, &out->multiplier);
    jl_scale_prediction(reader, REQUESTS, &out->prediction);
}

/* ---- autoSetResources for v2.17.1 ---- */

static void read_decimal(struct jl_scale_reader *reader, const char *key, double *out)
{
    const struct jl_scale_key at = key_of(RESOURCES, key);
    jl_scale_decimal(reader, &at, out);
}

static void read_go_duration(struct jl_scale_reader *reader, const char *key,
                             const struct jl_scale_bounds *bounds, int64_t *out_ns)
{
    const struct jl_scale_key at = key_of(RESOURCES, key);
    jl_scale_go_duration(reader, &at, bounds, out_ns);
}

/* An empty or unknown target, tflops too, changes nothing. */
static unsigned source_targets(struct jl_scale_reader *reader)
{
    const struct jl_scale_key at = key_of(RESOURCES, "targetResource");
    const char *where = NULL;
    const char *word = jl_scale_text(reader, &at, &where);
    if (word == NULL)
        return 0;
    if (jl_same_nocase(jl_text(word), "all"))
        return JL_TARGETS_ALL;
    if (jl_same_nocase(jl_text(word), "compute"))
        return JL_TARGETS(JL_USAGE_TFLOPS);
    return jl_same_nocase(jl_text(word), "vram") ? JL_TARGETS(JL_USAGE_VRAM) : 0;
}

static void read_percentile(struct jl_scale_reader *reader)
{
    struct jl_percentile_layer *out = &reader->out->percentile;
    struct jl_estimate *tflops = &out->fractions[JL_USAGE_TFLOPS];
    struct jl_estimate *vram = &out->fractions[JL_USAGE_VRAM];
    out->is_on = is_enabled(reader, RESOURCES);
    if (!out->is_on)
        return;
    out->targets = source_targets(reader);
    read_decimal(reader, "targetComputePercentile", &tflops->target);
    read_decimal(reader, "lowerBoundComputePercentile", &tflops->lower);
    read_decimal(reader, "upperBoundComputePercentile", &tflops->upper);
    read_decimal(reader, "targetVRAMPercentile", &vram->target);
    read_decimal(reader, "lowerBoundVRAMPercentile", &vram->lower);
    read_decimal(reader, "upperBoundVRAMPercentile", &vram->upper);
    read_decimal(reader, "marginFraction", &out->config.margin_frac);
    read_decimal(reader, "updateThreshold", &out->config.update_threshold_frac);
    read_decimal(reader, "minVRAMResourcesRatio", &out->config.min_ratio[JL_USAGE_VRAM]);
    read_decimal(reader, "maxVRAMResourcesRatio", &out->config.max_ratio[JL_USAGE_VRAM]);
    read_decimal(reader, "minComputeResourcesRatio", &out->config.min_ratio[JL_USAGE_TFLOPS]);
    read_decimal(reader, "maxComputeResourcesRatio", &out->config.max_ratio[JL_USAGE_TFLOPS]);
    read_go_duration(reader, "historyDataPeriod", &history, &out->history_ns);
    read_go_duration(reader, "initialDelayPeriod", &delay, &out->config.initial_delay_ns);
    read_go_duration(reader, "interval", &interval, &out->interval_ns);
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
    if (json_object_get_type(qos) == json_type_string) {
        out->percentile.qos = jl_arena_string(reader->arena, json_object_get_string(qos));
        if (out->percentile.qos == NULL)
            reader->code = jl_arena_code(reader->arena);
    }
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
        .err = err != NULL ? err : &full,
    };
    jl_autoscale_config_init(&config, model);
    reader.code = jl_convert_check(source->profile, reader.err);
    if (reader.code < 0) {
        jl_scale_prefix_where(reader.err, source->profile_path);
        return reader.code;
    }
    reader.gpu_model = gpu_model_of(source->profile);
    jl_scale_make_trees(&reader, model == JL_AUTOSCALE_V2_17_1 ? JL_DIALECT_C : JL_DIALECT_A,
                        &trees);
    if (reader.code < 0)
        return reader.code;
    read_all(&reader, &trees);
    if (reader.code < 0)
        return jl_fail_memory(reader.err);
    *out = config;
    return 0;
}
