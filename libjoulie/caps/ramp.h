/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How far and how fast a package limit may move (docs/rules/caps.md). joulie_caps_next_w() is the
 * ramp. */

#include <stdbool.h>
#include <stdint.h>

#include <joulie/caps.h>

#define JL_RAMP_STEP_MS INT64_C(5000)

/* The reference: the constraint's maximum when it is believable, else the limit that was found.
 * NAN-free: 0 = neither is known. */
double jl_cap_reference_w(bool has_max, uint64_t max_power_uw, bool has_first, uint64_t first_uw);

/* Of packages: as high as the register counts, at most the reference. 0 = no reference. */
double jl_cap_ceiling_w(double reference_w);

/* Of GPUs: the default limit as ceiling unless more is allowed. */
double jl_gpu_ceiling_w(double max_w, double default_w, bool allow_above_default);

/* What short_term must become when long_term is raised to new_long_uw; false = leave it alone.
 */
bool jl_short_term_uw(uint64_t new_long_uw, uint64_t short_uw, uint64_t short_baseline_uw,
                      uint64_t *out_uw);
