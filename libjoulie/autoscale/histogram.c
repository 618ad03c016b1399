/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Weights in exponential buckets that halve with every half-life
 * (docs/rules/autoscaling-statistics.md#histograms). The starts of the buckets are computed
 * by make_histogram_table.py when the library is built. Below them the peaks of VRAM, which enter
 * as samples, and for how many days samples speak.
 */

#include "autoscale/histogram.h"

#include <string.h>

#include "autoscale/histogram_table.h"
#include "base/elementary.h"

#define LAST_BUCKET (JL_HISTOGRAM_BUCKETS - 1)
/* A reference older than this many half-lives moves. */
#define REF_HALF_LIVES 100
/* What is older than this many half-lives is forgotten: 2^-1022 of any weight is below epsilon. */
#define MOST_HALVINGS 1022
/* Of the whole weight, so that the order in which it was summed does not matter. */
#define THRESHOLD_SLACK 1e-9

/* ---- buckets ---- */

/* 0.05 / f */
static double scale_of(enum jl_usage usage)
{
    return usage == JL_USAGE_TFLOPS ? 0.5 : 5e-9;
}

double jl_histogram_start(enum jl_usage usage, unsigned bucket)
{
    return jl_histogram_starts[usage][bucket];
}

/*
 * The cell comes from exponent and highest bits of the scaled value. That value is rounded, but no
 * bucket starts within 10^-6 of where a cell begins, so the cell next to it gives the same answer.
 */
unsigned jl_histogram_bucket(enum jl_usage usage, double value)
{
    const double *starts = jl_histogram_starts[usage];
    if (!(value >= starts[1]))
        return 0;
    if (value >= starts[LAST_BUCKET])
        return LAST_BUCKET;
    const double scaled = value * scale_of(usage) + 1;
    uint64_t bits = 0;
    memcpy(&bits, &scaled, sizeof bits);
    const unsigned cell = (unsigned)((bits >> (52 - JL_HISTOGRAM_CELL_BITS)) -
                                     (UINT64_C(1023) << JL_HISTOGRAM_CELL_BITS));
    const unsigned bucket = jl_histogram_cells[cell];
    return bucket + (value >= starts[bucket + 1]);
}

/* ---- time ---- */

/* at_ns = number * half-life + rest, 0 <= rest < half-life */
struct phase {
    int64_t number;
    int64_t rest;
};

static struct phase phase_of(int64_t at_ns, int64_t half_life_ns)
{
    const int64_t rest = at_ns % half_life_ns;
    const int64_t number = at_ns / half_life_ns;
    if (rest < 0)
        return (struct phase){ number - 1, rest + half_life_ns };
    return (struct phase){ number, rest };
}

/* a - b, at an end of the range where it does not fit. */
static int64_t difference(int64_t a, int64_t b)
{
    int64_t result = 0;
    if (__builtin_sub_overflow(a, b, &result))
        return a < b ? INT64_MIN : INT64_MAX;
    return result;
}

static void find_ends(struct jl_histogram *h)
{
    uint32_t first = 0;
    uint32_t last = LAST_BUCKET;
    while (first < JL_HISTOGRAM_BUCKETS && !(h->weights[first] >= JL_HISTOGRAM_EPSILON))
        first++;
    while (last > 0 && !(h->weights[last] >= JL_HISTOGRAM_EPSILON))
        last--;
    h->first = first; /* JL_HISTOGRAM_BUCKETS when all are empty, then last is 0 */
    h->last = last;
}

/* Multiplies all weights by 2^-halvings: exact, so that percentiles do not notice. */
static void halve(struct jl_histogram *h, int64_t halvings)
{
    const double factor = halvings <= MOST_HALVINGS ? jl_exp2(-(double)halvings) : 0;
    for (size_t i = 0; i < JL_HISTOGRAM_BUCKETS; i++)
        h->weights[i] *= factor;
    h->total *= factor;
    h->phase_factor = 0;
    find_ends(h);
}

/* The reference becomes the multiple of the half-life that is nearest, half up. */
static void move_ref(struct jl_histogram *h, struct phase at)
{
    const int64_t half_life_ns = h->half_life_ns;
    const int64_t old = h->ref_ns / half_life_ns;
    int64_t number = at.number + (at.rest >= half_life_ns - at.rest);
    int64_t ref_ns = 0;
    if (__builtin_mul_overflow(number, half_life_ns,
                               &ref_ns)) { /* the one on the other side does */
        number += number > 0 ? -1 : 1;
        ref_ns = number * half_life_ns;
    }
    if (h->has_ref)
        halve(h, difference(number, old));
    h->ref_ns = ref_ns;
    h->has_ref = true;
}

static double decay_in_other_phase(struct jl_histogram *h, int64_t at_ns)
{
    const struct phase at = phase_of(at_ns, h->half_life_ns);
    int64_t halvings = difference(at.number, h->ref_ns / h->half_life_ns);
    if (!h->has_ref || halvings > REF_HALF_LIVES || (halvings == REF_HALF_LIVES && at.rest > 0)) {
        move_ref(h, at);
        halvings = difference(at.number, h->ref_ns / h->half_life_ns);
    }
    const double factor = halvings >= -MOST_HALVINGS ? jl_exp2((double)halvings) : 0;
    h->phase_start = (uint64_t)at_ns - (uint64_t)at.rest;
    h->phase_factor = halvings < REF_HALF_LIVES ? factor : 0; /* a later one moves the reference */
    return jl_exp2((double)at.rest * h->per_half_life) * factor;
}

/* 2^((at_ns - ref_ns) / half-life). Its whole part is exact: the same samples give the same result
 * wherever the reference stands. */
static double decay(struct jl_histogram *h, int64_t at_ns)
{
    const uint64_t rest = (uint64_t)at_ns - h->phase_start;
    if (h->phase_factor == 0 || rest >= (uint64_t)h->half_life_ns)
        return decay_in_other_phase(h, at_ns);
    return jl_exp2((double)rest * h->per_half_life) * h->phase_factor;
}

/* ---- weights ---- */

void jl_histogram_init(struct jl_histogram *h, enum jl_usage usage, int64_t half_life_ns)
{
    *h = (struct jl_histogram){ .usage = usage,
                                .half_life_ns = half_life_ns > 0 ? half_life_ns : 1 };
    jl_histogram_settle(h);
}

void jl_histogram_settle(struct jl_histogram *h)
{
    h->per_half_life = 1 / (double)h->half_life_ns;
    h->phase_factor = 0;
    find_ends(h);
}

static bool is_weight(double weight)
{
    return weight > 0 && weight <= JL_HISTOGRAM_MOST_WEIGHT;
}

void jl_histogram_add(struct jl_histogram *h, double value, double weight, int64_t at_ns)
{
    if (!is_weight(weight))
        return;
    const unsigned bucket = jl_histogram_bucket(h->usage, value);
    const double added = weight * decay(h, at_ns);
    const double sum = h->weights[bucket] + added;
    h->weights[bucket] = sum;
    h->total += added;
    if (sum >= JL_HISTOGRAM_EPSILON) {
        h->first = bucket < h->first ? bucket : h->first;
        h->last = bucket > h->last ? bucket : h->last;
    }
}

static double left_over(double from, double taken)
{
    const double left = from - taken;
    return left >= JL_HISTOGRAM_EPSILON ? left : 0;
}

void jl_histogram_subtract(struct jl_histogram *h, double value, double weight, int64_t at_ns)
{
    if (!is_weight(weight))
        return;
    const unsigned bucket = jl_histogram_bucket(h->usage, value);
    const double taken = weight * decay(h, at_ns);
    h->weights[bucket] = left_over(h->weights[bucket], taken);
    h->total = left_over(h->total, taken);
    if (h->weights[bucket] == 0)
        find_ends(h);
}

/* ---- percentiles ---- */

bool jl_histogram_is_empty(const struct jl_histogram *h)
{
    return h->first > h->last;
}

double jl_histogram_percentile(const struct jl_histogram *h, double fraction)
{
    if (jl_histogram_is_empty(h))
        return 0;
    const double threshold = fraction * h->total - THRESHOLD_SLACK * h->total;
    unsigned bucket = h->first;
    double sum = h->weights[bucket];
    while (bucket < h->last && !(sum >= threshold))
        sum += h->weights[++bucket];
    return jl_histogram_starts[h->usage][bucket < LAST_BUCKET ? bucket + 1 : LAST_BUCKET];
}

/* ---- peaks of VRAM ---- */

/* The end of the window that at_ns is in, counted on from the end of the last one. */
static int64_t next_end(int64_t end_ns, int64_t at_ns)
{
    int64_t since_ns = 0;
    int64_t next_ns = 0;
    if (__builtin_sub_overflow(at_ns, end_ns, &since_ns))
        return INT64_MAX;
    const int64_t whole_ns = since_ns - since_ns % JL_PEAK_WINDOW_NS;
    if (__builtin_add_overflow(end_ns + whole_ns, JL_PEAK_WINDOW_NS, &next_ns))
        return INT64_MAX;
    return next_ns;
}

void jl_peak_add(struct jl_histogram *h, struct jl_peak *peak, double bytes, int64_t at_ns,
                 enum jl_peak_rules rules)
{
    const bool is_inside = peak->is_open && at_ns < peak->end_ns;
    if (is_inside && !(bytes > peak->value))
        return;
    if (is_inside) {
        jl_histogram_subtract(h, peak->value, JL_PEAK_WEIGHT, peak->end_ns);
    } else {
        peak->end_ns = next_end(peak->is_open ? peak->end_ns : at_ns, at_ns);
        peak->is_open = true;
    }
    peak->value = bytes;
    jl_histogram_add(h, bytes, JL_PEAK_WEIGHT, rules == JL_PEAKS_CURRENT ? peak->end_ns : at_ns);
}

/* ---- confidence ---- */

#define SHORTEST_S 1.0 /* that one sample speaks for */
#define LONGEST_S 300.0
#define S_PER_MINUTE 60.0
#define MINUTES_PER_DAY 1440.0
#define NS_PER_S 1e9
#define NS_PER_DAY 86400e9

double jl_sample_minutes(int64_t since_ns)
{
    const double since_s = (double)since_ns / NS_PER_S;
    if (since_s <= SHORTEST_S)
        return SHORTEST_S / S_PER_MINUTE;
    return (since_s < LONGEST_S ? since_s : LONGEST_S) / S_PER_MINUTE;
}

void jl_confidence_add(struct jl_confidence *confidence, double minutes, int64_t at_ns)
{
    if (!confidence->has_any || at_ns < confidence->first_ns)
        confidence->first_ns = at_ns;
    if (!confidence->has_any || at_ns > confidence->last_ns)
        confidence->last_ns = at_ns;
    confidence->has_any = true;
    confidence->minutes += minutes;
}

double jl_confidence_days(const struct jl_confidence *confidence)
{
    const uint64_t span_ns = (uint64_t)confidence->last_ns - (uint64_t)confidence->first_ns;
    const double span_days = (double)span_ns / NS_PER_DAY;
    const double covered_days = confidence->minutes / MINUTES_PER_DAY;
    return span_days < covered_days ? span_days : covered_days;
}
