/* SPDX-License-Identifier: Apache-2.0 */

/* physics.job: how fast a job goes on a node (docs/rules/physics.md#jobs). */
#include "ask/physics_input.h"

#define UNIT .flags = JL_HAS_MIN | JL_HAS_MAX, .min = 0, .max = 1

static const struct jl_row work_rows[] = {
    [JL_WORK_CPU_CLASS] = JL_ENUM(jl_work, cpu_class, "cpuClass", &jl_cpu_class_words,
                                  .doc = "CPU class; default cpu.mixed."),
    [JL_WORK_GPU_CLASS] = JL_ENUM(jl_work, gpu_class, "gpuClass", &jl_gpu_class_words,
                                  .doc = "GPU class; default gpu.mixed."),
    [JL_WORK_CPU_UTIL] = JL_NUMBER(jl_work, cpu_util, "cpuUtilization", UNIT,
                                   .doc = "Utilisation of its cores, 0..1; default by class."),
    [JL_WORK_GPU_UTIL] = JL_NUMBER(jl_work, gpu_util, "gpuUtilization", UNIT,
                                   .doc = "Utilisation of its GPUs, 0..1; default by class."),
    [JL_WORK_MEMORY] = JL_NUMBER(jl_work, memory, "memoryIntensity", UNIT,
                                 .doc = "Memory intensity, 0..1; default by class."),
    [JL_WORK_IO] = JL_NUMBER(jl_work, io, "ioIntensity", UNIT,
                             .doc = "I/O intensity, 0..1; default by class."),
    [JL_WORK_FEED] =
        JL_NUMBER(jl_work, feed, "cpuFeedIntensityGpu", UNIT,
                  .doc = "How much the CPU has to feed the GPU, 0..1; default 0.45 with a GPU."),
    [JL_WORK_SENSITIVITY_CPU] = JL_NUMBER(jl_work, sensitivity_cpu, "sensitivityCpu", UNIT,
                                          .doc = "Sensitivity to CPU caps, 0..1; default 1."),
    [JL_WORK_SENSITIVITY_GPU] = JL_NUMBER(jl_work, sensitivity_gpu, "sensitivityGpu", UNIT,
                                          .doc = "Sensitivity to GPU caps, 0..1; default 1."),
};
static const struct jl_table jl_work_table = JL_TABLE(jl_work, work_rows);

#define RECORD job_in
#define MEMBERS                                                                                   \
    OBJECT(job, "job", jl_work, "The job.", REQUIRED)                                             \
    NUMBER(freq, "freqScale", "Frequency of the node, 0..1; default 1.", AT_LEAST(0), AT_MOST(1)) \
    NUMBER(knee, "knee", "Frequency share below which memory suffers; default 0.7.", AT_LEAST(0), \
           AT_MOST(1))                                                                            \
    OBJECT_BY(gpu, "gpu", jl_gpu_profile, jl_gpu_settings_table,                                  \
              "GPU of the node; absent = a CPU job.")                                             \
    NUMBER(cap_w, "capW", "Power cap of a GPU, W; absent = its maximum.", NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD job_out
#define MEMBERS                                                                           \
    NUMBER(multiplier, "multiplier", "Throughput of the CPU at this frequency, 0..1.")    \
    NUMBER(base, "base", "How much the job depends on it, 0..1.")                         \
    NUMBER(cpu_factor, "cpuFactor", "Speed of the CPU part, 0..1.")                       \
    NUMBER(gpu_multiplier, "gpuMultiplier", "Throughput of the GPU under its cap, 0..1.") \
    NUMBER(feed_factor, "feedFactor", "What a slower CPU leaves of it, 0..1.")            \
    NUMBER(cap_impact, "capImpact", "Second charge of the cap; only in v0.1.1.")          \
    NUMBER(gpu_factor, "gpuFactor", "Speed of the GPU part, 0..1.")
#include "schema/record.h"

static const char *const models[] = { "current", "v0.1.1", NULL };

static int answer_gpu(struct jl_ask *ask, const struct job_in *input, const struct jl_work *work,
                      struct job_out *out)
{
    const enum jl_physics_rules rules = jl_ask_physics_rules(ask);
    struct jl_gpu_profile gpu;
    const int rc = jl_ask_gpu(ask, &input->gpu, &gpu);
    if (rc < 0)
        return rc;
    struct jl_gpu_progress progress;
    jl_gpu_progress(work, &gpu, jl_gpu_cap_w(&gpu, input->cap_w), out->multiplier, 0, rules,
                    &progress);
    JL_SET(out, gpu_multiplier, progress.multiplier);
    JL_SET(out, feed_factor, progress.feed_factor);
    if (rules == JL_PHYSICS_V0_1_1)
        JL_SET(out, cap_impact, progress.cap_impact);
    JL_SET(out, gpu_factor, progress.factor);
    return 0;
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct job_in *input = in;
    struct job_out *result = out;
    const bool has_gpu = input->given.gpu != 0;
    struct jl_work work = input->job;
    jl_work_fill(&work, has_gpu);

    struct jl_cpu_progress progress;
    jl_cpu_progress(&work, input->given.freq ? input->freq : 1,
                    input->given.knee ? input->knee : JL_KNEE_UNSET, 0, &progress);
    JL_SET(result, multiplier, progress.multiplier);
    JL_SET(result, base, progress.base);
    JL_SET(result, cpu_factor, progress.factor);
    return has_gpu ? answer_gpu(ask, input, &work, result) : 0;
}

const struct jl_question jl_question_physics_job = {
    .name = "physics.job",
    .summary = "How fast a job goes on a node",
    .in = &job_in_table,
    .out = &job_out_table,
    .models = models,
    .answer = answer,
};
