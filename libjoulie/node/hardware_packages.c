/* SPDX-License-Identifier: Apache-2.0 */

/* Sockets, dies and cores from the topology; packages from it and from the power zones; the lists
 * of warnings that hardware.c fills, too. */

#include <joulie/error.h>

#include "base/number.h"
#include "base/sort.h"
#include "caps/ramp.h"
#include "node/hardware.h"
#include "power/rapl.h"
#include "schema/row.h"

#define UW_PER_W 1e6

/* ---- warnings ---- */

void jl_hardware_put_text(struct jl_hardware_texts *texts, const char *text)
{
    if (texts->count < JL_HARDWARE_TEXTS)
        texts->items[texts->count++] = text;
    else
        texts->items[JL_HARDWARE_TEXTS - 1] = "more warnings are left out";
}

void jl_hardware_put(struct jl_hardware_build *build, struct jl_hardware_texts *texts,
                     const char *const *parts, size_t count)
{
    const char *text = jl_arena_join(build->arena, parts, count);
    build->is_out |= text == NULL;
    if (text != NULL)
        jl_hardware_put_text(texts, text);
}

struct jl_list jl_hardware_list(struct jl_hardware_build *build,
                                const struct jl_hardware_texts *texts)
{
    const char **items = JL_NEW_ARRAY(build->arena, texts->count, const char *);
    build->is_out |= items == NULL;
    if (items == NULL)
        return (struct jl_list){ .count = 0 };
    memcpy(items, texts->items, texts->count * sizeof *items);
    return (struct jl_list){ items, texts->count };
}

/* ---- topology ---- */

struct core { /* of one CPU */
    uint64_t package;
    uint64_t die;
    uint64_t number;
};

struct socket { /* of one package */
    uint64_t number;
    int64_t dies; /* by topology, 0 = unknown */
};

struct topology {
    struct core *cores; /* of the CPUs whose package is known, sorted */
    size_t count;
    bool has_all_cores; /* of every CPU that is online */
    bool has_dies;
};

static int compare_cores(const void *a, const void *b, void *user)
{
    const struct core *left = a;
    const struct core *right = b;
    (void)user;
    int order = JL_ORDER(left->package, right->package);
    if (order == 0)
        order = JL_ORDER(left->die, right->die);
    return order != 0 ? order : JL_ORDER(left->number, right->number);
}

/* Cores sorted by package, die and number, so that the same core of two threads stands together. */
static struct topology read_topology(struct jl_hardware_build *build)
{
    const struct jl_host_facts *facts = build->facts;
    struct topology found = { .has_all_cores = true, .has_dies = true };
    found.cores = JL_NEW_ARRAY(build->arena, facts->cpu_count, struct core);
    build->is_out |= found.cores == NULL;
    for (size_t i = 0; i < facts->cpu_count && !build->is_out; i++) {
        const struct jl_cpu *cpu = &facts->cpus[i];
        if (!cpu->is_online)
            continue;
        const bool has_package = cpu->package.code == 0 && cpu->package.value <= UINT32_MAX;
        found.has_all_cores &= has_package && cpu->core.code == 0;
        if (!has_package)
            continue;
        found.has_dies &= cpu->die.code == 0;
        found.cores[found.count++] =
            (struct core){ cpu->package.value, cpu->die.code == 0 ? cpu->die.value : 0,
                           cpu->core.value };
    }
    found.has_all_cores &= found.count > 0;
    found.has_dies &= found.count > 0;
    build->is_out |=
        jl_sort(found.cores, found.count, sizeof *found.cores, compare_cores, NULL) < 0;
    return found;
}

static int64_t count_cores(const struct topology *topology)
{
    int64_t count = 0;
    for (size_t i = 0; i < topology->count; i++)
        count += i == 0 || compare_cores(&topology->cores[i - 1], &topology->cores[i], NULL) != 0;
    return count;
}

/* The packages of the topology, then those that only zones name; by number. */
static size_t find_sockets(const struct jl_hardware_build *build, const struct topology *topology,
                           struct socket *out)
{
    const struct core *cores = topology->cores;
    size_t count = 0;
    size_t at = 0; /* in cores */
    size_t zone = 0;
    while (at < topology->count || zone < build->order_count) {
        const uint64_t by_zone =
            zone < build->order_count ? build->views[build->order[zone]].package : UINT64_MAX;
        const uint64_t number =
            at < topology->count && cores[at].package <= by_zone ? cores[at].package : by_zone;
        struct socket *socket = &out[count++];
        *socket = (struct socket){ number, 0 };
        for (; at < topology->count && cores[at].package == number; at++) {
            const bool is_new = socket->dies == 0 || cores[at].die != cores[at - 1].die;
            socket->dies += is_new;
        }
        while (zone < build->order_count && build->views[build->order[zone]].package == number)
            zone++;
        if (!topology->has_dies)
            socket->dies = 0;
    }
    return count;
}

/* ---- packages ---- */

struct limits { /* of the zones of one package */
    int64_t zones;
    int64_t dies; /* that have a zone of their own */
    double max_w;
    double default_w;
    bool has_max; /* of every zone, as the others */
    bool has_default;
    bool has_unit;
    bool is_controllable;
    bool is_on;
    bool has_energy;
    const char *why_not; /* it is not controllable */
};

static const char *why_not(const struct jl_zone *zone, const struct jl_zone_view *view)
{
    if (view->long_term == SIZE_MAX)
        return "the kernel has no limit for it";
    const struct jl_fact *limit = &zone->constraints[view->long_term].limit_uw;
    if (limit->code != 0)
        return "its limit cannot be read";
    if (limit->value == 0)
        return "its limit reads 0";
    return view->is_controllable ? NULL : "its limit is not that of the processor";
}

static void add_zone(const struct jl_zone *zone, const struct jl_zone_view *view,
                     struct limits *limits)
{
    const struct jl_zone_constraint none = { .limit_uw = { .code = JOULIE_E_UNSUPPORTED },
                                             .max_power_uw = { .code = JOULIE_E_UNSUPPORTED } };
    const struct jl_zone_constraint *constraint =
        view->long_term != SIZE_MAX ? &zone->constraints[view->long_term] : &none;
    const struct jl_fact *limit = &constraint->limit_uw;
    const struct jl_fact *max = &constraint->max_power_uw;
    const double max_w = jl_cap_ceiling_w(
        jl_cap_reference_w(max->code == 0, max->value, limit->code == 0, limit->value));
    const char *reason = why_not(zone, view);
    limits->zones++;
    limits->dies += view->has_die;
    limits->max_w += max_w;
    limits->has_max &= max_w > 0;
    limits->has_default &= limit->code == 0 && limit->value > 0;
    limits->default_w += limit->code == 0 ? (double)limit->value / UW_PER_W : 0;
    limits->has_unit &= limit->code == 0 && limit->value % JL_RAPL_UNIT_UW == 0;
    limits->is_controllable &= reason == NULL;
    limits->is_on &= zone->enabled.code == 0 && zone->enabled.value != 0;
    limits->has_energy &= zone->energy_uj.code == 0;
    if (limits->why_not == NULL)
        limits->why_not = reason;
}

/* Watts are sums over dies and known only when every die has them; flags hold for all dies. */
static struct limits limits_of(const struct jl_hardware_build *build, size_t first, size_t count)
{
    const struct limits start = { .has_max = true,
                                  .has_default = true,
                                  .has_unit = true,
                                  .is_controllable = true,
                                  .is_on = true,
                                  .has_energy = true };
    struct limits limits = count > 0 ? start : (struct limits){ .zones = 0 };
    for (size_t i = first; i < first + count; i++)
        add_zone(&build->facts->zones[build->order[i]], &build->views[build->order[i]], &limits);
    return limits;
}

static void warn_of(struct jl_hardware_build *build, const struct socket *socket,
                    const struct limits *limits)
{
    char number[JL_DOUBLE_TEXT];
    jl_format_u64(socket->number, number);
    if (limits->zones == 0)
        return;
    if (limits->why_not != NULL)
        JL_HARDWARE_WARN(build, &build->cpu, "power of package ", number,
                         " cannot be limited: ", limits->why_not);
    else if (!limits->is_on)
        JL_HARDWARE_WARN(build, &build->cpu, "the limit of package ", number,
                         " is switched off, or locked by the firmware");
}

/* What the topology and the zones say of dies may differ: the larger number is the one that is
 * seen. */
static void put_package(const struct socket *socket, const struct limits *limits, const char *zone,
                        struct jl_cpu_package *out)
{
    const int64_t dies_by_zone = limits->dies > 0 ? limits->dies : limits->zones > 0;
    const int64_t dies = socket->dies > dies_by_zone ? socket->dies : dies_by_zone;
    JL_SET(out, index, (int64_t)socket->number);
    JL_SET(out, zone, zone);
    JL_SET_IF(out, dies, dies > 0, dies);
    JL_SET_IF(out, max_w, limits->has_max, limits->max_w);
    JL_SET_IF(out, default_w, limits->has_default, limits->default_w);
    JL_SET_IF(out, power_unit_w, limits->has_default && limits->has_unit,
              (double)JL_RAPL_UNIT_UW / UW_PER_W);
    JL_SET(out, controllable, limits->is_controllable);
    JL_SET_IF(out, locked, limits->is_on, false);
}

/* Per socket means: every package can take it. */
static void narrow_range(const struct limits *limits, struct jl_cap_range *range)
{
    if (!limits->has_max)
        return;
    JL_SET(range, type, "package");
    if (!range->given.max_w || limits->max_w < range->max_w)
        JL_SET(range, max_w, limits->max_w);
}

static void put_packages(struct jl_hardware_build *build, const struct socket *sockets,
                         size_t count, struct jl_hw_cpu *cpu)
{
    struct jl_cpu_package *packages = JL_NEW_ARRAY(build->arena, count, struct jl_cpu_package);
    size_t first = 0; /* in the order of zones */
    build->is_out |= packages == NULL;
    for (size_t i = 0; i < count && !build->is_out; i++) {
        size_t end = first;
        while (end < build->order_count &&
               build->views[build->order[end]].package == sockets[i].number)
            end++;
        const struct limits limits = limits_of(build, first, end - first);
        const char *zone = end > first ? build->facts->zones[build->order[first]].path : "";
        put_package(&sockets[i], &limits, zone, &packages[i]);
        warn_of(build, &sockets[i], &limits);
        narrow_range(&limits, &cpu->cap_range);
        cpu->control_available |= limits.is_controllable;
        cpu->telemetry_available |= limits.has_energy;
        first = end;
    }
    if (count > 0)
        JL_SET(cpu, packages, ((struct jl_list){ packages, count }));
    if (cpu->cap_range.has != 0)
        cpu->given.cap_range = true;
}

static void put_cores(const struct jl_hardware_build *build, const struct topology *topology,
                      size_t sockets, struct jl_hw_cpu *cpu)
{
    const struct jl_host_facts *facts = build->facts;
    const int64_t cores =
        topology->has_all_cores ? count_cores(topology) : (int64_t)facts->cpuinfo_cores;
    const int64_t packages = sockets > 0 ? (int64_t)sockets : (int64_t)facts->cpuinfo_packages;
    JL_SET_IF(cpu, physical_cores, cores > 0, cores);
    JL_SET_IF(cpu, sockets, packages > 0, packages);
}

void jl_hardware_packages(struct jl_hardware_build *build, struct jl_hw_cpu *cpu)
{
    const struct topology topology = read_topology(build);
    struct socket *sockets =
        JL_NEW_ARRAY(build->arena, topology.count + build->order_count, struct socket);
    build->is_out |= sockets == NULL;
    if (build->is_out)
        return;
    const size_t count = find_sockets(build, &topology, sockets);
    put_cores(build, &topology, count, cpu);
    put_packages(build, sockets, count, cpu);
}
