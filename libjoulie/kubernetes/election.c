/* SPDX-License-Identifier: Apache-2.0 */

/* A participant of an election from try to try (docs/rules/kubernetes-watch.md#leader-election):
 * which request comes next, and until when it leads. */

#include "base/text.h"
#include "kubernetes/lease.h"
#include "kubernetes/wait.h"

#define NEVER_S (-1.0)
#define MOST_READS 2         /* of one try */
#define MOST_RELEASE_READS 5 /* while it is given back there is no later try */

double jl_election_until_s(const struct jl_election *election)
{
    return election->is_leader ? election->renewed_s + election->times.deadline_s : NEVER_S;
}

static bool leads(const struct jl_election *election, const struct jl_election_now *now)
{
    return election->is_leader && now->s < jl_election_until_s(election);
}

static struct jl_election_next rest(struct jl_election *election)
{
    election->call = JL_ELECTION_NOTHING;
    return (struct jl_election_next){ .call = JL_ELECTION_NOTHING };
}

static struct jl_election_next ask(struct jl_election *election, enum jl_election_call call,
                                   const struct jl_election_now *now)
{
    election->call = call;
    election->reads += call == JL_ELECTION_READ;
    election->began_s = now->s;
    return (struct jl_election_next){ .call = call };
}

/* A try is over. A leader waits for its next renewal, others for their next try. */
static struct jl_election_next wait(struct jl_election *election, const struct jl_election_now *now)
{
    const struct jl_lease_times *times = &election->times;
    election->is_leader = leads(election, now);
    election->next_s =
        now->s + (election->is_leader ? jl_lease_renew_wait(now->s - election->renewed_s,
                                                            times->deadline_s, times->period_s)
                                            .delay_s
                                      : jl_lease_acquire_wait_s(times->period_s, now->u));
    return rest(election);
}

static struct jl_election_next end(struct jl_election *election)
{
    election->is_leader = false;
    election->is_over = true;
    return rest(election);
}

static struct jl_lease_step step_of(const struct jl_election *election,
                                    const struct jl_lease_spec *lease,
                                    const struct jl_election_now *now)
{
    return jl_lease_step(&(struct jl_lease_case){ .me = election->me,
                                                  .now = now->stamp,
                                                  .now_s = now->s,
                                                  .times = &election->times,
                                                  .seen = &election->seen,
                                                  .lease = lease,
                                                  .is_release = election->is_releasing });
}

static void see(struct jl_election *election, const struct jl_lease_spec *lease, double at_s)
{
    election->seen = (struct jl_lease_seen){ .spec = *lease, .at_s = at_s, .is_any = true };
}

static struct jl_election_next carry_out(struct jl_election *election,
                                         const struct jl_lease_step *step,
                                         const struct jl_election_now *now)
{
    if (step->action == JL_LEASE_WAIT) {
        election->is_leader = false;
        return election->is_releasing ? end(election) : wait(election, now);
    }
    struct jl_election_next next = ask(
        election, step->action == JL_LEASE_CREATE ? JL_ELECTION_CREATE : JL_ELECTION_WRITE, now);
    next.spec = step->spec;
    return next;
}

struct jl_election_next jl_election_wake(struct jl_election *election,
                                         const struct jl_election_now *now)
{
    election->is_leader = leads(election, now);
    if (election->call != JL_ELECTION_NOTHING || election->is_over)
        return (struct jl_election_next){ .call = JL_ELECTION_NOTHING };
    election->reads = 0;
    const struct jl_lease_step step = step_of(election, NULL, now);
    if (step.uses_seen)
        return carry_out(election, &step, now);
    return ask(election, JL_ELECTION_READ, now);
}

static struct jl_election_next take_read(struct jl_election *election,
                                         const struct jl_election_answer *answer,
                                         const struct jl_election_now *now)
{
    const bool is_missing = answer->code == 404;
    if (!answer->lease && !is_missing)
        return wait(election, now);
    if (is_missing && election->seen.is_any && jl_same(election->seen.spec.holder, election->me))
        election->seen.is_any = false; /* its own, which is gone */
    const struct jl_lease_step step = step_of(election, answer->lease, now);
    if (answer->lease)
        see(election, answer->lease, step.seen_at_s);
    return carry_out(election, &step, now);
}

/* Of a write that renews, takes or makes the Lease: the deadline counts from when it was sent. */
static struct jl_election_next take_written(struct jl_election *election,
                                            const struct jl_election_answer *answer,
                                            const struct jl_election_now *now)
{
    see(election, answer->lease, now->s);
    if (!jl_same(answer->lease->holder, election->me))
        return wait(election, now); /* the server changed it: no answer to build on */
    election->is_leader = true;
    election->renewed_s = election->began_s;
    return wait(election, now);
}

/* Another version, or nobody knows what became of the write: what is there now decides. A server
 * that refuses each write is not asked in a loop. */
static struct jl_election_next read_again(struct jl_election *election,
                                          const struct jl_election_answer *answer,
                                          const struct jl_election_now *now)
{
    const int most = election->is_releasing ? MOST_RELEASE_READS : MOST_READS;
    const bool is_conflict = answer->code == 409 || election->is_releasing;
    if (election->reads == 0 || (is_conflict && election->reads < most))
        return ask(election, JL_ELECTION_READ, now);
    return election->is_releasing ? end(election) : wait(election, now);
}

struct jl_election_next jl_election_take(struct jl_election *election,
                                         const struct jl_election_answer *answer,
                                         const struct jl_election_now *now)
{
    const enum jl_election_call call = election->call;
    election->is_leader = leads(election, now);
    election->call = JL_ELECTION_NOTHING;
    if (call == JL_ELECTION_READ)
        return take_read(election, answer, now);
    if (answer->lease && !election->is_releasing)
        return take_written(election, answer, now);
    if (answer->lease && jl_is_empty(answer->lease->holder))
        return end(election);
    return read_again(election, answer, now);
}

void jl_election_release(struct jl_election *election)
{
    election->is_releasing = true;
    election->is_leader = false; /* before anybody else may have it */
}
