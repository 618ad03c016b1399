/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Samples on their way into histograms, series and the last minutes
 * (docs/rules/autoscaling.md#samples; for v2.17.1 docs/rules/autoscaling-source.md#samples).
 * Called once at the start of a step.
 */

#include <string.h>

#include <joulie/error.h>

#include "autoscale/engine_parts.h"
#include "autoscale/limits.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/text.h"

#define AHEAD_NS (5 * JL_NS_PER_S) /* a sample may lie this far behind now */
#define V2_17_1_TFLOPS_WEIGHT 0.1  /* of a sample */

/* ---- one sample ---- */

static bool is_amount(double value)
{
    return value >= 0 && value <= JL_FORECAST_MOST; /* NaN is neither */
}

static bool is_bad(const struct jl_scale_sample *sample)
{
    bool is_bad = sample->at_ns < -JL_SCALE_MOST_NS;
    for (size_t i = 0; i < JL_SAMPLE_COUNTERS; i++)
        is_bad = is_bad || (sample->has[i] && !is_amount(sample->number[i]));
    return is_bad;
}

/* A counter that is none takes nothing of its sample away: it is unknown. */
static bool knows(const struct jl_scale_sample *sample, size_t number)
{
    return sample->has[number] &&
           (number < JL_SAMPLE_COUNTERS || is_amount(sample->number[number]));
}

static bool has_usage(const struct jl_scale_sample *sample)
{
    return sample->has_tflops || sample->has_vram;
}

static bool is_valid(const struct jl_scale_sample *sample)
{
    return !is_bad(sample) &&
           (has_usage(sample) || knows(sample, JL_SAMPLE_THROTTLE) || knows(sample, JL_SAMPLE_OOM));
}

static bool is_ahead(const struct jl_scale_sample *sample, int64_t now_ns)
{
    return sample->at_ns > now_ns + AHEAD_NS;
}

static bool is_taken(const struct jl_tracked *worker, const struct jl_scale_sample *sample,
                     int64_t now_ns)
{
    if (worker->is_dedicated || is_ahead(sample, now_ns))
        return false;
    if (worker->has_last && sample->at_ns <= worker->last_ns)
        return false;
    return is_valid(sample);
}

/* since_ns: since the worker's previous sample, or the layer's period. */
static void remember(struct jl_scale_engine *scaler, enum jl_memory_layer layer, unsigned targets,
                     struct jl_tracked *worker, const struct jl_scale_sample *sample,
                     int64_t since_ns)
{
    struct jl_layer_memory *memory = scaler->memories[layer];
    const double minutes = jl_sample_minutes(since_ns);
    if (sample->has_tflops && (targets & JL_TARGETS(JL_USAGE_TFLOPS)) != 0)
        jl_histogram_add(&memory->histograms[JL_USAGE_TFLOPS], sample->tflops, minutes,
                         sample->at_ns);
    /* The floor of every VRAM limit is one of these peaks, whatever the layer's targets are. */
    if (sample->has_vram &&
        (layer == JL_MEMORY_LIMITS || (targets & JL_TARGETS(JL_USAGE_VRAM)) != 0))
        jl_peak_add(&memory->histograms[JL_USAGE_VRAM], &worker->peaks[layer], sample->vram_bytes,
                    sample->at_ns, JL_PEAKS_CURRENT);
    jl_confidence_add(&memory->confidence, minutes, sample->at_ns);
    for (size_t u = 0; u < JL_USAGES; u++) {
        if (sample->has[u] && memory->bins[u] != NULL)
            jl_usage_series_add(&memory->series[u], &worker->open[u], sample->number[u],
                                sample->at_ns);
    }
}

static void remember_v2_17_1(struct jl_scale_engine *scaler, struct jl_tracked *worker,
                             const struct jl_scale_sample *sample)
{
    struct jl_layer_memory *memory = scaler->memories[JL_MEMORY_PERCENTILE];
    if (sample->has_tflops)
        jl_histogram_add(&memory->histograms[JL_USAGE_TFLOPS], sample->tflops,
                         V2_17_1_TFLOPS_WEIGHT, sample->at_ns);
    if (sample->has_vram)
        jl_peak_add(&memory->histograms[JL_USAGE_VRAM], &worker->peaks[JL_MEMORY_PERCENTILE],
                    sample->vram_bytes, sample->at_ns, JL_PEAKS_V2_17_1);
}

/* The oldest go, many at once. */
static bool keep_latest(struct jl_scale_engine *scaler)
{
    if (scaler->recent_count <= JL_AUTOSCALE_MOST_RECENT)
        return false;
    memmove(scaler->recent, scaler->recent + scaler->recent_count - JL_AUTOSCALE_MOST_RECENT,
            JL_AUTOSCALE_MOST_RECENT * sizeof *scaler->recent);
    scaler->recent_count = JL_AUTOSCALE_MOST_RECENT;
    return true;
}

/* A kill that no evaluation has seen counts since the last one, however long ago. */
static bool is_open_kill(const struct jl_scale_run *run, const struct jl_recent *recent)
{
    const struct jl_limits_layer *limits = &run->config->limits;
    const struct jl_layer_clock *clock = &run->scaler->clocks[JL_CLOCK_LIMITS];
    return limits->is_on && (limits->targets & JL_TARGETS(JL_USAGE_VRAM)) != 0 &&
           recent->is_oom_killed && !recent->is_oom_answered &&
           (!clock->has_last || recent->at_ns > clock->last_ns);
}

static bool is_recent(const struct jl_scale_run *run, const struct jl_recent *recent,
                      int64_t window_ns)
{
    return recent->at_ns > run->step->now_ns - window_ns || is_open_kill(run, recent);
}

static void remember_recent(struct jl_scale_run *run, const struct jl_tracked *worker,
                            const struct jl_scale_sample *sample, int64_t window_ns)
{
    struct jl_scale_engine *scaler = run->scaler;
    const struct jl_recent recent = {
        .at_ns = sample->at_ns,
        .tflops = sample->tflops,
        .vram_bytes = sample->vram_bytes,
        .tflops_limit =
            sample->has_limit ? sample->tflops_limit : run->step->current.of[JL_USAGE_TFLOPS].limit,
        .worker = (uint32_t)(worker - scaler->workers),
        .has_tflops = sample->has_tflops,
        .has_vram = sample->has_vram,
        .is_throttled = sample->has_throttle && worker->has_throttle &&
                        sample->throttle_count > worker->throttle_count,
        .is_oom_killed =
            sample->has_oom && worker->has_oom && sample->oom_count > worker->oom_count,
    };
    if (!is_recent(run, &recent, window_ns))
        return;
    if (scaler->recent_count == JL_RECENT_ROOM)
        keep_latest(scaler);
    scaler->recent[scaler->recent_count++] = recent;
}

static void note_worker(struct jl_tracked *worker, const struct jl_scale_sample *sample)
{
    if (!worker->has_created) {
        worker->has_created = true;
        worker->created_ns = sample->at_ns;
    }
    worker->has_last = true;
    worker->last_ns = sample->at_ns;
    if (sample->has_vram) {
        worker->has_vram = true;
        worker->vram_bytes = sample->vram_bytes;
    }
    if (sample->has_throttle) {
        worker->has_throttle = true;
        worker->throttle_count = sample->throttle_count;
    }
    if (sample->has_oom) {
        worker->has_oom = true;
        worker->oom_count = sample->oom_count;
    }
}

static void take(struct jl_scale_run *run, struct jl_tracked *worker,
                 const struct jl_scale_sample *sample, int64_t window_ns)
{
    struct jl_scale_engine *scaler = run->scaler;
    const struct jl_autoscale_config *config = run->config;
    const bool has_last = worker->has_last;
    const int64_t since_ns = has_last ? sample->at_ns - worker->last_ns : 0;
    if (config->limits.is_on && has_usage(sample))
        remember(scaler, JL_MEMORY_LIMITS, config->limits.targets, worker, sample,
                 has_last ? since_ns : config->limits.period_ns);
    if (config->requests.is_on && has_usage(sample))
        remember(scaler, JL_MEMORY_REQUESTS, config->requests.targets, worker, sample,
                 has_last ? since_ns : config->requests.period_ns);
    if (config->percentile.is_on)
        remember_v2_17_1(scaler, worker, sample);
    if (config->limits.is_on || config->replicas.is_on)
        remember_recent(run, worker, sample, window_ns);
    note_worker(worker, sample);
}

/* ---- all of them ---- */

/* The largest is in front; one that has nothing is behind. */
static int by_value(bool has_a, double a, bool has_b, double b)
{
    if (!has_a || !has_b)
        return (int)has_b - (int)has_a;
    return JL_ORDER(b, a);
}

/* Of samples of one worker at one time the first is what the others add to: never one that is not
 * valid, and a whole one rather than a half. */
static int by_worth(const struct jl_scale_sample *a, const struct jl_scale_sample *b)
{
    const bool is_whole_a = a->has_tflops && a->has_vram;
    const bool is_whole_b = b->has_tflops && b->has_vram;
    if (!is_valid(a) || !is_valid(b))
        return (int)is_valid(b) - (int)is_valid(a);
    int order = (int)is_whole_b - (int)is_whole_a;
    for (size_t i = 0; i < JL_SAMPLE_NUMBERS && order == 0; i++)
        order = by_value(knows(a, i), a->number[i], knows(b, i), b->number[i]);
    return order;
}

static int by_time_and_worker(const void *a, const void *b, void *user)
{
    const struct jl_scale_sample *left = *(const struct jl_scale_sample *const *)a;
    const struct jl_scale_sample *right = *(const struct jl_scale_sample *const *)b;
    (void)user;
    int order = JL_ORDER(left->at_ns, right->at_ns);
    if (order == 0)
        order = jl_compare(left->worker, right->worker);
    return order != 0 ? order : by_worth(left, right);
}

/* Rows are per GPU, and the hottest one counts; a half sample takes what it lacks from the
 * other half. False: nothing is added. */
static bool add_row(struct jl_scale_sample *sample, const struct jl_scale_sample *row)
{
    bool is_added = false;
    for (size_t i = 0; i < JL_SAMPLE_NUMBERS && is_valid(row); i++) {
        if (!knows(row, i) || (sample->has[i] && sample->number[i] >= row->number[i]))
            continue;
        sample->has[i] = true;
        sample->number[i] = row->number[i];
        is_added = true;
    }
    return is_added;
}

/* Takes the sample that the rows of one worker at one time make, which are in front; returns how
 * many these are. */
static size_t take_rows(struct jl_scale_run *run, const struct jl_scale_sample *const *rows,
                        size_t count, int64_t window_ns)
{
    struct jl_scale_sample sample = *rows[0];
    sample.has_throttle = knows(&sample, JL_SAMPLE_THROTTLE);
    sample.has_oom = knows(&sample, JL_SAMPLE_OOM);
    struct jl_tracked *worker = jl_scale_find_worker(run->scaler, sample.worker);
    size_t used = 1;
    size_t end = 1;
    for (; end < count && rows[end]->at_ns == sample.at_ns &&
           jl_same(rows[end]->worker, sample.worker);
         end++)
        used += add_row(&sample, rows[end]) ? 1 : 0;
    if (!is_taken(worker, &sample, run->step->now_ns))
        used = 0;
    else
        take(run, worker, &sample, window_ns);
    run->out->dropped += end - used;
    return end;
}

static void drop_old(const struct jl_scale_run *run, int64_t window_ns)
{
    struct jl_scale_engine *scaler = run->scaler;
    size_t kept = 0;
    for (size_t i = 0; i < scaler->recent_count; i++) {
        if (is_recent(run, &scaler->recent[i], window_ns))
            scaler->recent[kept++] = scaler->recent[i];
    }
    scaler->recent_count = kept;
}

#define BOUND_TEXT(bound) BOUND_TEXT_OF(bound)
#define BOUND_TEXT_OF(bound) #bound

static int64_t longest_window_ns(const struct jl_autoscale_config *config)
{
    int64_t window_ns = config->limits.is_on ? jl_limits_window_ns(config->limits.period_ns) : 0;
    if (config->replicas.is_on && config->replicas.period_ns > window_ns)
        window_ns = config->replicas.period_ns;
    return window_ns;
}

/* Appends "; WHAT: COUNT" to the text; NULL when memory ran out. */
static const char *add_count(struct jl_arena *arena, const char *text, const char *what,
                             size_t count)
{
    char number[JL_DOUBLE_TEXT];
    number[jl_format_u64(count, number)] = '\0';
    return count == 0 ? text
                      : JL_JOIN(arena, text, text[0] != '\0' ? "; " : "", what, ": ", number);
}

/* Samples that were meant to count and do not, by number; a row that comes again is not reported.
 */
static int report_bad_samples(struct jl_scale_run *run, struct jl_arena *arena)
{
    const struct jl_scale_step *step = run->step;
    size_t bad = 0;
    size_t ahead = 0;
    size_t counters = 0;
    for (size_t i = 0; i < step->sample_count; i++) {
        const struct jl_scale_sample *sample = &step->samples[i];
        if (jl_scale_find_worker(run->scaler, sample->worker)->is_dedicated)
            continue;
        if (is_bad(sample))
            bad++;
        else if (is_ahead(sample, step->now_ns))
            ahead++;
        else if (knows(sample, JL_SAMPLE_THROTTLE) != sample->has_throttle ||
                 knows(sample, JL_SAMPLE_OOM) != sample->has_oom)
            counters++;
    }
    if (bad + ahead + counters == 0)
        return 0;
    const char *text =
        add_count(arena, "", "samples with an amount that is negative or not finite", bad);
    if (text != NULL)
        text = add_count(arena, text, "samples more than 5 s ahead of now", ahead);
    if (text != NULL)
        text = add_count(arena, text, "counters that are negative or not finite", counters);
    if (text == NULL)
        return JOULIE_E_NOMEM;
    jl_scale_add_condition(run, JL_REASON_INVALID_FIELD, "samples", text);
    return 0;
}

int jl_scale_take_samples(struct jl_scale_run *run, struct jl_arena *arena)
{
    const struct jl_scale_step *step = run->step;
    const size_t count = step->sample_count;
    const struct jl_scale_sample **sorted =
        JL_NEW_ARRAY(arena, count, const struct jl_scale_sample *);
    void *scratch = jl_arena_array(arena, count, sizeof *sorted);
    if (sorted == NULL || scratch == NULL || report_bad_samples(run, arena) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &step->samples[i];
    jl_sort_with(sorted, count, sizeof *sorted, by_time_and_worker, NULL, scratch);

    const int64_t window_ns = longest_window_ns(run->config);
    drop_old(run, window_ns);
    for (size_t i = 0; i < count;)
        i += take_rows(run, sorted + i, count - i, window_ns);
    if (keep_latest(run->scaler))
        jl_scale_add_condition(run, JL_REASON_CAPPED, "samples",
                               "of the last minutes only the latest " BOUND_TEXT(
                                   JL_AUTOSCALE_MOST_RECENT) " samples count");
    return 0;
}
