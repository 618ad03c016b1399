/* SPDX-License-Identifier: Apache-2.0 */

/* Synthetic traces on standard output. */

#include <string.h>

#include <joulie/sim.h>

#include "cli.h"
#include "commands.h"

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

static int run(struct jd_call *call)
{
    struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *trace = NULL;
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
        return err.code == JOULIE_E_NOMEM ? (jd_put_error(call, &err), JD_EXIT_BAD)
                                          : jd_usage("%s", err.message);
    jd_put_text(call, trace, strlen(trace));
    joulie_free(trace);
    return JD_EXIT_OK;
}

static const char *const mode_words[] = { "default", "diurnal", NULL };
static const char *const true_words[] = { "true", "false", NULL };

static const struct jd_setting options_of_generate[] = {
    { .name = "MODE",
      JD_WORD_AT(jd_values, mode, mode_words),
      .value = "MODE",

      .doc = "default: families of workloads; diurnal: the rate follows the day" },
    { .name = "JOBS",
      JD_INTEGER_AT(jd_values, jobs),
      .value = "N",
      .doc = "job records (default 50; diurnal: no limit)" },
    { .name = "HOURS",
      JD_DOUBLE_AT(jd_values, hours),
      .value = "H",
      .doc = "hours that they arrive in (diurnal 48)" },
    { .name = "SEED",
      JD_INTEGER_AT(jd_values, seed),
      .value = "S",
      .doc = "of the random numbers (1)" },
    { .name = "MAX_DURATION",
      JD_DOUBLE_AT(jd_values, max_duration),
      .value = "S",
      .doc = "longest duration of a job, seconds" },
    { .name = "PERF_RATIO",
      JD_DOUBLE_AT(jd_values, perf_ratio),
      .value = "P",
      .doc = "share of the class performance (0.30)" },
    { .name = "GPU_RATIO",
      JD_DOUBLE_AT(jd_values, gpu_ratio),
      .value = "P",
      .doc = "share of GPU workloads (0.80)" },
    { .name = "AMD_GPU_RATIO",
      JD_DOUBLE_AT(jd_values, amd_gpu_ratio),
      .value = "P",
      .doc = "share of the GPU jobs that ask for amd.com/gpu (0)" },
    { .name = "MEAN_INTER_ARRIVAL_SEC",
      JD_DOUBLE_AT(jd_values, mean_inter_arrival),
      .value = "S",
      .doc = "default mode without --hours (5)" },
    { .name = "PEAK_RATE",
      JD_DOUBLE_AT(jd_values, peak_rate),
      .value = "N",
      .doc = "diurnal: arrivals per minute at the peak (80)" },
    { .name = "BURST_PROB",
      JD_DOUBLE_AT(jd_values, burst_prob),
      .value = "P",
      .doc = "diurnal: chance of a burst (0.10)" },
    { .name = "BURST_MIN",
      JD_INTEGER_AT(jd_values, burst_min),
      .value = "N",
      .doc = "diurnal: fewest jobs of a burst (20)" },
    { .name = "BURST_MAX",
      JD_INTEGER_AT(jd_values, burst_max),
      .value = "N",
      .doc = "diurnal: most jobs of a burst (80)" },
    { .name = "MIN_GPU_REQUEST",
      JD_INTEGER_AT(jd_values, min_gpu_request),
      .value = "N",
      .doc = "diurnal: fewest GPUs of a GPU job (0)" },
    { .name = "WORK_SCALE",
      JD_DOUBLE_AT(jd_values, work_scale),
      .value = "X",
      .doc = "diurnal: factor on the work of every job (1)" },
    { .name = "BASE_SPEED_PER_CORE",
      JD_DOUBLE_AT(jd_values, base_speed),
      .value = "X",
      .doc = "diurnal: units per core and second (2)" },
    { .name = "EMIT_WORKLOAD_RECORDS",
      JD_WORD_AT(jd_values, workload_records, true_words),
      .value = "BOOL",

      .doc = "also records of type workload: true or false" },
    { .name = "NAMESPACE",
      JD_TEXT_AT(jd_values, name_space),
      .value = "NAME",
      .doc = "of the pods (default)" },
};

const struct jd_command jd_command_workload_generate = {
    .name = "workload generate",
    .summary = "Writes a synthetic trace, one job on each line",
    .options = options_of_generate,
    .option_count = JL_COUNT(options_of_generate),
    .run = run,
};
