/* SPDX-License-Identifier: Apache-2.0 */

/*
 * autoscale.replicas: evaluations of the replicas layer, one after the other
 * (docs/rules/autoscaling.md#replicas-layer).
 */
#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "autoscale/config.h"
#include "base/error.h"
#include "base/number.h"
#include "tensor_fusion/ratio.h"

#define NS_PER_S 1e9
#define LONGEST_S 4e9           /* keeps the difference of two instants inside an int64_t of ns */
#define LARGEST_UTILIZATION 1e6 /* of a limit */
#define WORKERS_MAX 100000      /* of one step; without maxReplicas that is the upper end */

#define SECONDS NOT_NEGATIVE, AT_MOST(LONGEST_S)
#define INSTANT BETWEEN(-LONGEST_S, LONGEST_S)
#define WORKERS NOT_NEGATIVE, AT_MOST(WORKERS_MAX)

#define RECORD replicas_step_in
#define MEMBERS                                                                                 \
    NUMBER(t_s, "t", "Instant of the evaluation, s.", REQUIRED, BETWEEN(-LONGEST_S, LONGEST_S)) \
    NUMBERS(utilization, "utilization", "Mean TFLOPS over limit of each worker that reports.")  \
    NUMBER(utilization_all, "utilizationAll",                                                   \
           "The same for all workers but the missing, in place of utilization.", NOT_NEGATIVE,  \
           AT_MOST(LARGEST_UTILIZATION))                                                        \
    INTEGER(missing, "missing", "Workers that do not report (0).", WORKERS)                     \
    BOOLEAN(limits_bursting, "limitsBursting",                                                  \
            "Whether the limits layer runs and has not come to its end (false).")
#include "schema/record.h"

#define RECORD autoscale_replicas_in
#define MEMBERS                                                                                \
    INTEGER(replicas, "replicas", "Replicas before the first step.", REQUIRED, NOT_NEGATIVE,   \
            AT_MOST(WORKERS_MAX))                                                              \
    NUMBER(target, "target", "Utilization to come to, fraction of the limit (0.95).", OVER(0), \
           AT_MOST(1))                                                                         \
    STRING(up, "scaleUpStep", "Growth at most (30%).")                                         \
    STRING(down, "scaleDownStep", "Reduction at most (10%).")                                  \
    NUMBER(up_cool_down_s, "scaleUpCoolDownS", "Time between two growths, s (60).", SECONDS)   \
    NUMBER(down_cool_down_s, "scaleDownCoolDownS",                                             \
           "Time without a change before a reduction, s (300).", SECONDS)                      \
    NUMBER(created_s, "createdT", "Creation of the workload, s; absent = long ago.", INSTANT)  \
    INTEGER(min, "minReplicas", "Lower end (1).", WORKERS)                                     \
    INTEGER(max, "maxReplicas", "Upper end (100000).", WORKERS)                                \
    LIST(steps, "steps", replicas_step_in, "Evaluations in order.", REQUIRED)
#include "schema/record.h"

#define RECORD replicas_step_out
#define MEMBERS                                                                      \
    INTEGER(from, "from", "Replicas before the step.")                               \
    NUMBER(ratio, "ratio", "Mean utilization over the target; absent = no metrics.") \
    INTEGER(desired, "desired", "Replicas wanted, before the cool-down.")            \
    INTEGER(to, "to", "Replicas after the step.")                                    \
    ENUM(reason, "reason", jl_scale_reason, jl_scale_reason_words,                   \
         "What decided: the cool-down when it changed the answer.")
#include "schema/record.h"

#define RECORD autoscale_replicas_out
#define MEMBERS LIST(steps, "steps", replicas_step_out, "One for each step.")
#include "schema/record.h"

static int64_t ns_of(double seconds)
{
    return (int64_t)(seconds * NS_PER_S);
}

static int read_step(struct jl_ask *ask, const char *text, const char *where,
                     enum jl_ratio_field field, struct jl_replica_step *out)
{
    struct jl_ratio ratio;
    enum jl_ratio_unit unit = JL_RATIO_FRACTION;
    double amount = 0;
    int rc = jl_parse_ratio(text, strlen(text), &ratio);
    if (rc < 0)
        return jl_ask_fail(ask, rc, where, "not a ratio");
    rc = jl_ratio_effective(field, &ratio, &amount, &unit);
    if (rc < 0)
        return jl_ask_fail(ask, rc, where, "a step is more than 0");
    *out = (struct jl_replica_step){ amount, unit == JL_RATIO_PODS };
    return 0;
}

static int read_config(struct jl_ask *ask, const struct autoscale_replicas_in *in,
                       struct jl_replicas_config *out)
{
    int rc = 0;
    jl_replicas_defaults(out);
    out->max = JL_GIVEN_OR(in, max, WORKERS_MAX);
    out->target_frac = JL_GIVEN_OR(in, target, out->target_frac);
    if (in->given.up_cool_down_s)
        out->up_cool_down_ns = ns_of(in->up_cool_down_s);
    if (in->given.down_cool_down_s)
        out->down_cool_down_ns = ns_of(in->down_cool_down_s);
    if (in->given.min)
        out->min = in->min > 1 ? in->min : 1;
    if (out->max < out->min)
        return jl_ask_fail(ask, JOULIE_E_RANGE, "maxReplicas", "below minReplicas");
    if (in->given.up)
        rc = read_step(ask, in->up, "scaleUpStep", JL_RATIO_REPLICAS_STEP_UP, &out->up);
    if (rc == 0 && in->given.down)
        rc = read_step(ask, in->down, "scaleDownStep", JL_RATIO_REPLICAS_STEP_DOWN, &out->down);
    return rc;
}

/* Room for the utilizations of a step, used again by the next one. */
struct room {
    double *items;
    size_t count;
};

static int fill(struct jl_ask *ask, struct room *room, double utilization, size_t count)
{
    if (count > room->count) {
        room->count = count < WORKERS_MAX / 2 ? 2 * count : WORKERS_MAX;
        room->items = JL_NEW_ARRAY(ask->arena, room->count, double);
        if (room->items == NULL)
            return jl_fail_memory(ask->err);
    }
    for (size_t i = 0; i < count; i++)
        room->items[i] = utilization;
    return 0;
}

/* The utilizations of a step that starts with that many replicas. */
static int read_utilizations(struct jl_ask *ask, const struct replicas_step_in *step, size_t index,
                             struct room *room, struct jl_replicas_input *out)
{
    out->missing = (size_t)step->missing;
    if (!step->given.utilization) {
        if (!step->given.utilization_all || step->missing >= out->replicas)
            return 0;
        out->reporting = (size_t)(out->replicas - step->missing);
        const int rc = fill(ask, room, step->utilization_all, out->reporting);
        out->utilizations = room->items;
        return rc;
    }
    out->utilizations = step->utilization.items;
    out->reporting = step->utilization.count;
    for (size_t i = 0; i < out->reporting; i++)
        if (out->utilizations[i] < 0 || out->utilizations[i] > LARGEST_UTILIZATION)
            return jl_ask_fail(ask, JOULIE_E_RANGE,
                               jl_ask_path(ask, "steps[%zu].utilization", index),
                               "a utilization is within 0 and 10^6");
    return 0;
}

static void put_step(struct replicas_step_out *out, int64_t from,
                     const struct jl_replicas_result *result)
{
    JL_SET(out, from, from);
    JL_SET_IF(out, ratio, result->has_ratio, result->ratio);
    JL_SET(out, desired, result->desired);
    JL_SET(out, to, result->to);
    JL_SET(out, reason, result->reason);
}

static int answer_autoscale_replicas(struct jl_ask *ask, const struct autoscale_replicas_in *in,
                                     struct autoscale_replicas_out *out)
{
    struct jl_replicas_config config;
    struct jl_replicas_state state = { 0 };
    struct room room = { 0 };
    int64_t replicas = in->replicas;
    struct replicas_step_out *steps =
        JL_NEW_LIST(ask, out, steps, in->steps.count, struct replicas_step_out);
    if (steps == NULL)
        return jl_fail_memory(ask->err);
    int rc = read_config(ask, in, &config);
    if (in->given.created_s)
        jl_replicas_begin(&state, ns_of(in->created_s));
    for (size_t i = 0; rc == 0 && i < in->steps.count; i++) {
        const struct replicas_step_in *step = JL_ITEM(in->steps, replicas_step_in, i);
        struct jl_replicas_result result;
        struct jl_replicas_input now = {
            .now_ns = ns_of(step->t_s),
            .replicas = replicas,
            .is_limits_bursting = step->limits_bursting,
            .config = &config,
        };
        rc = read_utilizations(ask, step, i, &room, &now);
        if (rc < 0)
            break;
        jl_scale_replicas(&now, &state, &result);
        put_step(&steps[i], replicas, &result);
        replicas = result.to;
    }
    if (rc < 0)
        return rc;
    return 0;
}

JL_QUESTION(autoscale_replicas, "autoscale.replicas",
            "Evaluations of the replicas layer of the TensorFusion autoscaler");
