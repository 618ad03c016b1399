/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fuzz/dice.h"
#include "fuzz/fuzz.h"
#include "policy/policy.h"
#include "policy/power_off.h"

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

/* ---- power off: only what is unused goes, the reserve holds, what is left alone stays so ---- */

static const struct jl_node anywhere = { 0 };
static const struct jl_pod anyone = { 0 };

static void power_room(struct dice *dice, struct jl_room *out)
{
    *out = (struct jl_room){
        .node = &anywhere,
        .offer = { .millicores = dice_int(dice, 0, 8) * 32000,
                   .micro_gpus = dice_int(dice, 0, 2) * 4000000 },
        .vendor = (enum joulie_gpu_vendor)dice_int(dice, 0, 3),
        .has_cores = true,
        .row = { .cpu_idle_w = dice_number(dice, 0, 300), .gpu_count = 1, .gpu_idle_w = 10 },
    };
    if (dice_bit(dice))
        out->held = (struct jl_place_load){ 1, dice_int(dice, 0, 300) * 1000,
                                            dice_int(dice, 0, 9) * 1000000, 0 };
}

static void power_node(struct dice *dice, struct jl_power_node *out)
{
    *out = (struct jl_power_node){
        .state = (enum jl_power_state)dice_int(dice, JL_POWER_ON, JL_POWER_LEFT),
        .since_ms = NOW_MS - dice_int(dice, 0, 4000) * 1000,
        .empty_since_ms = NOW_MS - dice_int(dice, 0, 4000) * 1000,
        .failures = dice_int(dice, 0, 4),
        .is_eco = dice_bit(dice),
    };
}

/* Free cores that are or will be awake. */
static int64_t free_cores(const struct jl_power_input *in, const struct jl_power_choice *out)
{
    int64_t sum = 0;
    for (size_t i = 0; i < in->count; i++) {
        const int64_t left = in->rooms[i].offer.millicores - in->rooms[i].held.millicores;
        const enum jl_power_state state = in->nodes[i].state;
        const bool was_awake = (state == JL_POWER_ON || state == JL_POWER_BOOTING) &&
                               out[i].action == JL_POWER_NOTHING;
        if ((was_awake || out[i].action == JL_POWER_WAKE) && left > 0)
            sum += left;
    }
    return sum;
}

static bool switches(const struct jl_power_choice *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (out[i].action == JL_POWER_SWITCH_OFF)
            return true;
    }
    return false;
}

void rules_power_off(struct dice *dice)
{
    struct jl_power_off_config settings = { 0 };
    struct jl_power_node nodes[MOST];
    struct jl_room rooms[MOST];
    size_t order[MOST];
    struct jl_power_choice out[MOST];
    struct jl_waiting_pod waiting[MOST];
    struct jl_power_input in = { .config = &settings,
                                 .nodes = nodes,
                                 .rooms = rooms,
                                 .order = order,
                                 .count = (size_t)dice_int(dice, 1, MOST),
                                 .waiting = waiting,
                                 .waiting_count = (size_t)dice_int(dice, 0, MOST),
                                 .now_ms = NOW_MS };
    in.recent.millicores = dice_int(dice, 0, 600000);
    for (size_t i = 0; i < JL_COUNT(in.recent.micro_gpus); i++)
        in.recent.micro_gpus[i] = dice_int(dice, 0, 20) * 1000000;
    jl_power_off_defaults(&settings);
    settings.enabled = dice_int(dice, 0, 7) > 0;
    settings.reserve_cores = dice_number(dice, 0, 600);
    settings.reserve_gpus = (double)dice_int(dice, 0, 20);
    settings.reserve_window_s = dice_int(dice, 0, 1) > 0 ? 900 : 0;
    for (size_t i = 0; i < in.count; i++) {
        power_room(dice, &rooms[i]);
        power_node(dice, &nodes[i]);
    }
    for (size_t i = 0; i < in.waiting_count; i++)
        waiting[i] = (struct jl_waiting_pod){ .pod = &anyone,
                                              .load = { 1, dice_int(dice, 0, 100) * 1000, 0, 0 } };
    FUZZ_REQUIRE(jl_power_order(rooms, in.count, order) == 0);
    jl_power_decide(&in, out);
    for (size_t i = 0; i < in.count; i++) {
        const enum jl_power_action action = out[i].action;
        const enum jl_power_state state = nodes[i].state;
        FUZZ_REQUIRE((action == JL_POWER_NOTHING) == (out[i].reason == JL_POWER_NO_REASON));
        if (action == JL_POWER_SWITCH_OFF)
            FUZZ_REQUIRE(state == JL_POWER_ON && rooms[i].held.work == 0 && settings.enabled);
        if (action == JL_POWER_WAKE || action == JL_POWER_GIVE_UP)
            FUZZ_REQUIRE(state != JL_POWER_ON && state != JL_POWER_LEFT);
        if (action == JL_POWER_GIVE_UP)
            FUZZ_REQUIRE(nodes[i].failures + 1 >= settings.most_failures);
    }
    double reserve = settings.reserve_cores * 1000 - 1;
    if (settings.reserve_window_s > 0 && (double)in.recent.millicores < reserve)
        reserve = (double)in.recent.millicores;
    if (switches(out, in.count))
        FUZZ_REQUIRE((double)free_cores(&in, out) >= reserve);
}
