/* SPDX-License-Identifier: Apache-2.0 */

/* Helpers of the exported functions of this room: checks of their arguments, texts of answers. */

#include "cluster/call.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/time.h"
#include "kinds/naming.h"

int jl_cluster_check_now(int64_t now_ms, struct joulie_error *err)
{
    return jl_is_instant(now_ms) ? 0
                                 : jl_fail(err, JOULIE_E_RANGE, "now", "no clock shows this time");
}

int jl_cluster_check_text(const char *text, const char *where, struct joulie_error *err)
{
    const size_t len = text != NULL ? strlen(text) : 0;
    if (len > JL_NAME_MAX)
        return jl_fail(err, JOULIE_E_LIMIT, where, "longer than %d bytes", JL_NAME_MAX);
    return jl_check_text(text, where, err);
}

void jl_cluster_put_text(struct jl_buffer *out, const char *text)
{
    jl_put_json_string(out, text, strlen(text));
}
