/* SPDX-License-Identifier: Apache-2.0 */

/* The walk over two structs finds what jl_diff() finds between both as trees, byte for byte: for
 * every kind, with members drawn by chance. */

#include <string.h>

#include "base/random.h"
#include "kinds/kinds.h"
#include "schema/decode.h"
#include "schema/diff.h"
#include "schema/encode.h"
#include "schema/presence.h"
#include "support/test.h"

#define MOST_ITEMS 3
#define ROUNDS 300

static const char *const texts[] = { "a", "b\"\n", "c/d", "" };
static const char *const raws[] = { "{\"x\":1,\"y\":{\"z\":[1,2]}}",
                                    "{ \"x\" : 1, \"y\":{\"q\":\"\"}}", "{}", "7" };

static void draw(struct jl_random *random, struct jl_arena *arena, const struct jl_table *table,
                 int depth, void *out);

static int64_t some(struct jl_random *random, int64_t count)
{
    return jl_random_int(random, 0, count - 1);
}

static const char *text(struct jl_random *random)
{
    return texts[some(random, 4)];
}

/* Keys of maps: each once. */
static const char *key_of(size_t i)
{
    static const char *const keys[MOST_ITEMS] = { "k1", "joulie.io/k2", "k3" };
    return keys[i];
}

static void draw_list(struct jl_random *random, struct jl_arena *arena, const struct jl_row *row,
                      int depth, struct jl_list *out)
{
    out->count = (size_t)some(random, MOST_ITEMS);
    if (row->type == JL_TYPE_STRINGS)
        out->items = JL_NEW_ARRAY(arena, MOST_ITEMS, const char *);
    else if (row->type == JL_TYPE_NUMBERS)
        out->items = JL_NEW_ARRAY(arena, MOST_ITEMS, double);
    else
        out->items = jl_arena_array(arena, MOST_ITEMS, row->child->size);
    for (size_t i = 0; i < out->count; i++) {
        if (row->type == JL_TYPE_STRINGS)
            JL_STRING_ITEM(*out, i) = text(random);
        else if (row->type == JL_TYPE_NUMBERS)
            JL_NUMBER_ITEM(*out, i) = (double)some(random, 2) / 4;
        else
            draw(random, arena, row->child, depth + 1, (char *)out->items + i * row->child->size);
    }
}

static void draw_map(struct jl_random *random, struct jl_arena *arena, struct jl_map *out)
{
    struct jl_pair *items = JL_NEW_ARRAY(arena, MOST_ITEMS, struct jl_pair);
    out->count = 0;
    out->items = items;
    for (size_t i = 0; i < MOST_ITEMS; i++) {
        if (some(random, 2) == 0)
            items[out->count++] = (struct jl_pair){ key_of(i), text(random) };
    }
}

static void draw_dict(struct jl_random *random, struct jl_arena *arena, const struct jl_row *row,
                      int depth, struct jl_dict *out)
{
    const size_t size = row->child->size;
    out->count = 0;
    out->keys = JL_NEW_ARRAY(arena, MOST_ITEMS, const char *);
    out->items = jl_arena_array(arena, MOST_ITEMS, size);
    for (size_t i = 0; i < MOST_ITEMS; i++) {
        if (some(random, 2) == 0)
            continue;
        out->keys[out->count] = key_of(i);
        draw(random, arena, row->child, depth + 1, (char *)out->items + out->count++ * size);
    }
}

static void draw_member(struct jl_random *random, struct jl_arena *arena, const struct jl_row *row,
                        int depth, void *member)
{
    const char *raw = raws[some(random, 4)];
    switch (row->type) {
    case JL_TYPE_STRING:
    case JL_TYPE_QUANTITY:
        *(const char **)member = text(random);
        return;
    case JL_TYPE_NUMBER:
        *(double *)member = (double)some(random, 3) / 3;
        return;
    case JL_TYPE_INTEGER:
    case JL_TYPE_TIME:
        *(int64_t *)member = some(random, 2) * 1773403200000;
        return;
    case JL_TYPE_BOOL:
        *(bool *)member = some(random, 2) == 0;
        return;
    case JL_TYPE_ENUM:
        *(int *)member = row->words->items[some(random, (int64_t)row->words->count)].value;
        return;
    case JL_TYPE_OBJECT:
    case JL_TYPE_WHOLE:
        draw(random, arena, row->child, depth + 1, member);
        return;
    case JL_TYPE_LIST:
    case JL_TYPE_STRINGS:
    case JL_TYPE_NUMBERS:
        draw_list(random, arena, row, depth, member);
        return;
    case JL_TYPE_MAP:
        draw_map(random, arena, member);
        return;
    case JL_TYPE_DICT:
        draw_dict(random, arena, row, depth, member);
        return;
    case JL_TYPE_RAW:
        *(struct jl_raw *)member = (struct jl_raw){ .text = raw, .len = strlen(raw) };
        return;
    case JL_TYPE_RANGE:
        *(struct jl_range *)member = (struct jl_range){ some(random, 2), some(random, 2), true };
        return;
    }
}

static void draw(struct jl_random *random, struct jl_arena *arena, const struct jl_table *table,
                 int depth, void *out)
{
    memset(out, 0, table->size);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        uint64_t bit = UINT64_C(1) << i;
        uint64_t *has = jl_presence(table, row, out, &bit);
        if (some(random, depth < 3 ? 4 : 2) == 0)
            continue;
        *has |= bit;
        draw_member(random, arena, row, depth, (char *)out + row->offset);
    }
}

static struct json_object *tree_of(const struct jl_table *table, const void *object)
{
    struct jl_buffer printed = { 0 };
    struct jl_arena arena = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct json_object *tree = NULL;
    jl_encode(&printed, table, object);
    struct jl_decode decode = {
        .arena = &arena, .text = printed.data, .len = printed.len, .err = &err
    };
    const struct jl_raw raw = { .text = printed.data, .len = printed.len };
    if (jl_tree_from_raw(&decode, &raw, NULL, &tree) != 0)
        fail_msg("%s: %s", printed.data, err.message);
    jl_arena_clear(&arena);
    jl_buffer_clear(&printed);
    return tree;
}

static void compare(const struct jl_table *table, const void *old, const void *new)
{
    struct json_object *old_tree = tree_of(table, old);
    struct json_object *new_tree = tree_of(table, new);
    struct jl_buffer expected = { 0 };
    struct jl_buffer found = { 0 };
    struct jl_diff diff = { 0 };
    assert_int_equal(jl_diff(old_tree, new_tree, &diff), 0);
    jl_tree_put(&expected, diff.patch);
    jl_encode_patch(&found, table, old, new);
    assert_string_equal(found.data, expected.data);
    jl_buffer_clear(&found);
    jl_buffer_clear(&expected);
    json_object_put(diff.patch);
    json_object_put(old_tree);
    json_object_put(new_tree);
}

static void the_walk_finds_what_a_diff_of_trees_finds(void **state)
{
    struct jl_random random = { 20261123 };
    (void)state;
    for (size_t kind = 0; kind < jl_kind_count; kind++) {
        const struct jl_table *table = jl_kinds[kind];
        for (int round = 0; round < ROUNDS; round++) {
            struct jl_arena arena = { 0 };
            void *old = jl_arena_alloc(&arena, table->size);
            void *new = jl_arena_alloc(&arena, table->size);
            draw(&random, &arena, table, 0, old);
            draw(&random, &arena, table, 0, new);
            compare(table, old, new);
            compare(table, old, old);
            jl_arena_clear(&arena);
        }
    }
}

/* Two objects that differ in one member. */
static void an_object_without_changes_leaves_no_trace(void **state)
{
    const struct jl_table *table = jl_kind_find("joulie.io/v1alpha1", "NodeTwin");
    struct jl_random random = { 7 };
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct jl_arena arena = { 0 };
        char *old = jl_arena_alloc(&arena, table->size);
        char *new = jl_arena_alloc(&arena, table->size);
        const struct jl_row *row = &table->rows[some(&random, table->count)];
        draw(&random, &arena, table, 0, old);
        memcpy(new, old, table->size);
        draw_member(&random, &arena, row, 0, new + row->offset);
        compare(table, old, new);
        jl_arena_clear(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walk_finds_what_a_diff_of_trees_finds),
        cmocka_unit_test(an_object_without_changes_leaves_no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
