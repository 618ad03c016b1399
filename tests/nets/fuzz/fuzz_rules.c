/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The rules, one family chosen by the first byte, its numbers by the others: results stay in their
 * ranges, more of a cause is not less of its effect, order does not matter, and parts make up the
 * whole.
 */

#include "fuzz/dice.h"
#include "fuzz/fuzz.h"

static rules_fn *const families[] = {
    rules_energy,    rules_balance,   rules_attribute,  rules_rapl,        rules_cpufreq,
    rules_cap,       rules_ramp,      rules_dvfs,       rules_dvfs_legacy, rules_drift,
    rules_cpu,       rules_gpu,       rules_lag,        rules_profile,     rules_predict,
    rules_trend,     rules_cooling,   rules_psu,        rules_score,       rules_wire,
    rules_marginal,  rules_plan,      rules_guard,      rules_hysteresis,  rules_hp,
    rules_classify,  rules_intensity, rules_backoff,    rules_retry,       rules_sort,
    rules_random,    rules_numbers,   rules_elementary, rules_node_step,   rules_machine,
    rules_shard,     rules_histogram, rules_peaks,      rules_forecast,    rules_series,
    rules_limits,    rules_requests,  rules_replicas,   rules_merge,       rules_percentile,
    rules_power_off,
};
#define FAMILIES (sizeof families / sizeof families[0])

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct dice dice = { data + 1, size - 1 };
    families[data[0] % FAMILIES](&dice);
    return 0;
}
