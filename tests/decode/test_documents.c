/* SPDX-License-Identifier: Apache-2.0 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include <joulie/object.h>

/* Cuts the input and compares the documents; "!" stands for an error. */
static void cuts_into(const char *input, const char *const *expected, size_t count)
{
    struct joulie_splitter splitter = { .struct_size = sizeof splitter, .text = input, .len = strlen(input) };
    for (size_t i = 0; i <= count; i++) {
        const char *text;
        size_t len;
        uint32_t line;
        const int rc = joulie_split(&splitter, &text, &len, &line, NULL);
        if (i == count) {
            assert_int_equal(rc, 0);
        } else if (strcmp(expected[i], "!") == 0) {
            assert_true(rc < 0);
        } else {
            assert_int_equal(rc, 1);
            assert_int_equal(len, strlen(expected[i]));
            assert_memory_equal(text, expected[i], len);
        }
    }
}

#define CUTS(input, ...) \
    do { \
        const char *const expected_[] = { __VA_ARGS__ }; \
        cuts_into((input), expected_, sizeof expected_ / sizeof expected_[0]); \
    } while (0)

static void an_input_is_cut_by_its_content(void **state)
{
    (void)state;
    CUTS("{\"a\":1}", "{\"a\":1}");
    CUTS("{\"a\":1}\n{\"b\":2}\n", "{\"a\":1}", "{\"b\":2}");
    CUTS("[{\"a\":1}, {\"b\":2}]\n", "{\"a\":1}", "{\"b\":2}");
    CUTS("a: 1\n---\nb: 2\n", "a: 1\n", "\nb: 2\n");
    CUTS("--- {a: 1}\n---\n# nothing\n--- # c\nb: 2\n...\n", " {a: 1}\n", " # c\nb: 2\n");
    cuts_into("", NULL, 0);
    cuts_into("\n# only a comment\n", NULL, 0);
    cuts_into("[]", NULL, 0);
}

static void a_broken_line_does_not_hide_the_next_one(void **state)
{
    (void)state;
    CUTS("{\"a\":1}\n{bad\n{\"b\":2}\n", "{\"a\":1}", "!", "{\"b\":2}");
    CUTS("[{\"a\":1}, nope, {}]", "{\"a\":1}", "!");
    CUTS("[{\"a\":1}", "{\"a\":1}", "!");
}

static void lines_are_counted_over_documents(void **state)
{
    (void)state;
    const char *input = "\n{\"a\":\n1}\n\n{\"b\":2}\n";
    struct joulie_splitter splitter = { .struct_size = sizeof splitter, .text = input, .len = strlen(input) };
    const char *text;
    size_t len;
    uint32_t line;
    joulie_split(&splitter, &text, &len, &line, NULL);
    assert_int_equal(line, 2);
    joulie_split(&splitter, &text, &len, &line, NULL);
    assert_int_equal(line, 5);
}

static void prints_as(const char *text, int form, const char *expected)
{
    char *out = NULL;
    assert_int_equal(joulie_format(text, strlen(text), form, &out, NULL), 0);
    assert_string_equal(out, expected);
    joulie_free(out);
}

static void a_document_is_printed_in_three_forms(void **state)
{
    (void)state;
    const char *text = "{ \"a\" : [1.50, {\"b\":\"x y\"}, [], {}], \"yes\":\"no\", \"c\":null, \"d\":[[1],[2,3]] }";
    prints_as(text, JOULIE_FORM_LINE, "{\"a\":[1.50,{\"b\":\"x y\"},[],{}],\"yes\":\"no\",\"c\":null,\"d\":[[1],[2,3]]}");
    prints_as("{\"a\":[1,{\"b\":true}],\"e\":{}}", JOULIE_FORM_PRETTY,
              "{\n  \"a\": [\n    1,\n    {\n      \"b\": true\n    }\n  ],\n  \"e\": {}\n}\n");
    prints_as(text, JOULIE_FORM_YAML,
              "a:\n  - 1.50\n  - b: \"x y\"\n  - []\n  - {}\n\"yes\": \"no\"\nc: null\nd:\n  - - 1\n  - - 2\n    - 3\n");
}

static void yaml_output_reads_back_as_the_same_document(void **state)
{
    (void)state;
    static const char *const documents[] = {
        "{\"a\":\"1\",\"b\":\"-\",\"c\":\"a: b\",\"d\":\"#x\",\"e\":\"\",\"f\":\"null\",\"g\":\"~\",\"h\":\"é\\n\\\"\"}",
        "[[[]],[{\"x\":[{\"y\":[1,{\"z\":{}}]}]}],\"*a\",\"&b\",\"!c\",\"%d\",\"@e\",\"`f\",\"? g\",\"- h\"]",
        "{\"\":0,\" \":1,\"a b\":2,\"1\":3,\"true\":4,\"/\":\"\\/\",\"t\":\"\\t\",\"u\":\"\\u0001\\ud83d\\ude00\"}",
    };
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        char *yaml = NULL;
        char *back = NULL;
        char *line = NULL;
        assert_int_equal(joulie_format(documents[i], strlen(documents[i]), JOULIE_FORM_YAML, &yaml, NULL), 0);
        struct joulie_error err = { .struct_size = sizeof err };
        if (joulie_format(yaml, strlen(yaml), JOULIE_FORM_LINE, &back, &err) != 0)
            fail_msg("%s: %s\n%s", err.where, err.message, yaml);
        /* the same string may be spelled with other escapes: compare after one more round */
        char *again = NULL;
        assert_int_equal(joulie_format(back, strlen(back), JOULIE_FORM_YAML, &line, NULL), 0);
        assert_int_equal(joulie_format(line, strlen(line), JOULIE_FORM_LINE, &again, NULL), 0);
        assert_string_equal(again, back);
        joulie_free(yaml);
        joulie_free(back);
        joulie_free(line);
        joulie_free(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_is_cut_by_its_content),
        cmocka_unit_test(a_broken_line_does_not_hide_the_next_one),
        cmocka_unit_test(lines_are_counted_over_documents),
        cmocka_unit_test(a_document_is_printed_in_three_forms),
        cmocka_unit_test(yaml_output_reads_back_as_the_same_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
