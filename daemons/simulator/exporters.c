/* SPDX-License-Identifier: Apache-2.0 */

/* Pages of the exporters that run on a cluster's machines: cAdvisor in the kubelet, both
 * generations of Kepler, DCGM (docs/rules/simulator-contract.md#exporters). A page is made when
 * somebody reads it; counters are read from the simulation, which keeps them by job. */

#include "simulator/exporters.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "runtime/health.h"
#include "runtime/metrics.h"

#define PERCENT 100
#define GPU_TEXT 24

static JD_FAMILY(cpu_time, JD_COUNTER, "container_cpu_usage_seconds_total",
                 "Processor time of the container.", "container", "namespace", "node", "pod");
static JD_FAMILY(working_set, JD_GAUGE, "container_memory_working_set_bytes",
                 "Memory that the container works with.", "container", "namespace", "node", "pod");

static JD_FAMILY(node_cpu_energy, JD_COUNTER, "kepler_node_cpu_joules_total", "Energy of the CPUs.",
                 "node_name", "zone");
#define KEPLER_LABELS "node_name", "pod_name", "pod_namespace"
static JD_FAMILY(pod_cpu_energy, JD_COUNTER, "kepler_pod_cpu_joules_total",
                 "Energy of the CPUs by the pod.", KEPLER_LABELS, "zone");
static JD_FAMILY(pod_gpu_energy, JD_COUNTER, "kepler_pod_gpu_joules_total",
                 "Energy of the GPUs by the pod.", KEPLER_LABELS);

static JD_FAMILY(platform_energy, JD_COUNTER, "kepler_node_platform_joules_total",
                 "Energy of the machine.", "instance");
#define OLD_KEPLER_LABELS "container_name", "container_namespace", "node", "pod_name"
static JD_FAMILY(container_package_energy, JD_COUNTER, "kepler_container_package_joules_total",
                 "Energy of the packages by the container.", OLD_KEPLER_LABELS);
static JD_FAMILY(container_dram_energy, JD_COUNTER, "kepler_container_dram_joules_total",
                 "Energy of the memory by the container.", OLD_KEPLER_LABELS);
static JD_FAMILY(container_gpu_energy, JD_COUNTER, "kepler_container_gpu_joules_total",
                 "Energy of the GPUs by the container.", OLD_KEPLER_LABELS);

static JD_FAMILY(gpu_use, JD_GAUGE, "DCGM_FI_DEV_GPU_UTIL", "Utilisation of the GPU, percent.",
                 "gpu", "namespace", "node", "pod");
static JD_FAMILY(gpu_memory_use, JD_GAUGE, "DCGM_FI_DEV_MEM_COPY_UTIL",
                 "Utilisation of the GPU's memory, percent.", "gpu", "namespace", "node", "pod");

struct page {
    struct jd_metrics *metrics;
    const char *node;
    double speed;
};

/* What grew in virtual seconds, as it grows in seconds of those who read. */
static void put_counter(const struct page *page, const struct jd_family *family,
                        const char *const *labels, double value)
{
    jd_metric_set(page->metrics, family, labels, value / page->speed);
}

static void put_cadvisor(const struct page *page, const struct joulie_sim_pod_view *pod)
{
    const char *const labels[] = { pod->container, pod->name_space, page->node, pod->name };
    put_counter(page, &cpu_time, labels, pod->cpu_s);
    jd_metric_set(page->metrics, &working_set, labels, pod->memory_bytes);
}

static void put_kepler(const struct page *page, const struct joulie_sim_pod_view *pod)
{
    const char *const package[] = { page->node, pod->name, pod->name_space, "package" };
    const char *const dram[] = { page->node, pod->name, pod->name_space, "dram" };
    put_counter(page, &pod_cpu_energy, package, pod->package_energy_j);
    put_counter(page, &pod_cpu_energy, dram, pod->dram_energy_j);
    if (pod->gpus > 0)
        put_counter(page, &pod_gpu_energy, package, pod->gpu_energy_j);
}

static void put_old_kepler(const struct page *page, const struct joulie_sim_pod_view *pod)
{
    const char *const labels[] = { pod->container, pod->name_space, page->node, pod->name };
    put_counter(page, &container_package_energy, labels, pod->package_energy_j);
    put_counter(page, &container_dram_energy, labels, pod->dram_energy_j);
    if (pod->gpus > 0)
        put_counter(page, &container_gpu_energy, labels, pod->gpu_energy_j);
}

static void put_dcgm(const struct page *page, const struct joulie_sim_pod_view *pod)
{
    char gpu[GPU_TEXT];
    const char *const labels[] = { gpu, pod->name_space, page->node, pod->name };
    for (int64_t i = 0; i < pod->gpus; i++) {
        snprintf(gpu, sizeof gpu, "%lld", (long long)(pod->first_gpu + i));
        jd_metric_set(page->metrics, &gpu_use, labels, pod->gpu_util * PERCENT);
        jd_metric_set(page->metrics, &gpu_memory_use, labels, pod->gpu_mem_util * PERCENT);
    }
}

static void put_kepler_node(const struct page *page, const struct joulie_sim_node_view *node)
{
    put_counter(page, &node_cpu_energy, JD_LABELS(node->name, "package"), node->cpu_energy_j);
}

static void put_old_kepler_node(const struct page *page, const struct joulie_sim_node_view *node)
{
    put_counter(page, &platform_energy, JD_LABELS(node->name),
                node->cpu_energy_j + node->gpu_energy_j);
}

static const struct exporter {
    const char *name;
    void (*put_node)(const struct page *page, const struct joulie_sim_node_view *node);
    void (*put_pod)(const struct page *page, const struct joulie_sim_pod_view *pod);
} exporters[] = {
    { "cadvisor", NULL, put_cadvisor },
    { "dcgm", NULL, put_dcgm },
    { "kepler", put_kepler_node, put_kepler },
    { "kepler-0.9", put_old_kepler_node, put_old_kepler },
};

/* A machine that is off has nobody who could be asked. */
static void put_all(const struct joulie_sim *sim, const struct exporter *exporter,
                    struct page *page)
{
    struct joulie_sim_node_view node = JOULIE_INIT(struct joulie_sim_node_view);
    struct joulie_sim_pod_view pod = JOULIE_INIT(struct joulie_sim_pod_view);
    for (size_t i = 0; joulie_sim_node_at(sim, i, &node, NULL) == 0; i++) {
        if (!jl_same(node.power_state, "on") && !jl_same(node.power_state, "stopping"))
            continue;
        page->node = node.name;
        if (exporter->put_node)
            exporter->put_node(page, &node);
        for (size_t j = 0; joulie_sim_pod_at(sim, i, j, &pod, NULL) == 0; j++)
            exporter->put_pod(page, &pod);
    }
}

bool jd_exporter_handle(const struct joulie_sim *sim, const char *name,
                        const struct jd_exporter_time *time, struct jd_exchange *exchange)
{
    for (size_t i = 0; i < JL_COUNT(exporters); i++) {
        if (!jl_same(name, exporters[i].name))
            continue;
        struct page page = { .metrics = jd_metrics_new(), .speed = time->speed };
        if (page.metrics) {
            jd_metrics_stamp(page.metrics, time->stamp_ms);
            put_all(sim, &exporters[i], &page);
            jd_metrics_reply(page.metrics, exchange);
        } else {
            jd_exchange_text(exchange, 503, "memory ran out\n");
        }
        jd_metrics_free(page.metrics);
        return true;
    }
    return false;
}
