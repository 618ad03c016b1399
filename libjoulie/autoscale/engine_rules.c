/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Cron rules and the reply of an external scaler inside a step: proposals for the merge
 * (docs/rules/autoscaling-triggers.md#cron-rules,
 * docs/rules/autoscaling-triggers.md#external-scaler; for v2.17.1
 * docs/rules/autoscaling-source.md#cron-and-external-scaler).
 */

#include "autoscale/engine_parts.h"
#include "base/civil.h"

#define PERCENT 100

/* ---- cron ---- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static bool is_active(struct jl_scale_run *run, const struct jl_cron_rule *rule)
{
    const int64_t now_s = jl_floor_div(run->step->now_ns, JL_NS_PER_S);
    if (run->config->model == JL_AUTOSCALE_V2_17_1)
        return jl_cron_is_active_v2_17_1(&rule->start, rule->start_zone, &rule->end, rule->end_zone,
                                         now_s);
    struct jl_cron_window window;
    if (jl_cron_window(&rule->start, rule->start_zone, &rule->end, rule->end_zone, now_s, &window) <
        0)
        return false;
    if (window.never_starts)
        jl_scale_add_condition(run, JL_REASON_NEVER_FIRES, rule->where_start,
                               "the rule has not started in five years");
    if (window.never_ends)
        jl_scale_add_condition(run, JL_REASON_NEVER_FIRES, rule->where_end,
                               "the rule has not ended in five years");
    return window.is_active;
}

/* The largest request and limit that active rules ask for, and how many are active. */
static size_t active_amounts(struct jl_scale_run *run, struct jl_amounts *out)
{
    size_t active = 0;
    *out = (struct jl_amounts){ 0 };
    for (size_t i = 0; i < run->config->rule_count; i++) {
        const struct jl_cron_rule *rule = &run->config->rules[i];
        if (!is_active(run, rule))
            continue;
        active++;
        for (size_t u = 0; u < JL_USAGES; u++) {
            out->of[u].request = larger(out->of[u].request, rule->desired.of[u].request);
            out->of[u].limit = larger(out->of[u].limit, rule->desired.of[u].limit);
        }
    }
    return active;
}

/* A request that grows is capped to what the GPUs can still give. */
static void cap_growth(const struct jl_scale_step *step, struct jl_amounts *amounts)
{
    for (unsigned u = 0; u < JL_USAGES; u++) {
        double *request = &amounts->of[u].request;
        if (jl_is_bounded(&step->max_allowed, u) && *request > step->current.of[u].request &&
            *request > step->max_allowed.of[u])
            *request = step->max_allowed.of[u];
    }
}

/* Several active rules stop v2.17.1 altogether; one counts when it was not active before. */
static void propose_v2_17_1(struct jl_scale_run *run, size_t active, const struct jl_amounts *asked,
                            bool *is_stopped)
{
    struct jl_scale_engine *scaler = run->scaler;
    struct jl_proposal proposal = { .amounts = *asked, .is_locked = true };
    if (active > 1) {
        *is_stopped = true;
        return;
    }
    if (active == 1) {
        proposal.is_applied = scaler->is_cron_active && jl_amounts_are_same(asked, &scaler->cron);
        cap_growth(run->step, &proposal.amounts);
        jl_scale_propose(run, JL_LAYER_CRON, JL_REASON_RULE_ACTIVE, &proposal);
    } else if (scaler->is_cron_active) {
        proposal.amounts = run->config->original;
        jl_scale_propose(run, JL_LAYER_CRON, JL_REASON_RULE_INACTIVE, &proposal);
    }
}

static bool is_target(bool is_on, unsigned targets, size_t usage)
{
    return is_on && (targets & JL_TARGETS(usage)) != 0;
}

static bool owns_request(const struct jl_autoscale_config *config, size_t usage)
{
    return is_target(config->requests.is_on, config->requests.targets, usage);
}

/* Without the limits layer limits follow the requests. */
static bool owns_limit(const struct jl_autoscale_config *config, size_t usage)
{
    return owns_request(config, usage) ||
           is_target(config->limits.is_on, config->limits.targets, usage);
}

/*
 * An amount that a layer owns and did not change is a candidate too, whether the layer kept
 * it or was not due: the rule is a floor below it, and allocated VRAM is not taken away.
 */
static void raise_to_owned(const struct jl_scale_run *run, struct jl_amounts *asked)
{
    for (size_t u = 0; u < JL_USAGES; u++) {
        const struct jl_amount_pair *current = &run->step->current.of[u];
        const struct jl_amount_pair *layers = &run->amounts.of[u];
        struct jl_amount_pair *pair = &asked->of[u];
        if (owns_request(run->config, u) && pair->request > 0 &&
            layers->request == current->request)
            pair->request = larger(pair->request, current->request);
        if (owns_limit(run->config, u) && pair->limit > 0 && layers->limit == current->limit)
            pair->limit = larger(pair->limit, current->limit);
    }
}

/* The profile's amounts; where it has none, those of before the rule, or what a layer has found: a
 * pair that lacks a side counts for nothing. */
static struct jl_amounts amounts_without_rule(const struct jl_scale_run *run)
{
    struct jl_amounts amounts = run->config->original;
    for (size_t u = 0; u < JL_USAGES; u++) {
        const struct jl_amount_pair *before = &run->scaler->before_cron.of[u];
        const struct jl_amount_pair *current = &run->step->current.of[u];
        struct jl_amount_pair *pair = &amounts.of[u];
        if (!(pair->request > 0))
            pair->request = owns_request(run->config, u) ? current->request : before->request;
        if (!(pair->limit > 0))
            pair->limit = owns_limit(run->config, u) ? current->limit : before->limit;
    }
    return amounts;
}

/* A rule that has just ended gives the amounts of before back. */
static void propose_current(struct jl_scale_run *run, size_t active, const struct jl_amounts *asked)
{
    struct jl_proposal proposal = { .amounts = *asked, .is_locked = true };
    raise_to_owned(run, &proposal.amounts);
    if (active > 0)
        jl_scale_propose(run, JL_LAYER_CRON, JL_REASON_CRON_ACTIVE, &proposal);
    else if (run->scaler->is_cron_active)
        jl_scale_propose(run, JL_LAYER_CRON, JL_REASON_CRON_INACTIVE,
                         &(struct jl_proposal){ .amounts = amounts_without_rule(run) });
}

void jl_scale_run_rules(struct jl_scale_run *run, bool *is_stopped)
{
    struct jl_scale_engine *scaler = run->scaler;
    struct jl_amounts asked;
    const bool is_source = run->config->model == JL_AUTOSCALE_V2_17_1;
    if (is_source && !run->config->percentile.is_on)
        return; /* rules run only with autoSetResources */
    const size_t active = active_amounts(run, &asked);
    if (active > 1)
        jl_scale_add_condition(run, JL_REASON_OVERLAPPING_CRON_RULES, run->config->where_rules,
                               is_source ? "several rules are active: nothing is recommended"
                                         : "several rules are active: the largest amounts count");
    if (!scaler->is_cron_active)
        scaler->before_cron = run->step->current;
    if (is_source)
        propose_v2_17_1(run, active, &asked, is_stopped);
    else
        propose_current(run, active, &asked);
    scaler->is_cron_active = active > 0;
    scaler->cron = asked;
}

/* ---- external ---- */

/* needScaleUp only allows increases and needScaleDown only decreases. */
static double allowed(const struct jl_scale_reply *reply, double current, double asked)
{
    if (!(asked > 0) || (asked > current && !reply->needs_up) ||
        (asked < current && !reply->needs_down))
        return current;
    return asked;
}

static bool is_zero(const struct jl_amounts *amounts)
{
    const struct jl_amounts none = { 0 };
    return jl_amounts_are_same(amounts, &none);
}

/* TFLOPS of a reply that has a percent of one GPU instead. */
static double tflops_of(struct jl_scale_run *run, double tflops, double compute_pct,
                        bool *needs_model)
{
    const double capacity = run->config->gpu_tflops;
    if (tflops > 0 || !(compute_pct > 0))
        return tflops;
    *needs_model = !(capacity > 0);
    return compute_pct * capacity / PERCENT;
}

static struct jl_amounts amounts_of(struct jl_scale_run *run, const struct jl_scale_reply *reply)
{
    struct jl_amounts amounts = reply->amounts;
    struct jl_amount_pair *tflops = &amounts.of[JL_USAGE_TFLOPS];
    const struct jl_amount_pair given = *tflops;
    bool needs_model = false;
    tflops->request = tflops_of(run, given.request, reply->compute_pct.request, &needs_model);
    tflops->limit = tflops_of(run, given.limit, reply->compute_pct.limit, &needs_model);
    if (needs_model)
        jl_scale_add_condition(run, JL_REASON_NEEDS_GPU_MODEL, "external",
                               "a percent of a GPU whose TFLOPS nobody said");
    else if (run->config->is_gpu_family &&
             (tflops->request != given.request || tflops->limit != given.limit))
        jl_scale_add_condition(
            run, JL_REASON_AMBIGUOUS_GPU_MODEL, "external",
            "several GPUs have the profile's model; the smallest TFLOPS are taken");
    return amounts;
}

void jl_scale_run_external(struct jl_scale_run *run, bool *is_stopped)
{
    const struct jl_scale_step *step = run->step;
    const struct jl_scale_reply *reply = step->reply;
    const bool is_source = run->config->model == JL_AUTOSCALE_V2_17_1;
    struct jl_proposal proposal = { .is_locked = false };
    if (reply == NULL || (is_source && !run->config->percentile.is_on))
        return;
    if (!run->config->external.is_on) {
        jl_scale_add_condition(run, JL_REASON_EXTERNAL_SCALER_FAILED, "external",
                               "externalScaler is not enabled: the reply does not count");
        return;
    }
    if (reply->problem != NULL) {
        jl_scale_add_condition(run, JL_REASON_EXTERNAL_SCALER_FAILED, "external", reply->problem);
        *is_stopped = is_source; /* any error aborts all */
        return;
    }
    if (!reply->needs_up && !reply->needs_down) {
        if (is_source)
            jl_scale_add_condition(run, JL_REASON_NO_SCALING_NEEDED, "external",
                                   reply->reason != NULL ? reply->reason : "");
        return;
    }
    proposal.amounts = is_source ? reply->amounts : amounts_of(run, reply);
    if (is_zero(&proposal.amounts))
        return;
    if (is_source) {
        cap_growth(step, &proposal.amounts);
        jl_scale_propose(run, JL_LAYER_EXTERNAL, JL_REASON_UPDATED, &proposal);
        return;
    }
    for (unsigned u = 0; u < JL_USAGES; u++) {
        const struct jl_amount_pair *current = &step->current.of[u];
        struct jl_amount_pair *pair = &proposal.amounts.of[u];
        pair->request = allowed(reply, current->request, pair->request);
        pair->limit = allowed(reply, current->limit, pair->limit);
    }
    jl_scale_add_condition(run, JL_REASON_EXTERNAL_SCALER, "external",
                           reply->reason != NULL ? reply->reason : "");
    jl_scale_propose(run, JL_LAYER_EXTERNAL, JL_REASON_EXTERNAL_SCALER, &proposal);
}
