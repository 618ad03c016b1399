/* SPDX-License-Identifier: Apache-2.0 */

/*
 * gpu.partitions: hardware partitions that a GPU can be cut into
 * (docs/rules/gpu-prices.md#partitions).
 */
#include "ask/gpu_family.h"
#include "base/error.h"
#include "catalog/fusion_partitions.h"

#define PLACEMENT_BITS 8 /* of struct jl_fusion_partition */

struct extended_resources {
    uint64_t has;
    int64_t units[JL_ASCEND_UNITS];
};

struct template
{
    uint64_t has;
    const char *name;
    int64_t profile_id;
    double memory_gb;
    double compute_pct;
    int64_t max_count;
    struct jl_list placements;
    int64_t slots;
    const char *sharing;
    int64_t group_share;
    struct extended_resources resources;
};

enum {
    TEMPLATE_NAME,
    TEMPLATE_PROFILE_ID,
    TEMPLATE_MEMORY,
    TEMPLATE_COMPUTE,
    TEMPLATE_MAX,
    TEMPLATE_PLACEMENTS,
    TEMPLATE_SLOTS,
    TEMPLATE_SHARING,
    TEMPLATE_GROUP_SHARE,
    TEMPLATE_RESOURCES,
};

#define RECORD partitions_input
#define MEMBERS                                                               \
    STRING(name, "name", "GPU as its driver names it, or a model.", REQUIRED) \
    NUMBER(measured_vram_gb, "measuredVramGb", "VRAM that was measured, GB.", NOT_NEGATIVE)
#include "schema/record.h"

#define UNIT_ROW(unit)                                                                  \
    [JL_ASCEND_##unit] = JL_INTEGER(extended_resources, units[JL_ASCEND_##unit], #unit, \
                                    .doc = "Units of " #unit ".")

static const struct jl_row resources_rows[] = {
    UNIT_ROW(AICORE), UNIT_ROW(AICPU), UNIT_ROW(VPC),   UNIT_ROW(VENC),
    UNIT_ROW(VDEC),   UNIT_ROW(JPEGD), UNIT_ROW(JPEGE), UNIT_ROW(PNGD),
};
static const struct jl_table extended_resources_table =
    JL_TABLE(extended_resources, resources_rows);

static const struct jl_row template_rows[] = {
    [TEMPLATE_NAME] = JL_STRING(template, name, "name", .doc = "What partitionTemplateId names."),
    [TEMPLATE_PROFILE_ID] =
        JL_INTEGER(template, profile_id, "profileId", .doc = "Profile id of NVML, of MIG only."),
    [TEMPLATE_MEMORY] = JL_NUMBER(template, memory_gb, "memoryGb", .doc = "VRAM in GB."),
    [TEMPLATE_COMPUTE] = JL_NUMBER(template, compute_pct, "computePercent",
                                   .doc = "Part of the device's compute in percent."),
    [TEMPLATE_MAX] =
        JL_INTEGER(template, max_count, "maxPartitions", .doc = "How many one device takes."),
    [TEMPLATE_PLACEMENTS] = JL_NUMBERS(template, placements, "placements",
                                       .doc = "Slots where it may start; absent: has no slots."),
    [TEMPLATE_SLOTS] = JL_INTEGER(template, slots, "slots", .doc = "Slots that it takes."),
    [TEMPLATE_SHARING] = JL_STRING(template, sharing, "isolationGroupSharing",
                                   .doc = "exclusive, or shared by several in one group."),
    [TEMPLATE_GROUP_SHARE] = JL_INTEGER(template, group_share, "partitionsPerGroup",
                                        .doc = "How many share one isolation group."),
    [TEMPLATE_RESOURCES] =
        JL_OBJECT(template, resources, "extendedResources", &extended_resources_table,
                  .doc = "Units that it takes, of Ascend only."),
};
static const struct jl_table template_table = JL_TABLE(template, template_rows);

#define RECORD partitions_answer
#define MEMBERS                                                                                   \
    STRING(model, "model", "Model; absent when not known or a family.")                           \
    INTEGER(max_partitions, "maxPartitions", "Partitions of one device; absent: it has none.")    \
    INTEGER(max_slots, "maxPlacementSlots", "Placement slots; absent: it has none.")              \
    INTEGER(max_groups, "maxIsolationGroups", "Isolation groups; absent: as many as partitions.") \
    OBJECT(totals, "totalExtendedResources", extended_resources,                                  \
           "Units of the whole device, of Ascend only.")                                          \
    LIST(templates, "partitionTemplates", template, "What the device can be cut into.")           \
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
                          struct template *out)
{
    double *starts = JL_NEW_ARRAY(ask->arena, PLACEMENT_BITS, double);
    size_t count = 0;
    if (starts == NULL)
        return jl_fail_memory(ask->err);
    for (unsigned slot = 0; slot < PLACEMENT_BITS; slot++) {
        if (partition->placements >> slot & 1U)
            starts[count++] = slot;
    }
    JL_PUT(out, TEMPLATE_PLACEMENTS, placements, ((struct jl_list){ starts, count }));
    JL_PUT(out, TEMPLATE_SLOTS, slots, partition->slots);
    return 0;
}

static int put_template(struct jl_ask *ask, const struct jl_fusion_partition *partition,
                        struct template *out)
{
    const bool is_mig = partition->profile_id != JL_PARTITION_NO_PROFILE;
    const bool is_shared = partition->group_share > 1;
    JL_PUT(out, TEMPLATE_NAME, name, partition->name);
    JL_PUT(out, TEMPLATE_MEMORY, memory_gb, partition->memory_gb);
    JL_PUT(out, TEMPLATE_COMPUTE, compute_pct, partition->compute_pct);
    JL_PUT(out, TEMPLATE_MAX, max_count, partition->max_count);
    JL_PUT(out, TEMPLATE_SHARING, sharing, is_shared ? "shared" : "exclusive");
    if (is_shared)
        JL_PUT(out, TEMPLATE_GROUP_SHARE, group_share, partition->group_share);
    if (is_mig)
        JL_PUT(out, TEMPLATE_PROFILE_ID, profile_id, partition->profile_id);
    else
        JL_PUT(out, TEMPLATE_RESOURCES, resources, resources_of(partition->units));
    return partition->placements != 0 ? put_placements(ask, partition, out) : 0;
}

static int put_set(struct jl_ask *ask, const struct jl_fusion_partition_set *set,
                   struct partitions_answer *out)
{
    struct template *templates = JL_NEW_ARRAY(ask->arena, set->count, struct template);
    int rc = templates == NULL && set->count > 0 ? jl_fail_memory(ask->err) : 0;
    for (size_t i = 0; i < set->count && rc == 0; i++)
        rc = put_template(ask, &set->items[i], &templates[i]);
    JL_SET(out, max_partitions, set->max_partitions);
    if (set->max_slots > 0)
        JL_SET(out, max_slots, set->max_slots);
    if (set->max_isolation_groups > 0)
        JL_SET(out, max_groups, set->max_isolation_groups);
    if (set->totals[JL_ASCEND_AICORE] > 0)
        JL_SET(out, totals, resources_of(set->totals));
    JL_SET(out, templates, ((struct jl_list){ templates, set->count }));
    return rc;
}

static int put_family(struct jl_ask *ask, const struct jl_fusion_match *match,
                      struct partitions_answer *out)
{
    struct jl_family_texts texts;
    const int rc = jl_family_texts(ask, match, &texts);
    if (rc < 0)
        return rc;
    JL_SET(out, members, texts.members);
    if (texts.warnings.count > 0)
        JL_SET(out, warnings, texts.warnings);
    return 0;
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct partitions_input *input = in;
    struct partitions_answer *result = out;
    struct jl_fusion_partition_set set;
    struct jl_fusion_match match;
    if (!jl_fusion_gpu_find(input->name, input->measured_vram_gb, JL_FUSION_GPUS_CURRENT, &match))
        return 0;
    if (match.is_family)
        return put_family(ask, &match, result);
    JL_SET(result, model, match.gpu.model);
    return jl_fusion_partitions(match.gpu.model, &set) ? put_set(ask, &set, result) : 0;
}

const struct jl_question jl_question_gpu_partitions = {
    .name = "gpu.partitions",
    .summary = "Find the hardware partitions of a GPU and their placements",
    .in = &partitions_input_table,
    .out = &partitions_answer_table,
    .answer = answer,
};
