/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Everything that a machine tells about itself, read once. */

#include "base/buffer.h"
#include "host/facts.h"
#include "host/root.h"

/* Never fails over what is not there: that is a fact too. 0, JOULIE_E_NOMEM or JOULIE_E_LIMIT. */
int jl_host_scan(const struct jl_root *root, struct jl_arena *arena, struct jl_host_facts *out);
