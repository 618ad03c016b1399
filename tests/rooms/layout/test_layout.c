/* SPDX-License-Identifier: Apache-2.0 */

/* The library's own account of its headers (joulie/layout.h) against the compiler's. */

#include <json-c/json.h>
#include <string.h>

#include <joulie/layout.h>
#include <joulie/twin.h>

#include "support/test.h"

static struct json_object *layout(void)
{
    char *json = NULL;
    assert_int_equal(joulie_layout(&json, NULL), 0);
    struct json_object *root = json_tokener_parse(json);
    joulie_free(json);
    assert_non_null(root);
    return root;
}

static const char *name_of(struct json_object *item)
{
    return json_object_get_string(json_object_object_get(item, "name"));
}

static struct json_object *find(struct json_object *list, const char *name)
{
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        struct json_object *item = json_object_array_get_idx(list, i);
        if (strcmp(name_of(item), name) == 0)
            return item;
    }
    fail_msg("there is no %s", name);
    return NULL;
}

/* Every list is sorted by name, each name once and none empty: there is no item too many. */
static void every_list_is_sorted(void **state)
{
    static const char *const lists[] = { "structs", "handles",   "enums",    "constants",
                                         "texts",   "callbacks", "functions" };
    struct json_object *root = layout();
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct json_object *list = json_object_object_get(root, lists[i]);
        const size_t count = json_object_array_length(list);
        assert_true(count > 0);
        for (size_t k = 0; k < count; k++) {
            const char *name = name_of(json_object_array_get_idx(list, k));
            assert_true(name != NULL && name[0] != '\0');
            if (k > 0)
                assert_true(strcmp(name_of(json_object_array_get_idx(list, k - 1)), name) < 0);
        }
    }
    json_object_put(root);
}

static void a_struct_is_as_the_compiler_has_it(void **state)
{
    struct json_object *root = layout();
    struct json_object *input = find(json_object_object_get(root, "structs"), "joulie_twin_input");
    struct json_object *power =
        find(json_object_object_get(input, "members"), "measured_node_power_w");
    (void)state;
    assert_int_equal(json_object_get_int(json_object_object_get(input, "size")),
                     sizeof(struct joulie_twin_input));
    assert_int_equal(json_object_get_int(json_object_object_get(power, "offset")),
                     offsetof(struct joulie_twin_input, measured_node_power_w));
    (void)find(json_object_object_get(root, "handles"), "joulie_cluster");
    (void)find(json_object_object_get(root, "functions"), "joulie_twin_predict");
    json_object_put(root);
}

static void an_enum_has_all_its_values(void **state)
{
    static const int values[] = { JOULIE_WORKLOAD_UNKNOWN, JOULIE_WORKLOAD_PERFORMANCE,
                                  JOULIE_WORKLOAD_STANDARD, JOULIE_WORKLOAD_OTHER };
    static const char *const names[] = { "JOULIE_WORKLOAD_UNKNOWN", "JOULIE_WORKLOAD_PERFORMANCE",
                                         "JOULIE_WORKLOAD_STANDARD", "JOULIE_WORKLOAD_OTHER" };
    struct json_object *root = layout();
    struct json_object *type = find(json_object_object_get(root, "enums"), "joulie_workload_class");
    struct json_object *list = json_object_object_get(type, "values");
    (void)state;
    assert_int_equal(json_object_array_length(list), 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(json_object_get_int(json_object_object_get(find(list, names[i]), "value")),
                         values[i]);
    json_object_put(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_list_is_sorted),
        cmocka_unit_test(a_struct_is_as_the_compiler_has_it),
        cmocka_unit_test(an_enum_has_all_its_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
