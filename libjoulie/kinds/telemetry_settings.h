/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The settings TELEMETRY_* of an agent (docs/rules/endpoints.md#settings). */

#include "schema/row.h"

/* The variables TELEMETRY_*; a blank one is not set. Members are texts, in the order of the bits.
 */
struct jl_remote_settings {
    uint64_t has;
    const char *cpu_source;
    const char *cpu_endpoint;
    const char *cpu_control;
    const char *cpu_control_endpoint;
    const char *cpu_control_mode;
    const char *gpu_control;
    const char *gpu_control_endpoint;
    const char *gpu_control_mode;
    const char *timeout_s;
};

enum {
    JL_SETTING_CPU_SOURCE,
    JL_SETTING_CPU_ENDPOINT,
    JL_SETTING_CPU_CONTROL,
    JL_SETTING_CPU_CONTROL_ENDPOINT,
    JL_SETTING_CPU_CONTROL_MODE,
    JL_SETTING_GPU_CONTROL,
    JL_SETTING_GPU_CONTROL_ENDPOINT,
    JL_SETTING_GPU_CONTROL_MODE,
    JL_SETTING_TIMEOUT,
};

extern const struct jl_table jl_remote_settings_table; /* keys are the names of the variables */
