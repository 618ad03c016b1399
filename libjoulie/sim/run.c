/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A run in virtual time: its queues and the order of what happens at one instant
 * (docs/rules/simulation.md#virtual-time). Called by sim.c, for the controlled and the uncontrolled
 * run.
 */

#include "sim/run.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "sim/steering.h"

#define START_MS INT64_C(1767225600000)
#define MILLI 1000
#define SECONDS_PER_HOUR 3600.0
/* With an operator, what is stuck now may still be freed by a later step: it gets an hour in which
 * nothing happens. The uncontrolled run waits as long, or the energy of the two would not be of the
 * same time. */
#define GRACE_S 3600
#define MOST_ITEMS UINT32_MAX

/* ---- life ---- */

static void init_node(struct jl_sim_run *run, size_t index)
{
    const struct jl_sim_machine *machine = &run->inventory->machines[index];
    const struct jl_sim_family *family = machine->family;
    const struct jl_physics_profile *profile = &family->profile;
    run->nodes[index] = (struct jl_sim_node){
        .machine = machine,
        .cpu_cap = { profile->default_cap_w, profile->default_cap_w, 0 },
        .gpu_cap = { profile->gpu.max_w, profile->gpu.max_w, 0 },
        .freq_limit = { 1, 1, 0 },
        .temp = { profile->ambient_c, profile->ambient_c, 0 },
        .freq = 1,
        .over_pct = -1,
    };
    run->rooms[index] = (struct jl_sim_room){
        .millicores = family->cores * MILLI,
        .memory_bytes = family->memory_bytes,
        .free_gpus = family->gpus,
        .free_pods = JL_SIM_PODS_PER_NODE,
        .gpu_vendor = jl_sim_vendor(family->gpu_vendor),
    };
}

static struct jl_sim_part part_of(double units)
{
    return (struct jl_sim_part){ .total = units, .left = units, .end_s = JL_NEVER };
}

static void init_job(struct jl_sim_run *run, size_t index)
{
    const struct jl_trace_job *job = run->workload->tasks[index].job;
    run->jobs[index] = (struct jl_sim_job){
        .stalled_s = JL_NEVER,
        .cpu = part_of(job->cpu_units),
        .gpu = part_of(job->gpu_units),
    };
}

static bool allocate(struct jl_sim_run *run)
{
    const size_t nodes = run->node_count;
    const size_t jobs = run->workload->count;
    run->nodes = jl_calloc(nodes, sizeof *run->nodes);
    run->rooms = jl_calloc(nodes, sizeof *run->rooms);
    run->jobs = jl_calloc(jobs + 1, sizeof *run->jobs);
    run->gang_present = jl_calloc(run->workload->gang_count + 1, sizeof *run->gang_present);
    run->queue = jl_calloc(jobs + 1, sizeof *run->queue);
    run->dirty = jl_calloc(nodes, sizeof *run->dirty);
    run->freed = jl_calloc(nodes, sizeof *run->freed);
    run->shape_failed = jl_calloc(run->workload->shape_count + 1, sizeof *run->shape_failed);
    return run->nodes && run->rooms && run->jobs && run->gang_present && run->queue && run->dirty &&
           run->freed && run->shape_failed && jl_sim_decisions_init(&run->decisions, nodes) == 0 &&
           jl_event_queue_init(&run->node_events, nodes) == 0 &&
           jl_event_queue_init(&run->agent_events, nodes) == 0;
}

int jl_sim_run_init(struct jl_sim_run *run, const struct jl_inventory *inventory,
                    const struct jl_sim_workload *workload, const struct jl_sim_settings *settings,
                    struct joulie_error *err)
{
    *run = (struct jl_sim_run){
        .inventory = inventory,
        .workload = workload,
        .settings = *settings,
        .node_count = inventory->count,
        .operator_s = JL_NEVER,
        .next_hour_s = settings->keeps_hours ? SECONDS_PER_HOUR : JL_NEVER,
    };
    run->settings.limit_s = jl_min(settings->limit_s, JL_SIM_LONGEST_S);
    if (workload->count >= MOST_ITEMS)
        return jl_fail(err, JOULIE_E_LIMIT, "trace", "more jobs than one run can hold");
    if (!allocate(run)) {
        jl_sim_run_clear(run);
        return jl_fail_memory(err);
    }
    for (size_t i = 0; i < run->node_count; i++) {
        init_node(run, i);
        jl_sim_touch(run, i);
    }
    for (size_t i = 0; i < workload->count; i++)
        init_job(run, i);
    return 0;
}

void jl_sim_run_clear(struct jl_sim_run *run)
{
    jl_sim_steering_free(run);
    for (size_t i = 0; run->nodes && i < run->node_count; i++)
        jl_free(run->nodes[i].jobs);
    jl_free(run->nodes);
    jl_free(run->rooms);
    jl_free(run->jobs);
    jl_free(run->gang_present);
    jl_free(run->queue);
    jl_free(run->dirty);
    jl_free(run->freed);
    jl_free(run->shape_failed);
    jl_free(run->over);
    jl_free(run->hours);
    jl_sim_decisions_clear(&run->decisions);
    jl_event_queue_clear(&run->node_events);
    jl_event_queue_clear(&run->agent_events);
    memset(run, 0, sizeof *run);
}

int64_t jl_sim_instant_ms(double time_s)
{
    return START_MS + (int64_t)jl_round_half_away(time_s * MILLI);
}

/* ---- nodes and their jobs ---- */

void jl_sim_touch(struct jl_sim_run *run, size_t index)
{
    if (run->nodes[index].is_dirty)
        return;
    run->nodes[index].is_dirty = true;
    run->dirty[run->dirty_count++] = (uint32_t)index;
}

static int update_dirty(struct jl_sim_run *run)
{
    int rc = 0;
    for (size_t i = 0; i < run->dirty_count && rc == 0; i++)
        rc = jl_sim_node_update(run, run->dirty[i]);
    run->dirty_count = 0;
    return rc;
}

bool jl_sim_gang_is_ready(const struct jl_sim_run *run, size_t index)
{
    const size_t gang = run->workload->tasks[index].gang;
    return gang == JL_NO_GANG || run->gang_present[gang] == run->workload->gangs[gang].count;
}

static void touch_gang(struct jl_sim_run *run, size_t gang)
{
    for (size_t i = run->workload->gangs[gang].first; i != JL_NO_GANG;
         i = run->workload->tasks[i].gang_next) {
        if (run->jobs[i].state == JL_JOB_RUNNING)
            jl_sim_touch(run, run->jobs[i].node);
    }
}

int jl_sim_node_add(struct jl_sim_run *run, size_t node_index, size_t job)
{
    struct jl_sim_node *node = &run->nodes[node_index];
    const size_t gang = run->workload->tasks[job].gang;
    if (jl_grow((void **)&node->jobs, &node->job_capacity, node->job_count + 1,
                sizeof *node->jobs) < 0)
        return JOULIE_E_NOMEM;
    node->jobs[node->job_count++] = (uint32_t)job;
    jl_sim_touch(run, node_index);
    if (gang != JL_NO_GANG && ++run->gang_present[gang] == run->workload->gangs[gang].count)
        touch_gang(run, gang);
    return 0;
}

void jl_sim_room_freed(struct jl_sim_run *run, size_t index)
{
    if (run->nodes[index].is_freed)
        return;
    run->nodes[index].is_freed = true;
    run->freed[run->freed_count++] = (uint32_t)index;
}

static void leave_node(struct jl_sim_run *run, size_t index)
{
    const struct jl_sim_shape *shape = &run->workload->shapes[run->workload->tasks[index].shape];
    const size_t node_index = run->jobs[index].node;
    struct jl_sim_node *node = &run->nodes[node_index];
    struct jl_sim_room *room = &run->rooms[node_index];
    size_t kept = 0;
    for (size_t i = 0; i < node->job_count; i++) {
        if (node->jobs[i] != index)
            node->jobs[kept++] = node->jobs[i];
    }
    node->job_count = kept;
    room->used_millicores -= shape->millicores;
    room->used_memory_bytes -= shape->memory_bytes;
    room->free_gpus += shape->gpus;
    room->free_pods++;
    jl_sim_touch(run, node_index);
    jl_sim_room_freed(run, node_index);
}

/* What is left of a part stays as it is when the job goes. */
static void freeze(struct jl_sim_part *part, double now_s)
{
    part->left = part->total - jl_sim_done(part, now_s);
    part->speed = 0;
    part->since_s = now_s;
    part->end_s = part->left > 0 ? JL_NEVER : now_s;
}

static void leave_queue(struct jl_sim_run *run, size_t index)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->queue_count; i++) {
        if (run->queue[i] != index)
            run->queue[kept++] = run->queue[i];
    }
    run->queue_count = kept;
}

int jl_sim_job_end(struct jl_sim_run *run, size_t index, enum jl_sim_job_state state,
                   struct joulie_error *err)
{
    struct jl_sim_job *job = &run->jobs[index];
    if (job->state == JL_JOB_RUNNING) {
        leave_node(run, index);
        run->running--;
    } else if (job->state == JL_JOB_QUEUED) {
        leave_queue(run, index);
    }
    freeze(&job->cpu, run->now_s);
    freeze(&job->gpu, run->now_s);
    job->state = state;
    job->end_s = run->now_s;
    run->completed += state == JL_JOB_COMPLETED;
    run->failed += state == JL_JOB_FAILED;
    run->unplaced += state == JL_JOB_UNPLACED;
    run->last_change_s = run->now_s;
    return jl_sim_pod_changed(run, index, err);
}

/* ---- an instant ---- */

static size_t ended(const struct jl_sim_run *run)
{
    return run->completed + run->failed + run->unplaced;
}

static void finish_part(struct jl_sim_part *part, double now_s)
{
    if (part->left > 0 && part->end_s <= now_s)
        part->left = 0;
}

/* Ends what ends now on a node; the rest is recomputed. */
static int settle_node(struct jl_sim_run *run, size_t index, struct joulie_error *err)
{
    struct jl_sim_node *node = &run->nodes[index];
    int rc = 0;
    jl_sim_touch(run, index);
    for (size_t i = 0; i < node->job_count && rc == 0;) {
        const size_t job_index = node->jobs[i];
        struct jl_sim_job *job = &run->jobs[job_index];
        finish_part(&job->cpu, run->now_s);
        finish_part(&job->gpu, run->now_s);
        const bool is_done =
            job->cpu.left <= 0 && job->gpu.left <= 0 && jl_sim_gang_is_ready(run, job_index);
        const bool is_stalled = job->stalled_s + JL_SIM_STALL_S <= run->now_s;
        if (!is_done && !is_stalled) {
            i++;
            continue;
        }
        rc = jl_sim_job_end(run, job_index, is_done ? JL_JOB_COMPLETED : JL_JOB_FAILED, err);
    }
    return rc;
}

static int node_events(struct jl_sim_run *run, struct joulie_error *err)
{
    size_t index;
    int rc = 0;
    while (rc == 0 && jl_event_queue_take(&run->node_events, run->now_s, &index))
        rc = settle_node(run, index, err);
    return rc;
}

static double next_arrival(const struct jl_sim_run *run)
{
    return run->submitted < run->workload->count
               ? run->workload->tasks[run->submitted].job->submit_s
               : JL_NEVER;
}

static int arrivals(struct jl_sim_run *run, struct joulie_error *err)
{
    int rc = 0;
    while (rc == 0 && next_arrival(run) <= run->now_s) {
        const size_t index = run->submitted++;
        if (!jl_sim_has_hope(run->workload, index)) {
            rc = jl_sim_job_end(run, index, JL_JOB_UNPLACED, err);
            continue;
        }
        run->jobs[index].state = JL_JOB_QUEUED;
        run->queue[run->queue_count++] = (uint32_t)index;
        run->has_arrivals = true;
        run->last_change_s = run->now_s;
        rc = jl_sim_pod_changed(run, index, err);
    }
    return rc;
}

static int update_nodes(struct jl_sim_run *run, struct joulie_error *err)
{
    return update_dirty(run) < 0 ? jl_fail_memory(err) : 0;
}

static int place(struct jl_sim_run *run, struct joulie_error *err)
{
    if (run->queue_count == 0)
        return 0;
    const int rc = run->placing.is_on ? 0 : jl_sim_refresh_admits(run, err);
    if (rc != 0 || (!run->placing.is_on && !run->has_arrivals && run->freed_count == 0))
        return rc;
    return jl_sim_place(run, err);
}

/* What happens at one time, in this order. */
static int (*const phases[])(struct jl_sim_run *run, struct joulie_error *err) = {
    node_events, update_nodes, arrivals, jl_sim_steer, place, update_nodes,
};

/* Begins an instant or goes on with it. 0, JL_SIM_WAITS, or a failure. */
static int instant(struct jl_sim_run *run, struct joulie_error *err)
{
    run->is_open = true;
    while (run->phase < JL_COUNT(phases)) {
        const int rc = phases[run->phase](run, err);
        if (rc != 0)
            return rc;
        run->phase++;
        if (jl_sim_has_news(run))
            return JL_SIM_WAITS;
    }
    run->phase = 0;
    run->is_open = false;
    run->is_finished = !run->goes_on && ended(run) == run->workload->count;
    return 0;
}

/* ---- what cannot go on (docs/rules/simulation.md#stuck-runs) ---- */

static size_t last_open_gang(const struct jl_sim_run *run)
{
    for (size_t i = run->submitted; i-- > 0;) {
        const size_t gang = run->workload->tasks[i].gang;
        if (run->jobs[i].state == JL_JOB_RUNNING && gang != JL_NO_GANG &&
            !jl_sim_gang_is_ready(run, i))
            return gang;
    }
    return JL_NO_GANG;
}

/* Nothing runs on and nothing will come: gangs that hold each other's room give way from the last
 * one, then the queue ends. */
static int give_up(struct jl_sim_run *run, struct joulie_error *err)
{
    const size_t gang = last_open_gang(run);
    int rc = 0;
    if (gang == JL_NO_GANG)
        run->queue_count = 0; /* all of it goes */
    for (size_t i = 0; i < run->submitted && rc == 0; i++) {
        const enum jl_sim_job_state state = run->jobs[i].state;
        const bool is_waiting = state == JL_JOB_QUEUED || state == JL_JOB_RUNNING;
        const bool is_of_gang = gang != JL_NO_GANG && run->workload->tasks[i].gang == gang;
        if (is_waiting && is_of_gang)
            rc = jl_sim_job_end(run, i, JL_JOB_FAILED, err);
        else if (is_waiting && gang == JL_NO_GANG)
            rc = jl_sim_job_end(run, i, state == JL_JOB_QUEUED ? JL_JOB_UNPLACED : JL_JOB_FAILED,
                                err);
    }
    return rc;
}

/* The time when a stuck run gives up; JL_NEVER while something can happen by itself. */
static double give_up_time(const struct jl_sim_run *run)
{
    if (run->goes_on || jl_event_queue_next(&run->node_events) < JL_NEVER ||
        next_arrival(run) < JL_NEVER)
        return JL_NEVER;
    return run->last_change_s + GRACE_S;
}

/* ---- hours ---- */

static int keep_hour(struct jl_sim_run *run)
{
    const size_t count = run->hour_count * run->node_count;
    if (jl_grow((void **)&run->hours, &run->hour_capacity, count + run->node_count,
                sizeof *run->hours) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < run->node_count; i++) {
        const struct jl_sim_node *node = &run->nodes[i];
        run->hours[count + i] = (struct jl_sim_hour){
            .cpu_j = jl_sim_energy_j(&node->cpu, run->next_hour_s),
            .gpu_j = jl_sim_energy_j(&node->gpu, run->next_hour_s),
            .running = (uint32_t)node->job_count,
            .state = jl_sim_state(&run->decisions, i),
        };
    }
    run->hour_count++;
    run->next_hour_s += SECONDS_PER_HOUR;
    return 0;
}

/* Goes to the next time at which something happens; 1, or 0 when that is after until_s. */
static int advance(struct jl_sim_run *run, double until_s, struct joulie_error *err)
{
    double next_s = jl_min(jl_event_queue_next(&run->node_events), next_arrival(run));
    next_s = jl_min(next_s, jl_min(run->operator_s, jl_event_queue_next(&run->agent_events)));
    const double stuck_s = give_up_time(run);
    const bool is_stuck = stuck_s <= next_s && run->dirty_count == 0;
    next_s = run->dirty_count > 0 ? run->now_s : jl_min(next_s, stuck_s);
    if (next_s > until_s || next_s >= JL_NEVER)
        return 0;
    next_s = jl_max(next_s, run->now_s); /* somebody outside may be late */
    while (run->next_hour_s <= next_s) {
        if (keep_hour(run) < 0)
            return jl_fail_memory(err);
    }
    run->now_s = next_s;
    run->event_s = next_s;
    const int rc = is_stuck ? give_up(run, err) : 0;
    return rc < 0 ? rc : 1;
}

int jl_sim_run_until(struct jl_sim_run *run, double until_s, struct joulie_error *err)
{
    int rc = 0;
    until_s = jl_min(until_s, run->settings.limit_s);
    while (rc == 0 && !run->is_finished) {
        const int has_next = run->is_open ? 1 : advance(run, until_s, err);
        if (has_next <= 0) {
            rc = has_next;
            break;
        }
        rc = instant(run, err);
    }
    if (rc == 0 && !run->is_finished && until_s < JL_NEVER)
        run->now_s = jl_max(run->now_s, until_s);
    run->is_finished |= rc == 0 && run->now_s >= run->settings.limit_s;
    return rc;
}
