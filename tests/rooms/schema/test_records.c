/* SPDX-License-Identifier: Apache-2.0 */

/* schema/record.h: what one list makes, and where the bits of its members stand. */

#include <stdio.h>
#include <string.h>

#include <joulie/twin.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "support/test.h"

enum color { COLOR_UNKNOWN, COLOR_RED };

static const struct jl_words color_words = JL_WORDS({ { COLOR_RED, "red" } });

#define RECORD point
#define MEMBERS                                        \
    NUMBER(x, "x", "First number.", REQUIRED, OVER(0)) \
    INTEGER(y, "y", "Second number.", BETWEEN(-5, 5))  \
    ENUM(color, "color", color, color_words, "Its colour.")
#include "schema/record.h"

#define PLACE                               \
    STRING(name, "name", "Name.", REQUIRED) \
    OBJECT(at, "at", point, "Where it is.") \
    LIST(others, "others", point, "Other points.")
#define RECORD place
#define MEMBERS PLACE
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

/* Its own members, and numbers of a public struct with the bits of that struct. */
#define RECORD mixed
#define MEMBERS                                                                           \
    STRING(first, "first", "A member.")                                                   \
    HOLDS(struct joulie_twin_input, readings)                                             \
    NUMBER_IN(readings, gpu_max_w, JOULIE_TWIN_HAS_GPU_MAX, "gpuMaxW", "Power of a GPU.") \
    STRING(last, "last", "Another member.", REQUIRED)
#include "schema/record.h"

/* All members of a place, on the same level, and one more. */
#define RECORD labelled
#define INLINE_RECORD place
#define INLINE_AS place
#define INLINE_MEMBERS PLACE
#define MEMBERS STRING(label, "label", "Label.", REQUIRED)
#include "schema/record.h"

/* A public struct as it is. */
#define RECORD joulie_twin_input
#define IS_PUBLIC
#define MEMBERS                                                                    \
    NUMBER(cpu_max_w, "cpuMaxW", "Power.", BIT(JOULIE_TWIN_HAS_CPU_MAX), REQUIRED) \
    NUMBER(zone_temp_c, "zoneTempC", "Temperature.", BIT(JOULIE_TWIN_HAS_ZONE_TEMP))
#include "schema/record.h"

static int decode(const char *text, const struct jl_table *table, void *out, struct jl_arena *arena,
                  struct joulie_error *err)
{
    *err = (struct joulie_error){ .struct_size = sizeof *err };
    struct jl_decode decode = { .arena = arena, .text = text, .len = strlen(text), .err = err };
    return jl_decode_document(&decode, table, out);
}

static void assert_round_trip(const char *text, const struct jl_table *table, void *out)
{
    struct jl_arena arena = { 0 };
    struct jl_buffer buffer = { 0 };
    struct joulie_error err;
    assert_int_equal(decode(text, table, out, &arena, &err), 0);
    jl_encode(&buffer, table, out);
    assert_string_equal(buffer.data, text);
    jl_buffer_clear(&buffer);
    jl_arena_clear(&arena);
}

static void assert_required(const char *text, const struct jl_table *table, void *out,
                            const char *where)
{
    struct jl_arena arena = { 0 };
    struct joulie_error err;
    assert_int_equal(decode(text, table, out, &arena, &err), JOULIE_E_REQUIRED);
    assert_string_equal(err.where, where);
    jl_arena_clear(&arena);
}

#define RECORD always
#define MEMBERS                            \
    NUMBER(x, "x", "Needed.", REQUIRED)    \
    NUMBER(y, "y", "Bounded.", AT_MOST(1)) \
    NUMBER(z, "z", "Needed and bounded all the same.", REQUIRED, AT_MOST(1), ALWAYS)
#include "schema/record.h"

static int decode_unchecked(const char *text)
{
    struct jl_arena arena = { 0 };
    struct joulie_error err = { .struct_size = sizeof err };
    struct jl_decode decode = {
        .arena = &arena, .text = text, .len = strlen(text), .flags = JL_UNCHECKED, .err = &err
    };
    struct always out;
    const int rc = jl_decode_document(&decode, &always_table, &out);
    jl_arena_clear(&arena);
    return rc;
}

static void what_holds_always_holds_unchecked_too(void **state)
{
    (void)state;
    assert_int_equal(decode_unchecked("{\"y\":2,\"z\":0}"), 0);
    assert_int_equal(decode_unchecked("{\"x\":0}"), JOULIE_E_REQUIRED);
    assert_int_equal(decode_unchecked("{\"z\":2}"), JOULIE_E_RANGE);
}

static void a_list_makes_struct_bits_and_table(void **state)
{
    (void)state;
    struct point point = { 0 };
    JL_SET(&point, y, 3);
    assert_int_equal(point.has, 1 << JL_INDEX(point, y));
    assert_true(point.given.y && !point.given.x);

    const struct jl_row *row = &point_table.rows[JL_INDEX(point, x)];
    assert_string_equal(point_table.name, "point");
    assert_int_equal(point_table.count, 3);
    assert_false(point_table.is_bound);
    assert_string_equal(row->key, "x");
    assert_string_equal(row->doc, "First number.");
    assert_true(row->is.required && row->is.has_min && row->is.exclusive_min);

    struct place place;
    assert_int_equal(place_table.flags, JL_OPEN);
    assert_round_trip("{\"name\":\"a\",\"at\":{\"x\":1,\"color\":\"red\"},"
                      "\"others\":[{\"x\":2,\"y\":-5}]}",
                      &place_table, &place);
    assert_true(place.given.at && place.at.given.color && !place.at.given.y);
    assert_true(place.at.color == COLOR_RED);
}

static void bits_of_a_struct_that_is_held(void **state)
{
    (void)state;
    struct mixed mixed;
    assert_true(mixed_table.is_bound);
    assert_round_trip("{\"first\":\"a\",\"gpuMaxW\":300,\"last\":\"b\"}", &mixed_table, &mixed);
    assert_true(mixed.given.first && mixed.given.last);
    assert_int_equal(mixed.readings.has, JOULIE_TWIN_HAS_GPU_MAX);
    assert_true(mixed.readings.gpu_max_w == 300);
    assert_round_trip("{\"last\":\"b\"}", &mixed_table, &mixed);
    assert_int_equal(mixed.readings.has, 0);
    assert_required("{\"first\":\"a\",\"gpuMaxW\":1}", &mixed_table, &mixed, "last");
}

static void members_of_another_record_on_the_same_level(void **state)
{
    (void)state;
    struct labelled labelled;
    assert_round_trip("{\"name\":\"a\",\"at\":{\"x\":1},\"label\":\"b\"}", &labelled_table,
                      &labelled);
    assert_true(labelled.given.label && labelled.place.given.name && labelled.place.given.at);
    assert_int_equal(labelled.has, 1);
    assert_required("{\"label\":\"b\"}", &labelled_table, &labelled, "name");
    assert_required("{\"name\":\"b\"}", &labelled_table, &labelled, "label");
}

static void a_public_struct(void **state)
{
    (void)state;
    struct joulie_twin_input in;
    assert_round_trip("{\"cpuMaxW\":200,\"zoneTempC\":0}", &joulie_twin_input_table, &in);
    assert_int_equal(in.has, JOULIE_TWIN_HAS_CPU_MAX | JOULIE_TWIN_HAS_ZONE_TEMP);
    assert_required("{\"zoneTempC\":1}", &joulie_twin_input_table, &in, "cpuMaxW");
    assert_int_equal(in.has, JOULIE_TWIN_HAS_ZONE_TEMP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_makes_struct_bits_and_table),
        cmocka_unit_test(what_holds_always_holds_unchecked_too),
        cmocka_unit_test(bits_of_a_struct_that_is_held),
        cmocka_unit_test(members_of_another_record_on_the_same_level),
        cmocka_unit_test(a_public_struct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
