/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_workload_*: traces made and looked at. */

#include <joulie/sim.h>

#include "base/error.h"
#include "base/sized.h"
#include "sim/generate.h"
#include "sim/inspect.h"

#define OPTIONS_SIZE_0_1 (offsetof(struct joulie_workload_options, reserved) + sizeof(int32_t))

_Static_assert(sizeof(struct joulie_workload_options) == OPTIONS_SIZE_0_1, "no tail padding");

static bool has(const struct joulie_workload_options *options, uint64_t bit)
{
    return (options->has & bit) != 0;
}

static void take_shares(const struct joulie_workload_options *from, struct jl_generate_options *to)
{
    if (has(from, JOULIE_WORKLOAD_HAS_PERF_RATIO))
        to->perf_ratio = from->perf_ratio;
    if (has(from, JOULIE_WORKLOAD_HAS_GPU_RATIO))
        to->gpu_ratio = from->gpu_ratio;
    if (has(from, JOULIE_WORKLOAD_HAS_AMD_RATIO))
        to->amd_ratio = from->amd_ratio;
    if (has(from, JOULIE_WORKLOAD_HAS_RECORDS))
        to->has_workload_records = from->has_records != 0;
}

static void take_arrivals(const struct joulie_workload_options *from,
                          struct jl_generate_options *to)
{
    if (has(from, JOULIE_WORKLOAD_HAS_JOBS))
        to->jobs = from->jobs;
    if (has(from, JOULIE_WORKLOAD_HAS_HOURS))
        to->hours = from->hours;
    if (has(from, JOULIE_WORKLOAD_HAS_SEED))
        to->seed = from->seed;
    if (has(from, JOULIE_WORKLOAD_HAS_MEAN_INTER_ARRIVAL))
        to->mean_inter_arrival_s = from->mean_inter_arrival_s;
    if (has(from, JOULIE_WORKLOAD_HAS_PEAK_RATE))
        to->peak_rate_per_min = from->peak_rate_per_min;
    if (has(from, JOULIE_WORKLOAD_HAS_BURST_PROB))
        to->burst_prob = from->burst_prob;
    if (has(from, JOULIE_WORKLOAD_HAS_BURST_MIN))
        to->burst_min = from->burst_min;
    if (has(from, JOULIE_WORKLOAD_HAS_BURST_MAX))
        to->burst_max = from->burst_max;
}

static void take_sizes(const struct joulie_workload_options *from, struct jl_generate_options *to)
{
    if (has(from, JOULIE_WORKLOAD_HAS_MAX_DURATION))
        to->max_duration_s = from->max_duration_s;
    if (has(from, JOULIE_WORKLOAD_HAS_MIN_GPUS))
        to->min_gpus = from->min_gpus;
    if (has(from, JOULIE_WORKLOAD_HAS_WORK_SCALE))
        to->work_scale = from->work_scale;
    if (has(from, JOULIE_WORKLOAD_HAS_BASE_SPEED))
        to->base_speed = from->base_speed;
    if (from->name_space)
        to->name_space = from->name_space;
}

int joulie_workload_generate(const struct joulie_workload_options *options, char **trace,
                             struct joulie_error *err)
{
    struct joulie_workload_options mine;
    if (jl_sized_check(options, OPTIONS_SIZE_0_1) < 0 ||
        jl_sized_read(&mine, sizeof mine, options) < 0 || mine.reserved != 0)
        return jl_refuse(err, JOULIE_E_ABI, "",
                         "struct joulie_workload_options of another release");
    const char *mode = mine.mode ? mine.mode : "default";
    if (!jl_same(mode, "default") && !jl_same(mode, "diurnal"))
        return jl_refuse(err, JOULIE_E_UNSUPPORTED, "mode", "there is no mode \"%.64s\"", mode);

    struct jl_generate_options settings;
    struct jl_buffer buffer = { 0 };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    jl_generate_defaults(jl_same(mode, "diurnal") ? JL_GENERATE_DIURNAL : JL_GENERATE_DEFAULT,
                         &settings);
    take_shares(&mine, &settings);
    take_arrivals(&mine, &settings);
    take_sizes(&mine, &settings);
    int rc = jl_generate(&settings, &buffer, &detail);
    char *text = rc < 0 ? NULL : jl_buffer_take(&buffer);
    if (rc == 0 && !text)
        rc = jl_fail_memory(&detail);
    jl_buffer_clear(&buffer);
    if (rc < 0) {
        jl_error_export(&detail, err);
        return rc;
    }
    *trace = text;
    return JOULIE_OK;
}

int joulie_workload_inspect(const char *trace, size_t len, int32_t is_lenient, char **json,
                            struct joulie_error *err)
{
    struct jl_trace read = { 0 };
    struct jl_buffer buffer = { 0 };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    int rc = jl_trace_read(trace, len, is_lenient != 0, &read, &detail);
    if (rc < 0) {
        jl_error_export(&detail, err);
        return rc;
    }
    rc = jl_trace_inspect(&read, &buffer);
    jl_trace_clear(&read);
    char *text = rc < 0 ? NULL : jl_buffer_take(&buffer);
    jl_buffer_clear(&buffer);
    if (!text)
        return jl_refuse_memory(err);
    *json = text;
    return JOULIE_OK;
}
