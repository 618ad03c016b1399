/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Inside of a reflector: reflector.c decides what comes next, list.c and watch.c ask the server and
 * report their end, apply.c changes the cache. */

#include "base/arena.h"
#include "base/buffer.h"
#include "kube/frames.h"
#include "kube/meta.h"
#include "kube/reflector.h"
#include "kube/seen.h"
#include "kubernetes/watch.h"

struct jd_reflector {
    /* reflector.c: a list or a watch has ended, and its rule says this; retry_after_s < 0 = the
     * server asks for no wait. */
    void (*go)(struct jd_reflector *reflector, const struct jl_watch_step *step,
               double retry_after_s);
    struct jd_loop *loop;
    struct jd_kube *kube;
    struct jd_reflector_options options; /* texts are owned */
    struct jd_log *log;
    struct jd_metrics *metrics;
    char *name_space;
    char *label_selector;
    char *field_selector;
    struct jl_buffer api_version;
    struct jd_reflector_counts counts;

    struct jd_seen seen;
    uint32_t round;           /* of lists */
    struct jl_buffer version; /* last seen; empty before the first list */
    bool is_unavailable;      /* a list at that version has failed */
    bool has_synced;
    bool is_missing;  /* the kind is not installed, and need not be */
    bool is_short;    /* memory ran out for an object: all is listed again */
    bool is_refusing; /* the cache did not take something since the last list: it is reported */
    int64_t heard_ms;

    struct jd_timer wait;   /* fires what is next; always set, so that it cannot get lost */
    struct jd_timer safety; /* the next list without a version; always set */
    enum jl_watch_next next;
    bool is_safety_due;
    int64_t failures;
    int64_t waited_ms; /* end of the last wait; 0 = never */

    /* a list on its way */
    bool is_listing;
    bool is_safety;
    bool is_unlimited; /* in one page: a token had expired */
    struct jl_buffer list_version;
    struct jl_buffer page_version;
    struct jl_buffer more; /* token of the next page */
    int64_t empty_pages;   /* in a row */

    /* a watch on its way */
    struct jd_transfer *transfer;
    struct jd_frames frames;
    int64_t started_ms;
    int64_t events;
    bool has_advanced;
    bool is_ended; /* by a frame: end says how */
    struct jl_watch_step end;
    int64_t quick; /* watches in a row that proved nothing */
    bool is_refreshed;
    bool is_distrusted;

    struct jl_arena arena; /* of one object or frame */
    struct jl_buffer key;
    struct jl_buffer text;
    struct jl_buffer problem; /* empty = none */
    int problem_code;
};

/* ---- follow.c ---- */

struct jl_watch_state jd_follow_state(const struct jd_reflector *reflector);
/* false = memory ran out: it is still the old one. Not the version that is kept itself. */
bool jd_follow_set_version(struct jd_reflector *reflector, const char *version);
void jd_follow_heard(struct jd_reflector *reflector); /* it works */
void jd_follow_problem(struct jd_reflector *reflector, int code, const char *message);
void jd_follow_set_safety(struct jd_reflector *reflector);
/* joulie_kube_watch_failures_total */
void jd_follow_count(struct jd_reflector *reflector, const char *reason);
void jd_follow_put_selectors(struct jd_reflector *reflector, struct jl_buffer *query);

/* ---- list.c, watch.c ---- */

void jd_list_start(struct jd_reflector *reflector);
void jd_watch_start(struct jd_reflector *reflector);
void jd_watch_stop(struct jd_reflector *reflector);

/* ---- apply.c ---- */

/* An object of an event or a list. After each of these three is_short may be set. */
void jd_apply_upsert(struct jd_reflector *reflector, struct jl_text object,
                     const struct jd_meta *meta);
void jd_apply_remove(struct jd_reflector *reflector, const struct jd_meta *meta);
/* Removes what the list of this round did not have. */
void jd_apply_round(struct jd_reflector *reflector);
