/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text. The C library, in the C locale, is the judge of single values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/error.h>

#include "base/number.h"
#include "base/random.h"
#include "support/test.h"

#define RANDOM_DOUBLES 80000

static uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double parse(const char *text)
{
    double value = -1;
    assert_int_equal(jl_parse_double(text, strlen(text), &value), 0);
    return value;
}

static int parse_code(const char *text)
{
    double value = -1;
    const int rc = jl_parse_double(text, strlen(text), &value);
    assert_true(value == -1 || rc == 0);
    return rc;
}

static void assert_prints(double value, const char *expected)
{
    char text[JL_DOUBLE_TEXT];
    assert_int_equal(jl_format_double(value, text), strlen(expected));
    assert_string_equal(text, expected);
}

/* Any finite double: every exponent, then the exponents of everyday values, then short mantissas.
 */
static double random_double(struct jl_random *random, int i)
{
    for (;;) {
        uint64_t bits = jl_random_next(random);
        if (i % 2 == 0) {
            const uint64_t exponent = 1023 - 40 + (uint64_t)jl_random_int(random, 0, 80);
            bits = (bits & ~(UINT64_C(0x7FF) << 52)) | exponent << 52;
        }
        if (i % 5 == 0)
            bits &= ~UINT64_C(0) << jl_random_int(random, 0, 52);
        if (i % 11 == 0)
            bits &= UINT64_C(0x800FFFFFFFFFFFFF); /* subnormal */
        if (isfinite(double_of(bits)))
            return double_of(bits);
    }
}

static void a_printed_number_reads_back_equal(void **state)
{
    struct jl_random random = { 1 };
    (void)state;
    for (int i = 0; i < RANDOM_DOUBLES; i++) {
        char text[JL_DOUBLE_TEXT];
        double back = 0;
        const double value = random_double(&random, i);
        const size_t len = jl_format_double(value, text);
        assert_int_equal(strlen(text), len);
        assert_int_equal(jl_parse_double(text, len, &back), 0);
        if (value != 0 && bits_of(back) != bits_of(value))
            fail_msg("%a prints %s, which reads as %a", value, text, back);
    }
}

static int count_digits(const char *text)
{
    char digits[JL_DOUBLE_TEXT];
    int count = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text >= '0' && *text <= '9' && (count > 0 || *text != '0'))
            digits[count++] = *text;
    }
    while (count > 0 && digits[count - 1] == '0')
        count--;
    return count;
}

static void a_printed_number_has_no_digit_too_many(void **state)
{
    struct jl_random random = { 2 };
    (void)state;
    for (int i = 0; i < 30000; i++) {
        char text[JL_DOUBLE_TEXT];
        char shorter[40];
        const double value = random_double(&random, i);
        jl_format_double(value, text);
        if (strtod(text, NULL) != value)
            fail_msg("%s is not %a to the C library", text, value);
        const int count = count_digits(text);
        if (count < 2)
            continue;
        snprintf(shorter, sizeof shorter, "%.*e", count - 2, value);
        if (strtod(shorter, NULL) == value)
            fail_msg("%s is shorter than %s", shorter, text);
    }
}

static void numbers_print_as_ecmascript_prints_them(void **state)
{
    (void)state;
    assert_prints(60, "60");
    assert_prints(0.5, "0.5");
    assert_prints(0, "0");
    assert_prints(-0.0, "0");
    assert_prints(-1.5, "-1.5");
    assert_prints(0.1 + 0.2, "0.30000000000000004");
    assert_prints(100, "100");
    assert_prints(123456789.125, "123456789.125");
    assert_prints(1e-6, "0.000001");
    assert_prints(1e-7, "1e-7");
    assert_prints(1.5e-7, "1.5e-7");
    assert_prints(1e20, "100000000000000000000");
    assert_prints(123456789012345680000.0, "123456789012345680000");
    assert_prints(1e21, "1e+21");
    assert_prints(-1.25e22, "-1.25e+22");
    assert_prints(9007199254740991, "9007199254740991");
    assert_prints(9007199254740993.0, "9007199254740992");
    assert_prints(5e-324, "5e-324");
    assert_prints(2.2250738585072014e-308, "2.2250738585072014e-308");
    assert_prints(1.7976931348623157e308, "1.7976931348623157e+308");
    assert_prints(0x1p-24,
                  "5.960464477539063e-8"); /* shorter than what rounding to 16 digits finds */
}

static void any_text_reads_as_the_nearest_double(void **state)
{
    struct jl_random random = { 3 };
    (void)state;
    for (int i = 0; i < 40000; i++) {
        char text[1000];
        size_t len = 0;
        const int64_t digits =
            i % 100 == 0 ? jl_random_int(&random, 700, 900) : jl_random_int(&random, 1, 25);
        text[len++] = (char)('1' + jl_random_int(&random, 0, 8));
        text[len++] = '.';
        for (int64_t digit = 0; digit < digits; digit++)
            text[len++] = (char)('0' + jl_random_int(&random, 0, 9));
        const int64_t exponent = jl_random_int(&random, -330, 310);
        len += (size_t)snprintf(text + len, sizeof text - len, "e%d", (int)exponent);

        const double expected = strtod(text, NULL);
        double value = -1;
        const int rc = jl_parse_double(text, len, &value);
        if (isinf(expected) ? rc != JOULIE_E_RANGE : rc != 0 || bits_of(value) != bits_of(expected))
            fail_msg("%s reads as %a (code %d), expected %a", text, value, rc, expected);
    }
}

/* The exact decimal text of the point half way between two doubles; long double has the bits for
 * normal ones. */
static void a_text_half_way_between_two_doubles_reads_as_the_even_one(void **state)
{
    struct jl_random random = { 4 };
    (void)state;
    for (int i = 0; i < 5000; i++) {
        char text[1600];
        const uint64_t bits =
            (jl_random_next(&random) >> 12) | (uint64_t)jl_random_int(&random, 1, 2045) << 52;
        const uint64_t even = (bits & 1) == 0 ? bits : bits + 1;
        const long double half =
            ((long double)double_of(bits) + (long double)double_of(bits + 1)) / 2;
        int len = snprintf(text, sizeof text, "%.1150Lf", half);
        double value = 0;
        assert_int_equal(jl_parse_double(text, (size_t)len, &value), 0);
        assert_int_equal(bits_of(value), even);

        text[len - 1] = '1'; /* the last of many zeros: now a little more than half way */
        assert_int_equal(jl_parse_double(text, (size_t)len, &value), 0);
        assert_int_equal(bits_of(value), bits + 1);
    }
}

static void hard_numbers_read_correctly(void **state)
{
    (void)state;
    assert_true(parse("9007199254740993") == 9007199254740992.0);
    assert_true(parse("9007199254740993.00000000000000000000000000000000001") ==
                9007199254740994.0);
    assert_true(parse("2.2250738585072011e-308") ==
                0x0.fffffffffffffp-1022); /* once hung other parsers */
    assert_true(parse("2.4703282292062327208e-324") == 0);
    assert_true(parse("2.4703282292062328e-324") == 5e-324);
    assert_true(parse("1.7976931348623158e308") == 1.7976931348623157e308);
    assert_true(parse("0.000000000000000000000000000000000000000000001e45") == 1);
    assert_true(parse("1e-400") == 0);
    assert_true(parse("1e-99999999999999999999") == 0);
    assert_true(parse("0e99999999999999999999") == 0);
    assert_true(parse("-0") == 0 && signbit(parse("-0")));
}

static void a_number_beyond_a_double_is_a_range_error(void **state)
{
    (void)state;
    assert_int_equal(parse_code("1e400"), JOULIE_E_RANGE);
    assert_int_equal(parse_code("-1e309"), JOULIE_E_RANGE);
    assert_int_equal(parse_code("1.7976931348623159e308"), JOULIE_E_RANGE);
    assert_int_equal(parse_code("1e99999999999999999999"), JOULIE_E_RANGE);
}

static void only_the_grammar_of_json_is_a_number(void **state)
{
    static const char *const wrong[] = { "",    "-",    "+1",   ".5",   "5.",  "01", "-01",
                                         "1e",  "1e+",  "0x10", "1,5",  " 1",  "1 ", "NaN",
                                         "inf", "1.e5", "1_0",  "1.5f", "--1", "e5" };
    bool is_integer = false;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(parse_code(wrong[i]), JOULIE_E_PARSE);
    assert_int_equal(jl_scan_number("12,", 3, &is_integer), 2);
    assert_true(is_integer);
    assert_int_equal(jl_scan_number("-1.5e+3]", 8, &is_integer), 7);
    assert_false(is_integer);
    assert_int_equal(jl_scan_number("1e5", 3, &is_integer), 3);
    assert_false(is_integer);
    assert_int_equal(jl_scan_number("1.x", 3, &is_integer), 1);
    assert_int_equal(jl_scan_number("007", 3, &is_integer), 1);
    assert_int_equal(jl_scan_number("-", 1, &is_integer), 0);
}

static void whole_numbers_are_checked_at_their_limits(void **state)
{
    int64_t i64 = 7;
    uint64_t u64 = 7;
    (void)state;
    assert_int_equal(jl_parse_i64("-9223372036854775808", 20, &i64), 0);
    assert_true(i64 == INT64_MIN);
    assert_int_equal(jl_parse_i64("9223372036854775807", 19, &i64), 0);
    assert_true(i64 == INT64_MAX);
    assert_int_equal(jl_parse_i64("9223372036854775808", 19, &i64), JOULIE_E_RANGE);
    assert_int_equal(jl_parse_u64("18446744073709551615", 20, &u64), 0);
    assert_true(u64 == UINT64_MAX);
    assert_int_equal(jl_parse_u64("18446744073709551616", 20, &u64), JOULIE_E_RANGE);
    assert_int_equal(jl_parse_u64("99999999999999999999x", 21, &u64), JOULIE_E_PARSE);
    assert_int_equal(jl_parse_u64("-1", 2, &u64), JOULIE_E_PARSE);
    assert_int_equal(jl_parse_u64("1\n", 2, &u64), JOULIE_E_PARSE);
    assert_int_equal(jl_parse_i64("", 0, &i64), JOULIE_E_PARSE);
    assert_int_equal(jl_parse_i64("-", 1, &i64), JOULIE_E_PARSE);
    assert_true(i64 == INT64_MAX && u64 == UINT64_MAX);

    char text[JL_DOUBLE_TEXT];
    assert_int_equal(jl_format_i64(INT64_MIN, text), 20);
    assert_string_equal(text, "-9223372036854775808");
    assert_int_equal(jl_format_u64(UINT64_MAX, text), 20);
    assert_string_equal(text, "18446744073709551615");
    assert_int_equal(jl_format_u64(0, text), 1);
    assert_string_equal(text, "0");
}

static void a_fixed_number_of_decimals_rounds_as_printf_does(void **state)
{
    struct jl_random random = { 5 };
    (void)state;
    for (int i = 0; i < 100000; i++) {
        char text[JL_DOUBLE_TEXT];
        char expected[400];
        const double halves =
            (double)jl_random_int(&random, -2000000, 2000000) / (double)(1 << (i % 20));
        const double value =
            i % 3 == 0 ? random_double(&random, i) : halves; /* many exact halves */
        const int decimals = (int)jl_random_int(&random, 0, 9);
        if (fabs(value) >= 1e15)
            continue;
        const int len = snprintf(expected, sizeof expected, "%.*f", decimals, value);
        assert_int_equal(jl_format_fixed(value, decimals, text), len);
        assert_string_equal(text, expected);
    }
}

static void helpers_compare_and_select(void **state)
{
    (void)state;
    assert_true(jl_is_finite(1e308) && !jl_is_finite((double)INFINITY) &&
                !jl_is_finite((double)NAN));
    assert_true(jl_clamp(-1, 0, 100) == 0 && jl_clamp(101, 0, 100) == 100 &&
                jl_clamp(5, 0, 100) == 5);
    assert_true(jl_min(1, 2) == 1 && jl_max(1, 2) == 2);
    assert_true(jl_round_half_away(2.5) == 3 && jl_round_half_away(-2.5) == -3);
    assert_true(jl_round_half_away(0.49999999999999994) == 0);
    assert_true(jl_round_half_away(4503599627370497.5) == 4503599627370498.0);
    assert_true(jl_round_half_away(9007199254740993.0) == 9007199254740992.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_printed_number_reads_back_equal),
        cmocka_unit_test(a_printed_number_has_no_digit_too_many),
        cmocka_unit_test(numbers_print_as_ecmascript_prints_them),
        cmocka_unit_test(any_text_reads_as_the_nearest_double),
        cmocka_unit_test(a_text_half_way_between_two_doubles_reads_as_the_even_one),
        cmocka_unit_test(hard_numbers_read_correctly),
        cmocka_unit_test(a_number_beyond_a_double_is_a_range_error),
        cmocka_unit_test(only_the_grammar_of_json_is_a_number),
        cmocka_unit_test(whole_numbers_are_checked_at_their_limits),
        cmocka_unit_test(a_fixed_number_of_decimals_rounds_as_printf_does),
        cmocka_unit_test(helpers_compare_and_select),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
