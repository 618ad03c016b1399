/* SPDX-License-Identifier: Apache-2.0 */

/* score.kube: kube-scheduler's own score of a node
 * (docs/rules/placement.md#scores-of-kube-scheduler). */

#include "ask/ask.h"
#include "place/kube.h"

#define LARGEST INT64_C(4503599627370496) /* 2^52: percents and sums stay in 64 bits */

#define RECORD kube_amount
#define MEMBERS                                                                          \
    INTEGER(millicores, "cpuMillicores", "Thousandths of a core.", BETWEEN(0, LARGEST))  \
    INTEGER(memory_bytes, "memoryBytes", "Bytes of memory.", BETWEEN(0, LARGEST))        \
    INTEGER(gpus, "gpus", "GPUs of one vendor, those that the pod asks for if it does.", \
            BETWEEN(0, LARGEST))
#include "schema/record.h"

#define RECORD score_kube_in
#define MEMBERS                                                                                \
    ENUM(scoring, "scoring", jl_kube_scoring, jl_kube_scoring_words,                           \
         "least-allocated, kube (with BalancedAllocation) or most-allocated.", REQUIRED)       \
    OBJECT(allocatable, "allocatable", kube_amount, "What the node has.", REQUIRED)            \
    LIST(running, "running", kube_amount, "What each pod on it asks for, one container each.") \
    OBJECT(pod, "pod", kube_amount, "What the pod asks for, in one container.", REQUIRED)
#include "schema/record.h"

#define RECORD score_kube_out
#define MEMBERS                                                                                   \
    INTEGER(fit, "fit", "Score of NodeResourcesFit, 0 to 100.")                                   \
    INTEGER(balanced, "balanced", "Score of NodeResourcesBalancedAllocation, 0 to 100; of kube.") \
    INTEGER(total, "total", "What nodes are ranked by.")
#include "schema/record.h"

static struct jl_kube_pod amount_of(const struct kube_amount *given)
{
    return (struct jl_kube_pod){ given->millicores, given->memory_bytes, given->gpus };
}

/* False: the sum does not fit. */
static bool add_pod(struct jl_kube_node *node, const struct jl_kube_pod *pod)
{
    node->requested.millicores += pod->millicores;
    node->requested.memory_bytes += pod->memory_bytes;
    node->requested.gpus += pod->gpus;
    node->counted_millicores += jl_kube_counted_millicores(pod->millicores);
    node->counted_memory_bytes += jl_kube_counted_memory(pod->memory_bytes);
    return node->counted_millicores <= LARGEST && node->counted_memory_bytes <= LARGEST &&
           node->requested.gpus <= LARGEST;
}

static int answer_score_kube(struct jl_ask *ask, const struct score_kube_in *input,
                             struct score_kube_out *result)
{
    const struct jl_kube_pod pod = amount_of(&input->pod);
    struct jl_kube_node node = { .allocatable = amount_of(&input->allocatable) };
    for (size_t i = 0; i < input->running.count; i++) {
        const struct jl_kube_pod running = amount_of(JL_ITEM(input->running, kube_amount, i));
        if (!add_pod(&node, &running))
            return jl_ask_fail(ask, JOULIE_E_RANGE, jl_ask_path(ask, "running[%zu]", i),
                               "the pods up to this one ask for more than 2^52");
    }
    const struct jl_kube_score score = jl_kube_score_of(input->scoring, &pod, &node);
    JL_SET(result, fit, score.fit);
    JL_SET_IF(result, balanced, input->scoring == JL_KUBE_DEFAULT, score.balanced);
    JL_SET(result, total, score.fit + score.balanced);
    return 0;
}

JL_QUESTION(score_kube, "score.kube", "Score a node for a pod as kube-scheduler's plugins do");
