/* SPDX-License-Identifier: Apache-2.0 */

/* Whether the columns of a caller are columns: values stand where a processor reads and writes
 * them, and every row of an answer has a place of its own (joulie/column.h). */

#include <string.h>

#include "base/column.h"
#include "base/error.h"
#include "place/config.h"

struct kind {
    const char *name;
    size_t size; /* of a value */
};

#define INPUT(name, member, column, ...) { "nodes." #column, sizeof(double) },
#define TERM(name) { "out.term_" #name, sizeof(double) },
#define COST(name, column) { "out." #column, sizeof(double) },

/* In the order of the struct; all kinds of columns are a pointer and a stride. */
static const struct kind inputs[] = { { "nodes.has", sizeof(uint64_t) },
                                      { "nodes.node_class", sizeof(int32_t) },
                                      { "nodes.label", sizeof(int32_t) },
                                      { "nodes.updated_ms", sizeof(int64_t) },
                                      JL_PLACE_NUMBERS(INPUT) };
static const struct kind outputs[] = { { "out.code", sizeof(int32_t) },
                                       { "out.reject", sizeof(int32_t) },
                                       { "out.basis", sizeof(int32_t) },
                                       { "out.score", sizeof(int32_t) },
                                       { "out.wire", sizeof(int32_t) },
                                       { "out.raw", sizeof(double) },
                                       { "out.projected_headroom_score", sizeof(double) },
                                       { "out.marginal_w", sizeof(double) },
                                       JL_PLACE_TERMS(TERM) JL_PLACE_COSTS(COST) };

_Static_assert(sizeof(struct joulie_place_columns) ==
                   sizeof(size_t) + JL_COUNT(inputs) * sizeof(struct joulie_column),
               "a row for every column");
_Static_assert(sizeof(struct joulie_place_columns_out) ==
                   sizeof(size_t) + JL_COUNT(outputs) * sizeof(struct joulie_column_out),
               "a row for every column");

static int check(const void *columns, const struct kind *kinds, size_t count, size_t rows,
                 struct joulie_error *err)
{
    for (size_t i = 0; i < count && rows > 0; i++) {
        struct joulie_column column;
        memcpy(&column, (const char *)columns + sizeof(size_t) + i * sizeof column, sizeof column);
        if (!jl_column_is_aligned(column.at, column.stride, kinds[i].size))
            return jl_fail(err, JOULIE_E_RANGE, kinds[i].name, "the column is not aligned");
    }
    return 0;
}

/* Every row would go to one place. */
static int check_strides(const struct joulie_place_columns_out *out, struct joulie_error *err)
{
    for (size_t i = 0; i < JL_COUNT(outputs); i++) {
        struct joulie_column_out column;
        memcpy(&column, (const char *)out + sizeof(size_t) + i * sizeof column, sizeof column);
        if (column.at != NULL && column.stride == 0)
            return jl_fail(err, JOULIE_E_RANGE, outputs[i].name, "stride 0 of an output");
    }
    return 0;
}

int jl_place_check_inputs(const struct joulie_place_columns *nodes, size_t rows,
                          struct joulie_error *err)
{
    return check(nodes, inputs, JL_COUNT(inputs), rows, err);
}

int jl_place_check_outputs(const struct joulie_place_columns_out *out, size_t rows,
                           struct joulie_error *err)
{
    const int rc = check_strides(out, err);
    return rc < 0 ? rc : check(out, outputs, JL_COUNT(outputs), rows, err);
}
