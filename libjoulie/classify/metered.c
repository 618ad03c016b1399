/* SPDX-License-Identifier: Apache-2.0 */

/* Which queries make one window of measurements, and what the windows of the pods of a workload
 * come to (docs/rules/classification.md#queries, #several-pods). The cluster model calls it. */

#include "classify/metered.h"

#include <string.h>

#include "base/buffer.h"
#include "base/number.h"
#include "classify/rules.h"
#include "kubernetes/quantity.h"

#define STEPS 10.0       /* of a window, at which it is asked whether there are samples */
#define ENOUGH_STEPS 0.8 /* part of them that makes a whole window: a scrape may fail */
#define LEAST_STEP_S 1.0

/* The usual labels, and those that a scrape without honor_labels leaves of them. */
#define OF_POD "namespace, pod, exported_namespace, exported_pod"
#define CONTAINERS "{container!=\"\",container!=\"POD\"}"
#define OF_OLD_KEPLER "container_namespace, pod_name"
#define OF_KEPLER "pod_namespace, pod_name"

/* %w is the window, %s its step. The inner max makes one of series that several jobs scrape. Both
 * generations of Kepler are asked at once: their labels differ, so that each keeps its series. */
#define KEPLER(old_counter, new_counter)                                                       \
    "sum by (" OF_OLD_KEPLER ") (max by (" OF_OLD_KEPLER                                       \
    ", container_name, container_id, mode) (rate(" old_counter "[%w]))) or sum by (" OF_KEPLER \
    ") (max by (" OF_KEPLER ", pod_id, zone) (rate(" new_counter "[%w])))"

static const struct {
    const char *word;
    const char *query;
} usages[JL_METEREDS] = {
    [JL_METERED_CORES] = { "cpu", "sum by (" OF_POD ") (max by (" OF_POD ", container) (rate("
                                  "container_cpu_usage_seconds_total" CONTAINERS "[%w])))" },
    [JL_METERED_COVERAGE] = { "coverage",
                              "max by (" OF_POD ") (count_over_time("
                              "container_cpu_usage_seconds_total" CONTAINERS "[%w:%s]))" },
    [JL_METERED_BYTES] = { "memory", "sum by (" OF_POD ") (max by (" OF_POD ", container) ("
                                     "container_memory_working_set_bytes" CONTAINERS "))" },
    [JL_METERED_GPU_PCT] = { "gpu",
                             "avg by (" OF_POD ") (avg_over_time(DCGM_FI_DEV_GPU_UTIL[%w]))" },
    [JL_METERED_GPU_MEM_PCT] = { "gpu-memory", "avg by (" OF_POD
                                               ") (avg_over_time(DCGM_FI_DEV_MEM_COPY_UTIL[%w]))" },
    [JL_METERED_PACKAGE_W] = { "package-energy",
                               KEPLER("kepler_container_package_joules_total",
                                      "kepler_pod_cpu_joules_total{zone=\"package\"}") },
    [JL_METERED_DRAM_W] = { "dram-energy", KEPLER("kepler_container_dram_joules_total",
                                                  "kepler_pod_cpu_joules_total{zone=\"dram\"}") },
    [JL_METERED_GPU_W] = { "gpu-energy", KEPLER("kepler_container_gpu_joules_total",
                                                "kepler_pod_gpu_joules_total") },
};

const char *jl_metered_word(enum jl_metered usage)
{
    return usages[usage].word;
}

static double step_s(double window_s)
{
    return jl_max(LEAST_STEP_S, (double)(int64_t)(window_s / STEPS));
}

static void put_seconds(struct jl_buffer *out, double seconds)
{
    jl_put_i64(out, (int64_t)jl_max(1, jl_round_half_away(seconds)));
    jl_put_char(out, 's');
}

const char *jl_metered_query(enum jl_metered usage, double window_s, struct jl_arena *arena)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer query = { 0 };
    for (const char *at = usages[usage].query; *at != '\0'; at++) {
        if (*at != '%')
            jl_put_char(&query, *at);
        else
            put_seconds(&query, *++at == 'w' ? window_s : step_s(window_s));
    }
    return query.is_failed ? NULL : jl_arena_copy(arena, query.data, query.len);
}

void jl_metered_take(struct jl_metered_window *window, enum jl_metered usage,
                     const struct jl_metered_series *series)
{
    if (series->rank < window->ranks[usage])
        return;
    window->clashes[usage] = series->rank == window->ranks[usage];
    window->ranks[usage] = (uint8_t)series->rank;
    window->values[usage] = series->value;
}

bool jl_metered_has(const struct jl_metered_window *window, enum jl_metered usage)
{
    return window != NULL && window->ranks[usage] > 0 && !window->clashes[usage];
}

/* ---- the pods of a workload ---- */

/* Sum over the containers; 0 = one of them does not say it, so that it bounds nothing. */
static double sum_of(const struct jl_pod *pod, bool is_limit, const char *key)
{
    double sum = 0;
    for (size_t i = 0; i < pod->spec.containers.count; i++) {
        const struct jl_container *container = JL_ITEM(pod->spec.containers, jl_container, i);
        const struct jl_pod_resources *resources = &container->resources;
        const char *text = jl_map_get(is_limit ? &resources->limits : &resources->requests, key);
        struct jl_quantity quantity;
        if (text == NULL || jl_parse_quantity(text, strlen(text), &quantity) < 0)
            return 0;
        sum += jl_max(0, jl_quantity_to_double(&quantity));
    }
    return sum;
}

static void put_number(struct joulie_classify_input *in, uint64_t bit, double *place, bool is_there,
                       double value)
{
    if (!is_there)
        return;
    in->has |= bit;
    *place = value;
}

#define PUT(in, NAME, member, is_there, value) \
    put_number(in, JOULIE_CLASSIFY_HAS_##NAME, &(in)->member, is_there, value)

/* The raw series of one pod, for the rules that derive signals from them. */
static void input_of(const struct jl_metered_pod *pod, double window_s,
                     struct joulie_classify_input *out)
{
    const struct jl_metered_window *window = pod->window;
    const double request = sum_of(pod->pod, false, "cpu");
    const double limit = sum_of(pod->pod, true, "cpu");
    const double bytes = sum_of(pod->pod, true, "memory");
    *out = JOULIE_INIT(struct joulie_classify_input);
    PUT(out, WINDOW, window_s, true, window_s);
    PUT(out, REQUEST_CORES, request_cores, request > 0, request);
    PUT(out, LIMIT_CORES, limit_cores, limit > 0, limit);
    PUT(out, NODE_CORES, node_cores, pod->node_cores > 0, pod->node_cores);
    PUT(out, LIMIT_BYTES, limit_bytes, bytes > 0, bytes);
    PUT(out, GPU_MAX, gpu_max_w, pod->gpu_max_w > 0, pod->gpu_max_w);
    PUT(out, GPU_COUNT, gpu_count, pod->gpu_count > 0, pod->gpu_count);
    if (window == NULL)
        return;
#define PUT_USAGE(NAME, member, usage) \
    PUT(out, NAME, member, jl_metered_has(window, usage), window->values[usage])
    PUT_USAGE(USAGE_CORES, usage_cores, JL_METERED_CORES);
    PUT_USAGE(WORKING_SET, working_set_bytes, JL_METERED_BYTES);
    PUT_USAGE(GPU_UTIL, gpu_util_pct, JL_METERED_GPU_PCT);
    PUT_USAGE(GPU_MEM_UTIL, gpu_mem_util_pct, JL_METERED_GPU_MEM_PCT);
    PUT_USAGE(KEPLER_PACKAGE, kepler_package_w, JL_METERED_PACKAGE_W);
    PUT_USAGE(KEPLER_DRAM, kepler_dram_w, JL_METERED_DRAM_W);
    PUT_USAGE(KEPLER_GPU, kepler_gpu_w, JL_METERED_GPU_W);
#undef PUT_USAGE
}

/* The part of the window that has samples. Where nobody says that, all of it. */
static double coverage_of(const struct jl_metered_pod *pod, double window_s)
{
    if (!jl_metered_has(pod->window, JL_METERED_CORES))
        return 0;
    if (!jl_metered_has(pod->window, JL_METERED_COVERAGE))
        return 1;
    const double steps = jl_max(1, (double)(int64_t)(window_s / step_s(window_s)));
    return jl_unit(pod->window->values[JL_METERED_COVERAGE] / steps);
}

static void add_mean(size_t *count, double *sum, bool is_there, double value)
{
    if (!is_there)
        return;
    (*count)++;
    *sum += value;
}

void jl_metered_add(struct jl_metered_sum *sum, const struct jl_metered_pod *pod)
{
    struct joulie_classify_input in;
    struct jl_signals signals;
    input_of(pod, sum->window_s, &in);
    jl_signals_derive(&in, &signals);
    const bool has_gpu = pod->gpu_count > 0 || signals.gpu_util_pct > 0;
    const bool has_memory = JL_CLASSIFY_HAS(&in, WORKING_SET) && JL_CLASSIFY_HAS(&in, LIMIT_BYTES);
    sum->pods++;
    sum->coverage += coverage_of(pod, sum->window_s);
    sum->usage_cores += signals.usage_cores;
    add_mean(&sum->with_cpu, &sum->cpu_util_pct, signals.is_cpu_known, signals.cpu_util_pct);
    add_mean(&sum->with_memory, &sum->mem_pressure_pct, has_memory, signals.mem_pressure_pct);
    add_mean(&sum->with_gpu, &sum->gpu_util_pct, signals.is_gpu_known && has_gpu,
             signals.gpu_util_pct);
    add_mean(&sum->with_gpu_memory, &sum->gpu_mem_util_pct, signals.is_gpu_mem_known && has_gpu,
             signals.gpu_mem_util_pct);
    sum->is_gpu_missing |= pod->gpu_count > 0 && !signals.is_gpu_known;
    sum->with_energy += signals.is_kepler_used;
    sum->with_dram += signals.is_dram_known;
    sum->cpu_energy_j += signals.cpu_energy_j;
    sum->dram_energy_j += signals.dram_energy_j;
    sum->gpu_energy_j += signals.gpu_energy_j;
}

static double mean(double sum, size_t count)
{
    return count > 0 ? sum / (double)count : 0;
}

void jl_metered_put(const struct jl_metered_sum *sum, struct joulie_classify_input *out)
{
    const bool has_energy = sum->with_energy > 0;
    out->has |= JOULIE_CLASSIFY_HAS_METRICS;
    PUT(out, WINDOW, window_s, true, sum->window_s);
    PUT(out, COVERAGE, coverage_frac, true, jl_unit(mean(sum->coverage, sum->pods) / ENOUGH_STEPS));
    PUT(out, USAGE_CORES, usage_cores, true, sum->usage_cores);
    PUT(out, CPU_UTIL, cpu_util_pct, sum->with_cpu > 0, mean(sum->cpu_util_pct, sum->with_cpu));
    PUT(out, MEM_PRESSURE, mem_pressure_pct, sum->with_memory > 0,
        mean(sum->mem_pressure_pct, sum->with_memory));
    PUT(out, GPU_UTIL, gpu_util_pct, sum->with_gpu > 0, mean(sum->gpu_util_pct, sum->with_gpu));
    PUT(out, GPU_MEM_UTIL, gpu_mem_util_pct, sum->with_gpu_memory > 0,
        mean(sum->gpu_mem_util_pct, sum->with_gpu_memory));
    PUT(out, CPU_ENERGY, cpu_energy_j, has_energy, sum->cpu_energy_j);
    PUT(out, DRAM_ENERGY, dram_energy_j, sum->with_dram > 0, sum->dram_energy_j);
    PUT(out, GPU_ENERGY, gpu_energy_j, has_energy, sum->gpu_energy_j);
    if (has_energy) {
        out->has |= JOULIE_CLASSIFY_HAS_KEPLER_USED;
        out->kepler_used = 1;
    }
}
