/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "fuzz/dice.h"
#include "fuzz/fuzz.h"
#include "node/cap_life.h"
#include "node/node.h"
#include "remote/shard.h"

#define MOST 8
#define NOW_MS INT64_C(1773403200000)
#define STEPS 24

/* ---- a step: on the way no sum of limits is above both the one before and the one after ---- */

static void check_order(const struct jl_part *parts, const struct jl_part_want *wants,
                        const size_t *order, size_t count, size_t writes)
{
    double before_w = 0;
    double after_w = 0;
    bool is_written[MOST] = { false };
    for (size_t i = 0; i < writes; i++) {
        FUZZ_REQUIRE(order[i] < count && !is_written[order[i]]);
        FUZZ_REQUIRE(wants[order[i]].write != JL_WRITE_NOTHING);
        is_written[order[i]] = true;
        if (!parts[order[i]].has_current)
            return;
        before_w += parts[order[i]].current_w;
        after_w += wants[order[i]].target_w;
    }
    double sum_w = before_w;
    for (size_t i = 0; i < writes; i++) {
        sum_w += wants[order[i]].target_w - parts[order[i]].current_w;
        FUZZ_REQUIRE(sum_w <= fmax(before_w, after_w) + 1e-6);
    }
}

void rules_node_step(struct dice *dice)
{
    struct jl_node_config config;
    struct jl_twin_spec spec = { .profile = JOULIE_PROFILE_ECO };
    struct jl_part parts[MOST] = { 0 };
    struct jl_part_want wants[MOST];
    size_t order[MOST];
    struct jl_node_memory memory = { 0 };
    const size_t count = (size_t)dice_int(dice, 0, MOST);
    jl_node_defaults(&config);
    config.mode = dice_bit(dice) ? JL_NODE_OBSERVE : JL_NODE_ENFORCE;
    spec.has |= UINT64_C(1) << JL_INDEX(jl_twin_spec, cpu);
    dice_member(dice, &spec.cpu.has, JL_INDEX(jl_cpu_intent, cap_w), &spec.cpu.cap_w, 1, 1000);
    dice_member(dice, &spec.cpu.has, JL_INDEX(jl_cpu_intent, cap_pct), &spec.cpu.cap_pct, 1, 100);
    for (size_t i = 0; i < count; i++) {
        parts[i] = (struct jl_part){
            .kind = JOULIE_NODE_KIND_PACKAGE,
            .index = (int64_t)i,
            .limits = { .max_w = dice_number(dice, 0, 500) },
            .is_controllable = dice_bit(dice),
            .has_current = dice_bit(dice),
            .current_w = dice_number(dice, 0, 600),
            .is_ours = dice_bit(dice),
            .original_w = dice_number(dice, 1, 600),
        };
        parts[i].limits.min_w = dice_number(dice, 0, parts[i].limits.max_w);
    }
    const struct jl_node_input in = {
        .spec = dice_bit(dice) ? NULL : &spec,
        .is_vouched = true,
        .parts = parts,
        .part_count = count,
        .now_ms = NOW_MS,
    };
    const size_t writes = jl_node_step(&config, &in, &memory, wants, order);
    FUZZ_REQUIRE(writes <= count && (writes == 0 || config.mode == JL_NODE_ENFORCE));
    check_order(parts, wants, order, count, writes);
    for (size_t i = 0; i < count; i++) {
        FUZZ_REQUIRE(wants[i].write != JL_WRITE_ORIGINAL || parts[i].is_ours);
        FUZZ_REQUIRE(wants[i].write != JL_WRITE_CAP ||
                     wants[i].target_w <= parts[i].limits.max_w + 1e-6 ||
                     parts[i].limits.max_w <= 0);
    }
}

/* ---- one control: it only writes what is wanted or lies on the way, and not for ever ---- */

void rules_machine(struct dice *dice)
{
    struct jl_cap_life life = { 0 };
    struct jl_cap_life_view view = { .unit = 125000, .now_ms = NOW_MS, .has_value = true };
    view.value = (uint64_t)dice_int(dice, 0, 500000000);
    for (int i = 0; i < STEPS; i++) {
        uint64_t value = 0;
        view.goal = (enum jl_goal)dice_int(dice, 0, JL_GOAL_RESTORE);
        view.target = (uint64_t)dice_int(dice, 1, 500000000);
        view.ramps = dice_bit(dice);
        view.reference_w = dice_number(dice, 0, 500);
        view.now_ms += dice_int(dice, 0, 900000);
        if (!jl_cap_life_next(&life, &view, &value))
            continue;
        FUZZ_REQUIRE(view.goal != JL_GOAL_NONE);
        FUZZ_REQUIRE(view.ramps || value == view.target || value == life.requested);
        const enum jl_wrote wrote = (enum jl_wrote)dice_int(dice, 0, JL_WROTE_UNBOUNDED);
        const uint64_t read = wrote == JL_WROTE_VERIFIED ? value : view.value;
        jl_cap_life_wrote(&life, &view, wrote, value, read);
        view.value = read;
        FUZZ_REQUIRE(life.reasserts <= JL_REASSERT_MAX);
        FUZZ_REQUIRE(life.state <= JL_DEVICE_FAILED);
    }
}

void rules_shard(struct dice *dice)
{
    char name[] = "node-0000";
    const int64_t number = dice_int(dice, 0, 9999);
    const int64_t shards = dice_int(dice, 1, 100);
    for (size_t i = 0; i < 4; i++)
        name[8 - i] = (char)('0' + number / (i == 0 ? 1 : i == 1 ? 10 : i == 2 ? 100 : 1000) % 10);
    int64_t owners = 0;
    for (int64_t id = 0; id < shards; id++)
        owners += jl_shard_owns(name, shards, id);
    FUZZ_REQUIRE(owners == 1);
    FUZZ_REQUIRE(jl_shard_of(name, shards) >= 0 && jl_shard_of(name, shards) < shards);
}
