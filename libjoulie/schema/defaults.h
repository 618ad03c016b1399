/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What absent members mean, by the tables. */

#include "schema/row.h"

/*
 * Gives each member that is absent the value that its absence means, its bit stays 0; takes the bit
 * of each that says what its absence would, and of lists, maps and objects that hold nothing and
 * are not required. What jl_encode() then prints has no default in it.
 */
void jl_use_defaults(const struct jl_table *table, void *object);
