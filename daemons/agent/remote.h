/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A node that is driven over HTTP (docs/rules/endpoints.md): read its telemetry, ask the
 * library what to write, post the caps one after the other, read back, report. It never touches the
 * machine that it runs on.
 *
 * What was there before our first cap is remembered in memory only. A process that finds a cap of
 * an agent before it (the NodeTwin's controlStatus says so) goes on with it, and gives back to the
 * maximum of the hardware.
 */

#include "agent/backend.h"
#include "agent/shared.h"

extern const struct jd_backend jd_remote_backend; /* its maker is the struct jd_agent_shared */
