/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "kube/connect.h"

/* The settings of joulie-agent; one member per row of the table in options.c. */
struct jd_agent_values {
    const char *root;
    const char *spec;
    const char *status;
    const char *state_dir;
    bool state_dir_may_vanish;
    const char *node_name;
    bool enforce;
    bool observe;
    bool simulate_only;
    bool once;
    bool restore_on_exit;
    bool rapl_enable;
    bool give_back_maximum;
    int64_t control_interval_ms;
    int64_t watchdog_timeout_ms;
    const char *capd_socket;
    const char *capd_program;
    const char *run_as;
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
    /* in a cluster */
    const char *agent_mode;
    struct jd_kube_values api;
    const char *name_space;
    const char *clock_url;
    int64_t reconcile_interval_ms;
    const char *metrics_addr;
    const char *pool_selector;
    int64_t pool_shards;
    const char *pool_shard_id;
    const char *pod_name;
    const char *telemetry_cpu_source;
    const char *telemetry_cpu_endpoint;
    const char *telemetry_cpu_control;
    const char *telemetry_cpu_control_endpoint;
    const char *telemetry_cpu_control_mode;
    const char *telemetry_gpu_control;
    const char *telemetry_gpu_control_endpoint;
    const char *telemetry_gpu_control_mode;
    const char *telemetry_timeout;
};

#define JD_COMPONENT "joulie-agent" /* name of the program, and label of its metrics */

extern const struct jd_daemon jd_agent_daemon;

/* Where what is desired comes from, and what is driven. */
enum jd_agent_place {
    JD_WITH_FILES, /* a spec in a file, the machine below ROOT */
    JD_WITH_HOST,  /* an API server, the machine below ROOT */
    JD_WITH_REMOTE /* an API server, one node or a pool of them over HTTP */
};

int jd_agent_place(const struct jd_options *options, const struct jd_agent_values *values,
                   char **environment, enum jd_agent_place *out, struct joulie_error *err);
/* Of the joulie-capd that writes; NULL = the agent starts one. */
const char *jd_agent_socket(const struct jd_agent_values *values);
/* Calls `found` for each option of clusters that is set. */
void jd_agent_each_useless(const struct jd_options *options,
                           void (*found)(void *user, const char *name), void *user);

/* Whether to write: the most explicit word wins, without any a root other than "/" is written to.
 * 0, or a code with err->message when the words contradict each other. */
int jd_agent_mode(const struct jd_options *options, const struct jd_agent_values *values,
                  bool is_live, enum jd_agent_place place, bool *out_enforces,
                  struct joulie_error *err);
