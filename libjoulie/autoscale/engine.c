/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One step of a workload's autoscaler: samples first, then the layers that are due in their order,
 * then one recommendation of all (docs/rules/autoscaling.md#step). Called by the handle, the
 * question autoscale and the simulator.
 */

#include "autoscale/engine.h"

#include "autoscale/engine_parts.h"
#include "autoscale/layer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "kubernetes/quantity.h"

/* ---- life ---- */

struct jl_scale_engine *jl_scale_engine_new(void)
{
    return jl_calloc(1, sizeof(struct jl_scale_engine));
}

void jl_scale_engine_free(struct jl_scale_engine *scaler)
{
    if (scaler == NULL)
        return;
    for (size_t i = 0; i < JL_MEMORIES; i++)
        jl_memory_free(scaler->memories[i]);
    for (size_t i = 0; i < scaler->worker_count; i++)
        jl_free(scaler->workers[i].name);
    jl_free(scaler->workers);
    jl_free(scaler->recent);
    jl_free(scaler);
}

static void find_start(struct jl_scale_engine *scaler)
{
    for (size_t i = 0; i < scaler->worker_count; i++) {
        const struct jl_tracked *worker = &scaler->workers[i];
        if (!worker->is_ready || !worker->has_created ||
            (scaler->has_start && worker->created_ns >= scaler->start_ns))
            continue;
        scaler->has_start = true;
        scaler->start_ns = worker->created_ns;
    }
}

static void merge(struct jl_scale_run *run)
{
    const struct jl_autoscale_config *config = run->config;
    const struct jl_scale_step *step = run->step;
    struct jl_merge_result result;
    struct jl_merge_input in = {
        .rules = config->model == JL_AUTOSCALE_V2_17_1 ? JL_MERGE_V2_17_1 : JL_MERGE_CURRENT,
        .current = step->current,
        .proposals = run->proposals,
        .count = run->proposal_count,
        .max_allowed = step->max_allowed,
        .gpu = step->gpu,
        .max_ratio = config->limits.max_ratio,
        .given.max_ratio = config->limits.is_on,
        .vram_floor = jl_round_up_to(jl_scale_vram_floor(run), jl_usage_step(JL_USAGE_VRAM)),
    };
    if (in.count == 0)
        return;
    jl_merge_proposals(&in, &result);
    if (!result.is_recommendation)
        return;
    run->out->amounts = result.amounts;
    for (size_t u = 0; u < JL_USAGES; u++) {
        struct jl_amount_pair *pair = &run->out->amounts.of[u];
        pair->request = jl_min(pair->request, JL_MOST_AMOUNT);
        pair->limit = jl_min(pair->limit, JL_MOST_AMOUNT);
    }
}

static void decide_current(struct jl_scale_run *run)
{
    bool is_stopped = false;
    jl_scale_run_requests(run);
    jl_scale_run_limits(run);
    if (!jl_amounts_are_same(&run->amounts, &run->step->current))
        run->proposals[run->proposal_count++] = (struct jl_proposal){ .amounts = run->amounts };
    jl_scale_run_replicas(run);
    jl_scale_run_rules(run, &is_stopped);
    jl_scale_run_external(run, &is_stopped);
    merge(run);
}

static void decide_v2_17_1(struct jl_scale_run *run)
{
    struct jl_scale_engine *scaler = run->scaler;
    const bool was_cron_active = scaler->is_cron_active;
    const struct jl_amounts cron = scaler->cron;
    bool is_stopped = false;
    jl_scale_run_percentile(run);
    jl_scale_run_rules(run, &is_stopped);
    jl_scale_run_external(run, &is_stopped);
    if (is_stopped) { /* no rule was applied, so none is remembered */
        scaler->is_cron_active = was_cron_active;
        scaler->cron = cron;
        return;
    }
    merge(run);
}

/* ---- the step ---- */

static int prepare(struct jl_scale_run *run, struct jl_arena *arena, struct joulie_error *err)
{
    int rc = jl_scale_add_workers(run, arena, err);
    if (rc < 0)
        return rc;
    const size_t count = run->scaler->worker_count;
    run->utilizations = JL_NEW_ARRAY(arena, count, double);
    run->reports = JL_NEW_ARRAY(arena, count, uint32_t);
    if (run->utilizations == NULL || run->reports == NULL || jl_scale_reserve(run) < 0)
        return jl_fail_memory(err);
    return 0;
}

static void add_config_conditions(struct jl_scale_run *run)
{
    for (size_t i = 0; i < run->config->condition_count; i++)
        run->conditions[run->out->condition_count++] = run->config->conditions[i];
    run->out->conditions = run->conditions;
}

static bool is_any_layer_on(const struct jl_autoscale_config *config)
{
    return config->limits.is_on || config->replicas.is_on || config->requests.is_on ||
           config->percentile.is_on;
}

static void decide(struct jl_scale_run *run)
{
    struct jl_scale_engine *scaler = run->scaler;
    find_start(scaler);
    if (!scaler->has_start && is_any_layer_on(run->config))
        jl_scale_add_condition(run, JL_REASON_NO_METRICS, "workers",
                               "nobody knows a worker, so no layer is due");
    if (run->config->model == JL_AUTOSCALE_V2_17_1)
        decide_v2_17_1(run);
    else
        decide_current(run);
    scaler->has_now = true;
    scaler->now_ns = run->step->now_ns;
    jl_scale_forget_workers(run);
}

/* Only notes when the layers are due: in an untouched step none of them is. */
static void note_due_times(struct jl_scale_run *run)
{
    run->out->is_untouched = true;
    jl_scale_run_requests(run);
    jl_scale_run_limits(run);
    jl_scale_run_replicas(run);
    jl_scale_run_percentile(run);
}

int jl_scale_engine_step(struct jl_scale_engine *scaler, const struct jl_autoscale_config *config,
                         const struct jl_scale_step *step, struct jl_arena *arena,
                         struct jl_scale_result *out, struct joulie_error *err)
{
    struct jl_scale_result result = { .amounts = step->current, .next_due_ns = INT64_MAX };
    struct jl_scale_run run = {
        .scaler = scaler,
        .config = config,
        .step = step,
        .out = &result,
        .amounts = step->current,
    };
    if (step->now_ns > JL_SCALE_MOST_NS || step->now_ns < -JL_SCALE_MOST_NS)
        return jl_fail(err, JOULIE_E_RANGE, "now", "outside the years 1824 to 2115");
    run.conditions = JL_NEW_ARRAY(arena, JL_SCALE_CONDITIONS(config), struct jl_scale_condition);
    if (run.conditions == NULL)
        return jl_fail_memory(err);
    add_config_conditions(&run);
    if (scaler->has_now && step->now_ns < scaler->now_ns) {
        jl_scale_add_condition(&run, JL_REASON_CLOCK_WENT_BACK, "now",
                               "before the step that was remembered: nothing was evaluated");
        note_due_times(&run);
        *out = result;
        return 0;
    }
    int rc = prepare(&run, arena, err);
    if (rc < 0)
        return rc;
    if (jl_scale_take_samples(&run, arena) < 0)
        return jl_fail_memory(err);
    decide(&run);
    *out = result;
    return 0;
}
