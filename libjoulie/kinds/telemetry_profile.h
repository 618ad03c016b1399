/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* TelemetryProfile (docs/rules/endpoints.md#telemetryprofiles): where power of nodes is read and
 * where their caps go; since v0.0.2, the selector and the conditions are newer. */

#include <joulie/remote.h>

#include "kinds/meta.h"
#include "kinds/node_twin.h"

enum jl_telemetry_scope {
    JL_TELEMETRY_SCOPE_UNKNOWN,
    JL_TELEMETRY_SCOPE_NODE,
    JL_TELEMETRY_SCOPE_CLUSTER
};

extern const struct jl_words jl_telemetry_scope_words;
extern const struct jl_words jl_source_type_words;  /* none host http prometheus */
extern const struct jl_words jl_control_type_words; /* none host http */
extern const struct jl_words jl_cpu_control_mode_words;
extern const struct jl_words jl_gpu_control_mode_words;
extern const struct jl_words jl_telemetry_result_words; /* applied blocked error none */

extern const struct jl_kind jl_telemetry_profile_kind;

#ifdef JL_TELEMETRY_PROFILE_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_telemetry_target
#define MEMBERS                                                               \
    ENUM(scope, "scope", jl_telemetry_scope, jl_telemetry_scope_words,        \
         "Whether this is for one node or for all.", REQUIRED)                \
    STRING(node_name, "nodeName", "Name of the node when the scope is node.") \
    STRING(node_selector, "nodeSelector",                                     \
           "Labels of the nodes, as a selector, when the scope is node and no name is given.")
#include "schema/shared_record.h"

#define RECORD jl_source_http
#define MEMBERS                                                                             \
    /* may contain {node} */                                                                \
    STRING(endpoint, "endpoint", "URL of the readings; {node} stands for the node's name.") \
    INTEGER(timeout_s, "timeoutSeconds", "Timeout of a request, in seconds.", BETWEEN(1, 300))
#include "schema/shared_record.h"

#define RECORD jl_source_prometheus
#define MEMBERS                                                   \
    STRING(endpoint, "endpoint", "URL of the Prometheus server.") \
    STRING(query, "query", "PromQL of the readings.")
#include "schema/shared_record.h"

#define RECORD jl_telemetry_source
#define MEMBERS                                                                                   \
    ENUM(type, "type", joulie_remote_type, jl_source_type_words, "Where the readings come from.") \
    OBJECT(http, "http", jl_source_http, "Settings of the type http.")                            \
    OBJECT(prometheus, "prometheus", jl_source_prometheus, "Settings of the type prometheus.")
#include "schema/shared_record.h"

#define RECORD jl_telemetry_sources
#define MEMBERS                                                                \
    OBJECT(cpu, "cpu", jl_telemetry_source, "Source of CPU power readings.")   \
    OBJECT(gpu, "gpu", jl_telemetry_source, "Source of GPU power readings.")   \
    OBJECT(thermal, "thermal", jl_telemetry_source, "Source of temperatures.") \
    OBJECT(context, "context", jl_telemetry_source, "Source of facts about the surroundings.")
#include "schema/shared_record.h"

#define CONTROL_HTTP(mode_words)                                                               \
    STRING(endpoint, "endpoint", "URL that takes caps; {node} stands for the node's name.")    \
    INTEGER(timeout_s, "timeoutSeconds", "Timeout of a request, in seconds.", BETWEEN(1, 300)) \
    ENUM(mode, "mode", joulie_remote_mode, mode_words, "How the cap is put in force.")

#define RECORD jl_control_http
#define MEMBERS CONTROL_HTTP(jl_cpu_control_mode_words)
#include "schema/shared_record.h"

#define RECORD jl_gpu_control_http
#define TABLE_OF jl_control_http
#define MEMBERS CONTROL_HTTP(jl_gpu_control_mode_words)
#include "schema/shared_record.h"

#undef CONTROL_HTTP

#define CONTROL(http_table)                                                                     \
    ENUM(type, "type", joulie_remote_type, jl_control_type_words, "How caps reach the device.") \
    OBJECT_BY(http, "http", jl_control_http, http_table, "Settings of the type http.")

#define RECORD jl_telemetry_control
#define MEMBERS CONTROL(jl_control_http_table)
#include "schema/shared_record.h"

#define RECORD jl_gpu_control
#define TABLE_OF jl_telemetry_control
#define MEMBERS CONTROL(jl_gpu_control_http_table)
#include "schema/shared_record.h"

#undef CONTROL

#define RECORD jl_telemetry_controls
#define MEMBERS                                                       \
    OBJECT(cpu, "cpu", jl_telemetry_control, "Control of CPU power.") \
    OBJECT_BY(gpu, "gpu", jl_telemetry_control, jl_gpu_control_table, "Control of GPU power.")
#include "schema/shared_record.h"

#define RECORD jl_telemetry_spec
#define MEMBERS                                                                        \
    OBJECT(target, "target", jl_telemetry_target, "Which nodes the settings are for.") \
    OBJECT(sources, "sources", jl_telemetry_sources, "Where readings come from.")      \
    OBJECT(controls, "controls", jl_telemetry_controls, "Where caps go.")
#include "schema/shared_record.h"

/* status.control.cpu, status.control.gpu */
#define RECORD jl_telemetry_report
#define MEMBERS                                                                 \
    STRING(backend, "backend", "What wrote the caps.")                          \
    STRING(message, "message", "Details, for a person.")                        \
    STRING(updated_at, "updatedAt", "When this was reported, RFC 3339 in UTC.") \
    ENUM(result, "result", joulie_control_result, jl_telemetry_result_words,    \
         "Outcome of the last write.")                                          \
    RAW(observed, "observed", "What was read back.", ANY_MEMBERS)
#include "schema/shared_record.h"

#define RECORD jl_telemetry_reports
#define MEMBERS                                                       \
    OBJECT(cpu, "cpu", jl_telemetry_report, "State of the CPU caps.") \
    OBJECT(gpu, "gpu", jl_telemetry_report, "State of the GPU caps.")
#include "schema/shared_record.h"

#define RECORD jl_telemetry_status
#define MEMBERS                                                                           \
    INTEGER(observed_generation, "observedGeneration",                                    \
            "Generation of the spec that the conditions are about.", AS_INT64)            \
    LIST(conditions, "conditions", jl_condition, "Conditions of the profile: Accepted.")  \
    OBJECT(control, "control", jl_telemetry_reports, "What the agent did with the caps.") \
    /* never written */                                                                   \
    RAW(snapshot, "snapshot", "Readings; never written.", ANY_MEMBERS)
#include "schema/shared_record.h"

/* bits: JL_ROOT_* */
#define RECORD jl_telemetry_profile
#define MEMBERS                                                                            \
    JL_ROOT_MEMBERS(REQUIRED)                                                              \
    OBJECT(spec, "spec", jl_telemetry_spec, "Where readings come from and where caps go.", \
           REQUIRED)                                                                       \
    OBJECT(status, "status", jl_telemetry_status, "What the agent reports.")
#define ABOUT                                                                                    \
    .kind = &jl_telemetry_profile_kind,                                                          \
    .doc =                                                                                       \
        "Sources of readings and targets of caps of nodes that are driven over HTTP, where the " \
        "settings of an agent do not say."
#include "schema/shared_record.h"

/* The settings TELEMETRY_* of an agent (docs/rules/endpoints.md#settings), which replaced the
 * TelemetryProfile; keys are the names of the variables. A text of NULL is absent. */
#define RECORD joulie_remote_settings
#define IS_PUBLIC
#define ABOUT .doc = "Settings of an agent."
#define MEMBERS                                                                            \
    STRING(cpu_source, "TELEMETRY_CPU_SOURCE",                                             \
           "Where CPU power is read: host, http, prometheus or none.")                     \
    STRING(cpu_endpoint, "TELEMETRY_CPU_HTTP_ENDPOINT",                                    \
           "URL of the readings; {node} stands for the node's name.")                      \
    STRING(cpu_control, "TELEMETRY_CPU_CONTROL", "Where CPU caps go: host, http or none.") \
    STRING(cpu_control_endpoint, "TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT",                    \
           "URL that takes CPU caps; {node} stands for the node's name.")                  \
    STRING(cpu_control_mode, "TELEMETRY_CPU_CONTROL_MODE",                                 \
           "How an http backend puts them in force: auto, rapl or dvfs.")                  \
    STRING(gpu_control, "TELEMETRY_GPU_CONTROL", "Where GPU caps go: host, http or none.") \
    STRING(gpu_control_endpoint, "TELEMETRY_GPU_CONTROL_HTTP_ENDPOINT",                    \
           "URL that takes GPU caps; {node} stands for the node's name.")                  \
    STRING(gpu_control_mode, "TELEMETRY_GPU_CONTROL_MODE",                                 \
           "How an http backend puts them in force: auto, powercap or clocks.")            \
    STRING(timeout_s, "TELEMETRY_HTTP_TIMEOUT_SECONDS",                                    \
           "Timeout of every request, in whole seconds; default 2.")
#include "schema/shared_record.h"

#undef RECORD_TABLES

#define JL_CONDITION_ACCEPTED "Accepted" /* docs/rules/endpoints.md#telemetryprofiles */
