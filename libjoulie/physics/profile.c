/* SPDX-License-Identifier: Apache-2.0 */

/* The hardware profile of a simulated node: base values, catalog, settings
 * (docs/rules/physics.md#profile). Called by the simulator, slowdown.c and questions. */

#define JL_PHYSICS_PROFILE_TABLES
#include "physics/profile.h"

#include "base/number.h"
#include "base/text.h"

/* The temperature that full power reaches in current stays below the throttle start. */
#define CPU_RISE_AT_PEAK_C 52.5
#define GPU_RISE_AT_PEAK_C 25
#define SOCKETS_OF_CURVE 2
/* The one family that applies its cap slower */
#define SLOW_CAP_GPU "AMD_INSTINCT_MI300X"
#define SLOW_CAP_TAU_MS 350

static const struct jl_physics_profile base_profile = {
    .idle_w = 80,
    .max_w = 420,
    .alpha_util = 1.15,
    .beta_freq = 1.35,
    .min_mhz = 1200,
    .max_mhz = 3200,
    .cap_min_w = 80,
    .cap_max_w = 5000,
    .cap_head_w = 5,
    .default_cap_w = 5000,
    .dvfs_ramp_ms = 500,
    .cap_tau_ms = 250,
    .telemetry_ms = 250,
    .ambient_c = 24,
    .thermal_tau_ms = 4000,
    .watts_per_c = 8,
    .throttle_start_c = 85,
    .throttle_full_c = 97,
    .driver_family = "amd-pstate",
    .lowest_nonlinear_mhz = 1800,
    .sockets = 2,
    .socket_cap_min_w = 120,
    .socket_cap_max_w = 400,
    .relative_speed = 1,
    .gpu = {
        .vendor = "",
        .product = "",
        .count = 0,
        .idle_w = 30,
        .max_w = 300,
        .min_cap_w = 80,
        .cap_tau_ms = 150,
        .telemetry_ms = 1000,
        .ambient_c = 24,
        .thermal_tau_ms = 2500,
        .watts_per_c = 12,
        .throttle_start_c = 82,
        .throttle_full_c = 92,
        .compute_gamma = 1,
        .memory_epsilon = 0.2,
        .memory_gamma = 1.2,
        .relative_speed = 1,
    },
};

/* The first rows of a record as a table of its own. */
#define FIRST_ROWS(record, end)                                                 \
    {                                                                           \
        .name = #record, .rows = record##_rows, .count = JL_INDEX(record, end), \
        .size = sizeof(struct record)                                           \
    }

const struct jl_table jl_gpu_of_node_table = FIRST_ROWS(jl_gpu_profile, model);
const struct jl_table jl_physics_settings_table = FIRST_ROWS(jl_physics_profile, curve);
const struct jl_table jl_physics_curve_settings_table = FIRST_ROWS(jl_physics_profile, min_freq);

/* Copies the members of a table whose bit is set. Only rows of plain values reach here. */
static void overlay(const struct jl_table *table, const void *from, void *to)
{
    const uint64_t has = *(const uint64_t *)from;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        if (!((has >> i) & 1))
            continue;
        const char *source = (const char *)from + row->offset;
        char *target = (char *)to + row->offset;
        if (row->type == JL_TYPE_NUMBER)
            *(double *)(void *)target = *(const double *)(const void *)source;
        else if (row->type == JL_TYPE_INTEGER)
            *(int64_t *)(void *)target = *(const int64_t *)(const void *)source;
        else if (row->type == JL_TYPE_STRING)
            *(const char **)(void *)target = *(const char *const *)(const void *)source;
        else if (row->type == JL_TYPE_OBJECT)
            overlay(row->child, source, target);
    }
}

bool jl_physics_use_curve(struct jl_physics_profile *profile, const struct jl_cpu_model *model,
                          enum jl_physics_rules rules)
{
    if (rules == JL_PHYSICS_V0_1_1)
        model = jl_catalog_cpu_of_source(model);
    if (rules == JL_PHYSICS_V0_1_1 && model && model->proxy_family)
        return false; /* the source evaluates no proxy */
    if (!jl_catalog_curve(model, profile->curve_w))
        return false;
    const double scale = rules == JL_PHYSICS_CURRENT && profile->sockets > 0
                             ? (double)profile->sockets / SOCKETS_OF_CURVE
                             : 1;
    for (size_t i = 0; i < JL_CURVE_POINTS; i++)
        profile->curve_w[i] *= scale;
    profile->curve_model = model;
    profile->peak_w = profile->curve_w[JL_CURVE_POINTS - 1];
    return true;
}

double jl_physics_curve_w(const struct jl_physics_profile *profile, double load_pct)
{
    return jl_curve_w(profile->curve_w, load_pct);
}

double jl_physics_curve_load(const struct jl_physics_profile *profile, double cap_w)
{
    const double *points_w = profile->curve_w;
    if (cap_w >= points_w[JL_CURVE_POINTS - 1])
        return 100;
    for (int i = JL_CURVE_POINTS - 2; i >= 0; i--) {
        if (points_w[i] <= cap_w)
            return JL_CURVE_STEP_PCT *
                   (i + (cap_w - points_w[i]) / (points_w[i + 1] - points_w[i]));
    }
    return -1;
}

static void gpu_physics_of(const struct jl_gpu_model *model, enum jl_physics_rules rules,
                           struct jl_gpu_profile *gpu)
{
    gpu->vendor = model->vendor;
    gpu->idle_w = model->idle_w;
    gpu->max_w = model->max_board_w;
    gpu->min_cap_w = jl_catalog_gpu_min_w(model);
    gpu->compute_gamma = model->compute_gamma;
    gpu->memory_epsilon = model->memory_epsilon;
    gpu->memory_gamma = model->memory_gamma;
    if (rules == JL_PHYSICS_CURRENT)
        gpu->relative_speed = model->relative_speed;
    if (jl_same(model->key, SLOW_CAP_GPU))
        gpu->cap_tau_ms = SLOW_CAP_TAU_MS;
}

int jl_gpu_resolve(const struct jl_gpu_profile *settings, enum jl_physics_rules rules,
                   struct jl_gpu_profile *out)
{
    const struct jl_gpu_model *model = jl_catalog_gpu(settings->model);
    if (rules == JL_PHYSICS_V0_1_1)
        model = jl_catalog_gpu_of_source(model);
    if (settings->model && !model)
        return JOULIE_E_ENUM;
    *out = base_profile.gpu;
    out->count = 1;
    if (model)
        gpu_physics_of(model, rules, out);
    overlay(&jl_gpu_of_node_table, settings, out);
    if (!settings->given.min_cap_w) /* no minimum above it was asked for */
        out->min_cap_w = jl_min(out->min_cap_w, out->max_w);
    return 0;
}

static void apply_gpu_catalog(const struct jl_physics_hardware *hardware,
                              enum jl_physics_rules rules, struct jl_gpu_profile *gpu)
{
    const struct jl_gpu_model *model = jl_catalog_gpu(hardware->gpu_model);
    if (hardware->gpu_model)
        gpu->product = hardware->gpu_model;
    if (hardware->gpu_count > 0)
        gpu->count = hardware->gpu_count;
    if (model && rules == JL_PHYSICS_CURRENT)
        gpu_physics_of(model, rules, gpu);
    else if (model) /* the base has limits already, so the source never applies the catalog's */
        gpu->vendor = model->vendor;
}

static void derive(const struct jl_physics_profile *settings, enum jl_physics_rules rules,
                   struct jl_physics_profile *profile)
{
    const bool is_known = profile->min_mhz > 0 && profile->max_mhz > 0;
    profile->min_freq = is_known ? jl_unit(profile->min_mhz / profile->max_mhz) : JL_MIN_FREQ_UNSET;
    profile->knee = profile->lowest_nonlinear_mhz > 0 && profile->max_mhz > 0
                        ? jl_unit(profile->lowest_nonlinear_mhz / profile->max_mhz)
                        : JL_KNEE_UNSET;
    if (rules == JL_PHYSICS_V0_1_1)
        return;
    if (!settings || !settings->given.watts_per_c)
        profile->watts_per_c = profile->peak_w / CPU_RISE_AT_PEAK_C;
    if (!settings || !settings->gpu.given.watts_per_c)
        profile->gpu.watts_per_c = profile->gpu.max_w / GPU_RISE_AT_PEAK_C;
}

void jl_physics_resolve(const struct jl_physics_profile *settings,
                        const struct jl_physics_hardware *hardware, enum jl_physics_rules rules,
                        struct jl_physics_profile *out)
{
    *out = base_profile;
    const struct jl_cpu_model *cpu = jl_catalog_cpu(hardware->cpu_model);
    if (cpu && cpu->driver_family)
        out->driver_family = cpu->driver_family;
    if (cpu && rules == JL_PHYSICS_CURRENT)
        out->relative_speed = cpu->relative_speed;
    if (hardware->sockets > 0)
        out->sockets = hardware->sockets;
    apply_gpu_catalog(hardware, rules, &out->gpu);
    if (settings)
        overlay(&jl_physics_settings_table, settings, out);

    out->peak_w = out->max_w;
    if (cpu)
        (void)jl_physics_use_curve(out, cpu, rules);
    derive(settings, rules, out);
    out->gpu.has = (UINT64_C(1) << jl_gpu_of_node_table.count) - 1;
    out->has = (UINT64_C(1) << jl_physics_profile_table.count) - 1;
    out->given.curve = false;
}

struct check {
    bool is_wrong;
    const char *path;
};

static const char *first_wrong(const struct check *checks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (checks[i].is_wrong)
            return checks[i].path;
    }
    return NULL;
}

#define GPU "gpu." /* cut off again when a GPU stands by itself */

static const char *gpu_problem(const struct jl_gpu_profile *gpu)
{
    const struct check times[] = {
        { gpu->count < 0, GPU "count" },
        { gpu->cap_tau_ms < 0, GPU "capApplyTauMs" },
        { gpu->telemetry_ms < 0, GPU "telemetryWindowMs" },
        { gpu->thermal_tau_ms < 0, GPU "thermalTauMs" },
        { gpu->watts_per_c <= 0, GPU "wattsPerDeltaC" },
        { gpu->throttle_full_c < gpu->throttle_start_c, GPU "thermalThrottleFullC" },
    };
    const char *path = first_wrong(times, JL_COUNT(times));
    if (path || gpu->count <= 0)
        return path;

    const struct check watts[] = {
        { gpu->max_w <= 0, GPU "maxWattsPerGpu" },
        { gpu->min_cap_w <= 0 || gpu->min_cap_w > gpu->max_w, GPU "minCapWattsPerGpu" },
        { gpu->idle_w < 0, GPU "idleWattsPerGpu" },
        { gpu->compute_gamma <= 0, GPU "computeGamma" },
        { gpu->memory_epsilon < 0 || gpu->memory_epsilon > 1, GPU "memoryEpsilon" },
        { gpu->memory_gamma <= 0, GPU "memoryGamma" },
        { gpu->relative_speed <= 0, GPU "relativeSpeed" },
    };
    return first_wrong(watts, JL_COUNT(watts));
}

const char *jl_gpu_problem(const struct jl_gpu_profile *gpu)
{
    const char *path = gpu_problem(gpu);
    return path ? path + sizeof GPU - 1 : NULL;
}

const char *jl_physics_problem(const struct jl_physics_profile *profile)
{
    const struct check checks[] = {
        { profile->idle_w < 0, "baseIdleW" },
        { profile->max_w <= 0 || profile->max_w < profile->idle_w, "pMaxW" },
        { profile->alpha_util <= 0, "alphaUtil" },
        { profile->beta_freq <= 0, "betaFreq" },
        { profile->min_mhz <= 0, "fMinMHz" },
        { profile->max_mhz <= 0 || profile->max_mhz < profile->min_mhz, "fMaxMHz" },
        { profile->cap_min_w <= 0, "raplCapMinW" },
        { profile->cap_max_w <= 0 || profile->cap_max_w < profile->cap_min_w, "raplCapMaxW" },
        { profile->default_cap_w <= 0, "defaultCapW" },
        { profile->dvfs_ramp_ms < 0, "dvfsRampMs" },
        { profile->cap_tau_ms < 0, "cpuCapApplyTauMs" },
        { profile->telemetry_ms < 0, "cpuTelemetryWindowMs" },
        { profile->thermal_tau_ms < 0, "cpuThermalTauMs" },
        { profile->watts_per_c <= 0, "cpuWattsPerDeltaC" },
        { profile->throttle_full_c < profile->throttle_start_c, "cpuThermalThrottleFullC" },
        { profile->sockets < 0, "cpuSockets" },
        { profile->socket_cap_max_w < profile->socket_cap_min_w, "cpuSocketCapMaxW" },
        { profile->relative_speed <= 0, "relativeSpeed" },
    };
    const char *path = first_wrong(checks, JL_COUNT(checks));
    return path ? path : gpu_problem(&profile->gpu);
}
