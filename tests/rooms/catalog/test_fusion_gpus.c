/* SPDX-License-Identifier: Apache-2.0 */
/* TensorFusion's GPU lists beside the vectors of `gpu.lookup`; partitions.
 */
#include <string.h>

#include "base/text.h"
#include "catalog/fusion_gpus.h"
#include "catalog/fusion_partitions.h"
#include "support/test.h"

#define CHART_ENTRIES 112 /* rows of the chart */
#define EXTRA_ENTRIES 5   /* of the other lists */

static struct jl_fusion_match found(const char *name, double measured_gb)
{
    struct jl_fusion_match match = { 0 };
    if (!jl_fusion_gpu_find(name, measured_gb, JL_FUSION_GPUS_CURRENT, &match))
        fail_msg("%s is not found", name);
    return match;
}

static size_t count(enum jl_fusion_gpu_rules rules)
{
    struct jl_fusion_gpu gpu;
    size_t i = 0;
    while (jl_fusion_gpu_at(i, rules, &gpu))
        i++;
    return i;
}

static void the_chart_and_the_other_lists_are_complete(void **state)
{
    (void)state;
    assert_int_equal(count(JL_FUSION_GPUS_V2_17_1), CHART_ENTRIES);
    assert_int_equal(count(JL_FUSION_GPUS_CURRENT), CHART_ENTRIES + EXTRA_ENTRIES);
}

static void every_entry_is_found_by_its_own_names(void **state)
{
    struct jl_fusion_gpu gpu;
    (void)state;
    for (size_t i = 0; jl_fusion_gpu_at(i, JL_FUSION_GPUS_V2_17_1, &gpu); i++) {
        struct jl_fusion_match match;
        assert_true(gpu.fp16_tflops > 0);
        assert_true(gpu.cost_per_hour > 0);
        assert_true(jl_fusion_gpu_find(gpu.full_name, 0, JL_FUSION_GPUS_V2_17_1, &match));
        assert_string_equal(match.gpu.model, gpu.model);
        assert_true(jl_fusion_gpu_find(gpu.model, 0, JL_FUSION_GPUS_V2_17_1, &match));
        assert_string_equal(match.gpu.model, gpu.model);
    }
}

static void no_family_is_larger_than_its_limit(void **state)
{
    struct jl_fusion_gpu gpu;
    (void)state;
    for (size_t i = 0; jl_fusion_gpu_at(i, JL_FUSION_GPUS_CURRENT, &gpu); i++) {
        char family[64] = { 0 };
        const size_t len = jl_text_find(jl_text(gpu.model), '_');
        struct jl_fusion_match match;
        assert_true(len < sizeof family);
        memcpy(family, gpu.model, len);
        assert_true(jl_fusion_gpu_find(family, 0, JL_FUSION_GPUS_CURRENT, &match));
        assert_true(match.member_count < JL_FUSION_FAMILY_LIMIT);
    }
}

static void the_source_knows_neither_corrections_nor_extra_entries(void **state)
{
    struct jl_fusion_match match;
    (void)state;
    assert_false(jl_fusion_gpu_find("NVIDIA A30", 0, JL_FUSION_GPUS_V2_17_1, &match));
    assert_true(jl_fusion_gpu_find("H100_NVL", 0, JL_FUSION_GPUS_V2_17_1, &match));
    assert_near(match.gpu.fp16_tflops, 989, 0);
}

static void extra_entries_are_found(void **state)
{
    const struct jl_fusion_match ppu = found("Alibaba PPU Zhenwu 810E", 0);
    const struct jl_fusion_match ascend = found("Ascend 310P3", 0);
    (void)state;
    assert_near(ppu.gpu.fp16_tflops, 386, 0);
    assert_near(ppu.vram_gb, 103.079215104, 1e-9); /* 96 GiB */
    assert_near(ascend.gpu.fp16_tflops, 22, 0);
    assert_near(ascend.vram_gb, 0, 0);
    const struct jl_fusion_match short_name = found("NVIDIA 3090", 0);
    assert_string_equal(short_name.gpu.model, "RTX3090");
    assert_near(short_name.gpu.cost_per_hour, 0.3, 0);
    assert_near(found("NVIDIA A30", 0).gpu.fp16_tflops, 165, 0);
    assert_near(found("NVIDIA A30", 0).gpu.cost_per_hour, 0.45, 0);
    assert_near(found("NVIDIA A30", 0).vram_gb, 24, 0);
    assert_near(ppu.gpu.cost_per_hour, 1, 0);
    assert_near(ascend.gpu.cost_per_hour, 1, 0);
}

static void a_driver_name_that_the_list_misspells_is_found_by_its_normal_form(void **state)
{
    (void)state;
    assert_string_equal(found("NVIDIA A40", 0).gpu.model, "A40");
    assert_string_equal(found("NVIDIA GeForce RTX 3080", 0).gpu.model, "RTX3080");
    assert_string_equal(found("Tesla V100", 0).gpu.model, "V100");
}

static void a_card_sold_in_two_sizes_under_one_name_is_the_one_that_was_measured(void **state)
{
    (void)state;
    assert_string_equal(found("NVIDIA GeForce RTX 3080", 12).gpu.model, "RTX3080_12GB");
    assert_string_equal(found("NVIDIA GeForce RTX 3080", 10.7).gpu.model, "RTX3080");
    assert_string_equal(found("rtx 3080 (12 gb)", 0).gpu.model, "RTX3080_12GB");
    assert_string_equal(found("rtx 3080 (12 gb)", 10).gpu.model, "RTX3080_12GB");
    assert_string_equal(found("RTX3080", 12).gpu.model, "RTX3080");
}

static void drivers_name_a_v100_by_its_board_and_size(void **state)
{
    (void)state;
    assert_string_equal(found("Tesla V100-SXM2-32GB", 0).gpu.model, "V100");
    assert_string_equal(found("Tesla V100-SXM2-16GB", 0).gpu.model, "V100");
    assert_string_equal(found("Tesla V100-PCIE-32GB", 0).gpu.model, "V100");
    assert_string_equal(found("Tesla V100S-PCIE-32GB", 0).gpu.model, "V100S");
    assert_near(found("Tesla V100-SXM2-32GB", 33.8).vram_gb, 33.8, 0);
}

static void names_that_say_nothing_match_nothing(void **state)
{
    static const char *const names[] = {
        "",  " ",   "NVIDIA",    "()",           "Tesla GeForce",
        "_", "100", "Tesla V10", "Tesla V100-X", "NVIDIA (10 GB)"
    };
    struct jl_fusion_match match = { .vram_gb = 7 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(names); i++)
        assert_false(jl_fusion_gpu_find(names[i], 0, JL_FUSION_GPUS_CURRENT, &match));
    assert_false(jl_fusion_gpu_find(NULL, 0, JL_FUSION_GPUS_CURRENT, &match));
    assert_near(match.vram_gb, 7, 0);
}

static void a_card_sold_in_two_sizes_has_no_nameplate_vram(void **state)
{
    (void)state;
    assert_near(found("H20", 0).vram_gb, 0, 0);
    assert_near(found("H20", 0).least_vram_gb, 96, 0);
    assert_near(found("H20", 140.4).vram_gb, 140.4, 0);
}

/* The smaller of the two sizes that the data sheets of NVIDIA and AMD name. */
static void a_card_sold_in_two_sizes_is_planned_with_the_smaller(void **state)
{
    static const struct {
        const char *model;
        double gb;
    } rows[] = { { "RTX4060Ti", 8 },  { "H20", 96 },     { "V100", 16 },
                 { "RTX_5060Ti", 8 }, { "RTXA2000", 6 }, { "RX6500XT", 4 } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_fusion_match match = found(rows[i].model, 0);
        assert_near(match.vram_gb, 0, 0);
        assert_near(match.least_vram_gb, rows[i].gb, 0);
    }
}

static void a_family_has_the_smallest_capacity_of_its_members(void **state)
{
    const struct jl_fusion_match h100 = found("H100", 0);
    (void)state;
    assert_true(h100.is_family);
    assert_null(h100.gpu.model);
    assert_near(h100.gpu.fp16_tflops, 756, 0);
    assert_near(h100.least_vram_gb, 80, 0);
    assert_near(h100.vram_gb, 0, 0);
}

static void a_family_of_one_is_not_ambiguous(void **state)
{
    const struct jl_fusion_match b200 = found("B200", 0);
    (void)state;
    assert_true(b200.is_family);
    assert_false(jl_fusion_match_is_ambiguous(&b200));
}

static const struct jl_fusion_partition *partition(const char *model, const char *name)
{
    struct jl_fusion_partition_set set = { 0 };
    if (!jl_fusion_partitions(model, &set))
        return NULL;
    for (size_t i = 0; i < set.count; i++) {
        if (jl_same(set.items[i].name, name))
            return &set.items[i];
    }
    return NULL;
}

static void partitions_have_the_profile_ids_of_nvml(void **state)
{
    (void)state;
    assert_int_equal(partition("H100_SXM", "1g.10gb")->profile_id, 19);
    assert_int_equal(partition("H100_SXM", "1g.10gb+me")->profile_id, 20);
    assert_int_equal(partition("H100_SXM", "1g.20gb")->profile_id, 15);
    assert_int_equal(partition("H100_SXM", "2g.20gb")->profile_id, 14);
    assert_int_equal(partition("H100_SXM", "3g.40gb")->profile_id, 9);
    assert_int_equal(partition("H100_SXM", "4g.40gb")->profile_id, 5);
    assert_int_equal(partition("H100_SXM", "7g.80gb")->profile_id, 0);
    assert_int_equal(partition("A30", "2g.12gb")->profile_id, 5);
    assert_int_equal(partition("Ascend_310P3", "vir02")->profile_id, JL_PARTITION_NO_PROFILE);
}

static void partitions_are_named_by_the_size_of_the_card(void **state)
{
    (void)state;
    assert_near(partition("A100_SXM_40G", "3g.20gb")->memory_gb, 20, 0);
    assert_near(partition("H200", "1g.35gb")->memory_gb, 35, 0);
    assert_non_null(partition("H200", "1g.18gb+me"));
    assert_null(partition("H200_NVL", "1g.18gb+me"));
    assert_null(partition("H200_NVL", "1g.35gb"));
    assert_non_null(partition("H200_NVL", "7g.141gb"));
    assert_null(partition("T4", "1g.5gb"));
}

/* As many partitions as a card takes have room: slots, memory, compute and units. */
static void check_room(const struct jl_fusion_partition_set *set,
                       const struct jl_fusion_partition *item)
{
    int places = 0;
    assert_true(item->max_count * item->compute_pct <= 100.001);
    for (int slot = 0; slot < 8; slot++) {
        if ((item->placements >> slot & 1) == 0)
            continue;
        places++;
        assert_true(slot + item->slots <= set->max_slots);
    }
    assert_true(places == 0 || places >= item->max_count);
    for (int unit = 0; unit < JL_ASCEND_UNITS; unit++)
        assert_true(item->units[unit] <= set->totals[unit]);
}

static void every_partition_fits_its_card(void **state)
{
    static const char *const models[] = { "A100_SXM_80G", "A100_SXM_40G", "H200",
                                          "H200_NVL",     "A30",          "Ascend_310P3" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(models); i++) {
        struct jl_fusion_partition_set set;
        assert_true(jl_fusion_partitions(models[i], &set));
        for (size_t k = 0; k < set.count; k++)
            check_room(&set, &set.items[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chart_and_the_other_lists_are_complete),
        cmocka_unit_test(every_entry_is_found_by_its_own_names),
        cmocka_unit_test(no_family_is_larger_than_its_limit),
        cmocka_unit_test(the_source_knows_neither_corrections_nor_extra_entries),
        cmocka_unit_test(extra_entries_are_found),
        cmocka_unit_test(a_driver_name_that_the_list_misspells_is_found_by_its_normal_form),
        cmocka_unit_test(a_card_sold_in_two_sizes_under_one_name_is_the_one_that_was_measured),
        cmocka_unit_test(drivers_name_a_v100_by_its_board_and_size),
        cmocka_unit_test(names_that_say_nothing_match_nothing),
        cmocka_unit_test(a_card_sold_in_two_sizes_has_no_nameplate_vram),
        cmocka_unit_test(a_card_sold_in_two_sizes_is_planned_with_the_smaller),
        cmocka_unit_test(a_family_has_the_smallest_capacity_of_its_members),
        cmocka_unit_test(a_family_of_one_is_not_ambiguous),
        cmocka_unit_test(partitions_have_the_profile_ids_of_nvml),
        cmocka_unit_test(partitions_are_named_by_the_size_of_the_card),
        cmocka_unit_test(every_partition_fits_its_card),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
