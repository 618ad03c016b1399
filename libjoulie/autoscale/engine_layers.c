/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The requests and the limits layer inside a step: what they see of the samples, and what becomes
 * of their answers (docs/rules/autoscaling.md#limits-layer). The rules themselves are limits.c and
 * requests.c.
 */

#include "autoscale/engine_parts.h"
#include "autoscale/limits.h"
#include "autoscale/requests.h"

#define LIMITS_PERCENTILE 0.99             /* of the last 24 h */
#define LIMITS_DELAY_NS (60 * JL_NS_PER_S) /* initial delay */
#define REQUESTS_DELAY_NS 0

/* The peak of the forecast; false without one. */
static bool forecast(struct jl_scale_engine *scaler, enum jl_memory_layer layer,
                     enum jl_usage usage, const struct jl_scale_prediction *prediction, double *out)
{
    struct jl_layer_memory *memory = scaler->memories[layer];
    if (memory->bins[usage] == NULL)
        return false;
    const struct jl_series_shape shape =
        jl_series_shape(prediction->period_ns, prediction->season_ns, prediction->history_ns);
    const struct jl_series_worker *open =
        scaler->worker_count > 0 ? &scaler->workers[0].open[usage] : NULL;
    const size_t count =
        jl_usage_series_values(&memory->series[usage], open, sizeof *scaler->workers,
                               scaler->worker_count, memory->values);
    struct jl_forecast result;
    if (count == 0 || jl_forecast(prediction->model, memory->values, count, shape.season,
                                  shape.horizon, memory->seasonal, NULL, &result) < 0)
        return false;
    *out = result.used;
    return true;
}

/* ---- limits ---- */

static bool is_in_window(const struct jl_scale_run *run, const struct jl_recent *recent)
{
    const int64_t now_ns = run->step->now_ns;
    return recent->at_ns > now_ns - jl_limits_window_ns(run->config->limits.period_ns) &&
           recent->at_ns <= now_ns;
}

/* Kills of the window, and older ones that no evaluation has seen yet. */
static bool is_kill(const struct jl_scale_run *run, const struct jl_recent *recent)
{
    const bool is_open = !recent->is_oom_answered && recent->at_ns <= run->step->now_ns;
    return recent->is_oom_killed && (is_open || is_in_window(run, recent));
}

/* What the last minutes say: how many samples, their peak, and whether anybody was throttled or
 * killed. */
static void read_window(const struct jl_scale_run *run, struct jl_limits_input *in)
{
    const struct jl_scale_engine *scaler = run->scaler;
    const bool is_tflops = in->usage == JL_USAGE_TFLOPS;
    in->samples = 0;
    in->peak = 0;
    in->is_oom_answered = true;
    for (size_t i = 0; i < scaler->recent_count; i++) {
        const struct jl_recent *recent = &scaler->recent[i];
        const bool has = is_tflops ? recent->has_tflops : recent->has_vram;
        const double value = is_tflops ? recent->tflops : recent->vram_bytes;
        if (is_kill(run, recent)) { /* also in a sample that does not say what was used */
            in->is_oom_killed = true;
            in->is_oom_answered = in->is_oom_answered && recent->is_oom_answered;
        }
        if (!is_in_window(run, recent) || !has)
            continue;
        in->samples++;
        if (value > in->peak)
            in->peak = value;
        if (is_tflops && recent->is_throttled)
            in->is_throttled = true;
    }
    in->given.samples = true;
    in->given.peak = in->samples > 0;
}

/* One kill raises the limit once, however many evaluations its window has. */
static void answer_kills(const struct jl_scale_run *run)
{
    struct jl_scale_engine *scaler = run->scaler;
    for (size_t i = 0; i < scaler->recent_count; i++) {
        struct jl_recent *recent = &scaler->recent[i];
        if (is_kill(run, recent))
            recent->is_oom_answered = true;
    }
}

/* The peak of a worker's window, which may have ended; then its last sample, while it is younger.
 */
static double held_bytes(const struct jl_tracked *worker, int64_t now_ns)
{
    const struct jl_peak *peak = &worker->peaks[JL_MEMORY_LIMITS];
    if (!peak->is_open)
        return 0;
    if (peak->end_ns > now_ns)
        return peak->value;
    const bool is_fresh = worker->has_vram && worker->last_ns > now_ns - JL_PEAK_WINDOW_NS;
    return is_fresh ? worker->vram_bytes : 0;
}

double jl_scale_vram_floor(const struct jl_scale_run *run)
{
    const struct jl_scale_engine *scaler = run->scaler;
    double floor_bytes = 0;
    for (size_t i = 0; i < scaler->worker_count; i++) {
        const struct jl_tracked *worker = &scaler->workers[i];
        const double bytes = held_bytes(worker, run->step->now_ns);
        if (worker->is_ready && bytes > floor_bytes)
            floor_bytes = bytes;
    }
    return floor_bytes;
}

static void run_limit(struct jl_scale_run *run, enum jl_usage usage)
{
    struct jl_scale_engine *scaler = run->scaler;
    const struct jl_limits_layer *config = &run->config->limits;
    struct jl_layer_memory *memory = scaler->memories[JL_MEMORY_LIMITS];
    const struct jl_histogram *histogram = &memory->histograms[usage];
    struct jl_amount_pair *pair = &run->amounts.of[usage];
    struct jl_limits_input in = {
        .usage = usage,
        .current = pair->limit,
        .request = pair->request,
        .buffer = config->buffer[usage],
        .ignored = config->ignored,
        .step = config->step,
        .max_ratio = config->max_ratio,
        .period_ns = config->period_ns,
    };
    read_window(run, &in);
    if (!jl_histogram_is_empty(histogram)) {
        in.p99 = jl_histogram_percentile(histogram, LIMITS_PERCENTILE);
        in.given.p99 = true;
    }
    in.capacity = run->step->gpu.of[usage];
    in.given.capacity = jl_is_bounded(&run->step->gpu, usage);
    in.given.forecast =
        forecast(scaler, JL_MEMORY_LIMITS, usage, &config->prediction, &in.forecast);
    if (usage == JL_USAGE_VRAM)
        in.floor = jl_scale_vram_floor(run);

    struct jl_layer_result result;
    jl_scale_limits(&in, &result);
    if (usage == JL_USAGE_TFLOPS)
        scaler->is_limit_at_upper = result.is_at_upper;
    else
        answer_kills(run);
    jl_scale_decide(run, &(struct jl_scale_decision){
                             .layer = JL_LAYER_LIMITS,
                             .usage = usage,
                             .field = JL_FIELD_LIMIT,
                             .is_kept = result.is_kept,
                             .from = pair->limit,
                             .to = result.value,
                             .reason = result.reason,
                         });
    pair->limit = result.value;
}

void jl_scale_run_limits(struct jl_scale_run *run)
{
    const struct jl_limits_layer *config = &run->config->limits;
    if (!config->is_on ||
        !jl_scale_is_due(run, JL_CLOCK_LIMITS, LIMITS_DELAY_NS, config->period_ns))
        return;
    for (unsigned u = 0; u < JL_USAGES; u++) {
        if ((config->targets & JL_TARGETS(u)) != 0)
            run_limit(run, (enum jl_usage)u);
    }
}

/* ---- requests ---- */

static double vram_used(const struct jl_scale_engine *scaler, bool *out_has)
{
    double used_bytes = 0;
    for (size_t i = 0; i < scaler->worker_count; i++) {
        const struct jl_tracked *worker = &scaler->workers[i];
        if (!worker->is_ready || !worker->has_vram)
            continue;
        *out_has = true;
        if (worker->vram_bytes > used_bytes)
            used_bytes = worker->vram_bytes;
    }
    return used_bytes;
}

static void read_usage(struct jl_scale_run *run, struct jl_requests_input *in)
{
    struct jl_scale_engine *scaler = run->scaler;
    const struct jl_requests_layer *config = &run->config->requests;
    struct jl_layer_memory *memory = scaler->memories[JL_MEMORY_REQUESTS];
    const struct jl_histogram *histogram = &memory->histograms[in->usage];
    bool has_used = false;
    if (!jl_histogram_is_empty(histogram)) {
        const struct jl_requests_percentiles at = jl_requests_percentiles(config->percentile);
        in->lower = jl_histogram_percentile(histogram, at.lower);
        in->target = jl_histogram_percentile(histogram, at.target);
        in->upper = jl_histogram_percentile(histogram, at.upper);
        in->given.percentiles = true;
    }
    in->confidence_days = jl_confidence_days(&memory->confidence);
    in->given.forecast =
        forecast(scaler, JL_MEMORY_REQUESTS, in->usage, &config->prediction, &in->forecast);
    if (in->usage == JL_USAGE_VRAM)
        in->used = vram_used(scaler, &has_used);
    in->given.used = has_used;
}

static void run_request(struct jl_scale_run *run, enum jl_usage usage)
{
    const struct jl_autoscale_config *config = run->config;
    struct jl_amount_pair *pair = &run->amounts.of[usage];
    struct jl_requests_input in = {
        .given.limit = true,
        .usage = usage,
        .current = pair->request,
        .original = config->original.of[usage].request,
        .multiplier = config->requests.multiplier,
        .limit = pair->limit,
        .is_limits_layer =
            config->limits.is_on && (config->limits.targets & JL_TARGETS(usage)) != 0,
    };
    read_usage(run, &in);
    in.max_allowed = run->step->max_allowed.of[usage];
    in.given.max_allowed = jl_is_bounded(&run->step->max_allowed, usage);

    struct jl_layer_result result;
    jl_scale_requests(&in, &result);
    jl_scale_decide(run, &(struct jl_scale_decision){
                             .layer = JL_LAYER_REQUESTS,
                             .usage = usage,
                             .field = JL_FIELD_REQUEST,
                             .is_kept = result.is_kept,
                             .from = pair->request,
                             .to = result.value,
                             .reason = result.reason,
                         });
    pair->request = result.value;
    if (result.has_limit)
        pair->limit = result.limit;
}

void jl_scale_run_requests(struct jl_scale_run *run)
{
    const struct jl_requests_layer *config = &run->config->requests;
    if (!config->is_on ||
        !jl_scale_is_due(run, JL_CLOCK_REQUESTS, REQUESTS_DELAY_NS, config->period_ns))
        return;
    for (unsigned u = 0; u < JL_USAGES; u++) {
        if ((config->targets & JL_TARGETS(u)) != 0)
            run_request(run, (enum jl_usage)u);
    }
}

/* ---- the percentile recommender of v2.17.1
 * (docs/rules/autoscaling-source.md#percentile-recommender) ---- */

static struct jl_estimate percentiles_of(const struct jl_histogram *histogram,
                                         const struct jl_estimate *fractions)
{
    return (struct jl_estimate){
        .lower = jl_histogram_percentile(histogram, fractions->lower),
        .target = jl_histogram_percentile(histogram, fractions->target),
        .upper = jl_histogram_percentile(histogram, fractions->upper),
    };
}

/* Amounts that no target names stay as they are. */
static void keep_untargeted(const struct jl_scale_run *run, struct jl_amounts *amounts)
{
    for (unsigned u = 0; u < JL_USAGES; u++) {
        if ((run->config->percentile.targets & JL_TARGETS(u)) == 0)
            amounts->of[u] = run->step->current.of[u];
    }
}

static void decide_percentile(struct jl_scale_run *run, const struct jl_percentile_result *result,
                              const struct jl_amounts *amounts)
{
    for (unsigned u = 0; u < JL_USAGES; u++) {
        const double from = run->step->current.of[u].request;
        const double to = result->is_recommendation ? amounts->of[u].request : from;
        if ((run->config->percentile.targets & JL_TARGETS(u)) == 0)
            continue;
        jl_scale_decide(run, &(struct jl_scale_decision){
                                 .layer = JL_LAYER_PERCENTILE,
                                 .usage = (enum jl_usage)u,
                                 .field = JL_FIELD_REQUEST,
                                 .is_kept = to == from,
                                 .from = from,
                                 .to = to,
                                 .reason = result->reason,
                             });
    }
}

void jl_scale_run_percentile(struct jl_scale_run *run)
{
    const struct jl_percentile_layer *config = &run->config->percentile;
    struct jl_scale_engine *scaler = run->scaler;
    if (!config->is_on || !jl_scale_is_due(run, JL_CLOCK_PERCENTILE,
                                           config->config.initial_delay_ns, config->interval_ns))
        return;
    const struct jl_layer_memory *memory = scaler->memories[JL_MEMORY_PERCENTILE];
    struct jl_estimates percentiles;
    for (unsigned u = 0; u < JL_USAGES; u++)
        percentiles.of[u] = percentiles_of(&memory->histograms[u], &config->fractions[u]);
    struct jl_percentile_input in = {
        .rules = JL_PERCENTILE_V2_17_1,
        .config = &config->config,
        .request = jl_request_estimate_of(jl_text(config->qos)),
        .original = run->config->original,
        .current = run->step->current,
        .max_allowed = run->step->max_allowed,
    };
    jl_percentile_estimates(JL_PERCENTILE_V2_17_1, &percentiles, config->config.margin_frac, 0,
                            &in.estimates);
    struct jl_percentile_result result;
    jl_recommend_percentile(&in, &result);
    struct jl_proposal proposal = { .amounts = result.amounts, .is_applied = result.is_applied };
    keep_untargeted(run, &proposal.amounts);
    decide_percentile(run, &result, &proposal.amounts);
    if (result.is_recommendation && config->targets != 0)
        run->proposals[run->proposal_count++] = proposal;
}
