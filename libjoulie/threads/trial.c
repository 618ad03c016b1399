/* SPDX-License-Identifier: Apache-2.0 */

/* The signed-rank test of Wilcoxon, exact, and the effect of Hodges and Lehmann
 * (docs/rules/threads-training.md#trial). Asked by threads.train.evaluate. */

#include "threads/trial.h"

#include <math.h>

#include <joulie/error.h>

#include "base/elementary.h"
#include "base/sort.h"

#define SAME 1e-12 /* of logarithms: differences that only rounding tells apart */
#define MOST_P 0.05
#define LEAST_GAIN 0.02
#define MOST_LOSS 1.05 /* factor by which a guard may get worse */

struct difference {
    double value;
    double size;
};

static int compare_sizes(const void *a, const void *b, void *user)
{
    const struct difference *left = a;
    const struct difference *right = b;
    (void)user;
    return JL_ORDER(left->size, right->size);
}

static int compare_numbers(const void *a, const void *b, void *user)
{
    const double *left = a;
    const double *right = b;
    (void)user;
    return JL_ORDER(*left, *right);
}

/* Twice the rank of each, which equal ones share; they are sorted by size. */
static void put_ranks(const struct difference *differences, size_t count, size_t *twice)
{
    for (size_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && differences[end].size - differences[first].size <= SAME)
            end++;
        for (size_t i = first; i < end; i++)
            twice[i] = first + 1 + end;
    }
}

/* The share of all signs of these ranks whose sum of positive ones is at least that: every sum has
 * its probability, one rank after the other. */
static double probability(const size_t *twice, size_t count, size_t least, double *shares,
                          size_t sum_count)
{
    double p = 0;
    for (size_t sum = 0; sum < sum_count; sum++)
        shares[sum] = sum == 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t sum = sum_count; sum-- > 0;)
            shares[sum] = (shares[sum] + (sum >= twice[i] ? shares[sum - twice[i]] : 0)) / 2;
    }
    for (size_t sum = least; sum < sum_count; sum++)
        p += shares[sum];
    return p;
}

static int test(struct jl_arena *arena, struct difference *differences, struct jl_trial *out)
{
    const size_t count = out->differing;
    const size_t sum_count = count * (count + 1) + 1; /* of twice the ranks */
    size_t *twice = JL_NEW_ARRAY(arena, count + 1, size_t);
    double *shares = JL_NEW_ARRAY(arena, sum_count, double);
    struct difference *scratch = JL_NEW_ARRAY(arena, count + 1, struct difference);
    size_t better = 0;
    if (twice == NULL || shares == NULL || scratch == NULL)
        return jl_arena_code(arena);
    jl_sort_with(differences, count, sizeof *differences, compare_sizes, NULL, scratch);
    put_ranks(differences, count, twice);
    for (size_t i = 0; i < count; i++)
        better += differences[i].value > 0 ? twice[i] : 0;
    out->w_plus = (double)better / 2;
    out->p = probability(twice, count, better, shares, sum_count);
    return 0;
}

/* The median of the means of all pairs of differences, each with itself too. */
static int estimate(struct jl_arena *arena, const double *values, size_t count,
                    struct jl_trial *out)
{
    const size_t mean_count = count * (count + 1) / 2;
    double *means = JL_NEW_ARRAY(arena, mean_count, double);
    double *scratch = JL_NEW_ARRAY(arena, mean_count, double);
    size_t at = 0;
    if (means == NULL || scratch == NULL)
        return jl_arena_code(arena);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i; j < count; j++)
            means[at++] = (values[i] + values[j]) / 2;
    }
    jl_sort_with(means, mean_count, sizeof *means, compare_numbers, NULL, scratch);
    out->effect = (means[(mean_count - 1) / 2] + means[mean_count / 2]) / 2;
    out->gain = jl_exp(out->effect) - 1;
    return 0;
}

int jl_trial(struct jl_arena *arena, const struct jl_trial_pairs *pairs, struct jl_trial *out)
{
    double *values = JL_NEW_ARRAY(arena, pairs->count, double);
    struct difference *differences = JL_NEW_ARRAY(arena, pairs->count, struct difference);
    struct jl_trial trial = { 0 };
    if (values == NULL || differences == NULL)
        return jl_arena_code(arena);
    for (size_t i = 0; i < pairs->count; i++) {
        const double ratio = jl_log(pairs->candidate[i] / pairs->baseline[i]);
        values[i] = pairs->is_higher_better ? ratio : -ratio;
        if (fabs(values[i]) > SAME)
            differences[trial.differing++] = (struct difference){ values[i], fabs(values[i]) };
        else
            trial.zeros++;
    }
    int rc = test(arena, differences, &trial);
    if (rc == 0)
        rc = estimate(arena, values, pairs->count, &trial);
    if (rc == 0)
        *out = trial;
    return rc;
}

bool jl_trial_is_significant(const struct jl_trial *trial)
{
    return trial->p <= MOST_P;
}

bool jl_trial_is_worth_it(const struct jl_trial *trial)
{
    return trial->gain >= LEAST_GAIN;
}

bool jl_trial_is_harmless(const struct jl_trial *trial)
{
    return trial->effect >= -jl_log(MOST_LOSS);
}
