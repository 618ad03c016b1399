/* SPDX-License-Identifier: Apache-2.0 */

/* What measurements are taken for, and what the rules make of them at their bounds
 * (docs/rules/classification.md#measurements, #ratios, #cpu-part, #gpu-part, #class). */

#include "base/text.h"
#include "classify/rules.h"
#include "support/test.h"

#define KEPLER_MEMBERS 6

/* Any of the energies and powers says that Kepler was used, each by itself. */
static void one_energy_or_power_is_enough(void **state)
{
    static const uint64_t bits[KEPLER_MEMBERS] = {
        JOULIE_CLASSIFY_HAS_CPU_ENERGY,  JOULIE_CLASSIFY_HAS_DRAM_ENERGY,
        JOULIE_CLASSIFY_HAS_GPU_ENERGY,  JOULIE_CLASSIFY_HAS_KEPLER_PACKAGE,
        JOULIE_CLASSIFY_HAS_KEPLER_DRAM, JOULIE_CLASSIFY_HAS_KEPLER_GPU,
    };
    (void)state;
    for (size_t i = 0; i < KEPLER_MEMBERS; i++) {
        struct joulie_classify_input in = { .has = bits[i] };
        struct jl_signals signals;
        jl_signals_derive(&in, &signals);
        assert_true(signals.is_kepler_used);
        in.has |= JOULIE_CLASSIFY_HAS_KEPLER_USED;
        jl_signals_derive(&in, &signals);
        assert_false(signals.is_kepler_used);
    }
    const struct joulie_classify_input none = { .has = JOULIE_CLASSIFY_HAS_CPU_UTIL };
    struct jl_signals signals;
    jl_signals_derive(&none, &signals);
    assert_false(signals.is_kepler_used);
}

/* Working set / limit, at most 100; 0 where one of both is not known or there is no limit. */
static void memory_pressure_takes_a_working_set_and_a_limit(void **state)
{
    static const struct {
        uint64_t has;
        double working_set, limit, expected_pct;
    } rows[] = {
        { JOULIE_CLASSIFY_HAS_WORKING_SET | JOULIE_CLASSIFY_HAS_LIMIT_BYTES, 3e9, 4e9, 75 },
        { JOULIE_CLASSIFY_HAS_WORKING_SET | JOULIE_CLASSIFY_HAS_LIMIT_BYTES, 5e9, 4e9, 100 },
        { JOULIE_CLASSIFY_HAS_WORKING_SET | JOULIE_CLASSIFY_HAS_LIMIT_BYTES, 3e9, 0, 0 },
        { JOULIE_CLASSIFY_HAS_WORKING_SET, 3e9, 4e9, 0 },
        { JOULIE_CLASSIFY_HAS_LIMIT_BYTES, 3e9, 4e9, 0 },
        { 0, 3e9, 4e9, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct joulie_classify_input in = { .has = rows[i].has,
                                                  .working_set_bytes = rows[i].working_set,
                                                  .limit_bytes = rows[i].limit };
        struct jl_signals signals;
        jl_signals_derive(&in, &signals);
        assert_near(signals.mem_pressure_pct, rows[i].expected_pct, 0);
    }
}

/* Ratios of v0.1.0 are those of utilisation; nothing prints them, an override compares them. */
static void ratios_of_the_source_have_open_bounds(void **state)
{
    static const struct {
        double cpu_pct, gpu_pct, mem_pct, cpu_bound, mem_bound;
    } rows[] = {
        { 60, 0, 0, 0, 0 },          { 60.5, 0, 0, 0.605, 0 }, { 61, 29.9, 29.9, 0.61, 0 },
        { 61, 30, 0, 0, 0 },         { 61, 0, 30, 0, 0 },      { 59.5, 0, 50, 0, 0 },
        { 59.5, 0, 50.5, 0, 0.505 }, { 60, 0, 51, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct joulie_classify_input in = { .rules = JOULIE_CLASSIFY_RULES_V0_1_0 };
        const struct jl_signals signals = { .is_cpu_known = true,
                                            .cpu_util_pct = rows[i].cpu_pct,
                                            .gpu_util_pct = rows[i].gpu_pct,
                                            .mem_pressure_pct = rows[i].mem_pct };
        struct jl_verdict verdict;
        jl_verdict_at(&in, &signals, &verdict);
        assert_near(verdict.ratios.cpu_bound, rows[i].cpu_bound, 1e-12);
        assert_near(verdict.ratios.mem_bound, rows[i].mem_bound, 1e-12);
    }
}

/* The table of the CPU part and of the GPU part, at each bound and just beyond. */
static void each_threshold_of_a_part_is_where_the_page_says(void **state)
{
    enum { LOW = JOULIE_LEVEL_LOW, MEDIUM = JOULIE_LEVEL_MEDIUM, HIGH = JOULIE_LEVEL_HIGH };

    enum { MIXED = JOULIE_BOUND_MIXED, COMPUTE = JOULIE_BOUND_COMPUTE };

    enum { MEMORY = JOULIE_BOUND_MEMORY, IO = JOULIE_BOUND_IO };

    static const struct {
        double cpu_pct, gpu_pct, mem_pct;

        struct {
            int intensity, bound, sensitivity;
        } cpu, gpu;
    } rows[] = {
        { 75, 0.1, 0, { HIGH, COMPUTE, HIGH }, { LOW, MIXED, LOW } },
        { 74.9, 0.1, 0, { MEDIUM, COMPUTE, HIGH }, { LOW, MIXED, LOW } },
        { 70.1, 0.1, 49.9, { MEDIUM, COMPUTE, HIGH }, { LOW, MIXED, LOW } },
        { 70, 0.1, 49.9, { MEDIUM, COMPUTE, MEDIUM }, { LOW, MIXED, LOW } },
        { 65.1, 0.1, 0, { MEDIUM, COMPUTE, MEDIUM }, { LOW, MIXED, LOW } },
        { 65, 0.1, 0, { MEDIUM, MIXED, MEDIUM }, { LOW, MIXED, LOW } },
        { 70.1, 0.1, 50, { MEDIUM, MIXED, MEDIUM }, { LOW, MIXED, LOW } },
        { 59.9, 0.1, 50.1, { MEDIUM, MEMORY, LOW }, { LOW, MIXED, LOW } },
        { 59.9, 0.1, 50, { MEDIUM, MIXED, MEDIUM }, { LOW, MIXED, LOW } },
        { 60, 0.1, 50.1, { MEDIUM, MIXED, MEDIUM }, { LOW, MIXED, LOW } },
        { 30, 0.1, 0, { MEDIUM, MIXED, MEDIUM }, { LOW, MIXED, LOW } },
        { 29.9, 0.1, 0, { LOW, MIXED, MEDIUM }, { LOW, MIXED, LOW } },
        { 20, 0.1, 0, { LOW, MIXED, MEDIUM }, { LOW, MIXED, LOW } },
        { 19.9, 0.1, 0, { LOW, IO, LOW }, { LOW, MIXED, LOW } },
        { 30, 25, 0, { MEDIUM, MIXED, MEDIUM }, { MEDIUM, MIXED, MEDIUM } },
        { 30, 24.9, 0, { MEDIUM, MIXED, MEDIUM }, { LOW, MIXED, LOW } },
        { 30, 40, 0, { MEDIUM, MIXED, MEDIUM }, { MEDIUM, MIXED, MEDIUM } },
        { 30, 40.1, 0, { MEDIUM, MIXED, LOW }, { MEDIUM, COMPUTE, MEDIUM } },
        { 40.1, 40.1, 0, { MEDIUM, MIXED, MEDIUM }, { MEDIUM, COMPUTE, MEDIUM } },
        { 30, 69.9, 0, { MEDIUM, MIXED, LOW }, { MEDIUM, COMPUTE, MEDIUM } },
        { 30, 70, 0, { MEDIUM, MIXED, LOW }, { HIGH, COMPUTE, HIGH } },
        { 30, 70, 60, { MEDIUM, MIXED, LOW }, { HIGH, COMPUTE, HIGH } },
        { 30, 70, 60.1, { MEDIUM, MIXED, LOW }, { HIGH, MEMORY, MEDIUM } },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct joulie_classify_input in = { .rules = JOULIE_CLASSIFY_RULES_CURRENT };
        const struct jl_signals signals = { .is_cpu_known = true,
                                            .is_gpu_known = true,
                                            .cpu_util_pct = rows[i].cpu_pct,
                                            .gpu_util_pct = rows[i].gpu_pct,
                                            .mem_pressure_pct = rows[i].mem_pct };
        struct jl_verdict verdict;
        jl_verdict_at(&in, &signals, &verdict);
        assert_int_equal(verdict.cpu.intensity, rows[i].cpu.intensity);
        assert_int_equal(verdict.cpu.bound, rows[i].cpu.bound);
        assert_int_equal(verdict.cpu.sensitivity, rows[i].cpu.sensitivity);
        assert_int_equal(verdict.gpu.intensity, rows[i].gpu.intensity);
        assert_int_equal(verdict.gpu.bound, rows[i].gpu.bound);
        assert_int_equal(verdict.gpu.sensitivity, rows[i].gpu.sensitivity);
    }
}

/* cpuBound above 0.70, else memBound above 0.40 of the energies. */
static void energies_override_above_their_ratios(void **state)
{
    static const struct {
        double cpu_j, dram_j, gpu_j;
        enum joulie_bound bound;
    } rows[] = {
        { 700, 100, 200, JOULIE_BOUND_MIXED }, { 701, 100, 199, JOULIE_BOUND_COMPUTE },
        { 600, 400, 0, JOULIE_BOUND_MIXED },   { 599, 401, 0, JOULIE_BOUND_MEMORY },
        { 701, 299, 0, JOULIE_BOUND_COMPUTE },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct joulie_classify_input in = { .rules = JOULIE_CLASSIFY_RULES_CURRENT };
        const struct jl_signals signals = {
            .is_cpu_known = true,
            .cpu_util_pct = 40,
            .is_kepler_used = true,
            .is_dram_known = true,
            .cpu_energy_j = rows[i].cpu_j,
            .dram_energy_j = rows[i].dram_j,
            .gpu_energy_j = rows[i].gpu_j,
            .total_energy_j = rows[i].cpu_j + rows[i].dram_j + rows[i].gpu_j,
        };
        struct jl_verdict verdict;
        jl_verdict_at(&in, &signals, &verdict);
        assert_int_equal(verdict.cpu.bound, rows[i].bound);
    }
}

/* `performance` when a GPU is above 50 %, or CPU > 65 with memory < 50. */
static void a_class_is_derived_above_the_thresholds_of_the_page(void **state)
{
    static const struct {
        double cpu_pct, gpu_pct, mem_pct;
        const char *class_;
    } rows[] = {
        { 95, 50, 60, "standard" },       { 95, 50.1, 60, "performance" },
        { 65, 0, 0, "standard" },         { 65.1, 0, 0, "performance" },
        { 65.1, 0, 49.9, "performance" }, { 65.1, 0, 50, "standard" },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct joulie_classify_input in = { .rules = JOULIE_CLASSIFY_RULES_CURRENT,
                                                  .derive_class = 1 };
        const struct jl_hints hints = { 0 };
        const struct jl_verdict verdict = { 0 };
        const struct jl_signals signals = { .cpu_util_pct = rows[i].cpu_pct,
                                            .gpu_util_pct = rows[i].gpu_pct,
                                            .mem_pressure_pct = rows[i].mem_pct };
        assert_string_equal(jl_criticality_text(&in, &hints, &signals, &verdict), rows[i].class_);
    }
}

static void a_summary_is_sure_from_0_7_and_half_sure_from_0_5(void **state)
{
    static const struct {
        double confidence;
        const char *summary;
    } rows[] = {
        { 0.7, "high-confidence" },
        { 0.6999, "medium-confidence" },
        { 0.5, "medium-confidence" },
        { 0.4999, "low-confidence (hints only)" },
    };
    struct jl_arena arena = { 0 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_profile_status status = { .confidence = rows[i].confidence,
                                                  .gpu.intensity = JOULIE_LEVEL_NONE };
        assert_string_equal(jl_summary(&status, &arena), rows[i].summary);
    }
    jl_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_energy_or_power_is_enough),
        cmocka_unit_test(memory_pressure_takes_a_working_set_and_a_limit),
        cmocka_unit_test(ratios_of_the_source_have_open_bounds),
        cmocka_unit_test(each_threshold_of_a_part_is_where_the_page_says),
        cmocka_unit_test(energies_override_above_their_ratios),
        cmocka_unit_test(a_class_is_derived_above_the_thresholds_of_the_page),
        cmocka_unit_test(a_summary_is_sure_from_0_7_and_half_sure_from_0_5),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
