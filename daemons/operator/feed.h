/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The caches of the API server's collections, which feed the model directly. */

#include <stdbool.h>

#include "kube/reflector.h"

struct jd_operator;

enum jd_source_of_objects {
    JD_FEED_NODES,
    JD_FEED_PODS,
    JD_FEED_TWINS,
    JD_FEED_HARDWARE,
    JD_FEED_PROFILES,
    JD_FEEDS
};

struct jd_feed_part { /* user of a reflector's callbacks */
    struct jd_operator *op;
    enum jd_source_of_objects source;
    struct jd_reflector *reflector;
};

struct jd_feed {
    struct jd_feed_part parts[JD_FEEDS];
    bool has_synced; /* all were once; reported */
};

int jd_feed_open(struct jd_operator *op, struct joulie_error *err);
void jd_feed_close(struct jd_operator *op);
bool jd_feed_has_synced(const struct jd_operator *op);
/* NULL = in order, else what is missing, a constant. For /readyz. */
const char *jd_feed_problem(const struct jd_operator *op);
/* For the clock: whether every cache has reached a version of the server. */
bool jd_feed_has_reached(void *user, const char *version);
/* Whether one cache has seen what was written; an empty version is one that nobody waits for. */
bool jd_feed_has_seen(const struct jd_operator *op, enum jd_source_of_objects source,
                      const char *version);
void jd_feed_measure(struct jd_operator *op); /* before /metrics */
