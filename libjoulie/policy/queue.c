/* SPDX-License-Identifier: Apache-2.0 */

/* Which nodes run at full power by queue_aware_v1 (docs/rules/policy.md#queue_aware_v1): those
 * whose work needs it, those on which work that waits for it has room, and a floor. */

#include "base/number.h"
#include "policy/policy.h"

struct reservations {
    const struct jl_plan_input *in;
    struct jl_plan_choice *out;
    int64_t taken; /* performance nodes */
};

static void take(struct reservations *plan, size_t i, enum jl_plan_reason reason)
{
    if (plan->out[i].profile == JOULIE_PROFILE_PERFORMANCE)
        return;
    plan->out[i] = (struct jl_plan_choice){ JOULIE_PROFILE_PERFORMANCE, reason };
    plan->taken++;
}

/* A node that has work which needs it is never emptied. */
static void take_working(struct reservations *plan)
{
    for (size_t i = 0; i < plan->in->count; i++) {
        plan->out[i] = (struct jl_plan_choice){ JOULIE_PROFILE_ECO, JL_PLAN_REST };
        if (plan->in->nodes[i].has_blocker)
            take(plan, i, JL_PLAN_WORKING);
    }
}

static void take_floor(struct reservations *plan, int64_t wanted)
{
    for (size_t i = 0; i < plan->in->count && plan->taken < wanted; i++)
        take(plan, i, JL_PLAN_RANK);
}

static bool is_performance(const void *user, size_t i)
{
    const struct reservations *plan = user;
    return plan->out[i].profile == JOULIE_PROFILE_PERFORMANCE ||
           plan->in->nodes[i].current == JOULIE_PROFILE_PERFORMANCE;
}

static bool is_other(const void *user, size_t i)
{
    return !is_performance(user, i);
}

/* Room on a node that is performance comes before the cheapest one that could become so; a pod that
 * has room nowhere would wait in any case. */
static void reserve(struct reservations *plan)
{
    const struct jl_plan_input *in = plan->in;
    for (size_t i = 0; i < in->waiting_count; i++) {
        const struct jl_waiting_pod *pod = &in->waiting[i];
        enum jl_plan_reason reason = JL_PLAN_RESERVED;
        size_t best = jl_cheapest_room(pod, in->rooms, in->count, is_performance, plan);
        if (best == in->count) {
            reason = JL_PLAN_PROMOTED;
            best = jl_cheapest_room(pod, in->rooms, in->count, is_other, plan);
        }
        if (best == in->count)
            continue;
        jl_room_take(&in->rooms[best], &pod->load);
        take(plan, best, reason);
    }
}

/* Of the nodes that are performance and that nothing needs, the densest stay until the delay is
 * over. */
static void keep(struct reservations *plan, int64_t hp)
{
    for (size_t i = 0; i < plan->in->count && plan->taken < hp; i++) {
        if (plan->in->nodes[i].current == JOULIE_PROFILE_PERFORMANCE)
            take(plan, i, JL_PLAN_KEPT);
    }
}

int64_t jl_for_waiting(const struct jl_plan_input *in, int64_t wanted, struct jl_plan_state *state,
                       struct jl_plan_choice *out, void *scratch)
{
    if (in->rules != JL_POLICY_CURRENT)
        return jl_densest(in, wanted, state, out, scratch);
    struct reservations plan = { .in = in, .out = out };
    const bool is_first = !state->is_set;
    take_working(&plan);
    take_floor(&plan, wanted);
    reserve(&plan);
    const int64_t hp = jl_hysteresis_step(state, plan.taken, in->now_ms,
                                          jl_seconds_ms(in->config->queue_scale_down_delay_s));
    if (!is_first)
        keep(&plan, hp);
    state->hp = plan.taken;
    if (!is_first)
        jl_keep_recent(in, out);
    return plan.taken;
}
