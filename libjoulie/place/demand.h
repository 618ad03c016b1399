/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "place/place.h"

/* Source demand without the fallback for pods that ask for no CPU. */
void jl_demand_v0_1_1(const struct jl_pod_spec *spec, struct joulie_work *out);
