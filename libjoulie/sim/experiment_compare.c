/* SPDX-License-Identifier: Apache-2.0 */

/* Pairs of runs and what they say over the seeds (docs/rules/experiments.md#comparison). */

#include <math.h>

#include "base/number.h"
#include "sim/experiment.h"
#include "sim/summary.h"

#define J_PER_KWH 3.6e6
#define LONGER_MAKESPAN 2.0 /* percent */
#define LONGER_JOB_TIME 3.0 /* percent */
#define SLOWER 1.10         /* P95 of run time over run time at full speed */
#define NOT_SLOWED 1.0005   /* the longest; lags and rounding stay below */

static const struct jl_experiment_result *result_of(const struct joulie_experiment *experiment,
                                                    const struct jl_experiment_cell *cell,
                                                    size_t seed, size_t subject)
{
    return &cell->runs[seed * experiment->subject_count + subject].result;
}

/* Machines go on with the power that they had at the end of the run; in v0.1.1 a run is charged up
 * to its own end, as in a saving of one simulation. */
static double energy_j(const struct joulie_experiment *experiment,
                       const struct joulie_sim_outcome *outcome, double window_s)
{
    return jl_same(experiment->physics, "current")
               ? outcome->energy_j + outcome->power_w * (window_s - outcome->time_s)
               : outcome->energy_j;
}

/* ---- the best baseline ---- */

static double last_end_s(const struct joulie_experiment *experiment,
                         const struct jl_experiment_cell *cell, size_t seed)
{
    double end_s = 0;
    for (size_t i = 0; i < experiment->baseline_count; i++)
        end_s = jl_max(end_s, result_of(experiment, cell, seed, i)->outcome.time_s);
    return end_s;
}

size_t jl_experiment_best(const struct joulie_experiment *experiment,
                          const struct jl_experiment_cell *cell)
{
    size_t best = 0;
    double best_j = (double)INFINITY;
    for (size_t i = 0; i < experiment->baseline_count; i++) {
        double sum_j = 0;
        for (size_t seed = 0; seed < cell->seeds; seed++)
            sum_j += energy_j(experiment, &result_of(experiment, cell, seed, i)->outcome,
                              last_end_s(experiment, cell, seed));
        if (sum_j < best_j) {
            best_j = sum_j;
            best = i;
        }
    }
    return best;
}

/* ---- pairs ---- */

static double longer_pct(bool is_known, double value, double against)
{
    return is_known && against > 0 ? 100 * (value - against) / against : (double)NAN;
}

static bool was_off(const struct joulie_sim_outcome *outcome)
{
    return outcome->cpu_off_j > 0 || outcome->gpu_off_j > 0;
}

/* Idle power of machines that are on is the same in both, so without sleep it is the dynamic energy
 * that can be saved. */
static void add_bounds(const struct jl_experiment_result *against, struct jl_experiment_pair *out)
{
    const struct jl_experiment_bound *bound = &against->bound;
    const double dynamic_j = against->outcome.cpu_dynamic_j + against->outcome.gpu_dynamic_j;
    const double least_j = jl_max(bound->cpu_dynamic_j + bound->gpu_dynamic_j, bound->priced_j);
    const double slowed_j =
        jl_max(bound->cpu_dynamic_j + bound->gpu_dynamic_slowed_j, bound->priced_slowed_j);
    const double pct = 100 / against->outcome.energy_j;
    out->bound_pct = pct * (dynamic_j - least_j);
    out->bound_slowed_pct = pct * (dynamic_j - slowed_j);
    out->asleep_pct = 100 - pct * jl_max(bound->asleep_j, bound->priced_asleep_j);
    out->asleep_slowed_pct =
        100 - pct * jl_max(bound->asleep_slowed_j, bound->priced_asleep_slowed_j);
}

void jl_experiment_pair_of(const struct joulie_experiment *experiment,
                           const struct jl_experiment_cell *cell, size_t seed, size_t subject,
                           size_t against, struct jl_experiment_pair *out)
{
    const struct jl_experiment_result *own = result_of(experiment, cell, seed, subject);
    const struct jl_experiment_result *other = result_of(experiment, cell, seed, against);
    const double window_s = jl_max(own->outcome.time_s, other->outcome.time_s);
    const double own_j = energy_j(experiment, &own->outcome, window_s);
    const double other_j = energy_j(experiment, &other->outcome, window_s);
    const uint64_t has = own->outcome.has & other->outcome.has;
    *out = (struct jl_experiment_pair){
        .window_s = window_s,
        .energy_kwh = own_j / J_PER_KWH,
        .against_kwh = other_j / J_PER_KWH,
        .why_not = jl_sim_no_saving(&own->outcome, &other->outcome),
        .saved_pct = 100 * (1 - own_j / other_j),
        .makespan_pct = longer_pct((has & JOULIE_SIM_OUTCOME_HAS_MAKESPAN) != 0,
                                   own->outcome.makespan_s, other->outcome.makespan_s),
        .job_time_pct = longer_pct(own->job_time.jobs > 0 && other->job_time.jobs > 0,
                                   own->job_time.mean, other->job_time.mean),
        .wait_p99_s = own->wait.jobs > 0 ? own->wait.p99 : (double)NAN,
        .against_wait_p99_s = other->wait.jobs > 0 ? other->wait.p99 : (double)NAN,
        .slowdown_p95 = own->slowdown.jobs > 0 ? own->slowdown.p95 : (double)NAN,
        .bound_pct = (double)NAN,
        .bound_slowed_pct = (double)NAN,
        .asleep_pct = (double)NAN,
        .asleep_slowed_pct = (double)NAN,
        .is_slowed = own->slowdown.jobs > 0 && own->slowdown.max > NOT_SLOWED,
        .is_asleep = was_off(&own->outcome),
    };
    if (other->given.bound)
        add_bounds(other, out);
    if (out->why_not)
        out->saved_pct = (double)NAN;
}

/* ---- rows ---- */

static const size_t members[JL_EXPERIMENT_ESTIMATES] = {
    [JL_EXPERIMENT_ENERGY] = offsetof(struct jl_experiment_pair, energy_kwh),
    [JL_EXPERIMENT_SAVED] = offsetof(struct jl_experiment_pair, saved_pct),
    [JL_EXPERIMENT_MAKESPAN] = offsetof(struct jl_experiment_pair, makespan_pct),
    [JL_EXPERIMENT_JOB_TIME] = offsetof(struct jl_experiment_pair, job_time_pct),
    [JL_EXPERIMENT_WAIT] = offsetof(struct jl_experiment_pair, wait_p99_s),
    [JL_EXPERIMENT_AGAINST_WAIT] = offsetof(struct jl_experiment_pair, against_wait_p99_s),
    [JL_EXPERIMENT_SLOWDOWN] = offsetof(struct jl_experiment_pair, slowdown_p95),
    [JL_EXPERIMENT_BOUND] = offsetof(struct jl_experiment_pair, bound_pct),
    [JL_EXPERIMENT_BOUND_SLOWED] = offsetof(struct jl_experiment_pair, bound_slowed_pct),
    [JL_EXPERIMENT_ASLEEP] = offsetof(struct jl_experiment_pair, asleep_pct),
    [JL_EXPERIMENT_ASLEEP_SLOWED] = offsetof(struct jl_experiment_pair, asleep_slowed_pct),
};

static bool is_over(const struct jl_experiment_row *row, enum jl_experiment_estimate of,
                    double most)
{
    return row->has[of] && row->estimates[of].mean > most;
}

static void note(struct jl_experiment_row *row, bool applies, const char *text)
{
    if (applies)
        row->notes[row->note_count++] = text;
}

/* What a saving must not be read without. */
static void add_notes(struct jl_experiment_row *row, bool is_asleep)
{
    const double longer_wait_s = JL_EXPERIMENT_LONGER_WAIT_S + (is_asleep ? JL_SIM_BOOT_S : 0);
    const struct jl_mean *saved = &row->estimates[JL_EXPERIMENT_SAVED];
    const bool has_saving = row->has[JL_EXPERIMENT_SAVED];
    const bool has_interval = has_saving && saved->has_interval;
    const bool waits = row->has[JL_EXPERIMENT_WAIT] && row->has[JL_EXPERIMENT_AGAINST_WAIT];
    note(row, !has_saving, row->why_not);
    note(row, has_interval && saved->mean + saved->half_width < 0, "costs energy");
    note(row,
         waits && row->estimates[JL_EXPERIMENT_WAIT].mean >
                      row->estimates[JL_EXPERIMENT_AGAINST_WAIT].mean + longer_wait_s,
         "makes work wait longer");
    note(row, is_over(row, JL_EXPERIMENT_MAKESPAN, LONGER_MAKESPAN),
         "makespan more than 2 % longer");
    note(row, is_over(row, JL_EXPERIMENT_JOB_TIME, LONGER_JOB_TIME), "jobs more than 3 % longer");
    note(row, is_over(row, JL_EXPERIMENT_SLOWDOWN, SLOWER), "runs more than 10 % slower (P95)");
}

/* Of the bound for what the policy did: whether jobs were slowed, and machines off. One that slows
 * jobs by more than 10 %, or ends later, did what no bound is for. */
static void add_share(struct jl_experiment_row *row, bool is_slowed, bool is_asleep)
{
    const enum jl_experiment_estimate awake =
        is_slowed ? JL_EXPERIMENT_BOUND_SLOWED : JL_EXPERIMENT_BOUND;
    const enum jl_experiment_estimate asleep =
        is_slowed ? JL_EXPERIMENT_ASLEEP_SLOWED : JL_EXPERIMENT_ASLEEP;
    row->share_of = is_asleep ? asleep : awake;
    const struct jl_mean *bound = &row->estimates[row->share_of];
    const bool has_share = row->has[JL_EXPERIMENT_SAVED] && row->has[row->share_of] &&
                           row->subject != row->against && bound->mean > 0 &&
                           !is_over(row, JL_EXPERIMENT_SLOWDOWN, SLOWER) &&
                           !is_over(row, JL_EXPERIMENT_MAKESPAN, LONGER_MAKESPAN);
    row->share_pct =
        has_share ? 100 * row->estimates[JL_EXPERIMENT_SAVED].mean / bound->mean : (double)NAN;
}

/* An estimate is known where every seed has it: one that leaves seeds out is of other traces. */
void jl_experiment_row_of(const struct joulie_experiment *experiment,
                          const struct jl_experiment_cell *cell, size_t subject, size_t against,
                          double *room, struct jl_experiment_row *out)
{
    bool is_slowed = false;
    bool is_asleep = false;
    *out = (struct jl_experiment_row){ .cell = cell, .subject = subject, .against = against };
    for (int i = 0; i < JL_EXPERIMENT_ESTIMATES; i++)
        out->has[i] = true;
    for (size_t seed = 0; seed < cell->seeds; seed++) {
        struct jl_experiment_pair pair;
        jl_experiment_pair_of(experiment, cell, seed, subject, against, &pair);
        if (pair.why_not && !out->why_not)
            out->why_not = pair.why_not;
        is_slowed |= pair.is_slowed;
        is_asleep |= pair.is_asleep;
        for (size_t i = 0; i < JL_EXPERIMENT_ESTIMATES; i++) {
            const double value = *(const double *)((const char *)&pair + members[i]);
            room[i * cell->seeds + seed] = value;
            out->has[i] &= jl_is_finite(value);
        }
    }
    for (size_t i = 0; i < JL_EXPERIMENT_ESTIMATES; i++) {
        if (out->has[i])
            out->estimates[i] = jl_mean_difference(&room[i * cell->seeds], NULL, cell->seeds);
    }
    add_share(out, is_slowed, is_asleep);
    add_notes(out, is_asleep);
}
