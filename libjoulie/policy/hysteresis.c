/* SPDX-License-Identifier: Apache-2.0 */

/* When a lower number of performance nodes takes effect (docs/rules/policy.md#hysteresis). */

#include "policy/policy.h"

int64_t jl_hysteresis_step(struct jl_plan_state *state, int64_t target, int64_t now_ms,
                           int64_t delay_ms)
{
    if (!state->is_set || target >= state->hp) {
        *state = (struct jl_plan_state){ .is_set = true, .hp = target };
        return target;
    }
    if (!state->is_timing) {
        state->is_timing = true;
        state->timer_ms = now_ms;
    }
    if (now_ms - state->timer_ms >= delay_ms)
        *state = (struct jl_plan_state){ .is_set = true, .hp = target };
    return state->hp;
}
