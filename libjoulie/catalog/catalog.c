/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The embedded CPUs and GPUs, how a text finds one of them, and the power curve of a node. Called
 * by hardware.c, node/, physics/ and sim/. Implements docs/rules/catalog.md.
 */

#include "catalog/catalog.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"

#define GPU_MIN_FRAC 0.5 /* of its maximum, for a GPU whose lowest cap is not in the catalog */

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Two sockets, watts at load 0, 10, … 100 % (SPECpower, docs/rules/catalog.md#power-curves). */
static const double curve_9654[JL_CURVE_POINTS] = { 128, 257, 300, 340, 378, 410,
                                                    442, 498, 577, 697, 817 };
static const double curve_9655[JL_CURVE_POINTS] = { 138, 297, 367, 438, 515, 593,
                                                    661, 710, 771, 812, 861 };
static const double curve_9965[JL_CURVE_POINTS] = { 157, 265, 314, 362, 412, 461,
                                                    503, 544, 587, 661, 800 };

#define EPYC(number, cores, ...)                                                              \
    {                                                                                         \
        .key = "AMD_EPYC_" number,                                                            \
        .aliases = WORDS("AMD EPYC " number " " cores "-Core Processor", "AMD EPYC " number), \
        .vendor = "amd", .driver_family = "amd-pstate", __VA_ARGS__                           \
    }
#define MEASURED(curve) .provenance = "exact+official", .curve_2s_w = (curve)
#define PROXY(key) .provenance = "official+proxy", .proxy_family = (key)

static const struct jl_cpu_model cpu_models[] = {
    EPYC("9654", "96", MEASURED(curve_9654), .base_ghz = 2.4, .boost_ghz = 3.7, .tdp_w = 360,
         .ctdp_min_w = 320, .ctdp_max_w = 400, .compute_density = 710.4),
    EPYC("9655", "96", MEASURED(curve_9655), .base_ghz = 2.6, .boost_ghz = 4.5, .tdp_w = 400,
         .ctdp_min_w = 320, .ctdp_max_w = 400, .compute_density = 1040.0),
    EPYC("9965", "192", MEASURED(curve_9965), .base_ghz = 2.25, .boost_ghz = 3.7, .tdp_w = 500,
         .ctdp_min_w = 450, .ctdp_max_w = 500, .compute_density = 1776.0),
    EPYC("9534", "64", PROXY("AMD_EPYC_9654"), .base_ghz = 2.45, .boost_ghz = 3.7, .tdp_w = 280,
         .ctdp_min_w = 240, .ctdp_max_w = 300, .compute_density = 473.6),
    EPYC("9375F", "32", PROXY("AMD_EPYC_9655"), .base_ghz = 3.8, .boost_ghz = 4.8, .tdp_w = 320,
         .ctdp_min_w = 320, .ctdp_max_w = 400, .compute_density = 486.4),
    {
        .key = "INTEL_XEON_GOLD_6530",
        .aliases = WORDS("INTEL(R) XEON(R) GOLD 6530", "INTEL XEON GOLD 6530", "Xeon Gold 6530"),
        .vendor = "intel",
        .driver_family = "intel_pstate",
        PROXY("XEON_GEN5_GENERIC"), /* no such key in the catalog */
        .base_ghz = 2.1,
        .boost_ghz = 4.0,
        .tdp_w = 270,
        .compute_density = 256.0,
    },
};

/* Key, vendor and three aliases. The last four numbers of each are used by simulations only
 * (docs/rules/physics.md). */
#define GPU(name, maker, one, two, three, ...)                               \
    {                                                                        \
        .key = (name), .vendor = (maker), .aliases = WORDS(one, two, three), \
        .provenance = "official+runtime+literature", __VA_ARGS__             \
    }

static const struct jl_gpu_model gpu_models[] = {
    GPU("NVIDIA_H100_NVL", "nvidia", "NVIDIA-H100-NVL", "NVIDIA H100 NVL", "H100 NVL",
        .max_board_w = 400, .min_board_w = 200, .compute_density = 400, .idle_w = 60,
        .compute_gamma = 1.50, .memory_epsilon = 0.15, .memory_gamma = 0.90),
    GPU("NVIDIA_H100_SXM", "nvidia", "NVIDIA-H100-80GB-HBM3", "NVIDIA H100 80GB HBM3", "H100 SXM",
        .max_board_w = 700, .min_board_w = 350, .compute_density = 700, .idle_w = 100,
        .compute_gamma = 1.40, .memory_epsilon = 0.15, .memory_gamma = 0.90),
    GPU("NVIDIA_L40S", "nvidia", "NVIDIA-L40S", "NVIDIA L40S", "L40S", .max_board_w = 350,
        .min_board_w = 200, .compute_density = 350, .idle_w = 35, .compute_gamma = 1.20,
        .memory_epsilon = 0.25, .memory_gamma = 1.10),
    GPU("AMD_INSTINCT_MI300X", "amd", "AMD_Instinct_MI300X", "AMD Instinct MI300X", "MI300X",
        .max_board_w = 750, .min_board_w = 350, .compute_density = 750, .idle_w = 120,
        .compute_gamma = 0.85, .memory_epsilon = 0.10, .memory_gamma = 0.85),
    GPU("AMD_RADEON_PRO_W7900", "amd", "AMD_Radeon_PRO_W7900", "AMD Radeon PRO W7900", "W7900",
        .max_board_w = 295, .min_board_w = 200, .compute_density = 295, .idle_w = 25,
        .compute_gamma = 1.10, .memory_epsilon = 0.30, .memory_gamma = 1.20),
};

/* Reads a raw text character by character in its normal form, so that two texts compare without a
 * copy of either. */
struct normal_reader {
    const char *at;
    bool has_begun;
};

static bool is_separator(char c)
{
    return jl_is_space(c) || c == '(' || c == ')' || c == '-' || c == '_' || c == '/' || c == ',';
}

/* Bytes of a mark that the normal form drops: (r), ®, ™. */
static size_t mark_bytes(const char *at)
{
    if (at[0] == '(' && jl_lower(at[1]) == 'r' && at[2] == ')')
        return 3;
    if (strncmp(at, "\xC2\xAE", 2) == 0)
        return 2;
    return strncmp(at, "\xE2\x84\xA2", 3) == 0 ? 3 : 0;
}

/* The next character, '\0' at the end. */
static char read_normal(struct normal_reader *reader)
{
    bool is_apart = false;
    while (*reader->at != '\0') {
        const size_t mark = mark_bytes(reader->at);
        if (mark == 0 && !is_separator(*reader->at))
            break;
        is_apart = is_apart || mark == 0;
        reader->at += mark > 0 ? mark : 1;
    }
    if (*reader->at == '\0')
        return '\0';
    if (is_apart && reader->has_begun)
        return ' ';
    reader->has_begun = true;
    return jl_lower(*reader->at++);
}

static struct normal_reader normal_reader(const char *text)
{
    return (struct normal_reader){ .at = text != NULL ? text : "" };
}

size_t jl_catalog_normal(const char *text, char *out, size_t size)
{
    struct normal_reader reader = normal_reader(text);
    size_t len = 0;
    for (char c = read_normal(&reader); c != '\0'; c = read_normal(&reader)) {
        if (len + 1 < size)
            out[len] = c;
        len++;
    }
    if (size > 0)
        out[len < size ? len : size - 1] = '\0';
    return len;
}

/* Equal normal forms; an empty form equals nothing. */
static bool is_same_model(const char *text, const char *name)
{
    struct normal_reader a = normal_reader(text);
    struct normal_reader b = normal_reader(name);
    size_t len = 0;
    for (;; len++) {
        const char c = read_normal(&a);
        if (c != read_normal(&b))
            return false;
        if (c == '\0')
            return len > 0;
    }
}

static bool is_named(const char *text, const char *key, const char *const *aliases)
{
    if (is_same_model(text, key))
        return true;
    for (size_t i = 0; aliases[i] != NULL; i++) {
        if (is_same_model(text, aliases[i]))
            return true;
    }
    return false;
}

const struct jl_cpu_model *jl_catalog_cpu(const char *text)
{
    for (size_t i = 0; i < JL_COUNT(cpu_models); i++) {
        if (is_named(text, cpu_models[i].key, cpu_models[i].aliases))
            return &cpu_models[i];
    }
    return NULL;
}

const struct jl_gpu_model *jl_catalog_gpu(const char *text)
{
    for (size_t i = 0; i < JL_COUNT(gpu_models); i++) {
        if (is_named(text, gpu_models[i].key, gpu_models[i].aliases))
            return &gpu_models[i];
    }
    return NULL;
}

double jl_catalog_gpu_min_w(const struct jl_gpu_model *model)
{
    return model->min_board_w > 0 ? model->min_board_w : GPU_MIN_FRAC * model->max_board_w;
}

const struct jl_cpu_model *jl_catalog_curve_model(const struct jl_cpu_model *model)
{
    if (model == NULL || model->curve_2s_w != NULL)
        return model;
    const struct jl_cpu_model *family = jl_catalog_cpu(model->proxy_family);
    return family != NULL && family->curve_2s_w != NULL ? family : NULL;
}

bool jl_catalog_curve_w(const struct jl_cpu_model *model, double load_pct, double *out_w)
{
    const struct jl_cpu_model *family = jl_catalog_curve_model(model);
    if (family == NULL)
        return false;
    const double position = jl_clamp(load_pct, 0, 100) / 10;
    size_t left = (size_t)position;
    if (left > JL_CURVE_POINTS - 2)
        left = JL_CURVE_POINTS - 2;
    const double low_w = family->curve_2s_w[left];
    const double high_w = family->curve_2s_w[left + 1];
    const double family_w = low_w + (high_w - low_w) * (position - (double)left);
    *out_w = family == model ? family_w : family_w * model->tdp_w / family->tdp_w;
    return true;
}
