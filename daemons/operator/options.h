/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "kube/connect.h"

/* What joulie-operator is configured with beside the settings of the model; one member per row of
 * the table in options.c that has one. */
struct jd_operator_values {
    struct jd_kube_values api;
    const char *name_space;
    const char *clock_url;
    bool dry_run;
    int64_t reconcile_interval_ms;
    int64_t heartbeat_interval_ms;
    const char *metrics_addr;
    const char *node_metrics;
    const char *power_source;
    bool is_power_source_said; /* else TelemetryProfiles say where the power of a node is read */
    const char *power_endpoint;
    const char *power_prometheus;
    const char *power_query;
    bool leader_elect;
    const char *lease_name;
    const char *lease_namespace; /* NULL = name_space */
    int64_t lease_duration_ms;
    int64_t lease_deadline_ms;
    int64_t lease_period_ms;
    int64_t twin_staleness_ms;
    bool facility;
    const char *facility_prometheus;
    int64_t facility_interval_ms;
    int64_t facility_ttl_ms;
    const char *facility_ambient;
    const char *facility_it_power;
    const char *facility_cooling_power;
    const char *facility_rack_power;
    const char *facility_rack_label;
    const char *facility_zone_ambient;
    const char *facility_zone_label;
    bool power_off_by_autoscaler;
    bool classifier; /* off without prometheus */
    const char *prometheus;
    const char *prometheus_token_file;
    const char *prometheus_ca_file;
    int64_t classify_interval_ms;
    int64_t classify_timeout_ms;
    const char *power_off_command;
    const char *power_off_environment;
    int64_t power_off_timeout_ms;
    int64_t power_off_at_once;
    int64_t power_off_boot_timeout_ms;
    bool wake_all;
    const char *pod_name;
    const char *deployment_name;
    const char *log_level;
    const char *log_format;
};

#define JD_COMPONENT "joulie-operator" /* name of the program, and label of its metrics */

extern const struct jd_daemon jd_operator_daemon;
