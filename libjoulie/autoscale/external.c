/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The call to an external scaler: the body that is sent, what a reply means, and when to call
 * again (docs/rules/autoscaling.md#external-scaler). Who makes the call is outside of the library.
 */

#define JL_EXTERNAL_TABLES
#include "autoscale/external.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "kubernetes/quantity.h"
#include "schema/decode.h"

#define MOST_WAIT_NS INT64_C(600000000000) /* 10 min */
#define STATUS_GOOD 200

const char *const jl_external_secret_keys[JL_EXTERNAL_SECRET_KEYS] = { "apiKey", "token", "key" };

/* ---- the request ---- */

static void put_string(struct jl_buffer *out, const char *text)
{
    const struct jl_text bytes = jl_text(text);
    jl_put_json_string(out, bytes.ptr, bytes.len);
}

static void put_side(struct jl_buffer *out, const struct jl_external_side *side)
{
    jl_put_string(out, "{\"tflops\":");
    put_string(out, side->tflops != NULL ? side->tflops : "0");
    jl_put_string(out, ",\"compute\":");
    put_string(out, side->compute != NULL ? side->compute : "0");
    jl_put_string(out, ",\"vram\":");
    put_string(out, side->vram != NULL ? side->vram : "0");
    jl_put_char(out, '}');
}

void jl_external_write(const struct jl_external_request *request, struct jl_buffer *out)
{
    jl_put_string(out, "{\"workloadName\":");
    put_string(out, request->workload);
    jl_put_string(out, ",\"namespace\":");
    put_string(out, request->name_space);
    jl_put_string(out, ",\"currentResources\":{\"requests\":");
    put_side(out, &request->requests);
    jl_put_string(out, ",\"limits\":");
    put_side(out, &request->limits);
    jl_put_string(out, "}}");
}

bool jl_external_may_read_secret(const char *workload_namespace, const char *secret_namespace)
{
    return jl_is_empty(secret_namespace) || jl_same(workload_namespace, secret_namespace);
}

/* ---- the reply ---- */

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

static int fail(struct jl_arena *arena, const char *problem, struct jl_scale_reply *out)
{
    const char *copy = jl_arena_string(arena, problem);
    if (copy == NULL)
        return JOULIE_E_NOMEM;
    *out = (struct jl_scale_reply){ .problem = copy };
    return 0;
}

int jl_external_read(int64_t status, const char *text, size_t len, struct jl_arena *arena,
                     struct jl_scale_reply *out)
{
    struct joulie_error why = { .struct_size = sizeof why };
    struct jl_external_reply reply;
    struct jl_decode decode = { .arena = arena, .text = text, .len = len, .err = &why };
    if (status != STATUS_GOOD) {
        if (status == 0)
            jl_fail(&why, JOULIE_E_IO, "", "no answer: %.*s", (int)(len < 256 ? len : 256), text);
        else
            jl_fail(&why, JOULIE_E_IO, "", "HTTP status %lld", (long long)status);
        return fail(arena, why.message, out);
    }
    if (len > JL_EXTERNAL_REPLY_BYTES)
        return fail(arena, "the reply is above 1 MiB", out);
    const int rc = jl_decode_document(&decode, &jl_external_reply_table, &reply);
    if (rc == JOULIE_E_NOMEM)
        return rc;
    if (rc < 0)
        return fail(arena, why.message, out);
    jl_external_take(&reply, out);
    return 0;
}

/* ---- when ---- */

int64_t jl_external_wait_ns(int64_t interval_ns, uint32_t failures)
{
    int64_t wait_ns = interval_ns;
    for (uint32_t i = 1; i < failures && wait_ns > 0 && wait_ns < MOST_WAIT_NS; i++)
        wait_ns = wait_ns > MOST_WAIT_NS / 2 ? MOST_WAIT_NS : wait_ns * 2;
    return wait_ns;
}
