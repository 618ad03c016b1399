/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Files of the system's tz database, the only ones that a question of joulie_ask reads: a cron
 * schedule may name a time zone (docs/rules/autoscaling.md).
 */

#include <joulie/error.h>

#include "base/arena.h"
#include "base/text.h"

#define JL_ZONEINFO_FOLDER "usr/share/zoneinfo"
#define JL_ZONEINFO_FILE_BYTES ((size_t)1 << 20)

/*
 * The bytes of <root>/usr/share/zoneinfo/NAME, a TZif file. Links are followed: they are how the
 * database says that two names mean one zone, and it belongs to the system. 0, JOULIE_E_PARSE (no
 * name, no such zone, or the file is none of a zone), JOULIE_E_LIMIT, JOULIE_E_IO, JOULIE_E_NOMEM;
 * err says why, its where is empty.
 */
int jl_zoneinfo_read(const char *root, const char *name, struct jl_arena *arena,
                     struct jl_text *out, struct joulie_error *err);
