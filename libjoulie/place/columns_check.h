/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What every exported function of placement requires of columns. */

#include "place/place.h"

/* JOULIE_E_RANGE at the column: stride 0 of an output, or, where there are rows, not aligned for
 * its type (an array without elements may stand anywhere). */
int jl_place_check_inputs(const struct joulie_place_columns *nodes, size_t rows,
                          struct joulie_error *err);
int jl_place_check_outputs(const struct joulie_place_columns_out *out, size_t rows,
                           struct joulie_error *err);
