/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the users of a workload demand over time, whatever it is given: the same series is played
 * against every algorithm. Generated from a seed, or read from a recording (autoscale_trace.h).
 */

#include <joulie/error.h>

#include "base/arena.h"
#include "base/words.h"

enum jl_load_kind {
    JL_LOAD_UNKNOWN,
    JL_LOAD_BURSTY,  /* a quiet base, and bursts of minutes */
    JL_LOAD_DIURNAL, /* follows the hours of the day */
    JL_LOAD_RAMP,    /* grows steadily to ten times its start */
    JL_LOAD_STEP,    /* jumps to another level every few hours */
    JL_LOAD_TRACE,   /* recorded */
};

extern const struct jl_words jl_load_words; /* of the generated ones */

/* One step is long enough for a sample. */
#define JL_LOAD_STEP_NS INT64_C(10000000000)
#define JL_LOAD_STEP_S 10.0
#define JL_LOAD_MOST_HOURS 768.0 /* 32 days, beyond the longest history of a profile (720 h) */

struct jl_load {
    size_t count;         /* steps */
    double *tflops;       /* per step, of all workers together */
    double *vram_bytes;   /* per step, of each worker: its model, and what cannot be divided */
    double *shared_bytes; /* per step, of all workers together: what requests in flight need */
};

/* The sizes that a generated load is drawn around. */
struct jl_load_scale {
    double tflops;     /* of all workers together: what the profile requests */
    double vram_bytes; /* of each worker: the limit of the profile */
    double workers;    /* at the start */
};

/* 0 or JOULIE_E_NOMEM; hours within (0, JL_LOAD_MOST_HOURS]. */
int jl_load_generate(enum jl_load_kind kind, uint64_t seed, double hours,
                     const struct jl_load_scale *scale, struct jl_arena *arena,
                     struct jl_load *out);
