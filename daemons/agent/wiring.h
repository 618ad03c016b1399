/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where power is read and where caps go: the settings TELEMETRY_*, as the library understands them
 * (docs/rules/endpoints.md#settings). */

#include <stdbool.h>
#include <stdint.h>

#include <joulie/error.h>

#include "agent/options.h"

enum jd_wire_type { JD_WIRE_NONE, JD_WIRE_HOST, JD_WIRE_HTTP, JD_WIRE_PROMETHEUS };

enum jd_wire_mode { JD_WIRE_AUTO, JD_WIRE_RAPL, JD_WIRE_DVFS };

struct jd_wire {
    enum jd_wire_type type;
    enum jd_wire_mode mode;
    char *url; /* of http and prometheus, with the node's name in it */
    int64_t timeout_ms;
};

struct jd_wiring { /* to be cleared */
    struct jd_wire cpu_source;
    struct jd_wire cpu_control;
    struct jd_wire gpu_control;
};

/* 0, or a code with err->message that names the setting. */
int jd_wiring_read(const struct jd_agent_values *values, const char *node_name,
                   struct jd_wiring *out, struct joulie_error *err);
void jd_wiring_clear(struct jd_wiring *wiring);

/* Whether this place can be wired so: fails for what would read or write a machine that it must
 * not, or for power that would not be used. */
int jd_wiring_check(const struct jd_agent_values *values, enum jd_agent_place place,
                    struct joulie_error *err);
