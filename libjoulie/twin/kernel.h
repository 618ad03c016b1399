/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The kernel of columns.h for JL_LANES rows at once. */

#include "twin/columns.h"
#include "twin/lanes.h"

/* JL_LANES rows of a block, from `row` on. */
typedef struct jl_rows {
    const struct jl_twin_block *block;
    size_t row;
    uint64_t some; /* bits that any row of the block has */
    bool is_usual; /* known when this is compiled: nothing rare is in the block */
} jl_source;

/* Bits that few callers give, beside feedback: without them there is much less to compute. */
#define JL_RARE JL_TWIN_BITS(RARE)

#define JL_NUMBER_OF(source, member) \
    jl_load((source)->block->in[JL_TWIN_IN(member)] + (source)->row)

JL_LANE jl_bits jl_source_has(const jl_source *source)
{
    return jl_load_bits(source->block->has + source->row) & jl_bits_of(source->block->available);
}

/* Numbers of nearly every caller: loading them costs less than asking whether they are there. */
#define JL_COMMON JL_TWIN_BITS(USUAL)

JL_LANE bool jl_may_know(const jl_source *source, uint64_t bits)
{
    const uint64_t possible = source->is_usual ? bits & ~JL_RARE : bits;
    return (possible & JL_COMMON) != 0 || (source->some & possible) != 0;
}

JL_LANE jl_mask jl_knows(const jl_source *source, jl_bits has, uint64_t bit)
{
    return jl_may_know(source, bit) ? jl_has_bit(has, bit) : jl_mask_of(false);
}

JL_LANE jl_real jl_known_or(const jl_source *source, jl_bits has, size_t index, double otherwise)
{
    const uint64_t bit = UINT64_C(1) << index;
    if (!jl_may_know(source, bit))
        return jl_real_of(otherwise);
    return jl_pick(jl_has_bit(has, bit), jl_load(source->block->in[index] + source->row),
                   jl_real_of(otherwise));
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

#define JL_BITS_OF_100 UINT64_C(0x4059000000000000)

/* A double from 0 on is an integer from 0 on, in the same order; less 1, the 0 is the highest. */
JL_LANE void jl_note_bounds(jl_bits *found, jl_bits value, uint64_t bit)
{
    if ((bit & JL_TWIN_BITS(SIGNED)) != 0)
        jl_note(found, value & jl_bits_of(INT64_MAX));
    else if ((bit & JL_TWIN_BITS(PERCENT)) != 0)
        jl_note(found, jl_minus(value, jl_bits_of(JL_BITS_OF_100 - JL_MAX_BITS)));
    else
        jl_note(found, value);
    if ((bit & JL_TWIN_BITS(ABOVE_0)) != 0)
        jl_note(found, jl_minus(value, jl_bits_of(1)));
}

#define JL_STAND_IN(member, has_bit, path, bounds, use, value) \
    bit == JOULIE_TWIN_HAS_##has_bit ? (value):

/* The last column of JL_TWIN_INPUTS. */
JL_LANE double jl_stand_in(uint64_t bit)
{
    return JL_TWIN_INPUTS(JL_STAND_IN) 0;
}

/* Notes those of `numbers`, a constant, that are known and out of their bounds. */
JL_LANE void jl_check_bounds(const struct jl_rows *rows, jl_bits has, uint64_t numbers,
                             jl_bits *found)
{
#pragma GCC unroll 32
    for (size_t number = 0; number < JL_TWIN_NUMBERS; number++) {
        const uint64_t bit = UINT64_C(1) << number;
        if ((numbers & bit) != 0 && jl_may_know(rows, bit))
            jl_note_bounds(found, jl_as_bits(jl_known_or(rows, has, number, jl_stand_in(bit))),
                           bit);
    }
}

/* Rows with a known number out of its bounds. -0 is among them; the scalar code takes it. */
JL_LANE jl_mask jl_is_bad(const struct jl_rows *rows)
{
    const jl_bits has = jl_source_has(rows);
    jl_bits found = jl_bits_of(0);
    jl_check_bounds(rows, has, JL_COMMON, &found);
    if (jl_may_know(rows, JL_TWIN_KNOWN_BITS & ~JL_COMMON))
        jl_check_bounds(rows, has, JL_TWIN_KNOWN_BITS & ~JL_COMMON, &found);
    return jl_noted(found);
}

/* Bits that any row has. */
JL_LANE uint64_t jl_some_bits(const struct jl_twin_block *block)
{
    jl_bits some = jl_load_bits(block->has);
    uint64_t lanes[JL_LANES];
    uint64_t found = 0;
    for (size_t row = JL_LANES; row < JL_TWIN_ROWS; row += JL_LANES)
        some |= jl_load_bits(block->has + row);
    jl_store_bits(lanes, some);
    for (size_t lane = 0; lane < JL_LANES; lane++)
        found |= lanes[lane];
    return found;
}

#define JL_STORE_NUMBER(member, is_of_lean)                                    \
    if (((is_of_lean) || !is_lean) && block->out[JL_TWIN_OUT(member)] != NULL) \
        jl_store(block->out[JL_TWIN_OUT(member)] + row, from->member);
#define JL_STORE_WORD(member)                       \
    if (block->words[JL_TWIN_WORD(member)] != NULL) \
        jl_store_int(block->words[JL_TWIN_WORD(member)] + row, from->member);

JL_LANE void jl_store_rows(const struct jl_prediction *from, const struct jl_twin_block *block,
                           size_t row, bool is_lean)
{
    if (block->out_has != NULL)
        jl_store_bits(block->out_has + row, from->has);
    if (block->code != NULL)
        jl_store_int(block->code + row, jl_int_of(JOULIE_OK));
    JL_TWIN_OUTPUTS(JL_STORE_NUMBER)
    if (is_lean)
        return;
    JL_TWIN_OUTPUT_WORDS(JL_STORE_WORD)
}

/* An output may be an input: every row is read before it is written. */
JL_LANE uint64_t jl_run_groups(const struct jl_rows *block_rows, bool is_usual, bool is_lean)
{
    struct jl_rows rows = *block_rows;
    uint64_t left = 0;
    rows.is_usual = is_usual;
    for (rows.row = 0; rows.row < JL_TWIN_ROWS; rows.row += JL_LANES) {
        struct jl_prediction prediction;
        const jl_mask is_bad = jl_is_bad(&rows);
        jl_predict_current(&rows, rows.block->cooling_model, &prediction);
        if (jl_any(jl_either(is_bad, jl_not(jl_is_in_range(&prediction)))))
            left |= JL_GROUP_ROWS << rows.row;
        else
            jl_store_rows(&prediction, rows.block, rows.row, is_lean);
    }
    return left;
}

JL_LANE uint64_t jl_run_kernel(const struct jl_twin_block *block)
{
    struct jl_rows rows = { .block = block, .some = jl_some_bits(block) };
    if ((rows.some & ~JL_TWIN_KNOWN_BITS) != 0)
        return UINT64_MAX;
    rows.some &= block->available;
    if ((rows.some & JL_RARE) != 0 || block->cpu_feedback != NULL || block->gpu_feedback != NULL)
        return jl_run_groups(&rows, false, false);
    return block->is_lean ? jl_run_groups(&rows, true, true) : jl_run_groups(&rows, true, false);
}
