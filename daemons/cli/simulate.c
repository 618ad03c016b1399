/* SPDX-License-Identifier: Apache-2.0 */

/* A trace on simulated machines, with control and without, and what the difference is. */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <joulie/sim.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cli.h"
#include "runtime/clock.h"
#include "runtime/file.h"
#include "runtime/json.h"

/* ---- what came out of it, as a table for a person ---- */

#define HOUR_S 3600.0
#define MINUTE_S 60.0
#define J_PER_KWH 3.6e6
#define W_PER_KW 1000.0

static void put_number(struct jl_buffer *out, double value, int decimals)
{
    if (isnan(value))
        jd_put_format(out, " %15s", "-");
    else
        jd_put_format(out, " %15.*f", decimals, value);
}

static void put_line(struct jl_buffer *out, const char *name, double controlled, bool is_compared,
                     double uncontrolled, int decimals)
{
    jd_put_format(out, "%-22s", name);
    put_number(out, controlled, decimals);
    if (is_compared)
        put_number(out, uncontrolled, decimals);
    if (is_compared && uncontrolled > 0 && !isnan(controlled)) {
        const double factor = controlled / uncontrolled;
        const double change_pct = fabs(factor - 1) < 0.0005 ? 0 : 100 * (factor - 1);
        if (factor < 10)
            jd_put_format(out, " %+11.1f %%", change_pct);
        else
            jd_put_format(out, " %11.0f x", factor);
    }
    jl_put_char(out, '\n');
}

struct both { /* runs */
    const struct joulie_sim *sim;
    struct joulie_sim_outcome ours;
    struct joulie_sim_outcome other;
    bool is_compared;
};

struct figure { /* a number of an outcome, a double */
    const char *name;
    size_t offset;
    double unit;
    int decimals;
    uint64_t bit; /* JOULIE_SIM_OUTCOME_HAS_*, 0 = it is always known; what is unknown is a dash */
    bool is_rare; /* without its bit, or where it is 0 in both runs, there is no line */
};

#define FIGURE(text, member, per, digits)                                                 \
    .name = (text), .offset = offsetof(struct joulie_sim_outcome, member), .unit = (per), \
    .decimals = (digits)

static const struct figure energies[] = {
    { FIGURE("IT energy, kWh", energy_j, J_PER_KWH, 1) },
    { FIGURE("in the same time, kWh", window_energy_j, J_PER_KWH, 1) },
    { FIGURE("  CPUs of busy nodes*", cpu_idle_busy_j, J_PER_KWH, 1) },
    { FIGURE("  CPUs of empty nodes*", cpu_idle_empty_j, J_PER_KWH, 1) },
    { FIGURE("  CPUs, above idle", cpu_dynamic_j, J_PER_KWH, 1) },
    { FIGURE("  GPUs of busy nodes*", gpu_idle_busy_j, J_PER_KWH, 1) },
    { FIGURE("  GPUs of empty nodes*", gpu_idle_empty_j, J_PER_KWH, 1) },
    { FIGURE("  GPUs, above idle", gpu_dynamic_j, J_PER_KWH, 1) },
    { FIGURE("  CPUs, switched off", cpu_off_j, J_PER_KWH, 1), .is_rare = true },
    { FIGURE("  GPUs, switched off", gpu_off_j, J_PER_KWH, 1), .is_rare = true },
    { FIGURE("peak power, kW", peak_power_w, W_PER_KW, 2) },
    { FIGURE("above the limit, h", over_limit_s, HOUR_S, 2),
      .bit = JOULIE_SIM_OUTCOME_HAS_OVER_LIMIT, .is_rare = true },
    { FIGURE("peak of a rack, kW", peak_rack_power_w, W_PER_KW, 2),
      .bit = JOULIE_SIM_OUTCOME_HAS_PEAK_RACK_POWER, .is_rare = true },
    { FIGURE("racks above theirs, h", rack_over_limit_s, HOUR_S, 2),
      .bit = JOULIE_SIM_OUTCOME_HAS_RACK_OVER_LIMIT, .is_rare = true },
};

static const struct figure work[] = {
    { FIGURE("CPU work, units", cpu_units, 1, 0) },
    { FIGURE("GPU work, units", gpu_units, 1, 0) },
};

static const struct figure times[] = {
    { FIGURE("makespan, h", makespan_s, HOUR_S, 2), .bit = JOULIE_SIM_OUTCOME_HAS_MAKESPAN },
    { FIGURE("mean wait, min", mean_wait_s, MINUTE_S, 1), .bit = JOULIE_SIM_OUTCOME_HAS_MEAN_WAIT },
};

/* A number of unknown value is NAN here and a dash in the table. */
static double figure_of(const struct joulie_sim_outcome *outcome, const struct figure *figure)
{
    double value;
    memcpy(&value, (const char *)outcome + figure->offset, sizeof value);
    return (outcome->has & figure->bit) == figure->bit ? value / figure->unit : (double)NAN;
}

static void put_figures(struct jl_buffer *out, const struct both *both,
                        const struct figure *figures, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double ours = figure_of(&both->ours, &figures[i]);
        const double other = figure_of(&both->other, &figures[i]);
        const bool is_there = figures[i].bit != 0 ? !isnan(ours) : ours > 0 || other > 0;
        if (!figures[i].is_rare || is_there)
            put_line(out, figures[i].name, ours, both->is_compared, other, figures[i].decimals);
    }
}

struct quantile {
    const char *name;
    enum joulie_sim_measure measure;
    size_t offset; /* in struct joulie_sim_spread */
    double unit;
    int decimals;
};

#define QUANTILE(name, of, member, unit, decimals)                                                \
    {                                                                                             \
        name, JOULIE_SIM_MEASURE_##of, offsetof(struct joulie_sim_spread, member), unit, decimals \
    }

static const struct quantile quantiles[] = {
    QUANTILE("P95 wait, min", WAIT, p95, MINUTE_S, 1),
    QUANTILE("P99 wait, min", WAIT, p99, MINUTE_S, 1),
    QUANTILE("longest wait, min", WAIT, max, MINUTE_S, 1),
    QUANTILE("mean job time, min", JOB_TIME, mean, MINUTE_S, 1),
    QUANTILE("P95 job time, min", JOB_TIME, p95, MINUTE_S, 1),
    QUANTILE("P95 slowdown", SLOWDOWN, p95, 1, 3),
    QUANTILE("largest slowdown", SLOWDOWN, max, 1, 3),
};

static double quantile_of(const struct both *both, int32_t is_uncontrolled,
                          const struct quantile *quantile)
{
    struct joulie_sim_spread spread = JOULIE_INIT(struct joulie_sim_spread);
    double value;
    if (joulie_sim_get_spread(both->sim, is_uncontrolled, quantile->measure, JOULIE_SIM_GROUP_ALL,
                              &spread, NULL) != JOULIE_OK ||
        spread.jobs == 0)
        return (double)NAN;
    memcpy(&value, (const char *)&spread + quantile->offset, sizeof value);
    return value / quantile->unit;
}

/* A saving is never said without what it took. */
static void put_saving(struct jl_buffer *out, const struct both *both)
{
    double saved_pct;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_sim_saving(both->sim, &saved_pct, &err) != JOULIE_OK) {
        jd_put_format(out, "energy saved: not to be said, %.100s\n", err.message);
        return;
    }
    jd_put_format(out, "energy saved at equal work: %.1f %%", saved_pct);
    if (both->other.makespan_s > 0)
        jd_put_format(out, ", makespan %+.1f %%",
                      100 * (both->ours.makespan_s / both->other.makespan_s - 1));
    jl_put_char(out, '\n');
}

static void put_outcome(struct jd_call *call, const struct joulie_sim *sim)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer out = { 0 };
    struct both both = { sim, JOULIE_INIT(struct joulie_sim_outcome),
                         JOULIE_INIT(struct joulie_sim_outcome), false };
    joulie_sim_get_outcome(sim, 0, &both.ours, NULL);
    both.is_compared = joulie_sim_get_outcome(sim, 1, &both.other, NULL) == JOULIE_OK;
    jl_put_string(&out,
                  both.is_compared
                      ? "                            controlled    uncontrolled   difference\n"
                      : "                            controlled\n");
    put_figures(&out, &both, energies, JL_COUNT(energies));
    put_figures(&out, &both, work, JL_COUNT(work));
    put_line(&out, "jobs completed", (double)both.ours.completed, both.is_compared,
             (double)both.other.completed, 0);
    put_line(&out, "jobs left over", (double)(both.ours.jobs - both.ours.completed),
             both.is_compared, (double)(both.other.jobs - both.other.completed), 0);
    put_figures(&out, &both, times, JL_COUNT(times));
    for (size_t i = 0; i < JL_COUNT(quantiles); i++)
        put_line(&out, quantiles[i].name, quantile_of(&both, 0, &quantiles[i]), both.is_compared,
                 quantile_of(&both, 1, &quantiles[i]), quantiles[i].decimals);
    jl_put_string(&out, "* their idle power\n");
    if (both.is_compared)
        put_saving(&out, &both);
    if (out.data)
        jd_put_text(call, out.data, out.len);
}

static bool is_equal_work(const struct joulie_sim *sim)
{
    struct joulie_sim_outcome ours = JOULIE_INIT(struct joulie_sim_outcome);
    struct joulie_sim_outcome other = JOULIE_INIT(struct joulie_sim_outcome);
    double saved_pct;
    if (joulie_sim_get_outcome(sim, 0, &ours, NULL) != JOULIE_OK ||
        joulie_sim_get_outcome(sim, 1, &other, NULL) != JOULIE_OK)
        return false;
    return ours.completed == ours.jobs && other.completed == other.jobs &&
           joulie_sim_saving(sim, &saved_pct, NULL) == JOULIE_OK;
}

/* ---- the run ---- */

static const struct jd_text_option texts[] = {
    { "inventory", JD_OPTION(inventory), JD_OPTION(sim.inventory), JD_OPTION(sim.inventory_len) },
    { "trace", JD_OPTION(trace), JD_OPTION(sim.trace), JD_OPTION(sim.trace_len) },
    { "policy", JD_OPTION(policy), JD_OPTION(sim.policy), JD_OPTION(sim.policy_len) },
    { "scoring", JD_OPTION(scoring), JD_OPTION(sim.scoring), JD_OPTION(sim.scoring_len) },
    { "powerOff", JD_OPTION(power_off), JD_OPTION(sim.power_off), JD_OPTION(sim.power_off_len) },
};
_Static_assert(JL_COUNT(texts) <= JD_MOST_TEXTS, "each has its buffer");

static const struct joulie_sim_options *options_of(struct jd_call *call)
{
    struct joulie_sim_options *options = &call->values.sim;
    options->struct_size = sizeof *options;
    options->compare = !jl_same(call->values.compare, "none");
    options->is_lenient = call->values.lenient;
    options->baseline_power_off = call->values.baseline_power_off;
    options->keeps_hours = call->values.out != NULL;
    options->seed = jd_given(call, JD_OPTION(seed)) ? (uint64_t)call->values.seed : 1;
    return options;
}

static int write_tables(const struct jd_call *call, const struct joulie_sim *sim,
                        const char *summary, struct joulie_error *err)
{
    static const char *const tables[] = { "nodes", "families", "jobs", "decisions" };
    static const char *const files[] = { "nodes.csv", "families.csv", "jobs.csv", "decisions.csv" };
    const char *folder = call->values.out;
    int rc = folder ? jd_write_file(folder, "summary.json", summary, strlen(summary), err) : 0;
    for (size_t i = 0; folder && rc == 0 && i < JL_COUNT(tables); i++) {
        JL_CLEANUP(jl_freep) char *csv = NULL;
        rc = joulie_sim_csv(sim, tables[i], &csv, err);
        if (rc == 0)
            rc = jd_write_file(folder, files[i], csv, strlen(csv), err);
    }
    return rc;
}

/* The library's summary does not know what a wall clock is: wallS is added here, as the last
 * member. Files come first: the reader of standard output may be gone. */
static int put_summary(struct jd_call *call, const struct joulie_sim *sim, int64_t wall_ms,
                       struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
    JL_CLEANUP(jl_freep) char *json = NULL;
    int rc = joulie_sim_summary(sim, &json, err);
    if (rc < 0)
        return rc;
    jl_put(&line, json, strlen(json) - 1);
    jl_put_string(&line, ",\"wallS\":");
    jl_put_double(&line, (double)wall_ms / 1000);
    jl_put_char(&line, '}');
    jl_put_char(&line, '\n');
    rc = line.is_failed ? jl_fail_memory(err) : write_tables(call, sim, line.data, err);
    if (rc == 0 && jl_same(call->values.output, "table")) {
        put_outcome(call, sim);
    } else if (rc == 0) {
        line.data[line.len - 1] = '\0'; /* a line of a file ends; an answer is ended by its form */
        jd_put_answer(call, line.data);
    }
    return rc;
}

/* A run takes a moment: one more says when the day ends, so that the pace can be set. */
static int find_end(const struct joulie_sim_options *options, double *out_s,
                    struct joulie_error *err)
{
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    struct joulie_sim *sim = NULL;
    int rc = joulie_sim_new(options, &sim, err);
    if (rc == 0)
        rc = joulie_sim_run_until(sim, (double)INFINITY, err);
    if (rc == 0) {
        joulie_sim_get_view(sim, &view, NULL);
        *out_s = fmax(view.time_s, view.uncontrolled_time_s);
    }
    joulie_sim_free(sim);
    return rc;
}

static int run_sim(const struct jd_call *call, const struct joulie_sim_options *options,
                   struct joulie_sim *sim, struct joulie_error *err)
{
    double end_s = 0;
    if (!jd_given(call, JD_OPTION(live)))
        return jd_simulate(sim, err);
    const int rc = isatty(STDERR_FILENO) ? find_end(options, &end_s, err) : 0;
    return rc < 0 ? rc : jd_simulate_live(sim, end_s, call->values.live, err);
}

static int check_work(const struct jd_call *call, const struct joulie_sim *sim,
                      struct joulie_error *err)
{
    if (!call->values.equal_work || is_equal_work(sim))
        return 0;
    return jl_fail(err, JOULIE_E_CONFLICT, "--require-equal-work",
                   "the runs did not do the same work, or a job is left over");
}

static int simulate(struct jd_call *call, const struct joulie_sim_options *options,
                    int64_t start_ms, struct joulie_error *err)
{
    struct joulie_sim *sim = NULL;
    int rc = joulie_sim_new(options, &sim, err);
    if (rc < 0)
        return jd_name_file(call, texts, JL_COUNT(texts), rc, err);
    rc = run_sim(call, options, sim, err);
    if (rc == 0)
        rc = put_summary(call, sim, jd_clock_ms() - start_ms, err);
    if (rc == 0)
        rc = check_work(call, sim, err);
    joulie_sim_free(sim);
    return rc;
}

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (!call->values.inventory || !call->values.trace)
        return jd_usage("\"simulate\" needs --inventory FILE and --trace FILE");
    if (!jd_reads_input_once(call, texts, JL_COUNT(texts)))
        return JD_EXIT_USAGE;
    const int64_t start_ms = jd_clock_ms();
    int rc = jd_read_texts(call, texts, JL_COUNT(texts), &err);
    if (rc == 0)
        rc = simulate(call, options_of(call), start_ms, &err);
    return rc < 0 ? jd_put_error(call, &err) : JD_EXIT_OK;
}

static const char *const compare_words[] = { "uncontrolled", "none", NULL };
static const char *const placement_words[] = {
    "joulie", "efficiency", "efficiency-cost", "least-allocated", "kube", "most-allocated", NULL
};
static const char *const kube_words[] = { "least-allocated", "kube", "most-allocated", NULL };
static const char *const speeds_words[] = { "catalog", "equal", NULL };

static const struct jd_setting options_of_simulate[] = {
    JD_TEXT_ROW("INVENTORY", inventory, "FILE", "the machines, YAML or JSON"),
    JD_TEXT_ROW("TRACE", trace, "FILE", "the jobs, as joulie workload generate writes them"),
    JD_TEXT_ROW("POLICY", policy, "FILE",
                "the member policy of joulie plan, YAML or JSON; its defaults without it"),
    JD_WORD_ROW("COMPARE", compare, compare_words, "RUN",
                "beside the controlled run: uncontrolled (the default) or none"),
    JD_OFFERED_ROW("PLACEMENT", sim.placement, placement_words, "SCORING",
                   "scoring of the controlled run: joulie (the default: LeastAllocated and the "
                   "extender), efficiency (most-allocated and twice the extender's watts), "
                   "efficiency-cost (the watts alone), or kube-scheduler's: least-allocated, kube "
                   "(with BalancedAllocation), most-allocated (with GPUs)"),
    JD_OFFERED_ROW("PLACEMENT_BASE", sim.placement_base, kube_words, "SCORING",
                   "kube-scheduler's part of it, instead of the placement's own"),
    JD_INTEGER_ROW("EXTENDER_WEIGHT", sim.extender_weight, "N",
                   "weight of the extender beside it, instead of the placement's own"),
    JD_TEXT_ROW("SCORING", scoring, "FILE",
                "the extender's scoring profile, YAML or JSON; its defaults without it"),
    JD_TEXT_ROW("POWER_OFF", power_off, "FILE",
                "switch nodes off that nothing needs, by the settings of power_off_v1, YAML or "
                "JSON ({} = its defaults); without it they stay on"),
    JD_BOOLEAN_ROW("BASELINE_POWER_OFF", baseline_power_off,
                   "switch the nodes of the uncontrolled run, too"),
    JD_OFFERED_ROW("BASELINE", sim.baseline, kube_words, "SCORING",
                   "scoring of the uncontrolled run: least-allocated (the default), kube or "
                   "most-allocated"),
    JD_OFFERED_ROW("PHYSICS", sim.physics, jd_physics_words, "SET",
                   "physics set: current (the default) or v0.1.1"),
    JD_OFFERED_ROW("SPEEDS", sim.speeds, speeds_words, "WORD",
                   "speeds of CPUs and GPUs: catalog (the default) or equal"),
    JD_DOUBLE_ROW("HOURS", sim.hours, "H",
                  "end after H virtual hours, not when every job has ended"),
    JD_INTEGER_ROW("SEED", seed, "S", "copied to the summary; a run draws no random number"),
    JD_TEXT_ROW(
        "OUT", out, "DIR",
        "also write summary.json, nodes.csv, families.csv, jobs.csv and decisions.csv there"),
    JD_INTEGER_ROW("NODES", sim.nodes, "N", "scale the inventory to N nodes, keeping the mix"),
    JD_DOUBLE_ROW("IT_LIMIT", sim.it_limit_w, "W",
                  "count the time above W watts of IT power, what a plant can cool or feed"),
    JD_DOUBLE_ROW("RACK_LIMIT", sim.rack_limit_w, "W",
                  "the same of each rack, the machines of one label joulie.io/rack"),
    JD_DOUBLE_ROW("LIVE", live, "SECONDS",
                  "show the run on a terminal, paced to take so long; elsewhere a line per hour"),
    JD_BOOLEAN_ROW("REQUIRE_EQUAL_WORK", equal_work,
                   "exit 1 unless both runs did the same work and no job is left over"),
    JD_BOOLEAN_ROW("LENIENT", lenient, "skip bad lines of the trace"),
    JD_OUTPUT_ROW_OF(jd_table_output_words,
                     "form of the summary: json (one line, the default), pretty, yaml or table"),
};

const struct jd_command jd_command_simulate = {
    .name = "simulate",
    .summary = "Runs a trace on simulated machines, with control and without",
    .text = "Prints a summary: work done, energy, what was saved, waiting, caps. Virtual time "
            "only: equal inputs\n"
            "give equal results, besides wallS. \"simulate autoscale\" compares autoscalers.",
    JD_ROWS(options_of_simulate),
    .run = run,
};
