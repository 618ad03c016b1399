/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_twin_predict_columns(): cuts the rows of a caller into blocks, hands each to the kernel
 * that this machine runs best, and predicts one by one what a kernel left alone. */

#include "twin/columns.h"

#include <string.h>

#include "base/column.h"
#include "base/error.h"
#include "base/simd.h"
#include "base/sized.h"
#include "base/text.h"
#include "twin/twin.h"

#define IN(member) offsetof(struct joulie_twin_columns, member)
#define OUT(member) offsetof(struct joulie_twin_columns_out, member)
#define COLUMN sizeof(struct joulie_column)

_Static_assert(OUT(power_tier) == OUT(power_headroom_score) + JL_TWIN_OUT_NUMBERS * COLUMN &&
                   OUT(code) == OUT(power_tier) + JL_TWIN_WORDS * COLUMN,
               "numbers, enums, codes");

/* ---- What may come in ---- */

struct plan {
    struct joulie_twin_columns in;
    struct joulie_twin_columns_out out;
    struct joulie_column numbers[JL_TWIN_NUMBERS];
    struct joulie_column_out out_numbers[JL_TWIN_OUT_NUMBERS];
    struct joulie_column_int_out words[JL_TWIN_WORDS];
    uint64_t available;
};

static bool is_writable(const void *at, int64_t stride, size_t size)
{
    return at == NULL || (stride != 0 && jl_column_is_aligned(at, stride, size));
}

static bool are_inputs_good(const struct plan *plan)
{
    bool is_good = jl_column_is_aligned(plan->in.has.at, plan->in.has.stride, sizeof(uint64_t)) &&
                   jl_column_is_aligned(plan->in.cpu_feedback.at, plan->in.cpu_feedback.stride,
                                        sizeof(int32_t)) &&
                   jl_column_is_aligned(plan->in.gpu_feedback.at, plan->in.gpu_feedback.stride,
                                        sizeof(int32_t));
    for (size_t i = 0; i < JL_TWIN_NUMBERS; i++)
        is_good &=
            jl_column_is_aligned(plan->numbers[i].at, plan->numbers[i].stride, sizeof(double));
    return is_good;
}

static bool are_outputs_good(const struct plan *plan)
{
    bool is_good = is_writable(plan->out.has.at, plan->out.has.stride, sizeof(uint64_t)) &&
                   is_writable(plan->out.code.at, plan->out.code.stride, sizeof(int32_t));
    for (size_t i = 0; i < JL_TWIN_OUT_NUMBERS; i++)
        is_good &=
            is_writable(plan->out_numbers[i].at, plan->out_numbers[i].stride, sizeof(double));
    for (size_t i = 0; i < JL_TWIN_WORDS; i++)
        is_good &= is_writable(plan->words[i].at, plan->words[i].stride, sizeof(int32_t));
    return is_good;
}

static int check_choices(const struct joulie_twin_columns *in, struct joulie_error *err)
{
    if ((unsigned)in->rules > JOULIE_TWIN_RULES_V0_1_0)
        return jl_fail(err, JOULIE_E_ENUM, "rules", "there is no such rule set");
    if ((unsigned)in->cooling_model > JOULIE_COOLING_CUSTOM)
        return jl_fail(err, JOULIE_E_ENUM, "cooling_model", "there is no such cooling model");
    if (in->cooling_model == JOULIE_COOLING_CUSTOM && in->cooling == NULL)
        return jl_fail(err, JOULIE_E_REQUIRED, "cooling", "the custom model has no function");
    return 0;
}

static int read_plan(const struct joulie_twin_columns *in,
                     const struct joulie_twin_columns_out *out, struct plan *plan,
                     struct joulie_error *err)
{
    if (JL_SIZED_READ(&plan->in, in) < 0 || JL_SIZED_READ(&plan->out, out) < 0)
        return jl_fail_abi(err, "");
    memcpy(plan->numbers, (const char *)&plan->in + IN(cpu_sockets), sizeof plan->numbers);
    memcpy(plan->out_numbers, (const char *)&plan->out + OUT(power_headroom_score),
           sizeof plan->out_numbers);
    memcpy(plan->words, (const char *)&plan->out + OUT(power_tier), sizeof plan->words);
    if (!are_inputs_good(plan))
        return jl_fail(err, JOULIE_E_RANGE, "", "a column is not aligned");
    if (!are_outputs_good(plan))
        return jl_fail(err, JOULIE_E_RANGE, "", "an output is not aligned or has stride 0");
    plan->available = 0;
    for (size_t i = 0; i < JL_TWIN_NUMBERS; i++)
        plan->available |= plan->numbers[i].at != NULL ? UINT64_C(1) << i : 0;
    return check_choices(&plan->in, err);
}

/* ---- Blocks ---- */

static const double no_numbers[JL_TWIN_ROWS];

/* Copies of what is not contiguous; a value for all rows stands here for the whole call. */
struct stage {
    double in[JL_TWIN_NUMBERS][JL_TWIN_ROWS];
    uint64_t has[JL_TWIN_ROWS];
    int32_t feedback[2][JL_TWIN_ROWS];
    double out[JL_TWIN_OUT_NUMBERS][JL_TWIN_ROWS];
    uint64_t out_has[JL_TWIN_ROWS];
    int32_t words[JL_TWIN_WORDS + 1][JL_TWIN_ROWS]; /* the last is the code */
};

/* The address of a row; the difference to row 0 may be negative. */
static const void *row_at(const void *at, int64_t stride, size_t row)
{
    return (const char *)at + (ptrdiff_t)stride * (ptrdiff_t)row;
}

/* Values `size` bytes wide of rows first to first + rows into `to`; NULL rows behind are zeroed. */
static __attribute__((noinline)) void collect(void *to, const void *at, int64_t stride, size_t size,
                                              size_t first, size_t rows)
{
    if (size == sizeof(double)) {
        for (size_t i = 0; i < rows; i++)
            memcpy((char *)to + i * sizeof(double), row_at(at, stride, first + i), sizeof(double));
    } else {
        for (size_t i = 0; i < rows; i++)
            memcpy((char *)to + i * sizeof(int32_t), row_at(at, stride, first + i),
                   sizeof(int32_t));
    }
    memset((char *)to + rows * size, 0, (JL_TWIN_ROWS - rows) * size);
}

/* The column itself where it is contiguous, else its copy. */
static inline const void *contiguous(void *copy, const void *at, int64_t stride, size_t size,
                                     size_t first, size_t rows)
{
    if (stride == (int64_t)size && rows == JL_TWIN_ROWS)
        return (const char *)at + first * size;
    collect(copy, at, stride, size, first, rows);
    return copy;
}

static void read_block(const struct plan *plan, size_t first, size_t rows, struct stage *stage,
                       struct jl_twin_block *block)
{
    for (uint64_t bits = plan->available; bits != 0; bits &= bits - 1) {
        const size_t i = (size_t)__builtin_ctzll(bits);
        const struct joulie_column *column = &plan->numbers[i];
        if (column->stride != 0)
            block->in[i] =
                contiguous(stage->in[i], column->at, column->stride, sizeof(double), first, rows);
    }
    if (plan->in.has.at != NULL)
        block->has = contiguous(stage->has, plan->in.has.at, plan->in.has.stride, sizeof(uint64_t),
                                first, rows);
    else if (rows < JL_TWIN_ROWS)
        memset(stage->has + rows, 0, (JL_TWIN_ROWS - rows) * sizeof *stage->has);
    if (plan->in.cpu_feedback.at != NULL)
        block->cpu_feedback =
            contiguous(stage->feedback[0], plan->in.cpu_feedback.at, plan->in.cpu_feedback.stride,
                       sizeof(int32_t), first, rows);
    if (plan->in.gpu_feedback.at != NULL)
        block->gpu_feedback =
            contiguous(stage->feedback[1], plan->in.gpu_feedback.at, plan->in.gpu_feedback.stride,
                       sizeof(int32_t), first, rows);
}

/* A wanted output: where a kernel writes is the column itself, or a copy that is carried over. */
struct target {
    char *at;
    int64_t stride;
    size_t size;
    void *copy;
    void **aim; /* member of the block */
};

struct targets {
    struct target of[JL_TWIN_OUT_NUMBERS + JL_TWIN_WORDS + 2];
    size_t count;
};

static void add_target(struct targets *targets, void *at, int64_t stride, size_t size, void *copy,
                       void *aim)
{
    if (at != NULL)
        targets->of[targets->count++] = (struct target){ at, stride, size, copy, aim };
}

static void find_targets(const struct plan *plan, struct stage *stage, struct jl_twin_block *block,
                         struct targets *out)
{
    out->count = 0;
    for (size_t i = 0; i < JL_TWIN_OUT_NUMBERS; i++)
        add_target(out, plan->out_numbers[i].at, plan->out_numbers[i].stride, sizeof(double),
                   stage->out[i], &block->out[i]);
    for (size_t i = 0; i < JL_TWIN_WORDS; i++)
        add_target(out, plan->words[i].at, plan->words[i].stride, sizeof(int32_t), stage->words[i],
                   &block->words[i]);
    add_target(out, plan->out.has.at, plan->out.has.stride, sizeof(uint64_t), stage->out_has,
               &block->out_has);
    add_target(out, plan->out.code.at, plan->out.code.stride, sizeof(int32_t),
               stage->words[JL_TWIN_WORDS], &block->code);
}

static bool is_direct(const struct target *target, size_t rows)
{
    return target->stride == (int64_t)target->size && rows == JL_TWIN_ROWS;
}

static void aim(const struct targets *targets, size_t first, size_t rows)
{
    for (size_t i = 0; i < targets->count; i++) {
        const struct target *target = &targets->of[i];
        *target->aim = is_direct(target, rows) ? target->at + first * target->size : target->copy;
    }
}

static void carry_over(const struct targets *targets, size_t first, size_t rows)
{
    for (size_t i = 0; i < targets->count; i++) {
        const struct target *target = &targets->of[i];
        if (is_direct(target, rows))
            continue;
        const char *from = target->copy;
        for (size_t row = 0; row < rows; row++)
            memcpy(target->at + target->stride * (int64_t)(first + row), from + row * target->size,
                   target->size);
    }
}

/* ---- Rows ---- */

static struct joulie_twin_input input_of(const struct plan *plan, const struct jl_twin_block *block,
                                         size_t row)
{
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    double numbers[JL_TWIN_NUMBERS];
    in.has = block->has[row] & (plan->available | ~JL_TWIN_KNOWN_BITS);
    for (size_t i = 0; i < JL_TWIN_NUMBERS; i++)
        numbers[i] = block->in[i][row];
    memcpy((char *)&in + offsetof(struct joulie_twin_input, cpu_sockets), numbers, sizeof numbers);
    in.rules = plan->in.rules;
    in.cooling_model = plan->in.cooling_model;
    in.cooling = plan->in.cooling;
    in.cooling_user = plan->in.cooling_user;
    if (block->cpu_feedback != NULL)
        in.cpu_feedback = (enum joulie_cap_feedback)block->cpu_feedback[row];
    if (block->gpu_feedback != NULL)
        in.gpu_feedback = (enum joulie_cap_feedback)block->gpu_feedback[row];
    return in;
}

static void store_row(const struct joulie_twin_output *from, int code,
                      const struct jl_twin_block *block, size_t row)
{
    double numbers[JL_TWIN_OUT_NUMBERS];
    int32_t words[JL_TWIN_WORDS];
    memcpy(numbers, (const char *)from + offsetof(struct joulie_twin_output, power_headroom_score),
           sizeof numbers);
    memcpy(words, (const char *)from + offsetof(struct joulie_twin_output, power_tier),
           sizeof words);
    for (size_t i = 0; i < JL_TWIN_OUT_NUMBERS; i++) {
        if (block->out[i] != NULL)
            block->out[i][row] = numbers[i];
    }
    for (size_t i = 0; i < JL_TWIN_WORDS; i++) {
        if (block->words[i] != NULL)
            block->words[i][row] = words[i];
    }
    if (block->out_has != NULL)
        block->out_has[row] = from->has;
    if (block->code != NULL)
        block->code[row] = code;
}

/* One by one; returns how many of them failed. */
static size_t predict_rows(const struct plan *plan, const struct jl_twin_block *block,
                           uint64_t rows)
{
    size_t failed = 0;
    for (; rows != 0; rows &= rows - 1) {
        const size_t row = (size_t)__builtin_ctzll(rows);
        const struct joulie_twin_input in = input_of(plan, block, row);
        struct joulie_twin_output out = { 0 };
        const int code = jl_twin_predict(&in, &out);
        failed += code != JOULIE_OK;
        store_row(&out, code, block, row);
    }
    return failed;
}

static uint64_t bad_feedback(const int32_t *feedback)
{
    uint64_t found = 0;
    for (size_t row = 0; row < JL_TWIN_ROWS && feedback != NULL; row++)
        found |= (uint64_t)((uint32_t)feedback[row] > JOULIE_CAP_FEEDBACK_NOT_IN_FORCE) << row;
    return found;
}

static void fill(double *to, double value)
{
    for (size_t i = 0; i < JL_TWIN_ROWS; i++)
        to[i] = value;
}

/* Only what the lean kernel stores is wanted. */
static bool is_lean(const struct plan *plan)
{
#define IS_LEAN(member, is_of_lean) is_of_lean,
    static const bool of_lean[] = { JL_TWIN_OUTPUTS(IS_LEAN) };
#undef IS_LEAN
    bool is_lean = true;
    for (size_t i = 0; i < JL_TWIN_WORDS; i++)
        is_lean &= plan->words[i].at == NULL;
    for (size_t i = 0; i < JL_TWIN_OUT_NUMBERS; i++)
        is_lean &= plan->out_numbers[i].at == NULL || of_lean[i];
    return is_lean;
}

/* What is the same in every block. */
static void begin_block(const struct plan *plan, struct stage *stage, struct jl_twin_block *block)
{
    *block = (struct jl_twin_block){ .available = plan->available,
                                     .cooling_model = plan->in.cooling_model,
                                     .is_lean = is_lean(plan) };
    for (size_t i = 0; i < JL_TWIN_NUMBERS; i++) {
        block->in[i] = no_numbers;
        if (plan->numbers[i].at != NULL && plan->numbers[i].stride == 0) {
            fill(stage->in[i], *plan->numbers[i].at);
            block->in[i] = stage->in[i];
        }
    }
    block->has = stage->has;
    for (size_t i = 0; i < JL_TWIN_ROWS && plan->in.has.at == NULL; i++)
        stage->has[i] = plan->available;
}

static size_t predict_all(const struct plan *plan, jl_twin_kernel *kernel, size_t count)
{
    struct stage stage;
    struct jl_twin_block block;
    struct targets targets;
    size_t failed = 0;
    begin_block(plan, &stage, &block);
    find_targets(plan, &stage, &block, &targets);
    for (size_t first = 0; first < count; first += JL_TWIN_ROWS) {
        const size_t rows = count - first < JL_TWIN_ROWS ? count - first : JL_TWIN_ROWS;
        read_block(plan, first, rows, &stage, &block);
        aim(&targets, first, rows);
        uint64_t left = bad_feedback(block.cpu_feedback) | bad_feedback(block.gpu_feedback);
        left = kernel != NULL && left == 0 ? kernel(&block) : ~UINT64_C(0);
        if (rows < JL_TWIN_ROWS)
            left &= (UINT64_C(1) << rows) - 1;
        failed += predict_rows(plan, &block, left);
        carry_over(&targets, first, rows);
    }
    return failed;
}

/* ---- The exported function ---- */

/* The widest that this machine has. */
static enum jl_twin_path best_path(void)
{
    switch (jl_simd_best()) {
    case JL_SIMD_AVX512:
        return JL_TWIN_PATH_8;
    case JL_SIMD_AVX2:
        return JL_TWIN_PATH_4;
    case JL_SIMD_NONE:
    case JL_SIMD_COUNT:
        break;
    }
    return JL_TWIN_PATH_1;
}

bool jl_twin_has_path(enum jl_twin_path path)
{
    return path == JL_TWIN_PATH_BEST || path <= best_path();
}

static jl_twin_kernel *kernel_of(enum jl_twin_path path)
{
#if defined(__x86_64__)
    const enum jl_twin_path used = path == JL_TWIN_PATH_BEST ? best_path() : path;
    if (used == JL_TWIN_PATH_8)
        return jl_twin_kernel_8;
    if (used == JL_TWIN_PATH_4)
        return jl_twin_kernel_4;
#else
    (void)path;
#endif
    return jl_twin_kernel_1;
}

int jl_twin_columns_with(enum jl_twin_path path, const struct joulie_twin_columns *in, size_t count,
                         const struct joulie_twin_columns_out *out, size_t *out_failed,
                         struct joulie_error *err)
{
    struct plan plan;
    const int code = read_plan(in, out, &plan, err);
    if (code < 0)
        return code;
    const bool is_common =
        jl_twin_rules_are_current(plan.in.rules) && plan.in.cooling_model <= JOULIE_COOLING_LINEAR;
    const size_t failed = predict_all(&plan, is_common ? kernel_of(path) : NULL, count);
    if (out_failed != NULL)
        *out_failed = failed;
    return JOULIE_OK;
}

int joulie_twin_predict_columns(const struct joulie_twin_columns *in, size_t count,
                                const struct joulie_twin_columns_out *out, size_t *out_failed,
                                struct joulie_error *err)
{
    return jl_twin_columns_with(JL_TWIN_PATH_BEST, in, count, out, out_failed, err);
}
