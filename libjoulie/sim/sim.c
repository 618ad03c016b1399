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
#include "sim/contract.h"
#include "sim/control.h"
#include "sim/emit.h"
#include "sim/power.h"

#define SECONDS_PER_HOUR 3600.0
#define MOST_HOURS 87660 /* ten years: a trace that never ends does not run for ever */

#define MOST_WIRE 100
#define MOST_LIMIT_W 1e12
#define MOST_WEIGHT 100 /* of an extender, as kube-scheduler has it of a plugin */

_Static_assert(sizeof(enum joulie_sim_event_kind) == 4, "enums of public structs have four bytes");
_Static_assert(sizeof(enum joulie_sim_measure) == 4, "enums of parameters have four bytes");
_Static_assert(sizeof(enum joulie_sim_group) == 4, "enums of parameters have four bytes");

/* Puts the name of the text in front of the path: "inventory: nodes[0].cpu". Returns the code. */
static int place_in(struct joulie_error *err, const char *text, int code)
{
    if (code != JOULIE_E_NOMEM)
        jl_error_inside(err, text, ": ");
    return code;
}

/* ---- reading ---- */

/* The policy is the member `policy` of the question plan, with the same defaults. */
static int read_policy(const struct joulie_sim_options *options, struct jl_arena *arena,
                       struct jl_policy_config *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    *out = (struct jl_policy_config){ .has = 0 };
    if (options->policy) {
        int rc = jl_document_read(&document, options->policy, options->policy_len, err);
        struct jl_decode decode = jl_document_decode(&document, arena, err);
        if (rc == 0)
            rc = jl_decode_document(&decode, &jl_policy_config_table, out);
        if (rc < 0)
            return place_in(err, "policy", rc);
    }
    jl_policy_defaults(out, JL_POLICY_CURRENT);
    return 0;
}

static int read_base(const char *word, struct jl_sim_ranking *out, struct joulie_error *err)
{
    const int base = word ? jl_word_value(&jl_kube_scoring_words, jl_text(word)) : (int)out->base;
    if (base == JL_KUBE_UNKNOWN)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "placement_base",
                       "kube-scheduler has no scoring \"%.64s\"", word);
    out->base = (enum jl_kube_scoring)base;
    return 0;
}

/* Of the controlled run. A scorer outside says one whole number of a node, and no watts. */
static int read_ranking(const struct joulie_sim_options *options, struct jl_sim_ranking *out,
                        struct joulie_error *err)
{
    const char *word = options->placement ? options->placement : "joulie";
    if (!jl_sim_ranking_of(word, out) || (out->is_by_cost && options->is_external))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "placement", "there is no placement \"%.64s\"",
                       word);
    if (options->extender_weight < 0 || options->extender_weight > MOST_WEIGHT)
        return jl_fail(err, JOULIE_E_RANGE, "extender_weight", "from 0 to 100");
    if (options->extender_weight > 0 && out->extender_weight > 0)
        out->extender_weight = options->extender_weight;
    return read_base(options->placement_base, out, err);
}

/* Without an extender in the uncontrolled run, the words that need none are its words. */
static int read_baseline(const struct joulie_sim_options *options, struct jl_sim_ranking *out,
                         struct joulie_error *err)
{
    const char *word = options->baseline ? options->baseline : "least-allocated";
    if (!jl_sim_ranking_of(word, out) || out->extender_weight > 0)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "baseline",
                       "the uncontrolled run has no placement \"%.64s\"", word);
    return 0;
}

/* The extender's profile: a document that names no formula has that of the placement. */
static int read_scoring(const struct joulie_sim_options *options,
                        const struct jl_sim_ranking *ranking, struct jl_arena *arena,
                        struct jl_scoring_profile *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    *out = (struct jl_scoring_profile){ 0 };
    if (options->scoring) {
        int rc = jl_document_read(&document, options->scoring, options->scoring_len, err);
        struct jl_decode decode = jl_document_decode(&document, arena, err);
        if (rc == 0)
            rc = jl_decode_document(&decode, &jl_scoring_profile_table, out);
        if (rc < 0)
            return place_in(err, "scoring", rc);
    }
    if (!out->given.rules)
        JL_SET(out, rules, ranking->extender);
    return 0;
}

/* With an empty document everything has its default. */
static int read_power_off(const struct joulie_sim_options *options, struct jl_arena *arena,
                          struct jl_sim_settings *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    if (!options->power_off && options->baseline_power_off)
        return jl_fail(err, JOULIE_E_REQUIRED, "powerOff", "the baseline's nodes need it, too");
    if (!options->power_off)
        return 0;
    if (options->is_external)
        return jl_fail(err, JOULIE_E_CONFLICT, "powerOff",
                       "an external simulation is switched by its clients");
    int rc = jl_document_read(&document, options->power_off, options->power_off_len, err);
    struct jl_decode decode = jl_document_decode(&document, arena, err);
    if (rc == 0)
        rc = jl_decode_document(&decode, &jl_power_off_config_table, &out->power_off);
    if (rc < 0)
        return place_in(err, "powerOff", rc);
    jl_power_off_defaults(&out->power_off);
    out->switches_off = true;
    return 0;
}

static int check_run(const struct joulie_sim_options *options, struct joulie_error *err)
{
    if (options->is_uncontrolled && (options->compare || options->is_external))
        return jl_fail(
            err, JOULIE_E_CONFLICT, "isUncontrolled",
            "an uncontrolled run alone has nothing beside it, and nobody who controls it");
    if (options->speeds && !jl_same(options->speeds, "catalog") &&
        !jl_same(options->speeds, "equal"))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "speeds", "there are no speeds \"%.64s\"",
                       options->speeds);
    return 0;
}

/* Of the controlled run; the uncontrolled one differs in its ranking. */
static int read_settings(const struct joulie_sim_options *options, struct jl_sim_settings *out,
                         struct jl_sim_ranking *baseline, struct joulie_error *err)
{
    struct jl_sim_ranking ranking;
    const char *physics = options->physics ? options->physics : "current";
    int rc = check_run(options, err);
    if (rc == 0)
        rc = read_ranking(options, &ranking, err);
    if (rc == 0)
        rc = read_baseline(options, baseline, err);
    if (rc < 0)
        return rc;
    if (!jl_same(physics, "current") && !jl_same(physics, "v0.1.1"))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "physics", "there is no physics set \"%.64s\"",
                       physics);
    if (options->nodes < 0)
        return jl_fail(err, JOULIE_E_RANGE, "nodes", "a number of nodes cannot be negative");
    if (!(options->hours >= 0 && options->hours <= MOST_HOURS))
        return jl_fail(err, JOULIE_E_RANGE, "hours", "from 0 to 87660 hours can be simulated");
    if (!(options->it_limit_w >= 0 && options->it_limit_w <= MOST_LIMIT_W))
        return jl_fail(err, JOULIE_E_RANGE, "itLimitW", "a limit is from 0 to 1e12 W");
    if (!(options->rack_limit_w >= 0 && options->rack_limit_w <= MOST_LIMIT_W))
        return jl_fail(err, JOULIE_E_RANGE, "rackLimitW", "a limit is from 0 to 1e12 W");
    *out = (struct jl_sim_settings){
        .physics = jl_same(physics, "current") ? JL_PHYSICS_CURRENT : JL_PHYSICS_V0_1_1,
        .ranking = options->is_uncontrolled ? *baseline : ranking,
        .limit_s = (options->hours > 0 ? options->hours : MOST_HOURS) * SECONDS_PER_HOUR,
        .keeps_hours = options->keeps_hours != 0,
        .it_limit_w = options->it_limit_w,
        .rack_limit_w = options->rack_limit_w,
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
    if (jl_same(options->speeds, "equal"))
        jl_inventory_make_equal(&sim->inventory);
    rc = jl_trace_read(options->trace, options->trace_len, options->is_lenient != 0, &sim->trace,
                       err);
    if (rc < 0)
        return place_in(err, "trace", rc);
    rc = jl_sim_workload_init(&sim->trace, &sim->inventory, &sim->workload);
    return rc < 0 ? jl_fail_memory(err) : 0;
}

/* The uncontrolled run has the same trace and machines, kube-scheduler alone, and nobody who
 * decides. */
static int start_runs(struct joulie_sim *sim, const struct jl_sim_settings *settings,
                      const struct jl_sim_ranking *baseline, const struct jl_policy_config *policy,
                      const struct jl_scoring_profile *scoring,
                      const struct joulie_sim_options *options, struct joulie_error *err)
{
    const bool is_external = options->is_external != 0;
    struct jl_sim_run *run = &sim->controlled;
    struct jl_sim_settings plain = *settings;
    plain.ranking = *baseline;
    plain.switches_off = options->baseline_power_off != 0;
    int rc = jl_sim_run_init(run, &sim->inventory, &sim->workload, settings, err);
    if (rc == 0 && !is_external && !options->is_uncontrolled)
        rc = jl_sim_control_new(&run->fleet, &run->decisions, policy, scoring, &run->controller,
                                err);
    if (rc == 0 && is_external) {
        rc = jl_sim_outside_new(&run->fleet, settings->ranking.extender_weight > 0, &sim->outside);
        if (rc == 0)
            run->controller = jl_sim_outside_controller(sim->outside);
        else
            jl_fail_memory(err);
    }
    if (rc == 0 && sim->is_compared)
        rc = jl_sim_run_init(&sim->uncontrolled, &sim->inventory, &sim->workload, &plain, err);
    return rc;
}

static int build(struct joulie_sim *sim, const struct joulie_sim_options *options,
                 struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_sim_settings settings;
    struct jl_sim_ranking baseline;
    struct jl_policy_config policy = { .has = 0 };
    struct jl_scoring_profile scoring;
    sim->is_compared = options->compare != 0;
    sim->seed = options->seed;
    int rc = read_settings(options, &settings, &baseline, err);
    if (rc == 0 && !options->is_external)
        rc = read_policy(options, &arena, &policy, err);
    if (rc == 0)
        rc = read_scoring(options, &settings.ranking, &arena, &scoring, err);
    if (rc == 0)
        rc = read_power_off(options, &arena, &settings, err);
    if (rc == 0)
        rc = read_inputs(sim, options, &settings, err);
    return rc == 0 ? start_runs(sim, &settings, &baseline, &policy, &scoring, options, err) : rc;
}

int joulie_sim_new(const struct joulie_sim_options *options, struct joulie_sim **out,
                   struct joulie_error *err)
{
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_options mine;
    if (jl_sized_check(options, sizeof *options) < 0 ||
        jl_sized_read(&mine, sizeof mine, options) < 0)
        return jl_fail(err, JOULIE_E_ABI, "", "struct joulie_sim_options of another release");
    if (!mine.inventory || !mine.trace)
        return jl_fail(err, JOULIE_E_REQUIRED, mine.inventory ? "trace" : "inventory",
                       "a simulation needs both");

    struct joulie_sim *sim = jl_calloc(1, sizeof *sim);
    const int rc = sim ? build(sim, &mine, &detail) : jl_fail_memory(&detail);
    if (rc < 0) {
        joulie_sim_free(sim);
        return jl_error_return(&detail, rc, err);
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
    jl_buffer_clear(&sim->texts.pod);
    jl_buffer_clear(&sim->texts.profile);
    jl_free(sim);
}

int joulie_sim_run_until(struct joulie_sim *sim, double until_s, struct joulie_error *err)
{
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    if (until_s != until_s)
        return jl_fail(err, JOULIE_E_RANGE, "until", "not a time");
    if (sim->outside)
        return jl_fail(err, JOULIE_E_CONFLICT, "", "an external simulation goes by its events");
    int rc = jl_sim_run_until(&sim->controlled, until_s, &detail);
    if (rc == 0 && sim->is_compared)
        rc = jl_sim_run_until(&sim->uncontrolled, until_s, &detail);
    return jl_error_return(&detail, rc, err);
}

/* ---- an external controller ---- */

static int fail_not_external(struct joulie_error *err)
{
    return jl_fail(err, JOULIE_E_CONFLICT, "", "the simulation has an operator of its own");
}

/*
 * The controlled run goes on until it waits for the caller; the event that it waits with is then
 * there to be taken. The uncontrolled run follows up to the same time, when nothing is found.
 */
static int next_event(struct joulie_sim *sim, double until_s, struct joulie_sim_event *out,
                      struct joulie_error *err)
{
    struct jl_sim_run *run = &sim->controlled;
    int found = jl_sim_outside_take(sim->outside, &sim->texts, out);
    while (found == 0) {
        const int rc = jl_sim_run_until(run, until_s, err);
        if (rc == 0 && sim->is_compared)
            return jl_sim_run_until(&sim->uncontrolled,
                                    run->is_finished ? until_s : run->fleet.now_s, err);
        if (rc <= 0)
            return rc;
        found = jl_sim_outside_take(sim->outside, &sim->texts, out);
    }
    return found < 0 ? jl_fail_memory(err) : found;
}

int joulie_sim_next(struct joulie_sim *sim, double until_s, struct joulie_sim_event *out,
                    int32_t *out_found, struct joulie_error *err)
{
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_event event;
    size_t candidates;
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail(err, JOULIE_E_ABI, "", "struct joulie_sim_event of another release");
    if (!sim->outside)
        return fail_not_external(err);
    if (until_s != until_s)
        return jl_fail(err, JOULIE_E_RANGE, "until", "not a time");
    if (jl_sim_outside_asks(sim->outside, &candidates))
        return jl_fail(err, JOULIE_E_CONFLICT, "", "the last event has no answer yet");
    const int found = next_event(sim, until_s < 0 ? JL_NEVER : until_s, &event, &detail);
    if (found < 0)
        return jl_error_return(&detail, found, err);
    if (found > 0)
        jl_sized_write(out, &event, sizeof event);
    *out_found = found;
    return JOULIE_OK;
}

int joulie_sim_answer(struct joulie_sim *sim, const uint8_t *passed, const int32_t *wire,
                      size_t count, struct joulie_error *err)
{
    size_t candidates;
    if (!sim->outside || !jl_sim_outside_asks(sim->outside, &candidates))
        return jl_fail(err, JOULIE_E_CONFLICT, "", "nothing was asked");
    if (count != candidates)
        return jl_fail(err, JOULIE_E_RANGE, "count", "%zu candidates were asked about", candidates);
    for (size_t i = 0; wire && i < count; i++) {
        if (wire[i] < 0 || wire[i] > MOST_WIRE)
            return jl_fail(err, JOULIE_E_RANGE, "wire", "a score is from 0 to 100");
    }
    jl_sim_outside_answer(sim->outside, passed, wire);
    return JOULIE_OK;
}

int joulie_sim_resume(struct joulie_sim *sim, struct joulie_error *err)
{
    struct jl_sim_run *run = &sim->controlled;
    if (!sim->outside)
        return fail_not_external(err);
    if (!run->is_finished)
        return jl_fail(err, JOULIE_E_CONFLICT, "", "the simulation is not over");
    run->goes_on = true;
    run->is_finished = false;
    run->settings.limit_s = JL_SIM_LONGEST_S;
    return JOULIE_OK;
}

int joulie_sim_set_control_time(struct joulie_sim *sim, double at_s, int32_t admits_changed,
                                struct joulie_error *err)
{
    if (!sim->outside)
        return fail_not_external(err);
    if (at_s != at_s)
        return jl_fail(err, JOULIE_E_RANGE, "at", "not a time");
    jl_sim_outside_step_at(sim->outside, at_s < 0 ? JL_NEVER : at_s, admits_changed != 0);
    return JOULIE_OK;
}

/* ---- what it does ---- */

int joulie_sim_control(struct joulie_sim *sim, const char *node_name, const char *text, size_t len,
                       char **reply, struct joulie_error *err)
{
    struct jl_buffer buffer = { 0 };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    size_t index;
    if (!sim->outside)
        return fail_not_external(err);
    int rc = jl_sim_find_machine(sim, node_name, &index, &detail);
    if (rc == 0)
        rc = jl_sim_do_control(&buffer, &sim->controlled.fleet, index, text, len, &detail);
    return jl_sim_hand_out(&buffer, rc, &detail, reply, err);
}

int joulie_sim_cordon(struct joulie_sim *sim, const char *node_name, int32_t is_cordoned,
                      struct joulie_error *err)
{
    size_t index;
    if (!sim->outside)
        return fail_not_external(err);
    const int rc = jl_sim_find_machine(sim, node_name, &index, err);
    if (rc == 0)
        jl_sim_node_cordon(&sim->controlled.fleet, index, is_cordoned != 0);
    return rc;
}

/* ---- decisions ---- */

static int read_twin(const char *text, size_t len, struct jl_arena *arena,
                     struct jl_document *document, struct jl_node_twin *out,
                     struct joulie_error *err)
{
    int rc = jl_document_read(document, text, len, err);
    struct jl_decode decode = jl_document_decode(document, arena, err);
    decode.flags = JL_LENIENT;
    if (rc == 0)
        rc = jl_decode_document(&decode, &jl_node_twin_table, out);
    if (rc == 0 && (!out->given.spec || !out->spec.given.node_name))
        rc = jl_fail(err, JOULIE_E_REQUIRED, "spec.nodeName", "the twin names no node");
    return rc;
}

int joulie_sim_put_decision(struct joulie_sim *sim, const char *twin, size_t len,
                            struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    struct jl_sim_run *run = &sim->controlled;
    struct jl_node_twin object;
    size_t index;
    if (!sim->outside)
        return fail_not_external(err);
    int rc = read_twin(twin, len, &arena, &document, &object, &detail);
    if (rc == 0)
        rc = jl_sim_find_machine(sim, object.spec.node_name, &index, &detail);
    if (rc == 0 && jl_sim_decide(&run->decisions, run->fleet.now_s, index, &object.spec) < 0)
        rc = jl_fail_memory(&detail);
    return jl_error_return(&detail, rc, err);
}
