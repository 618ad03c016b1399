/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One watch of a collection: a connection and the frames that come over it
 * (docs/rules/clients.md#watches). What a frame and its end mean is its owner's. */

#include "kube/client_parts.h"
#include "kube/frames.h"
#include "kube/list.h"
#include "kubernetes/watch.h"

struct jd_kube_watch_end {
    const struct jd_reply *reply;
    const char *problem; /* NULL, or what came could not be used: a word of the counter */
    double lived_s;
};

struct jd_kube_watch {
    /* Given at the start; the rest is zero then. */
    const struct jd_list_selection *selection;
    /* A frame; the arena is reset before each. NULL = go on, else the watch is stopped and reports
     * this word as its problem. */
    const char *(*frame)(void *user, enum jl_event_type type, struct jl_text object,
                         struct jl_arena *arena);
    void (*fed)(void *user);                                       /* what had come is read */
    void (*done)(void *user, const struct jd_kube_watch_end *end); /* the last that it does */
    void *user;

    struct jd_transfer *transfer; /* NULL = there is no watch */
    struct jl_buffer version;     /* that it began at */
    struct jd_frames frames;
    struct jl_arena arena;
    const char *problem;
    int64_t started_ms;
    struct jd_renewal renewal;
    uint64_t watches;
};

void jd_kube_watch_start(struct jd_kube_watch *watch, const char *version);
void jd_kube_watch_stop(struct jd_kube_watch *watch); /* without done() */
void jd_kube_watch_clear(struct jd_kube_watch *watch);
