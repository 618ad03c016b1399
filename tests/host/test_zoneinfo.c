/* SPDX-License-Identifier: Apache-2.0 */

/* The tz database below a root: zones are found, and nothing else is read. */

#include <string.h>

#include "host/tree.h"
#include "host/zoneinfo.h"

#define FOLDER JL_ZONEINFO_FOLDER "/"

static int set_up(void **state)
{
    static struct tree tree;
    tree_new(&tree);
    tree_put(&tree, FOLDER "Etc/UTC", "TZif2 of Etc/UTC");
    tree_put(&tree, FOLDER "zone.tab", "#country codes\n");
    tree_put(&tree, "etc/secret", "TZif2 outside");
    *state = &tree;
    return 0;
}

static int tear_down(void **state)
{
    tree_free(*state);
    return 0;
}

static int read_zone(struct tree *tree, const char *name, struct jl_text *out)
{
    struct joulie_error err = { .struct_size = sizeof err };
    const int rc = jl_zoneinfo_read(tree->path, name, &tree->arena, out, &err);
    assert_true(rc == 0 || err.message[0] != '\0');
    assert_string_equal(err.where, "");
    return rc;
}

static void assert_none(struct tree *tree, const char *name, int code)
{
    struct jl_text bytes = { 0 };
    const int rc = read_zone(tree, name, &bytes);
    if (rc != code)
        fail_msg("\"%s\": %d, expected %d", name, rc, code);
    assert_null(bytes.ptr);
}

static void a_zone_is_found_by_name_and_by_link(void **state)
{
    struct tree *tree = *state;
    struct jl_text bytes = { 0 };
    tree_link(tree, FOLDER "UTC", "Etc/UTC");
    assert_int_equal(read_zone(tree, "Etc/UTC", &bytes), 0);
    assert_true(jl_text_is(bytes, "TZif2 of Etc/UTC"));
    assert_int_equal(read_zone(tree, "UTC", &bytes), 0);
    assert_true(jl_text_is(bytes, "TZif2 of Etc/UTC"));
}

static void no_name_leads_out_of_the_database(void **state)
{
    static const char *const names[] = {
        "",  "/",   "/etc/secret", "../../../etc/secret", "Etc/../Etc/UTC", "Etc//UTC", "Etc/UTC/",
        ".", "a b", "zone.tab",    "Etc/UTC\n",
    };
    char longest[300];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    for (size_t i = 0; i < JL_COUNT(names); i++)
        assert_none(*state, names[i], JOULIE_E_PARSE);
    assert_none(*state, longest, JOULIE_E_PARSE);
}

static void what_is_no_zone_is_not_read(void **state)
{
    struct tree *tree = *state;
    tree_put(tree, FOLDER "leapseconds", "# no zone\n");
    tree_put(tree, FOLDER "empty", "");
    tree_put(tree, FOLDER "huge", "TZif");
    tree_size(tree, FOLDER "huge", JL_ZONEINFO_FILE_BYTES + 1);
    tree_fifo(tree, FOLDER "fifo");
    tree_link(tree, FOLDER "nowhere", "Etc/Nowhere");
    assert_none(tree, "leapseconds", JOULIE_E_PARSE);
    assert_none(tree, "empty", JOULIE_E_PARSE);
    assert_none(tree, "Etc", JOULIE_E_PARSE);
    assert_none(tree, "fifo", JOULIE_E_PARSE);
    assert_none(tree, "nowhere", JOULIE_E_PARSE);
    assert_none(tree, "Mars/Base", JOULIE_E_PARSE);
    assert_none(tree, "Etc/UTC/x", JOULIE_E_PARSE);
    assert_none(tree, "huge", JOULIE_E_LIMIT);
}

static void a_system_without_the_database_has_no_zones(void **state)
{
    struct joulie_error err = { .struct_size = sizeof err };
    struct jl_text bytes;
    struct tree *tree = *state;
    assert_int_equal(jl_zoneinfo_read("/nonexistent", "Etc/UTC", &tree->arena, &bytes, &err),
                     JOULIE_E_PARSE);
    assert_non_null(strstr(err.message, "Etc/UTC"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_zone_is_found_by_name_and_by_link, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_name_leads_out_of_the_database, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_zone_is_not_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_system_without_the_database_has_no_zones, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
