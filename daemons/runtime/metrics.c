/* SPDX-License-Identifier: Apache-2.0 */

/* Families of metrics and their series, and their text for Prometheus
 * (docs/rules/programs.md#metrics). */

#include "runtime/metrics.h"

#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/text.h"

#define TOTAL "_total"

const double jd_seconds_buckets[] = { .005, .01, .025, .05, .1, .25,
                                      .5,   1,   2.5,  5,   10, JD_BUCKETS_END };

struct series {
    char *labels;     /* name="value",… as they are printed; also the key of the index */
    double value;     /* of a histogram: the sum */
    uint64_t *counts; /* of a histogram: one per bucket, then those above all of them */
};

struct family {
    const struct jd_family *about;
    size_t bucket_count;
    struct series *series;
    size_t series_count;
    size_t series_capacity;
    struct jl_index by_labels;
};

struct jd_metrics {
    struct family *families;
    size_t family_count;
    size_t family_capacity;
    struct jl_buffer key; /* the labels that are searched for */
    int64_t stamp_ms;     /* of the samples; 0 = when they are read */
};

struct jd_metrics *jd_metrics_new(void)
{
    return jl_calloc(1, sizeof(struct jd_metrics));
}

static void clear_series(struct series *series)
{
    jl_free(series->labels);
    jl_free(series->counts);
}

static void clear_family(struct family *family)
{
    for (size_t i = 0; i < family->series_count; i++)
        clear_series(&family->series[i]);
    family->series_count = 0;
    jl_index_clear(&family->by_labels);
}

void jd_metrics_free(struct jd_metrics *metrics)
{
    if (!metrics)
        return;
    for (size_t i = 0; i < metrics->family_count; i++) {
        clear_family(&metrics->families[i]);
        jl_free(metrics->families[i].series);
    }
    jl_free(metrics->families);
    jl_buffer_clear(&metrics->key);
    jl_free(metrics);
}

/* ---- labels ---- */

/* quote: whether " gets a backslash too. */
static void put_escaped(struct jl_buffer *out, const char *text, size_t len, bool quote)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\\' || (quote && text[i] == '"'))
            jl_put_char(out, '\\');
        if (text[i] == '\n')
            jl_put_string(out, "\\n");
        else
            jl_put_char(out, text[i]);
    }
}

/* A reader refuses the whole page for one byte that is no UTF-8. */
static void put_label(struct jl_buffer *out, const char *name, const char *value)
{
    jl_put_string(out, name);
    jl_put_string(out, "=\"");
    const size_t start = out->len;
    put_escaped(out, value, strlen(value), true);
    if (!out->is_failed && out->len > start) {
        out->len = start + jl_utf8_keep(out->data + start, out->len - start);
        out->data[out->len] = '\0';
    }
    jl_put_char(out, '"');
}

static size_t label_count(const struct jd_family *family)
{
    size_t count = 0;
    while (count < JD_MOST_LABELS && family->labels[count])
        count++;
    return count;
}

static const char *key_of(struct jl_buffer *key, const struct jd_family *family,
                          const char *const *values)
{
    const size_t count = label_count(family);
    jl_buffer_reset(key);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            jl_put_char(key, ',');
        put_label(key, family->labels[i], values && values[i] ? values[i] : "");
    }
    if (key->is_failed) {
        jl_buffer_clear(key);
        return NULL;
    }
    return key->len > 0 ? key->data : "";
}

/* Behind one pair and its comma. */
static const char *skip_pair(const char *pair)
{
    const char *c = strchr(pair, '"') + 1;
    while (*c != '"')
        c += *c == '\\' ? 2 : 1;
    return c[1] == ',' ? c + 2 : c + 1;
}

/* pair: name="value". */
static bool has_pair(const char *labels, const struct jl_buffer *pair)
{
    for (const char *at = labels; *at; at = skip_pair(at)) {
        if (strncmp(at, pair->data, pair->len) == 0)
            return true;
    }
    return false;
}

/* ---- series ---- */

static struct family *find_family(const struct jd_metrics *metrics, const struct jd_family *about)
{
    for (size_t i = 0; i < metrics->family_count; i++) {
        if (metrics->families[i].about == about)
            return &metrics->families[i];
    }
    return NULL;
}

static struct family *need_family(struct jd_metrics *metrics, const struct jd_family *about)
{
    struct family *found = find_family(metrics, about);
    if (found)
        return found;
    if (JL_GROW(&metrics->families, &metrics->family_capacity, metrics->family_count + 1) < 0)
        return NULL;
    struct family *family = &metrics->families[metrics->family_count++];
    *family = (struct family){ .about = about };
    if (about->type == JD_HISTOGRAM) {
        while (about->buckets[family->bucket_count] != JD_BUCKETS_END)
            family->bucket_count++;
    }
    return family;
}

static struct series *add_series(struct family *family, const char *labels)
{
    struct series series = { .labels = jl_strdup(labels) };
    if (family->about->type == JD_HISTOGRAM)
        series.counts = jl_calloc(family->bucket_count + 1, sizeof *series.counts);
    const bool has_memory =
        series.labels && (series.counts || family->about->type != JD_HISTOGRAM) &&
        JL_GROW(&family->series, &family->series_capacity, family->series_count + 1) == 0 &&
        jl_index_set(&family->by_labels, series.labels, family->series_count) == 0;
    if (!has_memory) {
        clear_series(&series);
        return NULL;
    }
    family->series[family->series_count] = series;
    return &family->series[family->series_count++];
}

static struct series *need_series(struct jd_metrics *metrics, const struct jd_family *about,
                                  const char *const *values, struct family **out_family)
{
    struct family *family = need_family(metrics, about);
    const char *labels = family ? key_of(&metrics->key, about, values) : NULL;
    size_t at = 0;
    if (!labels)
        return NULL;
    *out_family = family;
    return jl_index_get(&family->by_labels, labels, &at) ? &family->series[at]
                                                         : add_series(family, labels);
}

void jd_metric_add(struct jd_metrics *metrics, const struct jd_family *family,
                   const char *const *values, double by)
{
    struct family *found = NULL;
    struct series *series = need_series(metrics, family, values, &found);
    if (series && (family->type != JD_COUNTER || by >= 0))
        series->value += by;
}

void jd_metric_set(struct jd_metrics *metrics, const struct jd_family *family,
                   const char *const *values, double value)
{
    struct family *found = NULL;
    struct series *series = need_series(metrics, family, values, &found);
    if (series)
        series->value = value;
}

void jd_metric_observe(struct jd_metrics *metrics, const struct jd_family *family,
                       const char *const *values, double value)
{
    struct family *found = NULL;
    struct series *series = need_series(metrics, family, values, &found);
    if (!series || value != value)
        return;
    size_t bucket = 0;
    while (bucket < found->bucket_count && value > family->buckets[bucket])
        bucket++;
    series->counts[bucket]++;
    series->value += value;
}

static uint64_t count_of(const struct family *family, const struct series *series)
{
    uint64_t count = 0;
    for (size_t i = 0; i <= family->bucket_count; i++)
        count += series->counts[i];
    return count;
}

double jd_metric_get(const struct jd_metrics *metrics, const struct jd_family *family,
                     const char *const *values)
{
    const struct family *found = find_family(metrics, family);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer key = { 0 };
    const char *labels = found ? key_of(&key, family, values) : NULL;
    size_t at = 0;
    double value = 0;
    if (labels && jl_index_get(&found->by_labels, labels, &at)) {
        const struct series *series = &found->series[at];
        value = series->counts ? (double)count_of(found, series) : series->value;
    }
    return value;
}

/* The last one takes its place. */
static void remove_series(struct family *family, size_t at)
{
    struct series *series = &family->series[at];
    const struct series *last = &family->series[family->series_count - 1];
    jl_index_remove(&family->by_labels, series->labels);
    clear_series(series);
    family->series_count--;
    if (series == last)
        return;
    *series = *last;
    jl_index_set(&family->by_labels, series->labels, at); /* is there: needs no memory */
}

/* Every series of a family that has this pair; NULL = there is no such family. */
static void remove_with(struct family *family, const char *label, const char *value)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer pair = { 0 };
    put_label(&pair, label, value);
    for (size_t at = family && !pair.is_failed ? family->series_count : 0; at-- > 0;) {
        if (has_pair(family->series[at].labels, &pair))
            remove_series(family, at);
    }
}

void jd_metrics_forget(struct jd_metrics *metrics, const char *label, const char *value)
{
    for (size_t i = 0; i < metrics->family_count; i++)
        remove_with(&metrics->families[i], label, value);
}

void jd_metric_remove(struct jd_metrics *metrics, const struct jd_family *family,
                      const char *const *values)
{
    struct family *found = find_family(metrics, family);
    const char *labels = found ? key_of(&metrics->key, family, values) : NULL;
    size_t at = 0;
    if (labels && jl_index_get(&found->by_labels, labels, &at))
        remove_series(found, at);
}

void jd_metric_drop(struct jd_metrics *metrics, const struct jd_family *family, const char *first)
{
    remove_with(find_family(metrics, family), family->labels[0], first);
}

void jd_metrics_clear(struct jd_metrics *metrics, const struct jd_family *family)
{
    struct family *found = find_family(metrics, family);
    if (found)
        clear_family(found);
}

void jd_metrics_stamp(struct jd_metrics *metrics, int64_t at_ms)
{
    metrics->stamp_ms = at_ms;
}

/* ---- printing (docs/rules/programs.md#metrics) ---- */

struct page {
    struct jl_buffer *out;
    bool is_openmetrics;
    int64_t stamp_ms;
};

/* The end of a sample. OpenMetrics has seconds where the text format has milliseconds. */
static void put_stamp(const struct page *page)
{
    if (page->stamp_ms != 0) {
        jl_put_char(page->out, ' ');
        if (page->is_openmetrics)
            jl_put_double(page->out, (double)page->stamp_ms / 1000);
        else
            jl_put_i64(page->out, page->stamp_ms);
    }
    jl_put_char(page->out, '\n');
}

static void put_value(struct jl_buffer *out, double value)
{
    if (jl_is_finite(value))
        jl_put_double(out, value);
    else
        jl_put_string(out, value != value ? "NaN" : value > 0 ? "+Inf" : "-Inf");
}

/* OpenMetrics wants le="1.0" where the text format has le="1". */
static void put_bound(struct jl_buffer *out, double bound, bool is_openmetrics)
{
    char text[JL_DOUBLE_TEXT];
    const size_t len = jl_format_double(bound, text);
    const struct jl_text view = { text, len };
    const bool is_whole = jl_text_find(view, '.') == len && jl_text_find(view, 'e') == len;
    jl_put(out, text, len);
    if (is_openmetrics && is_whole)
        jl_put_string(out, ".0");
}

static void put_labels(struct jl_buffer *out, const char *labels)
{
    if (!*labels)
        return;
    jl_put_char(out, '{');
    jl_put_string(out, labels);
    jl_put_char(out, '}');
}

static void put_part(struct jl_buffer *out, const char *name, const char *suffix,
                     const char *labels)
{
    jl_put_string(out, name);
    jl_put_string(out, suffix);
    put_labels(out, labels);
    jl_put_char(out, ' ');
}

static void put_histogram(const struct page *page, const struct family *family,
                          const struct series *series)
{
    const char *name = family->about->name;
    struct jl_buffer *out = page->out;
    uint64_t below = 0;
    for (size_t i = 0; i <= family->bucket_count; i++) {
        below += series->counts[i];
        jl_put_string(out, name);
        jl_put_string(out, "_bucket{");
        jl_put_string(out, series->labels);
        jl_put_string(out, *series->labels ? ",le=\"" : "le=\"");
        if (i < family->bucket_count)
            put_bound(out, family->about->buckets[i], page->is_openmetrics);
        else
            jl_put_string(out, "+Inf");
        jl_put_string(out, "\"} ");
        jl_put_u64(out, below);
        put_stamp(page);
    }
    put_part(out, name, "_sum", series->labels);
    put_value(out, series->value);
    put_stamp(page);
    put_part(out, name, "_count", series->labels);
    jl_put_u64(out, below);
    put_stamp(page);
}

/* The name of the family: of an OpenMetrics counter what stands before _total. */
static struct jl_text family_name(const struct jd_family *family, bool is_openmetrics)
{
    struct jl_text name = jl_text(family->name);
    if (is_openmetrics && family->type == JD_COUNTER && jl_ends_with(family->name, TOTAL))
        name.len -= strlen(TOTAL);
    return name;
}

static void put_head(struct jl_buffer *out, const struct jd_family *family, bool is_openmetrics)
{
    static const char *const types[] = {
        [JD_COUNTER] = "counter", [JD_GAUGE] = "gauge", [JD_HISTOGRAM] = "histogram"
    };
    const struct jl_text name = family_name(family, is_openmetrics);
    jl_put_string(out, "# HELP ");
    jl_put(out, name.ptr, name.len);
    jl_put_char(out, ' ');
    put_escaped(out, family->help, strlen(family->help), is_openmetrics);
    jl_put_string(out, "\n# TYPE ");
    jl_put(out, name.ptr, name.len);
    jl_put_char(out, ' ');
    jl_put_string(out, types[family->type]);
    jl_put_char(out, '\n');
}

static void put_series(const struct page *page, const struct family *family,
                       const struct series *series)
{
    const struct jd_family *about = family->about;
    if (about->type == JD_HISTOGRAM) {
        put_histogram(page, family, series);
        return;
    }
    const bool lacks_total =
        page->is_openmetrics && about->type == JD_COUNTER && !jl_ends_with(about->name, TOTAL);
    put_part(page->out, about->name, lacks_total ? TOTAL : "", series->labels);
    put_value(page->out, series->value);
    put_stamp(page);
}

static int compare_families(const void *a, const void *b, void *user)
{
    const struct family *const *left = a;
    const struct family *const *right = b;
    (void)user;
    return jl_compare((*left)->about->name, (*right)->about->name);
}

static int compare_series(const void *a, const void *b, void *user)
{
    const struct series *const *left = a;
    const struct series *const *right = b;
    (void)user;
    return jl_compare((*left)->labels, (*right)->labels);
}

static void put_family(const struct page *page, const struct family *family)
{
    const struct series **sorted = jl_calloc(family->series_count, sizeof *sorted);
    if (!sorted) {
        page->out->is_failed = true;
        return;
    }
    for (size_t i = 0; i < family->series_count; i++)
        sorted[i] = &family->series[i];
    if (jl_sort(sorted, family->series_count, sizeof *sorted, compare_series, NULL) < 0)
        page->out->is_failed = true;
    put_head(page->out, family->about, page->is_openmetrics);
    for (size_t i = 0; i < family->series_count; i++)
        put_series(page, family, sorted[i]);
    jl_free(sorted);
}

void jd_metrics_put(const struct jd_metrics *metrics, bool is_openmetrics, struct jl_buffer *out)
{
    const struct page page = { out, is_openmetrics, metrics->stamp_ms };
    const struct family **sorted = jl_calloc(metrics->family_count + 1, sizeof *sorted);
    if (!sorted) {
        out->is_failed = true;
        return;
    }
    for (size_t i = 0; i < metrics->family_count; i++)
        sorted[i] = &metrics->families[i];
    if (jl_sort(sorted, metrics->family_count, sizeof *sorted, compare_families, NULL) < 0)
        out->is_failed = true;
    for (size_t i = 0; i < metrics->family_count; i++) {
        if (sorted[i]->series_count > 0)
            put_family(&page, sorted[i]);
    }
    jl_free(sorted);
    if (is_openmetrics)
        jl_put_string(out, "# EOF\n");
}
