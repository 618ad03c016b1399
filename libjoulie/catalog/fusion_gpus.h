/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * GPUs as TensorFusion's public lists know them: TFLOPS, price and nameplate VRAM by the name that
 * the driver reports. Rules: docs/rules/gpu-prices.md.
 */

#include <stdbool.h>
#include <stddef.h>

#define JL_FUSION_VRAM_VARIANTS 2

struct jl_fusion_gpu {
    const char *model;
    const char *full_name; /* as the driver reports it */
    const char *vendor;    /* NVIDIA, Apple, AMD, PPU, Ascend */
    double fp16_tflops;
    double cost_per_hour;                    /* $; 0 = the lists give none */
    double vram_gb[JL_FUSION_VRAM_VARIANTS]; /* nameplate; 0 = none, or unified memory */
    bool is_non_tensor_rate;                 /* fp16_tflops is not the dense tensor rate */
};

enum jl_fusion_gpu_rules {
    JL_FUSION_GPUS_CURRENT, /* the chart corrected, and entries of other lists */
    JL_FUSION_GPUS_V2_17_1, /* the chart's values */
};

#define JL_FUSION_FAMILY_LIMIT 16 /* members of the largest family at most; a test holds it */

/* What a name stands for: one entry, or the members of a family. */
struct jl_fusion_match {
    struct jl_fusion_gpu gpu; /* of a family only fp16_tflops, the smallest of the members */
    double vram_gb;           /* measured, else the only variant's; 0 = unknown */
    double least_vram_gb;     /* of all variants and members, for planning; 0 = unknown */
    bool is_family;
    size_t member_count;                         /* of a family, else 0 */
    const char *members[JL_FUSION_FAMILY_LIMIT]; /* models in table order */
};

/*
 * By driver name, then model, then normal form, then family. measured_vram_gb 0 = not
 * measured. False = not known (also NULL); then out is untouched.
 */
bool jl_fusion_gpu_find(const char *name, double measured_vram_gb, enum jl_fusion_gpu_rules rules,
                        struct jl_fusion_match *out);

/* Whether one capacity of the family had to be chosen: warning AmbiguousGpuModel. */
bool jl_fusion_match_is_ambiguous(const struct jl_fusion_match *match);

/* Entry i of the rules' table; false behind the last one. */
bool jl_fusion_gpu_at(size_t i, enum jl_fusion_gpu_rules rules, struct jl_fusion_gpu *out);
