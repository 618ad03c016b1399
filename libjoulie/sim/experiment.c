/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_experiment_*(): checks of arguments, and who owns what. */

#include "sim/experiment.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "sim/emit.h"

int joulie_experiment_new(const struct joulie_experiment_options *options,
                          struct joulie_experiment **out, struct joulie_error *err)
{
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    struct joulie_experiment_options mine;
    if (JL_SIZED_READ(&mine, options) < 0)
        return jl_fail(err, JOULIE_E_ABI, "",
                       "struct joulie_experiment_options of another release");
    struct joulie_experiment *experiment = jl_calloc(1, sizeof *experiment);
    int rc = experiment ? jl_experiment_read(&mine, experiment, &detail) : jl_fail_memory(&detail);
    if (rc == 0)
        rc = jl_experiment_set_keys(experiment, &detail);
    if (rc < 0) {
        joulie_experiment_free(experiment);
        return jl_error_return(&detail, rc, err);
    }
    *out = experiment;
    return JOULIE_OK;
}

void joulie_experiment_free(struct joulie_experiment *experiment)
{
    if (!experiment)
        return;
    jl_arena_clear(&experiment->arena);
    jl_free(experiment);
}

size_t joulie_experiment_runs(const struct joulie_experiment *experiment)
{
    return experiment->run_count;
}

static int check_index(const struct joulie_experiment *experiment, size_t index,
                       struct joulie_error *err)
{
    return index < experiment->run_count
               ? 0
               : jl_fail(err, JOULIE_E_RANGE, "index", "there are %zu runs", experiment->run_count);
}

int joulie_experiment_run_at(const struct joulie_experiment *experiment, size_t index,
                             struct joulie_experiment_run *out, struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "out");
    if (check_index(experiment, index, err) < 0)
        return JOULIE_E_RANGE;
    const struct jl_experiment_cell *cell = jl_experiment_cell_of(experiment, index);
    const struct jl_experiment_run *run = &experiment->runs[index];
    const struct joulie_experiment_run mine = {
        .struct_size = sizeof mine,
        .has = cell->has_load ? JOULIE_EXPERIMENT_RUN_HAS_LOAD : 0,
        .scenario = cell->scenario->name,
        .speeds = cell->speeds,
        .policy = run->subject->name,
        .placement = run->subject->placement,
        .key = run->key,
        .load = cell->load,
        .seed = run->seed,
        .is_baseline = run->subject->is_baseline,
        .has_result = run->has_result,
    };
    jl_sized_write(out, &mine, sizeof mine);
    return JOULIE_OK;
}

int joulie_experiment_simulate(const struct joulie_experiment *experiment, size_t index,
                               char **result, struct joulie_error *err)
{
    struct jl_buffer buffer = { 0 };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    if (check_index(experiment, index, err) < 0)
        return JOULIE_E_RANGE;
    const int rc = jl_experiment_simulate(experiment, index, &buffer, &detail);
    return jl_sim_hand_out(&buffer, rc, &detail, result, err);
}

int joulie_experiment_put_result(struct joulie_experiment *experiment, size_t index,
                                 const char *text, size_t len, struct joulie_error *err)
{
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    if (check_index(experiment, index, err) < 0)
        return JOULIE_E_RANGE;
    const int rc = jl_experiment_take(experiment, index, text, len, &detail);
    return jl_error_return(&detail, rc, err);
}

/* ---- answers ---- */

static int check_results(const struct joulie_experiment *experiment, struct joulie_error *err)
{
    size_t missing = 0;
    for (size_t i = 0; i < experiment->run_count; i++)
        missing += !experiment->runs[i].has_result;
    return missing == 0 ? 0
                        : jl_fail(err, JOULIE_E_CONFLICT, "", "%zu of %zu runs have no result yet",
                                  missing, experiment->run_count);
}

typedef int put_text(struct jl_buffer *out, const struct joulie_experiment *experiment);

static int hand_out(const struct joulie_experiment *experiment, put_text *put, char **out,
                    struct joulie_error *err)
{
    struct jl_buffer buffer = { 0 };
    if (check_results(experiment, err) < 0)
        return JOULIE_E_CONFLICT;
    return jl_sim_hand_out(&buffer, put(&buffer, experiment), NULL, out, err);
}

int joulie_experiment_report(const struct joulie_experiment *experiment, char **json,
                             struct joulie_error *err)
{
    return hand_out(experiment, jl_experiment_put_report, json, err);
}

int joulie_experiment_csv(const struct joulie_experiment *experiment, const char *table, char **csv,
                          struct joulie_error *err)
{
    static const struct {
        const char *table;
        put_text *put;
    } tables[] = {
        { "rows", jl_experiment_put_rows },
        { "pairs", jl_experiment_put_pairs },
        { "runs", jl_experiment_put_runs },
    };

    for (size_t i = 0; i < JL_COUNT(tables); i++) {
        if (jl_same(table, tables[i].table))
            return hand_out(experiment, tables[i].put, csv, err);
    }
    return jl_fail(err, JOULIE_E_UNSUPPORTED, "table", "there is no such table");
}
