/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What to do after an answer of the API server. Rules: docs/rules/kubernetes-watch.md#retries. */

#include <stdbool.h>
#include <stdint.h>

enum jl_retry {
    JL_RETRY_UNKNOWN,
    JL_RETRY_NO,
    JL_RETRY_YES,
    JL_RETRY_REFRESH, /* with new credentials */
    JL_RETRY_CALLER,  /* knows what it means: 404, 409 */
    JL_RETRY_RELIST,
    JL_RETRY_REREAD /* a write whose outcome is unknown */
};

enum jl_missing { JL_MISSING_NOTHING, JL_MISSING_RESOURCE, JL_MISSING_OBJECT };

#define JL_NO_RETRY_AFTER (-1.0)

struct jl_retry_case {
    bool is_read;         /* GET */
    int64_t code;         /* HTTP; 0 = no answer came */
    int64_t attempt;      /* from 1 */
    double retry_after_s; /* JL_NO_RETRY_AFTER = the server asks for no wait */
    bool has_object_name; /* the Status names an object */
    const char *message;  /* of the Status, or the text in its place; may be NULL */
    bool is_unsent;       /* without an answer: no connection was made */
};

struct jl_retry_step {
    enum jl_retry retry;
    enum jl_missing missing; /* of a 404 */
    /* What the server asks for, at most 60 s; JL_NO_RETRY_AFTER = it asks for nothing. */
    double after_s;
};

struct jl_retry_step jl_retry_step(const struct jl_retry_case *what);

/*
 * How long to wait before the try after `attempt`, u uniform in [0, 1): Retry-After and up to a
 * quarter more; without it, or when it is 0, as the reflector does (kubernetes/wait.h), so that a
 * server that asks for no wait is not asked in a loop; 1 s after a connection that broke.
 */
double jl_retry_wait_s(const struct jl_retry_case *what, double u);
