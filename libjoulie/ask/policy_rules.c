/* SPDX-License-Identifier: Apache-2.0 */

/* The policy of a question, with its defaults (docs/rules/policy.md#settings). */

#include "ask/policy_rules.h"

int jl_ask_policy(struct jl_ask *ask, const struct jl_policy_config *given,
                  struct jl_policy_config *out)
{
    *out = *given;
    jl_policy_defaults(out);
    if (out->type == JL_POLICY_TYPE_UNKNOWN) /* only unchecked input comes so far */
        return jl_ask_fail(ask, JOULIE_E_ENUM, "policy.type", "not a policy of this library");
    if (jl_policy_of(out->type) == NULL)
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "policy.type",
                           "this build cannot split a power budget");
    return 0;
}
