/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Hardware partitions of GPUs as data: MIG profiles and Ascend templates. Called by the question
 * `gpu.partitions`.
 */

#include "catalog/fusion_partitions.h"

#include "base/text.h"

/* Compute of a seventh, as the lists round it. */
#define SEVENTH_1_PCT 14.2857
#define SEVENTH_2_PCT 28.5714
#define SEVENTH_3_PCT 42.8571
#define SEVENTH_4_PCT 57.1428

/* Where a partition may start, bit by slot. */
#define AT_0 0x01
#define AT_0_2 0x05
#define AT_0_4 0x11
#define AT_0_TO_3 0x0F
#define AT_0_2_4 0x15
#define AT_0_2_4_6 0x55
#define AT_0_TO_6 0x7F

/* The profiles of a card of seven slices: names and GB by size of the card. The two that come
 * last are missing on H200_NVL. */
#define SEVEN_SLICES(one, one_gb, two, two_gb, three, four, half_gb, seven, all_gb) \
    { "1g." one, 19, one_gb, SEVENTH_1_PCT, 7, AT_0_TO_6, 1, 1, { 0 } },            \
        { "2g." two, 14, two_gb, SEVENTH_2_PCT, 3, AT_0_2_4, 2, 1, { 0 } },         \
        { "3g." three, 9, half_gb, SEVENTH_3_PCT, 2, AT_0_4, 4, 1, { 0 } },         \
        { "4g." four, 5, half_gb, SEVENTH_4_PCT, 1, AT_0, 4, 1, { 0 } },            \
        { "7g." seven, 0, all_gb, 100, 1, AT_0, 8, 1, { 0 } },                      \
        { "1g." one "+me", 20, one_gb, SEVENTH_1_PCT, 1, AT_0_TO_6, 1, 1, { 0 } },  \
    {                                                                               \
        "1g." two, 15, two_gb, SEVENTH_1_PCT, 4, AT_0_2_4_6, 2, 1,                  \
        {                                                                           \
            0                                                                       \
        }                                                                           \
    }

static const struct jl_fusion_partition card_80[] = {
    SEVEN_SLICES("10gb", 10, "20gb", 20, "40gb", "40gb", 40, "80gb", 80),
};
static const struct jl_fusion_partition card_40[] = {
    SEVEN_SLICES("5gb", 5, "10gb", 10, "20gb", "20gb", 20, "40gb", 40),
};
static const struct jl_fusion_partition h200[] = {
    SEVEN_SLICES("18gb", 18, "35gb", 35, "71gb", "71gb", 71, "141gb", 141),
};
static const struct jl_fusion_partition a30[] = {
    { "1g.6gb", 14, 6, 25, 4, AT_0_TO_3, 1, 1, { 0 } },
    { "2g.12gb", 5, 12, 50, 2, AT_0_2, 2, 1, { 0 } },
    { "4g.24gb", 0, 24, 100, 1, AT_0, 4, 1, { 0 } },
};
#define NONE JL_PARTITION_NO_PROFILE
static const struct jl_fusion_partition ascend_310p3[] = {
    { "vir01", NONE, 3, 12.5, 8, 0, 0, 2, { 1, 1, 1, 0, 1, 2, 1, 0 } },
    { "vir02", NONE, 6, 25, 4, 0, 0, 1, { 2, 2, 3, 1, 3, 4, 2, 0 } },
    { "vir02_1c", NONE, 6, 25, 4, 0, 0, 1, { 2, 1, 3, 0, 3, 4, 2, 0 } },
    { "vir04", NONE, 12, 50, 2, 0, 0, 1, { 4, 4, 6, 2, 6, 8, 4, 0 } },
    { "vir04_3c", NONE, 12, 50, 2, 0, 0, 1, { 4, 3, 6, 1, 6, 8, 4, 0 } },
    { "vir04_3c_ndvpp", NONE, 12, 50, 2, 0, 0, 1, { 4, 3, 0, 0, 0, 0, 0, 0 } },
    { "vir04_4c_dvpp", NONE, 12, 50, 2, 0, 0, 1, { 4, 4, 12, 3, 12, 16, 8, 0 } },
};

#define H200_NVL_MISSING 2 /* the last two of SEVEN_SLICES */

enum card { CARD_80, CARD_40, CARD_H200, CARD_H200_NVL, CARD_A30, CARD_ASCEND, CARD_PPU };

static const struct jl_fusion_partition_set cards[] = {
    [CARD_80] = { card_80, JL_COUNT(card_80), 7, 8, 0, { 0 } },
    [CARD_40] = { card_40, JL_COUNT(card_40), 7, 8, 0, { 0 } },
    [CARD_H200] = { h200, JL_COUNT(h200), 7, 8, 0, { 0 } },
    [CARD_H200_NVL] = { h200, JL_COUNT(h200) - H200_NVL_MISSING, 7, 8, 0, { 0 } },
    [CARD_A30] = { a30, JL_COUNT(a30), 4, 4, 0, { 0 } },
    [CARD_ASCEND] = { ascend_310p3,
                      JL_COUNT(ascend_310p3),
                      7,
                      0,
                      4,
                      { 8, 7, 12, 3, 12, 16, 8, 0 } },
    [CARD_PPU] = { NULL, 0, 2, 0, 0, { 0 } }, /* no list has its templates */
};

/* "A100/A800/H100/H800 80 GB, A100/A800 40 GB and H200": the models of the chart of that size. */
static const struct {
    const char *model;
    enum card card;
} models[] = {
    { "A100_SXM_80G", CARD_80 },     { "A100_PCIe_80G", CARD_80 },  { "A100_PCIe_80GB", CARD_80 },
    { "A100_SXM", CARD_80 },         { "A800_SXM_80G", CARD_80 },   { "A800_PCIe_80G", CARD_80 },
    { "H100_SXM", CARD_80 },         { "H100_PCIe", CARD_80 },      { "H800_SXM", CARD_80 },
    { "H800_PCIe", CARD_80 },        { "A100_PCIe_40GB", CARD_40 }, { "A100_SXM_40G", CARD_40 },
    { "A100_PCIe_40G", CARD_40 },    { "A800_SXM_40G", CARD_40 },   { "A800_PCIe_40G", CARD_40 },
    { "H200", CARD_H200 },           { "H200_NVL", CARD_H200_NVL }, { "A30", CARD_A30 },
    { "Ascend_310P3", CARD_ASCEND }, { "PPU-ZW810E", CARD_PPU },
};

bool jl_fusion_partitions(const char *model, struct jl_fusion_partition_set *out)
{
    for (size_t i = 0; i < JL_COUNT(models); i++) {
        if (!jl_same(model, models[i].model))
            continue;
        *out = cards[models[i].card];
        return true;
    }
    return false;
}
