/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* status.controlStatus of a NodeTwin: written when there is news (docs/rules/node-agent.md#report).
 */

#include <json-c/json.h>

#include "agent/shared.h"
#include "kube/client.h"

struct jd_feedback {               /* of one node; zeroed at the start, to be cleared */
    struct json_object *published; /* what the object says, as far as we know */
    struct json_object *sent;      /* on its way */
    int64_t published_ms;          /* policy time */
    int64_t sent_ms;
    const struct jd_agent_shared *shared;
    void (*done)(void *user); /* the answer is there */
    void *user;
    bool is_logged; /* a failure */
    bool is_void;   /* what is on its way went to an object that is forgotten */
};

/* Logs the first answer that failed and the first that worked again; what: "a NodeTwin's status".
 */
void jd_log_answer(struct jd_log *log, const char *component, const char *what, bool *is_logged,
                   const struct jd_answer *answer);

void jd_feedback_clear(struct jd_feedback *feedback); /* not while sent is set */
/* The object as it was read: only what it says when it is first read counts, or after another
 * object has taken its place (forget). */
void jd_feedback_seen(struct jd_feedback *feedback, struct json_object *twin);
void jd_feedback_forget(struct jd_feedback *feedback);
/* true = it was sent: done will be called from the loop. */
bool jd_feedback_offer(struct jd_feedback *feedback, const char *twin_name,
                       struct json_object *report, int64_t now_ms);
