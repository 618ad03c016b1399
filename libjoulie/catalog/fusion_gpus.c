/* SPDX-License-Identifier: Apache-2.0 */

/*
 * GPUs of TensorFusion's lists by the name that a driver reports. Called by tensor_fusion/ and by
 * the question `gpu.lookup`. Implements docs/rules/gpu-prices.md.
 */

#include "catalog/fusion_gpus.h"

#include <string.h>

#include "base/text.h"

/* ---- the lists ---- */

#define NVIDIA "NVIDIA"
#define APPLE "Apple"
#define AMD "AMD"
#define PPU "PPU"
#define ASCEND "Ascend"

#define GB_PER_GIB 1.073741824

/*
 * The chart, gpu-public-gpu-info of v2.17.1: model, driver name, vendor, FP16 TFLOPS, $ per hour,
 * nameplate VRAM in GB of the variants sold under one name, whether the rate is not that of the
 * tensor cores.
 */
static const struct jl_fusion_gpu chart[] = {
    /* NVIDIA */
    { "T4", "Tesla T4", NVIDIA, 65, 0.3, { 16 }, false },
    { "A100_SXM_80G", "NVIDIA A100-SXM4-80GB", NVIDIA, 312, 1.89, { 80 }, false },
    { "A100_PCIe_80G", "NVIDIA A100 80GB PCIe", NVIDIA, 312, 1.64, { 80 }, false },
    { "A100_PCIe_40GB", "NVIDIA A100-PCIE-40GB", NVIDIA, 312, 1.64, { 40 }, false },
    { "A100_PCIe_80GB", "NVIDIA A100-PCIE-80GB", NVIDIA, 312, 1.64, { 80 }, false },
    { "A100_SXM_40G", "NVIDIA A100-SXM4-40GB", NVIDIA, 312, 1.4, { 40 }, false },
    { "A100_PCIe_40G", "NVIDIA A100 40GB PCIe", NVIDIA, 312, 1.2, { 40 }, false },
    { "A800_SXM_40G", "NVIDIA A800-SXM4-40GB", NVIDIA, 312, 1.89, { 40 }, false },
    { "A800_SXM_80G", "NVIDIA A800-SXM4-80GB", NVIDIA, 312, 1.89, { 80 }, false },
    { "A800_PCIe_80G", "NVIDIA A800-PCIE-80GB", NVIDIA, 312, 1.64, { 80 }, false },
    { "A800_PCIe_40G", "NVIDIA A800-PCIE-40GB", NVIDIA, 312, 1.64, { 40 }, false },
    { "A10", "NVIDIA A10", NVIDIA, 125, 0.7, { 24 }, false },
    { "A10G", "NVIDIA A10G", NVIDIA, 125, 0.8, { 24 }, false },
    { "A40", "NVIDIA A40-PCIE-48GB", NVIDIA, 149.7, 0.4, { 48 }, false },
    { "A6000", "NVIDIA RTX A6000", NVIDIA, 38.71, 0.49, { 48 }, true },
    { "A6000Ada", "NVIDIA RTX 6000 Ada Generation", NVIDIA, 323, 0.77, { 48 }, false },
    { "RTX2060", "NVIDIA GeForce RTX 2060", NVIDIA, 12.9, 0.05, { 6 }, true },
    { "RTX2060S", "NVIDIA GeForce RTX 2060 SUPER", NVIDIA, 14.4, 0.06, { 8 }, true },
    { "RTX2070", "NVIDIA GeForce RTX 2070", NVIDIA, 14.93, 0.06, { 8 }, true },
    { "RTX2070S", "NVIDIA GeForce RTX 2070 SUPER", NVIDIA, 18.12, 0.07, { 8 }, true },
    { "RTX2080", "NVIDIA GeForce RTX 2080", NVIDIA, 20.14, 0.08, { 8 }, true },
    { "RTX2080S", "NVIDIA GeForce RTX 2080 SUPER", NVIDIA, 22.3, 0.09, { 8 }, true },
    { "RTX2080Ti", "NVIDIA GeForce RTX 2080 Ti", NVIDIA, 26.9, 0.1, { 11 }, true },
    { "TITANRTX", "NVIDIA TITAN RTX", NVIDIA, 32.62, 0.12, { 24 }, true },
    { "RTX3050", "NVIDIA GeForce RTX 3050", NVIDIA, 18.22, 0.05, { 8 }, false },
    { "RTX3060", "NVIDIA GeForce RTX 3060", NVIDIA, 26, 0.07, { 12 }, false },
    { "RTX3060Ti", "NVIDIA GeForce RTX 3060 Ti", NVIDIA, 32.4, 0.08, { 8 }, false },
    { "RTX3070", "NVIDIA GeForce RTX 3070", NVIDIA, 40.6, 0.1, { 8 }, false },
    { "RTX3070Ti", "NVIDIA GeForce RTX 3070 Ti", NVIDIA, 43.6, 0.1, { 8 }, false },
    { "RTX3080", "NVIDIA GeForce RTX 3080 (10 GB)", NVIDIA, 59.6, 0.18, { 10 }, false },
    { "RTX3080_12GB", "NVIDIA GeForce RTX 3080 (12 GB)", NVIDIA, 61.2, 0.2, { 12 }, false },
    { "RTX3080Ti", "NVIDIA GeForce RTX 3080 Ti", NVIDIA, 68.2, 0.18, { 12 }, false },
    { "RTX3090", "NVIDIA GeForce RTX 3090", NVIDIA, 71.2, 0.25, { 24 }, false },
    { "RTX3090Ti", "NVIDIA GeForce RTX 3090 Ti", NVIDIA, 80, 0.21, { 24 }, false },
    { "L4", "NVIDIA L4", NVIDIA, 121, 0.43, { 24 }, false },
    { "L40", "NVIDIA L40", NVIDIA, 181, 0.7, { 48 }, false },
    { "L40S", "NVIDIA L40S", NVIDIA, 365, 1.4, { 48 }, false },
    { "RTX4060", "NVIDIA GeForce RTX 4060", NVIDIA, 44, 0.1, { 8 }, false },
    { "RTX4060Ti", "NVIDIA GeForce RTX 4060 Ti", NVIDIA, 44, 0.11, { 8, 16 }, false },
    { "RTX4060Ti_16GB", "NVIDIA GeForce RTX 4060 Ti 16GB", NVIDIA, 44, 0.12, { 16 }, false },
    { "RTX4070", "NVIDIA GeForce RTX 4070", NVIDIA, 58, 0.15, { 12 }, false },
    { "RTX4070S", "NVIDIA GeForce RTX 4070 SUPER", NVIDIA, 60, 0.18, { 12 }, false },
    { "RTX4070Ti", "NVIDIA GeForce RTX 4070 Ti", NVIDIA, 78.86, 0.2, { 12 }, false },
    { "RTX4070TiS", "NVIDIA GeForce RTX 4070 Ti SUPER", NVIDIA, 80, 0.22, { 16 }, false },
    { "RTX4080", "NVIDIA GeForce RTX 4080", NVIDIA, 97.48, 0.23, { 16 }, false },
    { "RTX4080S", "NVIDIA GeForce RTX 4080 SUPER", NVIDIA, 104, 0.25, { 16 }, false },
    { "RTX4090", "NVIDIA GeForce RTX 4090", NVIDIA, 165.16, 0.3, { 24 }, false },
    { "H100_SXM", "NVIDIA H100 80GB HBM3", NVIDIA, 989, 2.99, { 80 }, false },
    { "H100_PCIe", "NVIDIA H100 PCIe", NVIDIA, 835, 2.39, { 80 }, false },
    { "H800_SXM", "NVIDIA H800 80GB HBM3", NVIDIA, 989, 2.99, { 80 }, false },
    { "H800_NVL", "NVIDIA H800 NVL", NVIDIA, 835, 2.79, { 94 }, false },
    { "H20", "NVIDIA H20", NVIDIA, 148, 1, { 96, 141 }, false },
    { "V100", "NVIDIA V100", NVIDIA, 125, 0.7, { 16, 32 }, false },
    { "V100S", "NVIDIA V100S", NVIDIA, 130, 0.8, { 32 }, false },
    { "H200", "NVIDIA H200", NVIDIA, 989, 3.99, { 141 }, false },
    { "H200_NVL", "NVIDIA H200 NVL", NVIDIA, 835, 3.99, { 141 }, false },
    { "H800_PCIe", "NVIDIA H800 PCIe", NVIDIA, 835, 2.39, { 80 }, false },
    { "H100_NVL", "NVIDIA H100 NVL", NVIDIA, 989, 2.99, { 94 }, false },
    { "B200_SXM", "NVIDIA B200 SXM", NVIDIA, 2250, 6.39, { 180 }, false },
    { "RTX_5090", "NVIDIA GeForce RTX 5090", NVIDIA, 419.2, 0.89, { 32 }, false },
    { "RTX_5090D", "NVIDIA GeForceRTX 5090D", NVIDIA, 380, 0.65, { 32 }, false },
    { "RTX_5080", "NVIDIA GeForce RTX 5080", NVIDIA, 225, 0.9, { 16 }, false },
    { "RTX_5070Ti", "NVIDIA GeForce RTX 5070 Ti", NVIDIA, 177.4, 0.5, { 16 }, false },
    { "RTX_5070", "NVIDIA GeForce RTX 5070", NVIDIA, 124, 0.3, { 12 }, false },
    { "RTX_5060Ti", "NVIDIA GeForce RTX 5060 Ti", NVIDIA, 51, 0.2, { 8, 16 }, false },
    { "RTX_5060", "NVIDIA GeForce RTX 5060", NVIDIA, 42, 0.18, { 8 }, false },
    { "RTXA2000", "NVIDIA RTX A2000", NVIDIA, 32, 0.1, { 6, 12 }, false },
    { "RTXA4000", "NVIDIA RTX A4000", NVIDIA, 76.5, 0.24, { 16 }, false },
    { "RTXA4500", "NVIDIA RTX A4500", NVIDIA, 94.5, 0.23, { 20 }, false },
    { "RTXA5000", "NVIDIA RTX A5000", NVIDIA, 111, 0.26, { 24 }, false },
    { "RTX4000AdaGen", "NVIDIA RTX 4000 Ada Generation", NVIDIA, 163, 0.26, { 20 }, false },
    { "RTX2000Ada", "NVIDIA RTX 2000 Ada Generation", NVIDIA, 46, 0.23, { 16 }, false },
    { "GTX1050Ti", "NVIDIA GeForce GTX 1050 Ti", NVIDIA, 4, 0.03, { 4 }, false },
    { "GTX1070", "NVIDIA GeForce GTX 1070", NVIDIA, 0.101, 0.04, { 8 }, false },
    { "GTX1080", "NVIDIA GeForce GTX 1080", NVIDIA, 0.138, 0.05, { 8 }, false },
    { "GTX1080Ti", "NVIDIA GeForce GTX 1080 Ti", NVIDIA, 0.177, 0.06, { 11 }, false },
    { "GTX1660Ti", "NVIDIA GeForce GTX 1660 Ti", NVIDIA, 9.6, 0.04, { 6 }, false },
    /* Apple */
    { "M1", "Apple M1", APPLE, 4.58, 0.1, { 0 }, false },
    { "M1Pro", "Apple M1 Pro", APPLE, 10.6, 0.15, { 0 }, false },
    { "M1Max", "Apple M1 Max", APPLE, 21.2, 0.2, { 0 }, false },
    { "M1Ultra", "Apple M1 Ultra", APPLE, 42.4, 0.3, { 0 }, false },
    { "M2", "Apple M2", APPLE, 7.1, 0.12, { 0 }, false },
    { "M2Pro", "Apple M2 Pro", APPLE, 11.36, 0.18, { 0 }, false },
    { "M2Max", "Apple M2 Max", APPLE, 26.98, 0.25, { 0 }, false },
    { "M2Ultra", "Apple M2 Ultra", APPLE, 53.96, 0.35, { 0 }, false },
    { "M3", "Apple M3", APPLE, 7.1, 0.14, { 0 }, false },
    { "M3Pro", "Apple M3 Pro", APPLE, 9.94, 0.2, { 0 }, false },
    { "M3Max", "Apple M3 Max", APPLE, 28.4, 0.28, { 0 }, false },
    { "M3Ultra", "Apple M3 Ultra", APPLE, 108.52, 0.4, { 0 }, false },
    { "M4", "Apple M4", APPLE, 8.52, 0.16, { 0 }, false },
    { "M4Pro", "Apple M4 Pro", APPLE, 11.44, 0.22, { 0 }, false },
    { "M4Max", "Apple M4 Max", APPLE, 36.07, 0.3, { 0 }, false },
    { "A13Bionic", "Apple A13 Bionic", APPLE, 1.38, 0.05, { 0 }, false },
    { "A14Bionic", "Apple A14 Bionic", APPLE, 1.5, 0.06, { 0 }, false },
    { "A15Bionic", "Apple A15 Bionic", APPLE, 2.74, 0.07, { 0 }, false },
    { "A16Bionic", "Apple A16 Bionic", APPLE, 3.58, 0.08, { 0 }, false },
    { "A17Pro", "Apple A17 Pro", APPLE, 4.3, 0.09, { 0 }, false },
    /* AMD */
    { "RX6400", "AMD Radeon RX 6400", AMD, 7.14, 0.04, { 4 }, false },
    { "RX6500XT", "AMD Radeon RX 6500 XT", AMD, 11.54, 0.05, { 4, 8 }, false },
    { "RX6600", "AMD Radeon RX 6600", AMD, 17.86, 0.06, { 8 }, false },
    { "RX6600XT", "AMD Radeon RX 6600 XT", AMD, 21.2, 0.07, { 8 }, false },
    { "RX6700", "AMD Radeon RX 6700", AMD, 22.8, 0.08, { 10 }, false },
    { "RX6700XT", "AMD Radeon RX 6700 XT", AMD, 26.42, 0.09, { 12 }, false },
    { "RX6800", "AMD Radeon RX 6800", AMD, 32.34, 0.11, { 16 }, false },
    { "RX6800XT", "AMD Radeon RX 6800 XT", AMD, 41.48, 0.13, { 16 }, false },
    { "RX6900XT", "AMD Radeon RX 6900 XT", AMD, 46.08, 0.15, { 16 }, false },
    { "RX7500", "AMD Radeon RX 7500", AMD, 32.4, 0.06, { 0 }, false },
    { "RX7600", "AMD Radeon RX 7600", AMD, 43, 0.08, { 8 }, false },
    { "RX7700XT", "AMD Radeon RX 7700 XT", AMD, 68.4, 0.12, { 12 }, false },
    { "RX7800XT", "AMD Radeon RX 7800 XT", AMD, 85.2, 0.15, { 16 }, false },
    { "RX7900XT", "AMD Radeon RX 7900 XT", AMD, 106.8, 0.18, { 20 }, false },
    { "RX7900XTX", "AMD Radeon RX 7900 XTX", AMD, 122.8, 0.2, { 24 }, false },
};

/* Entries of the provider configuration and of the sample file, which the chart lacks. */
static const struct jl_fusion_gpu extras[] = {
    { "A30", "NVIDIA A30", NVIDIA, 165, 0.45, { 24 }, false },
    { "A100_SXM", "NVIDIA A100-SXM4-80GB", NVIDIA, 312, 0, { 80 }, false },
    { "RTX3090", "NVIDIA 3090", NVIDIA, 71.2, 0.3, { 24 }, false },
    { "PPU-ZW810E", "Alibaba PPU Zhenwu 810E", PPU, 386, 1.0, { 96 * GB_PER_GIB }, false },
    { "Ascend_310P3", "Ascend 310P3", ASCEND, 22, 1.0, { 0 }, false },
};

/* Of `current`: dense tensor rates of the data sheets, and the price of the T4 in the provider
 * list. */
static const struct {
    const char *model;
    double fp16_tflops; /* 0 keeps the chart's value */
    double cost_per_hour;
} corrections[] = {
    { "H100_PCIe", 756, 0 }, { "H800_PCIe", 756, 0 }, { "H100_NVL", 835, 0 },
    { "L40S", 362, 0 },      { "T4", 0, 0.35 },
};

/* Driver names of boards whose fullModelName no driver reports. */
static const struct {
    const char *name;
    const char *model;
} aliases[] = {
    { "Tesla V100-SXM2-16GB", "V100" },   { "Tesla V100-SXM2-32GB", "V100" },
    { "Tesla V100-SXM3-32GB", "V100" },   { "Tesla V100-PCIE-16GB", "V100" },
    { "Tesla V100-PCIE-32GB", "V100" },   { "Tesla V100-FHHL-16GB", "V100" },
    { "Tesla V100-DGXS-16GB", "V100" },   { "Tesla V100-DGXS-32GB", "V100" },
    { "Tesla V100S-PCIE-32GB", "V100S" },
};

/* ---- names ---- */

/* Words and signs that do not distinguish models. */
static const char *const vendor_words[] = {
    "nvidia", "tesla", "geforce", "amd", "radeon", "apple"
};
static const struct jl_text separators = { " -_()", 5 };

enum test { TEST_FULL_NAME, TEST_MODEL, TEST_NORMAL, TEST_FAMILY, TEST_COUNT };

static size_t vendor_word_at(struct jl_text text)
{
    for (size_t i = 0; i < JL_COUNT(vendor_words); i++) {
        const char *word = vendor_words[i];
        size_t len = 0;
        while (word[len] != '\0' && len < text.len && jl_lower(text.ptr[len]) == word[len])
            len++;
        if (word[len] == '\0')
            return len;
    }
    return 0;
}

/* Takes the next character of the normal form; 0 at the end. */
static char next_normal(struct jl_text *text)
{
    while (text->len > 0) {
        const size_t skipped = vendor_word_at(*text);
        const size_t taken = skipped > 0 ? skipped : 1;
        const char c = *text->ptr;
        *text = (struct jl_text){ text->ptr + taken, text->len - taken };
        if (skipped == 0 && jl_text_find(separators, c) == separators.len)
            return jl_lower(c);
    }
    return '\0';
}

static bool same_normal(struct jl_text a, struct jl_text b)
{
    bool is_empty = true;
    for (;;) {
        const char c = next_normal(&a);
        if (c != next_normal(&b))
            return false;
        if (c == '\0')
            return !is_empty;
        is_empty = false;
    }
}

/* The list has several cards that drivers report under one name: "… RTX 3080 (12 GB)". */
static struct jl_text without_size(const char *full_name)
{
    struct jl_text text = jl_text(full_name);
    const size_t size = jl_text_find(text, '(');
    if (jl_ends_with(full_name, " GB)"))
        text.len = size;
    return text;
}

static bool is_alias(const char *name, const char *model)
{
    for (size_t i = 0; i < JL_COUNT(aliases); i++) {
        if (jl_same(aliases[i].model, model) &&
            same_normal(jl_text(name), jl_text(aliases[i].name)))
            return true;
    }
    return false;
}

static bool holds_normal(const char *name, const struct jl_fusion_gpu *gpu)
{
    const struct jl_text text = jl_text(name);
    return same_normal(text, jl_text(gpu->full_name)) || same_normal(text, jl_text(gpu->model)) ||
           same_normal(text, without_size(gpu->full_name)) || is_alias(name, gpu->model);
}

static bool is_member(const char *family, const char *model)
{
    struct jl_text rest = jl_text(model);
    const struct jl_text head = jl_text_cut(&rest, '_');
    return rest.len > 0 && jl_text_is(head, family);
}

static bool holds(enum test test, const char *name, const struct jl_fusion_gpu *gpu)
{
    switch (test) {
    case TEST_FULL_NAME:
        return jl_same(name, gpu->full_name);
    case TEST_MODEL:
        return jl_same(name, gpu->model);
    case TEST_NORMAL:
        return holds_normal(name, gpu);
    case TEST_FAMILY:
        return is_member(name, gpu->model);
    case TEST_COUNT:
        break;
    }
    return false;
}

static void correct(struct jl_fusion_gpu *gpu)
{
    for (size_t i = 0; i < JL_COUNT(corrections); i++) {
        if (!jl_same(gpu->model, corrections[i].model))
            continue;
        if (corrections[i].fp16_tflops > 0)
            gpu->fp16_tflops = corrections[i].fp16_tflops;
        if (corrections[i].cost_per_hour > 0)
            gpu->cost_per_hour = corrections[i].cost_per_hour;
    }
}

bool jl_fusion_gpu_at(size_t i, enum jl_fusion_gpu_rules rules, struct jl_fusion_gpu *out)
{
    const bool is_current = rules == JL_FUSION_GPUS_CURRENT;
    const size_t count = JL_COUNT(chart) + (is_current ? JL_COUNT(extras) : 0);
    if (i >= count)
        return false;
    *out = i < JL_COUNT(chart) ? chart[i] : extras[i - JL_COUNT(chart)];
    if (is_current)
        correct(out);
    return true;
}

/* How far the measured VRAM is from the nearest variant's. */
static double vram_gap(const struct jl_fusion_gpu *gpu, double measured_gb)
{
    double nearest = 0;
    for (size_t i = 0; i < JL_FUSION_VRAM_VARIANTS && (i == 0 || gpu->vram_gb[i] > 0); i++) {
        const double gap = gpu->vram_gb[i] - measured_gb;
        const double size = gap < 0 ? -gap : gap;
        if (i == 0 || size < nearest)
            nearest = size;
    }
    return nearest;
}

static double vram_of(const struct jl_fusion_gpu *gpu, double measured_gb)
{
    if (measured_gb > 0)
        return measured_gb;
    return gpu->vram_gb[1] > 0 ? 0 : gpu->vram_gb[0];
}

/* The smallest variant; 0 = the list gives none. */
static double least_vram(const struct jl_fusion_gpu *gpu)
{
    const double *vram = gpu->vram_gb;
    return vram[1] > 0 && vram[1] < vram[0] ? vram[1] : vram[0];
}

/* Of several entries the one nearest in VRAM, without a measurement the first. */
static bool find_entry(enum test test, const char *name, double measured_gb,
                       enum jl_fusion_gpu_rules rules, struct jl_fusion_match *out)
{
    struct jl_fusion_gpu gpu;
    bool is_found = false;
    for (size_t i = 0; jl_fusion_gpu_at(i, rules, &gpu); i++) {
        if (!holds(test, name, &gpu))
            continue;
        if (!is_found ||
            (measured_gb > 0 && vram_gap(&gpu, measured_gb) < vram_gap(&out->gpu, measured_gb)))
            out->gpu = gpu;
        is_found = true;
    }
    if (!is_found)
        return false;
    out->vram_gb = vram_of(&out->gpu, measured_gb);
    out->least_vram_gb = measured_gb > 0 ? measured_gb : least_vram(&out->gpu);
    return true;
}

static bool find_family(const char *name, double measured_gb, enum jl_fusion_gpu_rules rules,
                        struct jl_fusion_match *out)
{
    struct jl_fusion_gpu gpu;
    for (size_t i = 0; jl_fusion_gpu_at(i, rules, &gpu); i++) {
        if (!holds(TEST_FAMILY, name, &gpu) || out->member_count == JL_FUSION_FAMILY_LIMIT)
            continue;
        if (out->member_count == 0 || gpu.fp16_tflops < out->gpu.fp16_tflops)
            out->gpu.fp16_tflops = gpu.fp16_tflops;
        if (out->member_count == 0 || least_vram(&gpu) < out->least_vram_gb)
            out->least_vram_gb = least_vram(&gpu);
        out->members[out->member_count++] = gpu.model;
    }
    out->is_family = out->member_count > 0;
    out->vram_gb = measured_gb;
    if (measured_gb > 0)
        out->least_vram_gb = measured_gb;
    return out->is_family;
}

bool jl_fusion_gpu_find(const char *name, double measured_vram_gb, enum jl_fusion_gpu_rules rules,
                        struct jl_fusion_match *out)
{
    struct jl_fusion_match match = { 0 };
    bool is_found = false;
    if (name == NULL)
        return false;
    for (enum test test = TEST_FULL_NAME; test < TEST_FAMILY && !is_found; test++)
        is_found = find_entry(test, name, measured_vram_gb, rules, &match);
    if (!is_found && !find_family(name, measured_vram_gb, rules, &match))
        return false;
    *out = match;
    return true;
}

bool jl_fusion_match_is_ambiguous(const struct jl_fusion_match *match)
{
    return match->member_count > 1;
}
