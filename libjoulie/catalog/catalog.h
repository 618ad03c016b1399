/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Known CPUs and GPUs (docs/rules/catalog.md), embedded as constant tables. */

#include <stdbool.h>
#include <stddef.h>

#include "base/words.h"

#define JL_CURVE_POINTS 11
#define JL_CURVE_STEP_PCT (100.0 / (JL_CURVE_POINTS - 1))

/* How far a figure can be trusted (docs/rules/catalog.md#origin-of-the-figures). */
enum jl_mark {
    JL_MARK_UNKNOWN,
    JL_MARK_VERIFIED, /* read in its source */
    JL_MARK_KNOWN,    /* common knowledge */
    JL_MARK_DERIVED,  /* worked out of verified figures */
    JL_MARK_ASSUMED,
};

extern const struct jl_words jl_mark_words;

/* The figures whose origin is not simply what the maker says. */
enum jl_figure {
    JL_FIGURE_CURVE = 1,
    JL_FIGURE_SPEED,
    JL_FIGURE_IDLE,
    JL_FIGURE_MIN_CAP,
    JL_FIGURE_CAP_LAW, /* the exponents of a GPU under a cap */
    JL_FIGURE_COUNT,
};

extern const struct jl_words jl_figure_words;

struct jl_origin {
    enum jl_mark mark; /* JL_MARK_UNKNOWN: there is no such figure */
    const char *source;
};

struct jl_power_curve {
    const char *family;
    double tdp_w;                          /* per socket */
    double two_sockets_w[JL_CURVE_POINTS]; /* at load 0, 10, … 100 % */
};

struct jl_cpu_model {
    const char *key;
    const char *const *aliases; /* NULL-terminated */
    const char *vendor;         /* amd, intel */
    const char *provenance;
    const char *driver_family;
    const char *proxy_family; /* of whom the curve is; NULL = its own */
    double base_ghz;
    double boost_ghz;
    double tdp_w;
    double ctdp_min_w; /* 0 = the catalog gives no range */
    double ctdp_max_w;
    double compute_density;
    double relative_speed;              /* of a core at full load, AMD_EPYC_9654 = 1; 0 = unknown */
    const struct jl_power_curve *curve; /* its own, or by TDP that of proxy_family; NULL = none */
    struct jl_origin origins[JL_FIGURE_COUNT];
    const struct jl_cpu_model *of_source; /* the source's entry, where it is another; NULL = this */
};

struct jl_gpu_model {
    const char *key;
    const char *const *aliases;
    const char *vendor; /* nvidia, amd */
    const char *provenance;
    double max_board_w;
    double min_board_w;
    double compute_density;
    double relative_speed; /* of a device, NVIDIA_H100_SXM = 1; 0 = unknown */
    double idle_w;
    double compute_gamma; /* from here on: used by simulations only (docs/rules/physics.md) */
    double memory_epsilon;
    double memory_gamma;
    struct jl_origin origins[JL_FIGURE_COUNT];
    const struct jl_gpu_model *of_source;
};

/* Lowest cap of a device: the catalog's, half of the maximum for an entry without one. */
double jl_catalog_gpu_min_w(const struct jl_gpu_model *model);

/* Match by normal form of key or alias; NULL = not known (also for NULL and ""). No allocation. */
const struct jl_cpu_model *jl_catalog_cpu(const char *text);
const struct jl_gpu_model *jl_catalog_gpu(const char *text);

/* The same model as the source's catalog has it, for version words; NULL for NULL. */
const struct jl_cpu_model *jl_catalog_cpu_of_source(const struct jl_cpu_model *model);
const struct jl_gpu_model *jl_catalog_gpu_of_source(const struct jl_gpu_model *model);

/* Normal form of a raw model text, NUL-terminated and cut to size; returns its full length. */
size_t jl_catalog_normal(const char *text, char *out, size_t size);

/* Watts at a load of 0..100 % (limited to it) between the JL_CURVE_POINTS points of a curve. */
double jl_curve_w(const double *points_w, double load_pct);

/* The points of a model, W of two sockets: its own, or the proxy family's scaled by tdp/tdp. False
 * when there is neither. */
bool jl_catalog_curve(const struct jl_cpu_model *model, double *out_points_w);
/* The same at a load of 0..100 %. */
bool jl_catalog_curve_w(const struct jl_cpu_model *model, double load_pct, double *out_w);
