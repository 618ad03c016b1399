/* SPDX-License-Identifier: Apache-2.0 */

/* Outcome of a run, saving, and the summary as JSON (docs/rules/simulation.md#outcome). Called by
 * sim.c. */

#include "sim/summary.h"

#include <math.h>

#include "base/number.h"
#include "schema/encode.h"

#define J_PER_KWH 3.6e6
#define EQUAL_WORK 0.01 /* more difference than this and a saving says nothing */

static void add_waits(const struct jl_sim_fleet *fleet, struct jl_sim_outcome *out)
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
    out->has_wait = started > 0;
    out->mean_wait_s = started > 0 ? waited_s / (double)started : 0;
    out->has_makespan = has_ended;
    if (has_ended)
        out->makespan_s = jl_max(0, last_end_s - fleet->workload->tasks[0].job->submit_s);
}

void jl_sim_outcome_of(const struct jl_sim_fleet *fleet, struct jl_sim_outcome *out)
{
    *out = (struct jl_sim_outcome){
        .completed = (int64_t)fleet->completed,
        .units = jl_sim_units_done(fleet),
        .energy_kwh = jl_sim_it_energy_j(fleet) / J_PER_KWH,
        .is_complete = jl_sim_ended(fleet) == fleet->workload->count,
    };
    add_waits(fleet, out);
}

/* ---- writing ---- */

static void put_key(struct jl_buffer *out, const char *key)
{
    jl_put_string(out, ",\"");
    jl_put_string(out, key);
    jl_put_string(out, "\":");
}

static void put_integer(struct jl_buffer *out, const char *key, int64_t value)
{
    put_key(out, key);
    jl_put_i64(out, value);
}

static void put_number(struct jl_buffer *out, const char *key, double value)
{
    put_key(out, key);
    jl_put_double(out, value);
}

/* {"controlled": a, "uncontrolled": b} */
static void put_both(struct jl_buffer *out, const char *key, bool is_compared, double controlled,
                     double uncontrolled)
{
    put_key(out, key);
    jl_put_string(out, "{\"controlled\":");
    jl_put_double(out, controlled);
    if (is_compared)
        put_number(out, "uncontrolled", uncontrolled);
    jl_put_char(out, '}');
}

static void put_units(struct jl_buffer *out, const struct jl_sim_units *units)
{
    jl_put_string(out, "{\"cpu\":");
    jl_put_double(out, units->cpu);
    put_number(out, "gpu", units->gpu);
    jl_put_char(out, '}');
}

static bool differs(double a, double b)
{
    return fabs(a - b) > EQUAL_WORK * jl_max(fabs(a), fabs(b));
}

static const char *no_saving(const struct jl_sim_outcome *controlled,
                             const struct jl_sim_outcome *uncontrolled)
{
    if (!controlled->is_complete || !uncontrolled->is_complete)
        return "a run ended before every job had";
    if (differs(controlled->units.cpu, uncontrolled->units.cpu))
        return "the runs delivered different CPU work (by more than 1 %)";
    if (differs(controlled->units.gpu, uncontrolled->units.gpu))
        return "the runs delivered different GPU work (by more than 1 %)";
    if (uncontrolled->energy_kwh <= 0)
        return "the uncontrolled run used no energy";
    return NULL;
}

const char *jl_sim_saving(const struct jl_sim_pair *pair, double *out_pct)
{
    struct jl_sim_outcome controlled;
    struct jl_sim_outcome uncontrolled;
    if (!pair->uncontrolled)
        return "there is no uncontrolled run";
    jl_sim_outcome_of(pair->controlled, &controlled);
    jl_sim_outcome_of(pair->uncontrolled, &uncontrolled);
    const char *reason = no_saving(&controlled, &uncontrolled);
    if (!reason)
        *out_pct = 100 * (1 - controlled.energy_kwh / uncontrolled.energy_kwh);
    return reason;
}

static void put_saving(struct jl_buffer *out, const struct jl_sim_pair *pair)
{
    double saved_pct;
    const char *reason = jl_sim_saving(pair, &saved_pct);
    if (!reason) {
        put_number(out, "savedPct", saved_pct);
        return;
    }
    put_key(out, "savedPctReason");
    jl_put_json_string(out, reason, jl_text(reason).len);
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
    put_integer(out, "transitions", counts.transitions);
    if (has_over > 0)
        put_number(out, "capOvershootPctP99", over_pct);
    put_integer(out, "decisions", counts.decisions);
    return 0;
}

static void put_seed(struct jl_buffer *out, uint64_t seed)
{
    char digits[JL_DOUBLE_TEXT];
    size_t used = sizeof digits;
    do {
        digits[--used] = (char)('0' + seed % 10);
        seed /= 10;
    } while (seed > 0);
    put_key(out, "seed");
    jl_put(out, digits + used, sizeof digits - used);
}

int jl_sim_put_summary(struct jl_buffer *out, const struct jl_sim_pair *pair)
{
    const bool is_compared = pair->uncontrolled != NULL;
    const struct jl_sim_fleet *fleet = pair->controlled;
    const struct jl_sim_fleet *other = is_compared ? pair->uncontrolled : pair->controlled;
    struct jl_sim_outcome controlled;
    struct jl_sim_outcome uncontrolled;
    jl_sim_outcome_of(fleet, &controlled);
    jl_sim_outcome_of(other, &uncontrolled);

    jl_put_string(out, "{\"nodes\":");
    jl_put_i64(out, (int64_t)fleet->node_count);
    put_integer(out, "podsSubmitted", (int64_t)fleet->submitted);
    put_both(out, "podsCompleted", is_compared, (double)controlled.completed,
             (double)uncontrolled.completed);
    jl_put_string(out, ",\"workUnitsDone\":{\"controlled\":");
    put_units(out, &controlled.units);
    if (is_compared) {
        put_key(out, "uncontrolled");
        put_units(out, &uncontrolled.units);
    }
    jl_put_char(out, '}');
    put_both(out, "itEnergyKwh", is_compared, controlled.energy_kwh, uncontrolled.energy_kwh);
    if (is_compared)
        put_saving(out, pair);
    if (controlled.has_makespan)
        put_both(out, "makespanS", is_compared && uncontrolled.has_makespan, controlled.makespan_s,
                 uncontrolled.makespan_s);
    if (controlled.has_wait)
        put_both(out, "meanWaitS", is_compared && uncontrolled.has_wait, controlled.mean_wait_s,
                 uncontrolled.mean_wait_s);
    const int rc = put_control(out, pair);
    put_seed(out, pair->seed);
    put_number(out, "simulatedS", jl_max(fleet->now_s, other->now_s));
    put_losses(out, "podsFailed", pair, fleet->failed, other->failed);
    put_losses(out, "podsUnplaced", pair, fleet->unplaced, other->unplaced);
    jl_put_char(out, '}');
    return rc < 0 ? rc : jl_buffer_code(out);
}

int jl_sim_put_models(struct jl_buffer *out, const struct jl_inventory *inventory)
{
    jl_put_char(out, '[');
    for (size_t i = 0; i < inventory->family_count; i++) {
        const struct jl_sim_family *family = &inventory->families[i];
        int64_t nodes = 0;
        for (size_t k = 0; k < inventory->count; k++)
            nodes += inventory->machines[k].family == family;
        jl_put_string(out, i > 0 ? ",{\"cpu\":" : "{\"cpu\":");
        jl_put_json_string(out, family->cpu_text ? family->cpu_text : "",
                           jl_text(family->cpu_text).len);
        if (family->gpu_text) {
            put_key(out, "gpu");
            jl_put_json_string(out, family->gpu_text, jl_text(family->gpu_text).len);
        }
        put_integer(out, "nodes", nodes);
        if (family->profile.curve_model) {
            put_key(out, "curve");
            jl_put_json_string(out, family->profile.curve_model->key,
                               jl_text(family->profile.curve_model->key).len);
        }
        put_key(out, "model");
        jl_encode(out, &jl_physics_profile_table, &family->profile);
        jl_put_char(out, '}');
    }
    jl_put_char(out, ']');
    return jl_buffer_code(out);
}
