/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A collection of an API server as small as it can be: versions, lists in pages, watches, what was
 * compacted; and a cache that follows it through a reflector and notes what it should never see. */

#include "kube/reflector.h"
#include "kube/stage.h"

#define WORLD_ITEMS 64
#define WORLD_CHANGES 4096
#define WORLD_WATCHES 16

struct item {
    char name[32];
    int uid;
    int64_t version;
    int value;
};

struct change {
    int64_t version;
    const char *type;
    struct item item;
};

struct follower { /* an open watch */
    struct talk *talk;
    int number;
    int64_t version;
};

struct cache {
    struct item items[WORLD_ITEMS];
    size_t count;
    int upserts;
    int removes;
    int moves;
    int again;      /* handed over although nothing had changed */
    int mixed;      /* another uid without a remove before it */
    int untyped;    /* without apiVersion or kind, or with two of them */
    bool is_choosy; /* does not take values that are negative */
};

struct world {
    struct stage *stage;
    struct item items[WORLD_ITEMS];
    size_t count;
    struct change changes[WORLD_CHANGES];
    size_t change_count;
    int64_t version;
    int64_t compacted; /* older versions are gone */
    int next_uid;
    struct follower followers[WORLD_WATCHES];

    int lists; /* requests for a first page */
    int pages; /* for any */
    int watches;
    char last_list[1024]; /* its request */
    char last_page[1024];
    char last_watch[1024];
    /* true = the request was answered, wrongly on purpose */
    bool (*spoil_list)(struct world *world, struct talk *talk, const char *request);
    bool (*spoil_watch)(struct world *world, struct talk *talk, const char *request);
    bool (*is_enough)(struct world *world); /* asked every millisecond */
    struct jd_timer look;
    int64_t limit_of_server; /* a smaller page than asked for; 0 = none */
    int times;               /* for the spoilers */
    int number;

    struct jd_reflector *reflector;
    struct cache cache;
};

struct world *world_open(void);
void world_close(struct world *world);
/* Fills what is NULL in options. */
void world_follow(struct world *world, const struct jd_reflector_options *options);
void world_run(struct world *world, bool (*is_enough)(struct world *world));

void world_put(struct world *world, const char *name, int value);
void world_remove(struct world *world, const char *name);
void world_replace(struct world *world, const char *name, int value); /* another uid */
void world_bookmark(struct world *world);                             /* to every watch */
void world_cut(struct world *world); /* every watch, without an end */
void world_end(struct world *world); /* every watch, as it should */
void world_compact(struct world *world);

/* Whether cache and world are equal. */
bool world_is_seen(struct world *world);
/* world_is_seen(), and a watch is open. */
bool world_is_followed(struct world *world);
void world_require_clean(const struct world *world);
size_t world_open_watches(struct world *world);

/* Parts of answers. */
size_t frame_of(const struct change *change, char *out, size_t size);
void talk_stream(struct talk *talk);                  /* the head of a watch */
void talk_chunk(struct talk *talk, const char *text); /* with a line's end */
void talk_last_chunk(struct talk *talk);
bool query_of(const char *request, const char *name, char *out, size_t size);
