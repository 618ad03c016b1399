/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The settings, the work and the columns of a request as the rules take them. Each function checks
 * sizes, bits, choices and bounds: 0, JOULIE_E_ABI, JOULIE_E_ENUM or JOULIE_E_RANGE. */

#include "place/place.h"

/* config NULL = every default of the current rules. */
int jl_place_config_read(const struct joulie_place_config *config, struct joulie_place_config *out,
                         struct joulie_error *err);
int jl_place_work_read(const struct joulie_work *work, enum joulie_place_rules rules,
                       struct joulie_work *out, struct joulie_error *err);

/* JOULIE_E_RANGE at the column: stride 0 of an output, or, where there are rows, not aligned for
 * its type (an array without elements may stand anywhere). */
int jl_place_check_inputs(const struct joulie_place_columns *nodes, size_t rows,
                          struct joulie_error *err);
int jl_place_check_outputs(const struct joulie_place_columns_out *out, size_t rows,
                           struct joulie_error *err);
