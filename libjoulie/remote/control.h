/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a control reply says became of a cap (docs/rules/endpoints.md#replies). */

#include <joulie/remote.h>

#include "base/arena.h"
#include "base/text.h"

struct jl_remote_verdict {
    enum joulie_control_result result;
    const char *message; /* NULL = the body has none */
};

/* is_source: the agent of v0.1.1, which does not read the body. 0, JOULIE_E_NOMEM or
 * JOULIE_E_LIMIT; the message lives in the arena. */
int jl_remote_read_reply(int64_t http_status, struct jl_text body, bool is_source,
                         struct jl_arena *arena, struct jl_remote_verdict *out);
