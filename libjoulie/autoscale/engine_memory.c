/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Histograms and series of a layer: made when the layer is switched on, gone when it is switched
 * off or its half-life changes (docs/rules/autoscaling-statistics.md#decay).
 */

#include <joulie/error.h>

#include "autoscale/engine_parts.h"
#include "base/memory.h"

/* Half-lives. */
#define LIMITS_HALF_LIFE_NS (INT64_C(12) * 3600 * JL_NS_PER_S)
#define HALF_LIVES 2 /* of the aggregation or history period */

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
    for (size_t u = 0; u < JL_USAGES; u++)
        jl_free(memory->bins[u]);
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

/* The bins that workers are in belong to the series of the requests layer. */
static void end_series(struct jl_scale_engine *scaler, enum jl_memory_layer layer,
                       enum jl_usage usage)
{
    struct jl_layer_memory *memory = scaler->memories[layer];
    jl_free(memory->bins[usage]);
    memory->bins[usage] = NULL;
    for (size_t i = 0; layer == JL_MEMORY_REQUESTS && i < scaler->worker_count; i++)
        scaler->workers[i].open[usage] = (struct jl_series_worker){ 0 };
}

/* The series that is there stays when its shape did not change. */
int jl_memory_series(struct jl_scale_engine *scaler, enum jl_memory_layer layer,
                     enum jl_usage usage, const struct jl_series_shape *shape)
{
    struct jl_layer_memory *memory = scaler->memories[layer];
    struct jl_usage_series *series = &memory->series[usage];
    if (memory->bins[usage] != NULL && series->bin_ns == shape->bin_ns &&
        series->capacity == shape->bins)
        return 0;
    struct jl_series_bin *bins = jl_calloc(shape->bins, sizeof *bins);
    if (bins == NULL || grow_values(memory, shape->bins) < 0) {
        jl_free(bins);
        return JOULIE_E_NOMEM;
    }
    end_series(scaler, layer, usage);
    memory->bins[usage] = bins;
    jl_usage_series_init(series, layer == JL_MEMORY_REQUESTS ? JL_SERIES_MEAN : JL_SERIES_MAX,
                         shape->bin_ns, bins, shape->bins);
    return 0;
}

static int reserve_series(struct jl_scale_engine *scaler, enum jl_memory_layer layer,
                          unsigned targets, const struct jl_scale_prediction *prediction)
{
    const struct jl_series_shape shape =
        jl_series_shape(prediction->period_ns, prediction->season_ns, prediction->history_ns);
    for (unsigned u = 0; u < JL_USAGES; u++) {
        if (prediction->model == JL_FORECAST_UNKNOWN || (targets & JL_TARGETS(u)) == 0)
            end_series(scaler, layer, (enum jl_usage)u);
        else if (jl_memory_series(scaler, layer, (enum jl_usage)u, &shape) < 0)
            return JOULIE_E_NOMEM;
    }
    return 0;
}

/* A layer that was switched off forgets; another half-life discards what was seen. */
static int reserve_memory(struct jl_scale_engine *scaler, enum jl_memory_layer layer, bool is_on,
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
    struct jl_scale_engine *scaler = run->scaler;
    size_t needed = scaler->recent_count + run->step->sample_count;
    if (!run->config->limits.is_on && !run->config->replicas.is_on)
        return 0;
    if (needed > JL_RECENT_ROOM)
        needed = JL_RECENT_ROOM;
    void *items = scaler->recent;
    const int rc = jl_grow(&items, &scaler->recent_room, needed, sizeof *scaler->recent);
    scaler->recent = items;
    return rc;
}

int jl_scale_reserve(struct jl_scale_run *run)
{
    struct jl_scale_engine *scaler = run->scaler;
    const struct jl_autoscale_config *config = run->config;
    int rc = reserve_memory(scaler, JL_MEMORY_LIMITS, config->limits.is_on, LIMITS_HALF_LIFE_NS);
    if (rc == 0)
        rc = reserve_memory(scaler, JL_MEMORY_REQUESTS, config->requests.is_on,
                            config->requests.aggregation_ns / HALF_LIVES);
    if (rc == 0)
        rc = reserve_memory(scaler, JL_MEMORY_PERCENTILE, config->percentile.is_on,
                            config->percentile.history_ns / HALF_LIVES);
    if (rc == 0 && config->limits.is_on)
        rc = reserve_series(scaler, JL_MEMORY_LIMITS, config->limits.targets,
                            &config->limits.prediction);
    if (rc == 0 && config->requests.is_on)
        rc = reserve_series(scaler, JL_MEMORY_REQUESTS, config->requests.targets,
                            &config->requests.prediction);
    return rc == 0 ? reserve_recent(run) : rc;
}
