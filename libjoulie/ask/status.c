/* SPDX-License-Identifier: Apache-2.0 */

/* status: a cluster at one look (docs/rules/questions.md#status). */

#include "ask/ask.h"
#include "base/error.h"
#include "base/number.h"
#define JL_OVERVIEW_TABLES
#include "cluster/overview.h"

#define MS_PER_S 1000
#define LONGEST_MS 1e15

#define RECORD status_in
#define MEMBERS                                                                                \
    LIST(nodes, "nodes", jl_node, "Nodes.")                                                    \
    LIST(twins, "twins", jl_node_twin, "NodeTwins; each is a row of the answer.", REQUIRED)    \
    LIST(pods, "pods", jl_pod, "Pods.")                                                        \
    LIST(agents, "agents", jl_overview_agent, "Agents, by their Leases.")                      \
    STRING(agent_selector, "agentSelector",                                                    \
           "Label selector of the pods of the agents' DaemonSet.")                             \
    STRING(agent_namespace, "agentNamespace", "Namespace of these pods (joulie-system).")      \
    NUMBER(staleness_s, "stalenessS", "Age at which a twin is no longer fresh, s (300).",      \
           NOT_NEGATIVE)                                                                       \
    NUMBER(max_age_s, "maxAgeS", "The same while the operator beats, s (3600).", NOT_NEGATIVE) \
    TIME(heartbeat_ms, "heartbeat", "Last heartbeat of the operator.")                         \
    TIME(now_ms, "now", "Instant of the look; without it there are no ages.")
#include "schema/record.h"

#define RECORD status_out
#define MEMBERS                                                            \
    OBJECT(summary, "summary", jl_overview_summary, "The nodes together.") \
    LIST(nodes, "nodes", jl_overview_node, "The nodes, by name.")
#include "schema/record.h"

static int64_t ms_of(double seconds)
{
    return (int64_t)jl_min(jl_round_half_away(seconds * MS_PER_S), LONGEST_MS);
}

static int answer_status(struct jl_ask *ask, const struct status_in *input,
                         struct status_out *result)
{
    struct jl_overview overview;
    const struct jl_text selector = jl_text(JL_GIVEN_OR(input, agent_selector, JL_AGENT_SELECTOR));
    struct jl_overview_input given = {
        .nodes = &input->nodes,
        .twins = &input->twins,
        .pods = &input->pods,
        .agents = &input->agents,
        .freshness = {
            .staleness_ms = input->given.staleness_s ? ms_of(input->staleness_s)
                                                        : JL_TWIN_STALENESS_MS,
            .max_age_ms = input->given.max_age_s ? ms_of(input->max_age_s)
                                                    : JL_TWIN_MAX_AGE_MS,
            .has_heartbeat = input->given.heartbeat_ms,
            .heartbeat_ms = input->heartbeat_ms,
        },
        .has_now = input->given.now_ms,
        .now_ms = input->now_ms,
        .rule.name_space = JL_GIVEN_OR(input, agent_namespace, JL_AGENT_NAMESPACE),
    };
    const int rc = jl_parse_selector(ask->arena, selector.ptr, selector.len, &given.rule.selector);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(ask->err);
    if (rc < 0)
        return jl_fail(ask->err, rc, "agentSelector", "not a label selector");
    if (jl_overview_make(&given, ask->arena, &overview) < 0)
        return jl_fail_memory(ask->err);
    JL_SET(result, summary, overview.summary);
    JL_SET(result, nodes, ((struct jl_list){ overview.nodes, overview.count }));
    return 0;
}

JL_QUESTION(status, "status",
            "a cluster at one look: class, scores, caps, load and age of every node");
