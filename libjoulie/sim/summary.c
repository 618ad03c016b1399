/* SPDX-License-Identifier: Apache-2.0 */

/* The summary of a run and the hardware models as JSON (docs/rules/simulation.md#summary). Called
 * by sim_read.c. */

#include "sim/summary.h"

#include "base/memory.h"
#include "base/number.h"
#include "schema/encode.h"
#include "sim/emit.h"

#define J_PER_KWH 3.6e6

static double kwh(const struct joulie_sim_outcome *outcome)
{
    return outcome->energy_j / J_PER_KWH;
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

/* {"controlled": {…}, "uncontrolled": {…}} */
static void put_runs(struct jl_buffer *out, const char *key, const struct jl_sim_pair *pair,
                     void (*put)(struct jl_buffer *out, const struct jl_sim_fleet *fleet,
                                 double until_s))
{
    const double until_s = jl_sim_window_s(pair);
    jl_emit_key(out, key);
    jl_put_char(out, '{');
    jl_emit_key(out, "controlled");
    put(out, pair->controlled, until_s);
    if (pair->uncontrolled) {
        jl_emit_key(out, "uncontrolled");
        put(out, pair->uncontrolled, until_s);
    }
    jl_put_char(out, '}');
}

static void put_units(struct jl_buffer *out, const struct jl_sim_fleet *fleet, double until_s)
{
    const struct jl_sim_units units = jl_sim_units_done(fleet);
    (void)until_s;
    jl_put_char(out, '{');
    jl_emit_number(out, "cpu", units.cpu);
    jl_emit_number(out, "gpu", units.gpu);
    jl_put_char(out, '}');
}

/* ---- energy and power ---- */

static void put_parts(struct jl_buffer *out, const char *key, const double parts_j[JL_ENERGY_PARTS])
{
    static const char *const keys[JL_ENERGY_PARTS] = {
        [JL_ENERGY_IDLE_BUSY] = "idleBusy",
        [JL_ENERGY_IDLE_EMPTY] = "idleEmpty",
        [JL_ENERGY_DYNAMIC] = "dynamic",
        [JL_ENERGY_OFF] = "off",
    };
    jl_emit_key(out, key);
    jl_put_char(out, '{');
    for (int part = 0; part < JL_ENERGY_PARTS; part++)
        jl_emit_number(out, keys[part], parts_j[part]);
    jl_put_char(out, '}');
}

static void put_energy(struct jl_buffer *out, const struct jl_sim_energy *energy)
{
    jl_put_char(out, '{');
    jl_emit_number(out, "total", jl_sim_sum_j(energy->cpu_j) + jl_sim_sum_j(energy->gpu_j));
    put_parts(out, "cpu", energy->cpu_j);
    put_parts(out, "gpu", energy->gpu_j);
    jl_put_char(out, '}');
}

static void put_run_energy(struct jl_buffer *out, const struct jl_sim_fleet *fleet, double until_s)
{
    struct jl_sim_energy energy;
    jl_sim_energy_of(fleet, until_s, &energy);
    put_energy(out, &energy);
}

static void put_family_texts(struct jl_buffer *out, const struct jl_sim_family *family,
                             int64_t nodes)
{
    jl_emit_text(out, "cpu", family->cpu_text ? family->cpu_text : "");
    jl_emit_text(out, "gpu", family->gpu_text);
    jl_emit_integer(out, "nodes", nodes);
}

static int put_families(struct jl_buffer *out, const struct jl_sim_pair *pair)
{
    const struct jl_inventory *inventory = pair->controlled->inventory;
    const size_t count = inventory->family_count;
    const double until_s = jl_sim_window_s(pair);
    JL_CLEANUP(jl_freep)
    struct jl_sim_family_energy *families = jl_calloc(2 * count, sizeof *families);
    if (!families)
        return JOULIE_E_NOMEM;
    jl_sim_energy_by_family(pair->controlled, until_s, families);
    if (pair->uncontrolled)
        jl_sim_energy_by_family(pair->uncontrolled, until_s, families + count);
    jl_emit_key(out, "families");
    jl_put_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        jl_put_string(out, i > 0 ? ",{" : "{");
        put_family_texts(out, &inventory->families[i], families[i].nodes);
        jl_emit_key(out, "energyJ");
        jl_put_char(out, '{');
        jl_emit_key(out, "controlled");
        put_energy(out, &families[i].energy);
        if (pair->uncontrolled) {
            jl_emit_key(out, "uncontrolled");
            put_energy(out, &families[count + i].energy);
        }
        jl_put_string(out, "}}");
    }
    jl_put_char(out, ']');
    return 0;
}

static void put_power(struct jl_buffer *out, bool is_compared,
                      const struct joulie_sim_outcome *controlled,
                      const struct joulie_sim_outcome *uncontrolled)
{
    put_both(out, "peakPowerW", is_compared, controlled->peak_power_w, uncontrolled->peak_power_w);
    if (controlled->has & JOULIE_SIM_OUTCOME_HAS_OVER_LIMIT)
        put_both(out, "overLimitS", is_compared, controlled->over_limit_s,
                 uncontrolled->over_limit_s);
    if (controlled->has & JOULIE_SIM_OUTCOME_HAS_PEAK_RACK_POWER)
        put_both(out, "peakRackPowerW", is_compared, controlled->peak_rack_power_w,
                 uncontrolled->peak_rack_power_w);
    if (controlled->has & JOULIE_SIM_OUTCOME_HAS_RACK_OVER_LIMIT)
        put_both(out, "rackOverLimitS", is_compared, controlled->rack_over_limit_s,
                 uncontrolled->rack_over_limit_s);
}

/* ---- times of jobs ---- */

struct measure {
    enum joulie_sim_measure measure;
    const char *key;
};

static const struct measure measures[] = {
    { JOULIE_SIM_MEASURE_WAIT, "waitS" },
    { JOULIE_SIM_MEASURE_JOB_TIME, "jobTimeS" },
    { JOULIE_SIM_MEASURE_SLOWDOWN, "slowdown" },
};

static int put_run_spreads(struct jl_buffer *out, enum joulie_sim_measure measure,
                           const struct jl_sim_fleet *fleet)
{
    static const char *const keys[JL_SIM_GROUPS] = {
        [JOULIE_SIM_GROUP_ALL] = "all",           [JOULIE_SIM_GROUP_PERFORMANCE] = "performance",
        [JOULIE_SIM_GROUP_STANDARD] = "standard", [JOULIE_SIM_GROUP_CPU] = "cpu",
        [JOULIE_SIM_GROUP_GPU] = "gpu",
    };
    struct joulie_sim_spread spreads[JL_SIM_GROUPS];
    if (jl_sim_spread(fleet, measure, spreads) < 0)
        return JOULIE_E_NOMEM;
    jl_put_char(out, '{');
    for (size_t group = 0; group < JL_SIM_GROUPS; group++) {
        const struct joulie_sim_spread *spread = &spreads[group];
        if (spread->jobs == 0)
            continue;
        jl_emit_key(out, keys[group]);
        jl_put_char(out, '{');
        jl_emit_integer(out, "jobs", spread->jobs);
        jl_emit_number(out, "mean", spread->mean);
        jl_emit_number(out, "p50", spread->p50);
        jl_emit_number(out, "p95", spread->p95);
        jl_emit_number(out, "p99", spread->p99);
        jl_emit_number(out, "max", spread->max);
        jl_put_char(out, '}');
    }
    jl_put_char(out, '}');
    return 0;
}

static int put_spreads(struct jl_buffer *out, const struct measure *measure,
                       const struct jl_sim_pair *pair)
{
    jl_emit_key(out, measure->key);
    jl_put_char(out, '{');
    jl_emit_key(out, "controlled");
    int rc = put_run_spreads(out, measure->measure, pair->controlled);
    if (rc == 0 && pair->uncontrolled) {
        jl_emit_key(out, "uncontrolled");
        rc = put_run_spreads(out, measure->measure, pair->uncontrolled);
    }
    jl_put_char(out, '}');
    return rc;
}

/* ---- the whole ---- */

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

static void put_counts(struct jl_buffer *out, const char *key, const struct jl_sim_pair *pair,
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
    jl_sim_outcome_of(pair, false, &controlled);
    if (is_compared)
        jl_sim_outcome_of(pair, true, &uncontrolled);
    else
        uncontrolled = controlled;

    jl_put_char(out, '{');
    jl_emit_integer(out, "nodes", (int64_t)fleet->node_count);
    jl_emit_integer(out, "podsSubmitted", (int64_t)fleet->submitted);
    put_both(out, "podsCompleted", is_compared, (double)controlled.completed,
             (double)uncontrolled.completed);
    put_runs(out, "workUnitsDone", pair, put_units);
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
    int rc = put_control(out, pair);
    jl_emit_key(out, "seed");
    jl_put_u64(out, pair->seed);
    jl_emit_number(out, "simulatedS", jl_max(fleet->now_s, other->now_s));
    put_counts(out, "podsFailed", pair, fleet->failed, other->failed);
    put_counts(out, "podsUnplaced", pair, fleet->unplaced, other->unplaced);
    put_counts(out, "boots", pair, fleet->boots, other->boots);
    if (controlled.off_s > 0 || uncontrolled.off_s > 0)
        put_both(out, "offS", is_compared, controlled.off_s, uncontrolled.off_s);
    put_power(out, is_compared, &controlled, &uncontrolled);
    put_runs(out, "energyJ", pair, put_run_energy);
    if (rc >= 0)
        rc = put_families(out, pair);
    for (size_t i = 0; i < JL_COUNT(measures) && rc >= 0; i++)
        rc = put_spreads(out, &measures[i], pair);
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
        put_family_texts(out, family, nodes);
        if (family->profile.curve_model)
            jl_emit_text(out, "curve", family->profile.curve_model->curve->family);
        if (family->uses_catalog)
            put_assumptions(out, family);
        jl_emit_key(out, "model");
        jl_encode(out, &jl_physics_profile_table, &family->profile);
        jl_put_char(out, '}');
    }
    jl_put_char(out, ']');
    return jl_buffer_code(out);
}
