/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Endpoints and queries with {node} in them, which stands for the node's name
 * (docs/rules/endpoints.md#names-in-urls). */

#include "base/arena.h"
#include "base/text.h"

/* The name is put in as it is, so one with other than letters, digits, '-', '.', '_' and '~' could
 * change what an endpoint means. */
bool jl_is_url_byte(char c);
bool jl_is_url_word(const char *name);

bool jl_is_url(struct jl_text text); /* neither blanks nor control characters */

/* Replaces every {node}. 0, JOULIE_E_LIMIT above JL_LIMIT_ENDPOINT_BYTES, or JOULIE_E_NOMEM. */
int jl_endpoint_expand(struct jl_text text, const char *node_name, struct jl_arena *arena,
                       const char **out);
