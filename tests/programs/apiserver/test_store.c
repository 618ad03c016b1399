/* SPDX-License-Identifier: Apache-2.0 */

/* The store, its ring and what it remembers of older versions. */

#include <stdio.h>
#include <string.h>

#include <joulie/error.h>

#include "apiserver/parts.h"
#include "support/test.h"

struct fixture {
    struct jd_kinds kinds;
    struct jd_store store;
    const struct jd_kind *nodes;
};

static void open_store(struct fixture *fixture, size_t ring)
{
    assert_int_equal(jd_kinds_open(&fixture->kinds, NULL), 0);
    assert_int_equal(jd_store_open(&fixture->store, &fixture->kinds, ring), 0);
    fixture->nodes = jd_kind_by_plural(&fixture->kinds, "nodes");
    assert_non_null(fixture->nodes);
}

static void close_store(struct fixture *fixture)
{
    jd_store_close(&fixture->store);
    jd_kinds_close(&fixture->kinds);
}

static struct jd_object *set(struct fixture *fixture, const char *name, const char *label)
{
    char text[256];
    struct json_object *tree = NULL;
    struct jd_object *object = NULL;
    snprintf(text, sizeof text,
             "{\"kind\":\"Node\",\"metadata\":{\"labels\":{\"l\":\"%s\"},\"name\":\"%s\"},"
             "\"apiVersion\":\"v1\"}",
             label, name);
    assert_int_equal(jd_tree_read(text, strlen(text), &tree, NULL), 0);
    assert_int_equal(jd_store_set(&fixture->store, fixture->nodes, tree, &object), 0);
    json_object_put(tree);
    return object;
}

static struct jd_object *get(const struct fixture *fixture, const char *name)
{
    return jd_store_get(&fixture->store, fixture->nodes, NULL, name);
}

static void an_object_is_put_in_order_with_its_version(void **state)
{
    struct fixture fixture;
    char expected[128];
    (void)state;
    open_store(&fixture, 0);
    const struct jd_object *object = set(&fixture, "n1", "a");
    snprintf(expected, sizeof expected,
             "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\","
             "\"resourceVersion\":\"%llu\",\"labels\":{\"l\":\"a\"}}}",
             (unsigned long long)fixture.store.version);
    assert_string_equal(object->text, expected);
    assert_string_equal(jl_map_get(&object->labels, "l"), "a");
    assert_string_equal(jl_map_get(&object->fields, "metadata.name"), "n1");
    close_store(&fixture);
}

static void another_version_changes_nothing_else(void **state)
{
    struct fixture fixture;
    struct jl_buffer text = { 0 };
    (void)state;
    open_store(&fixture, 0);
    const struct jd_object *object = set(&fixture, "n1", "\\\"resourceVersion\\\":\\\"7\\\"");
    jd_object_put(&text, object, 123456);
    assert_non_null(strstr(text.data, "\"name\":\"n1\",\"resourceVersion\":\"123456\",\"labels\""));
    assert_non_null(strstr(text.data, "\\\"resourceVersion\\\":\\\"7\\\""));
    jl_buffer_clear(&text);
    close_store(&fixture);
}

static void names_come_in_their_order(void **state)
{
    struct fixture fixture;
    (void)state;
    open_store(&fixture, 0);
    for (int i = 999; i >= 0; i--) {
        char name[8];
        snprintf(name, sizeof name, "n%03d", i * 7 % 1000);
        set(&fixture, name, "a");
    }
    struct jd_collection *nodes = jd_store_of(&fixture.store, fixture.nodes);
    assert_int_equal(jd_collection_order(nodes), 0);
    assert_int_equal(nodes->order_count, 1000);
    for (size_t i = 0; i < 1000; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%03zu", i);
        assert_string_equal(jd_collection_item(nodes, i)->name, name);
    }
    close_store(&fixture);
}

static void a_removed_place_is_used_again(void **state)
{
    struct fixture fixture;
    struct jd_object *last;
    (void)state;
    open_store(&fixture, 0);
    for (int i = 0; i < 100; i++) {
        set(&fixture, "n1", "a");
        assert_int_equal(jd_store_remove(&fixture.store, get(&fixture, "n1"), &last), 0);
        assert_null(get(&fixture, "n1"));
        assert_int_equal(last->version, fixture.store.version);
    }
    assert_int_equal(jd_store_of(&fixture.store, fixture.nodes)->slot_count, 1);
    close_store(&fixture);
}

static void the_ring_keeps_the_last_changes(void **state)
{
    struct fixture fixture;
    (void)state;
    open_store(&fixture, 4);
    const uint64_t start = fixture.store.version;
    assert_true(jd_store_has(&fixture.store, start));
    for (int i = 0; i < 4; i++)
        set(&fixture, "n1", i % 2 ? "a" : "b");
    assert_true(jd_store_has(&fixture.store, start));
    assert_int_equal(jd_store_change(&fixture.store, start + 1)->version, start + 1);
    assert_null(jd_store_change(&fixture.store, start + 1)->before);
    set(&fixture, "n1", "c");
    assert_false(jd_store_has(&fixture.store, start));
    assert_true(jd_store_has(&fixture.store, start + 1));
    close_store(&fixture);
}

static void the_ring_is_bounded_in_bytes(void **state)
{
    struct fixture fixture;
    (void)state;
    open_store(&fixture, 0);
    for (int i = 0; i < 100; i++)
        set(&fixture, "n1", i % 2 ? "a" : "b");
    assert_true(fixture.store.ring_bytes > 0);
    assert_true(fixture.store.ring_bytes < JD_API_RING_BYTES);
    close_store(&fixture);
}

static void a_snapshot_is_what_was_there(void **state)
{
    struct fixture fixture;
    const struct jd_snapshot *snapshot;
    struct jd_object *last;
    (void)state;
    open_store(&fixture, 0);
    set(&fixture, "b", "1");
    set(&fixture, "d", "1");
    set(&fixture, "a", "1");
    const uint64_t version = fixture.store.version;
    set(&fixture, "c", "2");
    set(&fixture, "a", "2");
    set(&fixture, "a", "3");
    jd_store_remove(&fixture.store, get(&fixture, "d"), &last);
    jd_store_remove(&fixture.store, get(&fixture, "b"), &last);
    set(&fixture, "b", "2");
    assert_int_equal(jd_store_snapshot(&fixture.store, fixture.nodes, version, &snapshot), 0);
    assert_int_equal(snapshot->count, 3);
    static const char *const names[] = { "a", "b", "d" };
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(snapshot->objects[i]->name, names[i]);
        assert_string_equal(jl_map_get(&snapshot->objects[i]->labels, "l"), "1");
    }
    close_store(&fixture);
}

static void a_snapshot_from_before_the_ring_is_refused(void **state)
{
    struct fixture fixture;
    const struct jd_snapshot *snapshot;
    (void)state;
    open_store(&fixture, 2);
    const uint64_t version = fixture.store.version;
    for (int i = 0; i < 3; i++)
        set(&fixture, "n1", i % 2 ? "a" : "b");
    assert_int_equal(jd_store_snapshot(&fixture.store, fixture.nodes, version, &snapshot),
                     JOULIE_E_RANGE);
    assert_int_equal(
        jd_store_snapshot(&fixture.store, fixture.nodes, fixture.store.version + 1, &snapshot),
        JOULIE_E_RANGE);
    close_store(&fixture);
}

static void patches_are_refused_when_they_are_not_finite(void **state)
{
    struct json_object *tree = NULL;
    static const char *const texts[] = { "{\"a\":NaN}", "{\"a\":[Infinity]}", "{} {}", "[]" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(texts); i++)
        assert_int_equal(jd_tree_read(texts[i], strlen(texts[i]), &tree, NULL), JOULIE_E_PARSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_is_put_in_order_with_its_version),
        cmocka_unit_test(another_version_changes_nothing_else),
        cmocka_unit_test(names_come_in_their_order),
        cmocka_unit_test(a_removed_place_is_used_again),
        cmocka_unit_test(the_ring_keeps_the_last_changes),
        cmocka_unit_test(the_ring_is_bounded_in_bytes),
        cmocka_unit_test(a_snapshot_is_what_was_there),
        cmocka_unit_test(a_snapshot_from_before_the_ring_is_refused),
        cmocka_unit_test(patches_are_refused_when_they_are_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
