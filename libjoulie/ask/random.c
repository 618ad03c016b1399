/* SPDX-License-Identifier: Apache-2.0 */

/* random: the generator that every seeded result comes from (docs/rules/questions.md#random). */
#include "base/random.h"

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"

#define MOST_NUMBERS 100000
#define HEX_DIGITS 16

#define RECORD random_in
#define MEMBERS                                     \
    INTEGER(seed, "seed", "First state.", REQUIRED) \
    INTEGER(count, "count", "How many numbers to draw.", REQUIRED, BETWEEN(0, MOST_NUMBERS))
#include "schema/record.h"

#define RECORD random_out
#define MEMBERS                                                          \
    STRINGS(hex, "hex", "The 64-bit numbers, as 16 hexadecimal digits.") \
    NUMBERS(u, "u", "The same as numbers in [0,1).")
#include "schema/record.h"

static const char *hex_text(struct jl_arena *arena, uint64_t value)
{
    static const char digits[] = "0123456789abcdef";
    char text[HEX_DIGITS];
    for (int i = HEX_DIGITS; i-- > 0; value >>= 4)
        text[i] = digits[value & 15];
    return jl_arena_copy(arena, text, sizeof text);
}

static int answer_random(struct jl_ask *ask, const struct random_in *input,
                         struct random_out *result)
{
    const size_t count = (size_t)input->count;
    struct jl_random integers = { (uint64_t)input->seed };
    struct jl_random units = integers;
    const char **hex = JL_NEW_LIST(ask, result, hex, count, const char *);
    double *u = JL_NEW_LIST(ask, result, u, count, double);
    for (size_t i = 0; i < count && hex != NULL && u != NULL; i++) {
        u[i] = jl_random_unit(&units);
        hex[i] = hex_text(ask->arena, jl_random_next(&integers));
        if (hex[i] == NULL)
            hex = NULL;
    }
    if (hex == NULL || u == NULL)
        return jl_fail_memory(ask->err);
    return 0;
}

JL_QUESTION(random, "random", "Draw numbers from the seeded generator");
