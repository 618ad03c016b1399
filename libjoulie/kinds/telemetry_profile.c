/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds/telemetry_profile.h"

#include "kinds/root.h"

/* Source of every row: joulie-control.md §2.2. */

#define TIMEOUT_MIN_S 1
#define TIMEOUT_MAX_S 300

static const struct jl_word scope_words[] = {
    { JL_TELEMETRY_SCOPE_NODE, "node" },
    { JL_TELEMETRY_SCOPE_CLUSTER, "cluster" },
};
const struct jl_words jl_telemetry_scope_words = JL_WORDS(scope_words);

static const struct jl_word source_type_words[] = {
    { JL_TELEMETRY_NONE, "none" },
    { JL_TELEMETRY_HOST, "host" },
    { JL_TELEMETRY_HTTP, "http" },
    { JL_TELEMETRY_PROMETHEUS, "prometheus" },
};
const struct jl_words jl_source_type_words = JL_WORDS(source_type_words);

static const struct jl_word control_type_words[] = {
    { JL_TELEMETRY_NONE, "none" },
    { JL_TELEMETRY_HOST, "host" },
    { JL_TELEMETRY_HTTP, "http" },
};
const struct jl_words jl_control_type_words = JL_WORDS(control_type_words);

static const struct jl_word cpu_control_mode_words[] = {
    { JL_CONTROL_MODE_AUTO, "auto" },
    { JL_CONTROL_MODE_RAPL, "rapl" },
    { JL_CONTROL_MODE_DVFS, "dvfs" },
};
const struct jl_words jl_cpu_control_mode_words = JL_WORDS(cpu_control_mode_words);

static const struct jl_word gpu_control_mode_words[] = {
    { JL_CONTROL_MODE_AUTO, "auto" },
    { JL_CONTROL_MODE_POWERCAP, "powercap" },
    { JL_CONTROL_MODE_CLOCKS, "clocks" },
};
const struct jl_words jl_gpu_control_mode_words = JL_WORDS(gpu_control_mode_words);

static const struct jl_word result_words[] = {
    { JOULIE_CONTROL_APPLIED, "applied" },
    { JOULIE_CONTROL_BLOCKED, "blocked" },
    { JOULIE_CONTROL_ERROR, "error" },
    { JOULIE_CONTROL_NONE, "none" },
};
const struct jl_words jl_telemetry_result_words = JL_WORDS(result_words);

static const struct jl_row target_rows[] = {
    [JL_TARGET_SCOPE] =
        JL_ENUM(jl_telemetry_target, scope, "scope", &jl_telemetry_scope_words,
                .flags = JL_REQUIRED, .doc = "Whether this is for one node or for all."),
    [JL_TARGET_NODE_NAME] = JL_STRING(jl_telemetry_target, node_name, "nodeName",
                                      .doc = "Name of the node when the scope is node."),
};
static const struct jl_table target_table = JL_TABLE(jl_telemetry_target, target_rows);

static const struct jl_row source_http_rows[] = {
    [JL_SOURCE_HTTP_ENDPOINT] =
        JL_STRING(jl_source_http, endpoint, "endpoint",
                  .doc = "URL of the readings; {node} stands for the node's name."),
    [JL_SOURCE_HTTP_TIMEOUT] = JL_INTEGER(
        jl_source_http, timeout_s, "timeoutSeconds", .flags = JL_HAS_MIN | JL_HAS_MAX,
        .min = TIMEOUT_MIN_S, .max = TIMEOUT_MAX_S, .doc = "Timeout of a request, in seconds."),
};
static const struct jl_table source_http_table = JL_TABLE(jl_source_http, source_http_rows);

static const struct jl_row prometheus_rows[] = {
    [JL_PROMETHEUS_ENDPOINT] = JL_STRING(jl_source_prometheus, endpoint, "endpoint",
                                         .doc = "URL of the Prometheus server."),
    [JL_PROMETHEUS_QUERY] =
        JL_STRING(jl_source_prometheus, query, "query", .doc = "PromQL of the readings."),
};
static const struct jl_table prometheus_table = JL_TABLE(jl_source_prometheus, prometheus_rows);

static const struct jl_row source_rows[] = {
    [JL_TELEMETRY_SOURCE_TYPE] = JL_ENUM(jl_telemetry_source, type, "type", &jl_source_type_words,
                                         .doc = "Where the readings come from."),
    [JL_TELEMETRY_SOURCE_HTTP] = JL_OBJECT(jl_telemetry_source, http, "http", &source_http_table,
                                           .doc = "Settings of the type http."),
    [JL_TELEMETRY_SOURCE_PROMETHEUS] =
        JL_OBJECT(jl_telemetry_source, prometheus, "prometheus", &prometheus_table,
                  .doc = "Settings of the type prometheus."),
};
static const struct jl_table source_table = JL_TABLE(jl_telemetry_source, source_rows);

static const struct jl_row sources_rows[] = {
    [JL_SOURCES_CPU] = JL_OBJECT(jl_telemetry_sources, cpu, "cpu", &source_table,
                                 .doc = "Source of CPU power readings."),
    [JL_SOURCES_GPU] = JL_OBJECT(jl_telemetry_sources, gpu, "gpu", &source_table,
                                 .doc = "Source of GPU power readings."),
    [JL_SOURCES_THERMAL] = JL_OBJECT(jl_telemetry_sources, thermal, "thermal", &source_table,
                                     .doc = "Source of temperatures."),
    [JL_SOURCES_CONTEXT] = JL_OBJECT(jl_telemetry_sources, context, "context", &source_table,
                                     .doc = "Source of facts about the surroundings."),
};
static const struct jl_table sources_table = JL_TABLE(jl_telemetry_sources, sources_rows);

#define CONTROL_HTTP_ROWS(words)                                                                 \
    [JL_CONTROL_HTTP_ENDPOINT] =                                                                 \
        JL_STRING(jl_control_http, endpoint, "endpoint",                                         \
                  .doc = "URL that takes caps; {node} stands for the node's name."),             \
    [JL_CONTROL_HTTP_TIMEOUT] = JL_INTEGER(                                                      \
        jl_control_http, timeout_s, "timeoutSeconds", .flags = JL_HAS_MIN | JL_HAS_MAX,          \
        .min = TIMEOUT_MIN_S, .max = TIMEOUT_MAX_S, .doc = "Timeout of a request, in seconds."), \
    [JL_CONTROL_HTTP_MODE] =                                                                     \
        JL_ENUM(jl_control_http, mode, "mode", (words), .doc = "How the cap is put in force.")

static const struct jl_row cpu_control_http_rows[] = { CONTROL_HTTP_ROWS(
    &jl_cpu_control_mode_words) };
static const struct jl_row gpu_control_http_rows[] = { CONTROL_HTTP_ROWS(
    &jl_gpu_control_mode_words) };
static const struct jl_table cpu_control_http_table =
    JL_TABLE(jl_control_http, cpu_control_http_rows);
static const struct jl_table gpu_control_http_table =
    JL_TABLE(jl_control_http, gpu_control_http_rows);

#define CONTROL_ROWS(http_table)                                                              \
    [JL_TELEMETRY_CONTROL_TYPE] =                                                             \
        JL_ENUM(jl_telemetry_control, type, "type", &jl_control_type_words,                   \
                .doc = "How caps reach the device."),                                         \
    [JL_TELEMETRY_CONTROL_HTTP] = JL_OBJECT(jl_telemetry_control, http, "http", (http_table), \
                                            .doc = "Settings of the type http.")

static const struct jl_row cpu_control_rows[] = { CONTROL_ROWS(&cpu_control_http_table) };
static const struct jl_row gpu_control_rows[] = { CONTROL_ROWS(&gpu_control_http_table) };
static const struct jl_table cpu_control_table = JL_TABLE(jl_telemetry_control, cpu_control_rows);
static const struct jl_table gpu_control_table = JL_TABLE(jl_telemetry_control, gpu_control_rows);

static const struct jl_row controls_rows[] = {
    [JL_CONTROLS_CPU] = JL_OBJECT(jl_telemetry_controls, cpu, "cpu", &cpu_control_table,
                                  .doc = "Control of CPU power."),
    [JL_CONTROLS_GPU] = JL_OBJECT(jl_telemetry_controls, gpu, "gpu", &gpu_control_table,
                                  .doc = "Control of GPU power."),
};
static const struct jl_table controls_table = JL_TABLE(jl_telemetry_controls, controls_rows);

static const struct jl_row spec_rows[] = {
    [JL_TELEMETRY_SPEC_TARGET] = JL_OBJECT(jl_telemetry_spec, target, "target", &target_table,
                                           .doc = "Which nodes the settings are for."),
    [JL_TELEMETRY_SPEC_SOURCES] = JL_OBJECT(jl_telemetry_spec, sources, "sources", &sources_table,
                                            .doc = "Where readings come from."),
    [JL_TELEMETRY_SPEC_CONTROLS] = JL_OBJECT(jl_telemetry_spec, controls, "controls",
                                             &controls_table, .doc = "Where caps go."),
};
static const struct jl_table spec_table = JL_TABLE(jl_telemetry_spec, spec_rows);

static const struct jl_row report_rows[] = {
    [JL_TELEMETRY_REPORT_BACKEND] =
        JL_STRING(jl_telemetry_report, backend, "backend", .doc = "What wrote the caps."),
    [JL_TELEMETRY_REPORT_MESSAGE] =
        JL_STRING(jl_telemetry_report, message, "message", .doc = "Details, for a person."),
    [JL_TELEMETRY_REPORT_UPDATED_AT] = JL_STRING(jl_telemetry_report, updated_at, "updatedAt",
                                                 .doc = "When this was reported, RFC 3339 in UTC."),
    [JL_TELEMETRY_REPORT_RESULT] =
        JL_ENUM(jl_telemetry_report, result, "result", &jl_telemetry_result_words,
                .doc = "Outcome of the last write."),
    [JL_TELEMETRY_REPORT_OBSERVED] = JL_RAW(jl_telemetry_report, observed, "observed",
                                            .flags = JL_PRESERVE, .doc = "What was read back."),
};
static const struct jl_table report_table = JL_TABLE(jl_telemetry_report, report_rows);

static const struct jl_row reports_rows[] = {
    [JL_TELEMETRY_REPORTS_CPU] =
        JL_OBJECT(jl_telemetry_reports, cpu, "cpu", &report_table, .doc = "State of the CPU caps."),
    [JL_TELEMETRY_REPORTS_GPU] =
        JL_OBJECT(jl_telemetry_reports, gpu, "gpu", &report_table, .doc = "State of the GPU caps."),
};
static const struct jl_table reports_table = JL_TABLE(jl_telemetry_reports, reports_rows);

static const struct jl_row status_rows[] = {
    [JL_TELEMETRY_STATUS_CONTROL] =
        JL_OBJECT(jl_telemetry_status, control, "control", &reports_table,
                  .doc = "What the agent did with the caps."),
    [JL_TELEMETRY_STATUS_SNAPSHOT] =
        JL_RAW(jl_telemetry_status, snapshot, "snapshot", .flags = JL_PRESERVE,
               .doc = "Readings; never written."),
};
static const struct jl_table status_table = JL_TABLE(jl_telemetry_status, status_rows);

static const struct jl_column columns[] = {
    { "Scope", ".spec.target.scope", "string" },
    { "Node", ".spec.target.nodeName", "string" },
    { "CPU Source", ".spec.sources.cpu.type", "string" },
    { "CPU Control", ".spec.controls.cpu.type", "string" },
};

static const struct jl_kind telemetry_profile_kind = {
    .api_version = JL_API_VERSION,
    .kind = "TelemetryProfile",
    .plural = "telemetryprofiles",
    .singular = "telemetryprofile",
    .short_name = "tp",
    .scope = "Cluster",
    .has_status = true,
    .is_legacy = true,
    .columns = columns,
    .column_count = JL_COUNT(columns),
};

static const struct jl_row telemetry_profile_rows[] = {
    JL_ROOT_ROWS(jl_telemetry_profile, JL_REQUIRED),
    [JL_ROOT_SPEC] =
        JL_OBJECT(jl_telemetry_profile, spec, "spec", &spec_table, .flags = JL_REQUIRED,
                  .doc = "Where readings come from and where caps go."),
    [JL_ROOT_STATUS] = JL_OBJECT(jl_telemetry_profile, status, "status", &status_table,
                                 .doc = "What the agent reports."),
};

const struct jl_table jl_telemetry_profile_table =
    JL_TABLE(jl_telemetry_profile, telemetry_profile_rows, .kind = &telemetry_profile_kind,
             .doc = "Sources of readings and targets of caps before the agent took them from its "
                    "own settings.");
