/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What becomes of a stored classification when a new one comes, or none
 * (docs/rules/classification.md#what-is-written). Pure. */

#include <stdbool.h>
#include <stdint.h>

#include "kinds/workload_profile.h"

struct jl_keep_case {
    const struct joulie_classify_input *in; /* that fresh was made of: what the pods say */
    const struct jl_profile_status *stored; /* NULL = none */
    bool has_age;
    int64_t age_ms; /* of the measurements of the stored one */
    const struct jl_profile_status *fresh;
    bool is_partial;       /* fresh rests on hints, or on a window that lacks a part */
    double min_confidence; /* of what readers use */
    int64_t fall_ms;       /* age from which on the confidence of what is kept falls */
    int64_t hold_ms;       /* age up to which it is kept */
    int64_t refresh_ms;    /* age at which an equal one is written again */
};

/* The status to be written into *out, or false: what is stored stays. Texts are those of the
 * case. */
bool jl_keep(const struct jl_keep_case *now, struct jl_profile_status *out);
