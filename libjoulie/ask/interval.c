/* SPDX-License-Identifier: Apache-2.0 */

/*
 * interval: how long to wait before the next try (kubernetes.md §5.5, §8.1, §13; temper.md §8.6,
 * §9.2; linux-power.md §15).
 */

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

static const struct jl_word kind_items[] = {
    { KIND_REFLECTOR, "reflector" },
    { KIND_QUEUE, "queue" },
    { KIND_LEASE_ACQUIRE, "lease-acquire" },
    { KIND_LEASE_RENEW, "lease-renew" },
    { KIND_RETRY_AFTER, "retry-after" },
    { KIND_SCAN, "scan" },
    { KIND_THREADS, "threads" },
    { KIND_PROBE, "probe" },
};
static const struct jl_words kind_words = JL_WORDS(kind_items);

struct interval_in {
    uint64_t has;
    enum interval_kind kind;
    int64_t failures;
    double since_last_s;
    double retry_period_s;
    double u;
    double elapsed_s;
    double renew_deadline_s;
    double retry_after_s;
    int64_t threads;
};

enum {
    IN_KIND,
    IN_FAILURES,
    IN_SINCE_LAST,
    IN_RETRY_PERIOD,
    IN_U,
    IN_ELAPSED,
    IN_RENEW_DEADLINE,
    IN_RETRY_AFTER,
    IN_THREADS,
};

#define ABOVE_0 .flags = JL_HAS_MIN | JL_EXCLUSIVE_MIN, .min = 0

static const struct jl_row in_rows[] = {
    [IN_KIND] = JL_ENUM(interval_in, kind, "kind", &kind_words, .flags = JL_REQUIRED,
                        .doc = "What is waited for."),
    [IN_FAILURES] = JL_INTEGER(interval_in, failures, "failures", .flags = JL_NOT_NEGATIVE,
                               .doc = "Tries that failed before (reflector, queue, threads, "
                                      "probe)."),
    [IN_SINCE_LAST] = JL_NUMBER(interval_in, since_last_s, "sinceLastS", .flags = JL_NOT_NEGATIVE,
                                .doc = "Since the wait before this one, s (reflector); default 0."),
    [IN_RETRY_PERIOD] = JL_NUMBER(interval_in, retry_period_s, "retryPeriodS", ABOVE_0,
                                  .doc = "Time between two tries, s (lease-acquire, lease-renew)."),
    [IN_U] = JL_NUMBER(interval_in, u, "u", .flags = JL_HAS_MIN | JL_HAS_MAX, .min = 0, .max = 1,
                       .doc = "Chance, 0 to 1 (lease-acquire, retry-after)."),
    [IN_ELAPSED] = JL_NUMBER(interval_in, elapsed_s, "elapsedS", .flags = JL_NOT_NEGATIVE,
                             .doc = "Since the last renewal that worked, s (lease-renew)."),
    [IN_RENEW_DEADLINE] = JL_NUMBER(interval_in, renew_deadline_s, "renewDeadlineS", ABOVE_0,
                                    .doc = "When a leader gives up, s after that (lease-renew)."),
    [IN_RETRY_AFTER] =
        JL_NUMBER(interval_in, retry_after_s, "retryAfterS", .flags = JL_NOT_NEGATIVE,
                  .doc = "What the server asks for, s (retry-after)."),
    [IN_THREADS] = JL_INTEGER(interval_in, threads, "threads", .flags = JL_NOT_NEGATIVE,
                              .doc = "Threads to be scanned (scan)."),
};
static const struct jl_table in_table = JL_TABLE(interval_in, in_rows);

struct interval_out {
    uint64_t has;
    double delay_s;
    double min_s;
    double max_s;
    bool stop;
};

enum { OUT_DELAY, OUT_MIN, OUT_MAX, OUT_STOP };

static const struct jl_row out_rows[] = {
    [OUT_DELAY] = JL_NUMBER(interval_out, delay_s, "delayS", .doc = "The wait, s."),
    [OUT_MIN] = JL_NUMBER(interval_out, min_s, "minS", .doc = "Least of a random wait, s."),
    [OUT_MAX] = JL_NUMBER(interval_out, max_s, "maxS", .doc = "A random wait stays below this, s."),
    [OUT_STOP] = JL_BOOLEAN(interval_out, stop, "stop",
                            .doc = "No further try fits before the deadline (lease-renew)."),
};
static const struct jl_table out_table = JL_TABLE(interval_out, out_rows);

static uint64_t bit(unsigned number)
{
    return UINT64_C(1) << number;
}

/* Members that a kind cannot do without. */
static uint64_t needs_of(enum interval_kind kind)
{
    switch (kind) {
    case KIND_REFLECTOR:
    case KIND_QUEUE:
    case KIND_THREADS:
    case KIND_PROBE:
        return bit(IN_FAILURES);
    case KIND_LEASE_ACQUIRE:
        return bit(IN_RETRY_PERIOD) | bit(IN_U);
    case KIND_LEASE_RENEW:
        return bit(IN_ELAPSED) | bit(IN_RENEW_DEADLINE) | bit(IN_RETRY_PERIOD);
    case KIND_RETRY_AFTER:
        return bit(IN_RETRY_AFTER) | bit(IN_U);
    case KIND_SCAN:
        return bit(IN_THREADS);
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
        JL_PUT(out, OUT_MIN, min_s, range.least_s);
        JL_PUT(out, OUT_MAX, max_s, range.most_s);
        break;
    case KIND_QUEUE:
        JL_PUT(out, OUT_DELAY, delay_s, jl_backoff_s(&jl_backoff_queue, in->failures));
        break;
    case KIND_THREADS:
        JL_PUT(out, OUT_DELAY, delay_s, jl_backoff_s(&jl_backoff_threads, in->failures));
        break;
    case KIND_PROBE:
        JL_PUT(out, OUT_DELAY, delay_s, jl_backoff_s(&jl_backoff_probe, in->failures));
        break;
    case KIND_LEASE_ACQUIRE:
        JL_PUT(out, OUT_DELAY, delay_s, jl_lease_acquire_wait_s(in->retry_period_s, in->u));
        break;
    case KIND_LEASE_RENEW:
        wait = jl_lease_renew_wait(in->elapsed_s, in->renew_deadline_s, in->retry_period_s);
        JL_PUT(out, OUT_DELAY, delay_s, wait.delay_s);
        JL_PUT(out, OUT_STOP, stop, wait.is_over);
        break;
    case KIND_RETRY_AFTER:
        JL_PUT(out, OUT_DELAY, delay_s, jl_retry_after_wait_s(in->retry_after_s, in->u));
        break;
    case KIND_SCAN:
        JL_PUT(out, OUT_DELAY, delay_s, (double)jl_scan_interval_s(in->threads));
        break;
    case KIND_UNKNOWN:
        break;
    }
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct interval_in *in = input;
    struct interval_out *out = output;
    const uint64_t needs = needs_of(in->kind);
    for (unsigned i = 0; i < JL_COUNT(in_rows); i++) {
        const int rc = (needs & bit(i)) != 0 ? jl_ask_require(ask, &in_table, in, i) : 0;
        if (rc < 0)
            return rc;
    }
    put_wait(in, out);
    if (!jl_is_finite(out->delay_s))
        return jl_ask_fail(ask, JOULIE_E_RANGE, "retryPeriodS", "the wait is no number");
    return 0;
}

const struct jl_question jl_question_interval = {
    .name = "interval",
    .summary = "how long to wait before the next try",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
