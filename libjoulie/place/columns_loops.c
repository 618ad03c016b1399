/* SPDX-License-Identifier: Apache-2.0 */

/* The loops over a block of rows. This file is compiled so that they become vectors
 * (CMakeLists.txt); all kinds of vectors give the same bits. */

#include <string.h>

#include <joulie/error.h>

#include "place/columns.h"

#define FIRST_MS INT64_C(-62167219200000) /* 0000-01-01T00:00:00Z */
#define LAST_MS INT64_C(253402300799999)  /* 9999-12-31T23:59:59.999Z */

#define TWIN_BITS (JOULIE_PLACE_HAS_HARDWARE - 1)
#define OR_BIT(name, ...) | JOULIE_PLACE_HAS_##name
#define HARDWARE_BITS                                                                     \
    (JOULIE_PLACE_HAS_CPU_CORES | JOULIE_PLACE_HAS_CPU_MAX | JOULIE_PLACE_HAS_GPU_COUNT | \
     JOULIE_PLACE_HAS_GPU_MAX | JOULIE_PLACE_HAS_GPU JL_PLACE_ENERGY_NUMBERS(OR_BIT))
#define ALL_BITS \
    (TWIN_BITS | JOULIE_PLACE_HAS_HARDWARE | HARDWARE_BITS JL_PLACE_LOAD_NUMBERS(OR_BIT))

#define BOUND(name, member, column, least) { JOULIE_PLACE_HAS_##name, least },

static const struct {
    uint64_t bit;
    double least;
} columns[JL_COL_COUNT] = { JL_PLACE_NUMBERS(BOUND) };

/* ---- check ---- */

/* The bit of the column where it is set and the number is none, or out of its bounds; else 0. */
JL_ALWAYS_INLINE uint64_t wrong_bit(uint64_t known, unsigned column, double number)
{
    const uint64_t is_above = number >= columns[column].least;
    const uint64_t is_below = number <= JL_PLACE_LARGEST;
    return known & columns[column].bit & ((is_above & is_below) - 1);
}

#define WRONG(name, ...) | wrong_bit(known, JL_COL_##name, values->numbers[JL_COL_##name][i])

JL_ALWAYS_INLINE uint64_t wrong_numbers(const struct jl_place_values *values, uint64_t known,
                                        size_t i)
{
    return 0 JL_PLACE_NUMBERS(WRONG);
}

/* enum joulie_code of a row. */
JL_ALWAYS_INLINE int64_t code_of(const struct jl_place_values *values, uint64_t known, size_t i)
{
    const uint64_t class_ = (uint32_t)values->class_[i];
    const uint64_t label = (uint32_t)values->label[i];
    const int64_t updated_ms = values->updated_ms[i];
    const uint64_t is_strange = (known & ~ALL_BITS) != 0;
    const uint64_t is_no_class =
        (class_ > JOULIE_NODE_CLASS_WORD_UNKNOWN) & ((known & JOULIE_PLACE_HAS_CLASS) != 0);
    const uint64_t is_no_label = label > JOULIE_NODE_LABEL_OTHER;
    const uint64_t is_early = updated_ms < FIRST_MS;
    const uint64_t is_late = updated_ms > LAST_MS;
    const uint64_t is_no_time = known & JOULIE_PLACE_HAS_UPDATED & (0 - (is_early | is_late));
    const int64_t ranged =
        (wrong_numbers(values, known, i) | is_no_time) != 0 ? JOULIE_E_RANGE : JOULIE_OK;
    const int64_t chosen = (is_no_class | is_no_label) != 0 ? JOULIE_E_ENUM : ranged;
    return is_strange != 0 ? JOULIE_E_ABI : chosen;
}

/* Bits that the rules use, of a good row: those that are implied, and class and label. */
JL_ALWAYS_INLINE uint64_t known_of(const struct jl_place_values *values, uint64_t known, size_t i)
{
    const int64_t class_ = values->class_[i];
    const uint64_t has_class = class_ != 0;
    const uint64_t has_gpus = values->numbers[JL_COL_GPU_COUNT][i] > 0;
    const uint64_t has_capped = values->numbers[JL_COL_CAPPED][i] >= JL_PLACE_SMALLEST_CAPPED_W;
    const uint64_t of_class = 0 - ((known & JOULIE_PLACE_HAS_CLASS) >> JL_PLACE_CLASS);
    const uint64_t gpu = has_gpus & (known & JOULIE_PLACE_HAS_GPU_COUNT) >> JL_PLACE_GPU_COUNT;
    known |= (known & TWIN_BITS) != 0 ? JOULIE_PLACE_HAS_TWIN : 0;
    known |= gpu << JL_PLACE_GPU;
    known |= (known & HARDWARE_BITS) != 0 ? JOULIE_PLACE_HAS_HARDWARE : 0;
    known |= of_class & jl_row_class_bits(class_);
    known &= ~((has_class ^ 1) << JL_PLACE_CLASS);
    known &= ~((has_capped ^ 1) << JL_PLACE_CAPPED);
    return known;
}

/* As the caller says it; bits without a column do not count, unknown ones stay. */
JL_ALWAYS_INLINE uint64_t has_of(const struct jl_place_values *values, const uint64_t *has,
                                 size_t i)
{
    return has[i] & (values->given | ~ALL_BITS);
}

JL_ALWAYS_INLINE const uint64_t *masks_of(struct jl_place_block *block)
{
    if (block->values.has != NULL)
        return block->values.has;
    for (size_t i = 0; i < JL_PLACE_ROWS; i++)
        block->known[i] = block->values.given;
    return block->known;
}

JL_ALWAYS_INLINE void check(struct jl_place_block *block)
{
    const struct jl_place_values values = block->values;
    const uint64_t *has = masks_of(block);
    JL_INDEPENDENT
    for (size_t i = 0; i < values.count; i++) {
        const uint64_t known = has_of(&values, has, i);
        const uint64_t label_bits = jl_row_label_bits(values.label[i]);
        const int64_t code = code_of(&values, known, i);
        const uint64_t good = known_of(&values, known, i);
        block->codes[i] = code;
        block->known[i] = label_bits | (code == JOULIE_OK ? good : 0);
    }
}

JL_ALWAYS_INLINE void trust(struct jl_place_block *block)
{
    const struct jl_place_values values = block->values;
    const uint64_t *has = masks_of(block);
    JL_INDEPENDENT
    for (size_t i = 0; i < values.count; i++) {
        const uint64_t known = has_of(&values, has, i);
        block->codes[i] = JOULIE_OK;
        block->known[i] = jl_row_label_bits(values.label[i]) | known_of(&values, known, i);
    }
}

/* ---- a row ---- */

/* The number where its bit is set, else 0; without a branch, whatever the number is. */
JL_ALWAYS_INLINE double pick(uint64_t known, unsigned column, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits &= (known & columns[column].bit) != 0 ? ~UINT64_C(0) : 0;
    memcpy(&number, &bits, sizeof bits);
    return number;
}

#define PICK(name, member, ...) \
    out->member = pick(known, JL_COL_##name, values->numbers[JL_COL_##name][i]);

JL_ALWAYS_INLINE void read_row(const struct jl_place_values *values, uint64_t known, size_t i,
                               struct jl_place_row *out)
{
    out->has = known;
    out->updated_ms = values->updated_ms[i];
    JL_PLACE_NUMBERS(PICK)
}

/* ---- sums ---- */

JL_ALWAYS_INLINE void share(const struct jl_place_block *block,
                            const struct jl_place_request *given, struct jl_place_sums *sums,
                            size_t *unknown)
{
    const struct jl_place_values values = block->values;
    const struct jl_place_request request = *given;
    double trends[JL_PLACE_ROWS];
    double pressures[JL_PLACE_ROWS];
    double weighted[JL_PLACE_ROWS];
    double weights[JL_PLACE_ROWS];
    int64_t counts[JL_PLACE_ROWS];
    int64_t lacking[JL_PLACE_ROWS];
    double psus[JL_PLACE_ROWS];
    int64_t psu_counts[JL_PLACE_ROWS];
    int64_t strangers[JL_PLACE_ROWS];
    JL_INDEPENDENT
    for (size_t i = 0; i < values.count; i++) {
        struct jl_place_row row;
        struct jl_row_share part;
        read_row(&values, block->known[i], i, &row);
        jl_row_share(&request, &row, &part);
        trends[i] = part.trend_w_per_min;
        pressures[i] = part.pressure;
        weighted[i] = part.weighted;
        weights[i] = part.weight_w;
        counts[i] = part.counts;
        lacking[i] = part.lacks_weight;
        psus[i] = part.psu;
        psu_counts[i] = part.has_psu;
        strangers[i] = jl_row_is_known(&request, &row) ^ 1;
    }
    for (size_t i = 0; i < values.count; i++) { /* sums of doubles depend on their order */
        const struct jl_row_share part = { trends[i], pressures[i], weighted[i], weights[i],
                                           counts[i], lacking[i],   psus[i],     psu_counts[i] };
        jl_place_sums_add(sums, &part);
        *unknown += (size_t)strangers[i];
    }
}

/* ---- score ---- */

#define PUT_TERM(name) out->terms[JL_COL_TERM_##name][i] = is_fresh != 0 ? terms->name : 0;

JL_ALWAYS_INLINE void put_row(const struct jl_place_request *request,
                              const struct jl_place_row *row, double marginal_w,
                              const struct jl_place_score *score, size_t i,
                              struct jl_place_results *out)
{
    const int64_t is_fresh = jl_row_is_known(request, row);
    const int64_t of_terms = score->score;
    const struct jl_place_terms *terms = &score->terms;
    out->reject[i] = jl_row_reject(request, row, marginal_w);
    out->basis[i] = jl_row_basis(request, row);
    const int64_t points = is_fresh != 0 ? of_terms : (int64_t)request->unknown_score;
    out->score[i] = points;
    out->wire[i] = jl_row_wire(points, request->is_range_100);
    out->raw[i] = is_fresh != 0 ? score->raw : 0;
    out->projected[i] = is_fresh != 0 ? score->projected_headroom : 0;
    out->marginal_w[i] = is_fresh != 0 ? marginal_w : 0;
    JL_PLACE_TERMS(PUT_TERM)
}

#define PUT_COST(name, ...) out->costs[JL_COL_COST_##name][i] = is_known != 0 ? cost->name : 0;

JL_ALWAYS_INLINE void put_cost(const struct jl_place_request *request,
                               const struct jl_place_row *row, const struct jl_place_cost *cost,
                               size_t i, struct jl_place_results *out)
{
    const int64_t is_known = jl_row_is_known(request, row);
    JL_PLACE_COSTS(PUT_COST)
}

enum formula { FORMULA_POINTS, FORMULA_LEGACY, FORMULA_COST };

/* The formula is a constant of each loop. */
JL_ALWAYS_INLINE void score(const struct jl_place_block *block,
                            const struct jl_place_request *given, enum formula formula,
                            struct jl_place_results *out)
{
    const struct jl_place_values values = block->values;
    const struct jl_place_request request = *given;
    JL_INDEPENDENT
    for (size_t i = 0; i < values.count; i++) {
        struct jl_place_row row;
        struct jl_place_score points;
        read_row(&values, block->known[i], i, &row);
        const double marginal_w = jl_row_marginal_w(&request, &row);
        if (formula == FORMULA_LEGACY)
            jl_row_legacy_score(&request, &row, marginal_w, &points);
        else if (formula == FORMULA_COST)
            jl_row_cost_score(&request, &row, marginal_w, &points);
        else
            jl_row_score(&request, &row, marginal_w, &points);
        put_row(&request, &row, marginal_w, &points, i, out);
        if (formula == FORMULA_COST)
            put_cost(&request, &row, &points.cost, i, out);
    }
}

/* ---- one of each per kind of vectors ---- */

#define LOOPS(suffix, target)                                                        \
    target static void check_##suffix(struct jl_place_block *block)                  \
    {                                                                                \
        check(block);                                                                \
    }                                                                                \
    target static void trust_##suffix(struct jl_place_block *block)                  \
    {                                                                                \
        trust(block);                                                                \
    }                                                                                \
    target static void share_##suffix(const struct jl_place_block *block,            \
                                      const struct jl_place_request *request,        \
                                      struct jl_place_sums *sums, size_t *unknown)   \
    {                                                                                \
        share(block, request, sums, unknown);                                        \
    }                                                                                \
    target static void score_##suffix(const struct jl_place_block *block,            \
                                      const struct jl_place_request *request,        \
                                      struct jl_place_results *out)                  \
    {                                                                                \
        score(block, request, FORMULA_POINTS, out);                                  \
    }                                                                                \
    target static void score_cost_##suffix(const struct jl_place_block *block,       \
                                           const struct jl_place_request *request,   \
                                           struct jl_place_results *out)             \
    {                                                                                \
        score(block, request, FORMULA_COST, out);                                    \
    }                                                                                \
    target static void score_legacy_##suffix(const struct jl_place_block *block,     \
                                             const struct jl_place_request *request, \
                                             struct jl_place_results *out)           \
    {                                                                                \
        score(block, request, FORMULA_LEGACY, out);                                  \
    }

#define ALL(suffix)                                                                          \
    {                                                                                        \
        check_##suffix, trust_##suffix, share_##suffix, score_##suffix, score_cost_##suffix, \
            score_legacy_##suffix                                                            \
    }

LOOPS(plain, )
LOOPS(avx2, JL_TARGET_AVX2)
LOOPS(avx512, JL_TARGET_AVX512)

const struct jl_place_loops jl_place_loops[JL_SIMD_COUNT] = {
    [JL_SIMD_NONE] = ALL(plain),
    [JL_SIMD_AVX2] = ALL(avx2),
    [JL_SIMD_AVX512] = ALL(avx512),
};
