/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Power in the reply of a telemetry endpoint (joulie-node-agent.md §5.4, W6; joulie-control.md
 * §3.3). */

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
    JL_SAMPLE_ERROR, /* a bad status, or no JSON object */
};

extern const struct jl_words jl_power_of_words;      /* cpu node */
extern const struct jl_words jl_sample_result_words; /* sample no-sample error */

struct jl_telemetry_reply {
    struct jl_text body;
    int64_t http_status;
    enum jl_power_of power_of;
    bool is_source; /* the formulas of v0.1.1 */
};

struct jl_power_sample {
    enum jl_sample_result result;
    double watts; /* with JL_SAMPLE_TAKEN */
};

/* 0 or JOULIE_E_NOMEM: a reply without a sample is an answer. */
int jl_telemetry_power(const struct jl_telemetry_reply *reply, struct jl_arena *arena,
                       struct jl_power_sample *out);
