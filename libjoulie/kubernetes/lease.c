/* SPDX-License-Identifier: Apache-2.0 */

/* What a Lease means for one participant of an election
 * (docs/rules/kubernetes-watch.md#leader-election). Called by election.c and by the question
 * `lease.step`. */

#include "kubernetes/lease.h"

#include "base/text.h"
#include "kubernetes/wait.h"

#define LEAST_S 1
#define JITTER 1.2 /* a deadline has to be longer than that many periods */

enum jl_lease_fault jl_lease_check(const struct jl_lease_times *times)
{
    if (!(times->period_s >= LEAST_S))
        return JL_LEASE_BAD_PERIOD;
    if (!(times->deadline_s >= LEAST_S && times->deadline_s > JITTER * times->period_s))
        return JL_LEASE_BAD_DEADLINE;
    if (!(times->duration_s >= LEAST_S && (double)times->duration_s > times->deadline_s))
        return JL_LEASE_BAD_DURATION;
    return JL_LEASE_SOUND;
}

static bool is_same_text(const char *a, const char *b)
{
    return jl_is_empty(a) ? jl_is_empty(b) : jl_same(a, b);
}

static bool is_same(const struct jl_lease_spec *a, const struct jl_lease_spec *b)
{
    return is_same_text(a->holder, b->holder) && a->duration_s == b->duration_s &&
           a->transitions == b->transitions && is_same_text(a->acquired, b->acquired) &&
           is_same_text(a->renewed, b->renewed);
}

static bool is_mine(const struct jl_lease_case *what, const struct jl_lease_spec *spec)
{
    return is_same_text(spec->holder, what->me);
}

/* The Lease as it is known now. */
static struct jl_lease_seen observe(const struct jl_lease_case *what)
{
    struct jl_lease_seen seen = *what->seen;
    if (!what->lease)
        return seen;
    if (!seen.is_any || !is_same(&seen.spec, what->lease))
        seen.at_s = what->now_s;
    seen.spec = *what->lease;
    seen.is_any = true;
    return seen;
}

/* By what its holder wrote, not by what is set here. */
static bool is_valid(const struct jl_lease_seen *seen, double now_s)
{
    return seen->at_s + (double)seen->spec.duration_s > now_s;
}

static struct jl_lease_spec take(const struct jl_lease_case *what, int64_t transitions)
{
    return (struct jl_lease_spec){ .holder = what->me,
                                   .duration_s = what->times->duration_s,
                                   .transitions = transitions,
                                   .acquired = what->now,
                                   .renewed = what->now };
}

static struct jl_lease_spec renew(const struct jl_lease_case *what,
                                  const struct jl_lease_spec *before)
{
    struct jl_lease_spec spec = take(what, before->transitions);
    spec.acquired = before->acquired;
    return spec;
}

static struct jl_lease_spec release(const struct jl_lease_case *what,
                                    const struct jl_lease_spec *before)
{
    struct jl_lease_spec spec = take(what, before->transitions);
    spec.holder = "";
    spec.duration_s = LEAST_S;
    return spec;
}

struct jl_lease_step jl_lease_step(const struct jl_lease_case *what)
{
    const struct jl_lease_seen seen = observe(what);
    const bool is_held =
        seen.is_any && !jl_is_empty(seen.spec.holder) && !is_mine(what, &seen.spec);
    const bool is_cached =
        !what->lease && seen.is_any && is_mine(what, &seen.spec) && is_valid(&seen, what->now_s);
    struct jl_lease_step step = { .action = JL_LEASE_WAIT, .seen_at_s = seen.at_s };
    if (what->is_release) {
        if (!what->lease || !is_mine(what, what->lease))
            return step;
        step.action = JL_LEASE_RELEASE;
        step.spec = release(what, what->lease);
    } else if (is_held && is_valid(&seen, what->now_s)) {
        return step; /* also when the Lease is gone: its holder may not know that yet */
    } else if (!what->lease && !is_cached) {
        step.action = JL_LEASE_CREATE;
        step.spec = take(what, 0);
    } else if (is_mine(what, &seen.spec)) {
        step.action = JL_LEASE_RENEW;
        step.uses_seen = is_cached;
        step.spec = renew(what, &seen.spec);
    } else {
        step.action = JL_LEASE_TAKE;
        step.spec = take(what, seen.spec.transitions + 1);
    }
    return step;
}
