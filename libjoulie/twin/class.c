/* SPDX-License-Identifier: Apache-2.0 */

/* The class that a node is published with (docs/rules/twin.md#class). Called by compose.c and by
 * the cluster model. */

#include "twin/twin.h"

enum joulie_node_class jl_twin_class(enum joulie_profile profile, bool is_draining)
{
    if (is_draining)
        return JOULIE_NODE_CLASS_DRAINING;
    switch (profile) {
    case JOULIE_PROFILE_ECO:
        return JOULIE_NODE_CLASS_ECO;
    case JOULIE_PROFILE_PERFORMANCE:
        return JOULIE_NODE_CLASS_PERFORMANCE;
    case JOULIE_PROFILE_UNKNOWN:
        break;
    }
    return JOULIE_NODE_CLASS_WORD_UNKNOWN;
}
