/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "runtime/options.h"

/* The settings of joulie-simulator; one member per row of the table in options.c. */
struct jd_simulator_values {
    const char *inventory;
    const char *trace;
    const char *placement;
    const char *baseline;
    const char *physics;
    const char *compare;
    int64_t nodes;
    int64_t seed;
    double hours;
    bool workload_profiles;
    bool exporters;
    bool lenient;
    const char *sim_addr;
    const char *allowed_hosts;
    const char *api_addr;
    const char *kubeconfig_out;
    const char *participants;
    int64_t step_deadline_ms;
    double speedup;
    const char *extender_url;
    int64_t extender_timeout_ms;
    bool is_extender_ignorable;
    bool exit_at_end;
    bool keep;
    const char *out;
    const char *debug_dir;
    int64_t debug_interval_ms;
    int64_t debug_event_limit;
    int64_t event_buffer;
    double ambient_c;
    double ambient_amplitude_c;
    double ambient_period_h;
    int64_t api_ring_events;
    const char *log_level;
    const char *log_format;
    /* faults of the embedded API server */
    int64_t fault_seed;
    double fault_cut_streams;
    double fault_gone;
    double fault_too_many;
    double fault_internal;
    double fault_slow_bytes;
    int64_t fault_limit;
};

extern const struct jd_daemon jd_simulator_daemon;
