/* SPDX-License-Identifier: Apache-2.0 */

/* Replies of an instant query, and the numbers in them: a value is a number, else there is a
 * reason; libc reads the same number. */

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "fuzz/fuzz.h"
#include "twin/twin.h"

static void check_number(struct jl_arena *arena, const char *text, size_t len)
{
    double value = -1;
    bool is_missing = false;
    const char *string = jl_arena_copy(arena, text, len);
    if (jl_prometheus_number((struct jl_text){ text, len }, &is_missing, &value) < 0 || is_missing)
        FUZZ_REQUIRE(value == -1);
    else
        FUZZ_REQUIRE(isfinite(value) && value == strtod(string, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum joulie_twin_rules rules[] = { JOULIE_TWIN_RULES_CURRENT,
                                                    JOULIE_TWIN_RULES_V0_1_1 };

    const char *text = (const char *)data;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
        struct jl_prometheus_value value;
        FUZZ_REQUIRE(jl_prometheus_value(text, size, 200, rules[i], &arena, &value) == 0);
        FUZZ_REQUIRE(value.is_ok || (!value.has_value && value.message != NULL));
        FUZZ_REQUIRE(!value.has_value || isfinite(value.value));
        check_number(&arena, text, size);
    }
    return 0;
}
