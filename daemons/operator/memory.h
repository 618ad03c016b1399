/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What an operator that takes over goes on from (docs/rules/policy.md#restarts): the plan of the
 * one before, in an annotation of the Lease joulie-heartbeat, and when that one beat last. */

#include "operator/announce.h"

struct jd_memory { /* shared, key, on_done and user of the plan are set before it is used */
    struct jd_announcement plan;
    bool has_beat;
    int64_t beat_ms;  /* by the wall; of another operator, until this one may beat */
    bool is_recalled; /* the model goes on from it, for as long as this one leads */
    char bad[256];    /* a text that did not count, as it was logged */
};

void jd_memory_see(struct jd_memory *memory, struct json_object *lease); /* NULL = it is gone */
/* Before the first step of one that leads; the caches are there, and the model knows the wall. */
void jd_memory_recall(struct jd_memory *memory, int64_t now_ms);
void jd_memory_keep(struct jd_memory *memory); /* behind each step */
