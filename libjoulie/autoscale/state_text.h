/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What an autoscaler remembers as JSON (docs/rules/autoscaling.md#state):
 * {"version":1,"crc32":N,"data":"…"} with the bytes of jl_scale_engine_save() in base64, so that no
 * tool on the way changes a number.
 */

#include "autoscale/engine.h"
#include "base/buffer.h"
#include "schema/decode.h"

/* 0, JOULIE_E_LIMIT (above JL_AUTOSCALE_STATE_BYTES) or JOULIE_E_NOMEM. */
int jl_autoscale_state_put(const struct jl_scale_engine *scaler, struct jl_buffer *out,
                           struct joulie_error *err);

/*
 * The state that stands at a raw place of a document; at is its path. Without success the
 * autoscaler is as before: JOULIE_E_PARSE, JOULIE_E_UNSUPPORTED, JOULIE_E_LIMIT, JOULIE_E_NOMEM or
 * what the decoder says.
 */
int jl_autoscale_state_get(struct jl_decode *decode, const struct jl_raw *raw,
                           const struct jl_path *at, struct jl_scale_engine *scaler);
