/* SPDX-License-Identifier: Apache-2.0 */

/* Sums over a run, its outcome, saving, and the summary as JSON (docs/rules/simulation.md#outcome).
 * Called by sim.c. */

#include "sim/summary.h"

#include <math.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "schema/encode.h"
#include "sim/emit.h"

#define J_PER_KWH 3.6e6
#define PERCENTILE 0.99
#define EQUAL_WORK 0.01 /* more difference than this and a saving says nothing */

/* ---- sums ---- */

double jl_sim_it_energy_j(const struct jl_sim_fleet *fleet)
{
    double sum = 0;
    for (size_t i = 0; i < fleet->node_count; i++)
        sum += jl_sim_energy_j(&fleet->nodes[i].cpu, fleet->now_s) +
               jl_sim_energy_j(&fleet->nodes[i].gpu, fleet->now_s);
    return sum;
}

double jl_sim_it_power_w(const struct jl_sim_fleet *fleet)
{
    double sum = 0;
    for (size_t i = 0; i < fleet->node_count; i++)
        sum += fleet->nodes[i].cpu.power_w + fleet->nodes[i].gpu.power_w;
    return sum;
}

struct jl_sim_units jl_sim_units_done(const struct jl_sim_fleet *fleet)
{
    struct jl_sim_units sum = { 0, 0 };
    for (size_t i = 0; i < fleet->submitted; i++) {
        sum.cpu += jl_sim_done(&fleet->jobs[i].cpu, fleet->now_s);
        sum.gpu += jl_sim_done(&fleet->jobs[i].gpu, fleet->now_s);
    }
    return sum;
}

static int compare_over(const void *a, const void *b, void *user)
{
    const double left = ((const struct jl_sim_over *)a)->pct;
    const double right = ((const struct jl_sim_over *)b)->pct;
    (void)user;
    return (left > right) - (left < right);
}

/* The intervals that are closed and those that the nodes are in; zero overshoot only counts in
 * *out_seconds. */
static size_t gather(const struct jl_sim_fleet *fleet, struct jl_sim_over *out, double *out_seconds)
{
    size_t count = 0;
    double seconds = fleet->over.capped_s;
    for (size_t i = 0; i < fleet->over.count; i++)
        out[count++] = fleet->over.items[i];
    for (size_t i = 0; i < fleet->node_count; i++) {
        const struct jl_sim_node *node = &fleet->nodes[i];
        const double open_s = fleet->now_s - node->over_since_s;
        if (node->over_pct < 0 || open_s <= 0)
            continue;
        seconds += open_s;
        if (node->over_pct > 0)
            out[count++] = (struct jl_sim_over){ node->over_pct, open_s };
    }
    *out_seconds = seconds;
    return count;
}

/* From the largest overshoot down, until more than one percent of the node-seconds are passed. */
int jl_sim_overshoot_p99(const struct jl_sim_fleet *fleet, double *out_pct)
{
    double seconds;
    JL_CLEANUP(jl_freep)
    struct jl_sim_over *over = jl_calloc(fleet->over.count + fleet->node_count + 1, sizeof *over);
    if (!over)
        return JOULIE_E_NOMEM;
    const size_t count = gather(fleet, over, &seconds);
    if (seconds <= 0)
        return 0;
    if (jl_sort(over, count, sizeof *over, compare_over, NULL) < 0)
        return JOULIE_E_NOMEM;
    double above = 0; /* node-seconds at or above this entry */
    *out_pct = 0;
    for (size_t i = count; i-- > 0;) {
        above += over[i].seconds;
        if (above > (1 - PERCENTILE) * seconds) {
            *out_pct = over[i].pct;
            break;
        }
    }
    return 1;
}

/* ---- outcome ---- */

/* Waiting is counted for jobs that started, the makespan from the first submission to the last end.
 */
static void add_waits(const struct jl_sim_fleet *fleet, struct joulie_sim_outcome *out)
{
    double waited_s = 0;
    double last_end_s = 0;
    size_t started = 0;
    bool has_ended = false;
    for (size_t i = 0; i < fleet->submitted; i++) {
        const struct jl_sim_job *job = &fleet->jobs[i];
        if (job->has_started) {
            started++;
            waited_s += job->start_s - fleet->workload->tasks[i].job->submit_s;
        }
        has_ended = has_ended || job->state > JL_JOB_RUNNING;
        if (job->state > JL_JOB_RUNNING)
            last_end_s = jl_max(last_end_s, job->end_s);
    }
    if (started > 0) {
        out->has |= JOULIE_SIM_OUTCOME_HAS_MEAN_WAIT;
        out->mean_wait_s = waited_s / (double)started;
    }
    if (has_ended) {
        out->has |= JOULIE_SIM_OUTCOME_HAS_MAKESPAN;
        out->makespan_s = jl_max(0, last_end_s - fleet->workload->tasks[0].job->submit_s);
    }
}

void jl_sim_outcome_of(const struct jl_sim_fleet *fleet, struct joulie_sim_outcome *out)
{
    const struct jl_sim_units units = jl_sim_units_done(fleet);
    *out = (struct joulie_sim_outcome){
        .struct_size = sizeof *out,
        .jobs = (int64_t)fleet->workload->count,
        .completed = (int64_t)fleet->completed,
        .failed = (int64_t)fleet->failed,
        .unplaced = (int64_t)fleet->unplaced,
        .cpu_units = units.cpu,
        .gpu_units = units.gpu,
        .energy_j = jl_sim_it_energy_j(fleet),
    };
    add_waits(fleet, out);
}

static double kwh(const struct joulie_sim_outcome *outcome)
{
    return outcome->energy_j / J_PER_KWH;
}

static bool is_complete(const struct joulie_sim_outcome *outcome)
{
    return outcome->completed + outcome->failed + outcome->unplaced == outcome->jobs;
}

/* ---- writing ---- */

/* {"controlled": a, "uncontrolled": b} */
static void put_both(struct jl_buffer *out, const char *key, bool is_compared, double controlled,
                     double uncontrolled)
{
    jl_emit_key(out, key);
    jl_put_char(out, '{');
    jl_emit_number(out, "controlled", controlled);
    if (is_compared)
        jl_emit_number(out, "uncontrolled", uncontrolled);
    jl_put_char(out, '}');
}

static void put_units(struct jl_buffer *out, const struct joulie_sim_outcome *outcome)
{
    jl_put_char(out, '{');
    jl_emit_number(out, "cpu", outcome->cpu_units);
    jl_emit_number(out, "gpu", outcome->gpu_units);
    jl_put_char(out, '}');
}

static bool differs(double a, double b)
{
    return fabs(a - b) > EQUAL_WORK * jl_max(fabs(a), fabs(b));
}

/* In the order in which a reader would look for the reason. */
static const char *no_saving(const struct joulie_sim_outcome *controlled,
                             const struct joulie_sim_outcome *uncontrolled)
{
    if (!is_complete(controlled) || !is_complete(uncontrolled))
        return "a run ended before every job had";
    if (differs(controlled->cpu_units, uncontrolled->cpu_units))
        return "the runs delivered different CPU work (by more than 1 %)";
    if (differs(controlled->gpu_units, uncontrolled->gpu_units))
        return "the runs delivered different GPU work (by more than 1 %)";
    if (kwh(uncontrolled) <= 0)
        return "the uncontrolled run used no energy";
    return NULL;
}

const char *jl_sim_saving(const struct jl_sim_pair *pair, double *out_pct)
{
    struct joulie_sim_outcome controlled;
    struct joulie_sim_outcome uncontrolled;
    if (!pair->uncontrolled)
        return "there is no uncontrolled run";
    jl_sim_outcome_of(pair->controlled, &controlled);
    jl_sim_outcome_of(pair->uncontrolled, &uncontrolled);
    const char *reason = no_saving(&controlled, &uncontrolled);
    if (!reason)
        *out_pct = 100 * (1 - kwh(&controlled) / kwh(&uncontrolled));
    return reason;
}

static void put_saving(struct jl_buffer *out, const struct jl_sim_pair *pair)
{
    double saved_pct;
    const char *reason = jl_sim_saving(pair, &saved_pct);
    if (!reason) {
        jl_emit_number(out, "savedPct", saved_pct);
        return;
    }
    jl_emit_text(out, "savedPctReason", reason);
}

static void put_losses(struct jl_buffer *out, const char *key, const struct jl_sim_pair *pair,
                       size_t controlled, size_t uncontrolled)
{
    if (controlled > 0 || uncontrolled > 0)
        put_both(out, key, pair->uncontrolled != NULL, (double)controlled, (double)uncontrolled);
}

static int put_control(struct jl_buffer *out, const struct jl_sim_pair *pair)
{
    struct jl_sim_counts counts;
    double over_pct = 0;
    jl_sim_count(pair->decisions, &counts);
    const int has_over = jl_sim_overshoot_p99(pair->controlled, &over_pct);
    if (has_over < 0)
        return has_over;
    jl_emit_integer(out, "transitions", counts.transitions);
    if (has_over > 0)
        jl_emit_number(out, "capOvershootPctP99", over_pct);
    jl_emit_integer(out, "decisions", counts.decisions);
    return 0;
}

int jl_sim_put_summary(struct jl_buffer *out, const struct jl_sim_pair *pair)
{
    const bool is_compared = pair->uncontrolled != NULL;
    const struct jl_sim_fleet *fleet = pair->controlled;
    const struct jl_sim_fleet *other = is_compared ? pair->uncontrolled : pair->controlled;
    struct joulie_sim_outcome controlled;
    struct joulie_sim_outcome uncontrolled;
    jl_sim_outcome_of(fleet, &controlled);
    jl_sim_outcome_of(other, &uncontrolled);

    jl_put_char(out, '{');
    jl_emit_integer(out, "nodes", (int64_t)fleet->node_count);
    jl_emit_integer(out, "podsSubmitted", (int64_t)fleet->submitted);
    put_both(out, "podsCompleted", is_compared, (double)controlled.completed,
             (double)uncontrolled.completed);
    jl_emit_key(out, "workUnitsDone");
    jl_put_char(out, '{');
    jl_emit_key(out, "controlled");
    put_units(out, &controlled);
    if (is_compared) {
        jl_emit_key(out, "uncontrolled");
        put_units(out, &uncontrolled);
    }
    jl_put_char(out, '}');
    put_both(out, "itEnergyKwh", is_compared, kwh(&controlled), kwh(&uncontrolled));
    if (is_compared)
        put_saving(out, pair);
    if (controlled.has & JOULIE_SIM_OUTCOME_HAS_MAKESPAN)
        put_both(out, "makespanS",
                 is_compared && (uncontrolled.has & JOULIE_SIM_OUTCOME_HAS_MAKESPAN),
                 controlled.makespan_s, uncontrolled.makespan_s);
    if (controlled.has & JOULIE_SIM_OUTCOME_HAS_MEAN_WAIT)
        put_both(out, "meanWaitS",
                 is_compared && (uncontrolled.has & JOULIE_SIM_OUTCOME_HAS_MEAN_WAIT),
                 controlled.mean_wait_s, uncontrolled.mean_wait_s);
    const int rc = put_control(out, pair);
    jl_emit_key(out, "seed");
    jl_put_u64(out, pair->seed);
    jl_emit_number(out, "simulatedS", jl_max(fleet->now_s, other->now_s));
    put_losses(out, "podsFailed", pair, fleet->failed, other->failed);
    put_losses(out, "podsUnplaced", pair, fleet->unplaced, other->unplaced);
    jl_put_char(out, '}');
    return rc < 0 ? rc : jl_buffer_code(out);
}

/* Figures of the profile that the catalog assumes: "cpu.curve" (docs/rules/catalog.md). */
static void put_assumed(struct jl_buffer *out, const char *part, const struct jl_origin *origins,
                        const char **comma)
{
    for (int figure = 0; figure < JL_FIGURE_COUNT; figure++) {
        if (origins[figure].mark != JL_MARK_ASSUMED)
            continue;
        jl_put_string(out, *comma);
        jl_put_char(out, '"');
        jl_put_string(out, part);
        jl_put_string(out, jl_word_of(&jl_figure_words, figure));
        jl_put_char(out, '"');
        *comma = ",";
    }
}

static void put_assumptions(struct jl_buffer *out, const struct jl_sim_family *family)
{
    const char *comma = "";
    jl_emit_key(out, "assumed");
    jl_put_char(out, '[');
    if (family->cpu_model)
        put_assumed(out, "cpu.", family->cpu_model->origins, &comma);
    if (family->gpu_model)
        put_assumed(out, "gpu.", family->gpu_model->origins, &comma);
    jl_put_char(out, ']');
}

int jl_sim_put_models(struct jl_buffer *out, const struct jl_inventory *inventory)
{
    jl_put_char(out, '[');
    for (size_t i = 0; i < inventory->family_count; i++) {
        const struct jl_sim_family *family = &inventory->families[i];
        int64_t nodes = 0;
        for (size_t k = 0; k < inventory->count; k++)
            nodes += inventory->machines[k].family == family;
        jl_put_string(out, i > 0 ? ",{" : "{");
        jl_emit_text(out, "cpu", family->cpu_text ? family->cpu_text : "");
        jl_emit_text(out, "gpu", family->gpu_text);
        jl_emit_integer(out, "nodes", nodes);
        if (family->profile.curve_model)
            jl_emit_text(out, "curve", family->profile.curve_model->key);
        if (family->uses_catalog)
            put_assumptions(out, family);
        jl_emit_key(out, "model");
        jl_encode(out, &jl_physics_profile_table, &family->profile);
        jl_put_char(out, '}');
    }
    jl_put_char(out, ']');
    return jl_buffer_code(out);
}
