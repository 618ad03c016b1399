/* SPDX-License-Identifier: Apache-2.0 */

/* The same demand against a fixed size, the source's autoscaler and ours. */

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <joulie/sim.h>

#include "base/error.h"
#include "cli.h"
#include "compared.h"
#include "runtime/file.h"
#include "runtime/json.h"

#define MOST_WORKLOADS 4

static const char *const workload_words[] = { "bursty", "diurnal", "ramp", "step", "all", NULL };

#define AT(member) JD_OPTION(autoscale.member)

static const struct jd_text_option texts[] = {
    { "trace", JD_OPTION(trace), AT(trace), AT(trace_len) },
    { "profile", JD_OPTION(profile), AT(profile), AT(profile_len) },
    { "sourceProfile", JD_OPTION(source_profile), AT(source_profile), AT(source_profile_len) },
};
_Static_assert(JL_COUNT(texts) <= JD_MOST_TEXTS, "each has its buffer");

static const struct jd_number_option numbers[] = {
    { AT(hours), JOULIE_AUTOSCALE_SIM_HAS_HOURS },
    { JD_OPTION(seed), JOULIE_AUTOSCALE_SIM_HAS_SEED },
    { AT(seeds), JOULIE_AUTOSCALE_SIM_HAS_SEEDS },
    { AT(cards), JOULIE_AUTOSCALE_SIM_HAS_CARDS },
};

struct outputs {
    struct jl_buffer summary;
    struct jl_buffer runs;
    struct jl_buffer series;
    struct jl_buffer page;
};

/* ---- the runs ---- */

static void show_progress(const char *workload, size_t done, size_t count)
{
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K");
    if (workload)
        fprintf(stderr, "%s, %zu of %zu", workload, done + 1, count);
}

static int run_one(const struct jd_call *call, struct joulie_autoscale_sim_options *options,
                   struct jd_compared *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    const int rc = joulie_simulate_autoscale(options, &json, err);
    return rc < 0 ? jd_name_file(call, texts, JL_COUNT(texts), rc, err)
                  : jd_compared_read(json, strlen(json), out, err);
}

static int run_all(const struct jd_call *call, struct joulie_autoscale_sim_options *options,
                   struct jd_compared *all, size_t *count, struct joulie_error *err)
{
    const char *word = call->values.demand;
    const bool is_all = !options->trace && (!word || jl_same(word, "all"));
    const size_t wanted = is_all ? MOST_WORKLOADS : 1;
    int rc = 0;
    for (size_t i = 0; i < wanted && rc == 0; i++) {
        options->workload = is_all ? workload_words[i] : word;
        show_progress(options->trace ? "trace" : options->workload, i, wanted);
        rc = run_one(call, options, &all[i], err);
        *count += rc == 0;
    }
    show_progress(NULL, 0, 0);
    return rc;
}

/* ---- what is reported ---- */

/* An array of the answers without their courses; those are in series.csv. */
static void put_summary(struct jl_buffer *out, const struct jd_compared *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        jl_put_char(out, i == 0 ? '[' : ',');
        jd_json_put_tree(out, all[i].tree);
    }
    jl_put_string(out, "]\n");
}

/* How the page can be made again; words that a shell would take apart are in quotes. */
static void put_command(struct jl_buffer *out, const struct jd_call *call)
{
    char flag[JD_FLAG_BYTES];
    jd_put_format(out, "%s %s", jd_program, call->command->name);
    for (size_t i = 0; i < call->command->option_count; i++) {
        const struct jd_setting *option = &call->command->options[i];
        const char *value = call->options.given[i];
        if (!value || option->offset == JD_OPTION(out))
            continue;
        const char *quote = strpbrk(value, " \t\"'$`\\&;|<>*?()[]{}!#~") ? "'" : "";
        jd_put_format(out, " --%s %s%s%s", jd_flag_of(option, flag), quote, value, quote);
    }
}

static int make_outputs(const struct jd_call *call, struct jd_compared *all, size_t count,
                        struct outputs *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer command = { 0 };
    if (call->values.out) {
        put_command(&command, call);
        jd_put_runs_csv(&out->runs, all, count);
        jd_put_series_csv(&out->series, all, count);
        jd_put_compared_page(&out->page, all, count, command.data);
    }
    for (size_t i = 0; i < count; i++) {
        json_object_object_del(all[i].tree, "series");
        json_object_object_del(all[i].tree, "pointSeconds");
    }
    put_summary(&out->summary, all, count);
    const bool is_failed = command.is_failed || out->runs.is_failed || out->series.is_failed ||
                           out->page.is_failed || out->summary.is_failed;
    return is_failed ? jl_fail_memory(err) : 0;
}

static int write_files(const struct jd_call *call, const struct outputs *outputs,
                       struct joulie_error *err)
{
    const struct {
        const char *name;
        const struct jl_buffer *bytes;
    } files[] = {
        { "summary.json", &outputs->summary },
        { "runs.csv", &outputs->runs },
        { "series.csv", &outputs->series },
        { "report.html", &outputs->page },
    };

    const char *folder = call->values.out;
    int rc = 0;
    for (size_t i = 0; folder && rc == 0 && i < JL_COUNT(files); i++)
        rc = jd_write_file(folder, files[i].name, files[i].bytes->data, files[i].bytes->len, err);
    return rc;
}

static int put_table(struct jd_call *call, const struct jd_compared *all, size_t count,
                     struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    jd_put_compared_table(&text, all, count);
    if (text.is_failed)
        return jl_fail_memory(err);
    jd_put_text(call, text.data, text.len);
    return 0;
}

static const char *text_in(struct json_object *item, const char *key)
{
    const char *text = json_object_get_string(json_object_object_get(item, key));
    return text ? text : "";
}

/* What was wrong with a profile that somebody gave; ours has what v2.17.1 cannot do on purpose. */
static void report_conditions(const struct jd_call *call, const struct jd_compared *compared)
{
    if (!call->values.profile && !call->values.source_profile)
        return;
    for (size_t i = 0;; i++) {
        struct json_object *item = jd_compared_item(compared, "conditions", i);
        if (!item)
            return;
        fprintf(stderr, "warning: %s: %s: %s (%s)\n", text_in(item, "reason"),
                text_in(item, "where"), text_in(item, "message"), text_in(item, "algorithm"));
    }
}

/* Files come first: the reader of standard output may be gone. */
static int report(struct jd_call *call, struct jd_compared *all, size_t count,
                  struct joulie_error *err)
{
    const char *form = call->values.output;
    struct outputs outputs = { 0 };
    int rc = make_outputs(call, all, count, &outputs, err);
    if (rc == 0)
        rc = write_files(call, &outputs, err);
    if (rc == 0)
        report_conditions(call, &all[0]);
    if (rc == 0 && (!form || jl_same(form, "table"))) {
        rc = put_table(call, all, count, err);
    } else if (rc == 0) {
        outputs.summary.data[outputs.summary.len - 1] = '\0'; /* the form ends the line */
        jd_put_answer(call, outputs.summary.data);
    }
    jl_buffer_clear(&outputs.summary);
    jl_buffer_clear(&outputs.runs);
    jl_buffer_clear(&outputs.series);
    jl_buffer_clear(&outputs.page);
    return rc;
}

static int simulate(struct jd_call *call, struct joulie_error *err)
{
    struct joulie_autoscale_sim_options *options = &call->values.autoscale;
    struct jd_compared all[MOST_WORKLOADS] = { 0 };
    size_t count = 0;
    options->struct_size = sizeof *options;
    options->has = jd_given_bits(call, numbers, JL_COUNT(numbers));
    options->seed = (uint64_t)call->values.seed;
    options->keeps_series = call->values.out != NULL;
    int rc = jd_read_texts(call, texts, JL_COUNT(texts), err);
    if (rc == 0)
        rc = run_all(call, options, all, &count, err);
    if (rc == 0)
        rc = report(call, all, count, err);
    for (size_t i = 0; i < count; i++)
        jd_compared_clear(&all[i]);
    return rc;
}

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (call->values.trace &&
        (call->values.demand || jd_given(call, AT(seeds)) || jd_given(call, AT(hours))))
        return jd_usage("a --trace is played once, as long as it is: without --workload, --seeds "
                        "and --hours");
    if (!jd_reads_input_once(call, texts, JL_COUNT(texts)))
        return JD_EXIT_USAGE;
    const int rc = simulate(call, &err);
    return rc < 0 ? jd_put_error(call, &err) : JD_EXIT_OK;
}

static const char *const output_words[] = { "table", "json", "pretty", "yaml", NULL };

static const struct jd_setting options_of_simulate_autoscale[] = {
    JD_WORD_ROW("WORKLOAD", demand, workload_words, "KIND",
                "generated demand: bursty, diurnal, ramp, step or all (the default)"),
    JD_TEXT_ROW("TRACE", trace, "FILE",
                "recorded usage instead: CSV (t,worker,tflops,vram[,limit,throttled,oom]) or JSON "
                "lines"),
    JD_TEXT_ROW("PROFILE", profile, "FILE",
                "WorkloadProfile or TensorFusionWorkload; without it one with every layer on"),
    JD_TEXT_ROW("SOURCE_PROFILE", source_profile, "FILE",
                "profile of v2.17.1, when it is not to be converted from the other one"),
    JD_INTEGER_ROW("SEEDS", autoscale.seeds, "N", "play N random demands of each kind (10)"),
    JD_INTEGER_ROW("SEED", seed, "S", "the first seed (1)"),
    JD_DOUBLE_ROW("HOURS", autoscale.hours, "H", "virtual hours (24)"),
    JD_INTEGER_ROW("CARDS", autoscale.cards, "N",
                   "GPUs of 312 TFLOPS and 80 GiB that the workers can be put on (8)"),
    JD_TEXT_ROW("OUT", out, "DIR",
                "also write summary.json, runs.csv, series.csv and report.html there"),
    JD_OUTPUT_ROW_OF(output_words,
                     "form of the summary: table (the default), json, pretty or yaml"),
};

const struct jd_command jd_command_simulate_autoscale = {
    .name = "simulate autoscale",
    .summary = "Plays the same demand against three ways to size a service on shared GPUs",
    .text = "Amounts that stay (static), the algorithm of TensorFusion v2.17.1, and joulie's, in "
            "closed loop and\n"
            "virtual time: what one sees follows from its own decisions. Equal inputs give equal "
            "bytes.",
    JD_ROWS(options_of_simulate_autoscale),
    .run = run,
};
