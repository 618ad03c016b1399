/* SPDX-License-Identifier: Apache-2.0 */

/* Members of JSON objects, for the texts of a simulation that no table describes: traces,
 * summaries, reports, debug views; and fields of CSV. */

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

static void begin_field(struct jl_buffer *out)
{
    if (out->len > 0 && out->data[out->len - 1] != '\n')
        jl_put_char(out, ',');
}

/* Quoted where it has to be. NULL = empty. */
void jl_csv_text(struct jl_buffer *out, const char *text)
{
    bool is_plain = true;
    begin_field(out);
    for (const char *p = text; p && *p; p++)
        is_plain &= *p != ',' && *p != '"' && *p != '\n' && *p != '\r';
    if (is_plain) {
        jl_put_string(out, text ? text : "");
        return;
    }
    jl_put_char(out, '"');
    for (const char *p = text; *p; p++) {
        if (*p == '"')
            jl_put_char(out, '"');
        jl_put_char(out, *p);
    }
    jl_put_char(out, '"');
}

void jl_csv_number(struct jl_buffer *out, double value)
{
    begin_field(out);
    jl_put_double(out, value);
}

void jl_csv_integer(struct jl_buffer *out, int64_t value)
{
    begin_field(out);
    jl_put_i64(out, value);
}

/* Empty when it is not known. */
void jl_csv_known(struct jl_buffer *out, bool is_known, double value)
{
    if (is_known)
        jl_csv_number(out, value);
    else
        jl_csv_text(out, NULL);
}

int jl_sim_hand_out(struct jl_buffer *buffer, int rc, const struct joulie_error *detail, char **out,
                    struct joulie_error *err)
{
    if (rc >= 0)
        return jl_hand_out(buffer, out, err);
    jl_buffer_clear(buffer);
    return rc != JOULIE_E_NOMEM && detail ? jl_error_return(detail, rc, err) : jl_fail_memory(err);
}
