/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Known CPUs and GPUs (docs/rules/catalog.md), embedded as constant tables. */

#include <stdbool.h>
#include <stddef.h>

#define JL_CURVE_POINTS 11 /* load 0, 10, … 100 % */

struct jl_cpu_model {
    const char *key;
    const char *const *aliases; /* NULL-terminated */
    const char *vendor;         /* amd, intel */
    const char *provenance;
    const char *driver_family;
    const char *proxy_family; /* key of proxyFrom.family, which may not exist; NULL = none */
    double base_ghz;
    double boost_ghz;
    double tdp_w;
    double ctdp_min_w; /* 0 = the catalog gives no range */
    double ctdp_max_w;
    double compute_density;
    const double *curve_2s_w; /* JL_CURVE_POINTS watts of two sockets, or NULL */
};

struct jl_gpu_model {
    const char *key;
    const char *const *aliases;
    const char *vendor; /* nvidia, amd */
    const char *provenance;
    double max_board_w;
    double min_board_w;
    double compute_density;
    double idle_w; /* from here on: used by simulations only (docs/rules/physics.md) */
    double compute_gamma;
    double memory_epsilon;
    double memory_gamma;
};

/* Lowest cap of a device: the catalog's, half of the maximum for an entry without one. */
double jl_catalog_gpu_min_w(const struct jl_gpu_model *model);

/* Match by normal form of key or alias; NULL = not known (also for NULL and ""). No allocation. */
const struct jl_cpu_model *jl_catalog_cpu(const char *text);
const struct jl_gpu_model *jl_catalog_gpu(const char *text);

/* Normal form of a raw model text, NUL-terminated and cut to size; returns its full length. */
size_t jl_catalog_normal(const char *text, char *out, size_t size);

/* The model whose curve serves this one: itself, its proxy family, or NULL. */
const struct jl_cpu_model *jl_catalog_curve_model(const struct jl_cpu_model *model);

/*
 * Watts of two sockets at a load of 0..100 % (limited to it), piecewise linear, from the own curve
 * or the proxy family's scaled by tdp/tdp. False when there is neither.
 */
bool jl_catalog_curve_w(const struct jl_cpu_model *model, double load_pct, double *out_w);
