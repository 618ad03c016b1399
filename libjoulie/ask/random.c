/* SPDX-License-Identifier: Apache-2.0 */
/* random: the generator that every seeded result comes from (temper.md §7.4). */
#include "base/random.h"

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"

#define MOST_NUMBERS 100000
#define HEX_DIGITS 16

struct random_input {
    uint64_t has;
    int64_t seed;
    int64_t count;
};

struct random_answer {
    uint64_t has;
    struct jl_list hex;
    struct jl_list u;
};

enum { IN_SEED, IN_COUNT };

enum { OUT_HEX, OUT_U };

static const struct jl_row input_rows[] = {
    [IN_SEED] = JL_INTEGER(random_input, seed, "seed", .flags = JL_REQUIRED, .doc = "First state."),
    [IN_COUNT] =
        JL_INTEGER(random_input, count, "count", .flags = JL_REQUIRED | JL_HAS_MIN | JL_HAS_MAX,
                   .min = 0, .max = MOST_NUMBERS, .doc = "How many numbers to draw."),
};
static const struct jl_table input_table = JL_TABLE(random_input, input_rows);

static const struct jl_row answer_rows[] = {
    [OUT_HEX] = JL_STRINGS(random_answer, hex, "hex",
                           .doc = "The 64-bit numbers, as 16 hexadecimal digits."),
    [OUT_U] = JL_NUMBERS(random_answer, u, "u", .doc = "The same as numbers in [0,1)."),
};
static const struct jl_table answer_table = JL_TABLE(random_answer, answer_rows);

static const char *hex_text(struct jl_arena *arena, uint64_t value)
{
    static const char digits[] = "0123456789abcdef";
    char text[HEX_DIGITS];
    for (int i = HEX_DIGITS; i-- > 0; value >>= 4)
        text[i] = digits[value & 15];
    return jl_arena_copy(arena, text, sizeof text);
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct random_input *input = in;
    struct random_answer *result = out;
    const size_t count = (size_t)input->count;
    struct jl_random integers = { (uint64_t)input->seed };
    struct jl_random units = integers;
    const char **hex = JL_NEW_ARRAY(ask->arena, count, const char *);
    double *u = JL_NEW_ARRAY(ask->arena, count, double);
    for (size_t i = 0; i < count && hex != NULL && u != NULL; i++) {
        u[i] = jl_random_unit(&units);
        hex[i] = hex_text(ask->arena, jl_random_next(&integers));
        if (hex[i] == NULL)
            hex = NULL;
    }
    if (hex == NULL || u == NULL)
        return jl_fail_memory(ask->err);
    JL_PUT(result, OUT_HEX, hex, ((struct jl_list){ hex, count }));
    JL_PUT(result, OUT_U, u, ((struct jl_list){ u, count }));
    return 0;
}

const struct jl_question jl_question_random = {
    .name = "random",
    .summary = "Draw numbers from the seeded generator",
    .in = &input_table,
    .out = &answer_table,
    .answer = answer,
};
