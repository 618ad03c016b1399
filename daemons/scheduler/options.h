/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "kube/connect.h"
#include "runtime/http_tls.h"

/* What joulie-scheduler is configured with beside the settings of the model; one member per row of
 * the table in options.c that has one. */
struct jd_scheduler_values {
    struct jd_kube_values api;
    const char *extender_addr;
    const char *allowed_hosts;
    struct jd_tls_files tls; /* of extender_addr */
    const char *metrics_addr;
    const char *name_space;
    const char *clock_url;
    int64_t step_interval_ms;
    int64_t staleness_ms;
    const char *score_range;
    bool short_replies;
    const char *scoring_profile;
    bool debug_scoring;
    int64_t max_body_bytes;
    int64_t max_connections;
    int64_t request_timeout_ms;
    int64_t shutdown_timeout_ms;
    const char *log_level;
    const char *log_format;
};

#define JD_COMPONENT "joulie-scheduler" /* name of the program, and label of its metrics */

extern const struct jd_daemon jd_scheduler_daemon;
extern const char *const jd_scoring_words[]; /* of SCORING_PROFILE, beside files; ends with NULL */
