/* SPDX-License-Identifier: Apache-2.0 */

/* Rule sets of the twin and the words for them, and the class that a node is published with
 * (docs/rules/twin.md#class). */

#include "twin/twin.h"

enum joulie_twin_rules jl_twin_rules(const char *model)
{
    if (jl_same(model, "v0.1.1"))
        return JOULIE_TWIN_RULES_V0_1_1;
    if (jl_same(model, "v0.1.0"))
        return JOULIE_TWIN_RULES_V0_1_0;
    return JOULIE_TWIN_RULES_CURRENT;
}

bool jl_twin_rules_are_current(enum joulie_twin_rules rules)
{
    return rules != JOULIE_TWIN_RULES_V0_1_1 && rules != JOULIE_TWIN_RULES_V0_1_0;
}

enum jl_hardware_rules jl_twin_hardware_rules(enum joulie_twin_rules rules)
{
    switch (rules) {
    case JOULIE_TWIN_RULES_V0_1_1:
        return JL_HARDWARE_V0_1_1;
    case JOULIE_TWIN_RULES_V0_1_0:
        return JL_HARDWARE_V0_1_0;
    case JOULIE_TWIN_RULES_UNKNOWN:
    case JOULIE_TWIN_RULES_CURRENT:
        break;
    }
    return JL_HARDWARE_CURRENT;
}

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
