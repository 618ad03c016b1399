/* SPDX-License-Identifier: Apache-2.0 */
/* Text, arenas, buffers, indexes, sorting. */
#include <stdio.h>
#include <string.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/words.h"
#include "support/test.h"

static void an_arena_hands_out_zeroed_aligned_memory(void **state)
{
    struct jl_arena arena = { .first = 64 };
    (void)state;
    for (size_t size = 0; size < 500; size++) {
        unsigned char *memory = jl_arena_alloc(&arena, size);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xFF, size);
    }
    jl_arena_reset(&arena);
    const unsigned char *again = jl_arena_alloc(&arena, 400);
    for (size_t i = 0; i < 400; i++)
        assert_int_equal(again[i], 0);
    jl_arena_clear(&arena);
    jl_arena_clear(&arena);
}

static void an_arena_stops_at_its_limit(void **state)
{
    struct jl_arena arena = { .limit = 256 };
    (void)state;
    assert_non_null(jl_arena_alloc(&arena, 256));
    assert_null(jl_arena_alloc(&arena, 1));
    assert_int_equal(jl_arena_code(&arena), JOULIE_E_LIMIT);
    jl_arena_reset(&arena);
    assert_non_null(jl_arena_alloc(&arena, 1));
    assert_null(jl_arena_array(&arena, SIZE_MAX / 2, 8));
    assert_int_equal(jl_arena_code(&arena), JOULIE_E_LIMIT);
    jl_arena_clear(&arena);

    struct jl_arena free_arena = { 0 };
    assert_null(jl_arena_array(&free_arena, SIZE_MAX / 2, 8));
    assert_int_equal(jl_arena_code(&free_arena), JOULIE_E_NOMEM);
    jl_arena_clear(&free_arena);
}

static void an_arena_joins_and_copies_text(void **state)
{
    static const char *const parts[] = { "a", "", "bc" };
    struct jl_arena arena = { 0 };
    (void)state;
    assert_string_equal(jl_arena_join(&arena, parts, 3), "abc");
    assert_string_equal(jl_arena_copy(&arena, "abcdef", 3), "abc");
    assert_string_equal(jl_arena_string(&arena, "x"), "x");
    assert_null(jl_arena_string(&arena, NULL));
    jl_arena_clear(&arena);
}

static void a_buffer_prints_json_strings_with_escapes(void **state)
{
    static const char text[] = "\"\\\b\f\n\r\t\x01/\x7F\xC3\xA9";
    struct jl_buffer buffer = { 0 };
    (void)state;
    jl_put_json_string(&buffer, text, sizeof text - 1);
    assert_string_equal(buffer.data, "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001/\x7F\xC3\xA9\"");
    jl_buffer_reset(&buffer);
    jl_put_double(&buffer, 0.1);
    jl_put_char(&buffer, ' ');
    jl_put_i64(&buffer, -7);
    jl_put_char(&buffer, ' ');
    jl_put_double(&buffer, 1e300 * 1e300);
    char *taken = jl_buffer_take(&buffer);
    assert_string_equal(taken, "0.1 -7 null");
    joulie_free(taken);
    taken = jl_buffer_take(&buffer);
    assert_string_equal(taken, "");
    joulie_free(taken);
    jl_buffer_clear(&buffer);
}

static void a_buffer_grows_to_any_size(void **state)
{
    struct jl_buffer buffer = { 0 };
    (void)state;
    for (int i = 0; i < 100000; i++)
        jl_put_char(&buffer, (char)('a' + i % 26));
    assert_int_equal(buffer.len, 100000);
    assert_int_equal(strlen(buffer.data), 100000);
    assert_int_equal(jl_buffer_code(&buffer), 0);
    jl_buffer_clear(&buffer);
}

#define NAMES 5000

static void an_index_finds_what_was_put_and_not_what_was_removed(void **state)
{
    static char names[NAMES][16];
    struct jl_index index = { 0 };
    size_t value = 0;
    (void)state;
    assert_false(jl_index_get(&index, "x", &value) || jl_index_remove(&index, "x"));
    for (size_t i = 0; i < NAMES; i++) {
        snprintf(names[i], sizeof names[i], "node-%zu", i);
        assert_int_equal(jl_index_set(&index, names[i], i), 0);
    }
    assert_int_equal(jl_index_set(&index, "node-7", 70), 0);
    assert_int_equal(index.count, NAMES);
    for (size_t i = 0; i < NAMES; i += 2)
        assert_true(jl_index_remove(&index, names[i]));
    for (size_t i = 0; i < NAMES; i++) {
        const bool is_found = jl_index_get(&index, names[i], &value);
        assert_int_equal(is_found, i % 2);
        if (is_found)
            assert_int_equal(value, i == 7 ? 70 : i);
    }
    for (size_t round = 0; round < 20 * NAMES;
         round++) { /* names that come and go do not fill it up */
        assert_int_equal(jl_index_set(&index, names[round % NAMES / 2 * 2], round), 0);
        assert_true(jl_index_remove(&index, names[round % NAMES / 2 * 2]));
    }
    assert_true(index.capacity <= 16384);
    assert_true(jl_index_set(&index, "", 3) == 0 && jl_index_get(&index, "", &value) && value == 3);
    jl_index_clear(&index);
}

static void a_map_finds_its_keys(void **state)
{
    static const struct jl_pair pairs[] = { { "a", "1" }, { "b", "" } };
    const struct jl_map map = { pairs, 2 };
    (void)state;
    assert_string_equal(jl_map_get(&map, "a"), "1");
    assert_string_equal(jl_map_get(&map, "b"), "");
    assert_null(jl_map_get(&map, "c"));
}

struct card {
    int rank;
    int place;
};

static int by_rank(const void *a, const void *b, void *user)
{
    const struct card *left = a;
    const struct card *right = b;
    *(size_t *)user += 1;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

static void sorting_keeps_equal_items_in_their_order(void **state)
{
    static struct card cards[3000];
    struct jl_random random = { 11 };
    size_t comparisons = 0;
    (void)state;
    for (size_t count = 0; count <= JL_COUNT(cards);
         count = count < 70 ? count + 1 : count * 2 + 7) {
        for (size_t i = 0; i < count; i++)
            cards[i] = (struct card){ (int)jl_random_int(&random, 0, 20), (int)i };
        assert_int_equal(jl_sort(cards, count, sizeof cards[0], by_rank, &comparisons), 0);
        for (size_t i = 1; i < count; i++) {
            assert_true(cards[i - 1].rank <= cards[i].rank);
            assert_true(cards[i - 1].rank < cards[i].rank || cards[i - 1].place < cards[i].place);
        }
    }
    assert_true(comparisons > 0);
}

static void text_compares_byte_by_byte(void **state)
{
    (void)state;
    assert_true(jl_same(NULL, NULL) && !jl_same(NULL, "") && jl_same("a", "a"));
    assert_true(jl_compare(NULL, "") < 0 && jl_compare("a", "b") < 0 &&
                jl_compare("\x80", "a") > 0);
    assert_true(jl_compare(NULL, NULL) == 0);
    assert_true(jl_compare_text(jl_text("ab"), jl_text("abc")) < 0 &&
                jl_compare_text(jl_text(""), jl_text(NULL)) == 0);
    assert_true(jl_same_nocase(jl_text("ECO"), "eco") && !jl_same_nocase(jl_text("ec"), "eco"));
    assert_true(jl_starts_with("nvidia.com/gpu", "nvidia.com/") && !jl_starts_with(NULL, ""));
    assert_true(jl_ends_with("a.json", ".json") && !jl_ends_with("n", ".json"));
    assert_true(jl_text_is(jl_text_trim(jl_text(" \t a b\r\n")), "a b"));
    assert_true(jl_is_empty(NULL) && jl_is_empty("") && !jl_is_empty(" "));
}

static void a_text_is_cut_at_its_first_mark(void **state)
{
    struct jl_text rest = jl_text("a=b=");
    struct jl_text nothing = jl_text(NULL);
    (void)state;
    assert_true(jl_text_is(jl_text_cut(&rest, '='), "a") && jl_text_is(rest, "b="));
    assert_true(jl_text_is(jl_text_cut(&rest, '='), "b") && rest.len == 0);
    assert_true(jl_text_cut(&rest, '=').len == 0 && rest.len == 0);
    rest = jl_text("ab");
    assert_true(jl_text_is(jl_text_cut(&rest, '='), "ab") && rest.len == 0);
    assert_true(jl_text_cut(&nothing, '=').len == 0 && nothing.len == 0);
}

static void only_well_formed_utf8_is_valid(void **state)
{
    static const char *const wrong[] = { "\x80",
                                         "\xC0\x80",
                                         "\xC3",
                                         "\xE0\x80\x80",
                                         "\xED\xA0\x80",
                                         "\xF0\x80\x80\x80",
                                         "\xF4\x90\x80\x80",
                                         "\xF5\x80\x80\x80",
                                         "\xE2\x82",
                                         "a\xFF" };
    (void)state;
    assert_true(jl_utf8_valid("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF", 14));
    for (size_t i = 0; i < JL_COUNT(wrong); i++)
        assert_false(jl_utf8_valid(wrong[i], strlen(wrong[i])));
    assert_int_equal(jl_utf8_cut("a\xE2\x82\xAC", 4, 3), 1);
    assert_int_equal(jl_utf8_cut("a\xE2\x82\xAC", 4, 4), 4);
}

static void hashes_are_fnv_1a(void **state)
{
    (void)state;
    assert_true(jl_fnv1a32("", 0) == 0x811C9DC5 &&
                jl_fnv1a32("a", 1) == 0xE40C292C); /* the authors' test vectors */
    assert_true(jl_fnv1a32("foobar", 6) == 0xBF9CF968);
    assert_true(jl_hash("a", 1) == UINT64_C(0xAF63DC4C8601EC8C));
    assert_true(jl_hash("foobar", 6) == UINT64_C(0x85944171F73967E8));
}

static void words_and_values_go_both_ways(void **state)
{
    static const struct jl_word list[] = { { 1, "low" }, { 3, "high" } };
    static const struct jl_words words = { list, JL_COUNT(list) };
    (void)state;
    assert_int_equal(jl_word_value(&words, jl_text("high")), 3);
    assert_int_equal(jl_word_value(&words, jl_text("HIGH")), 0);
    assert_string_equal(jl_word_of(&words, 1), "low");
    assert_null(jl_word_of(&words, 2));
}

static void growing_arrays_keep_their_items(void **state)
{
    int *items = NULL;
    size_t capacity = 0;
    void *memory = NULL;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(jl_grow(&memory, &capacity, (size_t)i + 1, sizeof *items), 0);
        items = memory;
        items[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    assert_int_equal(jl_grow(&memory, &capacity, SIZE_MAX, sizeof *items), JOULIE_E_NOMEM);
    assert_ptr_equal(memory, items);
    jl_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arena_hands_out_zeroed_aligned_memory),
        cmocka_unit_test(an_arena_stops_at_its_limit),
        cmocka_unit_test(an_arena_joins_and_copies_text),
        cmocka_unit_test(a_buffer_prints_json_strings_with_escapes),
        cmocka_unit_test(a_buffer_grows_to_any_size),
        cmocka_unit_test(an_index_finds_what_was_put_and_not_what_was_removed),
        cmocka_unit_test(a_map_finds_its_keys),
        cmocka_unit_test(sorting_keeps_equal_items_in_their_order),
        cmocka_unit_test(text_compares_byte_by_byte),
        cmocka_unit_test(a_text_is_cut_at_its_first_mark),
        cmocka_unit_test(only_well_formed_utf8_is_valid),
        cmocka_unit_test(hashes_are_fnv_1a),
        cmocka_unit_test(words_and_values_go_both_ways),
        cmocka_unit_test(growing_arrays_keep_their_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
