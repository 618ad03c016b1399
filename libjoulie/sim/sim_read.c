/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_sim_*() that read: views, outcomes, summary, tables, objects and bodies of the contract.
 * Nothing moves by them. */

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "schema/encode.h"
#include "sim/contract.h"
#include "sim/emit.h"
#include "sim/pod.h"
#include "sim/power.h"
#include "sim/sim.h"
#include "sim/summary.h"
#include "sim/usage.h"

int64_t joulie_sim_instant_ms(double time_s)
{
    const double most_s = 1e12; /* inside an int64_t, also as milliseconds */
    return time_s == time_s ? jl_sim_instant_ms(jl_clamp(time_s, -most_s, most_s)) : 0;
}

/* ---- views ---- */

/* Nodes by the last decision; what is requested is what their rooms lack. */
static void view_nodes(const struct jl_sim_run *run, struct joulie_sim_view *out)
{
    const struct jl_sim_fleet *fleet = &run->fleet;
    struct jl_sim_counts counts;
    jl_sim_count(&run->decisions, &counts);
    out->nodes = (int64_t)fleet->node_count;
    out->nodes_performance = (int64_t)counts.performance;
    out->nodes_eco = (int64_t)counts.eco;
    out->nodes_draining = (int64_t)counts.draining;
    out->nodes_undecided = (int64_t)counts.other;
    out->transitions = counts.transitions;
    out->decisions = counts.decisions;
    int64_t millicores = 0;
    for (size_t i = 0; i < fleet->node_count; i++) {
        const struct jl_sim_node *node = &fleet->nodes[i];
        out->nodes_busy += node->job_count > 0;
        out->nodes_off += node->power_state != JL_NODE_ON;
        out->cores += node->machine->family->cores;
        out->gpus += node->machine->family->gpus;
        out->gpus_requested += node->machine->family->gpus - fleet->rooms[i].free_gpus;
        millicores += fleet->rooms[i].used_millicores;
        out->cpu_power_w += node->cpu.power_w;
        out->gpu_power_w += node->gpu.power_w;
    }
    jl_sim_mean_utils(fleet, &out->mean_cpu_util, &out->mean_gpu_util);
    out->cores_requested = (double)millicores / 1000;
}

static void view_jobs(const struct jl_sim_run *run, struct joulie_sim_view *out)
{
    out->jobs = (int64_t)run->fleet.workload->count;
    out->submitted = (int64_t)run->fleet.submitted;
    out->queued = (int64_t)run->queue.count;
    out->running = (int64_t)run->fleet.running;
    out->completed = (int64_t)run->fleet.completed;
    out->failed = (int64_t)run->fleet.failed;
    out->unplaced = (int64_t)run->fleet.unplaced;
}

int joulie_sim_get_view(const struct joulie_sim *sim, struct joulie_sim_view *out,
                        struct joulie_error *err)
{
    const struct jl_sim_run *run = &sim->controlled;
    const struct jl_sim_fleet *other = &sim->uncontrolled.fleet;
    struct joulie_sim_view view = { .struct_size = sizeof view };
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "out");
    view.time_s = run->fleet.now_s;
    view.is_finished = run->is_finished && (!sim->is_compared || sim->uncontrolled.is_finished);
    view.has_uncontrolled = sim->is_compared;
    view_nodes(run, &view);
    view_jobs(run, &view);
    view.energy_j = jl_sim_it_energy_j(&run->fleet);
    view.design_it_w = jl_sim_design_it_w(&sim->inventory);
    if (sim->is_compared) {
        view.uncontrolled_time_s = other->now_s;
        view.uncontrolled_power_w = jl_sim_it_power_w(other);
        view.uncontrolled_energy_j = jl_sim_it_energy_j(other);
        view.uncontrolled_queued = (int64_t)sim->uncontrolled.queue.count;
        view.uncontrolled_running = (int64_t)other->running;
        view.uncontrolled_completed = (int64_t)other->completed;
    }
    jl_sized_write(out, &view, sizeof view);
    return JOULIE_OK;
}

static struct jl_sim_pair pair_of(const struct joulie_sim *sim)
{
    return (struct jl_sim_pair){
        .controlled = &sim->controlled.fleet,
        .uncontrolled = sim->is_compared ? &sim->uncontrolled.fleet : NULL,
        .controlled_hours = &sim->controlled.hours,
        .uncontrolled_hours = &sim->uncontrolled.hours,
        .decisions = &sim->controlled.decisions,
        .seed = sim->seed,
    };
}

int joulie_sim_node_at(const struct joulie_sim *sim, size_t index, struct joulie_sim_node_view *out,
                       struct joulie_error *err)
{
    const struct jl_sim_fleet *fleet = &sim->controlled.fleet;
    struct jl_sim_node_now now;
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "out");
    if (index >= fleet->node_count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "there is no such machine");
    jl_sim_node_now(fleet, index, &now);
    const struct jl_sim_node *node = &fleet->nodes[index];
    const struct jl_sim_room *room = &fleet->rooms[index];
    struct joulie_sim_node_view view = {
        .struct_size = sizeof view,
        .name = node->machine->name,
        .state = jl_sim_state(&sim->controlled.decisions, index),
        .jobs = (int64_t)node->job_count,
        .cores = node->machine->family->cores,
        .gpus = node->machine->family->gpus,
        .cores_requested = (double)room->used_millicores / 1000,
        .gpus_requested = node->machine->family->gpus - room->free_gpus,
        .cpu_power_w = node->cpu.power_w,
        .gpu_power_w = node->gpu.power_w,
        .cpu_util = node->cpu_util,
        .freq_scale = node->freq,
        .throttle_pct = jl_sim_throttle_pct(&now),
        .cpu_target_cap_w = node->cpu_cap.target,
        .cpu_cap_w = jl_sim_rapl_cap_w(node, &now),
        .last_action = node->request.action,
        .last_result = node->request.result,
        .power_state = jl_word_of(&jl_sim_power_words, (int)node->power_state),
        .cpu_energy_j = jl_sim_energy_j(&node->cpu, fleet->now_s),
        .gpu_energy_j = jl_sim_energy_j(&node->gpu, fleet->now_s),
    };
    if (sim->is_compared) {
        const struct jl_sim_node *other = &sim->uncontrolled.fleet.nodes[index];
        view.uncontrolled_power_w = other->cpu.power_w + other->gpu.power_w;
    }
    jl_sized_write(out, &view, sizeof view);
    return JOULIE_OK;
}

int joulie_sim_node_by_name(const struct joulie_sim *sim, const char *name,
                            struct joulie_sim_node_view *out, struct joulie_error *err)
{
    size_t index;
    const int rc = jl_sim_find_machine(sim, name, &index, err);
    return rc < 0 ? rc : joulie_sim_node_at(sim, index, out, err);
}

/* The GPUs of a node are handed out in the order in which its jobs came. */
static int64_t gpus_before(const struct jl_sim_fleet *fleet, const struct jl_sim_node *node,
                           size_t index)
{
    int64_t sum = 0;
    for (size_t i = 0; i < index; i++)
        sum += fleet->workload->tasks[node->jobs[i]].job->gpu_count;
    return sum;
}

int joulie_sim_pod_at(const struct joulie_sim *sim, size_t node_index, size_t index,
                      struct joulie_sim_pod_view *out, struct joulie_error *err)
{
    const struct jl_sim_fleet *fleet = &sim->controlled.fleet;
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "out");
    if (!fleet->usages)
        return jl_fail(err, JOULIE_E_CONFLICT, "", "the simulation is not external");
    if (node_index >= fleet->node_count)
        return jl_fail(err, JOULIE_E_RANGE, "node", "there is no such machine");
    const struct jl_sim_node *node = &fleet->nodes[node_index];
    if (index >= node->job_count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "there is no such pod on the machine");
    const size_t job = node->jobs[index];
    const struct jl_trace_job *trace = fleet->workload->tasks[job].job;
    const struct jl_sim_usage usage = jl_sim_usage_at(fleet, job, fleet->now_s);
    const struct jl_sim_gpu_use gpu = jl_sim_gpu_use(fleet, job);
    const struct joulie_sim_pod_view view = {
        .struct_size = sizeof view,
        .name_space = trace->name_space,
        .name = trace->job_id,
        .container = JL_SIM_CONTAINER,
        .cpu_s = usage.cpu_s,
        .memory_bytes = (double)trace->memory_bytes * trace->work.memory,
        .package_energy_j = usage.package_j,
        .dram_energy_j = usage.dram_j,
        .gpu_energy_j = usage.gpu_j,
        .gpu_util = gpu.util,
        .gpu_mem_util = gpu.memory,
        .first_gpu = gpus_before(fleet, node, index),
        .gpus = trace->gpu_count,
    };
    jl_sized_write(out, &view, sizeof view);
    return JOULIE_OK;
}

int joulie_sim_get_outcome(const struct joulie_sim *sim, int32_t is_uncontrolled,
                           struct joulie_sim_outcome *out, struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "out");
    if (is_uncontrolled && !sim->is_compared)
        return jl_fail(err, JOULIE_E_RANGE, "isUncontrolled", "there is no uncontrolled run");
    const struct jl_sim_pair pair = pair_of(sim);
    struct joulie_sim_outcome mine;
    jl_sim_outcome_of(&pair, is_uncontrolled != 0, &mine);
    jl_sized_write(out, &mine, sizeof mine);
    return JOULIE_OK;
}

int joulie_sim_get_spread(const struct joulie_sim *sim, int32_t is_uncontrolled,
                          enum joulie_sim_measure measure, enum joulie_sim_group group,
                          struct joulie_sim_spread *out, struct joulie_error *err)
{
    struct joulie_sim_spread spreads[JL_SIM_GROUPS];
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "out");
    if (is_uncontrolled && !sim->is_compared)
        return jl_fail(err, JOULIE_E_RANGE, "isUncontrolled", "there is no uncontrolled run");
    if (measure <= JOULIE_SIM_MEASURE_UNKNOWN || measure >= JL_SIM_MEASURES)
        return jl_fail(err, JOULIE_E_ENUM, "measure", "there is no such measure");
    if (group <= JOULIE_SIM_GROUP_UNKNOWN || group >= JL_SIM_GROUPS)
        return jl_fail(err, JOULIE_E_ENUM, "group", "there is no such group of jobs");
    if (jl_sim_spread(is_uncontrolled ? &sim->uncontrolled.fleet : &sim->controlled.fleet, measure,
                      spreads) < 0)
        return jl_fail_memory(err);
    jl_sized_write(out, &spreads[group], sizeof spreads[group]);
    return JOULIE_OK;
}

int joulie_sim_saving(const struct joulie_sim *sim, double *out_pct, struct joulie_error *err)
{
    const struct jl_sim_pair pair = pair_of(sim);
    const char *why = jl_sim_saving(&pair, out_pct);
    return why ? jl_fail(err, JOULIE_E_CONFLICT, "", "%s", why) : JOULIE_OK;
}

int joulie_sim_summary(const struct joulie_sim *sim, char **json, struct joulie_error *err)
{
    struct jl_buffer buffer = { 0 };
    const struct jl_sim_pair pair = pair_of(sim);
    return jl_sim_hand_out(&buffer, jl_sim_put_summary(&buffer, &pair), NULL, json, err);
}

int joulie_sim_csv(const struct joulie_sim *sim, const char *table, char **csv,
                   struct joulie_error *err)
{
    static const struct {
        const char *table;
        int (*put)(struct jl_buffer *out, const struct jl_sim_pair *pair);
    } tables[] = {
        { "nodes", jl_sim_put_nodes },
        { "jobs", jl_sim_put_jobs },
        { "families", jl_sim_put_families },
        { "decisions", jl_sim_put_decisions },
    };
    struct jl_buffer buffer = { 0 };
    const struct jl_sim_pair pair = pair_of(sim);
    for (size_t i = 0; i < JL_COUNT(tables); i++) {
        if (jl_same(table, tables[i].table))
            return jl_sim_hand_out(&buffer, tables[i].put(&buffer, &pair), NULL, csv, err);
    }
    return jl_fail(err, JOULIE_E_UNSUPPORTED, "table", "there is no such table");
}

int joulie_sim_models(const struct joulie_sim *sim, char **json, struct joulie_error *err)
{
    struct jl_buffer buffer = { 0 };
    return jl_sim_hand_out(&buffer, jl_sim_put_models(&buffer, &sim->inventory), NULL, json, err);
}

/* ---- machines ---- */

int jl_sim_find_machine(const struct joulie_sim *sim, const char *name, size_t *out,
                        struct joulie_error *err)
{
    *out = jl_sim_machine_index(&sim->inventory, name);
    if (!jl_same(sim->inventory.machines[*out].name, name))
        return jl_fail(err, JOULIE_E_NOT_FOUND, "node", "there is no node \"%.253s\"", name);
    return 0;
}

/* Node and NodeHardware as of virtual time 0. */
static int encode_machine(const struct joulie_sim *sim, size_t index, struct jl_buffer *node,
                          struct jl_buffer *hardware)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const struct jl_sim_machine *machine = &sim->inventory.machines[index];
    struct jl_node node_object;
    struct jl_node_hardware hardware_object;
    char now[JL_TIME_TEXT];
    jl_format_time(jl_sim_instant_ms(0), now);
    if (jl_sim_node_object(machine, &arena, &node_object) < 0 ||
        jl_sim_hardware_object(machine, now, &arena, &hardware_object) < 0)
        return JOULIE_E_NOMEM;
    jl_encode(node, &jl_node_table, &node_object);
    jl_encode(hardware, &jl_node_hardware_table, &hardware_object);
    return node->is_failed || hardware->is_failed ? JOULIE_E_NOMEM : 0;
}

int joulie_sim_objects(const struct joulie_sim *sim, size_t index, char **node, char **hardware,
                       struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer node_text = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer hardware_text = { 0 };
    if (index >= sim->inventory.count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "there are %zu nodes", sim->inventory.count);
    if (encode_machine(sim, index, &node_text, &hardware_text) < 0)
        return jl_fail_memory(err);
    if (node)
        *node = jl_buffer_take(&node_text);
    if (hardware)
        *hardware = jl_buffer_take(&hardware_text);
    return JOULIE_OK;
}

static int put_all(const struct joulie_sim *sim, const char *what, char **json,
                   struct joulie_error *err)
{
    static const struct {
        const char *what;
        int (*put)(struct jl_buffer *out, const struct jl_sim_fleet *fleet);
    } bodies[] = {
        { "jobs", jl_sim_put_debug_jobs },
        { "nodes", jl_sim_put_debug_nodes },
        { "energy", jl_sim_put_debug_energy },
    };
    struct jl_buffer buffer = { 0 };
    for (size_t i = 0; i < JL_COUNT(bodies); i++) {
        if (jl_same(what, bodies[i].what))
            return jl_sim_hand_out(&buffer, bodies[i].put(&buffer, &sim->controlled.fleet), NULL,
                                   json, err);
    }
    return jl_fail(err, JOULIE_E_ENUM, "what", "there is no such body");
}

int joulie_sim_body(const struct joulie_sim *sim, const char *node_name, const char *what,
                    char **json, struct joulie_error *err)
{
    const struct jl_sim_fleet *fleet = &sim->controlled.fleet;
    struct jl_buffer buffer = { 0 };
    size_t index;
    if (!node_name)
        return put_all(sim, what, json, err);
    const int rc = jl_sim_find_machine(sim, node_name, &index, err);
    if (rc < 0)
        return rc;
    if (jl_same(what, "telemetry"))
        return jl_sim_hand_out(&buffer, jl_sim_put_telemetry(&buffer, fleet, index), NULL, json,
                               err);
    if (jl_same(what, "state"))
        return jl_sim_hand_out(&buffer, jl_sim_put_state(&buffer, fleet, index), NULL, json, err);
    return jl_fail(err, JOULIE_E_ENUM, "what", "there is no such body");
}
