/* SPDX-License-Identifier: Apache-2.0 */

/* The table of questions, sorted by name. A line here and its JL_QUESTION() make a question. */

#include "ask/ask.h"

#define QUESTIONS(Q)       \
    Q(affinity_match)      \
    Q(agent_wiring)        \
    Q(autoscale)           \
    Q(autoscale_layer)     \
    Q(autoscale_merge)     \
    Q(autoscale_replicas)  \
    Q(autoscale_rollout)   \
    Q(cap_remote)          \
    Q(cap_resolve)         \
    Q(cap_step)            \
    Q(catalog_lookup)      \
    Q(cgroup)              \
    Q(classify)            \
    Q(classify_workloads)  \
    Q(control_result)      \
    Q(convert)             \
    Q(convert_lift)        \
    Q(cooling_model)       \
    Q(cpufreq_cap)         \
    Q(cpulist)             \
    Q(crd)                 \
    Q(cron_active)         \
    Q(demand_class)        \
    Q(density)             \
    Q(diff)                \
    Q(duration)            \
    Q(dvfs_apply)          \
    Q(dvfs_percent)        \
    Q(dvfs_run)            \
    Q(energy_attribute)    \
    Q(energy_delta)        \
    Q(explain)             \
    Q(facility_pue)        \
    Q(forecast)            \
    Q(glob)                \
    Q(gpu_lookup)          \
    Q(gpu_partitions)      \
    Q(gpu_price)           \
    Q(histogram)           \
    Q(http_retry)          \
    Q(image_match)         \
    Q(interval)            \
    Q(journal)             \
    Q(lease_step)          \
    Q(name_object)         \
    Q(name_valid)          \
    Q(node_facts)          \
    Q(node_hardware)       \
    Q(patch)               \
    Q(physics_ambient)     \
    Q(physics_cpu)         \
    Q(physics_gpu)         \
    Q(physics_job)         \
    Q(physics_lag)         \
    Q(physics_profile)     \
    Q(physics_speed)       \
    Q(physics_spread)      \
    Q(physics_thermal)     \
    Q(plan)                \
    Q(plan_guard)          \
    Q(policy_gpu_limit)    \
    Q(policy_hp)           \
    Q(policy_hysteresis)   \
    Q(policy_power_off)    \
    Q(policy_power_record) \
    Q(power_balance)       \
    Q(predict)             \
    Q(profile_resolve)     \
    Q(prometheus_value)    \
    Q(qos_size)            \
    Q(quantity)            \
    Q(random)              \
    Q(rapl_encode)         \
    Q(rapl_zones)          \
    Q(ratio)               \
    Q(reading)             \
    Q(score)               \
    Q(score_kube)          \
    Q(score_node)          \
    Q(score_penalty)       \
    Q(score_profile)       \
    Q(score_spread)        \
    Q(score_wire)          \
    Q(selector_match)      \
    Q(shard_owner)         \
    Q(status)              \
    Q(telemetry_power)     \
    Q(threads_cores)       \
    Q(threads_lint)        \
    Q(threads_list)        \
    Q(threads_match)       \
    Q(threads_plan)        \
    Q(thread_role)         \
    Q(threads_show)        \
    Q(train_analyze)       \
    Q(train_evaluate)      \
    Q(time)                \
    Q(trace_line)          \
    Q(validate)            \
    Q(watch_step)

#define DECLARED(id) extern const struct jl_question jl_question_##id;
#define LISTED(id) &jl_question_##id,

QUESTIONS(DECLARED)

const struct jl_question *const jl_questions[] = { QUESTIONS(LISTED) NULL };
