/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "schema/yaml_to_json.h"
#include "support/test.h"

enum color { COLOR_UNKNOWN, COLOR_RED, COLOR_BLUE };

static const struct jl_words color_words =
    JL_WORDS({ { COLOR_RED, "red" }, { COLOR_BLUE, "blue" } });

#define RECORD leaf
#define MEMBERS                                                                   \
    NUMBER(share_pct, "sharePct", "A number with bounds.", OVER(0), AT_MOST(100)) \
    INTEGER(count, "count", "An integer with a bound.", AT_LEAST(1))
#include "schema/record.h"

#define RECORD tree
#define MEMBERS                                         \
    STRING(name, "name", "A text.", REQUIRED)           \
    ENUM(color, "color", color, color_words, "A word.") \
    BOOLEAN(is_open, "open", "Yes or no.")              \
    TIME(at_ms, "at", "An instant.", OR_SECONDS)        \
    OBJECT(leaf, "leaf", leaf, "An object.")            \
    LIST(leaves, "leaves", leaf, "Objects.")            \
    STRINGS(words, "words", "Texts.")                   \
    MAP(labels, "labels", "Texts by name.", SCALARS)    \
    RAW(extra, "extra", "Anything.")
#include "schema/record.h"

struct fixture {
    struct jl_arena arena;
    struct joulie_error err;
    struct tree tree;
    uint64_t unknown_members;
};

static int decode(struct fixture *f, const char *text, size_t len, uint32_t flags)
{
    f->err = (struct joulie_error){ .struct_size = sizeof f->err };
    struct jl_decode request = {
        .arena = &f->arena, .text = text, .len = len, .flags = flags, .err = &f->err
    };
    const int rc = jl_decode_document(&request, &tree_table, &f->tree);
    f->unknown_members = request.unknown_members;
    return rc;
}

static int read_text(struct fixture *f, const char *text)
{
    return decode(f, text, strlen(text), 0);
}

static void refuses(const char *text, int code, const char *where)
{
    struct fixture f = { 0 };
    assert_int_equal(read_text(&f, text), code);
    assert_int_equal(f.err.code, code);
    assert_string_equal(f.err.where, where);
    assert_true(f.err.message[0] != '\0');
    jl_arena_clear(&f.arena);
}

static void prints(const char *text, const char *expected)
{
    struct fixture f = { 0 };
    struct jl_buffer out = { 0 };
    assert_int_equal(read_text(&f, text), 0);
    jl_encode(&out, &tree_table, &f.tree);
    assert_string_equal(out.data, expected);
    jl_buffer_clear(&out);
    jl_arena_clear(&f.arena);
}

static void a_document_is_printed_in_table_order_with_shortest_numbers(void **state)
{
    (void)state;
    prints("{\"leaf\":{\"count\":1e0,\"sharePct\":60.0},\"name\":\"a\\u00e9\\n\",\"color\":"
           "\"blue\",\"open\":false}",
           "{\"name\":\"aé\\n\",\"color\":\"blue\",\"open\":false,\"leaf\":{\"sharePct\":60,"
           "\"count\":1}}");
    prints("{\"name\":\"x\",\"leaves\":[{\"count\":1},{}],\"words\":[\"b\",\"a\"],\"labels\":{"
           "\"k\":1.50,\"j\":\"v\"}}",
           "{\"name\":\"x\",\"leaves\":[{\"count\":1},{}],\"words\":[\"b\",\"a\"],\"labels\":{"
           "\"k\":\"1.50\",\"j\":\"v\"}}");
    prints("{\"name\":\"x\",\"extra\": { \"a\" : [ 1 , \" b \\\" \" ] } }",
           "{\"name\":\"x\",\"extra\":{\"a\":[1,\" b \\\" \"]}}");
}

static void a_surrogate_pair_becomes_one_character_and_half_of_one_is_refused(void **state)
{
    (void)state;
    prints("{\"name\":\"\\ud83d\\ude00\"}", "{\"name\":\"😀\"}");
    refuses("{\"name\":\"\\ud83d\"}", JOULIE_E_PARSE, "line 1");
    refuses("{\"name\":\"\\ude00\"}", JOULIE_E_PARSE, "line 1");
    refuses("{\"name\":\"\\u0000\"}", JOULIE_E_PARSE, "name");
}

static void null_is_absent(void **state)
{
    (void)state;
    prints("{\"name\":\"x\",\"leaf\":null,\"color\":null}", "{\"name\":\"x\"}");
    refuses("{\"name\":null}", JOULIE_E_REQUIRED, "name");
}

static void a_bad_member_is_named_by_its_path(void **state)
{
    (void)state;
    refuses("{}", JOULIE_E_REQUIRED, "name");
    refuses("{\"name\":1}", JOULIE_E_TYPE, "name");
    refuses("{\"name\":\"x\",\"color\":\"RED\"}", JOULIE_E_ENUM, "color");
    refuses("{\"name\":\"x\",\"leaf\":{\"sharePct\":0}}", JOULIE_E_RANGE, "leaf.sharePct");
    refuses("{\"name\":\"x\",\"leaf\":{\"sharePct\":130}}", JOULIE_E_RANGE, "leaf.sharePct");
    refuses("{\"name\":\"x\",\"leaf\":{\"sharePct\":\"60\"}}", JOULIE_E_TYPE, "leaf.sharePct");
    refuses("{\"name\":\"x\",\"leaves\":[{},{\"count\":1.5}]}", JOULIE_E_TYPE, "leaves[1].count");
    refuses("{\"name\":\"x\",\"leaves\":[{\"count\":9223372036854775808}]}", JOULIE_E_RANGE,
            "leaves[0].count");
    refuses("{\"name\":\"x\",\"leaf\":{\"sharePct\":1e400}}", JOULIE_E_RANGE, "leaf.sharePct");
    refuses("{\"name\":\"x\",\"extra\":{\"a\":1e400}}", JOULIE_E_RANGE, "extra");
    refuses("{\"name\":\"x\",\"nope\":1}", JOULIE_E_UNKNOWN_MEMBER, "nope");
    refuses("{\"name\":\"x\",\"leaf\":{\"nope\":1}}", JOULIE_E_UNKNOWN_MEMBER, "leaf.nope");
    refuses("{\"name\":\"x\",\"at\":\"2026-02-29T00:00:00Z\"}", JOULIE_E_PARSE, "at");
    refuses("{\"name\":\"x\",\"labels\":{\"k\":{}}}", JOULIE_E_TYPE, "labels.k");
    refuses("{\"name\":\"x\",\"name\":\"y\"}", JOULIE_E_PARSE, "name");
}

static void a_message_names_the_number_and_the_bound(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    read_text(&f, "{\"name\":\"x\",\n\"leaf\":{\"sharePct\":130}}");
    assert_string_equal(f.err.message, "130 is above 100");
    assert_int_equal(f.err.line, 2);
    jl_arena_clear(&f.arena);
}

static void broken_text_is_named_by_its_line(void **state)
{
    (void)state;
    refuses("", JOULIE_E_PARSE, "line 1");
    refuses("{\"name\":\"x\"", JOULIE_E_PARSE, "line 1");
    refuses("{\n\"name\":\"x\",}", JOULIE_E_PARSE, "line 2");
    refuses("{\"name\":\"x\"} x", JOULIE_E_PARSE, "line 1");
    refuses("{\"name\":\"\x80\"}", JOULIE_E_PARSE, "line 1");
    refuses("{\"name\":\"a\nb\"}", JOULIE_E_PARSE, "line 1");
    refuses("{\"leaf\":{\"count\":01}}", JOULIE_E_PARSE, "line 1");
    refuses("{\"leaf\":{\"count\":NaN}}", JOULIE_E_PARSE, "line 1");
    refuses("[]", JOULIE_E_TYPE, "");
}

static void nesting_is_limited(void **state)
{
    (void)state;
    static char text[30000];
    struct fixture f = { 0 };
    memcpy(text, "{\"extra\":", 9);
    memset(text + 9, '[', 10000);
    memset(text + 10009, ']', 10000);
    text[20009] = '}';
    assert_int_equal(decode(&f, text, 20010, 0), JOULIE_E_LIMIT);
    jl_arena_clear(&f.arena);
}

static void lenient_reading_skips_and_counts_unknown_members(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    const char *text = "{\"name\":\"x\",\"nope\":{\"a\":[1]},\"leaf\":{\"b\":2},\"name\":\"y\"}";
    assert_int_equal(decode(&f, text, strlen(text), JL_LENIENT), 0);
    assert_int_equal(f.unknown_members, 2);
    assert_string_equal(f.tree.name, "y");
    jl_arena_clear(&f.arena);
}

static void source_rule_sets_read_without_bounds(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    const char *text = "{\"color\":\"green\",\"leaf\":{\"sharePct\":150}}";
    assert_int_equal(decode(&f, text, strlen(text), JL_UNCHECKED), 0);
    assert_int_equal(f.tree.color, COLOR_UNKNOWN);
    assert_near(f.tree.leaf.share_pct, 150, 0);
    jl_arena_clear(&f.arena);
}

static void a_failure_leaves_room_for_the_next_document(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    assert_int_equal(read_text(&f, "{\"name\":\"x\",\"leaves\":[{\"count\":0}]}"), JOULIE_E_RANGE);
    assert_int_equal(read_text(&f, "{\"name\":\"x\"}"), 0);
    assert_int_equal(f.tree.has, UINT64_C(1) << JL_INDEX(tree, name));
    jl_arena_clear(&f.arena);
}

static void decoded_memory_is_limited(void **state)
{
    (void)state;
    struct fixture f = { .arena = { .limit = 4096 } };
    static char text[8192];
    size_t len = (size_t)(stpcpy(text, "{\"name\":\"x\",\"leaves\":[{}") - text);
    while (len < 2000)
        len += (size_t)(stpcpy(text + len, ",{}") - (text + len));
    strcpy(text + len, "]}");
    assert_int_equal(read_text(&f, text), JOULIE_E_LIMIT);
    jl_arena_clear(&f.arena);
}

/* Room for items is made by counting commas, of which broken text can have any number. */
static void a_broken_list_is_a_parse_error_even_when_its_commas_ask_for_too_much(void **state)
{
    (void)state;
    struct fixture f = { .arena = { .limit = 4096 } };
    static char text[8192];
    size_t len = (size_t)(stpcpy(text, "{\"name\":\"x\",\"leaves\":[{}") - text);
    memset(text + len, ',', 4000);
    assert_int_equal(decode(&f, text, len + 4000, 0), JOULIE_E_PARSE);
    jl_arena_clear(&f.arena);
}

static void a_list_that_a_brace_closes_has_an_item_that_is_none(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    assert_int_equal(read_text(&f, "{\"name\":\"x\",\"leaves\":[}]}"), JOULIE_E_PARSE);
    assert_int_equal(f.err.column, strlen("{\"name\":\"x\",\"leaves\":[}"));
    assert_int_equal(read_text(&f, "{\"name\":\"x\",\"words\":[ }"), JOULIE_E_PARSE);
    assert_int_equal(read_text(&f, "{\"name\":\"x\",\"labels\":{]}"), JOULIE_E_PARSE);
    jl_arena_clear(&f.arena);
}

/* Brackets, commas and escapes inside strings, over more than one block of the counting. */
static void items_are_counted_whatever_their_strings_hold(void **state)
{
    (void)state;
    const char *word = "a,\\\"],[{}\\\\";
    struct fixture f = { 0 };
    struct jl_buffer text = { 0 };
    for (size_t count = 0; count < 70; count++) {
        jl_buffer_reset(&text);
        jl_put_string(&text, "{\"name\":\"x\",\"words\":[");
        for (size_t i = 0; i < count; i++) {
            jl_put_string(&text, i > 0 ? " , \"" : "\"");
            jl_put_string(&text, i % 3 == 0 ? word : "abcdefghijklmnopqrstuvwxyz");
            jl_put_string(&text, "\"");
        }
        jl_put_string(&text, "] }");
        assert_int_equal(decode(&f, text.data, text.len, 0), 0);
        assert_int_equal(f.tree.words.count, count);
        for (size_t i = 0; i < count; i++)
            assert_string_equal(JL_STRING_ITEM(f.tree.words, i),
                                i % 3 == 0 ? "a,\"],[{}\\" : "abcdefghijklmnopqrstuvwxyz");
    }
    jl_buffer_clear(&text);
    jl_arena_clear(&f.arena);
}

static void a_second_object_of_the_same_key_starts_empty(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    const char *text = "{\"name\":\"x\",\"leaf\":{\"count\":3},\"leaf\":{\"sharePct\":5}}";
    assert_int_equal(decode(&f, text, strlen(text), JL_LENIENT), 0);
    assert_int_equal(f.tree.leaf.has, UINT64_C(1) << JL_INDEX(leaf, share_pct));
    jl_arena_clear(&f.arena);
}

static void yaml_is(const char *yaml, const char *json)
{
    struct jl_buffer out = { 0 };
    struct jl_line_map lines = { 0 };
    struct joulie_error err = { .struct_size = sizeof err };
    const int rc = jl_yaml_to_json(yaml, strlen(yaml), &out, &lines, &err);
    if (rc != 0)
        fail_msg("%s: %s", err.where, err.message);
    assert_string_equal(out.data, json);
    jl_buffer_clear(&out);
    jl_line_map_clear(&lines);
}

static void yaml_refuses(const char *yaml, int code, const char *where)
{
    struct jl_buffer out = { 0 };
    struct jl_line_map lines = { 0 };
    struct joulie_error err = { .struct_size = sizeof err };
    assert_int_equal(jl_yaml_to_json(yaml, strlen(yaml), &out, &lines, &err), code);
    assert_string_equal(err.where, where);
    jl_buffer_clear(&out);
    jl_line_map_clear(&lines);
}

static void yaml_scalars_follow_the_core_rules(void **state)
{
    (void)state;
    yaml_is("a: 1\nb: 007\nc: +1\nd: .5\ne: 5.\nf: 0x1F\ng: 0o17\nh: 1e3\ni: -0.50\n",
            "{\"a\":1,\"b\":7,\"c\":1,\"d\":0.5,\"e\":5,\"f\":31,\"g\":15,\"h\":1e3,\"i\":-0.50}");
    yaml_is(
        "[yes, no, on, true, False, ~, null, '1', \"true\", 1_000, 0b1, 12:30]",
        "[\"yes\",\"no\",\"on\",true,false,null,null,\"1\",\"true\",\"1_000\",\"0b1\",\"12:30\"]");
    yaml_is("a:\nb: |\n  x\n  y\n1: c\n", "{\"a\":null,\"b\":\"x\\ny\\n\",\"1\":\"c\"}");
    yaml_is("a: !!str 1\n", "{\"a\":\"1\"}");
}

static void yaml_aliases_are_expanded_within_a_limit(void **state)
{
    (void)state;
    yaml_is("a: &x {k: [1, 2]}\nb: *x\n", "{\"a\":{\"k\":[1,2]},\"b\":{\"k\":[1,2]}}");
    yaml_refuses("a: *x\n", JOULIE_E_PARSE, "line 1");
    yaml_refuses("a: &x [*x]\n", JOULIE_E_PARSE, "line 1");
    yaml_refuses("a: &a [xxxxxxxxxx,xxxxxxxxxx,xxxxxxxxxx,xxxxxxxxxx,xxxxxxxxxx]\n"
                 "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
                 "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n",
                 JOULIE_E_LIMIT, "line 3");
}

static void yaml_that_json_cannot_say_is_refused(void **state)
{
    (void)state;
    yaml_refuses("a: 1\n<<: {b: 2}\n", JOULIE_E_UNSUPPORTED, "line 2");
    yaml_refuses("a: .inf\n", JOULIE_E_RANGE, "line 1");
    yaml_refuses("? [a]\n: 1\n", JOULIE_E_UNSUPPORTED, "line 1");
    yaml_refuses("a: !!binary x\n", JOULIE_E_UNSUPPORTED, "line 1");
    yaml_refuses("a: [1\n", JOULIE_E_PARSE, "line 2");
    yaml_refuses("a: 1\n---\nb: 2\n", JOULIE_E_PARSE, "line 2");
    yaml_refuses("", JOULIE_E_PARSE, "line 1");
}

static void an_error_in_yaml_knows_its_line(void **state)
{
    (void)state;
    const char *yaml = "name: x\nleaf:\n  count: 1\n  sharePct: 130\n";
    struct fixture f = { 0 };
    struct jl_buffer json = { 0 };
    struct jl_line_map lines = { 0 };
    f.err.struct_size = sizeof f.err;
    assert_int_equal(jl_yaml_to_json(yaml, strlen(yaml), &json, &lines, &f.err), 0);
    struct jl_decode request = {
        .arena = &f.arena, .text = json.data, .len = json.len, .lines = &lines, .err = &f.err
    };
    assert_int_equal(jl_decode_document(&request, &tree_table, &f.tree), JOULIE_E_RANGE);
    assert_int_equal(f.err.line, 4);
    jl_buffer_clear(&json);
    jl_line_map_clear(&lines);
    jl_arena_clear(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_is_printed_in_table_order_with_shortest_numbers),
        cmocka_unit_test(a_surrogate_pair_becomes_one_character_and_half_of_one_is_refused),
        cmocka_unit_test(null_is_absent),
        cmocka_unit_test(a_bad_member_is_named_by_its_path),
        cmocka_unit_test(a_message_names_the_number_and_the_bound),
        cmocka_unit_test(broken_text_is_named_by_its_line),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(lenient_reading_skips_and_counts_unknown_members),
        cmocka_unit_test(source_rule_sets_read_without_bounds),
        cmocka_unit_test(a_failure_leaves_room_for_the_next_document),
        cmocka_unit_test(decoded_memory_is_limited),
        cmocka_unit_test(a_broken_list_is_a_parse_error_even_when_its_commas_ask_for_too_much),
        cmocka_unit_test(a_list_that_a_brace_closes_has_an_item_that_is_none),
        cmocka_unit_test(items_are_counted_whatever_their_strings_hold),
        cmocka_unit_test(a_second_object_of_the_same_key_starts_empty),
        cmocka_unit_test(yaml_scalars_follow_the_core_rules),
        cmocka_unit_test(yaml_aliases_are_expanded_within_a_limit),
        cmocka_unit_test(yaml_that_json_cannot_say_is_refused),
        cmocka_unit_test(an_error_in_yaml_knows_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
