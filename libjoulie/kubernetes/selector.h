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

/* Field selectors: `path=value`, `==`, `!=`, joined by commas; `\` before `\`, `,` and `=` in a
 * value. Rules: docs/rules/kubernetes-values.md#field-selectors. */

struct jl_field_selector; /* parsed; lives in an arena */

/*
 * 0, JOULIE_E_PARSE, JOULIE_E_UNSUPPORTED (a field by which objects of this kind cannot be
 * selected) or jl_arena_code(). An empty text matches everything.
 */
int jl_parse_field_selector(struct jl_arena *arena, const char *kind, const char *text, size_t len,
                            const struct jl_field_selector **out);
bool jl_field_selector_matches(const struct jl_field_selector *selector,
                               const struct jl_map *fields);
