/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The replicas layer inside a step: how much of its limit each ready worker used in the window
 * (docs/rules/autoscaling.md#replicas-layer). The rule itself is replicas.c.
 */

#include "autoscale/engine_parts.h"

#define LEAST_DELAY_NS (60 * JL_NS_PER_S) /* initial delay, unless the period is longer */
#define YOUNG_NS (30 * JL_NS_PER_S)       /* a younger worker counts as missing */

/* Mean of usage over limit in the window of each worker that reported. */
static void sum_window(struct jl_scale_run *run)
{
    const struct jl_scale_engine *scaler = run->scaler;
    const int64_t now_ns = run->step->now_ns;
    const int64_t after_ns = now_ns - run->config->replicas.period_ns;
    for (size_t i = 0; i < scaler->recent_count; i++) {
        const struct jl_recent *recent = &scaler->recent[i];
        if (!recent->has_tflops || !(recent->tflops_limit > 0) || recent->at_ns <= after_ns ||
            recent->at_ns > now_ns)
            continue;
        run->utilizations[recent->worker] += recent->tflops / recent->tflops_limit;
        run->reports[recent->worker]++;
    }
}

/* The means of the ready workers move to the front, in the order of names. */
static void read_utilizations(struct jl_scale_run *run, struct jl_replicas_input *in)
{
    const struct jl_scale_engine *scaler = run->scaler;
    const int64_t now_ns = run->step->now_ns;
    sum_window(run);
    for (size_t i = 0; i < scaler->worker_count; i++) {
        const struct jl_tracked *worker = &scaler->workers[i];
        if (!worker->is_ready || worker->is_dedicated)
            continue;
        const bool is_young = worker->has_created && now_ns - worker->created_ns < YOUNG_NS;
        const double mean =
            run->reports[i] > 0 ? run->utilizations[i] / (double)run->reports[i] : 0;
        if (!is_young && run->reports[i] > 0 && mean <= JL_FORECAST_MOST)
            run->utilizations[in->reporting++] = mean;
        else
            in->missing++;
    }
    in->utilizations = run->utilizations;
}

static size_t ready_workers(const struct jl_scale_engine *scaler)
{
    size_t count = 0;
    for (size_t i = 0; i < scaler->worker_count; i++)
        count += scaler->workers[i].is_ready ? 1 : 0;
    return count;
}

static int64_t present_replicas(const struct jl_scale_run *run)
{
    if (run->step->replicas > 0)
        return run->step->replicas < JL_REPLICAS_MAX ? run->step->replicas : JL_REPLICAS_MAX;
    const size_t count = ready_workers(run->scaler);
    return count > 0 ? (int64_t)count : 1;
}

/* The bounds of the profile within those of the caller, who has the last word. */
static struct jl_replicas_config bounded(const struct jl_scale_run *run)
{
    const struct jl_scale_step *step = run->step;
    struct jl_replicas_config config = run->config->replicas.config;
    if (run->config->spec_replicas < 0 && step->min_replicas > config.min)
        config.min = step->min_replicas;
    if (step->max_replicas > 0 && step->max_replicas < config.max)
        config.max = step->max_replicas;
    if (config.min > config.max)
        config.min = config.max;
    return config;
}

/* Cards burst before there are more of them. */
static bool is_limits_bursting(const struct jl_scale_run *run)
{
    const struct jl_limits_layer *limits = &run->config->limits;
    return limits->is_on && (limits->targets & JL_TARGETS(JL_USAGE_TFLOPS)) != 0 &&
           !run->scaler->is_limit_at_upper;
}

void jl_scale_run_replicas(struct jl_scale_run *run)
{
    struct jl_scale_engine *scaler = run->scaler;
    const int64_t period_ns = run->config->replicas.period_ns;
    const int64_t delay_ns = period_ns > LEAST_DELAY_NS ? period_ns : LEAST_DELAY_NS;
    if (!run->config->replicas.is_on ||
        !jl_scale_is_due(run, JL_CLOCK_REPLICAS, delay_ns, period_ns))
        return;
    const struct jl_replicas_config config = bounded(run);
    struct jl_replicas_input in = {
        .now_ns = run->step->now_ns,
        .replicas = present_replicas(run),
        .is_limits_bursting = is_limits_bursting(run),
        .config = &config,
    };
    read_utilizations(run, &in);
    if (!scaler->has_replicas) {
        jl_replicas_begin(&scaler->replicas, scaler->start_ns);
        scaler->has_replicas = true;
    }
    struct jl_replicas_result result;
    jl_scale_replicas(&in, &scaler->replicas, &result);
    run->out->has_replicas = true;
    run->out->replicas = (struct jl_replicas_decision){
        .from = in.replicas,
        .desired = result.desired,
        .to = result.to,
        .ratio = result.ratio,
        .has_ratio = result.has_ratio,
        .reason = result.reason,
    };
    if (in.missing > 0)
        jl_scale_add_condition(
            run, in.reporting > 0 ? JL_REASON_MISSING_METRICS : JL_REASON_NO_METRICS, "samples",
            "a ready worker is too young or has no sample in the window");
}
