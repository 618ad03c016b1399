/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The lists of docs/rules/gpu-prices.md as data; only catalog/fusion_gpus.c reads them. */

#include <stdbool.h>
#include <stddef.h>

#include "catalog/fusion_gpus.h"

struct jl_fusion_entry {
    const char *model;
    const char *full_name;
    const char *vendor;
    double fp16_tflops;
    double cost_per_hour;                    /* $; 0 = the list gives none */
    double vram_gb[JL_FUSION_VRAM_VARIANTS]; /* nameplate; 0 = none, or unified memory */
    bool is_non_tensor_rate;
};

struct jl_fusion_correction { /* of a model of the chart; 0 keeps the chart's value */
    const char *model;
    double fp16_tflops;
    double cost_per_hour;
};

struct jl_fusion_alias {
    const char *name; /* as drivers report it */
    const char *model;
};

extern const struct jl_fusion_entry jl_fusion_chart[]; /* gpu-public-gpu-info of v2.17.1 */
extern const size_t jl_fusion_chart_count;
extern const struct jl_fusion_entry jl_fusion_extras[]; /* entries of the other lists */
extern const size_t jl_fusion_extra_count;
extern const struct jl_fusion_correction jl_fusion_corrections[];
extern const size_t jl_fusion_correction_count;
extern const struct jl_fusion_alias jl_fusion_aliases[];
extern const size_t jl_fusion_alias_count;
