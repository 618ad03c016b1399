/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Decimals of autoSetResources beside each other: bounds in order, the threshold within the margin
 * (docs/rules/tensor-fusion.md#validation).
 */

#include "tensor_fusion/validate_parts.h"

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
