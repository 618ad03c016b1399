/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What kube-scheduler's own plugins for resources score a node for a pod of one container
 * (docs/rules/placement.md#scores-of-kube-scheduler): its integers, its divisions. Inline: a
 * simulated run asks it of most machines for every pod that waits.
 */

#include <math.h>
#include <stdint.h>

#include "base/number.h"
#include "base/words.h"

enum jl_kube_scoring {
    JL_KUBE_UNKNOWN,
    JL_KUBE_LEAST_ALLOCATED,
    JL_KUBE_DEFAULT, /* LeastAllocated and BalancedAllocation, each with weight 1 */
    JL_KUBE_MOST_ALLOCATED,
};

extern const struct jl_words jl_kube_scoring_words;

#define JL_KUBE_MOST_SCORE 100
/* A container that asks for nothing counts as so much, on the node and as the pod, but in
 * BalancedAllocation. */
#define JL_KUBE_UNSET_MILLICORES 100
#define JL_KUBE_UNSET_MEMORY_BYTES (INT64_C(200) << 20)
#define JL_KUBE_GPU_WEIGHT 5 /* of GPUs in MostAllocated; cpu and memory have 1 */

struct jl_kube_pod { /* what it asks for */
    int64_t millicores;
    int64_t memory_bytes;
    int64_t gpus;
};

struct jl_kube_node {
    struct jl_kube_pod allocatable;
    struct jl_kube_pod requested;
    int64_t counted_millicores; /* requested, with what counts for pods that ask for nothing */
    int64_t counted_memory_bytes;
};

struct jl_kube_score {
    int64_t fit;      /* of NodeResourcesFit, 0 to 100 */
    int64_t balanced; /* of NodeResourcesBalancedAllocation, 0 to 100 */
};

static inline int64_t jl_kube_counted_millicores(int64_t millicores)
{
    return millicores > 0 ? millicores : JL_KUBE_UNSET_MILLICORES;
}

static inline int64_t jl_kube_counted_memory(int64_t memory_bytes)
{
    return memory_bytes > 0 ? memory_bytes : JL_KUBE_UNSET_MEMORY_BYTES;
}

/* Of a resource that the node has; used is with the pod. */
static inline int64_t jl_kube_free_score(int64_t used, int64_t allocatable)
{
    return used <= allocatable ? (allocatable - used) * JL_KUBE_MOST_SCORE / allocatable : 0;
}

static inline int64_t jl_kube_used_score(int64_t used, int64_t allocatable)
{
    return (used < allocatable ? used : allocatable) * JL_KUBE_MOST_SCORE / allocatable;
}

/* The weighted mean of the resources that the node has, as a whole number. */
static inline int64_t jl_kube_least_allocated(const struct jl_kube_pod *pod,
                                              const struct jl_kube_node *node)
{
    const struct jl_kube_pod *of = &node->allocatable;
    int64_t sum = 0;
    int64_t weights = 0;
    if (of->millicores > 0) {
        const int64_t pod_millicores = jl_kube_counted_millicores(pod->millicores);
        sum += jl_kube_free_score(node->counted_millicores + pod_millicores, of->millicores);
        weights++;
    }
    if (of->memory_bytes > 0) {
        const int64_t pod_bytes = jl_kube_counted_memory(pod->memory_bytes);
        sum += jl_kube_free_score(node->counted_memory_bytes + pod_bytes, of->memory_bytes);
        weights++;
    }
    return weights > 0 ? sum / weights : 0;
}

/* GPUs count for a pod that asks for some, on a node that has some. */
static inline int64_t jl_kube_most_allocated(const struct jl_kube_pod *pod,
                                             const struct jl_kube_node *node)
{
    const struct jl_kube_pod *of = &node->allocatable;
    int64_t sum = 0;
    int64_t weights = 0;
    if (of->millicores > 0) {
        const int64_t pod_millicores = jl_kube_counted_millicores(pod->millicores);
        sum += jl_kube_used_score(node->counted_millicores + pod_millicores, of->millicores);
        weights++;
    }
    if (of->memory_bytes > 0) {
        const int64_t pod_bytes = jl_kube_counted_memory(pod->memory_bytes);
        sum += jl_kube_used_score(node->counted_memory_bytes + pod_bytes, of->memory_bytes);
        weights++;
    }
    if (of->gpus > 0 && pod->gpus > 0) {
        sum += JL_KUBE_GPU_WEIGHT * jl_kube_used_score(node->requested.gpus + pod->gpus, of->gpus);
        weights += JL_KUBE_GPU_WEIGHT;
    }
    return weights > 0 ? sum / weights : 0;
}

static inline double jl_kube_fraction(int64_t used, int64_t allocatable)
{
    return jl_min((double)used / (double)allocatable, 1);
}

/* How near the used parts of cpu and memory are to each other. The plugin leaves pods out that ask
 * for neither, which adds 0; with one resource only there is nothing to balance. */
static inline int64_t jl_kube_balanced(const struct jl_kube_pod *pod,
                                       const struct jl_kube_node *node)
{
    const struct jl_kube_pod *of = &node->allocatable;
    if (pod->millicores == 0 && pod->memory_bytes == 0)
        return 0;
    if (of->millicores <= 0 || of->memory_bytes <= 0)
        return JL_KUBE_MOST_SCORE;
    const double cpu =
        jl_kube_fraction(node->requested.millicores + pod->millicores, of->millicores);
    const double memory =
        jl_kube_fraction(node->requested.memory_bytes + pod->memory_bytes, of->memory_bytes);
    const double deviation = fabs((cpu - memory) / 2);
    return (int64_t)((1 - deviation) * JL_KUBE_MOST_SCORE);
}

/* The sum is what the scheduler ranks nodes by; of a plugin that is not asked it has 0. */
static inline struct jl_kube_score jl_kube_score_of(enum jl_kube_scoring scoring,
                                                    const struct jl_kube_pod *pod,
                                                    const struct jl_kube_node *node)
{
    if (scoring == JL_KUBE_MOST_ALLOCATED)
        return (struct jl_kube_score){ .fit = jl_kube_most_allocated(pod, node) };
    return (struct jl_kube_score){
        .fit = jl_kube_least_allocated(pod, node),
        .balanced = scoring == JL_KUBE_DEFAULT ? jl_kube_balanced(pod, node) : 0,
    };
}
