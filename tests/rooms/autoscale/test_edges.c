/* SPDX-License-Identifier: Apache-2.0 */

/* Thresholds of the layers from both sides (docs/rules/autoscaling.md). */

#include <math.h>
#include <string.h>

#include "autoscale/amounts.h"
#include "autoscale/config.h"
#include "autoscale/engine.h"
#include "autoscale/histogram.h"
#include "autoscale/limits.h"
#include "autoscale/percentile.h"
#include "autoscale/replicas.h"
#include "autoscale/requests.h"
#include "schema/row.h"
#include "support/test.h"

#define TOLERANCE 1e-12
#define GIB 1073741824.0
#define MIB 1048576.0

/* ---- limits ---- */

/* A limit of 100 TFLOPS over a request of 50, step 2, a fifth of buffer. */
static struct jl_layer_result limit_at(double peak)
{
    struct jl_limits_input in;
    struct jl_layer_result result;
    jl_limits_defaults(JL_USAGE_TFLOPS, &in);
    in.current = 100;
    in.request = 50;
    JL_SET(&in, peak, peak);
    jl_scale_limits(&in, &result);
    return result;
}

static void a_limit_is_saturated_from_95_percent_on(void **state)
{
    (void)state;
    assert_near(limit_at(95).value, 200, 0);
    assert_near(limit_at(94.99).value, 113.988, 1e-9); /* 94.99 and a fifth */
}

/* Within 5 % a limit stays: the target is 1.2 times the usage. */
static void a_limit_within_5_percent_of_its_target_is_kept(void **state)
{
    (void)state;
    assert_true(limit_at(105 / 1.2).is_kept);
    assert_false(limit_at(105.001 / 1.2).is_kept);
    assert_true(limit_at(95 / 1.2).is_kept);
    assert_false(limit_at(94.999 / 1.2).is_kept);
}

static double limit_after_a_kill(double current)
{
    struct jl_limits_input in;
    struct jl_layer_result result;
    jl_limits_defaults(JL_USAGE_VRAM, &in);
    in.current = current;
    in.is_oom_killed = true;
    jl_scale_limits(&in, &result);
    return result.is_kept ? current : result.value;
}

static void a_limit_without_a_bound_is_doubled_up_to_1e14_bytes(void **state)
{
    (void)state;
    assert_near(limit_after_a_kill(5e13), ceil(1e14 / MIB) * MIB, 0);
    assert_near(limit_after_a_kill(5.0001e13), 5.0001e13, 0);
}

/* ---- requests ---- */

static void percentiles_of_the_bounds_lie_beside_the_target(void **state)
{
    static const double rows[][3] = { { 0.5, 0.5, 0.55 },   { 0.9, 0.5, 0.95 },
                                      { 0.91, 0.51, 0.96 }, { 0.94, 0.54, 0.99 },
                                      { 0.95, 0.55, 0.99 }, { 0.99, 0.59, 0.99 } };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_requests_percentiles p = jl_requests_percentiles(rows[i][0]);
        assert_near(p.target, rows[i][0], 0);
        assert_near(p.lower, rows[i][1], TOLERANCE);
        assert_near(p.upper, rows[i][2], TOLERANCE);
    }
}

static void bounds_come_nearer_as_days_pass(void **state)
{
    (void)state;
    assert_near(jl_lower_factor(0.5), 1 / (1.002 * 1.002), TOLERANCE);
    assert_near(jl_lower_factor(0.001), 0.25, TOLERANCE);
    assert_near(jl_upper_factor(0.5), 3, TOLERANCE);
    assert_near(jl_upper_factor(4), 1.25, TOLERANCE);
}

/* New request of a worker that needs this much: at least a TFLOPS or a GiB, and within a tenth and
 * ten times (VRAM: a fifth and five times) the original one. */
static void a_request_is_bounded_by_a_unit_and_by_the_original_one(void **state)
{
    static const struct {
        enum jl_usage usage;
        double original, target, value;
    } rows[] = {
        { JL_USAGE_TFLOPS, 0, 0.5, 1 },
        { JL_USAGE_TFLOPS, 0, 1.5, 1.5 },
        { JL_USAGE_TFLOPS, 0.7, 0.5, 0.7 },
        { JL_USAGE_TFLOPS, 10, 0.5, 1 },
        { JL_USAGE_TFLOPS, 30, 0.5, 3 },
        { JL_USAGE_TFLOPS, 10, 1000, 100 },
        { JL_USAGE_VRAM, 0, 1, GIB },
        { JL_USAGE_VRAM, 0, 1025 * MIB, 1025 * MIB },
        { JL_USAGE_VRAM, 10 * GIB, 1, 2 * GIB },
        { JL_USAGE_VRAM, 2 * GIB, 1, GIB },
        { JL_USAGE_VRAM, 10 * GIB, 99 * GIB, 50 * GIB },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_requests_input in = { .usage = rows[i].usage,
                                        .original = rows[i].original,
                                        .confidence_days = 1,
                                        .multiplier = 1,
                                        .lower = rows[i].target,
                                        .target = rows[i].target,
                                        .upper = rows[i].target };
        struct jl_layer_result result;
        in.given.percentiles = true;
        jl_scale_requests(&in, &result);
        assert_int_equal(result.reason, JL_REASON_UPDATED);
        assert_near(result.value, rows[i].value, rows[i].value * TOLERANCE);
    }
}

static enum jl_scale_reason reason_at(double current, struct jl_layer_result *out)
{
    struct jl_requests_input in = { .usage = JL_USAGE_TFLOPS,
                                    .current = current,
                                    .original = 50,
                                    .confidence_days = 7,
                                    .multiplier = 1,
                                    .lower = 40,
                                    .target = 60,
                                    .upper = 80 };
    in.given.percentiles = true;
    jl_scale_requests(&in, out);
    return out->reason;
}

/* The bounds have a slack for rounding errors, and belong to what is kept. */
static void a_request_at_its_bound_is_kept(void **state)
{
    struct jl_layer_result bounds;
    struct jl_layer_result out;
    (void)state;
    assert_int_equal(reason_at(1, &bounds), JL_REASON_UPDATED);
    const double least = bounds.lower * (1 - JL_SCALE_SLACK);
    const double most = bounds.upper * (1 + JL_SCALE_SLACK);
    assert_int_equal(reason_at(least, &out), JL_REASON_WITHIN_BOUNDS);
    assert_int_equal(reason_at(most, &out), JL_REASON_WITHIN_BOUNDS);
    assert_int_equal(reason_at(nextafter(least, 0), &out), JL_REASON_UPDATED);
    assert_int_equal(reason_at(nextafter(most, 1e9), &out), JL_REASON_UPDATED);
}

static void amounts_are_written_in_thousandths_and_mebibytes(void **state)
{
    (void)state;
    assert_near(jl_usage_step(JL_USAGE_TFLOPS), 0.001, 0);
    assert_near(jl_usage_step(JL_USAGE_VRAM), 1048576, 0);
    assert_near(jl_usage_least(JL_USAGE_TFLOPS), 1, 0);
    assert_near(jl_usage_least(JL_USAGE_VRAM), 1073741824, 0);
}

static void an_amount_above_every_quantity_has_no_text(void **state)
{
    const struct jl_amount_texts none = { 0 };
    struct jl_arena arena = { 0 };
    const char *text = "";
    (void)state;
    assert_int_equal(jl_amount_text(&none, &arena, JL_USAGE_TFLOPS, false, 1e30, &text), 0);
    assert_null(text);
    assert_int_equal(jl_amount_text(&none, &arena, JL_USAGE_TFLOPS, false, 2, &text), 0);
    assert_string_equal(text, "2");
    jl_arena_clear(&arena);
}

/* ---- replicas ---- */

static struct jl_replicas_result decided(double target, int64_t replicas, const double *u,
                                         size_t reporting, size_t missing)
{
    struct jl_replicas_state state;
    struct jl_replicas_config config;
    struct jl_replicas_result result;
    jl_replicas_defaults(&config);
    config.target_frac = target;
    config.up = (struct jl_replica_step){ 50, true };
    const struct jl_replicas_input in = { .now_ns = INT64_C(86400000000000),
                                          .replicas = replicas,
                                          .utilizations = u,
                                          .reporting = reporting,
                                          .missing = missing,
                                          .config = &config };
    jl_replicas_begin(&state, 0);
    jl_scale_replicas(&in, &state, &result);
    return result;
}

/* Up beyond 1 + min(0.1, (1/T - 1)/2), which is 1.0263158 for T = 0.95; down below 0.9. */
static void replicas_stay_while_the_ratio_is_tolerable(void **state)
{
    static const struct {
        double target, ratio;
        enum jl_scale_reason reason;
    } rows[] = {
        { 0.5, 1.0999, JL_REASON_WITHIN_TOLERANCE },  { 0.5, 1.1001, JL_REASON_ABOVE_TARGET },
        { 0.95, 1.0262, JL_REASON_WITHIN_TOLERANCE }, { 0.95, 1.0264, JL_REASON_ABOVE_TARGET },
        { 0.5, 0.9001, JL_REASON_WITHIN_TOLERANCE },  { 0.5, 0.8999, JL_REASON_BELOW_TARGET },
        { 0.95, 0.9001, JL_REASON_WITHIN_TOLERANCE }, { 0.95, 0.8999, JL_REASON_BELOW_TARGET },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const double u = rows[i].target * rows[i].ratio;
        const struct jl_replicas_result result = decided(rows[i].target, 1, &u, 1, 0);
        assert_int_equal(result.reason, rows[i].reason);
        assert_near(result.ratio, rows[i].ratio, TOLERANCE);
    }
    const double full = 0.99; /* of a target of 100 %, which counts as 99 % */
    assert_near(decided(1, 1, &full, 1, 0).ratio, 1, TOLERANCE);
}

static void half_of_the_workers_at_98_percent_are_saturation(void **state)
{
    static const struct {
        double u[3];
        size_t reporting, missing;
        enum jl_scale_reason reason;
    } rows[] = {
        { { 0.98, 0.5 }, 2, 0, JL_REASON_SATURATED },
        { { 0.9799, 0.5 }, 2, 0, JL_REASON_ABOVE_TARGET },
        { { 0.98, 0.5, 0.5 }, 3, 0, JL_REASON_ABOVE_TARGET },
        { { 0.98 }, 1, 0, JL_REASON_SATURATED },
        { { 0.98, 0.98 }, 2, 1, JL_REASON_SATURATED },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++)
        assert_int_equal(decided(0.5, 2, rows[i].u, rows[i].reporting, rows[i].missing).reason,
                         rows[i].reason);
}

/* Missing workers count as idle above the target and as full at or below it; exactly at the target
 * by that nothing was crossed. */
static void missing_workers_may_bring_the_ratio_to_one(void **state)
{
    const double full = 1;
    const double idle = 0;
    const double half = 0.5;
    (void)state;
    struct jl_replicas_result result = decided(0.5, 2, &full, 1, 1);
    assert_near(result.ratio, 1, 0);
    assert_int_equal(result.reason, JL_REASON_WITHIN_TOLERANCE);
    result = decided(0.5, 2, &idle, 1, 1);
    assert_near(result.ratio, 1, 0);
    assert_int_equal(result.reason, JL_REASON_WITHIN_TOLERANCE);
    result = decided(0.5, 2, &half, 1, 1); /* at the target: the missing one counts as full */
    assert_near(result.ratio, 1.5, 0);
    assert_int_equal(result.reason, JL_REASON_MISSING_METRICS);
}

/* Two workers of 75 % at T = 0.5 want three; a billionth more is dust. */
static void a_billionth_of_a_replica_is_dust(void **state)
{
    const double dust = 0.75 * (1 + 0.99e-9 / 3);
    const double more = 0.75 * (1 + 1.01e-9 / 3);
    const double two_dust[] = { dust, dust };
    const double two_more[] = { more, more };
    (void)state;
    assert_int_equal(decided(0.5, 2, two_dust, 2, 0).desired, 3);
    assert_int_equal(decided(0.5, 2, two_more, 2, 0).desired, 4);
}

/* ---- confidence ---- */

static void a_sample_speaks_for_a_second_to_five_minutes(void **state)
{
    static const double rows[][2] = { { 0, 1 },     { 1, 1 },     { 1.005, 1.005 }, { 299, 299 },
                                      { 300, 300 }, { 303, 300 }, { 1e6, 300 } };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++)
        assert_near(jl_sample_minutes((int64_t)(rows[i][0] * 1e9)), rows[i][1] / 60, 1e-9);
}

static void confidence_is_what_is_covered_within_the_span(void **state)
{
    struct jl_confidence confidence = { 0 };
    (void)state;
    jl_confidence_add(&confidence, 1440, 0);
    jl_confidence_add(&confidence, 1440, INT64_C(86400000000000) * 3);
    assert_near(jl_confidence_days(&confidence), 2, TOLERANCE);
    jl_confidence_add(&confidence, 1440 * 5, 1);
    assert_near(jl_confidence_days(&confidence), 3, TOLERANCE);
}

/* ---- percentiles ---- */

/* The lower of two values is the median as long as it has half of the weight, less a billionth. */
static void a_percentile_is_reached_a_billionth_early(void **state)
{
    static const struct {
        double lacks; /* of the lower value's weight */
        bool is_low;
    } rows[] = { { 1.99e-9, true }, { 2.01e-9, false } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_histogram histogram;
        jl_histogram_init(&histogram, JL_USAGE_TFLOPS, INT64_C(86400000000000));
        jl_histogram_add(&histogram, 5, 1 - rows[i].lacks, 0);
        jl_histogram_add(&histogram, 50, 1 + rows[i].lacks, 0);
        assert_int_equal(jl_histogram_percentile(&histogram, 0.5) < 10, rows[i].is_low);
    }
}

/* A percentile is at most 1e14 before its margin; 0.1 more is 1.1e14. */
static void an_estimate_is_at_most_1e14_and_its_margin(void **state)
{
    const struct jl_estimate large = { .lower = 0.999e14, .target = 1.001e14, .upper = 1e15 };
    const struct jl_estimates percentiles = { .of = { large, large } };
    struct jl_estimates out;
    (void)state;
    jl_percentile_estimates(JL_PERCENTILE_V2_17_1, &percentiles, 0.1, 1, &out);
    assert_near(out.of[JL_USAGE_VRAM].lower, 1.0989e14, 1);
    assert_near(out.of[JL_USAGE_VRAM].target, 1.1e14, 1);
    assert_near(out.of[JL_USAGE_VRAM].upper, 1.1e14, 1);
}

/* ---- the histogram of a limit ---- */

#define HIGH 15.0
#define LOW 5.0
#define HOUR_NS (INT64_C(3600) * JL_NS_PER_S)
#define NOW_NS (INT64_C(1773403200) * JL_NS_PER_S)

static void add_samples(struct jl_scale_sample *samples, size_t count, int64_t last_ns,
                        double tflops)
{
    for (size_t i = 0; i < count; i++)
        samples[i] =
            (struct jl_scale_sample){ .worker = "w",
                                      .at_ns = last_ns - (int64_t)(count - 1 - i) * JL_NS_PER_S,
                                      .tflops = tflops,
                                      .has_tflops = true };
}

/* The new limit of 20 TFLOPS over a request of 10 after some high and then many low samples. */
static double limit_after(size_t high, size_t low, int64_t gap_ns)
{
    static struct jl_scale_sample samples[1024];
    struct jl_arena arena = { 0 };
    struct jl_autoscale_config config;
    struct jl_scale_result result;
    struct jl_scale_engine *engine = jl_scale_engine_new();
    const struct jl_scale_worker worker = { "w", NOW_NS - 48 * HOUR_NS, true, false };
    jl_autoscale_config_init(&config, JL_AUTOSCALE_CURRENT);
    config.limits.is_on = true;
    config.limits.targets = JL_TARGETS(JL_USAGE_TFLOPS);
    config.original = (struct jl_amounts){ .of = { { 10, 20 }, { 4e9, 8e9 } } };
    const int64_t high_ns = NOW_NS - gap_ns - (int64_t)low * JL_NS_PER_S;
    add_samples(samples, 1, high_ns - (int64_t)high * JL_NS_PER_S, LOW); /* counts for 10 s */
    add_samples(samples + 1, high, high_ns, HIGH);
    add_samples(samples + 1 + high, low, NOW_NS, LOW);
    const struct jl_scale_step step = { .now_ns = NOW_NS,
                                        .current = config.original,
                                        .workers = &worker,
                                        .worker_count = 1,
                                        .has_workers = true,
                                        .samples = samples,
                                        .sample_count = 1 + high + low };
    assert_int_equal(jl_scale_engine_step(engine, &config, &step, &arena, &result, NULL), 0);
    assert_int_equal(result.dropped, 0);
    const double limit = result.amounts.of[JL_USAGE_TFLOPS].limit;
    jl_scale_engine_free(engine);
    jl_arena_clear(&arena);
    return limit;
}

/* Samples of a second each; behind a gap one counts for 300 s. Of 1000 s 15 count for the 99th
 * percentile and 5 do not; after twelve hours an old sample weighs half a new one: 15 of 25 + 2 x
 * 700 s are 1.05 %, of 25 + 2 x 800 s 0.92 %. */
static void a_limit_is_that_of_the_99th_percentile_of_twelve_hours(void **state)
{
    (void)state;
    assert_true(limit_after(15, 975, 0) > HIGH);
    assert_near(limit_after(5, 985, 0), 10, 0); /* the request */
    assert_true(limit_after(15, 401, 12 * HOUR_NS) > HIGH);
    assert_near(limit_after(15, 501, 12 * HOUR_NS), 10, 0);
}

/* The new request of 100 TFLOPS after as many samples, five minutes apart, with a gap between. */
static double request_after(size_t high, size_t low, int64_t gap_ns)
{
    static struct jl_scale_sample samples[256];
    const int64_t apart_ns = 300 * JL_NS_PER_S;
    struct jl_arena arena = { 0 };
    struct jl_autoscale_config config;
    struct jl_scale_result result;
    struct jl_scale_engine *engine = jl_scale_engine_new();
    const struct jl_scale_worker worker = { "w", NOW_NS - 240 * HOUR_NS, true, false };
    jl_autoscale_config_init(&config, JL_AUTOSCALE_CURRENT);
    config.requests.is_on = true;
    config.requests.targets = JL_TARGETS(JL_USAGE_TFLOPS);
    config.original = (struct jl_amounts){ .of = { { 100, 200 }, { 4e9, 8e9 } } };
    for (size_t i = 0; i < high + low; i++) {
        const int64_t before_ns = (int64_t)(high + low - 1 - i) * apart_ns;
        samples[i] =
            (struct jl_scale_sample){ .worker = "w",
                                      .at_ns = NOW_NS - before_ns - (i < high ? gap_ns : 0),
                                      .tflops = i < high ? HIGH : LOW,
                                      .has_tflops = true };
    }
    const struct jl_scale_step step = { .now_ns = NOW_NS,
                                        .current = config.original,
                                        .workers = &worker,
                                        .worker_count = 1,
                                        .has_workers = true,
                                        .samples = samples,
                                        .sample_count = high + low };
    assert_int_equal(jl_scale_engine_step(engine, &config, &step, &arena, &result, NULL), 0);
    assert_int_equal(result.dropped, 0);
    const double request = result.amounts.of[JL_USAGE_TFLOPS].request;
    jl_scale_engine_free(engine);
    jl_arena_clear(&arena);
    return request;
}

/* The 90th percentile with a half-life of half of the 168 h: after 84 h and the hours of the low
 * samples an old one weighs 0.473 of a new one (0.472): 30 x 0.473 of 115 more are 11 %, of 140
 * more 9.2 %. */
static void a_request_forgets_half_in_84_hours(void **state)
{
    (void)state;
    assert_true(request_after(30, 115, 84 * HOUR_NS) > HIGH);
    assert_true(request_after(30, 140, 84 * HOUR_NS) <= 10); /* a tenth of the original one */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_is_saturated_from_95_percent_on),
        cmocka_unit_test(a_limit_within_5_percent_of_its_target_is_kept),
        cmocka_unit_test(a_limit_without_a_bound_is_doubled_up_to_1e14_bytes),
        cmocka_unit_test(percentiles_of_the_bounds_lie_beside_the_target),
        cmocka_unit_test(bounds_come_nearer_as_days_pass),
        cmocka_unit_test(a_request_is_bounded_by_a_unit_and_by_the_original_one),
        cmocka_unit_test(a_request_at_its_bound_is_kept),
        cmocka_unit_test(amounts_are_written_in_thousandths_and_mebibytes),
        cmocka_unit_test(replicas_stay_while_the_ratio_is_tolerable),
        cmocka_unit_test(half_of_the_workers_at_98_percent_are_saturation),
        cmocka_unit_test(missing_workers_may_bring_the_ratio_to_one),
        cmocka_unit_test(a_billionth_of_a_replica_is_dust),
        cmocka_unit_test(a_sample_speaks_for_a_second_to_five_minutes),
        cmocka_unit_test(confidence_is_what_is_covered_within_the_span),
        cmocka_unit_test(a_percentile_is_reached_a_billionth_early),
        cmocka_unit_test(an_estimate_is_at_most_1e14_and_its_margin),
        cmocka_unit_test(a_limit_is_that_of_the_99th_percentile_of_twelve_hours),
        cmocka_unit_test(a_request_forgets_half_in_84_hours),
        cmocka_unit_test(an_amount_above_every_quantity_has_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
