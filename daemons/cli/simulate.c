/* SPDX-License-Identifier: Apache-2.0 */

/* A trace on simulated machines, with control and without, and what the difference is. */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <joulie/sim.h>

#include "base/error.h"
#include "cli.h"
#include "commands.h"
#include "runtime/file.h"

struct inputs {
    double pace_s; /* of --live */
    struct jl_buffer inventory;
    struct jl_buffer trace;
    struct jl_buffer policy;
};

static void clear_inputs(struct inputs *inputs)
{
    jl_buffer_clear(&inputs->inventory);
    jl_buffer_clear(&inputs->trace);
    jl_buffer_clear(&inputs->policy);
}

static int read_inputs(const struct jd_call *call, struct inputs *out, struct joulie_error *err)
{
    int rc = jd_read(call->value[JD_OPTION_INVENTORY], &out->inventory, err);
    if (rc == 0)
        rc = jd_read(call->value[JD_OPTION_TRACE], &out->trace, err);
    if (rc == 0 && jd_given(call, JD_OPTION_POLICY))
        rc = jd_read(call->value[JD_OPTION_POLICY], &out->policy, err);
    if (rc == 0 && jd_given(call, JD_OPTION_OUT))
        rc = jd_make_folder(call->value[JD_OPTION_OUT], err);
    return rc;
}

static const char *text_of(const struct jl_buffer *buffer)
{
    return buffer->data ? buffer->data : "";
}

static bool read_options(const struct jd_call *call, struct joulie_sim_options *out,
                         double *out_pace_s)
{
    int64_t seed = 1;
    *out = JOULIE_INIT(struct joulie_sim_options);
    out->placement = call->value[JD_OPTION_PLACEMENT];
    out->physics = call->value[JD_OPTION_PHYSICS];
    out->compare = !jl_same(call->value[JD_OPTION_COMPARE], "none");
    out->is_lenient = jd_given(call, JD_OPTION_LENIENT);
    out->keeps_hours = jd_given(call, JD_OPTION_OUT);
    if (!jd_double(call, JD_OPTION_HOURS, &out->hours) || !jd_integer(call, JD_OPTION_SEED, &seed))
        return false;
    out->seed = (uint64_t)seed;
    return jd_integer(call, JD_OPTION_NODES, &out->nodes) &&
           jd_double(call, JD_OPTION_LIVE, out_pace_s);
}

static const struct jd_text_option texts[] = {
    { "inventory", JD_OPTION_INVENTORY },
    { "trace", JD_OPTION_TRACE },
    { "policy", JD_OPTION_POLICY },
};

static int write_tables(const struct jd_call *call, const struct joulie_sim *sim,
                        const char *summary, struct joulie_error *err)
{
    static const char *const tables[] = { "nodes", "jobs", "decisions" };
    static const char *const files[] = { "nodes.csv", "jobs.csv", "decisions.csv" };
    const char *folder = call->value[JD_OPTION_OUT];
    int rc = folder ? jd_write_file(folder, "summary.json", summary, strlen(summary), err) : 0;
    for (size_t i = 0; folder && rc == 0 && i < JL_COUNT(tables); i++) {
        char *csv = NULL;
        rc = joulie_sim_csv(sim, tables[i], &csv, err);
        if (rc == 0)
            rc = jd_write_file(folder, files[i], csv, strlen(csv), err);
        joulie_free(csv);
    }
    return rc;
}

/* The library's summary does not know what a wall clock is: wallS is added here, as the last
 * member. Files come first: the reader of standard output may be gone. */
static int put_summary(struct jd_call *call, const struct joulie_sim *sim, double wall_s,
                       struct joulie_error *err)
{
    struct jl_buffer line = { 0 };
    char *json = NULL;
    int rc = joulie_sim_summary(sim, &json, err);
    if (rc < 0)
        return rc;
    jl_put(&line, json, strlen(json) - 1);
    jl_put_string(&line, ",\"wallS\":");
    jl_put_double(&line, (double)(int64_t)(wall_s * 1000) / 1000);
    jl_put_char(&line, '}');
    joulie_free(json);
    jl_put_char(&line, '\n');
    rc = line.is_failed ? jl_fail_memory(err) : write_tables(call, sim, line.data, err);
    if (rc == 0 && jl_same(call->value[JD_OPTION_OUTPUT], "table")) {
        jd_put_outcome(call, sim);
    } else if (rc == 0) {
        line.data[line.len - 1] = '\0'; /* a line of a file ends; an answer is ended by its form */
        jd_put_answer(call, line.data);
    }
    jl_buffer_clear(&line);
    return rc;
}

static double wall_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A run takes a moment: one more says when the day ends, so that the pace can be set. */
static int find_end(const struct joulie_sim_options *options, double *out_s,
                    struct joulie_error *err)
{
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    struct joulie_sim *sim = NULL;
    int rc = joulie_sim_new(options, &sim, err);
    if (rc == 0)
        rc = joulie_sim_run_until(sim, INFINITY, err);
    if (rc == 0) {
        joulie_sim_get_view(sim, &view, NULL);
        *out_s = fmax(view.time_s, view.uncontrolled_time_s);
    }
    joulie_sim_free(sim);
    return rc;
}

static int run_sim(const struct jd_call *call, const struct joulie_sim_options *options,
                   double pace_s, struct joulie_sim *sim, struct joulie_error *err)
{
    double end_s = 0;
    if (!jd_given(call, JD_OPTION_LIVE))
        return jd_simulate(sim, err);
    const int rc = isatty(STDERR_FILENO) ? find_end(options, &end_s, err) : 0;
    return rc < 0 ? rc : jd_simulate_live(sim, end_s, pace_s, err);
}

static int check_work(const struct jd_call *call, const struct joulie_sim *sim,
                      struct joulie_error *err)
{
    if (!jd_given(call, JD_OPTION_EQUAL_WORK) || jd_is_equal_work(sim))
        return 0;
    return jl_fail(err, JOULIE_E_CONFLICT, "--require-equal-work",
                   "the runs did not do the same work, or a job is left over");
}

static int simulate(struct jd_call *call, struct joulie_sim_options *options, struct inputs *inputs,
                    struct joulie_error *err)
{
    struct joulie_sim *sim = NULL;
    const double start_s = wall_s();
    int rc = read_inputs(call, inputs, err);
    if (rc < 0)
        return rc;
    options->inventory = text_of(&inputs->inventory);
    options->inventory_len = inputs->inventory.len;
    options->trace = text_of(&inputs->trace);
    options->trace_len = inputs->trace.len;
    options->policy = jd_given(call, JD_OPTION_POLICY) ? text_of(&inputs->policy) : NULL;
    options->policy_len = inputs->policy.len;

    rc = joulie_sim_new(options, &sim, err);
    if (rc < 0)
        return jd_name_file(call, texts, JL_COUNT(texts), rc, err);
    rc = run_sim(call, options, inputs->pace_s, sim, err);
    if (rc == 0)
        rc = put_summary(call, sim, wall_s() - start_s, err);
    if (rc == 0)
        rc = check_work(call, sim, err);
    joulie_sim_free(sim);
    return rc;
}

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_options options;
    struct inputs inputs = { 0 };
    if (!jd_given(call, JD_OPTION_INVENTORY) || !jd_given(call, JD_OPTION_TRACE))
        return jd_usage("\"simulate\" needs --inventory FILE and --trace FILE");
    if (jl_same(call->value[JD_OPTION_INVENTORY], "-") &&
        jl_same(call->value[JD_OPTION_TRACE], "-"))
        return jd_usage("only one of --inventory and --trace can be standard input");
    if (!read_options(call, &options, &inputs.pace_s))
        return JD_EXIT_USAGE;
    const int rc = simulate(call, &options, &inputs, &err);
    if (rc < 0)
        jd_put_error(call, &err);
    clear_inputs(&inputs);
    return rc < 0 ? JD_EXIT_BAD : JD_EXIT_OK;
}

static const char *const compare_words[] = { "uncontrolled", "none", NULL };
static const char *const placement_words[] = { "joulie", "least-allocated", NULL };

static const struct jd_option options_of_simulate[] = {
    { .id = JD_OPTION_INVENTORY,
      .name = "inventory",
      .value = "FILE",
      .doc = "the machines, YAML or JSON" },
    { .id = JD_OPTION_TRACE,
      .name = "trace",
      .value = "FILE",
      .doc = "the jobs, as joulie workload generate writes them" },
    { .id = JD_OPTION_POLICY,
      .name = "policy",
      .value = "FILE",
      .doc = "the member policy of joulie plan, YAML or JSON; its defaults without it" },
    { .id = JD_OPTION_COMPARE,
      .name = "compare",
      .value = "RUN",
      .words = compare_words,
      .is_closed = true,
      .doc = "beside the controlled run: uncontrolled (the default) or none" },
    { .id = JD_OPTION_PLACEMENT,
      .name = "placement",
      .value = "SCORING",
      .words = placement_words,
      .doc = "scoring of the controlled run: joulie (the default) or least-allocated" },
    { .id = JD_OPTION_PHYSICS,
      .name = "physics",
      .value = "SET",
      .words = jd_physics_words,
      .doc = "physics set: current (the default) or v0.1.1" },
    { .id = JD_OPTION_HOURS,
      .name = "hours",
      .value = "H",
      .doc = "end after H virtual hours, not when every job has ended" },
    { .id = JD_OPTION_SEED,
      .name = "seed",
      .value = "S",
      .doc = "copied to the summary; a run draws no random number" },
    { .id = JD_OPTION_OUT,
      .name = "out",
      .value = "DIR",
      .doc = "also write summary.json, nodes.csv, jobs.csv and decisions.csv there" },
    { .id = JD_OPTION_NODES,
      .name = "nodes",
      .value = "N",
      .doc = "scale the inventory to N nodes, keeping the mix" },
    { .id = JD_OPTION_LIVE,
      .name = "live",
      .value = "SECONDS",
      .doc = "show the run on a terminal, paced to take so long; elsewhere a line per hour" },
    { .id = JD_OPTION_EQUAL_WORK,
      .name = "require-equal-work",
      .doc = "exit 1 unless both runs did the same work and no job is left over" },
    { .id = JD_OPTION_LENIENT, .name = "lenient", .doc = "skip bad lines of the trace" },
    JD_OUTPUT_ROW_OF(jd_table_output_words,
                     "form of the summary: json (one line, the default), pretty, yaml or table"),
    JD_HELP_ROW,
};

const struct jd_command jd_command_simulate = {
    .name = "simulate",
    .summary = "Runs a trace on simulated machines, with control and without",
    .text = "Prints a summary: work done, energy, what was saved, waiting, caps. Virtual time "
            "only: equal inputs\n"
            "give equal results, besides wallS. \"simulate autoscale\" compares autoscalers.",
    .options = options_of_simulate,
    .option_count = JL_COUNT(options_of_simulate),
    .run = run,
};
