/* SPDX-License-Identifier: Apache-2.0 */

/* gpu.lookup: what TensorFusion's lists know about a GPU (docs/rules/gpu-prices.md#lookup). */
#include <string.h>

#include "ask/gpu_family.h"
#include "base/error.h"

#define RECORD lookup_input
#define MEMBERS                                                                        \
    STRING(name, "name", "GPU as its driver names it, a model or a family.", REQUIRED) \
    NUMBER(measured_vram_gb, "measuredVramGb", "VRAM that was measured, GB.", NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD lookup_answer
#define MEMBERS                                                                                    \
    STRING(model, "model", "Model; absent when not known or a family.")                            \
    STRING(full_name, "fullModelName", "Name in the list, nearly always the driver's.")            \
    STRING(vendor, "vendor", "Vendor.")                                                            \
    NUMBER(fp16_tflops, "fp16Tflops", "FP16 TFLOPS; the smallest of a family.")                    \
    NUMBER(cost_per_hour, "costPerHour", "$ per hour.")                                            \
    NUMBER(vram_gb, "vramGb",                                                                      \
           "VRAM in GB, measured or nameplate; absent when the list has several or none.")         \
    BOOLEAN(non_tensor_rate, "nonTensorRate", "Whether fp16Tflops is not the tensor cores' rate.") \
    STRINGS(members, "members", "Models of the family, table order.")                              \
    STRINGS(warnings, "warnings", "AmbiguousGpuModel of a family.")
#include "schema/record.h"

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
    JL_SET(result, members, texts.members);
    if (texts.warnings.count > 0)
        JL_SET(result, warnings, texts.warnings);
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
    JL_SET(result, fp16_tflops, match.gpu.fp16_tflops);
    if (match.vram_gb > 0)
        JL_SET(result, vram_gb, match.vram_gb);
    if (match.is_family)
        return put_family(ask, &match, result);
    JL_SET(result, model, match.gpu.model);
    JL_SET(result, full_name, match.gpu.full_name);
    JL_SET(result, vendor, match.gpu.vendor);
    JL_SET(result, non_tensor_rate, match.gpu.is_non_tensor_rate);
    if (match.gpu.cost_per_hour > 0)
        JL_SET(result, cost_per_hour, match.gpu.cost_per_hour);
    return 0;
}

static const char *const models[] = { "current", "v2.17.1", NULL };

const struct jl_question jl_question_gpu_lookup = {
    .name = "gpu.lookup",
    .summary = "Find a GPU or a family of GPUs in TensorFusion's lists",
    .in = &lookup_input_table,
    .out = &lookup_answer_table,
    .models = models,
    .answer = answer,
};
