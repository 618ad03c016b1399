/* SPDX-License-Identifier: Apache-2.0 */

/* Several recommendations become one. The tables are vectors (tensor-fusion-7.7-merge.json,
 * -8.9-merge.json); here is what holds of any, and what the source does in its place. */

#include "autoscale/merge.h"
#include "base/number.h"
#include "base/random.h"
#include "schema/row.h"
#include "support/test.h"

#define ROUNDS 20000
#define PROPOSALS 4

static struct jl_amount_pair any_pair(struct jl_random *random)
{
    /* few values, so that ties and equal amounts happen */
    const double request = (double)jl_random_int(random, 0, 12);
    return (struct jl_amount_pair){ request, request > 0
                                                 ? request + (double)jl_random_int(random, 0, 8)
                                                 : (double)jl_random_int(random, 0, 8) };
}

static struct jl_amounts any_amounts(struct jl_random *random)
{
    return (struct jl_amounts){ { any_pair(random), any_pair(random) } };
}

static struct jl_amount_bounds any_bounds(struct jl_random *random)
{
    struct jl_amount_bounds bounds = { 0 };
    for (size_t usage = 0; usage < JL_USAGES; usage++) {
        if (!jl_random_int(random, 0, 1))
            continue;
        bounds.of[usage] = (double)jl_random_int(random, 0, 25);
        bounds.has |= UINT64_C(1) << usage;
    }
    return bounds;
}

static void any_input(struct jl_random *random, struct jl_proposal proposals[PROPOSALS],
                      struct jl_merge_input *out)
{
    *out = (struct jl_merge_input){ .rules = JL_MERGE_CURRENT, .proposals = proposals };
    out->current = any_amounts(random);
    out->count = (size_t)jl_random_int(random, 0, PROPOSALS);
    for (size_t i = 0; i < out->count; i++)
        proposals[i] = (struct jl_proposal){ .amounts = any_amounts(random),
                                             .is_locked = jl_random_int(random, 0, 2) == 0,
                                             .is_applied = jl_random_int(random, 0, 2) == 0 };
    out->max_allowed = any_bounds(random);
    out->gpu = any_bounds(random);
    if (jl_random_int(random, 0, 1))
        JL_SET(out, max_ratio, jl_random_range(random, 1, 5));
}

static bool is_same_pair(const struct jl_amount_pair *a, const struct jl_amount_pair *b)
{
    return a->request == b->request && a->limit == b->limit;
}

static double floor_of(const struct jl_merge_input *in, size_t usage)
{
    double highest = 0;
    for (size_t i = 0; i < in->count; i++)
        if (in->proposals[i].is_locked)
            highest = jl_max(highest, in->proposals[i].amounts.of[usage].request);
    return highest;
}

static void check_origin(const struct jl_merge_input *in, size_t usage,
                         const struct jl_merge_result *result)
{
    const struct jl_amount_pair *pair = &result->amounts.of[usage];
    const int request_from = result->from[usage].request;
    const int limit_from = result->from[usage].limit;
    if (request_from == JL_FROM_CURRENT)
        assert_true(pair->request == in->current.of[usage].request);
    if (limit_from == JL_FROM_CURRENT)
        assert_true(pair->limit == in->current.of[usage].limit);
    if (request_from >= 0)
        assert_true(pair->request == in->proposals[request_from].amounts.of[usage].request);
    if (limit_from >= 0)
        assert_true(pair->limit == in->proposals[limit_from].amounts.of[usage].limit);
}

static void check_bounds(const struct jl_merge_input *in, size_t usage,
                         const struct jl_amount_pair *pair)
{
    const double current = in->current.of[usage].request;
    const double highest =
        jl_is_bounded(&in->max_allowed, usage) ? jl_max(in->max_allowed.of[usage], current) : 1e9;
    assert_true(pair->limit >= pair->request);
    assert_true(pair->request >= jl_min(floor_of(in, usage), highest));
    if (pair->request > current)
        assert_true(pair->request <= highest);
    if (jl_is_bounded(&in->gpu, usage))
        assert_true(pair->limit <= jl_max(in->gpu.of[usage], pair->request));
    if (in->given.max_ratio && pair->request > 0)
        assert_true(pair->limit <= pair->request * in->max_ratio);
}

static void a_merged_pair_keeps_all_its_bounds(void **state)
{
    (void)state;
    struct jl_random random = { 89 };
    for (int i = 0; i < ROUNDS; i++) {
        struct jl_proposal proposals[PROPOSALS];
        struct jl_merge_input in;
        struct jl_merge_result result;
        any_input(&random, proposals, &in);
        jl_merge_proposals(&in, &result);
        assert_true(result.is_recommendation);
        for (size_t usage = 0; usage < JL_USAGES; usage++) {
            check_origin(&in, usage, &result);
            if (!is_same_pair(&result.amounts.of[usage], &in.current.of[usage]))
                check_bounds(&in, usage, &result.amounts.of[usage]);
        }
    }
}

static void the_order_of_the_proposals_does_not_matter(void **state)
{
    (void)state;
    struct jl_random random = { 90 };
    for (int i = 0; i < ROUNDS; i++) {
        struct jl_proposal proposals[PROPOSALS];
        struct jl_proposal turned[PROPOSALS];
        struct jl_merge_input in;
        struct jl_merge_result one;
        struct jl_merge_result other;
        any_input(&random, proposals, &in);
        jl_merge_proposals(&in, &one);
        for (size_t k = 0; k < in.count; k++)
            turned[k] = proposals[in.count - 1 - k];
        in.proposals = turned;
        jl_merge_proposals(&in, &other);
        for (size_t usage = 0; usage < JL_USAGES; usage++)
            assert_true(is_same_pair(&one.amounts.of[usage], &other.amounts.of[usage]));
    }
}

static void a_proposal_equal_to_the_current_amounts_changes_nothing(void **state)
{
    (void)state;
    struct jl_random random = { 91 };
    for (int i = 0; i < ROUNDS; i++) {
        struct jl_proposal proposals[PROPOSALS + 1];
        struct jl_merge_input in;
        struct jl_merge_result without;
        struct jl_merge_result with;
        any_input(&random, proposals, &in);
        jl_merge_proposals(&in, &without);
        proposals[in.count++] = (struct jl_proposal){ .amounts = in.current };
        jl_merge_proposals(&in, &with);
        for (size_t usage = 0; usage < JL_USAGES; usage++)
            assert_true(is_same_pair(&without.amounts.of[usage], &with.amounts.of[usage]));
    }
}

/* ---- single rules ---- */

static struct jl_merge_result merged(enum jl_merge_rules rules, const struct jl_amounts *current,
                                     const struct jl_proposal *proposals, size_t count)
{
    const struct jl_merge_input in = {
        .rules = rules, .current = *current, .proposals = proposals, .count = count
    };
    struct jl_merge_result result;
    jl_merge_proposals(&in, &result);
    return result;
}

#define AMOUNTS(tflops, tflops_limit, vram, vram_limit) \
    {                                                   \
        {                                               \
            { (tflops), (tflops_limit) },               \
            {                                           \
                (vram), (vram_limit)                    \
            }                                           \
        }                                               \
    }

#define TFLOPS(result) ((result).amounts.of[JL_USAGE_TFLOPS])
#define VRAM(result) ((result).amounts.of[JL_USAGE_VRAM])

static void source_weakness_a_lock_on_one_resource_leaves_the_other_free(void **state)
{
    (void)state;
    const struct jl_amounts current = AMOUNTS(50, 50, 20, 20);
    const struct jl_proposal proposals[] = {
        { .amounts = AMOUNTS(50, 50, 10, 10), .is_locked = true, .is_applied = true },
        { .amounts = AMOUNTS(10, 10, 30, 30) },
    };
    assert_false(merged(JL_MERGE_V2_17_1, &current, proposals, 2).is_recommendation);
    const struct jl_merge_result ours = merged(JL_MERGE_CURRENT, &current, proposals, 2);
    assert_near(TFLOPS(ours).request, 50, 0); /* the floor */
    assert_near(VRAM(ours).request, 30, 0);   /* the change that the source loses */
    const struct jl_merge_result older = merged(JL_MERGE_V1_45_0, &current, proposals, 2);
    assert_true(older.is_recommendation); /* gives up only when both are under the lock */
    assert_near(TFLOPS(older).request, 10, 0);
}

static void source_weakness_the_larger_limit_counts_whoever_has_the_larger_request(void **state)
{
    (void)state;
    const struct jl_amounts current = AMOUNTS(1, 1, 1, 1);
    const struct jl_proposal proposals[] = {
        { .amounts = AMOUNTS(10, 15, 1, 1) },
        { .amounts = AMOUNTS(5, 20, 1, 1) },
    };
    assert_near(TFLOPS(merged(JL_MERGE_V2_17_1, &current, proposals, 2)).limit, 15, 0);
    assert_near(TFLOPS(merged(JL_MERGE_CURRENT, &current, proposals, 2)).limit, 20, 0);
}

static void a_recommender_that_fails_leaves_the_others_alone(void **state)
{
    (void)state;
    const struct jl_amounts current = AMOUNTS(1, 1, 1, 1);
    const struct jl_proposal proposals[] = {
        { .amounts = AMOUNTS(0, 0, 0, 0) }, /* nothing came of it */
        { .amounts = AMOUNTS(5, 20, 1, 1) },
    };
    assert_near(TFLOPS(merged(JL_MERGE_CURRENT, &current, proposals, 2)).request, 5, 0);
}

static void limits_that_change_alone_are_merged(void **state)
{
    (void)state;
    const struct jl_amounts current = AMOUNTS(10, 20, 4, 4);
    const struct jl_proposal lower = { .amounts = AMOUNTS(10, 15, 4, 4) };
    const struct jl_merge_result result = merged(JL_MERGE_CURRENT, &current, &lower, 1);
    assert_near(TFLOPS(result).request, 10, 0);
    assert_near(TFLOPS(result).limit, 15, 0);
    assert_int_equal(result.from[JL_USAGE_TFLOPS].request, JL_FROM_CURRENT);
    assert_int_equal(result.from[JL_USAGE_TFLOPS].limit, 0);
}

static void a_missing_side_takes_the_current_pair_and_a_floor_holds(void **state)
{
    (void)state;
    const struct jl_amounts current = AMOUNTS(10, 20, 4, 8);
    struct jl_proposal half = { .amounts = AMOUNTS(30, 0, 6, 8) };
    struct jl_merge_result result = merged(JL_MERGE_CURRENT, &current, &half, 1);
    assert_near(TFLOPS(result).request, 10, 0);
    assert_near(TFLOPS(result).limit, 20, 0);
    assert_near(VRAM(result).request, 6, 0);
    half.is_locked = true;
    result = merged(JL_MERGE_CURRENT, &current, &half, 1);
    assert_near(TFLOPS(result).request, 30, 0);
    assert_near(TFLOPS(result).limit, 30, 0);
    const struct jl_proposal no_request = { .amounts = AMOUNTS(0, 30, 4, 8), .is_locked = true };
    result = merged(JL_MERGE_CURRENT, &current, &no_request, 1);
    assert_near(TFLOPS(result).request, 10, 0);
    assert_near(TFLOPS(result).limit, 30, 0);
}

/* What the current amounts do not have is not missing in a proposal either. */
static void a_side_that_nobody_set_is_not_missing(void **state)
{
    (void)state;
    const struct jl_amounts no_request = AMOUNTS(0, 20, 4, 8);
    const struct jl_proposal limit = { .amounts = AMOUNTS(0, 30, 4, 8) };
    struct jl_merge_result result = merged(JL_MERGE_CURRENT, &no_request, &limit, 1);
    assert_near(TFLOPS(result).request, 0, 0);
    assert_near(TFLOPS(result).limit, 30, 0);
    const struct jl_amounts no_limit = AMOUNTS(10, 0, 4, 8);
    const struct jl_proposal request = { .amounts = AMOUNTS(15, 0, 4, 8) };
    result = merged(JL_MERGE_CURRENT, &no_limit, &request, 1);
    assert_near(TFLOPS(result).request, 15, 0);
}

static void a_request_that_is_just_allowed_is_the_proposals(void **state)
{
    (void)state;
    const struct jl_proposal proposal = { .amounts = AMOUNTS(50, 60, 4, 8) };
    const struct jl_merge_input in = {
        .rules = JL_MERGE_CURRENT,
        .current = AMOUNTS(10, 20, 4, 8),
        .proposals = &proposal,
        .count = 1,
        .max_allowed = { .has = 1, .of = { 50, 0 } },
    };
    struct jl_merge_result result;
    jl_merge_proposals(&in, &result);
    assert_near(TFLOPS(result).request, 50, 0);
    assert_int_equal(result.from[JL_USAGE_TFLOPS].request, 0);
}

/* A lock on nothing is no candidate: bounds change no pair that nobody changes. */
static void a_lock_without_amounts_changes_nothing(void **state)
{
    (void)state;
    const struct jl_proposal empty = { .amounts = AMOUNTS(0, 0, 0, 0), .is_locked = true };
    const struct jl_merge_input in = {
        .rules = JL_MERGE_CURRENT,
        .current = AMOUNTS(10, 20, 4, 8),
        .proposals = &empty,
        .count = 1,
        .gpu = { .has = 3, .of = { 15, 6 } },
    };
    struct jl_merge_result result;
    jl_merge_proposals(&in, &result);
    assert_near(TFLOPS(result).limit, 20, 0);
    assert_near(VRAM(result).limit, 8, 0);
}

/* v1.45.0 gives up when both resources are under the lock; the one that equals it is not. */
static void source_weakness_a_lock_on_both_resources_cancels_all(void **state)
{
    static const struct {
        struct jl_amounts asked;
        bool is_in_v2, is_in_v1;
    } rows[] = {
        { AMOUNTS(40, 40, 15, 15), false, false },
        { AMOUNTS(50, 50, 15, 15), false, true },
        { AMOUNTS(40, 40, 20, 20), false, true },
        { AMOUNTS(50, 50, 20, 20), true, true },
    };

    (void)state;
    const struct jl_amounts current = AMOUNTS(10, 10, 10, 10);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_proposal proposals[] = {
            { .amounts = AMOUNTS(50, 50, 20, 20), .is_locked = true, .is_applied = true },
            { .amounts = rows[i].asked },
        };
        assert_int_equal(merged(JL_MERGE_V2_17_1, &current, proposals, 2).is_recommendation,
                         rows[i].is_in_v2);
        assert_int_equal(merged(JL_MERGE_V1_45_0, &current, proposals, 2).is_recommendation,
                         rows[i].is_in_v1);
    }
}

static void without_proposals_the_current_amounts_stay(void **state)
{
    (void)state;
    const struct jl_amounts current = AMOUNTS(10, 5, 4, 0); /* whatever they are */
    const struct jl_merge_result result = merged(JL_MERGE_CURRENT, &current, NULL, 0);
    assert_near(TFLOPS(result).limit, 5, 0);
    assert_near(VRAM(result).limit, 0, 0);
    assert_false(merged(JL_MERGE_V2_17_1, &current, NULL, 0).is_recommendation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_merged_pair_keeps_all_its_bounds),
        cmocka_unit_test(the_order_of_the_proposals_does_not_matter),
        cmocka_unit_test(a_proposal_equal_to_the_current_amounts_changes_nothing),
        cmocka_unit_test(source_weakness_a_lock_on_one_resource_leaves_the_other_free),
        cmocka_unit_test(source_weakness_the_larger_limit_counts_whoever_has_the_larger_request),
        cmocka_unit_test(a_recommender_that_fails_leaves_the_others_alone),
        cmocka_unit_test(limits_that_change_alone_are_merged),
        cmocka_unit_test(a_missing_side_takes_the_current_pair_and_a_floor_holds),
        cmocka_unit_test(a_side_that_nobody_set_is_not_missing),
        cmocka_unit_test(a_lock_without_amounts_changes_nothing),
        cmocka_unit_test(source_weakness_a_lock_on_both_resources_cancels_all),
        cmocka_unit_test(without_proposals_the_current_amounts_stay),
        cmocka_unit_test(a_request_that_is_just_allowed_is_the_proposals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
