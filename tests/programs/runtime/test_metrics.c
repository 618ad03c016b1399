/* SPDX-License-Identifier: Apache-2.0 */
/* What a daemon counts, as Prometheus reads it (docs/rules/programs.md#metrics). */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "runtime/metrics.h"
#include "support/test.h"

static const double few_buckets[] = { .5, 1, 2, JD_BUCKETS_END };

static const struct jd_family calls = { .name = "joulie_calls_total",
                                        .help = "Calls, by \"verb\" and \\.",
                                        .type = JD_COUNTER,
                                        .labels = { "node", "verb" } };
static const struct jd_family heat = {
    .name = "joulie_heat_celsius", .help = "Two\nlines.", .type = JD_GAUGE, .labels = { "node" }
};
static const struct jd_family took = {
    .name = "joulie_step_seconds", .help = "Steps.", .type = JD_HISTOGRAM, .buckets = few_buckets
};

static void assert_page(const struct jd_metrics *metrics, bool is_openmetrics, const char *expected)
{
    struct jl_buffer page = { 0 };
    jd_metrics_put(metrics, is_openmetrics, &page);
    assert_string_equal(page.data ? page.data : "", expected);
    jl_buffer_clear(&page);
}

static void families_are_sorted_by_name_and_series_by_labels(void **state)
{
    struct jd_metrics *metrics = jd_metrics_new();
    (void)state;
    jd_metric_set(metrics, &heat, JD_LABELS("b"), 40.5);
    jd_metric_set(metrics, &heat, JD_LABELS("a"), -1);
    jd_metric_add(metrics, &calls, JD_LABELS("n2", "get"), 1);
    jd_metric_add(metrics, &calls, JD_LABELS("n1", "put"), 2);
    jd_metric_add(metrics, &calls, JD_LABELS("n1", "get"), 3);
    jd_metric_add(metrics, &calls, JD_LABELS("n1", "get"), 4);
    assert_page(metrics, false,
                "# HELP joulie_calls_total Calls, by \"verb\" and \\\\.\n"
                "# TYPE joulie_calls_total counter\n"
                "joulie_calls_total{node=\"n1\",verb=\"get\"} 7\n"
                "joulie_calls_total{node=\"n1\",verb=\"put\"} 2\n"
                "joulie_calls_total{node=\"n2\",verb=\"get\"} 1\n"
                "# HELP joulie_heat_celsius Two\\nlines.\n"
                "# TYPE joulie_heat_celsius gauge\n"
                "joulie_heat_celsius{node=\"a\"} -1\n"
                "joulie_heat_celsius{node=\"b\"} 40.5\n");
    jd_metrics_free(metrics);
}

static void openmetrics_names_a_counter_without_total_and_ends_with_eof(void **state)
{
    struct jd_metrics *metrics = jd_metrics_new();
    (void)state;
    jd_metric_add(metrics, &calls, JD_LABELS("n1", "get"), 1);
    jd_metric_observe(metrics, &took, JD_NO_LABELS, 1);
    assert_page(metrics, true,
                "# HELP joulie_calls Calls, by \\\"verb\\\" and \\\\.\n"
                "# TYPE joulie_calls counter\n"
                "joulie_calls_total{node=\"n1\",verb=\"get\"} 1\n"
                "# HELP joulie_step_seconds Steps.\n"
                "# TYPE joulie_step_seconds histogram\n"
                "joulie_step_seconds_bucket{le=\"0.5\"} 0\n"
                "joulie_step_seconds_bucket{le=\"1.0\"} 1\n"
                "joulie_step_seconds_bucket{le=\"2.0\"} 1\n"
                "joulie_step_seconds_bucket{le=\"+Inf\"} 1\n"
                "joulie_step_seconds_sum 1\n"
                "joulie_step_seconds_count 1\n"
                "# EOF\n");
    jd_metrics_free(metrics);
}

/* Milliseconds in the text format, seconds in OpenMetrics. */
static void samples_of_another_time_say_so(void **state)
{
    struct jd_metrics *metrics = jd_metrics_new();
    (void)state;
    jd_metrics_stamp(metrics, 1767225600250);
    jd_metric_set(metrics, &heat, JD_LABELS("a"), 1);
    assert_page(metrics, false,
                "# HELP joulie_heat_celsius Two\\nlines.\n# TYPE joulie_heat_celsius gauge\n"
                "joulie_heat_celsius{node=\"a\"} 1 1767225600250\n");
    assert_page(metrics, true,
                "# HELP joulie_heat_celsius Two\\nlines.\n# TYPE joulie_heat_celsius gauge\n"
                "joulie_heat_celsius{node=\"a\"} 1 1767225600.25\n# EOF\n");
    jd_metrics_free(metrics);
}

static void buckets_of_a_histogram_are_cumulative(void **state)
{
    struct jd_metrics *metrics = jd_metrics_new();
    (void)state;
    const double values[] = { 0, .5, .75, 2, 3, 1e9, (double)NAN };
    for (size_t i = 0; i < JL_COUNT(values); i++)
        jd_metric_observe(metrics, &took, JD_NO_LABELS, values[i]);
    assert_page(metrics, false,
                "# HELP joulie_step_seconds Steps.\n"
                "# TYPE joulie_step_seconds histogram\n"
                "joulie_step_seconds_bucket{le=\"0.5\"} 2\n"
                "joulie_step_seconds_bucket{le=\"1\"} 3\n"
                "joulie_step_seconds_bucket{le=\"2\"} 4\n"
                "joulie_step_seconds_bucket{le=\"+Inf\"} 6\n"
                "joulie_step_seconds_sum 1000000006.25\n"
                "joulie_step_seconds_count 6\n");
    assert_near(jd_metric_get(metrics, &took, JD_NO_LABELS), 6, 0);
    jd_metrics_free(metrics);
}

static void values_from_outside_are_escaped(void **state)
{
    struct jd_metrics *metrics = jd_metrics_new();
    (void)state;
    jd_metric_set(metrics, &heat, JD_LABELS("a\"b\\c\nd"), 1);
    jd_metric_set(metrics, &heat, JD_LABELS("\xff\xc3\xa9"), (double)INFINITY);
    jd_metric_set(metrics, &heat, JD_LABELS(""), (double)-INFINITY);
    jd_metric_set(metrics, &heat, JD_LABELS("z"), (double)NAN);
    assert_page(metrics, false,
                "# HELP joulie_heat_celsius Two\\nlines.\n"
                "# TYPE joulie_heat_celsius gauge\n"
                "joulie_heat_celsius{node=\"\"} -Inf\n"
                "joulie_heat_celsius{node=\"a\\\"b\\\\c\\nd\"} 1\n"
                "joulie_heat_celsius{node=\"z\"} NaN\n"
                "joulie_heat_celsius{node=\"\xc3\xa9\"} +Inf\n");
    assert_near(jd_metric_get(metrics, &heat, JD_LABELS("a\"b\\c\nd")), 1, 0);
    jd_metrics_free(metrics);
}

static void a_counter_never_goes_down(void **state)
{
    struct jd_metrics *metrics = jd_metrics_new();
    (void)state;
    jd_metric_add(metrics, &calls, JD_LABELS("a", "get"), 2);
    jd_metric_add(metrics, &calls, JD_LABELS("a", "get"), -1);
    jd_metric_add(metrics, &calls, JD_LABELS("a", "get"), (double)NAN);
    assert_near(jd_metric_get(metrics, &calls, JD_LABELS("a", "get")), 2, 0);
    assert_near(jd_metric_get(metrics, &calls, JD_LABELS("b", "get")), 0, 0);
    jd_metrics_free(metrics);
}

static void a_node_that_is_gone_takes_its_series_along(void **state)
{
    struct jd_metrics *metrics = jd_metrics_new();
    char name[] = "node-00";
    (void)state;
    for (int i = 0; i < 50; i++) {
        name[5] = (char)('0' + i / 10);
        name[6] = (char)('0' + i % 10);
        jd_metric_add(metrics, &calls, JD_LABELS(name, "get"), i);
        jd_metric_add(metrics, &calls, JD_LABELS(name, "node-07"), i);
        jd_metric_set(metrics, &heat, JD_LABELS(name), i);
    }
    for (int i = 0; i < 50; i++) {
        name[5] = (char)('0' + i / 10);
        name[6] = (char)('0' + i % 10);
        if (i != 7 && i != 33)
            jd_metrics_forget(metrics, "node", name);
    }
    jd_metrics_forget(metrics, "node", "node"); /* a part of a name is no name */
    jd_metrics_forget(metrics, "verb", "get");
    assert_page(metrics, false,
                "# HELP joulie_calls_total Calls, by \"verb\" and \\\\.\n"
                "# TYPE joulie_calls_total counter\n"
                "joulie_calls_total{node=\"node-07\",verb=\"node-07\"} 7\n"
                "joulie_calls_total{node=\"node-33\",verb=\"node-07\"} 33\n"
                "# HELP joulie_heat_celsius Two\\nlines.\n"
                "# TYPE joulie_heat_celsius gauge\n"
                "joulie_heat_celsius{node=\"node-07\"} 7\n"
                "joulie_heat_celsius{node=\"node-33\"} 33\n");
    jd_metrics_clear(metrics, &calls);
    jd_metrics_forget(metrics, "node", "node-33");
    jd_metric_add(metrics, &calls, JD_LABELS("again", "get"), 1);
    assert_near(jd_metric_get(metrics, &calls, JD_LABELS("again", "get")), 1, 0);
    assert_near(jd_metric_get(metrics, &heat, JD_LABELS("node-07")), 7, 0);
    assert_near(jd_metric_get(metrics, &heat, JD_LABELS("node-33")), 0, 0);
    jd_metrics_free(metrics);
}

static void a_value_that_looks_like_a_label_is_no_label(void **state)
{
    struct jd_metrics *metrics = jd_metrics_new();
    (void)state;
    jd_metric_add(metrics, &calls, JD_LABELS("x\",verb=\"get", "put"), 1);
    jd_metric_add(metrics, &calls, JD_LABELS("x", "get\",node=\"y"), 1);
    jd_metrics_forget(metrics, "verb", "get");
    jd_metrics_forget(metrics, "node", "y");
    assert_near(jd_metric_get(metrics, &calls, JD_LABELS("x\",verb=\"get", "put")), 1, 0);
    assert_near(jd_metric_get(metrics, &calls, JD_LABELS("x", "get\",node=\"y")), 1, 0);
    jd_metrics_free(metrics);
}

static void a_reading_that_is_stale_goes_alone(void **state)
{
    struct jd_metrics *metrics = jd_metrics_new();
    (void)state;
    jd_metric_remove(metrics, &calls, JD_LABELS("a", "get"));
    jd_metric_drop(metrics, &calls, "a");
    jd_metric_add(metrics, &calls, JD_LABELS("a", "get"), 1);
    jd_metric_add(metrics, &calls, JD_LABELS("a", "put"), 2);
    jd_metric_add(metrics, &calls, JD_LABELS("aa", "a"), 3);
    jd_metric_remove(metrics, &calls, JD_LABELS("a", "get"));
    assert_near(jd_metric_get(metrics, &calls, JD_LABELS("a", "get")), 0, 0);
    assert_near(jd_metric_get(metrics, &calls, JD_LABELS("a", "put")), 2, 0);
    jd_metric_add(metrics, &calls, JD_LABELS("a", "get"), 4);
    jd_metric_drop(metrics, &calls, "a");
    assert_page(metrics, false,
                "# HELP joulie_calls_total Calls, by \"verb\" and \\\\.\n"
                "# TYPE joulie_calls_total counter\n"
                "joulie_calls_total{node=\"aa\",verb=\"a\"} 3\n");
    jd_metrics_free(metrics);
}

static void nothing_was_counted(void **state)
{
    struct jd_metrics *metrics = jd_metrics_new();
    (void)state;
    assert_page(metrics, false, "");
    assert_page(metrics, true, "# EOF\n");
    jd_metrics_free(metrics);
    jd_metrics_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_are_sorted_by_name_and_series_by_labels),
        cmocka_unit_test(openmetrics_names_a_counter_without_total_and_ends_with_eof),
        cmocka_unit_test(samples_of_another_time_say_so),
        cmocka_unit_test(buckets_of_a_histogram_are_cumulative),
        cmocka_unit_test(values_from_outside_are_escaped),
        cmocka_unit_test(a_counter_never_goes_down),
        cmocka_unit_test(a_node_that_is_gone_takes_its_series_along),
        cmocka_unit_test(a_value_that_looks_like_a_label_is_no_label),
        cmocka_unit_test(a_reading_that_is_stale_goes_alone),
        cmocka_unit_test(nothing_was_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
