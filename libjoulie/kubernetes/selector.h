/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Kubernetes label selectors. Rules: docs/rules/kubernetes-values.md#label-selectors. */

#include "base/arena.h"
#include "base/map.h"

struct jl_selector; /* parsed; lives in an arena */

/* 0, JOULIE_E_PARSE or jl_arena_code(). An empty text matches everything. */
int jl_parse_selector(struct jl_arena *arena, const char *text, size_t len,
                      const struct jl_selector **out);
bool jl_selector_matches(const struct jl_selector *selector, const struct jl_map *labels);
