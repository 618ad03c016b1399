/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A word of the operator to whoever comes: an annotation of the Lease joulie-heartbeat, which
 * everybody can read. It is written when it changes, and not with each beat. */

#include <json-c/json.h>

#include "operator/shared.h"

struct jd_announcement { /* the first four are set before it is used */
    const struct jd_shared *shared;
    const char *key;
    void (*on_done)(void *user); /* a write has ended; NULL = nobody asks */
    void *user;
    char said[256]; /* as the Lease has it; "" = nothing */
    bool is_busy;
};

/* The Lease of that name came in: its annotations are known. */
struct json_object *jd_announce_lease(const char *text, size_t len); /* NULL = another Lease */
/* NULL = it is gone. */
void jd_announce_see(struct jd_announcement *announcement, struct json_object *lease);
/* "" = nothing is to be said. One that is not taken is made again with the next call. */
void jd_announce(struct jd_announcement *announcement, const char *text);
