/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a scoring profile changes: the order of nodes by two answers of the question score. */

#include "cli.h"
#include "tree.h"

/* A scoring profile in full, as JSON, from a file; err has the file and its line. */
int jd_scoring_read(const char *file, char **json, struct joulie_error *err);

/* [{"node","rank"?,"rankBefore"?,"score","scoreBefore","wire","wireBefore"}], the best first; nodes
 * that the pod may not use have no rank and come last. Both answers are about the same nodes. */
struct json_object *jd_ranking(struct json_object *before, struct json_object *after);
void jd_put_ranking(struct json_object *ranking, bool has_heads, struct jl_buffer *out);
