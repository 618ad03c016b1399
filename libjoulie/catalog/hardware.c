/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One flat view of a node's hardware from its NodeHardware, the labels of its Node and the
 * catalog. Called by every subject that needs watts of a node. Implements
 * docs/rules/catalog.md#hardware-of-a-node.
 */

#include "catalog/hardware.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "kubernetes/quantity.h"

#define CPU_FALLBACK_W_PER_CORE 5.0 /* of a CPU that the catalog does not know */

static const char *const cpu_model_labels[] = {
    "joulie.io/hw.cpu-model",
    "feature.node.kubernetes.io/cpu-model.name",
};
static const char *const cpu_socket_labels[] = {
    "joulie.io/hw.cpu-sockets",
    "feature.node.kubernetes.io/cpu-sockets",
};
static const char *const cpu_core_labels[] = { "joulie.io/hw.cpu-cores" };
static const char *const gpu_model_labels[] = { "joulie.io/hw.gpu-model" };
static const char *const gpu_product_labels[] = {
    "joulie.io/gpu.product",
    "nvidia.com/gpu.product",
    "amd.com/gpu.product",
    "amd.com/gpu.family",
};
static const char *const gpu_count_labels[] = { "joulie.io/hw.gpu-count" };
static const char *const gpu_resources[] = { "nvidia.com/gpu", "amd.com/gpu",
                                             "gpu.intel.com/i915" };

static double positive(double value)
{
    return value > 0 ? value : 0;
}

static const char *text_or_null(const char *text)
{
    return jl_is_empty(text) ? NULL : text;
}

const char *jl_first_label(const struct jl_node *node, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = jl_label(&node->meta, keys[i]);
        if (jl_text_trim(jl_text(value)).len > 0)
            return value;
    }
    return NULL;
}

const char *jl_gpu_product(const struct jl_node *node, const struct jl_list *keys)
{
    if (keys == NULL || keys->count == 0)
        return jl_first_label(node, gpu_product_labels, JL_COUNT(gpu_product_labels));
    return jl_first_label(node, keys->items, keys->count);
}

double jl_label_count(const struct jl_node *node, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct jl_text text = jl_text_trim(jl_text(jl_label(&node->meta, keys[i])));
        int64_t value = 0;
        if (jl_parse_i64(text.ptr, text.len, &value) == 0 && value > 0)
            return (double)value;
    }
    return 0;
}

double jl_whole_quantity(const char *text)
{
    struct jl_quantity quantity;
    int64_t value = 0;
    if (text == NULL || jl_parse_quantity(text, strlen(text), &quantity) != 0 ||
        quantity.nano < 0 || jl_quantity_to_i64(&quantity, &value) != 0)
        return 0;
    return (double)value;
}

static bool is_gpu_resource(const char *key)
{
    const struct jl_text text = jl_text(key);
    for (size_t i = 0; i < JL_COUNT(gpu_resources); i++) {
        if (jl_same_nocase(text, gpu_resources[i]))
            return true;
    }
    if (text.len < 4)
        return false;
    const struct jl_text tail = { text.ptr + text.len - 4, 4 };
    return jl_same_nocase(tail, "/gpu");
}

bool jl_gpu_cap_range(const struct jl_hardware *hardware, double *out_min_w, double *out_max_w)
{
    const struct jl_gpu_model *model = hardware->gpu_model;
    if (hardware->gpu_max_source == JL_FACT_HARDWARE) {
        *out_min_w = hardware->gpu_min_w;
        *out_max_w = hardware->gpu_max_w;
        return true;
    }
    if (model == NULL)
        return false;
    *out_min_w = jl_catalog_gpu_min_w(model);
    *out_max_w = model->max_board_w;
    return true;
}

double jl_node_allocatable_gpus(const struct jl_node *node)
{
    const struct jl_map *allocatable = &node->status.allocatable;
    double count = 0;
    for (size_t i = 0; i < allocatable->count; i++) {
        if (is_gpu_resource(allocatable->items[i].key))
            count += jl_whole_quantity(allocatable->items[i].value);
    }
    return count;
}

/* The model text wins, the raw text speaks when it is empty; in `current` also when the
 * catalog does not know the model. The source's planner knows the raw text alone. */
static bool asks_model(enum jl_hardware_rules rules)
{
    return rules == JL_HARDWARE_CURRENT || rules == JL_HARDWARE_V0_1_1;
}

static bool asks_raw_model(const char *model, enum jl_hardware_rules rules)
{
    return rules == JL_HARDWARE_CURRENT || rules == JL_HARDWARE_PLAN_V0_1_1 ||
           (rules == JL_HARDWARE_V0_1_1 && jl_is_empty(model));
}

static const struct jl_cpu_model *cpu_model_of(const struct jl_hw_cpu *cpu,
                                               enum jl_hardware_rules rules)
{
    const struct jl_cpu_model *hit = asks_model(rules) ? jl_catalog_cpu(cpu->model) : NULL;
    return hit == NULL && asks_raw_model(cpu->model, rules) ? jl_catalog_cpu(cpu->raw_model) : hit;
}

static const struct jl_gpu_model *gpu_model_of(const struct jl_hw_gpu *gpu,
                                               enum jl_hardware_rules rules)
{
    const struct jl_gpu_model *hit = asks_model(rules) ? jl_catalog_gpu(gpu->model) : NULL;
    return hit == NULL && asks_raw_model(gpu->model, rules) ? jl_catalog_gpu(gpu->raw_model) : hit;
}

static void read_cpu(const struct jl_hw_cpu *cpu, enum jl_hardware_rules rules,
                     struct jl_hardware *out)
{
    out->cpu_name = text_or_null(jl_is_empty(cpu->model) ? cpu->raw_model : cpu->model);
    out->sockets = positive((double)cpu->sockets);
    out->total_cores = positive((double)cpu->total_cores);
    out->cpu_min_w = positive(cpu->cap_range.min_w);
    out->cpu_max_w = positive(cpu->cap_range.max_w);
    out->cpu_model = cpu_model_of(cpu, rules);
}

static void read_gpu(const struct jl_hw_gpu *gpu, enum jl_hardware_rules rules,
                     struct jl_hardware *out)
{
    out->gpu_name = text_or_null(jl_is_empty(gpu->model) ? gpu->raw_model : gpu->model);
    out->gpu_vendor = text_or_null(gpu->vendor);
    out->gpu_count = positive((double)gpu->count);
    out->gpu_min_w = positive(gpu->cap_range.min_w);
    out->gpu_max_w = positive(gpu->cap_range.max_w);
    out->is_gpu_slicing_supported = gpu->slicing.supported;
    out->gpu_present = gpu->present;
    if (rules == JL_HARDWARE_CURRENT && !gpu->given.present)
        out->gpu_present = out->gpu_count > 0;
    out->gpu_model = gpu_model_of(gpu, rules);
}

/* Without a NodeHardware: what the labels and resources of the Node say. */
static void read_labels(const struct jl_node *node, const struct jl_list *product_keys,
                        enum jl_hardware_rules rules, struct jl_hardware *out)
{
    const char *cores = jl_map_get(&node->status.capacity, "cpu");
    out->cpu_name = jl_first_label(node, cpu_model_labels, JL_COUNT(cpu_model_labels));
    out->sockets = jl_label_count(node, cpu_socket_labels, JL_COUNT(cpu_socket_labels));
    out->total_cores = cores != NULL
                           ? jl_whole_quantity(cores)
                           : jl_label_count(node, cpu_core_labels, JL_COUNT(cpu_core_labels));
    out->gpu_name = jl_first_label(node, gpu_model_labels, JL_COUNT(gpu_model_labels));
    if (out->gpu_name == NULL)
        out->gpu_name = jl_gpu_product(node, product_keys);
    out->gpu_count = jl_label_count(node, gpu_count_labels, JL_COUNT(gpu_count_labels));
    if (!(out->gpu_count > 0))
        out->gpu_count = jl_node_allocatable_gpus(node);
    out->gpu_present = out->gpu_count > 0;
    out->is_known = out->cpu_name != NULL || out->gpu_name != NULL || out->gpu_present;
    if (rules == JL_HARDWARE_V0_1_0)
        return;
    out->cpu_model = jl_catalog_cpu(out->cpu_name);
    out->gpu_model = jl_catalog_gpu(out->gpu_name);
}

static void fill_gpu(enum jl_hardware_rules rules, struct jl_hardware *out)
{
    if (out->gpu_max_w > 0) {
        out->gpu_max_source = JL_FACT_HARDWARE;
    } else if (out->gpu_model != NULL && out->gpu_count > 0) {
        out->gpu_max_w = out->gpu_model->max_board_w;
        if (out->gpu_model->min_board_w > 0)
            out->gpu_min_w = out->gpu_model->min_board_w;
        out->gpu_max_source = JL_FACT_CATALOG;
        if (rules != JL_HARDWARE_CURRENT) /* there gpu.present decides when it is written */
            out->gpu_present = true;
    }
    if (out->gpu_vendor == NULL && out->gpu_model != NULL)
        out->gpu_vendor = out->gpu_model->vendor;
}

static void fill_cpu(enum jl_hardware_rules rules, struct jl_hardware *out)
{
    if (out->cpu_max_w > 0) {
        out->cpu_max_source = JL_FACT_HARDWARE;
    } else if (out->cpu_model != NULL) {
        out->cpu_max_w = out->cpu_model->tdp_w;
        if (out->cpu_model->ctdp_min_w > 0)
            out->cpu_min_w = out->cpu_model->ctdp_min_w;
        out->cpu_max_source = JL_FACT_CATALOG;
    } else if (out->total_cores > 0 && rules != JL_HARDWARE_V0_1_0) {
        if (!(out->sockets > 0))
            out->sockets = 1;
        out->cpu_max_w = CPU_FALLBACK_W_PER_CORE * floor(out->total_cores / out->sockets);
        out->cpu_max_source = out->cpu_max_w > 0 ? JL_FACT_CORES : JL_FACT_UNKNOWN;
    }
    const bool is_cpu_known = out->cpu_max_w > 0 || out->cpu_name != NULL || out->total_cores > 0;
    if (rules == JL_HARDWARE_CURRENT && is_cpu_known && !(out->sockets > 0))
        out->sockets = 1;
}

void jl_hardware_resolve_by(const struct jl_hardware_status *hardware, const struct jl_node *node,
                            const struct jl_list *product_keys, enum jl_hardware_rules rules,
                            struct jl_hardware *out)
{
    memset(out, 0, sizeof *out);
    if (hardware != NULL) {
        out->is_known = true;
        read_cpu(&hardware->cpu, rules, out);
        read_gpu(&hardware->gpu, rules, out);
    } else if (node != NULL) {
        read_labels(node, product_keys, rules, out);
    }
    if (rules != JL_HARDWARE_CURRENT) {
        out->cpu_model = jl_catalog_cpu_of_source(out->cpu_model);
        out->gpu_model = jl_catalog_gpu_of_source(out->gpu_model);
    }
    fill_gpu(rules, out);
    fill_cpu(rules, out);
}

void jl_hardware_resolve(const struct jl_hardware_status *hardware, const struct jl_node *node,
                         enum jl_hardware_rules rules, struct jl_hardware *out)
{
    jl_hardware_resolve_by(hardware, node, NULL, rules, out);
}
