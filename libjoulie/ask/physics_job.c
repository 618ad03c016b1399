/* SPDX-License-Identifier: Apache-2.0 */
/* physics.job: how fast a job goes on a node (joulie-simulator.md §6.1, SD4). */
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
static const struct jl_table work_table = JL_TABLE(jl_work, work_rows);

struct job_in {
    uint64_t has;
    struct jl_work job;
    double freq;
    double knee;
    struct jl_gpu_profile gpu;
    double cap_w;
};

enum { IN_JOB, IN_FREQ, IN_KNEE, IN_GPU, IN_CAP };

static const struct jl_row in_rows[] = {
    [IN_JOB] = JL_OBJECT(job_in, job, "job", &work_table, .flags = JL_REQUIRED, .doc = "The job."),
    [IN_FREQ] = JL_NUMBER(job_in, freq, "freqScale", UNIT,
                          .doc = "Frequency of the node, 0..1; default 1."),
    [IN_KNEE] = JL_NUMBER(job_in, knee, "knee", UNIT,
                          .doc = "Frequency share below which memory suffers; default 0.7."),
    [IN_GPU] = JL_OBJECT(job_in, gpu, "gpu", &jl_gpu_settings_table,
                         .doc = "GPU of the node; absent = a CPU job."),
    [IN_CAP] = JL_NUMBER(job_in, cap_w, "capW", .flags = JL_NOT_NEGATIVE,
                         .doc = "Power cap of a GPU, W; absent = its maximum."),
};
static const struct jl_table in_table = JL_TABLE(job_in, in_rows);

struct job_out {
    uint64_t has;
    double multiplier;
    double base;
    double cpu_factor;
    double gpu_multiplier;
    double feed_factor;
    double cap_impact;
    double gpu_factor;
};

enum {
    OUT_MULTIPLIER,
    OUT_BASE,
    OUT_CPU_FACTOR,
    OUT_GPU_MULTIPLIER,
    OUT_FEED_FACTOR,
    OUT_CAP_IMPACT,
    OUT_GPU_FACTOR,
};

static const struct jl_row out_rows[] = {
    [OUT_MULTIPLIER] = JL_NUMBER(job_out, multiplier, "multiplier",
                                 .doc = "Throughput of the CPU at this frequency, 0..1."),
    [OUT_BASE] = JL_NUMBER(job_out, base, "base", .doc = "How much the job depends on it, 0..1."),
    [OUT_CPU_FACTOR] =
        JL_NUMBER(job_out, cpu_factor, "cpuFactor", .doc = "Speed of the CPU part, 0..1."),
    [OUT_GPU_MULTIPLIER] = JL_NUMBER(job_out, gpu_multiplier, "gpuMultiplier",
                                     .doc = "Throughput of the GPU under its cap, 0..1."),
    [OUT_FEED_FACTOR] = JL_NUMBER(job_out, feed_factor, "feedFactor",
                                  .doc = "What a slower CPU leaves of it, 0..1."),
    [OUT_CAP_IMPACT] = JL_NUMBER(job_out, cap_impact, "capImpact",
                                 .doc = "Second charge of the cap; only in v0.1.1."),
    [OUT_GPU_FACTOR] =
        JL_NUMBER(job_out, gpu_factor, "gpuFactor", .doc = "Speed of the GPU part, 0..1."),
};
static const struct jl_table out_table = JL_TABLE(job_out, out_rows);

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
    JL_PUT(out, OUT_GPU_MULTIPLIER, gpu_multiplier, progress.multiplier);
    JL_PUT(out, OUT_FEED_FACTOR, feed_factor, progress.feed_factor);
    if (rules == JL_PHYSICS_V0_1_1)
        JL_PUT(out, OUT_CAP_IMPACT, cap_impact, progress.cap_impact);
    JL_PUT(out, OUT_GPU_FACTOR, gpu_factor, progress.factor);
    return 0;
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct job_in *input = in;
    struct job_out *result = out;
    const bool has_gpu = JL_HAS(input, IN_GPU) != 0;
    struct jl_work work = input->job;
    jl_work_fill(&work, has_gpu);

    struct jl_cpu_progress progress;
    jl_cpu_progress(&work, JL_HAS(input, IN_FREQ) ? input->freq : 1,
                    JL_HAS(input, IN_KNEE) ? input->knee : JL_KNEE_UNSET, 0, &progress);
    JL_PUT(result, OUT_MULTIPLIER, multiplier, progress.multiplier);
    JL_PUT(result, OUT_BASE, base, progress.base);
    JL_PUT(result, OUT_CPU_FACTOR, cpu_factor, progress.factor);
    return has_gpu ? answer_gpu(ask, input, &work, result) : 0;
}

const struct jl_question jl_question_physics_job = {
    .name = "physics.job",
    .summary = "How fast a job goes on a node",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
