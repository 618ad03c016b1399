/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "runtime/options.h"

/* What joulie-scheduler is configured with; one member per row of the table in options.c. */
struct jd_scheduler_values {
    const char *extender_addr;
    const char *metrics_addr;
    const char *server;
    const char *kubeconfig;
    const char *context;
    const char *token_file;
    const char *name_space;
    double kube_qps;
    double kube_burst;
    const char *clock_url;
    int64_t step_interval_ms;
    const char *power_profile_label;
    int64_t staleness_ms;
    int64_t max_age_ms;
    int64_t stale_grace_ms;
    const char *fail_policy;
    const char *score_range;
    const char *scoring_profile;
    double cpu_util_coeff;
    double gpu_util_coeff_standard;
    double gpu_util_coeff_performance;
    bool marginal_scoring;
    bool debug_scoring;
    int64_t max_body_bytes;
    int64_t max_connections;
    int64_t request_timeout_ms;
    int64_t shutdown_timeout_ms;
    const char *tls_cert_file;
    const char *tls_key_file;
    const char *tls_client_ca_file;
    const char *log_level;
    const char *log_format;
};

extern const struct jd_daemon jd_scheduler_daemon;

/* What the words say together. 0 or JOULIE_E_UNSUPPORTED with err->message that names the option.
 */
int jd_scheduler_check(struct jd_scheduler_values *values, struct joulie_error *err);
