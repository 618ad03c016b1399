/* SPDX-License-Identifier: Apache-2.0 */

/* Tiers out of priorities (docs/rules/threads.md#tiers). */

#include "threads/tier.h"

#include "kubernetes/quantity.h"

#define SYSTEM_PRIORITY INT64_C(2000000000) /* from here on only Kubernetes' own classes */

void jl_tier_defaults(struct jl_tier_config *out)
{
    *out = (struct jl_tier_config){
        .critical_min = 1000000,
        .high_min = 100000,
        .normal_min = 0,
        .low_min = -100,
        .system = JL_TIER_HIGH,
    };
}

int jl_tier_check(const struct jl_tier_config *config)
{
    const bool falls = config->critical_min > config->high_min &&
                       config->high_min > config->normal_min &&
                       config->normal_min > config->low_min;
    return falls ? 0 : JOULIE_E_RANGE;
}

/* ---- QoS class, where the status has none ---- */

static const char *const qos_resources[] = { "cpu", "memory" };

static bool read_amount(const struct jl_map *amounts, const char *resource, struct jl_quantity *out)
{
    const char *text = jl_map_get(amounts, resource);
    return text != NULL && jl_parse_quantity(text, jl_text(text).len, out) == 0;
}

struct qos_facts {
    bool is_guaranteed; /* so far */
    bool asks;          /* for anything */
};

static void look_at(const struct jl_list *containers, struct qos_facts *facts)
{
    for (size_t i = 0; i < containers->count; i++) {
        const struct jl_container *container = JL_ITEM(*containers, jl_container, i);
        for (size_t k = 0; k < JL_COUNT(qos_resources); k++) {
            struct jl_quantity request;
            struct jl_quantity limit;
            const bool has_limit =
                read_amount(&container->resources.limits, qos_resources[k], &limit);
            const bool has_request =
                read_amount(&container->resources.requests, qos_resources[k], &request);
            const double amount = has_limit ? jl_quantity_to_double(&limit) : 0;
            facts->asks =
                facts->asks || amount > 0 || (has_request && jl_quantity_to_double(&request) > 0);
            /* a request that is not given is the limit */
            if (!(amount > 0) || (has_request && jl_quantity_to_double(&request) != amount))
                facts->is_guaranteed = false;
        }
    }
}

enum jl_qos_class jl_pod_qos(const struct jl_pod *pod)
{
    const enum jl_qos_class given =
        (enum jl_qos_class)jl_word_value(&jl_qos_class_words, jl_text(pod->status.qos_class));
    if (given != JL_QOS_UNKNOWN)
        return given;
    struct qos_facts facts = { .is_guaranteed = pod->spec.containers.count > 0 };
    look_at(&pod->spec.containers, &facts);
    look_at(&pod->spec.init_containers, &facts);
    if (facts.is_guaranteed)
        return JL_QOS_GUARANTEED;
    return facts.asks ? JL_QOS_BURSTABLE : JL_QOS_BEST_EFFORT;
}

/* ---- tier ---- */

enum jl_tier jl_pod_tier(const struct jl_pod *pod, const struct jl_tier_config *config)
{
    const int64_t priority = pod->spec.priority;
    if (jl_is_empty(pod->spec.priority_class) && priority == 0) /* nobody gave it one */
        return jl_pod_qos(pod) == JL_QOS_BEST_EFFORT ? JL_TIER_BACKGROUND : JL_TIER_NORMAL;
    if (priority >= SYSTEM_PRIORITY)
        return config->system;
    if (priority >= config->critical_min)
        return JL_TIER_CRITICAL;
    if (priority >= config->high_min)
        return JL_TIER_HIGH;
    if (priority >= config->normal_min)
        return JL_TIER_NORMAL;
    return priority >= config->low_min ? JL_TIER_LOW : JL_TIER_BACKGROUND;
}
