/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <joulie/ask.h>

#include "base/random.h"
#include "schema/diff.h"
#include "support/test.h"

static struct json_object *tree_of(const char *text)
{
    struct jl_arena arena = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_decode decode = { .arena = &arena, .text = text, .len = strlen(text), .err = &err };
    const struct jl_raw raw = { .text = text, .len = decode.len };
    struct json_object *tree = NULL;
    if (jl_tree_from_raw(&decode, &raw, NULL, &tree) != 0)
        fail_msg("%s: %s", text, err.message);
    jl_arena_clear(&arena);
    return tree;
}

static char *text_of(struct json_object *tree)
{
    struct jl_buffer text = { 0 };
    jl_tree_put(&text, tree);
    return jl_buffer_take(&text);
}

/* Takes away null members of objects: in a merge patch they mean absent. */
static struct json_object *without_nulls(struct json_object *tree)
{
    struct json_object *empty = json_object_new_object();
    struct json_object *clean = NULL;
    assert_int_equal(jl_merge_patch(empty, tree, &clean), 0);
    json_object_put(empty);
    return clean;
}

static void check_round_trip(struct json_object *old, struct json_object *new)
{
    struct jl_diff diff = { 0 };
    struct json_object *made = NULL;
    assert_int_equal(jl_diff(old, new, &diff), 0);
    assert_int_equal(jl_merge_patch(old, diff.patch, &made), 0);
    struct json_object *made_clean = without_nulls(made);
    struct json_object *new_clean = without_nulls(new);
    if (!jl_tree_equal(made_clean, new_clean)) {
        char *a = text_of(old);
        char *b = text_of(new);
        char *patch = text_of(diff.patch);
        fail_msg("%s\nto %s\nis not made by %s", a, b, patch);
    }
    if (!diff.changed && json_object_get_type(new) == json_type_object)
        assert_int_equal(json_object_object_length(diff.patch), 0);
    json_object_put(new_clean);
    json_object_put(made_clean);
    json_object_put(made);
    json_object_put(diff.patch);
}

static const char *const documents[] = {
    "{}",
    "{\"a\":null}",
    "{\"a\":1}",
    "{\"a\":1.0,\"b\":{}}",
    "{\"a\":{\"b\":{\"c\":null}}}",
    "{\"a\":{\"b\":{\"c\":1,\"d\":[1,2,{\"e\":null}]}},\"f\":\"x\"}",
    "{\"a\":{\"b\":{\"d\":[1,2,{\"e\":null}]}},\"f\":null,\"g\":false}",
    "{\"a\":[{\"b\":1}],\"f\":\"y\",\"g\":true}",
    "{\"a\":\"\",\"metadata\":{\"labels\":{\"joulie.io/rack\":\"r1\",\"\":\"empty\"}}}",
    "{\"metadata\":{\"labels\":{\"joulie.io/rack\":\"r2\"}},\"n\":9007199254740993}",
    "{\"n\":9007199254740992,\"m\":-9223372036854775808,\"u\":18446744073709551615,\"x\":1e300,"
    "\"y\":0.1}",
    "[1,2,3]",
    "[]",
    "5",
    "\"text\"",
};

static void a_diff_applied_to_the_old_document_makes_the_new_one(void **state)
{
    const size_t count = sizeof documents / sizeof documents[0];
    (void)state;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            struct json_object *old = tree_of(documents[i]);
            struct json_object *new = tree_of(documents[j]);
            check_round_trip(old, new);
            json_object_put(old);
            json_object_put(new);
        }
    }
}

static struct json_object *random_tree(struct jl_random *random, int depth)
{
    static const char *const keys[] = { "a", "b", "c", "d", "e" };
    const int64_t kind = jl_random_int(random, 0, depth > 0 ? 7 : 4);
    struct json_object *tree;
    switch (kind) {
    case 0:
        return NULL;
    case 1:
        return json_object_new_boolean(jl_random_int(random, 0, 1) != 0);
    case 2:
        return json_object_new_int64(jl_random_int(random, -2, 2));
    case 3:
        return json_object_new_double((double)jl_random_int(random, -4, 4) / 2.0);
    case 4:
        return json_object_new_string(keys[jl_random_int(random, 0, 4)]);
    case 5:
        tree = json_object_new_array();
        for (int64_t i = jl_random_int(random, 0, 3); i > 0; i--)
            json_object_array_add(tree, random_tree(random, depth - 1));
        return tree;
    default:
        tree = json_object_new_object();
        for (int64_t i = jl_random_int(random, 0, 4); i > 0; i--)
            json_object_object_add(tree, keys[jl_random_int(random, 0, 4)],
                                   random_tree(random, depth - 1));
        return tree;
    }
}

static void the_same_holds_for_documents_made_by_chance(void **state)
{
    struct jl_random random = { 20260313 };
    (void)state;
    for (int i = 0; i < 5000; i++) {
        struct json_object *old = json_object_new_object();
        struct json_object *new = json_object_new_object();
        json_object_object_add(old, "a", random_tree(&random, 4));
        json_object_object_add(old, "b", random_tree(&random, 4));
        json_object_object_add(new, "a", random_tree(&random, 4));
        json_object_object_add(new, "c", random_tree(&random, 4));
        check_round_trip(old, new);
        json_object_put(old);
        json_object_put(new);
    }
}

static void answers(const char *question, const char *text, const char *expected)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    if (joulie_ask(question, text, strlen(text), NULL, &answer, &err) != JOULIE_OK)
        fail_msg("%s: %s at %s", text, err.message, err.where);
    assert_string_equal(answer, expected);
    joulie_free(answer);
}

static void refuses(const char *question, const char *text, int code, const char *where)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    assert_int_equal(joulie_ask(question, text, strlen(text), NULL, &answer, &err), code);
    assert_string_equal(err.where, where);
}

static void removed_paths_are_sorted_and_nested(void **state)
{
    (void)state;
    answers(
        "diff",
        "{\"old\":{\"z\":1,\"s\":{\"y\":1,\"x\":{\"q\":2}},\"a\":0},\"new\":{\"s\":{\"x\":{}}}}",
        "{\"patch\":{\"s\":{\"x\":{\"q\":null},\"y\":null},\"z\":null,\"a\":null},"
        "\"removed\":[\"a\",\"s.x.q\",\"s.y\",\"z\"],\"changed\":true}");
    answers("diff", "{\"old\":{},\"new\":{\"a\":{\"b\":null,\"c\":1}}}",
            "{\"patch\":{\"a\":{\"c\":1}},\"removed\":[],\"changed\":true}");
}

static void numbers_keep_every_digit_and_the_shortest_text(void **state)
{
    (void)state;
    answers(
        "diff",
        "{\"old\":{\"a\":9007199254740992.0},\"new\":{\"a\":9007199254740993,\"b\":0.1,\"c\":60.0}"
        "}",
        "{\"patch\":{\"a\":9007199254740993,\"b\":0.1,\"c\":60},\"removed\":[],\"changed\":true}");
    answers("patch",
            "{\"type\":\"merge\",\"target\":{\"a\":18446744073709551615},\"patch\":{\"b\":-"
            "9223372036854775808}}",
            "{\"result\":{\"a\":18446744073709551615,\"b\":-9223372036854775808}}");
    answers("diff", "{\"old\":{\"a\":18446744073709551615},\"new\":{\"a\":18446744073709551614}}",
            "{\"patch\":{\"a\":18446744073709551614},\"removed\":[],\"changed\":true}");
    answers("diff", "{\"old\":{\"a\":-1,\"b\":0},\"new\":{\"a\":-1.0,\"b\":-0.0}}",
            "{\"patch\":{},\"removed\":[],\"changed\":false}");
}

static void texts_are_not_escaped_more_than_needed(void **state)
{
    (void)state;
    answers("patch", "{\"type\":\"merge\",\"target\":null,\"patch\":{\"a/b\":\"x/y\\u00e9\\n\"}}",
            "{\"result\":{\"a/b\":\"x/y\xc3\xa9\\n\"}}");
    answers("patch", "{\"type\":\"merge\",\"target\":{\"a\":1},\"patch\":null}",
            "{\"result\":null}");
}

static void bad_documents_are_refused_where_they_are_bad(void **state)
{
    (void)state;
    refuses("diff", "{\"old\":{}}", JOULIE_E_REQUIRED, "new");
    refuses("diff", "{\"old\":{\"a\":{\"b\":1,\"b\":2}},\"new\":{}}", JOULIE_E_PARSE, "old.a.b");
    refuses("diff", "{\"old\":{},\"new\":{\"a\":[0,1e400]}}", JOULIE_E_RANGE, "new");
    refuses("patch", "{\"type\":\"strategic\",\"target\":{},\"patch\":{}}", JOULIE_E_UNSUPPORTED,
            "type");
    refuses("patch", "{\"target\":{},\"patch\":{}}", JOULIE_E_REQUIRED, "type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diff_applied_to_the_old_document_makes_the_new_one),
        cmocka_unit_test(the_same_holds_for_documents_made_by_chance),
        cmocka_unit_test(removed_paths_are_sorted_and_nested),
        cmocka_unit_test(numbers_keep_every_digit_and_the_shortest_text),
        cmocka_unit_test(texts_are_not_escaped_more_than_needed),
        cmocka_unit_test(bad_documents_are_refused_where_they_are_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
