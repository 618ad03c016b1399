/* SPDX-License-Identifier: Apache-2.0 */

/* What measurements are taken for (docs/rules/classification.md#measurements). */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_energy_or_power_is_enough),
        cmocka_unit_test(memory_pressure_takes_a_working_set_and_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
