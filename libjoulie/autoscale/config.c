/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The fields of an autoscaling config in one list: where a profile has each, how it is read, its
 * default and its bounds (docs/rules/autoscaling.md#configuration). Defaults come from the list
 * here, profile_fields.c reads by it.
 */

#include "autoscale/config.h"

#include <stddef.h>
#include <string.h>

#define SECONDS(count) ((count)*JL_NS_PER_S)
#define MINUTES(count) SECONDS((count)*INT64_C(60))
#define HOURS(count) MINUTES((count)*INT64_C(60))

#define LIMITS "autoSetLimits"
#define REPLICAS "autoSetReplicas"
#define REQUESTS "autoSetRequests"
#define RESOURCES "autoSetResources"
#define EXTERNAL "externalScaler"

/* The offset of a member; another type than the form's does not compile. */
#define AT(member, type)                            \
    (offsetof(struct jl_autoscale_config, member) + \
     0 * sizeof _Generic(&((struct jl_autoscale_config *)0)->member, type * : 0))

#define ROW(layer, part, key, form, ratio, type, member, ...)        \
    {                                                                \
        layer, part, key, form, ratio, AT(member, type), __VA_ARGS__ \
    }
#define DURATION(layer, key, member, ...) \
    ROW(layer, NULL, key, JL_FORM_DURATION, 0, int64_t, member, __VA_ARGS__)
#define GO_DURATION(layer, key, member, ...) \
    ROW(layer, NULL, key, JL_FORM_GO_DURATION, 0, int64_t, member, __VA_ARGS__)
#define PREDICTION(layer, key, member, by_default)                                              \
    ROW(layer, "prediction", key, JL_FORM_DURATION, 0, int64_t, member, by_default, SECONDS(1), \
        HOURS(720))
#define RATIO(layer, key, member, ratio, by_default) \
    ROW(layer, NULL, key, JL_FORM_RATIO, ratio, double, member, by_default, 0, 0)
#define STEP(layer, key, member, ratio, by_default) \
    ROW(layer, NULL, key, JL_FORM_STEP, ratio, struct jl_replica_step, member, by_default, 0, 0)
#define DECIMAL(layer, key, member, by_default) \
    ROW(layer, NULL, key, JL_FORM_DECIMAL, 0, double, member, by_default, 0, 0)
/* clang-format off */
const struct jl_config_field jl_config_fields[] = {
    DURATION(LIMITS, "evaluationPeriod", limits.period_ns, SECONDS(10), SECONDS(1), HOURS(1)),
    RATIO(LIMITS, "extraTFlopsBufferRatio", limits.buffer[JL_USAGE_TFLOPS], JL_RATIO_EXTRA_TFLOPS_BUFFER, 0.2),
    RATIO(LIMITS, "ignoredDeltaRange", limits.ignored, JL_RATIO_IGNORED_DELTA, 0.05),
    RATIO(LIMITS, "maxRatioToRequests", limits.max_ratio, JL_RATIO_MAX_TO_REQUESTS, 5),
    RATIO(LIMITS, "scaleUpStep", limits.step, JL_RATIO_LIMITS_STEP, 2),
    PREDICTION(LIMITS, "historyDataPeriod", limits.prediction.history_ns, HOURS(24)),
    PREDICTION(LIMITS, "predictionPeriod", limits.prediction.period_ns, MINUTES(1)),

    DURATION(REPLICAS, "evaluationPeriod", replicas.period_ns, SECONDS(30), SECONDS(10), HOURS(1)),
    DURATION(REPLICAS, "scaleUpCoolDownTime", replicas.config.up_cool_down_ns, MINUTES(1), 0, HOURS(720)),
    DURATION(REPLICAS, "scaleDownCoolDownTime", replicas.config.down_cool_down_ns, MINUTES(5), 0, HOURS(720)),
    STEP(REPLICAS, "scaleUpStep", replicas.config.up, JL_RATIO_REPLICAS_STEP_UP, 0.3),
    STEP(REPLICAS, "scaleDownStep", replicas.config.down, JL_RATIO_REPLICAS_STEP_DOWN, 0.1),
    RATIO(REPLICAS, "targetTFlopsOfLimits", replicas.config.target_frac, JL_RATIO_TARGET_OF_LIMITS, 0.95),

    DURATION(REQUESTS, "evaluationPeriod", requests.period_ns, MINUTES(30), MINUTES(1), HOURS(24)),
    DURATION(REQUESTS, "aggregationPeriod", requests.aggregation_ns, HOURS(168), HOURS(1), HOURS(720)),
    RATIO(REQUESTS, "percentileForAutoRequests", requests.percentile, JL_RATIO_PERCENTILE, 0.9),
    RATIO(REQUESTS, "extraBufferRatio", requests.multiplier, JL_RATIO_EXTRA_BUFFER, JL_REQUESTS_MULTIPLIER),
    PREDICTION(REQUESTS, "historyDataPeriod", requests.prediction.history_ns, HOURS(168)),
    PREDICTION(REQUESTS, "predictionPeriod", requests.prediction.period_ns, HOURS(1)),

    /* What the code of v2.17.1 takes, where its schema text says otherwise. */
    DECIMAL(RESOURCES, "targetComputePercentile", percentile.fractions[JL_USAGE_TFLOPS].target, 0.95),
    DECIMAL(RESOURCES, "lowerBoundComputePercentile", percentile.fractions[JL_USAGE_TFLOPS].lower, 0.5),
    DECIMAL(RESOURCES, "upperBoundComputePercentile", percentile.fractions[JL_USAGE_TFLOPS].upper, 0.99),
    DECIMAL(RESOURCES, "targetVRAMPercentile", percentile.fractions[JL_USAGE_VRAM].target, 0.98),
    DECIMAL(RESOURCES, "lowerBoundVRAMPercentile", percentile.fractions[JL_USAGE_VRAM].lower, 0.5),
    DECIMAL(RESOURCES, "upperBoundVRAMPercentile", percentile.fractions[JL_USAGE_VRAM].upper, 0.99),
    DECIMAL(RESOURCES, "marginFraction", percentile.config.margin_frac, 0.15),
    DECIMAL(RESOURCES, "updateThreshold", percentile.config.update_threshold_frac, 0.1),
    DECIMAL(RESOURCES, "minVRAMResourcesRatio", percentile.config.min_ratio[JL_USAGE_VRAM], 0.2),
    DECIMAL(RESOURCES, "maxVRAMResourcesRatio", percentile.config.max_ratio[JL_USAGE_VRAM], 5),
    DECIMAL(RESOURCES, "minComputeResourcesRatio", percentile.config.min_ratio[JL_USAGE_TFLOPS], 0.1),
    DECIMAL(RESOURCES, "maxComputeResourcesRatio", percentile.config.max_ratio[JL_USAGE_TFLOPS], 10),
    GO_DURATION(RESOURCES, "historyDataPeriod", percentile.history_ns, HOURS(2), SECONDS(1), HOURS(720)),
    GO_DURATION(RESOURCES, "initialDelayPeriod", percentile.config.initial_delay_ns, MINUTES(30), 0, HOURS(720)),
    GO_DURATION(RESOURCES, "interval", percentile.interval_ns, SECONDS(30), SECONDS(1), HOURS(24)),

    DURATION(EXTERNAL, "initialDelayPeriod", external.initial_delay_ns, MINUTES(30), 0, HOURS(720)),
    DURATION(EXTERNAL, "interval", external.interval_ns, SECONDS(30), 0, HOURS(720)),
};
/* clang-format on */
const size_t jl_config_field_count = JL_COUNT(jl_config_fields);

static void set_default(struct jl_autoscale_config *config, const struct jl_config_field *field)
{
    char *member = (char *)config + field->offset;
    const int64_t ns = (int64_t)field->by_default;
    switch (field->form) {
    case JL_FORM_DURATION:
    case JL_FORM_GO_DURATION:
        memcpy(member, &ns, sizeof ns);
        break;
    case JL_FORM_RATIO:
    case JL_FORM_DECIMAL:
        memcpy(member, &field->by_default, sizeof field->by_default);
        break;
    case JL_FORM_STEP:
        ((struct jl_replica_step *)(void *)member)->amount = field->by_default;
        break;
    }
}

void jl_autoscale_config_init(struct jl_autoscale_config *config, enum jl_autoscale_model model)
{
    *config = (struct jl_autoscale_config){
        .model = model,
        .limits = { .targets = JL_TARGETS_ALL,
                    .buffer[JL_USAGE_VRAM] = JL_LIMITS_VRAM_BUFFER,
                    .prediction.season_ns = JL_FORECAST_SEASON_NS },
        .replicas.config = { .min = 1, .max = JL_REPLICAS_MAX },
        .requests = { .targets = JL_TARGETS_ALL, .prediction.season_ns = JL_FORECAST_SEASON_NS },
        .where_rules = "spec.autoScalingConfig.cronScalingRules",
        .spec_replicas = -1,
        .gpu_count = 1,
    };
    for (size_t i = 0; i < jl_config_field_count; i++)
        set_default(config, &jl_config_fields[i]);
}

void jl_limits_defaults(enum jl_usage usage, struct jl_limits_input *out)
{
    struct jl_autoscale_config config;
    jl_autoscale_config_init(&config, JL_AUTOSCALE_CURRENT);
    *out = (struct jl_limits_input){
        .usage = usage,
        .buffer = config.limits.buffer[usage],
        .ignored = config.limits.ignored,
        .step = config.limits.step,
        .max_ratio = config.limits.max_ratio,
        .period_ns = config.limits.period_ns,
    };
}

void jl_replicas_defaults(struct jl_replicas_config *out)
{
    struct jl_autoscale_config config;
    jl_autoscale_config_init(&config, JL_AUTOSCALE_CURRENT);
    *out = config.replicas.config;
}

void jl_percentile_defaults(struct jl_percentile_config *out)
{
    struct jl_autoscale_config config;
    jl_autoscale_config_init(&config, JL_AUTOSCALE_V2_17_1);
    *out = config.percentile.config;
}
