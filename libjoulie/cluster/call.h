/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What exported functions of this room share: checks of arguments, texts of answers. */

#include <joulie/cluster.h>

#include "base/buffer.h"

/* JOULIE_E_RANGE at "now" for a time outside the years 0 to 9999. */
int jl_cluster_check_now(int64_t now_ms, struct joulie_error *err);

/* Of a text that the model keeps: UTF-8, as answers are JSON, and no longer than names are. NULL is
 * fine. */
int jl_cluster_check_text(const char *text, const char *where, struct joulie_error *err);

/* A JSON string. */
void jl_cluster_put_text(struct jl_buffer *out, const char *text);
