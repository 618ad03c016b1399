/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "runtime/options.h"

/* What joulie-agent can be told; one member per row of the table in options.c. */
struct jd_agent_values {
    const char *root;
    const char *spec;
    const char *status;
    const char *state_dir;
    const char *node_name;
    bool enforce;
    bool observe;
    bool simulate_only;
    bool once;
    bool restore_on_exit;
    bool rapl_enable;
    int64_t control_interval_ms;
    int64_t watchdog_timeout_ms;
    int64_t spec_read_timeout_ms;
    int64_t twin_staleness_ms;
    int64_t twin_max_age_ms;
    double cap_floor_pct;
    const char *dvfs_controller;
    double dvfs_ema_alpha;
    double dvfs_high_margin_w;
    double dvfs_low_margin_w;
    double dvfs_step_pct;
    int64_t dvfs_cooldown_ms;
    int64_t dvfs_trip_count;
    int64_t dvfs_min_freq_khz;
    const char *log_level;
    const char *log_format;
    const char *counts_file;
};

extern const struct jd_daemon jd_agent_daemon;

/* Whether to write: the most explicit word wins, without any a root other than "/" is written to.
 * 0, or a code with err->message when the words contradict each other. */
int jd_agent_mode(const struct jd_options *options, const struct jd_agent_values *values,
                  bool is_live, bool *out_enforces, struct joulie_error *err);
