/* SPDX-License-Identifier: Apache-2.0 */

/* Samples on their way into histograms, series and the last minutes (tensor-fusion.md §8.2; of
 * v2.17.1 §7.4). */

#include <string.h>

#include <joulie/error.h>

#include "autoscale/engine_parts.h"
#include "autoscale/limits.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/text.h"

#define AHEAD_NS (5 * JL_NS_PER_S) /* a sample may lie this far behind now (§8.2) */
#define RECENT_ROOM (2 * (size_t)JL_AUTOSCALE_MOST_RECENT) /* while samples are taken */
#define V2_17_1_TFLOPS_WEIGHT 0.1                          /* of a sample (§7.4) */

/* Half-lives (§8.2, §7.3). */
#define LIMITS_HALF_LIFE_NS (INT64_C(12) * 3600 * JL_NS_PER_S)
#define HALF_LIVES 2 /* of the aggregation or history period */

/* ---- memory ---- */

struct jl_layer_memory *jl_memory_new(int64_t half_life_ns)
{
    struct jl_layer_memory *memory = jl_calloc(1, sizeof *memory);
    if (memory == NULL)
        return NULL;
    memory->half_life_ns = half_life_ns;
    jl_histogram_init(&memory->histograms[JL_USAGE_TFLOPS], JL_USAGE_TFLOPS, half_life_ns);
    jl_histogram_init(&memory->histograms[JL_USAGE_VRAM], JL_USAGE_VRAM, half_life_ns);
    return memory;
}

void jl_memory_free(struct jl_layer_memory *memory)
{
    if (memory == NULL)
        return;
    for (size_t u = 0; u < JL_USAGES; u++) {
        jl_free(memory->bins[u]);
        jl_free(memory->open[u]);
    }
    jl_free(memory->values);
    jl_free(memory->seasonal);
    jl_free(memory);
}

static int grow_values(struct jl_layer_memory *memory, size_t needed)
{
    if (needed <= memory->value_room)
        return 0;
    double *values = jl_realloc_array(memory->values, needed, sizeof *values);
    if (values == NULL)
        return JOULIE_E_NOMEM;
    memory->values = values;
    double *seasonal = jl_realloc_array(memory->seasonal, needed, sizeof *seasonal);
    if (seasonal == NULL)
        return JOULIE_E_NOMEM;
    memory->seasonal = seasonal;
    memory->value_room = needed;
    return 0;
}

/* The series that is there stays when its shape did not change. */
int jl_memory_series(struct jl_layer_memory *memory, enum jl_usage usage, enum jl_series_kind kind,
                     const struct jl_series_shape *shape, size_t worker_room)
{
    struct jl_usage_series *series = &memory->series[usage];
    if (memory->bins[usage] != NULL && series->bin_ns == shape->bin_ns &&
        series->capacity == shape->bins)
        return 0;
    struct jl_series_bin *bins = jl_calloc(shape->bins, sizeof *bins);
    struct jl_series_worker *open =
        kind == JL_SERIES_MEAN ? jl_calloc(worker_room + 1, sizeof *open) : NULL;
    if (bins == NULL || (kind == JL_SERIES_MEAN && open == NULL) ||
        grow_values(memory, shape->bins) < 0) {
        jl_free(bins);
        jl_free(open);
        return JOULIE_E_NOMEM;
    }
    jl_free(memory->bins[usage]);
    jl_free(memory->open[usage]);
    memory->bins[usage] = bins;
    memory->open[usage] = open;
    jl_usage_series_init(series, kind, shape->bin_ns, bins, shape->bins);
    return 0;
}

static void end_series(struct jl_layer_memory *memory, enum jl_usage usage)
{
    jl_free(memory->bins[usage]);
    jl_free(memory->open[usage]);
    memory->bins[usage] = NULL;
    memory->open[usage] = NULL;
}

static int reserve_series(struct jl_autoscaler *scaler, struct jl_layer_memory *memory,
                          enum jl_series_kind kind, unsigned targets,
                          const struct jl_scale_prediction *prediction)
{
    const struct jl_series_shape shape =
        jl_series_shape(prediction->period_ns, prediction->season_ns, prediction->history_ns);
    for (unsigned u = 0; u < JL_USAGES; u++) {
        if (prediction->model == JL_FORECAST_UNKNOWN || (targets & JL_TARGETS(u)) == 0)
            end_series(memory, (enum jl_usage)u);
        else if (jl_memory_series(memory, (enum jl_usage)u, kind, &shape, scaler->worker_room) < 0)
            return JOULIE_E_NOMEM;
    }
    return 0;
}

/* A layer that was switched off forgets; another half-life discards what was seen (§7.3). */
static int reserve_memory(struct jl_autoscaler *scaler, enum jl_memory_layer layer, bool is_on,
                          int64_t half_life_ns)
{
    struct jl_layer_memory *old = scaler->memories[layer];
    if (is_on && old != NULL && old->half_life_ns == half_life_ns)
        return 0;
    if (!is_on && old == NULL)
        return 0;
    struct jl_layer_memory *memory = NULL;
    if (is_on) {
        memory = jl_memory_new(half_life_ns);
        if (memory == NULL)
            return JOULIE_E_NOMEM;
    }
    jl_memory_free(old);
    scaler->memories[layer] = memory;
    for (size_t i = 0; i < scaler->worker_count; i++)
        scaler->workers[i].peaks[layer] = (struct jl_peak){ 0 };
    return 0;
}

static int reserve_recent(struct jl_scale_run *run)
{
    struct jl_autoscaler *scaler = run->scaler;
    size_t needed = scaler->recent_count + run->step->sample_count;
    if (!run->config->limits.is_on && !run->config->replicas.is_on)
        return 0;
    if (needed > RECENT_ROOM)
        needed = RECENT_ROOM;
    void *items = scaler->recent;
    const int rc = jl_grow(&items, &scaler->recent_room, needed, sizeof *scaler->recent);
    scaler->recent = items;
    return rc;
}

int jl_scale_reserve(struct jl_scale_run *run)
{
    struct jl_autoscaler *scaler = run->scaler;
    const struct jl_autoscale_config *config = run->config;
    int rc = reserve_memory(scaler, JL_MEMORY_LIMITS, config->limits.is_on, LIMITS_HALF_LIFE_NS);
    if (rc == 0)
        rc = reserve_memory(scaler, JL_MEMORY_REQUESTS, config->requests.is_on,
                            config->requests.aggregation_ns / HALF_LIVES);
    if (rc == 0)
        rc = reserve_memory(scaler, JL_MEMORY_PERCENTILE, config->percentile.is_on,
                            config->percentile.history_ns / HALF_LIVES);
    if (rc == 0 && config->limits.is_on)
        rc = reserve_series(scaler, scaler->memories[JL_MEMORY_LIMITS], JL_SERIES_MAX,
                            config->limits.targets, &config->limits.prediction);
    if (rc == 0 && config->requests.is_on)
        rc = reserve_series(scaler, scaler->memories[JL_MEMORY_REQUESTS], JL_SERIES_MEAN,
                            config->requests.targets, &config->requests.prediction);
    return rc == 0 ? reserve_recent(run) : rc;
}

/* ---- one sample ---- */

static bool is_amount(double value)
{
    return value >= 0 && value <= JL_FORECAST_MOST; /* NaN is neither */
}

static bool is_valid(const struct jl_scale_sample *sample)
{
    if ((sample->has_tflops && !is_amount(sample->tflops)) ||
        (sample->has_vram && !is_amount(sample->vram_bytes)) ||
        (sample->has_limit && !is_amount(sample->tflops_limit)) ||
        (sample->has_throttle && !is_amount(sample->throttle_count)))
        return false;
    return sample->has_tflops || sample->has_vram;
}

static bool is_taken(const struct jl_tracked *worker, const struct jl_scale_sample *sample,
                     int64_t now_ns)
{
    if (worker->is_dedicated || sample->at_ns > now_ns + AHEAD_NS ||
        sample->at_ns < -JL_SCALE_MOST_NS)
        return false;
    if (worker->has_last && sample->at_ns <= worker->last_ns)
        return false;
    return is_valid(sample);
}

/* since_ns: since the worker's previous sample, or the layer's period. */
static void remember(struct jl_autoscaler *scaler, enum jl_memory_layer layer, unsigned targets,
                     struct jl_tracked *worker, const struct jl_scale_sample *sample,
                     int64_t since_ns)
{
    struct jl_layer_memory *memory = scaler->memories[layer];
    const size_t at = (size_t)(worker - scaler->workers);
    const double minutes = jl_sample_minutes(since_ns);
    const double values[JL_USAGES] = { sample->tflops, sample->vram_bytes };
    const bool has[JL_USAGES] = { sample->has_tflops, sample->has_vram };
    if (has[JL_USAGE_TFLOPS] && (targets & JL_TARGETS(JL_USAGE_TFLOPS)) != 0)
        jl_histogram_add(&memory->histograms[JL_USAGE_TFLOPS], sample->tflops, minutes,
                         sample->at_ns);
    if (has[JL_USAGE_VRAM] && (targets & JL_TARGETS(JL_USAGE_VRAM)) != 0)
        jl_peak_add(&memory->histograms[JL_USAGE_VRAM], &worker->peaks[layer], sample->vram_bytes,
                    sample->at_ns, JL_PEAKS_CURRENT);
    jl_confidence_add(&memory->confidence, minutes, sample->at_ns);
    for (size_t u = 0; u < JL_USAGES; u++) {
        if (has[u] && memory->bins[u] != NULL)
            jl_usage_series_add(&memory->series[u],
                                memory->open[u] != NULL ? &memory->open[u][at] : NULL, values[u],
                                sample->at_ns);
    }
}

static void remember_v2_17_1(struct jl_autoscaler *scaler, struct jl_tracked *worker,
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
static bool keep_latest(struct jl_autoscaler *scaler)
{
    if (scaler->recent_count <= JL_AUTOSCALE_MOST_RECENT)
        return false;
    memmove(scaler->recent, scaler->recent + scaler->recent_count - JL_AUTOSCALE_MOST_RECENT,
            JL_AUTOSCALE_MOST_RECENT * sizeof *scaler->recent);
    scaler->recent_count = JL_AUTOSCALE_MOST_RECENT;
    return true;
}

static void remember_recent(struct jl_scale_run *run, const struct jl_tracked *worker,
                            const struct jl_scale_sample *sample)
{
    struct jl_autoscaler *scaler = run->scaler;
    if (scaler->recent_count == RECENT_ROOM)
        keep_latest(scaler);
    scaler->recent[scaler->recent_count++] = (struct jl_recent){
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
    };
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
}

static void take(struct jl_scale_run *run, struct jl_tracked *worker,
                 const struct jl_scale_sample *sample, int64_t window_ns)
{
    struct jl_autoscaler *scaler = run->scaler;
    const struct jl_autoscale_config *config = run->config;
    const bool has_last = worker->has_last;
    const int64_t since_ns = has_last ? sample->at_ns - worker->last_ns : 0;
    if (config->limits.is_on)
        remember(scaler, JL_MEMORY_LIMITS, config->limits.targets, worker, sample,
                 has_last ? since_ns : config->limits.period_ns);
    if (config->requests.is_on)
        remember(scaler, JL_MEMORY_REQUESTS, config->requests.targets, worker, sample,
                 has_last ? since_ns : config->requests.period_ns);
    if (config->percentile.is_on)
        remember_v2_17_1(scaler, worker, sample);
    if ((config->limits.is_on || config->replicas.is_on) &&
        sample->at_ns > run->step->now_ns - window_ns)
        remember_recent(run, worker, sample);
    note_worker(worker, sample);
}

/* ---- all of them ---- */

/* One that has nothing is behind. */
static int by_value(bool has_a, double a, bool has_b, double b)
{
    if (!has_a || !has_b)
        return (int)has_b - (int)has_a;
    return (a > b) - (a < b);
}

/* Of samples of one worker at one time the first is taken: never one that is not valid, and a whole
 * one rather than a half. */
static int by_worth(const struct jl_scale_sample *a, const struct jl_scale_sample *b)
{
    const bool is_whole_a = a->has_tflops && a->has_vram;
    const bool is_whole_b = b->has_tflops && b->has_vram;
    if (!is_valid(a) || !is_valid(b))
        return (int)is_valid(b) - (int)is_valid(a);
    if (is_whole_a != is_whole_b)
        return is_whole_a ? -1 : 1;
    int order = by_value(a->has_tflops, a->tflops, b->has_tflops, b->tflops);
    if (order == 0)
        order = by_value(a->has_vram, a->vram_bytes, b->has_vram, b->vram_bytes);
    if (order == 0)
        order = by_value(a->has_limit, a->tflops_limit, b->has_limit, b->tflops_limit);
    return order != 0
               ? order
               : by_value(a->has_throttle, a->throttle_count, b->has_throttle, b->throttle_count);
}

static int by_time_and_worker(const void *a, const void *b, void *user)
{
    const struct jl_scale_sample *left = *(const struct jl_scale_sample *const *)a;
    const struct jl_scale_sample *right = *(const struct jl_scale_sample *const *)b;
    (void)user;
    if (left->at_ns != right->at_ns)
        return left->at_ns < right->at_ns ? -1 : 1;
    const int order = jl_compare(left->worker, right->worker);
    return order == 0 ? by_worth(left, right) : order;
}

/* What a half sample lacks comes from the other half. False: nothing is added. */
static bool complete(struct jl_scale_sample *sample, const struct jl_scale_sample *half)
{
    if (!is_valid(half) || (sample->has_tflops && half->has_tflops) ||
        (sample->has_vram && half->has_vram))
        return false;
    if (half->has_tflops) {
        sample->tflops = half->tflops;
        sample->has_tflops = true;
    } else {
        sample->vram_bytes = half->vram_bytes;
        sample->has_vram = true;
    }
    if (!sample->has_limit && half->has_limit) {
        sample->tflops_limit = half->tflops_limit;
        sample->has_limit = true;
    }
    if (!sample->has_throttle && half->has_throttle) {
        sample->throttle_count = half->throttle_count;
        sample->has_throttle = true;
    }
    return true;
}

/* Takes the sample that the rows of one worker at one time make, which are in front; returns how
 * many these are. */
static size_t take_rows(struct jl_scale_run *run, const struct jl_scale_sample *const *rows,
                        size_t count, int64_t window_ns)
{
    struct jl_scale_sample sample = *rows[0];
    struct jl_tracked *worker = jl_scale_find_worker(run->scaler, sample.worker);
    size_t used = 1;
    size_t end = 1;
    for (; end < count && rows[end]->at_ns == sample.at_ns &&
           jl_same(rows[end]->worker, sample.worker);
         end++)
        used += complete(&sample, rows[end]) ? 1 : 0;
    if (!is_taken(worker, &sample, run->step->now_ns))
        used = 0;
    else
        take(run, worker, &sample, window_ns);
    run->out->dropped += end - used;
    return end;
}

static void drop_old(struct jl_autoscaler *scaler, int64_t after_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < scaler->recent_count; i++) {
        if (scaler->recent[i].at_ns > after_ns)
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

int jl_scale_take_samples(struct jl_scale_run *run, struct jl_arena *arena)
{
    const struct jl_scale_step *step = run->step;
    const size_t count = step->sample_count;
    const struct jl_scale_sample **sorted =
        JL_NEW_ARRAY(arena, count + 1, const struct jl_scale_sample *);
    void *scratch = jl_arena_array(arena, count + 1, sizeof *sorted);
    if (sorted == NULL || scratch == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &step->samples[i];
    jl_sort_with(sorted, count, sizeof *sorted, by_time_and_worker, NULL, scratch);

    const int64_t window_ns = longest_window_ns(run->config);
    drop_old(run->scaler, step->now_ns - window_ns);
    for (size_t i = 0; i < count;)
        i += take_rows(run, sorted + i, count - i, window_ns);
    if (keep_latest(run->scaler))
        jl_scale_tell(run, JL_REASON_CAPPED, "samples",
                      "of the last minutes only the latest " BOUND_TEXT(
                          JL_AUTOSCALE_MOST_RECENT) " samples count");
    return 0;
}
