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

#ifdef JL_PHYSICS_PROFILE_TABLES
#define RECORD_TABLES
#endif

/* Watts and caps are per device. */
#define RECORD jl_gpu_profile
#define MEMBERS                                                                                   \
    STRING(vendor, "vendor", "Vendor: nvidia or amd.")                                            \
    STRING(product, "product", "Product name.")                                                   \
    INTEGER(count, "count", "Devices of the node.")                                               \
    NUMBER(idle_w, "idleWattsPerGpu", "Power of an idle device, W.")                              \
    NUMBER(max_w, "maxWattsPerGpu", "Highest power and cap of a device, W.")                      \
    NUMBER(min_cap_w, "minCapWattsPerGpu", "Lowest cap of a device, W.")                          \
    NUMBER(cap_tau_ms, "capApplyTauMs", "Time constant of a cap change, ms.")                     \
    NUMBER(telemetry_ms, "telemetryWindowMs", "Window of the power reading, ms.")                 \
    NUMBER(ambient_c, "ambientTempC", "Temperature at 0 W, degrees Celsius.")                     \
    NUMBER(thermal_tau_ms, "thermalTauMs", "Thermal time constant, ms.")                          \
    NUMBER(watts_per_c, "wattsPerDeltaC", "Watts per degree over ambient.")                       \
    NUMBER(throttle_start_c, "thermalThrottleStartC",                                             \
           "Temperature where throttling starts, degrees Celsius.")                               \
    NUMBER(throttle_full_c, "thermalThrottleFullC",                                               \
           "Temperature of full throttling, degrees Celsius.")                                    \
    NUMBER(compute_gamma, "computeGamma",                                                         \
           "Exponent of the loss of compute-bound work under a cap.")                             \
    NUMBER(memory_epsilon, "memoryEpsilon",                                                       \
           "Largest loss of memory-bound work under a cap, 0..1.")                                \
    NUMBER(memory_gamma, "memoryGamma", "Exponent of the loss of memory-bound work under a cap.") \
    NUMBER(relative_speed, "relativeSpeed", "Speed of a device, an NVIDIA H100 SXM = 1.")         \
    STRING(model, "model", "Catalog key of a GPU.") /* of a GPU by itself */
#include "schema/shared_record.h"

/* The same without "model": of a node, whose hardware names it. */
extern const struct jl_table jl_gpu_of_node_table;

/* has: what was set explicitly; after jl_physics_resolve: what is known. The settings of a node end
 * before "curve", with a curve of its own behind it; the last two are derived. */
#define RECORD jl_physics_profile
#define MEMBERS                                                                          \
    NUMBER(idle_w, "baseIdleW", "CPU power of an idle node, W.")                         \
    NUMBER(max_w, "pMaxW", "CPU power at full load of the generic model, W.")            \
    NUMBER(alpha_util, "alphaUtil", "Exponent of the utilisation.")                      \
    NUMBER(beta_freq, "betaFreq", "Exponent of the frequency.")                          \
    NUMBER(min_mhz, "fMinMHz", "Lowest frequency, MHz.")                                 \
    NUMBER(max_mhz, "fMaxMHz", "Highest frequency, MHz.")                                \
    NUMBER(cap_min_w, "raplCapMinW", "Lowest cap of the node's CPUs, W.")                \
    NUMBER(cap_max_w, "raplCapMaxW", "Highest cap of the node's CPUs, W.")               \
    NUMBER(cap_head_w, "raplHeadW", "What a saturated node may exceed its cap by, W.")   \
    NUMBER(default_cap_w, "defaultCapW", "Cap until one is set, W.")                     \
    NUMBER(dvfs_ramp_ms, "dvfsRampMs", "Time constant of a frequency change, ms.")       \
    NUMBER(cap_tau_ms, "cpuCapApplyTauMs", "Time constant of a cap change, ms.")         \
    NUMBER(telemetry_ms, "cpuTelemetryWindowMs", "Window of the power reading, ms.")     \
    NUMBER(ambient_c, "cpuAmbientTempC", "Temperature at 0 W, degrees Celsius.")         \
    NUMBER(thermal_tau_ms, "cpuThermalTauMs", "Thermal time constant, ms.")              \
    NUMBER(watts_per_c, "cpuWattsPerDeltaC", "Watts per degree over ambient.")           \
    NUMBER(throttle_start_c, "cpuThermalThrottleStartC",                                 \
           "Temperature where throttling starts, degrees Celsius.")                      \
    NUMBER(throttle_full_c, "cpuThermalThrottleFullC",                                   \
           "Temperature of full throttling, degrees Celsius.")                           \
    STRING(driver_family, "cpuDriverFamily", "cpufreq driver.")                          \
    NUMBER(lowest_nonlinear_mhz, "cpuLowestNonlinearFreqMHz",                            \
           "Frequency below which memory-bound work suffers, MHz.")                      \
    INTEGER(sockets, "cpuSockets", "CPU packages.")                                      \
    NUMBER(socket_cap_min_w, "cpuSocketCapMinW", "Lowest cap of a package, W.")          \
    NUMBER(socket_cap_max_w, "cpuSocketCapMaxW", "Highest cap of a package, W.")         \
    NUMBER(relative_speed, "relativeSpeed", "Speed of a core, of an AMD EPYC 9654 = 1.") \
    OBJECT_BY(gpu, "gpu", jl_gpu_profile, jl_gpu_of_node_table, "GPUs of the node.")     \
    STRING(curve, "curve", "Catalog key of a measured curve.")                           \
    NUMBER(min_freq, "minFreq", "Lowest frequency as a share of the highest, 0..1.")     \
    NUMBER(knee, "knee", "Lowest non-linear frequency as a share of the highest, 0..1.") \
    HOLDS(const struct jl_cpu_model *, curve_model) /* NULL = the generic model */       \
    HOLDS(double, curve_w[JL_CURVE_POINTS])         /* of the node's sockets */          \
    HOLDS(double, peak_w) /* CPU power at full load: the curve's end, else max_w */
#include "schema/shared_record.h"

#undef RECORD_TABLES

extern const struct jl_table jl_physics_settings_table;
extern const struct jl_table jl_physics_curve_settings_table;

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
int jl_gpu_resolve(const struct jl_gpu_profile *settings, enum jl_physics_rules rules,
                   struct jl_gpu_profile *out);

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
