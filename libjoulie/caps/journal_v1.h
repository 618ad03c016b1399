/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The journal of versions 0.1 and 0.2 as text (docs/rules/enforcement.md#version-1). A bad line is
 * skipped and counted. */

#include "caps/journal.h"

/* One line with its LF; memory failures are the buffer's. */
void jl_journal_v1_put(struct jl_buffer *out, const struct jl_journal_record *record);

/* 0, JOULIE_E_NOMEM or JOULIE_E_LIMIT, as jl_journal_read(). */
int jl_journal_v1_read(struct jl_arena *arena, const char *text, size_t len,
                       struct jl_journal *out);
