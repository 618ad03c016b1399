/* SPDX-License-Identifier: Apache-2.0 */

/*
 * node.facts: what the agent of v0.1.1 makes of a Node
 * (docs/rules/node-agent.md#hardware-from-labels).
 */

#include "ask/ask.h"
#include "base/error.h"
#include "node/labels.h"

#define RECORD facts_in
#define MEMBERS OBJECT(node, "node", jl_node, "The Node: labels, capacity, allocatable.", REQUIRED)
#include "schema/record.h"

#define RECORD facts_cpu
#define MEMBERS                                                                     \
    STRING(vendor, "vendor", "AuthenticAMD, GenuineIntel, or what the label says.") \
    STRING(raw_model, "rawModel", "Text of the label.")                             \
    STRING(model, "model", "Catalog key.")                                          \
    INTEGER(sockets, "sockets", "Sockets; 0 = unknown.")                            \
    INTEGER(total_cores, "totalCores", "Logical CPUs; 0 = unknown.")                \
    INTEGER(cores_per_socket, "coresPerSocket", "Logical CPUs of a socket; 0 = unknown.")
#include "schema/record.h"

#define RECORD facts_gpu
#define MEMBERS                                         \
    INTEGER(count, "count", "Allocatable GPUs.")        \
    STRING(raw_model, "rawModel", "Text of the label.") \
    STRING(model, "model", "Catalog key.")
#include "schema/record.h"

#define RECORD facts_exactness
#define MEMBERS                                                \
    STRING(cpu, "cpu", "exact, proxy or generic, of the CPU.") \
    STRING(gpu, "gpu", "exact, proxy or generic, of the GPUs.")
#include "schema/record.h"

#define RECORD facts_out
#define MEMBERS                                                                         \
    OBJECT(cpu, "cpu", facts_cpu, "What is known of the CPUs.")                         \
    OBJECT(gpu, "gpu", facts_gpu, "What is known of the GPUs.")                         \
    OBJECT(exactness, "exactness", facts_exactness, "How well the catalog knows them.") \
    STRING(quality, "quality", "exact, heuristic or unavailable.")                      \
    STRINGS(warnings, "warnings", "What was not recognized.")
#include "schema/record.h"

static void put_cpu(const struct jl_label_facts *facts, struct facts_cpu *out)
{
    JL_SET(out, vendor, facts->cpu_vendor);
    JL_SET(out, raw_model, facts->cpu_raw_model);
    JL_SET(out, model, facts->cpu_model);
    JL_SET(out, sockets, facts->sockets);
    JL_SET(out, total_cores, facts->total_cores);
    JL_SET(out, cores_per_socket, facts->cores_per_socket);
}

static void put_gpu(const struct jl_label_facts *facts, struct facts_gpu *out)
{
    JL_SET(out, count, facts->gpu_count);
    JL_SET(out, raw_model, facts->gpu_raw_model);
    JL_SET(out, model, facts->gpu_model);
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
    JL_SET(&out->exactness, cpu, facts->cpu_exactness);
    JL_SET(&out->exactness, gpu, facts->gpu_exactness);
    out->given.cpu = true;
    out->given.gpu = true;
    out->given.exactness = true;
    JL_SET(out, quality, facts->quality);
    JL_SET(out, warnings, ((struct jl_list){ facts->warnings, facts->warning_count }));
    return 0;
}

static const char *const models[] = { "v0.1.1", NULL };

const struct jl_question jl_question_node_facts = {
    .name = "node.facts",
    .summary = "what the agent of v0.1.1 makes of a Node",
    .in = &facts_in_table,
    .out = &facts_out_table,
    .models = models,
    .answer = answer,
};
