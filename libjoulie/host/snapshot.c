/* SPDX-License-Identifier: Apache-2.0 */

/* Walks the files of a machine that this library reads and hands scrubbed copies to the caller:
 * joulie_host_snapshot(). */

#include "host/snapshot.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/number.h"
#include "host/parts.h"

#define DEEPEST 32 /* folders inside each other */

/* ---- what is taken ---- */

struct rule { /* patterns of jl_scan_matches */
    const char *name;
    enum jl_scrub scrub;       /* of a file */
    const struct rule *inside; /* of a folder; NULL = a file */
    size_t count;
};

#define FILE_OF(name_)                  \
    {                                   \
        (name_), JL_SCRUB_TEXT, NULL, 0 \
    }
#define FILE_BY(name_, how)     \
    {                           \
        (name_), (how), NULL, 0 \
    }
#define FOLDER_OF(name_, rules)                          \
    {                                                    \
        (name_), JL_SCRUB_TEXT, (rules), JL_COUNT(rules) \
    }

#define ZONE_RULES 11

static const struct rule zone_rules[ZONE_RULES]; /* zones have zones */
static const struct rule zone_rules[ZONE_RULES] = {
    FILE_OF("name"),
    FILE_OF("enabled"),
    FILE_BY("energy_uj", JL_SCRUB_ENERGY),
    FILE_OF("max_energy_range_uj"),
    FILE_OF("power_uw"),
    FILE_OF("max_power_range_uw"),
    FILE_OF("constraint_#_name"),
    FILE_OF("constraint_#_power_limit_uw"),
    FILE_OF("constraint_#_*_power_uw"),
    FILE_OF("constraint_#_*window_us"),
    FOLDER_OF("*:%", zone_rules),
};
static const struct rule control_type_rules[] = {
    FILE_OF("enabled"),
    FOLDER_OF("*:%", zone_rules),
};
static const struct rule powercap_rules[] = { FOLDER_OF("*", control_type_rules) };
static const struct rule virtual_rules[] = { FOLDER_OF("powercap", powercap_rules) };

static const struct rule policy_rules[] = {
    FILE_OF("affected_cpus"),
    FILE_OF("related_cpus"),
    FILE_OF("cpuinfo_min_freq"),
    FILE_OF("cpuinfo_max_freq"),
    FILE_OF("cpuinfo_transition_latency"),
    FILE_OF("scaling_min_freq"),
    FILE_OF("scaling_max_freq"),
    FILE_OF("scaling_cur_freq"),
    FILE_OF("scaling_driver"),
    FILE_OF("scaling_governor"),
    FILE_OF("scaling_available_governors"),
    FILE_OF("scaling_available_frequencies"),
    FILE_OF("bios_limit"),
    FILE_OF("base_frequency"),
    FILE_OF("energy_performance_preference"),
    FILE_OF("energy_performance_available_preferences"),
    FILE_OF("amd_pstate_highest_perf"),
    FILE_OF("amd_pstate_max_freq"),
    FILE_OF("amd_pstate_lowest_nonlinear_freq"),
};
static const struct rule cpufreq_rules[] = {
    FILE_OF("boost"),
    FOLDER_OF("policy#", policy_rules),
};
static const struct rule pstate_rules[] = {
    FILE_OF("status"),       FILE_OF("no_turbo"),    FILE_OF("max_perf_pct"),
    FILE_OF("min_perf_pct"), FILE_OF("num_pstates"), FILE_OF("turbo_pct"),
};
static const struct rule topology_rules[] = {
    FILE_OF("physical_package_id"),
    FILE_OF("die_id"),
    FILE_OF("core_id"),
    FILE_OF("thread_siblings_list"),
    FILE_OF("core_cpus_list"),
    FILE_OF("die_cpus_list"),
    FILE_OF("core_siblings_list"),
    FILE_OF("package_cpus_list"),
};
static const struct rule throttle_rules[] = {
    FILE_OF("core_throttle_count"),
    FILE_OF("package_throttle_count"),
};
static const struct rule one_cpu_rules[] = {
    FILE_OF("online"),
    FOLDER_OF("topology", topology_rules),
    FOLDER_OF("thermal_throttle", throttle_rules),
};
static const struct rule cpu_rules[] = {
    FILE_OF("online"),
    FILE_OF("possible"),
    FILE_OF("present"),
    FOLDER_OF("cpu#", one_cpu_rules),
    FOLDER_OF("cpufreq", cpufreq_rules),
    FOLDER_OF("intel_pstate", pstate_rules),
    FOLDER_OF("amd_pstate", pstate_rules),
};

static const struct rule one_node_rules[] = {
    FILE_OF("cpulist"),
    FILE_OF("distance"),
    FILE_BY("meminfo", JL_SCRUB_MEMINFO),
};
static const struct rule node_rules[] = {
    FILE_OF("online"),
    FILE_OF("possible"),
    FOLDER_OF("node#", one_node_rules),
};
static const struct rule system_rules[] = {
    FOLDER_OF("cpu", cpu_rules),
    FOLDER_OF("node", node_rules),
};

static const struct rule sensor_rules[] = {
    FILE_OF("name"),
    FILE_OF("power#_label"),
    FILE_OF("power#_average"),
    FILE_OF("power#_input"),
    FILE_OF("power#_cap*"),
    FILE_OF("power#_max*"),
    FILE_OF("power#_rated_max"),
    FILE_OF("power#_crit"),
    FILE_BY("energy#_input", JL_SCRUB_ENERGY),
};
static const struct rule hwmon_rules[] = { FOLDER_OF("hwmon#", sensor_rules) };

#define PCI_RULES 9

static const struct rule pci_rules[PCI_RULES]; /* bridges have functions behind them */
static const struct rule pci_rules[PCI_RULES] = {
    FILE_OF("class"),
    FILE_OF("vendor"),
    FILE_OF("device"),
    FILE_OF("revision"),
    FILE_OF("numa_node"),
    FILE_OF("local_cpulist"),
    FOLDER_OF("hwmon", hwmon_rules),
    FOLDER_OF(JL_PCI_ADDRESS, pci_rules),
    FOLDER_OF(JL_PCI_BUS, pci_rules),
};
static const struct rule device_rules[] = {
    FOLDER_OF("virtual", virtual_rules),
    FOLDER_OF("system", system_rules),
    FOLDER_OF(JL_PCI_BUS, pci_rules),
};
static const struct rule sys_rules[] = { FOLDER_OF("devices", device_rules) };

static const struct rule random_rules[] = { FILE_BY("boot_id", JL_SCRUB_BOOT_ID) };
static const struct rule kernel_rules[] = { FOLDER_OF("random", random_rules) };
static const struct rule proc_sys_rules[] = { FOLDER_OF("kernel", kernel_rules) };
static const struct rule proc_rules[] = {
    FILE_BY("cpuinfo", JL_SCRUB_CPUINFO),
    FILE_BY("meminfo", JL_SCRUB_MEMINFO),
    FOLDER_OF("sys", proc_sys_rules),
};
static const struct rule root_rules[] = {
    FOLDER_OF("sys", sys_rules),
    FOLDER_OF("proc", proc_rules),
};

/* ---- the walk ---- */

struct walk {
    struct jl_scan scan; /* warnings */
    struct jl_snapshot *snapshot;
    size_t entries;
    int code; /* of the sink, or JOULIE_E_LIMIT */
};

static bool is_over(const struct walk *walk)
{
    return walk->code != 0 || walk->scan.code != 0;
}

static void emit(struct walk *walk, const struct jl_spot *spot, const char *name,
                 struct jl_snapshot_entry *entry)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena memory = { 0 };
    struct jl_scan scratch = { .arena = &memory };
    entry->path = jl_spot_path(&scratch, spot, name);
    if (entry->path == NULL)
        walk->scan.code = JOULIE_E_NOMEM;
    else if (++walk->entries > JL_SNAPSHOT_ENTRIES_MAX)
        walk->code = JOULIE_E_LIMIT;
    else
        walk->code = walk->snapshot->sink(walk->snapshot->user, entry);
}

static void take_file(struct walk *walk, const struct jl_spot *spot, const char *name,
                      enum jl_scrub scrub, uint32_t mode)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena memory = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer bytes = { 0 };
    struct jl_snapshot_entry entry = { .mode = mode };
    struct jl_text text = { "", 0 };
    int sys_errno = 0;
    const int rc = jl_root_text(&spot->root, name, JL_CPUINFO_BYTES, &memory, &text, &sys_errno);
    const bool is_refused = rc == JOULIE_E_IO && (sys_errno == ENODATA || sys_errno == EBUSY);
    if (rc == JOULIE_E_UNSUPPORTED)
        return;
    if (rc != 0 && !is_refused) {
        jl_spot_warn_of(&walk->scan, spot, name, rc, sys_errno);
        return;
    }
    const char *reason = jl_scrub(scrub, text, &bytes);
    if (bytes.is_failed)
        walk->scan.code = JOULIE_E_NOMEM;
    else if (reason != NULL)
        jl_spot_warn(&walk->scan, spot, name, reason);
    if (is_over(walk) || reason != NULL)
        return;
    entry.bytes = bytes.len > 0 ? bytes.data : "";
    entry.len = bytes.len;
    emit(walk, spot, name, &entry);
}

static void walk_folder(struct walk *walk, const struct jl_spot *spot, const struct rule *rules,
                        size_t count, size_t depth);

static void take_folder(struct walk *walk, const struct jl_spot *spot, const char *name,
                        const struct rule *rule, uint32_t mode, size_t depth)
{
    JL_CLEANUP(jl_spot_leave) struct jl_spot below;
    struct jl_snapshot_entry entry = { .is_folder = true, .mode = mode };
    if (!jl_spot_enter(&walk->scan, spot, name, &below))
        return;
    emit(walk, spot, name, &entry);
    if (depth < DEEPEST)
        walk_folder(walk, &below, rule->inside, rule->count, depth + 1);
}

static void take(struct walk *walk, const struct jl_spot *spot, const char *name,
                 const struct rule *rule, size_t depth)
{
    struct jl_os_file found;
    const struct jl_root *root = spot != NULL ? &spot->root : walk->scan.root;
    const int rc = jl_root_stat(root, name, &found);
    if (rc == -ENOENT)
        return;
    if (rc < 0)
        jl_spot_warn_of(&walk->scan, spot, name, JOULIE_E_IO, -rc);
    else if (rule->inside != NULL)
        take_folder(walk, spot, name, rule, found.mode, depth);
    else
        take_file(walk, spot, name, rule->scrub, found.mode);
}

static bool is_pattern(const char *name)
{
    return strpbrk(name, "#%*") != NULL;
}

static void walk_folder(struct walk *walk, const struct jl_spot *spot, const struct rule *rules,
                        size_t count, size_t depth)
{
    JL_CLEANUP(jl_listing_clear) struct jl_listing listing = { .count = 0 };
    bool has_list = false;
    for (size_t i = 0; i < count && !is_over(walk); i++) {
        if (!is_pattern(rules[i].name)) {
            take(walk, spot, rules[i].name, &rules[i], depth);
            continue;
        }
        if (!has_list)
            jl_spot_list(&walk->scan, spot, &listing);
        has_list = true;
        for (size_t j = 0; j < listing.count && !is_over(walk); j++) {
            if (jl_scan_matches(listing.names[j], rules[i].name))
                take(walk, spot, listing.names[j], &rules[i], depth);
        }
    }
}

int jl_host_snapshot(const struct jl_root *root, struct jl_snapshot *snapshot)
{
    struct jl_host_facts facts = { 0 };
    struct walk walk = { .scan = { .root = root, .arena = snapshot->arena, .facts = &facts },
                         .snapshot = snapshot };
    walk_folder(&walk, NULL, root_rules, JL_COUNT(root_rules), 0);
    snapshot->warnings = facts.warnings;
    snapshot->warning_count = facts.warning_count;
    return walk.scan.code != 0 ? walk.scan.code : walk.code;
}
