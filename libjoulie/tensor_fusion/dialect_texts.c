/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Texts that the dialects read in different ways: decimals, targets, schedules
 * (docs/rules/tensor-fusion.md#autoscaling-fields).
 */

#include "tensor_fusion/dialect_texts.h"

#include "cron/cron.h"
#include "kinds/tensor_fusion.h"
#include "tensor_fusion/ratio.h"

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

bool jl_dialect_is_late_cron(struct jl_text text)
{
    struct joulie_error err = { .struct_size = sizeof err };
    struct jl_cron cron;
    return jl_cron_parse(text.ptr, text.len, &cron, &err) == 0 &&
           jl_cron_parse_v2_17_1(text.ptr, text.len, &cron, &err) < 0;
}
