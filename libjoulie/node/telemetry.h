/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the reply of a telemetry endpoint says: power, and beside it utilisation, the limits that
 * the backend is to keep, and of when it is (docs/rules/endpoints.md#telemetry). */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/words.h"

enum jl_power_of {
    JL_POWER_OF_UNKNOWN,
    JL_POWER_OF_CPU, /* compared with the CPU cap */
    JL_POWER_OF_NODE,
};

enum jl_sample_result {
    JL_SAMPLE_UNKNOWN,
    JL_SAMPLE_TAKEN,
    JL_SAMPLE_NONE,  /* a good reply that says nothing about this power */
    JL_SAMPLE_ERROR, /* a bad status, no JSON object, or a time stamp that is none */
    JL_SAMPLE_STALE, /* older than most_age_ms: nothing in it counts */
};

extern const struct jl_words jl_power_of_words;      /* cpu node */
extern const struct jl_words jl_sample_result_words; /* sample no-sample error stale */

struct jl_telemetry_reply {
    struct jl_text body;
    int64_t http_status;
    enum jl_power_of power_of;
    bool is_source; /* the formulas of v0.1.1: no time stamp, nothing but power */
    bool has_age;   /* now_ms and most_age_ms are given; else the time stamp is not looked at */
    int64_t now_ms;
    int64_t most_age_ms;
};

struct jl_power_sample {
    uint64_t has;
    enum jl_sample_result result;
    double watts; /* with JL_SAMPLE_TAKEN */
    double age_s; /* 0 when the reply does not say, or says a later time: clocks differ */
    double cpu_util_pct;
    double gpu_util_pct;
    double gpu_w;       /* of all GPUs */
    double cpu_limit_w; /* that the backend is to keep, of all CPUs; else the one in force */
    double gpu_limit_w; /* the same of each GPU */
    double throttle_pct;
};

enum {
    JL_READ_RESULT,
    JL_READ_WATTS,
    JL_READ_AGE,
    JL_READ_CPU_UTIL,
    JL_READ_GPU_UTIL,
    JL_READ_GPU_WATTS,
    JL_READ_CPU_LIMIT,
    JL_READ_GPU_LIMIT,
    JL_READ_THROTTLE,
};

/* 0 or JOULIE_E_NOMEM: a reply without a sample is an answer. */
int jl_telemetry_power(const struct jl_telemetry_reply *reply, struct jl_arena *arena,
                       struct jl_power_sample *out);
