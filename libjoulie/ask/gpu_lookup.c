/* SPDX-License-Identifier: Apache-2.0 */
/* gpu.lookup: what TensorFusion's lists know about a GPU (tensor-fusion.md §10.2, §10.3). */
#include <string.h>

#include "ask/gpu_family.h"
#include "base/error.h"

struct lookup_input {
    uint64_t has;
    const char *name;
    double measured_vram_gb;
};

enum { IN_NAME, IN_MEASURED };

struct lookup_answer {
    uint64_t has;
    const char *model;
    const char *full_name;
    const char *vendor;
    double fp16_tflops;
    double cost_per_hour;
    double vram_gb;
    bool non_tensor_rate;
    struct jl_list members;
    struct jl_list warnings;
};

enum {
    OUT_MODEL,
    OUT_FULL_NAME,
    OUT_VENDOR,
    OUT_TFLOPS,
    OUT_COST,
    OUT_VRAM,
    OUT_NON_TENSOR,
    OUT_MEMBERS,
    OUT_WARNINGS,
};

static const struct jl_row input_rows[] = {
    [IN_NAME] = JL_STRING(lookup_input, name, "name", .flags = JL_REQUIRED,
                          .doc = "GPU as its driver names it, a model or a family."),
    [IN_MEASURED] = JL_NUMBER(lookup_input, measured_vram_gb, "measuredVramGb",
                              .flags = JL_NOT_NEGATIVE, .doc = "VRAM that was measured, GB."),
};
static const struct jl_table input_table = JL_TABLE(lookup_input, input_rows);

static const struct jl_row answer_rows[] = {
    [OUT_MODEL] = JL_STRING(lookup_answer, model, "model",
                            .doc = "Model; absent when not known or a family."),
    [OUT_FULL_NAME] = JL_STRING(lookup_answer, full_name, "fullModelName",
                                .doc = "Name in the list, nearly always the driver's."),
    [OUT_VENDOR] = JL_STRING(lookup_answer, vendor, "vendor", .doc = "Vendor."),
    [OUT_TFLOPS] = JL_NUMBER(lookup_answer, fp16_tflops, "fp16Tflops",
                             .doc = "FP16 TFLOPS; the smallest of a family."),
    [OUT_COST] = JL_NUMBER(lookup_answer, cost_per_hour, "costPerHour", .doc = "$ per hour."),
    [OUT_VRAM] = JL_NUMBER(lookup_answer, vram_gb, "vramGb",
                           .doc = "VRAM in GB, measured or nameplate; absent when the list has "
                                  "several or none."),
    [OUT_NON_TENSOR] = JL_BOOLEAN(lookup_answer, non_tensor_rate, "nonTensorRate",
                                  .doc = "Whether fp16Tflops is not the tensor cores' rate."),
    [OUT_MEMBERS] =
        JL_STRINGS(lookup_answer, members, "members", .doc = "Models of the family, table order."),
    [OUT_WARNINGS] =
        JL_STRINGS(lookup_answer, warnings, "warnings", .doc = "AmbiguousGpuModel of a family."),
};
static const struct jl_table answer_table = JL_TABLE(lookup_answer, answer_rows);

int jl_family_texts(struct jl_ask *ask, const struct jl_fusion_match *match,
                    struct jl_family_texts *out)
{
    const char **members = JL_NEW_ARRAY(ask->arena, match->member_count, const char *);
    const char **warnings = JL_NEW_ARRAY(ask->arena, 1, const char *);
    if (members == NULL || warnings == NULL)
        return jl_fail_memory(ask->err);
    memcpy(members, match->members, match->member_count * sizeof *members);
    warnings[0] = "AmbiguousGpuModel";
    out->members = (struct jl_list){ members, match->member_count };
    out->warnings = (struct jl_list){ warnings, jl_fusion_match_is_ambiguous(match) ? 1 : 0 };
    return 0;
}

static int put_family(struct jl_ask *ask, const struct jl_fusion_match *match,
                      struct lookup_answer *result)
{
    struct jl_family_texts texts;
    const int rc = jl_family_texts(ask, match, &texts);
    if (rc < 0)
        return rc;
    JL_PUT(result, OUT_MEMBERS, members, texts.members);
    if (texts.warnings.count > 0)
        JL_PUT(result, OUT_WARNINGS, warnings, texts.warnings);
    return 0;
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct lookup_input *input = in;
    struct lookup_answer *result = out;
    const enum jl_fusion_gpu_rules rules =
        jl_is_current(ask) ? JL_FUSION_GPUS_CURRENT : JL_FUSION_GPUS_V2_17_1;
    struct jl_fusion_match match;
    if (!jl_fusion_gpu_find(input->name, input->measured_vram_gb, rules, &match))
        return 0;
    JL_PUT(result, OUT_TFLOPS, fp16_tflops, match.gpu.fp16_tflops);
    if (match.vram_gb > 0)
        JL_PUT(result, OUT_VRAM, vram_gb, match.vram_gb);
    if (match.is_family)
        return put_family(ask, &match, result);
    JL_PUT(result, OUT_MODEL, model, match.gpu.model);
    JL_PUT(result, OUT_FULL_NAME, full_name, match.gpu.full_name);
    JL_PUT(result, OUT_VENDOR, vendor, match.gpu.vendor);
    JL_PUT(result, OUT_NON_TENSOR, non_tensor_rate, match.gpu.is_non_tensor_rate);
    if (match.gpu.cost_per_hour > 0)
        JL_PUT(result, OUT_COST, cost_per_hour, match.gpu.cost_per_hour);
    return 0;
}

static const char *const models[] = { "current", "v2.17.1", NULL };

const struct jl_question jl_question_gpu_lookup = {
    .name = "gpu.lookup",
    .summary = "Find a GPU or a family of GPUs in TensorFusion's lists",
    .in = &input_table,
    .out = &answer_table,
    .models = models,
    .answer = answer,
};
