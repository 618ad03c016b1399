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
struct jd_http *jd_kube_http(const struct jd_kube *kube);
const struct jd_kube_options *jd_kube_options(const struct jd_kube *kube); /* as it was opened */
/* NULL-terminated header lines of a request that starts now: Accept, content_type (NULL = none) and
 * identity. Valid until the next call; NULL = memory ran out. */
const char *const *jd_kube_headers(struct jd_kube *kube, const char *content_type, int64_t now_ms);
/* "&name=value" ('?' for the first of a query), encoded; a value NULL puts nothing. */
void jd_put_parameter(struct jl_buffer *query, const char *name, const char *value);
