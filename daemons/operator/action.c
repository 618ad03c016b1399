/* SPDX-License-Identifier: Apache-2.0 */

/* Called by apply.c and classifier.c, which send what the model decided, and by metrics.c. */

#include "operator/action.h"

#include <string.h>

static const struct {
    const char *word;
    const char *method;
} verbs[] = {
    [JOULIE_ACTION_UNKNOWN] = { "unknown", NULL }, [JOULIE_ACTION_CREATE] = { "create", "POST" },
    [JOULIE_ACTION_PATCH] = { "patch", "PATCH" },  [JOULIE_ACTION_DELETE] = { "delete", "DELETE" },
    [JOULIE_ACTION_READ] = { "get", "GET" },
};

static const char *const outcomes[] = {
    [JOULIE_OUTCOME_UNKNOWN] = "failed",    [JOULIE_OUTCOME_APPLIED] = "applied",
    [JOULIE_OUTCOME_CONFLICT] = "conflict", [JOULIE_OUTCOME_FAILED] = "failed",
    [JOULIE_OUTCOME_GONE] = "gone",
};

struct jd_kube_call jd_action_call(const struct joulie_cluster_action *action, const char *body)
{
    return (struct jd_kube_call){
        .method = verbs[action->verb].method,
        .name_space = action->name_space,
        .name = action->verb == JOULIE_ACTION_CREATE ? NULL : action->name,
        .subresource = action->subresource,
        .patch = action->verb == JOULIE_ACTION_PATCH ? JD_PATCH_MERGE : JD_PATCH_NONE,
        .body = body[0] ? body : NULL,
        .len = strlen(body),
    };
}

const char *jd_verb_word(enum joulie_action_verb verb)
{
    return verbs[verb].word;
}

const char *jd_outcome_word(enum joulie_action_outcome outcome)
{
    return outcomes[outcome];
}
