/* SPDX-License-Identifier: Apache-2.0 */

/*
 * joulie_simulate_autoscale(): the same demand against static amounts, the source's algorithm and
 * ours, seed by seed (docs/autoscaling-simulation.md).
 */

#include <string.h>

#include <joulie/sim.h>

#include "autoscale/profile.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "schema/document.h"
#include "schema/tree.h"
#include "sim/autoscale_report.h"
#include "sim/emit.h"

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

/* The options have every default filled. Appends the answer. err's where begins with trace, profile
 * or sourceProfile. */
static int compare(const struct joulie_autoscale_sim_options *options, enum jl_load_kind kind,
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

/* ---- options ---- */

#define GIB 1073741824.0
#define DEFAULT_SEEDS 10          /* enough for an interval that is narrower than the differences */
#define DEFAULT_CARD_TFLOPS 312.0 /* an A100 with 80 GB, dense FP16 */
#define DEFAULT_CARD_VRAM (80 * GIB)
#define DEFAULT_START_DELAY_S 60.0 /* image and model are on the machine already */

#define MOST_SEEDS 1000
#define MOST_AMOUNT 1e14 /* as the percentiles are clamped */
#define LONGEST_START_S 86400.0

/* The default of every option that has no bit. */
static void fill(struct joulie_autoscale_sim_options *mine)
{
    const uint64_t has = mine->has;
    mine->hours = has & JOULIE_AUTOSCALE_SIM_HAS_HOURS ? mine->hours : 24;
    mine->seed = has & JOULIE_AUTOSCALE_SIM_HAS_SEED ? mine->seed : 1;
    mine->seeds = has & JOULIE_AUTOSCALE_SIM_HAS_SEEDS ? mine->seeds : DEFAULT_SEEDS;
    mine->cards = has & JOULIE_AUTOSCALE_SIM_HAS_CARDS ? mine->cards : 8;
    if (!(has & JOULIE_AUTOSCALE_SIM_HAS_CARD_TFLOPS))
        mine->card_tflops = DEFAULT_CARD_TFLOPS;
    if (!(has & JOULIE_AUTOSCALE_SIM_HAS_CARD_VRAM))
        mine->card_vram_bytes = DEFAULT_CARD_VRAM;
    if (!(has & JOULIE_AUTOSCALE_SIM_HAS_START_DELAY))
        mine->start_delay_s = DEFAULT_START_DELAY_S;
}

/* low is left out where it is 0. */
static int check_number(double value, double low, double high, const char *where,
                        struct joulie_error *err)
{
    const bool is_above = low > 0 ? value >= low : value > 0;
    if (is_above && value <= high)
        return 0;
    char low_text[JL_DOUBLE_TEXT];
    char high_text[JL_DOUBLE_TEXT];
    jl_format_double(low, low_text);
    jl_format_double(high, high_text);
    return jl_fail(err, JOULIE_E_RANGE, where, "must be %s %s and at most %s",
                   low > 0 ? "at least" : "above", low_text, high_text);
}

static int check_whole(int64_t value, int64_t high, const char *where, struct joulie_error *err)
{
    if (value >= 1 && value <= high)
        return 0;
    return jl_fail(err, JOULIE_E_RANGE, where, "must be at least 1 and at most %lld",
                   (long long)high);
}

static int check_pool(const struct joulie_autoscale_sim_options *mine, struct joulie_error *err)
{
    int rc = check_whole(mine->cards, JL_WORLD_MOST_CARDS, "cards", err);
    if (rc == 0)
        rc = check_number(mine->card_tflops, 0, MOST_AMOUNT, "cardTflops", err);
    if (rc == 0)
        rc = check_number(mine->card_vram_bytes, 0, MOST_AMOUNT, "cardVramBytes", err);
    if (rc == 0)
        rc = check_number(mine->start_delay_s, JL_LOAD_STEP_S, LONGEST_START_S, "startDelayS", err);
    return rc;
}

static int check_load(const struct joulie_autoscale_sim_options *mine, enum jl_load_kind *out,
                      struct joulie_error *err)
{
    *out = mine->trace ? JL_LOAD_TRACE : JL_LOAD_BURSTY;
    if (mine->trace && mine->workload)
        return jl_fail(err, JOULIE_E_CONFLICT, "workload", "a trace is the workload");
    if (mine->workload)
        *out = (enum jl_load_kind)jl_word_value(&jl_load_words, jl_text(mine->workload));
    if (*out == JL_LOAD_UNKNOWN)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "workload", "there is no workload \"%.64s\"",
                       mine->workload);
    const int rc = check_number(mine->hours, 0, JL_LOAD_MOST_HOURS, "hours", err);
    return rc < 0 ? rc : check_whole(mine->seeds, MOST_SEEDS, "seeds", err);
}

/* A trace is played once: without random draws there is nothing to average. */
static int simulate(struct joulie_autoscale_sim_options *mine, struct jl_buffer *out,
                    struct joulie_error *err)
{
    enum jl_load_kind kind;
    fill(mine);
    int rc = check_load(mine, &kind, err);
    if (rc == 0)
        rc = check_pool(mine, err);
    if (mine->trace)
        mine->seeds = 1;
    return rc < 0 ? rc : compare(mine, kind, out, err);
}

int joulie_simulate_autoscale(const struct joulie_autoscale_sim_options *options, char **json,
                              struct joulie_error *err)
{
    struct joulie_autoscale_sim_options mine;
    if (jl_sized_check(options, sizeof *options) < 0 ||
        jl_sized_read(&mine, sizeof mine, options) < 0 || mine.reserved != 0)
        return jl_fail(err, JOULIE_E_ABI, "",
                       "struct joulie_autoscale_sim_options of another release");
    struct jl_buffer buffer = { 0 };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    const int rc = simulate(&mine, &buffer, &detail);
    return jl_sim_hand_out(&buffer, rc, &detail, json, err);
}
