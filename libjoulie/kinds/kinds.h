/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Every kind that this build knows, and how to find one. */

#include "schema/row.h"

extern const struct jl_table *const jl_kinds[];
extern const size_t jl_kind_count;

/* By apiVersion and kind of a document; NULL = not ours. */
const struct jl_table *jl_kind_find(const char *api_version, const char *kind);
/*
 * By lower-case kind, plural or short name, ASCII letters folded; NULL = not ours. A kind of
 * another project has a group behind it, as kubectl writes it: "workloadprofiles.tensor-fusion.ai".
 */
const struct jl_table *jl_kind_by_word(const char *word);
