/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the user of a command may do in the cluster, as the API server reviews it. */

#include "cluster.h"

struct jd_right {
    const struct jd_resource *resource;
    const char *verb;
    const char *name_space; /* NULL = all */
};

/* "verb plural, …" of those that the user has not, in out. false = the server does not say of all
 * of them. */
bool jd_missing_rights(struct jd_cluster *cluster, const struct jd_right *rights, size_t count,
                       struct jl_buffer *out);
