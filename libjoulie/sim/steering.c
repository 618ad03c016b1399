/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/steering.h"

#include "sim/control.h"
#include "sim/outside.h"

void jl_sim_steering_free(struct jl_sim_run *run)
{
    jl_sim_control_free(run->control);
    jl_sim_outside_free(run->outside);
}

int jl_sim_pod_changed(struct jl_sim_run *run, size_t job, struct joulie_error *err)
{
    if (run->outside)
        return jl_sim_outside_pod(run->outside, job, err);
    return run->control ? jl_sim_control_pod(run->control, job, run->now_s, err) : 0;
}

int jl_sim_steer(struct jl_sim_run *run, struct joulie_error *err)
{
    if (run->outside)
        return jl_sim_outside_steer(run->outside, err);
    return run->control ? jl_sim_control_steer(run->control, run->now_s, err) : 0;
}

int jl_sim_refresh_admits(struct jl_sim_run *run, struct joulie_error *err)
{
    (void)err;
    return run->outside ? jl_sim_outside_refresh(run->outside)
                        : 0; /* control does it in its step */
}

int jl_sim_filter(struct jl_sim_run *run, size_t job, const struct jl_sim_places *places,
                  const bool **out, struct joulie_error *err)
{
    const struct jl_sim_shape *shape = &run->workload->shapes[run->workload->tasks[job].shape];
    (void)err;
    *out = NULL;
    if (run->outside)
        return jl_sim_outside_filter(run->outside, job, places, out);
    if (run->control && shape->is_performance)
        *out = jl_sim_control_admits(run->control);
    return 0;
}

int jl_sim_prioritize(struct jl_sim_run *run, size_t job, const struct jl_cluster_score **out,
                      struct joulie_error *err)
{
    *out = NULL;
    if (run->settings.placement == JL_PLACE_LEAST_ALLOCATED)
        return 0;
    if (run->outside)
        *out = jl_sim_outside_scores(run->outside);
    return run->control ? jl_sim_control_score(run->control, job, run->now_s, out, err) : 0;
}

bool jl_sim_has_news(const struct jl_sim_run *run)
{
    return run->outside && jl_sim_outside_has_news(run->outside);
}
