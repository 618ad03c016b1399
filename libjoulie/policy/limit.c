/* SPDX-License-Identifier: Apache-2.0 */

/* The cap of a node's GPUs by efficiency_v1 (docs/rules/policy.md#efficiency_v1). The plan calls it
 * for each node with GPUs, the question policy.gpu-limit for one. */

#include <math.h>

#include <joulie/error.h>

#include "base/number.h"
#include "base/sort.h"
#define JL_LIMIT_TABLES
#include "policy/limit.h"
#include "policy/policy.h"

#define PCT 100.0
#define WORD_RANGE 0.1  /* of the memory intensity that a word stands for, to either side */
#define ROUNDING 1e-12  /* of a speed that is just within its limit */
#define LEAST_GAIN 1e-9 /* of the power per speed, for a lower cap to be taken */

const struct jl_words jl_limit_words = JL_WORDS({
    { JL_LIMIT_IDLE, "idle" },
    { JL_LIMIT_UNKNOWN_WORK, "unknown-work" },
    { JL_LIMIT_UNKNOWN_GPU, "unknown-gpu" },
    { JL_LIMIT_PROMISE, "promise" },
    { JL_LIMIT_BACKLOG, "backlog" },
    { JL_LIMIT_NO_GAIN, "no-gain" },
    { JL_LIMIT_CAPPED, "capped" },
    { JL_LIMIT_DWELL, "dwell" },
});

const char *jl_limit_text(enum jl_limit_reason reason)
{
    switch (reason) {
    case JL_LIMIT_IDLE:
        return "no GPU cap: there is no work on its GPUs";
    case JL_LIMIT_UNKNOWN_WORK:
        return "no GPU cap: no profile describes a pod on its GPUs";
    case JL_LIMIT_UNKNOWN_GPU:
        return "no GPU cap: its GPUs or their range of caps are not known";
    case JL_LIMIT_PROMISE:
        return "no GPU cap: a pod on its GPUs may not be slowed";
    case JL_LIMIT_BACKLOG:
        return "no GPU cap: pods wait that could run here";
    case JL_LIMIT_NO_GAIN:
        return "no GPU cap: none within the slowdown limits saves energy";
    case JL_LIMIT_CAPPED:
        return "GPU cap of least energy within the slowdown limits";
    case JL_LIMIT_DWELL:
        return "GPU cap stays: it was lowered too recently to become lower";
    case JL_LIMIT_NO_REASON:
        break;
    }
    return "no reason recorded";
}

/* ---- the work ---- */

static double allowed_pct(const struct joulie_work *work, const struct jl_policy_config *config)
{
    if (work->workload_class == JOULIE_WORKLOAD_PERFORMANCE)
        return config->gpu_slowdown_performance_pct;
    return work->gpu_sensitivity == JOULIE_LEVEL_LOW ? config->gpu_slowdown_insensitive_pct
                                                     : config->gpu_slowdown_standard_pct;
}

/* A slice shares its GPU with work that is not seen. */
static bool is_known(const struct joulie_work *work)
{
    const bool has_bound = work->gpu_bound == JOULIE_BOUND_COMPUTE ||
                           work->gpu_bound == JOULIE_BOUND_MIXED ||
                           work->gpu_bound == JOULIE_BOUND_MEMORY;
    return has_bound && (work->has & JOULIE_WORK_HAS_GPU_UTIL) != 0 &&
           work->gpu_count == floor(work->gpu_count);
}

void jl_gpu_job_init(const struct joulie_work *work, const struct jl_policy_config *config,
                     struct jl_gpu_job *out)
{
    *out = (struct jl_gpu_job){ .gpus = work->gpu_count, .is_known = is_known(work) };
    if (!out->is_known)
        return;
    const struct jl_gpu_mix mix = jl_gpu_mix_of_bound(work->gpu_bound);
    jl_gpu_weights(&mix, &out->weights);
    const struct jl_gpu_mix least = { mix.class_, mix.memory - WORD_RANGE, mix.feed };
    jl_gpu_weights(&least, &out->least);
    out->util = work->gpu_util;
    out->slowdown_frac = allowed_pct(work, config) / PCT;
}

/* Sums are made in this order, so that they do not depend on that of the pods. */
static int job_order(const void *a, const void *b, void *user)
{
    const struct jl_gpu_job *left = a;
    const struct jl_gpu_job *right = b;
    const double differences[] = {
        left->weights.memory - right->weights.memory,
        left->util - right->util,
        left->slowdown_frac - right->slowdown_frac,
        left->gpus - right->gpus,
    };
    (void)user;
    for (size_t i = 0; i < JL_COUNT(differences); i++) {
        if (differences[i] < 0 || differences[i] > 0)
            return differences[i] < 0 ? -1 : 1;
    }
    return 0;
}

/* ---- the cap ---- */

struct search {
    struct jl_gpu_profile gpu;
    const struct jl_gpu_job *jobs;
    size_t count;
};

/* The work under one cap. */
struct effect {
    double cost_w; /* above idle, per speed: what the energy of the work goes by */
    double power_w;
    double slowdown_frac;
    bool is_within; /* no job is slowed more than it may be */
};

static struct effect under(const struct search *search, double cap_w)
{
    const struct jl_gpu_profile *gpu = &search->gpu;
    struct effect all = { .is_within = true };
    for (size_t i = 0; i < search->count; i++) {
        const struct jl_gpu_job *job = &search->jobs[i];
        const double natural_w = jl_gpu_natural_w(gpu, &job->weights, job->util);
        const double power_w = jl_gpu_power_w(gpu, natural_w, cap_w);
        const double speed =
            jl_gpu_throughput(gpu, &job->weights, natural_w, cap_w, 0, JL_PHYSICS_CURRENT);
        const double least_speed =
            jl_gpu_throughput(gpu, &job->least, jl_gpu_natural_w(gpu, &job->least, job->util),
                              cap_w, 0, JL_PHYSICS_CURRENT);
        if (!(least_speed >= 1 / (1 + job->slowdown_frac) - ROUNDING))
            all.is_within = false;
        all.power_w += job->gpus * power_w;
        all.cost_w += job->gpus * (power_w - gpu->idle_w) / speed;
        all.slowdown_frac = jl_max(all.slowdown_frac, 1 / speed - 1);
    }
    return all;
}

static double cap_w(const struct search *search, double pct)
{
    return search->gpu.max_w * pct / PCT;
}

/* Speeds only fall with the cap: what is out of its limit at one is so below it. */
static double best_pct(const struct search *search)
{
    const double lowest = ceil(PCT * search->gpu.min_cap_w / search->gpu.max_w);
    double best = JL_NO_CAP_PCT;
    double best_w = under(search, search->gpu.max_w).cost_w;
    for (double pct = JL_NO_CAP_PCT - 1; pct >= lowest; pct--) {
        const struct effect effect = under(search, cap_w(search, pct));
        if (!effect.is_within)
            break;
        if (effect.cost_w < best_w * (1 - LEAST_GAIN)) {
            best = pct;
            best_w = effect.cost_w;
        }
    }
    return best;
}

static bool read_gpu(const struct jl_hardware *hardware, struct jl_gpu_profile *out)
{
    struct jl_gpu_profile settings = { 0 };
    double min_w = 0;
    double max_w = 0;
    if (hardware->gpu_model == NULL || !jl_gpu_cap_range(hardware, &min_w, &max_w) || !(min_w > 0))
        return false;
    JL_SET(&settings, model, hardware->gpu_model->key);
    JL_SET(&settings, min_cap_w, min_w);
    JL_SET(&settings, max_w, max_w);
    return jl_gpu_resolve(&settings, JL_PHYSICS_CURRENT, out) == 0 && out->max_w > 0;
}

static enum jl_limit_reason obstacle(const struct jl_gpu_job *jobs, size_t count)
{
    enum jl_limit_reason reason = count == 0 ? JL_LIMIT_IDLE : JL_LIMIT_NO_REASON;
    for (size_t i = 0; i < count && reason != JL_LIMIT_UNKNOWN_WORK; i++) {
        if (!jobs[i].is_known)
            reason = JL_LIMIT_UNKNOWN_WORK;
        else if (!(jobs[i].slowdown_frac > 0))
            reason = JL_LIMIT_PROMISE;
    }
    return reason;
}

int jl_gpu_limit_of_work(const struct jl_hardware *hardware, struct jl_gpu_job *jobs, size_t count,
                         struct jl_gpu_limit *out)
{
    struct search search = { .jobs = jobs, .count = count };
    const enum jl_limit_reason reason = obstacle(jobs, count);
    *out = (struct jl_gpu_limit){ JL_NO_CAP_PCT, .reason = reason, .best_pct = JL_NO_CAP_PCT };
    if (reason == JL_LIMIT_IDLE || reason == JL_LIMIT_UNKNOWN_WORK)
        return 0;
    if (!read_gpu(hardware, &search.gpu)) {
        out->reason = JL_LIMIT_UNKNOWN_GPU;
        return 0;
    }
    if (jl_sort(jobs, count, sizeof *jobs, job_order, NULL) < 0)
        return JOULIE_E_NOMEM;
    if (reason == JL_LIMIT_NO_REASON) {
        out->pct = best_pct(&search);
        out->best_pct = out->pct;
        out->reason = out->pct < JL_NO_CAP_PCT ? JL_LIMIT_CAPPED : JL_LIMIT_NO_GAIN;
    }
    const struct effect effect = under(&search, cap_w(&search, out->pct));
    out->natural_w = under(&search, search.gpu.max_w).power_w;
    out->best_w = effect.power_w;
    out->slowdown_frac = effect.slowdown_frac;
    return 0;
}

/* ---- now ---- */

/* A clock that was set back ends the wait. */
static bool is_recent(const struct jl_limit_past *past, double dwell_s, int64_t now_ms)
{
    return past->has_lowered && past->lowered_ms <= now_ms &&
           now_ms - past->lowered_ms < jl_seconds_ms(dwell_s);
}

void jl_gpu_limit_now(const struct jl_gpu_limit *of_work, const struct jl_policy_config *config,
                      bool has_backlog, const struct jl_limit_past *past, int64_t now_ms,
                      struct jl_gpu_limit *out)
{
    *out = *of_work;
    if (of_work->best_pct < JL_NO_CAP_PCT && has_backlog) {
        out->pct = JL_NO_CAP_PCT;
        out->reason = JL_LIMIT_BACKLOG;
    } else if (out->pct < past->pct && is_recent(past, config->gpu_cap_dwell_s, now_ms)) {
        out->pct = past->pct;
        out->reason = JL_LIMIT_DWELL;
    }
}

/* ---- for people ---- */

void jl_limit_report_of(const struct jl_gpu_limit *limit, struct jl_limit_report *out)
{
    const bool is_known = limit->natural_w > 0;
    *out = (struct jl_limit_report){ .has = 0 };
    JL_SET(out, reason, limit->reason);
    JL_SET(out, best_pct, limit->best_pct);
    JL_SET_IF(out, natural_w, is_known, limit->natural_w);
    JL_SET_IF(out, best_w, is_known, limit->best_w);
    JL_SET_IF(out, slowdown_pct, is_known, PCT * limit->slowdown_frac);
}
