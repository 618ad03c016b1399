/* SPDX-License-Identifier: Apache-2.0 */
#include "fusion/autoscale_config.h"

#include "base/error.h"
#include "base/number.h"
#include "fusion/autoscale_parts.h"
#include "fusion/convert.h"
#include "schema/tree.h"

#define SECONDS(count) ((count)*JL_NS_PER_S)
#define MINUTES(count) SECONDS((count)*INT64_C(60))
#define HOURS(count) MINUTES((count)*INT64_C(60))

#define MIN_REPLICAS "joulie.io/autoscale-min-replicas" /* §8.5 */
#define MAX_REPLICAS "joulie.io/autoscale-max-replicas"

#define LIMITS "autoSetLimits"
#define REPLICAS "autoSetReplicas"
#define REQUESTS "autoSetRequests"
#define RESOURCES "autoSetResources"

/* Between a path, which may be that of the document itself, and what is below it. */
static const char *dot(const char *path)
{
    return path[0] != '\0' ? "." : "";
}

static struct jl_scale_key key_of(const char *layer, const char *key)
{
    return (struct jl_scale_key){ layer, NULL, key };
}

/* ---- bounds of §8.1 ---- */

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
}

static void read_step(struct jl_scale_reader *reader, const char *key, enum jl_ratio_field field,
                      struct jl_replica_step *out)
{
    const struct jl_scale_key at = key_of(REPLICAS, key);
    enum jl_ratio_unit unit = out->is_pods ? JL_RATIO_PODS : JL_RATIO_FRACTION;
    jl_scale_ratio(reader, &at, field, &out->amount, &unit);
    out->is_pods = unit == JL_RATIO_PODS;
}

/* An annotation with a whole number from 1 on; absent or bad: *out stays. */
static void read_bound(struct jl_scale_reader *reader, const char *key, int64_t *out)
{
    struct json_object *meta = jl_fusion_member(reader->source->profile, "metadata");
    struct json_object *value = jl_fusion_member(jl_fusion_member(meta, "annotations"), key);
    const char *const parts[] = { reader->source->profile_path, dot(reader->source->profile_path),
                                  "metadata.annotations.", key };
    int64_t count = 0;
    if (json_object_get_type(value) != json_type_string)
        return;
    const char *text = json_object_get_string(value);
    if (jl_parse_i64(text, jl_text(text).len, &count) < 0 || count < 1 || count > JL_REPLICAS_MAX)
        jl_scale_report(reader, JL_REASON_INVALID_FIELD,
                        jl_scale_join(reader, parts, JL_COUNT(parts)),
                        "not a whole number from 1 on: it does not count");
    else
        *out = count;
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
    if (config->max < config->min)
        config->max = config->min;
}

static void read_requests(struct jl_scale_reader *reader)
{
    struct jl_requests_layer *out = &reader->out->requests;
    out->is_on = is_enabled(reader, REQUESTS);
    if (!out->is_on)
        return;
    read_targets(reader, REQUESTS, &out->targets, &out->is_on);
    read_duration(reader, REQUESTS, "evaluationPeriod", &requests_period, &out->period_ns);
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

/* An empty or unknown target, tflops too, changes nothing (§5.1, §11 no. 14). */
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

/* ---- dialects ---- */

#define RULES_PATH "spec.autoScalingConfig.cronScalingRules["

/* What the conversion could not read in the block is told with the block's own path. Rules are
 * read as they were written, and speak for themselves. */
static void take_warnings(struct jl_scale_reader *reader, const struct jl_converted *converted,
                          const char *path)
{
    for (const struct jl_convert_warning *one = converted->warnings; one != NULL; one = one->next) {
        const char *const parts[] = { path, dot(path), one->path };
        if (jl_starts_with(one->path, RULES_PATH))
            continue;
        if (jl_same(one->reason, "InvalidField"))
            jl_scale_report(reader, JL_REASON_INVALID_FIELD,
                            jl_scale_join(reader, parts, JL_COUNT(parts)), one->text);
        else if (jl_same(one->reason, "StaleAnnotation"))
            jl_scale_report(reader, JL_REASON_STALE_ANNOTATION,
                            jl_scale_join(reader, parts, JL_COUNT(parts)), one->text);
        else if (jl_same(one->reason, "AmbiguousGpuModel"))
            jl_scale_report(reader, JL_REASON_AMBIGUOUS_GPU_MODEL, jl_scale_gpu_path(reader),
                            one->text);
    }
}

static void prefix_where(struct joulie_error *err, const char *path)
{
    const struct joulie_error old = *err;
    jl_fail(err, old.code, "", "%s", old.message);
    const size_t len = jl_text(path).len;
    size_t at = 0;
    for (size_t i = 0; i < len && at + 1 < sizeof err->where; i++)
        err->where[at++] = path[i];
    if (old.where[0] != '\0' && at > 0 && at + 1 < sizeof err->where)
        err->where[at++] = '.';
    for (size_t i = 0; old.where[i] != '\0' && at + 1 < sizeof err->where; i++)
        err->where[at++] = old.where[i];
    err->where[at] = '\0';
}

/* A copy of the object without its cron rules; NULL when memory ran out. */
static struct json_object *without_rules(struct json_object *object)
{
    struct json_object *copy = NULL;
    if (json_object_deep_copy(object, &copy, NULL) < 0)
        return NULL;
    json_object_object_del(jl_fusion_member(jl_fusion_member(copy, "spec"), "autoScalingConfig"),
                           "cronScalingRules");
    return copy;
}

/* Converts; a rule that cannot be said in the other dialect is no failure of the others. */
static int convert(struct jl_scale_reader *reader, struct json_object *object,
                   const struct jl_convert_options *options, struct jl_converted *out)
{
    const int rc = jl_convert(object, options, reader->arena, out, reader->err);
    if (rc >= 0 || !jl_starts_with(reader->err->where, RULES_PATH))
        return rc;
    JL_CLEANUP(jl_tree_clear) struct json_object *others = without_rules(object);
    if (others == NULL)
        return jl_fail_memory(reader->err);
    return jl_convert(others, options, reader->arena, out, reader->err);
}

/* The object in the wanted dialect, a reference of the caller's; NULL after a failure. */
static struct json_object *in_dialect(struct jl_scale_reader *reader, struct json_object *object,
                                      enum jl_dialect to, const char *path)
{
    const enum jl_dialect from = jl_dialect_of(object);
    const struct jl_convert_options options = { .to = to,
                                                .gpu_tflops = reader->source->gpu_tflops,
                                                .gpu_model = reader->gpu_model };
    struct jl_converted converted = { .object = NULL };
    if (from == to || from == JL_DIALECT_NEUTRAL || from == JL_DIALECT_MIXED)
        return json_object_get(object);
    reader->code = convert(reader, object, &options, &converted);
    if (reader->code < 0) {
        prefix_where(reader->err, path);
        return NULL;
    }
    if (to == JL_DIALECT_A)
        take_warnings(reader, &converted, path);
    return converted.object;
}

static struct json_object *block_of(struct json_object *object)
{
    return jl_fusion_member(jl_fusion_member(object, "spec"), "autoScalingConfig");
}

/* The pool's block inside an object with the profile's resources, so that ratios can be converted:
 * a reference of the caller's, NULL when memory ran out. */
static struct json_object *pool_object(const struct jl_autoscale_source *source)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *object = json_object_new_object();
    struct json_object *spec = json_object_new_object();
    struct json_object *resources =
        jl_fusion_member(jl_fusion_member(source->profile, "spec"), "resources");
    struct json_object *version = json_object_new_string(JL_FUSION_GROUP "/" JL_FUSION_VERSION);
    struct json_object *kind = json_object_new_string("WorkloadProfile");
    bool is_good = object != NULL && spec != NULL && version != NULL && kind != NULL;
    if (is_good)
        is_good = json_object_object_add(object, "spec", spec) == 0;
    if (!is_good) {
        json_object_put(spec);
        json_object_put(version);
        json_object_put(kind);
        return NULL;
    }
    is_good = json_object_object_add(object, "apiVersion", version) == 0;
    if (!is_good)
        json_object_put(version);
    if (!is_good || json_object_object_add(object, "kind", kind) < 0) {
        json_object_put(kind);
        return NULL;
    }
    if (json_object_object_add(spec, "autoScalingConfig", json_object_get(source->pool)) < 0) {
        json_object_put(source->pool);
        return NULL;
    }
    if (resources != NULL &&
        json_object_object_add(spec, "resources", json_object_get(resources)) < 0) {
        json_object_put(resources);
        return NULL;
    }
    return json_object_get(object);
}

/* ---- the whole ---- */

/* Trees that must live while fields are read. */
struct trees {
    struct json_object *own;    /* the profile in dialect A: its amounts are TFLOPS */
    struct json_object *read;   /* the profile in the dialect that is read */
    struct json_object *pool;   /* the pool's block as an object */
    struct json_object *pooled; /* the same in the dialect that is read */
};

static void clear_trees(struct trees *trees)
{
    jl_tree_clear(&trees->own);
    jl_tree_clear(&trees->read);
    jl_tree_clear(&trees->pool);
    jl_tree_clear(&trees->pooled);
}

static void make_trees(struct jl_scale_reader *reader, enum jl_dialect dialect, struct trees *out)
{
    const struct jl_autoscale_source *source = reader->source;
    out->own = in_dialect(reader, source->profile, JL_DIALECT_A, source->profile_path);
    if (reader->code == 0)
        out->read = in_dialect(reader, source->profile, dialect, source->profile_path);
    if (reader->code < 0 || source->pool == NULL)
        return;
    out->pool = pool_object(source);
    if (out->pool == NULL)
        reader->code = jl_fail_memory(reader->err);
    else
        out->pooled = in_dialect(reader, out->pool, dialect, source->pool_path);
}

static void set_blocks(struct jl_scale_reader *reader, const struct trees *trees)
{
    const char *const parts[] = { reader->source->profile_path, dot(reader->source->profile_path),
                                  "spec.autoScalingConfig" };
    reader->blocks[0] = (struct jl_scale_block){
        .own = block_of(reader->source->profile),
        .members = block_of(trees->read),
        .path = jl_scale_join(reader, parts, JL_COUNT(parts)),
        .is_converted = trees->read != reader->source->profile,
    };
    reader->blocks[1] = (struct jl_scale_block){
        .own = reader->source->pool,
        .members = block_of(trees->pooled),
        .path = reader->source->pool_path != NULL ? reader->source->pool_path : "",
        .is_converted = trees->pooled != trees->pool,
    };
    if (jl_dialect_of(reader->source->profile) == JL_DIALECT_MIXED)
        jl_scale_report(reader, JL_REASON_MIXED_DIALECT, reader->blocks[0].path,
                        "marks of dialect A and of a later one");
}

static const char *profile_path(struct jl_scale_reader *reader, const char *below)
{
    const char *const parts[] = { reader->source->profile_path, dot(reader->source->profile_path),
                                  below };
    return jl_scale_join(reader, parts, JL_COUNT(parts));
}

/* With a local GPU requests and replicas do not run (§8.1, §8.5). */
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

static void read_all(struct jl_scale_reader *reader, const struct trees *trees)
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
    jl_scale_end_telling(reader);
}

/* NULL: nobody says which. */
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
    JL_CLEANUP(clear_trees) struct trees trees = { 0 };
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
        prefix_where(reader.err, source->profile_path);
        return reader.code;
    }
    reader.gpu_model = gpu_model_of(source->profile);
    make_trees(&reader, model == JL_AUTOSCALE_V2_17_1 ? JL_DIALECT_C : JL_DIALECT_A, &trees);
    if (reader.code < 0)
        return reader.code;
    read_all(&reader, &trees);
    if (reader.code < 0)
        return jl_fail_memory(reader.err);
    *out = config;
    return 0;
}
