/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Time zones of the tz database: the offset from UTC at an instant. Source: RFC 9636 (TZif,
 * versions 1 to 4) with the POSIX rule of its footer. NULL stands for UTC wherever a zone is an
 * argument.
 */

#include <stdint.h>

#include <joulie/error.h>

#include "base/arena.h"

/* Seconds east of UTC that RFC 9636, section 3.2, allows. */
#define JL_ZONE_LEAST_OFFSET_S (-89999)
#define JL_ZONE_MOST_OFFSET_S 93599

struct jl_time_zone;

/*
 * Reads the bytes of a TZif file into the arena. 0, JOULIE_E_PARSE (not a TZif file, or a damaged
 * one), JOULIE_E_UNSUPPORTED (leap seconds, a version to come), JOULIE_E_NOMEM or JOULIE_E_LIMIT
 * (the arena's). err says why; its where is empty.
 */
int jl_zone_parse(const void *bytes, size_t len, struct jl_arena *arena, struct jl_time_zone **out,
                  struct joulie_error *err);

/* Seconds east of UTC at an instant, seconds since the Unix epoch. */
int32_t jl_zone_offset_s(const struct jl_time_zone *zone, int64_t utc_s);

/* The same with the longest known time around the instant in which the offset stays. */
struct jl_zone_span {
    int64_t from_s;  /* INT64_MIN = always before */
    int64_t until_s; /* the first second after it; INT64_MAX = always after */
    int32_t offset_s;
};

struct jl_zone_span jl_zone_span(const struct jl_time_zone *zone, int64_t utc_s);
