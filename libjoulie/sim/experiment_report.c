/* SPDX-License-Identifier: Apache-2.0 */

/* The answer of an experiment as JSON and as CSV (docs/rules/experiments.md#answer). */

#include <joulie/version.h>

#include "base/memory.h"
#include "base/number.h"
#include "schema/presence.h"
#include "sim/emit.h"
#include "sim/experiment.h"

#define INTERVAL_PCT 95
#define J_PER_KWH 3.6e6

static const struct {
    const char *key;    /* of the report */
    const char *column; /* of rows.csv, and with _half its interval */
    const char *half;
} estimates[JL_EXPERIMENT_ESTIMATES] = {
    [JL_EXPERIMENT_ENERGY] = { "energyKwh", "energy_kwh", "energy_kwh_half" },
    [JL_EXPERIMENT_SAVED] = { "savedPct", "saved_pct", "saved_pct_half" },
    [JL_EXPERIMENT_MAKESPAN] = { "makespanPct", "makespan_pct", "makespan_pct_half" },
    [JL_EXPERIMENT_JOB_TIME] = { "jobTimePct", "job_time_pct", "job_time_pct_half" },
    [JL_EXPERIMENT_WAIT] = { "waitP99S", "wait_p99_s", "wait_p99_s_half" },
    [JL_EXPERIMENT_AGAINST_WAIT] = { "againstWaitP99S", "against_wait_p99_s",
                                     "against_wait_p99_s_half" },
    [JL_EXPERIMENT_SLOWDOWN] = { "slowdownP95", "slowdown_p95", "slowdown_p95_half" },
    [JL_EXPERIMENT_BOUND] = { "boundPct", "bound_pct", "bound_pct_half" },
    [JL_EXPERIMENT_BOUND_SLOWED] = { "boundSlowedPct", "bound_slowed_pct",
                                     "bound_slowed_pct_half" },
    [JL_EXPERIMENT_ASLEEP] = { "asleepPct", "asleep_pct", "asleep_pct_half" },
    [JL_EXPERIMENT_ASLEEP_SLOWED] = { "asleepSlowedPct", "asleep_slowed_pct",
                                      "asleep_slowed_pct_half" },
};

/* ---- every row ---- */

typedef void put_row(struct jl_buffer *out, const struct joulie_experiment *experiment,
                     const struct jl_experiment_row *row);

static int each_row(struct jl_buffer *out, const struct joulie_experiment *experiment, put_row *put)
{
    JL_CLEANUP(jl_freep)
    double *room = jl_calloc(experiment->seed_count, JL_EXPERIMENT_ESTIMATES * sizeof *room);
    if (!room)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < experiment->cell_count; i++) {
        const struct jl_experiment_cell *cell = &experiment->cells[i];
        const size_t best = jl_experiment_best(experiment, cell);
        for (size_t subject = 0; subject < experiment->subject_count; subject++) {
            struct jl_experiment_row row;
            jl_experiment_row_of(experiment, cell, subject, best, room, &row);
            put(out, experiment, &row);
        }
    }
    return jl_buffer_code(out);
}

/* ---- JSON ---- */

static void put_estimate(struct jl_buffer *out, const char *key, const struct jl_mean *mean)
{
    jl_emit_key(out, key);
    jl_put_char(out, '{');
    jl_emit_number(out, "mean", mean->mean);
    if (mean->has_interval)
        jl_emit_number(out, "halfWidth", mean->half_width);
    jl_put_char(out, '}');
}

static const struct jl_experiment_result *result_at(const struct joulie_experiment *experiment,
                                                    const struct jl_experiment_row *row,
                                                    size_t seed)
{
    return &row->cell->runs[seed * experiment->subject_count + row->subject].result;
}

static double mean_at(const struct joulie_experiment *experiment,
                      const struct jl_experiment_row *row, size_t offset)
{
    double sum = 0;
    for (size_t seed = 0; seed < row->cell->seeds; seed++)
        sum += *(const double *)((const char *)result_at(experiment, row, seed) + offset);
    return sum / (double)row->cell->seeds;
}

/* Up to the end of each run. */
static void put_energy(struct jl_buffer *out, const struct joulie_experiment *experiment,
                       const struct jl_experiment_row *row)
{
#define PART(name) offsetof(struct jl_experiment_result, outcome.name)

    static const struct {
        const char *key;
        size_t cpus;
        size_t gpus;
    } parts[] = {
        { "dynamicKwh", PART(cpu_dynamic_j), PART(gpu_dynamic_j) },
        { "idleBusyKwh", PART(cpu_idle_busy_j), PART(gpu_idle_busy_j) },
        { "idleEmptyKwh", PART(cpu_idle_empty_j), PART(gpu_idle_empty_j) },
        { "offKwh", PART(cpu_off_j), PART(gpu_off_j) },
    };

#undef PART

    jl_emit_key(out, "energyParts");
    jl_put_char(out, '{');
    for (size_t i = 0; i < JL_COUNT(parts); i++)
        jl_emit_number(
            out, parts[i].key,
            (mean_at(experiment, row, parts[i].cpus) + mean_at(experiment, row, parts[i].gpus)) /
                J_PER_KWH);
    jl_put_char(out, '}');
}

static void put_waits(struct jl_buffer *out, const struct joulie_experiment *experiment,
                      const struct jl_experiment_row *row)
{
    static const struct {
        const char *key;
        size_t at;
    } members[] = {
        { "mean", offsetof(struct jl_experiment_result, wait.mean) },
        { "p50", offsetof(struct jl_experiment_result, wait.p50) },
        { "p95", offsetof(struct jl_experiment_result, wait.p95) },
        { "p99", offsetof(struct jl_experiment_result, wait.p99) },
        { "max", offsetof(struct jl_experiment_result, wait.max) },
    };

    jl_emit_key(out, "waitS");
    jl_put_char(out, '{');
    for (size_t i = 0; i < JL_COUNT(members); i++)
        jl_emit_number(out, members[i].key, mean_at(experiment, row, members[i].at));
    jl_put_char(out, '}');
}

/* Machines go on as they were at the end of a run. */
static void put_power(struct jl_buffer *out, const struct joulie_experiment *experiment,
                      const struct jl_experiment_row *row)
{
    size_t hours = 0;
    for (size_t seed = 0; seed < row->cell->seeds; seed++) {
        const size_t own = result_at(experiment, row, seed)->hourly_w.count;
        hours = own > hours ? own : hours;
    }
    jl_emit_key(out, "hourlyW");
    jl_put_char(out, '[');
    for (size_t hour = 0; hour < hours; hour++) {
        double sum_w = 0;
        for (size_t seed = 0; seed < row->cell->seeds; seed++) {
            const struct jl_experiment_result *result = result_at(experiment, row, seed);
            sum_w += hour < result->hourly_w.count ? ((const double *)result->hourly_w.items)[hour]
                                                   : result->outcome.power_w;
        }
        jl_put_string(out, hour > 0 ? "," : "");
        jl_put_double(out, sum_w / (double)row->cell->seeds);
    }
    jl_put_char(out, ']');
}

/* null where a pair has no saving. */
static void put_pairs(struct jl_buffer *out, const struct joulie_experiment *experiment,
                      const struct jl_experiment_row *row)
{
    jl_emit_key(out, "savedPcts");
    jl_put_char(out, '[');
    for (size_t seed = 0; seed < row->cell->seeds; seed++) {
        struct jl_experiment_pair pair;
        jl_experiment_pair_of(experiment, row->cell, seed, row->subject, row->against, &pair);
        jl_put_string(out, seed > 0 ? "," : "");
        jl_put_double(out, pair.saved_pct);
    }
    jl_put_char(out, ']');
}

static void put_traces(struct jl_buffer *out, const struct joulie_experiment *experiment,
                       const struct jl_experiment_row *row)
{
    jl_emit_key(out, "traces");
    jl_put_char(out, '[');
    for (size_t seed = 0; seed < row->cell->seeds; seed++) {
        const char *trace = result_at(experiment, row, seed)->trace;
        jl_put_string(out, seed > 0 ? "," : "");
        jl_put_json_string(out, trace, jl_text(trace).len);
    }
    jl_put_char(out, ']');
}

static void put_json_row(struct jl_buffer *out, const struct joulie_experiment *experiment,
                         const struct jl_experiment_row *row)
{
    const struct jl_experiment_subject *subject = &experiment->subjects[row->subject];
    if (out->len > 0 && out->data[out->len - 1] == '}') /* empty: it could not grow */
        jl_put_char(out, ',');
    jl_put_char(out, '{');
    jl_emit_text(out, "scenario", row->cell->scenario->name);
    jl_emit_text(out, "speeds", row->cell->speeds);
    if (row->cell->has_load)
        jl_emit_number(out, "load", row->cell->load);
    jl_emit_text(out, "policy", subject->name);
    jl_emit_text(out, "placement", subject->placement);
    jl_emit_bool(out, "isBaseline", subject->is_baseline);
    jl_emit_text(out, "against", experiment->subjects[row->against].name);
    jl_emit_integer(out, "seeds", (int64_t)row->cell->seeds);
    for (size_t i = 0; i < JL_EXPERIMENT_ESTIMATES; i++) {
        if (row->has[i])
            put_estimate(out, estimates[i].key, &row->estimates[i]);
    }
    if (jl_is_finite(row->share_pct)) {
        jl_emit_number(out, "sharePct", row->share_pct);
        jl_emit_text(out, "shareOf", estimates[row->share_of].key);
    }
    put_pairs(out, experiment, row);
    put_energy(out, experiment, row);
    put_power(out, experiment, row);
    put_waits(out, experiment, row);
    put_traces(out, experiment, row);
    jl_emit_key(out, "notes");
    jl_put_char(out, '[');
    for (size_t i = 0; i < row->note_count; i++) {
        if (i > 0)
            jl_put_char(out, ',');
        jl_put_json_string(out, row->notes[i], jl_text(row->notes[i]).len);
    }
    jl_put_string(out, "]}");
}

int jl_experiment_put_report(struct jl_buffer *out, const struct joulie_experiment *experiment)
{
    jl_put_char(out, '{');
    jl_emit_text(out, "name", experiment->name);
    jl_emit_text(out, "version", joulie_version());
    jl_emit_text(out, "physics", experiment->physics);
    jl_emit_integer(out, "intervalPct", INTERVAL_PCT);
    jl_emit_key(out, "rows");
    jl_put_char(out, '[');
    const int rc = each_row(out, experiment, put_json_row);
    jl_put_string(out, "]}");
    return rc < 0 ? rc : jl_buffer_code(out);
}

/* ---- CSV ---- */

#define CELL_HEADER "scenario,speeds,load,policy,placement,baseline"

static void put_cell(struct jl_buffer *out, const struct jl_experiment_cell *cell,
                     const struct jl_experiment_subject *subject)
{
    jl_csv_text(out, cell->scenario->name);
    jl_csv_text(out, cell->speeds);
    jl_csv_known(out, cell->has_load, cell->load);
    jl_csv_text(out, subject->name);
    jl_csv_text(out, subject->placement);
    jl_csv_text(out, subject->is_baseline ? "true" : "false");
}

static void put_csv_row(struct jl_buffer *out, const struct joulie_experiment *experiment,
                        const struct jl_experiment_row *row)
{
    put_cell(out, row->cell, &experiment->subjects[row->subject]);
    jl_csv_text(out, experiment->subjects[row->against].name);
    jl_csv_integer(out, (int64_t)row->cell->seeds);
    for (size_t i = 0; i < JL_EXPERIMENT_ESTIMATES; i++) {
        jl_csv_known(out, row->has[i], row->estimates[i].mean);
        jl_csv_known(out, row->has[i] && row->estimates[i].has_interval,
                     row->estimates[i].half_width);
    }
    jl_csv_known(out, jl_is_finite(row->share_pct), row->share_pct);
    jl_csv_text(out, jl_is_finite(row->share_pct) ? estimates[row->share_of].column : NULL);
    jl_put_string(out, ",\"");
    for (size_t i = 0; i < row->note_count; i++) {
        jl_put_string(out, i > 0 ? "; " : "");
        jl_put_string(out, row->notes[i]);
    }
    jl_put_string(out, "\"\n");
}

int jl_experiment_put_rows(struct jl_buffer *out, const struct joulie_experiment *experiment)
{
    jl_put_string(out, CELL_HEADER ",against,seeds");
    for (size_t i = 0; i < JL_EXPERIMENT_ESTIMATES; i++) {
        jl_csv_text(out, estimates[i].column);
        jl_csv_text(out, estimates[i].half);
    }
    jl_put_string(out, ",share_pct,share_of,notes\n");
    return each_row(out, experiment, put_csv_row);
}

#define PAIR_COLUMNS                                      \
    COLUMN("window_s", pair.window_s)                     \
    COLUMN("energy_kwh", pair.energy_kwh)                 \
    COLUMN("against_energy_kwh", pair.against_kwh)        \
    COLUMN("saved_pct", pair.saved_pct)                   \
    COLUMN("makespan_pct", pair.makespan_pct)             \
    COLUMN("job_time_pct", pair.job_time_pct)             \
    COLUMN("wait_p99_s", pair.wait_p99_s)                 \
    COLUMN("against_wait_p99_s", pair.against_wait_p99_s) \
    COLUMN("slowdown_p95", pair.slowdown_p95)             \
    COLUMN("bound_pct", pair.bound_pct)                   \
    COLUMN("bound_slowed_pct", pair.bound_slowed_pct)     \
    COLUMN("asleep_pct", pair.asleep_pct)                 \
    COLUMN("asleep_slowed_pct", pair.asleep_slowed_pct)

static void put_pair(struct jl_buffer *out, const struct joulie_experiment *experiment,
                     const struct jl_experiment_cell *cell, size_t seed, size_t subject,
                     size_t against)
{
    struct jl_experiment_pair pair;
    jl_experiment_pair_of(experiment, cell, seed, subject, against, &pair);
    put_cell(out, cell, &experiment->subjects[subject]);
    jl_csv_text(out, experiment->subjects[against].name);
    jl_put_char(out, ',');
    jl_put_u64(out, cell->runs[seed * experiment->subject_count].seed);
#define COLUMN(name, value) jl_csv_known(out, jl_is_finite(value), value);
    PAIR_COLUMNS
#undef COLUMN
    jl_csv_text(out, pair.why_not);
    jl_put_char(out, '\n');
}

int jl_experiment_put_pairs(struct jl_buffer *out, const struct joulie_experiment *experiment)
{
    jl_put_string(out, CELL_HEADER ",against,seed");
#define COLUMN(name, value) jl_csv_text(out, name);
    PAIR_COLUMNS
#undef COLUMN
    jl_put_string(out, ",why_not\n");
    for (size_t i = 0; i < experiment->cell_count; i++) {
        const struct jl_experiment_cell *cell = &experiment->cells[i];
        const size_t best = jl_experiment_best(experiment, cell);
        for (size_t subject = 0; subject < experiment->subject_count; subject++) {
            for (size_t seed = 0; seed < cell->seeds && subject != best; seed++)
                put_pair(out, experiment, cell, seed, subject, best);
        }
    }
    return jl_buffer_code(out);
}

/* ---- runs.csv: what the table of results has ---- */

/* The numbers of a record, or, object NULL, their names: those of an object in it have its key
 * before theirs. */
static void put_numbers(struct jl_buffer *out, const struct jl_table *table, const char *prefix,
                        const void *object)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        const char *at = object ? (const char *)object + row->offset : NULL;
        if (row->type == JL_TYPE_OBJECT) {
            put_numbers(out, row->child, row->key, at);
            continue;
        }
        if (row->type != JL_TYPE_INTEGER && row->type != JL_TYPE_NUMBER)
            continue;
        jl_put_char(out, ',');
        if (!object) {
            jl_put_string(out, prefix);
            jl_put_string(out, prefix[0] ? "." : "");
            jl_put_string(out, row->key);
        } else if (!jl_is_given(row, object)) {
            continue;
        } else if (row->type == JL_TYPE_INTEGER) {
            jl_put_i64(out, *(const int64_t *)at);
        } else {
            jl_put_double(out, *(const double *)at);
        }
    }
}

int jl_experiment_put_runs(struct jl_buffer *out, const struct joulie_experiment *experiment)
{
    jl_put_string(out, CELL_HEADER ",seed,key");
    put_numbers(out, &jl_experiment_result_table, "", NULL);
    jl_put_char(out, '\n');
    for (size_t i = 0; i < experiment->run_count; i++) {
        const struct jl_experiment_run *run = &experiment->runs[i];
        put_cell(out, jl_experiment_cell_of(experiment, i), run->subject);
        jl_put_char(out, ',');
        jl_put_u64(out, run->seed);
        jl_csv_text(out, run->key);
        put_numbers(out, &jl_experiment_result_table, "", &run->result);
        jl_put_char(out, '\n');
    }
    return jl_buffer_code(out);
}
