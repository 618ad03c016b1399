/* SPDX-License-Identifier: Apache-2.0 */

/* Checks one window of measurements and derives the signals that the rules compare
 * (docs/rules/classification.md#measurements). */

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "classify/rules.h"
#include "classify/thresholds.h"

/* Reasons print percentages and ratios, and jl_format_fixed ends there. */
#define PRINTABLE_LIMIT 1e15

/* Every member but the two booleans. */
#define NUMBERS \
    (((UINT64_C(1) << JL_METRIC_GPU_DOMINANT) - 1) & ~(UINT64_C(1) << JL_METRIC_KEPLER_USED))

#define HAS(metrics, name) (JL_HAS((metrics), JL_METRIC_##name) != 0)

static const uint32_t printed_bits[] = {
    JL_METRIC_CPU_UTIL,     JL_METRIC_GPU_UTIL,        JL_METRIC_MEM_PRESSURE,
    JL_METRIC_GPU_MEM_UTIL, JL_METRIC_CPU_BOUND_RATIO, JL_METRIC_MEM_BOUND_RATIO,
};

static const uint32_t kepler_watt_bits[] = { JL_METRIC_KEPLER_PACKAGE, JL_METRIC_KEPLER_DRAM,
                                             JL_METRIC_KEPLER_GPU };

static double number_at(const struct jl_classify_metrics *metrics, uint32_t bit)
{
    double value = 0;
    memcpy(&value, (const char *)metrics + jl_classify_metrics_table.rows[bit].offset,
           sizeof value);
    return value;
}

static int refuse(uint32_t bit, const char *why, struct joulie_error *err)
{
    char where[64] = "metrics.";
    const char *key = jl_classify_metrics_table.rows[bit].key;
    memcpy(where + strlen(where), key, strlen(key) + 1);
    return jl_fail(err, JOULIE_E_RANGE, where, "%s", why);
}

static double window_s(const struct jl_classify_metrics *metrics)
{
    return HAS(metrics, WINDOW) ? metrics->window_s : JL_CLASSIFY_WINDOW_S;
}

int jl_metrics_check(const struct jl_classify_metrics *metrics, enum jl_classify_rules rules,
                     struct joulie_error *err)
{
    for (uint64_t left = metrics->has & NUMBERS; left != 0; left &= left - 1) {
        const uint32_t bit = (uint32_t)__builtin_ctzll(left);
        const double value = number_at(metrics, bit);
        if (!jl_is_finite(value))
            return refuse(bit, "not a finite number", err);
        if (value < 0 && rules == JL_CLASSIFY_CURRENT &&
            bit != JL_METRIC_COVERAGE) /* the confidence limits it */
            return refuse(bit, "is below 0", err);
    }
    for (size_t i = 0; i < JL_COUNT(printed_bits); i++) {
        const double value =
            JL_HAS(metrics, printed_bits[i]) ? number_at(metrics, printed_bits[i]) : 0;
        if (value >= PRINTABLE_LIMIT || value <= -PRINTABLE_LIMIT)
            return refuse(printed_bits[i], "is too large", err);
    }
    for (size_t i = 0; i < JL_COUNT(kepler_watt_bits); i++) {
        const double watts =
            JL_HAS(metrics, kepler_watt_bits[i]) ? number_at(metrics, kepler_watt_bits[i]) : 0;
        if (!jl_is_finite(watts * window_s(metrics)))
            return refuse(kepler_watt_bits[i], "is too large for its window", err);
    }
    return 0;
}

/* Also turns -0 into 0, which would be printed otherwise. */
static double clamp_pct(double value)
{
    return value > 0 ? jl_min(value, 100) : 0;
}

static bool read_annotation(const char *text, enum jl_classify_rules rules, double *out)
{
    if (!text || jl_parse_double(text, strlen(text), out) != 0)
        return false;
    if (rules == JL_CLASSIFY_CURRENT)
        *out = clamp_pct(*out);
    return true;
}

bool jl_metrics_from_annotations(const struct jl_classify_texts *texts,
                                 enum jl_classify_rules rules, struct jl_classify_metrics *out)
{
    *out = (struct jl_classify_metrics){ 0 };
    double value = 0;
    if (read_annotation(texts->sim_cpu_util_pct, rules, &value)) {
        JL_PUT(out, JL_METRIC_CPU_UTIL, cpu_util_pct, value);
        JL_PUT(out, JL_METRIC_USAGE_CORES, usage_cores, value / 100);
        JL_PUT(out, JL_METRIC_REQUEST_CORES, request_cores, 1);
    }
    if (read_annotation(texts->sim_gpu_util_pct, rules, &value))
        JL_PUT(out, JL_METRIC_GPU_UTIL, gpu_util_pct, value);
    if (read_annotation(texts->sim_mem_pressure_pct, rules, &value))
        JL_PUT(out, JL_METRIC_MEM_PRESSURE, mem_pressure_pct, value);
    return out->has != 0;
}

static bool is_kepler_used(const struct jl_classify_metrics *metrics)
{
    if (HAS(metrics, KEPLER_USED))
        return metrics->kepler_used;
    return HAS(metrics, CPU_ENERGY) || HAS(metrics, DRAM_ENERGY) || HAS(metrics, GPU_ENERGY) ||
           HAS(metrics, KEPLER_PACKAGE) || HAS(metrics, KEPLER_DRAM) || HAS(metrics, KEPLER_GPU);
}

/* What usage is measured against; 0 = not known. */
static double capacity_cores(const struct jl_classify_metrics *metrics,
                             enum jl_classify_rules rules)
{
    if (HAS(metrics, REQUEST_CORES) && metrics->request_cores > 0)
        return metrics->request_cores;
    if (rules == JL_CLASSIFY_V0_1_0)
        return 0;
    if (HAS(metrics, LIMIT_CORES) && metrics->limit_cores > 0)
        return metrics->limit_cores;
    return HAS(metrics, NODE_CORES) && metrics->node_cores > 0 ? metrics->node_cores : 0;
}

static void derive_cpu(const struct jl_classify_metrics *metrics, enum jl_classify_rules rules,
                       struct jl_signals *out)
{
    const double capacity = capacity_cores(metrics, rules);
    out->usage_cores = HAS(metrics, USAGE_CORES) ? metrics->usage_cores : 0;
    if (HAS(metrics, CPU_UTIL)) {
        out->cpu_util_pct = metrics->cpu_util_pct;
        out->is_cpu_known = true;
    } else if (capacity > 0 && HAS(metrics, USAGE_CORES)) {
        out->cpu_util_pct = jl_min(100, out->usage_cores / capacity * 100);
        out->is_cpu_known = true;
    } else {
        out->is_cpu_known = rules == JL_CLASSIFY_V0_1_0;
    }
}

static void derive_memory(const struct jl_classify_metrics *metrics, struct jl_signals *out)
{
    if (HAS(metrics, MEM_PRESSURE))
        out->mem_pressure_pct = metrics->mem_pressure_pct;
    else if (HAS(metrics, WORKING_SET) && HAS(metrics, LIMIT_BYTES) && metrics->limit_bytes > 0)
        out->mem_pressure_pct =
            jl_min(100, metrics->working_set_bytes / metrics->limit_bytes * 100);
}

/* Power that counts as 100 % of the pod's GPUs. */
static double proxy_full_w(const struct jl_classify_metrics *metrics, enum jl_classify_rules rules)
{
    if (rules == JL_CLASSIFY_V0_1_0)
        return JL_PROXY_GPU_W;
    const double max_w =
        HAS(metrics, GPU_MAX) && metrics->gpu_max_w > 0 ? metrics->gpu_max_w : JL_PROXY_GPU_W;
    const double count = HAS(metrics, GPU_COUNT) && metrics->gpu_count > 0 ? metrics->gpu_count : 1;
    return max_w * count;
}

static void derive_gpu(const struct jl_classify_metrics *metrics, enum jl_classify_rules rules,
                       struct jl_signals *out)
{
    out->is_gpu_known = rules == JL_CLASSIFY_V0_1_0;
    if (HAS(metrics, GPU_UTIL)) {
        out->gpu_util_pct = metrics->gpu_util_pct;
        out->is_gpu_known = true;
    } else if (out->is_kepler_used && HAS(metrics, KEPLER_GPU)) {
        if (metrics->kepler_gpu_w > 0)
            out->gpu_util_pct =
                jl_min(100, metrics->kepler_gpu_w / proxy_full_w(metrics, rules) * 100);
        out->is_gpu_known = true;
    }
    if (rules == JL_CLASSIFY_CURRENT && HAS(metrics, GPU_MEM_UTIL)) {
        out->gpu_mem_util_pct = clamp_pct(metrics->gpu_mem_util_pct);
        out->is_gpu_mem_known = true;
    }
}

static double energy_j(const struct jl_classify_metrics *metrics, uint32_t energy_bit,
                       uint32_t watt_bit)
{
    if (JL_HAS(metrics, energy_bit))
        return number_at(metrics, energy_bit);
    return JL_HAS(metrics, watt_bit) ? number_at(metrics, watt_bit) * window_s(metrics) : 0;
}

/* The source asks for energies only with Kepler enabled; without it there are none. */
static void derive_energies(const struct jl_classify_metrics *metrics, struct jl_signals *out)
{
    out->is_kepler_used = is_kepler_used(metrics);
    if (!out->is_kepler_used)
        return;
    out->cpu_energy_j = energy_j(metrics, JL_METRIC_CPU_ENERGY, JL_METRIC_KEPLER_PACKAGE);
    out->dram_energy_j = energy_j(metrics, JL_METRIC_DRAM_ENERGY, JL_METRIC_KEPLER_DRAM);
    out->gpu_energy_j = energy_j(metrics, JL_METRIC_GPU_ENERGY, JL_METRIC_KEPLER_GPU);
    out->total_energy_j = out->cpu_energy_j + out->dram_energy_j + out->gpu_energy_j;
    out->is_dram_known = HAS(metrics, DRAM_ENERGY) || HAS(metrics, KEPLER_DRAM);
}

void jl_signals_derive(const struct jl_classify_metrics *metrics, enum jl_classify_rules rules,
                       struct jl_signals *out)
{
    *out = (struct jl_signals){ .coverage_frac = 1 };
    derive_energies(metrics, out);
    derive_cpu(metrics, rules, out);
    derive_memory(metrics, out);
    derive_gpu(metrics, rules, out);
    if (rules == JL_CLASSIFY_V0_1_0)
        return;
    out->cpu_util_pct = clamp_pct(out->cpu_util_pct);
    out->gpu_util_pct = clamp_pct(out->gpu_util_pct);
    out->mem_pressure_pct = clamp_pct(out->mem_pressure_pct);
    if (HAS(metrics, COVERAGE))
        out->coverage_frac = jl_clamp(metrics->coverage_frac, 0, 1);
}

bool jl_signals_are_empty(const struct jl_signals *signals)
{
    return signals->cpu_util_pct == 0 && signals->gpu_util_pct == 0 &&
           signals->mem_pressure_pct == 0 && signals->usage_cores == 0;
}
