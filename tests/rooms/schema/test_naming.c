/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kinds/naming.h"
#include "support/test.h"

static int setup(void **state)
{
    static struct jl_arena arena;
    *state = &arena;
    return 0;
}

static int teardown(void **state)
{
    jl_arena_clear(*state);
    return 0;
}

/* The object name in question belongs to the node given as user. */
static const char *held_by(const void *user, const char *object_name)
{
    (void)object_name;
    return user;
}

static void one_character_becomes_one_dash(void **state)
{
    assert_string_equal(jl_sanitize_operator(*state, "r\xc3\xa4"
                                                     "ck__1"),
                        "r-ck--1");
    assert_string_equal(jl_sanitize_operator(*state, "--A.--"), "a");
    assert_string_equal(jl_sanitize_operator(*state, "..."), "");
}

static void a_name_that_is_free_or_our_own_is_taken_as_it_is(void **state)
{
    assert_string_equal(jl_object_name(*state, "a.b", NULL, NULL), "a-b");
    assert_string_equal(jl_object_name(*state, "a.b", held_by, NULL), "a-b");
    assert_string_equal(jl_object_name(*state, "a.b", held_by, "a.b"), "a-b");
}

static void the_node_with_the_plain_name_owns_it(void **state)
{
    assert_string_equal(jl_object_name(*state, "a-b", held_by, "a.b"), "a-b");
    assert_string_equal(jl_object_name(*state, "a.b", held_by, "a-b"),
                        "a-b-108bf50c"); /* FNV-1a-32 of "a.b" */
}

static void a_profile_name_is_cut_only_above_253_bytes(void **state)
{
    char name[JL_NAME_MAX + 1] = "";
    memset(name, 'x', JL_NAME_MAX - strlen("pod-"));
    assert_int_equal(strlen(jl_profile_name(*state, "Pod", "ns", name)), JL_NAME_MAX);
    assert_null(strchr(jl_profile_name(*state, "Pod", "ns", name) + strlen("pod-"), '-'));
    name[strlen(name)] = 'x';
    const char *cut = jl_profile_name(*state, "Pod", "ns", name);
    assert_int_equal(strlen(cut), JL_NAME_MAX);
    assert_int_equal(cut[244], '-');
    assert_string_not_equal(cut, jl_profile_name(*state, "Pod", "other", name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_character_becomes_one_dash),
        cmocka_unit_test(a_name_that_is_free_or_our_own_is_taken_as_it_is),
        cmocka_unit_test(the_node_with_the_plain_name_owns_it),
        cmocka_unit_test(a_profile_name_is_cut_only_above_253_bytes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
