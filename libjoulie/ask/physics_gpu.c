/* SPDX-License-Identifier: Apache-2.0 */

/* physics.gpu: power and throughput of one GPU under a cap (docs/rules/physics.md#gpu). */
#include "ask/physics_input.h"

#define UNIT AT_LEAST(0), AT_MOST(1)

#define RECORD gpu_in
#define MEMBERS                                                                              \
    OBJECT_BY(gpu, "gpu", jl_gpu_profile, jl_gpu_settings_table,                             \
              "Catalog key, or watts and exponents that differ from the base.")              \
    STRING(class_, "workloadClass",                                                          \
           "GPU class of the workload; any other word counts as gpu.mixed.")                 \
    NUMBER(memory, "memoryIntensity", "Memory intensity, 0..1.", UNIT)                       \
    NUMBER(feed, "cpuFeedIntensity", "How much the CPU has to feed the GPU, 0..1.", UNIT)    \
    NUMBER(util, "util", "Utilisation of the device, 0..1.", UNIT)                           \
    NUMBER(cap_w, "capW", "Power cap of the device, W; absent = its maximum.", NOT_NEGATIVE) \
    NUMBER(thermal, "thermalThrottle", "Thermal throttle fraction, 0..1; default 0.", UNIT)
#include "schema/record.h"

#define RECORD gpu_weights
#define MEMBERS                                                      \
    NUMBER(compute, "compute", "Share bound by the device's clock.") \
    NUMBER(memory, "memory", "Share bound by memory.")
#include "schema/record.h"

#define RECORD gpu_out
#define MEMBERS                                                              \
    NUMBER(natural_w, "naturalW", "Power without a cap, W.")                 \
    NUMBER(power_w, "powerW", "Power under the cap, W.")                     \
    NUMBER(cap_w, "capW", "The cap in the device's range, W.")               \
    NUMBER(throughput, "throughput", "Throughput relative to no cap, 0..1.") \
    OBJECT(weights, "weights", gpu_weights, "What the throughput depends on, sum 1.")
#include "schema/record.h"

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
    JL_SET(result, natural_w, natural_w);
    JL_SET(result, power_w, jl_gpu_power_w(&gpu, natural_w, cap_w));
    JL_SET(result, cap_w, cap_w);
    JL_SET(result, throughput,
           jl_gpu_throughput(&gpu, &weights, natural_w, cap_w, input->thermal,
                             jl_ask_physics_rules(ask)));
    JL_SET(&result->weights, compute, weights.compute);
    JL_SET(&result->weights, memory, weights.memory);
    result->given.weights = true;
    return 0;
}

const struct jl_question jl_question_physics_gpu = {
    .name = "physics.gpu",
    .summary = "Power and throughput of a GPU under a cap",
    .in = &gpu_in_table,
    .out = &gpu_out_table,
    .models = models,
    .answer = answer,
};
