/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fuzz/dice.h"
#include "fuzz/fuzz.h"
#include "policy/policy.h"

#define MOST 16
#define NOW_MS INT64_C(1773403200000)
#define STEPS 12

static struct jl_policy_config config(struct dice *dice)
{
    struct jl_policy_config made = { 0 };
    jl_policy_defaults(&made, JL_POLICY_CURRENT);
    made.type = (enum jl_policy_type)dice_int(dice, JL_POLICY_STATIC, JL_POLICY_SWAP);
    made.static_hp_frac = dice_number(dice, 0, 1);
    made.queue_hp_base_frac = dice_number(dice, 0, 1);
    made.queue_hp_min = dice_int(dice, 0, MOST);
    made.queue_hp_max = dice_int(dice, 0, MOST);
    made.queue_perf_per_hp_node = dice_int(dice, 0, 20);
    made.queue_scale_down_delay_s = (double)dice_int(dice, 0, 600);
    made.min_profile_dwell_s = (double)dice_int(dice, 0, 600);
    return made;
}

/* ---- how many: between 0 and all, more with more demand ---- */

void rules_hp(struct dice *dice)
{
    const struct jl_policy_config settings = config(dice);
    struct jl_policy_count in = {
        .config = &settings,
        .rules = (enum jl_policy_rules)dice_int(dice, 0, JL_POLICY_V0_0_2),
        .nodes = dice_int(dice, 0, 1000),
        .families = dice_int(dice, 0, 10),
        .demand = dice_number(dice, 0, 1e5),
    };
    if (jl_policy_of(settings.type)->how_many == NULL)
        return;
    const int64_t hp = jl_policy_hp(&in);
    FUZZ_REQUIRE(hp >= 0 && hp <= in.nodes);
    if (in.rules != JL_POLICY_CURRENT)
        FUZZ_REQUIRE(hp >= (in.families < in.nodes ? in.families : in.nodes));
    in.demand += dice_number(dice, 0, 1e4);
    FUZZ_REQUIRE(jl_policy_hp(&in) >= hp);
    in.families++;
    FUZZ_REQUIRE(jl_policy_hp(&in) >= hp);
}

/* ---- going down waits for the delay, going up does not ---- */

void rules_hysteresis(struct dice *dice)
{
    struct jl_plan_state state = { 0 };
    const int64_t delay_ms = dice_int(dice, 0, 600000);
    int64_t now_ms = NOW_MS;
    int64_t reached_ms = NOW_MS; /* when the target last was at least hp */
    int64_t hp = 0;
    for (int i = 0; i < STEPS; i++) {
        const int64_t target = dice_int(dice, 0, MOST);
        now_ms += dice_int(dice, 0, 300000);
        const int64_t before = hp;
        hp = jl_hysteresis_step(&state, target, now_ms, delay_ms);
        FUZZ_REQUIRE(hp >= target);
        if (i == 0 || target >= before)
            FUZZ_REQUIRE(hp == target);
        else
            FUZZ_REQUIRE(hp == before || (hp == target && now_ms - reached_ms >= delay_ms));
        if (target >= hp)
            reached_ms = now_ms;
    }
}

/* ---- a plan: as many as it says, families first ---- */

static size_t plan_nodes(struct dice *dice, struct jl_plan_node *nodes, uint32_t families)
{
    const size_t count = (size_t)dice_int(dice, 0, MOST);
    for (size_t i = 0; i < count; i++)
        nodes[i] = (struct jl_plan_node){
            .family = families > 0 ? (uint32_t)dice_int(dice, 0, families - 1) : 0,
            .current = (enum joulie_profile)dice_int(dice, 0, 2),
            .has_blocker = dice_bit(dice),
            .has_since = dice_bit(dice),
            .since_ms = NOW_MS - dice_int(dice, 0, 1200000),
        };
    return count;
}

static size_t performance(const struct jl_plan_choice *choices, size_t count, bool with_dwell)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += choices[i].profile == JOULIE_PROFILE_PERFORMANCE &&
                 (with_dwell || choices[i].reason != JL_PLAN_DWELL);
    return found;
}

void rules_plan(struct dice *dice)
{
    const struct jl_policy_config settings = config(dice);
    const uint32_t families = (uint32_t)dice_int(dice, 1, 4);
    struct jl_plan_node nodes[MOST];
    struct jl_plan_choice out[MOST];
    unsigned char scratch[MOST];
    struct jl_plan_state state = { .is_set = dice_bit(dice), .hp = dice_int(dice, 0, MOST) };
    const struct jl_plan_input in = {
        .config = &settings,
        .rules = (enum jl_policy_rules)dice_int(dice, 0, JL_POLICY_V0_0_2),
        .demand = dice_bit(dice) ? -1 : dice_number(dice, 0, 200),
        .nodes = nodes,
        .count = plan_nodes(dice, nodes, families),
        .family_count = families,
        .now_ms = NOW_MS,
    };
    FUZZ_REQUIRE(jl_plan_scratch_size(&in) <= sizeof scratch);
    const int64_t hp = jl_plan_nodes(&in, &state, out, scratch);
    FUZZ_REQUIRE(hp >= 0 && hp <= (int64_t)in.count && state.is_set);
    FUZZ_REQUIRE(performance(out, in.count, false) == (size_t)hp);
    FUZZ_REQUIRE(performance(out, in.count, true) >= (size_t)hp);
    for (size_t i = 0; i < in.count; i++) {
        FUZZ_REQUIRE(out[i].reason != JL_PLAN_NO_REASON);
        FUZZ_REQUIRE(out[i].reason != JL_PLAN_DWELL ||
                     nodes[i].current == JOULIE_PROFILE_PERFORMANCE);
        FUZZ_REQUIRE((out[i].reason == JL_PLAN_REST) == (out[i].profile == JOULIE_PROFILE_ECO) ||
                     out[i].reason == JL_PLAN_SWAP);
    }
}

/* ---- the guard: eco only where nothing stands against it ---- */

void rules_guard(struct dice *dice)
{
    const enum jl_policy_rules rules = (enum jl_policy_rules)dice_int(dice, 0, JL_POLICY_V0_0_2);
    const struct jl_guard_input in = {
        .plan = dice_bit(dice) ? JOULIE_PROFILE_ECO : JOULIE_PROFILE_PERFORMANCE,
        .blockers = dice_int(dice, -1, 3),
        .current_label = dice_bit(dice) ? "performance" : NULL,
        .current_profile = (enum joulie_profile)dice_int(dice, 0, 2),
        .is_current_draining = dice_bit(dice),
        .drain_caps = dice_bit(dice) ? JOULIE_PROFILE_ECO : JOULIE_PROFILE_PERFORMANCE,
    };
    struct jl_guard_output out;
    jl_guard(&in, rules, &out);
    FUZZ_REQUIRE(out.profile != JOULIE_PROFILE_UNKNOWN);
    FUZZ_REQUIRE(out.state == jl_state_of(out.profile, out.is_draining));
    if (in.blockers == 0 || in.plan == JOULIE_PROFILE_PERFORMANCE)
        FUZZ_REQUIRE(!out.is_draining && out.caps == in.plan && out.profile == in.plan);
    if (rules == JL_POLICY_CURRENT && in.blockers > 0 && in.plan == JOULIE_PROFILE_ECO)
        FUZZ_REQUIRE(out.is_draining && out.caps == in.drain_caps);
    if (rules == JL_POLICY_CURRENT && in.blockers < 0 &&
        in.current_profile == JOULIE_PROFILE_PERFORMANCE)
        FUZZ_REQUIRE(out.profile == JOULIE_PROFILE_PERFORMANCE);
}
