/* SPDX-License-Identifier: Apache-2.0 */

/* What a JSON patch may not do; what it does is in the vectors of `patch`. */

#include <joulie/error.h>

#include "base/limits.h"
#include "schema/json_patch.h"
#include "support/test.h"

/* {"op":"copy","from":"/a","path":"/a/a/…"}, count parts. */
static struct json_object *copy_below(size_t count)
{
    struct jl_buffer path = { 0 };
    struct json_object *operation = json_object_new_object();
    for (size_t i = 0; i < count; i++)
        jl_put_string(&path, "/a");
    json_object_object_add(operation, "op", json_object_new_string("copy"));
    json_object_object_add(operation, "from", json_object_new_string("/a"));
    json_object_object_add(operation, "path", json_object_new_string(path.data));
    jl_buffer_clear(&path);
    return operation;
}

/* Each copy doubles the depth: the last one ends at the depth given. */
static int apply_copies(size_t depth)
{
    struct jl_json_patch_problem problem;
    struct json_object *target = json_tokener_parse("{\"a\":{}}");
    struct json_object *patch = json_object_new_array();
    size_t reached = 1;
    for (; 2 * reached < depth; reached *= 2)
        json_object_array_add(patch, copy_below(reached + 1));
    json_object_array_add(patch, copy_below(depth - reached));
    const int rc = jl_json_patch(&target, patch, &problem);
    json_object_put(patch);
    json_object_put(target);
    return rc;
}

static void copies_of_copies_nest_as_deep_as_a_document(void **state)
{
    (void)state;
    assert_int_equal(apply_copies(JL_LIMIT_NESTING), 0);
    assert_int_equal(apply_copies(JL_LIMIT_NESTING + 1), JOULIE_E_LIMIT);
    assert_int_equal(apply_copies(1 << 19), JOULIE_E_LIMIT);
}

static void an_item_is_put_before_others_and_behind_them(void **state)
{
    struct jl_json_patch_problem problem;
    struct json_object *target = json_tokener_parse("[1,2]");
    struct json_object *patch =
        json_tokener_parse("[{\"op\":\"add\",\"path\":\"/"
                           "0\",\"value\":0},{\"op\":\"add\",\"path\":\"/-\",\"value\":3},"
                           "{\"op\":\"move\",\"from\":\"/0\",\"path\":\"/3\"}]");
    (void)state;
    assert_int_equal(jl_json_patch(&target, patch, &problem), 0);
    assert_string_equal(json_object_to_json_string_ext(target, JSON_C_TO_STRING_PLAIN),
                        "[1,2,3,0]");
    json_object_put(patch);
    json_object_put(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_copies_nest_as_deep_as_a_document),
        cmocka_unit_test(an_item_is_put_before_others_and_behind_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
