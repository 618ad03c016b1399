/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One request of kube-scheduler's extender protocol v1, read in one pass over
 * its text: what is kept are places in it. */

#include "cluster/candidates.h"
#include "schema/decode.h"

enum jl_extender_form {
    JL_FORM_NEITHER, /* no list of nodes, or null */
    JL_FORM_NAMES,
    JL_FORM_NODES,
};

struct jl_extender_request {
    struct jl_raw pod; /* text NULL = absent or null */
    enum jl_extender_form form;
    struct jl_candidate *candidates; /* in their order */
    size_t count;
    size_t capacity;
};

/*
 * decode->text is the request; names with escapes go to its arena. cluster NULL: nothing is known
 * of any node. 0, JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_LIMIT or JOULIE_E_NOMEM.
 */
int jl_extender_read(struct jl_decode *decode, const struct joulie_cluster *cluster,
                     const char *label_key, struct jl_extender_request *out);
void jl_extender_clear(struct jl_extender_request *request);
