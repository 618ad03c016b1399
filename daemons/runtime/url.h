/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* URLs as text: made of parts, and shown without what may be a password. */

#include "base/buffer.h"

/* Appends percent-encoded bytes of one path segment or query value. */
void jd_put_url(struct jl_buffer *out, const char *text);

/* Puts "*" in the place of what stands before the last @ of each word with "://", in place: for
 * texts of which a URL may be a part. */
void jd_hide_users(char *text);
/* A copy of one URL, with or without a scheme and whatever else is in it, to be shown; to be freed
 * with jl_free(). NULL = memory ran out. */
char *jd_shown_url(const char *url);
