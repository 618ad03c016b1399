/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Traces: JSON lines of jobs (docs/rules/workloads.md#trace-line). */

#include <joulie/error.h>

#include "base/arena.h"
#include "physics/physics.h"

/* Ten years: no run is longer, no job comes later. What takes longer is a mistake in a unit, and
 * the operator would step every minute of it. */
#define JL_SIM_LONGEST_S 315576000.0

struct jl_trace_job { /* with every default filled */
    const char *job_id;
    const char *workload_id; /* NULL = none, also of the next two */
    const char *workload_type;
    const char *pod_role;
    const char *name_space;
    const char *gpu_vendor; /* nvidia, amd, or NULL: any, or no GPU */
    bool is_gang;
    bool is_performance;
    double submit_s;
    double cpu_cores;
    int64_t memory_bytes;
    int64_t gpu_count;
    double cpu_units;
    double gpu_units;
    struct jl_work work;
};

struct jl_trace_line {
    bool is_skipped;     /* blank, a workload record or another type */
    bool is_workload;    /* type=workload */
    bool is_gpu_ignored; /* a GPU request that is no positive integer */
    struct jl_trace_job job;
};

/*
 * One line. Strings go into the arena. where of a failure is a path inside the line, or "line 1"
 * when the line is no JSON object. flags: JL_LENIENT of schema/decode.h skips unknown members.
 */
int jl_trace_read_line(struct jl_arena *arena, const char *text, size_t len, uint32_t flags,
                       struct jl_trace_line *out, struct joulie_error *err);

struct jl_trace {
    struct jl_arena arena;
    struct jl_trace_job *jobs; /* in file order */
    size_t count;
    size_t capacity;
    size_t lines;
    size_t workload_records;
    size_t skipped_lines; /* blank or of another type */
    size_t bad_lines;     /* with is_lenient */
    size_t ignored_gpu_requests;
};

/*
 * A whole trace. The first bad line stops it: err->line is its number, where is "line N: path".
 * With is_lenient bad lines are counted and skipped. Two jobs of one jobId are JOULIE_E_CONFLICT.
 */
int jl_trace_read(const char *text, size_t len, bool is_lenient, struct jl_trace *out,
                  struct joulie_error *err);
void jl_trace_clear(struct jl_trace *trace);

/* Where a line's failure is: "line 7: workloadClass.gpu"; one without a path names the line alone.
 */
void jl_trace_place_error(struct joulie_error *err, size_t line);

/* What the job's pod requests; beyond every node it is limited, not exact. */
int64_t jl_trace_millicores(const struct jl_trace_job *job);
