/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* NodeHardware: made when it is missing, patched when a fact has changed and every 30 minutes
 * (docs/rules/node-agent.md#hardware-of-a-host). One that is managed by somebody else is left
 * alone. */

#include <json-c/json.h>

#include "agent/shared.h"
#include "kube/client.h"

struct jd_publish {            /* of one node; zeroed at the start, to be cleared */
    struct json_object *known; /* the object in the API server; NULL = there is none */
    struct json_object *wanted;
    const struct jd_agent_shared *shared;
    void (*done)(void *user); /* the answers are there */
    void *user;
    int64_t tried_ms; /* policy time */
    bool has_tried;
    bool is_deleted; /* since it was known */
    bool is_busy;
    bool is_logged;         /* a failure */
    bool is_foreign_logged; /* the object is somebody else's */
};

void jd_publish_clear(struct jd_publish *publish); /* not while it is busy */
/* object: as it was read; NULL = it is gone. */
void jd_publish_seen(struct jd_publish *publish, struct json_object *object);
void jd_publish_renew(struct jd_publish *publish); /* the facts have changed */
/* Whether there is something to do: to ask before the facts are looked for. */
bool jd_publish_is_due(const struct jd_publish *publish, int64_t now_ms);
/* The whole object as it should be. true = something was sent: done will be called from the loop.
 */
bool jd_publish_offer(struct jd_publish *publish, const char *object, int64_t now_ms);
