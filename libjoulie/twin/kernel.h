/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The kernel of columns.h for JL_LANES rows at once. */

#include <string.h>

#include "twin/columns.h"
#include "twin/lanes.h"

/* JL_LANES rows of a block, from `row` on. */
typedef struct jl_rows {
    const struct jl_twin_block *block;
    size_t row;
    uint64_t all;  /* bits that every row of the block has */
    uint64_t some; /* bits that any of them has */
    bool is_usual; /* known when this is compiled: nothing rare is in the block */
} jl_source;

/* Bits that few callers give, beside feedback: without them there is much less to look at. */
#define JL_RARE                                                                    \
    (JOULIE_TWIN_HAS_CPU_CAP_W | JOULIE_TWIN_HAS_GPU_CAP_W |                       \
     JOULIE_TWIN_HAS_PREVIOUS_CPU_CAP_PCT | JOULIE_TWIN_HAS_PREVIOUS_GPU_CAP_PCT | \
     JOULIE_TWIN_HAS_ZONE_TEMP | JOULIE_TWIN_HAS_CLUSTER_POWER |                   \
     JOULIE_TWIN_HAS_CLUSTER_CAPACITY | JOULIE_TWIN_HAS_ZONE_POWER |               \
     JOULIE_TWIN_HAS_COOLING_REFERENCE | JOULIE_TWIN_HAS_COOLING_DESIGN_IT)

#define JL_NUMBER_OF(source, member) \
    jl_load((source)->block->in[JL_TWIN_IN(member)] + (source)->row)

JL_LANE jl_bits jl_source_has(const jl_source *source)
{
    return jl_load_bits(source->block->has + source->row) & jl_bits_of(source->block->available);
}

JL_LANE bool jl_may_know(const jl_source *source, uint64_t bits)
{
    const uint64_t possible = source->is_usual ? bits & ~JL_RARE : bits;
    return possible != 0 && (source->some & possible) != 0;
}

/* Most blocks have a number in every row or in none: then there is nothing to look at. */
JL_LANE jl_mask jl_knows(const jl_source *source, jl_bits has, uint64_t bit)
{
    if (!jl_may_know(source, bit))
        return jl_mask_of(false);
    return (source->all & bit) != 0 ? jl_mask_of(true) : jl_has_bit(has, bit);
}

JL_LANE jl_real jl_known_or(const jl_source *source, jl_bits has, size_t index, double otherwise)
{
    const uint64_t bit = UINT64_C(1) << index;
    if (!jl_may_know(source, bit))
        return jl_real_of(otherwise);
    const jl_real value = jl_load(source->block->in[index] + source->row);
    return (source->all & bit) != 0 ? value
                                    : jl_pick(jl_has_bit(has, bit), value, jl_real_of(otherwise));
}

JL_LANE bool jl_is_cap_plain(const jl_source *source)
{
    return source->is_usual ||
           (source->block->cpu_feedback == NULL && source->block->gpu_feedback == NULL &&
            !jl_may_know(source, JOULIE_TWIN_HAS_CPU_CAP_W | JOULIE_TWIN_HAS_GPU_CAP_W));
}

JL_LANE jl_int jl_cpu_feedback(const jl_source *source)
{
    const int32_t *feedback = source->block->cpu_feedback;
    return feedback != NULL ? jl_load_int(feedback + source->row) : jl_int_of(0);
}

JL_LANE jl_int jl_gpu_feedback(const jl_source *source)
{
    const int32_t *feedback = source->block->gpu_feedback;
    return feedback != NULL ? jl_load_int(feedback + source->row) : jl_int_of(0);
}

#include "twin/current.h"

#define JL_GROUP_ROWS ((UINT64_C(1) << JL_LANES) - 1)
#define JL_GROUPS 8 /* whose findings fit into registers */

/* The bits of a number in order: a double of 0 and more is an integer of 0 and more. */
JL_LANE jl_bits jl_order_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return jl_bits_of(bits);
}

struct jl_findings {
    jl_bits noted[JL_GROUPS];
    jl_bits signs[JL_GROUPS];
};

/* Numbers from 0 on. */
JL_LANE void jl_look_at_plain(const uint64_t *values, struct jl_findings *found)
{
#pragma GCC unroll 8
    for (size_t group = 0; group < JL_GROUPS; group++)
        jl_note(&found->noted[group], jl_load_bits(values + group * JL_LANES));
}

/* Numbers of other bounds: of those that may be below 0 the absolute value counts, and 0 is found
 * where `least` is 1. */
JL_LANE void jl_look_at_bounded(const uint64_t *values, size_t number, uint64_t least,
                                struct jl_findings *found)
{
    const jl_bits highest = jl_order_of(jl_twin_high[number]);
    const jl_bits kept = jl_bits_of(jl_twin_low[number] < 0 ? INT64_MAX : UINT64_MAX);
#pragma GCC unroll 8
    for (size_t group = 0; group < JL_GROUPS; group++) {
        const jl_bits value = jl_load_bits(values + group * JL_LANES) & kept;
        found->signs[group] |= jl_minus(value, jl_bits_of(least)) | jl_minus(highest, value);
    }
}

/* Rows of groups with a number out of its bounds, known or not; a 0 out of bounds is found where
 * every row has the number. */
JL_LANE uint64_t jl_suspects_of(const struct jl_rows *rows)
{
    struct jl_findings found;
    uint64_t suspects = 0;
    for (size_t group = 0; group < JL_GROUPS; group++) {
        found.noted[group] = jl_bits_of(0);
        found.signs[group] = jl_bits_of(0);
    }
    for (uint64_t bits = rows->some & rows->block->varying; bits != 0; bits &= bits - 1) {
        const size_t number = (size_t)__builtin_ctzll(bits);
        const void *at = rows->block->in[number] + rows->row;
        const uint64_t *values = at;
        if (!(jl_twin_low[number] < 0 || jl_twin_low[number] > 0))
            jl_look_at_plain(values, &found);
        else
            jl_look_at_bounded(values, number,
                               jl_twin_low[number] > 0 && (rows->all & bits & -bits) != 0, &found);
    }
#pragma GCC unroll 8
    for (size_t group = 0; group < JL_GROUPS; group++) {
        if (jl_any(jl_either(jl_noted(found.noted[group]), jl_sign_of(found.signs[group]))))
            suspects |= JL_GROUP_ROWS << (rows->row + group * JL_LANES);
    }
    return suspects;
}

/* Whether a known number of a group is out of its bounds. */
static JL_TARGET __attribute__((noinline)) bool jl_is_bad(const struct jl_twin_block *block,
                                                          size_t row)
{
    const jl_bits has = jl_load_bits(block->has + row);
    jl_mask is_bad = jl_mask_of(false);
    for (uint64_t bits = block->varying; bits != 0; bits &= bits - 1) {
        const size_t number = (size_t)__builtin_ctzll(bits);
        const jl_real value = jl_load(block->in[number] + row);
        const jl_mask is_good = jl_both(jl_at_most(jl_real_of(jl_twin_low[number]), value),
                                        jl_at_most(value, jl_real_of(jl_twin_high[number])));
        is_bad = jl_either(is_bad, jl_both(jl_has_some(has, bits & -bits), jl_not(is_good)));
    }
    return jl_any(is_bad);
}

/* Numbers that must be above 0 where they are known. */
#define JL_ABOVE_0                                                                               \
    (JOULIE_TWIN_HAS_CPU_CAP_PCT | JOULIE_TWIN_HAS_GPU_CAP_PCT | JOULIE_TWIN_HAS_RACK_CAPACITY | \
     JOULIE_TWIN_HAS_COOLING_DESIGN_IT)

/* Of those that only some rows have, one is 0. */
JL_LANE bool jl_has_zero(const struct jl_rows *rows)
{
    const jl_bits has = jl_source_has(rows);
    jl_mask is_bad = jl_mask_of(false);
    for (uint64_t bits = rows->some & ~rows->all & rows->block->varying & JL_ABOVE_0; bits != 0;
         bits &= bits - 1) {
        const jl_real value = jl_load(rows->block->in[(size_t)__builtin_ctzll(bits)] + rows->row);
        is_bad = jl_either(is_bad,
                           jl_both(jl_has_some(has, bits & -bits), jl_not(jl_is_above_0(value))));
    }
    return jl_any(is_bad);
}

/* Sets which bits all and some rows have. */
JL_LANE void jl_count_bits(struct jl_rows *rows)
{
    jl_bits all = jl_load_bits(rows->block->has);
    jl_bits some = all;
    uint64_t lanes[2][JL_LANES];
    for (size_t row = JL_LANES; row < JL_TWIN_ROWS; row += JL_LANES) {
        all &= jl_load_bits(rows->block->has + row);
        some |= jl_load_bits(rows->block->has + row);
    }
    jl_store_bits(lanes[0], all);
    jl_store_bits(lanes[1], some);
    rows->all = rows->block->available;
    rows->some = 0;
    for (size_t lane = 0; lane < JL_LANES; lane++) {
        rows->all &= lanes[0][lane];
        rows->some |= lanes[1][lane];
    }
}

#define JL_STORE_NUMBER(member)                       \
    do {                                              \
        double *to = block->out[JL_TWIN_OUT(member)]; \
        if (to != NULL)                               \
            jl_store(to + row, from->member);         \
    } while (0)

#define JL_STORE_WORD(member)                             \
    do {                                                  \
        int32_t *to = block->words[JL_TWIN_WORD(member)]; \
        if (to != NULL)                                   \
            jl_store_int(to + row, from->member);         \
    } while (0)

JL_LANE void jl_store_rows(const struct jl_prediction *from, const struct jl_twin_block *block,
                           size_t row, bool is_lean)
{
    if (block->out_has != NULL)
        jl_store_bits(block->out_has + row, from->has);
    if (block->code != NULL)
        jl_store_int(block->code + row, jl_int_of(JOULIE_OK));
    JL_STORE_NUMBER(power_headroom_score);
    JL_STORE_NUMBER(cooling_stress_score);
    JL_STORE_NUMBER(psu_stress_score);
    JL_STORE_NUMBER(node_power_w);
    if (is_lean)
        return;
    JL_STORE_NUMBER(hardware_density_score);
    JL_STORE_NUMBER(estimated_pue);
    JL_STORE_NUMBER(cpu_tdp_w);
    JL_STORE_NUMBER(gpu_tdp_w);
    JL_STORE_NUMBER(node_tdp_w);
    JL_STORE_NUMBER(cpu_capped_w);
    JL_STORE_NUMBER(gpu_capped_w);
    JL_STORE_NUMBER(node_capped_w);
    JL_STORE_NUMBER(cpu_effective_pct);
    JL_STORE_NUMBER(gpu_effective_pct);
    JL_STORE_WORD(power_tier);
    JL_STORE_WORD(cooling_model);
    JL_STORE_WORD(cpu_cap_state);
    JL_STORE_WORD(gpu_cap_state);
    JL_STORE_WORD(cpu_tdp_provenance);
    JL_STORE_WORD(gpu_tdp_provenance);
    JL_STORE_WORD(estimate_provenance);
    JL_STORE_WORD(outside_temp_provenance);
    JL_STORE_WORD(cooling_reference_provenance);
    JL_STORE_WORD(psu_supply);
    JL_STORE_WORD(psu_capacity_provenance);
    JL_STORE_WORD(density_provenance);
}

/* Rows of groups that are not for the kernel. */
JL_LANE uint64_t jl_bad_rows(struct jl_rows rows)
{
    uint64_t suspects = 0;
    uint64_t bad = 0;
    for (rows.row = 0; rows.row < JL_TWIN_ROWS; rows.row += JL_GROUPS * JL_LANES)
        suspects |= jl_suspects_of(&rows);
    for (; suspects != 0; suspects &= ~(JL_GROUP_ROWS << rows.row)) {
        rows.row = (size_t)__builtin_ctzll(suspects);
        if (jl_is_bad(rows.block, rows.row))
            bad |= JL_GROUP_ROWS << rows.row;
    }
    if ((rows.some & ~rows.all & rows.block->varying & JL_ABOVE_0) == 0)
        return bad;
    for (rows.row = 0; rows.row < JL_TWIN_ROWS; rows.row += JL_LANES)
        bad |= jl_has_zero(&rows) ? JL_GROUP_ROWS << rows.row : 0;
    return bad;
}

/* An output may be an input: every row is read before it is written. */
JL_LANE uint64_t jl_run_groups(const struct jl_rows *block_rows, uint64_t bad, bool is_usual,
                               bool is_lean)
{
    struct jl_rows rows = *block_rows;
    uint64_t left = bad;
    rows.is_usual = is_usual;
    for (rows.row = 0; rows.row < JL_TWIN_ROWS; rows.row += JL_LANES) {
        struct jl_prediction prediction;
        if ((bad >> rows.row & 1) != 0)
            continue;
        jl_predict_current(&rows, rows.block->cooling_model, &prediction);
        if (jl_any(jl_not(jl_is_in_range(&prediction))))
            left |= JL_GROUP_ROWS << rows.row;
        else
            jl_store_rows(&prediction, rows.block, rows.row, is_lean);
    }
    return left;
}

JL_LANE uint64_t jl_run_kernel(const struct jl_twin_block *block)
{
    struct jl_rows rows = { .block = block };
    jl_count_bits(&rows);
    if ((rows.some & ~JL_TWIN_KNOWN_BITS) != 0)
        return UINT64_MAX;
    rows.some &= block->available;
    const uint64_t bad = jl_bad_rows(rows);
    if ((rows.some & JL_RARE) != 0 || block->cpu_feedback != NULL || block->gpu_feedback != NULL)
        return jl_run_groups(&rows, bad, false, false);
    return block->is_lean ? jl_run_groups(&rows, bad, true, true)
                          : jl_run_groups(&rows, bad, true, false);
}
