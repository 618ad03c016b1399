/* SPDX-License-Identifier: Apache-2.0 */

/* The rules of roles and the live role of a thread (docs/rules/threads-training.md#roles,
 * #live-role). Asked by threads.role and analysis.c. */

#define JL_THREAD_FEATURES_TABLES
#include "threads/features.h"

#include <math.h>

#include "base/number.h"

/* Bounds of the rules. */
#define SPORADIC_UTIL 0.005
#define SPORADIC_RATE 20
#define COMPUTE_UTIL 0.2
#define COMPUTE_BURST_US 2000
#define BUSY_UTIL 0.8
#define CHAIN_BURST_US 500
#define CHAIN_UTIL 0.25
#define CHAIN_IO 0.3
#define CHAIN_RELAY 0.5
#define LATENCY_RATE 50
#define LATENCY_BURST_US 5000
#define LATENCY_UTIL 0.01

#define LEAST_STATE_SAMPLES 20
#define US_PER_S 1e6

double jl_thread_burst_us(const struct jl_thread_features *of)
{
    if (of->given.p50)
        return of->p50;
    if (of->rate > 0)
        return of->util / of->rate * US_PER_S;
    return JL_GIVEN_OR(of, run_us, (double)NAN);
}

int jl_thread_rule(const struct jl_thread_features *of)
{
    const double burst_us = jl_thread_burst_us(of); /* what is unknown is neither long nor short */
    if (of->util < SPORADIC_UTIL && of->rate < SPORADIC_RATE)
        return 1;
    if (of->util >= COMPUTE_UTIL && (burst_us >= COMPUTE_BURST_US || of->util >= BUSY_UTIL))
        return 2;
    if (burst_us <= CHAIN_BURST_US && of->util < CHAIN_UTIL &&
        (of->io >= CHAIN_IO || of->relay >= CHAIN_RELAY))
        return 3;
    if (of->rate >= LATENCY_RATE && burst_us <= LATENCY_BURST_US && of->util >= LATENCY_UTIL)
        return 4;
    return of->util >= COMPUTE_UTIL ? 5 : 6;
}

enum jl_thread_role jl_thread_rule_role(int rule)
{
    static const enum jl_thread_role roles[] = {
        JL_THREAD_UNKNOWN,       JL_THREAD_SPORADIC,         JL_THREAD_SYNC_COMPUTE,
        JL_THREAD_IO_WAKE_CHAIN, JL_THREAD_LATENCY_CRITICAL, JL_THREAD_SYNC_COMPUTE,
        JL_THREAD_SPORADIC,
    };

    return rule > 0 && (size_t)rule < JL_COUNT(roles) ? roles[rule] : JL_THREAD_UNKNOWN;
}

/* Share of the newest samples in an uninterruptible sleep, of those that were not runnable. */
static double waiting_share(struct jl_text states)
{
    const size_t skipped =
        states.len > JL_THREAD_STATE_SAMPLES ? states.len - JL_THREAD_STATE_SAMPLES : 0;
    double waiting = 0;
    double asleep = 0;
    for (size_t i = skipped; i < states.len; i++) {
        asleep += states.ptr[i] != 'R';
        waiting += states.ptr[i] == 'D';
    }
    return asleep >= LEAST_STATE_SAMPLES ? waiting / asleep : 0;
}

void jl_thread_watch(const struct jl_thread_window *window, struct jl_thread_live *out)
{
    const double sleeps = window->has_voluntary ? window->voluntary : window->slices;
    struct jl_thread_features *features = &out->features;
    *out =
        (struct jl_thread_live){ .wait_us = window->wait_s / jl_max(1, window->slices) * US_PER_S };
    JL_SET(features, util, window->run_s / window->window_s);
    JL_SET(features, rate, sleeps / window->window_s);
    JL_SET(features, p50, window->run_s * US_PER_S / jl_max(1, sleeps));
    JL_SET(features, io, waiting_share(window->states));
    JL_SET(features, relay, 0); /* takes wake-ups, which only a trace has */
    if (window->has_voluntary && window->has_involuntary)
        JL_SET(features, invol,
               window->involuntary / jl_max(1, window->voluntary + window->involuntary));
}
