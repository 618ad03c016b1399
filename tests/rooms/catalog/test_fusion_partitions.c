/* SPDX-License-Identifier: Apache-2.0 */

/* Every row of the lists of MIG profiles and Ascend templates. */

#include <string.h>

#include "base/text.h"
#include "catalog/fusion_partitions.h"
#include "support/test.h"

#define MIG(name, profile, gb, pct, most, starts, slots) \
    {                                                    \
        name, profile, gb, pct, most, starts, slots, 1,  \
        {                                                \
            0                                            \
        }                                                \
    }
#define ASCEND(name, gb, pct, most, share, ...)                                 \
    {                                                                           \
        name, JL_PARTITION_NO_PROFILE, gb, pct, most, "", 0, share, __VA_ARGS__ \
    }

struct row {
    const char *name;
    int profile_id;
    double memory_gb;
    double compute_pct;
    int max_count;
    const char *starts; /* slots, a digit each */
    int slots;
    int group_share;
    int units[JL_ASCEND_UNITS];
};

/* 1g, 1g+me, 1g of double memory, 2g, 3g, 4g, 7g */
static const struct row of_80_gb[] = {
    MIG("1g.10gb", 19, 10, 14.2857, 7, "0123456", 1),
    MIG("1g.10gb+me", 20, 10, 14.2857, 1, "0123456", 1),
    MIG("1g.20gb", 15, 20, 14.2857, 4, "0246", 2),
    MIG("2g.20gb", 14, 20, 28.5714, 3, "024", 2),
    MIG("3g.40gb", 9, 40, 42.8571, 2, "04", 4),
    MIG("4g.40gb", 5, 40, 57.1428, 1, "0", 4),
    MIG("7g.80gb", 0, 80, 100, 1, "0", 8),
};
static const struct row of_40_gb[] = {
    MIG("1g.5gb", 19, 5, 14.2857, 7, "0123456", 1),
    MIG("1g.5gb+me", 20, 5, 14.2857, 1, "0123456", 1),
    MIG("1g.10gb", 15, 10, 14.2857, 4, "0246", 2),
    MIG("2g.10gb", 14, 10, 28.5714, 3, "024", 2),
    MIG("3g.20gb", 9, 20, 42.8571, 2, "04", 4),
    MIG("4g.20gb", 5, 20, 57.1428, 1, "0", 4),
    MIG("7g.40gb", 0, 40, 100, 1, "0", 8),
};
static const struct row of_h200[] = {
    MIG("1g.18gb", 19, 18, 14.2857, 7, "0123456", 1),
    MIG("1g.18gb+me", 20, 18, 14.2857, 1, "0123456", 1),
    MIG("1g.35gb", 15, 35, 14.2857, 4, "0246", 2),
    MIG("2g.35gb", 14, 35, 28.5714, 3, "024", 2),
    MIG("3g.71gb", 9, 71, 42.8571, 2, "04", 4),
    MIG("4g.71gb", 5, 71, 57.1428, 1, "0", 4),
    MIG("7g.141gb", 0, 141, 100, 1, "0", 8),
};
static const struct row of_h200_nvl[] = {
    /* without 1g+me and the 1g of double memory */
    MIG("1g.18gb", 19, 18, 14.2857, 7, "0123456", 1), MIG("2g.35gb", 14, 35, 28.5714, 3, "024", 2),
    MIG("3g.71gb", 9, 71, 42.8571, 2, "04", 4),       MIG("4g.71gb", 5, 71, 57.1428, 1, "0", 4),
    MIG("7g.141gb", 0, 141, 100, 1, "0", 8),
};
static const struct row of_a30[] = {
    MIG("1g.6gb", 14, 6, 25, 4, "0123", 1),
    MIG("2g.12gb", 5, 12, 50, 2, "02", 2),
    MIG("4g.24gb", 0, 24, 100, 1, "0", 4),
};
/* AICORE, AICPU, VPC, VENC, VDEC, JPEGD, JPEGE, PNGD */
static const struct row of_310p3[] = {
    ASCEND("vir01", 3, 12.5, 8, 2, { 1, 1, 1, 0, 1, 2, 1, 0 }),
    ASCEND("vir02", 6, 25, 4, 1, { 2, 2, 3, 1, 3, 4, 2, 0 }),
    ASCEND("vir02_1c", 6, 25, 4, 1, { 2, 1, 3, 0, 3, 4, 2, 0 }),
    ASCEND("vir04", 12, 50, 2, 1, { 4, 4, 6, 2, 6, 8, 4, 0 }),
    ASCEND("vir04_3c", 12, 50, 2, 1, { 4, 3, 6, 1, 6, 8, 4, 0 }),
    ASCEND("vir04_3c_ndvpp", 12, 50, 2, 1, { 4, 3, 0, 0, 0, 0, 0, 0 }),
    ASCEND("vir04_4c_dvpp", 12, 50, 2, 1, { 4, 4, 12, 3, 12, 16, 8, 0 }),
};

static const struct row *find(const struct row *rows, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    return NULL;
}

static uint8_t mask_of(const char *starts)
{
    uint8_t mask = 0;
    for (; *starts; starts++)
        mask |= (uint8_t)(1u << (*starts - '0'));
    return mask;
}

static void check_row(const struct jl_fusion_partition *item, const struct row *row)
{
    assert_int_equal(item->profile_id, row->profile_id);
    assert_near(item->memory_gb, row->memory_gb, 0);
    assert_near(item->compute_pct, row->compute_pct, 0);
    assert_int_equal(item->max_count, row->max_count);
    assert_int_equal(item->placements, mask_of(row->starts));
    assert_int_equal(item->slots, row->slots);
    assert_int_equal(item->group_share, row->group_share);
    assert_memory_equal(item->units, row->units, sizeof row->units);
}

static void check_card(const char *model, const struct row *rows, size_t count, int max_partitions,
                       int max_slots)
{
    struct jl_fusion_partition_set set;
    assert_true(jl_fusion_partitions(model, &set));
    assert_int_equal(set.count, count);
    assert_int_equal(set.max_partitions, max_partitions);
    assert_int_equal(set.max_slots, max_slots);
    for (size_t i = 0; i < set.count; i++) {
        const struct row *row = find(rows, count, set.items[i].name);
        assert_non_null(row);
        check_row(&set.items[i], row);
    }
}

static void every_partition_is_that_of_the_published_table(void **state)
{
    (void)state;
    static const char *const cards_of_80_gb[] = { "A100_SXM_80G",  "A100_PCIe_80G", "A800_SXM_80G",
                                                  "A800_PCIe_80G", "H100_SXM",      "H100_PCIe",
                                                  "H800_SXM",      "H800_PCIe" };
    static const char *const cards_of_40_gb[] = { "A100_SXM_40G", "A100_PCIe_40G", "A800_SXM_40G",
                                                  "A800_PCIe_40G" };
    for (size_t i = 0; i < JL_COUNT(cards_of_80_gb); i++)
        check_card(cards_of_80_gb[i], of_80_gb, JL_COUNT(of_80_gb), 7, 8);
    for (size_t i = 0; i < JL_COUNT(cards_of_40_gb); i++)
        check_card(cards_of_40_gb[i], of_40_gb, JL_COUNT(of_40_gb), 7, 8);
    check_card("H200", of_h200, JL_COUNT(of_h200), 7, 8);
    check_card("H200_NVL", of_h200_nvl, JL_COUNT(of_h200_nvl), 7, 8);
    check_card("A30", of_a30, JL_COUNT(of_a30), 4, 4);
    check_card("Ascend_310P3", of_310p3, JL_COUNT(of_310p3), 7, 0);
}

static void an_ascend_card_has_the_units_of_the_published_table(void **state)
{
    (void)state;
    static const int totals[JL_ASCEND_UNITS] = { 8, 7, 12, 3, 12, 16, 8, 0 };
    struct jl_fusion_partition_set set;
    assert_true(jl_fusion_partitions("Ascend_310P3", &set));
    assert_memory_equal(set.totals, totals, sizeof totals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_partition_is_that_of_the_published_table),
        cmocka_unit_test(an_ascend_card_has_the_units_of_the_published_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
