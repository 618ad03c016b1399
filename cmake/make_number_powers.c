/* SPDX-License-Identifier: Apache-2.0 */

/* make_number_powers FILE: writes jl_powers (number_shortest.h) as C, from exact integers. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bigint.h"
#include "base/number_shortest.h"

#define BITS 128

static struct jl_power twice(struct jl_power wide, uint64_t lowest)
{
    return (struct jl_power){ wide.high << 1 | wide.low >> 63, wide.low << 1 | lowest };
}

/* The first 128 bits of above / below, rounded up; 1 <= above / below < 2. */
static struct jl_power quotient(struct jl_bigint *above, const struct jl_bigint *below)
{
    struct jl_power result = { 0, 0 };
    for (int i = 0; i < BITS; i++) {
        const bool is_one = jl_bigint_compare(above, below) >= 0;
        if (is_one)
            jl_bigint_subtract(above, below);
        result = twice(result, is_one);
        jl_bigint_shift(above, 1);
    }
    if (above->count > 0 && ++result.low == 0)
        result.high++;
    return result;
}

static struct jl_power power_of_ten(int k)
{
    struct jl_bigint above;
    struct jl_bigint below;
    jl_bigint_set(&above, 1);
    jl_bigint_set(&below, 1);
    jl_bigint_scale_pow10(k >= 0 ? &above : &below, (uint32_t)(k >= 0 ? k : -k));
    const uint32_t above_bits = jl_bigint_bits(&above);
    const uint32_t below_bits = jl_bigint_bits(&below);
    if (above_bits > below_bits)
        jl_bigint_shift(&below, above_bits - below_bits);
    else
        jl_bigint_shift(&above, below_bits - above_bits);
    if (jl_bigint_compare(&above, &below) < 0)
        jl_bigint_shift(&above, 1);
    return quotient(&above, &below);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (!file) {
        perror("make_number_powers");
        return 1;
    }
    fputs("/* SPDX-License-Identifier: Apache-2.0 */\n"
          "/* Made by make_number_powers.c. */\n"
          "#include \"base/number_shortest.h\"\n\n"
          "const struct jl_power jl_powers[] = {\n",
          file);
    for (int k = JL_SMALLEST_POWER; k <= JL_LARGEST_POWER; k++) {
        const struct jl_power power = power_of_ten(k);
        fprintf(file, "    { UINT64_C(0x%016" PRIX64 "), UINT64_C(0x%016" PRIX64 ") },\n",
                power.high, power.low);
    }
    fputs("};\n", file);
    const int is_bad = ferror(file);
    return fclose(file) != 0 || is_bad;
}
