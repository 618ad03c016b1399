/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The texts of a spec (docs/rules/tensor-fusion.md#autoscaling-fields). The CRDs take any string,
 * and the operators replace one that they cannot read by a default without a word; here it is an
 * error with its path.
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

/* ---- schedules ---- */

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

int jl_fusion_check_schedules(struct jl_decode *decode, const struct jl_fusion_place *rules)
{
    int rc = 0;
    for (size_t i = 0; i < jl_fusion_count(rules) && rc == 0; i++) {
        const struct jl_fusion_place rule = jl_fusion_item(rules, i);
        rc = check_rule(decode, &rule);
    }
    return rc;
}
