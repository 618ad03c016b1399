/* SPDX-License-Identifier: Apache-2.0 */

/* Rule sets of the twin and the words for them. */

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
