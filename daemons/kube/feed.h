/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Caches of several collections that fill one model of a cluster, or a program: a table of sources,
 * one reflector for each. */

#include <joulie/cluster.h>

#include "kube/reflector.h"
#include "runtime/clock.h"

#define JD_MOST_FEED_SOURCES 8

struct jd_feed_source {
    const struct jd_resource *resource;
    const char *kind; /* of the model; NULL = it takes no such object, on_object has it */
    const char *field_selector;
    const char *label_selector;
    const char *missing; /* why there is nothing to decide on without it; NULL = nobody waits */
    bool is_namespaced;  /* in jd_feed_options.name_space only */
    bool is_optional;    /* a kind that is not installed is an empty collection */
};

struct jd_feed_options {
    struct jd_kube *kube;
    struct jd_clock *clock;
    struct joulie_cluster *cluster;       /* NULL where no source has a kind of it */
    const struct jd_feed_source *sources; /* live as long */
    size_t count;
    const char *name_space;
    const char *component; /* label of joulie_data_age_seconds */
    /* NULL, or each object before the model gets it; a code keeps it out of the model. */
    int (*on_object)(void *user, size_t source, const char *text, size_t len,
                     struct joulie_error *err);
    void (*on_gone)(void *user, size_t source, const char *name); /* NULL, or after the model */
    void (*on_moved)(void *user); /* NULL, or each time that a batch of changes is in */
    void *user;
};

struct jd_feed_part { /* user of a reflector's callbacks */
    struct jd_feed *feed;
    size_t source;
    struct jd_reflector *reflector;
};

struct jd_feed { /* zeroed at the start */
    struct jd_feed_options options;
    struct jd_feed_part parts[JD_MOST_FEED_SOURCES];
    bool has_synced; /* all that is waited for was listed once; it stays so */
};

extern const struct jd_family jd_data_age; /* component, source */

int jd_feed_open(struct jd_feed *feed, const struct jd_feed_options *options,
                 struct joulie_error *err);
void jd_feed_close(struct jd_feed *feed);
/* The model hears what the wall shows, before it decides; before an object it does by itself. */
void jd_feed_set_wall(const struct jd_feed *feed);
/* NULL = all were listed once, else what is missing, a constant. For /readyz. */
const char *jd_feed_problem(const struct jd_feed *feed);
/* Whether every cache has reached a version of the server; feed as jd_daemon_clock wants it. */
bool jd_feed_has_reached(const struct jd_feed *feed, const char *version);
/* Whether one cache has seen what was written; an empty version is one that nobody waits for. */
bool jd_feed_has_seen(const struct jd_feed *feed, size_t source, const char *version);
/* Seconds since the API server was heard last of the cache that waits longest; without an answer
 * yet since the start of the machine. */
double jd_feed_age_s(const struct jd_feed *feed);
void jd_feed_measure(const struct jd_feed *feed); /* joulie_data_age_seconds, before /metrics */
