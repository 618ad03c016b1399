/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the reply of a telemetry endpoint says (docs/rules/endpoints.md#telemetry): power, and
 * beside it utilisation, the limits that the backend is to keep, and of when it is. */

#include <joulie/remote.h>

#include "base/arena.h"
#include "base/words.h"

extern const struct jl_words jl_remote_power_words;  /* cpu node */
extern const struct jl_words jl_remote_result_words; /* sample no-sample error stale */

/* reply and out are of this release's size. is_source: the formulas of v0.1.1, no time stamp and
 * nothing but power. 0 or JOULIE_E_NOMEM: a reply without a sample is an answer. */
int jl_remote_read(const struct joulie_remote_reply *reply, bool is_source, struct jl_arena *arena,
                   struct joulie_remote_sample *out);
