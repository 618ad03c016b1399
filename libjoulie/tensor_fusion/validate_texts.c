/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The texts of a spec, each by itself and decimals beside each other
 * (docs/rules/tensor-fusion.md#autoscaling-fields, #validation). The CRDs take any string, and the
 * operators replace one that they cannot read by a default without a word; here it is an error with
 * its path.
 */

#include "base/error.h"
#include "base/time.h"
#include "cron/cron.h"
#include "tensor_fusion/validate_parts.h"

static int check_duration(struct jl_text text, bool is_go)
{
    int64_t ns;
    const int rc = is_go ? jl_parse_duration(text.ptr, text.len, &ns)
                         : jl_parse_profile_duration(text.ptr, text.len, &ns);
    return rc == 0 && ns < 0 ? JOULIE_E_RANGE : rc;
}

static int check_ratio(enum jl_ratio_field field, struct jl_text text)
{
    struct jl_ratio ratio;
    double effective;
    enum jl_ratio_unit unit;
    const int rc = jl_parse_ratio(text.ptr, text.len, &ratio);
    return rc < 0 ? rc : jl_ratio_effective(field, &ratio, &effective, &unit);
}

static int check_text(const struct jl_text_rule *rule, struct jl_text text)
{
    double value;
    switch (rule->grammar) {
    case JL_TEXT_DURATION:
    case JL_TEXT_GO_DURATION:
        return check_duration(text, rule->grammar == JL_TEXT_GO_DURATION);
    case JL_TEXT_RATIO:
    case JL_TEXT_STEP:
        return check_ratio(rule->ratio, text);
    case JL_TEXT_PERCENTILE:
        return jl_dialect_decimal(text, JL_DECIMAL_PERCENTILE, &value);
    case JL_TEXT_FRACTION:
        return jl_dialect_decimal(text, JL_DECIMAL_FRACTION, &value);
    case JL_TEXT_FACTOR:
        return jl_dialect_decimal(text, JL_DECIMAL_FACTOR, &value);
    case JL_TEXT_TARGET:
        return jl_dialect_target(text) == JOULIE_TENSOR_FUSION_TARGET_UNKNOWN ? JOULIE_E_ENUM : 0;
    case JL_TEXT_PLAIN:
        break;
    }
    return 0;
}

static int check_row(struct jl_decode *decode, const struct jl_fusion_place *place, unsigned bit)
{
    static const char *const expected[] = {
        [JL_TEXT_DURATION] = "a duration such as 30s, 1h30m or 7d",
        [JL_TEXT_GO_DURATION] = "a duration such as 30s, 1h30m or 168h",
        [JL_TEXT_RATIO] = "a ratio that this field takes, such as 20% or 0.2",
        [JL_TEXT_STEP] = "a ratio that this field takes, such as 20% or 0.2",
        [JL_TEXT_PERCENTILE] = "a decimal above 0 and up to 1",
        [JL_TEXT_FRACTION] = "a decimal of 0 or more",
        [JL_TEXT_FACTOR] = "a decimal above 0",
        [JL_TEXT_TARGET] = "one of tflops, compute, vram, all",
    };
    const struct jl_text text = jl_fusion_text_at(place, bit);
    if (text.len == 0)
        return 0;
    const struct jl_text_rule rule = jl_text_rule_of(place->table, place->table->rows[bit].key);
    const int rc = check_text(&rule, text);
    if (rc == 0)
        return 0;
    return jl_fusion_fail(decode, place, bit, rc, "\"%.64s\" is not %s", text.ptr,
                          expected[rule.grammar]);
}

int jl_fusion_check_texts(struct jl_decode *decode, const struct jl_fusion_place *place)
{
    const struct jl_table *table = place->table;
    int rc = 0;
    for (unsigned i = 0; i < table->count && rc == 0; i++) {
        if (table->rows[i].type == JL_TYPE_STRING)
            rc = check_row(decode, place, i);
    }
    for (unsigned i = 0; i < table->count && rc == 0; i++) {
        if (table->rows[i].type != JL_TYPE_OBJECT)
            continue;
        const struct jl_fusion_place inner = jl_fusion_inside(place, i);
        rc = jl_fusion_check_texts(decode, &inner);
    }
    return rc;
}

/* ---- decimals of autoSetResources beside each other ---- */

#define ROW(member) JL_INDEX(jl_fusion_auto_resources, member)

/* The second is not below the first. */
struct order {
    unsigned low;
    unsigned high;
};

static const struct order orders[] = {
    { ROW(lower_bound_compute_percentile), ROW(target_compute_percentile) },
    { ROW(target_compute_percentile), ROW(upper_bound_compute_percentile) },
    { ROW(lower_bound_compute_percentile), ROW(upper_bound_compute_percentile) },
    { ROW(lower_bound_vram_percentile), ROW(target_vram_percentile) },
    { ROW(target_vram_percentile), ROW(upper_bound_vram_percentile) },
    { ROW(lower_bound_vram_percentile), ROW(upper_bound_vram_percentile) },
    { ROW(b_lower_bound_tflops_percentile), ROW(b_target_tflops_percentile) },
    { ROW(b_target_tflops_percentile), ROW(b_upper_bound_tflops_percentile) },
    { ROW(b_lower_bound_tflops_percentile), ROW(b_upper_bound_tflops_percentile) },
    { ROW(b_lower_bound_vram_percentile), ROW(b_target_vram_percentile) },
    { ROW(b_target_vram_percentile), ROW(b_upper_bound_vram_percentile) },
    { ROW(b_lower_bound_vram_percentile), ROW(b_upper_bound_vram_percentile) },
    { ROW(min_vram_resources_ratio), ROW(max_vram_resources_ratio) },
    { ROW(min_compute_resources_ratio), ROW(max_compute_resources_ratio) },
};

/* The decimal of a row, which has been checked; false when it is absent or empty. */
static bool value_at(const struct jl_fusion_place *resources, unsigned bit, double *out)
{
    return jl_dialect_decimal(jl_fusion_text_at(resources, bit), JL_DECIMAL_FRACTION, out) == 0;
}

static int check_order(struct jl_decode *decode, const struct jl_fusion_place *resources,
                       const struct order *order)
{
    double low;
    double high;
    if (!value_at(resources, order->low, &low) || !value_at(resources, order->high, &high) ||
        low <= high)
        return 0;
    return jl_fusion_fail(
        decode, resources, order->high, JOULIE_E_CONFLICT, "%.64s is below %s, which is %.64s",
        jl_fusion_text_at(resources, order->high).ptr, resources->table->rows[order->low].key,
        jl_fusion_text_at(resources, order->low).ptr);
}

/* updateThreshold must not exceed marginFraction. */
static int check_threshold(struct jl_decode *decode, const struct jl_fusion_place *resources)
{
    const struct jl_text given = jl_fusion_text_at(resources, ROW(margin_fraction));
    double margin = JL_DEFAULT_MARGIN;
    double threshold;
    (void)value_at(resources, ROW(margin_fraction), &margin);
    if (!value_at(resources, ROW(update_threshold), &threshold) || threshold <= margin)
        return 0;
    return jl_fusion_fail(decode, resources, ROW(update_threshold), JOULIE_E_CONFLICT,
                          "%.64s is above marginFraction, which is %.64s",
                          jl_fusion_text_at(resources, ROW(update_threshold)).ptr,
                          given.len > 0 ? given.ptr : JL_DEFAULT_MARGIN_TEXT " when absent");
}

int jl_fusion_check_order(struct jl_decode *decode, const struct jl_fusion_place *resources)
{
    int rc = check_threshold(decode, resources);
    for (size_t i = 0; i < JL_COUNT(orders) && rc == 0; i++)
        rc = check_order(decode, resources, &orders[i]);
    return rc;
}

/* ---- schedules ---- */

#define RULE(member) JL_INDEX(jl_fusion_cron_rule, member)

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
static int check_rule(struct jl_decode *decode, const struct jl_fusion_place *place)
{
    const struct jl_fusion_cron_rule *rule = place->object;
    const struct jl_text start = jl_fusion_text_at(place, RULE(start));
    const struct jl_text end = jl_fusion_text_at(place, RULE(end));
    if (!rule->enable || jl_fusion_text_at(place, RULE(name)).len == 0 || start.len == 0 ||
        end.len == 0)
        return 0;
    int rc = check_expression(decode, place, RULE(start));
    if (rc == 0)
        rc = check_expression(decode, place, RULE(end));
    if (rc == 0 && jl_cron_is_same_text(start.ptr, start.len, end.ptr, end.len))
        rc = jl_fusion_fail(decode, place, RULE(end), JOULIE_E_CONFLICT,
                            "the rule ends when it starts");
    return rc;
}

int jl_fusion_check_schedules(struct jl_decode *decode, const struct jl_fusion_place *rules)
{
    int rc = 0;
    for (size_t i = 0; i < jl_fusion_count(rules) && rc == 0; i++) {
        const struct jl_fusion_place rule = jl_fusion_item(rules, i);
        rc = check_rule(decode, &rule);
    }
    return rc;
}
