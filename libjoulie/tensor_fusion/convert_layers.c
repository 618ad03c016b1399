/* SPDX-License-Identifier: Apache-2.0 */

/* The limits and requests layers of A as autoSetResources (docs/rules/conversion.md#a-to-c). */

#include <string.h>

#include "base/number.h"
#include "tensor_fusion/convert_parts.h"

#define LONGEST_HISTORY_NS 2592000000000000LL /* 720 h: C looks back no further */

#define NO_MARGIN (-1.0)

struct layer {
    const char *path;
    struct json_object *members; /* NULL = absent */
    bool is_on;
};

struct layers {
    struct layer limits;
    struct layer requests;
    enum jl_dialect to;
};

/* A resource that does not exist turns the layer off. */
static bool has_target(struct jl_conversion *c, const struct layer *layer)
{
    const char *word = jl_convert_text(c, layer->members, layer->path, "targetResource");
    if (jl_dialect_is_target(word))
        return true;
    jl_convert_warn(c, "InvalidField", layer->path, "targetResource",
                    "there is no such resource; the layer is off");
    return false;
}

static void read_layer(struct jl_conversion *c, const struct jl_block *block, const char *key,
                       struct layer *out)
{
    out->path = jl_convert_path(c, JL_BLOCK_PATH, key);
    out->members = jl_convert_object(c, block->members, JL_BLOCK_PATH, key);
    out->is_on = jl_convert_bool(c, out->members, out->path, "enable");
    if (out->is_on && !has_target(c, out))
        out->is_on = false;
}

/* A value that the target takes only in part. */
static void warn_cut(struct jl_conversion *c, const struct layer *layer, const char *key,
                     const char *why)
{
    jl_convert_warn(c, "NotRepresentable", layer->path, key, why);
}

static void put_field(struct jl_conversion *c, struct json_object *out,
                      enum jl_resources_field field, enum jl_dialect to, const char *text)
{
    const char *name = jl_resources_name(field, to);
    if (name)
        jl_convert_put_text(c, out, name, text);
}

enum { TARGETS_TFLOPS = 1, TARGETS_VRAM = 2, TARGETS_ALL = 3 };

static unsigned targets_of(struct jl_conversion *c, const struct layer *layer)
{
    const char *word = jl_convert_text(c, layer->members, layer->path, "targetResource");
    if (!layer->is_on)
        return 0;
    switch (jl_dialect_target(jl_text(word))) {
    case JOULIE_TENSOR_FUSION_TARGET_TFLOPS:
    case JOULIE_TENSOR_FUSION_TARGET_COMPUTE:
        return TARGETS_TFLOPS;
    case JOULIE_TENSOR_FUSION_TARGET_VRAM:
        return TARGETS_VRAM;
    case JOULIE_TENSOR_FUSION_TARGET_ALL:
    case JOULIE_TENSOR_FUSION_TARGET_UNKNOWN: /* none was given */
        break;
    }
    return TARGETS_ALL;
}

static void put_targets(struct jl_conversion *c, struct json_object *out,
                        const struct layers *layers)
{
    const unsigned targets = targets_of(c, &layers->limits) | targets_of(c, &layers->requests);
    const char *const words[] = { NULL, layers->to == JL_DIALECT_C ? "compute" : "tflops", "vram",
                                  "all" };
    put_field(c, out, JL_FIELD_TARGET_RESOURCE, layers->to, words[targets]);
}

static void put_percentiles(struct jl_conversion *c, struct json_object *out,
                            const struct layers *layers)
{
    const struct layer *requests = &layers->requests;
    const char *target = NULL;
    double percentile = 0;
    if (requests->is_on &&
        jl_convert_ratio(c, requests->members, requests->path, "percentileForAutoRequests",
                         JL_RATIO_PERCENTILE, &percentile))
        target =
            jl_convert_rounded(c, requests->path, "percentileForAutoRequests", percentile, false);
    /* not below the target: requests would pass limits */
    const char *upper =
        layers->limits.is_on
            ? jl_convert_decimal_text(c, jl_max(JL_UPPER_PERCENTILE, percentile), "")
            : NULL;
    put_field(c, out, JL_FIELD_TARGET_COMPUTE, layers->to, target);
    put_field(c, out, JL_FIELD_UPPER_COMPUTE, layers->to, upper);
    put_field(c, out, JL_FIELD_TARGET_VRAM, layers->to, target);
    put_field(c, out, JL_FIELD_UPPER_VRAM, layers->to, upper);
}

/* The larger of the two buffers; a negative number when neither layer has one. */
static double put_margin(struct jl_conversion *c, struct json_object *out,
                         const struct layers *layers)
{
    const struct layer *limits = &layers->limits;
    const struct layer *requests = &layers->requests;
    double fraction = 0;
    double multiplier = 1;
    bool has_margin = limits->is_on &&
                      jl_convert_ratio(c, limits->members, limits->path, "extraTFlopsBufferRatio",
                                       JL_RATIO_EXTRA_TFLOPS_BUFFER, &fraction);
    if (requests->is_on && jl_convert_ratio(c, requests->members, requests->path,
                                            "extraBufferRatio", JL_RATIO_EXTRA_BUFFER, &multiplier))
        has_margin = true;
    if (!has_margin)
        return NO_MARGIN;
    const bool is_of_limits = fraction >= multiplier - 1;
    const double margin = jl_max(fraction, multiplier - 1);
    const char *text = jl_convert_rounded(
        c, is_of_limits ? limits->path : requests->path,
        is_of_limits ? "extraTFlopsBufferRatio" : "extraBufferRatio", margin, true);
    put_field(c, out, JL_FIELD_MARGIN, layers->to, text);
    return text ? margin : NO_MARGIN;
}

/* Not above the margin, and not above what an absent one means. */
static void put_threshold(struct jl_conversion *c, struct json_object *out,
                          const struct layers *layers, double margin)
{
    const struct layer *limits = &layers->limits;
    const double most = margin < 0 ? JL_DEFAULT_MARGIN : margin;
    double ignored;
    if (layers->to != JL_DIALECT_C || !limits->is_on ||
        !jl_convert_ratio(c, limits->members, limits->path, "ignoredDeltaRange",
                          JL_RATIO_IGNORED_DELTA, &ignored))
        return;
    if (ignored <= most) {
        put_field(c, out, JL_FIELD_UPDATE_THRESHOLD, layers->to,
                  jl_convert_rounded(c, limits->path, "ignoredDeltaRange", ignored, true));
        return;
    }
    put_field(c, out, JL_FIELD_UPDATE_THRESHOLD, layers->to, jl_convert_decimal_text(c, most, ""));
    warn_cut(c, limits, "ignoredDeltaRange", "updateThreshold must not exceed marginFraction");
}

static void put_history(struct jl_conversion *c, struct json_object *out,
                        const struct layers *layers)
{
    const struct layer *requests = &layers->requests;
    int64_t ns = 0;
    if (!requests->is_on ||
        !jl_convert_duration(c, requests->members, requests->path, "aggregationPeriod", &ns))
        return;
    if (ns > LONGEST_HISTORY_NS)
        warn_cut(c, requests, "aggregationPeriod", "no more than 720h of the past are looked at");
    put_field(c, out, JL_FIELD_HISTORY, layers->to,
              jl_convert_go_duration(c, ns < LONGEST_HISTORY_NS ? ns : LONGEST_HISTORY_NS));
}

/* C's ratio is one to the limit, A's one to the request. */
static const char *max_ratio_text(struct jl_conversion *c, double ratio,
                                  const struct jl_ratio_pair *amounts)
{
    if (!(amounts->request > 0) || !(amounts->limit > 0))
        return NULL;
    const char *text = jl_convert_decimal_text(c, ratio * amounts->request / amounts->limit, "");
    return jl_same(text, "0") ? NULL : text; /* to C 0 is no bound at all */
}

static void put_max_ratios(struct jl_conversion *c, struct json_object *out,
                           const struct layers *layers, const struct jl_resource_amounts *amounts)
{
    const struct layer *limits = &layers->limits;
    double ratio;
    if (layers->to != JL_DIALECT_C || !limits->is_on ||
        !jl_convert_ratio(c, limits->members, limits->path, "maxRatioToRequests",
                          JL_RATIO_MAX_TO_REQUESTS, &ratio))
        return;
    const char *vram = max_ratio_text(c, ratio, &amounts->vram_bytes);
    const char *compute = max_ratio_text(c, ratio, &amounts->tflops);
    put_field(c, out, JL_FIELD_MAX_VRAM_RATIO, layers->to, vram);
    put_field(c, out, JL_FIELD_MAX_COMPUTE_RATIO, layers->to, compute);
    if (!vram || !compute)
        jl_convert_warn(c, "NotRepresentable", limits->path, "maxRatioToRequests",
                        "the request or the limit of tflops or vram, which the ratio would be "
                        "between, is unknown, or no number of four decimals says it");
}

static void put_interval(struct jl_conversion *c, struct json_object *out,
                         const struct layers *layers)
{
    const struct layer *const both[] = { &layers->limits, &layers->requests };
    const char *text = NULL;
    int64_t shortest_ns = 0;
    if (layers->to != JL_DIALECT_C)
        return;
    for (size_t i = 0; i < JL_COUNT(both); i++) {
        int64_t ns;
        if (!both[i]->is_on ||
            !jl_convert_duration(c, both[i]->members, both[i]->path, "evaluationPeriod", &ns) ||
            (text && ns >= shortest_ns))
            continue;
        shortest_ns = ns;
        text = jl_convert_text(c, both[i]->members, both[i]->path, "evaluationPeriod");
    }
    if (text && !jl_convert_is_go_duration(text))
        text = jl_convert_go_duration(c, shortest_ns);
    put_field(c, out, JL_FIELD_INTERVAL, layers->to, text);
}

static bool is_in(const char *key, const char *const *keys)
{
    for (; *keys; keys++) {
        if (jl_same(key, *keys))
            return true;
    }
    return false;
}

/* Of a layer that is off the target learns no more than that. */
static void lose_layer(struct jl_conversion *c, const struct layer *layer, enum jl_dialect to)
{
    static const char *const in_both[] = { "enable",
                                           "extraTFlopsBufferRatio",
                                           "targetResource",
                                           "aggregationPeriod",
                                           "percentileForAutoRequests",
                                           "extraBufferRatio",
                                           NULL };
    static const char *const in_c[] = { "evaluationPeriod", "ignoredDeltaRange",
                                        "maxRatioToRequests", NULL };
    if (!layer->members || c->code < 0)
        return;
    json_object_object_foreach(layer->members, key, value)
    {
        const bool has_place = is_in(key, in_both) || (to == JL_DIALECT_C && is_in(key, in_c));
        if (!(layer->is_on && has_place) && !jl_same(key, "enable"))
            jl_convert_lose(c, layer->path, key, value);
    }
}

struct json_object *jl_layers_to_resources(struct jl_conversion *c, const struct jl_block *block)
{
    struct layers layers = { .to = block->to };
    read_layer(c, block, "autoSetLimits", &layers.limits);
    read_layer(c, block, "autoSetRequests", &layers.requests);
    if (!layers.limits.members && !layers.requests.members)
        return NULL;
    struct json_object *out = jl_convert_new(c);
    jl_convert_put_bool(c, out, "enable", layers.limits.is_on || layers.requests.is_on);
    put_targets(c, out, &layers);
    put_percentiles(c, out, &layers);
    put_threshold(c, out, &layers, put_margin(c, out, &layers));
    put_history(c, out, &layers);
    put_max_ratios(c, out, &layers, &block->amounts);
    put_interval(c, out, &layers);
    lose_layer(c, &layers.limits, block->to);
    lose_layer(c, &layers.requests, block->to);
    return out;
}
