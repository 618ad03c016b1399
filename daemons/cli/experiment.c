/* SPDX-License-Identifier: Apache-2.0 */

/* Policies and kube-scheduler alone on the same traces, over seeds: what was saved, and what it
 * took. */

#include <json-c/json.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <joulie/experiment.h>

#include "base/error.h"
#include "cli.h"
#include "experiment_page.h"
#include "experiment_runs.h"
#include "runtime/file.h"
#include "runtime/json.h"
#include "table.h"

#define MOST_FILE_BYTES ((size_t)1 << 30)
#define MOST_JOBS 4096 /* processes */

/* ---- files that the experiment names, from its own folder ---- */

struct finder {
    const char *file; /* of the experiment */
    struct jl_buffer text;
    struct joulie_error err; /* why the last one could not be read */
};

static int find_file(void *user, const char *name, const void **out_bytes, size_t *out_len)
{
    struct finder *finder = user;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer path = { 0 };
    const char *slash = strrchr(finder->file, '/');
    if (name[0] != '/' && slash)
        jl_put(&path, finder->file, (size_t)(slash - finder->file) + 1);
    jl_put_string(&path, name);
    jl_buffer_reset(&finder->text);
    finder->err = JOULIE_INIT(struct joulie_error);
    const int rc = path.is_failed
                       ? jl_fail_memory(&finder->err)
                       : jd_read_file(path.data, MOST_FILE_BYTES, &finder->text, &finder->err);
    *out_bytes = finder->text.data;
    *out_len = finder->text.len;
    return rc;
}

static int open_experiment(const char *file, const char *build, struct joulie_experiment **out,
                           struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct finder finder = { .file = file };
    struct joulie_experiment_options options = JOULIE_INIT(struct joulie_experiment_options);
    int rc = jd_read(file, &text, err);
    if (rc < 0)
        return rc;
    options.text = text.data ? text.data : "";
    options.len = text.len;
    options.find_file = find_file;
    options.user = &finder;
    options.build = build;
    rc = joulie_experiment_new(&options, out, err);
    if (rc == JOULIE_E_NOT_FOUND)
        snprintf(err->message, sizeof err->message, "%s", finder.err.message);
    jl_buffer_clear(&finder.text);
    return rc < 0 && rc != JOULIE_E_NOMEM ? jd_place_in_file(file, rc, err) : rc;
}

/* ---- for a person ---- */

const struct jd_figure jd_figures[JD_FIGURES] = {
    { "energyKwh", "ENERGY/KWH", 1, false },  { "savedPct", "SAVED/%", 2, true },
    { "makespanPct", "MAKESPAN/%", 2, true }, { "jobTimePct", "JOB-TIME/%", 2, true },
    { "waitP99S", "P99-WAIT/S", 0, false },   { "slowdownP95", "P95-SLOWDOWN", 3, false },
};

/* What is not rounded to 0, by decimals. */
static const double smallest[] = { 0.5, 0.05, 0.005, 0.0005 };

void jd_put_figure(struct jl_buffer *out, struct json_object *row, const struct jd_figure *figure)
{
    double mean;
    double half;
    struct json_object *estimate = jd_json_at(row, figure->key);
    const char *sign = figure->is_difference ? "+" : "";
    if (!jd_json_number(estimate, "mean", &mean))
        return;
    if (fabs(mean) < smallest[figure->decimals])
        mean = 0; /* no -0.00 */
    jd_put_format(out, "%s%.*f", mean >= 0 ? sign : "", figure->decimals, mean);
    if (jd_json_number(estimate, "halfWidth", &half))
        jd_put_format(out, " ± %.*f", figure->decimals, half);
}

void jd_put_notes(struct jl_buffer *out, struct json_object *row)
{
    struct json_object *notes = jd_json_at(row, "notes");
    for (size_t i = 0; i < jd_json_count(notes); i++) {
        jl_put_string(out, i > 0 ? "; " : "");
        jl_put_string(out, json_object_get_string(json_object_array_get_idx(notes, i)));
    }
}

static bool is_same_cell(struct json_object *a, struct json_object *b)
{
    double load_a = 0;
    double load_b = 0;
    jd_json_number(a, "load", &load_a);
    jd_json_number(b, "load", &load_b);
    return jl_same(jd_json_word(a, "scenario"), jd_json_word(b, "scenario")) &&
           jl_same(jd_json_word(a, "speeds"), jd_json_word(b, "speeds")) && !(load_a < load_b) &&
           !(load_a > load_b);
}

struct json_object *jd_cell_row(const struct jd_cell *cell, size_t index)
{
    return json_object_array_get_idx(cell->rows, cell->first + index);
}

bool jd_cell_at(struct json_object *answer, size_t first, struct jd_cell *out)
{
    *out = (struct jd_cell){ .rows = jd_json_at(answer, "rows"), .first = first };
    const size_t count = jd_json_count(out->rows);
    while (first + out->count < count &&
           is_same_cell(jd_cell_row(out, 0), jd_cell_row(out, out->count)))
        out->count++;
    return out->count > 0;
}

bool jd_cell_is_best(struct json_object *row)
{
    return jl_same(jd_json_word(row, "policy"), jd_json_word(row, "against"));
}

/* What every figure of a cell rests on. */
void jd_put_cell_name(struct jl_buffer *out, const struct jd_cell *cell)
{
    struct json_object *row = jd_cell_row(cell, 0);
    double load;
    double seeds = 0;
    jd_json_number(row, "seeds", &seeds);
    jd_put_plain(out, jd_json_word(row, "scenario"));
    if (jd_json_number(row, "load", &load))
        jd_put_format(out, ", load %g", load);
    jd_put_format(out, ", speeds: %s, against %s, %.0f seed%s", jd_json_word(row, "speeds"),
                  jd_json_word(row, "against"), seeds, seeds > 1 ? "s" : "");
}

/* The most that could be saved in a cell, by what a policy may do for it. */
void jd_put_bound(struct jl_buffer *out, const struct jd_cell *cell)
{
    static const struct {
        const char *key;
        const char *text;
    } bounds[] = {
        { "boundPct", "no job slower" },
        { "boundSlowedPct", "jobs up to 10 % slower" },
        { "asleepPct", "idle machines off" },
        { "asleepSlowedPct", "both" },
    };

    double pct;
    for (size_t i = 0; i < JL_COUNT(bounds); i++) {
        if (!jd_json_number(jd_json_at(jd_cell_row(cell, 0), bounds[i].key), "mean", &pct))
            return;
        jd_put_format(out, "%s%.1f %% (%s)", i > 0 ? ", " : "could be saved at most: ", pct,
                      bounds[i].text);
    }
}

/* The text becomes a cell, and goes. */
static void add_text(struct jd_table *table, struct jl_buffer *text)
{
    table->is_failed |= text->is_failed;
    jd_table_add(table, text->len > 0 ? text->data : NULL);
    jl_buffer_reset(text);
}

static void add_row(struct jd_table *table, struct json_object *row)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    double share;
    jd_table_add(table, jd_json_word(row, "policy"));
    jd_table_add(table, jd_json_word(row, "placement"));
    for (size_t i = 0; i < JD_FIGURES; i++) {
        jd_put_figure(&text, row, &jd_figures[i]);
        add_text(table, &text);
        if (i != JD_FIGURE_SAVED)
            continue;
        if (jd_json_number(row, "sharePct", &share)) /* of what this policy could save at most */
            jd_put_format(&text, "%.0f", share);
        add_text(table, &text);
    }
    jd_put_notes(&text, row);
    jd_table_add(table, jd_cell_is_best(row) ? "the best baseline" : text.len > 0 ? text.data : "");
    table->is_failed |= text.is_failed;
}

static int put_tables(struct jd_call *call, struct json_object *answer, struct joulie_error *err)
{
    const char *const heads[] = {
        "POLICY",           "PLACEMENT",        jd_figures[0].head, jd_figures[1].head, "SHARE/%",
        jd_figures[2].head, jd_figures[3].head, jd_figures[4].head, jd_figures[5].head, "NOTES",
    };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer out = { 0 };
    struct jd_cell cell;
    for (size_t first = 0; jd_cell_at(answer, first, &cell); first += cell.count) {
        struct jd_table table;
        if (first > 0)
            jl_put_char(&out, '\n');
        jd_put_cell_name(&out, &cell);
        jl_put_char(&out, '\n');
        const size_t before = out.len;
        jd_put_bound(&out, &cell);
        jl_put_string(&out, out.len > before ? "\n" : "");
        jd_table_init(&table, heads, JL_COUNT(heads));
        for (size_t i = 0; i < cell.count; i++)
            add_row(&table, jd_cell_row(&cell, i));
        jd_table_end(&table, true, &out);
    }
    jd_put_format(&out,
                  "\nEqual work on the same traces, physics %s; ± is the 95 %% interval over "
                  "the seeds, SHARE that of what could be saved at most.\n",
                  jd_json_word(answer, "physics"));
    if (out.is_failed)
        return jl_fail_memory(err);
    jd_put_text(call, out.data, out.len);
    return 0;
}

/* ---- the command ---- */

static int write_table(struct joulie_experiment *experiment, const char *table, const char *file,
                       struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *csv = NULL;
    int rc = file ? joulie_experiment_csv(experiment, table, &csv, err) : 0;
    if (file && rc == 0)
        rc = jd_write_bytes(file, csv, strlen(csv), err);
    return rc;
}

static int write_page(const struct jd_call *call, struct json_object *answer,
                      struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer page = { 0 };
    if (!call->values.report)
        return 0;
    jd_put_experiment_page(&page, answer);
    return page.is_failed ? jl_fail_memory(err)
                          : jd_write_bytes(call->values.report, page.data, page.len, err);
}

/* Files come first: the reader of standard output may be gone. */
static int report(struct jd_call *call, struct joulie_experiment *experiment,
                  struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    JL_CLEANUP(jd_json_freep) struct json_object *answer = NULL;
    const char *form = call->values.output;
    int rc = joulie_experiment_report(experiment, &json, err);
    if (rc == 0)
        rc = write_table(experiment, "pairs", call->values.pairs, err);
    if (rc == 0)
        rc = write_table(experiment, "runs", call->values.runs, err);
    if (rc == 0)
        rc = jd_json_read(json, strlen(json), &answer, err);
    if (rc == 0)
        rc = write_page(call, answer, err);
    if (rc < 0)
        return rc;
    if (!form || jl_same(form, "table"))
        return put_tables(call, answer, err);
    jd_put_answer(call, json);
    return 0;
}

static size_t jobs_of(const struct jd_call *call)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (jd_given(call, JD_OPTION(jobs)))
        return (size_t)call->values.jobs;
    return cores > 0 ? (size_t)cores : 1;
}

static int experiment(struct jd_call *call, struct jl_arena *arena, struct joulie_error *err)
{
    struct jd_runs runs = { .is_fresh = call->values.fresh, .jobs = jobs_of(call) };
    int rc = open_experiment(call->arguments[0], jd_runs_build(arena), &runs.experiment, err);
    if (rc == 0)
        rc = jd_runs_folder(call->values.cache, arena, &runs.cache, err);
    if (rc == 0)
        rc = jd_runs_do(&runs, err);
    if (rc == 0)
        rc = report(call, runs.experiment, err);
    joulie_experiment_free(runs.experiment);
    return rc;
}

static int run(struct jd_call *call)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (jd_given(call, JD_OPTION(jobs)) && (call->values.jobs < 1 || call->values.jobs > MOST_JOBS))
        return jd_usage("--jobs is from 1 to %d", MOST_JOBS);
    const int rc = experiment(call, &arena, &err);
    if (rc > 0) { /* as if nobody had caught it */
        signal(rc, SIG_DFL);
        raise(rc);
    }
    return rc < 0 ? jd_put_error(call, &err) : JD_EXIT_OK;
}

static const char *const output_words[] = { "table", "json", "pretty", "yaml", NULL };

static const struct jd_setting options_of_experiment[] = {
    JD_TEXT_ROW("PAIRS", pairs, "FILE", "also write every pair of runs there, as CSV"),
    JD_TEXT_ROW("RUNS", runs, "FILE", "also write every run there, as CSV"),
    JD_TEXT_ROW("REPORT", report, "FILE", "also write a page with pictures there, as HTML"),
    JD_INTEGER_ROW("JOBS", jobs, "N", "runs at a time (the cores of this machine)"),
    JD_TEXT_ROW("CACHE", cache, "DIR",
                "folder that keeps results of runs (joulie/experiments below XDG_CACHE_HOME or "
                "~/.cache)"),
    JD_BOOLEAN_ROW("FRESH", fresh, "simulate every run again"),
    JD_OUTPUT_ROW_OF(output_words, "form of the answer: table (the default), json, pretty or yaml"),
};

const struct jd_command jd_command_experiment = {
    .name = "experiment",
    .arguments = "FILE",
    .least = 1,
    .most = 1,
    .files = JD_FILES,
    .summary = "Compares policies with kube-scheduler alone on simulated machines, over seeds",
    .text =
        "FILE lists scenarios, loads, policies, baselines and seeds (docs/experiments.md). Every "
        "policy is paired with\n"
        "the best baseline on the same traces. Results of runs are kept: an interrupted "
        "experiment goes on where it was.",
    JD_ROWS(options_of_experiment),
    .run = run,
};
