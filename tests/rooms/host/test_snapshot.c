/* SPDX-License-Identifier: Apache-2.0 */

/* A snapshot describes a machine and does not identify it. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "host/snapshot.h"
#include "host/tree.h"

struct record {
    struct tree tree;
    struct tree copy; /* what the snapshot says, unpacked */
    struct jl_buffer paths;
    struct jl_snapshot snapshot;
    size_t entries;
    int answer; /* of the sink */
};

static int set_up(void **state)
{
    static struct record record;
    memset(&record, 0, sizeof record);
    tree_new(&record.tree);
    tree_new(&record.copy);
    *state = &record;
    return 0;
}

static int tear_down(void **state)
{
    struct record *record = *state;
    tree_free(&record->tree);
    tree_free(&record->copy);
    jl_buffer_clear(&record->paths);
    return 0;
}

static int take(void *user, const struct jl_snapshot_entry *entry)
{
    struct record *record = user;
    if (record->answer != 0)
        return record->answer;
    record->entries++;
    jl_put_string(&record->paths, entry->path);
    jl_put_char(&record->paths, '\n');
    if (entry->is_folder)
        tree_folder(&record->copy, entry->path); /* fails when it was made for a file in it */
    else
        tree_put_bytes(&record->copy, entry->path, entry->bytes, entry->len);
    if (!entry->is_folder)
        tree_mode(&record->copy, entry->path, entry->mode);
    return 0;
}

static int snap(struct record *record)
{
    record->snapshot =
        (struct jl_snapshot){ .sink = take, .user = record, .arena = &record->tree.arena };
    return jl_host_snapshot(&record->tree.root, &record->snapshot);
}

static void assert_holds(struct record *record, const char *path, const char *expected)
{
    struct jl_text text = { "", 0 };
    int sys_errno = 0;
    const int rc = jl_root_text(&record->copy.root, path, JL_TEXT_FILE_MAX, &record->copy.arena,
                                &text, &sys_errno);
    if (rc != 0 || text.len != strlen(expected) || memcmp(text.ptr, expected, text.len) != 0)
        fail_msg("%s: %d, \"%.*s\", expected \"%s\"", path, rc, (int)text.len, text.ptr, expected);
}

static void assert_not_taken(struct record *record, const char *path)
{
    struct jl_os_file file;
    if (jl_root_stat(&record->copy.root, path, &file) != -ENOENT)
        fail_msg("%s was taken", path);
}

static const char *warning_at(const struct record *record, const char *where)
{
    for (size_t i = 0; i < record->snapshot.warning_count; i++) {
        if (strcmp(record->snapshot.warnings[i].where, where) == 0)
            return record->snapshot.warnings[i].message;
    }
    return NULL;
}

static void a_snapshot_scans_as_the_machine_does(void **state)
{
    struct record *record = *state;
    tree_intel_2s(&record->tree);
    assert_int_equal(snap(record), 0);
    assert_int_equal(record->snapshot.warning_count, 0);
    tree_scan(&record->tree);
    tree_scan(&record->copy);
    const struct jl_host_facts *a = &record->tree.facts;
    const struct jl_host_facts *b = &record->copy.facts;
    assert_int_equal(b->warning_count, 0);
    assert_int_equal(b->zone_count, a->zone_count);
    assert_int_equal(b->policy_count, a->policy_count);
    assert_int_equal(b->cpu_count, a->cpu_count);
    assert_int_equal(b->numa_count, a->numa_count);
    assert_int_equal(b->memory_bytes.value, a->memory_bytes.value);
    assert_int_equal(b->cpuinfo_cores, a->cpuinfo_cores);
    assert_string_equal(b->cpu_model, a->cpu_model);
    assert_string_equal(b->zones[0].constraints[1].name, "short_term");
    assert_int_equal(b->zones[0].constraints[0].max_power_uw.value, 205000000);
    assert_string_equal(b->boot_id, JL_SNAPSHOT_BOOT_ID);
}

static void energy_is_rounded_down_to_joules(void **state)
{
    struct record *record = *state;
    tree_package(&record->tree, ZONES "/intel-rapl:0", "package-0\n");
    tree_put(&record->tree, ZONES "/intel-rapl:0/energy_uj", "120000999999\n");
    tree_package(&record->tree, ZONES "/intel-rapl:1", "package-1\n");
    tree_put(&record->tree, ZONES "/intel-rapl:1/energy_uj", "unusual\n");
    assert_int_equal(snap(record), 0);
    assert_holds(record, ZONES "/intel-rapl:0/energy_uj", "120000000000\n");
    assert_not_taken(record, ZONES "/intel-rapl:1/energy_uj");
    assert_string_equal(warning_at(record, ZONES "/intel-rapl:1/energy_uj"), "is no number");
}

static void modes_are_kept(void **state)
{
    struct record *record = *state;
    struct jl_os_file file;
    tree_package(&record->tree, ZONES "/intel-rapl:0", "package-0\n");
    tree_mode(&record->tree, ZONES "/intel-rapl:0/energy_uj", 0400);
    assert_int_equal(snap(record), 0);
    assert_int_equal(jl_root_stat(&record->copy.root, ZONES "/intel-rapl:0/energy_uj", &file), 0);
    assert_int_equal(file.mode, 0400);
}

static void only_known_lines_of_cpuinfo_are_taken(void **state)
{
    struct record *record = *state;
    tree_put(&record->tree, "proc/cpuinfo",
             "processor\t: 0\nmodel name\t: ARMv7\nFeatures\t: half thumb\n\nHardware\t: BCM2835\n"
             "Revision\t: a02082\nSerial\t\t: 00000000deadbeef\nModel\t\t: Board of Alice\n");
    tree_put(&record->tree, "proc/meminfo", "MemTotal:  4 kB\nMemFree:  1 kB\n");
    assert_int_equal(snap(record), 0);
    assert_holds(record, "proc/cpuinfo",
                 "processor\t: 0\nmodel name\t: ARMv7\nFeatures\t: half thumb\n\n");
    assert_holds(record, "proc/meminfo", "MemTotal:  4 kB\n");
}

static void what_is_not_on_the_list_stays(void **state)
{
    struct record *record = *state;
    static const char *const files[] = {
        "sys/class/dmi/id/product_serial",
        "sys/devices/virtual/dmi/id/product_uuid",
        "sys/devices/virtual/net/lo/address",
        "sys/devices/pci0000:00/0000:00:03.0/unique_id",
        "sys/devices/pci0000:00/0000:00:03.0/vbios_version",
        "sys/devices/pci0000:00/0000:00:03.0/serial_number",
        "sys/devices/pci0000:00/0000:00:03.0/net/eth0/address",
        "sys/devices/pci0000:00/0000:00:03.0/hwmon/hwmon2/power1_serial_number",
        ZONES "/intel-rapl:0/uevent",
        "proc/sys/kernel/hostname",
        "proc/sys/kernel/random/uuid",
        "proc/cmdline",
        "etc/hostname",
        "etc/machine-id",
    };
    for (size_t i = 0; i < JL_COUNT(files); i++)
        tree_put(&record->tree, files[i], "secret\n");
    assert_int_equal(snap(record), 0);
    for (size_t i = 0; i < JL_COUNT(files); i++)
        assert_not_taken(record, files[i]);
}

static void what_gpu_control_needs_is_taken(void **state)
{
    struct record *record = *state;
    static const char *const files[] = {
        "sys/devices/pci0000:00/0000:00:01.0/0000:03:00.0/class",
        "sys/devices/pci0000:00/0000:00:01.0/0000:03:00.0/numa_node",
        "sys/devices/pci0000:00/0000:00:01.0/0000:03:00.0/hwmon/hwmon3/name",
        "sys/devices/pci0000:00/0000:00:01.0/0000:03:00.0/hwmon/hwmon3/power1_average",
        "sys/devices/pci0000:00/0000:00:01.0/0000:03:00.0/hwmon/hwmon3/power1_cap_default",
        "sys/devices/pci0000:00/0000:00:01.0/0000:03:00.0/hwmon/hwmon3/power1_cap",
    };
    for (size_t i = 0; i < JL_COUNT(files); i++)
        tree_put(&record->tree, files[i], "300000000\n");
    assert_int_equal(snap(record), 0);
    for (size_t i = 0; i < JL_COUNT(files); i++)
        assert_holds(record, files[i], "300000000\n");
}

static void texts_that_look_like_an_identity_are_left_out(void **state)
{
    struct record *record = *state;
    static const char *const texts[] = {
        "GPU-5c1d0b4e-7a5c-4d5b-9a51-0123456789ab\n",
        "card of 3c:ec:ef:12:34:56\n",
        "3C-EC-EF-12-34-56\n",
    };
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        char name[64];
        snprintf(name, sizeof name, CPU "/cpufreq/policy%zu/scaling_governor", i);
        tree_put(&record->tree, name, texts[i]);
    }
    tree_put(&record->tree, CPU "/cpufreq/policy9/affected_cpus", "00 01 02 03 04 05 06\n");
    assert_int_equal(snap(record), 0);
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        char name[64];
        snprintf(name, sizeof name, CPU "/cpufreq/policy%zu/scaling_governor", i);
        assert_not_taken(record, name);
        assert_string_equal(warning_at(record, name), "looks like an address or a UUID");
    }
    assert_holds(record, CPU "/cpufreq/policy9/affected_cpus", "00 01 02 03 04 05 06\n");
}

static void links_and_fifos_are_not_in_it(void **state)
{
    struct record *record = *state;
    tree_intel_2s(&record->tree);
    tree_remove(&record->tree, "proc/meminfo");
    tree_link(&record->tree, "proc/meminfo", "/proc/meminfo");
    tree_remove(&record->tree, ZONES "/intel-rapl:0/name");
    tree_fifo(&record->tree, ZONES "/intel-rapl:0/name");
    tree_link(&record->tree, ZONES "/intel-rapl:9", "intel-rapl:0");
    assert_int_equal(snap(record), 0);
    assert_not_taken(record, "proc/meminfo");
    assert_not_taken(record, ZONES "/intel-rapl:0/name");
    assert_not_taken(record, ZONES "/intel-rapl:9");
    assert_non_null(warning_at(record, ZONES "/intel-rapl:9"));
}

static void a_file_without_a_value_is_an_empty_file(void **state)
{
    struct record *record = *state;
    tree_package(&record->tree, ZONES "/intel-rapl:0", "psys\n");
    tree_refuse(&record->tree, "constraint_0_max_power_uw", ENODATA);
    assert_int_equal(snap(record), 0);
    assert_holds(record, ZONES "/intel-rapl:0/constraint_0_max_power_uw", "");
}

static void the_sink_can_stop_it(void **state)
{
    struct record *record = *state;
    tree_intel_2s(&record->tree);
    record->answer = JOULIE_E_IO;
    assert_int_equal(snap(record), JOULIE_E_IO);
    assert_int_equal(record->entries, 0);
}

static void equal_machines_give_equal_snapshots(void **state)
{
    struct record *record = *state;
    tree_intel_2s(&record->tree);
    assert_int_equal(snap(record), 0);
    char *first = jl_buffer_take(&record->paths);
    tree_free(&record->copy);
    tree_new(&record->copy);
    assert_int_equal(snap(record), 0);
    assert_string_equal(record->paths.data, first);
    joulie_free(first);
}

int main(void)
{
#define IN_TREES(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_TREES(a_snapshot_scans_as_the_machine_does),
        IN_TREES(energy_is_rounded_down_to_joules),
        IN_TREES(modes_are_kept),
        IN_TREES(only_known_lines_of_cpuinfo_are_taken),
        IN_TREES(what_is_not_on_the_list_stays),
        IN_TREES(what_gpu_control_needs_is_taken),
        IN_TREES(texts_that_look_like_an_identity_are_left_out),
        IN_TREES(links_and_fifos_are_not_in_it),
        IN_TREES(a_file_without_a_value_is_an_empty_file),
        IN_TREES(the_sink_can_stop_it),
        IN_TREES(equal_machines_give_equal_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
