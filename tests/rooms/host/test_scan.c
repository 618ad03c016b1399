/* SPDX-License-Identifier: Apache-2.0 */

/* What a scan finds on machines of tests/support/fixtures. */

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "host/tree.h"

static int set_up(void **state)
{
    static struct tree tree;
    tree_new(&tree);
    *state = &tree;
    return 0;
}

static int tear_down(void **state)
{
    tree_free(*state);
    return 0;
}

static void assert_fact(struct jl_fact fact, uint64_t expected)
{
    assert_int_equal(fact.code, 0);
    assert_int_equal(fact.value, expected);
}

static void a_machine_of_two_sockets_is_read_whole(void **state)
{
    struct tree *tree = *state;
    tree_intel_2s(tree);
    tree_scan(tree);
    const struct jl_host_facts *facts = &tree->facts;
    assert_int_equal(facts->warning_count, 0);
    assert_string_equal(facts->boot_id, "3a1c9b52-0a0e-4a2f-9d9e-5f2f6f0f1a2b");
    assert_string_equal(facts->cpu_vendor, "GenuineIntel");
    assert_string_equal(facts->cpu_model, "Intel(R) Xeon(R) Gold 6530");
    assert_fact(facts->cpu_family, 6);
    assert_false(facts->is_virtual);
    assert_int_equal(facts->cpuinfo_cpus, 2);
    assert_int_equal(facts->cpuinfo_packages, 2);
    assert_int_equal(facts->cpuinfo_cores, 2);
    assert_fact(facts->memory_bytes, 131072 * 1024);
    assert_int_equal(facts->numa_count, 1);
    assert_string_equal(facts->numa_nodes[0].cpulist, "0-3");
    assert_fact(facts->numa_nodes[0].memory_bytes, 131072 * 1024);
    assert_true(facts->has_powercap);
    assert_int_equal(facts->control_types, 1);
    assert_int_equal(facts->zone_count, 4);
    assert_int_equal(facts->policy_count, 4);
    assert_int_equal(facts->cpu_count, 4);
    assert_false(facts->has_pci);
}

static void zones_come_with_their_limits_parents_first(void **state)
{
    struct tree *tree = *state;
    tree_intel_2s(tree);
    tree_scan(tree);
    const struct jl_zone *zones = tree->facts.zones;
    assert_string_equal(zones[0].path, ZONES "/intel-rapl:0");
    assert_string_equal(zones[0].dir, "intel-rapl:0");
    assert_string_equal(zones[0].control_type, "intel-rapl");
    assert_string_equal(zones[0].name, "package-0");
    assert_true(zones[0].parent == SIZE_MAX);
    assert_fact(zones[0].enabled, 1);
    assert_fact(zones[0].energy_uj, 120000000000);
    assert_fact(zones[0].max_energy_range_uj, 262143328850);
    assert_int_equal(zones[0].constraint_count, 2);
    assert_string_equal(zones[0].constraints[0].name, "long_term");
    assert_fact(zones[0].constraints[0].limit_uw, 205000000);
    assert_fact(zones[0].constraints[0].time_window_us, 999424);
    assert_int_equal(zones[0].constraints[1].number, 1);
    assert_fact(zones[0].constraints[1].max_power_uw, 0);
    assert_string_equal(zones[1].name, "dram");
    assert_int_equal(zones[1].parent, 0);
    assert_int_equal(zones[1].constraint_count, 0);
    assert_string_equal(zones[2].name, "package-1");
    assert_int_equal(zones[3].parent, 2);
}

static void zones_are_found_by_hexadecimal_numbers_and_in_every_control_type(void **state)
{
    struct tree *tree = *state;
    for (unsigned i = 0; i < 12; i++) {
        char folder[128];
        char name[32];
        snprintf(folder, sizeof folder, ZONES "/intel-rapl:%x", i);
        snprintf(name, sizeof name, "package-%u\n", i);
        tree_package(tree, folder, name);
    }
    tree_package(tree, "sys/devices/virtual/powercap/intel-rapl-mmio/intel-rapl-mmio:0",
                 "package-0\n");
    tree_package(tree, "sys/devices/virtual/powercap/dtpm/dtpm:0", "dtpm\n");
    tree_scan(tree);
    assert_int_equal(tree->facts.control_types, 3);
    assert_int_equal(tree->facts.zone_count, 14);
    assert_string_equal(tree_zone(tree, "intel-rapl:b")->name, "package-11");
    assert_string_equal(tree_zone(tree, "intel-rapl-mmio:0")->control_type, "intel-rapl-mmio");
    assert_string_equal(tree->facts.zones[0].control_type, "dtpm");
}

static void a_meter_without_limits_has_none(void **state)
{
    struct tree *tree = *state;
    tree_meter(tree, ZONES "/intel-rapl:0", "package-0\n");
    tree_meter(tree, ZONES "/intel-rapl:0/intel-rapl:0:0", "core\n");
    tree_scan(tree);
    assert_int_equal(tree->facts.zone_count, 2);
    assert_int_equal(tree->facts.zones[0].constraint_count, 0);
    assert_fact(tree->facts.zones[0].enabled, 0);
}

static void a_constraint_whose_driver_has_no_value_is_no_data(void **state)
{
    struct tree *tree = *state;
    tree_package(tree, ZONES "/intel-rapl:0", "psys\n");
    tree_put(tree, ZONES "/intel-rapl:0/constraint_0_max_power_uw", ""); /* ENODATA */
    tree_remove(tree, ZONES "/intel-rapl:0/constraint_1_max_power_uw");
    tree_scan(tree);
    const struct jl_zone *zone = tree_zone(tree, "intel-rapl:0");
    assert_int_equal(zone->constraints[0].max_power_uw.code, JOULIE_E_IO);
    assert_int_equal(zone->constraints[0].max_power_uw.sys_errno, ENODATA);
    assert_int_equal(zone->constraints[1].max_power_uw.code, JOULIE_E_UNSUPPORTED);
    assert_int_equal(tree->facts.warning_count, 0);
}

static void energy_that_only_root_may_read_is_reported(void **state)
{
    struct tree *tree = *state;
    tree_package(tree, ZONES "/intel-rapl:0", "package-0\n");
    tree_refuse(tree, "energy_uj", EACCES);
    tree_scan(tree);
    assert_int_equal(tree->facts.zones[0].energy_uj.sys_errno, EACCES);
    assert_string_equal(tree_warning(tree, ZONES "/intel-rapl:0/energy_uj"), "Permission denied");
}

static void policies_are_ordered_by_number_and_links_to_them_are_not_counted(void **state)
{
    struct tree *tree = *state;
    static const unsigned numbers[] = { 0, 2, 10 };
    for (size_t i = 0; i < JL_COUNT(numbers); i++)
        tree_policy(tree, numbers[i], "acpi-cpufreq\n");
    tree_put(tree, CPU "/cpufreq/policy2/affected_cpus", "2 3 4 \n");
    tree_link(tree, CPU "/cpu2/cpufreq", "../cpufreq/policy2");
    tree_put(tree, CPU "/cpufreq/boost", "1\n");
    tree_put(tree, CPU "/cpufreq/policy02/scaling_driver", "twice\n");
    tree_scan(tree);
    assert_int_equal(tree->facts.policy_count, 3);
    const struct jl_cpufreq_policy *policy = &tree->facts.policies[1];
    assert_int_equal(policy->number, 2);
    assert_string_equal(policy->path, CPU "/cpufreq/policy2");
    assert_string_equal(policy->driver, "acpi-cpufreq");
    assert_string_equal(policy->governor, "powersave");
    assert_int_equal(policy->cpu_count, 3);
    assert_int_equal(policy->cpus[2], 4);
    assert_fact(policy->cpuinfo_min_khz, 800000);
    assert_fact(policy->scaling_max_khz, 3500000);
    assert_fact(policy->base_khz, 2100000);
    assert_int_equal(policy->lowest_nonlinear_khz.code, JOULIE_E_UNSUPPORTED);
    assert_int_equal(tree->facts.policies[2].number, 10);
}

static void a_cpu_that_is_off_is_known_and_off(void **state)
{
    struct tree *tree = *state;
    for (unsigned i = 0; i < 12; i++)
        tree_cpu(tree, i, 0, 0, i);
    tree_remove(tree, CPU "/cpu3/topology");
    tree_put(tree, CPU "/cpu3/online", "0\n");
    tree_put(tree, CPU "/cpu4/online", "1\n");
    tree_put(tree, CPU "/cpu5/topology/physical_package_id", "-1\n");
    tree_scan(tree);
    const struct jl_cpu *cpus = tree->facts.cpus;
    assert_int_equal(tree->facts.cpu_count, 12);
    assert_int_equal(cpus[11].number, 11);
    assert_true(cpus[0].is_online && cpus[4].is_online);
    assert_false(cpus[3].is_online);
    assert_int_equal(cpus[3].package.code, JOULIE_E_UNSUPPORTED);
    assert_int_equal(cpus[5].package.code, JOULIE_E_RANGE);
    assert_fact(cpus[11].core, 11);
    assert_int_equal(tree->facts.warning_count, 0);
}

static void cores_are_counted_once_for_all_their_threads(void **state)
{
    struct tree *tree = *state;
    tree_put(tree, "proc/cpuinfo",
             "processor\t: 0\nphysical id\t: 0\ncore id\t\t: 0\nmodel name\t: A\n\n"
             "processor\t: 1\nphysical id\t: 0\ncore id\t\t: 1\n\n"
             "processor\t: 2\nphysical id\t: 1\ncore id\t\t: 0\n\n"
             "processor\t: 3\nphysical id\t: 0\ncore id\t\t: 0\nmodel name\t: B\n");
    tree_scan(tree);
    assert_int_equal(tree->facts.cpuinfo_cpus, 4);
    assert_int_equal(tree->facts.cpuinfo_packages, 2);
    assert_int_equal(tree->facts.cpuinfo_cores, 3);
    assert_string_equal(tree->facts.cpu_model, "B"); /* the last line */
    assert_null(tree->facts.cpu_vendor);
    assert_int_equal(tree->facts.cpu_family.code, JOULIE_E_UNSUPPORTED);
}

static void a_hypervisor_is_a_flag_of_its_own(void **state)
{
    struct tree *tree = *state;
    tree_put(tree, "proc/cpuinfo", "processor : 0\nflags : fpu hypervisors vme\n");
    tree_scan(tree);
    assert_false(tree->facts.is_virtual);
    tree_put(tree, "proc/cpuinfo", "processor : 0\nflags : fpu hypervisor\n");
    tree_scan(tree);
    assert_true(tree->facts.is_virtual);
}

static void an_arm_machine_has_processors_and_no_packages(void **state)
{
    struct tree *tree = *state;
    tree_put(tree, "proc/cpuinfo",
             "processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\n\n"
             "processor\t: 1\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\n\n");
    tree_scan(tree);
    assert_int_equal(tree->facts.cpuinfo_cpus, 2);
    assert_int_equal(tree->facts.cpuinfo_packages, 0);
    assert_null(tree->facts.cpu_model);
}

static void put_function(struct tree *tree, const char *path, const char *class_id,
                         const char *vendor, const char *numa)
{
    tree_putf(tree, class_id, "sys/devices/%s/class", path);
    tree_putf(tree, vendor, "sys/devices/%s/vendor", path);
    tree_putf(tree, "0x2330\n", "sys/devices/%s/device", path);
    tree_putf(tree, numa, "sys/devices/%s/numa_node", path);
}

static void display_controllers_are_found_behind_bridges(void **state)
{
    struct tree *tree = *state;
    static const char bridge[] = "pci0000:3a/0000:3a:00.0";
    static const char card[] = "pci0000:3a/0000:3a:00.0/0000:3b:00.0";
    static const char shared[] = "pci0000:3a/0000:3a:00.0/0000:3b:00.1";
    static const char behind_vmd[] = "pci0000:64/0000:64:00.5/pci10000:00/10000:01:00.0";
    put_function(tree, bridge, "0x060400\n", "0x8086\n", "0\n");
    put_function(tree, card, "0x030200\n", "0x10de\n", "1\n");
    put_function(tree, shared, "0x030200\n", "0x10de\n", "1\n");
    tree_link(tree, "sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.1/physfn", "../0000:3b:00.0");
    put_function(tree, behind_vmd, "0x030000\n", "0x1002\n", "-1\n");
    put_function(tree, "pci0000:00/0000:00:01.0", "0x020000\n", "0x8086\n", "0\n");
    tree_scan(tree);
    const struct jl_host_facts *facts = &tree->facts;
    assert_true(facts->has_pci);
    assert_int_equal(facts->gpu_count, 2);
    assert_string_equal(facts->gpus[0].address, "0000:3b:00.0");
    assert_int_equal(facts->gpus[0].vendor_id, 0x10de);
    assert_int_equal(facts->gpus[0].device_id, 0x2330);
    assert_int_equal(facts->gpus[0].class_id, 0x030200);
    assert_fact(facts->gpus[0].numa_node, 1);
    assert_string_equal(facts->gpus[1].address, "10000:01:00.0");
    assert_int_equal(facts->gpus[1].numa_node.code, JOULIE_E_RANGE);
    assert_int_equal(facts->warning_count, 0);
}

static void an_empty_root_is_a_machine_of_which_nothing_is_known(void **state)
{
    struct tree *tree = *state;
    tree_scan(tree);
    assert_null(tree->facts.boot_id);
    assert_null(tree->facts.cpu_model);
    assert_false(tree->facts.has_powercap);
    assert_int_equal(tree->facts.zone_count + tree->facts.cpu_count + tree->facts.policy_count, 0);
    assert_int_equal(tree->facts.memory_bytes.code, JOULIE_E_UNSUPPORTED);
    assert_int_equal(tree->facts.warning_count, 0);
}

static void an_empty_powercap_folder_is_distinguished_from_none(void **state)
{
    struct tree *tree = *state;
    tree_folder(tree, "sys/devices/virtual/powercap");
    tree_scan(tree);
    assert_true(tree->facts.has_powercap);
    assert_int_equal(tree->facts.control_types, 0);
    tree_folder(tree, ZONES);
    tree_scan(tree);
    assert_int_equal(tree->facts.control_types, 1);
    assert_int_equal(tree->facts.zone_count, 0);
}

static void zones_that_came_back_under_another_number_are_found_again(void **state)
{
    struct tree *tree = *state;
    tree_intel_2s(tree);
    tree_link(tree, ZONES "/intel-rapl:7", "intel-rapl:0");
    tree_link(tree, CPU "/cpufreq/policy9", "policy0");
    tree_scan(tree);
    assert_int_equal(tree->facts.warning_count, 2);
    tree_remove(tree, ZONES "/intel-rapl:1");
    tree_package(tree, ZONES "/intel-rapl:2", "package-1\n");
    tree_scan(tree);
    assert_int_equal(tree->facts.zone_count, 3);
    assert_string_equal(tree_zone(tree, "intel-rapl:2")->name, "package-1");
    assert_null(tree_zone(tree, "intel-rapl:1"));
    assert_int_equal(tree->facts.policy_count, 4);
    assert_int_equal(tree->facts.warning_count, 2); /* reported again, not twice */
    tree_remove(tree, CPU "/cpufreq");
    tree_scan(tree);
    assert_int_equal(tree->facts.policy_count, 0);
    assert_int_equal(tree->facts.zone_count, 3);
    assert_int_equal(tree->facts.warning_count, 1);
}

static void a_scan_leaves_no_descriptor_open(void **state)
{
    struct tree *tree = *state;
    tree_intel_2s(tree);
    const int before = dup(tree->root.fd);
    close(before);
    tree_scan(tree);
    const int after = dup(tree->root.fd);
    close(after);
    assert_int_equal(after, before);
}

static void a_boot_id_can_be_part_of_a_file_name(void **state)
{
    struct tree *tree = *state;
    static const char file[] = "proc/sys/kernel/random/boot_id";
    tree_put(tree, file, "3a1c9b52-0a0e-4a2f-9d9e-5f2f6f0f1a2b\n");
    tree_scan(tree);
    assert_string_equal(tree->facts.boot_id, "3a1c9b52-0a0e-4a2f-9d9e-5f2f6f0f1a2b");
    tree_put(tree, file, "../../etc/passwd\n");
    tree_scan(tree);
    assert_null(tree->facts.boot_id);
    tree_put(tree, file, "\n");
    tree_scan(tree);
    assert_null(tree->facts.boot_id);
}

int main(void)
{
#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_TREE(a_machine_of_two_sockets_is_read_whole),
        IN_TREE(zones_come_with_their_limits_parents_first),
        IN_TREE(zones_are_found_by_hexadecimal_numbers_and_in_every_control_type),
        IN_TREE(a_meter_without_limits_has_none),
        IN_TREE(a_constraint_whose_driver_has_no_value_is_no_data),
        IN_TREE(energy_that_only_root_may_read_is_reported),
        IN_TREE(policies_are_ordered_by_number_and_links_to_them_are_not_counted),
        IN_TREE(a_cpu_that_is_off_is_known_and_off),
        IN_TREE(cores_are_counted_once_for_all_their_threads),
        IN_TREE(a_hypervisor_is_a_flag_of_its_own),
        IN_TREE(an_arm_machine_has_processors_and_no_packages),
        IN_TREE(display_controllers_are_found_behind_bridges),
        IN_TREE(an_empty_root_is_a_machine_of_which_nothing_is_known),
        IN_TREE(an_empty_powercap_folder_is_distinguished_from_none),
        IN_TREE(zones_that_came_back_under_another_number_are_found_again),
        IN_TREE(a_scan_leaves_no_descriptor_open),
        IN_TREE(a_boot_id_can_be_part_of_a_file_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
