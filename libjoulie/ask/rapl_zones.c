/* SPDX-License-Identifier: Apache-2.0 */

/*
 * rapl.zones: which powercap zones are counted and which may be written
 * (docs/rules/rapl.md#zones).
 */

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "base/limits.h"
#include "power/zones.h"

#define RECORD zone_in
#define MEMBERS                                                                              \
    STRING(dir, "dir", "Folder of the zone, such as intel-rapl:0:0.", REQUIRED)              \
    STRING(name, "name", "Its file `name`; absent: unreadable.")                             \
    /* names */                                                                              \
    STRINGS(constraints, "constraints", "Names of its constraints; absent: there are none.") \
    INTEGER(limit_uw, "limitUw", "Limit of its constraints, microwatts; absent: not read.",  \
            NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD zones_in
#define MEMBERS LIST(zones, "zones", zone_in, "Zones of all control types, in any order.", REQUIRED)
#include "schema/record.h"

#define RECORD zones_out
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
    if (twin != SIZE_MAX && JL_ITEM(*work->in, zone_in, twin)->given.limit_uw)
        JL_SET(out, other_limit_uw, JL_ITEM(*work->in, zone_in, twin)->limit_uw);
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
    out->given.controlled = true;
    out->given.energy = true;
    out->given.dram = true;
    JL_SET(out, sockets, (int64_t)jl_zones_sockets(work->views, work->order, work->packages));
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
    .in = &zones_in_table,
    .out = &zones_out_table,
    .answer = answer,
};
