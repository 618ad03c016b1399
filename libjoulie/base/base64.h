/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bytes as text of the standard alphabet with padding (RFC 4648, section 4). */

#include "base/buffer.h"

void jl_put_base64(struct jl_buffer *out, const void *bytes, size_t len);
/* Appends the bytes. 0, JOULIE_E_PARSE (another letter, bits behind the end, a wrong length) or
 * JOULIE_E_NOMEM. */
int jl_parse_base64(const char *text, size_t len, struct jl_buffer *out);
