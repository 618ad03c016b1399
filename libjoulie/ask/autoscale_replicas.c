/* SPDX-License-Identifier: Apache-2.0 */

/* autoscale.replicas: evaluations of the replicas layer, one after the other (tensor-fusion.md
 * §8.5). */
#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "autoscale/replicas.h"
#include "base/error.h"
#include "base/number.h"
#include "base/ratio.h"

#define NS_PER_S 1e9
#define LONGEST_S 4e9           /* keeps the difference of two instants inside an int64_t of ns */
#define LARGEST_UTILIZATION 1e6 /* of a limit */
#define WORKERS_MAX 100000      /* of one step; without maxReplicas that is the upper end */

#define SECONDS .flags = JL_NOT_NEGATIVE | JL_HAS_MAX, .max = LONGEST_S
#define INSTANT .flags = JL_HAS_MIN | JL_HAS_MAX, .min = -LONGEST_S, .max = LONGEST_S
#define WORKERS .flags = JL_NOT_NEGATIVE | JL_HAS_MAX, .max = WORKERS_MAX

struct replicas_step_in {
    uint64_t has;
    double t_s;
    struct jl_list utilization;
    double utilization_all;
    int64_t missing;
    bool limits_bursting;
};

enum { STEP_T, STEP_UTILIZATION, STEP_UTILIZATION_ALL, STEP_MISSING, STEP_BURSTING };

static const struct jl_row step_rows[] = {
    [STEP_T] =
        JL_NUMBER(replicas_step_in, t_s, "t", .flags = JL_REQUIRED | JL_HAS_MIN | JL_HAS_MAX,
                  .min = -LONGEST_S, .max = LONGEST_S, .doc = "Instant of the evaluation, s."),
    [STEP_UTILIZATION] = JL_NUMBERS(replicas_step_in, utilization, "utilization",
                                    .doc = "Mean TFLOPS over limit of each worker that reports."),
    [STEP_UTILIZATION_ALL] =
        JL_NUMBER(replicas_step_in, utilization_all, "utilizationAll",
                  .flags = JL_NOT_NEGATIVE | JL_HAS_MAX, .max = LARGEST_UTILIZATION,
                  .doc = "The same for all workers but the missing, in place of utilization."),
    [STEP_MISSING] = JL_INTEGER(replicas_step_in, missing, "missing", WORKERS,
                                .doc = "Workers that do not report (0)."),
    [STEP_BURSTING] =
        JL_BOOLEAN(replicas_step_in, limits_bursting, "limitsBursting",
                   .doc = "Whether the limits layer runs and has not come to its end (false)."),
};
static const struct jl_table step_table = JL_TABLE(replicas_step_in, step_rows);

struct replicas_in {
    uint64_t has;
    int64_t replicas;
    double target;
    const char *up;
    const char *down;
    double up_cool_down_s;
    double down_cool_down_s;
    double created_s;
    int64_t min;
    int64_t max;
    struct jl_list steps;
};

enum {
    IN_REPLICAS,
    IN_TARGET,
    IN_UP,
    IN_DOWN,
    IN_UP_COOL_DOWN,
    IN_DOWN_COOL_DOWN,
    IN_CREATED,
    IN_MIN,
    IN_MAX,
    IN_STEPS,
};

static const struct jl_row in_rows[] = {
    [IN_REPLICAS] = JL_INTEGER(replicas_in, replicas, "replicas",
                               .flags = JL_REQUIRED | JL_NOT_NEGATIVE | JL_HAS_MAX,
                               .max = WORKERS_MAX, .doc = "Replicas before the first step."),
    [IN_TARGET] = JL_NUMBER(replicas_in, target, "target",
                            .flags = JL_HAS_MIN | JL_EXCLUSIVE_MIN | JL_HAS_MAX, .max = 1,
                            .doc = "Utilization to come to, fraction of the limit (0.95)."),
    [IN_UP] = JL_STRING(replicas_in, up, "scaleUpStep", .doc = "Growth at most (30%)."),
    [IN_DOWN] = JL_STRING(replicas_in, down, "scaleDownStep", .doc = "Reduction at most (10%)."),
    [IN_UP_COOL_DOWN] = JL_NUMBER(replicas_in, up_cool_down_s, "scaleUpCoolDownS", SECONDS,
                                  .doc = "Time between two growths, s (60)."),
    [IN_DOWN_COOL_DOWN] = JL_NUMBER(replicas_in, down_cool_down_s, "scaleDownCoolDownS", SECONDS,
                                    .doc = "Time without a change before a reduction, s (300)."),
    [IN_CREATED] = JL_NUMBER(replicas_in, created_s, "createdT", INSTANT,
                             .doc = "Creation of the workload, s; absent = long ago."),
    [IN_MIN] = JL_INTEGER(replicas_in, min, "minReplicas", WORKERS, .doc = "Lower end (1)."),
    [IN_MAX] = JL_INTEGER(replicas_in, max, "maxReplicas", WORKERS, .doc = "Upper end (100000)."),
    [IN_STEPS] = JL_LIST(replicas_in, steps, "steps", &step_table, .flags = JL_REQUIRED,
                         .doc = "Evaluations in order."),
};
static const struct jl_table in_table = JL_TABLE(replicas_in, in_rows);

struct replicas_step_out {
    uint64_t has;
    int64_t from;
    double ratio;
    int64_t desired;
    int64_t to;
    enum jl_scale_reason reason;
};

enum { OUT_FROM, OUT_RATIO, OUT_DESIRED, OUT_TO, OUT_REASON };

static const struct jl_row step_out_rows[] = {
    [OUT_FROM] = JL_INTEGER(replicas_step_out, from, "from", .doc = "Replicas before the step."),
    [OUT_RATIO] = JL_NUMBER(replicas_step_out, ratio, "ratio",
                            .doc = "Mean utilization over the target; absent = no metrics."),
    [OUT_DESIRED] = JL_INTEGER(replicas_step_out, desired, "desired",
                               .doc = "Replicas wanted, before the cool-down."),
    [OUT_TO] = JL_INTEGER(replicas_step_out, to, "to", .doc = "Replicas after the step."),
    [OUT_REASON] = JL_ENUM(replicas_step_out, reason, "reason", &jl_scale_reason_words,
                           .doc = "What decided: the cool-down when it changed the answer."),
};
static const struct jl_table step_out_table = JL_TABLE(replicas_step_out, step_out_rows);

struct replicas_out {
    uint64_t has;
    struct jl_list steps;
};

enum { OUT_STEPS };

static const struct jl_row out_rows[] = {
    [OUT_STEPS] =
        JL_LIST(replicas_out, steps, "steps", &step_out_table, .doc = "One for each step."),
};
static const struct jl_table out_table = JL_TABLE(replicas_out, out_rows);

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

static int read_config(struct jl_ask *ask, const struct replicas_in *in,
                       struct jl_replicas_config *out)
{
    int rc = 0;
    jl_replicas_defaults(out);
    out->max = JL_HAS(in, IN_MAX) ? in->max : WORKERS_MAX;
    if (JL_HAS(in, IN_TARGET))
        out->target_frac = in->target;
    if (JL_HAS(in, IN_UP_COOL_DOWN))
        out->up_cool_down_ns = ns_of(in->up_cool_down_s);
    if (JL_HAS(in, IN_DOWN_COOL_DOWN))
        out->down_cool_down_ns = ns_of(in->down_cool_down_s);
    if (JL_HAS(in, IN_MIN))
        out->min = in->min > 1 ? in->min : 1;
    if (out->max < out->min)
        return jl_ask_fail(ask, JOULIE_E_RANGE, "maxReplicas", "below minReplicas");
    if (JL_HAS(in, IN_UP))
        rc = read_step(ask, in->up, "scaleUpStep", JL_RATIO_REPLICAS_STEP_UP, &out->up);
    if (rc == 0 && JL_HAS(in, IN_DOWN))
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
    const struct jl_path list_at = { .key = jl_text(in_rows[IN_STEPS].key) };
    const struct jl_path step_at = { .up = &list_at, .index = index };
    const struct jl_path at = { .up = &step_at, .key = jl_text("utilization") };
    out->missing = (size_t)step->missing;
    if (!JL_HAS(step, STEP_UTILIZATION)) {
        if (!JL_HAS(step, STEP_UTILIZATION_ALL) || step->missing >= out->replicas)
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
            return jl_decode_fail(ask->decode, JOULIE_E_RANGE, &at, SIZE_MAX,
                                  "a utilization is within 0 and 10^6");
    return 0;
}

static void put_step(struct replicas_step_out *out, int64_t from,
                     const struct jl_replicas_result *result)
{
    JL_PUT(out, OUT_FROM, from, from);
    if (result->has_ratio)
        JL_PUT(out, OUT_RATIO, ratio, result->ratio);
    JL_PUT(out, OUT_DESIRED, desired, result->desired);
    JL_PUT(out, OUT_TO, to, result->to);
    JL_PUT(out, OUT_REASON, reason, result->reason);
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct replicas_in *in = input;
    struct replicas_out *out = output;
    struct jl_replicas_config config;
    struct jl_replicas_state state = { 0 };
    struct room room = { 0 };
    int64_t replicas = in->replicas;
    struct replicas_step_out *steps =
        JL_NEW_ARRAY(ask->arena, in->steps.count, struct replicas_step_out);
    if (steps == NULL)
        return jl_fail_memory(ask->err);
    int rc = read_config(ask, in, &config);
    if (JL_HAS(in, IN_CREATED))
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
    JL_PUT(out, OUT_STEPS, steps, ((struct jl_list){ steps, in->steps.count }));
    return 0;
}

const struct jl_question jl_question_autoscale_replicas = {
    .name = "autoscale.replicas",
    .summary = "Evaluations of the replicas layer of the TensorFusion autoscaler",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
