/* SPDX-License-Identifier: Apache-2.0 */

/* Traces: a synthetic one on standard output, and what one holds. */

#include <string.h>

#include <joulie/sim.h>

#include "base/error.h"
#include "cli.h"

/* ---- workload generate ---- */

/* Which option goes where in struct joulie_workload_options. */
#define AT(member) offsetof(struct joulie_workload_options, member)

static const struct number {
    size_t option;
    uint64_t has; /* JOULIE_WORKLOAD_HAS_* */
    size_t offset;
} numbers[] = {
    { JD_OPTION(jobs), JOULIE_WORKLOAD_HAS_JOBS, AT(jobs) },
    { JD_OPTION(hours), JOULIE_WORKLOAD_HAS_HOURS, AT(hours) },
    { JD_OPTION(seed), JOULIE_WORKLOAD_HAS_SEED, AT(seed) },
    { JD_OPTION(max_duration), JOULIE_WORKLOAD_HAS_MAX_DURATION, AT(max_duration_s) },
    { JD_OPTION(perf_ratio), JOULIE_WORKLOAD_HAS_PERF_RATIO, AT(perf_ratio) },
    { JD_OPTION(gpu_ratio), JOULIE_WORKLOAD_HAS_GPU_RATIO, AT(gpu_ratio) },
    { JD_OPTION(amd_gpu_ratio), JOULIE_WORKLOAD_HAS_AMD_RATIO, AT(amd_ratio) },
    { JD_OPTION(mean_inter_arrival), JOULIE_WORKLOAD_HAS_MEAN_INTER_ARRIVAL,
      AT(mean_inter_arrival_s) },
    { JD_OPTION(peak_rate), JOULIE_WORKLOAD_HAS_PEAK_RATE, AT(peak_rate_per_min) },
    { JD_OPTION(burst_prob), JOULIE_WORKLOAD_HAS_BURST_PROB, AT(burst_prob) },
    { JD_OPTION(burst_min), JOULIE_WORKLOAD_HAS_BURST_MIN, AT(burst_min) },
    { JD_OPTION(burst_max), JOULIE_WORKLOAD_HAS_BURST_MAX, AT(burst_max) },
    { JD_OPTION(min_gpu_request), JOULIE_WORKLOAD_HAS_MIN_GPUS, AT(min_gpus) },
    { JD_OPTION(work_scale), JOULIE_WORKLOAD_HAS_WORK_SCALE, AT(work_scale) },
    { JD_OPTION(base_speed), JOULIE_WORKLOAD_HAS_BASE_SPEED, AT(base_speed) },
};

static void copy_number(const struct jd_call *call, const struct number *number,
                        struct joulie_workload_options *out)
{
    if (!jd_given(call, number->option))
        return;
    memcpy((char *)out + number->offset, (const char *)&call->values + number->option,
           sizeof(int64_t)); /* or a double */
    out->has |= number->has;
}

static int run_generate(struct jd_call *call)
{
    struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *trace = NULL;
    options.mode = call->values.mode;
    options.name_space = call->values.name_space;
    if (call->values.workload_records) {
        options.has |= JOULIE_WORKLOAD_HAS_RECORDS;
        options.has_records = jl_same(call->values.workload_records, "true");
    }
    for (size_t i = 0; i < JL_COUNT(numbers); i++)
        copy_number(call, &numbers[i], &options);
    if (joulie_workload_generate(&options, &trace, &err) !=
        JOULIE_OK) /* standard output is the trace */
        return err.code == JOULIE_E_NOMEM ? jd_put_error(call, &err) : jd_usage("%s", err.message);
    jd_put_text(call, trace, strlen(trace));
    return JD_EXIT_OK;
}

static const char *const mode_words[] = { "default", "diurnal", NULL };
static const char *const true_words[] = { "true", "false", NULL };

static const struct jd_setting options_of_generate[] = {
    JD_WORD_ROW("MODE", mode, mode_words, "MODE",
                "default: families of workloads; diurnal: the rate follows the day"),
    JD_INTEGER_ROW("JOBS", jobs, "N", "job records (default 50; diurnal: no limit)"),
    JD_DOUBLE_ROW("HOURS", hours, "H", "hours that they arrive in (diurnal 48)"),
    JD_INTEGER_ROW("SEED", seed, "S", "of the random numbers (1)"),
    JD_DOUBLE_ROW("MAX_DURATION", max_duration, "S", "longest duration of a job, seconds"),
    JD_DOUBLE_ROW("PERF_RATIO", perf_ratio, "P", "share of the class performance (0.30)"),
    JD_DOUBLE_ROW("GPU_RATIO", gpu_ratio, "P", "share of GPU workloads (0.80)"),
    JD_DOUBLE_ROW("AMD_GPU_RATIO", amd_gpu_ratio, "P",
                  "share of the GPU jobs that ask for amd.com/gpu (0)"),
    JD_DOUBLE_ROW("MEAN_INTER_ARRIVAL_SEC", mean_inter_arrival, "S",
                  "default mode without --hours (5)"),
    JD_DOUBLE_ROW("PEAK_RATE", peak_rate, "N", "diurnal: arrivals per minute at the peak (80)"),
    JD_DOUBLE_ROW("BURST_PROB", burst_prob, "P", "diurnal: chance of a burst (0.10)"),
    JD_INTEGER_ROW("BURST_MIN", burst_min, "N", "diurnal: fewest jobs of a burst (20)"),
    JD_INTEGER_ROW("BURST_MAX", burst_max, "N", "diurnal: most jobs of a burst (80)"),
    JD_INTEGER_ROW("MIN_GPU_REQUEST", min_gpu_request, "N",
                   "diurnal: fewest GPUs of a GPU job (0)"),
    JD_DOUBLE_ROW("WORK_SCALE", work_scale, "X", "diurnal: factor on the work of every job (1)"),
    JD_DOUBLE_ROW("BASE_SPEED_PER_CORE", base_speed, "X", "diurnal: units per core and second (2)"),
    JD_WORD_ROW("EMIT_WORKLOAD_RECORDS", workload_records, true_words, "BOOL",
                "also records of type workload: true or false"),
    JD_TEXT_ROW("NAMESPACE", name_space, "NAME", "of the pods (default)"),
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
