/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Lists, and objects whose keys are the document's own. */

#include "schema/walk.h"

int jl_read_list(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                 struct jl_list *out);
int jl_read_map(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                struct jl_map *out);
int jl_read_dict(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                 struct jl_dict *out);
