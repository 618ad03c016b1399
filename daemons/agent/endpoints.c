/* SPDX-License-Identifier: Apache-2.0 */

/* The settings TELEMETRY_* as URLs and timeouts, and which of them an agent mode allows
 * (docs/rules/endpoints.md#settings). */

#include "agent/endpoints.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

#define ANY_NODE "node" /* to try the settings of a pool with */

void jd_endpoints_clear(struct jd_endpoints *endpoints)
{
    joulie_free(endpoints->cpu_source.url);
    joulie_free(endpoints->cpu_control.url);
    joulie_free(endpoints->gpu_control.url);
    *endpoints = (struct jd_endpoints){ 0 };
}

static int resolve(const struct jd_agent_values *values,
                   const struct joulie_remote_profiles *profiles, const char *node_name,
                   const char *meta, struct jd_endpoints *out, struct joulie_error *err)
{
    const struct joulie_remote_settings settings = {
        .struct_size = sizeof settings,
        .cpu_source = values->telemetry_cpu_source,
        .cpu_endpoint = values->telemetry_cpu_endpoint,
        .cpu_control = values->telemetry_cpu_control,
        .cpu_control_endpoint = values->telemetry_cpu_control_endpoint,
        .cpu_control_mode = values->telemetry_cpu_control_mode,
        .gpu_control = values->telemetry_gpu_control,
        .gpu_control_endpoint = values->telemetry_gpu_control_endpoint,
        .gpu_control_mode = values->telemetry_gpu_control_mode,
        .timeout_s = values->telemetry_timeout,
    };

    const struct {
        enum joulie_remote_role role;
        struct joulie_remote_endpoint *out;
    } parts[] = {
        { JOULIE_REMOTE_ROLE_CPU_SOURCE, &out->cpu_source },
        { JOULIE_REMOTE_ROLE_CPU_CONTROL, &out->cpu_control },
        { JOULIE_REMOTE_ROLE_GPU_CONTROL, &out->gpu_control },
    };

    int rc = 0;
    for (size_t i = 0; i < JL_COUNT(parts) && rc == 0; i++) {
        parts[i].out->struct_size = sizeof *parts[i].out;
        rc = profiles
                 ? joulie_remote_profiles_resolve(profiles, &settings, node_name, meta,
                                                  meta ? strlen(meta) : 0, parts[i].role,
                                                  parts[i].out, err)
                 : joulie_remote_resolve(&settings, node_name, parts[i].role, parts[i].out, err);
    }
    return rc;
}

int jd_endpoints_read(const struct jd_agent_values *values,
                      const struct joulie_remote_profiles *profiles, const char *node_name,
                      const char *meta, struct jd_endpoints *out, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    struct jd_endpoints endpoints = { 0 };
    const int rc = resolve(values, profiles, node_name, meta, &endpoints, &full);
    if (rc == 0) {
        *out = endpoints;
        return 0;
    }
    jd_endpoints_clear(&endpoints);
    const bool is_variable = jl_starts_with(full.where, "env.");
    return jl_fail(err, full.code, "", "%s: %s",
                   is_variable ? full.where + strlen("env.") : node_name, full.message);
}

static int refuse(struct joulie_error *err, const char *name, const char *problem)
{
    return jl_fail(err, JOULIE_E_CONFLICT, "", "%s: %s", name, problem);
}

/* An agent that drives a node over HTTP never reads or writes the machine that it runs on. A
 * setting that is not made is a TelemetryProfile's, or none. */
static int check_remote(const struct jd_agent_values *values, const struct jd_endpoints *endpoints,
                        struct joulie_error *err)
{
    const struct {
        const char *name;
        const char *value;
        enum joulie_remote_type type;
    } parts[] = {
        { "TELEMETRY_CPU_SOURCE", values->telemetry_cpu_source, endpoints->cpu_source.type },
        { "TELEMETRY_CPU_CONTROL", values->telemetry_cpu_control, endpoints->cpu_control.type },
        { "TELEMETRY_GPU_CONTROL", values->telemetry_gpu_control, endpoints->gpu_control.type },
    };

    for (size_t i = 0; i < JL_COUNT(parts); i++) {
        if (!jl_is_empty(parts[i].value) && parts[i].type == JOULIE_REMOTE_TYPE_HOST)
            return refuse(err, parts[i].name,
                          "a node that is driven over HTTP has no host here: http or none");
    }
    return 0;
}

/* The engine of a host measures with the host's own counters. */
static int check_host(const struct jd_endpoints *endpoints, struct joulie_error *err)
{
    if (endpoints->cpu_source.type != JOULIE_REMOTE_TYPE_HOST)
        return refuse(err, "TELEMETRY_CPU_SOURCE",
                      "must be host where TELEMETRY_CPU_CONTROL is host");
    if (endpoints->gpu_control.type == JOULIE_REMOTE_TYPE_HTTP)
        return refuse(err, "TELEMETRY_GPU_CONTROL",
                      "http needs TELEMETRY_CPU_CONTROL http or none");
    return 0;
}

int jd_endpoints_check(const struct jd_agent_values *values, enum jd_agent_place place,
                       struct joulie_error *err)
{
    const bool is_pool = jl_same(values->agent_mode, "pool");
    JL_CLEANUP(jd_endpoints_clear) struct jd_endpoints endpoints = { 0 };
    if (place == JD_WITH_FILES)
        return 0;
    const int rc = jd_endpoints_read(values, NULL, is_pool ? ANY_NODE : values->node_name, NULL,
                                     &endpoints, err);
    if (rc < 0)
        return rc;
    return place == JD_WITH_HOST ? check_host(&endpoints, err)
                                 : check_remote(values, &endpoints, err);
}
