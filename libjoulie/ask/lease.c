/* SPDX-License-Identifier: Apache-2.0 */

/* lease.step: what a participant of a leader election does with the Lease
 * (docs/rules/kubernetes-watch.md#leader-election). */

#include "kubernetes/lease.h"

#include "ask/ask.h"

#define DURATION_S 15
#define DEADLINE_S 10.0
#define PERIOD_S 2.0

#define RECORD lease_spec
#define MEMBERS                                                                               \
    STRING(holder, "holderIdentity", "Who holds it; empty: nobody.")                          \
    INTEGER(duration_s, "leaseDurationSeconds", "For so long a renewal counts, s.")           \
    INTEGER(transitions, "leaseTransitions", "How often it went from one holder to another.") \
    STRING(acquired, "acquireTime", "When its holder took it.")                               \
    STRING(renewed, "renewTime", "When its holder renewed it; only whether it changed counts.")
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

#define RECORD lease_seen
#define MEMBERS                                                            \
    OBJECT(record, "record", lease_spec, "The Lease as it was.", REQUIRED) \
    NUMBER(at_s, "atS", "Since when it was seen so, s of the own clock.", REQUIRED)
#include "schema/record.h"

#define RECORD lease_config
#define MEMBERS                                                                                 \
    INTEGER(duration_s, "leaseDurationS", "What is written for others to wait, s; default 15.") \
    NUMBER(deadline_s, "renewDeadlineS",                                                        \
           "A leader gives up so long after its last renewal, s; default 10.")                  \
    NUMBER(period_s, "retryPeriodS", "Time from try to try, s; default 2.")
#include "schema/record.h"

#define RECORD lease_step_in
#define MEMBERS                                                                         \
    STRING(me, "me", "Identity of this participant.", REQUIRED)                         \
    STRING(now, "now", "Wall time, a MicroTime: it is only written.", REQUIRED)         \
    NUMBER(monotonic_s, "monotonicS", "Time of a clock that nobody sets, s.", REQUIRED) \
    OBJECT(observed, "observed", lease_seen, "What was seen before.")                   \
    OBJECT(lease, "lease", lease_spec,                                                  \
           "The Lease as it was read now; absent: not read, or "                        \
           "there is none.")                                                            \
    BOOLEAN(release, "release", "Whether it is to be given back.")                      \
    OBJECT(config, "config", lease_config, "Settings of this participant.")
#include "schema/record.h"

static const struct jl_words action_words = JL_WORDS({
    { JL_LEASE_WAIT, "wait" },
    { JL_LEASE_CREATE, "create" },
    { JL_LEASE_TAKE, "take" },
    { JL_LEASE_RENEW, "renew" },
    { JL_LEASE_RELEASE, "release" },
});

#define RECORD lease_step_out
#define MEMBERS                                                                                  \
    ENUM(action, "action", jl_lease_action, action_words,                                        \
         "wait, create the Lease, take it from a holder that is gone, renew it, or release it.") \
    BOOLEAN(use_cached, "useCached",                                                             \
            "Whether it is written over the version that was seen (renew).")                     \
    NUMBER(observed_at_s, "observedAtS", "Since when the Lease is what it is (wait), s.")        \
    OBJECT(lease, "lease", lease_spec, "What is written; absent: nothing.")
#include "schema/record.h"

static struct jl_lease_spec spec_of(const struct lease_spec *in)
{
    return (struct jl_lease_spec){ .holder = in->holder,
                                   .duration_s = in->duration_s,
                                   .transitions = in->transitions,
                                   .acquired = in->acquired,
                                   .renewed = in->renewed };
}

static void put_spec(const struct jl_lease_spec *spec, struct lease_step_out *out)
{
    struct lease_spec *to = &out->lease;
    out->given.lease = true;
    JL_SET(to, holder, spec->holder);
    JL_SET(to, duration_s, spec->duration_s);
    JL_SET(to, transitions, spec->transitions);
    JL_SET(to, acquired, spec->acquired);
    JL_SET(to, renewed, spec->renewed);
}

static int check(struct jl_ask *ask, const struct lease_step_in *in,
                 const struct jl_lease_times *times)
{
    if (jl_is_empty(in->me))
        return jl_ask_fail(ask, JOULIE_E_RANGE, "me", "an identity is not empty");
    switch (jl_lease_check(times)) {
    case JL_LEASE_BAD_DURATION:
        return jl_ask_fail(ask, JOULIE_E_RANGE, "config.leaseDurationS",
                           "it is at least 1 and above renewDeadlineS");
    case JL_LEASE_BAD_DEADLINE:
        return jl_ask_fail(ask, JOULIE_E_RANGE, "config.renewDeadlineS",
                           "it is at least 1 and above 1.2 retryPeriodS");
    case JL_LEASE_BAD_PERIOD:
        return jl_ask_fail(ask, JOULIE_E_RANGE, "config.retryPeriodS", "it is at least 1");
    case JL_LEASE_SOUND:
        break;
    }
    return 0;
}

static int answer_lease_step(struct jl_ask *ask, const struct lease_step_in *in,
                             struct lease_step_out *out)
{
    const struct jl_lease_times times = {
        .duration_s = JL_GIVEN_OR(&in->config, duration_s, DURATION_S),
        .deadline_s = JL_GIVEN_OR(&in->config, deadline_s, DEADLINE_S),
        .period_s = JL_GIVEN_OR(&in->config, period_s, PERIOD_S),
    };
    const struct jl_lease_seen seen = { .spec = spec_of(&in->observed.record),
                                        .at_s = in->observed.at_s,
                                        .is_any = in->given.observed };
    const struct jl_lease_spec lease = spec_of(&in->lease);
    const int rc = check(ask, in, &times);
    if (rc < 0)
        return rc;
    const struct jl_lease_step step =
        jl_lease_step(&(struct jl_lease_case){ .me = in->me,
                                               .now = in->now,
                                               .now_s = in->monotonic_s,
                                               .times = &times,
                                               .seen = &seen,
                                               .lease = in->given.lease ? &lease : NULL,
                                               .is_release = in->release });
    const bool is_wait = step.action == JL_LEASE_WAIT;
    JL_SET(out, action, step.action);
    JL_SET_IF(out, use_cached, step.action == JL_LEASE_RENEW, step.uses_seen);
    JL_SET_IF(out, observed_at_s, is_wait, step.seen_at_s);
    if (!is_wait)
        put_spec(&step.spec, out);
    return 0;
}

JL_QUESTION(lease_step, "lease.step",
            "what a participant of a leader election does with the Lease");
