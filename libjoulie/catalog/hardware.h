/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One flat view of a node's hardware for every subject: NodeHardware first, then Node labels, then
 * the catalog (docs/rules/catalog.md#hardware-of-a-node). Twin, planner, placement and caps read
 * this and nothing else.
 */

#include <stdbool.h>
#include <stdint.h>

#include "catalog/catalog.h"
#include "kinds/node.h"
#include "kinds/node_hardware.h"

enum jl_fact_source { JL_FACT_UNKNOWN, JL_FACT_HARDWARE, JL_FACT_CATALOG, JL_FACT_CORES };

struct jl_hardware {
    bool is_known; /* there was a NodeHardware, or labels that name a model or GPUs */

    /* CPU; 0 = unknown */
    const struct jl_cpu_model *cpu_model;
    const char *cpu_name; /* model, else raw model, else NULL */
    double sockets;
    double total_cores; /* logical CPUs */
    double cpu_min_w;   /* per socket */
    double cpu_max_w;   /* per socket */
    enum jl_fact_source cpu_max_source;

    /* GPU; 0 = unknown */
    const struct jl_gpu_model *gpu_model;
    const char *gpu_name;
    const char *gpu_vendor;
    bool gpu_present;
    bool is_gpu_slicing_supported;
    double gpu_count;
    double gpu_min_w; /* per device */
    double gpu_max_w; /* per device */
    enum jl_fact_source gpu_max_source;
};

enum jl_hardware_rules {
    JL_HARDWARE_CURRENT,
    JL_HARDWARE_V0_1_1,      /* unknown sockets stay 0, gpu.present as written */
    JL_HARDWARE_PLAN_V0_1_1, /* V0_1_1, but only the raw texts ask the catalog */
    JL_HARDWARE_V0_1_0,      /* no catalog enrichment */
};

/* hardware and node may be NULL. Never fails: what is not known stays 0. */
void jl_hardware_resolve(const struct jl_hardware_status *hardware, const struct jl_node *node,
                         enum jl_hardware_rules rules, struct jl_hardware *out);

/* jl_hardware_resolve() with the setting GPU_PRODUCT_LABEL_KEYS, see jl_gpu_product(). */
void jl_hardware_resolve_by(const struct jl_hardware_status *hardware, const struct jl_node *node,
                            const struct jl_list *product_keys, enum jl_hardware_rules rules,
                            struct jl_hardware *out);

/* The range of caps of one GPU, from NodeHardware, else from the catalog; false = not known. */
bool jl_gpu_cap_range(const struct jl_hardware *hardware, double *out_min_w, double *out_max_w);

/* The GPU product that a Node's labels name, or NULL. keys are strings, the first that is not empty
 * wins; NULL or none = the four usual keys. */
const char *jl_gpu_product(const struct jl_node *node, const struct jl_list *keys);

/* Sum of allocatable GPUs of a Node. */
double jl_node_allocatable_gpus(const struct jl_node *node);

/* The first of these labels that is not blank, or NULL. */
const char *jl_first_label(const struct jl_node *node, const char *const *keys, size_t count);

/* The first of these labels that is a whole number above 0, else 0. */
double jl_label_count(const struct jl_node *node, const char *const *keys, size_t count);

/* A quantity rounded up to whole units; absent, negative or unreadable = 0. */
double jl_whole_quantity(const char *text);
