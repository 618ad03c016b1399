/* SPDX-License-Identifier: Apache-2.0 */

/*
 * test_base_number_parse [COUNT]: the reader against strtod in the C locale, on COUNT texts of each
 * origin.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/error.h>

#include "base/number.h"
#include "base/random.h"
#include "support/test.h"

#define TEXT_BYTES 1700

static long count = 25000; /* makes 1.5 million texts; 200000 make 11 million */

static double double_of(uint64_t bits)
{
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void check_value(const char *text, double value)
{
    const double expected = strtod(text, NULL);
    if (memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%s reads as %a, expected %a", text, value, expected);
}

static void check(const char *text)
{
    double value = -1;
    const int rc = jl_parse_double(text, strlen(text), &value);
    if (rc == JOULIE_E_RANGE && isinf(strtod(text, NULL)))
        return;
    if (rc != 0)
        fail_msg("%s: code %d", text, rc);
    check_value(text, value);
}

/* A double as the printer writes it, and with 16 to 25 digits. */
static void check_prints(double value)
{
    char text[64];
    if (!isfinite(value))
        return;
    jl_format_double(value, text);
    if (value != 0) /* -0 prints 0 */
        check(text);
    for (int digits = 16; digits <= 25; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        check(text);
    }
}

/* The exact decimals of the point above the double (64 bits hold it), cut to few digits and whole,
 * and what lies a little beside it. */
static void check_point_above(double value)
{
    char text[TEXT_BYTES];
    const double next = nextafter(value, HUGE_VAL);
    if (!isfinite(value) || !isfinite(next))
        return;
    const long double half = ((long double)value + (long double)next) / 2;
    for (int digits = 17; digits <= 22; digits++) {
        snprintf(text, sizeof text, "%.*Le", digits - 1, half);
        check(text);
    }
    snprintf(text, sizeof text, "%.800Le", half);
    check(text);
    char *last = strchr(text, 'e') - 1; /* one of the zeros behind the digits, for most */
    *last = '1';
    check(text);
}

static double everyday_double(struct jl_random *random)
{
    const uint64_t exponent = 1023 - 40 + (uint64_t)jl_random_int(random, 0, 100);
    return double_of((jl_random_next(random) & ~(UINT64_C(0x7FF) << 52)) | exponent << 52);
}

static void prints_of_any_bits_read_as_strtod_reads_them(void **state)
{
    struct jl_random random = { 21 };
    (void)state;
    for (long i = 0; i < count; i++)
        check_prints(double_of(jl_random_next(&random)));
}

static void prints_of_everyday_exponents_read_as_strtod_reads_them(void **state)
{
    struct jl_random random = { 22 };
    (void)state;
    for (long i = 0; i < count; i++)
        check_prints(everyday_double(&random));
}

static void prints_of_subnormals_read_as_strtod_reads_them(void **state)
{
    struct jl_random random = { 23 };
    (void)state;
    for (uint64_t bits = 1; bits <= 100; bits++)
        check_prints(double_of(bits));
    for (long i = 0; i < count / 2; i++)
        check_prints(double_of(jl_random_next(&random) >> jl_random_int(&random, 12, 62)));
}

static void every_power_of_two_and_its_neighbours_read_as_strtod_reads_them(void **state)
{
    (void)state;
    for (uint64_t exponent = 0; exponent < 2047; exponent++) {
        const double power = double_of(exponent << 52);
        check_prints(nextafter(power, 0));
        check_prints(power);
        check_prints(nextafter(power, HUGE_VAL));
        check_point_above(nextafter(power, 0));
        check_point_above(power);
    }
    for (int i = 0; i < 52; i++)
        check_point_above(double_of(UINT64_C(1) << i));
}

static void points_half_way_read_as_strtod_reads_them(void **state)
{
    struct jl_random random = { 24 };
    (void)state;
    for (long i = 0; i < count / 25; i++) {
        check_point_above(double_of(jl_random_next(&random) >> 1));
        check_point_above(fabs(everyday_double(&random)));
        check_point_above(double_of(jl_random_next(&random) >> 12)); /* subnormal */
    }
}

/* Whole numbers and fractions of at most 19 digits that lie exactly half way, or one beside it. */
static void short_points_half_way_read_as_strtod_reads_them(void **state)
{
    struct jl_random random = { 25 };
    char text[64];
    (void)state;
    for (long i = 0; i < count; i++) {
        const uint64_t half = (jl_random_next(&random) >> 11 | UINT64_C(1) << 53) | 1;
        const uint64_t whole = half << jl_random_int(&random, 0, 9);
        for (uint64_t digits = whole - 1; digits <= whole + 1; digits++) {
            snprintf(text, sizeof text, "%" PRIu64, digits);
            check(text);
            snprintf(text, sizeof text, "%" PRIu64 ".5e%d", digits / 16,
                     (int)jl_random_int(&random, -5, 25));
            check(text);
        }
        const uint64_t quarter = half >> jl_random_int(&random, 1, 30); /* halves to 2^-11 */
        snprintf(text, sizeof text, "%.11f", (double)quarter / 2048);
        check(text);
    }
}

static size_t put_digits(struct jl_random *random, char *text, size_t len, int64_t digits)
{
    for (; digits > 0; digits--)
        text[len++] = (char)('0' + jl_random_int(random, 0, 9));
    return len;
}

static void any_digits_and_exponents_read_as_strtod_reads_them(void **state)
{
    struct jl_random random = { 26 };
    char text[TEXT_BYTES];
    (void)state;
    for (long i = 0; i < 10 * count; i++) {
        const bool is_signed = jl_random_int(&random, 0, 1) != 0;
        text[0] = '-';
        size_t len = is_signed;
        text[len++] = (char)('0' + jl_random_int(&random, 0, 9));
        if (text[len - 1] != '0')
            len = put_digits(&random, text, len, jl_random_int(&random, 0, 18));
        text[len++] = '.';
        len = put_digits(&random, text, len, jl_random_int(&random, 1, 20));
        snprintf(text + len, sizeof text - len, "e%d", (int)jl_random_int(&random, -350, 311));
        check(text);
    }
}

/* Zeros in front, zeros behind, and digits that only the exact reader can tell apart. */
static void long_texts_read_as_strtod_reads_them(void **state)
{
    struct jl_random random = { 27 };
    char text[TEXT_BYTES];
    (void)state;
    for (long i = 0; i < count / 2; i++) {
        size_t len = 0;
        const int64_t zeros = jl_random_int(&random, 0, 30);
        text[len++] = '0';
        text[len++] = '.';
        memset(text + len, '0', (size_t)zeros);
        len += (size_t)zeros;
        len = put_digits(&random, text, len, jl_random_int(&random, 1, i % 10 == 0 ? 900 : 40));
        memset(text + len, i % 3 == 0 ? '9' : '0', (size_t)zeros);
        len += (size_t)zeros;
        snprintf(text + len, sizeof text - len, "e%d", (int)jl_random_int(&random, -320, 330));
        check(text);
        text[len] = '\0';
        check(text);
        const char *whole = text + 2 + strspn(text + 2, "0"); /* the same without a point */
        if (*whole != '\0')
            check(whole);
    }
}

/* The first 19 digits can be rounded up past the largest of them. */
static void rows_of_nines_read_as_strtod_reads_them(void **state)
{
    char text[TEXT_BYTES];
    (void)state;
    for (size_t digits = 1; digits <= 40; digits++) {
        for (int exponent = -360; exponent <= 310; exponent++) {
            memset(text, '9', digits);
            snprintf(text + digits, sizeof text - digits, "e%d", exponent);
            check(text);
        }
    }
}

static void an_exact_decimal_is_what_strtod_reads(void **state)
{
    struct jl_random random = { 28 };
    char text[64];
    (void)state;
    assert_true(jl_exact_decimal(0, 0) == 0 && jl_exact_decimal(0, JL_EXACT_DIGITS) == 0);
    for (long i = 0; i < 8 * count; i++) {
        char digits[32] = "";
        const int64_t length = jl_random_int(&random, 1, JL_EXACT_DIGITS);
        put_digits(&random, digits, 0, length);
        const uint64_t mantissa = strtoull(digits, NULL, 10);
        const int64_t decimals = jl_random_int(&random, 0, JL_EXACT_DIGITS);
        snprintf(text, sizeof text, "%" PRIu64 "e-%d", mantissa, (int)decimals);
        check_value(text, jl_exact_decimal(mantissa, (size_t)decimals));
    }
}

/* Exactly as much memory as text: a sanitizer sees what is read behind it. */
static void nothing_behind_a_text_is_read_or_changes_it(void **state)
{
    static const char digits[] = "3141592653589793238462643383279";
    static const char others[] = { '/',  ':',    '.',    'e',    '-',   ' ',
                                   '\0', '\x7F', '\x80', '\xB0', '\xFF' };
    (void)state;
    for (size_t len = 1; len < sizeof digits; len++) {
        char *text = malloc(len);
        bool is_integer = false;
        assert_non_null(text);
        memcpy(text, digits, len);
        assert_int_equal(jl_scan_number(text, len, &is_integer), len);
        assert_true(is_integer);
        for (size_t at = 1; at < len; at++) {
            for (size_t i = 0; i < sizeof others; i++) {
                text[at] = others[i];
                const bool goes_on = (others[i] == '.' || others[i] == 'e') && at + 1 < len;
                assert_int_equal(jl_scan_number(text, len, &is_integer), goes_on ? len : at);
            }
            text[at] = digits[at];
        }
        free(text);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_of_any_bits_read_as_strtod_reads_them),
        cmocka_unit_test(prints_of_everyday_exponents_read_as_strtod_reads_them),
        cmocka_unit_test(prints_of_subnormals_read_as_strtod_reads_them),
        cmocka_unit_test(every_power_of_two_and_its_neighbours_read_as_strtod_reads_them),
        cmocka_unit_test(points_half_way_read_as_strtod_reads_them),
        cmocka_unit_test(short_points_half_way_read_as_strtod_reads_them),
        cmocka_unit_test(any_digits_and_exponents_read_as_strtod_reads_them),
        cmocka_unit_test(long_texts_read_as_strtod_reads_them),
        cmocka_unit_test(rows_of_nines_read_as_strtod_reads_them),
        cmocka_unit_test(an_exact_decimal_is_what_strtod_reads),
        cmocka_unit_test(nothing_behind_a_text_is_read_or_changes_it),
    };
    if (argc > 1)
        count = strtol(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
