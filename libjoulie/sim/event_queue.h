/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * When each item has its next event: a binary heap with one entry per item. Equal times come in the
 * order of the items, so that what happens never depends on what was asked for before.
 */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define JL_NEVER ((double)INFINITY)

struct jl_event_queue {
    double *time;  /* by item; JL_NEVER = none */
    size_t *heap;  /* items, the earliest first */
    size_t *index; /* by item, into heap; SIZE_MAX = not there */
    size_t count;
};

int jl_event_queue_init(struct jl_event_queue *queue, size_t items); /* 0 or JOULIE_E_NOMEM */
void jl_event_queue_clear(struct jl_event_queue *queue);
void jl_event_queue_set(struct jl_event_queue *queue, size_t item,
                        double time_s);                         /* JL_NEVER removes it */
double jl_event_queue_next(const struct jl_event_queue *queue); /* JL_NEVER when empty */
/* Takes out the first item that is due at time_s; false when none is. */
bool jl_event_queue_take(struct jl_event_queue *queue, double time_s, size_t *out_item);
