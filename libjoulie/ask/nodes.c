/* SPDX-License-Identifier: Apache-2.0 */

/*
 * node.facts, node.hardware and shard.owner: what an agent makes of Node objects
 * (docs/rules/node-agent.md).
 */

#include "ask/ask.h"
#include "base/error.h"
#include "remote/labels.h"
#include "remote/shard.h"

/*
 * node.facts: what the agent of v0.1.1 makes of a Node
 * (docs/rules/node-agent.md#hardware-from-labels).
 */

#define RECORD node_facts_in
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

#define RECORD node_facts_out
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

static int answer_node_facts(struct jl_ask *ask, const struct node_facts_in *in,
                             struct node_facts_out *out)
{
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

JL_QUESTION(node_facts, "node.facts", "what the agent of v0.1.1 makes of a Node",
            JL_MODELS("v0.1.1"));

/*
 * node.hardware: the NodeHardware of a node that nobody can look into
 * (docs/rules/node-agent.md#hardware-from-labels).
 */

#define RECORD node_hardware_in
#define MEMBERS                                                                               \
    OBJECT(node, "node", jl_node, "The Node: name, labels, capacity, allocatable.", REQUIRED) \
    TIME(now_ms, "now", "Instant of the look.", REQUIRED)                                     \
    BOOLEAN(cpu_control, "cpuControl", "Whether its CPU power can be capped.")                \
    BOOLEAN(cpu_telemetry, "cpuTelemetry", "Whether its CPU power can be read.")              \
    BOOLEAN(gpu_control, "gpuControl", "Whether its GPU power can be capped.")                \
    BOOLEAN(gpu_telemetry, "gpuTelemetry", "Whether its GPU power can be read.")
#include "schema/record.h"

#define RECORD node_hardware_out
#define MEMBERS OBJECT(hardware, "hardware", jl_node_hardware, "The object.")
#include "schema/record.h"

static int answer_node_hardware(struct jl_ask *ask, const struct node_hardware_in *in,
                                struct node_hardware_out *out)
{
    const struct joulie_remote_can can = { sizeof can, in->cpu_control, in->cpu_telemetry,
                                           in->gpu_control, in->gpu_telemetry };
    const int rc = jl_remote_hardware(&in->node, &can, in->now_ms, ask->arena, &out->hardware);
    if (rc == JOULIE_E_REQUIRED)
        return jl_ask_fail(ask, rc, "node.metadata.name", "a node has a name");
    if (rc < 0)
        return jl_fail_memory(ask->err);
    out->given.hardware = true;
    return 0;
}

JL_QUESTION(node_hardware, "node.hardware",
            "NodeHardware of a node from its labels, capacity and the catalog");

/* shard.owner: which process of a pool drives a node (docs/rules/node-agent.md#shards). */

#define RECORD shard_owner_in
#define MEMBERS                                                                \
    STRING(name, "name", "Name of the node.", REQUIRED)                        \
    INTEGER(shards, "shards", "Processes of the pool.", REQUIRED, AT_LEAST(1)) \
    STRING(pool_shard_id, "poolShardId", "POOL_SHARD_ID of this process.")     \
    STRING(pod_name, "podName", "POD_NAME of this process; its last number is the second choice.")
#include "schema/record.h"

#define RECORD shard_owner_out
#define MEMBERS                                            \
    INTEGER(hash, "hash", "FNV-1a of the name, 32 bits.")  \
    INTEGER(shard, "shard", "Shard that drives the node.") \
    INTEGER(shard_id, "shardId", "Shard of this process.") \
    BOOLEAN(owns, "owns", "Whether this process drives it.")
#include "schema/record.h"

static int answer_shard_owner(struct jl_ask *ask, const struct shard_owner_in *in,
                              struct shard_owner_out *out)
{
    struct jl_shard_id id;
    const int rc = jl_shard_id(in->pool_shard_id, in->pod_name, in->shards, &id);
    if (rc < 0)
        return jl_ask_fail(ask, rc, id.is_set ? "poolShardId" : "podName", "%s",
                           jl_shard_problem(rc));
    JL_SET(out, hash, jl_shard_hash(in->name));
    JL_SET(out, shard, jl_shard_of(in->name, in->shards));
    JL_SET(out, shard_id, id.id);
    JL_SET(out, owns, jl_shard_owns(in->name, in->shards, id.id));
    return 0;
}

JL_QUESTION(shard_owner, "shard.owner", "which process of a pool drives a node");
