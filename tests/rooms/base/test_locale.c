/* SPDX-License-Identifier: Apache-2.0 */
/* A program that runs in a locale with a decimal comma gets and gives the same numbers. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <joulie/error.h>

#include "base/buffer.h"
#include "base/number.h"
#include "kubernetes/quantity.h"
#include "support/test.h"

static int enter_german(void **state)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8" };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_ALL, names[i]) != NULL)
            return 0;
    }
    print_message(
        "no locale with a decimal comma is installed; this run proves nothing about them\n");
    return 0;
}

static int leave_german(void **state)
{
    (void)state;
    setlocale(LC_ALL, "C");
    return 0;
}

static void the_locale_of_this_test_has_a_comma(void **state)
{
    char text[16];
    (void)state;
    snprintf(text, sizeof text, "%.1f", 0.5);
    if (strcmp(text, "0.5") == 0)
        skip();
    assert_string_equal(text, "0,5");
}

static void numbers_print_with_a_point(void **state)
{
    struct jl_buffer buffer = { 0 };
    char text[JL_DOUBLE_TEXT];
    (void)state;
    jl_format_double(0.30000000000000004, text);
    assert_string_equal(text, "0.30000000000000004");
    jl_format_double(1.5e-9, text);
    assert_string_equal(text, "1.5e-9");
    jl_format_fixed(1234567.125, 2, text);
    assert_string_equal(text, "1234567.12");
    jl_put_double(&buffer, 62.5);
    assert_string_equal(buffer.data, "62.5");
    jl_buffer_clear(&buffer);
}

static void numbers_are_read_with_a_point_only(void **state)
{
    struct jl_quantity quantity;
    double value = 0;
    (void)state;
    assert_int_equal(jl_parse_double("0.5", 3, &value), 0);
    assert_true(value == 0.5);
    assert_int_equal(jl_parse_double("123456789.123456789012345", 25, &value), 0);
    assert_true(value == 123456789.123456789012345);
    assert_int_equal(jl_parse_double("0,5", 3, &value), JOULIE_E_PARSE);
    assert_int_equal(jl_parse_quantity("1.5Gi", 5, &quantity), 0);
    assert_true(jl_quantity_to_double(&quantity) == 1610612736.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_locale_of_this_test_has_a_comma),
        cmocka_unit_test(numbers_print_with_a_point),
        cmocka_unit_test(numbers_are_read_with_a_point_only),
    };
    return cmocka_run_group_tests(tests, enter_german, leave_german);
}
