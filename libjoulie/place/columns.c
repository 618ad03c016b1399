/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_place_nodes(): filter and score of many nodes over columns
 * (docs/rules/placement.md#columns). Rows are cut into blocks; the loops over a block are
 * columns_loops.c. */

#include "place/columns.h"

#include <string.h>

#include <joulie/error.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/time.h"
#include "place/config.h"

_Static_assert(sizeof(struct joulie_place_columns) == 8 + 27 * 16, "columns without padding");
_Static_assert(sizeof(struct joulie_place_columns_out) == 8 + 25 * 16, "columns without padding");

/* ---- columns ---- */

/* Where a number's column stands and which bit says that it is known. */
#define INPUT(name, member, column, ...) \
    { offsetof(struct joulie_place_columns, column), JOULIE_PLACE_HAS_##name },
#define SAME_BIT(name, ...) &&JOULIE_PLACE_HAS_##name == UINT64_C(1) << JL_PLACE_##name
#define TERM(name) offsetof(struct joulie_place_columns_out, term_##name),
#define COST(name, column) offsetof(struct joulie_place_columns_out, column),

_Static_assert(JOULIE_PLACE_HAS_GPU == UINT64_C(1) << JL_PLACE_GPU JL_PLACE_NUMBERS(SAME_BIT),
               "one order of bits");

static const struct {
    size_t offset;
    uint64_t bit;
} inputs[JL_COL_COUNT] = { JL_PLACE_NUMBERS(INPUT) };

static const size_t term_offsets[JL_COL_TERM_COUNT] = { JL_PLACE_TERMS(TERM) };
static const size_t cost_offsets[JL_COL_COST_COUNT] = { JL_PLACE_COSTS(COST) };

static struct joulie_column number_column(const struct joulie_place_columns *nodes, size_t i)
{
    struct joulie_column column;
    memcpy(&column, (const char *)nodes + inputs[i].offset, sizeof column);
    return column;
}

static struct joulie_column_out out_column(const struct joulie_place_columns_out *out,
                                           size_t offset)
{
    struct joulie_column_out column;
    memcpy(&column, (const char *)out + offset, sizeof column);
    return column;
}

/* Room for the rows of a block whose column is not an array. */
struct rows {
    uint64_t has[JL_PLACE_ROWS];
    int32_t class_[JL_PLACE_ROWS];
    int32_t label[JL_PLACE_ROWS];
    int64_t updated_ms[JL_PLACE_ROWS];
    double numbers[JL_COL_COUNT][JL_PLACE_ROWS];
};

static const double zeros[JL_PLACE_ROWS]; /* of any column that there is not */

/* The rows of a block as an array: that of the caller where it is one, else a copy; zeros without a
 * column. */
static const void *gather(const void *at, int64_t stride, size_t size, size_t first, size_t count,
                          void *room)
{
    const char *from = at;
    if (at == NULL)
        return zeros;
    from += (int64_t)first * stride;
    if (stride == (int64_t)size && (uintptr_t)from % size == 0)
        return from;
    for (size_t i = 0; i < count; i++)
        memcpy((char *)room + i * size, from + (int64_t)i * stride, size);
    return room;
}

static void scatter(const void *rows, size_t size, size_t first, size_t count, void *at,
                    int64_t stride)
{
    char *to = at;
    if (at == NULL)
        return;
    to += (int64_t)first * stride;
    if (stride == (int64_t)size) {
        memcpy(to, rows, count * size);
        return;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(to + (int64_t)i * stride, (const char *)rows + i * size, size);
}

static void put_ints(const int64_t *values, size_t first, size_t count,
                     const struct joulie_column_int_out *out)
{
    int32_t narrow[JL_PLACE_ROWS];
    if (out->at == NULL)
        return;
    for (size_t i = 0; i < count; i++)
        narrow[i] = (int32_t)values[i];
    scatter(narrow, sizeof narrow[0], first, count, out->at, out->stride);
}

/* ---- the request ---- */

struct work {
    const struct jl_place_loops *loops;
    const struct joulie_place_columns *nodes;
    const struct joulie_place_columns_out *out;
    size_t count;
    uint64_t given;
    struct joulie_place_config config;
    struct joulie_work pod;
    struct jl_place_request request;
    size_t unknown;  /* rows that are not fresh */
    size_t failed;   /* rows with a code */
    bool is_trusted; /* they were counted, and there are none */
    struct jl_place_field field;
};

static uint64_t given_bits(const struct joulie_place_columns *nodes)
{
    uint64_t given = 0;
    for (size_t i = 0; i < JL_COL_COUNT; i++)
        given |= number_column(nodes, i).at != NULL ? inputs[i].bit : 0;
    given |= nodes->node_class.at != NULL ? JOULIE_PLACE_HAS_CLASS : 0;
    given |= nodes->updated_ms.at != NULL ? JOULIE_PLACE_HAS_UPDATED : 0;
    if (nodes->has.at != NULL) /* bits without a column of their own */
        given |= JOULIE_PLACE_HAS_TWIN | JOULIE_PLACE_HAS_HARDWARE | JOULIE_PLACE_HAS_GPU;
    return given;
}

/* Rows from first on, checked. */
static void load(const struct work *work, size_t first, struct rows *room,
                 struct jl_place_block *out)
{
    const struct joulie_place_columns *nodes = work->nodes;
    struct jl_place_values *values = &out->values;
    const size_t left = work->count - first;
    const size_t count = left < JL_PLACE_ROWS ? left : JL_PLACE_ROWS;
    values->count = count;
    values->given = work->given;
    values->has = NULL;
    if (nodes->has.at != NULL)
        values->has =
            gather(nodes->has.at, nodes->has.stride, sizeof room->has[0], first, count, room->has);
    values->class_ = gather(nodes->node_class.at, nodes->node_class.stride, sizeof room->class_[0],
                            first, count, room->class_);
    values->label = gather(nodes->label.at, nodes->label.stride, sizeof room->label[0], first,
                           count, room->label);
    values->updated_ms = gather(nodes->updated_ms.at, nodes->updated_ms.stride,
                                sizeof room->updated_ms[0], first, count, room->updated_ms);
    for (size_t i = 0; i < JL_COL_COUNT; i++) {
        const struct joulie_column column = number_column(nodes, i);
        values->numbers[i] =
            gather(column.at, column.stride, sizeof(double), first, count, room->numbers[i]);
    }
    if (work->is_trusted)
        work->loops->trust(out);
    else
        work->loops->check(out);
}

static void score_block(const struct work *work, const struct jl_place_block *block,
                        struct jl_place_results *out)
{
    if (work->request.is_efficiency != 0)
        work->loops->score_cost(block, &work->request, out);
    else if (work->request.is_legacy != 0)
        work->loops->score_legacy(block, &work->request, out);
    else
        work->loops->score(block, &work->request, out);
}

/* ---- pass 1: sums over the cluster ---- */

static void sum_up(struct work *work, int64_t now_ms)
{
    struct rows room;
    struct jl_place_block block;
    struct jl_place_sums sums = { 0 };
    struct jl_place_aggregate cluster = { 0 };
    jl_place_request_init(&work->config, &work->pod, &cluster, now_ms, &work->request);
    work->request.is_range_100 = work->config.score_range == 100;
    for (size_t first = 0; first < work->count; first += JL_PLACE_ROWS) {
        load(work, first, &room, &block);
        work->loops->share(&block, &work->request, &sums, &work->unknown);
        for (size_t i = 0; i < block.values.count; i++)
            work->failed += block.codes[i] != JOULIE_OK;
    }
    work->is_trusted = work->failed == 0;
    jl_place_sums_end(&sums, work->config.rules, &cluster);
    jl_request_points(&work->config, work->pod.workload_class, &cluster, &work->request);
}

/* ---- pass 2, when rows depend on others: the range of the candidates ---- */

static struct jl_place_point point_of(const struct jl_place_results *results, size_t i)
{
    return (struct jl_place_point){
        .reject = (enum joulie_reject)results->reject[i],
        .basis = (enum joulie_basis)results->basis[i],
        .score = (int)results->score[i],
        .raw = results->raw[i],
    };
}

static void survey(struct work *work)
{
    struct rows room;
    struct jl_place_block block;
    struct jl_place_results results;
    for (size_t first = 0; first < work->count; first += JL_PLACE_ROWS) {
        load(work, first, &room, &block);
        score_block(work, &block, &results);
        for (size_t i = 0; i < block.values.count; i++) {
            const struct jl_place_point point = point_of(&results, i);
            jl_place_field_add(&work->field, &point);
        }
    }
    work->request.unknown_score =
        jl_place_unknown_score(&work->config, work->field.has_any, work->field.lowest_score);
}

/* ---- pass 3: answers ---- */

/* By the range of the candidates. */
static void spread(const struct work *work, size_t count, struct jl_place_results *results)
{
    for (size_t i = 0; i < count; i++) {
        const struct jl_place_point point = point_of(results, i);
        results->score[i] = jl_place_field_score(&work->config, &work->field, &point);
        results->wire[i] =
            jl_place_field_wire(&work->config, &work->field, &point, work->config.score_range);
    }
}

static bool is_spread(const struct work *work)
{
    return work->config.spread == JOULIE_SPREAD_RANK || work->request.is_efficiency != 0;
}

/* Zeros of the rules that compute none. */
static void put_costs(const struct work *work, const struct jl_place_results *results, size_t first,
                      size_t count)
{
    for (size_t i = 0; i < JL_COL_COST_COUNT; i++) {
        const struct joulie_column_out column = out_column(work->out, cost_offsets[i]);
        const double *rows = work->request.is_efficiency != 0 ? results->costs[i] : zeros;
        scatter(rows, sizeof(double), first, count, column.at, column.stride);
    }
}

static void answer(const struct work *work)
{
    const struct joulie_place_columns_out *out = work->out;
    struct rows room;
    struct jl_place_block block;
    struct jl_place_results results;
    for (size_t first = 0; first < work->count; first += JL_PLACE_ROWS) {
        load(work, first, &room, &block);
        score_block(work, &block, &results);
        const size_t count = block.values.count;
        if (is_spread(work))
            spread(work, count, &results);
        put_ints(block.codes, first, count, &out->code);
        put_ints(results.reject, first, count, &out->reject);
        put_ints(results.basis, first, count, &out->basis);
        put_ints(results.score, first, count, &out->score);
        put_ints(results.wire, first, count, &out->wire);
        scatter(results.raw, sizeof(double), first, count, out->raw.at, out->raw.stride);
        scatter(results.projected, sizeof(double), first, count, out->projected_headroom_score.at,
                out->projected_headroom_score.stride);
        scatter(results.marginal_w, sizeof(double), first, count, out->marginal_w.at,
                out->marginal_w.stride);
        for (size_t i = 0; i < JL_COL_TERM_COUNT; i++) {
            const struct joulie_column_out column = out_column(out, term_offsets[i]);
            scatter(results.terms[i], sizeof(double), first, count, column.at, column.stride);
        }
        put_costs(work, &results, first, count);
    }
}

static void run(struct work *work, int64_t now_ms)
{
    sum_up(work, now_ms);
    if (work->unknown > 0 || is_spread(work))
        survey(work);
    answer(work);
}

/* ---- the exported function ---- */

static int place(struct work *work, const struct joulie_place_config *config,
                 const struct joulie_work *asked, int64_t now_ms,
                 const struct joulie_place_columns *nodes,
                 const struct joulie_place_columns_out *out, struct joulie_error *err)
{
    struct joulie_place_columns our_nodes;
    struct joulie_place_columns_out our_out;
    if (jl_sized_check(nodes, sizeof *nodes) < 0 ||
        jl_sized_read(&our_nodes, sizeof our_nodes, nodes) < 0)
        return jl_fail_abi(err, "nodes");
    if (jl_sized_check(out, sizeof *out) < 0 || jl_sized_read(&our_out, sizeof our_out, out) < 0)
        return jl_fail_abi(err, "out");
    int rc = jl_place_config_read(config, &work->config, err);
    if (rc == 0)
        rc = jl_place_work_read(asked, work->config.rules, &work->pod, err);
    if (rc == 0 && !jl_is_instant(now_ms))
        rc = jl_fail(err, JOULIE_E_RANGE, "now_ms", "no clock shows this time");
    if (rc == 0)
        rc = jl_place_check_inputs(&our_nodes, work->count, err);
    if (rc == 0)
        rc = jl_place_check_outputs(&our_out, work->count, err);
    if (rc < 0)
        return rc;
    work->nodes = &our_nodes;
    work->out = &our_out;
    work->given = given_bits(&our_nodes);
    run(work, now_ms);
    return JOULIE_OK;
}

int jl_place_nodes(enum jl_simd simd, const struct joulie_place_config *config,
                   const struct joulie_work *work, const struct joulie_place_columns *nodes,
                   size_t count, int64_t now_ms, const struct joulie_place_columns_out *out,
                   size_t *out_failed, struct joulie_error *err)
{
    struct work state = { .loops = &jl_place_loops[simd], .count = count };
    const int rc = place(&state, config, work, now_ms, nodes, out, err);
    if (rc == 0 && out_failed != NULL)
        *out_failed = state.failed;
    return rc;
}

int joulie_place_nodes(const struct joulie_place_config *config, const struct joulie_work *work,
                       const struct joulie_place_columns *nodes, size_t count, int64_t now_ms,
                       const struct joulie_place_columns_out *out, size_t *out_failed,
                       struct joulie_error *err)
{
    return jl_place_nodes(jl_simd_best(), config, work, nodes, count, now_ms, out, out_failed, err);
}
