/* SPDX-License-Identifier: Apache-2.0 */

/* The layers of the TensorFusion autoscaler and what is merged of them. */

#include "autoscale/config.h"
#include "autoscale/merge.h"
#include "base/number.h"
#include "fuzz/dice.h"
#include "fuzz/fuzz.h"
#include "schema/row.h"

#define LARGEST_TFLOPS 1e5
#define LARGEST_BYTES 1e12
#define DUST                                                     \
    4e-9 /* relative: rounding up may give that much away, twice \
            (docs/rules/tensor-fusion.md#computed-amounts) */
#define NS_PER_S INT64_C(1000000000)

static double amount(struct dice *dice, enum jl_usage usage)
{
    return dice_number(dice, 0, usage == JL_USAGE_VRAM ? LARGEST_BYTES : LARGEST_TFLOPS);
}

static enum jl_usage any_usage(struct dice *dice)
{
    return dice_bit(dice) ? JL_USAGE_VRAM : JL_USAGE_TFLOPS;
}

/* Whether there is one. */
static bool member(struct dice *dice, enum jl_usage usage, double *out)
{
    uint64_t has = 0;
    dice_member(dice, &has, 0, out, 0, usage == JL_USAGE_VRAM ? LARGEST_BYTES : LARGEST_TFLOPS);
    return has != 0;
}

/* Between the two, but for one rounding step; what is less than a dust of a step may become 0. */
static bool is_within(double value, double low, double high, enum jl_usage usage)
{
    const double step = jl_usage_step(usage);
    return value >= low * (1 - DUST) - DUST * step && value <= high * (1 + DUST) + step;
}

void rules_limits(struct dice *dice)
{
    struct jl_limits_input in;
    struct jl_layer_result out;
    jl_limits_defaults(any_usage(dice), &in);
    in.current = amount(dice, in.usage);
    in.request = amount(dice, in.usage);
    in.floor = amount(dice, in.usage);
    in.given.p99 = member(dice, in.usage, &in.p99);
    in.given.peak = member(dice, in.usage, &in.peak);
    in.given.forecast = member(dice, in.usage, &in.forecast);
    in.given.capacity = member(dice, in.usage, &in.capacity);
    in.buffer = dice_number(dice, 0, 10);
    in.ignored = dice_number(dice, 0, 1);
    in.step = dice_number(dice, 1, 10);
    in.max_ratio = dice_number(dice, 1, 100);
    in.is_throttled = dice_bit(dice);
    if (dice_bit(dice)) {
        JL_SET(&in, samples, dice_int(dice, 0, 100));
        in.period_ns = dice_int(dice, 1, 3600 * NS_PER_S);
    }
    jl_scale_limits(&in, &out);

    FUZZ_REQUIRE(jl_word_of(&jl_scale_reason_words, (int)out.reason) != NULL);
    FUZZ_REQUIRE(jl_is_finite(out.value) && out.value >= 0);
    FUZZ_REQUIRE(out.is_kept ==
                 (out.reason != JL_REASON_SCALED_UP && out.reason != JL_REASON_SCALED_DOWN));
    if (out.is_kept)
        FUZZ_REQUIRE(out.value == in.current);
    else
        FUZZ_REQUIRE(is_within(out.value, out.lower, out.upper, in.usage));
    if (!out.has_target)
        return;
    FUZZ_REQUIRE(out.lower <= out.upper && out.target >= 0);

    struct jl_layer_result more;
    in.peak *= 1.25;
    in.p99 *= 1.25;
    jl_scale_limits(&in, &more);
    FUZZ_REQUIRE(more.target >= out.target);
    if (in.current >= out.lower && in.current <= out.upper)
        FUZZ_REQUIRE(more.value >= out.value);
}

void rules_requests(struct dice *dice)
{
    struct jl_requests_input in = { .usage = any_usage(dice) };
    struct jl_layer_result out;
    in.current = amount(dice, in.usage);
    in.original = amount(dice, in.usage);
    in.confidence_days = dice_number(dice, 0, 30);
    in.lower = amount(dice, in.usage);
    in.target = amount(dice, in.usage);
    in.upper = amount(dice, in.usage);
    if (dice_bit(dice))
        in.given.percentiles = true;
    in.multiplier = dice_number(dice, 0, 10);
    in.given.forecast = member(dice, in.usage, &in.forecast);
    in.given.max_allowed = member(dice, in.usage, &in.max_allowed);
    in.given.used = member(dice, in.usage, &in.used);
    in.given.limit = member(dice, in.usage, &in.limit);
    in.is_limits_layer = dice_bit(dice);
    jl_scale_requests(&in, &out);

    FUZZ_REQUIRE(jl_is_finite(out.value) && out.value >= 0);
    FUZZ_REQUIRE(out.is_kept == (out.reason != JL_REASON_UPDATED));
    FUZZ_REQUIRE(out.has_limit == (!out.is_kept && in.given.limit));
    if (out.is_kept) {
        FUZZ_REQUIRE(out.value == in.current);
        return;
    }
    const bool is_vram_used = in.usage == JL_USAGE_VRAM && in.given.used;
    const double used = is_vram_used ? in.used : 0;
    FUZZ_REQUIRE(out.value >= used * (1 - DUST) - DUST * jl_usage_step(in.usage));
    if (out.value > in.current && in.given.max_allowed)
        FUZZ_REQUIRE(
            is_within(out.value, 0, jl_max(jl_max(in.max_allowed, in.current), used), in.usage));
    if (out.has_limit && in.limit >= in.current)
        FUZZ_REQUIRE(out.limit >= out.value * (1 - DUST) - DUST * jl_usage_step(in.usage));
}

#define WORKERS 16
#define EVALUATIONS 100

void rules_replicas(struct dice *dice)
{
    struct jl_replicas_config config;
    struct jl_replicas_state state;
    int64_t now_ns = 0;
    jl_replicas_defaults(&config);
    config.target_frac = dice_number(dice, 0.01, 1);
    config.up.is_pods = dice_bit(dice);
    config.up.amount = dice_number(dice, 0.01, 100);
    config.down.amount = dice_number(dice, 0.01, 2);
    config.up_cool_down_ns = dice_int(dice, 0, 600) * NS_PER_S;
    config.down_cool_down_ns = dice_int(dice, 0, 36000) * NS_PER_S;
    config.min = dice_int(dice, 1, 100);
    config.max = dice_bit(dice) ? dice_int(dice, config.min, JL_REPLICAS_MAX) : JL_REPLICAS_MAX;
    int64_t replicas = dice_int(dice, 0, JL_REPLICAS_MAX);
    jl_replicas_begin(&state, 0);
    for (int i = 0; i < EVALUATIONS && dice->left > 0; i++) {
        double utilizations[WORKERS];
        struct jl_replicas_result out;
        struct jl_replicas_input in = {
            .now_ns = now_ns, .replicas = replicas, .utilizations = utilizations, .config = &config
        };
        in.reporting = (size_t)dice_int(dice, 0, WORKERS);
        in.missing = (size_t)dice_int(dice, 0, WORKERS);
        in.is_limits_bursting = dice_bit(dice);
        for (size_t k = 0; k < in.reporting; k++)
            utilizations[k] = dice_number(dice, 0, 1.1);
        jl_scale_replicas(&in, &state, &out);
        FUZZ_REQUIRE(out.has_ratio == (in.reporting > 0));
        FUZZ_REQUIRE((double)out.to >= jl_min((double)replicas, (double)config.min));
        FUZZ_REQUIRE((double)out.to <= jl_max((double)replicas, (double)config.max));
        FUZZ_REQUIRE(state.wish_count >= 1 && state.wish_count <= JL_REPLICAS_WISHES);
        FUZZ_REQUIRE(out.desired >= replicas ? out.to == replicas || out.to == out.desired
                                             : out.to >= out.desired && out.to <= replicas);
        for (size_t k = 1; k < state.wish_count; k++)
            FUZZ_REQUIRE(state.wishes[k].desired < state.wishes[k - 1].desired);
        replicas = out.to;
        now_ns += dice_int(dice, 0, 3600) * NS_PER_S;
    }
}

#define PROPOSALS 4

static struct jl_amounts amounts(struct dice *dice)
{
    struct jl_amounts made = { 0 };
    for (int usage = 0; usage < JL_USAGES; usage++) {
        made.of[usage].request = amount(dice, (enum jl_usage)usage);
        made.of[usage].limit = amount(dice, (enum jl_usage)usage);
    }
    return made;
}

static struct jl_amount_bounds bounds(struct dice *dice)
{
    struct jl_amount_bounds made = { 0 };
    for (unsigned usage = 0; usage < JL_USAGES; usage++)
        made.has |= (uint64_t)member(dice, (enum jl_usage)usage, &made.of[usage]) << usage;
    return made;
}

void rules_merge(struct dice *dice)
{
    struct jl_proposal proposals[PROPOSALS];
    struct jl_proposal turned[PROPOSALS];
    struct jl_merge_input in = { .rules = (enum jl_merge_rules)dice_int(dice, JL_MERGE_CURRENT,
                                                                        JL_MERGE_V1_45_0) };
    struct jl_merge_result out;
    in.current = amounts(dice);
    in.max_allowed = bounds(dice);
    in.gpu = bounds(dice);
    uint64_t has = 0;
    dice_member(dice, &has, 0, &in.max_ratio, 1, 100);
    in.given.max_ratio = has != 0;
    in.count = (size_t)dice_int(dice, 0, PROPOSALS);
    for (size_t i = 0; i < in.count; i++)
        proposals[i] = (struct jl_proposal){ amounts(dice), dice_bit(dice), dice_bit(dice) };
    for (size_t i = 0; i < in.count; i++)
        turned[i] = proposals[in.count - 1 - i];
    in.proposals = proposals;
    jl_merge_proposals(&in, &out);
    if (in.rules != JL_MERGE_CURRENT)
        return;

    struct jl_merge_result again;
    in.proposals = turned;
    jl_merge_proposals(&in, &again);
    for (size_t usage = 0; usage < JL_USAGES; usage++) {
        const struct jl_amount_pair *pair = &out.amounts.of[usage];
        const struct jl_amount_pair *current = &in.current.of[usage];
        FUZZ_REQUIRE(pair->request == again.amounts.of[usage].request);
        FUZZ_REQUIRE(pair->limit == again.amounts.of[usage].limit);
        if (pair->request != current->request || pair->limit != current->limit)
            FUZZ_REQUIRE(pair->limit >= pair->request);
        if (pair->request > current->request && JL_HAS(&in.max_allowed, usage))
            FUZZ_REQUIRE(pair->request <= in.max_allowed.of[usage]);
    }
}

void rules_percentile(struct dice *dice)
{
    struct jl_percentile_config config;
    struct jl_percentile_input in = { .rules = dice_bit(dice) ? JL_PERCENTILE_V1_45_0
                                                              : JL_PERCENTILE_V2_17_1 };
    struct jl_percentile_result out;
    struct jl_estimates percentiles;
    jl_percentile_defaults(&config);
    for (int usage = 0; usage < JL_USAGES; usage++) {
        percentiles.of[usage].lower = amount(dice, (enum jl_usage)usage);
        percentiles.of[usage].target = amount(dice, (enum jl_usage)usage);
        percentiles.of[usage].upper = amount(dice, (enum jl_usage)usage);
    }
    config.margin_frac = dice_number(dice, 0, 1);
    in.config = &config;
    in.request = (enum jl_request_estimate)dice_int(dice, JL_REQUEST_LOWER, JL_REQUEST_UPPER);
    in.original = amounts(dice);
    in.current = amounts(dice);
    in.max_allowed = bounds(dice);
    jl_percentile_estimates(in.rules, &percentiles, config.margin_frac, dice_number(dice, 0, 30),
                            &in.estimates);
    jl_recommend_percentile(&in, &out);
    for (size_t usage = 0; out.is_recommendation && usage < JL_USAGES; usage++) {
        FUZZ_REQUIRE(jl_is_finite(out.amounts.of[usage].request));
        FUZZ_REQUIRE(jl_is_finite(out.amounts.of[usage].limit));
        FUZZ_REQUIRE(out.amounts.of[usage].request >= 0 && out.amounts.of[usage].limit >= 0);
    }
}
