/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The measurements of a window for all pods at once: what is asked of Prometheus, what its replies
 * say of which pod, and what the pods of one workload come to
 * (docs/rules/classification.md#queries, #several-pods). Pure: others ask, and keep the pods.
 */

#include <joulie/classify.h>
#include <joulie/error.h>

#include "base/arena.h"
#include "base/text.h"
#include "kinds/pod.h"

/* In the order in which they are asked. */
enum jl_metered {
    JL_METERED_CORES,
    JL_METERED_COVERAGE, /* parts of the window that have samples */
    JL_METERED_BYTES,
    JL_METERED_GPU_PCT,
    JL_METERED_GPU_MEM_PCT,
    JL_METERED_PACKAGE_W, /* from here on Kepler's */
    JL_METERED_DRAM_W,
    JL_METERED_GPU_W,
    JL_METEREDS
};

/* The query of one window, in the arena; NULL = out of memory. */
const char *jl_metered_query(enum jl_metered usage, double window_s, struct jl_arena *arena);
/* What a query is about, a word. */
const char *jl_metered_word(enum jl_metered usage);

/* ---- replies ---- */

/* A series: of which pod, and how well its labels say so. The texts live for the call. */
struct jl_metered_series {
    const char *name_space;
    const char *pod;
    int rank; /* 2: its own generation of labels; 1: older ones */
    double value;
};

/*
 * Calls take for every series that says a number of a pod. 0, JOULIE_E_NOMEM, or JOULIE_E_PARSE
 * with err->message = why the reply is no answer: then nothing was taken.
 */
int jl_metered_read(int64_t http_status, struct jl_text body,
                    void (*take)(void *user, const struct jl_metered_series *series), void *user,
                    struct joulie_error *err);

/* What one pod used; zeroed at the start of a window. */
struct jl_metered_window {
    uint8_t ranks[JL_METEREDS]; /* 0 = nothing is said */
    bool clashes[JL_METEREDS];  /* two series of one rank: nothing counts */
    double values[JL_METEREDS];
};

/* Of two ranks the higher counts. */
void jl_metered_take(struct jl_metered_window *window, enum jl_metered usage,
                     const struct jl_metered_series *series);
bool jl_metered_has(const struct jl_metered_window *window, enum jl_metered usage);

/* ---- the pods of a workload ---- */

struct jl_metered_pod {
    const struct jl_metered_window *window; /* NULL = nothing was measured */
    const struct jl_pod *pod;
    double node_cores; /* of its node; 0 = unknown, as the next */
    double gpu_max_w;
    double gpu_count; /* that it asks for */
};

struct jl_metered_sum { /* zeroed at the start */
    double window_s;
    size_t pods; /* that run */
    double coverage;
    size_t with_cpu, with_memory, with_gpu, with_gpu_memory, with_energy, with_dram;
    double cpu_util_pct, mem_pressure_pct, gpu_util_pct, gpu_mem_util_pct;
    double usage_cores, cpu_energy_j, dram_energy_j, gpu_energy_j;
    bool is_gpu_missing; /* a pod asks for GPUs, and nothing is said of them */
};

void jl_metered_add(struct jl_metered_sum *sum, const struct jl_metered_pod *pod);
/* As one window of the whole workload. Sets the measurements of out and leaves the rest. */
void jl_metered_put(const struct jl_metered_sum *sum, struct joulie_classify_input *out);
