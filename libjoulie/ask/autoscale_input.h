/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the question autoscale reads (tensor-fusion.md §12.3). */

#include "ask/ask.h"
#include "autoscale/engine.h"
#include "autoscale/profile.h"

/* {"requests":{"tflops","vram"},"limits":{"tflops","vram"}} */
struct jl_ask_pair {
    uint64_t has;
    const char *tflops;
    const char *vram;
};

struct jl_ask_amounts {
    uint64_t has;
    struct jl_ask_pair requests;
    struct jl_ask_pair limits;
};

extern const struct jl_table jl_ask_amounts_table;
extern const struct jl_table jl_autoscale_in_table;

struct jl_autoscale_input {
    struct jl_autoscale_config config;
    struct jl_scale_step step;
    struct jl_scale_reply reply;
    struct jl_amount_texts texts;
};

/* Fills out from a struct of jl_autoscale_in_table and restores its state. */
int jl_autoscale_input_read(struct jl_ask *ask, const void *in, struct jl_autoscale_input *out,
                            struct jl_scale_engine *scaler);
/* Unset amounts that nobody wrote stay away. */
void jl_ask_put_amounts(struct jl_ask *ask, const struct jl_autoscale_input *input,
                        const struct jl_amounts *amounts, struct jl_ask_amounts *out);
