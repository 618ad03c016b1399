/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What questions about GPUs answer to the name of a family. */

#include "ask/ask.h"
#include "catalog/fusion_gpus.h"

struct jl_family_texts {
    struct jl_list members;  /* models, table order */
    struct jl_list warnings; /* AmbiguousGpuModel, or empty */
};

/* 0 or JOULIE_E_NOMEM. */
int jl_family_texts(struct jl_ask *ask, const struct jl_fusion_match *match,
                    struct jl_family_texts *out);
