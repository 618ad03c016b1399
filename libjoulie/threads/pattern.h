/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the patterns of a group say of each other. Rules: docs/rules/threads.md#findings,
 * #scx-layered. */

#include "base/text.h"
#include "kinds/thread_profile.h"

/* The bytes that a glob begins with; all of it when it is a plain name. */
struct jl_text jl_pattern_literal(struct jl_text glob);

/* Whether the match names a member that tells threads apart. */
bool jl_match_has_predicate(const struct jl_thread_match *match);

/* Whether it takes every thread whose name a pattern describes, a glob or a prefix. False where
 * that is not certain. */
bool jl_match_covers(const struct jl_thread_match *match, struct jl_text pattern, bool is_prefix);
