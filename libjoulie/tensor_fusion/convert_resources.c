/* SPDX-License-Identifier: Apache-2.0 */

/*
 * autoSetResources of B and C as the limits and requests layers of A
 * (docs/rules/conversion.md#c-or-b-to-a).
 */

#include "base/number.h"
#include "tensor_fusion/convert_parts.h"

#define RESOURCES "autoSetResources"
#define RESOURCES_PATH JL_BLOCK_PATH "." RESOURCES
#define RATIO_TOLERANCE 0.00005 /* half of the last decimal that is written */
#define LEAST_MAX_RATIO 1       /* a limit is not below its request */
#define PERCENT 100

/* A decimal of the operators of B and C; false: absent, or reported as InvalidField. */
static bool number(struct jl_conversion *c, struct json_object *resources,
                   enum jl_resources_field field, enum jl_decimal decimal, double *out)
{
    const char *name;
    return jl_resources_member(resources, field, &name) &&
           jl_convert_decimal(c, resources, RESOURCES_PATH, name, decimal, out);
}

/* The text of a decimal that a field of A takes as it is; NULL: absent, or reported as
 * InvalidField. */
static const char *ratio_text(struct jl_conversion *c, struct json_object *resources,
                              enum jl_resources_field field, enum jl_decimal decimal,
                              enum jl_ratio_field ratio_field)
{
    const char *name;
    double value;
    if (!number(c, resources, field, decimal, &value))
        return NULL;
    (void)jl_resources_member(resources, field, &name);
    return jl_convert_ratio(c, resources, RESOURCES_PATH, name, ratio_field, &value)
               ? jl_convert_text(c, resources, RESOURCES_PATH, name)
               : NULL;
}

/* B counts its history in days, which A reads too and C does not. */
static const char *duration_text(struct jl_conversion *c, struct json_object *resources,
                                 enum jl_resources_field field)
{
    const char *name;
    int64_t ns;
    if (!jl_resources_member(resources, field, &name))
        return NULL;
    if (!jl_same(name, jl_resources_name(field, JL_DIALECT_B)))
        return jl_convert_go_text(c, resources, RESOURCES_PATH, name);
    return jl_convert_duration(c, resources, RESOURCES_PATH, name, &ns)
               ? jl_convert_text(c, resources, RESOURCES_PATH, name)
               : NULL;
}

static const char *target_of(struct jl_conversion *c, struct json_object *resources)
{
    return jl_convert_text(c, resources, RESOURCES_PATH, "targetResource");
}

/* A word that is no resource scales nothing there. */
static bool is_on(struct jl_conversion *c, struct json_object *resources)
{
    return jl_dialect_is_target(target_of(c, resources)) &&
           jl_convert_bool(c, resources, RESOURCES_PATH, "enable");
}

static void put_enable(struct jl_conversion *c, struct json_object *out,
                       struct json_object *resources)
{
    if (jl_fusion_member(resources, "enable"))
        jl_convert_put_bool(c, out, "enable", is_on(c, resources));
}

static void put_target(struct jl_conversion *c, struct json_object *out,
                       struct json_object *resources)
{
    const char *word = target_of(c, resources);
    if (jl_dialect_is_target(word))
        jl_convert_put_text(c, out, "targetResource",
                            jl_dialect_target(jl_text(word)) == JOULIE_TENSOR_FUSION_TARGET_COMPUTE
                                ? "tflops"
                                : word);
    else
        jl_convert_warn(c, "InvalidField", RESOURCES_PATH, "targetResource",
                        "there is no such resource; the layers are off");
}

/* A's ratio to the request; false: absent, or not known. */
static bool max_ratio(struct jl_conversion *c, struct json_object *resources,
                      const struct jl_ratio_pair *tflops, double *out)
{
    double ratio;
    if (!number(c, resources, JL_FIELD_MAX_COMPUTE_RATIO, JL_DECIMAL_FACTOR, &ratio) ||
        !(tflops->request > 0) || !(tflops->limit > 0))
        return false;
    *out = jl_max(ratio * tflops->limit / tflops->request, LEAST_MAX_RATIO);
    return true;
}

static struct json_object *source(struct jl_conversion *c, const struct jl_block *block)
{
    return jl_convert_object(c, block->members, JL_BLOCK_PATH, RESOURCES);
}

struct json_object *jl_resources_to_limits(struct jl_conversion *c, const struct jl_block *block)
{
    struct json_object *resources = source(c, block);
    struct json_object *out = resources ? jl_convert_new(c) : NULL;
    double value;
    if (!out)
        return NULL;
    put_enable(c, out, resources);
    jl_convert_put_text(c, out, "evaluationPeriod", duration_text(c, resources, JL_FIELD_INTERVAL));
    jl_convert_put_text(c, out, "extraTFlopsBufferRatio",
                        ratio_text(c, resources, JL_FIELD_MARGIN, JL_DECIMAL_FRACTION,
                                   JL_RATIO_EXTRA_TFLOPS_BUFFER));
    jl_convert_put_text(c, out, "ignoredDeltaRange",
                        ratio_text(c, resources, JL_FIELD_UPDATE_THRESHOLD, JL_DECIMAL_FRACTION,
                                   JL_RATIO_IGNORED_DELTA));
    if (max_ratio(c, resources, &block->amounts.tflops, &value))
        jl_convert_put_text(c, out, "maxRatioToRequests", jl_convert_decimal_text(c, value, ""));
    put_target(c, out, resources);
    return out;
}

/* What both layers are made of. */
static void put_shared(struct jl_conversion *c, struct json_object *out,
                       struct json_object *resources)
{
    double margin;
    put_enable(c, out, resources);
    jl_convert_put_text(c, out, "evaluationPeriod", duration_text(c, resources, JL_FIELD_INTERVAL));
    if (number(c, resources, JL_FIELD_MARGIN, JL_DECIMAL_FRACTION, &margin))
        jl_convert_put_text(c, out, "extraBufferRatio",
                            jl_convert_decimal_text(c, margin * PERCENT, "%"));
    put_target(c, out, resources);
}

struct json_object *jl_resources_to_requests(struct jl_conversion *c, const struct jl_block *block)
{
    const bool was_silent = c->is_silent;
    struct json_object *resources = source(c, block);
    struct json_object *out = resources ? jl_convert_new(c) : NULL;
    if (!out)
        return NULL;
    jl_convert_put_text(c, out, "aggregationPeriod", duration_text(c, resources, JL_FIELD_HISTORY));
    jl_convert_put_text(c, out, "percentileForAutoRequests",
                        ratio_text(c, resources, JL_FIELD_TARGET_COMPUTE, JL_DECIMAL_PERCENTILE,
                                   JL_RATIO_PERCENTILE));
    /* the limits layer has reported the rest, unless the object had one of its own */
    c->is_silent = was_silent || !jl_fusion_member(block->members, "autoSetLimits");
    put_shared(c, out, resources);
    c->is_silent = was_silent;
    return out;
}

static bool is_near(double a, double b)
{
    return a - b <= RATIO_TOLERANCE && b - a <= RATIO_TOLERANCE;
}

/* What the limits layer stands for: see the way there. */
static double upper_percentile(struct jl_conversion *c, struct json_object *resources)
{
    double target = 0;
    (void)number(c, resources, JL_FIELD_TARGET_COMPUTE, JL_DECIMAL_PERCENTILE, &target);
    return jl_max(JL_UPPER_PERCENTILE, target);
}

/* Whether the layers express this field, seen from the way back. */
static bool is_represented(struct jl_conversion *c, const struct jl_block *block,
                           struct json_object *resources, enum jl_resources_field field)
{
    const struct jl_ratio_pair *vram = &block->amounts.vram_bytes;
    double value;
    double other;
    switch (field) {
    case JL_FIELD_ENABLE:
    case JL_FIELD_TARGET_RESOURCE:
    case JL_FIELD_TARGET_COMPUTE:
    case JL_FIELD_MARGIN:
    case JL_FIELD_UPDATE_THRESHOLD:
    case JL_FIELD_HISTORY:
    case JL_FIELD_INTERVAL:
        return true;
    case JL_FIELD_TARGET_VRAM:
        return number(c, resources, field, JL_DECIMAL_PERCENTILE, &value) &&
               number(c, resources, JL_FIELD_TARGET_COMPUTE, JL_DECIMAL_PERCENTILE, &other) &&
               is_near(value, other);
    case JL_FIELD_UPPER_COMPUTE:
    case JL_FIELD_UPPER_VRAM:
        return number(c, resources, field, JL_DECIMAL_PERCENTILE, &value) &&
               is_near(value, upper_percentile(c, resources)) && is_on(c, resources);
    case JL_FIELD_MAX_COMPUTE_RATIO:
        return max_ratio(c, resources, &block->amounts.tflops, &value);
    case JL_FIELD_MAX_VRAM_RATIO:
        return number(c, resources, field, JL_DECIMAL_FACTOR, &value) && vram->limit > 0 &&
               max_ratio(c, resources, &block->amounts.tflops, &other) &&
               is_near(value, other * vram->request / vram->limit);
    case JL_FIELD_LOWER_COMPUTE:
    case JL_FIELD_LOWER_VRAM:
    case JL_FIELD_CONFIDENCE_INTERVAL:
    case JL_FIELD_HISTORY_RESOLUTION:
    case JL_FIELD_MIN_VRAM_RATIO:
    case JL_FIELD_MIN_COMPUTE_RATIO:
    case JL_FIELD_INITIAL_DELAY:
    case JL_FIELD_COUNT:
        break;
    }
    return false;
}

/* The field that a member is, or JL_FIELD_COUNT. */
static enum jl_resources_field field_of(struct json_object *resources, const char *key)
{
    for (int i = 0; i < JL_FIELD_COUNT; i++) {
        const char *name;
        if (jl_resources_member(resources, (enum jl_resources_field)i, &name) && jl_same(name, key))
            return (enum jl_resources_field)i;
    }
    return JL_FIELD_COUNT;
}

void jl_lose_resources(struct jl_conversion *c, const struct jl_block *block)
{
    struct json_object *resources = source(c, block);
    if (!resources || c->is_silent)
        return;
    json_object_object_foreach(resources, key, value)
    {
        c->is_silent = true;
        const bool is_lost = !is_represented(c, block, resources, field_of(resources, key));
        c->is_silent = false;
        if (is_lost)
            jl_convert_lose(c, RESOURCES_PATH, key, value);
    }
}
