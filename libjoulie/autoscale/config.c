/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What holds where a profile is silent: the defaults of every layer
 * (docs/rules/autoscaling.md#configuration). profile.c starts from them.
 */

#include "autoscale/config.h"

#include "autoscale/limits.h"
#include "autoscale/requests.h"

#define SECONDS(count) ((count)*JL_NS_PER_S)
#define MINUTES(count) SECONDS((count)*INT64_C(60))
#define HOURS(count) MINUTES((count)*INT64_C(60))

/* Limits: 10 s, 20 %, 5 %, ×5, ×2; its prediction looks 1 min ahead, on 24 h. */
static void init_limits(struct jl_limits_layer *out)
{
    struct jl_limits_input defaults;
    *out = (struct jl_limits_layer){
        .targets = JL_TARGETS_ALL,
        .period_ns = SECONDS(10),
        .prediction = { .season_ns = JL_FORECAST_SEASON_NS,
                        .history_ns = HOURS(24),
                        .period_ns = MINUTES(1) },
    };
    jl_limits_defaults(JL_USAGE_TFLOPS, &defaults);
    out->buffer[JL_USAGE_TFLOPS] = defaults.buffer;
    out->buffer[JL_USAGE_VRAM] = JL_LIMITS_VRAM_BUFFER;
    out->ignored = defaults.ignored;
    out->step = defaults.step;
    out->max_ratio = defaults.max_ratio;
}

/* Requests: 30 min, 168 h, 90 %, 10 % more; its prediction looks 1 h ahead, on 168 h. */
static void init_requests(struct jl_requests_layer *out)
{
    *out = (struct jl_requests_layer){
        .targets = JL_TARGETS_ALL,
        .period_ns = MINUTES(30),
        .aggregation_ns = HOURS(168),
        .percentile = 0.9,
        .multiplier = JL_REQUESTS_MULTIPLIER,
        .prediction = { .season_ns = JL_FORECAST_SEASON_NS,
                        .history_ns = HOURS(168),
                        .period_ns = HOURS(1) },
    };
}

/* What the code of v2.17.1 takes: an empty target changes nothing. */
static void init_percentile(struct jl_percentile_layer *out)
{
    *out = (struct jl_percentile_layer){
        .fractions = { [JL_USAGE_TFLOPS] = { .lower = 0.5, .target = 0.95, .upper = 0.99 },
                       [JL_USAGE_VRAM] = { .lower = 0.5, .target = 0.98, .upper = 0.99 } },
        .history_ns = HOURS(2),
        .interval_ns = SECONDS(30),
    };
    jl_percentile_defaults(&out->config);
}

void jl_autoscale_config_init(struct jl_autoscale_config *config, enum jl_autoscale_model model)
{
    *config = (struct jl_autoscale_config){
        .model = model,
        .replicas = { .period_ns = SECONDS(30) },
        .external = { .initial_delay_ns = MINUTES(30), .interval_ns = SECONDS(30) },
        .where_rules = "spec.autoScalingConfig.cronScalingRules",
        .spec_replicas = -1,
        .gpu_count = 1,
    };
    init_limits(&config->limits);
    init_requests(&config->requests);
    init_percentile(&config->percentile);
    jl_replicas_defaults(&config->replicas.config);
}
