/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the question autoscale reads. */

#include "ask/ask.h"
#include "autoscale/engine.h"
#include "autoscale/profile.h"

#ifdef JL_AUTOSCALE_INPUT_TABLES
#define RECORD_TABLES
#endif

/* {"requests":{"tflops","vram"},"limits":{"tflops","vram"}} */
#define RECORD jl_ask_pair
#define MEMBERS                                        \
    QUANTITY(tflops, "tflops", "FP16 TFLOPS per GPU.") \
    QUANTITY(vram, "vram", "Bytes per GPU.")
#include "schema/shared_record.h"

#define RECORD jl_ask_amounts
#define MEMBERS                                                               \
    OBJECT(requests, "requests", jl_ask_pair, "What a worker is guaranteed.") \
    OBJECT(limits, "limits", jl_ask_pair, "What a worker may use.")
#include "schema/shared_record.h"

#undef RECORD_TABLES

extern const struct jl_table autoscale_in_table;

struct jl_autoscale_input {
    struct jl_autoscale_config config;
    struct jl_scale_step step;
    struct jl_scale_reply reply;
    struct jl_amount_texts texts;
};

/* Fills out from a struct of autoscale_in_table and restores its state. */
int jl_autoscale_input_read(struct jl_ask *ask, const void *in, struct jl_autoscale_input *out,
                            struct jl_scale_engine *scaler);
/* Unset amounts that nobody wrote stay away. */
void jl_ask_put_amounts(struct jl_ask *ask, const struct jl_autoscale_input *input,
                        const struct jl_amounts *amounts, struct jl_ask_amounts *out);
