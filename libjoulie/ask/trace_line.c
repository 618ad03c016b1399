/* SPDX-License-Identifier: Apache-2.0 */

/*
 * trace.line: one line of a trace with every default filled (docs/rules/workloads.md#trace-line).
 */
#include <string.h>

#include "ask/ask.h"
#include "sim/trace.h"

#define RECORD trace_line_in
#define MEMBERS STRING(line, "line", "One line of a trace.", REQUIRED)
#include "schema/record.h"

#define RECORD trace_line_out
#define MEMBERS                                                                        \
    BOOLEAN(is_skipped, "skipped", "True for a line that is no job.")                  \
    STRING(job_id, "jobId", "Name of the job.")                                        \
    STRING(workload_id, "workloadId", "Workload it belongs to.")                       \
    STRING(workload_type, "workloadType", "Kind of workload.")                         \
    STRING(pod_role, "podRole", "Role in the workload.")                               \
    BOOLEAN(is_gang, "gang", "Progresses only together with its workload.")            \
    NUMBER(submit_s, "submitTimeOffsetSec", "Submission, s after the start.")          \
    STRING(name_space, "namespace", "Namespace of the pod.")                           \
    STRING(class_, "class", "performance or standard.")                                \
    NUMBER(cpu_cores, "cpuCores", "Requested cores.")                                  \
    INTEGER(memory_bytes, "memoryBytes", "Requested memory, bytes.")                   \
    INTEGER(gpu_count, "gpuCount", "Requested GPUs.")                                  \
    STRING(gpu_vendor, "gpuVendor", "nvidia or amd; absent without a GPU or for any.") \
    NUMBER(cpu_units, "cpuUnits", "CPU work, units.")                                  \
    NUMBER(gpu_units, "gpuUnits", "GPU work, units.")                                  \
    NUMBER(sensitivity_cpu, "sensitivityCpu", "Sensitivity to CPU caps, 0..1.")        \
    NUMBER(sensitivity_gpu, "sensitivityGpu", "Sensitivity to GPU caps, 0..1.")        \
    STRING(cpu_class, "cpuClass", "What the CPU part is bound by.")                    \
    STRING(gpu_class, "gpuClass", "What the GPU part is bound by.")                    \
    NUMBER(cpu_util, "cpuUtilization", "Utilisation of its cores, 0..1.")              \
    NUMBER(gpu_util, "gpuUtilization", "Utilisation of its GPUs, 0..1.")               \
    NUMBER(memory, "memoryIntensity", "Memory intensity, 0..1.")                       \
    NUMBER(io, "ioIntensity", "I/O intensity, 0..1.")                                  \
    NUMBER(feed, "cpuFeedIntensityGpu", "How much the CPU has to feed the GPU, 0..1.")
#include "schema/record.h"

static void put_names(const struct jl_trace_job *job, struct trace_line_out *out)
{
    JL_SET(out, job_id, job->job_id);
    JL_SET_IF(out, workload_id, job->workload_id != NULL, job->workload_id);
    JL_SET_IF(out, workload_type, job->workload_type != NULL, job->workload_type);
    JL_SET_IF(out, pod_role, job->pod_role != NULL, job->pod_role);
    JL_SET(out, is_gang, job->is_gang);
    JL_SET(out, submit_s, job->submit_s);
    JL_SET(out, name_space, job->name_space);
    JL_SET(out, class_, job->is_performance ? "performance" : "standard");
}

static void put_work(const struct jl_trace_job *job, struct trace_line_out *out)
{
    const struct jl_work *work = &job->work;
    JL_SET(out, cpu_cores, job->cpu_cores);
    JL_SET(out, memory_bytes, job->memory_bytes);
    JL_SET(out, gpu_count, job->gpu_count);
    JL_SET_IF(out, gpu_vendor, job->gpu_vendor != NULL, job->gpu_vendor);
    JL_SET(out, cpu_units, job->cpu_units);
    JL_SET(out, gpu_units, job->gpu_units);
    JL_SET(out, sensitivity_cpu, work->sensitivity_cpu);
    JL_SET(out, sensitivity_gpu, work->sensitivity_gpu);
    JL_SET(out, cpu_class, jl_word_of(&jl_cpu_class_words, (int)work->cpu_class));
    JL_SET_IF(out, gpu_class, work->gpu_class != JL_GPU_UNKNOWN,
              jl_word_of(&jl_gpu_class_words, (int)work->gpu_class));
    JL_SET(out, cpu_util, work->cpu_util);
    JL_SET(out, gpu_util, work->gpu_util);
    JL_SET(out, memory, work->memory);
    JL_SET(out, io, work->io);
    JL_SET(out, feed, work->feed);
}

static int answer_trace_line(struct jl_ask *ask, const struct trace_line_in *input,
                             struct trace_line_out *result)
{
    struct jl_trace_line line;
    const int rc = jl_trace_read_line(ask->arena, input->line, strlen(input->line),
                                      ask->options.lenient ? JL_LENIENT : 0, &line, ask->err);
    if (rc < 0)
        return rc;
    if (line.is_skipped) {
        JL_SET(result, is_skipped, true);
        return 0;
    }
    put_names(&line.job, result);
    put_work(&line.job, result);
    return 0;
}

JL_QUESTION(trace_line, "trace.line", "Read one line of a trace");
