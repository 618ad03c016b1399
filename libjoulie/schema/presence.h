/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which members of a struct are present: bit i of the `has` it begins with for row i, or, in a
 * bound table, the bit that the row names. */

#include "schema/row.h"

/*
 * The word that holds the bit of row i, and that bit, which is 0 when the row has none; *out_bit is
 * 1 << i beforehand, which is it in all but bound tables.
 */
static inline uint64_t *jl_presence(const struct jl_table *table, const struct jl_row *row,
                                    void *object, uint64_t *out_bit)
{
    if (!table->is_bound)
        return object;
    *out_bit = row->bit > 0 ? UINT64_C(1) << (row->bit - 1) : 0;
    return (uint64_t *)((char *)object + row->has_at);
}

/* A member without a bit: text is absent as NULL, an enum as 0, a number never. */
static inline bool jl_is_given(const struct jl_row *row, const void *object)
{
    const char *at = (const char *)object;
    if (row->bit > 0)
        return *(const uint64_t *)(at + row->has_at) >> (row->bit - 1) & 1;
    if (row->type == JL_TYPE_STRING || row->type == JL_TYPE_QUANTITY)
        return *(const char *const *)(at + row->offset) != NULL;
    return row->type != JL_TYPE_ENUM || *(const int *)(at + row->offset) != 0;
}

/* The members that no row has; of a table with extra_prefix. */
static inline const struct jl_extra *jl_first_extra(const struct jl_table *table,
                                                    const void *object)
{
    return *(const struct jl_extra *const *)((const char *)object + table->extras_at);
}

static inline uint64_t jl_all_rows(const struct jl_table *table)
{
    return table->count < 64 ? (UINT64_C(1) << table->count) - 1 : ~UINT64_C(0);
}

/* Bit i: the member of row i is present. */
static inline uint64_t jl_rows_present(const struct jl_table *table, const void *object)
{
    uint64_t present = 0;
    if (!table->is_bound)
        return *(const uint64_t *)object & jl_all_rows(table);
    for (uint32_t i = 0; i < table->count; i++)
        present |= (uint64_t)jl_is_given(&table->rows[i], object) << i;
    return present;
}
