/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where power is read and where caps go: the settings TELEMETRY_*, as the library understands them
 * (docs/rules/endpoints.md#settings). */

#include <joulie/remote.h>

#include "agent/options.h"

struct jd_endpoints { /* to be cleared */
    struct joulie_remote_endpoint cpu_source;
    struct joulie_remote_endpoint cpu_control;
    struct joulie_remote_endpoint gpu_control;
};

/* Of a node: what the settings do not say, profiles do (NULL = there are none). meta: the metadata
 * of its Node as JSON, NULL = unknown. 0, or a code with err->message that names the setting. */
int jd_endpoints_read(const struct jd_agent_values *values,
                      const struct joulie_remote_profiles *profiles, const char *node_name,
                      const char *meta, struct jd_endpoints *out, struct joulie_error *err);
void jd_endpoints_clear(struct jd_endpoints *endpoints);

/* Whether this place can be wired so: fails for what would read or write a machine that it must
 * not, or for power that would not be used. */
int jd_endpoints_check(const struct jd_agent_values *values, enum jd_agent_place place,
                       struct joulie_error *err);
