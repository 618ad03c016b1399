/* SPDX-License-Identifier: Apache-2.0 */

/* The table of the settings TELEMETRY_* (docs/rules/endpoints.md#settings). Read by
 * remote/settings.c, filled by migrate.c. */

#include "kinds/telemetry_settings.h"

static const struct jl_row env_rows[] = {
    [JL_SETTING_CPU_SOURCE] =
        JL_STRING(jl_remote_settings, cpu_source, "TELEMETRY_CPU_SOURCE",
                  .doc = "Where CPU power is read: host, http, prometheus or none."),
    [JL_SETTING_CPU_ENDPOINT] =
        JL_STRING(jl_remote_settings, cpu_endpoint, "TELEMETRY_CPU_HTTP_ENDPOINT",
                  .doc = "URL of the readings; {node} stands for the node's name."),
    [JL_SETTING_CPU_CONTROL] = JL_STRING(jl_remote_settings, cpu_control, "TELEMETRY_CPU_CONTROL",
                                         .doc = "Where CPU caps go: host, http or none."),
    [JL_SETTING_CPU_CONTROL_ENDPOINT] =
        JL_STRING(jl_remote_settings, cpu_control_endpoint, "TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT",
                  .doc = "URL that takes CPU caps; {node} stands for the node's name."),
    [JL_SETTING_CPU_CONTROL_MODE] =
        JL_STRING(jl_remote_settings, cpu_control_mode, "TELEMETRY_CPU_CONTROL_MODE",
                  .doc = "How an http backend puts them in force: auto, rapl or dvfs."),
    [JL_SETTING_GPU_CONTROL] = JL_STRING(jl_remote_settings, gpu_control, "TELEMETRY_GPU_CONTROL",
                                         .doc = "Where GPU caps go: host, http or none."),
    [JL_SETTING_GPU_CONTROL_ENDPOINT] =
        JL_STRING(jl_remote_settings, gpu_control_endpoint, "TELEMETRY_GPU_CONTROL_HTTP_ENDPOINT",
                  .doc = "URL that takes GPU caps; {node} stands for the node's name."),
    [JL_SETTING_GPU_CONTROL_MODE] =
        JL_STRING(jl_remote_settings, gpu_control_mode, "TELEMETRY_GPU_CONTROL_MODE",
                  .doc = "How an http backend puts them in force: auto, powercap or clocks."),
    [JL_SETTING_TIMEOUT] =
        JL_STRING(jl_remote_settings, timeout_s, "TELEMETRY_HTTP_TIMEOUT_SECONDS",
                  .doc = "Timeout of every request, in whole seconds; default 2."),
};
const struct jl_table jl_remote_settings_table =
    JL_TABLE(jl_remote_settings, env_rows, .doc = "Settings of an agent.");
