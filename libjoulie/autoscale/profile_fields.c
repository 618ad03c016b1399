/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Fields of an autoscaling config: found in profile or pool, parsed, bounded. What is wrong with
 * one becomes a condition and its default counts (docs/rules/autoscaling.md#configuration).
 */

#include <stddef.h>

#include "autoscale/profile_parts.h"
#include "base/error.h"
#include "base/number.h"
#include "base/time.h"
#include "tensor_fusion/convert.h"

#define MOST_DECIMAL 1e6 /* any amount that a GPU has times it is still a quantity */

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
        reader->code = jl_fail_memory(reader->err);
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

const char *jl_scale_made(struct jl_scale_reader *reader, const char *made)
{
    if (made == NULL)
        reader->code = jl_fail_memory(reader->err);
    return made != NULL ? made : "";
}

const char *jl_scale_copy(struct jl_scale_reader *reader, const char *text)
{
    return jl_scale_made(reader, jl_arena_string(reader->arena, text));
}

const char *jl_scale_below(struct jl_scale_reader *reader, const char *path, const char *below)
{
    return JL_SCALE_JOIN(reader, path, path[0] != '\0' ? "." : "", below);
}

void jl_scale_put_conditions(struct jl_scale_reader *reader)
{
    struct jl_scale_condition *conditions =
        JL_NEW_ARRAY(reader->arena, reader->reported + 1, struct jl_scale_condition);
    size_t count = 0;
    if (conditions == NULL) {
        reader->code = jl_fail_memory(reader->err);
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

/* The fields of B and C that a field of A is made of. */
static const struct {
    const char *a;
    enum jl_resources_field later;
} later_fields[] = {
    { "enable", JL_FIELD_ENABLE },
    { "targetResource", JL_FIELD_TARGET_RESOURCE },
    { "evaluationPeriod", JL_FIELD_INTERVAL },
    { "extraTFlopsBufferRatio", JL_FIELD_MARGIN },
    { "extraBufferRatio", JL_FIELD_MARGIN },
    { "ignoredDeltaRange", JL_FIELD_UPDATE_THRESHOLD },
    { "maxRatioToRequests", JL_FIELD_MAX_COMPUTE_RATIO },
    { "aggregationPeriod", JL_FIELD_HISTORY },
    { "percentileForAutoRequests", JL_FIELD_TARGET_COMPUTE },
};

/* The name that was written; NULL = the field is not of B or C. */
static const char *later_name(const struct jl_scale_block *block, const char *key)
{
    struct json_object *resources = jl_fusion_member(block->own, "autoSetResources");
    const char *name = NULL;
    for (size_t i = 0; i < JL_COUNT(later_fields) && name == NULL; i++) {
        if (jl_same(later_fields[i].a, key))
            jl_resources_member(resources, later_fields[i].later, &name);
    }
    return name;
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
        return JL_SCALE_JOIN(reader, block->path, ".autoSetResources", name != NULL ? "." : "",
                             name != NULL ? name : "");
    }
    return JL_SCALE_JOIN(reader, block->path, ".", key->layer, key->part != NULL ? "." : "",
                         key->part != NULL ? key->part : "", ".", key->key);
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

struct jl_scale_found jl_scale_field(struct jl_scale_reader *reader, const struct jl_scale_key *key)
{
    const struct jl_scale_block *block = NULL;
    struct json_object *value = find(reader, key, &block);
    return (struct jl_scale_found){ value, value != NULL ? path_of(reader, block, key) : NULL };
}

bool jl_scale_bool(struct jl_scale_reader *reader, const struct jl_scale_key *key)
{
    const struct jl_scale_block *block = NULL;
    struct json_object *value = find(reader, key, &block);
    return json_object_get_type(value) == json_type_boolean && json_object_get_boolean(value) != 0;
}

struct jl_scale_text jl_scale_text(struct jl_scale_reader *reader, const struct jl_scale_key *key)
{
    const struct jl_scale_found found = jl_scale_field(reader, key);
    if (found.value == NULL)
        return (struct jl_scale_text){ NULL, NULL };
    if (json_object_get_type(found.value) != json_type_string) {
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, found.where, "not a text");
        return (struct jl_scale_text){ NULL, found.where };
    }
    return (struct jl_scale_text){ json_object_get_string(found.value), found.where };
}

/* ---- the forms of texts ---- */

/* The requests layer's shortest period does not cap an interval of C that the limits layer, which
 * shares it, takes in full. */
static int64_t least_ns(struct jl_scale_reader *reader, const struct jl_config_field *field,
                        const struct jl_scale_key *key)
{
    static const struct jl_scale_key limits = { "autoSetLimits", NULL, "enable" };
    const struct jl_scale_block *block = NULL;
    const bool is_shared =
        field->offset == offsetof(struct jl_autoscale_config, requests.period_ns) &&
        find(reader, key, &block) != NULL && is_of_later(block, key);
    return is_shared && jl_scale_bool(reader, &limits) ? JL_NS_PER_S : field->least_ns;
}

static void read_duration(struct jl_scale_reader *reader, const struct jl_config_field *field,
                          const struct jl_scale_key *key, struct jl_scale_text given,
                          int64_t *out_ns)
{
    const size_t len = jl_text(given.text).len;
    int64_t ns = 0;
    const int rc = field->form == JL_FORM_GO_DURATION
                       ? jl_parse_duration(given.text, len, &ns)
                       : jl_parse_profile_duration(given.text, len, &ns);
    if (rc < 0 || ns < 0) {
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, given.where,
                        "not a duration: the default counts");
        return;
    }
    const int64_t least = least_ns(reader, field, key);
    *out_ns = ns < least ? least : ns > field->most_ns ? field->most_ns : ns;
    if (*out_ns != ns)
        jl_scale_report(reader, JL_REASON_CAPPED, given.where,
                        "outside its bounds: the nearest one counts");
}

static bool read_ratio(struct jl_scale_reader *reader, enum jl_ratio_field field,
                       struct jl_scale_text given, double *out, enum jl_ratio_unit *out_unit)
{
    struct jl_ratio ratio;
    double value = 0;
    if (jl_parse_ratio(given.text, jl_text(given.text).len, &ratio) < 0 ||
        jl_ratio_effective(field, &ratio, &value, out_unit) < 0) {
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, given.where,
                        "not a ratio that this field can have: the default counts");
        return false;
    }
    *out = value;
    return true;
}

static void read_decimal(struct jl_scale_reader *reader, struct jl_scale_text given, double *out)
{
    double value = 0;
    if (jl_parse_double(given.text, jl_text(given.text).len, &value) < 0 || !(value >= 0)) {
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, given.where,
                        "not a decimal: the default counts");
        return;
    }
    if (value > MOST_DECIMAL)
        jl_scale_report(reader, JL_REASON_CAPPED, given.where, "above a million: that counts");
    *out = value > MOST_DECIMAL ? MOST_DECIMAL : value;
}

/* A field that is absent or bad keeps its default. */
static void read_field(struct jl_scale_reader *reader, const struct jl_config_field *field)
{
    const struct jl_scale_key key = { field->layer, field->part, field->key };
    const struct jl_scale_text given = jl_scale_text(reader, &key);
    void *member = (char *)reader->out + field->offset;
    enum jl_ratio_unit unit = JL_RATIO_FRACTION;
    struct jl_replica_step *step = member;
    if (given.text == NULL)
        return;
    switch (field->form) {
    case JL_FORM_DURATION:
    case JL_FORM_GO_DURATION:
        read_duration(reader, field, &key, given, member);
        break;
    case JL_FORM_RATIO:
        read_ratio(reader, field->ratio, given, member, &unit);
        break;
    case JL_FORM_STEP:
        if (read_ratio(reader, field->ratio, given, &step->amount, &unit))
            step->is_pods = unit == JL_RATIO_PODS;
        break;
    case JL_FORM_DECIMAL:
        read_decimal(reader, given, member);
        break;
    }
}

void jl_scale_read_fields(struct jl_scale_reader *reader, const char *layer, const char *part)
{
    for (size_t i = 0; i < jl_config_field_count; i++) {
        const struct jl_config_field *field = &jl_config_fields[i];
        if (jl_same(field->layer, layer) && jl_same(field->part, part))
            read_field(reader, field);
    }
}

/* ---- prediction ---- */

static void read_model(struct jl_scale_reader *reader, const char *layer,
                       struct jl_scale_prediction *out)
{
    const struct jl_scale_text given =
        jl_scale_text(reader, &(struct jl_scale_key){ layer, "prediction", "model" });
    enum jl_forecast_model model = JL_FORECAST_AUTO;
    int64_t season_ns = JL_FORECAST_SEASON_NS;
    const int rc = jl_forecast_model_parse(given.text, &model, &season_ns);
    if (rc == JOULIE_E_ENUM) {
        jl_scale_report(reader, JL_REASON_UNKNOWN_PREDICTION_MODEL, given.where,
                        "the layer goes on without a prediction");
        return;
    }
    if (rc < 0) { /* the model is known, but not the season behind it */
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, given.where,
                        "not a duration behind @: the default season counts");
        const struct jl_text name = { given.text, jl_text_find(jl_text(given.text), '@') };
        const char *alone = jl_arena_copy(reader->arena, name.ptr, name.len);
        season_ns = JL_FORECAST_SEASON_NS;
        if (alone == NULL)
            reader->code = jl_fail_memory(reader->err);
        else if (jl_forecast_model_parse(alone, &model, NULL) < 0)
            return;
    }
    out->model = model;
    out->season_ns = season_ns;
}

void jl_scale_read_prediction(struct jl_scale_reader *reader, const char *layer,
                              struct jl_scale_prediction *out)
{
    if (!jl_scale_bool(reader, &(struct jl_scale_key){ layer, "prediction", "enable" }))
        return;
    read_model(reader, layer, out);
    if (out->model != JL_FORECAST_UNKNOWN)
        jl_scale_read_fields(reader, layer, "prediction");
}
