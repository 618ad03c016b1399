/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The texts of spec.autoScalingConfig (docs/rules/tensor-fusion.md#autoscaling-fields). The CRDs
 * take any string, and the operators replace one that they cannot read by a default without a
 * word; here it is an error with its path.
 */

#include "base/error.h"
#include "base/time.h"
#include "cron/cron.h"
#include "tensor_fusion/ratio.h"
#include "tensor_fusion/validate_parts.h"

enum grammar {
    GRAMMAR_DURATION,    /* with d, w and y */
    GRAMMAR_GO_DURATION, /* what the operators of B and C parse: no days */
    GRAMMAR_RATIO,       /* what it means depends on the field */
    GRAMMAR_PERCENTILE,  /* B, C: a decimal in (0, 1] */
    GRAMMAR_FRACTION,    /* B, C: a decimal >= 0 */
    GRAMMAR_FACTOR,      /* B, C: a decimal > 0 */
    GRAMMAR_TARGET,
};

struct text_rule {
    unsigned bit;
    enum grammar grammar;
    enum jl_ratio_field field; /* GRAMMAR_RATIO */
};

static const struct text_rule limits_rules[] = {
    { JL_INDEX(jl_fusion_auto_limits, evaluation_period), GRAMMAR_DURATION, 0 },
    { JL_INDEX(jl_fusion_auto_limits, extra_tflops_buffer_ratio), GRAMMAR_RATIO,
      JL_RATIO_EXTRA_TFLOPS_BUFFER },
    { JL_INDEX(jl_fusion_auto_limits, ignored_delta_range), GRAMMAR_RATIO, JL_RATIO_IGNORED_DELTA },
    { JL_INDEX(jl_fusion_auto_limits, max_ratio_to_requests), GRAMMAR_RATIO,
      JL_RATIO_MAX_TO_REQUESTS },
    { JL_INDEX(jl_fusion_auto_limits, scale_up_step), GRAMMAR_RATIO, JL_RATIO_LIMITS_STEP },
    { JL_INDEX(jl_fusion_auto_limits, target_resource), GRAMMAR_TARGET, 0 },
};

static const struct text_rule replicas_rules[] = {
    { JL_INDEX(jl_fusion_auto_replicas, evaluation_period), GRAMMAR_DURATION, 0 },
    { JL_INDEX(jl_fusion_auto_replicas, scale_down_cool_down_time), GRAMMAR_DURATION, 0 },
    { JL_INDEX(jl_fusion_auto_replicas, scale_down_step), GRAMMAR_RATIO,
      JL_RATIO_REPLICAS_STEP_DOWN },
    { JL_INDEX(jl_fusion_auto_replicas, scale_up_cool_down_time), GRAMMAR_DURATION, 0 },
    { JL_INDEX(jl_fusion_auto_replicas, scale_up_step), GRAMMAR_RATIO, JL_RATIO_REPLICAS_STEP_UP },
    { JL_INDEX(jl_fusion_auto_replicas, target_tflops_of_limits), GRAMMAR_RATIO,
      JL_RATIO_TARGET_OF_LIMITS },
};

static const struct text_rule requests_rules[] = {
    { JL_INDEX(jl_fusion_auto_requests, aggregation_period), GRAMMAR_DURATION, 0 },
    { JL_INDEX(jl_fusion_auto_requests, evaluation_period), GRAMMAR_DURATION, 0 },
    { JL_INDEX(jl_fusion_auto_requests, extra_buffer_ratio), GRAMMAR_RATIO, JL_RATIO_EXTRA_BUFFER },
    { JL_INDEX(jl_fusion_auto_requests, percentile), GRAMMAR_RATIO, JL_RATIO_PERCENTILE },
    { JL_INDEX(jl_fusion_auto_requests, target_resource), GRAMMAR_TARGET, 0 },
};

static const struct text_rule prediction_rules[] = {
    { JL_INDEX(jl_fusion_prediction, history_data_period), GRAMMAR_DURATION, 0 },
    { JL_INDEX(jl_fusion_prediction, prediction_period), GRAMMAR_DURATION, 0 },
};

static const struct text_rule resources_rules[] = {
    { JL_INDEX(jl_fusion_auto_resources, target_resource), GRAMMAR_TARGET, 0 },
    { JL_INDEX(jl_fusion_auto_resources, target_compute_percentile), GRAMMAR_PERCENTILE, 0 },
    { JL_INDEX(jl_fusion_auto_resources, lower_bound_compute_percentile), GRAMMAR_PERCENTILE, 0 },
    { JL_INDEX(jl_fusion_auto_resources, upper_bound_compute_percentile), GRAMMAR_PERCENTILE, 0 },
    { JL_INDEX(jl_fusion_auto_resources, target_vram_percentile), GRAMMAR_PERCENTILE, 0 },
    { JL_INDEX(jl_fusion_auto_resources, lower_bound_vram_percentile), GRAMMAR_PERCENTILE, 0 },
    { JL_INDEX(jl_fusion_auto_resources, upper_bound_vram_percentile), GRAMMAR_PERCENTILE, 0 },
    { JL_INDEX(jl_fusion_auto_resources, margin_fraction), GRAMMAR_FRACTION, 0 },
    { JL_INDEX(jl_fusion_auto_resources, update_threshold), GRAMMAR_FRACTION, 0 },
    { JL_INDEX(jl_fusion_auto_resources, history_data_period), GRAMMAR_GO_DURATION, 0 },
    { JL_INDEX(jl_fusion_auto_resources, min_vram_resources_ratio), GRAMMAR_FACTOR, 0 },
    { JL_INDEX(jl_fusion_auto_resources, max_vram_resources_ratio), GRAMMAR_FACTOR, 0 },
    { JL_INDEX(jl_fusion_auto_resources, min_compute_resources_ratio), GRAMMAR_FACTOR, 0 },
    { JL_INDEX(jl_fusion_auto_resources, max_compute_resources_ratio), GRAMMAR_FACTOR, 0 },
    { JL_INDEX(jl_fusion_auto_resources, initial_delay_period), GRAMMAR_GO_DURATION, 0 },
    { JL_INDEX(jl_fusion_auto_resources, interval), GRAMMAR_GO_DURATION, 0 },
    { JL_INDEX(jl_fusion_auto_resources, b_target_tflops_percentile), GRAMMAR_PERCENTILE, 0 },
    { JL_INDEX(jl_fusion_auto_resources, b_lower_bound_tflops_percentile), GRAMMAR_PERCENTILE, 0 },
    { JL_INDEX(jl_fusion_auto_resources, b_upper_bound_tflops_percentile), GRAMMAR_PERCENTILE, 0 },
    { JL_INDEX(jl_fusion_auto_resources, b_target_vram_percentile), GRAMMAR_PERCENTILE, 0 },
    { JL_INDEX(jl_fusion_auto_resources, b_lower_bound_vram_percentile), GRAMMAR_PERCENTILE, 0 },
    { JL_INDEX(jl_fusion_auto_resources, b_upper_bound_vram_percentile), GRAMMAR_PERCENTILE, 0 },
    { JL_INDEX(jl_fusion_auto_resources, b_request_margin_fraction), GRAMMAR_FRACTION, 0 },
    { JL_INDEX(jl_fusion_auto_resources, b_confidence_interval), GRAMMAR_GO_DURATION, 0 },
    { JL_INDEX(jl_fusion_auto_resources, b_history_length), GRAMMAR_DURATION,
      0 }, /* 1d by default */
    { JL_INDEX(jl_fusion_auto_resources, b_history_resolution), GRAMMAR_DURATION, 0 },
};

static const struct text_rule external_rules[] = {
    { JL_INDEX(jl_fusion_external, initial_delay_period), GRAMMAR_GO_DURATION, 0 },
    { JL_INDEX(jl_fusion_external, interval), GRAMMAR_GO_DURATION, 0 },
};

static int check_duration(struct jl_text text, bool is_go)
{
    int64_t ns;
    const int rc = is_go ? jl_parse_duration(text.ptr, text.len, &ns)
                         : jl_parse_profile_duration(text.ptr, text.len, &ns);
    return rc == 0 && ns < 0 ? JOULIE_E_RANGE : rc;
}

static int check_decimal(enum grammar grammar, struct jl_text text)
{
    const enum jl_decimal decimal = grammar == GRAMMAR_PERCENTILE ? JL_DECIMAL_PERCENTILE
                                    : grammar == GRAMMAR_FRACTION ? JL_DECIMAL_FRACTION
                                                                  : JL_DECIMAL_FACTOR;
    double value;
    return jl_dialect_decimal(text, decimal, &value);
}

static int check_ratio(enum jl_ratio_field field, struct jl_text text)
{
    struct jl_ratio ratio;
    double effective;
    enum jl_ratio_unit unit;
    const int rc = jl_parse_ratio(text.ptr, text.len, &ratio);
    return rc < 0 ? rc : jl_ratio_effective(field, &ratio, &effective, &unit);
}

static int check_text(const struct text_rule *rule, struct jl_text text)
{
    switch (rule->grammar) {
    case GRAMMAR_DURATION:
    case GRAMMAR_GO_DURATION:
        return check_duration(text, rule->grammar == GRAMMAR_GO_DURATION);
    case GRAMMAR_RATIO:
        return check_ratio(rule->field, text);
    case GRAMMAR_PERCENTILE:
    case GRAMMAR_FRACTION:
    case GRAMMAR_FACTOR:
        return check_decimal(rule->grammar, text);
    case GRAMMAR_TARGET:
        return jl_dialect_target(text) == JOULIE_TENSOR_FUSION_TARGET_UNKNOWN ? JOULIE_E_ENUM : 0;
    }
    return JOULIE_E_INTERNAL;
}

static const char *expected(enum grammar grammar)
{
    switch (grammar) {
    case GRAMMAR_DURATION:
        return "a duration such as 30s, 1h30m or 7d";
    case GRAMMAR_GO_DURATION:
        return "a duration such as 30s, 1h30m or 168h";
    case GRAMMAR_RATIO:
        return "a ratio that this field takes, such as 20% or 0.2";
    case GRAMMAR_PERCENTILE:
        return "a decimal above 0 and up to 1";
    case GRAMMAR_FRACTION:
        return "a decimal of 0 or more";
    case GRAMMAR_FACTOR:
        return "a decimal above 0";
    case GRAMMAR_TARGET:
        break;
    }
    return "one of tflops, compute, vram, all";
}

static int check_rule(struct jl_decode *decode, const struct jl_fusion_place *place,
                      const struct text_rule *rule)
{
    const struct jl_text text = jl_fusion_text_at(place, rule->bit);
    const int rc = text.len > 0 ? check_text(rule, text) : 0;
    if (rc == 0)
        return 0;
    return jl_fusion_fail(decode, place, rule->bit, rc, "\"%.64s\" is not %s", text.ptr,
                          expected(rule->grammar));
}

static int check_rules(struct jl_decode *decode, const struct jl_fusion_place *place,
                       const struct text_rule *rules, size_t count)
{
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = check_rule(decode, place, &rules[i]);
    return rc;
}

int jl_fusion_check_go_duration(struct jl_decode *decode, const struct jl_fusion_place *place,
                                unsigned bit)
{
    const struct text_rule rule = { bit, GRAMMAR_GO_DURATION, 0 };
    return check_rule(decode, place, &rule);
}

/* The rules of one block of autoScalingConfig, and of the prediction inside when it has one. */
static int check_block(struct jl_decode *decode, const struct jl_fusion_place *autoscaling,
                       unsigned bit, const struct text_rule *rules, size_t count,
                       unsigned prediction_bit)
{
    struct jl_path path;
    struct jl_path inner;
    const struct jl_fusion_place block = jl_fusion_inside(autoscaling, bit, &path);
    const int rc = check_rules(decode, &block, rules, count);
    if (rc < 0 || prediction_bit == 0)
        return rc;
    const struct jl_fusion_place prediction = jl_fusion_inside(&block, prediction_bit, &inner);
    return check_rules(decode, &prediction, prediction_rules, JL_COUNT(prediction_rules));
}

static int check_expression(struct jl_decode *decode, const struct jl_fusion_place *rule,
                            unsigned bit)
{
    struct joulie_error local = { .struct_size = sizeof local };
    const struct jl_text text = jl_fusion_text_at(rule, bit);
    struct jl_cron cron;
    const int rc = jl_cron_parse(text.ptr, text.len, &cron, &local);
    if (rc < 0)
        return jl_fusion_fail(decode, rule, bit, rc, "%s", local.message);
    if (jl_dialect_is_late_cron(text))
        jl_fusion_warn(decode, rule, bit,
                       "operators of dialect C refuse it, and with it the whole workload: Sunday "
                       "is 0, and words such as @daily are written as five fields");
    return 0;
}

/* A rule that is disabled or lacks name, start or end is skipped without a report. */
static int check_cron_rule(struct jl_decode *decode, const struct jl_fusion_place *place)
{
    const struct jl_fusion_cron_rule *rule = place->object;
    const struct jl_text start = jl_fusion_text_at(place, JL_INDEX(jl_fusion_cron_rule, start));
    const struct jl_text end = jl_fusion_text_at(place, JL_INDEX(jl_fusion_cron_rule, end));
    if (!rule->enable || jl_fusion_text_at(place, JL_INDEX(jl_fusion_cron_rule, name)).len == 0 ||
        start.len == 0 || end.len == 0)
        return 0;
    int rc = check_expression(decode, place, JL_INDEX(jl_fusion_cron_rule, start));
    if (rc == 0)
        rc = check_expression(decode, place, JL_INDEX(jl_fusion_cron_rule, end));
    if (rc == 0 && jl_cron_is_same_text(start.ptr, start.len, end.ptr, end.len))
        rc = jl_fusion_fail(decode, place, JL_INDEX(jl_fusion_cron_rule, end), JOULIE_E_CONFLICT,
                            "the rule ends when it starts");
    return rc;
}

static int check_cron_rules(struct jl_decode *decode, const struct jl_fusion_place *autoscaling)
{
    const struct jl_fusion_autoscaling *object = autoscaling->object;
    int rc = 0;
    for (size_t i = 0; i < object->cron_rules.count && rc == 0; i++) {
        struct jl_path list_path;
        struct jl_path item_path;
        const struct jl_fusion_place rule = jl_fusion_item(
            autoscaling, JL_INDEX(jl_fusion_autoscaling, cron_rules), i, &list_path, &item_path);
        rc = check_cron_rule(decode, &rule);
    }
    return rc;
}

int jl_fusion_check_texts(struct jl_decode *decode, const struct jl_fusion_place *autoscaling)
{
    static const struct {
        unsigned bit;
        const struct text_rule *rules;
        size_t count;
        unsigned prediction_bit; /* 0 = it has none */
    } blocks[] = {
        { JL_INDEX(jl_fusion_autoscaling, limits), limits_rules, JL_COUNT(limits_rules),
          JL_INDEX(jl_fusion_auto_limits, prediction) },
        { JL_INDEX(jl_fusion_autoscaling, replicas), replicas_rules, JL_COUNT(replicas_rules), 0 },
        { JL_INDEX(jl_fusion_autoscaling, requests), requests_rules, JL_COUNT(requests_rules),
          JL_INDEX(jl_fusion_auto_requests, prediction) },
        { JL_INDEX(jl_fusion_autoscaling, resources), resources_rules, JL_COUNT(resources_rules),
          0 },
        { JL_INDEX(jl_fusion_autoscaling, external), external_rules, JL_COUNT(external_rules), 0 },
    };

    struct jl_path path;
    int rc = 0;
    for (size_t i = 0; i < JL_COUNT(blocks) && rc == 0; i++)
        rc = check_block(decode, autoscaling, blocks[i].bit, blocks[i].rules, blocks[i].count,
                         blocks[i].prediction_bit);
    const struct jl_fusion_place resources =
        jl_fusion_inside(autoscaling, JL_INDEX(jl_fusion_autoscaling, resources), &path);
    if (rc == 0)
        rc = jl_fusion_check_order(decode, &resources);
    return rc < 0 ? rc : check_cron_rules(decode, autoscaling);
}
