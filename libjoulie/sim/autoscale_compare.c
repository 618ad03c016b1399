/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The same demand against static amounts, the source's algorithm and ours, seed by seed
 * (docs/autoscaling-simulation.md). Called by autoscale_simulate.c.
 */

#include "sim/autoscale_compare.h"

#include <string.h>

#include "autoscale/profile.h"
#include "base/error.h"
#include "base/memory.h"
#include "schema/document.h"
#include "schema/tree.h"
#include "sim/autoscale_report.h"

/*
 * Sizes that a person might write for a service that asks for 80 TFLOPS most of the time: the limit
 * is twice that. Every layer is on, each field has its default.
 */
static const char default_profile[] =
    "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\","
    "\"metadata\":{\"name\":\"simulated\"},\"spec\":{\"autoScalingConfig\":{"
    "\"autoSetLimits\":{\"enable\":true},\"autoSetReplicas\":{\"enable\":true},"
    "\"autoSetRequests\":{\"enable\":true}},\"qos\":\"medium\",\"replicas\":2,"
    "\"resources\":{\"limits\":{\"tflops\":\"80\",\"vram\":\"24Gi\"},"
    "\"requests\":{\"tflops\":\"40\",\"vram\":\"16Gi\"}}}}";

/* The same amounts with the defaults that v2.17.1 has in its code. */
static const char default_source_profile[] =
    "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\","
    "\"metadata\":{\"name\":\"simulated\"},\"spec\":{\"autoScalingConfig\":{"
    "\"autoSetResources\":{\"enable\":true,\"targetResource\":\"all\"}},\"qos\":\"medium\","
    "\"replicas\":2,\"resources\":{\"limits\":{\"tflops\":\"80\",\"vram\":\"24Gi\"},"
    "\"requests\":{\"tflops\":\"40\",\"vram\":\"16Gi\"}}}}";

/* Part of the price that a limit above its request costs. */
static const double limit_shares[] = {
    [JOULIE_TENSOR_FUSION_QOS_LOW] = 0.1,
    [JOULIE_TENSOR_FUSION_QOS_MEDIUM] = 0.3,
    [JOULIE_TENSOR_FUSION_QOS_HIGH] = 0.6,
    [JOULIE_TENSOR_FUSION_QOS_CRITICAL] = 1,
};

#define NS_PER_S 1e9

struct comparison {
    const struct joulie_autoscale_sim_options *options;
    enum jl_load_kind kind;
    struct jl_scale_pool pool;
    struct jl_arena arena;   /* configurations, points */
    struct jl_arena scratch; /* of a step */
    struct jl_autoscale_config ours;
    struct jl_autoscale_config source;
    struct jl_price_input price;
    int64_t replicas;
    struct jl_load_trace trace;
    size_t steps;
    struct jl_play_result (*results)[JL_COMPARED]; /* one row per seed */
};

/* ---- profiles ---- */

struct profile_text {
    const char *text;
    size_t len;
    const char *path; /* before every path in it */
};

/* The name of the text before err's where: "profile.spec.qos". */
static int name_profile(const char *path, int code, struct joulie_error *err)
{
    if (!jl_starts_with(err->where, path))
        jl_error_inside(err, path, ".");
    return code;
}

static int read_tree(const struct profile_text *profile, struct json_object **out,
                     struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_document document = { 0 };
    int rc = jl_document_read(&document, profile->text, profile->len, err);
    struct jl_decode decode = jl_document_decode(&document, &arena, err);
    const struct jl_raw whole = { .text = document.text, .len = document.len };
    if (rc == 0)
        rc = jl_check_json(&decode);
    if (rc == 0)
        rc = jl_tree_from_raw(&decode, &whole, NULL, out);
    if (rc == 0 && !*out)
        rc = jl_fail(err, JOULIE_E_TYPE, "", "null is no profile");
    jl_document_clear(&document);
    return rc;
}

static int read_config(struct comparison *comparison, const struct profile_text *profile,
                       enum jl_autoscale_model model, struct jl_autoscale_config *out,
                       struct joulie_error *err)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *tree = NULL;
    struct jl_amount_texts texts = { 0 };
    int rc = read_tree(profile, &tree, err);
    if (rc < 0)
        return name_profile(profile->path, rc, err);
    const struct jl_autoscale_source source = {
        .profile = tree,
        .profile_path = profile->path,
        .gpu_tflops = comparison->pool.card[JL_USAGE_TFLOPS],
    };
    rc = jl_autoscale_config_read(&source, model, &comparison->arena, out, &texts, err);
    return rc < 0 ? name_profile(profile->path, rc, err) : 0;
}

static int read_profiles(struct comparison *comparison, struct joulie_error *err)
{
    const struct joulie_autoscale_sim_options *options = comparison->options;
    struct profile_text ours = { options->profile, options->profile_len, "profile" };
    struct profile_text source = { options->source_profile, options->source_profile_len,
                                   "sourceProfile" };
    if (!source.text) {
        source = ours;
        if (!ours.text)
            source = (struct profile_text){ default_source_profile,
                                            sizeof default_source_profile - 1, "sourceProfile" };
    }
    if (!ours.text)
        ours = (struct profile_text){ default_profile, sizeof default_profile - 1, "profile" };
    const int rc = read_config(comparison, &ours, JL_AUTOSCALE_CURRENT, &comparison->ours, err);
    return rc < 0
               ? rc
               : read_config(comparison, &source, JL_AUTOSCALE_V2_17_1, &comparison->source, err);
}

/* What all three begin with, and what the world can hold of it. */
static int check_amounts(struct comparison *comparison, struct joulie_error *err)
{
    static const char *const wheres[JL_USAGES][2] = {
        [JL_USAGE_TFLOPS] = { "profile.spec.resources.requests.tflops",
                              "profile.spec.resources.limits.tflops" },
        [JL_USAGE_VRAM] = { "profile.spec.resources.requests.vram",
                            "profile.spec.resources.limits.vram" },
    };
    const struct jl_autoscale_config *config = &comparison->ours;
    if (config->gpu_count > 1)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "profile.spec.gpuCount",
                       "workers of more than one GPU are not simulated");
    for (int usage = 0; usage < JL_USAGES; usage++) {
        const struct jl_amount_pair *pair = &config->original.of[usage];
        if (!(pair->request > 0))
            return jl_fail(err, JOULIE_E_REQUIRED, wheres[usage][0],
                           "a simulation begins with a request above 0");
        if (!(pair->limit >= pair->request))
            return jl_fail(err, JOULIE_E_RANGE, wheres[usage][1], "below the request");
        if (pair->request > comparison->pool.card[usage])
            return jl_fail(err, JOULIE_E_RANGE, wheres[usage][0], "more than a card has");
    }
    comparison->replicas = config->spec_replicas > 0 ? config->spec_replicas : 1;
    return 0;
}

static void set_price(struct comparison *comparison)
{
    const char *word = comparison->source.percentile.qos;
    int qos = word ? jl_word_value(&jl_fusion_qos_words, jl_text(word)) : 0;
    if (qos == JOULIE_TENSOR_FUSION_QOS_UNKNOWN) /* empty is treated as medium */
        qos = JOULIE_TENSOR_FUSION_QOS_MEDIUM;
    comparison->price = (struct jl_price_input){
        .qos = (enum joulie_tensor_fusion_qos)qos,
        .gpu_count = 1,
        .limits_over_requests = limit_shares[qos],
        .per_tflops = JL_PRICE_PER_TFLOPS,
        .per_gib = JL_PRICE_PER_GIB,
        .protection_ratio = JL_PRICE_PROTECTION_RATIO,
    };
}

/* ---- runs ---- */

static int make_load(struct comparison *comparison, size_t seed, struct jl_arena *arena,
                     struct jl_load *out, struct joulie_error *err)
{
    const struct joulie_autoscale_sim_options *options = comparison->options;
    const struct jl_autoscale_config *config = &comparison->ours;
    if (comparison->kind == JL_LOAD_TRACE) {
        const int rc =
            jl_load_read(options->trace, options->trace_len, arena, out, &comparison->trace, err);
        return rc < 0 ? name_profile("trace", rc, err) : 0;
    }
    const struct jl_load_scale scale = {
        .tflops = config->original.of[JL_USAGE_TFLOPS].request * (double)comparison->replicas,
        .vram_bytes = config->original.of[JL_USAGE_VRAM].limit,
        .workers = (double)comparison->replicas,
    };
    const int rc = jl_load_generate(comparison->kind, options->seed + seed, options->hours, &scale,
                                    arena, out);
    return rc < 0 ? jl_fail_memory(err) : 0;
}

/* The same load against all three: differences between them are paired by seed. */
static int run_seed(struct comparison *comparison, size_t seed, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 }; /* of the load */
    const struct jl_autoscale_config *const configs[JL_COMPARED] = {
        [JL_COMPARED_SOURCE] = &comparison->source, [JL_COMPARED_OURS] = &comparison->ours
    };
    struct jl_load load = { 0 };
    int rc = make_load(comparison, seed, &arena, &load, err);
    comparison->steps = load.count;
    for (int compared = 0; compared < JL_COMPARED && rc == 0; compared++) {
        struct jl_play_result *result = &comparison->results[seed][compared];
        if (comparison->options->keeps_series != 0) {
            result->points =
                JL_NEW_ARRAY(&comparison->arena, jl_play_points(load.count), struct jl_play_point);
            if (!result->points)
                return jl_fail_memory(err);
        }
        const struct jl_play play = {
            .load = &load,
            .pool = &comparison->pool,
            .price = &comparison->price,
            .config = configs[compared],
            .amounts = comparison->ours.original,
            .replicas = comparison->replicas,
        };
        rc = jl_play_run(&play, &comparison->scratch, &arena, result, err);
    }
    return rc;
}

static int put_answer(const struct comparison *comparison, struct jl_buffer *out,
                      struct joulie_error *err)
{
    const struct joulie_autoscale_sim_options *options = comparison->options;
    const bool is_trace = comparison->kind == JL_LOAD_TRACE;
    const struct jl_compared_runs runs = {
        .workload = is_trace ? "trace" : jl_word_of(&jl_load_words, (int)comparison->kind),
        .pool = &comparison->pool,
        .price = &comparison->price,
        .configs = { [JL_COMPARED_SOURCE] = &comparison->source,
                     [JL_COMPARED_OURS] = &comparison->ours },
        .trace = is_trace ? &comparison->trace : NULL,
        .replicas = comparison->replicas,
        .first_seed = options->seed,
        .seeds = (size_t)options->seeds,
        .steps = comparison->steps,
        .keeps_series = options->keeps_series != 0,
        .results = comparison->results,
    };
    return jl_compared_put(out, &runs) < 0 ? jl_fail_memory(err) : 0;
}

int jl_autoscale_compare(const struct joulie_autoscale_sim_options *options, enum jl_load_kind kind,
                         struct jl_buffer *out, struct joulie_error *err)
{
    const size_t seeds = (size_t)options->seeds;
    struct comparison comparison = {
        .options = options,
        .kind = kind,
        .pool = { .cards = (size_t)options->cards,
                  .card = { [JL_USAGE_TFLOPS] = options->card_tflops,
                            [JL_USAGE_VRAM] = options->card_vram_bytes },
                  .start_delay_ns = (int64_t)(options->start_delay_s * NS_PER_S) },
        .results = jl_calloc(seeds, sizeof *comparison.results),
    };
    int rc = comparison.results ? read_profiles(&comparison, err) : jl_fail_memory(err);
    if (rc == 0)
        rc = check_amounts(&comparison, err);
    if (rc == 0)
        set_price(&comparison);
    for (size_t seed = 0; seed < seeds && rc == 0; seed++)
        rc = run_seed(&comparison, seed, err);
    if (rc == 0)
        rc = put_answer(&comparison, out, err);
    jl_free(comparison.results);
    jl_arena_clear(&comparison.scratch);
    jl_arena_clear(&comparison.arena);
    return rc;
}
