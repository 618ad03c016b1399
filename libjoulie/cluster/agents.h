/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Whether agents are alive, by their pods (docs/rules/twin.md#silent-agents). */

#include "kinds/pod.h"
#include "kubernetes/selector.h"

#define JL_AGENT_SELECTOR "app.kubernetes.io/name=joulie,app.kubernetes.io/component=agent"
#define JL_AGENT_NAMESPACE "joulie-system"

struct jl_agent_rule {
    const struct jl_selector *selector;
    const char *name_space;
};

enum jl_agent_pod {
    JL_AGENT_POD_NONE, /* it is no agent's, or of no node */
    JL_AGENT_POD_AWAY,
    JL_AGENT_POD_READY,
};

enum jl_agent_pod jl_agent_pod_of(const struct jl_agent_rule *rule, const struct jl_pod *pod);
