/* SPDX-License-Identifier: Apache-2.0 */
/* trace.line: one line of a trace with every default filled (joulie-simulator.md §9.1, §6.2, SD4,
 * SD9). */
#include <string.h>

#include "ask/ask.h"
#include "sim/trace.h"

struct line_in {
    uint64_t has;
    const char *line;
};

enum { IN_LINE };

static const struct jl_row in_rows[] = {
    [IN_LINE] =
        JL_STRING(line_in, line, "line", .flags = JL_REQUIRED, .doc = "One line of a trace."),
};
static const struct jl_table in_table = JL_TABLE(line_in, in_rows);

struct line_out {
    uint64_t has;
    bool is_skipped;
    const char *job_id;
    const char *workload_id;
    const char *workload_type;
    const char *pod_role;
    bool is_gang;
    double submit_s;
    const char *name_space;
    const char *class_;
    double cpu_cores;
    int64_t memory_bytes;
    int64_t gpu_count;
    const char *gpu_vendor;
    double cpu_units;
    double gpu_units;
    double sensitivity_cpu;
    double sensitivity_gpu;
    const char *cpu_class;
    const char *gpu_class;
    double cpu_util;
    double gpu_util;
    double memory;
    double io;
    double feed;
};

enum {
    OUT_SKIPPED,
    OUT_JOB_ID,
    OUT_WORKLOAD_ID,
    OUT_WORKLOAD_TYPE,
    OUT_POD_ROLE,
    OUT_GANG,
    OUT_SUBMIT,
    OUT_NAMESPACE,
    OUT_CLASS,
    OUT_CPU_CORES,
    OUT_MEMORY_BYTES,
    OUT_GPU_COUNT,
    OUT_GPU_VENDOR,
    OUT_CPU_UNITS,
    OUT_GPU_UNITS,
    OUT_SENSITIVITY_CPU,
    OUT_SENSITIVITY_GPU,
    OUT_CPU_CLASS,
    OUT_GPU_CLASS,
    OUT_CPU_UTIL,
    OUT_GPU_UTIL,
    OUT_MEMORY,
    OUT_IO,
    OUT_FEED,
};

static const struct jl_row out_rows[] = {
    [OUT_SKIPPED] =
        JL_BOOLEAN(line_out, is_skipped, "skipped", .doc = "True for a line that is no job."),
    [OUT_JOB_ID] = JL_STRING(line_out, job_id, "jobId", .doc = "Name of the job."),
    [OUT_WORKLOAD_ID] =
        JL_STRING(line_out, workload_id, "workloadId", .doc = "Workload it belongs to."),
    [OUT_WORKLOAD_TYPE] =
        JL_STRING(line_out, workload_type, "workloadType", .doc = "Kind of workload."),
    [OUT_POD_ROLE] = JL_STRING(line_out, pod_role, "podRole", .doc = "Role in the workload."),
    [OUT_GANG] =
        JL_BOOLEAN(line_out, is_gang, "gang", .doc = "Progresses only together with its workload."),
    [OUT_SUBMIT] = JL_NUMBER(line_out, submit_s, "submitTimeOffsetSec",
                             .doc = "Submission, s after the start."),
    [OUT_NAMESPACE] = JL_STRING(line_out, name_space, "namespace", .doc = "Namespace of the pod."),
    [OUT_CLASS] = JL_STRING(line_out, class_, "class", .doc = "performance or standard."),
    [OUT_CPU_CORES] = JL_NUMBER(line_out, cpu_cores, "cpuCores", .doc = "Requested cores."),
    [OUT_MEMORY_BYTES] =
        JL_INTEGER(line_out, memory_bytes, "memoryBytes", .doc = "Requested memory, bytes."),
    [OUT_GPU_COUNT] = JL_INTEGER(line_out, gpu_count, "gpuCount", .doc = "Requested GPUs."),
    [OUT_GPU_VENDOR] = JL_STRING(line_out, gpu_vendor, "gpuVendor",
                                 .doc = "nvidia or amd; absent without a GPU or for any."),
    [OUT_CPU_UNITS] = JL_NUMBER(line_out, cpu_units, "cpuUnits", .doc = "CPU work, units."),
    [OUT_GPU_UNITS] = JL_NUMBER(line_out, gpu_units, "gpuUnits", .doc = "GPU work, units."),
    [OUT_SENSITIVITY_CPU] = JL_NUMBER(line_out, sensitivity_cpu, "sensitivityCpu",
                                      .doc = "Sensitivity to CPU caps, 0..1."),
    [OUT_SENSITIVITY_GPU] = JL_NUMBER(line_out, sensitivity_gpu, "sensitivityGpu",
                                      .doc = "Sensitivity to GPU caps, 0..1."),
    [OUT_CPU_CLASS] =
        JL_STRING(line_out, cpu_class, "cpuClass", .doc = "What the CPU part is bound by."),
    [OUT_GPU_CLASS] =
        JL_STRING(line_out, gpu_class, "gpuClass", .doc = "What the GPU part is bound by."),
    [OUT_CPU_UTIL] =
        JL_NUMBER(line_out, cpu_util, "cpuUtilization", .doc = "Utilisation of its cores, 0..1."),
    [OUT_GPU_UTIL] =
        JL_NUMBER(line_out, gpu_util, "gpuUtilization", .doc = "Utilisation of its GPUs, 0..1."),
    [OUT_MEMORY] = JL_NUMBER(line_out, memory, "memoryIntensity", .doc = "Memory intensity, 0..1."),
    [OUT_IO] = JL_NUMBER(line_out, io, "ioIntensity", .doc = "I/O intensity, 0..1."),
    [OUT_FEED] = JL_NUMBER(line_out, feed, "cpuFeedIntensityGpu",
                           .doc = "How much the CPU has to feed the GPU, 0..1."),
};
static const struct jl_table out_table = JL_TABLE(line_out, out_rows);

static void put_names(const struct jl_trace_job *job, struct line_out *out)
{
    JL_PUT(out, OUT_JOB_ID, job_id, job->job_id);
    if (job->workload_id)
        JL_PUT(out, OUT_WORKLOAD_ID, workload_id, job->workload_id);
    if (job->workload_type)
        JL_PUT(out, OUT_WORKLOAD_TYPE, workload_type, job->workload_type);
    if (job->pod_role)
        JL_PUT(out, OUT_POD_ROLE, pod_role, job->pod_role);
    JL_PUT(out, OUT_GANG, is_gang, job->is_gang);
    JL_PUT(out, OUT_SUBMIT, submit_s, job->submit_s);
    JL_PUT(out, OUT_NAMESPACE, name_space, job->name_space);
    JL_PUT(out, OUT_CLASS, class_, job->is_performance ? "performance" : "standard");
}

static void put_work(const struct jl_trace_job *job, struct line_out *out)
{
    const struct jl_work *work = &job->work;
    JL_PUT(out, OUT_CPU_CORES, cpu_cores, job->cpu_cores);
    JL_PUT(out, OUT_MEMORY_BYTES, memory_bytes, job->memory_bytes);
    JL_PUT(out, OUT_GPU_COUNT, gpu_count, job->gpu_count);
    if (job->gpu_vendor)
        JL_PUT(out, OUT_GPU_VENDOR, gpu_vendor, job->gpu_vendor);
    JL_PUT(out, OUT_CPU_UNITS, cpu_units, job->cpu_units);
    JL_PUT(out, OUT_GPU_UNITS, gpu_units, job->gpu_units);
    JL_PUT(out, OUT_SENSITIVITY_CPU, sensitivity_cpu, work->sensitivity_cpu);
    JL_PUT(out, OUT_SENSITIVITY_GPU, sensitivity_gpu, work->sensitivity_gpu);
    JL_PUT(out, OUT_CPU_CLASS, cpu_class, jl_word_of(&jl_cpu_class_words, (int)work->cpu_class));
    if (work->gpu_class != JL_GPU_UNKNOWN)
        JL_PUT(out, OUT_GPU_CLASS, gpu_class,
               jl_word_of(&jl_gpu_class_words, (int)work->gpu_class));
    JL_PUT(out, OUT_CPU_UTIL, cpu_util, work->cpu_util);
    JL_PUT(out, OUT_GPU_UTIL, gpu_util, work->gpu_util);
    JL_PUT(out, OUT_MEMORY, memory, work->memory);
    JL_PUT(out, OUT_IO, io, work->io);
    JL_PUT(out, OUT_FEED, feed, work->feed);
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct line_in *input = in;
    struct line_out *result = out;
    struct jl_trace_line line;
    const int rc = jl_trace_read_line(ask->arena, input->line, strlen(input->line),
                                      ask->options.lenient ? JL_LENIENT : 0, &line, ask->err);
    if (rc < 0)
        return rc;
    if (line.is_skipped) {
        JL_PUT(result, OUT_SKIPPED, is_skipped, true);
        return 0;
    }
    put_names(&line.job, result);
    put_work(&line.job, result);
    return 0;
}

const struct jl_question jl_question_trace_line = {
    .name = "trace.line",
    .summary = "Read one line of a trace",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
