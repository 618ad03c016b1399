/* SPDX-License-Identifier: Apache-2.0 */

/* threads.train.analyze and threads.train.evaluate: what training makes of measurements
 * (docs/rules/threads-training.md#analysis, #trial). */

#include <string.h>

#include "ask/ask.h"
#include "base/error.h"
#include "threads/analysis.h"
#include "threads/capture.h"
#include "threads/trial.h"

/* ---- threads.train.analyze ---- */

#define RECORD train_analyze_in
#define MEMBERS                                                                                    \
    STRING(trace, "trace", "Text of a trace: ftrace, perf script, perfetto's CSV or Chrome.")      \
    NUMBERS(tids, "tids", "Threads of the workload when the trace begins; default all.", AS_INT32, \
            NOT_NEGATIVE)                                                                          \
    LIST(features, "features", jl_thread_features, "Instead: features of the threads.")            \
    INTEGER(seed, "seed", "Of the search for clusters; default 42.")
#include "schema/record.h"

static int read_trace(struct jl_ask *ask, const struct train_analyze_in *in,
                      struct joulie_thread_trace *capture, uint64_t seed,
                      struct jl_thread_analysis *out)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < in->tids.count; i++)
        rc = joulie_thread_trace_add_thread(capture, (uint32_t)JL_NUMBER_ITEM(in->tids, i),
                                            ask->err);
    if (rc == 0)
        rc = joulie_thread_trace_feed(capture, in->trace, strlen(in->trace), ask->err);
    if (rc == 0)
        rc = jl_capture_end(capture, ask->arena, seed, out, ask->err);
    return rc;
}

static int answer_train_analyze(struct jl_ask *ask, const struct train_analyze_in *in,
                                struct jl_thread_analysis *out)
{
    const uint64_t seed = (uint64_t)JL_GIVEN_OR(in, seed, JL_ANALYSIS_SEED);
    if (in->given.trace && in->given.features)
        return jl_ask_fail(ask, JOULIE_E_CONFLICT, "features", "give a trace or features");
    if (in->given.features) {
        JL_SET(out, format, "features");
        JL_SET(out, threads, in->features);
        return jl_thread_analyze(ask->arena, seed, out, ask->err);
    }
    int rc = jl_ask_require(ask, &train_analyze_in_table, in, JL_ASK_ROW(train_analyze_in, trace));
    if (rc < 0)
        return rc;
    struct joulie_thread_trace *capture = NULL;
    rc = joulie_thread_trace_new(&capture, ask->err);
    if (rc == 0)
        rc = read_trace(ask, in, capture, seed, out);
    joulie_thread_trace_free(capture);
    if (rc == 0 && out->is_lossy && ask->on_warning != NULL)
        ask->on_warning(ask->user, "trace", "some events are missing in it: see coverage");
    return rc;
}

JL_QUESTION_OF(train_analyze, train_analyze_in, jl_thread_analysis, "threads.train.analyze",
               "Which threads of a workload behave alike");

/* ---- threads.train.evaluate ---- */

/* A ratio of two of them is a number. */
#define LEAST_METRIC 1e-150
#define MOST_METRIC 1e150

enum train_direction { DIRECTION_UNKNOWN, DIRECTION_LOWER, DIRECTION_HIGHER };

static const struct jl_words direction_words = JL_WORDS({
    { DIRECTION_LOWER, "lower" },
    { DIRECTION_HIGHER, "higher" },
});

#define PAIRS                                                                                  \
    NUMBERS(baseline, "baseline", "The metric before the change, run by run.", REQUIRED)       \
    NUMBERS(candidate, "candidate", "With the change, run by run.", REQUIRED)                  \
    ENUM(direction, "direction", train_direction, direction_words, "Which values are better.", \
         REQUIRED)

#define RECORD train_guard
#define MEMBERS                                                                 \
    STRING(name, "name", "Name of a metric that must not get worse.", REQUIRED) \
    PAIRS
#include "schema/record.h"

#define RECORD train_evaluate_in
#define MEMBERS \
    PAIRS       \
    LIST(guards, "guards", train_guard, "Metrics that must not get worse by more than 5 %.")
#include "schema/record.h"

#define RECORD train_evaluate_out
#define MEMBERS                                                                \
    INTEGER(n, "n", "Pairs that differ.")                                      \
    INTEGER(zeros, "zeros", "Pairs that do not.")                              \
    NUMBER(w_plus, "w_plus", "Sum of the ranks of the pairs that got better.") \
    NUMBER(p, "p", "Probability of that or more by chance.")                   \
    NUMBER(hl, "hl", "Effect: logarithm of the ratio; above 0 is better.")     \
    NUMBER(gain, "gain", "The same as a share.")                               \
    STRING(verdict, "verdict", "keep or reject.")                              \
    STRINGS(why, "why", "What speaks against it: p, gain, guard:NAME, n.")
#include "schema/record.h"

/* place: before the member's name, "" or "guards[0]." */
static int check_metric(struct jl_ask *ask, const struct jl_list *values, const char *place,
                        const char *key)
{
    for (size_t i = 0; i < values->count; i++) {
        const double value = JL_NUMBER_ITEM(*values, i);
        if (value < LEAST_METRIC || value > MOST_METRIC)
            return jl_ask_fail(ask, JOULIE_E_RANGE, jl_ask_path(ask, "%s%s[%zu]", place, key, i),
                               "a metric is a number above 0");
    }
    return 0;
}

static int try_pairs(struct jl_ask *ask, const struct jl_list *baseline,
                     const struct jl_list *candidate, enum train_direction direction,
                     const char *place, struct jl_trial *out)
{
    const struct jl_trial_pairs pairs = { baseline->items, candidate->items, baseline->count,
                                          direction == DIRECTION_HIGHER };
    int rc = check_metric(ask, baseline, place, "baseline");
    if (rc == 0)
        rc = check_metric(ask, candidate, place, "candidate");
    if (rc < 0)
        return rc;
    if (candidate->count != baseline->count)
        return jl_ask_fail(ask, JOULIE_E_RANGE, jl_ask_path(ask, "%scandidate", place),
                           "%zu values cannot be paired with %zu", candidate->count,
                           baseline->count);
    if (pairs.count < 1 || pairs.count > JL_TRIAL_MOST_PAIRS)
        return jl_ask_fail(ask, JOULIE_E_RANGE, jl_ask_path(ask, "%sbaseline", place),
                           "give 1 to %d pairs", JL_TRIAL_MOST_PAIRS);
    rc = jl_trial(ask->arena, &pairs, out);
    return rc < 0 ? jl_fail_memory(ask->err) : 0;
}

static int answer_train_evaluate(struct jl_ask *ask, const struct train_evaluate_in *in,
                                 struct train_evaluate_out *out)
{
    struct jl_trial trial;
    const char **why = JL_NEW_LIST(ask, out, why, in->guards.count + 3, const char *);
    size_t reasons = 0;
    int rc = why != NULL ? try_pairs(ask, &in->baseline, &in->candidate, in->direction, "", &trial)
                         : jl_fail_memory(ask->err);
    if (rc < 0)
        return rc;
    if (!jl_trial_is_significant(&trial))
        why[reasons++] = "p";
    if (!jl_trial_is_worth_it(&trial))
        why[reasons++] = "gain";
    for (size_t i = 0; i < in->guards.count; i++) {
        const struct train_guard *guard = JL_ITEM(in->guards, train_guard, i);
        struct jl_trial harm;
        rc = try_pairs(ask, &guard->baseline, &guard->candidate, guard->direction,
                       jl_ask_path(ask, "guards[%zu].", i), &harm);
        if (rc < 0)
            return rc;
        if (!jl_trial_is_harmless(&harm))
            why[reasons++] = JL_JOIN(ask->arena, "guard:", guard->name);
    }
    if (trial.differing < JL_TRIAL_LEAST_PAIRS)
        why[reasons++] = "n";
    if (ask->arena->is_failed)
        return jl_fail_memory(ask->err);
    out->why.count = reasons;
    JL_SET(out, n, (int64_t)trial.differing);
    JL_SET(out, zeros, (int64_t)trial.zeros);
    JL_SET(out, w_plus, trial.w_plus);
    JL_SET(out, p, trial.p);
    JL_SET(out, hl, trial.effect);
    JL_SET(out, gain, trial.gain);
    JL_SET(out, verdict, reasons == 0 ? "keep" : "reject");
    return 0;
}

JL_QUESTION(train_evaluate, "threads.train.evaluate", "Whether a change of a profile helped");
