/* SPDX-License-Identifier: Apache-2.0 */
/* histogram: buckets and percentiles of the autoscaler's statistics (tensor-fusion.md §7.3, §7.4,
 * §11 no. 4). */
#include "autoscale/histogram.h"

#include <math.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "autoscale/peaks.h"
#include "base/error.h"
#include "base/map.h"

#define NS_PER_S 1e9
#define MOST_S 9e9 /* about the last second that 2^63 ns can tell */
#define MOST_PERCENT 100.0

/* 0 is no kind; the others are one more than enum jl_usage. */
static const struct jl_word kind_words[] = {
    { JL_USAGE_TFLOPS + 1, "tflops" },
    { JL_USAGE_VRAM + 1, "vram" },
};
static const struct jl_words kinds = JL_WORDS(kind_words);

struct sample_in {
    uint64_t has;
    double t_s;
    double value;
    double weight;
    const char *worker;
};

enum { SAMPLE_T, SAMPLE_VALUE, SAMPLE_WEIGHT, SAMPLE_WORKER };

static const struct jl_row sample_rows[] = {
    [SAMPLE_T] =
        JL_NUMBER(sample_in, t_s, "t", .flags = JL_REQUIRED | JL_HAS_MIN | JL_HAS_MAX,
                  .min = -MOST_S, .max = MOST_S, .doc = "Time in seconds since the Unix epoch."),
    [SAMPLE_VALUE] = JL_NUMBER(sample_in, value, "value", .flags = JL_REQUIRED | JL_NOT_NEGATIVE,
                               .doc = "Usage in TFLOPS or bytes."),
    [SAMPLE_WEIGHT] = JL_NUMBER(sample_in, weight, "weight", .flags = JL_NOT_NEGATIVE | JL_HAS_MAX,
                                .max = JL_HISTOGRAM_MOST_WEIGHT,
                                .doc = "How much it counts; default 1, a peak always counts 1."),
    [SAMPLE_WORKER] =
        JL_STRING(sample_in, worker, "worker", .doc = "Name of the worker; needed with peaks."),
};
static const struct jl_table sample_table = JL_TABLE(sample_in, sample_rows);

struct histogram_in {
    uint64_t has;
    int kind;
    struct jl_list values; /* doubles */
    double half_life_s;
    struct jl_list samples;     /* struct sample_in */
    struct jl_list percentiles; /* doubles */
    bool peaks;
};

enum { IN_KIND, IN_VALUES, IN_HALF_LIFE, IN_SAMPLES, IN_PERCENTILES, IN_PEAKS };

static const struct jl_row in_rows[] = {
    [IN_KIND] = JL_ENUM(histogram_in, kind, "kind", &kinds, .flags = JL_REQUIRED,
                        .doc = "What is measured, TFLOPS or bytes."),
    [IN_VALUES] = JL_NUMBERS(histogram_in, values, "values",
                             .doc = "Values whose buckets are asked for, TFLOPS or bytes."),
    [IN_HALF_LIFE] =
        JL_NUMBER(histogram_in, half_life_s, "halfLifeS",
                  .flags = JL_HAS_MIN | JL_EXCLUSIVE_MIN | JL_HAS_MAX, .min = 0, .max = MOST_S,
                  .doc = "Seconds after which a sample counts half; needed with samples."),
    [IN_SAMPLES] = JL_LIST(histogram_in, samples, "samples", &sample_table,
                           .doc = "Measurements in the order in which they came."),
    [IN_PERCENTILES] = JL_NUMBERS(histogram_in, percentiles, "percentiles",
                                  .doc = "Percentiles that are asked for, 0…100."),
    [IN_PEAKS] = JL_BOOLEAN(histogram_in, peaks, "peaks",
                            .doc = "Only the peak of each worker's 24 hours counts."),
};
static const struct jl_table in_table = JL_TABLE(histogram_in, in_rows);

struct bucket_out {
    uint64_t has;
    int64_t index;
    double start;
    double end;
};

enum { BUCKET_INDEX, BUCKET_START, BUCKET_END };

static const struct jl_row bucket_rows[] = {
    [BUCKET_INDEX] = JL_INTEGER(bucket_out, index, "index", .doc = "Number of the bucket, from 0."),
    [BUCKET_START] = JL_NUMBER(bucket_out, start, "start", .doc = "Smallest value in it."),
    [BUCKET_END] = JL_NUMBER(bucket_out, end, "end",
                             .doc = "Start of the next one; absent for the last bucket."),
};
static const struct jl_table bucket_table = JL_TABLE(bucket_out, bucket_rows);

struct histogram_out {
    uint64_t has;
    struct jl_list buckets;     /* struct bucket_out */
    struct jl_list percentiles; /* doubles */
};

enum { OUT_BUCKETS, OUT_PERCENTILES };

static const struct jl_row out_rows[] = {
    [OUT_BUCKETS] = JL_LIST(histogram_out, buckets, "buckets", &bucket_table,
                            .doc = "Bucket of each value, in order."),
    [OUT_PERCENTILES] = JL_NUMBERS(histogram_out, percentiles, "percentiles",
                                   .doc = "The percentiles in order; 0 without samples."),
};
static const struct jl_table out_table = JL_TABLE(histogram_out, out_rows);

/* Each number of a list lies between 0 and most. */
static int check_numbers(struct jl_ask *ask, const struct jl_list *list, const char *key,
                         double most)
{
    const struct jl_path list_at = { .key = jl_text(key) };
    for (size_t i = 0; i < list->count; i++) {
        const double value = JL_NUMBER_ITEM(*list, i);
        const struct jl_path at = { .up = &list_at, .index = i };
        if (value < 0 || value > most)
            return jl_decode_fail(ask->decode, JOULIE_E_RANGE, &at, SIZE_MAX, "%g is out of bounds",
                                  value);
    }
    return 0;
}

/* ---- buckets ---- */

static int put_buckets(struct jl_ask *ask, const struct histogram_in *in, struct histogram_out *out)
{
    const enum jl_usage usage = (enum jl_usage)(in->kind - 1);
    const size_t count = in->values.count;
    struct bucket_out *buckets = JL_NEW_ARRAY(ask->arena, count, struct bucket_out);
    const int rc = check_numbers(ask, &in->values, "values", (double)INFINITY);
    if (rc < 0)
        return rc;
    if (buckets == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        const unsigned index = jl_histogram_bucket(usage, JL_NUMBER_ITEM(in->values, i));
        JL_PUT(&buckets[i], BUCKET_INDEX, index, index);
        JL_PUT(&buckets[i], BUCKET_START, start, jl_histogram_start(usage, index));
        if (index + 1 < JL_HISTOGRAM_BUCKETS)
            JL_PUT(&buckets[i], BUCKET_END, end, jl_histogram_start(usage, index + 1));
    }
    JL_PUT(out, OUT_BUCKETS, buckets, ((struct jl_list){ buckets, count }));
    return 0;
}

/* ---- percentiles ---- */

static int64_t to_ns(double s)
{
    return (int64_t)floor(s * NS_PER_S + 0.5);
}

static void add_samples(struct jl_histogram *histogram, const struct jl_list *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample_in *sample = JL_ITEM(*samples, sample_in, i);
        const double weight = JL_HAS(sample, SAMPLE_WEIGHT) ? sample->weight : 1;
        jl_histogram_add(histogram, sample->value, weight, to_ns(sample->t_s));
    }
}

/* peaks: room for as many workers as there are samples */
static int add_peaks(struct jl_ask *ask, struct jl_histogram *histogram,
                     const struct jl_list *samples, struct jl_peak *peaks)
{
    const enum jl_peak_rules rules =
        jl_is_model(ask, "v2.17.1") ? JL_PEAKS_V2_17_1 : JL_PEAKS_CURRENT;
    const struct jl_path list_at = { .key = jl_text("samples") };
    JL_CLEANUP(jl_index_clear) struct jl_index workers = { 0 };
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample_in *sample = JL_ITEM(*samples, sample_in, i);
        const struct jl_path sample_at = { .up = &list_at, .index = i };
        const struct jl_path at = { .up = &sample_at, .key = jl_text("worker") };
        size_t worker = workers.count;
        if (!JL_HAS(sample, SAMPLE_WORKER))
            return jl_decode_fail(ask->decode, JOULIE_E_REQUIRED, &at, SIZE_MAX,
                                  "peaks are counted for each worker");
        if (!jl_index_get(&workers, sample->worker, &worker) &&
            jl_index_set(&workers, sample->worker, worker) < 0)
            return jl_fail_memory(ask->err);
        jl_peak_add(histogram, &peaks[worker], sample->value, to_ns(sample->t_s), rules);
    }
    return 0;
}

static int put_percentiles(struct jl_ask *ask, const struct histogram_in *in,
                           struct histogram_out *out)
{
    const size_t count = in->percentiles.count;
    double *percentiles = JL_NEW_ARRAY(ask->arena, count, double);
    struct jl_peak *peaks = JL_NEW_ARRAY(ask->arena, in->samples.count, struct jl_peak);
    struct jl_histogram histogram;
    if (percentiles == NULL || peaks == NULL)
        return jl_fail_memory(ask->err);
    int rc = check_numbers(ask, &in->percentiles, "percentiles", MOST_PERCENT);
    if (rc < 0)
        return rc;
    jl_histogram_init(&histogram, (enum jl_usage)(in->kind - 1), to_ns(in->half_life_s));
    if (in->peaks)
        rc = add_peaks(ask, &histogram, &in->samples, peaks);
    else
        add_samples(&histogram, &in->samples);
    for (size_t i = 0; i < count; i++)
        percentiles[i] =
            jl_histogram_percentile(&histogram, JL_NUMBER_ITEM(in->percentiles, i) / MOST_PERCENT);
    JL_PUT(out, OUT_PERCENTILES, percentiles, ((struct jl_list){ percentiles, count }));
    return rc;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct histogram_in *in = input;
    const bool has_samples = JL_HAS(in, IN_SAMPLES) || !JL_HAS(in, IN_VALUES);
    int rc = 0;
    if (JL_HAS(in, IN_VALUES))
        rc = put_buckets(ask, in, output);
    if (rc == 0 && has_samples)
        rc = jl_ask_require(ask, &in_table, in, IN_SAMPLES);
    if (rc == 0 && has_samples)
        rc = jl_ask_require(ask, &in_table, in, IN_HALF_LIFE);
    if (rc == 0 && has_samples)
        rc = put_percentiles(ask, in, output);
    return rc;
}

static const char *const models[] = { "current", "v2.17.1", NULL };

const struct jl_question jl_question_histogram = {
    .name = "histogram",
    .summary = "Buckets and decaying percentiles of GPU usage",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
