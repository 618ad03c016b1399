/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the reflector and the recorder use of the client, and nobody else. */

#include "base/buffer.h"
#include "kube/client.h"

/* A request that somebody sent himself. code 0 = no answer. */
void jd_kube_count(struct jd_kube *kube, const char *verb, const struct jd_resource *resource,
                   int code);
/* How long to wait that should take that long: jd_kube_options.wait. */
int64_t jd_kube_wait_ms(const struct jd_kube *kube, double wait_s);
double jd_kube_chance(struct jd_kube *kube); /* uniform in [0, 1) */
struct jd_loop *jd_kube_loop(const struct jd_kube *kube);
const struct jd_kube_options *jd_kube_options(const struct jd_kube *kube); /* as it was opened */
/* Starts a request to the server of the connection, which is completed with its URL, the headers
 * Accept, content_type (NULL = none) and identity, and how the server is reached. 0 or a code. */
int jd_kube_transfer(struct jd_kube *kube, struct jd_http_request *request, const char *path,
                     const char *content_type, struct jd_transfer **out, struct joulie_error *err);

struct jd_renewal { /* what was tried for one question */
    bool is_refreshed;
    bool is_distrusted;
    bool is_unidentified;
};

/* Whether what was wrong with a request is right now: a token or certificate that was refused, a CA
 * that does not verify the server, a certificate that does not fit its key; once for each. */
bool jd_kube_renew(struct jd_kube *kube, struct jd_renewal *renewal, const struct jd_reply *reply,
                   int64_t started_ms);
/* "&name=value" ('?' for the first of a query), encoded; a value NULL puts nothing. */
void jd_put_parameter(struct jl_buffer *query, const char *name, const char *value);
