/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Several proposals become one recommendation (docs/rules/autoscaling.md#merge; the source's
 * rules: docs/rules/autoscaling-source.md#merge-of-the-source). Called by the engine and the
 * question autoscale.merge.
 */

#include "autoscale/merge.h"

#include "base/number.h"

/* ---- current rules: one resource at a time ---- */

/* The pair of one resource on its way, and where its sides come from. */
struct merging {
    struct jl_amount_pair pair;
    int from_request;
    int from_limit;
    bool has_candidate;
};

/* A missing side, see merge.h. False: the proposal does not concern this resource. */
static bool complete(struct jl_amount_pair *pair, const struct jl_amount_pair *current,
                     bool is_locked)
{
    const bool lacks_request = pair->request <= 0 && current->request > 0;
    const bool lacks_limit = pair->limit <= 0 && current->limit > 0;
    if (pair->request <= 0 && pair->limit <= 0)
        return false;
    if (lacks_request)
        pair->request = current->request;
    if (lacks_limit)
        pair->limit = current->limit;
    return is_locked || (!lacks_request && !lacks_limit);
}

static void raise_to(double *amount, int *from, bool is_first, double proposed, int origin)
{
    if (!is_first && proposed <= *amount)
        return;
    *amount = proposed;
    *from = origin;
}

static int origin_of(double amount, double current, size_t index)
{
    return amount == current ? JL_FROM_CURRENT : (int)index;
}

/* The largest request that differs from the current one or is a floor, and the largest limit of all
 * that differ in any way. */
static void gather(const struct jl_merge_input *in, size_t usage, struct merging *out)
{
    const struct jl_amount_pair *current = &in->current.of[usage];
    bool has_request = false;
    *out = (struct merging){ *current, JL_FROM_CURRENT, JL_FROM_CURRENT, false };
    for (size_t i = 0; i < in->count; i++) {
        const struct jl_proposal *proposal = &in->proposals[i];
        struct jl_amount_pair pair = proposal->amounts.of[usage];
        if (!complete(&pair, current, proposal->is_locked))
            continue;
        const bool changes_request = pair.request != current->request;
        if (!proposal->is_locked && !changes_request && pair.limit == current->limit)
            continue;
        raise_to(&out->pair.limit, &out->from_limit, !out->has_candidate, pair.limit,
                 origin_of(pair.limit, current->limit, i));
        out->has_candidate = true;
        if (!proposal->is_locked && !changes_request)
            continue;
        raise_to(&out->pair.request, &out->from_request, !has_request, pair.request,
                 origin_of(pair.request, current->request, i));
        has_request = true;
    }
}

static void lower_to(double *amount, int *from, double bound)
{
    if (*amount <= bound)
        return;
    *amount = bound;
    *from = JL_FROM_COMPUTED;
}

static void raise_limit(struct merging *merging, double bound)
{
    if (merging->pair.limit >= bound)
        return;
    merging->pair.limit = bound;
    merging->from_limit = JL_FROM_COMPUTED;
}

/* The last one wins. VRAM that is held cannot be taken away, so no
 * ratio and no capacity lowers a limit below it. */
static void clamp(const struct jl_merge_input *in, size_t usage, struct merging *merging)
{
    struct jl_amount_pair *pair = &merging->pair;
    const double current = in->current.of[usage].request;
    if (pair->request > current && jl_is_bounded(&in->max_allowed, usage)) {
        const double allowed = in->max_allowed.of[usage];
        if (pair->request > allowed) {
            pair->request = jl_max(allowed, current);
            merging->from_request = allowed > current ? JL_FROM_COMPUTED : JL_FROM_CURRENT;
        }
    }
    if (in->given.max_ratio && pair->request > 0)
        lower_to(&pair->limit, &merging->from_limit, pair->request * in->max_ratio);
    if (jl_is_bounded(&in->gpu, usage))
        lower_to(&pair->limit, &merging->from_limit, in->gpu.of[usage]);
    raise_limit(merging, pair->request);
    if (usage == JL_USAGE_VRAM)
        raise_limit(merging, in->vram_floor);
}

static void merge_current(const struct jl_merge_input *in, struct jl_merge_result *out)
{
    out->is_recommendation = true;
    for (size_t usage = 0; usage < JL_USAGES; usage++) {
        struct merging merging;
        gather(in, usage, &merging);
        if (merging.has_candidate)
            clamp(in, usage, &merging);
        out->amounts.of[usage] = merging.pair;
        out->from[usage].request = merging.from_request;
        out->from[usage].limit = merging.from_limit;
    }
}

/* ---- the source's ---- */

/* The pair with the larger request of the proposals that count; -1 when none has one. */
static int largest_pair(const struct jl_merge_input *in, size_t usage, bool is_of_locked)
{
    int largest = -1;
    double request = 0;
    for (size_t i = 0; i < in->count; i++) {
        const struct jl_proposal *proposal = &in->proposals[i];
        const bool counts = is_of_locked ? proposal->is_locked : !proposal->is_applied;
        if (!counts || proposal->amounts.of[usage].request <= request)
            continue;
        largest = (int)i;
        request = proposal->amounts.of[usage].request;
    }
    return largest;
}

static double request_of(const struct jl_merge_input *in, size_t usage, int index)
{
    return index < 0 ? 0 : in->proposals[index].amounts.of[usage].request;
}

/* True: the lock forbids what the others want. v1.45.0 gives up only when both are under it. */
static bool is_cancelled(const struct jl_merge_input *in, const int largest[JL_USAGES])
{
    size_t below = 0;
    bool is_empty = true;
    for (size_t usage = 0; usage < JL_USAGES; usage++) {
        const double request = request_of(in, usage, largest[usage]);
        below += request < request_of(in, usage, largest_pair(in, usage, true));
        is_empty = is_empty && request <= 0;
    }
    return is_empty || below > (in->rules == JL_MERGE_V1_45_0 ? 1 : 0);
}

static void merge_source(const struct jl_merge_input *in, struct jl_merge_result *out)
{
    int largest[JL_USAGES];
    for (size_t usage = 0; usage < JL_USAGES; usage++)
        largest[usage] = largest_pair(in, usage, false);
    if (is_cancelled(in, largest))
        return;
    out->is_recommendation = true;
    for (size_t usage = 0; usage < JL_USAGES; usage++) {
        if (largest[usage] < 0)
            continue;
        const struct jl_amount_pair *pair = &in->proposals[largest[usage]].amounts.of[usage];
        if (pair->limit <= 0)
            continue;
        out->amounts.of[usage] = *pair;
        out->from[usage].request = largest[usage];
        out->from[usage].limit = largest[usage];
    }
}

void jl_merge_proposals(const struct jl_merge_input *in, struct jl_merge_result *out)
{
    *out = (struct jl_merge_result){ .amounts = in->current };
    for (size_t usage = 0; usage < JL_USAGES; usage++) {
        out->from[usage].request = JL_FROM_CURRENT;
        out->from[usage].limit = JL_FROM_CURRENT;
    }
    if (in->rules == JL_MERGE_CURRENT)
        merge_current(in, out);
    else
        merge_source(in, out);
}
