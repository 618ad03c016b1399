/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A run in virtual time: the order of what happens at one instant, the next instant, and what ends
 * a run that is stuck (docs/rules/simulation.md#virtual-time). The one file that takes a whole run;
 * called by sim.c, for the controlled and the uncontrolled one.
 */

#include "sim/run.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "sim/node.h"
#include "sim/power.h"

/* With an operator, what is stuck now may still be freed by a later step: it gets an hour in which
 * nothing happens. The uncontrolled run waits as long, or the energy of the two would not be of the
 * same time. */
#define GRACE_S 3600
#define MOST_ITEMS UINT32_MAX

/* Of the uncontrolled run, and until there is another one. */
static const struct jl_sim_controller_ops nobody = { .free = NULL };

/* ---- life ---- */

int jl_sim_run_init(struct jl_sim_run *run, const struct jl_inventory *inventory,
                    const struct jl_sim_workload *workload, const struct jl_sim_settings *settings,
                    struct joulie_error *err)
{
    *run = (struct jl_sim_run){
        .settings = *settings,
        .controller = { &nobody, NULL },
        .hours.next_s = settings->keeps_hours ? JL_SIM_HOUR_S : JL_NEVER,
    };
    run->settings.limit_s = jl_min(settings->limit_s, JL_SIM_LONGEST_S);
    if (workload->count >= MOST_ITEMS)
        return jl_fail(err, JOULIE_E_LIMIT, "trace", "more jobs than one run can hold");
    if (jl_sim_fleet_init(&run->fleet, inventory, workload, settings->physics) < 0 ||
        jl_sim_queue_init(&run->queue, workload) < 0 ||
        jl_sim_decisions_init(&run->decisions, inventory->count) < 0) {
        jl_sim_run_clear(run);
        return jl_fail_memory(err);
    }
    run->fleet.supplies[0].limit_w = settings->it_limit_w;
    for (size_t i = 1; i < run->fleet.supply_count; i++)
        run->fleet.supplies[i].limit_w = settings->rack_limit_w;
    if (settings->switches_off &&
        jl_sim_power_off_new(&run->fleet, &settings->power_off, &run->power_off) < 0) {
        jl_sim_run_clear(run);
        return jl_fail_memory(err);
    }
    return 0;
}

void jl_sim_run_clear(struct jl_sim_run *run)
{
    if (run->controller.ops && run->controller.ops->free)
        run->controller.ops->free(run->controller.self);
    jl_sim_power_off_free(run->power_off);
    jl_sim_fleet_clear(&run->fleet);
    jl_sim_queue_clear(&run->queue);
    jl_sim_decisions_clear(&run->decisions);
    jl_free(run->hours.items);
    memset(run, 0, sizeof *run);
}

/* ---- jobs ---- */

static int pod_changed(struct jl_sim_run *run, size_t job, struct joulie_error *err)
{
    const struct jl_sim_controller *controller = &run->controller;
    return controller->ops->pod_changed ? controller->ops->pod_changed(controller->self, job, err)
                                        : 0;
}

static int end_job(struct jl_sim_run *run, size_t index, enum jl_sim_job_state state,
                   struct joulie_error *err)
{
    if (run->fleet.jobs[index].state == JL_JOB_QUEUED)
        jl_sim_queue_remove(&run->queue, index);
    jl_sim_job_stop(&run->fleet, index, state);
    return pod_changed(run, index, err);
}

static int node_changed(struct jl_sim_run *run, size_t node, struct joulie_error *err)
{
    const struct jl_sim_controller *controller = &run->controller;
    return controller->ops->node_changed
               ? controller->ops->node_changed(controller->self, node, err)
               : 0;
}

/* ---- an instant ---- */

static void finish_part(struct jl_sim_part *part, double now_s)
{
    if (part->left > 0 && part->end_s <= now_s)
        part->left = 0;
}

/* Ends what ends now on a node; the rest is recomputed. */
static int settle_node(struct jl_sim_run *run, size_t index, struct joulie_error *err)
{
    struct jl_sim_fleet *fleet = &run->fleet;
    const struct jl_sim_node *node = &fleet->nodes[index];
    int rc = jl_sim_node_power_step(fleet, index) ? node_changed(run, index, err) : 0;
    jl_sim_touch(fleet, index);
    for (size_t i = 0; i < node->job_count && rc == 0;) {
        const size_t job_index = node->jobs[i];
        struct jl_sim_job *job = &fleet->jobs[job_index];
        finish_part(&job->cpu, fleet->now_s);
        finish_part(&job->gpu, fleet->now_s);
        const bool is_done =
            job->cpu.left <= 0 && job->gpu.left <= 0 && jl_sim_gang_is_ready(fleet, job_index);
        const bool is_stalled = job->stalled_s + JL_SIM_STALL_S <= fleet->now_s;
        if (!is_done && !is_stalled) {
            i++;
            continue;
        }
        rc = end_job(run, job_index, is_done ? JL_JOB_COMPLETED : JL_JOB_FAILED, err);
    }
    return rc;
}

static int end_jobs(struct jl_sim_run *run, struct joulie_error *err)
{
    size_t index;
    int rc = 0;
    while (rc == 0 && jl_event_queue_take(&run->fleet.events, run->fleet.now_s, &index))
        rc = settle_node(run, index, err);
    return rc;
}

static double next_arrival(const struct jl_sim_run *run)
{
    const struct jl_sim_fleet *fleet = &run->fleet;
    return fleet->submitted < fleet->workload->count
               ? fleet->workload->tasks[fleet->submitted].job->submit_s
               : JL_NEVER;
}

static int arrivals(struct jl_sim_run *run, struct joulie_error *err)
{
    struct jl_sim_fleet *fleet = &run->fleet;
    int rc = 0;
    while (rc == 0 && next_arrival(run) <= fleet->now_s) {
        const size_t index = fleet->submitted++;
        if (!jl_sim_has_hope(fleet->workload, index)) {
            rc = end_job(run, index, JL_JOB_UNPLACED, err);
            continue;
        }
        fleet->jobs[index].state = JL_JOB_QUEUED;
        fleet->last_change_s = fleet->now_s;
        jl_sim_queue_add(&run->queue, index);
        rc = pod_changed(run, index, err);
    }
    return rc;
}

static int update_nodes(struct jl_sim_run *run, struct joulie_error *err)
{
    struct jl_sim_fleet *fleet = &run->fleet;
    int rc = 0;
    for (size_t i = 0; i < fleet->dirty_count && rc == 0; i++)
        rc = jl_sim_node_update(fleet, fleet->dirty[i]);
    fleet->dirty_count = 0;
    return rc < 0 ? jl_fail_memory(err) : 0;
}

static int step_controller(struct jl_sim_run *run, struct joulie_error *err)
{
    const struct jl_sim_controller *controller = &run->controller;
    return controller->ops->step ? controller->ops->step(controller->self, err) : 0;
}

static int place(struct jl_sim_run *run, struct joulie_error *err)
{
    return jl_sim_place(&run->queue, &run->fleet, &run->controller, &run->settings.ranking, err);
}

static int switch_nodes(struct jl_sim_run *run, struct joulie_error *err)
{
    return run->power_off
               ? jl_sim_power_off_step(run->power_off, &run->queue, &run->controller, err)
               : 0;
}

/* What happens at one time, in this order. */
static int (*const phases[])(struct jl_sim_run *run, struct joulie_error *err) = {
    end_jobs, update_nodes, arrivals, step_controller, place, switch_nodes, update_nodes,
};

static bool has_news(const struct jl_sim_controller *controller)
{
    return controller->ops->has_news && controller->ops->has_news(controller->self);
}

/* Begins an instant or goes on with it. 0, JL_SIM_WAITS, or a failure. */
static int instant(struct jl_sim_run *run, struct joulie_error *err)
{
    run->is_open = true;
    while (run->phase < JL_COUNT(phases)) {
        const int rc = phases[run->phase](run, err);
        if (rc != 0)
            return rc;
        run->phase++;
        if (has_news(&run->controller))
            return JL_SIM_WAITS;
    }
    run->phase = 0;
    run->is_open = false;
    run->is_finished = !run->goes_on && jl_sim_ended(&run->fleet) == run->fleet.workload->count;
    return 0;
}

/* ---- hours ---- */

static int keep_hour(struct jl_sim_hours *hours, const struct jl_sim_fleet *fleet,
                     const struct jl_sim_decisions *decisions)
{
    const size_t count = hours->count * fleet->node_count;
    if (JL_GROW(&hours->items, &hours->capacity, count + fleet->node_count) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < fleet->node_count; i++) {
        const struct jl_sim_node *node = &fleet->nodes[i];
        hours->items[count + i] = (struct jl_sim_hour){
            .running = (uint32_t)node->job_count,
            .state = jl_sim_state(decisions, i),
            .power = node->power_state,
        };
        jl_sim_add_energy(&hours->items[count + i].energy, node, hours->next_s);
    }
    hours->count++;
    hours->next_s += JL_SIM_HOUR_S;
    return 0;
}

/* Keeps the hours that end at or before until_s, to which nothing happens any more. */
static int keep_hours(struct jl_sim_run *run, double until_s)
{
    int rc = 0;
    while (rc == 0 && run->hours.next_s <= until_s)
        rc = keep_hour(&run->hours, &run->fleet, &run->decisions);
    return rc;
}

/* ---- what cannot go on (docs/rules/simulation.md#stuck-runs) ---- */

static size_t last_open_gang(const struct jl_sim_fleet *fleet)
{
    for (size_t i = fleet->submitted; i-- > 0;) {
        const size_t gang = fleet->workload->tasks[i].gang;
        if (fleet->jobs[i].state == JL_JOB_RUNNING && gang != JL_NO_GANG &&
            !jl_sim_gang_is_ready(fleet, i))
            return gang;
    }
    return JL_NO_GANG;
}

/* Nothing runs on and nothing will come: gangs that hold each other's room give way from the last
 * one, then the queue ends. */
static int give_up(struct jl_sim_run *run, struct joulie_error *err)
{
    const size_t gang = last_open_gang(&run->fleet);
    int rc = 0;
    if (gang == JL_NO_GANG)
        run->queue.count = 0; /* all of it goes */
    for (size_t i = 0; i < run->fleet.submitted && rc == 0; i++) {
        const enum jl_sim_job_state state = run->fleet.jobs[i].state;
        const bool is_waiting = state == JL_JOB_QUEUED || state == JL_JOB_RUNNING;
        const bool is_of_gang = gang != JL_NO_GANG && run->fleet.workload->tasks[i].gang == gang;
        if (is_waiting && is_of_gang)
            rc = end_job(run, i, JL_JOB_FAILED, err);
        else if (is_waiting && gang == JL_NO_GANG)
            rc = end_job(run, i, state == JL_JOB_QUEUED ? JL_JOB_UNPLACED : JL_JOB_FAILED, err);
    }
    return rc;
}

/* The time when a stuck run gives up; JL_NEVER while something can happen by itself. */
static double give_up_time(const struct jl_sim_run *run)
{
    if (run->goes_on || jl_event_queue_next(&run->fleet.events) < JL_NEVER ||
        next_arrival(run) < JL_NEVER)
        return JL_NEVER;
    return run->fleet.last_change_s + GRACE_S;
}

/* Goes to the next time at which something happens; 1, or 0 when that is after until_s. */
static int advance(struct jl_sim_run *run, double until_s, struct joulie_error *err)
{
    struct jl_sim_fleet *fleet = &run->fleet;
    double next_s = jl_min(jl_event_queue_next(&fleet->events), next_arrival(run));
    if (run->controller.ops->due_s)
        next_s = jl_min(next_s, run->controller.ops->due_s(run->controller.self));
    if (run->power_off)
        next_s = jl_min(next_s, jl_sim_power_off_due_s(run->power_off));
    const double stuck_s = give_up_time(run);
    const bool is_stuck = stuck_s <= next_s && fleet->dirty_count == 0;
    next_s = fleet->dirty_count > 0 ? fleet->now_s : jl_min(next_s, stuck_s);
    if (next_s > until_s || next_s >= JL_NEVER)
        return 0;
    next_s = jl_max(next_s, fleet->now_s); /* somebody outside may be late */
    if (keep_hours(run, next_s) < 0)
        return jl_fail_memory(err);
    fleet->now_s = next_s;
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
        run->fleet.now_s = jl_max(run->fleet.now_s, until_s);
    run->is_finished |= rc == 0 && run->fleet.now_s >= run->settings.limit_s;
    return rc;
}
