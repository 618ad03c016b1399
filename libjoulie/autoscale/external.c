/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the reply of an external scaler means (docs/rules/autoscaling-triggers.md#external-scaler).
 * Called by the handle and the question autoscale.
 */

#define JL_EXTERNAL_TABLES
#include "autoscale/external.h"

#include <string.h>

#include "base/number.h"
#include "kubernetes/quantity.h"
#include "schema/decode.h"

/* An absent amount is 0. */
static bool read_amount(const char *text, double *out)
{
    struct jl_quantity quantity;
    *out = 0;
    if (text == NULL)
        return true;
    if (jl_parse_quantity(text, strlen(text), &quantity) < 0 || quantity.nano < 0)
        return false;
    *out = jl_quantity_to_double(&quantity);
    return true;
}

static bool read_side(const struct jl_external_amounts *side, double *out_tflops, double *out_vram,
                      double *out_compute_pct)
{
    return read_amount(side->tflops, out_tflops) && read_amount(side->vram, out_vram) &&
           read_amount(side->compute, out_compute_pct);
}

void jl_external_take(const struct jl_external_reply *reply, struct jl_scale_reply *out)
{
    struct jl_scale_reply taken = { .needs_up = reply->needs_up,
                                    .needs_down = reply->needs_down,
                                    .reason = reply->reason };
    struct jl_amount_pair *tflops = &taken.amounts.of[JL_USAGE_TFLOPS];
    struct jl_amount_pair *vram = &taken.amounts.of[JL_USAGE_VRAM];
    struct jl_amount_pair *compute_pct = &taken.compute_pct;
    if (!read_side(&reply->resources.requests, &tflops->request, &vram->request,
                   &compute_pct->request) ||
        !read_side(&reply->resources.limits, &tflops->limit, &vram->limit, &compute_pct->limit))
        taken = (struct jl_scale_reply){ .problem = "a recommended amount is negative or no "
                                                    "quantity" };
    else if (!jl_is_percent(compute_pct->request) || !jl_is_percent(compute_pct->limit))
        taken = (struct jl_scale_reply){ .problem = "a recommended compute is above 100 percent of "
                                                    "one GPU" };
    *out = taken;
}

int jl_external_read(const char *text, size_t len, struct jl_arena *arena,
                     struct jl_scale_reply *out)
{
    struct joulie_error why = { .struct_size = sizeof why };
    struct jl_external_reply reply;
    struct jl_decode decode = { .arena = arena, .text = text, .len = len, .err = &why };
    if (len > JL_EXTERNAL_REPLY_BYTES) {
        *out = (struct jl_scale_reply){ .problem = "the reply is above 1 MiB" };
        return 0;
    }
    const int rc = jl_decode_document(&decode, &jl_external_reply_table, &reply);
    if (rc == 0) {
        jl_external_take(&reply, out);
        return 0;
    }
    *out = (struct jl_scale_reply){ .problem = jl_arena_string(arena, why.message) };
    return rc == JOULIE_E_NOMEM || out->problem == NULL ? JOULIE_E_NOMEM : 0;
}
