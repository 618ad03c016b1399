/* SPDX-License-Identifier: Apache-2.0 */

/* Which nodes a performance pod may not use (joulie-scheduler.md §3.5, §4). */

#include "place/place.h"

static bool is_eco_class(const struct jl_place_node *node)
{
    return node->class_ == JL_CLASS_ECO || node->class_ == JL_CLASS_DRAINING;
}

static enum jl_place_reject by_label(const struct jl_place_config *config,
                                     const struct jl_place_node *node)
{
    if (node->label == JL_PLACE_LABEL_ECO)
        return JL_PLACE_REJECT_LABEL;
    if (node->label == JL_PLACE_LABEL_UNKNOWN && config->fail_policy == JL_FAIL_CLOSED)
        return JL_PLACE_REJECT_NO_DATA;
    return JL_PLACE_PASS;
}

enum jl_place_reject jl_place_filter(const struct jl_place_config *config,
                                     const struct jl_pod_view *pod,
                                     const struct jl_place_node *node, int64_t now_ms)
{
    if (pod->class_ != JL_POD_PERFORMANCE)
        return JL_PLACE_PASS;
    if (JL_HAS(node, JL_PLACE_CLASS) && JL_HAS(node, JL_PLACE_UPDATED)) {
        if (jl_update_is_fresh(node->updated_ms, &config->freshness, now_ms))
            return is_eco_class(node) ? JL_PLACE_REJECT_CLASS : JL_PLACE_PASS;
        if (is_eco_class(node) && now_ms - node->updated_ms <= config->stale_grace_ms)
            return JL_PLACE_REJECT_CLASS;
    }
    return by_label(config, node);
}

const char *jl_place_reject_text(enum jl_place_reject reject)
{
    switch (reject) {
    case JL_PLACE_REJECT_CLASS:
        return "joulie: performance pod rejected from eco/draining node";
    case JL_PLACE_REJECT_LABEL:
        return "joulie: performance pod rejected from eco node (label fallback)";
    case JL_PLACE_REJECT_NO_DATA:
        return "joulie: no data for node";
    case JL_PLACE_PASS:
        break;
    }
    return NULL;
}
