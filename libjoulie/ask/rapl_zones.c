/* SPDX-License-Identifier: Apache-2.0 */

/* rapl.zones: which powercap zones are counted and which may be written (linux-power.md §2.1, §2.7,
 * §2.9, R10). */

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "base/limits.h"
#include "power/zones.h"

struct zone_in {
    uint64_t has;
    const char *dir;
    const char *name;
    struct jl_list constraints; /* names */
    int64_t limit_uw;
};

enum { ZONE_DIR, ZONE_NAME, ZONE_CONSTRAINTS, ZONE_LIMIT };

static const struct jl_row zone_rows[] = {
    [ZONE_DIR] = JL_STRING(zone_in, dir, "dir", .flags = JL_REQUIRED,
                           .doc = "Folder of the zone, such as intel-rapl:0:0."),
    [ZONE_NAME] = JL_STRING(zone_in, name, "name", .doc = "Its file `name`; absent: unreadable."),
    [ZONE_CONSTRAINTS] = JL_STRINGS(zone_in, constraints, "constraints",
                                    .doc = "Names of its constraints; absent: there are none."),
    [ZONE_LIMIT] = JL_INTEGER(zone_in, limit_uw, "limitUw", .flags = JL_NOT_NEGATIVE,
                              .doc = "Limit of its constraints, microwatts; absent: not read."),
};
static const struct jl_table zone_table = JL_TABLE(zone_in, zone_rows);

struct zones_in {
    uint64_t has;
    struct jl_list zones; /* struct zone_in */
};

enum { IN_ZONES };

static const struct jl_row in_rows[] = {
    [IN_ZONES] = JL_LIST(zones_in, zones, "zones", &zone_table, .flags = JL_REQUIRED,
                         .doc = "Zones of all control types, in any order."),
};
static const struct jl_table in_table = JL_TABLE(zones_in, in_rows);

struct zones_out {
    uint64_t has;
    struct jl_list controlled; /* strings */
    struct jl_list energy;     /* strings */
    struct jl_list dram;       /* strings */
    int64_t sockets;
    int64_t other_limit_uw;
};

enum { OUT_CONTROLLED, OUT_ENERGY, OUT_DRAM, OUT_SOCKETS, OUT_OTHER_LIMIT };

static const struct jl_row out_rows[] = {
    [OUT_CONTROLLED] = JL_STRINGS(zones_out, controlled, "controlled",
                                  .doc = "Packages whose limit may be written, by number."),
    [OUT_ENERGY] = JL_STRINGS(zones_out, energy, "energy",
                              .doc = "Zones whose energy adds up to the CPUs' energy."),
    [OUT_DRAM] =
        JL_STRINGS(zones_out, dram, "dram", .doc = "Memory zones as package/dram; reported apart."),
    [OUT_SOCKETS] =
        JL_INTEGER(zones_out, sockets, "sockets", .doc = "Sockets that the packages are of."),
    [OUT_OTHER_LIMIT] =
        JL_INTEGER(zones_out, other_limit_uw, "otherLimitUw",
                   .doc = "Limit of a package behind MMIO, microwatts: the lower one is in force."),
};
static const struct jl_table out_table = JL_TABLE(zones_out, out_rows);

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
        constraints[i].limit_uw.code = JL_HAS(in, ZONE_LIMIT) ? 0 : JOULIE_E_UNSUPPORTED;
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
        const char *const parts[] = { work->zones[package].name, "/", work->zones[i].name };
        const char *name = jl_arena_join(ask->arena, parts, JL_COUNT(parts));
        if (name == NULL)
            return jl_fail_memory(ask->err);
        add_string(dram, name);
    }
    return 0;
}

static void put_other_limit(const struct work *work, size_t package, struct zones_out *out)
{
    const size_t twin = work->views[package].twin;
    if (twin != SIZE_MAX && JL_HAS(JL_ITEM(*work->in, zone_in, twin), ZONE_LIMIT))
        JL_PUT(out, OUT_OTHER_LIMIT, other_limit_uw, JL_ITEM(*work->in, zone_in, twin)->limit_uw);
}

static int put_zones(struct jl_ask *ask, const struct work *work, struct zones_out *out)
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
    JL_MARK(out, OUT_CONTROLLED);
    JL_MARK(out, OUT_ENERGY);
    JL_MARK(out, OUT_DRAM);
    JL_PUT(out, OUT_SOCKETS, sockets,
           (int64_t)jl_zones_sockets(work->views, work->order, work->packages));
    return rc;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct zones_in *in = input;
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

const struct jl_question jl_question_rapl_zones = {
    .name = "rapl.zones",
    .summary = "Which powercap zones are counted and which may be written",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
