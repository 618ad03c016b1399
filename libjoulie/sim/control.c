/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/control.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/time.h"
#include "sim/agent.h"
#include "sim/pod.h"

/* Virtual time 0 as an instant, for the time stamps in objects: 2026-01-01T00:00:00Z. */
#define START_MS INT64_C(1767225600000)
#define MS_PER_S 1000

struct controlled_node {     /* what its NodeTwin asks for */
    enum jl_profile profile; /* UNKNOWN = nothing was decided yet */
    bool is_draining;
    struct jl_twin_spec spec; /* the intents only */
    int64_t updated_ms;       /* lastUpdated of its status */
};

struct jl_sim_control {
    struct jl_sim_run *run;
    struct jl_cluster *cluster;
    struct controlled_node *nodes;
    struct jl_cluster_sample *samples; /* by node */
    struct jl_arena scratch;
    bool *admits; /* performance pods, by node */
    bool has_stepped;
    int64_t heartbeat_ms;
    int64_t transitions;
    int64_t decisions;
};

static int64_t instant_ms(double now_s)
{
    return START_MS + (int64_t)jl_round_half_away(now_s * MS_PER_S);
}

/* ---- life ---- */

static int put_machine(struct jl_sim_control *control, const struct jl_sim_machine *machine,
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

static int put_machines(struct jl_sim_control *control, struct joulie_error *err)
{
    char now[JL_TIME_TEXT];
    int rc = 0;
    jl_format_time(START_MS, now);
    for (size_t i = 0; i < control->run->node_count && rc == 0; i++)
        rc = put_machine(control, control->run->nodes[i].machine, now, err);
    return rc;
}

int jl_sim_control_new(struct jl_sim_run *run, const struct jl_policy_config *policy,
                       struct jl_sim_control **out, struct joulie_error *err)
{
    struct jl_cluster_config config;
    jl_cluster_defaults(&config);
    config.policy = *policy;
    struct jl_sim_control *control = jl_calloc(1, sizeof *control);
    if (!control)
        return jl_fail_memory(err);
    control->run = run;
    control->nodes = jl_calloc(run->node_count, sizeof *control->nodes);
    control->samples = jl_calloc(run->node_count, sizeof *control->samples);
    control->admits = jl_calloc(run->node_count, sizeof *control->admits);
    int rc = control->nodes && control->samples && control->admits
                 ? jl_cluster_new(&config, &control->cluster, err)
                 : jl_fail_memory(err);
    if (rc == 0)
        rc = put_machines(control, err);
    if (rc < 0) {
        jl_sim_control_free(control);
        return rc;
    }
    *out = control;
    return 0;
}

void jl_sim_control_free(struct jl_sim_control *control)
{
    if (!control)
        return;
    jl_cluster_free(control->cluster);
    jl_free(control->nodes);
    jl_free(control->samples);
    jl_free(control->admits);
    jl_arena_clear(&control->scratch);
    jl_free(control);
}

/* ---- pods ---- */

static int pod_of(struct jl_sim_control *control, size_t index, struct jl_pod *out,
                  struct joulie_error *err)
{
    const struct jl_sim_run *run = control->run;
    const struct jl_sim_job *job = &run->jobs[index];
    const bool is_running = job->state == JL_JOB_RUNNING;
    const struct jl_sim_pod state = {
        .node_name = is_running ? run->nodes[job->node].machine->name : NULL,
        .phase = is_running ? "Running" : "Pending",
    };
    jl_arena_reset(&control->scratch);
    if (jl_sim_pod_object(run->workload->tasks[index].job, &state, &control->scratch, out) < 0)
        return jl_fail_memory(err);
    return 0;
}

int jl_sim_control_pod(struct jl_sim_control *control, size_t index, double now_s,
                       struct joulie_error *err)
{
    const struct jl_trace_job *trace = control->run->workload->tasks[index].job;
    const enum jl_sim_job_state state = control->run->jobs[index].state;
    (void)now_s;
    if (state != JL_JOB_QUEUED && state != JL_JOB_RUNNING)
        return jl_cluster_remove(control->cluster, "Pod", trace->name_space, trace->job_id, err);
    struct jl_pod pod;
    const int rc = pod_of(control, index, &pod, err);
    return rc < 0 ? rc : jl_cluster_put_pod(control->cluster, &pod, err);
}

static int score(struct jl_sim_control *control, const struct jl_pod *pod, double now_s,
                 const struct jl_cluster_score **out, struct joulie_error *err)
{
    size_t count = 0;
    const int rc = jl_cluster_score_pod(control->cluster, pod, instant_ms(now_s), out, &count, err);
    if (rc == 0 && count != control->run->node_count)
        return jl_fail(err, JOULIE_E_INTERNAL, "", "the extender knows %zu nodes of %zu", count,
                       control->run->node_count);
    return rc;
}

/* What the extender says to a performance pod. A node that admits what it refused has room that the
 * queue has not seen. */
static int refresh_admits(struct jl_sim_control *control, double now_s, struct joulie_error *err)
{
    static const struct jl_trace_job any = { .job_id = "any",
                                             .name_space = "",
                                             .is_performance = true };
    static const struct jl_sim_pod waiting = { NULL, "Pending" };
    const struct jl_cluster_score *scores;
    struct jl_pod pod;
    jl_arena_reset(&control->scratch);
    if (jl_sim_pod_object(&any, &waiting, &control->scratch, &pod) < 0)
        return jl_fail_memory(err);
    const int rc = score(control, &pod, now_s, &scores, err);
    for (size_t i = 0; i < control->run->node_count && rc == 0; i++) {
        const bool admits = !scores[i].rejected;
        if (admits && !control->admits[i])
            jl_sim_room_freed(control->run, i);
        control->admits[i] = admits;
    }
    return rc;
}

const bool *jl_sim_control_admits(const struct jl_sim_control *control)
{
    return control->admits;
}

int jl_sim_control_score(struct jl_sim_control *control, size_t index, double now_s,
                         const struct jl_cluster_score **out, struct joulie_error *err)
{
    struct jl_pod pod;
    const int rc = pod_of(control, index, &pod, err);
    return rc < 0 ? rc : score(control, &pod, now_s, out, err);
}

/* ---- operator ---- */

static int sample_nodes(struct jl_sim_control *control, double now_s, struct joulie_error *err)
{
    const struct jl_sim_run *run = control->run;
    for (size_t i = 0; i < run->node_count; i++) {
        const struct jl_sim_node *node = &run->nodes[i];
        struct jl_cluster_sample *sample = &control->samples[i];
        *sample = (struct jl_cluster_sample){ .at_ms = instant_ms(now_s) };
        JL_PUT(sample, JL_SAMPLE_POWER, node_power_w, node->cpu.power_w + node->gpu.power_w);
        JL_PUT(sample, JL_SAMPLE_SOURCE, source, JL_SOURCE_HTTP);
        JL_PUT(sample, JL_SAMPLE_CPU_UTIL, cpu_util_pct, 100 * node->cpu_util);
        if (node->machine->family->gpus > 0)
            JL_PUT(sample, JL_SAMPLE_GPU_UTIL, gpu_util_pct, 100 * node->gpu_util);
    }
    return jl_cluster_sample_all(control->cluster, control->samples, run->node_count, err);
}

/* The machine of a name; machines are sorted. */
static size_t node_index(const struct jl_sim_run *run, const char *name)
{
    size_t low = 0;
    size_t high = run->node_count;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        if (jl_compare(run->nodes[middle].machine->name, name) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The node's agent looks every 20 s, each at its own second; this is the first time that it sees a
 * change made now. */
static double next_agent_step(const struct jl_sim_run *run, size_t index, double now_s)
{
    const double offset_s = JL_SIM_AGENT_INTERVAL_S * (double)index / (double)run->node_count;
    const double steps = ceil((now_s - offset_s) / JL_SIM_AGENT_INTERVAL_S);
    const double at_s = offset_s + JL_SIM_AGENT_INTERVAL_S * jl_max(0, steps);
    return at_s < now_s ? at_s + JL_SIM_AGENT_INTERVAL_S : at_s;
}

static void take_spec(struct jl_sim_control *control, const struct jl_cluster_action *action,
                      double now_s)
{
    const size_t index = node_index(control->run, action->node_name);
    struct controlled_node *node = &control->nodes[index];
    const struct jl_twin_spec *spec = action->spec;
    const bool is_draining = JL_HAS(spec, JL_TWIN_SPEC_SCHEDULING) && spec->scheduling.draining;
    const bool is_change = spec->profile != node->profile || is_draining != node->is_draining;
    control->decisions++;
    control->transitions += control->has_stepped && is_change;
    node->profile = spec->profile;
    node->is_draining = is_draining;
    node->spec = (struct jl_twin_spec){ .profile = spec->profile };
    if (JL_HAS(spec, JL_TWIN_SPEC_CPU))
        JL_PUT(&node->spec, JL_TWIN_SPEC_CPU, cpu, spec->cpu);
    if (JL_HAS(spec, JL_TWIN_SPEC_GPU))
        JL_PUT(&node->spec, JL_TWIN_SPEC_GPU, gpu, spec->gpu);
    jl_event_queue_set(&control->run->agent_events, index,
                       next_agent_step(control->run, index, now_s));
}

static bool changes_filter(const struct jl_cluster_action *action)
{
    if (action->kind != JL_ACTION_WRITE_STATUS)
        return true;
    return !action->old_status ||
           action->old_status->schedulable_class != action->status->schedulable_class;
}

int jl_sim_control_operator(struct jl_sim_control *control, double now_s, struct joulie_error *err)
{
    const struct jl_cluster_action *actions;
    size_t count = 0;
    bool is_filter_changed = !control->has_stepped;
    int rc = sample_nodes(control, now_s, err);
    control->heartbeat_ms = instant_ms(now_s);
    jl_cluster_heartbeat(control->cluster, control->heartbeat_ms);
    if (rc == 0)
        rc = jl_cluster_step(control->cluster, instant_ms(now_s), &actions, &count, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct jl_cluster_action *action = &actions[i];
        is_filter_changed |= changes_filter(action);
        if (action->kind == JL_ACTION_WRITE_SPEC)
            take_spec(control, action, now_s);
        if (action->kind == JL_ACTION_WRITE_STATUS)
            control->nodes[node_index(control->run, action->node_name)].updated_ms =
                control->heartbeat_ms;
        rc = jl_cluster_done(control->cluster, action->id, JL_ACTION_APPLIED, err);
    }
    control->has_stepped = true;
    return rc == 0 && is_filter_changed ? refresh_admits(control, now_s, err) : rc;
}

/* ---- agents ---- */

int jl_sim_control_agent(struct jl_sim_control *control, size_t index, double now_s,
                         struct joulie_error *err)
{
    const struct controlled_node *node = &control->nodes[index];
    char last_updated[JL_TIME_TEXT];
    (void)err;
    jl_format_time(node->updated_ms, last_updated);
    const struct jl_sim_agent agent = {
        .spec = &node->spec,
        .last_updated = last_updated,
        .heartbeat_ms = control->heartbeat_ms,
        .now_ms = instant_ms(now_s),
    };
    jl_sim_agent_step(control->run, index, &agent);
    return 0;
}

/* ---- for people ---- */

const char *jl_sim_control_state(const struct jl_sim_control *control, size_t index)
{
    const struct controlled_node *node = &control->nodes[index];
    if (node->profile == JL_PROFILE_UNKNOWN)
        return NULL;
    return node->is_draining ? "draining" : jl_word_of(&jl_profile_words, (int)node->profile);
}

void jl_sim_control_counts(const struct jl_sim_control *control, struct jl_sim_counts *out)
{
    *out = (struct jl_sim_counts){ .transitions = control->transitions,
                                   .decisions = control->decisions };
    for (size_t i = 0; i < control->run->node_count; i++) {
        const struct controlled_node *node = &control->nodes[i];
        out->draining += node->is_draining;
        out->performance += node->profile == JL_PROFILE_PERFORMANCE;
        out->eco += node->profile == JL_PROFILE_ECO && !node->is_draining;
        out->other += node->profile == JL_PROFILE_UNKNOWN;
    }
}
