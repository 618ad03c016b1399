/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a request has to be before a handler of the HTTP server sees it
 * (docs/rules/programs.md#http-server). */

#include "runtime/http_server.h"

struct jd_refusal {
    int status;         /* 0 = the request is let in */
    const char *reason; /* a constant, without an end of line */
};

/* Header lines that two readers could read in two ways, and that the library lets pass. */
struct jd_refusal jd_admit_framing(const struct jd_exchange *exchange, const char *version);
/* Where a request may come from, on a local server (jd_server_options.is_local): a page of the
 * web that a browser of this machine shows may ask nothing. */
struct jd_refusal jd_admit_origin(const struct jd_exchange *exchange);
