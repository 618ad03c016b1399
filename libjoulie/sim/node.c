/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A simulated node: power and speeds from its jobs and caps, and when it has its next event. Called
 * by run.c for every node whose jobs or caps changed (docs/rules/simulation.md#virtual-time,
 * #caps-and-lags).
 */

#include "sim/node.h"

#include <math.h>

#include "base/memory.h"
#include "base/number.h"
#include "sim/power.h"
#include "sim/usage.h"

#define MAX_STEP_S 10      /* SIM_MAX_STEP */
#define SETTLED_SHARE 1e-3 /* of the target: nearer than this a lag has arrived */
/* Where power and throttling act on each other a step has to be short against the thermal time
 * constant. */
#define THERMAL_STEPS_PER_TAU 8

static double lag_at(const struct jl_sim_lag *lag, double at_s)
{
    if (lag->from == lag->target)
        return lag->target;
    const double value = jl_lag_settle(lag->from, lag->target, lag->tau_s, at_s - lag->since_s);
    return fabs(value - lag->target) <= SETTLED_SHARE * fabs(lag->target) ? lag->target : value;
}

/*
 * Whether the CPUs can get hot enough at all. In `current` W/°C follows the node's largest power,
 * so none can, and no GPU can: 300 W at 12 W/°C in the base profile are 25 °C over ambient.
 */
static bool can_throttle(const struct jl_physics_profile *profile)
{
    return jl_thermal_target_c(profile->ambient_c, profile->peak_w, profile->watts_per_c) >
           profile->throttle_start_c;
}

static double thermal_of(const struct jl_sim_node *node, double temp_c)
{
    const struct jl_physics_profile *profile = &node->machine->family->profile;
    if (!can_throttle(profile))
        return 0;
    return jl_thermal_throttle(temp_c, profile->throttle_start_c, profile->throttle_full_c);
}

static void retarget(struct jl_sim_lag *lag, double target, double now_s)
{
    if (target == lag->target)
        return;
    lag->from = lag_at(lag, now_s);
    lag->target = target;
    lag->since_s = now_s;
}

void jl_sim_set_cpu_cap(struct jl_sim_fleet *fleet, size_t index, double cap_w)
{
    struct jl_sim_node *node = &fleet->nodes[index];
    const struct jl_physics_profile *profile = &node->machine->family->profile;
    const double target = cap_w > 0 ? jl_clamp(cap_w, profile->cap_min_w, profile->cap_max_w)
                                    : profile->default_cap_w;
    if (target == node->cpu_cap.target)
        return;
    retarget(&node->cpu_cap, target, fleet->now_s);
    node->has_cpu_cap = target < profile->default_cap_w;
    jl_sim_touch(fleet, index);
}

void jl_sim_set_gpu_cap(struct jl_sim_fleet *fleet, size_t index, double cap_w)
{
    struct jl_sim_node *node = &fleet->nodes[index];
    const double target = jl_gpu_cap_w(&node->machine->family->profile.gpu, cap_w);
    if (target == node->gpu_cap.target)
        return;
    retarget(&node->gpu_cap, target, fleet->now_s);
    jl_sim_touch(fleet, index);
}

void jl_sim_set_throttle(struct jl_sim_fleet *fleet, size_t index, double pct)
{
    struct jl_sim_node *node = &fleet->nodes[index];
    const double target = jl_max(node->machine->family->profile.min_freq, 1 - pct / 100);
    if (pct == node->throttle_pct)
        return;
    retarget(&node->freq_limit, target, fleet->now_s);
    node->throttle_pct = pct;
    jl_sim_touch(fleet, index);
}

void jl_sim_node_now(const struct jl_sim_fleet *fleet, size_t index, struct jl_sim_node_now *out)
{
    const struct jl_sim_node *node = &fleet->nodes[index];
    const double now_s = fleet->now_s;
    *out = (struct jl_sim_node_now){
        .cpu_cap_w = lag_at(&node->cpu_cap, now_s),
        .gpu_cap_w = lag_at(&node->gpu_cap, now_s),
        .freq_limit = lag_at(&node->freq_limit, now_s),
        .temp_c = lag_at(&node->temp, now_s),
    };
    out->thermal = thermal_of(node, out->temp_c);
}

static void set_speed(struct jl_sim_part *part, double speed, double now_s)
{
    if (part->left <= 0 || speed == part->speed)
        return;
    part->left = jl_max(0, part->left - part->speed * (now_s - part->since_s));
    part->since_s = now_s;
    part->speed = speed;
    part->end_s = speed > 0 ? now_s + part->left / speed : JL_NEVER;
}

/* ---- power ---- */

/* GPUs of a node that do the same; the others are idle. */
struct devices {
    int64_t count;
    double natural_w; /* of each, without a cap */
    struct jl_gpu_weights weights;
};

/* v0.1.1: the mean utilisation of the node on its first devices, all with the mean mix. */
static struct devices spread_devices(const struct jl_sim_node *node,
                                     const struct jl_node_load *load)
{
    const struct jl_sim_family *family = node->machine->family;
    const struct jl_gpu_mix mix = { load->gpu_class, load->memory, load->feed };
    struct jl_gpu_spread spread;
    struct devices devices;
    jl_gpu_spread(load->gpu_util, (size_t)family->gpus, &spread);
    jl_gpu_weights(&mix, &devices.weights);
    devices.count = (int64_t)spread.active;
    devices.natural_w = jl_gpu_natural_w(&family->profile.gpu, &devices.weights, spread.util);
    return devices;
}

/* current: those of a job work as it does, for as long as it has GPU work. */
static struct devices job_devices(const struct jl_sim_fleet *fleet, size_t index)
{
    const struct jl_sim_task *task = &fleet->workload->tasks[index];
    const struct jl_sim_job *job = &fleet->jobs[index];
    if (job->gpu.left <= 0 || task->job->gpu_count == 0 || !jl_sim_gang_is_ready(fleet, index))
        return (struct devices){ .count = 0 };
    return (struct devices){
        .count = task->job->gpu_count,
        .natural_w = job->natural_w,
        .weights = task->traits.gpu,
    };
}

/* How many kinds of working devices a node may have, and each of them. */
static size_t device_kinds(const struct jl_sim_fleet *fleet, const struct jl_sim_node *node)
{
    return fleet->physics == JL_PHYSICS_V0_1_1 ? 1 : node->job_count;
}

static struct devices devices_of_kind(const struct jl_sim_fleet *fleet,
                                      const struct jl_sim_node *node,
                                      const struct jl_node_load *load, size_t kind)
{
    return fleet->physics == JL_PHYSICS_V0_1_1 ? spread_devices(node, load)
                                               : job_devices(fleet, node->jobs[kind]);
}

void jl_sim_node_devices(const struct jl_sim_fleet *fleet, size_t index, struct jl_sim_device *out)
{
    const struct jl_sim_node *node = &fleet->nodes[index];
    const struct jl_gpu_profile *gpu = &node->machine->family->profile.gpu;
    struct jl_sim_node_now now;
    struct jl_node_load load;
    int64_t used = 0;
    jl_sim_node_now(fleet, index, &now);
    jl_sim_node_load(fleet, node, &load);
    for (size_t kind = 0; kind < device_kinds(fleet, node); kind++) {
        const struct devices devices = devices_of_kind(fleet, node, &load, kind);
        const struct jl_sim_device device = {
            .power_w = jl_gpu_power_w(gpu, devices.natural_w, now.gpu_cap_w),
            .speed = jl_gpu_throughput(gpu, &devices.weights, devices.natural_w, now.gpu_cap_w, 0,
                                       fleet->physics),
            .is_active = true,
        };
        for (int64_t i = 0; i < devices.count; i++)
            out[used++] = device;
    }
    while (used < node->machine->family->gpus)
        out[used++] = (struct jl_sim_device){ .power_w = gpu->idle_w, .speed = 1 };
}

static double gpu_power_w(const struct jl_sim_fleet *fleet, const struct jl_sim_node *node,
                          const struct jl_node_load *load, double cap_w)
{
    const struct jl_gpu_profile *gpu = &node->machine->family->profile.gpu;
    int64_t idle = node->machine->family->gpus;
    double sum_w = 0;
    if (idle == 0)
        return 0;
    for (size_t kind = 0; kind < device_kinds(fleet, node); kind++) {
        const struct devices devices = devices_of_kind(fleet, node, load, kind);
        sum_w += (double)devices.count * jl_gpu_power_w(gpu, devices.natural_w, cap_w);
        idle -= devices.count;
    }
    return sum_w + (double)idle * gpu->idle_w;
}

/* In v0.1.1 a curve follows the mean mix of the node; in current each job what it delivers. */
static struct jl_cpu_load cpu_load(const struct jl_sim_fleet *fleet, const struct jl_sim_node *node,
                                   const struct jl_node_load *load,
                                   const struct jl_sim_node_now *caps)
{
    struct jl_cpu_load cpu = {
        .util = load->cpu_util,
        .activity = jl_cpu_activity(load->memory, load->io),
        .weights = load->weights,
        .base = load->base,
        .thermal = caps->thermal,
        .freq = caps->freq_limit,
        .cap_w = caps->cpu_cap_w,
        .target_throttle_pct = node->throttle_pct,
    };
    if (fleet->physics == JL_PHYSICS_V0_1_1) {
        const struct jl_cpu_mix mix = { load->cpu_class, load->memory, load->io };
        jl_cpu_weights(&mix, &cpu.weights);
    }
    return cpu;
}

static void update_power(struct jl_sim_fleet *fleet, size_t index, const struct jl_node_load *load,
                         const struct jl_sim_node_now *caps)
{
    struct jl_sim_node *node = &fleet->nodes[index];
    const struct jl_physics_profile *profile = &node->machine->family->profile;
    const struct jl_cpu_load cpu = cpu_load(fleet, node, load, caps);
    struct jl_cpu_state state;
    jl_cpu_power(profile, &cpu, fleet->physics, &state);
    node->cpu_util = load->cpu_util;
    node->gpu_util = load->gpu_util;
    node->freq = state.freq;
    node->is_saturated = state.is_saturated;
    jl_sim_set_power(fleet, index, state.power_w, gpu_power_w(fleet, node, load, caps->gpu_cap_w));
    if (can_throttle(profile) || fleet->keeps_temps)
        retarget(&node->temp,
                 jl_thermal_target_c(profile->ambient_c, state.power_w, profile->watts_per_c),
                 fleet->now_s);
}

/* ---- speeds ---- */

static void update_job(struct jl_sim_fleet *fleet, const struct jl_sim_node *node, size_t index,
                       const struct jl_node_load *load, const struct jl_sim_node_now *caps)
{
    const struct jl_physics_profile *profile = &node->machine->family->profile;
    const struct jl_sim_task *task = &fleet->workload->tasks[index];
    const struct jl_trace_job *trace = task->job;
    struct jl_sim_job *job = &fleet->jobs[index];
    double cpu_speed = 0;
    double gpu_speed = 0;
    if (jl_sim_gang_is_ready(fleet, index)) {
        struct jl_cpu_progress cpu;
        jl_cpu_progress(&trace->work, &task->traits, node->freq, profile->knee, caps->thermal,
                        &cpu);
        cpu_speed = trace->cpu_cores * profile->relative_speed * cpu.factor * load->cpu_share;
        if (job->gpu.left > 0 && node->machine->family->gpus > 0) {
            const struct jl_gpu_now now = {
                .natural_w = job->natural_w,
                .cap_w = caps->gpu_cap_w,
                .thermal = fleet->physics == JL_PHYSICS_V0_1_1 ? caps->thermal : 0,
            };
            struct jl_gpu_progress gpu;
            jl_gpu_progress(&trace->work, &task->traits, &profile->gpu, &now, cpu.multiplier,
                            fleet->physics, &gpu);
            gpu_speed = (double)trace->gpu_count * profile->gpu.relative_speed * gpu.factor *
                        load->gpu_share;
        }
    }
    set_speed(&job->cpu, cpu_speed, fleet->now_s);
    set_speed(&job->gpu, gpu_speed, fleet->now_s);
}

static double part_event(const struct jl_sim_part *part)
{
    return part->left > 0 ? part->end_s : JL_NEVER;
}

/* When this job needs the node's attention. */
static double job_event(struct jl_sim_fleet *fleet, size_t index)
{
    struct jl_sim_job *job = &fleet->jobs[index];
    if (!jl_sim_gang_is_ready(fleet, index))
        return JL_NEVER; /* the gang's last member wakes it */
    if (job->cpu.left <= 0 && job->gpu.left <= 0)
        return fleet->now_s;
    const double end_s = jl_min(part_event(&job->cpu), part_event(&job->gpu));
    if (end_s < JL_NEVER) {
        job->stalled_s = JL_NEVER;
        return end_s;
    }
    if (job->stalled_s == JL_NEVER)
        job->stalled_s = fleet->now_s;
    return job->stalled_s + JL_SIM_STALL_S;
}

/* ---- lags ---- */

static bool is_moving(const struct jl_sim_lag *lag, double now_s)
{
    return lag_at(lag, now_s) != lag->target;
}

static double lag_event(const struct jl_sim_fleet *fleet, const struct jl_sim_node *node)
{
    const struct jl_physics_profile *profile = &node->machine->family->profile;
    const double now_s = fleet->now_s;
    if (can_throttle(profile) && is_moving(&node->temp, now_s) &&
        jl_max(lag_at(&node->temp, now_s), node->temp.target) > profile->throttle_start_c)
        return now_s + jl_min(MAX_STEP_S,
                              jl_max(JL_SIM_TAU_MIN_S, node->temp.tau_s / THERMAL_STEPS_PER_TAU));
    if (is_moving(&node->cpu_cap, now_s) || is_moving(&node->freq_limit, now_s) ||
        is_moving(&node->gpu_cap, now_s))
        return now_s + MAX_STEP_S;
    return JL_NEVER;
}

/* ---- power over the cap ---- */

static int count_overshoot(struct jl_sim_fleet *fleet, struct jl_sim_node *node, double cap_w)
{
    const double seconds = fleet->now_s - node->over_since_s;
    if (node->over_pct >= 0 && seconds > 0) {
        struct jl_sim_overshoot *over = &fleet->over;
        over->capped_s += seconds;
        if (node->over_pct > 0) {
            if (JL_GROW(&over->items, &over->capacity, over->count + 1) < 0)
                return JOULIE_E_NOMEM;
            over->items[over->count++] = (struct jl_sim_over){ node->over_pct, seconds };
        }
    }
    const bool is_settled =
        node->power_state == JL_NODE_ON && node->has_cpu_cap && cap_w == node->cpu_cap.target;
    node->over_pct = is_settled ? 100 * jl_max(0, node->cpu.power_w / cap_w - 1) : -1;
    node->over_since_s = fleet->now_s;
    return 0;
}

/* Nothing runs on a node that is not on, and its caps have no effect. */
static double update_off(struct jl_sim_fleet *fleet, size_t index)
{
    struct jl_sim_node *node = &fleet->nodes[index];
    const struct jl_sim_watts watts = jl_sim_off_watts(node);
    node->cpu_util = 0;
    node->gpu_util = 0;
    jl_sim_set_power(fleet, index, watts.cpu_w, watts.gpu_w);
    return node->power_until_s;
}

static double update_on(struct jl_sim_fleet *fleet, size_t index,
                        const struct jl_sim_node_now *caps)
{
    struct jl_sim_node *node = &fleet->nodes[index];
    struct jl_node_load load;
    jl_sim_node_load(fleet, node, &load);
    update_power(fleet, index, &load, caps);

    double next_s = lag_event(fleet, node);
    for (size_t i = 0; i < node->job_count; i++) {
        update_job(fleet, node, node->jobs[i], &load, caps);
        next_s = jl_min(next_s, job_event(fleet, node->jobs[i]));
    }
    jl_sim_usage_update(fleet, index, &load, caps->gpu_cap_w);
    return next_s;
}

int jl_sim_node_update(struct jl_sim_fleet *fleet, size_t index)
{
    struct jl_sim_node *node = &fleet->nodes[index];
    struct jl_sim_node_now caps;
    jl_sim_node_now(fleet, index, &caps);
    const bool is_on = node->power_state == JL_NODE_ON;
    const double next_s = is_on ? update_on(fleet, index, &caps) : update_off(fleet, index);
    jl_event_queue_set(&fleet->events, index, next_s);
    node->is_dirty = false;
    return count_overshoot(fleet, node, caps.cpu_cap_w);
}
