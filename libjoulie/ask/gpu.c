/* SPDX-License-Identifier: Apache-2.0 */

/*
 * gpu.lookup, gpu.partitions and gpu.price: what TensorFusion's lists know about a GPU
 * (docs/rules/gpu-prices.md).
 */

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "catalog/fusion_gpus.h"
#include "catalog/fusion_partitions.h"
#include "kubernetes/quantity.h"
#include "tensor_fusion/price.h"

/* gpu.lookup: what TensorFusion's lists know about a GPU (docs/rules/gpu-prices.md#lookup). */

#define RECORD gpu_lookup_in
#define MEMBERS                                                                        \
    STRING(name, "name", "GPU as its driver names it, a model or a family.", REQUIRED) \
    NUMBER(measured_vram_gb, "measuredVramGb", "VRAM that was measured, GB.", NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD gpu_lookup_out
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

/* What is answered to the name of a family. 0 or JOULIE_E_NOMEM. */
static int list_family(struct jl_ask *ask, const struct jl_fusion_match *match,
                       struct jl_list *out_members, struct jl_list *out_warnings)
{
    const char **members = JL_NEW_ARRAY(ask->arena, match->member_count, const char *);
    const char **warnings = JL_NEW_ARRAY(ask->arena, 1, const char *);
    if (members == NULL || warnings == NULL)
        return jl_fail_memory(ask->err);
    memcpy(members, match->members, match->member_count * sizeof *members);
    warnings[0] = "AmbiguousGpuModel";
    *out_members = (struct jl_list){ members, match->member_count };
    *out_warnings = (struct jl_list){ warnings, 1 };
    return 0;
}

static int answer_gpu_lookup(struct jl_ask *ask, const struct gpu_lookup_in *input,
                             struct gpu_lookup_out *result)
{
    const enum jl_fusion_gpu_rules rules =
        jl_is_current(ask) ? JL_FUSION_GPUS_CURRENT : JL_FUSION_GPUS_V2_17_1;
    struct jl_fusion_match match;
    if (!jl_fusion_gpu_find(input->name, input->measured_vram_gb, rules, &match))
        return 0;
    JL_SET(result, fp16_tflops, match.gpu.fp16_tflops);
    JL_SET_IF(result, vram_gb, match.vram_gb > 0, match.vram_gb);
    result->given.members = match.is_family;
    result->given.warnings = match.is_family && jl_fusion_match_is_ambiguous(&match);
    if (match.is_family)
        return list_family(ask, &match, &result->members, &result->warnings);
    JL_SET(result, model, match.gpu.model);
    JL_SET(result, full_name, match.gpu.full_name);
    JL_SET(result, vendor, match.gpu.vendor);
    JL_SET(result, non_tensor_rate, match.gpu.is_non_tensor_rate);
    JL_SET_IF(result, cost_per_hour, match.gpu.cost_per_hour > 0, match.gpu.cost_per_hour);
    return 0;
}

JL_QUESTION(gpu_lookup, "gpu.lookup", "Find a GPU or a family of GPUs in TensorFusion's lists",
            JL_MODELS("current", "v2.17.1"));

/*
 * gpu.partitions: hardware partitions that a GPU can be cut into
 * (docs/rules/gpu-prices.md#partitions).
 */

#define PLACEMENT_BITS 8 /* of struct jl_fusion_partition */

#define UNITS(unit) INTEGER_OF(unit, units[JL_ASCEND_##unit], #unit, "Units of " #unit ".")
#define RECORD extended_resources
#define MEMBERS                            \
    HOLDS(int64_t, units[JL_ASCEND_UNITS]) \
    UNITS(AICORE)                          \
    UNITS(AICPU)                           \
    UNITS(VPC)                             \
    UNITS(VENC)                            \
    UNITS(VDEC)                            \
    UNITS(JPEGD)                           \
    UNITS(JPEGE)                           \
    UNITS(PNGD)
#include "schema/record.h"
#undef UNITS

#define RECORD gpu_partitions_in
#define MEMBERS                                                               \
    STRING(name, "name", "GPU as its driver names it, or a model.", REQUIRED) \
    NUMBER(measured_vram_gb, "measuredVramGb", "VRAM that was measured, GB.", NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD partition_template
#define MEMBERS                                                                               \
    STRING(name, "name", "What partitionTemplateId names.")                                   \
    INTEGER(profile_id, "profileId", "Profile id of NVML, of MIG only.")                      \
    NUMBER(memory_gb, "memoryGb", "VRAM in GB.")                                              \
    NUMBER(compute_pct, "computePercent", "Part of the device's compute in percent.")         \
    INTEGER(max_count, "maxPartitions", "How many one device takes.")                         \
    NUMBERS(placements, "placements", "Slots where it may start; absent: has no slots.")      \
    INTEGER(slots, "slots", "Slots that it takes.")                                           \
    STRING(sharing, "isolationGroupSharing", "exclusive, or shared by several in one group.") \
    INTEGER(group_share, "partitionsPerGroup", "How many share one isolation group.")         \
    OBJECT(resources, "extendedResources", extended_resources,                                \
           "Units that it takes, of Ascend only.")
#include "schema/record.h"

#define RECORD gpu_partitions_out
#define MEMBERS                                                                                   \
    STRING(model, "model", "Model; absent when not known or a family.")                           \
    INTEGER(max_partitions, "maxPartitions", "Partitions of one device; absent: it has none.")    \
    INTEGER(max_slots, "maxPlacementSlots", "Placement slots; absent: it has none.")              \
    INTEGER(max_groups, "maxIsolationGroups", "Isolation groups; absent: as many as partitions.") \
    OBJECT(totals, "totalExtendedResources", extended_resources,                                  \
           "Units of the whole device, of Ascend only.")                                          \
    LIST(templates, "partitionTemplates", partition_template, "What the device can be cut into.") \
    STRINGS(members, "members", "Models of the family, table order.")                             \
    STRINGS(warnings, "warnings", "AmbiguousGpuModel of a family.")
#include "schema/record.h"

static struct extended_resources resources_of(const int units[JL_ASCEND_UNITS])
{
    struct extended_resources out = { 0 };
    for (size_t i = 0; i < JL_ASCEND_UNITS; i++) {
        out.units[i] = units[i];
        JL_MARK(&out, i);
    }
    return out;
}

/* 0 or JOULIE_E_NOMEM. */
static int put_placements(struct jl_ask *ask, const struct jl_fusion_partition *partition,
                          struct partition_template *out)
{
    double *starts = JL_NEW_ARRAY(ask->arena, PLACEMENT_BITS, double);
    size_t count = 0;
    if (starts == NULL)
        return jl_fail_memory(ask->err);
    for (unsigned slot = 0; slot < PLACEMENT_BITS; slot++) {
        if (partition->placements >> slot & 1U)
            starts[count++] = slot;
    }
    JL_SET(out, placements, ((struct jl_list){ starts, count }));
    JL_SET(out, slots, partition->slots);
    return 0;
}

static int put_template(struct jl_ask *ask, const struct jl_fusion_partition *partition,
                        struct partition_template *out)
{
    const bool is_mig = partition->profile_id != JL_PARTITION_NO_PROFILE;
    const bool is_shared = partition->group_share > 1;
    JL_SET(out, name, partition->name);
    JL_SET(out, memory_gb, partition->memory_gb);
    JL_SET(out, compute_pct, partition->compute_pct);
    JL_SET(out, max_count, partition->max_count);
    JL_SET(out, sharing, is_shared ? "shared" : "exclusive");
    JL_SET_IF(out, group_share, is_shared, partition->group_share);
    if (is_mig)
        JL_SET(out, profile_id, partition->profile_id);
    else
        JL_SET(out, resources, resources_of(partition->units));
    return partition->placements != 0 ? put_placements(ask, partition, out) : 0;
}

static int put_set(struct jl_ask *ask, const struct jl_fusion_partition_set *set,
                   struct gpu_partitions_out *out)
{
    struct partition_template *templates =
        JL_NEW_LIST(ask, out, templates, set->count, struct partition_template);
    int rc = templates == NULL && set->count > 0 ? jl_fail_memory(ask->err) : 0;
    for (size_t i = 0; i < set->count && rc == 0; i++)
        rc = put_template(ask, &set->items[i], &templates[i]);
    JL_SET(out, max_partitions, set->max_partitions);
    JL_SET_IF(out, max_slots, set->max_slots > 0, set->max_slots);
    JL_SET_IF(out, max_groups, set->max_isolation_groups > 0, set->max_isolation_groups);
    JL_SET_IF(out, totals, set->totals[JL_ASCEND_AICORE] > 0, resources_of(set->totals));
    return rc;
}

static int answer_gpu_partitions(struct jl_ask *ask, const struct gpu_partitions_in *input,
                                 struct gpu_partitions_out *result)
{
    struct jl_fusion_partition_set set;
    struct jl_fusion_match match;
    if (!jl_fusion_gpu_find(input->name, input->measured_vram_gb, JL_FUSION_GPUS_CURRENT, &match))
        return 0;
    result->given.members = match.is_family;
    result->given.warnings = match.is_family && jl_fusion_match_is_ambiguous(&match);
    if (match.is_family)
        return list_family(ask, &match, &result->members, &result->warnings);
    JL_SET(result, model, match.gpu.model);
    return jl_fusion_partitions(match.gpu.model, &set) ? put_set(ask, &set, result) : 0;
}

JL_QUESTION(gpu_partitions, "gpu.partitions",
            "Find the hardware partitions of a GPU and their placements");

/* gpu.price: what a worker with these resources costs per hour (docs/rules/gpu-prices.md#price). */

#define BYTES_PER_GIB 1073741824.0

#define RECORD gpu_price_in
#define MEMBERS                                                                                \
    STRING(qos, "qos", "QoS class; medium when absent, an unknown one costs nothing.")         \
    INTEGER(gpu_count, "gpuCount", "GPUs of the worker; 1 when absent or 0.", AT_LEAST(0))     \
    OBJECT(resources, "resources", jl_fusion_resources, "As in a profile, per GPU.", REQUIRED) \
    NUMBER(limits_over_requests, "limitsOverRequests",                                         \
           "Part of the price that limits above requests cost; 1.", NOT_NEGATIVE)              \
    STRING(price_per_tflops, "pricePerTflops", "$ per TFLOPS and hour, such as $0.01.")        \
    STRING(price_per_gib, "pricePerGib", "$ per GiB and hour, such as $0.02.")                 \
    BOOLEAN(is_protected, "protected", "Whether it runs under eviction protection.")           \
    NUMBER(protection_ratio, "protectionRatio",                                                \
           "Price factor of eviction protection; 1.2, also in place of one below 1.",          \
           NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD gpu_price_out
#define MEMBERS NUMBER(dollars_per_hour, "dollarsPerHour", "$ per hour.")
#include "schema/record.h"

static int read_amount(struct jl_ask *ask, const char *text, const char *side, const char *key,
                       double *out)
{
    const char *where = jl_ask_path(ask, "resources.%s.%s", side, key);
    struct jl_quantity quantity;
    if (text == NULL)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, where, "it is missing");
    const int rc = jl_parse_quantity(text, strlen(text), &quantity);
    if (rc < 0)
        return jl_ask_fail(ask, rc, where, "\"%.64s\" is not a quantity", text);
    if (quantity.nano < 0)
        return jl_ask_fail(ask, JOULIE_E_RANGE, where, "it is negative");
    *out = jl_quantity_to_double(&quantity);
    return 0;
}

static int read_amounts(struct jl_ask *ask, const struct jl_fusion_amounts *amounts,
                        const char *side, struct jl_price_amounts *out)
{
    int rc = read_amount(ask, amounts->tflops, side, "tflops", &out->tflops);
    if (rc == 0)
        rc = read_amount(ask, amounts->vram, side, "vram", &out->vram_gib);
    out->vram_gib /= BYTES_PER_GIB;
    return rc;
}

static int read_price(struct jl_ask *ask, const char *text, const char *where, double *out)
{
    if (text == NULL)
        return 0;
    const int rc = jl_parse_price(text, strlen(text), out);
    return rc < 0 ? jl_ask_fail(ask, rc, where, "\"%.64s\" is not a price", text) : 0;
}

/* An empty class reads as medium (docs/rules/tensor-fusion.md#qos-classes). */
static enum joulie_tensor_fusion_qos qos_of(const char *word)
{
    if (jl_is_empty(word))
        return JOULIE_TENSOR_FUSION_QOS_MEDIUM;
    return (enum joulie_tensor_fusion_qos)jl_word_value(&jl_fusion_qos_words, jl_text(word));
}

static int answer_gpu_price(struct jl_ask *ask, const struct gpu_price_in *input,
                            struct gpu_price_out *result)
{
    struct jl_price_input price = {
        .qos = qos_of(input->qos),
        .gpu_count = input->gpu_count > 0 ? (double)input->gpu_count : 1,
        .limits_over_requests =
            JL_GIVEN_OR(input, limits_over_requests, JL_PRICE_LIMITS_OVER_REQUESTS),
        .per_tflops = JL_PRICE_PER_TFLOPS,
        .per_gib = JL_PRICE_PER_GIB,
        .is_protected = input->is_protected,
        .protection_ratio = JL_GIVEN_OR(input, protection_ratio, JL_PRICE_PROTECTION_RATIO),
    };
    int rc = read_amounts(ask, &input->resources.requests, "requests", &price.requests);
    if (rc == 0)
        rc = read_amounts(ask, &input->resources.limits, "limits", &price.limits);
    if (rc == 0)
        rc = read_price(ask, input->price_per_tflops, "pricePerTflops", &price.per_tflops);
    if (rc == 0)
        rc = read_price(ask, input->price_per_gib, "pricePerGib", &price.per_gib);
    if (rc < 0)
        return rc;
    JL_SET(result, dollars_per_hour, jl_price(&price));
    return 0;
}

JL_QUESTION(gpu_price, "gpu.price", "Price a worker of a TensorFusion profile");
