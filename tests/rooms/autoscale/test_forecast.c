/* SPDX-License-Identifier: Apache-2.0 */

/* Names, fall-back, quality gate and bounds of the forecast
 * (docs/rules/autoscaling-statistics.md#forecast); its numbers are vectors. */

#include <math.h>

#include <joulie/error.h>

#include "autoscale/forecast.h"
#include "base/random.h"
#include "base/text.h"
#include "support/test.h"

#define HOUR_NS INT64_C(3600000000000)
#define MOST_VALUES 200
#define HORIZON 30

struct forecasting {
    double series[MOST_VALUES];
    size_t count;
    double seasonal[MOST_VALUES];
    double forecast[HORIZON];
    struct jl_forecast result;
};

static int run(struct forecasting *f, enum jl_forecast_model model, size_t season, size_t horizon)
{
    return jl_forecast(model, f->series, f->count, season, horizon, f->seasonal, f->forecast,
                       &f->result);
}

static void fill(struct forecasting *f, size_t count, double value)
{
    f->count = count;
    for (size_t i = 0; i < count; i++)
        f->series[i] = value;
}

/* ---- names ---- */

static void assert_model(const char *text, enum jl_forecast_model expected, int64_t season_ns)
{
    enum jl_forecast_model model = JL_FORECAST_UNKNOWN;
    int64_t season = 0;
    assert_int_equal(jl_forecast_model_parse(text, &model, &season), 0);
    assert_int_equal(model, expected);
    assert_int_equal(season, season_ns);
}

static void a_model_is_a_name_or_an_alias_with_or_without_a_season(void **state)
{
    (void)state;
    assert_model("", JL_FORECAST_AUTO, 24 * HOUR_NS);
    assert_model(NULL, JL_FORECAST_AUTO, 24 * HOUR_NS);
    assert_model("@12h", JL_FORECAST_AUTO, 12 * HOUR_NS);
    assert_model("Naive", JL_FORECAST_NAIVE, 24 * HOUR_NS);
    assert_model("SEASONAL-NAIVE@7d", JL_FORECAST_SEASONAL_NAIVE, 7 * 24 * HOUR_NS);
    assert_model("holt", JL_FORECAST_HOLT, 24 * HOUR_NS);
    assert_model("holt-winters@1h30m", JL_FORECAST_HOLT_WINTERS, HOUR_NS * 3 / 2);
    assert_model("smart-limit-v1", JL_FORECAST_HOLT, 24 * HOUR_NS);
    assert_model("Smart-Request-V1", JL_FORECAST_HOLT_WINTERS, 24 * HOUR_NS);
    assert_model("smart-warmup-v1@2h", JL_FORECAST_SEASONAL_NAIVE, 2 * HOUR_NS);
}

static void what_is_no_model_says_why(void **state)
{
    (void)state;
    enum jl_forecast_model model = JL_FORECAST_UNKNOWN;
    int64_t season = 5;
    assert_int_equal(jl_forecast_model_parse("prophet", &model, &season), JOULIE_E_ENUM);
    assert_int_equal(jl_forecast_model_parse(" holt", &model, &season), JOULIE_E_ENUM);
    assert_int_equal(jl_forecast_model_parse("holt@", &model, &season), JOULIE_E_PARSE);
    assert_int_equal(jl_forecast_model_parse("holt@daily", &model, &season), JOULIE_E_PARSE);
    assert_int_equal(jl_forecast_model_parse("holt@24h@", &model, &season), JOULIE_E_PARSE);
    assert_int_equal(jl_forecast_model_parse("holt@0", &model, &season), JOULIE_E_RANGE);
    assert_int_equal(jl_forecast_model_parse("holt@293y", &model, &season), JOULIE_E_RANGE);
    assert_true(model == JL_FORECAST_UNKNOWN && season == 5);
}

/* ---- choice ---- */

static void a_short_series_falls_back(void **state)
{
    (void)state;

    static const struct {
        enum jl_forecast_model asked;
        size_t count;
        size_t season;
        enum jl_forecast_model used;
    } cases[] = {
        { JL_FORECAST_AUTO, 8, 4, JL_FORECAST_HOLT_WINTERS },
        { JL_FORECAST_AUTO, 7, 4, JL_FORECAST_HOLT },
        { JL_FORECAST_AUTO, 4, 4, JL_FORECAST_HOLT },
        { JL_FORECAST_AUTO, 3, 4, JL_FORECAST_NAIVE },
        { JL_FORECAST_AUTO, 100, 0, JL_FORECAST_HOLT },
        { JL_FORECAST_AUTO, 4, 1, JL_FORECAST_HOLT_WINTERS }, /* a season has two bins */
        { JL_FORECAST_AUTO, 3, 1, JL_FORECAST_NAIVE },
        { JL_FORECAST_HOLT_WINTERS, 7, 4, JL_FORECAST_HOLT },
        { JL_FORECAST_HOLT_WINTERS, 2, 4, JL_FORECAST_HOLT },
        { JL_FORECAST_HOLT_WINTERS, 1, 4, JL_FORECAST_NAIVE },
        { JL_FORECAST_HOLT_WINTERS, 100, SIZE_MAX, JL_FORECAST_HOLT },
        { JL_FORECAST_HOLT, 100, 4, JL_FORECAST_HOLT },
        { JL_FORECAST_HOLT, 2, 4, JL_FORECAST_HOLT }, /* only auto wants four */
        { JL_FORECAST_HOLT, 1, 4, JL_FORECAST_NAIVE },
        { JL_FORECAST_SEASONAL_NAIVE, 4, 4, JL_FORECAST_SEASONAL_NAIVE },
        { JL_FORECAST_SEASONAL_NAIVE, 3, 4, JL_FORECAST_NAIVE },
        { JL_FORECAST_NAIVE, 1, 4, JL_FORECAST_NAIVE },
    };

    for (size_t i = 0; i < JL_COUNT(cases); i++) {
        struct forecasting f;
        fill(&f, cases[i].count, 0.1);
        assert_int_equal(run(&f, cases[i].asked, cases[i].season, 3), 0);
        assert_int_equal(f.result.model, cases[i].used);
    }
}

static void a_constant_series_is_forecast_without_error(void **state)
{
    (void)state;
    struct jl_random random = { 1 };
    for (int round = 0; round < 500; round++) {
        struct forecasting f;
        const double value = jl_random_range(&random, 0, 1000);
        fill(&f, (size_t)jl_random_int(&random, 4, MOST_VALUES), value);
        const size_t season = (size_t)jl_random_int(&random, 2, (int64_t)f.count / 2);
        assert_int_equal(run(&f, JL_FORECAST_HOLT, season, HORIZON), 0);
        assert_true(f.result.model == JL_FORECAST_HOLT && f.result.mae == 0);
        assert_true(f.result.used == value);
        assert_int_equal(run(&f, JL_FORECAST_HOLT_WINTERS, season, HORIZON), 0);
        assert_true(f.result.model == JL_FORECAST_HOLT_WINTERS && f.result.mae == 0);
        assert_near(f.result.used, value, 1e-12 * value);
    }
}

/* By hand: j = 2, l = 10, b = 1.5, then twice the recursion. */
static void holt_by_its_name_takes_a_series_of_three(void **state)
{
    (void)state;
    struct forecasting f = { .series = { 10, 12, 13 }, .count = 3 };
    assert_int_equal(run(&f, JL_FORECAST_HOLT, 0, 1), 0);
    assert_int_equal(f.result.model, JL_FORECAST_HOLT);
    assert_near(f.result.level, 12.97425, 1e-12);
    assert_near(f.result.trend, 1.27865, 1e-12);
    assert_near(f.forecast[0], 14.125035, 1e-12);
}

static void a_model_worse_than_naive_is_discarded(void **state)
{
    (void)state;
    struct forecasting f = { .series = { 10, 10, 10, 10, 50, 50, 50, 50, 50 }, .count = 9 };
    assert_int_equal(run(&f, JL_FORECAST_HOLT, 0, 2), 0);
    assert_int_equal(f.result.model, JL_FORECAST_NAIVE);
    assert_true(f.result.has_mae && !f.result.has_level && f.result.mae > f.result.mae_naive);
    assert_true(f.forecast[0] == 50 && f.forecast[1] == 50);
}

/* ---- bounds ---- */

static void what_is_used_stays_within_nothing_and_ten_times_the_series(void **state)
{
    (void)state;

    static const enum jl_forecast_model models[] = { JL_FORECAST_NAIVE, JL_FORECAST_SEASONAL_NAIVE,
                                                     JL_FORECAST_HOLT, JL_FORECAST_HOLT_WINTERS,
                                                     JL_FORECAST_AUTO };
    struct jl_random random = { 2 };
    for (int round = 0; round < 2000; round++) {
        struct forecasting f;
        const double scale = exp(jl_random_range(&random, -10, 400));
        double most = 0;
        f.count = (size_t)jl_random_int(&random, 1, MOST_VALUES);
        for (size_t i = 0; i < f.count; i++) {
            f.series[i] = scale * jl_random_unit(&random);
            most = fmax(most, f.series[i]);
        }
        const size_t horizon = (size_t)jl_random_int(&random, 1, HORIZON);
        assert_int_equal(run(&f, models[round % 5], (size_t)jl_random_int(&random, 1, 60), horizon),
                         0);
        assert_true(f.result.used >= 0 && f.result.used <= 10 * most);
        for (size_t i = 0; i < horizon; i++)
            assert_true(isfinite(f.forecast[i]) &&
                        (f.forecast[i] <= f.result.used || f.result.used == 10 * most));
    }
}

/* Season 2 of 0, 0, 100, 100: the level is 111 and grows by some 50 in each bin. */
static void a_steep_trend_ends_at_ten_times_the_largest_value(void **state)
{
    struct forecasting f = { .series = { 0, 0, 100, 100 }, .count = 4 };
    (void)state;
    assert_int_equal(run(&f, JL_FORECAST_HOLT_WINTERS, 2, HORIZON), 0);
    assert_int_equal(f.result.model, JL_FORECAST_HOLT_WINTERS);
    assert_true(f.forecast[HORIZON - 1] > 1010);
    assert_near(f.result.used, 1000, 0);
}

static void a_falling_trend_never_asks_for_less_than_nothing(void **state)
{
    (void)state;
    struct forecasting f = { .series = { 100, 60, 20, 0, 100, 60, 20, 0 }, .count = 8 };
    for (size_t i = 0; i < f.count; i++)
        f.series[i] = 800 - 100 * (double)i;
    assert_int_equal(run(&f, JL_FORECAST_HOLT, 0, HORIZON), 0);
    assert_true(f.result.model == JL_FORECAST_HOLT && f.forecast[HORIZON - 1] < 0);
    assert_true(f.result.used >= 0);
}

static void a_series_that_is_no_usage_is_refused(void **state)
{
    (void)state;
    const double bad[] = { -1, 2e200, (double)INFINITY, (double)NAN };
    struct forecasting f;
    fill(&f, 8, 1);
    f.result.used = 42;
    for (size_t i = 0; i < JL_COUNT(bad); i++) {
        f.series[5] = bad[i];
        assert_int_equal(run(&f, JL_FORECAST_AUTO, 2, 3), JOULIE_E_RANGE);
    }
    f.series[5] = 1;
    assert_int_equal(run(&f, JL_FORECAST_UNKNOWN, 2, 3), JOULIE_E_RANGE);
    assert_int_equal(run(&f, JL_FORECAST_AUTO, 2, 0), JOULIE_E_RANGE);
    f.count = 0;
    assert_int_equal(run(&f, JL_FORECAST_AUTO, 2, 3), JOULIE_E_RANGE);
    assert_true(f.result.used == 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_a_name_or_an_alias_with_or_without_a_season),
        cmocka_unit_test(what_is_no_model_says_why),
        cmocka_unit_test(a_short_series_falls_back),
        cmocka_unit_test(a_constant_series_is_forecast_without_error),
        cmocka_unit_test(holt_by_its_name_takes_a_series_of_three),
        cmocka_unit_test(a_model_worse_than_naive_is_discarded),
        cmocka_unit_test(what_is_used_stays_within_nothing_and_ten_times_the_series),
        cmocka_unit_test(a_steep_trend_ends_at_ten_times_the_largest_value),
        cmocka_unit_test(a_falling_trend_never_asks_for_less_than_nothing),
        cmocka_unit_test(a_series_that_is_no_usage_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
