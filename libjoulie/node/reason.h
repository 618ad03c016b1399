/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reasons of docs/rules/enforcement.md#states as messages of a report. */

#include "base/arena.h"
#include "caps/state.h"

/* "[reason: ][name: ]sentence" in the arena; NULL = memory ran out. */
const char *jl_reason_text(struct jl_arena *arena, const char *name, enum jl_cap_reason reason);
