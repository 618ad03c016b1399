/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The answer of the question `status` about a real cluster, and the tables that show it. */

#include "cluster.h"
#include "table.h"

/* Fetches nodes, twins, pods and the heartbeat: {"summary", "nodes"}. Objects that cannot be used
 * are left out and reported. JD_EXIT_OK, or the status of what was reported, and NULL. */
int jd_overview_fetch(const struct jd_call *call, struct jd_cluster *cluster,
                      struct json_object **out);
bool jd_overview_is_stale(struct json_object *overview); /* any of the nodes */

void jd_overview_put_summary(struct json_object *overview, struct jl_buffer *out);
void jd_overview_put_table(struct json_object *overview, bool is_wide, bool has_heads,
                           struct jl_buffer *out);

/* A member as a person reads it; "-" when it is absent. */
void jd_add_number(struct jd_table *table, struct json_object *node, const char *member,
                   const char *unit);
void jd_add_text(struct jd_table *table, struct json_object *node, const char *member);
void jd_add_age(struct jd_table *table, struct json_object *node);
/* Whether it is stale, and whether it is switched off, too. */
void jd_add_class(struct jd_table *table, struct json_object *node);
