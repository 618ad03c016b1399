/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The table of questions, sorted by name. One line here and one file in this folder make a
 * question.
 */

#include "ask/ask.h"

extern const struct jl_question jl_question_affinity_match;
extern const struct jl_question jl_question_agent_wiring;
extern const struct jl_question jl_question_autoscale;
extern const struct jl_question jl_question_autoscale_books;
extern const struct jl_question jl_question_autoscale_layer;
extern const struct jl_question jl_question_autoscale_merge;
extern const struct jl_question jl_question_autoscale_replicas;
extern const struct jl_question jl_question_cap_remote;
extern const struct jl_question jl_question_cap_resolve;
extern const struct jl_question jl_question_cap_step;
extern const struct jl_question jl_question_catalog_lookup;
extern const struct jl_question jl_question_cgroup;
extern const struct jl_question jl_question_classify;
extern const struct jl_question jl_question_control_result;
extern const struct jl_question jl_question_convert;
extern const struct jl_question jl_question_convert_lift;
extern const struct jl_question jl_question_cooling_model;
extern const struct jl_question jl_question_cpufreq_cap;
extern const struct jl_question jl_question_crd;
extern const struct jl_question jl_question_cron_active;
extern const struct jl_question jl_question_demand_class;
extern const struct jl_question jl_question_density;
extern const struct jl_question jl_question_diff;
extern const struct jl_question jl_question_duration;
extern const struct jl_question jl_question_dvfs_apply;
extern const struct jl_question jl_question_dvfs_percent;
extern const struct jl_question jl_question_dvfs_run;
extern const struct jl_question jl_question_energy_attribute;
extern const struct jl_question jl_question_energy_delta;
extern const struct jl_question jl_question_explain;
extern const struct jl_question jl_question_facility_pue;
extern const struct jl_question jl_question_forecast;
extern const struct jl_question jl_question_gpu_lookup;
extern const struct jl_question jl_question_gpu_partitions;
extern const struct jl_question jl_question_gpu_price;
extern const struct jl_question jl_question_histogram;
extern const struct jl_question jl_question_http_retry;
extern const struct jl_question jl_question_interval;
extern const struct jl_question jl_question_journal;
extern const struct jl_question jl_question_name_object;
extern const struct jl_question jl_question_name_valid;
extern const struct jl_question jl_question_node_facts;
extern const struct jl_question jl_question_node_hardware;
extern const struct jl_question jl_question_patch;
extern const struct jl_question jl_question_physics_ambient;
extern const struct jl_question jl_question_physics_cpu;
extern const struct jl_question jl_question_physics_gpu;
extern const struct jl_question jl_question_physics_job;
extern const struct jl_question jl_question_physics_lag;
extern const struct jl_question jl_question_physics_profile;
extern const struct jl_question jl_question_physics_speed;
extern const struct jl_question jl_question_physics_spread;
extern const struct jl_question jl_question_physics_thermal;
extern const struct jl_question jl_question_plan;
extern const struct jl_question jl_question_plan_guard;
extern const struct jl_question jl_question_policy_hp;
extern const struct jl_question jl_question_policy_hysteresis;
extern const struct jl_question jl_question_power_balance;
extern const struct jl_question jl_question_predict;
extern const struct jl_question jl_question_profile_resolve;
extern const struct jl_question jl_question_prometheus_value;
extern const struct jl_question jl_question_quantity;
extern const struct jl_question jl_question_random;
extern const struct jl_question jl_question_rapl_encode;
extern const struct jl_question jl_question_rapl_zones;
extern const struct jl_question jl_question_ratio;
extern const struct jl_question jl_question_reading;
extern const struct jl_question jl_question_score;
extern const struct jl_question jl_question_score_node;
extern const struct jl_question jl_question_score_penalty;
extern const struct jl_question jl_question_score_profile;
extern const struct jl_question jl_question_score_spread;
extern const struct jl_question jl_question_score_wire;
extern const struct jl_question jl_question_selector_match;
extern const struct jl_question jl_question_shard_owner;
extern const struct jl_question jl_question_status;
extern const struct jl_question jl_question_telemetry_power;
extern const struct jl_question jl_question_time;
extern const struct jl_question jl_question_trace_line;
extern const struct jl_question jl_question_validate;
extern const struct jl_question jl_question_watch_step;

const struct jl_question *const jl_questions[] = {
    &jl_question_affinity_match,
    &jl_question_agent_wiring,
    &jl_question_autoscale,
    &jl_question_autoscale_books,
    &jl_question_autoscale_layer,
    &jl_question_autoscale_merge,
    &jl_question_autoscale_replicas,
    &jl_question_cap_remote,
    &jl_question_cap_resolve,
    &jl_question_cap_step,
    &jl_question_catalog_lookup,
    &jl_question_cgroup,
    &jl_question_classify,
    &jl_question_control_result,
    &jl_question_convert,
    &jl_question_convert_lift,
    &jl_question_cooling_model,
    &jl_question_cpufreq_cap,
    &jl_question_crd,
    &jl_question_cron_active,
    &jl_question_demand_class,
    &jl_question_density,
    &jl_question_diff,
    &jl_question_duration,
    &jl_question_dvfs_apply,
    &jl_question_dvfs_percent,
    &jl_question_dvfs_run,
    &jl_question_energy_attribute,
    &jl_question_energy_delta,
    &jl_question_explain,
    &jl_question_facility_pue,
    &jl_question_forecast,
    &jl_question_gpu_lookup,
    &jl_question_gpu_partitions,
    &jl_question_gpu_price,
    &jl_question_histogram,
    &jl_question_http_retry,
    &jl_question_interval,
    &jl_question_journal,
    &jl_question_name_object,
    &jl_question_name_valid,
    &jl_question_node_facts,
    &jl_question_node_hardware,
    &jl_question_patch,
    &jl_question_physics_ambient,
    &jl_question_physics_cpu,
    &jl_question_physics_gpu,
    &jl_question_physics_job,
    &jl_question_physics_lag,
    &jl_question_physics_profile,
    &jl_question_physics_speed,
    &jl_question_physics_spread,
    &jl_question_physics_thermal,
    &jl_question_plan,
    &jl_question_plan_guard,
    &jl_question_policy_hp,
    &jl_question_policy_hysteresis,
    &jl_question_power_balance,
    &jl_question_predict,
    &jl_question_profile_resolve,
    &jl_question_prometheus_value,
    &jl_question_quantity,
    &jl_question_random,
    &jl_question_rapl_encode,
    &jl_question_rapl_zones,
    &jl_question_ratio,
    &jl_question_reading,
    &jl_question_score,
    &jl_question_score_node,
    &jl_question_score_penalty,
    &jl_question_score_profile,
    &jl_question_score_spread,
    &jl_question_score_wire,
    &jl_question_selector_match,
    &jl_question_shard_owner,
    &jl_question_status,
    &jl_question_telemetry_power,
    &jl_question_time,
    &jl_question_trace_line,
    &jl_question_validate,
    &jl_question_watch_step,
    NULL,
};
