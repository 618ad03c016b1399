/* SPDX-License-Identifier: Apache-2.0 */

/* From a machine to NodeHardware.status (docs/rules/node-agent.md#hardware-of-a-host). */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/tree.h"
#include "node/hardware.h"
#include "schema/row.h"

struct machine {
    struct tree tree;
    struct jl_hardware_status status;
};

static int set_up(void **state)
{
    static struct machine machine;
    memset(&machine, 0, sizeof machine);
    tree_new(&machine.tree);
    *state = &machine;
    return 0;
}

static int tear_down(void **state)
{
    struct machine *machine = *state;
    tree_free(&machine->tree);
    return 0;
}

static void look(struct machine *machine)
{
    tree_scan(&machine->tree);
    assert_int_equal(
        jl_node_hardware_status(&machine->tree.facts, &machine->tree.arena, &machine->status), 0);
}

static const struct jl_cpu_package *package_of(const struct machine *machine, size_t at)
{
    assert_true(at < machine->status.cpu.packages.count);
    return (const struct jl_cpu_package *)machine->status.cpu.packages.items + at;
}

static bool has_text(const struct jl_list *list, const char *text)
{
    const char *const *items = list->items;
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(items[i], text) == 0)
            return true;
    }
    return false;
}

static void put_cpuinfo(struct tree *tree, const char *vendor, const char *model, const char *flags)
{
    char text[256];
    snprintf(text, sizeof text,
             "processor\t: 0\nvendor_id\t: %s\nmodel name\t: %s\nflags\t\t: %s\n", vendor, model,
             flags);
    tree_put(tree, "proc/cpuinfo", text);
}

/* ---- packages ---- */

static void a_server_of_two_sockets_is_described_in_full(void **state)
{
    struct machine *machine = *state;
    tree_intel_2s(&machine->tree);
    look(machine);
    const struct jl_hw_cpu *cpu = &machine->status.cpu;
    assert_string_equal(cpu->raw_model, "Intel(R) Xeon(R) Gold 6530");
    assert_string_equal(cpu->model, "INTEL_XEON_GOLD_6530");
    assert_string_equal(cpu->vendor, "GenuineIntel");
    assert_string_equal(cpu->driver_family, "intel_pstate");
    assert_int_equal(cpu->sockets, 2);
    assert_int_equal(cpu->total_cores, 4);
    assert_int_equal(cpu->logical_cpus, 4);
    assert_int_equal(cpu->physical_cores, 4);
    assert_int_equal(cpu->cores_per_socket, 2);
    assert_string_equal(cpu->cap_range.type, "package");
    assert_near(cpu->cap_range.max_w, 205, 0);
    assert_false(cpu->cap_range.given.min_w); /* the kernel gives none */
    assert_near(cpu->landmarks.min_freq_mhz, 800, 0);
    assert_near(cpu->landmarks.nominal_freq_mhz, 2100, 0);
    assert_near(cpu->landmarks.max_boost_mhz, 3500, 0);
    assert_false(cpu->landmarks.given.lowest_nonlinear_freq_mhz);
    assert_true(cpu->control_available && cpu->telemetry_available);
    assert_false(cpu->given.warnings);
    assert_int_equal(machine->status.memory.total_bytes, 131072 * 1024);
    assert_string_equal(machine->status.resolution.catalog_key.cpu, "INTEL_XEON_GOLD_6530");
    assert_string_equal(machine->status.resolution.exactness.cpu, "exact");
    assert_string_equal(machine->status.quality.overall, "exact");
    assert_false(machine->status.quality.given.warnings);
    assert_true(machine->status.capabilities.cpu_control);
    assert_false(machine->status.capabilities.gpu_control);
    assert_false(machine->status.given.updated_at);
    assert_false(machine->status.given.network);
}

static void each_package_has_its_zone_and_watts(void **state)
{
    struct machine *machine = *state;
    tree_intel_2s(&machine->tree);
    tree_put(&machine->tree, ZONES "/intel-rapl:1/constraint_0_max_power_uw", "225000000\n");
    tree_put(&machine->tree, ZONES "/intel-rapl:1/constraint_0_power_limit_uw", "150000000\n");
    look(machine);
    const struct jl_cpu_package *package = package_of(machine, 1);
    assert_int_equal(machine->status.cpu.packages.count, 2);
    assert_int_equal(package->index, 1);
    assert_string_equal(package->zone, ZONES "/intel-rapl:1");
    assert_int_equal(package->dies, 1);
    const uint64_t bits[] = { package->given.index,       package->given.zone,
                              package->given.dies,        package->given.max_w,
                              package->given.default_w,   package->given.power_unit_w,
                              package->given.controllable };
    for (size_t i = 0; i < JL_COUNT(bits); i++)
        assert_true(bits[i]);
    assert_near(package->max_w, 225, 0);
    assert_near(package->default_w, 150, 0);
    assert_near(package->power_unit_w, 0.125, 0);
    assert_true(package->controllable);
    assert_true(package->given.locked);
    assert_false(package->locked);
    assert_false(package->given.min_w);
    assert_near(machine->status.cpu.cap_range.max_w, 205, 0); /* the smallest of packages only */
}

static void packages_are_known_by_name_not_by_folder(void **state)
{
    struct machine *machine = *state;
    tree_package(&machine->tree, ZONES "/intel-rapl:0", "package-1\n");
    tree_package(&machine->tree, ZONES "/intel-rapl:1", "psys\n");
    tree_package(&machine->tree, ZONES "/intel-rapl:2", "package-0\n");
    look(machine);
    assert_int_equal(machine->status.cpu.packages.count, 2);
    assert_int_equal(package_of(machine, 0)->index, 0);
    assert_string_equal(package_of(machine, 0)->zone, ZONES "/intel-rapl:2");
    assert_string_equal(package_of(machine, 1)->zone, ZONES "/intel-rapl:0");
    assert_int_equal(machine->status.cpu.sockets, 2);
}

static void two_dies_are_one_package_with_the_sum_of_their_watts(void **state)
{
    struct machine *machine = *state;
    tree_package(&machine->tree, ZONES "/intel-rapl:0", "package-0-die-1\n");
    tree_package(&machine->tree, ZONES "/intel-rapl:1", "package-0-die-0\n");
    for (unsigned i = 0; i < 4; i++)
        tree_cpu(&machine->tree, i, 0, i / 2, i % 2);
    look(machine);
    const struct jl_cpu_package *package = package_of(machine, 0);
    assert_int_equal(machine->status.cpu.packages.count, 1);
    assert_int_equal(machine->status.cpu.sockets, 1);
    assert_int_equal(machine->status.cpu.physical_cores, 4); /* core ids repeat on each die */
    assert_int_equal(package->dies, 2);
    assert_string_equal(package->zone, ZONES "/intel-rapl:1");
    assert_near(package->max_w, 410, 0);
    assert_near(package->default_w, 410, 0);
    assert_near(machine->status.cpu.cap_range.max_w, 410, 0);
    assert_true(package->controllable);
}

static void threads_share_a_core(void **state)
{
    struct machine *machine = *state;
    for (unsigned i = 0; i < 8; i++)
        tree_cpu(&machine->tree, i, (i / 2) % 2, 0, i % 2);
    tree_put(&machine->tree, CPU "/cpu7/online", "0\n");
    look(machine);
    assert_int_equal(machine->status.cpu.total_cores, 7);
    assert_int_equal(machine->status.cpu.sockets, 2);
    assert_int_equal(machine->status.cpu.physical_cores, 4);
    assert_int_equal(machine->status.cpu.cores_per_socket, 3);
}

static void the_mmio_twin_is_not_a_second_package(void **state)
{
    struct machine *machine = *state;
    tree_package(&machine->tree, ZONES "/intel-rapl:0", "package-0\n");
    tree_package(&machine->tree, "sys/devices/virtual/powercap/intel-rapl-mmio/intel-rapl-mmio:0",
                 "package-0\n");
    look(machine);
    assert_int_equal(machine->status.cpu.packages.count, 1);
    assert_near(package_of(machine, 0)->max_w, 205, 0);
    assert_string_equal(package_of(machine, 0)->zone, ZONES "/intel-rapl:0");
}

static void a_maximum_that_nobody_believes_gives_way_to_the_limit(void **state)
{
    static const struct {
        const char *max;
        const char *limit;
        double expected_w; /* 0 = unknown */
    } rows[] = {
        { "0\n", "205000000\n", 205 },    { "4999999\n", "28000000\n", 28 },
        { "5000000\n", "28000000\n", 5 }, { "2000000001\n", "205000000\n", 205 },
        { "", "205000000\n", 205 },       { "0\n", "0\n", 0 },
    };
    struct machine *machine = *state;
    tree_package(&machine->tree, ZONES "/intel-rapl:0", "package-0\n");
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        tree_put(&machine->tree, ZONES "/intel-rapl:0/constraint_0_max_power_uw", rows[i].max);
        tree_put(&machine->tree, ZONES "/intel-rapl:0/constraint_0_power_limit_uw", rows[i].limit);
        look(machine);
        const struct jl_cpu_package *package = package_of(machine, 0);
        assert_int_equal(package->given.max_w, rows[i].expected_w > 0);
        assert_near(package->max_w, rows[i].expected_w, 0);
        assert_int_equal(package->controllable, rows[i].expected_w > 0);
    }
    assert_true(has_text(&machine->status.cpu.warnings,
                         "power of package 0 cannot be limited: its limit reads 0"));
}

static void another_power_unit_is_not_guessed(void **state)
{
    struct machine *machine = *state;
    tree_package(&machine->tree, ZONES "/intel-rapl:0", "package-0\n");
    tree_put(&machine->tree, ZONES "/intel-rapl:0/constraint_0_power_limit_uw", "10031250\n");
    look(machine);
    assert_false(package_of(machine, 0)->given.power_unit_w);
}

static void a_limit_that_is_switched_off_may_be_locked(void **state)
{
    struct machine *machine = *state;
    tree_package(&machine->tree, ZONES "/intel-rapl:0", "package-0\n");
    tree_put(&machine->tree, ZONES "/intel-rapl:0/enabled", "0\n");
    look(machine);
    assert_false(package_of(machine, 0)->given.locked);
    assert_true(package_of(machine, 0)->controllable);
    assert_true(has_text(&machine->status.cpu.warnings,
                         "the limit of package 0 is switched off, or locked by the firmware"));
}

static void an_unreadable_limit_is_not_controllable(void **state)
{
    struct machine *machine = *state;
    tree_package(&machine->tree, ZONES "/intel-rapl:0", "package-0\n");
    tree_put(&machine->tree, ZONES "/intel-rapl:0/constraint_0_power_limit_uw", "");
    look(machine);
    assert_false(package_of(machine, 0)->controllable);
    assert_false(machine->status.cpu.control_available);
    assert_false(package_of(machine, 0)->given.default_w);
    assert_true(has_text(&machine->status.cpu.warnings,
                         "power of package 0 cannot be limited: its limit cannot be read"));
}

static void an_amd_server_is_measured_and_scaled_not_capped(void **state)
{
    struct machine *machine = *state;
    tree_meter(&machine->tree, ZONES "/intel-rapl:0", "package-0\n");
    tree_meter(&machine->tree, ZONES "/intel-rapl:0/intel-rapl:0:0", "core\n");
    tree_meter(&machine->tree, ZONES "/intel-rapl:1", "package-1\n");
    tree_policy(&machine->tree, 0, "amd-pstate-epp\n");
    tree_put(&machine->tree, CPU "/cpufreq/policy0/amd_pstate_lowest_nonlinear_freq", "1500000\n");
    put_cpuinfo(&machine->tree, "AuthenticAMD", "AMD EPYC 9654 96-Core Processor", "fpu");
    look(machine);
    const struct jl_hw_cpu *cpu = &machine->status.cpu;
    assert_string_equal(cpu->model, "AMD_EPYC_9654");
    assert_string_equal(cpu->driver_family, "amd-pstate");
    assert_int_equal(cpu->packages.count, 2);
    assert_false(package_of(machine, 0)->controllable);
    assert_false(package_of(machine, 0)->given.max_w);
    assert_false(cpu->given.cap_range);
    assert_near(cpu->landmarks.lowest_nonlinear_freq_mhz, 1500, 0);
    assert_true(cpu->telemetry_available);
    assert_true(cpu->control_available); /* by frequency */
    assert_true(has_text(&cpu->warnings,
                         "power of package 1 cannot be limited: the kernel has no limit for it"));
}

static void driver_words_are_those_of_the_catalog(void **state)
{
    static const struct {
        const char *driver;
        const char *expected;
    } rows[] = {
        { "amd-pstate\n", "amd-pstate" },     { "amd-pstate-epp\n", "amd-pstate" },
        { "intel_pstate\n", "intel_pstate" }, { "intel_cpufreq\n", "intel_pstate" },
        { "acpi-cpufreq\n", "acpi-cpufreq" }, { "cppc_cpufreq\n", "cppc_cpufreq" },
    };
    struct machine *machine = *state;
    look(machine);
    assert_false(machine->status.cpu.given.driver_family);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        tree_policy(&machine->tree, 0, rows[i].driver);
        look(machine);
        assert_string_equal(machine->status.cpu.driver_family, rows[i].expected);
    }
}

/* Cores of two kinds: the range of the machine is that of both. */
static void landmarks_are_the_lowest_and_highest_of_all_policies(void **state)
{
    static const struct {
        const char *name;
        const char *khz[3]; /* by policy */
    } files[] = {
        { "cpuinfo_min_freq", { "800000\n", "400000\n", "600000\n" } },
        { "base_frequency", { "2100000\n", "2400000\n", "1500000\n" } },
        { "cpuinfo_max_freq", { "3500000\n", "5200000\n", "3900000\n" } },
        { "amd_pstate_lowest_nonlinear_freq", { "1700000\n", "1500000\n", "1600000\n" } },
    };
    struct machine *machine = *state;
    for (unsigned policy = 0; policy < 3; policy++) {
        tree_policy(&machine->tree, policy, "amd-pstate\n");
        for (size_t i = 0; i < JL_COUNT(files); i++)
            tree_putf(&machine->tree, files[i].khz[policy], CPU "/cpufreq/policy%u/%s", policy,
                      files[i].name);
    }
    look(machine);
    const struct jl_landmarks *landmarks = &machine->status.cpu.landmarks;
    assert_near(landmarks->min_freq_mhz, 400, 0);
    assert_near(landmarks->nominal_freq_mhz, 2400, 0);
    assert_near(landmarks->max_boost_mhz, 5200, 0);
    assert_near(landmarks->lowest_nonlinear_freq_mhz, 1500, 0);
}

/* Frequencies are a control where a policy gives its range and takes a maximum. */
static void a_policy_without_its_range_or_maximum_controls_nothing(void **state)
{
    static const char *const names[] = { "cpuinfo_min_freq", "cpuinfo_max_freq",
                                         "scaling_max_freq" };
    struct machine *machine = *state;
    tree_policy(&machine->tree, 0, "acpi-cpufreq\n");
    look(machine);
    assert_true(machine->status.cpu.control_available);
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        tree_policy(&machine->tree, 0, "acpi-cpufreq\n");
        tree_putf(&machine->tree, "<unsupported>\n", CPU "/cpufreq/policy0/%s", names[i]);
        look(machine);
        assert_false(machine->status.cpu.control_available);
        assert_false(machine->status.capabilities.cpu_control);
    }
}

/* ---- no zones ---- */

static void a_kernel_that_does_not_know_the_cpu_is_named(void **state)
{
    struct machine *machine = *state;
    put_cpuinfo(&machine->tree, "AuthenticAMD", "AMD EPYC 9655", "fpu");
    look(machine);
    assert_true(
        has_text(&machine->status.cpu.warnings, "no RAPL: CPU model unknown to this kernel"));
    assert_int_equal(jl_hardware_no_zones(&machine->tree.facts), JL_CAP_REASON_MODEL_UNKNOWN);
}

static void a_masked_folder_is_distinguished_from_an_unknown_cpu(void **state)
{
    struct machine *machine = *state;
    put_cpuinfo(&machine->tree, "GenuineIntel", "Intel(R) Xeon(R) Gold 6530", "fpu");
    tree_folder(&machine->tree, "sys/devices/virtual/powercap");
    look(machine);
    assert_int_equal(jl_hardware_no_zones(&machine->tree.facts), JL_CAP_REASON_MASKED);
    assert_true(has_text(&machine->status.cpu.warnings,
                         "no RAPL: sys/devices/virtual/powercap is empty; container runtimes mask "
                         "it"));
}

static void a_virtual_machine_has_a_package_without_a_zone(void **state)
{
    struct machine *machine = *state;
    put_cpuinfo(&machine->tree, "GenuineIntel", "Intel(R) Xeon(R) Gold 6530", "fpu hypervisor");
    for (unsigned i = 0; i < 2; i++)
        tree_cpu(&machine->tree, i, 0, 0, i);
    look(machine);
    assert_int_equal(jl_hardware_no_zones(&machine->tree.facts), JL_CAP_REASON_NO_BACKEND);
    assert_int_equal(machine->status.cpu.packages.count, 1);
    assert_string_equal(package_of(machine, 0)->zone, "");
    assert_false(package_of(machine, 0)->controllable);
    assert_false(package_of(machine, 0)->given.locked);
    assert_false(machine->status.cpu.control_available);
    assert_false(machine->status.cpu.telemetry_available);
    assert_true(has_text(&machine->status.cpu.warnings, "no RAPL: a virtual machine"));
}

/* Any sign of a processor is enough; a folder without any is no machine to warn about. */
static void a_processor_without_zones_is_warned_about(void **state)
{
    static const char warning[] = "no RAPL: this processor has none";
    struct machine *machine = *state;
    look(machine);
    assert_false(has_text(&machine->status.cpu.warnings, warning));
    tree_cpu(&machine->tree, 0, 0, 0, 0); /* without /proc/cpuinfo */
    look(machine);
    assert_null(machine->tree.facts.cpu_vendor);
    assert_true(has_text(&machine->status.cpu.warnings, warning));
    put_cpuinfo(&machine->tree, "HygonGenuine", "Hygon C86 7285", "fpu");
    look(machine);
    assert_true(has_text(&machine->status.cpu.warnings, warning));
}

static void what_was_not_found_is_absent(void **state)
{
    struct machine *machine = *state;
    look(machine);
    assert_int_equal(machine->status.cpu.has,
                     UINT64_C(1) << JL_INDEX(jl_hw_cpu, control_available) |
                         UINT64_C(1) << JL_INDEX(jl_hw_cpu, telemetry_available));
    assert_int_equal(machine->status.gpu.has,
                     UINT64_C(1) << JL_INDEX(jl_hw_gpu, control_available) |
                         UINT64_C(1) << JL_INDEX(jl_hw_gpu, telemetry_available));
    assert_false(machine->status.given.memory);
    assert_string_equal(machine->status.quality.overall, "unavailable");
    assert_string_equal(machine->status.resolution.exactness.cpu, "generic");
}

static void an_unknown_model_is_a_proxy_with_a_warning(void **state)
{
    struct machine *machine = *state;
    put_cpuinfo(&machine->tree, "GenuineIntel", "Some CPU @ 2.10GHz", "fpu");
    look(machine);
    assert_string_equal(machine->status.cpu.model, "");
    assert_string_equal(machine->status.resolution.exactness.cpu, "proxy");
    assert_string_equal(machine->status.quality.overall, "heuristic");
    assert_true(has_text(&machine->status.quality.warnings,
                         "cpu model not recognized: Some CPU @ 2.10GHz"));
}

static void what_could_not_be_read_is_in_the_warnings(void **state)
{
    struct machine *machine = *state;
    tree_intel_2s(&machine->tree);
    tree_refuse(&machine->tree, "energy_uj", EACCES);
    look(machine);
    assert_false(machine->status.cpu.telemetry_available);
    assert_true(has_text(&machine->status.cpu.warnings,
                         "energy cannot be read: root or CAP_DAC_READ_SEARCH is needed"));
    assert_true(has_text(&machine->status.quality.warnings,
                         ZONES "/intel-rapl:0/energy_uj: Permission denied"));
}

/* What failed otherwise is no matter of rights. */
static void a_broken_counter_is_not_refused(void **state)
{
    struct machine *machine = *state;
    tree_intel_2s(&machine->tree);
    tree_refuse(&machine->tree, "energy_uj", EIO);
    look(machine);
    assert_false(machine->status.cpu.telemetry_available);
    assert_false(has_text(&machine->status.cpu.warnings,
                          "energy cannot be read: root or CAP_DAC_READ_SEARCH is needed"));
}

static void warnings_are_not_longer_than_a_person_reads(void **state)
{
    struct machine *machine = *state;
    for (unsigned i = 0; i < 40; i++) {
        char name[64];
        snprintf(name, sizeof name, CPU "/cpufreq/policy%u", i);
        tree_link(&machine->tree, name, "policy0");
    }
    look(machine);
    const struct jl_list *warnings = &machine->status.quality.warnings;
    assert_int_equal(warnings->count, JL_HARDWARE_TEXTS);
    assert_true(has_text(warnings, "more warnings are left out"));
}

/* ---- GPUs ---- */

static void put_function(struct tree *tree, const char *path, const char *class_id,
                         const char *vendor, const char *numa)
{
    tree_putf(tree, class_id, "sys/devices/pci0000:00/%s/class", path);
    tree_putf(tree, vendor, "sys/devices/pci0000:00/%s/vendor", path);
    tree_putf(tree, "0x0001\n", "sys/devices/pci0000:00/%s/device", path);
    tree_putf(tree, numa, "sys/devices/pci0000:00/%s/numa_node", path);
}

static void gpus_are_there_and_not_controlled(void **state)
{
    struct machine *machine = *state;
    tree_intel_2s(&machine->tree);
    put_function(&machine->tree, "0000:00:02.0", "0x030000\n", "0x1a03\n", "-1\n");
    put_function(&machine->tree, "0000:00:04.0", "0x030200\n", "0x10de\n", "1\n");
    put_function(&machine->tree, "0000:00:03.0", "0x030200\n", "0x10de\n", "-1\n");
    put_function(&machine->tree, "0000:00:05.0", "0x030000\n", "0x8086\n", "0\n");
    look(machine);
    const struct jl_hw_gpu *gpu = &machine->status.gpu;
    const struct jl_gpu_device *devices = gpu->devices.items;
    assert_true(gpu->present);
    assert_string_equal(gpu->vendor, "nvidia");
    assert_int_equal(gpu->count, 2);
    assert_int_equal(gpu->devices.count, 2);
    assert_string_equal(devices[0].id, "0000:00:03.0");
    assert_false(devices[0].given.numa_node);
    assert_int_equal(devices[1].numa_node, 1);
    assert_false(devices[1].controllable || gpu->control_available || gpu->telemetry_available);
    assert_false(gpu->given.raw_model);
    assert_true(has_text(&gpu->warnings,
                         "known by their PCI addresses only: this release does not control GPUs"));
    assert_true(has_text(&gpu->warnings, "GPUs of intel are not counted"));
    assert_false(has_text(&gpu->warnings, "GPUs of amd are not counted")); /* there are none */
    assert_string_equal(machine->status.quality.overall, "heuristic");
}

/* Of several vendors the first of NVIDIA, AMD, Intel speaks for the node, whatever the addresses.
 */
static void the_first_vendor_speaks_for_the_node(void **state)
{
    static const struct {
        const char *ids[4]; /* by address */
        const char *vendor;
        int64_t count;
        const char *left_out[3];
    } rows[] = {
        { { "0x10de\n" }, "nvidia", 1, { NULL } },
        { { "0x1002\n" }, "amd", 1, { NULL } },
        { { "0x8086\n" }, "intel", 1, { NULL } },
        { { "0x1002\n", "0x10de\n" }, "nvidia", 1, { "amd" } },
        { { "0x8086\n", "0x10de\n", "0x10de\n" }, "nvidia", 2, { "intel" } },
        { { "0x8086\n", "0x1002\n", "0x8086\n" }, "amd", 1, { "intel" } },
        { { "0x8086\n", "0x1002\n", "0x10de\n" }, "nvidia", 1, { "amd", "intel" } },
        { { "0x1001\n", "0x1003\n", "0x10dd\n", "0x8087\n" }, "none", 0, { NULL } },
    };
    struct machine *machine = *state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_hw_gpu *gpu = &machine->status.gpu;
        size_t warnings = 0;
        tear_down(state);
        set_up(state);
        for (size_t k = 0; k < JL_COUNT(rows[i].ids) && rows[i].ids[k] != NULL; k++) {
            char path[32];
            snprintf(path, sizeof path, "0000:00:0%zu.0", k + 2);
            put_function(&machine->tree, path, "0x030200\n", rows[i].ids[k], "0\n");
        }
        look(machine);
        assert_string_equal(gpu->vendor, rows[i].vendor);
        assert_int_equal(gpu->count, rows[i].count);
        assert_int_equal(gpu->devices.count, rows[i].count);
        for (; warnings < JL_COUNT(rows[i].left_out) && rows[i].left_out[warnings]; warnings++) {
            char text[64];
            snprintf(text, sizeof text, "GPUs of %s are not counted", rows[i].left_out[warnings]);
            assert_true(has_text(&gpu->warnings, text));
        }
        assert_int_equal(gpu->warnings.count, rows[i].count > 0 ? warnings + 1 : 0);
    }
}

static void the_display_of_a_management_controller_is_no_gpu(void **state)
{
    struct machine *machine = *state;
    tree_intel_2s(&machine->tree);
    put_function(&machine->tree, "0000:00:02.0", "0x030000\n", "0x1a03\n", "-1\n");
    look(machine);
    assert_false(machine->status.gpu.present);
    assert_true(machine->status.gpu.given.present);
    assert_int_equal(machine->status.gpu.count, 0);
    assert_string_equal(machine->status.gpu.vendor, "none");
    assert_string_equal(machine->status.quality.overall, "exact");
}

/* Dies are those of the topology, else those with a zone of their own, else the one of a zone. */
static void a_package_has_the_dies_that_are_seen(void **state)
{
    struct machine *machine = *state;
    put_cpuinfo(&machine->tree, "GenuineIntel", "Intel(R) Xeon(R) Gold 6530", "fpu");
    tree_cpu(&machine->tree, 0, 0, 0, 0);
    tree_remove(&machine->tree, CPU "/cpu0/topology/die_id"); /* an older kernel */
    look(machine);
    assert_int_equal(machine->status.cpu.packages.count, 1);
    assert_false(package_of(machine, 0)->given.dies);
    tree_package(&machine->tree, ZONES "/intel-rapl:0", "package-0\n");
    look(machine);
    assert_int_equal(machine->status.cpu.packages.count, 1);
    assert_int_equal(package_of(machine, 0)->dies, 1);
}

int main(void)
{
#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_TREE(a_server_of_two_sockets_is_described_in_full),
        IN_TREE(each_package_has_its_zone_and_watts),
        IN_TREE(packages_are_known_by_name_not_by_folder),
        IN_TREE(two_dies_are_one_package_with_the_sum_of_their_watts),
        IN_TREE(threads_share_a_core),
        IN_TREE(the_mmio_twin_is_not_a_second_package),
        IN_TREE(a_maximum_that_nobody_believes_gives_way_to_the_limit),
        IN_TREE(another_power_unit_is_not_guessed),
        IN_TREE(a_limit_that_is_switched_off_may_be_locked),
        IN_TREE(an_unreadable_limit_is_not_controllable),
        IN_TREE(an_amd_server_is_measured_and_scaled_not_capped),
        IN_TREE(driver_words_are_those_of_the_catalog),
        IN_TREE(landmarks_are_the_lowest_and_highest_of_all_policies),
        IN_TREE(a_policy_without_its_range_or_maximum_controls_nothing),
        IN_TREE(a_kernel_that_does_not_know_the_cpu_is_named),
        IN_TREE(a_masked_folder_is_distinguished_from_an_unknown_cpu),
        IN_TREE(a_virtual_machine_has_a_package_without_a_zone),
        IN_TREE(a_processor_without_zones_is_warned_about),
        IN_TREE(what_was_not_found_is_absent),
        IN_TREE(an_unknown_model_is_a_proxy_with_a_warning),
        IN_TREE(what_could_not_be_read_is_in_the_warnings),
        IN_TREE(a_broken_counter_is_not_refused),
        IN_TREE(warnings_are_not_longer_than_a_person_reads),
        IN_TREE(gpus_are_there_and_not_controlled),
        IN_TREE(the_first_vendor_speaks_for_the_node),
        IN_TREE(the_display_of_a_management_controller_is_no_gpu),
        IN_TREE(a_package_has_the_dies_that_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
