/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What joulie/threads.h promises of a recorded trace, in numbers
 * (docs/rules/threads-training.md#traces). */

#include <stddef.h>
#include <stdint.h>

#include <joulie/threads.h>

#include "base/arena.h"
#include "threads/analysis.h"

#define JL_CAPTURE_LINE_BYTES ((size_t)4096)      /* a longer line is none */
#define JL_CAPTURE_WINDOW 1024                    /* events that may come before an older one */
#define JL_CAPTURE_TABLE_EVENTS ((size_t)2 << 20) /* tables are kept until their end */
#define JL_CAPTURE_LEAST_COVERAGE 0.80
#define JL_CAPTURE_GOOD_COVERAGE 0.98

/* joulie_thread_trace_analyze() before its answer is printed, with the same codes. */
int jl_capture_end(struct joulie_thread_trace *trace, struct jl_arena *arena, uint64_t seed,
                   struct jl_thread_analysis *out, struct joulie_error *err);
