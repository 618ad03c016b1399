/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Glob patterns over bytes. Rules: docs/rules/threads.md#globs. */

#include "base/text.h"

/* 0, or JOULIE_E_PARSE for a bracket that is not closed and for a backslash at the end. */
int jl_glob_check(struct jl_text pattern);

/* Whether all of the text is what a pattern that was checked describes. */
bool jl_glob_match(struct jl_text pattern, struct jl_text text);

/* Bytes that every text has that the pattern can match: those that are not '*'. */
size_t jl_glob_length(struct jl_text pattern);
