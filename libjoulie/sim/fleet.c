/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Machines, jobs and rooms of a run: what runs where, which nodes have to be recomputed and which
 * got room back. Lowest of the files of a run; node.c, placement.c, the controllers and run.c build
 * on it.
 */

#include "sim/fleet.h"

#include <string.h>

#include <joulie/error.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "kinds/effective.h"
#include "place/kube.h"

#define START_MS INT64_C(1767225600000) /* 2026-01-01T00:00:00Z */
#define MILLI 1000
#define CPU_CAP_TAU_UNSET_MS 250
#define GPU_CAP_TAU_UNSET_MS 150
#define FREQ_TAU_MIN_S 0.05

/* ---- life ---- */

static struct jl_sim_lag at_rest(double value, double tau_s)
{
    return (struct jl_sim_lag){ .from = value, .target = value, .tau_s = tau_s };
}

static double cap_tau_s(double tau_ms, double unset_ms)
{
    return jl_max(JL_SIM_TAU_MIN_S, (tau_ms > 0 ? tau_ms : unset_ms) / MILLI);
}

static double idle_w(const struct jl_physics_profile *profile)
{
    return profile->curve_model ? jl_physics_curve_w(profile, 0) : profile->idle_w;
}

static void init_node(struct jl_sim_fleet *fleet, size_t index)
{
    const struct jl_sim_machine *machine = &fleet->inventory->machines[index];
    const struct jl_sim_family *family = machine->family;
    const struct jl_physics_profile *profile = &family->profile;
    fleet->nodes[index] = (struct jl_sim_node){
        .machine = machine,
        .cpu_cap =
            at_rest(profile->default_cap_w, cap_tau_s(profile->cap_tau_ms, CPU_CAP_TAU_UNSET_MS)),
        .gpu_cap =
            at_rest(profile->gpu.max_w, cap_tau_s(profile->gpu.cap_tau_ms, GPU_CAP_TAU_UNSET_MS)),
        .freq_limit = at_rest(1, jl_max(FREQ_TAU_MIN_S, profile->dvfs_ramp_ms / MILLI)),
        .temp = at_rest(profile->ambient_c, profile->thermal_tau_ms / MILLI),
        .cpu = { .idle_w = idle_w(profile), .base = JL_ENERGY_IDLE_EMPTY },
        .gpu = { .idle_w = (double)family->gpus * profile->gpu.idle_w,
                 .base = JL_ENERGY_IDLE_EMPTY },
        .freq = 1,
        .power_until_s = JL_NEVER,
    };
    fleet->rooms[index] = (struct jl_sim_room){
        .millicores = family->cores * MILLI,
        .memory_bytes = family->memory_bytes,
        .gpus = (int32_t)family->gpus,
        .free_gpus = (int32_t)family->gpus,
        .free_pods = JL_SIM_PODS_PER_NODE,
        .gpu_vendor = jl_sim_vendor(family->gpu_vendor),
    };
}

/* A rack is what the label joulie.io/rack of its machines names. */
static int init_racks(struct jl_sim_fleet *fleet)
{
    JL_CLEANUP(jl_index_clear) struct jl_index racks = { 0 };
    fleet->supply_count = 1;
    for (size_t i = 0; i < fleet->node_count; i++) {
        struct jl_sim_node *node = &fleet->nodes[i];
        const char *rack = jl_map_get(&node->machine->family->labels, JL_LABEL_RACK);
        if (!rack || jl_index_get(&racks, rack, &node->rack))
            continue;
        node->rack = fleet->supply_count++;
        if (jl_index_set(&racks, rack, node->rack) < 0)
            return JOULIE_E_NOMEM;
    }
    fleet->supplies = jl_calloc(fleet->supply_count, sizeof *fleet->supplies);
    return fleet->supplies ? 0 : JOULIE_E_NOMEM;
}

static struct jl_sim_part part_of(double units)
{
    return (struct jl_sim_part){ .total = units, .left = units, .end_s = JL_NEVER };
}

static void init_job(struct jl_sim_fleet *fleet, size_t index)
{
    const struct jl_trace_job *job = fleet->workload->tasks[index].job;
    fleet->jobs[index] = (struct jl_sim_job){
        .stalled_s = JL_NEVER,
        .cpu = part_of(job->cpu_units),
        .gpu = part_of(job->gpu_units),
    };
}

static bool allocate(struct jl_sim_fleet *fleet)
{
    const size_t nodes = fleet->node_count;
    fleet->nodes = jl_calloc(nodes, sizeof *fleet->nodes);
    fleet->rooms = jl_calloc(nodes, sizeof *fleet->rooms);
    fleet->power_w = jl_calloc(nodes, sizeof *fleet->power_w);
    fleet->jobs = jl_calloc(fleet->workload->count + 1, sizeof *fleet->jobs);
    fleet->gang_present = jl_calloc(fleet->workload->gang_count + 1, sizeof *fleet->gang_present);
    fleet->dirty = jl_calloc(nodes, sizeof *fleet->dirty);
    fleet->freed = jl_calloc(nodes, sizeof *fleet->freed);
    return fleet->nodes && fleet->rooms && fleet->power_w && fleet->jobs && fleet->gang_present &&
           fleet->dirty && fleet->freed && jl_event_queue_init(&fleet->events, nodes) == 0 &&
           jl_sim_vacant_init(&fleet->vacant, fleet->inventory) == 0;
}

int jl_sim_fleet_init(struct jl_sim_fleet *fleet, const struct jl_inventory *inventory,
                      const struct jl_sim_workload *workload, enum jl_physics_rules physics)
{
    *fleet = (struct jl_sim_fleet){ .inventory = inventory,
                                    .workload = workload,
                                    .physics = physics,
                                    .node_count = inventory->count };
    if (!allocate(fleet)) {
        jl_sim_fleet_clear(fleet);
        return JOULIE_E_NOMEM;
    }
    for (size_t i = 0; i < fleet->node_count; i++) {
        init_node(fleet, i);
        jl_sim_touch(fleet, i);
    }
    if (init_racks(fleet) < 0) {
        jl_sim_fleet_clear(fleet);
        return JOULIE_E_NOMEM;
    }
    for (size_t i = 0; i < workload->count; i++)
        init_job(fleet, i);
    return 0;
}

void jl_sim_fleet_clear(struct jl_sim_fleet *fleet)
{
    for (size_t i = 0; fleet->nodes && i < fleet->node_count; i++)
        jl_free(fleet->nodes[i].jobs);
    jl_free(fleet->nodes);
    jl_free(fleet->rooms);
    jl_free(fleet->power_w);
    jl_free(fleet->jobs);
    jl_free(fleet->usages);
    jl_free(fleet->gang_present);
    jl_free(fleet->dirty);
    jl_free(fleet->freed);
    jl_free(fleet->over.items);
    jl_free(fleet->supplies);
    jl_event_queue_clear(&fleet->events);
    jl_sim_vacant_clear(&fleet->vacant);
    memset(fleet, 0, sizeof *fleet);
}

int64_t jl_sim_instant_ms(double time_s)
{
    return START_MS + (int64_t)jl_round_half_away(time_s * MILLI);
}

double jl_sim_time_s(int64_t instant_ms)
{
    return (double)(instant_ms - START_MS) / MILLI;
}

/* ---- state at a time ---- */

double jl_sim_done(const struct jl_sim_part *part, double at_s)
{
    const double left =
        part->end_s <= at_s ? 0 : jl_max(0, part->left - part->speed * (at_s - part->since_s));
    return part->total - left;
}

/* ---- nodes ---- */

void jl_sim_set_power(struct jl_sim_fleet *fleet, size_t index, double cpu_w, double gpu_w)
{
    struct jl_sim_node *node = &fleet->nodes[index];
    const double from_w = node->cpu.power_w + node->gpu.power_w;
    const double to_w = cpu_w + gpu_w;
    const enum jl_energy_part on = node->job_count > 0 ? JL_ENERGY_IDLE_BUSY : JL_ENERGY_IDLE_EMPTY;
    const enum jl_energy_part base = node->power_state == JL_NODE_ON ? on : JL_ENERGY_OFF;
    jl_sim_meter_set(&node->cpu, cpu_w, base, fleet->now_s);
    jl_sim_meter_set(&node->gpu, gpu_w, base, fleet->now_s);
    fleet->power_w[index] = to_w;
    if (to_w == from_w)
        return;
    jl_sim_supply_change(&fleet->supplies[0], from_w, to_w, fleet->now_s);
    if (node->rack > 0)
        jl_sim_supply_change(&fleet->supplies[node->rack], from_w, to_w, fleet->now_s);
}

void jl_sim_touch(struct jl_sim_fleet *fleet, size_t index)
{
    if (fleet->nodes[index].is_dirty)
        return;
    fleet->nodes[index].is_dirty = true;
    fleet->dirty[fleet->dirty_count++] = (uint32_t)index;
}

void jl_sim_add_free_pods(struct jl_sim_fleet *fleet, size_t index, int32_t pods)
{
    struct jl_sim_room *room = &fleet->rooms[index];
    room->free_pods += pods;
    jl_sim_vacant_set(&fleet->vacant, index, room->free_pods == JL_SIM_PODS_PER_NODE);
}

void jl_sim_room_freed(struct jl_sim_fleet *fleet, size_t index)
{
    if (fleet->nodes[index].is_freed)
        return;
    fleet->nodes[index].is_freed = true;
    fleet->freed[fleet->freed_count++] = (uint32_t)index;
}

void jl_sim_freed_clear(struct jl_sim_fleet *fleet)
{
    for (size_t i = 0; i < fleet->freed_count; i++)
        fleet->nodes[fleet->freed[i]].is_freed = false;
    fleet->freed_count = 0;
}

size_t jl_sim_fitting(const struct jl_sim_fleet *fleet, size_t job,
                      const struct jl_sim_node_list *list, uint32_t *out)
{
    const struct jl_sim_shape *shape = jl_sim_shape_of(fleet, job);
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const size_t node = jl_sim_listed(list, i);
        if (jl_sim_fits(shape, &fleet->rooms[node]))
            out[count++] = (uint32_t)node;
    }
    return count;
}

/* ---- jobs ---- */

bool jl_sim_gang_is_ready(const struct jl_sim_fleet *fleet, size_t index)
{
    const size_t gang = fleet->workload->tasks[index].gang;
    return gang == JL_NO_GANG || fleet->gang_present[gang] == fleet->workload->gangs[gang].count;
}

static void touch_gang(struct jl_sim_fleet *fleet, size_t gang)
{
    for (size_t i = fleet->workload->gangs[gang].first; i != JL_NO_GANG;
         i = fleet->workload->tasks[i].gang_next) {
        if (fleet->jobs[i].state == JL_JOB_RUNNING)
            jl_sim_touch(fleet, fleet->jobs[i].node);
    }
}

/* What a job takes of a room, or gives back to it. */
static void use_room(struct jl_sim_fleet *fleet, size_t node, const struct jl_sim_shape *shape,
                     int32_t sign)
{
    struct jl_sim_room *room = &fleet->rooms[node];
    room->used_millicores += sign * shape->millicores;
    room->used_memory_bytes += sign * shape->memory_bytes;
    room->counted_millicores += sign * jl_kube_counted_millicores(shape->millicores);
    room->counted_memory_bytes += sign * jl_kube_counted_memory(shape->memory_bytes);
    room->free_gpus -= sign * (int32_t)shape->gpus;
    jl_sim_add_free_pods(fleet, node, -sign);
}

static double natural_w(const struct jl_sim_fleet *fleet, size_t index, size_t node)
{
    const struct jl_sim_task *task = &fleet->workload->tasks[index];
    if (task->job->gpu_count == 0)
        return 0;
    return jl_gpu_natural_w(&fleet->nodes[node].machine->family->profile.gpu, &task->traits.gpu,
                            task->job->work.gpu_util);
}

int jl_sim_job_start(struct jl_sim_fleet *fleet, size_t index, size_t node_index)
{
    struct jl_sim_job *job = &fleet->jobs[index];
    struct jl_sim_node *node = &fleet->nodes[node_index];
    const size_t gang = fleet->workload->tasks[index].gang;
    if (JL_GROW(&node->jobs, &node->job_capacity, node->job_count + 1) < 0)
        return JOULIE_E_NOMEM;
    node->jobs[node->job_count++] = (uint32_t)index;
    use_room(fleet, node_index, jl_sim_shape_of(fleet, index), 1);
    job->state = JL_JOB_RUNNING;
    job->node = node_index;
    job->natural_w = natural_w(fleet, index, node_index);
    job->has_started = true;
    job->start_s = fleet->now_s;
    fleet->running++;
    fleet->last_change_s = fleet->now_s;
    jl_sim_touch(fleet, node_index);
    if (gang != JL_NO_GANG && ++fleet->gang_present[gang] == fleet->workload->gangs[gang].count)
        touch_gang(fleet, gang);
    return 0;
}

static void leave_node(struct jl_sim_fleet *fleet, size_t index)
{
    const size_t node_index = fleet->jobs[index].node;
    struct jl_sim_node *node = &fleet->nodes[node_index];
    size_t kept = 0;
    for (size_t i = 0; i < node->job_count; i++) {
        if (node->jobs[i] != index)
            node->jobs[kept++] = node->jobs[i];
    }
    node->job_count = kept;
    node->empty_since_s = fleet->now_s;
    use_room(fleet, node_index, jl_sim_shape_of(fleet, index), -1);
    fleet->running--;
    jl_sim_touch(fleet, node_index);
    jl_sim_room_freed(fleet, node_index);
}

static void freeze(struct jl_sim_part *part, double now_s)
{
    part->left = part->total - jl_sim_done(part, now_s);
    part->speed = 0;
    part->since_s = now_s;
    part->end_s = part->left > 0 ? JL_NEVER : now_s;
}

void jl_sim_job_stop(struct jl_sim_fleet *fleet, size_t index, enum jl_sim_job_state state)
{
    struct jl_sim_job *job = &fleet->jobs[index];
    if (job->state == JL_JOB_RUNNING)
        leave_node(fleet, index);
    freeze(&job->cpu, fleet->now_s);
    freeze(&job->gpu, fleet->now_s);
    job->state = state;
    job->end_s = fleet->now_s;
    fleet->completed += state == JL_JOB_COMPLETED;
    fleet->failed += state == JL_JOB_FAILED;
    fleet->unplaced += state == JL_JOB_UNPLACED;
    fleet->last_change_s = fleet->now_s;
}

size_t jl_sim_ended(const struct jl_sim_fleet *fleet)
{
    return fleet->completed + fleet->failed + fleet->unplaced;
}
