/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * List, then watch: what an event, the end of a watch and a list mean for what is kept and for what
 * is asked next. Rules: docs/rules/kubernetes-watch.md. Texts are borrowed; those of an answer
 * are those of the question, or constants.
 */

#include <stdbool.h>
#include <stdint.h>

#define JL_VERSION_TOO_LARGE "ResourceVersionTooLarge" /* word of a cause */

enum jl_watch_action {
    JL_WATCH_NO_ACTION, /* it was no event */
    JL_WATCH_UPSERT,
    JL_WATCH_REPLACE, /* remove what is kept, then upsert: another object of the same name */
    JL_WATCH_REMOVE,
    JL_WATCH_ADVANCE, /* only the version */
    JL_WATCH_IGNORE,
    JL_WATCH_END /* of this watch */
};

enum jl_watch_next {
    JL_NEXT_NOTHING, /* go on reading */
    JL_NEXT_WATCH,
    JL_NEXT_LIST,
    JL_NEXT_RELIST,
    JL_NEXT_RELIST_UNSET, /* without a version: what is newest */
    JL_NEXT_REFRESH       /* new credentials, then the same again */
};

struct jl_watch_state {
    const char *version; /* last seen; NULL or "" = none yet */
    bool
        is_synthetic; /* the watch was started at "0" or "": what is there comes first, unordered */
    bool is_unavailable; /* a list at this version has failed with 410 */
};

enum jl_event_type {
    JL_EVENT_OTHER,
    JL_EVENT_ADDED,
    JL_EVENT_MODIFIED,
    JL_EVENT_DELETED,
    JL_EVENT_BOOKMARK,
    JL_EVENT_ERROR
};

struct jl_watch_event {
    enum jl_event_type type;
    const char *version; /* of the object; NULL = it has none */
    bool is_other_uid;   /* an object of that name is kept, and has another uid */
    /* ERROR: of its Status */
    int64_t code;
    const char *reason;
    bool is_version_too_large;     /* a cause ResourceVersionTooLarge */
    double internal_error_retry_s; /* how long a 500 is answered by another watch */
    double since_first_error_s;
};

enum jl_end_kind {
    JL_END_UNKNOWN,
    JL_END_EOF,  /* as it should end */
    JL_END_CURL, /* no connection, a broken one, no byte for too long */
    JL_END_HTTP  /* another status than 200 */
};

struct jl_watch_end {
    enum jl_end_kind kind;
    int64_t code;              /* HTTP */
    bool is_version_too_large; /* HTTP: a cause ResourceVersionTooLarge */
    double lived_s;            /* EOF */
    int64_t events;            /* EOF */
};

struct jl_watch_list { /* what became of a list */
    int64_t code;      /* HTTP; 0 = no answer */
    const char *version;
    bool is_version_too_large;
    bool is_safety; /* it was asked without a version, to be sure */
};

struct jl_watch_step {
    enum jl_watch_action action;
    bool is_reading;     /* the stream goes on */
    const char *version; /* to be kept; "" = none */
    enum jl_watch_next next;
    const char *list_version; /* of LIST and RELIST…; else NULL */
    bool is_backoff;          /* wait first */
    bool is_surface;          /* to be reported: rights or the kind are missing */
    bool is_back;             /* the server's versions went back: its store was restored */
};

struct jl_watch_step jl_watch_on_start(const struct jl_watch_state *state);
struct jl_watch_step jl_watch_on_event(const struct jl_watch_state *state,
                                       const struct jl_watch_event *event);
struct jl_watch_step jl_watch_on_end(const struct jl_watch_state *state,
                                     const struct jl_watch_end *end);
struct jl_watch_step jl_watch_on_list(const struct jl_watch_state *state,
                                      const struct jl_watch_list *list);

/* [1-9][0-9]*: others can only be equal or not. */
bool jl_version_is_orderable(const char *version);
/* Both are orderable, and a is older. */
bool jl_version_is_older(const char *a, const char *b);
