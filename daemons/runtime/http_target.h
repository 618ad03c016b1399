/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The target of a request, such as /api/v1/nodes?labelSelector=a%3Db, and its Accept header, taken
 * apart. */

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "base/text.h"

struct jd_target {
    char *authority; /* of http://host:port/path; NULL = the target is a path */
    char *path;      /* as it came, without the query */
    char *decoded;   /* holds the segments */
    const char **segments;
    size_t segment_count;
    char *pairs; /* holds the texts of query */
    struct jl_pair *query;
    size_t query_count;
};

/* JOULIE_E_PARSE: it is no path, an escape is cut, or a part decodes to a NUL or to no UTF-8;
 * JOULIE_E_NOMEM. */
int jd_target_parse(struct jd_target *target, const char *text);
void jd_target_clear(struct jd_target *target);

/* The ranges of an Accept header, one after another: false = none is left. */
struct jd_range {
    struct jl_text type;
    struct jl_text parameters;
};

bool jd_range_next(struct jl_text *rest, struct jd_range *out);
/* The last parameter of a name, which has no case; ptr NULL = absent. */
struct jl_text jd_range_parameter(const struct jd_range *range, const char *name);
