/* SPDX-License-Identifier: Apache-2.0 */

/* One run of an experiment: its key, its simulation, and its result as text
 * (docs/rules/experiments.md#results). Called by experiment.c, from any thread. */

#define JL_EXPERIMENT_TABLES
#include <math.h>
#include <string.h>

#include <joulie/version.h>

#include "base/error.h"
#include "schema/document.h"
#include "schema/encode.h"
#include "sim/emit.h"
#include "sim/experiment.h"
#include "sim/sim.h"

#define FORMAT 2       /* of a result; another one is another key */
#define MOST_HOURS 168 /* whose power is kept */

/* ---- what is run ---- */

struct joulie_workload_options jl_experiment_workload(const struct jl_experiment_scenario *scenario,
                                                      const double *load, uint64_t seed)
{
    struct joulie_workload_options out = scenario->workload;
    out.has |= JOULIE_WORKLOAD_HAS_SEED;
    out.seed = seed;
    if (jl_same(out.mode, "diurnal")) { /* jobs for these machines */
        out.has |= JOULIE_WORKLOAD_HAS_NODES;
        out.inventory = scenario->inventory;
        out.inventory_len = scenario->inventory_len;
        out.nodes = scenario->nodes;
    }
    if (load) {
        out.has |= JOULIE_WORKLOAD_HAS_LOAD;
        out.load = *load;
    }
    return out;
}

static struct joulie_sim_options sim_options(const struct joulie_experiment *experiment,
                                             const struct jl_experiment_cell *cell,
                                             const struct jl_experiment_run *run)
{
    const struct jl_experiment_scenario *scenario = cell->scenario;
    const struct jl_experiment_subject *subject = run->subject;
    return (struct joulie_sim_options){
        .struct_size = sizeof(struct joulie_sim_options),
        .inventory = scenario->inventory,
        .inventory_len = scenario->inventory_len,
        .trace = scenario->trace,
        .trace_len = scenario->trace_len,
        .policy = subject->policy,
        .policy_len = subject->policy_len,
        .placement_base = subject->placement_base,
        .extender_weight = subject->extender_weight,
        .scoring = subject->scoring,
        .scoring_len = subject->scoring_len,
        .power_off = subject->power_off,
        .power_off_len = subject->power_off_len,
        .placement = subject->is_baseline ? NULL : subject->placement,
        .baseline = subject->is_baseline ? subject->placement : NULL,
        .is_uncontrolled = subject->is_baseline,
        .physics = experiment->physics,
        .speeds = cell->speeds,
        .seed = run->seed,
        .nodes = scenario->nodes,
    };
}

const struct jl_experiment_cell *jl_experiment_cell_of(const struct joulie_experiment *experiment,
                                                       size_t run)
{
    size_t low = 0;
    size_t high = experiment->cell_count;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        if (experiment->cells[middle].runs <= &experiment->runs[run])
            low = middle;
        else
            high = middle;
    }
    return &experiment->cells[low];
}

/* ---- keys ---- */

/* Sixteen hexadecimal digits. */
static void format_hash(const char *text, size_t len, char out[JL_EXPERIMENT_KEY_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t hash = jl_hash(text, len);
    out[JL_EXPERIMENT_KEY_TEXT - 1] = '\0';
    for (size_t i = JL_EXPERIMENT_KEY_TEXT - 1; i-- > 0; hash >>= 4)
        out[i] = digits[hash & 0xF];
}

static void put_hash(struct jl_buffer *out, const char *key, const char *text, size_t len)
{
    char hash[JL_EXPERIMENT_KEY_TEXT];
    format_hash(text, len, hash);
    jl_emit_text(out, key, hash);
}

/* Without its white space; NULL = none. */
static void put_document(struct jl_buffer *out, const char *key, const char *text, size_t len)
{
    static const struct jl_row raw = { .type = JL_TYPE_RAW };
    const struct jl_raw document = { .text = text, .len = len };
    if (!text)
        return;
    jl_emit_key(out, key);
    jl_encode_value(out, &raw, &document);
}

/* Everything that the numbers of a run depend on, and no name. */
static void describe(struct jl_buffer *out, const struct joulie_experiment *experiment,
                     const struct jl_experiment_cell *cell, const struct jl_experiment_run *run)
{
    const struct jl_experiment_scenario *scenario = cell->scenario;
    const struct jl_experiment_subject *subject = run->subject;
    jl_put_char(out, '{');
    jl_emit_integer(out, "format", FORMAT);
    jl_emit_text(out, "version", joulie_version());
    jl_emit_text(out, "build", experiment->build);
    jl_emit_text(out, "physics", experiment->physics);
    jl_emit_text(out, "speeds", cell->speeds);
    put_hash(out, "inventory", scenario->inventory, scenario->inventory_len);
    jl_emit_integer(out, "nodes", scenario->nodes);
    if (scenario->trace) {
        put_hash(out, "trace", scenario->trace, scenario->trace_len);
    } else {
        jl_emit_key(out, "workload");
        jl_encode(out, &joulie_workload_options_table, &scenario->workload);
        if (cell->has_load)
            jl_emit_number(out, "load", cell->load);
        jl_emit_key(out, "seed");
        jl_put_u64(out, run->seed);
    }
    jl_emit_text(out, "placement", subject->placement);
    jl_emit_bool(out, "isBaseline", subject->is_baseline);
    jl_emit_text(out, "placementBase", subject->placement_base);
    jl_emit_integer(out, "extenderWeight", subject->extender_weight);
    put_document(out, "policy", subject->policy, subject->policy_len);
    put_document(out, "scoring", subject->scoring, subject->scoring_len);
    put_document(out, "powerOff", subject->power_off, subject->power_off_len);
    jl_put_char(out, '}');
}

int jl_experiment_set_keys(struct joulie_experiment *experiment, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    for (size_t i = 0; i < experiment->run_count; i++) {
        struct jl_experiment_run *run = &experiment->runs[i];
        jl_buffer_reset(&text);
        describe(&text, experiment, jl_experiment_cell_of(experiment, i), run);
        if (text.is_failed)
            return jl_fail_memory(err);
        format_hash(text.data, text.len, run->key);
    }
    return 0;
}

/* ---- simulation ---- */

static int read_spread(const struct joulie_sim *sim, enum joulie_sim_measure measure,
                       struct joulie_sim_spread *out, struct joulie_error *err)
{
    *out = JOULIE_INIT(struct joulie_sim_spread);
    return joulie_sim_get_spread(sim, 0, measure, JOULIE_SIM_GROUP_ALL, out, err);
}

static int read_longest_wait(const struct joulie_sim *sim, enum joulie_sim_group group,
                             double *out_s, struct joulie_error *err)
{
    struct joulie_sim_spread spread = JOULIE_INIT(struct joulie_sim_spread);
    const int rc = joulie_sim_get_spread(sim, 0, JOULIE_SIM_MEASURE_WAIT, group, &spread, err);
    *out_s = spread.max + JL_EXPERIMENT_LONGER_WAIT_S;
    return rc;
}

/* Of a baseline that did all its work on machines whose curves were measured. */
static int read_bound(const struct joulie_sim *sim, struct jl_experiment_result *out,
                      struct joulie_error *err)
{
    struct jl_experiment_bound bound = {
        .given = { true, true, true, true, true, true, true, true, true, true, true, true, true },
        .end_s = out->outcome.time_s,
    };
    if (!jl_experiment_has_bound(&sim->inventory) || out->outcome.completed == 0 ||
        out->outcome.completed < out->outcome.jobs)
        return 0;
    int rc = read_longest_wait(sim, JOULIE_SIM_GROUP_CPU, &bound.cpu_wait_s, err);
    if (rc == 0)
        rc = read_longest_wait(sim, JOULIE_SIM_GROUP_GPU, &bound.gpu_wait_s, err);
    if (rc < 0)
        return rc;
    if (jl_experiment_bound(&sim->inventory, &sim->workload, &bound) < 0)
        return jl_fail_memory(err);
    JL_SET(out, bound, bound);
    return 0;
}

/* The run up to its end, and its mean power in each hour. */
static int run_to_end(struct joulie_sim *sim, double hourly_w[MOST_HOURS], size_t *out_hours,
                      struct joulie_error *err)
{
    struct joulie_sim_outcome before = JOULIE_INIT(struct joulie_sim_outcome);
    size_t hours = 0;
    while (hours < MOST_HOURS) {
        struct joulie_sim_outcome now = JOULIE_INIT(struct joulie_sim_outcome);
        const double until_s = JL_SIM_HOUR_S * (double)(hours + 1);
        int rc = joulie_sim_run_until(sim, until_s, err);
        if (rc == 0)
            rc = joulie_sim_get_outcome(sim, 0, &now, err);
        if (rc < 0)
            return rc;
        if (now.time_s > before.time_s)
            hourly_w[hours++] = (now.energy_j - before.energy_j) / (now.time_s - before.time_s);
        if (now.time_s < until_s)
            break;
        before = now;
    }
    *out_hours = hours;
    return joulie_sim_run_until(sim, (double)INFINITY, err);
}

static int read_result(const struct joulie_sim *sim, struct jl_experiment_result *out,
                       struct joulie_error *err)
{
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    *out = (struct jl_experiment_result){ .given = { .outcome = true,
                                                     .wait = true,
                                                     .job_time = true,
                                                     .slowdown = true,
                                                     .transitions = true,
                                                     .trace = true,
                                                     .hourly_w = true } };
    out->outcome = JOULIE_INIT(struct joulie_sim_outcome);
    int rc = joulie_sim_get_outcome(sim, 0, &out->outcome, err);
    if (rc == 0)
        rc = read_spread(sim, JOULIE_SIM_MEASURE_WAIT, &out->wait, err);
    if (rc == 0)
        rc = read_spread(sim, JOULIE_SIM_MEASURE_JOB_TIME, &out->job_time, err);
    if (rc == 0)
        rc = read_spread(sim, JOULIE_SIM_MEASURE_SLOWDOWN, &out->slowdown, err);
    if (rc == 0)
        rc = joulie_sim_get_view(sim, &view, err);
    out->transitions = view.transitions;
    return rc;
}

/* The source's physics has no bound: a cap saves there what it takes from nobody. */
static int simulate(const struct joulie_sim_options *options, double hourly_w[MOST_HOURS],
                    struct jl_experiment_result *out, struct joulie_error *err)
{
    struct joulie_sim *sim = NULL;
    size_t hours = 0;
    int rc = joulie_sim_new(options, &sim, err);
    if (rc == 0)
        rc = run_to_end(sim, hourly_w, &hours, err);
    if (rc == 0)
        rc = read_result(sim, out, err);
    if (rc == 0 && options->is_uncontrolled && jl_same(options->physics, "current"))
        rc = read_bound(sim, out, err);
    out->hourly_w = (struct jl_list){ .items = hourly_w, .count = hours };
    joulie_sim_free(sim);
    return rc;
}

static void put_result(struct jl_buffer *out, const struct joulie_experiment *experiment,
                       const struct jl_experiment_cell *cell, const struct jl_experiment_run *run,
                       const struct jl_experiment_result *result)
{
    jl_put_char(out, '{');
    jl_emit_key(out, "run");
    describe(out, experiment, cell, run);
    jl_emit_key(out, "result");
    const size_t start = out->len;
    jl_encode(out, &jl_experiment_result_table, result);
    if (!out->is_failed)
        put_hash(out, "check", out->data + start, out->len - start);
    jl_put_char(out, '}');
}

int jl_experiment_simulate(const struct joulie_experiment *experiment, size_t index,
                           struct jl_buffer *out, struct joulie_error *err)
{
    const struct jl_experiment_run *run = &experiment->runs[index];
    const struct jl_experiment_cell *cell = jl_experiment_cell_of(experiment, index);
    struct joulie_sim_options options = sim_options(experiment, cell, run);
    struct jl_experiment_result result;
    double hourly_w[MOST_HOURS];
    char hash[JL_EXPERIMENT_KEY_TEXT];
    char *trace = NULL;
    int rc = 0;
    if (!options.trace) {
        const struct joulie_workload_options workload =
            jl_experiment_workload(cell->scenario, cell->has_load ? &cell->load : NULL, run->seed);
        rc = joulie_workload_generate(&workload, &trace, err);
        options.trace = trace;
        options.trace_len = trace ? strlen(trace) : 0;
    }
    if (rc == 0)
        rc = simulate(&options, hourly_w, &result, err);
    if (rc == 0) {
        format_hash(options.trace, options.trace_len, hash);
        result.trace = hash;
    }
    joulie_free(trace);
    if (rc == 0)
        put_result(out, experiment, cell, run, &result);
    else if (rc != JOULIE_E_NOMEM)
        jl_error_inside(err, cell->scenario->name, ": ");
    return rc == 0 && out->is_failed ? jl_fail_memory(err) : rc;
}

/* ---- results that were kept ---- */

#define RECORD entry
#define MEMBERS                                         \
    RAW(run, "run", "What was run.", REQUIRED)          \
    RAW(result, "result", "What came of it.", REQUIRED) \
    STRING(check, "check", "Hash of the text of the result.", REQUIRED)
#include "schema/record.h"

static int fail_entry(int code, struct joulie_error *err)
{
    return code == JOULIE_E_NOMEM
               ? jl_fail_memory(err)
               : jl_fail(err, JOULIE_E_PARSE, "", "not a result, or not as it was written");
}

static bool is_whole(const struct entry *entry)
{
    char hash[JL_EXPERIMENT_KEY_TEXT];
    format_hash(entry->result.text, entry->result.len, hash);
    return jl_same(hash, entry->check);
}

static int is_of_run(const struct joulie_experiment *experiment, size_t index,
                     const struct entry *entry)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    describe(&text, experiment, jl_experiment_cell_of(experiment, index), &experiment->runs[index]);
    if (text.is_failed)
        return JOULIE_E_NOMEM;
    return text.len == entry->run.len && memcmp(text.data, entry->run.text, text.len) == 0;
}

int jl_experiment_take(struct joulie_experiment *experiment, size_t index, const char *text,
                       size_t len, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_decode decode = { .arena = &arena, .text = text, .len = len };
    struct jl_experiment_run *run = &experiment->runs[index];
    struct jl_experiment_result result;
    struct entry entry;
    const struct jl_path at = { .key = jl_text("result") };
    int rc = jl_decode_document(&decode, &entry_table, &entry);
    if (rc < 0 || !is_whole(&entry))
        return fail_entry(rc, err);
    const int is_own = is_of_run(experiment, index, &entry);
    if (is_own < 0)
        return jl_fail_memory(err);
    if (is_own == 0)
        return jl_fail(err, JOULIE_E_CONFLICT, "run", "a result of another run");
    rc = jl_decode_raw(&decode, &entry.result, &at, &jl_experiment_result_table, &result);
    if (rc < 0)
        return fail_entry(rc, err);
    result.outcome.struct_size = sizeof result.outcome;
    result.trace = jl_arena_string(&experiment->arena, result.trace);
    result.hourly_w.items = jl_arena_copy(&experiment->arena, result.hourly_w.items,
                                          result.hourly_w.count * sizeof(double));
    if (result.trace == NULL || result.hourly_w.items == NULL) /* the next call may succeed */
        return jl_fail_memory(err);
    run->result = result;
    run->has_result = true;
    return 0;
}
