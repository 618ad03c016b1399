/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which boot of the kernel this is: the name of its journal (docs/rules/enforcement.md#journal). */

#include "base/arena.h"
#include "host/root.h"

#define JL_BOOT_ID_PATH "proc/sys/kernel/random/boot_id"

bool jl_is_boot_id(const char *text); /* hexadecimal digits and '-', 1 to 64; NULL is none */
/* NULL when there is none, or when memory ran out. */
const char *jl_root_boot_id(const struct jl_root *root, struct jl_arena *arena);
