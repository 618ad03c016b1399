/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities: docs/rules/kubernetes-values.md#quantities. */
#include <string.h>

#include <joulie/error.h>

#include "kubernetes/quantity.h"
#include "support/test.h"

struct example {
    const char *text;
    const char *canonical;
    int64_t value; /* rounded away from zero */
    const char *milli;
};

static const struct example examples[] = {
    { "1.5", "1500m", 2, "1500" },
    { "0.1m", "100u", 1, "1" },
    { "1000m", "1", 1, "1000" },
    { "1000k", "1M", 1000000, "1000000000" },
    { "1500k", "1500k", 1500000, "1500000000" },
    { "1.5Gi", "1536Mi", 1610612736, "1610612736000" },
    { "1024Ki", "1Mi", 1048576, "1048576000" },
    { "1025Ki", "1025Ki", 1049600, "1049600000" },
    { "0.5Ki", "512", 512, "512000" },
    { "1.5Ki", "1536", 1536, "1536000" },
    { "0.3Gi", "322122547200m", 322122548, "322122547200" },
    { "100.035Ki", "102435840m", 102436, "102435840" },
    { "2500u", "2500u", 1, "3" },
    { "007", "7", 7, "7000" },
    { "1e3", "1e3", 1000, "1000000" },
    { "1E5", "100e3", 100000, "100000000" },
    { "1.5e3", "1500", 1500, "1500000" },
    { "100e1", "1e3", 1000, "1000000" },
    { "1e1", "10", 10, "10000" },
    { "1e+3", "1e3", 1000, "1000000" },
    { "1.2e4", "12e3", 12000, "12000000" },
    { "1e-4", "100e-6", 1, "1" },
    { "0.5n", "1n", 1, "1" },
    { "1.2345678901", "1234567891n", 2, "1235" },
    { "-0.1m", "-100u", -1, "-1" },
    { "-1.5Gi", "-1536Mi", -1610612736, "-1610612736000" },
    { "+1", "1", 1, "1000" },
    { "5.", "5", 5, "5000" },
    { ".5", "500m", 1, "500" },
    { "0Ki", "0", 0, "0" },
    { "-0", "0", 0, "0" },
    { "3.3Gi", "3543348019200m", 3543348020, "3543348019200" },
    { "0.1Ki", "102400m", 103, "102400" },
    { "12345e2", "1234500", 1234500, "1234500000" },
    { "123e-10", "13e-9", 1, "1" },
    { "1E", "1E", 1000000000000000000, "1000000000000000000000" },
    { "1e-99999", "1e-9", 1, "1" },
    { "0e99999", "0", 0, "0" },
    { "0.0001e20", "10e15", 10000000000000000, "10000000000000000000" },
    { "9223372036854775807", "9223372036854775807", INT64_MAX, "9223372036854775807000" },
};

static struct jl_quantity parsed(const char *text)
{
    struct jl_quantity quantity = { 0 };
    if (jl_parse_quantity(text, strlen(text), &quantity) != 0)
        fail_msg("%s is refused", text);
    return quantity;
}

static void quantities_print_as_kubernetes_prints_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        char text[JL_QUANTITY_TEXT];
        int64_t value = -99;
        const struct jl_quantity quantity = parsed(examples[i].text);
        assert_int_equal(jl_format_quantity(&quantity, text), strlen(examples[i].canonical));
        assert_string_equal(text, examples[i].canonical);
        assert_int_equal(jl_quantity_to_i64(&quantity, &value), 0);
        assert_int_equal(value, examples[i].value);
        assert_int_equal(jl_quantity_milli(&quantity, text), strlen(examples[i].milli));
        assert_string_equal(text, examples[i].milli);
    }
}

static void a_canonical_quantity_stays_as_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        char text[JL_QUANTITY_TEXT];
        const struct jl_quantity quantity = parsed(examples[i].text);
        const struct jl_quantity again = parsed(examples[i].canonical);
        assert_true(quantity.nano == again.nano);
        jl_format_quantity(&again, text);
        assert_string_equal(text, examples[i].canonical);
    }
}

static void texts_outside_the_grammar_are_refused(void **state)
{
    static const char *const wrong[] = {
        "",      "1 Gi", " 1",    "1gi",  "1KI",  "1K",  "1mi",      "1i",  "1e",   "1e3k",
        "1e1.5", "1..5", "1.5.5", "--1",  "0x10", "1,5", "abc",      ".",   "-.",   "e3",
        "m",     "E",    "Gi",    "+",    "-",    "K",   "1ki",      "1GI", "1Gib", "1Ki2",
        "1.2.3", "1e+",  "1n1",   "1Eii", "1.5 ", "1\t", "\xD9\xA3",
    };
    struct jl_quantity quantity = { 7, JL_QUANTITY_BINARY_SI };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (jl_parse_quantity(wrong[i], strlen(wrong[i]), &quantity) != JOULIE_E_PARSE)
            fail_msg("\"%s\" is accepted", wrong[i]);
    }
    assert_int_equal(jl_parse_quantity("1\0", 2, &quantity), JOULIE_E_PARSE);
    assert_true(quantity.nano == 7);
}

static void a_quantity_beyond_63_bits_is_a_range_error(void **state)
{
    static const char *const wide[] = { "1e19",
                                        "9Ei",
                                        "8Ei",
                                        "16Ei",
                                        "1e99999",
                                        "1e4294967299",
                                        "1000E",
                                        "9223372036854775808",
                                        "-9223372036854775808",
                                        "9223372036854775807.0000000001" };
    struct jl_quantity quantity = { 0 };
    (void)state;
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        assert_int_equal(jl_parse_quantity(wide[i], strlen(wide[i]), &quantity), JOULIE_E_RANGE);
    quantity.nano = ((jl_i128)INT64_MAX + 1) * 1000000000;
    int64_t value = 5;
    assert_int_equal(jl_quantity_to_i64(&quantity, &value), JOULIE_E_RANGE);
    assert_int_equal(value, 5);
}

static void a_quantity_has_at_most_64_bytes(void **state)
{
    char text[65];
    struct jl_quantity quantity = { 0 };
    (void)state;
    memset(text, '0', sizeof text);
    text[0] = '1';
    text[4] = '.';
    assert_int_equal(jl_parse_quantity(text, 64, &quantity), 0);
    assert_int_equal(jl_parse_quantity(text, 65, &quantity), JOULIE_E_PARSE);
}

static void a_small_binary_quantity_becomes_a_decimal_one(void **state)
{
    (void)state;
    assert_int_equal(parsed("0.0001Ki").format, JL_QUANTITY_DECIMAL_SI);
    assert_int_equal(parsed("0.5Ki").format, JL_QUANTITY_BINARY_SI);
    assert_int_equal(parsed("1E3").format, JL_QUANTITY_DECIMAL_EXPONENT);
    assert_int_equal(parsed("1E").format, JL_QUANTITY_DECIMAL_SI);
}

static void a_quantity_becomes_its_nearest_double(void **state)
{
    const struct jl_quantity milli = parsed("149700m");
    const struct jl_quantity nano = parsed("-1n");
    const struct jl_quantity whole = parsed("9007199254740993");
    char text[JL_QUANTITY_TEXT];
    (void)state;
    assert_true(jl_quantity_to_double(&milli) == 149.7);
    assert_true(jl_quantity_to_double(&nano) == -1e-9);
    assert_true(jl_quantity_to_double(&whole) == 9007199254740992.0);
    jl_quantity_decimal(&nano, text);
    assert_string_equal(text, "-0.000000001");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_print_as_kubernetes_prints_them),
        cmocka_unit_test(a_canonical_quantity_stays_as_it_is),
        cmocka_unit_test(texts_outside_the_grammar_are_refused),
        cmocka_unit_test(a_quantity_beyond_63_bits_is_a_range_error),
        cmocka_unit_test(a_quantity_has_at_most_64_bytes),
        cmocka_unit_test(a_small_binary_quantity_becomes_a_decimal_one),
        cmocka_unit_test(a_quantity_becomes_its_nearest_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
