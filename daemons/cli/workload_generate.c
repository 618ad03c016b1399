/* SPDX-License-Identifier: Apache-2.0 */

/* Synthetic traces on standard output. */

#include <string.h>

#include <joulie/sim.h>

#include "cli.h"
#include "commands.h"

/* Which option goes where in struct joulie_workload_options. */
#define AT(member) offsetof(struct joulie_workload_options, member)

static const struct number {
    enum jd_option_id id;
    uint64_t has; /* JOULIE_WORKLOAD_HAS_* */
    size_t offset;
    bool is_integer; /* int64_t, else double */
} numbers[] = {
    { JD_OPTION_JOBS, JOULIE_WORKLOAD_HAS_JOBS, AT(jobs), true },
    { JD_OPTION_HOURS, JOULIE_WORKLOAD_HAS_HOURS, AT(hours), false },
    { JD_OPTION_SEED, JOULIE_WORKLOAD_HAS_SEED, AT(seed), true },
    { JD_OPTION_MAX_DURATION, JOULIE_WORKLOAD_HAS_MAX_DURATION, AT(max_duration_s), false },
    { JD_OPTION_PERF_RATIO, JOULIE_WORKLOAD_HAS_PERF_RATIO, AT(perf_ratio), false },
    { JD_OPTION_GPU_RATIO, JOULIE_WORKLOAD_HAS_GPU_RATIO, AT(gpu_ratio), false },
    { JD_OPTION_AMD_GPU_RATIO, JOULIE_WORKLOAD_HAS_AMD_RATIO, AT(amd_ratio), false },
    { JD_OPTION_MEAN_INTER_ARRIVAL, JOULIE_WORKLOAD_HAS_MEAN_INTER_ARRIVAL,
      AT(mean_inter_arrival_s), false },
    { JD_OPTION_PEAK_RATE, JOULIE_WORKLOAD_HAS_PEAK_RATE, AT(peak_rate_per_min), false },
    { JD_OPTION_BURST_PROB, JOULIE_WORKLOAD_HAS_BURST_PROB, AT(burst_prob), false },
    { JD_OPTION_BURST_MIN, JOULIE_WORKLOAD_HAS_BURST_MIN, AT(burst_min), true },
    { JD_OPTION_BURST_MAX, JOULIE_WORKLOAD_HAS_BURST_MAX, AT(burst_max), true },
    { JD_OPTION_MIN_GPU_REQUEST, JOULIE_WORKLOAD_HAS_MIN_GPUS, AT(min_gpus), true },
    { JD_OPTION_WORK_SCALE, JOULIE_WORKLOAD_HAS_WORK_SCALE, AT(work_scale), false },
    { JD_OPTION_BASE_SPEED, JOULIE_WORKLOAD_HAS_BASE_SPEED, AT(base_speed), false },
};

static bool read_number(const struct jd_call *call, const struct number *number,
                        struct joulie_workload_options *out)
{
    char *place = (char *)out + number->offset;
    int64_t integer = 0;
    double real = 0;
    if (!jd_given(call, number->id))
        return true;
    if (number->is_integer ? !jd_integer(call, number->id, &integer)
                           : !jd_double(call, number->id, &real))
        return false;
    if (number->is_integer)
        memcpy(place, &integer, sizeof integer);
    else
        memcpy(place, &real, sizeof real);
    out->has |= number->has;
    return true;
}

static int run(struct jd_call *call)
{
    struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *trace = NULL;
    options.mode = call->value[JD_OPTION_MODE];
    options.name_space = call->value[JD_OPTION_NAMESPACE];
    if (jd_given(call, JD_OPTION_WORKLOAD_RECORDS)) {
        options.has |= JOULIE_WORKLOAD_HAS_RECORDS;
        options.has_records = jl_same(call->value[JD_OPTION_WORKLOAD_RECORDS], "true");
    }
    for (size_t i = 0; i < JL_COUNT(numbers); i++) {
        if (!read_number(call, &numbers[i], &options))
            return JD_EXIT_USAGE;
    }
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

static const struct jd_option options_of_generate[] = {
    { .id = JD_OPTION_MODE,
      .name = "mode",
      .value = "MODE",
      .words = mode_words,
      .is_closed = true,
      .doc = "default: families of workloads; diurnal: the rate follows the day" },
    { .id = JD_OPTION_JOBS,
      .name = "jobs",
      .value = "N",
      .doc = "job records (default 50; diurnal: no limit)" },
    { .id = JD_OPTION_HOURS,
      .name = "hours",
      .value = "H",
      .doc = "hours that they arrive in (diurnal 48)" },
    { .id = JD_OPTION_SEED, .name = "seed", .value = "S", .doc = "of the random numbers (1)" },
    { .id = JD_OPTION_MAX_DURATION,
      .name = "max-duration",
      .value = "S",
      .doc = "longest duration of a job, seconds" },
    { .id = JD_OPTION_PERF_RATIO,
      .name = "perf-ratio",
      .value = "P",
      .doc = "share of the class performance (0.30)" },
    { .id = JD_OPTION_GPU_RATIO,
      .name = "gpu-ratio",
      .value = "P",
      .doc = "share of GPU workloads (0.80)" },
    { .id = JD_OPTION_AMD_GPU_RATIO,
      .name = "amd-gpu-ratio",
      .value = "P",
      .doc = "share of the GPU jobs that ask for amd.com/gpu (0)" },
    { .id = JD_OPTION_MEAN_INTER_ARRIVAL,
      .name = "mean-inter-arrival-sec",
      .value = "S",
      .doc = "default mode without --hours (5)" },
    { .id = JD_OPTION_PEAK_RATE,
      .name = "peak-rate",
      .value = "N",
      .doc = "diurnal: arrivals per minute at the peak (80)" },
    { .id = JD_OPTION_BURST_PROB,
      .name = "burst-prob",
      .value = "P",
      .doc = "diurnal: chance of a burst (0.10)" },
    { .id = JD_OPTION_BURST_MIN,
      .name = "burst-min",
      .value = "N",
      .doc = "diurnal: fewest jobs of a burst (20)" },
    { .id = JD_OPTION_BURST_MAX,
      .name = "burst-max",
      .value = "N",
      .doc = "diurnal: most jobs of a burst (80)" },
    { .id = JD_OPTION_MIN_GPU_REQUEST,
      .name = "min-gpu-request",
      .value = "N",
      .doc = "diurnal: fewest GPUs of a GPU job (0)" },
    { .id = JD_OPTION_WORK_SCALE,
      .name = "work-scale",
      .value = "X",
      .doc = "diurnal: factor on the work of every job (1)" },
    { .id = JD_OPTION_BASE_SPEED,
      .name = "base-speed-per-core",
      .value = "X",
      .doc = "diurnal: units per core and second (2)" },
    { .id = JD_OPTION_WORKLOAD_RECORDS,
      .name = "emit-workload-records",
      .value = "BOOL",
      .words = true_words,
      .is_closed = true,
      .doc = "also records of type workload: true or false" },
    { .id = JD_OPTION_NAMESPACE,
      .name = "namespace",
      .value = "NAME",
      .doc = "of the pods (default)" },
    JD_HELP_ROW,
};

const struct jd_command jd_command_workload_generate = {
    .name = "workload generate",
    .summary = "Writes a synthetic trace, one job on each line",
    .options = options_of_generate,
    .option_count = JL_COUNT(options_of_generate),
    .run = run,
};
