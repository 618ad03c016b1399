/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A thread profile as canonical TOML. Rules: docs/rules/threads.md#canonical-text. */

#include "base/buffer.h"
#include "kinds/thread_profile.h"

/* Prints the members that are given, as jl_use_defaults() left them. Members of others (x_) stand
 * behind the known ones of their table. */
void jl_profile_put_toml(struct jl_buffer *out, const struct jl_thread_profile *profile);
