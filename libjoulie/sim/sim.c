/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_sim_*(): reads the inputs, drives the two runs, and hands out views, outcomes and texts.
 */

#include "sim/sim.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "policy/policy.h"
#include "schema/decode.h"
#include "schema/document.h"
#include "sim/control.h"
#include "sim/outside.h"
#include "sim/summary.h"

#define SECONDS_PER_HOUR 3600.0
#define MOST_HOURS 87660 /* ten years: a trace that never ends does not run for ever */

/* Sizes of the first release: later members come behind these. */
#define OPTIONS_SIZE_0_1 (offsetof(struct joulie_sim_options, nodes) + sizeof(int64_t))
#define VIEW_SIZE_0_1 (offsetof(struct joulie_sim_view, design_it_w) + sizeof(double))

_Static_assert(sizeof(struct joulie_sim_options) == OPTIONS_SIZE_0_1, "no tail padding");
_Static_assert(sizeof(struct joulie_sim_view) == VIEW_SIZE_0_1, "no tail padding");

/* Puts the name of the text in front of the place: "inventory: nodes[0].cpu". Returns the code. */
static int place_in(struct joulie_error *err, const char *text, int code)
{
    char where[sizeof err->where];
    if (code == JOULIE_E_NOMEM)
        return code;
    memcpy(where, err->where, sizeof where);
    const char *const parts[] = { text, where[0] ? ": " : "", where };
    size_t used = 0;
    for (size_t i = 0; i < JL_COUNT(parts); i++) {
        const size_t len = jl_utf8_cut(parts[i], strlen(parts[i]), sizeof err->where - 1 - used);
        memcpy(err->where + used, parts[i], len);
        used += len;
    }
    err->where[used] = '\0';
    return code;
}

/* ---- reading ---- */

static int read_policy(const struct joulie_sim_options *options, struct jl_arena *arena,
                       struct jl_policy_config *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    *out = (struct jl_policy_config){ .has = 0 };
    if (options->policy) {
        int rc = jl_document_read(&document, options->policy, options->policy_len, err);
        struct jl_decode decode = { .arena = arena,
                                    .text = document.text,
                                    .len = document.len,
                                    .lines = document.lines,
                                    .err = err };
        if (rc == 0)
            rc = jl_decode_document(&decode, &jl_policy_table, out);
        if (rc < 0)
            return place_in(err, "policy", rc);
    }
    jl_policy_defaults(out);
    return 0;
}

static int read_settings(const struct joulie_sim_options *options, struct jl_sim_settings *out,
                         struct joulie_error *err)
{
    const char *placement = options->placement ? options->placement : "joulie";
    const char *physics = options->physics ? options->physics : "current";
    if (!jl_same(placement, "joulie") && !jl_same(placement, "least-allocated"))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "placement", "there is no placement \"%.64s\"",
                       placement);
    if (!jl_same(physics, "current") && !jl_same(physics, "v0.1.1"))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "physics", "there is no physics set \"%.64s\"",
                       physics);
    if (options->nodes < 0)
        return jl_fail(err, JOULIE_E_RANGE, "nodes", "a number of nodes cannot be negative");
    if (!(options->hours >= 0 && options->hours <= MOST_HOURS))
        return jl_fail(err, JOULIE_E_RANGE, "hours", "from 0 to 87660 hours can be simulated");
    *out = (struct jl_sim_settings){
        .physics = jl_same(physics, "current") ? JL_PHYSICS_CURRENT : JL_PHYSICS_V0_1_1,
        .placement = jl_same(placement, "joulie") ? JL_PLACE_BY_JOULIE : JL_PLACE_LEAST_ALLOCATED,
        .limit_s = (options->hours > 0 ? options->hours : MOST_HOURS) * SECONDS_PER_HOUR,
        .keeps_hours = options->keeps_hours != 0,
    };
    return 0;
}

static int read_inputs(struct joulie_sim *sim, const struct joulie_sim_options *options,
                       const struct jl_sim_settings *settings, struct joulie_error *err)
{
    int rc = jl_inventory_read(options->inventory, options->inventory_len, options->nodes,
                               settings->physics, &sim->inventory, err);
    if (rc < 0)
        return place_in(err, "inventory", rc);
    rc = jl_trace_read(options->trace, options->trace_len, options->is_lenient != 0, &sim->trace,
                       err);
    if (rc < 0)
        return place_in(err, "trace", rc);
    rc = jl_sim_workload_init(&sim->trace, &sim->inventory, &sim->workload);
    return rc < 0 ? jl_fail_memory(err) : 0;
}

static int start_runs(struct joulie_sim *sim, const struct jl_sim_settings *settings,
                      const struct jl_policy_config *policy, bool is_external,
                      struct joulie_error *err)
{
    struct jl_sim_settings plain = *settings;
    plain.placement = JL_PLACE_LEAST_ALLOCATED;
    int rc = jl_sim_run_init(&sim->controlled, &sim->inventory, &sim->workload, settings, err);
    if (rc == 0 && is_external)
        rc = jl_sim_outside_new(&sim->controlled, &sim->controlled.outside, err);
    else if (rc == 0)
        rc = jl_sim_control_new(&sim->controlled, policy, &sim->controlled.control, err);
    if (rc == 0 && sim->is_compared)
        rc = jl_sim_run_init(&sim->uncontrolled, &sim->inventory, &sim->workload, &plain, err);
    if (!is_external)
        sim->controlled.operator_s = 0;
    return rc;
}

static int build(struct joulie_sim *sim, const struct joulie_sim_options *options,
                 struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_sim_settings settings;
    struct jl_policy_config policy = { .has = 0 };
    sim->is_compared = options->compare != 0;
    sim->seed = options->seed;
    int rc = read_settings(options, &settings, err);
    if (rc == 0 && !options->is_external)
        rc = read_policy(options, &arena, &policy, err);
    if (rc == 0)
        rc = read_inputs(sim, options, &settings, err);
    return rc == 0 ? start_runs(sim, &settings, &policy, options->is_external != 0, err) : rc;
}

int joulie_sim_new(const struct joulie_sim_options *options, struct joulie_sim **out,
                   struct joulie_error *err)
{
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_options mine;
    if (jl_sized_check(options, OPTIONS_SIZE_0_1) < 0 ||
        jl_sized_read(&mine, sizeof mine, options) < 0)
        return jl_refuse(err, JOULIE_E_ABI, "", "struct joulie_sim_options of another release");
    if (!mine.inventory || !mine.trace)
        return jl_refuse(err, JOULIE_E_REQUIRED, mine.inventory ? "trace" : "inventory",
                         "a simulation needs both");

    struct joulie_sim *sim = jl_calloc(1, sizeof *sim);
    const int rc = sim ? build(sim, &mine, &detail) : jl_fail_memory(&detail);
    if (rc < 0) {
        joulie_sim_free(sim);
        jl_error_export(&detail, err);
        return rc;
    }
    *out = sim;
    return JOULIE_OK;
}

void joulie_sim_free(struct joulie_sim *sim)
{
    if (!sim)
        return;
    jl_sim_run_clear(&sim->controlled);
    jl_sim_run_clear(&sim->uncontrolled);
    jl_sim_workload_clear(&sim->workload);
    jl_trace_clear(&sim->trace);
    jl_inventory_clear(&sim->inventory);
    jl_buffer_clear(&sim->text);
    jl_free(sim);
}

int joulie_sim_run_until(struct joulie_sim *sim, double until_s, struct joulie_error *err)
{
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    if (until_s != until_s)
        return jl_refuse(err, JOULIE_E_RANGE, "until", "not a time");
    if (sim->controlled.outside)
        return jl_refuse(err, JOULIE_E_CONFLICT, "", "an external simulation goes by its events");
    int rc = jl_sim_run_until(&sim->controlled, until_s, &detail);
    if (rc == 0 && sim->is_compared)
        rc = jl_sim_run_until(&sim->uncontrolled, until_s, &detail);
    if (rc < 0)
        jl_error_export(&detail, err);
    return rc;
}

/* ---- reading out ---- */

static void view_nodes(const struct jl_sim_run *run, struct joulie_sim_view *out)
{
    struct jl_sim_counts counts;
    jl_sim_count(&run->decisions, &counts);
    out->nodes = (int64_t)run->node_count;
    out->nodes_performance = (int64_t)counts.performance;
    out->nodes_eco = (int64_t)counts.eco;
    out->nodes_draining = (int64_t)counts.draining;
    out->nodes_undecided = (int64_t)counts.other;
    out->transitions = counts.transitions;
    out->decisions = counts.decisions;
    int64_t millicores = 0;
    for (size_t i = 0; i < run->node_count; i++) {
        const struct jl_sim_node *node = &run->nodes[i];
        out->nodes_busy += node->job_count > 0;
        out->cores += node->machine->family->cores;
        out->gpus += node->machine->family->gpus;
        out->gpus_requested += node->machine->family->gpus - run->rooms[i].free_gpus;
        millicores += run->rooms[i].used_millicores;
        out->cpu_power_w += node->cpu.power_w;
        out->gpu_power_w += node->gpu.power_w;
    }
    out->cores_requested = (double)millicores / 1000;
}

static void view_jobs(const struct jl_sim_run *run, struct joulie_sim_view *out)
{
    out->jobs = (int64_t)run->workload->count;
    out->submitted = (int64_t)run->submitted;
    out->queued = (int64_t)run->queue_count;
    out->running = (int64_t)run->running;
    out->completed = (int64_t)run->completed;
    out->failed = (int64_t)run->failed;
    out->unplaced = (int64_t)run->unplaced;
}

int joulie_sim_get_view(const struct joulie_sim *sim, struct joulie_sim_view *out,
                        struct joulie_error *err)
{
    const struct jl_sim_run *run = &sim->controlled;
    const struct jl_sim_run *other = &sim->uncontrolled;
    struct joulie_sim_view view = { .struct_size = sizeof view };
    if (jl_sized_check(out, VIEW_SIZE_0_1) < 0)
        return jl_refuse(err, JOULIE_E_ABI, "out", "struct_size is impossible");
    view.time_s = run->now_s;
    view.is_finished = run->is_finished && (!sim->is_compared || other->is_finished);
    view.has_uncontrolled = sim->is_compared;
    view_nodes(run, &view);
    view_jobs(run, &view);
    view.energy_j = jl_sim_it_energy_j(run);
    view.design_it_w = jl_sim_design_it_w(run->inventory);
    if (sim->is_compared) {
        view.uncontrolled_time_s = other->now_s;
        view.uncontrolled_power_w = jl_sim_it_power_w(other);
        view.uncontrolled_energy_j = jl_sim_it_energy_j(other);
        view.uncontrolled_queued = (int64_t)other->queue_count;
        view.uncontrolled_running = (int64_t)other->running;
        view.uncontrolled_completed = (int64_t)other->completed;
    }
    jl_sized_write(out, &view, sizeof view);
    return JOULIE_OK;
}

static struct jl_sim_pair pair_of(const struct joulie_sim *sim)
{
    return (struct jl_sim_pair){ &sim->controlled, sim->is_compared ? &sim->uncontrolled : NULL,
                                 sim->seed };
}

int joulie_sim_node_at(const struct joulie_sim *sim, size_t index, struct joulie_sim_node_view *out,
                       struct joulie_error *err)
{
    const struct jl_sim_run *run = &sim->controlled;
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_refuse(err, JOULIE_E_ABI, "out", "struct_size is impossible");
    if (index >= run->node_count)
        return jl_refuse(err, JOULIE_E_RANGE, "index", "there is no such machine");
    const struct jl_sim_node *node = &run->nodes[index];
    const struct jl_sim_room *room = &run->rooms[index];
    struct joulie_sim_node_view view = {
        .struct_size = sizeof view,
        .name = node->machine->name,
        .state = jl_sim_state(&run->decisions, index),
        .jobs = (int64_t)node->job_count,
        .cores = node->machine->family->cores,
        .gpus = node->machine->family->gpus,
        .cores_requested = (double)room->used_millicores / 1000,
        .gpus_requested = node->machine->family->gpus - room->free_gpus,
        .cpu_power_w = node->cpu.power_w,
        .gpu_power_w = node->gpu.power_w,
    };
    if (sim->is_compared) {
        const struct jl_sim_node *other = &sim->uncontrolled.nodes[index];
        view.uncontrolled_power_w = other->cpu.power_w + other->gpu.power_w;
    }
    jl_sized_write(out, &view, sizeof view);
    return JOULIE_OK;
}

int joulie_sim_get_outcome(const struct joulie_sim *sim, int32_t is_uncontrolled,
                           struct joulie_sim_outcome *out, struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_refuse(err, JOULIE_E_ABI, "out", "struct_size is impossible");
    if (is_uncontrolled && !sim->is_compared)
        return jl_refuse(err, JOULIE_E_RANGE, "isUncontrolled", "there is no uncontrolled run");
    const struct jl_sim_run *run = is_uncontrolled ? &sim->uncontrolled : &sim->controlled;
    struct jl_sim_outcome outcome;
    jl_sim_outcome_of(run, &outcome);
    const struct joulie_sim_outcome mine = {
        .struct_size = sizeof mine,
        .jobs = (int64_t)run->workload->count,
        .completed = outcome.completed,
        .failed = (int64_t)run->failed,
        .unplaced = (int64_t)run->unplaced,
        .cpu_units = outcome.units.cpu,
        .gpu_units = outcome.units.gpu,
        .energy_j = jl_sim_it_energy_j(run),
        .has = (outcome.has_makespan ? JOULIE_SIM_OUTCOME_HAS_MAKESPAN : 0) |
               (outcome.has_wait ? JOULIE_SIM_OUTCOME_HAS_MEAN_WAIT : 0),
        .makespan_s = outcome.makespan_s,
        .mean_wait_s = outcome.mean_wait_s,
    };
    jl_sized_write(out, &mine, sizeof mine);
    return JOULIE_OK;
}

int joulie_sim_saving(const struct joulie_sim *sim, double *out_pct, struct joulie_error *err)
{
    const struct jl_sim_pair pair = pair_of(sim);
    const char *why = jl_sim_saving(&pair, out_pct);
    return why ? jl_refuse(err, JOULIE_E_CONFLICT, "", "%s", why) : JOULIE_OK;
}

int jl_sim_hand_out(struct jl_buffer *buffer, int rc, char **out, struct joulie_error *err)
{
    char *text = rc < 0 ? NULL : jl_buffer_take(buffer);
    jl_buffer_clear(buffer);
    if (!text)
        return jl_refuse_memory(err);
    *out = text;
    return JOULIE_OK;
}

int joulie_sim_summary(const struct joulie_sim *sim, char **json, struct joulie_error *err)
{
    struct jl_buffer buffer = { 0 };
    const struct jl_sim_pair pair = pair_of(sim);
    return jl_sim_hand_out(&buffer, jl_sim_put_summary(&buffer, &pair), json, err);
}

int joulie_sim_csv(const struct joulie_sim *sim, const char *table, char **csv,
                   struct joulie_error *err)
{
    struct jl_buffer buffer = { 0 };
    const struct jl_sim_pair pair = pair_of(sim);
    if (jl_same(table, "nodes"))
        return jl_sim_hand_out(&buffer, jl_sim_put_nodes(&buffer, &pair), csv, err);
    if (jl_same(table, "jobs"))
        return jl_sim_hand_out(&buffer, jl_sim_put_jobs(&buffer, &pair), csv, err);
    if (jl_same(table, "decisions"))
        return jl_sim_hand_out(&buffer, jl_sim_put_decisions(&buffer, &sim->controlled), csv, err);
    return jl_refuse(err, JOULIE_E_UNSUPPORTED, "table", "there is no such table");
}

int joulie_sim_models(const struct joulie_sim *sim, char **json, struct joulie_error *err)
{
    struct jl_buffer buffer = { 0 };
    return jl_sim_hand_out(&buffer, jl_sim_put_models(&buffer, &sim->inventory), json, err);
}
