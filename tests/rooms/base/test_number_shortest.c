/* SPDX-License-Identifier: Apache-2.0 */

/*
 * test_base_number_shortest [COUNT]: the printer against the search that it replaced, on COUNT
 * doubles of each origin and their neighbours.
 */

#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/number_search.h"
#include "base/random.h"

#define EXPONENTS 2046 /* of finite doubles; 0 is that of subnormals */

static long count = 60000; /* makes 1.1 million doubles; 600000 make 10.8 million */

static double double_of(uint64_t bits)
{
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void check(double value)
{
    char ours[JL_DOUBLE_TEXT];
    char expected[JL_DOUBLE_TEXT];
    if (!isfinite(value))
        return;
    const size_t len = jl_format_double(value, ours);
    if (len != search_double(value, expected) || strcmp(ours, expected) != 0)
        fail_msg("%a prints %s, the search finds %s", value, ours, expected);
}

static void check_with_neighbours(double value)
{
    check(nextafter(value, -HUGE_VAL));
    check(value);
    check(nextafter(value, HUGE_VAL));
}

static void any_bits_print_as_the_search_finds(void **state)
{
    struct jl_random random = { 11 };
    (void)state;
    for (long i = 0; i < 4 * count; i++)
        check(double_of(jl_random_next(&random)));
}

static void everyday_exponents_print_as_the_search_finds(void **state)
{
    struct jl_random random = { 12 };
    (void)state;
    for (long i = 0; i < 4 * count; i++) {
        const uint64_t exponent = 1023 - 40 + (uint64_t)jl_random_int(&random, 0, 100);
        check(double_of((jl_random_next(&random) & ~(UINT64_C(0x7FF) << 52)) | exponent << 52));
    }
}

/* Few digits, and up to 12 places behind the point. */
static void decimals_of_documents_print_as_the_search_finds(void **state)
{
    struct jl_random random = { 13 };
    (void)state;
    for (long i = 0; i < 2 * count; i++) {
        const double power = pow(10, (double)jl_random_int(&random, 0, 12));
        const int64_t largest = INT64_C(1) << jl_random_int(&random, 1, 53);
        check_with_neighbours((double)jl_random_int(&random, -largest, largest) / power);
    }
}

static void short_mantissas_print_as_the_search_finds(void **state)
{
    struct jl_random random = { 14 };
    (void)state;
    for (long i = 0; i < count; i++) {
        const uint64_t bits = jl_random_next(&random) & ~UINT64_C(0)
                                                            << jl_random_int(&random, 30, 52);
        check_with_neighbours(double_of(bits));
    }
}

static void subnormals_print_as_the_search_finds(void **state)
{
    struct jl_random random = { 15 };
    (void)state;
    for (uint64_t bits = 1; bits <= 2000; bits++)
        check(double_of(bits));
    for (long i = 0; i < count; i++)
        check(double_of(jl_random_next(&random) >> jl_random_int(&random, 12, 62)));
}

static void every_power_of_two_and_ten_prints_as_the_search_finds(void **state)
{
    (void)state;
    for (uint64_t exponent = 0; exponent <= EXPONENTS; exponent++)
        check_with_neighbours(double_of(exponent << 52));
    for (int i = 0; i < 52; i++)
        check_with_neighbours(double_of(UINT64_C(1) << i));
    for (int i = -324; i <= 308; i++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", i);
        for (double factor = 1; factor < 10; factor++)
            check_with_neighbours(factor * strtod(text, NULL));
    }
}

/* Where few digits meet many: 2^53 and the borders of the notations. */
static void borders_print_as_the_search_finds(void **state)
{
    static const double borders[] = { 0x1p53, 0x1p63, 0x1p64, 1e15, 1e16, 1e17, 1e21, 1e22, 1e-6,
                                      1e-7,   0.001,  1e12,   1e14, 0.0,  1e23, 9e15, 1.5 };
    (void)state;
    for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++) {
        double down = borders[i];
        double up = borders[i];
        for (int step = 0; step < 1000; step++) {
            check(down);
            check(up);
            down = nextafter(down, -HUGE_VAL);
            up = nextafter(up, HUGE_VAL);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bits_print_as_the_search_finds),
        cmocka_unit_test(everyday_exponents_print_as_the_search_finds),
        cmocka_unit_test(decimals_of_documents_print_as_the_search_finds),
        cmocka_unit_test(short_mantissas_print_as_the_search_finds),
        cmocka_unit_test(subnormals_print_as_the_search_finds),
        cmocka_unit_test(every_power_of_two_and_ten_prints_as_the_search_finds),
        cmocka_unit_test(borders_print_as_the_search_finds),
    };
    if (argc == 2)
        count = strtol(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
