/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a series of usage will do next. Rules: docs/rules/autoscaling-statistics.md#forecast. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/words.h"

enum jl_forecast_model {
    JL_FORECAST_UNKNOWN,
    JL_FORECAST_NAIVE,
    JL_FORECAST_SEASONAL_NAIVE,
    JL_FORECAST_HOLT, /* damped */
    JL_FORECAST_HOLT_WINTERS,
    JL_FORECAST_AUTO,
};

extern const struct jl_words jl_forecast_words; /* names of the models, without aliases */

#define JL_FORECAST_SEASON_NS INT64_C(86400000000000) /* 24 h, where the text names no season */
#define JL_FORECAST_MOST 1e200 /* of a value: no sum of such leaves the numbers */

/*
 * Name or alias in any case, "@" and a duration with d, w and y behind it or not; "" and NULL are
 * auto. JOULIE_E_ENUM for an unknown name; JOULIE_E_PARSE and JOULIE_E_RANGE for the duration,
 * which is more than 0. out_season_ns may be NULL.
 */
int jl_forecast_model_parse(const char *text, enum jl_forecast_model *out, int64_t *out_season_ns);

struct jl_forecast {
    enum jl_forecast_model model; /* that was used, after fall-back and quality gate */
    double level, trend;          /* final state, has_level: of holt and holt-winters */
    double mae, mae_naive; /* has_mae: of the recursion that was run, also if it was discarded */
    double used;           /* largest value of the forecast, within 0 and ten times the series */
    bool has_level, has_mae;
};

/*
 * season: bins of one season, at least 2 (1 counts as 2), 0 = none known. seasonal: room for season
 * doubles, or for count / 2 where that is less; its content is the final state with holt-winters
 * and nothing with another model; NULL with season 0. forecast: room for horizon doubles, or NULL.
 *
 * JOULIE_E_RANGE: count or horizon is 0, the model is unknown, or a value is negative, not a number
 * or more than JL_FORECAST_MOST; *out is untouched then.
 */
int jl_forecast(enum jl_forecast_model model, const double *series, size_t count, size_t season,
                size_t horizon, double *seasonal, double *forecast, struct jl_forecast *out);
