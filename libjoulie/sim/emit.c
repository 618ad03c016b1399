/* SPDX-License-Identifier: Apache-2.0 */

/* Members of JSON objects, for the texts of a simulation that no table describes: traces,
 * summaries, reports, debug views. */

#include "sim/emit.h"

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"

void jl_emit_key(struct jl_buffer *out, const char *key)
{
    if (out->len > 0 && out->data[out->len - 1] != '{')
        jl_put_char(out, ',');
    jl_put_json_string(out, key, jl_text(key).len);
    jl_put_char(out, ':');
}

void jl_emit_text(struct jl_buffer *out, const char *key, const char *value)
{
    if (!value)
        return;
    jl_emit_key(out, key);
    jl_put_json_string(out, value, jl_text(value).len);
}

void jl_emit_number(struct jl_buffer *out, const char *key, double value)
{
    jl_emit_key(out, key);
    jl_put_double(out, value);
}

void jl_emit_integer(struct jl_buffer *out, const char *key, int64_t value)
{
    jl_emit_key(out, key);
    jl_put_i64(out, value);
}

void jl_emit_bool(struct jl_buffer *out, const char *key, bool value)
{
    jl_emit_key(out, key);
    jl_put_string(out, value ? "true" : "false");
}

int jl_sim_hand_out(struct jl_buffer *buffer, int rc, const struct joulie_error *detail, char **out,
                    struct joulie_error *err)
{
    if (rc >= 0)
        return jl_hand_out(buffer, out, err);
    jl_buffer_clear(buffer);
    return rc != JOULIE_E_NOMEM && detail ? jl_error_return(detail, rc, err)
                                          : jl_refuse_memory(err);
}
