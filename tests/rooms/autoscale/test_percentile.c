/* SPDX-License-Identifier: Apache-2.0 */

/* The recommender of v2.17.1 and v1.45.0, its known weaknesses
 * (docs/rules/autoscaling-source.md#why-current-differs) beside what
 * our layers do, and the words of reasons. Its tables are vectors (tensor-fusion-7.5-*.json,
 * -7.9-*.json). */

#include <math.h>
#include <string.h>

#include "autoscale/config.h"
#include "base/random.h"
#include "schema/row.h"
#include "support/test.h"

#define ROUNDS 20000
#define GIB 1073741824.0

struct recommending {
    struct jl_percentile_config config;
    struct jl_percentile_input in;
};

/* 50 / 100 TFLOPS and 8 / 16 GiB, now and originally; the estimates are those amounts. */
static void begin(struct recommending *r)
{
    *r = (struct recommending){ 0 };
    jl_percentile_defaults(&r->config);
    r->in.rules = JL_PERCENTILE_V2_17_1;
    r->in.config = &r->config;
    r->in.request = JL_REQUEST_LOWER;
    r->in.original =
        (struct jl_amounts){ { { .request = 50, .limit = 100 }, { 8 * GIB, 16 * GIB } } };
    r->in.current = r->in.original;
    r->in.estimates = (struct jl_estimates){ { { 50, 50, 100 }, { 8 * GIB, 8 * GIB, 16 * GIB } } };
}

static struct jl_percentile_result recommended(const struct recommending *r)
{
    struct jl_percentile_result result;
    jl_recommend_percentile(&r->in, &result);
    return result;
}

static struct jl_amount_pair tflops(const struct jl_percentile_result *result)
{
    return result->amounts.of[JL_USAGE_TFLOPS];
}

static void source_weakness_small_shares_become_0_and_ours_stay(void **state)
{
    (void)state;
    struct recommending r;
    begin(&r);
    r.in.original.of[JL_USAGE_TFLOPS] = (struct jl_amount_pair){ 0.05, 0.05 };
    r.in.current = r.in.original;
    r.in.estimates.of[JL_USAGE_TFLOPS] = (struct jl_estimate){ 0, 0, 0 };
    r.in.estimates.of[JL_USAGE_VRAM] = (struct jl_estimate){ 6 * GIB, 6 * GIB, 6 * GIB };
    const struct jl_percentile_result source = recommended(&r);
    assert_true(source.is_recommendation);
    assert_near(tflops(&source).request, 0, 0);
    assert_near(tflops(&source).limit, 0, 0);

    struct jl_requests_input in = { .current = 0.5, .original = 0.05, .confidence_days = 8 };
    struct jl_layer_result ours;
    in.multiplier = 1;
    in.given.percentiles = true;
    in.lower = in.target = in.upper = 0.02;
    jl_scale_requests(&in, &ours);
    assert_near(ours.value, 0.05, 1e-12);
}

static void source_weakness_a_change_of_limits_alone_is_lost(void **state)
{
    (void)state;
    struct recommending r;
    begin(&r);
    r.in.current.of[JL_USAGE_TFLOPS].limit = 400;
    const struct jl_percentile_result source = recommended(&r);
    assert_false(source.is_recommendation);
    assert_int_equal(source.reason, JL_REASON_INSIDE_UPDATE_THRESHOLD);

    struct jl_limits_input in;
    struct jl_layer_result ours;
    jl_limits_defaults(JL_USAGE_TFLOPS, &in);
    in.current = 400;
    in.request = 50;
    JL_SET(&in, p99, 80);
    JL_SET(&in, peak, 80);
    jl_scale_limits(&in, &ours);
    assert_near(ours.value, 96, 0);
}

static void source_weakness_one_resource_over_the_threshold_rewrites_both(void **state)
{
    (void)state;
    struct recommending r;
    begin(&r);
    r.in.estimates.of[JL_USAGE_TFLOPS] = (struct jl_estimate){ 60, 60, 100 };
    r.in.estimates.of[JL_USAGE_VRAM].lower = 8 * GIB + 1; /* far below a tenth */
    const struct jl_percentile_result source = recommended(&r);
    assert_near(source.amounts.of[JL_USAGE_VRAM].request, 8 * GIB + 1, 0);
    /* ours decides one resource per call: nothing of the other enters it */
}

static void source_weakness_limits_are_not_capped_and_may_fall_below_requests(void **state)
{
    (void)state;
    struct recommending r;
    begin(&r);
    r.in.request = JL_REQUEST_UPPER;
    r.in.estimates.of[JL_USAGE_TFLOPS] = (struct jl_estimate){ 60, 60, 300 };
    r.in.max_allowed = (struct jl_amount_bounds){ 1, { 80, 0 } };
    struct jl_percentile_result source = recommended(&r);
    assert_near(tflops(&source).request, 80, 0);
    assert_near(tflops(&source).limit, 300, 0); /* whatever the card can do */

    begin(&r);
    r.in.estimates.of[JL_USAGE_VRAM] = (struct jl_estimate){ 20 * GIB, 12 * GIB, 10 * GIB };
    source = recommended(&r);
    assert_true(source.amounts.of[JL_USAGE_VRAM].request > source.amounts.of[JL_USAGE_VRAM].limit);

    /* ours raises a limit with its request */
    struct jl_requests_input in = { .usage = JL_USAGE_VRAM, .confidence_days = 30 };
    struct jl_layer_result ours;
    in.current = in.original = 8 * GIB;
    in.multiplier = 1;
    in.given.percentiles = true;
    in.lower = in.target = in.upper = 20 * GIB;
    JL_SET(&in, limit, 16 * GIB);
    in.is_limits_layer = true;
    jl_scale_requests(&in, &ours);
    assert_near(ours.value, 20 * GIB, 0);
    assert_near(ours.limit, 20 * GIB, 0);
}

static void source_weakness_the_source_follows_each_tick(void **state)
{
    (void)state;
    struct recommending r;
    begin(&r);
    int changes = 0;
    for (int tick = 0; tick < 10; tick++) {
        const double lower = tick % 2 ? 20 : 60;
        r.in.estimates.of[JL_USAGE_TFLOPS] = (struct jl_estimate){ lower, lower, 100 };
        const struct jl_percentile_result source = recommended(&r);
        changes += source.is_recommendation;
        if (source.is_recommendation)
            r.in.current = source.amounts;
    }
    assert_int_equal(changes, 10);
}

/* ---- the steps of the recommender ---- */

static void a_recommendation_is_whole_and_within_its_ratios(void **state)
{
    (void)state;
    struct jl_random random = { 75 };
    for (int i = 0; i < ROUNDS; i++) {
        struct recommending r;
        begin(&r);
        const double lower = floor(jl_random_range(&random, 0, 2000));
        r.in.estimates.of[JL_USAGE_TFLOPS] = (struct jl_estimate){ lower, lower + 10, lower + 20 };
        r.in.estimates.of[JL_USAGE_VRAM].lower = floor(jl_random_range(&random, 0, 100) * GIB);
        r.in.request =
            (enum jl_request_estimate)jl_random_int(&random, JL_REQUEST_LOWER, JL_REQUEST_UPPER);
        const struct jl_percentile_result result = recommended(&r);
        if (!result.is_recommendation)
            continue;
        assert_true(tflops(&result).request >= 5 && tflops(&result).request <= 500);
        assert_true(tflops(&result).limit >= 100 && tflops(&result).limit <= 1000);
        assert_true(trunc(tflops(&result).request) == tflops(&result).request);
        const struct jl_amount_pair vram = result.amounts.of[JL_USAGE_VRAM];
        assert_true(vram.request >= trunc(1.6 * GIB) && vram.request <= 40 * GIB);
        assert_true(trunc(vram.request) == vram.request);
    }
}

static void a_bound_of_0_is_none(void **state)
{
    (void)state;
    struct recommending r;
    begin(&r);
    memset(&r.in.original, 0, sizeof r.in.original);
    r.in.estimates.of[JL_USAGE_TFLOPS] = (struct jl_estimate){ 9000, 9000, 9000 };
    assert_near(recommended(&r).amounts.of[JL_USAGE_TFLOPS].request, 9000, 0);
}

static void a_threshold_compares_ceilings(void **state)
{
    (void)state;
    struct recommending r;
    begin(&r);
    r.in.current.of[JL_USAGE_TFLOPS].request = 57.2; /* counts as 58: the threshold is 5 */
    r.in.estimates.of[JL_USAGE_TFLOPS].lower = 63;
    assert_int_equal(recommended(&r).reason, JL_REASON_INSIDE_UPDATE_THRESHOLD);
    r.in.estimates.of[JL_USAGE_TFLOPS].lower = 64;
    assert_int_equal(recommended(&r).reason, JL_REASON_UPDATED);
}

static void a_recommendation_that_is_in_force_is_already_applied(void **state)
{
    (void)state;
    struct recommending r;
    begin(&r);
    r.in.estimates.of[JL_USAGE_TFLOPS].lower = 80;
    r.in.max_allowed = (struct jl_amount_bounds){ 1, { 50, 0 } }; /* nothing to grow into */
    const struct jl_percentile_result result = recommended(&r);
    assert_true(result.is_recommendation && result.is_applied);
    assert_int_equal(result.reason, JL_REASON_NONE);
}

/* Amounts that are rounded up are the recommended ones: the pair stays with its fractions. VRAM
 * changes, so that there is a recommendation. */
static void a_pair_that_rounds_to_the_recommended_one_stays(void **state)
{
    static const struct {
        struct jl_amount_pair current;
        struct jl_amount_pair recommended;
    } rows[] = {
        { { 49.5, 99.5 }, { 49.5, 99.5 } },
        { { 49.5, 120 }, { 50, 100 } },
        { { 50.5, 99.5 }, { 50, 100 } },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct recommending r;
        begin(&r);
        r.in.estimates.of[JL_USAGE_VRAM].lower = 6 * GIB;
        r.in.current.of[JL_USAGE_TFLOPS] = rows[i].current;
        const struct jl_percentile_result result = recommended(&r);
        assert_true(result.is_recommendation);
        assert_near(tflops(&result).request, rows[i].recommended.request, 0);
        assert_near(tflops(&result).limit, rows[i].recommended.limit, 0);
    }
}

/* Neither is compared with the threshold, nor lowered to what others leave. */
static void a_request_that_does_not_grow_is_not_capped_and_0_is_no_change(void **state)
{
    (void)state;
    struct recommending r;
    begin(&r);
    r.in.estimates.of[JL_USAGE_VRAM].lower = 6 * GIB;
    r.in.max_allowed = (struct jl_amount_bounds){ 1, { 40, 0 } };
    struct jl_percentile_result result = recommended(&r);
    assert_near(tflops(&result).request, 50, 0);
    begin(&r);
    r.in.original.of[JL_USAGE_TFLOPS] = (struct jl_amount_pair){ 0.05, 0.05 };
    r.in.current.of[JL_USAGE_TFLOPS] = (struct jl_amount_pair){ 10, 20 };
    r.in.estimates.of[JL_USAGE_TFLOPS] = (struct jl_estimate){ 0, 0, 0 };
    result = recommended(&r);
    assert_false(result.is_recommendation);
    assert_int_equal(result.reason, JL_REASON_INSIDE_UPDATE_THRESHOLD);
}

static void the_smallest_share_of_the_gpus_is_allowed(void **state)
{
    (void)state;
    const struct jl_amounts own[] = { { { { 50, 0 }, { 4 * GIB, 0 } } },
                                      { { { 50, 0 }, { 4 * GIB, 0 } } } };
    const struct jl_gpu_share gpus[] = {
        { .available = { 3, { 100, 8 * GIB } }, .own = own, .own_count = 2 },
        { .available = { 1, { 25.5, 0 } }, .own = own, .own_count = 1 },
        { .available = { 3, { 0, 0 } } }, /* carries none of ours */
    };
    struct jl_amount_bounds allowed;
    jl_max_allowed(gpus, JL_COUNT(gpus), &allowed);
    assert_int_equal(allowed.has, 3);
    assert_near(allowed.of[JL_USAGE_TFLOPS], 75, 0); /* trunc(25.5 + 50) below (100 + 100) / 2 */
    assert_near(allowed.of[JL_USAGE_VRAM], 8 * GIB, 0);
    jl_max_allowed(gpus, 1, &allowed);
    assert_near(allowed.of[JL_USAGE_TFLOPS], 100, 0);
    jl_max_allowed(gpus + 2, 1, &allowed);
    assert_int_equal(allowed.has, 0);
}

static void only_the_words_of_high_classes_raise_a_request(void **state)
{
    (void)state;

    static const struct {
        const char *qos;
        enum jl_request_estimate request;
    } cases[] = {
        { "", JL_REQUEST_LOWER },         { "low", JL_REQUEST_LOWER },
        { "medium", JL_REQUEST_LOWER },   { "high", JL_REQUEST_TARGET },
        { "critical", JL_REQUEST_UPPER }, { "Critical", JL_REQUEST_LOWER },
    };

    for (size_t i = 0; i < JL_COUNT(cases); i++)
        assert_int_equal(jl_request_estimate_of(jl_text(cases[i].qos)), cases[i].request);
}

/* ---- v1.45.0 ---- */

static void without_confidence_the_older_source_keeps_every_request(void **state)
{
    (void)state;
    const struct jl_estimates percentiles = { { { 10, 20, 30 }, { GIB, 2 * GIB, 3 * GIB } } };
    const struct jl_estimates nothing = { 0 };
    struct jl_estimates idle;
    struct recommending r;
    begin(&r);
    r.in.rules = JL_PERCENTILE_V1_45_0;
    jl_percentile_estimates(r.in.rules, &percentiles, 0.15, 0, &r.in.estimates);
    assert_near(r.in.estimates.of[JL_USAGE_TFLOPS].lower, 0, 0);
    assert_true(isinf(r.in.estimates.of[JL_USAGE_TFLOPS].upper));
    jl_percentile_estimates(r.in.rules, &nothing, 0.15, 0, &idle);
    assert_near(idle.of[JL_USAGE_TFLOPS].lower, 0, 0);
    assert_true(isinf(idle.of[JL_USAGE_TFLOPS].upper));
    assert_true(recommended(&r).is_applied);
    jl_percentile_estimates(r.in.rules, &percentiles, 0.15, 7, &r.in.estimates);
    assert_near(recommended(&r).amounts.of[JL_USAGE_TFLOPS].request, 23, 0);
    assert_near(recommended(&r).amounts.of[JL_USAGE_TFLOPS].limit, 46, 0);
}

static void the_older_source_keeps_a_limit_without_a_request(void **state)
{
    (void)state;
    struct recommending r;
    begin(&r);
    r.in.rules = JL_PERCENTILE_V1_45_0;
    r.in.current.of[JL_USAGE_TFLOPS].request = 0;
    assert_near(recommended(&r).amounts.of[JL_USAGE_TFLOPS].request, 50, 0);
    assert_near(recommended(&r).amounts.of[JL_USAGE_TFLOPS].limit, 100, 0);
}

static void the_older_source_keeps_what_lies_between_the_bounds(void **state)
{
    static const struct {
        double request;
        double recommended;
    } rows[] = { { 39, 60 }, { 40, 40 }, { 70, 70 }, { 80, 80 }, { 81, 60 } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct recommending r;
        begin(&r);
        r.in.rules = JL_PERCENTILE_V1_45_0;
        r.in.estimates.of[JL_USAGE_TFLOPS] = (struct jl_estimate){ 40, 60, 80 };
        r.in.current.of[JL_USAGE_TFLOPS].request = rows[i].request;
        assert_near(recommended(&r).amounts.of[JL_USAGE_TFLOPS].request, rows[i].recommended, 0);
    }
}

/* ---- reasons ---- */

static bool is_word_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static void every_reason_is_a_word_that_a_condition_may_carry(void **state)
{
    (void)state;
    for (size_t i = 0; i < jl_scale_reason_words.count; i++) {
        const struct jl_word *word = &jl_scale_reason_words.items[i];
        assert_int_equal(word->value, (int)i + 1); /* none is left out */
        for (const char *at = word->word; *at != '\0'; at++)
            assert_true(is_word_byte(*at)); /* Kubernetes would allow more */
        assert_int_equal(jl_word_value(&jl_scale_reason_words, jl_text(word->word)), word->value);
    }
    assert_int_equal(jl_scale_reason_words.count, JL_REASON_RULE_INACTIVE);
    assert_null(jl_word_of(&jl_scale_reason_words, JL_REASON_NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_weakness_small_shares_become_0_and_ours_stay),
        cmocka_unit_test(source_weakness_a_change_of_limits_alone_is_lost),
        cmocka_unit_test(source_weakness_one_resource_over_the_threshold_rewrites_both),
        cmocka_unit_test(source_weakness_limits_are_not_capped_and_may_fall_below_requests),
        cmocka_unit_test(source_weakness_the_source_follows_each_tick),
        cmocka_unit_test(a_recommendation_is_whole_and_within_its_ratios),
        cmocka_unit_test(a_bound_of_0_is_none),
        cmocka_unit_test(a_threshold_compares_ceilings),
        cmocka_unit_test(a_recommendation_that_is_in_force_is_already_applied),
        cmocka_unit_test(a_pair_that_rounds_to_the_recommended_one_stays),
        cmocka_unit_test(a_request_that_does_not_grow_is_not_capped_and_0_is_no_change),
        cmocka_unit_test(the_older_source_keeps_what_lies_between_the_bounds),
        cmocka_unit_test(the_smallest_share_of_the_gpus_is_allowed),
        cmocka_unit_test(only_the_words_of_high_classes_raise_a_request),
        cmocka_unit_test(without_confidence_the_older_source_keeps_every_request),
        cmocka_unit_test(the_older_source_keeps_a_limit_without_a_request),
        cmocka_unit_test(every_reason_is_a_word_that_a_condition_may_carry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
