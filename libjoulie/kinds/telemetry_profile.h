/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* TelemetryProfile (joulie-control.md §2.2): where the agent of v0.0.x read power and sent caps;
 * read only. */

#include "kinds/meta.h"
#include "kinds/node_twin.h"

enum jl_telemetry_scope {
    JL_TELEMETRY_SCOPE_UNKNOWN,
    JL_TELEMETRY_SCOPE_NODE,
    JL_TELEMETRY_SCOPE_CLUSTER
};

enum jl_telemetry_type {
    JL_TELEMETRY_UNKNOWN,
    JL_TELEMETRY_NONE,
    JL_TELEMETRY_HOST,
    JL_TELEMETRY_HTTP,
    JL_TELEMETRY_PROMETHEUS, /* sources only */
};

enum jl_control_mode {
    JL_CONTROL_MODE_UNKNOWN,
    JL_CONTROL_MODE_AUTO,
    JL_CONTROL_MODE_RAPL,     /* cpu */
    JL_CONTROL_MODE_DVFS,     /* cpu */
    JL_CONTROL_MODE_POWERCAP, /* gpu */
    JL_CONTROL_MODE_CLOCKS,   /* gpu */
};

extern const struct jl_words jl_telemetry_scope_words;
extern const struct jl_words jl_source_type_words;  /* none host http prometheus */
extern const struct jl_words jl_control_type_words; /* none host http */
extern const struct jl_words jl_cpu_control_mode_words;
extern const struct jl_words jl_gpu_control_mode_words;
extern const struct jl_words jl_telemetry_result_words; /* applied blocked error none */

struct jl_telemetry_target {
    uint64_t has;
    enum jl_telemetry_scope scope;
    const char *node_name;
};

enum { JL_TARGET_SCOPE, JL_TARGET_NODE_NAME };

struct jl_source_http {
    uint64_t has;
    const char *endpoint; /* may contain {node} */
    int64_t timeout_s;
};

enum { JL_SOURCE_HTTP_ENDPOINT, JL_SOURCE_HTTP_TIMEOUT };

struct jl_source_prometheus {
    uint64_t has;
    const char *endpoint;
    const char *query;
};

enum { JL_PROMETHEUS_ENDPOINT, JL_PROMETHEUS_QUERY };

struct jl_telemetry_source {
    uint64_t has;
    enum jl_telemetry_type type;
    struct jl_source_http http;
    struct jl_source_prometheus prometheus;
};

enum { JL_TELEMETRY_SOURCE_TYPE, JL_TELEMETRY_SOURCE_HTTP, JL_TELEMETRY_SOURCE_PROMETHEUS };

struct jl_telemetry_sources {
    uint64_t has;
    struct jl_telemetry_source cpu;
    struct jl_telemetry_source gpu;
    struct jl_telemetry_source thermal;
    struct jl_telemetry_source context;
};

enum { JL_SOURCES_CPU, JL_SOURCES_GPU, JL_SOURCES_THERMAL, JL_SOURCES_CONTEXT };

struct jl_control_http {
    uint64_t has;
    const char *endpoint; /* may contain {node} */
    int64_t timeout_s;
    enum jl_control_mode mode;
};

enum { JL_CONTROL_HTTP_ENDPOINT, JL_CONTROL_HTTP_TIMEOUT, JL_CONTROL_HTTP_MODE };

struct jl_telemetry_control {
    uint64_t has;
    enum jl_telemetry_type type;
    struct jl_control_http http;
};

enum { JL_TELEMETRY_CONTROL_TYPE, JL_TELEMETRY_CONTROL_HTTP };

struct jl_telemetry_controls {
    uint64_t has;
    struct jl_telemetry_control cpu;
    struct jl_telemetry_control gpu;
};

enum { JL_CONTROLS_CPU, JL_CONTROLS_GPU };

struct jl_telemetry_spec {
    uint64_t has;
    struct jl_telemetry_target target;
    struct jl_telemetry_sources sources;
    struct jl_telemetry_controls controls;
};

enum { JL_TELEMETRY_SPEC_TARGET, JL_TELEMETRY_SPEC_SOURCES, JL_TELEMETRY_SPEC_CONTROLS };

struct jl_telemetry_report { /* status.control.cpu, status.control.gpu */
    uint64_t has;
    const char *backend;
    const char *message;
    const char *updated_at;
    enum joulie_control_result result;
    struct jl_raw observed;
};

enum {
    JL_TELEMETRY_REPORT_BACKEND,
    JL_TELEMETRY_REPORT_MESSAGE,
    JL_TELEMETRY_REPORT_UPDATED_AT,
    JL_TELEMETRY_REPORT_RESULT,
    JL_TELEMETRY_REPORT_OBSERVED,
};

struct jl_telemetry_reports {
    uint64_t has;
    struct jl_telemetry_report cpu;
    struct jl_telemetry_report gpu;
};

enum { JL_TELEMETRY_REPORTS_CPU, JL_TELEMETRY_REPORTS_GPU };

struct jl_telemetry_status {
    uint64_t has;
    struct jl_telemetry_reports control;
    struct jl_raw snapshot; /* never written */
};

enum { JL_TELEMETRY_STATUS_CONTROL, JL_TELEMETRY_STATUS_SNAPSHOT };

struct jl_telemetry_profile { /* bits: JL_ROOT_* */
    uint64_t has;
    const char *api_version;
    const char *kind;
    struct jl_meta meta;
    struct jl_telemetry_spec spec;
    struct jl_telemetry_status status;
};

extern const struct jl_table jl_telemetry_profile_table;
