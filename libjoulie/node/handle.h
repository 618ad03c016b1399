/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The handle of joulie/node.h: what an agent knows between two calls. Used by handle.c, parts.c,
 * step.c and report.c, each of which exports the functions of its rule. */

#include "base/error.h"
#include "node/node.h"

/* The parts and, of each, what the last step wanted and what was read since. All of it is in the
 * arena: a list is replaced as a whole. */
struct jl_parts {
    struct jl_arena arena;
    size_t count;
    struct jl_part *items;
    struct jl_part_want *wants;
    struct jl_part_reading *readings;
    size_t *order;
};

struct jl_desired { /* the NodeTwin that was put last */
    struct jl_arena arena;
    const struct jl_twin_spec *spec; /* NULL = there is none */
    const char *last_updated;
};

struct joulie_node {
    struct jl_arena texts; /* of the options */
    struct jl_node_config config;
    bool is_remote_cpu;
    bool is_remote_gpu;
    struct jl_parts parts;
    struct jl_desired twin;
    struct jl_node_memory memory;
    struct jl_wall wall;
    struct jl_node_input last; /* of the last step; rests on parts and twin */
    bool has_step;
    size_t write_count;
    struct jl_arena messages; /* of the backend, since the last step */
    struct jl_arena summary;  /* texts of the last joulie_node_get_summary() */
};

/* What the last step decided rests on what is replaced now. */
void jl_node_forget_step(struct joulie_node *node);

/* The part of this index or id, or parts->count. */
size_t jl_parts_find(const struct jl_parts *parts, enum joulie_node_kind kind, int64_t index,
                     const char *id);
void jl_parts_clear(struct jl_parts *parts);

/* A whole document in memory of the arena; NULL after a failure, whose code is in *out_code. */
void *jl_node_read_object(const char *text, size_t len, const struct jl_table *table,
                          struct jl_arena *arena, int *out_code, struct joulie_error *err);

/* The checks of what callers hand over; each returns 0 or fills the caller's record. */
int jl_node_check_kind(enum joulie_node_kind kind, struct joulie_error *err);
