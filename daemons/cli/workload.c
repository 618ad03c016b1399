/* SPDX-License-Identifier: Apache-2.0 */

/* Traces: a synthetic one on standard output, and what one holds. */

#include <string.h>

#include <joulie/sim.h>

#include "base/error.h"
#include "cli.h"

/* ---- workload generate ---- */

static const struct jd_number_option numbers[] = {
    { JD_OPTION(workload.jobs), JOULIE_WORKLOAD_HAS_JOBS },
    { JD_OPTION(workload.hours), JOULIE_WORKLOAD_HAS_HOURS },
    { JD_OPTION(seed), JOULIE_WORKLOAD_HAS_SEED },
    { JD_OPTION(workload.max_duration_s), JOULIE_WORKLOAD_HAS_MAX_DURATION },
    { JD_OPTION(workload.perf_ratio), JOULIE_WORKLOAD_HAS_PERF_RATIO },
    { JD_OPTION(workload.gpu_ratio), JOULIE_WORKLOAD_HAS_GPU_RATIO },
    { JD_OPTION(workload.amd_ratio), JOULIE_WORKLOAD_HAS_AMD_RATIO },
    { JD_OPTION(workload.mean_inter_arrival_s), JOULIE_WORKLOAD_HAS_MEAN_INTER_ARRIVAL },
    { JD_OPTION(workload.peak_rate_per_min), JOULIE_WORKLOAD_HAS_PEAK_RATE },
    { JD_OPTION(workload.burst_prob), JOULIE_WORKLOAD_HAS_BURST_PROB },
    { JD_OPTION(workload.burst_min), JOULIE_WORKLOAD_HAS_BURST_MIN },
    { JD_OPTION(workload.burst_max), JOULIE_WORKLOAD_HAS_BURST_MAX },
    { JD_OPTION(workload.min_gpus), JOULIE_WORKLOAD_HAS_MIN_GPUS },
    { JD_OPTION(workload.work_scale), JOULIE_WORKLOAD_HAS_WORK_SCALE },
    { JD_OPTION(workload.base_speed), JOULIE_WORKLOAD_HAS_BASE_SPEED },
    { JD_OPTION(workload_records), JOULIE_WORKLOAD_HAS_RECORDS },
    { JD_OPTION(workload.training_perf_ratio), JOULIE_WORKLOAD_HAS_TRAINING_PERF_RATIO },
    { JD_OPTION(workload.nodes), JOULIE_WORKLOAD_HAS_NODES },
    { JD_OPTION(workload.load), JOULIE_WORKLOAD_HAS_LOAD },
};

static const struct jd_text_option texts[] = {
    { "inventory: ", JD_OPTION(inventory), JD_OPTION(workload.inventory),
      JD_OPTION(workload.inventory_len) },
};

static int run_generate(struct jd_call *call)
{
    struct joulie_workload_options *options = &call->values.workload;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *trace = NULL;
    options->struct_size = sizeof *options;
    options->has = jd_given_bits(call, numbers, JL_COUNT(numbers));
    options->seed = (uint64_t)call->values.seed;
    options->has_records = jl_same(call->values.workload_records, "true");
    if (jd_read_texts(call, texts, JL_COUNT(texts), &err) < 0)
        return jd_put_error(call, &err);
    const int rc = joulie_workload_generate(options, &trace, &err);
    if (rc == JOULIE_E_NOMEM || (rc < 0 && jl_starts_with(err.where, texts[0].where))) {
        jd_name_file(call, texts, JL_COUNT(texts), rc, &err);
        return jd_put_error(call, &err);
    }
    if (rc < 0) /* standard output is the trace */
        return jd_usage("%s", err.message);
    jd_put_text(call, trace, strlen(trace));
    return JD_EXIT_OK;
}

static const char *const mode_words[] = { "default", "diurnal", NULL };
static const char *const true_words[] = { "true", "false", NULL };

static const struct jd_setting options_of_generate[] = {
    JD_WORD_ROW("MODE", workload.mode, mode_words, "MODE",
                "default: families of workloads; diurnal: the rate follows the day"),
    JD_INTEGER_ROW("JOBS", workload.jobs, "N", "job records (default 50; diurnal: no limit)"),
    JD_DOUBLE_ROW("HOURS", workload.hours, "H", "hours that they arrive in (diurnal 48)"),
    JD_INTEGER_ROW("SEED", seed, "S", "of the random numbers (1)"),
    JD_DOUBLE_ROW("MAX_DURATION", workload.max_duration_s, "S",
                  "longest duration of a job, seconds"),
    JD_DOUBLE_ROW("PERF_RATIO", workload.perf_ratio, "P", "share of the class performance (0.30)"),
    JD_DOUBLE_ROW("GPU_RATIO", workload.gpu_ratio, "P", "share of GPU workloads (0.80)"),
    JD_DOUBLE_ROW("AMD_GPU_RATIO", workload.amd_ratio, "P",
                  "share of the GPU jobs that ask for amd.com/gpu (0; with --inventory: by the "
                  "size of the job, that of its GPUs)"),
    JD_DOUBLE_ROW("MEAN_INTER_ARRIVAL_SEC", workload.mean_inter_arrival_s, "S",
                  "default mode without --hours (5)"),
    JD_DOUBLE_ROW("PEAK_RATE", workload.peak_rate_per_min, "N",
                  "diurnal: arrivals per minute at the peak (80)"),
    JD_DOUBLE_ROW("BURST_PROB", workload.burst_prob, "P", "diurnal: chance of a burst (0.10)"),
    JD_INTEGER_ROW("BURST_MIN", workload.burst_min, "N", "diurnal: fewest jobs of a burst (20)"),
    JD_INTEGER_ROW("BURST_MAX", workload.burst_max, "N", "diurnal: most jobs of a burst (80)"),
    JD_INTEGER_ROW("MIN_GPU_REQUEST", workload.min_gpus, "N",
                   "diurnal: fewest GPUs of a GPU job (0)"),
    JD_DOUBLE_ROW("WORK_SCALE", workload.work_scale, "X",
                  "diurnal: factor on the work of every job (1)"),
    JD_DOUBLE_ROW("BASE_SPEED_PER_CORE", workload.base_speed, "X",
                  "diurnal: units per core and second (2)"),
    JD_DOUBLE_ROW("TRAINING_PERF_RATIO", workload.training_perf_ratio, "P",
                  "diurnal: share of the class performance among training jobs (1)"),
    JD_TEXT_ROW("INVENTORY", inventory, "FILE",
                "diurnal: machines that the jobs are for, YAML or JSON"),
    JD_INTEGER_ROW("NODES", workload.nodes, "N", "scale the inventory to N nodes, keeping the mix"),
    JD_DOUBLE_ROW("LOAD", workload.load, "X",
                  "diurnal: instead of a peak rate, mean allocation of the scarcest resource of "
                  "the inventory, such as 0.4"),
    JD_WORD_ROW("EMIT_WORKLOAD_RECORDS", workload_records, true_words, "BOOL",
                "also records of type workload: true or false"),
    JD_TEXT_ROW("NAMESPACE", workload.name_space, "NAME", "of the pods (default)"),
};

const struct jd_command jd_command_workload_generate = {
    .name = "workload generate",
    .summary = "Writes a synthetic trace, one job on each line",
    JD_ROWS(options_of_generate),
    .run = run_generate,
};

/* ---- workload inspect ---- */

static int inspect(struct jd_call *call, struct jl_buffer *trace, struct joulie_error *err)
{
    const char *file = call->argument_count > 0 ? call->arguments[0] : "-";
    JL_CLEANUP(jl_freep) char *json = NULL;
    int rc = jd_read(file, trace, err);
    if (rc < 0)
        return rc;
    rc = joulie_workload_inspect(trace->data ? trace->data : "", trace->len, call->values.lenient,
                                 &json, err);
    if (rc < 0 && err->line > 0)
        return jd_place_in_file(file, rc, err);
    if (rc == 0)
        jd_put_answer(call, json);
    return rc;
}

static int run_inspect(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer trace = { 0 };
    const int rc = inspect(call, &trace, &err);
    return rc < 0 ? jd_put_error(call, &err) : JD_EXIT_OK;
}

static const struct jd_setting options_of_inspect[] = {
    JD_BOOLEAN_ROW("LENIENT", lenient, "skip bad lines and count them"),
    JD_FORM_ROW,
};

const struct jd_command jd_command_workload_inspect = {
    .name = "workload inspect",
    .arguments = "[FILE]",
    .most = 1,
    .files = JD_FILES,
    .summary = "Counts, classes, work and span of a trace",
    JD_ROWS(options_of_inspect),
    .run = run_inspect,
};
