/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The same nodes as structs of the rules and as columns of joulie/place.h. */

#include <joulie/place.h>

#include "base/random.h"
#include "base/simd.h"
#include "place/place.h"
#include "support/test.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define MOST_ROWS 700
#define NUMBER_COLUMNS 23 /* columns of numbers that come in */
#define ANSWER_NUMBERS 20 /* and that go out */

struct table {
    size_t count;
    struct jl_place_node nodes[MOST_ROWS];
    /* the same as arrays */
    uint64_t has[MOST_ROWS];
    int32_t class_[MOST_ROWS];
    int32_t label[MOST_ROWS];
    int64_t updated_ms[MOST_ROWS];
    double numbers[NUMBER_COLUMNS][MOST_ROWS];
};

struct answers {
    int32_t code[MOST_ROWS];
    int32_t reject[MOST_ROWS];
    int32_t basis[MOST_ROWS];
    int32_t score[MOST_ROWS];
    int32_t wire[MOST_ROWS];
    double numbers[ANSWER_NUMBERS]
                  [MOST_ROWS]; /* raw, projected headroom, marginal W, terms, costs */
};

/* Arrays from nodes; what has no bit gets rubbish that nobody may look at. */
uint64_t number_bit(size_t member); /* JOULIE_PLACE_HAS_* of a column of numbers */
void table_fill(struct table *table);
struct joulie_place_columns table_columns(const struct table *table);
/* Views of the array of structs itself, with its stride. */
struct joulie_place_columns table_strided(const struct table *table);
struct joulie_place_columns_out answer_columns(struct answers *answers);

struct joulie_work work_of(const struct joulie_work *pod);
/* What the functions over structs say. */
void expect(const struct joulie_place_config *config, const struct joulie_work *pod,
            const struct table *table, int range, struct answers *out);
struct joulie_place_config public_config(const struct joulie_place_config *config);
void assert_same_answers(const struct answers *a, const struct answers *b, size_t count);

struct jl_place_node random_node(struct jl_random *random);
struct joulie_work random_pod(struct jl_random *random);
bool simd_is_there(enum jl_simd simd);
