/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Time stamps of objects in the time of a program that no clock's step moves
 * (docs/rules/programs.md#time). Stamps are in wall time, of this machine or of another; a program
 * measures ages in a time of its own, and says what the wall showed at one instant of it.
 */

#include <stdbool.h>
#include <stdint.h>

struct jl_wall {
    bool is_told; /* else both times are one */
    int64_t now_ms;
    int64_t wall_ms; /* at now_ms */
};

/* What the wall shows, or would, at a time of the program. */
int64_t jl_wall_at(const struct jl_wall *wall, int64_t at_ms);

/* The stamp that one place of an object bears; zeroed at the start. */
struct jl_stamp {
    bool is_set;
    int64_t wall_ms; /* as it is written */
    int64_t seen_ms; /* when it came */
    int64_t at_ms;   /* of what it stands for, in the program's time */
};

/* A stamp was read: one that is as before stays what it was. An age that cannot be, because the
 * stamp lies ahead or would be older than the one before it was seen, is that of another clock, or
 * of one that was set: it counts from now. */
void jl_stamp_see(struct jl_stamp *stamp, int64_t wall_ms, const struct jl_wall *wall);
