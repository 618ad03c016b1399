/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A Node's labels and capacity → NodeHardware.status, for machines that nobody can look into: a
 * pool's (docs/rules/node-agent.md#hardware-from-labels). What the catalog knows of a model
 * is not copied: its readers ask the catalog themselves. A fact that was not found is absent.
 */

#include <joulie/remote.h>

#include "kinds/node.h"
#include "kinds/node_hardware.h"

/* 0, JOULIE_E_REQUIRED (the node has no name), JOULIE_E_NOMEM or JOULIE_E_LIMIT; texts live in the
 * arena or in the node. */
int jl_remote_hardware(const struct jl_node *node, const struct joulie_remote_can *can,
                       int64_t now_ms, struct jl_arena *arena, struct jl_node_hardware *out);
