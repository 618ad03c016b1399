/* SPDX-License-Identifier: Apache-2.0 */

/*
 * rapl.encode and rapl.zones: registers and zones of RAPL (docs/rules/rapl.md).
 */

#include "power/rapl.h"

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/number.h"
#include "power/zones.h"

/*
 * rapl.encode: what the RAPL registers make of limits, windows and energy
 * (docs/rules/rapl.md#limits).
 */

#define COUNT NOT_NEGATIVE

#define RECORD rapl_encode_in
#define MEMBERS                                                                                   \
    INTEGER(power_uw, "powerUw", "A limit that is written, microwatts.", COUNT)                   \
    INTEGER(power_unit_uw, "powerUnitUw", "Smallest step of a limit, microwatts (125000).",       \
            AT_LEAST(1))                                                                          \
    INTEGER(read_uw, "readUw", "What reads back after powerUw was written, microwatts.", COUNT)   \
    INTEGER(window_us, "timeWindowUs", "A time window that is written, microseconds.", COUNT)     \
    INTEGER(esu, "energyStatusUnit", "Energy unit of the processor: 1 J / 2^n.", BETWEEN(0, 31))  \
    INTEGER(energy_unit_nj, "energyUnitNj", "Energy of one count, nanojoules.", BETWEEN(0, 1e12)) \
    INTEGER(range_uj, "maxEnergyRangeUj", "Where the counter wraps, microjoules; with watts.",    \
            COUNT)                                                                                \
    NUMBER(watts, "watts", "Constant power, W.", OVER(0))
#include "schema/record.h"

#define RECORD rapl_encode_out
#define MEMBERS                                                                                  \
    INTEGER(raw, "raw", "The register's 15 bits.")                                               \
    INTEGER(read_back_uw, "readBackUw",                                                          \
            "The limit that is in force, microwatts: floored to the unit, and wrapped where 15 " \
            "bits do not hold it.")                                                              \
    BOOLEAN(agrees, "agrees", "Whether readUw is less than one unit below powerUw.")             \
    INTEGER(window_code, "windowCode", "The register's 7 bits, F:Y.")                            \
    INTEGER(read_back_us, "readBackUs", "The window that is in force, microseconds.")            \
    INTEGER(energy_unit_nj, "energyUnitNj", "Energy of one count, nanojoules, rounded down.")    \
    INTEGER(range_uj, "maxEnergyRangeUj", "Where the counter wraps, microjoules.")               \
    NUMBER(wrap_s, "wrapS",                                                                      \
           "Seconds to a wrap at that power; absent: longer than a number can tell.")
#include "schema/record.h"

static void answer_limit(const struct rapl_encode_in *in, struct rapl_encode_out *out)
{
    const uint64_t unit_uw =
        in->given.power_unit_uw ? (uint64_t)in->power_unit_uw : JL_RAPL_UNIT_UW;
    const uint64_t power_uw = (uint64_t)in->power_uw;
    JL_SET(out, raw, (int64_t)jl_rapl_raw(power_uw, unit_uw));
    JL_SET(out, read_back_uw, (int64_t)jl_rapl_read_back_uw(power_uw, unit_uw));
    if (in->given.read_uw)
        JL_SET(out, agrees, jl_rapl_agrees(power_uw, (uint64_t)in->read_uw, unit_uw));
}

static void answer_window(const struct rapl_encode_in *in, struct rapl_encode_out *out)
{
    const uint32_t code = jl_rapl_window_code((uint64_t)in->window_us);
    JL_SET(out, window_code, code);
    JL_SET(out, read_back_us, (int64_t)jl_rapl_window_us(code));
}

static void answer_unit(uint64_t unit_nj, struct rapl_encode_out *out)
{
    JL_SET(out, energy_unit_nj, (int64_t)unit_nj);
    JL_SET(out, range_uj, (int64_t)jl_rapl_energy_range_uj(unit_nj));
}

static void answer_wrap(const struct rapl_encode_in *in, struct rapl_encode_out *out)
{
    const double wrap_s = jl_rapl_wrap_s((uint64_t)in->range_uj, in->watts);
    JL_SET_IF(out, wrap_s, jl_is_finite(wrap_s), wrap_s);
}

static int answer_rapl_encode(struct jl_ask *ask, const struct rapl_encode_in *in,
                              struct rapl_encode_out *out)
{
    if (in->given.power_uw)
        answer_limit(in, out);
    else if (in->given.window_us)
        answer_window(in, out);
    else if (in->given.esu)
        answer_unit(jl_rapl_energy_unit_nj((uint32_t)in->esu), out);
    else if (in->given.energy_unit_nj)
        answer_unit((uint64_t)in->energy_unit_nj, out);
    else if (in->given.range_uj && in->given.watts)
        answer_wrap(in, out);
    else
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "powerUw",
                           "one of powerUw, timeWindowUs, energyStatusUnit, energyUnitNj, or "
                           "maxEnergyRangeUj with watts is required");
    return 0;
}

JL_QUESTION(rapl_encode, "rapl.encode",
            "What the RAPL registers make of a limit, a time window or an energy unit");

/*
 * rapl.zones: which powercap zones are counted and which may be written
 * (docs/rules/rapl.md#zones).
 */

#define RECORD zone_in
#define MEMBERS                                                                              \
    STRING(dir, "dir", "Folder of the zone, such as intel-rapl:0:0.", REQUIRED)              \
    STRING(name, "name", "Its file `name`; absent: unreadable.")                             \
    /* names */                                                                              \
    STRINGS(constraints, "constraints", "Names of its constraints; absent: there are none.") \
    INTEGER(limit_uw, "limitUw", "Limit of its constraints, microwatts; absent: not read.",  \
            NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD rapl_zones_in
#define MEMBERS LIST(zones, "zones", zone_in, "Zones of all control types, in any order.", REQUIRED)
#include "schema/record.h"

#define RECORD rapl_zones_out
#define MEMBERS                                                                          \
    STRINGS(controlled, "controlled", "Packages whose limit may be written, by number.") \
    STRINGS(energy, "energy", "Zones whose energy adds up to the CPUs' energy.")         \
    STRINGS(dram, "dram", "Memory zones as package/dram; reported apart.")               \
    INTEGER(sockets, "sockets", "Sockets that the packages are of.")                     \
    INTEGER(other_limit_uw, "otherLimitUw",                                              \
            "Limit of a package behind MMIO, microwatts: the lower one is in force.")
#include "schema/record.h"

/* ---- from names of folders to zones as a scan finds them ---- */

/* The folder intel-rapl:0:1 lies in intel-rapl:0, and that one in the control type intel-rapl. */
static size_t parent_of(const struct jl_list *zones, const char *dir)
{
    const char *last = strrchr(dir, ':');
    if (last == NULL)
        return SIZE_MAX;
    const struct jl_text parent = { dir, (size_t)(last - dir) };
    for (size_t i = 0; i < zones->count; i++) {
        if (jl_text_is(parent, JL_ITEM(*zones, zone_in, i)->dir))
            return i;
    }
    return SIZE_MAX;
}

static int to_zone(struct jl_ask *ask, const struct jl_list *zones, const struct zone_in *in,
                   struct jl_zone *out)
{
    const size_t count = in->constraints.count;
    struct jl_zone_constraint *constraints =
        JL_NEW_ARRAY(ask->arena, count, struct jl_zone_constraint);
    const char *type = jl_arena_copy(ask->arena, in->dir, jl_text_find(jl_text(in->dir), ':'));
    if (constraints == NULL || type == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        constraints[i].number = (unsigned)i;
        constraints[i].name = JL_STRING_ITEM(in->constraints, i);
        constraints[i].limit_uw.code = in->given.limit_uw ? 0 : JOULIE_E_UNSUPPORTED;
        constraints[i].limit_uw.value = (uint64_t)in->limit_uw;
    }
    *out = (struct jl_zone){ .dir = in->dir,
                             .control_type = type,
                             .name = in->name,
                             .parent = parent_of(zones, in->dir),
                             .constraints = constraints,
                             .constraint_count = count };
    return 0;
}

/* ---- the answer ---- */

struct work {
    const struct jl_list *in;
    struct jl_zone *zones;
    struct jl_zone_view *views;
    size_t *order;
    size_t packages;
};

static int new_strings(struct jl_ask *ask, size_t room, struct jl_list *out)
{
    *out = (struct jl_list){ .items = JL_NEW_ARRAY(ask->arena, room, const char *) };
    return out->items != NULL ? 0 : jl_fail_memory(ask->err);
}

static void add_string(struct jl_list *list, const char *text)
{
    JL_STRING_ITEM(*list, list->count++) = text;
}

static int add_dram(struct jl_ask *ask, const struct work *work, size_t package,
                    struct jl_list *dram)
{
    for (size_t i = 0; i < work->in->count; i++) {
        if (work->views[i].role != JL_ZONE_DRAM || work->zones[i].parent != package)
            continue;
        const char *name = JL_JOIN(ask->arena, work->zones[package].name, "/", work->zones[i].name);
        if (name == NULL)
            return jl_fail_memory(ask->err);
        add_string(dram, name);
    }
    return 0;
}

static void put_other_limit(const struct work *work, size_t package, struct rapl_zones_out *out)
{
    const size_t twin = work->views[package].twin;
    if (twin != SIZE_MAX && JL_ITEM(*work->in, zone_in, twin)->given.limit_uw)
        JL_SET(out, other_limit_uw, JL_ITEM(*work->in, zone_in, twin)->limit_uw);
}

static int put_zones(struct jl_ask *ask, const struct work *work, struct rapl_zones_out *out)
{
    int rc = new_strings(ask, work->packages, &out->controlled);
    if (rc == 0)
        rc = new_strings(ask, work->packages, &out->energy);
    if (rc == 0)
        rc = new_strings(ask, work->in->count, &out->dram);
    for (size_t i = 0; rc == 0 && i < work->packages; i++) {
        const size_t package = work->order[i];
        add_string(&out->energy, work->zones[package].name);
        if (work->views[package].is_controllable)
            add_string(&out->controlled, work->zones[package].name);
        put_other_limit(work, package, out);
        rc = add_dram(ask, work, package, &out->dram);
    }
    out->given.controlled = true;
    out->given.energy = true;
    out->given.dram = true;
    JL_SET(out, sockets, (int64_t)jl_zones_sockets(work->views, work->order, work->packages));
    return rc;
}

static int answer_rapl_zones(struct jl_ask *ask, const struct rapl_zones_in *in,
                             struct rapl_zones_out *output)
{
    const size_t count = in->zones.count;
    if (count > JL_LIMIT_ZONES)
        return jl_ask_fail(ask, JOULIE_E_LIMIT, "zones", "more than %d zones", JL_LIMIT_ZONES);
    struct work work = { .in = &in->zones,
                         .zones = JL_NEW_ARRAY(ask->arena, count, struct jl_zone),
                         .views = JL_NEW_ARRAY(ask->arena, count, struct jl_zone_view),
                         .order = JL_NEW_ARRAY(ask->arena, count, size_t) };
    if (work.zones == NULL || work.views == NULL || work.order == NULL)
        return jl_fail_memory(ask->err);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = to_zone(ask, &in->zones, JL_ITEM(in->zones, zone_in, i), &work.zones[i]);
    if (rc < 0)
        return rc;
    work.packages = jl_zones_view(work.zones, count, work.views, work.order);
    return put_zones(ask, &work, output);
}

JL_QUESTION(rapl_zones, "rapl.zones", "Which powercap zones are counted and which may be written");
