/* SPDX-License-Identifier: Apache-2.0 */

/* Conversions of random objects lose nothing, there and back (docs/rules/conversion.md#principles).
 */

#include <stdio.h>
#include <string.h>

#include "convert_tests.h"
#include "random_objects.h"
#include "schema/tree.h"
#include "support/test.h"

#define OBJECTS 800 /* of each pair or triple */

static const enum jl_dialect dialects[] = { JL_DIALECT_A, JL_DIALECT_B, JL_DIALECT_C };

static void assert_same(struct json_object *found, struct json_object *wanted)
{
    if (!jl_tree_equal(found, wanted))
        fail_msg("\n%s\nis not\n%s", text_of(found), text_of(wanted));
}

/* Along a way of dialects, ended by 0, and back to the first one. */
static void assert_way_back(struct json_object *object, const enum jl_dialect *way,
                            enum jl_dialect home)
{
    struct json_object *at = json_object_get(object);
    for (; *way; way++) {
        struct json_object *next = converted(at, *way);
        json_object_put(at);
        at = next;
    }
    struct conversion last;
    convert(at, home, 0, &last); /* the way back needs no GPU */
    assert_false(has_warning(&last, "StaleAnnotation", NULL));
    struct json_object *back = json_object_get(last.made.object);
    clear(&last);
    if (!jl_tree_equal(back, object))
        fail_msg("\n%s\nbecame\n%s\nand came back as\n%s", text_of(object), text_of(at),
                 text_of(back));
    json_object_put(back);
    json_object_put(at);
}

static void every_pair_of_dialects_gives_an_object_back(void **state)
{
    struct jl_random random = { .state = 7 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(dialects) * JL_COUNT(dialects); i++) {
        const enum jl_dialect home = dialects[i / JL_COUNT(dialects)];

        const enum jl_dialect way[] = { dialects[i % JL_COUNT(dialects)], 0 };

        for (int left = home == way[0] ? 0 : OBJECTS; left > 0; left--) {
            struct json_object *object = random_object(&random, home);
            assert_way_back(object, way, home);
            json_object_put(object);
        }
    }
}

static void a_way_through_both_others_gives_an_object_back(void **state)
{
    struct jl_random random = { .state = 8 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(dialects) * 2; i++) {
        const size_t first = i / 2;
        const enum jl_dialect home = dialects[first];

        const enum jl_dialect way[] = { dialects[(first + 1 + i % 2) % 3],
                                        dialects[(first + 2 - i % 2) % 3], 0 };

        for (int left = OBJECTS; left > 0; left--) {
            struct json_object *object = random_object(&random, home);
            assert_way_back(object, way, home);
            json_object_put(object);
        }
    }
}

/* A field that was lost is reported once, and stands in the annotation as it was. */
static void assert_all_kept(struct json_object *object, const struct conversion *conversion)
{
    struct json_object *stored = annotation_of(conversion->made.object);
    for (const struct jl_convert_warning *at = conversion->made.warnings; at; at = at->next) {
        if (!jl_same(at->reason, "NotRepresentable"))
            continue;
        for (const struct jl_convert_warning *other = at->next; other; other = other->next)
            assert_false(jl_same(other->path, at->path) && jl_same(other->reason, at->reason));
        struct json_object *value = value_at(object, at->path);
        const char *below = at->path + strlen("spec.");
        struct json_object *kept = jl_starts_with(below, "autoScalingConfig")
                                       ? value_at(stored, below)
                                       : value_at(jl_fusion_member(stored, "spec"), below);
        if (!value || !jl_tree_equal(value, kept))
            fail_msg("%s of %s is lost", at->path, text_of(object));
    }
    json_object_put(stored);
}

/* Every member of the spec that is gone, but what says nothing, has its warning. */
static void assert_all_reported(struct json_object *object, const struct conversion *conversion)
{
    struct json_object *spec = jl_fusion_member(conversion->made.object, "spec");
    char path[160];
    json_object_object_foreach(jl_fusion_member(object, "spec"), key, value)
    {
        snprintf(path, sizeof path, "spec.%s", key);
        if (value && !jl_fusion_member(spec, key) && !jl_same(key, "gpuCount") &&
            !jl_same(key, "autoScalingConfig") &&
            !has_warning(conversion, "NotRepresentable", path))
            fail_msg("no warning that %s of %s went", path, text_of(object));
    }
}

static void what_is_lost_is_reported_and_kept(void **state)
{
    struct jl_random random = { .state = 9 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(dialects) * JL_COUNT(dialects); i++) {
        const enum jl_dialect from = dialects[i / JL_COUNT(dialects)];
        const enum jl_dialect to = dialects[i % JL_COUNT(dialects)];
        for (int left = from == to ? 0 : OBJECTS; left > 0; left--) {
            struct conversion conversion;
            struct json_object *object = random_object(&random, from);
            convert(object, to, GPU_TFLOPS, &conversion);
            assert_int_equal(conversion.rc, 0);
            assert_all_kept(object, &conversion);
            assert_all_reported(object, &conversion);
            clear(&conversion);
            json_object_put(object);
        }
    }
}

static void a_mixed_object_loses_nothing_on_the_way(void **state)
{
    struct jl_random random = { .state = 10 };
    (void)state;
    for (int left = OBJECTS; left > 0; left--) {
        struct json_object *object = random_object(&random, JL_DIALECT_MIXED);
        struct json_object *direct = converted(object, JL_DIALECT_A);
        struct json_object *c = converted(object, JL_DIALECT_C);
        struct json_object *around = converted(c, JL_DIALECT_A);
        assert_int_not_equal(jl_dialect_of(direct), JL_DIALECT_MIXED);
        assert_int_not_equal(jl_dialect_of(c), JL_DIALECT_MIXED);
        assert_same(around, direct);
        json_object_put(around);
        json_object_put(c);
        json_object_put(direct);
        json_object_put(object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_dialects_gives_an_object_back),
        cmocka_unit_test(a_way_through_both_others_gives_an_object_back),
        cmocka_unit_test(what_is_lost_is_reported_and_kept),
        cmocka_unit_test(a_mixed_object_loses_nothing_on_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
