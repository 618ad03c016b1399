/* SPDX-License-Identifier: Apache-2.0 */

/* The tz database of a folder: zones are found, and nothing else is read. */

#include <stdio.h>
#include <string.h>

#include "host/tree.h"
#include "runtime/zoneinfo.h"

#define FOLDER "zoneinfo/"

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

static bool find(struct tree *tree, const char *name, const char *content)
{
    char folder[512];
    const void *bytes = NULL;
    size_t len = 0;
    snprintf(folder, sizeof folder, "%s/" FOLDER, tree->path);
    struct jd_zoneinfo zones = { .folder = folder };
    const int rc = jd_zoneinfo_find(&zones, name, &bytes, &len);
    if (rc == 0 && content != NULL) {
        assert_int_equal(len, strlen(content));
        assert_memory_equal(bytes, content, len);
    }
    assert_true(rc == 0 || bytes == NULL);
    jd_zoneinfo_clear(&zones);
    return rc == 0;
}

static void assert_none(struct tree *tree, const char *name)
{
    if (find(tree, name, NULL))
        fail_msg("\"%s\" is a zone", name);
}

static void a_zone_is_found_by_name_and_by_link(void **state)
{
    struct tree *tree = *state;
    tree_link(tree, FOLDER "UTC", "Etc/UTC");
    assert_true(find(tree, "Etc/UTC", "TZif2 of Etc/UTC"));
    assert_true(find(tree, "UTC", "TZif2 of Etc/UTC"));
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
        assert_none(*state, names[i]);
    assert_none(*state, longest);
}

static void what_is_no_zone_is_not_read(void **state)
{
    struct tree *tree = *state;
    tree_put(tree, FOLDER "leapseconds", "# no zone\n");
    tree_put(tree, FOLDER "empty", "");
    tree_put(tree, FOLDER "huge", "TZif");
    tree_size(tree, FOLDER "huge", JD_ZONEINFO_FILE_BYTES + 1);
    tree_fifo(tree, FOLDER "fifo");
    tree_link(tree, FOLDER "nowhere", "Etc/Nowhere");
    assert_none(tree, "leapseconds");
    assert_none(tree, "empty");
    assert_none(tree, "Etc");
    assert_none(tree, "fifo");
    assert_none(tree, "nowhere");
    assert_none(tree, "Mars/Base");
    assert_none(tree, "Etc/UTC/x");
    assert_none(tree, "huge");
}

static void a_system_without_the_database_has_no_zones(void **state)
{
    struct jd_zoneinfo zones = { .folder = "/nonexistent" };
    const void *bytes = NULL;
    size_t len = 0;
    (void)state;
    assert_int_equal(jd_zoneinfo_find(&zones, "Etc/UTC", &bytes, &len), -1);
    assert_null(bytes);
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
