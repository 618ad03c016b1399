/* SPDX-License-Identifier: Apache-2.0 */

/* Roots that mean harm: everything is refused with a warning that names it, nothing is followed,
 * nothing hangs, and what is good beside it is read all the same. */

#include <stdio.h>
#include <string.h>

#include "host/tree.h"

#define LINK "is a symbolic link, which is not followed"
#define NO_FILE "is no regular file"

static int set_up(void **state)
{
    static struct tree tree;
    tree_new(&tree);
    tree_intel_2s(&tree);
    *state = &tree;
    return 0;
}

static int tear_down(void **state)
{
    tree_free(*state);
    return 0;
}

static void assert_warned(struct tree *tree, const char *where, const char *message)
{
    const char *found = tree_warning(tree, where);
    if (found == NULL || strcmp(found, message) != 0)
        fail_msg("%s: %s, expected %s", where, found != NULL ? found : "no warning", message);
}

/* The two packages but for what was made bad of the first one. */
static void assert_second_package_is_whole(const struct tree *tree)
{
    const struct jl_zone *zone = tree_zone(tree, "intel-rapl:1");
    assert_non_null(zone);
    assert_string_equal(zone->name, "package-1");
    assert_int_equal(zone->constraint_count, 2);
    assert_int_equal(zone->energy_uj.value, 120000000000);
}

static void a_link_out_of_the_root_is_not_followed(void **state)
{
    struct tree *tree = *state;
    tree_remove(tree, ZONES "/intel-rapl:0");
    tree_remove(tree, CPU "/cpu0/topology");
    tree_remove(tree, "proc/meminfo");
    tree_link(tree, ZONES "/intel-rapl:0", "intel-rapl:1");
    tree_link(tree, "sys/devices/virtual/powercap/other",
              "/sys/devices/virtual/powercap/intel-rapl");
    tree_link(tree, CPU "/cpu0/topology", "/sys/devices/system/cpu/cpu0/topology");
    tree_link(tree, CPU "/cpufreq/policy4", "policy0");
    tree_link(tree, "proc/meminfo", "/proc/meminfo");
    tree_scan(tree);
    assert_warned(tree, ZONES "/intel-rapl:0", LINK);
    assert_warned(tree, "sys/devices/virtual/powercap/other", LINK);
    assert_warned(tree, CPU "/cpu0/topology/physical_package_id", LINK);
    assert_warned(tree, CPU "/cpufreq/policy4", LINK);
    assert_warned(tree, "proc/meminfo", LINK);
    assert_int_equal(tree->facts.zone_count, 2);
    assert_int_equal(tree->facts.policy_count, 4);
    assert_int_not_equal(tree->facts.memory_bytes.code, 0);
    assert_second_package_is_whole(tree);
}

static void a_link_high_up_hides_everything_below(void **state)
{
    struct tree *tree = *state;
    tree_remove(tree, "sys/devices/virtual");
    tree_link(tree, "sys/devices/virtual", "/sys/devices/virtual");
    tree_scan(tree);
    assert_warned(tree, "sys/devices/virtual/powercap", LINK);
    assert_int_equal(tree->facts.zone_count, 0);
    assert_false(tree->facts.has_powercap);
}

static void fifos_and_sockets_are_not_opened(void **state)
{
    struct tree *tree = *state;
    tree_remove(tree, ZONES "/intel-rapl:0/energy_uj");
    tree_remove(tree, ZONES "/intel-rapl:0/name");
    tree_remove(tree, "proc/cpuinfo");
    tree_fifo(tree, ZONES "/intel-rapl:0/energy_uj");
    tree_socket(tree, ZONES "/intel-rapl:0/name");
    tree_fifo(tree, "proc/cpuinfo");
    tree_fifo(tree, ZONES "/intel-rapl:5");
    tree_scan(tree);
    assert_warned(tree, ZONES "/intel-rapl:0/energy_uj", NO_FILE);
    assert_warned(tree, ZONES "/intel-rapl:0/name", NO_FILE);
    assert_warned(tree, "proc/cpuinfo", NO_FILE);
    assert_warned(tree, ZONES "/intel-rapl:5", "is no folder");
    assert_null(tree_zone(tree, "intel-rapl:0")->name);
    assert_null(tree->facts.cpu_model);
    assert_second_package_is_whole(tree);
}

static void a_folder_where_a_file_should_be_is_refused(void **state)
{
    struct tree *tree = *state;
    tree_remove(tree, ZONES "/intel-rapl:0/constraint_0_power_limit_uw");
    tree_folder(tree, ZONES "/intel-rapl:0/constraint_0_power_limit_uw");
    tree_remove(tree, "proc/sys/kernel/random/boot_id");
    tree_folder(tree, "proc/sys/kernel/random/boot_id");
    tree_put(tree, ZONES "/intel-rapl:6", "a file where a folder should be");
    tree_scan(tree);
    assert_warned(tree, ZONES "/intel-rapl:0/constraint_0_power_limit_uw", NO_FILE);
    assert_warned(tree, "proc/sys/kernel/random/boot_id", NO_FILE);
    assert_warned(tree, ZONES "/intel-rapl:6", "is no folder");
    assert_int_equal(tree_zone(tree, "intel-rapl:0")->constraints[0].limit_uw.code, JOULIE_E_IO);
    assert_second_package_is_whole(tree);
}

static void files_of_a_gibibyte_are_not_read(void **state)
{
    struct tree *tree = *state;
    static const char *const files[] = {
        ZONES "/intel-rapl:0/energy_uj",
        ZONES "/intel-rapl:0/name",
        "proc/cpuinfo",
        "proc/meminfo",
        CPU "/cpufreq/policy0/affected_cpus",
        CPU "/cpufreq/policy0/scaling_driver",
    };
    for (size_t i = 0; i < JL_COUNT(files); i++) {
        tree_remove(tree, files[i]);
        tree_size(tree, files[i], UINT64_C(1) << 30);
    }
    tree_scan(tree);
    for (size_t i = 0; i < JL_COUNT(files); i++)
        assert_warned(tree, files[i], "is larger than such a file can be");
    assert_int_equal(tree_zone(tree, "intel-rapl:0")->energy_uj.code, JOULIE_E_LIMIT);
    assert_true(tree->arena.used < 65536);
    assert_second_package_is_whole(tree);
}

static void binary_junk_is_no_number_and_no_name(void **state)
{
    struct tree *tree = *state;
    static const char junk[] = "\x7f\x45\x4c\x46\x00\xff\xfe\n";
    tree_put_bytes(tree, ZONES "/intel-rapl:0/energy_uj", junk, sizeof junk - 1);
    tree_put_bytes(tree, ZONES "/intel-rapl:0/name", junk, sizeof junk - 1);
    tree_put_bytes(tree, "proc/cpuinfo", junk, sizeof junk - 1);
    tree_put(tree, CPU "/cpufreq/policy0/scaling_governor", "power\nsave\n");
    tree_put(tree, CPU "/cpufreq/policy1/affected_cpus", "1 2 many\n");
    tree_put(tree, CPU "/cpufreq/policy2/affected_cpus", "99999999999\n");
    tree_scan(tree);
    assert_warned(tree, ZONES "/intel-rapl:0/energy_uj", "does not hold what it should");
    assert_warned(tree, ZONES "/intel-rapl:0/name", "does not hold what it should");
    assert_warned(tree, "proc/cpuinfo", "does not hold what it should");
    assert_warned(tree, CPU "/cpufreq/policy0/scaling_governor", "does not hold what it should");
    assert_warned(tree, CPU "/cpufreq/policy1/affected_cpus", "is no list of CPUs");
    assert_warned(tree, CPU "/cpufreq/policy2/affected_cpus", "is no list of CPUs");
    assert_int_equal(tree->facts.policies[1].cpu_count, 0);
    assert_second_package_is_whole(tree);
}

static void a_name_with_a_newline_is_refused_and_cannot_forge_a_line(void **state)
{
    struct tree *tree = *state;
    tree_package(tree, ZONES "/intel-rapl:2\nwarning", "package-2\n");
    tree_folder(tree, ZONES "/\x1b[2Jintel-rapl:3");
    tree_folder(tree, CPU "/cpufreq/policy\xff");
    tree_scan(tree);
    assert_warned(tree, ZONES "/intel-rapl:2\\x0awarning", "has a name with control characters");
    assert_warned(tree, ZONES "/\\x1b[2Jintel-rapl:3", "has a name with control characters");
    assert_warned(tree, CPU "/cpufreq/policy\\xff", "has a name with control characters");
    assert_int_equal(tree->facts.zone_count, 4);
    assert_int_equal(tree->facts.policy_count, 4);
}

static void a_name_that_is_almost_right_is_none(void **state)
{
    struct tree *tree = *state;
    static const char *const names[] = {
        ZONES "/intel-rapl:",
        ZONES "/intel-rapl:g",
        ZONES "/intel-rapl:2:0",
        ZONES "/power:0",
        ZONES "/intel-rapl2:0",
        CPU "/cpufreq/policy",
        CPU "/cpufreq/policy-1",
        CPU "/cpufreq/policy00",
        CPU "/cpufreq/policy65536",
        CPU "/cpu04",
        CPU "/cpuidle",
        CPU "/cpu4294967296",
    };
    for (size_t i = 0; i < JL_COUNT(names); i++)
        tree_folder(tree, names[i]);
    tree_scan(tree);
    assert_int_equal(tree->facts.zone_count, 4);
    assert_int_equal(tree->facts.policy_count, 4);
    assert_int_equal(tree->facts.cpu_count, 4);
    assert_int_equal(tree->facts.warning_count, 0);
}

static void zones_end_at_their_greatest_depth(void **state)
{
    struct tree *tree = *state;
    char path[512] = ZONES "/intel-rapl:1";
    char name[32] = "intel-rapl:1";
    for (size_t i = 0; i < 5; i++) {
        strcat(name, ":0");
        strcat(strcat(path, "/"), name);
        if (i > 0)
            tree_meter(tree, path, "core\n");
    }
    tree_scan(tree);
    assert_int_equal(tree->facts.zone_count, 6);
    assert_non_null(tree_warning(tree, ZONES
                                 "/intel-rapl:1/intel-rapl:1:0/intel-rapl:1:0:0/intel-rapl:1:0:0:0/"
                                 "intel-rapl:1:0:0:0:0"));
}

static void warnings_come_to_an_end(void **state)
{
    struct tree *tree = *state;
    for (unsigned i = 100; i < 500; i++) {
        char name[64];
        snprintf(name, sizeof name, CPU "/cpufreq/policy%u", i);
        tree_link(tree, name, "policy0");
    }
    tree_scan(tree);
    assert_int_equal(tree->facts.warning_count, 256);
    assert_string_equal(tree->facts.warnings[255].message, "more warnings are left out");
    assert_int_equal(tree->facts.zone_count, 4); /* read after them all the same */
}

static void a_folder_without_end_is_left_out(void **state)
{
    struct tree *tree = *state;
    tree_put(tree, ZONES "/endless", "");
    tree_endless(tree);
    tree_scan(tree);
    assert_warned(tree, ZONES, "has more entries than can be; it is left out");
    assert_int_equal(tree->facts.zone_count, 0);
    assert_int_equal(tree->facts.policy_count, 4);
}

int main(void)
{
#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_TREE(a_link_out_of_the_root_is_not_followed),
        IN_TREE(a_link_high_up_hides_everything_below),
        IN_TREE(fifos_and_sockets_are_not_opened),
        IN_TREE(a_folder_where_a_file_should_be_is_refused),
        IN_TREE(files_of_a_gibibyte_are_not_read),
        IN_TREE(binary_junk_is_no_number_and_no_name),
        IN_TREE(a_name_with_a_newline_is_refused_and_cannot_forge_a_line),
        IN_TREE(a_name_that_is_almost_right_is_none),
        IN_TREE(zones_end_at_their_greatest_depth),
        IN_TREE(warnings_come_to_an_end),
        IN_TREE(a_folder_without_end_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
