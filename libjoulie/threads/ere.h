/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Extended regular expressions over bytes, found anywhere in a text, without locale and in time
 * linear in the text. Rules: docs/rules/threads.md#regular-expressions. */

#include "base/arena.h"
#include "base/text.h"

#define JL_ERE_STEPS 1024 /* of a compiled expression */

struct jl_ere;

/* 0, JOULIE_E_PARSE (not an expression), JOULIE_E_LIMIT (more than JL_ERE_STEPS) or JOULIE_E_NOMEM.
 */
int jl_ere_compile(struct jl_arena *arena, struct jl_text pattern, const struct jl_ere **out);
bool jl_ere_finds(const struct jl_ere *ere, struct jl_text text);
