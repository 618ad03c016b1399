/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Everything that the engine remembers, as bytes and back (docs/rules/autoscaling.md#state). One
 * walk over the members does both, so that writing and reading cannot differ.
 */

#include <string.h>

#include <joulie/error.h>

#include "autoscale/engine_parts.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

#define STATE_VERSION 1
#define VARINT_BITS 7

/* One direction of the walk: out is NULL when reading. */
struct walk {
    struct jl_buffer *out;
    const unsigned char *at;
    const unsigned char *end;
    const char *problem; /* of the bytes; NULL = none so far */
    bool is_out_of_memory;
};

static bool is_reading(const struct walk *walk)
{
    return walk->out == NULL;
}

static bool is_over(const struct walk *walk)
{
    return walk->problem != NULL || walk->is_out_of_memory;
}

static void damage(struct walk *walk, const char *problem)
{
    if (walk->problem == NULL)
        walk->problem = problem;
}

static unsigned char next_byte(struct walk *walk)
{
    if (walk->at == walk->end) {
        damage(walk, "it ends too early");
        return 0;
    }
    return *walk->at++;
}

static void walk_u64(struct walk *walk, uint64_t *value)
{
    if (!is_reading(walk)) {
        uint64_t rest = *value;
        for (; rest >= UINT64_C(1) << VARINT_BITS; rest >>= VARINT_BITS)
            jl_put_char(walk->out, (char)(unsigned char)(rest | UINT64_C(1) << VARINT_BITS));
        jl_put_char(walk->out, (char)(unsigned char)rest);
        return;
    }
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 64; shift += VARINT_BITS) {
        const uint64_t byte = next_byte(walk);
        sum |= (byte & ((1u << VARINT_BITS) - 1)) << shift;
        if (byte >> VARINT_BITS == 0) {
            *value = sum;
            return;
        }
    }
    damage(walk, "an integer has more than 64 bits");
    *value = 0;
}

static void walk_i64(struct walk *walk, int64_t *value)
{
    uint64_t zigzag = (uint64_t)*value << 1 ^ (uint64_t)(*value < 0 ? -1 : 0);
    walk_u64(walk, &zigzag);
    if (is_reading(walk))
        *value = (int64_t)(zigzag >> 1 ^ (uint64_t) - (int64_t)(zigzag & 1));
}

/* A time: what a step or a sample can have, and sums of a few of them. */
static void walk_time(struct walk *walk, int64_t *ns)
{
    walk_i64(walk, ns);
    if (is_reading(walk) && (*ns > JL_SCALE_MOST_NS + JL_PEAK_WINDOW_NS ||
                             *ns < -JL_SCALE_MOST_NS - JL_PEAK_WINDOW_NS)) {
        damage(walk, "a time is out of range");
        *ns = 0;
    }
}

static void walk_count(struct walk *walk, size_t *value, size_t most)
{
    uint64_t wide = *value;
    walk_u64(walk, &wide);
    if (!is_reading(walk))
        return;
    if (wide > most) {
        damage(walk, "a count is out of range");
        wide = 0;
    }
    *value = (size_t)wide;
}

static void walk_u32(struct walk *walk, uint32_t *value, uint32_t most)
{
    size_t wide = *value;
    walk_count(walk, &wide, most);
    *value = (uint32_t)wide;
}

/* Nothing that is remembered is negative, and nothing is infinite. */
static void walk_double(struct walk *walk, double *value)
{
    uint64_t bits = 0;
    if (!is_reading(walk)) {
        memcpy(&bits, value, sizeof bits);
        for (unsigned shift = 0; shift < 64; shift += 8)
            jl_put_char(walk->out, (char)(unsigned char)(bits >> shift));
        return;
    }
    for (unsigned shift = 0; shift < 64; shift += 8)
        bits |= (uint64_t)next_byte(walk) << shift;
    memcpy(value, &bits, sizeof bits);
    if (!(*value >= 0 && *value <= __DBL_MAX__)) {
        damage(walk, "a number is negative or not finite");
        *value = 0;
    }
}

static void walk_flags(struct walk *walk, bool *const *flags, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits |= (uint64_t)*flags[i] << i;
    walk_u64(walk, &bits);
    if (!is_reading(walk))
        return;
    if (bits >> count != 0)
        damage(walk, "an unknown flag is set");
    for (size_t i = 0; i < count; i++)
        *flags[i] = (bits >> i & 1) != 0;
}

#define WALK_FLAGS(walk, ...)                          \
    walk_flags((walk), (bool *const[]){ __VA_ARGS__ }, \
               sizeof((bool *[]){ __VA_ARGS__ }) / sizeof(bool *))

/* ---- the parts ---- */

static void walk_amounts(struct walk *walk, struct jl_amounts *amounts)
{
    for (size_t u = 0; u < JL_USAGES; u++) {
        walk_double(walk, &amounts->of[u].request);
        walk_double(walk, &amounts->of[u].limit);
    }
}

static void walk_head(struct walk *walk, struct jl_scale_engine *scaler)
{
    WALK_FLAGS(walk, &scaler->has_now, &scaler->has_start, &scaler->has_replicas,
               &scaler->is_limit_at_upper, &scaler->is_cron_active);
    walk_time(walk, &scaler->now_ns);
    walk_time(walk, &scaler->start_ns);
    for (size_t i = 0; i < JL_CLOCKS; i++) {
        WALK_FLAGS(walk, &scaler->clocks[i].has_last);
        walk_time(walk, &scaler->clocks[i].last_ns);
    }
    walk_amounts(walk, &scaler->cron);
    if (scaler->is_cron_active)
        walk_amounts(walk, &scaler->before_cron);
}

static void walk_replicas(struct walk *walk, struct jl_replicas_state *state)
{
    WALK_FLAGS(walk, &state->has_last_up, &state->has_last_down);
    walk_time(walk, &state->last_up_ns);
    walk_time(walk, &state->last_down_ns);
    walk_count(walk, &state->wish_count, JL_REPLICAS_WISHES);
    for (size_t i = 0; i < state->wish_count && !is_over(walk); i++) {
        struct jl_replicas_wish *wish = &state->wishes[i];
        walk_time(walk, &wish->t_ns);
        walk_i64(walk, &wish->desired);
        if (wish->desired < 0 || wish->desired > JL_REPLICAS_MAX)
            damage(walk, "a number of replicas is out of range");
    }
}

static void walk_name(struct walk *walk, char **name, const char *before)
{
    size_t len = is_reading(walk) ? 0 : strlen(*name);
    walk_count(walk, &len, JL_AUTOSCALE_LONGEST_NAME);
    if (!is_reading(walk)) {
        jl_put(walk->out, *name, len);
        return;
    }
    if ((size_t)(walk->end - walk->at) < len) {
        damage(walk, "it ends too early");
        return;
    }
    *name = jl_calloc(len + 1, 1);
    if (*name == NULL) {
        walk->is_out_of_memory = true;
        return;
    }
    memcpy(*name, walk->at, len);
    walk->at += len;
    if (strlen(*name) != len || (before != NULL && jl_compare(before, *name) >= 0))
        damage(walk, "the workers are not in the order of their names");
}

static void walk_worker(struct walk *walk, struct jl_tracked *worker)
{
    WALK_FLAGS(walk, &worker->has_created, &worker->has_last, &worker->has_vram,
               &worker->has_throttle, &worker->is_ready, &worker->is_dedicated, &worker->has_oom);
    walk_time(walk, &worker->created_ns);
    walk_time(walk, &worker->last_ns);
    walk_double(walk, &worker->vram_bytes);
    walk_double(walk, &worker->throttle_count);
    if (worker->has_oom)
        walk_double(walk, &worker->oom_count);
    for (size_t i = 0; i < JL_MEMORIES; i++) {
        struct jl_peak *peak = &worker->peaks[i];
        WALK_FLAGS(walk, &peak->is_open);
        if (!peak->is_open)
            continue;
        walk_time(walk, &peak->end_ns);
        walk_double(walk, &peak->value);
    }
}

static void walk_workers(struct walk *walk, struct jl_scale_engine *scaler)
{
    size_t count = scaler->worker_count;
    walk_count(walk, &count, JL_AUTOSCALE_MOST_WORKERS);
    if (is_reading(walk) && count > 0) {
        scaler->workers = jl_calloc(count, sizeof *scaler->workers);
        if (scaler->workers == NULL) {
            walk->is_out_of_memory = true;
            return;
        }
        scaler->worker_room = count;
    }
    for (size_t i = 0; i < count && !is_over(walk); i++) {
        scaler->worker_count = i + 1;
        walk_name(walk, &scaler->workers[i].name, i > 0 ? scaler->workers[i - 1].name : NULL);
        walk_worker(walk, &scaler->workers[i]);
    }
}

/* Times go up by little, and most limits are those of the sample before. */
static void walk_recent_one(struct walk *walk, const struct jl_scale_engine *scaler,
                            struct jl_recent *recent, const struct jl_recent *before)
{
    bool is_same_limit = recent->tflops_limit == before->tflops_limit;
    int64_t since_ns = recent->at_ns - before->at_ns;
    WALK_FLAGS(walk, &recent->has_tflops, &recent->has_vram, &recent->is_throttled, &is_same_limit,
               &recent->is_oom_killed, &recent->is_oom_answered);
    walk_i64(walk, &since_ns);
    if (since_ns > JL_SCALE_MOST_NS || since_ns < -JL_SCALE_MOST_NS) {
        damage(walk, "a time is out of range");
        since_ns = 0;
    }
    recent->at_ns = before->at_ns + since_ns;
    if (recent->at_ns > JL_SCALE_MOST_NS || recent->at_ns < -JL_SCALE_MOST_NS) {
        damage(walk, "a time is out of range");
        recent->at_ns = 0;
    }
    if (recent->has_tflops)
        walk_double(walk, &recent->tflops);
    if (recent->has_vram)
        walk_double(walk, &recent->vram_bytes);
    if (is_same_limit)
        recent->tflops_limit = before->tflops_limit;
    else
        walk_double(walk, &recent->tflops_limit);
    walk_u32(walk, &recent->worker,
             scaler->worker_count > 0 ? (uint32_t)scaler->worker_count - 1 : 0);
    if (scaler->worker_count == 0)
        damage(walk, "a sample has no worker");
}

static void walk_recent(struct walk *walk, struct jl_scale_engine *scaler)
{
    struct jl_recent before = { 0 };
    size_t count = scaler->recent_count;
    walk_count(walk, &count, JL_AUTOSCALE_MOST_RECENT);
    if (is_reading(walk) && count > 0) {
        scaler->recent = jl_calloc(count, sizeof *scaler->recent);
        if (scaler->recent == NULL) {
            walk->is_out_of_memory = true;
            return;
        }
        scaler->recent_room = count;
    }
    for (size_t i = 0; i < count && !is_over(walk); i++) {
        walk_recent_one(walk, scaler, &scaler->recent[i], &before);
        before = scaler->recent[i];
    }
    scaler->recent_count = count;
}

static void walk_histogram(struct walk *walk, struct jl_histogram *histogram)
{
    uint32_t first = 0;
    uint32_t beyond = JL_HISTOGRAM_BUCKETS;
    while (!is_reading(walk) && first < beyond && histogram->weights[first] == 0)
        first++;
    while (!is_reading(walk) && first < beyond && histogram->weights[beyond - 1] == 0)
        beyond--;
    WALK_FLAGS(walk, &histogram->has_ref);
    walk_i64(walk, &histogram->ref_ns);
    walk_double(walk, &histogram->total);
    walk_u32(walk, &first, JL_HISTOGRAM_BUCKETS);
    walk_u32(walk, &beyond, JL_HISTOGRAM_BUCKETS);
    for (uint32_t i = first; i < beyond; i++)
        walk_double(walk, &histogram->weights[i]);
    if (is_reading(walk))
        jl_histogram_settle(histogram);
}

static void walk_bins(struct walk *walk, struct jl_usage_series *series)
{
    WALK_FLAGS(walk, &series->has_any);
    if (!series->has_any)
        return;
    const bool is_in = is_reading(walk);
    int64_t newest = series->newest;
    walk_i64(walk, &newest);
    if (newest > JL_SCALE_MOST_NS / series->bin_ns + 1 ||
        newest < -JL_SCALE_MOST_NS / series->bin_ns - 1) {
        damage(walk, "a bin is out of range");
        newest = 0;
    }
    if (is_in)
        series->has_any = false; /* the first bin that is put begins it */
    for (int64_t bin = newest - (int64_t)series->capacity + 1; bin <= newest && !is_over(walk);
         bin++) {
        struct jl_series_bin one = { 0 };
        if (!is_in)
            one = jl_usage_series_get(series, bin);
        walk_u32(walk, &one.workers, UINT32_MAX);
        if (one.workers > 0)
            walk_double(walk, &one.value);
        if (is_in)
            jl_usage_series_put(series, bin, &one);
    }
}

static void walk_open(struct walk *walk, struct jl_scale_engine *scaler, enum jl_usage usage)
{
    for (size_t i = 0; i < scaler->worker_count && !is_over(walk); i++) {
        struct jl_series_worker *open = &scaler->workers[i].open[usage];
        walk_u32(walk, &open->samples, UINT32_MAX);
        if (open->samples == 0) {
            if (is_reading(walk))
                *open = (struct jl_series_worker){ 0 };
            continue;
        }
        walk_i64(walk, &open->bin);
        walk_double(walk, &open->sum);
    }
}

static void walk_series(struct walk *walk, struct jl_scale_engine *scaler,
                        enum jl_memory_layer layer, enum jl_usage usage)
{
    struct jl_layer_memory *memory = scaler->memories[layer];
    struct jl_usage_series *series = &memory->series[usage];
    bool has_series = memory->bins[usage] != NULL;
    bool is_mean = has_series && series->kind == JL_SERIES_MEAN;
    struct jl_series_shape shape = { .bin_ns = series->bin_ns, .bins = series->capacity };
    WALK_FLAGS(walk, &has_series, &is_mean);
    if (!has_series)
        return;
    walk_time(walk, &shape.bin_ns);
    walk_u32(walk, &shape.bins, JL_SERIES_MOST_BINS);
    if (is_reading(walk)) {
        if (shape.bins == 0 || shape.bin_ns <= 0)
            damage(walk, "a series has no bins");
        if (is_mean != (layer == JL_MEMORY_REQUESTS))
            damage(walk, "a series is of another layer");
        if (is_over(walk))
            return;
        if (jl_memory_series(scaler, layer, usage, &shape) < 0) {
            walk->is_out_of_memory = true;
            return;
        }
        if (series->bin_ns != shape.bin_ns)
            damage(walk, "a series has bins that are too short");
    }
    walk_bins(walk, series);
    if (is_mean)
        walk_open(walk, scaler, usage);
}

static void walk_memory(struct walk *walk, struct jl_scale_engine *scaler, size_t which)
{
    bool has_memory = scaler->memories[which] != NULL;
    int64_t half_life_ns = has_memory ? scaler->memories[which]->half_life_ns : 0;
    WALK_FLAGS(walk, &has_memory);
    if (!has_memory)
        return;
    walk_time(walk, &half_life_ns);
    if (is_reading(walk)) {
        if (half_life_ns <= 0)
            damage(walk, "a half-life is not positive");
        if (is_over(walk))
            return;
        scaler->memories[which] = jl_memory_new(half_life_ns);
        if (scaler->memories[which] == NULL) {
            walk->is_out_of_memory = true;
            return;
        }
    }
    struct jl_layer_memory *memory = scaler->memories[which];
    WALK_FLAGS(walk, &memory->confidence.has_any);
    walk_time(walk, &memory->confidence.first_ns);
    walk_time(walk, &memory->confidence.last_ns);
    walk_double(walk, &memory->confidence.minutes);
    for (unsigned u = 0; u < JL_USAGES && !is_over(walk); u++) {
        walk_histogram(walk, &memory->histograms[u]);
        walk_series(walk, scaler, (enum jl_memory_layer)which, (enum jl_usage)u);
    }
}

static void walk_all(struct walk *walk, struct jl_scale_engine *scaler)
{
    walk_head(walk, scaler);
    walk_replicas(walk, &scaler->replicas);
    if (!is_over(walk))
        walk_workers(walk, scaler);
    if (!is_over(walk))
        walk_recent(walk, scaler);
    for (size_t i = 0; i < JL_MEMORIES && !is_over(walk); i++)
        walk_memory(walk, scaler, i);
}

/* ---- the calls ---- */

int jl_scale_engine_save(const struct jl_scale_engine *scaler, struct jl_buffer *out)
{
    struct walk walk = { .out = out };
    uint64_t version = STATE_VERSION;
    struct jl_scale_engine copy = *scaler; /* shares what it points to; writing changes nothing */
    walk_u64(&walk, &version);
    walk_all(&walk, &copy);
    return jl_buffer_code(out);
}

int jl_scale_engine_restore(struct jl_scale_engine *scaler, const void *bytes, size_t len,
                            struct joulie_error *err)
{
    struct walk walk = { .at = bytes, .end = (const unsigned char *)bytes + len };
    uint64_t version = 0;
    walk_u64(&walk, &version);
    if (walk.problem == NULL && version > STATE_VERSION)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "", "the state was saved by a newer version");
    if (walk.problem == NULL && version != STATE_VERSION)
        damage(&walk, "its version is unknown");
    struct jl_scale_engine *fresh = jl_scale_engine_new();
    if (fresh == NULL)
        return jl_fail_memory(err);
    walk_all(&walk, fresh);
    if (!is_over(&walk) && walk.at != walk.end)
        damage(&walk, "something follows it");
    if (is_over(&walk)) {
        jl_scale_engine_free(fresh);
        return walk.is_out_of_memory
                   ? jl_fail_memory(err)
                   : jl_fail(err, JOULIE_E_PARSE, "", "the state is damaged: %s", walk.problem);
    }
    const struct jl_scale_engine old = *scaler;
    *scaler = *fresh;
    *fresh = old;
    jl_scale_engine_free(fresh);
    return 0;
}
