/* SPDX-License-Identifier: Apache-2.0 */

/* power_off_v1 in a run (docs/rules/simulation.md#switching-nodes-off): the records and rooms that
 * policy/power_off.c decides by, and its choices carried out. Called by run.c. */

#include "sim/power_off.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/time.h"
#include "sim/control.h"
#include "sim/pod.h"
#include "sim/power.h"

#define MICRO INT64_C(1000000)

struct jl_sim_power_off {
    struct jl_sim_fleet *fleet;
    struct jl_power_off_config config;
    double due_s;
    size_t seen;           /* submitted jobs, at the last step */
    struct jl_arena arena; /* what rooms and pods point to */
    struct jl_node *nodes;
    struct jl_room *rooms;
    struct jl_power_node *records;
    struct jl_power_choice *choices;
    size_t *order;
    struct jl_waiting_pod *shapes; /* by shape; pod NULL = none has waited yet */
    struct jl_pod *pods;           /* of the shapes */
    struct jl_waiting_pod *waiting;
    size_t waiting_capacity;
};

/* ---- life ---- */

static int open_room(struct jl_sim_power_off *self, size_t index, const char *now)
{
    const struct jl_sim_machine *machine = self->fleet->nodes[index].machine;
    const struct jl_place_load nothing = { 0 };
    struct jl_node_hardware object;
    struct jl_hardware hardware;
    if (jl_sim_node_object(machine, &self->arena, &self->nodes[index]) < 0 ||
        jl_sim_hardware_object(machine, now, &self->arena, &object) < 0)
        return JOULIE_E_NOMEM;
    jl_hardware_resolve(&object.status, &self->nodes[index], JL_HARDWARE_CURRENT, &hardware);
    jl_room_open(&self->nodes[index], &hardware, &nothing, &self->rooms[index]);
    return 0;
}

static int open_rooms(struct jl_sim_power_off *self)
{
    char now[JL_TIME_TEXT];
    int rc = 0;
    jl_format_time(jl_sim_instant_ms(0), now);
    for (size_t i = 0; i < self->fleet->node_count && rc == 0; i++)
        rc = open_room(self, i, now);
    return rc == 0 ? jl_power_order(self->rooms, self->fleet->node_count, self->order) : rc;
}

static bool allocate(struct jl_sim_power_off *self)
{
    const size_t nodes = self->fleet->node_count;
    const size_t shapes = self->fleet->workload->shape_count + 1;
    self->nodes = jl_calloc(nodes, sizeof *self->nodes);
    self->rooms = jl_calloc(nodes, sizeof *self->rooms);
    self->records = jl_calloc(nodes, sizeof *self->records);
    self->choices = jl_calloc(nodes, sizeof *self->choices);
    self->order = jl_calloc(nodes, sizeof *self->order);
    self->shapes = jl_calloc(shapes, sizeof *self->shapes);
    self->pods = jl_calloc(shapes, sizeof *self->pods);
    return self->nodes && self->rooms && self->records && self->choices && self->order &&
           self->shapes && self->pods;
}

int jl_sim_power_off_new(struct jl_sim_fleet *fleet, const struct jl_power_off_config *config,
                         struct jl_sim_power_off **out)
{
    struct jl_sim_power_off *self = jl_calloc(1, sizeof *self);
    if (!self)
        return JOULIE_E_NOMEM;
    self->fleet = fleet;
    self->config = *config;
    if (!allocate(self) || open_rooms(self) < 0) {
        jl_sim_power_off_free(self);
        return JOULIE_E_NOMEM;
    }
    *out = self;
    return 0;
}

void jl_sim_power_off_free(struct jl_sim_power_off *self)
{
    if (!self)
        return;
    jl_free(self->nodes);
    jl_free(self->rooms);
    jl_free(self->records);
    jl_free(self->choices);
    jl_free(self->order);
    jl_free(self->shapes);
    jl_free(self->pods);
    jl_free(self->waiting);
    jl_arena_clear(&self->arena);
    jl_free(self);
}

/* ---- what it decides by ---- */

static enum jl_power_state state_of(const struct jl_sim_node *node)
{
    switch (node->power_state) {
    case JL_NODE_STOPPING:
        return node->is_wanted ? JL_POWER_BOOTING : JL_POWER_STOPPING;
    case JL_NODE_OFF:
        return JL_POWER_OFF;
    case JL_NODE_BOOTING:
        return JL_POWER_BOOTING;
    case JL_NODE_ON:
        break;
    }
    return JL_POWER_ON;
}

static void read_node(struct jl_sim_power_off *self, size_t index, const bool *admits)
{
    const struct jl_sim_node *node = &self->fleet->nodes[index];
    const struct jl_sim_room *room = &self->fleet->rooms[index];
    self->records[index] = (struct jl_power_node){
        .state = state_of(node),
        .since_ms = jl_sim_instant_ms(node->power_since_s),
        .empty_since_ms = jl_sim_instant_ms(node->empty_since_s),
        .is_eco = admits && !admits[index],
    };
    self->rooms[index].held = (struct jl_place_load){
        .work = (int64_t)node->job_count,
        .millicores = room->used_millicores,
        .micro_gpus = (room->gpus - room->free_gpus) * MICRO,
        .bytes = room->used_memory_bytes,
    };
    jl_place_set_load(&self->rooms[index].row, &self->rooms[index].held);
}

/* A job that names no vendor takes any GPU: those of the first machine that it fits. */
static enum joulie_gpu_vendor any_vendor(const struct jl_sim_power_off *self,
                                         const struct jl_sim_shape *shape)
{
    for (size_t i = 0; i < self->fleet->node_count; i++) {
        const struct jl_sim_room *room = &self->fleet->rooms[i];
        if (room->gpus >= shape->gpus)
            return room->gpu_vendor;
    }
    return JOULIE_GPU_VENDOR_UNKNOWN;
}

/* Pods of one shape are alike. */
static int open_shape(struct jl_sim_power_off *self, size_t job)
{
    static const struct jl_sim_pod pending = { NULL, "Pending" };
    const struct jl_sim_task *task = &self->fleet->workload->tasks[job];
    const struct jl_sim_shape *shape = &self->fleet->workload->shapes[task->shape];
    struct jl_waiting_pod *out = &self->shapes[task->shape];
    if (out->pod)
        return 0;
    if (jl_sim_pod_object(task->job, &pending, &self->arena, &self->pods[task->shape]) < 0)
        return JOULIE_E_NOMEM;
    jl_waiting_pod_init(&self->pods[task->shape], NULL, jl_sim_instant_ms(self->fleet->now_s), out);
    if (shape->gpus > 0 && shape->gpu_vendor == JOULIE_GPU_VENDOR_UNKNOWN)
        out->needs.gpu_vendor = any_vendor(self, shape);
    return 0;
}

static int read_queue(struct jl_sim_power_off *self, const struct jl_sim_queue *queue)
{
    if (JL_GROW(&self->waiting, &self->waiting_capacity, queue->count + 1) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < queue->count; i++) {
        if (open_shape(self, queue->jobs[i]) < 0)
            return JOULIE_E_NOMEM;
        self->waiting[i] = self->shapes[self->fleet->workload->tasks[queue->jobs[i]].shape];
    }
    return 0;
}

/* Jobs are in the order of their submission. */
static int read_recent(struct jl_sim_power_off *self, struct jl_power_recent *out)
{
    const struct jl_sim_fleet *fleet = self->fleet;
    *out = (struct jl_power_recent){ 0 };
    for (size_t i = fleet->submitted; i-- > 0;) {
        const struct jl_sim_task *task = &fleet->workload->tasks[i];
        if (!jl_power_is_recent(&self->config, jl_sim_instant_ms(task->job->submit_s),
                                jl_sim_instant_ms(fleet->now_s)))
            break;
        if (fleet->jobs[i].state > JL_JOB_RUNNING)
            continue;
        if (open_shape(self, i) < 0)
            return JOULIE_E_NOMEM;
        jl_power_add_recent(out, &self->shapes[task->shape]);
    }
    return 0;
}

/* ---- a step ---- */

double jl_sim_power_off_due_s(const struct jl_sim_power_off *self)
{
    return self->due_s;
}

/* Which nodes refuse performance pods; NULL = none does. */
static int read_admits(const struct jl_sim_power_off *self, const struct jl_sim_queue *queue,
                       const struct jl_sim_controller *controller, const bool **out,
                       struct joulie_error *err)
{
    const struct jl_sim_node_list all = { NULL, self->fleet->node_count };
    *out = NULL;
    for (size_t i = 0; i < queue->count && controller->ops->filter; i++) {
        if (jl_sim_shape_of(self->fleet, queue->jobs[i])->is_performance)
            return controller->ops->filter(controller->self, queue->jobs[i], &all, out, err);
    }
    return 0;
}

static void carry_out(struct jl_sim_power_off *self)
{
    for (size_t i = 0; i < self->fleet->node_count; i++) {
        if (self->choices[i].action == JL_POWER_SWITCH_OFF)
            jl_sim_node_power_off(self->fleet, i);
        else if (self->choices[i].action == JL_POWER_WAKE)
            jl_sim_node_power_on(self->fleet, i);
    }
}

int jl_sim_power_off_step(struct jl_sim_power_off *self, const struct jl_sim_queue *queue,
                          const struct jl_sim_controller *controller, struct joulie_error *err)
{
    struct jl_sim_fleet *fleet = self->fleet;
    const bool *admits;
    if (fleet->now_s < self->due_s && fleet->submitted == self->seen)
        return 0;
    const int rc = read_admits(self, queue, controller, &admits, err);
    if (rc != 0)
        return rc;
    struct jl_power_recent recent;
    if (read_queue(self, queue) < 0 || read_recent(self, &recent) < 0)
        return jl_fail_memory(err);
    for (size_t i = 0; i < fleet->node_count; i++)
        read_node(self, i, admits);
    const struct jl_power_input in = {
        .config = &self->config,
        .nodes = self->records,
        .rooms = self->rooms,
        .order = self->order,
        .count = fleet->node_count,
        .waiting = self->waiting,
        .waiting_count = queue->count,
        .recent = recent,
        .now_ms = jl_sim_instant_ms(fleet->now_s),
    };
    jl_power_decide(&in, self->choices);
    carry_out(self);
    self->seen = fleet->submitted;
    while (self->due_s <= fleet->now_s)
        self->due_s += JL_SIM_OPERATOR_INTERVAL_S;
    return 0;
}
