/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Hardware partitions of GPUs: MIG profiles and Ascend templates, with the profile ids that NVML
 * knows. Rules: docs/rules/gpu-prices.md. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jl_ascend_unit {
    JL_ASCEND_AICORE,
    JL_ASCEND_AICPU,
    JL_ASCEND_VPC,
    JL_ASCEND_VENC,
    JL_ASCEND_VDEC,
    JL_ASCEND_JPEGD,
    JL_ASCEND_JPEGE,
    JL_ASCEND_PNGD,
    JL_ASCEND_UNITS,
};

#define JL_PARTITION_NO_PROFILE (-1) /* not a MIG partition */

struct jl_fusion_partition {
    const char *name; /* partitionTemplateId: 1g.10gb, vir01 */
    int profile_id;   /* of NVML, or JL_PARTITION_NO_PROFILE */
    double memory_gb;
    double compute_pct; /* of the whole device */
    int max_count;      /* on one device */
    uint8_t placements; /* bit i: may start at slot i; 0 = has no slots */
    int slots;          /* size of a placement */
    int group_share;    /* partitions in one isolation group; 1 = exclusive */
    int units[JL_ASCEND_UNITS];
};

struct jl_fusion_partition_set {
    const struct jl_fusion_partition *items;
    size_t count;
    int max_partitions;
    int max_slots;               /* placement slots; 0 = has none */
    int max_isolation_groups;    /* 0 = as many as partitions */
    int totals[JL_ASCEND_UNITS]; /* of the whole device */
};

/* By model of catalog/fusion_gpus.h; false = the model has no partitions. */
bool jl_fusion_partitions(const char *model, struct jl_fusion_partition_set *out);
