/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a reflector hands over: objects of lists and events, against what was handed over before. */

#include <joulie/error.h>

#include "kube/meta.h"
#include "kube/seen.h"

struct jd_cache {
    /* Given at the start; the rest is zero then. */
    const char *kind; /* of objects that do not say it */
    int (*upsert)(void *user, const char *text, size_t len, struct joulie_error *err);
    void (*remove)(void *user, const char *name_space, const char *name);
    void *user;
    void (*refused)(void *owner, const char *why); /* an object was not taken */
    void *owner;

    struct jl_buffer api_version;
    struct jd_seen seen;
    uint32_t round; /* of lists */
    bool is_short;  /* memory ran out for an object of this round: all has to be listed again */
    struct jl_buffer key;
    struct jl_buffer text;
};

void jd_cache_clear(struct jd_cache *cache);
void jd_cache_upsert(struct jd_cache *cache, struct jl_text object, const struct jd_meta *meta);
void jd_cache_remove(struct jd_cache *cache, const struct jd_meta *meta);
/* A list begins, and is whole: what it did not have is removed. */
void jd_cache_begin_round(struct jd_cache *cache);
void jd_cache_end_round(struct jd_cache *cache);
