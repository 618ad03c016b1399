/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The answer of the question `status` about a real cluster, and the tables that show it. */

#include "cluster.h"
#include "table.h"

struct jd_overview {
    struct json_object *answer; /* {"summary", "nodes"} of the question status */
    char *text;                 /* the same as JSON text */
    size_t left_out;            /* objects that could not be used */
};

/* Fetches nodes, twins, pods and the heartbeat. Objects that cannot be used are left out and
 * reported. JD_EXIT_OK, or the status of what was reported. */
int jd_overview_fetch(const struct jd_call *call, struct jd_cluster *cluster,
                      struct jd_overview *out);
/* The answer about a document of the question; what cannot be used leaves it. */
int jd_overview_make(struct jd_cluster *cluster, struct json_object *doc, struct jd_overview *out);
void jd_overview_clear(struct jd_overview *overview);
bool jd_overview_is_stale(const struct jd_overview *overview); /* any of the nodes */

void jd_overview_put_summary(const struct jd_overview *overview, struct jl_buffer *out);
/* 0 or JOULIE_E_NOMEM. */
int jd_overview_put_table(const struct jd_overview *overview, bool is_wide, bool has_heads,
                          struct jl_buffer *out);

/* A member as a person reads it; "-" when it is absent. */
void jd_add_number(struct jd_table *table, struct json_object *node, const char *member,
                   const char *unit);
void jd_add_text(struct jd_table *table, struct json_object *node, const char *member);
void jd_add_age(struct jd_table *table, struct json_object *node);
void jd_add_class(struct jd_table *table, struct json_object *node); /* whether it is stale, too */
