/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text as a tree: what is one document and what is not. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "runtime/json.h"
#include "support/test.h"

static int code_of(const char *text, size_t len)
{
    struct json_object *tree = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int rc = jd_json_read(text, len, &tree, &err);
    assert_int_equal(err.code, rc);
    json_object_put(tree);
    return rc;
}

static void one_value_is_a_document(void **state)
{
    (void)state;
    static const char *const texts[] = { "{}",     "[1,2]\n", "\"a\"",
                                         "12",     "-1.5e3",  "true",
                                         " null ", "0",       "{\"a\":[]}\r\n" };
    for (size_t i = 0; i < JL_COUNT(texts); i++)
        assert_int_equal(code_of(texts[i], strlen(texts[i])), 0);
}

static void what_is_cut_or_has_something_behind_it_is_none(void **state)
{
    (void)state;
    static const char *const texts[] = { "",         " ",        "{",      "{\"a\":",   "[1,",
                                         "{} {}",    "{}x",      "1 2",    "\"a",       "nul",
                                         "\"\xff\"", "/* */ {}", "[1,2,]", "{\"a\":1,}" };
    for (size_t i = 0; i < JL_COUNT(texts); i++)
        assert_int_equal(code_of(texts[i], strlen(texts[i])), JOULIE_E_PARSE);
}

static void bytes_behind_the_length_are_not_read(void **state)
{
    (void)state;
    char *const text = malloc(3); /* no NUL: a sanitizer watches its end */
    assert_non_null(text);
    memcpy(text, "123", 3);
    struct json_object *tree = jd_json_parse(text, 3);
    assert_int_equal(json_object_get_int64(tree), 123);
    json_object_put(tree);
    tree = jd_json_parse(text, 2);
    assert_int_equal(json_object_get_int64(tree), 12);
    json_object_put(tree);
    free(text);
}

static void nesting_has_an_end(void **state)
{
    (void)state;
    char text[2 * JL_LIMIT_NESTING + 4];
    for (size_t depth = JL_LIMIT_NESTING; depth <= JL_LIMIT_NESTING + 1; depth++) {
        memset(text, '[', depth);
        text[depth] = '1';
        memset(text + depth + 1, ']', depth);
        assert_int_equal(code_of(text, 2 * depth + 1),
                         depth == JL_LIMIT_NESTING ? 0 : JOULIE_E_PARSE);
    }
}

static void members_are_found_by_their_path(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":{\"b\":\"c\",\"n\":1.5,\"i\":2,\"x\":1e999,\"l\":[1,2]}}";
    struct json_object *tree = jd_json_parse(text, strlen(text));
    double number = 0;
    assert_non_null(tree);
    assert_string_equal(jd_json_text(tree, "a.b"), "c");
    assert_null(jd_json_text(tree, "a.n"));
    assert_null(jd_json_text(tree, "a.b.c"));
    assert_null(jd_json_text(tree, "z.b"));
    assert_null(jd_json_text(NULL, "a"));
    assert_true(jd_json_number(tree, "a.n", &number));
    assert_near(number, 1.5, 0);
    assert_true(jd_json_number(tree, "a.i", &number));
    assert_near(number, 2, 0);
    assert_false(jd_json_number(tree, "a.x", &number));
    assert_false(jd_json_number(tree, "a.b", &number));
    assert_near(number, 2, 0);
    assert_int_equal(jd_json_count(jd_json_at(tree, "a.l")), 2);
    assert_int_equal(jd_json_count(tree), 0);
    assert_int_equal(jd_json_count(NULL), 0);
    json_object_put(tree);
}

static void labels_are_found_though_their_keys_have_dots(void **state)
{
    (void)state;
    static const char text[] = "{\"m\":{\"labels\":{\"a.b/c\":\"d\",\"n.n\":1}},\"t\":\"x\"}";
    struct json_object *tree = jd_json_parse(text, strlen(text));
    assert_non_null(tree);
    assert_string_equal(jd_json_label(tree, "m.labels", "a.b/c"), "d");
    assert_null(jd_json_label(tree, "m.labels", "a"));
    assert_null(jd_json_label(tree, "m.labels", "n.n"));
    assert_null(jd_json_label(tree, "m.annotations", "a.b/c"));
    assert_null(jd_json_label(tree, "t", "a.b/c"));
    assert_null(jd_json_label(NULL, "m.labels", "a.b/c"));
    json_object_put(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_value_is_a_document),
        cmocka_unit_test(what_is_cut_or_has_something_behind_it_is_none),
        cmocka_unit_test(bytes_behind_the_length_are_not_read),
        cmocka_unit_test(nesting_has_an_end),
        cmocka_unit_test(members_are_found_by_their_path),
        cmocka_unit_test(labels_are_found_though_their_keys_have_dots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
