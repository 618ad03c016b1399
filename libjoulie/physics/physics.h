/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Simulated hardware: speed and power of a CPU node and of a GPU under a cap, lags, temperature,
 * and how fast a job goes (docs/rules/physics.md). Pure; powers in W, times in s,
 * intensities, utilisations and frequencies 0..1.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/words.h>

#include "base/words.h"
#include "physics/profile.h"

enum jl_cpu_class { JL_CPU_UNKNOWN, JL_CPU_COMPUTE, JL_CPU_MEMORY, JL_CPU_IO, JL_CPU_MIXED };

enum jl_gpu_class { JL_GPU_UNKNOWN, JL_GPU_COMPUTE, JL_GPU_MEMORY, JL_GPU_BANDWIDTH, JL_GPU_MIXED };

extern const struct jl_words jl_cpu_class_words; /* cpu.compute_bound … */
extern const struct jl_words jl_gpu_class_words; /* gpu.compute_bound … */

/* CPU speed. */

struct jl_cpu_weights { /* what the speed depends on, sum 1 */
    double compute;
    double memory;
    double io;
};

struct jl_cpu_mix { /* what runs on a CPU */
    enum jl_cpu_class class_;
    double memory;
    double io;
};

double jl_cpu_activity(double memory, double io);
void jl_cpu_weights(const struct jl_cpu_mix *mix, struct jl_cpu_weights *out);
/* Throughput multiplier M(f). */
double jl_cpu_speed(const struct jl_cpu_weights *weights, double freq, double knee, double thermal);
/* The largest f in [min_freq, 1] with M(f) <= multiplier; min_freq when there is none. */
double jl_cpu_freq_at_speed(const struct jl_cpu_weights *weights, double multiplier,
                            double min_freq, double knee, double thermal);

/* CPU power. */

struct jl_cpu_load {
    double util;
    double activity;               /* without a curve: jl_cpu_activity() */
    struct jl_cpu_weights weights; /* with a curve: what its speed depends on */
    double base;                   /* with a curve: how much of the work follows that speed */
    double thermal;                /* throttle fraction */
    double freq;                   /* before the cap */
    double cap_w;                  /* applied cap of the node */
    double target_throttle_pct;    /* v0.1.1's managed-idle rule */
};

/* How much work of this kind depends on the CPU's speed, 0..1. */
double jl_cpu_base(double util, double memory, double io);
/* The load of one mix, at full frequency and without a cap. */
void jl_cpu_load_of(const struct jl_cpu_mix *mix, double util, struct jl_cpu_load *out);

struct jl_cpu_state {
    double power_w;
    double freq; /* under the cap */
    bool is_saturated;
};

void jl_cpu_power(const struct jl_physics_profile *profile, const struct jl_cpu_load *load,
                  enum jl_physics_rules rules, struct jl_cpu_state *out);

/* GPU, per device. */

struct jl_gpu_weights { /* sum 1 */
    double compute;
    double memory;
};

struct jl_gpu_mix {
    enum jl_gpu_class class_;
    double memory;
    double feed; /* how much the CPU has to feed it */
};

/* Of a WorkloadProfile, which has a word for what the GPU waits for and no intensity; a word that
 * says nothing of it reads as compute. */
struct jl_gpu_mix jl_gpu_mix_of_bound(enum joulie_bound bound);
void jl_gpu_weights(const struct jl_gpu_mix *mix, struct jl_gpu_weights *out);
double jl_gpu_natural_w(const struct jl_gpu_profile *gpu, const struct jl_gpu_weights *weights,
                        double util);
/* A cap in the device's range; cap_w <= 0 = none, the maximum. */
double jl_gpu_cap_w(const struct jl_gpu_profile *gpu, double cap_w);
double jl_gpu_power_w(const struct jl_gpu_profile *gpu, double natural_w, double cap_w);
double jl_gpu_throughput(const struct jl_gpu_profile *gpu, const struct jl_gpu_weights *weights,
                         double natural_w, double cap_w, double thermal,
                         enum jl_physics_rules rules);

/* v0.1.1: a node's average utilisation, concentrated on its first devices. */
struct jl_gpu_spread {
    size_t active;
    double util; /* of each active device; the others are idle */
};

void jl_gpu_spread(double util, size_t count, struct jl_gpu_spread *out);

/* Settling and temperature. */

/* One step of v0.1.1: linear in dt/tau. */
double jl_lag_step(double value, double target, double tau_s, double dt_s);
/* The step of current: closed form, exact for a constant target, whatever the step. */
double jl_lag_settle(double value, double target, double tau_s, double dt_s);
double jl_thermal_target_c(double ambient_c, double power_w, double watts_per_c);
double jl_thermal_throttle(double temp_c, double start_c, double full_c);

/* Jobs. */

#ifdef JL_PHYSICS_TABLES
#define RECORD_TABLES
#endif

/* What a job does to the node it runs on */
#define RECORD jl_work
#define MEMBERS                                                                                    \
    ENUM(cpu_class, "cpuClass", jl_cpu_class, jl_cpu_class_words, "CPU class; default cpu.mixed.") \
    ENUM(gpu_class, "gpuClass", jl_gpu_class, jl_gpu_class_words, "GPU class; default gpu.mixed.") \
    NUMBER(cpu_util, "cpuUtilization", "Utilisation of its cores, 0..1; default by class.",        \
           BETWEEN(0, 1))                                                                          \
    NUMBER(gpu_util, "gpuUtilization", "Utilisation of its GPUs, 0..1; default by class.",         \
           BETWEEN(0, 1))                                                                          \
    NUMBER(memory, "memoryIntensity", "Memory intensity, 0..1; default by class.", BETWEEN(0, 1))  \
    NUMBER(io, "ioIntensity", "I/O intensity, 0..1; default by class.", BETWEEN(0, 1))             \
    NUMBER(feed, "cpuFeedIntensityGpu",                                                            \
           "How much the CPU has to feed the GPU, 0..1; default 0.45 with a GPU.", BETWEEN(0, 1))  \
    NUMBER(sensitivity_cpu, "sensitivityCpu", "Sensitivity to CPU caps, 0..1; default 1.",         \
           BETWEEN(0, 1))                                                                          \
    NUMBER(sensitivity_gpu, "sensitivityGpu", "Sensitivity to GPU caps, 0..1; default 1.",         \
           BETWEEN(0, 1))
#include "schema/shared_record.h"

#undef RECORD_TABLES

/* Fills what has no bit (docs/rules/physics.md#jobs). */
void jl_work_fill(struct jl_work *work, bool has_gpu);

struct jl_work_traits { /* what follows from a job alone, wherever it runs */
    struct jl_cpu_weights cpu;
    double base;
    struct jl_gpu_weights gpu;
};

void jl_work_traits(const struct jl_work *work, struct jl_work_traits *out);

struct jl_cpu_progress {
    double multiplier;
    double factor; /* without shares, counts and relative speeds, as that of a GPU */
};

struct jl_gpu_progress {
    double multiplier;
    double feed_factor;
    double cap_impact; /* 1 in current */
    double factor;     /* the product */
};

void jl_cpu_progress(const struct jl_work *work, const struct jl_work_traits *traits, double freq,
                     double knee, double thermal, struct jl_cpu_progress *out);

struct jl_gpu_now { /* a GPU with a job on it */
    double natural_w;
    double cap_w;
    double thermal; /* its own throttling in current, the CPU's in v0.1.1 */
};

/* cpu_multiplier is M of the same job on the node. */
void jl_gpu_progress(const struct jl_work *work, const struct jl_work_traits *traits,
                     const struct jl_gpu_profile *gpu, const struct jl_gpu_now *now,
                     double cpu_multiplier, enum jl_physics_rules rules,
                     struct jl_gpu_progress *out);
