/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Strings of JSON (RFC 8259) without their quotes. jl_put_json_string() of base/buffer.h prints
 * them. */

#include "base/text.h"

/* Bytes of the escape whose backslash is at at; 0 = it is none, or half of a surrogate pair. */
size_t jl_json_escape_length(const char *at, size_t len);

/* What the string stands for; each of its escapes was checked. It is never longer than raw, for
 * which out has room. Returns its length. */
size_t jl_json_unescape(struct jl_text raw, char *out);
