/* SPDX-License-Identifier: Apache-2.0 */

/* What measurements are taken for (docs/rules/classification.md#measurements). */

#include "classify/rules.h"
#include "support/test.h"

#define KEPLER_MEMBERS 6

/* Any of the energies and powers says that Kepler was used, each by itself. */
static void one_energy_or_power_is_enough(void **state)
{
    static const unsigned bits[KEPLER_MEMBERS] = {
        JL_METRIC_CPU_ENERGY,     JL_METRIC_DRAM_ENERGY, JL_METRIC_GPU_ENERGY,
        JL_METRIC_KEPLER_PACKAGE, JL_METRIC_KEPLER_DRAM, JL_METRIC_KEPLER_GPU,
    };
    (void)state;
    for (size_t i = 0; i < KEPLER_MEMBERS; i++) {
        struct jl_classify_metrics metrics = { .has = UINT64_C(1) << bits[i] };
        struct jl_signals signals;
        jl_signals_derive(&metrics, JL_CLASSIFY_CURRENT, &signals);
        assert_true(signals.is_kepler_used);
        JL_PUT(&metrics, JL_METRIC_KEPLER_USED, kepler_used, false);
        jl_signals_derive(&metrics, JL_CLASSIFY_CURRENT, &signals);
        assert_false(signals.is_kepler_used);
    }
    const struct jl_classify_metrics none = { .has = UINT64_C(1) << JL_METRIC_CPU_UTIL };
    struct jl_signals signals;
    jl_signals_derive(&none, JL_CLASSIFY_CURRENT, &signals);
    assert_false(signals.is_kepler_used);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_energy_or_power_is_enough) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
