/* SPDX-License-Identifier: Apache-2.0 */

/* The answer of a comparison as JSON: metrics, differences with their confidence, series. */

#include "sim/autoscale_report.h"

#include <joulie/error.h>

#include "base/memory.h"
#include "base/number.h"
#include "sim/autoscale_stats.h"

#define GIB 1073741824.0
#define NS_PER_S 1e9
#define SERIES_DECIMALS 1000.0 /* of TFLOPS and GiB: below a millionth of a card */
#define INTERVAL_PCT 95

const char *const jl_compared_names[JL_COMPARED] = {
    [JL_COMPARED_STATIC] = "static",
    [JL_COMPARED_SOURCE] = "v2.17.1",
    [JL_COMPARED_OURS] = "current",
};

/* Keys are our own words: nothing in them needs an escape. */
static void put_key(struct jl_buffer *out, bool is_first, const char *key)
{
    if (!is_first)
        jl_put_char(out, ',');
    jl_put_char(out, '"');
    jl_put_string(out, key);
    jl_put_string(out, "\":");
}

static void put_number(struct jl_buffer *out, bool is_first, const char *key, double value)
{
    put_key(out, is_first, key);
    jl_put_double(out, value);
}

static void put_text(struct jl_buffer *out, bool is_first, const char *key, const char *value)
{
    put_key(out, is_first, key);
    jl_put_json_string(out, value, jl_text(value).len);
}

static void put_amounts(struct jl_buffer *out, const char *key, double tflops, double vram_bytes)
{
    put_key(out, false, key);
    jl_put_char(out, '{');
    put_number(out, true, "tflops", tflops);
    put_number(out, false, "vramGib", vram_bytes / GIB);
    jl_put_char(out, '}');
}

static void put_world(struct jl_buffer *out, const struct jl_compared_runs *runs)
{
    const struct jl_autoscale_config *config = runs->configs[JL_COMPARED_OURS];
    const struct jl_amount_pair *tflops = &config->original.of[JL_USAGE_TFLOPS];
    const struct jl_amount_pair *vram = &config->original.of[JL_USAGE_VRAM];
    put_key(out, false, "world");
    jl_put_char(out, '{');
    put_number(out, true, "cards", (double)runs->pool->cards);
    put_number(out, false, "cardTflops", runs->pool->card[JL_USAGE_TFLOPS]);
    put_number(out, false, "cardVramGib", runs->pool->card[JL_USAGE_VRAM] / GIB);
    put_number(out, false, "startDelaySeconds", (double)runs->pool->start_delay_ns / NS_PER_S);
    put_amounts(out, "requests", tflops->request, vram->request);
    put_amounts(out, "limits", tflops->limit, vram->limit);
    put_number(out, false, "replicas", (double)runs->replicas);
    put_text(out, false, "qos", jl_word_of(&jl_fusion_qos_words, (int)runs->price->qos));
    put_number(out, false, "usdPerTflopsHour", runs->price->per_tflops);
    put_number(out, false, "usdPerGibHour", runs->price->per_gib);
    put_number(out, false, "limitsOverRequests", runs->price->limits_over_requests);
    jl_put_char(out, '}');
}

static void put_trace(struct jl_buffer *out, const struct jl_load_trace *trace)
{
    if (!trace)
        return;
    put_key(out, false, "trace");
    jl_put_char(out, '{');
    put_number(out, true, "samples", (double)trace->samples);
    put_number(out, false, "workers", (double)trace->workers);
    put_number(out, false, "censoredSamples", (double)trace->censored);
    jl_put_char(out, '}');
}

/* ---- runs ---- */

static void put_run(struct jl_buffer *out, const struct jl_compared_runs *runs, size_t seed,
                    enum jl_compared compared)
{
    const double *metrics = runs->results[seed][compared].metrics;
    jl_put_string(out, "{\"algorithm\":\"");
    jl_put_string(out, jl_compared_names[compared]);
    jl_put_char(out, '"');
    if (!runs->trace) {
        put_key(out, false, "seed");
        jl_put_u64(out, runs->first_seed + seed);
    }
    for (size_t metric = 0; metric < JL_PLAY_METRICS; metric++)
        put_number(out, false, jl_play_metric_names[metric], metrics[metric]);
    jl_put_char(out, '}');
}

static void put_runs(struct jl_buffer *out, const struct jl_compared_runs *runs)
{
    put_key(out, false, "runs");
    jl_put_char(out, '[');
    for (size_t seed = 0; seed < runs->seeds; seed++) {
        for (int compared = 0; compared < JL_COMPARED; compared++) {
            if (seed > 0 || compared > 0)
                jl_put_char(out, ',');
            put_run(out, runs, seed, (enum jl_compared)compared);
        }
    }
    jl_put_char(out, ']');
}

/* ---- over the seeds ---- */

static void put_mean(struct jl_buffer *out, const char *key, const struct jl_mean *mean)
{
    put_key(out, false, key);
    jl_put_char(out, '{');
    put_number(out, true, "mean", mean->mean);
    if (mean->has_interval)
        put_number(out, false, "halfWidth", mean->half_width);
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
    put_text(out, true, "algorithm", jl_compared_names[of]);
    if (is_difference)
        put_text(out, false, "against", jl_compared_names[against]);
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

    put_number(out, false, "intervalPct", INTERVAL_PCT);
    put_key(out, false, "means");
    for (int of = 0; of < JL_COMPARED; of++) {
        jl_put_char(out, of == 0 ? '[' : ',');
        put_means(out, runs, (enum jl_compared)of, JL_COMPARED, room);
    }
    jl_put_char(out, ']');
    put_key(out, false, "differences");
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

enum series_member { DEMAND, SERVED, REQUEST, LIMIT, REPLICAS, VRAM, VRAM_REQUEST, VRAM_LIMIT };

static const char *const series_names[] = {
    [DEMAND] = "demandTflops",         [SERVED] = "servedTflops",     [REQUEST] = "requestTflops",
    [LIMIT] = "limitTflops",           [REPLICAS] = "readyReplicas",  [VRAM] = "vramDemandGib",
    [VRAM_REQUEST] = "vramRequestGib", [VRAM_LIMIT] = "vramLimitGib",
};

static double value_of(const struct jl_play_point *point, enum series_member member)
{
    switch (member) {
    case DEMAND:
        return point->demand;
    case SERVED:
        return point->served;
    case REQUEST:
        return point->request;
    case LIMIT:
        return point->limit;
    case REPLICAS:
        return point->replicas;
    case VRAM:
        return point->vram / GIB;
    case VRAM_REQUEST:
        return point->vram_request / GIB;
    case VRAM_LIMIT:
        break;
    }
    return point->vram_limit / GIB;
}

static void put_one_series(struct jl_buffer *out, const struct jl_compared_runs *runs, size_t seed,
                           enum jl_compared compared)
{
    const struct jl_play_point *points = runs->results[seed][compared].points;
    const size_t count = jl_play_points(runs->steps);
    jl_put_string(out, "{\"algorithm\":\"");
    jl_put_string(out, jl_compared_names[compared]);
    jl_put_char(out, '"');
    if (!runs->trace) {
        put_key(out, false, "seed");
        jl_put_u64(out, runs->first_seed + seed);
    }
    for (size_t member = 0; member < JL_COUNT(series_names); member++) {
        put_key(out, false, series_names[member]);
        for (size_t i = 0; i < count; i++) {
            jl_put_char(out, i == 0 ? '[' : ',');
            jl_put_double(out, rounded(value_of(&points[i], (enum series_member)member)));
        }
        jl_put_char(out, ']');
    }
    jl_put_char(out, '}');
}

static void put_series(struct jl_buffer *out, const struct jl_compared_runs *runs)
{
    if (!runs->keeps_series)
        return;
    put_number(out, false, "pointSeconds",
               (double)jl_play_steps_per_point(runs->steps) * JL_LOAD_STEP_S);
    put_key(out, false, "series");
    jl_put_char(out, '[');
    for (size_t seed = 0; seed < runs->seeds; seed++) {
        for (int compared = 0; compared < JL_COMPARED; compared++) {
            if (seed > 0 || compared > 0)
                jl_put_char(out, ',');
            put_one_series(out, runs, seed, (enum jl_compared)compared);
        }
    }
    jl_put_char(out, ']');
}

/* ---- what was wrong with the profile ---- */

static void put_conditions(struct jl_buffer *out, const struct jl_compared_runs *runs)
{
    bool is_first = true;
    put_key(out, false, "conditions");
    jl_put_char(out, '[');
    for (int of = 0; of < JL_COMPARED; of++) {
        const struct jl_autoscale_config *config = runs->configs[of];
        for (size_t i = 0; config && i < config->condition_count; i++) {
            const struct jl_scale_condition *condition = &config->conditions[i];
            if (!is_first)
                jl_put_char(out, ',');
            is_first = false;
            jl_put_char(out, '{');
            put_text(out, true, "algorithm", jl_compared_names[of]);
            put_text(out, false, "reason",
                     jl_word_of(&jl_scale_reason_words, (int)condition->reason));
            put_text(out, false, "where", condition->where);
            put_text(out, false, "message", condition->message);
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
    put_text(out, true, "workload", runs->workload);
    put_number(out, false, "hours", (double)runs->steps * JL_LOAD_STEP_S / 3600);
    put_number(out, false, "stepSeconds", JL_LOAD_STEP_S);
    put_number(out, false, "seeds", (double)runs->seeds);
    put_trace(out, runs->trace);
    put_world(out, runs);
    put_runs(out, runs);
    put_summary(out, runs, room);
    put_conditions(out, runs);
    put_series(out, runs);
    jl_put_char(out, '}');
    jl_free(room);
    return jl_buffer_code(out);
}
