/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_THREADS_H
#define JOULIE_THREADS_H
#pragma once

/**
 * @file
 * The threads of a workload, from a recorded trace of the kernel's scheduler.
 *
 * A trace may have gigabytes: a handle takes it piece by piece, and its memory grows with the
 * number of threads, not with that of events. The question "threads.train.analyze" of
 * <joulie/ask.h> does the same with a trace that is a text of its input, with the same numbers to
 * the last bit. Formats and rules: docs/rules/threads-training.md.
 */

#include <joulie/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A trace that is being read. */
struct joulie_thread_trace;

/**
 * A trace of which nothing was read yet.
 *
 * @param out  the handle, to be released with joulie_thread_trace_free()
 * @param err  details on failure, may be NULL
 * @retval JOULIE_OK       *out is set
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads any
 * @since 0.3
 */
JOULIE_API int joulie_thread_trace_new(struct joulie_thread_trace **out, struct joulie_error *err);

/**
 * Releases it.
 *
 * @param trace  NULL does nothing
 * @threads the handle's
 * @since 0.3
 */
JOULIE_API void joulie_thread_trace_free(struct joulie_thread_trace *trace);

/**
 * Names a thread of the workload, before anything is read. What it forks belongs to the workload
 * too. As long as no thread was named, all threads of the trace are the workload.
 *
 * @param tid  its id; 0 is no thread and does nothing
 * @param err  details on failure, may be NULL
 * @retval JOULIE_OK       it is one of them
 * @retval JOULIE_E_LIMIT  there would be more than 65536
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads the handle's
 * @since 0.3
 */
JOULIE_API int joulie_thread_trace_add_thread(struct joulie_thread_trace *trace, uint32_t tid,
                                              struct joulie_error *err);

/**
 * Reads the next piece of the trace, which may end anywhere. After a failure nothing is left but to
 * release the handle.
 *
 * @param bytes  borrowed for the call
 * @param len    of them; 0 is allowed
 * @param err    details on failure, may be NULL; where is "trace"
 * @retval JOULIE_OK       it is read
 * @retval JOULIE_E_PARSE  an event is older than 1024 events before it
 * @retval JOULIE_E_LIMIT  more than 65536 threads, or more than 2097152 events of tables
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads the handle's
 * @since 0.3
 */
JOULIE_API int joulie_thread_trace_feed(struct joulie_thread_trace *trace, const char *bytes,
                                        size_t len, struct joulie_error *err);

/**
 * Ends the trace: what each thread did, and which of them behave alike. Once, at the end; after it,
 * nothing is left but to release the handle.
 *
 * @param seed  of the search for clusters; 42 is what the question takes by default
 * @param json  the answer of "threads.train.analyze", to be freed with joulie_free()
 * @param err   details on failure, may be NULL
 * @retval JOULIE_OK          *json is set
 * @retval JOULIE_E_PARSE     it is no trace, or nothing happens in it
 * @retval JOULIE_E_CONFLICT  more than a fifth of the switches are lost
 * @retval JOULIE_E_LIMIT     more than 16384 threads are busy
 * @retval JOULIE_E_NOMEM     memory ran out
 * @threads the handle's
 * @since 0.3
 */
JOULIE_API int joulie_thread_trace_analyze(struct joulie_thread_trace *trace, uint64_t seed,
                                           char **json, struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
