/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <joulie/object.h>

#include "base/buffer.h"
#include "base/text.h"
#include "support/test.h"

/* Cuts the input and compares the documents; "!" stands for an error. */
static void cuts_into(const char *input, const char *const *expected, size_t count)
{
    struct joulie_splitter splitter = { .struct_size = sizeof splitter,
                                        .text = input,
                                        .len = strlen(input) };
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

#define CUTS(input, ...)                                                       \
    do {                                                                       \
        const char *const expected_[] = { __VA_ARGS__ };                       \
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
    struct joulie_splitter splitter = { .struct_size = sizeof splitter,
                                        .text = input,
                                        .len = strlen(input) };
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
    const char *text = "{ \"a\" : [1.50, {\"b\":\"x y\"}, [], {}], \"yes\":\"no\", \"c\":null, "
                       "\"d\":[[1],[2,3]] }";
    prints_as(text, JOULIE_FORM_LINE,
              "{\"a\":[1.50,{\"b\":\"x y\"},[],{}],\"yes\":\"no\",\"c\":null,\"d\":[[1],[2,3]]}");
    prints_as("{\"a\":[1,{\"b\":true}],\"e\":{}}", JOULIE_FORM_PRETTY,
              "{\n  \"a\": [\n    1,\n    {\n      \"b\": true\n    }\n  ],\n  \"e\": {}\n}\n");
    prints_as(text, JOULIE_FORM_YAML,
              "a:\n  - 1.50\n  - b: \"x y\"\n  - []\n  - {}\n\"yes\": \"no\"\nc: null\nd:\n  - - "
              "1\n  - - 2\n    - 3\n");
}

static void yaml_output_reads_back_as_the_same_document(void **state)
{
    (void)state;
    static const char *const documents[] = {
        "{\"a\":\"1\",\"b\":\"-\",\"c\":\"a: "
        "b\",\"d\":\"#x\",\"e\":\"\",\"f\":\"null\",\"g\":\"~\",\"h\":\"é\\n\\\"\"}",
        "[[[]],[{\"x\":[{\"y\":[1,{\"z\":{}}]}]}],\"*a\",\"&b\",\"!c\",\"%d\",\"@e\",\"`f\",\"? "
        "g\",\"- h\"]",
        "{\"\":0,\" \":1,\"a "
        "b\":2,\"1\":3,\"true\":4,\"/\":\"\\/\",\"t\":\"\\t\",\"u\":\"\\u0001\\ud83d\\ude00\"}",
    };
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        char *yaml = NULL;
        char *back = NULL;
        char *line = NULL;
        assert_int_equal(
            joulie_format(documents[i], strlen(documents[i]), JOULIE_FORM_YAML, &yaml, NULL), 0);
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

static void the_elements_of_an_array_stand_between_commas(void **state)
{
    (void)state;
    CUTS("[{} {}]", "{}", "!");
    CUTS("[,{}]", "!");
    CUTS("[{},]", "{}", "!");
    CUTS("[{},,{}]", "{}", "!");
    CUTS("[", "!");
    CUTS("[{},", "{}", "!");
    CUTS("[{}]\n{\"a\":1}", "{}", "{\"a\":1}");
    CUTS("  a: 1\n  b: 2\n", "  a: 1\n  b: 2\n");
}

static void a_broken_document_is_named_by_its_line_and_column(void **state)
{
    (void)state;

    static const struct {
        const char *input;
        uint32_t line;
        uint32_t column;
        const char *where;
    } cases[] = {
        { "{}\n{}\n{bad\n", 3, 2, "line 3" }, { "{}\n{}{\"a\":\n\n1x", 4, 2, "line 4" },
        { "[{},\n {}, x]", 2, 6, "line 2" },  { "[{}\n{}]", 2, 1, "line 2" },
        { "{}\n[1e999]", 2, 2, "line 2" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct joulie_error err = { .struct_size = sizeof err };
        struct joulie_splitter splitter = { .struct_size = sizeof splitter,
                                            .text = cases[i].input,
                                            .len = strlen(cases[i].input) };
        const char *text;
        size_t len;
        uint32_t line;
        int rc;
        while ((rc = joulie_split(&splitter, &text, &len, &line, &err)) > 0)
            continue;
        assert_true(rc < 0);
        assert_int_equal(err.code, rc);
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(err.column, cases[i].column);
        assert_string_equal(err.where, cases[i].where);
    }
}

static void broken_lines_are_passed_in_time_that_grows_with_their_number(void **state)
{
    (void)state;
    const size_t count = 200000;
    char *input = malloc(3 * count + 3);
    const clock_t start = clock();
    strcpy(input, "{}\n");
    for (size_t i = 0; i < count; i++)
        memcpy(input + 3 + 3 * i, "{x\n", 3);
    struct joulie_splitter splitter = { .struct_size = sizeof splitter,
                                        .text = input,
                                        .len = 3 * count + 3 };
    const char *text;
    size_t len;
    uint32_t line;
    size_t broken = 0;
    for (int rc; (rc = joulie_split(&splitter, &text, &len, &line, NULL)) != 0;)
        broken += rc < 0;
    assert_int_equal(broken, count);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
    free(input);
}

static void a_splitter_of_another_release_is_read_by_its_size(void **state)
{
    (void)state;

    struct {
        struct joulie_splitter splitter;
        uint64_t newer;
    } grown = { .splitter = { .struct_size = sizeof grown, .text = "{}", .len = 2 } };
    struct joulie_error err = { .struct_size = sizeof err };
    const char *text;
    size_t len;
    uint32_t line;
    assert_int_equal(joulie_split(&grown.splitter, &text, &len, &line, &err), 1);
    grown.splitter.struct_size = 8;
    assert_int_equal(joulie_split(&grown.splitter, &text, &len, &line, &err), JOULIE_E_ABI);
    assert_int_equal(err.code, JOULIE_E_ABI);

    struct joulie_splitter nothing = { .struct_size = sizeof nothing };
    assert_int_equal(joulie_split(&nothing, &text, &len, &line, &err), 0);
}

static void a_splitter_that_got_another_text_does_not_read_behind_it(void **state)
{
    static const char *const inputs[] = { "{\"a\":1}\n{\"b\":2}", "a: 1\n---\nb: 2\n",
                                          "[{},\n {}]" };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *text;
    size_t len;
    uint32_t line;
    (void)state;
    for (size_t i = 0; i < JL_COUNT(inputs); i++) {
        struct joulie_splitter splitter = JOULIE_INIT(struct joulie_splitter);
        splitter.text = inputs[i];
        splitter.len = strlen(inputs[i]);
        assert_int_equal(joulie_split(&splitter, &text, &len, &line, &err), 1);
        const size_t position = splitter.position;
        splitter.text = "{}";
        splitter.len = 1;
        assert_int_equal(joulie_split(&splitter, &text, &len, &line, &err), JOULIE_E_RANGE);
        assert_string_equal(err.where, "splitter.position");
        assert_int_equal(splitter.position, position);
        splitter.mode = 99;
        assert_int_equal(joulie_split(&splitter, &text, &len, &line, &err), JOULIE_E_ABI);
        assert_string_equal(err.where, "splitter.mode");
    }
}

static void a_document_that_cannot_be_printed_is_named_by_its_line(void **state)
{
    (void)state;

    static const struct {
        const char *text;
        int code;
        const char *where;
    } cases[] = {
        { "{\n\"a\":}", JOULIE_E_PARSE, "line 2" },
        { "{}\n{}", JOULIE_E_PARSE, "line 2" },
        { "a: [1\n", JOULIE_E_PARSE, "line 2" },
        { "{\n\"a\":1e999}", JOULIE_E_RANGE, "line 2" },
        { "a: 1\nb: 1e999\n", JOULIE_E_RANGE, "line 2" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct joulie_error err = { .struct_size = sizeof err };
        char *out = NULL;
        assert_int_equal(
            joulie_format(cases[i].text, strlen(cases[i].text), JOULIE_FORM_LINE, &out, &err),
            cases[i].code);
        assert_string_equal(err.where, cases[i].where);
    }
    char *out = NULL;
    assert_int_equal(joulie_format(NULL, 0, JOULIE_FORM_LINE, &out, NULL), JOULIE_E_PARSE);
    assert_int_equal(joulie_format("{}", 2, 9, &out, NULL), JOULIE_E_UNSUPPORTED);
    assert_null(out);
    prints_as("\xEF\xBB\xBF{\"a\":\"\\ud83d\\ude00\"}", JOULIE_FORM_LINE,
              "{\"a\":\"\\ud83d\\ude00\"}");
}

/* The document of one string, through YAML and back. */
static void survives_yaml(const char *string, size_t len)
{
    struct jl_buffer json = { 0 };
    char *yaml = NULL;
    char *back = NULL;
    struct joulie_error err = { .struct_size = sizeof err };
    jl_put_string(&json, "{");
    jl_put_json_string(&json, string, len);
    jl_put_string(&json, ":[");
    jl_put_json_string(&json, string, len);
    jl_put_string(&json, "]}");
    assert_int_equal(joulie_format(json.data, json.len, JOULIE_FORM_YAML, &yaml, NULL), 0);
    if (joulie_format(yaml, strlen(yaml), JOULIE_FORM_LINE, &back, &err) != 0)
        fail_msg("%s: %s\n%s", err.where, err.message, yaml);
    assert_string_equal(back, json.data);
    joulie_free(yaml);
    joulie_free(back);
    jl_buffer_clear(&json);
}

static void every_character_survives_yaml(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 0x11000; code++) {
        char text[8] = " ";
        size_t len = 1;
        if (code >= 0xD800 && code < 0xE000)
            continue;
        if (code < 0x80) {
            text[len++] = (char)code;
        } else if (code < 0x800) {
            text[len++] = (char)(0xC0 | code >> 6);
            text[len++] = (char)(0x80 | (code & 0x3F));
        } else if (code < 0x10000) {
            text[len++] = (char)(0xE0 | code >> 12);
            text[len++] = (char)(0x80 | (code >> 6 & 0x3F));
            text[len++] = (char)(0x80 | (code & 0x3F));
        } else {
            text[len++] = (char)(0xF0 | code >> 18);
            text[len++] = (char)(0x80 | (code >> 12 & 0x3F));
            text[len++] = (char)(0x80 | (code >> 6 & 0x3F));
            text[len++] = (char)(0x80 | (code & 0x3F));
        }
        text[len++] = ' ';
        survives_yaml(text, len);
        survives_yaml(text + 1, len - 2);
    }
    survives_yaml("\xF0\x9F\x98\x80\0\xF0\x9F\x98\x80", 9);
}

static void a_long_key_survives_yaml(void **state)
{
    (void)state;
    static char key[3000];
    for (size_t len = 200; len < sizeof key; len += 97) {
        memset(key, len % 2 ? 'k' : '\x7F', len);
        survives_yaml(key, len);
    }
    prints_as("{\"a\":{\"b\":[]}}", JOULIE_FORM_YAML, "a:\n  b: []\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_is_cut_by_its_content),
        cmocka_unit_test(a_broken_line_does_not_hide_the_next_one),
        cmocka_unit_test(lines_are_counted_over_documents),
        cmocka_unit_test(a_document_is_printed_in_three_forms),
        cmocka_unit_test(yaml_output_reads_back_as_the_same_document),
        cmocka_unit_test(the_elements_of_an_array_stand_between_commas),
        cmocka_unit_test(a_splitter_that_got_another_text_does_not_read_behind_it),
        cmocka_unit_test(a_broken_document_is_named_by_its_line_and_column),
        cmocka_unit_test(broken_lines_are_passed_in_time_that_grows_with_their_number),
        cmocka_unit_test(a_splitter_of_another_release_is_read_by_its_size),
        cmocka_unit_test(a_document_that_cannot_be_printed_is_named_by_its_line),
        cmocka_unit_test(every_character_survives_yaml),
        cmocka_unit_test(a_long_key_survives_yaml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
