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

/* Quantity texts; bits are enum jl_usage. */
struct merge_side {
    uint64_t has;
    const char *tflops;
    const char *vram;
};

static const struct jl_row side_rows[] = {
    [JL_USAGE_TFLOPS] = JL_STRING(merge_side, tflops, "tflops", .doc = "TFLOPS, a quantity."),
    [JL_USAGE_VRAM] = JL_STRING(merge_side, vram, "vram", .doc = "Bytes, a quantity."),
};
static const struct jl_table side_table = JL_TABLE(merge_side, side_rows);

struct merge_resources {
    uint64_t has;
    struct merge_side requests;
    struct merge_side limits;
    bool locked;
    bool applied;
};

enum { RESOURCES_REQUESTS, RESOURCES_LIMITS, PROPOSAL_LOCKED, PROPOSAL_APPLIED };

#define RESOURCES_ROWS                                                                   \
    [RESOURCES_REQUESTS] = JL_OBJECT(merge_resources, requests, "requests", &side_table, \
                                     .doc = "Guaranteed; 0 or absent = missing."),       \
    [RESOURCES_LIMITS] = JL_OBJECT(merge_resources, limits, "limits", &side_table,       \
                                   .doc = "At most; 0 or absent = missing.")

static const struct jl_row resources_rows[] = { RESOURCES_ROWS };
static const struct jl_table resources_table = JL_TABLE(merge_resources, resources_rows);

static const struct jl_row proposal_rows[] = {
    RESOURCES_ROWS,
    [PROPOSAL_LOCKED] = JL_BOOLEAN(merge_resources, locked, "locked",
                                   .doc = "Active cron rule: requests do not fall below it."),
    [PROPOSAL_APPLIED] = JL_BOOLEAN(merge_resources, applied, "applied",
                                    .doc = "Already applied; only the source looks at it."),
};
static const struct jl_table proposal_table = JL_TABLE(merge_resources, proposal_rows);

struct merge_in {
    uint64_t has;
    struct merge_resources current;
    struct jl_list proposals;
    struct merge_side max_allowed;
    struct merge_side gpu;
    double max_ratio;
};

enum { IN_CURRENT, IN_PROPOSALS, IN_MAX_ALLOWED, IN_GPU, IN_MAX_RATIO };

static const struct jl_row in_rows[] = {
    [IN_CURRENT] = JL_OBJECT(merge_in, current, "current", &resources_table, .flags = JL_REQUIRED,
                             .doc = "Amounts now."),
    [IN_PROPOSALS] = JL_LIST(merge_in, proposals, "proposals", &proposal_table,
                             .flags = JL_REQUIRED, .doc = "Recommendations."),
    [IN_MAX_ALLOWED] = JL_OBJECT(merge_in, max_allowed, "maxAllowed", &side_table,
                                 .doc = "What a request may grow to."),
    [IN_GPU] = JL_OBJECT(merge_in, gpu, "gpu", &side_table, .doc = "Capacity of one GPU."),
    [IN_MAX_RATIO] = JL_NUMBER(merge_in, max_ratio, "maxRatioToRequests",
                               .flags = JL_HAS_MIN | JL_HAS_MAX, .min = 1, .max = LARGEST_RATIO,
                               .doc = "Limit over request, at most; given = the limits layer is "
                                      "on."),
};
static const struct jl_table in_table = JL_TABLE(merge_in, in_rows);

struct merge_out {
    uint64_t has;
    struct merge_resources resources;
};

enum { OUT_RESOURCES };

static const struct jl_row out_rows[] = {
    [OUT_RESOURCES] = JL_OBJECT(merge_out, resources, "resources", &resources_table,
                                .doc = "The recommendation; absent = none."),
};
static const struct jl_table out_table = JL_TABLE(merge_out, out_rows);

static const char *text_of(const struct merge_side *side, size_t usage)
{
    return usage == JL_USAGE_VRAM ? side->vram : side->tflops;
}

/* What is absent counts as 0. */
static int read_side(struct jl_ask *ask, const struct merge_side *side, const struct jl_path *at,
                     double out[JL_USAGES])
{
    for (size_t usage = 0; usage < JL_USAGES; usage++) {
        const struct jl_path leaf = { .up = at, .key = jl_text(side_rows[usage].key) };
        const char *text = text_of(side, usage);
        struct jl_quantity quantity;
        out[usage] = 0;
        if (!JL_HAS(side, usage))
            continue;
        const int rc = jl_parse_quantity(text, strlen(text), &quantity);
        if (rc < 0)
            return jl_decode_fail(ask->decode, rc, &leaf, SIZE_MAX,
                                  rc == JOULIE_E_RANGE ? "the quantity is beyond 2^63-1"
                                                       : "not a quantity");
        if (quantity.nano < 0)
            return jl_decode_fail(ask->decode, JOULIE_E_RANGE, &leaf, SIZE_MAX,
                                  "an amount is not below 0");
        out[usage] = jl_quantity_to_double(&quantity);
    }
    return 0;
}

static int read_resources(struct jl_ask *ask, const struct merge_resources *resources,
                          const struct jl_path *at, struct jl_amounts *out)
{
    const struct jl_path requests_at = { .up = at, .key = jl_text("requests") };
    const struct jl_path limits_at = { .up = at, .key = jl_text("limits") };
    double requests[JL_USAGES];
    double limits[JL_USAGES];
    int rc = read_side(ask, &resources->requests, &requests_at, requests);
    if (rc == 0)
        rc = read_side(ask, &resources->limits, &limits_at, limits);
    if (rc < 0)
        return rc;
    for (size_t usage = 0; usage < JL_USAGES; usage++)
        out->of[usage] = (struct jl_amount_pair){ requests[usage], limits[usage] };
    return 0;
}

static int read_bounds(struct jl_ask *ask, const struct merge_side *side, const char *key,
                       jl_put_bound *put, struct jl_amount_bounds *out)
{
    const struct jl_path at = { .key = jl_text(key) };
    double amounts[JL_USAGES];
    const int rc = read_side(ask, side, &at, amounts);
    for (unsigned usage = 0; rc == 0 && usage < JL_USAGES; usage++) {
        if (JL_HAS(side, usage))
            put(out, (enum jl_usage)usage, amounts[usage]);
    }
    return rc;
}

static int read_proposals(struct jl_ask *ask, const struct merge_in *in, struct jl_merge_input *out)
{
    const struct jl_path list_at = { .key = jl_text("proposals") };
    struct jl_proposal *proposals =
        JL_NEW_ARRAY(ask->arena, in->proposals.count, struct jl_proposal);
    if (proposals == NULL)
        return jl_fail_memory(ask->err);
    if (in->proposals.count > INT_MAX)
        return jl_ask_fail(ask, JOULIE_E_LIMIT, "proposals", "too many");
    for (size_t i = 0; i < in->proposals.count; i++) {
        const struct jl_path at = { .up = &list_at, .index = i };
        const struct merge_resources *given = JL_ITEM(in->proposals, merge_resources, i);
        const int rc = read_resources(ask, given, &at, &proposals[i].amounts);
        if (rc < 0)
            return rc;
        proposals[i].is_locked = given->locked;
        proposals[i].is_applied = given->applied;
    }
    out->proposals = proposals;
    out->count = in->proposals.count;
    return 0;
}

static int read_input(struct jl_ask *ask, const struct merge_in *in, struct jl_merge_input *out)
{
    const struct jl_path current_at = { .key = jl_text("current") };
    out->rules = jl_is_model(ask, "v2.17.1")   ? JL_MERGE_V2_17_1
                 : jl_is_model(ask, "v1.45.0") ? JL_MERGE_V1_45_0
                                               : JL_MERGE_CURRENT;
    if (JL_HAS(in, IN_MAX_RATIO))
        JL_PUT(out, JL_MERGE_MAX_RATIO, max_ratio, in->max_ratio);
    int rc = read_resources(ask, &in->current, &current_at, &out->current);
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
static int put_amount(struct jl_ask *ask, const struct merge_in *in, int from, bool is_limit,
                      size_t usage, double amount, struct merge_side *out)
{
    const char *text = NULL;
    if (from == JL_FROM_COMPUTED) {
        struct jl_quantity quantity;
        char computed[JL_QUANTITY_TEXT];
        const int rc = usage == JL_USAGE_VRAM ? jl_quantity_of_vram(amount, &quantity)
                                              : jl_quantity_of_tflops(amount, &quantity);
        if (rc < 0)
            return jl_ask_fail(ask, rc, "proposals", "an amount is beyond what a quantity holds");
        text = jl_arena_copy(ask->arena, computed, jl_format_quantity(&quantity, computed));
        if (text == NULL)
            return jl_fail_memory(ask->err);
    } else {
        const struct merge_resources *giver =
            from == JL_FROM_CURRENT ? &in->current
                                    : JL_ITEM(in->proposals, merge_resources, (size_t)from);
        text = text_of(side_of(giver, is_limit), usage);
    }
    if (text == NULL)
        return 0;
    if (usage == JL_USAGE_VRAM)
        JL_PUT(out, JL_USAGE_VRAM, vram, text);
    else
        JL_PUT(out, JL_USAGE_TFLOPS, tflops, text);
    return 0;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct merge_in *in = input;
    struct merge_out *out = output;
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
    JL_MARK(&out->resources, RESOURCES_REQUESTS);
    JL_MARK(&out->resources, RESOURCES_LIMITS);
    JL_MARK(out, OUT_RESOURCES);
    return rc;
}

static const char *const models[] = { "current", "v2.17.1", "v1.45.0", NULL };

const struct jl_question jl_question_autoscale_merge = {
    .name = "autoscale.merge",
    .summary = "Merge the recommendations of the TensorFusion autoscaler",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
