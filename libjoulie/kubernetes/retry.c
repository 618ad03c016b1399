/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whether and when a request is tried again after an answer of the API server. Called by the
 * client of daemons/kube/ and by the question `http.retry`. Implements
 * docs/rules/kubernetes-watch.md#retries.
 */

#include "kubernetes/retry.h"

#include "base/text.h"
#include "kubernetes/wait.h"

/* what comes with a 500 when an object is larger than etcd stores: no later try does better */
#define OBJECT_TOO_LARGE "etcdserver: request is too large"

#define MOST_ATTEMPTS 11 /* the first and 10 more */
#define BROKEN_WAIT_S 1.0

static enum jl_retry after_server_error(const struct jl_retry_case *what)
{
    if (jl_contains(what->message, OBJECT_TOO_LARGE))
        return JL_RETRY_NO;
    if (what->code == 503)
        return JL_RETRY_YES;
    if (what->code == 504 && !what->is_read)
        return JL_RETRY_REREAD;
    return what->is_read || what->retry_after_s >= 0 ? JL_RETRY_YES : JL_RETRY_NO;
}

static enum jl_retry after_silence(const struct jl_retry_case *what)
{
    return what->is_read || what->is_unsent ? JL_RETRY_YES : JL_RETRY_REREAD;
}

static enum jl_retry rule_of(const struct jl_retry_case *what)
{
    switch (what->code) {
    case 0:
        return after_silence(what);
    case 401:
        return what->attempt > 1 ? JL_RETRY_NO : JL_RETRY_REFRESH;
    case 404:
    case 409:
        return JL_RETRY_CALLER;
    case 410:
        return JL_RETRY_RELIST;
    case 429:
        return JL_RETRY_YES;
    default:
        return what->code >= 500 ? after_server_error(what) : JL_RETRY_NO;
    }
}

struct jl_retry_step jl_retry_step(const struct jl_retry_case *what)
{
    struct jl_retry_step step = { .retry = rule_of(what), .after_s = JL_NO_RETRY_AFTER };
    if (what->code == 404)
        step.missing = what->has_object_name ? JL_MISSING_OBJECT : JL_MISSING_RESOURCE;
    if (step.retry == JL_RETRY_YES && what->attempt >= MOST_ATTEMPTS)
        step.retry = JL_RETRY_NO;
    if (step.retry == JL_RETRY_YES && what->retry_after_s >= 0)
        step.after_s = jl_retry_after_wait_s(what->retry_after_s, 0);
    return step;
}

double jl_retry_wait_s(const struct jl_retry_case *what, double u)
{
    if (what->retry_after_s > 0)
        return jl_retry_after_wait_s(what->retry_after_s, u);
    if (what->code == 0 && !what->is_unsent)
        return BROKEN_WAIT_S;
    const struct jl_wait_range range = jl_reflector_wait(what->attempt - 1, 0);
    return range.least_s + (range.most_s - range.least_s) * u;
}
