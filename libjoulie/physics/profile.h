/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The hardware profile of a simulated node: base values, catalog, explicit settings
 * (docs/rules/physics.md#profile). */

#include <stdbool.h>
#include <stdint.h>

#include <joulie/error.h>

#include "catalog/catalog.h"
#include "schema/row.h"

/* Of a profile that names no frequencies. */
#define JL_KNEE_UNSET 0.7
#define JL_MIN_FREQ_UNSET 0.35

enum jl_physics_rules {
    JL_PHYSICS_CURRENT, /* ours */
    JL_PHYSICS_V0_1_1,  /* the source's formulas exactly */
};

struct jl_gpu_profile {
    uint64_t has;
    const char *vendor;
    const char *product;
    int64_t count;
    double idle_w; /* watts are per device */
    double max_w;
    double min_cap_w;
    double cap_tau_ms;
    double telemetry_ms;
    double ambient_c;
    double thermal_tau_ms;
    double watts_per_c;
    double throttle_start_c;
    double throttle_full_c;
    double compute_gamma;
    double memory_epsilon;
    double memory_gamma;
    const char *model; /* catalog key, where the input names one itself */
};

enum {
    JL_PHYSICS_GPU_VENDOR,
    JL_PHYSICS_GPU_PRODUCT,
    JL_PHYSICS_GPU_COUNT,
    JL_PHYSICS_GPU_IDLE,
    JL_PHYSICS_GPU_MAX,
    JL_PHYSICS_GPU_MIN_CAP,
    JL_PHYSICS_GPU_CAP_TAU,
    JL_PHYSICS_GPU_TELEMETRY,
    JL_PHYSICS_GPU_AMBIENT,
    JL_PHYSICS_GPU_THERMAL_TAU,
    JL_PHYSICS_GPU_WATTS_PER_C,
    JL_PHYSICS_GPU_THROTTLE_START,
    JL_PHYSICS_GPU_THROTTLE_FULL,
    JL_PHYSICS_GPU_COMPUTE_GAMMA,
    JL_PHYSICS_GPU_MEMORY_EPSILON,
    JL_PHYSICS_GPU_MEMORY_GAMMA,
    JL_PHYSICS_GPU_MODEL,
};

struct jl_physics_profile {
    uint64_t has; /* what was set explicitly; after jl_physics_resolve: what is known */
    double idle_w;
    double max_w;
    double alpha_util;
    double beta_freq;
    double min_mhz;
    double max_mhz;
    double cap_min_w;
    double cap_max_w;
    double cap_head_w;
    double default_cap_w;
    double dvfs_ramp_ms;
    double cap_tau_ms;
    double telemetry_ms;
    double ambient_c;
    double thermal_tau_ms;
    double watts_per_c;
    double throttle_start_c;
    double throttle_full_c;
    const char *driver_family;
    double lowest_nonlinear_mhz;
    int64_t sockets;
    double socket_cap_min_w;
    double socket_cap_max_w;
    struct jl_gpu_profile gpu;
    const char *curve; /* catalog key of a measured curve, where the input names one itself */

    /* derived by jl_physics_resolve */
    double min_freq;
    double knee;
    const struct jl_cpu_model *curve_model; /* NULL = the generic model */
    double curve_scale;                     /* on the watts of two sockets */
    double peak_w; /* CPU power at full load: the curve's end, else max_w */
};

enum {
    JL_PHYSICS_IDLE,
    JL_PHYSICS_MAX,
    JL_PHYSICS_ALPHA,
    JL_PHYSICS_BETA,
    JL_PHYSICS_MIN_MHZ,
    JL_PHYSICS_MAX_MHZ,
    JL_PHYSICS_CAP_MIN,
    JL_PHYSICS_CAP_MAX,
    JL_PHYSICS_CAP_HEAD,
    JL_PHYSICS_DEFAULT_CAP,
    JL_PHYSICS_DVFS_RAMP,
    JL_PHYSICS_CAP_TAU,
    JL_PHYSICS_TELEMETRY,
    JL_PHYSICS_AMBIENT,
    JL_PHYSICS_THERMAL_TAU,
    JL_PHYSICS_WATTS_PER_C,
    JL_PHYSICS_THROTTLE_START,
    JL_PHYSICS_THROTTLE_FULL,
    JL_PHYSICS_DRIVER_FAMILY,
    JL_PHYSICS_LOWEST_NONLINEAR,
    JL_PHYSICS_SOCKETS,
    JL_PHYSICS_SOCKET_CAP_MIN,
    JL_PHYSICS_SOCKET_CAP_MAX,
    JL_PHYSICS_GPU,
    JL_PHYSICS_CURVE,
    JL_PHYSICS_MIN_FREQ,
    JL_PHYSICS_KNEE,
};

/* The keys of a profile: as explicit settings, the same with the member "curve", and as resolved
 * with minFreq and knee. */
extern const struct jl_table jl_physics_settings_table;
extern const struct jl_table jl_physics_curve_settings_table;
extern const struct jl_table jl_physics_profile_table;
extern const struct jl_table jl_gpu_profile_table;
/* A GPU by itself: the keys of gpu and the member "model". */
extern const struct jl_table jl_gpu_settings_table;

struct jl_physics_hardware {
    const char *cpu_model; /* raw text, NULL = unknown */
    const char *gpu_model; /* raw text, NULL = unknown */
    int64_t sockets;       /* 0 = unknown */
    int64_t gpu_count;     /* 0 = none */
};

/* settings may be NULL; the texts that are given are kept by pointer. */
void jl_physics_resolve(const struct jl_physics_profile *settings,
                        const struct jl_physics_hardware *hardware, enum jl_physics_rules rules,
                        struct jl_physics_profile *out);

/* One GPU: base values, the catalog's of settings->model (unknown keys give JOULIE_E_ENUM),
 * explicit settings. */
int jl_gpu_resolve(const struct jl_gpu_profile *settings, struct jl_gpu_profile *out);

/* The path of the first member that is wrong ("gpu.memoryEpsilon"), or
 * NULL. */
const char *jl_physics_problem(const struct jl_physics_profile *profile);
const char *jl_gpu_problem(const struct jl_gpu_profile *gpu); /* "memoryEpsilon" */

/* Sets the measured curve of a catalog model; false when it has none under these rules. */
bool jl_physics_use_curve(struct jl_physics_profile *profile, const struct jl_cpu_model *model,
                          enum jl_physics_rules rules);

/* Watts of the node's CPUs at a load of 0..100 % of the curve; only with curve_model. */
double jl_physics_curve_w(const struct jl_physics_profile *profile, double load_pct);
/* The last load of the curve at or below cap_w; negative when even load 0 is above it. */
double jl_physics_curve_load(const struct jl_physics_profile *profile, double cap_w);
