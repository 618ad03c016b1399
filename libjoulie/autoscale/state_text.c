/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the engine remembers as JSON text and back (docs/rules/autoscaling.md#state). Called by the
 * handle and the question autoscale.
 */

#include <joulie/error.h>

#include "autoscale/engine.h"
#include "base/base64.h"
#include "base/crc32.h"
#include "base/error.h"

#define FORM_VERSION 1

#define RECORD saved_state
#define MEMBERS                                                    \
    INTEGER(version, "version", "Version of this form.", REQUIRED) \
    INTEGER(crc32, "crc32", "CRC-32 of the bytes.", REQUIRED)      \
    STRING(data, "data", "The bytes in base64.", REQUIRED)
#include "schema/record.h"

int jl_autoscale_state_put(const struct jl_scale_engine *scaler, struct jl_buffer *out,
                           struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer bytes = { 0 };
    const size_t start = out->len;
    if (jl_scale_engine_save(scaler, &bytes) < 0)
        return jl_fail_memory(err);
    jl_put_string(out, "{\"version\":");
    jl_put_i64(out, FORM_VERSION);
    jl_put_string(out, ",\"crc32\":");
    jl_put_i64(out, jl_crc32(bytes.data, bytes.len));
    jl_put_string(out, ",\"data\":\"");
    jl_put_base64(out, bytes.data, bytes.len);
    jl_put_string(out, "\"}");
    if (out->is_failed)
        return jl_fail_memory(err);
    if (out->len - start > JL_AUTOSCALE_STATE_BYTES)
        return jl_fail(err, JOULIE_E_LIMIT, "state", "more than 4 MiB have to be remembered");
    return 0;
}

int jl_autoscale_state_get(struct jl_decode *decode, const struct jl_raw *raw,
                           const struct jl_path *at, struct jl_scale_engine *scaler)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer bytes = { 0 };
    const struct jl_path data_at = { .up = at, .key = jl_text("data") };
    const struct jl_path version_at = { .up = at, .key = jl_text("version") };
    struct saved_state state;
    if (raw->len > JL_AUTOSCALE_STATE_BYTES)
        return jl_decode_fail(decode, JOULIE_E_LIMIT, at, raw->offset, "a state has at most 4 MiB");
    int rc = jl_decode_raw(decode, raw, at, &saved_state_table, &state);
    if (rc < 0)
        return rc;
    if (state.version != FORM_VERSION)
        return jl_decode_fail(decode, JOULIE_E_UNSUPPORTED, &version_at, raw->offset,
                              "this build reads version 1");
    rc = jl_parse_base64(state.data, jl_text(state.data).len, &bytes);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(decode->err);
    if (rc < 0 || bytes.len == 0 || jl_crc32(bytes.data, bytes.len) != state.crc32)
        return jl_decode_fail(decode, JOULIE_E_PARSE, &data_at, raw->offset,
                              "the state is damaged: its bytes are not those that were saved");
    struct joulie_error why = { .struct_size = sizeof why };
    rc = jl_scale_engine_restore(scaler, bytes.data, bytes.len, &why);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(decode->err);
    return rc < 0 ? jl_decode_fail(decode, rc, &data_at, raw->offset, "%s", why.message) : 0;
}
