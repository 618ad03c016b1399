/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a reflector remembers: (namespace, name) → uid, resourceVersion. */

#include "base/map.h"
#include "base/text.h"

struct jd_seen_item {
    char *key; /* "namespace/name"; of cluster-scoped kinds "/name". One block with uid, version */
    const char *uid;
    char *version;
    size_t version_room; /* bytes, with the NUL */
    uint32_t round;      /* of the last list that had it */
};

struct jd_seen { /* zeroed at the start */
    struct jd_seen_item *items;
    size_t count;
    size_t capacity;
    struct jl_index index;
};

struct jl_buffer;
/* "" when namespace or name cannot be one: a slash, a NUL, nothing. */
void jd_put_key(struct jl_buffer *out, struct jl_text name_space, struct jl_text name);

struct jd_seen_item *jd_seen_find(const struct jd_seen *seen, const char *key); /* NULL = absent */
/* Adds or changes. 0 or JOULIE_E_NOMEM. */
int jd_seen_put(struct jd_seen *seen, const char *key, struct jl_text uid, struct jl_text version,
                uint32_t round);
void jd_seen_remove(struct jd_seen *seen, struct jd_seen_item *item); /* the last one moves there */
void jd_seen_clear(struct jd_seen *seen);
