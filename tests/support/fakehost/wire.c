/* SPDX-License-Identifier: Apache-2.0 */
/* Which file of a tree is what, and zones that go and come. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "parts.h"

#define FALLBACK_TDP_W 200.0
#define DEMAND_SHARE 0.6
#define IDLE_SHARE 0.15
/* Shares of the energy of a package, see model.h. */
#define DRAM_SHARE 0.12
#define CORE_SHARE 0.6
#define AMD_CORE_SHARE 0.02
#define UNCORE_SHARE 0.1
/* A reference outside of these is not believed. */
#define REFERENCE_MIN_UW UINT64_C(5000000)
#define REFERENCE_MAX_UW UINT64_C(2000000000)

static uint64_t first_number(const char *text, size_t len)
{
    size_t digits = 0;
    while (digits < len && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    uint64_t value = 0;
    return jl_parse_u64(text, digits, &value) == 0 ? value : UINT64_MAX;
}

uint64_t fk_node_number(const struct fk_node *node)
{
    return node && node->bytes.data ? first_number(node->bytes.data, node->bytes.len) : UINT64_MAX;
}

static uint64_t number_in(struct fk *fk, struct fk_node *folder, const char *path, uint64_t missing)
{
    const uint64_t value = fk_node_number(fk_find(fk, folder, path));
    return value == UINT64_MAX ? missing : value;
}

static bool has_text(const struct fk_node *node, const char *text)
{
    const struct jl_text content = { node ? node->bytes.data : NULL, node ? node->bytes.len : 0 };
    return jl_text_is(jl_text_trim(content), text);
}

/* ---- zones ---- */

static size_t unit_of(const struct fk *fk, uint32_t package, uint32_t die)
{
    for (size_t i = 0; i < fk->unit_count; i++) {
        const struct fk_unit *unit = &fk->units[i];
        if (unit->package == package && (!unit->has_die || unit->die == die))
            return i;
    }
    return SIZE_MAX;
}

static void add_unit(struct fk *fk, uint32_t package, bool has_die, uint32_t die)
{
    for (size_t i = 0; i < fk->unit_count; i++) {
        const struct fk_unit *unit = &fk->units[i];
        if (unit->package == package && (!has_die || unit->die == die))
            return;
    }
    size_t at = fk->unit_count;
    size_t capacity = fk->unit_count;
    fk->units = fk_grow(fk->units, &capacity, fk->unit_count + 1, sizeof *fk->units);
    for (; at > 0; at--) {
        const struct fk_unit *before = &fk->units[at - 1];
        if (before->package < package || (before->package == package && before->die < die))
            break;
        fk->units[at] = fk->units[at - 1];
    }
    fk->units[at] = (struct fk_unit){ .package = package, .has_die = has_die, .die = die };
    fk->unit_count++;
}

/* package-N, package-N-die-M */
static bool package_name(const struct fk_node *name, uint32_t *package, bool *has_die,
                         uint32_t *die)
{
    if (!name || !name->bytes.data || !jl_starts_with(name->bytes.data, "package-"))
        return false;
    const char *at = name->bytes.data + strlen("package-");
    *package = (uint32_t)first_number(at, strlen(at));
    const char *rest = strstr(at, "-die-");
    *has_die = rest != NULL;
    *die = rest ? (uint32_t)first_number(rest + 5, strlen(rest + 5)) : 0;
    return true;
}

static void find_units(struct fk *fk, struct fk_node *folder)
{
    uint32_t package;
    uint32_t die;
    bool has_die;
    if (package_name(fk_find(fk, folder, "name"), &package, &has_die, &die))
        add_unit(fk, package, has_die, die);
    for (size_t i = 0; i < folder->names.count; i++) {
        if (folder->names.items[i].node->kind == FK_FOLDER)
            find_units(fk, folder->names.items[i].node);
    }
}

static void wire_constraint(struct fk *fk, struct fk_zone *zone, unsigned number)
{
    char name[64];
    struct fk_constraint *constraint = &zone->constraints[number];
    snprintf(name, sizeof name, "constraint_%u_power_limit_uw", number);
    struct fk_node *limit = fk_find(fk, zone->node, name);
    snprintf(name, sizeof name, "constraint_%u_time_window_us", number);
    struct fk_node *window = fk_find(fk, zone->node, name);
    snprintf(name, sizeof name, "constraint_%u_max_power_uw", number);
    struct fk_node *max = fk_find(fk, zone->node, name);
    snprintf(name, sizeof name, "constraint_%u_name", number);
    const struct fk_node *word = fk_find(fk, zone->node, name);
    if (max)
        max->live = FK_FIXED_CONSTRAINT;
    if (!limit)
        return;
    const uint64_t limit_uw = fk_node_number(limit);
    const uint64_t window_us = fk_node_number(window);
    const bool has_value = limit_uw != UINT64_MAX;
    *constraint = (struct fk_constraint){
        .is_there = has_value,
        .has_window = window_us != UINT64_MAX && !has_text(word, "peak_power"),
        .is_limit = number == 0 || (has_value && limit_uw > 0),
        .limit_uw = has_value ? limit_uw : 0,
        .window_us = window_us != UINT64_MAX ? window_us : 0,
    };
    constraint->first_is_limit = constraint->is_limit;
    constraint->first_limit_uw = constraint->limit_uw;
    constraint->first_window_us = constraint->window_us;
    limit->live = has_value ? FK_LIMIT : FK_FIXED_CONSTRAINT;
    limit->zone = zone;
    limit->constraint = number;
    if (window) {
        window->live = window_us != UINT64_MAX ? FK_WINDOW : FK_FIXED_CONSTRAINT;
        window->zone = zone;
        window->constraint = number;
    }
}

static bool kind_of(const struct fk_node *name, enum fk_zone_kind *kind, double *share, bool is_amd)
{
    static const struct {
        const char *name;
        enum fk_zone_kind kind;
        double share;
    } kinds[] = {
        { "package-", FK_ZONE_PACKAGE, 1.0 },     { "dram", FK_ZONE_DRAM, DRAM_SHARE },
        { "core", FK_ZONE_CORE, CORE_SHARE },     { "uncore", FK_ZONE_UNCORE, UNCORE_SHARE },
        { "psys", FK_ZONE_PSYS, 1 + DRAM_SHARE },
    };

    for (size_t i = 0; name && name->bytes.data && i < JL_COUNT(kinds); i++) {
        if (!jl_starts_with(name->bytes.data, kinds[i].name))
            continue;
        *kind = kinds[i].kind;
        *share = is_amd && *kind == FK_ZONE_CORE ? AMD_CORE_SHARE : kinds[i].share;
        return true;
    }
    return false;
}

static void wire_zone_files(struct fk *fk, struct fk_zone *zone)
{
    struct fk_node *energy = fk_find(fk, zone->node, "energy_uj");
    struct fk_node *range = fk_find(fk, zone->node, "max_energy_range_uj");
    struct fk_node *enabled = fk_find(fk, zone->node, "enabled");
    zone->range_uj = fk_node_number(range) == UINT64_MAX ? 0 : fk_node_number(range);
    zone->base_uj = fk_node_number(energy) == UINT64_MAX ? 0 : fk_node_number(energy);
    if (energy) {
        energy->live = fk_node_number(energy) == UINT64_MAX ? FK_FIXED_ENERGY : FK_ENERGY;
        energy->zone = zone;
    }
    if (range)
        range->live = FK_FIXED_ENERGY;
    if (enabled) {
        enabled->live = FK_ENABLED;
        enabled->zone = zone;
        zone->is_enabled = zone->first_enabled = fk_node_number(enabled) == 1;
    }
    for (unsigned i = 0; i < FK_CONSTRAINTS_MAX; i++)
        wire_constraint(fk, zone, i);
}

/* unit: of the zone above, SIZE_MAX at the top. */
static void wire_zones(struct fk *fk, struct fk_node *folder, size_t unit, bool is_amd)
{
    for (size_t i = 0; i < folder->names.count; i++) {
        struct fk_node *node = folder->names.items[i].node;
        if (node->kind != FK_FOLDER || !fk_find(fk, node, "name"))
            continue;
        struct fk_zone *zone = fk_alloc(1, sizeof *zone);
        const struct fk_node *name = fk_find(fk, node, "name");
        uint32_t package = 0;
        uint32_t die = 0;
        bool has_die = false;
        zone->node = node;
        zone->unit =
            package_name(name, &package, &has_die, &die) ? unit_of(fk, package, die) : unit;
        zone->is_amd = is_amd;
        if (!kind_of(name, &zone->kind, &zone->share, is_amd) ||
            (zone->unit == SIZE_MAX && zone->kind != FK_ZONE_PSYS)) {
            free(zone);
            continue;
        }
        zone->next = fk->zones;
        fk->zones = zone;
        wire_zone_files(fk, zone);
        wire_zones(fk, node, zone->unit, is_amd);
    }
}

/* ---- processors and frequencies ---- */

static bool is_numbered(const char *name, const char *start)
{
    return jl_starts_with(name, start) && jl_is_digit(name[strlen(start)]);
}

/* For trees without packages in powercap: those of the topology, or at least one. */
static void units_of_topology(struct fk *fk, struct fk_node *cpus)
{
    for (size_t i = 0; cpus && i < cpus->names.count; i++) {
        struct fk_node *cpu = cpus->names.items[i].node;
        if (is_numbered(cpu->name, "cpu"))
            add_unit(fk, (uint32_t)number_in(fk, cpu, "topology/physical_package_id", 0), false, 0);
    }
    if (fk->unit_count == 0)
        add_unit(fk, 0, false, 0);
}

static size_t unit_of_cpu(struct fk *fk, struct fk_node *cpu)
{
    const uint64_t package = number_in(fk, cpu, "topology/physical_package_id", 0);
    const uint64_t die = number_in(fk, cpu, "topology/die_id", 0);
    const size_t unit = unit_of(fk, (uint32_t)package, (uint32_t)die);
    return unit == SIZE_MAX ? 0 : unit;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* The numbers of a list with blanks. */
static size_t numbers_of(const struct fk_node *node, uint64_t **out)
{
    size_t count = 0;
    size_t capacity = 0;
    *out = NULL;
    for (const char *at = node && node->bytes.data ? node->bytes.data : ""; *at;) {
        const size_t len = strcspn(at, " \n");
        if (len > 0) {
            *out = fk_grow(*out, &capacity, count + 1, sizeof **out);
            (*out)[count++] = first_number(at, len);
        }
        at += len + (at[len] != '\0');
    }
    return count;
}

static struct fk_node *live_file(struct fk *fk, struct fk_policy *policy, const char *name,
                                 enum fk_live live)
{
    struct fk_node *node = fk_find(fk, policy->node, name);
    if (node) {
        node->live = live;
        node->policy = policy;
    }
    return node;
}

static void wire_policy(struct fk *fk, struct fk_node *node)
{
    struct fk_policy *policy = fk_alloc(1, sizeof *policy);
    policy->node = node;
    policy->next = fk->policies;
    fk->policies = policy;
    fk->policy_count++;
    policy->min_khz = number_in(fk, node, "cpuinfo_min_freq", 0);
    policy->max_khz = number_in(fk, node, "cpuinfo_max_freq", policy->min_khz);
    policy->table_count =
        numbers_of(fk_find(fk, node, "scaling_available_frequencies"), &policy->table);
    if (policy->table_count > 0)
        qsort(policy->table, policy->table_count, sizeof *policy->table, by_value);
    /* A limit that the tree was recorded with is somebody's request. */
    const uint64_t min = number_in(fk, node, "scaling_min_freq", policy->min_khz);
    const uint64_t max = number_in(fk, node, "scaling_max_freq", policy->max_khz);
    policy->first_min_khz = min == policy->min_khz ? 0 : min;
    policy->first_max_khz = max == policy->max_khz ? INT32_MAX : max;
    policy->request_min_khz = policy->first_min_khz;
    policy->request_max_khz = policy->first_max_khz;
    live_file(fk, policy, "scaling_min_freq", FK_FREQ_MIN);
    live_file(fk, policy, "scaling_max_freq", FK_FREQ_MAX);
    live_file(fk, policy, "scaling_cur_freq", FK_FREQ_NOW);
    live_file(fk, policy, "cpuinfo_cur_freq", FK_FREQ_NOW);
    live_file(fk, policy, "scaling_governor", FK_GOVERNOR);

    uint64_t *members;
    policy->cpus = numbers_of(fk_find(fk, node, "affected_cpus"), &members);
    char path[64];
    snprintf(path, sizeof path, FK_CPU "/cpu%u", policy->cpus > 0 ? (unsigned)members[0] : 0);
    struct fk_node *cpu = fk_find(fk, fk->root, path);
    policy->unit = cpu ? unit_of_cpu(fk, cpu) : 0;
    free(members);
}

static void wire_cpus(struct fk *fk, struct fk_node *cpus)
{
    for (size_t i = 0; cpus && i < cpus->names.count; i++) {
        struct fk_node *cpu = cpus->names.items[i].node;
        if (is_numbered(cpu->name, "cpu"))
            fk->units[unit_of_cpu(fk, cpu)].cpus++;
    }
    struct fk_node *folder = cpus ? fk_find(fk, cpus, "cpufreq") : NULL;
    for (size_t i = 0; folder && i < folder->names.count; i++) {
        if (is_numbered(folder->names.items[i].name, "policy"))
            wire_policy(fk, folder->names.items[i].node);
    }
}

/* What the first zone of a package says, else 0. */
static double reference_w(struct fk *fk, size_t unit)
{
    for (const struct fk_zone *zone = fk->zones; zone; zone = zone->next) {
        if (zone->unit != unit || zone->kind != FK_ZONE_PACKAGE || !zone->constraints[0].is_there)
            continue;
        const uint64_t max = number_in(fk, zone->node, "constraint_0_max_power_uw", 0);
        const bool is_believed = max >= REFERENCE_MIN_UW && max <= REFERENCE_MAX_UW;
        return (double)(is_believed ? max : zone->constraints[0].limit_uw) / 1e6;
    }
    return 0;
}

void fk_wire(struct fk *fk)
{
    struct fk_node *powercap = fk_find(fk, fk->root, FK_POWERCAP);
    struct fk_node *cpus = fk_find(fk, fk->root, FK_CPU);
    const struct fk_node *info = fk_find(fk, fk->root, "proc/cpuinfo");
    const bool is_amd = info && info->bytes.data && strstr(info->bytes.data, "AuthenticAMD");
    if (powercap)
        find_units(fk, powercap);
    if (fk->unit_count == 0)
        units_of_topology(fk, cpus);
    for (size_t i = 0; powercap && i < powercap->names.count; i++) {
        struct fk_node *type = powercap->names.items[i].node;
        struct fk_node *enabled = fk_find(fk, type, "enabled");
        if (enabled)
            enabled->live = FK_TYPE_ENABLED;
        wire_zones(fk, type, SIZE_MAX, is_amd);
    }
    wire_cpus(fk, cpus);
    struct fk_node *stat = fk_find(fk, fk->root, "proc/stat");
    if (stat)
        stat->live = FK_STAT;
    for (size_t i = 0; i < fk->unit_count; i++) {
        struct fk_unit *unit = &fk->units[i];
        const double reference = reference_w(fk, i);
        unit->tdp_w = reference > 0 ? reference : FALLBACK_TDP_W;
        unit->idle_w = unit->tdp_w * IDLE_SHARE;
        unit->demand_w = unit->tdp_w * DEMAND_SHARE;
    }
}

/* ---- hotplug ---- */

static void end_life(struct fk_node *node)
{
    node->life++;
    for (size_t i = 0; i < node->names.count; i++)
        end_life(node->names.items[i].node);
}

/* The links in sys/class/powercap to a zone and its children. */
static void unlink_class(struct fk *fk, const struct fk_node *zone)
{
    struct fk_node *folder = fk_find(fk, fk->root, "sys/class/powercap");
    struct fk_entry *entry =
        folder ? fk_entry(&folder->names, zone->name, strlen(zone->name)) : NULL;
    if (entry)
        fk_detach(entry->node);
    for (size_t i = 0; i < zone->names.count; i++) {
        if (zone->names.items[i].node->kind == FK_FOLDER)
            unlink_class(fk, zone->names.items[i].node);
    }
}

static void link_class(struct fk *fk, const struct fk_zone *zone)
{
    struct fk_node *folder = fk_find(fk, fk->root, "sys/class/powercap");
    if (!folder)
        return;
    struct jl_buffer target = { 0 };
    jl_put_string(&target, "../../");
    jl_put_string(&target, fk_path(fk, zone->node) + strlen("sys/"));
    struct fk_node *link = fk_node_new(fk, FK_LINK, 0777);
    link->is_kernel = true;
    link->target = fk_copy(target.data, target.len);
    fk_attach(fk, folder, zone->node->name, link);
    jl_buffer_clear(&target);
}

int fk_zone_vanish(struct fk *fk, const char *path)
{
    struct fk_node *node = fk_find(fk, fk->root, path);
    for (struct fk_zone *zone = fk->zones; zone; zone = zone->next) {
        if (zone->node != node || zone->vanished_as)
            continue;
        unlink_class(fk, node);
        zone->home = node->parent;
        zone->vanished_as = fk_copy(path, strlen(path));
        zone->is_enabled = false;
        fk_detach(node);
        end_life(node);
        fk_plan_limits(fk, zone->unit);
        return 0;
    }
    return -ENOENT;
}

/* Children carry the name of their parent: intel-rapl:1:0. */
static void come_back(struct fk *fk, struct fk_zone *zone, struct fk_node *home, const char *name)
{
    fk_attach(fk, home, name, zone->node);
    zone->node->inode = ++fk->last_inode;
    link_class(fk, zone);
    for (struct fk_zone *child = fk->zones; child; child = child->next) {
        if (child->node->parent != zone->node)
            continue;
        const char *number = strrchr(child->node->name, ':');
        struct jl_buffer inner = { 0 };
        jl_put_string(&inner, name);
        jl_put_string(&inner, number ? number : "");
        fk_detach(child->node);
        come_back(fk, child, zone->node, inner.data);
        jl_buffer_clear(&inner);
    }
}

int fk_zone_return(struct fk *fk, const char *path, const char *name, bool is_enabled)
{
    for (struct fk_zone *zone = fk->zones; zone; zone = zone->next) {
        if (!jl_same(zone->vanished_as, path))
            continue;
        if (fk_entry(&zone->home->names, name, strlen(name)))
            return -EEXIST;
        come_back(fk, zone, zone->home, name);
        free(zone->vanished_as);
        zone->vanished_as = NULL;
        zone->is_enabled = is_enabled;
        fk_plan_limits(fk, zone->unit);
        return 0;
    }
    return -ENOENT;
}
