/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of quantities, and computed amounts
 * (docs/rules/kubernetes-values.md#computed-amounts). */
#include <string.h>

#include <joulie/error.h>

#include "base/random.h"
#include "kubernetes/quantity.h"
#include "support/test.h"

#define LIMIT_NANO ((jl_i128)INT64_MAX * 1000000000)
#define ROUNDS 20000

static struct jl_quantity parsed(const char *text)
{
    struct jl_quantity quantity = { 0 };
    if (jl_parse_quantity(text, strlen(text), &quantity) != 0)
        fail_msg("%s is refused", text);
    return quantity;
}

static void assert_text(const struct jl_quantity *quantity, const char *expected)
{
    char text[JL_QUANTITY_TEXT];
    jl_format_quantity(quantity, text);
    assert_string_equal(text, expected);
}

/* Any quantity in range; small, whole and extreme ones come often. */
static struct jl_quantity any_quantity(struct jl_random *random)
{
    static const int64_t units[] = { 1, 1000000, 1000000000 };
    struct jl_quantity quantity;
    const uint64_t bits = jl_random_next(random);
    const unsigned shift = (unsigned)(jl_random_next(random) % 64);
    quantity.nano = (jl_i128)(int64_t)(bits >> shift) * units[bits % 3];
    if (bits % 7 == 0)
        quantity.nano = LIMIT_NANO - (int64_t)(bits >> 60);
    if (quantity.nano > LIMIT_NANO)
        quantity.nano = LIMIT_NANO;
    if (jl_random_next(random) % 2)
        quantity.nano = -quantity.nano;
    quantity.format = (enum jl_quantity_format)(1 + jl_random_next(random) % 3);
    return quantity;
}

static void comparison_is_that_of_the_exact_values(void **state)
{
    struct jl_random random = { 2 };
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const struct jl_quantity a = any_quantity(&random);
        const struct jl_quantity b = i % 5 == 0 ? a : any_quantity(&random);
        const int expected = a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
        assert_int_equal(jl_quantity_compare(&a, &b), expected);
        assert_int_equal(jl_quantity_compare(&b, &a), -expected);
    }
}

/* A binary quantity without a suffix reads back as a decimal one, which may print another text. */
static void a_canonical_text_reads_back_equal_and_prints_the_same(void **state)
{
    struct jl_random random = { 3 };
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const struct jl_quantity quantity = any_quantity(&random);
        char text[JL_QUANTITY_TEXT];
        jl_format_quantity(&quantity, text);
        const struct jl_quantity again = parsed(text);
        assert_true(again.nano == quantity.nano);
        if (quantity.format != JL_QUANTITY_BINARY_SI || again.format == JL_QUANTITY_BINARY_SI)
            assert_text(&again, text);
    }
}

static void comparison_does_not_look_at_the_format(void **state)
{
    const struct jl_quantity gi = parsed("1Gi");
    const struct jl_quantity bytes = parsed("1073741824");
    const struct jl_quantity half = parsed("0.5");
    const struct jl_quantity milli = parsed("500m");
    (void)state;
    assert_int_equal(jl_quantity_compare(&gi, &bytes), 0);
    assert_int_equal(jl_quantity_compare(&half, &milli), 0);
    assert_int_equal(jl_quantity_compare(&half, &gi), -1);
}

static void computed_tflops_are_rounded_up_to_a_thousandth(void **state)
{
    static const struct {
        double tflops;
        const char *text;
    } cases[] = {
        { 101.64301, "101644m" },
        { 3 * 1.1, "3300m" },
        { 12 * 1.15, "13800m" },
        { 40, "40" },
        { 0, "0" },
        { 0.0004, "1m" },
        { 1e-13, "0" },
        { 1000, "1k" },
    };
    struct jl_quantity quantity;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(jl_quantity_of_tflops(cases[i].tflops, &quantity), 0);
        assert_text(&quantity, cases[i].text);
    }
}

static void computed_vram_is_rounded_up_to_a_mebibyte(void **state)
{
    struct jl_quantity quantity;
    (void)state;
    assert_int_equal(jl_quantity_of_vram(13.88625 * 1073741824.0, &quantity), 0);
    assert_text(&quantity, "14220Mi");
    assert_int_equal(jl_quantity_of_vram(1, &quantity), 0);
    assert_text(&quantity, "1Mi");
    assert_int_equal(jl_quantity_of_vram(4294967296.0, &quantity), 0);
    assert_text(&quantity, "4Gi");
}

static void what_is_no_amount_is_not_emitted(void **state)
{
    struct jl_quantity quantity = { 7, JL_QUANTITY_DECIMAL_SI };
    const double zero = 0;
    (void)state;
    assert_int_equal(jl_quantity_of_tflops(zero / zero, &quantity), JOULIE_E_RANGE);
    assert_int_equal(jl_quantity_of_tflops(1 / zero, &quantity), JOULIE_E_RANGE);
    assert_int_equal(jl_quantity_of_tflops(1e19, &quantity), JOULIE_E_RANGE);
    assert_int_equal(jl_quantity_of_vram(1e300, &quantity), JOULIE_E_RANGE);
    assert_true(quantity.nano == 7);
}

static void rounding_up_never_falls_below_and_adds_less_than_a_step(void **state)
{
    struct jl_random random = { 4 };
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const double x = jl_random_unit(&random) * 1000;
        const double up = jl_round_up_to(x, 0.25);
        assert_true(up >= x - 1e-6);
        assert_true(up < x + 0.25);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparison_is_that_of_the_exact_values),
        cmocka_unit_test(a_canonical_text_reads_back_equal_and_prints_the_same),
        cmocka_unit_test(comparison_does_not_look_at_the_format),
        cmocka_unit_test(computed_tflops_are_rounded_up_to_a_thousandth),
        cmocka_unit_test(computed_vram_is_rounded_up_to_a_mebibyte),
        cmocka_unit_test(what_is_no_amount_is_not_emitted),
        cmocka_unit_test(rounding_up_never_falls_below_and_adds_less_than_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
