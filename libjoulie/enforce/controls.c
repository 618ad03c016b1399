/* SPDX-License-Identifier: Apache-2.0 */

/* From the facts of a machine to what can be written and metered; what is known of a control
 * outlives a zone that comes back under another number. */

#include <errno.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/number.h"
#include "caps/ramp.h"
#include "catalog/catalog.h"
#include "enforce/host.h"
#include "host/parts.h"
#include "power/rapl.h"
#include "power/zones.h"

#define UW_PER_W 1e6

#define MOST_PACKAGES 4096 /* numbers of packages; as many as nobody has */

/* ---- texts ---- */

/* Valid until the next scan, as the facts are; NULL = out of memory, also of a part. */
static const char *join(struct joulie_host *host, const char *a, const char *b, const char *c,
                        const char *d)
{
    return b != NULL && c != NULL ? JL_JOIN(&host->facts_memory, a, b, c, d) : NULL;
}

static const char *digits(struct joulie_host *host, uint64_t number)
{
    char text[JL_DOUBLE_TEXT];
    return jl_arena_copy(&host->facts_memory, text, jl_format_u64(number, text));
}

/* Replaces *slot by a copy; 0, or JOULIE_E_NOMEM also for a text that memory was missing for. */
static int set_text(char **slot, const char *text)
{
    char *copy = jl_strdup(text);
    if (copy == NULL)
        return JOULIE_E_NOMEM;
    jl_free(*slot);
    *slot = copy;
    return 0;
}

/* ---- controls ---- */

bool jl_is_limit(const struct jl_control *control)
{
    return jl_is_limit_kind(control->file.kind);
}

_Static_assert(offsetof(struct jl_control, file) == 0, "a control begins with its files");

struct jl_control *jl_control_of(struct jl_control_file *file)
{
    return (struct jl_control *)file;
}

struct jl_control *jl_control_find(struct joulie_host *host, const char *key)
{
    for (size_t i = 0; i < host->control_count; i++) {
        if (jl_same(host->controls[i].file.key, key))
            return &host->controls[i];
    }
    return NULL;
}

struct jl_control *jl_control_next(const struct joulie_host *host, enum jl_control_kind kind,
                                   size_t package, const struct jl_control *control)
{
    for (size_t i = control != NULL ? (size_t)(control - host->controls) + 1 : 0;
         i < host->control_count; i++) {
        if (host->controls[i].file.kind == kind &&
            (package == JL_NOWHERE || host->controls[i].package == package))
            return &host->controls[i];
    }
    return NULL;
}

static void close_control(struct joulie_host *host, struct jl_control *control)
{
    jl_control_file_close(&host->root, &control->file);
    jl_fd_close(&host->root.os, &control->fd_other);
    control->other = (struct jl_fact){ .code = JOULIE_E_UNSUPPORTED };
}

/* A control is known by its key for as long as the host lives; a scan that finds it again goes on
 * with its state, its baseline and its learned unit. NULL = out of memory, as key is then. */
static struct jl_control *add_control(struct joulie_host *host, enum jl_control_kind kind,
                                      const char *key)
{
    struct jl_control *known = key != NULL ? jl_control_find(host, key) : NULL;
    if (key == NULL || known != NULL)
        return known;
    if (JL_GROW(&host->controls, &host->control_room, host->control_count + 1) < 0)
        return NULL;
    struct jl_control *control = &host->controls[host->control_count];
    *control = (struct jl_control){
        .file = jl_control_file_new(kind),
        .fd_other = -1,
        .package = JL_NOWHERE,
        .other = { .code = JOULIE_E_UNSUPPORTED },
    };
    if (set_text(&control->file.key, key) < 0)
        return NULL;
    host->control_count++;
    return control;
}

void jl_control_read(struct joulie_host *host, struct jl_control *control)
{
    const bool writes = host->is_claimed && host->client == NULL;
    if (!jl_control_file_read(&host->root, &control->file, writes)) {
        close_control(host, control);
        control->file.now = (struct jl_fact){ .code = JOULIE_E_IO, .sys_errno = ENODEV };
        host->needs_scan = true;
        return;
    }
    if (!control->has_found && control->file.now.code == 0) {
        control->has_found = true;
        control->found = control->file.now.value;
    }
    if (control->other_path == NULL)
        return;
    if (control->fd_other < 0)
        control->fd_other = jl_root_file(&host->root, control->other_path, JL_OS_READ);
    control->other = jl_fd_number(&host->root.os, control->fd_other);
}

/* ---- packages ---- */

static size_t package_at(const struct joulie_host *host, int64_t index)
{
    for (size_t i = 0; i < host->package_count; i++) {
        if (host->packages[i].index == index)
            return i;
    }
    return JL_NOWHERE;
}

static struct jl_package *add_package(struct joulie_host *host, int64_t index)
{
    const size_t known = package_at(host, index);
    if (known != JL_NOWHERE)
        return &host->packages[known];
    if (JL_GROW(&host->packages, &host->package_room, host->package_count + 1) < 0)
        return NULL;
    struct jl_package *package = &host->packages[host->package_count++];
    *package = (struct jl_package){ .index = index, .fd_throttle = -1 };
    return package;
}

/* ---- zones ---- */

/* The file of a constraint's limit. */
static const char *limit_path(struct joulie_host *host, const struct jl_zone *zone, size_t number)
{
    return join(host, zone->path, "/constraint_", digits(host, zone->constraints[number].number),
                "_power_limit_uw");
}

/* One limit of a package zone. The path is made anew at each scan: zones come back under other
 * numbers, and then the open descriptors are closed. */
static int bind_constraint(struct joulie_host *host, enum jl_control_kind kind,
                           const struct jl_zone *zone, const struct jl_zone_view *view,
                           size_t number, size_t package)
{
    const struct jl_zone_constraint *constraint = &zone->constraints[number];
    struct jl_control *control =
        add_control(host, kind, join(host, "rapl/", zone->name, "/", constraint->name));
    const char *path = limit_path(host, zone, number);
    if (control == NULL || path == NULL)
        return JOULIE_E_NOMEM;
    control->package = package;
    if (control->file.unit < JL_RAPL_UNIT_UW) /* else a coarser one was learned */
        control->file.unit = JL_RAPL_UNIT_UW;
    control->file.max = constraint->max_power_uw;
    control->file.zone_max = zone->constraints[view->long_term].max_power_uw;
    if (!control->has_found && constraint->limit_uw.code == 0) {
        control->has_found = true;
        control->found = constraint->limit_uw.value;
    }
    if (set_text(&control->file.zone_name, zone->name) < 0 ||
        set_text(&control->file.folder, zone->path) < 0)
        return JOULIE_E_NOMEM;
    if (!jl_same(control->file.path, path))
        close_control(host, control);
    return set_text(&control->file.path, path);
}

/* The MMIO registers of a package hold a second pair of limits; the lower of both is in force. It
 * is read, to say so, and never written. */
static int bind_twin(struct joulie_host *host, const struct jl_zone *zone,
                     const struct jl_zone_view *view, const struct jl_zone *package,
                     const struct jl_zone_view *package_view)
{
    if (view->long_term == SIZE_MAX || package_view->long_term == SIZE_MAX)
        return 0;
    const char *key =
        join(host, "rapl/", package->name, "/", package->constraints[package_view->long_term].name);
    if (key == NULL)
        return JOULIE_E_NOMEM;
    struct jl_control *control = jl_control_find(host, key);
    if (control == NULL)
        return 0;
    jl_fd_close(&host->root.os, &control->fd_other);
    return set_text(&control->other_path, limit_path(host, zone, view->long_term));
}

/* ---- meters ---- */

/* An energy counter by its name; its sum goes on over a zone that comes back. */
static int bind_meter(struct joulie_host *host, enum joulie_host_zone_kind kind, const char *name,
                      const struct jl_zone *zone, size_t package)
{
    struct jl_meter *meter = NULL;
    for (size_t i = 0; i < host->meter_count && meter == NULL; i++) {
        if (jl_same(host->meters[i].name, name))
            meter = &host->meters[i];
    }
    if (meter == NULL) {
        if (JL_GROW(&host->meters, &host->meter_room, host->meter_count + 1) < 0)
            return JOULIE_E_NOMEM;
        meter = &host->meters[host->meter_count];
        *meter =
            (struct jl_meter){ .kind = kind, .fd = -1, .package = package, .control = JL_NOWHERE };
        if (set_text(&meter->name, name) < 0)
            return JOULIE_E_NOMEM;
        host->meter_count++;
    }
    jl_fd_close(&host->root.os, &meter->fd);
    meter->is_lost = false;
    meter->range_uj = zone->max_energy_range_uj.code == 0 ? zone->max_energy_range_uj.value : 0;
    meter->tdp_w = 0;
    for (size_t i = 0; i < zone->constraint_count; i++) {
        const struct jl_fact *max = &zone->constraints[i].max_power_uw;
        if (jl_same(zone->constraints[i].name, "long_term"))
            meter->tdp_w = jl_cap_reference_w(max->code == 0, max->value, false, 0);
    }
    return set_text(&meter->path, join(host, zone->path, "/energy_uj", "", ""));
}

static bool has_energy(const struct jl_zone *zone)
{
    return zone->energy_uj.code != JOULIE_E_UNSUPPORTED;
}

static int bind_package_zone(struct joulie_host *host, const struct jl_zone *zone,
                             const struct jl_zone_view *view)
{
    const size_t package = package_at(host, view->package);
    int rc = has_energy(zone)
                 ? bind_meter(host, JOULIE_HOST_ZONE_KIND_PACKAGE, zone->name, zone, package)
                 : 0;
    if (rc == 0 && view->is_controllable)
        rc = bind_constraint(host, JL_CONTROL_LONG, zone, view, view->long_term, package);
    if (rc == 0 && view->is_controllable && view->short_term != SIZE_MAX)
        rc = bind_constraint(host, JL_CONTROL_SHORT, zone, view, view->short_term, package);
    return rc;
}

static int bind_other_zone(struct joulie_host *host, size_t at, const struct jl_zone_view *views)
{
    const struct jl_zone *zone = &host->facts.zones[at];
    const char *name;
    switch (views[at].role) {
    case JL_ZONE_DRAM:
        if (!has_energy(zone) || zone->parent == SIZE_MAX)
            return 0;
        name = join(host, host->facts.zones[zone->parent].name, "/", zone->name, "");
        return name != NULL ? bind_meter(host, JOULIE_HOST_ZONE_KIND_DRAM, name, zone,
                                         package_at(host, views[at].package))
                            : JOULIE_E_NOMEM;
    case JL_ZONE_PSYS:
        return has_energy(zone)
                   ? bind_meter(host, JOULIE_HOST_ZONE_KIND_PSYS, zone->name, zone, JL_NOWHERE)
                   : 0;
    case JL_ZONE_MMIO_TWIN:
        return bind_twin(host, zone, &views[at], &host->facts.zones[views[at].twin],
                         &views[views[at].twin]);
    case JL_ZONE_PACKAGE:
    case JL_ZONE_IGNORED:
    case JL_ZONE_CORE:
    case JL_ZONE_UNCORE:
    case JL_ZONE_DUPLICATE:
        break;
    }
    return 0;
}

static int bind_zones(struct joulie_host *host)
{
    const size_t count = host->facts.zone_count;
    struct jl_zone_view *views = JL_NEW_ARRAY(&host->facts_memory, count + 1, struct jl_zone_view);
    size_t *order = JL_NEW_ARRAY(&host->facts_memory, count + 1, size_t);
    if (views == NULL || order == NULL)
        return jl_arena_code(&host->facts_memory);
    const size_t packages = jl_zones_view(host->facts.zones, count, views, order);
    int rc = 0;
    for (size_t i = 0; i < packages && rc == 0; i++)
        rc = add_package(host, views[order[i]].package) != NULL ? 0 : JOULIE_E_NOMEM;
    for (size_t i = 0; i < packages && rc == 0; i++)
        rc = bind_package_zone(host, &host->facts.zones[order[i]], &views[order[i]]);

    static const enum jl_zone_role others[] = { JL_ZONE_DRAM, JL_ZONE_PSYS, JL_ZONE_MMIO_TWIN };

    for (size_t k = 0; k < JL_COUNT(others); k++) {
        for (size_t i = 0; i < count && rc == 0; i++) {
            if (views[i].role == others[k])
                rc = bind_other_zone(host, i, views);
        }
    }
    return rc;
}

/* ---- cpufreq ---- */

static const struct jl_cpu *find_cpu(const struct jl_host_facts *facts, uint32_t number)
{
    size_t low = 0, high = facts->cpu_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (facts->cpus[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_there = low < facts->cpu_count && facts->cpus[low].number == number;
    return is_there ? &facts->cpus[low] : NULL;
}

/* The package of all CPUs of a policy; -1 when they are of several, or unknown. */
static int64_t package_of_policy(const struct jl_host_facts *facts,
                                 const struct jl_cpufreq_policy *policy)
{
    int64_t found = -1;
    for (size_t i = 0; i < policy->cpu_count; i++) {
        const struct jl_cpu *cpu = find_cpu(facts, policy->cpus[i]);
        if (cpu == NULL || cpu->package.code != 0 || cpu->package.value > MOST_PACKAGES)
            return -1;
        const int64_t package = (int64_t)cpu->package.value;
        if (found >= 0 && package != found)
            return -1;
        found = package;
    }
    return found;
}

static int bind_frequency(struct joulie_host *host, const struct jl_cpufreq_policy *policy,
                          bool is_max, int64_t package)
{
    struct jl_control *control = add_control(
        host, is_max ? JL_CONTROL_FREQ_MAX : JL_CONTROL_FREQ_MIN,
        join(host, "cpufreq/policy", digits(host, policy->number), is_max ? "/max" : "/min", ""));
    if (control == NULL)
        return JOULIE_E_NOMEM;
    control->package = package_at(host, package);
    control->number = policy->number;
    control->file.range = (struct jl_freq_range){ .min_khz = policy->cpuinfo_min_khz.value,
                                                  .max_khz = policy->cpuinfo_max_khz.value };
    if (set_text(&control->file.folder, policy->path) < 0)
        return JOULIE_E_NOMEM;
    close_control(host, control); /* the policy may have been made anew */
    return set_text(
        &control->file.path,
        join(host, policy->path, is_max ? "/scaling_max_freq" : "/scaling_min_freq", "", ""));
}

/* A policy without believable bounds cannot be given back to them. */
static bool can_be_throttled(const struct jl_cpufreq_policy *policy)
{
    return policy->cpuinfo_min_khz.code == 0 && policy->cpuinfo_max_khz.code == 0 &&
           policy->scaling_max_khz.code == 0 &&
           policy->cpuinfo_max_khz.value > policy->cpuinfo_min_khz.value &&
           policy->cpuinfo_max_khz.value < JL_CPUFREQ_NO_MAX_KHZ;
}

/* A maximum and right behind it the minimum of each policy: whoever lowers one looks at the other.
 */
static int bind_policies(struct joulie_host *host)
{
    int rc = 0;
    for (size_t i = 0; i < host->facts.policy_count && rc == 0; i++) {
        const struct jl_cpufreq_policy *policy = &host->facts.policies[i];
        if (!can_be_throttled(policy))
            continue;
        const int64_t package = package_of_policy(&host->facts, policy);
        rc = bind_frequency(host, policy, true, package);
        if (rc == 0)
            rc = bind_frequency(host, policy, false, package);
    }
    return rc;
}

/* ---- all of it ---- */

/* Packages of a machine without zones: by the topology of its CPUs. */
static int add_topology_packages(struct joulie_host *host)
{
    for (size_t i = 0; i < host->facts.cpu_count; i++) {
        const struct jl_fact *package = &host->facts.cpus[i].package;
        if (package->code == 0 && package->value <= MOST_PACKAGES &&
            add_package(host, (int64_t)package->value) == NULL)
            return JOULIE_E_NOMEM;
    }
    if (host->package_count == 0 && host->facts.policy_count > 0)
        return add_package(host, 0) != NULL ? 0 : JOULIE_E_NOMEM;
    return 0;
}

/* Counts of thermal throttling: of the first CPU of each package. */
static int bind_throttle(struct joulie_host *host)
{
    for (size_t i = host->facts.cpu_count; i-- > 0;) { /* the lowest number stays */
        const struct jl_cpu *cpu = &host->facts.cpus[i];
        const size_t at =
            cpu->package.code == 0 && cpu->package.value <= MOST_PACKAGES && cpu->is_online
                ? package_at(host, (int64_t)cpu->package.value)
                : JL_NOWHERE;
        if (at != JL_NOWHERE && set_text(&host->packages[at].throttle_path,
                                         join(host, JL_CPU_PATH "/cpu", digits(host, cpu->number),
                                              "/thermal_throttle/package_throttle_count", "")) < 0)
            return JOULIE_E_NOMEM;
    }
    return 0;
}

/* docs/rules/frequencies.md#loops: one loop per package where each has a meter and policies of its
 * own, else one for all. */
static bool is_node_wide(const struct joulie_host *host)
{
    for (size_t p = 0; p < host->package_count; p++) {
        bool has_meter = false;
        for (size_t i = 0; i < host->meter_count; i++)
            has_meter |= host->meters[i].kind == JOULIE_HOST_ZONE_KIND_PACKAGE &&
                         host->meters[i].package == p;
        if (!has_meter)
            return true;
    }
    const struct jl_control *control = NULL;
    while ((control = jl_control_next(host, JL_CONTROL_FREQ_MAX, JL_NOWHERE, control)) != NULL) {
        if (control->package == JL_NOWHERE)
            return true;
    }
    return false;
}

static void tie_meters(struct joulie_host *host)
{
    for (size_t i = 0; i < host->meter_count; i++) {
        struct jl_meter *meter = &host->meters[i];
        for (size_t k = 0; k < host->control_count; k++) {
            if (host->controls[k].file.kind == JL_CONTROL_LONG &&
                jl_same(host->controls[k].file.zone_name, meter->name))
                meter->control = k;
        }
    }
}

int jl_host_bind(struct joulie_host *host)
{
    if (host->facts.policy_count > JL_LIMIT_POLICIES)
        return JOULIE_E_LIMIT;
    int rc = bind_zones(host);
    if (rc == 0)
        rc = add_topology_packages(host);
    if (rc == 0)
        rc = bind_policies(host);
    if (rc == 0)
        rc = bind_throttle(host);
    if (rc < 0)
        return rc;
    tie_meters(host);
    host->is_node_wide = is_node_wide(host);
    host->socket_count = host->package_count > 0 ? (uint32_t)host->package_count : 1;
    const struct jl_cpu_model *model = jl_catalog_cpu(host->facts.cpu_model);
    host->catalog_max_w = model != NULL ? model->tdp_w : 0;
    return 0;
}

/* Everything that is remembered of controls, meters and packages stays; only paths change, and with
 * them what was shown of them. */
int jl_host_rescan(struct joulie_host *host)
{
    host->shown.is_there = false;
    jl_arena_reset(&host->facts_memory);
    host->facts = (struct jl_host_facts){ 0 };
    const int rc = jl_host_scan(&host->root, &host->facts_memory, &host->facts);
    return rc == 0 ? jl_host_bind(host) : rc;
}

void jl_host_reopen(struct joulie_host *host)
{
    for (size_t i = 0; i < host->control_count; i++)
        close_control(host, &host->controls[i]);
}

void jl_host_drop(struct joulie_host *host)
{
    for (size_t i = 0; i < host->control_count; i++) {
        struct jl_control *control = &host->controls[i];
        close_control(host, control);
        jl_free(control->file.key);
        jl_free(control->file.zone_name);
        jl_free(control->file.folder);
        jl_free(control->file.path);
        jl_free(control->other_path);
    }
    for (size_t i = 0; i < host->meter_count; i++) {
        jl_fd_close(&host->root.os, &host->meters[i].fd);
        jl_free(host->meters[i].name);
        jl_free(host->meters[i].path);
    }
    for (size_t i = 0; i < host->package_count; i++) {
        jl_fd_close(&host->root.os, &host->packages[i].fd_throttle);
        jl_free(host->packages[i].throttle_path);
    }
    jl_free(host->controls);
    jl_free(host->meters);
    jl_free(host->packages);
}
