/* SPDX-License-Identifier: Apache-2.0 */
/* physics.gpu: power and throughput of one GPU under a cap (joulie-simulator.md §4, SD4). */
#include "ask/physics_input.h"

struct gpu_in {
    uint64_t has;
    struct jl_gpu_profile gpu;
    const char *class_;
    double memory;
    double feed;
    double util;
    double cap_w;
    double thermal;
};

enum { IN_GPU, IN_CLASS, IN_MEMORY, IN_FEED, IN_UTIL, IN_CAP, IN_THERMAL };

#define UNIT .flags = JL_HAS_MIN | JL_HAS_MAX, .min = 0, .max = 1

static const struct jl_row in_rows[] = {
    [IN_GPU] = JL_OBJECT(gpu_in, gpu, "gpu", &jl_gpu_settings_table,
                         .doc = "Catalog key, or watts and exponents that differ from the base."),
    [IN_CLASS] = JL_STRING(gpu_in, class_, "workloadClass",
                           .doc = "GPU class of the workload; any other word counts as gpu.mixed."),
    [IN_MEMORY] =
        JL_NUMBER(gpu_in, memory, "memoryIntensity", UNIT, .doc = "Memory intensity, 0..1."),
    [IN_FEED] = JL_NUMBER(gpu_in, feed, "cpuFeedIntensity", UNIT,
                          .doc = "How much the CPU has to feed the GPU, 0..1."),
    [IN_UTIL] = JL_NUMBER(gpu_in, util, "util", UNIT, .doc = "Utilisation of the device, 0..1."),
    [IN_CAP] = JL_NUMBER(gpu_in, cap_w, "capW", .flags = JL_NOT_NEGATIVE,
                         .doc = "Power cap of the device, W; absent = its maximum."),
    [IN_THERMAL] = JL_NUMBER(gpu_in, thermal, "thermalThrottle", UNIT,
                             .doc = "Thermal throttle fraction, 0..1; default 0."),
};
static const struct jl_table in_table = JL_TABLE(gpu_in, in_rows);

struct gpu_weights {
    uint64_t has;
    double compute;
    double memory;
};

enum { WEIGHT_COMPUTE, WEIGHT_MEMORY };

static const struct jl_row weight_rows[] = {
    [WEIGHT_COMPUTE] =
        JL_NUMBER(gpu_weights, compute, "compute", .doc = "Share bound by the device's clock."),
    [WEIGHT_MEMORY] = JL_NUMBER(gpu_weights, memory, "memory", .doc = "Share bound by memory."),
};
static const struct jl_table weight_table = JL_TABLE(gpu_weights, weight_rows);

struct gpu_out {
    uint64_t has;
    double natural_w;
    double power_w;
    double cap_w;
    double throughput;
    struct gpu_weights weights;
};

enum { OUT_NATURAL, OUT_POWER, OUT_CAP, OUT_THROUGHPUT, OUT_WEIGHTS };

static const struct jl_row out_rows[] = {
    [OUT_NATURAL] = JL_NUMBER(gpu_out, natural_w, "naturalW", .doc = "Power without a cap, W."),
    [OUT_POWER] = JL_NUMBER(gpu_out, power_w, "powerW", .doc = "Power under the cap, W."),
    [OUT_CAP] = JL_NUMBER(gpu_out, cap_w, "capW", .doc = "The cap in the device's range, W."),
    [OUT_THROUGHPUT] =
        JL_NUMBER(gpu_out, throughput, "throughput", .doc = "Throughput relative to no cap, 0..1."),
    [OUT_WEIGHTS] = JL_OBJECT(gpu_out, weights, "weights", &weight_table,
                              .doc = "What the throughput depends on, sum 1."),
};
static const struct jl_table out_table = JL_TABLE(gpu_out, out_rows);

static const char *const models[] = { "current", "v0.1.1", NULL };

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct gpu_in *input = in;
    struct gpu_out *result = out;
    struct jl_gpu_profile gpu;
    const int rc = jl_ask_gpu(ask, &input->gpu, &gpu);
    if (rc < 0)
        return rc;

    const struct jl_gpu_mix mix = { jl_ask_gpu_class(input->class_), input->memory, input->feed };
    struct jl_gpu_weights weights;
    jl_gpu_weights(&mix, &weights);
    const double natural_w = jl_gpu_natural_w(&gpu, &weights, input->util);
    const double cap_w = jl_gpu_cap_w(&gpu, input->cap_w);
    JL_PUT(result, OUT_NATURAL, natural_w, natural_w);
    JL_PUT(result, OUT_POWER, power_w, jl_gpu_power_w(&gpu, natural_w, cap_w));
    JL_PUT(result, OUT_CAP, cap_w, cap_w);
    JL_PUT(result, OUT_THROUGHPUT, throughput,
           jl_gpu_throughput(&gpu, &weights, natural_w, cap_w, input->thermal,
                             jl_ask_physics_rules(ask)));
    JL_PUT(&result->weights, WEIGHT_COMPUTE, compute, weights.compute);
    JL_PUT(&result->weights, WEIGHT_MEMORY, memory, weights.memory);
    JL_MARK(result, OUT_WEIGHTS);
    return 0;
}

const struct jl_question jl_question_physics_gpu = {
    .name = "physics.gpu",
    .summary = "Power and throughput of a GPU under a cap",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
