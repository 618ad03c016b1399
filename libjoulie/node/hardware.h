/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a machine is made of → NodeHardware.status (docs/rules/node-agent.md#hardware-of-a-host).
 * Pure. A fact that was not found is absent, never 0.
 *
 * cpu.packages[] has one entry for each CPU package, that is socket; index is its number in the
 * names of its zones and in the topology (the key of the list, so it is unique). A package of
 * several dies (two controllable zones, one socket) is one entry with `dies`,
 * the zone of its first die, and the sums of the dies' watts: a cap of so many watts per package
 * means the package, and maxWattsPerSocket of a node is per socket. Whoever writes it divides it
 * between the zones.
 *
 * maxWatts is the reference of its limits, at most what the register counts; defaultWatts is the
 * limit that reads now: while a cap of ours is in force the caller puts the journal's baseline into
 * the facts before it asks. powerUnitWatts is 1/8 W where the limits that read are multiples of it,
 * else absent. A limit that is switched on is not locked; of one that is switched off nobody knows
 * without a write: `locked` is absent and a warning says so.
 *
 * status.updatedAt is the caller's.
 */

#include "base/arena.h"
#include "caps/state.h"
#include "host/facts.h"
#include "kinds/node_hardware.h"
#include "power/zones.h"

/* 0, JOULIE_E_NOMEM or JOULIE_E_LIMIT; texts live in the arena or in the facts. */
int jl_node_hardware_status(const struct jl_host_facts *facts, struct jl_arena *arena,
                            struct jl_hardware_status *out);

/* Why a machine without package zones has none: JL_CAP_REASON_MASKED, _MODEL_UNKNOWN, else
 * _NO_BACKEND. */
enum jl_cap_reason jl_hardware_no_zones(const struct jl_host_facts *facts);

/* ---- shared by hardware.c and its neighbours ---- */

#define JL_HARDWARE_TEXTS 32 /* warnings of one list; the last one says that there are more */

struct jl_hardware_texts {
    const char *items[JL_HARDWARE_TEXTS];
    size_t count;
};

struct jl_hardware_build {
    const struct jl_host_facts *facts;
    struct jl_arena *arena;
    struct jl_zone_view *views; /* of facts->zones */
    size_t *order;              /* package zones by package and die */
    size_t order_count;
    struct jl_hardware_texts cpu;
    struct jl_hardware_texts gpu;
    struct jl_hardware_texts quality;
    bool is_out; /* of memory */
};

void jl_hardware_put_text(struct jl_hardware_texts *texts, const char *text);
struct jl_list jl_hardware_list(struct jl_hardware_build *build,
                                const struct jl_hardware_texts *texts);
/* A warning of the pieces put together. */
void jl_hardware_put(struct jl_hardware_build *build, struct jl_hardware_texts *texts,
                     const char *const *parts, size_t count);
#define JL_HARDWARE_WARN(build, texts, ...)                                 \
    jl_hardware_put((build), (texts), (const char *const[]){ __VA_ARGS__ }, \
                    JL_COUNT(((const char *const[]){ __VA_ARGS__ })))
/* sockets, physicalCores, packages[], capRange, control and telemetry of packages. */
void jl_hardware_packages(struct jl_hardware_build *build, struct jl_hw_cpu *cpu);
