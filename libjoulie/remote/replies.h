/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the replies of endpoints say. */

#include <joulie/remote.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/words.h"

/* ---- telemetry: power, and beside it utilisation, the limits that the backend is to keep, and of
 * when it is (docs/rules/endpoints.md#telemetry) ---- */

extern const struct jl_words jl_remote_power_words;  /* cpu node */
extern const struct jl_words jl_remote_result_words; /* sample no-sample error stale */

/* reply and out are of this release's size. is_source: the formulas of v0.1.1, no time stamp and
 * nothing but power. 0 or JOULIE_E_NOMEM: a reply without a sample is an answer. */
int jl_remote_read(const struct joulie_remote_reply *reply, bool is_source, struct jl_arena *arena,
                   struct joulie_remote_sample *out);

/* ---- control: what became of a cap (docs/rules/endpoints.md#replies) ---- */

struct jl_remote_verdict {
    enum joulie_control_result result;
    const char *message; /* NULL = the body has none */
};

/* is_source: the agent of v0.1.1, which does not read the body. 0, JOULIE_E_NOMEM or
 * JOULIE_E_LIMIT; the message lives in the arena. */
int jl_remote_read_reply(int64_t http_status, struct jl_text body, bool is_source,
                         struct jl_arena *arena, struct jl_remote_verdict *out);
