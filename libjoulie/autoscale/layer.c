/* SPDX-License-Identifier: Apache-2.0 */
#include "autoscale/layer.h"

#define TFLOPS_STEP 0.001         /* §3.4 */
#define VRAM_STEP_BYTES 1048576.0 /* §3.4: 1 MiB */

double jl_usage_step(enum jl_usage usage)
{
    return usage == JL_USAGE_VRAM ? VRAM_STEP_BYTES : TFLOPS_STEP;
}
