/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Members of a JSON object that is being written: a comma unless the member is the first one, the
 * key, the value. */

#include <joulie/error.h>

#include "base/buffer.h"

void jl_emit_key(struct jl_buffer *out, const char *key);
void jl_emit_text(struct jl_buffer *out, const char *key, const char *value); /* NULL: no member */
void jl_emit_number(struct jl_buffer *out, const char *key, double value);
void jl_emit_integer(struct jl_buffer *out, const char *key, int64_t value);
void jl_emit_bool(struct jl_buffer *out, const char *key, bool value);

/* Fields of CSV: a comma unless the field is the first of its line, the value. */
void jl_csv_text(struct jl_buffer *out, const char *text); /* quoted where it has to be */
void jl_csv_number(struct jl_buffer *out, double value);
void jl_csv_integer(struct jl_buffer *out, int64_t value);
void jl_csv_known(struct jl_buffer *out, bool is_known, double value); /* else empty */

/* How an exported function that makes a text ends: hands it out, or releases it and gives the
 * caller the detail of the failure rc. detail NULL: only memory can run out. */
int jl_sim_hand_out(struct jl_buffer *buffer, int rc, const struct joulie_error *detail, char **out,
                    struct joulie_error *err);
