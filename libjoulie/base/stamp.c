/* SPDX-License-Identifier: Apache-2.0 */

/* Stamps of objects as times of a program, whatever is done to the wall clock
 * (docs/rules/programs.md#time). */

#include "base/stamp.h"

int64_t jl_wall_at(const struct jl_wall *wall, int64_t at_ms)
{
    return wall->is_told ? at_ms + (wall->wall_ms - wall->now_ms) : at_ms;
}

#define SLACK_MS 1000 /* stamps are in whole seconds, clocks of machines a little apart */

static int64_t arrived_ms(const struct jl_stamp *before, int64_t wall_ms,
                          const struct jl_wall *wall)
{
    const int64_t age_ms = wall->wall_ms - wall_ms;
    const bool is_ahead = age_ms < -SLACK_MS;
    const bool is_too_old = before->is_set && age_ms > wall->now_ms - before->seen_ms + SLACK_MS;
    return is_ahead || is_too_old ? wall->now_ms : wall->now_ms - age_ms;
}

void jl_stamp_see(struct jl_stamp *stamp, int64_t wall_ms, const struct jl_wall *wall)
{
    if (stamp->is_set && stamp->wall_ms == wall_ms)
        return;
    *stamp = (struct jl_stamp){
        .is_set = true,
        .wall_ms = wall_ms,
        .seen_ms = wall->now_ms,
        .at_ms = wall->is_told ? arrived_ms(stamp, wall_ms, wall) : wall_ms,
    };
}
