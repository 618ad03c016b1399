/* SPDX-License-Identifier: Apache-2.0 */

/*
 * GPUs of TensorFusion's lists by the name that a driver reports. Called by tensor_fusion/ and by
 * the question `gpu.lookup`. Implements docs/rules/gpu-prices.md.
 */

#include "catalog/fusion_gpus.h"

#include <string.h>

#include "base/text.h"
#include "catalog/fusion_gpus_table.h"

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
    for (size_t i = 0; i < jl_fusion_alias_count; i++) {
        const struct jl_fusion_alias *alias = &jl_fusion_aliases[i];
        if (jl_same(alias->model, model) && same_normal(jl_text(name), jl_text(alias->name)))
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
    for (size_t i = 0; i < jl_fusion_correction_count; i++) {
        const struct jl_fusion_correction *correction = &jl_fusion_corrections[i];
        if (!jl_same(gpu->model, correction->model))
            continue;
        if (correction->fp16_tflops > 0)
            gpu->fp16_tflops = correction->fp16_tflops;
        if (correction->cost_per_hour > 0)
            gpu->cost_per_hour = correction->cost_per_hour;
    }
}

bool jl_fusion_gpu_at(size_t i, enum jl_fusion_gpu_rules rules, struct jl_fusion_gpu *out)
{
    const struct jl_fusion_entry *entry = &jl_fusion_chart[i];
    if (i >= jl_fusion_chart_count) {
        const size_t extra = i - jl_fusion_chart_count;
        if (rules != JL_FUSION_GPUS_CURRENT || extra >= jl_fusion_extra_count)
            return false;
        entry = &jl_fusion_extras[extra];
    }
    *out = (struct jl_fusion_gpu){
        .model = entry->model,
        .full_name = entry->full_name,
        .vendor = entry->vendor,
        .fp16_tflops = entry->fp16_tflops,
        .cost_per_hour = entry->cost_per_hour,
        .is_non_tensor_rate = entry->is_non_tensor_rate,
    };
    memcpy(out->vram_gb, entry->vram_gb, sizeof out->vram_gb);
    if (rules == JL_FUSION_GPUS_CURRENT)
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
