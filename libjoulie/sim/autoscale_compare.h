/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The same demand against static amounts, the source's algorithm and ours, seed by seed. */

#include <joulie/sim.h>

#include "base/buffer.h"
#include "sim/autoscale_play.h"

/* options: every one filled. Appends the answer. err's where begins with trace, profile or
 * sourceProfile. */
int jl_autoscale_compare(const struct joulie_autoscale_sim_options *options, enum jl_load_kind kind,
                         struct jl_buffer *out, struct joulie_error *err);
