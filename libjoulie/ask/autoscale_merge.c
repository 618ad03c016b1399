/* SPDX-License-Identifier: Apache-2.0 */

/* autoscale.merge: several recommendations become one (docs/rules/autoscaling.md#merge). */
#include <limits.h>
#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "autoscale/merge.h"
#include "base/error.h"
#include "kubernetes/quantity.h"

#define LARGEST_RATIO 1e6

/* Quantity texts, in the order of enum jl_usage. */
#define RECORD merge_side
#define MEMBERS                                     \
    STRING(tflops, "tflops", "TFLOPS, a quantity.") \
    STRING(vram, "vram", "Bytes, a quantity.")
#include "schema/record.h"

#define RESOURCES                                                                  \
    OBJECT(requests, "requests", merge_side, "Guaranteed; 0 or absent = missing.") \
    OBJECT(limits, "limits", merge_side, "At most; 0 or absent = missing.")

#define RECORD merge_resources
#define MEMBERS RESOURCES
#include "schema/record.h"

#define RECORD merge_proposal
#define INLINE_RECORD merge_resources
#define INLINE_AS resources
#define INLINE_MEMBERS RESOURCES
#define MEMBERS                                                                   \
    BOOLEAN(locked, "locked", "Active cron rule: requests do not fall below it.") \
    BOOLEAN(applied, "applied", "Already applied; only the source looks at it.")
#include "schema/record.h"

#define RECORD autoscale_merge_in
#define MEMBERS                                                                  \
    OBJECT(current, "current", merge_resources, "Amounts now.", REQUIRED)        \
    LIST(proposals, "proposals", merge_proposal, "Recommendations.", REQUIRED)   \
    OBJECT(max_allowed, "maxAllowed", merge_side, "What a request may grow to.") \
    OBJECT(gpu, "gpu", merge_side, "Capacity of one GPU.")                       \
    NUMBER(max_ratio, "maxRatioToRequests",                                      \
           "Limit over request, at most; given = the limits layer is on.",       \
           BETWEEN(1, LARGEST_RATIO))
#include "schema/record.h"

#define RECORD autoscale_merge_out
#define MEMBERS \
    OBJECT(resources, "resources", merge_resources, "The recommendation; absent = none.")
#include "schema/record.h"

static const char *text_of(const struct merge_side *side, size_t usage)
{
    return usage == JL_USAGE_VRAM ? side->vram : side->tflops;
}

/* What is absent counts as 0. */
static int read_side(struct jl_ask *ask, const struct merge_side *side, const char *where,
                     double out[JL_USAGES])
{
    for (size_t usage = 0; usage < JL_USAGES; usage++) {
        const char *text = text_of(side, usage);
        struct jl_quantity quantity;
        out[usage] = 0;
        if (!JL_HAS(side, usage))
            continue;
        const int rc = jl_parse_quantity(text, strlen(text), &quantity);
        if (rc < 0 || quantity.nano < 0)
            return jl_ask_fail(ask, rc < 0 ? rc : JOULIE_E_RANGE,
                               jl_ask_path(ask, "%s.%s", where, merge_side_table.rows[usage].key),
                               rc == 0                ? "an amount is not below 0"
                               : rc == JOULIE_E_RANGE ? "the quantity is beyond 2^63-1"
                                                      : "not a quantity");
        out[usage] = jl_quantity_to_double(&quantity);
    }
    return 0;
}

static int read_resources(struct jl_ask *ask, const struct merge_resources *resources,
                          const char *where, struct jl_amounts *out)
{
    double requests[JL_USAGES];
    double limits[JL_USAGES];
    int rc = read_side(ask, &resources->requests, jl_ask_path(ask, "%s.requests", where), requests);
    if (rc == 0)
        rc = read_side(ask, &resources->limits, jl_ask_path(ask, "%s.limits", where), limits);
    if (rc < 0)
        return rc;
    for (size_t usage = 0; usage < JL_USAGES; usage++)
        out->of[usage] = (struct jl_amount_pair){ requests[usage], limits[usage] };
    return 0;
}

static int read_bounds(struct jl_ask *ask, const struct merge_side *side, const char *where,
                       jl_put_bound *put, struct jl_amount_bounds *out)
{
    double amounts[JL_USAGES];
    const int rc = read_side(ask, side, where, amounts);
    for (unsigned usage = 0; rc == 0 && usage < JL_USAGES; usage++) {
        if (JL_HAS(side, usage))
            put(out, (enum jl_usage)usage, amounts[usage]);
    }
    return rc;
}

static int read_proposals(struct jl_ask *ask, const struct autoscale_merge_in *in,
                          struct jl_merge_input *out)
{
    struct jl_proposal *proposals =
        JL_NEW_ARRAY(ask->arena, in->proposals.count, struct jl_proposal);
    if (proposals == NULL)
        return jl_fail_memory(ask->err);
    if (in->proposals.count > INT_MAX)
        return jl_ask_fail(ask, JOULIE_E_LIMIT, "proposals", "too many");
    for (size_t i = 0; i < in->proposals.count; i++) {
        const struct merge_proposal *given = JL_ITEM(in->proposals, merge_proposal, i);
        const int rc = read_resources(ask, &given->resources, jl_ask_path(ask, "proposals[%zu]", i),
                                      &proposals[i].amounts);
        if (rc < 0)
            return rc;
        proposals[i].is_locked = given->locked;
        proposals[i].is_applied = given->applied;
    }
    out->proposals = proposals;
    out->count = in->proposals.count;
    return 0;
}

static int read_input(struct jl_ask *ask, const struct autoscale_merge_in *in,
                      struct jl_merge_input *out)
{
    out->rules = jl_is_model(ask, "v2.17.1")   ? JL_MERGE_V2_17_1
                 : jl_is_model(ask, "v1.45.0") ? JL_MERGE_V1_45_0
                                               : JL_MERGE_CURRENT;
    if (in->given.max_ratio)
        JL_SET(out, max_ratio, in->max_ratio);
    int rc = read_resources(ask, &in->current, "current", &out->current);
    if (rc == 0)
        rc = read_proposals(ask, in, out);
    if (rc == 0)
        rc = read_bounds(ask, &in->max_allowed, "maxAllowed", jl_put_allowance, &out->max_allowed);
    if (rc == 0)
        rc = read_bounds(ask, &in->gpu, "gpu", jl_put_capacity, &out->gpu);
    return rc;
}

static const struct merge_side *side_of(const struct merge_resources *resources, bool is_limit)
{
    return is_limit ? &resources->limits : &resources->requests;
}

/* An amount that nobody computed keeps the text of who gave it. */
static int put_amount(struct jl_ask *ask, const struct autoscale_merge_in *in, int from,
                      bool is_limit, size_t usage, double amount, struct merge_side *out)
{
    const char *text = NULL;
    if (from == JL_FROM_COMPUTED) {
        const int rc = jl_amount_print(ask->arena, (enum jl_usage)usage, amount, &text);
        if (rc == JOULIE_E_RANGE)
            return jl_ask_fail(ask, rc, "proposals", "an amount is beyond what a quantity holds");
        if (rc < 0)
            return jl_fail_memory(ask->err);
    } else {
        const struct merge_resources *giver =
            from == JL_FROM_CURRENT
                ? &in->current
                : &JL_ITEM(in->proposals, merge_proposal, (size_t)from)->resources;
        text = text_of(side_of(giver, is_limit), usage);
    }
    if (text == NULL)
        return 0;
    if (usage == JL_USAGE_VRAM)
        JL_SET(out, vram, text);
    else
        JL_SET(out, tflops, text);
    return 0;
}

static int answer_autoscale_merge(struct jl_ask *ask, const struct autoscale_merge_in *in,
                                  struct autoscale_merge_out *out)
{
    struct jl_merge_input merge = { 0 };
    struct jl_merge_result result;
    int rc = read_input(ask, in, &merge);
    if (rc < 0)
        return rc;
    jl_merge_proposals(&merge, &result);
    if (!result.is_recommendation)
        return 0;
    for (size_t usage = 0; rc == 0 && usage < JL_USAGES; usage++) {
        const struct jl_amount_pair *pair = &result.amounts.of[usage];
        rc = put_amount(ask, in, result.from[usage].request, false, usage, pair->request,
                        &out->resources.requests);
        if (rc == 0)
            rc = put_amount(ask, in, result.from[usage].limit, true, usage, pair->limit,
                            &out->resources.limits);
    }
    out->resources.given.requests = true;
    out->resources.given.limits = true;
    out->given.resources = true;
    return rc;
}

JL_QUESTION(autoscale_merge, "autoscale.merge",
            "Merge the recommendations of the TensorFusion autoscaler",
            JL_MODELS("current", "v2.17.1", "v1.45.0"));
