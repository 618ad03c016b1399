/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The built-in controller of a run: a cluster model fed by the run's nodes, pods and telemetry,
 * whose actions become decisions and caps (docs/rules/simulation.md#control-steps).
 */

#include "sim/control.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/time.h"
#include "node/node.h"
#include "sim/node.h"
#include "sim/pod.h"

#define MS_PER_S 1000
#define MOST_PARTS 2 /* the packages together, and the GPUs, which all get the same */

struct controlled_node {      /* what its agent sees of its NodeTwin */
    struct jl_twin_spec spec; /* the intents only */
    int64_t updated_ms;       /* lastUpdated of its status */
};

struct control {
    struct jl_sim_fleet *fleet;
    struct jl_sim_decisions *decisions;
    struct joulie_cluster *cluster;
    double operator_s;            /* its next regular step */
    struct jl_event_queue agents; /* with a spec that they have not applied */
    struct controlled_node *nodes;
    struct jl_arena scratch;
    bool *admits;    /* performance pods, by node */
    bool admits_all; /* every node does */
    bool reads_work; /* the policy does */
    bool has_stepped;
    int64_t heartbeat_ms;
};

/* ---- life ---- */

static int put_machine(struct control *control, const struct jl_sim_machine *machine,
                       const char *now, struct joulie_error *err)
{
    struct jl_node node;
    struct jl_node_hardware hardware;
    jl_arena_reset(&control->scratch);
    if (jl_sim_node_object(machine, &control->scratch, &node) < 0 ||
        jl_sim_hardware_object(machine, now, &control->scratch, &hardware) < 0)
        return jl_fail_memory(err);
    const int rc = jl_cluster_put_node(control->cluster, &node, err);
    return rc < 0 ? rc : jl_cluster_put_hardware(control->cluster, &hardware, err);
}

static int put_machines(struct control *control, struct joulie_error *err)
{
    char now[JL_TIME_TEXT];
    int rc = 0;
    jl_format_time(jl_sim_instant_ms(0), now);
    for (size_t i = 0; i < control->fleet->node_count && rc == 0; i++)
        rc = put_machine(control, control->fleet->nodes[i].machine, now, err);
    return rc;
}

static void control_free(void *self)
{
    struct control *control = self;
    joulie_cluster_free(control->cluster);
    jl_free(control->nodes);
    jl_free(control->admits);
    jl_event_queue_clear(&control->agents);
    jl_arena_clear(&control->scratch);
    jl_free(control);
}

/* ---- pods ---- */

static int pod_of(struct control *control, size_t index, struct jl_pod *out,
                  struct joulie_error *err)
{
    const struct jl_sim_fleet *fleet = control->fleet;
    const struct jl_sim_job *job = &fleet->jobs[index];
    const bool is_running = job->state == JL_JOB_RUNNING;
    const struct jl_sim_pod state = {
        .node_name = is_running ? fleet->nodes[job->node].machine->name : NULL,
        .phase = is_running ? "Running" : "Pending",
    };
    jl_arena_reset(&control->scratch);
    if (jl_sim_pod_object(fleet->workload->tasks[index].job, &state, &control->scratch, out) < 0)
        return jl_fail_memory(err);
    return 0;
}

/* Of policies that read it: what is known of the work, as young as its pod. */
static int put_profile(struct control *control, const struct jl_trace_job *job,
                       struct joulie_error *err)
{
    char now[JL_TIME_TEXT];
    struct jl_workload_profile profile;
    jl_format_time(jl_sim_instant_ms(control->fleet->now_s), now);
    jl_arena_reset(&control->scratch);
    if (jl_sim_profile_object(job, now, &control->scratch, &profile) < 0)
        return jl_fail_memory(err);
    return jl_cluster_put_profile(control->cluster, &profile, err);
}

static int remove_job(struct control *control, const struct jl_trace_job *job,
                      struct joulie_error *err)
{
    int rc = joulie_cluster_remove(control->cluster, "Pod", job->name_space, job->job_id, err);
    if (rc == 0 && control->reads_work)
        rc = joulie_cluster_remove(control->cluster, "WorkloadProfile", job->name_space,
                                   job->job_id, err);
    return rc;
}

/* Into the operator's caches: a pod that waits, is bound or has gone. */
static int pod_changed(void *self, size_t index, struct joulie_error *err)
{
    struct control *control = self;
    const struct jl_trace_job *trace = control->fleet->workload->tasks[index].job;
    const enum jl_sim_job_state state = control->fleet->jobs[index].state;
    if (state != JL_JOB_QUEUED && state != JL_JOB_RUNNING)
        return remove_job(control, trace, err);
    struct jl_pod pod;
    int rc = control->reads_work ? put_profile(control, trace, err) : 0;
    if (rc == 0)
        rc = pod_of(control, index, &pod, err);
    return rc < 0 ? rc : jl_cluster_put_pod(control->cluster, &pod, err);
}

static int score(struct control *control, const struct jl_pod *pod,
                 const struct jl_sim_node_list *nodes, const struct jl_cluster_score **out,
                 struct joulie_error *err)
{
    size_t count = 0;
    const int rc =
        jl_cluster_score_pod_on(control->cluster, pod, nodes->nodes, nodes->count,
                                jl_sim_instant_ms(control->fleet->now_s), out, &count, err);
    if (rc == 0 && count != control->fleet->node_count)
        return jl_fail(err, JOULIE_E_INTERNAL, "", "the extender knows %zu nodes of %zu", count,
                       control->fleet->node_count);
    return rc;
}

/* What the extender's filter says to a performance pod. A node that admits what it refused has room
 * that the queue has not seen. */
static int refresh_admits(struct control *control, struct joulie_error *err)
{
    static const struct jl_sim_pod waiting = { NULL, "Pending" };
    const struct jl_cluster_score *scores;
    struct jl_pod pod;
    jl_arena_reset(&control->scratch);
    if (jl_sim_pod_object(&jl_sim_any_performance_job, &waiting, &control->scratch, &pod) < 0)
        return jl_fail_memory(err);
    const struct jl_sim_node_list all = { NULL, control->fleet->node_count };
    const int rc = score(control, &pod, &all, &scores, err);
    control->admits_all = true;
    for (size_t i = 0; i < control->fleet->node_count && rc == 0; i++) {
        const bool admits = !scores[i].rejected;
        if (admits && !control->admits[i])
            jl_sim_room_freed(control->fleet, i);
        control->admits[i] = admits;
        control->admits_all &= admits;
    }
    return rc;
}

/* The filter depends on the class of a pod and nothing else, and its answer changes with the
 * operator's steps only. */
static int filter(void *self, size_t index, const struct jl_sim_node_list *nodes, const bool **out,
                  struct joulie_error *err)
{
    const struct control *control = self;
    (void)nodes;
    (void)err;
    const bool is_filtered = jl_sim_shape_of(control->fleet, index)->is_performance;
    *out = is_filtered && !control->admits_all ? control->admits : NULL;
    return 0;
}

static int prioritize(void *self, size_t index, const struct jl_sim_node_list *nodes,
                      const struct jl_cluster_score **out, struct joulie_error *err)
{
    struct control *control = self;
    struct jl_pod pod;
    const int rc = pod_of(control, index, &pod, err);
    return rc < 0 ? rc : score(control, &pod, nodes, out, err);
}

/* ---- operator ---- */

/* Beside measured power the model decides nothing by utilisation. */
static int sample_nodes(struct control *control, struct joulie_error *err)
{
    const struct jl_sim_fleet *fleet = control->fleet;
    return jl_cluster_sample_all(control->cluster, jl_sim_instant_ms(fleet->now_s), fleet->power_w,
                                 fleet->node_count, err);
}

double jl_sim_agent_time(size_t node, size_t node_count, double now_s)
{
    const int64_t interval_ms = JL_SIM_AGENT_INTERVAL_MS;
    const int64_t offset_ms = interval_ms * (int64_t)node / (int64_t)node_count;
    const double now_ms = ceil(now_s * MS_PER_S);
    int64_t at_ms = offset_ms;
    if (now_ms > (double)offset_ms)
        at_ms += ((int64_t)now_ms - offset_ms) / interval_ms * interval_ms;
    while ((double)at_ms / MS_PER_S < now_s)
        at_ms += interval_ms;
    return (double)at_ms / MS_PER_S;
}

static int take_spec(struct control *control, const struct jl_cluster_write *action)
{
    const struct jl_sim_fleet *fleet = control->fleet;
    const size_t index = action->node_index; /* machines are in name order, too */
    struct controlled_node *node = &control->nodes[index];
    const struct jl_twin_spec *spec = action->spec;
    node->spec = (struct jl_twin_spec){ .profile = spec->profile };
    JL_TAKE(&node->spec, cpu, spec, cpu);
    JL_TAKE(&node->spec, gpu, spec, gpu);
    jl_event_queue_set(&control->agents, index,
                       jl_sim_agent_time(index, fleet->node_count, fleet->now_s));
    return jl_sim_decide(control->decisions, fleet->now_s, index, spec);
}

static bool changes_filter(const struct jl_cluster_write *action)
{
    if (action->change != JOULIE_CHANGE_STATUS)
        return true;
    return !action->old_status ||
           action->old_status->schedulable_class != action->status->schedulable_class;
}

static int step_operator(struct control *control, struct joulie_error *err)
{
    const int64_t now_ms = jl_sim_instant_ms(control->fleet->now_s);
    const struct jl_cluster_write *actions;
    size_t count = 0;
    bool is_filter_changed = !control->has_stepped;
    int rc = sample_nodes(control, err);
    control->heartbeat_ms = now_ms;
    joulie_cluster_heartbeat(control->cluster, now_ms);
    if (rc == 0)
        rc = jl_cluster_step(control->cluster, now_ms, &actions, &count, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct jl_cluster_write *action = &actions[i];
        is_filter_changed |= changes_filter(action);
        if (action->change == JOULIE_CHANGE_SPEC && take_spec(control, action) < 0)
            return jl_fail_memory(err);
        if (action->change == JOULIE_CHANGE_STATUS)
            control->nodes[action->node_index].updated_ms = now_ms;
        rc = joulie_cluster_action_done(control->cluster, action->id, JOULIE_OUTCOME_APPLIED, err);
    }
    control->has_stepped = true;
    return rc == 0 && is_filter_changed ? refresh_admits(control, err) : rc;
}

/* ---- agents ---- */

/* The packages as one remote part: the simulated node takes the watts of all of them. */
static struct jl_part cpu_part(const struct jl_sim_node *node)
{
    const struct jl_sim_family *family = node->machine->family;
    return (struct jl_part){
        .kind = JOULIE_NODE_KIND_PACKAGE,
        .id = "remote",
        .limits = { .min_w = jl_sim_socket_min_w(family), .max_w = jl_sim_socket_max_w(family) },
        .packages = (double)family->sockets,
        .is_controllable = true,
        .has_current = true,
        .current_w = node->cpu_cap.target,
        .is_ours = node->has_cpu_cap,
        .original_w = family->profile.default_cap_w,
    };
}

static struct jl_part gpu_part(const struct jl_sim_node *node)
{
    const struct jl_gpu_profile *gpu = &node->machine->family->profile.gpu;
    return (struct jl_part){
        .kind = JOULIE_NODE_KIND_GPU,
        .id = "remote",
        .limits = { .min_w = gpu->min_cap_w, .max_w = gpu->max_w },
        .is_controllable = true,
        .has_current = true,
        .current_w = node->gpu_cap.target,
        .is_ours = node->gpu_cap.target < gpu->max_w,
        .original_w = gpu->max_w,
    };
}

static void apply(struct jl_sim_fleet *fleet, size_t index, const struct jl_part *part,
                  const struct jl_part_want *want)
{
    const double cap_w = want->write == JL_WRITE_CAP ? want->target_w : 0;
    if (part->kind == JOULIE_NODE_KIND_PACKAGE)
        jl_sim_set_cpu_cap(fleet, index, cap_w);
    else
        jl_sim_set_gpu_cap(fleet, index, cap_w);
}

/*
 * The library's own step, applied at once. With an unchanged spec it writes nothing, so a run takes
 * one only when the spec has changed. What the step would report (applied) is what the operator
 * assumes without a report, so nothing is reported.
 */
static void step_agent(struct control *control, size_t index)
{
    struct jl_sim_fleet *fleet = control->fleet;
    const struct controlled_node *seen = &control->nodes[index];
    const struct jl_sim_node *node = &fleet->nodes[index];
    struct jl_part parts[MOST_PARTS] = { cpu_part(node), gpu_part(node) };
    struct jl_part_want wants[MOST_PARTS];
    struct jl_node_memory memory = { 0 };
    size_t order[MOST_PARTS];
    char last_updated[JL_TIME_TEXT];
    struct jl_node_config config;
    jl_format_time(seen->updated_ms, last_updated);
    jl_node_defaults(&config);
    config.mode = JL_NODE_ENFORCE;
    config.freshness.has_heartbeat = true;
    config.freshness.heartbeat_ms = control->heartbeat_ms;
    const struct jl_node_input input = {
        .spec = &seen->spec,
        .last_updated = last_updated,
        .parts = parts,
        .part_count = node->machine->family->gpus > 0 ? 2 : 1,
        .now_ms = jl_sim_instant_ms(fleet->now_s),
    };
    const size_t count = jl_node_step(&config, &input, &memory, wants, order);
    for (size_t i = 0; i < count; i++)
        apply(fleet, index, &parts[order[i]], &wants[order[i]]);
}

/* ---- the controller ---- */

/* Work that waits does not wait for the interval (joulie_cluster_early_step_ms()). */
static double early_s(const struct control *control)
{
    const int64_t now_ms = jl_sim_instant_ms(control->fleet->now_s);
    const int64_t early_ms = joulie_cluster_early_step_ms(control->cluster, now_ms);
    return early_ms < INT64_MAX ? jl_sim_time_s(early_ms) : JL_NEVER;
}

static double due_s(const void *self)
{
    const struct control *control = self;
    const double operator_s = jl_min(control->operator_s, early_s(control));
    return jl_min(operator_s, jl_event_queue_next(&control->agents));
}

static int step(void *self, struct joulie_error *err)
{
    struct control *control = self;
    const double now_s = control->fleet->now_s;
    size_t index;
    const bool is_regular = control->operator_s <= now_s;
    if (is_regular || early_s(control) <= now_s) {
        const int rc = step_operator(control, err);
        if (rc < 0)
            return rc;
    }
    if (is_regular)
        control->operator_s += JL_SIM_OPERATOR_INTERVAL_S;
    while (jl_event_queue_take(&control->agents, now_s, &index))
        step_agent(control, index);
    return 0;
}

static const struct jl_sim_controller_ops ops = {
    .free = control_free,
    .pod_changed = pod_changed,
    .due_s = due_s,
    .step = step,
    .filter = filter,
    .prioritize = prioritize,
};

int jl_sim_control_new(struct jl_sim_fleet *fleet, struct jl_sim_decisions *decisions,
                       const struct jl_policy_config *policy,
                       const struct jl_scoring_profile *scoring, struct jl_sim_controller *out,
                       struct joulie_error *err)
{
    struct jl_cluster_config config = { 0 };
    JL_SET(&config, policy, *policy);
    JL_SET(&config, scoring, *scoring);
    struct control *control = jl_calloc(1, sizeof *control);
    if (!control)
        return jl_fail_memory(err);
    control->fleet = fleet;
    control->decisions = decisions;
    control->nodes = jl_calloc(fleet->node_count, sizeof *control->nodes);
    control->admits = jl_calloc(fleet->node_count, sizeof *control->admits);
    int rc = control->nodes && control->admits &&
                     jl_event_queue_init(&control->agents, fleet->node_count) == 0
                 ? jl_cluster_make(&config, &control->cluster, err)
                 : jl_fail_memory(err);
    if (rc == 0) { /* so the policy has a rule */
        control->reads_work = jl_policy_of(policy->type)->reads == JL_READS_WORK;
        rc = put_machines(control, err);
    }
    if (rc < 0) {
        control_free(control);
        return rc;
    }
    *out = (struct jl_sim_controller){ &ops, control };
    return 0;
}
