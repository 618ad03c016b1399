/* SPDX-License-Identifier: Apache-2.0 */

/* The limits and requests layers of A as autoSetResources. Source: tensor-fusion.md §5.3. */

#include <string.h>

#include "base/number.h"
#include "fusion/convert_parts.h"

#define UPPER_PERCENTILE "0.99"               /* §5.3, of the limits layer */
#define LONGEST_HISTORY_NS 2592000000000000LL /* 720 h, §5.1 */

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

/* A resource that does not exist turns the layer off (§8.1). */
static bool has_target(struct jl_conversion *c, const struct layer *layer)
{
    static const char *const words[] = { "tflops", "compute", "vram", "all" };
    const char *word = jl_convert_text(c, layer->members, layer->path, "targetResource");
    if (jl_is_empty(word))
        return true;
    for (size_t i = 0; i < JL_COUNT(words); i++) {
        if (jl_same_nocase(jl_text(word), words[i]))
            return true;
    }
    if (!c->is_silent)
        jl_convert_warn(c, "InvalidField", jl_convert_path(c, layer->path, "targetResource"),
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
    if (jl_same_nocase(jl_text(word), "tflops") || jl_same_nocase(jl_text(word), "compute"))
        return TARGETS_TFLOPS;
    return jl_same_nocase(jl_text(word), "vram") ? TARGETS_VRAM : TARGETS_ALL;
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
    const char *upper = layers->limits.is_on ? UPPER_PERCENTILE : NULL;
    const char *target = NULL;
    double percentile;
    if (requests->is_on &&
        jl_convert_ratio(c, requests->members, requests->path, "percentileForAutoRequests",
                         JL_RATIO_PERCENTILE, &percentile))
        target = jl_convert_decimal_text(c, percentile, "");
    put_field(c, out, JL_FIELD_TARGET_COMPUTE, layers->to, target);
    put_field(c, out, JL_FIELD_UPPER_COMPUTE, layers->to, upper);
    put_field(c, out, JL_FIELD_TARGET_VRAM, layers->to, target);
    put_field(c, out, JL_FIELD_UPPER_VRAM, layers->to, upper);
}

static void put_margin(struct jl_conversion *c, struct json_object *out,
                       const struct layers *layers)
{
    const struct layer *limits = &layers->limits;
    const struct layer *requests = &layers->requests;
    double fraction = 0;
    double multiplier = 1;
    double ignored;
    bool has_margin = limits->is_on &&
                      jl_convert_ratio(c, limits->members, limits->path, "extraTFlopsBufferRatio",
                                       JL_RATIO_EXTRA_TFLOPS_BUFFER, &fraction);
    if (requests->is_on && jl_convert_ratio(c, requests->members, requests->path,
                                            "extraBufferRatio", JL_RATIO_EXTRA_BUFFER, &multiplier))
        has_margin = true;
    const double margin = jl_max(fraction, multiplier - 1);
    if (has_margin)
        put_field(c, out, JL_FIELD_MARGIN, layers->to, jl_convert_decimal_text(c, margin, ""));
    if (limits->is_on && jl_convert_ratio(c, limits->members, limits->path, "ignoredDeltaRange",
                                          JL_RATIO_IGNORED_DELTA, &ignored))
        put_field(c, out, JL_FIELD_UPDATE_THRESHOLD, layers->to,
                  jl_convert_decimal_text(c, has_margin ? jl_min(ignored, margin) : ignored, ""));
}

static void put_history(struct jl_conversion *c, struct json_object *out,
                        const struct layers *layers)
{
    const struct layer *requests = &layers->requests;
    int64_t ns = 0;
    if (!requests->is_on ||
        !jl_convert_duration(c, requests->members, requests->path, "aggregationPeriod", &ns))
        return;
    put_field(c, out, JL_FIELD_HISTORY, layers->to,
              jl_convert_go_duration(c, ns < LONGEST_HISTORY_NS ? ns : LONGEST_HISTORY_NS));
}

/* C's ratio is one to the limit, A's one to the request. */
static const char *max_ratio_text(struct jl_conversion *c, double ratio,
                                  const struct jl_amounts *amounts)
{
    if (!(amounts->request > 0) || !(amounts->limit > 0))
        return NULL;
    return jl_convert_decimal_text(c, ratio * amounts->request / amounts->limit, "");
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
        jl_convert_warn(c, "NotRepresentable",
                        jl_convert_path(c, limits->path, "maxRatioToRequests"),
                        "the request or the limit of tflops or vram, which the ratio would be "
                        "between, is unknown");
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

/* A layer that is off says nothing to the target but that. */
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
    put_margin(c, out, &layers);
    put_history(c, out, &layers);
    put_max_ratios(c, out, &layers, &block->amounts);
    put_interval(c, out, &layers);
    lose_layer(c, &layers.limits, block->to);
    lose_layer(c, &layers.requests, block->to);
    return out;
}
