/* SPDX-License-Identifier: Apache-2.0 */

/* The answer of a comparison as JSON: metrics, differences with their confidence, series. */

#include "sim/autoscale_report.h"

#include <joulie/error.h>

#include "base/memory.h"
#include "base/number.h"
#include "sim/emit.h"
#include "sim/mean.h"

#define GIB 1073741824.0
#define NS_PER_S 1e9
#define SERIES_DECIMALS 1000.0 /* of TFLOPS and GiB: below a millionth of a card */
#define INTERVAL_PCT 95

const char *const jl_compared_names[JL_COMPARED] = {
    [JL_COMPARED_STATIC] = "static",
    [JL_COMPARED_SOURCE] = "v2.17.1",
    [JL_COMPARED_OURS] = "current",
};

/* ---- the answer ---- */

static void put_amounts(struct jl_buffer *out, const char *key, double tflops, double vram_bytes)
{
    jl_emit_key(out, key);
    jl_put_char(out, '{');
    jl_emit_number(out, "tflops", tflops);
    jl_emit_number(out, "vramGib", vram_bytes / GIB);
    jl_put_char(out, '}');
}

static void put_world(struct jl_buffer *out, const struct jl_compared_runs *runs)
{
    const struct jl_autoscale_config *config = runs->configs[JL_COMPARED_OURS];
    const struct jl_amount_pair *tflops = &config->original.of[JL_USAGE_TFLOPS];
    const struct jl_amount_pair *vram = &config->original.of[JL_USAGE_VRAM];
    jl_emit_key(out, "world");
    jl_put_char(out, '{');
    jl_emit_number(out, "cards", (double)runs->pool->cards);
    jl_emit_number(out, "cardTflops", runs->pool->card[JL_USAGE_TFLOPS]);
    jl_emit_number(out, "cardVramGib", runs->pool->card[JL_USAGE_VRAM] / GIB);
    jl_emit_number(out, "startDelaySeconds", (double)runs->pool->start_delay_ns / NS_PER_S);
    put_amounts(out, "requests", tflops->request, vram->request);
    put_amounts(out, "limits", tflops->limit, vram->limit);
    jl_emit_number(out, "replicas", (double)runs->replicas);
    jl_emit_text(out, "qos", jl_word_of(&jl_fusion_qos_words, (int)runs->price->qos));
    jl_emit_number(out, "usdPerTflopsHour", runs->price->per_tflops);
    jl_emit_number(out, "usdPerGibHour", runs->price->per_gib);
    jl_emit_number(out, "limitsOverRequests", runs->price->limits_over_requests);
    jl_put_char(out, '}');
}

static void put_trace(struct jl_buffer *out, const struct jl_load_trace *trace)
{
    if (!trace)
        return;
    jl_emit_key(out, "trace");
    jl_put_char(out, '{');
    jl_emit_number(out, "samples", (double)trace->samples);
    jl_emit_number(out, "workers", (double)trace->workers);
    jl_emit_number(out, "censoredSamples", (double)trace->censored);
    jl_put_char(out, '}');
}

/* ---- runs ---- */

/* Opens the object of a run with what it is called. */
static void begin_run(struct jl_buffer *out, const struct jl_compared_runs *runs, size_t seed,
                      enum jl_compared compared)
{
    jl_put_char(out, '{');
    jl_emit_text(out, "algorithm", jl_compared_names[compared]);
    if (!runs->trace) {
        jl_emit_key(out, "seed");
        jl_put_u64(out, runs->first_seed + seed);
    }
}

typedef void put_one(struct jl_buffer *out, const struct jl_compared_runs *runs, size_t seed,
                     enum jl_compared compared);

/* A list of every run, seed by seed. */
static void put_each(struct jl_buffer *out, const struct jl_compared_runs *runs, const char *key,
                     put_one *put)
{
    jl_emit_key(out, key);
    jl_put_char(out, '[');
    for (size_t i = 0; i < runs->seeds * JL_COMPARED; i++) {
        if (i > 0)
            jl_put_char(out, ',');
        put(out, runs, i / JL_COMPARED, (enum jl_compared)(i % JL_COMPARED));
    }
    jl_put_char(out, ']');
}

static void put_run(struct jl_buffer *out, const struct jl_compared_runs *runs, size_t seed,
                    enum jl_compared compared)
{
    const double *metrics = runs->results[seed][compared].metrics;
    begin_run(out, runs, seed, compared);
    for (size_t metric = 0; metric < JL_PLAY_METRICS; metric++)
        jl_emit_number(out, jl_play_metric_names[metric], metrics[metric]);
    jl_put_char(out, '}');
}

/* ---- over the seeds ---- */

static void put_mean(struct jl_buffer *out, const char *key, const struct jl_mean *mean)
{
    jl_emit_key(out, key);
    jl_put_char(out, '{');
    jl_emit_number(out, "mean", mean->mean);
    if (mean->has_interval)
        jl_emit_number(out, "halfWidth", mean->half_width);
    jl_put_char(out, '}');
}

/* values: one column per compared algorithm, one row per seed, of one metric. */
static void read_metric(const struct jl_compared_runs *runs, size_t metric, enum jl_compared of,
                        double *out)
{
    for (size_t seed = 0; seed < runs->seeds; seed++)
        out[seed] = runs->results[seed][of].metrics[metric];
}

/* against JL_COMPARED = the values themselves. room: two numbers per seed. */
static void put_means(struct jl_buffer *out, const struct jl_compared_runs *runs,
                      enum jl_compared of, enum jl_compared against, double *room)
{
    double *values = room;
    double *others = room + runs->seeds;
    const bool is_difference = against < JL_COMPARED;
    jl_put_char(out, '{');
    jl_emit_text(out, "algorithm", jl_compared_names[of]);
    if (is_difference)
        jl_emit_text(out, "against", jl_compared_names[against]);
    for (size_t metric = 0; metric < JL_PLAY_METRICS; metric++) {
        read_metric(runs, metric, of, values);
        if (is_difference)
            read_metric(runs, metric, against, others);
        const struct jl_mean mean =
            jl_mean_difference(values, is_difference ? others : NULL, runs->seeds);
        put_mean(out, jl_play_metric_names[metric], &mean);
    }
    jl_put_char(out, '}');
}

/* Every algorithm by itself, then the differences that a reader asks for first. */
static void put_summary(struct jl_buffer *out, const struct jl_compared_runs *runs, double *room)
{
    static const struct {
        enum jl_compared of;
        enum jl_compared against;
    } differences[] = {
        { JL_COMPARED_OURS, JL_COMPARED_STATIC },
        { JL_COMPARED_OURS, JL_COMPARED_SOURCE },
        { JL_COMPARED_SOURCE, JL_COMPARED_STATIC },
    };

    jl_emit_number(out, "intervalPct", INTERVAL_PCT);
    jl_emit_key(out, "means");
    for (int of = 0; of < JL_COMPARED; of++) {
        jl_put_char(out, of == 0 ? '[' : ',');
        put_means(out, runs, (enum jl_compared)of, JL_COMPARED, room);
    }
    jl_put_char(out, ']');
    jl_emit_key(out, "differences");
    for (size_t i = 0; i < JL_COUNT(differences); i++) {
        jl_put_char(out, i == 0 ? '[' : ',');
        put_means(out, runs, differences[i].of, differences[i].against, room);
    }
    jl_put_char(out, ']');
}

/* ---- series ---- */

static double rounded(double value)
{
    return jl_round_half_away(value * SERIES_DECIMALS) / SERIES_DECIMALS;
}

#define COLUMN(name, member, unit)                                   \
    {                                                                \
        name, offsetof(struct jl_play_point, member), (double)(unit) \
    }

static const struct { /* a number of every point, and what it is divided by */
    const char *name;
    size_t offset;
    double unit;
} series_columns[] = {
    COLUMN("demandTflops", demand, 1),           COLUMN("servedTflops", served, 1),
    COLUMN("requestTflops", request, 1),         COLUMN("limitTflops", limit, 1),
    COLUMN("readyReplicas", replicas, 1),        COLUMN("vramDemandGib", vram, GIB),
    COLUMN("vramRequestGib", vram_request, GIB), COLUMN("vramLimitGib", vram_limit, GIB),
};

static void put_one_series(struct jl_buffer *out, const struct jl_compared_runs *runs, size_t seed,
                           enum jl_compared compared)
{
    const struct jl_play_point *points = runs->results[seed][compared].points;
    const size_t count = jl_play_points(runs->steps);
    begin_run(out, runs, seed, compared);
    for (size_t column = 0; column < JL_COUNT(series_columns); column++) {
        jl_emit_key(out, series_columns[column].name);
        for (size_t i = 0; i < count; i++) {
            const char *at = (const char *)&points[i] + series_columns[column].offset;
            jl_put_char(out, i == 0 ? '[' : ',');
            jl_put_double(out, rounded(*(const double *)at / series_columns[column].unit));
        }
        jl_put_char(out, ']');
    }
    jl_put_char(out, '}');
}

static void put_series(struct jl_buffer *out, const struct jl_compared_runs *runs)
{
    if (!runs->keeps_series)
        return;
    jl_emit_number(out, "pointSeconds",
                   (double)jl_play_steps_per_point(runs->steps) * JL_LOAD_STEP_S);
    put_each(out, runs, "series", put_one_series);
}

/* ---- what was wrong with the profile ---- */

static void put_conditions(struct jl_buffer *out, const struct jl_compared_runs *runs)
{
    bool is_first = true;
    jl_emit_key(out, "conditions");
    jl_put_char(out, '[');
    for (int of = 0; of < JL_COMPARED; of++) {
        const struct jl_autoscale_config *config = runs->configs[of];
        for (size_t i = 0; config && i < config->condition_count; i++) {
            const struct jl_scale_condition *condition = &config->conditions[i];
            if (!is_first)
                jl_put_char(out, ',');
            is_first = false;
            jl_put_char(out, '{');
            jl_emit_text(out, "algorithm", jl_compared_names[of]);
            jl_emit_text(out, "reason", jl_word_of(&jl_scale_reason_words, (int)condition->reason));
            jl_emit_text(out, "where", condition->where);
            jl_emit_text(out, "message", condition->message);
            jl_put_char(out, '}');
        }
    }
    jl_put_char(out, ']');
}

int jl_compared_put(struct jl_buffer *out, const struct jl_compared_runs *runs)
{
    double *room = jl_calloc(runs->seeds, 2 * sizeof *room);
    if (!room)
        return JOULIE_E_NOMEM;
    jl_put_char(out, '{');
    jl_emit_text(out, "workload", runs->workload);
    jl_emit_number(out, "hours", (double)runs->steps * JL_LOAD_STEP_S / 3600);
    jl_emit_number(out, "stepSeconds", JL_LOAD_STEP_S);
    jl_emit_number(out, "seeds", (double)runs->seeds);
    put_trace(out, runs->trace);
    put_world(out, runs);
    put_each(out, runs, "runs", put_run);
    put_summary(out, runs, room);
    put_conditions(out, runs);
    put_series(out, runs);
    jl_put_char(out, '}');
    jl_free(room);
    return jl_buffer_code(out);
}
