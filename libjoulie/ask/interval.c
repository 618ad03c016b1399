/* SPDX-License-Identifier: Apache-2.0 */

/* interval: how long to wait before the next try (docs/rules/kubernetes-watch.md#waits). */

#include "ask/ask.h"
#include "base/backoff.h"
#include "base/number.h"
#include "kubernetes/wait.h"

enum interval_kind {
    KIND_UNKNOWN,
    KIND_REFLECTOR,
    KIND_QUEUE,
    KIND_LEASE_ACQUIRE,
    KIND_LEASE_RENEW,
    KIND_RETRY_AFTER,
    KIND_SCAN,
    KIND_THREADS,
    KIND_PROBE,
};

static const struct jl_words kind_words = JL_WORDS({
    { KIND_REFLECTOR, "reflector" },
    { KIND_QUEUE, "queue" },
    { KIND_LEASE_ACQUIRE, "lease-acquire" },
    { KIND_LEASE_RENEW, "lease-renew" },
    { KIND_RETRY_AFTER, "retry-after" },
    { KIND_SCAN, "scan" },
    { KIND_THREADS, "threads" },
    { KIND_PROBE, "probe" },
});

#define ABOVE_0 OVER(0)

#define RECORD interval_in
#define MEMBERS                                                                                   \
    ENUM(kind, "kind", interval_kind, kind_words, "What is waited for.", REQUIRED)                \
    INTEGER(failures, "failures", "Tries that failed before (reflector, queue, threads, probe).", \
            NOT_NEGATIVE)                                                                         \
    NUMBER(since_last_s, "sinceLastS",                                                            \
           "Since the wait before this one, s (reflector); default 0.", NOT_NEGATIVE)             \
    NUMBER(retry_period_s, "retryPeriodS",                                                        \
           "Time between two tries, s (lease-acquire, lease-renew).", ABOVE_0)                    \
    NUMBER(u, "u", "Chance, 0 to 1 (lease-acquire, retry-after).", BETWEEN(0, 1))                 \
    NUMBER(elapsed_s, "elapsedS", "Since the last renewal that worked, s (lease-renew).",         \
           NOT_NEGATIVE)                                                                          \
    NUMBER(renew_deadline_s, "renewDeadlineS",                                                    \
           "When a leader gives up, s after that (lease-renew).", ABOVE_0)                        \
    NUMBER(retry_after_s, "retryAfterS", "What the server asks for, s (retry-after).",            \
           NOT_NEGATIVE)                                                                          \
    INTEGER(threads, "threads", "Threads to be scanned (scan).", NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD interval_out
#define MEMBERS                                                 \
    NUMBER(delay_s, "delayS", "The wait, s.")                   \
    NUMBER(min_s, "minS", "Least of a random wait, s.")         \
    NUMBER(max_s, "maxS", "A random wait stays below this, s.") \
    BOOLEAN(stop, "stop", "No further try fits before the deadline (lease-renew).")
#include "schema/record.h"

/* Members that a kind cannot do without. */
static uint64_t needs_of(enum interval_kind kind)
{
    switch (kind) {
    case KIND_REFLECTOR:
    case KIND_QUEUE:
    case KIND_THREADS:
    case KIND_PROBE:
        return JL_ASK_ROW(interval_in, failures);
    case KIND_LEASE_ACQUIRE:
        return JL_ASK_ROW(interval_in, retry_period_s) | JL_ASK_ROW(interval_in, u);
    case KIND_LEASE_RENEW:
        return JL_ASK_ROW(interval_in, elapsed_s) | JL_ASK_ROW(interval_in, renew_deadline_s) |
               JL_ASK_ROW(interval_in, retry_period_s);
    case KIND_RETRY_AFTER:
        return JL_ASK_ROW(interval_in, retry_after_s) | JL_ASK_ROW(interval_in, u);
    case KIND_SCAN:
        return JL_ASK_ROW(interval_in, threads);
    case KIND_UNKNOWN:
        break;
    }
    return 0;
}

static void put_wait(const struct interval_in *in, struct interval_out *out)
{
    struct jl_wait_range range;
    struct jl_lease_wait wait;
    switch (in->kind) {
    case KIND_REFLECTOR:
        range = jl_reflector_wait(in->failures, in->since_last_s);
        JL_SET(out, min_s, range.least_s);
        JL_SET(out, max_s, range.most_s);
        break;
    case KIND_QUEUE:
        JL_SET(out, delay_s, jl_backoff_s(&jl_backoff_queue, in->failures));
        break;
    case KIND_THREADS:
        JL_SET(out, delay_s, jl_backoff_s(&jl_backoff_threads, in->failures));
        break;
    case KIND_PROBE:
        JL_SET(out, delay_s, jl_backoff_s(&jl_backoff_probe, in->failures));
        break;
    case KIND_LEASE_ACQUIRE:
        JL_SET(out, delay_s, jl_lease_acquire_wait_s(in->retry_period_s, in->u));
        break;
    case KIND_LEASE_RENEW:
        wait = jl_lease_renew_wait(in->elapsed_s, in->renew_deadline_s, in->retry_period_s);
        JL_SET(out, delay_s, wait.delay_s);
        JL_SET(out, stop, wait.is_over);
        break;
    case KIND_RETRY_AFTER:
        JL_SET(out, delay_s, jl_retry_after_wait_s(in->retry_after_s, in->u));
        break;
    case KIND_SCAN:
        JL_SET(out, delay_s, (double)jl_scan_interval_s(in->threads));
        break;
    case KIND_UNKNOWN:
        break;
    }
}

static int answer_interval(struct jl_ask *ask, const struct interval_in *in,
                           struct interval_out *out)
{
    const int rc = jl_ask_require(ask, &interval_in_table, in, needs_of(in->kind));
    if (rc < 0)
        return rc;
    put_wait(in, out);
    if (!jl_is_finite(out->delay_s))
        return jl_ask_fail(ask, JOULIE_E_RANGE, "retryPeriodS", "the wait is no number");
    return 0;
}

JL_QUESTION(interval, "interval", "how long to wait before the next try");
