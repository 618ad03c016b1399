/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */

/* What the public headers declare. Written by tests/abi/layout.py: run it again after a change of a header. */

#include "layout/layout.h"

#include <stddef.h>

#include <joulie/ask.h>
#include <joulie/autoscale.h>
#include <joulie/caps.h>
#include <joulie/classify.h>
#include <joulie/cluster.h>
#include <joulie/column.h>
#include <joulie/error.h>
#include <joulie/host.h>
#include <joulie/joulie.h>
#include <joulie/layout.h>
#include <joulie/node.h>
#include <joulie/object.h>
#include <joulie/place.h>
#include <joulie/sim.h>
#include <joulie/tensor_fusion_v1.h>
#include <joulie/twin.h>
#include <joulie/v1alpha1.h>
#include <joulie/version.h>
#include <joulie/words.h>

#include "base/text.h"

#define MEMBER(tag, member, type) \
    { #member, type, offsetof(struct tag, member), sizeof(((struct tag *)NULL)->member) }
#define STRUCT(tag) \
    { #tag, sizeof(struct tag), _Alignof(struct tag), tag##_members, JL_COUNT(tag##_members) }
#define VALUE(name) { #name, name }
#define ENUM(tag) { #tag, tag##_values, JL_COUNT(tag##_values) }
#define NUMBER(name) { #name, name }
#define TEXT(name) { #name, name }
#define FUNCTION(name, returns) { #name, returns, name##_parameters, JL_COUNT(name##_parameters) }
#define NO_PARAMETERS(name, returns) { #name, returns, NULL, 0 }

static const struct jl_layout_member joulie_ask_options_members[] = {
    MEMBER(joulie_ask_options, struct_size, "size_t"),
    MEMBER(joulie_ask_options, model, "const char *"),
    MEMBER(joulie_ask_options, physics, "const char *"),
    MEMBER(joulie_ask_options, score_range, "int32_t"),
    MEMBER(joulie_ask_options, is_lenient, "int32_t"),
    MEMBER(joulie_ask_options, on_warning, "joulie_ask_warning_fn *"),
    MEMBER(joulie_ask_options, user, "void *"),
};

static const struct jl_layout_member joulie_autoscale_condition_members[] = {
    MEMBER(joulie_autoscale_condition, struct_size, "size_t"),
    MEMBER(joulie_autoscale_condition, reason, "const char *"),
    MEMBER(joulie_autoscale_condition, where, "const char *"),
    MEMBER(joulie_autoscale_condition, message, "const char *"),
};

static const struct jl_layout_member joulie_autoscale_decision_members[] = {
    MEMBER(joulie_autoscale_decision, struct_size, "size_t"),
    MEMBER(joulie_autoscale_decision, layer, "const char *"),
    MEMBER(joulie_autoscale_decision, resource, "const char *"),
    MEMBER(joulie_autoscale_decision, before, "double"),
    MEMBER(joulie_autoscale_decision, after, "double"),
    MEMBER(joulie_autoscale_decision, reason, "const char *"),
};

static const struct jl_layout_member joulie_autoscale_input_members[] = {
    MEMBER(joulie_autoscale_input, struct_size, "size_t"),
    MEMBER(joulie_autoscale_input, has, "uint64_t"),
    MEMBER(joulie_autoscale_input, request_tflops, "double"),
    MEMBER(joulie_autoscale_input, request_vram_bytes, "double"),
    MEMBER(joulie_autoscale_input, limit_tflops, "double"),
    MEMBER(joulie_autoscale_input, limit_vram_bytes, "double"),
    MEMBER(joulie_autoscale_input, gpu_tflops, "double"),
    MEMBER(joulie_autoscale_input, gpu_vram_bytes, "double"),
    MEMBER(joulie_autoscale_input, allowed_tflops, "double"),
    MEMBER(joulie_autoscale_input, allowed_vram_bytes, "double"),
    MEMBER(joulie_autoscale_input, replicas, "int64_t"),
    MEMBER(joulie_autoscale_input, min_replicas, "int64_t"),
    MEMBER(joulie_autoscale_input, max_replicas, "int64_t"),
};

static const struct jl_layout_member joulie_autoscale_output_members[] = {
    MEMBER(joulie_autoscale_output, struct_size, "size_t"),
    MEMBER(joulie_autoscale_output, has, "uint64_t"),
    MEMBER(joulie_autoscale_output, request_tflops, "double"),
    MEMBER(joulie_autoscale_output, request_vram_bytes, "double"),
    MEMBER(joulie_autoscale_output, limit_tflops, "double"),
    MEMBER(joulie_autoscale_output, limit_vram_bytes, "double"),
    MEMBER(joulie_autoscale_output, replicas_from, "int64_t"),
    MEMBER(joulie_autoscale_output, replicas_desired, "int64_t"),
    MEMBER(joulie_autoscale_output, replicas_to, "int64_t"),
    MEMBER(joulie_autoscale_output, replicas_ratio, "double"),
    MEMBER(joulie_autoscale_output, replicas_reason, "const char *"),
    MEMBER(joulie_autoscale_output, next_due_ms, "int64_t"),
    MEMBER(joulie_autoscale_output, decision_count, "uint64_t"),
    MEMBER(joulie_autoscale_output, condition_count, "uint64_t"),
    MEMBER(joulie_autoscale_output, dropped_samples, "uint64_t"),
};

static const struct jl_layout_member joulie_autoscale_samples_members[] = {
    MEMBER(joulie_autoscale_samples, struct_size, "size_t"),
    MEMBER(joulie_autoscale_samples, has, "struct joulie_column_bits"),
    MEMBER(joulie_autoscale_samples, workers, "const char *const *"),
    MEMBER(joulie_autoscale_samples, worker_count, "size_t"),
    MEMBER(joulie_autoscale_samples, worker, "struct joulie_column_int"),
    MEMBER(joulie_autoscale_samples, at_ms, "struct joulie_column_ms"),
    MEMBER(joulie_autoscale_samples, tflops, "struct joulie_column"),
    MEMBER(joulie_autoscale_samples, vram_bytes, "struct joulie_column"),
    MEMBER(joulie_autoscale_samples, tflops_limit, "struct joulie_column"),
    MEMBER(joulie_autoscale_samples, throttled_count, "struct joulie_column"),
    MEMBER(joulie_autoscale_samples, oom_count, "struct joulie_column"),
};

static const struct jl_layout_member joulie_autoscale_sim_options_members[] = {
    MEMBER(joulie_autoscale_sim_options, struct_size, "size_t"),
    MEMBER(joulie_autoscale_sim_options, has, "uint64_t"),
    MEMBER(joulie_autoscale_sim_options, workload, "const char *"),
    MEMBER(joulie_autoscale_sim_options, trace, "const char *"),
    MEMBER(joulie_autoscale_sim_options, trace_len, "size_t"),
    MEMBER(joulie_autoscale_sim_options, profile, "const char *"),
    MEMBER(joulie_autoscale_sim_options, profile_len, "size_t"),
    MEMBER(joulie_autoscale_sim_options, source_profile, "const char *"),
    MEMBER(joulie_autoscale_sim_options, source_profile_len, "size_t"),
    MEMBER(joulie_autoscale_sim_options, hours, "double"),
    MEMBER(joulie_autoscale_sim_options, seed, "uint64_t"),
    MEMBER(joulie_autoscale_sim_options, seeds, "int64_t"),
    MEMBER(joulie_autoscale_sim_options, cards, "int64_t"),
    MEMBER(joulie_autoscale_sim_options, card_tflops, "double"),
    MEMBER(joulie_autoscale_sim_options, card_vram_bytes, "double"),
    MEMBER(joulie_autoscale_sim_options, start_delay_s, "double"),
    MEMBER(joulie_autoscale_sim_options, keeps_series, "int32_t"),
    MEMBER(joulie_autoscale_sim_options, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_autoscale_worker_members[] = {
    MEMBER(joulie_autoscale_worker, struct_size, "size_t"),
    MEMBER(joulie_autoscale_worker, has, "uint64_t"),
    MEMBER(joulie_autoscale_worker, name, "const char *"),
    MEMBER(joulie_autoscale_worker, created_ms, "int64_t"),
    MEMBER(joulie_autoscale_worker, is_dedicated, "int32_t"),
    MEMBER(joulie_autoscale_worker, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_autoscaler_options_members[] = {
    MEMBER(joulie_autoscaler_options, struct_size, "size_t"),
    MEMBER(joulie_autoscaler_options, find_zone, "joulie_zone_fn *"),
    MEMBER(joulie_autoscaler_options, user, "void *"),
    MEMBER(joulie_autoscaler_options, gpu_tflops, "double"),
    MEMBER(joulie_autoscaler_options, model, "enum joulie_autoscale_model"),
    MEMBER(joulie_autoscaler_options, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_caps_intent_members[] = {
    MEMBER(joulie_caps_intent, struct_size, "size_t"),
    MEMBER(joulie_caps_intent, has, "uint64_t"),
    MEMBER(joulie_caps_intent, cap_w, "double"),
    MEMBER(joulie_caps_intent, cap_pct, "double"),
    MEMBER(joulie_caps_intent, floor_pct, "double"),
    MEMBER(joulie_caps_intent, device, "enum joulie_cap_device"),
    MEMBER(joulie_caps_intent, rules, "enum joulie_caps_rules"),
};

static const struct jl_layout_member joulie_caps_limits_members[] = {
    MEMBER(joulie_caps_limits, struct_size, "size_t"),
    MEMBER(joulie_caps_limits, min_w, "struct joulie_column"),
    MEMBER(joulie_caps_limits, max_w, "struct joulie_column"),
    MEMBER(joulie_caps_limits, unit_w, "struct joulie_column"),
};

static const struct jl_layout_member joulie_caps_out_members[] = {
    MEMBER(joulie_caps_out, struct_size, "size_t"),
    MEMBER(joulie_caps_out, code, "struct joulie_column_int_out"),
    MEMBER(joulie_caps_out, block, "struct joulie_column_int_out"),
    MEMBER(joulie_caps_out, clamp, "struct joulie_column_int_out"),
    MEMBER(joulie_caps_out, requested_w, "struct joulie_column_out"),
    MEMBER(joulie_caps_out, cap_w, "struct joulie_column_out"),
    MEMBER(joulie_caps_out, limit_uw, "struct joulie_column_out"),
    MEMBER(joulie_caps_out, limit_milliwatts, "struct joulie_column_out"),
    MEMBER(joulie_caps_out, bound_w, "struct joulie_column_out"),
    MEMBER(joulie_caps_out, culprit, "struct joulie_column_int_out"),
};

static const struct jl_layout_member joulie_classify_input_members[] = {
    MEMBER(joulie_classify_input, struct_size, "size_t"),
    MEMBER(joulie_classify_input, has, "uint64_t"),
    MEMBER(joulie_classify_input, workload_class, "const char *"),
    MEMBER(joulie_classify_input, reschedulable, "const char *"),
    MEMBER(joulie_classify_input, cpu_sensitivity, "const char *"),
    MEMBER(joulie_classify_input, gpu_sensitivity, "const char *"),
    MEMBER(joulie_classify_input, sim_cpu_util_pct, "const char *"),
    MEMBER(joulie_classify_input, sim_gpu_util_pct, "const char *"),
    MEMBER(joulie_classify_input, sim_mem_pressure_pct, "const char *"),
    MEMBER(joulie_classify_input, cpu_util_pct, "double"),
    MEMBER(joulie_classify_input, gpu_util_pct, "double"),
    MEMBER(joulie_classify_input, mem_pressure_pct, "double"),
    MEMBER(joulie_classify_input, gpu_mem_util_pct, "double"),
    MEMBER(joulie_classify_input, cpu_energy_j, "double"),
    MEMBER(joulie_classify_input, dram_energy_j, "double"),
    MEMBER(joulie_classify_input, gpu_energy_j, "double"),
    MEMBER(joulie_classify_input, window_s, "double"),
    MEMBER(joulie_classify_input, coverage_frac, "double"),
    MEMBER(joulie_classify_input, usage_cores, "double"),
    MEMBER(joulie_classify_input, request_cores, "double"),
    MEMBER(joulie_classify_input, limit_cores, "double"),
    MEMBER(joulie_classify_input, node_cores, "double"),
    MEMBER(joulie_classify_input, working_set_bytes, "double"),
    MEMBER(joulie_classify_input, limit_bytes, "double"),
    MEMBER(joulie_classify_input, kepler_package_w, "double"),
    MEMBER(joulie_classify_input, kepler_dram_w, "double"),
    MEMBER(joulie_classify_input, kepler_gpu_w, "double"),
    MEMBER(joulie_classify_input, gpu_max_w, "double"),
    MEMBER(joulie_classify_input, gpu_count, "double"),
    MEMBER(joulie_classify_input, cpu_bound_ratio, "double"),
    MEMBER(joulie_classify_input, mem_bound_ratio, "double"),
    MEMBER(joulie_classify_input, min_confidence, "double"),
    MEMBER(joulie_classify_input, hysteresis_pct, "double"),
    MEMBER(joulie_classify_input, previous_confidence, "double"),
    MEMBER(joulie_classify_input, rules, "enum joulie_classify_rules"),
    MEMBER(joulie_classify_input, derive_class, "int32_t"),
    MEMBER(joulie_classify_input, use_sim_texts, "int32_t"),
    MEMBER(joulie_classify_input, previous_cpu_intensity, "enum joulie_level"),
    MEMBER(joulie_classify_input, previous_cpu_bound, "enum joulie_bound"),
    MEMBER(joulie_classify_input, previous_cpu_sensitivity, "enum joulie_level"),
    MEMBER(joulie_classify_input, previous_gpu_intensity, "enum joulie_level"),
    MEMBER(joulie_classify_input, previous_gpu_bound, "enum joulie_bound"),
    MEMBER(joulie_classify_input, previous_gpu_sensitivity, "enum joulie_level"),
    MEMBER(joulie_classify_input, kepler_used, "int32_t"),
    MEMBER(joulie_classify_input, gpu_dominant, "int32_t"),
    MEMBER(joulie_classify_input, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_classify_output_members[] = {
    MEMBER(joulie_classify_output, struct_size, "size_t"),
    MEMBER(joulie_classify_output, has, "uint64_t"),
    MEMBER(joulie_classify_output, flags, "uint64_t"),
    MEMBER(joulie_classify_output, reason, "char *"),
    MEMBER(joulie_classify_output, reason_size, "size_t"),
    MEMBER(joulie_classify_output, reason_len, "size_t"),
    MEMBER(joulie_classify_output, confidence, "double"),
    MEMBER(joulie_classify_output, cpu_util_pct, "double"),
    MEMBER(joulie_classify_output, gpu_util_pct, "double"),
    MEMBER(joulie_classify_output, workload_class, "enum joulie_workload_class"),
    MEMBER(joulie_classify_output, reschedulable, "int32_t"),
    MEMBER(joulie_classify_output, cpu_intensity, "enum joulie_level"),
    MEMBER(joulie_classify_output, cpu_bound, "enum joulie_bound"),
    MEMBER(joulie_classify_output, cpu_sensitivity, "enum joulie_level"),
    MEMBER(joulie_classify_output, gpu_intensity, "enum joulie_level"),
    MEMBER(joulie_classify_output, gpu_bound, "enum joulie_bound"),
    MEMBER(joulie_classify_output, gpu_sensitivity, "enum joulie_level"),
};

static const struct jl_layout_member joulie_cluster_action_members[] = {
    MEMBER(joulie_cluster_action, struct_size, "size_t"),
    MEMBER(joulie_cluster_action, id, "uint64_t"),
    MEMBER(joulie_cluster_action, api_version, "const char *"),
    MEMBER(joulie_cluster_action, kind, "const char *"),
    MEMBER(joulie_cluster_action, plural, "const char *"),
    MEMBER(joulie_cluster_action, name, "const char *"),
    MEMBER(joulie_cluster_action, subresource, "const char *"),
    MEMBER(joulie_cluster_action, node_name, "const char *"),
    MEMBER(joulie_cluster_action, body, "const char *"),
    MEMBER(joulie_cluster_action, reason, "const char *"),
    MEMBER(joulie_cluster_action, verb, "enum joulie_action_verb"),
    MEMBER(joulie_cluster_action, change, "enum joulie_change"),
};

static const struct jl_layout_member joulie_cluster_facility_members[] = {
    MEMBER(joulie_cluster_facility, struct_size, "size_t"),
    MEMBER(joulie_cluster_facility, has, "uint64_t"),
    MEMBER(joulie_cluster_facility, outside_temp_c, "double"),
    MEMBER(joulie_cluster_facility, it_power_w, "double"),
    MEMBER(joulie_cluster_facility, cooling_power_w, "double"),
};

static const struct jl_layout_member joulie_cluster_machine_members[] = {
    MEMBER(joulie_cluster_machine, struct_size, "size_t"),
    MEMBER(joulie_cluster_machine, has, "uint64_t"),
    MEMBER(joulie_cluster_machine, name, "const char *"),
    MEMBER(joulie_cluster_machine, cpu_model, "const char *"),
    MEMBER(joulie_cluster_machine, gpu_model, "const char *"),
    MEMBER(joulie_cluster_machine, rack, "const char *"),
    MEMBER(joulie_cluster_machine, cooling_zone, "const char *"),
    MEMBER(joulie_cluster_machine, cpu_sockets, "double"),
    MEMBER(joulie_cluster_machine, cpu_cores, "double"),
    MEMBER(joulie_cluster_machine, cpu_max_w, "double"),
    MEMBER(joulie_cluster_machine, cpu_min_w, "double"),
    MEMBER(joulie_cluster_machine, gpu_count, "double"),
    MEMBER(joulie_cluster_machine, gpu_max_w, "double"),
    MEMBER(joulie_cluster_machine, gpu_min_w, "double"),
    MEMBER(joulie_cluster_machine, gpu_idle_w, "double"),
    MEMBER(joulie_cluster_machine, profile, "enum joulie_profile"),
    MEMBER(joulie_cluster_machine, is_draining, "int32_t"),
    MEMBER(joulie_cluster_machine, is_unmanaged, "int32_t"),
    MEMBER(joulie_cluster_machine, is_reserved, "int32_t"),
    MEMBER(joulie_cluster_machine, is_unschedulable, "int32_t"),
    MEMBER(joulie_cluster_machine, is_paused, "int32_t"),
};

static const struct jl_layout_member joulie_cluster_node_members[] = {
    MEMBER(joulie_cluster_node, struct_size, "size_t"),
    MEMBER(joulie_cluster_node, has, "uint64_t"),
    MEMBER(joulie_cluster_node, name, "const char *"),
    MEMBER(joulie_cluster_node, uid, "const char *"),
    MEMBER(joulie_cluster_node, scope, "const char *"),
    MEMBER(joulie_cluster_node, profile, "const char *"),
    MEMBER(joulie_cluster_node, label, "const char *"),
    MEMBER(joulie_cluster_node, state, "const char *"),
    MEMBER(joulie_cluster_node, old_state, "const char *"),
    MEMBER(joulie_cluster_node, cpu_density, "double"),
    MEMBER(joulie_cluster_node, gpu_density, "double"),
    MEMBER(joulie_cluster_node, cpu_density_normalized, "double"),
    MEMBER(joulie_cluster_node, headroom_score, "double"),
    MEMBER(joulie_cluster_node, cooling_stress_score, "double"),
    MEMBER(joulie_cluster_node, psu_stress_score, "double"),
    MEMBER(joulie_cluster_node, is_paused, "int32_t"),
    MEMBER(joulie_cluster_node, is_draining, "int32_t"),
    MEMBER(joulie_cluster_node, cpu_cap_pct, "double"),
    MEMBER(joulie_cluster_node, cpu_cap_w, "double"),
    MEMBER(joulie_cluster_node, gpu_cap_pct, "double"),
    MEMBER(joulie_cluster_node, gpu_cap_w, "double"),
    MEMBER(joulie_cluster_node, node_power_w, "double"),
    MEMBER(joulie_cluster_node, node_capped_w, "double"),
    MEMBER(joulie_cluster_node, node_tdp_w, "double"),
    MEMBER(joulie_cluster_node, power_trend_w_per_min, "double"),
    MEMBER(joulie_cluster_node, rack_power_w, "double"),
    MEMBER(joulie_cluster_node, ledger_w, "double"),
    MEMBER(joulie_cluster_node, profile_value, "enum joulie_profile"),
    MEMBER(joulie_cluster_node, state_value, "enum joulie_node_state"),
    MEMBER(joulie_cluster_node, node_class, "enum joulie_node_class"),
    MEMBER(joulie_cluster_node, reserved, "uint32_t"),
    MEMBER(joulie_cluster_node, power_tier, "enum joulie_power_tier"),
    MEMBER(joulie_cluster_node, cpu_tdp_source, "enum joulie_tdp_source"),
    MEMBER(joulie_cluster_node, gpu_tdp_source, "enum joulie_tdp_source"),
    MEMBER(joulie_cluster_node, reserved_0_2, "uint32_t"),
};

static const struct jl_layout_member joulie_cluster_sample_members[] = {
    MEMBER(joulie_cluster_sample, struct_size, "size_t"),
    MEMBER(joulie_cluster_sample, has, "uint64_t"),
    MEMBER(joulie_cluster_sample, at_ms, "int64_t"),
    MEMBER(joulie_cluster_sample, node_power_w, "double"),
    MEMBER(joulie_cluster_sample, cpu_util_pct, "double"),
    MEMBER(joulie_cluster_sample, gpu_util_pct, "double"),
    MEMBER(joulie_cluster_sample, source, "const char *"),
};

static const struct jl_layout_member joulie_cluster_totals_members[] = {
    MEMBER(joulie_cluster_totals, struct_size, "size_t"),
    MEMBER(joulie_cluster_totals, pods_performance, "int64_t"),
    MEMBER(joulie_cluster_totals, pods_eco, "int64_t"),
    MEMBER(joulie_cluster_totals, pods_general, "int64_t"),
    MEMBER(joulie_cluster_totals, pods_unknown, "int64_t"),
    MEMBER(joulie_cluster_totals, weighted_demand, "double"),
    MEMBER(joulie_cluster_totals, performance_nodes, "int64_t"),
    MEMBER(joulie_cluster_totals, ledger_entries, "int64_t"),
    MEMBER(joulie_cluster_totals, ledger_w, "double"),
};

static const struct jl_layout_member joulie_cluster_work_members[] = {
    MEMBER(joulie_cluster_work, struct_size, "size_t"),
    MEMBER(joulie_cluster_work, has, "uint64_t"),
    MEMBER(joulie_cluster_work, node_name, "const char *"),
    MEMBER(joulie_cluster_work, needs, "const struct joulie_work *"),
    MEMBER(joulie_cluster_work, started_ms, "int64_t"),
    MEMBER(joulie_cluster_work, intensity, "enum joulie_level"),
    MEMBER(joulie_cluster_work, movable, "enum joulie_movable"),
    MEMBER(joulie_cluster_work, is_finished, "int32_t"),
    MEMBER(joulie_cluster_work, is_pinned, "int32_t"),
};

static const struct jl_layout_member joulie_column_members[] = {
    MEMBER(joulie_column, at, "const double *"),
    MEMBER(joulie_column, stride, "int64_t"),
};

static const struct jl_layout_member joulie_column_bits_members[] = {
    MEMBER(joulie_column_bits, at, "const uint64_t *"),
    MEMBER(joulie_column_bits, stride, "int64_t"),
};

static const struct jl_layout_member joulie_column_bits_out_members[] = {
    MEMBER(joulie_column_bits_out, at, "uint64_t *"),
    MEMBER(joulie_column_bits_out, stride, "int64_t"),
};

static const struct jl_layout_member joulie_column_int_members[] = {
    MEMBER(joulie_column_int, at, "const int32_t *"),
    MEMBER(joulie_column_int, stride, "int64_t"),
};

static const struct jl_layout_member joulie_column_int_out_members[] = {
    MEMBER(joulie_column_int_out, at, "int32_t *"),
    MEMBER(joulie_column_int_out, stride, "int64_t"),
};

static const struct jl_layout_member joulie_column_ms_members[] = {
    MEMBER(joulie_column_ms, at, "const int64_t *"),
    MEMBER(joulie_column_ms, stride, "int64_t"),
};

static const struct jl_layout_member joulie_column_out_members[] = {
    MEMBER(joulie_column_out, at, "double *"),
    MEMBER(joulie_column_out, stride, "int64_t"),
};

static const struct jl_layout_member joulie_error_members[] = {
    MEMBER(joulie_error, struct_size, "size_t"),
    MEMBER(joulie_error, code, "int"),
    MEMBER(joulie_error, sys_errno, "int"),
    MEMBER(joulie_error, line, "uint32_t"),
    MEMBER(joulie_error, column, "uint32_t"),
    MEMBER(joulie_error, where, "char[256]"),
    MEMBER(joulie_error, message, "char[512]"),
};

static const struct jl_layout_member joulie_extender_options_members[] = {
    MEMBER(joulie_extender_options, struct_size, "size_t"),
    MEMBER(joulie_extender_options, now_ms, "int64_t"),
    MEMBER(joulie_extender_options, verb, "enum joulie_extender_verb"),
    MEMBER(joulie_extender_options, score_range, "int32_t"),
    MEMBER(joulie_extender_options, is_filled, "int32_t"),
    MEMBER(joulie_extender_options, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_extender_result_members[] = {
    MEMBER(joulie_extender_result, struct_size, "size_t"),
    MEMBER(joulie_extender_result, workload_class, "const char *"),
    MEMBER(joulie_extender_result, nodes, "int64_t"),
    MEMBER(joulie_extender_result, rejected_eco, "int64_t"),
    MEMBER(joulie_extender_result, rejected_draining, "int64_t"),
    MEMBER(joulie_extender_result, rejected_label, "int64_t"),
    MEMBER(joulie_extender_result, rejected_no_data, "int64_t"),
    MEMBER(joulie_extender_result, bad_quantities, "int64_t"),
    MEMBER(joulie_extender_result, invalid_annotations, "uint64_t"),
    MEMBER(joulie_extender_result, pod, "const char *"),
    MEMBER(joulie_extender_result, pod_len, "int64_t"),
    MEMBER(joulie_extender_result, rejected_power, "int64_t"),
};

static const struct jl_layout_member joulie_host_counts_members[] = {
    MEMBER(joulie_host_counts, struct_size, "size_t"),
    MEMBER(joulie_host_counts, calls, "uint64_t"),
    MEMBER(joulie_host_counts, writes, "uint64_t"),
    MEMBER(joulie_host_counts, syncs, "uint64_t"),
    MEMBER(joulie_host_counts, restores, "uint64_t"),
};

static const struct jl_layout_member joulie_host_dvfs_members[] = {
    MEMBER(joulie_host_dvfs, struct_size, "size_t"),
    MEMBER(joulie_host_dvfs, has, "uint64_t"),
    MEMBER(joulie_host_dvfs, power_w, "double"),
    MEMBER(joulie_host_dvfs, ema_w, "double"),
    MEMBER(joulie_host_dvfs, above_trips, "uint64_t"),
    MEMBER(joulie_host_dvfs, below_trips, "uint64_t"),
    MEMBER(joulie_host_dvfs, ups, "uint64_t"),
    MEMBER(joulie_host_dvfs, downs, "uint64_t"),
};

static const struct jl_layout_member joulie_host_entry_members[] = {
    MEMBER(joulie_host_entry, struct_size, "size_t"),
    MEMBER(joulie_host_entry, path, "const char *"),
    MEMBER(joulie_host_entry, bytes, "const char *"),
    MEMBER(joulie_host_entry, len, "uint64_t"),
    MEMBER(joulie_host_entry, mode, "uint32_t"),
    MEMBER(joulie_host_entry, is_folder, "int32_t"),
    MEMBER(joulie_host_entry, is_link, "int32_t"),
    MEMBER(joulie_host_entry, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_host_options_members[] = {
    MEMBER(joulie_host_options, struct_size, "size_t"),
    MEMBER(joulie_host_options, has, "uint64_t"),
    MEMBER(joulie_host_options, root, "const char *"),
    MEMBER(joulie_host_options, state_dir, "const char *"),
    MEMBER(joulie_host_options, owner, "const char *"),
    MEMBER(joulie_host_options, floor_pct, "double"),
    MEMBER(joulie_host_options, spec_read_timeout_ms, "int64_t"),
    MEMBER(joulie_host_options, staleness_ms, "int64_t"),
    MEMBER(joulie_host_options, max_age_ms, "int64_t"),
    MEMBER(joulie_host_options, dvfs_controller, "const char *"),
    MEMBER(joulie_host_options, dvfs_ema_alpha, "double"),
    MEMBER(joulie_host_options, dvfs_high_margin_w, "double"),
    MEMBER(joulie_host_options, dvfs_low_margin_w, "double"),
    MEMBER(joulie_host_options, dvfs_step_pct, "double"),
    MEMBER(joulie_host_options, dvfs_cooldown_ms, "int64_t"),
    MEMBER(joulie_host_options, dvfs_trip_count, "int64_t"),
    MEMBER(joulie_host_options, dvfs_min_freq_khz, "int64_t"),
    MEMBER(joulie_host_options, log, "joulie_host_log_fn *"),
    MEMBER(joulie_host_options, log_user, "void *"),
    MEMBER(joulie_host_options, enforces, "int32_t"),
    MEMBER(joulie_host_options, ramps, "int32_t"),
    MEMBER(joulie_host_options, may_enable, "int32_t"),
    MEMBER(joulie_host_options, has_backed_twin, "int32_t"),
    MEMBER(joulie_host_options, is_one_shot, "int32_t"),
    MEMBER(joulie_host_options, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_host_policy_members[] = {
    MEMBER(joulie_host_policy, struct_size, "size_t"),
    MEMBER(joulie_host_policy, has, "uint64_t"),
    MEMBER(joulie_host_policy, number, "uint64_t"),
    MEMBER(joulie_host_policy, now_khz, "uint64_t"),
    MEMBER(joulie_host_policy, max_khz, "uint64_t"),
};

static const struct jl_layout_member joulie_host_tick_result_members[] = {
    MEMBER(joulie_host_tick_result, struct_size, "size_t"),
    MEMBER(joulie_host_tick_result, writes, "uint32_t"),
    MEMBER(joulie_host_tick_result, is_news, "int32_t"),
    MEMBER(joulie_host_tick_result, is_settled, "int32_t"),
    MEMBER(joulie_host_tick_result, is_disabled, "int32_t"),
};

static const struct jl_layout_member joulie_host_time_members[] = {
    MEMBER(joulie_host_time, struct_size, "size_t"),
    MEMBER(joulie_host_time, now_ms, "int64_t"),
    MEMBER(joulie_host_time, monotonic_us, "int64_t"),
    MEMBER(joulie_host_time, boottime_us, "int64_t"),
};

static const struct jl_layout_member joulie_host_zone_members[] = {
    MEMBER(joulie_host_zone, struct_size, "size_t"),
    MEMBER(joulie_host_zone, has, "uint64_t"),
    MEMBER(joulie_host_zone, name, "const char *"),
    MEMBER(joulie_host_zone, energy_j, "uint64_t"),
    MEMBER(joulie_host_zone, power_w, "double"),
    MEMBER(joulie_host_zone, limit_w, "double"),
    MEMBER(joulie_host_zone, resets, "uint64_t"),
    MEMBER(joulie_host_zone, kind, "enum joulie_host_zone_kind"),
    MEMBER(joulie_host_zone, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_node_options_members[] = {
    MEMBER(joulie_node_options, struct_size, "size_t"),
    MEMBER(joulie_node_options, has, "uint64_t"),
    MEMBER(joulie_node_options, floor_pct, "double"),
    MEMBER(joulie_node_options, spec_read_timeout_ms, "int64_t"),
    MEMBER(joulie_node_options, staleness_ms, "int64_t"),
    MEMBER(joulie_node_options, max_age_ms, "int64_t"),
    MEMBER(joulie_node_options, cpu_backend, "const char *"),
    MEMBER(joulie_node_options, gpu_backend, "const char *"),
    MEMBER(joulie_node_options, enforces, "int32_t"),
    MEMBER(joulie_node_options, is_remote_cpu, "int32_t"),
    MEMBER(joulie_node_options, is_remote_gpu, "int32_t"),
    MEMBER(joulie_node_options, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_node_part_members[] = {
    MEMBER(joulie_node_part, struct_size, "size_t"),
    MEMBER(joulie_node_part, has, "uint64_t"),
    MEMBER(joulie_node_part, index, "int64_t"),
    MEMBER(joulie_node_part, id, "const char *"),
    MEMBER(joulie_node_part, min_w, "double"),
    MEMBER(joulie_node_part, max_w, "double"),
    MEMBER(joulie_node_part, power_unit_w, "double"),
    MEMBER(joulie_node_part, kind, "enum joulie_node_kind"),
    MEMBER(joulie_node_part, is_controllable, "int32_t"),
};

static const struct jl_layout_member joulie_node_reading_members[] = {
    MEMBER(joulie_node_reading, struct_size, "size_t"),
    MEMBER(joulie_node_reading, has, "uint64_t"),
    MEMBER(joulie_node_reading, index, "int64_t"),
    MEMBER(joulie_node_reading, id, "const char *"),
    MEMBER(joulie_node_reading, limit_w, "double"),
    MEMBER(joulie_node_reading, original_w, "double"),
    MEMBER(joulie_node_reading, message, "const char *"),
    MEMBER(joulie_node_reading, kind, "enum joulie_node_kind"),
    MEMBER(joulie_node_reading, outcome, "enum joulie_node_outcome"),
    MEMBER(joulie_node_reading, is_unseen, "int32_t"),
    MEMBER(joulie_node_reading, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_node_write_members[] = {
    MEMBER(joulie_node_write, struct_size, "size_t"),
    MEMBER(joulie_node_write, index, "int64_t"),
    MEMBER(joulie_node_write, id, "const char *"),
    MEMBER(joulie_node_write, limit_w, "double"),
    MEMBER(joulie_node_write, power_limit_uw, "uint64_t"),
    MEMBER(joulie_node_write, kind, "enum joulie_node_kind"),
    MEMBER(joulie_node_write, is_restore, "int32_t"),
};

static const struct jl_layout_member joulie_place_columns_members[] = {
    MEMBER(joulie_place_columns, struct_size, "size_t"),
    MEMBER(joulie_place_columns, has, "struct joulie_column_bits"),
    MEMBER(joulie_place_columns, node_class, "struct joulie_column_int"),
    MEMBER(joulie_place_columns, label, "struct joulie_column_int"),
    MEMBER(joulie_place_columns, updated_ms, "struct joulie_column_ms"),
    MEMBER(joulie_place_columns, headroom_score, "struct joulie_column"),
    MEMBER(joulie_place_columns, cooling_stress_score, "struct joulie_column"),
    MEMBER(joulie_place_columns, psu_stress_score, "struct joulie_column"),
    MEMBER(joulie_place_columns, capped_w, "struct joulie_column"),
    MEMBER(joulie_place_columns, measured_w, "struct joulie_column"),
    MEMBER(joulie_place_columns, trend_w_per_min, "struct joulie_column"),
    MEMBER(joulie_place_columns, cpu_cap_pct, "struct joulie_column"),
    MEMBER(joulie_place_columns, gpu_cap_pct, "struct joulie_column"),
    MEMBER(joulie_place_columns, pue, "struct joulie_column"),
    MEMBER(joulie_place_columns, cpu_cores, "struct joulie_column"),
    MEMBER(joulie_place_columns, cpu_max_w, "struct joulie_column"),
    MEMBER(joulie_place_columns, gpu_count, "struct joulie_column"),
    MEMBER(joulie_place_columns, gpu_max_w, "struct joulie_column"),
};

static const struct jl_layout_member joulie_place_columns_out_members[] = {
    MEMBER(joulie_place_columns_out, struct_size, "size_t"),
    MEMBER(joulie_place_columns_out, code, "struct joulie_column_int_out"),
    MEMBER(joulie_place_columns_out, reject, "struct joulie_column_int_out"),
    MEMBER(joulie_place_columns_out, basis, "struct joulie_column_int_out"),
    MEMBER(joulie_place_columns_out, score, "struct joulie_column_int_out"),
    MEMBER(joulie_place_columns_out, wire, "struct joulie_column_int_out"),
    MEMBER(joulie_place_columns_out, raw, "struct joulie_column_out"),
    MEMBER(joulie_place_columns_out, projected_headroom_score, "struct joulie_column_out"),
    MEMBER(joulie_place_columns_out, marginal_w, "struct joulie_column_out"),
    MEMBER(joulie_place_columns_out, term_headroom, "struct joulie_column_out"),
    MEMBER(joulie_place_columns_out, term_cooling, "struct joulie_column_out"),
    MEMBER(joulie_place_columns_out, term_trend, "struct joulie_column_out"),
    MEMBER(joulie_place_columns_out, term_profile_bonus, "struct joulie_column_out"),
    MEMBER(joulie_place_columns_out, term_pressure, "struct joulie_column_out"),
    MEMBER(joulie_place_columns_out, term_sensitivity, "struct joulie_column_out"),
    MEMBER(joulie_place_columns_out, term_psu, "struct joulie_column_out"),
    MEMBER(joulie_place_columns_out, term_marginal_penalty, "struct joulie_column_out"),
    MEMBER(joulie_place_columns_out, term_idle_gpu, "struct joulie_column_out"),
};

static const struct jl_layout_member joulie_place_config_members[] = {
    MEMBER(joulie_place_config, struct_size, "size_t"),
    MEMBER(joulie_place_config, has, "uint64_t"),
    MEMBER(joulie_place_config, rules, "enum joulie_place_rules"),
    MEMBER(joulie_place_config, fail_policy, "enum joulie_fail_policy"),
    MEMBER(joulie_place_config, score_range, "int32_t"),
    MEMBER(joulie_place_config, is_marginal_scoring, "int32_t"),
    MEMBER(joulie_place_config, staleness_ms, "int64_t"),
    MEMBER(joulie_place_config, max_age_ms, "int64_t"),
    MEMBER(joulie_place_config, stale_grace_ms, "int64_t"),
    MEMBER(joulie_place_config, heartbeat_ms, "int64_t"),
    MEMBER(joulie_place_config, spread, "enum joulie_spread"),
    MEMBER(joulie_place_config, reserved, "uint32_t"),
    MEMBER(joulie_place_config, headroom_weight, "double"),
    MEMBER(joulie_place_config, cooling_weight, "double"),
    MEMBER(joulie_place_config, pressure_weight, "double"),
    MEMBER(joulie_place_config, eco_points, "double"),
    MEMBER(joulie_place_config, trend_max_points, "double"),
    MEMBER(joulie_place_config, steady_w_per_point, "double"),
    MEMBER(joulie_place_config, burst_w_per_point, "double"),
    MEMBER(joulie_place_config, burst_w_per_min, "double"),
    MEMBER(joulie_place_config, unknown_score, "double"),
    MEMBER(joulie_place_config, cpu_cap_points, "double"),
    MEMBER(joulie_place_config, gpu_cap_points, "double"),
    MEMBER(joulie_place_config, cap_points_max, "double"),
    MEMBER(joulie_place_config, max_projected_pct, "double"),
    MEMBER(joulie_place_config, cpu_util_coeff, "double"),
    MEMBER(joulie_place_config, gpu_util_coeff_standard, "double"),
    MEMBER(joulie_place_config, gpu_util_coeff_performance, "double"),
};

static const struct jl_layout_member joulie_sim_event_members[] = {
    MEMBER(joulie_sim_event, struct_size, "size_t"),
    MEMBER(joulie_sim_event, time_s, "double"),
    MEMBER(joulie_sim_event, name_space, "const char *"),
    MEMBER(joulie_sim_event, name, "const char *"),
    MEMBER(joulie_sim_event, text, "const char *"),
    MEMBER(joulie_sim_event, node, "const char *"),
    MEMBER(joulie_sim_event, candidates, "const char *const *"),
    MEMBER(joulie_sim_event, candidate_count, "size_t"),
    MEMBER(joulie_sim_event, kind, "enum joulie_sim_event_kind"),
    MEMBER(joulie_sim_event, is_removed, "int32_t"),
    MEMBER(joulie_sim_event, is_first, "int32_t"),
    MEMBER(joulie_sim_event, is_sample, "int32_t"),
};

static const struct jl_layout_member joulie_sim_node_view_members[] = {
    MEMBER(joulie_sim_node_view, struct_size, "size_t"),
    MEMBER(joulie_sim_node_view, name, "const char *"),
    MEMBER(joulie_sim_node_view, state, "const char *"),
    MEMBER(joulie_sim_node_view, jobs, "int64_t"),
    MEMBER(joulie_sim_node_view, cores, "int64_t"),
    MEMBER(joulie_sim_node_view, gpus, "int64_t"),
    MEMBER(joulie_sim_node_view, cores_requested, "double"),
    MEMBER(joulie_sim_node_view, gpus_requested, "int64_t"),
    MEMBER(joulie_sim_node_view, cpu_power_w, "double"),
    MEMBER(joulie_sim_node_view, gpu_power_w, "double"),
    MEMBER(joulie_sim_node_view, uncontrolled_power_w, "double"),
};

static const struct jl_layout_member joulie_sim_options_members[] = {
    MEMBER(joulie_sim_options, struct_size, "size_t"),
    MEMBER(joulie_sim_options, inventory, "const char *"),
    MEMBER(joulie_sim_options, inventory_len, "size_t"),
    MEMBER(joulie_sim_options, trace, "const char *"),
    MEMBER(joulie_sim_options, trace_len, "size_t"),
    MEMBER(joulie_sim_options, policy, "const char *"),
    MEMBER(joulie_sim_options, policy_len, "size_t"),
    MEMBER(joulie_sim_options, placement, "const char *"),
    MEMBER(joulie_sim_options, physics, "const char *"),
    MEMBER(joulie_sim_options, seed, "uint64_t"),
    MEMBER(joulie_sim_options, hours, "double"),
    MEMBER(joulie_sim_options, compare, "int32_t"),
    MEMBER(joulie_sim_options, is_lenient, "int32_t"),
    MEMBER(joulie_sim_options, keeps_hours, "int32_t"),
    MEMBER(joulie_sim_options, is_external, "int32_t"),
    MEMBER(joulie_sim_options, nodes, "int64_t"),
};

static const struct jl_layout_member joulie_sim_outcome_members[] = {
    MEMBER(joulie_sim_outcome, struct_size, "size_t"),
    MEMBER(joulie_sim_outcome, has, "uint64_t"),
    MEMBER(joulie_sim_outcome, jobs, "int64_t"),
    MEMBER(joulie_sim_outcome, completed, "int64_t"),
    MEMBER(joulie_sim_outcome, failed, "int64_t"),
    MEMBER(joulie_sim_outcome, unplaced, "int64_t"),
    MEMBER(joulie_sim_outcome, cpu_units, "double"),
    MEMBER(joulie_sim_outcome, gpu_units, "double"),
    MEMBER(joulie_sim_outcome, energy_j, "double"),
    MEMBER(joulie_sim_outcome, makespan_s, "double"),
    MEMBER(joulie_sim_outcome, mean_wait_s, "double"),
};

static const struct jl_layout_member joulie_sim_view_members[] = {
    MEMBER(joulie_sim_view, struct_size, "size_t"),
    MEMBER(joulie_sim_view, time_s, "double"),
    MEMBER(joulie_sim_view, is_finished, "int32_t"),
    MEMBER(joulie_sim_view, has_uncontrolled, "int32_t"),
    MEMBER(joulie_sim_view, nodes, "int64_t"),
    MEMBER(joulie_sim_view, nodes_performance, "int64_t"),
    MEMBER(joulie_sim_view, nodes_eco, "int64_t"),
    MEMBER(joulie_sim_view, nodes_draining, "int64_t"),
    MEMBER(joulie_sim_view, nodes_undecided, "int64_t"),
    MEMBER(joulie_sim_view, nodes_busy, "int64_t"),
    MEMBER(joulie_sim_view, jobs, "int64_t"),
    MEMBER(joulie_sim_view, submitted, "int64_t"),
    MEMBER(joulie_sim_view, queued, "int64_t"),
    MEMBER(joulie_sim_view, running, "int64_t"),
    MEMBER(joulie_sim_view, completed, "int64_t"),
    MEMBER(joulie_sim_view, failed, "int64_t"),
    MEMBER(joulie_sim_view, unplaced, "int64_t"),
    MEMBER(joulie_sim_view, cores, "int64_t"),
    MEMBER(joulie_sim_view, gpus, "int64_t"),
    MEMBER(joulie_sim_view, cores_requested, "double"),
    MEMBER(joulie_sim_view, gpus_requested, "int64_t"),
    MEMBER(joulie_sim_view, cpu_power_w, "double"),
    MEMBER(joulie_sim_view, gpu_power_w, "double"),
    MEMBER(joulie_sim_view, energy_j, "double"),
    MEMBER(joulie_sim_view, transitions, "int64_t"),
    MEMBER(joulie_sim_view, decisions, "int64_t"),
    MEMBER(joulie_sim_view, uncontrolled_time_s, "double"),
    MEMBER(joulie_sim_view, uncontrolled_power_w, "double"),
    MEMBER(joulie_sim_view, uncontrolled_energy_j, "double"),
    MEMBER(joulie_sim_view, uncontrolled_queued, "int64_t"),
    MEMBER(joulie_sim_view, uncontrolled_running, "int64_t"),
    MEMBER(joulie_sim_view, uncontrolled_completed, "int64_t"),
    MEMBER(joulie_sim_view, design_it_w, "double"),
};

static const struct jl_layout_member joulie_slowdown_input_members[] = {
    MEMBER(joulie_slowdown_input, struct_size, "size_t"),
    MEMBER(joulie_slowdown_input, has, "uint64_t"),
    MEMBER(joulie_slowdown_input, memory_intensity, "double"),
    MEMBER(joulie_slowdown_input, io_intensity, "double"),
    MEMBER(joulie_slowdown_input, feed_intensity, "double"),
    MEMBER(joulie_slowdown_input, cpu_freq_frac, "double"),
    MEMBER(joulie_slowdown_input, cpu_cap_w, "double"),
    MEMBER(joulie_slowdown_input, cpu_cap_pct, "double"),
    MEMBER(joulie_slowdown_input, cpu_max_w, "double"),
    MEMBER(joulie_slowdown_input, cpu_idle_w, "double"),
    MEMBER(joulie_slowdown_input, cpu_util_frac, "double"),
    MEMBER(joulie_slowdown_input, cpu_min_freq_frac, "double"),
    MEMBER(joulie_slowdown_input, cpu_knee_frac, "double"),
    MEMBER(joulie_slowdown_input, cpu_thermal_frac, "double"),
    MEMBER(joulie_slowdown_input, gpu_cap_w, "double"),
    MEMBER(joulie_slowdown_input, gpu_cap_pct, "double"),
    MEMBER(joulie_slowdown_input, gpu_max_w, "double"),
    MEMBER(joulie_slowdown_input, gpu_idle_w, "double"),
    MEMBER(joulie_slowdown_input, gpu_util_frac, "double"),
    MEMBER(joulie_slowdown_input, gpu_thermal_frac, "double"),
    MEMBER(joulie_slowdown_input, gpu_compute_gamma, "double"),
    MEMBER(joulie_slowdown_input, gpu_memory_epsilon, "double"),
    MEMBER(joulie_slowdown_input, gpu_memory_gamma, "double"),
    MEMBER(joulie_slowdown_input, cpu_bound, "enum joulie_bound"),
    MEMBER(joulie_slowdown_input, gpu_bound, "enum joulie_bound"),
};

static const struct jl_layout_member joulie_slowdown_output_members[] = {
    MEMBER(joulie_slowdown_output, struct_size, "size_t"),
    MEMBER(joulie_slowdown_output, has, "uint64_t"),
    MEMBER(joulie_slowdown_output, cpu_freq_frac, "double"),
    MEMBER(joulie_slowdown_output, cpu_power_w, "double"),
    MEMBER(joulie_slowdown_output, cpu_throughput, "double"),
    MEMBER(joulie_slowdown_output, cpu_slowdown, "double"),
    MEMBER(joulie_slowdown_output, gpu_natural_w, "double"),
    MEMBER(joulie_slowdown_output, gpu_power_w, "double"),
    MEMBER(joulie_slowdown_output, gpu_throughput, "double"),
    MEMBER(joulie_slowdown_output, gpu_slowdown, "double"),
    MEMBER(joulie_slowdown_output, cpu_provenance, "enum joulie_provenance"),
    MEMBER(joulie_slowdown_output, gpu_provenance, "enum joulie_provenance"),
};

static const struct jl_layout_member joulie_splitter_members[] = {
    MEMBER(joulie_splitter, struct_size, "size_t"),
    MEMBER(joulie_splitter, text, "const char *"),
    MEMBER(joulie_splitter, len, "size_t"),
    MEMBER(joulie_splitter, position, "size_t"),
    MEMBER(joulie_splitter, line, "uint32_t"),
    MEMBER(joulie_splitter, mode, "uint32_t"),
};

static const struct jl_layout_member joulie_tensor_fusion_v1_profile_members[] = {
    MEMBER(joulie_tensor_fusion_v1_profile, struct_size, "size_t"),
    MEMBER(joulie_tensor_fusion_v1_profile, has, "uint64_t"),
    MEMBER(joulie_tensor_fusion_v1_profile, pool_name, "const char *"),
    MEMBER(joulie_tensor_fusion_v1_profile, gpu_model, "const char *"),
    MEMBER(joulie_tensor_fusion_v1_profile, vendor, "const char *"),
    MEMBER(joulie_tensor_fusion_v1_profile, partition_template_id, "const char *"),
    MEMBER(joulie_tensor_fusion_v1_profile, limit_tflops_text, "const char *"),
    MEMBER(joulie_tensor_fusion_v1_profile, limit_vram_text, "const char *"),
    MEMBER(joulie_tensor_fusion_v1_profile, limit_compute_text, "const char *"),
    MEMBER(joulie_tensor_fusion_v1_profile, request_tflops_text, "const char *"),
    MEMBER(joulie_tensor_fusion_v1_profile, request_vram_text, "const char *"),
    MEMBER(joulie_tensor_fusion_v1_profile, request_compute_text, "const char *"),
    MEMBER(joulie_tensor_fusion_v1_profile, limit_tflops, "double"),
    MEMBER(joulie_tensor_fusion_v1_profile, limit_vram_bytes, "double"),
    MEMBER(joulie_tensor_fusion_v1_profile, limit_compute_pct, "double"),
    MEMBER(joulie_tensor_fusion_v1_profile, request_tflops, "double"),
    MEMBER(joulie_tensor_fusion_v1_profile, request_vram_bytes, "double"),
    MEMBER(joulie_tensor_fusion_v1_profile, request_compute_pct, "double"),
    MEMBER(joulie_tensor_fusion_v1_profile, gpu_count, "int64_t"),
    MEMBER(joulie_tensor_fusion_v1_profile, replicas, "int64_t"),
    MEMBER(joulie_tensor_fusion_v1_profile, gang_min_members, "int64_t"),
    MEMBER(joulie_tensor_fusion_v1_profile, qos, "enum joulie_tensor_fusion_qos"),
    MEMBER(joulie_tensor_fusion_v1_profile, isolation, "enum joulie_tensor_fusion_isolation"),
    MEMBER(joulie_tensor_fusion_v1_profile, limits_target, "enum joulie_tensor_fusion_target"),
    MEMBER(joulie_tensor_fusion_v1_profile, requests_target, "enum joulie_tensor_fusion_target"),
    MEMBER(joulie_tensor_fusion_v1_profile, resources_target, "enum joulie_tensor_fusion_target"),
    MEMBER(joulie_tensor_fusion_v1_profile, is_local_gpu, "int32_t"),
    MEMBER(joulie_tensor_fusion_v1_profile, is_sidecar_worker, "int32_t"),
    MEMBER(joulie_tensor_fusion_v1_profile, limits_enabled, "int32_t"),
    MEMBER(joulie_tensor_fusion_v1_profile, replicas_enabled, "int32_t"),
    MEMBER(joulie_tensor_fusion_v1_profile, requests_enabled, "int32_t"),
    MEMBER(joulie_tensor_fusion_v1_profile, resources_enabled, "int32_t"),
    MEMBER(joulie_tensor_fusion_v1_profile, external_enabled, "int32_t"),
};

static const struct jl_layout_member joulie_twin_columns_members[] = {
    MEMBER(joulie_twin_columns, struct_size, "size_t"),
    MEMBER(joulie_twin_columns, has, "struct joulie_column_bits"),
    MEMBER(joulie_twin_columns, cpu_sockets, "struct joulie_column"),
    MEMBER(joulie_twin_columns, cpu_cores, "struct joulie_column"),
    MEMBER(joulie_twin_columns, cpu_max_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, gpu_count, "struct joulie_column"),
    MEMBER(joulie_twin_columns, gpu_max_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, gpu_idle_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, cpu_cap_pct, "struct joulie_column"),
    MEMBER(joulie_twin_columns, cpu_cap_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, gpu_cap_pct, "struct joulie_column"),
    MEMBER(joulie_twin_columns, gpu_cap_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, previous_cpu_cap_pct, "struct joulie_column"),
    MEMBER(joulie_twin_columns, previous_gpu_cap_pct, "struct joulie_column"),
    MEMBER(joulie_twin_columns, measured_node_power_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, cpu_util_pct, "struct joulie_column"),
    MEMBER(joulie_twin_columns, cpu_curve_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, gpu_util_pct, "struct joulie_column"),
    MEMBER(joulie_twin_columns, outside_temp_c, "struct joulie_column"),
    MEMBER(joulie_twin_columns, zone_temp_c, "struct joulie_column"),
    MEMBER(joulie_twin_columns, cluster_total_power_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, cluster_capacity_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, zone_total_power_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, rack_total_power_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, rack_capacity_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, cooling_reference_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, cooling_design_it_w, "struct joulie_column"),
    MEMBER(joulie_twin_columns, cpu_feedback, "struct joulie_column_int"),
    MEMBER(joulie_twin_columns, gpu_feedback, "struct joulie_column_int"),
    MEMBER(joulie_twin_columns, rules, "enum joulie_twin_rules"),
    MEMBER(joulie_twin_columns, cooling_model, "enum joulie_cooling"),
    MEMBER(joulie_twin_columns, cooling, "joulie_cooling_fn *"),
    MEMBER(joulie_twin_columns, cooling_user, "void *"),
};

static const struct jl_layout_member joulie_twin_columns_out_members[] = {
    MEMBER(joulie_twin_columns_out, struct_size, "size_t"),
    MEMBER(joulie_twin_columns_out, has, "struct joulie_column_bits_out"),
    MEMBER(joulie_twin_columns_out, power_headroom_score, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, cooling_stress_score, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, psu_stress_score, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, hardware_density_score, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, estimated_pue, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, node_power_w, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, cpu_tdp_w, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, gpu_tdp_w, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, node_tdp_w, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, cpu_capped_w, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, gpu_capped_w, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, node_capped_w, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, cpu_effective_pct, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, gpu_effective_pct, "struct joulie_column_out"),
    MEMBER(joulie_twin_columns_out, power_tier, "struct joulie_column_int_out"),
    MEMBER(joulie_twin_columns_out, cooling_model, "struct joulie_column_int_out"),
    MEMBER(joulie_twin_columns_out, cpu_cap_state, "struct joulie_column_int_out"),
    MEMBER(joulie_twin_columns_out, gpu_cap_state, "struct joulie_column_int_out"),
    MEMBER(joulie_twin_columns_out, cpu_tdp_provenance, "struct joulie_column_int_out"),
    MEMBER(joulie_twin_columns_out, gpu_tdp_provenance, "struct joulie_column_int_out"),
    MEMBER(joulie_twin_columns_out, estimate_provenance, "struct joulie_column_int_out"),
    MEMBER(joulie_twin_columns_out, outside_temp_provenance, "struct joulie_column_int_out"),
    MEMBER(joulie_twin_columns_out, cooling_reference_provenance, "struct joulie_column_int_out"),
    MEMBER(joulie_twin_columns_out, psu_supply, "struct joulie_column_int_out"),
    MEMBER(joulie_twin_columns_out, psu_capacity_provenance, "struct joulie_column_int_out"),
    MEMBER(joulie_twin_columns_out, density_provenance, "struct joulie_column_int_out"),
    MEMBER(joulie_twin_columns_out, code, "struct joulie_column_int_out"),
};

static const struct jl_layout_member joulie_twin_input_members[] = {
    MEMBER(joulie_twin_input, struct_size, "size_t"),
    MEMBER(joulie_twin_input, has, "uint64_t"),
    MEMBER(joulie_twin_input, cpu_sockets, "double"),
    MEMBER(joulie_twin_input, cpu_cores, "double"),
    MEMBER(joulie_twin_input, cpu_max_w, "double"),
    MEMBER(joulie_twin_input, gpu_count, "double"),
    MEMBER(joulie_twin_input, gpu_max_w, "double"),
    MEMBER(joulie_twin_input, gpu_idle_w, "double"),
    MEMBER(joulie_twin_input, cpu_cap_pct, "double"),
    MEMBER(joulie_twin_input, cpu_cap_w, "double"),
    MEMBER(joulie_twin_input, gpu_cap_pct, "double"),
    MEMBER(joulie_twin_input, gpu_cap_w, "double"),
    MEMBER(joulie_twin_input, previous_cpu_cap_pct, "double"),
    MEMBER(joulie_twin_input, previous_gpu_cap_pct, "double"),
    MEMBER(joulie_twin_input, measured_node_power_w, "double"),
    MEMBER(joulie_twin_input, cpu_util_pct, "double"),
    MEMBER(joulie_twin_input, cpu_curve_w, "double"),
    MEMBER(joulie_twin_input, gpu_util_pct, "double"),
    MEMBER(joulie_twin_input, outside_temp_c, "double"),
    MEMBER(joulie_twin_input, zone_temp_c, "double"),
    MEMBER(joulie_twin_input, cluster_total_power_w, "double"),
    MEMBER(joulie_twin_input, cluster_capacity_w, "double"),
    MEMBER(joulie_twin_input, zone_total_power_w, "double"),
    MEMBER(joulie_twin_input, rack_total_power_w, "double"),
    MEMBER(joulie_twin_input, rack_capacity_w, "double"),
    MEMBER(joulie_twin_input, cooling_reference_w, "double"),
    MEMBER(joulie_twin_input, cooling_design_it_w, "double"),
    MEMBER(joulie_twin_input, rules, "enum joulie_twin_rules"),
    MEMBER(joulie_twin_input, cooling_model, "enum joulie_cooling"),
    MEMBER(joulie_twin_input, cpu_feedback, "enum joulie_cap_feedback"),
    MEMBER(joulie_twin_input, gpu_feedback, "enum joulie_cap_feedback"),
    MEMBER(joulie_twin_input, cooling, "joulie_cooling_fn *"),
    MEMBER(joulie_twin_input, cooling_user, "void *"),
};

static const struct jl_layout_member joulie_twin_output_members[] = {
    MEMBER(joulie_twin_output, struct_size, "size_t"),
    MEMBER(joulie_twin_output, has, "uint64_t"),
    MEMBER(joulie_twin_output, power_headroom_score, "double"),
    MEMBER(joulie_twin_output, cooling_stress_score, "double"),
    MEMBER(joulie_twin_output, psu_stress_score, "double"),
    MEMBER(joulie_twin_output, hardware_density_score, "double"),
    MEMBER(joulie_twin_output, estimated_pue, "double"),
    MEMBER(joulie_twin_output, node_power_w, "double"),
    MEMBER(joulie_twin_output, cpu_tdp_w, "double"),
    MEMBER(joulie_twin_output, gpu_tdp_w, "double"),
    MEMBER(joulie_twin_output, node_tdp_w, "double"),
    MEMBER(joulie_twin_output, cpu_capped_w, "double"),
    MEMBER(joulie_twin_output, gpu_capped_w, "double"),
    MEMBER(joulie_twin_output, node_capped_w, "double"),
    MEMBER(joulie_twin_output, cpu_effective_pct, "double"),
    MEMBER(joulie_twin_output, gpu_effective_pct, "double"),
    MEMBER(joulie_twin_output, power_tier, "enum joulie_power_tier"),
    MEMBER(joulie_twin_output, cooling_model, "enum joulie_cooling"),
    MEMBER(joulie_twin_output, cpu_cap_state, "enum joulie_cap_state"),
    MEMBER(joulie_twin_output, gpu_cap_state, "enum joulie_cap_state"),
    MEMBER(joulie_twin_output, cpu_tdp_provenance, "enum joulie_provenance"),
    MEMBER(joulie_twin_output, gpu_tdp_provenance, "enum joulie_provenance"),
    MEMBER(joulie_twin_output, estimate_provenance, "enum joulie_provenance"),
    MEMBER(joulie_twin_output, outside_temp_provenance, "enum joulie_provenance"),
    MEMBER(joulie_twin_output, cooling_reference_provenance, "enum joulie_provenance"),
    MEMBER(joulie_twin_output, psu_supply, "enum joulie_supply"),
    MEMBER(joulie_twin_output, psu_capacity_provenance, "enum joulie_provenance"),
    MEMBER(joulie_twin_output, density_provenance, "enum joulie_provenance"),
};

static const struct jl_layout_member joulie_twin_trend_input_members[] = {
    MEMBER(joulie_twin_trend_input, struct_size, "size_t"),
    MEMBER(joulie_twin_trend_input, has, "uint64_t"),
    MEMBER(joulie_twin_trend_input, at_ms, "struct joulie_column_ms"),
    MEMBER(joulie_twin_trend_input, power_w, "struct joulie_column"),
    MEMBER(joulie_twin_trend_input, known, "struct joulie_column_bits"),
    MEMBER(joulie_twin_trend_input, end_ms, "int64_t"),
    MEMBER(joulie_twin_trend_input, rules, "enum joulie_twin_rules"),
    MEMBER(joulie_twin_trend_input, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_twin_trend_output_members[] = {
    MEMBER(joulie_twin_trend_output, struct_size, "size_t"),
    MEMBER(joulie_twin_trend_output, has, "uint64_t"),
    MEMBER(joulie_twin_trend_output, trend_w_per_min, "double"),
    MEMBER(joulie_twin_trend_output, sample_count, "uint64_t"),
};

static const struct jl_layout_member joulie_v1alpha1_node_hardware_members[] = {
    MEMBER(joulie_v1alpha1_node_hardware, struct_size, "size_t"),
    MEMBER(joulie_v1alpha1_node_hardware, has, "uint64_t"),
    MEMBER(joulie_v1alpha1_node_hardware, node_name, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_raw_model, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_model, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_vendor, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_driver_family, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_cap_range_type, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, gpu_raw_model, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, gpu_model, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, gpu_vendor, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, link_class, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_catalog_key, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, gpu_catalog_key, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_exactness, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, gpu_exactness, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, quality, "const char *"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_min_cap_w, "double"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_max_cap_w, "double"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_min_freq_mhz, "double"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_nominal_freq_mhz, "double"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_max_boost_mhz, "double"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_lowest_nonlinear_freq_mhz, "double"),
    MEMBER(joulie_v1alpha1_node_hardware, gpu_min_cap_w, "double"),
    MEMBER(joulie_v1alpha1_node_hardware, gpu_max_cap_w, "double"),
    MEMBER(joulie_v1alpha1_node_hardware, gpu_default_cap_w, "double"),
    MEMBER(joulie_v1alpha1_node_hardware, gpu_current_cap_w, "double"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_sockets, "int64_t"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_total_cores, "int64_t"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_cores_per_socket, "int64_t"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_logical_cpus, "int64_t"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_physical_cores, "int64_t"),
    MEMBER(joulie_v1alpha1_node_hardware, gpu_count, "int64_t"),
    MEMBER(joulie_v1alpha1_node_hardware, memory_bytes, "int64_t"),
    MEMBER(joulie_v1alpha1_node_hardware, updated_ms, "int64_t"),
    MEMBER(joulie_v1alpha1_node_hardware, has_gpus, "int32_t"),
    MEMBER(joulie_v1alpha1_node_hardware, gpu_can_slice, "int32_t"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_can_control, "int32_t"),
    MEMBER(joulie_v1alpha1_node_hardware, cpu_can_read, "int32_t"),
    MEMBER(joulie_v1alpha1_node_hardware, gpu_can_control, "int32_t"),
    MEMBER(joulie_v1alpha1_node_hardware, gpu_can_read, "int32_t"),
    MEMBER(joulie_v1alpha1_node_hardware, node_can_control_cpu, "int32_t"),
    MEMBER(joulie_v1alpha1_node_hardware, node_can_control_gpu, "int32_t"),
    MEMBER(joulie_v1alpha1_node_hardware, node_can_read_cpu, "int32_t"),
    MEMBER(joulie_v1alpha1_node_hardware, node_can_read_gpu, "int32_t"),
};

static const struct jl_layout_member joulie_v1alpha1_node_twin_spec_members[] = {
    MEMBER(joulie_v1alpha1_node_twin_spec, struct_size, "size_t"),
    MEMBER(joulie_v1alpha1_node_twin_spec, has, "uint64_t"),
    MEMBER(joulie_v1alpha1_node_twin_spec, node_name, "const char *"),
    MEMBER(joulie_v1alpha1_node_twin_spec, policy_name, "const char *"),
    MEMBER(joulie_v1alpha1_node_twin_spec, gpu_cap_scope, "const char *"),
    MEMBER(joulie_v1alpha1_node_twin_spec, cpu_cap_w, "double"),
    MEMBER(joulie_v1alpha1_node_twin_spec, cpu_cap_pct, "double"),
    MEMBER(joulie_v1alpha1_node_twin_spec, gpu_cap_w, "double"),
    MEMBER(joulie_v1alpha1_node_twin_spec, gpu_cap_pct, "double"),
    MEMBER(joulie_v1alpha1_node_twin_spec, profile, "enum joulie_profile"),
    MEMBER(joulie_v1alpha1_node_twin_spec, reschedulable_pressure, "enum joulie_level"),
    MEMBER(joulie_v1alpha1_node_twin_spec, is_draining, "int32_t"),
    MEMBER(joulie_v1alpha1_node_twin_spec, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_v1alpha1_node_twin_status_members[] = {
    MEMBER(joulie_v1alpha1_node_twin_status, struct_size, "size_t"),
    MEMBER(joulie_v1alpha1_node_twin_status, has, "uint64_t"),
    MEMBER(joulie_v1alpha1_node_twin_status, measured_node_power_w, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, cpu_capped_power_w, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, gpu_capped_power_w, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, node_capped_power_w, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, cpu_tdp_w, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, gpu_tdp_w, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, node_tdp_w, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, power_trend_w_per_min, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, power_headroom_score, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, cooling_stress_score, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, psu_stress_score, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, cpu_effective_pct, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, gpu_effective_pct, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, hardware_density_score, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, estimated_pue, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, slicing_gain_pct, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, slicing_confidence_frac, "double"),
    MEMBER(joulie_v1alpha1_node_twin_status, slices_per_gpu, "int64_t"),
    MEMBER(joulie_v1alpha1_node_twin_status, total_slices, "int64_t"),
    MEMBER(joulie_v1alpha1_node_twin_status, last_updated_ms, "int64_t"),
    MEMBER(joulie_v1alpha1_node_twin_status, cpu_control_updated_ms, "int64_t"),
    MEMBER(joulie_v1alpha1_node_twin_status, gpu_control_updated_ms, "int64_t"),
    MEMBER(joulie_v1alpha1_node_twin_status, slice_type, "const char *"),
    MEMBER(joulie_v1alpha1_node_twin_status, slicing_reason, "const char *"),
    MEMBER(joulie_v1alpha1_node_twin_status, cpu_control_backend, "const char *"),
    MEMBER(joulie_v1alpha1_node_twin_status, cpu_control_message, "const char *"),
    MEMBER(joulie_v1alpha1_node_twin_status, gpu_control_backend, "const char *"),
    MEMBER(joulie_v1alpha1_node_twin_status, gpu_control_message, "const char *"),
    MEMBER(joulie_v1alpha1_node_twin_status, schedulable_class, "enum joulie_node_class"),
    MEMBER(joulie_v1alpha1_node_twin_status, power_source, "enum joulie_power_source"),
    MEMBER(joulie_v1alpha1_node_twin_status, slicing_mode, "enum joulie_slicing"),
    MEMBER(joulie_v1alpha1_node_twin_status, cpu_control_result, "enum joulie_control_result"),
    MEMBER(joulie_v1alpha1_node_twin_status, gpu_control_result, "enum joulie_control_result"),
    MEMBER(joulie_v1alpha1_node_twin_status, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_v1alpha1_workload_profile_members[] = {
    MEMBER(joulie_v1alpha1_workload_profile, struct_size, "size_t"),
    MEMBER(joulie_v1alpha1_workload_profile, has, "uint64_t"),
    MEMBER(joulie_v1alpha1_workload_profile, node_name, "const char *"),
    MEMBER(joulie_v1alpha1_workload_profile, workload_kind, "const char *"),
    MEMBER(joulie_v1alpha1_workload_profile, workload_namespace, "const char *"),
    MEMBER(joulie_v1alpha1_workload_profile, workload_name, "const char *"),
    MEMBER(joulie_v1alpha1_workload_profile, reschedule_reason, "const char *"),
    MEMBER(joulie_v1alpha1_workload_profile, classification_reason, "const char *"),
    MEMBER(joulie_v1alpha1_workload_profile, cpu_utilization_pct, "double"),
    MEMBER(joulie_v1alpha1_workload_profile, gpu_utilization_pct, "double"),
    MEMBER(joulie_v1alpha1_workload_profile, confidence_frac, "double"),
    MEMBER(joulie_v1alpha1_workload_profile, last_updated_ms, "int64_t"),
    MEMBER(joulie_v1alpha1_workload_profile, criticality, "enum joulie_workload_class"),
    MEMBER(joulie_v1alpha1_workload_profile, cpu_intensity, "enum joulie_level"),
    MEMBER(joulie_v1alpha1_workload_profile, cpu_bound, "enum joulie_bound"),
    MEMBER(joulie_v1alpha1_workload_profile, cpu_cap_sensitivity, "enum joulie_level"),
    MEMBER(joulie_v1alpha1_workload_profile, gpu_intensity, "enum joulie_level"),
    MEMBER(joulie_v1alpha1_workload_profile, gpu_bound, "enum joulie_bound"),
    MEMBER(joulie_v1alpha1_workload_profile, gpu_cap_sensitivity, "enum joulie_level"),
    MEMBER(joulie_v1alpha1_workload_profile, is_reschedulable, "int32_t"),
    MEMBER(joulie_v1alpha1_workload_profile, should_reschedule, "int32_t"),
    MEMBER(joulie_v1alpha1_workload_profile, reserved, "uint32_t"),
};

static const struct jl_layout_member joulie_work_members[] = {
    MEMBER(joulie_work, struct_size, "size_t"),
    MEMBER(joulie_work, has, "uint64_t"),
    MEMBER(joulie_work, cpu_cores, "double"),
    MEMBER(joulie_work, memory_bytes, "double"),
    MEMBER(joulie_work, gpu_count, "double"),
    MEMBER(joulie_work, workload_class, "enum joulie_workload_class"),
    MEMBER(joulie_work, gpu_vendor, "enum joulie_gpu_vendor"),
    MEMBER(joulie_work, cpu_sensitivity, "enum joulie_level"),
    MEMBER(joulie_work, gpu_sensitivity, "enum joulie_level"),
};

static const struct jl_layout_member joulie_workload_options_members[] = {
    MEMBER(joulie_workload_options, struct_size, "size_t"),
    MEMBER(joulie_workload_options, has, "uint64_t"),
    MEMBER(joulie_workload_options, mode, "const char *"),
    MEMBER(joulie_workload_options, name_space, "const char *"),
    MEMBER(joulie_workload_options, jobs, "int64_t"),
    MEMBER(joulie_workload_options, hours, "double"),
    MEMBER(joulie_workload_options, seed, "uint64_t"),
    MEMBER(joulie_workload_options, max_duration_s, "double"),
    MEMBER(joulie_workload_options, perf_ratio, "double"),
    MEMBER(joulie_workload_options, gpu_ratio, "double"),
    MEMBER(joulie_workload_options, amd_ratio, "double"),
    MEMBER(joulie_workload_options, mean_inter_arrival_s, "double"),
    MEMBER(joulie_workload_options, peak_rate_per_min, "double"),
    MEMBER(joulie_workload_options, burst_prob, "double"),
    MEMBER(joulie_workload_options, burst_min, "int64_t"),
    MEMBER(joulie_workload_options, burst_max, "int64_t"),
    MEMBER(joulie_workload_options, min_gpus, "int64_t"),
    MEMBER(joulie_workload_options, work_scale, "double"),
    MEMBER(joulie_workload_options, base_speed, "double"),
    MEMBER(joulie_workload_options, has_records, "int32_t"),
    MEMBER(joulie_workload_options, reserved, "uint32_t"),
};

static const struct jl_layout_value joulie_action_outcome_values[] = {
    VALUE(JOULIE_OUTCOME_UNKNOWN),
    VALUE(JOULIE_OUTCOME_APPLIED),
    VALUE(JOULIE_OUTCOME_CONFLICT),
    VALUE(JOULIE_OUTCOME_FAILED),
};

static const struct jl_layout_value joulie_action_verb_values[] = {
    VALUE(JOULIE_ACTION_UNKNOWN),
    VALUE(JOULIE_ACTION_CREATE),
    VALUE(JOULIE_ACTION_PATCH),
    VALUE(JOULIE_ACTION_DELETE),
};

static const struct jl_layout_value joulie_autoscale_model_values[] = {
    VALUE(JOULIE_AUTOSCALE_UNKNOWN),
    VALUE(JOULIE_AUTOSCALE_CURRENT),
    VALUE(JOULIE_AUTOSCALE_V2_17_1),
};

static const struct jl_layout_value joulie_basis_values[] = {
    VALUE(JOULIE_BASIS_UNKNOWN),
    VALUE(JOULIE_BASIS_FRESH),
    VALUE(JOULIE_BASIS_STALE),
    VALUE(JOULIE_BASIS_MISSING),
};

static const struct jl_layout_value joulie_bound_values[] = {
    VALUE(JOULIE_BOUND_UNKNOWN),
    VALUE(JOULIE_BOUND_COMPUTE),
    VALUE(JOULIE_BOUND_MEMORY),
    VALUE(JOULIE_BOUND_IO),
    VALUE(JOULIE_BOUND_MIXED),
    VALUE(JOULIE_BOUND_NONE),
};

static const struct jl_layout_value joulie_cap_block_values[] = {
    VALUE(JOULIE_CAP_BLOCK_NONE),
    VALUE(JOULIE_CAP_BLOCK_NO_INTENT),
    VALUE(JOULIE_CAP_BLOCK_NO_MAX),
    VALUE(JOULIE_CAP_BLOCK_PCT_NOT_POSITIVE),
    VALUE(JOULIE_CAP_BLOCK_RANGE_UNAVAILABLE),
    VALUE(JOULIE_CAP_BLOCK_GPU_NO_MAX),
    VALUE(JOULIE_CAP_BLOCK_GPU_NO_REQUEST),
    VALUE(JOULIE_CAP_BLOCK_GPU_BELOW_MIN),
    VALUE(JOULIE_CAP_BLOCK_GPU_ABOVE_MAX),
};

static const struct jl_layout_value joulie_cap_clamp_values[] = {
    VALUE(JOULIE_CAP_CLAMP_NONE),
    VALUE(JOULIE_CAP_CLAMP_MIN),
    VALUE(JOULIE_CAP_CLAMP_MAX),
    VALUE(JOULIE_CAP_CLAMP_FLOOR),
};

static const struct jl_layout_value joulie_cap_device_values[] = {
    VALUE(JOULIE_CAP_DEVICE_UNKNOWN),
    VALUE(JOULIE_CAP_DEVICE_PACKAGE),
    VALUE(JOULIE_CAP_DEVICE_GPU),
};

static const struct jl_layout_value joulie_cap_feedback_values[] = {
    VALUE(JOULIE_CAP_FEEDBACK_UNKNOWN),
    VALUE(JOULIE_CAP_FEEDBACK_APPLIED),
    VALUE(JOULIE_CAP_FEEDBACK_PENDING),
    VALUE(JOULIE_CAP_FEEDBACK_NOT_IN_FORCE),
};

static const struct jl_layout_value joulie_cap_state_values[] = {
    VALUE(JOULIE_CAP_STATE_UNKNOWN),
    VALUE(JOULIE_CAP_STATE_REQUESTED),
    VALUE(JOULIE_CAP_STATE_NOT_IN_FORCE),
    VALUE(JOULIE_CAP_STATE_NONE),
};

static const struct jl_layout_value joulie_caps_rules_values[] = {
    VALUE(JOULIE_CAPS_RULES_UNKNOWN),
    VALUE(JOULIE_CAPS_RULES_CURRENT),
    VALUE(JOULIE_CAPS_RULES_V0_1_1),
};

static const struct jl_layout_value joulie_change_values[] = {
    VALUE(JOULIE_CHANGE_UNKNOWN),
    VALUE(JOULIE_CHANGE_SPEC),
    VALUE(JOULIE_CHANGE_STATUS),
    VALUE(JOULIE_CHANGE_LABEL),
    VALUE(JOULIE_CHANGE_RELEASE),
};

static const struct jl_layout_value joulie_classify_rules_values[] = {
    VALUE(JOULIE_CLASSIFY_RULES_UNKNOWN),
    VALUE(JOULIE_CLASSIFY_RULES_CURRENT),
    VALUE(JOULIE_CLASSIFY_RULES_V0_1_0),
};

static const struct jl_layout_value joulie_code_values[] = {
    VALUE(JOULIE_OK),
    VALUE(JOULIE_E_INTERNAL),
    VALUE(JOULIE_E_NOMEM),
    VALUE(JOULIE_E_PARSE),
    VALUE(JOULIE_E_TYPE),
    VALUE(JOULIE_E_UNKNOWN_MEMBER),
    VALUE(JOULIE_E_REQUIRED),
    VALUE(JOULIE_E_ENUM),
    VALUE(JOULIE_E_RANGE),
    VALUE(JOULIE_E_LIMIT),
    VALUE(JOULIE_E_CONFLICT),
    VALUE(JOULIE_E_UNSUPPORTED),
    VALUE(JOULIE_E_IO),
    VALUE(JOULIE_E_ABI),
};

static const struct jl_layout_value joulie_control_result_values[] = {
    VALUE(JOULIE_CONTROL_UNKNOWN),
    VALUE(JOULIE_CONTROL_APPLIED),
    VALUE(JOULIE_CONTROL_BLOCKED),
    VALUE(JOULIE_CONTROL_ERROR),
    VALUE(JOULIE_CONTROL_NONE),
    VALUE(JOULIE_CONTROL_PENDING),
};

static const struct jl_layout_value joulie_cooling_values[] = {
    VALUE(JOULIE_COOLING_UNKNOWN),
    VALUE(JOULIE_COOLING_TDP_RATIO),
    VALUE(JOULIE_COOLING_LINEAR),
    VALUE(JOULIE_COOLING_CRAH),
    VALUE(JOULIE_COOLING_AISLE),
    VALUE(JOULIE_COOLING_DLC),
    VALUE(JOULIE_COOLING_IMMERSION),
    VALUE(JOULIE_COOLING_FREE),
    VALUE(JOULIE_COOLING_DX),
    VALUE(JOULIE_COOLING_CUSTOM),
};

static const struct jl_layout_value joulie_extender_verb_values[] = {
    VALUE(JOULIE_EXTENDER_UNKNOWN),
    VALUE(JOULIE_EXTENDER_FILTER),
    VALUE(JOULIE_EXTENDER_PRIORITIZE),
};

static const struct jl_layout_value joulie_fail_policy_values[] = {
    VALUE(JOULIE_FAIL_UNKNOWN),
    VALUE(JOULIE_FAIL_LAST_KNOWN),
    VALUE(JOULIE_FAIL_OPEN),
    VALUE(JOULIE_FAIL_CLOSED),
};

static const struct jl_layout_value joulie_form_values[] = {
    VALUE(JOULIE_FORM_UNKNOWN),
    VALUE(JOULIE_FORM_LINE),
    VALUE(JOULIE_FORM_PRETTY),
    VALUE(JOULIE_FORM_YAML),
};

static const struct jl_layout_value joulie_gpu_vendor_values[] = {
    VALUE(JOULIE_GPU_VENDOR_UNKNOWN),
    VALUE(JOULIE_GPU_VENDOR_NVIDIA),
    VALUE(JOULIE_GPU_VENDOR_AMD),
    VALUE(JOULIE_GPU_VENDOR_INTEL),
};

static const struct jl_layout_value joulie_host_level_values[] = {
    VALUE(JOULIE_HOST_LEVEL_UNKNOWN),
    VALUE(JOULIE_HOST_LEVEL_DEBUG),
    VALUE(JOULIE_HOST_LEVEL_INFO),
    VALUE(JOULIE_HOST_LEVEL_WARN),
    VALUE(JOULIE_HOST_LEVEL_ERROR),
};

static const struct jl_layout_value joulie_host_zone_kind_values[] = {
    VALUE(JOULIE_HOST_ZONE_KIND_UNKNOWN),
    VALUE(JOULIE_HOST_ZONE_KIND_PACKAGE),
    VALUE(JOULIE_HOST_ZONE_KIND_DRAM),
    VALUE(JOULIE_HOST_ZONE_KIND_PSYS),
};

static const struct jl_layout_value joulie_level_values[] = {
    VALUE(JOULIE_LEVEL_UNKNOWN),
    VALUE(JOULIE_LEVEL_HIGH),
    VALUE(JOULIE_LEVEL_MEDIUM),
    VALUE(JOULIE_LEVEL_LOW),
    VALUE(JOULIE_LEVEL_NONE),
};

static const struct jl_layout_value joulie_movable_values[] = {
    VALUE(JOULIE_MOVABLE_UNKNOWN),
    VALUE(JOULIE_MOVABLE_YES),
    VALUE(JOULIE_MOVABLE_NO),
};

static const struct jl_layout_value joulie_node_class_values[] = {
    VALUE(JOULIE_NODE_CLASS_UNKNOWN),
    VALUE(JOULIE_NODE_CLASS_ECO),
    VALUE(JOULIE_NODE_CLASS_PERFORMANCE),
    VALUE(JOULIE_NODE_CLASS_DRAINING),
    VALUE(JOULIE_NODE_CLASS_WORD_UNKNOWN),
};

static const struct jl_layout_value joulie_node_kind_values[] = {
    VALUE(JOULIE_NODE_KIND_UNKNOWN),
    VALUE(JOULIE_NODE_KIND_PACKAGE),
    VALUE(JOULIE_NODE_KIND_GPU),
};

static const struct jl_layout_value joulie_node_label_values[] = {
    VALUE(JOULIE_NODE_LABEL_UNKNOWN),
    VALUE(JOULIE_NODE_LABEL_ECO),
    VALUE(JOULIE_NODE_LABEL_OTHER),
};

static const struct jl_layout_value joulie_node_outcome_values[] = {
    VALUE(JOULIE_NODE_OUTCOME_UNKNOWN),
    VALUE(JOULIE_NODE_OUTCOME_WRITTEN),
    VALUE(JOULIE_NODE_OUTCOME_REFUSED),
    VALUE(JOULIE_NODE_OUTCOME_FAILED),
};

static const struct jl_layout_value joulie_node_state_values[] = {
    VALUE(JOULIE_NODE_STATE_UNKNOWN),
    VALUE(JOULIE_NODE_STATE_ACTIVE_PERFORMANCE),
    VALUE(JOULIE_NODE_STATE_DRAINING_PERFORMANCE),
    VALUE(JOULIE_NODE_STATE_ACTIVE_ECO),
    VALUE(JOULIE_NODE_STATE_WORD_UNKNOWN),
};

static const struct jl_layout_value joulie_place_rules_values[] = {
    VALUE(JOULIE_PLACE_RULES_UNKNOWN),
    VALUE(JOULIE_PLACE_RULES_CURRENT),
    VALUE(JOULIE_PLACE_RULES_V0_1_1),
    VALUE(JOULIE_PLACE_RULES_V0_1_0),
};

static const struct jl_layout_value joulie_power_source_values[] = {
    VALUE(JOULIE_POWER_SOURCE_UNKNOWN),
    VALUE(JOULIE_POWER_SOURCE_KEPLER),
    VALUE(JOULIE_POWER_SOURCE_UTILIZATION),
    VALUE(JOULIE_POWER_SOURCE_STATIC),
    VALUE(JOULIE_POWER_SOURCE_HTTP),
    VALUE(JOULIE_POWER_SOURCE_HTTP_ERROR),
    VALUE(JOULIE_POWER_SOURCE_HTTP_NO_ENDPOINT),
    VALUE(JOULIE_POWER_SOURCE_PROMETHEUS),
    VALUE(JOULIE_POWER_SOURCE_PROMETHEUS_NO_DATA),
};

static const struct jl_layout_value joulie_power_tier_values[] = {
    VALUE(JOULIE_POWER_TIER_UNKNOWN),
    VALUE(JOULIE_POWER_TIER_MEASURED),
    VALUE(JOULIE_POWER_TIER_UTILIZATION),
    VALUE(JOULIE_POWER_TIER_CAP_ESTIMATE),
};

static const struct jl_layout_value joulie_profile_values[] = {
    VALUE(JOULIE_PROFILE_UNKNOWN),
    VALUE(JOULIE_PROFILE_PERFORMANCE),
    VALUE(JOULIE_PROFILE_ECO),
};

static const struct jl_layout_value joulie_provenance_values[] = {
    VALUE(JOULIE_PROVENANCE_UNKNOWN),
    VALUE(JOULIE_PROVENANCE_GIVEN),
    VALUE(JOULIE_PROVENANCE_ASSUMED),
    VALUE(JOULIE_PROVENANCE_ZONE),
};

static const struct jl_layout_value joulie_reject_values[] = {
    VALUE(JOULIE_REJECT_NONE),
    VALUE(JOULIE_REJECT_CLASS),
    VALUE(JOULIE_REJECT_LABEL),
    VALUE(JOULIE_REJECT_NO_DATA),
    VALUE(JOULIE_REJECT_POWER),
    VALUE(JOULIE_REJECT_CORDON),
    VALUE(JOULIE_REJECT_RESERVED),
};

static const struct jl_layout_value joulie_sim_event_kind_values[] = {
    VALUE(JOULIE_SIM_EVENT_UNKNOWN),
    VALUE(JOULIE_SIM_EVENT_POD),
    VALUE(JOULIE_SIM_EVENT_PLACE),
    VALUE(JOULIE_SIM_EVENT_CONTROL),
};

static const struct jl_layout_value joulie_slicing_values[] = {
    VALUE(JOULIE_SLICING_UNKNOWN),
    VALUE(JOULIE_SLICING_MIG),
    VALUE(JOULIE_SLICING_TIME),
    VALUE(JOULIE_SLICING_NONE),
};

static const struct jl_layout_value joulie_spread_values[] = {
    VALUE(JOULIE_SPREAD_UNKNOWN),
    VALUE(JOULIE_SPREAD_NONE),
    VALUE(JOULIE_SPREAD_RANK),
};

static const struct jl_layout_value joulie_supply_values[] = {
    VALUE(JOULIE_SUPPLY_UNKNOWN),
    VALUE(JOULIE_SUPPLY_RACK),
    VALUE(JOULIE_SUPPLY_CLUSTER),
};

static const struct jl_layout_value joulie_tdp_source_values[] = {
    VALUE(JOULIE_TDP_SOURCE_UNKNOWN),
    VALUE(JOULIE_TDP_SOURCE_GIVEN),
    VALUE(JOULIE_TDP_SOURCE_CATALOG),
    VALUE(JOULIE_TDP_SOURCE_CORES),
};

static const struct jl_layout_value joulie_tensor_fusion_isolation_values[] = {
    VALUE(JOULIE_TENSOR_FUSION_ISOLATION_UNKNOWN),
    VALUE(JOULIE_TENSOR_FUSION_ISOLATION_SHARED),
    VALUE(JOULIE_TENSOR_FUSION_ISOLATION_SOFT),
    VALUE(JOULIE_TENSOR_FUSION_ISOLATION_HARD),
    VALUE(JOULIE_TENSOR_FUSION_ISOLATION_PARTITIONED),
};

static const struct jl_layout_value joulie_tensor_fusion_qos_values[] = {
    VALUE(JOULIE_TENSOR_FUSION_QOS_UNKNOWN),
    VALUE(JOULIE_TENSOR_FUSION_QOS_LOW),
    VALUE(JOULIE_TENSOR_FUSION_QOS_MEDIUM),
    VALUE(JOULIE_TENSOR_FUSION_QOS_HIGH),
    VALUE(JOULIE_TENSOR_FUSION_QOS_CRITICAL),
};

static const struct jl_layout_value joulie_tensor_fusion_target_values[] = {
    VALUE(JOULIE_TENSOR_FUSION_TARGET_UNKNOWN),
    VALUE(JOULIE_TENSOR_FUSION_TARGET_ALL),
    VALUE(JOULIE_TENSOR_FUSION_TARGET_TFLOPS),
    VALUE(JOULIE_TENSOR_FUSION_TARGET_VRAM),
    VALUE(JOULIE_TENSOR_FUSION_TARGET_COMPUTE),
};

static const struct jl_layout_value joulie_twin_rules_values[] = {
    VALUE(JOULIE_TWIN_RULES_UNKNOWN),
    VALUE(JOULIE_TWIN_RULES_CURRENT),
    VALUE(JOULIE_TWIN_RULES_V0_1_1),
    VALUE(JOULIE_TWIN_RULES_V0_1_0),
};

static const struct jl_layout_value joulie_vocabulary_values[] = {
    VALUE(JOULIE_VOCABULARY_UNKNOWN),
    VALUE(JOULIE_VOCABULARY_PROFILE),
    VALUE(JOULIE_VOCABULARY_NODE_CLASS),
    VALUE(JOULIE_VOCABULARY_WORKLOAD_CLASS),
    VALUE(JOULIE_VOCABULARY_LEVEL),
    VALUE(JOULIE_VOCABULARY_BOUND),
    VALUE(JOULIE_VOCABULARY_GPU_VENDOR),
    VALUE(JOULIE_VOCABULARY_POWER_SOURCE),
    VALUE(JOULIE_VOCABULARY_CONTROL_RESULT),
    VALUE(JOULIE_VOCABULARY_SLICING),
    VALUE(JOULIE_VOCABULARY_NODE_STATE),
    VALUE(JOULIE_VOCABULARY_FAIL_POLICY),
    VALUE(JOULIE_VOCABULARY_COOLING),
    VALUE(JOULIE_VOCABULARY_CAP_STATE),
    VALUE(JOULIE_VOCABULARY_POWER_TIER),
    VALUE(JOULIE_VOCABULARY_TENSOR_FUSION_QOS),
    VALUE(JOULIE_VOCABULARY_TENSOR_FUSION_ISOLATION),
    VALUE(JOULIE_VOCABULARY_TENSOR_FUSION_TARGET),
};

static const struct jl_layout_value joulie_workload_class_values[] = {
    VALUE(JOULIE_WORKLOAD_UNKNOWN),
    VALUE(JOULIE_WORKLOAD_PERFORMANCE),
    VALUE(JOULIE_WORKLOAD_STANDARD),
    VALUE(JOULIE_WORKLOAD_OTHER),
};

static const struct jl_layout_parameter joulie_ask_warning_fn_parameters[] = {
    { "user", "void *" },
    { "where", "const char *" },
    { "message", "const char *" },
};

static const struct jl_layout_parameter joulie_cooling_fn_parameters[] = {
    { "user", "void *" },
    { "node_power_w", "double" },
    { "outside_temp_c", "double" },
};

static const struct jl_layout_parameter joulie_host_log_fn_parameters[] = {
    { "user", "void *" },
    { "level", "enum joulie_host_level" },
    { "component", "const char *" },
    { "message", "const char *" },
};

static const struct jl_layout_parameter joulie_host_sink_fn_parameters[] = {
    { "user", "void *" },
    { "entry", "const struct joulie_host_entry *" },
};

static const struct jl_layout_parameter joulie_zone_fn_parameters[] = {
    { "user", "void *" },
    { "name", "const char *" },
    { "out_bytes", "const void **" },
    { "out_len", "size_t *" },
};

static const struct jl_layout_parameter joulie_ask_parameters[] = {
    { "question", "const char *" },
    { "text", "const char *" },
    { "len", "size_t" },
    { "options", "const struct joulie_ask_options *" },
    { "answer", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_ask_describe_parameters[] = {
    { "question", "const char *" },
    { "answer", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_ask_list_parameters[] = {
    { "answer", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_autoscaler_free_parameters[] = {
    { "scaler", "struct joulie_autoscaler *" },
};

static const struct jl_layout_parameter joulie_autoscaler_get_condition_parameters[] = {
    { "scaler", "const struct joulie_autoscaler *" },
    { "index", "size_t" },
    { "out", "struct joulie_autoscale_condition *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_autoscaler_get_decision_parameters[] = {
    { "scaler", "const struct joulie_autoscaler *" },
    { "index", "size_t" },
    { "out", "struct joulie_autoscale_decision *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_autoscaler_new_parameters[] = {
    { "options", "const struct joulie_autoscaler_options *" },
    { "out", "struct joulie_autoscaler **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_autoscaler_put_external_parameters[] = {
    { "scaler", "struct joulie_autoscaler *" },
    { "text", "const char *" },
    { "len", "size_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_autoscaler_put_pool_parameters[] = {
    { "scaler", "struct joulie_autoscaler *" },
    { "text", "const char *" },
    { "len", "size_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_autoscaler_put_profile_parameters[] = {
    { "scaler", "struct joulie_autoscaler *" },
    { "text", "const char *" },
    { "len", "size_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_autoscaler_put_samples_parameters[] = {
    { "scaler", "struct joulie_autoscaler *" },
    { "samples", "const struct joulie_autoscale_samples *" },
    { "count", "size_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_autoscaler_put_worker_parameters[] = {
    { "scaler", "struct joulie_autoscaler *" },
    { "worker", "const struct joulie_autoscale_worker *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_autoscaler_remove_worker_parameters[] = {
    { "scaler", "struct joulie_autoscaler *" },
    { "name", "const char *" },
};

static const struct jl_layout_parameter joulie_autoscaler_restore_parameters[] = {
    { "scaler", "struct joulie_autoscaler *" },
    { "text", "const char *" },
    { "len", "size_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_autoscaler_save_parameters[] = {
    { "scaler", "const struct joulie_autoscaler *" },
    { "out", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_autoscaler_step_parameters[] = {
    { "scaler", "struct joulie_autoscaler *" },
    { "now_ms", "int64_t" },
    { "in", "const struct joulie_autoscale_input *" },
    { "out", "struct joulie_autoscale_output *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_caps_next_w_parameters[] = {
    { "reference_w", "double" },
    { "current_w", "double" },
    { "target_w", "double" },
};

static const struct jl_layout_parameter joulie_caps_resolve_parameters[] = {
    { "intent", "const struct joulie_caps_intent *" },
    { "limits", "const struct joulie_caps_limits *" },
    { "count", "size_t" },
    { "out", "const struct joulie_caps_out *" },
    { "out_failed", "size_t *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_classify_parameters[] = {
    { "in", "const struct joulie_classify_input *" },
    { "out", "struct joulie_classify_output *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_action_at_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "index", "size_t" },
    { "out", "struct joulie_cluster_action *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_action_done_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "id", "uint64_t" },
    { "outcome", "enum joulie_action_outcome" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_explain_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "node_name", "const char *" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_extend_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "body", "const char *" },
    { "len", "size_t" },
    { "options", "const struct joulie_extender_options *" },
    { "reply", "char **" },
    { "out", "struct joulie_extender_result *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_filter_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "pod", "const char *" },
    { "len", "size_t" },
    { "now_ms", "int64_t" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_free_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
};

static const struct jl_layout_parameter joulie_cluster_get_totals_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "out", "struct joulie_cluster_totals *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_heartbeat_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "at_ms", "int64_t" },
};

static const struct jl_layout_parameter joulie_cluster_new_parameters[] = {
    { "settings", "const char *" },
    { "len", "size_t" },
    { "out", "struct joulie_cluster **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_node_at_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "index", "size_t" },
    { "out", "struct joulie_cluster_node *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_node_by_name_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "node_name", "const char *" },
    { "out", "struct joulie_cluster_node *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_place_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "work", "const struct joulie_work *" },
    { "now_ms", "int64_t" },
    { "names", "const char **" },
    { "out", "const struct joulie_place_columns_out *" },
    { "capacity", "size_t" },
    { "out_count", "size_t *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_put_facility_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "facility", "const struct joulie_cluster_facility *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_put_machine_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "machine", "const struct joulie_cluster_machine *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_put_sample_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "node_name", "const char *" },
    { "sample", "const struct joulie_cluster_sample *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_put_work_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "group", "const char *" },
    { "name", "const char *" },
    { "work", "const struct joulie_cluster_work *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_put_zone_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "zone_name", "const char *" },
    { "facility", "const struct joulie_cluster_facility *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_remove_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "kind", "const char *" },
    { "name_space", "const char *" },
    { "name", "const char *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_score_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "pod", "const char *" },
    { "len", "size_t" },
    { "now_ms", "int64_t" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_scoring_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "pod", "const char *" },
    { "len", "size_t" },
    { "now_ms", "int64_t" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_step_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "now_ms", "int64_t" },
    { "out_count", "size_t *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_cluster_upsert_parameters[] = {
    { "cluster", "struct joulie_cluster *" },
    { "text", "const char *" },
    { "len", "size_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_code_word_parameters[] = {
    { "code", "int" },
};

static const struct jl_layout_parameter joulie_format_parameters[] = {
    { "text", "const char *" },
    { "len", "size_t" },
    { "form", "enum joulie_form" },
    { "out", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_free_parameters[] = {
    { "memory", "void *" },
};

static const struct jl_layout_parameter joulie_has_feature_parameters[] = {
    { "name", "const char *" },
};

static const struct jl_layout_parameter joulie_host_caps_parameters[] = {
    { "host", "struct joulie_host *" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_claim_parameters[] = {
    { "host", "struct joulie_host *" },
    { "now_ms", "int64_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_disable_parameters[] = {
    { "host", "struct joulie_host *" },
    { "is_disabled", "int32_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_dvfs_now_parameters[] = {
    { "host", "struct joulie_host *" },
    { "out", "struct joulie_host_dvfs *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_free_parameters[] = {
    { "host", "struct joulie_host *" },
};

static const struct jl_layout_parameter joulie_host_get_counts_parameters[] = {
    { "host", "struct joulie_host *" },
    { "out", "struct joulie_host_counts *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_hardware_parameters[] = {
    { "host", "struct joulie_host *" },
    { "node_name", "const char *" },
    { "now_ms", "int64_t" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_heartbeat_parameters[] = {
    { "host", "struct joulie_host *" },
    { "at_ms", "int64_t" },
};

static const struct jl_layout_parameter joulie_host_open_parameters[] = {
    { "options", "const struct joulie_host_options *" },
    { "out", "struct joulie_host **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_outcome_parameters[] = {
    { "host", "struct joulie_host *" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_plan_parameters[] = {
    { "host", "struct joulie_host *" },
    { "now_ms", "int64_t" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_policy_at_parameters[] = {
    { "host", "struct joulie_host *" },
    { "index", "size_t" },
    { "out", "struct joulie_host_policy *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_put_twin_parameters[] = {
    { "host", "struct joulie_host *" },
    { "text", "const char *" },
    { "len", "size_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_report_parameters[] = {
    { "host", "struct joulie_host *" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_restore_parameters[] = {
    { "host", "struct joulie_host *" },
    { "now_ms", "int64_t" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_snapshot_parameters[] = {
    { "host", "struct joulie_host *" },
    { "sink", "joulie_host_sink_fn *" },
    { "user", "void *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_tick_parameters[] = {
    { "host", "struct joulie_host *" },
    { "time", "const struct joulie_host_time *" },
    { "out", "struct joulie_host_tick_result *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_host_twin_unread_parameters[] = {
    { "host", "struct joulie_host *" },
    { "is_unread", "int32_t" },
};

static const struct jl_layout_parameter joulie_host_zone_at_parameters[] = {
    { "host", "struct joulie_host *" },
    { "index", "size_t" },
    { "out", "struct joulie_host_zone *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_layout_parameters[] = {
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_node_free_parameters[] = {
    { "node", "struct joulie_node *" },
};

static const struct jl_layout_parameter joulie_node_heartbeat_parameters[] = {
    { "node", "struct joulie_node *" },
    { "at_ms", "int64_t" },
};

static const struct jl_layout_parameter joulie_node_new_parameters[] = {
    { "options", "const struct joulie_node_options *" },
    { "out", "struct joulie_node **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_node_put_hardware_parameters[] = {
    { "node", "struct joulie_node *" },
    { "text", "const char *" },
    { "len", "size_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_node_put_part_parameters[] = {
    { "node", "struct joulie_node *" },
    { "part", "const struct joulie_node_part *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_node_put_reading_parameters[] = {
    { "node", "struct joulie_node *" },
    { "reading", "const struct joulie_node_reading *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_node_put_twin_parameters[] = {
    { "node", "struct joulie_node *" },
    { "text", "const char *" },
    { "len", "size_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_node_report_parameters[] = {
    { "node", "struct joulie_node *" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_node_step_parameters[] = {
    { "node", "struct joulie_node *" },
    { "now_ms", "int64_t" },
    { "out_count", "size_t *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_node_write_at_parameters[] = {
    { "node", "struct joulie_node *" },
    { "index", "size_t" },
    { "out", "struct joulie_node_write *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_api_version_parameters[] = {
    { "object", "const struct joulie_object *" },
};

static const struct jl_layout_parameter joulie_object_copy_parameters[] = {
    { "object", "const struct joulie_object *" },
    { "out", "struct joulie_object **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_count_parameters[] = {
    { "object", "const struct joulie_object *" },
    { "path", "const char *" },
    { "out", "size_t *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_diff_parameters[] = {
    { "before", "const struct joulie_object *" },
    { "after", "const struct joulie_object *" },
    { "out", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_free_parameters[] = {
    { "object", "struct joulie_object *" },
};

static const struct jl_layout_parameter joulie_object_get_bool_parameters[] = {
    { "object", "const struct joulie_object *" },
    { "path", "const char *" },
    { "out", "int32_t *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_get_integer_parameters[] = {
    { "object", "const struct joulie_object *" },
    { "path", "const char *" },
    { "out", "int64_t *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_get_number_parameters[] = {
    { "object", "const struct joulie_object *" },
    { "path", "const char *" },
    { "out", "double *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_get_text_parameters[] = {
    { "object", "const struct joulie_object *" },
    { "path", "const char *" },
    { "out", "const char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_kind_parameters[] = {
    { "object", "const struct joulie_object *" },
};

static const struct jl_layout_parameter joulie_object_name_parameters[] = {
    { "object", "const struct joulie_object *" },
};

static const struct jl_layout_parameter joulie_object_namespace_parameters[] = {
    { "object", "const struct joulie_object *" },
};

static const struct jl_layout_parameter joulie_object_new_parameters[] = {
    { "api_version", "const char *" },
    { "kind", "const char *" },
    { "out", "struct joulie_object **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_parse_parameters[] = {
    { "text", "const char *" },
    { "len", "size_t" },
    { "kind", "const char *" },
    { "flags", "uint32_t" },
    { "out", "struct joulie_object **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_patch_parameters[] = {
    { "object", "struct joulie_object *" },
    { "text", "const char *" },
    { "len", "size_t" },
    { "flags", "uint32_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_print_parameters[] = {
    { "object", "const struct joulie_object *" },
    { "form", "enum joulie_form" },
    { "out", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_set_bool_parameters[] = {
    { "object", "struct joulie_object *" },
    { "path", "const char *" },
    { "value", "int32_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_set_integer_parameters[] = {
    { "object", "struct joulie_object *" },
    { "path", "const char *" },
    { "value", "int64_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_set_number_parameters[] = {
    { "object", "struct joulie_object *" },
    { "path", "const char *" },
    { "value", "double" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_set_text_parameters[] = {
    { "object", "struct joulie_object *" },
    { "path", "const char *" },
    { "value", "const char *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_unset_parameters[] = {
    { "object", "struct joulie_object *" },
    { "path", "const char *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_object_validate_parameters[] = {
    { "object", "const struct joulie_object *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_place_config_init_parameters[] = {
    { "config", "struct joulie_place_config *" },
    { "rules", "enum joulie_place_rules" },
};

static const struct jl_layout_parameter joulie_place_nodes_parameters[] = {
    { "config", "const struct joulie_place_config *" },
    { "work", "const struct joulie_work *" },
    { "nodes", "const struct joulie_place_columns *" },
    { "count", "size_t" },
    { "now_ms", "int64_t" },
    { "out", "const struct joulie_place_columns_out *" },
    { "out_failed", "size_t *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_place_reject_text_parameters[] = {
    { "reject", "int" },
};

static const struct jl_layout_parameter joulie_sim_answer_parameters[] = {
    { "sim", "struct joulie_sim *" },
    { "passed", "const uint8_t *" },
    { "wire", "const int32_t *" },
    { "count", "size_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_control_parameters[] = {
    { "sim", "struct joulie_sim *" },
    { "node_name", "const char *" },
    { "text", "const char *" },
    { "len", "size_t" },
    { "reply", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_control_at_parameters[] = {
    { "sim", "struct joulie_sim *" },
    { "at_s", "double" },
    { "admits_changed", "int32_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_csv_parameters[] = {
    { "sim", "const struct joulie_sim *" },
    { "table", "const char *" },
    { "csv", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_decided_parameters[] = {
    { "sim", "struct joulie_sim *" },
    { "twin", "const char *" },
    { "len", "size_t" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_free_parameters[] = {
    { "sim", "struct joulie_sim *" },
};

static const struct jl_layout_parameter joulie_sim_get_outcome_parameters[] = {
    { "sim", "const struct joulie_sim *" },
    { "is_uncontrolled", "int32_t" },
    { "out", "struct joulie_sim_outcome *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_get_view_parameters[] = {
    { "sim", "const struct joulie_sim *" },
    { "out", "struct joulie_sim_view *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_go_on_parameters[] = {
    { "sim", "struct joulie_sim *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_instant_ms_parameters[] = {
    { "time_s", "double" },
};

static const struct jl_layout_parameter joulie_sim_models_parameters[] = {
    { "sim", "const struct joulie_sim *" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_new_parameters[] = {
    { "options", "const struct joulie_sim_options *" },
    { "out", "struct joulie_sim **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_next_parameters[] = {
    { "sim", "struct joulie_sim *" },
    { "until_s", "double" },
    { "out", "struct joulie_sim_event *" },
    { "out_found", "int32_t *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_node_at_parameters[] = {
    { "sim", "const struct joulie_sim *" },
    { "index", "size_t" },
    { "out", "struct joulie_sim_node_view *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_objects_parameters[] = {
    { "sim", "const struct joulie_sim *" },
    { "index", "size_t" },
    { "node", "char **" },
    { "hardware", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_run_until_parameters[] = {
    { "sim", "struct joulie_sim *" },
    { "until_s", "double" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_saving_parameters[] = {
    { "sim", "const struct joulie_sim *" },
    { "out_pct", "double *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_summary_parameters[] = {
    { "sim", "const struct joulie_sim *" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_sim_tell_parameters[] = {
    { "sim", "const struct joulie_sim *" },
    { "node_name", "const char *" },
    { "what", "const char *" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_simulate_autoscale_parameters[] = {
    { "options", "const struct joulie_autoscale_sim_options *" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_slowdown_predict_parameters[] = {
    { "in", "const struct joulie_slowdown_input *" },
    { "out", "struct joulie_slowdown_output *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_split_parameters[] = {
    { "splitter", "struct joulie_splitter *" },
    { "text", "const char **" },
    { "len", "size_t *" },
    { "line", "uint32_t *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_tensor_fusion_v1_get_profile_parameters[] = {
    { "object", "const struct joulie_object *" },
    { "out", "struct joulie_tensor_fusion_v1_profile *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_twin_predict_parameters[] = {
    { "in", "const struct joulie_twin_input *" },
    { "out", "struct joulie_twin_output *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_twin_predict_columns_parameters[] = {
    { "in", "const struct joulie_twin_columns *" },
    { "count", "size_t" },
    { "out", "const struct joulie_twin_columns_out *" },
    { "out_failed", "size_t *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_twin_trend_parameters[] = {
    { "in", "const struct joulie_twin_trend_input *" },
    { "count", "size_t" },
    { "out", "struct joulie_twin_trend_output *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_v1alpha1_get_node_hardware_parameters[] = {
    { "object", "const struct joulie_object *" },
    { "out", "struct joulie_v1alpha1_node_hardware *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_v1alpha1_get_node_twin_spec_parameters[] = {
    { "object", "const struct joulie_object *" },
    { "out", "struct joulie_v1alpha1_node_twin_spec *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_v1alpha1_get_node_twin_status_parameters[] = {
    { "object", "const struct joulie_object *" },
    { "out", "struct joulie_v1alpha1_node_twin_status *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_v1alpha1_get_workload_profile_parameters[] = {
    { "object", "const struct joulie_object *" },
    { "out", "struct joulie_v1alpha1_workload_profile *" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_word_parameters[] = {
    { "vocabulary", "enum joulie_vocabulary" },
    { "value", "int" },
};

static const struct jl_layout_parameter joulie_word_value_parameters[] = {
    { "vocabulary", "enum joulie_vocabulary" },
    { "word", "const char *" },
};

static const struct jl_layout_parameter joulie_workload_generate_parameters[] = {
    { "options", "const struct joulie_workload_options *" },
    { "trace", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_parameter joulie_workload_inspect_parameters[] = {
    { "trace", "const char *" },
    { "len", "size_t" },
    { "is_lenient", "int32_t" },
    { "json", "char **" },
    { "err", "struct joulie_error *" },
};

static const struct jl_layout_struct structs[] = {
    STRUCT(joulie_ask_options),
    STRUCT(joulie_autoscale_condition),
    STRUCT(joulie_autoscale_decision),
    STRUCT(joulie_autoscale_input),
    STRUCT(joulie_autoscale_output),
    STRUCT(joulie_autoscale_samples),
    STRUCT(joulie_autoscale_sim_options),
    STRUCT(joulie_autoscale_worker),
    STRUCT(joulie_autoscaler_options),
    STRUCT(joulie_caps_intent),
    STRUCT(joulie_caps_limits),
    STRUCT(joulie_caps_out),
    STRUCT(joulie_classify_input),
    STRUCT(joulie_classify_output),
    STRUCT(joulie_cluster_action),
    STRUCT(joulie_cluster_facility),
    STRUCT(joulie_cluster_machine),
    STRUCT(joulie_cluster_node),
    STRUCT(joulie_cluster_sample),
    STRUCT(joulie_cluster_totals),
    STRUCT(joulie_cluster_work),
    STRUCT(joulie_column),
    STRUCT(joulie_column_bits),
    STRUCT(joulie_column_bits_out),
    STRUCT(joulie_column_int),
    STRUCT(joulie_column_int_out),
    STRUCT(joulie_column_ms),
    STRUCT(joulie_column_out),
    STRUCT(joulie_error),
    STRUCT(joulie_extender_options),
    STRUCT(joulie_extender_result),
    STRUCT(joulie_host_counts),
    STRUCT(joulie_host_dvfs),
    STRUCT(joulie_host_entry),
    STRUCT(joulie_host_options),
    STRUCT(joulie_host_policy),
    STRUCT(joulie_host_tick_result),
    STRUCT(joulie_host_time),
    STRUCT(joulie_host_zone),
    STRUCT(joulie_node_options),
    STRUCT(joulie_node_part),
    STRUCT(joulie_node_reading),
    STRUCT(joulie_node_write),
    STRUCT(joulie_place_columns),
    STRUCT(joulie_place_columns_out),
    STRUCT(joulie_place_config),
    STRUCT(joulie_sim_event),
    STRUCT(joulie_sim_node_view),
    STRUCT(joulie_sim_options),
    STRUCT(joulie_sim_outcome),
    STRUCT(joulie_sim_view),
    STRUCT(joulie_slowdown_input),
    STRUCT(joulie_slowdown_output),
    STRUCT(joulie_splitter),
    STRUCT(joulie_tensor_fusion_v1_profile),
    STRUCT(joulie_twin_columns),
    STRUCT(joulie_twin_columns_out),
    STRUCT(joulie_twin_input),
    STRUCT(joulie_twin_output),
    STRUCT(joulie_twin_trend_input),
    STRUCT(joulie_twin_trend_output),
    STRUCT(joulie_v1alpha1_node_hardware),
    STRUCT(joulie_v1alpha1_node_twin_spec),
    STRUCT(joulie_v1alpha1_node_twin_status),
    STRUCT(joulie_v1alpha1_workload_profile),
    STRUCT(joulie_work),
    STRUCT(joulie_workload_options),
};

static const struct jl_layout_handle handles[] = {
    { "joulie_autoscaler" },
    { "joulie_cluster" },
    { "joulie_host" },
    { "joulie_node" },
    { "joulie_object" },
    { "joulie_sim" },
};

static const struct jl_layout_enum enums[] = {
    ENUM(joulie_action_outcome),
    ENUM(joulie_action_verb),
    ENUM(joulie_autoscale_model),
    ENUM(joulie_basis),
    ENUM(joulie_bound),
    ENUM(joulie_cap_block),
    ENUM(joulie_cap_clamp),
    ENUM(joulie_cap_device),
    ENUM(joulie_cap_feedback),
    ENUM(joulie_cap_state),
    ENUM(joulie_caps_rules),
    ENUM(joulie_change),
    ENUM(joulie_classify_rules),
    ENUM(joulie_code),
    ENUM(joulie_control_result),
    ENUM(joulie_cooling),
    ENUM(joulie_extender_verb),
    ENUM(joulie_fail_policy),
    ENUM(joulie_form),
    ENUM(joulie_gpu_vendor),
    ENUM(joulie_host_level),
    ENUM(joulie_host_zone_kind),
    ENUM(joulie_level),
    ENUM(joulie_movable),
    ENUM(joulie_node_class),
    ENUM(joulie_node_kind),
    ENUM(joulie_node_label),
    ENUM(joulie_node_outcome),
    ENUM(joulie_node_state),
    ENUM(joulie_place_rules),
    ENUM(joulie_power_source),
    ENUM(joulie_power_tier),
    ENUM(joulie_profile),
    ENUM(joulie_provenance),
    ENUM(joulie_reject),
    ENUM(joulie_sim_event_kind),
    ENUM(joulie_slicing),
    ENUM(joulie_spread),
    ENUM(joulie_supply),
    ENUM(joulie_tdp_source),
    ENUM(joulie_tensor_fusion_isolation),
    ENUM(joulie_tensor_fusion_qos),
    ENUM(joulie_tensor_fusion_target),
    ENUM(joulie_twin_rules),
    ENUM(joulie_vocabulary),
    ENUM(joulie_workload_class),
};

static const struct jl_layout_number numbers[] = {
    NUMBER(JOULIE_AUTOSCALE_HAS_ALLOWED_TFLOPS),
    NUMBER(JOULIE_AUTOSCALE_HAS_ALLOWED_VRAM),
    NUMBER(JOULIE_AUTOSCALE_HAS_GPU_TFLOPS),
    NUMBER(JOULIE_AUTOSCALE_HAS_GPU_VRAM),
    NUMBER(JOULIE_AUTOSCALE_HAS_LIMIT_TFLOPS),
    NUMBER(JOULIE_AUTOSCALE_HAS_LIMIT_VRAM),
    NUMBER(JOULIE_AUTOSCALE_HAS_MAX_REPLICAS),
    NUMBER(JOULIE_AUTOSCALE_HAS_MIN_REPLICAS),
    NUMBER(JOULIE_AUTOSCALE_HAS_REPLICAS),
    NUMBER(JOULIE_AUTOSCALE_HAS_REQUEST_TFLOPS),
    NUMBER(JOULIE_AUTOSCALE_HAS_REQUEST_VRAM),
    NUMBER(JOULIE_AUTOSCALE_OUT_NEXT_DUE),
    NUMBER(JOULIE_AUTOSCALE_OUT_RATIO),
    NUMBER(JOULIE_AUTOSCALE_OUT_REPLICAS),
    NUMBER(JOULIE_AUTOSCALE_SAMPLE_HAS_OOM_COUNT),
    NUMBER(JOULIE_AUTOSCALE_SAMPLE_HAS_TFLOPS),
    NUMBER(JOULIE_AUTOSCALE_SAMPLE_HAS_TFLOPS_LIMIT),
    NUMBER(JOULIE_AUTOSCALE_SAMPLE_HAS_THROTTLED_COUNT),
    NUMBER(JOULIE_AUTOSCALE_SAMPLE_HAS_VRAM),
    NUMBER(JOULIE_AUTOSCALE_SIM_HAS_CARDS),
    NUMBER(JOULIE_AUTOSCALE_SIM_HAS_CARD_TFLOPS),
    NUMBER(JOULIE_AUTOSCALE_SIM_HAS_CARD_VRAM),
    NUMBER(JOULIE_AUTOSCALE_SIM_HAS_HOURS),
    NUMBER(JOULIE_AUTOSCALE_SIM_HAS_SEED),
    NUMBER(JOULIE_AUTOSCALE_SIM_HAS_SEEDS),
    NUMBER(JOULIE_AUTOSCALE_SIM_HAS_START_DELAY),
    NUMBER(JOULIE_AUTOSCALE_WORKER_HAS_CREATED),
    NUMBER(JOULIE_CAPS_HAS_CAP_PCT),
    NUMBER(JOULIE_CAPS_HAS_CAP_W),
    NUMBER(JOULIE_CAPS_HAS_FLOOR),
    NUMBER(JOULIE_CLASSIFY_HAS_COVERAGE),
    NUMBER(JOULIE_CLASSIFY_HAS_CPU_BOUND_RATIO),
    NUMBER(JOULIE_CLASSIFY_HAS_CPU_ENERGY),
    NUMBER(JOULIE_CLASSIFY_HAS_CPU_UTIL),
    NUMBER(JOULIE_CLASSIFY_HAS_DRAM_ENERGY),
    NUMBER(JOULIE_CLASSIFY_HAS_GPU_COUNT),
    NUMBER(JOULIE_CLASSIFY_HAS_GPU_DOMINANT),
    NUMBER(JOULIE_CLASSIFY_HAS_GPU_ENERGY),
    NUMBER(JOULIE_CLASSIFY_HAS_GPU_MAX),
    NUMBER(JOULIE_CLASSIFY_HAS_GPU_MEM_UTIL),
    NUMBER(JOULIE_CLASSIFY_HAS_GPU_UTIL),
    NUMBER(JOULIE_CLASSIFY_HAS_HYSTERESIS),
    NUMBER(JOULIE_CLASSIFY_HAS_KEPLER_DRAM),
    NUMBER(JOULIE_CLASSIFY_HAS_KEPLER_GPU),
    NUMBER(JOULIE_CLASSIFY_HAS_KEPLER_PACKAGE),
    NUMBER(JOULIE_CLASSIFY_HAS_KEPLER_USED),
    NUMBER(JOULIE_CLASSIFY_HAS_LIMIT_BYTES),
    NUMBER(JOULIE_CLASSIFY_HAS_LIMIT_CORES),
    NUMBER(JOULIE_CLASSIFY_HAS_MEM_BOUND_RATIO),
    NUMBER(JOULIE_CLASSIFY_HAS_MEM_PRESSURE),
    NUMBER(JOULIE_CLASSIFY_HAS_METRICS),
    NUMBER(JOULIE_CLASSIFY_HAS_MIN_CONFIDENCE),
    NUMBER(JOULIE_CLASSIFY_HAS_NODE_CORES),
    NUMBER(JOULIE_CLASSIFY_HAS_PREVIOUS),
    NUMBER(JOULIE_CLASSIFY_HAS_REQUEST_CORES),
    NUMBER(JOULIE_CLASSIFY_HAS_USAGE_CORES),
    NUMBER(JOULIE_CLASSIFY_HAS_WINDOW),
    NUMBER(JOULIE_CLASSIFY_HAS_WORKING_SET),
    NUMBER(JOULIE_CLASSIFY_HINTS_ONLY),
    NUMBER(JOULIE_CLASSIFY_IGNORED_CLASS),
    NUMBER(JOULIE_CLASSIFY_IGNORED_CPU_SENSITIVITY),
    NUMBER(JOULIE_CLASSIFY_IGNORED_GPU_SENSITIVITY),
    NUMBER(JOULIE_CLASSIFY_IGNORED_RESCHEDULABLE),
    NUMBER(JOULIE_CLASSIFY_KEPT_CPU_BOUND),
    NUMBER(JOULIE_CLASSIFY_KEPT_CPU_INTENSITY),
    NUMBER(JOULIE_CLASSIFY_KEPT_GPU_BOUND),
    NUMBER(JOULIE_CLASSIFY_KEPT_GPU_INTENSITY),
    NUMBER(JOULIE_CLASSIFY_OUT_CPU_UTIL),
    NUMBER(JOULIE_CLASSIFY_OUT_GPU_UTIL),
    NUMBER(JOULIE_CLASSIFY_OUT_RESCHEDULABLE),
    NUMBER(JOULIE_CLASSIFY_REASON_BYTES),
    NUMBER(JOULIE_CLASSIFY_RELIABLE),
    NUMBER(JOULIE_CLUSTER_WORK_HAS_STARTED),
    NUMBER(JOULIE_FACILITY_HAS_COOLING_POWER),
    NUMBER(JOULIE_FACILITY_HAS_IT_POWER),
    NUMBER(JOULIE_FACILITY_HAS_OUTSIDE_TEMP),
    NUMBER(JOULIE_HOST_DVFS_HAS_EMA),
    NUMBER(JOULIE_HOST_DVFS_HAS_POWER),
    NUMBER(JOULIE_HOST_DVFS_HAS_TRIPS),
    NUMBER(JOULIE_HOST_HAS_COOLDOWN),
    NUMBER(JOULIE_HOST_HAS_EMA_ALPHA),
    NUMBER(JOULIE_HOST_HAS_FLOOR),
    NUMBER(JOULIE_HOST_HAS_HIGH_MARGIN),
    NUMBER(JOULIE_HOST_HAS_LOW_MARGIN),
    NUMBER(JOULIE_HOST_HAS_MAX_AGE),
    NUMBER(JOULIE_HOST_HAS_MIN_FREQ),
    NUMBER(JOULIE_HOST_HAS_SPEC_READ_TIMEOUT),
    NUMBER(JOULIE_HOST_HAS_STALENESS),
    NUMBER(JOULIE_HOST_HAS_STEP),
    NUMBER(JOULIE_HOST_HAS_TRIP_COUNT),
    NUMBER(JOULIE_HOST_POLICY_HAS_MAX),
    NUMBER(JOULIE_HOST_POLICY_HAS_NOW),
    NUMBER(JOULIE_HOST_ZONE_HAS_ENERGY),
    NUMBER(JOULIE_HOST_ZONE_HAS_LIMIT),
    NUMBER(JOULIE_HOST_ZONE_HAS_POWER),
    NUMBER(JOULIE_INVALID_CPU_SENSITIVITY),
    NUMBER(JOULIE_INVALID_GPU_SENSITIVITY),
    NUMBER(JOULIE_INVALID_WORKLOAD_CLASS),
    NUMBER(JOULIE_MACHINE_HAS_CPU_CORES),
    NUMBER(JOULIE_MACHINE_HAS_CPU_MAX),
    NUMBER(JOULIE_MACHINE_HAS_CPU_MIN),
    NUMBER(JOULIE_MACHINE_HAS_CPU_SOCKETS),
    NUMBER(JOULIE_MACHINE_HAS_GPU_COUNT),
    NUMBER(JOULIE_MACHINE_HAS_GPU_IDLE),
    NUMBER(JOULIE_MACHINE_HAS_GPU_MAX),
    NUMBER(JOULIE_MACHINE_HAS_GPU_MIN),
    NUMBER(JOULIE_NODE_HAS_FLOOR),
    NUMBER(JOULIE_NODE_HAS_MAX_AGE),
    NUMBER(JOULIE_NODE_HAS_SPEC_READ_TIMEOUT),
    NUMBER(JOULIE_NODE_HAS_STALENESS),
    NUMBER(JOULIE_NODE_VIEW_HAS_COOLING),
    NUMBER(JOULIE_NODE_VIEW_HAS_CPU_CAP_PCT),
    NUMBER(JOULIE_NODE_VIEW_HAS_CPU_CAP_W),
    NUMBER(JOULIE_NODE_VIEW_HAS_CPU_DENSITY),
    NUMBER(JOULIE_NODE_VIEW_HAS_GPU_CAP_PCT),
    NUMBER(JOULIE_NODE_VIEW_HAS_GPU_CAP_W),
    NUMBER(JOULIE_NODE_VIEW_HAS_GPU_DENSITY),
    NUMBER(JOULIE_NODE_VIEW_HAS_HEADROOM),
    NUMBER(JOULIE_NODE_VIEW_HAS_NODE_CAPPED),
    NUMBER(JOULIE_NODE_VIEW_HAS_NODE_POWER),
    NUMBER(JOULIE_NODE_VIEW_HAS_NODE_TDP),
    NUMBER(JOULIE_NODE_VIEW_HAS_PSU),
    NUMBER(JOULIE_NODE_VIEW_HAS_RACK_POWER),
    NUMBER(JOULIE_NODE_VIEW_HAS_TREND),
    NUMBER(JOULIE_OBJECT_LENIENT),
    NUMBER(JOULIE_PART_HAS_MAX),
    NUMBER(JOULIE_PART_HAS_MIN),
    NUMBER(JOULIE_PART_HAS_POWER_UNIT),
    NUMBER(JOULIE_PLACE_CONFIG_HAS_HEARTBEAT),
    NUMBER(JOULIE_PLACE_HAS_CAPPED),
    NUMBER(JOULIE_PLACE_HAS_CLASS),
    NUMBER(JOULIE_PLACE_HAS_COOLING),
    NUMBER(JOULIE_PLACE_HAS_CPU_CAP_PCT),
    NUMBER(JOULIE_PLACE_HAS_CPU_CORES),
    NUMBER(JOULIE_PLACE_HAS_CPU_MAX),
    NUMBER(JOULIE_PLACE_HAS_GPU),
    NUMBER(JOULIE_PLACE_HAS_GPU_CAP_PCT),
    NUMBER(JOULIE_PLACE_HAS_GPU_COUNT),
    NUMBER(JOULIE_PLACE_HAS_GPU_MAX),
    NUMBER(JOULIE_PLACE_HAS_HARDWARE),
    NUMBER(JOULIE_PLACE_HAS_HEADROOM),
    NUMBER(JOULIE_PLACE_HAS_MEASURED),
    NUMBER(JOULIE_PLACE_HAS_PSU),
    NUMBER(JOULIE_PLACE_HAS_PUE),
    NUMBER(JOULIE_PLACE_HAS_TREND),
    NUMBER(JOULIE_PLACE_HAS_TWIN),
    NUMBER(JOULIE_PLACE_HAS_UPDATED),
    NUMBER(JOULIE_READING_HAS_LIMIT),
    NUMBER(JOULIE_READING_HAS_ORIGINAL),
    NUMBER(JOULIE_SAMPLE_HAS_CPU_UTIL),
    NUMBER(JOULIE_SAMPLE_HAS_GPU_UTIL),
    NUMBER(JOULIE_SAMPLE_HAS_NODE_POWER),
    NUMBER(JOULIE_SIM_OUTCOME_HAS_MAKESPAN),
    NUMBER(JOULIE_SIM_OUTCOME_HAS_MEAN_WAIT),
    NUMBER(JOULIE_SLOWDOWN_HAS_CPU_CAP_PCT),
    NUMBER(JOULIE_SLOWDOWN_HAS_CPU_CAP_W),
    NUMBER(JOULIE_SLOWDOWN_HAS_CPU_FREQ),
    NUMBER(JOULIE_SLOWDOWN_HAS_CPU_IDLE),
    NUMBER(JOULIE_SLOWDOWN_HAS_CPU_KNEE),
    NUMBER(JOULIE_SLOWDOWN_HAS_CPU_MAX),
    NUMBER(JOULIE_SLOWDOWN_HAS_CPU_MIN_FREQ),
    NUMBER(JOULIE_SLOWDOWN_HAS_CPU_THERMAL),
    NUMBER(JOULIE_SLOWDOWN_HAS_CPU_UTIL),
    NUMBER(JOULIE_SLOWDOWN_HAS_FEED),
    NUMBER(JOULIE_SLOWDOWN_HAS_GPU_CAP_PCT),
    NUMBER(JOULIE_SLOWDOWN_HAS_GPU_CAP_W),
    NUMBER(JOULIE_SLOWDOWN_HAS_GPU_COMPUTE_GAMMA),
    NUMBER(JOULIE_SLOWDOWN_HAS_GPU_IDLE),
    NUMBER(JOULIE_SLOWDOWN_HAS_GPU_MAX),
    NUMBER(JOULIE_SLOWDOWN_HAS_GPU_MEMORY_EPSILON),
    NUMBER(JOULIE_SLOWDOWN_HAS_GPU_MEMORY_GAMMA),
    NUMBER(JOULIE_SLOWDOWN_HAS_GPU_THERMAL),
    NUMBER(JOULIE_SLOWDOWN_HAS_GPU_UTIL),
    NUMBER(JOULIE_SLOWDOWN_HAS_IO),
    NUMBER(JOULIE_SLOWDOWN_HAS_MEMORY),
    NUMBER(JOULIE_SLOWDOWN_OUT_CPU_FREQ),
    NUMBER(JOULIE_SLOWDOWN_OUT_CPU_POWER),
    NUMBER(JOULIE_SLOWDOWN_OUT_CPU_SLOWDOWN),
    NUMBER(JOULIE_SLOWDOWN_OUT_CPU_THROUGHPUT),
    NUMBER(JOULIE_SLOWDOWN_OUT_GPU_NATURAL),
    NUMBER(JOULIE_SLOWDOWN_OUT_GPU_POWER),
    NUMBER(JOULIE_SLOWDOWN_OUT_GPU_SLOWDOWN),
    NUMBER(JOULIE_SLOWDOWN_OUT_GPU_THROUGHPUT),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_EXTERNAL_ENABLED),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_GANG_MIN_MEMBERS),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_GPU_COUNT),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_GPU_MODEL),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_ISOLATION),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_IS_LOCAL_GPU),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_IS_SIDECAR_WORKER),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMITS_ENABLED),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMITS_TARGET),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMIT_COMPUTE_PCT),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMIT_COMPUTE_TEXT),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMIT_TFLOPS),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMIT_TFLOPS_TEXT),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMIT_VRAM_BYTES),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMIT_VRAM_TEXT),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_PARTITION_TEMPLATE_ID),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_POOL_NAME),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_QOS),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REPLICAS),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REPLICAS_ENABLED),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUESTS_ENABLED),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUESTS_TARGET),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUEST_COMPUTE_PCT),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUEST_COMPUTE_TEXT),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUEST_TFLOPS),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUEST_TFLOPS_TEXT),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUEST_VRAM_BYTES),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUEST_VRAM_TEXT),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_RESOURCES_ENABLED),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_RESOURCES_TARGET),
    NUMBER(JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_VENDOR),
    NUMBER(JOULIE_TWIN_HAS_CLUSTER_CAPACITY),
    NUMBER(JOULIE_TWIN_HAS_CLUSTER_POWER),
    NUMBER(JOULIE_TWIN_HAS_COOLING_DESIGN_IT),
    NUMBER(JOULIE_TWIN_HAS_COOLING_REFERENCE),
    NUMBER(JOULIE_TWIN_HAS_CPU_CAP_PCT),
    NUMBER(JOULIE_TWIN_HAS_CPU_CAP_W),
    NUMBER(JOULIE_TWIN_HAS_CPU_CORES),
    NUMBER(JOULIE_TWIN_HAS_CPU_CURVE),
    NUMBER(JOULIE_TWIN_HAS_CPU_MAX),
    NUMBER(JOULIE_TWIN_HAS_CPU_SOCKETS),
    NUMBER(JOULIE_TWIN_HAS_CPU_UTIL),
    NUMBER(JOULIE_TWIN_HAS_GPU_CAP_PCT),
    NUMBER(JOULIE_TWIN_HAS_GPU_CAP_W),
    NUMBER(JOULIE_TWIN_HAS_GPU_COUNT),
    NUMBER(JOULIE_TWIN_HAS_GPU_IDLE),
    NUMBER(JOULIE_TWIN_HAS_GPU_MAX),
    NUMBER(JOULIE_TWIN_HAS_GPU_UTIL),
    NUMBER(JOULIE_TWIN_HAS_NODE_POWER),
    NUMBER(JOULIE_TWIN_HAS_OUTSIDE_TEMP),
    NUMBER(JOULIE_TWIN_HAS_PREVIOUS_CPU_CAP_PCT),
    NUMBER(JOULIE_TWIN_HAS_PREVIOUS_GPU_CAP_PCT),
    NUMBER(JOULIE_TWIN_HAS_RACK_CAPACITY),
    NUMBER(JOULIE_TWIN_HAS_RACK_POWER),
    NUMBER(JOULIE_TWIN_HAS_ZONE_POWER),
    NUMBER(JOULIE_TWIN_HAS_ZONE_TEMP),
    NUMBER(JOULIE_TWIN_OUT_COOLING),
    NUMBER(JOULIE_TWIN_OUT_CPU_CAPPED),
    NUMBER(JOULIE_TWIN_OUT_CPU_TDP),
    NUMBER(JOULIE_TWIN_OUT_DENSITY),
    NUMBER(JOULIE_TWIN_OUT_GPU_CAPPED),
    NUMBER(JOULIE_TWIN_OUT_GPU_TDP),
    NUMBER(JOULIE_TWIN_OUT_HEADROOM),
    NUMBER(JOULIE_TWIN_OUT_NODE_CAPPED),
    NUMBER(JOULIE_TWIN_OUT_NODE_POWER),
    NUMBER(JOULIE_TWIN_OUT_NODE_TDP),
    NUMBER(JOULIE_TWIN_OUT_PSU),
    NUMBER(JOULIE_TWIN_OUT_PUE),
    NUMBER(JOULIE_TWIN_TREND_HAS_END),
    NUMBER(JOULIE_TWIN_TREND_OUT_TREND),
    NUMBER(JOULIE_TWIN_TREND_SAMPLE_POWER),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CAN_CONTROL),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CAN_READ),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CAP_RANGE_TYPE),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CATALOG_KEY),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CORES_PER_SOCKET),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_DRIVER_FAMILY),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_EXACTNESS),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_LOGICAL_CPUS),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_LOWEST_NONLINEAR_FREQ_MHZ),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MAX_BOOST_MHZ),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MAX_CAP_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MIN_CAP_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MIN_FREQ_MHZ),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_MODEL),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_NOMINAL_FREQ_MHZ),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_PHYSICAL_CORES),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_RAW_MODEL),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_SOCKETS),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_TOTAL_CORES),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_VENDOR),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CAN_CONTROL),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CAN_READ),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CAN_SLICE),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CATALOG_KEY),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_COUNT),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_CURRENT_CAP_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_DEFAULT_CAP_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_EXACTNESS),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_MAX_CAP_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_MIN_CAP_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_MODEL),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_RAW_MODEL),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_GPU_VENDOR),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_HAS_GPUS),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_LINK_CLASS),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_MEMORY_BYTES),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_CAN_CONTROL_CPU),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_CAN_CONTROL_GPU),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_CAN_READ_CPU),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_CAN_READ_GPU),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_NODE_NAME),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_QUALITY),
    NUMBER(JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_UPDATED_MS),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_CPU_CAP_PCT),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_CPU_CAP_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_GPU_CAP_PCT),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_GPU_CAP_SCOPE),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_GPU_CAP_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_IS_DRAINING),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_NODE_NAME),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_POLICY_NAME),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_PROFILE),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_RESCHEDULABLE_PRESSURE),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_COOLING_STRESS_SCORE),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CAPPED_POWER_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_BACKEND),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_MESSAGE),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_RESULT),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_UPDATED_MS),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_EFFECTIVE_PCT),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_TDP_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_ESTIMATED_PUE),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CAPPED_POWER_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CONTROL_BACKEND),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CONTROL_MESSAGE),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CONTROL_RESULT),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CONTROL_UPDATED_MS),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_EFFECTIVE_PCT),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_TDP_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_HARDWARE_DENSITY_SCORE),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_LAST_UPDATED_MS),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_MEASURED_NODE_POWER_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_NODE_CAPPED_POWER_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_NODE_TDP_W),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_POWER_HEADROOM_SCORE),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_POWER_SOURCE),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_POWER_TREND_W_PER_MIN),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_PSU_STRESS_SCORE),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SCHEDULABLE_CLASS),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICES_PER_GPU),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICE_TYPE),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICING_CONFIDENCE_FRAC),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICING_GAIN_PCT),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICING_MODE),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICING_REASON),
    NUMBER(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_TOTAL_SLICES),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CLASSIFICATION_REASON),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CONFIDENCE_FRAC),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CPU_BOUND),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CPU_CAP_SENSITIVITY),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CPU_INTENSITY),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CPU_UTILIZATION_PCT),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_CRITICALITY),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_GPU_BOUND),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_GPU_CAP_SENSITIVITY),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_GPU_INTENSITY),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_GPU_UTILIZATION_PCT),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_IS_RESCHEDULABLE),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_LAST_UPDATED_MS),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_NODE_NAME),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_RESCHEDULE_REASON),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_SHOULD_RESCHEDULE),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_WORKLOAD_KIND),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_WORKLOAD_NAME),
    NUMBER(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_WORKLOAD_NAMESPACE),
    NUMBER(JOULIE_WORKLOAD_HAS_AMD_RATIO),
    NUMBER(JOULIE_WORKLOAD_HAS_BASE_SPEED),
    NUMBER(JOULIE_WORKLOAD_HAS_BURST_MAX),
    NUMBER(JOULIE_WORKLOAD_HAS_BURST_MIN),
    NUMBER(JOULIE_WORKLOAD_HAS_BURST_PROB),
    NUMBER(JOULIE_WORKLOAD_HAS_GPU_RATIO),
    NUMBER(JOULIE_WORKLOAD_HAS_HOURS),
    NUMBER(JOULIE_WORKLOAD_HAS_JOBS),
    NUMBER(JOULIE_WORKLOAD_HAS_MAX_DURATION),
    NUMBER(JOULIE_WORKLOAD_HAS_MEAN_INTER_ARRIVAL),
    NUMBER(JOULIE_WORKLOAD_HAS_MIN_GPUS),
    NUMBER(JOULIE_WORKLOAD_HAS_PEAK_RATE),
    NUMBER(JOULIE_WORKLOAD_HAS_PERF_RATIO),
    NUMBER(JOULIE_WORKLOAD_HAS_RECORDS),
    NUMBER(JOULIE_WORKLOAD_HAS_SEED),
    NUMBER(JOULIE_WORKLOAD_HAS_WORK_SCALE),
    NUMBER(JOULIE_WORK_HAS_CPU),
    NUMBER(JOULIE_WORK_HAS_GPU),
    NUMBER(JOULIE_WORK_HAS_MEMORY),
};

static const struct jl_layout_text texts[] = {
    TEXT(JOULIE_TENSOR_FUSION_V1_API_VERSION),
    TEXT(JOULIE_TENSOR_FUSION_V1_GROUP),
    TEXT(JOULIE_TENSOR_FUSION_V1_KIND_TENSOR_FUSION_WORKLOAD),
    TEXT(JOULIE_TENSOR_FUSION_V1_KIND_WORKLOAD_PROFILE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SCALING_CONFIG),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_ENABLE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_EVALUATION_PERIOD),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_EXTRA_TFLOPS_BUFFER_RATIO),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_IGNORED_DELTA_RANGE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_MAX_RATIO_TO_REQUESTS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION_ENABLE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION_HISTORY_DATA_PERIOD),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION_MODEL),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION_PREDICTION_PERIOD),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_SCALE_UP_STEP),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_TARGET_RESOURCE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_ENABLE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_EVALUATION_PERIOD),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_SCALE_DOWN_COOL_DOWN_TIME),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_SCALE_DOWN_STEP),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_SCALE_UP_COOL_DOWN_TIME),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_SCALE_UP_STEP),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_TARGET_TFLOPS_OF_LIMITS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_AGGREGATION_PERIOD),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_ENABLE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_EVALUATION_PERIOD),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_EXTRA_BUFFER_RATIO),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PERCENTILE_FOR_AUTO_REQUESTS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION_ENABLE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION_HISTORY_DATA_PERIOD),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION_MODEL),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION_PREDICTION_PERIOD),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_TARGET_RESOURCE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_CONFIDENCE_INTERVAL),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_ENABLE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_HISTORY_DATA_PERIOD),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_HISTORY_LENGTH),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_HISTORY_RESOLUTION),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_INITIAL_DELAY_PERIOD),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_INTERVAL),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_LOWERBOUNDTFLOPSPERCENTILE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_LOWERBOUNDVRAMPERCENTILE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_LOWER_BOUND_COMPUTE_PERCENTILE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_LOWER_BOUND_VRAM_PERCENTILE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MARGIN_FRACTION),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MAX_COMPUTE_RESOURCES_RATIO),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MAX_VRAM_RESOURCES_RATIO),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MIN_COMPUTE_RESOURCES_RATIO),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MIN_VRAM_RESOURCES_RATIO),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_REQUEST_MARGIN_FRACTION),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGETTFLOPSPERCENTILE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGETVRAMPERCENTILE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGET_COMPUTE_PERCENTILE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGET_RESOURCE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGET_VRAM_PERCENTILE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPDATE_THRESHOLD),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPPERBOUNDTFLOPSPERCENTILE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPPERBOUNDVRAMPERCENTILE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPPER_BOUND_COMPUTE_PERCENTILE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPPER_BOUND_VRAM_PERCENTILE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_CRON_SCALING_RULES),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_API_KEY_SECRET_REF),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_API_KEY_SECRET_REF_NAME),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_API_KEY_SECRET_REF_NAMESPACE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_ENABLE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_INITIAL_DELAY_PERIOD),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_INTERVAL),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_URL),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_GANG_SCHEDULING),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_GANG_SCHEDULING_MIN_MEMBERS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_GANG_SCHEDULING_MODE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_GANG_SCHEDULING_TIMEOUT),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_GPU_COUNT),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_GPU_INDICES),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_GPU_MODEL),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_ISOLATION),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_IS_LOCAL_GPU),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_NODE_AFFINITY),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_NODE_AFFINITY_PREFERRED_DURING_SCHEDULING_IGNORED_DURING_EXECUTION),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_NODE_AFFINITY_REQUIRED_DURING_SCHEDULING_IGNORED_DURING_EXECUTION),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_NODE_AFFINITY_REQUIRED_DURING_SCHEDULING_IGNORED_DURING_EXECUTION_NODE_SELECTOR_TERMS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_PARTITION_TEMPLATE_ID),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_POOL_NAME),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_QOS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_REPLICAS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_LIMITS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_LIMITS_COMPUTE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_LIMITS_TFLOPS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_LIMITS_VRAM),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_REQUESTS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_REQUESTS_COMPUTE),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_REQUESTS_TFLOPS),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_REQUESTS_VRAM),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_SIDECAR_WORKER),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_VENDOR),
    TEXT(JOULIE_TENSOR_FUSION_V1_SPEC_WORKER_POD_TEMPLATE),
    TEXT(JOULIE_TENSOR_FUSION_V1_STATUS_ACTIVE_CRON_SCALING_RULE),
    TEXT(JOULIE_TENSOR_FUSION_V1_STATUS_APPLIED_RECOMMENDED_REPLICAS),
    TEXT(JOULIE_TENSOR_FUSION_V1_STATUS_CONDITIONS),
    TEXT(JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION),
    TEXT(JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_LIMITS),
    TEXT(JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_LIMITS_COMPUTE),
    TEXT(JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_LIMITS_TFLOPS),
    TEXT(JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_LIMITS_VRAM),
    TEXT(JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_REQUESTS),
    TEXT(JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_REQUESTS_COMPUTE),
    TEXT(JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_REQUESTS_TFLOPS),
    TEXT(JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_REQUESTS_VRAM),
    TEXT(JOULIE_TENSOR_FUSION_V1_STATUS_WORKER_COUNT),
    TEXT(JOULIE_V1ALPHA1_API_VERSION),
    TEXT(JOULIE_V1ALPHA1_KIND_NODE_HARDWARE),
    TEXT(JOULIE_V1ALPHA1_KIND_NODE_POWER_PROFILE),
    TEXT(JOULIE_V1ALPHA1_KIND_NODE_TWIN),
    TEXT(JOULIE_V1ALPHA1_KIND_TELEMETRY_PROFILE),
    TEXT(JOULIE_V1ALPHA1_KIND_WORKLOAD_PROFILE),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_SPEC_NODE_NAME),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_CPU_CONTROL),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_CPU_TELEMETRY),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_GPU_CONTROL),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_GPU_TELEMETRY),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE_MAX_WATTS_PER_SOCKET),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE_MIN_WATTS_PER_SOCKET),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE_TYPE),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CONTROL_AVAILABLE),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CORES_PER_SOCKET),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_DRIVER_FAMILY),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_LOWEST_NONLINEAR_FREQ_MHZ),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_MAX_BOOST_MHZ),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_MIN_FREQ_MHZ),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_NOMINAL_FREQ_MHZ),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LOGICAL_CPUS),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_MODEL),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_PACKAGES),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_PHYSICAL_CORES),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_RAW_MODEL),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_SOCKETS),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_TELEMETRY_AVAILABLE),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_TOTAL_CORES),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_VENDOR),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_WARNINGS),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU_DEFAULT_WATTS),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU_MAX_WATTS),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU_MIN_WATTS),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CONTROL_AVAILABLE),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_COUNT),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CURRENT_CAP_WATTS),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_DEVICES),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_MODEL),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_PRESENT),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_RAW_MODEL),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_SLICING),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_SLICING_MODES),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_SLICING_SUPPORTED),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_TELEMETRY_AVAILABLE),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_VENDOR),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_WARNINGS),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_EXACTNESS),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_EXACTNESS_CPU),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_EXACTNESS_GPU),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY_CPU),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY_GPU),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_MEMORY),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_MEMORY_TOTAL_BYTES),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_NETWORK),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_NETWORK_LINK_CLASS),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_QUALITY),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_QUALITY_OVERALL),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_QUALITY_WARNINGS),
    TEXT(JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_UPDATED_AT),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_CPU),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_CPU_PACKAGE_POWER_CAP_PCT_OF_MAX),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_CPU_PACKAGE_POWER_CAP_WATTS),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP_CAP_PCT_OF_MAX),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP_CAP_WATTS_PER_GPU),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP_SCOPE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_NODE_NAME),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_POLICY),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_POLICY_NAME),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_POLICY_RESCHEDULABLE_PRESSURE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_PROFILE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_SCHEDULING),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_SCHEDULING_DRAINING),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_BACKEND),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_MESSAGE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_OBSERVED),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_RESULT),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_UPDATED_AT),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_BACKEND),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_MESSAGE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_OBSERVED),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_RESULT),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_UPDATED_AT),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_EFFECTIVE_CAP_STATE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_EFFECTIVE_CAP_STATE_CPU_PCT),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_EFFECTIVE_CAP_STATE_GPU_PCT),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_ESTIMATED_PUE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_CONFIDENCE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_ESTIMATED_UTILIZATION_GAIN),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_MODE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_REASON),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_SLICES_PER_GPU),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_SLICE_TYPE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_TOTAL_SLICES),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HARDWARE_DENSITY_SCORE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_LAST_UPDATED),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_CPU_CAPPED_POWER_W),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_CPU_TDP_W),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_GPU_CAPPED_POWER_W),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_GPU_TDP_W),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_MEASURED_NODE_POWER_W),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_NODE_CAPPED_POWER_W),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_NODE_TDP_W),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_POWER_TREND_W_PER_MIN),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_SOURCE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_PREDICTED_COOLING_STRESS_SCORE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_PREDICTED_POWER_HEADROOM_SCORE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_PREDICTED_PSU_STRESS_SCORE),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_RESCHEDULE_RECOMMENDATIONS),
    TEXT(JOULIE_V1ALPHA1_NODE_TWIN_STATUS_SCHEDULABLE_CLASS),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_NODE_NAME),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF_KIND),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF_NAME),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF_NAMESPACE),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CLASSIFICATION_REASON),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CONFIDENCE),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_AVG_UTILIZATION_PCT),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_BOUND),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_CAP_SENSITIVITY),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_INTENSITY),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CRITICALITY),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CRITICALITY_CLASS),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_AVG_UTILIZATION_PCT),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_BOUND),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_CAP_SENSITIVITY),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_INTENSITY),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_LAST_UPDATED),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_MIGRATABILITY),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_MIGRATABILITY_RESCHEDULABLE),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_RESCHEDULE_REASON),
    TEXT(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_RESCHEDULE_RECOMMENDED),
};

static const struct jl_layout_function callbacks[] = {
    FUNCTION(joulie_ask_warning_fn, "void"),
    FUNCTION(joulie_cooling_fn, "double"),
    FUNCTION(joulie_host_log_fn, "void"),
    FUNCTION(joulie_host_sink_fn, "int"),
    FUNCTION(joulie_zone_fn, "int"),
};

static const struct jl_layout_function functions[] = {
    FUNCTION(joulie_ask, "int"),
    FUNCTION(joulie_ask_describe, "int"),
    FUNCTION(joulie_ask_list, "int"),
    FUNCTION(joulie_autoscaler_free, "void"),
    FUNCTION(joulie_autoscaler_get_condition, "int"),
    FUNCTION(joulie_autoscaler_get_decision, "int"),
    FUNCTION(joulie_autoscaler_new, "int"),
    FUNCTION(joulie_autoscaler_put_external, "int"),
    FUNCTION(joulie_autoscaler_put_pool, "int"),
    FUNCTION(joulie_autoscaler_put_profile, "int"),
    FUNCTION(joulie_autoscaler_put_samples, "int"),
    FUNCTION(joulie_autoscaler_put_worker, "int"),
    FUNCTION(joulie_autoscaler_remove_worker, "void"),
    FUNCTION(joulie_autoscaler_restore, "int"),
    FUNCTION(joulie_autoscaler_save, "int"),
    FUNCTION(joulie_autoscaler_step, "int"),
    FUNCTION(joulie_caps_next_w, "double"),
    FUNCTION(joulie_caps_resolve, "int"),
    FUNCTION(joulie_classify, "int"),
    FUNCTION(joulie_cluster_action_at, "int"),
    FUNCTION(joulie_cluster_action_done, "int"),
    FUNCTION(joulie_cluster_explain, "int"),
    FUNCTION(joulie_cluster_extend, "int"),
    FUNCTION(joulie_cluster_filter, "int"),
    FUNCTION(joulie_cluster_free, "void"),
    FUNCTION(joulie_cluster_get_totals, "int"),
    FUNCTION(joulie_cluster_heartbeat, "void"),
    FUNCTION(joulie_cluster_new, "int"),
    FUNCTION(joulie_cluster_node_at, "int"),
    FUNCTION(joulie_cluster_node_by_name, "int"),
    FUNCTION(joulie_cluster_place, "int"),
    FUNCTION(joulie_cluster_put_facility, "int"),
    FUNCTION(joulie_cluster_put_machine, "int"),
    FUNCTION(joulie_cluster_put_sample, "int"),
    FUNCTION(joulie_cluster_put_work, "int"),
    FUNCTION(joulie_cluster_put_zone, "int"),
    FUNCTION(joulie_cluster_remove, "int"),
    FUNCTION(joulie_cluster_score, "int"),
    FUNCTION(joulie_cluster_scoring, "int"),
    FUNCTION(joulie_cluster_step, "int"),
    FUNCTION(joulie_cluster_upsert, "int"),
    FUNCTION(joulie_code_word, "const char *"),
    FUNCTION(joulie_format, "int"),
    FUNCTION(joulie_free, "void"),
    FUNCTION(joulie_has_feature, "int"),
    FUNCTION(joulie_host_caps, "int"),
    FUNCTION(joulie_host_claim, "int"),
    FUNCTION(joulie_host_disable, "int"),
    FUNCTION(joulie_host_dvfs_now, "int"),
    FUNCTION(joulie_host_free, "void"),
    FUNCTION(joulie_host_get_counts, "int"),
    FUNCTION(joulie_host_hardware, "int"),
    FUNCTION(joulie_host_heartbeat, "void"),
    FUNCTION(joulie_host_open, "int"),
    FUNCTION(joulie_host_outcome, "int"),
    FUNCTION(joulie_host_plan, "int"),
    FUNCTION(joulie_host_policy_at, "int"),
    FUNCTION(joulie_host_put_twin, "int"),
    FUNCTION(joulie_host_report, "int"),
    FUNCTION(joulie_host_restore, "int"),
    FUNCTION(joulie_host_snapshot, "int"),
    FUNCTION(joulie_host_tick, "int"),
    FUNCTION(joulie_host_twin_unread, "void"),
    FUNCTION(joulie_host_zone_at, "int"),
    FUNCTION(joulie_layout, "int"),
    FUNCTION(joulie_node_free, "void"),
    FUNCTION(joulie_node_heartbeat, "void"),
    FUNCTION(joulie_node_new, "int"),
    FUNCTION(joulie_node_put_hardware, "int"),
    FUNCTION(joulie_node_put_part, "int"),
    FUNCTION(joulie_node_put_reading, "int"),
    FUNCTION(joulie_node_put_twin, "int"),
    FUNCTION(joulie_node_report, "int"),
    FUNCTION(joulie_node_step, "int"),
    FUNCTION(joulie_node_write_at, "int"),
    FUNCTION(joulie_object_api_version, "const char *"),
    FUNCTION(joulie_object_copy, "int"),
    FUNCTION(joulie_object_count, "int"),
    FUNCTION(joulie_object_diff, "int"),
    FUNCTION(joulie_object_free, "void"),
    FUNCTION(joulie_object_get_bool, "int"),
    FUNCTION(joulie_object_get_integer, "int"),
    FUNCTION(joulie_object_get_number, "int"),
    FUNCTION(joulie_object_get_text, "int"),
    FUNCTION(joulie_object_kind, "const char *"),
    FUNCTION(joulie_object_name, "const char *"),
    FUNCTION(joulie_object_namespace, "const char *"),
    FUNCTION(joulie_object_new, "int"),
    FUNCTION(joulie_object_parse, "int"),
    FUNCTION(joulie_object_patch, "int"),
    FUNCTION(joulie_object_print, "int"),
    FUNCTION(joulie_object_set_bool, "int"),
    FUNCTION(joulie_object_set_integer, "int"),
    FUNCTION(joulie_object_set_number, "int"),
    FUNCTION(joulie_object_set_text, "int"),
    FUNCTION(joulie_object_unset, "int"),
    FUNCTION(joulie_object_validate, "int"),
    FUNCTION(joulie_place_config_init, "int"),
    FUNCTION(joulie_place_nodes, "int"),
    FUNCTION(joulie_place_reject_text, "const char *"),
    FUNCTION(joulie_sim_answer, "int"),
    FUNCTION(joulie_sim_control, "int"),
    FUNCTION(joulie_sim_control_at, "int"),
    FUNCTION(joulie_sim_csv, "int"),
    FUNCTION(joulie_sim_decided, "int"),
    FUNCTION(joulie_sim_free, "void"),
    FUNCTION(joulie_sim_get_outcome, "int"),
    FUNCTION(joulie_sim_get_view, "int"),
    FUNCTION(joulie_sim_go_on, "int"),
    FUNCTION(joulie_sim_instant_ms, "int64_t"),
    FUNCTION(joulie_sim_models, "int"),
    FUNCTION(joulie_sim_new, "int"),
    FUNCTION(joulie_sim_next, "int"),
    FUNCTION(joulie_sim_node_at, "int"),
    FUNCTION(joulie_sim_objects, "int"),
    FUNCTION(joulie_sim_run_until, "int"),
    FUNCTION(joulie_sim_saving, "int"),
    FUNCTION(joulie_sim_summary, "int"),
    FUNCTION(joulie_sim_tell, "int"),
    FUNCTION(joulie_simulate_autoscale, "int"),
    FUNCTION(joulie_slowdown_predict, "int"),
    FUNCTION(joulie_split, "int"),
    FUNCTION(joulie_tensor_fusion_v1_get_profile, "int"),
    FUNCTION(joulie_twin_predict, "int"),
    FUNCTION(joulie_twin_predict_columns, "int"),
    FUNCTION(joulie_twin_trend, "int"),
    FUNCTION(joulie_v1alpha1_get_node_hardware, "int"),
    FUNCTION(joulie_v1alpha1_get_node_twin_spec, "int"),
    FUNCTION(joulie_v1alpha1_get_node_twin_status, "int"),
    FUNCTION(joulie_v1alpha1_get_workload_profile, "int"),
    NO_PARAMETERS(joulie_version, "const char *"),
    FUNCTION(joulie_word, "const char *"),
    FUNCTION(joulie_word_value, "int"),
    FUNCTION(joulie_workload_generate, "int"),
    FUNCTION(joulie_workload_inspect, "int"),
};

const struct jl_layout jl_layout = {
    .structs = structs, .struct_count = JL_COUNT(structs),
    .handles = handles, .handle_count = JL_COUNT(handles),
    .enums = enums, .enum_count = JL_COUNT(enums),
    .numbers = numbers, .number_count = JL_COUNT(numbers),
    .texts = texts, .text_count = JL_COUNT(texts),
    .callbacks = callbacks, .callback_count = JL_COUNT(callbacks),
    .functions = functions, .function_count = JL_COUNT(functions),
};
