/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Fields of an autoscaling config: found in profile or pool, parsed, bounded. What is wrong with
 * one becomes a condition and its default counts (docs/rules/autoscaling.md#configuration).
 */

#include "autoscale/profile_parts.h"
#include "base/number.h"
#include "base/time.h"
#include "tensor_fusion/convert.h"

#define HOUR_NS (INT64_C(3600) * JL_NS_PER_S)
#define MOST_DECIMAL 1e6 /* any amount that a GPU has times it is still a quantity */
#define MOST_HISTORY_NS (720 * HOUR_NS)

/* ---- reports ---- */

void jl_scale_report(struct jl_scale_reader *reader, enum jl_scale_reason reason, const char *where,
                     const char *message)
{
    for (const struct jl_scale_reported *one = reader->first; one != NULL; one = one->next) {
        if (one->condition.reason == reason && jl_same(one->condition.where, where))
            return; /* one field of C stands for two of A */
    }
    struct jl_scale_reported *report = JL_NEW(reader->arena, struct jl_scale_reported);
    if (report == NULL) {
        reader->code = jl_arena_code(reader->arena);
        return;
    }
    report->condition = (struct jl_scale_condition){ reason, where, message };
    if (reader->last != NULL)
        reader->last->next = report;
    else
        reader->first = report;
    reader->last = report;
    reader->reported++;
}

const char *jl_scale_join(struct jl_scale_reader *reader, const char *const *parts, size_t count)
{
    const char *joined = jl_arena_join(reader->arena, parts, count);
    if (joined == NULL) {
        reader->code = jl_arena_code(reader->arena);
        return "";
    }
    return joined;
}

const char *jl_scale_below(struct jl_scale_reader *reader, const char *path, const char *below)
{
    const char *const parts[] = { path, path[0] != '\0' ? "." : "", below };
    return jl_scale_join(reader, parts, JL_COUNT(parts));
}

void jl_scale_put_conditions(struct jl_scale_reader *reader)
{
    struct jl_scale_condition *conditions =
        JL_NEW_ARRAY(reader->arena, reader->reported + 1, struct jl_scale_condition);
    size_t count = 0;
    if (conditions == NULL) {
        reader->code = jl_arena_code(reader->arena);
        return;
    }
    for (const struct jl_scale_reported *one = reader->first; one != NULL; one = one->next)
        conditions[count++] = one->condition;
    reader->out->conditions = conditions;
    reader->out->condition_count = count;
}

/* The path of the profile's GPU, which every percent is of. */
const char *jl_scale_gpu_path(struct jl_scale_reader *reader)
{
    return jl_scale_below(reader, reader->source->profile_path, "spec.gpuModel");
}

/* ---- finding ---- */

/* The names that a field of A has in B and C. */
static const struct {
    const char *a;
    const char *b;
    const char *c;
} later_names[] = {
    { "enable", "enable", "enable" },
    { "targetResource", "targetResource", "targetResource" },
    { "evaluationPeriod", "interval", "interval" },
    { "extraTFlopsBufferRatio", "requestMarginFraction", "marginFraction" },
    { "extraBufferRatio", "requestMarginFraction", "marginFraction" },
    { "ignoredDeltaRange", "updateThreshold", "updateThreshold" },
    { "maxRatioToRequests", "maxComputeResourcesRatio", "maxComputeResourcesRatio" },
    { "aggregationPeriod", "historyLength", "historyDataPeriod" },
    { "percentileForAutoRequests", "targettflopspercentile", "targetComputePercentile" },
};

static const char *later_name(const struct jl_scale_block *block, const char *key)
{
    struct json_object *resources = jl_fusion_member(block->own, "autoSetResources");
    for (size_t i = 0; i < JL_COUNT(later_names); i++) {
        if (!jl_same(later_names[i].a, key))
            continue;
        return jl_fusion_member(resources, later_names[i].b) != NULL ? later_names[i].b
                                                                     : later_names[i].c;
    }
    return NULL;
}

static bool is_of_later(const struct jl_scale_block *block, const struct jl_scale_key *key)
{
    return block->is_converted && jl_convert_is_left_out(jl_fusion_member(block->own, key->layer));
}

static const char *path_of(struct jl_scale_reader *reader, const struct jl_scale_block *block,
                           const struct jl_scale_key *key)
{
    if (is_of_later(block, key)) {
        const char *name = later_name(block, key->key);
        const char *const later[] = { block->path, ".autoSetResources", name != NULL ? "." : "",
                                      name != NULL ? name : "" };
        return jl_scale_join(reader, later, JL_COUNT(later));
    }
    const char *const parts[] = {
        block->path,
        ".",
        key->layer,
        key->part != NULL ? "." : "",
        key->part != NULL ? key->part : "",
        ".",
        key->key,
    };
    return jl_scale_join(reader, parts, JL_COUNT(parts));
}

static bool is_empty_text(struct json_object *value)
{
    return json_object_get_type(value) == json_type_string &&
           jl_is_empty(json_object_get_string(value));
}

/* The member in the first block that has it, and that block; NULL without one. */
static struct json_object *find(const struct jl_scale_reader *reader,
                                const struct jl_scale_key *key,
                                const struct jl_scale_block **out_block)
{
    for (size_t i = 0; i < JL_SCALE_BLOCKS; i++) {
        struct json_object *layer = jl_fusion_member(reader->blocks[i].members, key->layer);
        if (key->part != NULL)
            layer = jl_fusion_member(layer, key->part);
        struct json_object *value = jl_fusion_member(layer, key->key);
        if (value == NULL || is_empty_text(value))
            continue;
        *out_block = &reader->blocks[i];
        return value;
    }
    return NULL;
}

struct json_object *jl_scale_field(struct jl_scale_reader *reader, const struct jl_scale_key *key,
                                   const char **out_where)
{
    const struct jl_scale_block *block = NULL;
    struct json_object *value = find(reader, key, &block);
    if (value != NULL && out_where != NULL)
        *out_where = path_of(reader, block, key);
    return value;
}

bool jl_scale_is_shared(struct jl_scale_reader *reader, const struct jl_scale_key *key)
{
    const struct jl_scale_block *block = NULL;
    return find(reader, key, &block) != NULL && is_of_later(block, key);
}

bool jl_scale_bool(struct jl_scale_reader *reader, const struct jl_scale_key *key)
{
    struct json_object *value = jl_scale_field(reader, key, NULL);
    return json_object_get_type(value) == json_type_boolean && json_object_get_boolean(value) != 0;
}

const char *jl_scale_text(struct jl_scale_reader *reader, const struct jl_scale_key *key,
                          const char **out_where)
{
    struct json_object *value = jl_scale_field(reader, key, out_where);
    if (value == NULL)
        return NULL;
    if (json_object_get_type(value) != json_type_string) {
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, *out_where, "not a text");
        return NULL;
    }
    return json_object_get_string(value);
}

/* ---- parsing ---- */

typedef int parse_duration(const char *text, size_t len, int64_t *out_ns);

static void duration(struct jl_scale_reader *reader, const struct jl_scale_key *key,
                     const struct jl_scale_bounds *bounds, parse_duration *parse, int64_t *out_ns)
{
    const char *where = NULL;
    const char *text = jl_scale_text(reader, key, &where);
    int64_t ns = 0;
    if (text == NULL)
        return;
    if (parse(text, jl_text(text).len, &ns) < 0 || ns < 0) {
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, where,
                        "not a duration: the default counts");
        return;
    }
    *out_ns = ns;
    if (ns < bounds->least_ns)
        *out_ns = bounds->least_ns;
    if (ns > bounds->most_ns)
        *out_ns = bounds->most_ns;
    if (*out_ns != ns)
        jl_scale_report(reader, JL_REASON_CAPPED, where,
                        "outside its bounds: the nearest one counts");
}

void jl_scale_duration(struct jl_scale_reader *reader, const struct jl_scale_key *key,
                       const struct jl_scale_bounds *bounds, int64_t *out_ns)
{
    duration(reader, key, bounds, jl_parse_profile_duration, out_ns);
}

void jl_scale_go_duration(struct jl_scale_reader *reader, const struct jl_scale_key *key,
                          const struct jl_scale_bounds *bounds, int64_t *out_ns)
{
    duration(reader, key, bounds, jl_parse_duration, out_ns);
}

void jl_scale_ratio(struct jl_scale_reader *reader, const struct jl_scale_key *key,
                    enum jl_ratio_field field, double *out, enum jl_ratio_unit *out_unit)
{
    const char *where = NULL;
    const char *text = jl_scale_text(reader, key, &where);
    struct jl_ratio ratio;
    enum jl_ratio_unit unit = JL_RATIO_FRACTION;
    double value = 0;
    if (text == NULL)
        return;
    if (jl_parse_ratio(text, jl_text(text).len, &ratio) < 0 ||
        jl_ratio_effective(field, &ratio, &value, &unit) < 0) {
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, where,
                        "not a ratio that this field can have: the default counts");
        return;
    }
    *out = value;
    if (out_unit != NULL)
        *out_unit = unit;
}

void jl_scale_decimal(struct jl_scale_reader *reader, const struct jl_scale_key *key, double *out)
{
    const char *where = NULL;
    const char *text = jl_scale_text(reader, key, &where);
    double value = 0;
    if (text == NULL)
        return;
    if (jl_parse_double(text, jl_text(text).len, &value) < 0 || !(value >= 0)) {
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, where,
                        "not a decimal: the default counts");
        return;
    }
    if (value > MOST_DECIMAL)
        jl_scale_report(reader, JL_REASON_CAPPED, where, "above a million: that counts");
    *out = value > MOST_DECIMAL ? MOST_DECIMAL : value;
}

/* ---- prediction ---- */

static void read_model(struct jl_scale_reader *reader, const char *layer,
                       struct jl_scale_prediction *out)
{
    const struct jl_scale_key key = { layer, "prediction", "model" };
    const char *where = NULL;
    const char *text = jl_scale_text(reader, &key, &where);
    enum jl_forecast_model model = JL_FORECAST_AUTO;
    int64_t season_ns = JL_FORECAST_SEASON_NS;
    const int rc = jl_forecast_model_parse(text, &model, &season_ns);
    if (rc == JOULIE_E_ENUM) {
        jl_scale_report(reader, JL_REASON_UNKNOWN_PREDICTION_MODEL, where,
                        "the layer goes on without a prediction");
        return;
    }
    if (rc < 0) { /* the model is known, but not the season behind it */
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, where,
                        "not a duration behind @: the default season counts");
        const struct jl_text name = { text, jl_text_find(jl_text(text), '@') };
        const char *alone = jl_arena_copy(reader->arena, name.ptr, name.len);
        season_ns = JL_FORECAST_SEASON_NS;
        if (alone == NULL)
            reader->code = jl_arena_code(reader->arena);
        else if (jl_forecast_model_parse(alone, &model, NULL) < 0)
            return;
    }
    out->model = model;
    out->season_ns = season_ns;
}

void jl_scale_prediction(struct jl_scale_reader *reader, const char *layer,
                         struct jl_scale_prediction *out)
{
    static const struct jl_scale_bounds history = { JL_NS_PER_S, MOST_HISTORY_NS };
    static const struct jl_scale_bounds period = { JL_NS_PER_S, MOST_HISTORY_NS };
    if (!jl_scale_bool(reader, &(struct jl_scale_key){ layer, "prediction", "enable" }))
        return;
    read_model(reader, layer, out);
    if (out->model == JL_FORECAST_UNKNOWN)
        return;
    jl_scale_duration(reader, &(struct jl_scale_key){ layer, "prediction", "historyDataPeriod" },
                      &history, &out->history_ns);
    jl_scale_duration(reader, &(struct jl_scale_key){ layer, "prediction", "predictionPeriod" },
                      &period, &out->period_ns);
}
