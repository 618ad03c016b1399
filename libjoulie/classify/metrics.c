/* SPDX-License-Identifier: Apache-2.0 */

/* Checks one window of measurements and derives the signals that the rules compare
 * (docs/rules/classification.md#measurements). */

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#define JL_CLASSIFY_TABLES
#include "classify/rules.h"
#include "classify/thresholds.h"

/* Reasons print percentages and ratios, and jl_format_fixed ends there. */
#define PRINTABLE_LIMIT 1e15

#define HAS(in, name) JL_CLASSIFY_HAS(in, name)

static const uint64_t printed_bits =
    JOULIE_CLASSIFY_HAS_CPU_UTIL | JOULIE_CLASSIFY_HAS_GPU_UTIL | JOULIE_CLASSIFY_HAS_MEM_PRESSURE |
    JOULIE_CLASSIFY_HAS_GPU_MEM_UTIL | JOULIE_CLASSIFY_HAS_CPU_BOUND_RATIO |
    JOULIE_CLASSIFY_HAS_MEM_BOUND_RATIO;
static const uint64_t kepler_watt_bits = JOULIE_CLASSIFY_HAS_KEPLER_PACKAGE |
                                         JOULIE_CLASSIFY_HAS_KEPLER_DRAM |
                                         JOULIE_CLASSIFY_HAS_KEPLER_GPU;

/* Index of a bit is that of its row. */
static double number_at(const struct joulie_classify_input *in, unsigned index)
{
    double value = 0;
    memcpy(&value,
           (const char *)in + jl_classify_metrics_table.rows[index].offset -
               offsetof(struct jl_classify_metrics, window),
           sizeof value);
    return value;
}

static double window_s(const struct joulie_classify_input *in)
{
    return HAS(in, WINDOW) ? in->window_s : JL_CLASSIFY_WINDOW_S;
}

/* NULL = the number is good. */
static const char *fault_of(const struct joulie_classify_input *in, unsigned index)
{
    const uint64_t bit = UINT64_C(1) << index;
    const double value = number_at(in, index);
    if (!jl_is_finite(value))
        return "not a finite number";
    if (value < 0 && !jl_classify_is_source(in) &&
        bit != JOULIE_CLASSIFY_HAS_COVERAGE) /* the confidence limits it */
        return "is below 0";
    return NULL;
}

/* Of numbers that are good by themselves. */
static const char *excess_of(const struct joulie_classify_input *in, unsigned index)
{
    const uint64_t bit = UINT64_C(1) << index;
    const double value = number_at(in, index);
    if ((bit & printed_bits) != 0 && (value >= PRINTABLE_LIMIT || value <= -PRINTABLE_LIMIT))
        return "is too large";
    if ((bit & kepler_watt_bits) != 0 && !jl_is_finite(value * window_s(in)))
        return "is too large for its window";
    return NULL;
}

static int check_each(const struct joulie_classify_input *in, uint64_t bits,
                      const char *check(const struct joulie_classify_input *, unsigned),
                      struct joulie_error *err)
{
    for (uint64_t left = in->has & bits; left != 0; left &= left - 1) {
        const unsigned index = (unsigned)__builtin_ctzll(left);
        const char *why = check(in, index);
        if (why == NULL)
            continue;
        char where[64] = "metrics.";
        const char *key = jl_classify_metrics_table.rows[index].key;
        memcpy(where + strlen(where), key, strlen(key) + 1);
        return jl_fail(err, JOULIE_E_RANGE, where, "%s", why);
    }
    return 0;
}

int jl_metrics_check(const struct joulie_classify_input *in, struct joulie_error *err)
{
    const uint64_t numbers = JL_CLASSIFY_METRIC_BITS &
                             ~(JOULIE_CLASSIFY_HAS_KEPLER_USED | JOULIE_CLASSIFY_HAS_GPU_DOMINANT);
    int rc = check_each(in, numbers, fault_of, err);
    if (rc == 0)
        rc = check_each(in, printed_bits, excess_of, err);
    return rc < 0 ? rc : check_each(in, kepler_watt_bits, excess_of, err);
}

/* Also turns -0 into 0, which would be printed otherwise. */
static double clamp_pct(double value)
{
    return value > 0 ? jl_min(value, 100) : 0;
}

static bool read_annotation(const char *text, bool is_source, double *out)
{
    if (!text || jl_parse_double(text, strlen(text), out) != 0)
        return false;
    if (!is_source)
        *out = clamp_pct(*out);
    return true;
}

bool jl_metrics_from_annotations(const struct joulie_classify_input *in,
                                 struct joulie_classify_input *out)
{
    const bool is_source = jl_classify_is_source(in);
    double value = 0;
    *out = JOULIE_INIT(struct joulie_classify_input);
    out->rules = in->rules;
    if (read_annotation(in->sim_cpu_util_pct, is_source, &value)) {
        out->has |= JOULIE_CLASSIFY_HAS_CPU_UTIL | JOULIE_CLASSIFY_HAS_USAGE_CORES |
                    JOULIE_CLASSIFY_HAS_REQUEST_CORES;
        out->cpu_util_pct = value;
        out->usage_cores = value / 100;
        out->request_cores = 1;
    }
    if (read_annotation(in->sim_gpu_util_pct, is_source, &value)) {
        out->has |= JOULIE_CLASSIFY_HAS_GPU_UTIL;
        out->gpu_util_pct = value;
    }
    if (read_annotation(in->sim_mem_pressure_pct, is_source, &value)) {
        out->has |= JOULIE_CLASSIFY_HAS_MEM_PRESSURE;
        out->mem_pressure_pct = value;
    }
    return out->has != 0;
}

static bool is_kepler_used(const struct joulie_classify_input *in)
{
    if (HAS(in, KEPLER_USED))
        return in->kepler_used == 1;
    return HAS(in, CPU_ENERGY) || HAS(in, DRAM_ENERGY) || HAS(in, GPU_ENERGY) ||
           HAS(in, KEPLER_PACKAGE) || HAS(in, KEPLER_DRAM) || HAS(in, KEPLER_GPU);
}

/* What usage is measured against; 0 = not known. */
static double capacity_cores(const struct joulie_classify_input *in)
{
    if (HAS(in, REQUEST_CORES) && in->request_cores > 0)
        return in->request_cores;
    if (jl_classify_is_source(in))
        return 0;
    if (HAS(in, LIMIT_CORES) && in->limit_cores > 0)
        return in->limit_cores;
    return HAS(in, NODE_CORES) && in->node_cores > 0 ? in->node_cores : 0;
}

static void derive_cpu(const struct joulie_classify_input *in, struct jl_signals *out)
{
    const double capacity = capacity_cores(in);
    out->usage_cores = HAS(in, USAGE_CORES) ? in->usage_cores : 0;
    if (HAS(in, CPU_UTIL)) {
        out->cpu_util_pct = in->cpu_util_pct;
        out->is_cpu_known = true;
    } else if (capacity > 0 && HAS(in, USAGE_CORES)) {
        out->cpu_util_pct = jl_min(100, out->usage_cores / capacity * 100);
        out->is_cpu_known = true;
    } else {
        out->is_cpu_known = jl_classify_is_source(in);
    }
}

static void derive_memory(const struct joulie_classify_input *in, struct jl_signals *out)
{
    if (HAS(in, MEM_PRESSURE))
        out->mem_pressure_pct = in->mem_pressure_pct;
    else if (HAS(in, WORKING_SET) && HAS(in, LIMIT_BYTES) && in->limit_bytes > 0)
        out->mem_pressure_pct = jl_min(100, in->working_set_bytes / in->limit_bytes * 100);
}

/* Power that counts as 100 % of the pod's GPUs. */
static double proxy_full_w(const struct joulie_classify_input *in)
{
    if (jl_classify_is_source(in))
        return JL_PROXY_GPU_W;
    const double max_w = HAS(in, GPU_MAX) && in->gpu_max_w > 0 ? in->gpu_max_w : JL_PROXY_GPU_W;
    const double count = HAS(in, GPU_COUNT) && in->gpu_count > 0 ? in->gpu_count : 1;
    return max_w * count;
}

static void derive_gpu(const struct joulie_classify_input *in, struct jl_signals *out)
{
    out->is_gpu_known = jl_classify_is_source(in);
    if (HAS(in, GPU_UTIL)) {
        out->gpu_util_pct = in->gpu_util_pct;
        out->is_gpu_known = true;
    } else if (out->is_kepler_used && HAS(in, KEPLER_GPU)) {
        if (in->kepler_gpu_w > 0)
            out->gpu_util_pct = jl_min(100, in->kepler_gpu_w / proxy_full_w(in) * 100);
        out->is_gpu_known = true;
    }
    if (!jl_classify_is_source(in) && HAS(in, GPU_MEM_UTIL)) {
        out->gpu_mem_util_pct = clamp_pct(in->gpu_mem_util_pct);
        out->is_gpu_mem_known = true;
    }
}

static double energy_j(bool has_j, double joules, bool has_w, double watts,
                       const struct joulie_classify_input *in)
{
    if (has_j)
        return joules;
    return has_w ? watts * window_s(in) : 0;
}

/* The source asks for energies only with Kepler enabled; without it there are none. */
static void derive_energies(const struct joulie_classify_input *in, struct jl_signals *out)
{
    out->is_kepler_used = is_kepler_used(in);
    if (!out->is_kepler_used)
        return;
    out->cpu_energy_j = energy_j(HAS(in, CPU_ENERGY), in->cpu_energy_j, HAS(in, KEPLER_PACKAGE),
                                 in->kepler_package_w, in);
    out->dram_energy_j = energy_j(HAS(in, DRAM_ENERGY), in->dram_energy_j, HAS(in, KEPLER_DRAM),
                                  in->kepler_dram_w, in);
    out->gpu_energy_j =
        energy_j(HAS(in, GPU_ENERGY), in->gpu_energy_j, HAS(in, KEPLER_GPU), in->kepler_gpu_w, in);
    out->total_energy_j = out->cpu_energy_j + out->dram_energy_j + out->gpu_energy_j;
    out->is_dram_known = HAS(in, DRAM_ENERGY) || HAS(in, KEPLER_DRAM);
}

void jl_signals_derive(const struct joulie_classify_input *in, struct jl_signals *out)
{
    *out = (struct jl_signals){ .coverage_frac = 1 };
    derive_energies(in, out);
    derive_cpu(in, out);
    derive_memory(in, out);
    derive_gpu(in, out);
    if (jl_classify_is_source(in))
        return;
    out->cpu_util_pct = clamp_pct(out->cpu_util_pct);
    out->gpu_util_pct = clamp_pct(out->gpu_util_pct);
    out->mem_pressure_pct = clamp_pct(out->mem_pressure_pct);
    if (HAS(in, COVERAGE))
        out->coverage_frac = jl_unit(in->coverage_frac);
}

bool jl_signals_are_empty(const struct jl_signals *signals)
{
    return signals->cpu_util_pct == 0 && signals->gpu_util_pct == 0 &&
           signals->mem_pressure_pct == 0 && signals->usage_cores == 0;
}
