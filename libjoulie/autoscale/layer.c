/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the layers share: the words of reasons (docs/rules/autoscaling.md#reasons), steps and least
 * amounts of TFLOPS and VRAM (docs/rules/tensor-fusion.md#computed-amounts).
 */

#include "autoscale/layer.h"

#define TFLOPS_STEP 0.001         /* computed amounts are rounded up to this */
#define VRAM_STEP_BYTES 1048576.0 /* 1 MiB */
#define LEAST_TFLOPS 1.0
#define LEAST_VRAM_BYTES 1073741824.0 /* 1 GiB */

double jl_usage_step(enum jl_usage usage)
{
    return usage == JL_USAGE_VRAM ? VRAM_STEP_BYTES : TFLOPS_STEP;
}

double jl_usage_least(enum jl_usage usage)
{
    return usage == JL_USAGE_VRAM ? LEAST_VRAM_BYTES : LEAST_TFLOPS;
}

#define WORD(name, word) { JL_REASON_##name, word },

/* clang-format off */
static const struct jl_word reason_words[] = { JL_REASONS(WORD) };
/* clang-format on */
const struct jl_words jl_scale_reason_words = JL_WORDS(reason_words);
