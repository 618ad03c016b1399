/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of the public door share: an agent's parts and its twin. No rule lives here. */

#include <joulie/node.h>

#include "node/node.h"

#define JL_DOOR_MOST_PARTS 1024 /* of one node */

/* The parts and, of each, what the last step wanted and what was read since. All of it is in the
 * arena: a list is replaced as a whole. */
struct jl_door_parts {
    struct jl_arena arena;
    size_t count;
    struct jl_node_part *parts;
    struct jl_node_want *wants;
    struct jl_node_reading *readings;
    size_t *order;
};

struct jl_door_twin {
    struct jl_arena arena;
    const struct jl_twin_spec *spec; /* NULL = there is none */
    const char *last_updated;
};

struct joulie_node {
    struct jl_arena texts; /* of the options */
    struct jl_node_config config;
    bool is_remote_cpu;
    bool is_remote_gpu;
    struct jl_door_parts parts;
    struct jl_door_twin twin;
    struct jl_node_memory memory;
    struct jl_node_input last; /* of the last step; rests on parts and twin */
    bool has_step;
    size_t write_count;
    struct jl_arena messages; /* of the backend, since the last step */
};

int jl_door_return(int code, const struct joulie_error *full, struct joulie_error *err);
int jl_door_fail_abi(struct joulie_error *err);

/* 0 for a text that can stand in a report, NULL included; else fails with its place. */
int jl_door_check_text(const char *text, const char *where, struct joulie_error *err);

/* The words of the public header; fails for a kind that is none. */
int jl_door_kind(enum joulie_node_kind kind, enum jl_node_kind *out, struct joulie_error *err);

/* The part of this index or id, or parts->count. */
size_t jl_door_find(const struct jl_door_parts *parts, enum jl_node_kind kind, int64_t index,
                    const char *id);
void jl_door_clear_parts(struct jl_door_parts *parts);
void jl_door_clear_twin(struct jl_door_twin *twin);
