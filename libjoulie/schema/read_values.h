/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Values without members of their own (texts, numbers, words, times, quantities), lists, and
 * objects whose keys are the document's own. */

#include "base/number.h"
#include "schema/json_scan.h"
#include "schema/walk.h"

/* Whether a number of the row can be out of bounds. */
static inline bool jl_is_bounded(const struct jl_row *row)
{
    return row->is.not_negative | row->is.has_min | row->is.has_max | row->is.as_int32;
}

/* Whether bounds, words and REQUIRED count. */
static inline bool jl_is_checked(const struct jl_walk *walk, const struct jl_row *row)
{
    return !(walk->decode->flags & JL_UNCHECKED) || row->is.always;
}

/* Of at most JL_EXACT_DIGITS digits. */
static inline double jl_decimal_value(const struct jl_json_decimal *decimal)
{
    const double magnitude = jl_exact_decimal(decimal->mantissa, decimal->decimals);
    return decimal->is_negative ? -magnitude : magnitude;
}

int jl_read_string(struct jl_walk *walk, const struct jl_path *at, const char **out);
int jl_read_double(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                   double *out);
int jl_read_integer(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                    int64_t *out);
int jl_read_bool(struct jl_walk *walk, const struct jl_path *at, bool *out);
/* Whether a word is one of the row's; its text begins at start. */
int jl_check_word(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                  struct jl_text word, size_t start, int *out);
int jl_read_enum(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                 int *out);
int jl_read_time(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                 int64_t *out);

/* A string, or a number by its text. */
int jl_read_quantity(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                     const char **out);

/* Any value as it stands, an array or an object where the row asks for one. */
int jl_read_raw(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                struct jl_raw *out);

/* An integer, or an array of two of which the first is not above the second. */
int jl_read_range(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                  struct jl_range *out);

int jl_read_list(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                 struct jl_list *out);
int jl_read_map(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                struct jl_map *out);
int jl_read_dict(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                 struct jl_dict *out);
