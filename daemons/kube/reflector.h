/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Keeps a cache equal to a collection of the API server: list in pages, watch with bookmarks, list
 * again after 410 (docs/rules/clients.md#caches). The rules are those of the question watch.step
 * (kubernetes/watch.h). The objects are handed to the cache as text and not kept; a reflector
 * remembers only (namespace, name) → uid, resourceVersion.
 */

#include "kube/client.h"

struct jd_reflector;

struct jd_reflector_options {
    const struct jd_resource *resource;
    const char *name_space;     /* NULL = all */
    const char *label_selector; /* NULL = none */
    const char *field_selector;
    int64_t page;     /* items of a page; 0 = 500 */
    bool is_optional; /* a kind that is not installed (404) is an empty collection */
    /* An object as one JSON text with apiVersion and kind. A cache that does not take it says so:
     * it is reported once and counted, and the rest goes on. */
    int (*upsert)(void *user, const char *text, size_t len, struct joulie_error *err);
    void (*remove)(void *user, const char *name_space, const char *name);
    /* NULL, or each time that a batch of changes is in (for jd_clock_check and steps that wait). */
    void (*moved)(void *user);
    void *user;
};

int jd_reflector_open(struct jd_kube *kube, const struct jd_reflector_options *options,
                      struct jd_reflector **out, struct joulie_error *err);
/* Before jd_kube_close(), and not from one of its own callbacks. */
void jd_reflector_close(struct jd_reflector *reflector);

bool jd_reflector_has_synced(const struct jd_reflector *reflector);
/* When it last heard from the server (an event, a bookmark, a list), CLOCK_MONOTONIC; 0 = never. */
int64_t jd_reflector_heard_ms(const struct jd_reflector *reflector);
const char *
jd_reflector_version(const struct jd_reflector *reflector); /* "" before the first list */
/* Whether it has seen everything up to a resourceVersion of the server (lockstep; versions of one
 * server in one sequence). */
bool jd_reflector_has_reached(const struct jd_reflector *reflector, const char *version);
/* What is wrong now, for readyz and doctor; NULL = nothing. */
const char *jd_reflector_problem(const struct jd_reflector *reflector);
size_t jd_reflector_count(const struct jd_reflector *reflector); /* objects */

struct jd_reflector_counts {
    uint64_t lists;
    uint64_t pages;
    uint64_t watches;
    uint64_t events;
    uint64_t bookmarks;
    uint64_t expired;  /* 410 */
    uint64_t broken;   /* streams that ended without an end */
    uint64_t refused;  /* objects that the cache did not take */
    uint64_t too_long; /* frames */
    uint64_t waits;
};

void jd_reflector_counts(const struct jd_reflector *reflector, struct jd_reflector_counts *out);
