/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The grammar of every text field of a spec, and the texts that the dialects read in different
 * ways: decimals, targets, schedules (docs/rules/tensor-fusion.md#autoscaling-fields).
 */

#include "tensor_fusion/dialect_texts.h"

#include "cron/cron.h"
#include "kinds/tensor_fusion.h"

static const struct jl_text_rule rules[] = {
    /* A */
    { "evaluationPeriod", JL_TEXT_DURATION, 0, NULL },
    { "extraTFlopsBufferRatio", JL_TEXT_RATIO, JL_RATIO_EXTRA_TFLOPS_BUFFER, NULL },
    { "ignoredDeltaRange", JL_TEXT_RATIO, JL_RATIO_IGNORED_DELTA, NULL },
    { "maxRatioToRequests", JL_TEXT_RATIO, JL_RATIO_MAX_TO_REQUESTS, NULL },
    { "scaleUpStep", JL_TEXT_STEP, JL_RATIO_LIMITS_STEP, &jl_fusion_auto_limits_table },
    { "scaleUpStep", JL_TEXT_STEP, JL_RATIO_REPLICAS_STEP_UP, NULL },
    { "scaleDownStep", JL_TEXT_STEP, JL_RATIO_REPLICAS_STEP_DOWN, NULL },
    { "scaleUpCoolDownTime", JL_TEXT_DURATION, 0, NULL },
    { "scaleDownCoolDownTime", JL_TEXT_DURATION, 0, NULL },
    { "targetTFlopsOfLimits", JL_TEXT_RATIO, JL_RATIO_TARGET_OF_LIMITS, NULL },
    { "aggregationPeriod", JL_TEXT_DURATION, 0, NULL },
    { "extraBufferRatio", JL_TEXT_RATIO, JL_RATIO_EXTRA_BUFFER, NULL },
    { "percentileForAutoRequests", JL_TEXT_RATIO, JL_RATIO_PERCENTILE, NULL },
    { "historyDataPeriod", JL_TEXT_DURATION, 0, &jl_fusion_prediction_table },
    { "predictionPeriod", JL_TEXT_DURATION, 0, &jl_fusion_prediction_table },
    /* all of them */
    { "targetResource", JL_TEXT_TARGET, 0, NULL },
    /* C */
    { "targetComputePercentile", JL_TEXT_PERCENTILE, 0, NULL },
    { "lowerBoundComputePercentile", JL_TEXT_PERCENTILE, 0, NULL },
    { "upperBoundComputePercentile", JL_TEXT_PERCENTILE, 0, NULL },
    { "targetVRAMPercentile", JL_TEXT_PERCENTILE, 0, NULL },
    { "lowerBoundVRAMPercentile", JL_TEXT_PERCENTILE, 0, NULL },
    { "upperBoundVRAMPercentile", JL_TEXT_PERCENTILE, 0, NULL },
    { "marginFraction", JL_TEXT_FRACTION, 0, NULL },
    { "updateThreshold", JL_TEXT_FRACTION, 0, NULL },
    { "historyDataPeriod", JL_TEXT_GO_DURATION, 0, NULL },
    { "minVRAMResourcesRatio", JL_TEXT_FACTOR, 0, NULL },
    { "maxVRAMResourcesRatio", JL_TEXT_FACTOR, 0, NULL },
    { "minComputeResourcesRatio", JL_TEXT_FACTOR, 0, NULL },
    { "maxComputeResourcesRatio", JL_TEXT_FACTOR, 0, NULL },
    { "initialDelayPeriod", JL_TEXT_GO_DURATION, 0, NULL },
    { "interval", JL_TEXT_GO_DURATION, 0, NULL },
    { "timeout", JL_TEXT_GO_DURATION, 0, &jl_fusion_gang_table },
    /* B */
    { "targettflopspercentile", JL_TEXT_PERCENTILE, 0, NULL },
    { "lowerboundtflopspercentile", JL_TEXT_PERCENTILE, 0, NULL },
    { "upperboundtflopspercentile", JL_TEXT_PERCENTILE, 0, NULL },
    { "targetvrampercentile", JL_TEXT_PERCENTILE, 0, NULL },
    { "lowerboundvrampercentile", JL_TEXT_PERCENTILE, 0, NULL },
    { "upperboundvrampercentile", JL_TEXT_PERCENTILE, 0, NULL },
    { "requestMarginFraction", JL_TEXT_FRACTION, 0, NULL },
    { "confidenceInterval", JL_TEXT_GO_DURATION, 0, NULL },
    { "historyLength", JL_TEXT_DURATION, 0, NULL }, /* 1d by default */
    { "historyResolution", JL_TEXT_DURATION, 0, NULL },
};

struct jl_text_rule jl_text_rule_of(const struct jl_table *table, const char *key)
{
    for (size_t i = 0; i < JL_COUNT(rules); i++) {
        const bool is_there = !rules[i].table || rules[i].table == table;
        if (is_there && jl_same(rules[i].key, key))
            return rules[i];
    }
    return (struct jl_text_rule){ .grammar = JL_TEXT_PLAIN };
}

int jl_dialect_decimal(struct jl_text text, enum jl_decimal decimal, double *out)
{
    struct jl_ratio ratio;
    const int rc = jl_parse_ratio(text.ptr, text.len, &ratio);
    if (rc < 0 || ratio.is_percent)
        return rc < 0 ? rc : JOULIE_E_PARSE;
    if ((decimal != JL_DECIMAL_FRACTION && !(ratio.value > 0)) ||
        (decimal == JL_DECIMAL_PERCENTILE && ratio.value > 1))
        return JOULIE_E_RANGE;
    *out = ratio.value;
    return 0;
}

enum joulie_tensor_fusion_target jl_dialect_target(struct jl_text text)
{
    for (size_t i = 0; i < jl_fusion_target_words.count; i++) {
        const struct jl_word *word = &jl_fusion_target_words.items[i];
        if (jl_same_nocase(text, word->word))
            return (enum joulie_tensor_fusion_target)word->value;
    }
    return JOULIE_TENSOR_FUSION_TARGET_UNKNOWN;
}

bool jl_dialect_is_target(const char *word)
{
    return jl_is_empty(word) ||
           jl_dialect_target(jl_text(word)) != JOULIE_TENSOR_FUSION_TARGET_UNKNOWN;
}

bool jl_dialect_is_late_cron(struct jl_text text)
{
    struct jl_cron cron;
    return jl_cron_parse(text.ptr, text.len, &cron, NULL) == 0 &&
           jl_cron_parse_v2_17_1(text.ptr, text.len, &cron, NULL) < 0;
}
