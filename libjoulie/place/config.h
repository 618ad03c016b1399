/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* From the public structs of a request to those that the rules know. Each function checks sizes,
 * bits, choices and bounds: 0, JOULIE_E_ABI, JOULIE_E_ENUM or JOULIE_E_RANGE. */

#include "place/place.h"

/* config NULL = every default of the current rules. */
int jl_place_config_read(const struct joulie_place_config *config, struct jl_place_config *out,
                         int *out_range, struct joulie_error *err);
int jl_place_work_read(const struct joulie_work *work, struct jl_pod_view *out,
                       struct joulie_error *err);
