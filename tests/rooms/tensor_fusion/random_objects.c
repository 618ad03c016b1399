/* SPDX-License-Identifier: Apache-2.0 */
#include "random_objects.h"

#include <stdlib.h>

#include "base/text.h"

enum kind {
    KIND_END,
    KIND_BOOL,
    KIND_RATIO,
    KIND_PERCENTILE,
    KIND_MULTIPLIER,
    KIND_DURATION,
    KIND_TARGET_AB,
    KIND_TARGET_C,
    KIND_QUANTITY,
    KIND_PERCENT,
    KIND_COUNT,
    KIND_WORD,
    KIND_SCHEDULE,
    KIND_OBJECT,
    KIND_RULES,
};

struct field {
    const char *key;
    enum kind kind;
    const struct field *fields; /* KIND_OBJECT, KIND_RULES */
};

#define BOTH_SIDES(fields)                 \
    { "requests", KIND_OBJECT, (fields) }, \
    {                                      \
        "limits", KIND_OBJECT, (fields)    \
    }

static const struct field side_fields[] = { { "tflops", KIND_QUANTITY, NULL },
                                            { "vram", KIND_QUANTITY, NULL },
                                            { NULL, KIND_END, NULL } };
static const struct field side_c_fields[] = { { "tflops", KIND_QUANTITY, NULL },
                                              { "vram", KIND_QUANTITY, NULL },
                                              { "compute", KIND_PERCENT, NULL },
                                              { NULL, KIND_END, NULL } };
static const struct field resources_fields[] = { BOTH_SIDES(side_fields),
                                                 { NULL, KIND_END, NULL } };
static const struct field resources_c_fields[] = { BOTH_SIDES(side_c_fields),
                                                   { NULL, KIND_END, NULL } };

static const struct field prediction_fields[] = { { "enable", KIND_BOOL, NULL },
                                                  { "model", KIND_WORD, NULL },
                                                  { "historyDataPeriod", KIND_DURATION, NULL },
                                                  { NULL, KIND_END, NULL } };
static const struct field limits_fields[] = {
    { "enable", KIND_BOOL, NULL },
    { "evaluationPeriod", KIND_DURATION, NULL },
    { "extraTFlopsBufferRatio", KIND_RATIO, NULL },
    { "ignoredDeltaRange", KIND_RATIO, NULL },
    { "maxRatioToRequests", KIND_MULTIPLIER, NULL },
    { "scaleUpStep", KIND_RATIO, NULL },
    { "targetResource", KIND_TARGET_AB, NULL },
    { "prediction", KIND_OBJECT, prediction_fields },
    { "unheardOf", KIND_WORD, NULL },
    { NULL, KIND_END, NULL },
};
static const struct field replicas_fields[] = { { "enable", KIND_BOOL, NULL },
                                                { "scaleUpStep", KIND_RATIO, NULL },
                                                { "targetTFlopsOfLimits", KIND_RATIO, NULL },
                                                { NULL, KIND_END, NULL } };
static const struct field requests_fields[] = {
    { "aggregationPeriod", KIND_DURATION, NULL },
    { "enable", KIND_BOOL, NULL },
    { "evaluationPeriod", KIND_DURATION, NULL },
    { "extraBufferRatio", KIND_RATIO, NULL },
    { "percentileForAutoRequests", KIND_PERCENTILE, NULL },
    { "targetResource", KIND_TARGET_AB, NULL },
    { "prediction", KIND_OBJECT, prediction_fields },
    { NULL, KIND_END, NULL },
};
static const struct field resources_of_b_fields[] = {
    { "enable", KIND_BOOL, NULL },
    { "targetResource", KIND_TARGET_AB, NULL },
    { "targettflopspercentile", KIND_PERCENTILE, NULL },
    { "lowerboundtflopspercentile", KIND_PERCENTILE, NULL },
    { "upperboundtflopspercentile", KIND_PERCENTILE, NULL },
    { "targetvrampercentile", KIND_PERCENTILE, NULL },
    { "requestMarginFraction", KIND_RATIO, NULL },
    { "confidenceInterval", KIND_DURATION, NULL },
    { "historyLength", KIND_DURATION, NULL },
    { "historyResolution", KIND_DURATION, NULL },
    { "unheardOf", KIND_WORD, NULL },
    { NULL, KIND_END, NULL },
};
static const struct field resources_of_c_fields[] = {
    { "enable", KIND_BOOL, NULL },
    { "targetResource", KIND_TARGET_C, NULL },
    { "targetComputePercentile", KIND_PERCENTILE, NULL },
    { "upperBoundComputePercentile", KIND_PERCENTILE, NULL },
    { "targetVRAMPercentile", KIND_PERCENTILE, NULL },
    { "lowerBoundVRAMPercentile", KIND_PERCENTILE, NULL },
    { "marginFraction", KIND_RATIO, NULL },
    { "updateThreshold", KIND_RATIO, NULL },
    { "historyDataPeriod", KIND_DURATION, NULL },
    { "minVRAMResourcesRatio", KIND_RATIO, NULL },
    { "maxVRAMResourcesRatio", KIND_MULTIPLIER, NULL },
    { "maxComputeResourcesRatio", KIND_MULTIPLIER, NULL },
    { "initialDelayPeriod", KIND_DURATION, NULL },
    { "interval", KIND_DURATION, NULL },
    { "unheardOf", KIND_WORD, NULL },
    { NULL, KIND_END, NULL },
};
static const struct field rule_fields[] = {
    { "enable", KIND_BOOL, NULL },    { "name", KIND_WORD, NULL },
    { "start", KIND_SCHEDULE, NULL }, { "desiredResources", KIND_OBJECT, resources_c_fields },
    { NULL, KIND_END, NULL },
};
static const struct field rule_of_b_fields[] = {
    { "name", KIND_WORD, NULL },
    { "end", KIND_SCHEDULE, NULL },
    { "desiredReplicas", KIND_COUNT, NULL },
    { "desiredResources", KIND_OBJECT, resources_c_fields },
    { NULL, KIND_END, NULL },
};
static const struct field scaler_fields[] = { { "enable", KIND_BOOL, NULL },
                                              { "url", KIND_WORD, NULL },
                                              { NULL, KIND_END, NULL } };

static const struct field block_of_a_fields[] = {
    { "autoSetLimits", KIND_OBJECT, limits_fields },
    { "autoSetReplicas", KIND_OBJECT, replicas_fields },
    { "autoSetRequests", KIND_OBJECT, requests_fields },
    { "later", KIND_WORD, NULL },
    { NULL, KIND_END, NULL },
};
static const struct field block_of_b_fields[] = {
    { "autoSetResources", KIND_OBJECT, resources_of_b_fields },
    { "autoSetReplicas", KIND_OBJECT, replicas_fields },
    { "cronScalingRules", KIND_RULES, rule_of_b_fields },
    { NULL, KIND_END, NULL },
};
static const struct field block_of_c_fields[] = {
    { "autoSetResources", KIND_OBJECT, resources_of_c_fields },
    { "cronScalingRules", KIND_RULES, rule_fields },
    { "externalScaler", KIND_OBJECT, scaler_fields },
    { "later", KIND_WORD, NULL },
    { NULL, KIND_END, NULL },
};
static const struct field block_of_both_fields[] = {
    { "autoSetLimits", KIND_OBJECT, limits_fields },
    { "autoSetReplicas", KIND_OBJECT, replicas_fields },
    { "autoSetResources", KIND_OBJECT, resources_of_c_fields },
    { "cronScalingRules", KIND_RULES, rule_fields },
    { NULL, KIND_END, NULL },
};

#define COMMON_FIELDS(block, amounts)                                                \
    { "autoScalingConfig", KIND_OBJECT, (block) }, { "gpuCount", KIND_COUNT, NULL }, \
        { "gpuModel", KIND_WORD, NULL }, { "unheardOf", KIND_WORD, NULL },           \
    {                                                                                \
        "resources", KIND_OBJECT, (amounts)                                          \
    }

static const struct field spec_of_a_fields[] = {
    COMMON_FIELDS(block_of_a_fields, resources_fields),
    { NULL, KIND_END, NULL },
};
static const struct field spec_of_b_fields[] = {
    COMMON_FIELDS(block_of_b_fields, resources_c_fields),
    { "sidecarWorker", KIND_BOOL, NULL },
    { NULL, KIND_END, NULL },
};
static const struct field spec_of_c_fields[] = {
    COMMON_FIELDS(block_of_c_fields, resources_c_fields),
    { "isolation", KIND_WORD, NULL },
    { "vendor", KIND_WORD, NULL },
    { NULL, KIND_END, NULL },
};
static const struct field spec_of_both_fields[] = {
    COMMON_FIELDS(block_of_both_fields, resources_c_fields),
    { NULL, KIND_END, NULL },
};

static const char *const texts[][6] = {
    [KIND_RATIO] = { "20%", "0.2", "1.0", "0.05", "1.25", "abc" },
    [KIND_PERCENTILE] = { "0.9", "90%", "90", "0.99", "0.5", "0.99" },
    [KIND_MULTIPLIER] = { "5.0", "500%", "1.5", "2.5", "3", "0.3" },
    [KIND_DURATION] = { "10s", "7d", "1h30m", "60m", "1.5h", "soon" },
    [KIND_TARGET_AB] = { "tflops", "vram", "all", "", "TFLOPS", "disk" },
    [KIND_TARGET_C] = { "compute", "VRAM", "all", "", "Compute", "tflops" },
    [KIND_SCHEDULE] = { "0 9 * * 1-5", "0 9 * * 7", "@daily", "TZ=UTC 0 9 * * 5-7", "", "soon" },
    [KIND_QUANTITY] = { "10", "20.0", "0", "4Gi", "4096Mi", "1500m" },
    [KIND_PERCENT] = { "50", "12.5", "0", "100", "33.3", "0" },
    [KIND_WORD] = { "x", "y", "NVIDIA", "hard", "soft", "" },
};

static bool flip(struct jl_random *random, int of)
{
    return jl_random_int(random, 1, of) == 1;
}

static struct json_object *make_object(struct jl_random *random, const struct field *fields);

static struct json_object *make_rules(struct jl_random *random, const struct field *fields)
{
    struct json_object *list = json_object_new_array();
    for (int64_t left = jl_random_int(random, 0, 3); left > 0; left--)
        json_object_array_add(list, make_object(random, fields));
    return list;
}

static struct json_object *make_value(struct jl_random *random, const struct field *field)
{
    switch (field->kind) {
    case KIND_BOOL:
        return json_object_new_boolean(!flip(random, 4));
    case KIND_COUNT:
        return json_object_new_int64(jl_random_int(random, 0, 3));
    case KIND_OBJECT:
        return make_object(random, field->fields);
    case KIND_RULES:
        return make_rules(random, field->fields);
    case KIND_QUANTITY:
        if (flip(random, 6))
            return json_object_new_int64(jl_random_int(random, 0, 40));
        break;
    case KIND_END:
    case KIND_RATIO:
    case KIND_PERCENTILE:
    case KIND_MULTIPLIER:
    case KIND_DURATION:
    case KIND_TARGET_AB:
    case KIND_TARGET_C:
    case KIND_PERCENT:
    case KIND_WORD:
    case KIND_SCHEDULE:
        break;
    }
    return json_object_new_string(
        texts[field->kind][jl_random_int(random, 0, JL_COUNT(texts[0]) - 1)]);
}

/* Some objects have nearly all members, some nearly none; a null is rare. */
static struct json_object *make_object(struct jl_random *random, const struct field *fields)
{
    struct json_object *object = json_object_new_object();
    const double share = jl_random_unit(random);
    for (; fields->kind != KIND_END; fields++) {
        if (jl_random_unit(random) > share)
            continue;
        json_object_object_add(object, fields->key,
                               flip(random, 40) ? NULL : make_value(random, fields));
    }
    return object;
}

static const struct field *fields_of(enum jl_dialect dialect)
{
    switch (dialect) {
    case JL_DIALECT_A:
        return spec_of_a_fields;
    case JL_DIALECT_B:
        return spec_of_b_fields;
    case JL_DIALECT_C:
        return spec_of_c_fields;
    case JL_DIALECT_MIXED:
    case JL_DIALECT_NEUTRAL:
        break;
    }
    return spec_of_both_fields;
}

struct json_object *random_object(struct jl_random *random, enum jl_dialect dialect)
{
    for (;;) {
        struct json_object *object = json_tokener_parse(
            "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\","
            "\"metadata\":{\"name\":\"p\",\"annotations\":{\"other\":\"1\"}}}");
        json_object_object_add(object, "spec", make_object(random, fields_of(dialect)));
        if (jl_dialect_of(object) == dialect)
            return object;
        json_object_put(object);
    }
}
