/* SPDX-License-Identifier: Apache-2.0 */

/* A binary heap of the next event of each item; a run has one for its nodes and one for its agents.
 */

#include "sim/event_queue.h"

#include <stdint.h>

#include <joulie/error.h>

#include "base/memory.h"

#define NOWHERE SIZE_MAX

int jl_event_queue_init(struct jl_event_queue *queue, size_t items)
{
    *queue = (struct jl_event_queue){
        .time = jl_calloc(items, sizeof *queue->time),
        .heap = jl_calloc(items, sizeof *queue->heap),
        .index = jl_calloc(items, sizeof *queue->index),
    };
    if (!queue->time || !queue->heap || !queue->index) {
        jl_event_queue_clear(queue);
        return JOULIE_E_NOMEM;
    }
    for (size_t i = 0; i < items; i++) {
        queue->time[i] = JL_NEVER;
        queue->index[i] = NOWHERE;
    }
    return 0;
}

void jl_event_queue_clear(struct jl_event_queue *queue)
{
    jl_free(queue->time);
    jl_free(queue->heap);
    jl_free(queue->index);
    *queue = (struct jl_event_queue){ .count = 0 };
}

/* Equal times go by the item's number, never by the order in which they were set. */
static bool is_before(const struct jl_event_queue *queue, size_t a, size_t b)
{
    if (queue->time[a] != queue->time[b])
        return queue->time[a] < queue->time[b];
    return a < b;
}

static void put(struct jl_event_queue *queue, size_t at, size_t item)
{
    queue->heap[at] = item;
    queue->index[item] = at;
}

/* Restores the heap above a position whose time became earlier. */
static void rise(struct jl_event_queue *queue, size_t at)
{
    const size_t item = queue->heap[at];
    while (at > 0 && is_before(queue, item, queue->heap[(at - 1) / 2])) {
        put(queue, at, queue->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(queue, at, item);
}

/* Restores the heap below a position whose time became later. */
static void sink(struct jl_event_queue *queue, size_t at)
{
    const size_t item = queue->heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= queue->count)
            break;
        if (child + 1 < queue->count &&
            is_before(queue, queue->heap[child + 1], queue->heap[child]))
            child++;
        if (!is_before(queue, queue->heap[child], item))
            break;
        put(queue, at, queue->heap[child]);
        at = child;
    }
    put(queue, at, item);
}

static void take_out(struct jl_event_queue *queue, size_t item)
{
    const size_t at = queue->index[item];
    const size_t last = queue->heap[--queue->count];
    queue->index[item] = NOWHERE;
    if (last == item)
        return;
    put(queue, at, last);
    rise(queue, at);
    sink(queue, queue->index[last]);
}

void jl_event_queue_set(struct jl_event_queue *queue, size_t item, double time_s)
{
    const bool is_in = queue->index[item] != NOWHERE;
    if (time_s == JL_NEVER) {
        if (is_in)
            take_out(queue, item);
        queue->time[item] = JL_NEVER;
        return;
    }
    queue->time[item] = time_s;
    if (!is_in)
        put(queue, queue->count++, item);
    rise(queue, queue->index[item]);
    sink(queue, queue->index[item]);
}

double jl_event_queue_next(const struct jl_event_queue *queue)
{
    return queue->count > 0 ? queue->time[queue->heap[0]] : JL_NEVER;
}

bool jl_event_queue_take(struct jl_event_queue *queue, double time_s, size_t *out_item)
{
    if (jl_event_queue_next(queue) > time_s)
        return false;
    *out_item = queue->heap[0];
    jl_event_queue_set(queue, *out_item, JL_NEVER);
    return true;
}
