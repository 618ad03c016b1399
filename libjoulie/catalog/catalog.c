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

const struct jl_words jl_mark_words = JL_WORDS({
    { JL_MARK_VERIFIED, "verified" },
    { JL_MARK_KNOWN, "known" },
    { JL_MARK_DERIVED, "derived" },
    { JL_MARK_ASSUMED, "assumed" },
});

const struct jl_words jl_figure_words = JL_WORDS({
    { JL_FIGURE_CURVE, "curve" },
    { JL_FIGURE_SPEED, "relativeSpeed" },
    { JL_FIGURE_IDLE, "idleW" },
    { JL_FIGURE_MIN_CAP, "minBoardPowerW" },
    { JL_FIGURE_CAP_LAW, "capLaw" },
});

/* Watts at load 0, 10, … 100 % (SPECpower, docs/rules/catalog.md#power-curves). */
static const struct jl_power_curve curve_9654 = {
    .family = "AMD_EPYC_9654",
    .tdp_w = 360,
    .two_sockets_w = { 128, 257, 300, 340, 378, 410, 442, 498, 577, 697, 817 },
};
static const struct jl_power_curve curve_9965 = {
    .family = "AMD_EPYC_9965",
    .tdp_w = 500,
    .two_sockets_w = { 157, 265, 314, 362, 412, 461, 503, 544, 587, 661, 800 },
};
/* Of two Platinum 8592+. */
static const struct jl_power_curve curve_xeon_gen5 = {
    .family = "XEON_GEN5_GENERIC",
    .tdp_w = 350,
    .two_sockets_w = { 232, 270, 309, 346, 382, 421, 462, 504, 553, 595, 629 },
};
/* The source's. A machine with two 9965 was measured. */
static const struct jl_power_curve curve_9655 = {
    .family = "AMD_EPYC_9655",
    .tdp_w = 400,
    .two_sockets_w = { 138, 297, 367, 438, 515, 593, 661, 710, 771, 812, 861 },
};

/* How an entry gets its curve; the words are also those of its figures' origin. */
#define MEASURED(of, result)                        \
    .provenance = "exact+official", .curve = &(of), \
    .origins[JL_FIGURE_CURVE] = { JL_MARK_VERIFIED, "SPECpower_ssj2008 " result ", two sockets" }
#define BY_TDP(of, family, machine)           \
    .proxy_family = (family), .curve = &(of), \
    .origins[JL_FIGURE_CURVE] = { JL_MARK_ASSUMED, "the curve of " machine " by TDP" }
#define INT_RATE(speed, results)                                                           \
    .relative_speed = (speed),                                                             \
    .origins[JL_FIGURE_SPEED] = { JL_MARK_DERIVED,                                         \
                                  "SPECrate2017_int_base per core, median of the " results \
                                  " results of 2025 and later" }

#define EPYC(number, cores, ...)                                                          \
    .key = "AMD_EPYC_" number,                                                            \
    .aliases = WORDS("AMD EPYC " number " " cores "-Core Processor", "AMD EPYC " number), \
    .vendor = "amd", .driver_family = "amd-pstate", __VA_ARGS__
#define EPYC_9655                                                                          \
    EPYC("9655", "96", .base_ghz = 2.6, .boost_ghz = 4.5, .tdp_w = 400, .ctdp_min_w = 320, \
         .ctdp_max_w = 400, .compute_density = 1040.0)
#define EPYC_9375F                                                                          \
    EPYC("9375F", "32", .base_ghz = 3.8, .boost_ghz = 4.8, .tdp_w = 320, .ctdp_min_w = 320, \
         .ctdp_max_w = 400, .compute_density = 486.4)
#define XEON_GOLD_6530                                                                        \
    .key = "INTEL_XEON_GOLD_6530",                                                            \
    .aliases = WORDS("INTEL(R) XEON(R) GOLD 6530", "INTEL XEON GOLD 6530", "Xeon Gold 6530"), \
    .vendor = "intel", .driver_family = "intel_pstate", .provenance = "official+proxy",       \
    .base_ghz = 2.1, .boost_ghz = 4.0, .tdp_w = 270, .compute_density = 256.0

/* Entries of the source that are mended below. */
static const struct jl_cpu_model source_9655 = {
    EPYC_9655,
    .provenance = "exact+official",
    .curve = &curve_9655,
};
static const struct jl_cpu_model source_9375f = {
    EPYC_9375F,
    .provenance = "official+proxy",
    .proxy_family = "AMD_EPYC_9655",
    .curve = &curve_9655,
};
static const struct jl_cpu_model source_6530 = {
    XEON_GOLD_6530, .proxy_family = "XEON_GEN5_GENERIC", /* which the source does not have */
};

static const struct jl_cpu_model cpu_models[] = {
    { EPYC("9654", "96", .base_ghz = 2.4, .boost_ghz = 3.7, .tdp_w = 360, .ctdp_min_w = 320,
           .ctdp_max_w = 400, .compute_density = 710.4),
      MEASURED(curve_9654, "20221204-01203"), INT_RATE(1.00, "5") },
    { EPYC_9655, .provenance = "assumed", BY_TDP(curve_9654, "AMD_EPYC_9654", "two 9654"),
      INT_RATE(1.15, "11"), .of_source = &source_9655 },
    { EPYC("9965", "192", .base_ghz = 2.25, .boost_ghz = 3.7, .tdp_w = 500, .ctdp_min_w = 450,
           .ctdp_max_w = 500, .compute_density = 1776.0),
      MEASURED(curve_9965, "20250407-01522"), INT_RATE(0.86, "19") },
    { EPYC("9534", "64", .base_ghz = 2.45, .boost_ghz = 3.7, .tdp_w = 280, .ctdp_min_w = 240,
           .ctdp_max_w = 300, .compute_density = 473.6),
      .provenance = "official+proxy", BY_TDP(curve_9654, "AMD_EPYC_9654", "two 9654"),
      INT_RATE(1.01, "2") },
    { EPYC_9375F, .provenance = "assumed", BY_TDP(curve_9654, "AMD_EPYC_9654", "two 9654"),
      INT_RATE(1.67, "15"), .of_source = &source_9375f },
    { XEON_GOLD_6530, BY_TDP(curve_xeon_gen5, "XEON_GEN5_GENERIC", "two Xeon Platinum 8592+"),
      INT_RATE(0.90, "7"), .of_source = &source_6530 },
};

#define LITERATURE "the source's, from literature"
#define TENSOR_TFLOPS(speed, tflops)               \
    .relative_speed = (speed),                     \
    .origins[JL_FIGURE_SPEED] = { JL_MARK_DERIVED, \
                                  "FP16 tensor TFLOPS, dense, " tflops " against 989.4" }
#define IDLE(watts, mark, words) .idle_w = (watts), .origins[JL_FIGURE_IDLE] = { mark, words }
#define LIMITS(low, high, mark, words) \
    .min_board_w = (low), .max_board_w = (high), .origins[JL_FIGURE_MIN_CAP] = { mark, words }

/* Key, vendor, three aliases, density and the law of a cap, which simulations alone use
 * (docs/rules/physics.md#gpu). */
#define GPU(name, maker, one, two, three, density, gamma, epsilon, gamma_of_memory)           \
    .key = (name), .vendor = (maker), .aliases = WORDS(one, two, three),                      \
    .provenance = "official+runtime+literature", .compute_density = (density),                \
    .compute_gamma = (gamma), .memory_epsilon = (epsilon), .memory_gamma = (gamma_of_memory), \
    .origins[JL_FIGURE_CAP_LAW] = { JL_MARK_ASSUMED, LITERATURE }
#define H100_SXM                                                                                   \
    GPU("NVIDIA_H100_SXM", "nvidia", "NVIDIA-H100-80GB-HBM3", "NVIDIA H100 80GB HBM3", "H100 SXM", \
        700, 1.40, 0.15, 0.90)
#define MI300X                                                                                     \
    GPU("AMD_INSTINCT_MI300X", "amd", "AMD_Instinct_MI300X", "AMD Instinct MI300X", "MI300X", 750, \
        0.85, 0.10, 0.85)
#define W7900                                                                                   \
    GPU("AMD_RADEON_PRO_W7900", "amd", "AMD_Radeon_PRO_W7900", "AMD Radeon PRO W7900", "W7900", \
        295, 1.10, 0.30, 1.20)

/* Entries of the source that are mended below. */
static const struct jl_gpu_model source_h100_sxm = { H100_SXM, .max_board_w = 700,
                                                     .min_board_w = 350, .idle_w = 100 };
static const struct jl_gpu_model source_mi300x = { MI300X, .max_board_w = 750, .min_board_w = 350,
                                                   .idle_w = 120 };
static const struct jl_gpu_model source_w7900 = { W7900, .max_board_w = 295, .min_board_w = 200,
                                                  .idle_w = 25 };

static const struct jl_gpu_model gpu_models[] = {
    { GPU("NVIDIA_H100_NVL", "nvidia", "NVIDIA-H100-NVL", "NVIDIA H100 NVL", "H100 NVL", 400, 1.50,
          0.15, 0.90),
      LIMITS(200, 400, JL_MARK_VERIFIED, "nvidia-smi"),
      IDLE(60, JL_MARK_VERIFIED, "nvidia-smi, 60 to 63 W"), TENSOR_TFLOPS(0.84, "835") },
    { H100_SXM, LIMITS(200, 700, JL_MARK_VERIFIED, "nvidia-smi"),
      IDLE(100, JL_MARK_DERIVED, "nvidia-smi, between 70 W empty and 122 W with a model loaded"),
      TENSOR_TFLOPS(1.00, "989.4"), .of_source = &source_h100_sxm },
    { GPU("NVIDIA_L40S", "nvidia", "NVIDIA-L40S", "NVIDIA L40S", "L40S", 350, 1.20, 0.25, 1.10),
      LIMITS(200, 350, JL_MARK_ASSUMED, LITERATURE),
      IDLE(35, JL_MARK_DERIVED, "nvidia-smi, 20 to 33 W in P8 and 72 to 84 W in P0"),
      TENSOR_TFLOPS(0.37, "362") },
    { MI300X, LIMITS(350, 750, JL_MARK_ASSUMED, LITERATURE),
      IDLE(144, JL_MARK_DERIVED, "rocm-smi, the middle of 133 to 155 W, where most are"),
      TENSOR_TFLOPS(1.32, "1307"), .of_source = &source_mi300x },
    { W7900, LIMITS(200, 295, JL_MARK_ASSUMED, LITERATURE),
      IDLE(13, JL_MARK_DERIVED,
           "rocm-smi, the middle of 7 to 19 W; the chip rather than the board"),
      TENSOR_TFLOPS(0.12, "122.6"), .of_source = &source_w7900 },
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

const struct jl_cpu_model *jl_catalog_cpu_of_source(const struct jl_cpu_model *model)
{
    return model != NULL && model->of_source != NULL ? model->of_source : model;
}

const struct jl_gpu_model *jl_catalog_gpu_of_source(const struct jl_gpu_model *model)
{
    return model != NULL && model->of_source != NULL ? model->of_source : model;
}

double jl_curve_w(const double *points_w, double load_pct)
{
    const double position = jl_clamp(load_pct, 0, 100) / JL_CURVE_STEP_PCT;
    size_t left = (size_t)position;
    if (left > JL_CURVE_POINTS - 2)
        left = JL_CURVE_POINTS - 2;
    return points_w[left] + (points_w[left + 1] - points_w[left]) * (position - (double)left);
}

bool jl_catalog_curve(const struct jl_cpu_model *model, double *out_points_w)
{
    if (model == NULL || model->curve == NULL)
        return false;
    for (size_t i = 0; i < JL_CURVE_POINTS; i++) {
        const double family_w = model->curve->two_sockets_w[i];
        out_points_w[i] =
            model->proxy_family == NULL ? family_w : family_w * model->tdp_w / model->curve->tdp_w;
    }
    return true;
}

bool jl_catalog_curve_w(const struct jl_cpu_model *model, double load_pct, double *out_w)
{
    double points_w[JL_CURVE_POINTS];
    if (!jl_catalog_curve(model, points_w))
        return false;
    *out_w = jl_curve_w(points_w, load_pct);
    return true;
}
