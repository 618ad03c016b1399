/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a worker costs per hour (docs/rules/gpu-prices.md#price). Called by the question gpu.price
 * and the simulator.
 */

#include "tensor_fusion/price.h"

#include <joulie/error.h>

#include "base/number.h"
#include "base/text.h"

/* What a limit allows above the request; a limit of 0 is unset. */
static double burst(double limit, double request)
{
    return limit > 0 ? limit - request : 0;
}

double jl_price(const struct jl_price_input *in)
{
    const struct jl_price_amounts *r = &in->requests;
    const struct jl_price_amounts *l = &in->limits;
    const double factor = in->limits_over_requests;
    if (in->qos == JOULIE_TENSOR_FUSION_QOS_UNKNOWN)
        return 0;
    const double dollars = in->gpu_count * (r->tflops * in->per_tflops + r->vram_gib * in->per_gib +
                                            burst(l->tflops, r->tflops) * in->per_tflops * factor +
                                            burst(l->vram_gib, r->vram_gib) * in->per_gib * factor);
    if (!in->is_protected || in->qos == JOULIE_TENSOR_FUSION_QOS_CRITICAL)
        return dollars;
    return dollars * (in->protection_ratio < 1 ? JL_PRICE_PROTECTION_RATIO : in->protection_ratio);
}

int jl_parse_price(const char *text, size_t len, double *out)
{
    const size_t dollar = len > 0 && text[0] == '$';
    double price = 0;
    const int rc = jl_parse_double(text + dollar, len - dollar, &price);
    if (rc < 0)
        return rc;
    if (price < 0)
        return JOULIE_E_RANGE;
    *out = price;
    return 0;
}
