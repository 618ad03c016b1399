/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The controller of an external simulation: operator, extender and agents are somebody else. What
 * they have to learn and to answer waits here, first in first out, and the run waits with it.
 */

#include <joulie/sim.h>

#include "base/buffer.h"
#include "sim/controller.h"

struct jl_sim_outside;

struct jl_sim_texts { /* of the last event */
    struct jl_buffer pod;
    struct jl_buffer profile;
};

/* The fleet has to live as long as it does, and keeps temperatures and the use of jobs from now on.
 * filters_all: the extender's filter is asked about every pod, and not about performance pods only.
 * 0 or JOULIE_E_NOMEM. */
int jl_sim_outside_new(struct jl_sim_fleet *fleet, bool filters_all, struct jl_sim_outside **out);
/* The outside is freed with it. */
struct jl_sim_controller jl_sim_outside_controller(struct jl_sim_outside *outside);

/* Takes the oldest event that waits. texts holds what it points to until the next call. 1: out is
 * filled, 0: there is none, or JOULIE_E_NOMEM. */
int jl_sim_outside_take(struct jl_sim_outside *outside, struct jl_sim_texts *texts,
                        struct joulie_sim_event *out);
/* Candidates of the question that was taken and has no answer yet; false = there is none. */
bool jl_sim_outside_asks(const struct jl_sim_outside *outside, size_t *out_candidates);
/* Answers it; passed and wire by candidate, either may be NULL. */
void jl_sim_outside_answer(struct jl_sim_outside *outside, const uint8_t *passed,
                           const int32_t *wire);
/* When somebody steps next; JL_NEVER = nobody does. admits_changed: the filter is asked again. */
void jl_sim_outside_step_at(struct jl_sim_outside *outside, double at_s, bool admits_changed);
