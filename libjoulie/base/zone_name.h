/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Names of the tz database, which are paths below its folder. */

#include <stdbool.h>
#include <stddef.h>

#define JL_ZONE_NAME_BYTES 255

/* Letters, digits, _ + - in parts between single slashes: no name leads out of the database. */
bool jl_is_zone_name(const char *name, size_t len);
