/* SPDX-License-Identifier: Apache-2.0 */

/* node.facts: what the agent of v0.1.1 makes of a Node (joulie-node-agent.md §4.1, §4.4). */

#include "ask/ask.h"
#include "base/error.h"
#include "node/labels.h"

struct facts_in {
    uint64_t has;
    struct jl_node node;
};

enum { IN_NODE };

static const struct jl_row in_rows[] = {
    [IN_NODE] = JL_OBJECT(facts_in, node, "node", &jl_node_table, .flags = JL_REQUIRED,
                          .doc = "The Node: labels, capacity, allocatable."),
};
static const struct jl_table in_table = JL_TABLE(facts_in, in_rows);

struct facts_cpu {
    uint64_t has;
    const char *vendor;
    const char *raw_model;
    const char *model;
    int64_t sockets;
    int64_t total_cores;
    int64_t cores_per_socket;
};

enum { CPU_VENDOR, CPU_RAW_MODEL, CPU_MODEL, CPU_SOCKETS, CPU_TOTAL_CORES, CPU_CORES_PER_SOCKET };

static const struct jl_row cpu_rows[] = {
    [CPU_VENDOR] = JL_STRING(facts_cpu, vendor, "vendor",
                             .doc = "AuthenticAMD, GenuineIntel, or what the label says."),
    [CPU_RAW_MODEL] = JL_STRING(facts_cpu, raw_model, "rawModel", .doc = "Text of the label."),
    [CPU_MODEL] = JL_STRING(facts_cpu, model, "model", .doc = "Catalog key."),
    [CPU_SOCKETS] = JL_INTEGER(facts_cpu, sockets, "sockets", .doc = "Sockets; 0 = unknown."),
    [CPU_TOTAL_CORES] =
        JL_INTEGER(facts_cpu, total_cores, "totalCores", .doc = "Logical CPUs; 0 = unknown."),
    [CPU_CORES_PER_SOCKET] = JL_INTEGER(facts_cpu, cores_per_socket, "coresPerSocket",
                                        .doc = "Logical CPUs of a socket; 0 = unknown."),
};
static const struct jl_table cpu_table = JL_TABLE(facts_cpu, cpu_rows);

struct facts_gpu {
    uint64_t has;
    int64_t count;
    const char *raw_model;
    const char *model;
};

enum { GPU_COUNT, GPU_RAW_MODEL, GPU_MODEL };

static const struct jl_row gpu_rows[] = {
    [GPU_COUNT] = JL_INTEGER(facts_gpu, count, "count", .doc = "Allocatable GPUs."),
    [GPU_RAW_MODEL] = JL_STRING(facts_gpu, raw_model, "rawModel", .doc = "Text of the label."),
    [GPU_MODEL] = JL_STRING(facts_gpu, model, "model", .doc = "Catalog key."),
};
static const struct jl_table gpu_table = JL_TABLE(facts_gpu, gpu_rows);

struct facts_exactness {
    uint64_t has;
    const char *cpu;
    const char *gpu;
};

enum { EXACTNESS_CPU, EXACTNESS_GPU };

static const struct jl_row exactness_rows[] = {
    [EXACTNESS_CPU] =
        JL_STRING(facts_exactness, cpu, "cpu", .doc = "exact, proxy or generic, of the CPU."),
    [EXACTNESS_GPU] =
        JL_STRING(facts_exactness, gpu, "gpu", .doc = "exact, proxy or generic, of the GPUs."),
};
static const struct jl_table exactness_table = JL_TABLE(facts_exactness, exactness_rows);

struct facts_out {
    uint64_t has;
    struct facts_cpu cpu;
    struct facts_gpu gpu;
    struct facts_exactness exactness;
    const char *quality;
    struct jl_list warnings;
};

enum { OUT_CPU, OUT_GPU, OUT_EXACTNESS, OUT_QUALITY, OUT_WARNINGS };

static const struct jl_row out_rows[] = {
    [OUT_CPU] = JL_OBJECT(facts_out, cpu, "cpu", &cpu_table, .doc = "What is known of the CPUs."),
    [OUT_GPU] = JL_OBJECT(facts_out, gpu, "gpu", &gpu_table, .doc = "What is known of the GPUs."),
    [OUT_EXACTNESS] = JL_OBJECT(facts_out, exactness, "exactness", &exactness_table,
                                .doc = "How well the catalog knows them."),
    [OUT_QUALITY] =
        JL_STRING(facts_out, quality, "quality", .doc = "exact, heuristic or unavailable."),
    [OUT_WARNINGS] = JL_STRINGS(facts_out, warnings, "warnings", .doc = "What was not recognized."),
};
static const struct jl_table out_table = JL_TABLE(facts_out, out_rows);

static void put_cpu(const struct jl_label_facts *facts, struct facts_cpu *out)
{
    JL_PUT(out, CPU_VENDOR, vendor, facts->cpu_vendor);
    JL_PUT(out, CPU_RAW_MODEL, raw_model, facts->cpu_raw_model);
    JL_PUT(out, CPU_MODEL, model, facts->cpu_model);
    JL_PUT(out, CPU_SOCKETS, sockets, facts->sockets);
    JL_PUT(out, CPU_TOTAL_CORES, total_cores, facts->total_cores);
    JL_PUT(out, CPU_CORES_PER_SOCKET, cores_per_socket, facts->cores_per_socket);
}

static void put_gpu(const struct jl_label_facts *facts, struct facts_gpu *out)
{
    JL_PUT(out, GPU_COUNT, count, facts->gpu_count);
    JL_PUT(out, GPU_RAW_MODEL, raw_model, facts->gpu_raw_model);
    JL_PUT(out, GPU_MODEL, model, facts->gpu_model);
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct facts_in *in = input;
    struct facts_out *out = output;
    struct jl_label_facts *facts = JL_NEW(ask->arena, struct jl_label_facts);
    if (facts == NULL || jl_label_facts_v0_1_1(&in->node, ask->arena, facts) < 0)
        return jl_fail_memory(ask->err);
    put_cpu(facts, &out->cpu);
    put_gpu(facts, &out->gpu);
    JL_PUT(&out->exactness, EXACTNESS_CPU, cpu, facts->cpu_exactness);
    JL_PUT(&out->exactness, EXACTNESS_GPU, gpu, facts->gpu_exactness);
    JL_MARK(out, OUT_CPU);
    JL_MARK(out, OUT_GPU);
    JL_MARK(out, OUT_EXACTNESS);
    JL_PUT(out, OUT_QUALITY, quality, facts->quality);
    JL_PUT(out, OUT_WARNINGS, warnings,
           ((struct jl_list){ facts->warnings, facts->warning_count }));
    return 0;
}

static const char *const models[] = { "v0.1.1", NULL };

const struct jl_question jl_question_node_facts = {
    .name = "node.facts",
    .summary = "what the agent of v0.1.1 makes of a Node",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
