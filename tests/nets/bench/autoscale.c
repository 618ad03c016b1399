/* SPDX-License-Identifier: Apache-2.0 */

/* The autoscaler's statistics beside the same written down plainly: a logarithm for each sample, a
 * power for each bucket's bounds, every weight's decay from the start. */

#include <math.h>
#include <stdlib.h>

#include "autoscale/forecast.h"
#include "autoscale/histogram.h"
#include "base/random.h"
#include "bench/bench.h"

#define SAMPLES 65536
#define HISTOGRAMS 256
#define ASKED 4096
#define SERIES 64
#define HOUR_NS INT64_C(3600000000000)
#define HALF_LIFE_NS (12 * HOUR_NS)
#define NOW_NS INT64_C(1773403200000000000) /* 2026-03-13T12:00:00Z */
#define RATIO 1.05
#define FIRST_TFLOPS 0.1

struct sample {
    double value;
    double weight;
    int64_t at_ns;
};

struct plain {
    int64_t ref_ns;
    double total;
    double weights[JL_HISTOGRAM_BUCKETS];
};

struct statistics {
    struct sample samples[SAMPLES];
    struct jl_histogram ours[HISTOGRAMS];
    struct plain plain[HISTOGRAMS];
    double fractions[ASKED];
    double series[SERIES][1440]; /* a day of minutes */
};

/* ---- the plain way ---- */

static unsigned plain_bucket(double value)
{
    if (value < FIRST_TFLOPS)
        return 0;
    const double bucket = floor(log(value * (RATIO - 1) / FIRST_TFLOPS + 1) / log(RATIO));
    return bucket < JL_HISTOGRAM_BUCKETS - 1 ? (unsigned)bucket : JL_HISTOGRAM_BUCKETS - 1;
}

static double plain_start(unsigned bucket)
{
    return FIRST_TFLOPS * (pow(RATIO, bucket) - 1) / (RATIO - 1);
}

static void plain_add(struct plain *h, const struct sample *sample)
{
    const double age = (double)(sample->at_ns - h->ref_ns) / (double)HALF_LIFE_NS;
    const double weight = sample->weight * exp2(age);
    h->weights[plain_bucket(sample->value)] += weight;
    h->total += weight;
}

static double plain_percentile(const struct plain *h, double fraction)
{
    const double threshold = fraction * h->total - 1e-9 * h->total;
    double sum = 0;
    unsigned first = 0;
    unsigned last = JL_HISTOGRAM_BUCKETS - 1;
    while (first < last && h->weights[first] < JL_HISTOGRAM_EPSILON)
        first++;
    while (last > first && h->weights[last] < JL_HISTOGRAM_EPSILON)
        last--;
    for (; first < last; first++) {
        sum += h->weights[first];
        if (sum >= threshold)
            break;
    }
    return plain_start(first + 1 < JL_HISTOGRAM_BUCKETS ? first + 1 : first);
}

/* ---- figures ---- */

/* Both ways give the same bucket; its end is a rounded power for one of them. */
static uint64_t mix_value(uint64_t sum, double value)
{
    const int64_t rounded = (int64_t)(value * 1e6 + 0.5);
    return bench_mix(sum, &rounded, sizeof rounded);
}

static uint64_t add_ours(void *state)
{
    struct statistics *s = state;
    struct jl_histogram h;
    jl_histogram_init(&h, JL_USAGE_TFLOPS, HALF_LIFE_NS);
    for (size_t i = 0; i < SAMPLES; i++)
        jl_histogram_add(&h, s->samples[i].value, s->samples[i].weight, s->samples[i].at_ns);
    uint64_t sum = 0;
    for (size_t i = 0; i <= 100; i++)
        sum = mix_value(sum, jl_histogram_percentile(&h, (double)i / 100));
    return sum;
}

static uint64_t add_plain(void *state)
{
    struct statistics *s = state;
    struct plain h = { .ref_ns = s->samples[0].at_ns / HALF_LIFE_NS * HALF_LIFE_NS };
    for (size_t i = 0; i < SAMPLES; i++)
        plain_add(&h, &s->samples[i]);
    uint64_t sum = 0;
    for (size_t i = 0; i <= 100; i++)
        sum = mix_value(sum, plain_percentile(&h, (double)i / 100));
    return sum;
}

static uint64_t percentile_ours(void *state)
{
    struct statistics *s = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < ASKED; i++)
        sum = mix_value(sum, jl_histogram_percentile(&s->ours[i % HISTOGRAMS], s->fractions[i]));
    return sum;
}

static uint64_t percentile_plain(void *state)
{
    struct statistics *s = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < ASKED; i++)
        sum = mix_value(sum, plain_percentile(&s->plain[i % HISTOGRAMS], s->fractions[i]));
    return sum;
}

static uint64_t forecast_ours(void *state)
{
    struct statistics *s = state;
    double seasonal[144];
    uint64_t sum = 0;
    for (size_t i = 0; i < SERIES; i++) {
        struct jl_forecast result = { 0 };
        jl_forecast(JL_FORECAST_HOLT_WINTERS, s->series[i], 1440, 144, 6, seasonal, NULL, &result);
        sum = bench_mix_number(sum, result.used);
    }
    return sum;
}

/* Workloads of every size, busy for an hour and idle for an hour. */
static void make_samples(struct jl_random *random, struct statistics *s)
{
    int64_t at_ns = NOW_NS;
    for (size_t i = 0; i < SAMPLES; i++) {
        const double size = exp(jl_random_range(random, -1, 7));
        s->samples[i] = (struct sample){ size, jl_random_range(random, 0.02, 5), at_ns };
        at_ns += jl_random_int(random, 0, 120 * INT64_C(1000000000));
    }
    for (size_t i = 0; i < HISTOGRAMS; i++) {
        const double middle = jl_random_range(random, -1, 6);
        const double width = jl_random_range(random, 0.2, 3);
        jl_histogram_init(&s->ours[i], JL_USAGE_TFLOPS, HALF_LIFE_NS);
        s->plain[i] = (struct plain){ .ref_ns = NOW_NS / HALF_LIFE_NS * HALF_LIFE_NS };
        for (int j = 0; j < 500; j++) {
            const struct sample sample = { exp(middle + width * jl_random_range(random, -1, 1)),
                                           0.5, NOW_NS + j * 60 * INT64_C(1000000000) };
            jl_histogram_add(&s->ours[i], sample.value, sample.weight, sample.at_ns);
            plain_add(&s->plain[i], &sample);
        }
    }
    for (size_t i = 0; i < ASKED; i++)
        s->fractions[i] = (double)jl_random_int(random, 50, 99) / 100;
}

static void make_series(struct jl_random *random, struct statistics *s)
{
    for (size_t i = 0; i < SERIES; i++) {
        for (size_t t = 0; t < 1440; t++)
            s->series[i][t] = 50 + 20 * sin((double)t * 0.0436332) + 5 * jl_random_unit(random);
    }
}

int bench_autoscale(const struct bench_options *options)
{
    struct jl_random random = { 42 };
    struct statistics *s = malloc(sizeof *s);
    if (s == NULL)
        return 1;
    make_samples(&random, s);
    make_series(&random, s);
    const struct bench_figure figures[] = {
        { "autoscale.add", "ns", 1, SAMPLES, s, { "ours", add_ours }, { "log, exp2", add_plain } },
        { "autoscale.percentile",
          "ns",
          1,
          ASKED,
          s,
          { "ours", percentile_ours },
          { "pow, whole table", percentile_plain } },
        { "autoscale.forecast", "us", 1e3, SERIES, s, { "ours", forecast_ours }, { NULL, NULL } },
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        rc |= bench_measure(&figures[i], options);
    free(s);
    return rc;
}
