/* SPDX-License-Identifier: Apache-2.0 */

/* threads.role: the role of a thread by its features, or by what /proc shows of it
 * (docs/rules/threads-training.md#roles, #live-role). */

#include "ask/ask.h"
#include "threads/features.h"

#define RECORD thread_role_in
#define MEMBERS                                                                                \
    NUMBER(util, "util", "CPU time per time; 1 is a whole CPU.", NOT_NEGATIVE)                 \
    NUMBER(rate, "rate", "Voluntary sleeps per second.", NOT_NEGATIVE)                         \
    NUMBER(p50, "p50", "Median CPU time between two sleeps, us.", NOT_NEGATIVE)                \
    NUMBER(p99, "p99", "Its 99th percentile, us; no rule asks for it.", NOT_NEGATIVE)          \
    NUMBER(io, "io", "Share of sleeps that wait for a device.", BETWEEN(0, 1))                 \
    NUMBER(relay, "relay", "Share of bursts that pass a wake-up on.", BETWEEN(0, 1))           \
    NUMBER(window_s, "windowS", "Live instead: how long it was watched, s.", OVER(0))          \
    NUMBER(run_s, "runS", "CPU time in the window, s.", NOT_NEGATIVE)                          \
    NUMBER(voluntary, "voluntary", "Voluntary sleeps in it; without it slices.", NOT_NEGATIVE) \
    NUMBER(involuntary, "involuntary", "Preemptions in it.", NOT_NEGATIVE)                     \
    NUMBER(slices, "slices", "Times that it got a CPU.", NOT_NEGATIVE)                         \
    NUMBER(wait_s, "waitS", "Time in it without a CPU, s.", NOT_NEGATIVE)                      \
    STRING(states, "stateSamples", "Letters of its state, oldest first; the last 60 count.")
#include "schema/record.h"

#define RECORD thread_role_out
#define MEMBERS                                                                      \
    STRING(rule, "rule", "The rule that holds, R1 to R6.")                           \
    ENUM(role, "class", jl_thread_role, jl_thread_role_words, "Role of the thread.") \
    NUMBER(util, "util", "CPU time per time.")                                       \
    NUMBER(rate, "rate", "Sleeps per second.")                                       \
    NUMBER(burst_us, "burstUs", "Mean CPU time between two sleeps, us.")             \
    NUMBER(wait_us, "waitUs", "Mean time without a CPU, us.")                        \
    NUMBER(invol, "invol", "Share of its switches that were preemptions.")           \
    NUMBER(io, "io", "Share of the states that wait for a device, of those not running.")
#include "schema/record.h"

static void put_role(const struct jl_thread_features *features, struct thread_role_out *out)
{
    static const char *const rules[] = { "", "R1", "R2", "R3", "R4", "R5", "R6" };
    const int rule = jl_thread_rule(features);
    JL_SET(out, rule, rules[rule]);
    JL_SET(out, role, jl_thread_rule_role(rule));
}

static int put_live(struct jl_ask *ask, const struct thread_role_in *in,
                    struct thread_role_out *out)
{
    struct jl_thread_live live;
    uint64_t needed = JL_ASK_ROW(thread_role_in, run_s);
    if (!in->given.voluntary || in->given.wait_s)
        needed |= JL_ASK_ROW(thread_role_in, slices);
    const int rc = jl_ask_require(ask, &thread_role_in_table, in, needed);
    if (rc < 0)
        return rc;
    const struct jl_thread_window window = {
        .window_s = in->window_s,
        .run_s = in->run_s,
        .wait_s = in->wait_s,
        .slices = in->slices,
        .voluntary = in->voluntary,
        .involuntary = in->involuntary,
        .has_voluntary = in->given.voluntary,
        .has_involuntary = in->given.involuntary,
        .states = jl_text(in->states),
    };
    jl_thread_watch(&window, &live);
    put_role(&live.features, out);
    JL_TAKE(out, util, &live.features, util);
    JL_TAKE(out, rate, &live.features, rate);
    JL_TAKE(out, burst_us, &live.features, p50);
    JL_SET_IF(out, wait_us, in->given.wait_s, live.wait_us);
    JL_TAKE(out, invol, &live.features, invol);
    JL_SET_IF(out, io, in->given.states, live.features.io);
    return 0;
}

static int answer_thread_role(struct jl_ask *ask, const struct thread_role_in *in,
                              struct thread_role_out *out)
{
    struct jl_thread_features features = { .given.tid = false };
    if (in->given.window_s)
        return put_live(ask, in, out);
    const int rc =
        jl_ask_require(ask, &thread_role_in_table, in,
                       JL_ASK_ROW(thread_role_in, util) | JL_ASK_ROW(thread_role_in, rate));
    JL_TAKE(&features, util, in, util);
    JL_TAKE(&features, rate, in, rate);
    JL_TAKE(&features, p50, in, p50);
    JL_TAKE(&features, io, in, io);
    JL_TAKE(&features, relay, in, relay);
    if (rc == 0)
        put_role(&features, out);
    return rc;
}

JL_QUESTION(thread_role, "threads.role", "How a thread behaves, and the rule that says so");
