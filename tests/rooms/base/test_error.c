/* SPDX-License-Identifier: Apache-2.0 */
/* Error records, codes, version. */
#include <stddef.h>
#include <string.h>

#include <joulie/error.h>
#include <joulie/version.h>

#include "base/error.h"
#include "base/text.h"
#include "support/test.h"

static void a_failure_has_code_place_and_message(void **state)
{
    struct joulie_error err = { .struct_size = sizeof err, .line = 7, .sys_errno = 2 };
    (void)state;
    assert_int_equal(jl_fail(&err, JOULIE_E_RANGE, "spec.cap", "%d is above %d", 130, 100),
                     JOULIE_E_RANGE);
    assert_int_equal(err.code, JOULIE_E_RANGE);
    assert_string_equal(err.where, "spec.cap");
    assert_string_equal(err.message, "130 is above 100");
    assert_int_equal(err.line, 0);
    assert_int_equal(err.sys_errno, 0);
    assert_int_equal(jl_fail(NULL, JOULIE_E_PARSE, "x", "y"), JOULIE_E_PARSE);
    assert_int_equal(jl_fail_memory(&err), JOULIE_E_NOMEM);
    assert_string_equal(err.where, "");
}

static void a_long_text_is_cut_at_a_character(void **state)
{
    struct joulie_error err = { .struct_size = sizeof err };
    char text[2000] = "";
    (void)state;
    for (size_t i = 0; i + 3 < sizeof text; i += 3)
        memcpy(text + i, "\xE2\x82\xAC", 4);
    for (size_t shift = 0; shift < 3; shift++) {
        jl_fail(&err, JOULIE_E_PARSE, text + 3 * shift, "%.*s%s", (int)shift, "ab", text);
        assert_true(jl_utf8_valid(err.where, strlen(err.where)));
        assert_true(jl_utf8_valid(err.message, strlen(err.message)));
        assert_true(jl_ends_with(err.where, "\xE2\x80\xA6") &&
                    jl_ends_with(err.message, "\xE2\x80\xA6"));
        assert_true(strlen(err.where) > 248 && strlen(err.message) > 504);
    }
    memset(text, 'a', sizeof text);
    text[255] = '\0';
    jl_fail(&err, JOULIE_E_PARSE, text, "x");
    assert_int_equal(strlen(err.where), 255);
    assert_false(jl_ends_with(err.where, "\xE2\x80\xA6"));
}

/* What is written into a record of an older release. */
static void write_all(struct joulie_error *err)
{
    jl_fail(err, JOULIE_E_RANGE, "cap", "a %s", "message");
    jl_error_set_line(err, 3, 4);
    jl_error_set_errno(err, 2);
    jl_error_inside(err, "spec", ".");
}

static void an_older_callers_record_is_never_written_past_its_end(void **state)
{
    struct {
        struct joulie_error err;
        unsigned char guard;
    } to;

    (void)state;
    for (size_t size = 0; size <= sizeof to.err; size++) {
        memset(&to, 0xA5, sizeof to);
        to.err.struct_size = size;
        write_all(&to.err);
        assert_true(to.err.struct_size == size);
        const unsigned char *bytes = (const unsigned char *)&to;
        for (size_t i = size > sizeof size ? size : sizeof size; i < sizeof to; i++)
            assert_int_equal(bytes[i], 0xA5);
        if (size > offsetof(struct joulie_error, where) &&
            size <= offsetof(struct joulie_error, message))
            assert_non_null(
                memchr(to.err.where, '\0', size - offsetof(struct joulie_error, where)));
        if (size == offsetof(struct joulie_error, message))
            assert_string_equal(to.err.where, "spec.cap");
    }
    assert_int_equal(to.err.code, JOULIE_E_RANGE);
    assert_int_equal(to.err.line, 3);
    assert_int_equal(to.err.column, 4);
    assert_int_equal(to.err.sys_errno, 2);
    assert_string_equal(to.err.where, "spec.cap");
    assert_string_equal(to.err.message, "a message");
    write_all(NULL);
    to.err.struct_size = SIZE_MAX;
    memset(to.err.where, 0xA5, sizeof to.err.where);
    write_all(&to.err);
    assert_int_equal((unsigned char)to.err.where[0], 0xA5);
}

static void texts_of_the_record_itself_may_be_among_the_arguments(void **state)
{
    struct joulie_error err = { .struct_size = sizeof err };
    (void)state;
    jl_fail_line(&err, JOULIE_E_PARSE, 7, 2, "not a number");
    assert_string_equal(err.where, "line 7");
    assert_int_equal(err.line, 7);
    assert_int_equal(err.column, 2);
    jl_fail(&err, JOULIE_E_RANGE, err.where, "%s: %s", err.where, err.message);
    assert_string_equal(err.where, "line 7");
    assert_string_equal(err.message, "line 7: not a number");
}

static void a_newer_callers_record_ends_in_zeros(void **state)
{
    union {
        struct joulie_error err;
        unsigned char bytes[sizeof(struct joulie_error) + 64];
    } to;

    (void)state;
    memset(&to, 0xA5, sizeof to);
    to.err.struct_size = sizeof to;
    jl_fail(&to.err, JOULIE_E_RANGE, "a", "b");
    for (size_t i = sizeof to.err; i < sizeof to; i++)
        assert_int_equal(to.bytes[i], 0);
    assert_string_equal(to.err.message, "b");
}

static void every_code_has_its_word(void **state)
{
    (void)state;
    assert_string_equal(joulie_code_word(JOULIE_E_UNKNOWN_MEMBER), "unknown-member");
    assert_string_equal(joulie_code_word(JOULIE_E_LIMIT), "too-large");
    assert_string_equal(joulie_code_word(JOULIE_E_PARSE), "parse");
    assert_string_equal(joulie_code_word(JOULIE_E_NOMEM), "internal");
    assert_string_equal(joulie_code_word(JOULIE_E_ABI), "internal");
    assert_string_equal(joulie_code_word(-999), "internal");
    assert_string_equal(joulie_code_word(1), "internal");
}

static void the_library_reports_its_version_and_features(void **state)
{
    (void)state;
    assert_string_equal(joulie_version(), "0.3.0~dev");
    assert_int_equal(JOULIE_VERSION, 300);
    assert_int_equal(joulie_has_feature("ask"), 1);
    assert_int_equal(joulie_has_feature("autoscale"), 1);
    assert_int_equal(joulie_has_feature("cluster"), 1);
    assert_int_equal(joulie_has_feature("node"), 1);
    assert_int_equal(joulie_has_feature("sim"), 1);
    assert_int_equal(joulie_has_feature("tensor_fusion"), 1);
    assert_int_equal(joulie_has_feature("twin"), 1);
    assert_int_equal(joulie_has_feature("teleport"), 0);
    assert_int_equal(joulie_has_feature(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_has_code_place_and_message),
        cmocka_unit_test(a_long_text_is_cut_at_a_character),
        cmocka_unit_test(an_older_callers_record_is_never_written_past_its_end),
        cmocka_unit_test(texts_of_the_record_itself_may_be_among_the_arguments),
        cmocka_unit_test(a_newer_callers_record_ends_in_zeros),
        cmocka_unit_test(every_code_has_its_word),
        cmocka_unit_test(the_library_reports_its_version_and_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
