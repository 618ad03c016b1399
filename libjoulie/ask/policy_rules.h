/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the questions about policies share: their rule sets, and the checks of their settings. */

#include "ask/ask.h"
#include "policy/policy.h"

static inline enum jl_policy_rules jl_ask_policy_rules(const struct jl_ask *ask)
{
    if (jl_is_model(ask, "v0.1.1"))
        return JL_POLICY_V0_1_1;
    return jl_is_model(ask, "v0.0.2") ? JL_POLICY_V0_0_2 : JL_POLICY_CURRENT;
}

/* Gives the defaults and refuses what this build cannot plan with. Returns 0 or a code at
 * policy.type. */
int jl_ask_policy(struct jl_ask *ask, const struct jl_policy_config *given,
                  struct jl_policy_config *out);
