/* SPDX-License-Identifier: Apache-2.0 */

/* What the machinery reads of an object, and the kind it gives to one that comes without. */

#include <stddef.h>
#include <string.h>

#include "base/buffer.h"
#include "kube/meta.h"
#include "support/test.h"

static void require_typed(const char *object, const char *wanted)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer out = { 0 };
    struct jd_meta meta;
    assert_int_equal(jd_meta_read(jl_text(object), &arena, &meta), 0);
    jd_put_typed(&out, jl_text(object), &meta, "v1", "Node");
    jl_put_char(&out, '\0');
    assert_false(out.is_failed);
    assert_string_equal(out.data, wanted);
}

static void an_object_that_says_its_kind_stays_as_it_is(void **state)
{
    (void)state;
    static const char *const objects[] = {
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}",
        " { \"kind\":\"\", \"kind\":\"Pod\", \"apiVersion\":\"v2\" ,\"x\":[1 ,2] } ",
    };
    for (size_t i = 0; i < JL_COUNT(objects); i++)
        require_typed(objects[i], objects[i]);
}

static void an_item_of_a_list_gets_the_kind_of_the_list(void **state)
{
    (void)state;
    require_typed("{\"metadata\":{\"name\":\"a\"}}",
                  "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\"}}");
    require_typed("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}",
                  "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}");
}

static void an_empty_kind_is_replaced_not_repeated(void **state)
{
    (void)state;
    static const char *const objects[] = {
        "{\"apiVersion\":\"\",\"metadata\":{\"name\":\"a\"},\"x\":[1, {}]}",
        "{\"metadata\":{\"name\":\"a\"},\"kind\":\"\",\"x\":[1, {}]}",
        "{\"metadata\":{\"name\":\"a\"},\"x\":[1, {}],\"kind\":null}",
        "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"x\":[1, {}],\"kind\":\"\"}",
        " { \"kind\" : \"\" , \"metadata\":{\"name\":\"a\"}, \"apiVersion\":\"\" , \"x\":[1, {}] "
        "} ",
    };
    for (size_t i = 0; i < JL_COUNT(objects); i++)
        require_typed(objects[i], "{\"apiVersion\":\"v1\",\"kind\":\"Node\","
                                  "\"metadata\":{\"name\":\"a\"},\"x\":[1, {}]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_that_says_its_kind_stays_as_it_is),
        cmocka_unit_test(an_item_of_a_list_gets_the_kind_of_the_list),
        cmocka_unit_test(an_empty_kind_is_replaced_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
