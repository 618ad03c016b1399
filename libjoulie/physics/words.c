/* SPDX-License-Identifier: Apache-2.0 */

/* Words of the workload classes of the simulator. */

#include "physics/physics.h"

static const struct jl_word cpu_class_words[] = {
    { JL_CPU_COMPUTE, "cpu.compute_bound" },
    { JL_CPU_MEMORY, "cpu.memory_bound" },
    { JL_CPU_IO, "cpu.io_bound" },
    { JL_CPU_MIXED, "cpu.mixed" },
};

static const struct jl_word gpu_class_words[] = {
    { JL_GPU_COMPUTE, "gpu.compute_bound" },
    { JL_GPU_MEMORY, "gpu.memory_bound" },
    { JL_GPU_BANDWIDTH, "gpu.bandwidth_bound" },
    { JL_GPU_MIXED, "gpu.mixed" },
};

const struct jl_words jl_cpu_class_words = JL_WORDS(cpu_class_words);
const struct jl_words jl_gpu_class_words = JL_WORDS(gpu_class_words);
