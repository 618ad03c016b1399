/* SPDX-License-Identifier: Apache-2.0 */

/* Facts of a Node's labels and capacity as the agent of v0.1.1 reads them
 * (docs/rules/node-agent.md#hardware-from-labels). hardware.c starts from them. */

#include "remote/labels.h"

#include "base/number.h"
#include "catalog/hardware.h"

#define COUNT_MAX 9007199254740992.0 /* 2^53 */

static const char *const vendor_labels[] = {
    "feature.node.kubernetes.io/cpu-vendor",
    "feature.node.kubernetes.io/cpu-model.vendor_id",
};
static const char *const cpu_model_labels[] = {
    "feature.node.kubernetes.io/cpu-model.name",
    "beta.kubernetes.io/instance-type",
};
static const char *const socket_labels[] = {
    "feature.node.kubernetes.io/cpu-sockets",
    "joulie.io/hw.cpu-sockets",
};

static const char *trimmed(struct jl_arena *arena, const char *text)
{
    const struct jl_text rest = jl_text_trim(jl_text(text));
    return rest.len > 0 ? jl_arena_copy(arena, rest.ptr, rest.len) : "";
}

static const char *normal_vendor(const char *vendor)
{
    const struct jl_text text = jl_text(vendor);
    if (jl_same_nocase(text, "AMD") || jl_same_nocase(text, "AuthenticAMD"))
        return "AuthenticAMD";
    if (jl_same_nocase(text, "Intel") || jl_same_nocase(text, "GenuineIntel"))
        return "GenuineIntel";
    return vendor;
}

/* A count stays exact in the double that readers of the object make of it. */
static int64_t count_of(double value)
{
    return (int64_t)jl_min(value, COUNT_MAX);
}

const char *jl_label_exactness(bool has_key, bool has_text)
{
    if (has_key)
        return "exact";
    return has_text ? "proxy" : "generic";
}

const char *jl_label_quality(bool is_exact, bool has_text)
{
    if (is_exact)
        return "exact";
    return has_text ? "heuristic" : "unavailable";
}

static void warn(struct jl_label_facts *facts)
{
    if (facts->cpu_raw_model[0] != '\0' && facts->cpu_model[0] == '\0')
        facts->warnings[facts->warning_count++] = "cpu model not recognized";
    if (facts->gpu_count > 0 && facts->gpu_raw_model[0] != '\0' && facts->gpu_model[0] == '\0')
        facts->warnings[facts->warning_count++] = "gpu model not recognized";
}

int jl_label_facts_v0_1_1(const struct jl_node *node, struct jl_arena *arena,
                          struct jl_label_facts *out)
{
    struct jl_label_facts facts = {
        .cpu_vendor = trimmed(arena, jl_first_label(node, vendor_labels, JL_COUNT(vendor_labels))),
        .cpu_raw_model =
            trimmed(arena, jl_first_label(node, cpu_model_labels, JL_COUNT(cpu_model_labels))),
        .sockets = count_of(jl_label_count(node, socket_labels, JL_COUNT(socket_labels))),
        .total_cores = count_of(jl_whole_quantity(jl_map_get(&node->status.capacity, "cpu"))),
        .gpu_count = count_of(jl_node_allocatable_gpus(node)),
        .gpu_raw_model = trimmed(arena, jl_gpu_product(node, NULL)),
    };
    if (facts.cpu_vendor == NULL || facts.cpu_raw_model == NULL || facts.gpu_raw_model == NULL)
        return jl_arena_code(arena);

    const struct jl_cpu_model *cpu = jl_catalog_cpu(facts.cpu_raw_model);
    const struct jl_gpu_model *gpu = jl_catalog_gpu(facts.gpu_raw_model);
    facts.cpu_vendor = normal_vendor(facts.cpu_vendor);
    facts.cpu_model = cpu != NULL ? cpu->key : "";
    facts.gpu_model = gpu != NULL ? gpu->key : "";
    if (facts.sockets > 0)
        facts.cores_per_socket = facts.total_cores / facts.sockets;
    const bool has_cpu_text = facts.cpu_raw_model[0] != '\0';
    const bool has_gpu_text = facts.gpu_raw_model[0] != '\0';
    facts.cpu_exactness = jl_label_exactness(cpu != NULL, has_cpu_text);
    facts.gpu_exactness = jl_label_exactness(gpu != NULL, has_gpu_text);
    facts.quality = jl_label_quality(cpu != NULL && (facts.gpu_count == 0 || gpu != NULL),
                                     has_cpu_text || has_gpu_text);
    warn(&facts);
    *out = facts;
    return 0;
}
