/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a trace holds, in numbers. */

#include "base/buffer.h"
#include "sim/trace.h"

/* Appends one JSON object: counts, classes, work and span. 0 or JOULIE_E_NOMEM. */
int jl_trace_inspect(const struct jl_trace *trace, struct jl_buffer *out);
