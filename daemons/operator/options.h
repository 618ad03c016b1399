/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "runtime/options.h"

/* What joulie-operator is configured with; one member per row of the table in options.c. */
struct jd_operator_values {
    const char *server;
    const char *kubeconfig;
    const char *context;
    const char *token_file;
    const char *name_space;
    const char *clock_url;
    bool dry_run;
    int64_t reconcile_interval_ms;
    int64_t heartbeat_interval_ms;
    const char *metrics_addr;
    double kube_qps;
    double kube_burst;
    const char *node_selector;
    const char *reserved_label_key;
    const char *power_profile_label;
    const char *policy_type;
    double static_hp_frac;
    double queue_hp_base_frac;
    int64_t queue_hp_min;
    int64_t queue_hp_max;
    int64_t queue_perf_per_hp_node;
    int64_t queue_scale_down_delay_ms;
    int64_t min_profile_dwell_ms;
    const char *drain_caps;
    double performance_cap_w;
    double eco_cap_w;
    double cpu_performance_pct;
    double cpu_eco_pct;
    bool cpu_write_absolute;
    double gpu_performance_pct;
    double gpu_eco_pct;
    bool gpu_write_absolute;
    const char *gpu_model_caps;
    const char *gpu_product_label_keys;
    const char *power_source;
    const char *power_endpoint;
    const char *power_prometheus;
    const char *power_query;
    int64_t twin_staleness_ms;
    int64_t twin_max_age_ms;
    int64_t twin_heartbeat_ms;
    double deadband_score;
    double deadband_pct;
    double rack_capacity_w;
    double cluster_capacity_w;
    bool facility;
    const char *facility_prometheus;
    int64_t facility_interval_ms;
    int64_t facility_ttl_ms;
    const char *facility_ambient;
    const char *facility_it_power;
    const char *facility_cooling_power;
    const char *pod_name;
    const char *deployment_name;
    const char *log_level;
    const char *log_format;
};

extern const struct jd_daemon jd_operator_daemon;
