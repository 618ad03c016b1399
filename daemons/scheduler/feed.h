/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The caches: reflectors that hand every object to the model. */

#include "kube/reflector.h"

struct jd_scheduler;

enum jd_source_of_objects {
    JD_FEED_TWINS,
    JD_FEED_HARDWARE,
    JD_FEED_NODES,
    JD_FEED_PROFILES,
    JD_FEED_HEARTBEAT,
    JD_FEEDS
};

struct jd_feed {
    struct jd_feed_part {
        struct jd_scheduler *scheduler;
        enum jd_source_of_objects source;
        struct jd_reflector *reflector;
    } parts[JD_FEEDS];

    bool was_filled; /* once: what was known then goes on to be used by its age */
};

int jd_feed_open(struct jd_scheduler *scheduler, struct joulie_error *err);
void jd_feed_close(struct jd_scheduler *scheduler);
/* Why requests are answered by the fail policy; NULL = the caches were filled. */
const char *jd_feed_problem(const struct jd_scheduler *scheduler);
/* Seconds since the API server was heard last of the cache that waits longest; without an answer
 * yet since the start of the machine. */
double jd_feed_age_s(const struct jd_scheduler *scheduler);
bool jd_feed_has_reached(void *user, const char *version); /* of struct jd_clock_options */
void jd_feed_measure(struct jd_scheduler *scheduler);      /* joulie_data_age_seconds */
