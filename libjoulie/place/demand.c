/* SPDX-License-Identifier: Apache-2.0 */

/* What a pod asks for (docs/rules/placement.md#pod-demand), current; demand_v0_1_1.c has the
 * source's. */

#include <string.h>

#include <joulie/error.h>

#include "base/number.h"
#include "kubernetes/quantity.h"
#include "place/place.h"

#define FALLBACK_CORES_PERFORMANCE 0.5
#define FALLBACK_CORES_OTHER 0.25
#define FALLBACK_CORES_EFFICIENCY 0.1
#define MIG_PREFIX "nvidia.com/mig-"
#define MIG_SLICES_PER_GPU 7.0

static const struct {
    const char *key;
    enum joulie_gpu_vendor vendor;
} gpu_keys[] = {
    { "nvidia.com/gpu", JOULIE_GPU_VENDOR_NVIDIA },
    { "amd.com/gpu", JOULIE_GPU_VENDOR_AMD },
    { "gpu.intel.com/i915", JOULIE_GPU_VENDOR_INTEL },
    { "gpu.intel.com/xe", JOULIE_GPU_VENDOR_INTEL },
};

/* GPUs that one unit of a resource is: 1, a MIG slice's share, or 0 for what is no GPU. */
static double gpu_share(const char *key, enum joulie_gpu_vendor *out_vendor)
{
    for (size_t i = 0; i < JL_COUNT(gpu_keys); i++) {
        if (jl_same(key, gpu_keys[i].key)) {
            *out_vendor = gpu_keys[i].vendor;
            return 1;
        }
    }
    if (!jl_starts_with(key, MIG_PREFIX))
        return 0;
    const char *slices = key + strlen(MIG_PREFIX);
    size_t digits = 0;
    while (jl_is_digit(slices[digits]))
        digits++;
    uint64_t count = 0;
    if (jl_parse_u64(slices, digits, &count) != 0 || slices[digits] != 'g' ||
        slices[digits + 1] != '.')
        return 0;
    *out_vendor = JOULIE_GPU_VENDOR_NVIDIA;
    return (double)count / MIG_SLICES_PER_GPU;
}

/* Where the quantities of a container stand, for the report of a bad one. */
struct reader {
    struct jl_demand_fault *fault;
    const char *list;
    size_t index;
    bool is_overhead; /* quantities stand in the list itself */
};

static void note_fault(const struct reader *reader, int code, const char *part,
                       const struct jl_pair *pair)
{
    struct jl_demand_fault *fault = reader->fault;
    if (fault == NULL || fault->count++ > 0)
        return;
    fault->code = code;
    fault->list = reader->list;
    fault->index = reader->index;
    fault->part = reader->is_overhead ? NULL : part;
    fault->key = pair->key;
    fault->text = pair->value;
}

/* A bad quantity is noted and counts as 0. */
static double read_quantity(const struct reader *reader, const char *part,
                            const struct jl_pair *pair)
{
    struct jl_quantity quantity;
    const char *text = pair->value != NULL ? pair->value : "";
    int code = jl_parse_quantity(text, strlen(text), &quantity);
    if (code == 0 && quantity.nano < 0)
        code = JOULIE_E_RANGE;
    if (code == 0)
        return jl_quantity_to_double(&quantity);
    note_fault(reader, code, part, pair);
    return 0;
}

/* What a container, or the overhead, asks for of the three resources. */
struct amount {
    double cpu;
    double memory;
    double gpus;
    enum joulie_gpu_vendor vendor;
};

static void add_amount(struct amount *sum, const struct amount *part)
{
    sum->cpu += part->cpu;
    sum->memory += part->memory;
    sum->gpus += part->gpus;
}

static void raise_amount(struct amount *highest, const struct amount *part)
{
    highest->cpu = jl_max(highest->cpu, part->cpu);
    highest->memory = jl_max(highest->memory, part->memory);
    highest->gpus = jl_max(highest->gpus, part->gpus);
}

static void add_resource(struct amount *amount, const char *key, double value)
{
    enum joulie_gpu_vendor vendor = JOULIE_GPU_VENDOR_UNKNOWN;
    const double share = gpu_share(key, &vendor);
    if (jl_same(key, "cpu"))
        amount->cpu = value;
    else if (jl_same(key, "memory"))
        amount->memory = value;
    else if (share > 0 && value > 0) {
        amount->gpus += share * value;
        /* with several vendors in one container, the first in the order of the keys, as in the
         * source */
        if (amount->vendor == JOULIE_GPU_VENDOR_UNKNOWN || vendor < amount->vendor)
            amount->vendor = vendor;
    }
}

static bool is_demand(const char *key)
{
    enum joulie_gpu_vendor vendor;
    return jl_same(key, "cpu") || jl_same(key, "memory") || gpu_share(key, &vendor) > 0;
}

static const struct jl_pair *find_pair(const struct jl_map *map, const char *key)
{
    for (size_t i = 0; i < map->count; i++) {
        if (jl_same(map->items[i].key, key))
            return &map->items[i];
    }
    return NULL;
}

/* Per resource the request, else the limit, taking the first above 0. */
static struct amount read_amount(const struct reader *reader, const struct jl_map *requests,
                                 const struct jl_map *limits)
{
    struct amount amount = { 0 };
    for (size_t i = 0; i < requests->count; i++) {
        const struct jl_pair *request = &requests->items[i];
        if (!is_demand(request->key))
            continue;
        const struct jl_pair *limit = find_pair(limits, request->key);
        const double requested = read_quantity(reader, "requests", request);
        const double limited = limit != NULL ? read_quantity(reader, "limits", limit) : 0;
        add_resource(&amount, request->key, requested > 0 ? requested : limited);
    }
    for (size_t i = 0; i < limits->count; i++) {
        const struct jl_pair *limit = &limits->items[i];
        if (is_demand(limit->key) && find_pair(requests, limit->key) == NULL)
            add_resource(&amount, limit->key, read_quantity(reader, "limits", limit));
    }
    return amount;
}

static struct amount container_amount(struct reader *reader, const struct jl_list *list,
                                      size_t index)
{
    const struct jl_container *container = JL_ITEM(*list, jl_container, index);
    reader->index = index;
    return read_amount(reader, &container->resources.requests, &container->resources.limits);
}

static bool is_sidecar(const struct jl_container *container)
{
    return jl_same(container->restart_policy, "Always");
}

/* max(Σ containers + Σ sidecars, max over plain init containers of (its own + Σ sidecars before
 * it)) + overhead. */
static struct amount pod_amount(const struct jl_pod_spec *spec, struct jl_demand_fault *fault)
{
    static const struct jl_map no_limits = { 0 };
    struct reader reader = { .fault = fault, .list = "containers" };
    struct amount running = { 0 };
    enum joulie_gpu_vendor vendor = JOULIE_GPU_VENDOR_UNKNOWN;
    for (size_t i = 0; i < spec->containers.count; i++) {
        const struct amount own = container_amount(&reader, &spec->containers, i);
        add_amount(&running, &own);
        vendor = own.vendor != JOULIE_GPU_VENDOR_UNKNOWN ? own.vendor : vendor;
    }

    struct amount sidecars = { 0 };
    struct amount starting = { 0 };
    enum joulie_gpu_vendor init_vendor = JOULIE_GPU_VENDOR_UNKNOWN;
    reader.list = "initContainers";
    for (size_t i = 0; i < spec->init_containers.count; i++) {
        struct amount own = container_amount(&reader, &spec->init_containers, i);
        init_vendor = own.vendor != JOULIE_GPU_VENDOR_UNKNOWN ? own.vendor : init_vendor;
        if (is_sidecar(JL_ITEM(spec->init_containers, jl_container, i))) {
            add_amount(&sidecars, &own);
        } else {
            add_amount(&own, &sidecars);
            raise_amount(&starting, &own);
        }
    }

    reader = (struct reader){ .fault = fault, .list = "overhead", .is_overhead = true };
    const struct amount overhead = read_amount(&reader, &spec->overhead, &no_limits);
    add_amount(&running, &sidecars);
    raise_amount(&running, &starting);
    add_amount(&running, &overhead);
    running.vendor = vendor != JOULIE_GPU_VENDOR_UNKNOWN ? vendor : init_vendor;
    return running;
}

static void put_demand(const struct amount *amount, struct joulie_work *out)
{
    out->cpu_cores = amount->cpu;
    out->memory_bytes = amount->memory;
    out->gpu_count = amount->gpus;
    out->gpu_vendor = amount->vendor;
}

void jl_pod_request(const struct jl_pod *pod, struct joulie_work *out)
{
    const struct amount amount = pod_amount(&pod->spec, NULL);
    *out = JOULIE_INIT(struct joulie_work);
    put_demand(&amount, out);
}

void jl_node_offer(const struct jl_node *node, struct joulie_work *out)
{
    static const struct jl_map no_limits = { 0 };
    const struct reader reader = { .list = "allocatable" };
    const struct amount amount = read_amount(&reader, &node->status.allocatable, &no_limits);
    *out = JOULIE_INIT(struct joulie_work);
    put_demand(&amount, out);
}

void jl_work_fall_back(struct joulie_work *work, enum joulie_place_rules rules)
{
    if (work->cpu_cores > 0)
        return;
    if (rules == JOULIE_PLACE_RULES_EFFICIENCY)
        work->cpu_cores = FALLBACK_CORES_EFFICIENCY;
    else
        work->cpu_cores = work->workload_class == JOULIE_WORKLOAD_PERFORMANCE
                              ? FALLBACK_CORES_PERFORMANCE
                              : FALLBACK_CORES_OTHER;
}

void jl_work_read_demand(const struct jl_pod *pod, enum joulie_place_rules rules,
                         struct joulie_work *work, struct jl_demand_fault *fault)
{
    if (fault != NULL)
        memset(fault, 0, sizeof *fault);
    if (jl_place_is_ours(rules)) {
        const struct amount amount = pod_amount(&pod->spec, fault);
        put_demand(&amount, work);
    } else {
        jl_demand_v0_1_1(&pod->spec, work);
    }
    jl_work_fall_back(work, rules);
}
