/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/buffer.h"

/* Text with what roff would take for its own escaped: backslashes, dashes, and a point or quote at
 * the start of a line. */
void jd_put_roff(struct jl_buffer *out, const char *text);
