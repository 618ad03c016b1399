/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A recorded trace of the scheduler, read piece by piece in bounded memory
 * (docs/rules/threads-training.md#traces). */

#include <stddef.h>
#include <stdint.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "threads/analysis.h"

#define JL_CAPTURE_LINE_BYTES ((size_t)4096)      /* a longer line is none */
#define JL_CAPTURE_WINDOW 1024                    /* events that may come before an older one */
#define JL_CAPTURE_TABLE_EVENTS ((size_t)2 << 20) /* tables are kept until their end */
#define JL_CAPTURE_LEAST_COVERAGE 0.80
#define JL_CAPTURE_GOOD_COVERAGE 0.98

struct jl_capture;

struct jl_capture *jl_capture_new(void); /* NULL when memory ran out */
void jl_capture_free(struct jl_capture *capture);

/* Before the first piece; see jl_replay_add_member(). */
int jl_capture_add_member(struct jl_capture *capture, uint32_t tid, struct joulie_error *err);

/* JOULIE_E_PARSE: events out of order; JOULIE_E_LIMIT: too many threads, or rows of a table;
 * JOULIE_E_NOMEM. After a failure only jl_capture_free() is left. */
int jl_capture_feed(struct jl_capture *capture, const char *text, size_t len,
                    struct joulie_error *err);

/* Once: threads and clusters. JOULIE_E_PARSE: it is no trace; JOULIE_E_CONFLICT: too many events
 * are lost; and those of jl_thread_analyze(). */
int jl_capture_end(struct jl_capture *capture, struct jl_arena *arena, uint64_t seed,
                   struct jl_thread_analysis *out, struct joulie_error *err);
