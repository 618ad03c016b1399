/* SPDX-License-Identifier: Apache-2.0 */

/* What a node is made of: its packages and GPUs from a NodeHardware or one by one. A list is
 * replaced as a whole; what was read of a part that is still there stays known. */

#include <string.h>

#include "base/number.h"
#include "base/sized.h"
#include "catalog/hardware.h"
#include "kinds/kinds.h"
#include "node/handle.h"

#define MOST_PARTS 1024 /* of one node */

/* ---- lists of parts ---- */

void jl_parts_clear(struct jl_parts *parts)
{
    jl_arena_clear(&parts->arena);
    *parts = (struct jl_parts){ .count = 0 };
}

size_t jl_parts_find(const struct jl_parts *parts, enum joulie_node_kind kind, int64_t index,
                     const char *id)
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct jl_part *part = &parts->items[i];
        if (part->kind == kind &&
            (kind == JOULIE_NODE_KIND_PACKAGE ? part->index == index : jl_same(part->id, id)))
            return i;
    }
    return parts->count;
}

static int make_room(struct jl_parts *parts, size_t count, struct joulie_error *err)
{
    if (count > MOST_PARTS)
        return jl_fail(err, JOULIE_E_LIMIT, "", "a node has at most %d parts", MOST_PARTS);
    parts->items = JL_NEW_ARRAY(&parts->arena, count, struct jl_part);
    parts->wants = JL_NEW_ARRAY(&parts->arena, count, struct jl_part_want);
    parts->readings = JL_NEW_ARRAY(&parts->arena, count, struct jl_part_reading);
    parts->order = JL_NEW_ARRAY(&parts->arena, count, size_t);
    const bool is_full = parts->items != NULL && parts->wants != NULL && parts->readings != NULL &&
                         parts->order != NULL;
    return is_full ? 0 : jl_fail_memory(err);
}

/* Facts of a part; what was read of it, if it is in the old list, stays known. */
static int add(struct jl_parts *parts, const struct jl_parts *old, const struct jl_part *facts,
               struct joulie_error *err)
{
    struct jl_part *part = &parts->items[parts->count];
    const size_t known = jl_parts_find(old, facts->kind, facts->index, facts->id);
    *part = *facts;
    part->id = jl_arena_string(&parts->arena, facts->id);
    if (facts->id != NULL && part->id == NULL)
        return jl_fail_memory(err);
    if (known < old->count) {
        part->has_current = old->items[known].has_current;
        part->current_w = old->items[known].current_w;
        part->is_ours = old->items[known].is_ours;
        part->original_w = old->items[known].original_w;
    }
    parts->count++;
    return 0;
}

/* The old arena goes, and with it every pointer that the last step held. */
static void replace_parts(struct joulie_node *node, struct jl_parts *parts)
{
    jl_parts_clear(&node->parts);
    node->parts = *parts;
    *parts = (struct jl_parts){ .count = 0 };
    jl_node_forget_step(node);
}

/* ---- from a NodeHardware ---- */

/* Only a part that says so takes no limits. */
static bool is_open(bool is_told, bool is_controllable)
{
    return !is_told || is_controllable;
}

static struct jl_part package_of(const struct jl_cpu_package *package)
{
    return (struct jl_part){
        .kind = JOULIE_NODE_KIND_PACKAGE,
        .index = package->index,
        .limits = { .min_w = package->min_w,
                    .max_w = package->max_w,
                    .power_unit_w = package->power_unit_w },
        .is_controllable =
            is_open(package->given.controllable, package->controllable) && !package->locked,
    };
}

static struct jl_part gpu_of(const struct jl_gpu_device *device)
{
    return (struct jl_part){
        .kind = JOULIE_NODE_KIND_GPU,
        .id = device->id,
        .limits = { .min_w = device->min_w, .max_w = device->max_w },
        .is_controllable = is_open(device->given.controllable, device->controllable),
    };
}

/* A remote backend takes all packages as one part; its watts are those of the node. */
static int add_packages(const struct joulie_node *node, const struct jl_hardware_status *status,
                        struct jl_parts *parts, struct joulie_error *err)
{
    if (node->is_remote_cpu) {
        struct jl_hardware hardware;
        jl_hardware_resolve(status, NULL, JL_HARDWARE_CURRENT, &hardware);
        const struct jl_part remote = jl_node_remote_cpu(&hardware);
        return add(parts, &node->parts, &remote, err);
    }
    const struct jl_cpu_package *packages = status->cpu.packages.items;
    int rc = 0;
    for (size_t i = 0; i < status->cpu.packages.count && rc == 0; i++) {
        const struct jl_part package = package_of(&packages[i]);
        rc = add(parts, &node->parts, &package, err);
    }
    return rc;
}

static int add_gpus(const struct joulie_node *node, const struct jl_hardware_status *status,
                    struct jl_parts *parts, struct joulie_error *err)
{
    const struct jl_gpu_device *devices = status->gpu.devices.items;
    int rc = 0;
    if (node->is_remote_gpu) {
        struct jl_hardware hardware;
        jl_hardware_resolve(status, NULL, JL_HARDWARE_CURRENT, &hardware);
        const struct jl_part remote = jl_node_remote_gpu(&hardware);
        return hardware.gpu_present ? add(parts, &node->parts, &remote, err) : 0;
    }
    for (size_t i = 0; i < status->gpu.devices.count && rc == 0; i++) {
        const struct jl_part gpu = gpu_of(&devices[i]);
        rc = add(parts, &node->parts, &gpu, err);
    }
    return rc;
}

int joulie_node_put_hardware(struct joulie_node *node, const char *text, size_t len,
                             struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_parts_clear) struct jl_parts parts = { 0 };
    int rc = 0;
    const struct jl_node_hardware *object =
        jl_node_read_object(text, len, &jl_node_hardware_table, &arena, &rc, err);
    if (object == NULL)
        return rc;
    const struct jl_hardware_status *status = &object->status;
    const size_t packages = node->is_remote_cpu ? 1 : status->cpu.packages.count;
    const size_t devices = node->is_remote_gpu ? 1 : status->gpu.devices.count;
    rc = make_room(&parts, packages + devices, err);
    if (rc == 0)
        rc = add_packages(node, status, &parts, err);
    if (rc == 0)
        rc = add_gpus(node, status, &parts, err);
    if (rc == 0)
        replace_parts(node, &parts);
    return rc;
}

/* ---- flat parts ---- */

#define PART_BITS \
    (JOULIE_NODE_PART_HAS_MIN | JOULIE_NODE_PART_HAS_MAX | JOULIE_NODE_PART_HAS_POWER_UNIT)

_Static_assert(sizeof(enum joulie_node_kind) == 4, "enums of public structs have four bytes");

static int take_watts(bool is_set, double watts, const char *where, double *out,
                      struct joulie_error *err)
{
    if (!is_set)
        return 0;
    if (!jl_is_finite(watts) || watts <= 0)
        return jl_fail(err, JOULIE_E_RANGE, where, "watts above 0 were expected");
    *out = watts;
    return 0;
}

static int take_limits(const struct joulie_node_part *part, struct jl_cap_limits *out,
                       struct joulie_error *err)
{
    if ((part->has & JOULIE_NODE_PART_HAS_MIN) && part->min_w != 0) { /* 0 W bounds nothing */
        const int rc = take_watts(true, part->min_w, "min_w", &out->min_w, err);
        if (rc < 0)
            return rc;
    }
    const int rc = take_watts((part->has & JOULIE_NODE_PART_HAS_MAX) != 0, part->max_w, "max_w",
                              &out->max_w, err);
    if (rc < 0)
        return rc;
    return take_watts((part->has & JOULIE_NODE_PART_HAS_POWER_UNIT) != 0, part->power_unit_w,
                      "power_unit_w", &out->power_unit_w, err);
}

static int read_facts(const struct joulie_node_part *theirs, struct jl_part *out,
                      struct joulie_error *err)
{
    struct joulie_node_part ours;
    if (JL_SIZED_READ(&ours, theirs) < 0 || (ours.has & ~PART_BITS) != 0)
        return jl_fail_abi(err, "");
    *out = (struct jl_part){ .is_controllable = ours.is_controllable != 0 };
    const int rc = jl_node_check_kind(ours.kind, err);
    if (rc < 0)
        return rc;
    out->kind = ours.kind;
    if (out->kind == JOULIE_NODE_KIND_PACKAGE) {
        if (ours.index < 0)
            return jl_fail(err, JOULIE_E_RANGE, "index", "an index is not negative");
        out->index = ours.index;
        return take_limits(&ours, &out->limits, err);
    }
    if (ours.id == NULL)
        return jl_fail(err, JOULIE_E_REQUIRED, "id", "a GPU is known by its id");
    out->id = ours.id;
    const int text_rc = jl_check_text(ours.id, "id", err);
    return text_rc == 0 ? take_limits(&ours, &out->limits, err) : text_rc;
}

/* The list is made anew with one part changed: parts never move while a step rests on them. */
int joulie_node_put_part(struct joulie_node *node, const struct joulie_node_part *part,
                         struct joulie_error *err)
{
    JL_CLEANUP(jl_parts_clear) struct jl_parts parts = { 0 };
    const struct jl_parts *old = &node->parts;
    struct jl_part facts;
    int rc = read_facts(part, &facts, err);
    if (rc < 0)
        return rc;
    const size_t index = jl_parts_find(old, facts.kind, facts.index, facts.id);
    rc = make_room(&parts, index < old->count ? old->count : old->count + 1, err);
    for (size_t i = 0; i < old->count && rc == 0; i++)
        rc = add(&parts, old, i == index ? &facts : &old->items[i], err);
    if (rc == 0 && index == old->count)
        rc = add(&parts, old, &facts, err);
    if (rc == 0)
        replace_parts(node, &parts);
    return rc;
}

int joulie_node_part_at(const struct joulie_node *node, size_t index, struct joulie_node_part *out,
                        struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (index >= node->parts.count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "there is no such part");
    const struct jl_part *part = &node->parts.items[index];
    const double packages = part->packages > 0 ? part->packages : 1;
    struct joulie_node_part ours = {
        .index = part->index,
        .id = part->id != NULL ? part->id : "",
        .min_w = part->limits.min_w * packages,
        .max_w = part->limits.max_w * packages,
        .power_unit_w = part->limits.power_unit_w * packages,
        .kind = part->kind,
        .is_controllable = part->is_controllable,
    };
    if (ours.min_w > 0)
        ours.has |= JOULIE_NODE_PART_HAS_MIN;
    if (ours.max_w > 0)
        ours.has |= JOULIE_NODE_PART_HAS_MAX;
    if (ours.power_unit_w > 0)
        ours.has |= JOULIE_NODE_PART_HAS_POWER_UNIT;
    jl_sized_write(out, &ours, sizeof ours);
    return JOULIE_OK;
}
